/* test_table.c - tables in memory, through files and back bit by bit, and by the side of numpy. */
#define _DEFAULT_SOURCE

#include <rigor/table.h>

#include "record_files.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Numbers whose digits are hard, and all bits of a generator. */
static double hard_number(int i)
{
    static const double few[] = {
        0.1, -0.0,      1.0 / 3.0,          DBL_MAX, DBL_MIN, 5e-324, 1e22, 123456789012345680.0, INFINITY, -INFINITY,
        NAN, 2.0 / 3.0, 9007199254740993.0, -1e-7,   1e300,   4.35};
    const int count = sizeof few / sizeof few[0];
    if (i < count)
        return few[i];
    uint64_t bits = 0x9e3779b97f4a7c15u * (uint64_t)(i + 1);
    bits ^= bits >> 29;
    bits *= 0xbf58476d1ce4e5b9u;
    double x;
    memcpy(&x, &bits, sizeof x);
    return isnan(x) ? (double)NAN : x;
}

static const char *const hard_texts[] = {
    "plain", "a,b", "say \"hi\"",       "two\nlines", " blank ", "#no comment", "", "f\xc3\xbc\xc3\x9f",
    "\t",    "\"",  "\xf0\x9f\xa6\xbe", "nan"};
enum { TEXTS = sizeof hard_texts / sizeof hard_texts[0], ROWS = 1000 };

static RgTable *hard_table(void)
{
    RgTable *table = rg_table_create(NULL);
    cr_assert_not_null(table);
    cr_assert_eq(rg_table_add_column(table, "text", true), 0);
    cr_assert_eq(rg_table_add_column(table, "x", false), 1);
    cr_assert_eq(rg_table_add_column(table, "a, \"b\" \xc3\xbc", false), 2);
    for (int i = 0; i < ROWS; i++) {
        cr_assert_eq(rg_table_add_row(table), i);
        cr_assert_eq(rg_table_set_text(table, i, 0, hard_texts[i % TEXTS]), RG_OK);
        cr_assert_eq(rg_table_set_number(table, i, 1, hard_number(i)), RG_OK);
        cr_assert_eq(rg_table_set_number(table, i, 2, i), RG_OK);
    }
    return table;
}

static void expect_same(const RgTable *a, const RgTable *b)
{
    cr_assert_eq(rg_table_columns(a), rg_table_columns(b));
    cr_assert_eq(rg_table_rows(a), rg_table_rows(b));
    for (int j = 0; j < rg_table_columns(a); j++) {
        cr_expect_str_eq(rg_table_column_name(a, j), rg_table_column_name(b, j));
        cr_expect_eq(rg_table_column_is_text(a, j), rg_table_column_is_text(b, j));
        for (int64_t i = 0; i < rg_table_rows(a); i++) {
            cr_expect_str_eq(rg_table_text(a, i, j), rg_table_text(b, i, j), "row %d", (int)i);
            cr_expect(same_bits(rg_table_number(a, i, j), rg_table_number(b, i, j)),
                      "row %d column %d: %.17g and %.17g", (int)i, j, rg_table_number(a, i, j),
                      rg_table_number(b, i, j));
        }
    }
}

static RgTable *read_or_die(const char *path)
{
    RgError error = {.status = RG_OK};
    RgTable *table = rg_table_read(path, NULL, &error);
    cr_assert_not_null(table, "%s:%d: %s", error.file, error.line, error.text);
    return table;
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    fputs(text, file);
    cr_assert_eq(fclose(file), 0);
}

Test(table, cells_are_what_they_were_set_to)
{
    RgTable *table = hard_table();
    cr_expect_eq(rg_table_find_column(table, "x"), 1);
    cr_expect_eq(rg_table_find_column(table, "y"), -1);
    cr_expect_eq(rg_table_add_column(table, "late", false), -1, "there are rows");
    cr_expect_eq(rg_table_set_number(table, 0, 0, 1.0), RG_ERR_ARGUMENT, "a text");
    cr_expect_eq(rg_table_set_text(table, 0, 1, "a"), RG_ERR_ARGUMENT, "a number");
    cr_expect_eq(rg_table_set_number(table, ROWS, 1, 1.0), RG_ERR_ARGUMENT);
    cr_expect_eq(rg_table_set_number(table, -1, 1, 1.0), RG_ERR_ARGUMENT);
    cr_expect_eq(rg_table_set_number(table, 0, 3, 1.0), RG_ERR_ARGUMENT);
    cr_expect(isnan(rg_table_number(table, 0, 0)) && isnan(rg_table_number(table, 0, -1)));
    cr_expect_str_eq(rg_table_text(table, 0, 1), "");
    cr_expect_str_eq(rg_table_column_name(table, 9), "");
    for (int i = 0; i < ROWS; i++) {
        cr_expect(same_bits(rg_table_number(table, i, 1), hard_number(i)));
        cr_expect_str_eq(rg_table_text(table, i, 0), hard_texts[i % TEXTS]);
    }
    rg_table_destroy(table);
}

