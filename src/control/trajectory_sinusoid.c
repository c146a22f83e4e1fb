/*
 * trajectory_sinusoid.c - q* = position + amplitude sin(frequency t + phase), frequency in rad/s.
 *
 *   v* = amplitude frequency cos(...),   a* = -amplitude frequency^2 sin(...)
 *
 * The sine (math/trig.h) has the same bits on every machine while |frequency t + phase| is below 1e6 rad.
 */
#include "control/trajectory_table.h"

#include "base/status.h"
#include "math/trig.h"

static RgStatus sinusoid_fill(RgTrajectory *trajectory, const RgTrajectoryDef *def, RgError *error)
{
    if (def->amplitude == NULL || def->frequency == NULL)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "a sinusoid needs amplitude and frequency of every axis");
    trajectory->position = rg_trajectory_copy(trajectory, def->position, def->naxes, "position", error);
    if (trajectory->position != NULL)
        trajectory->amplitude = rg_trajectory_copy(trajectory, def->amplitude, def->naxes, "amplitude", error);
    if (trajectory->amplitude != NULL)
        trajectory->frequency = rg_trajectory_copy(trajectory, def->frequency, def->naxes, "frequency", error);
    if (trajectory->frequency != NULL)
        trajectory->phase = rg_trajectory_copy(trajectory, def->phase, def->naxes, "phase", error);
    if (trajectory->position == NULL || trajectory->phase == NULL)
        return RG_ERR_ARGUMENT;
    for (int k = 0; k < def->naxes; k++) {
        double A = fabs(def->amplitude[k]), f = fabs(def->frequency[k]);
        if (!isfinite(A * f * f) || !isfinite(2.0 * (fabs(trajectory->position[k]) + A)))
            return rg_fail(error, RG_ERR_NOT_FINITE, NULL, 0, "trajectory: axis %d of a sinusoid is too large", k + 1);
    }
    return RG_OK;
}

static void sinusoid_at(const RgTrajectory *trajectory, double t, RgReference *out)
{
    for (int k = 0; k < trajectory->naxes; k++) {
        double sine, cosine, A = trajectory->amplitude[k], f = trajectory->frequency[k];
        rg_sincos(f * t + trajectory->phase[k], &sine, &cosine);
        out[k] = (RgReference){.position = trajectory->position[k] + A * sine,
                               .velocity = A * f * cosine,
                               .acceleration = -(A * f * f * sine)};
    }
}

const RgTrajectoryKind rg_trajectory_sinusoid_kind = {.name = "sinusoid",
                                                      .summary = "position + amplitude sin(frequency t + phase)",
                                                      .fill = sinusoid_fill,
                                                      .at = sinusoid_at};
