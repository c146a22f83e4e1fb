/* second_answer.h - whether contacts that slip in an answer might as well stick. */
#ifndef RIGOR_SECOND_ANSWER_H
#define RIGOR_SECOND_ANSWER_H

#include "solver/solve_report.h"

/* Memory of a check; s_free and guess are read alone. */
typedef struct RgSecondAnswer {
    const double *s_free, *guess; /* nu, n: velocities without impulses, and impulses that the solve began with */
    double *s, *z;                /* nu, n */
    bool *moved;                  /* nu */
} RgSecondAnswer;

/* Contact points that another answer moves otherwise; 0: none was looked for, or found. p has an answer, and keeps
   it. */
int rg_second_answer(RgArena *arena, RgProblem *p, const RgRowOptions *options, const RgSecondAnswer *with);

#endif
