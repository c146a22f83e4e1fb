/*
 * cmd_info.c - `rigor info FILE`: the content of a model as a tree of links with joints, masses and limits, or as JSON.
 *
 * The text indents a link below its parent. In the JSON an infinite limit is null; a quantity that a joint has for
 * each of its velocities (limits, damping, ...) is a number for one velocity and an array for several. The text lists
 * only shapes with a use of the mesh, parts or masks other than the defaults.
 */
#include "io/command.h"
#include "io/json_out.h"
#include "io/options.h"
#include "plan/plan.h"
#include "plan/plan_open.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const RgOptionSpec info_options[] = {
    {"json", "OUT|-", "write JSON to a file, or - for the standard output instead of the text"},
    RG_LOAD_OPTIONS,
    {"quiet", NULL, "no warnings of the readers"},
};

/* ------------------------------------------------------------------ text */

static void print_limits(const RgJointInfo *joint)
{
    for (int k = 0; k < joint->nv; k++) {
        const RgAxisDef *dof = &joint->dof[k];
        bool length = joint->is_length[k];
        if (isfinite(dof->lower) || isfinite(dof->upper))
            printf(", %.4g to %.4g %s", dof->lower, dof->upper, length ? "m" : "rad");
        if (isfinite(dof->velocity_limit))
            printf(", at most %.4g %s", dof->velocity_limit, length ? "m/s" : "rad/s");
        if (isfinite(dof->effort_limit))
            printf(", %.4g %s", dof->effort_limit, length ? "N" : "N m");
        if (dof->damping > 0.0)
            printf(", damping %.4g", dof->damping);
        if (dof->friction > 0.0)
            printf(", friction %.4g", dof->friction);
        if (dof->stiffness > 0.0)
            printf(", spring %.4g about %.4g", dof->stiffness, dof->rest);
        if (dof->rotor_inertia > 0.0)
            printf(", rotor %.4g x %.4g^2", dof->rotor_inertia, dof->gear_ratio);
        else if (dof->gear_ratio != 1.0)
            printf(", gear %.4g", dof->gear_ratio);
    }
}

static void print_joint(RgPlan *plan, const RgModel *model, RgJointId id)
{
    RgJointInfo joint = rg_model_joint(model, id);
    printf("%s (%s", rg_plan_joint_name(plan, model, id), rg_joint_type_name(joint.type));
    if (rg_joint_type_has_axis(joint.type))
        printf(" %.4g %.4g %.4g", joint.axis.x, joint.axis.y, joint.axis.z);
    print_limits(&joint);
    printf(")");
}

/* Children of each link as lists: first[l] the first child of l (0: world), next[l] the next sibling. */
typedef struct Tree {
    int32_t *first, *next;
    RgPlan *plan;
    const RgModel *model;
} Tree;

static Tree make_tree(RgPlan *plan, const RgModel *model)
{
    int links = rg_model_info(model).links;
    Tree tree = {.first = rg_pool_take(&plan->pool, (size_t)links + 1, sizeof(int32_t)),
                 .next = rg_pool_take(&plan->pool, (size_t)links + 1, sizeof(int32_t)),
                 .plan = plan,
                 .model = model};

    /* Backwards, so that each list has the order of the file. */
    for (int32_t i = links; i > 0; i--) {
        int32_t parent = rg_model_link(model, (RgLinkId){i}).parent.i;
        tree.next[i] = tree.first[parent];
        tree.first[parent] = i;
    }
    return tree;
}

static void print_link(const Tree *tree, int32_t i, int depth)
{
    RgLinkInfo link = rg_model_link(tree->model, (RgLinkId){i});
    printf("%*s%s", 2 * depth, "", rg_plan_link_name(tree->plan, tree->model, (RgLinkId){i}));
    if (link.inertia.mass > 0.0)
        printf("  %.6g kg", link.inertia.mass);
    printf("  ");
    if (link.joint.i)
        print_joint(tree->plan, tree->model, link.joint);
    else
        printf("%s", link.floats ? "(floats)" : "(welded to the world)");
    printf("\n");
}

