/*
 * stepper_advance.c - time stepping that misses no contact (Zapolsky, Drumwright 2015, algorithm 1, corrected).
 *
 * An inner step from (x0, u0):
 *
 *   h  = min(max(time until anything touches at constant u0, h_min), what is left of the step)
 *   x1 = x0 + h u0
 *   u1 = k(u0 + h a(x1, u0))            k: contacts within the gap, joints and limits (kick.h)
 *
 * The time is found by conservative advancement (advancement.h), whose last distance lies between half the gap and the
 * gap. Corrected against the print: line 4 has the rest of the step, not h; velocities change at the end whether
 * something was met or not; the loop ends at the step's end, not beyond. Gaps are kept above half of theirs by
 * projection, so that the first advancement of every inner step is above zero.
 *
 * Guaranteed: an inner step longer than h_min moves no two shapes that were apart nearer than gap/2, at any length of
 * the step asked for; and no two of them are missed whose thickness is above 2 h_min times the speed they meet at.
 * Every inner step but the last is h_min or longer: a step of length h ends within h/h_min + 1 of them, however often
 * anything bounces. A bounce that would come sooner than h_min after the last is met late by at most h_min, with an
 * overlap of at most h_min times its speed, which the projection removes.
 *
 * Not guaranteed: rigid motion of first order; what touches a triangle surface may overlap it by a part of its size.
 * With h_min at least the step asked for this is ordinary time stepping (semi-implicit-000).
 */
#include "contact/shape_pairs.h"
#include "stepper/papers/advancement.h"
#include "stepper/papers/inner_states.h"
#include "stepper/papers/kick.h"
#include "stepper/stepper_table.h"

typedef struct Advance {
    RgAdvancement advancement;
    RgInnerStates states;
    RgKicker kicker;
} Advance;

static bool prepare(RgArena *arena, RgStepScope *c)
{
    Advance *a = RG_TAKE(arena, Advance, 1);
    c->stepper_data = a;
    return a != NULL && rg_advancement_take(arena, c, &a->advancement) &&
           rg_inner_states_take(arena, c, &a->states) && rg_kicker_take(arena, c, &a->kicker);
}

static void release(RgStepScope *c)
{
    Advance *a = c->stepper_data;
    if (a == NULL)
        return;
    rg_inner_states_release(&a->states);
    rg_kicker_release(&a->kicker);
}

/* One inner step, of at most `left`. Returns its length in *h. */
static RgStatus inner_step(RgStepScope *c, double left, double *h)
{
    Advance *a = c->stepper_data;
    RgInnerStates *s = &a->states;
    const double *u = s->now->u;
    RgAdvance safe;
    if (c->adapt.hold_input) {
        RgStatus asked = rg_stage_sample_input(c, s->now->t, s->now->x, u);
        if (asked != RG_OK)
            return asked;
    }
    double most = fmin(left, c->adapt.h_max);
    double horizon = rg_advancement_turn(&a->advancement, s->now->x, u, most);
    RgAdvanceAsk ask = {.x = s->now->x, .u = u, .horizon = horizon};
    RgStatus status = rg_advancement_find(&a->advancement, &ask, &safe);
    if (status != RG_OK)
        return status;
    bool least = safe.time < c->adapt.h_min && safe.time < most;
    *h = least ? fmin(c->adapt.h_min, most) : safe.time;
    if (safe.cut == RG_CUT_whole && horizon < most)
        safe.cut = RG_CUT_turn;

    RgInnerStep step = {.h = *h,
                        .cut = least ? RG_CUT_least : safe.cut,
                        .shape_a = safe.shape_a,
                        .shape_b = safe.shape_b,
                        .bound = safe.time,
                        .least_distance = safe.least};
    return rg_kicker_go(&a->kicker, s, u, &step);
}

static RgStatus step(RgStepScope *c, const RgState *s0, double h, RgState *s1)
{
    Advance *a = c->stepper_data;
    RgInnerSteps steps = {&a->kicker, &a->states, inner_step};
    return rg_kicker_advance(&steps, s0, h, s1);
}

static RgStatus check(RgStepScope *s, RgError *error)
{
    return rg_shape_pairs_check(s->scene, error);
}

const RgStepper rg_stepper_advance = {
    .name = "advance",
    .passive = RG_PASSIVE_MOVED,
    .summary = "conservative advancement, then time stepping (000, algorithm 1): misses no contact",
    .locates = true,
    .prepare = prepare,
    .check = check,
    .release = release,
    .step = step};
