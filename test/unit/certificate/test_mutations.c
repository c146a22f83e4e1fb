/*
 * test_mutations.c - certificates of real runs, altered in one place each: the verifier finds it.
 *
 * Whoever alters a certificate here does so well: numbers of steps, events and touching pairs are counted anew, and the
 * last line is right. So what is found is found by geometry, by velocities, or by the order of events. Joints have no
 * geometry in a certificate: that a stop was left out shows by the number of those that push, which is left as it was.
 */
#include "scene_parts.h"
#include "worlds.h"

#include <rigor/rigor.h>
#include <rigor/verify.h>

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 20000, WORDS_MAX = 32 };

typedef struct Lines {
    char *of[LINES_MAX];
    int count;
} Lines;

/* ------------------------------------------------------------------ scenes */

static RgShapeDef box_shape(RgLinkDef *link, double side)
{
    RgShapeDef box = rg_shape_def_default();
    box.type = RG_SHAPE_box;
    box.size[0] = box.size[1] = box.size[2] = side;
    cr_assert_eq(rg_shape_inertia(&box, 300.0, &link->inertia), RG_OK);
    return box;
}

static RgModel *finish(RgBuilder *b)
{
    return scene_end(b);
}

/* Boxes above each other over a plane that leans by `slope`. */
static RgModel *boxes(int count, double slope)
{
    RgBuilder *b = rg_builder_create(NULL, NULL);
    RgShapeDef ground = rg_shape_def_default();
    ground.type = RG_SHAPE_halfspace;
    ground.name = "ground";
    double c = cos(slope), s = sin(slope);
    ground.X_LS.R = (RgMat3){{{c, 0.0, s}, {0.0, 1.0, 0.0}, {-s, 0.0, c}}};
    for (int i = 0; i < count; i++) {
        RgLinkDef link = rg_link_def_default();
        char name[16];
        snprintf(name, sizeof name, "box%d", i);
        link.name = name;
        link.X_WL.p = (RgVec3){0.01 * i, 0.0, 0.15 + 0.13 * i};
        RgShapeDef box = box_shape(&link, 0.1);
        box.link = rg_builder_add_link(b, &link);
        rg_builder_add_shape(b, &box);
    }
    rg_builder_add_shape(b, &ground);
    return finish(b);
}

/* A flap that swings down against its stop, and a box that falls on it. */
static RgModel *door(void)
{
    RgBuilder *b = rg_builder_create(NULL, NULL);
    RgLinkDef link = rg_link_def_default(), free = rg_link_def_default();
    link.name = "door";
    link.X_WL.p = (RgVec3){0.0, 0.0, 1.0};
    RgShapeDef leaf = box_shape(&link, 0.2), box;
    leaf.X_LS.p = (RgVec3){0.5, 0.0, 0.0};
    link.inertia.com = leaf.X_LS.p;
    leaf.link = rg_builder_add_link(b, &link);
    rg_builder_add_shape(b, &leaf);
    RgJointDef joint = rg_joint_def_default();
    joint.name = "hinge";
    joint.type = RG_JOINT_revolute;
    joint.child = leaf.link;
    joint.X_PJ.p = link.X_WL.p;
    joint.axis = (RgVec3){0.0, 1.0, 0.0};
    joint.dof[0].lower = -0.5;
    joint.dof[0].upper = 0.7;
    rg_builder_add_joint(b, &joint);
    free.name = "box";
    free.X_WL.p = (RgVec3){0.5, 0.0, 1.17};
    box = box_shape(&free, 0.1);
    box.link = rg_builder_add_link(b, &free);
    rg_builder_add_shape(b, &box);
    return finish(b);
}

