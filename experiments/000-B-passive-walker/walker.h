/*
 * walker.h - the passive walker in the coordinates of its authors: four angles of a machine that rolls on one foot.
 *
 *   stance leg   R = Rz(yaw) Rx(lean) Ry(stance)        swing leg   R = Rz(yaw) Rx(lean) Ry(stance + swing - pi)
 *
 * The left leg stands; after heelstrike the state is mirrored, so that this holds again.
 */
#ifndef EXPERIMENT_WALKER_H
#define EXPERIMENT_WALKER_H

#include "experiment.h"

#define WALKER_RADIUS 0.1236 /* of a foot */

enum { YAW, LEAN, STANCE, SWING, WALKER_ANGLES };
#define WALKER_NQ 8 /* of the model: quaternion, position, hip */
#define WALKER_NV 7

/* A state of the walk. */
typedef struct WalkerState {
    double angle[WALKER_ANGLES], rate[WALKER_ANGLES];
    double x, y; /* of the stance foot's centre */
} WalkerState;
/* The same as one array, for integrators and norms. */
#define WALKER_N 10

typedef struct Walker {
    RgModel *model;
    RgDynamics *dynamics;
    RgLinkId left, right;
} Walker;

/* False: the experiment has failed, said why. */
bool walker_create(Lab *lab, Walker *walker);
void walker_destroy(Walker *walker);

/* Published: just after heelstrike. */
WalkerState walker_fixed_point(void);

/* The model's coordinates of a state in which the left foot stands and rolls. */
void walker_coordinates(const WalkerState *s, double q[WALKER_NQ], double v[WALKER_NV]);

/* Time derivative of a state, as an array like the state itself. */
void walker_rate(const Walker *walker, const WalkerState *s, WalkerState *rate);

typedef struct WalkerEnergy {
    double kinetic, potential, total;
} WalkerEnergy;
WalkerEnergy walker_energy(const Walker *walker, const WalkerState *s);

/* Height of the swing foot's lowest point over the slope. */
double walker_clearance(const Walker *walker, const WalkerState *s);

/* The plastic impact of the swing foot, without slip; the legs exchange roles, and the state is mirrored. */
WalkerState walker_heelstrike(const Walker *walker, const WalkerState *before);

/* ------------------------------------------------------------------ walker_swing.c */

typedef WalkerState WalkerMethod(const Walker *walker, const WalkerState *s, double h);
WalkerMethod walker_euler, walker_semi_implicit, walker_rk4;

/* One swing phase with fixed steps, the last one cut at heelstrike. */
typedef struct WalkerSwing {
    double period;
    WalkerState before;  /* heelstrike */
    double clearance;    /* most of the swing foot */
    double lowest;       /* least of it between the first and the last tenth of the swing */
    double energy_error; /* largest |E - E(0)| */
    int steps;
} WalkerSwing;

typedef void WalkerLookFn(double t, const WalkerState *s, void *context);
/* How a swing is integrated. look (may be NULL): called at the start and after every step. */
typedef struct WalkerSteps {
    WalkerMethod *method;
    double h;
    WalkerLookFn *look;
    void *context;
} WalkerSteps;
/* False: no heelstrike within 4 units of time. */
bool walker_swing(const Walker *walker, const WalkerSteps *steps, const WalkerState *start, WalkerSwing *out);

/* The mirrored step map of the angles and rates, by RK4 with steps of h, and its derivative (8 x 8, central
   differences). */
bool walker_step_map(const Walker *walker, double h, const WalkerState *s, WalkerState *out);
#define WALKER_MAP (2 * WALKER_ANGLES)
bool walker_map_derivative(const Walker *walker, double h, const WalkerState *s, double D[WALKER_MAP][WALKER_MAP]);
/* Roots of det(z - D), by the size of their moduli, largest first: real and imaginary parts. */
void walker_eigenvalues(double D[WALKER_MAP][WALKER_MAP], double re[WALKER_MAP], double im[WALKER_MAP]);

/* Largest of the eight differences of angles and rates. */
double walker_distance(const WalkerState *a, const WalkerState *b);

/* ------------------------------------------------------------------ walker_world.c */

/* The walker as a world of the library, its feet touching the slope, and all rows about it. */
void walker_in_worlds(Lab *lab, const Walker *walker);

#endif
