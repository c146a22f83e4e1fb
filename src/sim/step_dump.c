/*
 * step_dump.c - the problem that a step would solve, as a file.
 *
 * The step is begun as always and ends where its rows stand and a solver would begin: since a step writes beside the
 * state, all is as it was. Solver quick knows no rows: for the length of the dump the world has a stage of rows, made as
 * for pgs. A step without rows (everybody sleeps, nothing touches under a stepper for smooth motion) has no problem.
 */
#include "base/status.h"
#include "problem/problem_file.h"
#include "sim/world_internal.h"

#include <math.h>

typedef struct Dump {
    const char *path;
    const RgAllocator *allocator;
    RgError *error;
    RgStatus status;
    bool told;
} Dump;

static void write_problem(const RgProblem *problem, void *context)
{
    Dump *dump = context;
    dump->told = true;
    dump->status = rg_step_write(problem, dump->path, dump->allocator, dump->error);
}

/* A stage of rows where the world's solver has none. NULL: no memory. */
static RgRowStage *borrowed_rows(RgWorld *w)
{
    if (w->dump_rows != NULL)
        return w->dump_rows;
    w->dump_rows = rg_row_stage_take(&w->arena, w->scope.form, w->scope.contact);
    if (w->dump_rows == NULL)
        return NULL;
    w->dump_rows->solver = &rg_solver_pgs;
    w->dump_rows->options =
        (RgRowOptions){.pgs = rg_pgs_options_of_model(w->model), .exact = rg_exact_options_default()};
    return w->dump_rows;
}

/* The step, up to its problem. */
static void begin_step(RgWorld *w, double h)
{
    RgStepScope *s = &w->scope;
    RgStepReport ignored = {.t = w->state.t, .h = h};
    s->account = false;
    s->report = &ignored;
    s->h = h;
    s->contact->bounded->span = h;
    s->rows_kept = false;
    s->x_before = w->state.x;
    if (s->sleep != NULL)
        rg_sleep_begin(s->sleep, &w->state.rest, &w->next.rest);
    w->fresh = false;
    w->next.h_next = w->state.h_next;
    w->stepper->step(s, &w->state, h, &w->next);
    s->report = &w->idle;
}

RgStatus rg_world_dump_step(RgWorld *w, double h, const char *path, RgError *error)
{
    RgError ignored;
    Dump dump = {.path = path, .allocator = &w->arena.allocator, .error = error != NULL ? error : &ignored};
    if (!(isfinite(h) && h > 0.0))
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "the length of a step must be positive");
    RgRowStage *own = w->scope.rows;
    RgRowStage *rows = w->scope.contact == NULL ? NULL : own != NULL ? own : borrowed_rows(w);
    if (rows == NULL && w->scope.contact != NULL)
        return rg_fail(error, RG_ERR_MEMORY, NULL, 0, "out of memory");
    bool still = w->scope.sleep != NULL && rg_world_sleeps_on(w);
    if (rows != NULL && !still) {
        w->scope.rows = rows;
        rows->tell = write_problem;
        rows->tell_context = &dump;
        begin_step(w, h);
        rows->tell = NULL;
        w->scope.rows = own;
        rg_contact_report_none(w->scope.contact);
    }
    if (!dump.told)
        return rg_fail(error, RG_ERR_NOT_FOUND, NULL, 0, "the step has no rows to solve");
    return dump.status;
}
