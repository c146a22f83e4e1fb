/*
 * record_npz.c - a recording as NPZ: a ZIP archive of NPY arrays, which numpy.load opens.
 *
 *   format_version ()   t (n)   q (n x nq)   v (n x nv)   energy (n x 2)
 *   link_position (n x links x 3)   link_quaternion (n x links x 4)
 *   q_names (nq)   v_names (nv)   link_names (links)
 *   and of controlled worlds control (n x joints x 4)   control_names (joints)
 *
 * An array's size stands before its numbers, and the arrays come one after the other; so rows are first kept
 * in a nameless file beside the target, and finish reads that file once for every array. Memory does not grow
 * with the number of rows; the disk holds them twice for a moment.
 *
 * NPY (numpy format 1.0): the magic bytes, a text with type, order and shape, filled with spaces to a
 * multiple of 64, then the numbers in the machine's byte order. Names are arrays of 32-bit characters.
 */
#define _POSIX_C_SOURCE 200809L

#include "base/output_file.h"
#include "base/status.h"
#include "record/record_table.h"
#include "record/zip_store.h"

#include <errno.h>
#include <string.h>

#define NPY_ALIGN 64
#define REPLACEMENT UINT32_C(0xfffd) /* for bytes that are no UTF-8 */

typedef struct NpzWriter {
    const RgRecordLayout *layout;
    RgOutputFile output;
    FILE *rows; /* row after row, as they came */
    double *row;
    int64_t count;
    RgZip zip;
} NpzWriter;

/* '<' or '>' as numpy names the machine's byte order. */
static char byte_order(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1 ? '<' : '>';
}

/* Opens a member and writes the header of its array; type is numpy's, shape the text inside the brackets. */
static void npy_begin(RgZip *zip, const char *name, const char *type, const char *shape, uint64_t bytes)
{
    char head[256] = "\x93NUMPY\x01";
    const int start = 10;
    int text =
        snprintf(head + start, sizeof head - (size_t)start,
                 "{'descr': '%c%s', 'fortran_order': False, 'shape': (%s), }", byte_order(), type, shape);
    int size = (start + text + NPY_ALIGN) / NPY_ALIGN * NPY_ALIGN;
    memset(head + start + text, ' ', (size_t)(size - start - text - 1));
    head[size - 1] = '\n';
    head[8] = (char)((size - start) & 0xff);
    head[9] = (char)((size - start) >> 8);
    rg_zip_member_begin(zip, name, (uint64_t)size + bytes);
    rg_zip_write(zip, head, (size_t)size);
}

/* Bytes that follow the first one of a UTF-8 character; -1 for a byte that begins none. */
static int bytes_following(unsigned char first)
{
    if (first < 0x80)
        return 0;
    if (first < 0xc2 || first >= 0xf5)
        return -1;
    return first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
}

/* The next character of a UTF-8 text. A byte that is no part of one gives a replacement; so do characters in
   too many bytes, halves of surrogate pairs and numbers beyond Unicode. */
