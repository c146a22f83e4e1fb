/*
 * run_outputs.c - the output files of a run: checks before the start, recorders.
 *
 * Two paths are one file if device and inode agree; a path that does not exist yet is identified by its folder and its
 * last component. Only regular files count: several outputs may go to /dev/null.
 *
 * Fails on an output that is an input or another output, that overwrites an XML file (perhaps a model that another one
 * includes), or that cannot be written.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/error.h"
#include "run/report.h"
#include "run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OUTPUTS = 8 };

#define MCAP_RATE 60.0 /* Hz: default rate of rows of an MCAP */

/* Identity of a file. */
typedef struct FileIdentity {
    bool known;  /* false: no regular file, or no such folder */
    bool exists; /* false: device and inode are those of the folder */
    dev_t device;
    ino_t inode;
    const char *last; /* last name of the path */
} FileIdentity;

static FileIdentity identify(RgPlan *plan, const char *path)
{
    struct stat at;
    const char *slash = strrchr(path, '/');
    FileIdentity identity = {.last = slash ? slash + 1 : path};
    if (stat(path, &at) == 0) {
        identity.known = S_ISREG(at.st_mode);
        identity.exists = true;
    } else {
        const char *folder = !slash          ? "."
                             : slash == path ? "/"
                                             : rg_pool_print(&plan->pool, "%.*s", (int)(slash - path), path);
        identity.known = stat(folder, &at) == 0;
    }
    if (identity.known) {
        identity.device = at.st_dev;
        identity.inode = at.st_ino;
    }
    return identity;
}

static bool same_file(const FileIdentity *a, const FileIdentity *b)
{
    return a->known && b->known && a->exists == b->exists && a->device == b->device && a->inode == b->inode &&
           (a->exists || strcmp(a->last, b->last) == 0);
}

/* The file given to the command, perhaps as the standard input. */
static FileIdentity identify_given(RgPlan *plan)
{
    struct stat at;
    if (!plan->from_stdin)
        return identify(plan, plan->path);
    if (fstat(STDIN_FILENO, &at) != 0 || !S_ISREG(at.st_mode))
        return (FileIdentity){.known = false};
    return (FileIdentity){.known = true, .exists = true, .device = at.st_dev, .inode = at.st_ino};
}

/* Robot files begin with '<'; of outputs only reports do, with <!doctype. */
static bool holds_xml(const char *path, bool may_be_page)
{
    FILE *file = fopen(path, "rb");
    char next[9] = "";
    int letter = file ? fgetc(file) : EOF;
    while (letter == ' ' || letter == '\t' || letter == '\r' || letter == '\n' || letter == 0xef || letter == 0xbb ||
           letter == 0xbf)
        letter = fgetc(file);
    bool is_page = may_be_page && file && fread(next, 1, sizeof next - 1, file) == sizeof next - 1 &&
                   strcasecmp(next, "!doctype") == 0;
    if (file)
        fclose(file);
    return letter == '<' && !is_page;
}

RgStatus rg_run_check_outputs(RgRun *run, RgError *error)
{
    RgPlan *plan = &run->plan;
    const char *paths[OUTPUTS] = {plan->record, plan->csv,    plan->json,        plan->report,
                                  plan->dump,   plan->events, plan->certificate, plan->written};
    FileIdentity outputs[OUTPUTS] = {{.known = false}}, given = identify_given(plan);
    for (int i = 0; i < OUTPUTS; i++) {
        if (!paths[i] || strcmp(paths[i], "-") == 0)
            continue;
        outputs[i] = identify(plan, paths[i]);

        bool is_input = same_file(&outputs[i], &given);
        for (int m = 0; m < plan->nmodels && !is_input; m++) {
            FileIdentity model = identify(plan, plan->models[m].file);
            is_input = !plan->models[m].data && same_file(&outputs[i], &model);
        }
        if (is_input)
            return rg_error_set(error, RG_ERR_ARGUMENT, paths[i], "the output would overwrite an input");
        if (outputs[i].known && outputs[i].exists && holds_xml(paths[i], paths[i] == plan->report))
            return rg_error_set(error, RG_ERR_ARGUMENT, paths[i],
                                "the output would overwrite an XML file: remove it first if this is intended");
        for (int k = 0; k < i; k++)
            if (same_file(&outputs[i], &outputs[k]))
                return rg_error_set(error, RG_ERR_ARGUMENT, paths[i], "two outputs into one file");
    }
    return RG_OK;
}

/* Whether a file that is written at the end (summary, report) can be written. Removes a file that it creates. */
static RgStatus check_written_last(const char *path, RgError *error)
{
    struct stat at;
    if (!path || strcmp(path, "-") == 0)
        return RG_OK;
    int made = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    int fault = made < 0 ? errno : 0;
    if (made >= 0) {
        close(made);
        unlink(path);
    } else if (fault == EEXIST) {
        bool is_folder = stat(path, &at) == 0 && S_ISDIR(at.st_mode);
        fault = is_folder ? EISDIR : access(path, W_OK) != 0 && errno != ENOENT ? errno : 0;
    }
    if (fault)
        return rg_error_set(error, RG_ERR_FILE, path, "cannot write: %s", strerror(fault));
    return RG_OK;
}

