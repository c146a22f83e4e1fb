/*
 * view_rows.c - all rows of a step over mass-scaled velocities (view_rows.h), their solution and the conversion back.
 *
 * Friction of a point: two tangents; torsion about the normal, |m| <= torsional n; rolling about the tangents, |m| <=
 * rolling n (with cones, both together). Each point of a patch has its own torsion: the bounds add up to that of the
 * patch.
 */
#include "constraint/view_rows.h"

#include "constraint/bounded_table.h"
#include "constraint/correction.h"
#include "math/unit.h"
#include "solver/cone/least_norm.h"

#include <string.h>

/* Maximum number of rows of a contact point: normal, two tangents, torsion, two of rolling. */
#define POINT_ROWS 6

bool rg_row_view_alloc(RgArena *arena, const RgContactSetup *setup, RgRowView *view)
{
    *view = (RgRowView){.setup = setup, .scaling = rg_scaling_alloc(arena, setup->form)};
    rg_arena_init(&view->memory, &arena->allocator);
    rg_arena_init(&view->solver_memory, &arena->allocator);
    rg_arena_init(&view->fallback_memory, &arena->allocator);
    return view->scaling != NULL;
}

void rg_row_view_free(RgRowView *view)
{
    rg_arena_free(&view->memory);
    rg_arena_free(&view->solver_memory);
    rg_arena_free(&view->fallback_memory);
}

/* ------------------------------------------------------------------ memory */

static bool reserve(RgRowView *view)
{
    const RgForm *form = view->setup->form;
    const RgModel *m = form->model;
    int nrows = view->setup->constraints->rows.n + view->from->nrows;
    int points = view->from->ask.contacts->npoints, n = nrows + POINT_ROWS * points;
    int path = form->kind->joints_are_rows ? 6 : m->depth;
    int wide = RG_ROW_BODIES * path + 2 < form->nu ? RG_ROW_BODIES * path + 2 : form->nu,
        narrow = 2 * path < form->nu ? 2 * path : form->nu;
    int entries = nrows * wide + POINT_ROWS * points * narrow;
    RgArena *arena = &view->memory;
    view->problem = (RgProblem){.thread_pool = form->thread_pool,
                                .nu = form->nu,
                                .nblocks = view->scaling->nblocks,
                                .block = view->scaling->block,
                                .start = RG_ARENA_ALLOC_RAW(arena, int, n + 1),
                                .columns = RG_ARENA_ALLOC_RAW(arena, int, entries),
                                .values = RG_ARENA_ALLOC_RAW(arena, double, entries),
                                .target = RG_ARENA_ALLOC_RAW(arena, double, n),
                                .compliance = RG_ARENA_ALLOC_RAW(arena, double, n),
                                .low = RG_ARENA_ALLOC_RAW(arena, double, n),
                                .high = RG_ARENA_ALLOC_RAW(arena, double, n),
                                .normal = RG_ARENA_ALLOC_RAW(arena, int, n),
                                .row_class = RG_ARENA_ALLOC_RAW(arena, uint8_t, n),
                                .cone = RG_ARENA_ALLOC_RAW(arena, bool, n),
                                .damper = RG_ARENA_ALLOC_RAW(arena, bool, n),
                                .asks = RG_ARENA_ALLOC_RAW(arena, bool, n),
                                .conflict = RG_ARENA_ALLOC(arena, double, n),
                                .z = RG_ARENA_ALLOC_RAW(arena, double, n),
                                .rate = RG_ARENA_ALLOC_RAW(arena, double, n),
                                .s = RG_ARENA_ALLOC_RAW(arena, double, form->nu)};
    const RgPgsOptions *pgs = &view->setup->options.pgs;
    bool keep_last = pgs->smoothing > 0.0 && pgs->smoothing_kind == RG_PGS_SMOOTH_LAST_STEP;
    view->problem.last = view->last = keep_last ? RG_ARENA_ALLOC_RAW(arena, double, n) : NULL;
    view->problem.draws = view->from->ask.last != NULL ? view->from->ask.last->draws : 0;
    view->points = RG_ARENA_ALLOC_RAW(arena, RgPointRows, points);
    view->problem.patches = RG_ARENA_ALLOC_RAW(arena, RgRowPatch, view->from->npatches);
    view->base_room = narrow;
    view->base = rg_arena_alloc_raw(arena, 6 * (size_t)narrow, sizeof *view->base);
    view->s0 = RG_ARENA_ALLOC_RAW(arena, double, form->nu);
    view->V = RG_ARENA_ALLOC_RAW(arena, double, RG_BODY_PLACES *(m->nbodies + 1));
    view->npoints = view->nbilateral = 0;
    if (arena->failed)
        return false;
    view->problem.start[0] = 0;
    return true;
}

