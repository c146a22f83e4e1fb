/* certificate_head.h - header of a certificate: bodies, their tree, shapes, pairs that may touch, start. */
#ifndef RIGOR_CERTIFICATE_HEAD_H
#define RIGOR_CERTIFICATE_HEAD_H

#include "base/arena.h"
#include "verify/certificate_text.h"
#include "verify/motion.h"
#include "verify/piece.h"

typedef struct RgCertificateShape {
    const char *name;
    int body, link; /* -1: the world */
    int32_t first_piece, npieces;
    int32_t first_range, nranges; /* ranges of shapes with higher numbers that it may touch */
} RgCertificateShape;

typedef struct RgShapeRange {
    int32_t first, last;
} RgShapeRange;

typedef struct RgCertificateHead {
    RgArena *arena; /* memory of all arrays */
    const char *model, *stepper;
    bool maximal;
    double gap;
    int nbodies, nq, nv, nshapes;
    RgTreeBody *tree; /* nbodies */
    RgCertificateShape *shapes;
    RgPiece *pieces;
    int32_t npieces, room;
    RgShapeRange *ranges;
    int32_t range_counts[2];    /* number of ranges, and room */
    double start;               /* s */
    int limits;                 /* number of joint limits that exert a force at the start */
    RgShapeRange *reported;     /* pairs reported as touching before the start: shapes first, last */
    int32_t reported_counts[2]; /* number of pairs, and room */
    RgBodyPlace *at;            /* nbodies: at the start */
} RgCertificateHead;

/* Reads the header. Returns the first word of the first line after it. text->failed: the header is invalid. */
RgWord rg_certificate_head_read(RgCertificateText *text, RgArena *arena, RgCertificateHead *head);

#endif
