/* problem_text.h - words and numbers of a problem file, with what was expected where one is missing. */
#ifndef RIGOR_PROBLEM_TEXT_H
#define RIGOR_PROBLEM_TEXT_H

#include "base/arena.h"
#include "base/number.h"

typedef struct RgProblemText {
    const char *file; /* for messages */
    const char *at, *end;
    int line;
    RgError *error; /* never NULL */
    bool failed;    /* the first failure is in error; all later reads give 0 */
} RgProblemText;

/* Fails at the present line with what is said. */
void rg_problem_text_fail(RgProblemText *text, RgStatus status, const char *format, ...) RG_PRINTF(3, 4);

/* The next word; length 0: the text is over. Moves on, counts lines. */
RgWord rg_problem_text_word(RgProblemText *text);

/* A word that must be there as it is. */
void rg_problem_text_expect(RgProblemText *text, const char *word);

/* A whole number between low and high; what names it in messages. */
int rg_problem_text_count(RgProblemText *text, const char *what, int low, int high);

/* count finite numbers. Fails before anything is read if the text is too short to hold them. */
void rg_problem_text_numbers(RgProblemText *text, const char *what, double *values, size_t count);

/* One number that may be infinite. */
double rg_problem_text_bound(RgProblemText *text, const char *what);

/* Whether so many numbers may be left in the text; fails if not. To be asked before memory is taken for them. */
bool rg_problem_text_holds(RgProblemText *text, const char *what, size_t count);

/* Zeroed memory for the numbers that follow: asks rg_problem_text_holds first. NULL: failed. */
double *rg_problem_text_take_numbers(RgProblemText *text, RgArena *arena, const char *what, size_t count);
int *rg_problem_text_take_counts(RgProblemText *text, RgArena *arena, const char *what, size_t count);

#endif
