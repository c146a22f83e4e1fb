/*
 * urdf_text.c - writes a URDF of a model, for programs that display URDF only.
 *
 *   <link> world, then every link: inertia, visual and collision shapes
 *   <joint> of every link: its kind; without a joint fixed to the world, or floating
 *
 * In URDF the joint frame is the frame of the child link. If ours differs, a link without mass is inserted:
 * parent -- joint --> "<joint>/frame" -- fixed --> child. Kinds that URDF does not have (screw, cylindrical, universal,
 * spherical) are written as floating. Loop joints are left out, as a URDF is a tree.
 *
 * Shapes: a capsule is written as a cylinder and two spheres, a half-space as a plate of PLATE_SIZE; meshes keep their
 * uri. Shapes that URDF does not have (ellipsoids, polytopes, height fields, meshes without a file) are left out.
 */
#include "base/number.h"
#include "math/pose.h"
#include "math/quat.h"
#include "record/json_text.h"
#include "record/message_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PLATE_SIZE 20.0                 /* m: a half-space for display */
#define PLATE_THICKNESS 0.002           /* m */
#define UNLIMITED 1e9                   /* written for infinite numbers, which URDF does not have */
#define QUARTER_TURN 1.5707963267948966 /* rad: pi / 2 */

/* ------------------------------------------------------------------ text */

/* Writes a text as the value of an XML attribute. Control characters, which XML does not allow, become blanks. */
static void put_escaped(RgBuffer *out, const char *text)
{
    for (; *text != '\0'; text++) {
        const char *word = *text == '&'   ? "&amp;"
                           : *text == '<' ? "&lt;"
                           : *text == '>' ? "&gt;"
                           : *text == '"' ? "&quot;"
                                          : NULL;
        if (word != NULL)
            rg_buffer_put_text(out, word);
        else
            rg_buffer_put(out, (unsigned char)*text < 0x20 ? " " : text, 1);
    }
}

static void put_attribute(RgBuffer *out, const char *name, const char *value)
{
    rg_buffer_put_text(out, " ");
    rg_buffer_put_text(out, name);
    rg_buffer_put_text(out, "=\"");
    put_escaped(out, value);
    rg_buffer_put_text(out, "\"");
}

static void put_numbers(RgBuffer *out, const char *name, const double *values, int count)
{
    char text[6 * 32] = "";
    for (int i = 0; i < count; i++) {
        size_t used = strlen(text);
        if (i > 0)
            text[used++] = ' ';
        double value = isnan(values[i]) ? 0.0 : fmax(-UNLIMITED, fmin(values[i], UNLIMITED));
        rg_number_text(value, text + used, sizeof text - used);
    }
    put_attribute(out, name, text);
}

static void put_vec3(RgBuffer *out, const char *name, RgVec3 v)
{
    put_numbers(out, name, (const double[]){v.x, v.y, v.z}, 3);
}

/* Roll, pitch, yaw of R = Rz Ry Rx. At a pitch of pi/2 yaw is set to 0. */
static RgVec3 rpy_from_matrix(RgMat3 R)
{
    double sine = -R.m[2][0];
    if (fabs(sine) >= 1.0 - 1e-12)
        return (RgVec3){atan2(sine * R.m[0][1], R.m[1][1]), sine > 0.0 ? QUARTER_TURN : -QUARTER_TURN, 0.0};
    return (RgVec3){atan2(R.m[2][1], R.m[2][2]), atan2(sine, sqrt((1.0 - sine) * (1.0 + sine))),
                    atan2(R.m[1][0], R.m[0][0])};
}

static void put_origin(RgBuffer *out, const RgPose *X)
{
    rg_buffer_put_text(out, "<origin");
    put_vec3(out, "xyz", X->p);
    put_vec3(out, "rpy", rpy_from_matrix(X->R));
    rg_buffer_put_text(out, "/>");
}

/* ------------------------------------------------------------------ shapes */

typedef struct Piece {
    const char *tag; /* box, sphere, cylinder, mesh */
    RgPose X_SP;     /* in the shape's frame */
} Piece;

/* The name of a material is its colour, as materials of the same name are the same. */
static void put_material(RgBuffer *out, const double colour[4])
{
    rg_buffer_put_text(out, "<material");
    put_numbers(out, "name", colour, 4);
    rg_buffer_put_text(out, "><color");
    put_numbers(out, "rgba", colour, 4);
    rg_buffer_put_text(out, "/></material>");
}

