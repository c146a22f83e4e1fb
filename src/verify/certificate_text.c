/*
 * certificate_text.c - reads lines and words of a certificate.
 *
 * After the first failure all reads return 0, so that readers need not check after each word. Extra words at the end of
 * a line are an error, found when the next line is read.
 */
#include "verify/certificate_text.h"

#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Limit of characters of a wrong word in a message. */
enum { SHOWN = 40 };

/* Number of characters of a word in a message. */
static int shown_length(RgWord word)
{
    return (int)(word.length < SHOWN ? word.length : SHOWN);
}

void rg_certificate_fail(RgCertificateText *t, RgStatus status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!t->failed)
        rg_fail_list(t->error, status, t->file, t->line, format, arguments);
    va_end(arguments);
    t->failed = true;
}

RgWord rg_certificate_line(RgCertificateText *t)
{
    RgWord none = {t->end, 0};
    if (t->failed)
        return none;
    RgWord more = rg_word_next(&t->at, t->line_end);
    if (more.length > 0) {
        rg_certificate_fail(t, RG_ERR_SYNTAX, "the line goes on with '%.*s' where it should end", shown_length(more),
                            more.start);
        return none;
    }
    t->at = t->line == 0 ? t->at : t->line_end + (t->line_end < t->end);
    if (t->at >= t->end)
        return none;
    t->line++;
    const char *newline = memchr(t->at, '\n', (size_t)(t->end - t->at));
    t->line_end = newline != NULL ? newline : t->end;
    RgWord first = rg_word_next(&t->at, t->line_end);
    if (first.length == 0)
        rg_certificate_fail(t, RG_ERR_SYNTAX, "an empty line");
    return first;
}

bool rg_word_is(RgWord word, const char *is)
{
    return word.length == strlen(is) && memcmp(word.start, is, word.length) == 0;
}

RgWord rg_certificate_word(RgCertificateText *t, const char *what)
{
    RgWord none = {t->end, 0};
    if (t->failed)
        return none;
    RgWord word = rg_word_next(&t->at, t->line_end);
    if (word.length == 0)
        rg_certificate_fail(t, RG_ERR_SYNTAX, "expected %s, found the end of the line", what);
    return word;
}

static double next_number(RgCertificateText *t, const char *what, bool may_be_infinite)
{
    RgWord word = rg_certificate_word(t, what);
    double value = 0.0;
    if (t->failed)
        return 0.0;
    RgNumberResult result = rg_word_number(word, &value);
    if (result == RG_NUMBER_OK || (may_be_infinite && result == RG_NUMBER_NOT_FINITE && isinf(value)))
        return value;
    if (result == RG_NUMBER_NOT_FINITE)
        rg_certificate_fail(t, RG_ERR_NOT_FINITE, "%s: '%.*s' is not finite", what, shown_length(word), word.start);
    else
        rg_certificate_fail(t, RG_ERR_SYNTAX, "expected %s, found '%.*s'", what, shown_length(word), word.start);
    return 0.0;
}

double rg_certificate_number(RgCertificateText *t, const char *what)
{
    return next_number(t, what, false);
}

double rg_certificate_bound(RgCertificateText *t, const char *what)
{
    return next_number(t, what, true);
}

int rg_certificate_whole(RgCertificateText *t, const char *what, int low, int high)
{
    double value = next_number(t, what, false);
    if (!t->failed && (value != floor(value) || value < low || value > high))
        rg_certificate_fail(t, RG_ERR_SYNTAX, "%s: expected a whole number from %d to %d, found %.17g", what, low, high,
                            value);
    return t->failed ? 0 : (int)value;
}

RgVec3 rg_certificate_vector(RgCertificateText *t, const char *what)
{
    RgVec3 v;
    v.x = rg_certificate_number(t, what);
    v.y = rg_certificate_number(t, what);
    v.z = rg_certificate_number(t, what);
    return v;
}

RgQuat rg_certificate_turn(RgCertificateText *t, const char *what)
{
    RgQuat q;
    q.w = rg_certificate_number(t, what);
    q.x = rg_certificate_number(t, what);
    q.y = rg_certificate_number(t, what);
    q.z = rg_certificate_number(t, what);
    double n2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (!t->failed && !(fabs(n2 - 1.0) <= 2e-9))
        rg_certificate_fail(t, RG_ERR_SYNTAX, "%s: the quaternion is not of norm 1", what);
    return t->failed ? q_identity() : q_normalise(q);
}

RgPose rg_certificate_pose(RgCertificateText *t, const char *what)
{
    RgPose X;
    X.p = rg_certificate_vector(t, what);
    X.R = q_matrix(rg_certificate_turn(t, what));
    return X;
}

RgWord rg_certificate_rest(RgCertificateText *t)
{
    RgWord rest = {t->end, 0};
    if (t->failed)
        return rest;
    RgWord word = rg_word_next(&t->at, t->line_end);
    rest.start = word.start;
    for (; word.length > 0; word = rg_word_next(&t->at, t->line_end))
        rest.length = (size_t)(word.start + word.length - rest.start);
    return rest;
}

bool rg_certificate_holds(RgCertificateText *t, const char *what, int64_t lines)
{
    int64_t bytes = (int64_t)(t->end - t->at);
    if (!t->failed && lines > bytes / 2)
        rg_certificate_fail(t, RG_ERR_SYNTAX, "%s: %lld lines are promised, the %lld bytes left cannot hold them", what,
                            (long long)lines, (long long)bytes);
    return !t->failed;
}
