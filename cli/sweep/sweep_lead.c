/*
 * sweep_lead.c - rank 0 of a sweep: assigns runs to local processes and to other ranks, and writes the results.
 *
 *   while runs are left:   assign runs to idle workers and requesting ranks -- wait for messages -- add lines to the
 *                          journal
 *
 * Runs are assigned on request, which balances the load. The runs of a crashed worker, or of a rank silent for too
 * long, are assigned again; a run whose holder died three times becomes a row with that reason. A late line of a rank
 * that was given up counts if its run is not done yet, since all compute the same bits.
 */
#define _GNU_SOURCE
#include "sweep/sweep_cluster.h"

#include <signal.h>
#include <string.h>

enum { HOLDER_RANK = 1 << 20, GIVE_MAX = 256, WAIT_MS = 200, WAIT_CLUSTER_MS = 1 };

/* Set by the signal handler. */
static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    interrupted = number;
}

typedef struct Lead {
    RgSweepPlan *sweep;
    RgRunQueue *queue;
    RgJournal *journal;
    RgSweepProcesses *processes;
    RgSweepRanks *ranks; /* NULL: alone */
    RgProgress progress;
    bool broken; /* the journal cannot be written */
} Lead;

static void store_line(Lead *lead, const char *line, size_t size)
{
    if (!rg_journal_add(lead->journal, lead->sweep, lead->queue, line, size))
        lead->broken = true;
}

/* Assigns a run whose holder died again, or gives it up. */
static void run_lost(Lead *lead, long long run, const char *reason)
{
    rg_run_queue_back(lead->queue, run, true);
    if (rg_run_queue_is_hopeless(lead->queue, run)) {
        RgPool pool = {NULL};
        const char *line = rg_sweep_lost(run, reason, &pool);
        store_line(lead, line, strlen(line));
        rg_pool_free(&pool);
    }
}

static void on_line(void *context, int worker, const char *line, size_t size)
{
    (void)worker;
    store_line(context, line, size);
}

static void on_lost(void *context, int worker, long long run, const char *reason)
{
    (void)worker;
    run_lost(context, run, reason);
}

static void assign_to_workers(Lead *lead)
{
    for (int worker; (worker = rg_sweep_processes_idle(lead->processes)) >= 0;) {
        long long run = rg_run_queue_give(lead->queue, worker);
        if (run < 0)
            return;
        rg_sweep_processes_give(lead->processes, worker, run);
    }
}

/* ------------------------------------------------------------------ other ranks */

/* Assigns runs to a rank; takes them back if they cannot be sent. */
static void assign_to_rank(Lead *lead, int r)
{
    RgSweepRank *rank = &lead->ranks->rank[r];
    long long runs[GIVE_MAX];
    int count = 0;
    while (count < rank->asked && count < GIVE_MAX &&
           (runs[count] = rg_run_queue_give(lead->queue, HOLDER_RANK + r)) >= 0)
        count++;
    if (count == 0)
        return;
    rank->asked -= count;
    if (lead->ranks->api->send(r, RG_TAG_RUNS, runs, (size_t)count * sizeof runs[0]))
        return;
    rank->is_there = false;
    for (int i = 0; i < count; i++)
        rg_run_queue_back(lead->queue, runs[i], false);
}

static void assign_to_ranks(Lead *lead)
{
    for (int r = 1; r < lead->ranks->size; r++)
        if (lead->ranks->rank[r].is_there && !lead->ranks->rank[r].is_refused)
            assign_to_rank(lead, r);
}

/* Assigns the runs of a dead rank again; gives up those lost too often. */
static void give_up_rank(Lead *lead, int r)
{
    RgSweepRanks *all = lead->ranks;
    fprintf(stderr, "rigor: rank %d on %s has been silent for %.0f s: its runs are assigned to others\n", r,
            all->rank[r].host, all->patience);
    all->rank[r].is_there = false;
    for (long long run = 0; run < lead->queue->runs; run++)
        if (rg_run_queue_holder(lead->queue, run) == HOLDER_RANK + r)
            run_lost(lead, run, "the machines that had it were lost");
}

/* A rank that was given up may only have been slow. */
static void mark_alive(Lead *lead, int r)
{
    RgSweepRank *rank = &lead->ranks->rank[r];
    rank->heard = rg_progress_clock();
    if (!rank->is_there)
        fprintf(stderr, "rigor: rank %d on %s answers again\n", r, rank->host);
    rank->is_there = true;
}

static void handle_message(Lead *lead, int from, int tag, const char *data, size_t size)
{
    RgSweepRanks *all = lead->ranks;
    mark_alive(lead, from);
    if (tag == RG_TAG_HELLO) {
        rg_ranks_welcome(all, lead->sweep, from, data);
    } else if (tag == RG_TAG_ASK && size == sizeof(int32_t)) {
        int32_t asked;
        memcpy(&asked, data, sizeof asked);
        all->rank[from].asked = asked;
    } else if (tag == RG_TAG_LINE) {
        store_line(lead, data, size);
    } else if (tag == RG_TAG_LOST && size > sizeof(long long)) {
        long long run;
        memcpy(&run, data, sizeof run);
        run_lost(lead, run, data + sizeof run);
    }
}

static void listen_to_ranks(Lead *lead)
{
    RgSweepRanks *all = lead->ranks;
    void *data;
    size_t size;
    for (int from, tag; all->api->receive(&from, &tag, &data, &size);)
        handle_message(lead, from, tag, data, size);
    double now = rg_progress_clock();
    for (int r = 1; r < all->size; r++)
        if (all->rank[r].is_there && now - all->rank[r].heard > all->patience)
            give_up_rank(lead, r);
    rg_ranks_beat(all);
}

/* ------------------------------------------------------------------ the loop */

static bool somebody_is_left(const Lead *lead)
{
    int ranks = 0;
    for (int r = 1; lead->ranks && r < lead->ranks->size; r++)
        ranks += lead->ranks->rank[r].is_there && !lead->ranks->rank[r].is_refused;
    return rg_sweep_processes_alive(lead->processes) + ranks > 0;
}

int rg_sweep_lead(RgSweepPlan *s, RgSweepParts *parts)
{
    Lead lead = {.sweep = s,
                 .queue = &parts->queue,
                 .journal = &parts->journal,
                 .processes = &parts->processes,
                 .ranks = parts->ranks,
                 .progress = rg_progress_begin_count((double)s->runs, (double)parts->queue.done, "runs", parts->quiet)};
    parts->processes.events = (RgProcessEvents){.line = on_line, .lost = on_lost, .context = &lead};
    double now = rg_progress_clock();
    for (int r = 1; lead.ranks && r < lead.ranks->size; r++)
        lead.ranks->rank[r].heard = now;
    interrupted = 0;
    signal(SIGINT, interrupt);
    signal(SIGTERM, interrupt);
    while (lead.queue->done < lead.queue->runs && !interrupted && !lead.broken) {
        assign_to_workers(&lead);
        if (lead.ranks)
            assign_to_ranks(&lead);
        rg_sweep_processes_listen(lead.processes, lead.ranks ? WAIT_CLUSTER_MS : WAIT_MS);
        if (lead.ranks)
            listen_to_ranks(&lead);
        if (!somebody_is_left(&lead)) {
            fprintf(stderr, "rigor: no worker process is left\n");
            lead.broken = true;
        }
        rg_journal_sync(lead.journal);
        rg_progress_update(&lead.progress, (double)lead.queue->done);
    }
    rg_progress_end(&lead.progress);
    return interrupted ? RG_SIGNAL_EXIT + interrupted : lead.broken ? 1 : 0;
}