/* Where the next row's coefficients are written; close_row then takes their number. */
static int *open_columns(RgRowView *view)
{
    return view->problem.columns + view->problem.start[view->problem.n];
}

static double *open_values(RgRowView *view)
{
    return view->problem.values + view->problem.start[view->problem.n];
}

/* Completes a row as hard and without bounds; the caller changes what differs. Returns its number. */
static int close_row(RgRowView *view, int count, RgRowClass row_class)
{
    RgProblem *p = &view->problem;
    int i = p->n++;
    p->start[i + 1] = p->start[i] + count;
    p->target[i] = p->compliance[i] = p->z[i] = 0.0;
    p->low[i] = -INFINITY;
    p->high[i] = INFINITY;
    p->normal[i] = -1;
    p->row_class[i] = (uint8_t)row_class;
    p->cone[i] = p->damper[i] = p->asks[i] = false;
    return i;
}

/* Rate along a row at the start of the step. */
static double rate_at_start(const RgRowView *view, int i)
{
    return rg_problem_row_times(&view->problem, i, view->s0);
}

static double clamp_to_bounds(const RgProblem *p, int i, double z)
{
    return z < p->low[i] ? p->low[i] : z > p->high[i] ? p->high[i] : z;
}

/* Sets the first guess of a row to w times the impulse z of the last step, clamped to the row's bounds. */
static void set_guess(RgRowView *view, int i, double w, double z)
{
    RgProblem *p = &view->problem;
    p->z[i] = clamp_to_bounds(p, i, w * z);
    if (view->last != NULL)
        view->last[i] = clamp_to_bounds(p, i, z);
}

/* The same for a contact row, without bounds: contact impulses lie in their cone already. */
static void set_contact_guess(RgRowView *view, int i, double w, double z)
{
    view->problem.z[i] = w * z;
    if (view->last != NULL)
        view->last[i] = z;
}

/* ------------------------------------------------------------------ bilateral and bounded rows */

/* Acceleration along a row at du/dt = 0. */
static double row_bias(const RgRowView *view, const RgRow *row)
{
    const RgConstraints *c = view->setup->constraints;
    double bias;
    rg_row_project(c->form, row, c->scratch.columns, c->scratch.values, &bias);
    return bias;
}

/* Target of hard row k. *correction: the part of it that corrects an error. Loops and couplings may start open, so
   their correction is bounded; a fast motion opens loops by h^2 |Jdot u| / 2 per step, which must be closed too. Tree
   joints (maximal form) start closed: their errors are the remaining errors of sweeps, and their correction has no
   bound. */
static double joint_target(const RgRowView *view, int k, double *correction)
{
    const RgConstraints *c = view->setup->constraints;
    const RgRow *row = &c->rows.row[k];
    const RgContactLaw *law = &view->setup->law;
    const RgContactAsk *ask = &view->from->ask;
    *correction = 0.0;
    if (ask->joints == RG_JOINTS_DRIFT)
        return -ask->h * row_bias(view, row);
    if (ask->joints == RG_JOINTS_CORRECT) {
        double largest = k < c->tree_rows ? (double)INFINITY : law->max_joint_correction;
        if (law->erp * fabs(row->error) > largest * ask->h)
            largest += ask->h * fabs(row_bias(view, row));
        *correction = -rg_correcting_velocity(row->error, law->erp, ask->h, largest);
    }
    return *correction;
}

