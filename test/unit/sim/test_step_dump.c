/*
 * test_step_dump.c - the problem of the next step as a file.
 *
 * Twins: a box of 1 kg at rest needs normal impulses of m g h in all, whoever solves; a world whose steps were dumped
 * goes where one goes that was never asked.
 */
#define _POSIX_C_SOURCE 200809L
#include "check_near.h"
#include "on_a_plane.h"
#include "problem/problem_file.h"
#include "scenes.h"
#include "worlds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEP 1e-3
#define WEIGHT 9.81 /* N, of 1 kg */

static RgWorld *make_world(const RgModel *model, const char *coords, const char *solver)
{
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    def.coords = coords;
    def.solver = solver;
    return world_make(&def);
}

static void steps(RgWorld *world, int count)
{
    for (int i = 0; i < count; i++)
        cr_assert_eq(rg_world_step(world, STEP, NULL), RG_OK);
}

static RgProblemFile *dump(RgWorld *world)
{
    char path[] = "/tmp/rigor-dump-XXXXXX";
    int descriptor = mkstemp(path);
    cr_assert(descriptor >= 0);
    close(descriptor);
    RgError error = {0};
    cr_assert_eq(rg_world_dump_step(world, STEP, path, &error), RG_OK, "%s", error.text);
    RgProblemFile *file = rg_problem_file_read(path, NULL, NULL, &error);
    cr_assert_not_null(file, "line %d: %s", error.line, error.text);
    unlink(path);
    return file;
}

static double normal_impulses(const RgProblemFile *file, const double *z)
{
    double sum = 0.0;
    for (int i = 0; i < file->n; i++)
        sum += file->rows.row_class[i] == RG_ROW_NORMAL ? z[i] : 0.0;
    return sum;
}

Test(step_dump, holds_what_carries_a_box)
{
    static const char *const coords[] = {"minimal", "maximal"}, *const solvers[] = {"quick", "pgs"};
    PlaneBody box = plane_box(0.5);
    RgModel *model = plane_model(&box);
    for (int k = 0; k < 4; k++) {
        RgWorld *world = make_world(model, coords[k / 2], solvers[k % 2]);
        steps(world, 200);
        RgProblemFile *file = dump(world);
        cr_expect_eq(file->contacts, 4);
        cr_expect_eq(file->n, 12);
        cr_expect_eq(file->rows.nu, 6);

        /* The first guess is nearly the answer, and the answer carries the box. */
        CHECK_REL(normal_impulses(file, file->rows.z), 0.99 * WEIGHT * STEP, 0.02, "N s");
        RgProblemOptions options = rg_problem_options_default();
        options.tolerance = 1e-7;
        RgProblemSolver *solver = rg_problem_solver_create(file, "pgs", &options, NULL);
        RgProblemReport report;
        cr_assert(solver != NULL && rg_problem_solver_run(solver, &report) == RG_OK);
        cr_expect_str_eq(report.outcome, "solved");
        CHECK_REL(normal_impulses(file, rg_problem_solver_solution(solver)), WEIGHT * STEP, 1e-3, "N s");
        rg_problem_solver_free(solver);
        rg_problem_file_free(file);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

Test(step_dump, changes_nothing)
{
    static const char *const solvers[] = {"quick", "pgs"};
    PlaneBody box = plane_box(0.5);
    box.height += 0.01;
    RgModel *model = plane_model(&box);
    for (int k = 0; k < 2; k++) {
        RgWorld *asked = make_world(model, "maximal", solvers[k]), *never = make_world(model, "maximal", solvers[k]);
        for (int i = 0; i < 100; i++) {
            RgProblemFile *a = dump(asked), *b = dump(asked);
            cr_expect_eq(a->n, b->n);
            rg_problem_file_free(a);
            rg_problem_file_free(b);
            steps(asked, 1);
            steps(never, 1);
            cr_assert_eq(rg_world_hash(asked), rg_world_hash(never), "%s, step %d", solvers[k], i);
        }
        rg_world_destroy(asked);
        rg_world_destroy(never);
    }
    rg_model_destroy(model);
}

/* s of the file's rows after impulses. */
static void velocities(const RgProblemFile *file, const double *z, double *s)
{
    memcpy(s, file->rows.s, (size_t)file->rows.nu * sizeof *s);
    for (int i = 0; i < file->n; i++)
        rg_problem_apply_impulse(&file->rows, i, z[i], s);
}

static void solve_to_the_end(const RgProblemFile *file, const char *name, double *s)
{
    RgProblemOptions options = rg_problem_options_default();
    RgProblemReport report;
    RgError error = {0};
    options.tolerance = 1e-10;
    RgProblemSolver *solver = rg_problem_solver_create(file, name, &options, &error);
    cr_assert(solver != NULL && rg_problem_solver_run(solver, &report) == RG_OK, "%s", error.text);
    cr_expect_str_eq(report.outcome, "solved", "%s: %s, residual %g", name, report.outcome, report.residual);
    velocities(file, rg_problem_solver_solution(solver), s);
    rg_problem_solver_free(solver);
}

/* Contacts, joints, loops, motors, limits: rows of every kind of step, as patches. */
Test(step_dump, quick_finds_what_cone_finds)
{
    PlaneBody box = plane_box(0.3), ball = plane_box(0.3);
    ball.type = RG_SHAPE_sphere;
    ball.size[0] = ball.height = 0.5;
    ball.surface.torsional = 0.1;
    ball.surface.rolling = 0.05;
    RgModel *const models[] = {plane_model(&box), plane_model(&ball), scene_four_bar(), scene_stewart()};
    for (int k = 0; k < 16; k++) {
        const RgModel *model = models[k / 4];
        RgWorld *world = make_world(model, k % 2 == 0 ? "minimal" : "maximal", "pgs");
        double one[256], other[256];
        for (int j = 1; j <= rg_model_info(model).joints && k / 2 % 2 == 1; j++)
            rg_world_set_joint_motor(world, (RgJointId){j}, 0, 0.5, 20.0);
        rg_world_set_gravity(world, (RgVec3){2.0, 1.0, -9.81});
        steps(world, 20);
        RgProblemFile *file = dump(world);
        cr_assert_leq(file->rows.nu, 256);
        solve_to_the_end(file, "cone", one);
        solve_to_the_end(file, "quick", other);
        for (int i = 0; i < file->rows.nu; i++)
            CHECK_NEAR(other[i], one[i], 1e-6, "m/s");
        rg_problem_file_free(file);
        rg_world_destroy(world);
    }
    for (int m = 0; m < 4; m++)
        rg_model_destroy(models[m]);
}

Test(step_dump, says_why_not)
{
    PlaneBody box = plane_box(0.5);
    RgModel *model = plane_model(&box);
    RgWorld *world = make_world(model, "minimal", "quick");
    RgError error = {0};
    cr_expect_eq(rg_world_dump_step(world, NAN, "/tmp/never", &error), RG_ERR_ARGUMENT);
    cr_expect_eq(rg_world_dump_step(world, STEP, "/nowhere/at/all", &error), RG_ERR_FILE);
    cr_expect(error.text[0] != '\0');
    steps(world, 1);
    world_end(world, model);
}
