/*
 * view_hub.c - exchange between the simulation thread and the server thread.
 *
 * Frames: users counts the clients that send a frame, and the hub's own references (first, latest). Frames without
 * users are used again, so there are at most clients + 3; each keeps the memory of its largest content.
 *
 * Out of memory: a frame or event is dropped, and the event counted.
 */
#define _POSIX_C_SOURCE 200809L
#include "view/view_hub.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* One event, encoded for clients. */
typedef struct HubEvent {
    uint8_t *bytes;
    size_t size, room;
} HubEvent;

struct RgViewHub {
    pthread_mutex_t lock;
    pthread_cond_t news; /* signals the simulation thread */
    void (*wake)(void *context);
    void *context;

    RgViewOrder orders[RG_HUB_ORDERS]; /* a ring: norders from first_order on */
    int first_order, norders;
    uint32_t viewers[RG_HUB_CLIENTS];
    int nviewers;
    bool ended;

    RgViewFrame *frames; /* list of all */
    RgViewFrame *first, *latest;
    HubEvent events[RG_HUB_EVENTS]; /* a ring: event number n is at n mod RG_HUB_EVENTS */
    uint64_t events_end;            /* number of the next event */
    RgViewAnswer answers[RG_HUB_ANSWERS];
    int first_answer, nanswers;
    RgViewStatus status;
};

RgViewHub *rg_hub_create(void (*wake)(void *context), void *context)
{
    RgViewHub *hub = calloc(1, sizeof *hub);
    if (!hub)
        return NULL;
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&hub->lock, NULL);
    pthread_cond_init(&hub->news, &attributes);
    pthread_condattr_destroy(&attributes);
    hub->wake = wake;
    hub->context = context;
    hub->events_end = 1;
    return hub;
}

void rg_hub_destroy(RgViewHub *hub)
{
    if (!hub)
        return;
    while (hub->frames) {
        RgViewFrame *frame = hub->frames;
        hub->frames = frame->next;
        free(frame->bytes);
        free(frame->messages);
        free(frame);
    }
    for (int i = 0; i < RG_HUB_EVENTS; i++)
        free(hub->events[i].bytes);
    pthread_cond_destroy(&hub->news);
    pthread_mutex_destroy(&hub->lock);
    free(hub);
}

/* ------------------------------------------------------------------ orders */

/* Index of a client among the present ones; their number: not found. */
static int find_viewer(const RgViewHub *hub, uint32_t client)
{
    int i = 0;
    while (i < hub->nviewers && hub->viewers[i] != client)
        i++;
    return i;
}

static void count_viewer(RgViewHub *hub, const RgViewOrder *order)
{
    int i = find_viewer(hub, order->client);
    if (order->kind == RG_ORDER_JOIN && hub->nviewers < RG_HUB_CLIENTS)
        hub->viewers[hub->nviewers++] = order->client;
    else if (order->kind == RG_ORDER_LEAVE && i < hub->nviewers)
        hub->viewers[i] = hub->viewers[--hub->nviewers];
}

bool rg_hub_order(RgViewHub *hub, const RgViewOrder *order)
{
    int room = order->kind == RG_ORDER_COMMAND ? RG_HUB_ORDERS / 2 : RG_HUB_ORDERS;
    pthread_mutex_lock(&hub->lock);
    count_viewer(hub, order);
    bool fits = hub->norders < room;
    if (fits)
        hub->orders[(hub->first_order + hub->norders++) % RG_HUB_ORDERS] = *order;
    pthread_cond_signal(&hub->news);
    pthread_mutex_unlock(&hub->lock);
    return fits;
}

bool rg_hub_take_order(RgViewHub *hub, RgViewOrder *out)
{
    pthread_mutex_lock(&hub->lock);
    bool any = hub->norders > 0;
    if (any) {
        *out = hub->orders[hub->first_order];
        hub->first_order = (hub->first_order + 1) % RG_HUB_ORDERS;
        hub->norders--;
    }
    pthread_mutex_unlock(&hub->lock);
    return any;
}

int rg_hub_viewers(RgViewHub *hub)
{
    pthread_mutex_lock(&hub->lock);
    int viewers = hub->nviewers;
    pthread_mutex_unlock(&hub->lock);
    return viewers;
}

