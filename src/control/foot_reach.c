/*
 * foot_reach.c - inverse kinematics of a chain: joint positions that move a point of a link to a goal.
 *
 *   minimise |e|^2,  e = goal - x(q),  over the joints between base and link within their limits
 *   step   dq = J' (J J' + lambda I)^-1 e        (Levenberg 1944, Marquardt 1963; in the 3 x 3 form)
 *
 * x and J in the base's frame, with the base fixed. lambda decreases after a successful step and grows after a failed
 * one: convergence is quadratic near a solution where J has rank 3, and far away the steps are gradient steps. A joint
 * at a limit that the step would violate is removed from J (projection onto the box). If the gradient vanishes away
 * from the goal - a stretched leg, a joint at its limit - the chain is bent by RESTART_ANGLE radians, with different
 * patterns of signs, and the search restarts; the best result is kept.
 *
 * Fails (RG_ERR_NOT_CONVERGED) if the goal is out of reach, or not found after RESTARTS restarts. A chain has at most
 * REACH_DOFS velocities. Cost: kinematics of the whole model and a 3 x 3 solve per iteration.
 */
#include "control/foot_reach.h"

#include "dynamics/tree_dynamics.h"

#include <string.h>

#define REACH_DOFS RG_CHAIN_DOFS
#define REACH_BODIES 64
#define MAX_ITERATIONS 60  /* per start */
#define RESTARTS 4         /* two from the best result, two from the initial positions */
#define RESTART_ANGLE 0.3  /* rad or m */
#define TOLERANCE 1e-12    /* m, relative to |goal| if that is above 1 */
#define FLAT_GRADIENT 1e-9 /* |J'e| over |J| |e| below which the gradient counts as zero */
#define LAMBDA_FIRST 1e-4  /* relative to the trace of J J', as all of these */
#define LAMBDA_RATES 1e-13 /* of rg_foot_rates: only against singularities */
#define LAMBDA_LEAST 1e-14
#define LAMBDA_MOST 1e8 /* the search ends */

typedef struct Chain {
    RgDynamics *dynamics;
    const RgModel *model;
    const RgFoot *foot;
    RgVec3 goal;
    int nbodies, ndofs, nq;
    int body[REACH_BODIES]; /* from the link up to the base, without it */
    RgVec3 J[REACH_DOFS];   /* columns, base frame */
    int dof[REACH_DOFS];
    double lower[REACH_DOFS], upper[REACH_DOFS];
} Chain;

typedef struct Candidate {
    double q[7 * REACH_BODIES]; /* positions of the chain, body by body */
    double distance;            /* |e| */
} Candidate;

static int body_of(const RgModel *m, RgLinkId link)
{
    return link.i > 0 ? m->links[link.i - 1].body : -1;
}

/* Limits of a velocity that is the rate of its position; infinite for others. */
static void limits_of(const RgModel *m, const RgBody *B, int k, double *lower, double *upper)
{
    *lower = -INFINITY;
    *upper = INFINITY;
    if (B->joint < 0 || B->kind->nq != B->kind->nv)
        return;
    const RgAxisDef *axis = &m->joints[B->joint].def.dof[k];
    *lower = axis->lower;
    *upper = axis->upper;
}

/* Finds the bodies from foot to base. RG_ERR_ARGUMENT: the base is not an ancestor of the foot, or no joint is between;
   RG_ERR_UNSUPPORTED: the chain is too long. */
static RgStatus find_chain(Chain *c)
{
    const RgModel *m = c->model;
    int base = body_of(m, c->foot->base), i = body_of(m, c->foot->link);
    for (; i >= 0 && i != base; i = m->bodies[i].parent) {
        const RgBody *B = &m->bodies[i];
        if (c->nbodies == REACH_BODIES || c->ndofs + B->nv > REACH_DOFS)
            return RG_ERR_UNSUPPORTED;
        c->body[c->nbodies++] = i;
        c->nq += B->kind->nq;
        for (int k = 0; k < B->nv; k++, c->ndofs++) {
            c->dof[c->ndofs] = B->v0 + k;
            limits_of(m, B, k, &c->lower[c->ndofs], &c->upper[c->ndofs]);
        }
    }
    return i == base && c->ndofs > 0 ? RG_OK : RG_ERR_ARGUMENT;
}

/* Copies the chain's positions from q to stored, or (into) from stored to q. */
static void chain_copy(const Chain *c, double *q, double *stored, bool into)
{
    for (int b = 0; b < c->nbodies; b++) {
        const RgBody *B = &c->model->bodies[c->body[b]];
        size_t bytes = (size_t)B->kind->nq * sizeof *q;
        memcpy(into ? q + B->q0 : stored, into ? stored : q + B->q0, bytes);
        stored += B->kind->nq;
    }
}

