/*
 * located_apart.c - a run in a child process, which the system ends at a limit of processor time, so that a step that
 * does not return costs only its own row.
 */
#define _XOPEN_SOURCE 700
#include "located.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void work_in_child(LocatedJob *job, void *context, const LocatedResult *result, int to)
{
    struct rlimit limit = {result->seconds + 1, result->seconds + 2};
    setrlimit(RLIMIT_CPU, &limit);
    job(context, result->data);
    const char *data = result->data;
    for (size_t done = 0; done < result->size;) {
        ssize_t n = write(to, data + done, result->size - done);
        if (n <= 0)
            _exit(1);
        done += (size_t)n;
    }
    _exit(0);
}

bool located_apart(LocatedJob *job, void *context, const LocatedResult *result)
{
    int pipes[2];
    fflush(NULL);
    if (pipe(pipes) != 0)
        return false;
    pid_t child = fork();
    if (child == 0)
        work_in_child(job, context, result, pipes[1]);
    close(pipes[1]);
    char *data = result->data;
    size_t done = 0;
    ssize_t n = 1;
    while (child > 0 && done < result->size && n > 0) {
        n = read(pipes[0], data + done, result->size - done);
        done += n > 0 ? (size_t)n : 0;
    }
    close(pipes[0]);
    int status = 0;
    if (child > 0)
        waitpid(child, &status, 0);
    return done == result->size;
}
