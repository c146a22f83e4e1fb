/*
 * stepper_advance.c - conservative advancement with time stepping (Zapolsky, Drumwright 2015, algorithm 1, corrected).
 *
 * An inner step from (x0, u0):
 *
 *   h  = min(max(time of the first contact at constant u0, h_min), rest of the step)
 *   x1 = x0 + h u0
 *   u1 = k(u0 + h a(x1, u0))            k: contacts within the gap, joints and limits (inner_steps.h)
 *
 * The time is found by conservative advancement (advancement.h), which ends at a distance between half the gap and the
 * gap. Corrections to the printed algorithm: line 4 has the rest of the step, not h; velocities are updated at the end
 * of every inner step, also without a contact; the loop ends at the end of the step, not after it. A projection
 * corrects gaps that are too small, so that the first advancement of every inner step is above zero.
 *
 * Guaranteed: an inner step longer than h_min brings no two shapes that were apart nearer than gap/2, for any length of
 * the requested step; and no contact is missed of shapes thicker than 2 h_min times the speed at which they meet. Every
 * inner step but the last has at least h_min, so a step of length h has at most h/h_min + 1 of them, for any number of
 * bounces. A bounce less than h_min after the previous one is late by at most h_min, with an overlap of at most h_min
 * times its speed, which the projection removes.
 *
 * Not guaranteed: the motion is of first order; shapes in contact with a triangle surface may overlap it by a part of
 * their size. If h_min is at least the requested step this is ordinary time stepping (semi-implicit-000).
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
    return rg_inner_step_run(s, &step);
}

static RgStatus step(RgStepScope *c, const RgState *s0, double h, RgState *s1)
{
    return rg_inner_steps_advance(c, inner_step, s0, h, s1);
}

const RgStepper rg_stepper_advance = {
    .name = "advance",
    .summary = "conservative advancement, then time stepping (000, algorithm 1): misses no contact",
    RG_INNER_STEPPER(rg_inner_steps_prepare, rg_inner_steps_check, rg_inner_steps_release)};
