/*
 * limb_reach.c - inverse kinematics of a limb: a pose of its end link relative to its base.
 *
 *   minimise |e|^2,  e = (w log R*R', p* - p),  over the joints between base and end link within their limits
 *   step   dq = (J'J + lambda I)^-1 J' e        (Levenberg 1944, Marquardt 1963)
 *
 * w weights rotation against translation: 0.2 m per radian. Limbs with less than six joints cannot reach every pose;
 * position then has priority, and rotation a thousandth of its weight. lambda is a small fixed part of the trace, so
 * that steps are Newton steps where J has full rank and stay bounded where a limb is stretched. Starting from the last
 * sample's positions it takes a few iterations. It ends when the error no longer decreases, at the best positions.
 *
 * Cost: kinematics of the whole model and an n x n factor per iteration. Joints at limits that the step would violate
 * are held for the iteration.
 */
#include "control/limb_reach.h"

#include "dynamics/tree_dynamics.h"
#include "math/dense_factor.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

#define MAX_ITERATIONS 20
#define TOLERANCE 1e-10     /* m */
#define LAMBDA 1e-8         /* of the trace of J'J */
#define ROTATION_WEIGHT 0.2 /* m/rad */
#define REDUCED_WEIGHT 1e-3 /* of ROTATION_WEIGHT, with less than six joints */
#define MAX_STEP 0.3        /* rad or m: largest joint motion in a step */

RgStatus rg_limb_find(const RgModel *m, RgLinkId base, RgLinkId link, RgLimb *out)
{
    *out = (RgLimb){.base = base, .link = link};
    int root = m->links[base.i - 1].body, i = m->links[link.i - 1].body;
    for (; i >= 0 && i != root; i = m->bodies[i].parent) {
        const RgBody *B = &m->bodies[i];
        if (B->parent < 0)
            return RG_ERR_ARGUMENT; /* reached the root without meeting the base */
        if (B->nv == 0)
            continue;
        if (out->n == RG_LIMB_JOINTS || B->nv != 1 || B->kind->nq != 1 || B->joint < 0)
            return RG_ERR_UNSUPPORTED;
        const RgAxisDef *axis = &m->joints[B->joint].def.dof[0];
        out->body[out->n] = i;
        out->dof[out->n] = B->v0;
        out->q[out->n] = B->q0;
        out->lower[out->n] = axis->lower;
        out->upper[out->n++] = axis->upper;
    }
    return i == root && i >= 0 && out->n > 0 ? RG_OK : RG_ERR_ARGUMENT;
}

/* Computes e and the columns of J (6 per joint), base frame, rotations weighted. Returns |e|. */
static double evaluate_error(RgDynamics *dynamics, const RgLimb *limb, const RgPose *wanted, const double *q, double *e,
                             double (*J)[6])
{
    rg_forward_kinematics(dynamics, q, NULL);
    const RgKin *kin = rg_dynamics_kinematics(dynamics);
    RgPose X_WB = rg_link_pose(dynamics, limb->base), X_WL = rg_link_pose(dynamics, limb->link);
    double weight = limb->n >= 6 ? ROTATION_WEIGHT : REDUCED_WEIGHT * ROTATION_WEIGHT;
    RgPose X = pose_relative(X_WB, X_WL);
    RgVec3 turn = q_log(q_from_matrix(m3_mul(wanted->R, m3_transpose(X.R)))), way = v3_sub(wanted->p, X.p);
    double six[6] = {weight * turn.x, weight * turn.y, weight * turn.z, way.x, way.y, way.z}, sum = 0.0;
    for (int a = 0; a < 6; a++)
        sum += six[a] * six[a];
    memcpy(e, six, sizeof six);
    for (int k = 0; k < limb->n; k++) {
        RgMotion S = mv_shift(kin->S[limb->dof[k]], v3_sub(X_WL.p, kin->X_WB[limb->body[k]].p));
        RgVec3 w = m3_apply_t(X_WB.R, S.w), v = m3_apply_t(X_WB.R, S.v);
        double column[6] = {weight * w.x, weight * w.y, weight * w.z, v.x, v.y, v.z};
        memcpy(J[k], column, sizeof column);
    }
    return sqrt(sum);
}

/* The damped step, with 0 for held joints; false: no step is possible. */
static bool damped_step(const RgLimb *limb, const double *e, double (*J)[6], const bool *held, double *dq)
{
    double A[RG_LIMB_JOINTS * RG_LIMB_JOINTS], trace = 0.0;
    int n = limb->n;
    for (int i = 0; i < n; i++) {
        dq[i] = 0.0;
        for (int a = 0; a < 6 && !held[i]; a++)
            dq[i] += J[i][a] * e[a];
        for (int j = 0; j < n; j++) {
            A[i * n + j] = 0.0;
            for (int a = 0; a < 6 && !held[i] && !held[j]; a++)
                A[i * n + j] += J[i][a] * J[j][a];
        }
        trace += A[i * n + i];
    }
    if (!(trace > 0.0))
        return false;
    for (int i = 0; i < n; i++)
        A[i * n + i] += LAMBDA * trace + (held[i] ? trace : 0.0);
    if (!rg_dense_ldl_factor(A, n))
        return false;
    rg_dense_ldl_solve(A, n, dq);
    return true;
}

/* Makes a step of limited length; joints at limits that it would violate are held, the others clamped. */
static bool move(const RgLimb *limb, const double *e, double (*J)[6], double *q)
{
    bool held[RG_LIMB_JOINTS] = {false}, more = true;
    double dq[RG_LIMB_JOINTS], most = 0.0;
    while (more) {
        if (!damped_step(limb, e, J, held, dq))
            return false;
        more = false;
        for (int k = 0; k < limb->n; k++) {
            double at = q[limb->q[k]];
            bool at_limit = (dq[k] < 0.0 && at <= limb->lower[k]) || (dq[k] > 0.0 && at >= limb->upper[k]);
            more = more || (at_limit && !held[k]);
            held[k] = held[k] || at_limit;
        }
    }
    for (int k = 0; k < limb->n; k++)
        most = fmax(most, fabs(dq[k]));
    for (int k = 0; k < limb->n; k++) {
        double *at = &q[limb->q[k]];
        *at = fmin(fmax(*at + dq[k] * (most > MAX_STEP ? MAX_STEP / most : 1.0), limb->lower[k]), limb->upper[k]);
    }
    return true;
}

double rg_limb_reach(RgDynamics *dynamics, const RgLimb *limb, const RgPose *X, double *q)
{
    double e[6], J[RG_LIMB_JOINTS][6], previous[RG_LIMB_JOINTS];
    double error = evaluate_error(dynamics, limb, X, q, e, J);
    for (int i = 0; i < MAX_ITERATIONS && error > TOLERANCE; i++) {
        for (int k = 0; k < limb->n; k++)
            previous[k] = q[limb->q[k]];
        if (!move(limb, e, J, q))
            break;
        double error_next = evaluate_error(dynamics, limb, X, q, e, J);
        if (!(error_next < 0.999 * error)) {
            for (int k = 0; k < limb->n && !(error_next < error); k++)
                q[limb->q[k]] = previous[k];
            break;
        }
        error = error_next;
    }
    return error;
}