/* What a run of a model wrote down. */
static char *certify(RgModel *model, const char *stepper, int steps, size_t *size)
{
    RgWorldDef def = rg_world_def_default();
    RgError error = {0};
    def.model = model;
    def.stepper = stepper;
    def.solver = "cone";
    RgWorld *world = rg_world_create(&def, &error);
    cr_assert_not_null(world, "%s", error.text);
    double v[18] = {2.0, 5.0, 1.0, 0.6, 0.1, 0.0, 1.0, -2.0, 0.5, 0.0, 0.1, -0.3, 0.0, 1.0, -2.0, 0.1, 0.0, -0.5};
    int nv = rg_model_info(model).nv;
    if (nv % 6 == 0)
        cr_assert_eq(rg_world_set_state(world, NULL, v), RG_OK);
    RgCertificate *c = rg_certificate_begin(world, NULL, &error);
    cr_assert_not_null(c, "%s", error.text);
    RgStepReport report;
    for (int i = 0; i < steps; i++)
        cr_assert_eq(rg_world_step(world, 0.01, &report), RG_OK, "%s", rg_status_text(report.status));
    cr_assert_eq(rg_certificate_finish(c, &error), RG_OK);
    const char *text = rg_certificate_text(c, size);
    char *copy = malloc(*size + 1);
    memcpy(copy, text, *size);
    copy[*size] = '\0';
    rg_certificate_destroy(c);
    world_end(world, model);
    return copy;
}

/* ------------------------------------------------------------------ texts */

static Lines *lines_of(char *text)
{
    Lines *lines = calloc(1, sizeof *lines);
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (strncmp(line, "end ", 4) == 0)
            break;
        cr_assert_lt(lines->count, LINES_MAX);
        lines->of[lines->count++] = line;
    }
    return lines;
}

static bool begins(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

/* Who is told to touch, counted anew as a careful forger would. */
typedef struct Count {
    char pairs[64][48];
    int npairs, limits, steps, events;
} Count;

static void count_event(Count *c, const char *line)
{
    char kind[16], pair[48], a[16], b[16];
    int at = -1;
    cr_assert_eq(sscanf(line, "event %*s %15s %*s %*s %*s %15s %15s", kind, a, b), 3);
    snprintf(pair, sizeof pair, "%s %s", a, b);
    for (int i = 0; i < c->npairs; i++)
        at = strcmp(c->pairs[i], pair) == 0 ? i : at;
    if (strcmp(kind, "touch") == 0 && at < 0 && c->npairs < 64)
        memcpy(c->pairs[c->npairs++], pair, sizeof pair);
    if (strcmp(kind, "break") == 0 && at >= 0)
        memcpy(c->pairs[at], c->pairs[--c->npairs], sizeof pair);
    c->limits += strcmp(kind, "limit") == 0 ? 1 : strcmp(kind, "leave") == 0 && c->limits > 0 ? -1 : 0;
    c->events++;
}

/* Whether the lines, one of them in other words (NULL: left out), pass. forged: numbers of what touches and pushes are
   counted anew; else only that of events. */
static bool passes_as(const Lines *lines, int changed, const char *words, size_t size, bool forged)
{
    char *text = malloc(2 * size + 4096);
    size_t n = 0;
    Count count = {.npairs = 0};
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    long long written = 0;
    for (int i = 0; i < lines->count; i++) {
        const char *line = i == changed ? words : lines->of[i];
        if (line == NULL)
            continue;
        count.steps += begins(line, "step ");
        if (begins(line, "event "))
            count_event(&count, line);
        if (begins(line, "taken ")) {
            int pairs = count.npairs, limits = count.limits;
            if (!forged)
                sscanf(line, "taken %*d %*d %d %d", &pairs, &limits);
            n += (size_t)sprintf(text + n, "taken %d %d %d %d\n", count.steps, count.events, pairs, limits);
            count.steps = count.events = 0;
        } else {
            n += (size_t)sprintf(text + n, "%s\n", line);
        }
        written++;
    }
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    n += (size_t)sprintf(text + n, "end %lld %016llx\n", written, (unsigned long long)hash);
    RgVerifyReport report;
    RgError error = {0};
    RgStatus status = rg_verify_text("altered", text, n, NULL, &report, &error);
    free(text);
    return status == RG_OK && report.ok;
}

static bool passes(const Lines *lines, int changed, const char *words, size_t size)
{
    return passes_as(lines, changed, words, size, true);
}

/* The line with word k in other words: times factor, plus shift; or text in its place. */
static void alter(const char *line, int k, double factor, double shift, const char *text, char out[1024])
{
    char copy[1024];
    snprintf(copy, sizeof copy, "%s", line);
    int i = 0, n = 0;
    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " "), i++) {
        char number[40];
        snprintf(number, sizeof number, "%.17g", strtod(word, NULL) * factor + shift);
        n += snprintf(out + n, (size_t)(1024 - n), "%s%s", i > 0 ? " " : "",
                      i != k         ? word
                      : text != NULL ? text
                                     : number);
    }
}

