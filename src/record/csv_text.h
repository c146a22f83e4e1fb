/* csv_text.h - fields of comma-separated text (RFC 4180) as they are written. */
#ifndef RIGOR_CSV_TEXT_H
#define RIGOR_CSV_TEXT_H

#include <stdbool.h>
#include <stdio.h>

/* Whether a field must stand in quotes wherever it is: it holds a comma, a quote or a line end. */
bool rg_csv_needs_quotes(const char *text);

/* The text as it stands between quotes: those in it are doubled. */
void rg_csv_put_doubled(FILE *file, const char *text);

#endif
