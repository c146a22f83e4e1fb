/*
 * reproduce_run.c - runs each experiment in its own process, several at once.
 *
 * A process reports its progress through a pipe, a double at a time; its output goes to log.txt of its folder. A crash
 * ends one experiment only. The longest start first. An experiment with a measured.csv of the same program, models and
 * form is not run again, so the same command resumes an interrupted run.
 */
#define _XOPEN_SOURCE 700
#include "reproduce/reproduce.h"

#include "io/gnuplot.h"
#include "io/progress.h"
#include "lab.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { JOBS_MAX = 64, POLL_MS = 200, HEADING = 160 };

/* Set by the signal handler. */
static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

typedef struct Job {
    pid_t pid;
    int pipe; /* read end */
    int experiment;
    double start; /* s, of rg_progress_clock */
} Job;

typedef struct JobQueue {
    RgReproduce *r;
    double *seconds;
    double *part;   /* of each experiment, 0 ... 1 */
    double *weight; /* s, estimated run time; 0: not to be run */
    int *order;     /* longest first */
    int next, running;
    Job jobs[JOBS_MAX];
    RgProgress progress;
} JobQueue;

const char *rg_reproduce_folder(RgReproduce *r, const Experiment *experiment)
{
    return rg_pool_print(&r->pool, "%s/%s", r->folder, experiment->name);
}

bool rg_reproduce_has(RgReproduce *r, const Experiment *experiment)
{
    char wanted[HEADING], line[HEADING] = "";
    lab_heading(wanted, sizeof wanted, r->quick, r->mark);
    FILE *file = fopen(rg_pool_print(&r->pool, "%s/measured.csv", rg_reproduce_folder(r, experiment)), "r");
    if (file && !fgets(line, sizeof line, file))
        line[0] = '\0';
    if (file)
        fclose(file);
    line[strcspn(line, "\n")] = '\0';
    return strcmp(wanted, line) == 0;
}

/* ------------------------------------------------------------------ in the process of an experiment */

static void send_progress(double part, void *context)
{
    const int *out = context;
    if (write(*out, &part, sizeof part) < 0 && errno == EPIPE)
        _exit(1); /* the parent has ended */
}

static void draw_figures(RgReproduce *r, const Experiment *experiment)
{
    RgJudged judged;
    const char *folder = rg_reproduce_folder(r, experiment);
    if (!rg_gnuplot_present() || !rg_reproduce_judge(r, experiment, &judged))
        return;
    for (int i = 0; i < judged.nfigures; i++) {
        const char *script = rg_pool_print(&r->pool, "%s.gp", judged.figures[i].name);
        int code = rg_gnuplot_run(folder, script);
        if (code == 0)
            unlink(rg_pool_print(&r->pool, "%s/gnuplot.log", folder));
        else
            fprintf(stderr, "gnuplot could not draw %s: exit code %d, see gnuplot.log\n", script, code);
    }
}

static int run_experiment(RgReproduce *r, const Experiment *experiment, int out)
{
    const char *folder = rg_reproduce_folder(r, experiment);
    int log = open(rg_pool_print(&r->pool, "%s/log.txt", folder), O_CREAT | O_TRUNC | O_WRONLY, 0666);
    if (log >= 0) {
        dup2(log, STDOUT_FILENO);
        dup2(log, STDERR_FILENO);
        close(log);
    }
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    LabDef def = {.folder = folder,
                  .models = rg_pool_print(&r->pool, "%s/models", r->data),
                  .mark = r->mark,
                  .quick = r->quick,
                  .progress = send_progress,
                  .progress_context = &out};
    Lab *lab = lab_open(&def);
    if (!lab)
        return 1;
    experiment->run(lab);
    if (!lab_close(lab))
        return 1;
    draw_figures(r, experiment);
    return 0;
}

/* ------------------------------------------------------------------ in the command */

static bool start_job(JobQueue *queue, int which)
{
    RgReproduce *r = queue->r;
    const Experiment *experiment = r->experiments[which];
    const char *folder = rg_reproduce_folder(r, experiment);
    int ends[2];
    if ((mkdir(folder, 0777) != 0 && errno != EEXIST) || pipe(ends) != 0) {
        fprintf(stderr, "rigor: '%s': %s\n", folder, strerror(errno));
        return false;
    }
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        int code = run_experiment(r, experiment, ends[1]);
        fflush(NULL);
        _exit(code);
    }
    close(ends[1]);
    if (pid < 0) {
        fprintf(stderr, "rigor: cannot start a process for %s: %s\n", experiment->name, strerror(errno));
        close(ends[0]);
        return false;
    }
    queue->jobs[queue->running++] =
        (Job){.pid = pid, .pipe = ends[0], .experiment = which, .start = rg_progress_clock()};
    return true;
}

