/*
 * test_row_coupling.c - mimic and gear rows: J . u is the rate of q_a - ratio q_b - offset, by
 * differences, in both forms; the bias is zero where the joints keep, since the row is linear in the joint
 * velocities.
 */
#include "scene_parts.h"
#include "unit/coords/form_fixture.h"
#include "worlds.h"

/* A planar joint, a cylindrical one, a universal one and a screw in a chain; angle of the first tied to
   the slide of the second, second axis of the universal joint to the screw. */
static RgModel *gears(void)
{
    RgBuilder *b = scene_begin("gears");
    static const RgJointType types[4] = {RG_JOINT_planar, RG_JOINT_cylindrical, RG_JOINT_universal, RG_JOINT_screw};
    static const char *const names[4] = {"planar", "pipe", "cross", "screw"};
    RgJointId ids[4];
    RgLinkId parent = {0};
    Draw d = draw_seed(51);
    for (int i = 0; i < 4; i++) {
        RgLinkId child = link_add(b, names[i], inertia_box(1.0 + i, draw_vec(&d, 0.2), vec(0.1, 0.2, 0.3)));
        RgJointDef def = joint_at(types[i], names[i], parent, child, draw_vec(&d, 0.5), vec(0.6, 0.0, 0.8));
        def.axis2 = vec(0.0, 1.0, 0.0);
        def.pitch = 0.2;
        ids[i] = joint_add(b, &def);
        parent = child;
    }
    RgCouplingDef one = rg_coupling_def_default(), two = rg_coupling_def_default();
    one.joint = ids[0];
    one.dof = 2;
    one.reference = ids[1];
    one.reference_dof = 1;
    one.ratio = -2.5;
    one.offset = 0.3;
    two.joint = ids[2];
    two.dof = 1;
    two.reference = ids[3];
    cr_assert(rg_builder_add_coupling(b, &one) && rg_builder_add_coupling(b, &two));
    return scene_end(b);
}

static double error_by_hand(const double *q, int i)
{
    return i == 0 ? q[2] + 2.5 * q[4] - 0.3 : q[6] - q[7];
}

Test(row_coupling, jacobian_is_the_derivative_of_the_error)
{
    RgModel *model = gears();
    for (uint64_t seed = 0; seed < 10; seed++) {
        TestState s = random_state(model, seed);
        FormCase f = form_case(model, both_forms[seed % 2]);
        double bias[64], errors[2][4];
        form_set(&f, s.q, s.v);
        for (int t = 0; t < 4; t++) {
            form_look(&f, form_times[t], NULL);
            rg_assemble_hard_rows(f.c);
            for (int i = 0; i < 2; i++)
                errors[i][t] = f.c->rows.row[f.c->rows.n - 2 + i].error;
        }
        form_look(&f, 0.0, NULL);
        form_weigh(&f, f.move);
        rg_assemble_hard_rows(f.c);
        rg_project_rows(f.c, bias);
        for (int i = 0; i < 2; i++) {
            int row = f.c->rows.n - 2 + i;
            CHECK_NEAR(f.c->rows.row[row].error, error_by_hand(s.q, i), 1e-13, "rad or m");
            CHECK_NEAR(rg_row_times(&f.c->problem, row, f.u), form_difference(errors[i]), 1e-9, "rad/s or m/s");
        }
        form_case_end(&f);
        test_state_destroy(&s);
    }
    rg_model_destroy(model);
}

/* A gear between two floating chains is no force of the world: total momentum does not feel it. */
Test(row_coupling, acceleration_keeps_the_ratio)
{
    RgModel *model = gears();
    for (int i = 0; i < 2; i++) {
        TestState s = random_state(model, 7);
        RgWorld *world = world_of(model, both_forms[i], "rk4");
        s.q[2] = -2.5 * s.q[4] + 0.3;
        s.q[6] = s.q[7];
        s.v[2] = -2.5 * s.v[4];
        s.v[6] = s.v[7];
        cr_assert(rg_world_set_state(world, s.q, s.v) == RG_OK);
        CHECK_NEAR(rg_world_joint_error(world), 0.0, 1e-13, "rad or m");
        cr_assert(rg_world_acceleration(world, s.a) == RG_OK);
        CHECK_NEAR(s.a[2], -2.5 * s.a[4], 1e-10, "rad/s^2");
        CHECK_NEAR(s.a[6], s.a[7], 1e-10, "rad/s^2");
        rg_world_destroy(world);
        test_state_destroy(&s);
    }
    rg_model_destroy(model);
}
