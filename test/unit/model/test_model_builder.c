/*
 * test_model_builder.c - the builder's contract: defs start from their defaults and are copied, names are
 * unique within a group, the first error stays with its place, groups can be moved, finishing changes
 * nothing.
 */
#include "check_near.h"
#include "draw.h"
#include "scene_parts.h"

#include <string.h>

static RgInertia box(void)
{
    return inertia_box(1.0, vec(0.0, 0.0, 0.0), vec(0.1, 0.2, 0.3));
}

/* A def that was zeroed instead of filled by its default function is caught. */
Test(model_builder, cookies)
{
    static const char *const kinds[6] = {"link", "joint", "shape", "frame", "coupling", "collision_pair"};
    for (int i = 0; i < 6; i++) {
        RgBuilder *b = scene_begin("cookies");
        RgLinkId link = link_add(b, "a", box());
        RgLinkDef zero_link = {.name = "b"};
        RgJointDef zero_joint = {.name = "b", .child = link};
        RgShapeDef zero_shape = {.name = "b", .link = link};
        RgFrameDef zero_frame = {.name = "b", .link = link};
        RgCouplingDef zero_coupling = {.name = "b"};
        RgCollisionPairDef zero_pair = {.link_a = link};
        int taken = i == 0   ? rg_builder_add_link(b, &zero_link).i
                    : i == 1 ? rg_builder_add_joint(b, &zero_joint).i
                    : i == 2 ? rg_builder_add_shape(b, &zero_shape).i
                    : i == 3 ? rg_builder_add_frame(b, &zero_frame).i
                    : i == 4 ? rg_builder_add_coupling(b, &zero_coupling)
                             : rg_builder_add_collision_pair(b, &zero_pair);
        char text[100];
        snprintf(text, sizeof text, "a %s definition must start from rg_%s_def_default()", kinds[i], kinds[i]);
        cr_expect(taken == 0 && rg_builder_error(b)->status == RG_ERR_ARGUMENT);
        cr_expect_str_eq(rg_builder_error(b)->text, text);
        cr_expect(rg_builder_finish(b, NULL) == NULL);
        rg_builder_destroy(b);
    }
}

/* The same name in another group is another thing; within a group the second is refused with the line of
   the first. */
Test(model_builder, names_are_unique_within_a_group)
{
    static const char *const kinds[3] = {"link", "joint", "frame"};
    for (int i = 0; i < 9; i++) {
        static const char *const groups[3] = {"left", "right", NULL};
        RgBuilder *b = scene_begin("twins");
        rg_builder_set_file(b, "twins.sdf");
        RgLinkId base = link_add(b, "base", box()), tip = link_add(b, "tip", box());
        RgLinkDef link = rg_link_def_default();
        RgJointDef joint = joint_at(RG_JOINT_revolute, "same", base, tip, vec(0.0, 0.0, 0.0), vec(0.0, 0.0, 1.0));
        RgFrameDef frame = rg_frame_def_default();
        link.name = frame.name = "same";
        int ids[4];
        for (int k = 0; k < 4; k++) {
            int of = k < 3 ? k : i / 3;
            link.group = joint.group = frame.group = groups[of];
            link.line = joint.line = frame.line = k < 3 ? 10 * k : 99;
            ids[k] = i % 3 == 0   ? rg_builder_add_link(b, &link).i
                     : i % 3 == 1 ? rg_builder_add_joint(b, &joint).i
                                  : rg_builder_add_frame(b, &frame).i;
        }
        cr_expect(ids[0] != 0 && ids[1] != 0 && ids[2] != 0 && ids[3] == 0, "case %d", i);
        const RgError *error = rg_builder_error(b);
        char text[100];
        if (i / 3 == 0)
            snprintf(text, sizeof text, "a second %s named 'same'", kinds[i % 3]);
        else
            snprintf(text, sizeof text, "a second %s named 'same' (the first is at line %d)", kinds[i % 3], i / 3 * 10);
        cr_expect(error->status == RG_ERR_MODEL && error->line == 99 && strcmp(error->file, "twins.sdf") == 0);
        cr_expect_str_eq(error->text, text);
        rg_builder_destroy(b);
    }
}

Test(model_builder, finds_by_group_and_name)
{
    RgBuilder *b = scene_begin("search");
    RgLinkDef def = rg_link_def_default();
    RgJointDef joint = rg_joint_def_default();
    def.name = joint.name = "a";
    def.group = joint.group = "left";
    RgLinkId left = rg_builder_add_link(b, &def);
    joint.child = left;
    RgJointId hinge = rg_builder_add_joint(b, &joint);
    def.group = NULL;
    RgLinkId alone = rg_builder_add_link(b, &def);
    cr_expect(rg_builder_find_link(b, "left", "a").i == left.i);
    cr_expect(rg_builder_find_link(b, NULL, "a").i == alone.i);
    cr_expect(rg_builder_find_link(b, "", "a").i == alone.i, "no group and an empty one are the same");
    cr_expect(rg_builder_find_link(b, "right", "a").i == 0 && rg_builder_find_link(b, "left", "b").i == 0);
    cr_expect(rg_builder_find_joint(b, "left", "a").i == hinge.i && rg_builder_find_joint(b, NULL, "a").i == 0);
    rg_builder_destroy(b);
}

