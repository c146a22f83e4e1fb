/* cluster.h - messages between the processes that `mpirun -n N rigor ...` or srun has started.
 *
 *     rigor --rg_cluster_open--> kind of launcher --dlopen--> rigor_mpich.so, rigor_openmpi.so, rigor_mpi.so
 *
 * The command is not linked with MPI: it loads a module, built from cli/sweep/mpi/cluster_mpi.c for each MPI found at
 * configuration, if the environment shows a launcher. Only begin and end block, even if a peer has died; the caller
 * polls for messages about every millisecond and sleeps in between.
 *
 *     rg_cluster_open - fork the workers - rg_cluster_begin - send, receive ... - end - exit
 *
 * Not every MPI reports the death of a peer: the caller detects it by its own heartbeats. */
#ifndef RIGOR_CLUSTER_H
#define RIGOR_CLUSTER_H

#include "io/pool.h"

#include <stdbool.h>
#include <stddef.h>

enum { RG_CLUSTER_VERSION = 1 };

typedef struct RgClusterApi {
    int version;      /* RG_CLUSTER_VERSION */
    const char *name; /* of the library: "MPICH 4.0.2", "Open MPI v4.1.4" */

    /* Joins the others and waits for all of them. Call it once per process, after all forks: children must not use
       MPI. false: why (room bytes) has the reason. */
    bool (*begin)(int *rank, int *size, char *why, size_t room);

    /* Sends a copy of the data to rank `to` with a tag from 0 to 32,767. Does not wait. Messages to one rank arrive
       in order. false: the rank is known to be dead, or has 256 MB unread. */
    bool (*send)(int to, int tag, const void *data, size_t size);

    /* The next message, of any rank. Does not wait. false: none. data is aligned as by malloc, followed by a zero byte,
       and valid until the next call. */
    bool (*receive)(int *from, int *tag, void **data, size_t *size);

    /* Waits until sends are complete, at most some seconds, and disconnects; every rank calls it. all_are_there: no
       rank was lost, as reported by rank 0. If one was, rank 0 ends the launcher's job with `status` and may not
       return, so its files must be written and closed before. After it returns, leave by exit(status). */
    void (*end)(bool all_are_there, int status);
} RgClusterApi;

/* Symbol that a module exports. */
#define RG_CLUSTER_SYMBOL "rg_cluster_api"
typedef const RgClusterApi *RgClusterFn(void);

/* Loads the module for the launcher that started this process and others. NULL with *why NULL: there is no launcher, or
   only one process; only the environment is read. NULL with *why: the module is missing or cannot be loaded, or
   RIGOR_MPI is invalid; the text has the remedy. The variable RIGOR_MPI (mpich, openmpi, mpi, none) overrides the
   detection. Call it before workers are forked: it ignores SIGUSR1, which MPICH's launcher sends to all processes of
   all ranks when one has died. */
const RgClusterApi *rg_cluster_open(RgPool *pool, const char **why);

typedef struct RgClusterPlace {
    int rank; /* 0 assigns the work */
    int size; /* number of ranks */
} RgClusterPlace;

/* api->begin, and a check that as many processes joined as the launcher started. false: why (room bytes) has the
   reason. */
bool rg_cluster_begin(const RgClusterApi *api, RgClusterPlace *place, char *why, size_t room);

#endif
