/* worlds.h - worlds for the tests: made with all checks, run with all checks. */
#ifndef TEST_SUPPORT_WORLDS_H
#define TEST_SUPPORT_WORLDS_H

#include <rigor/rigor.h>

/* "minimal", "maximal". */
extern const char *const both_forms[2];

/* Both names must exist. The rest of the def as default. */
RgWorldDef world_def(const RgModel *model, const char *coords, const char *stepper);

/* Fails the running test where it cannot be made. */
RgWorld *world_make(const RgWorldDef *def);
RgWorld *world_of(const RgModel *model, const char *coords, const char *stepper);

/* Destroys a world and its model. */
void world_end(RgWorld *world, RgModel *model);

/* A file of the project on models/floor.sdf; fails the running test where one cannot be read. */
RgModel *model_on_floor(const char *file);

/* Every step must succeed. Returns the largest joint error that any step left. */
double world_run(RgWorld *world, int steps, double h);

/* Kinetic and potential, J. */
double world_energy(RgWorld *world);

/* Makes steps. Returns the largest rise of the energy over its smallest value so far, J. */
double world_gain(RgWorld *world, int steps, double h);

/* First position and velocity of a named joint. */
double world_angle(RgWorld *world, const char *joint);
double world_rate(RgWorld *world, const char *joint);

#endif
