/* view_drag.h - a body pulled by a spring, as a hand with the mouse does. */
#ifndef RIGOR_VIEW_DRAG_H
#define RIGOR_VIEW_DRAG_H

#include <rigor/sim.h>

typedef struct RgDrag {
    RgLinkId link;        /* null: no body is pulled */
    RgVec3 point, target; /* in link axes; in world axes */
    double pulled;        /* kg, of all that hangs on the link by joints */
    double felt;          /* kg, the least mass that the body shows at the point */
} RgDrag;

/* Takes hold of a link at a point. false: it does not move. */
bool rg_drag_begin(RgDrag *drag, RgWorld *world, RgLinkId link, RgVec3 point, RgVec3 target);

/* The wrench of the spring for a step of length h into the world; none if no body is pulled. */
RgStatus rg_drag_pull(const RgDrag *drag, RgWorld *world, double h);

/* Lets go. */
void rg_drag_release(RgDrag *drag, RgWorld *world);

#endif
