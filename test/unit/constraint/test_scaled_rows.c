/*
 * test_scaled_rows.c - rows over mass-scaled velocities, in both forms, against rows over u:
 *
 *   J_s s = J u        J_s J_s' = J M^-1 J'        |s|^2 = u'M u = twice the kinetic energy
 */
#include "constraint/scaled_rows.h"
#include "unit/coords/form_fixture.h"
#include "worlds.h"

/* A row on bodies and joint velocities at random. */
static RgRow random_row(const RgModel *m, Draw *d)
{
    RgRow row = {.rotor = -1};
    for (int k = 0; k < 2; k++) {
        RgForce J = {draw_vec(d, 1.0), draw_vec(d, 1.0)};
        rg_row_add_body(&row, draw_below(d, m->nbodies), v3_zero(), J, v3_zero());
    }
    if (m->nv > 0 && draw_chance(d, 0.5)) {
        row.ndofs = 1;
        row.dof[0] = draw_below(d, m->nv);
        row.coefficient[0] = draw_between(d, -1.0, 1.0);
    }
    return row;
}

static double dot_columns(int n, const int *columns, const double *values, const double *x)
{
    double sum = 0.0;
    for (int e = 0; e < n; e++)
        sum += values[e] * x[columns[e]];
    return sum;
}

/* One row of one model. */
static void check_row(FormCase *f, RgScaling *s, const RgRow *row, const double *scaled)
{
    const RgForm *form = f->form;
    int nu = form->nu, columns[512], plain_columns[512];
    double values[512], plain[512], bias, g[512] = {0.0}, response = 0.0, own = 0.0;
    int count = rg_scaled_row(s, row, columns, values);
    int plain_count = form->kind->project(form, row, plain_columns, plain, &bias);
    for (int e = 1; e < count; e++)
        cr_expect(columns[e] > columns[e - 1] && columns[e] < nu);
    double rate = dot_columns(plain_count, plain_columns, plain, f->u);
    CHECK_NEAR(dot_columns(count, columns, values, scaled), rate, 1e-10 * (1.0 + fabs(rate)), "m/s");
    for (int e = 0; e < plain_count; e++)
        g[plain_columns[e]] = plain[e];
    form->kind->solve(form, g);
    for (int e = 0; e < plain_count; e++)
        response += plain[e] * g[plain_columns[e]];
    for (int e = 0; e < count; e++)
        own += values[e] * values[e];
    CHECK_NEAR(own, response, 1e-9 * (1.0 + response), "1/kg");
}

static void check_model(const RgModel *model, const char *coords, uint64_t seed)
{
    Draw d = draw_seed(seed);
    FormCase f = form_case(model, coords);
    TestState state = random_state(model, seed);
    double a[512], scaled[512], back[512];
    int bad;
    cr_assert(f.form->nu < 512);
    RgScaling *s = rg_scaling_alloc(&f.arena, f.form);
    form_set(&f, state.q, state.v);
    form_look(&f, 0.0, NULL);
    double *tau = calloc((size_t)model->nv + 1, sizeof *tau);
    RgForces none = {.tau = tau, .needs_solve = true};
    cr_assert(f.form->kind->dynamics(f.form, &none, a, &bad));
    rg_scaling_set(s, (RgInertiaRule){0.0, 0.0});
    rg_scale_velocity(s, f.u, scaled);
    rg_unscale_velocity(s, scaled, back);
    CHECK_NEAR_ALL(back, f.u, f.form->nu, 1e-10, "m/s");
    RgMomentum momentum;
    rg_tree_momentum(f.form->kin, v3_zero(), f.form->q, f.form->v, &momentum);
    double energy = 0.0;
    for (int k = 0; k < f.form->nu; k++)
        energy += 0.5 * scaled[k] * scaled[k];
    CHECK_REL(energy, momentum.kinetic, 1e-9, "J");
    for (int k = 0; k < 6; k++) {
        RgRow row = random_row(model, &d);
        check_row(&f, s, &row, scaled);
    }
    free(tau);
    form_case_end(&f);
    test_state_destroy(&state);
}

Test(scaled_rows, rates_responses_and_energy)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        RandomTree options = {.seed = seed, .links = 3 + (int)(seed % 8)};
        RgModel *model = random_tree(&options);
        if (model->nbodies > 0)
            check_model(model, both_forms[seed % 2], seed);
        rg_model_destroy(model);
    }
}

/* A row between two bodies given as wrenches about their centres is the row in body terms. */
Test(scaled_rows, pairs_of_bodies)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        RandomTree options = {.seed = seed, .links = 6};
        RgModel *model = random_tree(&options);
        FormCase f = form_case(model, both_forms[seed % 2]);
        TestState state = random_state(model, seed);
        Draw d = draw_seed(seed);
        int a = draw_below(&d, model->nbodies + 1) - 1, b = draw_below(&d, model->nbodies), bad;
        if (a != b) {
            double work[512], values[512], expected[512], dense[512] = {0.0}, other[512] = {0.0};
            int columns[512], its[512];
            RgScaling *s = rg_scaling_alloc(&f.arena, f.form);
            form_set(&f, state.q, state.v);
            form_look(&f, 0.0, NULL);
            double *tau = calloc((size_t)model->nv + 1, sizeof *tau);
            RgForces none = {.tau = tau, .needs_solve = true};
            cr_assert(f.form->kind->dynamics(f.form, &none, work, &bad));
            rg_scaling_set(s, (RgInertiaRule){0.0, 0.0});
            RgForce g = {draw_vec(&d, 1.0), draw_vec(&d, 1.0)}, on_b = {draw_vec(&d, 1.0), draw_vec(&d, 1.0)};
            int count = rg_scaled_pair_columns(s, a, b, columns);
            rg_scaled_pair(s, a, g, b, on_b, values);
            RgRow row = {.rotor = -1};
            rg_row_add_body(&row, b, f.form->kin->X_WB[b].p, on_b, s->body[b].centre);
            if (a >= 0)
                rg_row_add_body(&row, a, f.form->kin->X_WB[a].p, fv_scale(-1.0, g), s->body[a].centre);
            int n = rg_scaled_row(s, &row, its, expected);
            for (int e = 0; e < count; e++)
                dense[columns[e]] = values[e];
            for (int e = 0; e < n; e++)
                other[its[e]] = expected[e];
            CHECK_NEAR_ALL(dense, other, f.form->nu, 1e-9, "");
            free(tau);
        }
        form_case_end(&f);
        test_state_destroy(&state);
        rg_model_destroy(model);
    }
}
