/*
 * test_row_spring_damper.c - springs and dampers at the end of a step of length h.
 *
 *   (M + h D + h^2 K) a = tau - b - K (x + h v) - D v
 *
 * solved densely here, against the diagonal of the minimal form and the compliant rows of the maximal one;
 * and a spring in a loop joint against the same spring in the tree joint beside it.
 */
#include "scene_parts.h"
#include "sim/world_internal.h"
#include "unit/coords/form_fixture.h"
#include "worlds.h"

/* A x = b by elimination with pivoting; b becomes x. */
static void solve_dense(int n, double *A, double *b)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            best = fabs(A[i * n + k]) > fabs(A[best * n + k]) ? i : best;
        for (int j = 0; j < n; j++) {
            double swap = A[k * n + j];
            A[k * n + j] = A[best * n + j];
            A[best * n + j] = swap;
        }
        double swap = b[k];
        b[k] = b[best];
        b[best] = swap;
        for (int i = k + 1; i < n; i++) {
            double factor = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n; j++)
                A[i * n + j] -= factor * A[k * n + j];
            b[i] -= factor * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            b[k] -= A[k * n + j] * b[j];
        b[k] /= A[k * n + k];
    }
}

/* The equation above, from the public algorithms. */
static void expected_acceleration(const RgModel *model, const TestState *s, double h, double *a)
{
    int n = s->nv;
    double *M = calloc((size_t)(n * n) + 1, sizeof *M), *bias = calloc((size_t)n + 1, sizeof *bias);
    double *zero = calloc((size_t)n + 1, sizeof *zero);
    RgDynamics *dynamics = rg_dynamics_create(model, NULL);
    rg_mass_matrix(dynamics, s->q, M);
    rg_inverse_dynamics(dynamics, s->q, s->v, zero, NULL, bias);
    rg_passive_forces(dynamics, s->q, s->v, a);
    for (int k = 0; k < n; k++) {
        a[k] += s->tau[k] - bias[k] - h * model->stiffness[k] * s->v[k];
        M[k * n + k] += h * model->damping[k] + h * h * model->stiffness[k];
    }
    solve_dense(n, M, a);
    rg_dynamics_destroy(dynamics);
    free(M);
    free(bias);
    free(zero);
}

/* Joint accelerations of a world with springs and dampers at the end of a step of length h. */
static void world_acceleration(RgWorld *world, const TestState *s, double h, double *a)
{
    RgStepScope *scope = &world->scope;
    cr_assert(rg_world_set_state(world, s->q, s->v) == RG_OK);
    if (s->nv > 0)
        memcpy(world->inputs.tau, s->tau, (size_t)s->nv * sizeof *s->tau);
    RgDynamicsAsk ask = {.h = h, .share = 1.0};
    double *own = scope->scratch.a;
    cr_assert(rg_stage_acceleration(scope, 0.0, world->state.x, world->state.u, &ask, own) == RG_OK);
    scope->form->kind->joint_accelerations(scope->form, own, a);
}

Test(row_spring_damper, both_forms_solve_the_implicit_equation)
{
    int sprung = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        RandomTree options = {.seed = seed};
        RgModel *model = random_tree(&options);
        TestState s = random_state(model, seed);
        double h = seed % 3 == 0 ? 1.0 : 1e-3, *a = calloc((size_t)s.nv + 1, sizeof *a);
        expected_acceleration(model, &s, h, a);
        sprung += model->any_stiffness && model->any_damping;
        for (int i = 0; i < 2; i++) {
            RgWorld *world = world_of(model, both_forms[i], "semi-implicit");
            world_acceleration(world, &s, h, s.a);
            CHECK_REL_ALL(s.a, a, s.nv, 1e-9, both_forms[i]);
            rg_world_destroy(world);
        }
        free(a);
        test_state_destroy(&s);
        rg_model_destroy(model);
    }
    cr_expect(sprung > 30, "only %d trees had springs and dampers", sprung);
}

