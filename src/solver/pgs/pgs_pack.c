/*
 * pgs_pack.c - a problem laid out for solver `pgs`: bundles of rows on the same blocks, coloured, four side
 * by side.
 *
 * Colours are given greedily in the order of the rows, within joints, bounded rows and contacts apart: the
 * first colour that neither of a bundle's blocks has yet. So four bundles of a colour share no block, and may
 * be visited at once; the order of visits, and with it the result, follows from the rows alone. What finds no
 * colour below COLOURS (a body with more neighbours) is visited by itself, after the others. Rows on anything
 * else than one or two whole blocks go to a list of their own.
 *
 * Cost: linear in the coefficients.
 */
#include "math/dense_factor.h"
#include "solver/pgs/pgs_lanes.h"

#include <string.h>

#define COLOURS 64

/* Blocks that can be visited at once, up to which each is visited by itself, with its rows side by side: four lanes cost
   as much as three of those. */
#define MOST_SOLO 2

/* Rows first ... first + count - 1 of the problem on two blocks (numbers from 1; 0: none). */
typedef struct Bundle {
    int32_t first, count;
    int32_t block[2];
    int8_t group, colour;
    int8_t points; /* contacts: normals among the rows, each with as many friction rows */
    bool whole;    /* its rows are solved at once */
    bool idle;     /* contacts: none of them pressed in the step before */
    int32_t patch; /* it is this patch whole, worth to be taken by its base rows; -1: it is not */
} Bundle;

typedef struct Packer {
    const RgProblem *p;
    const RgPgsOptions *o;
    int32_t *block_of; /* nu: number of the block that begins at an unknown, from 1; 0: none does */
    Bundle *bundles, *sorted;
    int32_t nbundles;
    int32_t next_patch; /* the first that does not lie before the present row */
    uint64_t *used;     /* nblocks + 1 */
} Packer;

/* ------------------------------------------------------------------ steps */

void rg_pgs_steps(const RgProblem *p, const RgPgsOptions *o, RgPgsSteps *out)
{
    out->not_in_sweeps = 0;
    rg_problem_responses(p, out->diagonal, out->response);
    for (int i = 0; i < p->n; i++) {
        bool rubs = p->row_class[i] == RG_ROW_FRICTION || p->row_class[i] == RG_ROW_BOX;
        double relax = rubs ? o->sor * o->friction_sor : o->sor, response = out->response[i];
        if (o->damping_in_sweeps && p->damper != NULL && p->damper[i]) {
            /* 003, section 4: the damper's force anew from the present velocity, z = -J s / C. That comes
               to rest only where C > J J'; a stronger damper is a row like others. */
            bool rests = 2.0 * p->compliance[i] > response;
            out->not_in_sweeps += !rests;
            response = rests ? p->compliance[i] : response;
            relax = rests ? 1.0 : relax;
        }
        out->per[i] = response > 0.0 ? relax / response : 0.0;
    }
}

bool rg_pgs_steps_take(RgArena *arena, const RgProblem *p, RgPgsSteps *out)
{
    *out = (RgPgsSteps){.diagonal = RG_TAKE_RAW(arena, double, p->n),
                        .response = RG_TAKE_RAW(arena, double, p->n),
                        .per = RG_TAKE_RAW(arena, double, p->n)};
    return !arena->failed;
}

/* ------------------------------------------------------------------ bundles */

/* Whether a row is on one or two whole blocks, and which. */
static bool find_blocks(const Packer *k, int i, int32_t block[2])
{
    const RgProblem *p = k->p;
    int at = p->start[i], count = p->start[i + 1] - at;
    block[0] = block[1] = 0;
    if (count != 6 && count != 12)
        return false;
    for (int side = 0; 6 * side < count; side++) {
        const int *columns = p->columns + at + 6 * side;
        block[side] = k->block_of[columns[0]];
        if (block[side] == 0 || columns[5] != columns[0] + 5)
            return false;
    }
    return true;
}

