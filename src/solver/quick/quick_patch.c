/* quick_patch.c - the patch kernel of solver `quick` in scalar arithmetic, lane by lane (quick_kernel.h). */
#include "solver/one_lane.h"
#include "solver/quick/quick_lanes.h"

#define ANY_NOT(m) (!(m))
#define POINTS_READY(p) test_and_set_ready(p, lane)
#define LOAD_BODY(mover, all, V) load_body(all, (mover)[lane], V)
#define STORE_BODY(mover, all, V) store_body(all, (mover)[lane], V)

static inline void load_body(const double *all, int32_t mover, double V[6])
{
    const double *from = all + RG_BODY_PLACES * mover;
    for (int i = 0; i < 6; i++)
        V[i] = from[i];
}

/* The ground is not written. */
static inline void store_body(double *all, int32_t mover, const double V[6])
{
    double *to = all + RG_BODY_PLACES * mover;
    for (int i = 0; i < 6 && mover > 0; i++)
        to[i] = V[i];
}

static inline bool test_and_set_ready(RgPatchLanes *p, int lane)
{
    bool was = (p->points_ready & (1u << lane)) != 0;
    p->points_ready = (uint8_t)(p->points_ready | (1u << lane));
    return was;
}

#include "solver/quick/quick_kernel.h"

static void prepare(RgPatchLanes *p, int lanes, const double *V)
{
    for (int lane = 0; lane < lanes; lane++)
        prepare_plain(p, V, lane);
}

static void warm_start(RgPatchLanes *p, int lanes, double *V)
{
    for (int lane = 0; lane < lanes; lane++)
        warm_start_plain(p, V, lane);
}

static void visit(RgPatchLanes *p, int lanes, double *V)
{
    for (int lane = 0; lane < lanes; lane++)
        if (p->points == 1)
            visit_point_plain(p, V, lane);
        else
            visit_plain(p, V, lane);
}

const RgPatchKernel rg_patch_kernel = {prepare, warm_start, visit};

void rg_patch_finish(RgPatchLanes *p, int lane, const double free[6])
{
    finish_prepare_plain(p, free, lane);
}

void rg_patch_wrench(const RgPatchLanes *p, int lane, double W[6])
{
    wrench_plain(p, W, lane);
}

void rg_patch_solve(RgPatchLanes *p, int lane, const double y[6], double dW[6])
{
    if (p->points > 1) {
        solve_patch_plain(p, y, dW, lane);
        return;
    }
    solve_point_plain(p, y, dW, lane);
    dW[3] = dW[4] = dW[5] = 0.0;
}
