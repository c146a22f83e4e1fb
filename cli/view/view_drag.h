/* view_drag.h - a body pulled by a spring, for dragging with the mouse. */
#ifndef RIGOR_VIEW_DRAG_H
#define RIGOR_VIEW_DRAG_H

#include <rigor/sim.h>

typedef struct RgDrag {
    RgLinkId link;        /* null: no body is pulled */
    RgVec3 point, target; /* in link axes; in world axes */
    double pulled;        /* kg, mass of the link's articulation */
    double felt;          /* kg, least effective mass of the body at the point */
} RgDrag;

/* Attaches the spring to a link at a point. false: the link is fixed. */
bool rg_drag_begin(RgDrag *drag, RgWorld *world, RgLinkId link, RgVec3 point, RgVec3 target);

/* Applies the wrench of the spring for a step of length h, if a body is pulled. */
RgStatus rg_drag_pull(const RgDrag *drag, RgWorld *world, double h);

/* Removes the spring. */
void rg_drag_release(RgDrag *drag, RgWorld *world);

#endif
