/*
 * contact_solve.c - contacts and bounded rows of a step (contact_solve.h), and two laws that need more than one solve.
 *
 * Poisson's restitution (experiments of paper 000). The problem is solved without bounce; the normal impulses of
 * bouncing points are applied once more, times e; then the approach that this causes is removed by a second solve on
 * top of the first: with impulses z already applied, bounded rows have low - z <= z' <= high - z and targets less C z.
 *
 * Split impulse (004, 5.1). The problem is solved twice: with the targets of velocities, in which overlaps are
 * corrected by at most split_velocity, and with those of positions. The first solution gives the velocities, the second
 * moves the bodies.
 */
#include "constraint/contact_solve.h"

#include "base/union_find.h"
#include "constraint/fields.h"

#include <math.h>
#include <string.h>

/* m/s: residual up to which sweeps without a tolerance count as converged; equals the tolerance of quick for resting
   contacts. */
#define CONVERGED_RESIDUAL 1e-5

/* ------------------------------------------------------------------ constants of the bodies */

static double mass_extent(const RgInertia *in)
{
    return in->mass > 0.0 ? 2.0 * sqrt(0.5 * (in->I.xx + in->I.yy + in->I.zz) / in->mass) : INFINITY;
}

void rg_contact_sets(const RgModel *m, int32_t *parent)
{
    for (int i = 0; i < m->nbodies; i++)
        parent[i] = i;
    for (int i = 0; i < m->nbodies; i++)
        rg_set_union(parent, i, m->bodies[i].parent);
    for (int l = 0; l < m->nloops; l++)
        rg_set_union(parent, m->loops[l].body_a, m->loops[l].body_b);
    for (int c = 0; c < m->ncouplings; c++)
        rg_set_union(parent, m->dof_body[m->couplings[c].v_index], m->dof_body[m->couplings[c].v_reference]);
}

/* Numbers the mechanisms; returns their count. */
static int number_mechanisms(RgContactSetup *s)
{
    const RgModel *m = s->form->model;
    const RgFields *fields = s->constraints->fields;
    int32_t *parent = s->grouping.parent;
    int count = 0;
    rg_contact_sets(m, parent);
    for (int i = 0; i < m->nbodies && fields != NULL; i++)
        rg_set_union(parent, i, rg_fields_carrier(fields, i));
    for (int i = 0; i < m->nbodies; i++) {
        int root = rg_set_root(parent, i);
        s->bodies[i].group = -1;
        if (!s->bodies[i].free)
            s->bodies[i].group = root == i ? count++ : s->bodies[root].group;
    }
    return count;
}

/* Marks bodies on which joints or loops act as rows. */
static void mark_held_bodies(const RgForm *form, RgContactBody *bodies)
{
    const RgModel *m = form->model;
    for (int i = 0; i < m->nbodies && form->kind->joints_are_rows; i++) {
        const RgBody *b = &m->bodies[i];
        if (b->nv == 6)
            continue;
        bodies[i].held = true;
        if (b->parent >= 0)
            bodies[b->parent].held = true;
    }
    for (int l = 0; l < m->nloops; l++) {
        if (m->loops[l].body_a >= 0)
            bodies[m->loops[l].body_a].held = true;
        if (m->loops[l].body_b >= 0)
            bodies[m->loops[l].body_b].held = true;
    }
}

/* Finds bodies that move alone. Bodies that carry a field and those inside it do not. */
static void find_free_bodies(RgContactSetup *s)
{
    const RgModel *m = s->form->model;
    RgFields *fields = s->constraints->fields;
    bool *alone = s->grouping.alone;
    rg_find_isolated_bodies(m, alone);
    for (int i = 0; i < m->nbodies && fields != NULL; i++) {
        int carrier = rg_fields_carrier(fields, i);
        if (carrier >= 0)
            alone[i] = alone[carrier] = false;
    }
    for (int i = 0; i < m->nbodies && fields != NULL; i++)
        fields->bodies[i].free = alone[i];
    if (fields != NULL)
        fields->regroup = false;
}

