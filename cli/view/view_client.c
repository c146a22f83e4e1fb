/*
 * view_client.c - one viewer, connected by a WebSocket.
 *
 * Messages are sent in this order: hello; the messages that are sent once; then repeatedly errors, the status if it
 * changed or STATUS_TIME has passed, events, and the latest frame. Frames that were replaced before they could be sent
 * are dropped and counted; so are events more than RG_HUB_EVENTS behind or above EVENT_MAX bytes. A message is sent in
 * pieces of RG_CLIENT_PIECE bytes, each when the socket is writable: a slow viewer occupies one frame and delays no
 * other viewer.
 *
 *   text    {"op":"hello"|"status"|"error", ...}
 *   binary  the 16 bytes of view_hub.h, payload
 *
 * A received message has at most RG_VIEW_MESSAGE_MAX bytes; a longer one closes the connection with code 1009.
 */
#include "view/view_client.h"

#include "io/json_out.h"
#include "io/progress.h"

#include <rigor/message.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STATUS_TIME 0.25 /* s */

enum { EVENT_MAX = 1 << 16 };

void rg_client_begin(RgViewClient *client, struct lws *socket, RgViewHub *hub, uint32_t id)
{
    *client = (RgViewClient){.socket = socket, .hub = hub, .id = id};
    rg_hub_order(hub, &(RgViewOrder){.kind = RG_ORDER_JOIN, .client = id});
}

void rg_client_end(RgViewClient *client)
{
    if (client->frame)
        rg_hub_give_back(client->hub, client->frame);
    client->frame = NULL;
    free(client->text);
    client->text = NULL;
    rg_hub_order(client->hub, &(RgViewOrder){.kind = RG_ORDER_LEAVE, .client = client->id});
}

/* ------------------------------------------------------------------ receiving */

void rg_client_answer(RgViewClient *client, const char *text)
{
    /* Further answers to a client that sends faster than it reads are dropped. */
    if (client->nanswers < RG_CLIENT_ANSWERS)
        snprintf(client->answers[client->nanswers++], RG_VIEW_WHY_MAX, "%s", text);
}

static void handle_command(RgViewClient *client, size_t size)
{
    RgViewOrder order = {.kind = RG_ORDER_COMMAND, .client = client->id};
    char why[RG_VIEW_WHY_MAX];
    if (lws_frame_is_binary(client->socket))
        rg_client_answer(client, "expected a text message with JSON");
    else if (!rg_view_command_parse(client->received, size, &order.command, why))
        rg_client_answer(client, why);
    else if (!rg_hub_order(client->hub, &order))
        rg_client_answer(client, "too many commands at once: this one was dropped");
    if (client->nanswers > 0)
        lws_callback_on_writable(client->socket);
}

int rg_client_receive(RgViewClient *client, const void *data, size_t size)
{
    static const char too_long[] = "a message may have at most 4096 bytes";
    if (lws_is_first_fragment(client->socket))
        client->nreceived = 0;
    if (client->nreceived + size > sizeof client->received) {
        lws_close_reason(client->socket, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, (unsigned char *)too_long,
                         sizeof too_long - 1);
        return -1;
    }
    if (size > 0)
        memcpy(client->received + client->nreceived, data, size);
    client->nreceived += size;
    if (lws_is_final_fragment(client->socket) && lws_remaining_packet_payload(client->socket) == 0) {
        size_t whole = client->nreceived;
        client->nreceived = 0;
        handle_command(client, whole);
    }
    return 0;
}

/* ------------------------------------------------------------------ texts */

static json_t *status_fields(const RgViewClient *client, const RgViewStatus *status)
{
    json_t *out = RG_JSON_OBJECT({"op", json_string("status")}, {"t", rg_json_number(status->t)},
                                 {"running", json_boolean(status->running)}, {"speed", rg_json_number(status->speed)},
                                 {"stepper", rg_json_text(status->stepper)}, {"solver", rg_json_text(status->solver)},
                                 {"dt", rg_json_number(status->dt)},
                                 {"real_time_factor", rg_json_number(status->real_time_factor)},
                                 {"frame", json_integer(status->frame)}, {"dropped", json_integer(client->dropped)},
                                 {"dropped_events", json_integer((json_int_t)client->events.missed)});
    if (status->error[0])
        json_object_set_new(out, "error", rg_json_text(status->error));
    return out;
}

static json_t *channel_fields(int index)
{
    RgChannel channel = rg_channel(index);
    return RG_JSON_OBJECT({"id", json_integer(index)}, {"topic", json_string(channel.topic)},
                          {"encoding", json_string(channel.encoding)}, {"schemaName", json_string(channel.schema_name)},
                          {"schemaEncoding", json_string(channel.schema_encoding)},
                          {"schema", json_string(channel.schema)});
}

