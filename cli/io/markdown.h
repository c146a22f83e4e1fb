/* markdown.h - texts of the project (README files) as HTML. */
#ifndef RIGOR_MARKDOWN_H
#define RIGOR_MARKDOWN_H

#include <stdio.h>

/* Text as it is, with what HTML would take for its own written otherwise. */
void rg_html_text(FILE *out, const char *text);

/* Headings (one level lower, as the page has its own), paragraphs, lists, tables, fenced code; in lines **strong**,
   `code`, and [links](to). What is anything else stays as it is written. */
void rg_markdown_html(FILE *out, const char *text);

#endif
