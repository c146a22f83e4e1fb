/*
 * record_csv.c - a recording as comma-separated text: a line of column names, then a line per row.
 *
 *   t,q:<joint>,...,v:<joint>,...,link:<link>:x,...,link:<link>:qw,...,energy:kinetic,energy:potential
 *
 * Numbers have 17 digits, so that reading gives the same bits, and a decimal point in every locale. Names that contain
 * a comma, a quote or a line end are quoted (RFC 4180).
 */
#include "base/output_file.h"
#include "base/status.h"
#include "record/csv_text.h"
#include "record/record_table.h"

#include <math.h>
#include <string.h>

typedef struct CsvWriter {
    const RgRecordLayout *layout;
    RgOutputFile output;
} CsvWriter;

static void put_name(FILE *file, const char *prefix, const char *item, const char *axis)
{
    if (!rg_csv_needs_quotes(item)) {
        fprintf(file, "%s%s%s", prefix, item, axis);
        return;
    }
    putc('"', file);
    fputs(prefix, file);
    rg_csv_put_doubled(file, item);
    fputs(axis, file);
    putc('"', file);
}

/* 17 digits. The decimal separator of the locale, which may have several bytes, is replaced by a point. */
static void put_number(FILE *file, double value)
{
    if (isnan(value)) {
        fputs("nan", file);
        return;
    }
    char text[48];
    snprintf(text, sizeof text, "%.17g", value);
    size_t whole = strspn(text, "-0123456789inf");
    size_t point = strcspn(text + whole, "0123456789e");
    fwrite(text, 1, whole, file);
    if (point > 0)
        putc('.', file);
    fputs(text + whole + point, file);
}

static void *csv_open(const RgRecordSource *source, const char *path, RgArena *arena, RgError *error)
{
    const RgRecordLayout *layout = source->layout;
    CsvWriter *writer = RG_ARENA_ALLOC(arena, CsvWriter, 1);
    if (writer == NULL) {
        rg_fail(error, RG_ERR_MEMORY, path, 0, "out of memory");
        return NULL;
    }
    writer->layout = layout;
    if (rg_output_open(&writer->output, path, arena, error) != RG_OK)
        return NULL;

    /* Line of names. */
    FILE *file = writer->output.file;
    for (int i = 0; i < RG_RECORD_PARTS; i++) {
        const RgRecordArray *array = &layout->arrays[i];
        for (int j = 0; j < rg_record_array_width(array); j++) {
            if (array->start + j > 0)
                putc(',', file);
            put_name(file, array->prefix, array->item[j / array->depth], array->axis[j % array->depth]);
        }
    }
    putc('\n', file);
    return writer;
}

static RgStatus csv_add(void *context, const double *row, RgError *error)
{
    CsvWriter *writer = context;
    FILE *file = writer->output.file;
    for (int i = 0; i < writer->layout->width; i++) {
        if (i > 0)
            putc(',', file);
        put_number(file, row[i]);
    }
    putc('\n', file);
    return ferror(file) == 0 ? RG_OK : rg_output_fail(writer->output.path, "cannot be written", error);
}

static RgStatus csv_finish(void *context, bool keep, RgError *error)
{
    CsvWriter *writer = context;
    return rg_output_close(&writer->output, keep, error);
}

const RgRecordFormat rg_record_csv = {.name = "csv", .open = csv_open, .add = csv_add, .finish = csv_finish};
