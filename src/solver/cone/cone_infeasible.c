/*
 * cone_infeasible.c - proof that a problem of rows has no solution.
 *
 * At a solution w . (z' - z) >= 0 for all z' in K. Let d be a recession direction of K: z + t d stays in K for all t >=
 * 0. Then
 *
 *   0 <= d . w = s . J'd + d . C z - target . d
 *
 * With d . C = 0 every solution has |s| >= target . d / |J'd|. If there is no solution, steps of the proximal method
 * tend to such a d with J'd = 0 and target . d > 0 (the least displacement; Bauschke and Moursi 2017). The proof is
 * accepted if it requires velocities SPEED_RATIO times as large as all velocities of the problem.
 *
 * Recession directions are the cones of contacts, and of intervals the sides without a bound; there are no others.
 * Coulomb's law requires w_n >= 0 of normals but not w in K*. For it, directions without friction are used:
 * contradictions between normals are proven, contradictions through friction are not (see consistency.c).
 */
#include "solver/cone/cone_state.h"
#include "solver/cone_projection.h"

#include <string.h>

/* Multiple of the velocities of the problem. A smaller one could be reached by large but finite velocities of a problem
   that has a solution. */
#define SPEED_RATIO 1e6

/* Nearest recession direction of a single row. */
static double recession_of_row(const RgProblem *p, int32_t i, double d)
{
    if (p->row_class[i] == RG_ROW_FRICTION || p->compliance[i] > 0.0)
        return 0.0;
    bool free_side = d > 0.0 ? isinf(p->high[i]) : isinf(p->low[i]);
    return free_side ? d : 0.0;
}

static void recession_of_group(const RgProblem *p, const RgConeGroup *g, bool associated, double *d)
{
    int32_t i = g->first, end = g->first + g->rows;
    if (associated && cone_is_circular(p, g)) {
        bool soft = p->compliance[i] > 0.0 || p->compliance[i + 1] > 0.0 || p->compliance[i + 2] > 0.0;
        if (soft)
            memset(d + i, 0, 3 * sizeof *d);
        else
            cone_project(p->high[i + 1], d + i);
        i += 3;
    }
    for (; i < end; i++)
        d[i] = recession_of_row(p, i, d[i]);
}

bool rg_cone_infeasible(RgCone *c, const double *from)
{
    const RgProblem *p = c->rows.p;
    double *d = c->change, *Jd = p->s, target_dot_d = 0.0, norm2_Jd = 0.0, speed2 = c->size * c->size;
    for (int32_t k = 0; k < p->nu; k++)
        speed2 += p->s[k] * p->s[k] + c->rows.s_free[k] * c->rows.s_free[k];
    for (int32_t i = 0; i < p->n; i++)
        d[i] = p->z[i] - from[i];
    memset(Jd, 0, (size_t)p->nu * sizeof *Jd);
    for (int32_t k = 0; k < c->rows.ngroups; k++) {
        const RgConeGroup *g = &c->rows.group[k];
        recession_of_group(p, g, c->associated, d);
        for (int32_t i = g->first; i < g->first + g->rows; i++) {
            cone_apply_impulse(g, i, d[i], Jd);
            target_dot_d += p->target[i] * d[i];
        }
    }
    for (int32_t k = 0; k < p->nu; k++)
        norm2_Jd += Jd[k] * Jd[k];
    rg_cone_rows_update_velocities(&c->rows);
    return target_dot_d > SPEED_RATIO * sqrt(speed2) * sqrt(norm2_Jd);
}
