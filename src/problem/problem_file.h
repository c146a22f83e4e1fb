/* problem_file.h - a problem that was read, and what each kind of problem can do. */
#ifndef RIGOR_PROBLEM_FILE_INTERNAL_H
#define RIGOR_PROBLEM_FILE_INTERNAL_H

#include "problem/file_matrix.h"
#include "solver/problem.h"

#include <rigor/problem.h>

typedef struct RgProblemKind RgProblemKind;

struct RgProblemFile {
    RgArena arena;
    const RgProblemKind *kind;
    const char *path;
    int n, contacts;
    double asymmetry; /* largest |M_ij - M_ji| over the largest |M_ij| */
    double scale;     /* what the judge divides by */

    RgConeBlocks cones; /* fc3d; r and w are NULL */

    /* lcp, mlcp. */
    const double *M, *q;  /* n x n row-major; n */
    const bool *equation; /* n: w = 0, z free */

    RgProblem rows;     /* step; z: first guess, s: velocities without impulses */
    const char **names; /* step: of its rows; NULL: none, or not told */
};

/* The first words of a file. */
enum { RG_PROBLEM_START = 5 };
typedef struct RgProblemStart {
    RgWord first;
    double number[RG_PROBLEM_START]; /* NAN: none, or the word is no number */
} RgProblemStart;

/* z of w = M z + q, judged together with w. */
struct RgProblemKind {
    const char *name;
    const char *begins_with; /* what a file of this kind begins with, for messages */
    bool (*is_begun)(const RgProblemStart *start);
    void (*read)(RgProblemText *text, RgProblemFile *problem);
    double (*residual)(const RgProblemFile *problem, const double *z);
    /* out = M x and M symmetrised as a whole, n x n; NULL: the problem has rows of its own. */
    void (*times)(const RgProblemFile *problem, const double *x, double *out);
    void (*symmetric)(const RgProblemFile *problem, double *out);
    /* Row i as a solver of rows sees it, without its coefficients and target. */
    void (*describe_row)(const RgProblemFile *problem, int i, RgProblem *rows);
};

#define PROBLEM_TABLE(X) X(step) X(fc3d) X(lcp) X(mlcp)

#define PROBLEM_DECLARE(name) extern const RgProblemKind rg_problem_kind_##name;
PROBLEM_TABLE(PROBLEM_DECLARE)
#undef PROBLEM_DECLARE

const RgProblemKind *rg_problem_kind_find(const char *name); /* NULL: none */

/* Nearest point of the cone |t| <= mu n to x = (n, t, t). */
void rg_cone_nearest(double mu, const double x[3], double out[3]);

/* Rows of a step that are no contact's: joints, limits, motors. */
int rg_problem_lone_rows(const RgProblemFile *problem);

/* The problem of a step as text. origins: of each row; NULL: not told. */
RgStatus rg_step_write(const RgProblem *rows, const RgRowOrigin *origins, const char *path,
                       const RgAllocator *allocator, RgError *error);

/* Room for a problem of n rows with so many coefficients over nu unknowns; start, columns and values are set by the
   caller. False: no memory. */
bool rg_step_take(RgArena *arena, RgProblem *rows, size_t entries);

#endif
