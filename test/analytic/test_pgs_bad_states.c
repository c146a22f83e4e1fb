/*
 * test_pgs_bad_states.c - states that no solver can like: solver pgs gives a bounded answer and says what it
 * left, or the step is refused and the state stays.
 */
#include "check_near.h"
#include "scene_parts.h"
#include "worlds.h"

/* count cubes of 0.2 m at random places of a small room over a floor, masses 10^(0 ... decades). */
static RgModel *heap(int count, double spread, double decades)
{
    static char name[16][16];
    RgBuilder *b = scene_begin("heap");
    RgShapeDef floor = rg_shape_def_default();
    floor.type = RG_SHAPE_halfspace;
    rg_builder_add_shape(b, &floor);
    for (int i = 0; i < count; i++) {
        double at = spread * i / count, mass = pow(10.0, decades * (i % 2));
        RgPose X = {.R = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, .p = vec(at, 0.5 * at, 0.1 + 0.3 * at)};
        RgShapeDef box = rg_shape_def_default();
        snprintf(name[i], sizeof name[i], "box%d", i);
        box.type = RG_SHAPE_box;
        box.size[0] = box.size[1] = box.size[2] = 0.2;
        box.link = link_add_at(b, name[i], inertia_box(mass, vec(0, 0, 0), vec(0.2, 0.2, 0.2)), X);
        rg_builder_add_shape(b, &box);
    }
    return scene_end(b);
}

/* Every step is taken with finite numbers, or refused with the state as it was. */
static void endure(const RgModel *model, const char *coords, double h, int steps, bool must_step)
{
    RgPgsOptions o = rg_pgs_options_default();
    RgWorldDef def = world_def(model, coords, "semi-implicit");
    def.solver = "pgs";
    def.pgs = &o;
    RgWorld *world = world_make(&def);
    for (int i = 0; i < steps; i++) {
        RgStepReport r;
        uint64_t before = rg_world_hash(world);
        RgStatus status = rg_world_step(world, h, &r);
        cr_expect(status == RG_OK || rg_world_hash(world) == before);
        cr_expect(!must_step || status == RG_OK, "%s", rg_status_text(status));
        cr_expect(isfinite(r.residual_velocity) && isfinite(r.work.total));
    }
    const double *v = rg_world_v(world);
    for (int k = 0; k < rg_model_info(model).nv; k++)
        cr_assert(isfinite(v[k]) && fabs(v[k]) < 1e4, "velocity %d is %g", k, v[k]);
    rg_world_destroy(world);
}

Test(pgs_bad_states, bodies_at_one_place)
{
    RgModel *model = heap(6, 0.0, 0.0);
    for (int form = 0; form < 2; form++)
        endure(model, both_forms[form], 1e-3, 50, true);
    rg_model_destroy(model);
}

Test(pgs_bad_states, mass_ratio_of_a_hundred_million)
{
    RgModel *model = heap(8, 1.0, 8.0);
    for (int form = 0; form < 2; form++)
        endure(model, both_forms[form], 1e-3, 50, true);
    rg_model_destroy(model);
}

Test(pgs_bad_states, step_of_a_second)
{
    RgModel *model = heap(8, 1.0, 0.0);
    for (int form = 0; form < 2; form++)
        endure(model, both_forms[form], 1.0, 20, true);
    rg_model_destroy(model);
}

/* One plate under hundreds of cubes: more neighbours than colours. */
Test(pgs_bad_states, hundreds_on_one_body)
{
    RgBuilder *b = scene_begin("plate");
    static char name[300][16];
    RgShapeDef shape = rg_shape_def_default(), floor = rg_shape_def_default();
    floor.type = RG_SHAPE_halfspace;
    rg_builder_add_shape(b, &floor);
    for (int i = 0; i < 290; i++) {
        RgVec3 size = i == 0 ? vec(20, 20, 1) : vec(0.5, 0.5, 0.5);
        RgVec3 p = i == 0 ? vec(0, 0, 0.5) : vec(-9.0 + i % 17, -9.0 + i / 17.0, 1.25);
        RgPose X = {.R = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, .p = p};
        snprintf(name[i], sizeof name[i], "b%d", i);
        shape.type = RG_SHAPE_box;
        shape.size[0] = size.x;
        shape.size[1] = size.y;
        shape.size[2] = size.z;
        shape.link = link_add_at(b, name[i], inertia_box(i == 0 ? 100.0 : 1.0, vec(0, 0, 0), size), X);
        rg_builder_add_shape(b, &shape);
    }
    RgModel *model = scene_end(b);
    endure(model, "maximal", 2e-3, 20, true);
    rg_model_destroy(model);
}
