/*
 * quick_problem.c - solver `quick` on rows: converts a problem of rows (problem.h) to one of patches (patch_problem.h).
 *
 * Every patch connects the ground with a body of its own, whose six velocities are those of the patch: with b the rows
 * of the axes t1, t2, n of the plane (problem.h: RgRowPatch) and s the unknowns,
 *
 *   V = (b_1, b_2, b_n, b_1', b_2', b_n') s        axes x, y, z, arm 0
 *
 * Every other row is a single. Those of an island form one articulation. Since M = 1 there, with B the rows of all its
 * outputs,
 *
 *   V = B s* - t + L g,     L = B B' + C
 *
 * t the targets and C the compliances (diagonal): an output is then the row's own w, and the rows of the patch problem
 * have neither target nor compliance. Patches of several points keep both, since these belong to points rather than
 * outputs.
 *
 *   row of the problem                             becomes
 *   bilateral, bounded, box                        a row on a single, with its bounds
 *   point: normal, two tangents of a cone          a patch of one point: outputs b_1, b_2, b_n are its rows, others 0
 *   points of an RgRowPatch, all with one cone     one patch, about the mean of its points
 *   further friction of a point (pyramid,          rows on singles, bounded by the normal impulse of the point: one by
 *   torsion, rolling)                              one, or the two of a cone together as a disc
 *
 * A patch of several points is split into points unless it satisfies: two points along t1, three or more not nearly
 * collinear, no further friction, the same friction and compliance at all points, tangents without targets. Points with
 * a normal only are bounded rows.
 *
 * Not supported: cones of further friction with two different coefficients (a disc has one radius), normals with
 * friction and bounds of their own, islands of more than MAX_OUTPUTS outputs. Cost: outputs squared per island, in
 * memory and per sweep: suited to separate problems and islands of robots, not to piles.
 */
#include "solver/quick/quick_problem.h"

#include "solver/quick/quick.h"
#include "solver/row_islands.h"

#include <math.h>
#include <string.h>

/* Outputs of an island; L takes 128 MB at this size. */
#define MAX_OUTPUTS 4096
/* Three or four points: smallest ratio of the smaller to the larger moment of their spread. */
#define MIN_SPREAD 1e-4
/* Two points: largest offset from the axis t1, as a part of their distance. */
#define LINE_TOLERANCE 1e-9

/* An output: its coefficients over the unknowns, and the term on the diagonal of L. */
typedef struct OutputRow {
    const int *columns;
    const double *values;
    int count;
    double compliance;
} OutputRow;

typedef struct Conversion {
    const RgProblem *p;
    RgArena *arena;
    RgRowIslands islands;
    int *island_of;     /* n */
    RgPatchProblem out; /* its bodies, articulations and singles are the arrays below */
    RgSolverBody *movers;
    RgArticulation *groups;
    int32_t *single_group, *single_output;
    int *patch_row, *single_row; /* first row of a patch; row of a single */
    OutputRow *lines;            /* outputs of all islands, in sequence */
    int32_t *first_line;         /* islands + 1 */
    const char *why;             /* what is not supported, for an error message; NULL: nothing */
} Conversion;

/* ------------------------------------------------------------------ classification of rows */

/* Number of friction rows of normal i, which follow it. */
static int count_friction_rows(const RgProblem *p, int i)
{
    int count = 0;
    while (i + 1 + count < p->n && p->row_class[i + 1 + count] == RG_ROW_FRICTION && p->normal[i + 1 + count] == i)
        count++;
    return count;
}

/* Whether rows i and i + 1 share a cone with two nonzero half axes. */
static bool is_cone(const RgProblem *p, int i)
{
    return p->cone[i] && p->high[i] > 0.0 && p->high[i + 1] > 0.0;
}

