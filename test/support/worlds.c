/*
 * worlds.c - worlds for the tests. Everything that fails here ends the running test with the library's own
 * words.
 */
#include "worlds.h"

#include <criterion/criterion.h>
#include <math.h>

const char *const both_forms[2] = {"minimal", "maximal"};

RgWorldDef world_def(const RgModel *model, const char *coords, const char *stepper)
{
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    def.coords = coords;
    def.stepper = stepper;
    return def;
}

RgWorld *world_make(const RgWorldDef *def)
{
    RgError error = {0};
    RgWorld *world = rg_world_create(def, &error);
    char text[900];
    rg_error_format(&error, text, sizeof text);
    cr_assert(world != NULL, "%s, %s: %s", def->coords, def->stepper, text);
    return world;
}

RgWorld *world_of(const RgModel *model, const char *coords, const char *stepper)
{
    RgWorldDef def = world_def(model, coords, stepper);
    return world_make(&def);
}

void world_end(RgWorld *world, RgModel *model)
{
    rg_world_destroy(world);
    rg_model_destroy(model);
}

RgModel *model_on_floor(const char *file)
{
    RgError error = {0};
    RgBuilder *builder = rg_builder_create(NULL, NULL);
    bool read = rg_read_file(builder, "models/floor.sdf", NULL, &error) == RG_OK &&
                rg_read_file(builder, file, NULL, &error) == RG_OK;
    RgModel *model = read ? rg_builder_finish(builder, &error) : NULL;
    rg_builder_destroy(builder);
    cr_assert(model != NULL, "%s", error.text);
    return model;
}

double world_run(RgWorld *world, int steps, double h)
{
    double worst = 0.0;
    for (int i = 0; i < steps; i++) {
        RgStepReport report = {0};
        RgStatus status = rg_world_step(world, h, &report);
        cr_assert(status == RG_OK, "step %d at t = %g: %s (%s)", i, rg_world_time(world), rg_status_text(status),
                  report.offender);
        worst = fmax(worst, report.joint_error);
    }
    return worst;
}

double world_energy(RgWorld *world)
{
    RgMomentum m;
    cr_assert(rg_world_momentum(world, &m) == RG_OK);
    return m.kinetic + m.potential;
}

double world_gain(RgWorld *world, int steps, double h)
{
    double least = world_energy(world), gain = 0.0;
    for (int i = 0; i < steps; i++) {
        cr_assert(rg_world_step(world, h, NULL) == RG_OK);
        double energy = world_energy(world);
        least = fmin(least, energy);
        gain = fmax(gain, energy - least);
    }
    return gain;
}

static RgJointId find(RgWorld *world, const char *joint)
{
    RgJointId id = rg_model_find_joint(rg_world_model(world), joint);
    cr_assert(id.i != 0, "no joint %s", joint);
    return id;
}

double world_angle(RgWorld *world, const char *joint)
{
    double q[7];
    cr_assert(rg_world_joint_position(world, find(world, joint), q) == RG_OK);
    return q[0];
}

double world_rate(RgWorld *world, const char *joint)
{
    double v[6];
    cr_assert(rg_world_joint_rate(world, find(world, joint), v) == RG_OK);
    return v[0];
}
