/*
 * attainable_targets.c - hard targets without bounds, lexicographically below contact (paper 002, III-A and III-B).
 *
 * A drive that may use any effort asks for P v = t. Joints, loops, limits and contacts allow the velocities
 *
 *   F = { v : J v = j,  N v >= n }        (rows whose force may be as large as need be; friction and what has bounds do not count)
 *
 * Where no v of F has P v = t the mixed complementarity problem of 002 has no solution: its multipliers grow without
 * end. Then
 *
 *   stage 1   t* = P v*,   v* = argmin over F of  1/2 sum (P_i v - t_i)^2 / A_ii,     A_ii = P_i M_F^-1 P_i'
 *   stage 2   the problem as it was, with friction, and t* in place of t: some v of F meets it
 *
 * M_F^-1 is the response with joints and loops held: 1 / A_ii is the mass that joint i moves, the sum the kinetic
 * energy of the misses, each joint alone. There is no unit to be chosen between m and rad. t* is unique, as the sum is
 * strictly convex in P v.
 *
 * Stage 1 is a proximal method (Rockafellar 1976): with v_0 the velocities without impulses,
 *
 *   v_k+1 = argmin over F of  1/2 sum (P_i v - t_i)^2 / A_ii + SOFT/2 |v - v_k|^2
 *
 * which is the same rows without friction, targets softened by C = SOFT A_ii: one linear complementarity problem with a
 * semidefinite matrix, by principal pivoting (pivot/dantzig.h). The distance to the end falls by about SOFT a time;
 * MOST_SOLVES bounds it.
 *
 * Proof. The impulses d of stage 1 have d >= 0 in rows N, and J'd + P'd + N'd = v_k+1 - v_k, which tends to 0, while
 * b.d > 0, b = (t, j, n). By any v in F with P v = t, 0 <= d . (rows v - b): so |v| >= b.d / |rows' d|. At SPEED times
 * all velocities of the problem that is taken for a proof (Farkas; as in cone/cone_infeasible.c), and d names the
 * joints, limits and contacts: the share of a row is |d_i| sqrt(A_ii) over the largest.
 *
 * Stage 2. Targets that can just be met leave many impulses: a joint may press as hard as it likes against what holds
 * it. Targets get C = LEAST A_ii: to first order in LEAST that is the solution of least sum A_ii z_i^2, bounded, and t*
 * is missed by LEAST A_ii z_i.
 *
 * Suspected, so that problems without contradiction pay nothing but a pass over their targets: the solver has not come
 * to its end; or a target has given way by its softness; or an impulse is HUGE beside what the velocities of the
 * problem need.
 *
 * Friction counts in stage 2 alone. Where drives without bounds press against it, it may hold what could be met without
 * (a wedge jams). Then targets give way like springs, C = GIVING A_ii, and what they come to is asked for in place of
 * t*.
 *
 * Failure: an island of more than MOST_ROWS rows is left as it is; so is one where F itself is empty. Cost: n^3 / 3 a
 * pivoting, n rows of stage 1.
 */
#include "solver/attainable_targets.h"

#include "solver/pivot/dantzig.h"
#include "solver/row_islands.h"

#include <math.h>
#include <string.h>

#define SOFT 1e-5
#define LEAST 1e-7
#define GIVING 1e-2
#define LEAST_RESPONSE 1e-6 /* of that of the target alone */
#define MOST_SOLVES 12
#define MOST_ROWS 1500
#define STAYS 1e-10      /* of the speeds: v_k+1 - v_k below it is round-off */
#define MISSED 1e-7      /* of the speeds: a target farther than that from t* cannot be met */
#define SPEED 1e6        /* as in cone_infeasible.c */
#define NAMED 1e-3       /* smallest share of a row that is named */
#define JAMS 0.1         /* the same of contacts that jam, beside the largest impulse of a target */
#define GIVEN_WAY 1e-5   /* of the speeds */
#define HUGE_IMPULSE 1e6 /* of the speeds, at unit mass */

