/*
 * message_events.c - /rigor/events: one event as JSON, rigor.Event.
 *
 *   of contacts      {"t", "uncertainty", "kind", "a", "b", "link_a", "link_b", "point": [3], "normal": [3], "value",
 *                    "impulse"}
 *   of joints        {"t", "uncertainty", "kind": "limit", "leave", "saturate" or "recover", "joint", "joint_index",
 *                    "dof", "value", "impulse"}
 *   of attachments   {"t", "uncertainty", "kind": "attach", "detach" or "broke", "a", "b", "link_a", "link_b",
 *                    "attachment", "attachment_index", "point": [3], "force", "value", "impulse"}
 *   of damping fields   {"t", "uncertainty", "kind": "enter" or "exit", "a", "b", "link_a", "link_b", "field",
 *                    "field_index", "point": [3], "value", "impulse"}
 *   of solves above their tolerance   {"t", "uncertainty", "kind": "unfinished", "contacts", "force", "value",
 *                    "impulse"}
 *
 * a and b are names of links, link_a and link_b their numbers as in /rigor/scene (-1: the world).
 */
#include "record/json_text.h"
#include "record/message_table.h"

static void put_link(const RgMessages *m, RgBuffer *out, const char *name, const char *number, uint32_t link)
{
    bool is_world = link == RG_MESSAGE_WORLD;
    rg_json_put_text(out, name, is_world ? m->root : m->layout.link_names[link]);
    rg_json_put_int(out, number, is_world ? -1 : (int64_t)link);
}

/* An event of an attachment or a field: its links, its name and index by the given words, and the point. */
static void put_named(const RgMessages *m, RgBuffer *out, const RgEvent *event, const char *word,
                      const char *index_word, int32_t index)
{
    put_link(m, out, "a", "link_a", event->link_a);
    put_link(m, out, "b", "link_b", event->link_b);
    rg_json_put_text(out, word, event->name);
    rg_json_put_int(out, index_word, index);
    rg_json_put_vec3(out, "point", event->point);
}

static bool is_of_joint(RgEventKind kind)
{
    return kind == RG_EVENT_limit || kind == RG_EVENT_leave || kind == RG_EVENT_saturate || kind == RG_EVENT_recover;
}

void rg_message_event(const RgMessages *m, const RgEvent *event, RgBuffer *out)
{
    rg_json_put_open(out, NULL, '{');
    rg_json_put_number(out, "t", event->t);
    rg_json_put_number(out, "uncertainty", event->uncertainty);
    rg_json_put_text(out, "kind", rg_event_name(event->kind));
    if (is_of_joint(event->kind)) {
        rg_json_put_text(out, "joint", m->joint_names[event->joint]);
        rg_json_put_int(out, "joint_index", event->joint);
        rg_json_put_int(out, "dof", event->dof);
    } else if (event->attachment > 0) {
        put_named(m, out, event, "attachment", "attachment_index", event->attachment - 1);
        rg_json_put_number(out, "force", event->force);
    } else if (event->field > 0) {
        put_named(m, out, event, "field", "field_index", event->field - 1);
    } else if (event->kind == RG_EVENT_unfinished) {
        rg_json_put_int(out, "contacts", event->contacts);
        rg_json_put_number(out, "force", event->force);
    } else {
        put_link(m, out, "a", "link_a", event->link_a);
        put_link(m, out, "b", "link_b", event->link_b);
        rg_json_put_vec3(out, "point", event->point);
        rg_json_put_vec3(out, "normal", event->normal);
    }
    rg_json_put_number(out, "value", event->value);
    rg_json_put_number(out, "impulse", event->impulse);
    rg_json_put_close(out, '}');
}

const RgMessageKind rg_message_kind_events = {
    .channel = {.topic = "/rigor/events",
                .encoding = "json",
                .schema_name = "rigor.Event",
                .schema_encoding = "jsonschema",
                .schema =
                    "{\"title\":\"rigor.Event\",\"type\":\"object\",\"required\":[\"t\",\"kind\"],\"properties\":{"
                    "\"t\":{\"type\":\"number\",\"description\":\"s\"},"
                    "\"kind\":{\"enum\":[\"touch\",\"break\",\"stick\",\"slip\",\"limit\",\"impact\","
                    "\"roll\",\"leave\",\"manifold\",\"saturate\",\"recover\",\"unfinished\","
                    "\"attach\",\"detach\",\"broke\",\"enter\",\"exit\"]},"
                    "\"uncertainty\":{\"type\":\"number\",\"description\":\"s\"},"
                    "\"a\":{\"type\":\"string\"},\"b\":{\"type\":\"string\"},"
                    "\"link_a\":{\"type\":\"integer\"},\"link_b\":{\"type\":\"integer\"},"
                    "\"point\":{\"type\":\"array\",\"items\":{\"type\":\"number\"}},"
                    "\"normal\":{\"type\":\"array\",\"items\":{\"type\":\"number\"}},"
                    "\"joint\":{\"type\":\"string\"},\"joint_index\":{\"type\":\"integer\"},"
                    "\"dof\":{\"type\":\"integer\"},\"contacts\":{\"type\":\"integer\"},"
                    "\"attachment\":{\"type\":\"string\"},\"attachment_index\":{\"type\":\"integer\"},"
                    "\"field\":{\"type\":\"string\"},\"field_index\":{\"type\":\"integer\"},"
                    "\"force\":{\"type\":\"number\",\"description\":\"unfinished: residual; broke: carried, N\"},"
                    "\"value\":{\"type\":\"number\",\"description\":\"touch, impact: closing speed, m/s; slip: "
                    "speed, m/s; limit: position, rad or m; saturate: effort, N m or N; unfinished: residual, "
                    "m/s; attach, detach: energy added, J; broke: torque carried, N m; enter, exit: speed, m/s\"},"
                    "\"impulse\":{\"type\":\"number\",\"description\":\"impact: N s along the normal; limit: N m s "
                    "or N s; unfinished: residual, N s\"}}}",
                .when = RG_CHANNEL_EVENT},
    .encode = NULL,
};
