/*
 * indeterminacy.h - which forces of contacts, joints, limits and motors the motion does not determine, and their
 * ranges.
 *
 * Contacts of RgConeBlocks, W positive semidefinite, with a solution r and u = W r + q. The forces with the same
 * velocities that obey the same law are
 *
 *   F = { f : W f = W r,  f in K(mu),  f complementary to u }
 *     u_n > 0               open       f = 0
 *     u_n = 0, u_t = 0      sticking   |f_t| <= mu f_n         (mu = 0: f = (f_n, 0, 0))
 *     u_n = 0, u_t not 0    sliding    f = f_n (1, -mu u_t / |u_t|)
 *
 * A joint, limit or motor is a block with one row, the first, within bounds (none: a bilateral row):
 *     u = 0                 held       low <= f <= high
 *     u > 0, u < 0          at a bound f = low, f = high
 *
 * F is convex. cone_program.h finds the smallest and largest f_n and tangential forces over F. A range without a bound
 * occurs if contacts jam or wedge, or if joints of a loop load each other without motion. W = J J' + C, C the
 * compliance of rows: W f = W r means J'f = J'r and C f = C r, so compliant rows have unique forces. Coulomb's problem
 * may also have solutions with other velocities; they are not considered here (see consistency.h).
 */
#ifndef RIGOR_INDETERMINACY_H
#define RIGOR_INDETERMINACY_H

#include "base/arena.h"
#include "solver/cone/cone_blocks.h"

typedef enum RgForceState {
    RG_CONTACT_OPEN,
    RG_CONTACT_STICKING,
    RG_CONTACT_SLIDING,
    RG_ROW_HELD,
    RG_ROW_AT_LOW,
    RG_ROW_AT_HIGH,
    RG_FORCE_STATES
} RgForceState;

/* A block that is not a contact: one row with bounds; its other two rows and mu are 0. */
typedef struct RgBlockRow {
    bool is_row;
    double low, high; /* infinite: no bound */
} RgBlockRow;

typedef struct RgForceRange {
    RgForceState state;
    double low[3], high[3]; /* normal, tangents; of a row the first alone; infinite: unbounded */
    bool unique;            /* high - low is below the tolerance for all three components */
    bool known;             /* false: not computed (max_programs), or not to the tolerance */
} RgForceRange;

typedef struct RgIndeterminacyOptions {
    double rank;      /* pivots below this part of the largest diagonal count as 0 */
    double still;     /* velocities below this part of the largest |q| count as 0 */
    double unique;    /* ranges below this part of the largest force count as unique */
    int max_programs; /* limit of programs; blocks are treated in their order */
} RgIndeterminacyOptions;

typedef struct RgIndeterminacy {
    int contacts;
    int rows, rank;              /* rows of W (3 per contact, 1 per joint row), and its rank */
    int open, sliding, sticking; /* contacts */
    int held, at_bound;          /* rows of joints, limits, motors */
    int unknowns, freedoms;      /* unknown forces in F, and the dimension of the solutions of W f = W r among them */
    int not_unique, unbounded;   /* blocks */
    int unknown;                 /* blocks whose range is not known */
    int programs;                /* programs solved */
    double noise;                /* largest deviation of W from semidefinite, relative to its largest entry */
    double misfit; /* largest |r - nearest force of its state| over the largest force; 0 for an exact solution */
} RgIndeterminacy;

static inline RgIndeterminacyOptions rg_indeterminacy_defaults(void)
{
    return (RgIndeterminacyOptions){.rank = 1e-11, .still = 1e-6, .unique = 1e-5, .max_programs = 2000};
}

/* rows: one per block; NULL: all blocks are contacts. ranges: out, one per block. blocks->r is read, w is unchanged.
   The arena is not reset. RG_ERR_ARGUMENT: an input is NaN or infinite, mu is negative, or bounds are empty. */
RgStatus rg_indeterminacy_find(RgArena *arena, const RgConeBlocks *blocks, const RgBlockRow *rows,
                               const RgIndeterminacyOptions *options, RgForceRange *ranges, RgIndeterminacy *out);

#endif
