/*
 * run_outputs.c - the output files of a run: that none of them destroys what the run reads, the recorders,
 * and
 * that the summary can be written before hours are spent on it.
 *
 * Two paths are one file if device and inode agree, through links of any kind; a path that does not exist yet
 * is known by its folder and its last name. Only regular files count: many things may go to /dev/null.
 *
 * Fails on an output that is an input or another output, that overwrites an XML file (a model that another
 * one includes), or that cannot be written.
 */
#define _POSIX_C_SOURCE 200809L
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OUTPUTS = 3 };

/* What makes a file itself. */
typedef struct FileIdentity {
    bool known;  /* else no regular file, or nowhere */
    bool exists; /* else device and inode are those of the folder */
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

/* The file given to the command; it may have come through the standard input. */
static FileIdentity identify_given(RgPlan *plan)
{
    struct stat at;
    if (!plan->from_stdin)
        return identify(plan, plan->path);
    if (fstat(STDIN_FILENO, &at) != 0 || !S_ISREG(at.st_mode))
        return (FileIdentity){.known = false};
    return (FileIdentity){.known = true, .exists = true, .device = at.st_dev, .inode = at.st_ino};
}

/* No output begins with '<', robot files do. */
static bool holds_xml(const char *path)
{
    FILE *file = fopen(path, "rb");
    int letter = file ? fgetc(file) : EOF;
    while (letter == ' ' || letter == '\t' || letter == '\r' || letter == '\n' || letter == 0xef ||
           letter == 0xbb || letter == 0xbf)
        letter = fgetc(file);
    if (file)
        fclose(file);
    return letter == '<';
}

RgStatus rg_run_check_outputs(RgRun *run, RgError *error)
{
    RgPlan *plan = &run->plan;
    const char *paths[OUTPUTS] = {plan->record, plan->csv, plan->json};
    FileIdentity outputs[OUTPUTS] = {{.known = false}}, given = identify_given(plan);
    for (int i = 0; i < OUTPUTS; i++) {
        if (!paths[i] || strcmp(paths[i], "-") == 0)
            continue;
        outputs[i] = identify(plan, paths[i]);

        /* Not the file given, not a model that it names. */
        bool is_input = same_file(&outputs[i], &given);
        for (int m = 0; m < plan->nmodels && !is_input; m++) {
            FileIdentity model = identify(plan, plan->models[m].file);
            is_input = !plan->models[m].data && same_file(&outputs[i], &model);
        }
        if (is_input)
            return rg_plan_fail(error, RG_ERR_ARGUMENT, paths[i], "the output would overwrite an input");
        if (outputs[i].known && outputs[i].exists && holds_xml(paths[i]))
            return rg_plan_fail(error, RG_ERR_ARGUMENT, paths[i],
                                "the output would overwrite an XML file: remove it first if that is meant");
        for (int k = 0; k < i; k++)
            if (same_file(&outputs[i], &outputs[k]))
                return rg_plan_fail(error, RG_ERR_ARGUMENT, paths[i], "two outputs into one file");
    }
    return RG_OK;
}

/* Whether the summary can be written at the end. A file that is made to find out is removed again. */
static RgStatus check_json(const char *path, RgError *error)
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
        return rg_plan_fail(error, RG_ERR_FILE, path, "cannot write: %s", strerror(fault));
    return RG_OK;
}

RgStatus rg_run_open_outputs(RgRun *run, RgError *error)
{
    RgStatus summary = check_json(run->plan.json, error);
    if (summary != RG_OK)
        return summary;
    const char *paths[2] = {run->plan.record, run->plan.csv};
    const char *formats[2] = {NULL, "csv"};
    for (int i = 0; i < 2; i++) {
        if (!paths[i])
            continue;
        run->outputs[i].path = paths[i];
        run->outputs[i].recorder = rg_recorder_create(run->model, paths[i], formats[i], error);
        if (!run->outputs[i].recorder)
            return error->status != RG_OK ? error->status : RG_ERR_FILE;
    }
    return RG_OK;
}

RgStatus rg_run_record(RgRun *run, RgError *error)
{
    for (int i = 0; i < 2; i++) {
        if (!run->outputs[i].recorder)
            continue;
        RgStatus status = rg_recorder_add(run->outputs[i].recorder, run->world);
        if (status != RG_OK)
            return rg_plan_fail(error, status, run->outputs[i].path, "cannot record: %s",
                                rg_status_text(status));
    }
    run->rows++;
    return RG_OK;
}

RgStatus rg_run_close_outputs(RgRun *run, RgError *error)
{
    RgStatus first = RG_OK;
    for (int i = 0; i < 2; i++) {
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
