/*
 * test_link_shapes.c - the hull of a link's shapes, and principal moments.
 *
 *   two boxes side by side have as hull the box around them; collision shapes count before visual ones
 *   I = R diag(moments) R'
 */
#include "check_near.h"
#include "counting.h"
#include "draw.h"
#include "scene_parts.h"

/* Links: one with two collision cubes at x = -1 and x = 1 and a large visual box; one that has only a
   visual sphere; one with a half-space and a mesh that was not found; one without shapes. */
static RgModel *shaped(const RgAllocator *allocator)
{
    RgBuilder *b = rg_builder_create(allocator, NULL);
    RgLinkId links[4];
    static const char *const names[4] = {"cubes", "ball", "endless", "bare"};
    for (int i = 0; i < 4; i++)
        links[i] = link_add(b, names[i], (RgInertia){0});
    RgShapeDef defs[6];
    for (int i = 0; i < 6; i++)
        defs[i] = rg_shape_def_default();
    defs[0].type = defs[1].type = defs[2].type = RG_SHAPE_box;
    defs[0].X_LS = (RgPose){mat_turn(vec(0.0, 0.0, 1.0), TEST_PI / 2.0), {-1.0, 0.0, 0.0}};
    defs[1].X_LS = place_at(1.0, 0.0, 0.0);
    defs[2].size[0] = defs[2].size[1] = defs[2].size[2] = 9.0;
    defs[3].type = RG_SHAPE_sphere;
    defs[2].is_visual = defs[3].is_visual = true;
    defs[4].type = RG_SHAPE_halfspace;
    defs[5].type = RG_SHAPE_mesh;
    defs[5].uri = "missing.stl";
    for (int i = 0; i < 6; i++) {
        defs[i].link = links[i < 3 ? 0 : i < 4 ? 1 : 2];
        cr_assert(rg_builder_add_shape(b, &defs[i]).i != 0, "%s", rg_builder_error(b)->text);
    }
    return scene_end(b);
}

Test(link_shapes, distance_from_the_hull)
{
    RgModel *model = shaped(NULL);
    static const struct {
        int link;
        RgVec3 point;
        double distance;
    } cases[7] = {{1, {0.0, 0.0, 0.0}, 0.0}, {1, {0.0, 0.5, 0.5}, 0.0}, {1, {0.0, 2.0, 0.0}, 1.5},
                  {1, {4.5, 4.5, 0.0}, 5.0}, {2, {0.0, 3.0, 4.0}, 4.0}, {2, {0.3, 0.3, 0.3}, 0.0},
                  {1, {-2.5, 0.0, 0.0}, 1.0}};
    for (int i = 0; i < 7; i++) {
        double distance = -1.0;
        cr_expect(rg_link_hull_distance(model, (RgLinkId){cases[i].link}, cases[i].point, &distance) == RG_OK);
        CHECK_NEAR(distance, cases[i].distance, 1e-9, "m");
    }
    rg_model_destroy(model);
}

Test(link_shapes, questions_without_answer)
{
    Counting counting = {0};
    RgAllocator allocator = counting_allocator(&counting);
    RgModel *model = shaped(&allocator);
    RgVec3 O = {0.0, 0.0, 0.0};
    double distance;
    cr_expect(rg_link_hull_distance(model, (RgLinkId){3}, O, &distance) == RG_ERR_NOT_FOUND, "no bounded shape");
    cr_expect(rg_link_hull_distance(model, (RgLinkId){4}, O, &distance) == RG_ERR_NOT_FOUND, "no shape");
    cr_expect(rg_link_hull_distance(model, (RgLinkId){0}, O, &distance) == RG_ERR_ARGUMENT);
    cr_expect(rg_link_hull_distance(model, (RgLinkId){5}, O, &distance) == RG_ERR_ARGUMENT);
    RgVec3 nowhere = {(double)NAN, 0.0, 0.0};
    cr_expect(rg_link_hull_distance(model, (RgLinkId){1}, nowhere, &distance) == RG_ERR_NOT_FINITE);
    long blocks = counting.blocks;
    counting.fail_at = counting.calls + 1;
    cr_expect(rg_link_hull_distance(model, (RgLinkId){1}, O, &distance) == RG_ERR_MEMORY);
    cr_expect(counting.blocks == blocks, "something leaked");
    rg_model_destroy(model);
    cr_expect(counting.blocks == 0);
}

Test(link_shapes, principal_moments)
{
    Draw d = draw_seed(81);
    for (int i = 0; i < 50; i++) {
        RgPose X = draw_pose(&d, 1.0);
        const double m[3] = {draw_between(&d, 0.1, 1.0), draw_between(&d, 1.0, 1.1), draw_between(&d, 1.1, 1.9)};
        RgInertia in = {1.0, X.p, {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}};
        double *I[6] = {&in.I.xx, &in.I.yy, &in.I.zz, &in.I.xy, &in.I.xz, &in.I.yz};
        static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
        for (int e = 0; e < 6; e++)
            for (int k = 0; k < 3; k++)
                *I[e] += m[k] * X.R.m[row[e]][k] * X.R.m[column[e]][k];
        double moments[3], again[3];
        RgMat3 axes;
        rg_principal_moments(&in, moments, &axes);
        rg_principal_moments(&in, again, NULL);
        CHECK_NEAR_ALL(moments, m, 3, 1e-14, "kg m^2");
        CHECK_NEAR_ALL(again, m, 3, 1e-14, "kg m^2");

        /* I a = m a for each axis. */
        for (int k = 0; k < 3; k++) {
            RgVec3 a = {axes.m[0][k], axes.m[1][k], axes.m[2][k]};
            CHECK_NEAR(vec_distance(sym_apply(in.I, a), vec_scale(m[k], a)), 0.0, 1e-13, "kg m^2");
        }
    }
}
