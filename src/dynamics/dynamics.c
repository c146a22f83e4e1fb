/* dynamics.c - the public interface of the tree algorithms: one workspace, one call per algorithm. */
#include "base/alloc.h"
#include "dynamics/tree_dynamics.h"

#include <rigor/dynamics.h>

struct RgDynamics {
    RgArena arena;
    const RgModel *model;
    RgVec3 gravity;
    RgKin *kin;
    RgTreeWork *work;
    RgMassFactor factor;
    RgForce *wrenches; /* on bodies */
    double *zero;      /* nv */
};

RgDynamics *rg_dynamics_create(const RgModel *model, const RgAllocator *allocator)
{
    RgDynamics *d = rg_alloc(allocator, 1, sizeof *d);
    if (d == NULL)
        return NULL;
    rg_arena_init(&d->arena, allocator);
    size_t n = (size_t)model->nv;
    d->model = model;
    d->gravity = v3(0.0, 0.0, -9.81);
    d->kin = rg_kin_alloc(&d->arena, model);
    d->work = rg_tree_work_alloc(&d->arena, model);
    d->factor = rg_mass_factor_alloc(&d->arena, model);
    d->wrenches = RG_ARENA_ALLOC(&d->arena, RgForce, model->nbodies);
    d->zero = RG_ARENA_ALLOC(&d->arena, double, n);
    if (d->arena.failed) {
        rg_dynamics_destroy(d);
        return NULL;
    }
    return d;
}

void rg_dynamics_destroy(RgDynamics *d)
{
    if (d != NULL)
        rg_arena_free_with(&d->arena, d);
}

void rg_dynamics_set_gravity(RgDynamics *d, RgVec3 gravity)
{
    d->gravity = gravity;
}

const RgKin *rg_dynamics_kinematics(const RgDynamics *d)
{
    return d->kin;
}

