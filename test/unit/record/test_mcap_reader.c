/* test_mcap_reader.c - what the writer writes, the reader reads: whole, cut, damaged, without index. */
#define _DEFAULT_SOURCE

#include "record/mcap_writer.h"

#include "record_files.h"

#include <rigor/record.h>

enum { MESSAGES = 3000 };

/* Message i: its channel, time and bytes follow from its number. */
static RgMessage message_of(int i, unsigned char *data)
{
    size_t size = (size_t)(i * 37 % 500);
    for (size_t k = 0; k < size; k++)
        data[k] = (unsigned char)(i + (int)(k / 8));
    return (RgMessage){
        .channel = i * i % rg_channel_count(), .time = (uint64_t)i * 10000000u, .data = data, .size = size};
}

/* Messages 0 ... count - 1 to a file. */
static void write_file(const char *path, int count, bool indexed)
{
    RgArena arena;
    RgMcapWriter writer;
    unsigned char data[512];
    rg_arena_init(&arena, NULL);
    FILE *file = fopen(path, "wb"), *indexes = indexed ? tmpfile() : NULL;
    cr_assert(rg_mcap_begin(&writer, file, indexes, &arena));
    for (int i = 0; i < count; i++) {
        RgMessage message = message_of(i, data);
        cr_assert(rg_mcap_add(&writer, &message));
    }
    cr_assert(rg_mcap_finish(&writer));
    rg_mcap_writer_free(&writer);
    fclose(file);
    if (indexes != NULL)
        fclose(indexes);
    rg_arena_free(&arena);
}

/* Reads on: messages from number first; how many there are. */
static int read_on(RgRecording *recording, int first)
{
    unsigned char data[512];
    RgError error = {0};
    int i = first;
    for (;; i++) {
        RgMessage got, expected = message_of(i, data);
        cr_assert_eq(rg_recording_next(recording, &got, &error), RG_OK, "%s", error.text);
        if (got.data == NULL)
            return i - first;
        cr_assert_eq(got.time, expected.time, "message %d", i);
        cr_assert_eq(got.size, expected.size);
        cr_assert(memcmp(got.data, data, got.size) == 0);
        RgRecordedChannel channel = rg_recording_channel(recording, got.channel);
        cr_assert_str_eq(channel.topic, rg_channel(expected.channel).topic);
        cr_assert_str_eq(channel.schema_name, rg_channel(expected.channel).schema_name);
        cr_assert_eq(channel.schema_size, strlen(rg_channel(expected.channel).schema));
    }
}

static RgRecording *open_file(const char *path)
{
    RgError error = {0};
    RgRecording *recording = rg_recording_open(path, &error);
    cr_assert_not_null(recording, "%s", error.text);
    return recording;
}

Test(mcap_reader, with_and_without_index)
{
    Folder folder = folder_make();
    FilePath path = folder_file(&folder, "a.mcap");
    for (int indexed = 0; indexed < 2; indexed++) {
        write_file(path.text, MESSAGES, indexed);
        RgRecording *recording = open_file(path.text);
        RgRecordingInfo info = rg_recording_info(recording);
        cr_expect(info.has_index == (indexed == 1) && info.is_whole);
        cr_expect_gt(info.chunks, 20, "a chunk lasts a second: %d", info.chunks);
        cr_expect(info.first == 0 && info.last == (MESSAGES - 1) * UINT64_C(10000000));
        cr_expect_eq(read_on(recording, 0), MESSAGES);

        /* From the middle on, from before the first, from behind the last. */
        rg_recording_seek(recording, UINT64_C(10000000) * 1234 - 5);
        cr_expect_eq(read_on(recording, 1234), MESSAGES - 1234);
        rg_recording_seek(recording, 0);
        cr_expect_eq(read_on(recording, 0), MESSAGES);
        rg_recording_seek(recording, UINT64_MAX);
        cr_expect_eq(read_on(recording, 0), 0);
        rg_recording_close(recording);
    }
    folder_remove(&folder);
}

Test(mcap_reader, no_messages)
{
    Folder folder = folder_make();
    FilePath path = folder_file(&folder, "a.mcap");
    write_file(path.text, 0, true);
    RgRecording *recording = open_file(path.text);
    cr_expect_eq(read_on(recording, 0), 0);
    cr_expect_eq(rg_recording_info(recording).channels, rg_channel_count());
    cr_expect_eq(rg_recording_find_channel(recording, "/tf"), rg_channel_find("/tf"));
    cr_expect_eq(rg_recording_find_channel(recording, "/nothing"), -1);
    rg_recording_close(recording);
    folder_remove(&folder);
}

static void write_bytes(const char *path, const char *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(data, 1, size, file), size);
    fclose(file);
}

/* Cut anywhere, the beginning is read; the longer the file, the more of it. */
Test(mcap_reader, cut_files)
{
    static char data[1 << 20];
    Folder folder = folder_make();
    FilePath whole = folder_file(&folder, "a.mcap"), cut = folder_file(&folder, "b.mcap");
    write_file(whole.text, 400, true);
    size_t size = file_read(whole.text, data, sizeof data);
    cr_assert_lt(size, sizeof data);
    int most = 0;
    for (size_t end = 8; end < size; end += 1 + end % 211) {
        write_bytes(cut.text, data, end);
        RgRecording *recording = open_file(cut.text);
        cr_expect_not(rg_recording_info(recording).is_whole);
        int count = read_on(recording, 0);
        cr_expect_geq(count, most, "%zu bytes", end);
        most = count;
        rg_recording_close(recording);
    }
    cr_expect_gt(most, 300);
    folder_remove(&folder);
}

