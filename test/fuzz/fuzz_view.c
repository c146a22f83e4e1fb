/*
 * fuzz_view.c - any bytes as what a viewer sends: a message to the WebSocket, and the header fields and path of a
 * request.
 *
 * What must hold: a message is refused with words, or it is a command whose numbers are finite and in range; a path is
 * one of those there are only if it is written exactly so; no Host or Origin but those of the server is let in.
 */
#include "view/view_access.h"
#include "view/view_command.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds)
        abort();
}

static bool is_near(RgVec3 v)
{
    return fabs(v.x) <= RG_VIEW_REACH_MAX && fabs(v.y) <= RG_VIEW_REACH_MAX && fabs(v.z) <= RG_VIEW_REACH_MAX;
}

static void check_command(const RgViewCommand *c)
{
    check(c->op >= RG_VIEW_PLAY && c->op <= RG_VIEW_RELEASE);
    check(c->op != RG_VIEW_STEP || (c->steps >= 1 && c->steps <= RG_VIEW_STEPS_MAX));
    check(c->op != RG_VIEW_SPEED || (c->speed >= 0.0 && c->speed <= RG_VIEW_SPEED_MAX));
    check(c->dt >= 0.0 && isfinite(c->dt));
    check(memchr(c->stepper, '\0', sizeof c->stepper) && memchr(c->solver, '\0', sizeof c->solver));
    check(c->op != RG_VIEW_SET || c->dt > 0.0 || c->stepper[0] || c->solver[0]);
    check(c->op != RG_VIEW_DRAG || (c->link >= 0 && is_near(c->point) && is_near(c->target)));
}

static void check_access(const char *text)
{
    int index;
    RgViewPath path = rg_view_path(text, &index);
    check(index == 0 || path == RG_PATH_RECORDING);
    check(path == RG_PATH_NONE || strcmp(text, "/") == 0 || strcmp(text, "/config.json") == 0 ||
          strcmp(text, "/ws") == 0 || strncmp(text, "/recording/", 11) == 0);
    if (rg_view_host_allowed(text, "127.0.0.1", 7420)) {
        const char *port = strrchr(text, ':');
        check(port && strcmp(port, ":7420") == 0 && !strchr(text, '/'));
    }
    check(!rg_view_origin_allowed(text, "127.0.0.1:7420") || strcmp(text, "http://127.0.0.1:7420") == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    RgViewCommand command;
    char why[RG_VIEW_WHY_MAX] = "";
    if (rg_view_command_parse((const char *)data, size, &command, why))
        check_command(&command);
    else
        check(why[0] != '\0' && memchr(why, '\0', sizeof why));

    /* The same bytes as a field of a request. */
    char *text = calloc(size + 1, 1);
    if (text) {
        if (size > 0)
            memcpy(text, data, size);
        check_access(text);
    }
    free(text);
    return 0;
}
