/*
 * test_world_attachments.c - joints made at run time: bad input is refused with words and changes nothing; contacts of
 * the two links; causes; sleeping bodies; numbers that are used again.
 */
#include "check_near.h"
#include "scene_parts.h"
#include "worlds.h"

#include <stdio.h>
#include <string.h>

#define H 1e-3

/* Two boxes a metre up, beside each other, over a plane. */
static RgModel *boxes(double gap)
{
    RgBuilder *b = scene_begin("boxes");
    RgShapeDef ground = rg_shape_def_default();
    ground.type = RG_SHAPE_halfspace;
    rg_builder_add_shape(b, &ground);
    for (int i = 0; i < 2; i++) {
        RgPose X = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {(0.2 + gap) * i, 0.0, 0.1}};
        RgLinkId link = link_add_at(b, i == 0 ? "a" : "b", inertia_box(1.0, vec(0, 0, 0), vec(0.2, 0.2, 0.2)), X);
        RgShapeDef shape = rg_shape_def_default();
        shape.link = link;
        shape.type = RG_SHAPE_box;
        shape.size[0] = shape.size[1] = shape.size[2] = 0.2;
        rg_builder_add_shape(b, &shape);
    }
    return scene_end(b);
}

static RgWorld *room_for(const RgModel *model, int room, bool sleeping)
{
    RgWorldDef def = world_def(model, "minimal", "semi-implicit");
    def.max_attachments = room;
    def.sleeping = sleeping;
    return world_make(&def);
}

static RgAttachmentDef joint(RgJointType type)
{
    RgAttachmentDef def = rg_attachment_def_default();
    def.name = "j";
    def.joint.type = type;
    def.joint.parent = (RgLinkId){1};
    def.joint.child = (RgLinkId){2};
    return def;
}

typedef struct Bad {
    const char *says;
    RgAttachmentDef def;
} Bad;

Test(world_attachments, bad_input_is_refused)
{
    RgModel *model = boxes(0.1);
    RgWorld *world = room_for(model, 1, false);
    RgAttachmentDef good = joint(RG_JOINT_fixed);
    Bad bad[12];
    for (int i = 0; i < 12; i++)
        bad[i].def = good;
    bad[0].def.cookie = 0, bad[0].says = "rg_attachment_def_default";
    bad[1].def.joint.child = (RgLinkId){3}, bad[1].says = "no such link";
    bad[2].def.joint.child = (RgLinkId){1}, bad[2].says = "itself";
    bad[3].def.joint.type = RG_JOINT_free, bad[3].says = "holds nothing";
    bad[4].def.joint.X_CJ.p.x = NAN, bad[4].says = "rigid pose";
    bad[5].def.break_force = -1.0, bad[5].says = "above 0";
    bad[6].def.attach.cause = RG_ATTACH_above, bad[6].says = "not attach it";
    bad[7].def.detach.cause = RG_ATTACH_below, bad[7].says = "no position";
    bad[8].def.detach.time = NAN, bad[8].says = "finite";
    bad[9].def.joint.type = RG_JOINT_COUNT, bad[9].says = "no such type";
    bad[10].def.attach.cause = RG_ATTACH_CAUSE_COUNT, bad[10].says = "no such cause";
    bad[11].def.joint.type = RG_JOINT_revolute, bad[11].says = "damping must be";
    bad[11].def.joint.dof[0].damping = -1.0;
    uint64_t hash = rg_world_hash(world);
    for (int i = 0; i < 12; i++) {
        RgError error = {0};
        cr_expect(rg_world_add_attachment(world, &bad[i].def, &error).i == 0, "%d", i);
        cr_expect(strstr(error.text, bad[i].says) != NULL, "%d: '%s'", i, error.text);
    }
    RgError error = {0};
    cr_expect(rg_world_attach(world, (RgAttachmentId){1}, &error) == RG_ERR_NOT_FOUND);
    cr_expect(rg_world_detach(world, (RgAttachmentId){7}) == RG_ERR_NOT_FOUND);
    cr_assert(rg_world_add_attachment(world, &good, &error).i == 1);
    cr_expect(rg_world_add_attachment(world, &good, &error).i == 0 && strstr(error.text, "room for 1") != NULL);
    cr_expect(rg_world_remove_attachment(world, (RgAttachmentId){1}) == RG_OK);
    good.placed = true; /* frames 0.3 m apart */
    cr_assert(rg_world_add_attachment(world, &good, &error).i == 1);
    cr_expect(rg_world_attach(world, (RgAttachmentId){1}, &error) == RG_ERR_ARGUMENT);
    cr_expect(strstr(error.text, "apart") != NULL, "%s", error.text);
    cr_expect(rg_world_hash(world) == hash);
    rg_world_destroy(world);
    RgWorldDef def = world_def(model, "minimal", "semi-implicit");
    def.max_attachments = -1;
    cr_expect(rg_world_create(&def, &error) == NULL && strstr(error.text, "max_attachments") != NULL);
    rg_model_destroy(model);
}

