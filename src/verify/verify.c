/*
 * verify.c - a certificate from end to end.
 *
 * For every step: bodies must begin where the last step left them and when it ended, and their paths must lead to the
 * ends that the step states. Then every pair of shapes that may touch, one of which moves:
 *
 *   1. the boxes that the balls round their pieces sweep through (enclosed, series.h) do not meet: proven apart
 *   2. else: measured at nine times and proven between them (clearance.h)
 *
 * missed: an overlap of more than the tolerance at any time that was looked at; or a pair that comes from beyond the gap
 * to well within it by the end of a step, and no touch or impact of the two is told in the same outer step.
 *
 * The last line holds the number of lines before it and their FNV-1a hash, so that a file that was cut or altered is
 * refused before anything else is said of it.
 */
#include <rigor/verify.h>

#include "base/alloc.h"
#include "base/file_bytes.h"
#include "base/status.h"
#include "verify/certificate_head.h"
#include "verify/clearance.h"

#include <stdio.h>
#include <string.h>

/* A pair is come near where it was farther than the gap and is nearer than this part of it. */
#define NEAR_PART 0.5
/* How exactly paths must lead to the stated ends, and times add up: m or rad, and s; more with their size. */
#define PATH_END 1e-10
/* Distances, as a part of the size, that cannot be told from touching. */
#define TOUCHING 1e-14
#define LIMIT ((size_t)8 << 30)
enum { PROGRESS_STEPS = 200 };

/* A body in the present step. */
typedef struct Body {
    RgBodyAt at, begin, end;
    bool moves;
    RgPose pose[RG_CLEARANCE_SAMPLES + 1];
    RgMoving through;
    bool enclosed; /* through is known */
} Body;

typedef struct Box {
    RgVec3 low, high;
} Box;

/* A pair that has come near and waits for its event. */
typedef struct Near {
    int shape_a, shape_b;
    double t, h;
    int line;
} Near;

typedef struct Check {
    RgCertificateText text;
    RgCertificateHead head;
    const RgVerifyOptions *options;
    RgVerifyReport *report;
    Body *bodies;    /* nbodies */
    RgMover *movers; /* nbodies */
    Box *piece_box;  /* npieces: swept in the present step */
    Box *shape_box;  /* nshapes */
    double *q, *v;   /* of a step by rates */
    RgPose world[RG_CLEARANCE_SAMPLES + 1];
    RgMoving world_through;
    RgMotionStep step;
    double t;      /* reached */
    int step_line; /* where the present step begins */
    double step_t;
    Near *near;
    int32_t nnear, near_room;
    RgAllocator allocator;
} Check;

RgVerifyOptions rg_verify_options_default(void)
{
    return (RgVerifyOptions){.cookie = RG_COOKIE, .max_intervals = 4000, .tolerance = 1e-12, .jump = 1e-12};
}

/* Keeps the first fault in words. */
static void tell(Check *c, int line, double t, const char *what)
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

