/*
 * dynamics.h - the textbook algorithms in joint coordinates, one call each.
 *
 *   M(q) a + b(q, v) = tau + J' f        b: Coriolis, centrifugal and gravity forces
 *
 * An RgDynamics is the workspace for one model and one thread; calls with it do not allocate. q: nq; v, a, tau: nv.
 * Wrenches (one per link, may be NULL) are in world axes, moment about the link frame's origin.
 */
#ifndef RIGOR_DYNAMICS_H
#define RIGOR_DYNAMICS_H

#include <rigor/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RgDynamics RgDynamics;

RG_API RgDynamics *rg_dynamics_create(const RgModel *model, const RgAllocator *allocator);
RG_API void rg_dynamics_destroy(RgDynamics *dynamics);
RG_API void rg_dynamics_set_gravity(RgDynamics *dynamics, RgVec3 gravity); /* default (0, 0, -9.81) */

/* Poses and, if v is not NULL, twists of all bodies. The calls below that take q do this themselves. */
RG_API RgStatus rg_forward_kinematics(RgDynamics *dynamics, const double *q, const double *v);

/* Results of the last rg_forward_kinematics. */
RG_API RgPose rg_link_pose(const RgDynamics *dynamics, RgLinkId link);    /* X_WL */
RG_API RgPose rg_frame_pose(const RgDynamics *dynamics, RgFrameId frame); /* X_WF */
RG_API RgMotion rg_link_twist(const RgDynamics *dynamics, RgLinkId link); /* world axes, at the link's origin */

/* Inverse dynamics (recursive Newton-Euler): tau = M a + b - J' f. */
RG_API RgStatus rg_inverse_dynamics(RgDynamics *dynamics, const double *q, const double *v, const double *a,
                                    const RgForce *wrenches, double *tau);

/* Mass matrix by the composite-rigid-body algorithm: M is nv x nv, row-major, with rotor inertias. */
RG_API RgStatus rg_mass_matrix(RgDynamics *dynamics, const double *q, double *M);

/* Branch-sparse factor M = L'DL at q, kept in the workspace; rg_mass_solve: x = M^-1 x in place. */
RG_API RgStatus rg_mass_factor(RgDynamics *dynamics, const double *q);
RG_API void rg_mass_solve(const RgDynamics *dynamics, double *x);

/* Forward dynamics of the tree, without loops, couplings and passive forces: by the articulated-body algorithm, and by
   the factored mass matrix. */
RG_API RgStatus rg_forward_dynamics(RgDynamics *dynamics, const double *q, const double *v, const double *tau,
                                    const RgForce *wrenches, double *a);
RG_API RgStatus rg_forward_dynamics_factor(RgDynamics *dynamics, const double *q, const double *v, const double *tau,
                                           const RgForce *wrenches, double *a);

/* Springs and dampers of the joints: tau = -stiffness (q - rest) - damping v. */
RG_API void rg_passive_forces(const RgDynamics *dynamics, const double *q, const double *v, double *tau);

/* Jacobian of a link's frame: 6 x nv row-major, world axes at the link's origin, angular rows first. */
RG_API RgStatus rg_link_jacobian(RgDynamics *dynamics, const double *q, RgLinkId link, double *J);

typedef struct RgMomentum {
    double mass;
    RgVec3 com, com_velocity; /* centre of mass of all moving links */
    RgVec3 linear;            /* kg m/s */
    RgVec3 angular;           /* kg m^2/s about the centre of mass */
    double kinetic;           /* J, with rotors */
    double potential;         /* J: gravity (0 at the world's origin) and joint springs */
} RgMomentum;
RG_API RgStatus rg_momentum(RgDynamics *dynamics, const double *q, const double *v, RgMomentum *out);

/* q_out = q integrated along the velocity step (v dt); q_out may be q. rg_difference_positions: the step from q0 to
   q1. */
RG_API void rg_integrate_positions(const RgModel *model, const double *q, const double *step, double *q_out);
RG_API void rg_difference_positions(const RgModel *model, const double *q0, const double *q1, double *step);

#ifdef __cplusplus
}
#endif
#endif
