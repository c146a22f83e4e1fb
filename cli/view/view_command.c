/*
 * view_command.c - JSON texts of viewers, read and checked.
 *
 * A table lists the commands, each with its fields and the function that reads them. Other fields are refused, so that
 * a mistyped name is not ignored.
 *
 * Fails on texts that are no JSON object, unknown commands and fields, fields of the wrong kind, numbers out of
 * range, and messages over RG_VIEW_MESSAGE_MAX bytes; out is then undefined.
 */
#include "view/view_command.h"

#include <jansson.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FIELDS_MAX = 4 };

/* Writes the reason; returns false. */
__attribute__((format(printf, 2, 3))) static bool refuse(char *why, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, RG_VIEW_WHY_MAX, format, arguments);
    va_end(arguments);
    return false;
}

/* ------------------------------------------------------------------ fields */

static bool read_number(const json_t *message, const char *key, double low, double high, double *out)
{
    const json_t *value = json_object_get(message, key);
    double x = json_is_number(value) ? json_number_value(value) : NAN;
    *out = x;
    return x >= low && x <= high;
}

static bool read_vector(const json_t *message, const char *key, RgVec3 *out)
{
    const json_t *value = json_object_get(message, key);
    double x[3];
    if (!json_is_array(value) || json_array_size(value) != 3)
        return false;
    for (size_t i = 0; i < 3; i++) {
        const json_t *item = json_array_get(value, i);
        x[i] = json_is_number(item) ? json_number_value(item) : NAN;
        if (!(fabs(x[i]) <= RG_VIEW_REACH_MAX))
            return false;
    }
    *out = (RgVec3){x[0], x[1], x[2]};
    return true;
}

/* An optional name. */
static bool read_name(const json_t *message, const char *key, char out[RG_VIEW_NAME_MAX])
{
    const json_t *value = json_object_get(message, key);
    out[0] = '\0';
    if (!value)
        return true;
    size_t length = json_is_string(value) ? json_string_length(value) : 0;
    if (length == 0 || length >= RG_VIEW_NAME_MAX || strlen(json_string_value(value)) != length)
        return false;
    memcpy(out, json_string_value(value), length + 1);
    return true;
}

/* ------------------------------------------------------------------ commands */

static bool read_nothing(const json_t *message, RgViewCommand *out, char *why)
{
    (void)message;
    (void)out;
    (void)why;
    return true;
}

static bool read_step(const json_t *message, RgViewCommand *out, char *why)
{
    double n = 1.0;
    if (json_object_get(message, "n") && (!read_number(message, "n", 1, RG_VIEW_STEPS_MAX, &n) || n != floor(n)))
        return refuse(why, "step: n must be a whole number from 1 to %d", RG_VIEW_STEPS_MAX);
    out->steps = (int)n;
    return true;
}

static bool read_speed(const json_t *message, RgViewCommand *out, char *why)
{
    if (!read_number(message, "value", 0, RG_VIEW_SPEED_MAX, &out->speed))
        return refuse(why, "speed: value must be a number from 0 (as fast as possible) to %g", RG_VIEW_SPEED_MAX);
    return true;
}

static bool read_set(const json_t *message, RgViewCommand *out, char *why)
{
    bool has_dt = json_object_get(message, "dt") != NULL;
    if (!read_name(message, "stepper", out->stepper))
        return refuse(why, "set: stepper must be a name");
    if (!read_name(message, "solver", out->solver))
        return refuse(why, "set: solver must be a name");
    if (has_dt && (!read_number(message, "dt", 0, HUGE_VAL, &out->dt) || out->dt == 0.0))
        return refuse(why, "set: dt must be a number above 0, in seconds");
    if (!has_dt && !out->stepper[0] && !out->solver[0])
        return refuse(why, "set: expected stepper, solver or dt");
    return true;
}

static bool read_drag(const json_t *message, RgViewCommand *out, char *why)
{
    const json_t *link = json_object_get(message, "link");
    if (!json_is_integer(link) || json_integer_value(link) < 0 || json_integer_value(link) >= INT32_MAX)
        return refuse(why, "drag: link must be an index into the scene's list of links, from 0");
    out->link = (int)json_integer_value(link);
    if (!read_vector(message, "point", &out->point))
        return refuse(why, "drag: point must be three numbers, in link axes, within %g m", RG_VIEW_REACH_MAX);
    if (!read_vector(message, "target", &out->target))
        return refuse(why, "drag: target must be three numbers, in world axes, within %g m", RG_VIEW_REACH_MAX);
    return true;
}

typedef struct CommandKind {
    const char *name;
    RgViewOp op;
    const char *fields[FIELDS_MAX]; /* beside op */
    bool (*read)(const json_t *message, RgViewCommand *out, char *why);
} CommandKind;

static const CommandKind kinds[] = {
    {"play", RG_VIEW_PLAY, {NULL}, read_nothing},
    {"pause", RG_VIEW_PAUSE, {NULL}, read_nothing},
    {"step", RG_VIEW_STEP, {"n"}, read_step},
    {"reset", RG_VIEW_RESET, {NULL}, read_nothing},
    {"speed", RG_VIEW_SPEED, {"value"}, read_speed},
    {"set", RG_VIEW_SET, {"stepper", "solver", "dt"}, read_set},
    {"drag", RG_VIEW_DRAG, {"link", "point", "target"}, read_drag},
    {"release", RG_VIEW_RELEASE, {NULL}, read_nothing},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* ------------------------------------------------------------------ a message */

static const CommandKind *find_kind(const json_t *message, char *why)
{
    const char *op = json_string_value(json_object_get(message, "op"));
    if (!op) {
        refuse(why, "expected an object with \"op\", the name of a command");
        return NULL;
    }
    for (int i = 0; i < KINDS; i++)
        if (strcmp(kinds[i].name, op) == 0)
            return &kinds[i];
    refuse(why, "unknown command '%.40s'; expected play, pause, step, reset, speed, set, drag or release", op);
    return NULL;
}

/* Whether the command has every field of the message. */
static bool check_fields(json_t *message, const CommandKind *kind, char *why)
{
    const char *key;
    json_t *value;
    json_object_foreach(message, key, value)
    {
        bool known = strcmp(key, "op") == 0;
        for (int i = 0; i < FIELDS_MAX && kind->fields[i]; i++)
            known = known || strcmp(key, kind->fields[i]) == 0;
        if (!known)
            return refuse(why, "%s: unknown field '%.40s'", kind->name, key);
    }
    return true;
}

bool rg_view_command_parse(const char *text, size_t size, RgViewCommand *out, char *why)
{
    json_error_t fault;
    *out = (RgViewCommand){.op = RG_VIEW_PAUSE};
    if (size > RG_VIEW_MESSAGE_MAX)
        return refuse(why, "a message of %zu bytes: at most %d are allowed", size, RG_VIEW_MESSAGE_MAX);
    json_t *message = json_loadb(text, size, JSON_REJECT_DUPLICATES, &fault);
    if (!message)
        return refuse(why, "not JSON: %s", fault.text);
    const CommandKind *kind = find_kind(message, why);
    bool good = kind && check_fields(message, kind, why);
    if (good) {
        out->op = kind->op;
        good = kind->read(message, out, why);
    }
    json_decref(message);
    return good;
}