/* The last line says what comes before it; the text ends before it then. */
static void check_whole(RgCertificateText *t)
{
    const char *begin = t->at, *end = t->end;
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

/* ------------------------------------------------------------------ steps: reading */

static double turn_between(RgQuat a, RgQuat b)
{
    return v3_norm(q_log(q_normalise(q_mul(q_conjugate(a), b))));
}

/* A body must be at a place: to within so much, m and rad, more where it is far away. */
static void expect_place(Check *c, int body, const RgBodyAt *is, const RgBodyAt *wanted, double within,
                         const char *what)
{
    double off = v3_norm(v3_sub(is->centre, wanted->centre)), turned = turn_between(is->turn, wanted->turn);
    if (off <= within * (1.0 + v3_norm(wanted->centre)) && turned <= 2.0 * within + 1e-15)
        return;
    char words[240];
    snprintf(words, sizeof words, "body %d: %s, by %.3g m and %.3g rad", body, what, off, turned);
    c->report->jumps++;
    tell(c, c->text.line, c->step_t, words);
}

/* "body i = v w | centre turn v w" or with the place at the start in the place of "=". */
static void read_body(Check *c, int *after)
{
    RgCertificateText *t = &c->text;
    RgWord word = rg_certificate_line(t);
    if (!t->failed && !rg_word_is(word, "body"))
        rg_certificate_fail(t, RG_ERR_SYNTAX, "expected 'body', found '%.*s'",
                            (int)(word.length < 40 ? word.length : 40), word.start);
    int i = rg_certificate_whole(t, "number of the body", *after + 1, c->head.nbodies - 1);
    if (t->failed)
        return;
    *after = i;
    Body *b = &c->bodies[i];
    const char *here = t->at;
    RgWord same = rg_certificate_word(t, "'=' or centre of mass");
    b->begin = b->at;
    if (!rg_word_is(same, "=")) {
        t->at = here;
        b->begin.centre = rg_certificate_vector(t, "centre of mass");
        b->begin.turn = rg_certificate_turn(t, "turn");
    }
    b->begin.velocity = rg_certificate_vector(t, "velocity");
    b->begin.w = rg_certificate_vector(t, "angular velocity");
    b->end.centre = rg_certificate_vector(t, "centre of mass");
    b->end.turn = rg_certificate_turn(t, "turn");
    b->end.velocity = rg_certificate_vector(t, "velocity");
    b->end.w = rg_certificate_vector(t, "angular velocity");
    b->moves = true;
    if (!t->failed)
        expect_place(c, i, &b->begin, &b->at, c->options->jump,
                     "the step does not begin where the last one ended");
}

static void read_coordinates(Check *c, const char *name, int count, double *out)
{
    RgCertificateText *t = &c->text;
    RgWord word = rg_certificate_line(t);
    if (!t->failed && !rg_word_is(word, name))
        rg_certificate_fail(t, RG_ERR_SYNTAX, "expected '%s'", name);
    for (int i = 0; i < count && !t->failed; i++)
        out[i] = rg_certificate_number(t, name);
}

/* Time, path and bodies of a step. Rates of maximal coordinates are paths of bodies alone. */
static bool read_step(Check *c)
{
    RgCertificateText *t = &c->text;
    c->step_line = t->line;
    c->step_t = rg_certificate_number(t, "time");
    double h = rg_certificate_number(t, "length of the step");
    RgWord path = rg_certificate_word(t, "curve or rates");
    bool curve = rg_word_is(path, "curve");
    if (!t->failed && !curve && !rg_word_is(path, "rates"))
        rg_certificate_fail(t, RG_ERR_SYNTAX, "expected curve or rates");
    if (!t->failed && !(h > 0.0))
        rg_certificate_fail(t, RG_ERR_SYNTAX, "the length of the step is not above 0");
    rg_certificate_word(t, "what decided the length");
    rg_certificate_whole(t, "deciding shape", -1, c->head.nshapes - 1);
    rg_certificate_whole(t, "deciding shape", -1, c->head.nshapes - 1);
    rg_certificate_bound(t, "bound");
    rg_certificate_bound(t, "least distance");
    int n = rg_certificate_whole(t, "number of bodies that move", 0, c->head.nbodies);
    if (!t->failed && !(fabs(c->step_t - c->t) <= PATH_END * fmax(1.0, fabs(c->t)))) {
        c->report->jumps++;
        tell(c, t->line, c->step_t, "the step does not begin when the last one ended");
    }
    bool by_tree = !curve && !c->head.maximal;
    if (by_tree) {
        read_coordinates(c, "q", c->head.nq, c->q);
        read_coordinates(c, "v", c->head.nv, c->v);
    }
    for (int i = 0; i < c->head.nbodies; i++)
        c->bodies[i].moves = false;
    int after = -1;
    for (int i = 0; i < n && !t->failed; i++)
        read_body(c, &after);
    c->step = (RgMotionStep){c->movers, c->head.tree, by_tree, h, c->q, c->v};
    for (int i = 0; i < c->head.nbodies && !t->failed && !by_tree; i++) {
        const Body *b = &c->bodies[i];
        bool known = true;
        if (!b->moves)
            rg_mover_still(&b->at, &c->movers[i]);
        else if (curve)
            known = rg_mover_curve(&b->begin, &b->end, h, &c->movers[i]);
        else
            rg_mover_straight(&b->begin, h, &c->movers[i]);
        if (!known)
            rg_certificate_fail(t, RG_ERR_SYNTAX, "body %d turns by half a turn or more in one step", i);
    }
    c->t = c->step_t + h;
    return !t->failed;
}

/* ------------------------------------------------------------------ steps: motion */

static RgBodyAt body_at(const RgPose *X)
{
    return (RgBodyAt){.centre = X->p, .turn = q_from_matrix(X->R)};
}

/* Poses of all bodies at the times that are measured, and enclosures of all of them; paths must lead to their ends. */
static void move_bodies(Check *c)
{
    for (int i = 0; i < c->head.nbodies; i++) {
        Body *b = &c->bodies[i];
        const RgBodyAt *end = b->moves ? &b->end : &b->at;
        bool stands = !b->moves && !c->step.by_tree;
        for (int k = 0; k <= RG_CLEARANCE_SAMPLES; k++)
            b->pose[k] =
                stands && k > 0 ? b->pose[0] : rg_motion_pose(&c->step, i, (double)k / RG_CLEARANCE_SAMPLES);
        b->enclosed = rg_motion_series(&c->step, i, 0.0, 1.0, &b->through);
        RgBodyAt first = body_at(&b->pose[0]), last = body_at(&b->pose[RG_CLEARANCE_SAMPLES]);
        expect_place(c, i, &first, b->moves ? &b->begin : &b->at, PATH_END,
                     "its path does not begin where it stands");
        expect_place(c, i, &last, end, PATH_END, "its path does not lead to the end of the step");
        b->at = *end;
    }
}

/* Box that a ball round a piece sweeps through. */
static Box sweep(const RgPiece *piece, const RgMoving *through, bool enclosed)
{
    Box box;
    double reach = piece->reach + (enclosed ? 0.0 : v3_norm(piece->middle));
    double low[3], high[3];
    for (int i = 0; i < 3; i++) {
        RgSeries place = through->c.at[i];
        if (enclosed) {
            RgSeries3 row = {{through->R.at[i][0], through->R.at[i][1], through->R.at[i][2]}};
            place = rg_series_point(&place, &row, piece->middle);
        }
        low[i] = rg_series_low(&place) - reach * (1.0 + 1e-14);
        high[i] = rg_series_high(&place) + reach * (1.0 + 1e-14);
    }
    box.low = v3(low[0], low[1], low[2]);
    box.high = v3(high[0], high[1], high[2]);
    return box;
}

static const RgMoving *through_of(const Check *c, int body)
{
    return body < 0 ? &c->world_through : &c->bodies[body].through;
}

/* Boxes of a shape and its pieces. */
static void sweep_shape(Check *c, int i)
{
    const RgCertificateShape *s = &c->head.shapes[i];
    bool enclosed = s->body < 0 || c->bodies[s->body].enclosed;
    Box all = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int32_t k = s->first_piece; k < s->first_piece + s->npieces; k++) {
        Box box = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
        if (c->head.pieces[k].kind != RG_PIECE_HALFSPACE)
            box = sweep(&c->head.pieces[k], through_of(c, s->body), enclosed);
        c->piece_box[k] = box;
        all.low = v3(fmin(all.low.x, box.low.x), fmin(all.low.y, box.low.y), fmin(all.low.z, box.low.z));
        all.high =
            v3(fmax(all.high.x, box.high.x), fmax(all.high.y, box.high.y), fmax(all.high.z, box.high.z));
    }
    c->shape_box[i] = all;
}

