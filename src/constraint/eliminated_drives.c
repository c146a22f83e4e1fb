/*
 * eliminated_drives.c - drives that are not at their bounds are eliminated from the problem of solver quick.
 *
 * Sweeps converge slowly if stiff rows connect the parts of a mechanism that contacts act on: 12 hard drives and four
 * feet take thousands. A drive within its bounds is an equation, which can be solved before the sweeps: with the
 * response L of an articulation's outputs, velocities V, and a row r . V + C z = t of that articulation,
 *
 *   y = L r,   a = r . y + C,   b = t - r . V        V <- V + y b / a,   L <- L - y y' / a
 *
 * is the response of the articulation with that drive active, as if h (kd + h kp) had been added to the joint's
 * inertia. Rows are eliminated one by one, k = 1 ... m; then the sweeps find the other impulses f on the outputs, and
 * backwards
 *
 *   z_k = (b_k - y_k . (f + sum over j > k of r_j z_j)) / a_k
 *
 * (Gaussian elimination; the inverse dynamics of paper 002, section III, is the case C = 0.) If z_k exceeds its bounds
 * the drive becomes a row of the sweeps, and the problem is solved again: the set of rows only grows, so this ends.
 * Drives that were at their bounds in the last step are rows from the start.
 *
 * A hard drive gets a compliance of MIN_COMPLIANCE times its own response, so that L keeps a diagonal if drives leave
 * several contacts only six degrees of freedom. If contacts forbid the targets of hard drives of unbounded effort there
 * is no solution, and sweeps diverge: then the solve is restarted with compliant drives, DIVERGED_COMPLIANCE. In loops
 * these drives always have some compliance (row_drive.c). If such a drive may contradict other constraints the step is
 * solved as rows (contact_solve.c); if its target lies beyond limits of its own joint it is clamped to them. Impulses
 * of contacts against drives that then exceed their bounds may be 1e10 times those that the bounds allow: they are not
 * used as first guess of the next pass. Rows without response, given the other rows, are not eliminated. Cost: m times
 * the outputs squared.
 */
#include "constraint/bounded_table.h"
#include "constraint/view_patches.h"
#include "solver/attainable_targets.h"

#include <string.h>

/* Smallest compliance of an eliminated drive, as a part of its row's response. */
#define MIN_COMPLIANCE 1e-10
/* The same for hard drives of unbounded effort after the sweeps diverged. Divergence test: impulses that grow by the
   same amount in every sweep change by 1/n of them in the nth sweep, so the last relative change times the number of
   sweeps is about 1; above DIVERGING_CHANGE an unfinished island counts as diverging. */
#define DIVERGED_COMPLIANCE 1e-2
#define DIVERGING_CHANGE 0.25
/* Part of a row's response below which the response that other rows leave is round-off. */
#define NO_RESPONSE 1e-6

/* An eliminated row. */
typedef struct RgEliminatedDrive {
    int row; /* number in the problem */
    int32_t group;
    int count;
    int32_t output[6 * RG_ROW_SPANS]; /* r, over the articulation's outputs */
    double r[6 * RG_ROW_SPANS];
    double a, b;
    double alone;  /* r . L r with no row eliminated */
    double beyond; /* rad/s or m/s: distance of the target from the limits of its joint */
    double *y;     /* noutputs */
} RgEliminatedDrive;

struct RgEliminatedDrives {
    int n, room;
    RgEliminatedDrive *list;
    const RgArticulation *whole;         /* articulations before the elimination */
    RgArticulation *left;                /* articulations after the elimination */
    double *V;                           /* velocities before the elimination */
    double (*guess)[RG_PATCH_POINTS][3]; /* impulses of the patches before the solve */
    double min_compliance;               /* MIN_COMPLIANCE or DIVERGED_COMPLIANCE */
};

/* ------------------------------------------------------------------ rows to eliminate */

static void add_entry(RgEliminatedDrive *drive, int32_t output, double r)
{
    drive->output[drive->count] = output;
    drive->r[drive->count++] = r;
}

