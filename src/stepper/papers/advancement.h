/*
 * advancement.h - conservative advancement: the time for which bodies can move at constant velocities without touching.
 *
 *   x(s) = x0 + s u,   0 <= s
 *
 * In maximal coordinates every body moves on a straight line and turns about its centre of mass. In joint coordinates
 * the joints keep their rates, and bodies next to the world move on a straight line and turn about their joint's origin
 * (except on a universal joint).
 */
#ifndef RIGOR_ADVANCEMENT_H
#define RIGOR_ADVANCEMENT_H

#include "geom/geometry.h"
#include "stepper/stepper.h"

/* ------------------------------------------------------------------ uniform_motion.c */

/* A body at s = 0. */
typedef struct RgUniformBody {
    bool straight;  /* turns with V.w about a centre that moves with V.v; otherwise it follows its joints */
    RgVec3 centre;  /* world */
    RgMotion V;     /* world axes */
    RgMotion error; /* bound of the error of V, world axes; zero if none is given */
} RgUniformBody;

/* All bodies at constant velocities. */
typedef struct RgUniformMotion {
    RgStepScope *scope;
    const double *x, *u, *error; /* arguments of rg_uniform_begin; error may be NULL */
    RgUniformBody *bodies;       /* nbodies, then the world */
    RgPose *X_WS;                /* nshapes: at s = 0 */
    double *x_at;                /* nx */
    double *move, *faster;       /* nu: scratch; velocities enlarged by their errors */
    bool by_path;                /* links of trees: only the bound by the longest path of a point (001 eqs. 11-14) */
    double at;                   /* s: time of the form's kinematics; below 0: not known */
} RgUniformMotion;

/* A convex piece of a shape: all of it, or one of its parts. */
typedef struct RgMovingPiece {
    const RgGeometry *geometry;
    int shape, body; /* from 0; body nbodies: the world */
    RgLinkBall ball; /* bounding ball, on its link */
} RgMovingPiece;

/* A piece at one time. */
typedef struct RgPieceAt {
    RgPose X_WS;
    RgVec3 origin; /* point whose velocity is V.v */
    RgMotion V;
} RgPieceAt;

bool rg_uniform_alloc(RgArena *arena, RgStepScope *scope, RgUniformMotion *motion);
/* Starts from x, u; error (nu, may be NULL): bound of the error of u. Places scene and form there. */
RgStatus rg_uniform_begin(RgUniformMotion *motion, const double *x, const double *u, const double *error);
RgMovingPiece rg_uniform_piece(const RgUniformMotion *motion, int shape);
bool rg_uniform_straight(const RgUniformMotion *motion, const RgMovingPiece *piece);
RgPieceAt rg_uniform_at(RgUniformMotion *motion, const RgMovingPiece *piece, double s);
/* m: bound of the displacement of any point along +-n (unit) from s to s + span. */
double rg_uniform_travel(RgUniformMotion *motion, const RgMovingPiece *piece, RgVec3 n, double s, double span);
/* m: the same in any direction, from time 0 to span. */
double rg_uniform_reach(RgUniformMotion *motion, const RgMovingPiece *piece, double span);
/* m/s: bound of the speed at which two pieces that move straight approach along n (unit, from a to b); negative: they
   separate. absolute: uses |n.(v_A - v_B)|, so that separating pieces count as approaching (001, eq. 4). */
double rg_uniform_approach(const RgUniformMotion *motion, const RgMovingPiece *a, const RgMovingPiece *b, RgVec3 n,
                           bool absolute);
/* m/s^2: bound of the acceleration of any point of a ball on a link of a tree, from s to s + span. */
double rg_uniform_acceleration(RgUniformMotion *motion, const RgLinkBall *ball, double s, double span);

/* ------------------------------------------------------------------ separating_plane.c */

/* Result of a proof. Each corner has a floor for its height over the plane, with level = gap/2: a corner above gap when
   the plane is placed must stay above level; one below gap keeps half of min(its height, level); one below level/4 may
   fall by level/2. */
typedef struct RgPlaneProof {
    double until; /* s: the plane separates the pieces up to this time */
    double least; /* m: lower bound of the distance until then */
    bool arrived; /* a corner that was above the gap has come within it */
} RgPlaneProof;

/* Whether both pieces are convex, and at most one is a half-space. */
bool rg_separating_plane_supports(const RgMovingPiece pieces[2]);
/* Proves from time s up to the horizon at most. near: distance of the two pieces at s, from the first to the second. */
RgPlaneProof rg_separating_plane_prove(RgUniformMotion *motion, const RgMovingPiece pieces[2], const RgDistance *near,
                                       double s, double horizon, double gap);

/* ------------------------------------------------------------------ advancement.c */

typedef struct RgAdvancement {
    RgUniformMotion motion;
    double *reach; /* nshapes: m, how far a shape can move within the horizon */
} RgAdvancement;

/* A rule for two convex pieces that touch at the start: returns the allowed time, at most span, and its reason in *cut.
   The smaller of this and the time proven by a plane counts. */
typedef double RgTouchRule(RgUniformMotion *motion, const RgMovingPiece pieces[2], const RgDistance *near, double span,
                           RgCut *cut);

typedef struct RgAdvanceAsk {
    const double *x, *u;
    const double *error; /* nu: bound of the error of u; NULL: none */
    double horizon;      /* s */
    double beyond;       /* m: only pairs farther apart than this at x are followed, and no limits; 0: all */
    bool once;           /* one bound from x, not repeated: a lower bound of the time of touching */
    bool absolute;       /* 001 eq. 4: separating bodies count as approaching */
    bool plain;          /* pairs that are apart: this bound alone, without planes; links: bound by paths */
    RgTouchRule *rule;   /* may be NULL */
} RgAdvanceAsk;

typedef struct RgAdvance {
    double time;              /* s: proven: no pair that was apart touches on [0, time]; at most the horizon */
    RgCut cut;                /* what limits the time; whole: the horizon */
    int32_t shape_a, shape_b; /* the pair that limits it, otherwise the nearest one; -1: none */
    double least;             /* m: lower bound of all distances; infinite: no pair was near */
} RgAdvance;

bool rg_advancement_alloc(RgArena *arena, RgStepScope *scope, RgAdvancement *out);
/* Leaves the scene placed at x, and the form's kinematics at an arbitrary time. */
RgStatus rg_advancement_find(RgAdvancement *advancement, const RgAdvanceAsk *ask, RgAdvance *out);
/* The same from a state, for at most `most` seconds, and until some body on joints turns by more than half a radian. */
RgStatus rg_advancement_from(RgAdvancement *advancement, const RgState *from, double most, RgAdvance *out);

#endif
