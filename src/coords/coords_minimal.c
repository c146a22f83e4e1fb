/*
 * coords_minimal.c - joint coordinates: x = q, u = v.
 *
 *   M a = tau - b: by the articulated-body algorithm if no rows follow and the tree is deep, otherwise by the
 *   branch-sparse factor of M, which rows need too. A world of free bodies only (free joints to the world, no
 *   armatures, springs and dampers) needs neither. With c the centre of mass and tau = (t, e), in body axes,
 *   f = R'(F e + f_ext) and n = t + R' n_ext:
 *     I alpha = n - c x f - w x I w,   a = g + R f / m - R (alpha x c + w x (w x c)),   dv = (alpha, F' a)
 *   A body term J of a row gives J . shift(S_k, O_b - O_k) for every velocity k on the path from its body to the root.
 *   If these coefficients are round-off of their terms (the second hinge of a door, the pin of a planar loop along its
 *   axis), the row moves nothing: it gets no coefficients, and the solver ignores it.
 */
#include "coords/coords_table.h"

#include <string.h>

/* Number of velocities on a branch above which the articulated-body algorithm (O(n)) is faster than the factor of M
   (O(n depth^2)). */
#define FACTOR_DEPTH 14

/* Part of its terms below which a coefficient is round-off: poses are accurate to about 1e-12. */
#define ROUND_OFF 1e-11

static RgStatus check(const RgModel *model, RgError *error)
{
    (void)model;
    (void)error;
    return RG_OK;
}

/* Bodies per chunk of a parallel loop. */
#define CHUNK 64

/* Whether a body has only a free joint to the world, without passive forces, and a regular inertia. */
static bool is_alone(const RgModel *m, int i)
{
    const RgBody *B = &m->bodies[i];
    RgSym3 I = B->inertia.I;
    double minor = I.xx * I.yy - I.xy * I.xy, xy = I.xz * I.yz - I.xy * I.zz, xz = I.xy * I.yz - I.xz * I.yy;
    double det = I.xx * (I.yy * I.zz - I.yz * I.yz) + I.xy * xy + I.xz * xz;
    bool alone = B->parent < 0 && B->kind == rg_joint_kind(RG_JOINT_free) && B->inertia.mass > 0.0 && I.xx > 0.0 &&
                 minor > 0.0 && det > 0.0;
    for (int k = B->v0; alone && k < B->v0 + B->nv; k++)
        alone = !(m->armature[k] > 0.0 || m->damping[k] > 0.0 || m->stiffness[k] > 0.0);
    return alone;
}

static bool prepare(RgArena *arena, RgForm *form)
{
    const RgModel *m = form->model;
    form->nx = m->nq;
    form->nu = m->nv;
    form->factor = rg_mass_factor_alloc(arena, m);
    form->inverse_inertia = RG_ARENA_ALLOC(arena, RgSym3, m->nbodies);
    if (arena->failed)
        return false;
    form->all_free_bodies = true;
    for (int i = 0; i < m->nbodies && form->all_free_bodies; i++) {
        form->all_free_bodies = is_alone(m, i);
        form->inverse_inertia[i] =
            form->all_free_bodies ? s3_inverse(m->bodies[i].inertia.I) : form->inverse_inertia[i];
    }
    return true;
}

static void from_joints(RgForm *form, const double *q, const double *v, double *x, double *u)
{
    memmove(x, q, (size_t)form->nx * sizeof *x);
    memmove(u, v, (size_t)form->nu * sizeof *u);
}

/* Context of the parallel loops. */
typedef struct Stage {
    RgForm *form;
    const double *x, *u;
    const RgForces *forces;
    double *out;
} Stage;

static void advance_roaming(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const Stage *s = context;
    for (int32_t i = first; i < end; i++) {
        const RgBody *B = &s->form->model->bodies[i];
        B->kind->integrate(s->x + B->q0, s->u + B->v0, s->out + B->q0);
    }
}

static void integrate(const RgForm *form, const double *x, const double *step, double *out)
{
    Stage stage = {(RgForm *)form, x, step, NULL, out};
    if (form->all_free_bodies)
        rg_parallel_for(form->thread_pool, form->model->nbodies, CHUNK, advance_roaming, &stage);
    else
        rg_integrate_positions(form->model, x, step, out);
}

static void dexpinv(const RgForm *form, const double *step, const double *u, double *rate)
{
    const RgModel *m = form->model;
    memcpy(rate, u, (size_t)form->nu * sizeof *rate);
    for (int i = 0; i < m->nbodies; i++) {
        const RgBody *B = &m->bodies[i];
        if (B->kind->dexpinv != NULL)
            B->kind->dexpinv(step + B->v0, u + B->v0, rate + B->v0);
    }
}

