/*
 * controller.h - input and output of a controller kind.
 *
 *   at a sample: view (model, state, contacts, references) -> one command per joint: an effort, or a drive
 *
 * A kind reads the world through its view only. Its state between samples is its memory, an array of doubles that is
 * saved with the control; all other memory is allocated from the arena at creation. A command that fails or is not
 * finite counts as a failed sample: the controller's last command is held. Limits, delay and hold are applied by the
 * control, not by the kind.
 */
#ifndef RIGOR_CONTROLLER_H
#define RIGOR_CONTROLLER_H

#include <rigor/control.h>

#include "base/arena.h"

/* Input at a sample. The gravity of dynamics is the world's. */
typedef struct RgControlView {
    RgWorld *world; /* read-only; only what its state determines: a restored world has no last step */
    const RgModel *model;
    RgDynamics *dynamics;
    double t, h;       /* s: time of the sample; time to the next sample */
    bool one_step;     /* the world makes one step from this sample to the next */
    double step;       /* s: step length of the world, if not cut by samples or commands */
    const double *q;   /* nq: of the model */
    const double *v;   /* nv */
    const double *tau; /* nv: constant efforts of the world, 0 for controlled joints */

    /* Of the controller's joints, in its order; references only if it has a trajectory or a gait. */
    const double *position, *velocity;
    const RgReference *wanted; /* at t */
    const RgReference *next;   /* at t + h */
} RgControlView;

/* Command of one joint until the next sample. drive.time is in the view's time; the control adds its delay. */
typedef struct RgJointCommand {
    bool drives;   /* drive is used, else effort */
    bool slowed;   /* a velocity limit reduces the reference */
    double effort; /* N m or N, before limits */
    RgDrive drive; /* max_effort, lost_forward and lost_backward are set later from the joint's limits */
} RgJointCommand;

/* Settings that a kind uses or requires; all others are refused. */
enum {
    RG_USES_KP = 1 << 0,
    RG_USES_KI = 1 << 1,
    RG_USES_KD = 1 << 2,
    RG_GAINS_OPTIONAL = 1 << 3,  /* all gains may be absent */
    RG_USES_REFERENCE = 1 << 4,  /* requires a trajectory, or a gait with feet */
    RG_USES_FEET = 1 << 5,       /* requires feet */
    RG_USES_FOOT_GAINS = 1 << 6, /* requires foot_kp, foot_kd */
    RG_USES_FRICTION = 1 << 7,
    RG_USES_GRAVITY = 1 << 8,
    RG_USES_RATE = 1 << 9,
    RG_USES_CALLBACK = 1 << 10,
    RG_MAY_REFERENCE = 1 << 11, /* a trajectory is allowed, for comparison only */
    RG_USES_DRIVES = 1 << 12,   /* commands are drives; loop joints are allowed */
    RG_ANY_JOINT = 1 << 13,     /* also joints whose velocity is not the rate of their position */
    RG_USES_GAIT = 1 << 14,     /* requires a gait with feet, which it controls directly */
    RG_USES_BALANCE = 1 << 16,  /* RgWalk except its steps; standing feet of a floating base */
    RG_USES_STEPS = 1 << 17,    /* the steps of RgWalk */
    RG_USES_VELOCITY = 1 << 15  /* enforces a velocity limit also without base_velocity */
};

/* A controller of a control: copies of its definition. */
typedef struct RgController {
    const struct RgControllerKind *kind;
    const char *name; /* of the definition, else the kind's */
    int njoints;
    const RgControlJoint *joints; /* njoints: limits resolved (inf: none); gains not given are 0 */
    const int *dofs;              /* njoints: index among the model's velocities; -1: of a loop joint */
    const RgTrajectory *trajectory;
    const RgGait *gait; /* NULL: none */
    int nfeet;
    const RgFoot *feet;
    double foot_kp, foot_kd, friction, rate;
    RgWalk walk; /* balance, walk: resolved */
    bool gravity;
    bool has_gains; /* at least one gain is above 0 */
    RgInputFn *callback;
    void *callback_context;
    double *guess;  /* nq + 1: last q* of a gait, then 1 once set; saved with the control; NULL: no gait */
    double *rates;  /* njoints: scratch of its gait */
    int first;      /* index of its first joint among those of the control */
    double *memory; /* kind->memory(controller) doubles, saved with the control; NULL: none */
    void *work;     /* allocated by prepare */
} RgController;

/* References of a controller's joints at time t, from its trajectory or gait. */
RgStatus rg_controller_reference(RgController *controller, const RgControlView *view, double t, RgReference *out);

typedef struct RgControllerKind {
    const char *name, *summary;
    unsigned uses;
    /* Additional checks; may be NULL. */
    RgStatus (*check)(const RgModel *model, const RgControllerDef *def, RgError *error);
    /* Number of doubles of memory, initially zero; NULL: none. */
    int (*memory)(const RgController *controller);
    /* Allocates the workspace; false: out of memory. NULL: no workspace. */
    bool (*prepare)(RgController *controller, const RgModel *model, RgArena *arena);
    /* Frees what prepare allocated outside the arena; NULL: nothing. */
    void (*release)(RgController *controller);
    /* References of kinds without trajectory and gait at t; false: not available yet. NULL: none. */
    bool (*reference)(const RgController *controller, double t, RgReference *out);
    /* Computes the commands out[njoints]. */
    RgStatus (*command)(RgController *controller, const RgControlView *view, RgJointCommand *out);
    int law; /* RgContactModel, of kinds with contact */
} RgControllerKind;

/* Bounds of a motor's effort at velocity v: low <= tau <= high. */
typedef struct RgEffortRange {
    double low, high;
} RgEffortRange;
RgEffortRange rg_motor_range(const RgMotorLimits *limits, double velocity);

/* Clamps effort to the range of the motor. */
double rg_motor_clip(const RgMotorLimits *limits, double velocity, double effort);

/* gravity_feed.c: gravity compensation (nv), RNEA(q, 0, 0), with every base taken as fixed. The first function is a
   kind's prepare; the second sets *out to NULL if the definition does not request it. */
bool rg_gravity_prepare(RgController *c, const RgModel *model, RgArena *arena);
RgStatus rg_gravity_feed(RgController *c, const RgControlView *view, const double **out);

#endif
