/*
 * message_markers.c - /contacts: contact points and forces for display, as visualization_msgs/MarkerArray.
 *
 *   "points", 0    SPHERE_LIST: the points that carry force
 *   "forces", i    ARROW: from the i-th of these points along the force on B, METRES_PER_NEWTON long per newton; the
 *                  head is at most HEAD_PART of its length
 *
 * All markers are in the world's frame. A message has the arrows of the first ARROWS_MAX points. Arrows of the message
 * before that are not in this one are deleted, and so are the points if there are none: some viewers report an empty
 * list as an error.
 */
#include "math/vec3.h"
#include "record/cdr.h"
#include "record/message_table.h"

#include <math.h>

/* Sizes for display. */
#define METRES_PER_NEWTON 0.002
#define POINT_SIZE 0.015    /* m: diameter */
#define SHAFT_WIDTH 0.006   /* m */
#define HEAD_WIDTH 0.014    /* m */
#define HEAD_LENGTH 0.02    /* m */
#define HEAD_PART 0.4       /* of the arrow's length */
enum { ARROWS_MAX = 1000 }; /* bounds the size of a message */

/* Values of visualization_msgs/Marker. */
enum { TYPE_ARROW = 0, TYPE_SPHERE_LIST = 7, ACTION_ADD = 0, ACTION_DELETE = 2 };

typedef struct Marker {
    const char *name;
    int32_t id, type, action;
    RgVec3 scale;
    float colour[4];
} Marker;

static const Marker point_style = {
    "points", 0, TYPE_SPHERE_LIST, ACTION_ADD, {POINT_SIZE, POINT_SIZE, POINT_SIZE}, {1.0f, 0.75f, 0.1f, 1.0f}};
static const Marker arrow_style = {
    "forces", 0, TYPE_ARROW, ACTION_ADD, {SHAFT_WIDTH, HEAD_WIDTH, HEAD_LENGTH}, {0.9f, 0.2f, 0.2f, 1.0f}};

/* The fields of a marker before points. */
static void put_head(RgBuffer *out, const Marker *marker, uint64_t time, const char *frame)
{
    rg_cdr_header(out, time, frame);
    rg_cdr_text(out, marker->name);
    rg_cdr_i32(out, marker->id);
    rg_cdr_i32(out, marker->type);
    rg_cdr_i32(out, marker->action);
    rg_cdr_vec3(out, (RgVec3){0.0, 0.0, 0.0});
    rg_cdr_quat(out, (RgQuat){1.0, 0.0, 0.0, 0.0});
    rg_cdr_vec3(out, marker->scale);
    for (int i = 0; i < 4; i++)
        rg_cdr_f32(out, marker->colour[i]);
    rg_cdr_time(out, 0); /* lifetime: for ever */
    rg_cdr_u8(out, 0);   /* frame_locked */
}

/* The fields after points, all empty: colors, texture, uv_coordinates, text, mesh, use of its materials. */
static void put_foot(RgBuffer *out)
{
    rg_cdr_u32(out, 0); /* colors */
    rg_cdr_text(out, "");
    rg_cdr_header(out, 0, ""); /* texture: header, format, data */
    rg_cdr_text(out, "");
    rg_cdr_u32(out, 0);
    rg_cdr_u32(out, 0); /* uv_coordinates */
    rg_cdr_text(out, "");
    rg_cdr_text(out, "");
    rg_cdr_text(out, ""); /* mesh_file: filename, data */
    rg_cdr_u32(out, 0);
    rg_cdr_u8(out, 0);
}

static void put_deleted(RgBuffer *out, Marker marker, uint64_t time, const char *frame)
{
    marker.action = ACTION_DELETE;
    put_head(out, &marker, time, frame);
    rg_cdr_u32(out, 0);
    put_foot(out);
}

static void put_arrow(RgBuffer *out, const RgContactForce *contact, int32_t id, uint64_t time, const char *frame)
{
    Marker marker = arrow_style;
    RgVec3 along = v3_scale(METRES_PER_NEWTON, contact->force);
    marker.id = id;
    marker.scale.z = fmin(HEAD_LENGTH, HEAD_PART * v3_norm(along));
    put_head(out, &marker, time, frame);
    rg_cdr_u32(out, 2);
    rg_cdr_vec3(out, contact->point);
    rg_cdr_vec3(out, v3_add(contact->point, along));
    put_foot(out);
}

