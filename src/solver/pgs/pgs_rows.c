/* pgs_rows.c - the kernel of solver `pgs` in scalar arithmetic, lane by lane (pgs_kernel.h). */
#include "solver/one_lane.h"
#include "solver/pgs/pgs_lanes.h"

#define MAX(a, b) max_of(a, b)
#define MIN(a, b) min_of(a, b)
#define ANY(m) (m)
#define LOAD_BLOCK(place, all, V) load_block(all, (place)[lane], V)
#define STORE_BLOCK(place, all, V) store_block(all, (place)[lane], V)

static inline double max_of(double a, double b)
{
    return a > b ? a : b;
}

static inline double min_of(double a, double b)
{
    return a < b ? a : b;
}

static inline void load_block(const double *all, int32_t place, double V[6])
{
    for (int i = 0; i < 6; i++)
        V[i] = all[place + i];
}

/* A missing second block has zero coefficients and zeros of its own in V: the store writes back what was loaded. */
static inline void store_block(double *all, int32_t place, const double V[6])
{
    for (int i = 0; i < 6; i++)
        all[place + i] = V[i];
}

#include "solver/pgs/pgs_kernel.h"

/* Solves a bundle as a whole, with its rows side by side. Same operations in the same order as visit_block, hence
   bitwise identical. Returns the sum of squared changes. */
static double visit_solo(RgPgsSolo *p, double *all)
{
    double error[RG_PGS_SOLO] = {0.0}, d[RG_PGS_SOLO] = {0.0}, squares = 0.0;
    for (int k = 0; k < p->n; k++) {
        double J_V[2];
        for (int side = 0; side < 2; side++) {
            const double *J = p->along[k] + RG_PGS_STRIDE * side, *V = all + p->place[side];
            J_V[side] = (J[0] * V[0] + J[2] * V[2] + J[4] * V[4]) + (J[1] * V[1] + J[3] * V[3] + J[5] * V[5]);
        }
        error[k] = (p->decay[k] * p->z[k] + p->goal[k]) - (J_V[0] + J_V[1]);
    }
    for (int k = 0; k < p->n; k++) {
        d[k] = p->block[0][k] * error[0];
        for (int j = 1; j < p->n; j++)
            d[k] += p->block[j][k] * error[j];
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

static void warm_start(RgPgsLanes *p, double *V)
{
    for (int lane = 0; lane < p->lanes; lane++)
        warm_start_plain(p, V, lane);
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
    bool is_active = !p->friction_needs_normal;
    for (int lane = 0; lane < p->lanes && !is_active; lane++)
        is_active = has_active_friction_plain(p, lane);
    if (!is_active)
        return;
    for (int lane = 0; lane < p->lanes; lane++)
        visit_friction_plain(p, keep, V, lane);
}

const RgPgsKernel rg_pgs_kernel = {warm_start, rows, friction};
