/*
 * motion_turns.c - child processes that handle commands: begin a run, make some steps, measure errors.
 *
 * Parent and child communicate by two pipes. A child that does not answer (crash or timeout) loses only its row. Only
 * the steps are timed.
 */
#define _GNU_SOURCE
#include "motion_turns.h"
#include "child.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATIENCE 300   /* s of wall clock for one answer */
#define FEW 20         /* looks at the clock in a turn */
#define MAX_RUNNERS 32 /* at once */

typedef enum Command { COMMAND_BEGIN, COMMAND_STEPS, COMMAND_ERRORS } Command;

typedef struct Ask {
    Command command;
    int steps;
    double budget;
} Ask;

typedef struct Answer {
    bool good;
    int steps; /* made; fewer than requested: the budget was used up */
    double seconds;
    char text[120];
    MotionErrors errors;
} Answer;

int turn_end(const TurnPlan *plan, int turn)
{
    return (int)((long long)plan->steps * (turn + 1) / MOTION_TURNS);
}

/* ------------------------------------------------------------------ in the child */

typedef struct Stage {
    const PeerEngine *engine;
    const SceneData *scene;
    const PeerOptions *options;
    void *world;
} Stage;

static const PeerEngine *find_engine(const Runner *r)
{
    const PeerEngine *const *engines = r->module == NULL ? rigor_engines() : child_load(r->module);
    for (int i = 0; engines != NULL && engines[i] != NULL; i++)
        if (strcmp(engines[i]->id, r->engine) == 0)
            return engines[i];
    return NULL;
}

static bool begin_run(Stage *s)
{
    if (s->engine == NULL)
        return false;
    if (s->world != NULL)
        s->engine->destroy(s->world);
    s->world = s->engine->create(s->scene, s->options);
    return s->world != NULL;
}

static void read_all(const Stage *s, SceneBodyState *states, double *q, double *rates)
{
    for (int i = 0; i < s->scene->nbodies; i++)
        s->engine->read(s->world, i, &states[i]);
    for (int i = 0; i < s->scene->njoints && s->engine->joint != NULL; i++)
        s->engine->joint(s->world, i, &q[i], &rates[i]);
}

/* What is read of an engine after each step. */
typedef struct Readings {
    SceneBodyState *states;
    double *q, *rates;
} Readings;

static void run_measured(Stage *s, const Ask *ask, MotionMeasure *m, Readings r, MotionErrors *out)
{
    bool joints = s->engine->joint != NULL;
    double begin = child_cpu();
    read_all(s, r.states, r.q, r.rates);
    motion_measure_step(m, r.states, joints ? r.q : NULL, r.rates);
    for (int i = 0; i < ask->steps && child_cpu() - begin < ask->budget; i++) {
        s->engine->step(s->world);
        read_all(s, r.states, r.q, r.rates);
        motion_measure_step(m, r.states, joints ? r.q : NULL, r.rates);
    }
    *out = motion_measure_end(m);
}

static bool gather_errors(Stage *s, const Ask *ask, MotionErrors *out)
{
    MotionMeasure *m = motion_measure_begin(s->scene, ask->steps);
    SceneBodyState *states = calloc((size_t)s->scene->nbodies, sizeof *states);
    double *q = calloc((size_t)s->scene->njoints + 1, sizeof *q);
    double *rates = calloc((size_t)s->scene->njoints + 1, sizeof *rates);
    bool good = m != NULL && states != NULL && q != NULL && rates != NULL && begin_run(s);
    if (good)
        run_measured(s, ask, m, (Readings){states, q, rates}, out);
    free(states);
    free(q);
    free(rates);
    return good;
}

/* Steps between two looks at the clock. */
static int few_steps(Stage *s, int most, int count)
{
    count = count < most ? count : most;
    for (int i = 0; s->engine != NULL && i < count; i++)
        s->engine->step(s->world);
    return count;
}

static void answer(Stage *s, const Ask *ask, Answer *out)
{
    *out = (Answer){.good = true};
    double begin = child_cpu();
    if (ask->command == COMMAND_BEGIN)
        out->good = begin_run(s);
    else if (ask->command == COMMAND_ERRORS)
        out->good = gather_errors(s, ask, &out->errors);
    else
        while (out->steps < ask->steps && child_cpu() - begin < ask->budget)
            out->steps += few_steps(s, ask->steps - out->steps, ask->steps / FEW + 1);
    out->seconds = child_cpu() - begin;
    if (!out->good)
        snprintf(out->text, sizeof out->text, "the scene could not be made");
}

