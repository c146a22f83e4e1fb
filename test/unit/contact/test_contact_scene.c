/*
 * test_contact_scene.c - a model's shapes in contact: who may touch whom, where they touch, in both coordinate forms.
 *
 * The filters are judged on pairs of links whose boxes all overlap, so that a pair that is missing was filtered. The
 * contacts of a box on a floor and of a stack are known by construction.
 */
#include "check_near.h"
#include "counting.h"
#include "scene_parts.h"
#include "worlds.h"

#include <string.h>

static const RgVec3 Z = {0.0, 0.0, 1.0};
static const RgVec3 O = {0.0, 0.0, 0.0};

static RgInertia light(void)
{
    return inertia_box(1.0, O, vec(0.1, 0.1, 0.1));
}

static RgLinkId add_link(RgBuilder *b, const char *name, const char *group, bool self_collide, bool is_static)
{
    RgLinkDef def = rg_link_def_default();
    def.name = name;
    def.group = group;
    def.inertia = light();
    def.self_collide = self_collide;
    def.is_static = is_static;
    return rg_builder_add_link(b, &def);
}

static RgShapeId add_box(RgBuilder *b, RgLinkId link, RgVec3 p, RgVec3 size)
{
    RgShapeDef def = rg_shape_def_default();
    def.type = RG_SHAPE_box;
    def.link = link;
    def.X_LS.p = p;
    def.size[0] = size.x;
    def.size[1] = size.y;
    def.size[2] = size.z;
    return rg_builder_add_shape(b, &def);
}

static RgShapeId add_cube(RgBuilder *b, RgLinkId link)
{
    return add_box(b, link, O, vec(0.1, 0.1, 0.1));
}

static RgShapeId add_floor(RgBuilder *b)
{
    RgShapeDef def = rg_shape_def_default();
    def.type = RG_SHAPE_halfspace;
    return rg_builder_add_shape(b, &def);
}

static void add_pair(RgBuilder *b, RgLinkId a, RgLinkId c, bool collide)
{
    RgCollisionPairDef def = rg_collision_pair_def_default();
    def.link_a = a;
    def.link_b = c;
    def.collide = collide;
    cr_assert(rg_builder_add_collision_pair(b, &def));
}

/* Whether the world finds the pair among those that may touch, with every other pair left aside. */
static bool may_touch(RgWorld *world, RgShapeId a, RgShapeId b)
{
    RgShapeDistance near[64];
    int count;
    RgError error;
    cr_assert(rg_world_distances(world, INFINITY, near, 64, &count, &error) == RG_OK, "%s", error.text);
    cr_assert_leq(count, 64);
    for (int i = 0; i < count; i++)
        if ((near[i].shape_a.i == a.i && near[i].shape_b.i == b.i) ||
            (near[i].shape_a.i == b.i && near[i].shape_b.i == a.i))
            return true;
    return false;
}

/* A robot of base, arm, hand and a tool welded to the hand, with a joint between each two, and a floor. */
typedef struct Robot {
    RgBuilder *builder;
    RgLinkId base, arm, hand, tool, stone;
    RgShapeId base_box, arm_box, hand_box, tool_box, stone_box, floor;
} Robot;

static Robot robot_begin(bool self_collide, bool bolted)
{
    Robot r = {.builder = scene_begin("robot")};
    RgBuilder *b = r.builder;
    r.base = add_link(b, "base", "robot", self_collide, bolted);
    r.arm = add_link(b, "arm", "robot", self_collide, false);
    r.hand = add_link(b, "hand", "robot", self_collide, false);
    r.tool = add_link(b, "tool", "robot", self_collide, false);
    r.stone = add_link(b, "stone", "stone", false, false);
    RgJointDef shoulder = joint_at(RG_JOINT_revolute, "shoulder", r.base, r.arm, O, Z);
    RgJointDef wrist = joint_at(RG_JOINT_revolute, "wrist", r.arm, r.hand, O, Z);
    RgJointDef weld = joint_at(RG_JOINT_fixed, "weld", r.hand, r.tool, O, Z);
    shoulder.group = wrist.group = weld.group = "robot";
    joint_add(b, &shoulder);
    joint_add(b, &wrist);
    joint_add(b, &weld);
    r.base_box = add_cube(b, r.base);
    r.arm_box = add_cube(b, r.arm);
    r.hand_box = add_cube(b, r.hand);
    r.tool_box = add_cube(b, r.tool);
    r.stone_box = add_cube(b, r.stone);
    r.floor = add_floor(b);
    return r;
}

