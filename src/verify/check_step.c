/*
 * check_step.c - reads one step of a certificate, and moves the bodies through it.
 *
 * A step must begin at the time and the places at which the last one ended, and the paths of its bodies must lead from
 * the given start to the given end. Plain steps have no path: only their end places are used. The same holds for pushes
 * after a plain step or at the start, which separate overlapping shapes; other pushes follow a curve.
 */
#include "verify/check.h"

#include <stdio.h>

/* Tolerance of the ends of paths and of the sum of times: m or rad, and s; relative above 1. */
#define PATH_END 1e-10

static double turn_between(RgQuat a, RgQuat b)
{
    return v3_norm(q_log(q_normalise(q_mul(q_conjugate(a), b))));
}

/* Checks that a body is at a place. within: tolerance, m and rad; relative to the distance from the origin above 1 m.
   what: text of the fault. */
static void check_place(RgCheck *c, int body, const RgBodyPlace *is, const RgBodyPlace *wanted, double within,
                        const char *what)
{
    double off = v3_norm(v3_sub(is->centre, wanted->centre)), turned = turn_between(is->turn, wanted->turn);
    if (off <= within * (1.0 + v3_norm(wanted->centre)) && turned <= 2.0 * within + 1e-15)
        return;
    char words[240];
    snprintf(words, sizeof words, "body %d: %s, by %.3g m and %.3g rad", body, what, off, turned);
    c->report->jumps++;
    rg_check_fault(c, c->text.line, c->step_t, words);
}

/* Reads "body i = v w centre turn v w", or with the place at the start instead of "=". after: number of the last body.
   */
static void read_body(RgCheck *c, int *after)
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
    RgCheckBody *b = &c->bodies[i];
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
        check_place(c, i, &b->begin, &b->at, c->options->jump, "the step does not begin where the last one ended");
}

static void read_coordinates(RgCheck *c, const char *name, int count, double *out)
{
    RgCertificateText *t = &c->text;
    RgWord word = rg_certificate_line(t);
    if (!t->failed && !rg_word_is(word, name))
        rg_certificate_fail(t, RG_ERR_SYNTAX, "expected '%s'", name);
    for (int i = 0; i < count && !t->failed; i++)
        out[i] = rg_certificate_number(t, name);
}

/* Reads the claims of a step, on its first line. */
static void read_claim(RgCheck *c)
{
    RgCertificateText *t = &c->text;
    RgClaim claim = {.shape_a = -1, .shape_b = -1, .curve = true, .least = -(double)INFINITY};
    claim.measured = claim.pair_measured = (double)INFINITY;
    if (c->record == RG_RECORD_STEP) {
        RgWord path = rg_certificate_word(t, "curve or rates");
        claim.curve = rg_word_is(path, "curve");
        if (!t->failed && !claim.curve && !rg_word_is(path, "rates"))
            rg_certificate_fail(t, RG_ERR_SYNTAX, "expected curve or rates");
    }
    if (c->record != RG_RECORD_PUSH)
        claim.shortest = rg_word_is(rg_certificate_word(t, "what decided the length"), "least");
    if (c->record == RG_RECORD_STEP) {
        claim.shape_a = rg_certificate_whole(t, "deciding shape", -1, c->head.nshapes - 1);
        claim.shape_b = rg_certificate_whole(t, "deciding shape", -1, c->head.nshapes - 1);
        claim.bound = rg_certificate_bound(t, "bound");
        claim.least = rg_certificate_bound(t, "least distance");
    }
    c->claim = claim;
}

/* Sets the motion of every body, for curves and for rates in maximal coordinates. */
static void set_motions(RgCheck *c)
{
    RgCertificateText *t = &c->text;
    for (int i = 0; i < c->head.nbodies && !t->failed; i++) {
        const RgCheckBody *b = &c->bodies[i];
        bool known = true;
        if (!b->moves)
            rg_mover_still(&b->at, &c->movers[i]);
        else if (c->claim.curve)
            known = rg_mover_curve(&b->begin, &b->end, c->step.h, &c->movers[i]);
        else
            rg_mover_straight(&b->begin, c->step.h, &c->movers[i]);
        if (!known)
            rg_certificate_fail(t, RG_ERR_SYNTAX, "body %d turns by half a turn or more in one step", i);
    }
}

