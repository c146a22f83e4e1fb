/*
 * sweep_ranks.c - joining and leaving the ranks of a launcher, and heartbeats.
 *
 * Every rank reads the files itself and sends its signature. Rank 0 refuses a rank with another signature, whose files,
 * program or mathematical library would give other results.
 */
#define _GNU_SOURCE
#include "sweep/sweep_cluster.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

enum { WHY = 256, HELLO_MAX = 128 };
#define BYE_SECONDS 4.0

bool rg_ranks_begin(RgSweepRanks *ranks, RgSweepPlan *s, const RgClusterApi *api, double patience, bool can)
{
    char why[WHY] = "", host[RG_HOST_MAX] = "", hello[HELLO_MAX];
    RgClusterPlace place;
    if (!rg_cluster_begin(api, &place, why, sizeof why)) {
        fprintf(stderr, "rigor: %s\n", why);
        return false;
    }
    *ranks = (RgSweepRanks){.api = api, .rank_of_me = place.rank, .size = place.size, .patience = patience};
    ranks->rank = rg_pool_take(&s->pool, (size_t)place.size, sizeof *ranks->rank);
    double now = rg_progress_clock();
    for (int r = 0; r < place.size; r++)
        ranks->rank[r] = (RgSweepRank){.is_there = true, .heard = now, .host = "an unknown machine"};
    gethostname(host, sizeof host - 1);
    snprintf(hello, sizeof hello, "%s %s", can ? s->signature : "-", host);
    if (place.rank > 0)
        api->send(0, RG_TAG_HELLO, hello, strlen(hello) + 1);
    return true;
}

void rg_ranks_welcome(RgSweepRanks *ranks, RgSweepPlan *s, int rank, const char *hello)
{
    RgSweepRank *r = &ranks->rank[rank];
    size_t n = strlen(s->signature);
    const char *host = strchr(hello, ' ');
    snprintf(r->host, sizeof r->host, "%s", host ? host + 1 : "?");
    if (strncmp(hello, s->signature, n) == 0 && hello[n] == ' ')
        return;
    fprintf(stderr, "rigor: rank %d on %s %s: it gets no runs\n", rank, r->host,
            hello[0] == '-' ? "cannot take part" : "has another program, other files or other draws than rank 0");
    r->is_refused = true;
    ranks->api->send(rank, RG_TAG_REFUSED, "", 1);
}

void rg_ranks_broadcast(RgSweepRanks *ranks, int tag)
{
    for (int r = 1; ranks->rank_of_me == 0 && r < ranks->size; r++)
        ranks->api->send(r, tag, "", 1);
}

void rg_ranks_beat(RgSweepRanks *ranks)
{
    double now = rg_progress_clock();
    if (now - ranks->beaten < RG_BEAT_PERIOD)
        return;
    ranks->beaten = now;
    if (ranks->rank_of_me > 0)
        ranks->api->send(0, RG_TAG_BEAT, "", 1);
    rg_ranks_broadcast(ranks, RG_TAG_BEAT);
}

/* Receives all messages up to the BYE of every rank. false: a rank that counted as alive has died. */
static bool wait_for_byes(RgSweepRanks *ranks)
{
    int wanted = 0, from, tag;
    void *data;
    size_t size;
    for (int r = 1; r < ranks->size; r++)
        wanted += ranks->rank[r].is_there;
    for (double start = rg_progress_clock(); ranks->nbyes < wanted && rg_progress_clock() - start < BYE_SECONDS;) {
        while (ranks->api->receive(&from, &tag, &data, &size))
            ranks->nbyes += tag == RG_TAG_BYE;
        poll(NULL, 0, 1);
    }
    return ranks->nbyes >= wanted;
}

void rg_ranks_end(RgSweepRanks *ranks, int code)
{
    bool all_there = ranks->rank_of_me > 0 ? ranks->all_there : true;
    for (int r = 1; ranks->rank_of_me == 0 && r < ranks->size; r++)
        all_there = all_there && ranks->rank[r].is_there;
    char word = all_there;
    for (int r = 1; ranks->rank_of_me == 0 && r < ranks->size; r++)
        ranks->api->send(r, RG_TAG_END, &word, 1);
    if (ranks->rank_of_me > 0)
        ranks->api->send(0, RG_TAG_BYE, "", 1);
    else
        all_there = wait_for_byes(ranks) && all_there;
    ranks->api->end(all_there, code);
}
