/* centre_of_mass.c - mass-weighted mean of the bodies' centres of mass and of their velocities. */
#include "kinematics/kinematics.h"

RgCentre rg_centre_of_mass(const RgKin *kin)
{
    const RgModel *m = kin->model;
    RgCentre centre = {0};
    for (int i = 0; i < m->nbodies; i++) {
        const RgInertia *in = &m->bodies[i].inertia;
        RgVec3 rc = m3_apply(kin->X_WB[i].R, in->com);
        centre.mass += in->mass;
        centre.com = v3_axpy(in->mass, v3_add(kin->X_WB[i].p, rc), centre.com);
        centre.velocity = v3_axpy(in->mass, mv_shift(kin->V[i], rc).v, centre.velocity);
    }
    if (centre.mass > 0.0) {
        centre.com = v3_scale(1.0 / centre.mass, centre.com);
        centre.velocity = v3_scale(1.0 / centre.mass, centre.velocity);
    }
    return centre;
}
