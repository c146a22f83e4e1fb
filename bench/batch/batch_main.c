/*
 * batch_main.c - rigor-bench-batch: rollouts by one thread and by several, ours beside MuJoCo's, in one table.
 *
 *   rigor-bench-batch [--quick] [--runs N] [--steps N] [--threads N] [--repeats N] [--engine NAME] [--modules DIR]
 *                     [--json FILE|-] [--csv FILE]
 *
 * Every way is measured in a process of its own, in pieces: each by one thread and right after that by several. The
 * ways follow each other, and that as often as --repeats says. Kept are the fastest totals over the repeats, since
 * others on the machine only ever slow them down; "gain" is the median over all pieces of all repeats of one thread's
 * time over that of several, "by cpu" what the threads would gain if each had a processor of its own all the time: N
 * times the processor time that the steps take one thread, over what they take all. Below stands the gain of pure
 * arithmetic (machine_gain.c), measured before each repeat, median of all: what the machine itself had to give. Our
 * runs must have the same bits by any number of threads: else the program ends with status 1.
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

enum { MOST_WAYS = 16, LIMIT_SECONDS = 3600, MOST_REPEATS = 50, LEAST_PIECE = 32, PIECES = 4 };

/* One way to make the rollouts: ours, or one of a module. */
typedef struct Way {
    const BatchWay *ours; /* NULL: a module's */
    int index;            /* in the module */
    BatchPlan plan;
    char title[48];
    int done;               /* repeats */
    double best[2], cpu[2]; /* s: by one thread, by several */
    double gains[MOST_REPEATS * BATCH_PIECES];
    int ngains;
    double error[SCENE_ERRORS];
    int failed;
    bool other_bits;
} Way;

