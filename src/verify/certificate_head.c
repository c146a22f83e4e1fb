/*
 * certificate_head.c - reads the header of a certificate (docs/certificate.md).
 *
 * Before memory is allocated for a number of bodies, shapes, corners or faces, the rest of the text must be long enough
 * for as many lines.
 */
#include "verify/certificate_head.h"

#include <string.h>

enum { FACE_MAX = 100000 }; /* limit of corners of a face */

static const char *copy_text(RgArena *arena, RgWord word)
{
    char *copy = rg_arena_alloc(arena, word.length + 1, 1);
    if (copy != NULL)
        memcpy(copy, word.start, word.length);
    return copy != NULL ? copy : "";
}

static void fail_memory(RgCertificateText *t)
{
    rg_certificate_fail(t, RG_ERR_MEMORY, "out of memory");
}

/* Reads a line that must begin with a word. */
static void expect_line(RgCertificateText *t, const char *word)
{
    RgWord first = rg_certificate_line(t);
    if (!t->failed && !rg_word_is(first, word))
        rg_certificate_fail(t, RG_ERR_SYNTAX, "expected '%s', found '%.*s'", word,
                            (int)(first.length < 40 ? first.length : 40), first.start);
}

/* A number that is not negative. */
static double read_not_negative(RgCertificateText *t, const char *what)
{
    double value = rg_certificate_number(t, what);
    if (!t->failed && !(value >= 0.0))
        rg_certificate_fail(t, RG_ERR_SYNTAX, "%s: expected no negative number, found %.17g", what, value);
    return value;
}

/* ------------------------------------------------------------------ bodies */

static void read_body(RgCertificateText *t, RgCertificateHead *head, int i)
{
    RgTreeBody *b = &head->tree[i];
    int nq = 0, nv = 0;
    expect_line(t, "body");
    rg_certificate_whole(t, "number of the body", i, i);
    b->parent = rg_certificate_whole(t, "parent", -1, i - 1);
    b->centre = rg_certificate_vector(t, "centre of mass");
    RgWord kind = rg_certificate_word(t, "kind of joint");
    if (!t->failed && !rg_tree_joint_find(kind.start, kind.length, &b->joint, &nq, &nv))
        rg_certificate_fail(t, RG_ERR_SYNTAX, "kind of joint: unknown '%.*s'",
                            (int)(kind.length < 40 ? kind.length : 40), kind.start);
    b->q0 = rg_certificate_whole(t, "first position", 0, head->nq - nq);
    b->v0 = rg_certificate_whole(t, "first velocity", 0, head->nv - nv);
    b->X_PF = rg_certificate_pose(t, "joint's frame");
    b->turn = rg_certificate_number(t, "turn");
    b->slide = rg_certificate_number(t, "slide");
    b->axis1 = rg_certificate_vector(t, "first axis");
    rg_certificate_rest(t);
}

/* ------------------------------------------------------------------ shapes */

static RgPiece *next_piece(RgCertificateText *t, RgCertificateHead *head)
{
    if (head->npieces == head->room) {
        int32_t room = head->room > 0 ? 2 * head->room : 64;
        RgPiece *more = RG_ARENA_ALLOC(head->arena, RgPiece, room);
        if (more == NULL) {
            fail_memory(t);
            return NULL;
        }
        if (head->pieces != NULL)
            memcpy(more, head->pieces, (size_t)head->npieces * sizeof *more);
        head->pieces = more;
        head->room = room;
    }
    return &head->pieces[head->npieces++];
}

/* Corners and faces of a polytope or surface. */
typedef struct Corners {
    RgVec3 *vertex;
    RgPieceFaces faces;
    int32_t *start, *corner;
} Corners;

