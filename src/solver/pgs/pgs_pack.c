/*
 * pgs_pack.c - packs a problem for solver `pgs`: its rows into lanes, four bundles side by side, in the order of visits
 * (pgs_bundles.c), and its velocities into V, with copies for the chunks.
 *
 * Rows on anything other than one or two whole blocks go to a separate list. Immobile sides of a set of lanes have
 * zeros of their own in V, so that sets do not depend on each other there, with one thread or several.
 *
 * Each thread writes the sets of lanes of its own lists, so that they are in its cache during the sweeps. Cost: linear
 * in the coefficients.
 */
#include "solver/pgs/pgs_pack.h"
#include "math/dense_factor.h"

#include <math.h>
#include <string.h>

/* Largest number of independent blocks that are visited one by one, with the rows of each side by side: four lanes cost
   as much as three of those. */
#define MAX_SOLO 2

/* ------------------------------------------------------------------ steps */

bool rg_pgs_steps_alloc(RgArena *arena, int n, RgPgsSteps *out)
{
    *out = (RgPgsSteps){.diagonal = RG_ARENA_ALLOC_RAW(arena, double, n),
                        .response = RG_ARENA_ALLOC_RAW(arena, double, n),
                        .per = RG_ARENA_ALLOC_RAW(arena, double, n)};
    return !arena->failed;
}

int rg_pgs_fill_steps(const RgProblem *p, const RgPgsOptions *o, int first, int end, RgPgsSteps *out)
{
    int refused = 0;
    rg_problem_responses(p, first, end, out->diagonal, out->response);
    for (int i = first; i < end; i++) {
        bool is_friction = p->row_class[i] == RG_ROW_FRICTION || p->row_class[i] == RG_ROW_BOX;
        double relax = is_friction ? o->sor * o->friction_sor : o->sor, response = out->response[i];
        if (o->damping_in_sweeps && p->damper != NULL && p->damper[i]) {
            /* 003, section 4: the force of the damper is recomputed from the current velocity, z = -J s / C. That
               converges only for C > J J'; a stronger damper is treated as a row. */
            bool converges = 2.0 * p->compliance[i] > response;
            refused += !converges;
            response = converges ? p->compliance[i] : response;
            relax = converges ? 1.0 : relax;
        }
        out->per[i] = response > 0.0 ? relax / response : 0.0;
    }
    return refused;
}

static int fill_bundle_steps(const RgPgsPacker *k, const RgPgsBundle *b, RgPgsSteps *out)
{
    return rg_pgs_fill_steps(k->p, k->o, b->first, b->first + b->count, out);
}

/* ------------------------------------------------------------------ cells */

static bool alloc_cells(RgArena *arena, const RgProblem *p, RgPgsCells *c)
{
    *c = (RgPgsCells){.nblocks = p->nblocks,
                      .unknown = RG_ARENA_ALLOC_RAW(arena, int32_t, p->nu),
                      .of_unknown = RG_ARENA_ALLOC_RAW(arena, int32_t, p->nu)};
    if (arena->failed)
        return false;
    memset(c->of_unknown, -1, (size_t)p->nu * sizeof *c->of_unknown);
    for (int b = 0; b < p->nblocks; b++) {
        c->unknown[b] = p->block[b];
        for (int i = 0; i < 6; i++)
            c->of_unknown[p->block[b] + i] = b;
    }
    c->count = p->nblocks;
    for (int i = 0; i < p->nu; i++)
        if (c->of_unknown[i] < 0) {
            c->unknown[c->count] = i;
            c->of_unknown[i] = c->count++;
        }
    c->first = RG_ARENA_ALLOC(arena, int32_t, c->count + 1);
    c->root = RG_ARENA_ALLOC_RAW(arena, double, c->count);
    return !arena->failed;
}

/* End of the coefficients that determine the cells of a bundle: those of its first row if it packs, otherwise of all
   rows. */
static int cell_entries_end(const RgProblem *p, const RgPgsBundle *b)
{
    return p->start[b->packs ? b->first + 1 : b->first + b->count];
}

/* Counts the chunks on each cell, with chunks ascending; last: the last chunk counted, -1 initially. */
static void count_chunks(const RgProblem *p, const RgPgsCells *c, const RgPgsBundle *b, int32_t *last, int32_t *count)
{
    for (int e = p->start[b->first]; e < cell_entries_end(p, b); e++) {
        int32_t cell = c->of_unknown[p->columns[e]];
        count[cell] += last[cell] != b->chunk;
        last[cell] = b->chunk;
    }
}