void rg_contact_update_mechanisms(RgContactSetup *s)
{
    const RgModel *m = s->form->model;
    RgContactBody *bodies = s->bodies;
    find_free_bodies(s);
    for (int i = 0; i < m->nbodies; i++) {
        bodies[i] = (RgContactBody){.free = s->grouping.alone[i], .reach = mass_extent(&m->bodies[i].inertia)};
        if (bodies[i].free) {
            bodies[i].inverse_mass = 1.0 / m->bodies[i].inertia.mass;
            bodies[i].inverse_inertia = s3_inverse(m->bodies[i].inertia.I);
        }
    }
    mark_held_bodies(s->form, bodies);
    s->ngroups = number_mechanisms(s);

    int32_t *parent = s->grouping.parent;
    double *mass = s->grouping.mass;
    memset(mass, 0, (size_t)m->nbodies * sizeof *mass);
    for (int i = 0; i < m->nbodies; i++)
        mass[rg_set_root(parent, i)] += m->bodies[i].inertia.mass;
    for (int i = 0; i < m->nbodies; i++) {
        double whole = mass[rg_set_root(parent, i)];
        bodies[i].inverse_mechanism_mass = whole > 0.0 ? 1.0 / whole : 0.0;
    }
}

/* Allocates the constants of the bodies and computes them. Returns false if out of memory. */
static bool alloc_bodies(RgArena *arena, RgContactSetup *s)
{
    int n = s->form->model->nbodies;
    s->bodies = RG_ARENA_ALLOC(arena, RgContactBody, n);
    s->grouping = (RgGrouping){RG_ARENA_ALLOC(arena, bool, n), RG_ARENA_ALLOC(arena, int32_t, n),
                               RG_ARENA_ALLOC(arena, double, n)};
    if (arena->failed)
        return false;
    rg_contact_update_mechanisms(s);
    return true;
}

RgContactSolver *rg_contact_solver_alloc(RgArena *arena, RgForm *form, RgConstraints *constraints,
                                         const RgContactSolverDef *def)
{
    RgContactSolver *s = RG_ARENA_ALLOC(arena, RgContactSolver, 1);
    RgBounded *bounded = rg_bounded_alloc(arena, form, constraints, def->user_rows, def->law);
    if (arena->failed || bounded == NULL)
        return NULL;
    s->setup = (RgContactSetup){.form = form,
                                .constraints = constraints,
                                .bounded = bounded,
                                .law = *def->law,
                                .solver = def->solver,
                                .options = *def->options,
                                .quick = *def->quick};
    rg_arena_init(&s->memory, &arena->allocator);
    bool all = alloc_bodies(arena, &s->setup) && rg_surfaces_alloc(arena, form->model, &s->setup.surfaces) &&
               rg_row_view_alloc(arena, &s->setup, &s->row_view) &&
               rg_patch_view_alloc(arena, &s->setup, &s->patch_view) &&
               rg_prescribed_alloc(arena, form->model, &s->prescribed);
    rg_contact_forget(s);
    return all ? s : NULL;
}

void rg_contact_solver_free(RgContactSolver *s)
{
    if (s == NULL)
        return;
    rg_arena_free(&s->memory);
    rg_row_view_free(&s->row_view);
    rg_patch_view_free(&s->patch_view);
}

void rg_contact_forget(RgContactSolver *s)
{
    s->problem = (RgContactProblem){.npatches = 0};
    s->result = (RgContactResult){.reported = true};
}

bool rg_contact_has_rows(RgContactSolver *s, const RgBoundedAsk *ask)
{
    rg_arena_reset(&s->memory);
    rg_contact_forget(s);
    RgContactProblem found = {.rows = RG_ARENA_ALLOC_RAW(&s->memory, RgBoundedRow, rg_bounded_room(s->setup.bounded))};
    if (found.rows == NULL)
        return true;
    rg_contact_rows_find(&s->setup, ask, &found);
    return found.nrows > 0;
}

