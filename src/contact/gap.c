/*
 * gap.c - the gap at one contact point, in closed form.
 *
 * With a, b the points of the two bodies in world axes, r = b - a, e and f their unit directions:
 *
 *   plane of A, point of B   n fixed in A                 phi = n . r - radius     (and the other way round)
 *   lines                    n = side e x f / |e x f|     phi = n . r - radius
 *   points                   n = r / |r|                  phi = |r| - radius
 *   line of A, point of B    q = r - (r . e) e, n = q/|q| phi = |q| - radius       (and the other way round)
 *   plane of A, ellipsoid    n fixed in A                 phi = n . r - sqrt(n . S n) - radius    (likewise)
 *
 * An ellipsoid of half axes d_i and axes R has S = R diag(d_i^2) R'; its lowest point over the plane is b - S n /
 * sqrt(n . S n). With one half axis zero it is a disc: the rim of a cylinder that lies, leans or rolls.
 *
 *        b *            The two reported points are those of the surfaces on the normal through b (for two lines, on
 *          | phi        their common perpendicular). The normal velocity of a body is constant along the normal, and
 *   _______*_______ A   moving a point within its own plane or along its own line changes no gap; so for all kinds
 *          a
 *                              d phi / dt = n . (v_B(point_b) - v_A(point_a)).
 *
 * Failure cases: lines that became parallel, points that coincide. Then the normal is not unique, and one orthogonal to
 * the remaining direction is used, so no result is NaN. touch_set.c chooses another kind of gap in these cases.
 */
#include "contact/gap.h"

#include "math/spatial.h"

/* Sine of the angle below which two lines count as parallel; distance (m) below which two points coincide. */
#define PARALLEL_SINE 1e-9
#define COINCIDENT_DISTANCE 1e-150

/* Both features in world axes. */
typedef struct Placed {
    RgVec3 a, b; /* places */
    RgVec3 e, f; /* directions */
} Placed;

/* Unit vector along r; if r is zero, some unit vector orthogonal to the unit vector e. */
static RgVec3 unit_or_across(RgVec3 r, RgVec3 e, double *length)
{
    *length = v3_norm(r);
    return *length > COINCIDENT_DISTANCE ? v3_scale(1.0 / *length, r) : v3_orthogonal(e);
}

/* Part of r orthogonal to the unit vector e. */
static RgVec3 reject(RgVec3 r, RgVec3 e)
{
    return v3_axpy(-v3_dot(r, e), e, r);
}

/* Normal of two lines; replaces their points by the feet of the common perpendicular. */
static RgVec3 lines_normal(Placed *at, double side)
{
    RgVec3 r = v3_sub(at->b, at->a), c = v3_cross(at->e, at->f);
    double sine2 = v3_norm2(c), length;
    if (!(sine2 > PARALLEL_SINE * PARALLEL_SINE)) {
        at->a = v3_axpy(v3_dot(r, at->e), at->e, at->a);
        return unit_or_across(reject(r, at->e), at->e, &length);
    }
    at->a = v3_axpy(v3_dot(v3_cross(r, at->f), c) / sine2, at->e, at->a);
    at->b = v3_axpy(v3_dot(v3_cross(r, at->e), c) / sine2, at->f, at->b);
    return v3_scale(side / sqrt(sine2), c);
}

/* Vector from the centre of an ellipsoid to its farthest point along n; way: its component along n. */
static RgVec3 to_farthest(const RgGap *gap, RgMat3 R, RgVec3 n, double *way)
{
    RgVec3 own = m3_apply_t(R, n), push = s3_apply(gap->round, own);
    double square = v3_dot(own, push);
    *way = square > 0.0 ? sqrt(square) : 0.0;
    return square > 0.0 ? v3_scale(1.0 / *way, m3_apply(R, push)) : v3_zero();
}

RgGapAt rg_gap_at(const RgGap *gap, const RgPose *X_WA, const RgPose *X_WB)
{
    static const RgVec3 up = {0.0, 0.0, 1.0};
    Placed at = {pose_apply(*X_WA, gap->place_a), pose_apply(*X_WB, gap->place_b), m3_apply(X_WA->R, gap->along_a),
                 m3_apply(X_WB->R, gap->along_b)};
    RgVec3 r = v3_sub(at.b, at.a), n = up;
    double length = 0.0, way;
    switch (gap->kind) {
    case RG_GAP_PLANE_POINT:
        n = at.e;
        length = v3_dot(n, r);
        at.a = v3_axpy(-length, n, at.b);
        break;
    case RG_GAP_POINT_PLANE:
        n = at.f;
        length = v3_dot(n, r);
        at.b = v3_axpy(length, n, at.a);
        break;
    case RG_GAP_LINES:
        n = lines_normal(&at, gap->side);
        length = v3_dot(n, r);
        break;
    case RG_GAP_POINTS:
        n = unit_or_across(r, up, &length);
        break;
    case RG_GAP_LINE_POINT:
        n = unit_or_across(reject(r, at.e), at.e, &length);
        at.a = v3_axpy(v3_dot(r, at.e), at.e, at.a);
        break;
    case RG_GAP_POINT_LINE:
        n = unit_or_across(reject(r, at.f), at.f, &length);
        at.b = v3_axpy(-v3_dot(r, at.f), at.f, at.b);
        break;
    case RG_GAP_PLANE_ROUND:
        n = at.e;
        at.b = v3_sub(at.b, to_farthest(gap, X_WB->R, n, &way));
        length = v3_dot(n, r) - way;
        at.a = v3_axpy(-length, n, at.b);
        break;
    case RG_GAP_ROUND_PLANE:
        n = at.f;
        at.a = v3_add(at.a, to_farthest(gap, X_WA->R, n, &way));
        length = v3_dot(n, r) - way;
        at.b = v3_axpy(length, n, at.a);
        break;
    }
    return (RgGapAt){.value = length - gap->radius,
                     .point_a = v3_axpy(gap->radius_a, n, at.a),
                     .point_b = v3_axpy(gap->radius_a - gap->radius, n, at.b),
                     .normal = n};
}

double rg_gap_rate(const RgGap *gap, const RgPose *X_WA, const RgMotion *V_A, const RgPose *X_WB, const RgMotion *V_B)
{
    RgGapAt at = rg_gap_at(gap, X_WA, X_WB);
    RgVec3 a = mv_shift(*V_A, v3_sub(at.point_a, X_WA->p)).v, b = mv_shift(*V_B, v3_sub(at.point_b, X_WB->p)).v;
    return v3_dot(at.normal, v3_sub(b, a));
}
