/*
 * trace_calls.c - writes down every call that one step of the library makes: the run-time part of tools/trace_step.py.
 *
 * The preset `trace` compiles the library with -finstrument-functions and links this file into the command. The
 * compiler then calls the two functions below at the start and the end of every function of the library. Environment:
 *
 *   RIGOR_TRACE_STEP   which call of rg_world_step is recorded, from 1; unset: none
 *   RIGOR_TRACE_FILE   where the record goes: 64-bit words, the address of a function that is entered, 0 for a return
 *
 * Only the thread that calls rg_world_step is recorded. If the record does not fit or cannot be written, the file is
 * missing or ends in an all-ones word, and the reader refuses it.
 */
#include <rigor/sim.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_WORDS (1 << 24) /* a step of a humanoid in a pile takes 1e6 */

static uint64_t *words;
static long nwords;
static long steps_seen;
static _Thread_local int depth; /* of the step that is recorded; 0: none is */

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

static void note(uint64_t word)
{
    if (nwords < MOST_WORDS)
        words[nwords++] = word;
    else
        words[MOST_WORDS - 1] = UINT64_MAX;
}

static void write_record(void)
{
    const char *path = getenv("RIGOR_TRACE_FILE");
    FILE *file = path != NULL ? fopen(path, "wb") : NULL;
    if (file == NULL)
        return;
    size_t written = fwrite(words, sizeof *words, (size_t)nwords, file);
    if (fclose(file) != 0 || written != (size_t)nwords)
        remove(path);
}

/* Whether this entry begins the step that was asked for. */
static bool begins(void *function)
{
    if (function != (void *)(uintptr_t)rg_world_step)
        return false;
    const char *asked = getenv("RIGOR_TRACE_STEP");
    if (++steps_seen != (asked != NULL ? atol(asked) : 0))
        return false;
    words = malloc(MOST_WORDS * sizeof *words);
    return words != NULL;
}

void __cyg_profile_func_enter(void *function, void *caller)
{
    (void)caller;
    if (depth == 0 && !begins(function))
        return;
    depth++;
    note((uint64_t)(uintptr_t)function);
}

void __cyg_profile_func_exit(void *function, void *caller)
{
    (void)function;
    (void)caller;
    if (depth == 0)
        return;
    note(0);
    if (--depth == 0)
        write_record();
}
