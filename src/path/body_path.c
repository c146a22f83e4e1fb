/*
 * body_path.c - the curve on which a body moves from one state to the next, with bounds of its derivatives.
 *
 * Hermite cubics through positions c0, c1 and velocities v0, v1, and through rotation vectors 0, u = log(R0' R1) and
 * their rates (at the start the angular velocity in body axes, at the end dexp^-1(u) of it):
 *
 *   x(s) = x0 + v0 s + (3 (x1 - x0)/h - 2 v0 - v1) s^2/h + (v0 + v1 - 2 (x1 - x0)/h) s^3/h^2
 *
 * Bounds. The norm of a polynomial is at most that of its largest Bernstein coefficient. The angular velocity in body
 * axes is
 *
 *   omega = w' + G(w) x,   x = w x w' = s^2 w1 x w2 + 2 s^3 w1 x w3 + s^4 w2 x w3,   G(w) = sum (-1)^(j+1)/(j+2)! [w]^j
 *
 * so for a rotation about a fixed axis omega = w'. |k-th derivative of G in w| <= g^(k)(|w|), g(t) = sum t^j/(j+2)!,
 * and the rules of Leibniz and Faa di Bruno give bounds W_k of |omega^(k)|. With R' = R [omega]:
 *
 *   |R'| <= W0   |R''| <= W0^2 + W1   |R'''| <= W0^3 + 3 W0 W1 + W2
 *   |R''''| <= W0^4 + 6 W0^2 W1 + 3 W1^2 + 4 W0 W2 + W3
 *
 * Failure: rotations beyond MOST_TURN, near pi, where the logarithm is not unique.
 */
#include "path/body_path.h"

/* rad: limit of the rotation from end to end, and of angular velocity times h at either end; below pi. */
#define MOST_TURN 3.0
/* rad: limit of the rotation vector's norm on the cubic between them. */
#define MOST_SWING 6.0
/* Relative enlargement of bounds, for their own round-off. */
#define BOUND_ROUND_OFF 1e-12
/* Number of terms of g: t^j/(j+2)! is below 1e-16 of the sum for t <= MOST_SWING. */
#define SERIES 40

/* ------------------------------------------------------------------ cubics */

/* Coefficients of the cubic through 0 and change, with rates v0 and v1 there. */
static void hermite(RgVec3 change, RgVec3 v0, RgVec3 v1, double h, RgVec3 out[4])
{
    RgVec3 mean = v3_scale(1.0 / h, change);
    out[0] = v3_zero();
    out[1] = v0;
    out[2] = v3_scale(1.0 / h, v3_sub(v3_scale(3.0, mean), v3_axpy(2.0, v0, v1)));
    out[3] = v3_scale(1.0 / h / h, v3_axpy(-2.0, mean, v3_add(v0, v1)));
}

static RgVec3 cubic_at(const RgVec3 p[4], double s)
{
    return v3_axpy(s, v3_axpy(s, v3_axpy(s, p[3], p[2]), p[1]), p[0]);
}

static RgVec3 cubic_rate(const RgVec3 p[4], double s)
{
    return v3_axpy(s, v3_axpy(3.0 * s, p[3], v3_scale(2.0, p[2])), p[1]);
}

void rg_cubic_bounds(const RgVec3 p[4], double h, double out[RG_PATH_DERIVATIVES])
{
    /* Bernstein coefficients of the cubic and of its derivatives. */
    RgVec3 b1 = v3_axpy(h / 3.0, p[1], p[0]);
    RgVec3 b2 = v3_axpy(h * h / 3.0, p[2], v3_axpy(2.0 * h / 3.0, p[1], p[0])), b3 = cubic_at(p, h);
    out[0] = fmax(fmax(v3_norm(p[0]), v3_norm(b1)), fmax(v3_norm(b2), v3_norm(b3)));
    out[1] = fmax(fmax(v3_norm(p[1]), v3_norm(v3_axpy(h, p[2], p[1]))), v3_norm(cubic_rate(p, h)));
    out[2] = 2.0 * fmax(v3_norm(p[2]), v3_norm(v3_axpy(3.0 * h, p[3], p[2])));
    out[3] = 6.0 * v3_norm(p[3]);
    out[4] = 0.0;
    for (int k = 0; k < RG_PATH_DERIVATIVES; k++)
        out[k] += BOUND_ROUND_OFF * out[k];
}

/* ------------------------------------------------------------------ bounds of the turn */

/* g and its first three derivatives at t (majorants of G's). */
static void majorant(double t, double g[4])
{
    double power[3] = {0.0, 0.0, 0.0}, last = 1.0, factorial = 2.0;
    for (int k = 0; k < 4; k++)
        g[k] = 0.0;
    /* Term j of the k-th derivative: j (j-1) ... (j-k+1) t^(j-k) / (j+2)!. */
    for (int j = 0; j < SERIES; j++) {
        g[0] += last / factorial;
        g[1] += j * power[0] / factorial;
        g[2] += j * (j - 1.0) * power[1] / factorial;
        g[3] += j * (j - 1.0) * (j - 2.0) * power[2] / factorial;
        power[2] = power[1];
        power[1] = power[0];
        power[0] = last;
        last *= t;
        factorial *= j + 3.0;
    }
}

