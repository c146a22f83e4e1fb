/*
 * view_server.c - HTTP and WebSocket for the viewer's page, by libwebsockets.
 *
 * One thread serves all clients. A request is answered if it is a GET or HEAD, its Host and Origin are allowed
 * (view_access.c), and its path is one of RgViewPath. Small answers are sent at once; the page and recordings in pieces,
 * when the socket is writable. WebSockets become clients (view_client.c).
 *
 * Fails to start if the address is not one of this machine or the port is in use. Both are detected by first binding a
 * socket, since libwebsockets does not report the reason.
 */
#define _POSIX_C_SOURCE 200809L
#include "view/view_server.h"

#include "io/json_out.h"
#include "io/page.h"
#include "io/progress.h"
#include "view/view_access.h"
#include "view/view_client.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TICK_US (100 * LWS_US_PER_MS) /* interval of the regular check of clients */

enum { HEADERS_MAX = 2048, FIELD_MAX = 512 };

static const char protocol_name[] = "rigor.view.1";

/* The page may load only its own content and resources of this server. */
static const char content_policy[] =
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:; connect-src 'self' ws: data: blob:; worker-src blob: data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/* An answer that is sent in pieces: bytes in memory, or a file. */
typedef struct Body {
    const char *bytes;
    FILE *file;
    uint64_t left;
} Body;

struct RgViewServer {
    struct lws_context *context;
    struct lws_vhost *host;
    RgViewServerDef def;
    int port;
    RgViewHub *hub; /* NULL: replay */
    RgViewClient *clients;
    int nclients;
    uint32_t last_client;
    lws_sorted_usec_list_t tick;
    uint8_t scratch[LWS_PRE + RG_CLIENT_PIECE];
};

static RgViewServer *server_of(struct lws *socket)
{
    return lws_context_user(lws_get_context(socket));
}

/* ------------------------------------------------------------------ answers */

static bool add_field(struct lws *socket, const char *name, const char *value, uint8_t **at, uint8_t *end)
{
    return lws_add_http_header_by_name(socket, (const unsigned char *)name, (const unsigned char *)value,
                                       (int)strlen(value), at, end) == 0;
}

/* Sends status and header fields. false: close the connection. */
static bool send_head(struct lws *socket, unsigned int code, const char *type, uint64_t size)
{
    uint8_t buffer[LWS_PRE + HEADERS_MAX], *start = buffer + LWS_PRE, *at = start, *end = buffer + sizeof buffer - 1;
    return lws_add_http_common_headers(socket, code, type, size, &at, end) == 0 &&
           add_field(socket, "cache-control:", "no-store", &at, end) &&
           add_field(socket, "x-content-type-options:", "nosniff", &at, end) &&
           add_field(socket, "referrer-policy:", "no-referrer", &at, end) &&
           add_field(socket, "cross-origin-resource-policy:", "same-origin", &at, end) &&
           add_field(socket, "content-security-policy:", content_policy, &at, end) &&
           lws_finalize_write_http_header(socket, start, &at, end) == 0;
}

static bool asks_for_head(struct lws *socket)
{
    return lws_hdr_total_length(socket, WSI_TOKEN_HEAD_URI) > 0;
}

/* Sends a short answer, to HEAD without its text. 0, or -1: close the connection. */
static int answer(struct lws *socket, unsigned int code, const char *type, const char *text)
{
    uint8_t *scratch = server_of(socket)->scratch;
    int size = snprintf((char *)scratch + LWS_PRE, RG_CLIENT_PIECE, "%s", text);
    if (size < 0 || size >= RG_CLIENT_PIECE || !send_head(socket, code, type, (uint64_t)size))
        return -1;
    if (asks_for_head(socket))
        return 0;
    return lws_write(socket, scratch + LWS_PRE, (size_t)size, LWS_WRITE_HTTP_FINAL) < size ? -1 : 0;
}

static int refuse(struct lws *socket, unsigned int code, const char *text)
{
    return answer(socket, code, "text/plain; charset=utf-8", text);
}

static void close_body(Body *body)
{
    if (body->file)
        fclose(body->file);
    *body = (Body){.bytes = NULL};
}

/* ------------------------------------------------------------------ requests */

/* A header field as text; "": absent, NULL: too long or given twice. */
static const char *field(struct lws *socket, enum lws_token_indexes token, char buffer[FIELD_MAX])
{
    int length = lws_hdr_total_length(socket, token);
    buffer[0] = '\0';
    if (length > 0 && lws_hdr_copy(socket, buffer, FIELD_MAX, token) < 0)
        return NULL;
    return strlen(buffer) == (size_t)length ? buffer : NULL;
}

