/*
 * row_stage.c - a step's problem of rows: solved, aided, accounted for.
 *
 * Split impulse (004, 5.1). The problem is solved twice: once with the targets of velocities, where overlaps
 * ask for no more than split_velocity, once with those of positions. The first gives the velocities, the
 * second moves the bodies.
 *
 * Poisson's restitution (experiments of paper 000). The problem is solved without bounce; the normal impulses
 * of points that bounce are given once more, times e; if that drives others together, it is solved once
 * again.
 *
 * Work. With s = s* + J'z the kinetic energy changes by exactly
 *
 *   T - T* = sum z_i (J s)_i - 1/2 |J'z|^2
 *
 * The last term is what it costs to reach the targets at once and never adds. The terms of the sum are told
 * apart by what the row's target is for: error reduction, restitution, and what the row is. Springs and dampers
 * that stand on the diagonal of M are taken out of it. Of the last term impacts have 1/2 |J'z|^2 of all rows but motors,
 * drives and the user's: what is left is theirs, so that a motor that reaches its target is no impact.
 */
#include "constraint/row_stage.h"

#include "constraint/bounded_table.h"

#include <string.h>

/* Bodies on which joints or loops are rows. */
static void find_held(const RgForm *form, bool *held)
{
    const RgModel *m = form->model;
    for (int i = 0; i < m->nbodies && form->kind->joints_are_rows; i++) {
        const RgBody *b = &m->bodies[i];
        if (b->nv == 6)
            continue;
        held[i] = true;
        if (b->parent >= 0)
            held[b->parent] = true;
    }
    for (int l = 0; l < m->nloops; l++) {
        if (m->loops[l].body_a >= 0)
            held[m->loops[l].body_a] = true;
        if (m->loops[l].body_b >= 0)
            held[m->loops[l].body_b] = true;
    }
}

RgRowStage *rg_row_stage_take(RgArena *arena, RgForm *form, RgContactStage *contact)
{
    RgRowStage *stage = RG_TAKE(arena, RgRowStage, 1);
    if (stage == NULL)
        return NULL;
    stage->contact = contact;
    stage->scaling = rg_scaling_take(arena, form);
    stage->moving_memory = RG_TAKE(arena, double, form->nu);
    stage->held = RG_TAKE(arena, bool, form->model->nbodies);
    if (stage->held != NULL)
        find_held(form, stage->held);
    rg_arena_init(&stage->memory, &arena->allocator);
    rg_arena_init(&stage->solver_memory, &arena->allocator);
    rg_arena_init(&stage->ladder_memory, &arena->allocator);
    return arena->failed || stage->scaling == NULL ? NULL : stage;
}

void rg_row_stage_free(RgRowStage *stage)
{
    if (stage == NULL)
        return;
    rg_arena_free(&stage->memory);
    rg_arena_free(&stage->solver_memory);
    rg_arena_free(&stage->ladder_memory);
}

static RgStatus run(RgRowStage *stage, RgSolveReport *report)
{
    int guarded = report != &stage->report ? stage->report.guarded : 0; /* of the solves before */
    RgStatus status = rg_ladder_solve(&stage->ladder_memory, &stage->solver_memory, stage->solver,
                                      &stage->problem, &stage->options, report);
    stage->report.guarded = guarded + report->guarded;
    return status;
}

/* ------------------------------------------------------------------ aids */

/* Least of all normal rows' velocity over their targets. */
static double least_gap_rate(const RgRowStage *stage)
{
    const RgProblem *p = &stage->problem;
    double least = INFINITY;
    for (int k = 0; k < stage->npoints; k++) {
        int i = stage->points[k].row;
        least = fmin(least, rg_problem_row_times(p, i, p->s) - p->target[i]);
    }
    return least;
}

/* Gives the impulses of bouncing points once more. True: some did. */
static bool restitute(RgRowStage *stage)
{
    RgProblem *p = &stage->problem;
    bool any = false;
    for (int k = 0; k < stage->npoints; k++) {
        int i = stage->points[k].row;
        double more = stage->points[k].restitution * p->z[i];
        if (!(more > 0.0))
            continue;
        any = true;
        rg_problem_push(p, i, more, p->s);
        p->z[i] += more;
    }
    return any;
}

