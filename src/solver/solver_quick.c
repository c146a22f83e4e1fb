/*
 * solver_quick.c - block Gauss-Seidel over contact patches and rows, with conjugate directions between
 * sweeps.
 *
 * A sweep visits every row, then every patch of an island, colour after colour: each gets the impulses that
 * are right given all others (quick_kernel.h), and the velocities follow at once. Sweeps alone converge
 * slowly where many bodies lie on each other; so after each, with d the change of all impulses z and p the
 * last direction (Silcowitz, Niebe, Erleben 2010, nonsmooth nonlinear conjugate gradients):
 *
 *   beta = |d|^2 / |d of the sweep before|^2
 *   beta > 1:  p = 0          else  z += beta p,  p = beta p + d,  and V along with z, which is linear
 *
 * The next sweep projects what has left its cone. An island ends when |d| <= tolerance |z| after a sweep, or
 * on max_sweeps; always with a sweep, so that every impulse is allowed.
 *
 * Same bits for any kernel: lanes of one colour never meet, and sums over patches go in the order of the
 * list. Norms mix N s and N m s: they only say when to stop and how far to reach.
 *
 * Failure: none but memory. Sweeps are bounded; a patch of two still things is never given.
 */
#include "solver/islands.h"
#include "solver/quick.h"
#include "solver/quick_lanes.h"

#include <string.h>

/* Friction along one tangent is taken for no less than this part of the other's. */
#define MOST_STRETCH 1e8

/* What one solve works with. */
typedef struct Quick {
    RgPatchProblem *problem;
    const RgQuickOptions *options;
    const RgPatchKernel *kernel;
    RgIslands islands;
    int32_t *first_lanes; /* islands + 1 */
    RgPatchLanes *lanes;
    double *per_row;                /* nrows: 1 / (J L J' + C) */
    double *row_last, *row_search;  /* nrows */
    double *V_last, *V_search;      /* as V */
} Quick;

/* ------------------------------------------------------------------ impulses on movers */

/* dV of a whole group from an impulse on some of its outputs. */
static void push_group(const RgPatchProblem *p, int32_t group, int32_t output, const double *g, int count, double *V)
{
    const RgMoverGroup *G = &p->groups[group];
    for (int32_t k = 0; k < G->noutputs; k++) {
        const double *row = G->L + (size_t)k * (size_t)G->noutputs + output;
        double sum = 0.0;
        for (int c = 0; c < count; c++)
            sum += row[c] * g[c];
        V[G->place[k]] += sum;
    }
}

/* g: force, then moment about the centre. */
static void push_mover(const RgPatchProblem *p, int32_t mover, const double g[6], double *V)
{
    const RgMover *m = &p->movers[mover];
    if (mover == 0)
        return;
    if (m->group >= 0) {
        push_group(p, m->group, m->output, g, 6, V);
        return;
    }
    double *to = V + RG_MOVER_PLACES * mover;
    RgVec3 w = s3_apply(m->inverse_inertia, v3(g[3], g[4], g[5]));
    for (int i = 0; i < 3; i++)
        to[i] += m->inverse_mass * g[i];
    to[3] += w.x;
    to[4] += w.y;
    to[5] += w.z;
}

/* ------------------------------------------------------------------ patches on movers of groups */

/* Wrench at the mean in the patch's axes, as impulses on its two movers. */
static void push_patch(const RgPatchProblem *p, const RgPatch *patch, const double W[6], double *V)
{
    RgVec3 f = v3_zero(), m = v3_zero();
    for (int i = 0; i < 3; i++) {
        f = v3_axpy(W[i], patch->axis[i], f);
        m = v3_axpy(W[3 + i], patch->axis[i], m);
    }
    for (int side = 0; side < 2; side++) {
        double sign = side == 1 ? 1.0 : -1.0;
        RgVec3 n = v3_add(m, v3_cross(patch->arm[side], f));
        double g[6] = {sign * f.x, sign * f.y, sign * f.z, sign * n.x, sign * n.y, sign * n.z};
        push_mover(p, patch->mover[side], g, V);
    }
}

