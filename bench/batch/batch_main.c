/*
 * batch_main.c - rigor-bench-batch: rollouts by one thread and by several, ours beside MuJoCo's, in one table.
 *
 *   rigor-bench-batch [--quick] [--runs N] [--steps N] [--threads N] [--repeats N] [--engine NAME] [--modules DIR]
 *                     [--json FILE|-] [--csv FILE]
 *
 * Every measurement is a process of its own. Within a repeat all ways are measured by one thread and by several, one right after
 * the other; kept is the fastest of each over the repeats, since others on the machine only ever slow it down. The gain is the
 * ratio of these two. "by cpu" is what the threads would gain if each had a processor of its own all the time: N times the
 * processor time that the steps take one thread, over what they take all. Below stands the gain of pure arithmetic
 * (machine_gain.c), measured before each repeat, best of all: what the machine itself had to give. Our runs must have the same bits by any number of threads: else the program ends with status 1.
 */
#define _GNU_SOURCE
#include "batch_bench.h"
#include "child.h"
#include "located.h"
#include "located_args.h"
#include "machine_gain.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_WAYS = 16, LIMIT_SECONDS = 3600 };

/* One way to make the rollouts: ours, or one of a module. */
typedef struct Way {
    const BatchWay *ours; /* NULL: a module's */
    int index;            /* in the module */
    int runs;
    BatchAnswer best[2]; /* by one thread, by several */
    bool other_bits;
} Way;

typedef struct Bench {
    BatchPlan plan;
    int repeats;
    const char *modules;
    const char *engine; /* beginning of the names that are wanted; NULL: all */
    char module[512];
    Way ways[MOST_WAYS];
    int nways;
    double machine;
} Bench;

static void usage(FILE *file)
{
    fprintf(file, "usage: rigor-bench-batch [options]\n\n"
                  "  --quick          fewer and shorter rollouts: a look\n"
                  "  --runs N         rollouts (default 1024)\n"
                  "  --steps N        of each (default 1000)\n"
                  "  --threads N      beside one (default 2)\n"
                  "  --repeats N      of the whole, alternating; the best counts (default 3)\n"
                  "  --engine NAME    only those whose name begins so\n"
                  "  --modules DIR    where the engine's module is (default build)\n"
                  "  --json FILE|-, --csv FILE\n");
}

/* ------------------------------------------------------------------ one measurement */

/* In the child. */
static void answer_one(const Bench *b, const Way *way, const BatchPlan *plan, BatchAnswer *answer)
{
    if (way->ours != NULL) {
        batch_run_rigor(way->ours, plan, answer);
        return;
    }
    const PeerRollouts *const *peers = child_load_rollouts(b->module);
    for (int i = 0; peers != NULL && peers[i] != NULL; i++)
        if (i == way->index)
            batch_run_peer(peers[i], plan, answer);
}

static BatchAnswer ask(const Bench *b, const Way *way, int threads)
{
    BatchPlan plan = {way->runs, b->plan.steps, threads};
    BatchAnswer answer = {0};
    int from, to;
    pid_t child = child_fork(&from, &to);
    if (child == 0) {
        BatchAnswer mine = {0};
        if (child_settle(LIMIT_SECONDS))
            answer_one(b, way, &plan, &mine);
        child_hand_back(to, &mine, sizeof mine);
    }
    if (child < 0 || !child_receive(from, &answer, sizeof answer))
        answer.done = false;
    if (child > 0)
        child_end(child);
    if (child >= 0)
        close(from);
    return answer;
}

/* The faster of two, by the wall clock and by processor time; a hash that is another is remembered. */
static void keep(Way *way, int which, const BatchAnswer *answer)
{
    BatchAnswer *best = &way->best[which];
    for (int i = 0; i < 2; i++)
        if (answer->done && way->best[i].done && way->best[i].hash != answer->hash && way->ours != NULL)
            way->other_bits = true;
    double cpu = best->done && best->cpu < answer->cpu ? best->cpu : answer->cpu;
    if (answer->done && (!best->done || answer->seconds < best->seconds))
        *best = *answer;
    if (answer->done)
        best->cpu = cpu;
}

/* ------------------------------------------------------------------ all of them */

static bool wanted(const Bench *b, const char *title)
{
    return b->engine == NULL || strncmp(b->engine, title, strlen(b->engine)) == 0;
}

static void find_ways(Bench *b, LocatedOut *out)
{
    for (const BatchWay *w = batch_ways; w->title != NULL && b->nways < MOST_WAYS; w++) {
        int runs = b->plan.runs / w->part;
        if (!wanted(b, w->title))
            continue;
        b->ways[b->nways++] = (Way){.ours = w, .runs = runs > b->plan.threads ? runs : b->plan.threads};
    }
    snprintf(b->module, sizeof b->module, "%s/peer_mujoco.so", b->modules);
    if (access(b->module, R_OK) != 0) {
        located_note(out, "MuJoCo: not built (libmujoco-dev; make bench-batch)");
        return;
    }
    for (int i = 0; i < 2 && b->nways < MOST_WAYS && wanted(b, "MuJoCo"); i++)
        b->ways[b->nways++] = (Way){.index = i, .runs = b->plan.runs};
}

