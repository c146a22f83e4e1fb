/*
 * certificate.c - records the steps of a stepper that locates events, as lines of words and numbers.
 *
 * Inner steps arrive through the callbacks of the world's step log. They may be refused with their outer step, so they
 * are buffered and written, with the events, when the outer step is accepted. A body that begins where the last step
 * ended has "=" for its place; a body at rest is left out. A write error does not stop the simulation; it is returned
 * by rg_certificate_finish.
 */
#include <rigor/certificate.h>

#include "base/output_file.h"
#include "base/status.h"
#include "certificate/certificate_out.h"
#include "sim/world_internal.h"

#include <stdio.h>
#include <string.h>

struct RgCertificate {
    RgWorld *world;
    RgArena arena;
    RgOutputFile file; /* unused in memory */
    bool in_memory, finished;
    bool started, kept_start; /* the start is written; it was written by an accepted outer step */
    RgCertificateOut out;     /* text not yet written to the file; in memory: all of it */
    RgPose *last, *kept;      /* nbodies: body frames last written; the same at the last accepted outer step */
    size_t mark;              /* offset in out of the present outer step */
    int64_t lines, steps;     /* number of lines before mark; of inner steps in the present outer step */
    uint64_t hash;            /* FNV-1a of the bytes before mark */
    RgStatus status;          /* first failure */
};

static void keep_status(RgCertificate *c, RgStatus status)
{
    if (c->status == RG_OK)
        c->status = status;
}

/* Makes the buffered text final: counts its lines, updates the hash, and writes it unless it stays in memory. */
static void flush(RgCertificate *c)
{
    for (size_t i = c->in_memory ? c->mark : 0; i < c->out.size; i++) {
        c->hash = (c->hash ^ (unsigned char)c->out.text[i]) * UINT64_C(0x100000001b3);
        c->lines += c->out.text[i] == '\n';
    }
    if (c->out.failed)
        keep_status(c, RG_ERR_MEMORY);
    if (!c->in_memory) {
        if (c->status == RG_OK && fwrite(c->out.text, 1, c->out.size, c->file.file) != c->out.size)
            keep_status(c, RG_ERR_FILE);
        c->out.size = 0;
    }
    c->mark = c->out.size;
}

/* ------------------------------------------------------------------ steps */

