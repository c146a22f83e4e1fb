/*
 * joint_state.c - fits a joint to the poses of its two frames, and computes the constraint directions T and the left
 * inverse W of S.
 *
 * T: Gram-Schmidt on the six unit wrenches against the columns of S, always choosing the one with the largest
 * remainder, twice for accuracy. W = S (S'S)^-1 in the axes of G, by Cholesky of the nv x nv matrix. Metres and radians
 * are mixed there: T spans the right space in any units, and W'S = 1 holds exactly. S of a kind never loses rank,
 * except that of a universal joint with collinear axes; then the pivot is kept at a small positive number and W is
 * large but finite.
 *
 * Along the world axes T is computed anew at every pose, and the impulse of row k is the first guess of row k in the
 * next step. So order and sign are fixed by a rule that is continuous in S: forces orthogonal to the translations, then
 * couples orthogonal to the rotations.
 */
#include "coords/joint_state.h"

#include <string.h>

/* Squared sine of the smallest angle between the axes of a universal joint at which S is still inverted exactly. */
#define RANK_FLOOR 1e-24

static double dot6(const double *a, const double *b)
{
    return ((a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])) + (a[4] * b[4] + a[5] * b[5]);
}

/* Removes the components along n orthonormal vectors from x. */
static void remove_parts(double *x, double basis[6][6], int n)
{
    for (int i = 0; i < n; i++) {
        double part = dot6(x, basis[i]);
        for (int k = 0; k < 6; k++)
            x[k] -= part * basis[i][k];
    }
}

static void normalise6(double *x)
{
    double scale = 1.0 / sqrt(dot6(x, x));
    for (int k = 0; k < 6; k++)
        x[k] *= scale;
}

/* Orthonormal basis of the complement of the nv columns in s: fills basis[nv ... 5]. */
static void complement(double s[6][6], int nv, double basis[6][6])
{
    for (int i = 0; i < nv; i++) {
        memcpy(basis[i], s[i], sizeof basis[i]);
        remove_parts(basis[i], basis, i);
        remove_parts(basis[i], basis, i);
        normalise6(basis[i]);
    }
    for (int i = nv; i < 6; i++) {
        double best = -1.0;
        for (int e = 0; e < 6; e++) {
            double x[6] = {0.0};
            x[e] = 1.0;
            remove_parts(x, basis, i);
            remove_parts(x, basis, i);
            double size = dot6(x, x);
            if (size > best + 1e-9) { /* ties: the first */
                best = size;
                memcpy(basis[i], x, sizeof x);
            }
        }
        normalise6(basis[i]);
    }
}

static RgVec3 unit(RgVec3 a)
{
    return v3_scale(1.0 / v3_norm(a), a);
}

/* Two unit vectors orthogonal to the unit vector n. */
static void plane_space(RgVec3 n, RgVec3 out[2])
{
    out[0] = v3_plane_space(n);
    out[1] = v3_cross(n, out[0]);
}

/* Unit vectors orthogonal to n given directions, n <= 3; returns their number. */
static int orthogonal_directions(const RgVec3 *given, int n, RgVec3 out[3])
{
    if (n == 0) {
        for (int k = 0; k < 3; k++)
            out[k] = v3(k == 0, k == 1, k == 2);
    } else if (n == 1) {
        plane_space(unit(given[0]), out);
    } else if (n == 2) {
        RgVec3 normal = v3_cross(given[0], given[1]);
        if (v3_norm2(normal) > RANK_FLOOR)
            out[0] = unit(normal);
        else
            plane_space(unit(given[0]), out);
    }
    return 3 - n;
}

static bool is_zero(RgVec3 a)
{
    return v3_norm2(a) == 0.0;
}

/* A rotation with a translation along its axis n (screw): orthogonal to n both forces and couples, along n a
   combination. */
static void screw_constraints(RgMotion S, RgForce *T)
{
    RgVec3 n = unit(S.w), side[2];
    double pitch = v3_dot(S.v, n) / v3_norm(S.w), scale = 1.0 / sqrt(1.0 + pitch * pitch);
    plane_space(n, side);
    for (int k = 0; k < 2; k++) {
        T[k] = (RgForce){v3_zero(), side[k]};
        T[3 + k] = (RgForce){side[k], v3_zero()};
    }
    T[2] = (RgForce){v3_scale(-pitch * scale, n), v3_scale(scale, n)};
}

void rg_joint_across(const RgMotion *S, int nv, RgForce *T)
{
    /* For every kind but the screw a column of S is a translation or a rotation. */
    RgVec3 shifts[3], turns[3], directions[3];
    int nshifts = 0, nturns = 0, n = 0;
    if (nv == 1 && !is_zero(S[0].v) && !is_zero(S[0].w)) {
        screw_constraints(S[0], T);
        return;
    }
    for (int k = 0; k < nv; k++) {
        if (is_zero(S[k].w))
            shifts[nshifts++] = S[k].v;
        else
            turns[nturns++] = S[k].w;
    }
    int forces = orthogonal_directions(shifts, nshifts, directions);
    for (int k = 0; k < forces; k++)
        T[n++] = (RgForce){v3_zero(), directions[k]};
    int couples = orthogonal_directions(turns, nturns, directions);
    for (int k = 0; k < couples; k++)
        T[n++] = (RgForce){directions[k], v3_zero()};
}