/* Sets the indices in V of the cells of a bundle; used: number of copies of each cell already assigned to chunks. */
static void find_places(const RgProblem *p, const RgPgsCells *c, const int32_t *used, int32_t *at, RgPgsBundle *b)
{
    for (int side = 0; side < 2 && b->packs; side++)
        if (b->block[side] > 0)
            b->block[side] = c->place[c->first[b->block[side] - 1] + used[b->block[side] - 1] - 1] / RG_PGS_STRIDE;
    for (int e = p->start[b->first]; e < cell_entries_end(p, b) && !b->packs; e++) {
        int32_t cell = c->of_unknown[p->columns[e]];
        at[e] = c->place[c->first[cell] + used[cell] - 1] + p->columns[e] - c->unknown[cell];
    }
}

/* Places the copies of blocks from index RG_PGS_STRIDE on, list by list, each at the start of a cache line; then the
   other cells. owner: list of each copy. */
static void place_copies(RgPgsCells *c, const int32_t *owner, int lists)
{
    int32_t blocks = c->first[c->nblocks], next = RG_PGS_STRIDE;
    for (int list = 0; list < lists; list++)
        for (int32_t i = 0; i < blocks; i++) {
            if (owner[i] != list)
                continue;
            c->place[i] = next;
            next += RG_PGS_STRIDE;
        }
    for (int32_t i = blocks; i < c->first[c->count]; i++)
        c->place[i] = next++;
    c->end = (next + RG_PGS_STRIDE - 1) / RG_PGS_STRIDE * RG_PGS_STRIDE;
}

/* Counts the copies of every cell: one per chunk that acts on it, or one in all if there is a single chunk. last:
   scratch. */
static void count_copies(const RgPgsPacker *k, RgPgsCells *c, int32_t *last)
{
    for (int32_t i = 0; i < k->nbundles && k->chunks > 1; i++)
        count_chunks(k->p, c, &k->bundles[i], last, c->first + 1);
    for (int32_t i = 0; i < c->count; i++) {
        int32_t copies = k->chunks > 1 ? c->first[i + 1] : 1;
        c->root[i] = k->o->mass_splitting && copies > 1 ? sqrt(copies) : 1.0;
        c->first[i + 1] = c->first[i] + copies;
        c->nshared += copies > 1;
    }
}

/* Finds the list of each copy: that of its chunk, or of the part that contains the block. last, used: scratch. */
static void find_owners(const RgPgsPacker *k, const RgPgsCells *c, int32_t *last, int32_t *used, int32_t *owner)
{
    for (int32_t i = 0; i < c->first[c->count]; i++)
        owner[i] = k->list_of_block != NULL && i < c->nblocks ? k->list_of_block[i] : 0;
    for (int32_t i = 0; i < k->nbundles && k->chunks > 1; i++) {
        const RgPgsBundle *b = &k->bundles[i];
        count_chunks(k->p, c, b, last, used);
        for (int e = k->p->start[b->first]; e < cell_entries_end(k->p, b); e++) {
            int32_t cell = c->of_unknown[k->p->columns[e]];
            owner[c->first[cell] + used[cell] - 1] = b->list;
        }
    }
}

static bool place_cells(RgPgsPacker *k, bool general, RgPgsPacked *out)
{
    RgPgsCells *c = &out->cells;
    const RgProblem *p = k->p;
    bool many = k->chunks > 1;
    size_t size = (size_t)c->count * sizeof(int32_t);
    int32_t *last = RG_ARENA_ALLOC_RAW(k->arena, int32_t, c->count),
            *used = RG_ARENA_ALLOC(k->arena, int32_t, c->count);
    if (k->arena->failed)
        return false;
    count_copies(k, c, memset(last, -1, size));
    int32_t *owner = RG_ARENA_ALLOC_RAW(k->arena, int32_t, c->first[c->count]);
    c->place = RG_ARENA_ALLOC_RAW(k->arena, int32_t, c->first[c->count]);
    c->shared = RG_ARENA_ALLOC_RAW(k->arena, int32_t, c->nshared);
    c->before = RG_ARENA_ALLOC_RAW(k->arena, double, RG_PGS_STRIDE * c->nshared);
    out->at = general ? RG_ARENA_ALLOC_RAW(k->arena, int32_t, p->start[p->n]) : NULL;
    if (k->arena->failed)
        return false;
    find_owners(k, c, memset(last, -1, size), used, owner);
    place_copies(c, owner, k->lists);
    memset(last, -1, size);
    for (int32_t i = 0, n = 0; i < c->count; i++) {
        used[i] = !many;
        if (c->first[i + 1] - c->first[i] > 1)
            c->shared[n++] = i;
    }
    for (int32_t i = 0; i < k->nbundles; i++) {
        if (many)
            count_chunks(p, c, &k->bundles[i], last, used);
        find_places(p, c, used, out->at, &k->bundles[i]);
    }
    return true;
}

