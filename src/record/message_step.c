/*
 * message_step.c - /rigor/step: report of the last step, as JSON, rigor.Step.
 *
 * Time, step length, energies, the solver's work by kind (of the step, and summed over all steps), energy changes by
 * each stabilisation, residual, sweeps, numbers of contacts, islands and sleeping bodies. Energies are in J.
 *
 *   least_distance   smallest gap of the contact points; without contact points the smallest distance of two shapes
 *                    that may touch, searched up to the last of search_margins; null: larger, or not computed
 *   shortfalls         shortfalls: number of hard drives that missed their target velocity, and the largest deviation;
 *                    numbers of saturated efforts and of slipping pairs of shapes
 *   couplings        efforts of each mimic or gear (rg_world_coupling_efforts); only for models with couplings
 *   aids             energy changes by the dissipation option, projection onto joints and loops, sleeping, error
 *                    reduction through velocities (erp), split impulse, moved inertia: {"step", "total"}; totals and
 *                    work_sum are the world's, over all its steps
 */
#include "record/json_text.h"
#include "record/message_table.h"

#include <math.h>

/* m: search distances for the nearest shapes, tried in turn until one finds a pair. */
static const double search_margins[] = {0.01, 0.1, 1.0};
enum { NEAR_PAIRS_MAX = 256 }; /* pairs within a margin; with more there is no answer */

/* Smallest distance of two shapes, m. NaN: none within the search_margins, or too many pairs. */
static double least_shape_distance(RgWorld *world)
{
    RgShapeDistance near[NEAR_PAIRS_MAX];
    for (size_t k = 0; k < sizeof search_margins / sizeof search_margins[0]; k++) {
        int count;
        if (rg_world_distances(world, search_margins[k], near, NEAR_PAIRS_MAX, &count, NULL) != RG_OK)
            return NAN;
        double least = INFINITY;
        for (int i = 0; i < count && count <= NEAR_PAIRS_MAX; i++)
            least = fmin(least, near[i].distance.distance);
        if (count > 0)
            return count <= NEAR_PAIRS_MAX ? least : NAN;
    }
    return NAN;
}

static double least_distance(RgMessages *m, RgWorld *world)
{
    const RgContactForce *forces;
    int n = rg_world_contact_forces(world, &forces);
    double least = INFINITY;
    for (int i = 0; i < n; i++)
        least = fmin(least, forces[i].gap);
    return n > 0 ? least : m->search_distances ? least_shape_distance(world) : NAN;
}

static void put_work(RgBuffer *out, const char *name, const RgSolverWork *work)
{
    rg_json_put_open(out, name, '{');
    rg_json_put_number(out, "total", work->total);
    rg_json_put_number(out, "forces", work->forces);
    rg_json_put_number(out, "erp", work->erp);
    rg_json_put_number(out, "restitution", work->restitution);
    rg_json_put_number(out, "springs", work->springs);
    rg_json_put_number(out, "motors", work->motors);
    rg_json_put_number(out, "friction", work->friction);
    rg_json_put_number(out, "impacts", work->impacts);
    rg_json_put_number(out, "rest", work->rest);
    rg_json_put_number(out, "inertia", work->inertia);
    rg_json_put_number(out, "split", work->split);
    rg_json_put_close(out, '}');
}

static void put_stabilisation(RgBuffer *out, const char *name, double step, double total)
{
    rg_json_put_open(out, name, '{');
    rg_json_put_number(out, "step", step);
    rg_json_put_number(out, "total", total);
    rg_json_put_close(out, '}');
}

static void put_stabilisations(RgBuffer *out, const RgStepReport *report, const RgEnergySums *sums)
{
    rg_json_put_open(out, "aids", '{');
    put_stabilisation(out, "dissipation", 0.0 - report->dissipated, 0.0 - sums->dissipated);
    put_stabilisation(out, "projection", report->projected, sums->projected);
    put_stabilisation(out, "sleeping", 0.0 - report->slept, 0.0 - sums->slept);
    put_stabilisation(out, "erp", report->work.erp, sums->work.erp);
    put_stabilisation(out, "split", report->work.split, sums->work.split);
    put_stabilisation(out, "inertia", report->work.inertia, sums->work.inertia);
    rg_json_put_close(out, '}');
}

/* Shortfalls of the step, by kind. */
static void put_shortfalls(RgBuffer *out, const RgStepReport *report)
{
    rg_json_put_open(out, "shortfalls", '{');
    rg_json_put_int(out, "target", report->missed_targets);
    rg_json_put_number(out, "worst_target", report->worst_target);
    rg_json_put_int(out, "effort", report->saturated_efforts);
    rg_json_put_int(out, "friction", report->slipping_pairs);
    rg_json_put_close(out, '}');
}

