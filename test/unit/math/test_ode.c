/*
 * test_ode.c - the reference integrator on problems whose solutions are known, in orders, errors, steps and
 * failures.
 *
 * Twins: closed forms (Kepler's equation, elliptic functions by the arithmetic-geometric mean, the symmetric
 * top),
 * and the order conditions.
 */
#include "check_near.h"
#include "ode_problems.h"

#include "math/ode_dop853_table.h"
#include "math/quat.h"

#include <float.h>

/* Error of the fixed-step solution of a Kepler orbit of eccentricity 0.3 at t = 5; with dense, the largest
   in the middle of the steps. */
static double kepler_error(int steps, bool dense)
{
    double e = 0.3, y[4], exact[4], worst = 0.0;
    RgOdeDef def = {.n = 4, .rhs = kepler_rhs, .rtol = 1e9, .h_max = 5.0 / steps};
    OdeRun run = ode_run_begin(&def);
    kepler_state(e, 0.0, y);
    cr_assert_eq(rg_ode_start(&run.ode, 0.0, y, def.h_max), RG_OK);
    while (run.ode.t < 5.0) {
        cr_assert_eq(rg_ode_step(&run.ode, 5.0), RG_OK);
        for (int i = 1; i < 8 && dense; i++) {
            double t = run.ode.t_old + 0.125 * i * (run.ode.t - run.ode.t_old);
            cr_assert_eq(rg_ode_dense(&run.ode, t, y), RG_OK);
            kepler_state(e, t, exact);
            worst = fmax(worst, check_worst(y, exact, 4).error);
        }
    }
    cr_expect_eq(run.ode.counts.accepted, steps);
    kepler_state(e, 5.0, exact);
    double end = check_worst(run.ode.y, exact, 4).error;
    ode_run_end(&run);
    return dense ? worst : end;
}

Test(ode, table_meets_the_first_order_conditions)
{
    for (int s = 0; s < DOP853_ALL_STAGES; s++) {
        double sum = 0.0;
        for (int r = 0; r < s; r++)
            sum += dop853_a[s][r];
        CHECK_NEAR(sum, dop853_c[s], 1e-14, "");
    }
    /* b integrates polynomials up to degree 7 exactly; the error estimates vanish up to degrees 4 and 2. */
    for (int power = 0; power < 8; power++) {
        double sum = 0.0, sum5 = 0.0, sum3 = 0.0;
        for (int s = 0; s < DOP853_STAGES; s++) {
            double moment = s == 0 ? (power == 0 ? 1.0 : 0.0) : pow(dop853_c[s], power);
            sum += dop853_a[DOP853_STAGES][s] * moment;
            sum5 += dop853_error5[s] * moment;
            sum3 += dop853_error3[s] * moment;
        }
        CHECK_NEAR(sum, 1.0 / (power + 1), 1e-14, "");
        if (power < 5)
            CHECK_NEAR(sum5, 0.0, 1e-14, "");
        if (power < 3)
            CHECK_NEAR(sum3, 0.0, 1e-14, "");
    }
}

Test(ode, fixed_steps_converge_with_order_eight)
{
    double coarse = kepler_error(40, false), fine = kepler_error(80, false), order = log2(coarse / fine);
    cr_expect(order > 7.5 && order < 8.7, "order %.2f (errors %.3g, %.3g)", order, coarse, fine);
}

Test(ode, dense_output_converges_with_order_seven_or_better)
{
    double coarse = kepler_error(20, true), fine = kepler_error(40, true), order = log2(coarse / fine);
    cr_expect(order > 6.8 && order < 8.7, "order %.2f (errors %.3g, %.3g)", order, coarse, fine);
}

Test(ode, dense_output_meets_both_ends)
{
    double y[4];
    RgOdeDef def = {.n = 4, .rhs = kepler_rhs, .rtol = 1e-9, .atol = 1e-9};
    OdeRun run = ode_run_begin(&def);
    kepler_state(0.5, 0.0, y);
    cr_assert_eq(rg_ode_start(&run.ode, 0.0, y, 0.0), RG_OK);
    cr_assert_eq(rg_ode_dense(&run.ode, 0.0, y), RG_ERR_ARGUMENT, "there is no step yet");
    cr_assert_eq(rg_ode_step(&run.ode, 1.0), RG_OK);
    cr_assert_eq(rg_ode_dense(&run.ode, run.ode.t, y), RG_OK);
    CHECK_NEAR_ALL(y, run.ode.y, 4, 4.0 * DBL_EPSILON, "m");
    cr_assert_eq(rg_ode_dense(&run.ode, run.ode.t_old, y), RG_OK);
    CHECK_NEAR_ALL(y, run.ode.y_old, 4, 0.0, "m");
    cr_expect_eq(rg_ode_dense(&run.ode, run.ode.t + 1e-9, y), RG_ERR_ARGUMENT);
    cr_expect_eq(rg_ode_dense(&run.ode, -1e-9, y), RG_ERR_ARGUMENT);

    /* The dense output spends three evaluations and the one that the next step needs. */
    int64_t before = run.ode.counts.evaluations;
    cr_assert_eq(rg_ode_step(&run.ode, 1.0), RG_OK);
    cr_expect_eq(run.ode.counts.evaluations - before, 11);
    ode_run_end(&run);
}