/* Content of a file, zero-terminated; NULL: unreadable. */
static char *read_text(RgPlan *plan, const char *path)
{
    struct stat at;
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    if (file && fstat(fileno(file), &at) == 0 && S_ISREG(at.st_mode)) {
        size_t size = (size_t)at.st_size;
        text = rg_pool_take(&plan->pool, size + 1, 1);
        text[fread(text, 1, size, file)] = '\0';
    }
    if (file)
        fclose(file);
    return text;
}

/* The text of a plan that is a URDF; NULL: it is not. */
static const char *description_of(RgPlan *plan)
{
    if (plan->nmodels != 1)
        return NULL;
    const RgPlanModel *model = &plan->models[0];
    const char *text = model->data ? rg_pool_print(&plan->pool, "%.*s", (int)model->size, (const char *)model->data)
                                   : read_text(plan, model->file);
    const char *robot = text ? strstr(text, "<robot") : NULL, *sdf = text ? strstr(text, "<sdf") : NULL;
    return robot && (!sdf || robot < sdf) ? text : NULL;
}

/* Steps per row: as given, else by MCAP_RATE for an MCAP, else 1. */
static int steps_a_row(const RgRun *run, const char *path)
{
    const char *dot = strrchr(path, '.');
    bool is_mcap = dot && strcmp(dot, ".mcap") == 0;
    double rate = !isnan(run->plan.record_rate) ? run->plan.record_rate : is_mcap ? MCAP_RATE : INFINITY;
    if (run->plan.every > 0)
        return run->plan.every;
    return (int)fmin(fmax(1.0, round(1.0 / (rate * run->step))), RG_PLAN_EVERY_MAX);
}

RgStatus rg_run_open_outputs(RgRun *run, RgError *error)
{
    RgStatus status = check_written_last(run->plan.json, error);
    if (status == RG_OK)
        status = check_written_last(run->plan.report, error);
    if (status != RG_OK)
        return status;
    const char *paths[RG_RUN_OUTPUTS] = {run->plan.record, run->plan.csv, rg_report_recording(run)};
    const char *formats[RG_RUN_OUTPUTS] = {NULL, "csv", "mcap"};
    RgMessagesDef def = rg_messages_def_default();
    def.model = run->model;
    def.step = run->step;
    def.control = run->control;
    for (int i = 0; i < RG_RUN_OUTPUTS; i++) {
        if (!paths[i])
            continue;
        RgRunOutput *output = &run->outputs[i];
        def.description = description_of(&run->plan);
        output->path = paths[i];
        output->is_temporary = i == RG_RUN_REPORT;
        output->every = output->is_temporary ? rg_report_every(run) : steps_a_row(run, paths[i]);
        output->recorder = rg_recorder_create_for(&def, paths[i], formats[i], error);
        if (!output->recorder)
            return error->status != RG_OK ? error->status : RG_ERR_FILE;
    }
    if (run->plan.certificate && run->plan.nattachments > 0)
        return rg_error_set(error, RG_ERR_UNSUPPORTED, run->plan.path,
                            "a certificate cannot contain joints that are made at run time (attachments)");
    if (run->plan.certificate) {
        bool to_output = strcmp(run->plan.certificate, "-") == 0;
        run->certificate = rg_certificate_begin(run->world, to_output ? NULL : run->plan.certificate, error);
        if (!run->certificate)
            return error->status != RG_OK ? error->status : RG_ERR_FILE;
    }
    return rg_run_open_events(run, error);
}

RgStatus rg_run_record(RgRun *run, bool at_end, RgError *error)
{
    for (int i = 0; i < RG_RUN_OUTPUTS; i++) {
        RgRunOutput *output = &run->outputs[i];
        if (!output->recorder)
            continue;
        bool due = at_end ? !output->is_current : run->steps_done % output->every == 0;
        RgStatus status = at_end ? RG_OK : rg_recorder_step(output->recorder, run->world);
        if (status == RG_OK && due)
            status = rg_recorder_add(output->recorder, run->world);
        if (status != RG_OK)
            return rg_error_set(error, status, output->path, "cannot record: %s", rg_status_text(status));
        output->is_current = due || at_end;
        output->rows += due;
    }
    return at_end ? RG_OK : rg_run_record_events(run, error);
}

RgStatus rg_run_close_outputs(RgRun *run, RgError *error)
{
    RgStatus first = rg_run_close_events(run, error);
    if (run->certificate) {
        RgError own = {0};
        RgStatus status = rg_certificate_finish(run->certificate, &own);
        size_t size = 0;
        const char *text = rg_certificate_text(run->certificate, &size);
        if (status == RG_OK && text && (fwrite(text, 1, size, stdout) != size || fflush(stdout) != 0))
            status = rg_error_set(&own, RG_ERR_FILE, "stdout", "cannot write: %s", strerror(errno));
        rg_certificate_destroy(run->certificate);
        run->certificate = NULL;
        if (status != RG_OK && first == RG_OK) {
            first = status;
            *error = own;
        }
    }
    for (int i = 0; i < RG_RUN_OUTPUTS; i++) {
        RgError own = {0};
        if (!run->outputs[i].recorder)
            continue;
        RgStatus status = rg_recorder_finish(run->outputs[i].recorder, &own);
        run->outputs[i].recorder = NULL;
        if (status != RG_OK && first == RG_OK) {
            first = status;
            *error = own;
        }
    }
    return first;
}
