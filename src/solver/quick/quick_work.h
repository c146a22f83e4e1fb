/*
 * quick_work.h - data and functions shared by the parts of solver `quick` during a solve.
 */
#ifndef RIGOR_QUICK_WORK_H
#define RIGOR_QUICK_WORK_H

#include "solver/quick/islands.h"
#include "solver/quick/quick.h"
#include "solver/quick/quick_lanes.h"

/* Applies an impulse to a free body: force, then moment about the centre. */
static inline void rg_body_apply_impulse(const RgSolverBody *m, const double g[6], double *V)
{
    RgVec3 w = s3_apply(m->inverse_inertia, v3(g[3], g[4], g[5]));
    for (int i = 0; i < 3; i++)
        V[i] += m->inverse_mass * g[i];
    V[3] += w.x;
    V[4] += w.y;
    V[5] += w.z;
}

/* The sets of lanes of one colour: from the end of the previous run up to end. */
typedef struct RgQuickRun {
    int32_t end;
    bool apart; /* they share no body and may be visited in parallel */
} RgQuickRun;

typedef struct RgQuickLevel RgQuickLevel;
typedef struct RgQuickBody RgQuickBody;
typedef struct RgQuickNewton RgQuickNewton;

/* Coordinates x of an articulation, velocities of unit mass: outputs V = V_free + B' x (quick_articulations.c). */
typedef struct RgQuickCoordinates {
    int32_t first, rank; /* first coordinate in x; number of coordinates */
    int32_t noutputs, singles;
    const double *B;          /* rank x outputs */
    const RgOutputSpan *span; /* as in RgArticulation; NULL: any */
    double *outputs;          /* scratch, one value per output */
} RgQuickCoordinates;

/* Jacobian of a patch (six entries per column) or row (one entry) over the coordinates of the articulations that move
   it. */
typedef struct RgQuickColumns {
    int32_t count;
    bool point; /* a patch of one point: its wrench has no moment, and the last three entries of each column are zero */
    int32_t *at; /* indices in x; ascending within an articulation */
    double *J;
} RgQuickColumns;

/* Products with the Jacobians of patches (quick_columns_simd.c). add_side: appends the columns of the side that moves
   with an articulation, from output `at` on; one entry beyond the last is written. K: lower triangle. outputs: all
   outputs of one articulation, in its own order. */
void rg_columns_add_side(const RgPatch *patch, int side, const RgQuickCoordinates *own, int32_t at, RgQuickColumns *to);
void rg_columns_velocity(const RgQuickColumns *c, const double *x, const double *from, size_t stride,
                         double y[6]); /* y = from + J x, entries of from are stride apart; from may be y */
void rg_columns_push(const RgQuickColumns *c, const double W[6], double *x);        /* x += J' W */
void rg_columns_respond(const RgQuickColumns *c, double K[6][6]);                   /* K = J J' */
void rg_columns_outputs(const RgQuickCoordinates *own, const double *x, double *V); /* V += B' x */

typedef struct RgQuick {
    RgPatchProblem *problem;
    const RgQuickOptions *options;
    const RgPatchKernel *kernel;
    RgIslands islands;
    int32_t *first_lanes, *first_run; /* islands + 1 */
    RgQuickRun *runs;
    RgPatchLanes *lanes;
    double *per_row, *row_before;           /* 1 / (J L J' + C); z after the previous sweep */
    double *row_between;                    /* nrows: J L J' between the two rows of a disc */
    RgQuickCoordinates *coordinates;        /* ngroups */
    RgQuickColumns *of_patch, *of_row;      /* npatches, nrows: Jacobians */
    double *x, *x_before;                   /* coordinates of all articulations; values after the previous sweep */
    int32_t *group_unknown, *mover_unknown; /* ngroups, nmovers: first unknown in quick_primal.c */
    void **scratch; /* islands: scratch of quick_primal.c; NULL: it does not apply to this island */
    int32_t *island_group, *first_group; /* articulations by island; islands + 1: first one of each island */
    double *V_before;                    /* as V: after the previous sweep */
    double *V_free;                      /* as V: without impulses */
    RgQuickLevel *levels;                /* nmovers: levels of an island start at its first_mover; NULL: not used */
    RgQuickBody *bodies;                 /* nmovers */
    RgQuickNewton *newton;
    int32_t *local; /* nmovers: number within the island, later place in the elimination order */
} RgQuick;

/* The integers that determine islands and lanes (quick_keep.c): record (false: no memory); compare. */
bool rg_quick_layout_record(RgArena *arena, const RgPatchProblem *problem, int32_t **out);
bool rg_quick_layout_matches(const RgPatchProblem *problem, int32_t *noted);

/* Sets of lanes of all islands and their runs: count them; assign patches to them; fill one set. */
int32_t rg_quick_count_lanes(RgQuick *q);
void rg_quick_assign_lanes(RgQuick *q);
void rg_quick_fill_lanes(const RgQuick *q, RgPatchLanes *lanes);