/* Scales the problem to velocities divided by the roots of the cells: J N^1/2. */
static bool scale(RgPgsPacker *k, RgPgsPacked *out)
{
    const RgProblem *p = k->p;
    const RgPgsCells *c = &out->cells;
    RgProblem *to = &out->scaled;
    bool splits = false;
    for (int32_t i = 0; i < c->count; i++)
        splits = splits || c->root[i] > 1.0;
    if (!splits)
        return true;
    to->values = RG_ARENA_ALLOC_RAW(k->arena, double, p->start[p->n]);
    to->patches = RG_ARENA_ALLOC_RAW(k->arena, RgRowPatch, p->npatches);
    if (k->arena->failed)
        return false;
    for (int e = 0; e < p->start[p->n]; e++)
        to->values[e] = p->values[e] * c->root[c->of_unknown[p->columns[e]]];
    for (int n = 0; n < p->npatches; n++) {
        int first = p->patches[n].first, at = p->start[first], count = p->start[first + 1] - at;
        to->patches[n] = p->patches[n];
        for (int i = 0; i < 6 * count; i++)
            to->patches[n].base[i / count][i % count] *= c->root[c->of_unknown[p->columns[at + i % count]]];
    }
    k->p = to;
    return true;
}

/* Copies the velocities of the problem to all copies. + 0.0 turns -0 into 0: then padding rows of zeros leave every bit
   unchanged, and results do not depend on which bundles share a set. */
static void copy_velocities(const RgPgsPacked *out, const double *s)
{
    const RgPgsCells *c = &out->cells;
    for (int32_t i = 0; i < c->count; i++)
        for (int n = 0; n < rg_pgs_cell_width(c, i); n++) {
            double v = s[c->unknown[i] + n] / c->root[i] + 0.0;
            for (int32_t j = c->first[i]; j < c->first[i + 1]; j++)
                out->V[c->place[j] + n] = v;
        }
    for (int32_t i = 0; i < c->nshared; i++)
        for (int n = 0; n < rg_pgs_cell_width(c, c->shared[i]); n++)
            c->before[RG_PGS_STRIDE * i + n] = out->V[c->place[c->first[c->shared[i]]] + n];
}

void rg_pgs_unpack_velocities(const RgPgsPacked *packed, double *s)
{
    const RgPgsCells *c = &packed->cells;
    for (int32_t i = 0; i < c->count; i++)
        for (int n = 0; n < rg_pgs_cell_width(c, i) && c->first[i] < c->first[i + 1]; n++)
            s[c->unknown[i] + n] = packed->V[c->place[c->first[i]] + n] * c->root[i];
}

/* ------------------------------------------------------------------ rows that do not pack */

static void list_unpacked_rows(const RgPgsPacker *k, RgPgsPacked *out, bool write)
{
    const RgProblem *p = k->p;
    int32_t n[RG_PGS_GROUPS + 1] = {0};
    for (int32_t j = 0; j < k->nbundles; j++) {
        const RgPgsBundle *b = &k->bundles[j];
        for (int i = b->first; i < b->first + b->count && !b->packs; i++) {
            bool is_friction = p->row_class[i] == RG_ROW_FRICTION || p->row_class[i] == RG_ROW_BOX;
            int list = is_friction ? RG_PGS_GROUPS : b->group;
            int32_t normal = p->row_class[i] == RG_ROW_FRICTION ? p->normal[i] : -1;
            if (write)
                out->general[out->first_general[list] + n[list]] = (RgPgsGeneral){i, normal, p->cone[i]};
            n[list]++;
        }
    }
    out->first_general[0] = 0;
    for (int g = 0; g <= RG_PGS_GROUPS; g++)
        out->first_general[g + 1] = out->first_general[g] + n[g];
}

