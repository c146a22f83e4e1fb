/*
 * kind_step.c - the rows of a step of a simulation, as text (their meaning: solver/problem.h).
 *
 *   rigor-step 1
 *   rows n  unknowns nu  blocks nb  entries ne  patches np
 *   blocks: nb first unknowns          velocities: nu values of s*
 *   n times: row CLASS CONE DAMPER NORMAL low high target compliance guess count, then count times: column value
 *   np times: patch FIRST POINTS, a position (x, y) for each point, 6 base rows over the columns of the rows
 *   names, then a word for each row: KIND:JOINT, or KIND, or - for none          optional
 *   end
 *
 * Numbers are written with as many digits as needed to read them back bit for bit. Residual: the same as for all
 * solvers (residual.c), in m/s, over the largest velocity by which rows miss their targets without impulses. Rejected:
 * rows that no step would contain, such as friction without its normal before it.
 */
#include "base/alloc.h"
#include "base/output_file.h"
#include "base/status.h"
#include "problem/problem_file.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static const char *const class_names[] = {[RG_ROW_BILATERAL] = "bilateral",
                                          [RG_ROW_BOUNDED] = "bounded",
                                          [RG_ROW_NORMAL] = "normal",
                                          [RG_ROW_FRICTION] = "friction",
                                          [RG_ROW_BOX] = "box"};
enum { CLASSES = sizeof class_names / sizeof class_names[0] };

enum { BLOCK_UNKNOWNS = 6 }; /* unknowns of a block (a free body) */

static bool recognises(const RgProblemStart *start)
{
    static const char word[] = "rigor-step";
    return start->first.length == sizeof word - 1 && memcmp(start->first.start, word, sizeof word - 1) == 0;
}

bool rg_step_alloc(RgArena *arena, RgProblem *p, size_t entries)
{
    int n = p->n;
    p->damper = RG_ARENA_ALLOC(arena, bool, n);
    p->rate = RG_ARENA_ALLOC(arena, double, n);
    p->patches = RG_ARENA_ALLOC(arena, RgRowPatch, p->npatches);
    return rg_problem_alloc(arena, p, n, entries);
}

/* ------------------------------------------------------------------ reading */

static int read_class(RgProblemText *t)
{
    RgWord word = rg_problem_text_word(t);
    for (int k = 0; k < CLASSES; k++)
        if (word.length == strlen(class_names[k]) && memcmp(word.start, class_names[k], word.length) == 0)
            return k;
    rg_problem_text_fail(t, RG_ERR_SYNTAX, "expected bilateral, bounded, normal, friction or box");
    return RG_ROW_BILATERAL;
}

static bool is_friction(const RgProblem *p, int i)
{
    return p->row_class[i] == RG_ROW_FRICTION || p->row_class[i] == RG_ROW_BOX;
}

/* Checks what solvers rely on. Returns the error, or NULL. */
static const char *check_row(const RgProblem *p, int i)
{
    bool friction = is_friction(p, i);
    if (!(p->low[i] <= p->high[i]))
        return "the lower bound is above the upper one";
    if (!(p->compliance[i] >= 0.0))
        return "the compliance is negative";
    if (friction && (i == 0 || (p->normal[i - 1] != p->normal[i] && p->normal[i] != i - 1)))
        return "friction does not follow its normal";
    if (friction && (p->normal[i] < 0 || p->row_class[p->normal[i]] != RG_ROW_NORMAL))
        return "friction without a normal";
    if (!friction && p->normal[i] != -1)
        return "a row that is not friction has a normal";
    if (p->row_class[i] == RG_ROW_FRICTION && !(p->high[i] >= 0.0 && isfinite(p->high[i])))
        return "a coefficient of friction must be finite and not negative";
    if (p->row_class[i] == RG_ROW_NORMAL && !(p->low[i] >= 0.0))
        return "a normal pulls";
    if (p->cone[i] && (p->row_class[i] != RG_ROW_FRICTION || i + 1 == p->n))
        return "a cone needs two rows of friction";
    return NULL;
}

/* Checks that the second row of a cone has the normal and the columns of the first. Returns the error, or NULL. */
static const char *check_cone(const RgProblem *p, int i)
{
    int count = p->start[i] - p->start[i - 1];
    bool same = p->row_class[i] == RG_ROW_FRICTION && p->normal[i] == p->normal[i - 1] && !p->cone[i] &&
                p->start[i + 1] - p->start[i] == count;
    for (int e = p->start[i - 1]; same && e < p->start[i]; e++)
        same = p->columns[e] == p->columns[e + count];
    return same ? NULL : "the two rows of a cone have different normals or columns";
}