/* NULL: the request is allowed. Else the reason, and the status code. */
static const char *objection(struct lws *socket, unsigned int *code)
{
    const RgViewServer *server = server_of(socket);
    char host_buffer[FIELD_MAX], origin_buffer[FIELD_MAX];
    const char *host = field(socket, WSI_TOKEN_HOST, host_buffer);
    const char *origin = field(socket, WSI_TOKEN_ORIGIN, origin_buffer);
    *code = HTTP_STATUS_FORBIDDEN;
    if (!host || !rg_view_host_allowed(host, server->def.listen, server->port))
        return "Host is not a name of this server.\n";
    if (!origin || (origin[0] && !rg_view_origin_allowed(origin, host)))
        return "Origin is not this server: pages of other sites are not answered.\n";
    return NULL;
}

static json_t *config(const RgViewServer *server)
{
    json_t *out = json_object(), *names = json_array();
    for (int i = 0; i < server->def.nrecordings; i++) {
        const char *slash = strrchr(server->def.recordings[i], '/');
        json_array_append_new(names, rg_json_text(slash ? slash + 1 : server->def.recordings[i]));
    }
    json_object_set_new(out, "mode", json_string(server->hub ? "live" : "replay"));
    json_object_set_new(out, "version", json_string(rg_version()));
    json_object_set_new(out, "recordings", names);
    return out;
}

static int answer_config(struct lws *socket)
{
    json_t *value = config(server_of(socket));
    char *text = json_dumps(value, JSON_COMPACT);
    json_decref(value);
    int result = text ? answer(socket, HTTP_STATUS_OK, "application/json", text) : -1;
    free(text);
    return result;
}

/* Begins an answer that is sent in pieces. */
static int begin_body(struct lws *socket, Body *body, RgViewPath path, int index)
{
    const RgViewServer *server = server_of(socket);
    const char *type = "text/html; charset=utf-8";
    struct stat at;
    if (path == RG_PATH_PAGE) {
        size_t size;
        body->bytes = rg_page_bytes(&size);
        body->left = size;
    } else {
        type = "application/octet-stream";
        body->file = fopen(server->def.recordings[index], "rb");
        if (!body->file || fstat(fileno(body->file), &at) != 0 || !S_ISREG(at.st_mode))
            return refuse(socket, HTTP_STATUS_NOT_FOUND, "The recording can no longer be read.\n");
        body->left = (uint64_t)at.st_size;
    }
    if (!send_head(socket, HTTP_STATUS_OK, type, body->left))
        return -1;
    if (asks_for_head(socket))
        body->left = 0;
    if (body->left > 0)
        lws_callback_on_writable(socket);
    return 0;
}

/* Answers a request. Not 0: close the connection. */
static int answer_request(struct lws *socket, Body *body, const char *path)
{
    const RgViewServer *server = server_of(socket);
    unsigned int code;
    int index, result;
    const char *why = objection(socket, &code);
    RgViewPath what = rg_view_path(path, &index);
    size_t page_size;
    bool gets = lws_hdr_total_length(socket, WSI_TOKEN_GET_URI) > 0 || asks_for_head(socket);
    close_body(body);
    if (why)
        result = refuse(socket, code, why);
    else if (!gets)
        result = refuse(socket, HTTP_STATUS_METHOD_NOT_ALLOWED, "Only GET is answered.\n");
    else if (what == RG_PATH_CONFIG)
        result = answer_config(socket);
    else if ((what == RG_PATH_PAGE && rg_page_bytes(&page_size)) ||
             (what == RG_PATH_RECORDING && index < server->def.nrecordings))
        result = begin_body(socket, body, what, index);
    else if (what == RG_PATH_SOCKET && server->hub)
        result = refuse(socket, HTTP_STATUS_BAD_REQUEST, "This path is for WebSockets.\n");
    else
        result = refuse(socket, HTTP_STATUS_NOT_FOUND, "Not found.\n");
    if (result != 0 || body->left > 0)
        return result;
    close_body(body);
    return lws_http_transaction_completed(socket);
}

static int continue_body(struct lws *socket, Body *body)
{
    uint8_t *scratch = server_of(socket)->scratch;
    size_t n = body->left < RG_CLIENT_PIECE ? (size_t)body->left : RG_CLIENT_PIECE;
    if (n == 0)
        return 0;
    if (body->bytes)
        memcpy(scratch + LWS_PRE, body->bytes, n);
    else if (fread(scratch + LWS_PRE, 1, n, body->file) != n)
        return -1; /* the file became shorter: closing tells the client that bytes are missing */
    body->bytes = body->bytes ? body->bytes + n : NULL;
    body->left -= n;
    if (lws_write(socket, scratch + LWS_PRE, n, body->left ? LWS_WRITE_HTTP : LWS_WRITE_HTTP_FINAL) < (int)n)
        return -1;
    if (body->left > 0) {
        lws_callback_on_writable(socket);
        return 0;
    }
    close_body(body);
    return lws_http_transaction_completed(socket);
}

