/* test_record_layout.c - which numbers a row holds, and what they are called. */
#include "record/record.h"
#include "scene_parts.h"

#include <criterion/criterion.h>
#include <string.h>

/* A link with a little mass, and a joint that carries it. */
static RgLinkId add_link(RgBuilder *builder, const char *group, const char *name)
{
    RgLinkDef def = rg_link_def_default();
    def.name = name;
    def.group = group;
    def.inertia = (RgInertia){.mass = 1.0, .I = {.xx = 0.1, .yy = 0.1, .zz = 0.1}};
    return rg_builder_add_link(builder, &def);
}

static void add_joint(RgBuilder *builder, const char *group, RgJointType type, RgLinkId parent, RgLinkId child)
{
    RgJointDef def = rg_joint_def_default();
    def.name = type == RG_JOINT_revolute ? "hinge" : "ball";
    def.group = group;
    def.type = type;
    def.parent = parent;
    def.child = child;
    rg_builder_add_joint(builder, &def);
}

/* Two robots with the same names, one on a hinge at the world, one afloat with a hinge; a ball joint in the
   second alone. */
static RgModel *two_robots(void)
{
    RgBuilder *builder = rg_builder_create(NULL, NULL);
    RgLinkId a = add_link(builder, "one", "arm");
    add_joint(builder, "one", RG_JOINT_revolute, (RgLinkId){0}, a);
    RgLinkId base = add_link(builder, "two", "base");
    RgLinkId b = add_link(builder, "two", "arm");
    RgLinkId hand = add_link(builder, "two", "hand");
    add_joint(builder, "two", RG_JOINT_revolute, base, b);
    add_joint(builder, "two", RG_JOINT_spherical, b, hand);
    return scene_end(builder);
}

static int find_name(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

Test(record_layout, columns_have_the_names_of_their_owners)
{
    RgModel *model = two_robots();
    RgArena arena;
    rg_arena_init(&arena, NULL);
    RgRecordLayout layout;
    cr_assert(rg_record_layout(model, NULL, &arena, &layout));
    cr_expect_eq(layout.nq, 1 + 7 + 1 + 4);
    cr_expect_eq(layout.nv, 1 + 6 + 1 + 3);

    /* One number: the joint's name, with its group where both robots have one. Several: numbered. */
    const char *const q_names[] = {"one::hinge", "two::hinge", "base[0]", "base[6]", "ball[0]", "ball[3]"};
    for (size_t i = 0; i < sizeof q_names / sizeof q_names[0]; i++)
        cr_expect_geq(find_name(layout.q_names, layout.nq, q_names[i]), 0, "%s", q_names[i]);
    const char *const v_names[] = {"one::hinge", "two::hinge", "base[0]", "base[5]", "ball[0]", "ball[2]"};
    for (size_t i = 0; i < sizeof v_names / sizeof v_names[0]; i++)
        cr_expect_geq(find_name(layout.v_names, layout.nv, v_names[i]), 0, "%s", v_names[i]);

    /* A name stands where the model says its joint is. */
    RgJointInfo hinge = rg_model_joint(model, rg_model_find_joint(model, "two::hinge"));
    cr_expect_str_eq(layout.q_names[hinge.q_index], "two::hinge");
    cr_expect_str_eq(layout.v_names[hinge.v_index], "two::hinge");
    const char *const link_names[] = {"one::arm", "base", "two::arm", "hand"};
    for (int i = 0; i < 4; i++)
        cr_expect_str_eq(layout.link_names[i], link_names[i]);
    rg_arena_free(&arena);
    rg_model_destroy(model);
}

/* The arrays fill the row without a gap, in the order of the header. */
Test(record_layout, arrays_follow_one_another)
{
    RgModel *model = two_robots();
    RgArena arena;
    rg_arena_init(&arena, NULL);
    RgRecordLayout layout;
    cr_assert(rg_record_layout(model, NULL, &arena, &layout));
    const char *const names[] = {"t", "q", "v", "link_position", "link_quaternion", "energy", "contact", "control"};
    const int widths[] = {1, 13, 11, 4 * 3, 4 * 4, 2, 3, 0};
    int start = 0;
    for (int i = 0; i < RG_RECORD_PARTS; i++) {
        cr_expect_str_eq(layout.arrays[i].name, names[i]);
        cr_expect_eq(layout.arrays[i].start, start, "%s", names[i]);
        cr_expect_eq(rg_record_array_width(&layout.arrays[i]), widths[i], "%s", names[i]);
        start += widths[i];
    }
    cr_expect_eq(layout.width, start);
    rg_arena_free(&arena);
    rg_model_destroy(model);
}