static int contacts_between(RgWorld *world)
{
    RgContactView view;
    int n = 0;
    cr_assert(rg_world_contacts(world, NULL, &view, NULL) == RG_OK);
    for (int i = 0; i < view.npairs; i++)
        n += view.pairs[i].shape_a.i == 2 && view.pairs[i].shape_b.i == 3;
    return n;
}

/* Boxes that touch do not while they are attached, unless they are asked to; afterwards they do again. */
Test(world_attachments, attached_links_do_not_touch)
{
    RgModel *model = boxes(0.0);
    for (int collide = 0; collide < 2; collide++) {
        RgWorld *world = room_for(model, 1, false);
        RgAttachmentDef def = joint(RG_JOINT_revolute);
        def.collide = collide != 0;
        RgAttachmentId id = rg_world_add_attachment(world, &def, NULL);
        cr_expect(contacts_between(world) == 1);
        cr_assert(rg_world_attach(world, id, NULL) == RG_OK);
        cr_expect(contacts_between(world) == collide);
        rg_world_detach(world, id);
        cr_expect(contacts_between(world) == 1);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* What sleeps wakes when it is attached and when it is released, and both sides do. */
Test(world_attachments, sleeping_bodies_wake)
{
    RgModel *model = boxes(0.1);
    RgWorld *world = room_for(model, 1, true);
    RgAttachmentDef def = joint(RG_JOINT_fixed);
    RgAttachmentId id = rg_world_add_attachment(world, &def, NULL);
    world_run(world, 1500, H);
    cr_assert(rg_world_is_asleep(world, (RgLinkId){1}) && rg_world_is_asleep(world, (RgLinkId){2}));
    cr_assert(rg_world_attach(world, id, NULL) == RG_OK);
    cr_expect(!rg_world_is_asleep(world, (RgLinkId){1}) && !rg_world_is_asleep(world, (RgLinkId){2}));
    world_run(world, 1500, H);
    cr_assert(rg_world_is_asleep(world, (RgLinkId){2}));
    rg_world_set_link_wrench(world, (RgLinkId){1}, (RgForce){{0, 0, 0}, {0, 0, 30}});
    world_run(world, 500, H);
    cr_expect(rg_world_link_pose(world, (RgLinkId){2}).p.z > 0.3, "lifted by the other");
    world_end(world, model);
}

/* On contact: a box that is pushed against the other sticks to it from the end of that step on. */
Test(world_attachments, contact_attaches)
{
    RgModel *model = boxes(0.05);
    RgWorld *world = room_for(model, 1, false);
    RgAttachmentDef def = joint(RG_JOINT_fixed);
    def.attach.cause = RG_ATTACH_contact;
    RgAttachmentId id = rg_world_add_attachment(world, &def, NULL);
    double v[12] = {0, 0, 0, 1.0, 0, 0, 0, 0, 0, 0, 0, 0};
    rg_world_set_state(world, NULL, v);
    RgAttachmentReport report = {0};
    for (int i = 0; i < 400 && !report.attached; i++) {
        world_run(world, 1, H);
        rg_world_attachment(world, id, &report);
    }
    cr_assert(report.attached);
    RgVec3 apart = vec_sub(rg_world_link_pose(world, (RgLinkId){2}).p, rg_world_link_pose(world, (RgLinkId){1}).p);
    CHECK_NEAR(apart.x, 0.2, 1e-3, "m");
    rg_world_set_link_wrench(world, (RgLinkId){1}, (RgForce){{0, 0, 0}, {-25, 0, 0}});
    world_run(world, 300, H);
    RgVec3 later = vec_sub(rg_world_link_pose(world, (RgLinkId){2}).p, rg_world_link_pose(world, (RgLinkId){1}).p);
    CHECK_NEAR_ALL(&later.x, &apart.x, 3, 1e-9, "m");
    world_end(world, model);
}

/* A slide whose hard drive goes on where the limit of a joint made at run time holds it: what gives way are joints of
   the model. */
Test(world_attachments, shortfalls_name_joints_of_the_model)
{
    RgBuilder *b = scene_begin("slide");
    RgLinkId cart = link_add(b, "cart", inertia_box(1.0, vec(0, 0, 0), vec(0.2, 0.2, 0.2)));
    RgJointDef slide = joint_at(RG_JOINT_prismatic, "slide", (RgLinkId){0}, cart, vec(0, 0, 0), vec(1, 0, 0));
    RgJointId driven = joint_add(b, &slide);
    RgModel *model = scene_end(b);
    RgWorldDef def = world_def(model, "minimal", "semi-implicit");
    def.solver = "dantzig";
    def.max_attachments = 1;
    RgWorld *world = world_make(&def);
    RgAttachmentDef stop = joint(RG_JOINT_planar);
    stop.joint.parent = (RgLinkId){0};
    stop.joint.child = cart;
    stop.joint.dof[0].upper = 0.01;
    RgAttachmentId id = rg_world_add_attachment(world, &stop, NULL);
    cr_assert(rg_world_attach(world, id, NULL) == RG_OK);
    RgDrive drive = rg_drive_default();
    drive.hard = true;
    drive.velocity = 0.5;
    cr_assert(rg_world_set_joint_drive(world, driven, 0, &drive) == RG_OK);
    int named = 0;
    for (int k = 0; k < 100; k++) {
        const RgShortfall *gave;
        cr_assert(rg_world_step(world, H, NULL) == RG_OK);
        int n = rg_world_shortfalls(world, &gave);
        named += n > 0;
        for (int i = 0; i < n; i++)
            cr_expect(gave[i].joint.i == driven.i, "joint %d", (int)gave[i].joint.i);
    }
    cr_expect(named > 10, "%d steps of 100 with shortfalls", named);
    world_end(world, model);
}

/* 8,000 free bodies and room for one joint in minimal coordinates: 48,006 rows of up to 48,000 coefficients are more
   than an int counts. The world is refused with the reason; in maximal coordinates rows are short, and it is made. */
Test(world_attachments, too_many_rows_are_refused)
{
    RgBuilder *b = scene_begin("many");
    char name[16];
    for (int i = 0; i < 8000; i++) {
        snprintf(name, sizeof name, "b%d", i);
        link_add(b, name, inertia_box(1.0, vec(0, 0, 0), vec(0.2, 0.2, 0.2)));
    }
    RgModel *model = scene_end(b);
    RgWorldDef def = world_def(model, "minimal", "semi-implicit");
    RgError error = {0};
    def.max_attachments = 1;
    cr_expect_null(rg_world_create(&def, &error));
    cr_expect_eq(error.status, RG_ERR_UNSUPPORTED);
    cr_expect(strstr(error.text, "too many rows") != NULL && strstr(error.text, "48000 velocities in minimal") != NULL,
              "%s", error.text);
    def.coords = "maximal";
    RgWorld *world = rg_world_create(&def, &error);
    cr_expect_not_null(world, "%s", error.text);
    world_end(world, model);
}
