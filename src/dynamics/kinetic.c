/*
 * kinetic.c - kinetic energy of a part of the trees, at the poses of kin:
 *
 *   T = sum (m v_c^2 + w . I w) / 2 over bodies, v_c = v + w x R c, w . I w in body axes,  + sum armature u^2 / 2
 *
 * kinetic_simd.c computes it for four velocity vectors at once, from the joint velocities on; this version defines the
 * computation, and tests compare the two.
 */
#include "dynamics/tree_dynamics.h"

double rg_part_kinetic(const RgKin *kin, const double *u, const RgMotion *V, RgTreePart part)
{
    const RgModel *m = kin->model;
    double sum = 0.0;
    for (int i = part.body; i < part.body_end; i++) {
        const RgInertia *in = &m->bodies[i].inertia;
        const RgMat3 *R = &kin->X_WB[i].R;
        RgVec3 v = v3_add(V[i].v, v3_cross(V[i].w, m3_apply(*R, in->com))), w = m3_apply_t(*R, V[i].w);
        sum += 0.5 * in->mass * v3_norm2(v) + 0.5 * v3_dot(w, s3_apply(in->I, w));
    }
    for (int k = part.dof; k < part.dof_end; k++)
        sum += 0.5 * m->armature[k] * u[k] * u[k];
    return sum;
}
