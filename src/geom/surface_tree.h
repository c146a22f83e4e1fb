/*
 * surface_tree.h - a bounding volume hierarchy over the triangles of a mesh.
 *
 * Nodes are stored in depth-first order, left child first: the left child of an inner node is the next node.
 */
#ifndef RIGOR_SURFACE_TREE_H
#define RIGOR_SURFACE_TREE_H

#include "geom/surface_kind.h"

/* Depth of the tree: at most FREE_LEVELS levels split at any place, then at most 32 levels that halve the count. A
   traversal that stores one child per level needs no more stack than this. */
#define RG_SURFACE_TREE_FREE_LEVELS 30
#define RG_SURFACE_TREE_STACK 64

typedef struct RgSurfaceNode {
    RgBounds box;
    int32_t count; /* triangles of a leaf; 0: inner node */
    int32_t first; /* leaf: its first position in order; inner node: its right child */
} RgSurfaceNode;

typedef struct RgSurfaceTree {
    const RgSurfaceNode *nodes;
    const int32_t *order; /* triangle indices; those of a leaf are contiguous */
} RgSurfaceTree;

/* Builds the tree over count > 0 boxes, in the arena. Returns false if out of memory. */
bool rg_surface_tree_build(RgArena *arena, const RgBounds *boxes, int32_t count, RgSurfaceTree *out);

#endif
