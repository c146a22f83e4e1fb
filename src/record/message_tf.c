/*
 * message_tf.c - /tf and /tf_static: poses of the links, as tf2_msgs/TFMessage.
 *
 *   transforms[i]: header (stamp, frame_id: the world's) | child_frame_id: the link | translation | rotation x y z w
 *
 * The parent of every link is the world's frame, so that no transform depends on another. The first message of /tf has
 * all links, later ones the links that can move; /tf_static has the links that cannot move.
 */
#include "math/quat.h"
#include "record/cdr.h"
#include "record/message_table.h"

typedef enum LinkSet { ALL_LINKS, MOVING_LINKS, FIXED_LINKS } LinkSet;

static bool is_in_set(const RgModel *model, int link, LinkSet set)
{
    bool moves = rg_model_link(model, (RgLinkId){link + 1}).body >= 0;
    return set == ALL_LINKS || moves == (set == MOVING_LINKS);
}

static RgStatus encode_links(const RgMessages *m, RgWorld *world, uint64_t time, LinkSet set, RgBuffer *out)
{
    rg_cdr_begin(out);
    size_t count_place = out->size;
    uint32_t count = 0;
    rg_cdr_u32(out, 0);
    for (int i = 0; i < m->layout.links; i++) {
        if (!is_in_set(m->model, i, set))
            continue;
        RgPose X_WL = rg_world_link_pose(world, (RgLinkId){i + 1});
        rg_cdr_header(out, time, m->root);
        rg_cdr_text(out, m->layout.link_names[i]);
        rg_cdr_vec3(out, X_WL.p);
        rg_cdr_quat(out, q_from_matrix(X_WL.R));
        count++;
    }
    rg_buffer_set_uint(out, count_place, count, 4);
    return RG_OK;
}

static RgStatus encode_tf(RgMessages *m, RgWorld *world, uint64_t time, RgBuffer *out)
{
    RgStatus status = encode_links(m, world, time, m->tf_sent_all ? MOVING_LINKS : ALL_LINKS, out);
    m->tf_sent_all = true;
    return status;
}

static RgStatus encode_tf_static(RgMessages *m, RgWorld *world, uint64_t time, RgBuffer *out)
{
    return encode_links(m, world, time, FIXED_LINKS, out);
}

#define TF_SCHEMA                                                                                                      \
    "geometry_msgs/TransformStamped[] transforms\n" RG_ROS_SEPARATOR                                                   \
    "MSG: geometry_msgs/TransformStamped\nstd_msgs/Header header\nstring child_frame_id\n"                             \
    "geometry_msgs/Transform transform\n" RG_ROS_SEPARATOR                                                             \
    "MSG: geometry_msgs/Transform\ngeometry_msgs/Vector3 translation\n"                                                \
    "geometry_msgs/Quaternion rotation\n" RG_ROS_HEADER RG_ROS_TIME RG_ROS_VECTOR3 RG_ROS_QUATERNION

const RgMessageKind rg_message_kind_tf = {
    .channel = {RG_ROS2_CHANNEL("/tf", "tf2_msgs/msg/TFMessage", TF_SCHEMA), .when = RG_CHANNEL_FRAME},
    .encode = encode_tf,
};

const RgMessageKind rg_message_kind_tf_static = {
    .channel = {RG_ROS2_CHANNEL("/tf_static", "tf2_msgs/msg/TFMessage", TF_SCHEMA), .when = RG_CHANNEL_ONCE,
                .files_only = true},
    .encode = encode_tf_static,
};
