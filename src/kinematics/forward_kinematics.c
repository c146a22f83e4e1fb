/*
 * forward_kinematics.c - poses, joint axes, twists and velocity products, parents before children.
 *
 * The equations are in kinematics.h. One-axis joints (revolute, prismatic, screw) have a fast path: their axis is z of
 * F and of B, so with F = [x y z] at p in the parent's frame
 *   [R_PB p_PB] = [c x + s y,  c y - s x,  z,  p + slide q z],   S = (turn z, slide z)
 *   [R_WB r]    = R_WP [R_PB p_PB]
 * One vector loop computes all their sines and cosines in advance, and the rows have four numbers for vector
 * instructions (place_helical_simd.c does two numbers at a time). A free body (a free joint to the world) rotates about
 * its own axes and translates along those of F:
 *   S = [R_WB 0; 0 R_WF],   V = (w, p') = (R_WB v_1..3, R_WF v_4..6),   c = (0, -w x p')
 * Other kinds give X_FB, S and dS/dt v in their own frame, which are rotated into world axes. Cost: O(bodies).
 */
#include "kinematics/kinematics.h"
#include "math/trig_array.h"

/* The constants of a one-axis joint. */
static RgHelix helix_of(const RgBody *B)
{
    RgHelix h = {.parent = B->parent,
                 .q0 = B->q0,
                 .v0 = B->v0,
                 .is_free_body = B->parent < 0 && B->kind == rg_joint_kind(RG_JOINT_free)};
    if (!B->kind->helical)
        return h;
    h.turn = B->geometry.turn;
    h.slide = B->geometry.slide;
    double p[3] = {B->X_PF.p.x, B->X_PF.p.y, B->X_PF.p.z};
    for (int i = 0; i < 3; i++) {
        const double *F = B->X_PF.R.m[i];
        double fixed[4] = {F[0], F[1], F[2], p[i]}, moved[4] = {F[1], -F[0], 0.0, h.slide * F[2]};
        for (int j = 0; j < 4; j++) {
            h.fixed[i][j] = fixed[j];
            h.moved[i][j] = moved[j];
        }
    }
    return h;
}

RgKin *rg_kin_alloc(RgArena *arena, const RgModel *model)
{
    RgKin *kin = RG_ARENA_ALLOC(arena, RgKin, 1);
    if (kin == NULL)
        return NULL;
    int n = model->nbodies;
    kin->model = model;
    kin->helix = RG_ARENA_ALLOC(arena, RgHelix, n);
    kin->X_WB = RG_ARENA_ALLOC(arena, RgPose, n + 1);
    kin->r = RG_ARENA_ALLOC(arena, RgVec3, n);
    kin->S = RG_ARENA_ALLOC(arena, RgMotion, model->nv);
    kin->V = RG_ARENA_ALLOC(arena, RgMotion, n + 1);
    kin->c = RG_ARENA_ALLOC(arena, RgMotion, n);
    kin->trig = RG_ARENA_ALLOC(arena, double, 3 * n);
    if (arena->failed)
        return NULL;

    /* Index -1: the world, at rest. */
    *kin->X_WB++ = pose_identity();
    *kin->V++ = mv_zero();
    for (int i = 0; i < n; i++)
        kin->helix[i] = helix_of(&model->bodies[i]);
    return kin;
}

/* Computes angles (0 for other kinds), sines and cosines of all one-axis joints. */
static void prepare_trig(const double *q, int first, int end, RgKin *kin)
{
    int n = kin->model->nbodies;
    double *angle = kin->trig + first;
    for (int i = first; i < end; i++)
        kin->trig[i] = kin->helix[i].turn * q[kin->helix[i].q0];
    rg_sincos_array(end - first, angle, angle + n, angle + 2 * n);
}

