/*
 * view_patches.c - a contact problem as patches between bodies (view_patches.h), its solution by solver quick, and the
 * conversion back.
 *
 * A body that moves alone has an inverse mass and inertia about its centre, and the solver's velocity is its own.
 * Bodies that joints, loops or couplings connect are articulations (view_articulations.c): the impulses of all patches
 * on them go through one solve with the mass matrix and the bilateral rows.
 *
 * Velocities u of a step with bilateral rows G have G u = -h bias / 2 (bilateral.c), which closes joints at the end of
 * the step to second order; b, the smallest velocity with G b = G u, is of order h w^2 r. Contacts are evaluated
 * without it, at u - b, as in the minimal form: a gap has a second-order part of its own, and with b contacts next to
 * joints approached by that part. Rows on joint velocities are evaluated at u, which moves the positions. The change du
 * by impulses has G du = 0, so b' M du = 0: b stays in the velocities and adds no energy.
 */
#include "constraint/view_patches.h"

#include "base/parallel_for.h"

#include <string.h>

bool rg_patch_view_alloc(RgArena *arena, const RgContactSetup *setup, RgPatchView *view)
{
    *view = (RgPatchView){.setup = setup};
    rg_arena_init(&view->memory, &arena->allocator);
    rg_quick_memory_init(&view->quick_memory, &arena->allocator);
    return rg_drives_in_mass_alloc(arena, setup, &view->in_mass);
}

void rg_patch_view_free(RgPatchView *view)
{
    rg_arena_free(&view->memory);
    rg_quick_memory_free(&view->quick_memory);
}

/* ------------------------------------------------------------------ bodies */

static void set_body(RgPatchView *view, int body, const double *u, RgSolverBody *out)
{
    const RgContactBody *b = &view->setup->bodies[body];
    const RgPose *X = &view->setup->form->kin->X_WB[body];
    double *V = view->problem.V + RG_BODY_PLACES * (body + 1);
    if (b->free) {
        out->inverse_mass = b->inverse_mass;
        out->inverse_inertia = s3_rotate(b->inverse_inertia, X->R);
        view->setup->form->kind->look(view->setup->form, body, u, V);
        return;
    }
    RgMotion at = mv_shift(view->setup->form->work->V[body], v3_sub(view->from->centre[body + 1], X->p));
    double six[6] = {at.v.x, at.v.y, at.v.z, at.w.x, at.w.y, at.w.z};
    memcpy(V, six, sizeof six);
}

/* Marks bodies that contacts or rows act on, and numbers a single for every joint velocity that rows act on. */
static void mark_touched(RgPatchView *view, bool *touched)
{
    const RgModel *m = view->setup->form->model;
    const RgContactView *contacts = view->from->ask.contacts;
    for (int32_t k = 0; k < contacts->npairs; k++) {
        int body[2] = {rg_contact_body(m, contacts->pairs[k].shape_a), rg_contact_body(m, contacts->pairs[k].shape_b)};
        for (int side = 0; side < 2; side++)
            if (body[side] >= 0)
                touched[body[side]] = true;
    }
    for (int i = 0; i < view->from->nrows; i++) {
        const RgRow *row = &view->from->rows[i].row;
        if (view->from->rows[i].eliminated == RG_ELIMINATED_in_mass)
            continue;
        for (int k = 0; k < row->nbodies; k++)
            touched[row->body[k]] = true;
        for (int k = 0; k < row->ndofs; k++) {
            int32_t *single = &view->single_of[row->dof[k]];
            if (*single >= 0)
                continue;
            *single = view->problem.nsingles++;
            view->single_dof[*single] = row->dof[k];
        }
    }
}

/* Bodies per chunk of a parallel loop. */
#define CHUNK 64

/* Context of the parallel loop that initialises the bodies. */
typedef struct BodyContext {
    RgPatchView *view;
    RgSolverBody *movers;
    const double *u;
} BodyContext;

static void set_bodies(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const BodyContext *p = context;
    for (int32_t i = first; i < end; i++) {
        p->movers[i + 1] = (RgSolverBody){.group = -1};
        if (p->view->touched[i])
            set_body(p->view, i, p->u, &p->movers[i + 1]);
    }
}

/* Computes the joint velocities that rows act on, and the twists of bodies for contacts, without b. *held: the
   velocities of the latter. Returns false if out of memory. */