static void look_patch(const RgPatch *patch, const double *V, double y[6])
{
    RgVec3 u = v3_zero(), w = v3_zero();
    for (int side = 0; side < 2; side++) {
        const double *from = V + RG_MOVER_PLACES * patch->mover[side];
        double sign = side == 1 ? 1.0 : -1.0;
        RgVec3 turn = {from[3], from[4], from[5]};
        RgVec3 at = v3_add(v3(from[0], from[1], from[2]), v3_cross(turn, patch->arm[side]));
        u = v3_axpy(sign, at, u);
        w = v3_axpy(sign, turn, w);
    }
    for (int i = 0; i < 3; i++) {
        y[i] = v3_dot(patch->axis[i], u);
        y[3 + i] = v3_dot(patch->axis[i], w);
    }
}

/* K by unit wrenches, on velocities that are put back. */
static void respond_grouped(const Quick *q, RgPatchLanes *lanes)
{
    const RgPatchProblem *p = q->problem;
    const RgPatch *patch = &p->patches[lanes->patch[0]];
    double *V = q->V_last; /* zero outside a sweep */
    for (int j = 0; j < 6; j++) {
        double W[6] = {0.0}, y[6];
        W[j] = 1.0;
        push_patch(p, patch, W, V);
        look_patch(patch, V, y);
        for (int i = j; i < 6; i++)
            lanes->K[i * (i + 1) / 2 + j][0] = y[i];
        for (int side = 0; side < 2; side++) {
            const RgMover *m = &p->movers[patch->mover[side]];
            memset(V + RG_MOVER_PLACES * patch->mover[side], 0, RG_MOVER_PLACES * sizeof *V);
            for (int32_t k = 0; m->group >= 0 && k < p->groups[m->group].noutputs; k++)
                V[p->groups[m->group].place[k]] = 0.0;
        }
    }
    rg_patch_finish(lanes, 0);
}

static void visit_grouped(const Quick *q, RgPatchLanes *lanes)
{
    const RgPatch *patch = &q->problem->patches[lanes->patch[0]];
    double y[6], dW[6];
    look_patch(patch, q->problem->V, y);
    rg_patch_settle(lanes, 0, y, dW);
    push_patch(q->problem, patch, dW, q->problem->V);
}

static void begin_grouped(const Quick *q, const RgPatchLanes *lanes)
{
    double W[6];
    rg_patch_wrench(lanes, 0, W);
    push_patch(q->problem, &q->problem->patches[lanes->patch[0]], W, q->problem->V);
}

/* ------------------------------------------------------------------ lanes */

static bool is_grouped(const RgPatchProblem *p, const RgPatch *patch)
{
    return p->movers[patch->mover[0]].group >= 0 || p->movers[patch->mover[1]].group >= 0;
}

/* Inverse of the points' spread. Points on one line, or one alone: only what they can do. */
static void spread_points(const RgPatch *patch, RgPatchLanes *to, int lane)
{
    double rr = 0.0, rs = 0.0, ss = 0.0;
    for (int i = 0; i < patch->count; i++) {
        double s = patch->place[i][0], r = patch->place[i][1];
        rr += r * r;
        rs += r * s;
        ss += s * s;
    }
    double per = patch->count > 2 ? 1.0 / (rr * ss - rs * rs) : 0.0;
    to->spread[0][lane] = per * ss;
    to->spread[1][lane] = per * rs;
    to->spread[2][lane] = patch->count == 2 ? 1.0 / ss : per * rr;
    to->twist[lane] = patch->count > 1 ? 1.0 / (ss + rr) : 0.0;
}

/* Which parts of a wrench the points can make. */
static void mark_active(const RgPatch *patch, RgPatchLanes *to, int lane)
{
    bool rubs = patch->mu[0] > 0.0 && patch->mu[1] > 0.0;
    bool active[6] = {rubs, rubs, true, patch->count > 2, patch->count > 1, rubs && patch->count > 1};
    for (int i = 0; i < 6; i++)
        to->active[i][lane] = active[i] ? 1.0 : 0.0;
}

static void pack_side(const RgPatchProblem *p, const RgPatch *patch, int side, RgPatchLanes *to, int lane)
{
    const RgMover *m = &p->movers[patch->mover[side]];
    const double I[6] = {m->inverse_inertia.xx, m->inverse_inertia.yy, m->inverse_inertia.zz,
                         m->inverse_inertia.xy, m->inverse_inertia.xz, m->inverse_inertia.yz};
    const double arm[3] = {patch->arm[side].x, patch->arm[side].y, patch->arm[side].z};
    for (int i = 0; i < 6; i++)
        to->inverse_inertia[side][i][lane] = I[i];
    for (int i = 0; i < 3; i++)
        to->arm[side][i][lane] = arm[i];
    to->inverse_mass[side][lane] = m->inverse_mass;
    to->mover[side][lane] = patch->mover[side];
}

