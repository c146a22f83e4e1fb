/*
 * test_no_allocation.c - after the first steps a world allocates nothing, whatever it is asked; and it
 * returns every block.
 *
 * All memory of a world goes through the allocator in its def, which here counts.
 */
#include "counting.h"
#include "scene_contacts.h"
#include "scenes.h"
#include "worlds.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* Everything that a program may ask in its loop. */
static void use(RgWorld *world, double *work)
{
    RgMomentum m;
    RgForce reaction;
    world_run(world, 1, 1e-3);
    rg_world_momentum(world, &m);
    rg_world_acceleration(world, work);
    rg_world_joint_error(world);
    rg_world_q(world);
    rg_world_v(world);
    rg_world_hash(world);
    RgModelInfo info = rg_model_info(rg_world_model(world));
    for (int i = 1; i <= info.links; i++)
        rg_world_link_pose(world, (RgLinkId){i});
    for (int i = 1; i <= info.joints; i++) {
        double q[7];
        rg_world_joint_position(world, (RgJointId){i}, q);
        rg_world_joint_rate(world, (RgJointId){i}, q);
        rg_world_joint_effort(world, (RgJointId){i}, q);
        rg_world_joint_reaction(world, (RgJointId){i}, &reaction);
    }
    rg_world_set_state(world, rg_world_q(world), NULL);
}

static void check_scene(const Scene *scene, const char *stepper, const char *coords)
{
    Counting counting = {0};
    RgModel *model = scene->build();
    double *work = calloc((size_t)rg_model_info(model).nv + 1, sizeof *work);
    RgWorldDef def = world_def(model, coords, stepper);
    def.allocator = counting_allocator(&counting);
    RgWorld *world = world_make(&def);
    for (int i = 0; i < 3; i++)
        use(world, work);
    cr_expect(counting.calls > 0, "%s: the allocator was not used", scene->name);
    long warm = counting.calls;
    for (int i = 0; i < 20; i++)
        use(world, work);
    cr_expect(counting.calls == warm, "%s %s %s: %ld allocations in 20 steps", scene->name, stepper, coords,
              counting.calls - warm);
    rg_world_destroy(world);
    cr_expect(counting.blocks == 0, "%s %s %s: %ld blocks leaked", scene->name, stepper, coords, counting.blocks);
    free(work);
    rg_model_destroy(model);
}

Test(no_allocation, in_steps_of_all_scenes)
{
    for (const Scene *scene = scene_table; scene->name != NULL; scene++)
        for (int i = 0; i < 2 * rg_stepper_count(); i++)
            check_scene(scene, rg_stepper_name(i / 2), both_forms[i % 2]);
}

/* Memory that runs out at any moment of creation: a clear answer, nothing leaked. */
Test(no_allocation, failing_memory_is_answered)
{
    RgModel *model = scene_stewart();
    for (int i = 0; i < 2; i++) {
        Counting counting = {0};
        RgWorldDef def = world_def(model, both_forms[i], "reference");
        def.allocator = counting_allocator(&counting);
        RgWorld *world = world_make(&def);
        long needed = counting.calls;
        rg_world_destroy(world);
        for (long fail = 1; fail <= needed; fail++) {
            counting = (Counting){.fail_at = fail};
            RgError error = {0};
            world = rg_world_create(&def, &error);
            cr_expect(world == NULL && error.status == RG_ERR_MEMORY, "allocation %ld of %ld", fail, needed);
            cr_expect(counting.blocks == 0, "allocation %ld: %ld blocks leaked", fail, counting.blocks);
        }
    }
    rg_model_destroy(model);
}

