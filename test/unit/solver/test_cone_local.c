/*
 * test_cone_local.c - one contact with Coulomb's law: its own equations, and a twin that samples all directions of
 * sliding.
 *
 * The twin: sliding along d = (cos, sin), d x u_t = 0 times the stiffness W_nn + mu W_nt d is
 *
 *   G(angle) = d x ((W_nn + mu W_nt d) q_t - q_n (W_tn + mu W_tt d))
 *
 * which is continuous everywhere, a trigonometric polynomial of degree two: at most four roots.
 */
#include "check_near.h"
#include "draw.h"
#include "math/dense_factor.h"
#include "solver/cone/cone_local.h"

#include <string.h>

#define SAMPLES 20000

/* What the law is missed by, over the size of q: 0 where it holds. */
static double miss(const double *W, const double *q, double mu, const double r[3])
{
    double u[3], size = fabs(q[0]) + fabs(q[1]) + fabs(q[2]), impulse = r[0] * (fabs(W[0]) + fabs(W[4]) + fabs(W[8]));
    for (int i = 0; i < 3; i++)
        u[i] = q[i] + W[3 * i] * r[0] + W[3 * i + 1] * r[1] + W[3 * i + 2] * r[2];
    double t = hypot(r[1], r[2]), slip = hypot(u[1], u[2]), scale = fmax(size, (1.0 + mu) * impulse);
    if (!(r[0] >= 0.0) || t > mu * r[0] * (1.0 + 1e-12))
        return INFINITY;
    double worst = fmax(-u[0], 0.0);
    if (r[0] > 0.0)
        worst = fmax(worst, fabs(u[0]));
    if (r[0] > 0.0 && t < mu * r[0] * (1.0 - 1e-12)) /* sticks */
        return fmax(worst, slip) / scale;
    if (t > 0.0) { /* against friction */
        worst = fmax(worst, fabs(r[1] * u[2] - r[2] * u[1]) / t);
        worst = fmax(worst, (r[1] * u[1] + r[2] * u[2]) / t);
    }
    return worst / scale;
}

static double across(const double *W, const double *q, double mu, double angle)
{
    double d[2] = {cos(angle), sin(angle)}, stiff = W[0] + mu * (W[1] * d[0] + W[2] * d[1]);
    double x = stiff * q[1] - q[0] * (W[3] + mu * (W[4] * d[0] + W[5] * d[1]));
    double y = stiff * q[2] - q[0] * (W[6] + mu * (W[7] * d[0] + W[8] * d[1]));
    return d[0] * y - d[1] * x;
}

/* The best answer that sliding along a root of G, lifting off or sticking (dense inverse) gives. Returns what it
   misses. */
static double brute(const double *W, const double *q, double mu, double best_r[3])
{
    const double step = 6.283185307179586 / SAMPLES;
    double best = INFINITY, r[3] = {0.0, 0.0, 0.0}, inverse[9];
    best = miss(W, q, mu, r);
    memcpy(best_r, r, sizeof r);
    double last = across(W, q, mu, 0.0);
    for (int k = 1; k <= SAMPLES; k++) {
        double low = step * (k - 1), high = step * k, next = across(W, q, mu, high), at_low = last;
        last = next;
        if ((at_low > 0.0) == (next > 0.0))
            continue;
        for (int j = 0; j < 60; j++) {
            double middle = 0.5 * (low + high);
            if ((across(W, q, mu, middle) > 0.0) == (at_low > 0.0))
                low = middle;
            else
                high = middle;
        }
        double d[2] = {cos(low), sin(low)}, n = -q[0] / (W[0] + mu * (W[1] * d[0] + W[2] * d[1]));
        r[0] = n;
        r[1] = mu * n * d[0];
        r[2] = mu * n * d[1];
        double found = isfinite(n) ? miss(W, q, mu, r) : INFINITY;
        if (found < best) {
            best = found;
            memcpy(best_r, r, sizeof r);
        }
    }
    if (rg_invert3(W, inverse)) {
        for (int i = 0; i < 3; i++)
            r[i] = -(inverse[3 * i] * q[0] + inverse[3 * i + 1] * q[1] + inverse[3 * i + 2] * q[2]);
        double found = miss(W, q, mu, r);
        if (found < best) {
            best = found;
            memcpy(best_r, r, sizeof r);
        }
    }
    return best;
}

/* W = G G' + a little; skew: what is added to one half and taken from the other. */
static void draw_block(Draw *d, double little, double skew, double W[9])
{
    double G[9];
    for (int k = 0; k < 9; k++)
        G[k] = draw_between(d, -1.0, 1.0);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            W[3 * i + j] = i == j ? little : 0.0;
            for (int k = 0; k < 3; k++)
                W[3 * i + j] += G[3 * i + k] * G[3 * j + k];
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++) {
            double x = skew * draw_between(d, -1.0, 1.0);
            W[3 * i + j] += x;
            W[3 * j + i] -= x;
        }
}

typedef struct Tally {
    int lifts, sticks, slides, none;
} Tally;