static bool all_finite(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

/* Computes poses and twists; refuses numbers that are not finite. */
static RgStatus prepare(RgDynamics *d, const double *q, const double *v)
{
    if (!all_finite(q, d->model->nq) || (v != NULL && !all_finite(v, d->model->nv)))
        return RG_ERR_NOT_FINITE;
    rg_forward_kin(q, v, d->kin);
    return RG_OK;
}

static const RgForce *body_wrenches(RgDynamics *d, const RgForce *on_links)
{
    if (on_links == NULL)
        return NULL;
    rg_gather_wrenches(d->kin, on_links, d->wrenches);
    return d->wrenches;
}

RgStatus rg_forward_kinematics(RgDynamics *d, const double *q, const double *v)
{
    return prepare(d, q, v != NULL ? v : d->zero);
}

RgPose rg_link_pose(const RgDynamics *d, RgLinkId link)
{
    return link.i > 0 ? rg_kin_link_pose(d->kin, link.i - 1) : pose_identity();
}

RgPose rg_frame_pose(const RgDynamics *d, RgFrameId frame)
{
    const RgFrameDef *f = &d->model->frames[frame.i - 1].def;
    return pose_mul(rg_link_pose(d, f->link), f->X_LF);
}

RgMotion rg_link_twist(const RgDynamics *d, RgLinkId link)
{
    return link.i > 0 ? rg_kin_link_twist(d->kin, link.i - 1) : mv_zero();
}

RgStatus rg_inverse_dynamics(RgDynamics *d, const double *q, const double *v, const double *a, const RgForce *wrenches,
                             double *tau)
{
    RgStatus status = prepare(d, q, v);
    if (status == RG_OK)
        rg_rnea(d->kin, d->gravity, a, body_wrenches(d, wrenches), d->work, tau);
    return status;
}

RgStatus rg_mass_matrix(RgDynamics *d, const double *q, double *M)
{
    RgStatus status = prepare(d, q, NULL);
    if (status != RG_OK)
        return status;
    rg_crba_whole(d->kin, NULL, d->work, M);
    return RG_OK;
}

RgStatus rg_mass_factor_with(RgDynamics *d, const double *q, const double *diagonal)
{
    RgStatus status = prepare(d, q, NULL);
    if (status != RG_OK)
        return status;
    int bad_dof;
    rg_crba(d->kin, diagonal, d->work, &d->factor);
    return rg_mass_factor_compute(&d->factor, &bad_dof) ? RG_OK : RG_ERR_SINGULAR;
}

RgStatus rg_mass_factor(RgDynamics *d, const double *q)
{
    return rg_mass_factor_with(d, q, NULL);
}

RgStatus rg_mass_diagonal(RgDynamics *d, const double *q, double *out)
{
    RgStatus status = prepare(d, q, NULL);
    if (status != RG_OK)
        return status;
    rg_crba(d->kin, NULL, d->work, &d->factor);
    for (int k = 0; k < d->model->nv; k++)
        out[k] = d->factor.L[(size_t)k * d->factor.stride + (size_t)k];
    return RG_OK;
}

void rg_mass_solve(const RgDynamics *d, double *x)
{
    rg_mass_factor_solve(&d->factor, x);
}

RgStatus rg_forward_dynamics(RgDynamics *d, const double *q, const double *v, const double *tau,
                             const RgForce *wrenches, double *a)
{
    RgStatus status = prepare(d, q, v);
    if (status != RG_OK)
        return status;
    int bad_dof;
    RgTreeForces forces = {.gravity = d->gravity, .tau = tau, .f_ext = body_wrenches(d, wrenches)};
    return rg_aba(d->kin, &forces, d->work, a, &bad_dof) ? RG_OK : RG_ERR_SINGULAR;
}

RgStatus rg_forward_dynamics_factor(RgDynamics *d, const double *q, const double *v, const double *tau,
                                    const RgForce *wrenches, double *a)
{
    RgStatus status = prepare(d, q, v);
    if (status != RG_OK)
        return status;

    /* M a = tau - b */
    int bad_dof;
    rg_crba(d->kin, NULL, d->work, &d->factor);
    if (!rg_mass_factor_compute(&d->factor, &bad_dof))
        return RG_ERR_SINGULAR;
    rg_rnea(d->kin, d->gravity, NULL, body_wrenches(d, wrenches), d->work, a);
    for (int k = 0; k < d->model->nv; k++)
        a[k] = tau[k] - a[k];
    rg_mass_factor_solve(&d->factor, a);
    return RG_OK;
}

void rg_passive_forces(const RgDynamics *d, const double *q, const double *v, double *tau)
{
    rg_tree_passive_forces(d->model, q, v, tau);
}

RgStatus rg_link_jacobian(RgDynamics *d, const double *q, RgLinkId link, double *J)
{
    RgStatus status = prepare(d, q, NULL);
    if (status != RG_OK)
        return status;
    if (link.i <= 0 || link.i > d->model->nlinks)
        return RG_ERR_ARGUMENT;
    rg_body_jacobian(d->kin, d->model->links[link.i - 1].body, rg_kin_link_pose(d->kin, link.i - 1).p, J);
    return RG_OK;
}

RgStatus rg_momentum(RgDynamics *d, const double *q, const double *v, RgMomentum *out)
{
    RgStatus status = prepare(d, q, v);
    if (status == RG_OK)
        rg_tree_momentum(d->kin, d->gravity, q, v, out);
    return status;
}

void rg_integrate_positions(const RgModel *m, const double *q, const double *step, double *q_out)
{
    for (int i = 0; i < m->nbodies; i++) {
        const RgBody *B = &m->bodies[i];
        if (B->kind->helical)
            rg_joint_integrate1(q + B->q0, step + B->v0, q_out + B->q0);
        else
            B->kind->integrate(q + B->q0, step + B->v0, q_out + B->q0);
    }
}

void rg_difference_positions(const RgModel *m, const double *q0, const double *q1, double *step)
{
    for (int i = 0; i < m->nbodies; i++) {
        const RgBody *B = &m->bodies[i];
        B->kind->difference(q0 + B->q0, q1 + B->q0, step + B->v0);
    }
}
