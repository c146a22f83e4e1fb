/*
 * problem_text.c - words and numbers of a problem file.
 *
 * A text of b bytes holds at most (b + 1) / 2 numbers; a header that announces more is rejected before memory is
 * allocated. Numbers that are NaN or infinite are rejected, except infinite bounds. After the first failure all reads
 * give 0, so readers need not check after each word.
 */
#include "problem/problem_text.h"

#include "base/status.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Characters of an unexpected word that a message shows. */
enum { SHOWN_CHARACTERS = 40 };

void rg_problem_text_fail(RgProblemText *t, RgStatus status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!t->failed)
        rg_fail_list(t->error, status, t->file, t->line, format, arguments);
    va_end(arguments);
    t->failed = true;
}

RgWord rg_problem_text_word(RgProblemText *t)
{
    const char *from = t->at;
    RgWord word = rg_word_next(&t->at, t->end);
    for (const char *c = from; c < word.start; c++)
        t->line += *c == '\n';
    return word;
}

/* Reads the next word as a number. False: failed. */
static bool next_number(RgProblemText *t, const char *what, bool may_be_infinite, double *value)
{
    *value = 0.0;
    if (t->failed)
        return false;
    RgWord word = rg_problem_text_word(t);
    RgNumberResult result = rg_word_number(word, value);
    if (result == RG_NUMBER_OK || (may_be_infinite && result == RG_NUMBER_NOT_FINITE && isinf(*value)))
        return true;
    *value = 0.0;
    if (result == RG_NUMBER_NONE)
        rg_problem_text_fail(t, RG_ERR_SYNTAX, "expected %s, found the end of the file", what);
    else if (result == RG_NUMBER_NOT_FINITE)
        rg_problem_text_fail(t, RG_ERR_NOT_FINITE, "%s: '%.*s' is not finite", what,
                             (int)(word.length < SHOWN_CHARACTERS ? word.length : SHOWN_CHARACTERS), word.start);
    else
        rg_problem_text_fail(t, RG_ERR_SYNTAX, "expected %s, found '%.*s'", what,
                             (int)(word.length < SHOWN_CHARACTERS ? word.length : SHOWN_CHARACTERS), word.start);
    return false;
}

void rg_problem_text_expect(RgProblemText *t, const char *wanted)
{
    RgWord word = rg_problem_text_word(t);
    if (word.length != strlen(wanted) || memcmp(word.start, wanted, word.length) != 0)
        rg_problem_text_fail(t, RG_ERR_SYNTAX, "expected '%s', found '%.*s'", wanted,
                             (int)(word.length < SHOWN_CHARACTERS ? word.length : SHOWN_CHARACTERS), word.start);
}

int rg_problem_text_count(RgProblemText *t, const char *what, int low, int high)
{
    double value;
    if (!next_number(t, what, false, &value))
        return 0;
    if (value != floor(value) || value < low || value > high) {
        rg_problem_text_fail(t, RG_ERR_SYNTAX, "%s: expected a whole number from %d to %d, found %.17g", what, low,
                             high, value);
        return 0;
    }
    return (int)value;
}

bool rg_problem_text_holds(RgProblemText *t, const char *what, size_t count)
{
    size_t bytes = (size_t)(t->end - t->at);
    if (count > bytes / 2 + 1)
        rg_problem_text_fail(t, RG_ERR_SYNTAX, "%s: %zu numbers are promised, the %zu bytes left cannot hold them",
                             what, count, bytes);
    return !t->failed;
}

void rg_problem_text_numbers(RgProblemText *t, const char *what, double *values, size_t count)
{
    if (!rg_problem_text_holds(t, what, count))
        return;
    for (size_t i = 0; i < count && !t->failed; i++)
        next_number(t, what, false, &values[i]);
}

double rg_problem_text_bound(RgProblemText *t, const char *what)
{
    double value;
    next_number(t, what, true, &value);
    return value;
}

static void *alloc_checked(RgProblemText *t, RgArena *arena, const char *what, size_t count, size_t size)
{
    if (!rg_problem_text_holds(t, what, count))
        return NULL;
    void *memory = rg_arena_alloc(arena, count, size);
    if (memory == NULL)
        rg_problem_text_fail(t, RG_ERR_MEMORY, "out of memory");
    return memory;
}

double *rg_problem_text_alloc_numbers(RgProblemText *t, RgArena *arena, const char *what, size_t count)
{
    return alloc_checked(t, arena, what, count, sizeof(double));
}

int *rg_problem_text_alloc_counts(RgProblemText *t, RgArena *arena, const char *what, size_t count)
{
    return alloc_checked(t, arena, what, count, sizeof(int));
}