/* Depth first without recursion: a chain of a million links must not overflow the stack. */
static void print_tree(const Tree *tree)
{
    int links = rg_model_info(tree->model).links;
    int32_t *stack = rg_pool_take(&tree->plan->pool, (size_t)links + 1, sizeof(int32_t));
    int depth = 0;
    stack[0] = tree->first[0];
    while (depth >= 0) {
        int32_t i = stack[depth];
        if (i == 0) {
            depth--;
            continue;
        }
        print_link(tree, i, depth + 1);
        stack[depth] = tree->next[i];
        stack[++depth] = tree->first[i];
    }
}

static void print_loops(RgPlan *plan, const RgModel *model)
{
    RgModelInfo info = rg_model_info(model);
    for (int32_t i = 1; i <= info.joints; i++) {
        RgJointInfo joint = rg_model_joint(model, (RgJointId){i});
        if (!joint.is_loop)
            continue;
        printf("loop  ");
        print_joint(plan, model, (RgJointId){i});
        printf(" from %s to %s\n", joint.parent.i ? rg_plan_link_name(plan, model, joint.parent) : "world",
               joint.child.i ? rg_plan_link_name(plan, model, joint.child) : "world");
    }
    for (int i = 0; i < info.couplings; i++) {
        RgCouplingDef coupling = rg_model_coupling(model, i);
        printf("coupling  %s = %.6g %s + %.6g\n", rg_plan_joint_name(plan, model, coupling.joint), coupling.ratio,
               rg_plan_joint_name(plan, model, coupling.reference), coupling.offset);
    }
}

static void print_transmissions(RgPlan *plan, const RgModel *model)
{
    int count = rg_model_info(model).transmissions;
    for (int i = 0; i < count; i++) {
        RgTransmissionDef t = rg_model_transmission(model, i);
        printf("transmission  %s: %s turns %.6g times as %s", t.name ? t.name : "(unnamed)",
               t.actuator ? t.actuator : "its motor", t.ratio, rg_plan_joint_name(plan, model, t.joint));
        if (t.offset != 0.0)
            printf(" from %.6g on", t.offset);
        if (t.rotor_inertia > 0.0)
            printf(", rotor %.4g kg m^2", t.rotor_inertia);
        if (isfinite(t.velocity_limit))
            printf(", at most %.4g rad/s", t.velocity_limit);
        if (isfinite(t.effort_limit))
            printf(", %.4g N m", t.effort_limit);
        printf("\n");
    }
}

static const char *mesh_use_name(RgMeshUse use)
{
    static const char *const names[] = {
        [RG_MESH_AUTO] = "auto", [RG_MESH_SURFACE] = "surface", [RG_MESH_HULL] = "hull", [RG_MESH_PARTS] = "parts"};
    return names[use];
}

static int mesh_parts(const RgShapeInfo *shape)
{
    return shape->mesh.part_start ? shape->mesh.nparts : 1;
}

/* Collision shapes with settings other than the defaults. */
static void print_shapes(RgPlan *plan, const RgModel *model)
{
    int32_t shapes = rg_model_info(model).shapes;
    for (int32_t i = 1; i <= shapes; i++) {
        RgShapeInfo shape = rg_model_shape(model, (RgShapeId){i});
        bool masked = shape.category != UINT32_MAX || shape.mask != UINT32_MAX;
        bool used = shape.type == RG_SHAPE_mesh && shape.mesh_use != RG_MESH_AUTO;
        if (shape.is_visual || (!masked && !used && mesh_parts(&shape) == 1))
            continue;
        printf("shape  %s of %s (%s", shape.name ? shape.name : "",
               shape.link.i ? rg_plan_link_name(plan, model, shape.link) : "world", rg_shape_type_name(shape.type));
        if (used)
            printf(", used as %s", mesh_use_name(shape.mesh_use));
        if (mesh_parts(&shape) > 1)
            printf(", %d parts", mesh_parts(&shape));
        if (masked)
            printf(", category 0x%x, touches 0x%x", (unsigned)shape.category, (unsigned)shape.mask);
        printf(")\n");
    }
}

