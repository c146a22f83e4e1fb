/* test_shape_pairs.c - shapes that may touch and have no contacts: steppers that claim something refuse them. */
#include <rigor/rigor.h>

#include <criterion/criterion.h>
#include <string.h>

/* A tray (a field of heights, or a half-space) that falls on to the world's; mask 0: it touches nothing. */
static RgModel *tray(RgShapeType type, uint32_t mask, bool box)
{
    static const double heights[9] = {0.0, 0.1, 0.0, 0.1, 0.2, 0.1, 0.0, 0.1, 0.0};
    RgBuilder *b = rg_builder_create(NULL, NULL);
    RgLinkDef link = rg_link_def_default();
    link.name = "tray";
    link.X_WL.p = (RgVec3){0.0, 0.0, 1.0};
    link.inertia = (RgInertia){.mass = 1.0, .I = {.xx = 0.1, .yy = 0.1, .zz = 0.1}};
    RgLinkId id = rg_builder_add_link(b, &link);
    for (int i = 0; i < 2; i++) {
        RgShapeDef shape = rg_shape_def_default();
        shape.type = i == 0 && box ? RG_SHAPE_box : type;
        shape.name = i == 0 ? "of the tray" : "ground";
        shape.size[0] = shape.size[1] = shape.size[2] = 1.0;
        shape.heights = shape.type == RG_SHAPE_heightfield ? heights : NULL;
        shape.rows = shape.columns = shape.type == RG_SHAPE_heightfield ? 3 : 0;
        if (i == 0) {
            shape.link = id;
            shape.mask = mask;
        }
        rg_builder_add_shape(b, &shape);
    }
    RgError error = {0};
    RgModel *model = rg_builder_finish(b, &error);
    cr_assert_not_null(model, "%s", error.text);
    rg_builder_destroy(b);
    return model;
}

static RgStatus create(const RgModel *model, const char *stepper, RgError *error)
{
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    def.stepper = stepper;
    def.solver = "cone";
    *error = (RgError){.status = RG_OK};
    RgWorld *world = rg_world_create(&def, error);
    RgStatus status = world != NULL ? RG_OK : error->status;
    rg_world_destroy(world);
    return status;
}

Test(shape_pairs, two_that_cannot_be_answered_are_refused_where_something_is_claimed)
{
    static const RgShapeType types[] = {RG_SHAPE_heightfield, RG_SHAPE_halfspace};
    static const char *const located[] = {"rigid", "rigid-001", "advance", "c2a"};
    for (int k = 0; k < 2; k++) {
        RgModel *model = tray(types[k], UINT32_MAX, false);
        RgError error;
        for (int i = 0; i < 4; i++) {
            cr_expect_eq(create(model, located[i], &error), RG_ERR_UNSUPPORTED, "%s", located[i]);
            cr_expect(strstr(error.text, "'tray' with 'ground'") != NULL, "%s: %s", located[i], error.text);
        }
        cr_expect_eq(create(model, "semi-implicit", &error), RG_OK, "%s", error.text);
        cr_expect_eq(create(model, "auto", &error), RG_OK, "%s", error.text);
        rg_model_destroy(model);
    }
}

Test(shape_pairs, what_may_not_touch_or_can_be_answered_is_taken)
{
    static const RgShapeType types[] = {RG_SHAPE_heightfield, RG_SHAPE_halfspace};
    for (int k = 0; k < 2; k++)
        for (int box = 0; box < 2; box++) {
            RgModel *model = tray(types[k], box ? UINT32_MAX : 0, box == 1);
            RgError error;
            cr_expect_eq(create(model, "rigid", &error), RG_OK, "%d %d: %s", k, box, error.text);
            cr_expect_eq(create(model, "advance", &error), RG_OK, "%d %d: %s", k, box, error.text);
            rg_model_destroy(model);
        }
}
