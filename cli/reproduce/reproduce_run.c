/*
 * reproduce_run.c - experiments in processes of their own, several at once.
 *
 * A process tells how far it is through a pipe, a double at a time; what it prints goes to log.txt of its folder. One
 * that crashes loses its own experiment alone. The longest are begun first. An experiment whose measured.csv is there,
 * of the same program, models and form, is not run again: a run that was cut off goes on where it was.
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

/* Set when the user wants it to end. */
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

typedef struct Crew {
    RgReproduce *r;
    double *seconds;
    double *part;   /* of each experiment, 0 ... 1 */
    double *weight; /* s that each is thought to take; 0: not to be run */
    int *order;     /* longest first */
    int next, running;
    Job jobs[JOBS_MAX];
    RgProgress progress;
} Crew;

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

static void tell_part(double part, void *context)
{
    const int *out = context;
    if (write(*out, &part, sizeof part) < 0 && errno == EPIPE)
        _exit(1); /* the command is gone */
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

static int work(RgReproduce *r, const Experiment *experiment, int out)
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
                  .progress = tell_part,
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

static bool start_job(Crew *crew, int which)
{
    RgReproduce *r = crew->r;
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
        int code = work(r, experiment, ends[1]);
        fflush(NULL);
        _exit(code);
    }
    close(ends[1]);
    if (pid < 0) {
        fprintf(stderr, "rigor: no process for %s: %s\n", experiment->name, strerror(errno));
        close(ends[0]);
        return false;
    }
    crew->jobs[crew->running++] = (Job){.pid = pid, .pipe = ends[0], .experiment = which, .start = rg_progress_clock()};
    return true;
}

static void tell_progress(Crew *crew)
{
    double done = 0.0, all = 0.0;
    for (int i = 0; i < crew->r->nexperiments; i++) {
        done += crew->weight[i] * crew->part[i];
        all += crew->weight[i];
    }
    rg_progress_update(&crew->progress, all > 0.0 ? done / all : 1.0);
}

/* An experiment's process has ended. */
static void end_job(Crew *crew, int which)
{
    Job job = crew->jobs[which];
    int status = 0;
    while (waitpid(job.pid, &status, 0) < 0 && errno == EINTR)
        continue;
    close(job.pipe);
    crew->jobs[which] = crew->jobs[--crew->running];
    crew->part[job.experiment] = 1.0;
    crew->seconds[job.experiment] = rg_progress_clock() - job.start;
    const Experiment *experiment = crew->r->experiments[job.experiment];
    if (interrupted)
        return;
    if (WIFSIGNALED(status))
        fprintf(stderr, "rigor: %s was ended by signal %d\n", experiment->name, WTERMSIG(status));
    else if (WEXITSTATUS(status) != 0)
        fprintf(stderr, "rigor: %s: its results could not be written to '%s'\n", experiment->name,
                rg_reproduce_folder(crew->r, experiment));
}

/* Waits for news of the processes. */
static void listen(Crew *crew)
{
    struct pollfd fds[JOBS_MAX];
    for (int i = 0; i < crew->running; i++)
        fds[i] = (struct pollfd){.fd = crew->jobs[i].pipe, .events = POLLIN};
    if (poll(fds, (nfds_t)crew->running, POLL_MS) < 0)
        return;
    for (int i = crew->running - 1; i >= 0; i--) {
        double part;
        if (fds[i].revents == 0)
            continue;
        if (read(crew->jobs[i].pipe, &part, sizeof part) == (ssize_t)sizeof part)
            crew->part[crew->jobs[i].experiment] = part;
        else
            end_job(crew, i);
    }
}

static void put_in_order(Crew *crew)
{
    int n = crew->r->nexperiments;
    for (int i = 0; i < n; i++) {
        int k = i;
        for (; k > 0 && crew->weight[crew->order[k - 1]] < crew->weight[i]; k--)
            crew->order[k] = crew->order[k - 1];
        crew->order[k] = i;
    }
}

/* The signals that end the command: its processes end, what they finished stays. */
static void stop_jobs(Crew *crew)
{
    for (int i = 0; i < crew->running; i++)
        kill(crew->jobs[i].pid, SIGTERM);
    while (crew->running > 0)
        end_job(crew, crew->running - 1);
    fprintf(stderr, crew->r->keeps ? "rigor: interrupted; the same command goes on with what is left\n"
                                   : "rigor: interrupted\n");
}

bool rg_reproduce_run(RgReproduce *r, double *seconds)
{
    size_t n = (size_t)r->nexperiments;
    Crew crew = {.r = r,
                 .seconds = seconds,
                 .part = rg_pool_take(&r->pool, n, sizeof(double)),
                 .weight = rg_pool_take(&r->pool, n, sizeof(double)),
                 .order = rg_pool_take(&r->pool, n, sizeof(int)),
                 .progress = rg_progress_begin_part(r->quiet)};
    for (size_t i = 0; i < n; i++) {
        const Experiment *e = r->experiments[i];
        bool there = !r->fresh && rg_reproduce_has(r, e);
        seconds[i] = (double)NAN;
        crew.weight[i] = there ? 0.0 : fmax(1e-3, r->quick ? e->quick_seconds : e->seconds);
    }
    put_in_order(&crew);
    signal(SIGINT, interrupt);
    signal(SIGTERM, interrupt);
    bool good = true;
    while (!interrupted && (crew.running > 0 || (good && crew.next < r->nexperiments))) {
        while (good && crew.running < r->jobs && crew.running < JOBS_MAX && crew.next < r->nexperiments) {
            int which = crew.order[crew.next++];
            if (crew.weight[which] > 0.0)
                good = start_job(&crew, which);
        }
        if (crew.running > 0)
            listen(&crew);
        tell_progress(&crew);
    }
    rg_progress_end(&crew.progress);
    if (interrupted)
        stop_jobs(&crew);
    return good && !interrupted;
}
