/*
 * test_paper_003.c - the experiments of paper 003 that have an answer: a ball dropped, a box pushed, stacks with rows
 * solved in parallel chunks.
 */
#include "check_near.h"
#include "on_a_plane.h"
#include "pgs_scene.h"
#include "scene_parts.h"
#include "worlds.h"

#define G 9.81

/* ------------------------------------------------------------------ 003: ball drop */

/* Centre at 5 m, radius 1 m: falls 4 m, comes up e^2 of that. */
static void check_drop(const RgModel *model, const char *coords, const char *solver, bool poisson)
{
    RgContactLaw law = rg_contact_law_default();
    law.restitution = poisson ? RG_RESTITUTION_POISSON : RG_RESTITUTION_NEWTON;
    RgWorld *world = pgs_world(model, coords, solver, &law, NULL);
    double highest = 0.0;
    bool bounced = false;
    for (int i = 0; i < 1600; i++) {
        cr_assert(rg_world_step(world, 1e-3, NULL) == RG_OK);
        bounced = bounced || plane_velocity(world).z > 1.0;
        highest = bounced ? fmax(highest, plane_height(world)) : 0.0;
    }
    CHECK_NEAR(highest, 1.0 + 0.25 * 4.0, 0.02, "m");
    rg_world_destroy(world);
}

