/*
 * pair_motion.c - relative motion of two convex shapes on their paths, and bounds of its derivatives.
 *
 * A point of B, p_B(s) = c_B + R_B r, is at y = R_A' (p_B - c_A) in the frame of A. By the Leibniz rule:
 *
 *   |y^(k)| <= sum_j C(k,j) T_A[j] Z[k-j],   Z[j] = |(c_B - c_A)^(j)| + T_B[j] |r|,   T[j] = |R^(j)|, T[0] = 1
 *
 * with c_B - c_A bounded as one polynomial, so that common motion cancels. If A is fixed only j = 0 remains. The rate
 * of the distance of two shapes is at most the relative speed of their nearest points.
 */
#include "path/pair_motion.h"

#include "collision/motion_bound.h"

/* The reach of cores with up to this many vertices is that of the farthest vertex; of others that of the bounding ball.
   */
#define MEASURED_VERTICES 64

/* Relative round-off of a height: two poses, their product, a few dot products. */
#define HEIGHT_ROUND_OFF 0x1p-48

static const double binomial[RG_PATH_DERIVATIVES][RG_PATH_DERIVATIVES] = {{1.0, 0.0, 0.0, 0.0, 0.0},
                                                                          {1.0, 1.0, 0.0, 0.0, 0.0},
                                                                          {1.0, 2.0, 1.0, 0.0, 0.0},
                                                                          {1.0, 3.0, 3.0, 1.0, 0.0},
                                                                          {1.0, 4.0, 6.0, 4.0, 1.0}};

RgMovingShape rg_mover(const RgPathShape *shape, const RgShape *part)
{
    RgMovingShape out = {.shape = part, .path = shape->path, .R = shape->X_BS.R, .p = shape->X_BS.p};
    RgVec3 centre_S = v3_zero();
    out.turning[0] = 1.0;
    if (shape->path != NULL) {
        out.p = v3_sub(shape->X_BS.p, shape->path->centre_B);
        centre_S = v3_neg(m3_apply_t(out.R, out.p));
        for (int k = 1; k < RG_PATH_DERIVATIVES; k++)
            out.turning[k] = shape->path->turning[k];
    }
    out.rounding = rg_shape_rounding(part);
    const RgShapeKind *kind = rg_shape_kind(part->type);
    out.is_round = part->core == NULL && kind->round_part != NULL;
    if (out.is_round)
        out.round = kind->round_part(part);
    const RgGeometry *g = shape->geometry;
    if (part->core != NULL && (part->core->nv <= MEASURED_VERTICES || !isfinite(g->radius)))
        out.reach = rg_polytope_reach(part->core, centre_S);
    else if (isfinite(g->radius))
        out.reach = v3_norm(v3_sub(g->centre, centre_S)) + g->radius;
    return out;
}

/* Coefficients of the path of the centre. */
static void centre_of(const RgMovingShape *m, RgVec3 c[4])
{
    for (int k = 0; k < 4; k++)
        c[k] = m->path != NULL ? m->path->c[k] : v3_zero();
    if (m->path == NULL)
        c[0] = m->p;
}

/* m: by how much a search among many vertices may miss the farthest one. */
static double search_slack(const RgMovingShape *m)
{
    return m->shape->core != NULL && m->shape->core->start != NULL ? m->shape->core->slack : 0.0;
}

/* m: bound of the distance of a shape's points from the world origin in the step. */
static double far_from_origin(const RgMovingShape *m, double h)
{
    double travelled = m->path != NULL ? h * m->path->travel[1] : 0.0;
    RgVec3 at = m->path != NULL ? m->path->c[0] : v3_zero();
    return v3_norm(at) + travelled + v3_norm(m->p) + m->reach + m->rounding;
}

void rg_pair_motion(RgPairMotion *m, double h)
{
    m->h = h;
    RgVec3 ca[4], cb[4];
    centre_of(&m->a, ca);
    centre_of(&m->b, cb);
    for (int k = 0; k < 4; k++)
        cb[k] = v3_sub(cb[k], ca[k]);
    rg_cubic_bounds(cb, h, m->apart);

    /* A half-space has no farthest point. */
    bool turns_a = m->a.turning[1] > 0.0, turns_b = m->b.turning[1] > 0.0;
    bool endless =
        (turns_a && m->a.shape->type == RG_SHAPE_halfspace) || (turns_b && m->b.shape->type == RG_SHAPE_halfspace);
    m->speed =
        m->apart[1] + m->a.turning[1] * (m->a.reach + m->a.rounding) + m->b.turning[1] * (m->b.reach + m->b.rounding);
    if (endless)
        m->speed = INFINITY;
    m->round_off = HEIGHT_ROUND_OFF * (far_from_origin(&m->a, h) + far_from_origin(&m->b, h)) + search_slack(&m->a) +
                   search_slack(&m->b);
}

/* A shape's frame in the world, and its velocities; w in its own axes. */
typedef struct Placed {
    RgMat3 R;
    RgVec3 p, v, w;
} Placed;

static Placed place(const RgMovingShape *m, double s)
{
    if (m->path == NULL)
        return (Placed){m->R, m->p, v3_zero(), v3_zero()};
    RgBodyAt at = rg_body_path_at(m->path, s);
    Placed out = {.R = m3_mul(at.R, m->R), .w = m3_apply_t(m->R, at.w_B)};
    out.p = v3_add(at.centre, m3_apply(at.R, m->p));
    out.v = v3_add(at.velocity, m3_apply(at.R, v3_cross(at.w_B, m->p)));
    return out;
}

RgPairAt rg_pair_at(const RgPairMotion *m, double s)
{
    Placed a = place(&m->a, s), b = place(&m->b, s);
    RgPairAt out = {.s = s, .Q = m3_mul_t(a.R, b.R), .d = m3_apply_t(a.R, v3_sub(b.p, a.p))};
    out.rate = v3_sub(m3_apply_t(a.R, v3_sub(b.v, a.v)), v3_cross(a.w, out.d));
    out.w = v3_sub(m3_apply(out.Q, b.w), a.w);
    return out;
}

RgPairAt rg_pair_at_swap(const RgPairAt *at)
{
    RgPairAt out = {.s = at->s, .Q = m3_transpose(at->Q), .d = v3_neg(m3_apply_t(at->Q, at->d))};
    out.w = v3_neg(m3_apply_t(at->Q, at->w));
    out.rate = v3_neg(m3_apply_t(at->Q, v3_add(at->rate, v3_cross(at->d, at->w))));
    return out;
}

double rg_leibniz(const double a[RG_PATH_DERIVATIVES], const double b[RG_PATH_DERIVATIVES], int k)
{
    double sum = 0.0;
    for (int j = 0; j <= k; j++)
        sum += binomial[k][j] * a[j] * b[k - j];
    return sum;
}

double rg_pair_derivative(const RgPairMotion *m, const RgMovingShape *from, const RgMovingShape *of, double reach,
                          int k)
{
    double way[RG_PATH_DERIVATIVES];
    for (int j = 0; j <= k; j++)
        way[j] = m->apart[j] + of->turning[j] * reach;
    return rg_leibniz(from->turning, way, k);
}

double rg_pair_turning(const RgMovingShape *from, const RgMovingShape *of, int k)
{
    return rg_leibniz(from->turning, of->turning, k);
}
