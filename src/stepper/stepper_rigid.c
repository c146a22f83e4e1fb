/*
 * stepper_rigid.c - no two bodies ever overlap, and every event is found (paper 001, and beyond): located inner steps
 * of the length asked for, or up to the next event.
 */
#include "stepper/located.h"
#include "stepper/stepper_table.h"

static bool prepare(RgArena *arena, RgStepScope *s)
{
    RgLocated *l = RG_TAKE(arena, RgLocated, 1);
    s->stepper_data = l;
    return l != NULL && rg_located_take(arena, s, l);
}

static RgStatus check(RgStepScope *s, RgError *error)
{
    return rg_located_check(s->stepper_data, error);
}

static void release(RgStepScope *s)
{
    rg_located_release(s->stepper_data);
}

static RgStatus step(RgStepScope *s, const RgState *s0, double h, RgState *s1)
{
    return rg_located_advance(s->stepper_data, s0, h, s1);
}

const RgStepper rg_stepper_rigid = {
    .name = "rigid",
    .summary = "located events: no contact is missed, nothing ever overlaps (paper 001)",
    .locates = true,
    .prepare = prepare,
    .check = check,
    .release = release,
    .step = step};
