/*
 * table_npz_read.c - reads a table from an NPZ archive of any writer.
 *
 * An array of one dimension is a column, one of two dimensions (n x m) is m columns, one of three (n x m x k) is m k
 * columns. Their names:
 *
 *   a                    of an array a of one dimension
 *   a[j], a[j][k]        of more dimensions
 *   a:<name>             of two dimensions, if there is an array a_names of m texts
 *   as in a CSV          of a recording of rigor, which has format_version, q_names, v_names, link_names
 *
 * Arrays of names that are used so are not columns. Members that are not arrays, and arrays without dimensions, are
 * skipped.
 *
 * Failure, reported with the array: whatever zip_read.c and npy_read.c refuse, columns of different lengths, duplicate
 * names, more than RG_TABLE_COLUMNS_MAX columns, no columns.
 */
#include "base/alloc.h"
#include "base/file_bytes.h"
#include "base/name_map.h"
#include "base/status.h"
#include "record/codec_zlib.h"
#include "record/npy.h"
#include "record/record.h"
#include "record/table.h"
#include "record/zip_read.h"

#include <stdio.h>
#include <string.h>

#define FILE_MAX ((size_t)1 << 33) /* bytes: 8 GiB */
#define MEMBERS_MAX 65536          /* bounds the memory of a hostile archive; as many as a table has columns */

static const char ending[] = ".npy";

typedef struct Member {
    const char *name;
    RgNpy array;
    bool is_names;            /* it has the names of another array's columns */
    const char *const *names; /* of its columns; NULL: numbered */
} Member;

typedef struct NpzReader {
    const char *path;
    RgArena *arena;
    RgError *error;
    Member *members;
    int nmembers;
    RgNameMap map;
} NpzReader;

static RgStatus fail_memory(const NpzReader *r)
{
    return rg_fail(r->error, RG_ERR_MEMORY, r->path, 0, "out of memory");
}

static Member *find_member(const NpzReader *r, const char *name)
{
    int i = rg_name_map_find(&r->map, name);
    return i >= 0 ? &r->members[i] : NULL;
}

/* Number of columns of an array; 0: none. INT64_MAX: more than a table may have. */
static int64_t column_count(const Member *m)
{
    const int64_t *n = m->array.shape;
    if (m->array.dimensions == 0 || n[1] == 0 || n[2] == 0)
        return 0;
    return n[1] <= RG_TABLE_COLUMNS_MAX && n[2] <= RG_TABLE_COLUMNS_MAX ? n[1] * n[2] : INT64_MAX;
}

/* ------------------------------------------------------------------ members */

/* Reads a member of the archive as an array. */
static RgStatus read_member(NpzReader *r, const RgZipEntry *entry, Member *member)
{
    size_t length = entry->name.size - (sizeof ending - 1);
    char *name = RG_ARENA_ALLOC(r->arena, char, length + 1);
    if (name == NULL)
        return fail_memory(r);
    memcpy(name, entry->name.data, length);
    if (length == 0 || strlen(name) != length)
        return rg_fail(r->error, RG_ERR_SYNTAX, r->path, 0, "an array without a name");
    if (find_member(r, name) != NULL)
        return rg_fail(r->error, RG_ERR_SYNTAX, r->path, 0, "two arrays are called '%s'", name);

    RgSpan bytes;
    *member = (Member){.name = name};
    const char *wrong = rg_zip_bytes(entry, r->arena, &bytes);
    if (wrong == NULL)
        wrong = rg_npy_parse(bytes.data, bytes.size, r->arena, &member->array);
    if (wrong != NULL)
        return rg_fail(r->error, RG_ERR_SYNTAX, r->path, 0, "array '%s': %s", name, wrong);
    return rg_name_map_set(&r->map, r->arena, name, r->nmembers++) ? RG_OK : fail_memory(r);
}

static bool is_array(const RgZipEntry *entry)
{
    size_t length = sizeof ending - 1, size = entry->name.size;
    return size >= length && memcmp(entry->name.data + size - length, ending, length) == 0;
}

static RgStatus read_members(NpzReader *r, const unsigned char *bytes, size_t size)
{
    RgZipReader zip;
    const char *wrong = rg_zip_open(&zip, bytes, size);
    if (wrong == NULL && zip.left > MEMBERS_MAX)
        wrong = "the archive has too many members";
    if (wrong != NULL)
        return rg_fail(r->error, RG_ERR_SYNTAX, r->path, 0, "%s", wrong);
    Member *members = RG_ARENA_ALLOC(r->arena, Member, zip.left);
    if (members == NULL)
        return fail_memory(r);
    r->members = members;
    for (RgZipEntry entry; rg_zip_next(&zip, &entry, &wrong);) {
        if (wrong != NULL)
            return rg_fail(r->error, RG_ERR_SYNTAX, r->path, 0, "%s", wrong);
        RgStatus status = is_array(&entry) ? read_member(r, &entry, &members[r->nmembers]) : RG_OK;
        if (status != RG_OK)
            return status;
    }
    return RG_OK;
}

