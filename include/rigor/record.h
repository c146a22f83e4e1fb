/*
 * record.h - trajectories to files: NPZ (numpy.load opens it) and CSV. Same columns in both.
 *
 *   t (n) | q (n x nq) | v (n x nv) | link_position (n x links x 3) | link_quaternion (n x links x 4, w x y
 *   z) | energy (n x 2: kinetic, potential) | contact (n x 3: points, work in J and residual of the last step)
 *
 * An NPZ also holds q_names, v_names, link_names. A file is whole after rg_recorder_finish; memory use is
 * bounded while it grows.
 */
#ifndef RIGOR_RECORD_H
#define RIGOR_RECORD_H

#include <rigor/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RgRecorder RgRecorder;

/* format: "npz" or "csv", or NULL to go by the path's ending. */
RG_API RgRecorder *rg_recorder_create(const RgModel *model, const char *path, const char *format,
                                      RgError *error);
RG_API RgStatus rg_recorder_add(RgRecorder *recorder, RgWorld *world);
RG_API RgStatus rg_recorder_finish(RgRecorder *recorder, RgError *error); /* closes and frees */

#ifdef __cplusplus
}
#endif
#endif
