/*
 * forms_flight.c - see forms_flight.h.
 *
 *   p(t) = p0 + m g t          L(t) = L0 about the centre of mass          whatever joints and their dampers do inside
 *
 * Energy falls by the dampers' work alone: it is compared with that of a reference run.
 */
#include "forms_flight.h"

#include <math.h>
#include <stdlib.h>

#define G 9.81
#define JOINT_RATE 2.0 /* rad/s, at most */

static double length(RgVec3 a)
{
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

static RgVec3 minus(RgVec3 a, RgVec3 b)
{
    return (RgVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

/* Turning and rising, every joint at a rate of its own. */
static bool throw_it(RgWorld *world, const RgModel *model)
{
    RgModelInfo info = rg_model_info(model);
    double *q = calloc((size_t)info.nq, sizeof *q), *v = calloc((size_t)info.nv, sizeof *v);
    bool ok = q && v;
    if (ok) {
        static const double base[6] = {0.5, 1.0, 0.3, 0.5, 0.0, 4.0};
        rg_model_neutral(model, q);
        int from = rg_model_link(model, rg_model_find_link(model, "pelvis")).v_index;
        for (int k = 0; k < info.nv; k++)
            v[k] = k >= from && k < from + 6 ? base[k - from] : JOINT_RATE * sin(1.7 * k + 0.3);
        ok = rg_world_set_state(world, q, v) == RG_OK;
    }
    free(q);
    free(v);
    return ok;
}

static void fly(Lab *lab, RgWorld *world, const FlightDef *def, Flight *out, LabFigure *figure)
{
    RgMomentum m0;
    rg_world_momentum(world, &m0);
    RgMomentum m = m0;
    out->kinetic = m0.kinetic;
    double seconds = 0.0;
    int n = (int)lround(FLIGHT_TIME / def->h);
    for (int i = 0; i < n; i++) {
        RgStepReport report;
        double from = lab_cpu();
        if (rg_world_step(world, def->h, &report) != RG_OK) {
            lab_fail(lab, "a step was refused: %s", rg_status_text(report.status));
            return;
        }
        seconds += lab_cpu() - from;
        rg_world_momentum(world, &m);
        RgVec3 fallen = {m0.linear.x, m0.linear.y, m0.linear.z - m0.mass * G * rg_world_time(world)};
        double turned = length(minus(m.angular, m0.angular)) / length(m0.angular);
        out->linear = fmax(out->linear, length(minus(m.linear, fallen)) / (m0.mass * G * FLIGHT_TIME));
        out->angular = fmax(out->angular, turned);
        out->joint_error = fmax(out->joint_error, report.joint_error);
        if (figure)
            lab_point(figure, rg_world_time(world), fmax(turned, 1e-17));
    }
    out->energy = m.kinetic + m.potential;
    out->speed = FLIGHT_TIME / seconds;
}

Flight flight_run(Lab *lab, const RgModel *model, const FlightDef *def, LabFigure *figure)
{
    Flight out = {.energy = (double)NAN, .kinetic = (double)NAN};
    RgWorldDef world_def = rg_world_def_default();
    world_def.model = model;
    world_def.coords = def->coords;
    world_def.solver = def->solver;
    world_def.stepper = def->stepper;
    lab_use_pgs(&world_def, def->pgs);
    world_def.contact = false;
    world_def.position_limits = false;
    RgWorld *world = lab_world_create(lab, &world_def);
    if (!world)
        return out;
    if (throw_it(world, model))
        fly(lab, world, def, &out, figure);
    else
        lab_fail(lab, "the robot cannot be thrown");
    rg_world_destroy(world);
    return out;
}