Test(contact_scene, links_of_one_robot_touch_only_if_it_says_so)
{
    for (int self = 0; self < 2; self++) {
        Robot r = robot_begin(self != 0, false);
        RgModel *model = scene_end(r.builder);
        RgWorld *world = world_of(model, "minimal", "semi-implicit");
        cr_expect_eq(may_touch(world, r.base_box, r.hand_box), self != 0);
        cr_expect_eq(may_touch(world, r.base_box, r.tool_box), self != 0);

        /* Neighbours across a joint, and what is welded to them, never; welded links never. */
        cr_expect_not(may_touch(world, r.base_box, r.arm_box));
        cr_expect_not(may_touch(world, r.arm_box, r.hand_box));
        cr_expect_not(may_touch(world, r.arm_box, r.tool_box));
        cr_expect_not(may_touch(world, r.hand_box, r.tool_box));

        /* Others always. */
        cr_expect(may_touch(world, r.stone_box, r.tool_box));
        cr_expect(may_touch(world, r.floor, r.base_box));
        world_end(world, model);
    }
}

Test(contact_scene, what_is_bolted_down_touches_neither_floor_nor_neighbour)
{
    Robot r = robot_begin(true, true);
    RgModel *model = scene_end(r.builder);
    RgWorld *world = world_of(model, "minimal", "semi-implicit");
    cr_expect_not(may_touch(world, r.floor, r.base_box), "both stand still");
    cr_expect_not(may_touch(world, r.base_box, r.arm_box), "neighbours");
    cr_expect(may_touch(world, r.floor, r.arm_box), "the floor is no neighbour of the arm");
    cr_expect(may_touch(world, r.base_box, r.hand_box));
    world_end(world, model);
}

Test(contact_scene, the_list_of_pairs_has_the_last_word)
{
    Robot r = robot_begin(false, false);
    add_pair(r.builder, r.stone, r.tool, false);
    add_pair(r.builder, r.base, r.arm, true);
    add_pair(r.builder, r.base, r.hand, true);
    add_pair(r.builder, (RgLinkId){0}, r.stone, false);
    RgModel *model = scene_end(r.builder);
    RgWorld *world = world_of(model, "minimal", "semi-implicit");
    cr_expect_not(may_touch(world, r.stone_box, r.tool_box));
    cr_expect(may_touch(world, r.stone_box, r.hand_box), "the hand is welded to the tool, but was not named");
    cr_expect(may_touch(world, r.base_box, r.arm_box), "neighbours that are included");
    cr_expect(may_touch(world, r.base_box, r.hand_box), "without self_collide");
    cr_expect_not(may_touch(world, r.base_box, r.tool_box));
    cr_expect_not(may_touch(world, r.floor, r.stone_box), "the world as a link");
    world_end(world, model);
}

Test(contact_scene, masks_keep_shapes_apart)
{
    RgBuilder *b = scene_begin("masks");
    RgShapeId box[3];
    const uint32_t category[3] = {1u, 2u, 3u}, mask[3] = {1u, 3u, 2u};
    for (int i = 0; i < 3; i++) {
        const char *names[3] = {"one", "two", "three"};
        RgLinkId link = add_link(b, names[i], NULL, false, false);
        RgShapeDef def = rg_shape_def_default();
        def.type = RG_SHAPE_sphere;
        def.size[0] = 0.1;
        def.link = link;
        def.category = category[i];
        def.mask = mask[i];
        box[i] = rg_builder_add_shape(b, &def);
    }
    RgModel *model = scene_end(b);
    RgWorld *world = world_of(model, "minimal", "semi-implicit");
    cr_expect_not(may_touch(world, box[0], box[1]), "1 is not in 3's category 2 ... one-sided");
    cr_expect_not(may_touch(world, box[0], box[2]), "three does not want category 1");
    cr_expect(may_touch(world, box[1], box[2]));
    world_end(world, model);
}

