/*
 * pgs_pack.c - a problem laid out for solver `pgs`: its rows in lanes, four bundles side by side, in the order of
 * visits (pgs_bundles.c), and its velocities where the rows of each chunk find them.
 *
 * Rows on anything else than one or two whole blocks go to a list of their own. The sides of a set of lanes that do not
 * move have zeros of their own in V, so that sets do not wait for each other there, on one thread or on several.
 *
 * Threads write the sets of lanes of their own lists: they have them at hand in the sweeps.
 * Cost: linear in the coefficients.
 */
#include "solver/pgs/pgs_pack.h"
#include "math/dense_factor.h"

#include <math.h>
#include <string.h>

/* Blocks that can be visited at once, up to which each is visited by itself, with its rows side by side: four lanes
   cost as much as three of those. */
#define MOST_SOLO 2

/* ------------------------------------------------------------------ steps */

bool rg_pgs_steps_take(RgArena *arena, int n, RgPgsSteps *out)
{
    *out = (RgPgsSteps){.diagonal = RG_TAKE_RAW(arena, double, n),
                        .response = RG_TAKE_RAW(arena, double, n),
                        .per = RG_TAKE_RAW(arena, double, n)};
    return !arena->failed;
}

int rg_pgs_fill_steps(const RgProblem *p, const RgPgsOptions *o, int first, int end, RgPgsSteps *out)
{
    int refused = 0;
    rg_problem_responses(p, first, end, out->diagonal, out->response);
    for (int i = first; i < end; i++) {
        bool rubs = p->row_class[i] == RG_ROW_FRICTION || p->row_class[i] == RG_ROW_BOX;
        double relax = rubs ? o->sor * o->friction_sor : o->sor, response = out->response[i];
        if (o->damping_in_sweeps && p->damper != NULL && p->damper[i]) {
            /* 003, section 4: the damper's force anew from the present velocity, z = -J s / C. That comes
               to rest only where C > J J'; a stronger damper is a row like others. */
            bool rests = 2.0 * p->compliance[i] > response;
            refused += !rests;
            response = rests ? p->compliance[i] : response;
            relax = rests ? 1.0 : relax;
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

static bool take_cells(RgArena *arena, const RgProblem *p, RgPgsCells *c)
{
    *c = (RgPgsCells){.nblocks = p->nblocks,
                      .unknown = RG_TAKE_RAW(arena, int32_t, p->nu),
                      .of_unknown = RG_TAKE_RAW(arena, int32_t, p->nu)};
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
    c->first = RG_TAKE(arena, int32_t, c->count + 1);
    c->root = RG_TAKE_RAW(arena, double, c->count);
    return !arena->failed;
}

/* End of the coefficients that tell the cells of a bundle: of its first row where it packs, else of all. */
static int last_entry(const RgProblem *p, const RgPgsBundle *b)
{
    return p->start[b->packs ? b->first + 1 : b->first + b->count];
}

/* Counts the chunks on each cell, in ascending order of the chunks; last: the one that was there last, -1 at first. */
static void count_chunks(const RgProblem *p, const RgPgsCells *c, const RgPgsBundle *b, int32_t *last, int32_t *count)
{
    for (int e = p->start[b->first]; e < last_entry(p, b); e++) {
        int32_t cell = c->of_unknown[p->columns[e]];
        count[cell] += last[cell] != b->chunk;
        last[cell] = b->chunk;
    }
}

/* A bundle learns where its cells stand for its chunk; used: copies of each cell that have gone to chunks so far. */
static void find_places(const RgProblem *p, const RgPgsCells *c, const int32_t *used, int32_t *at, RgPgsBundle *b)
{
    for (int side = 0; side < 2 && b->packs; side++)
        if (b->block[side] > 0)
            b->block[side] = c->place[c->first[b->block[side] - 1] + used[b->block[side] - 1] - 1] / RG_PGS_STRIDE;
    for (int e = p->start[b->first]; e < last_entry(p, b) && !b->packs; e++) {
        int32_t cell = c->of_unknown[p->columns[e]];
        at[e] = c->place[c->first[cell] + used[cell] - 1] + p->columns[e] - c->unknown[cell];
    }
}

/* Blocks from place RG_PGS_STRIDE on, list by list, each where a line of the cache begins; then the others. owner: list
   of each copy. */
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

/* As many copies of every cell as there are chunks on it; one chunk has one of all. last: scratch. */
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

/* Lists of the copies: those of the chunks, or those of the parts that blocks are in. last, used: scratch. */
static void find_owners(const RgPgsPacker *k, const RgPgsCells *c, int32_t *last, int32_t *used, int32_t *owner)
{
    for (int32_t i = 0; i < c->first[c->count]; i++)
        owner[i] = k->list_of_block != NULL && i < c->nblocks ? k->list_of_block[i] : 0;
    for (int32_t i = 0; i < k->nbundles && k->chunks > 1; i++) {
        const RgPgsBundle *b = &k->bundles[i];
        count_chunks(k->p, c, b, last, used);
        for (int e = k->p->start[b->first]; e < last_entry(k->p, b); e++) {
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
    int32_t *last = RG_TAKE_RAW(k->arena, int32_t, c->count), *used = RG_TAKE(k->arena, int32_t, c->count);
    if (k->arena->failed)
        return false;
    count_copies(k, c, memset(last, -1, size));
    int32_t *owner = RG_TAKE_RAW(k->arena, int32_t, c->first[c->count]);
    c->place = RG_TAKE_RAW(k->arena, int32_t, c->first[c->count]);
    c->shared = RG_TAKE_RAW(k->arena, int32_t, c->nshared);
    c->before = RG_TAKE_RAW(k->arena, double, RG_PGS_STRIDE * c->nshared);
    out->at = general ? RG_TAKE_RAW(k->arena, int32_t, p->start[p->n]) : NULL;
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

/* The problem over velocities by the roots of the cells: J N^1/2. */
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
    to->values = RG_TAKE_RAW(k->arena, double, p->start[p->n]);
    to->patches = RG_TAKE_RAW(k->arena, RgRowPatch, p->npatches);
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

/* Velocities of the problem to all copies. No zero is negative from here on: rows of zeros, by which
   lanes are filled up, then leave every bit as it is, and it does not matter which bundles share a set. */
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

void rg_pgs_take_velocities(const RgPgsPacked *packed, double *s)
{
    const RgPgsCells *c = &packed->cells;
    for (int32_t i = 0; i < c->count; i++)
        for (int n = 0; n < rg_pgs_cell_width(c, i) && c->first[i] < c->first[i + 1]; n++)
            s[c->unknown[i] + n] = packed->V[c->place[c->first[i]] + n] * c->root[i];
}

/* ------------------------------------------------------------------ rows that do not pack */

static void list_generals(const RgPgsPacker *k, RgPgsPacked *out, bool write)
{
    const RgProblem *p = k->p;
    int32_t n[RG_PGS_GROUPS + 1] = {0};
    for (int32_t j = 0; j < k->nbundles; j++) {
        const RgPgsBundle *b = &k->bundles[j];
        for (int i = b->first; i < b->first + b->count && !b->packs; i++) {
            bool rubs = p->row_class[i] == RG_ROW_FRICTION || p->row_class[i] == RG_ROW_BOX;
            int list = rubs ? RG_PGS_GROUPS : b->group;
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

/* Where the sides of a bundle (NULL: none) stand in V; still: zeros of the set's own. */
static void place_lane(const RgPgsBundle *b, int32_t still, RgPgsLanes *to, int lane)
{
    for (int side = 0; side < 2; side++)
        to->place[side][lane] = b != NULL && b->block[side] > 0 ? RG_PGS_STRIDE * b->block[side] : still;
    to->bundle[lane] = b != NULL ? b->number : -1;
}

static bool fits(const RgPgsPacker *k, const RgPgsBundle *first, const RgPgsBundle *b, int lanes)
{
    const RgProblem *p = k->p;
    return lanes < RG_PGS_LANES && first->colour < RG_PGS_COLOURS && b->group == first->group &&
           b->colour == first->colour && b->zone == first->zone && b->list == first->list &&
           rg_pgs_friction_rows(b) == rg_pgs_friction_rows(first) && b->whole == first->whole &&
           (b->patch >= 0) == (first->patch >= 0) &&
           (b->group != RG_PGS_CONTACTS || rg_pgs_same_kind(p, first->first, b->first, 1 + rg_pgs_friction_rows(b)));
}

/* One row of the problem into row r of the lanes. */
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

static void fill_lane(const RgPgsPacker *k, const RgPgsPacked *out, const RgPgsBundle *b, RgPgsLanes *to, int lane)
{
    int rubs = rg_pgs_friction_rows(b), step = 1 + rubs;
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
    to->rub_per[lane] = steps->per[i + 1]; /* that of the cone's two rows */
    for (int f = 0; f < 2; f++) {
        int row = i + 1 + f;
        to->rub_decay[f][lane] = 1.0 - steps->per[row] * p->compliance[row];
        to->rub_high[f][lane] = p->high[row];
        to->rub_z[f][lane] = p->z[row] + 0.0;
        to->rub_diagonal[f][lane] = steps->diagonal[row];
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
    to->hangs = true;
    for (int lane = 0; lane < to->lanes; lane++)
        fill_patch_lane(k, out, first + lane, to, lane);
    fill_pairs(to);
}

/* Which friction row hangs on which normal. */
static void set_layout(const RgProblem *p, const RgPgsBundle *b, RgPgsLanes *to)
{
    int rubs = rg_pgs_friction_rows(b);
    to->hangs = true;
    for (int f = 0; f < to->nfriction && rubs > 0; f++) {
        int row = b->first + 1 + f % rubs;
        to->normal[f] = (int8_t)(p->row_class[row] == RG_ROW_FRICTION ? f / rubs : -1);
        to->cone[f] = p->cone[row];
        to->hangs = to->hangs && to->normal[f] >= 0;
    }
}

/* Sizes of the next set of lanes, of the bundles from first on. */
static RgPgsLanes measure_lanes(const RgPgsPacker *k, const RgPgsBundle *first, const RgPgsBundle *end)
{
    int lanes = 0, most = 0;
    while (first + lanes < end && (lanes == 0 || fits(k, first, first + lanes, lanes))) {
        const RgPgsBundle *b = first + lanes++;
        int rows = b->points > 0 ? b->points : b->count;
        most = rows > most ? rows : most;
    }
    return (RgPgsLanes){
        .list = first->list, .lanes = lanes, .nrows = most, .nfriction = most * rg_pgs_friction_rows(first)};
}

/* One set of lanes, from the bundles that it was measured for. */
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

/* What sets of lanes need, and where it is. */
typedef struct Room {
    int32_t sets, rows, pairs, blocks, solos, patches;
} Room;

typedef struct Memory {
    RgPgsLane *sums; /* a line of the cache each */
    RgPgsRow *rows;
    RgPgsLane *between, *block;
    RgPgsSolo *solo;
    RgPgsPatch *patch;
    int32_t (*number)[RG_PGS_LANES];
} Memory;

/* Gives a set of lanes, of the bundles from first on, its part of the memory; at: what is used of it. NULL memory: only
   counts. */
static void give_room(const RgPgsBundle *first, const Memory *memory, Room *at, RgPgsLanes *to)
{
    bool patch = first->patch >= 0, block = first->whole, solo = block && to->lanes <= MOST_SOLO;
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

/* Sets of lanes, and what they need. */
static Room measure_all(const RgPgsPacker *k, RgPgsPacked *out)
{
    int32_t n = 0, i = 0;
    Room room = {0};
    for (int group = 0; group < RG_PGS_GROUPS; group++) {
        out->first_lanes[group] = n;
        for (; i < k->nsorted && k->sorted[i].group == group; i += out->lanes[n++].lanes) {
            out->lanes[n] = measure_lanes(k, k->sorted + i, k->sorted + k->nsorted);
            give_room(k->sorted + i, NULL, &room, &out->lanes[n]);
            out->lanes[n].from = i;
        }
    }
    out->first_lanes[RG_PGS_GROUPS] = n;
    return room;
}

static bool take_memory(RgArena *arena, Room room, Memory *out)
{
    *out = (Memory){.sums = rg_arena_take(arena, 2 * (size_t)room.sets, sizeof *out->sums),
                    .rows = RG_TAKE_RAW(arena, RgPgsRow, room.rows),
                    .between = rg_arena_take_raw(arena, (size_t)room.pairs, sizeof *out->between),
                    .block = rg_arena_take(arena, (size_t)room.blocks, sizeof *out->block),
                    .solo = RG_TAKE_RAW(arena, RgPgsSolo, room.solos),
                    .patch = RG_TAKE_RAW(arena, RgPgsPatch, room.patches),
                    .number = rg_arena_take_raw(arena, (size_t)room.rows, sizeof *out->number)};
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

static bool lay_lanes(RgPgsPacker *k, RgPgsPacked *out)
{
    out->lanes = RG_TAKE_RAW(k->arena, RgPgsLanes, k->nsorted);
    if (k->arena->failed)
        return false;
    Room room = measure_all(k, out), at = {0};
    Memory memory;
    int32_t n = out->first_lanes[RG_PGS_GROUPS];
    out->V = RG_TAKE_RAW(k->arena, double, out->cells.end + RG_PGS_STRIDE * n);
    if (!take_memory(k->arena, room, &memory) || k->arena->failed)
        return false;
    /* List by list: what is fetched ahead is not another thread's. */
    for (int list = 0; list < out->lists; list++)
        for (int32_t j = 0; j < n; j++)
            if (out->lanes[j].list == list)
                give_room(&k->sorted[out->lanes[j].from], &memory, &at, &out->lanes[j]);
    for (int32_t j = 0; j < n; j++)
        for (int lane = 0; lane < RG_PGS_LANES; lane++)
            place_lane(lane < out->lanes[j].lanes ? &k->sorted[out->lanes[j].from + lane] : NULL,
                       out->cells.end + RG_PGS_STRIDE * j, &out->lanes[j], lane);
    memset(out->V + out->cells.end, 0, (size_t)RG_PGS_STRIDE * (size_t)n * sizeof *out->V);
    return true;
}

/* ------------------------------------------------------------------ all of it */

static bool take_packer(RgArena *arena, const RgProblem *p, RgPgsPacker *k, RgPgsPacked *out)
{
    k->bundles = RG_TAKE_RAW(arena, RgPgsBundle, p->n);
    k->sorted = RG_TAKE_RAW(arena, RgPgsBundle, p->n);
    out->squares = RG_TAKE_RAW(arena, double, p->n);
    return rg_pgs_steps_take(arena, p->n, &out->steps) && take_cells(arena, p, &out->cells);
}

/* Lists for the threads, by parts or by chunks. */
static bool share_out(RgPgsPacker *k)
{
    int threads = rg_crew_size(k->p->crew);
    if (k->chunks == 1)
        return rg_pgs_part_bundles(k, threads);
    k->lists = threads < k->chunks ? threads : k->chunks;
    k->lists = k->p->n < RG_PGS_LEAST_ROWS ? 1 : k->lists < RG_PGS_LISTS ? k->lists : RG_PGS_LISTS;
    for (int32_t i = 0; i < k->nbundles; i++)
        k->bundles[i].list = (int32_t)((int64_t)k->bundles[i].chunk * k->lists / k->chunks);
    return true;
}

bool rg_pgs_pack(RgArena *arena, const RgProblem *p, const RgPgsOptions *o, int chunks, RgPgsPacked *out)
{
    *out = (RgPgsPacked){.scaled = *p};
    RgPgsPacker *k = RG_TAKE(arena, RgPgsPacker, 1);
    if (k == NULL)
        return false;
    *k = (RgPgsPacker){.arena = arena, .p = p, .o = o, .cells = &out->cells, .chunks = chunks < p->n ? chunks : p->n};
    if (!take_packer(arena, p, k, out))
        return false;
    rg_pgs_find_bundles(k);
    list_generals(k, out, false);
    int32_t ngeneral = out->first_general[RG_PGS_GROUPS + 1];
    out->general = RG_TAKE_RAW(arena, RgPgsGeneral, ngeneral);
    if (arena->failed || !share_out(k) || !place_cells(k, ngeneral > 0, out) || !scale(k, out))
        return false;
    if (ngeneral > 0)
        list_generals(k, out, true);
    for (int32_t i = 0; i < k->nbundles && ngeneral > 0; i++)
        if (!k->bundles[i].packs)
            out->refused[0] += fill_bundle_steps(k, &k->bundles[i], &out->steps);
    out->packer = k;
    out->nbundles = k->nbundles;
    out->lists = k->lists;
    if (!rg_pgs_sort_bundles(k, out->cells.first[out->cells.nblocks]) || !lay_lanes(k, out))
        return false;
    copy_velocities(out, p->s);
    return true;
}

/* ------------------------------------------------------------------ back */

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
