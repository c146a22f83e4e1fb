/* test_row_hold.c - putting a mechanism together with some joints held. */
#include "scenes.h"
#include "worlds.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

/* A four-bar whose crank is turned open by 0.2 rad: closed with the crank held, the crank is where it was
   put. */
Test(row_hold, the_held_crank_stays)
{
    RgModel *model = scene_four_bar();
    RgJointId crank = {1};
    int v = rg_model_joint(model, crank).v_index;
    for (int i = 0; i < 2; i++) {
        RgWorld *world = world_of(model, both_forms[i], "rk4");
        bool *held = calloc((size_t)rg_model_info(model).nv, sizeof *held);
        double before, after, rate, left;
        held[v] = true;
        rg_world_assemble(world, NULL);
        rg_world_joint_position(world, crank, &before);
        before += 0.2;
        rg_world_set_joint_position(world, crank, &before);
        rg_world_set_joint_rate(world, crank, &(double){3.0});
        cr_assert_eq(rg_world_assemble_holding(world, held, held, &left), RG_OK);
        rg_world_joint_position(world, crank, &after);
        rg_world_joint_rate(world, crank, &rate);
        cr_expect(left < 1e-11, "%s: loop open by %g", both_forms[i], left);
        cr_expect(fabs(after - before) < 1e-10, "%s: crank moved by %g rad", both_forms[i], after - before);
        cr_expect(fabs(rate - 3.0) < 1e-9, "%s: rate %g, not 3", both_forms[i], rate);
        free(held);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* With every joint held and the loop open there is no choice: the holds give way, the loop closes. */
Test(row_hold, holds_give_way_to_loops)
{
    RgModel *model = scene_four_bar();
    RgModelInfo info = rg_model_info(model);
    for (int i = 0; i < 2; i++) {
        RgWorld *world = world_of(model, both_forms[i], "rk4");
        bool *held = malloc((size_t)info.nv * sizeof *held);
        for (int k = 0; k < info.nv; k++)
            held[k] = true;
        double q, left;
        rg_world_assemble(world, NULL);
        rg_world_joint_position(world, (RgJointId){1}, &q);
        rg_world_set_joint_position(world, (RgJointId){1}, &(double){q + 0.1});
        cr_assert_eq(rg_world_assemble_holding(world, held, NULL, &left), RG_OK);
        cr_expect(left < 1e-11, "%s: loop open by %g", both_forms[i], left);
        free(held);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* A tree has nothing to put together: with all joints held it stays as it is, in both forms. */
Test(row_hold, a_tree_stays_as_it_is)
{
    RgModel *model = scene_humanoid();
    RgModelInfo info = rg_model_info(model);
    bool *held = malloc((size_t)info.nv * sizeof *held);
    double *v = malloc((size_t)info.nv * sizeof *v);
    for (int k = 0; k < info.nv; k++) {
        held[k] = true;
        v[k] = 0.1 * (k % 7) - 0.3;
    }
    for (int i = 0; i < 2; i++) {
        RgWorld *world = world_of(model, both_forms[i], "rk4");
        double left, most = 0.0;
        cr_assert_eq(rg_world_set_state(world, NULL, v), RG_OK);
        cr_assert_eq(rg_world_assemble_holding(world, held, held, &left), RG_OK);
        for (int k = 0; k < info.nv; k++)
            most = fmax(most, fabs(rg_world_v(world)[k] - v[k]));
        cr_expect(left < 1e-11 && most < 1e-11, "%s: open by %g, moved by %g", both_forms[i], left, most);
        cr_expect_eq(rg_world_step(world, 1e-3, NULL), RG_OK);
        rg_world_destroy(world);
    }
    free(held);
    free(v);
    rg_model_destroy(model);
}
