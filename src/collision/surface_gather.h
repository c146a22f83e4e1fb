/*
 * surface_gather.h - what is found of a convex part's contact with a surface, on the way to manifolds.
 */
#ifndef RIGOR_SURFACE_GATHER_H
#define RIGOR_SURFACE_GATHER_H

#include "collision/manifold.h"
#include "collision/triangle_contact.h"

/* Most triangles near a part, and patches; beyond, reduced. Beyond so many corners some are asked twice. */
#define RG_GATHER_TRIANGLES 4096
#define RG_GATHER_PATCHES 64
#define RG_GATHER_CORNERS 256

/* Normals no farther apart than this are one: round-off of flat surfaces, as in triangle_contact.c. */
#define RG_GATHER_SAME_NORMAL 1e-6

/* Part of the size within which points are at one place, and no deeper than one another. */
#define RG_GATHER_SAME_PLACE 1e-9

/* Contacts with one normal. */
typedef struct RgSurfacePatch {
    RgVec3 normal; /* from A to B, in A's frame */
    RgTouch touch;
    int32_t triangle; /* the deepest, or the first that lies in the plane */
    double least;     /* gap */
    bool by_plane;    /* the normal is that of the triangles listed for it */
    bool covered;     /* its points are those of the part against the whole plane */
    RgVec3 vertex;    /* of a triangle, in A's frame */
} RgSurfacePatch;

/* What is found for one part. */
typedef struct RgSurfaceGather {
    RgManifoldQuery *q;
    int32_t part;
    double size;
    RgSurfaceQuery query;
    int32_t nlist, npatches, npoints, ncorners;
    int32_t corner[RG_GATHER_CORNERS]; /* of the surface, that were asked already */
    RgSurfacePatch patch[RG_GATHER_PATCHES];
    RgStagedPoint point[RG_OVERLAP_POINTS];
    int16_t patch_of[RG_OVERLAP_POINTS];

    /* Triangles near the part, in whose plane they lie (-1: none), and how far the part is sunk in behind
       their planes where that is a way out (else 0). */
    int32_t list[RG_GATHER_TRIANGLES];
    int16_t patch_of_list[RG_GATHER_TRIANGLES];
    double sunk[RG_GATHER_TRIANGLES];
} RgSurfaceGather;

/* The patch of a normal, a new one if need be; -1 (and reduced): no room. */
int32_t rg_gather_patch(RgSurfaceGather *g, RgVec3 normal);

/* Adds the points of a region with one triangle to a patch. */
void rg_gather_region(RgSurfaceGather *g, int32_t patch, const RgPlate *plate, const RgRegion *region);

/* A plane of contact, and the triangles that it stands for: those listed for a patch, or all of a flat
   region. */
typedef struct RgCover {
    RgVec3 normal, vertex; /* from A to B; a point of it; in A's frame */
    int32_t patch, region; /* one of them -1 */
} RgCover;

/* Replaces the points of a patch by those of the part against the whole plane (surface_cover.c); false, and
   nothing changed, where a point is not over those triangles or has another way out. */
bool rg_gather_cover(RgSurfaceGather *g, int32_t patch, const RgCover *cover);

/* The same for points that are known. feature[1].index of each: the flat region that lies under it. */
void rg_gather_replace(RgSurfaceGather *g, int32_t patch, const RgRegion *region);

/* Does the part overlap a triangle in front of the point p of the surface, in A's frame, behind whose plane
   it is less sunk in than by depth? Then the way out is through that one. */
bool rg_gather_other_way(const RgSurfaceGather *g, RgVec3 p, double depth);

/* Leaves out all patches with a gap less than that. */
void rg_gather_drop(RgSurfaceGather *g, double gap);

/* Replaces the points of a patch by the witness of a distance; plate: its triangle, the right way round. */
void rg_gather_witness(RgSurfaceGather *g, int32_t patch, const RgPlate *plate, const RgDistance *at);

/* Appends the patches to the caller's buffer. */
void rg_gather_append(RgSurfaceGather *g);

#endif
