/*
 * control_step.c - timing: samples of the controllers, start of their commands, and the world's steps between.
 *
 *   samples at t_k = start + k / rate;   the command of t_k acts from t_k + delay until the next one (zero-order hold)
 *
 *   t        sample    command starts   sample   command starts           end
 *   |----------|-----------|---------------|----------|--------------------|      every mark ends a step of the world
 *
 * Marks closer than RG_MARK_TOLERANCE of a step are merged, so that 1 ms steps under a 100 Hz control stay 1 ms steps
 * despite round-off. With rate 0 there is one sample per call, at its start. Drives with moving targets are shifted by
 * the delay: the command for [t_k, t_k + h] is executed that much later.
 *
 * Events and shortfalls are reported for the whole step; other results of the last step (contact forces, the world's
 * own last report) are those of its last part. With more than one part the world is saved first, and a failing part
 * restores world and control; the forces of the world's last step are then lost (rg_world_state_load).
 */
#include "control/control_internal.h"

#include "base/alloc.h"
#include "base/status.h"
#include "sim/world_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* State of one call of rg_control_step. */
typedef struct StepState {
    double h, start, end; /* s: of the whole step */
    double slack;         /* s: times closer than this count as equal */
    bool first;           /* no part has been made yet */
    size_t saved;         /* bytes of the world in saved_world; 0: not saved */
    RgEnergySums sums;    /* of the world when it was saved */
    RgStepStatistics statistics;
} StepState;

/* ------------------------------------------------------------------ samples and the ring */

static double sample_time(const RgControl *c)
{
    const RgControlHead *head = c->state.head;
    return head->start + (double)head->next * c->period;
}

/* Starts counting samples, and restarts if the world's time was set back. */
static void update_start(RgControl *c, double t, double slack)
{
    RgControlHead *head = c->state.head;
    bool back = head->started != 0 && c->period > 0.0 && sample_time(c) > t + c->period + slack;
    for (int64_t i = 0; i < head->queued; i++)
        back = back || c->state.due[(head->head + i) % c->capacity] > t + c->delay + slack;
    if (head->started != 0 && !back)
        return;
    head->started = 1;
    head->start = t;
    head->next = 0;
    head->queued = 0;
}

static bool sample_due(const RgControl *c, const StepState *step, double t)
{
    return c->period > 0.0 ? sample_time(c) <= t + step->slack : step->first;
}

/* Queues the newest commands until t + delay. False: the ring is full. */
static bool queue_commands(RgControl *c, double t)
{
    RgControlState *s = &c->state;
    if (s->head->queued == c->capacity)
        return false;
    int64_t place = (s->head->head + s->head->queued) % c->capacity;
    RgJointCommand *to = s->waiting + place * c->njoints;
    for (int k = 0; k < c->njoints; k++) {
        to[k] = s->last[k];
        to[k].drive.time += c->delay;
    }
    s->due[place] = t + c->delay;
    s->head->queued++;
    return true;
}

static bool take_sample(RgControl *c, const StepState *step, double t)
{
    RgControlHead *head = c->state.head;
    rg_control_sample(c, c->period > 0.0 ? c->period : step->h, step->h);
    head->next++;

    /* Samples skipped because the world's time was set forward are not made up for. */
    if (c->period > 0.0 && sample_time(c) <= t + step->slack)
        head->next = 1 + (int64_t)floor((t + step->slack - head->start) / c->period);
    return queue_commands(c, t);
}

/* Makes the newest command that is due at t the current one. */
static void start_commands(RgControl *c, const StepState *step, double t)
{
    RgControlState *s = &c->state;
    while (s->head->queued > 0 && s->due[s->head->head] <= t + step->slack) {
        memcpy(s->current, s->waiting + s->head->head * c->njoints, (size_t)c->njoints * sizeof *s->current);
        s->head->head = (s->head->head + 1) % c->capacity;
        s->head->queued--;
    }
}

/* End of the part that starts now. */
static double next_mark(const RgControl *c, const StepState *step)
{
    const RgControlState *s = &c->state;
    double mark = step->end;
    if (c->period > 0.0 && sample_time(c) < mark - step->slack)
        mark = sample_time(c);
    if (s->head->queued > 0 && s->due[s->head->head] < mark - step->slack)
        mark = s->due[s->head->head];
    return mark;
}

/* ------------------------------------------------------------------ restoring */

static RgStatus save_world(RgControl *c, StepState *step)
{
    size_t size = rg_world_state_size(c->world);
    if (size > c->saved_room) {
        unsigned char *room = rg_alloc(&c->arena.allocator, 2, size);
        if (room == NULL)
            return RG_ERR_MEMORY;
        rg_free(&c->arena.allocator, c->saved_world);
        c->saved_world = room;
        c->saved_room = 2 * size;
    }
    rg_world_state_save(c->world, c->saved_world);
    step->sums = rg_world_energy_sums(c->world);
    step->statistics = c->world->log.statistics;
    step->saved = size;
    return RG_OK;
}

static RgStatus restore_state(RgControl *c, const StepState *step, RgStatus status)
{
    if (step->saved > 0 && !step->first) {
        rg_world_state_load(c->world, c->saved_world, step->saved);
        rg_world_set_energy_sums(c->world, &step->sums);
        c->world->log.statistics = step->statistics;
    }
    memcpy(c->block, c->before, c->block_size);
    return status;
}

/* ------------------------------------------------------------------ reports */

