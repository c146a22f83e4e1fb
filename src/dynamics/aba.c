/*
 * aba.c - forward dynamics by articulated bodies (Featherstone 1983; 2008, 7.3).
 *
 * Inward, with IA the articulated inertia about O_i and p the bias force (force at zero acceleration):
 *   U = IA S,  D = S.U (+ armature),  u = tau - S.p
 *   IA <- IA - U U'/D,   p <- p + U u/D               for each velocity of the joint, in descending order
 *   parent:  IA += shifted IA,  p += shifted (p + IA c)
 * Outward:  A = shift(A_parent, r) + c;  for each velocity, in ascending order:  a = (u - U.A)/D,  A += S a
 *
 * A joint of several velocities is a chain of one-velocity joints at one origin with massless bodies between. In world
 * axes the change of the reference point of an inertia is a translation only. The initial rigid-body inertias are
 * computed two at a time (aba_simd.c). Cost: O(nv). Fails if D is not positive: the joint moves no inertia.
 */
#include "dynamics/tree_dynamics.h"

static inline RgForce articulated_apply(const RgArticulated *a, RgMotion x)
{
    return (RgForce){v3_add(s3_apply(a->J, x.w), m3_apply(a->B, x.v)),
                     v3_add(m3_apply_t(a->B, x.w), s3_apply(a->M, x.v))};
}

/* Inertia about the body's origin, and the bias force of its velocity. */
static inline RgArticulated rigid_body(const RgInertia *in, RgMat3 R, RgMotion V)
{
    RgVec3 rc = m3_apply(R, in->com), h = v3_scale(in->mass, rc);
    RgSym3 I = s3_rotate(in->I, R);
    RgVec3 F = v3_cross(V.w, v3_scale(in->mass, v3_add(V.v, v3_cross(V.w, rc))));
    RgVec3 N = v3_cross(V.w, s3_apply(I, V.w));
    double xx = h.x * rc.x, yy = h.y * rc.y, zz = h.z * rc.z;
    RgSym3 point_inertia = {yy + zz, xx + zz, xx + yy, -h.x * rc.y, -h.x * rc.z, -h.y * rc.z};
    return (RgArticulated){.J = s3_add(I, point_inertia),
                           .B = {{{0.0, -h.z, h.y}, {h.z, 0.0, -h.x}, {-h.y, h.x, 0.0}}},
                           .M = {in->mass, in->mass, in->mass, 0.0, 0.0, 0.0},
                           .p = {v3_add(N, v3_cross(rc, F)), F}};
}

void rg_rigid_bodies_plain(const RgKin *kin, RgArticulated *out)
{
    const RgModel *m = kin->model;
    for (int i = 0; i < m->nbodies; i++)
        out[i] = rigid_body(&m->bodies[i].inertia, kin->X_WB[i].R, kin->V[i]);
}

/* a - k x x' */
static inline RgSym3 s3_subtract_square(RgSym3 a, double k, RgVec3 x)
{
    RgVec3 kx = v3_scale(k, x);
    return (RgSym3){a.xx - kx.x * x.x, a.yy - kx.y * x.y, a.zz - kx.z * x.z,
                    a.xy - kx.x * x.y, a.xz - kx.x * x.z, a.yz - kx.y * x.z};
}

/* IA - U U'/D, p + U u/D */
static inline void reduce_inertia(RgArticulated *a, RgForce U, double inverse_d, double u)
{
    a->J = s3_subtract_square(a->J, inverse_d, U.n);
    a->M = s3_subtract_square(a->M, inverse_d, U.f);
    RgVec3 k = v3_scale(inverse_d, U.n);
    double kn[3] = {k.x, k.y, k.z};
    for (int i = 0; i < 3; i++) {
        a->B.m[i][0] -= kn[i] * U.f.x;
        a->B.m[i][1] -= kn[i] * U.f.y;
        a->B.m[i][2] -= kn[i] * U.f.z;
    }
    a->p = fv_axpy(inverse_d * u, U, a->p);
}

/*
 * Adds a child's inertia, shifted by r, to that of its parent. The child has v = v_p - rx w, with rx the cross-product
 * matrix of r, and n_p = n + rx f. So
 *   M' = M,   B' = B + rx M,   J' = J + rx B^T - B' rx
 */
