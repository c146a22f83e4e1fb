/*
 * quick_least_norm.c - converts a solved problem of patches to rows and replaces its impulses by those of least norm
 * (least_norm.h).
 *
 * Unknowns are velocities of unit mass: sqrt(m) v and C^-1 w of a free body, I^-1 = C C', and the coordinates of B of
 * an articulation (dV = B'B g, or the pivoted Cholesky factor of L). The rows n, t1, t2 of a point act with the force d
 * at p on B, and its opposite on A: J = (d, p x d) over (v, w) of a body.
 *
 * Velocities do not change, so rows do not need them: s = 0 and target - J V instead of the target give the same w.
 *
 * Torsional and rolling friction of a patch, |m| <= k N, N the sum of its normal impulses, is shared by its points in
 * proportion to these: rows with |m_i| <= k n_i, the same set of moments. All turn alike, so each slides if one does.
 *
 * Not supported: torsional slip, whose compliance is that of the patch. Cost: points times columns.
 */
#include "math/dense_factor.h"
#include "solver/cone/least_norm.h"
#include "solver/quick/quick_work.h"

#include <math.h>
#include <string.h>

/* Part of the largest diagonal entry of L: a smaller remaining pivot is round-off. */
#define RANK_TOLERANCE 1e-13

#define BODY_VELOCITIES 6 /* of a free body: v, w */

typedef struct RowBuild {
    const RgPatchProblem *from;
    RgProblem p;
    int *first;       /* nmovers + ngroups: first unknown of a free body or an articulation; -1: none */
    int *rank;        /* ngroups */
    const double **B; /* ngroups: rank x noutputs */
    double (*C)[6];   /* nmovers: lower triangle of the Cholesky factor of the inverse inertia */
} RowBuild;

/* ------------------------------------------------------------------ unknowns */

/* I^-1 = C C', C lower: xx, yx, yy, zx, zy, zz. */
static void cholesky_3x3(RgSym3 I, double C[6])
{
    C[0] = sqrt(fmax(I.xx, 0.0));
    C[1] = C[0] > 0.0 ? I.xy / C[0] : 0.0;
    C[3] = C[0] > 0.0 ? I.xz / C[0] : 0.0;
    C[2] = sqrt(fmax(I.yy - C[1] * C[1], 0.0));
    C[4] = C[2] > 0.0 ? (I.yz - C[1] * C[3]) / C[2] : 0.0;
    C[5] = sqrt(fmax(I.zz - C[3] * C[3] - C[4] * C[4], 0.0));
}

static bool add_articulation(RgArena *arena, RowBuild *r, int g)
{
    const RgArticulation *group = &r->from->groups[g];
    int n = group->noutputs;
    r->B[g] = group->B;
    r->rank[g] = group->rank;
    if (group->B != NULL)
        return true;
    double *half = RG_ARENA_ALLOC(arena, double, (size_t)n *(size_t)n), *spare = RG_ARENA_ALLOC_RAW(arena, double, n);
    double *B = RG_ARENA_ALLOC_RAW(arena, double, (size_t)n *(size_t)n);
    if (arena->failed)
        return false;
    r->rank[g] = rg_pivoted_cholesky(group->L, n, RANK_TOLERANCE, half, spare);
    for (int k = 0; k < r->rank[g]; k++)
        for (int j = 0; j < n; j++)
            B[(size_t)k * (size_t)n + (size_t)j] = half[(size_t)j * (size_t)n + (size_t)k];
    r->B[g] = B;
    return true;
}

/* Marks a free body that a patch or row acts on. */
static void mark_used(RowBuild *r, int32_t mover)
{
    if (mover > 0 && r->from->movers[mover].group < 0)
        r->first[mover] = 0;
}