static void add_bilateral(RgRowView *view)
{
    const RgContactProblem *from = view->from;
    const RgRows *rows = &view->setup->constraints->rows;
    const RgContactLaw *law = &view->setup->law;
    RgProblem *p = &view->problem;
    double h = from->ask.h;
    for (int k = 0; k < rows->n; k++) {
        const RgRow *row = &rows->row[k];
        int count = rg_scaled_row(view->scaling, row, open_columns(view), open_values(view));
        int i = close_row(view, count, RG_ROW_BILATERAL);
        bool soft = row->compliance > 0.0;
        from->joint_correction[k] = 0.0;
        if (from->ask.joints == RG_JOINTS_KEEP)
            p->target[i] = rg_problem_row_times(p, i, p->s);
        else
            p->target[i] =
                soft ? rate_at_start(view, i) + h * row->target : joint_target(view, k, &from->joint_correction[k]);
        p->compliance[i] = soft ? row->compliance : law->cfm / h;
        if (from->joint_given != NULL)
            p->target[i] -= p->compliance[i] * from->joint_given[k];
        p->damper[i] = soft;
        set_guess(view, i, law->joint_warm_start, from->joint_impulses[k]);
    }
    view->nbilateral = p->n;
}

static void add_bounded(RgRowView *view)
{
    RgProblem *p = &view->problem;
    for (int k = 0; k < view->from->nrows; k++) {
        const RgBoundedRow *row = &view->from->rows[k];
        int count = rg_scaled_row(view->scaling, &row->row, open_columns(view), open_values(view));
        int i = close_row(view, count, RG_ROW_BOUNDED);
        p->target[i] = row->target;
        p->compliance[i] = row->compliance + row->give * rg_problem_diagonal(p, i);
        p->low[i] = row->low;
        p->high[i] = row->high;
        p->asks[i] =
            row->kind == RG_BOUNDED_drive && row->compliance == 0.0 && row->low == -INFINITY && row->high == INFINITY;
        set_guess(view, i, view->setup->law.joint_warm_start, row->z);
    }
}

/* ------------------------------------------------------------------ contacts */

/* A patch whose rows are being made. */
typedef struct Patch {
    RgRowView *view;
    const RgPatch *patch;
    int32_t number;
    double warm; /* warm-start factor of the first guess */
} Patch;

/* Six base rows; the rows of a patch's points are sums of them (problem.h). They share the columns of the first open
   row. A single point lies in the middle: without torsion and rolling it needs only three. */
typedef struct PatchRows {
    int count;
    const int *columns;
    double *base; /* 6 x room */
    size_t room;
    bool single; /* one point: no lever arms */
} PatchRows;

static double *base_row(const PatchRows *rows, int k)
{
    return rows->base + (size_t)k * rows->room;
}

static PatchRows make_base(const Patch *of)
{
    enum { NORMAL, TURN_1, TURN_2, ALONG_1, ALONG_2, TURN_N };
    RgRowView *view = of->view;
    const RgPatch *patch = of->patch;
    int body[2] = {patch->mover[0] - 1, patch->mover[1] - 1};
    PatchRows out = {.columns = open_columns(view),
                     .base = view->base,
                     .room = (size_t)view->base_room,
                     .single = patch->count == 1};
    out.count = rg_scaled_pair_columns(view->scaling, body[0], body[1], open_columns(view));
    const RgVec3 along[6] = {[NORMAL] = patch->axis[2], [ALONG_1] = patch->axis[0], [ALONG_2] = patch->axis[1]};
    const RgVec3 about[6] = {[TURN_1] = patch->axis[0], [TURN_2] = patch->axis[1], [TURN_N] = patch->axis[2]};
    for (int k = 0; k < 6; k++) {
        RgForce f[2];
        if (out.single && view->from->turning == NULL && (k == TURN_1 || k == TURN_2 || k == TURN_N))
            continue;
        for (int side = 0; side < 2; side++)
            f[side] = (RgForce){v3_add(about[k], v3_cross(patch->arm[side], along[k])), along[k]};
        rg_scaled_pair(view->scaling, body[0], f[0], body[1], f[1], base_row(&out, k));
    }
    return out;
}

