/* touch.h - how two outlines touch. */
#ifndef RIGOR_TOUCH_H
#define RIGOR_TOUCH_H

#include "collision/outline.h"

/* What the classification goes by. */
typedef struct RgTouchRules {
    bool touching;   /* the shapes are neither apart nor deep in each other */
    double same;     /* m in the plane within which a place is on a corner or an edge */
    double parallel; /* sine of the angle up to which edges are parallel */
} RgTouchRules;

RgTouch rg_touch_classify(const RgOutline *a, const RgOutline *b, const RgOverlap *overlap, const RgTouchRules *rules);

#endif