/* Rows, and patches on articulated bodies. A visit of a row returns the change of its impulse. */
void rg_quick_prepare_rows(RgQuick *q);
void rg_quick_warm_start_row(const RgQuick *q, int32_t row);
double rg_quick_visit_row(const RgQuick *q, int32_t row);
void rg_quick_visit_disc(const RgQuick *q, int32_t row, double change[2]); /* this row and the next */
/* Clamps a row that is bounded by a patch to its current normal impulses. */
void rg_quick_bound_row(const RgQuick *q, int32_t row);
double rg_patch_row_velocity(const RgPatchProblem *p, const RgPatchRow *row, const double *V); /* J V */
void rg_patch_velocity(const RgPatch *patch, const double *V,
                       double y[6]); /* velocity of B minus that of A at the mean, in the axes of the patch */

/* Articulations (quick_articulations.c). make: false: no memory. update_outputs: adds B' x to V. push_row: applies
   impulse z of a row to velocities V. */
bool rg_quick_articulations_make(RgQuick *q, RgArena *arena);
/* Current velocity, in the axes of the patch. */
void rg_quick_patch_velocity(const RgQuick *q, int32_t patch, double y[6]);
double rg_quick_row_velocity(const RgQuick *q, int32_t row);
void rg_quick_update_outputs(const RgQuick *q, int32_t group, const double *x, double *V);
void rg_quick_push_row(const RgQuick *q, int32_t row, double z, double *V);
void rg_quick_respond_grouped(const RgQuick *q, RgPatchLanes *lanes);
void rg_quick_warm_start_grouped(const RgQuick *q, const RgPatchLanes *lanes);
void rg_quick_visit_grouped(const RgQuick *q, RgPatchLanes *lanes);

/* Range of V of item i of an island: its bodies, then its singles. Returns the number of velocities. */
int rg_quick_places(const RgQuick *q, const RgIsland *island, int32_t i, int32_t *at);

typedef enum RgGuarded {
    RG_GUARDED_NOT,
    RG_GUARDED_SCALED,     /* scaled back: it added energy beyond the work of its targets */
    RG_GUARDED_OVERREACHED /* its targets are out of reach: scaled back, and its patches are marked */
} RgGuarded;
/* Energy guard (quick_guard.c). converged: whether the island has. V_free is overwritten. */
RgGuarded rg_quick_guard(const RgQuick *q, int32_t island, bool converged);

/* Largest entries of the natural-map residual of an island's final impulses (quick_residual.c). */
typedef struct RgQuickResidual {
    double impulse, velocity; /* N s, m/s */
} RgQuickResidual;
RgQuickResidual rg_quick_residual(const RgQuick *q, int32_t island);

/* Sweep limit of an island, and the sweeps that a Newton step counts as (quick_budget.c). */
#define RG_QUICK_NEWTON_SWEEPS 4
int rg_quick_most_sweeps(const RgQuick *q);
int rg_quick_newton_sweeps(const RgQuick *q);

/* Levels (quick_levels.c). take: false: no memory. prepare: false: no benefit in this island. */
bool rg_quick_levels_alloc(RgQuick *q, RgArena *arena);
bool rg_quick_levels_prepare(const RgQuick *q, int32_t island);
void rg_quick_levels_solve(const RgQuick *q, int32_t island);
/* mover: number of the body in the problem. */
void rg_quick_levels_update_body(const RgQuick *q, int32_t island, int32_t mover);
void rg_quick_levels_update_impulses(const RgQuick *q, int32_t island, RgPatchLanes *lanes);

/* Newton step on the sticking contacts of an island (quick_newton.c). It starts from z and V_before, which must equal
   V. is_applicable must be checked first. step: false: nothing was changed. energy: decreases in a useful step. */
bool rg_quick_newton_alloc(RgQuick *q, RgArena *arena);
bool rg_quick_newton_is_applicable(const RgQuick *q, int32_t island);
bool rg_quick_newton_step(const RgQuick *q, int32_t island);
double rg_quick_newton_energy(const RgQuick *q, int32_t island);

/* m/s, times the tolerance: velocity change of a sweep that is accepted at contacts at rest (quick_finish.c). With 0.5
   a pyramid of cubes that was hit took a third longer and came to rest no better; with 2 it kept swaying. */
#define RG_QUICK_REST_SPEED 1.0

typedef struct RgQuickPrimal {
    double stiffness;      /* given */
    bool exact;            /* given: velocities must reach the tolerance */
    int steps;             /* Newton steps */
    double residual;       /* estimate of the relative change of the impulses in one more sweep */
    double moved2, total2; /* squared velocities: violation of the contact law, change by the impulses */
    double slides2;        /* the same: velocity at patches */
} RgQuickPrimal;

/* Newton's method over velocities (quick_primal.c): the impulses of the lanes and rows of an island become those of a
   root; the caller updates the velocities. False: no root was found, nothing was changed. */
size_t rg_quick_primal_room(const RgQuick *q,
                            int32_t island); /* bytes of scratch that a step needs; 0: the island is too large */
double rg_quick_primal_work(const RgQuick *q, int32_t island); /* estimated multiplications of a step */
bool rg_quick_primal_step(const RgQuick *q, int32_t island, RgArena *arena, RgQuickPrimal *out);

#endif
