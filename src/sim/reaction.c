/*
 * reaction.c - wrench through each joint, welds and loop joints included.
 *
 * With the accelerations known, Newton and Euler give the force that every link needs: f_l = I A + V x* I V - f_ext -
 * f_loop. Summed from the leaves of the tree of links, that is the wrench through the joint that carries the link. The
 * method by which the accelerations were found does not matter, so both coordinate forms agree. A loop joint carries
 * sum T_k z_k and its spring and damper. Fails if the accelerations cannot be found. With redundant loops the split
 * between them is not unique. The effort of a coupling is the force of its row.
 *
 * Contacts, limits, motors, dry friction and user rows act only within steps, as impulses. Their mean forces over the
 * last step are held constant: each about the centre of mass of the body it acts on (about the world's origin for fixed
 * bodies), so that they move with the body. For bodies at rest or in steady motion the result is exact; otherwise it
 * lags by one step.
 */
#include "constraint/bounded_table.h"
#include "constraint/fields.h"
#include "sim/world_internal.h"

#include <string.h>

/* Force that gives a link of that inertia the body's V and A (about the body's origin); about the link's origin. */
static RgForce newton_euler_force(const RgInertia *in, RgPose X_WL, RgMotion V, RgMotion A)
{
    RgVec3 rc = m3_apply(X_WL.R, in->com);
    RgVec3 w = m3_apply_t(X_WL.R, V.w), alpha = m3_apply_t(X_WL.R, A.w);
    RgVec3 N = m3_apply(X_WL.R, v3_add(s3_apply(in->I, alpha), v3_cross(w, s3_apply(in->I, w))));
    RgVec3 v_com = v3_add(V.v, v3_cross(V.w, rc));
    RgVec3 F = v3_scale(in->mass, v3_add(v3_add(A.v, v3_cross(A.w, rc)), v3_cross(V.w, v_com)));
    return (RgForce){v3_add(N, v3_cross(rc, F)), F};
}

/* ------------------------------------------------------------------ forces of the last step */

/* Present centre of mass of a body; for the world its origin. */
static RgVec3 present_centre(const RgWorld *w, int body)
{
    const RgKin *kin = w->scope.form->kin;
    return body >= 0 ? pose_apply(kin->X_WB[body], w->model->bodies[body].inertia.com) : v3_zero();
}

/* Adds a wrench about the point p on a link. */
static void add_held_wrench(RgWorld *w, int link, RgForce f, RgVec3 p)
{
    RgVec3 origin = rg_kin_link_pose(w->scope.form->kin, link).p;
    w->reactions.held[link] = fv_add(w->reactions.held[link], fv_shift(f, v3_sub(origin, p)));
}

static void add_held_contact(RgWorld *w, const RgContactForce *c)
{
    const RgContactSolver *solver = w->scope.contact;
    RgShapeId shape[2] = {c->shape_a, c->shape_b};
    for (int side = 0; side < 2; side++) {
        double sign = side == 1 ? 1.0 : -1.0;
        int link = w->model->shapes[shape[side].i - 1].def.link.i - 1;
        if (link < 0)
            continue;
        int body = w->model->links[link].body;
        bool is_fixed = body < 0 || (solver->setup.asleep != NULL && solver->setup.asleep[body]);
        RgVec3 arm = v3_sub(c->point, is_fixed ? present_centre(w, body) : solver->problem.centre[body + 1]);
        RgForce f = {v3_scale(sign, v3_add(c->moment, v3_cross(arm, c->force))), v3_scale(sign, c->force)};
        add_held_wrench(w, link, f, present_centre(w, body));
    }
}

static void add_held_row(RgWorld *w, const RgBoundedRow *r, double h)
{
    double force = r->z / h;
    for (int i = 0; i < r->row.nbodies; i++) {
        int body = r->row.body[i];
        add_held_wrench(w, w->model->bodies[body].link, fv_scale(force, r->row.J[i]), w->scope.form->kin->X_WB[body].p);
    }
    for (int i = 0; i < r->row.ndofs; i++)
        w->reactions.held_tau[r->row.dof[i]] += force * r->row.coefficient[i];
}