Test(paper_003, ball_drop)
{
    PlaneBody ball = {RG_SHAPE_sphere, {1.0, 0.0, 0.0}, 1.0, 5.0, plane_surface(0.5)};
    ball.surface.restitution = 0.5;
    ball.surface.restitution_threshold = 0.01;
    RgModel *model = plane_model(&ball);
    for (int form = 0; form < 2; form++) {
        check_drop(model, both_forms[form], "pgs", false);
        check_drop(model, both_forms[form], "pgs", true);
        check_drop(model, both_forms[form], "pgs:jacobi", false);
        check_drop(model, both_forms[form], "quick", false);
    }
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ 003: box push */

/* Pushes with 0.2 N until 1 m/s. */
static void push(const RgModel *model, const RgInputState *state, RgInput *input, void *context)
{
    (void)model;
    bool *pushing = context;
    *pushing = *pushing && state->v[3] < 1.0;
    input->wrenches[0].f.x = *pushing ? 0.2 : 0.0;
}

static void check_push(const RgModel *model, const char *coords, const char *solver, RgFriction friction)
{
    const double h = 1e-3, mu = 0.1, mass = 0.1;
    bool pushing = true;
    RgContactLaw law = rg_contact_law_default();
    law.friction = friction;
    RgWorldDef def = world_def(model, coords, "semi-implicit");
    def.solver = solver;
    def.law = &law;
    def.input = push;
    def.input_context = &pushing;
    RgWorld *world = world_make(&def);
    double reached = 0.0, stopped = 0.0;
    for (int i = 0; i < 2500 && stopped == 0.0; i++) {
        cr_assert(rg_world_step(world, h, NULL) == RG_OK);
        double v = plane_velocity(world).x;
        reached = reached == 0.0 && v >= 1.0 ? rg_world_time(world) : reached;
        stopped = reached > 0.0 && v < 1e-6 ? rg_world_time(world) : 0.0;
    }
    double a = 0.2 / mass - mu * G;
    CHECK_NEAR(reached, 1.0 / a, 2.5 * h, "s");
    CHECK_NEAR(stopped - reached, 1.0 / (mu * G), 2.5 * h, "s");
    CHECK_NEAR(plane_height(world), 0.5, 1e-4, "m");
    rg_world_destroy(world);
}

Test(paper_003, box_push_stops_when_friction_says)
{
    PlaneBody box = plane_box(0.1);
    box.mass = 0.1;
    RgModel *model = plane_model(&box);
    for (int form = 0; form < 2; form++) {
        check_push(model, both_forms[form], "pgs", RG_FRICTION_CONE);
        check_push(model, both_forms[form], "pgs", RG_FRICTION_PYRAMID);
        check_push(model, both_forms[form], "quick", RG_FRICTION_CONE);
    }
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ 003: stacks, rows in parallel */

/* Four stacks of six boxes, chunks of rows that are blind to each other: as good as Gauss-Seidel at the same sweeps
   where a chunk holds whole stacks, a little worse where stacks are cut, and nowhere far from it. */
Test(paper_003, row_parallel_stacks)
{
    RgPgsOptions o = rg_pgs_options_default();
    o.sor = 0.7;
    o.mass_splitting = false; /* the paper has none */
    RgContactLaw law = rg_contact_law_default();
    law.soft_length = 0.0; /* overlaps are corrected in proportion, as in the paper */
    PgsOutcome rows = pgs_scene_run(&(PgsScene){"S1", "maximal", "pgs", &o, 300, 1, &law}), alone = {0};
    cr_expect(rows.error[0] < 0.05 && rows.error[1] < 0.5, "%g mm high, %g mm off", rows.error[0], rows.error[1]);
    for (int chunks = 1; chunks <= 8; chunks *= 2) {
        o.chunks = chunks;
        PgsOutcome end = pgs_scene_run(&(PgsScene){"S1", "maximal", "pgs:jacobi", &o, 300, 1, &law});
        alone = chunks == 1 ? end : alone;
        cr_expect(end.error[0] < 0.1 && end.error[1] < 0.5, "%d chunks: %g mm high, %g mm off", chunks, end.error[0],
                  end.error[1]);
        cr_expect((end.hash == alone.hash) == (chunks <= 4), "%d chunks: cut where it should not be", chunks);
        cr_expect(end.residual < (chunks <= 4 ? 1.001 : 3.0) * alone.residual, "%d chunks: %g m/s after %g", chunks,
                  end.residual, alone.residual);
    }
}

/* Without warm start to a residual of 1e-4 m/s a step: stacks that are cut cost a few sweeps more, not many. */
Test(paper_003, row_parallel_stacks_to_a_residual)
{
    RgPgsOptions o = rg_pgs_options_default();
    o.sor = 0.7;
    o.mass_splitting = false; /* the paper has none */
    o.iterations = 2000;
    o.tolerance = 1e-4;
    RgContactLaw cold = rg_contact_law_default();
    cold.warm_start = 0.0;
    double sweeps[3];
    const int chunks[3] = {4, 8, 16};
    for (int k = 0; k < 3; k++) {
        o.chunks = chunks[k];
        PgsOutcome end = pgs_scene_run(&(PgsScene){"S1", "maximal", "pgs:jacobi", &o, 50, 1, &cold});
        sweeps[k] = end.sweeps;
        cr_expect(end.error[0] < 2.0, "%d chunks: %g mm", chunks[k], end.error[0]);
    }
    cr_expect(sweeps[1] < 1.5 * sweeps[0] && sweeps[2] < 1.5 * sweeps[0] && sweeps[0] > 50.0, "%g, %g, %g sweeps",
              sweeps[0], sweeps[1], sweeps[2]);
}

/* The same bits for any number of threads, in both forms: Gauss-Seidel, and chunks. */
Test(paper_003, rows_on_threads)
{
    static const char *const solvers[] = {"pgs", "pgs:jacobi"};
    const int threads[] = {1, 2, 3, 8};
    RgPgsOptions o = rg_pgs_options_default();
    o.sor = 0.7;
    o.mass_splitting = false; /* the paper has none */
    o.chunks = 8;
    o.iterations = 20;
    for (int form = 0; form < 4; form++) {
        uint64_t first = 0;
        for (int k = 0; k < 4; k++) {
            PgsOutcome end =
                pgs_scene_run(&(PgsScene){"S3j", both_forms[form % 2], solvers[form / 2], &o, 3, threads[k], NULL});
            first = k == 0 ? end.hash : first;
            cr_expect(end.hash == first, "%s, %s, %d threads", solvers[form / 2], both_forms[form % 2], threads[k]);
        }
    }
}
