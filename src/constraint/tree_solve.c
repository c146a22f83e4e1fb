/*
 * tree_solve.c - eliminates rows of tree joints by the structure of the tree, maximal form.
 *
 * With hard rows G u = -e, and N a basis of their null space, G N = 0:
 *
 *   u = N v + d,   G d = -e            v solves (N' M N + D) v = N' M (u_free - d) + D t
 *
 * which is the u nearest to u_free in the norm of M, together with soft rows v_k + C_k z_k = t_k, D = diag(1 / C_k). N
 * maps joint velocities to twists of bodies and speeds of rotors:
 *
 *   V_i = shift(V_parent, r_i) + S_i v_i + gamma_i,     rotor of k: v_k + rho_k
 *
 * so N v is one pass from roots to leaves, N' f one pass from leaves to roots, and N' M N is the mass matrix of the
 * minimal form at the poses of the bodies (crba.c, armature of rotors included), factored along the branches. gamma and
 * rho are the particular solution d:
 *
 *   accelerations   gamma = share (c_i - A0_i + shift(A0_parent, r_i)),   rho = 0
 *   errors e        gamma = -sum_k e_k T_k (T orthonormal, T'S = 0),      rho_k = e of the rotor's row
 *   impulses        gamma = 0, rho = 0
 *
 * The results equal those of the factor of the rows, J M^-1 J' + C, to round-off. Cost: a factor takes the sum over the
 * velocities of (depth)^2 / 2 multiplications, a solve the number of bodies plus the sum of depths. Not for loops,
 * couplings and holds, which connect branches, nor for trees so deep that the factor along the branches costs more than
 * that of the rows.
 */
#include "constraint/tree_solve.h"

#include <string.h>

/* Fraction of bodies held by joints from which on the joints' mass matrix, which covers all bodies, is the cheaper
   method. */
#define MIN_HELD_FRACTION 0.25

/* Number of velocities on a branch above which a solution gets one step of iterative refinement: the condition of the
   joints' mass matrix grows as depth^4. */
#define REFINE_DEPTH 14

void rg_tree_solve_alloc(RgArena *arena, const RgForm *form, RgTreeSolve *out)
{
    const RgModel *m = form->model;
    int held = 0;
    for (int i = 0; i < m->nbodies && form->kind->joints_are_rows; i++)
        held += m->bodies[i].nv < 6;
    *out = (RgTreeSolve){.possible = held > 0 && form->factor.L != NULL && held >= MIN_HELD_FRACTION * m->nbodies};
    if (!out->possible)
        return;
    out->gamma = RG_ARENA_ALLOC(arena, RgMotion, m->nbodies);
    out->rho = RG_ARENA_ALLOC(arena, double, m->nv);
    out->v = RG_ARENA_ALLOC(arena, double, m->nv);
    out->diagonal = RG_ARENA_ALLOC(arena, double, m->nv);
    out->driven = RG_ARENA_ALLOC(arena, double, m->nv);
    out->free = RG_ARENA_ALLOC(arena, double, form->nu);
    out->carried = RG_ARENA_ALLOC(arena, RgForce, m->nbodies);
}

bool rg_tree_solve_applies(const RgConstraints *c)
{
    return c->tree.possible && c->rows.n == c->tree_rows;
}

bool rg_tree_solve_factor(RgConstraints *c)
{
    RgForm *form = c->form;
    int bad_dof;
    memset(c->tree.diagonal, 0, (size_t)form->model->nv * sizeof *c->tree.diagonal);
    for (int i = 0; i < c->rows.n; i++)
        if (c->rows.row[i].compliance > 0.0)
            c->tree.diagonal[c->rows.row[i].dof[0]] += 1.0 / c->rows.row[i].compliance;
    rg_crba(form->kin, c->tree.diagonal, form->work, &form->factor);
    return rg_mass_factor_compute(&form->factor, &bad_dof);
}

bool rg_tree_solve_refactor(RgConstraints *c, const double *D)
{
    RgForm *form = c->form;
    int bad_dof;
    for (int k = 0; k < form->model->nv; k++)
        c->tree.driven[k] = c->tree.diagonal[k] + D[k];
    rg_crba(form->kin, c->tree.driven, form->work, &form->factor);
    return rg_mass_factor_compute(&form->factor, &bad_dof);
}

/* ------------------------------------------------------------------ N and N' */