void rg_place_helical_plain(const double *q, int first, int end, RgKin *kin)
{
    int n = kin->model->nbodies;
    for (int i = first; i < end; i++) {
        /* Rows of [R_PB p_PB]. */
        const RgHelix *h = &kin->helix[i];
        double s = kin->trig[n + i], c = kin->trig[2 * n + i], X[3][4], W[3][4];
        for (int k = 0; k < 3; k++) {
            X[k][0] = c * h->fixed[k][0] + s * h->moved[k][0];
            X[k][1] = c * h->fixed[k][1] + s * h->moved[k][1];
            X[k][2] = h->fixed[k][2] + q[h->q0] * h->moved[k][2];
            X[k][3] = h->fixed[k][3] + q[h->q0] * h->moved[k][3];
        }

        /* Rotate into world axes. */
        const RgPose *P = &kin->X_WB[h->parent];
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < 4; j++)
                W[k][j] = P->R.m[k][0] * X[0][j] + P->R.m[k][1] * X[1][j] + P->R.m[k][2] * X[2][j];

        RgVec3 x = v3(W[0][0], W[1][0], W[2][0]), y = v3(W[0][1], W[1][1], W[2][1]);
        RgVec3 z = v3(W[0][2], W[1][2], W[2][2]), r = v3(W[0][3], W[1][3], W[2][3]);
        kin->X_WB[i] = (RgPose){m3_from_columns(x, y, z), v3_add(P->p, r)};
        kin->r[i] = r;
        kin->S[h->v0] = (RgMotion){v3_scale(h->turn, z), v3_scale(h->slide, z)};
    }
}

/* R a; skips zero vectors, which are frequent in joint axes. */
static inline RgVec3 rotate(RgMat3 R, RgVec3 a)
{
    return a.x == 0.0 && a.y == 0.0 && a.z == 0.0 ? v3_zero() : m3_apply(R, a);
}

/* Pose and axes of a free body. */
static inline void place_free_body(const double *q, int i, RgKin *kin)
{
    const RgHelix *h = &kin->helix[i];
    const RgPose *F = &kin->model->bodies[i].X_PF;
    RgMat3 R = m3_mul(F->R, q_matrix(q_load(q + h->q0)));
    RgVec3 p = pose_apply(*F, v3(q[h->q0 + 4], q[h->q0 + 5], q[h->q0 + 6]));
    kin->r[i] = p;
    kin->X_WB[i] = (RgPose){R, p};
    for (int k = 0; k < 3; k++) {
        kin->S[h->v0 + k] = (RgMotion){m3_column(R, k), {0.0, 0.0, 0.0}};
        kin->S[h->v0 + 3 + k] = (RgMotion){{0.0, 0.0, 0.0}, m3_column(F->R, k)};
    }
}

static inline RgMotion free_body_twist(const double *v, int i, const RgKin *kin)
{
    const RgHelix *h = &kin->helix[i];
    const double *own = v + h->v0;
    return (RgMotion){m3_apply(kin->X_WB[i].R, v3(own[0], own[1], own[2])),
                      m3_apply(kin->model->bodies[i].X_PF.R, v3(own[3], own[4], own[5]))};
}

static inline void set_free_body_twist(const double *v, int i, RgKin *kin)
{
    RgMotion V = free_body_twist(v, i, kin);
    kin->V[i] = V;
    kin->c[i] = (RgMotion){{0.0, 0.0, 0.0}, v3_cross(V.v, V.w)};
}

void rg_forward_free_bodies(const double *q, const double *v, int first, int end, RgKin *kin)
{
    for (int i = first; i < end; i++) {
        place_free_body(q, i, kin);
        if (v != NULL)
            set_free_body_twist(v, i, kin);
    }
}

/* Pose and axes of a body on a joint of any kind. */
static void place_general(const double *q, int i, RgKin *kin)
{
    const RgBody *B = &kin->model->bodies[i];
    const RgPose *P = &kin->X_WB[B->parent];
    RgPose X_FB;
    RgMotion S[6];
    B->kind->motion(&B->geometry, q + B->q0, &X_FB, S);
    RgPose X_PB = pose_mul(B->X_PF, X_FB);
    RgMat3 R = m3_mul(P->R, X_PB.R);
    kin->r[i] = m3_apply(P->R, X_PB.p);
    kin->X_WB[i] = (RgPose){R, v3_add(P->p, kin->r[i])};
    for (int k = 0; k < B->nv; k++)
        kin->S[B->v0 + k] = (RgMotion){rotate(R, S[k].w), rotate(R, S[k].v)};
}

/* Twist and velocity-product acceleration of a body on a hinge: S v = (w_J, 0). */
static inline void set_hinge_twist(const double *v, int i, RgKin *kin)
{
    const RgHelix *h = &kin->helix[i];
    RgVec3 w_J = v3_scale(v[h->v0], kin->S[h->v0].w);
    RgMotion V = mv_shift(kin->V[h->parent], kin->r[i]);
    V.w = v3_add(V.w, w_J);
    kin->V[i] = V;
    kin->c[i] = (RgMotion){v3_cross(V.w, w_J), v3_cross(V.v, w_J)};
}

