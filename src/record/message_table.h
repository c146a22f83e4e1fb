/* message_table.h - the list of channels. Each has one entry, rg_message_kind_<name>, at the end of its file. */
#ifndef RIGOR_MESSAGE_TABLE_H
#define RIGOR_MESSAGE_TABLE_H

#include "record/message.h"

#define RG_MESSAGE_LIST(X)                                                                                             \
    X(robot_description)                                                                                               \
    X(scene)                                                                                                           \
    X(tf_static) X(tf) X(joint_states) X(joint_targets) X(state) X(markers) X(contacts) X(step) X(events)

#define RG_MESSAGE_DECLARE(name) extern const RgMessageKind rg_message_kind_##name;
RG_MESSAGE_LIST(RG_MESSAGE_DECLARE)
#undef RG_MESSAGE_DECLARE

#endif
