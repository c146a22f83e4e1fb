/* solve_forces.h - `rigor solve --indeterminacy`: contact forces that the motion does not determine. */
#ifndef RIGOR_SOLVE_FORCES_H
#define RIGOR_SOLVE_FORCES_H

#include <rigor/problem.h>

#include <jansson.h>

/* Report on the solution z as JSON, also printed if text is set; NULL: not available for this problem, a message was
   printed. */
json_t *rg_solve_forces(const RgProblemFile *problem, const double *z, bool text);

#endif