/* The same for a joint of any kind. */
static void set_general_twist(const double *q, const double *v, int i, RgKin *kin)
{
    const RgBody *B = &kin->model->bodies[i];
    RgMotion V_J = mv_scale(v[B->v0], kin->S[B->v0]);
    for (int k = B->v0 + 1; k < B->v0 + B->nv; k++)
        V_J = mv_axpy(v[k], kin->S[k], V_J);
    kin->V[i] = mv_add(mv_shift(kin->V[B->parent], kin->r[i]), V_J);
    kin->c[i] = mv_cross(kin->V[i], V_J);
    if (B->kind->bias != NULL) {
        RgMotion bias = B->kind->bias(&B->geometry, q + B->q0, v + B->v0);
        kin->c[i] = mv_add(kin->c[i], mv_rotate(kin->X_WB[i].R, bias));
    }
}

void rg_forward_kin_part(const double *q, const double *v, RgTreePart part, RgKin *kin)
{
    const RgModel *m = kin->model;
    prepare_trig(q, part.body, part.body_end, kin);

    /* Poses: one-axis joints in runs, the others one by one. */
    for (int i = part.body, end; i < part.body_end; i = end) {
        for (end = i; end < part.body_end && m->bodies[end].kind->helical; end++)
            ;
        if (end > i)
            rg_place_helical(q, i, end, kin);
        else if (kin->helix[end].is_free_body)
            place_free_body(q, end++, kin);
        else
            place_general(q, end++, kin);
    }

    /* Twists. */
    for (int i = part.body; i < part.body_end && v != NULL; i++) {
        if (kin->helix[i].turn != 0.0 && kin->helix[i].slide == 0.0)
            set_hinge_twist(v, i, kin);
        else if (kin->helix[i].is_free_body)
            set_free_body_twist(v, i, kin);
        else
            set_general_twist(q, v, i, kin);
    }
}

void rg_forward_kin(const double *q, const double *v, RgKin *kin)
{
    rg_forward_kin_part(q, v, rg_tree_whole(kin->model), kin);
}

/* S v of body i. A hinge only rotates; a free joint rotates about the axes of B and translates along those of F. */
static inline RgMotion joint_twist(const RgKin *kin, int i, const double *v)
{
    const RgHelix *h = &kin->helix[i];
    if (h->turn != 0.0 && h->slide == 0.0)
        return (RgMotion){v3_scale(v[h->v0], kin->S[h->v0].w), {0.0, 0.0, 0.0}};
    if (h->is_free_body)
        return free_body_twist(v, i, kin);
    const RgBody *B = &kin->model->bodies[i];
    RgMotion V_J = mv_zero();
    for (int k = B->v0; k < B->v0 + B->nv; k++)
        V_J = mv_axpy(v[k], kin->S[k], V_J);
    return V_J;
}

RgMotion rg_joint_twist(const RgKin *kin, int i, const double *v)
{
    return joint_twist(kin, i, v);
}

void rg_twists_at(const RgKin *kin, const double *v, RgMotion *V)
{
    rg_twists_part(kin, v, rg_tree_whole(kin->model), V);
}

void rg_twists_part(const RgKin *kin, const double *v, RgTreePart part, RgMotion *V)
{
    for (int i = part.body; i < part.body_end; i++) {
        int parent = kin->helix[i].parent;
        RgMotion V_J = joint_twist(kin, i, v);
        V[i] = parent >= 0 ? mv_add(mv_shift(V[parent], kin->r[i]), V_J) : V_J;
    }
}

void rg_part_joint_forces(const RgKin *kin, RgTreePart part, RgForce *f, double *g)
{
    const RgModel *m = kin->model;
    for (int i = part.body_end - 1; i >= part.body; i--) {
        const RgBody *B = &m->bodies[i];
        RgForce carried = f[i];
        for (int k = B->v0; k < B->v0 + B->nv; k++)
            g[k] += mv_dot(kin->S[k], carried);
        if (B->parent >= 0)
            f[B->parent] = fv_add(f[B->parent], fv_shift(carried, v3_neg(kin->r[i])));
    }
}

RgPose rg_kin_link_pose(const RgKin *kin, int link)
{
    const RgLink *l = &kin->model->links[link];
    return pose_mul(kin_pose(kin, l->body), l->X_BL);
}

RgMotion rg_kin_link_twist(const RgKin *kin, int link)
{
    const RgLink *l = &kin->model->links[link];
    RgPose X = kin_pose(kin, l->body);
    return mv_shift(kin_twist(kin, l->body), m3_apply(X.R, l->X_BL.p));
}
