/*
 * problem_file.c - reads a problem of any kind, and computes residuals of solutions.
 *
 * A file does not name its kind: the kinds check its first words, in the order of their table.
 */
#include "problem/problem_file.h"

#include "base/alloc.h"
#include "base/file_bytes.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

#define FILE_LIMIT ((size_t)1 << 30) /* bytes */

/* Asymmetry above the rounding error of printed numbers, relative to the largest entry; reported in the log. */
#define REPORTED_ASYMMETRY 1e-12

static const RgProblemKind *const kinds[] = {
#define PROBLEM_ENTRY(name) &rg_problem_kind_##name,
    PROBLEM_TABLE(PROBLEM_ENTRY)
#undef PROBLEM_ENTRY
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

const RgProblemKind *rg_problem_kind_find(const char *name)
{
    for (int k = 0; k < KINDS; k++)
        if (strcmp(kinds[k]->name, name) == 0)
            return kinds[k];
    return NULL;
}

static const RgProblemKind *recognise(RgProblemText text)
{
    RgProblemStart start = {.first = rg_problem_text_word(&text)};
    RgWord word = start.first;
    for (int k = 0; k < RG_PROBLEM_START; k++) {
        if (rg_word_number(word, &start.number[k]) != RG_NUMBER_OK)
            start.number[k] = NAN;
        word = rg_problem_text_word(&text);
    }
    for (int k = 0; k < KINDS; k++)
        if (kinds[k]->recognises(&start))
            return kinds[k];
    return NULL;
}

static const RgProblemKind *choose_kind(RgProblemText *text, const char *name)
{
    const RgProblemKind *kind = name != NULL ? rg_problem_kind_find(name) : recognise(*text);
    if (kind == NULL && name != NULL)
        rg_fail(text->error, RG_ERR_NOT_FOUND, NULL, 0,
                "no kind of problem called '%.60s': expected fc3d, lcp, mlcp or step", name);
    else if (kind == NULL)
        rg_problem_text_fail(text, RG_ERR_SYNTAX, "no problem that is known: expected %s, %s, %s or %s at the start",
                             kinds[0]->begins_with, kinds[1]->begins_with, kinds[2]->begins_with,
                             kinds[3]->begins_with);
    return kind;
}

RgProblemFile *rg_problem_file_parse(const char *name, const char *bytes, size_t length, const char *kind,
                                     const RgLog *log, RgError *error)
{
    RgError ignored;
    RgProblemText text = {.file = name, .at = bytes, .end = bytes + length, .line = 1};
    text.error = error != NULL ? error : &ignored;
    *text.error = (RgError){.status = RG_OK};
    const RgProblemKind *found = choose_kind(&text, kind);
    if (found == NULL)
        return NULL;
    RgProblemFile *problem = rg_alloc_object(NULL, sizeof *problem, name, text.error);
    if (problem == NULL)
        return NULL;
    rg_arena_init(&problem->arena, NULL);
    problem->kind = found;
    problem->path = rg_arena_strdup(&problem->arena, name);
    found->read(&text, problem);
    if (!text.failed && problem->arena.failed)
        rg_problem_text_fail(&text, RG_ERR_MEMORY, "out of memory");
    if (text.failed) {
        rg_problem_file_free(problem);
        return NULL;
    }
    if (log != NULL && problem->asymmetry > REPORTED_ASYMMETRY && found == &rg_problem_kind_fc3d)
        rg_log(log, name, 0, "the matrix is not symmetric: entries differ by up to %.2g of the largest",
               problem->asymmetry);
    return problem;
}

RgProblemFile *rg_problem_file_read(const char *path, const char *kind, const RgLog *log, RgError *error)
{
    size_t size = 0;
    unsigned char *bytes = rg_file_read(NULL, path, FILE_LIMIT, &size, error);
    if (bytes == NULL)
        return NULL;
    RgProblemFile *problem = rg_problem_file_parse(path, (const char *)bytes, size, kind, log, error);
    rg_free(NULL, bytes);
    return problem;
}

void rg_problem_file_free(RgProblemFile *problem)
{
    if (problem == NULL)
        return;
    rg_arena_free_with(&problem->arena, problem);
}

RgProblemInfo rg_problem_file_info(const RgProblemFile *p)
{
    return (RgProblemInfo){.kind = p->kind->name,
                           .n = p->n,
                           .contacts = p->contacts,
                           .lone_rows = rg_problem_lone_rows(p),
                           .unknowns = p->rows.nu,
                           .blocks = p->cones.n > 0 ? p->cones.start[p->cones.n] : 0,
                           .asymmetry = p->asymmetry};
}

bool rg_problem_file_blocks(const RgProblemFile *p, RgContactBlocks *blocks)
{
    const RgConeBlocks *c = &p->cones;
    if (p->kind != &rg_problem_kind_fc3d)
        return false;
    *blocks = (RgContactBlocks){c->n, c->start, c->column, c->block, c->q, c->mu};
    return true;
}

double rg_problem_file_residual(const RgProblemFile *p, const double *z)
{
    for (int i = 0; i < p->n; i++)
        if (!isfinite(z[i]))
            return INFINITY;
    double found = p->kind->residual(p, z);
    return isfinite(found) ? found : INFINITY;
}
