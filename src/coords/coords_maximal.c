/*
 * coords_maximal.c - maximal coordinates: position of each body's principal frame C at the centre of mass, angular
 * velocity in the axes of C, velocity of the centre in world axes; then one speed for each geared rotor. Tree joints
 * are rows (joint_state.h).
 *
 *   x = (quaternion of C, position of C) per body, then q at the end of the last step, which counts whole turns
 *   u = (w in C, dp/dt in W) per body, then rotor speeds
 *   M = diag(I1, I2, I3, m, m, m, ..., armatures), constant
 *   I w' = n - w x I w,   m p'' = f
 *
 * A body with only a free joint to the world (roams): q follows from its own x in the joint's frame by products of
 * quaternions, so it is continuous; S and W are the axes of B (rotation) and of F (translation), c is the effect of
 * rotation on the velocity of B.
 *
 * The point B of a body, r = B - C:   V = (R w, p' + R w x r),   A at du/dt = 0 is (0, -R w x p'). A joint effort tau_k
 * is the pair of wrenches +-W_k tau_k on the joint's two bodies: its power is tau_k v_k. A rotor behind a gear is a
 * velocity of its own with the reflected inertia as mass, coupled to the joint's velocity by a row: this equals the
 * extra inertia on the diagonal in the minimal form, and M stays diagonal. check fails for a body without mass or
 * without inertia about some axis: its acceleration is not defined without its joints.
 */
#include "base/parallel_for.h"
#include "base/status.h"
#include "coords/coords_table.h"

#include <string.h>

/* Number of velocities on a branch above which the factor of the joints' rows (O(n)) is cheaper than that of the
   joints' mass matrix (O(n depth^2)). */
#define FACTOR_DEPTH 128

/* Bodies per chunk of a parallel loop. */
#define CHUNK 64

static RgStatus check(const RgModel *m, RgError *error)
{
    for (int i = 0; i < m->nbodies; i++) {
        const RgInertia *in = &m->bodies[i].inertia;
        double moments[3];
        RgMat3 axes;
        rg_sym3_eigen(in->I, moments, &axes);
        if (in->mass > 0.0 && moments[0] > 0.0)
            continue;
        const RgLinkDef *link = &m->links[m->bodies[i].link].def;
        return rg_fail(error, RG_ERR_MODEL, m->file, link->line,
                       "link '%s' moves but has no mass or no inertia about some axis: maximal coordinates "
                       "need both on every body "
                       "(minimal coordinates do not)",
                       link->name);
    }
    return RG_OK;
}

static void prepare_body(const RgBody *B, RgMaximalBody *b)
{
    const RgInertia *in = &B->inertia;
    b->joint = rg_joint_spec(B->kind, &B->geometry);
    rg_sym3_eigen(in->I, b->moment, &b->X_BC.R);
    b->X_BC.p = in->com;
    b->X_CB = pose_inverse(b->X_BC);
    b->is_free_body = B->parent < 0 && B->kind == rg_joint_kind(RG_JOINT_free);
    b->F_inverse = q_conjugate(q_from_matrix(B->X_PF.R));
    b->C_B = q_from_matrix(b->X_CB.R);
    b->mass = in->mass;
    for (int k = 0; k < 3; k++) {
        b->inverse_mass[k] = 1.0 / b->moment[k];
        b->inverse_mass[3 + k] = 1.0 / b->mass;
    }
}

/* Constant part of a free body's joint: it translates along the axes of F, which are fixed. */
static void prepare_roaming(const RgBody *B, RgJointState *J)
{
    J->nv = 6;
    for (int k = 0; k < 3; k++)
        J->S[3 + k].v = J->W[3 + k].f = m3_column(B->X_PF.R, k);
}

