/*
 * foot_reach.c - inverse kinematics of a chain: joint positions that put a point of a link where it shall be.
 *
 *   minimise |e|^2,  e = goal - x(q),  over the joints between base and link within their limits
 *   step   dq = J' (J J' + lambda I)^-1 e        (Levenberg 1944, Marquardt 1963; in the 3 x 3 form)
 *
 * x and J in the base's frame, the base held still. lambda falls after a step that helps and grows after one that does
 * not, so the end is Newton's (quadratic where J has rank 3) and far away it is a short way downhill. A joint at a
 * limit that the step would pass is left out of J (projection onto the box). Where nothing leads downhill although the
 * goal is away - a stretched leg, a joint at its limit - the chain is bent by RESTART radians, one pattern of signs
 * after the other, and tried again; the nearest of all tries is kept.
 *
 * Fails (RG_ERR_NOT_CONVERGED) where the goal is out of reach, or hidden behind more than RESTARTS such places. A chain
 * has at most REACH_DOFS velocities. Cost: a kinematics of the whole model and a 3 x 3 solution an iteration.
 */
#include "control/foot_reach.h"

#include "dynamics/tree_dynamics.h"

#include <string.h>

#define REACH_DOFS RG_CHAIN_DOFS
#define REACH_BODIES 64
#define ITERATIONS 60
#define RESTARTS 4
#define RESTART 0.3       /* rad or m */
#define FOUND 1e-12       /* m, relative to the size of the goal where that is larger than 1 */
#define FLAT 1e-9         /* |J'e| over |J| |e| below which nothing leads downhill */
#define LAMBDA_FIRST 1e-4 /* relative to the trace of J J' */
#define LAMBDA_RATES 1e-13
#define LAMBDA_LEAST 1e-14
#define LAMBDA_MOST 1e8

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

typedef struct Try {
    double q[7 * REACH_BODIES]; /* positions of the chain, body by body */
    double away;                /* |e| */
} Try;

static int body_of(const RgModel *m, RgLinkId link)
{
    return link.i > 0 ? m->links[link.i - 1].body : -1;
}

/* Limits of a velocity that is the rate of its position; others have none. */
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

/* The bodies from foot to base; false: the base is not on the way to the root, or the chain is too long. */
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

/* The chain's positions out of q, or into it. */
static void chain_copy(const Chain *c, double *q, double *kept, bool into)
{
    for (int b = 0; b < c->nbodies; b++) {
        const RgBody *B = &c->model->bodies[c->body[b]];
        size_t bytes = (size_t)B->kind->nq * sizeof *q;
        memcpy(into ? q + B->q0 : kept, into ? kept : q + B->q0, bytes);
        kept += B->kind->nq;
    }
}

/* The way from the point to its goal, base frame; J of the chain there. */
static RgVec3 measure(Chain *c, const double *q)
{
    rg_forward_kinematics(c->dynamics, q, NULL);
    const RgKin *kin = rg_dynamics_kin(c->dynamics);
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

/* Position of velocity k of the chain where it is a plain number. */
static double position_of(const Chain *c, const double *q, int k)
{
    const RgModel *m = c->model;
    const RgBody *B = &m->bodies[m->dof_body[c->dof[k]]];
    return q[B->q0 + c->dof[k] - B->v0];
}

/* dq over the columns that are not held, and trace of J J' over them. */
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

/* Holds the joints that stand at a limit which dq would pass; true: one more than before. */
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

/* Moves the chain by dq; joints end within their limits. */
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

/* The largest part of a turn that a step makes is one radian: linear pieces are trusted no farther. */
static void shorten(const Chain *c, double *dq)
{
    double most = 0.0;
    for (int k = 0; k < c->ndofs; k++)
        most = fmax(most, fabs(dq[k]));
    for (int k = 0; most > 1.0 && k < c->ndofs; k++)
        dq[k] /= most;
}

/* Downhill from q until the goal is reached or nothing helps; q at the end is the best met. */
static double descend(Chain *c, double *q, double tolerance)
{
    double lambda = LAMBDA_FIRST, dq[REACH_DOFS], kept[7 * REACH_BODIES];
    RgVec3 e = measure(c, q);
    for (int i = 0; i < ITERATIONS && v3_norm(e) > tolerance && lambda < LAMBDA_MOST; i++) {
        bool held[REACH_DOFS] = {false};
        double trace;
        do
            trace = damped_step(c, e, lambda, held, dq);
        while (hold_at_limits(c, q, dq, held));
        double slope = 0.0;
        for (int k = 0; k < c->ndofs; k++)
            slope += held[k] ? 0.0 : v3_dot(c->J[k], e) * v3_dot(c->J[k], e);
        if (!(slope > FLAT * FLAT * trace * v3_norm2(e)))
            break;
        shorten(c, dq);
        chain_copy(c, q, kept, false);
        move(c, dq, q);
        RgVec3 there = measure(c, q);
        if (v3_norm2(there) < v3_norm2(e)) {
            e = there;
            lambda = fmax(0.1 * lambda, LAMBDA_LEAST);
            continue;
        }
        chain_copy(c, q, kept, true);
        e = measure(c, q);
        lambda = fmax(10.0 * lambda, LAMBDA_FIRST * 1e-4);
    }
    return v3_norm(e);
}

/* Bends the chain where it is stuck: joint k by RESTART with the sign that bit k of pattern says, a little less from
   joint to joint so that no symmetry is left. */
static void bend(const Chain *c, int pattern, double *q)
{
    double dq[REACH_DOFS];
    for (int k = 0; k < c->ndofs; k++)
        dq[k] = ((pattern >> (k % 2)) & 1 ? -RESTART : RESTART) / (1.0 + 0.25 * k);
    move(c, dq, q);
}

/* The chain of a foot; numbers must be numbers. */
static RgStatus begin(Chain *c, const double *q)
{
    const RgFoot *foot = c->foot;
    c->model = rg_dynamics_kin(c->dynamics)->model;
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
    RgStatus status = begin(&c, q);
    if (status != RG_OK)
        return status;
    out->x = v3_neg(measure(&c, q));
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
    RgStatus status = begin(&c, q);
    if (status != RG_OK)
        return status;

    double tolerance = FOUND * fmax(1.0, v3_norm(goal));
    Try first, best;
    chain_copy(&c, q, first.q, false);
    best.away = descend(&c, q, tolerance);
    chain_copy(&c, q, best.q, false);
    for (int pattern = 0; pattern < RESTARTS && best.away > tolerance; pattern++) {
        chain_copy(&c, q, pattern < 2 ? best.q : first.q, true);
        bend(&c, pattern, q);
        double away = descend(&c, q, tolerance);
        if (away < best.away) {
            best.away = away;
            chain_copy(&c, q, best.q, false);
        }
    }
    chain_copy(&c, q, best.q, true);
    rg_forward_kinematics(dynamics, q, NULL);
    return best.away <= tolerance ? RG_OK : RG_ERR_NOT_CONVERGED;
}
