/*
 * test_kind_step.c - the rows of a step as text: written and read back bit for bit; what a step would not make is
 * refused. Twins: the judge on the problem in memory, and a solver that gives the same bits on both.
 */
#define _POSIX_C_SOURCE 200809L
#include "check_near.h"
#include "problem/problem_file.h"
#include "unit/solver/problem_fixture.h"

#include <stdio.h>
#include <unistd.h>

static RgProblemFile *through_a_file(const RgProblem *p, char *text, size_t room)
{
    char path[] = "/tmp/rigor-step-XXXXXX";
    int descriptor = mkstemp(path);
    cr_assert(descriptor >= 0);
    close(descriptor);
    RgError error = {0};
    cr_assert_eq(rg_step_write(p, NULL, path, NULL, &error), RG_OK, "%s", error.text);
    RgProblemFile *file = rg_problem_file_read(path, NULL, NULL, &error);
    cr_assert_not_null(file, "line %d: %s", error.line, error.text);
    FILE *stream = fopen(path, "rb");
    cr_assert_not_null(stream);
    size_t size = fread(text, 1, room - 1, stream);
    text[size] = '\0';
    fclose(stream);
    unlink(path);
    return file;
}

/* Joints, limits, contacts with cones and boxes on three bodies; numbers of all sizes. */
static ProblemCase *some_case(uint64_t seed)
{
    Draw d = draw_seed(seed);
    ProblemCase *c = problem_begin(3, &d);
    problem_row(c, &d, 0, 1, RG_ROW_BILATERAL);
    int limit = problem_row(c, &d, 1, -1, RG_ROW_BOUNDED);
    c->low[limit] = -0.1;
    c->high[limit] = 1e-300;
    for (int k = 0; k < 3; k++) {
        int normal = problem_row(c, &d, k, -1, RG_ROW_NORMAL);
        c->low[normal] = 0.0;
        c->high[normal] = INFINITY;
        for (int t = 0; t < 2; t++) {
            int i = problem_row(c, &d, k, -1, RG_ROW_FRICTION);
            c->normal[i] = normal;
            c->high[i] = 0.3 + 0.1 * k;
            c->low[i] = -c->high[i];
            c->cone[i] = t == 0 && k < 2;
        }
    }
    for (int i = 0; i < c->p.n; i++) {
        c->z[i] = i % 4 == 0 ? -0.0 : draw_between(&d, 0.0, 1.0) * (i % 3 == 0 ? 1e-200 : 1.0);
        c->target[i] = draw_between(&d, -1.0, 1.0);
        c->damper[i] = i == 0;
    }
    return c;
}

static void expect_same(const RgProblem *a, const RgProblem *b)
{
    size_t n = (size_t)a->n, entries = (size_t)a->start[a->n];
    cr_assert_eq(a->n, b->n);
    cr_assert_eq(a->nu, b->nu);
    cr_assert_eq(a->nblocks, b->nblocks);
    cr_expect_eq(memcmp(a->block, b->block, (size_t)a->nblocks * sizeof(int)), 0);
    cr_expect_eq(memcmp(a->start, b->start, (n + 1) * sizeof(int)), 0);
    cr_expect_eq(memcmp(a->columns, b->columns, entries * sizeof(int)), 0);
    cr_expect_eq(memcmp(a->values, b->values, entries * sizeof(double)), 0);
    cr_expect_eq(memcmp(a->target, b->target, n * sizeof(double)), 0);
    cr_expect_eq(memcmp(a->compliance, b->compliance, n * sizeof(double)), 0);
    cr_expect_eq(memcmp(a->low, b->low, n * sizeof(double)), 0);
    cr_expect_eq(memcmp(a->high, b->high, n * sizeof(double)), 0);
    cr_expect_eq(memcmp(a->normal, b->normal, n * sizeof(int)), 0);
    cr_expect_eq(memcmp(a->row_class, b->row_class, n), 0);
    cr_expect_eq(memcmp(a->cone, b->cone, n), 0);
    cr_expect_eq(memcmp(a->damper, b->damper, n), 0);
    cr_expect_eq(memcmp(a->z, b->z, n * sizeof(double)), 0);
    cr_expect_eq(memcmp(a->s, b->s, (size_t)a->nu * sizeof(double)), 0);
}

Test(kind_step, comes_back_bit_for_bit)
{
    static char text[1 << 16], again[1 << 16];
    for (uint64_t seed = 1; seed <= 20; seed++) {
        ProblemCase *c = some_case(seed);
        RgProblemFile *file = through_a_file(&c->p, text, sizeof text);
        cr_expect_str_eq(rg_problem_file_info(file).kind, "step");
        cr_expect_eq(rg_problem_file_info(file).contacts, 3);
        expect_same(&c->p, &file->rows);
        RgProblemFile *twice = through_a_file(&file->rows, again, sizeof again);
        cr_expect_str_eq(text, again);
        rg_problem_file_free(twice);
        rg_problem_file_free(file);
        free(c);
    }
}

/* Names come back as one word each, those that are none as NULL; a file without them has none. */
Test(kind_step, tells_what_rows_come_from)
{
    ProblemCase *c = some_case(3);
    RgRowOrigin origin[16] = {{"loop", "left\tknee"}, {"dry friction", NULL}, {NULL, NULL}};
    char path[] = "/tmp/rigor-step-XXXXXX";
    int descriptor = mkstemp(path);
    cr_assert(descriptor >= 0 && c->p.n <= 16);
    close(descriptor);
    for (int told = 0; told < 2; told++) {
        cr_assert_eq(rg_step_write(&c->p, told ? origin : NULL, path, NULL, NULL), RG_OK);
        RgProblemFile *file = rg_problem_file_read(path, NULL, NULL, NULL);
        cr_assert_not_null(file);
        expect_same(&c->p, &file->rows);
        cr_expect_eq(file->names != NULL, told == 1);
        if (told) {
            cr_expect_str_eq(file->names[0], "loop:left_knee");
            cr_expect_str_eq(file->names[1], "dry_friction");
            cr_expect_null(file->names[2]);
        }
        rg_problem_file_free(file);
    }
    unlink(path);
    free(c);
}

