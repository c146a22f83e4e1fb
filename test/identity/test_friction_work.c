/*
 * test_friction_work.c - friction takes energy and gives none: with every exact solver of friction, in both coordinate
 * forms, in every step of scenes that fall, slide, roll, bounce and stand.
 *
 * The work that a step's friction does is z_t . v_t summed over contacts, with the velocities at the end of the step
 * (RgStepReport.work). Coulomb's law makes each term -mu z_n |v_t|; what a solve leaves undone, 1e-10 of the velocities
 * that it began with, may add as much times the impulse.
 *
 * Solver max-dissipation shares out impulses so that all of them together take the most energy, under the condition
 * that nothing approaches: there friction of one contact may give what that of another takes. Of it the weaker is
 * asked: all that is neither removal of overlaps nor bounce never gives energy.
 */
#include "check_near.h"
#include "scene_contacts.h"
#include "touching.h"
#include "worlds.h"

#include <string.h>

#define NOTHING 1e-9 /* J: of scenes of 1 J to 1 kJ */

typedef struct Friction {
    double most, sum; /* J: of friction, in a step; in all */
    double all_most;  /* J: of all that is neither removal of overlaps nor bounce, in a step */
} Friction;

static Friction run(RgWorld *world, double h, int steps)
{
    Friction f = {-INFINITY, 0.0, -INFINITY};
    for (int i = 0; i < steps; i++) {
        RgStepReport report = {0};
        cr_assert(rg_world_step(world, h, &report) == RG_OK, "step %d", i);
        f.most = fmax(f.most, report.work.friction);
        f.all_most = fmax(f.all_most, report.work.total - report.work.erp - report.work.restitution);
        f.sum += report.work.friction;
    }
    return f;
}

/* kicked: a link that gets a velocity aside at the start; 0: none. */
static void check_case(const ContactCase *c, int kicked, const char *solver, const char *coords)
{
    ContactRun all;
    RgWorldDef def = rg_world_def_default();
    def.coords = coords;
    def.solver = solver;
    cr_assert(contact_run_begin(c, def, &all));
    RgWorld *world = contact_run_world(&all);
    cr_assert(world != NULL);
    if (kicked > 0)
        link_launch(world, (RgLinkId){kicked}, vec(0, 0, 0), vec(2.0, 1.0, 0.0));
    Friction f = run(world, c->h, c->steps);
    cr_log_info("%s, %s, %s: at most %.2g J a step, %.4g J in all; everything %.2g J", c->name, solver, coords, f.most,
                f.sum, f.all_most);
    cr_expect(f.all_most <= NOTHING, "%s, %s, %s: contacts gave %g J in a step", c->name, solver, coords, f.all_most);
    cr_expect(f.most <= NOTHING || strcmp(solver, "max-dissipation") == 0, "%s, %s, %s: friction gave %g J in a step",
              c->name, solver, coords, f.most);
    cr_expect(f.sum < 0.0, "%s, %s, %s: friction did nothing", c->name, solver, coords);
    rg_world_destroy(world);
    contact_run_end(&all);
}

static void check_all(const char *solver)
{
    static const int kicked[] = {4, 0, 1, 0}; /* a cube in a stack, the robot's trunk */
    static const ContactCase cases[] = {{"careless stacks", "S1j", 0, 5e-3, 60},
                                        {"pile of balls", "S2", 40, 10e-3, 80},
                                        {"quadruped", "S5", 0, 1e-3, 60},
                                        {"heap of all kinds", NULL, 0, 4e-3, 160}};
    for (int k = 0; k < 8; k++)
        check_case(&cases[k / 2], kicked[k / 2], solver, both_forms[k % 2]);
}

Test(friction_work, cone)
{
    check_all("cone");
}

Test(friction_work, dantzig)
{
    check_all("dantzig");
}

Test(friction_work, lemke)
{
    check_all("lemke");
}

Test(friction_work, max_dissipation)
{
    check_all("max-dissipation");
}

/* A box thrown along and about all axes, whose friction turns round in a step where it stops. */
Test(friction_work, tumbling_boxes)
{
    static const char *const solvers[] = {"cone", "dantzig", "lemke", "max-dissipation"};
    RgBuilder *b = scene_begin("box");
    ground_add(b, surface_mu(0.6));
    RgLinkId box = box_add(b, "box", 2.0, vec(0.3, 0.2, 0.1), vec(0.0, 0.0, 0.2), surface_mu(0.6));
    RgModel *model = scene_end(b);
    for (int k = 0; k < 8; k++) {
        RgWorldDef def = world_def(model, both_forms[k % 2], "semi-implicit");
        def.solver = solvers[k / 2];
        RgWorld *world = world_make(&def);
        link_launch(world, box, vec(7, -5, 9), vec(2.0, -1.0, 0.0));
        Friction f = run(world, 2e-3, 800);
        cr_log_info("%s, %s: at most %.2g J a step, %.4g J in all", def.solver, def.coords, f.most, f.sum);
        cr_expect(f.most <= NOTHING && f.all_most <= NOTHING, "%s, %s: %g J, %g J", def.solver, def.coords, f.most,
                  f.all_most);
        cr_expect(f.sum < -1.0);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}
