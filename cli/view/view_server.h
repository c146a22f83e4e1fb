/*
 * view_server.h - HTTP and WebSocket for the viewer's page.
 *
 *   GET /               the page
 *   GET /config.json    {"mode": "live" or "replay", "version", "recordings": [names]}
 *   GET /recording/0    the files of a replay, and /recording/1
 *   GET /ws             live: WebSocket with the sub-protocol rigor.view.1
 */
#ifndef RIGOR_VIEW_SERVER_H
#define RIGOR_VIEW_SERVER_H

#include "view/view_hub.h"

#include <rigor/base.h>

#include <signal.h>

enum { RG_VIEW_RECORDINGS = 2 };

typedef struct RgViewServerDef {
    const char *listen; /* numeric address */
    int port;           /* 0: any free one */
    const char *recordings[RG_VIEW_RECORDINGS];
    int nrecordings; /* 0: live */
} RgViewServerDef;

typedef struct RgViewServer RgViewServer;

/* Listens. NULL: error is filled; *in_use: the port is in use. */
RgViewServer *rg_view_server_create(const RgViewServerDef *def, bool *in_use, RgError *error);
void rg_view_server_destroy(RgViewServer *server);

int rg_view_server_port(const RgViewServer *server);

/* Source of frames in a live view; set it before rg_view_server_run. */
void rg_view_server_set_hub(RgViewServer *server, RgViewHub *hub);

/* Tells the server, from any thread, that the hub has something new. context: the server. */
void rg_view_server_wake(void *context);

/* Serves until *stop is not 0. */
void rg_view_server_run(RgViewServer *server, const volatile sig_atomic_t *stop);

#endif