static void add_work(RgSolverWork *sum, const RgSolverWork *part)
{
    sum->total += part->total;
    sum->forces += part->forces;
    sum->erp += part->erp;
    sum->restitution += part->restitution;
    sum->springs += part->springs;
    sum->motors += part->motors;
    sum->friction += part->friction;
    sum->impacts += part->impacts;
    sum->rest += part->rest;
    sum->inertia += part->inertia;
    sum->split += part->split;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* Merges the report of a part: sums and worst values over the parts; instantaneous values are those of the last one. */
static void merge_report(RgStepReport *all, const RgStepReport *part, bool first)
{
    RgStepReport before = *all;
    *all = *part;
    if (first)
        return;
    all->evaluations += before.evaluations;
    all->substeps += before.substeps;
    all->rejected += before.rejected;
    all->dissipated += before.dissipated;
    all->projected += before.projected;
    all->contact_work += before.contact_work;
    all->slept += before.slept;
    all->fields += before.fields;
    all->attached += before.attached;
    all->unfinished += before.unfinished;
    all->fallbacks += before.fallbacks;
    all->guarded += before.guarded;
    all->ambiguous = larger(all->ambiguous, before.ambiguous);
    all->contradictions_proven = (all->contradictions == 0 || all->contradictions_proven) &&
                                 (before.contradictions == 0 || before.contradictions_proven);
    all->contradictions = larger(all->contradictions, before.contradictions);
    all->explicit_refused += before.explicit_refused;
    all->sweeps = larger(all->sweeps, before.sweeps);
    all->redundant_rows = larger(all->redundant_rows, before.redundant_rows);
    all->dropped_products = larger(all->dropped_products, before.dropped_products);
    all->residual = fmax(all->residual, before.residual);
    all->residual_impulse = fmax(all->residual_impulse, before.residual_impulse);
    all->residual_force = fmax(all->residual_force, before.residual_force);
    all->residual_velocity = fmax(all->residual_velocity, before.residual_velocity);
    all->missed_targets = larger(all->missed_targets, before.missed_targets);
    all->saturated_efforts = larger(all->saturated_efforts, before.saturated_efforts);
    all->slipping_pairs = larger(all->slipping_pairs, before.slipping_pairs);
    all->worst_target = fmax(all->worst_target, before.worst_target);
    add_work(&all->work, &before.work);
}

/* ------------------------------------------------------------------ the step */

/* Starts a step of length h. */
static StepState begin_step(RgControl *c, double h)
{
    double t = rg_world_time(c->world), shorter = c->period > 0.0 && c->period < h ? c->period : h;
    StepState step = {.h = h, .start = t, .end = t + h, .slack = RG_MARK_TOLERANCE * shorter, .first = true};
    memcpy(c->before, c->block, c->block_size);
    update_start(c, t, step.slack);
    return step;
}

/* Handles samples and commands that are due at t. Returns the length of the part up to the next mark; *done: it is the
   last part. Negative: the delay spans too many steps. */
static double begin_part(RgControl *c, StepState *step, double t, bool *done)
{
    if (sample_due(c, step, t) && !take_sample(c, step, t))
        return -1.0;
    start_commands(c, step, t);
    double mark = next_mark(c, step);
    *done = mark >= step->end;

    /* A step in one part has exactly the requested length. */
    return step->first && *done ? step->h : mark - t;
}

/* Makes the next part of a step; *done: it was the last. */
static RgStatus step_part(RgControl *c, StepState *step, RgStepReport *report, bool *done)
{
    double h = begin_part(c, step, rg_world_time(c->world), done);
    if (h < 0.0) {
        if (report != NULL)
            snprintf(report->offender, sizeof report->offender, "control: a delay of %g s is over %d steps", c->delay,
                     RG_DELAYS_MAX);
        return RG_ERR_ARGUMENT;
    }
    RgStatus status = RG_OK;
    if (step->first && !*done)
        status = save_world(c, step);
    if (status == RG_OK)
        status = rg_control_apply(c);
    if (status != RG_OK)
        return status;

    /* Keep the events and shortfalls of the earlier parts. */
    if (!step->first) {
        const RgShortfall *gave;
        rg_world_shortfalls(c->world, &gave);
        c->world->log.goes_on = true;
    }

    RgStepReport part;
    status = rg_world_step(c->world, h, report != NULL ? &part : NULL);
    if (report != NULL)
        merge_report(report, &part, step->first);
    if (status == RG_OK) {
        rg_control_track(c, h);
        step->first = false;
    }
    return status;
}

RgStatus rg_control_step(RgControl *c, double h, RgStepReport *report)
{
    double t = rg_world_time(c->world);
    if (report != NULL)
        *report = (RgStepReport){.t = t, .h = h};
    if (!(isfinite(h) && h > 0.0)) {
        if (report != NULL)
            report->status = RG_ERR_ARGUMENT;
        return RG_ERR_ARGUMENT;
    }
    StepState step = begin_step(c, h);
    RgStatus status = RG_OK;
    for (bool done = false; status == RG_OK && !done;)
        status = step_part(c, &step, report, &done);
    if (status == RG_OK)
        return RG_OK;
    if (report != NULL) {
        report->status = status;
        report->t = step.start;
    }
    return restore_state(c, &step, status);
}

RgStatus rg_control_dump_step(RgControl *c, double h, const char *path, RgError *error)
{
    if (!(isfinite(h) && h > 0.0))
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "the length of a step must be positive");
    bool done;
    StepState step = begin_step(c, h);
    double part = begin_part(c, &step, step.start, &done);
    RgStatus status = part < 0.0 ? RG_ERR_ARGUMENT : rg_control_apply(c);
    if (status != RG_OK)
        rg_fail(error, status, NULL, 0, "the controllers cannot begin the step: %s", rg_status_text(status));
    else
        status = rg_world_dump_step(c->world, part, path, error);
    return restore_state(c, &step, status);
}
