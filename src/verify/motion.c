/*
 * motion.c - paths of bodies within a step: poses, and enclosures of all poses in an interval.
 *
 * Cubic through f0, f1 with rates g0, g1 (with respect to u):
 *   f0 + g0 u + (3 (f1 - f0) - 2 g0 - g1) u^2 + (2 (f0 - f1) + g0 + g1) u^3
 *
 * The rate of w in R0 exp(w), for an angular velocity W in body axes, is dexpinv_w(W).
 *
 * Coefficients are computed in doubles once, and define the path; that it leads from end to end is checked
 * (check_step.c). Everything computed from them is enclosed.
 *
 * Tree: X_WB = X_WP X_PF X_FB(q), with the rotation of a moving joint as (rotation at the middle of the interval)
 * exp(rate x).
 */
#include "verify/motion.h"

#include <string.h>

static const struct {
    const char *name;
    RgTreeJoint joint;
    int nq, nv;
} joints[] = {
    {"revolute", RG_TREE_HELIX, 1, 1},
    {"continuous", RG_TREE_HELIX, 1, 1},
    {"prismatic", RG_TREE_HELIX, 1, 1},
    {"screw", RG_TREE_HELIX, 1, 1},
    {"cylindrical", RG_TREE_CYLINDRICAL, 2, 2},
    {"universal", RG_TREE_UNIVERSAL, 2, 2},
    {"spherical", RG_TREE_SPHERICAL, 4, 3},
    {"planar", RG_TREE_PLANAR, 3, 3},
    {"free", RG_TREE_FREE, 7, 6},
};

bool rg_tree_joint_find(const char *name, size_t length, RgTreeJoint *joint, int *nq, int *nv)
{
    for (size_t i = 0; i < sizeof joints / sizeof joints[0]; i++)
        if (strlen(joints[i].name) == length && memcmp(joints[i].name, name, length) == 0) {
            *joint = joints[i].joint;
            *nq = joints[i].nq;
            *nv = joints[i].nv;
            return true;
        }
    return false;
}

/* ------------------------------------------------------------------ paths of bodies */

static void cubic(RgVec3 f0, RgVec3 f1, RgVec3 g0, RgVec3 g1, RgVec3 out[4])
{
    RgVec3 d = v3_sub(f1, f0);
    out[0] = f0;
    out[1] = g0;
    out[2] = v3_sub(v3_scale(3.0, d), v3_add(v3_scale(2.0, g0), g1));
    out[3] = v3_add(v3_scale(-2.0, d), v3_add(g0, g1));
}

static bool finite4(const RgVec3 k[4])
{
    return v3_finite(k[0]) && v3_finite(k[1]) && v3_finite(k[2]) && v3_finite(k[3]);
}

bool rg_mover_curve(const RgBodyPlace *begin, const RgBodyPlace *end, double h, RgMovingShape *out)
{
    RgMat3 R1 = q_matrix(end->turn);
    out->moves = true;
    out->R0 = q_matrix(begin->turn);
    RgVec3 turn = q_log(q_normalise(q_mul(q_conjugate(begin->turn), end->turn)));
    RgVec3 rate0 = m3_apply_t(out->R0, begin->w), rate1 = q_dexpinv(turn, m3_apply_t(R1, end->w));
    cubic(begin->centre, end->centre, v3_scale(h, begin->velocity), v3_scale(h, end->velocity), out->c);
    cubic(v3_zero(), turn, v3_scale(h, rate0), v3_scale(h, rate1), out->w);
    return finite4(out->c) && finite4(out->w) && v3_norm(turn) < 0.999 * RG_PI;
}

void rg_mover_straight(const RgBodyPlace *begin, double h, RgMovingShape *out)
{
    memset(out, 0, sizeof *out);
    out->moves = true;
    out->R0 = q_matrix(begin->turn);
    out->c[0] = begin->centre;
    out->c[1] = v3_scale(h, begin->velocity);
    out->w[1] = v3_scale(h, m3_apply_t(out->R0, begin->w));
}

void rg_mover_still(const RgBodyPlace *at, RgMovingShape *out)
{
    memset(out, 0, sizeof *out);
    out->R0 = q_matrix(at->turn);
    out->c[0] = at->centre;
}

