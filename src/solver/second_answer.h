/* second_answer.h - detects a second solution in which sliding contacts stick. */
#ifndef RIGOR_SECOND_ANSWER_H
#define RIGOR_SECOND_ANSWER_H

#include "solver/solve_report.h"

/* Arrays of a check; s_free and guess are read only. */
typedef struct RgSecondSolution {
    const double *s_free, *guess; /* nu, n: velocities without impulses, and the initial guess of the solve */
    double *s, *z;                /* nu, n */
    bool *moved;                  /* nu */
} RgSecondSolution;

/* Number of contact points whose velocities differ in a second solution; 0: none was sought or found. On entry p holds
   an answer, which is kept; none is sought beside one that does not satisfy Coulomb's law. */
int rg_second_solution(RgArena *arena, RgProblem *p, const RgRowOptions *options, const RgSecondSolution *with);

#endif