/* Finds r over the outputs of the row's articulation; false: the row acts on several, or on none. */
static bool find_articulation(const RgPatchView *view, const RgBoundedRow *row, RgEliminatedDrive *out)
{
    const RgPatchProblem *p = &view->problem;
    RgPatchRow made;
    rg_patch_row_make(view, row, &made);
    out->group = -1;
    out->count = 0;
    for (int k = 0; k < made.nspans; k++) {
        const RgRowSpan *s = &made.span[k];
        int32_t group = s->mover > 0 ? p->movers[s->mover].group : p->single_group[s->single];
        if (group < 0 || (out->group >= 0 && group != out->group))
            return false;
        out->group = group;
        if (s->mover == 0)
            add_entry(out, p->single_output[s->single], s->J[0]);
        for (int i = 0; s->mover > 0 && i < 6; i++)
            add_entry(out, p->movers[s->mover].output + i, s->J[i]);
    }
    return out->group >= 0;
}

/* r . x, x by outputs. */
static double row_times(const RgEliminatedDrive *drive, const double *x)
{
    double sum = 0.0;
    for (int e = 0; e < drive->count; e++)
        sum += drive->r[e] * x[drive->output[e]];
    return sum;
}

/* y = L r, from the lower triangle of L. Returns r . L r. */
static double respond(const RgEliminatedDrive *drive, const RgArticulation *group, double *y)
{
    size_t n = (size_t)group->noutputs;
    memset(y, 0, n * sizeof *y);
    for (int e = 0; e < drive->count; e++) {
        size_t at = (size_t)drive->output[e];
        const double *row = group->L + at * n;
        for (size_t i = 0; i < at; i++)
            y[i] += drive->r[e] * row[i];
        for (size_t i = at; i < n; i++)
            y[i] += drive->r[e] * group->L[i * n + at];
    }
    return row_times(drive, y);
}

/* Whether a row is a hard drive of unbounded effort. */
static bool is_hard_unbounded(const RgBoundedRow *row)
{
    return row->kind == RG_BOUNDED_drive && row->compliance == 0.0 && row->low == -INFINITY && row->high == INFINITY;
}

/* The row's target clamped to the limits of its own joint. If a drive of unbounded effort had a target beyond them,
   even slightly, the impulses would have no bound. */
static double within_limits(const RgPatchView *view, const RgBoundedRow *row)
{
    double target = row->target, c = row->row.coefficient[0];
    if (!is_hard_unbounded(row) || row->row.ndofs != 1 || row->row.nbodies != 0)
        return target;
    for (int i = 0; i < view->from->nrows; i++) {
        const RgBoundedRow *limit = &view->from->rows[i];
        if (limit->kind != RG_BOUNDED_limit || limit->compliance > 0.0 || limit->row.dof[0] != row->row.dof[0])
            continue;
        double coefficient = limit->row.coefficient[0];
        if (coefficient / c * target < limit->target)
            target = c / coefficient * limit->target;
    }
    return target;
}

/* ------------------------------------------------------------------ elimination */

/* r . V */
static double row_velocity(const RgPatchView *view, const RgEliminatedDrive *drive)
{
    const RgArticulation *group = &view->eliminated->left[drive->group];
    double sum = 0.0;
    for (int e = 0; e < drive->count; e++)
        sum += drive->r[e] * view->problem.V[group->place[drive->output[e]]];
    return sum;
}

/* Computes L = B' B of an articulation that has only B. Returns false if out of memory. */
static bool form_response(RgPatchView *view, int32_t number)
{
    RgEliminatedDrives *s = view->eliminated;
    RgArticulation *group = (RgArticulation *)&s->whole[number];
    size_t n = (size_t)group->noutputs;
    if (group->L != NULL)
        return true;
    double *L = RG_ARENA_ALLOC(&view->memory, double, n *n);
    if (L == NULL)
        return false;
    for (int32_t k = 0; k < group->rank; k++) {
        const double *b = group->B + (size_t)k * n;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; b[i] != 0.0 && j < n; j++)
                L[i * n + j] += b[i] * b[j];
    }
    group->L = s->left[number].L = L;
    return true;
}

