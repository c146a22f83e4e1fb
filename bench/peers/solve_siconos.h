/* solve_siconos.h - contact problems in files by the solvers of Siconos. */
#ifndef BENCH_SOLVE_SICONOS_H
#define BENCH_SOLVE_SICONOS_H

/* One timed solve, as a child process hands it back. */
typedef struct SolveTry {
    double seconds;  /* CPU, best of the samples */
    double residual; /* by our judge */
    int iterations;
    int says_solved; /* the solver's own word */
} SolveTry;

int siconos_count(void);
const char *siconos_name(int index);

/* Solves the fc3d problem of a file to the tolerance by option set `index`, from zero. out (3 contacts): the forces.
   Returns 0 if it ran at all. It may write to the standard output, take for ever, or end the process. */
int siconos_solve(const char *path, int index, double tolerance, SolveTry *result, double *out);

#endif
