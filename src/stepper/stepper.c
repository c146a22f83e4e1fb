/* stepper.c - the table of steppers. */
#include "stepper/stepper_table.h"

#include "base/kind_names.h"

#include <string.h>

static const RgStepper *const steppers[] = {
#define STEPPER_ENTRY(name) &rg_stepper_##name,
    STEPPER_TABLE(STEPPER_ENTRY)
#undef STEPPER_ENTRY
};

#define STEPPER_COUNT ((int)(sizeof steppers / sizeof steppers[0]))

RG_KIND_NAMES(rg_stepper, steppers, STEPPER_COUNT)

bool rg_stepper_locates(int index)
{
    return index >= 0 && index < STEPPER_COUNT && steppers[index]->locates;
}

int rg_stepper_find(const char *name)
{
    for (int i = 0; i < STEPPER_COUNT; i++)
        if (strcmp(steppers[i]->name, name) == 0)
            return i;
    return -1;
}

const RgStepper *rg_stepper_at(int index)
{
    return steppers[index];
}