/* b + y c - x d; c and d may be NULL. */
typedef struct SumRow {
    const double *b, *c;
    double y;
    const double *d;
    double x;
} SumRow;

static int add_sum_row(RgRowView *view, const PatchRows *from, const SumRow *sum, RgRowClass row_class)
{
    int *columns = open_columns(view);
    double *values = open_values(view);
    if (columns != from->columns)
        memcpy(columns, from->columns, (size_t)from->count * sizeof *columns);
    memcpy(values, sum->b, (size_t)from->count * sizeof *values);
    for (int e = 0; e < from->count && sum->c != NULL; e++)
        values[e] += sum->y * sum->c[e];
    for (int e = 0; e < from->count && sum->d != NULL; e++)
        values[e] -= sum->x * sum->d[e];
    return close_row(view, from->count, row_class);
}

static void add_friction_row(const Patch *of, int i, int normal, double mu, double compliance)
{
    RgProblem *p = &of->view->problem;
    bool box = of->view->setup->law.friction == RG_FRICTION_BOX;
    p->normal[i] = normal;
    p->high[i] = box ? mu * of->view->from->ask.h : mu;
    p->low[i] = -p->high[i];
    p->compliance[i] = compliance;
    p->row_class[i] = box ? RG_ROW_BOX : RG_ROW_FRICTION;
}

static void add_tangents(const Patch *of, const PatchRows *from, RgPointRows *rows)
{
    RgRowView *view = of->view;
    const RgPatch *patch = of->patch;
    const RgVec3 *wanted = view->from->ask.velocities;
    const double *place = patch->place[rows->point];
    rows->tangents = 2;
    for (int k = 0; k < 2; k++) {
        double arm = k == 0 ? -place[1] : place[0];
        SumRow sum = {base_row(from, 3 + k), from->single ? NULL : base_row(from, 5), arm, NULL, 0.0};
        int i = add_sum_row(view, from, &sum, RG_ROW_FRICTION);
        add_friction_row(of, i, rows->row, patch->mu[k], patch->compliance[1 + k]);
        if (wanted != NULL)
            view->problem.target[i] = v3_dot(patch->axis[k], wanted[view->from->parts[of->number].point[rows->point]]);
        set_contact_guess(view, i, of->warm, patch->z[rows->point][1 + k]);
    }
    view->problem.cone[rows->row + 1] = view->setup->law.friction == RG_FRICTION_CONE;
}

/* Adds rows of torsion, then rolling. */
static void add_turning(const Patch *of, const PatchRows *from, RgPointRows *rows)
{
    RgRowView *view = of->view;
    const RgPatchTurning *turning = &view->from->turning[of->number];
    const double *about[3] = {base_row(from, 1), base_row(from, 2), base_row(from, 5)};
    for (int k = 2; k >= 0; k--) {
        double bound = k == 2 ? turning->torsion : turning->rolling;
        if (!(bound > 0.0))
            continue;
        int i = add_sum_row(view, from, &(SumRow){about[k], NULL, 0.0, NULL, 0.0}, RG_ROW_FRICTION);
        add_friction_row(of, i, rows->row, bound, k == 2 ? turning->slip / view->from->ask.h : 0.0);
        double most = bound * view->problem.z[rows->row];
        double moment = v3_dot(turning->moment, of->patch->axis[k]);
        set_contact_guess(view, i, of->warm / of->patch->count, moment);
        view->problem.z[i] = d_max(-most, d_min(view->problem.z[i], most));
        view->problem.cone[i] = k == 1 && view->setup->law.friction == RG_FRICTION_CONE;
        rows->turn_axis[rows->turns++] = (int8_t)k;
    }
}

/* Adds a patch of several points to the problem if its rows are on one or two blocks. */
static void add_row_patch(const Patch *of, const PatchRows *from)
{
    RgProblem *p = &of->view->problem;
    if ((from->count != 6 && from->count != 12) || of->patch->count == 1)
        return;
    RgRowPatch *to = &p->patches[p->npatches++];
    to->first = p->n;
    to->points = of->patch->count;
    memcpy(to->place, of->patch->place, sizeof to->place);
    for (int k = 0; k < 6; k++)
        memcpy(to->base[k], base_row(from, k), (size_t)from->count * sizeof *to->base[k]);
}

