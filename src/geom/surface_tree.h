/*
 * surface_tree.h - a tree of boxes over the triangles of a mesh.
 *
 * Nodes stand in the order in which a walk that goes left first meets them: the left child of an inner node
 * is the next node.
 */
#ifndef RIGOR_SURFACE_TREE_H
#define RIGOR_SURFACE_TREE_H

#include "geom/surface_kind.h"

/* Deepest tree: halving goes on for at most 32 levels below the free ones. A walk that keeps one side of each
   level needs no more room than this. */
#define RG_SURFACE_TREE_FREE_LEVELS 30
#define RG_SURFACE_TREE_STACK 64

typedef struct RgSurfaceNode {
    RgBounds box;
    int32_t count; /* triangles of a leaf; 0: inner node */
    int32_t first; /* leaf: its first in order; inner node: its right child */
} RgSurfaceNode;

typedef struct RgSurfaceTree {
    const RgSurfaceNode *nodes;
    const int32_t *order; /* triangle numbers, those of a leaf side by side */
} RgSurfaceTree;

/* Over count > 0 boxes; in the arena. False: out of memory. */
bool rg_surface_tree_build(RgArena *arena, const RgBounds *boxes, int32_t count, RgSurfaceTree *out);

#endif