static bool number_unknowns(RgArena *arena, RowBuild *r)
{
    const RgPatchProblem *from = r->from;
    int count = from->nmovers + from->ngroups;
    for (int i = 0; i < count; i++)
        r->first[i] = -1;
    for (int32_t k = 0; k < from->npatches; k++)
        for (int side = 0; side < 2; side++)
            mark_used(r, from->patches[k].mover[side]);
    for (int32_t k = 0; k < from->nrows; k++)
        for (int e = 0; e < from->rows[k].nspans; e++)
            mark_used(r, from->rows[k].span[e].mover);
    for (int g = 0; g < from->ngroups; g++)
        if (!add_articulation(arena, r, g))
            return false;
    int *block = RG_ARENA_ALLOC_RAW(arena, int, from->nmovers);
    if (block == NULL)
        return false;
    for (int i = 0; i < count; i++) {
        bool group = i >= from->nmovers;
        if (!group && r->first[i] < 0)
            continue;
        if (!group) {
            block[r->p.nblocks++] = r->p.nu;
            cholesky_3x3(from->movers[i].inverse_inertia, r->C[i]);
        }
        r->first[i] = r->p.nu;
        r->p.nu += group ? r->rank[i - from->nmovers] : BODY_VELOCITIES;
    }
    r->p.block = block;
    return true;
}

/* ------------------------------------------------------------------ rows */

/* Index of the columns of unknowns first ... first + count - 1 in the current row; they are inserted if missing. */
static int find_columns(RowBuild *r, int first, int count)
{
    RgProblem *p = &r->p;
    int begin = p->start[p->n], end = p->start[p->n + 1], to = end;
    while (to > begin && p->columns[to - 1] > first)
        to--;
    if (to > begin && p->columns[to - 1] == first)
        return to - 1;
    memmove(p->columns + to + count, p->columns + to, (size_t)(end - to) * sizeof *p->columns);
    memmove(p->values + to + count, p->values + to, (size_t)(end - to) * sizeof *p->values);
    for (int k = 0; k < count; k++) {
        p->columns[to + k] = first + k;
        p->values[to + k] = 0.0;
    }
    p->start[p->n + 1] += count;
    return to;
}

/* Adds B times the coefficients J of n outputs, from `output` on. */
static void add_outputs(RowBuild *r, int g, int output, const double *J, int n)
{
    int first = r->first[r->from->nmovers + g], noutputs = r->from->groups[g].noutputs;
    for (int k = 0; k < r->rank[g]; k++) {
        const double *B = r->B[g] + (ptrdiff_t)k * noutputs + output;
        double sum = 0.0;
        for (int j = 0; j < n; j++)
            sum += B[j] * J[j];
        if (sum != 0.0) /* not an ancestor */
            r->p.values[find_columns(r, first + k, 1)] += sum;
    }
}

/* Adds the coefficients of the velocities of a body, v then w. */
static void add_mover(RowBuild *r, int32_t mover, const double J[BODY_VELOCITIES])
{
    const RgSolverBody *m = &r->from->movers[mover];
    if (mover == 0)
        return;
    if (m->group >= 0) {
        add_outputs(r, m->group, m->output, J, BODY_VELOCITIES);
        return;
    }
    const double *C = r->C[mover], root = sqrt(m->inverse_mass);
    double *to = r->p.values + find_columns(r, r->first[mover], BODY_VELOCITIES);
    for (int k = 0; k < 3; k++)
        to[k] += root * J[k];
    to[3] += C[0] * J[3] + C[1] * J[4] + C[3] * J[5];
    to[4] += C[2] * J[4] + C[4] * J[5];
    to[5] += C[5] * J[5];
}

static int begin_row(RowBuild *r)
{
    r->p.start[r->p.n + 1] = r->p.start[r->p.n];
    return r->p.n;
}

static void end_row(RowBuild *r, RgRowClass row_class, double target, double compliance, double z)
{
    RgProblem *p = &r->p;
    int i = p->n++;
    p->row_class[i] = (uint8_t)row_class;
    p->target[i] = target;
    p->compliance[i] = compliance;
    p->z[i] = z;
    p->low[i] = 0.0;
    p->high[i] = INFINITY;
    p->normal[i] = -1;
    p->cone[i] = false;
}

