/*
 * view_sim.c - the simulation behind a live view.
 *
 * Time: with t0, c0 the simulated time and the clock at the last start, the target time is
 *
 *   t = t0 + speed (c - c0)
 *
 * and the world is stepped until the next step would pass it. A delay of more than LAG seconds is dropped: a slow
 * simulation runs as fast as possible and does not catch up later. speed 0: as fast as possible.
 *
 * A frame is encoded at most `frames` times per second, and only while a client is connected; every step is searched for
 * events. Of the thread's computing time at most EVENT_SHARE is used for the search for events and FRAME_SHARE for
 * frames; idle time may be used freely. In slow simulations some steps are not searched and some frames not made. Orders
 * are handled between steps. Waits depend on the clock and on orders, not on how fast clients read frames.
 *
 * Another stepper or solver needs a new world, which gets the state, efforts, motors and energy totals of the old one,
 * so that totals count from the start or the last reset. If the library refuses it, the old world remains and the
 * client gets the reason. After a refused step the simulation pauses at the state before it, with the reason in the
 * status.
 */
#define _POSIX_C_SOURCE 200809L
#include "view/view_sim.h"

#include "io/error.h"
#include "io/progress.h"
#include "run/run_control.h"
#include "view/view_drag.h"

#include <rigor/message.h>

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LAG 0.1          /* s behind the clock that the simulation catches up */
#define FACTOR_TIME 0.5  /* s over which the real-time factor is averaged */
#define STATUS_TIME 0.02 /* s between updates of the time while it runs */
#define EVENT_SHARE 0.02 /* of the computing time, at most, for the search for events */
#define FRAME_SHARE 0.05 /* the same for frames */
#define CREDIT_MAX 0.05  /* s of unused time of either that is saved */
#define SLICE 0.005      /* s between checks for orders */

/* Time that may be spent on a task beside the simulation, s. */
typedef struct Allowance {
    double share;  /* of computing time */
    double credit; /* unused */
    double cost;   /* of one use, estimated from the last ones */
} Allowance;

struct RgViewSim {
    RgRun *run;
    RgViewHub *hub;
    RgMessages *messages;
    pthread_t thread;
    double frames;

    bool running;
    bool waiting; /* for the first viewer */
    int viewers;
    int steps_left; /* of single steps */
    RgDrag drag;
    uint32_t dragging; /* client that drags a body */
    void *start;       /* the state at t = 0 */
    size_t start_size;

    double clock0, t0;  /* s: anchor of simulated time on the clock */
    double frame_clock; /* s, time of the last frame */
    double factor_clock, factor_t;
    double status_clock;
    Allowance for_events, for_frames;
    double computed; /* s of the thread's CPU time when the allowances were last raised */
    bool changed;    /* since the last frame */
    uint32_t frame;
    RgViewStatus status;
};

/* ------------------------------------------------------------------ allowances */

/* CPU time of this thread, s. */
static double thread_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool can_spend(const Allowance *allowance)
{
    return allowance->credit >= allowance->cost;
}

static void spend(Allowance *allowance, double spent)
{
    allowance->credit -= spent;
    allowance->cost += 0.1 * (spent - allowance->cost);
}

/* Adds to the allowances after computing and sleeping. */
static void raise_allowances(RgViewSim *sim, double slept)
{
    double now = thread_time(), busy = now - sim->computed;
    sim->computed = now;
    sim->for_events.credit = fmin(sim->for_events.credit + sim->for_events.share * busy + slept, CREDIT_MAX);
    sim->for_frames.credit = fmin(sim->for_frames.credit + sim->for_frames.share * busy + slept, CREDIT_MAX);
}

/* ------------------------------------------------------------------ frames and status */

static void add_message(RgViewFrame *frame, const RgMessage *message)
{
    rg_frame_add(frame, (uint16_t)message->channel, message->time, message->data, message->size);
}

/* Encodes all messages of a kind into a frame, except channels that only files have. */
static bool encode(RgViewSim *sim, RgViewFrame *frame, RgChannelWhen when)
{
    for (int i = 0; i < rg_channel_count(); i++) {
        RgChannel channel = rg_channel(i);
        RgMessage message;
        if (channel.when != when || channel.files_only)
            continue;
        if (rg_messages_encode(sim->messages, i, sim->run->world, &message) != RG_OK)
            return false;
        if (message.size > 0)
            add_message(frame, &message);
    }
    return true;
}