static int8_t group_of(int row_class)
{
    return row_class == RG_ROW_BILATERAL ? RG_PGS_JOINTS
           : row_class == RG_ROW_BOUNDED ? RG_PGS_BOUNDED
                                         : RG_PGS_CONTACTS;
}

/* Rows of the contact point whose normal is row i. */
static int point_rows(const RgProblem *p, int i)
{
    int end = i + 1;
    while (end < p->n && p->normal[end] == i)
        end++;
    return end - i;
}

/* Whether two points have friction of the same kind, row by row. */
static bool same_kind(const RgProblem *p, int i, int j, int count)
{
    for (int k = 0; k < count; k++)
        if (p->row_class[i + k] != p->row_class[j + k] || p->cone[i + k] != p->cone[j + k])
            return false;
    return true;
}

/* The patch that begins at row i; NULL: none. Rows are asked for in ascending order. */
static const RgRowPatch *find_patch(Packer *k, int i)
{
    const RgProblem *p = k->p;
    while (k->next_patch < p->npatches && p->patches[k->next_patch].first < i)
        k->next_patch++;
    return k->next_patch < p->npatches && p->patches[k->next_patch].first == i ? &p->patches[k->next_patch]
                                                                               : NULL;
}

/* Whether all friction of a bundle is cones with target 0. */
static bool has_cones(const RgProblem *p, const Bundle *b)
{
    for (int i = b->first; i < b->first + b->count; i += 3)
        if (!p->cone[i + 1] || p->target[i + 1] != 0.0 || p->target[i + 2] != 0.0)
            return false;
    return true;
}

/* Points from which on a patch is taken by its base rows. */
#define PATCH_POINTS 3

/* Whether the rows of a bundle are solved at once. 003's dampers within the sweeps are a law of their own. */
static bool is_block(const Packer *k, const Bundle *b)
{
    bool whole = k->o->joint_blocks && b->group == RG_PGS_JOINTS;
    for (int i = b->first; i < b->first + b->count && whole; i++)
        whole = !(k->o->damping_in_sweeps && k->p->damper != NULL && k->p->damper[i]);
    return whole;
}

/* The bundle that begins at row i; false: its rows are not of whole blocks. count: rows either way. */
static bool find_bundle(Packer *k, int i, Bundle *out)
{
    const RgProblem *p = k->p;
    int32_t block[2];
    *out = (Bundle){.first = i, .count = 1, .group = group_of(p->row_class[i]), .patch = -1};
    const RgRowPatch *patch = find_patch(k, i);
    bool contact = out->group == RG_PGS_CONTACTS;
    int step = contact ? point_rows(p, i) : 1, most = contact ? RG_PGS_POINTS : RG_PGS_JOINT_ROWS;
    bool packs = find_blocks(k, i, out->block) && step <= 1 + RG_PGS_PER_POINT;
    out->count = step;
    out->points = contact ? 1 : 0;
    out->idle = contact && p->z[i] == 0.0;
    for (int n = 1, j = i + step; packs && n < most && j + step <= p->n; n++, j += step) {
        if (group_of(p->row_class[j]) != out->group || !find_blocks(k, j, block))
            break;
        if (contact && (point_rows(p, j) != step || !same_kind(p, i, j, step)))
            break;
        if (patch != NULL && n == patch->points)
            break;
        if (block[0] != out->block[0] || block[1] != out->block[1])
            break;
        out->count += step;
        out->points = (int8_t)(out->points + contact);
        out->idle = out->idle && p->z[j] == 0.0;
    }
    if (packs && patch != NULL && out->points == patch->points && patch->points >= PATCH_POINTS &&
        step == 3 && has_cones(p, out))
        out->patch = k->next_patch;
    out->whole = packs && is_block(k, out);
    return packs;
}