/* w = s (s's)^-1, column by column. */
static void left_inverse(double s[6][6], int nv, double w[6][6])
{
    /* Cholesky of the Gram matrix. */
    double g[6][6];
    for (int i = 0; i < nv; i++)
        for (int j = 0; j <= i; j++) {
            double sum = dot6(s[i], s[j]);
            for (int k = 0; k < j; k++)
                sum -= g[i][k] * g[j][k];
            g[i][j] = i == j ? sqrt(sum > RANK_FLOOR ? sum : RANK_FLOOR) : sum / g[j][j];
        }
    for (int c = 0; c < 6; c++) {
        double x[6];
        for (int i = 0; i < nv; i++) {
            x[i] = s[i][c];
            for (int k = 0; k < i; k++)
                x[i] -= g[i][k] * x[k];
            x[i] /= g[i][i];
        }
        for (int i = nv; i-- > 0;) {
            for (int k = i + 1; k < nv; k++)
                x[i] -= g[k][i] * x[k];
            x[i] /= g[i][i];
            w[i][c] = x[i];
        }
    }
}

static void to_six(RgMotion m, double x[6])
{
    x[0] = m.w.x;
    x[1] = m.w.y;
    x[2] = m.w.z;
    x[3] = m.v.x;
    x[4] = m.v.y;
    x[5] = m.v.z;
}

/* Converts six numbers in G's axes to a wrench in world axes. */
static RgForce wrench(RgMat3 R, const double x[6])
{
    return (RgForce){m3_apply(R, v3(x[0], x[1], x[2])), m3_apply(R, v3(x[3], x[4], x[5]))};
}

/* The same for a unit wrench. */
static RgForce unit_wrench(RgMat3 R, int axis)
{
    RgVec3 column = m3_column(R, axis % 3);
    return axis < 3 ? (RgForce){column, v3_zero()} : (RgForce){v3_zero(), column};
}

/* Index of the unit vector that x equals; -1: none. */
static int unit_axis(const double x[6])
{
    int axis = -1;
    for (int k = 0; k < 6; k++) {
        if (x[k] == 0.0)
            continue;
        if (x[k] != 1.0 || axis >= 0)
            return -1;
        axis = k;
    }
    return axis;
}

void rg_joint_basis(const RgMotion *S_G, int nv, RgJointBasis *out)
{
    double s[6][6], basis[6][6];
    for (int k = 0; k < nv; k++)
        to_six(S_G[k], s[k]);
    complement(s, nv, basis);
    left_inverse(s, nv, out->W);
    for (int k = nv; k < 6; k++)
        memcpy(out->T[k - nv], basis[k], sizeof basis[k]);
}

RgJointSpec rg_joint_spec(const RgJointKind *kind, const RgJointGeometry *geometry)
{
    RgJointSpec spec = {.kind = kind, .geometry = *geometry, .constant = kind->bias == NULL};
    spec.hinge = kind->fit == rg_joint_fit_angle && geometry->turn == 1.0 && geometry->slide == 0.0;
    double q[7];
    RgPose X;
    RgMotion S_G[6];
    kind->neutral(q);
    kind->motion(geometry, q, &X, S_G);
    rg_joint_basis(S_G, kind->nv, &spec.basis);
    for (int k = 0; k < 6 - kind->nv; k++)
        spec.axis[k] = unit_axis(spec.basis.T[k]);
    return spec;
}

void rg_joint_rates(const RgJointSpec *spec, RgMat3 R_WG, const RgMotion V_FG[2], RgJointState *out)
{
    RgMotion V_rel = mv_sub(V_FG[1], V_FG[0]), V_J = mv_zero();
    for (int k = 0; k < out->nv; k++) {
        out->v[k] = mv_dot(V_rel, out->W[k]);
        V_J = mv_axpy(out->v[k], out->S[k], V_J);
    }
    out->c = mv_cross(V_FG[1], out->nv == 6 ? V_rel : V_J);
    if (spec->kind->bias != NULL)
        out->c = mv_add(out->c, mv_rotate(R_WG, spec->kind->bias(&spec->geometry, out->q, out->v)));
}

/* A free joint: no constraints, and S is orthogonal (joint_free.c), so W = S. */
static void free_state(const RgJointSpec *spec, RgPose X_WF, RgPose X_WG, const double *near_q, RgJointState *out)
{
    RgPose X_fit;
    RgMotion S_G[6];
    spec->kind->fit(&spec->geometry, pose_relative(X_WF, X_WG), near_q, out->q);
    spec->kind->motion(&spec->geometry, out->q, &X_fit, S_G);
    for (int k = 0; k < 6; k++) {
        out->S[k] = mv_rotate(X_WG.R, S_G[k]);
        out->W[k] = (RgForce){out->S[k].w, out->S[k].v};
    }
}

