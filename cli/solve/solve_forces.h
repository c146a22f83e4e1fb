/* solve_forces.h - `rigor solve --indeterminacy`: contact forces that the motion does not determine. */
#ifndef RIGOR_SOLVE_FORCES_H
#define RIGOR_SOLVE_FORCES_H

#include <rigor/problem.h>

#include <jansson.h>

/* Of a solution z: prints the report if text, and gives it as JSON; NULL: the problem has no such report, a message was
   printed. */
json_t *rg_solve_forces(const RgProblemFile *problem, const double *z, bool text);

#endif
