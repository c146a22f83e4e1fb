/*
 * contact_movers.c - the bodies that are touched, as movers of a patch problem.
 *
 * A body that hangs on nothing is a free mover: inverse mass and inertia about its centre are all there is.
 * Bodies that joints, loops or couplings hold together form a group. Its outputs are the velocities of those
 * of its bodies that are touched, six each, and what an impulse g on them does is
 *
 *   dV = L g        L = J (M^-1 - M^-1 G' (G M^-1 G' + C)^-1 G M^-1) J'
 *
 * J the Jacobian of the outputs, G the bilateral rows of the form, M the mass matrix with what implicit
 * springs and dampers add. So whatever the contacts do, joints and loops stay together without being rows of
 * the solver. L costs a solve an output. Afterwards the impulses of all patches go through the same solve,
 * once.
 */
#include "constraint/contact_stage.h"

#include <string.h>

/* Part of a body's own response below which that of its mechanism is round-off. */
#define LOCKED 1e-13

/* ------------------------------------------------------------------ what is constant */

static int find_root(int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* Body -1 is the world: it joins nothing. */
static void join(int *parent, int a, int b)
{
    if (a < 0 || b < 0)
        return;
    a = find_root(parent, a);
    b = find_root(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
}

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

/* Numbers of what hangs together. parent: nbodies. */
static int number_groups(const RgModel *m, RgContactBody *bodies, int *parent)
{
    for (int i = 0; i < m->nbodies; i++)
        parent[i] = i;
    for (int i = 0; i < m->nbodies; i++)
        join(parent, i, m->bodies[i].parent);
    for (int l = 0; l < m->nloops; l++)
        join(parent, m->loops[l].body_a, m->loops[l].body_b);
    for (int c = 0; c < m->ncouplings; c++)
        join(parent, m->dof_body[m->couplings[c].v_index], m->dof_body[m->couplings[c].v_reference]);
    int count = 0;
    for (int i = 0; i < m->nbodies; i++) {
        int root = find_root(parent, i);
        bodies[i].group = -1;
        if (!bodies[i].free)
            bodies[i].group = root == i ? count++ : bodies[root].group;
    }
    return count;
}

RgContactStage *rg_contact_stage_take(RgArena *arena, RgForm *form, RgConstraints *constraints, int user_rows)
{
    const RgModel *m = form->model;
    RgContactStage *stage = RG_TAKE(arena, RgContactStage, 1);
    RgContactBody *bodies = RG_TAKE(arena, RgContactBody, m->nbodies);
    int *parent = RG_TAKE(arena, int, m->nbodies);
    RgBounded *bounded = rg_bounded_take(arena, form, constraints, user_rows);
    if (arena->failed || bounded == NULL)
        return NULL;
    *stage = (RgContactStage){.form = form, .constraints = constraints, .bodies = bodies, .bounded = bounded};
    stage->row_room = rg_bounded_room(bounded);
    stage->surfaces = RG_TAKE(arena, RgSurfaceDef, m->nshapes);
    stage->rows = RG_TAKE(arena, RgBoundedRow, stage->row_room);
    if (arena->failed)
        return NULL;
    for (int i = 0; i < m->nshapes; i++)
        stage->surfaces[i] = rg_surface_of(m, i);
    stage->turns = rg_surfaces_turn(stage->surfaces, m->nshapes);
    stage->splits = rg_surfaces_split(stage->surfaces, m->nshapes);
    stage->quick = rg_quick_options_default();
    stage->rules = (RgContactRules){.share = 0.02, .near = 1e-4, .soft = 1e-5};
    rg_arena_init(&stage->problem_memory, &arena->allocator);
    rg_arena_init(&stage->solver_memory, &arena->allocator);
    find_free(m, bodies);
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
    rg_arena_free(&stage->solver_memory);
}

int rg_contact_body(const RgModel *m, RgShapeId shape)
{
    int link = m->shapes[shape.i - 1].def.link.i;
    return link > 0 ? m->links[link - 1].body : -1;
}

/* ------------------------------------------------------------------ groups */

/* u = (M with its bilateral rows)^-1 g, in place. */
static void solve_with_rows(const RgContactStage *stage, double *g)
{
    double *rows = stage->row_impulses;
    const RgForm *form = stage->form;
    RgConstraints *c = stage->constraints;
    form->kind->solve(form, g);
    if (c->rows.n == 0)
        return;
    for (int i = 0; i < c->problem.n; i++)
        rows[i] = -rg_row_times(&c->problem, i, g);
    rg_direct_again(c->direct, &c->problem, rows);
    rg_add_response(&c->problem, rows, g);
}

void rg_contact_push(const RgContactStage *stage, int body, const double g[6], double *out)
{
    RgVec3 f = {g[0], g[1], g[2]}, m = {g[3], g[4], g[5]};
    RgVec3 from_origin = v3_sub(stage->centre[body + 1], stage->form->kin->X_WB[body].p);
    stage->form->kind->push(stage->form, body, (RgForce){v3_add(m, v3_cross(from_origin, f)), f}, out);
}

/* Velocity of a body's centre, and its turning velocity. */
static void look_body(const RgContactStage *stage, int body, const double *u, double V[6])
{
    RgMotion twist;
    stage->form->kind->twist(stage->form, body, u, &twist);
    RgVec3 from_origin = v3_sub(stage->centre[body + 1], stage->form->kin->X_WB[body].p);
    RgVec3 v = v3_add(twist.v, v3_cross(twist.w, from_origin));
    V[0] = v.x;
    V[1] = v.y;
    V[2] = v.z;
    V[3] = twist.w.x;
    V[4] = twist.w.y;
    V[5] = twist.w.z;
}

/* What of a group takes part: bodies that are touched, joint velocities that rows speak of. */
typedef struct Members {
    const int32_t *bodies, *singles;
    int32_t nbodies, nsingles;
} Members;

/* Output j of a group: its J' (nu, added to zero), or what it is at u. */
static void push_output(const RgContactStage *stage, const Members *m, int32_t j, double *g)
{
    if (j < 6 * m->nbodies) {
        double unit[6] = {0.0};
        unit[j % 6] = 1.0;
        rg_contact_push(stage, m->bodies[j / 6], unit, g);
        return;
    }
    RgRow row = {.ndofs = 1, .dof = {stage->single_dof[m->singles[j - 6 * m->nbodies]]}, .coefficient = {1.0}, .rotor = -1};
    RgConstraints *c = stage->constraints;
    double bias;
    int count = stage->form->kind->project(stage->form, &row, c->columns, c->values, &bias);
    for (int k = 0; k < count; k++)
        g[c->columns[k]] += c->values[k];
}

static double look_single(const RgContactStage *stage, int32_t single, const double *u)
{
    RgRow row = {.ndofs = 1, .dof = {stage->single_dof[single]}, .coefficient = {1.0}, .rotor = -1};
    RgConstraints *c = stage->constraints;
    double bias, sum = 0.0;
    int count = stage->form->kind->project(stage->form, &row, c->columns, c->values, &bias);
    for (int k = 0; k < count; k++)
        sum += c->values[k] * u[c->columns[k]];
    return sum;
}

/* Column j of L: all outputs after a unit impulse on output j. */
static void make_column(const RgContactStage *stage, const Members *m, int32_t j, double *L, int32_t noutputs)
{
    double *u = stage->impulses;
    memset(u, 0, (size_t)stage->form->nu * sizeof *u);
    push_output(stage, m, j, u);
    solve_with_rows(stage, u);
    for (int32_t i = 0; i < m->nbodies; i++) {
        double V[6];
        look_body(stage, m->bodies[i], u, V);
        for (int k = 0; k < 6; k++)
            L[(size_t)(6 * i + k) * (size_t)noutputs + (size_t)j] = V[k];
    }
    for (int32_t i = 0; i < m->nsingles; i++)
        L[(size_t)(6 * m->nbodies + i) * (size_t)noutputs + (size_t)j] = look_single(stage, m->singles[i], u);
}

/* What joints do not let a body do is round-off against what it would do alone: it is nothing. */
static void clear_locked(const RgContactStage *stage, const Members *m, double *L, int32_t noutputs)
{
    for (int32_t j = 0; j < 6 * m->nbodies; j++) {
        const RgInertia *in = &stage->form->model->bodies[m->bodies[j / 6]].inertia;
        double alone = j % 6 < 3 ? in->mass : in->I.xx + in->I.yy + in->I.zz;
        if (!(L[(size_t)j * (size_t)noutputs + (size_t)j] * alone <= LOCKED))
            continue;
        for (int32_t i = 0; i < noutputs; i++)
            L[(size_t)j * (size_t)noutputs + (size_t)i] = L[(size_t)i * (size_t)noutputs + (size_t)j] = 0.0;
    }
}

/* Velocity that ends the branch of output j. */
static int last_velocity(const RgContactStage *stage, const Members *m, int32_t j)
{
    if (j >= 6 * m->nbodies)
        return stage->single_dof[m->singles[j - 6 * m->nbodies]];
    const RgBody *body = &stage->form->model->bodies[m->bodies[j / 6]];
    return body->nv > 0 ? body->v0 + body->nv - 1 : -1;
}

/* L by halves, where nothing but a tree holds the group together: L_ij = y_i . w_j along the branch of i. Velocities
   count from the tree's first. False: no memory. */
static bool make_by_halves(RgContactStage *stage, const Members *m, double *L, int32_t noutputs)
{
    const RgForm *form = stage->form;
    const int *parent = form->model->dof_parent;
    int first = last_velocity(stage, m, 0);
    while (parent[first] >= 0)
        first = parent[first];
    RgArena *arena = &stage->problem_memory;
    size_t width = form->factor.stride, n = (size_t)noutputs;
    double *y = RG_TAKE(arena, double, n *width), *w = RG_TAKE(arena, double, n *width);
    if (arena->failed)
        return false;
    double *b = stage->impulses, *weighted = stage->response;
    memset(b, 0, (size_t)form->nu * sizeof *b);
    for (int32_t i = 0; i < noutputs; i++) {
        int last = last_velocity(stage, m, i);
        double *y_i = y + (size_t)i * width, *w_i = w + (size_t)i * width;
        push_output(stage, m, i, b);
        form->kind->half_solve(form, last, b, weighted);
        for (int k = last; k >= 0; k = parent[k]) {
            y_i[k - first] = b[k];
            w_i[k - first] = weighted[k];
            b[k] = 0.0;
        }
        for (int32_t j = 0; j <= i; j++) {
            double sum = 0.0;
            for (int k = last; k >= 0; k = parent[k])
                sum += y_i[k - first] * w[(size_t)j * width + (size_t)(k - first)];
            L[(size_t)i * n + (size_t)j] = L[(size_t)j * n + (size_t)i] = sum;
        }
    }
    return true;
}

/* L column after column. Round-off apart it is symmetric; the solver takes it so. */
static void make_by_columns(RgContactStage *stage, const Members *m, double *L, int32_t noutputs)
{
    for (int32_t j = 0; j < noutputs; j++)
        make_column(stage, m, j, L, noutputs);
    for (int32_t i = 0; i < noutputs; i++)
        for (int32_t j = 0; j < i; j++) {
            double *low = &L[(size_t)i * (size_t)noutputs + (size_t)j];
            double *high = &L[(size_t)j * (size_t)noutputs + (size_t)i];
            *low = *high = 0.5 * (*low + *high);
        }
}

/* L of one group. */
static bool make_group(RgContactStage *stage, const Members *m, RgMoverGroup *out)
{
    RgArena *arena = &stage->problem_memory;
    int32_t noutputs = 6 * m->nbodies + m->nsingles;
    int32_t *place = RG_TAKE_RAW(arena, int32_t, noutputs);
    double *L = RG_TAKE_RAW(arena, double, (size_t)noutputs *(size_t)noutputs);
    if (arena->failed)
        return false;
    for (int32_t k = 0; k < 6 * m->nbodies; k++)
        place[k] = RG_MOVER_PLACES * (m->bodies[k / 6] + 1) + k % 6;
    for (int32_t k = 0; k < m->nsingles; k++)
        place[6 * m->nbodies + k] = RG_MOVER_PLACES * stage->problem.nmovers + m->singles[k];
    if (stage->form->kind->half_solve == NULL || stage->constraints->rows.n > 0)
        make_by_columns(stage, m, L, noutputs);
    else if (!make_by_halves(stage, m, L, noutputs))
        return false;
    clear_locked(stage, m, L, noutputs);
    *out = (RgMoverGroup){noutputs, place, L};
    return true;
}

/* ------------------------------------------------------------------ the problem's movers */

static void place_mover(RgContactStage *stage, int body, const double *u, RgMover *out)
{
    const RgContactBody *b = &stage->bodies[body];
    const RgPose *X = &stage->form->kin->X_WB[body];
    stage->centre[body + 1] = pose_apply(*X, stage->form->model->bodies[body].inertia.com);
    *out = (RgMover){.group = -1};
    if (b->free) {
        out->inverse_mass = b->inverse_mass;
        out->inverse_inertia = s3_rotate(b->inverse_inertia, X->R);
    }
    double *V = stage->problem.V + RG_MOVER_PLACES * (body + 1);
    if (b->free)
        stage->form->kind->look(stage->form, body, u, V);
    else
        look_body(stage, body, u, V);
}

/* Bodies that contacts or rows speak of, and a single for every joint velocity. */
static void mark_touched(RgContactStage *stage, const RgContactView *contacts, bool *touched)
{
    const RgModel *m = stage->form->model;
    for (int32_t k = 0; k < contacts->npairs; k++) {
        int body[2] = {rg_contact_body(m, contacts->pairs[k].shape_a), rg_contact_body(m, contacts->pairs[k].shape_b)};
        for (int side = 0; side < 2; side++)
            if (body[side] >= 0)
                touched[body[side]] = true;
    }
    for (int i = 0; i < stage->nrows; i++) {
        const RgRow *row = &stage->rows[i].row;
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

/* Group of a body in this step: a free one that a row knows by its joint velocity is a group of its own. */
static int group_of(const RgContactStage *stage, const bool *by_joint, int body)
{
    if (!stage->bodies[body].free)
        return stage->bodies[body].group;
    return by_joint[body] ? stage->ngroups + body : -1;
}

/* Lists of a group's members, found again for every group; there are few. */
static Members find_members(const RgContactStage *stage, int group, const bool *touched, const bool *by_joint,
                            int32_t *list)
{
    const RgModel *m = stage->form->model;
    Members found = {.bodies = list, .singles = list + m->nbodies};
    for (int i = 0; i < m->nbodies; i++)
        if (touched[i] && group_of(stage, by_joint, i) == group)
            list[found.nbodies++] = i;
    for (int32_t k = 0; k < stage->problem.nsingles; k++)
        if (group_of(stage, by_joint, m->dof_body[stage->single_dof[k]]) == group)
            list[m->nbodies + found.nsingles++] = k;
    return found;
}

/* All groups that take part, and who belongs to them. */
static bool make_groups(RgContactStage *stage, const bool *touched, const bool *by_joint, RgMover *movers)
{
    RgArena *arena = &stage->problem_memory;
    const RgModel *m = stage->form->model;
    RgPatchProblem *p = &stage->problem;
    int total = stage->ngroups + m->nbodies;
    RgMoverGroup *groups = RG_TAKE_RAW(arena, RgMoverGroup, total);
    bool *wanted = RG_TAKE(arena, bool, total);
    int32_t *list = RG_TAKE_RAW(arena, int32_t, m->nbodies + m->nv);
    int32_t *single_group = RG_TAKE_RAW(arena, int32_t, m->nv), *single_output = RG_TAKE_RAW(arena, int32_t, m->nv);
    if (arena->failed)
        return false;
    p->groups = groups;
    p->single_group = single_group;
    p->single_output = single_output;
    for (int i = 0; i < m->nbodies; i++) {
        int group = group_of(stage, by_joint, i);
        if (group >= 0 && (touched[i] || by_joint[i]))
            wanted[group] = true;
    }
    for (int g = 0; g < total; g++) {
        if (!wanted[g])
            continue;
        Members members = find_members(stage, g, touched, by_joint, list);
        if (!make_group(stage, &members, &groups[p->ngroups]))
            return false;
        for (int32_t i = 0; i < members.nbodies; i++) {
            movers[members.bodies[i] + 1].group = p->ngroups;
            movers[members.bodies[i] + 1].output = 6 * i;
        }
        for (int32_t i = 0; i < members.nsingles; i++) {
            single_group[members.singles[i]] = p->ngroups;
            single_output[members.singles[i]] = 6 * members.nbodies + i;
        }
        p->ngroups++;
    }
    return true;
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
    stage->problem = (RgPatchProblem){.nmovers = n + 1, .movers = movers};
    stage->problem.V = RG_TAKE(arena, double, RG_MOVER_PLACES *(n + 1) + m->nv);
    if (arena->failed)
        return false;
    for (int k = 0; k < m->nv; k++)
        stage->single_of[k] = -1;
    mark_touched(stage, contacts, touched);
    for (int32_t k = 0; k < stage->problem.nsingles; k++) {
        by_joint[m->dof_body[stage->single_dof[k]]] = true;
        stage->problem.V[RG_MOVER_PLACES * (n + 1) + k] = look_single(stage, k, u);
    }
    movers[0] = (RgMover){.group = -1};
    stage->centre[0] = v3_zero();
    for (int i = 0; i < n; i++) {
        movers[i + 1] = (RgMover){.group = -1};
        if (touched[i])
            place_mover(stage, i, u, &movers[i + 1]);
        any_group = any_group || by_joint[i] || (touched[i] && !stage->bodies[i].free);
    }
    return !any_group || make_groups(stage, touched, by_joint, movers);
}

/* ------------------------------------------------------------------ back */

/* Impulse of a patch on one of its movers, about the mover's centre. */
static void patch_impulse(const RgPatch *p, int side, double g[6])
{
    RgVec3 f = v3_zero(), m = v3_zero();
    for (int i = 0; i < p->count; i++) {
        RgVec3 z = v3_axpy(p->z[i][0], p->axis[2], v3_axpy(p->z[i][1], p->axis[0], v3_scale(p->z[i][2], p->axis[1])));
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
            patch_impulse(p, side, impulse);
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
        solve_with_rows(stage, du);

        /* Impulses work along the mean of the velocities before and after. */
        for (int k = 0; k < nu; k++) {
            work += g[k] * (u[k] + 0.5 * du[k]);
            u[k] += du[k];
        }
    }
    stage->work = work;
}
