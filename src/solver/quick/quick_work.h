/*
 * quick_work.h - what the parts of solver `quick` share while a problem is solved.
 */
#ifndef RIGOR_QUICK_WORK_H
#define RIGOR_QUICK_WORK_H

#include "solver/quick/islands.h"
#include "solver/quick/quick.h"
#include "solver/quick/quick_lanes.h"

/* An impulse on a body that moves alone: force, then moment about the centre. */
static inline void rg_mover_push(const RgMover *m, const double g[6], double *V)
{
    RgVec3 w = s3_apply(m->inverse_inertia, v3(g[3], g[4], g[5]));
    for (int i = 0; i < 3; i++)
        V[i] += m->inverse_mass * g[i];
    V[3] += w.x;
    V[4] += w.y;
    V[5] += w.z;
}

/* Lanes of one colour: those from the end of the run before on. */
typedef struct RgQuickRun {
    int32_t end;
    bool apart; /* share no mover, so that any number of them may be visited at the same time */
} RgQuickRun;

typedef struct RgQuickLevel RgQuickLevel;
typedef struct RgQuickBody RgQuickBody;
typedef struct RgQuickNewton RgQuickNewton;

/* Coordinates of an articulation: velocities of unit mass, outputs V = V_free + B' x (quick_articulations.c). */
typedef struct RgQuickCoordinates {
    int32_t first, rank; /* places in x */
    int32_t noutputs, singles;
    const double *B;          /* rank x outputs */
    const RgOutputSpan *span; /* as RgMoverGroup's; NULL: any */
    double *outputs;          /* room for one number each */
} RgQuickCoordinates;

/* Jacobian of a patch (six numbers a column) or row (one) over the coordinates of articulations that move it. */
typedef struct RgQuickColumns {
    int32_t count;
    bool point;  /* a patch of one point, whose wrench has no moment: the last three of each column are zero */
    int32_t *at; /* places in x; those of one articulation ascend */
    double *J;
} RgQuickColumns;

/* Products with Jacobians of patches (quick_columns_simd.c). add_side: columns of the side that moves with an
   articulation from output `at` on, behind those that are there; room for one number beyond the last. K: its lower
   half. outputs: all of one articulation, in its own order. */
void rg_columns_add_side(const RgPatch *patch, int side, const RgQuickCoordinates *own, int32_t at, RgQuickColumns *to);
void rg_columns_look(const RgQuickColumns *c, const double *x, const double *from, size_t stride,
                     double y[6]); /* y = from + J x, from stride numbers apart; may be y */
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
    double *per_row, *row_before;           /* nrows: 1 / (J L J' + C); z after the sweep before */
    double *row_between;                    /* nrows: J L J' of the first row of a disc with the second */
    RgQuickCoordinates *coordinates;        /* articulations */
    RgQuickColumns *of_patch, *of_row;      /* npatches, nrows */
    double *x, *x_before;                   /* coordinates of all articulations; after the sweep before */
    int32_t *group_unknown, *mover_unknown; /* of quick_primal.c: articulations, movers */
    void **scratch;                         /* islands: memory of quick_primal.c; NULL: not for this island */
    int32_t *island_group, *first_group;    /* articulations by island; islands + 1: first of each */
    double *V_before;                       /* as V: after the sweep before */
    double *V_free;                         /* as V: without impulses */
    RgQuickLevel *levels;                   /* nmovers: those of an island from its first_mover on; NULL: not used */
    RgQuickBody *bodies;                    /* nmovers */
    RgQuickNewton *newton;
    int32_t *local; /* nmovers: number within the island, then place in the order of elimination */
} RgQuick;

/* The whole numbers that islands and lanes follow from (quick_keep.c): noted, false: no memory; or compared. */
bool rg_quick_layout_note(RgArena *arena, const RgPatchProblem *problem, int32_t **out);
bool rg_quick_layout_same(const RgPatchProblem *problem, int32_t *noted);

/* Lanes of all islands and their runs: counted; then dealt out, which says only which patch is where; then filled. */
int32_t rg_quick_count_lanes(RgQuick *q);
void rg_quick_deal_lanes(RgQuick *q);
void rg_quick_fill_lanes(const RgQuick *q, RgPatchLanes *lanes);

/* Rows; patches on movers of groups. A visit of a row returns the change of its impulse. */
void rg_quick_prepare_rows(RgQuick *q);
void rg_quick_begin_row(const RgQuick *q, int32_t row);
double rg_quick_visit_row(const RgQuick *q, int32_t row);
void rg_quick_visit_disc(const RgQuick *q, int32_t row, double change[2]); /* this row and the next */
void rg_quick_bound_row(const RgQuick *q, int32_t row); /* brings what hangs on a patch within its present normals */
double rg_quick_look_row(const RgPatchProblem *p, const RgPatchRow *row, const double *V); /* J V */
void rg_quick_look_patch(const RgPatch *patch, const double *V,
                         double y[6]); /* velocity of B less that of A at the mean, in the patch's axes */