static const char *word_of(const char *line, int k, char out[64])
{
    const char *at = line;
    for (int i = 0; i < k && at != NULL; i++)
        at = strchr(at, ' ') != NULL ? strchr(at, ' ') + 1 : NULL;
    size_t n = at != NULL ? strcspn(at, " ") : 0;
    snprintf(out, 64, "%.*s", (int)(n < 63 ? n : 63), at != NULL ? at : "");
    return out;
}

/* ------------------------------------------------------------------ alterations */

typedef struct Tally {
    int tried, found;
} Tally;

static void add(Tally *tally, bool passed)
{
    tally->tried++;
    tally->found += !passed;
}

typedef struct Tallies {
    Tally left_out[4]; /* touch, impact, break, limit */
    Tally shifted, speeds, pairs, least, bounds, deciding, times;
} Tallies;

/* Whether two impacts are at the same time and have a link in common that is not the world. */
static bool meet(const char *a, const char *b)
{
    char word[64], other[64];
    if (!begins(b, "event ") || strcmp(word_of(b, 2, other), "impact") != 0 ||
        strcmp(word_of(a, 1, word), word_of(b, 1, other)) != 0)
        return false;
    bool same = false;
    for (int i = 0; i < 4; i++) {
        word_of(a, 4 + i / 2, word);
        same = same || (strcmp(word, "0") != 0 && strcmp(word, word_of(b, 4 + i % 2, other)) == 0);
    }
    return same;
}

/* Impacts that may be left out unseen: slower than 2 mm/s, or at the same time as another one of the same body. */
static bool may_pass(const Lines *lines, int i)
{
    char word[64];
    bool may = strtod(word_of(lines->of[i], 14, word), NULL) < 2e-3;
    for (int k = 0; k < lines->count && !may; k++)
        may = k != i && meet(lines->of[i], lines->of[k]);
    return may;
}

static void try_event(const Lines *lines, int i, size_t size, Tallies *t)
{
    static const char *const kinds[] = {"touch", "impact", "break", "limit"};
    char word[64], other[1024];
    const char *line = lines->of[i];
    word_of(line, 2, word);
    for (int k = 0; k < 4; k++)
        if (strcmp(word, kinds[k]) == 0 && (k != 1 || !may_pass(lines, i)))
            add(&t->left_out[k], passes_as(lines, i, NULL, size, strcmp(word, "limit") != 0));
    if (strcmp(word, "touch") != 0 && strcmp(word, "impact") != 0)
        return;
    alter(line, 1, 1.0, 1e-4, NULL, other);
    add(&t->shifted, passes(lines, i, other, size));
    alter(line, 1, 1.0, -1e-6, NULL, other);
    add(&t->shifted, passes(lines, i, other, size));
    alter(line, 7, 1.0, 1.0, NULL, other);
    add(&t->pairs, passes(lines, i, other, size));
    if (strtod(word_of(line, 14, word), NULL) > 1e-2) {
        alter(line, 14, 1.1, 0.0, NULL, other);
        add(&t->speeds, passes(lines, i, other, size));
        alter(line, 14, 0.8, 0.0, NULL, other);
        add(&t->speeds, passes(lines, i, other, size));
    }
}

