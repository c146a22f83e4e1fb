/*
 * message_robot_description.c - /robot_description: a URDF of the model, as std_msgs/String.
 *
 * The description of the def (the URDF that the model was read from); without one a URDF written from the model
 * (urdf_text.c).
 */
#include "record/cdr.h"
#include "record/message_table.h"

static RgStatus encode_description(RgMessages *m, RgWorld *world, uint64_t time, RgBuffer *out)
{
    (void)time;
    rg_cdr_begin(out);
    if (m->description != NULL) {
        rg_cdr_text(out, m->description);
        return RG_OK;
    }

    /* The length is filled in after the text is written. */
    size_t place = out->size;
    rg_cdr_u32(out, 0);
    rg_urdf_write(m, world, out);
    rg_cdr_u8(out, 0);
    rg_buffer_set_uint(out, place, out->size - place - 4, 4);
    return RG_OK;
}

const RgMessageKind rg_message_kind_robot_description = {
    .channel = {RG_ROS2_CHANNEL("/robot_description", "std_msgs/msg/String", "string data\n"), .when = RG_CHANNEL_ONCE},
    .encode = encode_description,
};
