/* row_order.h - the order in which solver `pgs` visits single rows (RgPgsOrder). */
#ifndef RIGOR_ROW_ORDER_H
#define RIGOR_ROW_ORDER_H

#include "solver/problem.h"

#include <rigor/solver.h>

/* Rows that are swept together: an island, or all rows. */
typedef struct RgRowPart {
    int32_t first, end; /* in RgRowOrder.row */
} RgRowPart;

typedef struct RgRowOrder {
    int32_t *row; /* rows in the order of visits; the second row of a cone follows the first */
    int32_t nrows;
    RgRowPart *parts;
    int32_t nparts;
} RgRowOrder;

/* False: no memory. */
bool rg_row_order_make(RgArena *arena, const RgProblem *p, RgPgsOrder order, RgRowOrder *out);

/* The order of ODE; rows without coefficients are left out. */
bool rg_ode_order_make(RgArena *arena, const RgProblem *p, RgRowOrder *out);

/* The random generator of ODE: state after `draws` numbers from a seed. */
uint32_t rg_ode_random_at(uint32_t seed, uint32_t draws);
/* The next number below n, n > 0; not quite uniform: some of the 2^w values map to one number more often than to
   others. */
uint32_t rg_ode_random_below(uint32_t *state, uint32_t n);

#endif