/* Reads time, claims and bodies of a record. */
static bool read_all(RgCheck *c)
{
    RgCertificateText *t = &c->text;
    c->step_line = t->line;
    c->step_t = rg_certificate_number(t, "time");
    double h = c->record == RG_RECORD_PUSH ? 0.0 : rg_certificate_number(t, "length of the step");
    read_claim(c);
    if (!t->failed && !(h > 0.0) && c->record != RG_RECORD_PUSH)
        rg_certificate_fail(t, RG_ERR_SYNTAX, "the length of the step is not above 0");
    int n = rg_certificate_whole(t, "number of bodies that move", 0, c->head.nbodies);
    if (!t->failed && !(fabs(c->step_t - c->t) <= PATH_END * fmax(1.0, fabs(c->t)))) {
        c->report->jumps++;
        rg_check_fault(c, t->line, c->step_t, "the step does not begin when the last one ended");
    }
    bool by_tree = !c->claim.curve && !c->head.maximal;
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
    if (c->record != RG_RECORD_PLAIN && !by_tree)
        set_motions(c);
    for (int i = 0; i < c->head.nbodies && !t->failed && h == 0.0; i++) {
        const RgCheckBody *b = &c->bodies[i];
        double way = b->moves ? v3_norm(v3_sub(b->end.centre, b->begin.centre)) : 0.0;
        c->report->largest_push = fmax(c->report->largest_push, way);
    }
    c->t = c->step_t + h;
    return !t->failed;
}

static RgBodyPlace body_at(const RgPose *X)
{
    return (RgBodyPlace){.centre = X->p, .turn = q_from_matrix(X->R)};
}

/* Leaves a body at the end of the step; a body at rest has zero velocity. */
static void set_place(RgCheckBody *b, const RgBodyPlace *end)
{
    b->at = *end;
    if (!b->moves)
        b->at.velocity = b->at.w = v3_zero();
}

/* Computes the poses of all bodies at the sampled times, and enclosures of their motion. Checks the ends of the paths.
   */
static void move_bodies(RgCheck *c)
{
    for (int i = 0; i < c->head.nbodies; i++) {
        RgCheckBody *b = &c->bodies[i];
        const RgBodyPlace *end = b->moves ? &b->end : &b->at;
        bool stands = !b->moves && !c->step.by_tree;
        for (int k = 0; k <= RG_CLEARANCE_SAMPLES; k++)
            b->pose[k] = stands && k > 0 ? b->pose[0] : rg_motion_pose(&c->step, i, (double)k / RG_CLEARANCE_SAMPLES);
        b->enclosed = rg_motion_series(&c->step, i, 0.0, 1.0, &b->through);
        RgBodyPlace first = body_at(&b->pose[0]), last = body_at(&b->pose[RG_CLEARANCE_SAMPLES]);
        check_place(c, i, &first, b->moves ? &b->begin : &b->at, PATH_END, "its path does not begin where it stands");
        check_place(c, i, &last, end, PATH_END, "its path does not lead to the end of the step");
        set_place(b, end);
    }
}

/* Puts all bodies at the end of the step: the motion within a plain step is not known. */
static void place_bodies_at_end(RgCheck *c)
{
    for (int i = 0; i < c->head.nbodies; i++) {
        RgCheckBody *b = &c->bodies[i];
        const RgBodyPlace end = b->moves ? b->end : b->at;
        rg_mover_still(&end, &c->movers[i]);
        RgPose X = {q_matrix(end.turn), end.centre};
        for (int k = 0; k <= RG_CLEARANCE_SAMPLES; k++)
            b->pose[k] = X;
        set_place(b, &end);
    }
    c->step.by_tree = false;
    for (int i = 0; i < c->head.nbodies; i++)
        c->bodies[i].enclosed = rg_motion_series(&c->step, i, 0.0, 1.0, &c->bodies[i].through);
}

bool rg_check_read_step(RgCheck *c, RgCheckRecord record)
{
    c->last = c->record;
    c->record = record;
    if (!read_all(c))
        return false;
    if (record == RG_RECORD_STEP && c->last == RG_RECORD_STEP)
        rg_check_missed(c);
    bool still = record == RG_RECORD_PLAIN || (record == RG_RECORD_PUSH && c->plain_before);
    if (still)
        place_bodies_at_end(c);
    else
        move_bodies(c);
    c->plain_before = still;
    c->last_h = c->claim.curve ? (double)INFINITY : c->step.h;
    return true;
}
