/*
 * glide.h - everything while velocities stay constant: where shapes are then, and how far they can come.
 *
 *   x(s) = x0 + s u,   0 <= s
 *
 * In body coordinates every body goes straight and turns about its centre of mass; in joint coordinates the joints keep
 * their rates, and bodies next to the world go straight and turn about their joint's origin (the universal joint apart).
 */
#ifndef RIGOR_GLIDE_H
#define RIGOR_GLIDE_H

#include "geom/geometry.h"
#include "stepper/stepper.h"

/* A body at s = 0. */
typedef struct RgGlideBody {
    bool straight;  /* turns with V.w about a centre that goes with V.v; else by the joints alone */
    RgVec3 centre;  /* world */
    RgMotion V;     /* world axes */
    RgMotion error; /* of V, world axes; zero where none is given */
} RgGlideBody;

typedef struct RgGlide {
    RgStepScope *scope;
    const double *x, *u, *error; /* as begun; error may be NULL */
    RgGlideBody *bodies;         /* nbodies, then the world */
    RgPose *X_WS;                /* nshapes: at s = 0 */
    double *x_at;                /* nx */
    double *move, *faster;       /* nu; velocities made larger by their errors */
    bool by_path;                /* links of trees: by the longest path of a point alone (001 eqs. 11-14) */
    double at;                   /* s: where the form's kinematics stand; below 0: elsewhere */
} RgGlide;

/* A convex piece of a shape: all of it, or one of its parts. */
typedef struct RgGlidePiece {
    const RgGeometry *geometry;
    int shape, body; /* from 0; body nbodies: the world */
    RgLinkBall ball; /* round it, on its link */
} RgGlidePiece;

/* Where a piece is at some time, and how its body moves. */
typedef struct RgGlideAt {
    RgPose X_WS;
    RgVec3 origin; /* V is of this point */
    RgMotion V;
} RgGlideAt;

bool rg_glide_take(RgArena *arena, RgStepScope *scope, RgGlide *glide);

/* From x, u on; error (nu, may be NULL): how wrong u may be. The scene's shapes and the form's kinematics go there. */
RgStatus rg_glide_begin(RgGlide *glide, const double *x, const double *u, const double *error);

RgGlidePiece rg_glide_piece(const RgGlide *glide, int shape);

/* At time s. */
RgGlideAt rg_glide_at(RgGlide *glide, const RgGlidePiece *piece, double s);

/* Bounds for the time from s to s + span: along +-n (unit) no point of the piece comes farther than this, m. */
double rg_glide_travel(RgGlide *glide, const RgGlidePiece *piece, RgVec3 n, double s, double span);

/* In any direction, from 0 on. */
double rg_glide_reach(RgGlide *glide, const RgGlidePiece *piece, double span);

/* Largest speed at which two pieces that go straight come nearer to each other along n (unit, from a to b), m/s;
   negative: they part. absolute: as if they might turn round (001, eq. 4). */
double rg_glide_approach(const RgGlide *glide, const RgGlidePiece *a, const RgGlidePiece *b, RgVec3 n,
                         bool absolute);

/* Largest acceleration of any point of a ball on a link of a tree, from s to s + span. */
double rg_glide_acceleration(RgGlide *glide, const RgLinkBall *ball, double s, double span);

static inline bool rg_glide_straight(const RgGlide *glide, const RgGlidePiece *piece)
{
    return glide->bodies[piece->body].straight;
}

#endif