Test(kind_step, is_solved_and_judged_as_in_memory)
{
    static char text[1 << 16];
    ProblemCase *c = some_case(5);
    RgProblemFile *file = through_a_file(&c->p, text, sizeof text);
    double scale = 0.0;
    for (int i = 0; i < c->p.n; i++)
        scale = fmax(scale, fabs(rg_problem_row_times(&c->p, i, c->s) - c->target[i]));
    RgPgsOptions options = rg_pgs_options_default();
    options.iterations = 2; /* something is left to judge */
    options.friction_sweeps = 0;
    RgArena arena;
    rg_arena_init(&arena, NULL);
    RgSolveReport report;
    cr_assert_eq(rg_pgs_solve(&arena, &c->p, &options, &report), RG_OK);
    CHECK_REL(rg_problem_file_residual(file, c->z), rg_problem_residual(&c->p, NULL, NULL).velocity / scale, 1e-9, "1");
    RgProblem rows = file->rows;
    cr_assert_eq(rg_pgs_solve(&arena, &rows, &options, &report), RG_OK);
    cr_expect_eq(memcmp(rows.z, c->z, (size_t)rows.n * sizeof(double)), 0);
    cr_expect_eq(memcmp(rows.s, c->s, (size_t)rows.nu * sizeof(double)), 0);
    rg_arena_free(&arena);
    rg_problem_file_free(file);
    free(c);
}

Test(kind_step, refuses_what_a_step_would_not_make)
{
#define HEAD "rigor-step 1\nrows 2 unknowns 1 blocks 0 entries 2 patches 0\nblocks\nvelocities 1\n"
    static const struct {
        const char *text;
        int line;
        const char *says;
    } bad[] = {
        {"rigor-step 2\nrows 0", 1, "version"},
        {"rigor-step 1\nrows 1000000 unknowns 6 blocks 1 entries 6 patches 0\n", 2, "are promised"},
        {"rigor-step 1\nrows 1 unknowns 1 blocks 1 entries 6 patches 0\n", 2, "number of blocks"},
        {HEAD "row normal 0 0 -1 0 inf 0 0 0 1 0 1\nrow friction 0 0 -1 -1 1 0 0 0 1 0 1\nend", 6, "without a normal"},
        {HEAD "row bounded 0 0 -1 0 1 0 0 0 1 0 1\nrow bounded 0 0 -1 0 1 0 0 0 1 0 1\nnames a", 7, "name of row 1"},
        {HEAD "row bounded 0 0 -1 0 1 0 0 0 1 0 1\nrow bounded 0 0 -1 0 1 0 0 0 1 0 1\nnames a b c end", 7,
         "expected 'end'"},
        {HEAD "row normal 0 0 -1 0 inf 0 0 0 1 0 1\nrow friction 0 0 0 -1 inf 0 0 0 1 0 1\nend", 6, "finite"},
        {HEAD "row normal 0 0 -1 0 inf 0 0 0 1 0 1\nrow friction 1 0 0 -1 1 0 0 0 1 0 1\nend", 6, "two rows"},
        {HEAD "row bounded 0 0 -1 2 1 0 0 0 1 0 1\nrow bounded 0 0 -1 0 1 0 0 0 1 0 1\nend", 5, "above"},
        {HEAD "row bounded 0 0 -1 0 1 nan 0 0 1 0 1\nrow bounded 0 0 -1 0 1 0 0 0 1 0 1\nend", 5, "not finite"},
        {HEAD "row bounded 0 0 -1 nan 1 0 0 0 1 0 1\nrow bounded 0 0 -1 0 1 0 0 0 1 0 1\nend", 5, "not finite"},
        {HEAD "row bounded 0 0 -1 0 1 0 0 0 1 1 1\nrow bounded 0 0 -1 0 1 0 0 0 1 0 1\nend", 5, "column"},
        {HEAD "row bounded 0 0 -1 0 1 0 0 0 1 0 1\nrow bounded 0 0 -1 0 1 0 0 0 2 0 1\nend", 6, "coefficients"},
        {HEAD "row bounded 0 0 -1 0 1 0 -1 0 1 0 1\nrow bounded 0 0 -1 0 1 0 0 0 1 0 1\nend", 5, "compliance"},
        {HEAD "row spring 0 0 -1 0 1 0 0 0 1 0 1\nrow bounded 0 0 -1 0 1 0 0 0 1 0 1\nend", 5, "expected bilateral"},
        {HEAD "row bounded 0 0 -1 0 1 0 0 0 1 0 1\nrow bounded 0 0 -1 0 1 0 0 0 1 0 1\n", 7, "'end'"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        RgError error = {0};
        cr_expect_null(rg_problem_file_parse("bad", bad[k].text, strlen(bad[k].text), NULL, NULL, &error), "%zu", k);
        cr_expect_eq(error.line, bad[k].line, "%zu: line %d: %s", k, error.line, error.text);
        cr_expect_not_null(strstr(error.text, bad[k].says), "%zu: %s", k, error.text);
    }
}

Test(kind_step, cannot_be_written_nowhere)
{
    ProblemCase *c = some_case(1);
    RgError error = {0};
    cr_expect_eq(rg_step_write(&c->p, NULL, "/nowhere/at/all", NULL, &error), RG_ERR_FILE);
    free(c);
}