/* Distance of two boxes at least; <= 0: they meet. */
static double apart(const Box *a, const Box *b)
{
    double x = fmax(a->low.x - b->high.x, b->low.x - a->high.x);
    double y = fmax(a->low.y - b->high.y, b->low.y - a->high.y);
    double z = fmax(a->low.z - b->high.z, b->low.z - a->high.z);
    return fmax(x, fmax(y, z));
}

/* ------------------------------------------------------------------ steps: pairs */

static RgMovingPiece moving_piece(const Check *c, const RgPiece *piece)
{
    int body = c->head.shapes[piece->shape].body;
    if (body < 0)
        return (RgMovingPiece){piece, -1, c->world, &c->world_through};
    const Body *b = &c->bodies[body];
    return (RgMovingPiece){piece, body, b->pose, b->enclosed ? &b->through : NULL};
}

/* Lower bound of the distance from a half-space of the world to a box. */
static double above(const RgPiece *half, const Box *box)
{
    RgVec3 n = half->axis;
    RgVec3 lowest = v3(n.x > 0.0 ? box->low.x : box->high.x, n.y > 0.0 ? box->low.y : box->high.y,
                       n.z > 0.0 ? box->low.z : box->high.z);
    double size = fabs(n.x * lowest.x) + fabs(n.y * lowest.y) + fabs(n.z * lowest.z) + fabs(half->offset);
    return v3_dot(n, lowest) - half->offset - 1e-15 * size;
}

