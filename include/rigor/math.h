/*
 * math.h - the value types of the interface. SI units, double precision, right-handed frames.
 *
 * Frames in names: X_WB is the pose of frame B in frame W (x_W = R x_B + p); V_WB_B the twist of B relative to W,
 * expressed in B. Motion and force are different types, angular part first.
 */
#ifndef RIGOR_MATH_H
#define RIGOR_MATH_H

#include <rigor/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RgVec3 {
    double x, y, z;
} RgVec3;

/* Row-major: m[row][column]. */
typedef struct RgMat3 {
    double m[3][3];
} RgMat3;

/* Symmetric 3x3 matrix. */
typedef struct RgSym3 {
    double xx, yy, zz, xy, xz, yz;
} RgSym3;

/* Unit quaternion, scalar first. */
typedef struct RgQuat {
    double w, x, y, z;
} RgQuat;

/* Rigid pose: x_A = R x_B + p for X_AB. */
typedef struct RgPose {
    RgMat3 R;
    RgVec3 p;
} RgPose;

/* Twist or its time derivative: angular velocity, then velocity of the point at the frame's origin. */
typedef struct RgMotion {
    RgVec3 w; /* rad/s */
    RgVec3 v; /* m/s */
} RgMotion;

/* Wrench: moment about the frame's origin, then force. */
typedef struct RgForce {
    RgVec3 n; /* N m */
    RgVec3 f; /* N */
} RgForce;

/* Rigid-body inertia in a frame L: mass, centre of mass in L, rotational inertia about the centre of mass in the axes
   of L. */
typedef struct RgInertia {
    double mass; /* kg */
    RgVec3 com;  /* m */
    RgSym3 I;    /* kg m^2 */
} RgInertia;

/* Poses from roll, pitch, yaw (rad) about the fixed x, y, z axes as in URDF and SDF (R = Rz Ry Rx), or from a
   quaternion of any length except zero. */
RG_API RgPose rg_pose_identity(void);
RG_API RgPose rg_pose_from_rpy(RgVec3 p, RgVec3 rpy);
RG_API RgPose rg_pose_from_quat(RgVec3 p, RgQuat q);
RG_API RgQuat rg_pose_quat(const RgPose *X); /* unit, w >= 0 */

RG_API RgPose rg_pose_mul(const RgPose *X_AB, const RgPose *X_BC); /* X_AC */
RG_API RgPose rg_pose_inverse(const RgPose *X_AB);                 /* X_BA */
RG_API RgVec3 rg_pose_apply(const RgPose *X_AB, RgVec3 x_B);       /* x_A */

/* Factor A = L D L' of a dense symmetric positive definite matrix, in place. a: n x n, row-major; only the upper
   triangle is used: on return D on the diagonal, D L' above it. False: not positive definite; a is partly overwritten.
   */
RG_API bool rg_dense_ldl_factor(double *a, int n);

/* x <- A^-1 x with that factor. */
RG_API void rg_dense_ldl_solve(const double *a, int n, double *x);

#ifdef __cplusplus
}
#endif
#endif
