/*
 * quadruped.h - experiment 002-B: a quadruped on the floor that is asked for a motion of its joints, by several
 * methods.
 *
 * Robots: "Links" of papers 000 to 002 (models/links.sdf) or our own models/quadruped.sdf; a leg is roll, pitch,
 * knee; legs in the order left front, right front, left hind, right hind. Motions, with the robot standing on its feet:
 *
 *   trot          on the spot: period 0.3 s, duty 0.75, lift 30 mm (rg_gait_at), joints by rg_foot_reach
 *   sinusoid      pitch q0 + a sin(16 t), knee q0 - a sin(16 t), diagonal pairs opposite (002-B)
 *   consistent    feet straight up and down in the base by 15 mm, 16 rad/s, diagonal pairs opposite: can be had without slip
 *   stand         the start
 */
#ifndef BENCH_QUADRUPED_H
#define BENCH_QUADRUPED_H

#include <rigor/control.h>
#include <rigor/rigor.h>

#define QUAD_FEET 4
#define QUAD_JOINTS 12

typedef struct QuadRobot {
    RgModel *model;
    RgDynamics *dynamics;
    double mass;
    RgLinkId base;
    RgFoot foot[QUAD_FEET];
    double radius; /* of the feet */
    RgJointId joint[QUAD_JOINTS];
    int q[QUAD_JOINTS], v[QUAD_JOINTS];
    double start[QUAD_JOINTS];
    RgVec3 neutral[QUAD_FEET]; /* base frame */
    double lift;               /* of the trot, m */
    double sine[QUAD_FEET];    /* sign of a leg's sinusoid at its joints */
    double *full;              /* nq: the last position asked for, so that the next one is near */
    double *rates;             /* nv */
    double *jacobian;          /* 6 x nv */
} QuadRobot;

/* The robot of the file over a floor, both of friction mu; thighs of "Links" with the papers' inertia. False: error
   says why. */
bool quad_robot_create(QuadRobot *robot, const char *path, double mu, RgError *error);
void quad_robot_destroy(QuadRobot *robot);

typedef enum QuadKind { QUAD_STAND, QUAD_TROT, QUAD_SINUSOID, QUAD_CONSISTENT } QuadKind;
typedef struct QuadMotion {
    QuadKind kind;
    double amplitude; /* rad, or m of consistent */
    RgVec3 velocity;  /* trot: commanded */
    double yaw_rate;
} QuadMotion;

/* Length of a cycle, s. */
double quad_period(const QuadMotion *motion);

/* Gait of the trot; lives as long as the robot. */
RgGait quad_gait(const QuadRobot *robot, const QuadMotion *motion);

/* Joint positions and rates wanted at t; up: the world's vertical, base frame. */
void quad_wanted(QuadRobot *robot, const QuadMotion *motion, double t, RgVec3 up, double *q, double *v);

/* On its feet, at rest, joints as wanted at t = 0. gap: of the feet over the floor. */
RgStatus quad_start(QuadRobot *robot, const QuadMotion *motion, double gap, RgWorld *world);

/* ------------------------------------------------------------------ runs */

typedef struct QuadMethod {
    const char *name, *kind; /* kind of controller (rigor/control.h) */
    double kp, kd;           /* foot-pd: of the feet */
    double max_effort;       /* N m; inf: any */
    /* Flawed order: targets and normals first, friction afterwards with both kept. That has no freedom left, so that
       the robot must be one without friction (quad_friction_freedom). */
    bool flawed;
    bool velocities; /* hard: rows keep wanted velocities alone, as the paper's do; else positions too */
} QuadMethod;

typedef struct QuadSetup {
    QuadRobot *robot;
    QuadMotion motion;
    QuadMethod method;
    const char *solver, *coords;
    double h, time, mu, gap;
    double contact_erp; /* part of an overlap that a step corrects; 0: default of RgContactLaw */
    void (*watch)(RgWorld *world, void *context); /* at the start and after every step; may be NULL */
    void *watch_context;
} QuadSetup;

typedef struct QuadResult {
    double slip;     /* mm a loaded foot slips a cycle, mean over the feet, until a fall */
    double stood;    /* mm: of that, while it stood already at the beginning of the step */
    double error;    /* rad: mean over joints and steps */
    double tilt;     /* degrees, largest */
    double peak;     /* N m: largest effort, mean over a step */
    double cpu;      /* s */
    double fell;     /* s; NaN: it did not */
    double blew;     /* s; NaN: it did not */
    double cone;     /* largest of |friction| - mu normal over all contacts, over m g */
    double beyond;   /* largest of |effort| - max_effort, N m */
    double overlap;  /* m: deepest */
    double kinetic;  /* J: largest */
    double residual; /* m/s: largest of the solver's */
    int steps, saturated, missed,
        slipped; /* steps made; drives at their limits, targets missed, contacts that slipped */
    int failed;  /* samples without a command */
    RgVec3 base; /* at the end */
} QuadResult;

/* False: the world could not be made; error says why. */
bool quad_run(const QuadSetup *setup, QuadResult *out, RgError *error);

/* Friction impulses of four standing feet that change no joint rate, with the robot where it was asked to be last: 8
   less the rank of what they do. */
int quad_friction_freedom(QuadRobot *robot);

#endif
