/*
 * control_reference.c - what a controller's joints are to do at a time: where its trajectory is. Zeros where it has none.
 */
#include "control/controller.h"

#include <string.h>

RgStatus rg_controller_reference(RgController *controller, const RgControlView *view, double t,
                                 RgReference *out)
{
    (void)view;
    if (controller->trajectory != NULL)
        rg_trajectory_at(controller->trajectory, t, out);
    else
        memset(out, 0, (size_t)controller->njoints * sizeof *out);
    return RG_OK;
}
