/*
 * fuzz_csv_table.c - any bytes as a table of comma-separated values and as a text of Markdown: a table that is taken
 * has whole fields, one that is refused says why with its line; the HTML closes every element it opens and has no bare
 * '<' of the text.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/csv_table.h"
#include "io/markdown.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use_table(RgPool *pool, char *text)
{
    RgCsvTable table;
    const char *wrong = rg_csv_parse(pool, "t", text, &table);
    if (wrong != NULL && strncmp(wrong, "t:", 2) != 0)
        abort();
    int line = 0;
    for (int i = 0; i < table.nrows; i++) {
        const RgCsvRow *row = &table.rows[i];
        if (row->line <= line || row->nfields < 1 || row->nfields > RG_CSV_COLUMNS_MAX)
            abort();
        line = row->line;
        for (int k = 0; k < row->nfields; k++)
            if (strlen(row->fields[k]) > (size_t)1 << 20)
                abort();
    }
}

/* As many elements end as begin. */
static void use_markdown(const char *text)
{
    char *html = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&html, &length);
    if (out == NULL)
        return;
    rg_markdown_html(out, text);
    fclose(out);
    long open = 0;
    for (size_t i = 0; i < length; i++)
        if (html[i] == '<')
            open += html[i + 1] == '/' ? -1 : 1;
    if (open != 0)
        abort();
    free(html);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    RgPool pool = {NULL};
    char *text = rg_pool_take(&pool, size + 1, 1);
    if (size > 0)
        memcpy(text, data, size);
    use_markdown(text);
    use_table(&pool, text);
    rg_pool_free(&pool);
    return 0;
}