static void print_text(RgPlan *plan, const RgModel *model)
{
    RgModelInfo info = rg_model_info(model);
    printf("%s: %d links, %d joints, %d degrees of freedom (nq %d, nv %d), %.6g kg\n", info.name, info.links,
           info.joints, info.nv, info.nq, info.nv, info.mass);
    printf("%d moving bodies, %d loop joints, %d couplings, %d shapes, %d frames", info.bodies, info.loops,
           info.couplings, info.shapes, info.frames);
    if (info.collision_pairs > 0)
        printf(", %d collision pairs", info.collision_pairs);
    printf("\nworld\n");
    Tree tree = make_tree(plan, model);
    print_tree(&tree);
    print_loops(plan, model);
    print_transmissions(plan, model);
    print_shapes(plan, model);
}

/* ------------------------------------------------------------------ JSON */

/* One field of RgAxisDef over the velocities of a joint. */
static json_t *json_dof_field(const RgJointInfo *joint, size_t offset)
{
    double x[6];
    for (int k = 0; k < joint->nv; k++)
        memcpy(&x[k], (const char *)&joint->dof[k] + offset, sizeof(double));
    return rg_json_values(x, joint->nv);
}

static json_t *json_limits(const RgJointInfo *joint)
{
    json_t *all = json_array();
    for (int k = 0; k < joint->nv; k++)
        json_array_append_new(all, rg_json_numbers((double[2]){joint->dof[k].lower, joint->dof[k].upper}, 2));
    if (joint->nv != 1)
        return all;
    json_t *only = json_incref(json_array_get(all, 0));
    json_decref(all);
    return only;
}

static json_t *json_link_ref(RgPlan *plan, const RgModel *model, RgLinkId link)
{
    return json_string(link.i ? rg_plan_link_name(plan, model, link) : "world");
}

static json_t *json_joint(RgPlan *plan, const RgModel *model, RgJointId id)
{
    static const struct {
        const char *key;
        size_t offset;
    } fields[] = {{"lower", offsetof(RgAxisDef, lower)},
                  {"upper", offsetof(RgAxisDef, upper)},
                  {"velocity", offsetof(RgAxisDef, velocity_limit)},
                  {"effort", offsetof(RgAxisDef, effort_limit)},
                  {"damping", offsetof(RgAxisDef, damping)},
                  {"friction", offsetof(RgAxisDef, friction)},
                  {"stiffness", offsetof(RgAxisDef, stiffness)},
                  {"rest", offsetof(RgAxisDef, rest)},
                  {"rotor_inertia", offsetof(RgAxisDef, rotor_inertia)},
                  {"gear_ratio", offsetof(RgAxisDef, gear_ratio)}};
    RgJointInfo joint = rg_model_joint(model, id);
    json_t *out = RG_JSON_OBJECT(
        {"kind", json_string(rg_joint_type_name(joint.type))}, {"parent", json_link_ref(plan, model, joint.parent)},
        {"child", json_link_ref(plan, model, joint.child)}, {"axis", rg_json_vec3(joint.axis)});
    if (joint.type == RG_JOINT_universal)
        json_object_set_new(out, "axis2", rg_json_vec3(joint.axis2));
    if (joint.type == RG_JOINT_screw)
        json_object_set_new(out, "pitch", rg_json_number(joint.pitch));
    json_object_set_new(out, "limits", json_limits(&joint));
    for (size_t f = 0; f < sizeof fields / sizeof fields[0]; f++)
        json_object_set_new(out, fields[f].key, json_dof_field(&joint, fields[f].offset));
    RG_JSON_SET(out, {"nq", json_integer(joint.nq)}, {"nv", json_integer(joint.nv)},
                {"q_index", json_integer(joint.q_index)}, {"v_index", json_integer(joint.v_index)},
                {"loop", json_boolean(joint.is_loop)}, {"model", rg_json_text(joint.group)});
    return out;
}

