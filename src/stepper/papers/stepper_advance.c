/*
 * stepper_advance.c - time stepping that misses no contact (Zapolsky, Drumwright 2015, algorithm 1, corrected).
 *
 * An inner step from (x0, u0):
 *
 *   h  = min(max(time until anything touches at constant u0, h_min), what is left of the step)
 *   x1 = x0 + h u0
 *   u1 = k(u0 + h a(x1, u0))            k: contacts within the gap, joints and limits (inner_steps.h)
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
#include "stepper/papers/inner_steps.h"
#include "stepper/stepper_table.h"

static RgStatus inner_step(RgStepScope *c, double left, double *h)
{
    RgInnerSteps *s = c->stepper_data;
    RgAdvance safe;
    double most = fmin(left, c->adapt.h_max);
    RgStatus status = rg_inner_steps_input(s);
    if (status == RG_OK)
        status = rg_advancement_from(&s->advancement, s->now, most, &safe);
    if (status != RG_OK)
        return status;
    RgInnerStep step = rg_inner_step_of(c, &safe, most);
    *h = step.h;
    return rg_inner_step_go(s, &step);
}

static RgStatus step(RgStepScope *c, const RgState *s0, double h, RgState *s1)
{
    return rg_inner_steps_advance(c, inner_step, s0, h, s1);
}

const RgStepper rg_stepper_advance = {
    .name = "advance",
    .passive = RG_PASSIVE_MOVED,
    .summary = "conservative advancement, then time stepping (000, algorithm 1): misses no contact",
    .locates = true,
    .prepare = rg_inner_steps_prepare,
    .check = rg_inner_steps_check,
    .release = rg_inner_steps_release,
    .step = step};
