/*
 * control_step.c - time: when controllers are asked, when their answers begin to act, and the world's steps between.
 *
 *   samples at t_k = start + k / rate;   an answer of t_k acts from t_k + delay until the next one does (zero-order hold)
 *
 *   t        sample      begin          sample      begin                 end
 *   |----------|-----------|---------------|----------|--------------------|      every mark ends a step of the world
 *
 * A mark that round-off puts up to RG_MARKS_SLACK of a step beside another one falls together with it, so that 1 ms
 * steps under a 100 Hz control stay 1 ms steps. With rate 0 there is one sample a call, at its beginning. Drives whose
 * target moves are shifted by the delay: what was decided for [t_k, t_k + h] is done that much later.
 *
 * Events and what gave way are told of the whole step; other readings of the last one (contact forces, the world's own
 * last report) are of its last part. A step of one part is the world's own. With more parts the world is saved first,
 * and a part that fails brings back world and control; forces of the world's last step are then forgotten
 * (rg_world_state_load).
 */
#include "control/control_internal.h"

#include "base/alloc.h"
#include "base/status.h"
#include "sim/world_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One call of rg_control_step. */
typedef struct Walk {
    double h, start, end; /* s: of the whole step */
    double slack;         /* s */
    bool first;           /* no part has been made yet */
    size_t saved;         /* bytes of the world in saved_world; 0: none */
    RgEnergySums sums;    /* of the world then */
    RgStepStatistics statistics;
} Walk;

/* ------------------------------------------------------------------ samples and the ring */

static double sample_time(const RgControl *c)
{
    const RgControlHead *head = c->state.head;
    return head->start + (double)head->next * c->period;
}

/* Begins to count, and again where the world's time was set back. */
static void find_start(RgControl *c, double t, double slack)
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

static bool sample_due(const RgControl *c, const Walk *walk, double t)
{
    return c->period > 0.0 ? sample_time(c) <= t + walk->slack : walk->first;
}

/* The newest answers wait until t + delay. False: no room. */
static bool queue(RgControl *c, double t)
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

static bool take_sample(RgControl *c, const Walk *walk, double t)
{
    RgControlHead *head = c->state.head;
    rg_control_sample(c, c->period > 0.0 ? c->period : walk->h, walk->h);
    head->next++;

    /* Samples that the world's time has jumped over are not made up for. */
    if (c->period > 0.0 && sample_time(c) <= t + walk->slack)
        head->next = 1 + (int64_t)floor((t + walk->slack - head->start) / c->period);
    return queue(c, t);
}

/* Commands whose time has come, up to the newest of them. */
static void begin_commands(RgControl *c, const Walk *walk, double t)
{
    RgControlState *s = &c->state;
    while (s->head->queued > 0 && s->due[s->head->head] <= t + walk->slack) {
        memcpy(s->current, s->waiting + s->head->head * c->njoints, (size_t)c->njoints * sizeof *s->current);
        s->head->head = (s->head->head + 1) % c->capacity;
        s->head->queued--;
    }
}

/* Where the part that begins now ends. */
static double next_mark(const RgControl *c, const Walk *walk)
{
    const RgControlState *s = &c->state;
    double mark = walk->end;
    if (c->period > 0.0 && sample_time(c) < mark - walk->slack)
        mark = sample_time(c);
    if (s->head->queued > 0 && s->due[s->head->head] < mark - walk->slack)
        mark = s->due[s->head->head];
    return mark;
}

/* ------------------------------------------------------------------ the way back */

static RgStatus save_world(RgControl *c, Walk *walk)
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
    walk->sums = rg_world_energy_sums(c->world);
    walk->statistics = c->world->log.statistics;
    walk->saved = size;
    return RG_OK;
}

