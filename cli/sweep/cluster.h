/* cluster.h - messages between the processes that `mpirun -n N rigor ...` or srun has started.
 *
 *     rigor --rg_cluster_open--> is there a launcher? which one? --dlopen--> rigor_mpich.so, rigor_openmpi.so,
 *     rigor_mpi.so
 *
 * The command itself is not linked with MPI: a module, built of cli/sweep/mpi/cluster_mpi.c for each MPI that was found, is loaded if the environment shows a launcher. No call but begin and end blocks, even if a peer has died; the caller polls for messages about every millisecond and sleeps in between.
 *
 *     rg_cluster_open - fork the workers - rg_cluster_begin - send, receive ... - end - exit
 *
 * A dead peer is only silent: not every MPI reports its death. The caller decides by heartbeats of its own that a peer is lost. */
#ifndef RIGOR_CLUSTER_H
#define RIGOR_CLUSTER_H

#include "io/pool.h"

#include <stdbool.h>
#include <stddef.h>

enum { RG_CLUSTER_VERSION = 1 };

typedef struct RgClusterApi {
    int version;      /* RG_CLUSTER_VERSION */
    const char *name; /* as the library calls itself: "MPICH 4.0.2", "Open MPI v4.1.4" */

    /* Joins the others; once in a process, after it has forked what it forks: children do not use MPI. Waits for all
       processes. false: why (room bytes) has the reason. */
    bool (*begin)(int *rank, int *size, char *why, size_t room);

    /* A copy of the data goes to rank `to` with a tag from 0 to 32,767. Does not wait. Messages to one rank arrive
       in the order they were sent in. false: the rank is known to be gone, or has left 256 MB unread for long. */
    bool (*send)(int to, int tag, const void *data, size_t size);

    /* The next message, of any rank. Does not wait. false: none is there. data is aligned as by malloc, followed by a
       zero byte, and valid until the next call. */
    bool (*receive)(int *from, int *tag, void **data, size_t *size);

    /* Waits until what was sent is on its way, at most some seconds, and disconnects; every rank calls it.
       all_are_there: no rank was lost, as reported by rank 0. If one was, rank 0 ends the launcher's job with
       `status` and may not return: it writes and closes its files before it announces the end. Returns: leave the
       process by exit(status), without another call. */
    void (*end)(bool all_are_there, int status);
} RgClusterApi;

/* What a module exports. */
#define RG_CLUSTER_SYMBOL "rg_cluster_api"
typedef const RgClusterApi *RgClusterFn(void);

/* The module for the launcher that has started this process together with others. NULL with *why NULL: there is
   none, or it has started one process alone; only the environment is read. NULL with *why: the module is missing or
   cannot be loaded, or RIGOR_MPI is not understood; the text names the remedy. The variable RIGOR_MPI (mpich,
   openmpi, mpi, none) decides where the environment misleads. Before workers are forked: from here on SIGUSR1, which
   MPICH's launcher sends to all processes of all ranks when one has died, is ignored, in the workers too. */
const RgClusterApi *rg_cluster_open(RgPool *pool, const char **why);

typedef struct RgClusterPlace {
    int rank; /* 0 hands out the work */
    int size; /* ranks there are */
} RgClusterPlace;

/* api->begin, and a check that as many processes joined as the launcher started. false: why (room bytes) has the
   reason. */
bool rg_cluster_begin(const RgClusterApi *api, RgClusterPlace *place, char *why, size_t room);

#endif
