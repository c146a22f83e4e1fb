/*
 * view_sim.h - a simulation in real time, in its own thread, with commands of viewers.
 */
#ifndef RIGOR_VIEW_SIM_H
#define RIGOR_VIEW_SIM_H

#include "run/run.h"
#include "view/view_hub.h"

typedef struct RgViewSim RgViewSim;

typedef struct RgViewSimDef {
    RgRun *run;     /* model and world at t = 0; used by the simulation only, until it ends */
    RgViewHub *hub; /* must outlive the simulation */
    double frames;  /* 1/s, at most */
    double speed;   /* times real time; 0: as fast as possible */
    bool paused;    /* wait for play; otherwise start with the first viewer */
} RgViewSimDef;

/* Starts the thread. NULL: error is filled. */
RgViewSim *rg_view_sim_start(const RgViewSimDef *def, RgError *error);

/* Ends the thread after the current step. */
void rg_view_sim_stop(RgViewSim *sim);

#endif