Test(table, new_cells_are_empty_and_names_are_their_own)
{
    RgTable *table = rg_table_create(NULL);
    cr_expect_eq(rg_table_add_column(table, "a", false), 0);
    cr_expect_eq(rg_table_add_column(table, "a", true), -1);
    cr_expect_eq(rg_table_add_column(table, "", true), -1);
    cr_expect_eq(rg_table_add_column(table, NULL, true), -1);
    cr_expect_eq(rg_table_add_column(table, "b", true), 1);
    cr_expect_eq(rg_table_add_row(table), 0);
    cr_expect(isnan(rg_table_number(table, 0, 0)));
    cr_expect_str_eq(rg_table_text(table, 0, 1), "");
    cr_expect_eq(rg_table_set_text(table, 0, 1, "long"), RG_OK);
    cr_expect_eq(rg_table_set_text(table, 0, 1, NULL), RG_OK);
    cr_expect_str_eq(rg_table_text(table, 0, 1), "");
    rg_table_destroy(table);
    rg_table_destroy(NULL);
}

/* The file holds what the table holds, to the bit, and the same table gives the same bytes. */
Test(table, files_keep_every_bit)
{
    static const char *const names[] = {"a.csv", "b.csv", "a.npz", "b.npz"};
    static char bytes[4][1 << 17];
    size_t sizes[4];
    RgTable *table = hard_table();
    Folder folder = folder_make();
    for (int i = 0; i < 4; i++) {
        FilePath path = folder_file(&folder, names[i]);
        RgError error = {.status = RG_OK};
        cr_assert_eq(rg_table_write(table, path.text, NULL, &error), RG_OK, "%s", error.text);
        RgTable *back = read_or_die(path.text);
        expect_same(table, back);
        cr_assert_eq(rg_table_write(back, path.text, NULL, &error), RG_OK, "%s", error.text);
        rg_table_destroy(back);
        sizes[i] = file_read(path.text, bytes[i], sizeof bytes[i]);
        cr_expect_gt(sizes[i], 16u * ROWS);
    }
    for (int i = 0; i < 4; i += 2)
        cr_expect(sizes[i] == sizes[i + 1] && memcmp(bytes[i], bytes[i + 1], sizes[i]) == 0, "%s", names[i]);
    cr_expect_eq(folder_count(&folder), 4);
    folder_remove(&folder);
    rg_table_destroy(table);
}

Test(table, csv_of_others)
{
    Folder folder = folder_make();
    FilePath path = folder_file(&folder, "t.csv");
    write_file(path.text, "\xef\xbb\xbf# made by hand\r\n\r\n , n , word,\"two\r\nlines\"\r\n"
                          "1, 2.5 ,\"a \"\"b\"\"\",nan\r\n# in between\r\n2,, ,-INF\r\n3,1e400,7,+.5e1");
    RgTable *table = read_or_die(path.text);
    cr_expect_eq(rg_table_columns(table), 4);
    cr_expect_eq(rg_table_rows(table), 3);
    cr_expect_str_eq(rg_table_column_name(table, 0), "column_1");
    cr_expect_str_eq(rg_table_column_name(table, 3), "two\r\nlines");
    cr_expect(rg_table_column_is_text(table, 2) && !rg_table_column_is_text(table, 1));
    cr_expect_str_eq(rg_table_text(table, 0, 2), "a \"b\"");
    cr_expect_str_eq(rg_table_text(table, 1, 2), "");
    cr_expect_str_eq(rg_table_text(table, 2, 2), "7");
    cr_expect_eq(rg_table_number(table, 0, 1), 2.5);
    cr_expect(isnan(rg_table_number(table, 1, 1)) && isnan(rg_table_number(table, 0, 3)));
    cr_expect_eq(rg_table_number(table, 2, 1), (double)INFINITY);
    cr_expect_eq(rg_table_number(table, 1, 3), -(double)INFINITY);
    cr_expect_eq(rg_table_number(table, 2, 3), 5.0);
    rg_table_destroy(table);
    folder_remove(&folder);
}