/* Returns a writable copy of L of an articulation; NULL: out of memory. */
static double *own_response(RgPatchView *view, int32_t number)
{
    RgEliminatedDrives *s = view->eliminated;
    RgArticulation *group = &s->left[number];
    if (!form_response(view, number))
        return NULL;
    group->driven = true;
    group->B = NULL;
    size_t n = (size_t)group->noutputs;
    if (group->L == s->whole[number].L) {
        double *copy = RG_ARENA_ALLOC_RAW(&view->memory, double, n *n);
        if (copy == NULL)
            return NULL;
        memcpy(copy, group->L, n * n * sizeof *copy);
        group->L = copy;
    }
    return (double *)group->L;
}

/* Eliminates a drive. Returns false if out of memory. *out: whether it could be eliminated. */
static bool eliminate_drive(RgPatchView *view, RgEliminatedDrive *drive, bool *out)
{
    RgEliminatedDrives *s = view->eliminated;
    const RgBoundedRow *row = &view->from->rows[drive->row];
    RgArticulation *group = &s->left[drive->group];
    size_t n = (size_t)group->noutputs;
    double *L = own_response(view, drive->group), *y = drive->y = RG_ARENA_ALLOC_RAW(&view->memory, double, n);
    if (L == NULL || y == NULL)
        return false;
    double alone = drive->alone = respond(drive, &s->whole[drive->group], y), left = respond(drive, group, y);
    drive->a = left + fmax(row->compliance, fmax(row->give, s->min_compliance) * alone);
    *out = alone > 0.0 && drive->a > (row->give > 0.0 ? 0.5 * row->give : NO_RESPONSE) * alone;
    if (!*out)
        return true;
    double *V = view->problem.V, target = within_limits(view, row);
    drive->beyond = fabs(row->target - target);
    drive->b = target - row_velocity(view, drive);
    for (size_t i = 0; i < n; i++) {
        double share = y[i] / drive->a;
        V[group->place[i]] += share * drive->b;
        for (size_t j = 0; j <= i; j++)
            L[i * n + j] -= share * y[j];
    }
    return true;
}

/* Allocates the memory of the elimination; false: out of memory. */
static bool init_elimination(RgPatchView *view, int room)
{
    RgArena *arena = &view->memory;
    RgPatchProblem *p = &view->problem;
    size_t places = (size_t)RG_BODY_PLACES * (size_t)p->nmovers + (size_t)p->nsingles;
    RgEliminatedDrives *s = view->eliminated = RG_ARENA_ALLOC(arena, RgEliminatedDrives, 1);
    if (s == NULL)
        return false;
    *s = (RgEliminatedDrives){.room = room,
                              .list = RG_ARENA_ALLOC_RAW(arena, RgEliminatedDrive, room),
                              .whole = p->groups,
                              .left = RG_ARENA_ALLOC_RAW(arena, RgArticulation, p->ngroups),
                              .V = RG_ARENA_ALLOC_RAW(arena, double, places),
                              .guess = rg_arena_alloc_raw(arena, (size_t)p->npatches, sizeof *s->guess),
                              .min_compliance = MIN_COMPLIANCE};
    if (arena->failed)
        return false;
    memcpy(s->V, p->V, places * sizeof *s->V);
    for (int32_t k = 0; k < p->npatches; k++)
        memcpy(s->guess[k], p->patches[k].z, sizeof s->guess[k]);
    memcpy(s->left, p->groups, (size_t)p->ngroups * sizeof *s->left);
    p->groups = s->left;
    p->driven = true;
    return true;
}

/* Copies the lower triangle to the upper one for every changed L. */
static void fill_upper_triangles(const RgPatchView *view)
{
    const RgEliminatedDrives *s = view->eliminated;
    for (int32_t g = 0; g < view->problem.ngroups; g++) {
        double *L = (double *)s->left[g].L;
        size_t n = (size_t)s->left[g].noutputs;
        for (size_t i = 0; i < n && L != s->whole[g].L; i++)
            for (size_t j = 0; j < i; j++)
                L[j * n + i] = L[i * n + j];
    }
}