/* Adds the coefficients of a row. */
static void add_spans(RowBuild *r, const RgPatchRow *row)
{
    const RgPatchProblem *from = r->from;
    for (int e = 0; e < row->nspans; e++) {
        const RgRowSpan *span = &row->span[e];
        if (span->mover > 0)
            add_mover(r, span->mover, span->J);
        else if (span->single >= 0)
            add_outputs(r, from->single_group[span->single], from->single_output[span->single], span->J, 1);
    }
}

/* Bounds the present row by the normal impulse of row `normal`. */
static void bound_by_normal(RowBuild *r, int normal, double bound)
{
    RgProblem *p = &r->p;
    p->normal[p->n - 1] = normal;
    p->high[p->n - 1] = bound;
    p->low[p->n - 1] = -bound;
}

/* Adds a point's share of a row of torsion or rolling. sum: of the normal impulses of its patch. */
static void add_turn(RowBuild *r, const RgPatchRow *row, int normal, double sum)
{
    double rate = rg_patch_row_velocity(r->from, row, r->from->V);
    int i = begin_row(r);
    add_spans(r, row);
    end_row(r, RG_ROW_FRICTION, row->target - rate, 0.0, sum > 0.0 ? row->z * r->p.z[normal] / sum : 0.0);
    bound_by_normal(r, normal, row->bound);
    r->p.cone[i] = row->disc;
}

/* Adds the row of a point of a patch along axis k (t1, t2, n). */
static void add_point_row(RowBuild *r, const RgPatch *patch, int point, int k)
{
    RgVec3 d = patch->axis[k];
    RgVec3 place = v3_axpy(patch->place[point][0], patch->axis[0], v3_scale(patch->place[point][1], patch->axis[1]));
    double rate = 0.0;
    begin_row(r);
    for (int side = 0; side < 2; side++) {
        RgVec3 f = v3_scale(side == 1 ? 1.0 : -1.0, d), m = v3_cross(v3_add(patch->arm[side], place), f);
        const double J[BODY_VELOCITIES] = {f.x, f.y, f.z, m.x, m.y, m.z};
        const double *V = r->from->V + (ptrdiff_t)RG_BODY_PLACES * patch->mover[side];
        for (int j = 0; j < BODY_VELOCITIES; j++)
            rate += J[j] * V[j];
        add_mover(r, patch->mover[side], J);
    }
    bool normal = k == 2;
    end_row(r, normal ? RG_ROW_NORMAL : RG_ROW_FRICTION, (normal ? patch->target[point] : 0.0) - rate,
            patch->compliance[normal ? 0 : 1 + k], patch->z[point][normal ? 0 : 1 + k]);
}

static bool has_friction(const RgPatch *patch)
{
    return patch->mu[0] > 0.0 || patch->mu[1] > 0.0;
}

/* turn: the rows of torsion and rolling of the patch. */
static void add_point(RowBuild *r, const RgPatch *patch, int point, const RgPatchRow *turn, int turns)
{
    int first = r->p.n;
    double sum = 0.0;
    add_point_row(r, patch, point, 2);
    for (int k = 0; k < 2 && has_friction(patch); k++) {
        add_point_row(r, patch, point, k);
        bound_by_normal(r, first, patch->mu[k]);
        r->p.cone[first + 1] = true;
    }
    for (int i = 0; i < patch->count; i++)
        sum += patch->z[i][0];
    for (int k = 0; k < turns; k++)
        add_turn(r, &turn[k], first, sum);
}

static void add_row(RowBuild *r, const RgPatchRow *row)
{
    double rate = rg_patch_row_velocity(r->from, row, r->from->V);
    int i = begin_row(r);
    add_spans(r, row);
    end_row(r, RG_ROW_BOUNDED, row->target - rate, row->compliance, row->z);
    r->p.low[i] = row->low;
    r->p.high[i] = row->high;
}

/* ------------------------------------------------------------------ whole */