/* A twist about the body's origin as the form's six velocities. */
static void twist_to_six(const RgForm *form, int i, RgMotion V, double six[6])
{
    RgMotion at_centre = mv_shift(V, form->to_centre[i]);
    RgVec3 w = m3_apply_t(form->R_WC[i], at_centre.w);
    double own[6] = {w.x, w.y, w.z, at_centre.v.x, at_centre.v.y, at_centre.v.z};
    memcpy(six, own, sizeof own);
}

/* Six generalised forces of a body as a wrench about its origin. */
static RgForce six_to_wrench(const RgForm *form, int i, const double six[6])
{
    RgForce f = {m3_apply(form->R_WC[i], v3(six[0], six[1], six[2])), v3(six[3], six[4], six[5])};
    return fv_shift(f, v3_neg(form->to_centre[i]));
}

/* Computes V_i of v and gamma (NULL: 0), roots first. */
static void pass_twists(const RgForm *form, const double *v, const RgMotion *gamma, RgMotion *V)
{
    const RgModel *m = form->model;
    for (int i = 0; i < m->nbodies; i++) {
        const RgBody *B = &m->bodies[i];
        RgMotion sum = gamma != NULL ? gamma[i] : mv_zero();
        if (B->parent >= 0)
            sum = mv_add(sum, mv_shift(V[B->parent], form->kin->r[i]));
        for (int k = B->v0; k < B->v0 + B->nv && v != NULL; k++)
            sum = mv_axpy(v[k], form->kin->S[k], sum);
        V[i] = sum;
    }
}

/* Computes the joint forces of the wrenches f on bodies, leaves first; f becomes the wrenches through the joints. */
static void pass_forces(const RgForm *form, RgForce *f, double *out)
{
    const RgModel *m = form->model;
    for (int i = m->nbodies - 1; i >= 0; i--) {
        const RgBody *B = &m->bodies[i];
        for (int k = B->v0; k < B->v0 + B->nv; k++)
            out[k] = mv_dot(form->kin->S[k], f[i]);
        if (B->parent >= 0)
            f[B->parent] = fv_add(f[B->parent], fv_shift(f[i], v3_neg(form->kin->r[i])));
    }
}

/* u = N v + d. rho NULL: 0. */
static void write_velocities(const RgForm *form, const double *v, const RgMotion *gamma, const double *rho, double *u)
{
    const RgModel *m = form->model;
    pass_twists(form, v, gamma, form->work->A);
    for (int i = 0; i < m->nbodies; i++)
        twist_to_six(form, i, form->work->A[i], u + 6 * i);
    for (int r = 0; r < m->nrotors; r++) {
        int k = form->rotor_dof[r];
        u[6 * m->nbodies + r] = v[k] + (rho != NULL ? rho[k] : 0.0);
    }
}

/* out = N' M (u - d), u NULL: 0. */
static void reduced_momentum(const RgForm *form, const double *u, const RgMotion *gamma, const double *rho, double *out)
{
    const RgModel *m = form->model;
    pass_twists(form, NULL, gamma, form->work->A);
    for (int i = 0; i < m->nbodies; i++) {
        const RgMaximalBody *b = &form->bodies[i];
        double six[6];
        twist_to_six(form, i, form->work->A[i], six);
        for (int k = 0; k < 6; k++)
            six[k] = (k < 3 ? b->moment[k] : b->mass) * ((u != NULL ? u[6 * i + k] : 0.0) - six[k]);
        form->work->f[i] = six_to_wrench(form, i, six);
    }
    pass_forces(form, form->work->f, out);
    for (int r = 0; r < m->nrotors; r++) {
        int k = form->rotor_dof[r];
        double speed = u != NULL ? u[6 * m->nbodies + r] : 0.0;
        out[k] += m->armature[k] * (speed - (rho != NULL ? rho[k] : 0.0));
    }
}

/* ------------------------------------------------------------------ accelerations */

/* c_i - A0_i + shift(A0_parent, r_i): velocity products in the constraint of the joint of body i. */
static RgMotion product_acceleration(const RgForm *form, int i)
{
    int parent = form->model->bodies[i].parent;
    RgMotion product = mv_sub(form->joints[i].c, form->A0[i]);
    return parent >= 0 ? mv_add(product, mv_shift(form->A0[parent], form->kin->r[i])) : product;
}

