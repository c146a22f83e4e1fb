/*
 * contact_movers.c - the bodies that are touched, as movers of a patch problem, and what its solution does to
 * them.
 *
 * A body that hangs on nothing is a free mover: inverse mass and inertia about its centre are all there is, and
 * the solver's velocity is its own. Bodies that joints, loops or couplings hold together are groups
 * (contact_groups.c): the impulses of all patches on them go through one solve.
 */
#include "base/parallel_for.h"
#include "base/union_find.h"
#include "constraint/contact_stage.h"

#include <string.h>

/* ------------------------------------------------------------------ what is constant */

/* A body that stands on nothing but its own six velocities. */
static void find_free(const RgModel *m, RgContactBody *bodies)
{
    for (int i = 0; i < m->nbodies; i++) {
        const RgBody *B = &m->bodies[i];
        bodies[i].free = B->parent < 0 && B->nv == 6 && B->inertia.mass > 0.0;
        for (int k = B->v0; k < B->v0 + B->nv; k++)
            bodies[i].free =
                bodies[i].free && !(m->armature[k] > 0.0 || m->damping[k] > 0.0 || m->stiffness[k] > 0.0);
    }
    for (int i = 0; i < m->nbodies; i++)
        if (m->bodies[i].parent >= 0)
            bodies[m->bodies[i].parent].free = false;
    for (int l = 0; l < m->nloops; l++) {
        if (m->loops[l].body_a >= 0)
            bodies[m->loops[l].body_a].free = false;
        if (m->loops[l].body_b >= 0)
            bodies[m->loops[l].body_b].free = false;
    }
    for (int c = 0; c < m->ncouplings; c++) {
        bodies[m->dof_body[m->couplings[c].v_index]].free = false;
        bodies[m->dof_body[m->couplings[c].v_reference]].free = false;
    }
}

static RgSym3 inverse_of(RgSym3 I)
{
    double xx = I.yy * I.zz - I.yz * I.yz, xy = I.xz * I.yz - I.xy * I.zz, xz = I.xy * I.yz - I.xz * I.yy;
    double per = 1.0 / (I.xx * xx + I.xy * xy + I.xz * xz);
    return s3_scale(per, (RgSym3){xx, I.xx * I.zz - I.xz * I.xz, I.xx * I.yy - I.xy * I.xy, xy, xz,
                                  I.xy * I.xz - I.xx * I.yz});
}

static double reach_of(const RgInertia *in)
{
    return in->mass > 0.0 ? 2.0 * sqrt(0.5 * (in->I.xx + in->I.yy + in->I.zz) / in->mass) : INFINITY;
}

void rg_contact_sets(const RgModel *m, int32_t *parent)
{
    for (int i = 0; i < m->nbodies; i++)
        parent[i] = i;
    for (int i = 0; i < m->nbodies; i++)
        rg_set_join(parent, i, m->bodies[i].parent);
    for (int l = 0; l < m->nloops; l++)
        rg_set_join(parent, m->loops[l].body_a, m->loops[l].body_b);
    for (int c = 0; c < m->ncouplings; c++)
        rg_set_join(parent, m->dof_body[m->couplings[c].v_index], m->dof_body[m->couplings[c].v_reference]);
}

/* Numbers of what hangs together. parent: nbodies. */
static int number_groups(const RgModel *m, RgContactBody *bodies, int32_t *parent)
{
    rg_contact_sets(m, parent);
    int count = 0;
    for (int i = 0; i < m->nbodies; i++) {
        int root = rg_set_root(parent, i);
        bodies[i].group = -1;
        if (!bodies[i].free)
            bodies[i].group = root == i ? count++ : bodies[root].group;
    }
    return count;
}