void rg_contact_restore_rows(RgContactSolver *s, const RgBoundedAsk *ask, const RgContactMemory *memory)
{
    rg_arena_reset(&s->memory);
    rg_contact_forget(s);
    s->problem.rows = RG_ARENA_ALLOC_RAW(&s->memory, RgBoundedRow, rg_bounded_room(s->setup.bounded));
    if (s->problem.rows == NULL)
        return;
    s->result.h = ask->h;
    rg_contact_rows_find(&s->setup, ask, &s->problem);
    for (int i = 0; i < rg_contact_rows_total(&s->problem); i++) {
        RgBoundedRow *row = &s->problem.rows[i];
        row->z = row->slot < memory->nrows ? memory->rows[row->slot] : 0.0;
    }
}

/* ------------------------------------------------------------------ one solve */

static RgStatus solve_patches(RgContactSolver *s, const RgContactProblem *problem, double *u)
{
    RgStatus status = rg_patch_view_solve(&s->patch_view, problem, u);
    const RgQuickReport *report = &s->patch_view.report;
    s->result.V = s->patch_view.problem.V;
    s->result.unfinished = report->unfinished;
    s->result.change = report->residual;
    s->result.solve = (RgSolveReport){
        .iterations = report->sweeps,
        .converged = report->unfinished == 0,
        .islands = report->islands,
        .guarded = report->guarded,
        .residual = {.impulse = report->residual_impulse, .velocity = report->residual_velocity, .worst = -1}};
    return status;
}

/* Sweeps without a tolerance make a fixed number of iterations; they count as converged if the residual is small. If
   the residual is not evaluated, the solver's own report decides. */
static bool is_converged(const RgContactSolver *s, const RgContactProblem *problem)
{
    const RgSolveReport *report = &s->row_view.report;
    bool counted = !s->setup.solver->exact && s->setup.options.pgs.tolerance <= 0.0;
    if (!counted || !problem->ask.account)
        return report->converged;
    return report->guarded == 0 && report->residual.velocity <= CONVERGED_RESIDUAL;
}

static RgStatus solve_rows(RgContactSolver *s, const RgContactProblem *problem, double *u)
{
    RgStatus status = rg_row_view_solve(&s->row_view, problem, s->setup.solver, u);
    s->result.V = s->row_view.V;
    s->result.solve = s->row_view.report;
    s->result.unfinished = status == RG_OK && !is_converged(s, problem);
    s->result.change = s->row_view.report.residual.velocity;
    return status;
}

/* u: in, without the problem's rows; out, with them. */
static RgStatus solve_once(RgContactSolver *s, const RgContactProblem *problem, double *u)
{
    return rg_contact_has_joint_rows(s) ? solve_rows(s, problem, u) : solve_patches(s, problem, u);
}

/* Copies a problem, with impulses of its own. Returns false if out of memory. */
static bool copy_problem(RgContactSolver *s, const RgContactProblem *from, RgContactProblem *to)
{
    RgArena *arena = &s->memory;
    size_t joints = (size_t)s->setup.constraints->rows.room * sizeof(double);
    *to = *from;
    to->patches = RG_ARENA_ALLOC_RAW(arena, RgPatch, from->npatches);
    to->rows = RG_ARENA_ALLOC_RAW(arena, RgBoundedRow, rg_contact_rows_total(from));
    to->joint_impulses = RG_ARENA_ALLOC_RAW(arena, double, s->setup.constraints->rows.room);
    to->parts = RG_ARENA_ALLOC_RAW(arena, RgPatchParts, from->npatches);
    if (from->turning != NULL)
        to->turning = RG_ARENA_ALLOC_RAW(arena, RgPatchTurning, from->npatches);
    if (arena->failed)
        return false;
    memcpy(to->patches, from->patches, (size_t)from->npatches * sizeof *to->patches);
    memcpy(to->parts, from->parts, (size_t)from->npatches * sizeof *to->parts);
    memcpy(to->rows, from->rows, (size_t)rg_contact_rows_total(from) * sizeof *to->rows);
    memcpy(to->joint_impulses, from->joint_impulses, joints);
    if (from->turning != NULL)
        memcpy(to->turning, from->turning, (size_t)from->npatches * sizeof *to->turning);
    return true;
}