static void colour(Packer *k, Bundle *b)
{
    uint64_t taken = k->used[b->block[0]] | (b->block[1] > 0 ? k->used[b->block[1]] : 0);
    b->colour = (int8_t)(~taken != 0 ? __builtin_ctzll(~taken) : COLOURS);
    for (int side = 0; side < 2 && b->colour < COLOURS; side++)
        k->used[b->block[side]] |= UINT64_C(1) << b->colour;
}

static void add_general(const RgProblem *p, const Bundle *b, RgPgsPacked *out, int32_t n[RG_PGS_GROUPS + 1],
                        bool write)
{
    for (int i = b->first; i < b->first + b->count; i++) {
        bool rubs = p->row_class[i] == RG_ROW_FRICTION || p->row_class[i] == RG_ROW_BOX;
        int list = rubs ? RG_PGS_GROUPS : b->group;
        int32_t normal = p->row_class[i] == RG_ROW_FRICTION ? p->normal[i] : -1;
        if (write)
            out->general[out->first_general[list] + n[list]] = (RgPgsGeneral){i, normal, p->cone[i]};
        n[list]++;
    }
}

/* All bundles with their colours, and the rows that make none. */
static void survey(Packer *k, RgPgsPacked *out, bool write)
{
    const RgProblem *p = k->p;
    int32_t n[RG_PGS_GROUPS + 1] = {0};
    k->nbundles = k->next_patch = 0;
    for (int i = 0; i < p->n;) {
        Bundle b;
        if (find_bundle(k, i, &b))
            k->bundles[k->nbundles++] = b;
        else
            add_general(p, &b, out, n, write);
        i += b.count;
    }
    out->first_general[0] = 0;
    for (int g = 0; g <= RG_PGS_GROUPS; g++)
        out->first_general[g + 1] = out->first_general[g] + n[g];
}

/* ------------------------------------------------------------------ lanes */

static int friction_of(const Bundle *b)
{
    return b->points > 0 ? b->count / b->points - 1 : 0;
}

enum { KEYS = RG_PGS_GROUPS * (COLOURS + 1) * 2 * (RG_PGS_PER_POINT + 1) };

static int key_of(const Bundle *b)
{
    int place = 2 * (b->group * (COLOURS + 1) + b->colour) + b->idle;
    return place * (RG_PGS_PER_POINT + 1) + friction_of(b);
}

/* By group, then colour, then those that press before those that do not, then friction rows a point; within that in the
   order of the rows. What does not press lies together, so that its friction can be passed over. */
static void sort_bundles(Packer *k)
{
    int32_t start[KEYS + 1] = {0};
    for (int group = 0; group < RG_PGS_GROUPS; group++) {
        memset(k->used, 0, (size_t)(k->p->nblocks + 1) * sizeof *k->used);
        for (int32_t i = 0; i < k->nbundles; i++)
            if (k->bundles[i].group == group)
                colour(k, &k->bundles[i]);
    }
    int last = 0;
    for (int32_t i = 0; i < k->nbundles; i++) {
        int key = key_of(&k->bundles[i]);
        last = key > last ? key : last;
        start[key + 1]++;
    }
    for (int c = 0; c <= last; c++)
        start[c + 1] += start[c];
    for (int32_t i = 0; i < k->nbundles; i++)
        k->sorted[start[key_of(&k->bundles[i])]++] = k->bundles[i];
}

static bool fits(const Packer *k, const Bundle *first, const Bundle *b, int lanes)
{
    const RgProblem *p = k->p;
    return lanes < RG_PGS_LANES && first->colour < COLOURS && b->group == first->group &&
           b->colour == first->colour && friction_of(b) == friction_of(first) && b->whole == first->whole &&
           (b->patch >= 0) == (first->patch >= 0) &&
           (b->group != RG_PGS_CONTACTS || same_kind(p, first->first, b->first, 1 + friction_of(b)));
}

