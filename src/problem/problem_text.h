/* problem_text.h - reads words and numbers of a problem file; an error reports what was expected. */
#ifndef RIGOR_PROBLEM_TEXT_H
#define RIGOR_PROBLEM_TEXT_H

#include "base/arena.h"
#include "base/number.h"

typedef struct RgProblemText {
    const char *file; /* name for messages */
    const char *at, *end;
    int line;
    RgError *error; /* never NULL */
    bool failed;    /* the first failure is stored in error; all later reads give 0 */
} RgProblemText;

/* Fails at the current line with this message. */
void rg_problem_text_fail(RgProblemText *text, RgStatus status, const char *format, ...) RG_PRINTF(3, 4);

/* Reads the next word and counts lines. Length 0: end of the text. */
RgWord rg_problem_text_word(RgProblemText *text);

/* Reads a word that must be equal to `word`. */
void rg_problem_text_expect(RgProblemText *text, const char *word);

/* Reads a whole number from low to high; what: its name in messages. */
int rg_problem_text_count(RgProblemText *text, const char *what, int low, int high);

/* Reads count finite numbers. Fails before reading any if the text is too short for them. */
void rg_problem_text_numbers(RgProblemText *text, const char *what, double *values, size_t count);

/* Reads one number that may be infinite. */
double rg_problem_text_bound(RgProblemText *text, const char *what);

/* Whether the rest of the text is long enough for count numbers; fails if not. Call before memory is allocated for
   them. */
bool rg_problem_text_holds(RgProblemText *text, const char *what, size_t count);

/* Allocates zeroed memory for the numbers that follow, after rg_problem_text_holds. NULL: failed. */
double *rg_problem_text_alloc_numbers(RgProblemText *text, RgArena *arena, const char *what, size_t count);
int *rg_problem_text_alloc_counts(RgProblemText *text, RgArena *arena, const char *what, size_t count);

#endif