static double *copy_vector(RgArena *arena, const double *x, int n)
{
    double *copy = RG_ARENA_ALLOC_RAW(arena, double, n);
    if (copy != NULL)
        memcpy(copy, x, (size_t)n * sizeof *copy);
    return copy;
}

/* ------------------------------------------------------------------ infeasible hard drives */

static void clear_impulses(const RgContactSolver *s, const RgContactProblem *p)
{
    memset(p->joint_impulses, 0, (size_t)s->setup.constraints->rows.room * sizeof *p->joint_impulses);
    for (int i = 0; i < p->nrows; i++)
        p->rows[i].z = 0.0;
    for (int32_t k = 0; k < p->npatches; k++) {
        memset(p->patches[k].z, 0, sizeof p->patches[k].z);
        if (p->turning != NULL)
            p->turning[k].moment = v3_zero();
    }
}

/* Called if hard drives of unbounded effort may be infeasible for the sweeps. Solves everything as rows, joints
   included, which finds the nearest feasible targets (solver/attainable_targets.h). If there is no contradiction, the
   solution of the sweeps is kept. */
static RgStatus solve_nearest_targets(RgContactSolver *s, double *u)
{
    size_t nu = (size_t)s->setup.form->nu;
    RgContactProblem *p = &s->problem, rows;
    double *u_nearest = copy_vector(&s->memory, p->u_free, s->setup.form->nu);
    if (u_nearest == NULL || !copy_problem(s, p, &rows))
        return RG_ERR_MEMORY;
    if (!rg_patch_view_restore_mass(&s->patch_view))
        return RG_ERR_SINGULAR;
    clear_impulses(s, &rows);
    rows.ask.joints = RG_JOINTS_KEEP;
    RgStatus status = rg_row_view_solve(&s->row_view, &rows, &rg_solver_cone, u_nearest);
    if (status != RG_OK || s->row_view.report.contradictions == 0)
        return status == RG_ERR_MEMORY ? status : RG_OK;
    rows.ask.joints = p->ask.joints;
    *p = rows;
    memcpy(u, u_nearest, nu * sizeof *u);
    s->result.V = s->row_view.V;
    s->result.solve = s->row_view.report;
    s->result.solve.by = NULL;
    s->result.unfinished = !s->row_view.report.converged;
    s->result.change = s->row_view.report.residual.velocity;
    return RG_OK;
}

/* ------------------------------------------------------------------ Poisson's restitution */

/* Adds the normal impulses of bouncing points, times e, to the problem's, and as J' z to g (nu). Returns false if there
   are none. */
static bool apply_restitution(const RgContactSolver *s, const RgContactProblem *p, double *g)
{
    bool any = false;
    for (int32_t k = 0; k < p->npatches; k++) {
        RgPatch given = p->patches[k];
        bool bounces = false;
        memset(given.z, 0, sizeof given.z);
        for (int i = 0; i < given.count; i++) {
            given.z[i][0] = p->parts[k].law[i].restitution * p->patches[k].z[i][0];
            p->patches[k].z[i][0] += given.z[i][0];
            bounces = bounces || given.z[i][0] > 0.0;
        }
        for (int side = 0; side < 2 && bounces; side++) {
            double impulse[6];
            rg_contact_patch_impulse(&given, side, impulse);
            if (given.mover[side] > 0)
                rg_contact_push(&s->setup, p->centre, given.mover[side] - 1, impulse, g);
        }
        any = any || bounces;
    }
    return any;
}

/* Subtracts the impulses of `given`, which the velocities contain already, from bounds and targets of `rest`. */
static void subtract_given_impulses(const RgContactProblem *given, RgContactProblem *rest)
{
    for (int32_t k = 0; k < rest->npatches; k++) {
        RgPatch *patch = &rest->patches[k];
        for (int i = 0; i < patch->count; i++)
            patch->target[i] -= patch->compliance[0] * patch->z[i][0];
        memset(patch->z, 0, sizeof patch->z);
        if (rest->turning != NULL)
            rest->turning[k].moment = v3_zero();
    }
    for (int k = 0; k < rest->nrows; k++) {
        RgBoundedRow *row = &rest->rows[k];
        row->low -= row->z;
        row->high -= row->z;
        row->target -= row->compliance * row->z;
        row->z = 0.0;
    }
    rest->joint_given = given->joint_impulses;
}

