/*
 * reaction.c - what each joint carries, welds and loop joints included.
 *
 * With the accelerations known, Newton and Euler give the force that every link needs:  f_l = I A + V x* I V
 * - f_ext - f_loop. Summed from the leaves of the tree of links, that is the wrench through the joint that
 * carries the link; no matter how the accelerations were found, so both coordinate forms answer alike. A loop
 * joint carries  sum T_k z_k  and its spring and damper. Fails where the accelerations cannot be found. With
 * redundant loops the split between them is one of many.
 */
#include "sim/world_internal.h"

#include <string.h>

/* Force that moves a link of that inertia as the body's V and A (about the body's origin) say; about the
   link's origin. */
static RgForce link_needs(const RgInertia *in, RgPose X_WL, RgMotion V, RgMotion A)
{
    RgVec3 rc = m3_apply(X_WL.R, in->com);
    RgVec3 w = m3_apply_t(X_WL.R, V.w), alpha = m3_apply_t(X_WL.R, A.w);
    RgVec3 N = m3_apply(X_WL.R, v3_add(s3_apply(in->I, alpha), v3_cross(w, s3_apply(in->I, w))));
    RgVec3 v_com = v3_add(V.v, v3_cross(V.w, rc));
    RgVec3 F = v3_scale(in->mass, v3_add(v3_add(A.v, v3_cross(A.w, rc)), v3_cross(V.w, v_com)));
    return (RgForce){v3_add(N, v3_cross(rc, F)), F};
}

/* Wrench on the child side of loop joint l, about its origin, from the last solve. */
static RgForce loop_force(const RgWorld *w, int l)
{
    const RgConstraints *c = w->scope.constraints;
    const RgJointState *J = &c->loops[l];
    RgForce f = rg_loop_passive(c, l);
    for (int k = 0; k < J->nrows; k++)
        f = fv_axpy(c->problem.z[c->loop_rows[l] + k], J->T[k], f);
    return f;
}

static void add_at_link(RgWorld *w, int link, RgForce f, RgVec3 p)
{
    if (link >= 0)
        w->link_force[link] =
            fv_add(w->link_force[link], fv_shift(f, v3_sub(rg_kin_link_pose(w->scope.form->kin, link).p, p)));
}

/* link_force[l]: wrench through the joint that carries l, about the origin of l. */
static RgStatus find_forces(RgWorld *w)
{
    RgStepScope *s = &w->scope;
    const RgModel *m = w->model;
    const RgKin *kin = s->form->kin;
    RgStatus status = rg_stage_acceleration(s, w->state.t, w->state.x, w->state.u, 0.0, s->a);
    if (status != RG_OK)
        return status;
    s->form->kind->accelerations(s->form, s->a, w->A);

    /* What each link needs, less what acts on it from outside. */
    for (int l = 0; l < m->nlinks; l++) {
        const RgLink *link = &m->links[l];
        RgPose X_WL = rg_kin_link_pose(kin, l);
        RgVec3 r = v3_sub(X_WL.p, kin_pose(kin, link->body).p);
        RgMotion A = link->body >= 0 ? w->A[link->body] : mv_zero();
        A.v = v3_sub(A.v, s->gravity);
        w->link_force[l] =
            link_needs(&link->def.inertia, X_WL, mv_shift(kin_twist(kin, link->body), r), mv_shift(A, r));
        if (s->any_wrench)
            w->link_force[l] = fv_sub(w->link_force[l], s->on_links[l]);
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
            add_at_link(w, m->links[l].parent, w->link_force[l], rg_kin_link_pose(kin, l).p);
    }
    return RG_OK;
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
        *out = fv_shift(loop_force(w, J->loop), v3_sub(origin, w->scope.constraints->loops[J->loop].origin));
        return RG_OK;
    }

    /* A joint that the tree runs through backwards carries its parent link: the child feels the opposite. */
    int carried = J->reversed ? J->def.parent.i - 1 : child;
    if (carried < 0 || m->links[carried].joint != joint.i - 1) {
        *out = fv_zero(); /* a joint inside one body carries nothing that could be told */
        return RG_ERR_UNSUPPORTED;
    }
    RgForce f =
        fv_shift(w->link_force[carried], v3_sub(origin, rg_kin_link_pose(w->scope.form->kin, carried).p));
    *out = J->reversed ? fv_scale(-1.0, f) : f;
    return RG_OK;
}