/* Articulations (quick_articulations.c). make: false: no memory. outputs: adds B' x to V. push_row: z on velocities
   V. */
bool rg_quick_articulations_make(RgQuick *q, RgArena *arena);
void rg_quick_patch_velocity(const RgQuick *q, int32_t patch, double y[6]); /* now, in the patch's axes */
double rg_quick_row_velocity(const RgQuick *q, int32_t row);
void rg_quick_outputs(const RgQuick *q, int32_t group, const double *x, double *V);
void rg_quick_push_row(const RgQuick *q, int32_t row, double z, double *V);
void rg_quick_respond_grouped(const RgQuick *q, RgPatchLanes *lanes);
void rg_quick_begin_grouped(const RgQuick *q, const RgPatchLanes *lanes);
void rg_quick_visit_grouped(const RgQuick *q, RgPatchLanes *lanes);

/* Item i of an island's velocities: a mover's places, or a single's. Returns how many. */
int rg_quick_places(const RgQuick *q, const RgIsland *island, int32_t i, int32_t *at);

typedef enum RgGuarded {
    RG_GUARDED_NOT,
    RG_GUARDED_SCALED,     /* it added energy out of nothing */
    RG_GUARDED_OVERREACHED /* more than its targets can want; its patches are marked */
} RgGuarded;
/* An answer that adds energy is scaled back (quick_guard.c). rests: it has converged. V_free is spoilt. */
RgGuarded rg_quick_guard(const RgQuick *q, int32_t island, bool rests);

/* Natural-map residual of an island's final impulses (quick_residual.c): its largest entries. */
typedef struct RgQuickResidual {
    double impulse, velocity; /* N s, m/s */
} RgQuickResidual;
RgQuickResidual rg_quick_residual(const RgQuick *q, int32_t island);

/* Sweeps that an island may make, and what of them a step of Newton's method costs (quick_budget.c). */
#define RG_QUICK_NEWTON_SWEEPS 4
int rg_quick_most_sweeps(const RgQuick *q);
int rg_quick_newton_sweeps(const RgQuick *q);

/* Levels (quick_levels.c). take: false: no memory. prepare: false: nothing to gain in this island. */
bool rg_quick_levels_take(RgQuick *q, RgArena *arena);
bool rg_quick_levels_prepare(const RgQuick *q, int32_t island);
void rg_quick_levels_solve(const RgQuick *q, int32_t island);
void rg_quick_levels_move(const RgQuick *q, int32_t island, int32_t mover); /* number in the problem */
void rg_quick_levels_push(const RgQuick *q, int32_t island, RgPatchLanes *lanes);

/* All that holds in an island at once (quick_newton.c): impulses and velocities move on from z and V_before, which is
   V. fits: an island may have it, which must be asked first. step: false: nothing was done. energy: what a good step
   makes smaller. */
bool rg_quick_newton_take(RgQuick *q, RgArena *arena);
bool rg_quick_newton_fits(const RgQuick *q, int32_t island);
bool rg_quick_newton_step(const RgQuick *q, int32_t island);
double rg_quick_newton_energy(const RgQuick *q, int32_t island);

/* m/s: what a sweep changes at contacts that do not move may be this times the tolerance (quick_finish.c). With 0.5 a
   pyramid that was kicked took a third longer to come to rest no better; with 2 it swayed on. */
#define RG_QUICK_SLOW 1.0

typedef struct RgQuickPrimal {
    double stiffness;      /* given */
    bool exact;            /* given: velocities are to reach the tolerance */
    int steps;             /* of Newton's method */
    double residual;       /* by what a sweep would change the impulses, about, as a part of them */
    double moved2, total2; /* squares of velocities: what the law is missed by, what impulses change */
    double slides2;        /* the same: at patches */
} RgQuickPrimal;

/* Newton's method over velocities (quick_primal.c): impulses of the lanes and rows of an island become those of a root;
   velocities are left to the caller. False: no root was found, nothing was changed. */
size_t rg_quick_primal_room(const RgQuick *q,
                            int32_t island); /* bytes that a step takes of the arena; 0: it is too large */
double rg_quick_primal_work(const RgQuick *q, int32_t island); /* products that a step takes, about */
bool rg_quick_primal_step(const RgQuick *q, int32_t island, RgArena *arena, RgQuickPrimal *out);

#endif
