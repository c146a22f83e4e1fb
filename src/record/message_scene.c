/*
 * message_scene.c - /rigor/scene: everything that is constant over a run, as JSON, rigor.Scene.
 *
 *   {version, rigor_version, name, root, gravity, coords, stepper, solver, dt,
 *    links: [{name, group, moving, pose, mass, com, inertia: [xx yy zz xy xz yz] about com, visual, collision}],
 *    world: {visual, collision},
 *    joints: [{name, kind, parent, child, loop, origin, axis, axis2, q_index, v_index, nq, nv,
 *              lower, upper, effort, velocity}],
 *    q_names, v_names, meshes: [{vertices, triangles}], options: {coords, steppers, solvers}}
 *
 *   shape: {kind, name, pose, colour, ...}   box: size | sphere: radius | cylinder, capsule: radius, length |
 *          ellipsoid: radii | mesh, polytope, heightfield: mesh (index in meshes)
 *
 * Poses are {p: [3], q: [w x y z]}: of a link in the world at the time of the message, of a shape in its link, the
 * origin of a joint in its parent link. Limits have one number per velocity, null: no limit. Links and joints are
 * numbered by their order; -1 is the world. Mesh data are base64 of little-endian float32 and uint32; equal meshes are
 * written once.
 */
#include "base/hash.h"
#include "record/json_text.h"
#include "record/message_table.h"
#include "record/scene_mesh.h"

#include <math.h>
#include <string.h>

/* The shapes of each link, and the mesh of each shape. */
typedef struct SceneMeshes {
    int *first, *next; /* first: links + 1 with the world first; next: shapes. Lists of the shapes of a link; -1: end */
    int *of_shape;     /* shapes: index of the mesh, -1: none */
    uint64_t *hashes;  /* count: of the meshes */
    int *source_shapes; /* count: a shape with this mesh */
    int count;
    RgSceneMesh own, other; /* work memory */
} SceneMeshes;

static uint64_t mesh_hash(const RgSceneMesh *mesh)
{
    uint64_t hash = rg_hash(RG_HASH_START, mesh->vertices.data, mesh->vertices.size);
    return rg_hash(hash, mesh->triangles.data, mesh->triangles.size);
}

