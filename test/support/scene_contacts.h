/*
 * scene_contacts.h - runs with contact for the tests of determinism: scenes of the benchmarks, some with fewer
 * bodies, and a heap of all kinds of shapes. Numbers come by sums and products alone, so that results depend on
 * the library.
 */
#ifndef TEST_SUPPORT_SCENE_CONTACTS_H
#define TEST_SUPPORT_SCENE_CONTACTS_H

#include "scene_data.h"
#include "scene_model.h"

typedef struct ContactCase {
    const char *name;
    const char *scene; /* of the benchmarks; NULL: the heap of all kinds */
    int bodies;        /* of it, the first ones; 0: all */
    double h;
    int steps;
} ContactCase;

/* Small ones, which run in a second; the last has no name. */
extern const ContactCase contact_cases[];

/* Smaller ones yet, for solvers that work to a residual; the last has no name. And their names; NULL ends them. */
extern const ContactCase contact_cases_exact[];
extern const char *const contact_solvers_exact[];

/* 666 balls for 2,000 steps. */
extern const ContactCase contact_case_long;

typedef struct ContactRun {
    SceneData *data;
    RgModel *model;
    SceneDrives drives;
    RgWorldDef def; /* for a second world of the same */
} ContactRun;

/* Everything but the world. def: coordinate form, solver and the like; the rest is filled in. False: impossible. */
bool contact_run_begin(const ContactCase *from, RgWorldDef def, ContactRun *run);
void contact_run_end(ContactRun *run);

/* A world at the start; NULL: impossible. */
RgWorld *contact_run_world(const ContactRun *run);

/* Runs so many steps; false: one was refused. */
bool contact_run_steps(RgWorld *world, double h, int steps);

#endif
