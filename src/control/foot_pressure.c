/*
 * foot_pressure.c - distribution of the weight over standing feet (foot_pressure.h).
 *
 * Shares s_i of the weight under the middles x_i of the soles:
 *
 *   minimise |sum s_i x_i - p|^2 + REGULARISATION sum s_i^2   subject to   sum s_i = 1,  s_i >= 0
 *
 * by an active-set method on the Karush-Kuhn-Tucker conditions: the foot with the most negative share is removed and
 * the system solved again, at most once per foot. The remaining error p - sum s_i x_i is made up by each loaded foot
 * within its own sole (up to SOLE_FRACTION of it), so that between two feet both press on the line through p, and
 * beyond a foot that foot alone presses at p.
 */
#include "control/foot_pressure.h"

#include "control/step_plan.h"
#include "math/dense_factor.h"
#include "math/trig.h"

#include <math.h>

#define REGULARISATION 1e-4 /* m^2: makes shares equal where they are not unique */
#define SOLE_FRACTION 0.85  /* of half a sole: largest distance of the pressure from its middle */

/* Solves the equality-constrained problem for the loaded feet, starting from equal shares. */
static void find_shares(RgLoadedFoot *feet, const int *loaded, int n, double px, double py)
{
    double A[RG_STEP_FEET * RG_STEP_FEET], b[RG_STEP_FEET], mx = 0.0, my = 0.0;
    for (int i = 0; i < n; i++) {
        mx += feet[loaded[i]].at.x / n;
        my += feet[loaded[i]].at.y / n;
    }
    for (int i = 0; i < n; i++) {
        double x = feet[loaded[i]].at.x - mx, y = feet[loaded[i]].at.y - my;
        b[i] = x * (px - mx) + y * (py - my);
        for (int j = 0; j < n; j++)
            A[i * n + j] =
                x * (feet[loaded[j]].at.x - mx) + y * (feet[loaded[j]].at.y - my) + (i == j ? REGULARISATION : 0.0);
    }

    /* The columns of A sum to REGULARISATION, and b sums to 0: so do the deviations from 1/n. */
    bool solved = rg_dense_ldl_factor(A, n);
    if (solved)
        rg_dense_ldl_solve(A, n, b);
    for (int i = 0; i < n; i++)
        feet[loaded[i]].share = 1.0 / n + (solved ? b[i] : 0.0);
}

static double clamp(double x, double most)
{
    return fmin(fmax(x, -most), most);
}

void rg_foot_pressures(RgLoadedFoot *feet, int n, double px, double py, double weight)
{
    int loaded[RG_STEP_FEET], nloaded = 0;
    for (int i = 0; i < n; i++) {
        feet[i].share = 0.0;
        feet[i].wrench = fv_zero();
        if (feet[i].stands)
            loaded[nloaded++] = i;
    }
    for (bool done = nloaded == 0; !done;) {
        find_shares(feet, loaded, nloaded, px, py);
        int worst = 0;
        for (int i = 1; i < nloaded; i++)
            if (feet[loaded[i]].share < feet[loaded[worst]].share)
                worst = i;
        done = feet[loaded[worst]].share >= 0.0 || nloaded == 1;
        if (!done) {
            feet[loaded[worst]].share = 0.0;
            loaded[worst] = loaded[--nloaded];
        }
    }
    double x = px, y = py;
    for (int i = 0; i < nloaded; i++) {
        x -= feet[loaded[i]].share * feet[loaded[i]].at.x;
        y -= feet[loaded[i]].share * feet[loaded[i]].at.y;
    }
    for (int i = 0; i < nloaded; i++) {
        RgLoadedFoot *foot = &feet[loaded[i]];
        double c, s, f = foot->share * weight;
        rg_sincos(foot->heading, &s, &c);
        double along = clamp(c * x + s * y, SOLE_FRACTION * foot->half[0]);
        double across = clamp(-s * x + c * y, SOLE_FRACTION * foot->half[1]);
        RgVec3 arm = v3_sub(v3_add(foot->at, v3(c * along - s * across, s * along + c * across, 0.0)), foot->link);
        foot->wrench = (RgForce){{arm.y * f, -arm.x * f, 0.0}, {0.0, 0.0, f}};
    }
}
