/*
 * inverse_contact.h - efforts that give joints wanted rates while feet touch something (002; Zapolsky and Drumwright).
 *
 * Velocities in two sets: c, the controller's joints, whose rates after a step of h shall be v_c+ = rates; u, all
 * others. With contact impulses z along the columns of R = [N' F'] and p = M v + h f (f: all forces but ours and those
 * of contacts)
 *
 *   M_uu v_u+ = p_u + R_u z - M_uc rates          h tau = M_cu v_u+ + M_cc rates - p_c - R_c z
 *
 * so contacts decide on v_u+, and on how the legs share what they carry.
 */
#ifndef RIGOR_INVERSE_CONTACT_H
#define RIGOR_INVERSE_CONTACT_H

#include "control/passive_hold.h"

#include "constraint/surface_pairs.h"
#include "solver/pivot/dense_lcp.h"

#define RG_CONE_EDGES 4   /* of the friction pyramid, which lies inside the cone */
#define RG_FOOT_POINTS 4  /* contact points of a foot at most */
#define RG_CONTACT_ROWS 3 /* normal, two tangents */

typedef struct RgFootContact {
    int foot;
    RgVec3 point, axis[RG_CONTACT_ROWS]; /* world; normal into the foot, tangents */
    double gap, mu;
    double closes; /* m: of the gap, in the step; below 0: of an overlap that it removes */
    bool slides;   /* it slips in spite of friction, after impacts */
} RgFootContact;

typedef enum RgContactModel {
    RG_LAW_COULOMB,      /* normals and friction complementary, the pyramid for the cone */
    RG_LAW_LEAST_ENERGY, /* stage 1: least kinetic energy under N v+ >= -gap/h and friction */
    RG_LAW_NO_SLIP       /* tangents at rest, normals complementary; friction without bound */
} RgContactModel;

typedef struct RgInverseContact {
    struct RgInverseContact *impact; /* the same with no joints of ours; NULL there */
    RgArena arena;                   /* of the stages: emptied at each sample */
    RgSurfaces surfaces;
    int nv, nu, nc;  /* velocities; others, ours */
    int *u;          /* nu */
    const int *dofs; /* nc: of the controller */
    RgPassiveHold passive;
    double *M, *p, *v0, *v1; /* nv x nv; nv; nu: v_u+ without contact, with */
    double *Muu;             /* nu x nu, factored */
    double *J;               /* 6 x nv */
    double *rates;           /* nc: wanted */
    double *tau;             /* nc: the answer, N m or N */
    double *all;             /* nv: efforts of all, those of contact impulses too */
    int ncontacts, room;
    RgFootContact *contact; /* room */
    double *R;              /* nv x 3 room, by columns: row i is column i of R */
    double *z;              /* 3 room: impulses along the axes, N s */
    double *B;              /* 3 room x nu: row i is M_uu^-1 R_u of column i */
    bool shared;            /* the second stage found the least efforts */
} RgInverseContact;

/* NULL: no memory. release gives back what is not the arena's. */
RgInverseContact *rg_inverse_contact_take(const RgController *controller, const RgModel *model, RgArena *arena);
void rg_inverse_contact_release(RgInverseContact *w);

/* tau for w->rates over a step of view->h. RG_ERR_NOT_CONVERGED: contact impulses could not be found. */
RgStatus rg_inverse_contact_solve(RgInverseContact *w, const RgController *controller, const RgControlView *view,
                                  RgContactModel law);

/* prepare, release and command of controllers, by the law of their kind: rates by gains, from those after impacts on;
   without gains the trajectory's own at t + h. */
bool rg_inverse_prepare(RgController *controller, const RgModel *model, RgArena *arena);
void rg_inverse_release(RgController *controller);
RgStatus rg_inverse_command(RgController *controller, const RgControlView *view, RgJointCommand *out);

/* Contact impulses z by either law, then those of the same effect on u with the least efforts: inverse_stages.c. */
RgStatus rg_inverse_coulomb(RgInverseContact *w, double h);
RgStatus rg_inverse_least_energy(RgInverseContact *w, double h);
RgStatus rg_inverse_no_slip(RgInverseContact *w, double h);

/* Of the first so many contacts, which stick: what the others do stays. False: z is as it was. */
bool rg_inverse_least_efforts(RgInverseContact *w, int contacts, bool bounded);

/* After the first stage: velocity along a row of R at the end of the step, of normals beyond what closes the gap; the
   scale of such velocities; the contact that opens fastest although it pushes or holds (-1: none); whether one
   sticks. */
double rg_inverse_velocity(const RgInverseContact *w, int row, double h);
double rg_inverse_speed(const RgInverseContact *w);
int rg_inverse_leaving(const RgInverseContact *w, double h);
bool rg_inverse_sticks(const RgInverseContact *w, int contact, double h);

/* h tau + R_c z (nc) with v_u+ as z makes it. */
void rg_inverse_efforts(RgInverseContact *w, double *out);

#endif