/* Zeros from anywhere on, as a power cut leaves them: the beginning is read, the longer the more of it. */
Test(mcap_reader, zeros_at_the_end)
{
    static char data[1 << 20], zeroed[1 << 20];
    Folder folder = folder_make();
    FilePath whole = folder_file(&folder, "a.mcap"), cut = folder_file(&folder, "b.mcap");
    write_file(whole.text, 400, true);
    size_t size = file_read(whole.text, data, sizeof data);
    cr_assert_lt(size + 9000, sizeof data);
    int most = 0;
    for (size_t end = 8; end + 8 < size; end += 1 + end % 97) {
        memset(zeroed, 0, sizeof zeroed);
        memcpy(zeroed, data, end);
        write_bytes(cut.text, zeroed, end % 3 == 0 ? size : end % 3 == 1 ? end + 9000 : size + 4096 - size % 4096);
        RgRecording *recording = open_file(cut.text);
        cr_expect_not(rg_recording_info(recording).is_whole);
        int count = read_on(recording, 0);
        cr_expect_geq(count, most, "%zu bytes", end);
        most = count;
        rg_recording_close(recording);
    }
    cr_expect_eq(most, 400);

    /* Zeros that are followed by something are damage. */
    memcpy(zeroed, data, size);
    memset(zeroed + size / 2, 0, 3000);
    write_bytes(cut.text, zeroed, size - 20);
    RgError error = {0};
    RgRecording *recording = rg_recording_open(cut.text, &error);
    RgMessage got = {.data = ""};
    RgStatus status = recording != NULL ? RG_OK : error.status;
    while (status == RG_OK && got.data != NULL)
        status = rg_recording_next(recording, &got, &error);
    cr_expect(status == RG_ERR_SYNTAX && strstr(error.text, "damaged at byte") != NULL, "%s", error.text);
    rg_recording_close(recording);
    folder_remove(&folder);
}

/* A byte changed anywhere: what is read is right, or a message says that it is not. */
Test(mcap_reader, damaged_files)
{
    static char data[1 << 20];
    unsigned char bytes[512];
    Folder folder = folder_make();
    FilePath whole = folder_file(&folder, "a.mcap"), wrong = folder_file(&folder, "b.mcap");
    write_file(whole.text, 120, true);
    size_t size = file_read(whole.text, data, sizeof data), chunks = 8;
    while (data[chunks] != 6)
        chunks += 9 + (size_t)rg_read_uint((const unsigned char *)data + chunks + 1, 8);

    /* From the first chunk's content on: what stands before has no checksum. */
    for (size_t i = chunks + 49; i < size; i += 1 + i % 13) {
        RgError error = {0};
        data[i] ^= 0x10;
        write_bytes(wrong.text, data, size);
        data[i] ^= 0x10;
        RgRecording *recording = rg_recording_open(wrong.text, &error);
        cr_expect(recording != NULL || error.text[0] != '\0');
        RgMessage got = {.data = ""};
        for (int failures = 0; recording != NULL && got.data != NULL && failures < 10;) {
            if (rg_recording_next(recording, &got, &error) != RG_OK) {
                cr_expect_neq(error.text[0], '\0');
                got.data = "";
                failures++;
            } else if (got.data != NULL) {
                RgMessage expected = message_of((int)(got.time / 10000000u), bytes);
                cr_assert(got.size == expected.size && memcmp(got.data, bytes, got.size) == 0, "byte %zu", i);
            }
        }
        rg_recording_close(recording);
    }
    folder_remove(&folder);
}

Test(mcap_reader, after_a_damaged_chunk_it_goes_on)
{
    static char data[1 << 20];
    Folder folder = folder_make();
    FilePath path = folder_file(&folder, "a.mcap");
    write_file(path.text, 400, true);
    size_t size = file_read(path.text, data, sizeof data);
    data[size / 2] ^= 1;
    write_bytes(path.text, data, size);
    RgRecording *recording = open_file(path.text);
    int failures = 0, messages = 0;
    for (RgMessage got = {.data = ""}; got.data != NULL;) {
        RgError error = {0};
        bool good = rg_recording_next(recording, &got, &error) == RG_OK;
        failures += !good;
        messages += good && got.data != NULL;
        if (!good) {
            cr_expect_not_null(strstr(error.text, "damaged at byte"));
            got.data = "";
        }
    }
    cr_expect_eq(failures, 1);
    cr_expect(messages > 200 && messages < 400);
    rg_recording_close(recording);
    folder_remove(&folder);
}

Test(mcap_reader, files_that_are_none)
{
    Folder folder = folder_make();
    FilePath path = folder_file(&folder, "a");
    const char *const contents[] = {"", "\x89MCAP", "PK\x03\x04 something else", "\x89MCAP0\r\r and more"};
    for (size_t i = 0; i < sizeof contents / sizeof contents[0]; i++) {
        RgError error = {0};
        write_bytes(path.text, contents[i], strlen(contents[i]));
        cr_expect_null(rg_recording_open(path.text, &error));
        cr_expect(error.status == RG_ERR_SYNTAX && strcmp(error.file, path.text) == 0 &&
                      strstr(error.text, "MCAP recording") != NULL,
                  "%s", error.text);
        cr_expect_eq(rg_recording_check(path.text, &error), RG_ERR_SYNTAX);
    }
    cr_expect_null(rg_recording_open("/nowhere/at/all", NULL));
    folder_remove(&folder);
}