/* One row of the problem into row r of the lanes. */
static void fill_row(const Packer *k, const RgPgsPacked *out, int i, RgPgsLanes *to, int row, int lane)
{
    const RgProblem *p = k->p;
    RgPgsRow *r = &to->rows[row];
    int count = p->start[i + 1] - p->start[i];
    const double *values = p->values + p->start[i];
    for (int c = 0; c < 6; c++) {
        r->J[0][c][lane] = values[c];
        r->J[1][c][lane] = count > 6 ? values[6 + c] : 0.0;
    }
    r->per[lane] = out->steps.per[i];
    r->decay[lane] = 1.0 - out->steps.per[i] * p->compliance[i];
    r->goal[lane] = out->steps.per[i] * p->target[i];
    r->diagonal[lane] = out->steps.diagonal[i];
    r->low[lane] = p->row_class[i] == RG_ROW_FRICTION ? -p->high[i] : p->low[i];
    r->high[lane] = p->high[i];
    r->z[lane] = p->z[i];
    to->number[row][lane] = i;
}

/* Product of two rows, lane by lane. */
static void multiply(const RgPgsRow *x, const RgPgsRow *y, RgPgsLane out)
{
    RgPgsLane sum = {0.0};
    for (int c = 0; c < 12; c++)
        for (int lane = 0; lane < RG_PGS_LANES; lane++)
            sum[lane] += x->J[c / 6][c % 6][lane] * y->J[c / 6][c % 6][lane];
    memcpy(out, sum, sizeof sum);
}

/* A pivot below this part of its diagonal is a row that hangs on the ones before it: it gets no impulse. */
#define LEAST_PIVOT 1e-10

/* omega (J J' + C)^-1 of the rows, and what visit_block wants in them. */
static void fill_block(const Packer *k, RgPgsLanes *to)
{
    double a[RG_PGS_JOINT_ROWS * RG_PGS_JOINT_ROWS] = {0.0};
    int n = to->nrows;
    for (int lane = 0; lane < to->lanes; lane++) {
        for (int i = 0; i < n; i++) {
            RgPgsRow *row = &to->rows[i];
            int number = to->number[i][lane];
            a[i * n + i] = row->diagonal[lane];
            for (int j = 0; j < i; j++)
                a[i * n + j] = a[j * n + i] = to->between[rg_pgs_pairs(i) + j][lane];
            row->per[lane] = number >= 0 ? 1.0 : 0.0;
            row->decay[lane] = number >= 0 ? -k->p->compliance[number] : 0.0;
            row->goal[lane] = number >= 0 ? k->p->target[number] : 0.0;
        }
        rg_small_invert_semidefinite(a, n, LEAST_PIVOT);
        for (int i = 0; i < n * n; i++)
            to->block[i][lane] = k->o->sor * a[i];
    }
}

/* J_k . J_j of n rows. */
static void fill_between(const RgPgsRow *rows, int n, RgPgsLane *between)
{
    for (int k = 1; k < n; k++)
        for (int j = 0; j < k; j++)
            multiply(&rows[k], &rows[j], *between++);
}

/* A lane that holds a block, rows side by side. */
static void fill_solo(const RgPgsLanes *from, int lane, RgPgsSolo *to)
{
    memset(to, 0, sizeof *to);
    int n = from->nrows;
    to->n = n;
    for (int side = 0; side < 2; side++)
        to->place[side] = from->place[side][lane];
    for (int i = 0; i < n; i++) {
        const RgPgsRow *row = &from->rows[i];
        for (int c = 0; c < 12; c++)
            to->across[c][i] = to->along[i][RG_PGS_STRIDE * (c / 6) + c % 6] = row->J[c / 6][c % 6][lane];
        for (int j = 0; j < n; j++)
            to->block[j][i] = from->block[i * n + j][lane];
        to->decay[i] = row->decay[lane];
        to->goal[i] = row->goal[lane];
        to->diagonal[i] = row->diagonal[lane];
        to->z[i] = row->z[lane];
    }
}