/* One column whose cells are empty: no line may look like an empty one. */
Test(table, one_column_of_nothing)
{
    Folder folder = folder_make();
    FilePath path = folder_file(&folder, "t.csv");
    RgTable *table = rg_table_create(NULL);
    rg_table_add_column(table, "#", true);
    for (int i = 0; i < 3; i++)
        rg_table_add_row(table);
    cr_assert_eq(rg_table_set_text(table, 1, 0, "#x"), RG_OK);
    cr_assert_eq(rg_table_write(table, path.text, NULL, NULL), RG_OK);
    RgTable *back = read_or_die(path.text);
    expect_same(table, back);
    rg_table_destroy(back);
    rg_table_destroy(table);
    folder_remove(&folder);
}

Test(table, bad_csv_is_refused_with_its_line)
{
    static const struct {
        const char *text, *says;
        int line;
    } bad[] = {
        {"", "no line of column names", 1},
        {"# nothing\n\n", "no line of column names", 3},
        {"a,b\n1,2\n3\n", "expected 2 fields", 3},
        {"a,b\n1,2,3\n", "found at least 3", 2},
        {"a,b\n\"x\ny\",1\n\"open,2\n", "a quote is not closed", 4},
        {"a,b\n\"x\" y,1\n", "behind a closing quote", 2},
        {"\na,b,a\n", "two columns are called 'a'", 2},
        {",column_1\n", "two columns are called 'column_1'", 1},
    };
    Folder folder = folder_make();
    FilePath path = folder_file(&folder, "t.csv");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        RgError error = {.status = RG_OK};
        write_file(path.text, bad[i].text);
        cr_expect_null(rg_table_read(path.text, NULL, &error), "case %zu", i);
        cr_expect_eq(error.status, RG_ERR_SYNTAX);
        cr_expect_not_null(strstr(error.text, bad[i].says), "case %zu: %s", i, error.text);
        cr_expect_eq(error.line, bad[i].line, "case %zu: line %d", i, error.line);
        cr_expect_str_eq(error.file, path.text);
    }
    folder_remove(&folder);
}

Test(table, bad_calls_and_places_are_refused)
{
    RgError error = {.status = RG_OK};
    RgTable *table = rg_table_create(NULL);
    cr_expect_eq(rg_table_write(table, "/tmp/never.csv", NULL, &error), RG_ERR_ARGUMENT, "no columns");
    rg_table_add_column(table, "a", false);
    cr_expect_eq(rg_table_write(table, "/no/such/folder/t.csv", NULL, &error), RG_ERR_FILE);
    cr_expect_eq(rg_table_write(table, "/tmp/never.xls", NULL, &error), RG_ERR_UNSUPPORTED);
    cr_expect_not_null(strstr(error.text, "csv npz"), "%s", error.text);
    cr_expect_eq(rg_table_write(table, "/dev/null", "npz", &error), RG_ERR_FILE);
    cr_expect_eq(rg_table_write(table, "/dev/null", "csv", &error), RG_OK);
    cr_expect_eq(rg_table_write(table, "/dev/full", "csv", &error), RG_ERR_FILE);
    cr_expect_null(rg_table_read("/no/such/file.npz", NULL, &error));
    cr_expect_eq(error.status, RG_ERR_FILE);
    cr_expect_null(rg_table_read("/dev/zero", "csv", &error), "no regular file");
    cr_expect_null(rg_table_read(NULL, NULL, &error));
    rg_table_destroy(table);
}

/* ------------------------------------------------------------------ memory */

typedef struct Purse {
    int left, out; /* blocks that may still be taken; blocks that are out */
} Purse;

static void *purse_take(size_t bytes, void *context)
{
    Purse *purse = context;
    if (purse->left-- <= 0)
        return NULL;
    purse->out++;
    return malloc(bytes);
}

static void purse_give(void *block, void *context)
{
    Purse *purse = context;
    purse->out--;
    free(block);
}

/* Wherever memory ends, calls say so, the table stays whole, and all of it comes back. */
Test(table, memory_may_end_anywhere)
{
    bool done = false;
    for (int room = 0; !done; room++) {
        Purse purse = {.left = room};
        RgAllocator allocator = {purse_take, purse_give, &purse};
        RgTable *table = rg_table_create(&allocator);
        done =
            table != NULL && rg_table_add_column(table, "a", false) == 0 && rg_table_add_column(table, "b", true) == 1;
        for (int i = 0; i < 40 && done; i++)
            done = rg_table_add_row(table) == i && rg_table_set_number(table, i, 0, i) == RG_OK &&
                   rg_table_set_text(table, i, 1, "t") == RG_OK;
        for (int64_t i = 0; table != NULL && i + 1 < rg_table_rows(table); i++)
            cr_expect_eq(rg_table_number(table, i, 0), (double)i);
        rg_table_destroy(table);
        cr_expect_eq(purse.out, 0);
        cr_assert_lt(room, 1000);
    }
}