static bool prepare(RgArena *arena, RgForm *form)
{
    const RgModel *m = form->model;
    form->nx = 7 * m->nbodies + m->nq;
    form->nu = 6 * m->nbodies + m->nrotors;
    form->bodies = RG_ARENA_ALLOC(arena, RgMaximalBody, m->nbodies);
    form->joints = RG_ARENA_ALLOC(arena, RgJointState, m->nbodies);
    form->R_WC = RG_ARENA_ALLOC(arena, RgMat3, m->nbodies);
    form->to_centre = RG_ARENA_ALLOC(arena, RgVec3, m->nbodies);
    form->x_placed = RG_ARENA_ALLOC(arena, double, 7 * (size_t)m->nbodies);
    form->u_placed = RG_ARENA_ALLOC(arena, double, form->nu);
    form->q_near = RG_ARENA_ALLOC(arena, double, m->nq);
    form->rotor_dof = RG_ARENA_ALLOC(arena, int, m->nrotors);
    form->dof_rotor = RG_ARENA_ALLOC(arena, int, m->nv);
    form->inverse_mass = RG_ARENA_ALLOC(arena, double, form->nu);
    if (arena->failed)
        return false;
    memset(form->x_placed, 0xff, 7 * (size_t)m->nbodies * sizeof *form->x_placed);
    form->all_free_bodies = true;
    for (int i = 0; i < m->nbodies; i++) {
        prepare_body(&m->bodies[i], &form->bodies[i]);
        form->all_free_bodies = form->all_free_bodies && form->bodies[i].is_free_body;
        if (form->bodies[i].is_free_body)
            prepare_roaming(&m->bodies[i], &form->joints[i]);
        memcpy(form->inverse_mass + 6 * i, form->bodies[i].inverse_mass, sizeof form->bodies[i].inverse_mass);
    }
    if (!form->all_free_bodies && m->depth <= FACTOR_DEPTH)
        form->factor = rg_mass_factor_alloc(arena, m);
    int rotor = 0;
    for (int k = 0; k < m->nv; k++) {
        form->dof_rotor[k] = -1;
        if (m->armature[k] > 0.0) {
            form->inverse_mass[6 * m->nbodies + rotor] = 1.0 / m->armature[k];
            form->rotor_dof[rotor] = k;
            form->dof_rotor[k] = rotor++;
        }
    }
    return !arena->failed;
}

static RgPose pose_of_centre(const double *x)
{
    return (RgPose){q_matrix(q_load(x)), {x[4], x[5], x[6]}};
}

/* Rotation of a free body's B in F, from that of its C in the world. */
static RgQuat free_joint_rotation(const RgMaximalBody *b, RgQuat turn)
{
    return q_mul(b->F_inverse, q_mul(turn, b->C_B));
}

/* The sign of turn for which its image has a positive product with wanted. */
static RgQuat q_towards(RgQuat turn, RgQuat image, RgQuat wanted)
{
    double dot = image.w * wanted.w + image.x * wanted.x + image.y * wanted.y + image.z * wanted.z;
    return dot < 0.0 ? (RgQuat){-turn.w, -turn.x, -turn.y, -turn.z} : turn;
}

static void from_joints(RgForm *form, const double *q, const double *v, double *x, double *u)
{
    const RgModel *m = form->model;
    memmove(x + 7 * m->nbodies, q, (size_t)m->nq * sizeof *q);
    rg_forward_kin(q, v, form->kin);
    form->current = false;
    memset(form->x_placed, 0xff, 7 * (size_t)m->nbodies * sizeof *form->x_placed);
    for (int i = 0; i < m->nbodies; i++) {
        RgPose X_WC = pose_mul(form->kin->X_WB[i], form->bodies[i].X_BC);
        RgQuat turn = q_from_matrix(X_WC.R);
        if (form->bodies[i].is_free_body)
            turn = q_towards(turn, free_joint_rotation(&form->bodies[i], turn), q_load(q + m->bodies[i].q0));
        q_store(turn, x + 7 * i);
        x[7 * i + 4] = X_WC.p.x;
        x[7 * i + 5] = X_WC.p.y;
        x[7 * i + 6] = X_WC.p.z;
        RgMotion V = mv_shift(form->kin->V[i], v3_sub(X_WC.p, form->kin->X_WB[i].p));
        RgVec3 w = m3_apply_t(X_WC.R, V.w);
        double six[6] = {w.x, w.y, w.z, V.v.x, V.v.y, V.v.z};
        memcpy(u + 6 * i, six, sizeof six);
    }
    for (int r = 0; r < m->nrotors; r++)
        u[6 * m->nbodies + r] = v[form->rotor_dof[r]];
}

/* Context of the parallel loop that integrates positions. */
typedef struct Advance {
    const double *x, *step;
    double *out;
} Advance;

static void advance_bodies(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const Advance *a = context;
    const RgJointKind *free_motion = rg_joint_kind(RG_JOINT_free);
    for (int32_t i = first; i < end; i++)
        free_motion->integrate(a->x + 7 * i, a->step + 6 * i, a->out + 7 * i);
}

