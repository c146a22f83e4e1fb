/*
 * sweep_guard.c - keeps the process that an MPI launcher started alive if the rank dies.
 *
 * MPICH's launcher ends all ranks of a machine if a process that it has started is killed, although the others could
 * continue. It monitors only its own children and their pipe (PMI_FD). Its child is therefore a guard that only waits,
 * with the pipe open, for the rank, which is the guard's child. If the rank is killed, the launcher does not notice;
 * rank 0 misses the rank's heartbeats, assigns its runs to others, and ends the job when all are done.
 *
 * If rank 0 itself is killed its guard ends too, and the launcher ends the other ranks.
 */
#define _GNU_SOURCE
#include "sweep/sweep_cluster.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

static volatile sig_atomic_t rank_process; /* the rank's process */

static void pass_on(int number)
{
    if (rank_process > 0)
        kill((pid_t)rank_process, number);
}

bool rg_sweep_guard(int *code)
{
    const char *rank = getenv("PMI_RANK");
    if (!getenv("PMI_FD") || !rank)
        return false;
    signal(SIGUSR1, SIG_IGN); /* the launcher's signal that another process has died */
#if defined(__linux__)
    /* Shows the guard under another name in lists of processes; set before the fork, so that it always has it. */
    char name[16] = "rigor";
    prctl(PR_GET_NAME, name);
    prctl(PR_SET_NAME, "sweep-guard");
#endif
    pid_t guard = getpid(), child = fork();
    if (child == 0) {
#if defined(__linux__)
        prctl(PR_SET_NAME, name);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
        if (getppid() != guard)
            _exit(1);
        return false;
    }
    if (child < 0) {
#if defined(__linux__)
        prctl(PR_SET_NAME, name);
#endif
        return false; /* continue without a guard */
    }
    rank_process = (sig_atomic_t)child;
    signal(SIGINT, pass_on);
    signal(SIGTERM, pass_on);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    rank_process = 0;
    *code = WIFEXITED(status) ? WEXITSTATUS(status) : RG_SIGNAL_EXIT + WTERMSIG(status);
    if (WIFEXITED(status) || strcmp(rank, "0") == 0)
        return true;
    if (WTERMSIG(status) == SIGTERM || WTERMSIG(status) == SIGINT)
        return true; /* ended regularly or by SIGTERM, SIGINT */
    fprintf(stderr, "rigor: rank %s was ended by signal %d: the others continue\n", rank, WTERMSIG(status));
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    for (;;)
        pause(); /* until the job ends */
}