/* ------------------------------------------------------------------ lanes */

/* Sets the indices in V of the sides of a bundle (NULL: unused lane); immobile: index of the zeros of the set. */
static void set_lane_places(const RgPgsBundle *b, int32_t immobile, RgPgsLanes *to, int lane)
{
    for (int side = 0; side < 2; side++)
        to->place[side][lane] = b != NULL && b->block[side] > 0 ? RG_PGS_STRIDE * b->block[side] : immobile;
    to->bundle[lane] = b != NULL ? b->number : -1;
}

static bool fits_in_set(const RgPgsPacker *k, const RgPgsBundle *first, const RgPgsBundle *b, int lanes)
{
    const RgProblem *p = k->p;
    return lanes < RG_PGS_LANES && first->colour < RG_PGS_COLOURS && b->group == first->group &&
           b->colour == first->colour && b->zone == first->zone && b->list == first->list &&
           rg_pgs_friction_rows(b) == rg_pgs_friction_rows(first) && b->whole == first->whole &&
           (b->patch >= 0) == (first->patch >= 0) &&
           (b->group != RG_PGS_CONTACTS || rg_pgs_same_kind(p, first->first, b->first, 1 + rg_pgs_friction_rows(b)));
}

/* Writes one row of the problem to a row of the lanes. */
static void fill_row(const RgPgsPacker *k, const RgPgsPacked *out, int i, RgPgsLanes *to, int row, int lane)
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
    r->z[lane] = p->z[i] + 0.0; /* see copy_velocities */
    to->number[row][lane] = i;
}

/* Dot product of two rows, lane by lane. */
static void multiply(const RgPgsRow *x, const RgPgsRow *y, RgPgsLane out)
{
    RgPgsLane sum = {0.0};
    for (int c = 0; c < 12; c++)
        for (int lane = 0; lane < RG_PGS_LANES; lane++)
            sum[lane] += x->J[c / 6][c % 6][lane] * y->J[c / 6][c % 6][lane];
    memcpy(out, sum, sizeof sum);
}

/* Part of the diagonal: a row with a smaller pivot depends linearly on previous ones and gets no impulse. */
#define LEAST_PIVOT 1e-10

/* Computes B = omega (J J' + C)^-1, and sets the fields of the rows as visit_block requires. */
static void fill_block(const RgPgsPacker *k, RgPgsLanes *to)
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

/* Copies a lane with a block to a solo bundle, with rows side by side. */
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

static void fill_lane(const RgPgsPacker *k, const RgPgsPacked *out, const RgPgsBundle *b, RgPgsLanes *to, int lane)
{
    int per_point = rg_pgs_friction_rows(b), step = 1 + per_point;
    if (b->group != RG_PGS_CONTACTS) {
        for (int i = 0; i < b->count; i++)
            fill_row(k, out, b->first + i, to, i, lane);
        return;
    }
    for (int point = 0; point < b->points; point++) {
        fill_row(k, out, b->first + point * step, to, point, lane);
        for (int f = 0; f < per_point; f++)
            fill_row(k, out, b->first + point * step + 1 + f, to, to->nrows + point * per_point + f, lane);
    }
}

/* Writes one point of a patch to a lane. */
static void fill_point(const RgPgsPacker *k, const RgPgsPacked *out, int i, RgPgsPoint *to, int lane)
{
    const RgProblem *p = k->p;
    const RgPgsSteps *steps = &out->steps;
    to->row[lane] = i;
    to->per[lane] = steps->per[i];
    to->decay[lane] = 1.0 - steps->per[i] * p->compliance[i];
    to->goal[lane] = steps->per[i] * p->target[i];
    to->low[lane] = p->low[i];
    to->high[lane] = p->high[i];
    to->z[lane] = p->z[i] + 0.0;
    to->diagonal[lane] = steps->diagonal[i];
    to->t_per[lane] = steps->per[i + 1]; /* the same for both rows of the cone */
    for (int f = 0; f < 2; f++) {
        int row = i + 1 + f;
        to->t_decay[f][lane] = 1.0 - steps->per[row] * p->compliance[row];
        to->t_high[f][lane] = p->high[row];
        to->t_z[f][lane] = p->z[row] + 0.0;
        to->t_diagonal[f][lane] = steps->diagonal[row];
    }
}