/* Stage 1 of one island; p->s is v_k. */
typedef struct Stage {
    RgProblem *p;
    int *rows; /* n: of stage 1 */
    int n;
    double *before; /* nu: v_k-1 */
    double *weight; /* n: A_ii of targets, joints and loops held */
    double speed;   /* m/s at unit mass: of all that the problem has */
    double change;  /* |v_k - v_k-1| */
    RgDenseLcp lcp;
} Stage;

/* ------------------------------------------------------------------ is it suspected */

/* A_ii */
static double response(const RgProblem *p, int i)
{
    double sum = 0.0;
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
        sum += p->values[e] * p->values[e];
    return sum;
}

/* Velocity that row i asks for, or has without impulses, at unit mass. */
static double asked_speed(const RgProblem *p, int i, const double *s_free)
{
    double a = response(p, i);
    double miss = fmax(fabs(p->target[i]), fabs(rg_problem_row_times(p, i, s_free)));
    return a > 0.0 ? miss / sqrt(a) : 0.0;
}

/* At unit mass: of the velocities without impulses and of the targets. */
static double speed_of(const RgProblem *p, const double *s_free)
{
    double sum = 0.0;
    for (int k = 0; k < p->nu; k++)
        sum += s_free[k] * s_free[k];
    for (int i = 0; i < p->n; i++)
        if (p->asks[i]) {
            double own = asked_speed(p, i, s_free);
            sum += own * own;
        }
    return sqrt(sum);
}

double rg_targets_speed(const RgProblem *p, const double *s_free)
{
    return speed_of(p, s_free);
}

bool rg_targets_any(const RgProblem *p)
{
    for (int i = 0; p->asks != NULL && i < p->n; i++)
        if (p->asks[i])
            return true;
    return false;
}

/* Whether a target is missed by its softness C, by impulse z. */
static bool misses_by(double a, double C, double z, double speed)
{
    return !(C * fabs(z) <= GIVEN_WAY * speed * sqrt(a));
}

static bool gives_way(const RgProblem *p, int i, double speed)
{
    return misses_by(response(p, i), p->compliance[i], p->z[i], speed);
}

bool rg_target_suspected(double a, double C, double z, double speed)
{
    return misses_by(a, C, z, speed) || !(fabs(z) * sqrt(a) <= HUGE_IMPULSE * speed);
}

bool rg_targets_suspected(const RgProblem *p, double speed)
{
    for (int i = 0; i < p->n; i++)
        if (p->asks[i] && rg_target_suspected(response(p, i), p->compliance[i], p->z[i], speed))
            return true;
    return false;
}

bool rg_targets_hold(RgArena *arena, const RgProblem *p, const double *s_free, RgTargetsHeld *held)
{
    size_t n = (size_t)p->n;
    *held = (RgTargetsHeld){RG_TAKE_RAW(arena, double, p->n), RG_TAKE_RAW(arena, double, p->n), speed_of(p, s_free)};
    if (arena->failed)
        return false;
    memcpy(held->target, p->target, n * sizeof *p->target);
    memcpy(held->compliance, p->compliance, n * sizeof *p->compliance);
    memset(p->conflict, 0, n * sizeof *p->conflict);
    return true;
}

void rg_targets_put_back(RgProblem *p, const RgTargetsHeld *held)
{
    if (held->target == NULL)
        return;
    memcpy(p->target, held->target, (size_t)p->n * sizeof *p->target);
    memcpy(p->compliance, held->compliance, (size_t)p->n * sizeof *p->compliance);
}

/* ------------------------------------------------------------------ stage 1 */

/* Rows whose force has no bound on one side or on both, and that are not softer than targets are made. */
static bool belongs(const RgProblem *p, int i)
{
    if (p->row_class[i] == RG_ROW_FRICTION || p->row_class[i] == RG_ROW_BOX)
        return false;
    bool bounded = p->row_class[i] != RG_ROW_BILATERAL && isfinite(p->low[i]) && isfinite(p->high[i]);
    return p->asks[i] || (!bounded && p->compliance[i] <= SOFT * rg_problem_diagonal(p, i));
}

