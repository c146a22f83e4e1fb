/*
 * cone_saxce.c - Coulomb's law as a chain of convex problems (De Saxce and Feng 1998): the normal of a contact that slides sees
 * its velocity raised by mu |w_t|. With the shift of the last answer the problem is convex (cone_convex.h); its answer gives
 * the next shift. The chain is accelerated (Anderson 1965). Friction that shares no circular cone keeps the radius that the
 * last answer's normal gave it.
 */
#include "solver/cone/cone_state.h"
#include "solver/cone_projection.h"

#include <string.h>

#define CONVEX_STEPS 50

/* De Saxce: the normal of a contact that slides sees its velocity raised by mu |w_t|. Other friction keeps its radius. */
static void freeze(RgCone *c)
{
    RgProblem *p = c->rows.p;
    for (int32_t k = 0; k < c->rows.ngroups; k++) {
        const RgConeGroup *g = &c->rows.group[k];
        bool round = cone_is_round(p, g);
        for (int32_t i = g->first; i < g->first + g->rows; i++) {
            c->convex.shift[i] = 0.0;
            double d[2] = {p->z[i], 0.0}, turn, n = p->normal[i] >= 0 ? p->z[p->normal[i]] : 0.0;
            c->convex.radius[i] = p->high[i] * n;
            if (!p->cone[i] || p->high[i] == p->high[i + 1])
                continue;
            d[1] = p->z[i + 1];
            double size = sqrt(d[0] * d[0] + d[1] * d[1]);
            d[0] = size > 0.0 ? d[0] / size : 1.0;
            d[1] = size > 0.0 ? d[1] / size : 0.0;
            c->convex.radius[i] = n * ellipse_radius(p->high[i], p->high[i + 1], d, &turn);
        }
        if (!round || c->associated)
            continue;
        double w[2];
        for (int j = 0; j < 2; j++) {
            int32_t i = g->first + 1 + j;
            w[j] = cone_times(g, i, p->s) + p->compliance[i] * p->z[i] - p->target[i];
        }
        c->convex.shift[g->first] = p->high[g->first + 1] * sqrt(w[0] * w[0] + w[1] * w[1]);
    }
}

/* Shifts of the last answer become those that its chain would lead to. */
static void accelerate(RgCone *c)
{
    double *shift = c->spare_shift;
    for (int32_t k = 0; k < c->rows.ngroups; k++)
        shift[k] = c->convex.shift[c->rows.group[k].first];
    rg_anderson_next(&c->chain, 0.0, shift);
    for (int32_t k = 0; k < c->rows.ngroups; k++)
        c->convex.shift[c->rows.group[k].first] = shift[k];
}

/* Memory, once; false: none. */
static bool take(RgCone *c)
{
    RgArena *arena = c->rows.arena;
    if (c->spare_shift != NULL)
        return true;
    c->convex.rows = &c->rows;
    double *shift = RG_TAKE_RAW(arena, double, c->rows.ngroups);
    if (!rg_anderson_take(arena, &c->chain, c->rows.ngroups) || !rg_convex_take(arena, &c->convex) ||
        arena->failed)
        return false;
    c->spare_shift = shift;
    return true;
}

bool rg_cone_saxce(void *context, double a, int *steps)
{
    RgCone *c = context;
    *steps = 0;
    if (!take(c))
        return false;
    rg_cone_rows_refresh(&c->rows);
    freeze(c);
    if (!c->associated)
        accelerate(c);
    memcpy(c->convex.centre, c->rows.p->z, (size_t)c->rows.p->n * sizeof *c->centre);
    c->convex.a = a;
    bool well = rg_convex_solve(&c->convex, CONVEX_STEPS);
    *steps = c->convex.iterations;
    return well;
}
