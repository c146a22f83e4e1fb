/*
 * test_ode_twin.c - the reference integrator against another program of the same method: scipy's solve_ivp
 * with
 * DOP853, as the system's Python has it. Same problem, tolerance and first step: the same steps, and end
 * values alike
 * to far less than their error.
 */
#define _POSIX_C_SOURCE 200809L

#include "check_near.h"
#include "ode_problems.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PYTHON "/usr/bin/python3"

static const char script[] =
    PYTHON " - 2>/dev/null <<'EOF'\n"
           "import numpy as np\n"
           "from scipy.integrate import solve_ivp\n"
           "def arenstorf(t, y):\n"
           "    m = 0.012277471; e = 1 - m\n"
           "    d1 = ((y[0] + m)**2 + y[1]**2)**1.5; d2 = ((y[0] - e)**2 + y[1]**2)**1.5\n"
           "    return [y[2], y[3], y[0] + 2*y[3] - e*(y[0] + m)/d1 - m*(y[0] - e)/d2,\n"
           "            y[1] - 2*y[2] - e*y[1]/d1 - m*y[1]/d2]\n"
           "def pendulum(t, y): return [y[1], -np.sin(y[0])]\n"
           "for f, y, t, h in ((arenstorf, [0.994, 0, 0, -2.00158510637908252240537862224], 10.0, 1e-3),\n"
           "                   (pendulum, [2.0, 0.5], 30.0, 0.2)):\n"
           "    for tol in (1e-6, 1e-9, 1e-12):\n"
           "        s = solve_ivp(f, (0, t), y, method='DOP853', rtol=tol, atol=tol, first_step=h)\n"
           "        print(len(s.t) - 1, *('%.17g' % x for x in s.y[:, -1]))\n"
           "EOF\n";

/* The problems of the script. */
static const struct {
    int n;
    RgStatus (*rhs)(double t, const double *y, double *dydt, void *context);
    double y[4], t_end, h;
} problems[] = {
    {4, arenstorf_rhs, {0.994, 0.0, 0.0, -2.00158510637908252240537862224}, 10.0, 1e-3},
    {2, pendulum_rhs, {2.0, 0.5}, 30.0, 0.2},
};

/* One line of scipy's answer against our run. */
static void compare_run(FILE *answer, int problem, double tolerance)
{
    long steps = 0;
    double end[4] = {0}, t_end = problems[problem].t_end;
    RgOdeDef def = {.n = problems[problem].n, .rhs = problems[problem].rhs, .rtol = tolerance, .atol = tolerance};
    cr_assert_eq(fscanf(answer, "%ld", &steps), 1);
    for (int i = 0; i < def.n; i++)
        cr_assert_eq(fscanf(answer, "%lf", &end[i]), 1);
    OdeRun run = ode_run_begin(&def);
    cr_assert_eq(rg_ode_start(&run.ode, 0.0, problems[problem].y, problems[problem].h), RG_OK);
    while (run.ode.t < t_end)
        cr_assert_eq(rg_ode_step(&run.ode, t_end), RG_OK);
    cr_expect_eq(run.ode.counts.accepted, steps, "problem %d, tolerance %g: %ld steps, scipy %ld", problem, tolerance,
                 (long)run.ode.counts.accepted, steps);
    CHECK_NEAR_ALL(run.ode.y, end, def.n, 1e-9, "");
    ode_run_end(&run);
}

Test(ode_twin, steps_and_end_values_are_those_of_scipy)
{
    if (access(PYTHON, X_OK) != 0 || system(PYTHON " -c 'import scipy.integrate' 2>/dev/null") != 0)
        cr_skip_test("%s with scipy is not there", PYTHON);
    FILE *answer = popen(script, "r");
    cr_assert_not_null(answer);
    for (int problem = 0; problem < 2; problem++)
        for (int i = 0; i < 3; i++)
            compare_run(answer, problem, pow(10.0, -6.0 - 3.0 * i));
    pclose(answer);
}
