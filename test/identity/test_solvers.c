/*
 * test_solvers.c - one problem, many algorithms: where sweeps go on to the end, every solver and both
 * coordinate forms move a scene alike; steps depend on the state alone; nothing is allocated after the first
 * steps.
 */
#include "check_near.h"
#include "counting.h"
#include "on_a_plane.h"
#include "scene_model.h"
#include "vectors.h"
#include "worlds.h"

#include <stdlib.h>
#include <string.h>

typedef struct Run {
    SceneData *scene;
    RgModel *model;
    SceneDrives drives;
    RgWorld *world;
} Run;

typedef struct Setup {
    RgContactLaw law;
    RgPgsOptions pgs;
} Setup;

static Setup setup(const char *preset)
{
    Setup out;
    cr_assert(rg_pgs_preset(preset, &out.law, &out.pgs) == RG_OK);
    return out;
}

static Run begin(const char *scene, const char *coords, const char *solver, const Setup *o,
                 const RgAllocator *allocator)
{
    Run run = {.scene = scene_data_create(scene)};
    RgError error = {0};
    run.model = scene_model_create(run.scene, &error);
    cr_assert(run.model != NULL, "%s", error.text);
    run.drives = scene_drives_begin(run.scene, run.model);
    RgWorldDef def = world_def(run.model, coords, "semi-implicit");
    def.solver = solver;
    def.law = o != NULL ? &o->law : NULL;
    def.pgs = o != NULL ? &o->pgs : NULL;
    def.gravity = run.scene->gravity;
    if (allocator != NULL)
        def.allocator = *allocator;
    run.world = world_make(&def);
    cr_assert(scene_model_start(run.scene, run.world) == RG_OK);
    return run;
}

static void end(Run *run)
{
    rg_world_destroy(run->world);
    scene_drives_end(&run->drives);
    rg_model_destroy(run->model);
    scene_data_destroy(run->scene);
}

static Setup to_the_end(void)
{
    Setup o = setup("default");
    o.pgs.iterations = 5000;
    o.pgs.tolerance = 1e-12;
    o.pgs.friction_sor = 1.0;
    return o;
}

