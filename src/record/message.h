/*
 * message.h - the data from which the messages of a model are encoded, and the interface of a kind of message.
 *
 * A kind is one channel: a file message_x.c with its schema and its encoder, and a word in message_table.h.
 */
#ifndef RIGOR_MESSAGE_INTERNAL_H
#define RIGOR_MESSAGE_INTERNAL_H

#include "record/buffer.h"
#include "record/events.h"
#include "record/record.h"

#include <rigor/message.h>

/* Version of the messages' contents; a member of /rigor/scene. */
#define RG_MESSAGE_VERSION 1

/* Link number of the world in messages. */
#define RG_MESSAGE_WORLD UINT32_MAX

/* A velocity of a joint whose positions are the integrals of its velocities. */
typedef struct RgJointColumn {
    RgJointId joint;
    int dof; /* index of the velocity within the joint */
    int q_index, v_index;
    int coupling; /* index of the coupling that determines it; -1: none */
    int control;  /* index within the control; -1: not controlled */
    const char *name;
} RgJointColumn;

struct RgMessages {
    RgArena arena; /* memory of everything below except out and the table of pairs in events */
    const RgModel *model;
    const struct RgControl *control; /* NULL: none */
    RgRecordLayout layout;
    const char *name, *description; /* description NULL: a URDF is written from the model */
    const char *root;               /* name of the world's frame */
    double step;                    /* s; 0: not known */
    double real_time_factor;        /* NaN: not known */
    RgJointColumn *columns;
    int ncolumns;
    const char **names;             /* ncolumns: work memory */
    double *values;                 /* 3 ncolumns: work memory */
    const char *const *joint_names; /* joints: the names by which rg_model_find_joint finds them */
    RgCouplingEffort *efforts;      /* couplings: work memory */
    double *mu;                     /* shapes: friction of their surfaces */
    uint32_t *shape_link;           /* shapes: link, as messages number it */
    bool search_distances;          /* /rigor/step has the least distance of shapes without contact */
    bool tf_sent_all;               /* /tf was sent with all links */
    int32_t arrows;                 /* number of force arrows in the last frame */
    RgEvents events;
    RgBuffer out;
};

typedef struct RgMessageKind {
    RgChannel channel;
    /* Writes the message of the world at time (ns) to an empty buffer. NULL: the channel has events. */
    RgStatus (*encode)(RgMessages *messages, RgWorld *world, uint64_t time, RgBuffer *out);
} RgMessageKind;

/* A time in s as ns; negative times give 0. */
uint64_t rg_message_time(double t);

/* Link of a shape as numbered in messages: from 0; RG_MESSAGE_WORLD: the world. */
static inline uint32_t rg_message_link(const RgMessages *messages, RgShapeId shape)
{
    return messages->shape_link[shape.i - 1];
}

/* Friction coefficient between two shapes: the smaller of the two. */
static inline double rg_message_mu(const RgMessages *messages, RgShapeId a, RgShapeId b)
{
    double x = messages->mu[a.i - 1], y = messages->mu[b.i - 1];
    return x < y ? x : y;
}

/* One event as JSON. */
void rg_message_event(const RgMessages *messages, const RgEvent *event, RgBuffer *out);

/* Writes a URDF of the model with the present poses of its links. */
void rg_urdf_write(RgMessages *messages, RgWorld *world, RgBuffer *out);

/* ROS definitions that several schemas contain, each after its separator. */
#define RG_ROS_SEPARATOR "================================================================================\n"
/* Fields of a channel of messages of ROS 2. */
#define RG_ROS2_CHANNEL(topic_, schema_name_, schema_)                                                                 \
    .topic = (topic_), .encoding = "cdr", .schema_name = (schema_name_), .schema_encoding = "ros2msg",                 \
    .schema = (schema_)

#define RG_ROS_TIME RG_ROS_SEPARATOR "MSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n"
#define RG_ROS_DURATION RG_ROS_SEPARATOR "MSG: builtin_interfaces/Duration\nint32 sec\nuint32 nanosec\n"
#define RG_ROS_HEADER RG_ROS_SEPARATOR "MSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n"
#define RG_ROS_VECTOR3 RG_ROS_SEPARATOR "MSG: geometry_msgs/Vector3\nfloat64 x\nfloat64 y\nfloat64 z\n"
#define RG_ROS_POINT RG_ROS_SEPARATOR "MSG: geometry_msgs/Point\nfloat64 x\nfloat64 y\nfloat64 z\n"
#define RG_ROS_QUATERNION                                                                                              \
    RG_ROS_SEPARATOR "MSG: geometry_msgs/Quaternion\nfloat64 x 0\nfloat64 y 0\nfloat64 z 0\nfloat64 w 1\n"

#endif
