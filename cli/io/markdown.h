/* markdown.h - README files of the project as HTML. */
#ifndef RIGOR_MARKDOWN_H
#define RIGOR_MARKDOWN_H

#include <stdio.h>

/* Writes text with the characters escaped that have a meaning in HTML. */
void rg_html_text(FILE *out, const char *text);

/* Headings (one level lower, below those of the page), paragraphs, lists, tables, fenced code; in lines **strong**,
   `code`, and [links](to). Everything else is written unchanged. */
void rg_markdown_html(FILE *out, const char *text);

#endif