static inline void add_shifted(RgArticulated *to, const RgArticulated *a, RgVec3 r)
{
    /* rx M, column by column. */
    RgMat3 M = s3_full(a->M);
    RgMat3 rM =
        m3_from_columns(v3_cross(r, m3_column(M, 0)), v3_cross(r, m3_column(M, 1)), v3_cross(r, m3_column(M, 2)));
    RgMat3 B;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            B.m[i][j] = a->B.m[i][j] + rM.m[i][j];

    /* Columns of rx B^T are r x rows of B; rows of B' rx are rows of B' x r. */
    RgVec3 b0 = v3(a->B.m[0][0], a->B.m[0][1], a->B.m[0][2]);
    RgVec3 b1 = v3(a->B.m[1][0], a->B.m[1][1], a->B.m[1][2]);
    RgVec3 b2 = v3(a->B.m[2][0], a->B.m[2][1], a->B.m[2][2]);
    RgVec3 x0 = v3_cross(r, b0), x1 = v3_cross(r, b1), x2 = v3_cross(r, b2);
    RgVec3 y0 = v3_cross(v3(B.m[0][0], B.m[0][1], B.m[0][2]), r);
    RgVec3 y1 = v3_cross(v3(B.m[1][0], B.m[1][1], B.m[1][2]), r);
    RgVec3 y2 = v3_cross(v3(B.m[2][0], B.m[2][1], B.m[2][2]), r);
    RgSym3 J = {a->J.xx + x0.x - y0.x, a->J.yy + x1.y - y1.y, a->J.zz + x2.z - y2.z,
                a->J.xy + x1.x - y0.y, a->J.xz + x2.x - y0.z, a->J.yz + x2.y - y1.z};
    to->J = s3_add(to->J, J);
    to->M = s3_add(to->M, a->M);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            to->B.m[i][j] += B.m[i][j];
    to->p = fv_add(to->p, fv_shift(a->p, v3_neg(r)));
}

/* U = IA S; skips S.v = 0 of a hinge. */
static inline RgForce axis_force(const RgArticulated *IA, RgMotion S)
{
    if (S.v.x == 0.0 && S.v.y == 0.0 && S.v.z == 0.0)
        return (RgForce){s3_apply(IA->J, S.w), m3_apply_t(IA->B, S.w)};
    return articulated_apply(IA, S);
}

/* Inward pass of body i; returns a velocity that moves no inertia, or -1. */
static inline int inward_body(const RgKin *kin, const double *tau, const double *diagonal, RgTreeWork *work, int i)
{
    const RgModel *m = kin->model;
    const RgBody *B = &m->bodies[i];
    RgArticulated *IA = &work->articulated[i];
    for (int k = B->v0 + B->nv - 1; k >= B->v0; k--) {
        RgMotion S = kin->S[k];
        RgForce U = axis_force(IA, S);
        double D = mv_dot(S, U) + m->armature[k] + (diagonal != NULL ? diagonal[k] : 0.0);
        if (!(D > 0.0))
            return k;
        double inverse_d = 1.0 / D, u = tau[k] - mv_dot(S, IA->p);
        reduce_inertia(IA, U, inverse_d, u);
        work->U[k] = U;
        work->inverse_d[k] = inverse_d;
        work->u[k] = u;
    }
    if (B->parent >= 0) {
        IA->p = fv_add(IA->p, articulated_apply(IA, kin->c[i]));
        add_shifted(&work->articulated[B->parent], IA, kin->r[i]);
    }
    return -1;
}

bool rg_aba(const RgKin *kin, const RgTreeForces *forces, RgTreeWork *work, double *a, int *bad_dof)
{
    const RgModel *m = kin->model;
    rg_rigid_bodies(kin, work->solids, work->articulated);
    for (int i = 0; i < m->nbodies && forces->f_ext != NULL; i++)
        work->articulated[i].p = fv_sub(work->articulated[i].p, forces->f_ext[i]);

    /* Inward: inertias and forces, from children to parents. */
    for (int i = m->nbodies - 1; i >= 0; i--)
        if ((*bad_dof = inward_body(kin, forces->tau, forces->diagonal, work, i)) >= 0)
            return false;

    /* Outward: accelerations. */
    RgMotion *A = work->A;
    A[-1] = (RgMotion){{0.0, 0.0, 0.0}, v3_neg(forces->gravity)};
    for (int i = 0; i < m->nbodies; i++) {
        const RgBody *B = &m->bodies[i];
        RgMotion A_i = mv_add(mv_shift(A[B->parent], kin->r[i]), kin->c[i]);
        for (int k = B->v0; k < B->v0 + B->nv; k++) {
            a[k] = (work->u[k] - mv_dot(A_i, work->U[k])) * work->inverse_d[k];
            A_i = mv_axpy(a[k], kin->S[k], A_i);
        }
        A[i] = A_i;
    }
    return true;
}