static void fill_lane(const Packer *k, const RgPgsPacked *out, const Bundle *b, RgPgsLanes *to, int lane)
{
    int rubs = friction_of(b), step = 1 + rubs;
    for (int side = 0; side < 2; side++)
        to->place[side][lane] = RG_PGS_STRIDE * b->block[side];
    if (b->group != RG_PGS_CONTACTS) {
        for (int i = 0; i < b->count; i++)
            fill_row(k, out, b->first + i, to, i, lane);
        return;
    }
    for (int point = 0; point < b->points; point++) {
        fill_row(k, out, b->first + point * step, to, point, lane);
        for (int f = 0; f < rubs; f++)
            fill_row(k, out, b->first + point * step + 1 + f, to, to->nrows + point * rubs + f, lane);
    }
}

/* One lane of a patch by its base rows. */
static void fill_point(const Packer *k, const RgPgsPacked *out, int i, RgPgsPoint *to, int lane)
{
    const RgProblem *p = k->p;
    const RgPgsSteps *steps = &out->steps;
    to->row[lane] = i;
    to->per[lane] = steps->per[i];
    to->decay[lane] = 1.0 - steps->per[i] * p->compliance[i];
    to->goal[lane] = steps->per[i] * p->target[i];
    to->low[lane] = p->low[i];
    to->high[lane] = p->high[i];
    to->z[lane] = p->z[i];
    to->diagonal[lane] = steps->diagonal[i];
    to->rub_per[lane] = steps->per[i + 1]; /* that of the cone's two rows */
    for (int f = 0; f < 2; f++) {
        int row = i + 1 + f;
        to->rub_decay[f][lane] = 1.0 - steps->per[row] * p->compliance[row];
        to->rub_high[f][lane] = p->high[row];
        to->rub_z[f][lane] = p->z[row];
        to->rub_diagonal[f][lane] = steps->diagonal[row];
    }
}

static void fill_patch_lane(const Packer *k, const RgPgsPacked *out, const Bundle *b, RgPgsLanes *to,
                            int lane)
{
    const RgRowPatch *patch = &k->p->patches[b->patch];
    int count = k->p->start[b->first + 1] - k->p->start[b->first];
    for (int side = 0; side < 2; side++)
        to->place[side][lane] = RG_PGS_STRIDE * b->block[side];
    for (int n = 0; n < 6; n++)
        for (int c = 0; c < count; c++)
            to->patch->base[n / 3][n % 3][c][lane] = patch->base[n][c];
    for (int n = 0; n < 6 && count == 6; n++)
        for (int c = 6; c < 12; c++)
            to->patch->base[n / 3][n % 3][c][lane] = 0.0;
    for (int i = 0; i < b->points; i++) {
        to->patch->point[i].x[lane] = patch->place[i][0];
        to->patch->point[i].y[lane] = patch->place[i][1];
        fill_point(k, out, b->first + 3 * i, &to->patch->point[i], lane);
    }
}

/* x . y of base rows, lane by lane. */
static void multiply_base(RgPgsLane *x, RgPgsLane *y, RgPgsLane out)
{
    RgPgsLane sum = {0.0};
    for (int c = 0; c < 12; c++)
        for (int lane = 0; lane < RG_PGS_LANES; lane++)
            sum[lane] += x[c][lane] * y[c][lane];
    memcpy(out, sum, sizeof sum);
}

/* J_j . J_i by per_j of two points, one lane; A: products of the base rows. */
static void fill_pair(RgPgsPatch *to, int i, int j, RgPgsLane A[2][3][3], int lane)
{
    const RgPgsPoint *from = &to->point[i], *on = &to->point[j];
    double x = from->x[lane], y = from->y[lane], on_x = on->x[lane], on_y = on->y[lane], r[3], a[3], b[3];
    for (int n = 0; n < 3; n++) {
        r[n] = A[0][n][0][lane] + (y * A[0][n][1][lane] - x * A[0][n][2][lane]);
        a[n] = A[1][n][0][lane] - y * A[1][n][2][lane];
        b[n] = A[1][n][1][lane] + x * A[1][n][2][lane];
    }
    int pair = rg_pgs_pairs(j) + i;
    double per = on->rub_per[lane];
    to->between[pair][lane] = on->per[lane] * (r[0] + (on_y * r[1] - on_x * r[2]));
    to->rub_between[pair][0][0][lane] = per * (a[0] - on_y * a[2]);
    to->rub_between[pair][0][1][lane] = per * (b[0] - on_y * b[2]);
    to->rub_between[pair][1][0][lane] = per * (a[1] + on_x * a[2]);
    to->rub_between[pair][1][1][lane] = per * (b[1] + on_x * b[2]);
}

