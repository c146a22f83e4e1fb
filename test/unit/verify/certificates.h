/* certificates.h - certificates made by hand: text, and the line that ends it. */
#ifndef TEST_UNIT_VERIFY_CERTIFICATES_H
#define TEST_UNIT_VERIFY_CERTIFICATES_H

#include <math/pose.h>
#include <rigor/verify.h>

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Paper {
    char *text;
    size_t size, room;
} Paper;

static inline void say(Paper *p, const char *format, ...)
{
    char line[4096];
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    cr_assert(n >= 0 && (size_t)n < sizeof line);
    if (p->size + (size_t)n + 1 > p->room) {
        p->room = 2 * p->room + 8192;
        p->text = realloc(p->text, p->room);
        cr_assert(p->text != NULL);
    }
    memcpy(p->text + p->size, line, (size_t)n + 1);
    p->size += (size_t)n;
}

/* One body on a free joint and the shapes given: the body's frame is that of its centre. */
static inline void say_head(Paper *p, int bodies, int shapes)
{
    say(p, "rigor-certificate 2\nmodel by hand\nstepper none\ncoords minimal\ngap 1e-7\n");
    say(p, "counts %d %d %d %d\n", bodies, 7 * bodies, 6 * bodies, shapes);
    for (int i = 0; i < bodies; i++)
        say(p, "body %d -1 0 0 0 free %d %d 0 0 0 1 0 0 0 0 0 0 0 0 b%d\n", i, 7 * i, 6 * i, i);
}

static inline void say_numbers(Paper *p, const double *x, int n)
{
    for (int i = 0; i < n; i++)
        say(p, " %.17g", x[i]);
}

/* A body at one end of a step. */
typedef struct End {
    RgVec3 c;
    RgQuat q;
    RgVec3 v, w;
} End;

static inline void say_place(Paper *p, const End *e)
{
    double x[7] = {e->c.x, e->c.y, e->c.z, e->q.w, e->q.x, e->q.y, e->q.z};
    say_numbers(p, x, 7);
}

static inline void say_twist(Paper *p, const End *e)
{
    double x[6] = {e->v.x, e->v.y, e->v.z, e->w.x, e->w.y, e->w.z};
    say_numbers(p, x, 6);
}

static inline void say_at(Paper *p, int body, const End *e)
{
    say(p, "at %d", body);
    say_place(p, e);
    say(p, "\n");
}

/* A step of one body on a curve; it begins where it was. */
static inline void say_step(Paper *p, double t, double h, int body, const End *a, const End *b)
{
    say(p, "step %.17g %.17g curve whole -1 -1 inf 0 1\nbody %d =", t, h, body);
    say_twist(p, a);
    say_place(p, b);
    say_twist(p, b);
    say(p, "\n");
}

static inline void say_end(Paper *p)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    long long lines = 0;
    for (size_t i = 0; i < p->size; i++) {
        hash = (hash ^ (unsigned char)p->text[i]) * UINT64_C(0x100000001b3);
        lines += p->text[i] == '\n';
    }
    say(p, "end %lld %016llx\n", lines, (unsigned long long)hash);
}

static inline RgVerifyReport verified(Paper *p)
{
    RgVerifyReport report;
    RgError error;
    say_end(p);
    RgStatus status = rg_verify_text("by hand", p->text, p->size, NULL, &report, &error);
    cr_assert(status == RG_OK, "line %d: %s", error.line, error.text);
    free(p->text);
    *p = (Paper){NULL, 0, 0};
    return report;
}

#endif
