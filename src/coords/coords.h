/*
 * coords.h - the two coordinate forms of a model behind one interface.
 *
 * Everything above sees n velocities u, positions x that move along them, a way to apply the inverse mass,
 * and rows.
 *   minimal   x = q, u = v of the joints;                               M from the tree, factored L'DL
 *   maximal   x = pose of every body, u = its angular velocity (in principal axes at its centre of mass) and
 *   velocity of that centre
 *             (in world axes), then one speed a geared rotor;           M diagonal and constant; tree joints
 *             are rows
 * A form's stage results are const once returned.
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
    bool roams;        /* hangs on nothing but a free joint to the world */
    RgQuat F_inverse;  /* roaming: turn of the world against F, the joint's frame there */
    RgQuat C_B;        /* turn of B against C */
    double moment[3];  /* about the axes of C */
    double mass;
    double inverse_mass[6];
    RgJointSpec joint; /* of the joint that moves it */
} RgMaximalBody;

/* A model in one form, and the memory of its stages. */
typedef struct RgForm {
    const RgCoordsKind *kind;
    const RgModel *model;
    int nx, nu;
    RgKin *kin;
    RgTreeWork *work;
    double *q, *v; /* joint coordinates of the last kinematics */
    /* of the joint velocities' mass matrix; maximal: constraint/tree_solve.c, no L where it is not used */
    RgMassFactor factor;
    bool factored;             /* the factor is that of the last dynamics */
    RgKnownRates *known;       /* of the last dynamics: the factor is without these; NULL: none. Minimal */
    double *diagonal;          /* nv: what implicit dampers add to the mass matrix */
    RgMotion *A0;              /* nbodies: accelerations at du/dt = 0, without gravity */
    RgMaximalBody *bodies;     /* maximal */
    RgJointState *joints;      /* maximal: nbodies */
    RgMat3 *R_WC;              /* maximal: nbodies, principal axes */
    RgVec3 *to_centre;         /* maximal: nbodies, from the origin of B to that of C, world axes */
    double *x_placed;          /* maximal: 7 nbodies, where R_WC and the poses are from; no numbers: from elsewhere */
    double *u_placed, *q_near; /* maximal: nu, nq: velocities and near joint positions of the last kinematics */
    bool current;              /* kin is that of q, v; maximal: joints and A0 too, of x_placed, q_near, u_placed */
    bool all_roam;             /* no joint holds anything; minimal: nor damps, pulls or has inertia of its own */
    RgSym3 *inverse_inertia;   /* minimal, all roam: nbodies, about the centre of mass, in body axes */
    RgCrew *crew;              /* thread pool; NULL: none */
    int *rotor_dof;            /* maximal: joint velocity of each rotor */
    int *dof_rotor;            /* maximal: rotor of a joint velocity, -1: none */
    double *inverse_mass;      /* maximal: nu */
} RgForm;

/* Forces that act on the tree. */
typedef struct RgForces {
    RgVec3 gravity;
    const double *tau;       /* nv of the model: joint efforts, passive forces included */
    const RgForce *wrenches; /* nbodies, about body origins */
    const double *diagonal;  /* nv of the model, or NULL: implicit damping */
    bool needs_solve;        /* solve() will be called: rows follow */
    RgKnownRates *known;     /* minimal: accelerations that are known; NULL: none */
} RgForces;

struct RgCoordsKind {
    const char *name, *summary;
    bool joints_are_rows;

    /* Sizes and constants. check says why a model cannot be run in this form. */
    RgStatus (*check)(const RgModel *model, RgError *error);
    bool (*prepare)(RgArena *arena, RgForm *form);

    /* Joint coordinates to the form's and back. */
    void (*from_joints)(RgForm *form, const double *q, const double *v, double *x, double *u);
    void (*integrate)(const RgForm *form, const double *x, const double *step, double *out);
    void (*dexpinv)(const RgForm *form, const double *step, const double *u, double *rate);
    void (*settle)(RgForm *form, double *x); /* end of a step: refreshes what x remembers of whole turns */

    /* Stages: form->kin, q, v from x, u; then accelerations without rows into free (nu), false: bad_dof
       has no inertia. */
    void (*kinematics)(RgForm *form, const double *x, const double *u);
    bool (*dynamics)(RgForm *form, const RgForces *forces, double *free, int *bad_dof);
    void (*solve)(const RgForm *form, double *b); /* M^-1 b in place */
    /* From here on solve and halves are those of M + diagonal (nv), form->known left out. False: some joint has no
       inertia. NULL: there is none. */
    bool (*refactor)(RgForm *form, const double *diagonal);

