/* stepper.c - the table of steppers. */
#include "stepper/stepper_table.h"

#include "base/kind_names.h"

#define STEPPER_ENTRY(name) &rg_stepper_##name,
static const RgStepper *const steppers[] = {STEPPER_TABLE(STEPPER_ENTRY)};
#undef STEPPER_ENTRY

#define STEPPER_COUNT ((int)(sizeof steppers / sizeof steppers[0]))

RG_KIND_NAMES(rg_stepper, steppers, STEPPER_COUNT)

bool rg_stepper_locates(int index)
{
    return index >= 0 && index < STEPPER_COUNT && steppers[index]->locates;
}

RG_KIND_FIND(rg_stepper, steppers, STEPPER_COUNT)

const RgStepper *rg_stepper_at(int index)
{
    return steppers[index];
}