static RgVec3 cubic_at(const RgVec3 k[4], double u)
{
    return v3_axpy(u, v3_axpy(u, v3_axpy(u, k[3], k[2]), k[1]), k[0]);
}

static RgSeries3 cubic_series(const RgVec3 k[4], double a, double b)
{
    double middle = 0.5 * (a + b), half = 0.5 * (b - a);
    RgSeries3 s;
    for (int i = 0; i < 3; i++) {
        double one[4] = {v3_at(k[0], i), v3_at(k[1], i), v3_at(k[2], i), v3_at(k[3], i)};
        s.at[i] = rg_series_cubic(one, middle, half);
    }
    return s;
}

static bool mover_series(const RgMovingShape *m, double a, double b, RgMoving *out)
{
    if (!m->moves) {
        out->R = rg_series33_matrix(m->R0);
        out->c = rg_series3_vector(m->c[0]);
        return true;
    }
    RgSeries3 w = cubic_series(m->w, a, b);
    RgSeries33 turn;
    out->c = cubic_series(m->c, a, b);
    if (!rg_series_turn(&w, &turn))
        return false;
    out->R = rg_series33_turned(m->R0, &turn);
    return true;
}

/* ------------------------------------------------------------------ trees */

/* X_FB of a moving joint: p = p0 + p1 x, R = R0 exp(w0 x) R1 exp(w1 x), x in [-1, 1]. */
typedef struct JointMotion {
    RgVec3 p0, p1;
    RgMat3 R0, R1;
    RgVec3 w0, w1;
    double rounding; /* rad: bound of the rounding of the angles at the middle */
} JointMotion;

static RgMat3 turn_about(RgVec3 axis, double angle)
{
    return q_matrix(q_exp(v3_scale(angle, axis)));
}

/* The joint about time s (s); x = 1 is `half` seconds later. */
static JointMotion joint_motion(const RgTreeBody *b, const double *q, const double *v, double s, double half)
{
    JointMotion m = {.R0 = m3_identity(), .R1 = m3_identity()};
    RgVec3 z = v3(0.0, 0.0, 1.0);
    double at[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3 && b->joint != RG_TREE_SPHERICAL && b->joint != RG_TREE_FREE; k++) {
        bool has = k == 0 || (k == 1 && b->joint != RG_TREE_HELIX) || b->joint == RG_TREE_PLANAR;
        at[k] = has ? q[k] + s * v[k] : 0.0;
        m.rounding += RG_SERIES_ULP * (has ? fabs(q[k]) + fabs(s * v[k]) : 0.0);
    }
    switch (b->joint) {
    case RG_TREE_HELIX:
        m.R0 = turn_about(z, b->turn * at[0]);
        m.w0 = v3_scale(b->turn * v[0] * half, z);
        m.p0 = v3_scale(b->slide * at[0], z);
        m.p1 = v3_scale(b->slide * v[0] * half, z);
        break;
    case RG_TREE_CYLINDRICAL:
        m.R0 = turn_about(z, at[0]);
        m.w0 = v3_scale(v[0] * half, z);
        m.p0 = v3_scale(at[1], z);
        m.p1 = v3_scale(v[1] * half, z);
        break;
    case RG_TREE_PLANAR:
        m.R0 = turn_about(z, at[2]);
        m.w0 = v3_scale(v[2] * half, z);
        m.p0 = v3(at[0], at[1], 0.0);
        m.p1 = v3(v[0] * half, v[1] * half, 0.0);
        break;
    case RG_TREE_UNIVERSAL:
        m.R0 = turn_about(b->axis1, at[0]);
        m.w0 = v3_scale(v[0] * half, b->axis1);
        m.R1 = turn_about(z, at[1]);
        m.w1 = v3_scale(v[1] * half, z);
        break;
    case RG_TREE_FREE:
        m.p0 = v3(q[4] + s * v[3], q[5] + s * v[4], q[6] + s * v[5]);
        m.p1 = v3(half * v[3], half * v[4], half * v[5]);
        /* rotates as a spherical joint */
        /* fall through */
    case RG_TREE_SPHERICAL:
        m.R0 = m3_mul(q_matrix(q_load(q)), q_matrix(q_exp(v3(s * v[0], s * v[1], s * v[2]))));
        m.w0 = v3(half * v[0], half * v[1], half * v[2]);
        m.rounding = RG_SERIES_ULP * fabs(s) * v3_norm(v3(v[0], v[1], v[2]));
        break;
    }
    return m;
}