/* What the points' impulses do to the later points. */
static void fill_pairs(RgPgsLanes *to)
{
    RgPgsLane A[2][3][3];
    for (int half = 0; half < 2; half++)
        for (int n = 0; n < 3; n++)
            for (int m = 0; m <= n; m++) {
                multiply_base(to->patch->base[half][n], to->patch->base[half][m], A[half][n][m]);
                memcpy(A[half][m][n], A[half][n][m], sizeof A[half][m][n]);
            }
    for (int j = 1; j < to->nrows; j++)
        for (int i = 0; i < j; i++)
            for (int lane = 0; lane < RG_PGS_LANES; lane++)
                fill_pair(to->patch, i, j, A, lane);
}

static void fill_patches(const Packer *k, const RgPgsPacked *out, const Bundle *first, RgPgsLanes *to)
{
    bool full = to->lanes == RG_PGS_LANES;
    for (int lane = 0; lane < to->lanes; lane++)
        full = full && first[lane].points == to->nrows;
    if (!full) {
        memset(to->patch, 0, sizeof *to->patch);
        for (int i = 0; i < RG_PGS_POINTS; i++)
            memset(to->patch->point[i].row, -1, sizeof to->patch->point[i].row);
    }
    to->hangs = true;
    for (int lane = 0; lane < to->lanes; lane++)
        fill_patch_lane(k, out, first + lane, to, lane);
    fill_pairs(to);
}

/* Which friction row hangs on which normal. */
static void set_layout(const RgProblem *p, const Bundle *b, RgPgsLanes *to)
{
    int rubs = friction_of(b);
    to->hangs = true;
    for (int f = 0; f < to->nfriction && rubs > 0; f++) {
        int row = b->first + 1 + f % rubs;
        to->normal[f] = (int8_t)(p->row_class[row] == RG_ROW_FRICTION ? f / rubs : -1);
        to->cone[f] = p->cone[row];
        to->hangs = to->hangs && to->normal[f] >= 0;
    }
}

/* Sizes of the next set of lanes, of the bundles from first on. */
static RgPgsLanes measure_lanes(const Packer *k, const Bundle *first, const Bundle *end)
{
    int lanes = 0, most = 0;
    while (first + lanes < end && (lanes == 0 || fits(k, first, first + lanes, lanes))) {
        const Bundle *b = first + lanes++;
        int rows = b->points > 0 ? b->points : b->count;
        most = rows > most ? rows : most;
    }
    return (RgPgsLanes){.lanes = lanes, .nrows = most, .nfriction = most * friction_of(first)};
}

/* One set of lanes, from the bundles that it was measured for. */
static void fill_lanes(const Packer *k, const RgPgsPacked *out, const Bundle *first, RgPgsLanes *to)
{
    if (to->patch != NULL) {
        fill_patches(k, out, first, to);
        return;
    }
    int n = to->nrows + to->nfriction;
    bool full = to->lanes == RG_PGS_LANES;
    for (int lane = 0; lane < to->lanes; lane++)
        full = full && first[lane].count == first->count;
    if (!full) {
        memset(to->rows, 0, (size_t)n * sizeof *to->rows);
        memset(to->number, -1, (size_t)n * sizeof *to->number);
    }
    set_layout(k->p, first, to);
    to->cones = friction_of(first) == 2;
    for (int lane = 0; lane < to->lanes; lane++) {
        fill_lane(k, out, first + lane, to, lane);
        to->cones = to->cones && has_cones(k->p, first + lane);
    }
    fill_between(to->rows, to->nrows, to->between);
    fill_between(to->rows + to->nrows, to->nfriction, to->between + rg_pgs_pairs(to->nrows));
    if (to->block != NULL)
        fill_block(k, to);
    for (int lane = 0; lane < to->lanes && to->solo != NULL; lane++)
        fill_solo(to, lane, &to->solo[lane]);
}

