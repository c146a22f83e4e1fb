/* csv_text.h - writing the fields of comma-separated text (RFC 4180). */
#ifndef RIGOR_CSV_TEXT_H
#define RIGOR_CSV_TEXT_H

#include <stdbool.h>
#include <stdio.h>

/* Whether a field needs quotes at any place in a line: it contains a comma, a quote or a line end. */
bool rg_csv_needs_quotes(const char *text);

/* Writes the text of a quoted field, without the outer quotes; quotes in it are doubled. */
void rg_csv_put_doubled(FILE *file, const char *text);

#endif