static void publish_first(RgViewSim *sim)
{
    RgViewFrame *frame = rg_hub_begin_frame(sim->hub, 0);
    if (frame && encode(sim, frame, RG_CHANNEL_ONCE))
        rg_hub_publish_first(sim->hub, frame);
}

static void publish_status(RgViewSim *sim, double now)
{
    sim->status.t = rg_world_time(sim->run->world);
    sim->status.frame = sim->frame;
    sim->status_clock = now;
    rg_hub_set_status(sim->hub, &sim->status);
}

static void publish_frame(RgViewSim *sim, double now)
{
    RgViewFrame *frame = rg_hub_begin_frame(sim->hub, sim->frame + 1);
    double due = sim->frame_clock + 1.0 / sim->frames;
    sim->frame_clock = now - due < 1.0 / sim->frames ? fmin(due, now) : now; /* a late frame does not delay the next */
    sim->changed = false;
    if (!frame)
        return;
    double begin = thread_time();
    rg_messages_set_real_time_factor(sim->messages, sim->status.real_time_factor);
    if (encode(sim, frame, RG_CHANNEL_FRAME) && !frame->failed) {
        sim->frame++;
        publish_status(sim, now);
        rg_hub_publish(sim->hub, frame);
    }
    spend(&sim->for_frames, thread_time() - begin);
}

static void add_event(const RgMessage *message, void *context)
{
    RgViewSim *sim = context;
    rg_hub_add_event(sim->hub, (uint16_t)message->channel, sim->frame + 1, message->time, message->data, message->size);
}

/* Sends the status to all clients, after changes other than time. */
static void send_status(RgViewSim *sim)
{
    sim->status.running = sim->running;
    sim->status.version++;
    publish_status(sim, rg_progress_clock());
}

/* ------------------------------------------------------------------ time */

static void set_anchor(RgViewSim *sim, double now)
{
    sim->clock0 = now;
    sim->t0 = rg_world_time(sim->run->world);
    sim->factor_clock = now;
    sim->factor_t = sim->t0;
}

static void measure_factor(RgViewSim *sim, double now)
{
    if (now - sim->factor_clock < FACTOR_TIME)
        return;
    double t = rg_world_time(sim->run->world);
    sim->status.real_time_factor = (t - sim->factor_t) / (now - sim->factor_clock);
    sim->factor_clock = now;
    sim->factor_t = t;
}

/* Clock time at which the next step is due. */
static double next_due(const RgViewSim *sim)
{
    if (sim->status.speed <= 0.0)
        return 0.0;
    double t = rg_world_time(sim->run->world) + sim->run->step;
    return sim->clock0 + (t - sim->t0) / sim->status.speed;
}

/* Searches for events if the allowance permits; events located by the stepper need no search. */
static void search_events(RgViewSim *sim)
{
    if (sim->viewers == 0 || (!can_spend(&sim->for_events) && !rg_world_locates(sim->run->world)))
        return;
    double begin = thread_time();
    rg_messages_encode_events(sim->messages, sim->run->world, add_event, sim);
    spend(&sim->for_events, thread_time() - begin);
}

/* One step. false: it was refused, and the simulation is paused. */
static bool step(RgViewSim *sim)
{
    RgRun *run = sim->run;
    RgStepReport report = {.status = RG_OK};
    RgStatus status = rg_drag_pull(&sim->drag, run->world, run->step);
    if (status == RG_OK)
        status = rg_run_step(run, run->step, &report);
    if (status == RG_OK) {
        sim->changed = true;
        search_events(sim);
        return true;
    }
    sim->running = false;
    sim->steps_left = 0;
    snprintf(sim->status.error, sizeof sim->status.error, "step refused at t = %.9g s: %s%s%s",
             rg_world_time(run->world), rg_status_text(status), report.offender[0] ? ": " : "", report.offender);
    send_status(sim);
    return false;
}

/* Makes the steps that are due, for SLICE seconds at most. Returns the clock after them. */
static double advance(RgViewSim *sim, double now)
{
    double until = now + SLICE;
    bool free = sim->steps_left > 0;
    while (now < until && (free || next_due(sim) <= now) && step(sim)) {
        if (free && --sim->steps_left == 0) {
            now = rg_progress_clock();
            set_anchor(sim, now);
            break;
        }
        now = rg_progress_clock();
    }

    /* Too far behind: continue from the present time. */
    if (!free && sim->status.speed > 0.0 && now - next_due(sim) > LAG) {
        sim->clock0 = now - LAG;
        sim->t0 = rg_world_time(sim->run->world);
    }
    return now;
}

