/*
 * problem_forces.c - what the motion does not tell about the forces of a solved contact problem: rank, ranges, and whether
 * a solution exists at all (solver/cone/indeterminacy.h, solver/cone/consistency.h).
 *
 * Contacts of an fc3d problem are taken as they are. Those of a step are put together from their rows,
 *
 *   W = J J',   q = J s* - target
 *
 * where these are contacts alone: no joints, limits, motors, softness, torsion or rolling; a contact without friction has
 * tangents of zero.
 */
#include "base/status.h"
#include "problem/problem_file.h"
#include "solver/cone/consistency.h"
#include "solver/cone/indeterminacy.h"

#include <math.h>
#include <string.h>

static const char *const state_names[] = {
    [RG_CONTACT_OPEN] = "open", [RG_CONTACT_STICKING] = "sticking", [RG_CONTACT_SLIDING] = "sliding"};

/* ------------------------------------------------------------------ contacts of a step */

/* Rows of contact i: first, and how many (1 or 3). */
typedef struct StepContact {
    int first, rows;
} StepContact;

/* False: there are other rows than those of contacts. */
static bool find_contacts(const RgProblem *p, StepContact *contact)
{
    int count = 0;
    for (int i = 0; i < p->n;) {
        int rows = 1;
        while (i + rows < p->n && p->normal[i + rows] == i)
            rows++;
        bool plain = p->row_class[i] == RG_ROW_NORMAL && p->low[i] == 0.0 && isinf(p->high[i]) &&
                     (rows == 1 || (rows == 3 && p->cone[i + 1] && p->high[i + 1] == p->high[i + 2]));
        for (int k = i; k < i + rows && plain; k++)
            plain = p->compliance[k] == 0.0 && (k == i || p->target[k] == 0.0);
        if (!plain)
            return false;
        contact[count++] = (StepContact){i, rows};
        i += rows;
    }
    return true;
}

static double row_product(const RgProblem *p, int i, int j)
{
    double sum = 0.0;
    for (int e = p->start[i], f = p->start[j]; e < p->start[i + 1] && f < p->start[j + 1];) {
        int c = p->columns[e], d = p->columns[f];
        if (c == d)
            sum += p->values[e] * p->values[f];
        e += c <= d;
        f += d <= c;
    }
    return sum;
}

/* The block of two contacts; false: it is zero. */
static bool contact_block(const RgProblem *p, StepContact a, StepContact b, double block[9])
{
    bool any = false;
    memset(block, 0, 9 * sizeof *block);
    for (int i = 0; i < a.rows; i++)
        for (int j = 0; j < b.rows; j++) {
            block[3 * i + j] = row_product(p, a.first + i, b.first + j);
            any = any || block[3 * i + j] != 0.0;
        }
    return any;
}

/* W of the contacts. NULL blocks: no memory. */
static bool gather_blocks(const RgProblem *p, const StepContact *contact, int n, RgArena *arena,
                          RgConeBlocks *out)
{
    double block[9];
    size_t room = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            room += i == j || contact_block(p, contact[i], contact[j], block);
    int *start = RG_TAKE(arena, int, n + 1), *column = RG_TAKE(arena, int, room), used = 0;
    double *values = RG_TAKE(arena, double, 9 * room);
    if (arena->failed)
        return false;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            if (!contact_block(p, contact[i], contact[j], block) && i != j)
                continue;
            memcpy(values + 9 * (size_t)used, block, sizeof block);
            column[used++] = j;
        }
        start[i + 1] = used;
    }
    *out = (RgConeBlocks){.n = n, .start = start, .column = column, .block = values};
    return true;
}

static RgStatus blocks_of_step(const RgProblemFile *file, const double *z, RgArena *arena, RgConeBlocks *out)
{
    const RgProblem *p = &file->rows;
    int n = file->contacts;
    StepContact *contact = RG_TAKE(arena, StepContact, p->n);
    if (contact == NULL)
        return RG_ERR_MEMORY;
    if (!find_contacts(p, contact))
        return RG_ERR_UNSUPPORTED;
    double *q = RG_TAKE(arena, double, 3 * n), *mu = RG_TAKE(arena, double, n),
           *r = RG_TAKE(arena, double, 3 * n);
    if (arena->failed || !gather_blocks(p, contact, n, arena, out))
        return RG_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        mu[i] = contact[i].rows == 3 ? p->high[contact[i].first + 1] : 0.0;
        for (int k = 0; k < contact[i].rows; k++) {
            int row = contact[i].first + k;
            q[3 * i + k] = rg_problem_row_times(p, row, p->s) - p->target[row];
            r[3 * i + k] = z[row];
        }
    }
    out->q = q;
    out->mu = mu;
    out->r = r;
    return RG_OK;
}

/* ------------------------------------------------------------------ report */

static RgStatus blocks_of(const RgProblemFile *file, const double *z, RgArena *arena, RgConeBlocks *out)
{
    if (file->kind == &rg_problem_kind_step)
        return blocks_of_step(file, z, arena, out);
    if (file->kind != &rg_problem_kind_fc3d)
        return RG_ERR_UNSUPPORTED;
    *out = file->cones;
    out->r = RG_TAKE(arena, double, file->n);
    if (out->r == NULL)
        return RG_ERR_MEMORY;
    memcpy(out->r, z, (size_t)file->n * sizeof *z);
    return RG_OK;
}

static void tell(const RgIndeterminacy *found, const RgConsistency *consistency, RgProblemForces *out)
{
    *out = (RgProblemForces){.rows = found->rows,
                             .rank = found->rank,
                             .open = found->open,
                             .sticking = found->sticking,
                             .sliding = found->sliding,
                             .freedoms = found->freedoms,
                             .not_unique = found->not_unique,
                             .unbounded = found->unbounded,
                             .unknown = found->unknown,
                             .misfit = found->misfit,
                             .solution = rg_existence_name(consistency->solution),
                             .going_on = rg_existence_name(consistency->sliding),
                             .jamming = consistency->jamming};
}

RgStatus rg_problem_file_forces(const RgProblemFile *file, const double *z, int max_programs,
                                RgProblemForces *out, RgContactForceRange *ranges)
{
    RgArena arena;
    RgConeBlocks blocks;
    RgIndeterminacy found;
    RgConsistency consistency;
    rg_arena_init(&arena, NULL);
    RgIndeterminacyOptions options = rg_indeterminacy_defaults();
    options.max_programs = max_programs > 0 ? max_programs : options.max_programs;
    RgForceRange *range = RG_TAKE(&arena, RgForceRange, file->contacts);
    RgStatus status = range == NULL ? RG_ERR_MEMORY : blocks_of(file, z, &arena, &blocks);
    if (status == RG_OK)
        status = rg_indeterminacy_find(&arena, &blocks, &options, range, &found);
    if (status == RG_OK)
        status = rg_consistency_find(&arena, &blocks, NULL, options.still, NULL, &consistency);
    if (status == RG_OK)
        tell(&found, &consistency, out);
    for (int i = 0; i < file->contacts && status == RG_OK && ranges != NULL; i++) {
        ranges[i] = (RgContactForceRange){
            .state = state_names[range[i].state], .unique = range[i].unique, .known = range[i].known};
        memcpy(ranges[i].low, range[i].low, sizeof range[i].low);
        memcpy(ranges[i].high, range[i].high, sizeof range[i].high);
    }
    rg_arena_free(&arena);
    return status;
}