/* The first error stays, with the file and line it came from; what comes after it does not matter. */
Test(model_builder, the_first_error_is_kept)
{
    RgBuilder *b = scene_begin("errors");
    RgLinkDef def = rg_link_def_default();
    def.name = "heavy";
    def.inertia.mass = -3.0;
    def.line = 7;
    rg_builder_set_file(b, "first.urdf");
    rg_builder_add_link(b, &def);
    rg_builder_set_file(b, "second.urdf");
    def.name = NULL;
    def.line = 8;
    rg_builder_add_link(b, &def);
    link_add(b, "good", box());
    RgError error = {0};
    cr_expect(rg_builder_finish(b, &error) == NULL);
    cr_expect(error.status == RG_ERR_MODEL && error.line == 7 && strcmp(error.file, "first.urdf") == 0);
    cr_expect_str_eq(error.text, "link 'heavy': mass -3 kg is negative");
    rg_builder_destroy(b);
}

/* Nothing given to an adder needs to live on; nor does the builder, once the model is there. */
Test(model_builder, everything_is_copied)
{
    char name[8] = "link", group[8] = "robot", uri[16] = "package://m";
    double vertices[12] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    int32_t faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    RgBuilder *b = scene_begin(name);
    RgLinkDef link = rg_link_def_default();
    link.name = name;
    link.group = group;
    RgShapeDef shape = rg_shape_def_default();
    shape.type = RG_SHAPE_mesh;
    shape.name = name;
    shape.uri = uri;
    shape.link = rg_builder_add_link(b, &link);
    int32_t parts[3] = {0, 1, 4};
    shape.mesh = (RgMeshData){vertices, faces, 4, 4, parts, 2};
    shape.mesh_use = RG_MESH_PARTS;
    shape.category = 5;
    shape.mask = 6;
    RgShapeId mesh = rg_builder_add_shape(b, &shape);
    memset(parts, 0, sizeof parts);
    memset(name, '?', sizeof name);
    memset(group, '?', sizeof group);
    memset(uri, '?', sizeof uri);
    memset(vertices, 0, sizeof vertices);
    memset(faces, 0, sizeof faces);
    RgModel *model = scene_end(b);
    cr_expect_str_eq(rg_model_info(model).name, "link");
    cr_expect_str_eq(rg_model_link(model, shape.link).name, "link");
    cr_expect_str_eq(rg_model_link(model, shape.link).group, "robot");
    RgShapeInfo info = rg_model_shape(model, mesh);
    cr_expect_str_eq(info.name, "link");
    cr_expect_str_eq(info.uri, "package://m");
    cr_expect(info.mesh.nvertices == 4 && info.mesh.vertices[11] == 1.0 && info.mesh.faces[11] == 3);
    cr_expect(info.mesh.nparts == 2 && info.mesh.part_start[1] == 1 && info.mesh.part_start[2] == 4);
    cr_expect(info.mesh_use == RG_MESH_PARTS && info.category == 5 && info.mask == 6);
    rg_model_destroy(model);
}

/* What a description does not say about contact. */
Test(model_builder, contact_defaults)
{
    RgShapeDef shape = rg_shape_def_default();
    cr_expect(shape.category == 0xFFFFFFFFu && shape.mask == 0xFFFFFFFFu && shape.mesh_use == RG_MESH_AUTO);
    cr_expect(!rg_link_def_default().self_collide && !rg_collision_pair_def_default().collide);
    cr_expect(rg_collision_pair_def_default().link_a.i == 0 && rg_collision_pair_def_default().link_b.i == 0);
}

/* Pairs come back in the order they were given; the world may be one of the two. */
Test(model_builder, collision_pairs_are_kept)
{
    RgBuilder *b = scene_begin("pairs");
    RgLinkDef touchy = rg_link_def_default();
    touchy.name = "touchy";
    touchy.self_collide = true;
    RgLinkId links[3] = {{0}, link_add(b, "a", box()), rg_builder_add_link(b, &touchy)};
    for (int i = 0; i < 40; i++) {
        RgCollisionPairDef pair = rg_collision_pair_def_default();
        pair.link_a = links[i % 3];
        pair.link_b = links[(i + 1) % 3];
        pair.collide = i % 2;
        pair.line = i;
        cr_assert(rg_builder_add_collision_pair(b, &pair));
    }
    RgModel *model = scene_end(b);
    cr_assert_eq(rg_model_info(model).collision_pairs, 40);
    for (int i = 0; i < 40; i++) {
        RgCollisionPairDef pair = rg_model_collision_pair(model, i);
        cr_expect(pair.link_a.i == links[i % 3].i && pair.link_b.i == links[(i + 1) % 3].i && pair.collide == i % 2 &&
                  pair.line == i);
    }
    cr_expect(rg_model_link(model, links[2]).self_collide && !rg_model_link(model, links[1]).self_collide);
    rg_model_destroy(model);
}