static bool read_corners(RgCertificateText *t, RgArena *arena, bool triangles, Corners *out)
{
    int32_t nv = rg_certificate_whole(t, "number of corners", triangles ? 3 : 4, INT32_MAX);
    int32_t nf = rg_certificate_whole(t, "number of faces", triangles ? 1 : 4, INT32_MAX);
    if (!rg_certificate_holds(t, "corners and faces", (int64_t)nv + nf))
        return false;
    *out = (Corners){.vertex = RG_ARENA_ALLOC(arena, RgVec3, nv)};
    out->start = RG_ARENA_ALLOC(arena, int32_t, (size_t)nf + 1);
    /* Euler: the faces of a polytope have 2 (nv + nf - 2) corners together. */
    int64_t room = triangles ? 3 * (int64_t)nf : 2 * ((int64_t)nv + nf - 2);
    out->corner = RG_ARENA_ALLOC(arena, int32_t, room);
    if (arena->failed) {
        fail_memory(t);
        return false;
    }
    for (int32_t i = 0; i < nv && !t->failed; i++) {
        expect_line(t, "v");
        out->vertex[i] = rg_certificate_vector(t, "corner");
    }
    for (int32_t f = 0; f < nf && !t->failed; f++) {
        expect_line(t, "f");
        int k = rg_certificate_whole(t, "corners of the face", 3, triangles ? 3 : FACE_MAX);
        if (!t->failed && out->start[f] + (int64_t)k > room)
            rg_certificate_fail(t, RG_ERR_MODEL, "faces with more corners than a polytope can have");
        out->start[f + 1] = out->start[f] + k;
        for (int i = 0; i < k && !t->failed; i++)
            out->corner[out->start[f] + i] = rg_certificate_whole(t, "corner of the face", 0, nv - 1);
    }
    out->faces = (RgPieceFaces){nv, nf, out->vertex, out->start, out->corner};
    return !t->failed;
}

static void read_polytope(RgCertificateText *t, RgCertificateHead *head, const RgPose *X, int shape)
{
    Corners c;
    const char *wrong = NULL;
    if (!read_corners(t, head->arena, false, &c))
        return;
    RgPiece *piece = next_piece(t, head);
    if (piece == NULL || !rg_piece_polytope(head->arena, X, &c.faces, piece, &wrong))
        fail_memory(t);
    else if (wrong != NULL)
        rg_certificate_fail(t, RG_ERR_MODEL, "polytope of shape %d: %s", shape, wrong);
}

static void read_surface(RgCertificateText *t, RgCertificateHead *head, const RgPose *X)
{
    Corners c;
    if (!read_corners(t, head->arena, true, &c))
        return;
    for (int32_t f = 0; f < c.faces.nfaces && !t->failed; f++) {
        const int32_t *k = c.corner + c.start[f];
        RgVec3 x[3] = {c.vertex[k[0]], c.vertex[k[1]], c.vertex[k[2]]};
        RgPiece *piece = next_piece(t, head);
        if (piece == NULL || !rg_piece_triangle(head->arena, X, x, piece))
            fail_memory(t);
    }
}

/* Reads a piece that one line describes; false: it is of another kind. */
static bool read_primitive(RgCertificateText *t, RgCertificateHead *head, const RgPose *X, RgWord kind)
{
    static const char *const kinds[] = {"sphere", "capsule", "cylinder", "box", "ellipsoid", "halfspace"};
    static const int sizes[] = {1, 2, 2, 3, 3, 0};
    int which = 0;
    while (which < 6 && !rg_word_is(kind, kinds[which]))
        which++;
    if (which == 6)
        return false;
    double s[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < sizes[which]; i++)
        s[i] = read_not_negative(t, "size");
    RgPiece *piece = next_piece(t, head);
    if (piece == NULL || t->failed)
        return true;
    bool made = which == 0   ? rg_piece_sphere(head->arena, X, s[0], piece)
                : which == 1 ? rg_piece_capsule(head->arena, X, s[0], s[1], piece)
                : which == 2 ? rg_piece_cylinder(head->arena, X, s[0], s[1], piece)
                : which == 3 ? rg_piece_box(head->arena, X, s, piece)
                : which == 4 ? rg_piece_ellipsoid(head->arena, X, s, piece)
                             : rg_piece_halfspace(head->arena, X, piece);
    if (!made)
        fail_memory(t);
    return true;
}