static void fill_patch_lane(const RgPgsPacker *k, const RgPgsPacked *out, const RgPgsBundle *b, RgPgsLanes *to,
                            int lane)
{
    const RgRowPatch *patch = &k->p->patches[b->patch];
    int count = k->p->start[b->first + 1] - k->p->start[b->first];
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

/* Dot product of base rows, lane by lane. */
static void multiply_base(RgPgsLane *x, RgPgsLane *y, RgPgsLane out)
{
    RgPgsLane sum = {0.0};
    for (int c = 0; c < 12; c++)
        for (int lane = 0; lane < RG_PGS_LANES; lane++)
            sum[lane] += x[c][lane] * y[c][lane];
    memcpy(out, sum, sizeof sum);
}

/* per_j J_j . J_i of two points in one lane; A: products of the base rows. */
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
    double per = on->t_per[lane];
    to->between[pair][lane] = on->per[lane] * (r[0] + (on_y * r[1] - on_x * r[2]));
    to->t_between[pair][0][0][lane] = per * (a[0] - on_y * a[2]);
    to->t_between[pair][0][1][lane] = per * (b[0] - on_y * b[2]);
    to->t_between[pair][1][0][lane] = per * (a[1] + on_x * a[2]);
    to->t_between[pair][1][1][lane] = per * (b[1] + on_x * b[2]);
}

/* Coupling of the points of a patch to later points. */
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

static void fill_patches(const RgPgsPacker *k, const RgPgsPacked *out, const RgPgsBundle *first, RgPgsLanes *to)
{
    bool full = to->lanes == RG_PGS_LANES;
    for (int lane = 0; lane < to->lanes; lane++)
        full = full && first[lane].points == to->nrows;
    if (!full) {
        memset(to->patch, 0, sizeof *to->patch);
        for (int i = 0; i < RG_PGS_POINTS; i++)
            memset(to->patch->point[i].row, -1, sizeof to->patch->point[i].row);
    }
    to->friction_needs_normal = true;
    for (int lane = 0; lane < to->lanes; lane++)
        fill_patch_lane(k, out, first + lane, to, lane);
    fill_pairs(to);
}

/* Sets the normal and cone of each friction row. */
static void set_layout(const RgProblem *p, const RgPgsBundle *b, RgPgsLanes *to)
{
    int per_point = rg_pgs_friction_rows(b);
    to->friction_needs_normal = true;
    for (int f = 0; f < to->nfriction && per_point > 0; f++) {
        int row = b->first + 1 + f % per_point;
        to->normal[f] = (int8_t)(p->row_class[row] == RG_ROW_FRICTION ? f / per_point : -1);
        to->cone[f] = p->cone[row];
        to->friction_needs_normal = to->friction_needs_normal && to->normal[f] >= 0;
    }
}

/* Sizes of the next set of lanes, from the bundles starting at first. */
static RgPgsLanes next_lanes(const RgPgsPacker *k, const RgPgsBundle *first, const RgPgsBundle *end)
{
    int lanes = 0, most = 0;
    while (first + lanes < end && (lanes == 0 || fits_in_set(k, first, first + lanes, lanes))) {
        const RgPgsBundle *b = first + lanes++;
        int rows = b->points > 0 ? b->points : b->count;
        most = rows > most ? rows : most;
    }
    return (RgPgsLanes){
        .list = first->list, .lanes = lanes, .nrows = most, .nfriction = most * rg_pgs_friction_rows(first)};
}

/* Fills a set of lanes from the bundles that it was sized for. */
static void fill_lanes(const RgPgsPacker *k, const RgPgsPacked *out, const RgPgsBundle *first, RgPgsLanes *to)
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
    to->cones = rg_pgs_friction_rows(first) == 2;
    for (int lane = 0; lane < to->lanes; lane++) {
        fill_lane(k, out, first + lane, to, lane);
        to->cones = to->cones && rg_pgs_has_cones(k->p, first + lane);
    }
    fill_between(to->rows, to->nrows, to->between);
    fill_between(to->rows + to->nrows, to->nfriction, to->between + rg_pgs_pairs(to->nrows));
    if (to->block != NULL)
        fill_block(k, to);
    for (int lane = 0; lane < to->lanes && to->solo != NULL; lane++)
        fill_solo(to, lane, &to->solo[lane]);
}

/* Amount of memory of sets of lanes, and the memory itself. */
typedef struct LaneSizes {
    int32_t sets, rows, pairs, blocks, solos, patches;
} LaneSizes;