/* ------------------------------------------------------------------ WebSockets */

/* Whether a comma-separated list contains the sub-protocol. */
static bool names_protocol(const char *list)
{
    size_t length = sizeof protocol_name - 1;
    while (*list) {
        list += strspn(list, ", \t");
        size_t n = strcspn(list, ", \t");
        if (n == length && memcmp(list, protocol_name, n) == 0)
            return true;
        list += n;
    }
    return false;
}

/* 0: the upgrade is accepted; 1: it was refused. */
static int confirm_upgrade(struct lws *socket)
{
    const RgViewServer *server = server_of(socket);
    char path_buffer[FIELD_MAX], list_buffer[FIELD_MAX];
    const char *path = field(socket, WSI_TOKEN_GET_URI, path_buffer);
    const char *list = field(socket, WSI_TOKEN_PROTOCOL, list_buffer);
    unsigned int code;
    int index;
    const char *why = objection(socket, &code);
    if (!why && (!path || rg_view_path(path, &index) != RG_PATH_SOCKET || !server->hub)) {
        code = HTTP_STATUS_NOT_FOUND;
        why = "No WebSocket at this path.\n";
    } else if (!why && (!list || !names_protocol(list))) {
        code = HTTP_STATUS_BAD_REQUEST;
        why = "The sub-protocol of this server is rigor.view.1.\n";
    } else if (!why && server->nclients >= RG_HUB_CLIENTS) {
        code = HTTP_STATUS_SERVICE_UNAVAILABLE;
        why = "Too many viewers.\n";
    }
    if (!why)
        return 0;
    return refuse(socket, code, why) == 0 ? 1 : -1;
}

static void add_client(RgViewServer *server, struct lws *socket, RgViewClient *client)
{
    rg_client_begin(client, socket, server->hub, ++server->last_client);
    client->next = server->clients;
    server->clients = client;
    server->nclients++;
    lws_callback_on_writable(socket);
}

static void remove_client(RgViewServer *server, RgViewClient *client)
{
    RgViewClient **at = &server->clients;
    while (*at && *at != client)
        at = &(*at)->next;
    if (!*at)
        return;
    *at = client->next;
    server->nclients--;
    rg_client_end(client);
}

/* Forwards answers, and requests a callback for clients with new messages. */
static void forward_answers(RgViewServer *server)
{
    RgViewAnswer reply;
    double now = rg_progress_clock();
    while (server->hub && rg_hub_take_answer(server->hub, &reply))
        for (RgViewClient *client = server->clients; client; client = client->next)
            if (client->id == reply.client)
                rg_client_answer(client, reply.text);
    for (RgViewClient *client = server->clients; client; client = client->next)
        if (rg_client_has_news(client, now))
            lws_callback_on_writable(client->socket);
}

static void on_tick(lws_sorted_usec_list_t *tick)
{
    RgViewServer *server = lws_container_of(tick, RgViewServer, tick);
    forward_answers(server);
    lws_sul_schedule(server->context, 0, tick, on_tick, TICK_US);
}

/* ------------------------------------------------------------------ callbacks of libwebsockets */

static int on_http(struct lws *socket, enum lws_callback_reasons reason, void *user, void *in, size_t size)
{
    switch ((int)reason) {
    case LWS_CALLBACK_HTTP:
        return answer_request(socket, user, in);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return continue_body(socket, user);
    case LWS_CALLBACK_CLOSED_HTTP:
    case LWS_CALLBACK_HTTP_DROP_PROTOCOL:
        if (user)
            close_body(user);
        return 0;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return confirm_upgrade(socket);
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        forward_answers(server_of(socket));
        return 0;
    default:
        return lws_callback_http_dummy(socket, reason, user, in, size);
    }
}

static int on_socket(struct lws *socket, enum lws_callback_reasons reason, void *user, void *in, size_t size)
{
    RgViewServer *server = server_of(socket);
    switch ((int)reason) {
    case LWS_CALLBACK_ESTABLISHED:
        add_client(server, socket, user);
        return 0;
    case LWS_CALLBACK_RECEIVE:
        return rg_client_receive(user, in, size);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return rg_client_send(user, server->scratch);
    case LWS_CALLBACK_CLOSED:
        remove_client(server, user);
        return 0;
    default:
        return 0;
    }
}