/* Solves from a guess that may be anything; counts what became of it. */
static void solve_one(Draw *d, const double *W, double mu, Tally *tally)
{
    double q[3], inverse[9], twin[3];
    for (int i = 0; i < 3; i++)
        q[i] = draw_between(d, -1.0, 1.0);
    double r[3] = {draw_between(d, 0.0, 1.0), draw_between(d, -1.0, 1.0), draw_between(d, -1.0, 1.0)};
    if (draw_chance(d, 0.5))
        r[0] = r[1] = r[2] = 0.0;
    bool regular = rg_invert3(W, inverse);
    bool found = cone_local_solve(&(RgConeLocal){W, q, mu}, regular ? inverse : NULL, r);
    for (int i = 0; i < 3; i++)
        cr_assert(isfinite(r[i]));
    cr_expect(r[0] >= 0.0 && hypot(r[1], r[2]) <= mu * r[0] * (1.0 + 1e-12));
    if (!found) {
        tally->none++;
        double left = brute(W, q, mu, twin);
        cr_expect(left > 1e-9, "mu %g, q %g %g %g: there is an answer, %g %g %g, missing %g", mu, q[0], q[1], q[2],
                  twin[0], twin[1], twin[2], left);
        return;
    }
    double left = miss(W, q, mu, r);
    cr_expect(left < 1e-9, "mu %g, q %g %g %g: r %g %g %g misses %g", mu, q[0], q[1], q[2], r[0], r[1], r[2], left);
    tally->lifts += r[0] == 0.0;
    tally->sticks += r[0] > 0.0 && hypot(r[1], r[2]) < mu * r[0] * (1.0 - 1e-12);
    tally->slides += r[0] > 0.0 && hypot(r[1], r[2]) >= mu * r[0] * (1.0 - 1e-12);
}

/* Symmetric and positive: there is always an answer. */
Test(cone_local, law_holds_with_any_friction)
{
    const double mus[] = {0.0, 0.01, 0.3, 1.0, 3.0, 100.0};
    for (int m = 0; m < 6; m++) {
        Tally tally = {0};
        for (uint64_t seed = 1; seed <= 3000; seed++) {
            Draw d = draw_seed(seed + 10000 * (uint64_t)m);
            double W[9];
            draw_block(&d, 0.05, 0.0, W);
            solve_one(&d, W, mus[m], &tally);
        }
        cr_expect(tally.none == 0, "mu %g: %d without an answer", mus[m], tally.none);
        cr_expect(tally.lifts > 1000 && tally.slides > (m < 5 ? 100 : 0) && (m < 2 || tally.sticks > 20),
                  "mu %g: %d lift, %d stick, %d slide", mus[m], tally.lifts, tally.sticks, tally.slides);
    }
}

/* Not symmetric, or without full rank: an answer, or none where sampling all directions finds none. */
Test(cone_local, law_holds_without_symmetry_and_rank)
{
    for (int kind = 0; kind < 3; kind++) {
        Tally tally = {0};
        for (uint64_t seed = 1; seed <= 1500; seed++) {
            Draw d = draw_seed(seed + 100000 * (uint64_t)(kind + 1));
            double W[9], mu = draw_chance(&d, 0.3) ? draw_between(&d, 1.0, 100.0) : draw_between(&d, 0.0, 1.0);
            draw_block(&d, 0.05, kind == 0 ? 0.05 : kind == 1 ? 0.3 : 0.0, W);
            for (int i = 0; i < 3 && kind == 2; i++)
                W[6 + i] = W[3 * i + 2] = 0.0; /* nothing moves along the second tangent */
            solve_one(&d, W, mu, &tally);
        }
        cr_expect(tally.slides > 100 && tally.none < 400, "kind %d: %d slide, %d without", kind, tally.slides,
                  tally.none);
    }
}

/* With little friction the answer is one: that of the twin. */
Test(cone_local, agrees_with_all_directions)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        Draw d = draw_seed(seed + 31);
        double W[9], q[3], inverse[9], r[3] = {0.0, 0.0, 0.0}, twin[3], mu = draw_between(&d, 0.0, 0.2);
        draw_block(&d, 0.5, seed % 2 == 0 ? 0.02 : 0.0, W);
        for (int i = 0; i < 3; i++)
            q[i] = draw_between(&d, -1.0, 1.0);
        cr_assert(rg_invert3(W, inverse));
        cr_expect(cone_local_solve(&(RgConeLocal){W, q, mu}, inverse, r));
        brute(W, q, mu, twin);
        CHECK_NEAR_ALL(r, twin, 3, 1e-9, "N s");
    }
}

/* A block of mass 2 pushed down and along: friction mu n against the slip, or what holds it. */
Test(cone_local, one_block_in_closed_form)
{
    const double W[9] = {0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.5};
    const double per[9] = {2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0};
    double r[3] = {0.0, 0.0, 0.0};
    cr_expect(cone_local_solve(&(RgConeLocal){W, (double[]){-1.0, 3.0, 4.0}, 0.5}, per, r));
    CHECK_NEAR_ALL(r, ((double[]){2.0, -0.6, -0.8}), 3, 1e-14, "N s");
    cr_expect(cone_local_solve(&(RgConeLocal){W, (double[]){-1.0, 0.3, 0.4}, 0.5}, per, r));
    CHECK_NEAR_ALL(r, ((double[]){2.0, -0.6, -0.8}), 3, 1e-14, "N s");
    cr_expect(cone_local_solve(&(RgConeLocal){W, (double[]){-1.0, 0.1, 0.2}, 0.5}, per, r));
    CHECK_NEAR_ALL(r, ((double[]){2.0, -0.2, -0.4}), 3, 1e-14, "N s");
    cr_expect(cone_local_solve(&(RgConeLocal){W, (double[]){0.0, 0.1, 0.2}, 0.5}, per, r));
    cr_expect(r[0] == 0.0 && r[1] == 0.0 && r[2] == 0.0);
    cr_expect(cone_local_solve(&(RgConeLocal){W, (double[]){-1.0, 3.0, 4.0}, 0.0}, per, r));
    cr_expect(r[0] == 2.0 && r[1] == 0.0 && r[2] == 0.0);
}
