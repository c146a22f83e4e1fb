/*
 * record.h - recordings in files: NPZ (for numpy.load) and CSV, with the same columns, and MCAP with the messages of
 * rigor/message.h.
 *
 *   t (n) | q (n x nq) | v (n x nv) | link_position (n x links x 3) | link_quaternion (n x links x 4, w x y
 *   z) | energy (n x 2: kinetic, potential) | contact (n x 3: points, work in J and residual of the last step)
 *
 * An NPZ also holds q_names, v_names, link_names. A file is complete after rg_recorder_finish; memory use is bounded.
 * NPZ and CSV files get their name only then. An MCAP has its name from the start and is readable up to its last chunk
 * (256 KiB or 1 s) if the program is killed.
 */
#ifndef RIGOR_RECORD_H
#define RIGOR_RECORD_H

#include <rigor/message.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RgRecorder RgRecorder;

/* format: "npz", "csv" or "mcap"; NULL: by the extension of path. */
RG_API RgRecorder *rg_recorder_create(const RgModel *model, const char *path, const char *format, RgError *error);

/* The same with the name, description and step of def for an MCAP. */
RG_API RgRecorder *rg_recorder_create_for(const RgMessagesDef *def, const char *path, const char *format,
                                          RgError *error);

/* Records the present state of the world: a row, or the messages of a frame. */
RG_API RgStatus rg_recorder_add(RgRecorder *recorder, RgWorld *world);

/* Call it after every step, before rg_recorder_add: records the events in an MCAP; no effect with other formats. */
RG_API RgStatus rg_recorder_step(RgRecorder *recorder, RgWorld *world);
RG_API RgStatus rg_recorder_finish(RgRecorder *recorder, RgError *error); /* closes the file and frees the recorder */

/* ------------------------------------------------------------------ reading MCAP */

/*
 * Reads MCAP files of any writer, with or without index, complete or truncated; chunks uncompressed or LZ4. Channels
 * are numbered from 0 in the order of their first appearance in the file.
 */
typedef struct RgRecording RgRecording;

typedef struct RgRecordedChannel {
    const char *topic, *encoding;
    const char *schema_name, *schema_encoding; /* empty: the channel has no schema */
    const void *schema;
    size_t schema_size;
} RgRecordedChannel;

typedef struct RgRecordingInfo {
    int channels; /* found so far: a file without index may have more, found while reading */
    int chunks;
    bool has_index;       /* it ends in a valid summary */
    bool is_whole;        /* it ends as the format requires, not in the middle of a record or in zeros */
    uint64_t first, last; /* ns: first and last message in chunks */
} RgRecordingInfo;

/* Returns NULL on failure: not an MCAP file, an unknown compression, or damaged before the first message. */
RG_API RgRecording *rg_recording_open(const char *path, RgError *error);
RG_API void rg_recording_close(RgRecording *recording);
RG_API RgRecordingInfo rg_recording_info(const RgRecording *recording);
RG_API RgRecordedChannel rg_recording_channel(const RgRecording *recording, int channel);
RG_API int rg_recording_find_channel(const RgRecording *recording, const char *topic); /* -1: none found so far */

/* Reads the next message, in file order; its data are valid until the next call. data NULL: end of the file. After a
   failure (a damaged chunk) the next call continues with the next chunk. */
RG_API RgStatus rg_recording_next(RgRecording *recording, RgMessage *out, RgError *error);

/* Continues reading at the first message of this time (ns) or later. */
RG_API void rg_recording_seek(RgRecording *recording, uint64_t time);

/* RG_OK if the file is a recording of rigor with a readable scene. */
RG_API RgStatus rg_recording_check(const char *path, RgError *error);

/* Converts a recording of rigor to NPZ or CSV in the layout of rg_recorder_create; format as there. *rows (may be
   NULL): number of rows. A damaged chunk is an error: RG_ERR_SYNTAX, and no file is written. */
RG_API RgStatus rg_recording_export(const char *path, const char *out, const char *format, long long *rows,
                                    RgError *error);

#ifdef __cplusplus
}
#endif
#endif