static RgStatus go_back(RgControl *c, const Walk *walk, RgStatus status)
{
    if (walk->saved > 0 && !walk->first) {
        rg_world_state_load(c->world, c->saved_world, walk->saved);
        rg_world_set_energy_sums(c->world, &walk->sums);
        c->world->log.statistics = walk->statistics;
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

/* Sums and worst values over the parts; what describes an instant is that of the last one. */
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
    all->calmed = larger(all->calmed, before.calmed);
    all->residual = fmax(all->residual, before.residual);
    all->residual_impulse = fmax(all->residual_impulse, before.residual_impulse);
    all->residual_force = fmax(all->residual_force, before.residual_force);
    all->residual_velocity = fmax(all->residual_velocity, before.residual_velocity);
    all->gave_target = larger(all->gave_target, before.gave_target);
    all->gave_effort = larger(all->gave_effort, before.gave_effort);
    all->gave_friction = larger(all->gave_friction, before.gave_friction);
    all->worst_target = fmax(all->worst_target, before.worst_target);
    add_work(&all->work, &before.work);
}

/* ------------------------------------------------------------------ the step */

/* A step of h from now on. */
static Walk begin_walk(RgControl *c, double h)
{
    double t = rg_world_time(c->world), shorter = c->period > 0.0 && c->period < h ? c->period : h;
    Walk walk = {.h = h, .start = t, .end = t + h, .slack = RG_MARKS_SLACK * shorter, .first = true};
    memcpy(c->before, c->block, c->block_size);
    find_start(c, t, walk.slack);
    return walk;
}

/* Samples and commands that are due at t. Length of the part up to the next mark; *done: that is the end. Negative: a
   delay is over too many steps. */
static double begin_part(RgControl *c, Walk *walk, double t, bool *done)
{
    if (sample_due(c, walk, t) && !take_sample(c, walk, t))
        return -1.0;
    begin_commands(c, walk, t);
    double mark = next_mark(c, walk);
    *done = mark >= walk->end;

    /* A step in one part is as long as asked for, to the last bit. */
    return walk->first && *done ? walk->h : mark - t;
}

/* The next part of a step; *done: it was the last. */
static RgStatus walk_part(RgControl *c, Walk *walk, RgStepReport *report, bool *done)
{
    double h = begin_part(c, walk, rg_world_time(c->world), done);
    if (h < 0.0) {
        if (report != NULL)
            snprintf(report->offender, sizeof report->offender, "control: a delay of %g s is over %d steps", c->delay,
                     RG_DELAYS_MAX);
        return RG_ERR_ARGUMENT;
    }
    RgStatus status = RG_OK;
    if (walk->first && !*done)
        status = save_world(c, walk);
    if (status == RG_OK)
        status = rg_control_apply(c);
    if (status != RG_OK)
        return status;

    /* What happened and what gave way in the parts before stays in the lists. */
    if (!walk->first) {
        const RgGaveWay *gave;
        rg_world_gave_way(c->world, &gave);
        c->world->log.goes_on = true;
    }

    RgStepReport part;
    status = rg_world_step(c->world, h, report != NULL ? &part : NULL);
    if (report != NULL)
        merge_report(report, &part, walk->first);
    if (status == RG_OK) {
        rg_control_track(c, h);
        walk->first = false;
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
    Walk walk = begin_walk(c, h);
    RgStatus status = RG_OK;
    for (bool done = false; status == RG_OK && !done;)
        status = walk_part(c, &walk, report, &done);
    if (status == RG_OK)
        return RG_OK;
    if (report != NULL) {
        report->status = status;
        report->t = walk.start;
    }
    return go_back(c, &walk, status);
}

RgStatus rg_control_dump_step(RgControl *c, double h, const char *path, RgError *error)
{
    if (!(isfinite(h) && h > 0.0))
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "the length of a step must be positive");
    bool done;
    Walk walk = begin_walk(c, h);
    double part = begin_part(c, &walk, walk.start, &done);
    RgStatus status = part < 0.0 ? RG_ERR_ARGUMENT : rg_control_apply(c);
    if (status != RG_OK)
        rg_fail(error, status, NULL, 0, "the controllers cannot begin the step: %s", rg_status_text(status));
    else
        status = rg_world_dump_step(c->world, part, path, error);
    return go_back(c, &walk, status);
}