static void put_couplings(RgMessages *m, RgWorld *world, RgBuffer *out)
{
    int count = rg_model_info(m->model).couplings;
    if (count == 0 || rg_world_coupling_efforts(world, m->efforts) != RG_OK)
        return;
    rg_json_put_open(out, "couplings", '[');
    for (int i = 0; i < count; i++) {
        RgCouplingDef coupling = rg_model_coupling(m->model, i);
        rg_json_put_open(out, NULL, '{');
        rg_json_put_text(out, "joint", m->joint_names[coupling.joint.i - 1]);
        rg_json_put_number(out, "effort", m->efforts[i].joint);
        rg_json_put_text(out, "reference", m->joint_names[coupling.reference.i - 1]);
        rg_json_put_number(out, "reference_effort", m->efforts[i].reference);
        rg_json_put_close(out, '}');
    }
    rg_json_put_close(out, ']');
}

static RgStatus encode_step(RgMessages *m, RgWorld *world, uint64_t time, RgBuffer *out)
{
    (void)time;
    RgMomentum momentum;
    RgStatus status = rg_world_momentum(world, &momentum);
    if (status != RG_OK)
        return status;
    const RgStepReport *report = rg_world_last_report(world);
    RgEnergySums sums = rg_world_energy_sums(world);
    rg_json_put_open(out, NULL, '{');
    rg_json_put_number(out, "t", rg_world_time(world));
    rg_json_put_number(out, "dt", report->h);
    rg_json_put_number(out, "kinetic", momentum.kinetic);
    rg_json_put_number(out, "potential", momentum.potential);
    rg_json_put_number(out, "energy", momentum.kinetic + momentum.potential);
    rg_json_put_number(out, "contact_work", report->contact_work);
    put_work(out, "work", &report->work);
    put_work(out, "work_sum", &sums.work);
    put_stabilisations(out, report, &sums);
    rg_json_put_number(out, "residual", report->residual);
    rg_json_put_int(out, "sweeps", report->sweeps);
    rg_json_put_number(out, "joint_error", report->joint_error);
    rg_json_put_number(out, "least_distance", least_distance(m, world));
    rg_json_put_int(out, "contacts", report->contacts);
    rg_json_put_int(out, "islands", report->islands);
    rg_json_put_int(out, "sleeping", report->sleeping);
    rg_json_put_int(out, "unfinished", report->unfinished);
    rg_json_put_number(out, "residual_force", report->residual_force);
    rg_json_put_number(out, "residual_velocity", report->residual_velocity);
    put_shortfalls(out, report);
    put_couplings(m, world, out);
    rg_json_put_number(out, "real_time_factor", m->real_time_factor);
    rg_json_put_close(out, '}');
    return RG_OK;
}

#define NUMBER(name) "\"" name "\":{\"type\":\"number\"},"
#define INTEGER(name) "\"" name "\":{\"type\":\"integer\"},"
#define WORK                                                                                                           \
    "{\"type\":\"object\",\"properties\":{" NUMBER("total") NUMBER("forces") NUMBER("erp") NUMBER("restitution")       \
        NUMBER("springs") NUMBER("motors") NUMBER("friction") NUMBER("impacts") NUMBER("rest")                         \
            NUMBER("inertia") "\"split\":{\"type\":\"number\"}}}"
#define SHORTFALLS                                                                                                     \
    "{\"type\":\"object\",\"properties\":{" INTEGER("target") NUMBER("worst_target")                                   \
        INTEGER("effort") "\"friction\":{\"type\":\"integer\"}}}"
#define COUPLING                                                                                                       \
    "{\"type\":\"object\",\"properties\":{\"joint\":{\"type\":\"string\"}," NUMBER(                                    \
        "effort") "\"reference\":{\"type\":\"string\"},\"reference_effort\":{\"type\":\"number\"}}}"
#define AID "{\"type\":\"object\",\"properties\":{\"step\":{\"type\":\"number\"},\"total\":{\"type\":\"number\"}}}"

const RgMessageKind rg_message_kind_step = {
    .channel = {.topic = "/rigor/step",
                .encoding = "json",
                .schema_name = "rigor.Step",
                .schema_encoding = "jsonschema",
                .schema = "{\"title\":\"rigor.Step\",\"type\":\"object\",\"properties\":{" NUMBER("t") NUMBER("dt")
                    NUMBER("kinetic") NUMBER("potential") NUMBER("energy")
                        NUMBER("contact_work") "\"work\":" WORK ",\"work_sum\":" WORK
                                               ",\"aids\":{\"type\":\"object\",\"properties\":{\"dissipation\":" AID
                                               ",\"projection\":" AID ",\"sleeping\":" AID ",\"erp\":" AID
                                               ",\"split\":" AID ",\"inertia\":" AID
                                               "}}," NUMBER("residual") INTEGER("sweeps") NUMBER("joint_error") NUMBER(
                                                   "least_distance") INTEGER("contacts") INTEGER("islands")
                                                   INTEGER("sleeping") INTEGER("unfinished") NUMBER("residual_force")
                                                       NUMBER("residual_velocity") "\"shortfalls\":" SHORTFALLS
                                                                                   ",\"couplings\":{\"type\":\"array\","
                                                                                   "\"items\":" COUPLING "}"
                                                                                   ",\"real_time_factor\":{\"type\":"
                                                                                   "\"number\"}}}",
                .when = RG_CHANNEL_FRAME},
    .encode = encode_step,
};