/* Rotation of a body in the step, in the axes of its centre. */
static RgVec3 rotation_in_step(const double *step, int i)
{
    return i < 0 ? v3_zero() : v3(step[6 * i], step[6 * i + 1], step[6 * i + 2]);
}

/* The angle of a hinge is fitted to the pose next to its last angle. If it rotates by more than a radian in the step,
   that angle is advanced by half turns first; otherwise a fast rotor would lose whole turns. */
static void advance_angle(const RgForm *form, int i, const double *step, double *x)
{
    const RgBody *B = &form->model->bodies[i];
    RgVec3 w = rotation_in_step(step, i), w_parent = rotation_in_step(step, B->parent);
    if (v3_norm2(w) <= 1.0 && v3_norm2(w_parent) <= 1.0)
        return;
    RgVec3 axis = m3_column(form->bodies[i].X_CB.R, 2);
    double spin = v3_dot(w, axis);
    if (B->parent >= 0)
        spin -= v3_dot(m3_apply(q_matrix(q_load(x + 7 * B->parent)), w_parent),
                       m3_apply(q_matrix(q_load(x + 7 * i)), axis));
    x[7 * form->model->nbodies + B->q0] += RG_PI * nearbyint(spin / RG_PI) / B->geometry.turn;
}

static void integrate(const RgForm *form, const double *x, const double *step, double *out)
{
    const RgModel *m = form->model;
    Advance advance = {x, step, out};
    rg_parallel_for(form->thread_pool, m->nbodies, CHUNK, advance_bodies, &advance);
    memmove(out + 7 * m->nbodies, x + 7 * m->nbodies, (size_t)m->nq * sizeof *x);
    for (int i = 0; i < m->nbodies && !form->all_free_bodies; i++)
        if (m->bodies[i].kind->helical && m->bodies[i].geometry.turn != 0.0)
            advance_angle(form, i, step, out);
}

static void dexpinv(const RgForm *form, const double *step, const double *u, double *rate)
{
    const RgJointKind *free_motion = rg_joint_kind(RG_JOINT_free);
    memcpy(rate, u, (size_t)form->nu * sizeof *rate);
    for (int i = 0; i < form->model->nbodies; i++)
        free_motion->dexpinv(step + 6 * i, u + 6 * i, rate + 6 * i);
}

/* Computes the pose of a body from that of its centre. Returns false if it did not move, so that the pose is valid
   already. */
static bool place_body(RgForm *form, int i, const double *x)
{
    if (memcmp(form->x_placed + 7 * i, x + 7 * i, 7 * sizeof *x) == 0)
        return false;
    memcpy(form->x_placed + 7 * i, x + 7 * i, 7 * sizeof *x);
    RgPose X_WC = pose_of_centre(x + 7 * i);
    form->R_WC[i] = X_WC.R;
    form->kin->X_WB[i] = pose_mul(X_WC, form->bodies[i].X_CB);
    form->to_centre[i] = m3_apply(form->kin->X_WB[i].R, form->bodies[i].X_BC.p);
    return true;
}

/* Whether the last kinematics were at the positions x. Not recorded for worlds of free bodies only. */
static bool is_placed(const RgForm *form, const double *x)
{
    const RgModel *m = form->model;
    size_t poses = 7 * (size_t)m->nbodies;
    return form->current && memcmp(form->x_placed, x, poses * sizeof *x) == 0 &&
           memcmp(form->q_near, x + poses, (size_t)m->nq * sizeof *x) == 0;
}

static void settle(RgForm *form, double *x)
{
    const RgModel *m = form->model;
    double *q = x + 7 * m->nbodies;
    if (form->all_free_bodies)
        return;

    /* The fit of the last kinematics belongs to x. A new fit next to itself gives the same values, so the kinematics
       stay valid. */
    if (is_placed(form, x)) {
        for (int i = 0; i < m->nbodies; i++)
            if (!form->bodies[i].is_free_body)
                memcpy(q + m->bodies[i].q0, form->q + m->bodies[i].q0, (size_t)m->bodies[i].kind->nq * sizeof *q);
        memcpy(form->q_near, q, (size_t)m->nq * sizeof *q);
        return;
    }
    for (int i = 0; i < m->nbodies; i++)
        if (place_body(form, i, x))
            form->current = false;
    for (int i = 0; i < m->nbodies; i++) {
        const RgBody *B = &m->bodies[i];
        if (form->bodies[i].is_free_body)
            continue;
        RgPose X_WF = pose_mul(kin_pose(form->kin, B->parent), B->X_PF);
        double fitted[7];
        B->kind->fit(&B->geometry, pose_relative(X_WF, form->kin->X_WB[i]), q + B->q0, fitted);
        memcpy(q + B->q0, fitted, (size_t)B->kind->nq * sizeof *q);
    }
}

