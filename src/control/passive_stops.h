/* passive_stops.h - joints without controller that are at a limit, or reach it, until the next sample. */
#ifndef RIGOR_PASSIVE_STOPS_H
#define RIGOR_PASSIVE_STOPS_H

#include "control/controller.h"

/* A velocity with a position limit that the controller does not control. */
typedef struct RgPassiveStop {
    int dof, q;            /* indices of its velocity and position in the model */
    const RgAxisDef *axis; /* its joint axis */
    int side;              /* active limit: 0: none; 1: lower, -1: upper */
    double a;              /* acceleration imposed by the active limit */
} RgPassiveStop;

typedef struct RgPassiveStops {
    int n;
    RgPassiveStop *stops;
} RgPassiveStops;

/* Lists all such joints of a controller; false: out of memory. */
bool rg_passive_stops_alloc(RgArena *arena, const RgModel *model, const RgController *c, RgPassiveStops *out);

/* Initial active set: joints at a limit that their constant effort pushes towards it. Returns the size of the set. */
int rg_passive_stops_init(RgPassiveStops *stops, const RgControlView *view);

/* Activates a limit that an inactive joint would violate at this acceleration by more than slack (rad/s or m/s;
   violations below are round-off and would be deactivated again). Returns whether a limit was activated. */
bool rg_passive_stop_activate(RgPassiveStop *stop, const RgControlView *view, double acceleration, double slack);

/* Deactivates a limit that would have to pull with this force. Returns whether it was deactivated. */
bool rg_passive_stop_deactivate(RgPassiveStop *stop, double force);

#endif
