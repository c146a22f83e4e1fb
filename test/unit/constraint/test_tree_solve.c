/*
 * test_tree_solve.c - joints eliminated by the tree against joints as rows with a factor of their own: the same numbers
 * to round-off.
 *
 * Random forests of all joint kinds in the maximal form, with rotors, springs and dampers (explicit or as soft rows),
 * each solved both ways: accelerations, what impulses do, projection of positions and velocities; and L = J M^-1 J' by
 * halves of the tree's factor.
 */
#include "constraint/tree_solve.h"
#include "unit/coords/form_fixture.h"

#define TREES 200
#define TOLERANCE 1e-10

/* A random tree in a random state, maximal form. Joint errors and rates of size `apart`. */
typedef struct TreeCase {
    RgModel *model;
    TestState s;
    FormCase f;
    Draw d;
} TreeCase;

static TreeCase tree_case(uint64_t seed, double apart)
{
    TreeCase t = {.d = draw_seed(seed + 1000)};
    t.model = random_tree(&(RandomTree){.seed = seed});
    t.s = random_state(t.model, seed);
    t.f = form_case(t.model, "maximal");
    form_set(&t.f, t.s.q, t.s.v);
    for (int k = 0; k < t.f.form->nu; k++) {
        t.f.move[k] = draw_between(&t.d, -apart, apart);
        t.f.u[k] += draw_between(&t.d, -apart, apart);
    }
    t.f.form->kind->integrate(t.f.form, t.f.x, t.f.move, t.f.x);
    form_look(&t.f, 0.0, NULL);
    return t;
}

static void tree_case_end(TreeCase *t)
{
    form_case_end(&t->f);
    test_state_destroy(&t->s);
    rg_model_destroy(t->model);
}

static double *numbers(int count)
{
    double *x = calloc((size_t)count + 1, sizeof *x);
    cr_assert(x != NULL);
    return x;
}

Test(tree_solve, accelerations_are_those_of_the_rows)
{
    int solved = 0;
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        TreeCase t = tree_case(seed, 0.0);
        RgConstraints *c = t.f.c;
        int bad, nu = t.f.form->nu;
        double *a = numbers(nu), *b = numbers(nu), share = seed % 3 == 0 ? 0.5 : 1.0;
        RgForces forces = {.gravity = {0.0, 0.0, -9.81}, .tau = t.s.tau, .needs_solve = true};
        cr_assert(t.f.form->kind->dynamics(t.f.form, &forces, a, &bad));
        memcpy(b, a, (size_t)nu * sizeof *a);
        rg_assemble_rows(c, &(RgRowsAsk){.h = seed % 2 == 0 ? 0.01 : 0.0});
        cr_assert(rg_solve_bilateral(c, share, a) == RG_OK);
        solved += c->tree.used;
        c->tree.possible = false;
        cr_assert(rg_solve_bilateral(c, share, b) == RG_OK && !c->tree.used);
        CHECK_NEAR_ALL(a, b, nu, TOLERANCE * (1.0 + check_largest(b, (size_t)nu)), "rad/s^2 or m/s^2");
        free(a);
        free(b);
        tree_case_end(&t);
    }
    cr_expect(solved > TREES / 2, "%d of %d by the tree", solved, TREES);
}

Test(tree_solve, impulses_do_what_they_do_through_the_rows)
{
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        TreeCase t = tree_case(seed, 0.0);
        RgConstraints *c = t.f.c;
        int nu = t.f.form->nu;
        rg_assemble_rows(c, &(RgRowsAsk){.h = seed % 2 == 0 ? 0.01 : 0.0});
        int n = c->rows.n;
        double *g = numbers(nu), *u = numbers(nu), *z = numbers(n), *y = numbers(n), *a = numbers(nu);
        for (int k = 0; k < nu; k++)
            u[k] = g[k] = draw_between(&t.d, -1.0, 1.0);
        cr_assert(!c->tree.possible || rg_tree_solve_factor(c));
        if (c->tree.possible)
            rg_tree_solve_respond(c, NULL, g, z);
        bool compare = c->tree.possible;
        c->tree.possible = false;
        cr_assert(rg_solve_bilateral(c, 1.0, a) == RG_OK);
        t.f.form->kind->solve(t.f.form, u);
        for (int i = 0; i < n; i++)
            y[i] = -rg_row_times(&c->problem, i, u);
        rg_direct_solve_again(c->direct, &c->problem, y);
        rg_add_response(&c->problem, y, u);
        if (compare) {
            CHECK_NEAR_ALL(g, u, nu, TOLERANCE * (1.0 + check_largest(u, (size_t)nu)), "rad/s or m/s");
            CHECK_NEAR_ALL(z, y, n, TOLERANCE * (1.0 + check_largest(y, (size_t)n)), "N s or N m s");
        }
        free(g);
        free(u);
        free(z);
        free(y);
        free(a);
        tree_case_end(&t);
    }
}

