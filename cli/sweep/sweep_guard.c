/*
 * sweep_guard.c - keeps the process that an MPI launcher started alive if the rank dies.
 *
 * MPICH's launcher ends all ranks of a machine when a process that it has started is killed, and with them the sweep,
 * though the others could continue. It monitors its own children and their pipe (PMI_FD), not the computing processes.
 * So its child only waits, with the pipe open, and the rank is a child of that: if the rank is killed, the launcher
 * sees nothing, rank 0 misses its heartbeats and gives its runs to others, and ends the job when all is done.
 *
 * If rank 0 itself is killed its guard ends with it, and the launcher ends the rest.
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

static volatile sig_atomic_t ward; /* the rank's process */

static void pass_on(int number)
{
    if (ward > 0)
        kill((pid_t)ward, number);
}

bool rg_sweep_guard(int *code)
{
    const char *rank = getenv("PMI_RANK");
    if (!getenv("PMI_FD") || !rank)
        return false;
    signal(SIGUSR1, SIG_IGN); /* the launcher's signal that another process has died */
#if defined(__linux__)
    /* In lists of processes the guard is none of those that work, from before there is a child on. */
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
        return false; /* then without */
    }
    ward = (sig_atomic_t)child;
    signal(SIGINT, pass_on);
    signal(SIGTERM, pass_on);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    ward = 0;
    *code = WIFEXITED(status) ? WEXITSTATUS(status) : RG_SIGNAL_EXIT + WTERMSIG(status);
    if (WIFEXITED(status) || strcmp(rank, "0") == 0)
        return true;
    if (WTERMSIG(status) == SIGTERM || WTERMSIG(status) == SIGINT)
        return true; /* asked to end, like all */
    fprintf(stderr, "rigor: rank %s was ended by signal %d: the others go on\n", rank, WTERMSIG(status));
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    for (;;)
        pause(); /* until the job ends */
}
