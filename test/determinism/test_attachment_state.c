/*
 * test_attachment_state.c - joints made at run time as part of the state: a saved state goes on with the same bits, at
 * any number of threads; steps allocate nothing once both ways have been seen; room that is not used changes nothing.
 */
#include "counting.h"
#include "scene_parts.h"
#include "worlds.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define H 1e-3

static RgShapeDef box(RgLinkId link, double edge)
{
    RgShapeDef shape = rg_shape_def_default();
    shape.link = link;
    shape.type = RG_SHAPE_box;
    shape.size[0] = shape.size[1] = shape.size[2] = edge;
    return shape;
}

/* Boxes that fall onto a plane and onto each other; hinged: the last two are a robot. */
static RgModel *boxes_with(bool hinged)
{
    RgBuilder *b = scene_begin("boxes");
    RgShapeDef ground = rg_shape_def_default();
    ground.type = RG_SHAPE_halfspace;
    rg_builder_add_shape(b, &ground);
    for (int i = 0; i < 6; i++) {
        char name[8];
        snprintf(name, sizeof name, "box%d", i);
        RgPose X = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0.07 * (i % 2), 0.02 * i, 0.06 + 0.13 * i}};
        RgLinkId link = link_add_at(b, name, inertia_box(1.0, vec(0, 0, 0), vec(0.1, 0.1, 0.1)), X);
        RgShapeDef shape = box(link, 0.1);
        rg_builder_add_shape(b, &shape);
    }
    if (hinged) {
        RgJointDef hinge =
            joint_at(RG_JOINT_revolute, "hinge", (RgLinkId){5}, (RgLinkId){6}, vec(0.07, 0.0, 0.13), vec(0, 1, 0));
        joint_add(b, &hinge);
    }
    return scene_end(b);
}

static RgModel *boxes(void)
{
    return boxes_with(false);
}

/* One is made on contact, breaks under load; another comes and goes by time. */
static void add_all(RgWorld *world)
{
    RgAttachmentDef glue = rg_attachment_def_default();
    glue.name = "glue";
    glue.joint.type = RG_JOINT_fixed;
    glue.joint.parent = (RgLinkId){1};
    glue.joint.child = (RgLinkId){2};
    glue.break_force = 40.0;
    glue.attach.cause = RG_ATTACH_contact;
    RgAttachmentDef ball = rg_attachment_def_default();
    ball.name = "ball";
    ball.joint.type = RG_JOINT_spherical;
    ball.joint.child = (RgLinkId){6};
    ball.attach = (RgAttachWhen){.cause = RG_ATTACH_time, .time = 0.05, .distance = 1, .angle = 1};
    ball.detach = (RgAttachWhen){.cause = RG_ATTACH_time, .time = 0.35, .distance = 1, .angle = 1};
    cr_assert(rg_world_add_attachment(world, &glue, NULL).i == 1);
    cr_assert(rg_world_add_attachment(world, &ball, NULL).i == 2);
}

static RgWorld *world_by(const RgModel *model, const char *coords, const char *solver, int threads)
{
    RgWorldDef def = world_def(model, coords, "semi-implicit");
    def.max_attachments = 3;
    def.solver = solver;
    def.threads = threads;
    return world_make(&def);
}

Test(attachment_state, a_saved_state_goes_on_with_the_same_bits)
{
    static const char *const solvers[] = {"quick", "pgs"};
    RgModel *model = boxes();
    for (int k = 0; k < 4; k++) {
        RgWorld *world = world_by(model, both_forms[k % 2], solvers[k / 2], 1);
        RgWorld *other = world_by(model, both_forms[k % 2], solvers[k / 2], 3);
        RgWorld *together = world_by(model, both_forms[k % 2], solvers[k / 2], 3);
        add_all(world);
        add_all(together);
        int changes = 0;
        for (int i = 0; i < 500; i++) {
            world_run(world, 1, H);
            world_run(together, 1, H);
            const RgEvent *events;
            changes += rg_world_events(world, &events);
            cr_assert(rg_world_hash(world) == rg_world_hash(together), "threads, step %d", i);
            if (i % 90 != 60)
                continue;
            size_t size = rg_world_state_size(world);
            void *state = malloc(size);
            rg_world_state_save(world, state);
            cr_assert(rg_world_state_load(other, state, size) == RG_OK);
            free(state);
            RgWorld *swap = other;
            other = world;
            world = swap;
            world_run(other, 7, H); /* the one that stays behind must not matter */
        }
        cr_expect(rg_world_hash(world) == rg_world_hash(together));
        cr_expect(changes >= 3, "%s: %d joints made, released and broken", solvers[k / 2], changes);
        rg_world_destroy(world);
        rg_world_destroy(other);
        rg_world_destroy(together);
    }
    rg_model_destroy(model);
}

