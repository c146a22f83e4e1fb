/*
 * cmd_sweep.c - `rigor sweep FILE`: runs a run file with many combinations of values, and writes one table.
 *
 * Uses all processors of this machine; under mpirun or srun all ranks, each with its own workers, which are forked
 * before the ranks join. Workers do not communicate with other ranks, and ranks do not compute, so a silent rank is
 * dead. Rank 0 assigns the runs and writes the results.
 *
 * After an interrupt or a crash the same command resumes: NAME.journal has the finished runs.
 */
#define _GNU_SOURCE
#include "io/command.h"
#include "io/error.h"
#include "io/json_out.h"
#include "io/options.h"
#include "sweep/sweep_cluster.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATIENCE 30.0 /* s */

static const RgOptionSpec sweep_options[] = {
    {"out", "NAME", "write NAME.csv, NAME.npz, NAME.json (default: the file's name, in this folder)"},
    {"set", "PATH=VALUE", "a key of the run file for all runs, after those of the file (may be repeated)"},
    {"jobs", "N", "worker processes (default: processors; under MPI each rank's share of them)"},
    {"fresh", NULL, "discard finished runs; without it an interrupted sweep is resumed"},
    {"run", "N", "compute only run N and print its row as JSON; the first is 0"},
    {"list", NULL, "print the runs and their values, and run nothing"},
    {"patience", "S", "a rank that is silent for longer is given up (default 30 s)"},
    {"json", "OUT|-", "also write the manifest there, - for the standard output instead of the text"},
    {"quiet", NULL, "no progress and no text"},
};

static void print_lists(void)
{
    printf("\nSignals (outputs: max(SIGNAL) and so on; stop: SIGNAL < NUMBER):\n");
    rg_signal_print_list();
    printf("\nStatistics of signals:\n");
#define RG_TAKE_LINE(name, help) printf("  %-28s %s\n", #name, help);
    RG_TAKE_LIST(RG_TAKE_LINE)
#undef RG_TAKE_LINE
}

/* ------------------------------------------------------------------ processors, list, one run */

static int processors(void)
{
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
#endif
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 1;
}

/* A whole number from the environment; 0: none. */
static int from_environment(const char *name)
{
    double value;
    const char *text = getenv(name);
    return text && rg_number_parse(text, &value) && value >= 1.0 && value <= 1e6 ? (int)value : 0;
}

/* Number of workers: this rank's share of the machine's processors. */
static int usual_jobs(bool is_rank)
{
    int all = processors(), given = from_environment("SLURM_CPUS_PER_TASK");
    int here = from_environment("MPI_LOCALNRANKS");
    here = here > 0 ? here : from_environment("OMPI_COMM_WORLD_LOCAL_SIZE");
    here = here > 0 ? here : from_environment("SLURM_NTASKS_PER_NODE");
    if (!is_rank)
        return all;
    int jobs = given > 0 && given < all ? given : given > 0 ? all : all / (here > 0 ? here : 1);
    return jobs > 0 ? jobs : 1;
}

static void print_value(const RgSweepPlan *s, long long run, int axis, int key)
{
    RgSweepValue value = rg_sweep_value(s, run, axis, key);
    if (value.text)
        printf("  %s = %s", s->axes[axis].columns[key], value.text);
    else
        printf("  %s = %.9g", s->axes[axis].columns[key], value.number);
}

/* --list: the runs and their values. */
static int list_runs(const RgSweepPlan *s)
{
    printf("%lld run%s\n", s->runs, s->runs == 1 ? "" : "s");
    for (long long run = 0; run < s->runs; run++) {
        printf("%lld", run);
        if (s->draws)
            printf("  seed %lld", rg_sweep_seed(s, run));
        for (int i = 0; i < s->naxes; i++)
            for (int k = 0; k < s->axes[i].nkeys; k++)
                print_value(s, run, i, k);
        printf("\n");
    }
    return RG_EXIT_OK;
}

/* --run N. */
static int one_run(RgSweepPlan *s, const RgOptions *options)
{
    int number = 0;
    if (!rg_options_whole(options, "run", 0, (double)(s->runs - 1), &number))
        return RG_EXIT_USAGE;
    const char *text = rg_sweep_work(s, number, &s->pool);
    long long run;
    json_t *line = rg_sweep_line(s, text, strlen(text), &run), *axes = json_object(), *outputs = json_object();
    for (int i = 0; i < s->naxes; i++)
        for (int k = 0; k < s->axes[i].nkeys; k++) {
            RgSweepValue value = rg_sweep_value(s, run, i, k);
            json_object_set_new(axes, s->axes[i].columns[k],
                                isnan(value.number) ? rg_json_text(value.text) : rg_json_number(value.number));
        }
    for (int i = 0; i < s->noutputs; i++) {
        json_t *value = json_array_get(json_object_get(line, "values"), (size_t)i);
        json_object_set(outputs, s->outputs[i].name, value ? value : json_null());
    }
    json_object_set_new(line, "axes", axes);
    json_object_set_new(line, "outputs", outputs);
    json_object_del(line, "values");
    return rg_json_write(line, "-") ? RG_EXIT_OK : RG_EXIT_FAILED;
}