static uint32_t next_character(const char **text)
{
    static const uint32_t least[4] = {0, 0x80, 0x800, 0x10000};
    const unsigned char *s = (const unsigned char *)*text;
    int more = bytes_following(s[0]);
    *text += 1;
    if (more <= 0)
        return more == 0 ? s[0] : REPLACEMENT;
    uint32_t c = s[0] & (0x3fu >> more);
    for (int i = 1; i <= more; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return REPLACEMENT;
        c = (c << 6) | (s[i] & 0x3fu);
    }
    if (c < least[more] || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
        return REPLACEMENT;
    *text += more;
    return c;
}

static int character_count(const char *text)
{
    int count = 0;
    while (*text != '\0') {
        next_character(&text);
        count++;
    }
    return count;
}

/* Names as an array of texts, all as wide as the longest, filled with zeros. */
static void write_names(RgZip *zip, const char *member, const char *const *names, int count)
{
    int widest = 1;
    for (int i = 0; i < count; i++) {
        int wide = character_count(names[i]);
        widest = wide > widest ? wide : widest;
    }
    char type[16], shape[32];
    snprintf(type, sizeof type, "U%d", widest);
    snprintf(shape, sizeof shape, "%d,", count);
    npy_begin(zip, member, type, shape, 4 * (uint64_t)widest * (uint64_t)count);
    for (int i = 0; i < count; i++) {
        const char *at = names[i];
        for (int j = 0; j < widest; j++) {
            uint32_t c = *at != '\0' ? next_character(&at) : 0;
            rg_zip_write(zip, &c, sizeof c);
        }
    }
    rg_zip_member_end(zip);
}

/* One array out of all rows. False: the rows cannot be read back. */
static bool write_array(NpzWriter *writer, const char *member, const RgRecordArray *array)
{
    char shape[96];
    if (array->dimensions == 1)
        snprintf(shape, sizeof shape, "%lld,", (long long)writer->count);
    else if (array->dimensions == 2)
        snprintf(shape, sizeof shape, "%lld, %d", (long long)writer->count, array->items);
    else
        snprintf(shape, sizeof shape, "%lld, %d, %d", (long long)writer->count, array->items, array->depth);
    size_t bytes = (size_t)rg_record_array_width(array) * sizeof(double);
    npy_begin(&writer->zip, member, "f8", shape, (uint64_t)writer->count * bytes);

    rewind(writer->rows);
    size_t width = (size_t)writer->layout->width;
    for (int64_t i = 0; i < writer->count; i++) {
        if (fread(writer->row, sizeof(double), width, writer->rows) != width)
            return false;
        rg_zip_write(&writer->zip, writer->row + array->start, bytes);
    }
    rg_zip_member_end(&writer->zip);
    return true;
}

/* The whole archive. */
static RgStatus write_archive(NpzWriter *writer, RgError *error)
{
    static const char *const members[RG_RECORD_PARTS] = {
        [RG_RECORD_T] = "t.npy",
        [RG_RECORD_Q] = "q.npy",
        [RG_RECORD_V] = "v.npy",
        [RG_RECORD_POSITION] = "link_position.npy",
        [RG_RECORD_QUATERNION] = "link_quaternion.npy",
        [RG_RECORD_ENERGY] = "energy.npy",
        [RG_RECORD_CONTACT] = "contact.npy",
        [RG_RECORD_CONTROL] = "control.npy",
    };
    const RgRecordLayout *layout = writer->layout;
    RgZip *zip = &writer->zip;
    errno = 0;
    rg_zip_begin(zip, writer->output.file);

    const int64_t version = RG_RECORD_VERSION;
    npy_begin(zip, "format_version.npy", "i8", "", sizeof version);
    rg_zip_write(zip, &version, sizeof version);
    rg_zip_member_end(zip);

    int parts = layout->controlled > 0 ? RG_RECORD_PARTS : RG_RECORD_CONTROL;
    for (int i = 0; i < parts; i++)
        if (!write_array(writer, members[i], &layout->arrays[i]))
            return rg_output_fail(writer->output.path, "rows kept beside it cannot be read back", error);

    write_names(zip, "q_names.npy", layout->q_names, layout->nq);
    write_names(zip, "v_names.npy", layout->v_names, layout->nv);
    write_names(zip, "link_names.npy", layout->link_names, layout->links);
    if (layout->controlled > 0)
        write_names(zip, "control_names.npy", layout->control_names, layout->controlled);
    return rg_zip_finish(zip) ? RG_OK : rg_output_fail(writer->output.path, "cannot be written", error);
}

static void *npz_open(const RgRecordSource *source, const char *path, RgArena *arena, RgError *error)
{
    const RgRecordLayout *layout = source->layout;
    NpzWriter *writer = RG_TAKE(arena, NpzWriter, 1);
    double *row = RG_TAKE(arena, double, layout->width);
    if (writer == NULL || row == NULL) {
        rg_fail(error, RG_ERR_MEMORY, path, 0, "out of memory");
        return NULL;
    }
    writer->layout = layout;
    writer->row = row;
    if (rg_output_open(&writer->output, path, arena, error) != RG_OK)
        return NULL;
    if (writer->output.part == NULL)
        rg_fail(error, RG_ERR_FILE, path, 0, "is no regular file, which the npz format needs");
    else
        writer->rows = rg_output_scratch(path, arena, error);
    if (writer->rows != NULL)
        return writer;
    rg_output_close(&writer->output, false, NULL);
    return NULL;
}

static RgStatus npz_add(void *context, const double *row, RgError *error)
{
    NpzWriter *writer = context;
    size_t width = (size_t)writer->layout->width;
    if (fwrite(row, sizeof(double), width, writer->rows) != width)
        return rg_output_fail(writer->output.path, "a row cannot be kept beside it", error);
    writer->count++;
    return RG_OK;
}

static RgStatus npz_finish(void *context, bool keep, RgError *error)
{
    NpzWriter *writer = context;
    RgStatus status = RG_OK;
    errno = 0;
    if (keep && fflush(writer->rows) != 0)
        status = rg_output_fail(writer->output.path, "a row cannot be kept beside it", error);
    if (keep && status == RG_OK)
        status = write_archive(writer, error);
    fclose(writer->rows);
    RgStatus closed =
        rg_output_close(&writer->output, keep && status == RG_OK, status == RG_OK ? error : NULL);
    return status != RG_OK ? status : closed;
}

const RgRecordFormat rg_record_npz = {.name = "npz", .open = npz_open, .add = npz_add, .finish = npz_finish};