/* Warm-start factor of a patch. Contacts on a body that joints hold balance the joints' impulses, so their factor is at
   most that of joints. */
static double warm_factor(const RgRowView *view, const RgPatch *patch)
{
    const RgContactLaw *law = &view->setup->law;
    bool held = false;
    for (int side = 0; side < 2; side++)
        held = held || (patch->mover[side] > 0 && view->setup->bodies[patch->mover[side] - 1].held);
    return held ? d_min(law->warm_start, law->joint_warm_start) : law->warm_start;
}

/* Limits the correction of a patch. Joints that are rows are not part of this response: it is that of the bodies
   alone. */
static void bound_correction(const RgRowView *view, const PatchRows *from, int32_t number)
{
    const double *normal = base_row(from, 0);
    double response = 0.0;
    for (int e = 0; e < from->count; e++)
        response += normal[e] * normal[e];
    rg_bound_correction(view->setup, view->from, number, response);
}

/* Whether joints in the coordinates block all relative normal motion of the bodies of a patch, at every point. */
static bool is_locked(const RgRowView *view, const RgPatch *patch, const PatchRows *from)
{
    const RgModel *m = view->setup->form->model;
    double alone = 0.0, most = 0.0;
    for (int side = 0; side < 2; side++) {
        double mass = patch->mover[side] > 0 ? m->bodies[patch->mover[side] - 1].inertia.mass : 0.0;
        alone += mass > 0.0 ? 1.0 / mass : 0.0;
    }
    for (int k = 0; k < patch->count; k++) {
        double x = from->single ? 0.0 : patch->place[k][0], y = from->single ? 0.0 : patch->place[k][1];
        double left = 0.0;
        for (int e = 0; e < from->count; e++) {
            double v = base_row(from, 0)[e];
            if (!from->single)
                v += y * base_row(from, 1)[e] - x * base_row(from, 2)[e];
            left += v * v;
        }
        most = d_max(most, left);
    }
    return most <= RG_LOCKED_RESPONSE * alone;
}

/* Adds the rows of a patch. Contacts without response are excluded: dividing by round-off would add energy. */
static void add_patch(RgRowView *view, int32_t number)
{
    RgPatch *patch = &view->from->patches[number];
    Patch of = {view, patch, number, warm_factor(view, patch)};
    PatchRows from = make_base(&of);
    bool alone = true;
    if (is_locked(view, patch, &from)) {
        memset(patch->z, 0, sizeof patch->z);
        return;
    }
    for (int side = 0; side < 2; side++)
        alone = alone && (patch->mover[side] == 0 || view->setup->bodies[patch->mover[side] - 1].free);
    if (!alone && view->setup->law.rigid_max_vel < (double)INFINITY && rg_corrects(view->from, number))
        bound_correction(view, &from, number);
    add_row_patch(&of, &from);
    for (int k = 0; k < patch->count; k++) {
        RgPointRows *rows = &view->points[view->npoints++];
        SumRow normal = {base_row(&from, 0), base_row(&from, 1), patch->place[k][1], base_row(&from, 2),
                         patch->place[k][0]};
        if (from.single)
            normal.c = normal.d = NULL;
        int i = add_sum_row(view, &from, &normal, RG_ROW_NORMAL);
        *rows = (RgPointRows){.patch = number, .point = k, .row = i};
        view->problem.low[i] = 0.0;
        view->problem.target[i] = patch->target[k];
        view->problem.compliance[i] = patch->compliance[0];
        set_contact_guess(view, i, of.warm, patch->z[k][0]);
        if (patch->mu[0] > 0.0 || patch->mu[1] > 0.0)
            add_tangents(&of, &from, rows);
        if (view->from->turning != NULL && view->setup->law.friction != RG_FRICTION_NONE)
            add_turning(&of, &from, rows);
    }
}

