/*
 * view_access.c - access control of the viewer's server.
 *
 * A page of any site can send requests to this machine. Two headers that a page cannot forge identify such requests:
 *
 *   Origin   origin of the page: must be http:// and the requested Host. Programs other than browsers send none, and
 *            are accepted.
 *   Host     name by which the browser reached the server: must be a name of this server, since a site may resolve its
 *            name to this machine (DNS rebinding). Allowed are localhost, loopback addresses and the address of --listen;
 *            if that stands for all addresses, any numeric address and this machine's name.
 *
 * Paths are compared with a fixed list, so no path can refer to other files.
 */
#define _POSIX_C_SOURCE 200809L
#include "view/view_access.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { HOST_MAX = 256 };

bool rg_view_is_address(const char *name)
{
    unsigned char bytes[16];
    return inet_pton(AF_INET, name, bytes) == 1 || inet_pton(AF_INET6, name, bytes) == 1;
}

bool rg_view_is_loopback(const char *address)
{
    unsigned char bytes[4];
    if (inet_pton(AF_INET, address, bytes) == 1)
        return bytes[0] == 127;
    return strcmp(address, "::1") == 0;
}

/* Splits "name", "name:port", "[v6]", "[v6]:port"; name without brackets. false: malformed or another port. No port
   means 80. */
static bool split_host(const char *host, int port, char name[HOST_MAX])
{
    size_t length = strlen(host), end;
    const char *rest;
    if (length == 0 || length >= HOST_MAX)
        return false;
    if (host[0] == '[') {
        const char *bracket = strchr(host, ']');
        if (!bracket)
            return false;
        end = (size_t)(bracket - host) - 1;
        memcpy(name, host + 1, end);
        rest = bracket + 1;
    } else {
        end = strcspn(host, ":");
        memcpy(name, host, end);
        rest = host + end;
    }
    name[end] = '\0';
    char expected[16];
    snprintf(expected, sizeof expected, ":%d", port);
    return end > 0 && (strcmp(rest, expected) == 0 || (rest[0] == '\0' && port == 80));
}

/* Whether the name is this machine's, alone or followed by .local. */
static bool is_own_name(const char *name)
{
    char own[HOST_MAX] = "", local[HOST_MAX + 8];
    if (gethostname(own, sizeof own - 1) != 0 || own[0] == '\0')
        return false;
    snprintf(local, sizeof local, "%s.local", own);
    return strcasecmp(name, own) == 0 || strcasecmp(name, local) == 0;
}

bool rg_view_host_allowed(const char *host, const char *listen, int port)
{
    char name[HOST_MAX];
    if (!split_host(host, port, name))
        return false;
    if (strcasecmp(name, "localhost") == 0 || rg_view_is_loopback(name) || strcmp(name, listen) == 0)
        return true;
    bool everywhere = strcmp(listen, "0.0.0.0") == 0 || strcmp(listen, "::") == 0;
    return !rg_view_is_loopback(listen) && (is_own_name(name) || (everywhere && rg_view_is_address(name)));
}

bool rg_view_origin_allowed(const char *origin, const char *host)
{
    return strncmp(origin, "http://", 7) == 0 && strcasecmp(origin + 7, host) == 0;
}

RgViewPath rg_view_path(const char *path, int *index)
{
    *index = 0;
    if (strcmp(path, "/") == 0)
        return RG_PATH_PAGE;
    if (strcmp(path, "/config.json") == 0)
        return RG_PATH_CONFIG;
    if (strcmp(path, "/ws") == 0)
        return RG_PATH_SOCKET;
    if (strcmp(path, "/recording/0") == 0 || strcmp(path, "/recording/1") == 0) {
        *index = path[11] - '0';
        return RG_PATH_RECORDING;
    }
    return RG_PATH_NONE;
}