static json_t *json_link(RgPlan *plan, const RgModel *model, RgLinkId id)
{
    RgLinkInfo link = rg_model_link(model, id);
    RgSym3 I = link.inertia.I;
    json_t *inertia =
        RG_JSON_OBJECT({"xx", rg_json_number(I.xx)}, {"yy", rg_json_number(I.yy)}, {"zz", rg_json_number(I.zz)},
                       {"xy", rg_json_number(I.xy)}, {"xz", rg_json_number(I.xz)}, {"yz", rg_json_number(I.yz)});
    return RG_JSON_OBJECT(
        {"name", json_string(rg_plan_link_name(plan, model, id))}, {"parent", json_link_ref(plan, model, link.parent)},
        {"joint", rg_json_text(link.joint.i ? rg_plan_joint_name(plan, model, link.joint) : NULL)},
        {"body", json_integer(link.body)}, {"floats", json_boolean(link.floats)},
        {"self_collide", json_boolean(link.self_collide)}, {"mass", rg_json_number(link.inertia.mass)},
        {"com", rg_json_vec3(link.inertia.com)}, {"inertia", inertia}, {"model", rg_json_text(link.group)});
}

static json_t *json_shape(RgPlan *plan, const RgModel *model, RgShapeId id)
{
    RgShapeInfo shape = rg_model_shape(model, id);
    json_t *out =
        RG_JSON_OBJECT({"name", rg_json_text(shape.name)}, {"link", json_link_ref(plan, model, shape.link)},
                       {"kind", json_string(rg_shape_type_name(shape.type))}, {"visual", json_boolean(shape.is_visual)},
                       {"category", json_integer(shape.category)}, {"mask", json_integer(shape.mask)});
    if (shape.type != RG_SHAPE_mesh)
        return out;
    RG_JSON_SET(out, {"uri", rg_json_text(shape.uri)}, {"mesh_use", json_string(mesh_use_name(shape.mesh_use))},
                {"vertices", json_integer(shape.mesh.nvertices)}, {"triangles", json_integer(shape.mesh.nfaces)},
                {"parts", json_integer(mesh_parts(&shape))});
    return out;
}

static json_t *json_pairs(RgPlan *plan, const RgModel *model)
{
    json_t *pairs = json_array();
    int count = rg_model_info(model).collision_pairs;
    for (int i = 0; i < count; i++) {
        RgCollisionPairDef pair = rg_model_collision_pair(model, i);
        json_t *out = json_object();
        json_object_set_new(out, "a", json_link_ref(plan, model, pair.link_a));
        json_object_set_new(out, "b", json_link_ref(plan, model, pair.link_b));
        json_object_set_new(out, "collide", json_boolean(pair.collide));
        json_array_append_new(pairs, out);
    }
    return pairs;
}

/* The robots in the model, in the order of their first link: name, links, mass. */
static json_t *json_groups(const RgModel *model)
{
    json_t *groups = json_array();
    int32_t count = rg_model_info(model).links;
    for (int32_t i = 1; i <= count; i++) {
        RgLinkInfo link = rg_model_link(model, (RgLinkId){i});
        const char *name = link.group ? link.group : "";
        json_t *group = NULL;
        for (size_t g = json_array_size(groups); g-- > 0 && !group;) {
            json_t *other = json_array_get(groups, g);
            if (strcmp(json_string_value(json_object_get(other, "name")), name) == 0)
                group = other;
        }
        if (!group) {
            group = json_pack("{s:s, s:i, s:f}", "name", name, "links", 0, "mass", 0.0);
            json_array_append_new(groups, group);
        }
        json_t *links = json_object_get(group, "links"), *mass = json_object_get(group, "mass");
        json_integer_set(links, json_integer_value(links) + 1);
        json_real_set(mass, json_real_value(mass) + link.inertia.mass);
    }
    return groups;
}

