/*
 * message.h - the motion of a world as messages on channels, for MCAP recordings and the live view.
 *
 *   once         /robot_description  /rigor/scene  /tf_static
 *   every frame  /tf  /joint_states  /rigor/joint_targets  /rigor/state  /contacts  /rigor/contacts  /rigor/step
 *   at any step  /rigor/events
 *
 * Messages are encoded as in ROS 2 (CDR) or as JSON; every channel carries its schema. Times are simulated time in
 * nanoseconds.
 */
#ifndef RIGOR_MESSAGE_H
#define RIGOR_MESSAGE_H

#include <rigor/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum RgChannelWhen { RG_CHANNEL_ONCE, RG_CHANNEL_FRAME, RG_CHANNEL_EVENT } RgChannelWhen;

typedef struct RgChannel {
    const char *topic;
    const char *encoding;        /* of messages: "cdr" or "json" */
    const char *schema_name;     /* "tf2_msgs/msg/TFMessage" for example */
    const char *schema_encoding; /* "ros2msg" or "jsonschema" */
    const char *schema;          /* text */
    RgChannelWhen when;
    bool files_only; /* for other programs and exact copies; not sent to a live view */
} RgChannel;

/* The channels, 0 ... count - 1, the same for every model. The strings are static. */
RG_API int rg_channel_count(void);
RG_API RgChannel rg_channel(int index);
RG_API int rg_channel_find(const char *topic); /* -1: none */

typedef struct RgMessage {
    int channel;
    uint64_t time;    /* ns of simulated time */
    const void *data; /* size bytes; valid until the next call for the same RgMessages */
    size_t size;
} RgMessage;

struct RgControl;

typedef struct RgMessagesDef {
    uint32_t cookie;
    const RgModel *model;    /* must outlive the messages */
    const char *name;        /* of the scene; NULL (default): the model's */
    const char *description; /* URDF text of the model, if read from one; NULL (default): generated from the model */
    double step;             /* s: intended step; 0 (default): unknown */
    const struct RgControl *control; /* control of the world, must outlive the messages; NULL (default): none */
} RgMessagesDef;

RG_API RgMessagesDef rg_messages_def_default(void);

typedef struct RgMessages RgMessages;

RG_API RgMessages *rg_messages_create(const RgMessagesDef *def, RgError *error);
RG_API void rg_messages_destroy(RgMessages *messages);

/* The message of a channel that is sent once or every frame, for the present state of the world. RG_ERR_ARGUMENT: the
   world has another model, or the channel carries events. */
RG_API RgStatus rg_messages_encode(RgMessages *messages, int channel, RgWorld *world, RgMessage *out);

/* Finds events by comparing consecutive states: contacts that begin, end, begin to stick, roll or slip, impacts, joints
   that reach or leave a limit. With a stepper that locates events it uses the events of the last step. Call it after
   every step; fn gets one message per event. A second call at the same time finds nothing. */
typedef void RgMessageFn(const RgMessage *message, void *context);
RG_API RgStatus rg_messages_encode_events(RgMessages *messages, RgWorld *world, RgMessageFn *fn, void *context);

/* Like rg_messages_encode_events, with events instead of messages. Both share one state: each event is reported by one
   of them only. */
RG_API RgStatus rg_messages_events(RgMessages *messages, RgWorld *world, RgEventFn *fn, void *context);

/* Call it after the world's state was set or loaded: it discards the previous contacts and limits. */
RG_API void rg_messages_reset(RgMessages *messages);

/* Replaces the control of the definition; NULL: none. */
RG_API void rg_messages_set_control(RgMessages *messages, const struct RgControl *control);

/* Real-time factor for later messages on /rigor/step; NaN (default): null. */
RG_API void rg_messages_set_real_time_factor(RgMessages *messages, double factor);

#ifdef __cplusplus
}
#endif
#endif