static void add_impulses(const RgContactProblem *more, int joints, const RgContactProblem *sum)
{
    for (int32_t k = 0; k < sum->npatches; k++) {
        for (int i = 0; i < sum->patches[k].count; i++)
            for (int j = 0; j < 3; j++)
                sum->patches[k].z[i][j] += more->patches[k].z[i][j];
        if (sum->turning != NULL)
            sum->turning[k].moment = v3_add(sum->turning[k].moment, more->turning[k].moment);
    }
    for (int k = 0; k < sum->nrows; k++)
        sum->rows[k].z += more->rows[k].z;
    for (int k = 0; k < joints; k++)
        sum->joint_impulses[k] += more->joint_impulses[k];
}

static RgStatus solve_restitution(RgContactSolver *s, const RgContactProblem *problem, double *u)
{
    RgForm *form = s->setup.form;
    RgSolveReport first = s->result.solve;
    int unfinished = s->result.unfinished;
    double inertia = s->row_view.inertia - rg_scaling_energy_shift(s->row_view.scaling, u);
    RgContactProblem rest;
    int joints = s->setup.constraints->rows.n;
    double *g = RG_ARENA_ALLOC(&s->memory, double, form->nu), *stopped = copy_vector(&s->memory, u, form->nu);
    if (g == NULL || stopped == NULL)
        return RG_ERR_MEMORY;
    if (!apply_restitution(s, problem, g))
        return RG_OK;
    if (!rg_patch_view_restore_mass(&s->patch_view))
        return RG_ERR_SINGULAR;
    if (!copy_problem(s, problem, &rest))
        return RG_ERR_MEMORY;
    if (rg_contact_has_joint_rows(s)) {
        form->kind->solve(form, g);
    } else { /* joints are eliminated: the response includes them */
        rg_view_respond(&s->patch_view, g);
        for (int k = 0; k < joints; k++)
            problem->joint_impulses[k] += rest.joint_impulses[k];
    }
    for (int k = 0; k < form->nu; k++)
        u[k] += g[k];
    subtract_given_impulses(problem, &rest);
    rest.u_moved = stopped;
    memset(rest.joint_impulses, 0, (size_t)joints * sizeof *g);
    RgStatus status = solve_once(s, &rest, u);
    add_impulses(&rest, joints, problem);
    s->row_view.inertia = inertia + rg_scaling_energy_shift(s->row_view.scaling, u);
    first.iterations += s->result.solve.iterations;
    first.guarded += s->result.solve.guarded;
    first.others = s->result.solve.others > first.others ? s->result.solve.others : first.others;
    first.residual.impulse = fmax(first.residual.impulse, s->result.solve.residual.impulse);
    first.residual.velocity = fmax(first.residual.velocity, s->result.solve.residual.velocity);
    s->result.unfinished += unfinished;
    s->result.solve = first;
    return status;
}

/* ------------------------------------------------------------------ split impulse */

/* Whether positions and velocities have different targets. */
static bool has_split_targets(const RgContactProblem *p)
{
    for (int32_t k = 0; k < p->npatches; k++)
        for (int i = 0; i < p->patches[k].count; i++)
            if (p->parts[k].law[i].position != p->parts[k].law[i].target)
                return true;
    return false;
}

