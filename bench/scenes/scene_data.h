/*
 * scene_data.h - scenes as plain data, independent of engines: bodies, shapes, joints, a floor, the measured errors.
 *
 * Every engine of bench/peers, Rigor among them, builds the same scene from the same numbers; tests use
 * them too. SI units, z is up. No trigonometric function is called, so that the numbers are the same bits
 * with every compiler.
 *
 *   body    frame at its centre of mass, axes along the principal moments
 *   shape   fixed in a body; bodies of one group never touch each other, unless the scene says so (self)
 *   joint   anchor and axis in the world at the start, where its coordinate is 0; it grows as the child turns about (or
 *           moves along) the axis relative to the parent
 *   drive   tau = kp (target + amplitude sin(2 pi frequency t + phase) - q) - kd dq/dt, from t, q and dq/dt at the
 *           start of the step, on child and parent
 *   joint's own   armature: inertia that turns with dq/dt; effort -stiffness q - damping dq/dt
 *   floor   the half-space z <= 0
 */
#ifndef BENCH_SCENE_DATA_H
#define BENCH_SCENE_DATA_H

#include <rigor/math.h>

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SCENE_WORLD (-1)

typedef struct SceneBody {
    char name[24];
    double mass;
    RgVec3 moments; /* kg m^2 about the body's axes */
    RgPose X_WB;    /* at the start */
    RgVec3 v, w;    /* of the centre of mass, world axes */
    bool is_static;
    int group; /* -1: none */
} SceneBody;

typedef enum SceneShapeKind {
    SCENE_BOX,      /* full lengths */
    SCENE_SPHERE,   /* radius */
    SCENE_CAPSULE,  /* radius, length of its axis segment; axis z */
    SCENE_CYLINDER, /* radius, length; axis z */
    SCENE_HULL      /* convex hull of points */
} SceneShapeKind;

typedef struct SceneShape {
    SceneShapeKind kind;
    int body;
    double size[3];
    RgPose X_BS;
    double *vertices; /* 3 * nvertices of a hull, in the shape's frame */
    int nvertices;
} SceneShape;

typedef enum SceneJointKind { SCENE_HINGE, SCENE_BALL, SCENE_SLIDER } SceneJointKind;

typedef struct SceneJoint {
    char name[24];
    SceneJointKind kind;
    int parent, child;   /* a parent comes before its children; SCENE_WORLD as parent: the world */
    RgVec3 anchor, axis; /* world axes, at the start; a ball has no axis */
    double lower, upper; /* rad or m; infinite: none */
    bool driven;
    double target, kp, kd;
    double amplitude, frequency, phase; /* of the target: rad, Hz, rad */
    double armature, damping, stiffness;
} SceneJoint;

/* Two bodies that never touch; a < b. */
typedef struct ScenePair {
    int a, b;
} ScenePair;

/* Kinds of measured errors. */
typedef enum SceneError {
    SCENE_ERROR_TOP,   /* height and drift of the bodies at the top */
    SCENE_ERROR_WALL,  /* height of the top, and how far any body moved sideways */
    SCENE_ERROR_TOWER, /* the same of planks: how far the top came down or up */
    SCENE_ERROR_KICK,  /* height of the top, and the largest speed at the end */
    SCENE_ERROR_PILE,  /* overlap of balls: at the end, and the worst while they fell */
    SCENE_ERROR_CHAIN, /* energy and joint gap */
    SCENE_ERROR_STAND, /* sag and creep of the first body, joint gap */
    SCENE_ERROR_TILT   /* angle between the bodies' x axes and the world's, joint gap */
} SceneError;

typedef struct SceneData {
    char name[24];
    const char *title;
    SceneBody *bodies;
    SceneShape *shapes;
    SceneJoint *joints;
    int nbodies, nshapes, njoints;
    ScenePair *apart; /* napart, in ascending order; joint neighbours need not be among them */
    int napart;
    bool self; /* bodies of one group touch, but for joint neighbours and pairs apart */
    bool has_floor;
    double mu, restitution;
    RgVec3 gravity;
    double dt;
    int steps;
    int every; /* steps between two samples of what is measured; 0: not given */
    SceneError error;
    char measure[24]; /* of scenes in motion: pile, domino, tower, heap, track or humanoid */
    int top[4], ntop; /* bodies at the top of what is stacked */
} SceneData;

