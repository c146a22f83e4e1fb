/*
 * sweep_journal.c - finished runs of a sweep, in a file that survives the process.
 *
 *   first line: {"rigor_sweep": 1, "signature": "...", "runs": N}      then one line per run, in order of completion
 *
 * A line is written by one call as soon as its run is done, so a killed process loses nothing; a crash of the machine
 * loses at most the last seconds (fdatasync once a second by rank 0). When the journal is opened again an incomplete
 * last line is removed, and lost runs are computed again. One sweep writes a journal at a time (flock).
 *
 * Fails on: a journal of another sweep (other files, values or program), a journal in use by another process, a full
 * disk.
 */
#define _GNU_SOURCE
#include "sweep/sweep.h"

#include "io/error.h"
#include "io/json_out.h"
#include "io/progress.h"
#include "io/read_input.h"
#include "plan/plan_open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { VERSION = 1, LOCK_TRIES = 20 };
#define LOCK_PAUSE 100000 /* us */
#define SYNC_PERIOD 1.0   /* s */

static bool complain(const char *path, const char *text)
{
    fprintf(stderr, "rigor: %s: %s\n", path, text);
    return false;
}

bool rg_write_all(int file, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t n = write(file, data, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        data += n;
        size -= (size_t)n;
    }
    return true;
}

/* Tries repeatedly, since processes of a sweep that was just killed may still hold the lock. */
static bool lock(RgJournal *j)
{
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (flock(j->file, LOCK_EX | LOCK_NB) == 0)
            return true;
        usleep(LOCK_PAUSE);
    }
    return complain(j->path, "another sweep is writing it");
}

static bool write_head(RgJournal *j, const RgSweepPlan *s)
{
    char head[128];
    int n = snprintf(head, sizeof head, "{\"rigor_sweep\": %d, \"signature\": \"%s\", \"runs\": %lld}\n", VERSION,
                     s->signature, s->runs);
    return rg_write_all(j->file, head, (size_t)n) || complain(j->path, strerror(errno));
}

static bool check_head(RgJournal *j, const RgSweepPlan *s, const char *line, size_t size)
{
    json_t *head = json_loadb(line, size, 0, NULL);
    const char *signature = json_string_value(json_object_get(head, "signature"));
    bool is_journal = json_integer_value(json_object_get(head, "rigor_sweep")) == VERSION && signature;
    bool good = is_journal && strcmp(signature, s->signature) == 0;
    json_decref(head);
    if (!is_journal)
        return complain(j->path, "is no journal of a sweep: remove it, or give another --out");
    return good || complain(j->path, "is of another sweep, or the sweep file, run file, models or program have changed "
                                     "since: --fresh discards it, or give another --out");
}

/* Stores a line of an earlier execution. Lost runs are computed again. */
static void store_line(RgJournal *j, RgSweepPlan *s, RgRunQueue *queue, const char *line, size_t size)
{
    long long run;
    json_t *value = rg_sweep_line(s, line, size, &run);
    const char *status = json_string_value(json_object_get(value, "status"));
    if (value && strcmp(status, "lost") != 0 && rg_run_queue_done(queue, run))
        j->lines[run] = rg_pool_print(&s->pool, "%.*s", (int)size, line);
    json_decref(value);
}

/* Reads the lines of the journal; truncates an incomplete last line. */
static bool read_back(RgJournal *j, RgSweepPlan *s, RgRunQueue *queue)
{
    char *text;
    size_t size;
    RgError error;
    if (rg_read_whole(&s->pool, j->path, &text, &size, &error) != RG_OK) {
        rg_error_print(&error);
        return false;
    }
    size_t at = 0;
    for (bool first = true; at < size; first = false) {
        const char *end = memchr(text + at, '\n', size - at);
        if (!end)
            break;
        size_t length = (size_t)(end - text) - at;
        if (first && !check_head(j, s, text + at, length))
            return false;
        if (!first)
            store_line(j, s, queue, text + at, length);
        at += length + 1;
    }
    if (ftruncate(j->file, (off_t)at) != 0)
        return complain(j->path, strerror(errno));
    return at > 0 || write_head(j, s);
}

bool rg_journal_open(RgJournal *j, RgSweepPlan *s, RgRunQueue *queue, bool fresh)
{
    j->path = rg_pool_print(&s->pool, "%s.journal", s->out);
    j->lines = rg_pool_take(&s->pool, (size_t)s->runs + 1, sizeof *j->lines);
    j->file = open(j->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (j->file < 0)
        return complain(j->path, strerror(errno));
    if (!lock(j))
        return false;
    if (fresh && ftruncate(j->file, 0) != 0)
        return complain(j->path, strerror(errno));
    return lseek(j->file, 0, SEEK_END) > 0 ? read_back(j, s, queue) : write_head(j, s);
}

bool rg_journal_add(RgJournal *j, RgSweepPlan *s, RgRunQueue *queue, const char *line, size_t size)
{
    long long run;
    json_t *value = rg_sweep_line(s, line, size, &run);
    bool is_new = value && rg_run_queue_done(queue, run);
    json_decref(value);
    if (!is_new)
        return true;
    j->lines[run] = rg_pool_print(&s->pool, "%.*s", (int)size, line);
    char *whole = malloc(size + 1);
    if (!whole)
        return complain(j->path, "out of memory");
    memcpy(whole, line, size);
    whole[size] = '\n';
    bool good = rg_write_all(j->file, whole, size + 1);
    free(whole);
    j->is_dirty = true;
    return good || complain(j->path, strerror(errno));
}

void rg_journal_sync(RgJournal *j)
{
    double now = rg_progress_clock();
    if (!j->is_dirty || now - j->synced < SYNC_PERIOD)
        return;
    fdatasync(j->file);
    j->is_dirty = false;
    j->synced = now;
}

void rg_journal_close(RgJournal *j, bool remove)
{
    if (j->file < 0)
        return;
    if (remove)
        unlink(j->path);
    close(j->file);
    j->file = -1;
}