/* Whether a point has exactly the rows of a patch, with the same parameters as the first point. */
static bool same_point(const RgProblem *p, int first, int i)
{
    bool same = i + 2 < p->n && p->row_class[i] == RG_ROW_NORMAL && p->low[i] == 0.0 && p->high[i] == INFINITY &&
                count_friction_rows(p, i) == 2 && is_cone(p, i + 1);
    for (int k = 0; k < 3 && same; k++)
        same = p->compliance[i + k] == p->compliance[first + k] && (k == 0 || p->high[i + k] == p->high[first + k]) &&
               (k == 0 || p->target[i + k] == 0.0);
    return same;
}

/* Positions relative to their mean, which is returned too. */
static void centre(const RgRowPatch *from, double mean[2], double place[RG_PATCH_POINTS][2])
{
    mean[0] = mean[1] = 0.0;
    for (int i = 0; i < 2 * from->points; i++)
        mean[i % 2] += from->place[i / 2][i % 2] / from->points;
    for (int i = 0; i < 2 * from->points; i++)
        place[i / 2][i % 2] = from->place[i / 2][i % 2] - mean[i % 2];
}

static bool places_fit(const RgRowPatch *from)
{
    double mean[2], place[RG_PATCH_POINTS][2], ss = 0.0, rs = 0.0, rr = 0.0;
    centre(from, mean, place);
    if (from->points == 2)
        return fabs(place[0][1]) <= LINE_TOLERANCE * fabs(place[0][0]) && place[0][0] != 0.0;
    for (int i = 0; i < from->points; i++) {
        ss += place[i][0] * place[i][0];
        rs += place[i][0] * place[i][1];
        rr += place[i][1] * place[i][1];
    }
    double half = 0.5 * (ss - rr), root = sqrt(half * half + rs * rs), large = 0.5 * (ss + rr) + root;
    return from->points > 2 && (ss * rr - rs * rs) > MIN_SPREAD * large * large;
}

/* The patch of several points that starts at row i and meets the conditions; NULL: none. *next: first patch that may
   start there. */
static const RgRowPatch *find_wide_patch(const RgProblem *p, int i, int *next)
{
    while (*next < p->npatches && p->patches[*next].first < i)
        ++*next;
    const RgRowPatch *from = *next < p->npatches && p->patches[*next].first == i ? &p->patches[*next] : NULL;
    if (from == NULL || !places_fit(from))
        return NULL;
    for (int k = 0; k < from->points; k++)
        if (!same_point(p, i, i + 3 * k))
            return NULL;
    return from;
}

/* ------------------------------------------------------------------ outputs */

static OutputRow row_line(const RgProblem *p, int i)
{
    return (OutputRow){p->columns + p->start[i], p->values + p->start[i], p->start[i + 1] - p->start[i],
                       p->compliance[i]};
}

/* Outputs of the axes of a plane about the mean of its points: t1, t2, n, then rotations about them. */
static bool make_wide_outputs(Conversion *m, const RgRowPatch *from, int i, OutputRow lines[6])
{
    enum { N, T1, T2, A1, A2, TN }; /* order of RgRowPatch.base */
    static const int order[6] = {A1, A2, N, T1, T2, TN};
    double mean[2], place[RG_PATCH_POINTS][2];
    int count = m->p->start[i + 1] - m->p->start[i];
    double *values = RG_ARENA_ALLOC_RAW(m->arena, double, 6 * count);
    if (values == NULL)
        return false;
    centre(from, mean, place);
    for (int k = 0; k < 6; k++) {
        double *to = values + (size_t)k * (size_t)count;
        const double(*b)[12] = from->base;
        for (int e = 0; e < count; e++)
            to[e] = b[order[k]][e] + (order[k] == N    ? mean[1] * b[T1][e] - mean[0] * b[T2][e]
                                      : order[k] == A1 ? -mean[1] * b[TN][e]
                                      : order[k] == A2 ? mean[0] * b[TN][e]
                                                       : 0.0);
        lines[k] = (OutputRow){m->p->columns + m->p->start[i], to, count, 0.0};
    }
    return true;
}

static double times(const OutputRow *line, const double *x)
{
    double sum = 0.0;
    for (int e = 0; e < line->count; e++)
        sum += line->values[e] * x[line->columns[e]];
    return sum;
}