/* Solves for the velocities that move positions. */
static RgStatus solve_position_velocities(RgContactSolver *s, const RgContactProblem *problem)
{
    const RgForm *form = s->setup.form;
    RgContactResult result = s->result;
    RgContactProblem motion;
    double *u = copy_vector(&s->memory, problem->u_free, form->nu);
    result.V = copy_vector(&s->memory, result.V, RG_BODY_PLACES * (form->model->nbodies + 1));
    if (u == NULL || result.V == NULL || !copy_problem(s, problem, &motion))
        return RG_ERR_MEMORY;
    if (!rg_patch_view_restore_mass(&s->patch_view))
        return RG_ERR_SINGULAR;
    for (int32_t k = 0; k < motion.npatches; k++)
        for (int i = 0; i < motion.patches[k].count; i++) {
            RgPointLaw *law = &motion.parts[k].law[i];
            law->correction += law->position - law->target;
            law->target = motion.patches[k].target[i] = law->position;
        }
    RgStatus status = solve_once(s, &motion, u);
    s->result = result;
    s->result.moving = u;
    return status;
}

/* ------------------------------------------------------------------ work */

/* Computes velocities with joints but no other rows, and the impulses of the joints, for solvers that have joints as
   rows. Corrections of errors are left out: their work is reported separately. */
static RgStatus project_on_joints(RgContactSolver *s, const RgContactProblem *p, double *u, double *impulses)
{
    RgConstraints *c = s->setup.constraints;
    RgBilateral *joints = &c->problem;
    rg_project_rows(c, joints->rhs);
    for (int i = 0; i < joints->n; i++) {
        const RgRow *row = &c->rows.row[i];
        double target = row->compliance > 0.0 ? rg_row_times(joints, i, p->ask.u0) + p->ask.h * row->target : 0.0;
        if (row->compliance == 0.0 && p->ask.joints == RG_JOINTS_DRIFT)
            target = -p->ask.h * joints->rhs[i];
        joints->rhs[i] = target - rg_row_times(joints, i, u);
    }
    RgStatus status = rg_direct_solve(c->direct, joints);
    if (status != RG_OK)
        return status;
    rg_add_response(joints, joints->z, u);
    memcpy(impulses, joints->z, (size_t)joints->n * sizeof *impulses);
    return RG_OK;
}

static RgStatus compute_work(RgContactSolver *s, const RgContactProblem *p, const double *u)
{
    const RgScaling *scaling = s->row_view.scaling;
    bool as_rows = rg_contact_has_joint_rows(s), moved = as_rows && scaling->shifted;
    RgWorkSpan span = {.before = p->u_free, .after = u, .inertia = as_rows ? s->row_view.inertia : 0.0};
    if (as_rows && s->setup.constraints->rows.n > 0) {
        double *held = RG_ARENA_ALLOC(&s->memory, double, s->setup.constraints->rows.n);
        double *before = copy_vector(&s->memory, p->u_free, s->setup.form->nu);
        if (held == NULL || before == NULL)
            return RG_ERR_MEMORY;
        if (moved)
            rg_scaling_reapply_impulse(scaling, p->ask.u0, before);
        RgStatus status = moved ? RG_OK : project_on_joints(s, p, before, held);
        if (status != RG_OK)
            return status;
        span.before = before;
        span.held = held;
        span.unmoved = moved ? p->u_free : NULL;
    }
    if (p->nprescribed_rows > 0) {
        double *before = RG_ARENA_ALLOC_RAW(&s->memory, double, s->setup.form->nu);
        if (before == NULL)
            return RG_ERR_MEMORY;
        if (!rg_prescribed_velocity_without_rows(s->setup.form, p->ask.prescribed, p, u, before))
            return RG_ERR_SINGULAR;
        span.before = before;
    }
    span.twists = RG_ARENA_ALLOC_RAW(&s->memory, RgMotion, 2 * s->setup.form->model->nbodies);
    span.chunks = RG_ARENA_ALLOC_RAW(&s->memory, RgSolverWork, RG_WORK_CHUNKS(p->npatches));
    if (span.twists == NULL || span.chunks == NULL)
        return RG_ERR_MEMORY;
    s->result.work = rg_contact_work(&s->setup, p, &span);
    return RG_OK;
}

/* ------------------------------------------------------------------ a step */