static json_t *hello(const RgViewClient *client, const RgViewStatus *status)
{
    json_t *out = json_object(), *channels = json_array();
    for (int i = 0; i < rg_channel_count(); i++)
        if (!rg_channel(i).files_only)
            json_array_append_new(channels, channel_fields(i));
    RG_JSON_SET(out, {"op", json_string("hello")}, {"version", json_string(rg_version())},
                {"mode", json_string("live")}, {"channels", channels}, {"status", status_fields(client, status)});
    return out;
}

/* Releases the value. false: out of memory. */
static bool send_json(RgViewClient *client, json_t *value)
{
    char *text = value ? json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(value);
    if (!text)
        return false;
    free(client->text);
    client->text = text;
    client->text_room = strlen(text);
    client->out = (RgViewOutgoing){.data = (const uint8_t *)text, .size = client->text_room};
    return true;
}

/* ------------------------------------------------------------------ order of messages */

static void next_of_frame(RgViewClient *client)
{
    const RgViewFrame *frame = client->frame;
    if (client->message < frame->nmessages) {
        const RgViewMessage *message = &frame->messages[client->message++];
        client->out = (RgViewOutgoing){.data = frame->bytes + message->offset, .size = message->size, .binary = true};
        return;
    }
    rg_hub_give_back(client->hub, client->frame);
    client->frame = NULL;
}

static bool status_due(const RgViewClient *client, const RgViewStatus *status, double now)
{
    return status->version != client->status_version || now - client->status_clock >= STATUS_TIME;
}

static bool next_event(RgViewClient *client)
{
    if (client->text_room < EVENT_MAX) {
        char *text = realloc(client->text, EVENT_MAX);
        if (!text)
            return false;
        client->text = text;
        client->text_room = EVENT_MAX;
    }
    size_t size = rg_hub_copy_event(client->hub, &client->events, (uint8_t *)client->text, client->text_room);
    client->out = (RgViewOutgoing){.data = (const uint8_t *)client->text, .size = size, .binary = true};
    if (size == 0)
        client->out.data = NULL;
    return size > 0;
}

/* Takes the messages that are sent once, else the latest frame if it is new. */
static void take_frame(RgViewClient *client)
{
    RgViewFrame *frame = NULL;
    if (!client->introduced) {
        frame = rg_hub_take_first(client->hub);
        client->introduced = frame != NULL;
    } else {
        frame = rg_hub_take_latest(client->hub, client->last_frame);
        if (frame && client->last_frame > 0)
            client->dropped += frame->number - client->last_frame - 1;
        if (frame)
            client->last_frame = frame->number;
    }
    client->frame = frame;
    client->message = 0;
}

/* Chooses the next message. false: none, or out of memory. */
static bool choose(RgViewClient *client)
{
    double now = rg_progress_clock();
    RgViewStatus status = rg_hub_status(client->hub);
    if (!client->greeted) {
        client->greeted = true;
        client->status_version = status.version;
        client->status_clock = now;
        rg_hub_copy_event(client->hub, &client->events, NULL, 0);
        return send_json(client, hello(client, &status));
    }
    if (client->frame)
        next_of_frame(client);
    if (client->out.data)
        return true;
    if (client->nanswers > 0) {
        json_t *answer = json_pack("{s:s, s:o}", "op", "error", "text", rg_json_text(client->answers[0]));
        memmove(client->answers[0], client->answers[1], sizeof client->answers[0] * (RG_CLIENT_ANSWERS - 1));
        client->nanswers--;
        return send_json(client, answer);
    }
    if (client->introduced && status_due(client, &status, now)) {
        client->status_version = status.version;
        client->status_clock = now;
        return send_json(client, status_fields(client, &status));
    }
    if (client->introduced && next_event(client))
        return true;
    take_frame(client);
    if (client->frame)
        next_of_frame(client);
    return client->out.data != NULL;
}

int rg_client_send(RgViewClient *client, uint8_t *scratch)
{
    do {
        if (!client->out.data && !choose(client))
            return 0;

        /* One piece; lws writes the header of the message into the bytes before it. */
        RgViewOutgoing *out = &client->out;
        size_t left = out->size - out->sent, n = left < RG_CLIENT_PIECE ? left : RG_CLIENT_PIECE;
        int flags = lws_write_ws_flags(out->binary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT, out->sent == 0, n == left);
        memcpy(scratch + LWS_PRE, out->data + out->sent, n);
        if (lws_write(client->socket, scratch + LWS_PRE, n, (enum lws_write_protocol)flags) < (int)n)
            return -1;
        out->sent += n;
        if (out->sent == out->size)
            out->data = NULL;
    } while (!lws_send_pipe_choked(client->socket));
    lws_callback_on_writable(client->socket);
    return 0;
}

bool rg_client_has_news(RgViewClient *client, double now)
{
    RgViewStatus status = rg_hub_status(client->hub);
    return status.frame > client->last_frame || client->nanswers > 0 || status_due(client, &status, now);
}