static RgStatus encode_markers(RgMessages *m, RgWorld *world, uint64_t time, RgBuffer *out)
{
    const RgContactForce *forces;
    int n = rg_world_contact_forces(world, &forces);
    int32_t pressing = 0, before = m->arrows;
    for (int i = 0; i < n; i++)
        pressing += forces[i].state != RG_CONTACT_OPEN;
    m->arrows = pressing < ARROWS_MAX ? pressing : ARROWS_MAX;

    rg_cdr_begin(out);
    rg_cdr_u32(out, 1 + (uint32_t)(m->arrows > before ? m->arrows : before));
    if (pressing > 0) {
        put_head(out, &point_style, time, m->root);
        rg_cdr_u32(out, (uint32_t)pressing);
        for (int i = 0; i < n; i++)
            if (forces[i].state != RG_CONTACT_OPEN)
                rg_cdr_vec3(out, forces[i].point);
        put_foot(out);
    } else {
        put_deleted(out, point_style, time, m->root);
    }
    Marker gone = arrow_style;
    for (int32_t i = 0, id = 0; i < n && id < m->arrows; i++)
        if (forces[i].state != RG_CONTACT_OPEN)
            put_arrow(out, &forces[i], id++, time, m->root);
    for (gone.id = m->arrows; gone.id < before; gone.id++)
        put_deleted(out, gone, time, m->root);
    return RG_OK;
}

const RgMessageKind rg_message_kind_markers = {
    .channel = {RG_ROS2_CHANNEL(
                    "/contacts", "visualization_msgs/msg/MarkerArray",
                    "visualization_msgs/Marker[] markers\n" RG_ROS_SEPARATOR "MSG: visualization_msgs/Marker\n"
                    "int32 ARROW=0\nint32 CUBE=1\nint32 SPHERE=2\nint32 CYLINDER=3\nint32 LINE_STRIP=4\n"
                    "int32 LINE_LIST=5\nint32 CUBE_LIST=6\nint32 SPHERE_LIST=7\nint32 POINTS=8\n"
                    "int32 TEXT_VIEW_FACING=9\nint32 MESH_RESOURCE=10\nint32 TRIANGLE_LIST=11\n"
                    "int32 ARROW_STRIP=12\nint32 ADD=0\nint32 MODIFY=0\nint32 DELETE=2\nint32 DELETEALL=3\n"
                    "std_msgs/Header header\nstring ns\nint32 id\nint32 type\nint32 action\n"
                    "geometry_msgs/Pose pose\ngeometry_msgs/Vector3 scale\nstd_msgs/ColorRGBA color\n"
                    "builtin_interfaces/Duration lifetime\nbool frame_locked\ngeometry_msgs/Point[] points\n"
                    "std_msgs/ColorRGBA[] colors\nstring texture_resource\n"
                    "sensor_msgs/CompressedImage texture\n"
                    "visualization_msgs/UVCoordinate[] uv_coordinates\nstring text\nstring mesh_resource\n"
                    "visualization_msgs/MeshFile mesh_file\n"
                    "bool mesh_use_embedded_materials\n" RG_ROS_SEPARATOR
                    "MSG: visualization_msgs/UVCoordinate\nfloat32 u\nfloat32 v\n" RG_ROS_SEPARATOR
                    "MSG: visualization_msgs/MeshFile\nstring filename\nuint8[] data\n" RG_ROS_SEPARATOR
                    "MSG: sensor_msgs/CompressedImage\nstd_msgs/Header header\nstring format\n"
                    "uint8[] data\n" RG_ROS_SEPARATOR
                    "MSG: std_msgs/ColorRGBA\nfloat32 r\nfloat32 g\nfloat32 b\nfloat32 a\n" RG_ROS_SEPARATOR
                    "MSG: geometry_msgs/Pose\ngeometry_msgs/Point position\n"
                    "geometry_msgs/Quaternion orientation\n" RG_ROS_HEADER RG_ROS_TIME RG_ROS_DURATION RG_ROS_POINT
                        RG_ROS_VECTOR3 RG_ROS_QUATERNION),
                .when = RG_CHANNEL_FRAME, .files_only = true},
    .encode = encode_markers,
};
