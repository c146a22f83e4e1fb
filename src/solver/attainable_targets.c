/*
 * attainable_targets.c - velocity targets with unlimited effort, with lower priority than contacts (paper 002, III-A
 * and III-B).
 *
 * A drive with unlimited effort requires P v = t. Joints, loops, limits and contacts allow the velocities
 *
 *   F = { v : J v = j,  N v >= n }        (rows with unlimited force; friction and bounded rows are left out)
 *
 * If no v in F satisfies P v = t, the mixed complementarity problem of 002 has no solution: its multipliers diverge.
 * Then
 *
 *   stage 1   t* = P v*,   v* = argmin over F of  1/2 sum (P_i v - t_i)^2 / A_ii,     A_ii = P_i M_F^-1 P_i'
 *   stage 2   the original problem, with friction, and t* instead of t: some v in F satisfies it
 *
 * M_F^-1 is the response with joints and loops enforced, their springs and dampers included (B: all bilateral rows, C
 * their compliance; velocities at unit mass):
 *
 *   A_ii = P_i P_i' - P_i B' (B B' + C)^-1 B P_i'
 *
 * It does not depend on which joints are rows and which are in the coordinates, so t* is the same in both coordinate
 * forms. 1 / A_ii is the mass that joint i moves, and the sum is the kinetic energy of the misses, joint by joint. No
 * relative weight of m and rad has to be chosen. t* is unique because the sum is strictly convex in P v.
 *
 * Stage 1 is a proximal method (Rockafellar 1976); v_0 are the velocities without impulses:
 *
 *   v_k+1 = argmin over F of  1/2 sum (P_i v - t_i)^2 / A_ii + STAGE1_COMPLIANCE/2 |v - v_k|^2
 *
 * This is the same set of rows without friction, with target compliance C = STAGE1_COMPLIANCE A_ii, and nothing of the
 * compliance that the targets came with, which would change the metric: one linear complementarity problem with a
 * semidefinite matrix, solved by principal pivoting (pivot/dantzig.h). Each step reduces the distance to the solution by
 * about STAGE1_COMPLIANCE; at most MAX_PROXIMAL_STEPS steps are made.
 *
 * Proof of infeasibility. The impulses d of stage 1 have d >= 0 in rows N, and J'd + P'd + N'd = v_k+1 - v_k, which
 * tends to 0, while b.d > 0, b = (t, j, n). For any v in F with P v = t, 0 <= d . (rows v - b), hence |v| >= b.d /
 * |rows' d|. If that bound exceeds PROOF_SPEED_RATIO times all velocities of the problem, it is taken as a proof
 * (Farkas; as in cone/cone_infeasible.c). d identifies the joints, limits and contacts: the share of a row is |d_i|
 * sqrt(A_ii) divided by the largest.
 *
 * Stage 2. Targets that can just be met leave the impulses undetermined: a joint may press arbitrarily hard against a
 * contact or limit. Targets get C = STAGE2_COMPLIANCE A_ii: to first order in it the solution has the least sum A_ii
 * z_i^2, is bounded, and misses t* by STAGE2_COMPLIANCE A_ii z_i.
 *
 * Detection costs one pass over the targets. A contradiction is suspected if the solver has not converged, if a target
 * is missed through its compliance, or if an impulse exceeds HUGE_IMPULSE times what the velocities of the problem
 * require.
 *
 * Friction enters in stage 2 only. It may prevent a target that is attainable without it (a wedge jams). Then targets
 * get the spring-like compliance C = JAM_COMPLIANCE A_ii, and the velocities that result replace t*.
 *
 * Failure: islands of more than MAX_ROWS rows, and islands whose F is empty, are left unchanged. Cost: n^3 / 3 per LCP,
 * n the rows of stage 1.
 */
#include "solver/attainable_targets.h"

#include "solver/pivot/dantzig.h"
#include "solver/row_islands.h"

#include <math.h>
#include <string.h>

/* Part of A_ii: compliance of targets in stage 1, the proximal weight; also the largest compliance of its hard rows. */
#define STAGE1_COMPLIANCE 1e-5
/* Part of A_ii: compliance of replaced targets in stage 2. Makes their impulses unique and bounded. */
#define STAGE2_COMPLIANCE 1e-7
/* Part of A_ii: compliance of targets while friction prevents them, that of a spring. */
#define JAM_COMPLIANCE 1e-2
/* Part of the response without joints and loops; lower bound of A_ii where these block the target. */
#define MIN_RESPONSE 1e-6
#define MAX_PROXIMAL_STEPS 12 /* in case |v_k+1 - v_k| does not fall to round-off */
/* Rows of stage 1 in an island; its dense matrix then takes 18 MB. */
#define MAX_ROWS 1500
#define STEP_ROUND_OFF 1e-10 /* part of the speed scale: a smaller |v_k+1 - v_k| is round-off */
#define MISS_TOLERANCE 1e-7  /* part of the speed scale: a target that misses t* by more is unattainable */
/* the bound on |v|, over the speed scale, that counts as a proof; as in cone_infeasible.c */
#define PROOF_SPEED_RATIO 1e6
#define MIN_CONFLICT_SHARE 1e-3 /* smallest share at which a row is reported in conflict */
#define MIN_JAM_SHARE 0.1       /* smallest share of a jammed contact, relative to the largest impulse of a target */
#define COMPLIANT_MISS 1e-5 /* part of the speed scale: a target missed by more through its compliance is reported */
#define HUGE_IMPULSE 1e6    /* times the speed scale, at unit mass: a larger impulse indicates a contradiction */

