/*
 * pair_box.h - which corner, edge or face of a box a point lies before.
 *
 * side[i] says whether the point is beyond the box along axis i: +1, -1, or 0 for between the faces. Three of
 * them name a corner, two an edge, one a face. The numbers are those of rg_polytope_box: corner, one bit an
 * axis; edge, four an axis, by the two bits that are left; face, two an axis.
 */
#ifndef RIGOR_PAIR_BOX_H
#define RIGOR_PAIR_BOX_H

#include "collision/pair_answer.h"

static inline RgFeature pair_box_feature(const int side[3])
{
    /* x runs fastest, each from -1 to 1. */
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