static void measure_all(Bench *b)
{
    for (int repeat = 0; repeat < b->repeats; repeat++) {
        double gain = machine_gain(b->plan.threads);
        b->machine = gain > b->machine ? gain : b->machine;
        for (int i = 0; i < b->nways; i++)
            for (int which = 0; which < 2; which++) {
                BatchAnswer answer = ask(b, &b->ways[i], which == 0 ? 1 : b->plan.threads);
                keep(&b->ways[i], which, &answer);
            }
    }
}

static double speed(const Bench *b, const Way *way, int which)
{
    const BatchAnswer *a = &way->best[which];
    return a->done ? (double)way->runs * b->plan.steps / a->seconds : (double)NAN;
}

static void put_row(LocatedOut *out, const Bench *b, const Way *way)
{
    const BatchAnswer *a = &way->best[1];
    double one = speed(b, way, 0), many = speed(b, way, 1);
    double ours = b->ways[0].ours != NULL ? speed(b, &b->ways[0], 1) : (double)NAN;
    located_row(out, (LocatedCell[]){cell_text(way->best[0].title), cell(way->runs), cell(one), cell(many),
                                     cell(many / one), cell(b->plan.threads * way->best[0].cpu / a->cpu),
                                     cell(ours / many), cell(a->error[0]), cell(a->error[1]),
                                     cell(a->error[2]), cell(a->failed)});
}

/* False: some bits depend on the number of threads, or a way of ours failed. */
static bool tell(LocatedOut *out, const Bench *b)
{
    char many[32], title[160];
    snprintf(many, sizeof many, "steps/s, %d thr.", b->plan.threads);
    const LocatedColumn columns[] = {
        {"engine", "engine", false},  {"rollouts", "rollouts", true}, {"steps_s_1", "steps/s, 1 thr.", true},
        {"steps_s_n", many, true},    {"gain", "gain", false},        {"gain_cpu", "by cpu", false},
        {"ours", "ours", false},      {"sag_mm", "sag, mm", false},   {"creep_mm", "creep, mm", false},
        {"gap_mm", "gap, mm", false}, {"failed", "failed", true}};
    snprintf(title, sizeof title,
             "Rollouts of %d steps of " BATCH_SCENE
             " from different starts; best of %d alternating measurements",
             b->plan.steps, b->repeats);
    located_table(out, "batch", title, columns, sizeof columns / sizeof columns[0]);
    bool good = true;
    for (int i = 0; i < b->nways; i++) {
        const Way *way = &b->ways[i];
        bool done = way->best[0].done && way->best[1].done;
        if (done)
            put_row(out, b, way);
        else
            located_note(out, "%s: failed", way->ours != NULL ? way->ours->title : "MuJoCo");
        if (way->other_bits)
            located_note(out, "%s: OTHER BITS by %d threads than by one", way->ours->title, b->plan.threads);
        good = good && (way->ours == NULL || (done && !way->other_bits && way->best[1].failed == 0));
    }
    const LocatedColumn machine[] = {{"threads", "threads", true}, {"machine_gain", "gain", false}};
    located_table(out, "machine", "What as many threads gain on this machine in pure arithmetic", machine, 2);
    located_row(out, (LocatedCell[]){cell(b->plan.threads), cell(b->machine)});
    return good;
}

/* ------------------------------------------------------------------ options */

static bool take(void *context, const char *name)
{
    Bench *b = context;
    if (strcmp(name, "--quick") != 0)
        return false;
    b->plan.runs = 64;
    b->plan.steps = 250;
    b->repeats = 2;
    return true;
}

/* A whole number from 1 on, where there is a text; false: it is none. */
static bool read_count(const char *name, const char *text, int *out)
{
    if (text == NULL)
        return true;
    char *end;
    long number = strtol(text, &end, 10);
    if (*text == '\0' || *end != '\0' || number < 1 || number > 1000000) {
        fprintf(stderr, "rigor-bench-batch: %s: expected a whole number from 1 to 1000000, not '%s'\n", name,
                text);
        return false;
    }
    *out = (int)number;
    return true;
}

int main(int argc, char **argv)
{
    static Bench b = {.plan = {1024, 1000, 2}, .repeats = 3, .modules = "build"};
    const char *json = NULL, *csv = NULL, *runs = NULL, *steps = NULL, *threads = NULL, *repeats = NULL;
    const LocatedValue values[] = {{"--runs", &runs},         {"--steps", &steps},    {"--threads", &threads},
                                   {"--repeats", &repeats},   {"--json", &json},      {"--csv", &csv},
                                   {"--modules", &b.modules}, {"--engine", &b.engine}};
    const LocatedArgs args = {"rigor-bench-batch", usage, take, &b, values, sizeof values / sizeof values[0]};
    int code = located_args_read(&args, argc, argv);
    if (code >= 0)
        return code;
    if (!read_count("--runs", runs, &b.plan.runs) || !read_count("--steps", steps, &b.plan.steps) ||
        !read_count("--threads", threads, &b.plan.threads) || !read_count("--repeats", repeats, &b.repeats))
        return 2;
    LocatedOut out;
    if (!located_out_begin(&out, json, csv)) {
        fprintf(stderr, "rigor-bench-batch: an output file cannot be written\n");
        return 2;
    }
    find_ways(&b, &out);
    if (b.nways == 0) {
        fprintf(stderr, "rigor-bench-batch: no engine's name begins with '%s'\n", b.engine);
        return 2;
    }
    measure_all(&b);
    bool good = tell(&out, &b);
    if (!located_out_end(&out))
        return 2;
    return good ? 0 : 1;
}
