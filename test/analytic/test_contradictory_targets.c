/*
 * test_contradictory_targets.c - hard drives of any effort that contradict contacts, limits, loops or each other (paper
 * 002, III-B), by exact solvers and `quick` in both forms: every step ends without a fallback, efforts stay at what
 * stops take (1e9 to 1e18 N m without a nearest target), nothing overlaps by more than the law corrects, the joints and
 * what they meet are named, and what is nearest stays what it is in the other form.
 */
#include "check_near.h"
#include "contradictions.h"
#include "worlds.h"

#include <string.h>

#define H 2e-3

typedef struct Outcome {
    int steps, contradicted, proven, fallbacks;
    double effort, deepest; /* N or N m; m */
    bool named, against;
    double q[64];
} Outcome;

static bool has(const char *name, const char *part)
{
    return part != NULL && name != NULL && strstr(name, part) != NULL;
}

static const char *link_of(const RgModel *m, RgShapeId shape)
{
    RgShapeInfo info = rg_model_shape(m, shape);
    return info.link.i > 0 ? rg_model_link(m, info.link).name : NULL;
}

static void find_names(RgWorld *world, const Contradiction *scene, Outcome *out)
{
    const RgModel *m = rg_world_model(world);
    const RgShortfall *gave;
    int n = rg_world_shortfalls(world, &gave);
    for (int i = 0; i < n; i++) {
        const char *joint = gave[i].joint.i > 0 ? rg_model_joint(m, gave[i].joint).name : NULL;
        if (gave[i].kind == RG_SHORTFALL_CONTRADICTION)
            out->named = out->named || has(joint, scene->joints);
        if (gave[i].kind == RG_SHORTFALL_AGAINST && gave[i].joint.i > 0)
            out->against = out->against || has(joint, scene->against);
        if (gave[i].kind == RG_SHORTFALL_AGAINST && gave[i].joint.i == 0)
            out->against = out->against || has(link_of(m, gave[i].shape_a), scene->against) ||
                           has(link_of(m, gave[i].shape_b), scene->against);
        cr_expect(gave[i].kind != RG_SHORTFALL_AGAINST || scene->against != NULL, "%s: against something", scene->name);
    }
}

static void look(RgWorld *world, const Contradiction *scene, Outcome *out)
{
    const RgModel *m = rg_world_model(world);
    const RgContactForce *forces;
    int n = rg_world_contact_forces(world, &forces);
    for (int i = 0; i < n; i++)
        out->deepest = fmax(out->deepest, -forces[i].gap);
    for (int k = 1; k <= rg_model_info(m).joints; k++) {
        RgDriveReport drive;
        if (rg_world_joint_drive(world, (RgJointId){k}, 0, &drive) == RG_OK)
            out->effort = fmax(out->effort, fabs(drive.effort));
    }
    find_names(world, scene, out);
}

static Outcome run(const Contradiction *scene, const char *solver, const char *coords)
{
    Outcome out = {0};
    RgModel *model = scene->build();
    RgWorldDef def = world_def(model, coords, "semi-implicit");
    def.solver = solver;
    RgWorld *world = world_make(&def);
    contradict_start(world, scene);
    while (rg_world_time(world) < scene->time) {
        RgStepReport report;
        contradict(world, scene, H);
        cr_assert(rg_world_step(world, H, &report) == RG_OK);
        out.steps++;
        out.contradicted += report.contradictions > 0;
        out.proven += report.contradictions > 0 && report.contradictions_proven;
        out.fallbacks += report.fallbacks > 0;
        look(world, scene, &out);
    }
    int nq = rg_model_info(model).nq;
    cr_assert(nq <= 64);
    memcpy(out.q, rg_world_q(world), (size_t)nq * sizeof *out.q);
    world_end(world, model);
    return out;
}

static void check(const Contradiction *scene, const char *solver, const char *coords)
{
    Outcome o = run(scene, solver, coords);
    cr_log_info("%s, %s, %s: %d of %d steps contradicted, %d proven; effort %.3g, overlap %.2g mm", scene->name, solver,
                coords, o.contradicted, o.steps, o.proven, o.effort, 1e3 * o.deepest);
    cr_expect(o.contradicted > 5, "%s, %s, %s: %d contradicted", scene->name, solver, coords, o.contradicted);
    bool jams = strcmp(scene->name, "walls") == 0; /* friction is no part of the proof */
    cr_expect(jams || o.proven >= o.contradicted / 2, "%s, %s, %s: %d of %d proven", scene->name, solver, coords,
              o.proven, o.contradicted);
    cr_expect(o.fallbacks == 0, "%s, %s, %s: %d fallbacks", scene->name, solver, coords, o.fallbacks);
    cr_expect(o.effort < scene->most, "%s, %s, %s: effort %g", scene->name, solver, coords, o.effort);
    cr_expect(o.deepest < 1e-4, "%s, %s, %s: overlap %g mm", scene->name, solver, coords, 1e3 * o.deepest);
    cr_expect(o.named, "%s, %s, %s: %s is not named", scene->name, solver, coords, scene->joints);
    cr_expect(o.against || scene->against == NULL, "%s, %s, %s: %s is not named", scene->name, solver, coords,
              scene->against);
}

