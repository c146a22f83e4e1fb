/*
 * momentum.c - linear and angular momentum, kinetic and potential energy.
 *
 *   P = sum m v_c,   L = sum I w + m (c - C) x (v_c - V_C) about the common centre of mass C
 *   T = sum (m v_c^2 + w.I w)/2 + armature v^2/2
 *   U = -sum m g.c + sum k x^2/2
 */
#include "dynamics/tree_dynamics.h"

/* Potential energy of the joint springs. */
static double spring_energy(const RgModel *m, const double *q)
{
    double energy = 0.0;
    for (int i = 0; i < m->nbodies && m->any_stiffness; i++) {
        const RgBody *B = &m->bodies[i];
        double x[6];
        rg_body_displacement(m, i, q, x);
        for (int k = 0; k < B->nv; k++)
            energy += 0.5 * m->stiffness[B->v0 + k] * x[k] * x[k];
    }
    return energy;
}

void rg_tree_momentum(const RgKin *kin, RgVec3 gravity, const double *q, const double *v, RgMomentum *out)
{
    const RgModel *m = kin->model;
    RgCentre centre = rg_centre_of_mass(kin);
    *out = (RgMomentum){.mass = centre.mass, .com = centre.com, .com_velocity = centre.velocity};
    for (int i = 0; i < m->nbodies; i++) {
        const RgInertia *in = &m->bodies[i].inertia;
        RgMat3 R = kin->X_WB[i].R;
        RgVec3 rc = m3_apply(R, in->com), w = m3_apply_t(R, kin->V[i].w), Iw = s3_apply(in->I, w);
        RgVec3 com = v3_add(kin->X_WB[i].p, rc), v_com = mv_shift(kin->V[i], rc).v;
        out->linear = v3_axpy(in->mass, v_com, out->linear);
        RgVec3 orbital = v3_cross(v3_sub(com, centre.com), v3_sub(v_com, centre.velocity));
        out->angular = v3_add(out->angular, v3_axpy(in->mass, orbital, m3_apply(R, Iw)));
        out->kinetic += 0.5 * (in->mass * v3_norm2(v_com) + v3_dot(w, Iw));
        out->potential -= in->mass * v3_dot(gravity, com);
    }
    for (int k = 0; k < m->nv; k++)
        out->kinetic += 0.5 * m->armature[k] * v[k] * v[k];
    out->potential += spring_energy(m, q);
}

double rg_tree_energy(const RgKin *kin, RgVec3 gravity, const double *q, const double *v)
{
    const RgModel *m = kin->model;
    double energy = spring_energy(m, q);
    for (int i = 0; i < m->nbodies; i++) {
        const RgInertia *in = &m->bodies[i].inertia;
        const RgMat3 *R = &kin->X_WB[i].R;
        RgVec3 rc = m3_apply(*R, in->com), w = m3_apply_t(*R, kin->V[i].w);
        RgVec3 v_com = v3_add(kin->V[i].v, v3_cross(kin->V[i].w, rc));
        energy += 0.5 * (in->mass * v3_norm2(v_com) + v3_dot(w, s3_apply(in->I, w)));
        energy -= in->mass * v3_dot(gravity, v3_add(kin->X_WB[i].p, rc));
    }
    for (int k = 0; k < m->nv; k++)
        energy += 0.5 * m->armature[k] * v[k] * v[k];
    return energy;
}
