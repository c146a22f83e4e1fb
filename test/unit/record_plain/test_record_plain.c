/*
 * test_record_plain.c - src/record built without zlib, LZ4 and jansson (cmake/tests.cmake compiles it so, for this test
 * alone): CSV works; the rest is refused by a text that names the library, and leaves no file behind.
 */
#define _DEFAULT_SOURCE

#include "record/codec_lz4.h"
#include "record/mcap_file.h"
#include "record/mcap_writer.h"

#include "record_files.h"
#include "scenes.h"

#include <rigor/rigor.h>

static void expect_refused(const RgError *error, const char *library)
{
    cr_expect_eq(error->status, RG_ERR_UNSUPPORTED);
    cr_expect_not_null(strstr(error->text, "this librigor was built without"), "%s", error->text);
    cr_expect_not_null(strstr(error->text, library), "%s", error->text);
}

Test(record_plain, recorders)
{
    Folder folder = folder_make();
    RgModel *model = scene_arm();
    const char *const formats[] = {"npz", "mcap"};
    for (int i = 0; i < 2; i++) {
        RgError error = {.status = RG_OK};
        FilePath path = folder_file(&folder, formats[i]);
        cr_expect_null(rg_recorder_create(model, path.text, formats[i], &error));
        expect_refused(&error, "zlib");
    }
    cr_expect_eq(folder_count(&folder), 0);
    FilePath path = folder_file(&folder, "a.csv");
    RgRecorder *recorder = rg_recorder_create(model, path.text, NULL, NULL);
    cr_assert_not_null(recorder);
    cr_expect_eq(rg_recorder_finish(recorder, NULL), RG_OK);
    rg_model_destroy(model);
    folder_remove(&folder);
}

Test(record_plain, tables)
{
    Folder folder = folder_make();
    FilePath npz = folder_file(&folder, "a.npz"), csv = folder_file(&folder, "a.csv");
    RgError error = {.status = RG_OK};
    RgTable *table = rg_table_create(NULL);
    cr_assert_eq(rg_table_add_column(table, "x", false), 0);
    cr_expect_eq(rg_table_write(table, npz.text, NULL, &error), RG_ERR_UNSUPPORTED);
    expect_refused(&error, "zlib");
    cr_expect_eq(folder_count(&folder), 0);
    cr_expect_eq(rg_table_write(table, csv.text, NULL, &error), RG_OK);
    rg_table_destroy(table);
    cr_expect_null(rg_table_read(npz.text, NULL, &error));
    expect_refused(&error, "zlib");
    table = rg_table_read(csv.text, NULL, NULL);
    cr_expect_not_null(table);
    rg_table_destroy(table);
    folder_remove(&folder);
}

Test(record_plain, recordings)
{
    RgError error = {.status = RG_OK};
    cr_expect_null(rg_recording_open("/nowhere.mcap", &error));
    expect_refused(&error, "zlib");
    cr_expect_eq(rg_recording_check("/nowhere.mcap", &error), RG_ERR_UNSUPPORTED);
    expect_refused(&error, "jansson");
    cr_expect_eq(rg_recording_export("/nowhere.mcap", "/nowhere.csv", NULL, NULL, &error), RG_ERR_UNSUPPORTED);
    expect_refused(&error, "jansson");
}

/* Without LZ4 alone, chunks are written as they are, and those of others are refused. */
Test(record_plain, chunks)
{
    Folder folder = folder_make();
    FilePath path = folder_file(&folder, "a.mcap");
    static char data[1 << 16];
    unsigned char bytes[4000] = {0};
    memcpy(bytes + 2000, "needle", 6);
    RgArena arena;
    RgMcapWriter writer;
    rg_arena_init(&arena, NULL);
    FILE *file = fopen(path.text, "wb");
    cr_assert(rg_mcap_begin(&writer, file, NULL, &arena));
    RgMessage message = {.channel = 0, .data = bytes, .size = sizeof bytes};
    cr_expect(rg_mcap_add(&writer, &message) && rg_mcap_finish(&writer));
    rg_mcap_writer_free(&writer);
    fclose(file);
    rg_arena_free(&arena);
    size_t size = file_read(path.text, data, sizeof data);
    cr_assert(size > sizeof bytes && size < sizeof data);
    bool found = false, is_lz4 = false;
    for (size_t i = 0; i + sizeof bytes <= size; i++) {
        found = found || memcmp(data + i, bytes, sizeof bytes) == 0;
        is_lz4 = is_lz4 || memcmp(data + i, "\3\0\0\0lz4", 7) == 0;
    }
    cr_expect(found && !is_lz4);

    RgError error = {.status = RG_OK};
    RgRecording recording = {.path = "a.mcap"};
    cr_expect_eq(rg_mcap_check_compression(&recording, (RgSpan){NULL, 0}, &error), RG_OK);
    cr_expect_eq(rg_mcap_check_compression(&recording, (RgSpan){(const unsigned char *)"lz4", 3}, &error),
                 RG_ERR_UNSUPPORTED);
    cr_expect_not_null(strstr(error.text, "this librigor was built without"), "%s", error.text);
    folder_remove(&folder);
}