/* D on the joint velocities: du answers to g, push and -D dv. */
Test(tree_solve, drives_in_the_factor_act_as_impulses_against_their_rates)
{
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        TreeCase t = tree_case(seed, 0.0);
        RgConstraints *c = t.f.c;
        const RgForm *form = t.f.form;
        int nu = form->nu, nv = t.model->nv;
        rg_assemble_rows(c, &(RgRowsAsk){.h = seed % 2 == 0 ? 0.01 : 0.0});
        double *g = numbers(nu), *u = numbers(nu), *push = numbers(nv), *D = numbers(nv), *z = numbers(c->rows.n),
               *y = numbers(c->rows.n);
        for (int k = 0; k < nu; k++)
            u[k] = g[k] = draw_between(&t.d, -1.0, 1.0);
        for (int k = 0; k < nv; k++) {
            push[k] = draw_between(&t.d, -1.0, 1.0);
            D[k] = draw_between(&t.d, 0.0, 1.0);
        }
        if (c->tree.possible) {
            cr_assert(rg_tree_solve_factor(c) && rg_tree_solve_refactor(c, D));
            rg_tree_solve_respond(c, push, g, z);
            rg_form_twists(form, g, form->work->V);
            for (int k = 0; k < nv; k++)
                push[k] -= D[k] * rg_form_joint_rate(form, k, g, form->work->V);
            cr_assert(rg_tree_solve_factor(c));
            rg_tree_solve_respond(c, push, u, y);
            CHECK_NEAR_ALL(g, u, nu, TOLERANCE * (1.0 + check_largest(u, (size_t)nu)), "rad/s or m/s");
            CHECK_NEAR_ALL(z, y, c->rows.n, TOLERANCE * (1.0 + check_largest(y, (size_t)c->rows.n)), "N s or N m s");
        }
        double *all[] = {g, u, push, D, z, y};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            free(all[i]);
        tree_case_end(&t);
    }
}

Test(tree_solve, projection_is_that_of_the_rows)
{
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        TreeCase t = tree_case(seed, 1e-3);
        int nx = t.f.form->nx, nu = t.f.form->nu;
        double *x = numbers(nx), *u = numbers(nu), left[2];
        bool changed;
        memcpy(x, t.f.x, (size_t)nx * sizeof *x);
        memcpy(u, t.f.u, (size_t)nu * sizeof *u);
        cr_assert(rg_project_state(t.f.c, NULL, x, u, &left[0], &changed) == RG_OK);
        t.f.c->tree.possible = false;
        cr_assert(rg_project_state(t.f.c, NULL, t.f.x, t.f.u, &left[1], &changed) == RG_OK);
        CHECK_NEAR_ALL(x, t.f.x, nx, TOLERANCE * (1.0 + check_largest(t.f.x, (size_t)nx)), "m or rad");
        CHECK_NEAR_ALL(u, t.f.u, nu, TOLERANCE * (1.0 + check_largest(t.f.u, (size_t)nu)), "m/s or rad/s");
        CHECK_NEAR(left[0], 0.0, 1e-11, "m or rad");
        free(x);
        free(u);
        tree_case_end(&t);
    }
}

/* L between two bodies: velocity at b's origin after a unit impulse at a's, by halves and by respond. */
static void check_halves(TreeCase *t, int a, int b)
{
    RgForm *form = t->f.form;
    int32_t pair[2] = {a < b ? a : b, a < b ? b : a}, count = (int32_t)form->factor.stride;
    RgVec3 *points = calloc((size_t)t->model->nbodies, sizeof *points);
    RgHalfSpan *spans = calloc(2 * (size_t)count, sizeof *spans);
    int32_t *row = calloc((size_t)count, sizeof *row);
    cr_assert(points != NULL && spans != NULL && row != NULL);
    for (int i = 0; i < t->model->nbodies; i++)
        points[i] = form->kin->X_WB[i].p;
    RgTreeOutputs outputs = {.bodies = pair, .points = points, .nbodies = a == b ? 1 : 2};
    int n = 6 * outputs.nbodies, at_a = a > b ? 6 : 0, at_b = b > a ? 6 : 0,
        first = rg_tree_outputs_first(t->model, &outputs);
    double squares[12] = {0.0};
    RgHalfBlock block = {(size_t)n, first, 0, row, spans, spans + count, squares};
    block.count = t->model->nv - first < count ? t->model->nv - first : count;
    int32_t rank = rg_tree_halves_number(t->model, &outputs, &block);
    double *B = numbers(n * rank), *g = numbers(form->nu), *z = numbers(t->f.c->rows.n);
    rg_tree_halves(form, &outputs, &block, B);
    for (int r = 0; r < 6; r++) {
        double unit[6] = {0.0}, L[6] = {0.0};
        unit[r] = 1.0;
        memset(g, 0, (size_t)form->nu * sizeof *g);
        rg_form_push(form, a, (RgForce){v3(unit[3], unit[4], unit[5]), v3(unit[0], unit[1], unit[2])}, g);
        rg_tree_solve_respond(t->f.c, NULL, g, z);
        RgMotion V;
        rg_form_twist(form, b, g, &V);
        for (int k = 0; k < rank; k++)
            for (int c = 0; c < 6; c++)
                L[c] += B[k * n + at_a + r] * B[k * n + at_b + c];
        double expected[6] = {V.v.x, V.v.y, V.v.z, V.w.x, V.w.y, V.w.z};
        CHECK_NEAR_ALL(L, expected, 6, TOLERANCE * (1.0 + check_largest(expected, 6)), "1/kg and so on");
    }
    free(points);
    free(spans);
    free(row);
    free(B);
    free(g);
    free(z);
}

Test(tree_solve, halves_multiply_to_the_response)
{
    int pairs = 0;
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        TreeCase t = tree_case(seed, 0.0);
        rg_assemble_rows(t.f.c, &(RgRowsAsk){.h = 0.01});
        for (int a = 0; a < t.model->nbodies && t.f.c->tree.possible; a++) {
            cr_assert(rg_tree_solve_factor(t.f.c));
            int b = t.model->bodies[a].parent >= 0 ? t.model->bodies[a].parent : a;
            if (t.model->bodies[a].nv == 0 || t.model->bodies[b].nv == 0)
                continue;
            check_halves(&t, a, b);
            pairs++;
        }
        tree_case_end(&t);
    }
    cr_expect(pairs > TREES, "%d pairs", pairs);
}