/* Returns e, base frame, and computes J of the chain. */
static RgVec3 evaluate_error(Chain *c, const double *q)
{
    rg_forward_kinematics(c->dynamics, q, NULL);
    const RgKin *kin = rg_dynamics_kinematics(c->dynamics);
    RgPose X_WB = rg_link_pose(c->dynamics, c->foot->base);
    RgVec3 x = pose_apply(rg_link_pose(c->dynamics, c->foot->link), c->foot->point);
    int n = 0;
    for (int b = 0; b < c->nbodies; b++) {
        const RgBody *B = &c->model->bodies[c->body[b]];
        RgVec3 arm = v3_sub(x, kin->X_WB[c->body[b]].p);
        for (int k = B->v0; k < B->v0 + B->nv; k++)
            c->J[n++] = m3_apply_t(X_WB.R, mv_shift(kin->S[k], arm).v);
    }
    return v3_sub(c->goal, m3_apply_t(X_WB.R, v3_sub(x, X_WB.p)));
}

/* Solves the symmetric 3 x 3 system A y = e by its cofactors; A is positive definite. */
static RgVec3 solve3(const RgSym3 *A, RgVec3 e)
{
    RgVec3 a = v3(A->xx, A->xy, A->xz), b = v3(A->xy, A->yy, A->yz), c = v3(A->xz, A->yz, A->zz);
    RgVec3 bc = v3_cross(b, c), ca = v3_cross(c, a), ab = v3_cross(a, b);
    double det = v3_dot(a, bc);
    return v3_scale(1.0 / det, v3_axpy(e.x, bc, v3_axpy(e.y, ca, v3_scale(e.z, ab))));
}

/* Position of velocity k of the chain, for joints with plain-number positions. */
static double position_of(const Chain *c, const double *q, int k)
{
    const RgModel *m = c->model;
    const RgBody *B = &m->bodies[m->dof_body[c->dof[k]]];
    return q[B->q0 + c->dof[k] - B->v0];
}

/* dq for the joints that are not held; returns the trace of J J' over them. */
static double damped_step(const Chain *c, RgVec3 e, double lambda, const bool *held, double *dq)
{
    RgSym3 A = {0};
    for (int k = 0; k < c->ndofs; k++) {
        if (held[k])
            continue;
        RgVec3 j = c->J[k];
        A.xx += j.x * j.x, A.yy += j.y * j.y, A.zz += j.z * j.z;
        A.xy += j.x * j.y, A.xz += j.x * j.z, A.yz += j.y * j.z;
    }
    double trace = A.xx + A.yy + A.zz;
    A.xx += lambda * trace, A.yy += lambda * trace, A.zz += lambda * trace;
    RgVec3 y = trace > 0.0 ? solve3(&A, e) : v3_zero();
    for (int k = 0; k < c->ndofs; k++)
        dq[k] = held[k] ? 0.0 : v3_dot(c->J[k], y);
    return trace;
}

/* Holds joints at limits that dq would violate; returns whether there are new ones. */
static bool hold_at_limits(const Chain *c, const double *q, const double *dq, bool *held)
{
    bool more = false;
    for (int k = 0; k < c->ndofs; k++) {
        if (held[k] || (isinf(c->lower[k]) && isinf(c->upper[k])))
            continue;
        double at = position_of(c, q, k);
        held[k] = (dq[k] < 0.0 && at <= c->lower[k]) || (dq[k] > 0.0 && at >= c->upper[k]);
        more = more || held[k];
    }
    return more;
}

/* Moves the chain by dq and clamps joints to their limits. */
static void move(const Chain *c, const double *dq, double *q)
{
    int n = 0;
    for (int b = 0; b < c->nbodies; b++) {
        const RgBody *B = &c->model->bodies[c->body[b]];
        B->kind->integrate(q + B->q0, dq + n, q + B->q0);
        for (int k = 0; k < B->nv; k++, n++)
            if (B->kind->nq == B->kind->nv)
                q[B->q0 + k] = fmin(fmax(q[B->q0 + k], c->lower[n]), c->upper[n]);
    }
}

/* Scales dq down to 1 rad (or m) at most, the range in which the linearisation is trusted. */
static void limit_step(const Chain *c, double *dq)
{
    double most = 0.0;
    for (int k = 0; k < c->ndofs; k++)
        most = fmax(most, fabs(dq[k]));
    for (int k = 0; most > 1.0 && k < c->ndofs; k++)
        dq[k] /= most;
}