/* What sets of lanes need, and where it is. */
typedef struct Room {
    int32_t rows, pairs, blocks, solos, patches;
} Room;

typedef struct Memory {
    RgPgsRow *rows;
    RgPgsLane *between, *block;
    RgPgsSolo *solo;
    RgPgsPatch *patch;
    int32_t (*number)[RG_PGS_LANES];
} Memory;

/* Gives a set of lanes, of the bundles from first on, its part of the memory; at: what is used of it. NULL memory: only
   counts. */
static void give_room(const Bundle *first, const Memory *memory, Room *at, RgPgsLanes *to)
{
    bool patch = first->patch >= 0, block = first->whole, solo = block && to->lanes <= MOST_SOLO;
    if (memory != NULL) {
        to->rows = memory->rows + at->rows;
        to->number = memory->number + at->rows;
        to->between = memory->between + at->pairs;
        to->block = block ? memory->block + at->blocks : NULL;
        to->solo = solo ? memory->solo + at->solos : NULL;
        to->patch = patch ? memory->patch + at->patches : NULL;
    }
    at->patches += patch;
    if (patch)
        return;
    at->rows += to->nrows + to->nfriction;
    at->pairs += rg_pgs_pairs(to->nrows) + rg_pgs_pairs(to->nfriction);
    at->blocks += block ? to->nrows * to->nrows : 0;
    at->solos += solo ? to->lanes : 0;
}

/* Fours of bundles; returns false where memory ends. */
static bool lay_lanes(RgArena *arena, Packer *k, RgPgsPacked *out)
{
    out->lanes = RG_TAKE_RAW(arena, RgPgsLanes, k->nbundles);
    int32_t n = 0, i = 0;
    Room room = {0}, at = {0};
    for (int group = 0; group < RG_PGS_GROUPS && !arena->failed; group++) {
        out->first_lanes[group] = n;
        for (; i < k->nbundles && k->sorted[i].group == group; i += out->lanes[n++].lanes) {
            out->lanes[n] = measure_lanes(k, k->sorted + i, k->sorted + k->nbundles);
            give_room(k->sorted + i, NULL, &room, &out->lanes[n]);
        }
    }
    out->first_lanes[RG_PGS_GROUPS] = n;
    Memory memory = {.rows = RG_TAKE_RAW(arena, RgPgsRow, room.rows),
                     .between = rg_arena_take_raw(arena, (size_t)room.pairs, sizeof *memory.between),
                     .block = rg_arena_take(arena, (size_t)room.blocks, sizeof *memory.block),
                     .solo = RG_TAKE_RAW(arena, RgPgsSolo, room.solos),
                     .patch = RG_TAKE_RAW(arena, RgPgsPatch, room.patches),
                     .number = rg_arena_take_raw(arena, (size_t)room.rows, sizeof *memory.number)};
    if (arena->failed)
        return false;
    for (int32_t j = 0, b = 0; j < n; b += out->lanes[j++].lanes) {
        give_room(&k->sorted[b], &memory, &at, &out->lanes[j]);
        fill_lanes(k, out, &k->sorted[b], &out->lanes[j]);
    }
    return true;
}

/* ------------------------------------------------------------------ all of it */