RgContactStage *rg_contact_stage_take(RgArena *arena, RgForm *form, RgConstraints *constraints, int user_rows,
                                      const RgContactLaw *law)
{
    const RgModel *m = form->model;
    RgContactStage *stage = RG_TAKE(arena, RgContactStage, 1);
    RgContactBody *bodies = RG_TAKE(arena, RgContactBody, m->nbodies);
    int32_t *parent = RG_TAKE(arena, int32_t, m->nbodies);
    RgBounded *bounded = rg_bounded_take(arena, form, constraints, user_rows, law);
    if (arena->failed || bounded == NULL)
        return NULL;
    *stage = (RgContactStage){
        .form = form, .constraints = constraints, .bodies = bodies, .bounded = bounded, .law = *law};
    stage->row_room = rg_bounded_room(bounded);
    stage->rows = RG_TAKE(arena, RgBoundedRow, stage->row_room);
    if (arena->failed || !rg_surfaces_take(arena, m, &stage->surfaces) ||
        !rg_drives_in_mass_take(arena, form->nu, &stage->in_mass))
        return NULL;
    stage->quick = rg_quick_options_default();
    rg_arena_init(&stage->problem_memory, &arena->allocator);
    rg_quick_memory_init(&stage->solver_memory, &arena->allocator);
    find_free(m, bodies);
    for (int i = 0; i < m->nbodies; i++)
        bodies[i].reach = reach_of(&m->bodies[i].inertia);
    for (int i = 0; i < m->nbodies; i++)
        if (bodies[i].free) {
            bodies[i].inverse_mass = 1.0 / m->bodies[i].inertia.mass;
            bodies[i].inverse_inertia = inverse_of(m->bodies[i].inertia.I);
        }
    stage->ngroups = number_groups(m, bodies, parent);
    return stage;
}

void rg_contact_stage_free(RgContactStage *stage)
{
    if (stage == NULL)
        return;
    rg_arena_free(&stage->problem_memory);
    rg_quick_memory_free(&stage->solver_memory);
}

int rg_contact_body(const RgModel *m, RgShapeId shape)
{
    int link = m->shapes[shape.i - 1].def.link.i;
    return link > 0 ? m->links[link - 1].body : -1;
}

/* ------------------------------------------------------------------ the problem's movers */

static void place_mover(RgContactStage *stage, int body, const double *u, RgMover *out)
{
    const RgContactBody *b = &stage->bodies[body];
    const RgPose *X = &stage->form->kin->X_WB[body];
    *out = (RgMover){.group = -1};
    if (b->free) {
        out->inverse_mass = b->inverse_mass;
        out->inverse_inertia = s3_rotate(b->inverse_inertia, X->R);
    }
    double *V = stage->problem.V + RG_MOVER_PLACES * (body + 1);
    if (b->free)
        stage->form->kind->look(stage->form, body, u, V);
    else
        rg_contact_look(stage, body, u, V);
}

/* Bodies that contacts or rows speak of, and a single for every joint velocity. */
static void mark_touched(RgContactStage *stage, const RgContactView *contacts, bool *touched)
{
    const RgModel *m = stage->form->model;
    for (int32_t k = 0; k < contacts->npairs; k++) {
        int body[2] = {rg_contact_body(m, contacts->pairs[k].shape_a),
                       rg_contact_body(m, contacts->pairs[k].shape_b)};
        for (int side = 0; side < 2; side++)
            if (body[side] >= 0)
                touched[body[side]] = true;
    }
    for (int i = 0; i < stage->nrows; i++) {
        const RgRow *row = &stage->rows[i].row;
        if (stage->rows[i].aside == RG_ASIDE_mass)
            continue;
        for (int k = 0; k < row->nbodies; k++)
            touched[row->body[k]] = true;
        for (int k = 0; k < row->ndofs; k++) {
            int32_t *single = &stage->single_of[row->dof[k]];
            if (*single >= 0)
                continue;
            *single = stage->problem.nsingles++;
            stage->single_dof[*single] = row->dof[k];
        }
    }
}

/* Bodies that a thread takes at a time. */
#define CHUNK 64

/* All movers while they are placed. */
typedef struct Placing {
    RgContactStage *stage;
    RgMover *movers;
    const double *u;
} Placing;

static void place_movers(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const Placing *p = context;
    const RgForm *form = p->stage->form;
    for (int32_t i = first; i < end; i++) {
        p->movers[i + 1] = (RgMover){.group = -1};
        p->stage->centre[i + 1] = pose_apply(form->kin->X_WB[i], form->model->bodies[i].inertia.com);
        if (p->stage->touched[i])
            place_mover(p->stage, i, p->u, &p->movers[i + 1]);
    }
}