/*
 *   S1    four stacks of six cubes of 1 m and 1 kg                                 5 ms, 1,000 steps
 *   S1j   the same set down carelessly: +-5 mm, yaw +-0.025 rad, gaps of 1 mm
 *   S1h   S1 with top cubes of 100 kg
 *   S2    666 balls of 0.1 m and 1 kg, lattice of 6 x 6 x 18.5 dropped            10 ms, 1,000 steps
 *   S3    pyramid of 210 cubes, a wall of 20, 19, ... 1                            10 ms, 500 steps
 *   S3j   the same set down carelessly, as S1j
 *   S3k   S3 with a row kicked through the wall at 4 m/s
 *   S4    chain of 100 rods of 1 m and 1 kg from horizontal                         1 ms, 2,000 steps
 *   S5    quadruped that stands, held by its drives                                 1 ms, 5,000 steps
 *   S6    double pendulum of inertia ratio 3,125 with sideways gravity              1 ms, 3,000 steps
 *   growth-N   N contact points (a multiple of 20): stacks of five cubes, apart     5 ms, 100 steps
 *   wall-N     about N contact points: a wall of five rows, all one island          5 ms, 100 steps
 *   K102, K102j  tower of 102 planks; W20, C20: wall and column of 20 cubes, the top 1,000 times as heavy (scene_towers.c)
 *   boxes-SEED, hulls-SEED, ragdolls-SEED   scenes in motion, drawn from a seed (scene_motion.c)
 *   double-pendulum, ball, ball-bounce, ten-balls, sliding-sphere, box-slope, box-stop   (scene_precision.c)
 *
 * NULL: no such scene. Out of memory ends the program.
 */
SceneData *scene_data_create(const char *name);
void scene_data_destroy(SceneData *scene);

/* Names of the scenes S1 to S6 in their order; NULL ends the list. */
extern const char *const scene_data_names[];

/* Effort of the drive at a time. */
double scene_drive(const SceneJoint *joint, double t, double q, double rate);

/* Effort of the joint's own spring and damper, for engines that have none. */
static inline double scene_passive(const SceneJoint *joint, double q, double rate)
{
    return -joint->stiffness * q - joint->damping * rate;
}

/* Rate of a hinge at the start, from what the bodies on both sides turn by. */
double scene_hinge_rate(const SceneData *scene, int joint);

/* Whether the scene lets two bodies touch; joint neighbours apart, which engines know themselves. */
bool scene_may_touch(const SceneData *scene, int a, int b);

/* Whether a body moves and has no mass: a carrier between two joints. */
static inline bool scene_is_massless(const SceneBody *body)
{
    return body->mass == 0.0 && !body->is_static;
}
bool scene_has_massless(const SceneData *scene);
bool scene_has_hulls(const SceneData *scene);

/* ------------------------------------------------------------------ errors */

typedef struct SceneBodyState {
    RgPose X_WB;
    RgVec3 v, w; /* of the centre of mass, world axes */
} SceneBodyState;

#define SCENE_ERRORS 3

/* Column heads of a scene's errors; NULL where there are fewer. */
typedef struct SceneErrorNames {
    const char *name[SCENE_ERRORS], *unit[SCENE_ERRORS];
} SceneErrorNames;
SceneErrorNames scene_error_names(SceneError error);

/* Gathers the errors of one run. */
typedef struct SceneMeasure {
    const SceneData *scene;
    double first_energy, scale;
    double value[SCENE_ERRORS];
} SceneMeasure;

SceneMeasure scene_measure_begin(const SceneData *scene);

/* Once a step, or now and then; the last one must be the end. states: nbodies. */
void scene_measure_sample(SceneMeasure *measure, const SceneBodyState *states);

/* The body as the scene says. */
SceneBodyState scene_body_start(const SceneBody *body);

/* Kinetic and potential energy, J. */
double scene_energy(const SceneData *scene, const SceneBodyState *states);

/* Largest distance by which the two sides of a joint's anchor have parted, m. */
double scene_joint_gap(const SceneData *scene, const SceneBodyState *states);

#ifdef __cplusplus
}
#endif
#endif
