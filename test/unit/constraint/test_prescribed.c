/*
 * test_prescribed.c - joints that hard drives prescribe leave the unknowns: nothing may come of it but speed.
 *
 * Twin: the same world with rows that may push with nothing on pairs of its joints; a drive beside such a row is a row
 * of the solve. Random trees of all joint kinds, springs and dampers; drives of any effort, and of too little; other
 * joints left alone. Velocities and efforts of both agree to 1e-10 with pivoting solvers, to the tolerance of the
 * twin's with others. Against inverse dynamics: an arm that is driven by all its joints has efforts RNEA(q, v, dv / h).
 */
#include "check_near.h"
#include "counting.h"
#include "draw.h"
#include "random_tree.h"
#include "scene_parts.h"
#include "sim/world_internal.h"
#include "worlds.h"

#include <stdlib.h>
#include <string.h>

#define H 4e-3
enum { TREES = 60, STEPS = 6 };

/* A row on every pair of neighbouring velocities, with no room for an impulse. */
static int idle_rows(const RgModel *model, const RgInputState *state, const RgUserView *view, RgUserRow *rows,
                     int capacity, void *context)
{
    int nv = rg_model_info(model).nv;
    (void)state, (void)view, (void)context;
    for (int k = 0; k < nv && k < capacity; k++)
        rows[k] = (RgUserRow){.ndofs = 2, .dof = {k, (k + 1) % nv}, .coefficient = {1.0, 1.0}};
    return nv < capacity ? nv : capacity;
}

typedef struct Solver {
    const char *name;
    double same; /* relative */
} Solver;
static const Solver solvers[] = {{"dantzig", 1e-10}, {"lemke", 1e-10}, {"cone", 1e-7}, {"quick", 1e-6}};
enum { SOLVERS = sizeof solvers / sizeof solvers[0] };

static RgWorld *make(const RgModel *model, const char *solver, bool as_rows)
{
    RgWorldDef def = world_def(model, "minimal", "semi-implicit");
    def.solver = solver;
    def.contact = false;
    if (as_rows) {
        def.user_rows = idle_rows;
        def.max_user_rows = rg_model_info(model).nv;
    }
    return world_make(&def);
}

/* About half of the joints are driven; efforts: 0: any, else up to that. */
static void drive(RgWorld *world, const RgModel *model, uint64_t seed, double efforts)
{
    Draw d = draw_seed(seed);
    for (int j = 1; j <= rg_model_info(model).joints; j++) {
        RgJointId id = {j};
        for (int k = 0; k < rg_model_joint(model, id).nv; k++) {
            RgDrive drive = {.hard = true, .velocity = draw_between(&d, -1.5, 1.5), .max_effort = INFINITY};
            double bound = draw_between(&d, 0.01, 1.0) * efforts;
            if (efforts > 0.0 && draw_chance(&d, 0.7))
                drive.max_effort = bound;
            if (draw_chance(&d, 0.6))
                cr_assert(rg_world_set_joint_drive(world, id, k, &drive) == RG_OK);
        }
    }
}

static double effort_of(RgWorld *world, int joint, int dof)
{
    RgDriveReport report;
    cr_assert(rg_world_joint_drive(world, (RgJointId){joint}, dof, &report) == RG_OK);
    return report.effort;
}

static void compare(RgWorld *a, RgWorld *b, const RgModel *model, double same, const char *what)
{
    RgModelInfo info = rg_model_info(model);
    double size = 1.0, effort = 1.0;
    for (int k = 0; k < info.nv; k++)
        size = fmax(size, fabs(rg_world_v(a)[k]));
    for (int k = 0; k < info.nv; k++)
        cr_assert(fabs(rg_world_v(a)[k] - rg_world_v(b)[k]) <= same * size, "%s: velocity %d: %.17g, %.17g", what, k,
                  rg_world_v(a)[k], rg_world_v(b)[k]);
    for (int pass = 0; pass < 2; pass++)
        for (int j = 1; j <= info.joints; j++)
            for (int k = 0; k < rg_model_joint(model, (RgJointId){j}).nv; k++) {
                double ours = effort_of(a, j, k), its = effort_of(b, j, k);
                effort = fmax(effort, fabs(ours));
                cr_assert(pass == 0 || fabs(ours - its) <= same * effort, "%s: joint %d: effort %.17g, %.17g", what, j,
                          ours, its);
            }
}

/* How often drives prescribed motion, and how often others beside them were rows since they were at their bounds. */
typedef struct Seen {
    int prescribed, saturated;
} Seen;