/* Lower bound of the distance of two pieces by their boxes. */
static double apart_pieces(const Check *c, int32_t a, int32_t b)
{
    const RgPiece *A = &c->head.pieces[a], *B = &c->head.pieces[b];
    bool half_a = A->kind == RG_PIECE_HALFSPACE && c->head.shapes[A->shape].body < 0;
    bool half_b = B->kind == RG_PIECE_HALFSPACE && c->head.shapes[B->shape].body < 0;
    if (half_a)
        return above(A, &c->piece_box[b]);
    if (half_b)
        return above(B, &c->piece_box[a]);
    return apart(&c->piece_box[a], &c->piece_box[b]);
}

/* What all pieces of two shapes had together in a step. */
typedef struct PairSum {
    double begin, end, least, least_u, bound, size;
    bool looked, proven;
} PairSum;

static void check_pieces(Check *c, int32_t a, int32_t b, PairSum *sum)
{
    const RgPiece *A = &c->head.pieces[a], *B = &c->head.pieces[b];
    if (A->kind == RG_PIECE_HALFSPACE && B->kind == RG_PIECE_HALFSPACE)
        return;
    double boxes = apart_pieces(c, a, b);
    if (boxes > 0.0 && boxes >= fmin(c->report->min_distance, sum->least) && boxes >= c->head.gap) {
        sum->bound = fmin(sum->bound, boxes);
        return;
    }
    double size = fmin(A->reach, B->reach);
    RgMovingPiece pa = moving_piece(c, A), pb = moving_piece(c, B);
    RgClearanceRule rule = {0.25 * c->head.gap, TOUCHING * size, c->options->max_intervals};
    RgClearance near = rg_clearance(&c->step, &pa, &pb, &rule);
    c->report->samples += near.samples;
    sum->looked = true;
    sum->proven = sum->proven && near.proven;
    sum->bound = fmin(sum->bound, near.bound);
    sum->begin = fmin(sum->begin, near.begin);
    sum->end = fmin(sum->end, near.end);
    if (near.least < sum->least) {
        sum->least = near.least;
        sum->least_u = near.least_u;
        sum->size = size;
    }
}

/* Remembers a pair until an event tells of it. */
static void await_event(Check *c, int a, int b)
{
    if (c->nnear == c->near_room) {
        int32_t room = c->near_room > 0 ? 2 * c->near_room : 64;
        Near *more = rg_realloc(&c->allocator, c->near, (size_t)c->near_room, (size_t)room, sizeof *more);
        if (more == NULL) {
            rg_certificate_fail(&c->text, RG_ERR_MEMORY, "out of memory");
            return;
        }
        c->near = more;
        c->near_room = room;
    }
    c->near[c->nnear++] = (Near){a, b, c->t, c->step.h, c->step_line};
}

static void count_pair(Check *c, int a, int b, const PairSum *sum)
{
    RgVerifyReport *r = c->report;
    double t = c->step_t + sum->least_u * c->step.h;
    r->near += sum->looked;
    r->proven += sum->proven;
    r->unproven += !sum->proven;
    r->min_bound = fmin(r->min_bound, sum->bound);
    if (sum->least < r->min_distance) {
        r->min_distance = sum->least;
        r->at = t;
        r->shape_a = a;
        r->shape_b = b;
    }
    char words[300];
    const char *name_a = c->head.shapes[a].name, *name_b = c->head.shapes[b].name;
    if (sum->least < -c->options->tolerance * sum->size) {
        r->missed++;
        snprintf(words, sizeof words, "shapes %d '%.60s' and %d '%.60s' overlap by %.3g m", a, name_a, b,
                 name_b, -sum->least);
        tell(c, c->step_line, t, words);
    } else if (!sum->proven) {
        snprintf(words, sizeof words,
                 "shapes %d '%.60s' and %d '%.60s' are not proven apart: %.3g m measured", a, name_a, b,
                 name_b, sum->least);
        tell(c, c->step_line, t, words);
    }
    if (sum->looked && sum->begin >= c->head.gap && sum->end < NEAR_PART * c->head.gap)
        await_event(c, a, b);
}

static bool shape_moves(const Check *c, int i)
{
    int body = c->head.shapes[i].body;
    return body >= 0 && (c->step.by_tree || c->bodies[body].moves);
}

