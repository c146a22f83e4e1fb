/*
 * record.h - trajectories to files: NPZ (numpy.load opens it) and CSV, with the same columns in both, and MCAP, which
 * holds the messages of rigor/message.h.
 *
 *   t (n) | q (n x nq) | v (n x nv) | link_position (n x links x 3) | link_quaternion (n x links x 4, w x y
 *   z) | energy (n x 2: kinetic, potential) | contact (n x 3: points, work in J and residual of the last step)
 *
 * An NPZ also holds q_names, v_names, link_names. A file is whole after rg_recorder_finish; memory use is
 * bounded while it grows. NPZ and CSV get their name only then; an MCAP has it from the start and can be read up to its
 * last chunk (256 KiB or 1 s) if the program is killed.
 */
#ifndef RIGOR_RECORD_H
#define RIGOR_RECORD_H

#include <rigor/message.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RgRecorder RgRecorder;

/* format: "npz", "csv" or "mcap", or NULL to go by the path's ending. */
RG_API RgRecorder *rg_recorder_create(const RgModel *model, const char *path, const char *format,
                                      RgError *error);

/* The same with what an MCAP tells beside the motion: the def's name, description and step. */
RG_API RgRecorder *rg_recorder_create_for(const RgMessagesDef *def, const char *path, const char *format,
                                          RgError *error);

/* The world as it is: a row, or the messages of a frame. */
RG_API RgStatus rg_recorder_add(RgRecorder *recorder, RgWorld *world);

/* To be called after every step, before rg_recorder_add: finds the events of an MCAP; other formats need it not. */
RG_API RgStatus rg_recorder_step(RgRecorder *recorder, RgWorld *world);
RG_API RgStatus rg_recorder_finish(RgRecorder *recorder, RgError *error); /* closes and frees */

#ifdef __cplusplus
}
#endif
#endif