/* Impulses z are there already: what bounded rows may still give, and what soft ones ask for. */
static void add_to_bounds(RgProblem *p, const double *z, double sign)
{
    for (int i = 0; i < p->n; i++) {
        if (p->row_class[i] == RG_ROW_BOUNDED || p->row_class[i] == RG_ROW_BOX) {
            p->low[i] += sign * z[i];
            p->high[i] += sign * z[i];
        }
        if (p->row_class[i] != RG_ROW_FRICTION)
            p->target[i] += sign * p->compliance[i] * z[i];
    }
}

static RgStatus bounce(RgRowStage *stage)
{
    RgProblem *p = &stage->problem;
    double before = least_gap_rate(stage);
    if (!restitute(stage))
        return RG_OK;
    for (int k = 0; k < stage->npoints; k++) {
        int i = stage->points[k].row;
        if (stage->points[k].restitution > 0.0 && p->z[i] > 0.0)
            stage->parts[i].bounce = fmax(rg_problem_row_times(p, i, p->s), 0.0);
    }
    double after = least_gap_rate(stage);
    if (after >= 0.0 || after >= before)
        return RG_OK;

    /* Others were driven together: once more, on top of what there is. */
    double *z = RG_TAKE_RAW(&stage->memory, double, p->n);
    if (z == NULL)
        return RG_ERR_MEMORY;
    memcpy(z, p->z, (size_t)p->n * sizeof *z);
    memset(p->z, 0, (size_t)p->n * sizeof *z);
    add_to_bounds(p, z, -1.0);
    RgSolveReport report;
    RgStatus status = run(stage, &report);
    add_to_bounds(p, z, 1.0);
    for (int i = 0; i < p->n; i++)
        p->z[i] += z[i];
    return status;
}

/* The velocities that move positions; the problem is afterwards what it was. */
static RgStatus solve_motion(RgRowStage *stage)
{
    RgProblem *p = &stage->problem;
    size_t rows = (size_t)p->n * sizeof *p->z, unknowns = (size_t)p->nu * sizeof *p->s;
    double *z = RG_TAKE_RAW(&stage->memory, double, p->n),
           *target = RG_TAKE_RAW(&stage->memory, double, p->n);
    double *s = RG_TAKE_RAW(&stage->memory, double, p->nu);
    if (stage->memory.failed)
        return RG_ERR_MEMORY;
    memcpy(z, p->z, rows);
    memcpy(target, p->target, rows);
    memcpy(s, p->s, unknowns);
    for (int i = 0; i < p->n; i++) {
        /* What bounces does so in its motion too. */
        double least = stage->parts[i].bounce > 0.0 ? stage->parts[i].bounce : -INFINITY;
        p->target[i] = fmax(stage->parts[i].position, least);
        if (p->row_class[i] != RG_ROW_NORMAL && p->row_class[i] != RG_ROW_BILATERAL)
            p->target[i] = target[i];
    }
    memcpy(p->s, stage->s_free, unknowns);
    RgSolveReport report;
    RgStatus status = run(stage, &report);
    rg_unscale_velocity(stage->scaling, p->s, stage->moving_memory);
    stage->moving = stage->moving_memory;
    memcpy(p->z, z, rows);
    memcpy(p->target, target, rows);
    memcpy(p->s, s, unknowns);
    return status;
}