static void follow(const Solver *solver, uint64_t seed, double efforts, Seen *seen)
{
    char what[64];
    RgModel *model = random_tree(&(RandomTree){.seed = seed, .no_passive = seed % 3 == 0});
    TestState state = random_state(model, seed);
    RgWorld *worlds[2] = {make(model, solver->name, false), make(model, solver->name, true)};
    for (int i = 0; i < 2; i++) {
        rg_world_set_state(worlds[i], state.q, state.v);
        drive(worlds[i], model, seed, efforts);
    }
    for (int n = 0; n < STEPS; n++) {
        snprintf(what, sizeof what, "%s, tree %d, step %d", solver->name, (int)seed, n);
        for (int i = 0; i < 2; i++)
            cr_assert(rg_world_step(worlds[i], H, NULL) == RG_OK, "%s", what);
        compare(worlds[0], worlds[1], model, solver->same, what);
        const RgContactProblem *p = &worlds[0]->scope.contact->problem;
        cr_assert(worlds[1]->scope.contact->problem.nprescribed_rows == 0, "the twin has drives that are no rows");
        seen->prescribed += p->nprescribed_rows > 0;
        seen->saturated += p->nprescribed_rows > 0 && p->nrows > 0;
        memcpy(state.v, rg_world_v(worlds[0]), (size_t)state.nv * sizeof *state.v);
        memcpy(state.q, rg_world_q(worlds[0]), (size_t)state.nq * sizeof *state.q);
        rg_world_set_state(worlds[1], state.q, state.v);
    }
    rg_world_destroy(worlds[0]);
    rg_world_destroy(worlds[1]);
    test_state_destroy(&state);
    rg_model_destroy(model);
}

Test(prescribed, are_as_rows_that_never_saturate)
{
    Seen seen = {0};
    for (uint64_t seed = 1; seed <= TREES; seed++)
        for (int i = 0; i < SOLVERS; i++)
            follow(&solvers[i], seed, 0.0, &seen);
    cr_assert(seen.prescribed > SOLVERS * TREES * STEPS / 2, "in %d steps only", seen.prescribed);
}

Test(prescribed, are_as_rows_that_saturate)
{
    Seen seen = {0};
    for (uint64_t seed = 1; seed <= TREES; seed++)
        for (int i = 0; i < SOLVERS; i++)
            follow(&solvers[i], seed, 400.0, &seen);
    cr_assert(seen.saturated > SOLVERS * TREES / 2, "in %d steps only", seen.saturated);
}

Test(prescribed, work_by_their_drives)
{
    /* The account of a step must not depend on how it was solved. */
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        RgModel *model = random_tree(&(RandomTree){.seed = seed});
        TestState state = random_state(model, seed);
        RgStepReport report[2];
        for (int i = 0; i < 2; i++) {
            RgWorld *world = make(model, "dantzig", i == 1);
            rg_world_set_state(world, state.q, state.v);
            drive(world, model, seed, 200.0);
            cr_assert(rg_world_step(world, H, &report[i]) == RG_OK);
            rg_world_destroy(world);
        }
        double size = 1.0 + fabs(report[1].work.motors) + fabs(report[1].work.forces);
        CHECK_NEAR(report[0].work.motors, report[1].work.motors, 1e-9 * size, "J");
        CHECK_NEAR(report[0].work.forces, report[1].work.forces, 1e-9 * size, "J");
        CHECK_NEAR(report[0].work.total, report[1].work.total, 1e-9 * size, "J");
        test_state_destroy(&state);
        rg_model_destroy(model);
    }
}

static void shape_add(RgBuilder *b, RgShapeType type, RgLinkId link, RgVec3 at, double size)
{
    RgShapeDef def = rg_shape_def_default();
    def.type = type;
    def.link = link;
    def.X_LS.p = at;
    for (int k = 0; k < 3; k++)
        def.size[k] = size;
    def.surface.mu = def.surface.mu2 = 0.0; /* velocities are unique */
    rg_builder_add_shape(b, &def);
}

/* An arm of two links whose ball strikes a block that stands on the floor. */
static RgModel *striker(void)
{
    RgBuilder *b = scene_begin("striker");
    RgVec3 thin = vec(0.4, 0.05, 0.05), turn = vec(0, 0, 1), nowhere = vec(0, 0, 0);
    RgLinkId upper = link_add(b, "upper", inertia_box(1.0, vec(0.2, 0, 0), thin));
    RgLinkId lower = link_add(b, "lower", inertia_box(1.0, vec(0.2, 0, 0), thin));
    RgJointDef shoulder = joint_at(RG_JOINT_revolute, "shoulder", (RgLinkId){0}, upper, vec(0, 0, 0.1), turn),
               elbow = joint_at(RG_JOINT_revolute, "elbow", upper, lower, vec(0.4, 0, 0), turn);
    joint_add(b, &shoulder);
    joint_add(b, &elbow);
    shape_add(b, RG_SHAPE_sphere, lower, vec(0.4, 0, 0), 0.05);
    RgPose X = {mat_turn(turn, 0.3), vec(0.6, 0.4, 0.1)};
    RgLinkId block = link_add_at(b, "block", inertia_box(2.0, nowhere, vec(0.2, 0.2, 0.2)), X);
    shape_add(b, RG_SHAPE_box, block, nowhere, 0.2);
    shape_add(b, RG_SHAPE_halfspace, (RgLinkId){0}, nowhere, 0.0);
    return scene_end(b);
}