/* Stage 1 for one island; p->s is v_k. */
typedef struct Stage {
    RgProblem *p;
    int *rows; /* n: rows of stage 1 */
    int n;
    double *before; /* nu: v_k-1 */
    double *metric; /* by row of the problem: A_ii of targets, with joints and loops enforced */
    double speed;   /* m/s at unit mass: speed scale of the problem */
    double change;  /* |v_k - v_k-1| */
    RgDenseLcp lcp;
} Stage;

/* ------------------------------------------------------------------ detection */

/* A_ii */
static double response(const RgProblem *p, int i)
{
    double sum = 0.0;
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
        sum += p->values[e] * p->values[e];
    return sum;
}

/* Larger of the target velocity of row i and its velocity without impulses, scaled to unit mass. */
static double row_speed(const RgProblem *p, int i, const double *s_free)
{
    double a = response(p, i);
    double miss = fmax(fabs(p->target[i]), fabs(rg_problem_row_times(p, i, s_free)));
    return a > 0.0 ? miss / sqrt(a) : 0.0;
}

/* Speed scale at unit mass: norm of the velocities without impulses and of the targets. */
static double speed_scale(const RgProblem *p, const double *s_free)
{
    double sum = 0.0;
    for (int k = 0; k < p->nu; k++)
        sum += s_free[k] * s_free[k];
    for (int i = 0; i < p->n; i++)
        if (p->asks[i]) {
            double own = row_speed(p, i, s_free);
            sum += own * own;
        }
    return sqrt(sum);
}

double rg_targets_speed(const RgProblem *p, const double *s_free)
{
    return speed_scale(p, s_free);
}

bool rg_targets_any(const RgProblem *p)
{
    for (int i = 0; p->asks != NULL && i < p->n; i++)
        if (p->asks[i])
            return true;
    return false;
}

/* Whether impulse z of a target with response a and compliance C makes it miss by more than COMPLIANT_MISS. */
static bool misses_by_compliance(double a, double C, double z, double speed)
{
    return !(C * fabs(z) <= COMPLIANT_MISS * speed * sqrt(a));
}

static bool is_missed(const RgProblem *p, int i, double speed)
{
    return misses_by_compliance(response(p, i), p->compliance[i], p->z[i], speed);
}

bool rg_target_suspected(double a, double C, double z, double speed)
{
    return misses_by_compliance(a, C, z, speed) || !(fabs(z) * sqrt(a) <= HUGE_IMPULSE * speed);
}

bool rg_targets_suspected(const RgProblem *p, double speed)
{
    for (int i = 0; i < p->n; i++)
        if (p->asks[i] && rg_target_suspected(response(p, i), p->compliance[i], p->z[i], speed))
            return true;
    return false;
}

bool rg_targets_save(RgArena *arena, const RgProblem *p, const double *s_free, RgSavedTargets *held)
{
    size_t n = (size_t)p->n;
    *held = (RgSavedTargets){.target = RG_ARENA_ALLOC_RAW(arena, double, p->n),
                             .compliance = RG_ARENA_ALLOC_RAW(arena, double, p->n),
                             .metric = RG_ARENA_ALLOC_RAW(arena, double, p->n),
                             .speed = speed_scale(p, s_free)};
    if (arena->failed)
        return false;
    for (int i = 0; i < p->n; i++)
        held->metric[i] = p->asks[i] ? response(p, i) : 0.0;
    memcpy(held->target, p->target, n * sizeof *p->target);
    memcpy(held->compliance, p->compliance, n * sizeof *p->compliance);
    memset(p->conflict, 0, n * sizeof *p->conflict);
    return true;
}

void rg_targets_restore(RgProblem *p, const RgSavedTargets *held)
{
    if (held->target == NULL)
        return;
    memcpy(p->target, held->target, (size_t)p->n * sizeof *p->target);
    memcpy(p->compliance, held->compliance, (size_t)p->n * sizeof *p->compliance);
}

