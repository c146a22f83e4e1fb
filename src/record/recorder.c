/*
 * recorder.c - records a world's state in a file format, which gets a row or the world itself.
 *
 * The first failure of the format ends the recording: later rows are refused with the same status, and finish removes
 * an incomplete NPZ or CSV and returns the error. A row that cannot be computed (the energy of the world fails) is left
 * out, with that status.
 */
#include "base/alloc.h"
#include "base/file_bytes.h"
#include "base/status.h"
#include "math/quat.h"
#include "record/record_table.h"

#include <rigor/control.h>

#include <string.h>

struct RgRecorder {
    RgArena arena; /* memory of everything below */
    const RgModel *model;
    const RgControl *control; /* NULL: none */
    const RgRecordFormat *format;
    RgRecordLayout layout;
    double *row; /* for formats of rows */
    void *writer;
    RgError failure; /* the first failure; status RG_OK: none */
};

static const RgRecordFormat *const formats[] = {
#define RG_RECORD_ENTRY(name) &rg_record_##name,
    RG_RECORD_LIST(RG_RECORD_ENTRY)
#undef RG_RECORD_ENTRY
};

#define RG_RECORD_WORD(name) " " #name
#define FORMAT_NAMES RG_RECORD_LIST(RG_RECORD_WORD)

static const RgRecordFormat *find_format(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

const RgRecordFormat *rg_record_format_of(const char *path, const char *format, RgError *error)
{
    const char *name = format != NULL ? format : rg_path_ending(path);
    const RgRecordFormat *kind = find_format(name);
    if (kind == NULL)
        rg_fail(error, RG_ERR_UNSUPPORTED, path, 0, "no recording format '%s'; there are:" FORMAT_NAMES, name);
    return kind;
}

/* Creates layout, row and file. */
static RgStatus init_recorder(RgRecorder *recorder, const RgMessagesDef *def, const char *path, RgError *error)
{
    RgRecordSource source = {.layout = &recorder->layout, .messages = *def};
    if (rg_record_layout(def->model, def->control, &recorder->arena, &recorder->layout))
        recorder->row = RG_ARENA_ALLOC(&recorder->arena, double, recorder->layout.width);
    if (recorder->row == NULL)
        return rg_fail(error, RG_ERR_MEMORY, path, 0, "out of memory");
    recorder->writer = recorder->format->open(&source, path, &recorder->arena, error);
    return recorder->writer != NULL ? RG_OK : RG_ERR_FILE;
}

RgRecorder *rg_recorder_create_for(const RgMessagesDef *def, const char *path, const char *format, RgError *error)
{
    if (def == NULL || def->cookie != RG_COOKIE || def->model == NULL || path == NULL || path[0] == '\0') {
        rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "a recording needs a model and a path");
        return NULL;
    }
    const RgRecordFormat *kind = rg_record_format_of(path, format, error);
    if (kind == NULL)
        return NULL;
    RgRecorder *recorder = rg_alloc_object(NULL, sizeof *recorder, path, error);
    if (recorder == NULL)
        return NULL;
    rg_arena_init(&recorder->arena, NULL);
    recorder->model = def->model;
    recorder->control = def->control;
    recorder->format = kind;
    if (init_recorder(recorder, def, path, error) == RG_OK)
        return recorder;
    rg_arena_free_with(&recorder->arena, recorder);
    return NULL;
}

RgRecorder *rg_recorder_create(const RgModel *model, const char *path, const char *format, RgError *error)
{
    RgMessagesDef def = rg_messages_def_default();
    def.model = model;
    return rg_recorder_create_for(&def, path, format, error);
}

/* Writes targets and efforts of the control to the row. */
static void fill_control(const RgRecorder *recorder)
{
    const RgRecordLayout *layout = &recorder->layout;
    double *to = recorder->row + layout->arrays[RG_RECORD_CONTROL].start;
    for (int i = 0; i < layout->controlled; i++, to += 4) {
        RgJointTracking joint = rg_control_joint(recorder->control, i);
        to[0] = joint.wanted.position;
        to[1] = joint.wanted.velocity;
        to[2] = joint.effort;
        to[3] = joint.saturated ? 1.0 : 0.0;
    }
}

/* Writes state, poses, energy and contacts of the world to the row. */
static RgStatus fill_row(RgRecorder *recorder, RgWorld *world)
{
    const RgRecordLayout *layout = &recorder->layout;
    double *row = recorder->row;
    RgMomentum momentum;
    RgStatus status = rg_world_momentum(world, &momentum);
    if (status != RG_OK)
        return status;

    row[layout->arrays[RG_RECORD_T].start] = rg_world_time(world);
    if (layout->nq > 0)
        memcpy(row + layout->arrays[RG_RECORD_Q].start, rg_world_q(world), (size_t)layout->nq * sizeof *row);
    if (layout->nv > 0)
        memcpy(row + layout->arrays[RG_RECORD_V].start, rg_world_v(world), (size_t)layout->nv * sizeof *row);

    double *position = row + layout->arrays[RG_RECORD_POSITION].start;
    double *quaternion = row + layout->arrays[RG_RECORD_QUATERNION].start;
    for (int i = 0; i < layout->links; i++, position += 3, quaternion += 4) {
        RgPose X_WL = rg_world_link_pose(world, (RgLinkId){i + 1});
        position[0] = X_WL.p.x;
        position[1] = X_WL.p.y;
        position[2] = X_WL.p.z;
        q_store(q_from_matrix(X_WL.R), quaternion);
    }

    double *energy = row + layout->arrays[RG_RECORD_ENERGY].start;
    energy[0] = momentum.kinetic;
    energy[1] = momentum.potential;

    double *contact = row + layout->arrays[RG_RECORD_CONTACT].start;
    rg_world_watch(world);
    const RgStepReport *report = rg_world_last_report(world);
    contact[0] = report->contacts;
    contact[1] = report->contact_work;
    contact[2] = report->residual;
    fill_control(recorder);
    return RG_OK;
}

/* Whether this world can be recorded: it has the recorder's model, and nothing failed before. */
static RgStatus check_world(const RgRecorder *recorder, const RgWorld *world)
{
    if (recorder == NULL || world == NULL || rg_world_model(world) != recorder->model)
        return RG_ERR_ARGUMENT;
    return recorder->failure.status;
}

RgStatus rg_recorder_add(RgRecorder *recorder, RgWorld *world)
{
    RgStatus status = check_world(recorder, world);
    if (status != RG_OK)
        return status;
    if (recorder->format->add_world != NULL)
        return recorder->format->add_world(recorder->writer, world, &recorder->failure);
    status = fill_row(recorder, world);
    if (status != RG_OK)
        return status;
    return recorder->format->add(recorder->writer, recorder->row, &recorder->failure);
}

RgStatus rg_recorder_step(RgRecorder *recorder, RgWorld *world)
{
    RgStatus status = check_world(recorder, world);
    if (status != RG_OK || recorder->format->add_step == NULL)
        return status;
    return recorder->format->add_step(recorder->writer, world, &recorder->failure);
}

RgStatus rg_recorder_finish(RgRecorder *recorder, RgError *error)
{
    if (recorder == NULL)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "there is no recording to finish");
    RgError failure = recorder->failure;
    RgStatus status =
        recorder->format->finish(recorder->writer, failure.status == RG_OK, failure.status == RG_OK ? error : NULL);
    if (failure.status != RG_OK) {
        status = failure.status;
        if (error != NULL)
            *error = failure;
    }
    rg_arena_free_with(&recorder->arena, recorder);
    return status;
}
