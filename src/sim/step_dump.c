/*
 * step_dump.c - writes the problem that a step would solve to a file.
 *
 * The problem is that of a plain step from the present state: velocities at the end without contacts, then the rows of
 * all contacts, joints and bounds. Steppers with inner steps solve other problems; the dumped problem is the same for
 * all steppers. The state does not change; the contact forces of the last step are discarded. A step without rows (all
 * bodies sleep, no contacts) has no problem.
 */
#include "base/status.h"
#include "problem/problem_file.h"
#include "sim/world_internal.h"

#include <math.h>

/* The rows of the step; NULL: it has none, or failed. */
static const RgProblem *step_rows(RgWorld *w, double h, RgStatus *status)
{
    RgStepScope *s = &w->scope;
    RgStepReport ignored = {.t = w->state.t, .h = h};
    if (s->contact == NULL || (s->sleep != NULL && rg_world_all_asleep(w)))
        return NULL;
    s->report = &ignored;
    rg_world_begin_step(w, h, false);
    if (s->sleep != NULL)
        rg_sleep_begin(s->sleep, &w->state.rest, &w->next.rest);
    w->fresh = false;
    *status = rg_stage_free_velocity(s, &w->state, h, &w->next);
    RgContactAsk ask = rg_stage_ask(s, &w->state, h);
    const RgProblem *rows = *status == RG_OK ? rg_contact_rows_of(s->contact, s->scene, &ask, w->next.u) : NULL;
    if (*status == RG_OK && rows == NULL)
        *status = RG_ERR_MEMORY;
    if (*status != RG_OK) /* the contacts no longer belong to the last result */
        rg_contact_forget(s->contact);
    s->report = &w->reports.idle;
    return rows;
}

/* Writes the rows with their origins. */
static RgStatus write_rows(RgWorld *w, const RgProblem *rows, const char *path, RgError *error)
{
    RgArena arena;
    rg_arena_init(&arena, &w->arena.allocator);
    RgRowOrigin *origin = RG_ARENA_ALLOC(&arena, RgRowOrigin, rows->n);
    for (int i = 0; i < rows->n && origin != NULL; i++)
        origin[i] = rg_contact_row_origin(w->scope.contact, i);
    RgStatus status = rg_step_write(rows, origin, path, &w->arena.allocator, error);
    rg_arena_free(&arena);
    return status;
}

RgStatus rg_world_dump_step(RgWorld *w, double h, const char *path, RgError *error)
{
    RgError ignored;
    error = error != NULL ? error : &ignored;
    if (!(isfinite(h) && h > 0.0))
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "the length of a step must be positive");
    RgStatus status = RG_OK;
    const RgProblem *rows = step_rows(w, h, &status);
    if (status != RG_OK)
        return rg_fail(error, status, NULL, 0, "the step cannot be made: %s", rg_status_text(status));
    if (rows == NULL)
        return rg_fail(error, RG_ERR_NOT_FOUND, NULL, 0, "the step has no rows to solve");
    status = write_rows(w, rows, path, error);
    rg_contact_forget(w->scope.contact);
    return status;
}
