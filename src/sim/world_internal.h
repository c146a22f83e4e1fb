/* world_internal.h - RgWorld, and functions between the files of sim. */
#ifndef RIGOR_WORLD_INTERNAL_H
#define RIGOR_WORLD_INTERNAL_H

#include "contact/contact_scene.h"
#include "sim/world_attachments.h"
#include "stepper/stepper.h"

/* Constant inputs. */
typedef struct RgConstantInputs {
    double *tau;       /* nv: efforts */
    RgForce *wrenches; /* nlinks */
} RgConstantInputs;

/* Scratch for the wrenches through joints (reaction.c). */
typedef struct RgReactions {
    RgMotion *A;         /* nbodies */
    RgForce *link_force; /* nlinks */
    RgForce *held;       /* nlinks: wrenches of the last step's contacts, held constant for the accelerations */
    double *held_tau;    /* nv */
    bool any_held;       /* there were some at the last evaluation */
} RgReactions;

typedef struct RgWorldReports {
    RgStepReport idle; /* report of evaluations outside steps */
    RgStepReport last; /* report of the last accepted step */
    bool watched;      /* every step computes a complete report */
    RgEnergySums sums; /* over the accepted steps; work only of those with a complete report */
    RgArena memory;    /* contact points including those of sleeping bodies */
    int32_t *in_field; /* nbodies: damping field reported last, -1: none; NULL without fields */
} RgWorldReports;

struct RgWorld {
    RgArena arena;        /* memory of everything below */
    const RgModel *model; /* with room for attachments, if any: the world's own copy */
    const RgModel *given; /* as compiled */
    int coords;
    const RgStepper *stepper;
    RgThreadPool *thread_pool; /* thread pool; NULL: none */
    const RgSolver *solver;
    RgStepScope scope;
    RgStepLog log;            /* of the last step, and sums */
    bool shortfalls_complete; /* the log contains the shortfalls of contacts, and is sorted */
    RgState state, next;      /* next: where a step writes until it is accepted */
    RgConstantInputs inputs;
    double *q, *v; /* joint coordinates for callers */
    bool fresh;    /* q, v and the form's kinematics belong to the state */
    RgReactions reactions;
    RgAttachments attachments;
    RgWorldReports reports;
    RgContactScene *contact; /* created with the world; without contact or bodies at the first query */
};

/* Call at the end of an accepted step: reports the bodies that entered or left damping fields (world_fields.c). */
void rg_world_update_fields(RgWorld *world);

/* Fields reported last, in saved states: their number (nbodies, or 0: no body is in one); validity of saved ones;
   setting them (count 0: none). saved is not aligned. */
int rg_world_count_fields_reported(const RgWorld *world);
bool rg_world_fields_reported_good(const RgWorld *world, const void *saved, int count);
void rg_world_set_fields_reported(RgWorld *world, const void *saved, int count);

/* As rg_world_step, but without the work, unless the world is watched. */
RgStatus rg_world_advance(RgWorld *world, double h, RgStepReport *report);

/* As rg_world_state_load, for a state saved by this world or an equal one: nothing is checked. RG_ERR_MEMORY: the
   contacts of its last step are lost. */
RgStatus rg_world_state_restore(RgWorld *world, const void *buffer);
/* Hash and time of a saved state. */
uint64_t rg_state_hash(const void *buffer);
double rg_state_time(const void *buffer);

/* Initialises the call parameters of a step of length h. */
void rg_world_begin_step(RgWorld *world, double h, bool account);

/* Computes kinematics, q and v at the present state if necessary. */
void rg_world_refresh(RgWorld *world);

/* Whether a step would change only the time: all bodies sleep, and no new force acts. */
bool rg_world_all_asleep(RgWorld *world);

/* For a restored state in which all bodies sleep: recalls what contacts and rows carry from the memory. */
void rg_world_recall_sleeping_forces(RgWorld *world);

/* The contact points of the last step including those between sleeping bodies, which it skipped. 0: none, or out of
   memory. */
int rg_world_sleeping_forces(RgWorld *world, const RgContactForce **out);

/* Wakes a body and all bodies connected with it; -1: no effect. */
void rg_world_wake_body(RgWorld *world, int body);

/* Effort of a drive in the last step, as rg_world_joint_drive, without its errors. */
RgStatus rg_world_drive_effort(const RgWorld *world, RgJointId joint, int dof, RgDriveReport *out);
/* Number of the axis that is velocity dof of a joint; -1: none. */
int rg_world_find_axis(const RgWorld *world, RgJointId joint, int dof);
/* Wakes the bodies on both sides of a joint. */
void rg_world_wake_joint(RgWorld *world, RgJointId joint);
/* Removes the motor (servo) or the drive of an axis. */
void rg_world_drop_motor(RgWorld *world, RgJointId joint, int axis);
void rg_world_drop_drive(RgWorld *world, RgJointId joint, int axis);

/* Call after a step's last solve: finds its shortfalls; those of contacts only if a report is requested. */
void rg_world_find_shortfalls(RgWorld *world);

/* predict.c: joint velocities v (nv) at the end of a step without contacts. The contact forces of the last step are
   discarded. rg_world_predicts: whether joint velocities after a step differ from those by joint coordinates. */
typedef struct RgPredictAsk {
    double h;
    const double *tau; /* nv: efforts, in addition to springs and dampers */
    bool mean;         /* v is the mean over the step, by which positions move */
} RgPredictAsk;
bool rg_world_predicts(const RgWorld *world);
RgStatus rg_world_predict(RgWorld *world, const RgPredictAsk *ask, double *v);

/* Call when the state was changed from outside: discards everything that depends on earlier steps. */
void rg_world_touch(RgWorld *world);

/* Present wrench on the child side of a loop joint, about its origin there. */
RgStatus rg_world_loop_reaction(RgWorld *world, int loop, RgForce *out);

/* Computes the present accelerations (scope.a), with the mean forces of the last step's contacts and bounded rows held
   constant. */
RgStatus rg_world_accelerate(RgWorld *world);

#endif