static void print_summary(const RgSweepPlan *s, const RgSweepTally *t, const char *already)
{
    printf("runs           %lld: %lld ok", s->runs, t->ok);
    if (t->refused > 0)
        printf(", %lld refused", t->refused);
    if (t->failed > 0)
        printf(", %lld failed", t->failed);
    if (t->lost > 0)
        printf(", %lld lost", t->lost);
    printf("%s\n", already);
    for (int i = 0; i < s->nstops; i++)
        if (s->stops[i].count > 0)
            printf("stopped        %lld: %s\n", s->stops[i].count, s->stops[i].name);
    printf("table          %s.csv, %s.npz\nmanifest       %s.json\n", s->out, s->out, s->out);
    if (t->refused + t->failed + t->lost > 0)
        printf("remark: the reasons of rows that are not ok are in column 'reason'%s%s\n",
               t->first[0] ? "; the first: " : "", t->first);
    if (t->lost > 0)
        printf("remark: the same command repeats runs that were lost with their process\n");
}

/* The results as text or JSON. */
static int report(RgSweepPlan *s, const RgOptions *options, const RgSweepTally *tally, const char *already)
{
    const char *json = rg_options_value(options, "json");
    if (json) {
        json_t *manifest = json_load_file(rg_pool_print(&s->pool, "%s.json", s->out), 0, NULL);
        if (!rg_json_write(manifest, json))
            return RG_EXIT_FAILED;
    }
    if (!rg_options_has(options, "quiet") && !(json && strcmp(json, "-") == 0))
        print_summary(s, tally, already);
    return tally->lost > 0 || tally->ok == 0 ? RG_EXIT_FAILED : RG_EXIT_OK;
}

/* ------------------------------------------------------------------ the sweep */

/* Whether existing tables permit this sweep. */
static bool is_free(const RgSweepPlan *s, RgSweepThere there, bool fresh)
{
    if (there != RG_SWEEP_OTHER || fresh)
        return true;
    fprintf(stderr,
            "rigor: %s.json: its tables are of another sweep, or the sweep file, run file, models or "
            "program have "
            "changed since: --fresh overwrites them, or give another --out\n",
            s->out);
    return false;
}

/* Writes the tables, once all runs are done. */
static int finish(RgSweepPlan *s, const RgOptions *options, RgSweepParts *parts)
{
    RgSweepTally tally;
    char before[sizeof s->signature];
    snprintf(before, sizeof before, "%s", s->signature);
    if (!rg_sweep_check(s) || strcmp(before, s->signature) != 0) {
        fprintf(stderr,
                "rigor: %s: files of the sweep have changed while it ran: rows may be of the old or the new "
                "files; --fresh computes all again\n",
                s->path);
        return RG_EXIT_FAILED;
    }
    if (!rg_sweep_write(s, &parts->journal, &tally))
        return RG_EXIT_FAILED;
    rg_journal_close(&parts->journal, tally.lost == 0);
    return report(s, options, &tally, "");
}

/* Runs the sweep on rank 0, once the workers exist. */
static int lead(RgSweepPlan *s, const RgOptions *options, RgSweepParts *parts)
{
    RgSweepTally tally;
    bool fresh = rg_options_has(options, "fresh");
    RgSweepThere there = rg_sweep_there(s, &tally);
    if (there == RG_SWEEP_WHOLE && !fresh)
        return report(s, options, &tally, "; all runs were done before (--fresh: compute again)");
    rg_run_queue_begin(&parts->queue, &s->pool, s->runs);
    if (!is_free(s, there, fresh) || !rg_journal_open(&parts->journal, s, &parts->queue, fresh))
        return RG_EXIT_USAGE;
    parts->processes.not_theirs = parts->journal.file;
    if (parts->queue.done > 0 && !parts->quiet)
        fprintf(stderr, "rigor: resumed: %lld of %lld runs were done\n", parts->queue.done, s->runs);
    int code = rg_sweep_lead(s, parts);
    if (code != 0) {
        fprintf(stderr, "rigor: %s; the same command resumes\n",
                code > RG_SIGNAL_EXIT ? "interrupted" : "the sweep could not be finished");
        return code;
    }
    if (parts->ranks)
        rg_ranks_broadcast(parts->ranks, RG_TAG_WAIT);
    return finish(s, options, parts);
}