/* Whether positions are asked for another velocity than the velocities are. */
static bool is_split(const RgRowStage *stage)
{
    for (int k = 0; k < stage->npoints && stage->options.pgs.split_impulse; k++) {
        int i = stage->points[k].row;
        if (stage->parts[i].position != stage->problem.target[i])
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------ account */

/* Where the rest of a row's work belongs. */
static double *account_of(RgRowStage *stage, int i)
{
    const RgProblem *p = &stage->problem;
    RgSolverWork *w = &stage->work;
    if (p->row_class[i] == RG_ROW_FRICTION || p->row_class[i] == RG_ROW_BOX)
        return &w->friction;
    if (p->row_class[i] == RG_ROW_BILATERAL)
        return p->damper[i] ? &w->springs : &w->rest;
    if (p->row_class[i] == RG_ROW_NORMAL)
        return stage->parts[i].soft ? &w->springs : &w->rest;
    return rg_bounded_account(stage->contact->rows[i - stage->nbilateral].kind, w);
}

static double half_square(const double *x, int n)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++)
        sum += 0.5 * x[k] * x[k];
    return sum;
}

/* What it costs to reach all targets at once, to impacts and to motors. */
static void account_push(RgRowStage *stage)
{
    const RgProblem *p = &stage->problem;
    RgSolverWork *w = &stage->work;
    double push = 0.0;
    bool motors = false;
    for (int k = 0; k < p->nu; k++)
        push += 0.5 * (p->s[k] - stage->s_free[k]) * (p->s[k] - stage->s_free[k]);
    for (int i = 0; i < p->n; i++)
        motors = motors || (p->z[i] != 0.0 && account_of(stage, i) == &w->motors);
    w->impacts = -push;
    if (!motors)
        return;
    memset(stage->met, 0, (size_t)p->nu * sizeof *stage->met);
    for (int i = 0; i < p->n; i++)
        if (p->z[i] != 0.0 && account_of(stage, i) != &w->motors)
            rg_problem_push(p, i, p->z[i], stage->met);
    w->impacts = -half_square(stage->met, p->nu);
    w->motors -= push + w->impacts;
}

static void account(RgRowStage *stage, const RgRowStep *step, const double *u_free, const double *u)
{
    const RgProblem *p = &stage->problem;
    RgSolverWork *w = &stage->work;
    double implicit = 0.0; /* of springs and dampers on the diagonal of M, which are no inertia */
    *w = (RgSolverWork){0};
    for (int i = 0; i < p->n; i++) {
        double work = p->z[i] * p->rate[i];
        double erp = p->z[i] * stage->parts[i].erp, restitution = p->z[i] * stage->parts[i].bounce;
        w->erp += erp;
        w->restitution += restitution;
        *account_of(stage, i) += work - erp - restitution;
    }
    account_push(stage);
    double shift =
        rg_scaling_energy_shift(stage->scaling, u) - rg_scaling_energy_shift(stage->scaling, u_free);
    w->inertia = shift + stage->redone;
    for (int k = 0; k < p->nu && step->diagonal != NULL; k++)
        implicit += 0.5 * step->diagonal[k] * (u[k] * u[k] - u_free[k] * u_free[k]);
    w->springs -= implicit;
    w->total = half_square(p->s, p->nu) - half_square(stage->s_free, p->nu) + w->inertia - implicit;
}

/* ------------------------------------------------------------------ a step */

/* Impulses to where they are kept: slots of bounded rows, then bilateral ones. False: no memory. */
static bool keep_rows(RgRowStage *stage, const RgRowStep *step)
{
    const RgProblem *p = &stage->problem;
    RgContactStage *contact = stage->contact;
    RgContactMemory *next = step->contact.next;
    int slots = contact->row_room + contact->constraints->rows.room;
    next->h = step->contact.h;
    next->nrows = 0;
    next->ntold = 0;
    if (!rg_contact_memory_reserve(next, &stage->memory.allocator, (RgContactCounts){.rows = slots}))
        return false;
    next->nrows = slots;
    for (int i = 0; i < slots; i++)
        next->rows[i] = 0.0;
    for (int i = 0; i < stage->nbilateral; i++)
        next->rows[contact->row_room + i] = rg_row_rests(contact, &contact->constraints->rows.row[i])
                                                ? rg_warm_slot(&step->contact, contact->row_room + i)
                                                : p->z[i];
    for (int k = contact->nrows; k < contact->nrows + contact->nresting; k++)
        next->rows[contact->rows[k].slot] = contact->rows[k].z =
            rg_warm_slot(&step->contact, contact->rows[k].slot);
    for (int k = 0; k < contact->nrows; k++)
        next->rows[contact->rows[k].slot] = contact->rows[k].z = p->z[stage->nbilateral + k];
    return true;
}

