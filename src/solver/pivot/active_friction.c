/*
 * active_friction.c - friction of contacts that are active, for laws in which it is not bounded by the normal impulse:
 *
 *   open     z_t = 0
 *   active   low <= z_t <= high, w_t complementary to it (no-slip: w_t = 0; viscous: z_t given)
 *
 * Without the distinction a gap that stays open, whose row is in the problem because it is near, would have friction.
 * Rounds, each a complementarity problem by principal pivoting (dantzig.h) with the set of active contacts fixed:
 *
 *   first    no contact is active: the frictionless problem
 *   then     an open contact that carries a load (or closes) becomes active, an active one that does not becomes open
 *   until    no contact changes
 *
 * A contact without normal impulse whose friction impulses are 0 anyway changes nothing and stays as it is. There may
 * be no such set (friction that lifts its own contact off), so that contacts alternate: after ALL_ROUNDS one contact
 * changes per round, and SINGLE_ROUNDS later contacts only become open, which ends after a round per contact at most;
 * what alternates then slides without friction. Of 1734 random problems of up to six contacts, with rows of random
 * coefficients, 367 have no such set, by trying all; in 59 of the others none is found.
 *
 * Cost: n^3 / 3 per round, mostly two rounds. Failure: that of the last round.
 */
#include "solver/pivot/active_friction.h"

#include "solver/pivot/dantzig.h"

#include <math.h>
#include <string.h>

/* Rounds in which all contacts may change, then such in which the first one does. */
#define ALL_ROUNDS 6
#define SINGLE_ROUNDS 30
/* A normal impulse is a load if it changes the velocity of its row by this part of the velocity scale. */
#define LOAD_FRACTION 1e-9
/* A gap closes if its w is below this part of the velocity scale. */
#define CLOSING_FRACTION 1e-7

typedef struct Rounds {
    RgDenseLcp *lcp; /* friction rows are bounded rows */
    const RgActiveFriction *law;
    int *normal;         /* n: normal of a friction row; -1: not a friction row */
    bool *active, *rubs; /* n: of normals: the contact is active; it has a friction impulse */
    double *diagonal;    /* n: of M */
    double scale;        /* largest velocity by which a row misses its target without impulses; open gaps miss none */
} Rounds;

static double *diagonal_of(const RgDenseLcp *lcp, int i)
{
    return &lcp->M[(size_t)i * ((size_t)lcp->n + 1)];
}

static bool rounds_begin(Rounds *r, RgArena *arena)
{
    RgDenseLcp *lcp = r->lcp;
    r->normal = RG_ARENA_ALLOC(arena, int, lcp->n);
    r->active = RG_ARENA_ALLOC(arena, bool, lcp->n);
    r->rubs = RG_ARENA_ALLOC(arena, bool, lcp->n);
    r->diagonal = RG_ARENA_ALLOC(arena, double, lcp->n);
    if (arena->failed)
        return false;
    for (int i = 0; i < lcp->n; i++) {
        r->normal[i] = lcp->normal[i];
        r->diagonal[i] = *diagonal_of(lcp, i);
        bool opens = r->normal[i] < 0 && lcp->low[i] > -INFINITY && lcp->high[i] == INFINITY && lcp->q[i] > 0.0;
        r->scale = fmax(r->scale, opens ? 0.0 : fabs(lcp->q[i]));
        lcp->normal[i] = -1;
    }
    return true;
}

/* Solves with the present active contacts; with softness after a failure that friction rows may cause. */
static RgStatus solve_round(const Rounds *r, RgArena *arena, RgDantzigReport *report)
{
    RgDenseLcp *lcp = r->lcp;
    bool any = false;
    for (int i = 0; i < lcp->n; i++) {
        if (r->normal[i] < 0)
            continue;
        bool active = r->active[r->normal[i]];
        lcp->low[i] = active ? r->law->low[i] : 0.0;
        lcp->high[i] = active ? r->law->high[i] : 0.0;
        any = any || active;
    }
    RgStatus status = rg_dantzig_solve(arena, lcp, r->law->options, report);
    RgDantzigReport first = *report;
    if (status != RG_OK || !any || r->law->softness == 0.0 || first.outcome == RG_SOLVE_SOLVED ||
        first.outcome == RG_SOLVE_SINGULAR)
        return status;
    for (int i = 0; i < lcp->n; i++)
        if (r->normal[i] >= 0)
            *diagonal_of(lcp, i) += r->law->softness * r->diagonal[i];
    memset(lcp->z, 0, (size_t)lcp->n * sizeof *lcp->z);
    status = rg_dantzig_solve(arena, lcp, r->law->options, report);
    for (int i = 0; i < lcp->n; i++)
        *diagonal_of(lcp, i) = r->diagonal[i];
    report->outcome = first.outcome;
    report->pivots += first.pivots;
    return status;
}

static bool is_active(const Rounds *r, int normal)
{
    const RgDenseLcp *lcp = r->lcp;
    bool loaded = lcp->z[normal] * r->diagonal[normal] > LOAD_FRACTION * r->scale;
    return loaded || (!r->law->loaded && lcp->w[normal] < CLOSING_FRACTION * r->scale);
}

/* Changes contacts after round number `round`. False: none changes. */
static bool choose_active(Rounds *r, int round)
{
    bool changed = false, may_add = round < ALL_ROUNDS + SINGLE_ROUNDS;
    memset(r->rubs, 0, (size_t)r->lcp->n * sizeof *r->rubs);
    for (int i = 0; i < r->lcp->n; i++)
        if (r->normal[i] >= 0 && r->lcp->z[i] != 0.0)
            r->rubs[r->normal[i]] = true;
    for (int i = 0; i < r->lcp->n; i++) {
        bool first = r->normal[i] >= 0 && r->normal[i - 1] < 0;
        if (!first)
            continue;
        int normal = r->normal[i];
        bool active = is_active(r, normal), was = r->active[normal];
        bool change = was ? !active && r->rubs[normal] : active && may_add;
        r->active[normal] = was != change;
        changed = changed || change;
        if (change && may_add && round >= ALL_ROUNDS)
            break;
    }
    return changed;
}

RgStatus rg_pivot_active_friction(RgArena *arena, RgDenseLcp *lcp, RgProblem *p, const int *rows,
                                  const RgActiveFriction *law, RgIslandReport *report)
{
    Rounds r = {.lcp = lcp, .law = law};
    RgDantzigReport dantzig;
    int pivots = 0, rounds = 0;
    if (!rounds_begin(&r, arena))
        return RG_ERR_MEMORY;
    do {
        RgArenaMark mark = rg_arena_mark(arena);
        RgStatus status = solve_round(&r, arena, &dantzig);
        rg_arena_rewind(arena, mark);
        if (status != RG_OK)
            return status;
        pivots += dantzig.pivots;
    } while (dantzig.outcome != RG_SOLVE_SINGULAR && choose_active(&r, rounds++));
    for (int i = 0; i < lcp->n; i++)
        p->z[rows == NULL ? i : rows[i]] = lcp->z[i];
    *report = (RgIslandReport){dantzig.outcome, pivots, dantzig.residual.natural};
    return RG_OK;
}