/* Where unknowns stand: blocks first, eight places each, then the others. */
static void place_unknowns(Packer *k, RgPgsPacked *out)
{
    const RgProblem *p = k->p;
    int32_t next = RG_PGS_STRIDE * (p->nblocks + 1);
    memset(out->place, -1, (size_t)p->nu * sizeof *out->place);
    for (int b = 0; b < p->nblocks; b++) {
        k->block_of[p->block[b]] = b + 1;
        for (int i = 0; i < 6; i++)
            out->place[p->block[b] + i] = RG_PGS_STRIDE * (b + 1) + i;
    }
    for (int i = 0; i < p->nu; i++)
        if (out->place[i] < 0)
            out->place[i] = next++;
    out->nplaces = next;
}

bool rg_pgs_pack(RgArena *arena, const RgProblem *p, const RgPgsOptions *o, RgPgsPacked *out)
{
    *out = (RgPgsPacked){.place = RG_TAKE_RAW(arena, int32_t, p->nu)};
    rg_pgs_steps_take(arena, p, &out->steps);
    Packer k = {.p = p,
                .o = o,
                .block_of = RG_TAKE(arena, int32_t, p->nu),
                .bundles = RG_TAKE_RAW(arena, Bundle, p->n),
                .sorted = RG_TAKE_RAW(arena, Bundle, p->n),
                .used = RG_TAKE_RAW(arena, uint64_t, p->nblocks + 1)};
    if (arena->failed)
        return false;
    place_unknowns(&k, out);
    out->V = RG_TAKE(arena, double, out->nplaces);
    rg_pgs_steps(p, o, &out->steps);
    survey(&k, out, false);
    out->general = RG_TAKE_RAW(arena, RgPgsGeneral, out->first_general[RG_PGS_GROUPS + 1]);
    if (arena->failed)
        return false;
    if (out->first_general[RG_PGS_GROUPS + 1] > 0) {
        out->at = RG_TAKE_RAW(arena, int32_t, p->start[p->n]);
        if (arena->failed)
            return false;
        for (int e = 0; e < p->start[p->n]; e++)
            out->at[e] = out->place[p->columns[e]];
        survey(&k, out, true);
    }
    sort_bundles(&k);
    if (!lay_lanes(arena, &k, out))
        return false;
    for (int i = 0; i < p->nu; i++)
        out->V[out->place[i]] = p->s[i];
    return true;
}

/* Impulses of blocks that were visited by themselves, back to their lanes. */
static void unpack_solo(const RgPgsLanes *from)
{
    for (int lane = 0; lane < from->lanes; lane++)
        for (int i = 0; i < from->nrows; i++)
            from->rows[i].z[lane] = from->solo[lane].z[i];
}

static void unpack_row(const RgPgsLanes *from, int row, RgProblem *p)
{
    for (int lane = 0; lane < from->lanes; lane++)
        if (from->number[row][lane] >= 0)
            p->z[from->number[row][lane]] = from->rows[row].z[lane];
}

static void unpack_patch(const RgPgsLanes *from, RgProblem *p)
{
    for (int i = 0; i < from->nrows; i++) {
        const RgPgsPoint *at = &from->patch->point[i];
        for (int lane = 0; lane < from->lanes; lane++) {
            int32_t row = at->row[lane];
            if (row < 0)
                continue;
            p->z[row] = at->z[lane];
            p->z[row + 1] = at->rub_z[0][lane];
            p->z[row + 2] = at->rub_z[1][lane];
        }
    }
}

void rg_pgs_unpack(const RgPgsPacked *packed, RgProblem *p)
{
    for (int i = 0; i < p->nu; i++)
        p->s[i] = packed->V[packed->place[i]];
    for (int32_t j = 0; j < packed->first_lanes[RG_PGS_GROUPS]; j++) {
        const RgPgsLanes *from = &packed->lanes[j];
        if (from->patch != NULL) {
            unpack_patch(from, p);
            continue;
        }
        if (from->solo != NULL)
            unpack_solo(from);
        for (int r = 0; r < from->nrows + from->nfriction; r++)
            unpack_row(from, r, p);
    }
}
