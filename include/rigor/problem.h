/*
 * problem.h - complementarity problems in files: reading, solution by any solver, evaluation of the residual.
 *
 *   fc3d   w = W r + q, each contact r = (normal, tangent, tangent): r in K(mu), w + mu |w_t| e_n in its dual cone,
 *          perpendicular                                                     Coulomb's law
 *   lcp    w = M z + q, 0 <= w, z, perpendicular
 *   mlcp   the same, but some rows are equations: w = 0, z free
 *   step   the rows of a step of a simulation (rg_world_dump_step)
 *
 * A problem is immutable after reading; each solver works on its own copy (RgProblemSolver). The evaluation of the
 * residual is independent of all solvers.
 */
#ifndef RIGOR_PROBLEM_FILE_H
#define RIGOR_PROBLEM_FILE_H

#include <rigor/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RgProblemFile RgProblemFile;
typedef struct RgProblemSolver RgProblemSolver;

/* ------------------------------------------------------------------ reading */

/* kind: "fc3d", "lcp", "mlcp", "step"; NULL: detected from the content. log receives remarks (such as a matrix that is
   not symmetric); may be NULL. Returns NULL on failure; error has file, line and what was expected. Does not allocate
   memory for numbers that the file is too short to contain. */
RG_API RgProblemFile *rg_problem_file_read(const char *path, const char *kind, const RgLog *log, RgError *error);

/* The same from memory; name is used as file name in messages. */
RG_API RgProblemFile *rg_problem_file_parse(const char *name, const char *text, size_t length, const char *kind,
                                            const RgLog *log, RgError *error);
RG_API void rg_problem_file_free(RgProblemFile *problem);

typedef struct RgProblemInfo {
    const char *kind;
    int n;            /* length of the problem's vector */
    int contacts;     /* fc3d, step; else 0 */
    int lone_rows;    /* step: rows of joints, limits, motors; else 0 */
    int unknowns;     /* step: velocities; else 0 */
    int blocks;       /* fc3d: 3 x 3 blocks that are not zero */
    double asymmetry; /* largest |M_ij - M_ji| over the largest |M_ij|; 0 for steps */
} RgProblemInfo;

RG_API RgProblemInfo rg_problem_file_info(const RgProblemFile *problem);

/* Arrays of an fc3d problem, for other programs. Returns false for other kinds. */
typedef struct RgContactBlocks {
    int n;               /* contacts */
    const int *start;    /* n + 1: blocks of each row */
    const int *column;   /* ascending within a row; the diagonal block is among them */
    const double *block; /* 9 each, row-major */
    const double *q;     /* 3 n */
    const double *mu;    /* n */
} RgContactBlocks;

RG_API bool rg_problem_file_blocks(const RgProblemFile *problem, RgContactBlocks *blocks);

/* ------------------------------------------------------------------ residual */

/* Residual of z (n, in the order of the file); 0: z solves the problem. Infinite if a number is not finite.
     fc3d   |r - P_K(r - w - mu |w_t| e_n)| / |q|         (over 1 where q = 0)
     lcp    |min(z, w)| / max(1, |q|)
     mlcp   the same, with w in the rows that are equations
     step   largest entry of the natural map in m/s, over the largest velocity that rows miss without impulses
   Norms are roots of sums of squares. */
RG_API double rg_problem_file_residual(const RgProblemFile *problem, const double *z);

/* ------------------------------------------------------------------ solving */

typedef struct RgProblemOptions {
    uint32_t cookie;
    double tolerance;     /* of rg_problem_file_residual; default 1e-8 */
    int max_iterations;   /* default 0: chosen by the solver; sweeps of pgs: 20,000 */
    RgExactOptions exact; /* its tolerance and max_iterations are ignored */
} RgProblemOptions;

RG_API RgProblemOptions rg_problem_options_default(void);