/* v_k+1. False: there is none, or no memory. */
static bool advance(RgArena *arena, Stage *g, RgTargetsReport *report)
{
    RgProblem *p = g->p;
    RgExactOptions options = rg_exact_options_default();
    RgDantzigReport found;
    options.tolerance = 1e-8;
    memset(g->lcp.z, 0, (size_t)g->n * sizeof *g->lcp.z);
    for (int k = 0; k < g->n; k++)
        g->lcp.q[k] = rg_problem_row_times(p, g->rows[k], p->s) - p->target[g->rows[k]];
    RgArenaMark mark = rg_arena_mark(arena);
    RgStatus status = rg_dantzig_solve(arena, &g->lcp, &options, &found);
    rg_arena_rewind(arena, mark);
    if (status != RG_OK || found.outcome != RG_SOLVE_SOLVED)
        return false;
    report->solves++;
    report->pivots += found.pivots;
    memcpy(g->before, p->s, (size_t)p->nu * sizeof *p->s);
    for (int k = 0; k < g->n; k++)
        rg_problem_push(p, g->rows[k], g->lcp.z[k], p->s);
    double sum = 0.0;
    for (int k = 0; k < p->nu; k++)
        sum += (p->s[k] - g->before[k]) * (p->s[k] - g->before[k]);
    g->change = sqrt(sum);
    return true;
}

/* v*, as far as MOST_SOLVES go. */
static bool come_to_end(RgArena *arena, Stage *g, RgTargetsReport *report)
{
    g->change = INFINITY;
    for (int k = 0; k < MOST_SOLVES && g->change > STAYS * g->speed; k++)
        if (!advance(arena, g, report))
            return false;
    return true;
}

/* Whether some target is not met at v*. */
static bool misses(const Stage *g)
{
    const RgProblem *p = g->p;
    for (int k = 0; k < g->n; k++) {
        int i = g->rows[k];
        double miss = fabs(rg_problem_row_times(p, i, p->s) - p->target[i]);
        if (p->asks[i] && miss > MISSED * g->speed * sqrt(response(p, i)))
            return true;
    }
    return false;
}

/* Names the rows of the contradiction. Returns whether it is proven. */
static bool prove(const Stage *g)
{
    RgProblem *p = g->p;
    double largest = 0.0, work = 0.0;
    for (int k = 0; k < g->n; k++) {
        largest = fmax(largest, fabs(g->lcp.z[k]) * sqrt(response(p, g->rows[k])));
        work += p->target[g->rows[k]] * g->lcp.z[k];
    }
    for (int k = 0; k < g->n; k++) {
        double share = fabs(g->lcp.z[k]) * sqrt(response(p, g->rows[k])) / largest;
        p->conflict[g->rows[k]] = share >= NAMED ? share : 0.0;
    }
    return work > SPEED * g->speed * g->change;
}

/* ------------------------------------------------------------------ islands */

/* t* in place of t, with the least compliance. */
static void give_targets(const Stage *g)
{
    RgProblem *p = g->p;
    for (int k = 0; k < g->n; k++)
        if (p->asks[g->rows[k]])
            p->target[g->rows[k]] = rg_problem_row_times(p, g->rows[k], p->s);
}

/* A_ii of the targets, joints and loops held: what is left of their response where the rows without bounds are
   eliminated. One that these hold has LEAST_RESPONSE. False: no memory. */
static bool weigh(RgArena *arena, Stage *g)
{
    RgLcpReduced reduced;
    for (int k = 0; k < g->n; k++)
        if (g->p->asks[g->rows[k]])
            g->lcp.low[k] = g->lcp.high[k] = 0.0; /* not eliminated */
    RgArenaMark mark = rg_arena_mark(arena);
    bool good = rg_dense_lcp_reduce(arena, &g->lcp, &reduced);
    for (int b = 0; b < reduced.nb && good; b++) {
        int k = reduced.row[b];
        g->weight[k] =
            fmax(reduced.S[(size_t)b * ((size_t)reduced.nb + 1)], LEAST_RESPONSE * response(g->p, g->rows[k]));
    }
    rg_arena_rewind(arena, mark);
    for (int k = 0; k < g->n; k++)
        if (g->p->asks[g->rows[k]]) {
            g->lcp.low[k] = -INFINITY;
            g->lcp.high[k] = INFINITY;
            g->lcp.M[(size_t)k * ((size_t)g->n + 1)] += SOFT * g->weight[k];
        }
    return good;
}