static void pack(const RgPatchProblem *p, int32_t number, RgPatchLanes *to, int lane)
{
    const RgPatch *patch = &p->patches[number];
    to->patch[lane] = number;
    to->points = patch->count > to->points ? patch->count : to->points;
    for (int i = 0; i < 3; i++) {
        to->axis[i][0][lane] = patch->axis[i].x;
        to->axis[i][1][lane] = patch->axis[i].y;
        to->axis[i][2][lane] = patch->axis[i].z;
    }
    pack_side(p, patch, 0, to, lane);
    pack_side(p, patch, 1, to, lane);
    for (int i = 0; i < RG_PATCH_POINTS; i++) {
        bool is = i < patch->count;
        to->present[i][lane] = is ? 1.0 : 0.0;
        to->place[i][0][lane] = is ? patch->place[i][0] : 0.0;
        to->place[i][1][lane] = is ? patch->place[i][1] : 0.0;
        to->target[i][lane] = is ? patch->target[i] : 0.0;
        for (int k = 0; k < 3; k++) {
            to->z[i][k][lane] = is ? patch->z[i][k] : 0.0;
            to->search[i][k][lane] = 0.0;
        }
    }
    double mu = patch->mu[0] > patch->mu[1] ? patch->mu[0] : patch->mu[1];
    to->mu[lane] = mu;
    for (int i = 0; i < 2; i++) {
        double least = mu / MOST_STRETCH;
        to->stretch[i][lane] = mu > 0.0 ? mu / (patch->mu[i] > least ? patch->mu[i] : least) : 1.0;
    }
    to->rigid[lane] = 1.0;
    for (int i = 0; i < 3; i++) {
        to->compliance[i][lane] = patch->compliance[i];
        to->rigid[lane] = patch->compliance[i] == 0.0 ? to->rigid[lane] : 0.0;
    }
    to->share[lane] = 1.0 / patch->count;
    mark_active(patch, to, lane);
    spread_points(patch, to, lane);
}

