/*
 * advancement.h - conservative advancement: how long velocities may stay constant before anything touches.
 *
 *   x(s) = x0 + s u,   0 <= s
 *
 * In body coordinates every body goes straight and turns about its centre of mass; in joint coordinates the joints keep
 * their rates, and bodies next to the world go straight and turn about their joint's origin (the universal joint
 * apart).
 */
#ifndef RIGOR_ADVANCEMENT_H
#define RIGOR_ADVANCEMENT_H

#include "geom/geometry.h"
#include "stepper/stepper.h"

/* ------------------------------------------------------------------ uniform_motion.c */

/* A body at s = 0. */
typedef struct RgUniformBody {
    bool straight;  /* turns with V.w about a centre that goes with V.v; else by the joints alone */
    RgVec3 centre;  /* world */
    RgMotion V;     /* world axes */
    RgMotion error; /* of V, world axes; zero where none is given */
} RgUniformBody;

/* Everything while velocities stay constant. */
typedef struct RgUniformMotion {
    RgStepScope *scope;
    const double *x, *u, *error; /* as begun; error may be NULL */
    RgUniformBody *bodies;       /* nbodies, then the world */
    RgPose *X_WS;                /* nshapes: at s = 0 */
    double *x_at;                /* nx */
    double *move, *faster;       /* nu; velocities made larger by their errors */
    bool by_path;                /* links of trees: by the longest path of a point alone (001 eqs. 11-14) */
    double at;                   /* s: where the form's kinematics are; below 0: elsewhere */
} RgUniformMotion;

/* A convex piece of a shape: all of it, or one of its parts. */
typedef struct RgMovingPiece {
    const RgGeometry *geometry;
    int shape, body; /* from 0; body nbodies: the world */
    RgLinkBall ball; /* round it, on its link */
} RgMovingPiece;

/* A piece at some time. */
typedef struct RgPieceAt {
    RgPose X_WS;
    RgVec3 origin; /* V is of this point */
    RgMotion V;
} RgPieceAt;

bool rg_uniform_take(RgArena *arena, RgStepScope *scope, RgUniformMotion *motion);
/* From x, u on; error (nu, may be NULL): bound of the error of u. Scene and form are placed there. */
RgStatus rg_uniform_begin(RgUniformMotion *motion, const double *x, const double *u, const double *error);
RgMovingPiece rg_uniform_piece(const RgUniformMotion *motion, int shape);
bool rg_uniform_straight(const RgUniformMotion *motion, const RgMovingPiece *piece);
RgPieceAt rg_uniform_at(RgUniformMotion *motion, const RgMovingPiece *piece, double s);
/* Bound, m, of the way of any point along +-n (unit) from s to s + span; in any direction from 0 on. */
double rg_uniform_travel(RgUniformMotion *motion, const RgMovingPiece *piece, RgVec3 n, double s, double span);
double rg_uniform_reach(RgUniformMotion *motion, const RgMovingPiece *piece, double span);
/* Bound, m/s, of the speed at which two pieces that go straight approach along n (unit, from a to b); negative: they
   separate. absolute: as if they might turn round (001, eq. 4). */
double rg_uniform_approach(const RgUniformMotion *motion, const RgMovingPiece *a, const RgMovingPiece *b, RgVec3 n,
                           bool absolute);
/* Bound of the acceleration of any point of a ball on a link of a tree, from s to s + span. */
double rg_uniform_acceleration(RgUniformMotion *motion, const RgLinkBall *ball, double s, double span);

/* ------------------------------------------------------------------ separating_plane.c */

/* Heights of corners over the plane. Those above gap when the plane is laid must not fall below level, half of it;
   those within it must keep half of what they have, or of level if that is less; those below a quarter of level may
   lose half of it more. */
typedef struct RgPlaneProof {
    double until; /* s: separated up to there */
    double least; /* m: bound of the distance until then */
    bool arrived; /* a corner that was above the gap has come into it */
} RgPlaneProof;

/* Whether both pieces are convex, and at most one is a half-space. */
bool rg_separating_plane_takes(const RgMovingPiece pieces[2]);
/* near: the distance of the two at time s, from first to second; proves from s to horizon at most. */
RgPlaneProof rg_separating_plane_prove(RgUniformMotion *motion, const RgMovingPiece pieces[2], const RgDistance *near,
                                       double s, double horizon, double gap);

/* ------------------------------------------------------------------ advancement.c */

typedef struct RgAdvancement {
    RgUniformMotion motion;
    double *reach; /* nshapes: m that a shape can come within the horizon */
} RgAdvancement;

/* A rule for two convex pieces that touch at the start: the time they may go on, at most span, and what limits it. The
   lesser of it and the proven plane counts. */
typedef double RgTouchRule(RgUniformMotion *motion, const RgMovingPiece pieces[2], const RgDistance *near, double span,
                           RgCut *cut);

typedef struct RgAdvanceAsk {
    const double *x, *u;
    const double *error; /* nu: bound of the error of u; NULL: none */
    double horizon;      /* s */
    double beyond;       /* m: only pairs that are farther apart than this at x, and no limits; 0: all */
    bool once;           /* the bound from x alone, not repeated: a lower bound of the time of touching */
    bool absolute;       /* 001 eq. 4: bodies that separate count as if they approached */
    bool plain;          /* pairs that are apart: by that bound alone, without planes; links by their paths */
    RgTouchRule *rule;   /* may be NULL */
} RgAdvanceAsk;

typedef struct RgAdvance {
    double time;              /* s: nothing that was apart has touched on [0, time], as proven; at most the horizon */
    RgCut cut;                /* what is met then; whole: nothing */
    int32_t shape_a, shape_b; /* the pair that meets, else the nearest one; -1: none */
    double least;             /* m: bound of all distances; infinite: nothing was near */
} RgAdvance;

bool rg_advancement_take(RgArena *arena, RgStepScope *scope, RgAdvancement *out);
/* The scene is placed at x, and the form's kinematics are anywhere, afterwards. */
RgStatus rg_advancement_find(RgAdvancement *advancement, const RgAdvanceAsk *ask, RgAdvance *out);
/* The same from a state, for at most `most`, and until some body on joints turns by more than half a radian. */
RgStatus rg_advancement_from(RgAdvancement *advancement, const RgState *from, double most, RgAdvance *out);

#endif
