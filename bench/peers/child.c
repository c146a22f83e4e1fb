/* child.c - modules loaded into child processes, and their answers. */
#define _GNU_SOURCE
#include "child.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double child_cpu(void)
{
    return seconds(CLOCK_PROCESS_CPUTIME_ID);
}

double child_wall(void)
{
    return seconds(CLOCK_MONOTONIC);
}

/* A function of a module; NULL: it has none, or cannot be loaded. */
static void *find(const char *module, const char *name)
{
    void *library = dlopen(module, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        fprintf(stderr, "%s\n", dlerror());
    return library != NULL ? dlsym(library, name) : NULL;
}

const PeerEngine *const *child_load(const char *module)
{
    PeerEnginesFn *engines = NULL;
    void *symbol = find(module, PEER_ENGINES);
    memcpy(&engines, &symbol, sizeof engines);
    return engines != NULL ? engines() : NULL;
}

const PeerRollouts *const *child_load_rollouts(const char *module)
{
    PeerRolloutsFn *rollouts = NULL;
    void *symbol = find(module, PEER_ROLLOUTS);
    memcpy(&rollouts, &symbol, sizeof rollouts);
    return rollouts != NULL ? rollouts() : NULL;
}

pid_t child_fork(int *from, int *to)
{
    int ends[2];
    if (pipe(ends) != 0)
        return -1;
    fflush(NULL);
    pid_t child = fork();
    close(ends[child == 0 ? 0 : 1]);
    *from = ends[0];
    *to = ends[1];
    return child;
}

bool child_settle(unsigned most)
{
    alarm(most);
    return freopen("/dev/null", "r", stdin) != NULL && freopen("/dev/null", "w", stdout) != NULL;
}

void child_hand_back(int to, const void *memory, size_t size)
{
    _exit(write(to, memory, size) == (ssize_t)size ? 0 : 1);
}

bool child_receive(int from, void *memory, size_t size)
{
    size_t got = 0;
    while (got < size) {
        ssize_t n = read(from, (char *)memory + got, size - got);
        if (n <= 0)
            return false;
        got += (size_t)n;
    }
    return true;
}

const char *child_end(pid_t child)
{
    int status = 0;
    waitpid(child, &status, 0);
    int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (sig == SIGALRM)
        return "took too long";
    return sig != 0 ? strsignal(sig) : "ended itself";
}