/* ------------------------------------------------------------------ orders */

/* A control with the same state for another world. NULL: error is filled, or nothing is controlled. */
static RgControl *copy_control(RgRun *run, RgWorld *world, RgError *error)
{
    if (!run->control)
        return NULL;
    RgControl *copy = rg_run_control_for(run, world, error);
    size_t size = rg_control_state_size(run->control);
    void *state = copy ? malloc(size) : NULL;
    RgStatus status = state ? RG_OK : RG_ERR_MEMORY;
    if (state) {
        rg_control_state_save(run->control, state);
        status = rg_control_state_load(copy, state, size);
    }
    free(state);
    if (!copy || status == RG_OK)
        return copy;
    rg_control_destroy(copy);
    rg_error_set(error, status, NULL, "control: %s", rg_status_text(status));
    return NULL;
}

/* A world made by def in the present state, with drives and control; NULL: error is filled. */
static RgWorld *copy_world(RgRun *run, const RgWorldDef *def, RgControl **control, RgError *error)
{
    RgWorld *old = run->world, *new = rg_world_create(def, error);
    if (!new)
        return NULL;
    size_t size = rg_world_state_size(old);
    void *state = malloc(size);
    RgStatus status = state ? RG_OK : rg_error_set(error, RG_ERR_MEMORY, NULL, "out of memory");
    if (status == RG_OK) {
        rg_world_state_save(old, state);
        run->world = new;
        status = rg_run_set_drives(run, error);
        run->world = old;
        if (status == RG_OK)
            status = rg_world_state_load(new, state, size);
        if (status != RG_OK && !error->text[0])
            rg_error_set(error, status, NULL, "%s", rg_status_text(status));
    }
    free(state);
    *control = status == RG_OK ? copy_control(run, new, error) : NULL;
    if (status == RG_OK && (*control || !run->control))
        return new;
    rg_world_destroy(new);
    return NULL;
}

/* Replaces the world. false: why is filled, nothing is changed. */
static bool replace_world(RgViewSim *sim, const RgWorldDef *def, char *why)
{
    RgRun *run = sim->run;
    RgError error = {0};
    RgControl *control = NULL;
    RgWorld *old = run->world, *new = copy_world(run, def, &control, &error);
    if (!new) {
        snprintf(why, RG_VIEW_WHY_MAX, "%s", error.text);
        return false;
    }
    RgEnergySums sums = rg_world_energy_sums(old);
    rg_run_drop_control(run);
    run->control = control;
    rg_messages_set_control(sim->messages, control);
    run->world = new;
    rg_world_set_energy_sums(new, &sums);
    rg_world_watch(new);
    rg_world_destroy(old);
    run->def = *def;
    return true;
}

/* The library's copy of a name; NULL: unknown, why lists the names. */
static const char *find_name(const char *wanted, int (*count)(void), const char *(*name)(int), char *why)
{
    size_t used = (size_t)snprintf(why, RG_VIEW_WHY_MAX, "set: unknown '%s'; expected one of", wanted);
    for (int i = 0; i < count(); i++) {
        if (strcmp(name(i), wanted) == 0)
            return name(i);
        if (used < RG_VIEW_WHY_MAX)
            used += (size_t)snprintf(why + used, RG_VIEW_WHY_MAX - used, "%s %s", i ? "," : "", name(i));
    }
    return NULL;
}

static void copy_names(RgViewSim *sim)
{
    snprintf(sim->status.stepper, sizeof sim->status.stepper, "%s", sim->run->def.stepper);
    snprintf(sim->status.solver, sizeof sim->status.solver, "%s", sim->run->def.solver);
    sim->status.dt = sim->run->step;
}

