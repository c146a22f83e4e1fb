/*
 * view_sim.h - a simulation by the clock, in a thread of its own, with commands of viewers.
 */
#ifndef RIGOR_VIEW_SIM_H
#define RIGOR_VIEW_SIM_H

#include "run/run.h"
#include "view/view_hub.h"

typedef struct RgViewSim RgViewSim;

typedef struct RgViewSimDef {
    RgRun *run;     /* started: model and world at t = 0; must outlive the simulation, which uses it alone */
    RgViewHub *hub; /* must outlive the simulation */
    double frames;  /* a second, at most */
    double speed;   /* times real time; 0: as fast as it can */
    bool paused;    /* wait for play; otherwise it begins when the first viewer comes */
} RgViewSimDef;

/* Starts the thread. NULL: error is filled. */
RgViewSim *rg_view_sim_start(const RgViewSimDef *def, RgError *error);

/* Ends the thread after the step that is under way. */
void rg_view_sim_stop(RgViewSim *sim);

#endif
