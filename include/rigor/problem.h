/*
 * problem.h - complementarity problems alone, in files: reading, solving by any solver, judging.
 *
 *   fc3d   w = W r + q, each contact r = (normal, tangent, tangent): r in K(mu), w + mu |w_t| e_n in its dual cone,
 *          perpendicular                                                     Coulomb's law
 *   lcp    w = M z + q, 0 <= w, z, perpendicular
 *   mlcp   the same, but some rows are equations: w = 0, z free
 *   step   the rows of a step of a simulation (rg_world_dump_step)
 *
 * A problem that was read never changes; each solver works on a copy of its own (RgProblemSolver). The judge is
 * independent of all solvers.
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

/* kind: "fc3d", "lcp", "mlcp", "step"; NULL: told by the content. log takes remarks (a matrix that is not symmetric);
   may be NULL. NULL: error says file, line and what was expected; nothing is allocated for numbers that the file is
   too short to hold. */
RG_API RgProblemFile *rg_problem_file_read(const char *path, const char *kind, const RgLog *log, RgError *error);

/* The same of length bytes; name stands for the file in messages. */
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

/* An fc3d problem as it was read, for other programs; false: it is of another kind. */
typedef struct RgContactBlocks {
    int n;               /* contacts */
    const int *start;    /* n + 1: blocks of each row */
    const int *column;   /* ascending within a row; the diagonal block is among them */
    const double *block; /* 9 each, row-major */
    const double *q;     /* 3 n */
    const double *mu;    /* n */
} RgContactBlocks;

RG_API bool rg_problem_file_blocks(const RgProblemFile *problem, RgContactBlocks *blocks);

/* ------------------------------------------------------------------ judging */

/* How far z (n, in the order of the file) is from solving the problem; 0: it does. Infinite if a number is not finite.
     fc3d   |r - P_K(r - w - mu |w_t| e_n)| / |q|         (over 1 where q = 0)
     lcp    |min(z, w)| / max(1, |q|)
     mlcp   the same, with w in the rows that are equations
     step   largest entry of the natural map in m/s, over the largest velocity that rows miss without impulses
   Norms are roots of sums of squares. */
RG_API double rg_problem_file_residual(const RgProblemFile *problem, const double *z);

/* ------------------------------------------------------------------ solving */

typedef struct RgProblemOptions {
    uint32_t cookie;
    double tolerance;     /* of the judge's residual; default 1e-8 */
    int max_iterations;   /* default 0: what the solver thinks enough; sweeps of pgs 20,000 */
    RgExactOptions exact; /* all but tolerance and max_iterations */
} RgProblemOptions;

RG_API RgProblemOptions rg_problem_options_default(void);

/* Everything that is needed before the solver can begin. An fc3d problem is taken as it is where the solver can, else
   as rows J of a factor W = J J'; so is an LCP with a symmetric matrix. NULL: error says why: RG_ERR_NOT_FOUND no such
   solver, RG_ERR_UNSUPPORTED the solver does not take such problems. The file must outlive it. */
RG_API RgProblemSolver *rg_problem_solver_create(const RgProblemFile *problem, const char *solver,
                                                 const RgProblemOptions *options, RgError *error);
RG_API void rg_problem_solver_free(RgProblemSolver *solver);

typedef struct RgProblemReport {
    /* "solved": the judge's residual is within the tolerance. Else how the solver ended: "iterations", "ray",
       "infeasible", "singular"; "missed": it thinks that it has solved it. */
    const char *outcome;
    double residual;       /* the judge's */
    int iterations;        /* of the solver, in its own count, over all rounds */
    int rounds;            /* a solver that ends too early by the judge's measure is sent on with less tolerance */
    double factor_residue; /* largest |W - J J'| over the largest |W|; 0: no factor was needed */
    int rank;              /* columns of J; 0: no factor was needed */
} RgProblemReport;

/* Solves from the problem's first guess (zero; of a step: what the last step left); every call begins anew. Not RG_OK:
   memory is out. */
RG_API RgStatus rg_problem_solver_run(RgProblemSolver *solver, RgProblemReport *report);

/* The last solution: n values in the order of the file's vector. */
RG_API const double *rg_problem_solver_solution(const RgProblemSolver *solver);

/* ------------------------------------------------------------------ what forces are not determined */

/* Of a solved problem: all forces that obey the law with the velocities of the solution. */
typedef struct RgProblemForces {
    int rows, rank;              /* of W: 3 of a contact, 1 of a joint; and how many of these are independent */
    int open, sticking, sliding; /* contacts */
    int held, at_bound;          /* rows of joints, limits, motors: at their velocity, or their impulse at a bound */
    int freedoms;                /* dimensions in which forces may change and nothing moves otherwise */
    int not_unique, unbounded;   /* contacts and rows whose force has a range; without end: they can jam, or strain */
    int unknown;                 /* contacts and rows whose range was not found */
    double misfit;               /* how far the answer is from obeying the law, as a part of the largest force */
    /* Whether the problem has a solution, and whether forces exist with which sliding goes on (if not: Painleve's
       paradox, velocities must jump): "proven", "refuted", "unknown" (with rows of joints, limits, motors always). */
    const char *solution, *going_on;
    int jamming; /* contacts that slide and whose normal force pulls them together: W_nn <= mu W_nt d */
} RgProblemForces;

typedef struct RgContactForceRange {
    const char *state;      /* "open", "sticking", "sliding"; of other rows "held", "at low", "at high" */
    int row;                /* of the problem's vector: the normal, or the row itself */
    const char *name;       /* of the row, as "motor:knee": what it is, and of which joint; NULL: not told */
    bool is_contact;        /* false: a row of a joint, limit or motor */
    double low[3], high[3]; /* impulses: normal, tangents; of a row the first alone; infinite: without bound */
    bool unique, known;
} RgContactForceRange;

/* z: a solution of an fc3d problem, or of a step. max_programs: 0: 2000 optimisations at most, six to a contact, two to
   a row; what is beyond is not known. ranges: one for each contact, then one for each of the lone rows (RgProblemInfo);
   may be NULL. RG_ERR_UNSUPPORTED: another kind of problem, or contacts with another law: pyramids, elliptic cones,
   torsion, rolling. RG_ERR_ARGUMENT: a number is not finite. */
RG_API RgStatus rg_problem_file_forces(const RgProblemFile *problem, const double *z, int max_programs,
                                       RgProblemForces *out, RgContactForceRange *ranges);

#ifdef __cplusplus
}
#endif
#endif
