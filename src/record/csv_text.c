/* csv_text.c - writing the fields of comma-separated text (RFC 4180). */
#include "record/csv_text.h"

#include <string.h>

bool rg_csv_needs_quotes(const char *text)
{
    return strpbrk(text, ",\"\r\n") != NULL;
}

void rg_csv_put_doubled(FILE *file, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '"')
            putc('"', file);
        putc(*text, file);
    }
}
