/* problem_fixture.h - random problems of rows, and what a dense method makes of them. */
#ifndef TEST_UNIT_PROBLEM_FIXTURE_H
#define TEST_UNIT_PROBLEM_FIXTURE_H

#include "check_near.h"
#include "draw.h"
#include "solver/pgs/pgs.h"

#include <stdlib.h>
#include <string.h>

#define PROBLEM_ROWS 2048
#define PROBLEM_UNKNOWNS 768
#define PROBLEM_ENTRIES (PROBLEM_ROWS * 12)

typedef struct ProblemCase {
    RgProblem p;
    int block[PROBLEM_UNKNOWNS / 6], start[PROBLEM_ROWS + 1], columns[PROBLEM_ENTRIES], normal[PROBLEM_ROWS];
    double values[PROBLEM_ENTRIES], target[PROBLEM_ROWS], compliance[PROBLEM_ROWS], low[PROBLEM_ROWS];
    double high[PROBLEM_ROWS], z[PROBLEM_ROWS], s[PROBLEM_UNKNOWNS], s_free[PROBLEM_UNKNOWNS];
    uint8_t row_class[PROBLEM_ROWS];
    bool cone[PROBLEM_ROWS], damper[PROBLEM_ROWS];
    RgRowPatch patches[PROBLEM_UNKNOWNS / 6];
} ProblemCase;

static inline ProblemCase *problem_begin(int bodies, Draw *d)
{
    ProblemCase *c = calloc(1, sizeof *c);
    cr_assert(c != NULL && 6 * bodies <= PROBLEM_UNKNOWNS);
    c->p = (RgProblem){.nu = 6 * bodies,
                       .nblocks = bodies,
                       .block = c->block,
                       .start = c->start,
                       .columns = c->columns,
                       .values = c->values,
                       .target = c->target,
                       .compliance = c->compliance,
                       .low = c->low,
                       .high = c->high,
                       .normal = c->normal,
                       .row_class = c->row_class,
                       .cone = c->cone,
                       .damper = c->damper,
                       .patches = c->patches,
                       .z = c->z,
                       .s = c->s};
    for (int b = 0; b < bodies; b++)
        c->block[b] = 6 * b;
    for (int k = 0; k < 6 * bodies; k++)
        c->s_free[k] = c->s[k] = draw_between(d, -1.0, 1.0);
    return c;
}

/* A row on bodies a and b (b < 0: on a alone) with random coefficients. Returns its number. */
static inline int problem_row(ProblemCase *c, Draw *d, int a, int b, RgRowClass row_class)
{
    int i = c->p.n++, at = c->start[i], first = b >= 0 && b < a ? b : a, second = b < 0 ? -1 : first == a ? b : a;
    cr_assert(i < PROBLEM_ROWS);
    for (int k = 0; k < 6; k++) {
        c->columns[at] = 6 * first + k;
        c->values[at++] = draw_between(d, -1.0, 1.0);
    }
    for (int k = 0; k < 6 && second >= 0; k++) {
        c->columns[at] = 6 * second + k;
        c->values[at++] = draw_between(d, -1.0, 1.0);
    }
    c->start[i + 1] = at;
    c->row_class[i] = (uint8_t)row_class;
    c->normal[i] = -1;
    c->low[i] = row_class == RG_ROW_NORMAL ? 0.0 : -INFINITY;
    c->high[i] = INFINITY;
    c->target[i] = draw_between(d, -0.3, 0.3);
    return i;
}

/* A contact point with two tangents. */
static inline void problem_point(ProblemCase *c, Draw *d, int a, int b, double mu, bool cone)
{
    int n = problem_row(c, d, a, b, RG_ROW_NORMAL);
    for (int k = 0; k < 2; k++) {
        int i = problem_row(c, d, a, b, RG_ROW_FRICTION);
        c->normal[i] = n;
        c->high[i] = mu;
        c->target[i] = 0.0;
    }
    c->cone[n + 1] = cone;
}