/* Reads one row; entries: total number of coefficients. */
static void read_row(RgProblemText *t, RgProblem *p, int i, int entries)
{
    rg_problem_text_expect(t, "row");
    p->row_class[i] = (uint8_t)read_class(t);
    p->cone[i] = rg_problem_text_count(t, "whether the row begins a cone", 0, 1);
    p->damper[i] = rg_problem_text_count(t, "whether the row is a damper", 0, 1);
    p->normal[i] = rg_problem_text_count(t, "row of the normal", -1, i - 1);
    p->low[i] = rg_problem_text_bound(t, "lower bound");
    p->high[i] = rg_problem_text_bound(t, "upper bound");
    rg_problem_text_numbers(t, "target", &p->target[i], 1);
    rg_problem_text_numbers(t, "compliance", &p->compliance[i], 1);
    rg_problem_text_numbers(t, "first guess", &p->z[i], 1);
    int at = p->start[i], count = rg_problem_text_count(t, "number of coefficients", 0, entries - at);
    for (int e = at; e < at + count && !t->failed; e++) {
        p->columns[e] = rg_problem_text_count(t, "column", e > at ? p->columns[e - 1] + 1 : 0, p->nu - 1);
        rg_problem_text_numbers(t, "coefficient", &p->values[e], 1);
    }
    p->start[i + 1] = at + count;
    const char *message = t->failed ? NULL : check_row(p, i);
    if (message == NULL && !t->failed && i > 0 && p->cone[i - 1])
        message = check_cone(p, i);
    if (message != NULL)
        rg_problem_text_fail(t, RG_ERR_SYNTAX, "row %d: %s", i, message);
}

/* Number of columns of a patch's rows, 6 or 12, which must be the same for all. 0: they are not. */
static int patch_columns(const RgProblem *p, const RgRowPatch *patch)
{
    int first = patch->first, normals = 0;
    if (p->row_class[first] != RG_ROW_NORMAL)
        return 0;
    int count = p->start[first + 1] - p->start[first], i = first;
    for (; i < p->n; i++) {
        normals += p->row_class[i] == RG_ROW_NORMAL;
        if ((p->row_class[i] != RG_ROW_NORMAL && !is_friction(p, i)) || normals > patch->points)
            break;
        if (p->start[i + 1] - p->start[i] != count ||
            memcmp(p->columns + p->start[i], p->columns + p->start[first], (size_t)count * sizeof(int)) != 0)
            return 0;
    }
    return normals >= patch->points && (count == BLOCK_UNKNOWNS || count == 2 * BLOCK_UNKNOWNS) ? count : 0;
}

static void read_patch(RgProblemText *t, RgProblem *p, int k)
{
    RgRowPatch *patch = &p->patches[k];
    rg_problem_text_expect(t, "patch");
    patch->first = rg_problem_text_count(t, "first row of a patch", k > 0 ? p->patches[k - 1].first + 1 : 0, p->n - 1);
    patch->points = rg_problem_text_count(t, "points of a patch", 1, RG_ROW_PATCH_POINTS);
    for (int i = 0; i < patch->points && !t->failed; i++)
        rg_problem_text_numbers(t, "place of a point", patch->place[i], 2);
    int count = t->failed ? 0 : patch_columns(p, patch);
    if (count == 0)
        rg_problem_text_fail(t, RG_ERR_SYNTAX, "patch %d: its rows are not those of points of one plane", k);
    for (int b = 0; b < 6 && !t->failed; b++)
        rg_problem_text_numbers(t, "coefficient of a patch", patch->base[b], (size_t)count);
}

static void read_blocks(RgProblemText *t, RgArena *arena, RgProblem *p)
{
    rg_problem_text_expect(t, "blocks");
    int *block = rg_problem_text_alloc_counts(t, arena, "blocks", (size_t)p->nblocks);
    for (int k = 0; k < p->nblocks && !t->failed; k++)
        block[k] = rg_problem_text_count(t, "first unknown of a block", k > 0 ? block[k - 1] + BLOCK_UNKNOWNS : 0,
                                         p->nu - BLOCK_UNKNOWNS);
    p->block = block;
}