/* Impulses of the patches, and the velocities of the bodies' centres, for the report. */
static void fill_patches(RgRowStage *stage, const double *u)
{
    const RgProblem *p = &stage->problem;
    RgContactStage *contact = stage->contact;
    const RgForm *form = contact->form;
    for (int i = 0; i < form->model->nbodies; i++) {
        double *V = contact->problem.V + RG_MOVER_PLACES * (i + 1);
        RgMotion at;
        form->kind->twist(form, i, u, &at);
        at = mv_shift(at, v3_sub(contact->centre[i + 1], form->kin->X_WB[i].p));
        double six[6] = {at.v.x, at.v.y, at.v.z, at.w.x, at.w.y, at.w.z};
        memcpy(V, six, sizeof six);
    }
    for (int32_t k = 0; k < contact->problem.npatches && contact->surfaces.turns; k++)
        contact->patch_moment[k] = v3_zero();
    for (int k = 0; k < stage->npoints; k++) {
        const RgPointRows *rows = &stage->points[k];
        double *z = contact->problem.patches[rows->patch].z[rows->point];
        z[0] = p->z[rows->row];
        z[1] = rows->tangents > 0 ? p->z[rows->row + 1] : 0.0;
        z[2] = rows->tangents > 0 ? p->z[rows->row + 2] : 0.0;
        for (int j = 0; j < rows->turns; j++) {
            RgVec3 axis = contact->problem.patches[rows->patch].axis[rows->turn_axis[j]];
            RgVec3 *moment = &contact->patch_moment[rows->patch];
            *moment = v3_axpy(p->z[rows->row + 1 + rows->tangents + j], axis, *moment);
        }
    }
}

RgStatus rg_row_solve(RgRowStage *stage, const RgRowStep *step, double *u)
{
    RgContactStage *contact = stage->contact;
    stage->moving = NULL;
    contact->report = (RgQuickReport){0};
    contact->nforces = step->contacts->npoints;
    contact->reported = contact->nforces == 0;
    contact->h = step->contact.h;
    stage->work = (RgSolverWork){0};
    if (!rg_assemble_problem(stage, step, u))
        return RG_ERR_MEMORY;
    if (stage->tell != NULL) {
        stage->tell(&stage->problem, stage->tell_context);
        return RG_ERR_UNSUPPORTED;
    }
    stage->problem.unjudged = !step->account;
    RgStatus status = run(stage, &stage->report);
    if (status == RG_OK && stage->options.pgs.poisson) {
        status = bounce(stage);
        if (step->account)
            rg_problem_residual(&stage->problem, NULL, stage->problem.rate);
    }
    if (status != RG_OK)
        return status;
    double *u_free = RG_TAKE_RAW(&stage->memory, double, stage->problem.nu);
    if (u_free == NULL)
        return RG_ERR_MEMORY;
    memcpy(u_free, u, (size_t)stage->problem.nu * sizeof *u);
    rg_unscale_velocity(stage->scaling, stage->problem.s, u);
    if (step->account)
        account(stage, step, u_free, u);
    stage->contact->work = stage->work.total;
    fill_patches(stage, u);
    rg_warm_end(stage->contact, step->contacts);
    if (is_split(stage) && (status = solve_motion(stage)) != RG_OK)
        return status;
    bool kept = keep_rows(stage, step) &&
                (step->scene == NULL ||
                 rg_contact_scene_remember(step->scene, step->contacts, step->contact.last,
                                           stage->contact->point_impulses, step->contact.next));
    if (kept)
        rg_warm_moments_keep(contact, step->contacts, step->contact.next);
    return kept ? RG_OK : RG_ERR_MEMORY;
}