static bool compute_velocities(RgPatchView *view, const double *u, const double **held)
{
    const RgForm *form = view->setup->form;
    double *V = view->problem.V + RG_BODY_PLACES * view->problem.nmovers;
    rg_form_twists(form, u, form->work->V);
    for (int32_t k = 0; k < view->problem.nsingles; k++)
        V[k] = rg_form_joint_rate(form, view->single_dof[k], u, form->work->V);
    *held = u;
    if (view->setup->constraints->rows.n == 0)
        return true;
    double *without = RG_ARENA_ALLOC_RAW(&view->memory, double, form->nu);
    if (without == NULL)
        return false;
    rg_view_project_velocity(view, u, without);
    rg_form_twists(form, without, form->work->V);
    *held = without;
    return true;
}

bool rg_view_bodies(RgPatchView *view, const double *u)
{
    RgArena *arena = &view->memory;
    const RgModel *m = view->setup->form->model;
    int n = m->nbodies;
    rg_arena_reset(arena);
    view->halves = NULL;
    RgSolverBody *movers = RG_ARENA_ALLOC_RAW(arena, RgSolverBody, n + 1);
    bool *touched = RG_ARENA_ALLOC(arena, bool, n), *by_joint = RG_ARENA_ALLOC(arena, bool, n), any_group = false;
    view->touched = touched;
    view->impulses = RG_ARENA_ALLOC_RAW(arena, double, view->setup->form->nu);
    view->response = RG_ARENA_ALLOC_RAW(arena, double, view->setup->form->nu);
    view->wrenches = RG_ARENA_ALLOC_RAW(arena, RgForce, n);
    view->single_of = RG_ARENA_ALLOC_RAW(arena, int32_t, m->nv);
    view->single_dof = RG_ARENA_ALLOC_RAW(arena, int32_t, m->nv);
    view->problem = (RgPatchProblem){.nmovers = n + 1,
                                     .movers = movers,
                                     .npatches = view->from->npatches,
                                     .patches = view->from->patches,
                                     .centre = view->from->centre,
                                     .thread_pool = view->setup->form->thread_pool};
    view->problem.V = RG_ARENA_ALLOC(arena, double, RG_BODY_PLACES *(n + 1) + m->nv);
    if (arena->failed)
        return false;
    for (int k = 0; k < m->nv; k++)
        view->single_of[k] = -1;
    mark_touched(view, touched);
    for (int32_t k = 0; k < view->problem.nsingles; k++)
        by_joint[m->dof_body[view->single_dof[k]]] = true;
    for (int i = 0; i < n; i++)
        any_group = any_group || by_joint[i] || (touched[i] && !view->setup->bodies[i].free);
    if (any_group && !compute_velocities(view, u, &u))
        return false;
    movers[0] = (RgSolverBody){.group = -1};
    BodyContext body_context = {view, movers, u};
    rg_parallel_for(view->setup->form->thread_pool, n, CHUNK, set_bodies, &body_context);
    if (any_group && !rg_view_articulations(view, touched, by_joint, movers))
        return false;
    if (any_group)
        rg_bound_corrections(view);
    return true;
}

/* ------------------------------------------------------------------ velocities from the solution */

/* Context of the parallel loop over free bodies. */
typedef struct FreeBodyContext {
    const RgPatchView *view;
    double *u;
} FreeBodyContext;

/* Copies velocities of free bodies from V to u. */
static void copy_free_velocities(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const FreeBodyContext *a = context;
    const RgPatchProblem *p = &a->view->problem;
    const RgForm *form = a->view->setup->form;
    for (int32_t i = first; i < end; i++)
        if (a->view->setup->bodies[i].free && a->view->touched[i] && p->movers[i + 1].group < 0)
            form->kind->write_body_velocity(form, i, p->V + RG_BODY_PLACES * (i + 1), a->u);
}

/* Adds an impulse on a body (force, moment about its centre) to f, about its origin. */
static void add_impulse(const RgPatchView *view, int body, const double g[6], RgForce *f)
{
    RgVec3 from_origin = v3_sub(view->from->centre[body + 1], view->setup->form->kin->X_WB[body].p);
    RgVec3 force = {g[0], g[1], g[2]}, moment = {g[3], g[4], g[5]};
    f[body] = fv_add(f[body], (RgForce){v3_add(moment, v3_cross(from_origin, force)), force});
}

