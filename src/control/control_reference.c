/*
 * control_reference.c - what a controller's joints are to do at a time: where its trajectory is, or where its gait
 * has the feet. Zeros where it has neither.
 */
#include "control/gait_reference.h"

#include <string.h>

RgStatus rg_controller_reference(RgController *controller, const RgControlView *view, double t,
                                 RgReference *out)
{
    if (controller->guess != NULL)
        return rg_gait_reference(controller, view, t, out);
    if (controller->trajectory != NULL)
        rg_trajectory_at(controller->trajectory, t, out);
    else
        memset(out, 0, (size_t)controller->njoints * sizeof *out);
    return RG_OK;
}
