/* located_run.h - a world with given settings, run until rest, and its measurements. */
#ifndef BENCH_LOCATED_RUN_H
#define BENCH_LOCATED_RUN_H

#include <rigor/rigor.h>

#include <math.h>

/* ------------------------------------------------------------------ bodies */

/* These functions end the program if the builder refuses. */
RgShapeDef located_box(double x, double y, double z);
RgShapeDef located_sphere(double radius);
RgShapeDef located_capsule(double radius, double length);
/* The hull of points xyz, which must live until the shape is added. */
RgShapeDef located_hull(const double *points, int count);

/* A body of uniform density with one shape, free to move. */
RgLinkId located_add_body(RgBuilder *b, const char *name, const RgShapeDef *shape, double density, RgPose X_WL);
/* A shape of the world. */
void located_add_fixed(RgBuilder *b, const RgShapeDef *shape, RgPose X_WS);
/* The half-space below the plane through p with that normal. */
void located_add_plane(RgBuilder *b, RgVec3 p, RgVec3 normal, double mu);
/* Ends the builder. */
RgModel *located_finish(RgBuilder *b);

/* Velocities of a free body: angular, world axes; of the link's origin. */
void located_set_twist(RgWorld *world, RgLinkId link, RgVec3 w, RgVec3 v);

/* ------------------------------------------------------------------ runs */

typedef struct LocatedSetup {
    const char *stepper, *solver;
    const char *coords; /* NULL: minimal */
    double gap;         /* NaN: the default */
    double event_time;  /* likewise */
    RgVec3 gravity;
    RgInputFn *input;
    void *context;
} LocatedSetup;

LocatedSetup located_setup(const char *stepper, const char *solver);
/* The setup's stepper: for tables. */
const char *located_stepper_name(const LocatedSetup *setup);

/* Whether the library has it. */
bool located_has_stepper(const char *name);

/* Whether a stepper of that name promises that nothing overlaps and no contact is missed: advance, c2a, rigid. (auto
   does where it finds that worth its cost.) */
bool located_is_strict(const char *name);

/* NULL: refused; error says why. */
RgWorld *located_world(const RgModel *model, const LocatedSetup *setup, RgError *error);

typedef void LocatedLookFn(RgWorld *world, void *context);

typedef struct LocatedWatch {
    double h;            /* of the steps asked for */
    double time;         /* s at most */
    double rest_energy;  /* J: below it for half a second is rest, and the end; 0: goes on */
    double seconds;      /* of processor time at most */
    bool measures;       /* distances and energies after every step */
    bool verifies;       /* steppers that locate: their certificate is checked at the end */
    LocatedLookFn *look; /* after every step; may be NULL */
    void *look_context;
} LocatedWatch;

/* Times at which something changed: count, least and mean time between, where a longer one counts as several of at most
   h. */
typedef struct LocatedChanges {
    double last; /* NaN: none yet */
    int64_t count, pieces;
    double sum, least;
} LocatedChanges;

LocatedChanges located_no_changes(void);
/* One at t; nearer than 1e-13 s to the last it is none. */
void located_change(LocatedChanges *c, double t, double h);
double located_mean_between(const LocatedChanges *c); /* s; NaN: fewer than two */

typedef struct LocatedRun {
    RgStatus status;
    char why[160]; /* empty: completed */
    double end;    /* s */
    double rest;   /* s at which it began to rest; NaN: never */
    int64_t asked; /* steps asked for */
    int64_t steps; /* inner ones; those asked for where there are none */
    double mean;   /* s */
    RgStepStatistics statistics;
    LocatedChanges changes; /* of manifolds, as the stepper tells them */
    LocatedChanges looked;  /* of the number of points that press, from step to step */
    double least_measured;  /* m, at the ends of steps */
    double energy_rise;     /* J, largest of a step */
    double cpu;             /* s in rg_world_step */
    bool is_verified;       /* the certificate was checked, with what follows */
    RgVerifyReport verified;
    double verify_cpu; /* s */
    uint64_t hash;
} LocatedRun;

LocatedRun located_run(RgWorld *world, const LocatedWatch *watch);

/* Manifold changes: events of the stepper, or else changes of the contacts after each step. */
const LocatedChanges *located_changes(const LocatedRun *run);
double located_between(const LocatedRun *run); /* mean time between changes, s; NaN: fewer than two */

/* Seconds of processor time of this thread. */
double located_now(void);

#endif
