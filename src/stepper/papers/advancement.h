/*
 * advancement.h - how long velocities may stay constant before anything touches: r(q, v) and s(q, v, e) of paper 000,
 * repeated until the time of touching is met.
 */
#ifndef RIGOR_ADVANCEMENT_H
#define RIGOR_ADVANCEMENT_H

#include "stepper/papers/parting_plane.h"

typedef struct RgAdvancement {
    RgGlide glide;
    double *reach; /* nshapes: m that a shape can come within the horizon */
} RgAdvancement;

bool rg_advancement_take(RgArena *arena, RgStepScope *scope, RgAdvancement *out);

/* A rule of its own for two convex pieces that touch at the start: the time they may go on, at most span, and what decides
   it. Called beside the plane that is proven; the lesser counts. */
typedef double RgTouchRule(RgGlide *glide, const RgGlidePiece pieces[2], const RgDistance *near, double span,
                           RgCut *cut);

typedef struct RgAdvanceAsk {
    const double *x, *u;
    const double *error; /* nu: how wrong u may be; NULL: not at all */
    double horizon;      /* s */
    double beyond;       /* m: only pairs that are farther apart than this at x, and no limits; 0: all */
    bool once;           /* the bound from x alone, not repeated: a lower bound of the time of touching */
    bool absolute;       /* 001 eq. 4: bodies that part count as if they came together */
    bool plain;          /* pairs that are apart: by that bound alone, without planes; links by their paths */
    RgTouchRule *rule;   /* may be NULL */
} RgAdvanceAsk;

typedef struct RgAdvance {
    double time; /* s: nothing that was apart has touched on [0, time], as proven; at most the horizon */
    RgCut cut;   /* what is met then; whole: nothing */
    int32_t shape_a, shape_b; /* who meets; the nearest pair where nobody does; -1: none */
    double least;             /* m: no two came nearer, as proven; infinite: nobody was near */
    bool open;                /* pairs of a kind that nothing is proven of while they touch have taken part */
} RgAdvance;

/* Time in which the bodies that kick.c does not let turn freely turn by no more than half a radian at u, at most most. */
double rg_advancement_turn(RgAdvancement *advancement, const double *x, const double *u, double most);

/* The scene is placed at x, and the form's kinematics are anywhere, afterwards. */
RgStatus rg_advancement_find(RgAdvancement *advancement, const RgAdvanceAsk *ask, RgAdvance *out);

#endif
