/*
 * verify.c - verifies a complete certificate.
 *
 * For every step: its start and end (check_step.c), every pair over it (check_pairs.c), its claims (check_claim.c), and
 * contacts at its start that are not reported (check_missed.c). For every outer step: its events (check_events.c), and
 * the reported state of each pair (check_reported.c).
 *
 * The last line contains the number of lines before it and their FNV-1a hash, so that a truncated or altered file is
 * refused before any other check.
 */
#include <rigor/verify.h>

#include "base/alloc.h"
#include "base/file_bytes.h"
#include "base/status.h"
#include "verify/check.h"

#include <stdio.h>
#include <string.h>

#define SIZE_LIMIT ((size_t)8 << 30) /* bytes: largest certificate */
enum { PROGRESS_STEPS = 200 };       /* steps between calls of the progress callback */

RgVerifyOptions rg_verify_options_default(void)
{
    return (RgVerifyOptions){.cookie = RG_COOKIE, .max_intervals = 4000, .tolerance = 1e-12, .jump = 1e-12};
}

void rg_check_fault(RgCheck *c, int line, double t, const char *what)
{
    RgVerifyReport *r = c->report;
    if (r->fault[0] != '\0')
        return;
    snprintf(r->fault, sizeof r->fault, "%s", what);
    r->fault_line = line;
    r->fault_time = t;
}

/* ------------------------------------------------------------------ the whole file */