static void put_piece(RgBuffer *out, const RgShapeInfo *shape, const Piece *piece)
{
    const char *kind = shape->is_visual ? "visual" : "collision";
    RgPose X_LP = rg_pose_mul(&shape->X_LS, &piece->X_SP);
    rg_buffer_put_text(out, "<");
    rg_buffer_put_text(out, kind);
    rg_buffer_put_text(out, ">");
    put_origin(out, &X_LP);
    rg_buffer_put_text(out, "<geometry><");
    rg_buffer_put_text(out, piece->tag);
    if (strcmp(piece->tag, "mesh") == 0) {
        put_attribute(out, "filename", shape->uri);
        put_numbers(out, "scale", shape->size, 3);
    } else if (shape->type == RG_SHAPE_halfspace) {
        put_numbers(out, "size", (const double[]){PLATE_SIZE, PLATE_SIZE, PLATE_THICKNESS}, 3);
    } else if (shape->type == RG_SHAPE_box) {
        put_numbers(out, "size", shape->size, 3);
    } else {
        put_numbers(out, "radius", shape->size, 1);
    }
    if (strcmp(piece->tag, "cylinder") == 0)
        put_numbers(out, "length", shape->size + 1, 1);
    rg_buffer_put_text(out, "/></geometry>");
    if (shape->is_visual && !isnan(shape->colour[0]))
        put_material(out, shape->colour);
    rg_buffer_put_text(out, "</");
    rg_buffer_put_text(out, kind);
    rg_buffer_put_text(out, ">\n");
}

static Piece piece_at(const char *tag, double z)
{
    Piece piece = {.tag = tag, .X_SP = rg_pose_identity()};
    piece.X_SP.p.z = z;
    return piece;
}

/* The URDF geometries of a shape. Returns their number, at most three. */
static int list_pieces(const RgShapeInfo *shape, Piece pieces[3])
{
    pieces[0] = piece_at(rg_shape_type_name(shape->type), 0.0);
    if (shape->type == RG_SHAPE_box || shape->type == RG_SHAPE_sphere || shape->type == RG_SHAPE_cylinder)
        return 1;
    if (shape->type == RG_SHAPE_mesh)
        return shape->uri != NULL ? 1 : 0;
    if (shape->type == RG_SHAPE_halfspace) {
        pieces[0] = piece_at("box", -0.5 * PLATE_THICKNESS);
        return 1;
    }
    if (shape->type != RG_SHAPE_capsule)
        return 0;
    pieces[0] = piece_at("cylinder", 0.0);
    pieces[1] = piece_at("sphere", 0.5 * shape->size[1]);
    pieces[2] = piece_at("sphere", -0.5 * shape->size[1]);
    return 3;
}

static void put_shape(RgBuffer *out, const RgShapeInfo *shape)
{
    Piece pieces[3];
    int count = list_pieces(shape, pieces);
    for (int i = 0; i < count; i++)
        put_piece(out, shape, &pieces[i]);
}

/* ------------------------------------------------------------------ links */

static void put_inertia(RgBuffer *out, const RgInertia *inertia)
{
    static const char *const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    const RgSym3 *I = &inertia->I;
    const double values[6] = {I->xx, I->yy, I->zz, I->xy, I->xz, I->yz};
    if (!(inertia->mass > 0.0))
        return;
    RgPose X_LC = rg_pose_identity();
    X_LC.p = inertia->com;
    rg_buffer_put_text(out, "<inertial>");
    put_origin(out, &X_LC);
    rg_buffer_put_text(out, "<mass");
    put_numbers(out, "value", &inertia->mass, 1);
    rg_buffer_put_text(out, "/><inertia");
    for (int i = 0; i < 6; i++)
        put_numbers(out, names[i], &values[i], 1);
    rg_buffer_put_text(out, "/></inertial>\n");
}

/* shape: first shape of the link; next: by shape, the next one of the same link. -1: none. */
static void put_link(RgBuffer *out, const RgModel *model, const char *name, const RgInertia *inertia, int shape,
                     const int *next)
{
    rg_buffer_put_text(out, "<link");
    put_attribute(out, "name", name);
    rg_buffer_put_text(out, ">\n");
    if (inertia != NULL)
        put_inertia(out, inertia);
    for (int i = shape; i >= 0; i = next[i]) {
        RgShapeInfo info = rg_model_shape(model, (RgShapeId){i + 1});
        put_shape(out, &info);
    }
    rg_buffer_put_text(out, "</link>\n");
}

/* ------------------------------------------------------------------ joints */

typedef struct UrdfJoint {
    const char *name, *type, *parent, *child;
    RgPose origin;
    RgVec3 axis;
    const RgAxisDef *limits; /* NULL: none */
} UrdfJoint;

static void put_joint(RgBuffer *out, const UrdfJoint *joint)
{
    bool has_axis = strcmp(joint->type, "fixed") != 0 && strcmp(joint->type, "floating") != 0;
    rg_buffer_put_text(out, "<joint");
    put_attribute(out, "name", joint->name);
    put_attribute(out, "type", joint->type);
    rg_buffer_put_text(out, "><parent");
    put_attribute(out, "link", joint->parent);
    rg_buffer_put_text(out, "/><child");
    put_attribute(out, "link", joint->child);
    rg_buffer_put_text(out, "/>");
    put_origin(out, &joint->origin);
    if (has_axis) {
        rg_buffer_put_text(out, "<axis");
        put_vec3(out, "xyz", joint->axis);
        rg_buffer_put_text(out, "/>");
    }
    if (joint->limits != NULL) {
        rg_buffer_put_text(out, "<limit");
        put_numbers(out, "lower", &joint->limits->lower, 1);
        put_numbers(out, "upper", &joint->limits->upper, 1);
        put_numbers(out, "effort", &joint->limits->effort_limit, 1);
        put_numbers(out, "velocity", &joint->limits->velocity_limit, 1);
        rg_buffer_put_text(out, "/>");
    }
    rg_buffer_put_text(out, "</joint>\n");
}

