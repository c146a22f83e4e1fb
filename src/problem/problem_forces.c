/*
 * problem_forces.c - forces of a solved problem that the motion does not determine: rank, ranges, and existence of a
 * solution (solver/cone/indeterminacy.h, solver/cone/consistency.h).
 *
 * Contacts of an fc3d problem are used directly. The rows of a step are grouped: a normal and the two tangents of its
 * cone (without friction: tangents of zero) form a contact; every row of a joint, limit or motor is a block of its own,
 *
 *   W = J J' + C,   q = J s* - target
 *
 * contacts first, each kind in the order of its rows. Not supported: pyramids, elliptic cones, torsion, rolling,
 * normals with other bounds. Existence is checked only if all blocks are contacts.
 */
#include "base/status.h"
#include "problem/problem_file.h"
#include "solver/cone/consistency.h"
#include "solver/cone/indeterminacy.h"

#include <math.h>
#include <string.h>

static const char *const state_names[RG_FORCE_STATES] = {
    [RG_CONTACT_OPEN] = "open", [RG_CONTACT_STICKING] = "sticking", [RG_CONTACT_SLIDING] = "sliding",
    [RG_ROW_HELD] = "held",     [RG_ROW_AT_LOW] = "at low",         [RG_ROW_AT_HIGH] = "at high"};

/* ------------------------------------------------------------------ blocks of a step */

/* Rows of a block: the first, and their number (1 or 3). */
typedef struct StepBlock {
    int first, rows;
} StepBlock;

static bool is_contact(const RgProblem *p, int i)
{
    return p->row_class[i] == RG_ROW_NORMAL;
}

static bool is_single(const RgProblem *p, int i)
{
    return p->row_class[i] == RG_ROW_BILATERAL || p->row_class[i] == RG_ROW_BOUNDED;
}

/* Number of rows of the contact whose normal is row i; 0: not a supported law. */
static int contact_rows(const RgProblem *p, int i)
{
    int rows = 1;
    while (i + rows < p->n && p->normal[i + rows] == i)
        rows++;
    bool plain = p->low[i] == 0.0 && isinf(p->high[i]) &&
                 (rows == 1 || (rows == 3 && p->cone[i + 1] && p->high[i + 1] == p->high[i + 2]));
    return plain ? rows : 0;
}

/* Contacts, then rows of joints, limits and motors. False: a row is not supported. */
static bool find_blocks(const RgProblem *p, int contacts, StepBlock *block)
{
    int contact = 0, alone = contacts;
    for (int i = 0; i < p->n;) {
        int rows = is_contact(p, i) ? contact_rows(p, i) : is_single(p, i) ? 1 : 0;
        if (rows == 0)
            return false;
        block[is_contact(p, i) ? contact++ : alone++] = (StepBlock){i, rows};
        i += rows;
    }
    return true;
}

/* Entry (i, j) of W. */
static double row_product(const RgProblem *p, int i, int j)
{
    double sum = i == j ? p->compliance[i] : 0.0;
    for (int e = p->start[i], f = p->start[j]; e < p->start[i + 1] && f < p->start[j + 1];) {
        int c = p->columns[e], d = p->columns[f];
        if (c == d)
            sum += p->values[e] * p->values[f];
        e += c <= d;
        f += d <= c;
    }
    return sum;
}

/* The entries of W of two blocks. False: all are zero. */
static bool block_entries(const RgProblem *p, StepBlock a, StepBlock b, double part[9])
{
    bool any = false;
    memset(part, 0, 9 * sizeof *part);
    for (int i = 0; i < a.rows; i++)
        for (int j = 0; j < b.rows; j++) {
            part[3 * i + j] = row_product(p, a.first + i, b.first + j);
            any = any || part[3 * i + j] != 0.0;
        }
    return any;
}

/* Assembles W. False: no memory. */
static bool assemble_blocks(const RgProblem *p, const StepBlock *block, int n, RgArena *arena, RgConeBlocks *out)
{
    double part[9];
    size_t room = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            room += i == j || block_entries(p, block[i], block[j], part);
    int *start = RG_ARENA_ALLOC(arena, int, n + 1), *column = RG_ARENA_ALLOC(arena, int, room), used = 0;
    double *values = RG_ARENA_ALLOC(arena, double, 9 * room);
    if (arena->failed)
        return false;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            if (!block_entries(p, block[i], block[j], part) && i != j)
                continue;
            memcpy(values + 9 * (size_t)used, part, sizeof part);
            column[used++] = j;
        }
        start[i + 1] = used;
    }
    *out = (RgConeBlocks){.n = n, .start = start, .column = column, .block = values};
    return true;
}

static RgBlockRow row_of(const RgProblem *p, int i)
{
    bool bounded = p->row_class[i] == RG_ROW_BOUNDED;
    return (RgBlockRow){
        .is_row = is_single(p, i), .low = bounded ? p->low[i] : -INFINITY, .high = bounded ? p->high[i] : INFINITY};
}

/* Input of the analysis: blocks, their kinds (NULL: all are contacts), and their rows in the file. */
typedef struct ForceProblem {
    RgConeBlocks blocks;
    const RgBlockRow *rows;
    const StepBlock *places; /* NULL: three rows per contact */
} ForceProblem;