static uint64_t fnv(const char *text, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Checks the first word, number of lines and hash in the last line, and sets the end of the text before it. */
static void check_whole(RgCertificateText *t)
{
    const char *begin = t->at, *end = t->end;
    static const char first[] = "rigor-certificate ";
    size_t shown = (size_t)(end - begin) < sizeof first - 1 ? (size_t)(end - begin) : sizeof first - 1;
    if (memcmp(begin, first, shown) != 0) {
        t->line = 1;
        rg_certificate_fail(t, RG_ERR_SYNTAX, "not a certificate: it does not begin with 'rigor-certificate'");
        return;
    }
    if (end - begin < 2 || end[-1] != '\n') {
        rg_certificate_fail(t, RG_ERR_SYNTAX, "the file is cut short: its last line is not whole");
        return;
    }
    const char *last = end - 1;
    while (last > begin && last[-1] != '\n')
        last--;
    int64_t lines = 0;
    for (const char *at = begin; at < last; at++)
        lines += *at == '\n';
    t->line = (int)(lines < INT32_MAX ? lines : INT32_MAX - 1) + 1;
    char expected[64];
    int n = snprintf(expected, sizeof expected, "end %lld ", (long long)lines);
    if (end - last < 4 || memcmp(last, "end ", 4) != 0) {
        rg_certificate_fail(t, RG_ERR_SYNTAX, "the file is cut short: it does not end with an 'end' line");
        return;
    }
    if (end - last < n || memcmp(last, expected, (size_t)n) != 0) {
        rg_certificate_fail(t, RG_ERR_SYNTAX, "lines are missing or too many: %lld stand before the end",
                            (long long)lines);
        return;
    }
    n = snprintf(expected, sizeof expected, "end %lld %016llx\n", (long long)lines,
                 (unsigned long long)fnv(begin, (size_t)(last - begin)));
    if (end - last != n || memcmp(last, expected, (size_t)n) != 0)
        rg_certificate_fail(t, RG_ERR_SYNTAX, "the file was altered: its checksum does not agree");
    t->end = last;
    t->line = 0;
    t->line_end = t->at;
}

/* ------------------------------------------------------------------ records */

static bool allocate_check(RgCheck *c, RgArena *arena)
{
    const RgCertificateHead *h = &c->head;
    c->bodies = RG_ARENA_ALLOC(arena, RgCheckBody, h->nbodies);
    c->movers = RG_ARENA_ALLOC(arena, RgMovingShape, h->nbodies);
    c->piece_box = RG_ARENA_ALLOC(arena, RgCheckBox, h->npieces);
    c->shape_box = RG_ARENA_ALLOC(arena, RgCheckBox, h->nshapes);
    c->q = RG_ARENA_ALLOC(arena, double, h->nq);
    c->v = RG_ARENA_ALLOC(arena, double, h->nv);
    for (int i = 0; i < h->nbodies && !arena->failed; i++)
        c->bodies[i].at = h->at[i];
    for (int k = 0; k <= RG_CLEARANCE_SAMPLES; k++)
        c->world[k] = pose_identity();
    rg_motion_series(NULL, -1, 0.0, 1.0, &c->world_through);
    return !arena->failed;
}

static void copy_name(char *out, const char *name)
{
    snprintf(out, RG_VERIFY_NAME, "%s", name);
}

static RgCheckRecord record_of(RgWord word)
{
    return rg_word_is(word, "step")    ? RG_RECORD_STEP
           : rg_word_is(word, "plain") ? RG_RECORD_PLAIN
           : rg_word_is(word, "push")  ? RG_RECORD_PUSH
                                       : RG_RECORD_NONE;
}

/* Checks one step, plain step or push. */
static void check_record(RgCheck *c, RgCheckRecord record)
{
    RgVerifyReport *r = c->report;
    if (!rg_check_read_step(c, record))
        return;
    r->steps++;
    r->pushes += record == RG_RECORD_PUSH;
    r->time += c->step.h;
    r->plain += record == RG_RECORD_PLAIN;
    r->plain_time += record == RG_RECORD_PLAIN ? c->step.h : 0.0;
    rg_check_pairs(c);
    if (record == RG_RECORD_STEP)
        rg_check_claim(c);
    rg_check_events_at_end(c);
}

static void read_steps(RgCheck *c, RgWord word, const char *begin)
{
    RgCertificateText *t = &c->text;
    RgVerifyReport *r = c->report;
    int64_t steps = 0, events = 0;
    bool open = false;
    for (; !t->failed && word.length > 0; word = rg_certificate_line(t)) {
        if (!c->ahead)
            rg_check_events_ahead(c, word.start);
        RgCheckRecord record = record_of(word);
        if (record != RG_RECORD_NONE) {
            open = true;
            check_record(c, record);
            if (c->options->progress != NULL && r->steps % PROGRESS_STEPS == 0)
                c->options->progress((double)(t->at - begin) / (double)(t->end - begin), c->options->context);
        } else if (rg_word_is(word, "event")) {
            open = true;
            r->events++;
            rg_certificate_rest(t);
        } else if (rg_word_is(word, "taken")) {
            rg_check_read_taken(c, r->steps - steps, r->events - events);
            steps = r->steps;
            events = r->events;
            open = c->ahead = false;
        } else {
            rg_certificate_fail(t, RG_ERR_SYNTAX, "expected step, plain, push, event or taken, found '%.*s'",
                                (int)(word.length < 40 ? word.length : 40), word.start);
        }
    }
    if (!t->failed && open)
        rg_certificate_fail(t, RG_ERR_SYNTAX, "the last steps are not followed by 'taken'");
}

static void finish_report(RgCheck *c)
{
    RgVerifyReport *r = c->report;
    if (r->steps == 0) {
        c->plain_before = false;
        rg_check_pairs_at_start(c);
    }
    r->missed += r->untold;
    r->holds = r->missed == 0 && r->jumps == 0 && r->unproven == 0 && r->false_events == 0 && r->false_claims == 0;
    r->ok = r->steps > 0 && r->holds && r->plain == 0;
    copy_name(r->model, c->head.model);
    copy_name(r->stepper, c->head.stepper);
    if (r->shape_a >= 0) {
        copy_name(r->name_a, c->head.shapes[r->shape_a].name);
        copy_name(r->name_b, c->head.shapes[r->shape_b].name);
    }
}

RgStatus rg_verify_text(const char *name, const char *text, size_t size, const RgVerifyOptions *options,
                        RgVerifyReport *report, RgError *error)
{
    RgError ignored;
    RgVerifyOptions defaults = rg_verify_options_default();
    error = error != NULL ? error : &ignored;
    *error = (RgError){.status = RG_OK};
    options = options != NULL ? options : &defaults;
    *report = (RgVerifyReport){
        .min_distance = INFINITY, .min_bound = INFINITY, .plain_distance = INFINITY, .shape_a = -1, .shape_b = -1};
    if (options->cookie != RG_COOKIE || options->max_intervals < 1 || !(options->tolerance >= 0.0) ||
        !(options->jump >= 0.0))
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "options of the verifier are not as they should be");
    RgArena arena;
    rg_arena_init(&arena, &options->allocator);
    RgCheck c = {.options = options, .report = report, .allocator = options->allocator};
    c.text = (RgCertificateText){.file = name, .at = text, .line_end = text, .end = text + size, .error = error};
    check_whole(&c.text);
    RgWord word = rg_certificate_head_read(&c.text, &arena, &c.head);
    if (!c.text.failed && !allocate_check(&c, &arena))
        rg_certificate_fail(&c.text, RG_ERR_MEMORY, "out of memory");
    c.t = c.head.start;
    c.plain_before = true;
    if (!c.text.failed && rg_reported_start(&c))
        read_steps(&c, word, text);
    if (!c.text.failed)
        finish_report(&c);
    rg_free(&c.allocator, c.close);
    rg_free(&c.allocator, c.events.events);
    rg_free(&c.allocator, c.events_before.events);
    rg_reported_free(&c);
    rg_arena_free(&arena);
    return c.text.failed ? error->status : RG_OK;
}

RgStatus rg_verify_file(const char *path, const RgVerifyOptions *options, RgVerifyReport *report, RgError *error)
{
    RgAllocator allocator = options != NULL ? options->allocator : (RgAllocator){NULL, NULL, NULL};
    RgError own;
    size_t size = 0;
    unsigned char *bytes = rg_file_read(&allocator, path, SIZE_LIMIT, &size, error != NULL ? error : &own);
    if (bytes == NULL)
        return error != NULL ? error->status : own.status;
    RgStatus status = rg_verify_text(path, (const char *)bytes, size, options, report, error);
    rg_free(&allocator, bytes);
    return status;
}
