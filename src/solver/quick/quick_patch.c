/*
 * quick_patch.c - the patch kernel of solver `quick` in plain numbers, lane after lane (quick_kernel.h).
 */
#include "solver/quick/quick_lanes.h"

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
#define ANY_NOT(m) (!(m))
#define LOOKED(p) looked(p, lane)
#define FN(name) name##_plain
#define KERNEL static inline
#define TAKE(mover, all, V) take(all, (mover)[lane], V)
#define GIVE(mover, all, V) give(all, (mover)[lane], V)

static inline void take(const double *all, int32_t mover, double V[6])
{
    const double *from = all + RG_MOVER_PLACES * mover;
    for (int i = 0; i < 6; i++)
        V[i] = from[i];
}

/* The ground stays. */
static inline void give(double *all, int32_t mover, const double V[6])
{
    double *to = all + RG_MOVER_PLACES * mover;
    for (int i = 0; i < 6 && mover > 0; i++)
        to[i] = V[i];
}

static inline bool looked(RgPatchLanes *p, int lane)
{
    bool was = (p->looked & (1u << lane)) != 0;
    p->looked = (uint8_t)(p->looked | (1u << lane));
    return was;
}

#include "solver/quick/quick_kernel.h"

static void prepare(RgPatchLanes *p, int lanes, const double *V)
{
    for (int lane = 0; lane < lanes; lane++)
        prepare_plain(p, V, lane);
}

static void begin(RgPatchLanes *p, int lanes, double *V)
{
    for (int lane = 0; lane < lanes; lane++)
        begin_plain(p, V, lane);
}

static void visit(RgPatchLanes *p, int lanes, double *V)
{
    for (int lane = 0; lane < lanes; lane++)
        if (p->points == 1)
            visit_point_plain(p, V, lane);
        else
            visit_plain(p, V, lane);
}

const RgPatchKernel rg_patch_kernel = {prepare, begin, visit};

void rg_patch_finish(RgPatchLanes *p, int lane, const double free[6])
{
    finish_plain(p, free, lane);
}

void rg_patch_wrench(const RgPatchLanes *p, int lane, double W[6])
{
    wrench_plain(p, W, lane);
}

void rg_patch_settle(RgPatchLanes *p, int lane, const double y[6], double dW[6])
{
    if (p->points > 1) {
        settle_plain(p, y, dW, lane);
        return;
    }
    settle_point_plain(p, y, dW, lane);
    dW[3] = dW[4] = dW[5] = 0.0;
}
