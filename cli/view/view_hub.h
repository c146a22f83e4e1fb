/*
 * view_hub.h - exchange between the simulation thread and the server thread.
 *
 *   server thread  -- orders (commands of clients) ------------------------> simulation thread
 *   server thread  <-- the latest frame, events, status, answers to orders -- simulation thread
 *
 * The lock is held for copies of a few hundred bytes, never during encoding, simulation or sending, so neither thread
 * waits for the other. Memory is bounded: the next frame replaces one that no client took, events beyond RG_HUB_EVENTS
 * drop the oldest, orders beyond RG_HUB_ORDERS are refused, except for clients that join or leave.
 */
#ifndef RIGOR_VIEW_HUB_H
#define RIGOR_VIEW_HUB_H

#include "view/view_command.h"

#include <stdint.h>

enum { RG_HUB_ORDERS = 256, RG_HUB_ANSWERS = 64, RG_HUB_EVENTS = 4096, RG_HUB_CLIENTS = 64 };

/* Bytes before the payload of a binary message:
 *
 *   u8 1 | u8 0 | u16 channel | u32 number of the frame | u64 time in ns     (little endian) */
enum { RG_VIEW_HEAD = 16 };

/* One message to clients, head and payload. */
typedef struct RgViewMessage {
    size_t offset, size; /* in the frame's bytes */
} RgViewMessage;

/* The messages of one time. Constant once it is published. */
typedef struct RgViewFrame {
    uint32_t number;
    int users; /* guarded by the hub's lock */
    uint8_t *bytes;
    size_t used, room;
    RgViewMessage *messages;
    int nmessages, messages_room;
    bool failed;              /* out of memory: not to be published */
    struct RgViewFrame *next; /* in the list of all frames */
} RgViewFrame;

typedef struct RgViewStatus {
    double t; /* s */
    bool running;
    double speed;
    char stepper[RG_VIEW_NAME_MAX], solver[RG_VIEW_NAME_MAX];
    double dt;
    double real_time_factor;
    uint32_t frame;
    char error[RG_VIEW_WHY_MAX]; /* why the simulation stopped; empty: it did not */
    uint32_t version;            /* counts changes of all members but t, frame and real_time_factor */
} RgViewStatus;

/* JOIN, LEAVE: a client connected or disconnected. */
typedef enum RgViewOrderKind { RG_ORDER_COMMAND, RG_ORDER_JOIN, RG_ORDER_LEAVE } RgViewOrderKind;

typedef struct RgViewOrder {
    RgViewOrderKind kind;
    uint32_t client;
    RgViewCommand command;
} RgViewOrder;

/* Why an order was refused. */
typedef struct RgViewAnswer {
    uint32_t client;
    char text[RG_VIEW_WHY_MAX];
} RgViewAnswer;

typedef struct RgViewHub RgViewHub;

/* wake is called, without the lock, after something new is ready for the server thread. NULL: out of memory. */
RgViewHub *rg_hub_create(void (*wake)(void *context), void *context);
void rg_hub_destroy(RgViewHub *hub);

/* ------------------------------------------------------------------ for the simulation thread */

/* The next order; false: none. */
bool rg_hub_take_order(RgViewHub *hub, RgViewOrder *out);

/* Number of clients; whether one is present. */
int rg_hub_viewers(RgViewHub *hub);
bool rg_hub_has_viewer(RgViewHub *hub, uint32_t client);

/* Sleeps until an order or the end arrives, or until rg_progress_clock reaches time (infinite: no limit). */
void rg_hub_wait(RgViewHub *hub, double time);
bool rg_hub_ended(RgViewHub *hub);

/* Begins a frame without readers; NULL: out of memory. Then messages are added, then the frame is published: as the
   one that new clients get first, or as the latest. */
RgViewFrame *rg_hub_begin_frame(RgViewHub *hub, uint32_t number);
void rg_frame_add(RgViewFrame *frame, uint16_t channel, uint64_t time, const void *data, size_t size);
void rg_hub_publish_first(RgViewHub *hub, RgViewFrame *frame);
void rg_hub_publish(RgViewHub *hub, RgViewFrame *frame);

/* Events are kept for clients that do not get every frame. */
void rg_hub_add_event(RgViewHub *hub, uint16_t channel, uint32_t frame, uint64_t time, const void *data, size_t size);
void rg_hub_answer(RgViewHub *hub, uint32_t client, const char *text);
void rg_hub_set_status(RgViewHub *hub, const RgViewStatus *status);

/* ------------------------------------------------------------------ for the server thread */

/* Adds an order; false: too many. Half of the room is reserved for joining and leaving clients. At most RG_HUB_CLIENTS
   may be present at once; each joins once and leaves once. */
bool rg_hub_order(RgViewHub *hub, const RgViewOrder *order);
void rg_hub_end(RgViewHub *hub);

/* A frame is unchanged until it is released. NULL: none, or none later than number. */
RgViewFrame *rg_hub_take_first(RgViewHub *hub);
RgViewFrame *rg_hub_take_latest(RgViewHub *hub, uint32_t after);
void rg_hub_give_back(RgViewHub *hub, RgViewFrame *frame);

/* Position of a client in the events, which count from 1. next 0: the next event. */
typedef struct RgEventPlace {
    uint64_t next, missed; /* missed: number of events it did not get */
} RgEventPlace;

/* Copies the next stored event that fits room, and advances the place. Returns its size; 0: none. Skipped events count
   as missed. */
size_t rg_hub_copy_event(RgViewHub *hub, RgEventPlace *place, uint8_t *out, size_t room);
bool rg_hub_take_answer(RgViewHub *hub, RgViewAnswer *out);
RgViewStatus rg_hub_status(RgViewHub *hub);

#endif