/* Before the stroke joints are prescribed, in it drives are rows, behind it they are prescribed again. */
Test(prescribed, ends_where_something_touches)
{
    enum { ALL = 400 };
    RgModel *model = striker();
    RgWorld *worlds[2];
    int prescribed = 0, rows = 0;
    for (int i = 0; i < 2; i++) {
        RgWorldDef def = world_def(model, "minimal", "semi-implicit");
        def.solver = "cone";
        def.user_rows = i == 1 ? idle_rows : NULL;
        def.max_user_rows = i == 1 ? rg_model_info(model).nv : 0;
        worlds[i] = world_make(&def);
        for (int j = 1; j <= 2; j++) {
            RgDrive drive = {.hard = true, .velocity = j == 1 ? 1.5 : -0.3, .max_effort = 20.0};
            cr_assert(rg_world_set_joint_drive(worlds[i], (RgJointId){j}, 0, &drive) == RG_OK);
        }
    }
    for (int n = 0; n < ALL; n++) {
        for (int i = 0; i < 2; i++)
            cr_assert(rg_world_step(worlds[i], H, NULL) == RG_OK);
        int known = worlds[0]->scope.contact->problem.nprescribed_rows;
        prescribed += known == 2;
        rows += known == 0;
        CHECK_NEAR_ALL(rg_world_q(worlds[0]), rg_world_q(worlds[1]), (size_t)rg_model_info(model).nq, 1e-8, "m");
    }
    cr_assert(prescribed > ALL / 4 && rows > 10, "prescribed in %d of %d steps", prescribed, ALL);
    cr_assert(vec_norm(rg_world_link_pose(worlds[0], rg_model_find_link(model, "block")).p) > 0.75, "not struck");
    for (int i = 0; i < 2; i++)
        rg_world_destroy(worlds[i]);
    rg_model_destroy(model);
}

/* The same bits for any number of threads and from a restored state, and nothing allocated once it runs. */
static void run_and_load(const RgModel *model, uint64_t seed, int threads, double *q, double *v)
{
    enum { MIDDLE = 3 };
    Counting counting = {0};
    TestState state = random_state(model, seed);
    RgWorldDef def = world_def(model, "minimal", "semi-implicit");
    def.contact = false;
    def.threads = threads;
    def.allocator = counting_allocator(&counting);
    RgWorld *world = world_make(&def);
    rg_world_set_state(world, state.q, state.v);
    drive(world, model, seed, 400.0);
    size_t size = 0;
    void *saved = NULL;
    for (int n = 0; n < STEPS; n++) {
        if (n == MIDDLE) {
            size = rg_world_state_size(world);
            saved = malloc(size);
            rg_world_state_save(world, saved);
        }
        cr_assert(rg_world_step(world, H, NULL) == RG_OK);
    }
    memcpy(q, rg_world_q(world), (size_t)state.nq * sizeof *q);
    memcpy(v, rg_world_v(world), (size_t)state.nv * sizeof *v);
    long before = counting.calls;
    cr_assert(rg_world_state_load(world, saved, size) == RG_OK);
    for (int n = MIDDLE; n < STEPS; n++)
        cr_assert(rg_world_step(world, H, NULL) == RG_OK);
    cr_assert(memcmp(q, rg_world_q(world), (size_t)state.nq * sizeof *q) == 0, "restored: other positions");
    cr_assert(memcmp(v, rg_world_v(world), (size_t)state.nv * sizeof *v) == 0, "restored: other velocities");
    cr_assert(counting.calls == before, "%ld allocations", counting.calls - before);
    free(saved);
    rg_world_destroy(world);
    test_state_destroy(&state);
}

Test(prescribed, has_the_same_bits)
{
    enum { MOST = 256 };
    for (uint64_t seed = 1; seed <= TREES; seed += 5) {
        RgModel *model = random_tree(&(RandomTree){.seed = seed});
        RgModelInfo info = rg_model_info(model);
        double q[2][MOST], v[2][MOST];
        cr_assert(info.nq <= MOST);
        for (int i = 0; i < 2; i++)
            run_and_load(model, seed, i == 0 ? 1 : 3, q[i], v[i]);
        cr_assert(memcmp(q[0], q[1], (size_t)info.nq * sizeof q[0][0]) == 0, "tree %d: threads", (int)seed);
        cr_assert(memcmp(v[0], v[1], (size_t)info.nv * sizeof v[0][0]) == 0, "tree %d: threads", (int)seed);
        rg_model_destroy(model);
    }
}