static bool same_pose(const RgPose *a, const RgPose *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* Whether a body is at rest, with the pose last written, so that it is left out. */
static bool is_at_rest(const RgCertificate *c, const RgInnerStep *step, int i)
{
    const RgBodyEnd *a = &step->begin[i], *b = &step->end[i];
    double speed = v3_norm2(a->velocity) + v3_norm2(a->w) + v3_norm2(b->velocity) + v3_norm2(b->w);
    return speed == 0.0 && same_pose(&a->X_WB, &b->X_WB) && same_pose(&a->X_WB, &c->last[i]);
}

static void write_body(RgCertificate *c, const RgInnerStep *step, int i)
{
    RgCertificateOut *out = &c->out;
    const RgBodyEnd *a = &step->begin[i], *b = &step->end[i];
    rg_out_word(out, "body");
    rg_out_whole(out, i);
    if (same_pose(&a->X_WB, &c->last[i])) {
        rg_out_word(out, "=");
    } else {
        rg_out_vector(out, a->centre);
        rg_out_turn(out, a->X_WB.R);
    }
    rg_out_vector(out, a->velocity);
    rg_out_vector(out, a->w);
    rg_out_vector(out, b->centre);
    rg_out_turn(out, b->X_WB.R);
    rg_out_vector(out, b->velocity);
    rg_out_vector(out, b->w);
    rg_out_line(out);
    c->last[i] = b->X_WB;
}

static void write_coordinates(RgCertificateOut *out, const char *name, const double *x, int count)
{
    rg_out_word(out, name);
    for (int i = 0; i < count; i++)
        rg_out_number(out, x[i]);
    rg_out_line(out);
}

/* Number of limits among the reported entries of a memory. */
static int32_t count_limits(const RgContactMemory *memory)
{
    int32_t count = 0;
    while (count < memory->nreported && memory->told[count].shape_a == 0)
        count++;
    return count;
}

/* Writes the poses of all bodies at the start of the first inner step, which may differ from the initial state if the
   stepper has separated shapes, and the pairs reported as touching before. */
static void write_start(RgCertificate *c, double t)
{
    const RgModel *m = c->world->model;
    const RgContactMemory *memory = &c->world->state.memory;
    rg_out_word(&c->out, "start");
    rg_out_number(&c->out, t);
    rg_out_whole(&c->out, count_limits(memory));
    rg_out_line(&c->out);
    for (int i = 0; i < m->nbodies; i++) {
        rg_out_word(&c->out, "at");
        rg_out_whole(&c->out, i);
        rg_out_vector(&c->out, pose_apply(c->last[i], m->bodies[i].inertia.com));
        rg_out_turn(&c->out, c->last[i].R);
        rg_out_line(&c->out);
    }
    for (int32_t i = 0; i < memory->nreported; i++) {
        if (memory->told[i].shape_a == 0)
            continue;
        rg_out_word(&c->out, "told");
        rg_out_whole(&c->out, memory->told[i].shape_a - 1);
        rg_out_whole(&c->out, memory->told[i].shape_b - 1);
        rg_out_line(&c->out);
    }
    c->started = true;
}

/* The kind of a step and its claims: its line without the number of moving bodies. */
static void write_kind(RgCertificateOut *out, const RgInnerStep *step)
{
    bool push = step->h == 0.0;
    rg_out_word(out, push ? "push" : step->plain ? "plain" : "step");
    rg_out_number(out, step->t);
    if (push)
        return;
    rg_out_number(out, step->h);
    if (!step->plain)
        rg_out_word(out, step->path == RG_PATH_CURVE ? "curve" : "rates");
    rg_out_word(out, rg_cut_name(step->cut));
    if (step->plain)
        return;
    rg_out_whole(out, step->shape_a);
    rg_out_whole(out, step->shape_b);
    rg_out_number(out, step->bound);
    rg_out_number(out, step->least_distance);
}

static void write_step(RgCertificate *c, const RgInnerStep *step)
{
    const RgModel *m = c->world->model;
    RgCertificateOut *out = &c->out;
    for (int i = 0; i < m->nbodies && !c->started; i++)
        c->last[i] = step->begin[i].X_WB;
    if (!c->started)
        write_start(c, step->t);
    int moving = 0;
    for (int i = 0; i < m->nbodies; i++)
        moving += !is_at_rest(c, step, i);
    write_kind(out, step);
    rg_out_whole(out, moving);
    rg_out_line(out);
    bool minimal = strcmp(rg_world_settings(c->world).coords, "minimal") == 0;
    if (step->path == RG_PATH_RATES && minimal) {
        write_coordinates(out, "q", step->q, m->nq);
        write_coordinates(out, "v", step->v, m->nv);
    }
    for (int i = 0; i < m->nbodies; i++)
        if (!is_at_rest(c, step, i))
            write_body(c, step, i);
    c->steps++;
}

/* Callback: an inner step; step NULL: discards those since the last accepted outer step. */
static void record_inner_step(const RgInnerStep *step, void *context)
{
    RgCertificate *c = context;
    if (step != NULL) {
        write_step(c, step);
        return;
    }
    c->out.size = c->mark;
    c->steps = 0;
    c->started = c->kept_start;
    memcpy(c->last, c->kept, (size_t)c->world->model->nbodies * sizeof *c->last);
}

static void write_event(RgCertificateOut *out, const RgEvent *e)
{
    rg_out_word(out, "event");
    rg_out_number(out, e->t);
    rg_out_word(out, rg_event_name(e->kind));
    rg_out_number(out, e->uncertainty);
    rg_out_whole(out, e->link_a == UINT32_MAX ? -1 : (int64_t)e->link_a);
    rg_out_whole(out, e->link_b == UINT32_MAX ? -1 : (int64_t)e->link_b);
    rg_out_whole(out, (int64_t)e->shape_a.i - 1);
    rg_out_whole(out, (int64_t)e->shape_b.i - 1);
    rg_out_vector(out, e->point);
    rg_out_vector(out, e->normal);
    rg_out_number(out, e->value);
    rg_out_number(out, e->impulse);
    rg_out_whole(out, e->joint);
    rg_out_whole(out, e->dof);
    rg_out_line(out);
}

/* Writes the start of a certificate without steps. */
static void write_start_only(RgCertificate *c)
{
    rg_world_refresh(c->world);
    for (int i = 0; i < c->world->model->nbodies; i++)
        c->last[i] = c->world->scope.form->kin->X_WB[i];
    write_start(c, rg_world_time(c->world));
}

/* Callback: an outer step is accepted. */
static void record_accepted_step(const RgStepLog *log, void *context)
{
    RgCertificate *c = context;
    if (!c->started)
        write_start_only(c);
    for (int i = log->first; i < log->nevents; i++)
        write_event(&c->out, &log->events[i]);
    if (log->out_of_memory)
        keep_status(c, RG_ERR_MEMORY);
    rg_out_word(&c->out, "taken");
    const RgContactMemory *memory = &c->world->state.memory;
    rg_out_whole(&c->out, c->steps);
    rg_out_whole(&c->out, log->nevents - log->first);
    rg_out_whole(&c->out, memory->nreported - count_limits(memory));
    rg_out_whole(&c->out, count_limits(memory));
    rg_out_line(&c->out);
    c->steps = 0;
    c->kept_start = c->started;
    memcpy(c->kept, c->last, (size_t)c->world->model->nbodies * sizeof *c->last);
    flush(c);
}

/* ------------------------------------------------------------------ creation and end */

/* "a, b and c": the steppers that can be certified. */
static const char *list_steppers(char *out, size_t size)
{
    int last = rg_stepper_count() - 1;
    size_t n = 0;
    while (last > 0 && !rg_stepper_locates(last))
        last--;
    for (int i = 0; i <= last; i++) {
        if (!rg_stepper_locates(i))
            continue;
        int more = snprintf(out + n, size - n, "%s%s", n == 0 ? "" : i == last ? " and " : ", ", rg_stepper_name(i));
        n = more > 0 && (size_t)more < size - n ? n + (size_t)more : n;
    }
    return out;
}

RgCertificate *rg_certificate_begin(RgWorld *world, const char *path, RgError *error)
{
    const RgAllocator *allocator = &world->arena.allocator;
    char names[160];
    if (!rg_world_locates(world)) {
        rg_fail(error, RG_ERR_UNSUPPORTED, path, 0, "stepper '%s' makes no steps of its own to certify: %s do",
                rg_world_settings(world).stepper, list_steppers(names, sizeof names));
        return NULL;
    }
    if (world->log.step_fn != NULL) {
        rg_fail(error, RG_ERR_ARGUMENT, path, 0, "the world is being certified already");
        return NULL;
    }
    RgCertificate *c = rg_alloc_object(allocator, sizeof *c, path, error);
    if (c == NULL)
        return NULL;
    *c = (RgCertificate){.world = world, .hash = UINT64_C(0xcbf29ce484222325), .in_memory = path == NULL};
    c->out.allocator = *allocator;
    rg_arena_init(&c->arena, allocator);
    size_t n = (size_t)world->model->nbodies;
    c->last = RG_ARENA_ALLOC(&c->arena, RgPose, n + 1);
    c->kept = RG_ARENA_ALLOC(&c->arena, RgPose, n + 1);
    RgStatus status = c->arena.failed ? rg_fail(error, RG_ERR_MEMORY, path, 0, "out of memory") : RG_OK;
    if (status == RG_OK && path != NULL)
        status = rg_output_open(&c->file, path, &c->arena, error);
    if (status != RG_OK) {
        rg_certificate_destroy(c);
        return NULL;
    }
    rg_certificate_write_head(&c->out, world);
    flush(c);
    world->log.step_fn = record_inner_step;
    world->log.accept_fn = record_accepted_step;
    world->log.step_context = c;
    return c;
}

static void detach_from_world(RgCertificate *c)
{
    if (c->world->log.step_context != c)
        return;
    c->world->log.step_fn = NULL;
    c->world->log.accept_fn = NULL;
    c->world->log.step_context = NULL;
}

RgStatus rg_certificate_finish(RgCertificate *c, RgError *error)
{
    if (c->finished)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "the certificate is finished already");
    c->finished = true;
    c->out.size = c->mark;
    if (!c->kept_start) {
        write_start_only(c);
        flush(c);
    }
    char text[80];
    int n = snprintf(text, sizeof text, "end %lld %016llx\n", (long long)c->lines, (unsigned long long)c->hash);
    rg_out_bytes(&c->out, text, (size_t)n);
    flush(c);
    detach_from_world(c);
    RgStatus status = c->status;
    if (status != RG_OK)
        rg_fail(error, status, c->in_memory ? NULL : c->file.path, 0, "the certificate could not be written: %s",
                rg_status_text(status));
    if (c->in_memory)
        return status;
    RgStatus closed = rg_output_close(&c->file, status == RG_OK, status == RG_OK ? error : NULL);
    return status != RG_OK ? status : closed;
}

const char *rg_certificate_text(const RgCertificate *c, size_t *size)
{
    *size = c->in_memory ? c->mark : 0;
    return c->in_memory ? c->out.text : NULL;
}

void rg_certificate_destroy(RgCertificate *c)
{
    if (c == NULL)
        return;
    RgAllocator allocator = c->out.allocator;
    detach_from_world(c);
    rg_output_close(&c->file, false, NULL);
    rg_free(&allocator, c->out.text);
    rg_arena_free(&c->arena);
    rg_free(&allocator, c);
}