/* Squared sine of a rotation below which the series of its logarithm is exact to round-off. */
#define SMALL_ROTATION2 1e-6

/* Rotation vector of R; for a small rotation from the antisymmetric part of R. */
static RgVec3 rotation_vector(RgMat3 R)
{
    RgVec3 s = v3(0.5 * (R.m[2][1] - R.m[1][2]), 0.5 * (R.m[0][2] - R.m[2][0]), 0.5 * (R.m[1][0] - R.m[0][1]));
    double sine2 = v3_norm2(s);
    if (sine2 < SMALL_ROTATION2 && R.m[0][0] + R.m[1][1] + R.m[2][2] > 1.0)
        return v3_scale(1.0 + sine2 * (1.0 / 6.0 + sine2 * (3.0 / 40.0)), s);
    return q_log(q_from_matrix(R));
}

/* Fits a plain hinge: X_FG contains its sine and cosine, and S in the axes of G is z. Returns false near half a turn
   about another axis, where there is no angle. E: the remaining error. */
static bool fit_hinge(RgPose X_FG, const double *near_q, double *q, RgMotion *S_G, RgPose *E)
{
    const RgMat3 *F = &X_FG.R;
    double along = F->m[0][0] + F->m[1][1], aside = F->m[1][0] - F->m[0][1], size2 = along * along + aside * aside;
    if (!(size2 > 1e-2))
        return false;
    double per = 1.0 / sqrt(size2), c = per * along, s = per * aside;
    q[0] = rg_joint_angle_z(X_FG.R, near_q[0]);
    S_G[0] = (RgMotion){{0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}};
    for (int k = 0; k < 3; k++) {
        E->R.m[0][k] = c * F->m[0][k] + s * F->m[1][k];
        E->R.m[1][k] = c * F->m[1][k] - s * F->m[0][k];
        E->R.m[2][k] = F->m[2][k];
    }
    E->p = v3(c * X_FG.p.x + s * X_FG.p.y, c * X_FG.p.y - s * X_FG.p.x, X_FG.p.z);
    return true;
}

/* Fits any joint that is not free. */
static void fit_any(const RgJointSpec *spec, RgPose X_FG, const double *near_q, double *q, RgMotion *S_G, RgPose *E)
{
    RgPose X_fit;
    spec->kind->fit(&spec->geometry, X_FG, near_q, q);
    spec->kind->motion(&spec->geometry, q, &X_fit, S_G);
    *E = pose_relative(X_fit, X_FG);
}

/* Computes T along the world axes and the errors; left: the fit's error, in the axes of G. */
static void use_world_axes(RgMat3 R, const double left[6], RgJointState *out)
{
    RgForce error = wrench(R, left);
    rg_joint_across(out->S, out->nv, out->T);
    for (int k = 0; k < out->nrows; k++)
        out->error[k] = v3_dot(out->T[k].n, error.n) + v3_dot(out->T[k].f, error.f);
}

void rg_joint_state(const RgJointSpec *spec, RgPose X_WF, RgPose X_WG, const RgMotion V_FG[2], const double *near_q,
                    RgJointState *out)
{
    const RgJointKind *kind = spec->kind;
    int nv = kind->nv;
    out->nv = nv;
    out->nrows = 6 - nv;
    out->origin = X_WG.p;
    if (nv == 6) {
        free_state(spec, X_WF, X_WG, near_q, out);
        rg_joint_rates(spec, X_WG.R, V_FG, out);
        return;
    }

    /* Fit, and the fit's error: a small rotation and translation in the axes of G. */
    RgPose X_FG = pose_relative(X_WF, X_WG), E;
    RgMotion S_G[6];
    if (!spec->hinge || !fit_hinge(X_FG, near_q, out->q, S_G, &E))
        fit_any(spec, X_FG, near_q, out->q, S_G, &E);
    RgVec3 turn = rotation_vector(E.R), shift = m3_apply_t(E.R, E.p);
    double left[6] = {turn.x, turn.y, turn.z, shift.x, shift.y, shift.z};

    /* Subspaces in G's axes, then in world axes. */
    RgJointBasis moving;
    const RgJointBasis *basis = &spec->basis;
    if (!spec->constant) {
        rg_joint_basis(S_G, nv, &moving);
        basis = &moving;
    }
    for (int k = 0; k < nv; k++) {
        out->S[k] = mv_rotate(X_WG.R, S_G[k]);
        out->W[k] = wrench(X_WG.R, basis->W[k]);
    }
    if (spec->along_world)
        use_world_axes(X_WG.R, left, out);
    for (int k = 0; k < out->nrows && !spec->along_world; k++) {
        int axis = spec->constant ? spec->axis[k] : -1;
        out->T[k] = axis >= 0 ? unit_wrench(X_WG.R, axis) : wrench(X_WG.R, basis->T[k]);
        out->error[k] = axis >= 0 ? left[axis] : dot6(basis->T[k], left);
    }
    rg_joint_rates(spec, X_WG.R, V_FG, out);
}
