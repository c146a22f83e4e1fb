/*
 * message.h - a world's motion as messages on channels: what an MCAP recording holds and a live view sends.
 *
 *   once         /robot_description  /rigor/scene  /tf_static
 *   every frame  /tf  /joint_states  /rigor/joint_targets  /rigor/state  /contacts  /rigor/contacts  /rigor/step
 *   at any step  /rigor/events
 *
 * Messages are encoded as ROS 2 has them (CDR) or as JSON; a channel carries the schema that reads them. Times are
 * simulated time in nanoseconds.
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
    bool files_only; /* for other programs and for exact copies: a live view does without */
} RgChannel;

/* The channels, 0 ... count - 1, the same for every model. Texts live as long as the program. */
RG_API int rg_channel_count(void);
RG_API RgChannel rg_channel(int index);
RG_API int rg_channel_find(const char *topic); /* -1: none */

typedef struct RgMessage {
    int channel;
    uint64_t time;    /* ns of simulated time */
    const void *data; /* size bytes; live until the next call for the same RgMessages */
    size_t size;
} RgMessage;

struct RgControl;

typedef struct RgMessagesDef {
    uint32_t cookie;
    const RgModel *model;    /* must outlive the messages */
    const char *name;        /* of the scene; NULL (default): the model's */
    const char *description; /* URDF of the model where it came from one; NULL (default): written from the model */
    double step;             /* s: the step that is meant to be made; 0 (default): not known */
    const struct RgControl *control; /* what drives the world; NULL (default): nothing. Must outlive the messages */
} RgMessagesDef;

RG_API RgMessagesDef rg_messages_def_default(void);

typedef struct RgMessages RgMessages;

RG_API RgMessages *rg_messages_create(const RgMessagesDef *def, RgError *error);
RG_API void rg_messages_destroy(RgMessages *messages);

/* The message of a channel that is sent once or every frame, of the world as it is. RG_ERR_ARGUMENT: the world is
   of another model, or the channel has events. */
RG_API RgStatus rg_messages_encode(RgMessages *messages, int channel, RgWorld *world, RgMessage *out);

/* Looks for events: contacts that begin, end, begin to stick, roll or slip, impacts, joints that reach or leave a
   limit; with a stepper that locates them those of the last step. To be called after every step; fn gets a message for
   each event. A second call at the same time finds nothing. */
typedef void RgMessageFn(const RgMessage *message, void *context);
RG_API RgStatus rg_messages_look(RgMessages *messages, RgWorld *world, RgMessageFn *fn, void *context);

/* The same as numbers, in place of messages: what one of the two was told the other is not. */
RG_API RgStatus rg_messages_events(RgMessages *messages, RgWorld *world, RgEventFn *fn, void *context);

/* The world's state was set or loaded: what was known of contacts and limits is forgotten. */
RG_API void rg_messages_reset(RgMessages *messages);

/* Another control in the place of the definition's; NULL: none. */
RG_API void rg_messages_set_control(RgMessages *messages, const struct RgControl *control);

/* What /rigor/step says from now on about speed; NaN (default): null. */
RG_API void rg_messages_set_real_time_factor(RgMessages *messages, double factor);

#ifdef __cplusplus
}
#endif
#endif
