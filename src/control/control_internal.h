/* control_internal.h - the data of a control. */
#ifndef RIGOR_CONTROL_INTERNAL_H
#define RIGOR_CONTROL_INTERNAL_H

#include "control/controller.h"

/* Relative to the step or the sampling period, whichever is shorter: times closer than this count as equal. */
#define RG_MARK_TOLERANCE 1e-3

/* Start of the saved block; the arrays of RgControlState follow in the same block. */
typedef struct RgControlHead {
    uint32_t magic, version;
    uint64_t signature;   /* of controllers, joints, rate and delay */
    int64_t started;      /* 1: the time of the first sample is set */
    int64_t next;         /* number of the next sample */
    int64_t head, queued; /* ring of delayed commands: first entry, number of entries */
    int64_t samples, failed, saturated;
    double start; /* s: time of sample 0 */
    double time;  /* s: sum of the steps made */
    double error_sum, square_sum, largest_error, largest_effort, saturated_time;
} RgControlHead;

/* State and statistics of one joint. */
typedef struct RgJointRecord {
    RgReference wanted;
    double asked, effort, saturated;             /* last step: before and after limits; 0 or 1 */
    double error_sum, square_sum, largest_error; /* |e| dt; e^2 dt; |e| */
    double largest_effort, saturated_time;
} RgJointRecord;

/* Pointers into the block of memory that is saved and loaded as a whole. */
typedef struct RgControlState {
    RgControlHead *head;
    double *memory;          /* nmemory: of all controllers, with the guesses of their gaits */
    RgJointRecord *records;  /* njoints */
    RgJointCommand *current; /* njoints: in effect now */
    RgJointCommand *last;    /* njoints: newest commands, held by controllers that fail */
    double *due;             /* capacity: start time of each delayed command */
    RgJointCommand *waiting; /* capacity x njoints */
} RgControlState;

struct RgControl {
    RgArena arena; /* all memory except saved_world */
    RgWorld *world;
    const RgModel *model;
    RgDynamics *dynamics;
    double period, delay; /* s; period 0: one sample per step */
    int ncontrollers;
    RgController *controllers;
    int njoints;             /* of all controllers */
    RgControlJoint **joints; /* njoints: as in the controllers */
    int *owner;              /* njoints: number of the controller */
    int nmemory, capacity;
    size_t block_size;
    unsigned char *block, *before; /* the state; its copy from the start of the step */
    RgControlState state;

    /* Scratch. */
    double *position, *velocity; /* njoints */
    RgReference *wanted, *next;  /* njoints */
    RgJointCommand *answer;      /* njoints */
    double *kept;                /* nmemory: memory before the sample */
    double *tau;                 /* nv */
    unsigned char *saved_world;  /* world state at the start of a step in several parts, restored on failure */
    size_t saved_room;           /* bytes */
};

/* control_check.c */
RgStatus rg_control_check(const RgControlDef *def, RgError *error);
const RgControllerKind *rg_controller_find(const char *name); /* NULL: none */
const char *rg_controller_label(const RgControllerDef *def);

/* control_state.c: allocates the state; clears it. */
bool rg_control_state_alloc(RgControl *control);
void rg_control_state_clear(RgControl *control);

/* control_sample.c: position and velocity of a joint now; of all joints, into position and velocity; evaluates all
   controllers, into state.last. */
void rg_control_read_joint(const RgControl *control, int index, double *position, double *velocity);
void rg_control_read_joints(RgControl *control);
void rg_control_sample(RgControl *control, double h, double step);
RgControlView rg_control_view(RgControl *control, const RgController *controller, double h);

/* control_apply.c: sets the current commands, within limits, in the world; removes them. */
RgStatus rg_control_apply(RgControl *control);
void rg_control_release_joints(RgControl *control);

/* control_tracking.c: updates records and statistics after a step of h. */
void rg_control_track(RgControl *control, double h);

#endif