static void settle(RgForm *form, double *x)
{
    (void)form;
    (void)x;
}

static void move_roaming(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const Stage *s = context;
    rg_forward_free_bodies(s->x, s->u, first, end, s->form->kin);
}

static void move_parts(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const Stage *s = context;
    for (int32_t i = first; i < end; i++)
        rg_forward_kin_part(s->x, s->u, s->form->work->parts[i], s->form->kin);
}

/* Whether the kinematics belong to this state. A state is often evaluated twice: for a query, and at the start of a
   step. */
static bool is_current(const RgForm *form, const double *x, const double *u)
{
    return form->current && memcmp(form->q, x, (size_t)form->nx * sizeof *x) == 0 &&
           memcmp(form->v, u, (size_t)form->nu * sizeof *u) == 0;
}

static void kinematics(RgForm *form, const double *x, const double *u)
{
    if (is_current(form, x, u))
        return;
    form->current = true;
    memcpy(form->q, x, (size_t)form->nx * sizeof *x);
    memcpy(form->v, u, (size_t)form->nu * sizeof *u);
    Stage stage = {form, x, u, NULL, NULL};
    if (form->all_free_bodies)
        rg_parallel_for(form->thread_pool, form->model->nbodies, CHUNK, move_roaming, &stage);
    else
        rg_parallel_for(form->thread_pool, form->work->nparts, 1, move_parts, &stage);
}

/* Writes (alpha, F' a) from the moment about the centre, in body axes, and the acceleration of the centre, in world
   axes. */
static void store_roaming(const RgForm *form, int i, RgVec3 n, RgVec3 centre, double *out)
{
    const RgBody *B = &form->model->bodies[i];
    RgVec3 alpha = s3_apply(form->inverse_inertia[i], n), c = B->inertia.com;
    if (v3_norm2(c) > 0.0)
        centre = v3_sub(centre, m3_apply(form->kin->X_WB[i].R, v3_cross(alpha, c)));
    RgVec3 a = m3_apply_t(B->X_PF.R, centre);
    double six[6] = {alpha.x, alpha.y, alpha.z, a.x, a.y, a.z};
    memcpy(out + B->v0, six, sizeof six);
}

static void accelerate_roaming(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const Stage *s = context;
    RgForm *form = s->form;
    for (int32_t i = first; i < end; i++) {
        const RgBody *B = &form->model->bodies[i];
        const RgMat3 *R = &form->kin->X_WB[i].R;
        const double *tau = s->forces->tau + B->v0;
        RgVec3 f = m3_apply(B->X_PF.R, v3(tau[3], tau[4], tau[5])), n = v3(tau[0], tau[1], tau[2]);
        RgVec3 c = B->inertia.com, w = m3_apply_t(*R, form->kin->V[i].w);
        if (s->forces->wrenches != NULL) {
            f = v3_add(f, s->forces->wrenches[i].f);
            n = v3_add(n, m3_apply_t(*R, s->forces->wrenches[i].n));
        }
        RgVec3 centre = v3_axpy(1.0 / B->inertia.mass, f, s->forces->gravity);
        if (v3_norm2(c) > 0.0) {
            n = v3_sub(n, v3_cross(c, m3_apply_t(*R, f)));
            centre = v3_sub(centre, m3_apply(*R, v3_cross(w, v3_cross(w, c))));
        }
        n = v3_sub(n, v3_cross(w, s3_apply(B->inertia.I, w)));
        store_roaming(form, i, n, centre, s->out);
        form->A0[i] = form->kin->c[i];
    }
}

/* Solves M a = tau - b of a tree with prescribed accelerations. */
static bool accelerate_known(const Stage *s, RgTreePart part, int *bad)
{
    RgForm *form = s->form;
    RgTreeForces forces = {s->forces->gravity, s->forces->tau, s->forces->wrenches, s->forces->diagonal};
    RgHybrid hybrid = {form->known, &form->factor, s->out};
    rg_part_bias(form->kin, part, form->A0);
    return rg_part_hybrid(form->kin, &forces, form->work, &hybrid, part, bad);
}