/* Points of a plane, whose rows are sums of six random ones. */
static inline void problem_patch(ProblemCase *c, Draw *d, int a, int b, int points)
{
    RgRowPatch *to = &c->patches[c->p.npatches++];
    cr_assert(c->p.npatches <= PROBLEM_UNKNOWNS / 6);
    *to = (RgRowPatch){.first = c->p.n, .points = points};
    for (int k = 0; k < 72; k++)
        to->base[k / 12][k % 12] = draw_between(d, -1.0, 1.0);
    for (int i = 0; i < points; i++) {
        int row = c->p.n;
        problem_point(c, d, a, b, 0.4, true);
        double x = to->place[i][0] = draw_between(d, -1.0, 1.0), y = to->place[i][1] = draw_between(d, -1.0, 1.0);
        for (int e = 0; e < c->start[row + 1] - c->start[row]; e++) {
            c->values[c->start[row] + e] = to->base[0][e] + y * to->base[1][e] - x * to->base[2][e];
            c->values[c->start[row + 1] + e] = to->base[3][e] - y * to->base[5][e];
            c->values[c->start[row + 2] + e] = to->base[4][e] + x * to->base[5][e];
        }
    }
}

/* Joints along a chain, limits, and contact points between neighbours and with the ground. */
static inline ProblemCase *problem_random(uint64_t seed, int bodies, bool cone)
{
    Draw d = draw_seed(seed);
    ProblemCase *c = problem_begin(bodies, &d);
    for (int b = 1; b < bodies; b += 2)
        for (int k = 0; k < 2; k++)
            c->compliance[problem_row(c, &d, b - 1, b, RG_ROW_BILATERAL)] = 0.05;
    for (int b = 0; b < bodies; b += 3) {
        int i = problem_row(c, &d, b, -1, RG_ROW_BOUNDED);
        c->low[i] = -0.2;
        c->high[i] = draw_chance(&d, 0.5) ? 0.3 : INFINITY;
    }
    for (int b = 0; b < bodies; b++) {
        int points = 1 + draw_below(&d, 2);
        for (int k = 0; k < points; k++)
            problem_point(c, &d, b, b + 1 < bodies && draw_chance(&d, 0.6) ? b + 1 : -1, 0.4, cone);
    }
    return c;
}

/* A unit mass meets a plane at 1 m/s, sliding along (0.6, 0.8). */
static inline ProblemCase *problem_sliding_point(double mu, double slide)
{
    Draw d = draw_seed(1);
    ProblemCase *c = problem_begin(1, &d);
    problem_point(c, &d, 0, -1, mu, true);
    for (int k = 0; k < 18; k++)
        c->values[k] = k % 7 == 0 ? 1.0 : 0.0;
    c->target[0] = 0.0;
    memset(c->s_free, 0, sizeof c->s_free);
    c->s_free[0] = -1.0;
    c->s_free[1] = 0.6 * slide;
    c->s_free[2] = 0.8 * slide;
    return c;
}

static inline void problem_reset(ProblemCase *c)
{
    memcpy(c->s, c->s_free, sizeof c->s);
    memset(c->z, 0, sizeof c->z);
    c->p.draws = 0;
}

/* s - s_free - J'z, largest: round-off. */
static inline double problem_mismatch(const ProblemCase *c)
{
    double x[PROBLEM_UNKNOWNS], largest = 0.0;
    memcpy(x, c->s_free, sizeof x);
    for (int i = 0; i < c->p.n; i++)
        rg_problem_apply_impulse(&c->p, i, c->z[i], x);
    for (int k = 0; k < c->p.nu; k++)
        largest = fmax(largest, fabs(x[k] - c->s[k]));
    return largest;
}

static inline RgSolveReport problem_solve(ProblemCase *c, const RgPgsOptions *o)
{
    RgArena arena;
    RgSolveReport report;
    rg_arena_init(&arena, NULL);
    cr_assert(rg_pgs_solve(&arena, &c->p, o, &report) == RG_OK);
    rg_arena_free(&arena);
    return report;
}

#endif
