/*
 * test_residual.c - the judge: zero exactly where the laws hold, and the size of what is wrong where they do
 * not.
 *
 * One unit mass against a wall: row J = 1, s = s* + z.
 */
#include "problem_fixture.h"

/* One row of length 1 on one body. */
static ProblemCase *single(RgRowClass row_class, double target)
{
    Draw d = draw_seed(1);
    ProblemCase *c = problem_begin(1, &d);
    problem_row(c, &d, 0, -1, row_class);
    for (int k = 0; k < 6; k++)
        c->values[k] = k == 0 ? 1.0 : 0.0;
    c->target[0] = target;
    return c;
}

static RgResidual judge(ProblemCase *c, double s, double z)
{
    c->s[0] = s;
    c->z[0] = z;
    return rg_problem_residual(&c->p, NULL, NULL);
}

Test(residual, of_one_normal)
{
    ProblemCase *c = single(RG_ROW_NORMAL, 0.5);
    CHECK_NEAR(judge(c, 0.5, 2.0).velocity, 0.0, 1e-15, "m/s"); /* pushes and rests */
    CHECK_NEAR(judge(c, 0.7, 0.0).velocity, 0.0, 1e-15, "m/s"); /* leaves, no push */
    CHECK_NEAR(judge(c, 0.2, 0.0).velocity, 0.3, 1e-15, "m/s"); /* comes too near */
    CHECK_NEAR(judge(c, 0.7, 2.0).impulse, 0.2, 1e-15, "N s");  /* pushes and leaves */
    CHECK_NEAR(judge(c, 0.7, 0.1).impulse, 0.1, 1e-15, "N s");  /* the whole push is too much */
    CHECK_NEAR(judge(c, 0.5, -0.1).impulse, 0.1, 1e-15, "N s"); /* pulls */
    free(c);
}

Test(residual, of_bounds)
{
    ProblemCase *c = single(RG_ROW_BOUNDED, 0.0);
    c->low[0] = -1.0;
    c->high[0] = 2.0;
    CHECK_NEAR(judge(c, 0.3, -1.0).velocity, 0.0, 1e-15, "m/s");
    CHECK_NEAR(judge(c, -0.3, 2.0).velocity, 0.0, 1e-15, "m/s");
    CHECK_NEAR(judge(c, -0.3, -1.0).velocity, 0.3, 1e-15, "m/s");
    CHECK_NEAR(judge(c, 0.3, 1.0).velocity, 0.3, 1e-15, "m/s");
    free(c);
}

/* Two tangents with unit response: sliding against the slip is right, along any other direction it is not. */
Test(residual, of_a_cone)
{
    Draw d = draw_seed(1);
    ProblemCase *c = problem_begin(1, &d);
    problem_point(c, &d, 0, -1, 0.5, true);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 6; k++)
            c->values[6 * i + k] = i == k ? 1.0 : 0.0;
    c->target[0] = 0.0;
    memset(c->s, 0, sizeof c->s);
    c->z[0] = 2.0;
    double slip[2] = {0.6, 0.8};
    for (int k = 0; k < 2; k++) {
        c->s[1 + k] = 0.1 * slip[k];
        c->z[1 + k] = -slip[k];
    }
    CHECK_NEAR(rg_problem_residual(&c->p, NULL, NULL).velocity, 0.0, 1e-15, "m/s");
    c->z[1] = -0.8;
    c->z[2] = -0.6;
    cr_expect(rg_problem_residual(&c->p, NULL, NULL).velocity > 0.01);
    c->s[1] = c->s[2] = 0.0;
    CHECK_NEAR(rg_problem_residual(&c->p, NULL, NULL).velocity, 0.0, 1e-15, "m/s"); /* sticks */
    c->z[1] = -1.2;
    c->z[2] = -0.9;
    CHECK_NEAR(rg_problem_residual(&c->p, NULL, NULL).impulse, 0.4, 1e-14,
               "N s"); /* 0.5 too long, of it 0.4 along the first */
    free(c);
}

Test(residual, of_nothing)
{
    Draw d = draw_seed(1);
    ProblemCase *c = problem_begin(1, &d);
    RgResidual r = rg_problem_residual(&c->p, NULL, NULL);
    cr_expect(r.worst == -1 && r.velocity == 0.0 && r.impulse == 0.0 && r.mean == 0.0);
    free(c);
}
