/* test_output_file.c - a file has its name only when it is whole. */
#define _DEFAULT_SOURCE

#include "base/output_file.h"

#include "record_files.h"

#include <sys/stat.h>

static bool exists(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0;
}

Test(output_file, appears_when_closed_and_replaces_the_old)
{
    Folder folder = folder_make();
    FilePath path = folder_file(&folder, "out.txt");
    RgArena arena;
    rg_arena_init(&arena, NULL);
    for (int i = 0; i < 2; i++) {
        RgOutputFile output;
        cr_assert_eq(rg_output_open(&output, path.text, &arena, NULL), RG_OK);
        fprintf(output.file, "text %d", i);
        cr_expect_eq(exists(path.text), i > 0, "before it is whole");
        cr_expect_eq(rg_output_close(&output, true, NULL), RG_OK);
        char text[16];
        file_read(path.text, text, sizeof text);
        cr_expect_str_eq(text, i == 0 ? "text 0" : "text 1");
        cr_expect_eq(rg_output_close(&output, true, NULL), RG_OK, "a second close does nothing");
    }
    cr_expect_eq(folder_count(&folder), 1);
    rg_arena_free(&arena);
    folder_remove(&folder);
}

Test(output_file, unwanted_leaves_nothing)
{
    Folder folder = folder_make();
    FilePath path = folder_file(&folder, "out.txt");
    RgArena arena;
    rg_arena_init(&arena, NULL);
    RgOutputFile output;
    cr_assert_eq(rg_output_open(&output, path.text, &arena, NULL), RG_OK);
    fputs("half", output.file);
    cr_expect_eq(rg_output_close(&output, false, NULL), RG_OK);
    FILE *scratch = rg_output_scratch(path.text, &arena, NULL);
    cr_assert_not_null(scratch);
    cr_expect_eq(folder_count(&folder), 0, "the scratch file has no name");
    fclose(scratch);
    rg_arena_free(&arena);
    folder_remove(&folder);
}

/* Rights as the mask leaves them, not those of a private temporary file. */
Test(output_file, has_the_users_rights)
{
    Folder folder = folder_make();
    FilePath path = folder_file(&folder, "out.txt");
    RgArena arena;
    rg_arena_init(&arena, NULL);
    umask(027);
    RgOutputFile output;
    cr_assert_eq(rg_output_open(&output, path.text, &arena, NULL), RG_OK);
    cr_expect_eq(rg_output_close(&output, true, NULL), RG_OK);
    struct stat about;
    cr_assert_eq(stat(path.text, &about), 0);
    cr_expect_eq(about.st_mode & 0777, 0640);
    rg_arena_free(&arena);
    folder_remove(&folder);
}

Test(output_file, bad_paths_are_refused_with_a_reason)
{
    Folder folder = folder_make();
    FilePath nowhere = folder_file(&folder, "no/such/out.txt");
    RgArena arena;
    rg_arena_init(&arena, NULL);
    RgOutputFile output;
    RgError error = {0};
    cr_expect_eq(rg_output_open(&output, nowhere.text, &arena, &error), RG_ERR_FILE);
    cr_expect_str_eq(error.file, nowhere.text);
    cr_expect_not_null(strstr(error.text, "No such file"), "%s", error.text);
    cr_expect_null(output.file);
    cr_expect_null(rg_output_scratch(nowhere.text, &arena, &error));
    cr_expect_eq(rg_output_open(&output, folder.path, &arena, &error), RG_ERR_FILE);
    cr_expect_not_null(strstr(error.text, "directory"), "%s", error.text);
    rg_arena_free(&arena);
    folder_remove(&folder);
}

/* A device is written where it is, never replaced; what it cannot take is said. */
Test(output_file, devices_are_written_directly)
{
    if (!exists("/dev/full"))
        cr_skip_test("there is no /dev/full");
    RgArena arena;
    rg_arena_init(&arena, NULL);
    RgOutputFile output;
    RgError error = {0};
    cr_assert_eq(rg_output_open(&output, "/dev/full", &arena, NULL), RG_OK);
    fputs("text", output.file);
    cr_expect_eq(rg_output_close(&output, true, &error), RG_ERR_FILE);
    cr_expect_not_null(strstr(error.text, "No space"), "%s", error.text);
    struct stat about;
    cr_assert_eq(stat("/dev/full", &about), 0);
    cr_expect(S_ISCHR(about.st_mode));
    rg_arena_free(&arena);
}