/* Eliminates every marked row, or removes the mark. Returns false if out of memory. */
static bool eliminate_marked(RgPatchView *view)
{
    RgEliminatedDrives *s = view->eliminated;
    s->n = 0;
    for (int i = 0; i < view->from->nrows; i++) {
        if (view->from->rows[i].eliminated != RG_ELIMINATED_by_row)
            continue;
        RgEliminatedDrive *drive = &s->list[s->n];
        drive->row = i;
        bool out = find_articulation(view, &view->from->rows[i], drive);
        if (out && !eliminate_drive(view, drive, &out))
            return false;
        view->from->rows[i].eliminated = out ? RG_ELIMINATED_by_row : RG_ELIMINATED_no;
        s->n += out;
    }
    fill_upper_triangles(view);
    return true;
}

bool rg_drives_eliminate(RgPatchView *view)
{
    int room = 0;
    view->eliminated = NULL;
    for (int i = 0; i < view->from->nrows; i++) {
        RgBoundedRow *row = &view->from->rows[i];
        if (row->eliminated == RG_ELIMINATED_in_mass)
            continue;
        bool out = row->kind == RG_BOUNDED_drive && rg_row_within(row, RG_AT_BOUND);
        row->eliminated = out ? RG_ELIMINATED_by_row : RG_ELIMINATED_no;
        room += out;
    }
    return room == 0 || (init_elimination(view, room) && eliminate_marked(view));
}

/* ------------------------------------------------------------------ back substitution */

/* Sums the impulses of all remaining rows and patches on articulations, in the layout of V. */
static void gather_impulses(const RgPatchView *view, double *f)
{
    const RgPatchProblem *p = &view->problem;
    for (int32_t k = 0; k < p->npatches; k++)
        for (int side = 0; side < 2; side++) {
            double g[6];
            int32_t mover = p->patches[k].mover[side];
            if (p->movers[mover].group < 0)
                continue;
            rg_contact_patch_impulse(&p->patches[k], side, g);
            for (int i = 0; i < 6; i++)
                f[RG_BODY_PLACES * mover + i] += g[i];
        }
    for (int32_t k = 0; k < p->nrows; k++)
        for (int j = 0; j < p->rows[k].nspans; j++) {
            const RgRowSpan *s = &p->rows[k].span[j];
            if (s->mover == 0)
                f[RG_BODY_PLACES * p->nmovers + s->single] += p->rows[k].z * s->J[0];
            for (int i = 0; s->mover > 0 && i < 6; i++)
                f[RG_BODY_PLACES * s->mover + i] += p->rows[k].z * s->J[i];
        }
}

/* Computes the impulses of the eliminated rows by back substitution; f: as gathered. */
static void find_impulses(RgPatchView *view, double *f)
{
    RgEliminatedDrives *s = view->eliminated;
    for (int k = s->n - 1; k >= 0; k--) {
        const RgEliminatedDrive *drive = &s->list[k];
        const RgArticulation *group = &s->left[drive->group];
        double sum = drive->b;
        for (int32_t i = 0; i < group->noutputs; i++)
            sum -= drive->y[i] * f[group->place[i]];
        double z = view->from->rows[drive->row].z = sum / drive->a;
        for (int e = 0; e < drive->count; e++)
            f[group->place[drive->output[e]]] += z * drive->r[e];
    }
}

/* Turns drives that exceed their bounds into rows. Returns true if there are some. */
static bool find_beyond(RgPatchView *view)
{
    RgEliminatedDrives *s = view->eliminated;
    bool any = false;
    for (int k = 0; k < s->n; k++) {
        RgBoundedRow *row = &view->from->rows[s->list[k].row];
        bool beyond = !(row->z >= row->low && row->z <= row->high);
        row->z = fmax(row->low, fmin(row->z, row->high));
        row->eliminated = beyond ? RG_ELIMINATED_no : RG_ELIMINATED_by_row;
        any = any || beyond;
    }
    return any;
}

/* Whether the targets of hard drives of unbounded effort may be infeasible: their slip or impulses are large against
   their targets at unit mass (solver/attainable_targets.c), or sweeps did not converge. */
