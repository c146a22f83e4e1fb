/*
 * sweep_follow.c - a rank that does not lead: passes runs from rank 0 to its own processes, and their lines back.
 *
 * It asks for as many runs as its workers can begin, and for so many more that they have work for LOOK_AHEAD seconds, by the
 * mean of the runs so far: short runs do not wait for messages, and of long ones nothing is taken that another rank could begin
 * at once.
 *
 * Rank 0 that has been silent for too long is taken for lost: this rank then ends, as nobody would take its lines.
 */
#include "sweep_cluster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { QUEUE_MAX = 1024, AHEAD_MAX = 64, WAIT_MS = 1 };

#define LOOK_AHEAD 0.05 /* s */

typedef struct Follow {
    RgSweepPlan *sweep;
    RgSweepCrew *crew;
    RgSweepRanks *ranks;
    long long queue[QUEUE_MAX]; /* runs that no worker has yet */
    int queued, asked;
    double heard;     /* from rank 0 */
    double begun;     /* s: since when runs are done here */
    long long nlines; /* so far */
    bool ended, refused;
} Follow;

static void on_line(void *context, int worker, const char *line, size_t size)
{
    (void)worker;
    Follow *f = context;
    f->nlines++;
    f->ranks->api->send(0, RG_TAG_LINE, line, size);
}

static void on_lost(void *context, int worker, long long run, const char *reason)
{
    (void)worker;
    Follow *f = context;
    char message[256];
    memcpy(message, &run, sizeof run);
    int n = snprintf(message + sizeof run, sizeof message - sizeof run, "%s", reason);
    f->ranks->api->send(0, RG_TAG_LOST, message, sizeof run + (size_t)n + 1);
}

/* How many runs are wanted beside those that workers have. */
static int look_ahead(const Follow *f)
{
    double spent = rg_progress_clock() - f->begun;
    double mean = f->nlines > 0 ? spent * rg_sweep_crew_alive(f->crew) / (double)f->nlines : LOOK_AHEAD;
    double more = ceil(rg_sweep_crew_alive(f->crew) * LOOK_AHEAD / fmax(mean, 1e-6)) - 1.0;
    return more < 0.0 ? 0 : more > AHEAD_MAX ? AHEAD_MAX : (int)more;
}

static void ask(Follow *f)
{
    int idle = 0;
    for (int i = 0; i < f->crew->nworkers; i++)
        idle += f->crew->workers[i].to >= 0 && f->crew->workers[i].run < 0;
    int32_t wanted = idle + look_ahead(f) - f->queued;
    if (wanted <= f->asked || wanted > QUEUE_MAX - f->queued)
        return;
    f->asked = wanted;
    f->ranks->api->send(0, RG_TAG_ASK, &wanted, sizeof wanted);
}

static void feed_crew(Follow *f)
{
    int given = 0;
    for (int worker; given < f->queued && (worker = rg_sweep_crew_idle(f->crew)) >= 0;)
        rg_sweep_crew_give(f->crew, worker, f->queue[given++]);
    f->queued -= given;
    memmove(f->queue, f->queue + given, (size_t)f->queued * sizeof f->queue[0]);
}

static void take_message(Follow *f, int tag, const char *data, size_t size)
{
    f->heard = rg_progress_clock();
    if (tag == RG_TAG_RUNS) {
        int count = (int)(size / sizeof(long long));
        count = count < QUEUE_MAX - f->queued ? count : QUEUE_MAX - f->queued;
        memcpy(f->queue + f->queued, data, (size_t)count * sizeof(long long));
        f->queued += count;
        f->asked -= count < f->asked ? count : f->asked;
    } else if (tag == RG_TAG_END) {
        f->ended = true;
        f->ranks->nlost = size == 1 && data[0] ? 0 : 1;
    } else if (tag == RG_TAG_REFUSED) {
        f->refused = true;
    }
}

int rg_sweep_follow(RgSweepPlan *s, RgSweepCrew *crew, RgSweepRanks *ranks)
{
    double now = rg_progress_clock();
    Follow f = {.sweep = s, .crew = crew, .ranks = ranks, .heard = now, .begun = now};
    crew->events = (RgCrewEvents){.line = on_line, .lost = on_lost, .context = &f};
    while (!f.ended && rg_progress_clock() - f.heard < ranks->patience) {
        if (!f.refused) {
            feed_crew(&f);
            ask(&f);
        }
        rg_sweep_crew_listen(crew, WAIT_MS);
        void *data;
        size_t size;
        for (int from, tag; ranks->api->receive(&from, &tag, &data, &size);)
            take_message(&f, tag, data, size);
        rg_ranks_beat(ranks);
    }
    if (!f.ended)
        fprintf(stderr, "rigor: rank 0 has been silent for %.0f s: rank %d ends\n", ranks->patience,
                ranks->rank_of_me);
    return f.ended ? 0 : 1;
}
