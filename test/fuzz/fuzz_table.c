/*
 * fuzz_table.c - any bytes as a table: as CSV, as an NPZ archive, and as an array within a sound archive, since no
 * fuzzer guesses checksums. What is refused says why. What is taken is written and read again: as CSV it comes back the
 * same, as NPZ with the same numbers.
 */
#define _GNU_SOURCE
#include <rigor/table.h>

#include "fuzz_bytes.h"

#include <fcntl.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[] = "/tmp/rigor-fuzz-table-XXXXXX";

static void place(char path[64], const char *name)
{
    snprintf(path, 64, "%s/%s", folder, name);
}

static void remove_folder(void)
{
    static const char *const names[] = {"in", "t.csv", "t.npz"};
    char path[64];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        place(path, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

static void write_bytes(const char *path, const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    MUST(file != NULL);
    if (size > 0)
        MUST(fwrite(data, 1, size, file) == size);
    MUST(fclose(file) == 0);
}

/* ------------------------------------------------------------------ there and back */

static bool same_number(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void must_be_same(const RgTable *a, const RgTable *b, bool with_texts)
{
    MUST(rg_table_columns(a) == rg_table_columns(b) && rg_table_rows(a) == rg_table_rows(b));
    for (int j = 0; j < rg_table_columns(a); j++) {
        MUST(rg_table_column_is_text(a, j) == rg_table_column_is_text(b, j));
        MUST(strcmp(rg_table_column_name(a, j), rg_table_column_name(b, j)) == 0);
        for (int64_t i = 0; i < rg_table_rows(a); i++) {
            MUST(same_number(rg_table_number(a, i, j), rg_table_number(b, i, j)));
            MUST(!with_texts || strcmp(rg_table_text(a, i, j), rg_table_text(b, i, j)) == 0);
        }
    }
}

static void there_and_back(const RgTable *table, const char *name, bool with_texts)
{
    char path[64];
    RgError error;
    place(path, name);
    MUST(rg_table_write(table, path, NULL, &error) == RG_OK);
    RgTable *back = rg_table_read(path, NULL, &error);
    MUST(back != NULL);
    must_be_same(table, back, with_texts);
    rg_table_destroy(back);
}

/* A column of texts may look like numbers in a CSV, which a table from a CSV has not. */
static void use(const char *path, const char *format)
{
    RgError error = {.status = RG_OK};
    RgTable *table = rg_table_read(path, format, &error);
    MUST((table != NULL) == (error.status == RG_OK));
    if (table == NULL) {
        MUST(error.text[0] != '\0');
        return;
    }
    if (strcmp(format, "csv") == 0)
        there_and_back(table, "t.csv", true);
    there_and_back(table, "t.npz", false);
    rg_table_destroy(table);
}

/* ------------------------------------------------------------------ an archive with one member */

static uint32_t checksum(const uint8_t *data, size_t size)
{
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = (crc >> 1) ^ ((crc & 1u) != 0 ? 0xedb88320u : 0u);
    }
    return ~crc;
}

static void put(FILE *file, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        putc((int)(value >> (8 * i) & 0xff), file);
}

/* What both headers share, from the flags to the length of the name. */
static void put_member(FILE *file, uint32_t crc, size_t size)
{
    put(file, 0, 8);
    put(file, crc, 4);
    put(file, size, 4);
    put(file, size, 4);
    put(file, 5, 2);
}

static void write_archive(const char *path, const uint8_t *data, size_t size)
{
    uint32_t crc = checksum(data, size);
    FILE *file = fopen(path, "wb");
    MUST(file != NULL);
    put(file, 0x04034b50, 4);
    put(file, 20, 2);
    put_member(file, crc, size);
    put(file, 0, 2);
    fputs("a.npy", file);
    if (size > 0)
        MUST(fwrite(data, 1, size, file) == size);
    put(file, 0x02014b50, 4);
    put(file, 20, 4);
    put_member(file, crc, size);
    put(file, 0, 8);
    put(file, 0, 8);
    fputs("a.npy", file);
    put(file, 0x06054b50, 4);
    put(file, 0, 4);
    put(file, 1, 2);
    put(file, 1, 2);
    put(file, 51, 4);
    put(file, 35 + size, 4);
    put(file, 0, 2);
    MUST(fclose(file) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool has_folder;
    if (!has_folder) {
        MUST(mkdtemp(folder) != NULL);
        atexit(remove_folder);
        has_folder = true;
    }
    char path[64];
    place(path, "in");
    write_bytes(path, data, size);
    use(path, "csv");
    use(path, "npz");
    write_archive(path, data, size);
    use(path, "npz");
    return 0;
}