static bool do_set(RgViewSim *sim, const RgViewCommand *command, char *why)
{
    RgWorldDef def = sim->run->def;
    if (command->dt != 0.0 && (command->dt < RG_PLAN_STEP_MIN || command->dt > RG_PLAN_STEP_MAX)) {
        snprintf(why, RG_VIEW_WHY_MAX, "set: dt %g is not between %g and %g s", command->dt, RG_PLAN_STEP_MIN,
                 RG_PLAN_STEP_MAX);
        return false;
    }
    if (command->stepper[0] && !(def.stepper = find_name(command->stepper, rg_stepper_count, rg_stepper_name, why)))
        return false;
    /* A default solver follows the stepper. */
    const RgWorldDef *now = &sim->run->def;
    if (!rg_plan_given(&sim->run->plan, "solver") && strcmp(now->solver, rg_settings_default_solver(now->stepper)) == 0)
        def.solver = rg_settings_default_solver(def.stepper);
    if (command->solver[0] && !(def.solver = find_name(command->solver, rg_solver_count, rg_solver_name, why)))
        return false;
    bool same = strcmp(def.stepper, sim->run->def.stepper) == 0 && strcmp(def.solver, sim->run->def.solver) == 0;
    if (!same && !replace_world(sim, &def, why))
        return false;
    if (command->dt != 0.0)
        sim->run->step = command->dt;
    sim->status.error[0] = '\0';
    copy_names(sim);
    set_anchor(sim, rg_progress_clock());
    publish_first(sim);
    return true;
}

static bool do_reset(RgViewSim *sim, char *why)
{
    rg_drag_release(&sim->drag, sim->run->world);
    RgStatus status = rg_world_state_load(sim->run->world, sim->start, sim->start_size);
    if (status != RG_OK) {
        snprintf(why, RG_VIEW_WHY_MAX, "reset: %s", rg_status_text(status));
        return false;
    }
    if (sim->run->control)
        rg_control_reset(sim->run->control);
    rg_world_set_energy_sums(sim->run->world, NULL);
    rg_messages_reset(sim->messages);
    sim->steps_left = 0;
    sim->status.error[0] = '\0';
    sim->status.real_time_factor = 0.0;
    sim->changed = true;
    set_anchor(sim, rg_progress_clock());
    publish_frame(sim, rg_progress_clock());
    return true;
}

static bool do_drag(RgViewSim *sim, const RgViewCommand *command, uint32_t client, char *why)
{
    int links = rg_model_info(sim->run->model).links;
    if (command->link >= links) {
        snprintf(why, RG_VIEW_WHY_MAX, "drag: there are %d links, and no link %d", links, command->link);
        return false;
    }
    RgLinkId link = {command->link + 1};
    if (!rg_drag_begin(&sim->drag, sim->run->world, link, command->point, command->target)) {
        snprintf(why, RG_VIEW_WHY_MAX, "drag: %s does not move", rg_model_link(sim->run->model, link).name);
        return false;
    }
    sim->dragging = client;
    return true;
}

static void do_release(RgViewSim *sim)
{
    rg_drag_release(&sim->drag, sim->run->world);
}

static void do_play(RgViewSim *sim, bool play)
{
    sim->running = play;
    sim->waiting = false;
    sim->steps_left = 0;
    if (play)
        sim->status.error[0] = '\0';
    set_anchor(sim, rg_progress_clock());
}

static void handle_command(RgViewSim *sim, const RgViewCommand *command, uint32_t client)
{
    char why[RG_VIEW_WHY_MAX] = "";
    bool good = true;
    switch (command->op) {
    case RG_VIEW_PLAY:
    case RG_VIEW_PAUSE:
        do_play(sim, command->op == RG_VIEW_PLAY);
        break;
    case RG_VIEW_STEP:
        do_play(sim, false);
        sim->status.error[0] = '\0';
        sim->steps_left = command->steps;
        break;
    case RG_VIEW_RESET:
        good = do_reset(sim, why);
        break;
    case RG_VIEW_SPEED:
        sim->status.speed = command->speed;
        set_anchor(sim, rg_progress_clock());
        break;
    case RG_VIEW_SET:
        good = do_set(sim, command, why);
        break;
    case RG_VIEW_DRAG:
        good = do_drag(sim, command, client, why);
        break;
    case RG_VIEW_RELEASE:
        do_release(sim);
        break;
    }
    if (!good)
        rg_hub_answer(sim->hub, client, why);
    else if (command->op != RG_VIEW_DRAG && command->op != RG_VIEW_RELEASE)
        send_status(sim);
}

/* A new viewer gets the present state, and starts a simulation that waits for the first viewer. */
static void join(RgViewSim *sim)
{
    double now = rg_progress_clock();
    if (sim->viewers == 0)
        rg_messages_reset(sim->messages);
    if (sim->waiting) {
        do_play(sim, true);
        send_status(sim);
    }
    publish_frame(sim, now);
}

