/* number.h - numbers in text, the same in every locale. */
#ifndef RIGOR_NUMBER_H
#define RIGOR_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

typedef enum RgNumberResult {
    RG_NUMBER_OK,
    RG_NUMBER_NONE,      /* only white space was left */
    RG_NUMBER_GARBAGE,   /* the next word is no number */
    RG_NUMBER_NOT_FINITE /* nan, inf, or too large for a double */
} RgNumberResult;

/* A word of a text: where it starts and how long it is. */
typedef struct RgWord {
    const char *start;
    size_t length;
} RgWord;

/* The word at *text (words are parted by white space); moves *text behind it. Length 0: none left before end.
   */
RgWord rg_word_next(const char **text, const char *end);

/* Value of a whole word. nan and inf (any case, signed) give RG_NUMBER_NOT_FINITE, inf with *value infinite.
   */
RgNumberResult rg_word_number(RgWord word, double *value);

/* Reads up to count numbers from a terminated text. *found says how many were read; *bad is the word that
   stopped it. RG_NUMBER_GARBAGE also if words are left after count numbers. */
RgNumberResult rg_text_numbers(const char *text, int count, double *values, int *found, RgWord *bad);

/* Shortest of the texts with 15, 16, 17 digits that is read as the same double, with a point; inf, -inf. room: 32 at
   least. */
void rg_number_text(double value, char *text, size_t room);

#endif