/* ------------------------------------------------------------------ names of columns */

/* The texts of an array of names, and their number. NULL: there is no such array, or out of memory. */
static const char *const *find_texts(NpzReader *r, const char *name, int64_t *count)
{
    Member *m = find_member(r, name);
    *count = 0;
    if (m == NULL || m->array.dimensions != 1 || !rg_npy_is_text(&m->array) || m->array.shape[0] > RG_TABLE_COLUMNS_MAX)
        return NULL;
    const char **texts = RG_ARENA_ALLOC(r->arena, const char *, m->array.shape[0]);
    for (int64_t i = 0; texts != NULL && i < m->array.shape[0]; i++) {
        char *room = RG_ARENA_ALLOC(r->arena, char, rg_npy_text_room(&m->array));
        if (room == NULL)
            return NULL;
        texts[i] = rg_npy_text(&m->array, (const int64_t[RG_NPY_DIMENSIONS]){i, 0, 0}, room);
    }
    *count = m->array.shape[0];
    return texts;
}

/* "<before><middle><behind>" */
static const char *join(RgArena *arena, const char *before, const char *middle, const char *behind)
{
    size_t room = strlen(before) + strlen(middle) + strlen(behind) + 1;
    char *text = RG_ARENA_ALLOC(arena, char, room);
    if (text != NULL)
        snprintf(text, room, "%s%s%s", before, middle, behind);
    return text;
}

/* Sets the column names of a recording of rigor, as in its CSV. */
static void name_recording(NpzReader *r)
{
    static const char *const lists[] = {"q_names", "v_names", "link_names", "control_names"};
    const char *const *names[4];
    int64_t counts[4];
    for (int i = 0; i < 4; i++)
        names[i] = find_texts(r, lists[i], &counts[i]);
    if (find_member(r, "format_version") == NULL || names[0] == NULL || names[1] == NULL || names[2] == NULL)
        return;
    RgRecordLayout layout;
    rg_record_layout_of(&(RgRecordNames){.q = names[0],
                                         .v = names[1],
                                         .links = names[2],
                                         .control = names[3],
                                         .nq = (int)counts[0],
                                         .nv = (int)counts[1],
                                         .nlinks = (int)counts[2],
                                         .ncontrol = (int)counts[3]},
                        &layout);
    for (int i = 0; i < RG_RECORD_PARTS; i++) {
        const RgRecordArray *a = &layout.arrays[i];
        Member *m = find_member(r, a->name);
        if (m == NULL || m->array.dimensions != a->dimensions || m->array.shape[1] != a->items ||
            m->array.shape[2] != a->depth)
            continue;
        const char **columns = RG_ARENA_ALLOC(r->arena, const char *, rg_record_array_width(a));
        for (int j = 0; columns != NULL && j < rg_record_array_width(a); j++)
            columns[j] = join(r->arena, a->prefix, a->item[j / a->depth], a->axis[j % a->depth]);
        m->names = columns;
    }
    for (int i = 0; i < 4; i++)
        if (names[i] != NULL)
            find_member(r, lists[i])->is_names = true;
}

/* Sets the column names of an array a of two dimensions, if there is an array a_names. */
static void name_by_list(NpzReader *r, Member *m)
{
    const char *list = join(r->arena, m->name, "_names", "");
    int64_t count = 0;
    const char *const *texts = list != NULL ? find_texts(r, list, &count) : NULL;
    if (texts == NULL || count != column_count(m))
        return;
    const char **columns = RG_ARENA_ALLOC(r->arena, const char *, count);
    const char *prefix = join(r->arena, m->name, ":", "");
    for (int64_t i = 0; columns != NULL && prefix != NULL && i < count; i++)
        columns[i] = join(r->arena, prefix, texts[i], "");
    m->names = columns;
    find_member(r, list)->is_names = true;
}

/* The name of column j of an array. */
static const char *column_name(const NpzReader *r, const Member *m, int64_t j)
{
    char number[64];
    if (m->names != NULL)
        return m->names[j];
    if (m->array.dimensions == 1)
        return m->name;
    int64_t depth = m->array.shape[2];
    if (m->array.dimensions == 2)
        snprintf(number, sizeof number, "[%lld]", (long long)j);
    else
        snprintf(number, sizeof number, "[%lld][%lld]", (long long)(j / depth), (long long)(j % depth));
    return join(r->arena, m->name, number, "");
}