/* In URDF revolute and prismatic joints have limits. A revolute joint without is written as continuous, a prismatic one
   with limits of UNLIMITED. */
static const char *urdf_type(const RgJointInfo *joint)
{
    if (joint->type == RG_JOINT_revolute)
        return isfinite(joint->dof[0].lower) && isfinite(joint->dof[0].upper) ? "revolute" : "continuous";
    if (joint->type == RG_JOINT_continuous || joint->type == RG_JOINT_prismatic || joint->type == RG_JOINT_planar ||
        joint->type == RG_JOINT_fixed)
        return rg_joint_type_name(joint->type);
    return "floating";
}

static bool is_identity(const RgPose *X)
{
    RgPose identity = rg_pose_identity();
    return memcmp(X, &identity, sizeof identity) == 0;
}

/* "<before><after>" in the arena; "" if out of memory. */
static const char *join_texts(RgArena *arena, const char *before, const char *after)
{
    size_t room = strlen(before) + strlen(after) + 1;
    char *text = RG_ARENA_ALLOC(arena, char, room);
    if (text != NULL)
        snprintf(text, room, "%s%s", before, after);
    return text != NULL ? text : "";
}

/* The joint of a link in the tree, in which the link may be the joint's parent instead of its child. */
static void put_tree_joint(RgBuffer *out, const RgMessages *m, RgArena *work, int link)
{
    RgLinkInfo info = rg_model_link(m->model, (RgLinkId){link + 1});
    RgJointInfo joint = rg_model_joint(m->model, info.joint);
    bool reversed = joint.child.i != link + 1;
    RgPose near = reversed ? joint.X_CJ : joint.X_PJ, far = reversed ? joint.X_PJ : joint.X_CJ;
    const char *name = m->joint_names[info.joint.i - 1], *child = m->layout.link_names[link];
    double sign = reversed ? -1.0 : 1.0;
    UrdfJoint moving = {.name = name,
                        .type = urdf_type(&joint),
                        .parent = info.parent.i > 0 ? m->layout.link_names[info.parent.i - 1] : m->root,
                        .child = child,
                        .origin = near,
                        .axis = {sign * joint.axis.x, sign * joint.axis.y, sign * joint.axis.z},
                        .limits = joint.nv == 1 ? &joint.dof[0] : NULL};
    if (is_identity(&far)) {
        put_joint(out, &moving);
        return;
    }
    UrdfJoint weld = {.type = "fixed", .child = child, .origin = rg_pose_inverse(&far)};
    weld.name = join_texts(work, name, "/weld");
    weld.parent = moving.child = join_texts(work, name, "/frame");
    put_link(out, m->model, moving.child, NULL, -1, NULL);
    put_joint(out, &moving);
    put_joint(out, &weld);
}

/* The joint of a root link: fixed to the world, or floating. */
static void put_root_joint(RgBuffer *out, const RgMessages *m, RgWorld *world, RgArena *work, int link)
{
    RgLinkInfo info = rg_model_link(m->model, (RgLinkId){link + 1});
    UrdfJoint joint = {.name = join_texts(work, m->layout.link_names[link], "/place"),
                       .type = info.floats ? "floating" : "fixed",
                       .parent = m->root,
                       .child = m->layout.link_names[link],
                       .origin = rg_world_link_pose(world, (RgLinkId){link + 1})};
    put_joint(out, &joint);
}

void rg_urdf_write(RgMessages *m, RgWorld *world, RgBuffer *out)
{
    RgArena work;
    rg_arena_init(&work, NULL);
    int links = m->layout.links, shapes = rg_model_info(m->model).shapes;
    int *first = RG_ARENA_ALLOC(&work, int, links + 1), *next = RG_ARENA_ALLOC(&work, int, shapes);
    if (work.failed) {
        out->failed = true;
        rg_arena_free(&work);
        return;
    }
    for (int i = 0; i <= links; i++)
        first[i] = -1;
    for (int i = shapes - 1; i >= 0; i--) {
        next[i] = first[m->shape_link[i] + 1u];
        first[m->shape_link[i] + 1u] = i;
    }

    rg_buffer_put_text(out, "<?xml version=\"1.0\"?>\n<robot");
    put_attribute(out, "name", m->name);
    rg_buffer_put_text(out, ">\n");
    put_link(out, m->model, m->root, NULL, first[0], next);
    for (int i = 0; i < links; i++) {
        RgLinkInfo info = rg_model_link(m->model, (RgLinkId){i + 1});
        put_link(out, m->model, m->layout.link_names[i], &info.inertia, first[i + 1], next);
        if (info.joint.i > 0)
            put_tree_joint(out, m, &work, i);
        else
            put_root_joint(out, m, world, &work, i);
    }
    rg_buffer_put_text(out, "</robot>\n");
    out->failed = out->failed || work.failed;
    rg_arena_free(&work);
}