/* Gains so small or so large that they must not matter, or hold the joint: the rows stay solvable. */
Test(row_spring_damper, extreme_gains)
{
    static const double gains[6] = {1e-300, 1e-30, 1e-20, 1e-12, 1e12, 1e20};
    for (int i = 0; i < 12; i++) {
        RgBuilder *b = scene_begin("gains");
        RgVec3 O = {0.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0};
        RgInertia rod = inertia_rod(1.0, O, vec(1.0, 0.0, 0.0), 0.05);
        RgLinkId one = link_add(b, "one", rod), two = link_add(b, "two", rod);
        RgJointDef free_hinge = joint_at(RG_JOINT_revolute, "free", (RgLinkId){0}, one, O, y);
        RgJointDef hinge = joint_at(RG_JOINT_revolute, "hinge", one, two, vec(1.0, 0.0, 0.0), y);
        hinge.dof[0].damping = gains[i / 2];
        joint_add(b, &free_hinge);
        joint_add(b, &hinge);
        RgModel *model = scene_end(b);
        TestState s = random_state(model, 3);
        double a[2];
        expected_acceleration(model, &s, 1e-3, a);
        RgWorld *world = world_of(model, both_forms[i % 2], "semi-implicit");
        world_acceleration(world, &s, 1e-3, s.a);
        CHECK_NEAR_ALL(s.a, a, 2, 1e-8 * (1.0 + fabs(a[1])), both_forms[i % 2]);
        rg_world_destroy(world);
        test_state_destroy(&s);
        rg_model_destroy(model);
    }
}

/* Two models: a joint with spring and damper; and the same joint bare, beside a loop joint that has
   them. */
static RgModel *sprung(RgJointType type, bool in_loop)
{
    RgBuilder *b = scene_begin("beside");
    Draw d = draw_seed(61);
    RgLinkId base = link_add(b, "base", inertia_box(2.0, draw_vec(&d, 0.2), vec(0.1, 0.2, 0.3)));
    RgLinkId tip = link_add(b, "tip", inertia_box(1.0, draw_vec(&d, 0.2), vec(0.3, 0.2, 0.1)));
    RgJointDef def = joint_at(type, "joint", base, tip, vec(0.3, 0.1, 0.0), vec(0.6, 0.0, 0.8));
    def.axis2 = vec(0.0, 1.0, 0.0);
    def.pitch = 0.2;
    RgJointDef bare = def;
    for (int k = 0; k < 6; k++) {
        bool angle = type == RG_JOINT_spherical;
        def.dof[k].stiffness = angle ? 30.0 : 20.0 + 10.0 * k;
        def.dof[k].rest = angle ? 0.0 : 0.1;
        def.dof[k].damping = 1.0 + k;
    }
    joint_add(b, in_loop ? &bare : &def);
    def.name = "loop";
    def.may_close_loop = true;
    if (in_loop)
        joint_add(b, &def);
    return scene_end(b);
}

Test(row_spring_damper, loop_joints_feel_theirs_as_tree_joints_do)
{
    for (int type = RG_JOINT_revolute; type < RG_JOINT_free; type++)
        for (int i = 0; i < 4; i++) {
            double h = i / 2 == 0 ? 0.0 : 0.05, a[12];
            RgModel *tree = sprung((RgJointType)type, false), *loop = sprung((RgJointType)type, true);
            cr_assert(loop->nloops == 1 && tree->nv == loop->nv);
            TestState s = random_state(tree, (uint64_t)type);
            RgWorld *one = world_of(tree, "minimal", "rk4"), *two = world_of(loop, both_forms[i % 2], "rk4");
            world_acceleration(one, &s, h, a);
            world_acceleration(two, &s, h, s.a);
            CHECK_REL_ALL(s.a, a, tree->nv, 1e-9, rg_joint_type_name((RgJointType)type));
            cr_expect(two->reports.idle.redundant_rows == 6 - rg_joint_kind((RgJointType)type)->nv);
            rg_world_destroy(one);
            rg_world_destroy(two);
            test_state_destroy(&s);
            rg_model_destroy(tree);
            rg_model_destroy(loop);
        }
}