/* ------------------------------------------------------------------ the table */

/* Whether an array has columns. One without columns may have any length. */
static bool is_column(const Member *m)
{
    return !m->is_names && column_count(m) > 0;
}

/* Number of rows of the table; all columns must have the same. */
static RgStatus count_rows(const NpzReader *r, int64_t *rows)
{
    const Member *first = NULL;
    int64_t columns = 0;
    for (int i = 0; i < r->nmembers; i++) {
        const Member *m = &r->members[i];
        if (!is_column(m))
            continue;
        first = first != NULL ? first : m;
        if (m->array.shape[0] != first->array.shape[0])
            return rg_fail(r->error, RG_ERR_SYNTAX, r->path, 0,
                           "arrays of one length are expected; '%s' has %lld rows, '%s' %lld", first->name,
                           (long long)first->array.shape[0], m->name, (long long)m->array.shape[0]);
        if (column_count(m) > RG_TABLE_COLUMNS_MAX - columns)
            return rg_fail(r->error, RG_ERR_SYNTAX, r->path, 0, "more than %d columns", RG_TABLE_COLUMNS_MAX);
        columns += column_count(m);
    }
    if (first == NULL)
        return rg_fail(r->error, RG_ERR_SYNTAX, r->path, 0, "no array that could be a column");
    *rows = first->array.shape[0];
    return RG_OK;
}

static RgStatus add_columns(const NpzReader *r, RgTable *table, const Member *m)
{
    for (int64_t j = 0; j < column_count(m); j++) {
        const char *name = column_name(r, m, j);
        if (name == NULL)
            return fail_memory(r);
        if (rg_table_find_column(table, name) >= 0)
            return rg_fail(r->error, RG_ERR_SYNTAX, r->path, 0, "two columns are called '%s'", name);
        if (rg_table_add_column(table, name, rg_npy_is_text(&m->array)) < 0)
            return fail_memory(r);
    }
    return RG_OK;
}

/* Writes the values of an array to its columns, of which first is the first. */
static RgStatus fill_columns(const NpzReader *r, RgTable *table, const Member *m, int first)
{
    bool is_text = rg_npy_is_text(&m->array);
    char *text = is_text ? RG_ARENA_ALLOC(r->arena, char, rg_npy_text_room(&m->array)) : NULL;
    if (is_text && text == NULL)
        return fail_memory(r);
    int64_t depth = m->array.shape[2];
    for (int64_t row = 0; row < rg_table_rows(table); row++) {
        for (int64_t j = 0; j < column_count(m); j++) {
            const int64_t place[RG_NPY_DIMENSIONS] = {row, j / depth, j % depth};
            int column = first + (int)j;
            RgStatus status = is_text ? rg_table_set_text(table, row, column, rg_npy_text(&m->array, place, text))
                                      : rg_table_set_number(table, row, column, rg_npy_number(&m->array, place));
            if (status != RG_OK)
                return fail_memory(r);
        }
    }
    return RG_OK;
}

static RgStatus fill_table(NpzReader *r, RgTable *table)
{
    int64_t rows = 0;
    name_recording(r);
    for (int i = 0; i < r->nmembers; i++)
        if (r->members[i].names == NULL && r->members[i].array.dimensions == 2)
            name_by_list(r, &r->members[i]);
    if (r->arena->failed)
        return fail_memory(r);
    RgStatus status = count_rows(r, &rows);
    for (int i = 0; i < r->nmembers && status == RG_OK; i++)
        if (is_column(&r->members[i]))
            status = add_columns(r, table, &r->members[i]);
    if (status == RG_OK && !rg_table_add_rows(table, rows))
        status = fail_memory(r);
    for (int i = 0, first = 0; i < r->nmembers && status == RG_OK; i++) {
        if (!is_column(&r->members[i]))
            continue;
        status = fill_columns(r, table, &r->members[i], first);
        first += (int)column_count(&r->members[i]);
    }
    return status;
}

RgStatus rg_table_read_npz(RgTable *table, const char *path, RgArena *arena, RgError *error)
{
    RgError reason = {.status = RG_OK};
    NpzReader reader = {.path = path, .arena = arena, .error = &reason};
    size_t size = 0;
    unsigned char *bytes = NULL;
    if (rg_need_zlib(path, &reason) == RG_OK)
        bytes = rg_file_read(NULL, path, FILE_MAX, &size, &reason);
    if (bytes != NULL && read_members(&reader, bytes, size) == RG_OK)
        fill_table(&reader, table);
    rg_free(NULL, bytes);
    if (error != NULL && reason.status != RG_OK)
        *error = reason;
    return reason.status;
}