typedef struct LaneMemory {
    RgPgsLane *sums; /* one cache line each */
    RgPgsRow *rows;
    RgPgsLane *between, *block;
    RgPgsSolo *solo;
    RgPgsPatch *patch;
    int32_t (*number)[RG_PGS_LANES];
} LaneMemory;

/* Assigns memory to a set of lanes that starts with bundle first; at: amount used so far. Without memory (NULL) it only
   counts. */
static void assign_memory(const RgPgsBundle *first, const LaneMemory *memory, LaneSizes *at, RgPgsLanes *to)
{
    bool patch = first->patch >= 0, block = first->whole, solo = block && to->lanes <= MAX_SOLO;
    if (memory != NULL) {
        to->sum = memory->sums[2 * at->sets];
        to->rows = memory->rows + at->rows;
        to->number = memory->number + at->rows;
        to->between = memory->between + at->pairs;
        to->block = block ? memory->block + at->blocks : NULL;
        to->solo = solo ? memory->solo + at->solos : NULL;
        to->patch = patch ? memory->patch + at->patches : NULL;
    }
    at->sets++;
    at->patches += patch;
    if (patch)
        return;
    at->rows += to->nrows + to->nfriction;
    at->pairs += rg_pgs_pairs(to->nrows) + rg_pgs_pairs(to->nfriction);
    at->blocks += block ? to->nrows * to->nrows : 0;
    at->solos += solo ? to->lanes : 0;
}

/* Finds the sets of lanes and the memory that they need. */
static LaneSizes count_lanes(const RgPgsPacker *k, RgPgsPacked *out)
{
    int32_t n = 0, i = 0;
    LaneSizes sizes = {0};
    for (int group = 0; group < RG_PGS_GROUPS; group++) {
        out->first_lanes[group] = n;
        for (; i < k->nsorted && k->sorted[i].group == group; i += out->lanes[n++].lanes) {
            out->lanes[n] = next_lanes(k, k->sorted + i, k->sorted + k->nsorted);
            assign_memory(k->sorted + i, NULL, &sizes, &out->lanes[n]);
            out->lanes[n].from = i;
        }
    }
    out->first_lanes[RG_PGS_GROUPS] = n;
    return sizes;
}

static bool alloc_lanes(RgArena *arena, LaneSizes sizes, LaneMemory *out)
{
    *out = (LaneMemory){.sums = rg_arena_alloc(arena, 2 * (size_t)sizes.sets, sizeof *out->sums),
                        .rows = RG_ARENA_ALLOC_RAW(arena, RgPgsRow, sizes.rows),
                        .between = rg_arena_alloc_raw(arena, (size_t)sizes.pairs, sizeof *out->between),
                        .block = rg_arena_alloc(arena, (size_t)sizes.blocks, sizeof *out->block),
                        .solo = RG_ARENA_ALLOC_RAW(arena, RgPgsSolo, sizes.solos),
                        .patch = RG_ARENA_ALLOC_RAW(arena, RgPgsPatch, sizes.patches),
                        .number = rg_arena_alloc_raw(arena, (size_t)sizes.rows, sizeof *out->number)};
    return !arena->failed;
}

void rg_pgs_fill_list(RgPgsPacked *out, int list)
{
    const RgPgsPacker *k = out->packer;
    for (int32_t j = 0; j < out->first_lanes[RG_PGS_GROUPS]; j++) {
        RgPgsLanes *to = &out->lanes[j];
        if (to->list != list)
            continue;
        const RgPgsBundle *b = k->sorted + to->from;
        for (int lane = 0; lane < to->lanes; lane++)
            out->refused[list] += fill_bundle_steps(k, b + lane, &out->steps);
        fill_lanes(k, out, b, to);
    }
}

