/*
 * test_thin_patches.c - hulls whose contact points lie on one line of the contact plane are not thrown apart.
 *
 * Scenes of ../shared/problems/scenes: two hulls just before such a contact (R1, R2), 200 random hulls in a walled box
 * (D2), by default and with sweeps enough. Laws: without restitution and drives the energy K + P never rises; no force
 * stops more in a step than all the momentum there can be; no body leaves the box.
 */
#include "check_near.h"
#include "scene_file.h"
#include "vectors.h"

#include <stdlib.h>

static SceneFile *read_scene(const char *name)
{
    char path[512];
    RgError error = {0};
    snprintf(path, sizeof path, "%s/../shared/problems/scenes/%s", RIGOR_SOURCE_DIR, name);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return NULL;
    fclose(file);
    SceneFile *scene = scene_file_read(path, &error);
    cr_assert_not_null(scene, "%s:%d: %s", error.file, error.line, error.text);
    return scene;
}

static double energy(RgWorld *world)
{
    RgMomentum m;
    cr_assert_eq(rg_world_momentum(world, &m), RG_OK);
    return m.kinetic + m.potential;
}

/* Largest force at a contact point of the last step. */
static double largest_force(RgWorld *world)
{
    const RgContactForce *forces;
    int count = rg_world_contact_forces(world, &forces);
    double most = 0.0;
    for (int i = 0; i < count; i++)
        most = fmax(most, vec_norm(forces[i].force));
    return most;
}

/* Whether all laws are kept in each step. box: m, half the width of the room; infinite: none. */
static void run(SceneFile *scene, const RgQuickOptions *options, double box)
{
    RgError error = {0};
    RgWorldDef def = scene_file_world_def(scene);
    def.quick = options;
    RgWorld *world = rg_world_create(&def, &error);
    cr_assert_not_null(world, "%s", error.text);
    cr_assert_eq(scene_file_start(scene, world), RG_OK);
    RgMomentum m;
    cr_assert_eq(rg_world_momentum(world, &m), RG_OK);

    /* What all bodies could have if they fell by 10 m; the whole momentum within a step. */
    double before = energy(world), fall = vec_norm(scene->gravity) * 10.0;
    double motion = m.kinetic + m.mass * fall, push = sqrt(2.0 * motion * m.mass) / scene->dt;
    for (int k = 0; k < scene->steps; k++) {
        cr_assert_eq(rg_world_step(world, scene->dt, NULL), RG_OK);
        double now = energy(world), force = largest_force(world);
        cr_assert_leq(now, before + 1e-6 * motion, "step %d: energy rose by %g J", k, now - before);
        cr_assert_leq(force, push, "step %d: %g N", k, force);
        before = now;
    }
    for (int i = 0; i < scene->nbodies; i++) {
        RgVec3 p = rg_world_link_pose(world, (RgLinkId){i + 1}).p;
        if (scene->bodies[i].is_static)
            continue;
        cr_assert(fabs(p.x) < box && fabs(p.y) < box, "body %d is at (%g, %g, %g)", i, p.x, p.y, p.z);
        cr_assert(!scene->has_floor || p.z > 0.0, "body %d is at height %g", i, p.z);
    }
    rg_world_destroy(world);
}

static void run_or_skip(const char *name, const RgQuickOptions *options, double box)
{
    SceneFile *scene = read_scene(name);
    if (scene == NULL)
        cr_skip_test("no scenes beside the project");
    run(scene, options, box);
    scene_file_destroy(scene);
}

Test(thin_patches, two_hulls_that_touch_in_a_line_stay_together)
{
    RgQuickOptions thorough = rg_quick_options_default();
    thorough.max_sweeps = 1000;
    thorough.tolerance = 1e-12;
    run_or_skip("R1.scene", NULL, (double)INFINITY);
    run_or_skip("R1.scene", &thorough, (double)INFINITY);
    run_or_skip("R2.scene", NULL, (double)INFINITY);
    run_or_skip("R2.scene", &thorough, (double)INFINITY);
}

Test(thin_patches, two_hundred_hulls_stay_in_their_box)
{
    run_or_skip("D2.scene", NULL, 1.25);
}
