/*
 * markdown.c - Markdown to HTML, the subset that the README files of experiments use.
 *
 * Works line by line. A block (paragraph, list, table, code) is open until a line that does not belong to it.
 */
#include "io/markdown.h"

#include <stdbool.h>
#include <string.h>

typedef enum Block { BLOCK_NONE, BLOCK_PARAGRAPH, BLOCK_LIST, BLOCK_TABLE, BLOCK_CODE } Block;

static const char *const block_open[] = {"", "<p>", "<ul>\n<li>", "<table>\n", "<pre>"};
static const char *const block_close[] = {"", "</p>\n", "</li>\n</ul>\n", "</table>\n", "</pre>\n"};

typedef struct Writer {
    FILE *out;
    Block block;
    int rows; /* of the open table */
} Writer;

static void put_char(FILE *out, char c)
{
    if (c == '<')
        fputs("&lt;", out);
    else if (c == '>')
        fputs("&gt;", out);
    else if (c == '&')
        fputs("&amp;", out);
    else if (c == '"')
        fputs("&quot;", out);
    else
        fputc(c, out);
}

static void put_bytes(FILE *out, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        put_char(out, text[i]);
}

void rg_html_text(FILE *out, const char *text)
{
    put_bytes(out, text, strlen(text));
}

/* ------------------------------------------------------------------ in a line */

/* The next `mark` before end; NULL: none. */
static const char *find(const char *at, const char *end, const char *mark)
{
    size_t n = strlen(mark);
    for (; at + n <= end; at++)
        if (memcmp(at, mark, n) == 0)
            return at;
    return NULL;
}

/* Puts the text between two marks into an element. Returns its end; NULL: there is no second mark. */
static const char *put_marked(FILE *out, const char *at, const char *end, const char *mark, const char *element)
{
    size_t n = strlen(mark);
    const char *stop = find(at + n, end, mark);
    if (!stop)
        return NULL;
    fprintf(out, "<%s>", element);
    put_bytes(out, at + n, (size_t)(stop - at) - n);
    fprintf(out, "</%s>", element);
    return stop + n;
}

/* [text](to): only the text, since the target is not part of the page. */
static const char *put_link(FILE *out, const char *at, const char *end)
{
    const char *middle = find(at, end, "]("), *stop = middle ? find(middle, end, ")") : NULL;
    if (!stop)
        return NULL;
    put_bytes(out, at + 1, (size_t)(middle - at) - 1);
    return stop + 1;
}

static void put_line(FILE *out, const char *at, const char *end)
{
    while (at < end) {
        const char *next = NULL;
        if (*at == '`')
            next = put_marked(out, at, end, "`", "code");
        else if (end - at > 2 && memcmp(at, "**", 2) == 0)
            next = put_marked(out, at, end, "**", "strong");
        else if (*at == '[')
            next = put_link(out, at, end);
        if (!next) {
            put_char(out, *at);
            next = at + 1;
        }
        at = next;
    }
}

/* ------------------------------------------------------------------ blocks */

static void open_block(Writer *w, Block block)
{
    if (w->block == block)
        return;
    fputs(block_close[w->block], w->out);
    fputs(block_open[block], w->out);
    w->block = block;
    w->rows = 0;
}

static bool is_rule(const char *at, const char *end)
{
    for (; at < end; at++)
        if (!strchr("|-: ", *at))
            return false;
    return true;
}

static void put_table_row(Writer *w, const char *at, const char *end)
{
    open_block(w, BLOCK_TABLE);
    if (is_rule(at, end))
        return;
    const char *element = w->rows++ == 0 ? "th" : "td";
    fputs("<tr>", w->out);
    for (at++; at < end;) {
        const char *stop = find(at, end, "|");
        stop = stop ? stop : end;
        fprintf(w->out, "<%s>", element);
        put_line(w->out, at, stop);
        fprintf(w->out, "</%s>", element);
        at = stop + 1;
    }
    fputs("</tr>\n", w->out);
}

static void put_heading(Writer *w, const char *at, const char *end)
{
    size_t level = strspn(at, "#");
    open_block(w, BLOCK_NONE);
    fprintf(w->out, "<h%zu>", level < 5 ? level + 1 : 6);
    at += level;
    put_line(w->out, at + (*at == ' '), end);
    fprintf(w->out, "</h%zu>\n", level < 5 ? level + 1 : 6);
}

static void put_item(Writer *w, const char *at, const char *end)
{
    if (w->block == BLOCK_LIST)
        fputs("</li>\n<li>", w->out);
    open_block(w, BLOCK_LIST);
    put_line(w->out, at + 2, end);
    fputc('\n', w->out);
}

static void put_block_line(Writer *w, const char *at, const char *end)
{
    bool fence = end - at >= 3 && memcmp(at, "```", 3) == 0;
    if (fence)
        open_block(w, w->block == BLOCK_CODE ? BLOCK_NONE : BLOCK_CODE);
    else if (w->block == BLOCK_CODE) {
        put_bytes(w->out, at, (size_t)(end - at));
        fputc('\n', w->out);
    } else if (at == end)
        open_block(w, BLOCK_NONE);
    else if (*at == '#')
        put_heading(w, at, end);
    else if (*at == '|')
        put_table_row(w, at, end);
    else if (end - at > 2 && (memcmp(at, "- ", 2) == 0 || memcmp(at, "* ", 2) == 0))
        put_item(w, at, end);
    else {
        open_block(w, w->block == BLOCK_LIST ? BLOCK_LIST : BLOCK_PARAGRAPH);
        put_line(w->out, at, end);
        fputc('\n', w->out);
    }
}

void rg_markdown_html(FILE *out, const char *text)
{
    Writer w = {.out = out};
    while (*text) {
        const char *end = text + strcspn(text, "\n");
        put_block_line(&w, text, end);
        text = end + (*end == '\n');
    }
    open_block(&w, BLOCK_NONE);
}