/* Prepares a problem for a solver. An fc3d problem is used directly if the solver supports it, else as rows J of a
   factor W = J J'; an LCP with a symmetric matrix likewise. Returns NULL on failure. RG_ERR_NOT_FOUND: no such solver;
   RG_ERR_UNSUPPORTED: the solver does not support the problem. problem must outlive the solver. */
RG_API RgProblemSolver *rg_problem_solver_create(const RgProblemFile *problem, const char *solver,
                                                 const RgProblemOptions *options, RgError *error);
RG_API void rg_problem_solver_free(RgProblemSolver *solver);

typedef struct RgProblemReport {
    /* "solved": the residual is within the tolerance. Else the outcome of the solver: "iterations", "ray",
       "infeasible", "singular"; or "missed": the solver reports success, but the residual is above the tolerance. */
    const char *outcome;
    double residual;       /* by rg_problem_file_residual */
    int iterations;        /* of the solver, over all rounds */
    int rounds;            /* a solver that ends above the tolerance is restarted with a smaller one */
    double factor_residue; /* largest |W - J J'| over the largest |W|; 0: no factor was needed */
    int rank;              /* columns of J; 0: no factor was needed */
} RgProblemReport;

/* Solves from the problem's initial guess (zero; of a step: the impulses of the previous step); every call starts anew.
   Not RG_OK: out of memory. */
RG_API RgStatus rg_problem_solver_run(RgProblemSolver *solver, RgProblemReport *report);

/* The last solution: n values in the order of the file's vector. */
RG_API const double *rg_problem_solver_solution(const RgProblemSolver *solver);

/* ------------------------------------------------------------------ uniqueness of forces */

/* Of a solved problem: the set of all forces that satisfy the law at the velocities of the solution. */
typedef struct RgProblemForces {
    int rows, rank;              /* of W: 3 per contact, 1 per joint row; and how many of these are independent */
    int open, sticking, sliding; /* contacts */
    int held, at_bound;          /* rows of joints, limits, motors: at their target, or their impulse at a bound */
    int freedoms;                /* dimension of the forces that do not change the motion */
    int not_unique, unbounded;   /* contacts and rows whose force has a range; an infinite range (jamming, prestress) */
    int unknown;                 /* contacts and rows whose range was not computed */
    double misfit;               /* violation of the law, relative to the largest force */
    /* Whether the problem has a solution, and whether forces exist with which sliding continues (if not: Painleve's
       paradox, velocities must jump): "proven", "refuted", "unknown" (always with rows of joints, limits, motors). */
    const char *solution, *continued_sliding;
    int jamming; /* sliding contacts whose normal force pulls them together: W_nn <= mu W_nt d */
} RgProblemForces;

typedef struct RgContactForceRange {
    const char *state;      /* "open", "sticking", "sliding"; of other rows "held", "at low", "at high" */
    int row;                /* index in the problem's vector: the normal, or the row itself */
    const char *name;       /* of the row, such as "motor:knee": kind and joint; NULL: unknown */
    bool is_contact;        /* false: a row of a joint, limit or motor */
    double low[3], high[3]; /* impulses: normal, tangents; other rows: first entry only; infinite: unbounded */
    bool unique, known;     /* the range is a single value; the range was computed */
} RgContactForceRange;

/* z: a solution of an fc3d problem, or of a step. max_programs: largest number of optimisations, six per contact and
   two per row; 0: 2000. Ranges beyond this number are not computed. ranges: one per contact, then one per lone row
   (RgProblemInfo); may be NULL. RG_ERR_UNSUPPORTED: other kinds of problems, or contacts with another law (pyramids,
   elliptic cones, torsion, rolling). RG_ERR_ARGUMENT: a number is not finite. */
RG_API RgStatus rg_problem_file_forces(const RgProblemFile *problem, const double *z, int max_programs,
                                       RgProblemForces *out, RgContactForceRange *ranges);

#ifdef __cplusplus
}
#endif
#endif