/* ------------------------------------------------------------------ stage 1 */

/* Whether row i is part of stage 1: its force is unbounded on one side or on both, and it is no softer than the
   targets. */
static bool is_stage1_row(const RgProblem *p, int i)
{
    if (p->row_class[i] == RG_ROW_FRICTION || p->row_class[i] == RG_ROW_BOX)
        return false;
    bool bounded = p->row_class[i] != RG_ROW_BILATERAL && isfinite(p->low[i]) && isfinite(p->high[i]);
    return p->asks[i] || (!bounded && p->compliance[i] <= STAGE1_COMPLIANCE * rg_problem_diagonal(p, i));
}

/* One proximal step: v_k+1 from v_k. False: the LCP has no solution, or no memory. */
static bool proximal_step(RgArena *arena, Stage *g, RgTargetsReport *report)
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
        rg_problem_apply_impulse(p, g->rows[k], g->lcp.z[k], p->s);
    double sum = 0.0;
    for (int k = 0; k < p->nu; k++)
        sum += (p->s[k] - g->before[k]) * (p->s[k] - g->before[k]);
    g->change = sqrt(sum);
    return true;
}

/* Iterates to v*, at most MAX_PROXIMAL_STEPS steps. */
static bool run_proximal_steps(RgArena *arena, Stage *g, RgTargetsReport *report)
{
    g->change = INFINITY;
    for (int k = 0; k < MAX_PROXIMAL_STEPS && g->change > STEP_ROUND_OFF * g->speed; k++)
        if (!proximal_step(arena, g, report))
            return false;
    return true;
}

/* Whether some target is missed at v*. */
static bool any_target_missed(const Stage *g)
{
    const RgProblem *p = g->p;
    for (int k = 0; k < g->n; k++) {
        int i = g->rows[k];
        double miss = fabs(rg_problem_row_times(p, i, p->s) - p->target[i]);
        if (p->asks[i] && miss > MISS_TOLERANCE * g->speed * sqrt(response(p, i)))
            return true;
    }
    return false;
}

/* Writes the shares of the rows in the contradiction. Returns whether it is proven. */
static bool find_certificate(const Stage *g)
{
    RgProblem *p = g->p;
    double largest = 0.0, work = 0.0;
    for (int k = 0; k < g->n; k++) {
        largest = fmax(largest, fabs(g->lcp.z[k]) * sqrt(response(p, g->rows[k])));
        work += p->target[g->rows[k]] * g->lcp.z[k];
    }
    for (int k = 0; k < g->n; k++) {
        double share = largest > 0.0 ? fabs(g->lcp.z[k]) * sqrt(response(p, g->rows[k])) / largest : 0.0;
        p->conflict[g->rows[k]] = share >= MIN_CONFLICT_SHARE ? share : 0.0;
    }
    return work > PROOF_SPEED_RATIO * g->speed * g->change;
}

/* ------------------------------------------------------------------ islands */

/* Replaces t by t*. */
static void set_attained_targets(const Stage *g)
{
    RgProblem *p = g->p;
    for (int k = 0; k < g->n; k++)
        if (p->asks[g->rows[k]])
            p->target[g->rows[k]] = rg_problem_row_times(p, g->rows[k], p->s);
}

/* Compliance of the targets of an island in stage 2. */
static void add_stage2_compliance(const Stage *g)
{
    RgProblem *p = g->p;
    for (int k = 0; k < g->n; k++)
        if (p->asks[g->rows[k]])
            p->compliance[g->rows[k]] = STAGE2_COMPLIANCE * g->metric[g->rows[k]];
}

/* Whether row i is part of the metric: joints and loops, soft ones too, other hard rows without bounds, targets. */
static bool is_metric_row(const RgProblem *p, int i)
{
    return p->row_class[i] == RG_ROW_BILATERAL ||
           (p->low[i] == -INFINITY && p->high[i] == INFINITY && is_stage1_row(p, i));
}

/* A_ii of the targets among an island's rows, at least MIN_RESPONSE of the response without joints and loops: the
   diagonal of the Schur complement after eliminating the unbounded rows. False: no memory. */
static bool find_metric(RgArena *arena, const RgProblem *p, const int *rows, int n, double *metric)
{
    RgDenseLcp lcp;
    RgLcpReduced reduced;
    int *list = RG_ARENA_ALLOC_RAW(arena, int, n), count = 0;
    if (list == NULL)
        return false;
    for (int k = 0; k < n; k++)
        if (is_metric_row(p, rows[k]))
            list[count++] = rows[k];
    if (!rg_dense_lcp_from_rows(arena, p, list, count, &lcp))
        return false;
    for (int k = 0; k < count; k++)
        if (p->asks[list[k]]) {
            lcp.low[k] = lcp.high[k] = 0.0; /* so that rg_dense_lcp_reduce keeps the target */
            lcp.M[(size_t)k * ((size_t)count + 1)] = metric[list[k]];
        }
    if (!rg_dense_lcp_reduce(arena, &lcp, &reduced))
        return false;
    for (int b = 0; b < reduced.nb; b++) {
        double *own = &metric[list[reduced.row[b]]], left = reduced.S[(size_t)b * ((size_t)reduced.nb + 1)];
        *own = fmax(left, MIN_RESPONSE * *own);
    }
    return true;
}

