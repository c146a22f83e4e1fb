/*
 * indeterminacy.h - which contact forces are not determined by the motion, and how far they may differ.
 *
 * Contacts of RgConeBlocks, W positive semi-definite, with a solution r, and u = W r + q. All forces with
 * the same velocities that obey the same law:
 *
 *   F = { f : W f = W r,  f in K(mu),  f complementary to u }
 *     u_n > 0               open       f = 0
 *     u_n = 0, u_t = 0      sticking   |f_t| <= mu f_n         (mu = 0: f = (f_n, 0, 0))
 *     u_n = 0, u_t not 0    sliding    f = f_n (1, -mu u_t / |u_t|)
 *
 * F is convex. For each contact the smallest and largest of f_n and of both tangents over F are found by cone_program.h;
 * no upper bound: the contacts can jam or wedge, pressing on each other without moving anything.
 * Other velocities may solve Coulomb's problem too: of them nothing is said here (see consistency.h).
 */
#ifndef RIGOR_INDETERMINACY_H
#define RIGOR_INDETERMINACY_H

#include "base/arena.h"
#include "solver/cone/cone_blocks.h"

typedef enum RgContactState { RG_CONTACT_OPEN, RG_CONTACT_STICKING, RG_CONTACT_SLIDING } RgContactState;

typedef struct RgForceRange {
    RgContactState state;
    double low[3], high[3]; /* normal, tangents; infinite: without bound */
    bool unique;            /* high - low is below the tolerance for all three */
    bool known;             /* false: not asked for (max_programs), or not found to the tolerance */
} RgForceRange;

typedef struct RgIndeterminacyOptions {
    double rank;      /* pivots below this part of the largest diagonal are 0 */
    double still;     /* velocities below this part of the largest |q| are 0 */
    double unique;    /* ranges below this part of the largest force are points */
    int max_programs; /* programs solved at most; contacts are asked in their order */
} RgIndeterminacyOptions;

typedef struct RgIndeterminacy {
    int contacts;
    int rows, rank;              /* of W: 3 contacts, and how many freedoms they act on */
    int open, sliding, sticking; /* contacts */
    int unknowns, freedoms;      /* of the forces in F, and dimensions of W f = W r among them */
    int not_unique, unbounded;   /* contacts */
    int unknown;                 /* contacts whose range is not known */
    int programs;                /* solved */
    double noise;                /* how far W is from semi-definite, over its largest number */
    double misfit; /* largest |r - nearest force of its state| over the largest force: 0 for a solution */
} RgIndeterminacy;

static inline RgIndeterminacyOptions rg_indeterminacy_defaults(void)
{
    return (RgIndeterminacyOptions){.rank = 1e-11, .still = 1e-6, .unique = 1e-5, .max_programs = 2000};
}

/* ranges: one for each contact. blocks->r is read, w is not touched. The arena is not reset.
   RG_ERR_ARGUMENT: a number is not finite, or mu is negative. */
RgStatus rg_indeterminacy_find(RgArena *arena, const RgConeBlocks *blocks,
                               const RgIndeterminacyOptions *options, RgForceRange *ranges,
                               RgIndeterminacy *out);

#endif