bool rg_row_view_make(RgRowView *view, const RgContactProblem *problem, double *u)
{
    const RgForm *form = view->setup->form;
    view->from = problem;
    rg_arena_reset(&view->memory);
    RgInertiaRule rule = {view->setup->law.inertia_ratio, view->setup->law.inertia_factor};
    rg_scaling_set(view->scaling, rule);
    RgRowsAsk ask = {.h = problem->ask.implicit ? problem->ask.h : 0.0, .held = problem->ask.springs};
    if (problem->ask.joints != RG_JOINTS_KEEP)
        rg_assemble_rows(view->setup->constraints, &ask);
    if (!reserve(view))
        return false;

    /* Apply the impulses of forces to the moved inertias. */
    double before = view->scaling->shifted ? rg_form_kinetic(form, u) : 0.0;
    rg_scaling_reapply_impulse(view->scaling, problem->u_moved != NULL ? problem->u_moved : problem->ask.u0, u);
    view->inertia = view->scaling->shifted ? rg_form_kinetic(form, u) - before : 0.0;
    rg_scale_velocity(view->scaling, problem->ask.u0, view->s0);
    rg_scale_velocity(view->scaling, u, view->problem.s);
    add_bilateral(view);
    add_bounded(view);
    for (int32_t k = 0; k < problem->npatches; k++)
        add_patch(view, k);
    return true;
}

/* ------------------------------------------------------------------ solution */

/* Copies the impulses to the contact problem. */
static void store_impulses(RgRowView *view)
{
    const RgProblem *p = &view->problem;
    const RgContactProblem *to = view->from;
    for (int i = 0; i < view->nbilateral; i++)
        to->joint_impulses[i] = p->z[i];
    for (int k = 0; k < to->nrows; k++) {
        to->rows[k].z = p->z[view->nbilateral + k];
        to->rows[k].conflict = p->conflict[view->nbilateral + k];
    }
    for (int32_t k = 0; k < to->npatches && to->turning != NULL; k++)
        to->turning[k].moment = v3_zero();
    for (int k = 0; k < view->npoints; k++) {
        const RgPointRows *rows = &view->points[k];
        const RgPatch *patch = &to->patches[rows->patch];
        double *z = to->patches[rows->patch].z[rows->point];
        z[0] = p->z[rows->row];
        to->parts[rows->patch].conflict = d_max(to->parts[rows->patch].conflict, p->conflict[rows->row]);
        z[1] = rows->tangents > 0 ? p->z[rows->row + 1] : 0.0;
        z[2] = rows->tangents > 0 ? p->z[rows->row + 2] : 0.0;
        for (int j = 0; j < rows->turns && to->turning != NULL; j++) {
            RgVec3 *moment = &to->turning[rows->patch].moment;
            *moment = v3_axpy(p->z[rows->row + 1 + rows->tangents + j], patch->axis[rows->turn_axis[j]], *moment);
        }
    }
}

bool rg_row_view_least_norm(RgRowView *view, RgSolveReport *report)
{
    double tolerance = view->setup->options.exact.tolerance;
    if (!rg_least_norm(&view->solver_memory, &view->problem, tolerance, report))
        return false;
    store_impulses(view);
    return true;
}

RgStatus rg_row_view_solve(RgRowView *view, const RgContactProblem *problem, const RgSolver *solver, double *u)
{
    if (!rg_row_view_make(view, problem, u))
        return RG_ERR_MEMORY;
    double before = rg_scaling_energy_shift(view->scaling, u);
    view->problem.skip_residual = !problem->ask.account;
    RgStatus status = rg_fallback_chain_solve(&view->fallback_memory, &view->solver_memory, solver, &view->problem,
                                              &view->setup->options, &view->report);
    if (status != RG_OK)
        return status;
    rg_unscale_velocity(view->scaling, view->problem.s, u);
    view->inertia += rg_scaling_energy_shift(view->scaling, u) - before;
    store_impulses(view);
    rg_contact_velocities(view->setup, problem, u, view->V);
    return RG_OK;
}