/* Enclosure of R exp(w x). */
static bool turn_series(RgMat3 R, RgVec3 w, double rounding, RgSeries33 *out)
{
    RgSeries3 rate = rg_series3_vector(v3_zero());
    for (int i = 0; i < 3; i++)
        rate.at[i].c[1] = v3_at(w, i);
    RgSeries33 turn;
    if (!rg_series_turn(&rate, &turn))
        return false;
    *out = rg_series33_turned(R, &turn);
    for (int i = 0; i < 9; i++)
        out->at[i / 3][i % 3].r = rg_series_out(out->at[i / 3][i % 3].r + rounding + 16.0 * RG_SERIES_ULP);
    return true;
}

/* Enclosure of the body's frame at its own origin, not at the centre of mass. */
static bool tree_series(const RgMotionStep *step, int body, double a, double b, RgMoving *out)
{
    out->R = rg_series33_matrix(m3_identity());
    out->c = rg_series3_vector(v3_zero());
    bool known = true;
    for (int i = body; i >= 0 && known; i = step->tree[i].parent) {
        /* Transforms the enclosure from this body's frame to the joint's frame, then to the parent's. */
        const RgTreeBody *t = &step->tree[i];
        JointMotion m =
            joint_motion(t, step->q + t->q0, step->v + t->v0, 0.5 * (a + b) * step->h, 0.5 * (b - a) * step->h);
        RgSeries33 first, second;
        known = turn_series(m3_mul(t->X_PF.R, m.R0), m.w0, m.rounding, &first);
        if (known && t->joint == RG_TREE_UNIVERSAL) {
            known = turn_series(m.R1, m.w1, m.rounding, &second);
            first = rg_series33_mul(&first, &second);
        }
        RgVec3 p0 = pose_apply(t->X_PF, m.p0), p1 = m3_apply(t->X_PF.R, m.p1);
        out->R = rg_series33_mul(&first, &out->R);
        out->c = rg_series33_apply(&first, &out->c);
        for (int k = 0; k < 3; k++) {
            RgSeries p = {{v3_at(p0, k), v3_at(p1, k)}, 0.0};
            p.r = 8.0 * RG_SERIES_ULP * (v3_norm(p0) + v3_norm(p1));
            out->c.at[k] = rg_series_add(&out->c.at[k], &p);
        }
    }
    return known;
}

static RgPose tree_pose(const RgMotionStep *step, int body, double u)
{
    RgPose X = pose_identity();
    for (int i = body; i >= 0; i = step->tree[i].parent) {
        const RgTreeBody *t = &step->tree[i];
        JointMotion m = joint_motion(t, step->q + t->q0, step->v + t->v0, u * step->h, 0.0);
        RgPose X_FB = {m3_mul(m.R0, m.R1), m.p0};
        X = pose_mul(pose_mul(t->X_PF, X_FB), X);
    }
    return X;
}

/* ------------------------------------------------------------------ public */

RgPose rg_motion_pose(const RgMotionStep *step, int body, double u)
{
    if (body < 0)
        return pose_identity();
    if (step->by_tree) {
        RgPose X = tree_pose(step, body, u);
        return (RgPose){X.R, pose_apply(X, step->tree[body].centre)};
    }
    const RgMovingShape *m = &step->movers[body];
    if (!m->moves)
        return (RgPose){m->R0, m->c[0]};
    return (RgPose){m3_mul(m->R0, q_matrix(q_exp(cubic_at(m->w, u)))), cubic_at(m->c, u)};
}

bool rg_motion_series(const RgMotionStep *step, int body, double a, double b, RgMoving *out)
{
    if (body < 0) {
        out->R = rg_series33_matrix(m3_identity());
        out->c = rg_series3_vector(v3_zero());
        return true;
    }
    if (!step->by_tree)
        return mover_series(&step->movers[body], a, b, out);
    if (!tree_series(step, body, a, b, out))
        return false;
    for (int i = 0; i < 3; i++) {
        RgSeries3 row = {{out->R.at[i][0], out->R.at[i][1], out->R.at[i][2]}};
        out->c.at[i] = rg_series_point(&out->c.at[i], &row, step->tree[body].centre);
    }
    return true;
}