/* Solves M a = tau - b of whole trees. */
static void accelerate_parts(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const Stage *s = context;
    RgForm *form = s->form;
    const RgForces *forces = s->forces;
    for (int32_t i = first; i < end; i++) {
        RgTreePart part = form->work->parts[i];
        int *bad = &form->work->bad_dof[i];
        if (form->known != NULL) {
            *bad = accelerate_known(s, part, bad) ? -1 : *bad;
            continue;
        }
        if (!rg_part_factor(form->kin, forces->diagonal, form->work, &form->factor, part, bad))
            continue;
        *bad = -1;
        rg_part_bias(form->kin, part, form->A0);
        rg_part_forces(form->kin, &(RgTreeForces){.gravity = forces->gravity, .f_ext = forces->wrenches}, form->A0,
                       form->work, part, s->out);
        for (int k = part.dof; k < part.dof_end; k++)
            s->out[k] = forces->tau[k] - s->out[k];
        rg_part_solve(&form->factor, part, s->out);
    }
}

static bool dynamics(RgForm *form, const RgForces *forces, double *free, int *bad_dof)
{
    const RgModel *m = form->model;
    if (form->all_free_bodies && forces->diagonal == NULL) {
        Stage stage = {form, NULL, NULL, forces, free};
        form->factored = false;
        rg_parallel_for(form->thread_pool, m->nbodies, CHUNK, accelerate_roaming, &stage);
        return true;
    }
    form->known = forces->known;
    form->factored = forces->needs_solve || form->known != NULL || m->depth <= FACTOR_DEPTH;
    if (!form->factored) {
        RgTreeForces tree = {forces->gravity, forces->tau, forces->wrenches, forces->diagonal};
        return rg_aba(form->kin, &tree, form->work, free, bad_dof);
    }
    Stage stage = {form, NULL, NULL, forces, free};
    rg_parallel_for(form->thread_pool, form->work->nparts, 1, accelerate_parts, &stage);
    for (int i = form->work->nparts - 1; i >= 0; i--) {
        *bad_dof = form->work->bad_dof[i];
        if (*bad_dof >= 0)
            return false;
    }
    return true;
}

static void solve_parts(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const Stage *s = context;
    for (int32_t i = first; i < end; i++)
        rg_part_solve(&s->form->factor, s->form->work->parts[i], s->out);
}

static void solve(const RgForm *form, double *b)
{
    const RgModel *m = form->model;
    if (!form->all_free_bodies || form->factored) {
        Stage stage = {.form = (RgForm *)form, .out = b};
        rg_parallel_for(form->thread_pool, form->work->nparts, 1, solve_parts, &stage);
        return;
    }
    for (int i = 0; i < m->nbodies; i++) {
        const RgBody *B = &m->bodies[i];
        const double *own = b + B->v0;
        RgVec3 n = v3(own[0], own[1], own[2]), f = m3_apply(B->X_PF.R, v3(own[3], own[4], own[5]));
        n = v3_sub(n, v3_cross(B->inertia.com, m3_apply_t(form->kin->X_WB[i].R, f)));
        store_roaming(form, i, n, v3_scale(1.0 / B->inertia.mass, f), b);
    }
}

static bool refactor(RgForm *form, const double *diagonal)
{
    int bad_dof;
    form->factored = true;
    RgHybrid hybrid = {form->known, &form->factor, NULL};
    if (form->known != NULL)
        return rg_part_hybrid_factor(form->kin, diagonal, form->work, &hybrid, rg_tree_whole(form->model), &bad_dof);
    rg_crba(form->kin, diagonal, form->work, &form->factor);
    return rg_mass_factor_compute(&form->factor, &bad_dof);
}

/* Sum of the absolute terms of S . J. */
static double term_size(RgMotion S, RgForce J)
{
    return fabs(S.w.x * J.n.x) + fabs(S.w.y * J.n.y) + fabs(S.w.z * J.n.z) + fabs(S.v.x * J.f.x) + fabs(S.v.y * J.f.y) +
           fabs(S.v.z * J.f.z);
}

/* Adds J of a body to the values of its ancestors' velocities; values is dense. Returns the largest term. */
static double project_body(const RgForm *form, int body, RgForce J, double *values)
{
    const RgModel *m = form->model;
    const RgKin *kin = form->kin;
    RgVec3 p = kin->X_WB[body].p;
    double largest = 0.0;
    for (int i = body; i >= 0; i = m->bodies[i].parent) {
        RgForce moved = fv_shift(J, v3_sub(kin->X_WB[i].p, p));
        const RgBody *B = &m->bodies[i];
        for (int k = B->v0; k < B->v0 + B->nv; k++) {
            values[k] += mv_dot(kin->S[k], moved);
            largest = fmax(largest, term_size(kin->S[k], moved));
        }
    }
    return largest;
}

