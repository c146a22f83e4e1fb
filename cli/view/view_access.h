/* view_access.h - access control of the viewer's server, and its resources. */
#ifndef RIGOR_VIEW_ACCESS_H
#define RIGOR_VIEW_ACCESS_H

#include <stdbool.h>

/* Whether a server that listens at an address and port may answer a request with this Host. */
bool rg_view_host_allowed(const char *host, const char *listen, int port);

/* Whether a page of this Origin may use the server that it reaches by the name host. */
bool rg_view_origin_allowed(const char *origin, const char *host);

/* A resource of the server. */
typedef enum RgViewPath { RG_PATH_NONE, RG_PATH_PAGE, RG_PATH_CONFIG, RG_PATH_RECORDING, RG_PATH_SOCKET } RgViewPath;

/* The resource of a path without its query; *index: number of the recording. */
RgViewPath rg_view_path(const char *path, int *index);

/* Whether a text is a numeric address; whether it is one that only this machine can reach. */
bool rg_view_is_address(const char *text);
bool rg_view_is_loopback(const char *address);

#endif
