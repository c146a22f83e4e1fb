/*
 * table_npz.c - writes a table as NPZ: a ZIP archive with one array of one dimension per column, f8 or text (U), for
 * numpy.load: numpy.load("runs.npz")["step"].
 *
 * Dates in the archive are constant, so that equal tables give equal bytes. Texts are as wide as the longest of their
 * column; bytes that are not valid UTF-8 become the replacement character.
 */
#include "base/output_file.h"
#include "base/status.h"
#include "record/codec_zlib.h"
#include "record/npy.h"
#include "record/table.h"

#include <errno.h>
#include <string.h>

static const char ending[] = ".npy";

/* "name.npy". NULL: out of memory. */
static const char *member_name(const char *column, RgArena *arena)
{
    size_t room = strlen(column) + sizeof ending;
    char *name = RG_ARENA_ALLOC(arena, char, room);
    if (name != NULL)
        snprintf(name, room, "%s%s", column, ending);
    return name;
}

static void write_numbers(RgZip *zip, const char *member, const double *numbers, int64_t count)
{
    char shape[32];
    size_t bytes = (size_t)count * sizeof *numbers;
    snprintf(shape, sizeof shape, "%lld,", (long long)count);
    rg_npy_begin(zip, member, "f8", shape, bytes);
    if (bytes > 0)
        rg_zip_write(zip, numbers, bytes);
    rg_zip_member_end(zip);
}

static RgStatus write_archive(const RgTable *table, const RgOutputFile *output, RgArena *arena, RgError *error)
{
    int columns = rg_table_columns(table);
    int64_t rows = rg_table_rows(table);
    RgZipMember *members = RG_ARENA_ALLOC(arena, RgZipMember, columns);
    if (members == NULL)
        return rg_fail(error, RG_ERR_MEMORY, output->path, 0, "out of memory");
    RgZip zip;
    errno = 0;
    rg_zip_begin(&zip, output->file, members, columns);
    for (int i = 0; i < columns; i++) {
        const RgTableColumn *column = rg_table_column(table, i);
        const char *member = member_name(column->name, arena);
        if (member == NULL)
            return rg_fail(error, RG_ERR_MEMORY, output->path, 0, "out of memory");
        if (column->is_text)
            rg_npy_write_texts(&zip, member, column->texts, rows);
        else
            write_numbers(&zip, member, column->numbers, rows);
    }
    return rg_zip_finish(&zip) ? RG_OK : rg_output_fail(output->path, "cannot be written", error);
}

RgStatus rg_table_write_npz(const RgTable *table, const char *path, RgArena *arena, RgError *error)
{
    RgOutputFile output;
    RgStatus status = rg_need_zlib(path, error);
    if (status == RG_OK)
        status = rg_output_open(&output, path, arena, error);
    if (status != RG_OK)
        return status;
    if (output.part == NULL)
        status = rg_fail(error, RG_ERR_FILE, path, 0, "is no regular file, which the npz format needs");
    else
        status = write_archive(table, &output, arena, error);
    RgStatus closed = rg_output_close(&output, status == RG_OK, status == RG_OK ? error : NULL);
    return status != RG_OK ? status : closed;
}
