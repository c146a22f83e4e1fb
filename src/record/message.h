/*
 * message.h - what the messages of a model are made of, and what a kind of message does with it.
 *
 * A kind is one channel: a file message_x.c with its definition and its encoder, and a word in message_table.h.
 */
#ifndef RIGOR_MESSAGE_INTERNAL_H
#define RIGOR_MESSAGE_INTERNAL_H

#include "record/buffer.h"
#include "record/events.h"
#include "record/record.h"

#include <rigor/message.h>

/* Number of the messages' contents, kept in the scene. */
#define RG_MESSAGE_VERSION 1

/* Link number of the world in messages. */
#define RG_MESSAGE_WORLD UINT32_MAX

/* A velocity of a joint whose positions are its integrals. */
typedef struct RgJointColumn {
    RgJointId joint;
    int dof; /* velocity within the joint */
    int q_index, v_index;
    int coupling; /* that it follows; -1: none */
    int control;  /* number within the control; -1: not controlled */
    const char *name;
} RgJointColumn;

struct RgMessages {
    RgArena arena; /* holds everything below but the buffer and what events keep */
    const RgModel *model;
    const struct RgControl *control; /* NULL: none */
    RgRecordLayout layout;
    const char *name, *description; /* description NULL: written from the model */
    const char *root;               /* frame of the world */
    double step, real_time_factor;
    RgJointColumn *columns;
    int ncolumns;
    const char **names;             /* ncolumns: for lists of chosen columns */
    double *values;                 /* 3 ncolumns */
    const char *const *joint_names; /* joints: as they are found again */
    RgCouplingEffort *efforts;      /* couplings */
    double *mu;                     /* shapes: friction of their surfaces */
    uint32_t *shape_link;           /* shapes: link, as messages number it */
    bool searches;                  /* least distances are looked for where nothing touches */
    bool tf_begun;                  /* the links that stand still were told */
    int32_t arrows;                 /* of forces, in the last frame */
    RgEvents events;
    RgBuffer out;
};

typedef struct RgMessageKind {
    RgChannel channel;
    /* The message of the world at time (ns) into an empty buffer. NULL: the channel has events. */
    RgStatus (*encode)(RgMessages *messages, RgWorld *world, uint64_t time, RgBuffer *out);
} RgMessageKind;

/* ns of a time in s, 0 for what lies before. */
uint64_t rg_message_time(double t);

/* Link of a shape as messages number it: from 0, RG_MESSAGE_WORLD for the world. */
static inline uint32_t rg_message_link(const RgMessages *messages, RgShapeId shape)
{
    return messages->shape_link[shape.i - 1];
}

/* Friction coefficient between two shapes: the smaller one. */
static inline double rg_message_mu(const RgMessages *messages, RgShapeId a, RgShapeId b)
{
    double x = messages->mu[a.i - 1], y = messages->mu[b.i - 1];
    return x < y ? x : y;
}

/* One event as JSON. */
void rg_message_event(const RgMessages *messages, const RgEvent *event, RgBuffer *out);

/* A URDF of the model with its links where the world has them now. */
void rg_urdf_write(RgMessages *messages, RgWorld *world, RgBuffer *out);

/* Definitions that several schemas contain, each behind its separator. */
#define RG_ROS_SEPARATOR "================================================================================\n"
#define RG_ROS_TIME RG_ROS_SEPARATOR "MSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n"
#define RG_ROS_DURATION RG_ROS_SEPARATOR "MSG: builtin_interfaces/Duration\nint32 sec\nuint32 nanosec\n"
#define RG_ROS_HEADER RG_ROS_SEPARATOR "MSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n"
#define RG_ROS_VECTOR3 RG_ROS_SEPARATOR "MSG: geometry_msgs/Vector3\nfloat64 x\nfloat64 y\nfloat64 z\n"
#define RG_ROS_POINT RG_ROS_SEPARATOR "MSG: geometry_msgs/Point\nfloat64 x\nfloat64 y\nfloat64 z\n"
#define RG_ROS_QUATERNION                                                                                              \
    RG_ROS_SEPARATOR "MSG: geometry_msgs/Quaternion\nfloat64 x 0\nfloat64 y 0\nfloat64 z 0\nfloat64 w 1\n"

#endif
