/*
 * export.c - exports a recording of rigor (MCAP) as rows of NPZ or CSV: bit by bit what a recorder would have written,
 * except the columns of controllers, which an MCAP has on /rigor/joint_targets in another form.
 *
 *   names                 /rigor/scene: links, q_names, v_names
 *   t, q, v               /rigor/state
 *   positions, rotations  /tf; links that are not in a frame keep their poses
 *   energy, contact       /rigor/step: kinetic, potential; contacts, contact_work, residual
 *
 * A row is written when its three messages have been read with the same time. An incomplete frame (the file was cut
 * off) makes no row.
 *
 * Failure: not a recording of rigor, damaged chunks or messages, a file that cannot be written.
 */
#include "base/name_map.h"
#include "base/status.h"
#include "record/cursor.h"
#include "record/export_json.h"
#include "record/record_table.h"

/* The messages of a row. */
enum { HAS_STATE = 1, HAS_TF = 2, HAS_STEP = 4, HAS_ALL = 7 };

typedef struct Export {
    RgArena arena;
    const char *path;
    RgRecording *recording;
    RgRecordLayout layout;
    RgNameMap links;
    double *row;
    uint64_t time; /* ns, of the row */
    int read_bits; /* bits of its messages that were read */
    const RgRecordFormat *format;
    void *writer;
    long long rows;
} Export;

/* status: what reading a message of the topic returned. */
static RgStatus fail_message(const Export *e, const char *topic, RgStatus status, RgError *error)
{
    if (status != RG_ERR_SYNTAX)
        return rg_fail(error, status, e->path, 0, "%s: %s", topic, rg_status_text(status));
    return rg_fail(error, status, e->path, 0, "a message of %s is not as this version of rigor writes it", topic);
}

/* ------------------------------------------------------------------ the scene */

/* Reads the names, and allocates the row. */
static RgStatus read_scene(Export *e, const RgMessage *message, RgError *error)
{
    RgRecordNames names;
    RgStatus status = rg_read_scene_names((RgSpan){message->data, message->size}, &e->arena, &names);
    if (status != RG_OK)
        return fail_message(e, "/rigor/scene", status, error);
    rg_record_layout_of(&names, &e->layout);
    e->row = RG_ARENA_ALLOC(&e->arena, double, e->layout.width);
    bool room = e->row != NULL;
    for (int i = 0; i < names.nlinks && room; i++)
        room = rg_name_map_set(&e->links, &e->arena, names.links[i], i);
    return room ? RG_OK : rg_fail(error, RG_ERR_MEMORY, e->path, 0, "out of memory");
}

/* ------------------------------------------------------------------ frames */

static RgStatus read_state(Export *e, const RgMessage *message)
{
    RgCursor c = rg_cdr_cursor(message->data, message->size);
    rg_cdr_read(&c, 4);
    rg_cdr_read(&c, 4);
    e->row[e->layout.arrays[RG_RECORD_T].start] = rg_cdr_read_f64(&c);
    rg_cdr_read_f64_list(&c, e->row + e->layout.arrays[RG_RECORD_Q].start, e->layout.nq);
    rg_cdr_read_f64_list(&c, e->row + e->layout.arrays[RG_RECORD_V].start, e->layout.nv);
    return c.failed ? RG_ERR_SYNTAX : RG_OK;
}

/* Index of a link by its name; expected: tried first. -1: there is none. */
static int link_of(Export *e, RgSpan name, int expected)
{
    if (expected < e->layout.links && rg_span_is(name, e->layout.link_names[expected]))
        return expected;
    RgArena work;
    rg_arena_init(&work, NULL);
    char *text = RG_ARENA_ALLOC(&work, char, name.size + 1);
    if (text != NULL && name.size > 0)
        memcpy(text, name.data, name.size);
    int link = text != NULL ? rg_name_map_find(&e->links, text) : -1;
    rg_arena_free(&work);
    return link;
}

static RgStatus read_tf(Export *e, const RgMessage *message)
{
    RgCursor c = rg_cdr_cursor(message->data, message->size);
    double *positions = e->row + e->layout.arrays[RG_RECORD_POSITION].start;
    double *quaternions = e->row + e->layout.arrays[RG_RECORD_QUATERNION].start;
    uint64_t count = rg_cdr_read(&c, 4);
    int expected = 0;
    for (uint64_t i = 0; i < count && !c.failed; i++) {
        rg_cdr_read(&c, 4);
        rg_cdr_read(&c, 4);
        rg_cdr_read_text(&c);
        int link = link_of(e, rg_cdr_read_text(&c), expected);
        if (link < 0)
            return RG_ERR_SYNTAX;
        expected = link + 1;
        for (int k = 0; k < 3; k++)
            positions[3 * link + k] = rg_cdr_read_f64(&c);
        for (int k = 0; k < 4; k++)
            quaternions[4 * link + (k + 1) % 4] = rg_cdr_read_f64(&c);
    }
    return c.failed ? RG_ERR_SYNTAX : RG_OK;
}

static RgStatus read_step(Export *e, const RgMessage *message)
{
    double numbers[RG_STEP_NUMBERS];
    RgStatus status = rg_read_step_numbers((RgSpan){message->data, message->size}, numbers);
    if (status != RG_OK)
        return status;
    memcpy(e->row + e->layout.arrays[RG_RECORD_ENERGY].start, numbers, 2 * sizeof *numbers);
    memcpy(e->row + e->layout.arrays[RG_RECORD_CONTACT].start, numbers + 2, 3 * sizeof *numbers);
    return RG_OK;
}