/* Levenberg-Marquardt iteration from q until the goal is reached or no step helps; q: the best found. Returns |e|. */
static double descend(Chain *c, double *q, double tolerance)
{
    double lambda = LAMBDA_FIRST, dq[REACH_DOFS], stored[7 * REACH_BODIES];
    RgVec3 e = evaluate_error(c, q);
    for (int i = 0; i < MAX_ITERATIONS && v3_norm(e) > tolerance && lambda < LAMBDA_MOST; i++) {
        bool held[REACH_DOFS] = {false};
        double trace;
        do
            trace = damped_step(c, e, lambda, held, dq);
        while (hold_at_limits(c, q, dq, held));
        double slope = 0.0;
        for (int k = 0; k < c->ndofs; k++)
            slope += held[k] ? 0.0 : v3_dot(c->J[k], e) * v3_dot(c->J[k], e);
        if (!(slope > FLAT_GRADIENT * FLAT_GRADIENT * trace * v3_norm2(e)))
            break;
        limit_step(c, dq);
        chain_copy(c, q, stored, false);
        move(c, dq, q);
        RgVec3 e_next = evaluate_error(c, q);
        if (v3_norm2(e_next) < v3_norm2(e)) {
            e = e_next;
            lambda = fmax(0.1 * lambda, LAMBDA_LEAST);
            continue;
        }
        chain_copy(c, q, stored, true);
        e = evaluate_error(c, q);
        lambda = fmax(10.0 * lambda, LAMBDA_FIRST * 1e-4);
    }
    return v3_norm(e);
}

/* Bends a stuck chain: joint k by RESTART_ANGLE with a sign from pattern, and a magnitude that decreases along the
   chain to break symmetries. */
static void bend(const Chain *c, int pattern, double *q)
{
    double dq[REACH_DOFS];
    for (int k = 0; k < c->ndofs; k++)
        dq[k] = ((pattern >> (k % 2)) & 1 ? -RESTART_ANGLE : RESTART_ANGLE) / (1.0 + 0.25 * k);
    move(c, dq, q);
}

/* Initialises the chain of a foot; checks ids and finite numbers. */
static RgStatus init_chain(Chain *c, const double *q)
{
    const RgFoot *foot = c->foot;
    c->model = rg_dynamics_kinematics(c->dynamics)->model;
    int nlinks = c->model->nlinks;
    if (foot->link.i <= 0 || foot->link.i > nlinks || foot->base.i < 0 || foot->base.i > nlinks)
        return RG_ERR_ARGUMENT;
    if (!v3_finite(c->goal) || !v3_finite(foot->point) || rg_forward_kinematics(c->dynamics, q, NULL) != RG_OK)
        return RG_ERR_NOT_FINITE;
    return find_chain(c);
}

RgStatus rg_foot_chain_check(const RgModel *model, const RgFoot *foot)
{
    Chain c = {.model = model, .foot = foot};
    return find_chain(&c);
}

RgStatus rg_foot_chain(RgDynamics *dynamics, const RgFoot *foot, const double *q, RgFootChain *out)
{
    Chain c = {.dynamics = dynamics, .foot = foot};
    RgStatus status = init_chain(&c, q);
    if (status != RG_OK)
        return status;
    out->x = v3_neg(evaluate_error(&c, q));
    out->n = c.ndofs;
    memcpy(out->dof, c.dof, (size_t)c.ndofs * sizeof *c.dof);
    memcpy(out->column, c.J, (size_t)c.ndofs * sizeof *c.J);
    return RG_OK;
}

void rg_foot_rates(const RgFootChain *chain, RgVec3 velocity, double *rates)
{
    Chain c = {.ndofs = chain->n};
    bool held[REACH_DOFS] = {false};
    memcpy(c.J, chain->column, (size_t)chain->n * sizeof *c.J);
    damped_step(&c, velocity, LAMBDA_RATES, held, rates);
}

RgStatus rg_foot_reach(RgDynamics *dynamics, const RgFoot *foot, RgVec3 goal, double *q)
{
    Chain c = {.dynamics = dynamics, .foot = foot, .goal = goal};
    RgStatus status = init_chain(&c, q);
    if (status != RG_OK)
        return status;

    double tolerance = TOLERANCE * fmax(1.0, v3_norm(goal));
    Candidate first, best;
    chain_copy(&c, q, first.q, false);
    best.distance = descend(&c, q, tolerance);
    chain_copy(&c, q, best.q, false);
    for (int pattern = 0; pattern < RESTARTS && best.distance > tolerance; pattern++) {
        chain_copy(&c, q, pattern < 2 ? best.q : first.q, true);
        bend(&c, pattern, q);
        double distance = descend(&c, q, tolerance);
        if (distance < best.distance) {
            best.distance = distance;
            chain_copy(&c, q, best.q, false);
        }
    }
    chain_copy(&c, q, best.q, true);
    rg_forward_kinematics(dynamics, q, NULL);
    return best.distance <= tolerance ? RG_OK : RG_ERR_NOT_CONVERGED;
}
