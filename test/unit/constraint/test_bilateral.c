/*
 * test_bilateral.c - the accelerations that keep the rows.
 *
 *   J a + bias + C z = target   for every row, the dependent ones included where the motion is consistent
 *   a - a_free = M^-1 J' z      what the rows change is what their forces do
 */
#include "unit/coords/form_fixture.h"
#include "worlds.h"

/* Random trees with loops at a closed state, from rest: all rows hold after the solve, in both forms, with
   springs and dampers explicit (h = 0) or implicit. */
Test(bilateral, every_row_is_kept)
{
    int redundant = 0;
    for (uint64_t seed = 1; seed <= 80; seed++) {
        RandomTree options = {.seed = seed, .links = 4 + (int)(seed % 5), .loops = 1 + (int)(seed % 2)};
        RgModel *model = random_tree(&options);
        TestState s = random_state(model, seed);
        FormCase f = form_case(model, both_forms[seed % 2]);
        double h = seed % 4 < 2 ? 0.0 : 0.01;
        f.c->tree.possible = false; /* rows, not the tree: test_tree_solve.c */
        int bad, n = f.c->rows.room, nu = f.form->nu;
        double *a = calloc(2 * (size_t)nu + 1, sizeof *a), *forced = a + nu,
               *bias = calloc((size_t)n + 1, sizeof *bias);
        rg_model_neutral(model, s.q);
        memset(s.v, 0, (size_t)s.nv * sizeof *s.v);
        form_set(&f, s.q, s.v);
        form_look(&f, 0.0, NULL);
        RgForces forces = {.gravity = {0.0, 0.0, -9.81}, .tau = s.tau, .needs_solve = true};
        cr_assert(f.form->kind->dynamics(f.form, &forces, a, &bad));
        memcpy(forced, a, (size_t)nu * sizeof *a);
        rg_assemble_rows(f.c, &(RgRowsAsk){.h = h});
        cr_assert(rg_solve_bilateral(f.c, 1.0, a) == RG_OK);
        redundant += f.c->problem.redundant;

        /* a = a_free + M^-1 J' z with M^-1 applied afresh. */
        const RgBilateral *p = &f.c->problem;
        double *work = calloc((size_t)nu + 1, sizeof *work), scale = 1.0 + check_largest(a, (size_t)nu);
        for (int i = 0; i < p->n; i++)
            for (int e = p->start[i]; e < p->start[i + 1]; e++)
                work[p->columns[e]] += p->values[e] * p->z[i];
        f.form->kind->solve(f.form, work);
        for (int k = 0; k < nu; k++)
            forced[k] += work[k];
        CHECK_NEAR_ALL(a, forced, nu, 1e-10 * scale, "rad/s^2 or m/s^2");
        rg_project_rows(f.c, bias);
        for (int i = 0; i < p->n; i++) {
            const RgRow *row = &f.c->rows.row[i];
            double kept = rg_row_times(p, i, a) + bias[i] + row->compliance * p->z[i];
            CHECK_NEAR(kept, row->target, 1e-9 * scale, "rad/s^2 or m/s^2");
        }
        free(work);
        free(a);
        free(bias);
        form_case_end(&f);
        test_state_destroy(&s);
        rg_model_destroy(model);
    }
    cr_expect(redundant > 0, "no loop was redundant");
}
