/*
 * view_hub.h - exchange between the simulation thread and the server thread.
 *
 *   serves  -- orders (commands of clients) --------------------------> simulates
 *   serves  <-- the latest frame, events, status, answers to orders --  simulates
 *
 * The lock is held for copies of a few hundred bytes, never while something is encoded, simulated or sent: neither
 * thread waits for the other, whatever clients do. All memory is bounded: a frame that no client took is replaced by
 * the next one, events beyond RG_HUB_EVENTS drop the oldest, orders beyond RG_HUB_ORDERS are refused. Arrivals and
 * departures of clients are always kept.
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

/* One message as it goes to a client, head and payload. */
typedef struct RgViewMessage {
    size_t offset, size; /* in the frame's bytes */
} RgViewMessage;

/* The messages of one moment. Read by many; constant once it is shown. */
typedef struct RgViewFrame {
    uint32_t number;
    int users; /* under the hub's lock */
    uint8_t *bytes;
    size_t used, room;
    RgViewMessage *messages;
    int nmessages, messages_room;
    bool failed;              /* memory ran out: not to be shown */
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
    char error[RG_VIEW_WHY_MAX]; /* what stopped it; empty: nothing */
    uint32_t version;            /* counts changes of everything but t, frame and the factor */
} RgViewStatus;

/* join, leave: a client came or went. */
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

/* wake is called, without the lock, after something new is there for the thread that serves. NULL: out of memory. */
RgViewHub *rg_hub_create(void (*wake)(void *context), void *context);
void rg_hub_destroy(RgViewHub *hub);

/* ------------------------------------------------------------------ for the thread that simulates */

/* The next order; false: there is none. */
bool rg_hub_take_order(RgViewHub *hub, RgViewOrder *out);

/* How many clients there are; whether one is among them. */
int rg_hub_viewers(RgViewHub *hub);
bool rg_hub_has_viewer(RgViewHub *hub, uint32_t client);

/* Sleeps until an order or the end has come, or until the clock of rg_progress_clock reaches time (infinite: for ever). */
void rg_hub_wait(RgViewHub *hub, double time);
bool rg_hub_ended(RgViewHub *hub);

/* A frame to write to, without readers; NULL: out of memory. Then its messages, then it is shown: as the one that
   new clients begin with (first), or as the latest. */
RgViewFrame *rg_hub_begin_frame(RgViewHub *hub, uint32_t number);
void rg_frame_add(RgViewFrame *frame, uint16_t channel, uint64_t time, const void *data, size_t size);
void rg_hub_show_first(RgViewHub *hub, RgViewFrame *frame);
void rg_hub_show(RgViewHub *hub, RgViewFrame *frame);

/* Events are kept for clients that do not get every frame. */
void rg_hub_add_event(RgViewHub *hub, uint16_t channel, uint32_t frame, uint64_t time, const void *data, size_t size);
void rg_hub_answer(RgViewHub *hub, uint32_t client, const char *text);
void rg_hub_set_status(RgViewHub *hub, const RgViewStatus *status);

/* ------------------------------------------------------------------ for the thread that serves */

/* false: there are too many orders. Half of the room is reserved for arrivals and departures of clients. At most
   RG_HUB_CLIENTS may be present at once; each arrives once and leaves once. */
bool rg_hub_order(RgViewHub *hub, const RgViewOrder *order);
void rg_hub_end(RgViewHub *hub);

/* A frame stays whole until it is given back. NULL: there is none, or none later than number. */
RgViewFrame *rg_hub_take_first(RgViewHub *hub);
RgViewFrame *rg_hub_take_latest(RgViewHub *hub, uint32_t after);
void rg_hub_give_back(RgViewHub *hub, RgViewFrame *frame);

/* Position of a client in the events, which count from 1. next 0: the next event. */
typedef struct RgEventPlace {
    uint64_t next, missed; /* missed: how many it was not given */
} RgEventPlace;

/* Copies the next event that is there and fits room, and moves the place behind it. Its size; 0: there is none. Those
   passed over on the way are missed. */
size_t rg_hub_copy_event(RgViewHub *hub, RgEventPlace *place, uint8_t *out, size_t room);
bool rg_hub_take_answer(RgViewHub *hub, RgViewAnswer *out);
RgViewStatus rg_hub_status(RgViewHub *hub);

#endif
