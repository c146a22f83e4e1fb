/*
 * consistency.h - whether a contact problem with Coulomb's friction has a solution, and whether sliding can continue
 * (Painleve).
 *
 * The problem at velocity level (cone_blocks.h) is w = W r + q, W = H H'.
 *   A solution is proven if some w = W p + q lies inside the dual cones, w_n > mu |w_t| at every contact
 *     (Acary, Cadoux, Lemarechal, Malick 2011). For s >= 0 let v(s) be the shortest v with H v + q + mu s e_n in the
 *     dual cones. It exists and is continuous, since a point inside is one for all s, and its length is bounded by that
 *     of the point. So s -> |tangents of H v(s) + q| maps a ball into itself and has a fixed point (Brouwer), which is
 *     a solution.
 *   A solution is refuted if no r in the cones has (W r + q)_n >= 0. A solution would be such an r.
 *   Otherwise the result is unknown.
 *
 * Continued sliding: each contact that slides along d has r = r_n (1, -mu d), the others have r in their cones, and (W
 * r + q)_n >= 0. At acceleration level this is the problem of rigid bodies in sliding contact; d is then given, and
 * need not be the direction of q.
 *   One contact: p = W_nn - mu W_nt d.  p > 0: one solution. p <= 0: none if q_n < 0 (inconsistent), two if q_n > 0
 *     (indeterminate). This is Painleve's paradox; contacts with p <= 0 are counted as jamming.
 *   Several contacts that all slide: complementarity P r_n + q_n, P = W_nn - mu W_nt d. If the symmetric part of P is
 *     positive definite there is exactly one solution. Otherwise a solution that is found proves existence, not
 *     uniqueness.
 *   Refuted: no forces as above exist. The velocities then must change at once. The problem at velocity level describes
 *     this (a jam, or an impact without collision), and mostly has a solution.
 *   A contact with p <= 0 beside others is only a warning.
 */
#ifndef RIGOR_CONSISTENCY_H
#define RIGOR_CONSISTENCY_H

#include "base/arena.h"
#include "solver/cone/cone_blocks.h"

typedef enum RgExistence { RG_EXISTENCE_UNKNOWN, RG_EXISTENCE_PROVEN, RG_EXISTENCE_REFUTED } RgExistence;

typedef struct RgConsistency {
    RgExistence solution;   /* of the problem: refuted if it is for one island, proven if it is for all */
    RgExistence sliding;    /* forces with which sliding continues; unknown if nothing slides */
    bool sliding_is_unique; /* these forces are unique (of islands where all contacts slide) */
    int slipping, jamming;  /* number of contacts */
} RgConsistency;

/*
 * slip: 2 n, sliding directions of any length, 0 if a contact does not slide; NULL: the tangents of q, 0 below `still`
 * times the largest |q|. effect (n): out, p of each sliding contact, W_nn of the others; NULL: not requested. The arena
 * is not reset. RG_ERR_ARGUMENT: an input is NaN or infinite, or mu is negative.
 */
RgStatus rg_consistency_find(RgArena *arena, const RgConeBlocks *blocks, const double *slip, double still,
                             double *effect, RgConsistency *out);

const char *rg_existence_name(RgExistence existence); /* "unknown", "proven", "refuted" */

#endif