static void check_pair(Check *c, int a, int b)
{
    const RgCertificateShape *A = &c->head.shapes[a], *B = &c->head.shapes[b];
    if (A->npieces == 0 || B->npieces == 0 || A->body == B->body)
        return;
    if (c->report->steps > 1 && !shape_moves(c, a) && !shape_moves(c, b))
        return;
    c->report->pairs++;
    double boxes = apart(&c->shape_box[a], &c->shape_box[b]);
    PairSum sum = {INFINITY, INFINITY, INFINITY, 0.0, INFINITY, 0.0, false, true};
    if (boxes >= c->head.gap && boxes > 0.0 && boxes >= c->report->min_distance)
        sum.bound = boxes;
    else
        for (int32_t i = A->first_piece; i < A->first_piece + A->npieces; i++)
            for (int32_t k = B->first_piece; k < B->first_piece + B->npieces; k++)
                check_pieces(c, i, k, &sum);
    count_pair(c, a, b, &sum);
}

static void check_step(Check *c)
{
    c->report->steps++;
    c->report->time += c->step.h;
    move_bodies(c);
    for (int i = 0; i < c->head.nshapes; i++)
        if (c->report->steps == 1 || c->head.shapes[i].body >= 0)
            sweep_shape(c, i);
    for (int a = 0; a < c->head.nshapes && !c->text.failed; a++) {
        const RgCertificateShape *s = &c->head.shapes[a];
        for (int32_t k = s->first_range; k < s->first_range + s->nranges; k++)
            for (int b = c->head.ranges[k].first; b <= c->head.ranges[k].last; b++)
                check_pair(c, a, b);
    }
}

/* ------------------------------------------------------------------ events */

static bool is_one_of(const RgWord word, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (rg_word_is(word, names[i]))
            return true;
    return false;
}

/* An event tells of a pair by its shapes, or where they are not known by its links. */
static bool tells_of(const Check *c, const Near *near, const int link[2], const int shape[2])
{
    const RgCertificateShape *a = &c->head.shapes[near->shape_a], *b = &c->head.shapes[near->shape_b];
    if (shape[0] >= 0 && shape[1] >= 0)
        return (near->shape_a == shape[0] && near->shape_b == shape[1]) ||
               (near->shape_a == shape[1] && near->shape_b == shape[0]);
    return (a->link == link[0] && b->link == link[1]) || (a->link == link[1] && b->link == link[0]);
}

static void read_event(Check *c)
{
    static const char *const kinds[] = {"touch",  "break", "stick", "slip",    "limit",
                                        "impact", "roll",  "leave", "manifold"};
    static const char *const contacts[] = {"touch", "impact"};
    RgCertificateText *t = &c->text;
    double when = rg_certificate_number(t, "time");
    RgWord kind = rg_certificate_word(t, "kind of event");
    if (!t->failed && !is_one_of(kind, kinds, 9))
        rg_certificate_fail(t, RG_ERR_SYNTAX, "kind of event: unknown '%.*s'",
                            (int)(kind.length < 40 ? kind.length : 40), kind.start);
    double uncertainty = rg_certificate_number(t, "uncertainty of the time");
    int link[2], shape[2];
    for (int i = 0; i < 2; i++)
        link[i] = rg_certificate_whole(t, "link", -1, INT32_MAX);
    for (int i = 0; i < 2; i++)
        shape[i] = rg_certificate_whole(t, "shape", -1, c->head.nshapes - 1);
    rg_certificate_vector(t, "point");
    rg_certificate_vector(t, "normal");
    rg_certificate_number(t, "value");
    rg_certificate_number(t, "impulse");
    rg_certificate_whole(t, "joint", -1, INT32_MAX);
    rg_certificate_whole(t, "velocity of the joint", -1, 5);
    c->report->events++;
    for (int32_t i = 0; i < c->nnear && !t->failed && is_one_of(kind, contacts, 2); i++) {
        const Near *near = &c->near[i];
        double off = fabs(when - near->t);
        if (off <= uncertainty + near->h + 1e-9 && tells_of(c, near, link, shape)) {
            c->near[i] = c->near[--c->nnear];
            i--;
        }
    }
}