/* State of the joint of a free body. */
static void roaming_joint(const RgForm *form, int i, const double *x, RgJointState *J)
{
    const RgKin *kin = form->kin;
    const RgPose *X_WF = &form->model->bodies[i].X_PF, *X_WB = &kin->X_WB[i];
    RgVec3 p = m3_apply_t(X_WF->R, v3_sub(X_WB->p, X_WF->p));
    RgVec3 w = m3_apply_t(X_WB->R, kin->V[i].w), rate = m3_apply_t(X_WF->R, kin->V[i].v);
    J->origin = X_WB->p;
    q_store(free_joint_rotation(&form->bodies[i], q_load(x + 7 * i)), J->q);
    double rest[9] = {p.x, p.y, p.z, w.x, w.y, w.z, rate.x, rate.y, rate.z};
    memcpy(J->q + 4, rest, 3 * sizeof *rest);
    memcpy(J->v, rest + 3, 6 * sizeof *rest);
    for (int k = 0; k < 3; k++) /* the other parts are constant (prepare_roaming) */
        J->S[k].w = J->W[k].n = m3_column(X_WB->R, k);
    J->c = (RgMotion){{0.0, 0.0, 0.0}, v3_neg(v3_cross(kin->V[i].w, kin->V[i].v))};
}

/* State of a joint from its two bodies; again: the poses did not change. */
static void held_joint(const RgForm *form, int i, const double *near_q, bool again, RgJointState *J)
{
    const RgKin *kin = form->kin;
    const RgBody *B = &form->model->bodies[i];
    RgMotion V_FG[2] = {mv_shift(kin_twist(kin, B->parent), kin->r[i]), kin->V[i]};
    if (again) {
        rg_joint_rates(&form->bodies[i].joint, kin->X_WB[i].R, V_FG, J);
        return;
    }
    RgPose X_WF = pose_mul(kin_pose(kin, B->parent), B->X_PF);
    rg_joint_state(&form->bodies[i].joint, X_WF, kin->X_WB[i], V_FG, near_q + B->q0, J);
}

/* Context of the parallel loop of the kinematics. */
typedef struct Stage {
    RgForm *form;
    const double *x, *u;
    bool again; /* no pose changed, only velocities */
} Stage;

static void move_body(const Stage *s, int i)
{
    /* Twist at the body's origin, and the acceleration there at du/dt = 0. */
    RgForm *form = s->form;
    RgKin *kin = form->kin;
    const double *x = s->x + 7 * i, *u = s->u + 6 * i;
    const RgBody *B = &form->model->bodies[i];
    RgVec3 w = m3_apply(form->R_WC[i], v3(u[0], u[1], u[2])), p_rate = v3(u[3], u[4], u[5]);
    kin->V[i] = mv_shift((RgMotion){w, p_rate}, v3_sub(kin->X_WB[i].p, v3(x[4], x[5], x[6])));
    form->A0[i] = (RgMotion){{0.0, 0.0, 0.0}, v3_neg(v3_cross(w, p_rate))};

    /* Its joint. */
    RgJointState *J = &form->joints[i];
    if (!s->again)
        kin->r[i] = v3_sub(kin->X_WB[i].p, kin_pose(kin, B->parent).p);
    if (form->bodies[i].is_free_body)
        roaming_joint(form, i, s->x, J);
    else
        held_joint(form, i, s->x + 7 * form->model->nbodies, s->again, J);
    kin->c[i] = J->c;
    memcpy(form->v + B->v0, J->v, (size_t)B->nv * sizeof *form->v);
    if (s->again && !form->bodies[i].is_free_body)
        return;
    memcpy(form->q + B->q0, J->q, (size_t)B->kind->nq * sizeof *form->q);
    memcpy(kin->S + B->v0, J->S, (size_t)B->nv * sizeof *kin->S);
}

static void move_bodies(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const Stage *s = context;
    for (int32_t i = first; i < end && !s->again; i++)
        place_body(s->form, i, s->x);
    for (int32_t i = first; i < end; i++)
        move_body(s, i);
}

/* The state of a jointed body depends on its parent, so only free bodies are computed in parallel. An unchanged state
   is not evaluated again. */