/* ------------------------------------------------------------------ numpy */

static const char numpy_reads[] =
    "import sys, csv, math, numpy as np\n"
    "z = np.load(sys.argv[1])\n"
    "assert z.files == ['text', 'x', 'a, \"b\" \\u00fc'], z.files\n"
    "assert z['x'].dtype == np.float64 and z['text'].dtype.kind == 'U' and z['x'].shape == z['text'].shape "
    "== (1000,)\n"
    "assert z['text'][7] == 'f\\u00fc\\u00df' and z['text'][10] == '\\U0001f9be' and z['text'][3] == "
    "'two\\nlines'\n"
    "assert z['x'][0] == 0.1 and math.copysign(1, z['x'][1]) == -1 and np.isnan(z['x'][10]) and z['x'][5] == "
    "5e-324\n"
    "rows = list(csv.reader(open(sys.argv[1][:-3] + 'csv', newline='', encoding='utf8')))\n"
    "assert rows[0] == z.files, rows[0]\n"
    "assert [r[0] for r in rows[1:]] == list(z['text'])\n"
    "x = np.array([float(r[1]) for r in rows[1:]])\n"
    "assert x.tobytes() == z['x'].tobytes()\n"
    "assert rows[1][1] == '0.1' and rows[16][1] == '4.35' and rows[11][1] == 'nan' and rows[10][1] == "
    "'-inf'\n"
    "from decimal import Decimal\n"
    "digits = lambda t: len(Decimal(t).normalize().as_tuple().digits)\n"
    "longer = [r[1] for r, v in zip(rows[1:], x) if np.isfinite(v) and abs(v) > 3e-308 and digits(r[1]) > "
    "digits(repr(float(v)))]\n"
    "assert not longer, longer\n";

Test(table, numpy_and_python_read_it)
{
    need_python("numpy");
    Folder folder = folder_make();
    FilePath npz = folder_file(&folder, "t.npz"), csv = folder_file(&folder, "t.csv");
    RgTable *table = hard_table();
    cr_assert_eq(rg_table_write(table, npz.text, NULL, NULL), RG_OK);
    cr_assert_eq(rg_table_write(table, csv.text, NULL, NULL), RG_OK);
    rg_table_destroy(table);
    cr_expect(python_run(numpy_reads, npz.text));
    folder_remove(&folder);
}

/* Every type, both orders, several dimensions; the archive packed or not. */
static const char numpy_writes[] =
    "import sys, numpy as np\n"
    "a = dict(f8=np.array([1/3, np.nan, -np.inf]), f4=np.array([0.1, 2, 3], 'f4'), i8=np.array([-2**62, 5, "
    "2**53]),\n"
    "  i4=np.array([-7, 0, 7], 'i4'), i2=np.array([-300, 0, 1], 'i2'), u1=np.array([255, 0, 1], 'u1'),\n"
    "  u8=np.array([2**63, 0, 1], 'u8'), flag=np.array([True, False, True]), word=np.array(['', "
    "'f\\u00fc\\u00df', 'x' * 70]),\n"
    "  raw=np.array([b'ab', b'', b'c']), scalar=5.0, one=np.array('text'), c=np.arange(6.).reshape(3, 2),\n"
    "  f=np.asfortranarray(np.arange(6).reshape(3, 2)), d=np.asfortranarray(np.arange(12.).reshape(3, 2, "
    "2)),\n"
    "  none=np.zeros((3, 0)), g=np.arange(6.).reshape(3, 2), g_names=np.array(['left', 'right']))\n"
    "np.savez(sys.argv[1] + '/plain.npz', **a)\n"
    "np.savez_compressed(sys.argv[1] + '/packed.npz', **a)\n";

