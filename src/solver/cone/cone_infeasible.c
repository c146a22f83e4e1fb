/*
 * cone_infeasible.c - proof that rows have no solution.
 *
 * At a solution w . (z' - z) >= 0 for all z' in K. Let d be a recession direction of K: z + t d stays in K for all t >=
 * 0. Then
 *
 *   0 <= d . w = s . J'd + d . C z - target . d
 *
 * With d . C = 0 every solution has |s| >= target . d / |J'd|. Where there is no solution, steps of the proximal method
 * tend to such a d with J'd = 0 and target . d > 0 (the least displacement; Bauschke and Moursi 2017). The proof is
 * taken where it asks for velocities SPEED times as large as all that the problem has.
 *
 * Recession directions: cones of contacts themselves; intervals along the sides on which they have no bound; nothing
 * else. Coulomb's law asks w_n >= 0 of normals but not w in K*: for it, directions without friction are taken, and
 * normals that contradict each other are proven, not friction that does (consistency.c).
 */
#include "solver/cone/cone_state.h"
#include "solver/cone_projection.h"

#include <string.h>

/* Times the velocities of the problem; less could be large but finite velocities of a problem that has a solution. */
#define SPEED 1e6

/* The nearest recession direction: of a row alone. */
static double recede(const RgProblem *p, int32_t i, double d)
{
    if (p->row_class[i] == RG_ROW_FRICTION || p->compliance[i] > 0.0)
        return 0.0;
    bool free_side = d > 0.0 ? isinf(p->high[i]) : isinf(p->low[i]);
    return free_side ? d : 0.0;
}

static void recede_group(const RgProblem *p, const RgConeGroup *g, bool associated, double *d)
{
    int32_t i = g->first, end = g->first + g->rows;
    if (associated && cone_is_round(p, g)) {
        bool soft = p->compliance[i] > 0.0 || p->compliance[i + 1] > 0.0 || p->compliance[i + 2] > 0.0;
        if (soft)
            memset(d + i, 0, 3 * sizeof *d);
        else
            cone_project(p->high[i + 1], d + i);
        i += 3;
    }
    for (; i < end; i++)
        d[i] = recede(p, i, d[i]);
}

bool rg_cone_infeasible(RgCone *c, const double *from)
{
    const RgProblem *p = c->rows.p;
    double *d = c->change, *Jd = p->s, work = 0.0, kick = 0.0, speed = c->size * c->size;
    for (int32_t k = 0; k < p->nu; k++)
        speed += p->s[k] * p->s[k] + c->rows.s_free[k] * c->rows.s_free[k];
    for (int32_t i = 0; i < p->n; i++)
        d[i] = p->z[i] - from[i];
    memset(Jd, 0, (size_t)p->nu * sizeof *Jd);
    for (int32_t k = 0; k < c->rows.ngroups; k++) {
        const RgConeGroup *g = &c->rows.group[k];
        recede_group(p, g, c->associated, d);
        for (int32_t i = g->first; i < g->first + g->rows; i++) {
            cone_push(g, i, d[i], Jd);
            work += p->target[i] * d[i];
        }
    }
    for (int32_t k = 0; k < p->nu; k++)
        kick += Jd[k] * Jd[k];
    rg_cone_rows_refresh(&c->rows);
    return work > SPEED * sqrt(speed) * sqrt(kick);
}