static int project(const RgForm *form, const RgRow *row, int *columns, double *values, double *bias)
{
    int n = form->nu;
    double term = 0.0;
    memset(values, 0, (size_t)n * sizeof *values);
    *bias = row->bias;
    for (int i = 0; i < row->nbodies; i++) {
        term = fmax(term, project_body(form, row->body[i], row->J[i], values));
        *bias += mv_dot(form->A0[row->body[i]], row->J[i]);
    }
    for (int i = 0; i < row->ndofs; i++) {
        values[row->dof[i]] += row->coefficient[i];
        term = fmax(term, fabs(row->coefficient[i]));
    }

    /* A row of round-off is empty; a row with a number that is not finite is kept, and detected later. */
    bool moves = false;
    for (int k = 0; k < n; k++)
        moves |= !(fabs(values[k]) <= ROUND_OFF * term);
    if (!moves)
        return 0;

    /* Keep the structural nonzeros. */
    int count = 0;
    for (int k = 0; k < n; k++)
        if (values[k] != 0.0) {
            columns[count] = k;
            values[count++] = values[k];
        }
    return count;
}

static void twist(const RgForm *form, int body, const double *u, RgMotion *V)
{
    *V = kin_twist_at(form->kin, body, u);
}

static void push(const RgForm *form, int body, RgForce f, double *g)
{
    kin_add_joint_forces(form->kin, body, f, g);
}

/* The free joint's velocities are the angular velocity in B's axes and the velocity of B's origin in F's. */
static void read_velocity(const RgForm *form, int body, const double *u, double V[6])
{
    const RgBody *B = &form->model->bodies[body];
    const double *own = u + B->v0;
    RgMat3 R = form->kin->X_WB[body].R;
    RgVec3 w = m3_apply(R, v3(own[0], own[1], own[2])), v = m3_apply(B->X_PF.R, v3(own[3], own[4], own[5]));
    v = v3_add(v, v3_cross(w, m3_apply(R, B->inertia.com)));
    double six[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
    memcpy(V, six, sizeof six);
}

static double write_velocity(const RgForm *form, int body, const double V[6], double *u)
{
    const RgBody *B = &form->model->bodies[body];
    RgMat3 R = form->kin->X_WB[body].R;
    double old[6];
    read_velocity(form, body, u, old);

    /* (V - old) M (V + old) / 2. */
    RgVec3 dv = v3(V[0] - old[0], V[1] - old[1], V[2] - old[2]);
    RgVec3 dw = m3_apply_t(R, v3(V[3] - old[3], V[4] - old[4], V[5] - old[5]));
    RgVec3 v = v3(0.5 * (V[0] + old[0]), 0.5 * (V[1] + old[1]), 0.5 * (V[2] + old[2]));
    RgVec3 w = m3_apply_t(R, v3(0.5 * (V[3] + old[3]), 0.5 * (V[4] + old[4]), 0.5 * (V[5] + old[5])));
    double added = B->inertia.mass * v3_dot(dv, v) + v3_dot(dw, s3_apply(B->inertia.I, w));

    RgVec3 turn = v3(V[3], V[4], V[5]), own_w = m3_apply_t(R, turn);
    RgVec3 origin = v3_sub(v3(V[0], V[1], V[2]), v3_cross(turn, m3_apply(R, B->inertia.com)));
    RgVec3 own_v = m3_apply_t(B->X_PF.R, origin);
    double six[6] = {own_w.x, own_w.y, own_w.z, own_v.x, own_v.y, own_v.z};
    memcpy(u + B->v0, six, sizeof six);
    return added;
}

static void accelerations(const RgForm *form, const double *a, RgMotion *A)
{
    const RgModel *m = form->model;
    const RgKin *kin = form->kin;
    for (int i = 0; i < m->nbodies; i++) {
        const RgBody *B = &m->bodies[i];
        A[i] = B->parent >= 0 ? mv_add(mv_shift(A[B->parent], kin->r[i]), kin->c[i]) : kin->c[i];
        for (int k = B->v0; k < B->v0 + B->nv; k++)
            A[i] = mv_axpy(a[k], kin->S[k], A[i]);
    }
}

static void joint_accelerations(const RgForm *form, const double *a, double *joint_a)
{
    memcpy(joint_a, a, (size_t)form->nu * sizeof *a);
}

const RgCoordsKind rg_coords_minimal = {
    .name = "minimal",
    .summary = "joint coordinates; the joints can not come apart",
    .joints_are_rows = false,
    .refactor = refactor,
    RG_COORDS_FUNCTIONS,
};
