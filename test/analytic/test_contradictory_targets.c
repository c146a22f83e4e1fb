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
    rg_world_destroy(world);
    rg_model_destroy(model);
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