    /* A row's coefficients over u: count, columns (ascending) and values; and its acceleration at du/dt =
       0. */
    int (*project)(const RgForm *form, const RgRow *row, int *columns, double *values, double *bias);

    /* Twist of a body at its origin, world axes, of any u; and J' f: adds the impulse f on a body about
       its origin to g (nu). */
    void (*twist)(const RgForm *form, int body, const double *u, RgMotion *V);
    void (*push)(const RgForm *form, int body, RgForce f, double *g);

    /* A body that hangs on nothing but a free joint to the world: velocity of its centre of mass, then
       turning velocity, both in world axes, from u; and back into u. Returns what kinetic energy that
       adds. */
    void (*look)(const RgForm *form, int body, const double *u, double V[6]);
    double (*settle_velocity)(const RgForm *form, int body, const double V[6], double *u);

    /* Accelerations of bodies (spatial, world axes at origins, gravity not added) from du/dt. */
    void (*accelerations)(const RgForm *form, const double *a, RgMotion *A);
    void (*joint_accelerations)(const RgForm *form, const double *a, double *joint_a);
};

/* The same of any row; one on a single joint velocity needs no more than that velocity in the minimal form. */
static inline int rg_row_project(const RgForm *form, const RgRow *row, int *columns, double *values, double *bias)
{
    if (form->kind->joints_are_rows || row->nbodies != 0 || row->ndofs != 1)
        return form->kind->project(form, row, columns, values, bias);
    *bias = row->bias;
    columns[0] = row->dof[0];
    values[0] = row->coefficient[0];
    return values[0] != 0.0;
}

/* Twist of a body, and J' f, as the form has them. */
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
        kin_push(form->kin, body, f, g);
}

/* The same of forces on all bodies at once; f (nbodies) is used up. */
void rg_form_push_all(const RgForm *form, RgForce *f, double *g);

/* The table. */
int rg_coords_find(const char *name); /* -1: none */
const RgCoordsKind *rg_coords_kind(int index);

/* At the last kinematics: twists of all bodies at their origins (nbodies), of any u (nu); kinetic energies of up to
   four of them with the true inertias; of one. */
void rg_form_twists(const RgForm *form, const double *u, RgMotion *V);
void rg_form_kinetics(const RgForm *form, RgKinetics *kinetics);
double rg_form_kinetic(const RgForm *form, const double *u);

/* A joint velocity of u, V its twists. */
double rg_form_joint_rate(const RgForm *form, int dof, const double *u, const RgMotion *V);

/* Rate of a row, where the bodies have the twists V of u. */
double rg_form_row_rate(const RgForm *form, const RgRow *row, const double *u, const RgMotion *V);

/* The factor of M, made where the dynamics did not need it. Minimal form, or maximal with constraint/tree_solve.c. */
const RgMassFactor *rg_form_factor(RgForm *form);

/* All velocities are unknown again: the factor of M is made anew where it is asked for. */
static inline void rg_form_forget_known(RgForm *form)
{
    form->factored = form->factored && form->known == NULL;
    form->known = NULL;
}

/* Outputs of one tree: six a body (velocity at a point, then turning, world axes), then joint velocities. */
typedef struct RgTreeOutputs {
    const int32_t *bodies; /* ascending */
    const RgVec3 *points;  /* by body of the model */
    const int *dofs;
    int32_t nbodies, ndofs;
} RgTreeOutputs;

/* tree_halves.c, where M has a factor: B' B = J M^-1 J' of the outputs. First velocity of their tree; rows of B and
   their spans, room for `count` velocities from it on (returns how many rows); then B, zero before. */
int rg_tree_outputs_first(const RgModel *model, const RgTreeOutputs *outputs);
int32_t rg_tree_halves_number(const RgModel *model, const RgTreeOutputs *outputs, RgHalfBlock *out);
void rg_tree_halves(const RgForm *form, const RgTreeOutputs *outputs, RgHalfBlock *out, double *B);

/* Memory and constants of a form. NULL: no memory. */
RgForm *rg_form_take(RgArena *arena, const RgModel *model, const RgCoordsKind *kind);

/* The body is seen without velocity products: as if it stood still, until the next kinematics. */
void rg_form_drop_products(RgForm *form, int body);

#endif
