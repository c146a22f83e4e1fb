/*
 * pgs_bundles.c - groups the rows of a problem into bundles for solver `pgs`, and orders their visits.
 *
 * Bundles of joints, bounded rows and contacts are ordered separately. Within each of these groups, bundles inside the
 * parts of the problem come first, then those at the boundary of parts, then those between parts (pgs_parts.c). Within
 * that, colours are assigned greedily in row order: the first colour that neither block of a bundle has. Bundles of a
 * colour share no block, so they may be visited in any order or in parallel, and the result depends only on the rows.
 * Bundles without a colour below RG_PGS_COLOURS (a body with more neighbours) are visited one by one after the others.
 *
 * Within a colour bundles are sorted by list, then those with impulses before those without, then by the friction rows
 * per point. Cost: linear in the rows.
 */
#include "solver/pgs/pgs_pack.h"

#include <string.h>

/* ------------------------------------------------------------------ bundles */

/* Whether a row acts on one or two whole blocks; returns these. */
static bool find_blocks(const RgPgsPacker *k, int i, int32_t block[2])
{
    const RgProblem *p = k->p;
    int at = p->start[i], count = p->start[i + 1] - at;
    block[0] = block[1] = 0;
    if (count != 6 && count != 12)
        return false;
    for (int side = 0; 6 * side < count; side++) {
        const int *columns = p->columns + at + 6 * side;
        int32_t cell = k->cells->of_unknown[columns[0]];
        if (cell >= k->cells->nblocks || k->cells->unknown[cell] != columns[0] || columns[5] != columns[0] + 5)
            return false;
        block[side] = cell + 1;
    }
    return true;
}

static int8_t row_group(int row_class)
{
    return row_class == RG_ROW_BILATERAL ? RG_PGS_JOINTS
           : row_class == RG_ROW_BOUNDED ? RG_PGS_BOUNDED
                                         : RG_PGS_CONTACTS;
}

/* Number of rows of the contact point whose normal is row i. */
static int point_rows(const RgProblem *p, int i)
{
    int end = i + 1;
    while (end < p->n && p->normal[end] == i)
        end++;
    return end - i;
}

/* Whether two points have friction rows of the same kind. */
bool rg_pgs_same_kind(const RgProblem *p, int i, int j, int count)
{
    for (int k = 0; k < count; k++)
        if (p->row_class[i + k] != p->row_class[j + k] || p->cone[i + k] != p->cone[j + k])
            return false;
    return true;
}

/* The patch that starts at row i; NULL: none. Must be called with ascending rows. */
static const RgRowPatch *find_patch(RgPgsPacker *k, int i)
{
    const RgProblem *p = k->p;
    while (k->next_patch < p->npatches && p->patches[k->next_patch].first < i)
        k->next_patch++;
    return k->next_patch < p->npatches && p->patches[k->next_patch].first == i ? &p->patches[k->next_patch] : NULL;
}

/* Whether all friction of a bundle consists of cones with target 0. */
bool rg_pgs_has_cones(const RgProblem *p, const RgPgsBundle *b)
{
    for (int i = b->first; i < b->first + b->count; i += 3)
        if (!p->cone[i + 1] || p->target[i + 1] != 0.0 || p->target[i + 2] != 0.0)
            return false;
    return true;
}

/* Points from which on a patch is visited by its base rows. */
#define MIN_PATCH_POINTS 3

/* Whether the rows of a bundle are solved as a whole. The dampers of 003 within the sweeps (damping_in_sweeps) have
   their own update rule. */
static bool is_block(const RgPgsPacker *k, const RgPgsBundle *b)
{
    bool whole = k->o->joint_blocks && b->group == RG_PGS_JOINTS;
    for (int i = b->first; i < b->first + b->count && whole; i++)
        whole = !(k->o->damping_in_sweeps && k->p->damper != NULL && k->p->damper[i]);
    return whole;
}

/* The bundle that starts at row i. Rows that do not pack form one bundle for each contact point, joint row or bounded
   row. */
