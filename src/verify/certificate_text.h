/* certificate_text.h - lines and words of a certificate, with what was expected where one is wrong. */
#ifndef RIGOR_CERTIFICATE_TEXT_H
#define RIGOR_CERTIFICATE_TEXT_H

#include "base/number.h"
#include "math/pose.h"

#include <rigor/base.h>

typedef struct RgCertificateText {
    const char *file; /* for messages */
    const char *at;   /* in the present line */
    const char *line_end, *end;
    int line;
    RgError *error; /* never NULL */
    bool failed;    /* the first failure is in error; all later reads give 0 */
} RgCertificateText;

/* Fails at the present line with what is said. */
void rg_certificate_fail(RgCertificateText *text, RgStatus status, const char *format, ...) RG_PRINTF(3, 4);

/* Goes to the next line and gives its first word; length 0: the text is over. The present line must be read up. */
RgWord rg_certificate_line(RgCertificateText *text);
bool rg_word_is(RgWord word, const char *is);

/* The next word of the line; fails where there is none. */
RgWord rg_certificate_word(RgCertificateText *text, const char *what);

/* Numbers of the line: finite ones; those that may be infinite too; whole ones from low to high. */
double rg_certificate_number(RgCertificateText *text, const char *what);
double rg_certificate_bound(RgCertificateText *text, const char *what);
int rg_certificate_whole(RgCertificateText *text, const char *what, int low, int high);
RgVec3 rg_certificate_vector(RgCertificateText *text, const char *what);
RgQuat rg_certificate_turn(RgCertificateText *text, const char *what); /* of norm 1 to 1e-9 */
RgPose rg_certificate_pose(RgCertificateText *text, const char *what); /* place, then turn */

/* What is left of the line, without spaces before and behind. */
RgWord rg_certificate_rest(RgCertificateText *text);

/* Whether so many lines may be left: asked before memory is taken for them. */
bool rg_certificate_holds(RgCertificateText *text, const char *what, int64_t lines);

#endif