typedef struct Reader {
    const char *topic;
    RgStatus (*read)(Export *e, const RgMessage *message);
    int bit;
} Reader;

static const Reader readers[] = {
    {"/rigor/state", read_state, HAS_STATE}, {"/tf", read_tf, HAS_TF}, {"/rigor/step", read_step, HAS_STEP}};
enum { READERS = sizeof readers / sizeof readers[0] };

/* Reads a message into the row, and writes the row when it is complete. */
static RgStatus read_message(Export *e, const RgMessage *message, const Reader *reader, RgError *error)
{
    if (message->time != e->time)
        e->read_bits = 0;
    e->time = message->time;
    RgStatus status = reader->read(e, message);
    if (status != RG_OK)
        return fail_message(e, reader->topic, status, error);
    e->read_bits |= reader->bit;
    if (e->read_bits != HAS_ALL)
        return RG_OK;
    e->read_bits = 0;
    e->rows++;
    return e->format->add(e->writer, e->row, error);
}

/* ------------------------------------------------------------------ the file */

/* The next message of a topic that has a reader, or of the scene (*reader NULL). out->data NULL: there are no more. */
static RgStatus next_message(Export *e, RgMessage *out, const Reader **reader, RgError *error)
{
    for (;;) {
        RgStatus status = rg_recording_next(e->recording, out, error);
        if (status != RG_OK || out->data == NULL)
            return status;
        const char *topic = rg_recording_channel(e->recording, out->channel).topic;
        *reader = NULL;
        if (strcmp(topic, "/rigor/scene") == 0)
            return RG_OK;
        for (int i = 0; i < READERS; i++)
            if (strcmp(topic, readers[i].topic) == 0)
                *reader = &readers[i];
        if (*reader != NULL)
            return RG_OK;
    }
}

/* Finds and reads the scene, and returns to the start of the file. */
static RgStatus find_scene(Export *e, RgError *error)
{
    RgMessage message = {.data = NULL};
    const Reader *reader = NULL;
    bool has_no_scene =
        rg_recording_info(e->recording).has_index && rg_recording_find_channel(e->recording, "/rigor/scene") < 0;
    do {
        RgStatus status = has_no_scene ? RG_OK : next_message(e, &message, &reader, error);
        if (status != RG_OK)
            return status;
    } while (message.data != NULL && reader != NULL);
    if (message.data == NULL)
        return rg_fail(error, RG_ERR_SYNTAX, e->path, 0,
                       "is an MCAP file, but no recording of rigor: it has no message of /rigor/scene%s",
                       rg_recording_info(e->recording).is_whole ? "" : " (the file is cut off)");
    RgStatus status = read_scene(e, &message, error);
    rg_recording_seek(e->recording, 0);
    return status;
}

static RgStatus write_rows(Export *e, RgError *error)
{
    RgMessage message;
    const Reader *reader;
    for (;;) {
        RgStatus status = next_message(e, &message, &reader, error);
        if (status != RG_OK || message.data == NULL)
            return status;
        if (reader != NULL)
            status = read_message(e, &message, reader, error);
        if (status != RG_OK)
            return status;
    }
}

static RgStatus export_to(Export *e, const char *out, RgError *error)
{
    RgStatus status = find_scene(e, error);
    if (status != RG_OK)
        return status;
    e->writer = e->format->open(&(RgRecordSource){.layout = &e->layout}, out, &e->arena, error);
    if (e->writer == NULL)
        return error->status;
    status = write_rows(e, error);
    RgStatus finished = e->format->finish(e->writer, status == RG_OK, status == RG_OK ? error : NULL);
    return status != RG_OK ? status : finished;
}

RgStatus rg_recording_export(const char *path, const char *out, const char *format, long long *rows, RgError *error)
{
    RgError own = {.status = RG_OK};
    Export e = {.path = path, .format = rg_record_format_of(out, format, &own)};
    RgStatus status = own.status;
    if (status == RG_OK && e.format->add == NULL)
        status = rg_fail(&own, RG_ERR_UNSUPPORTED, out, 0, "a recording is exported as npz or csv, not as %s",
                         e.format->name);
    if (status == RG_OK)
        status = rg_need_jansson(path, &own);
    rg_arena_init(&e.arena, NULL);
    if (status == RG_OK) {
        e.recording = rg_recording_open(path, &own);
        status = e.recording != NULL ? export_to(&e, out, &own) : own.status;
    }
    rg_recording_close(e.recording);
    rg_arena_free(&e.arena);
    if (rows != NULL)
        *rows = e.rows;
    if (error != NULL && status != RG_OK)
        *error = own;
    return status;
}

RgStatus rg_recording_check(const char *path, RgError *error)
{
    RgError own = {.status = RG_OK};
    Export e = {.path = path};
    rg_arena_init(&e.arena, NULL);
    RgStatus status = rg_need_jansson(path, &own);
    if (status == RG_OK) {
        e.recording = rg_recording_open(path, &own);
        status = e.recording != NULL ? find_scene(&e, &own) : own.status;
    }
    rg_recording_close(e.recording);
    rg_arena_free(&e.arena);
    if (error != NULL && status != RG_OK)
        *error = own;
    return status;
}
