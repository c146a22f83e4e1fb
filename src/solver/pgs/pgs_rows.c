/*
 * pgs_rows.c - the kernel of solver `pgs` in plain numbers, lane after lane (pgs_kernel.h).
 */
#include "solver/pgs/pgs_lanes.h"

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

#include "solver/pgs/pgs_kernel.h"

/* A bundle solved as a whole, its rows side by side. The same operations in the same order as visit_block: the same
   bits. Returns the sum of the squares. */
static double visit_solo(RgPgsSolo *p, double *all)
{
    double miss[RG_PGS_SOLO] = {0.0}, d[RG_PGS_SOLO] = {0.0}, squares = 0.0;
    for (int k = 0; k < p->n; k++) {
        double J_V[2];
        for (int side = 0; side < 2; side++) {
            const double *J = p->along[k] + RG_PGS_STRIDE * side, *V = all + p->place[side];
            J_V[side] = (J[0] * V[0] + J[2] * V[2] + J[4] * V[4]) + (J[1] * V[1] + J[3] * V[3] + J[5] * V[5]);
        }
        miss[k] = (p->decay[k] * p->z[k] + p->goal[k]) - (J_V[0] + J_V[1]);
    }
    for (int k = 0; k < p->n; k++) {
        d[k] = p->block[0][k] * miss[0];
        for (int j = 1; j < p->n; j++)
            d[k] += p->block[j][k] * miss[j];
        double change = d[k] * p->diagonal[k];
        p->z[k] += d[k];
        squares += change * change;
    }
    for (int side = 0; side < 2; side++)
        for (int j = 0; j < p->n; j++)
            for (int c = 0; c < 6; c++)
                all[p->place[side] + c] += p->along[j][RG_PGS_STRIDE * side + c] * d[j];
    return squares;
}

static void begin(RgPgsLanes *p, double *V)
{
    for (int lane = 0; lane < p->lanes; lane++)
        begin_plain(p, V, lane);
}

static void rows(RgPgsLanes *p, double keep, double *V)
{
    if (p->solo != NULL) {
        for (int lane = 0; lane < p->lanes; lane++)
            p->sum[lane] = visit_solo(&p->solo[lane], V);
        return;
    }
    for (int lane = 0; lane < p->lanes; lane++)
        visit_rows_plain(p, keep, V, lane);
}

static void friction(RgPgsLanes *p, double keep, double *V)
{
    bool rubs = !p->hangs;
    for (int lane = 0; lane < p->lanes && !rubs; lane++)
        rubs = rubs_plain(p, lane);
    if (!rubs)
        return;
    for (int lane = 0; lane < p->lanes; lane++)
        visit_friction_plain(p, keep, V, lane);
}

const RgPgsKernel rg_pgs_kernel = {begin, rows, friction};
