/*
 * pair_box.h - the corner, edge or face of a box that is nearest to a point outside.
 *
 * side[i] is the position of the point relative to the box along axis i: +1 or -1 beyond it, 0 between the faces. Three
 * nonzero values select a corner, two an edge, one a face. The indices are those of rg_polytope_box: corner, one bit
 * per axis; edge, four per axis, by the two other bits; face, two per axis.
 */
#ifndef RIGOR_PAIR_BOX_H
#define RIGOR_PAIR_BOX_H

#include "collision/pair_answer.h"

static inline RgFeature pair_box_feature(const int side[3])
{
    /* Index: x runs fastest, each from -1 to 1. */
    static const RgFeature feature[27] = {
        {RG_FEATURE_VERTEX, 0}, {RG_FEATURE_EDGE, 0},  {RG_FEATURE_VERTEX, 1}, {RG_FEATURE_EDGE, 4},
        {RG_FEATURE_FACE, 4},   {RG_FEATURE_EDGE, 5},  {RG_FEATURE_VERTEX, 2}, {RG_FEATURE_EDGE, 1},
        {RG_FEATURE_VERTEX, 3}, {RG_FEATURE_EDGE, 8},  {RG_FEATURE_FACE, 2},   {RG_FEATURE_EDGE, 9},
        {RG_FEATURE_FACE, 0},   {RG_FEATURE_NONE, 0},  {RG_FEATURE_FACE, 1},   {RG_FEATURE_EDGE, 10},
        {RG_FEATURE_FACE, 3},   {RG_FEATURE_EDGE, 11}, {RG_FEATURE_VERTEX, 4}, {RG_FEATURE_EDGE, 2},
        {RG_FEATURE_VERTEX, 5}, {RG_FEATURE_EDGE, 6},  {RG_FEATURE_FACE, 5},   {RG_FEATURE_EDGE, 7},
        {RG_FEATURE_VERTEX, 6}, {RG_FEATURE_EDGE, 3},  {RG_FEATURE_VERTEX, 7},
    };
    return feature[13 + side[0] + 3 * side[1] + 9 * side[2]];
}

#endif