/* Finds the bounded rows of a step. Returns false if out of memory. */
static bool find_rows(RgContactSolver *s, const RgContactAsk *ask)
{
    RgBoundedAsk rows = {.t = ask->t, .h = ask->h, .span = ask->span, .located = ask->located};
    s->problem.rows = RG_ARENA_ALLOC_RAW(&s->memory, RgBoundedRow, rg_bounded_room(s->setup.bounded));
    if (s->problem.rows != NULL)
        rg_contact_rows_find(&s->setup, &rows, &s->problem);
    return s->problem.rows != NULL;
}

/* Hides rows that were solved in closed form from the views. */
static void hide_solved_rows(RgContactSolver *s)
{
    s->problem.nprescribed_rows += s->problem.nrows;
    s->problem.nrows = 0;
    s->row_view.problem.n = 0;
}

static RgStatus solve(RgContactSolver *s, const RgContactProblem *problem, double *u)
{
    const RgContactLaw *law = &s->setup.law;
    bool alone = problem->nprescribed_rows > 0 && rg_prescribed_solve(&s->setup, problem->ask.prescribed, problem, u);
    RgStatus status = alone ? RG_OK : rg_rows_find_locked(s);
    if (status == RG_OK && !alone)
        status = solve_once(s, problem, u);
    if (status == RG_OK && !alone && !rg_contact_has_joint_rows(s) && s->patch_view.suspected)
        status = solve_nearest_targets(s, u);
    if (status == RG_OK && !alone)
        rg_rows_report_locked(s, u);
    s->row_view.inertia = alone ? 0.0 : s->row_view.inertia;
    s->result.again =
        status == RG_OK && problem->nprescribed_rows > 0 && rg_prescribed_efforts(problem->ask.prescribed, problem, u);
    if (s->result.again)
        return RG_OK;
    if (status == RG_OK && law->restitution == RG_RESTITUTION_POISSON)
        status = solve_restitution(s, problem, u);
    if (status == RG_OK && problem->ask.account)
        status = compute_work(s, problem, u);
    if (status == RG_OK && law->split_impulse && has_split_targets(problem))
        status = solve_position_velocities(s, problem);
    if (alone)
        hide_solved_rows(s);
    return status;
}

static bool any_hard(const RgBounded *b)
{
    bool any = false;
    for (int i = 0; i < b->naxes && b->ndrives > 0 && !any; i++)
        any = b->drives[i].hard && b->drives[i].max_effort > 0.0;
    return any;
}

RgPrescribed *rg_contact_prescribe(RgContactSolver *s, const RgContactAsk *ask, bool first)
{
    RgPrescribed *prescribed = &s->prescribed;
    const RgForm *form = s->setup.form;
    if (form->kind->joints_are_rows || s->setup.constraints->most > 0 || !any_hard(s->setup.bounded))
        return NULL;
    if (first)
        memset(prescribed->beyond, 0, (size_t)form->model->nv * sizeof *prescribed->beyond);
    rg_arena_reset(&s->memory);
    rg_contact_forget(s);
    if (!find_rows(s, ask))
        return NULL;
    rg_prescribed_find(&s->setup, ask, prescribed, &s->problem);
    return prescribed;
}

/* Makes the problem and allocates its result. Returns false if out of memory. */
static bool make_problem(RgContactSolver *s, const RgContactScene *scene, const RgContactAsk *ask, const double *u)
{
    int32_t npoints = ask->contacts->npoints;
    if (ask->prescribed == NULL) {
        rg_arena_reset(&s->memory);
        rg_contact_forget(s);
        if (!find_rows(s, ask))
            return false;
    }
    double *u_free = copy_vector(&s->memory, u, s->setup.form->nu);
    s->result = (RgContactResult){.h = ask->h,
                                  .point_impulses = RG_ARENA_ALLOC_RAW(&s->memory, RgVec3, npoints),
                                  .reported_impulses = RG_ARENA_ALLOC_RAW(&s->memory, RgVec3, npoints),
                                  .forces = RG_ARENA_ALLOC_RAW(&s->memory, RgContactForce, npoints),
                                  .nforces = npoints,
                                  .reported = npoints == 0,
                                  .solve = {.converged = true, .residual = {.worst = -1}}};
    return !s->memory.failed && rg_contact_problem_make(&s->setup, &s->memory, scene, ask, u_free, &s->problem);
}

