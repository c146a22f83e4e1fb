/*
 * messages.c - a world's motion as messages: the public functions, over the table of kinds.
 *
 * All messages of a model use one buffer. Nothing is allocated once it has the size of the largest message.
 */
#include "base/alloc.h"
#include "base/status.h"
#include "constraint/surface_pairs.h"
#include "record/message_table.h"

#include <rigor/control.h>

#include <math.h>
#include <string.h>

#define WORLD_FRAME "world"
#define WORLD_FRAME_ELSE "rigor_world" /* if a link is called world */
#define SEARCH_SHAPES_MAX 500          /* collision shapes; larger models have no least_distance, to bound its cost */
#define NS_PER_S 1e9
#define TIME_MAX 9.2e9 /* s: about 2^63 ns */

static const RgMessageKind *const kinds[] = {
#define RG_MESSAGE_ENTRY(name) &rg_message_kind_##name,
    RG_MESSAGE_LIST(RG_MESSAGE_ENTRY)
#undef RG_MESSAGE_ENTRY
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

uint64_t rg_message_time(double t)
{
    return t > 0.0 ? (uint64_t)llround(fmin(t, TIME_MAX) * NS_PER_S) : 0;
}

/* ------------------------------------------------------------------ channels */

int rg_channel_count(void)
{
    return KINDS;
}

RgChannel rg_channel(int index)
{
    return index >= 0 && index < KINDS ? kinds[index]->channel : (RgChannel){.topic = NULL};
}

int rg_channel_find(const char *topic)
{
    for (int i = 0; i < KINDS; i++)
        if (strcmp(kinds[i]->channel.topic, topic) == 0)
            return i;
    return -1;
}

/* ------------------------------------------------------------------ creation */

RgMessagesDef rg_messages_def_default(void)
{
    return (RgMessagesDef){.cookie = RG_COOKIE};
}

/* Index of the coupling that determines a velocity of a joint; -1: none. */
static int find_coupling(const RgModel *model, int32_t joint, int dof)
{
    int couplings = rg_model_info(model).couplings;
    for (int i = 0; i < couplings; i++) {
        RgCouplingDef coupling = rg_model_coupling(model, i);
        if (coupling.joint.i == joint && coupling.dof == dof)
            return i;
    }
    return -1;
}

/* Lists the velocities in /joint_states (columns NULL: none). Returns their number. */
static int list_columns(const RgMessages *m, RgJointColumn *columns)
{
    int joints = rg_model_info(m->model).joints, n = 0;
    for (int i = 1; i <= joints; i++) {
        RgJointInfo joint = rg_model_joint(m->model, (RgJointId){i});
        for (int k = 0; k < joint.nv && joint.q_index >= 0 && joint.nq == joint.nv; k++, n++)
            if (columns != NULL)
                columns[n] = (RgJointColumn){.joint = {i},
                                             .dof = k,
                                             .q_index = joint.q_index + k,
                                             .v_index = joint.v_index + k,
                                             .coupling = find_coupling(m->model, i, k),
                                             .control = -1,
                                             .name = m->layout.v_names[joint.v_index + k]};
    }
    return n;
}

/* Stores link and friction of every shape. */
static void read_shapes(RgMessages *m, int shapes)
{
    int touching = 0;
    for (int i = 0; i < shapes; i++) {
        RgShapeInfo shape = rg_model_shape(m->model, (RgShapeId){i + 1});
        m->shape_link[i] = shape.link.i > 0 ? (uint32_t)shape.link.i - 1 : RG_MESSAGE_WORLD;
        m->mu[i] = rg_surface_of(m->model, i).mu;
        touching += !shape.is_visual;
    }
    m->search_distances = touching <= SEARCH_SHAPES_MAX;
}

static const char *root_name(const RgRecordLayout *layout)
{
    for (int i = 0; i < layout->links; i++)
        if (strcmp(layout->link_names[i], WORLD_FRAME) == 0)
            return WORLD_FRAME_ELSE;
    return WORLD_FRAME;
}

/* Allocates and fills everything in the arena. False: out of memory. */
static bool init_messages(RgMessages *m, const RgMessagesDef *def)
{
    RgModelInfo info = rg_model_info(def->model);
    RgArena *arena = &m->arena;
    if (!rg_record_layout(def->model, NULL, arena, &m->layout))
        return false;
    m->joint_names = rg_record_joint_names(def->model, arena);
    m->name = rg_arena_strdup(arena, def->name != NULL ? def->name : info.name != NULL ? info.name : "");
    m->description = rg_arena_strdup(arena, def->description);
    m->root = root_name(&m->layout);
    m->ncolumns = list_columns(m, NULL);
    m->columns = RG_ARENA_ALLOC(arena, RgJointColumn, m->ncolumns);
    m->names = RG_ARENA_ALLOC(arena, const char *, m->ncolumns);
    m->values = RG_ARENA_ALLOC(arena, double, 3 * (size_t)m->ncolumns);
    m->efforts = RG_ARENA_ALLOC(arena, RgCouplingEffort, info.couplings);
    m->mu = RG_ARENA_ALLOC(arena, double, info.shapes);
    m->shape_link = RG_ARENA_ALLOC(arena, uint32_t, info.shapes);
    if (arena->failed)
        return false;
    list_columns(m, m->columns);
    read_shapes(m, info.shapes);
    return rg_events_init(&m->events, m->model, m->shape_link, arena);
}

RgMessages *rg_messages_create(const RgMessagesDef *def, RgError *error)
{
    if (def == NULL || def->cookie != RG_COOKIE || def->model == NULL) {
        rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "messages must start from rg_messages_def_default() and name a model");
        return NULL;
    }
    RgMessages *m = rg_alloc(NULL, 1, sizeof *m);
    if (m != NULL) {
        rg_arena_init(&m->arena, NULL);
        m->model = def->model;
        m->step = def->step;
        m->real_time_factor = NAN;
        if (init_messages(m, def)) {
            rg_messages_set_control(m, def->control);
            return m;
        }
        rg_messages_destroy(m);
    }
    rg_fail(error, RG_ERR_MEMORY, NULL, 0, "out of memory");
    return NULL;
}

