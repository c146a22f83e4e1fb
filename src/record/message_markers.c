/*
 * message_markers.c - /contacts: contact points and forces to look at, as visualization_msgs/MarkerArray.
 *
 *   marker 0, "points"   SPHERE_LIST: the points that press
 *   marker 1, "forces"   LINE_LIST: from each of them along the force on B, METRES_PER_NEWTON long a newton
 *
 * Both stand in the world's frame. Without points they are deleted, as an empty list is an error to some viewers.
 */
#include "math/vec3.h"
#include "record/cdr.h"
#include "record/message_table.h"

#define METRES_PER_NEWTON 0.002
#define POINT_SIZE 0.015 /* m */
#define LINE_WIDTH 0.006 /* m */

/* Values of visualization_msgs/Marker. */
enum { TYPE_LINE_LIST = 5, TYPE_SPHERE_LIST = 7, ACTION_ADD = 0, ACTION_DELETE = 2 };

typedef struct MarkerStyle {
    const char *name;
    int32_t type;
    double scale[3];
    float colour[4];
} MarkerStyle;

static const MarkerStyle styles[2] = {
    {"points", TYPE_SPHERE_LIST, {POINT_SIZE, POINT_SIZE, POINT_SIZE}, {1.0f, 0.75f, 0.1f, 1.0f}},
    {"forces", TYPE_LINE_LIST, {LINE_WIDTH, 0.0, 0.0}, {0.9f, 0.2f, 0.2f, 1.0f}},
};

/* Everything before the points. */
static void put_head(RgBuffer *out, const MarkerStyle *style, uint64_t time, const char *frame,
                     int32_t action)
{
    rg_cdr_header(out, time, frame);
    rg_cdr_text(out, style->name);
    rg_cdr_i32(out, 0); /* id */
    rg_cdr_i32(out, style->type);
    rg_cdr_i32(out, action);
    rg_cdr_vec3(out, (RgVec3){0.0, 0.0, 0.0});
    rg_cdr_quat(out, (RgQuat){1.0, 0.0, 0.0, 0.0});
    rg_cdr_vec3(out, (RgVec3){style->scale[0], style->scale[1], style->scale[2]});
    for (int i = 0; i < 4; i++)
        rg_cdr_f32(out, style->colour[i]);
    rg_cdr_time(out, 0); /* lifetime: for ever */
    rg_cdr_u8(out, 0);   /* frame_locked */
}

/* colors, texture (resource, file), uv, text, mesh (resource, file), use of its materials: none. */
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

static RgStatus encode_markers(RgMessages *m, RgWorld *world, uint64_t time, RgBuffer *out)
{
    const RgContactForce *forces;
    int n = rg_world_contact_forces(world, &forces);
    uint32_t pressing = 0;
    for (int i = 0; i < n; i++)
        pressing += forces[i].state != RG_CONTACT_OPEN;

    rg_cdr_begin(out);
    rg_cdr_u32(out, 2);
    for (uint32_t k = 0; k < 2; k++) {
        put_head(out, &styles[k], time, m->root, pressing > 0 ? ACTION_ADD : ACTION_DELETE);
        rg_cdr_u32(out, (1 + k) * pressing);
        for (int i = 0; i < n; i++) {
            if (forces[i].state == RG_CONTACT_OPEN)
                continue;
            rg_cdr_vec3(out, forces[i].point);
            if (k == 1)
                rg_cdr_vec3(out, v3_axpy(METRES_PER_NEWTON, forces[i].force, forces[i].point));
        }
        put_foot(out);
    }
    return RG_OK;
}

const RgMessageKind rg_message_kind_markers = {
    .channel = {.topic = "/contacts",
                .encoding = "cdr",
                .schema_name = "visualization_msgs/msg/MarkerArray",
                .schema_encoding = "ros2msg",
                .schema =
                    "visualization_msgs/Marker[] markers\n" RG_ROS_SEPARATOR
                    "MSG: visualization_msgs/Marker\n"
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
                    "geometry_msgs/Quaternion orientation\n" RG_ROS_HEADER RG_ROS_TIME RG_ROS_DURATION
                        RG_ROS_POINT RG_ROS_VECTOR3 RG_ROS_QUATERNION,
                .when = RG_CHANNEL_FRAME,
                .files_only = true},
    .encode = encode_markers,
};
