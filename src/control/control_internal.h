/* control_internal.h - what a control holds. */
#ifndef RIGOR_CONTROL_INTERNAL_H
#define RIGOR_CONTROL_INTERNAL_H

#include "control/controller.h"

/* Part of the step or the sample's period, whichever is shorter, by which marks in time may miss each other. */
#define RG_MARKS_SLACK 1e-3

/* The beginning of what is saved; the arrays of RgControl.state follow in the same block. */
typedef struct RgControlHead {
    uint32_t magic, version;
    uint64_t signature;   /* of controllers, joints, rate and delay */
    int64_t started;      /* 1: the first sample has a time */
    int64_t next;         /* number of the next sample */
    int64_t head, queued; /* ring of commands that wait */
    int64_t samples, failed, saturated;
    double start; /* s: time of sample 0 */
    double time;  /* s: sum of the steps made */
    double error_sum, square_sum, largest_error, largest_effort, saturated_time;
} RgControlHead;

/* One joint, so far. */
typedef struct RgJointRecord {
    RgReference wanted;
    double asked, effort, saturated;             /* in the last step; saturated: 0 or 1 */
    double error_sum, square_sum, largest_error; /* |e| dt; e^2 dt; |e| */
    double largest_effort, saturated_time;
} RgJointRecord;

/* Views into the block of bytes that is saved and loaded as it lies. */
typedef struct RgControlState {
    RgControlHead *head;
    double *memory;          /* nmemory: of all controllers, then their guesses */
    RgJointRecord *records;  /* njoints */
    RgJointCommand *current; /* njoints: what acts now */
    RgJointCommand *last;    /* njoints: the newest answers, held by controllers that fail */
    double *due;             /* capacity: when a waiting command begins */
    RgJointCommand *waiting; /* capacity x njoints */
} RgControlState;

struct RgControl {
    RgArena arena; /* everything below but saved_world */
    RgWorld *world;
    const RgModel *model;
    RgDynamics *dynamics;
    double period, delay; /* s; period 0: one sample a step */
    int ncontrollers;
    RgController *controllers;
    int njoints;             /* of all controllers */
    RgControlJoint **joints; /* njoints: as in the controllers */
    int *owner;              /* njoints: controller */
    int nmemory, capacity;
    size_t block_size;
    unsigned char *block, *before; /* the state, and what it was when a step began */
    RgControlState state;

    /* Scratch. */
    double *position, *velocity; /* njoints */
    RgReference *wanted, *next;  /* njoints */
    RgJointCommand *answer;      /* njoints */
    double *kept;                /* nmemory */
    double *tau;                 /* nv */
    unsigned char *saved_world;  /* where a step in parts can return to */
    size_t saved_room;
};

/* control_check.c */
RgStatus rg_control_check(const RgControlDef *def, RgError *error);
const RgControllerKind *rg_controller_find(const char *name); /* NULL: none */
const char *rg_controller_label(const RgControllerDef *def);

/* control_state.c: room and places of the state; forgets everything. */
bool rg_control_state_take(RgControl *control);
void rg_control_state_clear(RgControl *control);

/* control_sample.c: position and velocity of a joint now, of all joints; asks all controllers, whose answers go to
   state.last. */
void rg_control_read_joint(const RgControl *control, int index, double *position, double *velocity);
void rg_control_look(RgControl *control);
void rg_control_sample(RgControl *control, double h, double step);
RgControlView rg_control_view(RgControl *control, const RgController *controller, double h);

/* control_apply.c: the current commands, within limits, to the world; and off again. */
RgStatus rg_control_apply(RgControl *control);
void rg_control_let_go(RgControl *control);

/* control_tracking.c: after a step of h. */
void rg_control_track(RgControl *control, double h);

#endif
