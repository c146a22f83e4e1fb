/*
 * forward_kinematics.c - poses, joint axes, twists and velocity products, parents before children.
 *
 * The equations are in kinematics.h. One-axis joints (revolute, prismatic, screw) go a short way: their axis is z of F and of B, so
 *   X_FB = turn about z and slide along z,  S = (turn z, slide z)
 * and the sines and cosines of all of them are computed beforehand in one vector loop. Every other kind is asked for its X_FB, S and
 * dS/dt v in its own frame, which are then turned into world axes. Cost: O(bodies).
 */
#include "kinematics/kinematics.h"
#include "math/trig_array.h"

RgKin *rg_kin_take(RgArena *arena, const RgModel *model)
{
    RgKin *kin = RG_TAKE(arena, RgKin, 1);
    if (kin == NULL)
        return NULL;
    kin->model = model;
    kin->X_WB = RG_TAKE(arena, RgPose, model->nbodies);
    kin->r = RG_TAKE(arena, RgVec3, model->nbodies);
    kin->S = RG_TAKE(arena, RgMotion, model->nv);
    kin->V = RG_TAKE(arena, RgMotion, model->nbodies);
    kin->c = RG_TAKE(arena, RgMotion, model->nbodies);
    kin->trig = RG_TAKE(arena, double, 3 * model->nbodies);
    return arena->failed ? NULL : kin;
}

/* Angles of all one-axis joints, their sines and cosines. */
static void prepare_trig(const double *q, RgKin *kin)
{
    const RgModel *m = kin->model;
    int n = m->nbodies;
    for (int i = 0; i < n; i++) {
        const RgBody *B = &m->bodies[i];
        kin->trig[i] = B->kind->helical ? B->geometry.turn * q[B->q0] : 0.0;
    }
    rg_sincos_array(n, kin->trig, kin->trig + n, kin->trig + 2 * n);
}

/* Turn about z of F and slide along it. */
static inline void place_helical(const RgBody *B, int i, const double *q, RgPose X_WF, RgKin *kin)
{
    int n = kin->model->nbodies;
    RgVec3 z = m3_column(X_WF.R, 2);
    kin->X_WB[i].R = m3_turn_z(X_WF.R, kin->trig[n + i], kin->trig[2 * n + i]);
    kin->X_WB[i].p = v3_axpy(B->geometry.slide * q[B->q0], z, X_WF.p);
    kin->S[B->v0] = (RgMotion){v3_scale(B->geometry.turn, z), v3_scale(B->geometry.slide, z)};
}

/* Any kind: ask it, and turn its axes into the world's. */
static void place_any(const RgBody *B, int i, const double *q, RgPose X_WF, RgKin *kin)
{
    RgPose X_FB;
    RgMotion S[6];
    B->kind->motion(&B->geometry, q + B->q0, &X_FB, S);
    kin->X_WB[i] = pose_mul(X_WF, X_FB);
    for (int k = 0; k < B->nv; k++)
        kin->S[B->v0 + k] = mv_rotate(kin->X_WB[i].R, S[k]);
}

/* Twist of body i and its velocity-product acceleration. */
static inline void move_body(const RgBody *B, int i, const double *q, const double *v, RgKin *kin)
{
    RgMotion V_J = mv_scale(v[B->v0], kin->S[B->v0]);
    for (int k = 1; k < B->nv; k++)
        V_J = mv_axpy(v[B->v0 + k], kin->S[B->v0 + k], V_J);
    kin->V[i] = B->parent >= 0 ? mv_add(mv_shift(kin->V[B->parent], kin->r[i]), V_J) : V_J;
    kin->c[i] = mv_cross(kin->V[i], V_J);
    if (B->kind->bias != NULL)
        kin->c[i] = mv_add(kin->c[i], mv_rotate(kin->X_WB[i].R, B->kind->bias(&B->geometry, q + B->q0, v + B->v0)));
}

void rg_forward_kin(const double *q, const double *v, RgKin *kin)
{
    const RgModel *m = kin->model;
    prepare_trig(q, kin);
    for (int i = 0; i < m->nbodies; i++) {
        const RgBody *B = &m->bodies[i];
        RgPose X_WF = B->parent >= 0 ? pose_mul(kin->X_WB[B->parent], B->X_PF) : B->X_PF;
        if (B->kind->helical)
            place_helical(B, i, q, X_WF, kin);
        else
            place_any(B, i, q, X_WF, kin);
        kin->r[i] = B->parent >= 0 ? v3_sub(kin->X_WB[i].p, kin->X_WB[B->parent].p) : kin->X_WB[i].p;
        if (v != NULL)
            move_body(B, i, q, v, kin);
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
