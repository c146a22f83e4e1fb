/*
 * control_reference.c - what a controller's joints are to do at a time: where its trajectory is, or where its gait
 * has the feet, or its kind itself. Zeros where nothing is wanted.
 */
#include "control/gait_reference.h"

#include <string.h>

RgStatus rg_controller_reference(RgController *controller, const RgControlView *view, double t, RgReference *out)
{
    if (controller->guess != NULL)
        return rg_gait_reference(controller, view, t, out);
    if (controller->kind->reference != NULL && controller->kind->reference(controller, t, out))
        return RG_OK;
    if (controller->trajectory != NULL)
        rg_trajectory_at(controller->trajectory, t, out);
    else
        memset(out, 0, (size_t)controller->njoints * sizeof *out);
    return RG_OK;
}