static void find_bundle(RgPgsPacker *k, int i, RgPgsBundle *out)
{
    const RgProblem *p = k->p;
    int32_t block[2];
    *out =
        (RgPgsBundle){.first = i, .count = 1, .number = k->nbundles, .group = row_group(p->row_class[i]), .patch = -1};
    const RgRowPatch *patch = find_patch(k, i);
    bool contact = out->group == RG_PGS_CONTACTS;
    int step = contact ? point_rows(p, i) : 1, most = contact ? RG_PGS_POINTS : RG_PGS_JOINT_ROWS;
    bool packs = find_blocks(k, i, out->block) && step <= 1 + RG_PGS_PER_POINT;
    out->count = step;
    out->points = contact ? 1 : 0;
    out->idle = contact && p->z[i] == 0.0;
    for (int n = 1, j = i + step; packs && n < most && j + step <= p->n; n++, j += step) {
        if (row_group(p->row_class[j]) != out->group || !find_blocks(k, j, block))
            break;
        if (contact && (point_rows(p, j) != step || !rg_pgs_same_kind(p, i, j, step)))
            break;
        if (patch != NULL && n == patch->points)
            break;
        if (block[0] != out->block[0] || block[1] != out->block[1])
            break;
        out->count += step;
        out->points = (int8_t)(out->points + contact);
        out->idle = out->idle && p->z[j] == 0.0;
    }
    if (packs && patch != NULL && out->points == patch->points && patch->points >= MIN_PATCH_POINTS && step == 3 &&
        rg_pgs_has_cones(p, out))
        out->patch = k->next_patch;
    out->packs = packs;
    out->whole = packs && is_block(k, out);
}

void rg_pgs_find_bundles(RgPgsPacker *k)
{
    k->nbundles = k->next_patch = 0;
    for (int i = 0; i < k->p->n; i += k->bundles[k->nbundles++].count) {
        RgPgsBundle *b = &k->bundles[k->nbundles];
        find_bundle(k, i, b);
        b->chunk = (int32_t)((int64_t)i * k->chunks / k->p->n);
    }
}

/* ------------------------------------------------------------------ order */

/* Colours the bundles of a group and zone. Returns the number of colours. used: colours of each block. */
static int colour_bundles(RgPgsPacker *k, int group, int zone, uint64_t *used)
{
    int most = 0;
    for (int32_t i = 0; i < k->nbundles; i++) {
        RgPgsBundle *b = &k->bundles[i];
        if (!b->packs || b->group != group || b->zone != zone)
            continue;
        uint64_t taken = used[b->block[0]] | (b->block[1] > 0 ? used[b->block[1]] : 0);
        b->colour = (int8_t)(~taken != 0 ? __builtin_ctzll(~taken) : RG_PGS_COLOURS);
        for (int side = 0; side < 2 && b->colour < RG_PGS_COLOURS; side++)
            used[b->block[side]] |= UINT64_C(1) << b->colour;
        most = b->colour + 1 > most ? b->colour + 1 : most;
    }
    return most;
}

/* Sort key of a bundle. colours: number of colours before those of its group and zone. Bundles without a colour are in
   row order, regardless of the lists. */
static int sort_key(const RgPgsPacker *k, const int colours[RG_PGS_ZONES * RG_PGS_GROUPS], const RgPgsBundle *b)
{
    int list = b->colour < RG_PGS_COLOURS ? b->list : 0;
    int place = (colours[RG_PGS_ZONES * b->group + b->zone] + b->colour) * k->lists + list;
    return (2 * place + b->idle) * (RG_PGS_PER_POINT + 1) + rg_pgs_friction_rows(b);
}

bool rg_pgs_sort_bundles(RgPgsPacker *k, int nblocks)
{
    int colours[RG_PGS_ZONES * RG_PGS_GROUPS], count = 0;
    uint64_t *used = RG_ARENA_ALLOC_RAW(k->arena, uint64_t, nblocks + 1);
    for (int i = 0; i < RG_PGS_ZONES * RG_PGS_GROUPS && used != NULL; i++) {
        colours[i] = count;
        memset(used, 0, (size_t)(nblocks + 1) * sizeof *used);
        count += colour_bundles(k, i / RG_PGS_ZONES, i % RG_PGS_ZONES, used);
    }
    int keys = count * k->lists * 2 * (RG_PGS_PER_POINT + 1);
    int32_t *start = RG_ARENA_ALLOC(k->arena, int32_t, keys + 1);
    if (k->arena->failed)
        return false;
    for (int32_t i = 0; i < k->nbundles; i++)
        if (k->bundles[i].packs)
            start[sort_key(k, colours, &k->bundles[i]) + 1]++;
    for (int c = 0; c < keys; c++)
        start[c + 1] += start[c];
    k->nsorted = start[keys];
    for (int32_t i = 0; i < k->nbundles; i++)
        if (k->bundles[i].packs)
            k->sorted[start[sort_key(k, colours, &k->bundles[i])]++] = k->bundles[i];
    return true;
}