static json_t *json_transmissions(RgPlan *plan, const RgModel *model)
{
    json_t *out = json_array();
    int count = rg_model_info(model).transmissions;
    for (int i = 0; i < count; i++) {
        RgTransmissionDef t = rg_model_transmission(model, i);
        json_t *item = RG_JSON_OBJECT(
            {"name", rg_json_text(t.name)}, {"actuator", rg_json_text(t.actuator)},
            {"joint", rg_json_text(rg_plan_joint_name(plan, model, t.joint))}, {"ratio", rg_json_number(t.ratio)},
            {"offset", rg_json_number(t.offset)}, {"rotor_inertia", rg_json_number(t.rotor_inertia)},
            {"velocity", rg_json_number(t.velocity_limit)}, {"effort", rg_json_number(t.effort_limit)});
        json_array_append_new(out, item);
    }
    return out;
}

static json_t *json_info(RgPlan *plan, const RgModel *model)
{
    RgModelInfo info = rg_model_info(model);
    json_t *joints = json_object(), *links = json_array(), *couplings = json_array(), *shapes = json_array();
    for (int32_t i = 1; i <= info.shapes; i++)
        json_array_append_new(shapes, json_shape(plan, model, (RgShapeId){i}));
    for (int32_t i = 1; i <= info.joints; i++)
        json_object_set_new(joints, rg_plan_joint_name(plan, model, (RgJointId){i}),
                            json_joint(plan, model, (RgJointId){i}));
    for (int32_t i = 1; i <= info.links; i++)
        json_array_append_new(links, json_link(plan, model, (RgLinkId){i}));
    for (int i = 0; i < info.couplings; i++) {
        RgCouplingDef coupling = rg_model_coupling(model, i);
        json_array_append_new(couplings, json_pack("{s:s, s:s, s:f, s:f}", "joint",
                                                   rg_plan_joint_name(plan, model, coupling.joint), "reference",
                                                   rg_plan_joint_name(plan, model, coupling.reference), "ratio",
                                                   coupling.ratio, "offset", coupling.offset));
    }
    return RG_JSON_OBJECT(
        {"name", rg_json_text(info.name)}, {"links", json_integer(info.links)},
        {"joint_count", json_integer(info.joints)}, {"nq", json_integer(info.nq)}, {"nv", json_integer(info.nv)},
        {"mass", rg_json_number(info.mass)}, {"bodies", json_integer(info.bodies)}, {"loops", json_integer(info.loops)},
        {"couplings", json_integer(info.couplings)}, {"shapes", json_integer(info.shapes)},
        {"frames", json_integer(info.frames)}, {"collision_pairs", json_integer(info.collision_pairs)},
        {"models", json_groups(model)}, {"joints", joints}, {"link_list", links}, {"coupling_list", couplings},
        {"transmissions", json_transmissions(plan, model)}, {"shape_list", shapes},
        {"collision_pair_list", json_pairs(plan, model)}, {"warnings", rg_plan_json_remarks(plan)});
}

static int run_info(const RgOptions *options)
{
    RgPlan plan;
    int code;
    RgModel *model = rg_plan_prepare(&plan, options, &code);
    const char *json = rg_options_value(options, "json");
    if (model && (!json || strcmp(json, "-") != 0))
        print_text(&plan, model);
    if (model && json && !rg_json_write(json_info(&plan, model), json))
        code = RG_EXIT_FAILED;
    rg_model_destroy(model);
    rg_plan_free(&plan);
    return code;
}

RG_COMMAND(info, "print the tree, masses, limits and sizes of a model", .run = run_info);
