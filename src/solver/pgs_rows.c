/*
 * pgs_rows.c - the kernel of solver `pgs` in plain numbers, lane after lane (pgs_kernel.h).
 */
#include "solver/pgs_lanes.h"

#include <math.h>

#define REAL double
#define MASK bool
#define LANE , int lane
#define LANE_ON , lane
#define LOAD(x) ((x)[lane])
#define STORE(x, a) ((x)[lane] = (a))
#define BOTH(c) (c)
#define SELECT(m, a, b) ((m) ? (a) : (b))
#define ROOT(a) sqrt(a)
#define MORE(a, b) more(a, b)
#define LESS(a, b) less(a, b)
#define ANY(m) (m)
#define FN(name) name##_plain
#define KERNEL static inline
#define TAKE(place, all, V) take(all, (place)[lane], V)
#define GIVE(place, all, V) give(all, (place)[lane], V)

static inline double more(double a, double b)
{
    return a > b ? a : b;
}

static inline double less(double a, double b)
{
    return a < b ? a : b;
}

static inline void take(const double *all, int32_t place, double V[6])
{
    for (int i = 0; i < 6; i++)
        V[i] = all[place + i];
}

/* Rows on one block have zeros for the other, block 0: what is written there is what was read. */
static inline void give(double *all, int32_t place, const double V[6])
{
    for (int i = 0; i < 6; i++)
        all[place + i] = V[i];
}

#include "solver/pgs_kernel.h"

static void begin(RgPgsLanes *p, double *V)
{
    for (int lane = 0; lane < p->lanes; lane++)
        begin_plain(p, V, lane);
}

static void rows(RgPgsLanes *p, double keep, double *V, RgPgsLane sum)
{
    for (int lane = 0; lane < p->lanes; lane++)
        visit_rows_plain(p, keep, V, sum, lane);
}

static void friction(RgPgsLanes *p, double keep, double *V, RgPgsLane sum)
{
    for (int lane = 0; lane < p->lanes; lane++)
        visit_friction_plain(p, keep, V, sum, lane);
}

const RgPgsKernel rg_pgs_kernel = {begin, rows, friction};
