/* world_internal.h - what a world holds. */
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

/* What joints carry, while it is asked for (reaction.c). */
typedef struct RgReactions {
    RgMotion *A;         /* nbodies */
    RgForce *link_force; /* nlinks */
    RgForce *held;       /* nlinks: contacts of the last step, while accelerations are asked for */
    double *held_tau;    /* nv */
    bool any_held;       /* there were some, when they were last asked for */
} RgReactions;

typedef struct RgWorldReports {
    RgStepReport idle; /* of evaluations outside steps */
    RgStepReport last; /* of the last step made */
    bool watched;      /* reports are whole, asked for or not */
    RgEnergySums sums; /* over the steps made; work of those with a whole report */
    RgArena memory;    /* contact points with those of sleepers */
} RgWorldReports;

struct RgWorld {
    RgArena arena;        /* everything below */
    const RgModel *model; /* with joints made at run time, where there is room for them: the world's own view */
    const RgModel *given; /* as compiled */
    int coords;
    const RgStepper *stepper;
    RgCrew *crew; /* who help in a step; NULL: nobody */
    const RgSolver *solver;
    RgStepScope scope;
    RgStepLog log;       /* of the last step, and sums */
    bool gave_whole;     /* contacts that gave way are in it, and it is in order */
    RgState state, next; /* next: where a step writes before it is accepted */
    RgConstantInputs inputs;
    double *q, *v; /* joint coordinates, as handed out */
    bool fresh;    /* q, v and the form's kinematics belong to the state */
    RgReactions reactions;
    RgAttachments attachments;
    RgWorldReports reports;
    RgContactScene *contact; /* made at creation; without contact or bodies by the first question */
};

/* As rg_world_step, but the work is not accounted for unless the world is watched. */
RgStatus rg_world_advance(RgWorld *world, double h, RgStepReport *report);

/* As rg_world_state_load, of a state that this world or one like it has saved: nothing is checked. RG_ERR_MEMORY: what
   follows from the contacts of its last step is not there. */
RgStatus rg_world_state_restore(RgWorld *world, const void *buffer);
/* Hash and time of a saved state. */
uint64_t rg_state_hash(const void *buffer);
double rg_state_time(const void *buffer);

/* A step of length h begins. */
void rg_world_begin_step(RgWorld *world, double h, bool account);

/* Kinematics, q and v at the present state. */
void rg_world_refresh(RgWorld *world);

/* Whether a step would change nothing but the time, since everybody sleeps and nothing new acts on anybody. */
bool rg_world_sleeps_on(RgWorld *world);

/* Everybody sleeps, in a state that was restored: what contacts and rows carry is told as if they had slept here all
   along. */
void rg_world_recall_rest(RgWorld *world);

/* The contact points of the last step with those between sleepers, which it passed over. 0: none, or no memory. */
int rg_world_resting_forces(RgWorld *world, const RgContactForce **out);

/* Wakes a body (-1: the world's, nobody) and what hangs together with it. */
void rg_world_wake_body(RgWorld *world, int body);

/* What a drive gave in the last step, as rg_world_joint_drive, without its errors. */
RgStatus rg_world_drive_effort(const RgWorld *world, RgJointId joint, int dof, RgDriveReport *out);
/* Number of the axis that is velocity dof of a joint; -1: none. */
int rg_world_find_axis(const RgWorld *world, RgJointId joint, int dof);
/* Both sides of a joint wake. */
void rg_world_wake_joint(RgWorld *world, RgJointId joint);
/* An axis has no motor (servo), no drive any more. */
void rg_world_drop_motor(RgWorld *world, RgJointId joint, int axis);
void rg_world_drop_drive(RgWorld *world, RgJointId joint, int axis);

/* After a step's last solve: what gave way in it, but for contacts unless a report is wanted. */
void rg_world_look_gave_way(RgWorld *world);

/* predict.c: joint velocities v (nv) at the end of a step if nothing touched. Contact forces of the last step are
   forgotten. Asked of worlds whose steps do not do to joint velocities what joint coordinates say. */
typedef struct RgPredictAsk {
    double h;
    const double *tau; /* nv: efforts, beside springs and dampers */
    bool mean;         /* in place of v the mean over the step, by which positions go */
} RgPredictAsk;
bool rg_world_predicts(const RgWorld *world);
RgStatus rg_world_predict(RgWorld *world, const RgPredictAsk *ask, double *v);

/* The state has changed from outside. */
void rg_world_touch(RgWorld *world);

/* Wrench on the child side of a loop joint now, about its origin there. */
RgStatus rg_world_loop_reaction(RgWorld *world, int loop, RgForce *out);

/* Accelerations (scope.a) now, with the mean forces of the last step's contacts and bounded rows held on. */
RgStatus rg_world_accelerate(RgWorld *world);

#endif