Test(table, it_reads_what_numpy_writes)
{
    need_python("numpy");
    Folder folder = folder_make();
    cr_assert(python_run(numpy_writes, folder.path));
    for (int i = 0; i < 2; i++) {
        FilePath path = folder_file(&folder, i == 0 ? "plain.npz" : "packed.npz");
        RgTable *t = read_or_die(path.text);
        cr_expect_eq(rg_table_rows(t), 3);
        static const struct {
            const char *column;
            double values[3];
        } numbers[] = {{"f8", {1.0 / 3.0, NAN, -INFINITY}}, {"f4", {0.1f, 2.0, 3.0}},
                       {"i8", {-0x1p62, 5.0, 0x1p53}},      {"i4", {-7.0, 0.0, 7.0}},
                       {"i2", {-300.0, 0.0, 1.0}},          {"u1", {255.0, 0.0, 1.0}},
                       {"u8", {0x1p63, 0.0, 1.0}},          {"flag", {1.0, 0.0, 1.0}},
                       {"c[0]", {0.0, 2.0, 4.0}},           {"c[1]", {1.0, 3.0, 5.0}},
                       {"f[1]", {1.0, 3.0, 5.0}},           {"d[0][1]", {1.0, 5.0, 9.0}},
                       {"d[1][0]", {2.0, 6.0, 10.0}},       {"g:left", {0.0, 2.0, 4.0}},
                       {"g:right", {1.0, 3.0, 5.0}}};
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
            for (int row = 0; row < 3; row++) {
                int column = rg_table_find_column(t, numbers[k].column);
                double x = rg_table_number(t, row, column);
                cr_expect(same_bits(x, numbers[k].values[row]), "%s %d: %g", numbers[k].column, row, x);
            }
        cr_expect_eq(rg_table_columns(t), 20);
        cr_expect_str_eq(rg_table_text(t, 1, rg_table_find_column(t, "word")), "f\xc3\xbc\xc3\x9f");
        cr_expect_eq(strlen(rg_table_text(t, 2, rg_table_find_column(t, "word"))), 70u);
        cr_expect_str_eq(rg_table_text(t, 0, rg_table_find_column(t, "raw")), "ab");
        rg_table_destroy(t);
    }
    folder_remove(&folder);
}

static const char numpy_bad[] = "import sys, zipfile, numpy as np\n"
                                "p = sys.argv[1] + '/'\n"
                                "np.savez(p + 'length.npz', a=np.zeros(3), b=np.zeros(4))\n"
                                "np.savez(p + 'object.npz', a=np.array([None, 1]))\n"
                                "np.savez(p + 'big.npz', a=np.zeros(3, '>f8'))\n"
                                "np.savez(p + 'complex.npz', a=np.zeros(3, 'c16'))\n"
                                "np.savez(p + 'record.npz', a=np.zeros(3, [('x', 'f8')]))\n"
                                "np.savez(p + 'deep.npz', a=np.zeros((3, 1, 1, 1)))\n"
                                "np.savez(p + 'scalar.npz', a=1.0)\n"
                                "np.savez(p + 'wide.npz', a=np.zeros((1, 65537), 'u1'))\n"
                                "open(p + 'text.npz', 'w').write('a,b\\n1,2\\n')\n"
                                "np.savez(p + 'whole.npz', a=np.arange(100.))\n"
                                "b = bytearray(open(p + 'whole.npz', 'rb').read())\n"
                                "b[300] ^= 1\n"
                                "open(p + 'crc.npz', 'wb').write(b)\n"
                                "z = zipfile.ZipFile(p + 'bzip.npz', 'w', zipfile.ZIP_BZIP2)\n"
                                "z.writestr('a.npy', b'x' * 1000)\n"
                                "z.close()\n"
                                "z = zipfile.ZipFile(p + 'noarray.npz', 'w')\n"
                                "z.writestr('a.npy', b'x' * 1000)\n"
                                "z.close()\n";

Test(table, bad_npz_is_refused)
{
    need_python("numpy");
    static const struct {
        const char *name, *says;
    } bad[] = {{"length.npz", "'a' has 3 rows, 'b' 4"},
               {"object.npz", "'|O'"},
               {"big.npz", "'>f8'"},
               {"complex.npz", "'<c16'"},
               {"record.npz", "several fields"},
               {"deep.npz", "more than three dimensions"},
               {"scalar.npz", "no array"},
               {"wide.npz", "more than 65536 columns"},
               {"text.npz", "no ZIP archive"},
               {"crc.npz", "checksum"},
               {"bzip.npz", "deflate"},
               {"noarray.npz", "no array of numpy"}};
    Folder folder = folder_make();
    cr_assert(python_run(numpy_bad, folder.path));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        RgError error = {.status = RG_OK};
        FilePath path = folder_file(&folder, bad[i].name);
        cr_expect_null(rg_table_read(path.text, NULL, &error), "%s", bad[i].name);
        cr_expect_not_null(strstr(error.text, bad[i].says), "%s: %s", bad[i].name, error.text);
        cr_expect_str_eq(error.file, path.text);
    }
    folder_remove(&folder);
}
