/* forms_flight.h - Atlas thrown into the air, limp: what must stay the same there, and how near the true motion a form
   comes. */
#ifndef RIGOR_FORMS_FLIGHT_H
#define RIGOR_FORMS_FLIGHT_H

#include "experiment.h"

#define FLIGHT_TIME 1.0 /* s */

typedef struct FlightDef {
    const char *coords, *solver, *stepper;
    const LabPgs *pgs; /* may be NULL */
    double h;
} FlightDef;

typedef struct Flight {
    double linear;  /* largest | p - p0 - m g t | over m g FLIGHT_TIME */
    double angular; /* largest | L - L0 | about the centre of mass, over | L0 | */
    double energy;  /* J, at the end */
    double kinetic; /* J, at the start */
    double joint_error;
    double speed;
} Flight;

/* figure (may be NULL) gets the angular momentum's error over time. */
Flight flight_run(Lab *lab, const RgModel *model, const FlightDef *def, LabFigure *figure);

#endif
