/*
 * controller.h - what a kind of controller is given, and what it answers.
 *
 *   at a sample: view (model, state, contacts, what is wanted) -> one command a joint: an effort, or a drive
 *
 * A kind sees the world through its view only. What it keeps from sample to sample are the doubles of its memory, which
 * are saved with the control; all else it takes at creation from the arena. An answer that is not RG_OK or not finite
 * counts as failed: the controller's last command is held. Limits, delay and hold are no concern of a kind.
 */
#ifndef RIGOR_CONTROLLER_H
#define RIGOR_CONTROLLER_H

#include <rigor/control.h>

#include "base/arena.h"

/* What is known at a sample. Gravity of the workspace is the world's. */
typedef struct RgControlView {
    RgWorld *world; /* to read from, and only what its state alone decides: a restored world has no last step */
    const RgModel *model;
    RgDynamics *dynamics;
    double t, h;       /* s: of the sample; from it to the next one */
    bool one_step;     /* the world goes from this sample to the next in one step */
    double step;       /* s: that the world is stepped by, but where samples or commands cut it */
    const double *q;   /* nq: of the model */
    const double *v;   /* nv */
    const double *tau; /* nv: constant efforts of the world, 0 where a control acts */

    /* Of the controller's joints, in its order; wanted only where it has a trajectory or a gait. */
    const double *position, *velocity;
    const RgReference *wanted; /* at t */
    const RgReference *next;   /* at t + h */
} RgControlView;

/* What one joint is to do until the next sample. drive.time in the view's time: the control adds its delay. */
typedef struct RgJointCommand {
    bool drives;   /* drive counts, else effort */
    bool slowed;   /* a speed limit keeps what is wanted back */
    double effort; /* N m or N, before limits */
    RgDrive drive; /* max_effort and what is lost of it are filled in later, from the joint's limits */
} RgJointCommand;

/* What a kind has a use for: everything else that is given is refused. */
enum {
    RG_USES_KP = 1 << 0,
    RG_USES_KI = 1 << 1,
    RG_USES_KD = 1 << 2,
    RG_GAINS_OPTIONAL = 1 << 3,  /* none of them may be given as well */
    RG_USES_REFERENCE = 1 << 4,  /* needs a trajectory, or a gait with feet */
    RG_USES_FEET = 1 << 5,       /* needs feet */
    RG_USES_FOOT_GAINS = 1 << 6, /* needs foot_kp, foot_kd */
    RG_USES_FRICTION = 1 << 7,
    RG_USES_GRAVITY = 1 << 8,
    RG_USES_RATE = 1 << 9,
    RG_USES_CALLBACK = 1 << 10,
    RG_MAY_REFERENCE = 1 << 11, /* a trajectory is of use, if only to be compared with */
    RG_USES_DRIVES = 1 << 12,   /* answers with drives: loop joints too */
    RG_ANY_JOINT = 1 << 13,     /* also joints whose velocity is not the rate of their position */
    RG_USES_GAIT = 1 << 14,     /* needs a gait with feet, which are what it controls */
    RG_USES_BALANCE = 1 << 16,  /* RgWalk, but for its steps; feet that stand, of a base that floats */
    RG_USES_STEPS = 1 << 17,    /* its steps */
    RG_USES_VELOCITY = 1 << 15  /* keeps to a limit of velocity also where the motor has no curve */
};

/* A controller of a control: copies of all that its def says. */
typedef struct RgController {
    const struct RgControllerKind *kind;
    const char *name; /* of the def, or the kind's */
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
    bool has_gains; /* some joint has one */
    RgInputFn *callback;
    void *callback_context;
    double *guess;  /* nq + 1: last q* of a gait, then 1 once set; saved with the control; NULL: no gait */
    double *rates;  /* njoints: scratch of its gait */
    int first;      /* number of its first joint among those of the control */
    double *memory; /* kind->memory(controller) doubles, saved with the control; NULL: none */
    void *work;     /* whatever prepare took */
} RgController;

/* What a controller's joints are to do at time t: of its trajectory or gait. */
RgStatus rg_controller_reference(RgController *controller, const RgControlView *view, double t, RgReference *out);

typedef struct RgControllerKind {
    const char *name, *summary;
    unsigned uses;
    /* What the table of uses cannot say; may be NULL. */
    RgStatus (*check)(const RgModel *model, const RgControllerDef *def, RgError *error);
    /* Doubles to be kept from sample to sample; NULL: none. They begin as zeros. */
    int (*memory)(const RgController *controller);
    /* Takes its workspace; false: no memory. NULL: needs none. */
    bool (*prepare)(RgController *controller, const RgModel *model, RgArena *arena);
    /* Gives back what prepare took elsewhere than from the arena; NULL: nothing. */
    void (*release)(RgController *controller);
    /* What its joints are to do at t, where no trajectory and no gait says so; false: nothing yet. NULL: nothing. */
    bool (*reference)(const RgController *controller, double t, RgReference *out);
    /* Writes out[njoints]. */
    RgStatus (*command)(RgController *controller, const RgControlView *view, RgJointCommand *out);
    int law; /* RgContactModel of kinds that know contacts */
} RgControllerKind;

/* Bounds of a motor's effort at velocity v: low <= tau <= high. */
typedef struct RgEffortRange {
    double low, high;
} RgEffortRange;
RgEffortRange rg_motor_range(const RgMotorLimits *limits, double velocity);

/* effort within what the motor can give. */
double rg_motor_clip(const RgMotorLimits *limits, double velocity, double effort);

/* gravity_feed.c: efforts (nv) that carry the weight, RNEA(q, 0, 0), every base taken as held where it is. The first is
   a kind's prepare; *out of the second is NULL where the definition does not ask for them. */
bool rg_gravity_prepare(RgController *c, const RgModel *model, RgArena *arena);
RgStatus rg_gravity_feed(RgController *c, const RgControlView *view, const double **out);

#endif