static const struct lws_protocols protocols[] = {
    {.name = "http", .callback = on_http, .per_session_data_size = sizeof(Body)},
    {.name = protocol_name,
     .callback = on_socket,
     .per_session_data_size = sizeof(RgViewClient),
     .tx_packet_size = RG_CLIENT_PIECE + 64},
    {.name = NULL},
};

/* ------------------------------------------------------------------ life */

static RgStatus fail(RgError *error, const char *format, const char *what, const char *why)
{
    *error = (RgError){.status = RG_ERR_FILE};
    snprintf(error->text, sizeof error->text, format, what, why);
    return error->status;
}

/* Whether the address and port can be bound. */
static RgStatus try_bind(const RgViewServerDef *def, bool *in_use, RgError *error)
{
    char port[16], place[128];
    struct addrinfo hints = {.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM},
                    *found = NULL;
    *in_use = false;
    snprintf(port, sizeof port, "%d", def->port);
    snprintf(place, sizeof place, strchr(def->listen, ':') ? "[%.64s]:%s" : "%.64s:%s", def->listen, port);
    if (!rg_view_is_address(def->listen) || getaddrinfo(def->listen, port, &hints, &found) != 0)
        return fail(error, "cannot listen at '%s': %s", def->listen,
                    "expected a numeric address, such as 127.0.0.1, 0.0.0.0 or ::1");
    int fd = socket(found->ai_family, found->ai_socktype, found->ai_protocol), on = 1;
    int fault = fd < 0 ? errno : 0;
    if (fd >= 0) {
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (bind(fd, found->ai_addr, found->ai_addrlen) != 0 || listen(fd, 1) != 0)
            fault = errno;
        close(fd);
    }
    freeaddrinfo(found);
    if (fault == EADDRINUSE) {
        *in_use = true;
        return fail(error, "cannot listen at %s: %s", place,
                    "the port is in use; is another rigor view running? Try --port 0 for any free one");
    }
    if (fault == EADDRNOTAVAIL)
        return fail(error, "cannot listen at %s: %s", place, "no network of this machine has that address");
    if (fault == EACCES)
        return fail(error, "cannot listen at %s: %s", place, "not allowed; use a port from 1024 on");
    return fault ? fail(error, "cannot listen at %s: %s", place, strerror(fault)) : RG_OK;
}

RgViewServer *rg_view_server_create(const RgViewServerDef *def, bool *in_use, RgError *error)
{
    if (try_bind(def, in_use, error) != RG_OK)
        return NULL;
    RgViewServer *server = calloc(1, sizeof *server);
    bool version6 = strchr(def->listen, ':') != NULL;
    bool everywhere = strcmp(def->listen, "0.0.0.0") == 0 || strcmp(def->listen, "::") == 0;
    struct lws_context_creation_info info = {
        .port = CONTEXT_PORT_NO_LISTEN_SERVER,
        .user = server,
        .options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS | LWS_SERVER_OPTION_SKIP_SERVER_CANONICAL_NAME,
        .ka_time = 60,
        .ka_probes = 3,
        .ka_interval = 10,
    };
    lws_set_log_level(0, NULL);
    if (server)
        server->context = lws_create_context(&info);
    if (!server || !server->context) {
        fail(error, "cannot start the server: %s%s", "out of memory or of open files", "");
        free(server);
        return NULL;
    }
    server->def = *def;
    info.port = def->port;
    info.iface = everywhere ? NULL : def->listen;
    info.protocols = protocols;
    info.options |= LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND;
    if (!version6)
        info.options |= LWS_SERVER_OPTION_DISABLE_IPV6;
    server->host = lws_create_vhost(server->context, &info);
    server->port = server->host ? lws_get_vhost_listen_port(server->host) : 0;
    if (server->port <= 0) {
        fail(error, "cannot listen at '%s'%s", def->listen, ": libwebsockets refuses it");
        rg_view_server_destroy(server);
        return NULL;
    }
    lws_sul_schedule(server->context, 0, &server->tick, on_tick, TICK_US);
    return server;
}

void rg_view_server_destroy(RgViewServer *server)
{
    if (!server)
        return;
    lws_context_destroy(server->context);
    free(server);
}

int rg_view_server_port(const RgViewServer *server)
{
    return server->port;
}

void rg_view_server_set_hub(RgViewServer *server, RgViewHub *hub)
{
    server->hub = hub;
}

void rg_view_server_wake(void *context)
{
    RgViewServer *server = context;
    lws_cancel_service(server->context);
}

void rg_view_server_run(RgViewServer *server, const volatile sig_atomic_t *stop)
{
    while (!*stop && lws_service(server->context, 0) >= 0)
        continue;
}
