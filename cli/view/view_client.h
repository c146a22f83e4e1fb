/*
 * view_client.h - one viewer at the other end of a WebSocket: outgoing and incoming messages.
 */
#ifndef RIGOR_VIEW_CLIENT_H
#define RIGOR_VIEW_CLIENT_H

#include "view/view_hub.h"

#include <libwebsockets.h>

enum { RG_CLIENT_ANSWERS = 8 };

/* A message on its way, in pieces. */
typedef struct RgViewOutgoing {
    const uint8_t *data;
    size_t size, sent;
    bool binary;
} RgViewOutgoing;

typedef struct RgViewClient {
    struct RgViewClient *next;
    struct lws *socket;
    RgViewHub *hub;
    uint32_t id;

    /* What it sent: a message that is not whole yet. */
    char received[RG_VIEW_MESSAGE_MAX];
    size_t nreceived;

    /* What it is sent. */
    bool greeted, introduced; /* hello was sent; so were the messages that come once */
    RgViewOutgoing out;       /* data NULL: nothing is on its way */
    RgViewFrame *frame;       /* its messages from `message` on are to be sent */
    int message;
    uint32_t last_frame, dropped;
    RgEventPlace events;
    char *text; /* own memory of a text or event on its way */
    size_t text_room;
    char answers[RG_CLIENT_ANSWERS][RG_VIEW_WHY_MAX];
    int nanswers;
    double status_clock; /* s, when the status was last sent */
    uint32_t status_version;
} RgViewClient;

void rg_client_begin(RgViewClient *client, struct lws *socket, RgViewHub *hub, uint32_t id);
void rg_client_end(RgViewClient *client);

/* Bytes that came. Not 0: the connection is to be closed. */
int rg_client_receive(RgViewClient *client, const void *data, size_t size);

/* Sends as much as the socket takes, through scratch (LWS_PRE and RG_CLIENT_PIECE bytes). Not 0: the connection is to
   be closed. */
enum { RG_CLIENT_PIECE = 1 << 16 };
int rg_client_send(RgViewClient *client, uint8_t *scratch);

/* An error for this client. */
void rg_client_answer(RgViewClient *client, const char *text);

/* Whether there may be something to send. */
bool rg_client_has_news(RgViewClient *client, double now);

#endif
