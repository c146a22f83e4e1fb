/*
 * sdf_physics.c - <physics> and <gravity> of an SDF world: hints for solver and stepper, stored as the file gives them.
 *
 * Of several <physics> elements the one with default="true" is used, else the first. The step is max_step_size; in
 * files before 1.4 it is ode/solver/dt, or else 1 / update_rate. Blocks of other engines (bullet, simbody, dart) are
 * skipped with a remark.
 */
#include "math/vec3.h"
#include "scene/sdf.h"

#include <stdio.h>

static const RgXml *choose_physics(RgReader *reader, const RgXml *world)
{
    const RgXml *first = rg_xml_child(world, "physics");
    for (const RgXml *physics = first; physics != NULL; physics = rg_xml_next_same(physics)) {
        const char *is_default = rg_xml_attribute(physics, "default");
        if (is_default != NULL && rg_reader_flag(reader, physics, is_default))
            return physics;
    }
    return first;
}

static void read_gravity(RgReader *reader, const RgXml *element, RgPhysicsHints *hints)
{
    double g[3];
    if (!rg_reader_child(reader, element, "gravity", 3, g))
        return;
    hints->gravity = v3(g[0], g[1], g[2]);
    hints->has_gravity = true;
}

/* A number of iterations, from 0 to 1e9. */
static void read_count(RgReader *reader, const RgXml *element, const char *name, int *out)
{
    double value;
    if (!rg_reader_child(reader, element, name, 1, &value))
        return;
    if (value < 0.0 || value > 1e9)
        rg_reader_fail(reader, RG_ERR_SYNTAX, rg_xml_child(element, name), "<%s>: expected a count, found %g", name,
                       value);
    else
        *out = (int)value;
}

static void read_word(const RgXml *element, const char *name, char *out, size_t size)
{
    const RgXml *child = rg_xml_child(element, name);
    if (child != NULL)
        snprintf(out, size, "%s", child->text);
}

static void read_step(RgReader *reader, const RgXml *physics, const RgXml *solver, RgPhysicsHints *hints)
{
    double rate;
    if (rg_reader_child(reader, physics, "max_step_size", 1, &hints->max_step) ||
        rg_reader_child(reader, solver, "dt", 1, &hints->max_step))
        return;
    if (rg_reader_child(reader, physics, "update_rate", 1, &rate) && rate > 0.0)
        hints->max_step = 1.0 / rate;
}

/* Remarks on the children of <ode> that are not used or unknown. */
static void expect_ode(RgReader *reader, const RgXml *ode, const RgXml *solver, const RgXml *constraints)
{
    static const char *const blocks[] = {"solver", "constraints", NULL}, *const none[] = {NULL};
    static const char *const of_solver[] = {"type", "iters", "sor", "dt", "friction_model", "use_dynamic_moi_rescaling",
                                            NULL};
    static const char *const not_used[] = {"precon_iters", "min_step_size", "island_threads",
                                           "thread_position_correction", NULL};
    static const char *const of_constraints[] = {"cfm", "erp", "contact_max_correcting_vel", "contact_surface_layer",
                                                 NULL};
    if (ode != NULL)
        rg_reader_expect(reader, ode, blocks, none);
    if (solver != NULL)
        rg_reader_expect(reader, solver, of_solver, not_used);
    if (constraints != NULL)
        rg_reader_expect(reader, constraints, of_constraints, none);
}

void rg_sdf_physics_read(RgReader *reader, const RgXml *world)
{
    RgPhysicsHints hints = *rg_builder_hints(reader->builder);
    read_gravity(reader, world, &hints);
    const RgXml *physics = choose_physics(reader, world);
    if (physics != NULL) {
        static const char *const known[] = {
            "gravity", "max_step_size",  "update_rate", "real_time_factor", "real_time_update_rate",
            "ode",     "magnetic_field", NULL};
        static const char *const skipped[] = {"plugin", "max_contacts", "bullet", "simbody", "dart", NULL};
        rg_reader_expect(reader, physics, known, skipped);
        const RgXml *ode = rg_xml_child(physics, "ode");
        const RgXml *solver = rg_xml_child(ode, "solver"), *constraints = rg_xml_child(ode, "constraints");
        expect_ode(reader, ode, solver, constraints);
        read_gravity(reader, physics, &hints);
        read_step(reader, physics, solver, &hints);
        read_word(solver, "type", hints.ode_solver, sizeof hints.ode_solver);
        read_word(solver, "friction_model", hints.friction_model, sizeof hints.friction_model);
        read_count(reader, solver, "iters", &hints.ode_iterations);
        read_count(reader, solver, "precon_iters", &hints.ode_preconditioning_iterations);
        rg_reader_child(reader, solver, "sor", 1, &hints.ode_sor);
        hints.use_dynamic_inertia_scaling =
            rg_reader_child_flag(reader, solver, "use_dynamic_moi_rescaling", hints.use_dynamic_inertia_scaling);
        rg_reader_child(reader, constraints, "cfm", 1, &hints.ode_cfm);
        rg_reader_child(reader, constraints, "erp", 1, &hints.ode_erp);
        rg_reader_child(reader, constraints, "contact_max_correcting_vel", 1, &hints.ode_max_correcting_vel);
        rg_reader_child(reader, constraints, "contact_surface_layer", 1, &hints.ode_surface_layer);
    }
    if (rg_reader_ok(reader))
        rg_builder_set_hints(reader->builder, &hints);
}
