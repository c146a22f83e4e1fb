/*
 * coords.h - the two coordinate forms of a model behind one interface.
 *
 * All higher layers use n velocities u, positions x that move along them, a function that applies the inverse mass, and
 * rows.
 *   minimal   x = q, u = v of the joints;  M from the tree, factored L'DL
 *   maximal   x = pose of every body, u = its angular velocity (in principal axes at its centre of mass) and the
 *             velocity of that centre (in world axes), then one speed per geared rotor;  M diagonal and constant; tree
 *             joints are rows
 * Results of a stage are not modified after they are returned.
 */
#ifndef RIGOR_COORDS_H
#define RIGOR_COORDS_H

#include "base/parallel_for.h"
#include "coords/joint_state.h"
#include "coords/row.h"
#include "dynamics/tree_dynamics.h"

typedef struct RgCoordsKind RgCoordsKind;

/* Constants of a body in the maximal form. */
typedef struct RgMaximalBody {
    RgPose X_BC, X_CB; /* principal frame at the centre of mass */
    bool is_free_body; /* free joint to the world, no other joint */
    RgQuat F_inverse;  /* free body: rotation of the world against F, the joint's frame there */
    RgQuat C_B;        /* rotation of B against C */
    double moment[3];  /* about the axes of C */
    double mass;
    double inverse_mass[6];
    RgJointSpec joint; /* spec of the joint that moves it */
} RgMaximalBody;

/* A model in one form, and the memory of its stages. */
typedef struct RgForm {
    const RgCoordsKind *kind;
    const RgModel *model;
    int nx, nu;
    RgKin *kin;
    RgTreeWork *work;
    double *q, *v; /* joint coordinates of the last kinematics */
    /* factor of the joint velocities' mass matrix; maximal: for constraint/tree_solve.c, L is NULL if it is not used */
    RgMassFactor factor;
    bool factored;         /* the factor belongs to the last dynamics */
    RgKnownRates *known;   /* of the last dynamics: known rates, which the factor excludes; NULL: none. Minimal */
    double *diagonal;      /* nv: addition of implicit dampers to the mass matrix */
    RgMotion *A0;          /* nbodies: accelerations at du/dt = 0, without gravity */
    RgMaximalBody *bodies; /* maximal */
    RgJointState *joints;  /* maximal: nbodies */
    RgMat3 *R_WC;          /* maximal: nbodies, principal axes */
    RgVec3 *to_centre;     /* maximal: nbodies, from the origin of B to that of C, world axes */
    /* maximal: 7 nbodies, poses from which R_WC and the other poses were computed; NaN: computed from something else */
    double *x_placed;
    double *u_placed, *q_near; /* maximal: nu, nq: velocities and near joint positions of the last kinematics */
    bool current;              /* kin belongs to q, v; maximal: also joints and A0, to x_placed, q_near, u_placed */
    bool all_free_bodies;      /* all joints are free; minimal: and without damping, springs and armature */
    RgSym3 *inverse_inertia;   /* minimal, if all_free_bodies: nbodies, about the centre of mass, in body axes */
    RgThreadPool *thread_pool; /* thread pool; NULL: none */
    int *rotor_dof;            /* maximal: joint velocity of each rotor */
    int *dof_rotor;            /* maximal: rotor of a joint velocity, -1: none */
    double *inverse_mass;      /* maximal: nu */
} RgForm;

/* Forces on the tree. */
typedef struct RgForces {
    RgVec3 gravity;
    const double *tau;       /* nv of the model: joint efforts, passive forces included */
    const RgForce *wrenches; /* nbodies, about body origins */
    const double *diagonal;  /* nv of the model: implicit damping; NULL: none */
    bool needs_solve;        /* solve() will be called */
    RgKnownRates *known;     /* minimal: prescribed accelerations; NULL: none */
} RgForces;

struct RgCoordsKind {
    const char *name, *summary;
    bool joints_are_rows;

    /* Sizes and constants. check returns an error if a model cannot be simulated in this form. */
    RgStatus (*check)(const RgModel *model, RgError *error);
    bool (*prepare)(RgArena *arena, RgForm *form);

    /* Joint coordinates to the form's and back. */
    void (*from_joints)(RgForm *form, const double *q, const double *v, double *x, double *u);
    void (*integrate)(const RgForm *form, const double *x, const double *step, double *out);
    void (*dexpinv)(const RgForm *form, const double *step, const double *u, double *rate);
    /* end of a step: updates the joint positions in x that count whole turns */
    void (*settle)(RgForm *form, double *x);

    /* Stages: form->kin, q, v from x, u; then accelerations without rows into free (nu); returns false if velocity
       bad_dof has no inertia. */
    void (*kinematics)(RgForm *form, const double *x, const double *u);
    bool (*dynamics)(RgForm *form, const RgForces *forces, double *free, int *bad_dof);
    void (*solve)(const RgForm *form, double *b); /* M^-1 b in place */
    /* From here on solve and rg_tree_halves use M + diagonal (nv), without form->known. Returns false if some joint has
       no inertia. NULL: not available. */
    bool (*refactor)(RgForm *form, const double *diagonal);

    /* Returns the number of a row's coefficients over u, with columns (ascending) and values; and its acceleration at
       du/dt = 0. */
    int (*project)(const RgForm *form, const RgRow *row, int *columns, double *values, double *bias);