bool rg_hub_has_viewer(RgViewHub *hub, uint32_t client)
{
    pthread_mutex_lock(&hub->lock);
    bool has = find_viewer(hub, client) < hub->nviewers;
    pthread_mutex_unlock(&hub->lock);
    return has;
}

void rg_hub_wait(RgViewHub *hub, double time)
{
    struct timespec until = {.tv_sec = 0};
    if (isfinite(time)) {
        until.tv_sec = (time_t)floor(time);
        until.tv_nsec = (long)(1e9 * (time - floor(time)));
    }
    pthread_mutex_lock(&hub->lock);
    int late = 0;
    while (hub->norders == 0 && !hub->ended && late == 0)
        late = isfinite(time) ? pthread_cond_timedwait(&hub->news, &hub->lock, &until)
                              : pthread_cond_wait(&hub->news, &hub->lock);
    pthread_mutex_unlock(&hub->lock);
}

void rg_hub_end(RgViewHub *hub)
{
    pthread_mutex_lock(&hub->lock);
    hub->ended = true;
    pthread_cond_signal(&hub->news);
    pthread_mutex_unlock(&hub->lock);
}

bool rg_hub_ended(RgViewHub *hub)
{
    pthread_mutex_lock(&hub->lock);
    bool ended = hub->ended;
    pthread_mutex_unlock(&hub->lock);
    return ended;
}

/* ------------------------------------------------------------------ frames */

/* Room for at least need items of size bytes; NULL: out of memory, items unchanged. */
static void *grow(void *items, size_t need, size_t size, size_t *room)
{
    size_t larger = *room ? *room : 64;
    while (larger < need)
        larger *= 2;
    void *moved = realloc(items, larger * size);
    if (moved)
        *room = larger;
    return moved;
}

RgViewFrame *rg_hub_begin_frame(RgViewHub *hub, uint32_t number)
{
    pthread_mutex_lock(&hub->lock);
    RgViewFrame *frame = hub->frames;
    while (frame && frame->users > 0)
        frame = frame->next;
    if (!frame && (frame = calloc(1, sizeof *frame)) != NULL) {
        frame->next = hub->frames;
        hub->frames = frame;
    }
    pthread_mutex_unlock(&hub->lock);
    if (frame) {
        frame->number = number;
        frame->used = 0;
        frame->nmessages = 0;
        frame->failed = false;
    }
    return frame;
}

static void put_little_endian(uint8_t *out, uint64_t x, int bytes)
{
    for (int i = 0; i < bytes; i++)
        out[i] = (uint8_t)(x >> (8 * i));
}

static void put_head(uint8_t *out, uint16_t channel, uint32_t number, uint64_t time)
{
    out[0] = 1;
    out[1] = 0;
    put_little_endian(out + 2, channel, 2);
    put_little_endian(out + 4, number, 4);
    put_little_endian(out + 8, time, 8);
}

void rg_frame_add(RgViewFrame *frame, uint16_t channel, uint64_t time, const void *data, size_t size)
{
    size_t need = frame->used + RG_VIEW_HEAD + size, room = (size_t)frame->messages_room;
    if (need > frame->room) {
        uint8_t *bytes = grow(frame->bytes, need, 1, &frame->room);
        if (!bytes) {
            frame->failed = true;
            return;
        }
        frame->bytes = bytes;
    }
    if (frame->nmessages == frame->messages_room) {
        void *messages = grow(frame->messages, room + 1, sizeof *frame->messages, &room);
        if (!messages) {
            frame->failed = true;
            return;
        }
        frame->messages = messages;
        frame->messages_room = (int)room;
    }
    uint8_t *at = frame->bytes + frame->used;
    put_head(at, channel, frame->number, time);
    if (size > 0)
        memcpy(at + RG_VIEW_HEAD, data, size);
    frame->messages[frame->nmessages++] = (RgViewMessage){.offset = frame->used, .size = RG_VIEW_HEAD + size};
    frame->used = need;
}

/* Makes a frame the first or latest one; releases the previous frame. */
static void publish(RgViewHub *hub, RgViewFrame **place, RgViewFrame *frame)
{
    if (frame->failed)
        return;
    pthread_mutex_lock(&hub->lock);
    if (*place)
        (*place)->users--;
    frame->users++;
    *place = frame;
    pthread_mutex_unlock(&hub->lock);
    hub->wake(hub->context);
}

void rg_hub_publish_first(RgViewHub *hub, RgViewFrame *frame)
{
    publish(hub, &hub->first, frame);
}

