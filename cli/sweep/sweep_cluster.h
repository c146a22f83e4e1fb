/*
 * sweep_cluster.h - a sweep over the ranks of mpirun or srun: rank 0, which assigns the runs, the other ranks, and
 * their messages.
 *
 *   rank r                                    rank 0
 *   HELLO signature, host         -->         REFUSED, if the signature is not that of rank 0
 *   ASK how many runs             -->
 *                                 <--         RUNS numbers
 *   LINE a row, LOST a run with its process -->
 *   BEAT every second             <->         BEAT every second
 *                                 <--         WAIT: rank 0 reads or writes files, and is silent meanwhile
 *                                 <--         END whether all ranks are alive
 *   BYE: the last message         -->
 *
 * Every rank joins and stays until END, also one that cannot take part or was refused: a rank that leaves an MPI job
 * early may end the others, and one that never joins blocks them.
 */
#ifndef RIGOR_SWEEP_CLUSTER_H
#define RIGOR_SWEEP_CLUSTER_H

#include "io/progress.h"
#include "sweep/cluster.h"
#include "sweep/sweep.h"

enum {
    RG_TAG_HELLO = 1,
    RG_TAG_ASK,
    RG_TAG_RUNS,
    RG_TAG_LINE,
    RG_TAG_LOST,
    RG_TAG_BEAT,
    RG_TAG_WAIT,
    RG_TAG_END,
    RG_TAG_BYE,
    RG_TAG_REFUSED
};

enum { RG_SIGNAL_EXIT = 128, RG_HOST_MAX = 64 };

#define RG_BEAT_PERIOD 1.0 /* s */

typedef struct RgSweepRank {
    bool is_there;   /* not silent for too long */
    bool is_refused; /* gets no runs */
    char host[RG_HOST_MAX];
    int asked;    /* number of runs that it requested */
    double heard; /* s, of rg_progress_clock: of its last message */
} RgSweepRank;

/* State of a rank, kept by rank 0. */
typedef struct RgSweepRanks {
    const RgClusterApi *api;
    int rank_of_me, size;
    RgSweepRank *rank; /* size */
    double patience;   /* s */
    double beaten;     /* s: when the last heartbeat was sent */
    int nbyes;         /* ranks that have announced their last message */
    bool all_there;    /* as reported by rank 0 at the END */
} RgSweepRanks;

/* The parts of a running sweep. */
typedef struct RgSweepParts {
    RgRunQueue queue;
    RgJournal journal;
    RgSweepProcesses processes;
    RgSweepRanks *ranks; /* NULL: alone */
    bool quiet;
} RgSweepParts;

/* sweep_lead.c: computes all runs, on this and other ranks. Exit code: 0 all are done, 1 failed, 128 + signal. */
int rg_sweep_lead(RgSweepPlan *sweep, RgSweepParts *parts);

/* sweep_follow.c: handles messages of rank 0 until END. processes NULL: this rank cannot take part. Exit code. */
int rg_sweep_follow(RgSweepProcesses *processes, RgSweepRanks *ranks);

/* sweep_guard.c: under a launcher that ends all ranks with one, continues in a child process and waits for it. true: the
   child has ended with *code; false: continue. Call it first. */
bool rg_sweep_guard(int *code);

/* sweep_ranks.c: joins the others. can: this rank could read the sweep. false: message printed. */
bool rg_ranks_begin(RgSweepRanks *ranks, RgSweepPlan *sweep, const RgClusterApi *api, double patience, bool can);
void rg_ranks_welcome(RgSweepRanks *ranks, RgSweepPlan *sweep, int rank, const char *hello);
void rg_ranks_beat(RgSweepRanks *ranks);               /* sends a heartbeat to all, once per period */
void rg_ranks_broadcast(RgSweepRanks *ranks, int tag); /* sends a message to all others, from rank 0 */
void rg_ranks_end(RgSweepRanks *ranks, int code);

#endif
