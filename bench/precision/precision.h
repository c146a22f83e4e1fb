/*
 * precision.h - work-precision: the time of a method's run against its error.
 *
 *   truth     poses of the bodies at SAMPLES times of a scene: in closed form, or by a fine run with an error estimate
 *   method    a stepper of ours with a solver and a form of coordinates, or another engine; it has one knob: how many
 *             steps of the same length, or a tolerance
 *   error     of a body: the largest distance from where they should be of its centre and of three points on its axes,
 *             as far out as its radius of gyration. Of a time: the largest of all bodies. As a part of the motion's
 *             size: the largest way from its start of any body's centre at the samples
 *   time      processor time of the steps, median of some runs; nothing is read between them
 */
#ifndef BENCH_PRECISION_H
#define BENCH_PRECISION_H

#include "engine.h"

#include <stdbool.h>
#include <stdint.h>

enum { SAMPLES = 20 };

/* ------------------------------------------------------------------ methods */

typedef enum Knob {
    KNOB_STEPS,    /* of the same length, a multiple of SAMPLES in all */
    KNOB_TOLERANCE /* between the samples the method chooses */
} Knob;

typedef enum Family { FAMILY_FIXED, FAMILY_LOCATED, FAMILY_AUTO, FAMILY_PEER } Family;

typedef struct Method {
    char id[40], title[48], note[200];
    Family family;
    Knob knob;
    /* Ours. */
    const char *stepper, *solver, *coords;
    int order; /* auto: of the variant */
    bool missing;
    /* Another engine's: module and number in its list. */
    char module[512];
    int engine;
} Method;

/* All that can be had; returns how many. Engines whose module does not lie beside the program are not in it. */
int list_methods(Method *out, int capacity);

/* World, solver and settings of a run. */
typedef struct Run {
    void *world;
    void (*step)(void *world);
    void (*read)(void *world, int body, SceneBodyState *out);
    int64_t (*inner)(void *world);       /* steps that were made within those asked for; may be NULL */
    const char *(*refused)(void *world); /* NULL, or why a step was; may be NULL */
    void (*destroy)(void *world);
} Run;

/* One of ours. The scene's dt is set. False: why says what is wrong. */
bool open_rigor(const Method *method, const SceneData *scene, double tolerance, Run *run, char why[160]);

/* ------------------------------------------------------------------ truth */

typedef struct Truth {
    int nbodies;
    double size;  /* m: of the motion */
    double error; /* relative, of the truth itself */
    double agree; /* s: until when a plain fine run agrees with it to 1e-2; the whole time with closed forms */
    char text[160];
    SceneBodyState *states; /* SAMPLES of nbodies each */
} Truth;

extern const char *const precision_scenes[]; /* NULL at the end */

Truth find_truth(const SceneData *scene, bool quick);
void free_truth(Truth *truth);

/* Relative error at a sample. */
double error_at(const SceneData *scene, const Truth *truth, int sample, const SceneBodyState *states);

/* ------------------------------------------------------------------ runs */

typedef struct Outcome {
    bool good, lacks;
    char text[160];      /* why not, or what it lacks for any value of the knob */
    double cpu;          /* s */
    int64_t inner;       /* steps, inner ones where there are such */
    double end, largest; /* relative errors: at the end, and of all samples */
} Outcome;

/* A run with so many steps or that tolerance. budget: s of processor time for repeated runs. */
Outcome run_method(const Method *method, const SceneData *scene, const Truth *truth, double knob, double budget);

/* Poses of a run of ours: SAMPLES of nbodies each. False: refused. */
bool run_states(const Method *method, const char *scene_name, double knob, SceneBodyState *states);

#endif
