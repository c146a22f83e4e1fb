/*
 * passive_forces.c - joint springs and dampers: tau = -k x - d v, x: displacement of the joint from rest.
 *
 * For vector positions x = q - rest. For rotations x is the rotation vector from the neutral position: with the same
 * stiffness about every axis tau = -k x is the gradient of k |x|^2 / 2.
 */
#include "dynamics/tree_dynamics.h"

void rg_body_displacement(const RgModel *m, int body, const double *q, double x[6])
{
    const RgBody *B = &m->bodies[body];
    double zero[7];
    B->kind->neutral(zero);
    B->kind->difference(zero, q + B->q0, x);
    for (int k = 0; k < B->nv; k++)
        x[k] -= m->rest[B->v0 + k];
}

void rg_tree_passive_forces(const RgModel *m, const double *q, const double *v, double *tau)
{
    for (int k = 0; k < m->nv; k++)
        tau[k] = -m->damping[k] * v[k];
    for (int i = 0; i < m->nbodies && m->any_stiffness; i++) {
        const RgBody *B = &m->bodies[i];
        double x[6];
        bool has_spring = false;
        for (int k = B->v0; k < B->v0 + B->nv; k++)
            has_spring = has_spring || m->stiffness[k] != 0.0;
        if (!has_spring)
            continue;
        if (B->kind->helical) { /* x = q - rest directly */
            tau[B->v0] -= m->stiffness[B->v0] * (q[B->q0] - m->rest[B->v0]);
            continue;
        }
        rg_body_displacement(m, i, q, x);
        for (int k = 0; k < B->nv; k++)
            tau[B->v0 + k] -= m->stiffness[B->v0 + k] * x[k];
    }
}