RgStatus rg_world_accelerate(RgWorld *w)
{
    RgStepScope *s = &w->scope;
    const RgContactSolver *solver = s->contact;
    const RgContactForce *forces;
    int nforces = rg_world_contact_forces(w, &forces),
        nrows = solver != NULL ? rg_contact_rows_total(&solver->problem) : 0;
    RgDynamicsAsk ask = {.share = 1.0};
    w->reactions.any_held = nforces > 0 || nrows > 0;
    if (w->reactions.any_held) {
        rg_world_refresh(w);
        memset(w->reactions.held, 0, (size_t)w->model->nlinks * sizeof *w->reactions.held);
        memset(w->reactions.held_tau, 0, (size_t)w->model->nv * sizeof *w->reactions.held_tau);
        for (int i = 0; i < nforces; i++)
            add_held_contact(w, &forces[i]);
        for (int i = 0; i < nrows; i++)
            add_held_row(w, &solver->problem.rows[i], solver->result.h);
        ask.wrenches = w->reactions.held;
        ask.tau = w->reactions.held_tau;
    }
    w->fresh = false;
    return rg_stage_acceleration(s, w->state.t, w->state.x, w->state.u, &ask, s->scratch.a);
}

/* Wrench of limits, motors and dry friction along the axes of loop joint l on its child side, about its origin. */
static RgForce loop_axes_force(const RgWorld *w, int l)
{
    const RgContactSolver *solver = w->scope.contact;
    const RgContactProblem *p = solver != NULL ? &solver->problem : NULL;
    const RgLoop *loop = &w->model->loops[l];
    RgForce sum = fv_zero();
    for (int i = 0; p != NULL && i < rg_contact_rows_total(p); i++) {
        const RgBoundedRow *r = &p->rows[i];
        if (r->kind == RG_BOUNDED_user || solver->setup.bounded->axes[r->axis].loop != l)
            continue;
        for (int k = 0; k < r->row.nbodies; k++) {
            int body = r->row.body[k];
            double sign = body == loop->body_b ? 1.0 : loop->body_b < 0 ? -1.0 : 0.0;
            RgForce f = fv_scale(sign * r->z / solver->result.h, r->row.J[k]);
            RgVec3 origin = w->scope.form->kin->X_WB[body].p;
            sum = fv_add(sum, fv_shift(f, v3_sub(w->scope.constraints->loops[l].origin, origin)));
        }
    }
    return sum;
}

/* ------------------------------------------------------------------ wrenches through the joints */

/* Wrench on the child side of loop joint l, about its origin, from the last solve. */
static RgForce loop_force(const RgWorld *w, int l)
{
    const RgConstraints *c = w->scope.constraints;
    const RgJointState *J = &c->loops[l];
    RgForce f = rg_loop_passive(c, NULL, l);
    for (int k = 0; k < J->nrows; k++)
        f = fv_axpy(c->problem.z[c->loop_rows[l] + k], J->T[k], f);
    return f;
}

static void add_at_link(RgWorld *w, int link, RgForce f, RgVec3 p)
{
    if (link >= 0)
        w->reactions.link_force[link] =
            fv_add(w->reactions.link_force[link], fv_shift(f, v3_sub(rg_kin_link_pose(w->scope.form->kin, link).p, p)));
}

