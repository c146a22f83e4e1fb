/*
 * limits_outside.c - joints outside of their position limits, as text.
 *
 * Robot files often have joints whose limits do not contain 0, their start unless a position is set.
 */
#include "plan/limits_outside.h"

#include <math.h>
#include <string.h>

#define DEGREES 57.29577951308232 /* in a radian */

const char *rg_axis_unit(const RgModel *model, RgJointId joint, int dof)
{
    return rg_model_joint(model, joint).is_length[dof] ? "m" : "rad";
}

RgOutside *rg_limits_outside(RgPool *pool, const RgModel *model, RgJointId joint, const double *q, RgOutside *list,
                             int *count)
{
    RgJointInfo info = rg_model_joint(model, joint);
    for (int k = 0; info.nq == info.nv && k < info.nv; k++) {
        double low = info.dof[k].lower - q[k], high = q[k] - info.dof[k].upper;
        if (!(fmax(low, high) > RG_LIMIT_SLACK))
            continue;
        list = rg_pool_grow(pool, list, *count, sizeof *list);
        list[(*count)++] =
            (RgOutside){.joint = joint, .dof = k, .position = q[k], .excess = fmax(low, high), .below = low > high};
    }
    return list;
}

const char *rg_outside_text(RgPool *pool, const RgModel *model, const RgOutside *outside)
{
    RgJointInfo info = rg_model_joint(model, outside->joint);
    const RgAxisDef *axis = &info.dof[outside->dof];
    const char *unit = rg_axis_unit(model, outside->joint, outside->dof);
    const char *degrees = strcmp(unit, "rad") == 0 ? rg_pool_print(pool, " (%.3g deg)", DEGREES * outside->excess) : "";
    const char *which = info.nv > 1 ? rg_pool_print(pool, " (axis %d)", outside->dof) : "";
    return rg_pool_print(pool, "%.3g %s%s %s limit of %.4g %s%s", outside->excess, unit, degrees,
                         outside->below ? "below its lower" : "above its upper",
                         outside->below ? axis->lower : axis->upper, unit, which);
}