/* Largest velocity by which rows miss their targets without impulses; 1 if that is 0. */
static double largest_missed_velocity(const RgProblem *p)
{
    double largest = 0.0;
    for (int i = 0; i < p->n; i++)
        largest = fmax(largest, fabs(rg_problem_row_times(p, i, p->s) - p->target[i]));
    return largest > 0.0 ? largest : 1.0;
}

/* Whether this is the next word; it is not consumed. */
static bool next_word_is(const RgProblemText *t, const char *wanted)
{
    RgProblemText ahead = *t;
    RgWord word = rg_problem_text_word(&ahead);
    return word.length == strlen(wanted) && memcmp(word.start, wanted, word.length) == 0;
}

static void read_names(RgProblemText *t, RgProblemFile *file)
{
    if (t->failed || !next_word_is(t, "names"))
        return;
    rg_problem_text_expect(t, "names");
    file->names = RG_ARENA_ALLOC(&file->arena, const char *, file->rows.n);
    for (int i = 0; i < file->rows.n && !t->failed; i++) {
        RgWord word = rg_problem_text_word(t);
        char *name = word.length > 0 ? RG_ARENA_ALLOC(&file->arena, char, word.length + 1) : NULL;
        if (word.length == 0)
            rg_problem_text_fail(t, RG_ERR_SYNTAX, "expected the name of row %d, found the end of the file", i);
        else if (name == NULL || file->names == NULL)
            rg_problem_text_fail(t, RG_ERR_MEMORY, "out of memory");
        else
            file->names[i] = strcmp(memcpy(name, word.start, word.length), "-") == 0 ? NULL : name;
    }
}

static void read_step(RgProblemText *t, RgProblemFile *file)
{
    RgProblem *p = &file->rows;
    rg_problem_text_expect(t, "rigor-step");
    rg_problem_text_count(t, "version of the format", 1, 1);
    rg_problem_text_expect(t, "rows");
    p->n = rg_problem_text_count(t, "number of rows", 0, INT_MAX / 64);
    rg_problem_text_expect(t, "unknowns");
    p->nu = rg_problem_text_count(t, "number of unknowns", 0, INT_MAX / 64);
    rg_problem_text_expect(t, "blocks");
    p->nblocks = rg_problem_text_count(t, "number of blocks", 0, p->nu / BLOCK_UNKNOWNS);
    rg_problem_text_expect(t, "entries");
    int entries = rg_problem_text_count(t, "number of coefficients", 0, INT_MAX / 64);
    rg_problem_text_expect(t, "patches");
    p->npatches = rg_problem_text_count(t, "number of patches", 0, p->n);

    /* Numbers at least: 10 per row, 40 per patch, 2 per coefficient. */
    size_t least = 10 * (size_t)p->n + (size_t)p->nu + 2 * (size_t)entries + 40 * (size_t)p->npatches;
    if (!rg_problem_text_holds(t, "the rows of the step", least))
        return;
    if (!rg_step_alloc(&file->arena, p, (size_t)entries)) {
        rg_problem_text_fail(t, RG_ERR_MEMORY, "out of memory");
        return;
    }
    read_blocks(t, &file->arena, p);
    rg_problem_text_expect(t, "velocities");
    rg_problem_text_numbers(t, "velocity", p->s, (size_t)p->nu);
    for (int i = 0; i < p->n && !t->failed; i++) {
        read_row(t, p, i, entries);
        file->contacts += p->row_class[i] == RG_ROW_NORMAL;
    }
    for (int k = 0; k < p->npatches && !t->failed; k++)
        read_patch(t, p, k);
    read_names(t, file);
    rg_problem_text_expect(t, "end");
    if (t->failed)
        return;
    file->n = p->n;
    file->scale = largest_missed_velocity(p);
    if (!isfinite(file->scale))
        rg_problem_text_fail(t, RG_ERR_NOT_FINITE, "the velocities of the rows are not finite");
}

/* ------------------------------------------------------------------ writing */

static void write_number(FILE *out, double value)
{
    char text[32];
    rg_number_text(value, text, sizeof text);
    fprintf(out, " %s", text);
}