bool rg_contact_movers(RgContactStage *stage, const RgContactView *contacts, const double *u)
{
    RgArena *arena = &stage->problem_memory;
    const RgModel *m = stage->form->model;
    int n = m->nbodies;
    rg_arena_reset(arena);
    RgMover *movers = RG_TAKE_RAW(arena, RgMover, n + 1);
    bool *touched = RG_TAKE(arena, bool, n), *by_joint = RG_TAKE(arena, bool, n), any_group = false;
    stage->touched = touched;
    stage->centre = RG_TAKE_RAW(arena, RgVec3, n + 1);
    stage->impulses = RG_TAKE_RAW(arena, double, stage->form->nu);
    stage->response = RG_TAKE_RAW(arena, double, stage->form->nu);
    stage->row_impulses = RG_TAKE_RAW(arena, double, stage->constraints->problem.n);
    stage->single_of = RG_TAKE_RAW(arena, int32_t, m->nv);
    stage->single_dof = RG_TAKE_RAW(arena, int32_t, m->nv);
    stage->problem = (RgPatchProblem){
        .nmovers = n + 1, .movers = movers, .centre = stage->centre, .crew = stage->form->crew};
    stage->problem.V = RG_TAKE(arena, double, RG_MOVER_PLACES *(n + 1) + m->nv);
    if (arena->failed)
        return false;
    for (int k = 0; k < m->nv; k++)
        stage->single_of[k] = -1;
    mark_touched(stage, contacts, touched);
    for (int32_t k = 0; k < stage->problem.nsingles; k++) {
        by_joint[m->dof_body[stage->single_dof[k]]] = true;
        stage->problem.V[RG_MOVER_PLACES * (n + 1) + k] = rg_contact_look_single(stage, k, u);
    }
    movers[0] = (RgMover){.group = -1};
    stage->centre[0] = v3_zero();
    Placing placing = {stage, movers, u};
    rg_parallel_for(stage->form->crew, n, CHUNK, place_movers, &placing);
    for (int i = 0; i < n; i++)
        any_group = any_group || by_joint[i] || (touched[i] && !stage->bodies[i].free);
    return !any_group || rg_contact_groups(stage, touched, by_joint, movers);
}

/* ------------------------------------------------------------------ back */

void rg_contact_patch_impulse(const RgPatch *p, int side, double g[6])
{
    RgVec3 f = v3_zero(), m = v3_zero();
    for (int i = 0; i < p->count; i++) {
        RgVec3 z = v3_axpy(p->z[i][0], p->axis[2],
                           v3_axpy(p->z[i][1], p->axis[0], v3_scale(p->z[i][2], p->axis[1])));
        RgVec3 at = v3_axpy(p->place[i][0], p->axis[0], v3_axpy(p->place[i][1], p->axis[1], p->arm[side]));
        f = v3_add(f, z);
        m = v3_add(m, v3_cross(at, z));
    }
    double sign = side == 1 ? 1.0 : -1.0;
    g[0] = sign * f.x;
    g[1] = sign * f.y;
    g[2] = sign * f.z;
    g[3] = sign * m.x;
    g[4] = sign * m.y;
    g[5] = sign * m.z;
}

/* Velocities of free movers stand in V as they are. */
static double apply_free(const RgContactStage *stage, double *u)
{
    const RgPatchProblem *p = &stage->problem;
    double work = 0.0;
    for (int32_t i = 1; i < p->nmovers; i++)
        if (stage->bodies[i - 1].free && stage->touched[i - 1] && p->movers[i].group < 0)
            work += stage->form->kind->settle_velocity(stage->form, i - 1, p->V + RG_MOVER_PLACES * i, u);
    return work;
}

/* J' z of all that pushes on groups. */
static void gather_impulses(const RgContactStage *stage, double *g)
{
    const RgPatchProblem *problem = &stage->problem;
    for (int32_t k = 0; k < problem->npatches; k++) {
        const RgPatch *p = &problem->patches[k];
        for (int side = 0; side < 2; side++) {
            double impulse[6];
            if (problem->movers[p->mover[side]].group < 0)
                continue;
            rg_contact_patch_impulse(p, side, impulse);
            rg_contact_push(stage, p->mover[side] - 1, impulse, g);
        }
    }
    rg_contact_rows_push(stage, g);
}

void rg_contact_apply(RgContactStage *stage, double *u)
{
    int nu = stage->form->nu;
    double *g = stage->impulses, *du = stage->response, work = apply_free(stage, u);
    if (stage->problem.ngroups > 0) {
        memset(g, 0, (size_t)nu * sizeof *g);
        gather_impulses(stage, g);
        memcpy(du, g, (size_t)nu * sizeof *du);
        rg_contact_solve_rows(stage, du);

        /* Impulses work along the mean of the velocities before and after. */
        for (int k = 0; k < nu; k++) {
            work += g[k] * (u[k] + 0.5 * du[k]);
            u[k] += du[k];
        }
    }
    stage->work = work;
}
