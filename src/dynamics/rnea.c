/*
 * rnea.c - inverse dynamics by the recursive Newton-Euler algorithm (Luh, Walker, Paul 1980; Featherstone
 * 2008, 5.3).
 *
 * Outward:  A_i = shift(A_parent, r_i) + S_i a_i + c_i
 *           with w = V.w, alpha = A.w and the centre of mass at rc:
 *           F = m (A.v + alpha x rc + w x (V.v + w x rc)),  N = I alpha + w x I w
 *           f_i = (N + rc x F, F) - f_ext
 * Inward:   tau_k = S_k . f_i,   f_parent += shift(f_i, -r_i)
 *
 * The rotational part is computed in body axes, where I is constant; two bodies at a time (rnea_simd.c). Armatures add
 * armature a_k to tau_k. Cost: O(bodies).
 */
#include "dynamics/tree_dynamics.h"

/* Force on body i with twist V and acceleration A. */
static inline RgForce body_force(const RgInertia *in, RgMat3 R, RgMotion V, RgMotion A)
{
    RgVec3 w = m3_apply_t(R, V.w), alpha = m3_apply_t(R, A.w);
    RgVec3 N = m3_apply(R, v3_add(s3_apply(in->I, alpha), v3_cross(w, s3_apply(in->I, w))));
    RgVec3 rc = m3_apply(R, in->com);
    RgVec3 v_com = v3_add(V.v, v3_cross(V.w, rc));
    RgVec3 a_com = v3_add(v3_add(A.v, v3_cross(A.w, rc)), v3_cross(V.w, v_com));
    RgVec3 F = v3_scale(in->mass, a_com);
    return (RgForce){v3_add(N, v3_cross(rc, F)), F};
}

void rg_body_forces_plain(const RgKin *kin, const RgMotion *A, RgForce *f)
{
    const RgModel *m = kin->model;
    for (int i = 0; i < m->nbodies; i++)
        f[i] = body_force(&m->bodies[i].inertia, kin->X_WB[i].R, kin->V[i], A[i]);
}

/* Outward pass: accelerations of a part without gravity; a as in rg_rnea. */
static void compute_accelerations(const RgKin *kin, const double *a, RgTreePart part, RgMotion *A)
{
    const RgModel *m = kin->model;
    for (int i = part.body; i < part.body_end; i++) {
        const RgBody *B = &m->bodies[i];
        RgMotion own = kin->c[i];
        for (int k = B->v0; k < B->v0 + B->nv && a != NULL; k++)
            own = mv_axpy(a[k], kin->S[k], own);
        A[i] = B->parent >= 0 ? mv_add(mv_shift(A[B->parent], kin->r[i]), own) : own;
    }
}

/* Adds the upward acceleration of the world, which is a pure translation. out may be A. */
static void add_gravity(const RgMotion *A, RgVec3 gravity, RgTreePart part, RgMotion *out)
{
    for (int i = part.body; i < part.body_end; i++)
        out[i] = (RgMotion){A[i].w, v3_sub(A[i].v, gravity)};
}

/* Inward pass: sums the forces over descendants and projects them on the joint axes. */
static void project_forces(const RgKin *kin, const double *a, RgTreePart part, RgForce *f, double *tau)
{
    const RgModel *m = kin->model;
    for (int i = part.body_end - 1; i >= part.body; i--) {
        const RgBody *B = &m->bodies[i];
        RgForce carried = f[i];
        for (int k = B->v0; k < B->v0 + B->nv; k++)
            tau[k] = mv_dot(kin->S[k], carried) + (a != NULL ? m->armature[k] * a[k] : 0.0);
        if (B->parent >= 0)
            f[B->parent] = fv_add(f[B->parent], fv_shift(carried, v3_neg(kin->r[i])));
    }
}

/* Forces on the bodies, less the external forces. */
static void compute_forces(const RgKin *kin, const RgForce *f_ext, RgTreePart part, RgTreeWork *work)
{
    rg_body_forces(kin, work->solids, work->A, part, work->f);
    for (int i = part.body; i < part.body_end && f_ext != NULL; i++)
        work->f[i] = fv_sub(work->f[i], f_ext[i]);
}

void rg_rnea(const RgKin *kin, RgVec3 gravity, const double *a, const RgForce *f_ext, RgTreeWork *work, double *tau)
{
    RgTreePart whole = rg_tree_whole(kin->model);
    work->A[-1] = (RgMotion){{0.0, 0.0, 0.0}, v3_neg(gravity)};
    compute_accelerations(kin, a, whole, work->A);
    add_gravity(work->A, gravity, whole, work->A);
    compute_forces(kin, f_ext, whole, work);
    project_forces(kin, a, whole, work->f, tau);
}

void rg_part_forces(const RgKin *kin, const RgTreeForces *forces, const RgMotion *bias, RgTreeWork *work,
                    RgTreePart part, double *tau)
{
    add_gravity(bias, forces->gravity, part, work->A);
    compute_forces(kin, forces->f_ext, part, work);
    project_forces(kin, NULL, part, work->f, tau);
}

void rg_part_bias(const RgKin *kin, RgTreePart part, RgMotion *A)
{
    compute_accelerations(kin, NULL, part, A);
}

void rg_part_accelerations(const RgKin *kin, const double *a, RgTreePart part, RgMotion *A)
{
    compute_accelerations(kin, a, part, A);
}

void rg_velocity_product_accelerations(const RgKin *kin, RgMotion *A)
{
    rg_part_bias(kin, rg_tree_whole(kin->model), A);
}

static bool is_zero_force(RgForce f)
{
    return f.n.x == 0.0 && f.n.y == 0.0 && f.n.z == 0.0 && f.f.x == 0.0 && f.f.y == 0.0 && f.f.z == 0.0;
}

void rg_gather_wrenches(const RgKin *kin, const RgForce *on_links, RgForce *on_bodies)
{
    const RgModel *m = kin->model;
    for (int i = 0; i < m->nbodies; i++)
        on_bodies[i] = fv_zero();
    for (int i = 0; i < m->nlinks; i++) {
        int body = m->links[i].body;
        if (body < 0 || is_zero_force(on_links[i]))
            continue;
        RgVec3 r = m3_apply(kin->X_WB[body].R, m->links[i].X_BL.p);
        on_bodies[body] = fv_add(on_bodies[body], fv_shift(on_links[i], v3_neg(r)));
    }
}
