/* passive_stops.h - joints that no controller moves and that stand at a limit, or come to one, until the
   next sample. */
#ifndef RIGOR_PASSIVE_STOPS_H
#define RIGOR_PASSIVE_STOPS_H

#include "control/controller.h"

/* A joint velocity with a limit that nothing of the controller acts on. */
typedef struct RgPassiveStop {
    int dof, q;            /* among the model's velocities and positions */
    const RgAxisDef *axis; /* of the joint that it is a velocity of */
    int side;              /* 0: it moves freely; 1: the lower limit holds it, -1: the upper */
    double a;              /* the acceleration that the limit gives it, where it holds */
} RgPassiveStop;

typedef struct RgPassiveStops {
    int n;
    RgPassiveStop *stops;
} RgPassiveStops;

/* All such joints of a controller; false: no memory. */
bool rg_passive_stops_take(RgArena *arena, const RgModel *model, const RgController *c, RgPassiveStops *out);

/* A first guess: those that stand at a limit and are pushed there by their constant effort are held. How
   many. */
int rg_passive_stops_guess(RgPassiveStops *stops, const RgControlView *view);

/* Has a limit hold a free joint whose acceleration would carry it beyond, by more than slack (rad/s or
   m/s): what is less is round-off, and would be let go again. True: it does now. */
bool rg_passive_stop_holds(RgPassiveStop *stop, const RgControlView *view, double acceleration, double slack);

/* Lets go of one whose limit would have to pull with this force. True: it was let go. */
bool rg_passive_stop_leaves(RgPassiveStop *stop, double force);

#endif
