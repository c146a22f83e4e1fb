/*
 * consistency.h - whether a problem of contacts with Coulomb's friction has a solution at all, and whether sliding can
 * go on as it does (Painleve).
 *
 * The problem at the level of velocities (cone_blocks.h): w = W r + q, W = H H'.
 *   Proven to have a solution: some w = W p + q lies inside the dual cones, w_n > mu |w_t| at every contact
 *     (Acary, Cadoux, Lemarechal, Malick 2011). For s >= 0 let v(s) be the shortest v with H v + q + mu s e_n in the
 *     dual cones. It exists and is continuous, since a point inside is one for all s, and bounded by that point's
 *     length. So s -> |tangents of H v(s) + q| maps a ball into itself and has a fixed point (Brouwer): a solution.
 *   Proven to have none: no r in the cones has (W r + q)_n >= 0. A solution would be such an r.
 *   Otherwise nothing is said.
 *
 * Sliding that goes on: each contact that slides along d has r = r_n (1, -mu d), the others r in their cones, and (W r
 * + q)_n >= 0. At the level of accelerations this is the problem of rigid bodies in sliding contact; d is then given,
 * and need not be that of q.
 *   One contact: p = W_nn - mu W_nt d.  p > 0: one solution. p <= 0: with q_n < 0 none (inconsistent), with q_n > 0
 *     two (indeterminate). This is Painleve's paradox; contacts with p <= 0 are told to jam.
 *   Several that all slide: complementarity P r_n + q_n, P = W_nn - mu W_nt d. P positive definite (its symmetric
 *   part):
 *     exactly one solution. Else a solution that is found proves that there is one, but not that there is no other.
 *   Proven to have none: no forces as above. The velocities then must change at once: the problem at
 *     the level of velocities does that (a jam or an impact without collision), and mostly has a solution.
 *   A contact with p <= 0 beside others is a warning only.
 */
#ifndef RIGOR_CONSISTENCY_H
#define RIGOR_CONSISTENCY_H

#include "base/arena.h"
#include "solver/cone/cone_blocks.h"

typedef enum RgExistence { RG_EXISTENCE_UNKNOWN, RG_EXISTENCE_PROVEN, RG_EXISTENCE_REFUTED } RgExistence;

typedef struct RgConsistency {
    RgExistence solution;  /* of the problem; refuted if it is for one island, proven if it is for all */
    RgExistence sliding;   /* forces with which sliding goes on; unknown where nothing slides */
    bool one_sliding;      /* and they are the only ones (of islands where all slide) */
    int slipping, jamming; /* contacts */
} RgConsistency;

/*
 * slip: 2 n, directions of sliding of any length, 0 where a contact does not slide; NULL: tangents of q, 0 below
 * `still` times the largest |q|. effect (n): p of each contact that slides, W_nn of the others; may be NULL. The arena
 * is not reset. RG_ERR_ARGUMENT: a number is not finite, or mu is negative.
 */
RgStatus rg_consistency_find(RgArena *arena, const RgConeBlocks *blocks, const double *slip, double still,
                             double *effect, RgConsistency *out);

const char *rg_existence_name(RgExistence existence); /* "unknown", "proven", "refuted" */

#endif