/* Finishing twice gives two equal models, and the description can grow in between. */
Test(model_builder, is_left_as_it_was)
{
    RgBuilder *b = scene_begin("again");
    RgLinkId a = link_add(b, "a", box());
    RgModel *first = rg_builder_finish(b, NULL), *second = rg_builder_finish(b, NULL);
    RgLinkId c = link_add(b, "c", box());
    RgJointDef hinge = joint_at(RG_JOINT_revolute, "hinge", a, c, vec(0.0, 0.0, 0.0), vec(0.0, 0.0, 1.0));
    joint_add(b, &hinge);
    RgModel *third = rg_builder_finish(b, NULL);
    cr_assert(first != NULL && second != NULL && third != NULL);
    cr_expect(rg_model_info(first).nv == 6 && rg_model_info(second).nv == 6 && rg_model_info(third).nv == 7);
    rg_builder_destroy(b);
    rg_model_destroy(first);
    rg_model_destroy(second);
    rg_model_destroy(third);
}

Test(model_builder, hints_default_to_not_given)
{
    RgBuilder *b = scene_begin("hints");
    RgPhysicsHints hints = *rg_builder_hints(b);
    cr_expect(!hints.has_gravity && isnan(hints.max_step) && isnan(hints.ode_erp) && hints.ode_iterations == -1);
    hints.max_step = 0.004;
    hints.ode_iterations = 50;
    rg_builder_set_hints(b, &hints);
    link_add(b, "a", box());
    RgModel *model = scene_end(b);
    cr_expect(rg_model_hints(model)->max_step == 0.004 && rg_model_hints(model)->ode_iterations == 50);
    rg_model_destroy(model);
}

/* Poses of all links at q = 0, of a model with three robots: one floats, one stands on the world, one
   hangs on it by a joint that names the world as its child. */
static void poses(const RgPose *X_WG, RgPose out[6])
{
    static const char *const groups[3] = {"floating", "standing", "hanging"};
    RgBuilder *b = scene_begin("groups");
    Draw d = draw_seed(11);
    RgLinkId links[6];
    for (int i = 0; i < 6; i++) {
        RgLinkDef def = rg_link_def_default();
        def.name = i % 2 == 0 ? "base" : "tip";
        def.group = groups[i / 2];
        def.inertia = box();
        def.X_WL = draw_pose(&d, 1.0);
        links[i] = rg_builder_add_link(b, &def);
    }
    for (int i = 0; i < 5; i++) {
        RgJointDef def = rg_joint_def_default();
        static const int ends[5][2] = {{1, 2}, {0, 3}, {3, 4}, {5, 0}, {5, 6}};
        char name[8] = {(char)('a' + i), '\0'};
        def.name = name;
        def.group = groups[i < 1 ? 0 : i < 3 ? 1 : 2];
        def.type = RG_JOINT_revolute;
        def.axis = draw_direction(&d);
        def.X_PJ = draw_pose(&d, 1.0);
        def.X_CJ = draw_pose(&d, 1.0);
        def.parent.i = ends[i][0];
        def.child.i = ends[i][1];
        joint_add(b, &def);
    }
    for (int g = 0; g < 3 && X_WG != NULL; g++)
        rg_builder_place_group(b, groups[g], X_WG[g]);
    RgModel *model = scene_end(b);
    cr_assert(rg_model_info(model).loops == 0 && rg_model_info(model).nv == 6 + 5);
    RgDynamics *dynamics = rg_dynamics_create(model, NULL);
    double q[12];
    rg_model_neutral(model, q);
    rg_forward_kinematics(dynamics, q, NULL);
    for (int i = 0; i < 6; i++)
        out[i] = rg_link_pose(dynamics, links[i]);
    rg_dynamics_destroy(dynamics);
    rg_model_destroy(model);
}

Test(model_builder, a_placed_group_moves_as_a_whole)
{
    Draw d = draw_seed(12);
    RgPose X_WG[3] = {draw_pose(&d, 2.0), draw_pose(&d, 2.0), draw_pose(&d, 2.0)}, before[6], after[6];
    poses(NULL, before);
    poses(X_WG, after);
    for (int i = 0; i < 6; i++) {
        RgPose expected = place_mul(X_WG[i / 2], before[i]);
        CHECK_NEAR(mat_distance(after[i].R, expected.R), 0.0, 1e-14, "");
        CHECK_NEAR(vec_distance(after[i].p, expected.p), 0.0, 1e-14, "m");
    }
}
