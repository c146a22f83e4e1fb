/*
 * foot_pressure.c - see foot_pressure.h.
 *
 * Shares of the weight under the middles x_i of the soles:
 *
 *   minimise |sum s_i x_i - p|^2 + EVEN sum s_i^2   over   sum s_i = 1,  s_i >= 0
 *
 * by its conditions of Karush, Kuhn and Tucker with the feet that carry; the foot with the most negative share is left
 * out and the rest asked again, which ends after as many tries as there are feet. What is missing, p - sum s_i x_i,
 * each carrying foot makes up within its own sole (MARGIN of it), so that between two feet both press in the line of p,
 * and beyond one it presses there alone.
 */
#include "control/foot_pressure.h"

#include "control/step_plan.h"
#include "math/dense_factor.h"

#include <math.h>

#define EVEN 1e-4   /* m^2 */
#define MARGIN 0.85 /* of a sole */

/* Shares of the feet that carry, by the conditions above: a step from even shares whose sum is kept. */
static void find_shares(RgPressedFoot *feet, const int *carry, int n, double px, double py)
{
    double A[RG_STEP_FEET * RG_STEP_FEET], b[RG_STEP_FEET], mx = 0.0, my = 0.0;
    for (int i = 0; i < n; i++) {
        mx += feet[carry[i]].at.x / n;
        my += feet[carry[i]].at.y / n;
    }
    for (int i = 0; i < n; i++) {
        double x = feet[carry[i]].at.x - mx, y = feet[carry[i]].at.y - my;
        b[i] = x * (px - mx) + y * (py - my);
        for (int j = 0; j < n; j++)
            A[i * n + j] = x * (feet[carry[j]].at.x - mx) + y * (feet[carry[j]].at.y - my) + (i == j ? EVEN : 0.0);
    }

    /* Columns of A sum to EVEN, and b to nothing: so do the shares beyond 1/n. */
    bool solved = rg_dense_ldl_factor(A, n);
    if (solved)
        rg_dense_ldl_solve(A, n, b);
    for (int i = 0; i < n; i++)
        feet[carry[i]].share = 1.0 / n + (solved ? b[i] : 0.0);
}

static double clamp(double x, double most)
{
    return fmin(fmax(x, -most), most);
}

void rg_foot_pressures(RgPressedFoot *feet, int n, double px, double py, double weight)
{
    int carry[RG_STEP_FEET], carrying = 0;
    for (int i = 0; i < n; i++) {
        feet[i].share = 0.0;
        feet[i].wrench = fv_zero();
        if (feet[i].stands)
            carry[carrying++] = i;
    }
    for (bool done = carrying == 0; !done;) {
        find_shares(feet, carry, carrying, px, py);
        int worst = 0;
        for (int i = 1; i < carrying; i++)
            if (feet[carry[i]].share < feet[carry[worst]].share)
                worst = i;
        done = feet[carry[worst]].share >= 0.0 || carrying == 1;
        if (!done) {
            feet[carry[worst]].share = 0.0;
            carry[worst] = carry[--carrying];
        }
    }
    double x = px, y = py;
    for (int i = 0; i < carrying; i++) {
        x -= feet[carry[i]].share * feet[carry[i]].at.x;
        y -= feet[carry[i]].share * feet[carry[i]].at.y;
    }
    for (int i = 0; i < carrying; i++) {
        RgPressedFoot *foot = &feet[carry[i]];
        double c = cos(foot->heading), s = sin(foot->heading), f = foot->share * weight;
        double along = clamp(c * x + s * y, MARGIN * foot->half[0]);
        double across = clamp(-s * x + c * y, MARGIN * foot->half[1]);
        RgVec3 arm = v3_sub(v3_add(foot->at, v3(c * along - s * across, s * along + c * across, 0.0)), foot->link);
        foot->wrench = (RgForce){{arm.y * f, -arm.x * f, 0.0}, {0.0, 0.0, f}};
    }
}
