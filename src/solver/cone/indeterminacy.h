/*
 * indeterminacy.h - which forces of contacts, joints, limits and motors are not determined by the motion, and how far
 * they may differ.
 *
 * Contacts of RgConeBlocks, W positive semi-definite, with a solution r, and u = W r + q. All forces with
 * the same velocities that obey the same law:
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
 * F is convex. The smallest and largest of f_n and of both tangents over F are found by cone_program.h; no bound:
 * contacts that jam or wedge, loops of joints that strain each other without moving anything.
 * W = J J' + C, C the softness of rows: W f = W r is J'f = J'r and C f = C r, so that soft rows have one force.
 * Other velocities may solve Coulomb's problem too: of them nothing is said here (see consistency.h).
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

/* What a block is beside a contact: one row with bounds, its other two rows and mu are 0. */
typedef struct RgBlockRow {
    bool is_row;
    double low, high; /* infinite: none */
} RgBlockRow;

typedef struct RgForceRange {
    RgForceState state;
    double low[3], high[3]; /* normal, tangents; of a row the first alone; infinite: without bound */
    bool unique;            /* high - low is below the tolerance for all three */
    bool known;             /* false: not asked for (max_programs), or not found to the tolerance */
} RgForceRange;

typedef struct RgIndeterminacyOptions {
    double rank;      /* pivots below this part of the largest diagonal are 0 */
    double still;     /* velocities below this part of the largest |q| are 0 */
    double unique;    /* ranges below this part of the largest force are points */
    int max_programs; /* programs solved at most; blocks are asked in their order */
} RgIndeterminacyOptions;

typedef struct RgIndeterminacy {
    int contacts;
    int rows, rank;              /* of W: 3 of a contact, 1 of a joint; and how many freedoms they act on */
    int open, sliding, sticking; /* contacts */
    int held, at_bound;          /* rows of joints, limits, motors */
    int unknowns, freedoms;      /* of the forces in F, and dimensions of W f = W r among them */
    int not_unique, unbounded;   /* blocks */
    int unknown;                 /* blocks whose range is not known */
    int programs;                /* solved */
    double noise;                /* how far W is from semi-definite, over its largest number */
    double misfit;               /* largest |r - nearest force of its state| over the largest force: 0 for a solution */
} RgIndeterminacy;

static inline RgIndeterminacyOptions rg_indeterminacy_defaults(void)
{
    return (RgIndeterminacyOptions){.rank = 1e-11, .still = 1e-6, .unique = 1e-5, .max_programs = 2000};
}

/* rows: one for each block; NULL: all are contacts. ranges: one for each block. blocks->r is read, w is not touched.
   The arena is not reset. RG_ERR_ARGUMENT: a number is not finite, mu is negative, or bounds hold no number. */
RgStatus rg_indeterminacy_find(RgArena *arena, const RgConeBlocks *blocks, const RgBlockRow *rows,
                               const RgIndeterminacyOptions *options, RgForceRange *ranges, RgIndeterminacy *out);

#endif
