/* trajectory_constant.c - q* = position at all times. */
#include "control/trajectory_table.h"

static RgStatus constant_fill(RgTrajectory *trajectory, const RgTrajectoryDef *def, RgError *error)
{
    trajectory->position = rg_trajectory_copy(trajectory, def->position, def->naxes, "position", error);
    return trajectory->position != NULL ? RG_OK : RG_ERR_ARGUMENT;
}

static void constant_at(const RgTrajectory *trajectory, double t, RgReference *out)
{
    (void)t;
    for (int k = 0; k < trajectory->naxes; k++)
        out[k] = (RgReference){.position = trajectory->position[k]};
}

const RgTrajectoryKind rg_trajectory_constant_kind = {
    .name = "constant", .summary = "one position, held", .fill = constant_fill, .at = constant_at};