typedef struct Bench {
    int runs, steps, threads, repeats;
    const char *modules;
    const char *engine; /* beginning of the names that are wanted; NULL: all */
    char module[512];
    Way ways[MOST_WAYS];
    int nways;
    double machine[MOST_REPEATS];
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
static void answer_one(const Bench *b, const Way *way, BatchAnswer *answer)
{
    if (way->ours != NULL) {
        batch_run_rigor(way->ours, &way->plan, answer);
        return;
    }
    const PeerRollouts *const *peers = child_load_rollouts(b->module);
    for (int i = 0; peers != NULL && peers[i] != NULL; i++)
        if (i == way->index)
            batch_run_peer(peers[i], &way->plan, answer);
}

static BatchAnswer ask(const Bench *b, const Way *way)
{
    BatchAnswer answer = {0};
    int from, to;
    pid_t child = child_fork(&from, &to);
    if (child == 0) {
        BatchAnswer mine = {0};
        if (child_settle(LIMIT_SECONDS))
            answer_one(b, way, &mine);
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

/* Keeps the fastest of the repeats; adds the gains of the pieces. */
static void keep(Way *way, const BatchAnswer *a)
{
    double seconds[2] = {0.0, 0.0};
    for (int k = 0; k < way->plan.pieces; k++) {
        for (int i = 0; i < 2; i++)
            seconds[i] += a->seconds[i][k];
        way->gains[way->ngains++] = a->seconds[0][k] / a->seconds[1][k];
    }
    for (int i = 0; i < 2; i++) {
        way->best[i] = way->done == 0 ? seconds[i] : fmin(way->best[i], seconds[i]);
        way->cpu[i] = way->done == 0 ? a->cpu[i] : fmin(way->cpu[i], a->cpu[i]);
    }
    memcpy(way->title, a->title, sizeof way->title);
    batch_worst(way->error, a->error);
    way->failed += a->failed;
    way->other_bits = way->other_bits || a->hash[0] != a->hash[1];
    way->done++;
}

/* ------------------------------------------------------------------ all of them */

static bool wanted(const Bench *b, const char *title)
{
    return b->engine == NULL || strncmp(b->engine, title, strlen(b->engine)) == 0;
}

/* Runs in pieces, none too small for all threads to have enough of it. */
static BatchPlan plan_of(const Bench *b, int part)
{
    int runs = b->runs / part, piece = runs / PIECES > LEAST_PIECE ? runs / PIECES : LEAST_PIECE;
    piece = piece > b->threads ? piece : b->threads;
    int pieces = runs / piece > 1 ? runs / piece : 1;
    return (BatchPlan){pieces < BATCH_PIECES ? pieces : BATCH_PIECES, piece, b->steps, b->threads};
}

static void find_ways(Bench *b, LocatedOut *out)
{
    for (const BatchWay *w = batch_ways; w->title != NULL && b->nways < MOST_WAYS; w++)
        if (wanted(b, w->title))
            b->ways[b->nways++] = (Way){.ours = w, .plan = plan_of(b, w->part)};
    snprintf(b->module, sizeof b->module, "%s/peer_mujoco.so", b->modules);
    if (access(b->module, R_OK) != 0) {
        located_note(out, "MuJoCo: not built (libmujoco-dev; make bench-batch)");
        return;
    }
    for (int i = 0; i < 2 && b->nways < MOST_WAYS && wanted(b, "MuJoCo"); i++)
        b->ways[b->nways++] = (Way){.index = i, .plan = plan_of(b, 1)};
}

static void measure_all(Bench *b)
{
    for (int repeat = 0; repeat < b->repeats; repeat++) {
        b->machine[repeat] = machine_gain(b->threads);
        for (int i = 0; i < b->nways; i++) {
            BatchAnswer answer = ask(b, &b->ways[i]);
            if (answer.done)
                keep(&b->ways[i], &answer);
        }
    }
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int n)
{
    qsort(x, (size_t)n, sizeof *x, ascending);
    return n > 0 ? x[n / 2] : (double)NAN;
}

static int runs_of(const Way *way)
{
    return way->plan.pieces * way->plan.piece;
}

static double speed(const Way *way, int which)
{
    return way->done > 0 ? (double)runs_of(way) * way->plan.steps / way->best[which] : (double)NAN;
}

static void put_row(LocatedOut *out, Bench *b, Way *way)
{
    double one = speed(way, 0), many = speed(way, 1);
    double ours = b->ways[0].ours != NULL ? speed(&b->ways[0], 1) : (double)NAN;
    located_row(out, (LocatedCell[]){cell_text(way->title), cell(runs_of(way)), cell(one), cell(many),
                                     cell(median(way->gains, way->ngains)),
                                     cell(b->threads * way->cpu[0] / way->cpu[1]), cell(ours / many),
                                     cell(way->error[0]), cell(way->error[1]), cell(way->error[2]), cell(way->failed)});
}

/* False: some bits depend on the number of threads, or a way of ours failed. */
static bool tell(LocatedOut *out, Bench *b)
{
    char many[32], title[160];
    snprintf(many, sizeof many, "steps/s, %d thr.", b->threads);
    const LocatedColumn columns[] = {
        {"engine", "engine", false},  {"rollouts", "rollouts", true}, {"steps_s_1", "steps/s, 1 thr.", true},
        {"steps_s_n", many, true},    {"gain", "gain", false},        {"gain_cpu", "by cpu", false},
        {"ours", "ours", false},      {"sag_mm", "sag, mm", false},   {"creep_mm", "creep, mm", false},
        {"gap_mm", "gap, mm", false}, {"failed", "failed", true}};
    snprintf(title, sizeof title, "Rollouts of %d steps of " BATCH_SCENE " from different starts; best of %d repeats",
             b->steps, b->repeats);
    located_table(out, "batch", title, columns, sizeof columns / sizeof columns[0]);
    bool good = true;
    for (int i = 0; i < b->nways; i++) {
        Way *way = &b->ways[i];
        if (way->done > 0)
            put_row(out, b, way);
        else
            located_note(out, "%s: failed", way->ours != NULL ? way->ours->title : "MuJoCo");
        if (way->other_bits)
            located_note(out, "%s: OTHER BITS by %d threads than by one", way->title, b->threads);
        good = good && (way->ours == NULL || (way->done == b->repeats && !way->other_bits && way->failed == 0));
    }
    const LocatedColumn machine[] = {{"threads", "threads", true}, {"machine_gain", "gain", false}};
    located_table(out, "machine", "What as many threads gain on this machine in pure arithmetic", machine, 2);
    located_row(out, (LocatedCell[]){cell(b->threads), cell(median(b->machine, b->repeats))});
    return good;
}

/* ------------------------------------------------------------------ options */

static bool take(void *context, const char *name)
{
    Bench *b = context;
    if (strcmp(name, "--quick") != 0)
        return false;
    b->runs = 64;
    b->steps = 250;
    b->repeats = 2;
    return true;
}

/* A whole number from 1 on, where there is a text; false: it is none. */
static bool read_count(const char *name, const char *text, int most, int *out)
{
    if (text == NULL)
        return true;
    char *end;
    long number = strtol(text, &end, 10);
    if (*text == '\0' || *end != '\0' || number < 1 || number > most) {
        fprintf(stderr, "rigor-bench-batch: %s: expected a whole number from 1 to %d, not '%s'\n", name, most, text);
        return false;
    }
    *out = (int)number;
    return true;
}

int main(int argc, char **argv)
{
    static Bench b = {.runs = 1024, .steps = 1000, .threads = 2, .repeats = 3, .modules = "build"};
    const char *json = NULL, *csv = NULL, *runs = NULL, *steps = NULL, *threads = NULL, *repeats = NULL;
    const LocatedValue values[] = {{"--runs", &runs},         {"--steps", &steps},    {"--threads", &threads},
                                   {"--repeats", &repeats},   {"--json", &json},      {"--csv", &csv},
                                   {"--modules", &b.modules}, {"--engine", &b.engine}};
    const LocatedArgs args = {"rigor-bench-batch", usage, take, &b, values, sizeof values / sizeof values[0]};
    int code = located_args_read(&args, argc, argv);
    if (code >= 0)
        return code;
    if (!read_count("--runs", runs, 1000000, &b.runs) || !read_count("--steps", steps, 1000000, &b.steps) ||
        !read_count("--threads", threads, 64, &b.threads) ||
        !read_count("--repeats", repeats, MOST_REPEATS, &b.repeats))
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