static void check_all(const char *solver)
{
    for (const Contradiction *scene = contradictions; scene->name != NULL; scene++)
        for (int form = 0; form < 2; form++)
            check(scene, solver, both_forms[form]);
}

Test(contradictory_targets, cone)
{
    check_all("cone");
}

Test(contradictory_targets, quick)
{
    check_all("quick");
}

Test(contradictory_targets, dantzig)
{
    check_all("dantzig");
}

Test(contradictory_targets, lemke)
{
    check_all("lemke");
}

/* ------------------------------------------------------------------ both forms */

enum { MOST_V = 64, STATES = 5 };

/* Part of the largest rate asked for. */
#define FORMS_AGREE 1e-6

/* Steps from rest that compare the solves: within a step the forms move on along different lines, which shows in the
   velocities as h v^2. Without contacts steps are short; contacts at rest leave a gap g, so that only a long step with
   v > g / h meets them. The base of squat falls meanwhile, which `quick` takes along. */
typedef struct Probe {
    const char *scene;
    double h, slower;
    int solvers;
} Probe;

typedef struct State {
    double t, q[MOST_V];
} State;

static RgWorld *world_for(const RgModel *model, const char *solver, const char *coords)
{
    RgWorldDef def = world_def(model, coords, "semi-implicit");
    def.solver = solver;
    return world_make(&def);
}

/* States before steps whose targets contradict, some steps apart, by `quick` in the minimal form: its loops are
   closed. */
static int contradicted_states(const Contradiction *scene, const RgModel *model, State *states)
{
    RgWorld *world = world_for(model, "quick", "minimal");
    RgModelInfo info = rg_model_info(model);
    int n = 0, since = 0;
    cr_assert(info.nq <= MOST_V && info.nv <= MOST_V);
    contradict_start(world, scene);
    while (n < STATES && rg_world_time(world) < scene->time) {
        RgStepReport report;
        State *now = &states[n];
        now->t = rg_world_time(world);
        memcpy(now->q, rg_world_q(world), (size_t)info.nq * sizeof *now->q);
        contradict(world, scene, H);
        cr_assert(rg_world_step(world, H, &report) == RG_OK);
        if (report.contradictions > 0 && since++ % 9 == 0)
            n++;
    }
    rg_world_destroy(world);
    return n;
}

/* Velocities after a step from rest in a state, whose drives ask for the rates of the scene. Returns whether they
   contradict. */
static bool attain(const Contradiction *scene, const Probe *probe, RgWorld *world, const State *from, double *v)
{
    RgStepReport report;
    double rest[MOST_V] = {0.0};
    rg_world_set_time(world, from->t);
    cr_assert(rg_world_set_state(world, from->q, rest) == RG_OK);
    contradict_rates(world, scene, H, probe->slower);
    cr_assert(rg_world_step(world, probe->h, &report) == RG_OK);
    memcpy(v, rg_world_v(world), (size_t)rg_model_info(rg_world_model(world)).nv * sizeof *v);
    return report.contradictions > 0;
}

static void compare_forms(const Contradiction *scene, const Probe *probe, const char *solver)
{
    RgModel *model = scene->build();
    State states[STATES];
    RgWorld *world[2] = {world_for(model, solver, both_forms[0]), world_for(model, solver, both_forms[1])};
    int n = contradicted_states(scene, model, states), nv = rg_model_info(model).nv, both = 0;
    double most = 0.0, fastest = 0.0;
    for (int k = 0; k < n; k++) {
        double v[2][MOST_V];
        bool contradicts[2];
        for (int form = 0; form < 2; form++)
            contradicts[form] = attain(scene, probe, world[form], &states[k], v[form]);
        cr_expect(contradicts[0] == contradicts[1], "%s, %s, t = %g", scene->name, solver, states[k].t);
        both += contradicts[0] && contradicts[1];
        for (int i = 0; i < nv; i++) {
            most = fmax(most, fabs(v[0][i] - v[1][i]));
            fastest = fmax(fastest, fabs(v[0][i]));
        }
    }
    cr_log_info("%s, %s: %d states, %.2g rad/s, forms differ by %.2g", scene->name, solver, both, fastest, most);
    cr_expect(both >= 3, "%s, %s: contradiction in %d states", scene->name, solver, both);
    cr_expect(most < FORMS_AGREE * fmax(1.0, fastest), "%s, %s: the forms differ by %g", scene->name, solver, most);
    rg_world_destroy(world[0]);
    rg_world_destroy(world[1]);
    rg_model_destroy(model);
}

Test(contradictory_targets, nearest_is_the_same_in_both_forms)
{
    const Probe probes[] = {{"loop", 1e-7, 1.0, 4},
                            {"chain", 1e-7, 1.0, 4},
                            {"floor", 0.05, 2.5e-4, 4},
                            {"squeeze", 0.05, 1e-2, 4},
                            {"squat", 0.05, 2.5e-4, 3}};
    const char *const solvers[] = {"cone", "dantzig", "lemke", "quick"};
    for (size_t p = 0; p < sizeof probes / sizeof probes[0]; p++)
        for (const Contradiction *scene = contradictions; scene->name != NULL; scene++)
            for (int k = 0; k < probes[p].solvers && strcmp(scene->name, probes[p].scene) == 0; k++)
                compare_forms(scene, &probes[p], solvers[k]);
}
