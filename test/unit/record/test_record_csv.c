/* test_record_csv.c - recordings as text. */
#define _DEFAULT_SOURCE

#include "record_files.h"
#include "rows.h"

#include <locale.h>
#include <math.h>

static const char header[] =
    "t,q:shoulder,\"q:a, \"\"b\"\"\",v:wrist[0],v:wrist[1],v:wrist[2],"
    "link:base:x,link:base:y,link:base:z,"
    "link:f\xc3\xbc\xc3\x9f \xf0\x9f\xa6\xbe \xff:x,link:f\xc3\xbc\xc3\x9f \xf0\x9f\xa6\xbe \xff:y,"
    "link:f\xc3\xbc\xc3\x9f \xf0\x9f\xa6\xbe \xff:z,"
    "link:base:qw,link:base:qx,link:base:qy,link:base:qz,"
    "link:f\xc3\xbc\xc3\x9f \xf0\x9f\xa6\xbe \xff:qw,link:f\xc3\xbc\xc3\x9f \xf0\x9f\xa6\xbe \xff:qx,"
    "link:f\xc3\xbc\xc3\x9f \xf0\x9f\xa6\xbe \xff:qy,link:f\xc3\xbc\xc3\x9f \xf0\x9f\xa6\xbe \xff:qz,"
    "energy:kinetic,energy:potential,contact:points,contact:work,contact:residual\n";

/* One line of names, quoted where they must be; every number comes back with the same bits. */
Test(record_csv, header_and_numbers)
{
    enum { ROWS = 50 };
    Folder folder = folder_make();
    FilePath path = folder_file(&folder, "run.csv");
    cr_assert_eq(rows_write(&rg_record_csv, path.text, ROWS, NULL), RG_OK);
    static char text[65536];
    file_read(path.text, text, sizeof text);
    cr_assert_eq(strncmp(text, header, strlen(header)), 0, "%s", text);
    char *at = text + strlen(header);
    for (int i = 0; i < ROWS; i++) {
        double row[ROWS_WIDTH];
        rows_fill(i, row);
        for (int j = 0; j < ROWS_WIDTH; j++) {
            double value = strtod(at, &at);
            cr_assert_eq(value, row[j], "row %d column %d", i, j);
            cr_assert_eq(*at++, j + 1 < ROWS_WIDTH ? ',' : '\n');
        }
    }
    cr_expect_eq(*at, '\0');
    cr_expect_eq(folder_count(&folder), 1);
    folder_remove(&folder);
}

/* Numbers of every shape, in one line each. */
static void expect_numbers(void)
{
    const double values[ROWS_WIDTH] = {0.1,       -0.0,        1e-310,      -1.5e300,     3.0,          1e17,
                                       INFINITY,  -INFINITY,   (double)NAN, -(double)NAN, 1e22,         0x1p-1074,
                                       1.0 / 3.0, -123456.789, 1e5,         1e-5,         0x1.fffp1023, 2.0,
                                       -2.5,      1e100,       7e-70,       0x1.0000001p0};
    Folder folder = folder_make();
    FilePath path = folder_file(&folder, "run.csv");
    RgArena arena;
    rg_arena_init(&arena, NULL);
    RgRecordLayout layout = rows_layout();
    void *writer = rg_record_csv.open(&(RgRecordSource){.layout = &layout}, path.text, &arena, NULL);
    cr_assert_not_null(writer);
    cr_expect_eq(rg_record_csv.add(writer, values, NULL), RG_OK);
    cr_expect_eq(rg_record_csv.finish(writer, true, NULL), RG_OK);
    static char text[4096];
    file_read(path.text, text, sizeof text);
    setlocale(LC_NUMERIC, "C");
    char *at = text + strlen(header);
    for (int j = 0; j < ROWS_WIDTH; j++) {
        double value = strtod(at, &at);
        cr_expect(isnan(values[j]) ? isnan(value) : value == values[j] && signbit(value) == signbit(values[j]),
                  "column %d: %.17g", j, value);
        cr_assert_eq(*at++, j + 1 < ROWS_WIDTH ? ',' : '\n');
    }
    rg_arena_free(&arena);
    folder_remove(&folder);
}

Test(record_csv, odd_numbers)
{
    expect_numbers();
}

/* Where the locale writes a decimal comma, a file still has points. */
Test(record_csv, the_point_is_a_point_in_every_locale)
{
    const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8", "ps_AF.UTF-8", "ps_AF.utf8"};
    int found = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (setlocale(LC_NUMERIC, names[i]) == NULL)
            continue;
        found++;
        expect_numbers();
    }
    if (found == 0)
        cr_skip_test("no locale with a decimal comma is installed");
}

Test(record_csv, full_disk_is_said)
{
    if (access("/dev/full", W_OK) != 0)
        cr_skip_test("there is no /dev/full");
    RgError error = {0};
    cr_expect_eq(rows_write(&rg_record_csv, "/dev/full", 1, &error), RG_ERR_FILE, "found when it is closed");
    cr_expect_not_null(strstr(error.text, "No space"), "%s", error.text);
    cr_expect_eq(rows_write(&rg_record_csv, "/dev/full", 1000, &error), RG_ERR_FILE, "found on the way");
    cr_expect_not_null(strstr(error.text, "No space"), "%s", error.text);
}