/* First reports whether the engine can do the scene, then answers until the parent closes its end. */
static _Noreturn void child_main(const Runner *r, const SceneData *scene, int from, int to)
{
    if (!child_settle(PATIENCE))
        _exit(1);
    Stage s = {.engine = find_engine(r), .scene = scene, .options = &r->options};
    const char *lack = s.engine != NULL ? s.engine->lacks(scene, &r->options) : "not installed";
    Answer a = {.good = lack == NULL};
    snprintf(a.text, sizeof a.text, "%s", lack != NULL ? lack : "");
    Ask ask;
    while (write(to, &a, sizeof a) == (ssize_t)sizeof a && read(from, &ask, sizeof ask) == (ssize_t)sizeof ask) {
        alarm(PATIENCE);
        answer(&s, &ask, &a);
        alarm(0); /* waiting for its turn has no limit */
    }
    _exit(0);
}

/* ------------------------------------------------------------------ in the parent */

static void end_child(Runner *r)
{
    if (r->child <= 0)
        return;
    close(r->to);
    close(r->from);
    const char *end = child_end(r->child);
    if (r->state == RUNNER_FAILED && r->text[0] == '\0')
        snprintf(r->text, sizeof r->text, "%s", end);
    r->child = 0;
}

static bool receive(Runner *r, Answer *a)
{
    if (!child_receive(r->from, a, sizeof *a)) {
        r->state = RUNNER_FAILED;
        end_child(r);
        return false;
    }
    if (!a->good) {
        r->state = RUNNER_FAILED;
        snprintf(r->text, sizeof r->text, "%s", a->text);
    }
    return a->good;
}

static bool ask_child(Runner *r, Ask ask, Answer *a)
{
    if (r->state != RUNNER_READY)
        return false;
    if (write(r->to, &ask, sizeof ask) != (ssize_t)sizeof ask) {
        r->state = RUNNER_FAILED;
        end_child(r);
        return false;
    }
    return receive(r, a);
}

/* The other runners' ends of pipes are closed in the child, so that each child sees the end of its own. */
static void make_child(Runner *runners, int index, const SceneData *scene)
{
    Runner *r = &runners[index];
    int ask[2], from, to;
    Answer a;
    r->state = RUNNER_FAILED;
    if (pipe(ask) != 0)
        return;
    r->child = child_fork(&from, &to);
    if (r->child == 0) {
        close(ask[1]);
        for (int i = 0; i < index; i++)
            if (runners[i].child > 0) {
                close(runners[i].to);
                close(runners[i].from);
            }
        child_main(r, scene, ask[0], to);
    }
    close(ask[0]);
    r->to = ask[1];
    r->from = from;
    if (r->child < 0)
        return;
    r->state = RUNNER_READY;
    if (!receive(r, &a) && r->text[0] != '\0' && r->child > 0)
        r->state = RUNNER_LACKS;
}

/* One run of all engines with some budget left. */
static void run_once(Runner *runners, int count, const TurnPlan *plan, int repeat)
{
    Answer a;
    bool runs[MAX_RUNNERS];
    double before[MAX_RUNNERS];
    for (int i = 0; i < count; i++) {
        Runner *r = &runners[i];
        before[i] = r->spent;
        runs[i] = r->state == RUNNER_READY && (repeat == 0 || r->spent * (repeat + 1) / repeat < plan->budget) &&
                  ask_child(r, (Ask){.command = COMMAND_BEGIN}, &a);
    }
    for (int turn = 0; turn < MOTION_TURNS; turn++)
        for (int i = 0; i < count; i++) {
            Runner *r = &runners[i];
            int steps = turn_end(plan, turn) - (turn > 0 ? turn_end(plan, turn - 1) : 0);
            if (!runs[i] || r->spent - before[i] > plan->budget ||
                !ask_child(r, (Ask){COMMAND_STEPS, steps, plan->budget}, &a))
                continue;
            r->spent += a.seconds;
            runs[i] = a.steps == steps;
            if (!runs[i] && r->turns == 0) {
                r->part_steps = a.steps;
                r->part = a.seconds;
            }
            if (!runs[i])
                continue;
            r->best[turn] = repeat == 0 || a.seconds < r->best[turn] ? a.seconds : r->best[turn];
            if (repeat == 0)
                r->turns = turn + 1;
        }
}

void run_in_turns(Runner *runners, int count, const SceneData *scene, const TurnPlan *plan)
{
    Answer a;
    if (count > MAX_RUNNERS)
        count = MAX_RUNNERS;
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    for (int i = 0; i < count; i++)
        make_child(runners, i, scene);
    for (int repeat = 0; repeat < plan->repeats; repeat++)
        run_once(runners, count, plan, repeat);
    for (int i = 0; i < count; i++)
        if (ask_child(&runners[i], (Ask){COMMAND_ERRORS, plan->steps, 2.0 * plan->budget}, &a))
            runners[i].errors = a.errors;
    for (int i = 0; i < count; i++)
        end_child(&runners[i]);
    signal(SIGPIPE, before);
}
