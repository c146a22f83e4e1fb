/*
 * sweep_lead.c - who leads a sweep: hands out runs, to processes here and to other ranks, and writes down what comes.
 *
 *   while runs are left:   idle workers and ranks that asked get runs -- wait for news -- lines into the journal
 *
 * Runs are handed out one by one as they are asked for, so that nobody waits for the slowest. A worker whose process
 * crashed, or a rank that has been silent for too long, gives back what it had; a run that was lost with its holder
 * three times becomes a row that says so. What comes late from somebody who was given up is taken if it is still
 * missing: all compute the same.
 */
#define _GNU_SOURCE
#include "sweep/sweep_cluster.h"

#include <signal.h>
#include <string.h>

enum { HOLDER_RANK = 1 << 20, GIVE_MAX = 256, WAIT_MS = 200, WAIT_CLUSTER_MS = 1 };

/* Set when the user wants it to end. */
static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    interrupted = number;
}

typedef struct Lead {
    RgSweepPlan *sweep;
    RgHand *hand;
    RgJournal *journal;
    RgSweepCrew *crew;
    RgSweepRanks *ranks; /* NULL: alone */
    RgProgress progress;
    bool broken; /* the journal cannot be written */
} Lead;

static void take_line(Lead *lead, const char *line, size_t size)
{
    if (!rg_journal_add(lead->journal, lead->sweep, lead->hand, line, size))
        lead->broken = true;
}

/* A run whose holder is gone is to be done again, or given up. */
static void run_lost(Lead *lead, long long run, const char *reason)
{
    rg_hand_back(lead->hand, run, true);
    if (rg_hand_is_hopeless(lead->hand, run)) {
        RgPool pool = {NULL};
        const char *line = rg_sweep_lost(run, reason, &pool);
        take_line(lead, line, strlen(line));
        rg_pool_free(&pool);
    }
}

static void on_line(void *context, int worker, const char *line, size_t size)
{
    (void)worker;
    take_line(context, line, size);
}

static void on_lost(void *context, int worker, long long run, const char *reason)
{
    (void)worker;
    run_lost(context, run, reason);
}

static void feed_crew(Lead *lead)
{
    for (int worker; (worker = rg_sweep_crew_idle(lead->crew)) >= 0;) {
        long long run = rg_hand_give(lead->hand, worker);
        if (run < 0)
            return;
        rg_sweep_crew_give(lead->crew, worker, run);
    }
}

/* ------------------------------------------------------------------ other ranks */

/* Runs that a rank cannot be sent come back. */
static void give_to(Lead *lead, int r)
{
    RgSweepRank *rank = &lead->ranks->rank[r];
    long long runs[GIVE_MAX];
    int count = 0;
    while (count < rank->asked && count < GIVE_MAX && (runs[count] = rg_hand_give(lead->hand, HOLDER_RANK + r)) >= 0)
        count++;
    if (count == 0)
        return;
    rank->asked -= count;
    if (lead->ranks->api->send(r, RG_TAG_RUNS, runs, (size_t)count * sizeof runs[0]))
        return;
    rank->is_there = false;
    for (int i = 0; i < count; i++)
        rg_hand_back(lead->hand, runs[i], false);
}

static void feed_ranks(Lead *lead)
{
    for (int r = 1; r < lead->ranks->size; r++)
        if (lead->ranks->rank[r].is_there && !lead->ranks->rank[r].is_refused)
            give_to(lead, r);
}

/* What a rank had is to be done again; runs that were lost too often are given up. */
static void give_up_rank(Lead *lead, int r)
{
    RgSweepRanks *all = lead->ranks;
    fprintf(stderr, "rigor: rank %d on %s has been silent for %.0f s: its runs are done by others\n", r,
            all->rank[r].host, all->patience);
    all->rank[r].is_there = false;
    for (long long run = 0; run < lead->hand->runs; run++)
        if (rg_hand_holder(lead->hand, run) == HOLDER_RANK + r)
            run_lost(lead, run, "the machines that had it were lost");
}

/* Somebody who was given up and is heard again was only held up. */
static void hear(Lead *lead, int r)
{
    RgSweepRank *rank = &lead->ranks->rank[r];
    rank->heard = rg_progress_clock();
    if (!rank->is_there)
        fprintf(stderr, "rigor: rank %d on %s is back\n", r, rank->host);
    rank->is_there = true;
}

static void take_message(Lead *lead, int from, int tag, const char *data, size_t size)
{
    RgSweepRanks *all = lead->ranks;
    hear(lead, from);
    if (tag == RG_TAG_HELLO) {
        rg_ranks_welcome(all, lead->sweep, from, data);
    } else if (tag == RG_TAG_ASK && size == sizeof(int32_t)) {
        int32_t asked;
        memcpy(&asked, data, sizeof asked);
        all->rank[from].asked = asked;
    } else if (tag == RG_TAG_LINE) {
        take_line(lead, data, size);
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
        take_message(lead, from, tag, data, size);
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
    return rg_sweep_crew_alive(lead->crew) + ranks > 0;
}

int rg_sweep_lead(RgSweepPlan *s, RgSweepParts *parts)
{
    Lead lead = {.sweep = s,
                 .hand = &parts->hand,
                 .journal = &parts->journal,
                 .crew = &parts->crew,
                 .ranks = parts->ranks,
                 .progress = rg_progress_begin_count((double)s->runs, (double)parts->hand.done, "runs", parts->quiet)};
    parts->crew.events = (RgCrewEvents){.line = on_line, .lost = on_lost, .context = &lead};
    double now = rg_progress_clock();
    for (int r = 1; lead.ranks && r < lead.ranks->size; r++)
        lead.ranks->rank[r].heard = now;
    interrupted = 0;
    signal(SIGINT, interrupt);
    signal(SIGTERM, interrupt);
    while (lead.hand->done < lead.hand->runs && !interrupted && !lead.broken) {
        feed_crew(&lead);
        if (lead.ranks)
            feed_ranks(&lead);
        rg_sweep_crew_listen(lead.crew, lead.ranks ? WAIT_CLUSTER_MS : WAIT_MS);
        if (lead.ranks)
            listen_to_ranks(&lead);
        if (!somebody_is_left(&lead)) {
            fprintf(stderr, "rigor: no process is left that could compute\n");
            lead.broken = true;
        }
        rg_journal_sync(lead.journal);
        rg_progress_update(&lead.progress, (double)lead.hand->done);
    }
    rg_progress_end(&lead.progress);
    return interrupted ? RG_SIGNAL_EXIT + interrupted : lead.broken ? 1 : 0;
}