static void run_orders(RgViewSim *sim)
{
    RgViewOrder order;
    bool joined = false;
    while (rg_hub_take_order(sim->hub, &order)) {
        if (order.kind == RG_ORDER_COMMAND)
            handle_command(sim, &order.command, order.client);
        joined = joined || order.kind == RG_ORDER_JOIN;
    }

    /* A client that left releases the body it drags, also if there was no room for its order. */
    if (!rg_hub_has_viewer(sim->hub, sim->dragging))
        do_release(sim);
    int viewers = rg_hub_viewers(sim->hub);
    if (joined || viewers > sim->viewers)
        join(sim);
    sim->viewers = viewers;
}

/* ------------------------------------------------------------------ the thread */

static void *simulate(void *context)
{
    RgViewSim *sim = context;
    while (!rg_hub_ended(sim->hub)) {
        run_orders(sim);
        bool active = sim->running || sim->steps_left > 0;
        double now = rg_progress_clock(), period = 1.0 / sim->frames;
        if (active) {
            now = advance(sim, now);
            measure_factor(sim, now);
        }

        /* A frame if it is due and a client is connected; else the status with the time. */
        active = sim->running || sim->steps_left > 0;
        bool due = now >= sim->frame_clock + period || !active;
        bool wanted = sim->changed && due && sim->viewers > 0;
        if (wanted && (can_spend(&sim->for_frames) || !active))
            publish_frame(sim, now);
        else if (wanted)
            sim->frame_clock = now; /* skips this frame */
        else if (now >= sim->status_clock + STATUS_TIME)
            publish_status(sim, now);

        double wake = !active ? INFINITY : sim->steps_left > 0 ? 0.0 : next_due(sim);
        if (active && sim->changed && sim->viewers > 0)
            wake = fmin(wake, sim->frame_clock + period);
        double slept = 0.0;
        if (wake > now) {
            rg_hub_wait(sim->hub, wake);
            slept = rg_progress_clock() - now;
        }
        raise_allowances(sim, slept);
    }
    return NULL;
}

/* ------------------------------------------------------------------ life */

static RgStatus prepare(RgViewSim *sim, const RgViewSimDef *def, RgError *error)
{
    RgRun *run = def->run;
    RgMessagesDef messages = rg_messages_def_default();
    messages.model = run->model;
    messages.name = rg_model_info(run->model).name;
    messages.step = run->step;
    messages.control = def->run->control;
    sim->messages = rg_messages_create(&messages, error);
    if (!sim->messages)
        return error->status;
    rg_world_watch(run->world);
    sim->start_size = rg_world_state_size(run->world);
    sim->start = malloc(sim->start_size);
    if (!sim->start)
        return rg_error_set(error, RG_ERR_MEMORY, NULL, "out of memory");
    rg_world_state_save(run->world, sim->start);
    return RG_OK;
}

static void destroy(RgViewSim *sim)
{
    rg_messages_destroy(sim->messages);
    free(sim->start);
    free(sim);
}

RgViewSim *rg_view_sim_start(const RgViewSimDef *def, RgError *error)
{
    RgViewSim *sim = calloc(1, sizeof *sim);
    if (!sim) {
        rg_error_set(error, RG_ERR_MEMORY, NULL, "out of memory");
        return NULL;
    }
    sim->run = def->run;
    sim->hub = def->hub;
    sim->frames = def->frames;
    sim->waiting = !def->paused;
    sim->for_events = (Allowance){.share = EVENT_SHARE, .credit = CREDIT_MAX};
    sim->for_frames = (Allowance){.share = FRAME_SHARE, .credit = CREDIT_MAX};
    sim->status.speed = def->speed;
    copy_names(sim);
    if (prepare(sim, def, error) != RG_OK) {
        destroy(sim);
        return NULL;
    }
    publish_first(sim);
    send_status(sim);

    /* The server thread handles signals. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int fault = pthread_create(&sim->thread, NULL, simulate, sim);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (fault) {
        rg_error_set(error, RG_ERR_MEMORY, NULL, "cannot start a thread: %s", strerror(fault));
        destroy(sim);
        return NULL;
    }
    return sim;
}

void rg_view_sim_stop(RgViewSim *sim)
{
    if (!sim)
        return;
    rg_hub_end(sim->hub);
    pthread_join(sim->thread, NULL);
    destroy(sim);
}