/* Allocates the rows for the largest number of coefficients. False: no memory. */
static bool alloc_rows(RgArena *arena, RowBuild *r)
{
    const RgPatchProblem *from = r->from;
    int n = from->nrows, widest = 0;
    for (int32_t k = 0; k < from->npatches; k++)
        n += 3 * from->patches[k].count;
    for (int32_t k = 0; k < from->nrows; k++)
        n += from->rows[k].patch >= 0 ? RG_PATCH_POINTS : 0;
    r->first = RG_ARENA_ALLOC_RAW(arena, int, from->nmovers + from->ngroups);
    r->rank = RG_ARENA_ALLOC_RAW(arena, int, from->ngroups);
    r->B = (const double **)rg_arena_alloc_raw(arena, (size_t)from->ngroups, sizeof *r->B);
    r->C = rg_arena_alloc_raw(arena, (size_t)from->nmovers, sizeof *r->C);
    if (arena->failed || !number_unknowns(arena, r))
        return false;
    for (int g = 0; g < from->ngroups; g++)
        widest = r->rank[g] > widest ? r->rank[g] : widest;
    RgProblem *p = &r->p;
    size_t entries = (size_t)n * 2 * (size_t)(widest > BODY_VELOCITIES ? widest : BODY_VELOCITIES);
    if (from->nrows > 0) /* these may act on more bodies */
        entries +=
            (size_t)from->nrows * (RG_ROW_SPANS - 2) * (size_t)(widest > BODY_VELOCITIES ? widest : BODY_VELOCITIES);
    p->thread_pool = from->thread_pool;
    p->skip_residual = true;
    return rg_problem_alloc(arena, p, n, entries);
}

/* Copies the impulses of the rows of a patch back, from row i on. Returns the row after them. */
static int copy_patch(const RowBuild *r, int i, RgPatch *patch, RgPatchRow *turn, int turns)
{
    for (int k = 0; k < turns; k++)
        turn[k].z = 0.0;
    for (int point = 0; point < patch->count; point++) {
        for (int j = 0; j < (has_friction(patch) ? 3 : 1); j++)
            patch->z[point][j] = r->p.z[i++];
        for (int k = 0; k < turns; k++)
            turn[k].z += r->p.z[i++];
    }
    return i;
}

/* Visits all points, then the rows that belong to no patch: adds their rows, or, with `to`, copies the impulses back.
   Rows of torsion and rolling are ordered by patches. */
static void visit_points_and_rows(RowBuild *r, RgPatchProblem *to)
{
    const RgPatchProblem *from = r->from;
    int i = 0, first = 0;
    while (first < from->nrows && from->rows[first].patch < 0)
        first++;
    for (int32_t k = 0, turn = first; k < from->npatches; k++) {
        const RgPatch *patch = &from->patches[k];
        int turns = 0;
        while (turn + turns < from->nrows && from->rows[turn + turns].patch == k)
            turns++;
        for (int point = 0; point < patch->count && to == NULL; point++)
            add_point(r, patch, point, &from->rows[turn], turns);
        i = to != NULL ? copy_patch(r, i, &to->patches[k], &to->rows[turn], turns) : i;
        turn += turns;
    }
    for (int32_t k = 0; k < first; k++)
        if (to == NULL)
            add_row(r, &from->rows[k]);
        else
            to->rows[k].z = r->p.z[i++];
}

RgStatus rg_quick_least_norm(RgArena *arena, RgArena *work, RgPatchProblem *problem, double tolerance,
                             RgSolveReport *report)
{
    RowBuild r = {.from = problem};
    for (int32_t k = 0; k < problem->nrows; k++)
        if (problem->rows[k].patch >= 0 && problem->rows[k].compliance > 0.0)
            return RG_ERR_UNSUPPORTED;
    rg_arena_reset(arena);
    if (!alloc_rows(arena, &r))
        return RG_ERR_MEMORY;
    visit_points_and_rows(&r, NULL);
    if (!rg_least_norm(work, &r.p, tolerance, report))
        return RG_ERR_MEMORY;
    visit_points_and_rows(&r, problem);
    return RG_OK;
}
