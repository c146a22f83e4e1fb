/*
 * sweep_processes.c - processes of this machine that compute runs.
 *
 *   command --8 bytes: number of a run--> worker --a line--> command
 *
 * A worker is two processes: one that computes, and a keeper that waits for it. After a crash of the first the keeper
 * reports it ({"lost": ...}) and forks another, since the command must not fork once it uses MPI. Workers end with a
 * killed command (PR_SET_PDEATHSIG), otherwise when their pipe is closed. A killed keeper ends its worker too; the
 * command sees the end of the pipe and starts another worker if it may.
 *
 * The command handles interrupts: workers ignore them.
 */
#define _GNU_SOURCE
#include "sweep/sweep.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

enum { BUFFER = 4096, REASON = 128 };

/* ------------------------------------------------------------------ in the worker */

static void end_with(pid_t parent)
{
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent)
        _exit(1);
}

static bool read_number(int in, long long *run)
{
    size_t got = 0;
    while (got < sizeof *run) {
        ssize_t n = read(in, (char *)run + got, sizeof *run - got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        got += (size_t)n;
    }
    return true;
}

static void compute(RgSweepPlan *s, int in, int out)
{
    long long run;
    while (read_number(in, &run)) {
        RgPool pool = {NULL};
        const char *line = rg_pool_print(&pool, "%s\n", rg_sweep_work(s, run, &pool));
        bool good = rg_write_all(out, line, strlen(line));
        rg_pool_free(&pool);
        if (!good)
            return;
    }
}

/* Waits for the computing process; reports a crash and forks another. */
static void run_keeper(RgSweepPlan *s, int in, int out)
{
    for (;;) {
        pid_t me = getpid(), child = fork();
        if (child == 0) {
            end_with(me);
            compute(s, in, out);
            _exit(0);
        }
        int status = 0;
        while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
            continue;
        if (child < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0))
            return;
        char line[REASON];
        if (WIFSIGNALED(status))
            snprintf(line, sizeof line, "\n{\"lost\": \"its process was ended by signal %d (%s)\"}\n", WTERMSIG(status),
                     strsignal(WTERMSIG(status)));
        else
            snprintf(line, sizeof line, "\n{\"lost\": \"its process ended with code %d\"}\n", WEXITSTATUS(status));
        if (!rg_write_all(out, line, strlen(line)))
            return;
    }
}

/* ------------------------------------------------------------------ in the command */

static void close_ends(RgSweepWorker *w)
{
    if (w->to >= 0)
        close(w->to);
    if (w->from >= 0)
        close(w->from);
    w->to = w->from = -1;
}

static bool start_worker(RgSweepProcesses *processes, int which)
{
    RgSweepWorker *w = &processes->workers[which];
    int down[2], up[2];
    *w = (RgSweepWorker){.to = -1, .from = -1, .run = -1, .buffer = w->buffer, .room = w->room};
    if (pipe(down) != 0)
        return false;
    if (pipe(up) != 0) {
        close(down[0]);
        close(down[1]);
        return false;
    }
    fflush(NULL);
    pid_t me = getpid(), pid = fork();
    if (pid == 0) {
        end_with(me);
        signal(SIGINT, SIG_IGN);
        signal(SIGTERM, SIG_IGN);
        signal(SIGPIPE, SIG_IGN);
        close(down[1]);
        close(up[0]);
        for (int i = 0; i < processes->nworkers; i++)
            close_ends(&processes->workers[i]);
        if (processes->not_theirs >= 0)
            close(processes->not_theirs);
        run_keeper(processes->sweep, down[0], up[1]);
        _exit(0);
    }
    close(down[0]);
    close(up[1]);
    w->to = down[1];
    w->from = up[0];
    w->pid = (int)pid;
    if (pid < 0)
        close_ends(w);
    return pid > 0;
}

bool rg_sweep_processes_begin(RgSweepProcesses *processes, RgSweepPlan *s, int nworkers)
{
    *processes = (RgSweepProcesses){.sweep = s, .not_theirs = -1, .may_fork = true};
    processes->workers = rg_pool_take(&s->pool, (size_t)nworkers, sizeof *processes->workers);
    signal(SIGPIPE, SIG_IGN);
    for (int i = 0; i < nworkers; i++) {
        if (!start_worker(processes, i)) {
            fprintf(stderr, "rigor: cannot start worker %d of %d: %s\n", i + 1, nworkers, strerror(errno));
            return processes->nworkers > 0;
        }
        processes->nworkers = i + 1;
    }
    return true;
}

