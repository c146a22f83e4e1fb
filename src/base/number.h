/* number.h - conversion of numbers from and to text, independent of the locale. */
#ifndef RIGOR_NUMBER_H
#define RIGOR_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

typedef enum RgNumberResult {
    RG_NUMBER_OK,
    RG_NUMBER_NONE,      /* only white space was left */
    RG_NUMBER_GARBAGE,   /* the next word is not a number */
    RG_NUMBER_NOT_FINITE /* nan, inf, or too large for a double */
} RgNumberResult;

/* A word of a text: where it starts and how long it is. */
typedef struct RgWord {
    const char *start;
    size_t length;
} RgWord;

/* The next word of [*text, end), separated by white space; moves *text behind it. Length 0: none left. */
RgWord rg_word_next(const char **text, const char *end);

/* Value of a whole word. nan and inf (any case, signed) give RG_NUMBER_NOT_FINITE; for inf *value is infinite. */
RgNumberResult rg_word_number(RgWord word, double *value);

/* Reads up to count numbers from a terminated text. *found: how many were read; *bad: the word that stopped it.
   RG_NUMBER_GARBAGE also if words remain after count numbers. */
RgNumberResult rg_text_numbers(const char *text, int count, double *values, int *found, RgWord *bad);

/* Writes the shortest decimal of 15, 16 or 17 digits that reads back as the same double, with '.' as decimal point; or
   inf, -inf. room: at least 32 bytes. */
void rg_number_text(double value, char *text, size_t room);

#endif