/* Bounds of omega and its first three derivatives. */
static void omega_bounds(const RgVec3 w[4], double h, const double u[RG_PATH_DERIVATIVES], double out[4])
{
    /* x = w x w' and its derivatives. */
    double a = v3_norm(v3_cross(w[1], w[2])), b = v3_norm(v3_cross(w[1], w[3])), c = v3_norm(v3_cross(w[2], w[3]));
    double x[4] = {h * h * (a + h * (2.0 * b + h * c)), h * (2.0 * a + h * (6.0 * b + h * 4.0 * c)),
                   2.0 * a + h * (12.0 * b + h * 12.0 * c), 12.0 * b + 24.0 * h * c};
    double g[4];
    majorant(u[0], g);
    double d[4] = {g[0], g[1] * u[1], g[2] * u[1] * u[1] + g[1] * u[2],
                   g[3] * u[1] * u[1] * u[1] + 3.0 * g[2] * u[1] * u[2] + g[1] * u[3]};
    out[0] = u[1] + d[0] * x[0];
    out[1] = u[2] + d[0] * x[1] + d[1] * x[0];
    out[2] = u[3] + d[0] * x[2] + 2.0 * d[1] * x[1] + d[2] * x[0];
    out[3] = d[0] * x[3] + 3.0 * d[1] * x[2] + 3.0 * d[2] * x[1] + d[3] * x[0];
}

static bool set_bounds(RgBodyPath *path)
{
    rg_cubic_bounds(path->c, path->h, path->travel);
    path->travel[0] = 0.0;
    double u[RG_PATH_DERIVATIVES], W[4];
    rg_cubic_bounds(path->w, path->h, u);
    if (!(u[0] <= MOST_SWING))
        return false;
    omega_bounds(path->w, path->h, u, W);
    path->turning[0] = 1.0;
    path->turning[1] = W[0];
    path->turning[2] = W[0] * W[0] + W[1];
    path->turning[3] = W[0] * W[0] * W[0] + 3.0 * W[0] * W[1] + W[2];
    path->turning[4] = W[0] * W[0] * (W[0] * W[0] + 6.0 * W[1]) + 3.0 * W[1] * W[1] + 4.0 * W[0] * W[2] + W[3];
    bool finite = true;
    for (int k = 1; k < RG_PATH_DERIVATIVES; k++) {
        path->turning[k] += BOUND_ROUND_OFF * path->turning[k];
        finite = finite && isfinite(path->turning[k]) && isfinite(path->travel[k]);
    }
    return finite;
}

/* ------------------------------------------------------------------ paths */

static bool end_finite(const RgBodyEnd *end)
{
    return pose_finite(end->X_WB) && v3_finite(end->centre) && v3_finite(end->velocity) && v3_finite(end->w);
}

bool rg_body_path_between(const RgBodyEnd *begin, const RgBodyEnd *end, double h, RgBodyPath *out)
{
    if (!(h > 0.0) || !isfinite(h) || !end_finite(begin) || !end_finite(end))
        return false;
    *out = (RgBodyPath){.h = h, .R0 = begin->X_WB.R};
    out->centre_B = m3_apply_t(begin->X_WB.R, v3_sub(begin->centre, begin->X_WB.p));
    hermite(v3_sub(end->centre, begin->centre), begin->velocity, end->velocity, h, out->c);
    out->c[0] = begin->centre;

    /* The rotation vector, in body axes. */
    if (!(h * fmax(v3_norm(begin->w), v3_norm(end->w)) <= MOST_TURN))
        return false;
    RgVec3 u = q_log(q_from_matrix(m3_mul_t(begin->X_WB.R, end->X_WB.R)));
    if (!(v3_norm(u) <= MOST_TURN))
        return false;
    RgVec3 w0 = m3_apply_t(begin->X_WB.R, begin->w), w1 = m3_apply_t(end->X_WB.R, end->w);
    hermite(u, w0, q_dexpinv(u, w1), h, out->w);
    return set_bounds(out);
}

RgBodyAt rg_body_path_at(const RgBodyPath *path, double s)
{
    RgVec3 u = cubic_at(path->w, s), rate = cubic_rate(path->w, s);
    RgBodyAt at = {.centre = cubic_at(path->c, s), .velocity = cubic_rate(path->c, s)};
    at.R = m3_mul(path->R0, q_matrix(q_exp(u)));
    at.w_B = q_dexp(u, rate);
    return at;
}

RgPose rg_body_path_pose(const RgBodyPath *path, double s)
{
    RgBodyAt at = rg_body_path_at(path, s);
    return (RgPose){at.R, v3_sub(at.centre, m3_apply(at.R, path->centre_B))};
}

RgMotion rg_body_path_twist(const RgBodyPath *path, double s)
{
    RgBodyAt at = rg_body_path_at(path, s);
    return (RgMotion){m3_apply(at.R, at.w_B), at.velocity};
}
