/* problem_file.h - a problem read from a file, and the interface of the kinds of problems. */
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
    double scale;     /* residuals are relative to it */

    RgConeBlocks cones; /* fc3d; r and w are NULL */

    /* lcp, mlcp. */
    const double *M, *q;  /* n x n row-major; n */
    const bool *equation; /* n: w = 0, z free */

    RgProblem rows;     /* step; z: initial guess, s: velocities without impulses */
    const char **names; /* step: name of each row, or NULL; NULL: the file has no names */
};

/* The first words of a file, by which its kind is recognised. */
enum { RG_PROBLEM_START = 5 };
typedef struct RgProblemStart {
    RgWord first;
    double number[RG_PROBLEM_START]; /* NAN: no word, or not a number */
} RgProblemStart;

/* Interface of a kind of problem. The unknown is z of w = M z + q. */
struct RgProblemKind {
    const char *name;
    const char *begins_with; /* start of a file of this kind, for messages */
    bool (*recognises)(const RgProblemStart *start);
    void (*read)(RgProblemText *text, RgProblemFile *problem);
    /* Relative residual of the solution z. */
    double (*residual)(const RgProblemFile *problem, const double *z);
    /* times: out = M x. symmetric: the symmetric part of M, n x n. NULL: the problem has rows of its own. */
    void (*times)(const RgProblemFile *problem, const double *x, double *out);
    void (*symmetric)(const RgProblemFile *problem, double *out);
    /* Row i for a solver of rows, without its coefficients. */
    void (*describe_row)(const RgProblemFile *problem, int i, RgProblem *rows);
};

/* The functions of a kind that is a matrix and a vector, by the names of the fields. */
#define RG_PROBLEM_FUNCTIONS .residual = residual, .times = times, .symmetric = symmetric, .describe_row = describe_row

#define PROBLEM_TABLE(X) X(step) X(fc3d) X(lcp) X(mlcp)

#define PROBLEM_DECLARE(name) extern const RgProblemKind rg_problem_kind_##name;
PROBLEM_TABLE(PROBLEM_DECLARE)
#undef PROBLEM_DECLARE

const RgProblemKind *rg_problem_kind_find(const char *name); /* NULL: none */

/* Nearest point of the cone |t| <= mu n to x = (n, t, t). */
void rg_cone_nearest(double mu, const double x[3], double out[3]);

/* Number of rows of a step that belong to no contact: joints, limits, motors. */
int rg_problem_lone_rows(const RgProblemFile *problem);

/* Writes the problem of a step as text. origins: of each row; NULL: no names are written. */
RgStatus rg_step_write(const RgProblem *rows, const RgRowOrigin *origins, const char *path,
                       const RgAllocator *allocator, RgError *error);

/* Allocates a problem of rows->n rows over rows->nu unknowns with this many coefficients; the caller sets start,
   columns and values. False: no memory. */
bool rg_step_alloc(RgArena *arena, RgProblem *rows, size_t entries);

#endif