static void kinematics(RgForm *form, const double *x, const double *u)
{
    Stage stage = {form, x, u, !form->all_free_bodies && is_placed(form, x)};
    size_t bytes = (size_t)form->nu * sizeof *u;
    if (stage.again && memcmp(form->u_placed, u, bytes) == 0)
        return;
    rg_parallel_for(form->all_free_bodies ? form->thread_pool : NULL, form->model->nbodies,
                    form->all_free_bodies ? CHUNK : INT32_MAX, move_bodies, &stage);
    if (form->all_free_bodies)
        return;
    memcpy(form->u_placed, u, bytes);
    memcpy(form->q_near, x + 7 * form->model->nbodies, (size_t)form->model->nq * sizeof *x);
    form->current = true;
}

/* Wrenches on bodies about their origins: external ones and those of the joints' efforts. */
static void sum_wrenches(const RgForm *form, const RgForces *forces, RgForce *f)
{
    const RgModel *m = form->model;
    for (int i = 0; i < m->nbodies; i++)
        f[i] = forces->wrenches != NULL ? forces->wrenches[i] : fv_zero();
    for (int i = 0; i < m->nbodies; i++) {
        const RgBody *B = &m->bodies[i];
        RgForce effort = fv_zero();
        for (int k = 0; k < B->nv; k++)
            if (forces->tau[B->v0 + k] != 0.0)
                effort = fv_axpy(forces->tau[B->v0 + k], form->joints[i].W[k], effort);
        f[i] = fv_add(f[i], effort);
        if (B->parent >= 0)
            f[B->parent] = fv_sub(f[B->parent], fv_shift(effort, v3_neg(form->kin->r[i])));
    }
}

/* Context of the parallel loop of the accelerations. */
typedef struct AccelerationContext {
    const RgForm *form;
    const RgForces *forces;
    double *free;
} AccelerationContext;

static void accelerate_bodies(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const AccelerationContext *p = context;
    const RgForm *form = p->form;
    for (int32_t i = first; i < end; i++) {
        const RgMaximalBody *b = &form->bodies[i];
        RgMat3 R_WC = form->R_WC[i];
        RgForce f = fv_shift(form->work->f[i], form->to_centre[i]);
        RgVec3 n = m3_apply_t(R_WC, f.n), w = m3_apply_t(R_WC, form->kin->V[i].w);
        RgVec3 Iw = v3(b->moment[0] * w.x, b->moment[1] * w.y, b->moment[2] * w.z);
        n = v3_sub(n, v3_cross(w, Iw));
        double *a = p->free + 6 * i;
        a[0] = n.x * b->inverse_mass[0];
        a[1] = n.y * b->inverse_mass[1];
        a[2] = n.z * b->inverse_mass[2];
        a[3] = f.f.x * b->inverse_mass[3] + p->forces->gravity.x;
        a[4] = f.f.y * b->inverse_mass[4] + p->forces->gravity.y;
        a[5] = f.f.z * b->inverse_mass[5] + p->forces->gravity.z;
    }
}

static bool dynamics(RgForm *form, const RgForces *forces, double *free, int *bad_dof)
{
    (void)bad_dof;
    const RgModel *m = form->model;
    sum_wrenches(form, forces, form->work->f);
    AccelerationContext context = {form, forces, free};
    rg_parallel_for(form->thread_pool, m->nbodies, CHUNK, accelerate_bodies, &context);
    memset(free + 6 * m->nbodies, 0, (size_t)m->nrotors * sizeof *free);
    return true;
}

static void solve(const RgForm *form, double *b)
{
    for (int k = 0; k < form->nu; k++)
        b[k] *= form->inverse_mass[k];
}

/* The row with its joint velocities converted to body terms. */
static RgRow to_body_terms(const RgForm *form, const RgRow *row)
{
    RgRow full = *row;
    for (int i = 0; i < row->ndofs; i++) {
        int body = form->model->dof_body[row->dof[i]], parent = form->model->bodies[body].parent;
        const RgJointState *J = &form->joints[body];
        RgForce W = fv_scale(row->coefficient[i], J->W[row->dof[i] - form->model->bodies[body].v0]);
        rg_row_add_body(&full, body, form->kin->X_WB[body].p, W, J->origin);
        if (parent >= 0)
            rg_row_add_body(&full, parent, form->kin->X_WB[parent].p, fv_scale(-1.0, W), J->origin);
        full.bias -= mv_dot(J->c, W);
    }
    return full;
}

