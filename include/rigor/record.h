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
RG_API RgRecorder *rg_recorder_create(const RgModel *model, const char *path, const char *format, RgError *error);

/* The same with what an MCAP tells beside the motion: the def's name, description and step. */
RG_API RgRecorder *rg_recorder_create_for(const RgMessagesDef *def, const char *path, const char *format,
                                          RgError *error);

/* The world as it is: a row, or the messages of a frame. */
RG_API RgStatus rg_recorder_add(RgRecorder *recorder, RgWorld *world);

/* To be called after every step, before rg_recorder_add: finds the events of an MCAP; other formats need it not. */
RG_API RgStatus rg_recorder_step(RgRecorder *recorder, RgWorld *world);
RG_API RgStatus rg_recorder_finish(RgRecorder *recorder, RgError *error); /* closes and frees */

/* ------------------------------------------------------------------ reading MCAP */

/*
 * An MCAP file of any writer, with its index or without, whole or cut off; chunks uncompressed or LZ4. Channels are
 * numbered from 0 in the order in which the file brings them.
 */
typedef struct RgRecording RgRecording;

typedef struct RgRecordedChannel {
    const char *topic, *encoding;
    const char *schema_name, *schema_encoding; /* empty: the channel has no schema */
    const void *schema;
    size_t schema_size;
} RgRecordedChannel;

typedef struct RgRecordingInfo {
    int channels; /* those known by now: a file without index may bring more while it is read */
    int chunks;
    bool has_index;       /* it ends in a summary that is in order */
    bool is_whole;        /* it ends as the format says, not in the middle of a record or in zeros */
    uint64_t first, last; /* ns, of the messages in chunks */
} RgRecordingInfo;

/* NULL: error says what is wrong: no MCAP file, an unknown compression, damaged before the first message. */
RG_API RgRecording *rg_recording_open(const char *path, RgError *error);
RG_API void rg_recording_close(RgRecording *recording);
RG_API RgRecordingInfo rg_recording_info(const RgRecording *recording);
RG_API RgRecordedChannel rg_recording_channel(const RgRecording *recording, int channel);
RG_API int rg_recording_find_channel(const RgRecording *recording, const char *topic); /* -1: none by now */

/* The next message, in the order of the file; its data live until the next call. data NULL: there are no more. After a
   failure (a damaged chunk) the next call goes on behind it. */
RG_API RgStatus rg_recording_next(RgRecording *recording, RgMessage *out, RgError *error);

/* What comes next are the messages of this time (ns) and later. */
RG_API void rg_recording_seek(RgRecording *recording, uint64_t time);

/* Whether a file is a recording of rigor that can be shown: it has a scene that can be read. */
RG_API RgStatus rg_recording_check(const char *path, RgError *error);

/* The rows of a recording of rigor as NPZ or CSV, as rg_recorder_create writes them; format as there. *rows (may be
   NULL): how many there are. A damaged chunk ends it: RG_ERR_SYNTAX, and nothing is left behind. */
RG_API RgStatus rg_recording_export(const char *path, const char *out, const char *format, long long *rows,
                                    RgError *error);

#ifdef __cplusplus
}
#endif
#endif