static void write_row(FILE *out, const RgProblem *p, int i)
{
    const double number[] = {p->low[i], p->high[i], p->target[i], p->compliance[i], p->z[i]};
    fprintf(out, "row %s %d %d %d", class_names[p->row_class[i]], p->cone[i], p->damper != NULL && p->damper[i],
            p->normal[i]);
    for (size_t k = 0; k < sizeof number / sizeof number[0]; k++)
        write_number(out, number[k]);
    fprintf(out, " %d", p->start[i + 1] - p->start[i]);
    for (int e = p->start[i]; e < p->start[i + 1]; e++) {
        fprintf(out, " %d", p->columns[e]);
        write_number(out, p->values[e]);
    }
    fprintf(out, "\n");
}

static void write_patch(FILE *out, const RgProblem *p, const RgRowPatch *patch)
{
    int count = p->start[patch->first + 1] - p->start[patch->first];
    fprintf(out, "patch %d %d", patch->first, patch->points);
    for (int i = 0; i < patch->points; i++) {
        write_number(out, patch->place[i][0]);
        write_number(out, patch->place[i][1]);
    }
    for (int b = 0; b < 6; b++)
        for (int c = 0; c < count; c++)
            write_number(out, patch->base[b][c]);
    fprintf(out, "\n");
}

/* Writes one word; white space and control characters become _. */
static void write_word(FILE *out, const char *text)
{
    for (const char *c = text; *c != '\0'; c++)
        fputc((unsigned char)*c <= ' ' || *c == 0x7f ? '_' : *c, out);
}

static void write_names(FILE *out, const RgRowOrigin *origins, int n)
{
    fprintf(out, "names");
    for (int i = 0; i < n; i++) {
        fputc(i % 8 == 0 ? '\n' : ' ', out);
        write_word(out, origins[i].kind != NULL ? origins[i].kind : "-");
        if (origins[i].kind != NULL && origins[i].joint != NULL) {
            fputc(':', out);
            write_word(out, origins[i].joint);
        }
    }
    fprintf(out, "\n");
}

static void write_all(FILE *out, const RgProblem *p, const RgRowOrigin *origins)
{
    fprintf(out, "rigor-step 1\nrows %d unknowns %d blocks %d entries %d patches %d\nblocks", p->n, p->nu, p->nblocks,
            p->n > 0 ? p->start[p->n] : 0, p->npatches);
    for (int k = 0; k < p->nblocks; k++)
        fprintf(out, " %d", p->block[k]);
    fprintf(out, "\nvelocities");
    for (int k = 0; k < p->nu; k++)
        write_number(out, p->s[k]);
    fprintf(out, "\n");
    for (int i = 0; i < p->n; i++)
        write_row(out, p, i);
    for (int k = 0; k < p->npatches; k++)
        write_patch(out, p, &p->patches[k]);
    if (origins != NULL)
        write_names(out, origins, p->n);
    fprintf(out, "end\n");
}

RgStatus rg_step_write(const RgProblem *p, const RgRowOrigin *origins, const char *path, const RgAllocator *allocator,
                       RgError *error)
{
    RgArena arena;
    RgOutputFile output;
    rg_arena_init(&arena, allocator);
    RgStatus status = rg_output_open(&output, path, &arena, error);
    if (status == RG_OK) {
        write_all(output.file, p, origins);
        status = rg_output_close(&output, true, error);
    }
    rg_arena_free(&arena);
    return status;
}

/* ------------------------------------------------------------------ residual */

static double residual(const RgProblemFile *file, const double *z)
{
    RgArena arena;
    rg_arena_init(&arena, &file->arena.allocator);
    RgProblem p = file->rows;
    p.z = RG_ARENA_ALLOC_RAW(&arena, double, p.n);
    p.s = RG_ARENA_ALLOC_RAW(&arena, double, p.nu);
    double found = INFINITY;
    if (!arena.failed) {
        memcpy(p.z, z, (size_t)p.n * sizeof *z);
        memcpy(p.s, file->rows.s, (size_t)p.nu * sizeof *z);
        for (int i = 0; i < p.n; i++)
            rg_problem_apply_impulse(&p, i, z[i], p.s);
        found = rg_problem_residual(&p, NULL, NULL).velocity / file->scale;
    }
    rg_arena_free(&arena);
    return found;
}

const RgProblemKind rg_problem_kind_step = {.name = "step",
                                            .begins_with = "'rigor-step' (a step of rigor run --dump-step)",
                                            .recognises = recognises,
                                            .read = read_step,
                                            .residual = residual};
