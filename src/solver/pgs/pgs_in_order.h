/*
 * pgs_in_order.h - solver `pgs` row by row.
 */
#ifndef RIGOR_PGS_IN_ORDER_H
#define RIGOR_PGS_IN_ORDER_H

#include "solver/pgs/pgs.h"

/* Whether the options require visits row by row. */
static inline bool rg_pgs_needs_row_order(const RgPgsOptions *o)
{
    return o->order == RG_PGS_AS_ODE || (o->smoothing > 0.0 && o->smoothing_kind != RG_PGS_SMOOTH_CHANGE);
}

/* The arena is reset. RG_ERR_MEMORY: z and s are unchanged. RgProblem.draws: the random sequence continues from the
   previous step. */
RgStatus rg_pgs_in_order_solve(RgArena *arena, RgProblem *problem, const RgPgsOptions *options, RgSolveReport *report);

#endif
