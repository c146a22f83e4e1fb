/*
 * view_client.h - one viewer, connected by a WebSocket: outgoing and incoming messages.
 */
#ifndef RIGOR_VIEW_CLIENT_H
#define RIGOR_VIEW_CLIENT_H

#include "view/view_hub.h"

#include <libwebsockets.h>

enum { RG_CLIENT_ANSWERS = 8 };

/* A message that is being sent in pieces. */
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

    /* Incoming: an incomplete message. */
    char received[RG_VIEW_MESSAGE_MAX];
    size_t nreceived;

    /* Outgoing. */
    bool greeted, introduced; /* hello was sent; so were the messages that are sent once */
    RgViewOutgoing out;       /* data NULL: nothing is being sent */
    RgViewFrame *frame;       /* its messages from `message` on are to be sent */
    int message;
    uint32_t last_frame, dropped;
    RgEventPlace events;
    char *text; /* memory of a text or event that is being sent */
    size_t text_room;
    char answers[RG_CLIENT_ANSWERS][RG_VIEW_WHY_MAX];
    int nanswers;
    double status_clock; /* s, when the status was last sent */
    uint32_t status_version;
} RgViewClient;

void rg_client_begin(RgViewClient *client, struct lws *socket, RgViewHub *hub, uint32_t id);
void rg_client_end(RgViewClient *client);

/* Handles received bytes. Not 0: close the connection. */
int rg_client_receive(RgViewClient *client, const void *data, size_t size);

/* Sends as much as the socket accepts, through scratch (LWS_PRE and RG_CLIENT_PIECE bytes). Not 0: close the
   connection. */
enum { RG_CLIENT_PIECE = 1 << 16 };
int rg_client_send(RgViewClient *client, uint8_t *scratch);

/* An error for this client. */
void rg_client_answer(RgViewClient *client, const char *text);

/* Whether there may be something to send. */
bool rg_client_has_news(RgViewClient *client, double now);

#endif
