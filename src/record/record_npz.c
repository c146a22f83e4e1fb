/*
 * record_npz.c - a recording as NPZ: a ZIP archive of NPY arrays, which numpy.load opens.
 *
 *   format_version ()   t (n)   q (n x nq)   v (n x nv)   energy (n x 2)
 *   link_position (n x links x 3)   link_quaternion (n x links x 4)
 *   q_names (nq)   v_names (nv)   link_names (links)
 *   with a control: control (n x joints x 4)   control_names (joints)
 *
 * The size of an array precedes its numbers, and the arrays follow one another. Therefore rows are first written to a
 * nameless file beside the target, and finish reads that file once for every array. Memory does not grow with the
 * number of rows; at the end the disk has them twice.
 */
#define _POSIX_C_SOURCE 200809L

#include "base/output_file.h"
#include "base/status.h"
#include "record/codec_zlib.h"
#include "record/npy.h"
#include "record/record_table.h"

#include <errno.h>
#include <string.h>

#define MEMBERS_MAX 16 /* of the archive; it has at most 13 */

typedef struct NpzWriter {
    const RgRecordLayout *layout;
    RgOutputFile output;
    FILE *rows; /* the rows in order of time */
    double *row;
    int64_t count;
    RgZip zip;
    RgZipMember members[MEMBERS_MAX];
} NpzWriter;

/* Writes one array of all rows. False: the rows cannot be read back. */
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
    rg_npy_begin(&writer->zip, member, "f8", shape, (uint64_t)writer->count * bytes);

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

/* Writes the archive. */
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
    rg_zip_begin(zip, writer->output.file, writer->members, MEMBERS_MAX);

    const int64_t version = RG_RECORD_VERSION;
    rg_npy_begin(zip, "format_version.npy", "i8", "", sizeof version);
    rg_zip_write(zip, &version, sizeof version);
    rg_zip_member_end(zip);

    int parts = layout->controlled > 0 ? RG_RECORD_PARTS : RG_RECORD_CONTROL;
    for (int i = 0; i < parts; i++)
        if (!write_array(writer, members[i], &layout->arrays[i]))
            return rg_output_fail(writer->output.path, "rows kept beside it cannot be read back", error);

    rg_npy_write_texts(zip, "q_names.npy", layout->q_names, layout->nq);
    rg_npy_write_texts(zip, "v_names.npy", layout->v_names, layout->nv);
    rg_npy_write_texts(zip, "link_names.npy", layout->link_names, layout->links);
    if (layout->controlled > 0)
        rg_npy_write_texts(zip, "control_names.npy", layout->control_names, layout->controlled);
    return rg_zip_finish(zip) ? RG_OK : rg_output_fail(writer->output.path, "cannot be written", error);
}

static void *npz_open(const RgRecordSource *source, const char *path, RgArena *arena, RgError *error)
{
    const RgRecordLayout *layout = source->layout;
    if (rg_need_zlib(path, error) != RG_OK)
        return NULL;
    NpzWriter *writer = RG_ARENA_ALLOC(arena, NpzWriter, 1);
    double *row = RG_ARENA_ALLOC(arena, double, layout->width);
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
    RgStatus closed = rg_output_close(&writer->output, keep && status == RG_OK, status == RG_OK ? error : NULL);
    return status != RG_OK ? status : closed;
}

const RgRecordFormat rg_record_npz = {.name = "npz", .open = npz_open, .add = npz_add, .finish = npz_finish};
