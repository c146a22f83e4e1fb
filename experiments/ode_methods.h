/*
 * ode_methods.h - the three methods that paper 003 compares, as our solvers, and ours beside them.
 *
 *   paper     here               friction        iterations are
 *   quick     pgs, preset ode    pyramid         sweeps (SOR 1.3, no warm start, ERP 0.2)
 *   world     dantzig            pyramid         unlimited: it pivots to the end
 *   robust    max-dissipation    cone            those of its second phase, which can stop at any; the sum of normal
 *                                                impulses may exceed phase 1's by 0.1 N s, as in its code
 *   -         quick              cone            sweeps at most
 *   -         cone               cone            unlimited: to 1e-10
 */
#ifndef RIGOR_EXPERIMENT_ODE_METHODS_H
#define RIGOR_EXPERIMENT_ODE_METHODS_H

#include "experiment.h"

#define ODE_METHODS 5
#define ODE_PUBLISHED 3 /* the first three are published */
enum { ODE_PGS, ODE_DANTZIG, ODE_ROBUST, ODE_QUICK, ODE_CONE };

/* The solver of a method. */
const char *ode_solver(int method);

/* For legends: "quick (pgs)", "world (dantzig)", ..., "our quick". */
const char *ode_label(int method);

typedef struct OdeMethod {
    int method;
    int iterations; /* 0: the method's default */
    double h;       /* s, length of the steps */
    bool tight;     /* robust: at most phase 1's sum, as in the paper */
    /* quick (pgs): contacts only with overlap, as in the engine, instead of within a gap as in all other methods */
    bool overlaps;
    int seed; /* quick (pgs): of the random row order */
} OdeMethod;

/* A world of def's model, form and inputs, solved by the method; gravity is the model's, or else 9.8 m/s^2 as in 2010.
   NULL: the experiment has failed. */
RgWorld *ode_world(Lab *lab, RgWorldDef def, const OdeMethod *by);

/* A step; false: it was refused, and the experiment has failed. */
bool ode_step(Lab *lab, RgWorld *world, double h, RgStepReport *report);

#endif
