/* test_csv_table.c - tables of comma-separated values: quotes, blanks, comments, lines of rows, and what is refused. */
#include "io/csv_table.h"

#include <criterion/criterion.h>
#include <string.h>

static const char *parse(RgPool *pool, const char *text, RgCsvTable *out)
{
    char *own = rg_pool_print(pool, "%s", text);
    return rg_csv_parse(pool, "table.csv", own, out);
}

static void is_field(const RgCsvTable *table, int row, int field, const char *text)
{
    cr_assert(row < table->nrows && field < table->rows[row].nfields);
    cr_expect(strcmp(table->rows[row].fields[field], text) == 0, "'%s', expected '%s'", table->rows[row].fields[field],
              text);
}

Test(csv_table, quotes_blanks_and_comments)
{
    RgPool pool = {NULL};
    RgCsvTable table;
    cr_assert_null(parse(
        &pool, "# a comment, \"open\n a , b,c\n\n\"1, 2\",\"say \"\"so\"\"\",\"two\nlines\"\r\n,,\nlast,row,", &table));
    cr_assert_eq(table.nrows, 4);
    is_field(&table, 0, 0, "a");
    is_field(&table, 0, 1, "b");
    is_field(&table, 0, 2, "c");
    is_field(&table, 1, 0, "1, 2");
    is_field(&table, 1, 1, "say \"so\"");
    is_field(&table, 1, 2, "two\nlines");
    is_field(&table, 2, 2, "");
    is_field(&table, 3, 2, "");
    cr_expect_eq(table.rows[1].line, 4);
    cr_expect_eq(table.rows[2].line, 6, "the row behind a field of two lines is in line 6, not %d", table.rows[2].line);
    rg_pool_free(&pool);
}

Test(csv_table, refusals_name_the_line)
{
    RgPool pool = {NULL};
    RgCsvTable table;
    cr_expect_not_null(strstr(parse(&pool, "a\n\"b", &table), "table.csv:2: a quote is not closed"));
    cr_expect_not_null(strstr(parse(&pool, "a\n\n\"b\" c", &table), "table.csv:3: expected a comma"));
    cr_expect_not_null(strstr(parse(&pool, "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", &table), "too many fields"));
    cr_expect_not_null(strstr(rg_csv_read(&pool, "/no/such/table.csv", &table), "cannot be read"));
    cr_expect_eq(table.nrows, 0);
    rg_pool_free(&pool);
}