/* ------------------------------------------------------------------ patches and rows */

/* Adds a body and a patch that starts at row i; its six outputs are added to the articulation. */
static RgPatch *add_patch(Conversion *m, int i)
{
    int32_t island = m->island_of[i], k = m->out.npatches++, mover = m->out.nmovers++;
    m->movers[mover] = (RgSolverBody){.group = island, .output = m->groups[island].noutputs};
    m->groups[island].noutputs += 6;
    m->patch_row[k] = i;
    m->out.patches[k] = (RgPatch){.mover = {0, mover}, .axis = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    return &m->out.patches[k];
}

static void add_wide(Conversion *m, const RgRowPatch *from, int i)
{
    const RgProblem *p = m->p;
    RgPatch *patch = add_patch(m, i);
    double mean[2];
    centre(from, mean, patch->place);
    patch->count = from->points;
    for (int k = 0; k < from->points; k++) {
        patch->target[k] = p->target[i + 3 * k];
        for (int c = 0; c < 3; c++)
            patch->z[k][c] = p->z[i + 3 * k + c];
    }
    for (int c = 0; c < 3; c++)
        patch->compliance[c] = p->compliance[i + c];
    patch->mu[0] = p->high[i + 1];
    patch->mu[1] = p->high[i + 2];
}

/* Adds a row on a single. patch: whose normal impulse bounds it; -1: it has its own bounds. */
static void add_row(Conversion *m, int i, int32_t patch, bool disc)
{
    const RgProblem *p = m->p;
    int32_t island = m->island_of[i], k = m->out.nrows++;
    m->single_group[k] = island;
    m->single_output[k] = m->groups[island].noutputs++;
    m->single_row[k] = i;
    m->out.rows[k] = (RgPatchRow){.nspans = 1,
                                  .span = {{.single = k, .J = {1.0}}},
                                  .low = p->low[i],
                                  .high = p->high[i],
                                  .patch = patch,
                                  .bound = patch >= 0 ? p->high[i] : 0.0,
                                  .disc = disc,
                                  .z = p->z[i]};
}

/* Adds a point with friction. */
static void add_point(Conversion *m, int i, int friction)
{
    const RgProblem *p = m->p;
    int32_t number = m->out.npatches;
    RgPatch *patch = add_patch(m, i);
    bool cone = is_cone(p, i + 1);
    patch->count = 1;
    for (int c = 0; c < (cone ? 3 : 1); c++)
        patch->z[0][c] = p->z[i + c];
    for (int c = 0; c < 2 && cone; c++)
        patch->mu[c] = p->high[i + 1 + c];
    if (p->low[i] != 0.0 || p->high[i] != INFINITY)
        m->why = "normals with friction and bounds of their own";
    for (int k = i + (cone ? 3 : 1); k <= i + friction; k++) {
        bool disc = is_cone(p, k);
        if (disc && p->high[k] != p->high[k + 1])
            m->why = "cones of torsion or rolling with two coefficients";
        add_row(m, k, number, disc);
        if (disc)
            add_row(m, ++k, number, false);
    }
}

static void convert_rows(Conversion *m)
{
    const RgProblem *p = m->p;
    for (int i = 0, next = 0; i < p->n;) {
        const RgRowPatch *wide = find_wide_patch(p, i, &next);
        int friction = p->row_class[i] == RG_ROW_NORMAL ? count_friction_rows(p, i) : 0;
        if (wide != NULL) {
            add_wide(m, wide, i);
            i += 3 * wide->points;
            continue;
        }
        if (friction > 0)
            add_point(m, i, friction);
        else
            add_row(m, i, -1, false);
        i += 1 + friction;
    }
}

/* ------------------------------------------------------------------ articulations */

static bool alloc_conversion(Conversion *m)
{
    int n = m->p->n;
    if (!rg_row_islands_find(m->arena, m->p, &m->islands))
        return false;
    m->island_of = RG_ARENA_ALLOC_RAW(m->arena, int, n);
    m->movers = RG_ARENA_ALLOC(m->arena, RgSolverBody, n + 1);
    m->groups = RG_ARENA_ALLOC(m->arena, RgArticulation, m->islands.count);
    m->single_group = RG_ARENA_ALLOC_RAW(m->arena, int32_t, n);
    m->single_output = RG_ARENA_ALLOC_RAW(m->arena, int32_t, n);
    m->patch_row = RG_ARENA_ALLOC_RAW(m->arena, int, n);
    m->single_row = RG_ARENA_ALLOC_RAW(m->arena, int, n);
    m->first_line = RG_ARENA_ALLOC(m->arena, int32_t, m->islands.count + 1);
    m->out = (RgPatchProblem){.nmovers = 1,
                              .ngroups = m->islands.count,
                              .movers = m->movers,
                              .single_group = m->single_group,
                              .single_output = m->single_output,
                              .groups = m->groups,
                              .patches = RG_ARENA_ALLOC_RAW(m->arena, RgPatch, n),
                              .rows = RG_ARENA_ALLOC_RAW(m->arena, RgPatchRow, n),
                              .thread_pool = m->p->thread_pool};
    if (m->arena->failed)
        return false;
    m->movers[0].group = -1;
    for (int k = 0; k < m->islands.count; k++)
        for (int r = m->islands.first[k]; r < m->islands.first[k + 1]; r++)
            m->island_of[m->islands.rows[r]] = k;
    return true;
}

/* Finds islands, patches and rows, and whether the problem is supported. False: no memory. */
static bool init_conversion(Conversion *m)
{
    rg_arena_reset(m->arena);
    if (!alloc_conversion(m))
        return false;
    convert_rows(m);
    m->out.nsingles = m->out.nrows;
    for (int k = 0; k < m->islands.count; k++) {
        m->first_line[k + 1] = m->first_line[k] + m->groups[k].noutputs;
        if (m->groups[k].noutputs > MAX_OUTPUTS)
            m->why = "islands with so many rows: the matrix would be too large";
    }
    return true;
}

/* Outputs of the patches, their indices in V, and V. False: no memory. */
static bool make_patch_outputs(Conversion *m, int32_t *place)
{
    const RgProblem *p = m->p;
    for (int32_t k = 0, next = 0; k < m->out.npatches; k++) {
        const RgPatch *patch = &m->out.patches[k];
        const RgSolverBody *mover = &m->movers[patch->mover[1]];
        int i = m->patch_row[k];
        int32_t at = m->first_line[mover->group] + mover->output;
        OutputRow *lines = m->lines + at;
        double *V = m->out.V + RG_BODY_PLACES * patch->mover[1];
        for (int c = 0; c < 6; c++)
            place[at + c] = RG_BODY_PLACES * patch->mover[1] + c;
        if (patch->count > 1) {
            if (!make_wide_outputs(m, find_wide_patch(p, i, &next), i, lines))
                return false;
            for (int c = 0; c < 6; c++)
                V[c] = times(&lines[c], p->s);
            continue;
        }
        bool cone = patch->mu[0] > 0.0;
        for (int c = 0; c < 3; c++) { /* t1, t2, n */
            int row = c == 2 ? i : i + 1 + c;
            bool is = c == 2 || cone;
            lines[c] = is ? row_line(p, row) : (OutputRow){0};
            V[c] = is ? times(&lines[c], p->s) - p->target[row] : 0.0;
        }
        lines[3] = lines[4] = lines[5] = (OutputRow){0};
    }
    return true;
}

static void make_single_outputs(Conversion *m, int32_t *place)
{
    const RgProblem *p = m->p;
    int32_t first = RG_BODY_PLACES * m->out.nmovers;
    for (int32_t k = 0; k < m->out.nsingles; k++) {
        int i = m->single_row[k];
        int32_t at = m->first_line[m->single_group[k]] + m->single_output[k];
        m->lines[at] = row_line(p, i);
        place[at] = first + k;
        m->out.V[first + k] = times(&m->lines[at], p->s) - p->target[i];
    }
}

/* L of one island. x (nu): scratch, zero before and after. */
static void multiply(const OutputRow *lines, int n, double *x, double *L)
{
    for (int i = 0; i < n; i++) {
        for (int e = 0; e < lines[i].count; e++)
            x[lines[i].columns[e]] = lines[i].values[e];
        for (int j = 0; j <= i; j++)
            L[(size_t)i * (size_t)n + (size_t)j] = L[(size_t)j * (size_t)n + (size_t)i] = times(&lines[j], x);
        L[(size_t)i * (size_t)n + (size_t)i] += lines[i].compliance;
        for (int e = 0; e < lines[i].count; e++)
            x[lines[i].columns[e]] = 0.0;
    }
}

static bool make_groups(Conversion *m)
{
    int32_t all = m->first_line[m->islands.count];
    int32_t *place = RG_ARENA_ALLOC_RAW(m->arena, int32_t, all);
    double *x = RG_ARENA_ALLOC(m->arena, double, m->p->nu);
    m->lines = RG_ARENA_ALLOC(m->arena, OutputRow, all);
    m->out.V = RG_ARENA_ALLOC(m->arena, double, RG_BODY_PLACES * m->out.nmovers + m->out.nsingles);
    if (m->arena->failed || !make_patch_outputs(m, place))
        return false;
    make_single_outputs(m, place);
    for (int k = 0; k < m->islands.count; k++) {
        size_t n = (size_t)m->groups[k].noutputs;
        double *L = RG_ARENA_ALLOC_RAW(m->arena, double, n *n);
        if (L == NULL)
            return false;
        multiply(m->lines + m->first_line[k], (int)n, x, L);
        m->groups[k].place = place + m->first_line[k];
        m->groups[k].L = L;
    }
    return true;
}

/* ------------------------------------------------------------------ the solve */

/* Stores z of the rows, and s = s* + J'z. */
static void store_solution(const Conversion *m, RgProblem *p)
{
    for (int32_t k = 0; k < m->out.npatches; k++) {
        const RgPatch *patch = &m->out.patches[k];
        int width = patch->mu[0] > 0.0 ? 3 : 1;
        for (int i = 0; i < patch->count; i++)
            for (int c = 0; c < width; c++)
                p->z[m->patch_row[k] + 3 * i + c] = patch->z[i][c];
    }
    for (int32_t k = 0; k < m->out.nrows; k++)
        p->z[m->single_row[k]] = m->out.rows[k].z;
    for (int i = 0; i < p->n; i++)
        rg_problem_apply_impulse(p, i, p->z[i], p->s);
}

const char *rg_quick_rows_refuse(RgArena *arena, const RgProblem *p)
{
    Conversion m = {.p = p, .arena = arena};
    return init_conversion(&m) ? m.why : NULL; /* without memory the solve reports it */
}

RgStatus rg_quick_rows_solve(RgArena *arena, RgProblem *p, const RgRowOptions *o, RgSolveReport *report)
{
    Conversion m = {.p = p, .arena = arena};
    RgQuickOptions options = o->quick.cookie != 0 ? o->quick : rg_quick_options_default();
    RgQuickReport found = {0};
    *report = (RgSolveReport){.residual = {.worst = -1}, .outcome = RG_SOLVE_ITERATIONS};
    if (!init_conversion(&m))
        return RG_ERR_MEMORY;
    if (m.why != NULL)
        return RG_ERR_UNSUPPORTED;
    if (!make_groups(&m))
        return RG_ERR_MEMORY;
    RgStatus status = p->n > 0 ? rg_quick_solve_once(arena, &m.out, &options, &found) : RG_OK;
    if (status != RG_OK)
        return status;
    store_solution(&m, p);
    report->iterations = found.sweeps;
    report->islands = m.islands.count;
    report->converged = found.unfinished == 0;
    report->guarded = found.guarded;
    report->outcome = report->converged ? RG_SOLVE_SOLVED : RG_SOLVE_ITERATIONS;
    if (!p->skip_residual)
        report->residual = rg_problem_residual(p, NULL, p->rate);
    return RG_OK;
}