/* The dense problem of stage 1. False: no memory. */
static bool make_proximal_problem(RgArena *arena, Stage *g)
{
    const RgProblem *p = g->p;
    if (!rg_dense_lcp_from_rows(arena, p, g->rows, g->n, &g->lcp))
        return false;
    for (int k = 0; k < g->n; k++)
        if (p->asks[g->rows[k]])
            g->lcp.M[(size_t)k * ((size_t)g->n + 1)] =
                response(p, g->rows[k]) + STAGE1_COMPLIANCE * g->metric[g->rows[k]];
    return true;
}

/* Collects the rows of stage 1. Returns whether a target is among them and the island is not too large. */
static bool select_rows(Stage *g, const int *rows, int n)
{
    bool asks = false;
    g->n = 0;
    for (int k = 0; k < n; k++) {
        if (!is_stage1_row(g->p, rows[k]))
            continue;
        g->rows[g->n++] = rows[k];
        asks = asks || g->p->asks[rows[k]];
    }
    return asks && g->n <= MAX_ROWS;
}

/* False: no memory. */
static bool replace_in_island(RgArena *arena, Stage *g, RgTargetsReport *report)
{
    if (!make_proximal_problem(arena, g))
        return false;
    if (!run_proximal_steps(arena, g, report) || !any_target_missed(g))
        return !arena->failed;
    bool proven = find_certificate(g);
    report->proven = proven && (report->proven || report->islands == 0);
    report->contradict = true;
    report->islands++;
    set_attained_targets(g);
    add_stage2_compliance(g);
    return true;
}

bool rg_targets_replace(RgArena *arena, RgProblem *p, const RgSavedTargets *held, RgTargetsReport *report)
{
    RgRowIslands islands;
    Stage g = {.p = p,
               .rows = RG_ARENA_ALLOC_RAW(arena, int, p->n),
               .before = RG_ARENA_ALLOC_RAW(arena, double, p->nu),
               .metric = held->metric,
               .speed = held->speed};
    double *s_free = RG_ARENA_ALLOC_RAW(arena, double, p->nu);
    *report = (RgTargetsReport){0};
    if (arena->failed || !rg_row_islands_find(arena, p, &islands))
        return false;
    memcpy(s_free, p->s, (size_t)p->nu * sizeof *p->s);
    bool good = true;
    for (int k = 0; k < islands.count && good; k++) {
        RgArenaMark mark = rg_arena_mark(arena);
        const int *rows = islands.rows + islands.first[k];
        int n = islands.first[k + 1] - islands.first[k];
        if (select_rows(&g, rows, n))
            good = find_metric(arena, p, rows, n, held->metric) && replace_in_island(arena, &g, report);
        rg_arena_rewind(arena, mark);
    }
    memcpy(p->s, s_free, (size_t)p->nu * sizeof *p->s);
    return good;
}

/* ------------------------------------------------------------------ stage 2 */

void rg_targets_soften(RgProblem *p, const RgSavedTargets *held)
{
    for (int i = 0; i < p->n; i++)
        if (p->asks[i])
            p->compliance[i] = JAM_COMPLIANCE * held->metric[i];
}

/* Marks contacts whose impulses are comparable to those of the targets. */
static void mark_jammed_contacts(RgProblem *p)
{
    double largest = 0.0;
    for (int i = 0; i < p->n; i++)
        if (p->asks[i])
            largest = fmax(largest, fabs(p->z[i]) * sqrt(response(p, i)));
    for (int i = 0; i < p->n && largest > 0.0; i++) {
        double share = p->z[i] * sqrt(response(p, i)) / largest;
        if (p->row_class[i] == RG_ROW_NORMAL && share >= MIN_JAM_SHARE)
            p->conflict[i] = fmin(share, 1.0);
    }
}

void rg_targets_adopt_reached(RgProblem *p, const RgSavedTargets *held)
{
    mark_jammed_contacts(p);
    for (int i = 0; i < p->n; i++) {
        if (!p->asks[i])
            continue;
        if (is_missed(p, i, held->speed))
            p->conflict[i] = 1.0;
        p->target[i] = rg_problem_row_times(p, i, p->s);
        p->compliance[i] = STAGE2_COMPLIANCE * held->metric[i];
    }
}