    /* twist: twist of a body at its origin, world axes, at any u. push: adds J' f to g (nu), f an impulse on a body
       about its origin. */
    void (*twist)(const RgForm *form, int body, const double *u, RgMotion *V);
    void (*push)(const RgForm *form, int body, RgForce f, double *g);

    /* For a body with a free joint to the world and no other joint: look: velocity of its centre of mass, then angular
       velocity, both in world axes, from u; write_body_velocity: back into u. Returns the kinetic energy that this adds. */
    void (*look)(const RgForm *form, int body, const double *u, double V[6]);
    double (*write_body_velocity)(const RgForm *form, int body, const double V[6], double *u);

    /* Accelerations of bodies (spatial, world axes at origins, without gravity) from du/dt. */
    void (*accelerations)(const RgForm *form, const double *a, RgMotion *A);
    void (*joint_accelerations)(const RgForm *form, const double *a, double *joint_a);
};

/* The functions that both forms have in their files, by the names of the fields. */
#define RG_COORDS_FUNCTIONS                                                                                            \
    .check = check, .prepare = prepare, .from_joints = from_joints, .integrate = integrate, .dexpinv = dexpinv,        \
    .settle = settle, .kinematics = kinematics, .dynamics = dynamics, .solve = solve, .project = project,              \
    .twist = twist, .push = push, .look = read_velocity, .write_body_velocity = write_velocity,                        \
    .accelerations = accelerations, .joint_accelerations = joint_accelerations

/* Projects any row; a row on a single joint velocity needs no projection in the minimal form. */
static inline int rg_row_project(const RgForm *form, const RgRow *row, int *columns, double *values, double *bias)
{
    if (form->kind->joints_are_rows || row->nbodies != 0 || row->ndofs != 1)
        return form->kind->project(form, row, columns, values, bias);
    *bias = row->bias;
    columns[0] = row->dof[0];
    values[0] = row->coefficient[0];
    return values[0] != 0.0;
}

/* Twist of a body, and J' f, in the form's coordinates. */
static inline void rg_form_twist(const RgForm *form, int body, const double *u, RgMotion *V)
{
    if (form->kind->joints_are_rows)
        form->kind->twist(form, body, u, V);
    else
        *V = kin_twist_at(form->kin, body, u);
}

static inline void rg_form_push(const RgForm *form, int body, RgForce f, double *g)
{
    if (form->kind->joints_are_rows)
        form->kind->push(form, body, f, g);
    else
        kin_add_joint_forces(form->kin, body, f, g);
}

/* rg_form_push for all bodies at once; f (nbodies) is overwritten. */
void rg_form_push_all(const RgForm *form, RgForce *f, double *g);

/* The table. */
int rg_coords_find(const char *name); /* -1: none */
const RgCoordsKind *rg_coords_kind(int index);

/* At the last kinematics and any u (nu): twists of all bodies at their origins (nbodies); kinetic energies of up to
   four u with the true inertias; kinetic energy of one. */
void rg_form_twists(const RgForm *form, const double *u, RgMotion *V);
void rg_form_kinetics(const RgForm *form, RgKinetics *kinetics);
double rg_form_kinetic(const RgForm *form, const double *u);

/* A joint velocity at u; V: twists at u. */
double rg_form_joint_rate(const RgForm *form, int dof, const double *u, const RgMotion *V);

/* Rate of a row at u; V: twists at u. */
double rg_form_row_rate(const RgForm *form, const RgRow *row, const double *u, const RgMotion *V);

/* The factor of M, computed if the dynamics did not need it. Minimal form, or maximal form with
   constraint/tree_solve.c. */
const RgMassFactor *rg_form_factor(RgForm *form);

/* Removes the known rates: the factor of M is computed anew when needed. */
static inline void rg_form_forget_known(RgForm *form)
{
    form->factored = form->factored && form->known == NULL;
    form->known = NULL;
}

/* Outputs of one tree: six per body (velocity of a point, then angular velocity, world axes), then joint velocities. */
typedef struct RgTreeOutputs {
    const int32_t *bodies; /* ascending */
    const RgVec3 *points;  /* by body of the model */
    const int *dofs;
    int32_t nbodies, ndofs;
} RgTreeOutputs;

/* tree_halves.c, requires a factor of M: B' B = J M^-1 J' of the outputs. first: first velocity of their tree. number:
   rows of B and their spans, for `count` velocities from the first on; returns the number of rows. rg_tree_halves:
   computes B, which must be zero before. */
int rg_tree_outputs_first(const RgModel *model, const RgTreeOutputs *outputs);
int32_t rg_tree_halves_number(const RgModel *model, const RgTreeOutputs *outputs, RgHalfBlock *out);
void rg_tree_halves(const RgForm *form, const RgTreeOutputs *outputs, RgHalfBlock *out, double *B);

/* Allocates a form and computes its constants. NULL: out of memory. */
RgForm *rg_form_alloc(RgArena *arena, const RgModel *model, const RgCoordsKind *kind);

/* Sets the velocity products of a body to zero, as if it were at rest, until the next kinematics. */
void rg_form_drop_products(RgForm *form, int body);

#endif