static bool build_lanes(RgPgsPacker *k, RgPgsPacked *out)
{
    out->lanes = RG_ARENA_ALLOC_RAW(k->arena, RgPgsLanes, k->nsorted);
    if (k->arena->failed)
        return false;
    LaneSizes sizes = count_lanes(k, out), at = {0};
    LaneMemory memory;
    int32_t n = out->first_lanes[RG_PGS_GROUPS];
    out->V = RG_ARENA_ALLOC_RAW(k->arena, double, out->cells.end + RG_PGS_STRIDE * n);
    if (!alloc_lanes(k->arena, sizes, &memory) || k->arena->failed)
        return false;
    /* List by list, so that hardware prefetch does not touch the data of other threads. */
    for (int list = 0; list < out->lists; list++)
        for (int32_t j = 0; j < n; j++)
            if (out->lanes[j].list == list)
                assign_memory(&k->sorted[out->lanes[j].from], &memory, &at, &out->lanes[j]);
    for (int32_t j = 0; j < n; j++)
        for (int lane = 0; lane < RG_PGS_LANES; lane++)
            set_lane_places(lane < out->lanes[j].lanes ? &k->sorted[out->lanes[j].from + lane] : NULL,
                            out->cells.end + RG_PGS_STRIDE * j, &out->lanes[j], lane);
    memset(out->V + out->cells.end, 0, (size_t)RG_PGS_STRIDE * (size_t)n * sizeof *out->V);
    return true;
}

/* ------------------------------------------------------------------ packing */

static bool alloc_packer(RgArena *arena, const RgProblem *p, RgPgsPacker *k, RgPgsPacked *out)
{
    k->bundles = RG_ARENA_ALLOC_RAW(arena, RgPgsBundle, p->n);
    k->sorted = RG_ARENA_ALLOC_RAW(arena, RgPgsBundle, p->n);
    out->squares = RG_ARENA_ALLOC_RAW(arena, double, p->n);
    return rg_pgs_steps_alloc(arena, p->n, &out->steps) && alloc_cells(arena, p, &out->cells);
}

/* Assigns bundles to the lists of the threads, by parts or by chunks. */
static bool assign_lists(RgPgsPacker *k)
{
    int threads = rg_thread_pool_size(k->p->thread_pool);
    if (k->chunks == 1)
        return rg_pgs_partition_bundles(k, threads);
    k->lists = threads < k->chunks ? threads : k->chunks;
    k->lists = k->p->n < RG_PGS_LEAST_ROWS ? 1 : k->lists < RG_PGS_LISTS ? k->lists : RG_PGS_LISTS;
    for (int32_t i = 0; i < k->nbundles; i++)
        k->bundles[i].list = (int32_t)((int64_t)k->bundles[i].chunk * k->lists / k->chunks);
    return true;
}

bool rg_pgs_pack(RgArena *arena, const RgProblem *p, const RgPgsOptions *o, int chunks, RgPgsPacked *out)
{
    *out = (RgPgsPacked){.scaled = *p};
    RgPgsPacker *k = RG_ARENA_ALLOC(arena, RgPgsPacker, 1);
    if (k == NULL)
        return false;
    *k = (RgPgsPacker){.arena = arena, .p = p, .o = o, .cells = &out->cells, .chunks = chunks < p->n ? chunks : p->n};
    if (!alloc_packer(arena, p, k, out))
        return false;
    rg_pgs_find_bundles(k);
    list_unpacked_rows(k, out, false);
    int32_t ngeneral = out->first_general[RG_PGS_GROUPS + 1];
    out->general = RG_ARENA_ALLOC_RAW(arena, RgPgsGeneral, ngeneral);
    if (arena->failed || !assign_lists(k) || !place_cells(k, ngeneral > 0, out) || !scale(k, out))
        return false;
    if (ngeneral > 0)
        list_unpacked_rows(k, out, true);
    for (int32_t i = 0; i < k->nbundles && ngeneral > 0; i++)
        if (!k->bundles[i].packs)
            out->refused[0] += fill_bundle_steps(k, &k->bundles[i], &out->steps);
    out->packer = k;
    out->nbundles = k->nbundles;
    out->lists = k->lists;
    if (!rg_pgs_sort_bundles(k, out->cells.first[out->cells.nblocks]) || !build_lanes(k, out))
        return false;
    copy_velocities(out, p->s);
    return true;
}

/* ------------------------------------------------------------------ unpacking */

/* Copies the impulses of solo bundles back to their lanes. */
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
            p->z[row + 1] = at->t_z[0][lane];
            p->z[row + 2] = at->t_z[1][lane];
        }
    }
}

void rg_pgs_unpack_list(const RgPgsPacked *packed, int list, RgProblem *p)
{
    for (int32_t j = 0; j < packed->first_lanes[RG_PGS_GROUPS]; j++) {
        const RgPgsLanes *from = &packed->lanes[j];
        if (from->list != list)
            continue;
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