/* The end of an outer step: what no event told of until now is not told. */
static void read_taken(Check *c, int64_t steps, int64_t events)
{
    RgCertificateText *t = &c->text;
    int said = rg_certificate_whole(t, "number of steps", 0, INT32_MAX);
    int told = rg_certificate_whole(t, "number of events", 0, INT32_MAX);
    if (!t->failed && (said != c->report->steps - steps || told != c->report->events - events))
        rg_certificate_fail(t, RG_ERR_SYNTAX, "other numbers of steps and events than came before");
    for (int32_t i = 0; i < c->nnear; i++) {
        char words[300];
        const Near *near = &c->near[i];
        snprintf(words, sizeof words,
                 "shapes %d '%.60s' and %d '%.60s' come within the gap, and no event tells of it",
                 near->shape_a, c->head.shapes[near->shape_a].name, near->shape_b,
                 c->head.shapes[near->shape_b].name);
        tell(c, near->line, near->t, words);
        c->report->untold++;
    }
    c->nnear = 0;
}

/* ------------------------------------------------------------------ all of it */

static bool take_memory(Check *c, RgArena *arena)
{
    const RgCertificateHead *h = &c->head;
    c->bodies = RG_TAKE(arena, Body, h->nbodies);
    c->movers = RG_TAKE(arena, RgMover, h->nbodies);
    c->piece_box = RG_TAKE(arena, Box, h->npieces);
    c->shape_box = RG_TAKE(arena, Box, h->nshapes);
    c->q = RG_TAKE(arena, double, h->nq);
    c->v = RG_TAKE(arena, double, h->nv);
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

static void read_steps(Check *c, RgWord word, const char *begin)
{
    RgCertificateText *t = &c->text;
    RgVerifyReport *r = c->report;
    int64_t steps = 0, events = 0;
    bool open = false;
    for (; !t->failed && word.length > 0; word = rg_certificate_line(t)) {
        if (rg_word_is(word, "step")) {
            open = true;
            if (read_step(c))
                check_step(c);
            if (c->options->progress != NULL && r->steps % PROGRESS_STEPS == 0)
                c->options->progress((double)(t->at - begin) / (double)(t->end - begin), c->options->context);
        } else if (rg_word_is(word, "event")) {
            open = true;
            read_event(c);
        } else if (rg_word_is(word, "taken")) {
            read_taken(c, steps, events);
            steps = r->steps;
            events = r->events;
            open = false;
        } else {
            rg_certificate_fail(t, RG_ERR_SYNTAX, "expected step, event or taken, found '%.*s'",
                                (int)(word.length < 40 ? word.length : 40), word.start);
        }
    }
    if (!t->failed && open)
        rg_certificate_fail(t, RG_ERR_SYNTAX, "the last steps are not followed by 'taken'");
}

static void conclude(Check *c)
{
    RgVerifyReport *r = c->report;
    r->missed += r->untold;
    r->ok = r->missed == 0 && r->jumps == 0 && r->unproven == 0;
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
    *report = (RgVerifyReport){.min_distance = INFINITY, .min_bound = INFINITY, .shape_a = -1, .shape_b = -1};
    if (options->cookie != RG_COOKIE || options->max_intervals < 1 || !(options->tolerance >= 0.0) ||
        !(options->jump >= 0.0))
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "options of the verifier are not as they should be");
    RgArena arena;
    rg_arena_init(&arena, &options->allocator);
    Check c = {.options = options, .report = report, .allocator = options->allocator};
    c.text =
        (RgCertificateText){.file = name, .at = text, .line_end = text, .end = text + size, .error = error};
    check_whole(&c.text);
    RgWord word = rg_certificate_head_read(&c.text, &arena, &c.head);
    if (!c.text.failed && !take_memory(&c, &arena))
        rg_certificate_fail(&c.text, RG_ERR_MEMORY, "out of memory");
    c.t = c.head.start;
    read_steps(&c, word, text);
    if (!c.text.failed)
        conclude(&c);
    rg_free(&c.allocator, c.near);
    rg_arena_free(&arena);
    return c.text.failed ? error->status : RG_OK;
}

RgStatus rg_verify_file(const char *path, const RgVerifyOptions *options, RgVerifyReport *report,
                        RgError *error)
{
    RgAllocator allocator = options != NULL ? options->allocator : (RgAllocator){NULL, NULL, NULL};
    RgError own;
    size_t size = 0;
    unsigned char *bytes = rg_file_read(&allocator, path, LIMIT, &size, error != NULL ? error : &own);
    if (bytes == NULL)
        return error != NULL ? error->status : own.status;
    RgStatus status = rg_verify_text(path, (const char *)bytes, size, options, report, error);
    rg_free(&allocator, bytes);
    return status;
}
