/*
 * test_model_change.c - what a builder holds can be looked at and changed before it is compiled: the model is as if it
 * had been added so; what is impossible is refused as by adders, and the old stays.
 */
#include "check_near.h"
#include "counting.h"
#include "scene_parts.h"

#include <string.h>

static const double corners[12] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
static const int32_t triangles[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

typedef struct Rig {
    RgBuilder *b;
    RgLinkId arm, hand;
    RgJointId shoulder, slide;
    RgShapeId ball, mesh;
} Rig;

/* An arm on a hinge and a hand on a slide that follows it, a ball and a mesh on the hand, and a motor. */
static void describe(Rig *r, const RgAllocator *allocator)
{
    RgBuilder *b = r->b = rg_builder_create(allocator, NULL);
    rg_builder_set_file(b, "rig.sdf");
    RgLinkDef link = rg_link_def_default();
    link.group = "rig";
    link.inertia = inertia_box(1.0, vec(0.0, 0.0, -0.5), vec(0.1, 0.1, 1.0));
    link.name = "arm";
    r->arm = rg_builder_add_link(b, &link);
    link.name = "hand";
    r->hand = rg_builder_add_link(b, &link);
    RgJointDef joint = rg_joint_def_default();
    joint.group = "rig";
    joint.name = "shoulder";
    joint.type = RG_JOINT_revolute;
    joint.child = r->arm;
    joint.line = 7;
    r->shoulder = rg_builder_add_joint(b, &joint);
    joint.name = "slide";
    joint.type = RG_JOINT_prismatic;
    joint.parent = r->arm;
    joint.child = r->hand;
    r->slide = rg_builder_add_joint(b, &joint);
    RgCouplingDef coupling = rg_coupling_def_default();
    coupling.name = "rack";
    coupling.joint = r->slide;
    coupling.reference = r->shoulder;
    rg_builder_add_coupling(b, &coupling);
    RgTransmissionDef motor = rg_transmission_def_default();
    motor.name = "drive";
    motor.joint = r->shoulder;
    rg_builder_add_transmission(b, &motor);
    RgShapeDef shape = rg_shape_def_default();
    shape.name = "ball";
    shape.link = r->hand;
    r->ball = rg_builder_add_shape(b, &shape);
    shape.name = "mesh";
    shape.type = RG_SHAPE_mesh;
    shape.mesh = (RgMeshData){corners, triangles, 4, 4, NULL, 0};
    r->mesh = rg_builder_add_shape(b, &shape);
}

static Rig begin(void)
{
    Rig r;
    describe(&r, NULL);
    cr_assert(rg_builder_error(r.b)->status == RG_OK);
    return r;
}

Test(model_change, views)
{
    Rig r = begin();
    RgBuilderInfo info = rg_builder_info(r.b);
    cr_expect(info.links == 2 && info.joints == 2 && info.shapes == 2 && info.couplings == 1 &&
              info.transmissions == 1 && info.frames == 0 && info.collision_pairs == 0);
    cr_expect_str_eq(rg_builder_link(r.b, r.hand)->name, "hand");
    cr_expect_str_eq(rg_builder_joint(r.b, r.slide)->name, "slide");
    cr_expect_str_eq(rg_builder_shape(r.b, r.mesh)->name, "mesh");
    cr_expect_str_eq(rg_builder_coupling(r.b, 0)->name, "rack");
    cr_expect_str_eq(rg_builder_transmission(r.b, 0)->name, "drive");
    for (int i = -1; i <= 3; i += 4) {
        cr_expect(rg_builder_link(r.b, (RgLinkId){i}) == NULL);
        cr_expect(rg_builder_joint(r.b, (RgJointId){i}) == NULL);
        cr_expect(rg_builder_shape(r.b, (RgShapeId){i}) == NULL);
        cr_expect(rg_builder_coupling(r.b, i) == NULL && rg_builder_transmission(r.b, i) == NULL);
    }
    cr_expect(rg_builder_link(r.b, (RgLinkId){0}) == NULL, "the world is no link that could be changed");
    rg_builder_destroy(r.b);
}

/* The model is as if everything had been given so at once. */
Test(model_change, the_model_has_the_new_numbers)
{
    Rig r = begin();
    RgLinkDef link = *rg_builder_link(r.b, r.hand);
    link.inertia.mass = 3.0;
    RgJointDef joint = *rg_builder_joint(r.b, r.shoulder);
    joint.dof[0].damping = 0.7;
    joint.X_PJ.p.z = 2.0;
    RgShapeDef ball = *rg_builder_shape(r.b, r.ball);
    ball.size[0] = 0.25;
    RgCouplingDef coupling = *rg_builder_coupling(r.b, 0);
    coupling.ratio = -0.05;
    RgTransmissionDef motor = *rg_builder_transmission(r.b, 0);
    motor.ratio = 40.0;
    cr_expect(rg_builder_set_link(r.b, r.hand, &link) && rg_builder_set_joint(r.b, r.shoulder, &joint) &&
              rg_builder_set_shape(r.b, r.ball, &ball) && rg_builder_set_coupling(r.b, 0, &coupling) &&
              rg_builder_set_transmission(r.b, 0, &motor));
    RgModel *model = scene_end(r.b);
    CHECK_NEAR(rg_model_info(model).mass, 4.0, 0.0, "kg");
    CHECK_NEAR(rg_model_link(model, r.hand).inertia.mass, 3.0, 0.0, "kg");
    CHECK_NEAR(rg_model_joint(model, r.shoulder).dof[0].damping, 0.7, 0.0, "N m s");
    CHECK_NEAR(rg_model_joint(model, r.shoulder).X_PJ.p.z, 2.0, 0.0, "m");
    cr_expect(rg_model_joint(model, r.shoulder).line == 7);
    CHECK_NEAR(rg_model_shape(model, r.ball).size[0], 0.25, 0.0, "m");
    CHECK_NEAR(rg_model_coupling(model, 0).ratio, -0.05, 0.0, "m");
    CHECK_NEAR(rg_model_transmission(model, 0).ratio, 40.0, 0.0, "1");
    cr_expect(rg_model_find_link(model, "rig::hand").i == r.hand.i);
    rg_model_destroy(model);
}

/* A mesh that stays is not copied; another one is, and need not live on. */
Test(model_change, meshes)
{
    Rig r = begin();
    const double *kept = rg_builder_shape(r.b, r.mesh)->mesh.vertices;
    RgShapeDef mesh = *rg_builder_shape(r.b, r.mesh);
    mesh.size[2] = 2.0;
    cr_expect(rg_builder_set_shape(r.b, r.mesh, &mesh));
    cr_expect(rg_builder_shape(r.b, r.mesh)->mesh.vertices == kept);
    double other[12];
    memcpy(other, corners, sizeof other);
    other[11] = 5.0;
    mesh.mesh.vertices = other;
    cr_expect(rg_builder_set_shape(r.b, r.mesh, &mesh));
    memset(other, 0, sizeof other);
    RgModel *model = scene_end(r.b);
    RgShapeInfo info = rg_model_shape(model, r.mesh);
    cr_expect(info.size[2] == 2.0 && info.mesh.vertices[11] == 5.0 && info.mesh.faces[11] == 3);
    rg_model_destroy(model);
}

/* Refused with these words: the builder keeps them, and finishing hands them on. */
static void expect_refused(Rig *r, bool taken, const char *text)
{
    const RgError *error = rg_builder_error(r->b);
    cr_expect(!taken && error->status != RG_OK && strstr(error->text, text) != NULL, "expected '%s', got '%s'", text,
              error->text);
    cr_expect(rg_builder_finish(r->b, NULL) == NULL);
    rg_builder_destroy(r->b);
}

Test(model_change, impossible_numbers_are_refused)
{
    Rig r = begin();
    RgLinkDef link = *rg_builder_link(r.b, r.arm);
    link.inertia.mass = -1.0;
    bool taken = rg_builder_set_link(r.b, r.arm, &link);
    CHECK_NEAR(rg_builder_link(r.b, r.arm)->inertia.mass, 1.0, 0.0, "kg");
    expect_refused(&r, taken, "mass -1 kg is negative");

    r = begin();
    RgJointDef joint = *rg_builder_joint(r.b, r.slide);
    joint.dof[0].lower = 2.0;
    joint.dof[0].upper = 1.0;
    taken = rg_builder_set_joint(r.b, r.slide, &joint);
    cr_expect(rg_builder_error(r.b)->line == 7 && strcmp(rg_builder_error(r.b)->file, "rig.sdf") == 0);
    expect_refused(&r, taken, "lower limit must not exceed upper limit");

    r = begin();
    RgShapeDef ball = *rg_builder_shape(r.b, r.ball);
    ball.surface.restitution = 1.5;
    expect_refused(&r, rg_builder_set_shape(r.b, r.ball, &ball), "restitution must be between 0 and 1");

    r = begin();
    RgCouplingDef coupling = *rg_builder_coupling(r.b, 0);
    coupling.ratio = (double)NAN;
    expect_refused(&r, rg_builder_set_coupling(r.b, 0, &coupling), "ratio and offset must be finite");

    r = begin();
    RgTransmissionDef motor = *rg_builder_transmission(r.b, 0);
    motor.ratio = 0.0;
    expect_refused(&r, rg_builder_set_transmission(r.b, 0, &motor), "the ratio not 0");
}

/* Couplings were checked against the joint as it was. */
Test(model_change, a_coupled_joint_keeps_its_axis)
{
    Rig r = begin();
    RgJointDef joint = *rg_builder_joint(r.b, r.slide);
    joint.type = RG_JOINT_fixed;
    bool taken = rg_builder_set_joint(r.b, r.slide, &joint);
    cr_expect(rg_builder_joint(r.b, r.slide)->type == RG_JOINT_prismatic);
    expect_refused(&r, taken, "needs one axis of a moving joint");
}

Test(model_change, names_stay)
{
    Rig r = begin();
    RgLinkDef link = *rg_builder_link(r.b, r.arm);
    link.name = "leg";
    expect_refused(&r, rg_builder_set_link(r.b, r.arm, &link), "a link keeps its name and its group");
    r = begin();
    RgJointDef joint = *rg_builder_joint(r.b, r.slide);
    joint.group = NULL;
    expect_refused(&r, rg_builder_set_joint(r.b, r.slide, &joint), "a joint keeps its name");
    r = begin();
    RgShapeDef zero = {.name = "ball", .link = r.hand};
    expect_refused(&r, rg_builder_set_shape(r.b, r.ball, &zero), "must start from rg_shape_def_default()");
    r = begin();
    RgCouplingDef none = rg_coupling_def_default();
    expect_refused(&r, rg_builder_set_coupling(r.b, 1, &none), "there is no such coupling to change");
}

/* Memory for a new mesh that is out: refused, the old mesh stays, nothing leaks. */
Test(model_change, no_memory_for_a_mesh)
{
    static double many[3 * 4096];
    memcpy(many, corners, sizeof corners);
    Counting counting = {0};
    RgAllocator allocator = counting_allocator(&counting);
    Rig r;
    describe(&r, &allocator);
    RgShapeDef mesh = *rg_builder_shape(r.b, r.mesh);
    mesh.mesh.vertices = many;
    mesh.mesh.nvertices = 4096;
    counting.fail_at = counting.calls + 1;
    cr_expect(!rg_builder_set_shape(r.b, r.mesh, &mesh));
    cr_expect(rg_builder_shape(r.b, r.mesh)->mesh.nvertices == 4);
    cr_expect(rg_builder_error(r.b)->status == RG_ERR_MEMORY);
    rg_builder_destroy(r.b);
    cr_expect(counting.blocks == 0);
}