/* The same for the workspace of the tree algorithms. */
Test(no_allocation, dynamics_workspace)
{
    Counting counting = {0};
    RgAllocator allocator = counting_allocator(&counting);
    RgModel *model = scene_humanoid();
    RgDynamics *dynamics = rg_dynamics_create(model, &allocator);
    cr_assert(dynamics != NULL);
    long needed = counting.calls;
    double q[37], v[36] = {0.0}, tau[36] = {0.0}, a[36];
    static double M[36 * 36];
    rg_model_neutral(model, q);
    for (int i = 0; i < 3; i++) {
        cr_expect(rg_forward_dynamics(dynamics, q, v, tau, NULL, a) == RG_OK);
        cr_expect(rg_forward_dynamics_factor(dynamics, q, v, tau, NULL, a) == RG_OK);
        cr_expect(rg_inverse_dynamics(dynamics, q, v, a, NULL, tau) == RG_OK);
        cr_expect(rg_mass_matrix(dynamics, q, M) == RG_OK);
    }
    cr_expect(counting.calls == needed, "%ld allocations in the calls", counting.calls - needed);
    rg_dynamics_destroy(dynamics);
    cr_expect(counting.blocks == 0);
    for (long fail = 1; fail <= needed; fail++) {
        counting = (Counting){.fail_at = fail};
        cr_expect(rg_dynamics_create(model, &allocator) == NULL, "allocation %ld", fail);
        cr_expect(counting.blocks == 0, "allocation %ld: %ld blocks leaked", fail, counting.blocks);
    }
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ with contact */

/* A run, and everything that may be asked about contacts after each step. */
static void run_and_ask(RgWorld *world, const ContactCase *from)
{
    for (int i = 0; i < from->steps; i++) {
        const RgContactForce *forces;
        RgContactView view;
        RgForce reaction;
        RgShapeDistance near[4];
        int count;
        cr_assert(contact_run_steps(world, from->h, 1), "%s", from->name);
        rg_world_contact_forces(world, &forces);
        rg_world_contacts(world, NULL, &view, NULL);
        rg_world_distances(world, 0.01, near, 4, &count, NULL);
        rg_world_joint_reaction(world, (RgJointId){1}, &reaction);
        rg_world_hash(world);
    }
}

/* What has been run twice is run again without a single allocation. The second time may still need some: which
   pairs the broad phase keeps for later depends on what it saw before. */
enum { RUNS = 3 };

static void check_contact(const ContactCase *from, const char *coords, const char *solver, bool sleeping)
{
    Counting counting = {0};
    RgWorldDef def = rg_world_def_default();
    def.coords = coords;
    def.solver = solver;
    def.sleeping = sleeping;
    def.sleep_time = 0.05;
    def.allocator = counting_allocator(&counting);
    ContactRun run;
    cr_assert(contact_run_begin(from, def, &run));
    RgWorld *world = contact_run_world(&run);
    cr_assert(world != NULL);
    size_t size = rg_world_state_size(world);
    char *start = malloc(size);
    rg_world_state_save(world, start);
    uint64_t end[RUNS];
    long calls[RUNS];
    for (int i = 0; i < RUNS; i++) {
        cr_assert(rg_world_state_load(world, start, size) == RG_OK);
        run_and_ask(world, from);
        end[i] = rg_world_hash(world);
        calls[i] = counting.calls;
        cr_expect(end[i] == end[0], "%s, %s, %s: run %d is another", from->name, coords, solver, i);
    }
    cr_expect(calls[RUNS - 1] == calls[RUNS - 2], "%s, %s, %s: %ld allocations in the last run", from->name, coords,
              solver, calls[RUNS - 1] - calls[RUNS - 2]);
    free(start);
    rg_world_destroy(world);
    contact_run_end(&run);
    cr_expect(counting.blocks == 0, "%s, %s, %s: %ld blocks leaked", from->name, coords, solver, counting.blocks);
}

Test(no_allocation, in_runs_with_contact)
{
    static const char *const solvers[2] = {"quick", "pgs"};
    for (const ContactCase *c = contact_cases; c->name != NULL; c++)
        for (int k = 0; k < 4; k++)
            check_contact(c, both_forms[k % 2], solvers[k / 2], k % 2 == 1);
}

Test(no_allocation, in_runs_with_exact_solvers)
{
    for (int c = 0; contact_cases_exact[c].name != NULL; c += 2) /* few balls; the quadruped */
        for (int k = 0; contact_solvers_exact[k] != NULL; k++)
            for (int form = 0; form < 2; form++)
                check_contact(&contact_cases_exact[c], both_forms[form], contact_solvers_exact[k], form == 1);
}