void rg_messages_destroy(RgMessages *m)
{
    if (m == NULL)
        return;
    rg_events_free(&m->events);
    rg_buffer_free(&m->out);
    rg_arena_free_with(&m->arena, m);
}

void rg_messages_reset(RgMessages *m)
{
    rg_events_reset(&m->events);
    m->tf_sent_all = false;
}

void rg_messages_set_control(RgMessages *m, const RgControl *control)
{
    m->control = control;
    int joints = control != NULL ? rg_control_joints(control) : 0;
    for (int i = 0; i < m->ncolumns; i++)
        m->columns[i].control = -1;
    for (int k = 0; k < joints; k++) {
        RgJointTracking joint = rg_control_joint(control, k);
        for (int i = 0; i < m->ncolumns; i++)
            if (m->columns[i].joint.i == joint.joint.i && m->columns[i].dof == joint.dof)
                m->columns[i].control = k;
    }
}

void rg_messages_set_real_time_factor(RgMessages *m, double factor)
{
    m->real_time_factor = factor;
}

/* ------------------------------------------------------------------ messages */

RgStatus rg_messages_encode(RgMessages *m, int channel, RgWorld *world, RgMessage *out)
{
    *out = (RgMessage){.channel = channel};
    if (rg_world_model(world) != m->model || channel < 0 || channel >= KINDS || kinds[channel]->encode == NULL)
        return RG_ERR_ARGUMENT;
    rg_world_watch(world);
    rg_buffer_clear(&m->out);
    out->time = rg_message_time(rg_world_time(world));
    RgStatus status = kinds[channel]->encode(m, world, out->time, &m->out);
    if (status == RG_OK && m->out.failed)
        status = RG_ERR_MEMORY;
    out->data = m->out.data;
    out->size = m->out.size;
    return status;
}

/* Context of report_event: encodes an event and calls fn with the message. */
typedef struct EventReporter {
    RgMessages *messages;
    uint64_t time;
    int channel;
    RgMessageFn *fn;
    void *context;
    bool failed;
} EventReporter;

static void report_event(const RgEvent *event, void *context)
{
    EventReporter *reporter = context;
    RgBuffer *out = &reporter->messages->out;
    rg_buffer_clear(out);
    rg_message_event(reporter->messages, event, out);
    reporter->failed = reporter->failed || out->failed;
    if (!out->failed)
        reporter->fn(
            &(RgMessage){.channel = reporter->channel, .time = reporter->time, .data = out->data, .size = out->size},
            reporter->context);
}

RgStatus rg_messages_encode_events(RgMessages *m, RgWorld *world, RgMessageFn *fn, void *context)
{
    if (rg_world_model(world) != m->model || fn == NULL)
        return RG_ERR_ARGUMENT;
    rg_world_watch(world);
    double t = rg_world_time(world);
    EventReporter reporter = {.messages = m,
                              .time = rg_message_time(t),
                              .channel = rg_channel_find("/rigor/events"),
                              .fn = fn,
                              .context = context};
    RgStatus status = rg_events_update(&m->events, world, report_event, &reporter);
    return status == RG_OK && reporter.failed ? RG_ERR_MEMORY : status;
}

RgStatus rg_messages_events(RgMessages *m, RgWorld *world, RgEventFn *fn, void *context)
{
    if (rg_world_model(world) != m->model || fn == NULL)
        return RG_ERR_ARGUMENT;
    rg_world_watch(world);
    return rg_events_update(&m->events, world, fn, context);
}