/* A box on the ground, every solver as it comes: it stays where it is. */
Test(solvers, a_box_at_rest_stays)
{
    PlaneBody box = plane_box(0.5);
    RgModel *model = plane_model(&box);
    for (int k = 0; k < 2 * rg_solver_count(); k++) {
        const char *solver = rg_solver_name(k / 2);
        RgWorld *world = pgs_world(model, both_forms[k % 2], solver, NULL, NULL);
        RgStepReport report = {0};
        int guarded = 0;
        for (int i = 0; i < 1000; i++) {
            cr_assert(rg_world_step(world, 1e-3, &report) == RG_OK);
            guarded += report.guarded;
        }
        RgVec3 p = rg_world_link_pose(world, (RgLinkId){1}).p;
        cr_expect(vec_norm(vec_sub(p, vec(0.0, 0.0, box.height))) < 1e-5 && guarded == 0,
                  "%s, %s: at %g %g %g, guarded %d times", solver, both_forms[k % 2], p.x, p.y, p.z, guarded);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* Stacks with sweeps that diverge: every pair of cubes is a chunk of its own, blind to the others, and masses are not
   split, with too much over-relaxation. It is reported, and no energy comes of it. */
Test(solvers, divergence_adds_no_energy)
{
    Setup o = setup("default");
    o.pgs.mass_splitting = false;
    o.pgs.chunks = 24;
    for (int form = 0; form < 2; form++) {
        Run run = begin("S1", both_forms[form], "pgs:jacobi", &o, NULL);
        RgStepReport report = {0};
        int guarded = 0;
        double highest = -INFINITY;
        for (int i = 0; i < 200; i++) {
            cr_assert(rg_world_step(run.world, 5e-3, &report) == RG_OK);
            guarded += report.guarded;
            for (int b = 0; b < run.scene->nbodies; b++)
                highest = fmax(highest, scene_model_body(run.world, b).X_WB.p.z - run.scene->bodies[b].X_WB.p.z);
        }
        cr_expect(guarded > 100 && highest < 1e-2, "guarded %d times, %g m up", guarded, highest);
        end(&run);
    }
}

/* A box on ground that rubs along x alone, gravity leaning along x and y: it stays along x and falls along y. */
Test(solvers, friction_along_one_tangent)
{
    static const char *const names[] = {"quick", "pgs", "pgs:jacobi", "cone", "dantzig", "lemke"};
    PlaneBody box = plane_box(0.5);
    box.surface.mu2 = 0.0;
    box.surface.fdir1 = vec(1.0, 0.0, 0.0);
    RgModel *model = plane_model(&box);
    for (int k = 0; k < 12; k++) {
        RgWorldDef def = world_def(model, both_forms[k % 2], "semi-implicit");
        def.solver = names[k / 2];
        def.gravity = vec(1.0, 1.0, -9.81);
        RgWorld *world = world_make(&def);
        world_run(world, 200, 1e-3);
        RgVec3 v = plane_velocity(world);
        cr_expect(fabs(v.x) < 1e-4 && fabs(v.y - 0.2) < 1e-4, "%s, %s: %g %g m/s", def.solver, both_forms[k % 2], v.x,
                  v.y);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* A short fall onto the ground, with slip and stacked boxes: the same places. */
Test(solvers, pgs_in_both_forms_and_chunks)
{
    Setup o = to_the_end();
    Run a = begin("S1j", "minimal", "pgs", &o, NULL), b = begin("S1j", "maximal", "pgs", &o, NULL);
    Run c = begin("S1j", "maximal", "pgs:jacobi", &o, NULL);
    world_run(a.world, 20, 5e-3);
    world_run(b.world, 20, 5e-3);
    world_run(c.world, 20, 5e-3);
    double worst = 0.0, worst_jacobi = 0.0;
    for (int i = 0; i < a.scene->nbodies; i++) {
        RgVec3 pa = scene_model_body(a.world, i).X_WB.p, pb = scene_model_body(b.world, i).X_WB.p;
        RgVec3 pc = scene_model_body(c.world, i).X_WB.p;
        worst = fmax(worst, vec_norm(vec_sub(pa, pb)));
        worst_jacobi = fmax(worst_jacobi, vec_norm(vec_sub(pb, pc)));
    }
    CHECK_NEAR(worst, 0.0, 1e-6, "m");
    CHECK_NEAR(worst_jacobi, 0.0, 1e-5, "m");
    end(&a);
    end(&b);
    end(&c);
}

/* Solvers that work to a residual: free bodies that touch, and a robot that stands on its feet. */
Test(solvers, exact_ones_in_both_forms)
{
    const char *const scenes[] = {"S1j", "S5"};
    for (int k = 0; k < 2 * rg_solver_count(); k++) {
        const char *name = rg_solver_name(k / 2), *scene = scenes[k % 2];
        if (!rg_solver_is_exact(name))
            continue;
        Run a = begin(scene, "minimal", name, NULL, NULL), b = begin(scene, "maximal", name, NULL, NULL);
        world_run(a.world, 15, a.scene->dt);
        world_run(b.world, 15, b.scene->dt);
        double worst = 0.0;
        for (int i = 0; i < a.scene->nbodies; i++) {
            RgVec3 pa = scene_model_body(a.world, i).X_WB.p, pb = scene_model_body(b.world, i).X_WB.p;
            worst = fmax(worst, vec_norm(vec_sub(pa, pb)));
        }
        /* Joints of the robot are held by rows in one form, by construction in the other. */
        cr_expect(worst < (k % 2 == 0 ? 1e-8 : 1e-6), "%s, %s: %g m apart", scene, name, worst);
        end(&a);
        end(&b);
    }
}

/* A saved state goes on with the same bits. */
Test(solvers, saved_states_go_on_alike)
{
    const char *const scenes[] = {"S1j", "S5", "S6"};
    for (int k = 0; k < 6; k++) {
        Setup o = setup(k % 2 == 0 ? "default" : "gazebo-vrc");
        Run run = begin(scenes[k / 2], "maximal", "pgs", &o, NULL);
        world_run(run.world, 30, run.scene->dt);
        size_t size = rg_world_state_size(run.world);
        void *saved = malloc(size);
        rg_world_state_save(run.world, saved);
        world_run(run.world, 30, run.scene->dt);
        uint64_t hash = rg_world_hash(run.world);
        Run other = begin(scenes[k / 2], "maximal", "pgs", &o, NULL);
        cr_assert(rg_world_state_load(other.world, saved, size) == RG_OK);
        world_run(other.world, 30, run.scene->dt);
        cr_expect(rg_world_hash(other.world) == hash, "%s", scenes[k / 2]);
        free(saved);
        end(&run);
        end(&other);
    }
}

/* Kernels in plain numbers, through a whole run. */
Test(solvers, plain_kernels_give_the_same_bits)
{
    uint64_t hash[2];
    for (int plain = 0; plain < 2; plain++) {
        Setup o = setup("default");
        o.pgs.plain = plain == 1;
        Run run = begin("S1j", "maximal", "pgs", &o, NULL);
        world_run(run.world, 60, run.scene->dt);
        hash[plain] = rg_world_hash(run.world);
        end(&run);
    }
    cr_expect(hash[0] == hash[1]);
}

Test(solvers, pgs_allocates_nothing_once_warm)
{
    Counting counting = {0};
    RgAllocator allocator = counting_allocator(&counting);
    Setup o = setup("gazebo-vrc");
    o.law.restitution = RG_RESTITUTION_POISSON;
    Run run = begin("S1", "maximal", "pgs", &o, &allocator);
    world_run(run.world, 50, run.scene->dt);
    long warm = counting.calls;
    world_run(run.world, 100, run.scene->dt);
    cr_expect(counting.calls == warm, "%ld allocations", counting.calls - warm);
    end(&run);
    cr_expect(counting.blocks == 0);
}

/* The exact ones too, and those that they fall to. */
Test(solvers, exact_ones_allocate_nothing_once_warm)
{
    static const char *const names[] = {"cone",    "cone-convex", "dantzig",         "lemke",
                                        "no-slip", "viscous",     "max-dissipation", "qp"};
    for (int k = 0; k < 16; k++) {
        Counting counting = {0};
        RgAllocator allocator = counting_allocator(&counting);
        Run run = begin(k % 2 == 0 ? "S1" : "S5", "maximal", names[k / 2], NULL, &allocator);
        world_run(run.world, 40, run.scene->dt);
        long warm = counting.calls;
        world_run(run.world, 40, run.scene->dt);
        cr_expect(counting.calls == warm, "%s: %ld allocations", names[k / 2], counting.calls - warm);
        end(&run);
        cr_expect(counting.blocks == 0);
    }
}
