/* test_status.c - status texts, errors and remarks. */
#include <criterion/criterion.h>

#include "base/status.h"

#include <string.h>

Test(status, every_code_has_its_own_text)
{
    for (int i = 0; i < RG_STATUS_COUNT; i++) {
        cr_expect_gt(strlen(rg_status_text((RgStatus)i)), 3);
        for (int k = 0; k < i; k++)
            cr_expect_str_neq(rg_status_text((RgStatus)i), rg_status_text((RgStatus)k));
    }
    cr_expect_str_eq(rg_status_text(RG_OK), "success");
    cr_expect_str_eq(rg_status_text(RG_STATUS_COUNT), "unknown status");
    cr_expect_str_eq(rg_status_text((RgStatus)-1), "unknown status");
}

Test(status, version_has_three_numbers)
{
    int dots = 0;
    for (const char *at = rg_version(); *at != '\0'; at++)
        dots += *at == '.';
    cr_expect_eq(dots, 2);
}

Test(status, an_error_is_filled_and_its_status_handed_on)
{
    RgError error;
    memset(&error, 0x55, sizeof error);
    cr_expect_eq(rg_fail(&error, RG_ERR_SYNTAX, "robot.urdf", 12, "expected %d numbers", 3), RG_ERR_SYNTAX);
    cr_expect_eq(error.status, RG_ERR_SYNTAX);
    cr_expect_eq(error.line, 12);
    cr_expect_eq(error.column, 0);
    cr_expect_str_eq(error.file, "robot.urdf");
    cr_expect_str_eq(error.text, "expected 3 numbers");
    cr_expect_eq(rg_fail(NULL, RG_ERR_MODEL, NULL, 0, "unheard"), RG_ERR_MODEL);
}

Test(status, long_texts_are_cut_and_of_long_paths_the_end_is_kept)
{
    char path[1000], text[2000];
    memset(path, 'd', sizeof path);
    memcpy(path + 990, "/arm.sdf", 9);
    memset(text, 't', sizeof text);
    text[1999] = '\0';
    RgError error;
    rg_fail(&error, RG_ERR_FILE, path, 1, "%s", text);
    cr_expect_eq(strlen(error.file), sizeof error.file - 1);
    cr_expect_str_eq(error.file + strlen(error.file) - 8, "/arm.sdf");
    cr_expect_eq(strlen(error.text), sizeof error.text - 1);

    /* A path that just fits. */
    path[255] = '\0';
    rg_fail(&error, RG_ERR_FILE, path, 1, "x");
    cr_expect_eq(strlen(error.file), 255);
}

Test(status, the_format_shows_the_parts_that_exist)
{
    char buffer[64];
    RgError error;
    rg_fail(&error, RG_ERR_SYNTAX, "a.yaml", 3, "bad indent");
    error.column = 7;
    rg_error_format(&error, buffer, sizeof buffer);
    cr_expect_str_eq(buffer, "a.yaml:3:7: bad indent");
    error.column = 0;
    rg_error_format(&error, buffer, sizeof buffer);
    cr_expect_str_eq(buffer, "a.yaml:3: bad indent");
    error.line = 0;
    rg_error_format(&error, buffer, sizeof buffer);
    cr_expect_str_eq(buffer, "a.yaml: bad indent");
    error.file[0] = '\0';
    rg_error_format(&error, buffer, sizeof buffer);
    cr_expect_str_eq(buffer, "bad indent");
    error.text[0] = '\0';
    rg_error_format(&error, buffer, sizeof buffer);
    cr_expect_str_eq(buffer, rg_status_text(RG_ERR_SYNTAX));

    /* A buffer too small is still terminated. */
    rg_error_format(&error, buffer, 4);
    cr_expect_eq(strlen(buffer), 3);
}

/* The last remark. */
typedef struct Heard {
    int count, line;
    char file[64], text[600];
} Heard;

static void hear(const char *file, int line, const char *text, void *context)
{
    Heard *heard = context;
    heard->count++;
    heard->line = line;
    strncpy(heard->file, file != NULL ? file : "none", sizeof heard->file - 1);
    strncpy(heard->text, text, sizeof heard->text - 1);
}

Test(status, remarks_reach_the_log_if_there_is_one)
{
    Heard heard = {0};
    RgLog log = {hear, &heard}, deaf = {NULL, NULL};
    rg_log(&log, "b.sdf", 9, "unknown tag <%s>", "wheel");
    cr_expect_eq(heard.count, 1);
    cr_expect_eq(heard.line, 9);
    cr_expect_str_eq(heard.file, "b.sdf");
    cr_expect_str_eq(heard.text, "unknown tag <wheel>");
    rg_log(&log, NULL, 0, "no place");
    cr_expect_str_eq(heard.file, "none");
    rg_log(NULL, "b.sdf", 9, "unheard");
    rg_log(&deaf, "b.sdf", 9, "unheard");
    cr_expect_eq(heard.count, 2);
}