/* Adds the forces of soft rows for joint accelerations v (NULL: 0). Soft rows keep their full velocity products. */
static void add_soft(const RgConstraints *c, double share, const double *v, double *out)
{
    const RgForm *form = c->form;
    const RgModel *m = form->model;
    for (int i = 0; i < c->rows.n; i++) {
        const RgRow *row = &c->rows.row[i];
        if (!(row->compliance > 0.0))
            continue;
        int k = row->dof[0], body = m->dof_body[k];
        RgForce W = form->joints[body].W[k - m->bodies[body].v0];
        double rest = (1.0 - share) * mv_dot(product_acceleration(form, body), W);
        out[k] += (row->target + rest - (v != NULL ? v[k] : 0.0)) / row->compliance;
    }
}

/* One step of iterative refinement: the residual of N' M (a_free - a) + soft rows = 0, by passes over the bodies. */
static void refine(RgConstraints *c, double share, const double *a_free, double *a)
{
    const RgForm *form = c->form;
    RgTreeSolve *t = &c->tree;
    double *change = c->scratch.step;
    for (int k = 0; k < form->nu; k++)
        change[k] = a_free[k] - a[k];
    reduced_momentum(form, change, NULL, NULL, t->rho);
    add_soft(c, share, t->v, t->rho);
    rg_mass_factor_solve(&form->factor, t->rho);
    write_velocities(form, t->rho, NULL, NULL, change);
    for (int k = 0; k < form->nu; k++)
        a[k] += change[k];
}

void rg_tree_solve_accelerations(RgConstraints *c, double share, double *a)
{
    const RgForm *form = c->form;
    RgTreeSolve *t = &c->tree;
    bool deep = form->model->depth > REFINE_DEPTH;
    if (deep)
        memcpy(t->free, a, (size_t)form->nu * sizeof *a);
    for (int i = 0; i < form->model->nbodies; i++)
        t->gamma[i] = mv_scale(share, product_acceleration(form, i));
    reduced_momentum(form, a, t->gamma, NULL, t->v);
    add_soft(c, share, NULL, t->v);
    rg_mass_factor_solve(&form->factor, t->v);
    write_velocities(form, t->v, t->gamma, NULL, a);
    if (deep)
        refine(c, share, t->free, a);
}

/* ------------------------------------------------------------------ impulses */

/* Wrenches through the joints: the momentum change du of the bodies beyond each joint, minus the impulses on them
   (work->f, summed by pass_forces). */
static void joint_wrenches(const RgForm *form, const double *du, RgForce *carried)
{
    const RgModel *m = form->model;
    for (int i = 0; i < m->nbodies; i++) {
        const RgMaximalBody *b = &form->bodies[i];
        double six[6];
        for (int k = 0; k < 6; k++)
            six[k] = (k < 3 ? b->moment[k] : b->mass) * du[6 * i + k];
        carried[i] = six_to_wrench(form, i, six);
    }
    for (int i = m->nbodies - 1; i >= 0; i--) {
        int parent = m->bodies[i].parent;
        if (parent >= 0)
            carried[parent] = fv_add(carried[parent], fv_shift(carried[i], v3_neg(form->kin->r[i])));
    }
    for (int i = 0; i < m->nbodies; i++)
        carried[i] = fv_sub(carried[i], form->work->f[i]);
}

/* Writes the impulses of the rows of one body's joint, from row i on; returns the first row after them. T is
   orthonormal and orthogonal to W, along which rotors and springs act. rho: impulses on the rotors. */
static int row_impulses(const RgConstraints *c, int body, int i, double *impulses)
{
    const RgTreeSolve *t = &c->tree;
    const RgJointState *J = &c->form->joints[body];
    int end = c->form->model->bodies[body].v0 + c->form->model->bodies[body].nv;
    for (int k = 0; k < J->nrows; k++)
        impulses[i++] = mv_dot((RgMotion){J->T[k].n, J->T[k].f}, t->carried[body]);
    for (; i < c->rows.n && c->rows.row[i].ndofs == 1 && c->rows.row[i].nbodies == 0; i++) {
        const RgRow *row = &c->rows.row[i];
        int dof = row->dof[0];
        if (dof < c->form->model->bodies[body].v0 || dof >= end)
            break;
        impulses[i] =
            row->rotor >= 0 ? t->rho[dof] - c->form->model->armature[dof] * t->v[dof] : -t->v[dof] / row->compliance;
    }
    return i;
}

