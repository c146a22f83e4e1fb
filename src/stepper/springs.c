/*
 * springs.c - springs and dampers of joints in a step of two half updates: second order, stable for any stiffness.
 *
 * A step (located_trial.c) is u0 -> U by the forces at x0, x1 = x0 + h U, then U -> u1 by those at x1. With k = h/2,
 * joint springs K and dampers D, and all other forces f:
 *
 *   first half     (M + k D + k^2 K) U = M u0 + k (f(x0) - K q0)      that is, M (U - u0) = k (f(x0) + F)
 *                                                                     with F = -K (q0 + k U) - D U, half way
 *   second half    (M + k L) (u1 - U)  = k (f(x1) + F)                the same F
 *
 * With L = 0 this is the implicit midpoint rule for springs and dampers within Stoermer-Verlet for all other forces
 * (Stern and Grinspun 2009, IMEX): second order, symmetric, stable for every K and D; an undamped spring keeps its
 * energy.
 *
 * The rule oscillates for stiff dampers: a velocity with z = k D / I is multiplied by (1 - z) / (1 + z) in a step,
 * which tends to -1 for large z. So the part of a damper beyond z = 1 is implicit at the end of the step:
 *
 *   L = D max(0, 1 - 1/z)
 *
 * Then the velocity is damped to zero in one step for z > 1, a velocity driven by a force through a damper is f / D,
 * and the eigenvalues of a step with spring and damper are within the unit circle for all z and K (by a scan of both
 * over ten orders of magnitude). If z <= 1 for all dampers the step is of second order.
 *
 * Without contacts, and if no spring or damper is faster than the step (h D / I and h^2 K / I at most 1), explicit
 * methods are more accurate (located_trial.c).
 *
 * I is the inertia of the two bodies of a joint about its axis, of each body alone about its centre of mass. That is a
 * lower bound of the inertia that the joint moves, so z is an upper bound, and dampers switch to L rather too early.
 */
#include "stepper/springs.h"

bool rg_springs_alloc(RgArena *arena, RgStepScope *scope, RgSprings *out)
{
    int n = scope->model->nv + 6 * scope->model->nloops;
    *out = (RgSprings){.scope = scope};
    out->held.force = RG_ARENA_ALLOC(arena, double, n);
    out->held.rate = RG_ARENA_ALLOC(arena, double, n);
    out->held.late = RG_ARENA_ALLOC(arena, double, n);
    return !arena->failed;
}

/* 1/kg or 1/(kg m^2): inverse inertia of a body alone along an axis. For an axis that turns, only the rotation counts.
   */
static double mobility(const RgForm *form, int body, const RgMotion *axis)
{
    if (body < 0)
        return 0.0;
    const RgInertia *inertia = &form->model->bodies[body].inertia;
    double turn2 = v3_norm2(axis->w);
    if (!(turn2 > 0.0))
        return 1.0 / (inertia->mass * v3_norm2(axis->v));
    RgVec3 w = m3_apply_t(form->kin->X_WB[body].R, axis->w);
    return 1.0 / v3_dot(w, s3_apply(inertia->I, w));
}

bool rg_springs_any(const RgModel *m)
{
    bool any = m->any_damping || m->any_stiffness;
    for (int l = 0; l < m->nloops; l++)
        for (int k = 0; k < m->loops[l].kind->nv; k++) {
            const RgAxisDef *dof = &m->joints[m->loops[l].joint].def.dof[k];
            any = any || dof->damping > 0.0 || dof->stiffness > 0.0;
        }
    return any;
}

/* h D / I and h^2 K / I are at most 1. */
static bool is_mild(const RgForm *form, const int body[2], const RgMotion *axis, const double law[2], double h)
{
    if (!(law[0] > 0.0 || law[1] > 0.0))
        return true;
    double moves = mobility(form, body[0], axis) + mobility(form, body[1], axis);
    return h * law[0] * moves <= 1.0 && h * h * law[1] * moves <= 1.0;
}

bool rg_springs_mild(const RgSprings *s, double h)
{
    const RgForm *form = s->scope->form;
    const RgModel *m = form->model;
    bool all = true;
    for (int i = 0; i < m->nbodies; i++)
        for (int k = m->bodies[i].v0; k < m->bodies[i].v0 + m->bodies[i].nv; k++)
            all = all && is_mild(form, (int[]){m->bodies[i].parent, i}, &form->kin->S[k],
                                 (double[]){m->damping[k], m->stiffness[k]}, h);
    for (int l = 0; l < m->nloops; l++)
        for (int k = 0; k < s->scope->constraints->loops[l].nv; k++) {
            const RgAxisDef *dof = &m->joints[m->loops[l].joint].def.dof[k];
            all = all && is_mild(form, (int[]){m->loops[l].body_a, m->loops[l].body_b},
                                 &s->scope->constraints->loops[l].S[k], (double[]){dof->damping, dof->stiffness}, h);
        }
    return all;
}

/* L of the damping d along an axis between two bodies. */
static double late_damping(const RgForm *form, const int body[2], const RgMotion *axis, double k, double d)
{
    if (!(d > 0.0))
        return 0.0;
    double z = k * d * (mobility(form, body[0], axis) + mobility(form, body[1], axis));
    return z > 1.0 ? d * (1.0 - 1.0 / z) : 0.0;
}

static void evaluate_loop(RgSprings *s, int l, double k)
{
    const RgForm *form = s->scope->form;
    const RgConstraints *c = s->scope->constraints;
    const RgLoop *loop = &form->model->loops[l];
    int at = form->model->nv + 6 * l, body[2] = {loop->body_a, loop->body_b};
    rg_loop_efforts(c, l, s->held.force + at);
    for (int i = 0; i < c->loops[l].nv; i++) {
        double d = form->model->joints[loop->joint].def.dof[i].damping;
        s->held.rate[at + i] = c->loops[l].v[i];
        s->held.late[at + i] = late_damping(form, body, &c->loops[l].S[i], k, d);
    }
}

const RgGivenSprings *rg_springs_middle(RgSprings *s, const double *x, const double *U, double h)
{
    RgStepScope *c = s->scope;
    RgForm *form = c->form;
    const RgModel *m = c->model;
    double *move = c->scratch.memory[0];
    for (int i = 0; i < form->nu; i++)
        move[i] = 0.5 * h * U[i];
    form->kind->integrate(form, x, move, c->scratch.x);
    form->kind->kinematics(form, c->scratch.x, U);
    rg_constraints_observe(c->constraints);
    rg_tree_passive_forces(m, form->q, form->v, s->held.force);
    for (int i = 0; i < m->nbodies; i++)
        for (int k = m->bodies[i].v0; k < m->bodies[i].v0 + m->bodies[i].nv; k++) {
            int body[2] = {m->bodies[i].parent, i};
            s->held.rate[k] = form->v[k];
            s->held.late[k] = late_damping(form, body, &form->kin->S[k], 0.5 * h, m->damping[k]);
        }
    for (int l = 0; l < m->nloops; l++)
        evaluate_loop(s, l, 0.5 * h);
    s->held.velocities = c->contact != NULL && rg_contact_has_joint_rows(c->contact);
    return &s->held;
}