static int project(const RgForm *form, const RgRow *row, int *columns, double *values, double *bias)
{
    RgRow full = to_body_terms(form, row);

    /* Bodies in ascending order, six columns each. */
    for (int i = 1; i < full.nbodies; i++)
        for (int j = i; j > 0 && full.body[j] < full.body[j - 1]; j--) {
            int body = full.body[j];
            RgForce J = full.J[j];
            full.body[j] = full.body[j - 1];
            full.J[j] = full.J[j - 1];
            full.body[j - 1] = body;
            full.J[j - 1] = J;
        }
    int count = 0;
    *bias = full.bias;
    for (int i = 0; i < full.nbodies; i++) {
        int body = full.body[i];
        *bias += mv_dot(form->A0[body], full.J[i]);
        RgForce J = fv_shift(full.J[i], form->to_centre[body]);
        RgVec3 n = m3_apply_t(form->R_WC[body], J.n);
        double six[6] = {n.x, n.y, n.z, J.f.x, J.f.y, J.f.z};
        for (int k = 0; k < 6; k++) {
            columns[count] = 6 * body + k;
            values[count++] = six[k];
        }
    }
    if (full.rotor >= 0) {
        columns[count] = 6 * form->model->nbodies + full.rotor;
        values[count++] = -1.0;
    }
    return count;
}

static void twist(const RgForm *form, int body, const double *u, RgMotion *V)
{
    const double *own = u + 6 * body;
    RgVec3 w = m3_apply(form->R_WC[body], v3(own[0], own[1], own[2]));
    *V = mv_shift((RgMotion){w, {own[3], own[4], own[5]}}, v3_neg(form->to_centre[body]));
}

static void push(const RgForm *form, int body, RgForce f, double *g)
{
    double *own = g + 6 * body;
    f = fv_shift(f, form->to_centre[body]);
    RgVec3 n = m3_apply_t(form->R_WC[body], f.n);
    own[0] += n.x;
    own[1] += n.y;
    own[2] += n.z;
    own[3] += f.f.x;
    own[4] += f.f.y;
    own[5] += f.f.z;
}

static void read_velocity(const RgForm *form, int body, const double *u, double V[6])
{
    const double *own = u + 6 * body;
    RgVec3 w = m3_apply(form->R_WC[body], v3(own[0], own[1], own[2]));
    double six[6] = {own[3], own[4], own[5], w.x, w.y, w.z};
    memcpy(V, six, sizeof six);
}

static double write_velocity(const RgForm *form, int body, const double V[6], double *u)
{
    const RgMaximalBody *b = &form->bodies[body];
    RgVec3 w = m3_apply_t(form->R_WC[body], v3(V[3], V[4], V[5]));
    double six[6] = {w.x, w.y, w.z, V[0], V[1], V[2]}, added = 0.0, *own = u + 6 * body;
    for (int k = 0; k < 6; k++) {
        added += (k < 3 ? b->moment[k] : b->mass) * ((six[k] - own[k]) * (0.5 * (six[k] + own[k])));
        own[k] = six[k];
    }
    return added;
}

static void accelerations(const RgForm *form, const double *a, RgMotion *A)
{
    for (int i = 0; i < form->model->nbodies; i++) {
        RgVec3 alpha = m3_apply(form->R_WC[i], v3(a[6 * i], a[6 * i + 1], a[6 * i + 2]));
        RgVec3 p2 = v3(a[6 * i + 3], a[6 * i + 4], a[6 * i + 5]);
        A[i] = mv_add(mv_shift((RgMotion){alpha, p2}, v3_neg(form->to_centre[i])), form->A0[i]);
    }
}

static void joint_accelerations(const RgForm *form, const double *a, double *joint_a)
{
    const RgModel *m = form->model;
    RgMotion *A = form->work->A;
    accelerations(form, a, A);
    for (int i = 0; i < m->nbodies; i++) {
        const RgBody *B = &m->bodies[i];
        RgMotion relative = mv_sub(A[i], form->kin->c[i]);
        if (B->parent >= 0)
            relative = mv_sub(relative, mv_shift(A[B->parent], form->kin->r[i]));
        for (int k = 0; k < B->nv; k++)
            joint_a[B->v0 + k] = mv_dot(relative, form->joints[i].W[k]);
    }
}

const RgCoordsKind rg_coords_maximal = {
    .name = "maximal",
    .summary = "six velocities a body; joints are constraints, momentum is kept by construction",
    .joints_are_rows = true,
    RG_COORDS_FUNCTIONS,
};