static void show_progress(JobQueue *queue)
{
    double done = 0.0, all = 0.0;
    for (int i = 0; i < queue->r->nexperiments; i++) {
        done += queue->weight[i] * queue->part[i];
        all += queue->weight[i];
    }
    rg_progress_update(&queue->progress, all > 0.0 ? done / all : 1.0);
}

static void end_job(JobQueue *queue, int which)
{
    Job job = queue->jobs[which];
    int status = 0;
    while (waitpid(job.pid, &status, 0) < 0 && errno == EINTR)
        continue;
    close(job.pipe);
    queue->jobs[which] = queue->jobs[--queue->running];
    queue->part[job.experiment] = 1.0;
    queue->seconds[job.experiment] = rg_progress_clock() - job.start;
    const Experiment *experiment = queue->r->experiments[job.experiment];
    if (interrupted)
        return;
    if (WIFSIGNALED(status))
        fprintf(stderr, "rigor: %s was ended by signal %d\n", experiment->name, WTERMSIG(status));
    else if (WEXITSTATUS(status) != 0)
        fprintf(stderr, "rigor: %s: its results could not be written to '%s'\n", experiment->name,
                rg_reproduce_folder(queue->r, experiment));
}

/* Waits for messages of the processes. */
static void poll_jobs(JobQueue *queue)
{
    struct pollfd fds[JOBS_MAX];
    for (int i = 0; i < queue->running; i++)
        fds[i] = (struct pollfd){.fd = queue->jobs[i].pipe, .events = POLLIN};
    if (poll(fds, (nfds_t)queue->running, POLL_MS) < 0)
        return;
    for (int i = queue->running - 1; i >= 0; i--) {
        double part;
        if (fds[i].revents == 0)
            continue;
        if (read(queue->jobs[i].pipe, &part, sizeof part) == (ssize_t)sizeof part)
            queue->part[queue->jobs[i].experiment] = part;
        else
            end_job(queue, i);
    }
}

static void sort_longest_first(JobQueue *queue)
{
    int n = queue->r->nexperiments;
    for (int i = 0; i < n; i++) {
        int k = i;
        for (; k > 0 && queue->weight[queue->order[k - 1]] < queue->weight[i]; k--)
            queue->order[k] = queue->order[k - 1];
        queue->order[k] = i;
    }
}

/* Ends the processes after an interrupt; finished results remain. */
static void stop_jobs(JobQueue *queue)
{
    for (int i = 0; i < queue->running; i++)
        kill(queue->jobs[i].pid, SIGTERM);
    while (queue->running > 0)
        end_job(queue, queue->running - 1);
    fprintf(stderr, queue->r->has_report ? "rigor: interrupted; the same command resumes\n" : "rigor: interrupted\n");
}

bool rg_reproduce_run(RgReproduce *r, double *seconds)
{
    size_t n = (size_t)r->nexperiments;
    JobQueue queue = {.r = r,
                      .seconds = seconds,
                      .part = rg_pool_take(&r->pool, n, sizeof(double)),
                      .weight = rg_pool_take(&r->pool, n, sizeof(double)),
                      .order = rg_pool_take(&r->pool, n, sizeof(int)),
                      .progress = rg_progress_begin_part(r->quiet)};
    for (size_t i = 0; i < n; i++) {
        const Experiment *e = r->experiments[i];
        bool there = !r->fresh && rg_reproduce_has(r, e);
        seconds[i] = (double)NAN;
        queue.weight[i] = there ? 0.0 : fmax(1e-3, r->quick ? e->quick_seconds : e->seconds);
    }
    sort_longest_first(&queue);
    signal(SIGINT, interrupt);
    signal(SIGTERM, interrupt);
    bool good = true;
    while (!interrupted && (queue.running > 0 || (good && queue.next < r->nexperiments))) {
        while (good && queue.running < r->jobs && queue.running < JOBS_MAX && queue.next < r->nexperiments) {
            int which = queue.order[queue.next++];
            if (queue.weight[which] > 0.0)
                good = start_job(&queue, which);
        }
        if (queue.running > 0)
            poll_jobs(&queue);
        show_progress(&queue);
    }
    rg_progress_end(&queue.progress);
    if (interrupted)
        stop_jobs(&queue);
    return good && !interrupted;
}
