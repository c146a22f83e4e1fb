/*
 * sweep_follow.c - a rank other than 0: passes runs from rank 0 to its workers, and their lines back.
 *
 * It requests a run for every idle worker, and further runs for PREFETCH seconds of work, by the mean time of runs so
 * far: short runs do not wait for messages, and long ones are not kept from other ranks.
 *
 * The timeout for rank 0 is MORE_PATIENT times that for other ranks, since the launcher ends this rank if rank 0 is
 * dead. While rank 0 reads or writes files (WAIT) there is no timeout.
 */
#include "sweep/sweep_cluster.h"

#include <math.h>
#include <signal.h>
#include <string.h>

enum { QUEUE_MAX = 4096, ASK_MAX = 1536, AHEAD_MAX = 64, WAIT_MS = 1, MORE_PATIENT = 10 };

#define PREFETCH 0.05 /* s */

typedef struct Follow {
    RgSweepProcesses *processes; /* NULL: this rank does not take part */
    RgSweepRanks *ranks;
    long long queue[QUEUE_MAX]; /* runs that wait for a worker */
    int queued, asked;
    double heard;     /* s: time of the last message of rank 0 */
    double begun;     /* s: time of the first run */
    long long nlines; /* finished runs */
    bool ended, waits;
    bool cut_off; /* rank 0 cannot be reached */
} Follow;

static void send_lead(Follow *f, int tag, const void *data, size_t size)
{
    f->cut_off = !f->ranks->api->send(0, tag, data, size) || f->cut_off;
}

static void send_lost(Follow *f, long long run, const char *reason)
{
    char message[256];
    memcpy(message, &run, sizeof run);
    int n = snprintf(message + sizeof run, sizeof message - sizeof run, "%.200s", reason);
    send_lead(f, RG_TAG_LOST, message, sizeof run + (size_t)n + 1);
}

static void on_line(void *context, int worker, const char *line, size_t size)
{
    (void)worker;
    Follow *f = context;
    f->nlines++;
    send_lead(f, RG_TAG_LINE, line, size);
}

static void on_lost(void *context, int worker, long long run, const char *reason)
{
    (void)worker;
    send_lost(context, run, reason);
}

/* Number of runs to request beside those of the workers. */
static int runs_ahead(const Follow *f)
{
    double spent = rg_progress_clock() - f->begun;
    double mean = f->nlines > 0 ? spent * rg_sweep_processes_alive(f->processes) / (double)f->nlines : PREFETCH;
    double more = ceil(rg_sweep_processes_alive(f->processes) * PREFETCH / fmax(mean, 1e-6)) - 1.0;
    return more < 0.0 ? 0 : more > AHEAD_MAX ? AHEAD_MAX : (int)more;
}

static void request_runs(Follow *f)
{
    int idle = 0;
    for (int i = 0; i < f->processes->nworkers; i++)
        idle += f->processes->workers[i].to >= 0 && f->processes->workers[i].run < 0;
    int32_t wanted = idle + runs_ahead(f) - f->queued;
    wanted = wanted < ASK_MAX ? wanted : ASK_MAX;
    if (wanted <= f->asked)
        return;
    f->asked = wanted;
    send_lead(f, RG_TAG_ASK, &wanted, sizeof wanted);
}

static void assign_to_workers(Follow *f)
{
    int given = 0;
    for (int worker; given < f->queued && (worker = rg_sweep_processes_idle(f->processes)) >= 0;)
        rg_sweep_processes_give(f->processes, worker, f->queue[given++]);
    f->queued -= given;
    memmove(f->queue, f->queue + given, (size_t)f->queued * sizeof f->queue[0]);
}

/* Adds runs to the queue; those without room go back to rank 0. */
static void add_runs(Follow *f, const char *data, size_t size)
{
    int count = (int)(size / sizeof(long long));
    f->asked -= count < f->asked ? count : f->asked;
    for (int i = 0; i < count; i++) {
        long long run;
        memcpy(&run, data + (size_t)i * sizeof run, sizeof run);
        if (f->processes && f->queued < QUEUE_MAX)
            f->queue[f->queued++] = run;
        else
            send_lost(f, run, "a rank had no room for it");
    }
}

static void handle_message(Follow *f, int tag, const char *data, size_t size)
{
    f->heard = rg_progress_clock();
    f->waits = tag == RG_TAG_WAIT || (f->waits && tag == RG_TAG_REFUSED);
    if (tag == RG_TAG_RUNS) {
        add_runs(f, data, size);
    } else if (tag == RG_TAG_END) {
        f->ended = true;
        f->ranks->all_there = size == 1 && data[0];
    } else if (tag == RG_TAG_REFUSED) {
        f->processes = NULL;
    }
}

int rg_sweep_follow(RgSweepProcesses *processes, RgSweepRanks *ranks)
{
    signal(SIGINT, SIG_IGN); /* rank 0 decides, and sends END */
    double now = rg_progress_clock();
    Follow f = {.processes = processes, .ranks = ranks, .heard = now, .begun = now, .waits = true};
    RgSweepProcesses nobody = {.nworkers = 0};
    RgSweepProcesses *listened = processes ? processes : &nobody;
    listened->events = (RgProcessEvents){.line = on_line, .lost = on_lost, .context = &f};
    while (!f.ended && !f.cut_off && (f.waits || rg_progress_clock() - f.heard < MORE_PATIENT * ranks->patience)) {
        if (f.processes) {
            assign_to_workers(&f);
            request_runs(&f);
        }
        rg_sweep_processes_listen(listened, WAIT_MS);
        void *data;
        size_t size;
        for (int from, tag; ranks->api->receive(&from, &tag, &data, &size);)
            handle_message(&f, tag, data, size);
        rg_ranks_beat(ranks);
    }
    if (!f.ended)
        fprintf(stderr, "rigor: rank 0 does not answer: rank %d ends\n", ranks->rank_of_me);
    return f.ended ? 0 : 1;
}