static bool same_bytes(const RgBuffer *a, const RgBuffer *b)
{
    return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

/* Index of the shape's mesh, which is added if no equal mesh is there. -1: the shape has no mesh. */
static int find_mesh(const RgModel *model, SceneMeshes *meshes, int shape)
{
    RgShapeInfo info = rg_model_shape(model, (RgShapeId){shape + 1});
    if (!rg_scene_mesh(&info, &meshes->own))
        return -1;
    uint64_t hash = mesh_hash(&meshes->own);
    for (int i = 0; i < meshes->count; i++) {
        if (meshes->hashes[i] != hash)
            continue;
        RgShapeInfo source = rg_model_shape(model, (RgShapeId){meshes->source_shapes[i] + 1});
        if (rg_scene_mesh(&source, &meshes->other) && same_bytes(&meshes->own.vertices, &meshes->other.vertices) &&
            same_bytes(&meshes->own.triangles, &meshes->other.triangles))
            return i;
    }
    meshes->hashes[meshes->count] = hash;
    meshes->source_shapes[meshes->count] = shape;
    return meshes->count++;
}

static void put_size(RgBuffer *out, const RgShapeInfo *shape, int mesh)
{
    if (shape->type == RG_SHAPE_box)
        rg_json_put_numbers(out, "size", shape->size, 3);
    else if (shape->type == RG_SHAPE_ellipsoid)
        rg_json_put_numbers(out, "radii", shape->size, 3);
    else if (shape->type == RG_SHAPE_sphere || shape->type == RG_SHAPE_cylinder || shape->type == RG_SHAPE_capsule)
        rg_json_put_number(out, "radius", shape->size[0]);
    if (shape->type == RG_SHAPE_cylinder || shape->type == RG_SHAPE_capsule)
        rg_json_put_number(out, "length", shape->size[1]);
    if (mesh >= 0)
        rg_json_put_int(out, "mesh", mesh);
}

/* The visual or the collision shapes of a link (0: the world). */
static void put_shapes(RgBuffer *out, const RgModel *model, const SceneMeshes *meshes, int link, bool visual)
{
    rg_json_put_open(out, visual ? "visual" : "collision", '[');
    for (int i = meshes->first[link]; i >= 0; i = meshes->next[i]) {
        RgShapeInfo shape = rg_model_shape(model, (RgShapeId){i + 1});
        if (shape.is_visual != visual)
            continue;
        rg_json_put_open(out, NULL, '{');
        rg_json_put_text(out, "kind", rg_shape_type_name(shape.type));
        rg_json_put_text(out, "name", shape.name);
        rg_json_put_pose(out, "pose", &shape.X_LS);
        if (isnan(shape.colour[0]))
            rg_json_put_null(out, "colour");
        else
            rg_json_put_numbers(out, "colour", shape.colour, 4);
        put_size(out, &shape, meshes->of_shape[i]);
        rg_json_put_close(out, '}');
    }
    rg_json_put_close(out, ']');
}

static void put_link(RgBuffer *out, const RgMessages *m, RgWorld *world, const SceneMeshes *meshes, int i)
{
    RgLinkInfo link = rg_model_link(m->model, (RgLinkId){i + 1});
    RgPose X_WL = rg_world_link_pose(world, (RgLinkId){i + 1});
    const RgSym3 *I = &link.inertia.I;
    rg_json_put_open(out, NULL, '{');
    rg_json_put_text(out, "name", m->layout.link_names[i]);
    rg_json_put_text(out, "group", link.group);
    rg_json_put_bool(out, "moving", link.body >= 0);
    rg_json_put_pose(out, "pose", &X_WL);
    rg_json_put_number(out, "mass", link.inertia.mass);
    rg_json_put_vec3(out, "com", link.inertia.com);
    rg_json_put_numbers(out, "inertia", (const double[]){I->xx, I->yy, I->zz, I->xy, I->xz, I->yz}, 6);
    put_shapes(out, m->model, meshes, i + 1, true);
    put_shapes(out, m->model, meshes, i + 1, false);
    rg_json_put_close(out, '}');
}

static void put_limits(RgBuffer *out, const RgJointInfo *joint)
{
    double numbers[4][6];
    static const char *const names[4] = {"lower", "upper", "effort", "velocity"};
    for (int k = 0; k < joint->nv; k++) {
        numbers[0][k] = joint->dof[k].lower;
        numbers[1][k] = joint->dof[k].upper;
        numbers[2][k] = joint->dof[k].effort_limit;
        numbers[3][k] = joint->dof[k].velocity_limit;
    }
    for (int i = 0; i < 4; i++)
        rg_json_put_numbers(out, names[i], numbers[i], joint->nv);
}

static void put_joint(RgBuffer *out, const RgMessages *m, int i)
{
    RgJointInfo joint = rg_model_joint(m->model, (RgJointId){i + 1});
    rg_json_put_open(out, NULL, '{');
    rg_json_put_text(out, "name", m->joint_names[i]);
    rg_json_put_text(out, "kind", rg_joint_type_name(joint.type));
    rg_json_put_int(out, "parent", joint.parent.i - 1);
    rg_json_put_int(out, "child", joint.child.i - 1);
    rg_json_put_bool(out, "loop", joint.is_loop);
    rg_json_put_pose(out, "origin", &joint.X_PJ);
    rg_json_put_vec3(out, "axis", joint.axis);
    rg_json_put_vec3(out, "axis2", joint.axis2);
    rg_json_put_int(out, "q_index", joint.q_index);
    rg_json_put_int(out, "v_index", joint.v_index);
    rg_json_put_int(out, "nq", joint.nq);
    rg_json_put_int(out, "nv", joint.nv);
    put_limits(out, &joint);
    rg_json_put_close(out, '}');
}

static void put_names(RgBuffer *out, const char *name, int count, const char *(*text)(int))
{
    rg_json_put_open(out, name, '[');
    for (int i = 0; i < count; i++)
        rg_json_put_text(out, NULL, text(i));
    rg_json_put_close(out, ']');
}

static void put_settings(RgBuffer *out, const RgMessages *m, const RgWorld *world)
{
    RgWorldSettings settings = rg_world_settings(world);
    rg_json_put_int(out, "version", RG_MESSAGE_VERSION);
    rg_json_put_text(out, "rigor_version", rg_version());
    rg_json_put_text(out, "name", m->name);
    rg_json_put_text(out, "root", m->root);
    rg_json_put_vec3(out, "gravity", settings.gravity);
    rg_json_put_text(out, "coords", settings.coords);
    rg_json_put_text(out, "stepper", settings.stepper);
    rg_json_put_text(out, "solver", settings.solver);
    rg_json_put_number(out, "dt", m->step > 0.0 ? m->step : NAN);
    rg_json_put_open(out, "options", '{');
    put_names(out, "coords", rg_coords_count(), rg_coords_name);
    put_names(out, "steppers", rg_stepper_count(), rg_stepper_name);
    put_names(out, "solvers", rg_solver_count(), rg_solver_name);
    rg_json_put_close(out, '}');
}

static void put_meshes(RgBuffer *out, const RgModel *model, SceneMeshes *meshes)
{
    rg_json_put_open(out, "meshes", '[');
    for (int i = 0; i < meshes->count; i++) {
        RgShapeInfo shape = rg_model_shape(model, (RgShapeId){meshes->source_shapes[i] + 1});
        rg_scene_mesh(&shape, &meshes->own);
        rg_json_put_open(out, NULL, '{');
        rg_json_put_base64(out, "vertices", meshes->own.vertices.data, meshes->own.vertices.size);
        rg_json_put_base64(out, "triangles", meshes->own.triangles.data, meshes->own.triangles.size);
        rg_json_put_close(out, '}');
    }
    rg_json_put_close(out, ']');
}

static void put_scene(RgBuffer *out, const RgMessages *m, RgWorld *world, SceneMeshes *meshes)
{
    rg_json_put_open(out, NULL, '{');
    put_settings(out, m, world);
    rg_json_put_open(out, "links", '[');
    for (int i = 0; i < m->layout.links; i++)
        put_link(out, m, world, meshes, i);
    rg_json_put_close(out, ']');
    rg_json_put_open(out, "world", '{');
    put_shapes(out, m->model, meshes, 0, true);
    put_shapes(out, m->model, meshes, 0, false);
    rg_json_put_close(out, '}');
    rg_json_put_open(out, "joints", '[');
    for (int i = 0; i < rg_model_info(m->model).joints; i++)
        put_joint(out, m, i);
    rg_json_put_close(out, ']');
    rg_json_put_texts(out, "q_names", m->layout.q_names, m->layout.nq);
    rg_json_put_texts(out, "v_names", m->layout.v_names, m->layout.nv);
    put_meshes(out, m->model, meshes);
    rg_json_put_close(out, '}');
}

/* Lists the shapes of each link in their order, and finds their meshes. */
static void sort_shapes(const RgModel *model, SceneMeshes *meshes, int links, int shapes)
{
    for (int i = 0; i <= links; i++)
        meshes->first[i] = -1;
    for (int i = shapes - 1; i >= 0; i--) {
        int link = rg_model_shape(model, (RgShapeId){i + 1}).link.i;
        meshes->next[i] = meshes->first[link];
        meshes->first[link] = i;
    }
    for (int i = 0; i < shapes; i++)
        meshes->of_shape[i] = find_mesh(model, meshes, i);
}

static RgStatus encode_scene(RgMessages *m, RgWorld *world, uint64_t time, RgBuffer *out)
{
    (void)time;
    int shapes = rg_model_info(m->model).shapes;
    RgArena work;
    rg_arena_init(&work, NULL);
    SceneMeshes meshes = {.first = RG_ARENA_ALLOC(&work, int, m->layout.links + 1),
                          .next = RG_ARENA_ALLOC(&work, int, shapes),
                          .of_shape = RG_ARENA_ALLOC(&work, int, shapes),
                          .hashes = RG_ARENA_ALLOC(&work, uint64_t, shapes),
                          .source_shapes = RG_ARENA_ALLOC(&work, int, shapes)};
    bool room = !work.failed;
    if (room) {
        sort_shapes(m->model, &meshes, m->layout.links, shapes);
        put_scene(out, m, world, &meshes);
    }
    rg_scene_mesh_free(&meshes.own);
    rg_scene_mesh_free(&meshes.other);
    rg_arena_free(&work);
    return room ? RG_OK : RG_ERR_MEMORY;
}

const RgMessageKind rg_message_kind_scene = {
    .channel = {.topic = "/rigor/scene",
                .encoding = "json",
                .schema_name = "rigor.Scene",
                .schema_encoding = "jsonschema",
                .schema = "{\"title\":\"rigor.Scene\",\"type\":\"object\",\"required\":[\"version\",\"links\","
                          "\"joints\"],\"properties\":{\"version\":{\"type\":\"integer\"},"
                          "\"rigor_version\":{\"type\":\"string\"},\"name\":{\"type\":\"string\"},"
                          "\"root\":{\"type\":\"string\"},\"gravity\":{\"type\":\"array\",\"items\":{\"type\":"
                          "\"number\"}},\"coords\":{\"type\":\"string\"},\"stepper\":{\"type\":\"string\"},"
                          "\"solver\":{\"type\":\"string\"},\"dt\":{\"type\":\"number\"},"
                          "\"options\":{\"type\":\"object\"},"
                          "\"links\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}},"
                          "\"world\":{\"type\":\"object\"},"
                          "\"joints\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}},"
                          "\"q_names\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
                          "\"v_names\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
                          "\"meshes\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}}}}",
                .when = RG_CHANNEL_ONCE},
    .encode = encode_scene,
};
