/*
 * piece.h - convex pieces of shapes, in the frame of their body.
 *
 * A piece is a convex hull of corners grown by a radius, a cylinder, an ellipsoid, or a half-space. Body frames have
 * their origin at the centre of mass here.
 */
#ifndef RIGOR_PIECE_H
#define RIGOR_PIECE_H

#include "base/arena.h"
#include "math/pose.h"

typedef enum RgPieceKind {
    RG_PIECE_HULL,      /* hull of corners, grown by radius: sphere, capsule, box, polytope, triangle */
    RG_PIECE_ROUND,     /* cylinder: two discs of radius disc, perpendicular to axis, at the corners 0 and 1 */
    RG_PIECE_ELLIPSOID, /* centre at corner 0, half axes are the columns of axes */
    RG_PIECE_HALFSPACE  /* axis . x <= offset */
} RgPieceKind;

typedef struct RgPiece {
    RgPieceKind kind;
    int32_t shape; /* number of the shape it belongs to */
    int32_t ncorners, nedges, nnormals;
    RgVec3 *corner;
    int32_t *edge;       /* 2 nedges */
    RgVec3 *normal;      /* nnormals: outward unit normals of the faces of a hull with volume */
    double radius;       /* m */
    RgVec3 axis;         /* unit */
    double offset, disc; /* m */
    RgMat3 axes;
    RgVec3 middle; /* of a bounding ball */
    double reach;  /* its radius; infinite for a half-space */
} RgPiece;

/* A piece placed in the world: x -> R x + p. */
typedef struct RgPlacedPiece {
    const RgPiece *piece;
    RgMat3 R;
    RgVec3 p;
} RgPlacedPiece;

/* Corners and faces of a polytope as read from a file. */
typedef struct RgPieceFaces {
    int32_t nvertices, nfaces;
    const RgVec3 *vertex;  /* nvertices */
    const int32_t *start;  /* nfaces + 1 */
    const int32_t *corner; /* counter-clockwise from outside */
} RgPieceFaces;

/* Primitives. X_CS: pose of the shape in the body's frame at its centre of mass. False: out of memory. */
bool rg_piece_sphere(RgArena *arena, const RgPose *X_CS, double radius, RgPiece *out);
bool rg_piece_capsule(RgArena *arena, const RgPose *X_CS, double radius, double length, RgPiece *out);
bool rg_piece_box(RgArena *arena, const RgPose *X_CS, const double size[3], RgPiece *out);
bool rg_piece_cylinder(RgArena *arena, const RgPose *X_CS, double radius, double length, RgPiece *out);
bool rg_piece_ellipsoid(RgArena *arena, const RgPose *X_CS, const double half[3], RgPiece *out);
bool rg_piece_halfspace(RgArena *arena, const RgPose *X_CS, RgPiece *out);

/* A polytope. *wrong (wrong may be NULL): why the faces are invalid: a face without area, an edge without two faces, a
   corner outside a face; NULL: valid. */
bool rg_piece_polytope(RgArena *arena, const RgPose *X_CS, const RgPieceFaces *faces, RgPiece *out, const char **wrong);
bool rg_piece_triangle(RgArena *arena, const RgPose *X_CS, const RgVec3 vertex[3], RgPiece *out);

/* Farthest point of the core (without radius) along d, body axes. Not for half-spaces. */
RgVec3 rg_piece_support(const RgPiece *piece, RgVec3 d);

#endif