void rg_tree_solve_respond(const RgConstraints *c, const double *push, double *g, double *impulses)
{
    const RgForm *form = c->form;
    const RgModel *m = form->model;
    const RgTreeSolve *t = &c->tree;
    for (int i = 0; i < m->nbodies; i++)
        form->work->f[i] = six_to_wrench(form, i, g + 6 * i);
    pass_forces(form, form->work->f, t->v);
    for (int k = 0; k < m->nv && push != NULL; k++)
        t->v[k] += push[k];
    for (int r = 0; r < m->nrotors; r++) {
        t->rho[form->rotor_dof[r]] = g[6 * m->nbodies + r];
        t->v[form->rotor_dof[r]] += g[6 * m->nbodies + r];
    }
    rg_mass_factor_solve(&form->factor, t->v);
    write_velocities(form, t->v, NULL, NULL, g);
    joint_wrenches(form, g, t->carried);
    for (int i = 0, body = m->nbodies - 1; body >= 0; body--)
        i = row_impulses(c, body, i, impulses);
}

/* ------------------------------------------------------------------ errors */

/* Twist of body i against its parent, about its origin; V: twists of the bodies. */
static RgMotion relative_twist(const RgForm *form, int i, const RgMotion *V)
{
    int parent = form->model->bodies[i].parent;
    return parent >= 0 ? mv_sub(V[i], mv_shift(V[parent], form->kin->r[i])) : V[i];
}

/* Rate of the row of rotor r: v_k minus the rotor's speed. V: twists of u. */
static double rotor_rate(const RgForm *form, int r, const double *u, const RgMotion *V)
{
    const RgModel *m = form->model;
    int k = form->rotor_dof[r], body = m->dof_body[k];
    return mv_dot(relative_twist(form, body, V), form->joints[body].W[k - m->bodies[body].v0]) - u[6 * m->nbodies + r];
}

double rg_tree_solve_error(const RgConstraints *c)
{
    double most = 0.0;
    for (int i = 0; i < c->form->model->nbodies; i++)
        for (int k = 0; k < c->form->joints[i].nrows; k++) {
            double size = fabs(c->form->joints[i].error[k]);
            most = size > most ? size : most;
        }
    return most;
}

double rg_tree_solve_rate(const RgConstraints *c, const double *u)
{
    const RgForm *form = c->form;
    RgMotion *twists = form->work->V;
    double most = 0.0;
    rg_form_twists(form, u, twists);
    for (int i = 0; i < form->model->nbodies; i++) {
        const RgJointState *J = &form->joints[i];
        if (J->nrows == 0)
            continue;
        RgMotion V = relative_twist(form, i, twists);
        for (int k = 0; k < J->nrows; k++)
            most = fmax(most, fabs(mv_dot(V, J->T[k])));
    }
    for (int r = 0; r < form->model->nrotors; r++)
        most = fmax(most, fabs(rotor_rate(form, r, u, twists)));
    return most;
}

void rg_tree_solve_correction(RgConstraints *c, const double *u, double *step)
{
    const RgForm *form = c->form;
    const RgModel *m = form->model;
    RgTreeSolve *t = &c->tree;
    RgMotion *twists = form->work->V;
    if (u != NULL)
        rg_form_twists(form, u, twists);
    for (int i = 0; i < m->nbodies; i++) {
        const RgJointState *J = &form->joints[i];
        RgMotion V = u != NULL && J->nrows > 0 ? relative_twist(form, i, twists) : mv_zero();
        t->gamma[i] = mv_zero();
        for (int k = 0; k < J->nrows; k++) {
            RgMotion along = {J->T[k].n, J->T[k].f};
            t->gamma[i] = mv_axpy(u != NULL ? -mv_dot(V, J->T[k]) : -J->error[k], along, t->gamma[i]);
        }
    }
    memset(t->rho, 0, (size_t)m->nv * sizeof *t->rho);
    for (int r = 0; r < m->nrotors && u != NULL; r++)
        t->rho[form->rotor_dof[r]] = rotor_rate(form, r, u, twists);
    reduced_momentum(form, NULL, t->gamma, t->rho, t->v);
    rg_mass_factor_solve(&form->factor, t->v);
    write_velocities(form, t->v, t->gamma, t->rho, step);
}
