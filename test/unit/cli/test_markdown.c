/* test_markdown.c - the project's texts as HTML, block by block. */
#define _POSIX_C_SOURCE 200809L
#include "io/markdown.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void becomes(const char *text, const char *html)
{
    char *got = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&got, &size);
    cr_assert_not_null(out);
    rg_markdown_html(out, text);
    fclose(out);
    cr_expect_str_eq(got, html);
    free(got);
}

Test(markdown, blocks)
{
    becomes("# Title\ntext\nof two lines\n\nand more",
            "<h2>Title</h2>\n<p>text\nof two lines\n</p>\n<p>and more\n</p>\n");
    becomes("- one\n  goes on\n- two\n", "<ul>\n<li>one\n  goes on\n</li>\n<li>two\n</li>\n</ul>\n");
    becomes("| a | b |\n|---|---|\n| 1 | 2 |\n",
            "<table>\n<tr><th> a </th><th> b </th></tr>\n<tr><td> 1 </td><td> 2 </td></tr>\n</table>\n");
    becomes("```\n# not a title <b>\n```\nend", "<pre># not a title &lt;b&gt;\n</pre>\n<p>end\n</p>\n");
}

Test(markdown, in_a_line)
{
    becomes("**strong** and `code < 1`, [text](there)",
            "<p><strong>strong</strong> and <code>code &lt; 1</code>, text\n</p>\n");
    becomes("2 * 3 ** 4 [open `too", "<p>2 * 3 ** 4 [open `too\n</p>\n");
    becomes("<script>\"&\"", "<p>&lt;script&gt;&quot;&amp;&quot;\n</p>\n");
}
