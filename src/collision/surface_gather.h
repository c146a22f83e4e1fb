/*
 * surface_gather.h - contacts of a convex part with a surface, collected before they become manifolds.
 */
#ifndef RIGOR_SURFACE_GATHER_H
#define RIGOR_SURFACE_GATHER_H

#include "collision/manifold.h"
#include "collision/triangle_contact.h"

/* Largest number of triangles near a part, and of patches; if exceeded, `reduced` is set. If there are more corners,
   some are tested twice. */
#define RG_GATHER_TRIANGLES 4096
#define RG_GATHER_PATCHES 64
#define RG_GATHER_CORNERS 256

/* Normals closer than this are equal: round-off of flat surfaces, as in triangle_contact.c. */
#define RG_GATHER_SAME_NORMAL 1e-6

/* Fraction of the size within which points coincide, and depths are equal. */
#define RG_GATHER_SAME_PLACE 1e-9

/* Contacts with a common normal. */
typedef struct RgSurfacePatch {
    RgVec3 normal; /* from A to B, in A's frame */
    RgTouch touch;
    int32_t triangle; /* the deepest, or the first that lies in the plane */
    double least;     /* least gap, m */
    bool by_plane;    /* the normal is that of the triangles listed for the patch */
    bool covered;     /* its points are those of the part against the whole plane */
    RgVec3 vertex;    /* of a triangle, in A's frame */
} RgSurfacePatch;

/* The contacts of one part. */
typedef struct RgSurfaceGather {
    RgManifoldQuery *q;
    int32_t part;
    double size;
    RgSurfaceQuery query;
    int32_t nlist, npatches, npoints, ncorners;
    int32_t corner[RG_GATHER_CORNERS]; /* corners of the surface already tested */
    RgSurfacePatch patch[RG_GATHER_PATCHES];
    RgStagedPoint point[RG_OVERLAP_POINTS];
    int16_t patch_of[RG_OVERLAP_POINTS];

    /* Triangles near the part; the patch in whose plane they lie (-1: none); and the depth of the part behind their
       planes if that is an exit, else 0. */
    int32_t list[RG_GATHER_TRIANGLES];
    int16_t patch_of_list[RG_GATHER_TRIANGLES];
    double sunk[RG_GATHER_TRIANGLES];
} RgSurfaceGather;

/* The patch of a normal, created if needed; -1 (and reduced is set): no room. */
int32_t rg_gather_patch(RgSurfaceGather *g, RgVec3 normal);

/* Adds the points of a region with one triangle to a patch. */
void rg_gather_region(RgSurfaceGather *g, int32_t patch, const RgPlate *plate, const RgRegion *region);

/* A contact plane, and the triangles that it replaces: those listed for a patch, or all of a flat region. */
typedef struct RgCover {
    RgVec3 normal, vertex; /* normal from A to B; a point of the plane; in A's frame */
    int32_t patch, region; /* one of them is -1 */
} RgCover;

/* Replaces the points of a patch by those of the part against the whole plane (surface_cover.c). Returns false, with
   nothing changed, if a point is not over those triangles or has another exit. */
bool rg_gather_cover(RgSurfaceGather *g, int32_t patch, const RgCover *cover);

/* Replaces the points of a patch by those of a region. feature[1].index of each point: the flat region under it. */
void rg_gather_replace(RgSurfaceGather *g, int32_t patch, const RgRegion *region);

/* Returns true if the part overlaps a triangle in front of the point p of the surface, in A's frame, behind whose plane
   its depth is less than `depth`: the exit is then through that triangle. */
bool rg_gather_has_other_exit(const RgSurfaceGather *g, RgVec3 p, double depth);

/* Removes all patches with a gap less than `gap`. */
void rg_gather_drop(RgSurfaceGather *g, double gap);

/* Replaces the points of a patch by the witness points of a distance; plate: its triangle, facing the part. */
void rg_gather_witness(RgSurfaceGather *g, int32_t patch, const RgPlate *plate, const RgDistance *at);

/* Appends the patches to the caller's buffer. */
void rg_gather_append(RgSurfaceGather *g);

#endif