/* A world that has released its only joint goes on as one that never held it. */
Test(attachment_state, a_released_joint_leaves_nothing_behind)
{
    RgModel *model = boxes_with(true);
    for (int k = 0; k < 2; k++) {
        RgWorld *world = world_by(model, both_forms[k], "quick", 1);
        RgWorld *fresh = world_by(model, both_forms[k], "quick", 1);
        RgDrive drive = rg_drive_default();
        drive.hard = true;
        drive.rate = 10.0;
        drive.max_effort = 5.0;
        cr_assert(rg_world_set_joint_drive(world, (RgJointId){1}, 0, &drive) == RG_OK);
        cr_assert(rg_world_set_joint_drive(fresh, (RgJointId){1}, 0, &drive) == RG_OK);
        RgAttachmentDef weld = rg_attachment_def_default();
        weld.joint.type = RG_JOINT_fixed;
        weld.joint.parent = (RgLinkId){1};
        weld.joint.child = (RgLinkId){2};
        RgAttachmentId id = rg_world_add_attachment(world, &weld, NULL);
        cr_assert(rg_world_attach(world, id, NULL) == RG_OK);
        world_run(world, 100, H);
        cr_assert(rg_world_detach(world, id) == RG_OK);
        size_t size = rg_world_state_size(world);
        void *state = malloc(size);
        rg_world_state_save(world, state);
        cr_assert(rg_world_state_load(fresh, state, size) == RG_OK);
        free(state);
        for (int i = 0; i < 100; i++) {
            world_run(world, 1, H);
            world_run(fresh, 1, H);
            cr_assert(rg_world_hash(world) == rg_world_hash(fresh), "%s: step %d", both_forms[k], i);
        }
        rg_world_destroy(world);
        rg_world_destroy(fresh);
    }
    rg_model_destroy(model);
}

/* A second cycle of attaching and releasing takes no memory. */
Test(attachment_state, steps_allocate_nothing)
{
    RgModel *model = boxes();
    for (int k = 0; k < 2; k++) {
        Counting counting = {0};
        RgWorldDef def = world_def(model, both_forms[k], "semi-implicit");
        def.allocator = counting_allocator(&counting);
        def.max_attachments = 2;
        RgWorld *world = world_make(&def);
        void *start = malloc(rg_world_state_size(world));
        size_t size = rg_world_state_size(world);
        rg_world_state_save(world, start);
        add_all(world);
        world_run(world, 450, H);
        cr_assert(rg_world_state_load(world, start, size) == RG_OK);
        add_all(world);
        long warm = counting.calls;
        world_run(world, 450, H);
        cr_expect(counting.calls == warm, "%s: %ld allocations", both_forms[k], counting.calls - warm);
        rg_world_destroy(world);
        cr_expect(counting.blocks == 0);
        free(start);
    }
    rg_model_destroy(model);
}

/* Room for joints, and joints that are not attached, leave every bit as it is. */
Test(attachment_state, room_alone_changes_nothing)
{
    RgModel *model = boxes();
    for (int k = 0; k < 2; k++) {
        RgWorld *plain = world_of(model, both_forms[k], "semi-implicit");
        RgWorld *roomy = world_by(model, both_forms[k], "quick", 1);
        RgAttachmentDef def = rg_attachment_def_default();
        def.joint.child = (RgLinkId){3};
        cr_assert(rg_world_add_attachment(roomy, &def, NULL).i == 1);
        for (int i = 0; i < 300; i++) {
            world_run(plain, 1, H);
            world_run(roomy, 1, H);
            cr_assert(rg_world_hash(plain) == rg_world_hash(roomy), "%s step %d", both_forms[k], i);
        }
        rg_world_destroy(plain);
        rg_world_destroy(roomy);
    }
    rg_model_destroy(model);
}

/* Bytes of a saved state changed at random: refused or taken, but no number that is not finite. */
Test(attachment_state, damaged_states_are_refused)
{
    RgModel *model = boxes();
    RgWorld *world = world_by(model, "minimal", "quick", 1);
    add_all(world);
    world_run(world, 100, H);
    size_t size = rg_world_state_size(world);
    unsigned char *state = malloc(size), *bad = malloc(size);
    rg_world_state_save(world, state);
    uint32_t seed = 12345;
    for (int i = 0; i < 3000; i++) {
        memcpy(bad, state, size);
        seed = seed * 1664525u + 1013904223u;
        bad[size - 1 - (seed >> 8) % (size < 4000 ? size : 4000)] ^= (unsigned char)(1u << (seed % 8));
        if (rg_world_state_load(world, bad, size) != RG_OK)
            continue;
        RgStepReport report;
        rg_world_step(world, H, &report);
        RgModelInfo info = rg_model_info(model);
        for (int k = 0; k < info.nv; k++)
            cr_assert(isfinite(rg_world_v(world)[k]) && isfinite(rg_world_q(world)[k]), "change %d", i);
    }
    cr_expect(rg_world_state_load(world, state, size) == RG_OK);
    free(state);
    free(bad);
    world_end(world, model);
}