static bool may_be_infeasible(const RgPatchView *view)
{
    const RgEliminatedDrives *s = view->eliminated;
    double speed2 = 0.0;
    bool any = false;
    for (int i = 0; i < view->from->nrows && view->report.unfinished > 0; i++)
        if (is_hard_unbounded(&view->from->rows[i]))
            return true;
    for (int k = 0; s != NULL && k < s->n; k++) {
        double target = fmax(fabs(view->from->rows[s->list[k].row].target), fabs(s->list[k].b));
        speed2 += target * target / s->list[k].alone;
    }
    double speed = sqrt(speed2);
    for (int k = 0; s != NULL && k < s->n && !any; k++) {
        const RgBoundedRow *row = &view->from->rows[s->list[k].row];
        double alone = s->list[k].alone, soft = fmax(row->give, s->min_compliance) * alone;
        any = is_hard_unbounded(row) && (rg_target_suspected(alone, soft, row->z, speed) ||
                                         rg_target_suspected(alone, 1.0, s->list[k].beyond, speed));
    }
    return any;
}

/* If sweeps diverged with hard drives of unbounded effort, the targets may be infeasible: makes these drives compliant.
   Returns true if the solve must be restarted. */
static bool soften_diverging_drives(RgPatchView *view)
{
    RgEliminatedDrives *s = view->eliminated;
    bool any = false;
    for (int k = 0; k < s->n; k++) {
        const RgBoundedRow *row = &view->from->rows[s->list[k].row];
        any = any || (row->compliance == 0.0 && row->high == INFINITY);
    }
    bool diverging = view->report.unfinished > 0 && view->report.residual * view->report.sweeps > DIVERGING_CHANGE;
    if (!diverging || s->min_compliance == DIVERGED_COMPLIANCE || !any)
        return false;
    s->min_compliance = DIVERGED_COMPLIANCE;
    return true;
}

bool rg_drives_as_rows(RgPatchView *view)
{
    RgEliminatedDrives *s = view->eliminated;
    RgPatchProblem *p = &view->problem;
    if (s == NULL)
        return true;
    for (int k = 0; k < s->n; k++) {
        RgBoundedRow *row = &view->from->rows[s->list[k].row];
        bool hard = row->compliance == 0.0 && row->give == 0.0 && s->min_compliance == MIN_COMPLIANCE;
        row->eliminated = hard ? RG_ELIMINATED_no : RG_ELIMINATED_by_row;
    }
    p->groups = s->whole;
    p->nrows = 0;
    if (!rg_patch_rows_make(view))
        return false;
    for (int i = 0, k = 0, at = 0; k < s->n; i++) {
        bool listed = i == s->list[k].row, in = rg_patch_row_in(&view->from->rows[i]);
        if (listed && in)
            p->rows[at].target = row_velocity(view, &s->list[k]);
        k += listed;
        at += in;
    }
    return true;
}

bool rg_drives_recover(RgPatchView *view, bool *again)
{
    RgEliminatedDrives *s = view->eliminated;
    RgPatchProblem *p = &view->problem;
    size_t places = (size_t)RG_BODY_PLACES * (size_t)p->nmovers + (size_t)p->nsingles;
    *again = false;
    view->suspected = s == NULL && may_be_infeasible(view);
    if (s == NULL)
        return true;
    double *f = RG_ARENA_ALLOC(&view->memory, double, places);
    if (f == NULL)
        return false;
    gather_impulses(view, f);
    find_impulses(view, f);
    *again = find_beyond(view) || soften_diverging_drives(view);
    if (!*again) {
        view->suspected = may_be_infeasible(view);
        return true;
    }

    /* Restart from the initial state: impulses against unbounded drives are a bad guess for those against bounded
       ones. */
    for (int32_t k = 0; k < p->npatches; k++)
        memcpy(p->patches[k].z, s->guess[k], sizeof s->guess[k]);
    memcpy(p->V, s->V, places * sizeof *p->V);
    for (int32_t g = 0; g < p->ngroups; g++)
        if (s->left[g].L != s->whole[g].L)
            memcpy((double *)s->left[g].L, s->whole[g].L,
                   (size_t)s->left[g].noutputs * (size_t)s->left[g].noutputs * sizeof(double));
    p->nrows = 0;
    return eliminate_marked(view);
}