static void read_shape(RgCertificateText *t, RgCertificateHead *head, int i)
{
    RgCertificateShape *s = &head->shapes[i];
    expect_line(t, "shape");
    rg_certificate_whole(t, "number of the shape", i, i);
    s->body = rg_certificate_whole(t, "body", -1, head->nbodies - 1);
    s->link = rg_certificate_whole(t, "link", -1, INT32_MAX);
    RgPose X = rg_certificate_pose(t, "pose of the shape");
    int pieces = rg_certificate_whole(t, "number of pieces", 0, INT32_MAX);
    s->name = copy_text(head->arena, rg_certificate_rest(t));
    s->first_piece = head->npieces;
    if (s->body >= 0)
        X.p = v3_sub(X.p, head->tree[s->body].centre);
    for (int k = 0; k < pieces && !t->failed; k++) {
        RgWord kind = rg_certificate_line(t);
        if (t->failed || read_primitive(t, head, &X, kind))
            continue;
        if (rg_word_is(kind, "polytope"))
            read_polytope(t, head, &X, i);
        else if (rg_word_is(kind, "surface"))
            read_surface(t, head, &X);
        else
            rg_certificate_fail(t, RG_ERR_SYNTAX, "expected a kind of piece, found '%.*s'",
                                (int)(kind.length < 40 ? kind.length : 40), kind.start);
    }
    s->npieces = head->npieces - s->first_piece;
    for (int32_t k = s->first_piece; k < head->npieces && !t->failed; k++) {
        RgPiece *piece = &head->pieces[k];
        piece->shape = i;
        if (!v3_finite(piece->middle) || isnan(piece->reach) ||
            (isinf(piece->reach) && piece->kind != RG_PIECE_HALFSPACE))
            rg_certificate_fail(t, RG_ERR_NOT_FINITE, "shape %d is too large", i);
    }
}

/* ------------------------------------------------------------------ pairs that may touch */

/* Appends a range to a growing list. counts: number of entries, and room. */
static bool add_range(RgCertificateText *t, RgArena *arena, RgShapeRange **list, int32_t counts[2], RgShapeRange range)
{
    if (*list == NULL || counts[0] == counts[1]) {
        int32_t room = counts[1] > 0 ? 2 * counts[1] : 64;
        RgShapeRange *more = RG_ARENA_ALLOC(arena, RgShapeRange, room);
        if (more == NULL) {
            fail_memory(t);
            return false;
        }
        if (*list != NULL)
            memcpy(more, *list, (size_t)counts[0] * sizeof *more);
        *list = more;
        counts[1] = room;
    }
    (*list)[counts[0]++] = range;
    return true;
}

/* Parses "3" or "3-7". */
static bool parse_range(RgWord word, int low, int high, RgShapeRange *out)
{
    const char *dash = memchr(word.start, '-', word.length);
    RgWord first = {word.start, dash != NULL ? (size_t)(dash - word.start) : word.length}, last = first;
    if (dash != NULL)
        last = (RgWord){dash + 1, word.length - first.length - 1};
    double a, b;
    if (rg_word_number(first, &a) != RG_NUMBER_OK || rg_word_number(last, &b) != RG_NUMBER_OK)
        return false;
    bool good = a == floor(a) && b == floor(b) && a >= low && b >= a && b <= high;
    *out = good ? (RgShapeRange){(int32_t)a, (int32_t)b} : (RgShapeRange){0, 0};
    return good;
}

static void read_touch(RgCertificateText *t, RgCertificateHead *head, int *after)
{
    int i = rg_certificate_whole(t, "shape", *after + 1, head->nshapes - 1), low = i + 1;
    RgCertificateShape *s = t->failed ? NULL : &head->shapes[i];
    *after = i;
    if (s != NULL)
        s->first_range = head->range_counts[0];
    for (RgWord word = {NULL, 0}; s != NULL && !t->failed;) {
        word = rg_word_next(&t->at, t->line_end);
        if (word.length == 0)
            break;
        RgShapeRange range = {0, 0};
        if (!parse_range(word, low, head->nshapes - 1, &range))
            rg_certificate_fail(t, RG_ERR_SYNTAX, "expected shapes above %d as 'a' or 'a-b', found '%.*s'", low - 1,
                                (int)(word.length < 40 ? word.length : 40), word.start);
        else if (add_range(t, head->arena, &head->ranges, head->range_counts, range))
            s->nranges++;
        low = range.last + 1;
    }
}

