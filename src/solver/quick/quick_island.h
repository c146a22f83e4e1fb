/*
 * quick_island.h - one island of solver `quick` while it is solved: shared by the sweeps (solver_quick.c) and by what
 * ends them (quick_finish.c).
 */
#ifndef RIGOR_QUICK_ISLAND_H
#define RIGOR_QUICK_ISLAND_H

#include "solver/quick/quick_work.h"

/* Sweeps before the first step of Newton's method on what holds; sweeps in which it has to show what it is worth. */
#define RG_QUICK_LEAP 2
#define RG_QUICK_TRIAL 3

/* One island while it is solved. */
typedef struct RgQuickTurn {
    const RgQuick *q;
    int32_t island;
    RgCrew *crew;    /* who helps; NULL: nobody */
    bool bound_rows; /* rows whose bounds are the normals of patches */
    bool driven;     /* a driven group takes part */
    int most;        /* sweeps */
    bool exact;      /* converges to the tolerance: Newton's method finishes it cheaply */
} RgQuickTurn;

/* |z - z before|^2 and |z|^2; the sum that says whether the momentum still helps; |dy|^2, |y - y free|^2 and |y|^2. */
typedef struct RgQuickSums {
    double change2, size2, along, moved2, total2, slides2;
} RgQuickSums;

typedef enum RgQuickAnswer { RG_UNKNOWN, RG_YES, RG_NO } RgQuickAnswer;

/* How an island is going. */
typedef struct RgQuickCourse {
    int n;    /* sweeps so far */
    int paid; /* sweeps that steps of Newton's method count as (quick_budget.c) */
    double theta;
    double first2;      /* |z - z before|^2 of the first sweep */
    double least2;      /* of the best since momentum began */
    double moved2;      /* largest of any sweep */
    bool calm;          /* no more than sweeps from here on: what goes between them has done harm */
    bool levels;        /* are of use, as prepared last */
    int trial;          /* sweeps since a step of Newton's method that has not shown yet what it is worth; 0: none */
    bool failed, leapt; /* one was worth nothing; one was made */
    RgQuickAnswer fits; /* the island is one for it */
    int rounds, next;   /* times that over velocities was called; sweep before the next */
    bool cold;          /* exact, and begins without impulses: Newton's method comes before any sweep */
    double stiffness;
    RgQuickSums sums; /* before it */
    double energy;    /* the same */
} RgQuickCourse;

/* Whether most patches hold, and Newton's method for what holds takes the island. */
bool rg_quick_holds(const RgQuickTurn *t, RgQuickCourse *course);

/* Whether a sweep was the last. */
bool rg_quick_ends(const RgQuickTurn *t, RgQuickCourse *course, const RgQuickSums *sums);

/* Change of velocities, squared, that a patch or an island with these sums may end with. */
double rg_quick_allowed2(const RgQuickTurn *turn, double slides2, double total2);

/* Says whether the island is exact, and when Newton's method over velocities is called first. */
void rg_quick_finish_plan(RgQuickTurn *t, RgQuickCourse *course);

/* Whether there is more to do; whether Newton's method is due. */
bool rg_quick_goes_on(const RgQuickTurn *t, const RgQuickCourse *course);
bool rg_quick_finish_due(const RgQuickCourse *course);

typedef enum RgQuickFinish {
    RG_FINISH_NO_ROOT, /* nothing was changed */
    RG_FINISH_ROOT,    /* impulses are those of a root; velocities are not renewed */
    RG_FINISH_RESTS    /* the same, and the island may end */
} RgQuickFinish;

/* Newton's method over the velocities of the island (quick_primal.c). *residual: as of a sweep; of a root. */
RgQuickFinish rg_quick_finish(const RgQuickTurn *t, RgQuickCourse *course, double *residual);

#endif
