/*
 * message_state.c - /rigor/state: time and joint coordinates with all their bits, as rigor_msgs/State.
 *
 *   stamp | t (s) | q[] | v[]
 *
 * q_names and v_names of /rigor/scene are the names of q and v.
 */
#include "record/cdr.h"
#include "record/message_table.h"

static RgStatus encode_state(RgMessages *m, RgWorld *world, uint64_t time, RgBuffer *out)
{
    rg_cdr_begin(out);
    rg_cdr_time(out, time);
    rg_cdr_f64(out, rg_world_time(world));
    rg_cdr_f64_list(out, rg_world_q(world), m->layout.nq);
    rg_cdr_f64_list(out, rg_world_v(world), m->layout.nv);
    return RG_OK;
}

const RgMessageKind rg_message_kind_state = {
    .channel = {RG_ROS2_CHANNEL("/rigor/state", "rigor_msgs/msg/State",
                                "builtin_interfaces/Time stamp\nfloat64 t\nfloat64[] q\nfloat64[] v\n" RG_ROS_TIME),
                .when = RG_CHANNEL_FRAME, .files_only = true},
    .encode = encode_state,
};