/* Computes link_force[l]: wrench through the joint that carries l, about the origin of l. */
static RgStatus find_forces(RgWorld *w)
{
    RgStepScope *s = &w->scope;
    const RgModel *m = w->model;
    const RgKin *kin = s->form->kin;
    RgStatus status = rg_world_accelerate(w);
    if (status != RG_OK)
        return status;
    const RgFields *fields = s->constraints->fields;
    bool on_links = s->input.any_wrench || w->reactions.any_held || (fields != NULL && fields->any);
    s->form->kind->accelerations(s->form, s->scratch.a, w->reactions.A);

    /* Force that each link needs, minus the external forces on it. */
    for (int l = 0; l < m->nlinks; l++) {
        const RgLink *link = &m->links[l];
        RgPose X_WL = rg_kin_link_pose(kin, l);
        RgVec3 r = v3_sub(X_WL.p, kin_pose(kin, link->body).p);
        RgMotion A = link->body >= 0 ? w->reactions.A[link->body] : mv_zero();
        A.v = v3_sub(A.v, s->gravity);
        w->reactions.link_force[l] =
            newton_euler_force(&link->def.inertia, X_WL, mv_shift(kin_twist(kin, link->body), r), mv_shift(A, r));
        if (on_links)
            w->reactions.link_force[l] = fv_sub(w->reactions.link_force[l], s->forces.on_links[l]);
    }
    for (int l = 0; l < m->nloops; l++) {
        const RgJointDef *def = &m->joints[m->loops[l].joint].def;
        RgForce f = loop_force(w, l);
        add_at_link(w, def->child.i - 1, fv_scale(-1.0, f), s->constraints->loops[l].origin);
        add_at_link(w, def->parent.i - 1, f, s->constraints->loops[l].origin);
    }

    /* Leaves to roots. */
    for (int i = m->nlinks - 1; i >= 0; i--) {
        int l = m->link_order[i];
        if (m->links[l].parent >= 0)
            add_at_link(w, m->links[l].parent, w->reactions.link_force[l], rg_kin_link_pose(kin, l).p);
    }
    return RG_OK;
}

RgStatus rg_world_loop_reaction(RgWorld *w, int loop, RgForce *out)
{
    w->fresh = false;
    RgStatus status = rg_world_accelerate(w);
    if (status == RG_OK)
        *out = fv_add(loop_force(w, loop), loop_axes_force(w, loop));
    return status;
}

RgStatus rg_world_coupling_efforts(RgWorld *w, RgCouplingEffort *out)
{
    const RgModel *m = w->model;
    const RgConstraints *c = w->scope.constraints;
    RgStatus status = m->ncouplings > 0 ? rg_world_accelerate(w) : RG_OK;
    for (int i = 0; i < m->ncouplings && status == RG_OK; i++) {
        double z = c->problem.z[c->coupling_row + i];
        out[i] = (RgCouplingEffort){.joint = z, .reference = -m->couplings[i].def.ratio * z};
    }
    return status;
}

RgStatus rg_world_joint_reaction(RgWorld *w, RgJointId joint, RgForce *out)
{
    const RgModel *m = w->model;
    if (joint.i <= 0 || joint.i > m->njoints)
        return RG_ERR_NOT_FOUND;
    w->fresh = false;
    RgStatus status = find_forces(w);
    if (status != RG_OK)
        return status;
    const RgJoint *J = &m->joints[joint.i - 1];
    int child = J->def.child.i - 1;
    RgPose X_WC = child >= 0 ? rg_kin_link_pose(w->scope.form->kin, child) : pose_identity();
    RgVec3 origin = pose_apply(X_WC, J->def.X_CJ.p);
    if (J->loop >= 0) {
        RgForce f = fv_add(loop_force(w, J->loop), loop_axes_force(w, J->loop));
        *out = fv_shift(f, v3_sub(origin, w->scope.constraints->loops[J->loop].origin));
        return RG_OK;
    }

    /* A joint that is reversed in the tree carries its parent link: the wrench on the child is the opposite. */
    int carried = J->reversed ? J->def.parent.i - 1 : child;
    if (carried < 0 || m->links[carried].joint != joint.i - 1) {
        *out = fv_zero(); /* a joint inside one body has no defined wrench */
        return RG_ERR_UNSUPPORTED;
    }
    RgForce f =
        fv_shift(w->reactions.link_force[carried], v3_sub(origin, rg_kin_link_pose(w->scope.form->kin, carried).p));
    *out = J->reversed ? fv_scale(-1.0, f) : f;
    return RG_OK;
}