static void try_step(const Lines *lines, int i, size_t size, Tallies *t)
{
    char word[64], other[1024];
    const char *line = lines->of[i];
    alter(line, 1, 1.0, 1e-7, NULL, other);
    add(&t->times, passes(lines, i, other, size));
    if (strcmp(word_of(line, 5, word), "-1") == 0)
        return;
    alter(line, 7, 0.9, 0.0, NULL, other);
    add(&t->bounds, passes(lines, i, other, size));
    alter(line, 7, 1.1, 0.0, NULL, other);
    add(&t->bounds, passes(lines, i, other, size));
    alter(line, 6, 1.0, 0.0, word_of(line, 5, word), other);
    add(&t->deciding, passes(lines, i, other, size));
    if (strtod(word_of(line, 8, word), NULL) < 1e-6) {
        alter(line, 8, 1.0, 0.0, "inf", other);
        add(&t->least, passes(lines, i, other, size));
        alter(line, 8, 1.0, 0.0, "0.001", other);
        add(&t->least, passes(lines, i, other, size));
    }
}

/* At most so many steps of a run are altered, evenly spread. */
enum { STEPS_TRIED = 25 };

static Tallies try_all(RgModel *model, const char *stepper, int outer, const char *what)
{
    size_t size;
    char *text = certify(model, stepper, outer, &size);
    Lines *lines = lines_of(text);
    Tallies t = {.shifted = {0, 0}};
    cr_assert(passes(lines, -1, NULL, size), "%s: as it was written it must pass", what);
    int steps = 0, step = 0;
    for (int i = 0; i < lines->count; i++)
        steps += begins(lines->of[i], "step ");
    for (int i = 0; i < lines->count; i++) {
        if (begins(lines->of[i], "event "))
            try_event(lines, i, size, &t);
        else if (begins(lines->of[i], "step ") && step++ % (steps / STEPS_TRIED + 1) == 0)
            try_step(lines, i, size, &t);
    }
    free(lines);
    free(text);
    return t;
}

static void expect_found(const char *run, const char *what, Tally tally, int missed)
{
    printf("%s: %s: %d of %d found\n", run, what, tally.found, tally.tried);
    cr_expect_leq(tally.tried - tally.found, missed, "%s: %s: %d of %d found", run, what, tally.found, tally.tried);
}

/* What may pass: the last break. */
static void expect_all(const char *run, const Tallies *t, int breaks)
{
    expect_found(run, "touch left out", t->left_out[0], 0);
    expect_found(run, "impact left out", t->left_out[1], 0);
    expect_found(run, "break left out", t->left_out[2], breaks);
    expect_found(run, "limit left out", t->left_out[3], 0);
    expect_found(run, "events at another time", t->shifted, 0);
    expect_found(run, "events at another speed", t->speeds, 0);
    expect_found(run, "events of another pair", t->pairs, 0);
    expect_found(run, "greater least distance", t->least, 0);
    expect_found(run, "another bound", t->bounds, 0);
    expect_found(run, "another deciding pair", t->deciding, 0);
    expect_found(run, "steps at another time", t->times, 0);
}

Test(mutations, a_thrown_box)
{
    Tallies t = try_all(boxes(1, 0.0), "rigid", 60, "box");
    cr_expect_gt(t.left_out[0].tried, 0);
    expect_all("box", &t, 1);
}

Test(mutations, a_box_on_a_slope)
{
    Tallies t = try_all(boxes(1, 0.3), "rigid", 60, "slope");
    cr_expect_gt(t.left_out[1].tried, 2);
    expect_all("slope", &t, 1);
}

Test(mutations, boxes_that_fall_on_each_other)
{
    Tallies t = try_all(boxes(3, 0.0), "rigid", 24, "stack");
    cr_expect_gt(t.left_out[1].tried, 4);
    expect_all("stack", &t, 1);
}

Test(mutations, a_door_at_its_stop)
{
    Tallies t = try_all(door(), "rigid", 60, "door");
    cr_expect_gt(t.left_out[3].tried, 0);
    expect_all("door", &t, 1);
}
