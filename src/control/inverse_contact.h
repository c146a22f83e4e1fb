/*
 * inverse_contact.h - efforts for desired joint rates with feet in contact (002; Zapolsky and Drumwright).
 *
 * The velocities are divided into c, the controller's joints, with desired rates v_c+ = rates after a step of h, and u,
 * all others. With contact impulses z along the columns of R = [N' F'] and p = M v + h f (f: all forces except the
 * controller's efforts and contact forces)
 *
 *   M_uu v_u+ = p_u + R_u z - M_uc rates          h tau = M_cu v_u+ + M_cc rates - p_c - R_c z
 *
 * so the contacts determine v_u+ and the distribution of the load over the legs.
 */
#ifndef RIGOR_INVERSE_CONTACT_H
#define RIGOR_INVERSE_CONTACT_H

#include "control/passive_hold.h"

#include "constraint/surface_pairs.h"
#include "solver/pivot/dense_lcp.h"

#define RG_CONE_EDGES 4   /* edges of the friction pyramid, which is inscribed in the cone */
#define RG_FOOT_POINTS 4  /* largest number of contact points per foot */
#define RG_CONTACT_ROWS 3 /* normal, two tangents */

typedef struct RgFootContact {
    int foot;
    RgVec3 point, axis[RG_CONTACT_ROWS]; /* world; normal into the foot, tangents */
    double gap, mu;
    double closes; /* m: part of the gap that may close in the step; < 0: part of an overlap that is corrected */
    bool slides;   /* slips after impacts, despite friction */
} RgFootContact;

typedef enum RgContactModel {
    RG_LAW_COULOMB,      /* complementarity of normals and of friction, with a pyramid instead of the cone */
    RG_LAW_LEAST_ENERGY, /* stage 1: least kinetic energy under N v+ >= -gap/h and friction */
    RG_LAW_NO_SLIP       /* no tangential velocity, complementarity of normals; unlimited friction */
} RgContactModel;

typedef struct RgInverseContact {
    struct RgInverseContact *impact; /* the same without controlled joints; NULL in that one */
    RgArena arena;                   /* of the stages; reset at each sample */
    RgSurfaces surfaces;
    int nv, nu, nc;  /* numbers of velocities: all, others (u), controlled (c) */
    int *u;          /* nu: indices */
    const int *dofs; /* nc: indices of the controller's */
    RgPassiveHold passive;
    double *M, *p, *v0, *v1; /* nv x nv; nv; nu: v_u+ without contact, with */
    double *Muu;             /* nu x nu, factored */
    double *J;               /* 6 x nv */
    double *rates;           /* nc: desired */
    double *tau;             /* nc: result, N m or N */
    double *all;             /* nv: all efforts, including those of contact impulses */
    int ncontacts, room;     /* number, capacity */
    RgFootContact *contact;  /* room */
    double *R;               /* nv x 3 room, by columns: row i is column i of R */
    double *z;               /* 3 room: impulses along the axes, N s */
    double *B;               /* 3 room x nu: row i is M_uu^-1 R_u of column i */
    bool shared;             /* stage 2 succeeded */
} RgInverseContact;

/* NULL: out of memory. rg_inverse_contact_release frees the memory outside the arena. */
RgInverseContact *rg_inverse_contact_alloc(const RgController *controller, const RgModel *model, RgArena *arena);
void rg_inverse_contact_release(RgInverseContact *w);

/* Computes tau for w->rates over a step of view->h. RG_ERR_NOT_CONVERGED: contact impulses were not found. */
RgStatus rg_inverse_contact_solve(RgInverseContact *w, const RgController *controller, const RgControlView *view,
                                  RgContactModel law);

/* prepare, release and command of controllers, with the law of their kind: desired rates from gains, starting at the
   velocities after impacts; without gains the trajectory's velocities at t + h. */
bool rg_inverse_prepare(RgController *controller, const RgModel *model, RgArena *arena);
void rg_inverse_release(RgController *controller);
RgStatus rg_inverse_command(RgController *controller, const RgControlView *view, RgJointCommand *out);

/* Stage 1: contact impulses z by one of the laws (inverse_stages.c). */
RgStatus rg_inverse_coulomb(RgInverseContact *w, double h);
RgStatus rg_inverse_least_energy(RgInverseContact *w, double h);
RgStatus rg_inverse_no_slip(RgInverseContact *w, double h);

/* Stage 2 for the first `contacts` contacts, which stick: the impulses with the same effect on u and the least efforts;
   other contacts keep their impulses. bounded: with friction limits. False: failed, z is unchanged. */
bool rg_inverse_least_efforts(RgInverseContact *w, int contacts, bool bounded);

/* After stage 1: velocity along row of R at the end of the step (of normals: in excess of what closes the gap); the
   scale of such velocities; the contact that separates fastest although it has an impulse (-1: none); whether a contact
   sticks. */
double rg_inverse_velocity(const RgInverseContact *w, int row, double h);
double rg_inverse_speed(const RgInverseContact *w);
int rg_inverse_find_leaving(const RgInverseContact *w, double h);
bool rg_inverse_sticks(const RgInverseContact *w, int contact, double h);

/* h tau + R_c z (nc), with v_u+ for the present z. */
void rg_inverse_efforts(RgInverseContact *w, double *out);

/* Fields of a controller by inverse dynamics with contact, which differ in the law of its first stage. */
#define RG_INVERSE_CONTROLLER(law_)                                                                                    \
    .uses = RG_USES_KP | RG_USES_KD | RG_GAINS_OPTIONAL | RG_USES_REFERENCE | RG_USES_FEET | RG_USES_FRICTION,         \
    .prepare = rg_inverse_prepare, .release = rg_inverse_release, .command = rg_inverse_command, .law = (law_)

#endif