bool rg_sweep_processes_give(RgSweepProcesses *processes, int worker, long long run)
{
    RgSweepWorker *w = &processes->workers[worker];
    w->run = run;
    ssize_t n;
    while ((n = write(w->to, &run, sizeof run)) < 0 && errno == EINTR)
        continue;
    return n == (ssize_t)sizeof run; /* on failure the end of the other pipe is seen later */
}

int rg_sweep_processes_idle(const RgSweepProcesses *processes)
{
    for (int i = 0; i < processes->nworkers; i++)
        if (processes->workers[i].to >= 0 && processes->workers[i].run < 0)
            return i;
    return -1;
}

int rg_sweep_processes_alive(const RgSweepProcesses *processes)
{
    int alive = 0;
    for (int i = 0; i < processes->nworkers; i++)
        alive += processes->workers[i].to >= 0;
    return alive;
}

/* The run of a line; -1: none. */
static long long run_of(const char *line, size_t size)
{
    json_t *value = json_loadb(line, size, 0, NULL), *run = json_object_get(value, "run");
    long long number = json_is_integer(run) ? json_integer_value(run) : -1;
    json_decref(value);
    return number;
}

static void handle_line(RgSweepProcesses *processes, int which, const char *line, size_t size)
{
    static const char lost[] = "{\"lost\": ";
    RgSweepWorker *w = &processes->workers[which];
    if (size >= sizeof lost && memcmp(line, lost, sizeof lost - 1) == 0) {
        json_t *value = json_loadb(line, size, 0, NULL);
        const char *reason = json_string_value(json_object_get(value, "lost"));
        long long run = w->run;
        w->run = -1;
        if (run >= 0)
            processes->events.lost(processes->events.context, which, run, reason ? reason : "its process crashed");
        json_decref(value);
        return;
    }
    long long run = run_of(line, size);
    if (run < 0)
        return; /* incomplete line of a killed process */
    if (run == w->run)
        w->run = -1;
    processes->events.line(processes->events.context, which, line, size);
}

static void replace_worker(RgSweepProcesses *processes, int which)
{
    RgSweepWorker *w = &processes->workers[which];
    long long run = w->run;
    close_ends(w);
    while (waitpid((pid_t)w->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    w->run = -1;
    if (processes->may_fork)
        start_worker(processes, which);
    if (run >= 0)
        processes->events.lost(processes->events.context, which, run, "its process was killed");
}

static void read_worker(RgSweepProcesses *processes, int which)
{
    RgSweepWorker *w = &processes->workers[which];
    if (w->used + BUFFER > w->room) {
        w->room = 2 * w->room + 2 * BUFFER;
        char *larger = rg_pool_take(&processes->sweep->pool, w->room, 1);
        if (w->used > 0)
            memcpy(larger, w->buffer, w->used);
        w->buffer = larger;
    }
    ssize_t n = read(w->from, w->buffer + w->used, BUFFER);
    if (n < 0 && errno == EINTR)
        return;
    if (n <= 0) {
        replace_worker(processes, which);
        return;
    }
    w->used += (size_t)n;
    for (char *end; (end = memchr(w->buffer, '\n', w->used));) {
        size_t size = (size_t)(end - w->buffer);
        if (size > 0)
            handle_line(processes, which, w->buffer, size);
        w->used -= size + 1;
        memmove(w->buffer, end + 1, w->used);
    }
}

void rg_sweep_processes_listen(RgSweepProcesses *processes, int milliseconds)
{
    struct pollfd *fds = processes->fds;
    if (processes->nworkers == 0) {
        poll(NULL, 0, milliseconds);
        return;
    }
    if (!fds)
        fds = processes->fds = rg_pool_take(&processes->sweep->pool, (size_t)processes->nworkers, sizeof *fds);
    for (int i = 0; i < processes->nworkers; i++)
        fds[i] = (struct pollfd){.fd = processes->workers[i].from, .events = POLLIN};
    if (poll(fds, (nfds_t)processes->nworkers, milliseconds) <= 0)
        return;
    for (int i = 0; i < processes->nworkers; i++)
        if (fds[i].revents != 0)
            read_worker(processes, i);
}

void rg_sweep_processes_end(RgSweepProcesses *processes)
{
    for (int i = 0; i < processes->nworkers; i++) {
        RgSweepWorker *w = &processes->workers[i];
        if (w->to < 0)
            continue;
        if (w->run >= 0)
            kill((pid_t)w->pid, SIGKILL);
        close_ends(w);
        while (waitpid((pid_t)w->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
}
