/* fuzz_markdown.c - any bytes as a text of Markdown: the HTML closes every element that it opens, and has no bare '<' of the
 * text. */
#define _POSIX_C_SOURCE 200809L
#include "io/markdown.h"
#include "io/pool.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
    rg_pool_free(&pool);
    return 0;
}
