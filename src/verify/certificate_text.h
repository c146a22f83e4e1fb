/* certificate_text.h - reads lines and words of a certificate; errors contain what was expected. */
#ifndef RIGOR_CERTIFICATE_TEXT_H
#define RIGOR_CERTIFICATE_TEXT_H

#include "base/number.h"
#include "math/pose.h"

#include <rigor/base.h>

typedef struct RgCertificateText {
    const char *file; /* for messages */
    const char *at;   /* position in the present line */
    const char *line_end, *end;
    int line;
    RgError *error; /* never NULL */
    bool failed;    /* error contains the first failure; all later reads return 0 */
} RgCertificateText;

/* Sets the error, at the present line, unless there is one. */
void rg_certificate_fail(RgCertificateText *text, RgStatus status, const char *format, ...) RG_PRINTF(3, 4);

/* Moves to the next line and returns its first word; length 0: end of the text. Fails if the present line has words
   left. */
RgWord rg_certificate_line(RgCertificateText *text);
bool rg_word_is(RgWord word, const char *is);

/* The next word of the line; fails if there is none. what: description for the message. */
RgWord rg_certificate_word(RgCertificateText *text, const char *what);

/* The next number of the line: finite; possibly infinite; an integer from low to high. */
double rg_certificate_number(RgCertificateText *text, const char *what);
double rg_certificate_bound(RgCertificateText *text, const char *what);
int rg_certificate_whole(RgCertificateText *text, const char *what, int low, int high);
RgVec3 rg_certificate_vector(RgCertificateText *text, const char *what);
RgQuat rg_certificate_turn(RgCertificateText *text, const char *what); /* of norm 1 to 1e-9 */
RgPose rg_certificate_pose(RgCertificateText *text, const char *what); /* position, then quaternion */

/* The rest of the line, without spaces at both ends. */
RgWord rg_certificate_rest(RgCertificateText *text);

/* Whether the rest of the text can hold this many lines; fails if not. For checks before memory is allocated. */
bool rg_certificate_holds(RgCertificateText *text, const char *what, int64_t lines);

#endif