RgStatus rg_contact_solve(RgContactSolver *s, RgContactScene *scene, const RgContactAsk *ask, double *u,
                          RgContactMemory *next)
{
    RgContactProblem *p = &s->problem;
    if (!make_problem(s, scene, ask, u))
        return RG_ERR_MEMORY;
    RgStatus status = RG_OK;
    if (rg_contact_has_joint_rows(s) || ask->contacts->npoints > 0 || p->nrows + p->nprescribed_rows > 0)
        status = solve(s, p, u);
    else if (ask->account)
        s->result.work = rg_contact_no_work(&s->setup, ask, u);
    if (status != RG_OK || s->result.again)
        return status;
    rg_contact_point_impulses(&s->setup, p, s->result.point_impulses);
    next->draws = rg_contact_has_joint_rows(s) ? s->row_view.problem.draws : 0;
    memcpy(s->result.reported_impulses, s->result.point_impulses,
           (size_t)ask->contacts->npoints * sizeof *s->result.reported_impulses);
    return rg_warm_start_store(&s->setup, scene, p, s->result.point_impulses, &s->memory.allocator, next)
               ? RG_OK
               : RG_ERR_MEMORY;
}

/* Whether the last solve is the step's only one, and its forces are to be reported with least norm. */
static bool has_least_norm(const RgContactSolver *s)
{
    const RgContactSetup *setup = &s->setup;
    bool rows = rg_contact_has_joint_rows(s);
    return setup->solver->least_norm && s->result.solve.guarded == 0 && s->result.moving == NULL &&
           setup->law.restitution != RG_RESTITUTION_POISSON &&
           (rows ? setup->options.exact.least_norm && s->row_view.problem.n > 0 &&
                       s->result.solve.outcome == RG_SOLVE_SOLVED
                 : setup->quick.least_norm && s->result.solve.contradictions == 0);
}

/* Replaces the impulses of the problem by those of least norm. Returns false if they are unchanged. */
static bool find_least_norm(RgContactSolver *s)
{
    RgSolveReport *report = &s->result.solve;
    if (rg_contact_has_joint_rows(s))
        return rg_row_view_least_norm(&s->row_view, report);
    if (!rg_drives_as_rows(&s->patch_view) ||
        rg_quick_least_norm(&s->row_view.memory, &s->row_view.solver_memory, &s->patch_view.problem,
                            s->setup.options.exact.tolerance, report) != RG_OK)
        return false;
    rg_patch_rows_end(&s->patch_view);
    return true;
}

void rg_contact_report_forces(RgContactSolver *s)
{
    RgContactResult *result = &s->result;
    if (result->h > 0.0 && !result->least_norm) {
        result->least_norm = true;
        bool any = s->problem.npatches > 0 || s->problem.nrows > 0 || rg_contact_has_joint_rows(s);
        if (any && has_least_norm(s) && find_least_norm(s)) {
            rg_contact_point_impulses(&s->setup, &s->problem, result->reported_impulses);
            result->reported = result->nforces == 0;
        }
    }
    rg_contact_report(&s->problem, result);
}

double rg_contact_slot_impulse(RgContactSolver *s, const RgContactMemory *memory, int32_t slot)
{
    const RgContactProblem *p = &s->problem;
    int all = rg_contact_rows_total(p), i = 0;
    if (slot >= memory->nrows || !(memory->h > 0.0))
        return 0.0;
    while (i < all && p->rows[i].slot != slot)
        i++;
    if (!(s->result.h > 0.0) || i == all)
        return memory->rows[slot];
    if (!(p->rows[i].compliance > 0.0))
        rg_contact_report_forces(s); /* the force of a soft row follows from its velocity */
    return p->rows[i].z * memory->h / s->result.h;
}

const RgProblem *rg_contact_rows_of(RgContactSolver *s, const RgContactScene *scene, const RgContactAsk *ask, double *u)
{
    return make_problem(s, scene, ask, u) && rg_row_view_make(&s->row_view, &s->problem, u) ? &s->row_view.problem
                                                                                            : NULL;
}
