/* certificate_head.h - what a certificate says before its first step: bodies, their tree, shapes, who may touch
   whom. */
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
    int32_t first_range, nranges; /* of the shapes with higher numbers that it may touch */
} RgCertificateShape;

typedef struct RgShapeRange {
    int32_t first, last;
} RgShapeRange;

typedef struct RgCertificateHead {
    RgArena *arena; /* holds everything */
    const char *model, *stepper;
    bool maximal;
    double gap;
    int nbodies, nq, nv, nshapes;
    RgTreeBody *tree; /* nbodies */
    RgCertificateShape *shapes;
    RgPiece *pieces;
    int32_t npieces, room;
    RgShapeRange *ranges;
    int32_t range_counts[2]; /* how many there are, and room for how many */
    double start;            /* s */
    int limits;              /* that push already */
    RgShapeRange *told;      /* pairs that were told to touch before: first, last */
    int32_t told_counts[2];
    RgBodyPlace *at; /* nbodies: at the start */
} RgCertificateHead;

/* Reads up to the first line that is not of the header, whose first word it gives. text->failed: not as it should
   be. */
RgWord rg_certificate_head_read(RgCertificateText *text, RgArena *arena, RgCertificateHead *head);

#endif