/* An unused lane: no points, unit masses, on the ground. */
static void pack_nothing(RgPatchLanes *to, int lane)
{
    static const RgMover unit = {1.0, {1.0, 1.0, 1.0, 0.0, 0.0, 0.0}, -1, 0};
    RgPatch nothing = {.axis = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    RgPatchProblem p = {.movers = &unit, .patches = &nothing};
    pack(&p, 0, to, lane);
    to->share[lane] = 0.0;
}

/* Lanes that a run of patches of one colour needs, and fills: fours of free ones; those of groups, and
   those that share movers, by themselves. */
static int32_t fill_run(const Quick *q, const int32_t *list, int32_t count, bool apart, RgPatchLanes *lanes)
{
    const RgPatchProblem *p = q->problem;
    RgPatchLanes *open = NULL;
    int32_t n = 0;
    for (int32_t i = 0; i < count; i++) {
        bool grouped = is_grouped(p, &p->patches[list[i]]), alone = grouped || !apart;
        if (alone || open == NULL || open->lanes == RG_LANES) {
            RgPatchLanes *fresh = &lanes[n++];
            fresh->lanes = fresh->points = 0;
            fresh->grouped = grouped;
            open = alone ? open : fresh;
            pack(p, list[i], fresh, fresh->lanes++);
        } else {
            pack(p, list[i], open, open->lanes++);
        }
    }
    return n;
}

/* At most so many lanes for such a run. */
static int32_t count_run(const RgPatchProblem *p, const int32_t *list, int32_t count, bool apart)
{
    int32_t alone = 0;
    for (int32_t i = 0; i < count; i++)
        alone += !apart || is_grouped(p, &p->patches[list[i]]);
    return alone + (count - alone + RG_LANES - 1) / RG_LANES;
}

/* End of the run of one colour that begins at i. */
static int32_t run_end(const RgIslands *islands, int32_t i, int32_t end)
{
    int8_t colour = islands->colour[i];
    while (i < end && islands->colour[i] == colour)
        i++;
    return i;
}

/* Counts the lanes of all islands, or fills them. */
static void lay_lanes(Quick *q, bool fill)
{
    const RgIslands *islands = &q->islands;
    int32_t n = 0;
    for (int32_t k = 0; k < islands->count; k++) {
        const RgIsland *island = &islands->island[k];
        q->first_lanes[k] = n;
        int32_t end = island->first_patch + island->npatches;
        for (int32_t i = island->first_patch, next; i < end; i = next) {
            next = run_end(islands, i, end);
            bool apart = islands->colour[i] < RG_COLOURS;
            n += fill ? fill_run(q, islands->patches + i, next - i, apart, q->lanes + n)
                      : count_run(q->problem, islands->patches + i, next - i, apart);
        }
    }
    q->first_lanes[islands->count] = n;
}

static void prepare_lanes(Quick *q)
{
    int32_t n = q->first_lanes[q->islands.count];
    for (int32_t i = 0; i < n; i++) {
        RgPatchLanes *lanes = &q->lanes[i];
        for (int lane = lanes->lanes; lane < RG_LANES; lane++)
            pack_nothing(lanes, lane);
        if (lanes->grouped)
            respond_grouped(q, lanes);
        else
            q->kernel->prepare(lanes, lanes->lanes);
    }
}

/* ------------------------------------------------------------------ rows */

static void push_row(const RgPatchProblem *p, const RgPatchRow *row, double z, double *V)
{
    for (int k = 0; k < row->nspans; k++) {
        const RgRowSpan *s = &row->span[k];
        double g[6];
        for (int i = 0; i < 6; i++)
            g[i] = z * s->J[i];
        if (s->mover > 0)
            push_mover(p, s->mover, g, V);
        else
            push_group(p, p->single_group[s->single], p->single_output[s->single], g, 1, V);
    }
}

static double look_row(const RgPatchProblem *p, const RgPatchRow *row, const double *V)
{
    double sum = 0.0;
    for (int k = 0; k < row->nspans; k++) {
        const RgRowSpan *s = &row->span[k];
        const double *from = V + (s->mover > 0 ? RG_MOVER_PLACES * s->mover : RG_MOVER_PLACES * p->nmovers + s->single);
        for (int i = 0; i < (s->mover > 0 ? 6 : 1); i++)
            sum += s->J[i] * from[i];
    }
    return sum;
}

/* Puts back to zero what a row can have moved. */
static void clear_row(const RgPatchProblem *p, const RgPatchRow *row, double *V)
{
    for (int k = 0; k < row->nspans; k++) {
        const RgRowSpan *s = &row->span[k];
        int32_t group = s->mover > 0 ? p->movers[s->mover].group : p->single_group[s->single];
        if (group < 0)
            memset(V + RG_MOVER_PLACES * s->mover, 0, RG_MOVER_PLACES * sizeof *V);
        for (int32_t i = 0; group >= 0 && i < p->groups[group].noutputs; i++)
            V[p->groups[group].place[i]] = 0.0;
    }
}

static void prepare_rows(Quick *q)
{
    RgPatchProblem *p = q->problem;
    for (int32_t i = 0; i < p->nrows; i++) {
        const RgPatchRow *row = &p->rows[i];
        push_row(p, row, 1.0, q->V_last);
        double response = look_row(p, row, q->V_last) + row->compliance;
        clear_row(p, row, q->V_last);
        q->per_row[i] = response > 0.0 ? 1.0 / response : 0.0;
        q->row_search[i] = 0.0;
    }
}

/* Sum of a patch's normal impulses now. lane_of: where it stands. */
static double normal_sum(const RgPatch *patch)
{
    double sum = 0.0;
    for (int i = 0; i < patch->count; i++)
        sum += patch->z[i][0];
    return sum;
}

static void visit_row(const Quick *q, int32_t i)
{
    RgPatchProblem *p = q->problem;
    RgPatchRow *row = &p->rows[i];
    double low = row->low, high = row->high;
    if (row->patch >= 0) {
        high = row->bound * normal_sum(&p->patches[row->patch]);
        low = -high;
    }
    double off = look_row(p, row, p->V) + row->compliance * row->z - row->target;
    double z = row->z - off * q->per_row[i];
    z = z < low ? low : z > high ? high : z;
    q->row_last[i] = row->z;
    push_row(p, row, z - row->z, p->V);
    row->z = z;
}

/* ------------------------------------------------------------------ islands */

/* Impulses of the lanes back to the patches. */
static void write_back(RgPatchProblem *p, const RgPatchLanes *lanes)
{
    for (int lane = 0; lane < lanes->lanes; lane++) {
        RgPatch *patch = &p->patches[lanes->patch[lane]];
        for (int i = 0; i < patch->count; i++)
            for (int k = 0; k < 3; k++)
                patch->z[i][k] = lanes->z[i][k][lane];
    }
}

static bool has_bound_rows(const RgPatchProblem *p, const RgIslands *islands, const RgIsland *island)
{
    for (int32_t i = 0; i < island->nrows; i++)
        if (p->rows[islands->rows[island->first_row + i]].patch >= 0)
            return true;
    return false;
}

/* The velocities of an island: from one array to another. */
static void copy_velocities(const Quick *q, const RgIsland *island, const double *from, double *to)
{
    const int32_t *movers = q->islands.movers + island->first_mover;
    const int32_t *singles = q->islands.singles + island->first_single;
    for (int32_t i = 0; i < island->nmovers; i++)
        memcpy(to + RG_MOVER_PLACES * movers[i], from + RG_MOVER_PLACES * movers[i], RG_MOVER_PLACES * sizeof *to);
    for (int32_t i = 0; i < island->nsingles; i++) {
        int32_t at = RG_MOVER_PLACES * q->problem->nmovers + singles[i];
        to[at] = from[at];
    }
}

/* |z - last|^2 and |z|^2 over an island. */
typedef struct Norms {
    double change2, size2;
} Norms;

static Norms sweep(const Quick *q, int32_t k, bool bound_rows)
{
    const RgIsland *island = &q->islands.island[k];
    RgPatchProblem *p = q->problem;
    Norms sum = {0.0, 0.0};
    for (int32_t i = 0; i < island->nrows; i++) {
        int32_t row = q->islands.rows[island->first_row + i];
        visit_row(q, row);
        double d = p->rows[row].z - q->row_last[row];
        sum.change2 += d * d;
        sum.size2 += p->rows[row].z * p->rows[row].z;
    }
    for (int32_t i = q->first_lanes[k]; i < q->first_lanes[k + 1]; i++) {
        RgPatchLanes *lanes = &q->lanes[i];
        if (lanes->grouped)
            visit_grouped(q, lanes);
        else
            q->kernel->visit(lanes, lanes->lanes, p->V);
        for (int lane = 0; lane < lanes->lanes; lane++) {
            sum.change2 += lanes->change2[lane];
            sum.size2 += lanes->size2[lane];
        }
        if (bound_rows)
            write_back(p, lanes);
    }
    return sum;
}

/* z += beta p, p = beta p + d for one number. */
static inline void advance(double *z, double last, double *search, double beta)
{
    double d = *z - last;
    *z += beta * *search;
    *search = beta * *search + d;
}

static inline void accelerate_places(double *V, const double *last, double *search, int count, double beta)
{
    for (int i = 0; i < count; i++)
        advance(&V[i], last[i], &search[i], beta);
}

/* A step along the last direction, and the next one. */
static void accelerate(const Quick *q, int32_t k, double beta)
{
    const RgIsland *island = &q->islands.island[k];
    RgPatchProblem *p = q->problem;
    for (int32_t i = 0; i < island->nrows; i++) {
        int32_t row = q->islands.rows[island->first_row + i];
        advance(&p->rows[row].z, q->row_last[row], &q->row_search[row], beta);
    }
    for (int32_t i = q->first_lanes[k]; i < q->first_lanes[k + 1]; i++) {
        RgPatchLanes *lanes = &q->lanes[i];
        accelerate_places(&lanes->z[0][0][0], &lanes->last[0][0][0], &lanes->search[0][0][0],
                          lanes->points * 3 * RG_LANES, beta);
    }
    for (int32_t i = 0; i < island->nmovers; i++) {
        int32_t at = RG_MOVER_PLACES * q->islands.movers[island->first_mover + i];
        accelerate_places(p->V + at, q->V_last + at, q->V_search + at, RG_MOVER_PLACES, beta);
    }
    for (int32_t i = 0; i < island->nsingles; i++) {
        int32_t at = RG_MOVER_PLACES * p->nmovers + q->islands.singles[island->first_single + i];
        accelerate_places(p->V + at, q->V_last + at, q->V_search + at, 1, beta);
    }
}

/* Brings the first guess into the velocities. */
static void begin_island(const Quick *q, int32_t k)
{
    const RgIsland *island = &q->islands.island[k];
    RgPatchProblem *p = q->problem;
    for (int32_t i = 0; i < island->nrows; i++) {
        const RgPatchRow *row = &p->rows[q->islands.rows[island->first_row + i]];
        push_row(p, row, row->z, p->V);
    }
    for (int32_t i = q->first_lanes[k]; i < q->first_lanes[k + 1]; i++) {
        if (q->lanes[i].grouped)
            begin_grouped(q, &q->lanes[i]);
        else
            q->kernel->begin(&q->lanes[i], q->lanes[i].lanes, p->V);
    }
}

static void solve_island(const Quick *q, int32_t k, RgQuickReport *report)
{
    const RgIsland *island = &q->islands.island[k];
    const RgQuickOptions *options = q->options;
    bool bound_rows = has_bound_rows(q->problem, &q->islands, island), rests = false;
    double tolerance2 = options->tolerance * options->tolerance, before2 = INFINITY;
    Norms norms = {0.0, 0.0};
    int n = 0;
    begin_island(q, k);
    while (!rests && n < options->max_sweeps) {
        if (n > 0 && options->accelerate) {
            /* The first direction is the first change; a change that grew ends the direction. */
            double beta = n == 1 ? 0.0 : norms.change2 / before2;
            before2 = norms.change2;
            if (beta <= 1.0)
                accelerate(q, k, beta);
            else
                for (int32_t i = q->first_lanes[k]; i < q->first_lanes[k + 1]; i++)
                    memset(q->lanes[i].search, 0, sizeof q->lanes[i].search);
            if (beta > 1.0) {
                for (int32_t i = 0; i < island->nrows; i++)
                    q->row_search[q->islands.rows[island->first_row + i]] = 0.0;
                for (int32_t i = 0; i < island->nmovers; i++)
                    memset(q->V_search + RG_MOVER_PLACES * q->islands.movers[island->first_mover + i], 0,
                           RG_MOVER_PLACES * sizeof(double));
                for (int32_t i = 0; i < island->nsingles; i++)
                    q->V_search[RG_MOVER_PLACES * q->problem->nmovers + q->islands.singles[island->first_single + i]] =
                        0.0;
            }
        }
        copy_velocities(q, island, q->problem->V, q->V_last);
        norms = sweep(q, k, bound_rows);
        n++;
        rests = norms.change2 <= tolerance2 * norms.size2 && options->tolerance > 0.0;
    }
    for (int32_t i = q->first_lanes[k]; i < q->first_lanes[k + 1]; i++)
        write_back(q->problem, &q->lanes[i]);
    report->sweeps = n > report->sweeps ? n : report->sweeps;
    report->unfinished += !rests;
    double residual = norms.size2 > 0.0 ? sqrt(norms.change2 / norms.size2) : 0.0;
    report->residual = residual > report->residual ? residual : report->residual;
}

RgStatus rg_quick_solve(RgArena *arena, RgPatchProblem *problem, const RgQuickOptions *options,
                        RgQuickReport *report)
{
    *report = (RgQuickReport){0};
    rg_arena_reset(arena);
    Quick q = {.problem = problem,
               .options = options,
               .kernel = options->plain ? &rg_patch_kernel : &rg_patch_kernel_simd};
    int32_t places = RG_MOVER_PLACES * problem->nmovers + problem->nsingles;
    if (!rg_islands_find(arena, problem, &q.islands))
        return RG_ERR_MEMORY;
    q.first_lanes = RG_TAKE_RAW(arena, int32_t, q.islands.count + 1);
    if (arena->failed)
        return RG_ERR_MEMORY;
    lay_lanes(&q, false);
    q.lanes = RG_TAKE_RAW(arena, RgPatchLanes, q.first_lanes[q.islands.count]);
    q.per_row = RG_TAKE_RAW(arena, double, problem->nrows);
    q.row_last = RG_TAKE_RAW(arena, double, problem->nrows);
    q.row_search = RG_TAKE_RAW(arena, double, problem->nrows);
    q.V_last = RG_TAKE(arena, double, places);
    q.V_search = RG_TAKE(arena, double, places);
    if (arena->failed)
        return RG_ERR_MEMORY;
    lay_lanes(&q, true);
    prepare_lanes(&q);
    prepare_rows(&q);
    report->islands = q.islands.count;
    for (int32_t k = 0; k < q.islands.count; k++)
        solve_island(&q, k, report);
    return RG_OK;
}