/* Reads a pair reported as touching before the start; pairs must be in ascending order. */
static void read_reported(RgCertificateText *t, RgCertificateHead *head)
{
    int a = rg_certificate_whole(t, "shape", 0, head->nshapes - 1);
    int b = rg_certificate_whole(t, "shape above it", a + 1, head->nshapes - 1);
    int32_t n = head->reported_counts[0];
    const RgShapeRange *last = n > 0 ? &head->reported[n - 1] : NULL;
    if (!t->failed && last != NULL && (a < last->first || (a == last->first && b <= last->last)))
        rg_certificate_fail(t, RG_ERR_SYNTAX, "pairs that are told to touch are not in ascending order");
    if (!t->failed)
        add_range(t, head->arena, &head->reported, head->reported_counts, (RgShapeRange){a, b});
}

/* ------------------------------------------------------------------ the whole header */

static void read_names(RgCertificateText *t, RgCertificateHead *head)
{
    expect_line(t, "rigor-certificate");
    rg_certificate_whole(t, "version of the format", 2, 2);
    expect_line(t, "model");
    head->model = copy_text(head->arena, rg_certificate_rest(t));
    expect_line(t, "stepper");
    head->stepper = copy_text(head->arena, rg_certificate_rest(t));
    expect_line(t, "coords");
    RgWord coords = rg_certificate_word(t, "minimal or maximal");
    head->maximal = rg_word_is(coords, "maximal");
    if (!t->failed && !head->maximal && !rg_word_is(coords, "minimal"))
        rg_certificate_fail(t, RG_ERR_SYNTAX, "expected minimal or maximal");
    expect_line(t, "gap");
    head->gap = read_not_negative(t, "gap");
    expect_line(t, "counts");
    head->nbodies = rg_certificate_whole(t, "number of bodies", 0, INT32_MAX);
    head->nq = rg_certificate_whole(t, "number of positions", 0, INT32_MAX);
    head->nv = rg_certificate_whole(t, "number of velocities", 0, INT32_MAX);
    head->nshapes = rg_certificate_whole(t, "number of shapes", 0, INT32_MAX);
    rg_certificate_holds(t, "bodies and shapes", (int64_t)head->nbodies + head->nshapes);
    if (!t->failed && (head->nq > 7 * (int64_t)head->nbodies || head->nv > 6 * (int64_t)head->nbodies))
        rg_certificate_fail(t, RG_ERR_SYNTAX, "more positions or velocities than so many bodies can have");
}

RgWord rg_certificate_head_read(RgCertificateText *t, RgArena *arena, RgCertificateHead *head)
{
    *head = (RgCertificateHead){.arena = arena, .model = "", .stepper = ""};
    read_names(t, head);
    RgWord word = {t->end, 0};
    if (t->failed)
        return word;
    head->tree = RG_ARENA_ALLOC(arena, RgTreeBody, head->nbodies);
    head->shapes = RG_ARENA_ALLOC(arena, RgCertificateShape, head->nshapes);
    head->at = RG_ARENA_ALLOC(arena, RgBodyPlace, head->nbodies);
    if (arena->failed) {
        fail_memory(t);
        return word;
    }
    for (int i = 0; i < head->nbodies && !t->failed; i++)
        read_body(t, head, i);
    for (int i = 0; i < head->nshapes && !t->failed; i++)
        read_shape(t, head, i);
    int after = -1;
    for (word = rg_certificate_line(t); !t->failed && rg_word_is(word, "touch"); word = rg_certificate_line(t))
        read_touch(t, head, &after);
    if (!t->failed && !rg_word_is(word, "start"))
        rg_certificate_fail(t, RG_ERR_SYNTAX, "expected 'touch' or 'start', found '%.*s'",
                            (int)(word.length < 40 ? word.length : 40), word.start);
    head->start = rg_certificate_number(t, "time");
    head->limits = rg_certificate_whole(t, "number of limits that push", 0, INT32_MAX);
    for (int i = 0; i < head->nbodies && !t->failed; i++) {
        expect_line(t, "at");
        rg_certificate_whole(t, "number of the body", i, i);
        head->at[i].centre = rg_certificate_vector(t, "centre of mass");
        head->at[i].turn = rg_certificate_turn(t, "turn");
    }
    for (word = rg_certificate_line(t); !t->failed && rg_word_is(word, "told"); word = rg_certificate_line(t))
        read_reported(t, head);
    return word;
}
