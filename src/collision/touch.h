/* touch.h - classification of the contact of two outlines. */
#ifndef RIGOR_TOUCH_H
#define RIGOR_TOUCH_H

#include "collision/outline.h"

/* Tolerances of the classification. */
typedef struct RgTouchRules {
    bool touching;   /* the shapes are neither separated nor in deep overlap */
    double same;     /* m in the plane within which a point is on a corner or an edge */
    double parallel; /* sine of the angle up to which edges count as parallel */
} RgTouchRules;

RgTouch rg_touch_classify(const RgOutline *a, const RgOutline *b, const RgOverlap *overlap, const RgTouchRules *rules);

#endif
