/*
 * drive_reach.c - bound of the velocity that drives may add to the approach of shapes within a step.
 *
 * The contact search covers the distance by which shapes can approach at their present velocities. A drive changes the
 * velocity of its joint within the step, v -> target: over 50 to 100 ms that is centimetres, and a body could penetrate
 * a shape that the search at the beginning missed. With d_k = target_k - v_k at driven axes, 0 elsewhere, twists change
 * by
 *
 *   dV_i = shift(dV_parent, r_i) + S_i d_i       a shape by at most  e = |dV at the centre of its ball| + |dw| radius
 *
 * and a floating base by as much as any of its limbs pushes it: the largest e of its tree is added to all of it. An
 * overestimate only makes contacts that stay open. The velocity that gravity adds within the step (g h) is neglected,
 * as for all other bodies.
 */
#include "constraint/contact_solve.h"

#include "constraint/bounded_table.h"

#include <string.h>

/* Velocity changes by drives, per joint velocity; false: none. */
static bool velocity_changes(const RgBounded *b, const RgBoundedAsk *ask, double *change)
{
    memset(change, 0, (size_t)b->form->model->nv * sizeof *change);
    bool any = false;
    for (int axis = 0; axis < b->naxes; axis++) {
        const RgDrive *drive = &b->drives[axis];
        int dof = b->axes[axis].dof;
        if (dof < 0 || !(drive->max_effort > 0.0))
            continue;
        double q = b->axes[axis].plain ? rg_axis_position(b, axis) : 0.0;
        change[dof] = rg_drive_law(drive, ask, q).target - rg_axis_rate(b, axis);
        any = true;
    }
    return any;
}

/* Changes of the bodies' twists, parents before children; root[i]: root body of the tree of body i. */
static void twist_changes(const RgKin *kin, const double *change, RgMotion *dV, int *root)
{
    const RgModel *m = kin->model;
    for (int i = 0; i < m->nbodies; i++) {
        const RgBody *B = &m->bodies[i];
        dV[i] = B->parent >= 0 ? mv_shift(dV[B->parent], kin->r[i]) : mv_zero();
        root[i] = B->parent >= 0 ? root[B->parent] : i;
        for (int k = B->v0; k < B->v0 + B->nv; k++)
            dV[i] = mv_axpy(change[k], kin->S[k], dV[i]);
    }
}

static double extra_speed(const RgContactScene *scene, const RgKin *kin, int shape, const RgMotion *dV)
{
    int body = scene->body[shape];
    RgVec3 arm = v3_sub(pose_apply(scene->X_WS[shape], scene->ball_centre[shape]), kin->X_WB[body].p);
    RgMotion at = mv_shift(dV[body], arm);
    return v3_norm(at.v) + v3_norm(at.w) * scene->ball_radius[shape];
}

void rg_drive_reach(const RgBounded *b, const RgBoundedAsk *ask, RgContactScene *scene)
{
    const RgKin *kin = b->form->kin;
    const RgModel *m = kin->model;
    if (b->ndrives == 0 || !velocity_changes(b, ask, b->reach.change))
        return;
    twist_changes(kin, b->reach.change, b->reach.twist, b->reach.root);

    /* Bound of each floating base first, then the sum for each shape. */
    memset(b->reach.base, 0, (size_t)m->nbodies * sizeof *b->reach.base);
    for (int i = 0; i < m->nshapes; i++) {
        int body = scene->body[i];
        if (scene->collider[i].i == 0 || body < 0 || m->bodies[b->reach.root[body]].joint >= 0)
            continue;
        double *most = &b->reach.base[b->reach.root[body]];
        *most = fmax(*most, extra_speed(scene, kin, i, b->reach.twist));
    }
    for (int i = 0; i < m->nshapes; i++) {
        int body = scene->body[i];
        if (scene->collider[i].i != 0 && body >= 0)
            scene->spin[i] += extra_speed(scene, kin, i, b->reach.twist) + b->reach.base[b->reach.root[body]];
    }
}