void rg_hub_publish(RgViewHub *hub, RgViewFrame *frame)
{
    publish(hub, &hub->latest, frame);
}

RgViewFrame *rg_hub_take_first(RgViewHub *hub)
{
    pthread_mutex_lock(&hub->lock);
    RgViewFrame *frame = hub->first;
    if (frame)
        frame->users++;
    pthread_mutex_unlock(&hub->lock);
    return frame;
}

RgViewFrame *rg_hub_take_latest(RgViewHub *hub, uint32_t after)
{
    pthread_mutex_lock(&hub->lock);
    RgViewFrame *frame = hub->latest && hub->latest->number > after ? hub->latest : NULL;
    if (frame)
        frame->users++;
    pthread_mutex_unlock(&hub->lock);
    return frame;
}

void rg_hub_give_back(RgViewHub *hub, RgViewFrame *frame)
{
    pthread_mutex_lock(&hub->lock);
    frame->users--;
    pthread_mutex_unlock(&hub->lock);
}

/* ------------------------------------------------------------------ events */

void rg_hub_add_event(RgViewHub *hub, uint16_t channel, uint32_t frame, uint64_t time, const void *data, size_t size)
{
    pthread_mutex_lock(&hub->lock);
    HubEvent *event = &hub->events[hub->events_end % RG_HUB_EVENTS];
    size_t need = RG_VIEW_HEAD + size;
    uint8_t *bytes = need > event->room ? grow(event->bytes, need, 1, &event->room) : event->bytes;
    event->size = bytes ? need : 0;
    if (bytes) {
        event->bytes = bytes;
        put_head(bytes, channel, frame, time);
        memcpy(bytes + RG_VIEW_HEAD, data, size);
    }
    hub->events_end++;
    pthread_mutex_unlock(&hub->lock);
}

size_t rg_hub_copy_event(RgViewHub *hub, RgEventPlace *place, uint8_t *out, size_t room)
{
    pthread_mutex_lock(&hub->lock);
    uint64_t oldest = hub->events_end > RG_HUB_EVENTS ? hub->events_end - RG_HUB_EVENTS : 1;
    size_t size = 0;
    if (place->next == 0) {
        place->next = hub->events_end;
    } else if (place->next < oldest) {
        place->missed += oldest - place->next;
        place->next = oldest;
    }

    /* Skips events larger than room and events dropped for lack of memory. */
    while (size == 0 && place->next < hub->events_end) {
        const HubEvent *event = &hub->events[place->next++ % RG_HUB_EVENTS];
        if (event->size > 0 && event->size <= room) {
            size = event->size;
            memcpy(out, event->bytes, size);
        } else {
            place->missed++;
        }
    }
    pthread_mutex_unlock(&hub->lock);
    return size;
}

/* ------------------------------------------------------------------ answers, status */

void rg_hub_answer(RgViewHub *hub, uint32_t client, const char *text)
{
    pthread_mutex_lock(&hub->lock);
    if (hub->nanswers < RG_HUB_ANSWERS) {
        RgViewAnswer *answer = &hub->answers[(hub->first_answer + hub->nanswers++) % RG_HUB_ANSWERS];
        *answer = (RgViewAnswer){.client = client};
        strncpy(answer->text, text, sizeof answer->text - 1);
    }
    pthread_mutex_unlock(&hub->lock);
    hub->wake(hub->context);
}

bool rg_hub_take_answer(RgViewHub *hub, RgViewAnswer *out)
{
    pthread_mutex_lock(&hub->lock);
    bool any = hub->nanswers > 0;
    if (any) {
        *out = hub->answers[hub->first_answer];
        hub->first_answer = (hub->first_answer + 1) % RG_HUB_ANSWERS;
        hub->nanswers--;
    }
    pthread_mutex_unlock(&hub->lock);
    return any;
}

void rg_hub_set_status(RgViewHub *hub, const RgViewStatus *status)
{
    pthread_mutex_lock(&hub->lock);
    bool changed = status->version != hub->status.version;
    hub->status = *status;
    pthread_mutex_unlock(&hub->lock);
    if (changed)
        hub->wake(hub->context);
}

RgViewStatus rg_hub_status(RgViewHub *hub)
{
    pthread_mutex_lock(&hub->lock);
    RgViewStatus status = hub->status;
    pthread_mutex_unlock(&hub->lock);
    return status;
}