/* Compliance of the targets of an island for stage 2. */
static void soften(const Stage *g)
{
    RgProblem *p = g->p;
    for (int k = 0; k < g->n; k++)
        if (p->asks[g->rows[k]])
            p->compliance[g->rows[k]] = fmax(LEAST * response(p, g->rows[k]), p->compliance[g->rows[k]]);
}

/* Rows of stage 1; returns whether a target is among them. */
static bool pick_rows(Stage *g, const int *rows, int n)
{
    bool asks = false;
    g->n = 0;
    for (int k = 0; k < n; k++) {
        if (!belongs(g->p, rows[k]))
            continue;
        g->rows[g->n++] = rows[k];
        asks = asks || g->p->asks[rows[k]];
    }
    return asks && g->n <= MOST_ROWS;
}

/* False: no memory. */
static bool replace_in_island(RgArena *arena, Stage *g, RgTargetsReport *report)
{
    g->weight = RG_TAKE(arena, double, g->n);
    bool made = g->weight != NULL && rg_dense_lcp_of_rows(arena, g->p, g->rows, g->n, &g->lcp) && weigh(arena, g);
    if (!made || !come_to_end(arena, g, report) || !misses(g))
        return made && !arena->failed;
    bool proven = prove(g);
    report->proven = proven && (report->proven || report->islands == 0);
    report->contradict = true;
    report->islands++;
    give_targets(g);
    soften(g);
    return true;
}

bool rg_targets_replace(RgArena *arena, RgProblem *p, const RgTargetsHeld *held, RgTargetsReport *report)
{
    RgRowIslands islands;
    Stage g = {.p = p,
               .rows = RG_TAKE_RAW(arena, int, p->n),
               .before = RG_TAKE_RAW(arena, double, p->nu),
               .speed = held->speed};
    double *s_free = RG_TAKE_RAW(arena, double, p->nu);
    *report = (RgTargetsReport){0};
    if (arena->failed || !rg_row_islands_find(arena, p, &islands))
        return false;
    memcpy(s_free, p->s, (size_t)p->nu * sizeof *p->s);
    bool good = true;
    for (int k = 0; k < islands.count && good; k++) {
        RgArenaMark mark = rg_arena_mark(arena);
        if (pick_rows(&g, islands.rows + islands.first[k], islands.first[k + 1] - islands.first[k]))
            good = replace_in_island(arena, &g, report);
        rg_arena_rewind(arena, mark);
    }
    memcpy(p->s, s_free, (size_t)p->nu * sizeof *p->s);
    return good;
}

/* ------------------------------------------------------------------ stage 2 */

void rg_targets_soften(RgProblem *p, const RgTargetsHeld *held)
{
    for (int i = 0; i < p->n; i++)
        if (p->asks[i])
            p->compliance[i] = fmax(GIVING * response(p, i), held->compliance[i]);
}

/* Contacts that press as drives do. */
static void name_jammed(RgProblem *p)
{
    double largest = 0.0;
    for (int i = 0; i < p->n; i++)
        if (p->asks[i])
            largest = fmax(largest, fabs(p->z[i]) * sqrt(response(p, i)));
    for (int i = 0; i < p->n; i++) {
        double share = p->z[i] * sqrt(response(p, i)) / largest;
        if (p->row_class[i] == RG_ROW_NORMAL && share >= JAMS)
            p->conflict[i] = fmin(share, 1.0);
    }
}

void rg_targets_settle(RgProblem *p, const RgTargetsHeld *held)
{
    name_jammed(p);
    for (int i = 0; i < p->n; i++) {
        if (!p->asks[i])
            continue;
        if (gives_way(p, i, held->speed))
            p->conflict[i] = 1.0;
        p->target[i] = rg_problem_row_times(p, i, p->s);
        p->compliance[i] = fmax(LEAST * response(p, i), held->compliance[i]);
    }
}