Test(ode, error_follows_the_tolerance)
{
    /* Ten revolutions of an orbit of eccentricity 0.6: an error in the energy shifts the phase, so it
       grows with the square of time. */
    double t_end = 20.0 * RG_PI, exact[4], y[4];
    for (double tolerance = 1e-6; tolerance > 0.5e-13; tolerance *= 0.1) {
        RgOdeDef def = {.n = 4, .rhs = kepler_rhs, .rtol = tolerance, .atol = tolerance};
        OdeRun run = ode_run_begin(&def);
        kepler_state(0.6, 0.0, y);
        cr_assert_eq(ode_run_to(&run, y, t_end), RG_OK);
        kepler_state(0.6, t_end, exact);
        CHECK_NEAR_ALL(run.ode.y, exact, 4, 20000.0 * tolerance, "m");
        ode_run_end(&run);
    }
}

Test(ode, oscillator_keeps_its_phase_for_a_hundred_turns)
{
    /* Even at a tolerance near round-off the steps go on, and the error still falls. */
    const double tolerances[2] = {1e-13, 1e-15}, errors[2] = {2e-11, 2e-13}, exact[2] = {1.0, 0.0};
    for (int i = 0; i < 2; i++) {
        RgOdeDef def = {.n = 2, .rhs = oscillator_rhs, .rtol = tolerances[i], .atol = tolerances[i]};
        OdeRun run = ode_run_begin(&def);
        cr_assert_eq(ode_run_to(&run, exact, 200.0 * RG_PI), RG_OK);
        CHECK_NEAR_ALL(run.ode.y, exact, 2, errors[i], "");
        ode_run_end(&run);
    }
}

Test(ode, pendulum_follows_the_elliptic_functions)
{
    /* Released at rest at 150 degrees: sin(theta / 2) = k cn(t) / dn(t). */
    double amplitude = 150.0 * RG_PI / 180.0, k = sin(0.5 * amplitude), y[2] = {amplitude, 0.0}, sn, cn, dn;
    RgOdeDef def = {.n = 2, .rhs = pendulum_rhs, .rtol = 1e-13, .atol = 1e-13};
    OdeRun run = ode_run_begin(&def);
    cr_assert_eq(rg_ode_start(&run.ode, 0.0, y, 0.0), RG_OK);
    for (int i = 1; i <= 40; i++) {
        double t = 0.5 * i;
        while (run.ode.t < t)
            cr_assert_eq(rg_ode_step(&run.ode, t), RG_OK);
        jacobi_elliptic(t, k, &sn, &cn, &dn);
        CHECK_NEAR(run.ode.y[0], 2.0 * asin(k * cn / dn), 1e-11, "rad");
        CHECK_NEAR(run.ode.y[1], -2.0 * k * sqrt(1.0 - k * k) * sn / dn, 1e-11, "rad/s");
    }
    ode_run_end(&run);
}

Test(ode, arenstorf_orbit_closes)
{
    double y[4], exact[4];
    RgOdeDef def = {.n = 4, .rhs = arenstorf_rhs, .rtol = 1e-13, .atol = 1e-13};
    OdeRun run = ode_run_begin(&def);
    memcpy(y, arenstorf_start, sizeof y);
    memcpy(exact, arenstorf_start, sizeof exact);
    cr_assert_eq(ode_run_to(&run, y, ARENSTORF_PERIOD), RG_OK);
    CHECK_NEAR_ALL(run.ode.y, exact, 2, 1e-9, "");
    ode_run_end(&run);
}

Test(ode, a_rotation_in_charts_restarted_every_step_stays_exact)
{
    /*
     * Symmetric top: in body axes w = (a cos nt, a sin nt, b), so R = exp(t (a, 0, b + n)) exp(-t (0, 0, n)).
     * Unknown: u in R = R0 exp(u),
     * and w itself, which the restart hands back unchanged.
     */
    double y[6] = {0.0, 0.0, 0.0, TOP_A, 0.0, TOP_B}, t_end = 20.0;
    RgOdeDef def = {.n = 6, .rhs = top_rhs, .rtol = 1e-13, .atol = 1e-13};
    OdeRun run = ode_run_begin(&def);
    RgQuat q = q_identity();
    cr_assert_eq(rg_ode_start(&run.ode, 0.0, y, 0.0), RG_OK);
    while (run.ode.t < t_end) {
        cr_assert_eq(rg_ode_step(&run.ode, t_end), RG_OK);
        memcpy(y, run.ode.y, sizeof y);
        q = q_rotate(q, v3(y[0], y[1], y[2]));
        y[0] = y[1] = y[2] = 0.0;
        cr_assert_eq(rg_ode_restart(&run.ode, run.ode.t, y), RG_OK);
    }
    RgQuat exact = q_mul(q_exp(v3(t_end * TOP_A, 0.0, t_end * (TOP_B + TOP_N))), q_exp(v3(0.0, 0.0, -t_end * TOP_N)));
    double error = v3_norm(q_log(q_mul(q_conjugate(exact), q)));
    CHECK_NEAR(error, 0.0, 5e-12, "rad");
    cr_expect_eq(run.ode.counts.evaluations, 12 * (run.ode.counts.accepted) + 11 * run.ode.counts.rejected + 1);
    ode_run_end(&run);
}