/* Options of processes. false: message printed. */
static bool read_counts(const RgSweepPlan *s, const RgOptions *options, int *jobs, double *patience)
{
    if (!rg_options_whole(options, "jobs", 1, 1024, jobs) || !rg_options_number(options, "patience", 3, 1e6, patience))
        return false;
    *jobs = *jobs > s->runs ? (int)s->runs : *jobs;
    return true;
}

/* Forks the workers, joins the other ranks, runs the sweep. can: this process could read the sweep; it joins the other
   ranks in any case. */
static int run_parts(RgSweepPlan *s, const RgOptions *options, bool can)
{
    const char *why = NULL;
    const RgClusterApi *api = rg_cluster_open(&s->pool, &why);
    int jobs = usual_jobs(api != NULL);
    double patience = PATIENCE;
    RgSweepParts parts = {.journal = {.file = -1}, .quiet = rg_options_has(options, "quiet")};
    RgSweepRanks ranks;
    if (why) {
        fprintf(stderr, "rigor: %s\n", why);
        return RG_EXIT_FAILED;
    }
    can = can && read_counts(s, options, &jobs, &patience);
    int code = can ? RG_EXIT_FAILED : RG_EXIT_USAGE;
    can = can && rg_sweep_processes_begin(&parts.processes, s, jobs);
    bool together = api && rg_ranks_begin(&ranks, s, api, patience, can);
    if (together) {
        parts.ranks = &ranks;
        parts.processes.may_fork = false;
    }
    if (together && ranks.rank_of_me > 0)
        code = rg_sweep_follow(can ? &parts.processes : NULL, &ranks);
    else if (can && (!api || together))
        code = lead(s, options, &parts);
    rg_sweep_processes_end(&parts.processes);
    rg_journal_close(&parts.journal, false);
    if (together) {
        fflush(NULL);
        rg_ranks_end(&ranks, code);
    }
    return code;
}

/* --set. false: message printed. */
static bool read_sets(RgSweepPlan *s, const RgOptions *options)
{
    RgError error;
    for (int i = 0; i < options->ngiven; i++)
        if (strcmp(options->given[i].spec->name, "set") == 0 && !rg_sweep_set(s, options->given[i].value, &error)) {
            rg_error_print(&error);
            return false;
        }
    return true;
}

/* Path of the tables without ending; in a folder they have the sweep's name. */
static const char *out_name(RgSweepPlan *s, const char *out)
{
    struct stat at;
    size_t n = out ? strlen(out) : 0;
    if (n == 0)
        return s->out;
    bool is_folder = out[n - 1] == '/' || (stat(out, &at) == 0 && S_ISDIR(at.st_mode));
    return is_folder && s->name ? rg_pool_print(&s->pool, "%s%s%s", out, out[n - 1] == '/' ? "" : "/", s->name) : out;
}

static int run_sweep(const RgOptions *options)
{
    RgSweepPlan sweep;
    int code = RG_EXIT_USAGE;
    if (!rg_options_has(options, "list") && !rg_options_has(options, "run") && rg_sweep_guard(&code))
        return code;
    bool good = rg_sweep_open(&sweep, options->file) && read_sets(&sweep, options);
    sweep.out = out_name(&sweep, rg_options_value(options, "out"));
    sweep.quiet = rg_options_has(options, "quiet");
    good = good && rg_sweep_check(&sweep);
    if (!rg_options_has(options, "list") && !rg_options_has(options, "run"))
        code = run_parts(&sweep, options, good);
    else if (good)
        code = rg_options_has(options, "list") ? list_runs(&sweep) : one_run(&sweep, options);
    rg_sweep_close(&sweep);
    return code;
}

RG_COMMAND(sweep, "run a run file with many values, on all processors or a cluster, into one table", .run = run_sweep,
           .notes =
               "FILE is YAML:\n\n"
               "  run: standing.yaml                  # run file, or a model alone\n"
               "  set: {duration: 2}                  # keys of the run file, for all runs\n"
               "  axes:                               # every combination is a run\n"
               "    - {key: solver.name, values: [quick, pgs, cone]}\n"
               "    - {key: stepper.step, from: 1e-4, to: 1e-2, count: 5, scale: log}\n"
               "    - {key: parameters.links.body.mass_scale, uniform: [0.8, 1.2]}       # drawn for each seed\n"
               "    - {name: floor, cases: {as it is: {}, none: {contact: false, gravity: [0, 0, 0]}}}\n"
               "  seeds: 10\n"
               "  outputs: [energy_change, \"min(link.body.position[2])\", \"max(speed)\"]   # brackets need quotes\n"
               "  stop: [\"link.body.position[2] < 0.1\"]\n\n"
               "See docs/sweeps.md; for many machines docs/cluster.md. `rigor plot NAME.csv` draws the table.\n",
           .print_lists = print_lists, .expects = "a sweep file");