static RgStatus make_from_step(const RgProblemFile *file, const double *z, RgArena *arena, ForceProblem *out)
{
    const RgProblem *p = &file->rows;
    StepBlock *block = RG_ARENA_ALLOC(arena, StepBlock, p->n);
    if (block == NULL)
        return RG_ERR_MEMORY;
    if (!find_blocks(p, file->contacts, block))
        return RG_ERR_UNSUPPORTED;
    int n = file->contacts + rg_problem_lone_rows(file);
    double *q = RG_ARENA_ALLOC(arena, double, 3 * n), *mu = RG_ARENA_ALLOC(arena, double, n),
           *r = RG_ARENA_ALLOC(arena, double, 3 * n);
    RgBlockRow *rows = RG_ARENA_ALLOC(arena, RgBlockRow, n);
    if (arena->failed || !assemble_blocks(p, block, n, arena, &out->blocks))
        return RG_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        rows[i] = row_of(p, block[i].first);
        mu[i] = block[i].rows == 3 ? p->high[block[i].first + 1] : 0.0;
        for (int k = 0; k < block[i].rows; k++) {
            int row = block[i].first + k;
            q[3 * i + k] = rg_problem_row_times(p, row, p->s) - p->target[row];
            r[3 * i + k] = z[row];
        }
    }
    out->blocks.q = q;
    out->blocks.mu = mu;
    out->blocks.r = r;
    out->rows = n > file->contacts ? rows : NULL;
    out->places = block;
    return RG_OK;
}

/* ------------------------------------------------------------------ report */

int rg_problem_lone_rows(const RgProblemFile *file)
{
    int count = 0;
    for (int i = 0; i < file->rows.n; i++)
        count += is_single(&file->rows, i);
    return count;
}

static RgStatus make_force_problem(const RgProblemFile *file, const double *z, RgArena *arena, ForceProblem *out)
{
    *out = (ForceProblem){.rows = NULL};
    if (file->kind == &rg_problem_kind_step)
        return make_from_step(file, z, arena, out);
    if (file->kind != &rg_problem_kind_fc3d)
        return RG_ERR_UNSUPPORTED;
    out->blocks = file->cones;
    out->blocks.r = RG_ARENA_ALLOC(arena, double, file->n);
    if (out->blocks.r == NULL)
        return RG_ERR_MEMORY;
    memcpy(out->blocks.r, z, (size_t)file->n * sizeof *z);
    return RG_OK;
}

static void fill_report(const RgIndeterminacy *found, const RgConsistency *consistency, RgProblemForces *out)
{
    *out = (RgProblemForces){.rows = found->rows,
                             .rank = found->rank,
                             .open = found->open,
                             .sticking = found->sticking,
                             .sliding = found->sliding,
                             .held = found->held,
                             .at_bound = found->at_bound,
                             .freedoms = found->freedoms,
                             .not_unique = found->not_unique,
                             .unbounded = found->unbounded,
                             .unknown = found->unknown,
                             .misfit = found->misfit,
                             .solution = rg_existence_name(consistency->solution),
                             .continued_sliding = rg_existence_name(consistency->sliding),
                             .jamming = consistency->jamming};
}

static RgContactForceRange range_of(const RgProblemFile *file, const ForceProblem *problem, const RgForceRange *from,
                                    int i)
{
    int row = problem->places != NULL ? problem->places[i].first : 3 * i;
    RgContactForceRange to = {.state = state_names[from->state],
                              .row = row,
                              .name = file->names != NULL ? file->names[row] : NULL,
                              .is_contact = problem->rows == NULL || !problem->rows[i].is_row,
                              .unique = from->unique,
                              .known = from->known};
    memcpy(to.low, from->low, sizeof to.low);
    memcpy(to.high, from->high, sizeof to.high);
    return to;
}

RgStatus rg_problem_file_forces(const RgProblemFile *file, const double *z, int max_programs, RgProblemForces *out,
                                RgContactForceRange *ranges)
{
    RgArena arena;
    ForceProblem problem;
    RgIndeterminacy found;
    RgConsistency consistency = {.solution = RG_EXISTENCE_UNKNOWN};
    rg_arena_init(&arena, NULL);
    RgIndeterminacyOptions options = rg_indeterminacy_defaults();
    options.max_programs = max_programs > 0 ? max_programs : options.max_programs;
    int n = file->contacts + rg_problem_lone_rows(file);
    RgForceRange *range = RG_ARENA_ALLOC(&arena, RgForceRange, n);
    RgStatus status = range == NULL ? RG_ERR_MEMORY : make_force_problem(file, z, &arena, &problem);
    if (status == RG_OK)
        status = rg_indeterminacy_find(&arena, &problem.blocks, problem.rows, &options, range, &found);
    if (status == RG_OK && problem.rows == NULL)
        status = rg_consistency_find(&arena, &problem.blocks, NULL, options.still, NULL, &consistency);
    if (status == RG_OK)
        fill_report(&found, &consistency, out);
    for (int i = 0; i < n && status == RG_OK && ranges != NULL; i++)
        ranges[i] = range_of(file, &problem, &range[i], i);
    rg_arena_free(&arena);
    return status;
}