/* ------------------------------------------------------------------ contacts */

/* A cube on the floor and a smaller one on it. */
static RgModel *stack(void)
{
    RgBuilder *b = scene_begin("stack");
    RgLinkId big = link_add_at(b, "big", light(), (RgPose){mat_identity(), vec(0.0, 0.0, 0.5)});
    RgLinkId small = link_add_at(b, "small", light(), (RgPose){mat_identity(), vec(0.25, 0.0, 1.25)});
    add_floor(b);
    add_box(b, big, O, vec(1.0, 1.0, 1.0));
    add_box(b, small, O, vec(0.5, 0.5, 0.5));
    return scene_end(b);
}

Test(contact_scene, a_stack_touches_at_its_corners_in_both_forms)
{
    RgModel *model = stack();
    for (int form = 0; form < 2; form++) {
        RgWorld *world = world_of(model, both_forms[form], "semi-implicit");
        RgContactView view;
        RgError error;
        cr_assert(rg_world_contacts(world, NULL, &view, &error) == RG_OK, "%s", error.text);
        cr_assert_eq(view.npairs, 2);
        cr_expect_eq(view.pairs[0].shape_a.i, 1);
        cr_expect_eq(view.pairs[0].shape_b.i, 2);
        cr_expect_eq(view.pairs[1].shape_a.i, 2);
        cr_expect_eq(view.pairs[1].shape_b.i, 3);
        cr_assert_eq(view.nmanifolds, 2);
        cr_expect_eq(view.npoints, 8);
        cr_expect_eq(view.unsure, 0);
        for (int k = 0; k < view.nmanifolds; k++) {
            const RgManifold *manifold = &view.manifolds[k];
            cr_expect_eq(manifold->touch, RG_TOUCH_face_face);
            cr_expect_eq(manifold->count, 4);
            for (int i = 0; i < manifold->count; i++) {
                const RgContactPoint *point = &view.points[manifold->first + i];
                CHECK_NEAR(point->gap, 0.0, 1e-15, "m");
                CHECK_NEAR(point->point_a.z, (double)k, 1e-15, "m");
                CHECK_NEAR(fabs(point->point_a.y), k == 0 ? 0.5 : 0.25, 1e-15, "m");
                CHECK_NEAR(point->normal.z, 1.0, 1e-15, "");
            }
        }
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* The same state gives the same bits, whatever was asked before and wherever the world was. */
Test(contact_scene, contacts_are_a_function_of_the_state)
{
    RgModel *model = stack();
    RgWorld *fresh = world_of(model, "minimal", "semi-implicit");
    RgWorld *used = world_of(model, "minimal", "semi-implicit");
    int nq = rg_model_info(model).nq;
    double q[14], away[14];
    memcpy(q, rg_world_q(fresh), (size_t)nq * sizeof *q);
    q[6] -= 1e-4; /* slightly into the floor */
    q[0] = 1.0;
    q[3] = 0.01; /* slightly turned */
    RgContactView a, b;
    for (int i = 0; i < 20; i++) {
        memcpy(away, q, sizeof q);
        away[4] += 0.3 * (double)(i % 7) - 1.0;
        away[6] += 0.05 * (double)(i % 3);
        cr_assert(rg_world_set_state(used, away, NULL) == RG_OK);
        cr_assert(rg_world_contacts(used, NULL, &b, NULL) == RG_OK);
    }
    cr_assert(rg_world_set_state(used, q, NULL) == RG_OK);
    cr_assert(rg_world_set_state(fresh, q, NULL) == RG_OK);
    cr_assert(rg_world_contacts(fresh, NULL, &a, NULL) == RG_OK);
    cr_assert(rg_world_contacts(used, NULL, &b, NULL) == RG_OK);
    cr_assert_gt(a.npoints, 0);
    cr_assert_eq(a.npoints, b.npoints);
    for (int i = 0; i < a.npoints; i++) {
        cr_expect_eq(a.points[i].id, b.points[i].id);
        cr_expect_eq(a.points[i].gap, b.points[i].gap);
        cr_expect_eq(memcmp(&a.points[i].point_a, &b.points[i].point_a, sizeof(RgVec3)), 0);
        cr_expect_eq(memcmp(&a.points[i].normal, &b.points[i].normal, sizeof(RgVec3)), 0);
    }
    rg_world_destroy(fresh);
    world_end(used, model);
}

/* A ball that has rested on the origin of the floor's frame and is then pushed rolls on the floor, not about that
   point. */
Test(contact_scene, a_ball_rolls_off_the_origin_of_the_floor)
{
    RgBuilder *b = rg_builder_create(NULL, NULL);
    RgLinkDef link = rg_link_def_default();
    link.name = "ball";
    link.inertia.mass = 1.0;
    link.inertia.I = (RgSym3){4e-3, 4e-3, 4e-3, 0.0, 0.0, 0.0};
    link.X_WL.p = vec(0.0, 0.0, 0.1);
    RgLinkId ball = rg_builder_add_link(b, &link);
    RgShapeDef shape = rg_shape_def_default();
    shape.type = RG_SHAPE_sphere;
    shape.link = ball;
    shape.size[0] = 0.1;
    rg_builder_add_shape(b, &shape);
    add_floor(b);
    RgModel *model = rg_builder_finish(b, NULL);
    rg_builder_destroy(b);
    RgWorld *world = world_of(model, "minimal", "semi-implicit");
    for (int i = 0; i < 200; i++) {
        if (i == 50)
            cr_assert(rg_world_set_link_wrench(world, ball, (RgForce){O, vec(0.5, 0.0, 0.0)}) == RG_OK);
        cr_assert(rg_world_step(world, 1e-3, NULL) == RG_OK);
    }
    RgPose X = rg_world_link_pose(world, ball);
    cr_expect_gt(X.p.x, 1e-3);
    CHECK_NEAR(X.p.z, 0.1, 1e-9, "m");
    world_end(world, model);
}

Test(contact_scene, nothing_is_allocated_once_it_is_warm)
{
    Counting counting = {0};
    RgModel *model = stack();
    RgWorldDef def = world_def(model, "minimal", "semi-implicit");
    def.allocator = counting_allocator(&counting);
    RgWorld *world = world_make(&def);
    RgContactView view;
    for (int i = 0; i < 3; i++)
        cr_assert(rg_world_contacts(world, NULL, &view, NULL) == RG_OK);
    long before = counting.calls;
    for (int i = 0; i < 50; i++) {
        double q[14];
        memcpy(q, rg_world_q(world), sizeof q);
        q[4] += 0.01;
        cr_assert(rg_world_set_state(world, q, NULL) == RG_OK);
        cr_assert(rg_world_contacts(world, NULL, &view, NULL) == RG_OK);
    }
    cr_expect_eq(counting.calls, before);
    rg_world_destroy(world);
    cr_expect_eq(counting.blocks, 0);
    rg_model_destroy(model);
}

/* Memory that runs out at any point of the first question: an error, nothing lost, and the next one may succeed. */
Test(contact_scene, out_of_memory_is_an_error)
{
    RgModel *model = stack();
    bool done = false;
    for (long fail = 1; fail < 400 && !done; fail++) {
        Counting counting = {0};
        RgWorldDef def = world_def(model, "minimal", "semi-implicit");
        def.allocator = counting_allocator(&counting);
        RgWorld *world = world_make(&def);
        counting.fail_at = counting.calls + fail;
        RgContactView view;
        RgStatus status = rg_world_contacts(world, NULL, &view, NULL);
        done = status == RG_OK;
        cr_expect(done || status == RG_ERR_MEMORY, "call %ld gave %s", fail, rg_status_text(status));
        counting.fail_at = 0;
        cr_expect(rg_world_contacts(world, NULL, &view, NULL) == RG_OK);
        rg_world_destroy(world);
        cr_expect_eq(counting.blocks, 0);
    }
    cr_expect(done);
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ one pair, rays, errors */

Test(contact_scene, distance_of_one_pair_and_rays)
{
    RgModel *model = stack();
    RgWorld *world = world_of(model, "maximal", "semi-implicit");
    RgDistance d;
    RgError error;
    cr_assert(rg_world_distance(world, (RgShapeId){1}, (RgShapeId){3}, &d, &error) == RG_OK);
    CHECK_NEAR(d.distance, 1.0, 1e-15, "m");
    cr_expect_eq(rg_world_distance(world, (RgShapeId){1}, (RgShapeId){4}, &d, &error), RG_ERR_NOT_FOUND);
    cr_expect(strstr(error.text, "no shape 4") != NULL, "%s", error.text);

    RgRay ray = {.origin = vec(0.25, 0.0, 5.0), .direction = vec(0.0, 0.0, -2.0), .reach = INFINITY};
    RgShapeId shape;
    RgRayHit hit;
    cr_assert(rg_world_ray_cast(world, &ray, UINT32_MAX, &shape, &hit, &error) == RG_OK);
    cr_expect_eq(shape.i, 3);
    CHECK_NEAR(hit.distance, 3.5, 1e-14, "m");
    ray.origin.x = 4.0;
    cr_assert(rg_world_ray_cast(world, &ray, UINT32_MAX, &shape, &hit, &error) == RG_OK);
    cr_expect_eq(shape.i, 1);
    CHECK_NEAR(hit.distance, 5.0, 1e-14, "m");
    ray.direction.z = 1.0;
    cr_assert(rg_world_ray_cast(world, &ray, UINT32_MAX, &shape, &hit, &error) == RG_OK);
    cr_expect_eq(shape.i, 0);
    world_end(world, model);
}

/* A moving mesh that is flat has no hull: the error names link and shape. */
Test(contact_scene, a_bad_shape_is_named)
{
    static const double vertices[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    static const int32_t faces[6] = {0, 1, 2, 1, 3, 2};
    RgBuilder *b = scene_begin("flat");
    RgLinkId link = link_add(b, "sheet", light());
    RgShapeDef def = rg_shape_def_default();
    def.name = "skin";
    def.type = RG_SHAPE_mesh;
    def.link = link;
    def.size[0] = def.size[1] = def.size[2] = 1.0;
    def.mesh = (RgMeshData){.vertices = vertices, .faces = faces, .nvertices = 4, .nfaces = 2};
    rg_builder_add_shape(b, &def);
    RgModel *model = scene_end(b);
    RgContactView view;
    RgError error = {0};
    RgWorldDef made = rg_world_def_default();
    made.model = model;
    cr_expect(rg_world_create(&made, &error) == NULL && error.status == RG_ERR_MODEL);
    cr_expect(strstr(error.text, "sheet") != NULL && strstr(error.text, "skin") != NULL, "%s", error.text);

    /* A world without contact makes no shapes until it is asked about them. */
    error = (RgError){0};
    made.contact = false;
    RgWorld *world = rg_world_create(&made, &error);
    cr_assert(world != NULL && rg_world_step(world, 1e-3, NULL) == RG_OK);
    cr_expect_eq(rg_world_contacts(world, NULL, &view, &error), RG_ERR_MODEL);
    cr_expect(strstr(error.text, "sheet") != NULL && strstr(error.text, "skin") != NULL, "%s", error.text);
    world_end(world, model);
}