Test(ode, restarting_with_nothing_changed_changes_nothing)
{
    double start[4];
    RgOdeDef def = {.n = 4, .rhs = kepler_rhs, .rtol = 1e-10, .atol = 1e-10};
    OdeRun plain = ode_run_begin(&def), restarted = ode_run_begin(&def);
    kepler_state(0.4, 0.0, start);
    cr_assert_eq(ode_run_to(&plain, start, 10.0), RG_OK);
    cr_assert_eq(rg_ode_start(&restarted.ode, 0.0, start, 0.0), RG_OK);
    while (restarted.ode.t < 10.0) {
        cr_assert_eq(rg_ode_step(&restarted.ode, 10.0), RG_OK);
        cr_assert_eq(rg_ode_restart(&restarted.ode, restarted.ode.t, restarted.ode.y), RG_OK);
    }
    cr_expect_arr_eq(plain.ode.y, restarted.ode.y, 4 * sizeof(double));
    cr_expect_eq(plain.ode.counts.evaluations, restarted.ode.counts.evaluations);
    ode_run_end(&plain);
    ode_run_end(&restarted);
}

Test(ode, integrating_back_returns_to_the_start)
{
    double start[4], y[4];
    RgOdeDef def = {.n = 4, .rhs = kepler_rhs, .rtol = 1e-12, .atol = 1e-12};
    OdeRun run = ode_run_begin(&def);
    kepler_state(0.5, 0.0, start);
    cr_assert_eq(ode_run_to(&run, start, 7.0), RG_OK);
    memcpy(y, run.ode.y, sizeof y);
    cr_assert_eq(rg_ode_start(&run.ode, 7.0, y, 0.0), RG_OK);
    while (run.ode.t > 0.0) {
        cr_assert_eq(rg_ode_step(&run.ode, 0.0), RG_OK);
        cr_assert_eq(rg_ode_dense(&run.ode, 0.5 * (run.ode.t + run.ode.t_old), y), RG_OK);
        double exact[4];
        kepler_state(0.5, 0.5 * (run.ode.t + run.ode.t_old), exact);
        CHECK_NEAR_ALL(y, exact, 4, 1e-8, "m");
    }
    cr_expect_eq(run.ode.t, 0.0);
    CHECK_NEAR_ALL(run.ode.y, start, 4, 1e-9, "m");
    ode_run_end(&run);
}

Test(ode, stops_do_not_make_later_steps_shorter)
{
    /* Ends exactly on each stop; after a stop very near, the next step is as long as ever. */
    double y[2] = {1.0, 0.0};
    RgOdeDef def = {.n = 2, .rhs = oscillator_rhs, .rtol = 1e-10, .atol = 1e-10};
    OdeRun run = ode_run_begin(&def);
    cr_assert_eq(rg_ode_start(&run.ode, 0.0, y, 0.0), RG_OK);
    for (int i = 0; i < 5; i++)
        cr_assert_eq(rg_ode_step(&run.ode, 100.0), RG_OK);
    double h = run.ode.h, stop = run.ode.t + 1e-6 * h;
    cr_assert_eq(rg_ode_step(&run.ode, stop), RG_OK);
    cr_expect_eq(run.ode.t, stop);
    cr_expect_geq(run.ode.h, h);
    cr_assert_eq(rg_ode_step(&run.ode, stop), RG_OK, "nothing to do");
    cr_expect_eq(run.ode.t, stop);
    ode_run_end(&run);
}

Test(ode, a_hundred_thousand_steps_lose_no_more_than_one)
{
    /* y = t / 10 with steps of 1 ms; plain sums are off by 1e-11. */
    double y = 0.0;
    RgOdeDef def = {.n = 1, .rhs = tenth_rhs, .rtol = 1.0, .atol = 1.0, .h_max = 1e-3};
    OdeRun run = ode_run_begin(&def);
    cr_assert_eq(ode_run_to(&run, &y, 100.0), RG_OK);
    cr_expect_geq(run.ode.counts.accepted, 99000);
    CHECK_NEAR(run.ode.y[0], 10.0, 1e-14, "");
    ode_run_end(&run);
}