/* J' z of all patches and rows on articulations; f: scratch, nbodies. */
static void gather_impulses(const RgPatchView *view, RgForce *f, double *g)
{
    const RgPatchProblem *problem = &view->problem;
    memset(f, 0, (size_t)(problem->nmovers - 1) * sizeof *f);
    for (int32_t k = 0; k < problem->npatches; k++) {
        const RgPatch *p = &problem->patches[k];
        for (int side = 0; side < 2; side++) {
            double impulse[6];
            if (problem->movers[p->mover[side]].group < 0)
                continue;
            rg_contact_patch_impulse(p, side, impulse);
            add_impulse(view, p->mover[side] - 1, impulse, f);
        }
    }
    rg_patch_rows_push(view, f, g);
    rg_form_push_all(view->setup->form, f, g);
}

/* Updates the velocities u by the impulses of the solution. */
static void apply_impulses(RgPatchView *view, double *u)
{
    int nu = view->setup->form->nu;
    double *g = view->impulses, *du = view->response;
    FreeBodyContext free_bodies = {view, u};
    rg_parallel_for(view->setup->form->thread_pool, view->problem.nmovers - 1, CHUNK, copy_free_velocities,
                    &free_bodies);
    if (view->problem.ngroups == 0)
        return;
    if (!rg_view_response(view, du)) {
        memset(g, 0, (size_t)nu * sizeof *g);
        gather_impulses(view, view->wrenches, g);
        memcpy(du, g, (size_t)nu * sizeof *du);
        rg_view_respond(view, du);
    }
    for (int k = 0; k < nu; k++)
        u[k] += du[k];
}

/* ------------------------------------------------------------------ solve */

/* Runs the solver until no eliminated drive exceeds its bounds. */
static RgStatus solve_with_drives(RgPatchView *view, int *sweeps)
{
    bool again = true;
    const RgQuickOptions *asked = view->from->ask.quick, *options = asked != NULL ? asked : &view->setup->quick;
    RgStatus status = rg_drives_eliminate(view) ? RG_OK : RG_ERR_MEMORY;
    while (status == RG_OK && again) {
        if (!rg_patch_rows_make(view))
            return RG_ERR_MEMORY;
        status = view->setup->solver->solve_patches(&view->quick_memory, &view->problem, options, &view->report);
        if (status != RG_OK)
            return status;
        *sweeps += view->report.sweeps;
        rg_patch_rows_end(view);
        status = rg_drives_recover(view, &again) ? RG_OK : RG_ERR_MEMORY;
    }
    return status;
}

/* Saves the first guess of the patches, or restores it if drives exceeded their bounds: impulses against unbounded
   drives are a bad guess for those against bounded ones. */
static void copy_first_guess(const RgContactProblem *p, double (*guess)[RG_PATCH_POINTS][3], bool back)
{
    for (int32_t k = 0; k < p->npatches && guess != NULL; k++)
        memcpy(back ? p->patches[k].z : guess[k], back ? guess[k] : p->patches[k].z, sizeof guess[k]);
}

RgStatus rg_patch_view_solve(RgPatchView *view, const RgContactProblem *problem, double *u)
{
    int sweeps = 0;
    bool again = true;
    RgStatus status = RG_OK;
    view->from = problem;
    view->report = (RgQuickReport){0};
    rg_drives_in_mass_find(view);
    view->in_mass.begun = view->suspected = false;
    while (status == RG_OK && again) {
        if (!rg_drives_in_mass_begin(view, u))
            return RG_ERR_SINGULAR;
        if (!rg_view_bodies(view, u))
            return RG_ERR_MEMORY;
        double(*guess)[RG_PATCH_POINTS][3] = NULL;
        if (view->in_mass.count > 0)
            guess = rg_arena_alloc_raw(&view->memory, (size_t)problem->npatches, sizeof *guess);
        if (view->memory.failed)
            return RG_ERR_MEMORY;
        copy_first_guess(problem, guess, false);
        status = solve_with_drives(view, &sweeps);
        if (status == RG_OK && view->report.unattainable > 0 && view->in_mass.count == 0 &&
            rg_drop_unreachable_corrections(problem))
            status = rg_view_bodies(view, u) ? solve_with_drives(view, &sweeps) : RG_ERR_MEMORY;
        if (status == RG_OK)
            apply_impulses(view, u);
        again = status == RG_OK && rg_drives_in_mass_end(view, u);
        if (again)
            copy_first_guess(problem, guess, true);
    }
    view->report.sweeps = sweeps;
    return status;
}
