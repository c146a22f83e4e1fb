/*
 * cone_associated.c - solver `cone-convex`: the associated law,
 *
 *   z in K,  w in K*,  perpendicular       K: cones of contacts and intervals of other rows
 *
 * in which w, not w + mu |w_t| e_n, is perpendicular to z. The problem is then convex: what slides at v floats up by h mu v in
 * a step (Anitescu 2006). Solved by the proximal method alone (cone_convex.h): problem after problem, each round the last
 * answer, with less and less weight a on its being near. Judged by its own natural map,
 *
 *   A |z - P(z - w / A)|          P: nearest point of K
 *
 * Where contacts slide z is a small difference of numbers of the size w / (a A), so that a small a costs digits: where an
 * answer is no better than the last, a becomes larger again and stays so. Friction that shares no circular cone has the
 * radius that the last answer's normal gave it.
 */
#include "solver/cone/cone_state.h"
#include "solver/cone_projection.h"

#include <string.h>

#define A_FIRST 1e-3
#define A_LEAST 1e-9
#define A_DOWN 0.03

/* Problems within which what is missed must be halved. */
#define STALL 12

/* A contact: normal and tangents, from i on. */
static double contact_misses(const RgCone *c, int32_t i)
{
    const RgProblem *p = c->rows.p;
    double A = fmax(c->rows.response[i], c->rows.response[i + 1]), mu = p->high[i + 1], x[3], sum = 0.0;
    if (!(A > 0.0))
        return 0.0;
    for (int k = 0; k < 3; k++)
        x[k] = p->z[i + k] - c->w[i + k] / A;
    cone_project(mu, x);
    for (int k = 0; k < 3; k++)
        sum += (p->z[i + k] - x[k]) * (p->z[i + k] - x[k]);
    return A * sqrt(sum);
}

/* One row, or two with bounds that the present normal gives them. */
static double rows_miss(const RgCone *c, int32_t i)
{
    const RgProblem *p = c->rows.p;
    double A = c->rows.response[i], n = row_normal(p, i);
    if (!(A > 0.0))
        return 0.0;
    double x = p->z[i] - c->w[i] / A;
    if (p->cone[i]) {
        double y = p->z[i + 1] - c->w[i + 1] / A;
        pair_project(p, i, n, &x, &y);
        x -= p->z[i];
        y -= p->z[i + 1];
        return A * sqrt(x * x + y * y);
    }
    return A * fabs(p->z[i] - row_project(p, i, n, x));
}

/* Into the bounds that the present normals give. */
static void bring_in(RgCone *c)
{
    for (int32_t k = 0; k < c->rows.ngroups; k++)
        rg_cone_bring_in(c->rows.p, &c->rows.group[k], c->edge);
}

/* What the law is missed by, m/s, at the velocities that belong to z. */
static double judge(RgCone *c)
{
    const RgProblem *p = c->rows.p;
    double most = 0.0;
    rg_cone_rows_refresh(&c->rows);
    for (int32_t k = 0; k < c->rows.ngroups; k++) {
        const RgConeGroup *g = &c->rows.group[k];
        int32_t i = g->first, end = g->first + g->rows;
        for (int32_t j = i; j < end; j++)
            c->w[j] = cone_times(g, j, p->s) + p->compliance[j] * p->z[j] - p->target[j];
        if (cone_is_round(p, g)) {
            most = fmax(most, contact_misses(c, i));
            i += 3;
        }
        for (; i < end; i += p->cone[i] ? 2 : 1)
            most = fmax(most, rows_miss(c, i));
    }
    return most;
}

/* The same at z = 0. */
static double without_impulses(RgCone *c)
{
    size_t bytes = (size_t)c->rows.p->n * sizeof *c->best;
    memcpy(c->best, c->rows.p->z, bytes);
    memset(c->rows.p->z, 0, bytes);
    double found = judge(c);
    memcpy(c->rows.p->z, c->best, bytes);
    return found;
}

void rg_cone_associated_solve(RgCone *c, const RgExactOptions *o, int most, RgSolveReport *report)
{
    RgProblem *p = c->rows.p;
    size_t bytes = (size_t)p->n * sizeof *p->z;
    double a = A_FIRST, least = A_LEAST;
    bring_in(c);
    double enough = o->tolerance * fmax(c->size, without_impulses(c)) + c->round;
    double best = judge(c), mark = best;
    memcpy(c->best, p->z, bytes);
    for (int stall = 0; !(best <= enough) && stall < STALL && report->iterations < most;) {
        int steps = 0;
        bool well = rg_cone_newton_take(c) && rg_cone_saxce(c, a, &steps);
        bring_in(c);
        double now = judge(c);
        bool better = well && now < best;
        report->iterations += steps + 1;
        if (now < best) {
            best = now;
            memcpy(c->best, p->z, bytes);
        }
        stall = best < 0.5 * mark ? 0 : stall + 1;
        mark = stall == 0 ? best : mark;
        if (!better) {
            least = fmin(A_FIRST, a / A_DOWN);
            memcpy(p->z, c->best, bytes);
        }
        a = better ? fmax(least, A_DOWN * a) : fmin(1.0, a / A_DOWN);
    }
    report->converged = best <= enough;
    memcpy(p->z, c->best, bytes);
    rg_cone_rows_refresh(&c->rows);
}
