/*
 * inverse_contact.c - inverse dynamics with contact: contacts of the feet, the equations of inverse_contact.h, efforts.
 *
 * Contacts are those of the present state with a gap below CONTACT_MARGIN, at most RG_FOOT_POINTS per foot, the deepest
 * ones; the body under a foot may move too. Normal velocities may close the gap: N v+ >= -gap/h; of small gaps and of
 * overlaps only the part that the world's law closes or corrects in a step (RgContactLaw). Efforts do not act against
 * impacts: a foot that strikes changes the joint rates within the step, by Coulomb's law without efforts, and the
 * desired accelerations start from the rates after that. Otherwise efforts would have to be impulsive and grow as 1/h.
 * f: constant efforts, joint springs and dampers as in the stepper (passive_hold.c; their dependence on velocity
 * changes is in M), gravity and velocity products. Ignored: loops, couplings, wrenches on links, dry friction of
 * joints, limits, and contacts of other links. In the maximal form p is that of the form's own step, with dry friction
 * and limits (passive_hold.c).
 */
#include "control/inverse_contact.h"

#include "dynamics/tree_dynamics.h"
#include "math/dense_factor.h"
#include "sim/world_internal.h"

#include <string.h>

/* Number of predictions of the step in the maximal form. */
enum { PREDICTIONS = 2 };

#define CONTACT_MARGIN 1e-3 /* m: largest gap of a contact */
#define SLIDING_SPEED 1e-3  /* m/s: tangential velocity after impacts above which a contact slides */

/* Allocates the workspace for the controller's joints. */
static RgInverseContact *alloc_workspace(const RgController *c, const RgModel *m, RgArena *arena)
{
    RgInverseContact *w = RG_ARENA_ALLOC(arena, RgInverseContact, 1);
    if (w == NULL || !rg_surfaces_alloc(arena, m, &w->surfaces))
        return NULL;
    int nc = c->njoints, nu = m->nv - nc, room = RG_FOOT_POINTS * c->nfeet, columns = RG_CONTACT_ROWS * room;
    w->nv = m->nv;
    w->nu = nu;
    w->nc = nc;
    w->room = room;
    w->u = RG_ARENA_ALLOC(arena, int, nu);
    w->M = RG_ARENA_ALLOC(arena, double, (size_t)m->nv *(size_t)m->nv);
    w->p = RG_ARENA_ALLOC(arena, double, m->nv);
    w->v0 = RG_ARENA_ALLOC(arena, double, nu);
    w->v1 = RG_ARENA_ALLOC(arena, double, nu);
    w->Muu = RG_ARENA_ALLOC(arena, double, (size_t)nu *(size_t)nu);
    w->J = RG_ARENA_ALLOC(arena, double, 12 * (size_t)m->nv);
    w->rates = RG_ARENA_ALLOC(arena, double, nc);
    w->tau = RG_ARENA_ALLOC(arena, double, nc);
    w->all = RG_ARENA_ALLOC(arena, double, m->nv);
    w->contact = RG_ARENA_ALLOC(arena, RgFootContact, room);
    w->R = RG_ARENA_ALLOC(arena, double, (size_t)columns *(size_t)m->nv);
    w->B = RG_ARENA_ALLOC(arena, double, (size_t)columns *(size_t)nu);
    w->z = RG_ARENA_ALLOC(arena, double, columns);
    if (!rg_passive_hold_alloc(arena, m, &w->passive))
        return NULL;
    for (int i = 0, n = 0; i < m->nv; i++) {
        bool ours = false;
        for (int k = 0; k < nc; k++)
            ours = ours || c->dofs[k] == i;
        if (!ours)
            w->u[n++] = i;
    }
    rg_arena_init(&w->arena, &arena->allocator);
    return w;
}

RgInverseContact *rg_inverse_contact_alloc(const RgController *c, const RgModel *m, RgArena *arena)
{
    RgController none = *c;
    none.njoints = 0;
    RgInverseContact *w = alloc_workspace(c, m, arena);
    if (w != NULL && (w->impact = alloc_workspace(&none, m, arena)) == NULL) {
        rg_arena_free(&w->arena);
        return NULL;
    }
    return w;
}

void rg_inverse_contact_release(RgInverseContact *w)
{
    rg_arena_free(&w->arena);
    rg_arena_free(&w->impact->arena);
}

/* ------------------------------------------------------------------ contacts */

/* Number of the foot that belongs to a body; -1: none. */
static int foot_on(const RgController *c, const RgModel *m, int body)
{
    for (int i = 0; body >= 0 && i < c->nfeet; i++)
        if (m->links[c->feet[i].link.i - 1].body == body)
            return i;
    return -1;
}

static int body_of(const RgModel *m, RgShapeId shape)
{
    RgLinkId link = m->shapes[shape.i - 1].def.link;
    return link.i > 0 ? m->links[link.i - 1].body : -1;
}

/* Stores the contact, replacing the shallowest one of a foot with too many. Returns its index; -1: not stored. */
static int store_contact(RgInverseContact *w, const RgFootContact *contact)
{
    int mine = 0, shallow = -1;
    for (int i = 0; i < w->ncontacts; i++) {
        if (w->contact[i].foot != contact->foot)
            continue;
        mine++;
        if (shallow < 0 || w->contact[i].gap > w->contact[shallow].gap)
            shallow = i;
    }
    int at = mine < RG_FOOT_POINTS ? w->ncontacts : shallow;
    if (mine >= RG_FOOT_POINTS && w->contact[at].gap <= contact->gap)
        return -1;
    w->ncontacts += at == w->ncontacts;
    w->contact[at] = *contact;
    return at;
}

/* Fills the columns of R of a contact: Jacobians of the foot minus those of the other body, along the contact's axes.
   */
static void fill_columns(RgInverseContact *w, const RgKin *kin, int contact, int foot_body, int other_body)
{
    const RgFootContact *f = &w->contact[contact];
    double *Ja = w->J, *Jb = w->J + 6 * w->nv;
    rg_body_jacobian(kin, foot_body, f->point, Ja);
    rg_body_jacobian(kin, other_body, f->point, Jb);
    for (int a = 0; a < RG_CONTACT_ROWS; a++) {
        double *column = w->R + (size_t)(RG_CONTACT_ROWS * contact + a) * (size_t)w->nv;
        for (int k = 0; k < w->nv; k++)
            column[k] = f->axis[a].x * (Ja[3 * w->nv + k] - Jb[3 * w->nv + k]) +
                        f->axis[a].y * (Ja[4 * w->nv + k] - Jb[4 * w->nv + k]) +
                        f->axis[a].z * (Ja[5 * w->nv + k] - Jb[5 * w->nv + k]);
    }
}

static void add_pair(RgInverseContact *w, const RgController *c, const RgControlView *view,
                     const RgContactView *view_contacts, const RgShapeContacts *pair)
{
    const RgModel *m = view->model;
    int a = body_of(m, pair->shape_a), b = body_of(m, pair->shape_b);
    int foot = foot_on(c, m, b), body = b, other = a;
    bool swapped = foot < 0;
    if (swapped) {
        foot = foot_on(c, m, a);
        body = a;
        other = b;
    }
    if (foot < 0 || a == b)
        return;
    RgSurfaceDef spare;
    const RgSurfaceDef *surface = rg_surface_pair(&w->surfaces, pair->shape_a, pair->shape_b, &spare);
    double mu = isnan(c->friction) ? surface->mu : c->friction;
    RgPairLaw law;
    rg_pair_law(&view->world->scope.contact->setup.law, surface, view->h, INFINITY, &law);
    law.gravity = v3_norm(view->world->scope.gravity);
    for (int i = pair->first_manifold; i < pair->first_manifold + pair->nmanifolds; i++) {
        const RgManifold *manifold = &view_contacts->manifolds[i];
        RgVec3 n = swapped ? v3_neg(manifold->normal) : manifold->normal, t = v3_orthogonal(n);
        for (int k = 0; k < manifold->count; k++) {
            const RgContactPoint *p = &view_contacts->points[manifold->first + k];
            RgFootContact contact = {.foot = foot,
                                     .point = v3_scale(0.5, v3_add(p->point_a, p->point_b)),
                                     .axis = {n, t, v3_cross(n, t)},
                                     .gap = p->gap,
                                     .closes = rg_gap_closing(&law, p->gap),
                                     .mu = fmax(mu, 0.0)};
            int at = store_contact(w, &contact);
            if (at >= 0)
                fill_columns(w, rg_dynamics_kinematics(view->dynamics), at, body, other);
        }
    }
}

static RgStatus find_contacts(RgInverseContact *w, const RgController *c, const RgControlView *view)
{
    RgManifoldOptions options = rg_manifold_options_default();
    options.margin = CONTACT_MARGIN;
    options.max_points = RG_FOOT_POINTS;
    RgContactView view_contacts;
    RgError error;
    w->ncontacts = 0;
    RgStatus status = rg_world_contacts(view->world, &options, &view_contacts, &error);
    for (int i = 0; status == RG_OK && i < view_contacts.npairs; i++)
        add_pair(w, c, view, &view_contacts, &view_contacts.pairs[i]);
    return status;
}

/* ------------------------------------------------------------------ dynamics */

/* Computes M, with the stiffness of springs and dampers, and p = M v + h f. */
static RgStatus compute_momentum(RgInverseContact *w, const RgControlView *view)
{
    double *bias = w->J, *zero = w->J + w->nv;
    memset(w->J, 0, 2 * (size_t)w->nv * sizeof *w->J);
    RgStatus status = rg_mass_matrix(view->dynamics, view->q, w->M);
    if (status == RG_OK)
        status = rg_inverse_dynamics(view->dynamics, view->q, view->v, zero, NULL, bias);
    if (status == RG_OK)
        status = rg_passive_hold_find(view, &w->passive);
    if (status != RG_OK)
        return status;
    for (int i = 0; i < w->nv; i++)
        w->M[i * w->nv + i] += w->passive.stiff[i];
    rg_dense_times(w->M, w->nv, w->nv, view->v, zero, w->p);
    for (int i = 0; i < w->nv; i++)
        w->p[i] += view->h * (view->tau[i] + w->passive.force[i] - bias[i]);
    return RG_OK;
}

/* Computes the factor of M_uu, v_u+ without contact, and M_uu^-1 R_u. */
static RgStatus factor_others(RgInverseContact *w, const RgController *c)
{
    int nu = w->nu, nv = w->nv;
    for (int i = 0; i < nu; i++)
        for (int j = 0; j < nu; j++)
            w->Muu[i * nu + j] = w->M[w->u[i] * nv + w->u[j]];
    if (!rg_dense_ldl_factor(w->Muu, nu))
        return RG_ERR_SINGULAR;
    for (int i = 0; i < nu; i++) {
        w->v0[i] = w->p[w->u[i]];
        for (int k = 0; k < w->nc; k++)
            w->v0[i] -= w->M[w->u[i] * nv + c->dofs[k]] * w->rates[k];
    }
    rg_dense_ldl_solve(w->Muu, nu, w->v0);
    for (int j = 0; j < RG_CONTACT_ROWS * w->ncontacts; j++) {
        double *column = w->B + (size_t)j * (size_t)nu;
        for (int i = 0; i < nu; i++)
            column[i] = w->R[(size_t)j * (size_t)nv + (size_t)w->u[i]];
        rg_dense_ldl_solve(w->Muu, nu, column);
    }
    return RG_OK;
}

void rg_inverse_efforts(RgInverseContact *w, double *out)
{
    memcpy(w->v1, w->v0, (size_t)w->nu * sizeof *w->v1);
    for (int j = 0; j < RG_CONTACT_ROWS * w->ncontacts; j++)
        for (int i = 0; i < w->nu; i++)
            w->v1[i] += w->B[(size_t)j * (size_t)w->nu + (size_t)i] * w->z[j];
    for (int k = 0; k < w->nc; k++) {
        const double *row = w->M + (size_t)w->dofs[k] * (size_t)w->nv;
        double sum = -w->p[w->dofs[k]];
        for (int i = 0; i < w->nu; i++)
            sum += row[w->u[i]] * w->v1[i];
        for (int l = 0; l < w->nc; l++)
            sum += row[w->dofs[l]] * w->rates[l];
        out[k] = sum;
    }
}

/* tau = (M_cu v_u+ + M_cc rates - p_c - R_c z) / h. */
static void compute_efforts(RgInverseContact *w, double h)
{
    rg_inverse_efforts(w, w->tau);
    for (int k = 0; k < w->nc; k++) {
        for (int j = 0; j < RG_CONTACT_ROWS * w->ncontacts; j++)
            w->tau[k] -= w->R[(size_t)j * (size_t)w->nv + (size_t)w->dofs[k]] * w->z[j];
        w->tau[k] /= h;
    }
}

static void swap_doubles(double *a, double *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

static void swap_contacts(RgInverseContact *w, int a, int b)
{
    size_t i = (size_t)a, j = (size_t)b, R = RG_CONTACT_ROWS * (size_t)w->nv, B = RG_CONTACT_ROWS * (size_t)w->nu;
    if (a == b)
        return;
    RgFootContact kept = w->contact[i];
    w->contact[i] = w->contact[j];
    w->contact[j] = kept;
    swap_doubles(w->R + i * R, w->R + j * R, R);
    swap_doubles(w->B + i * B, w->B + j * B, B);
    swap_doubles(w->z + RG_CONTACT_ROWS * i, w->z + RG_CONTACT_ROWS * j, RG_CONTACT_ROWS);
}

/* Removes a contact; the last one takes its place. */
static void remove_contact(RgInverseContact *w, int contact)
{
    swap_contacts(w, contact, --w->ncontacts);
}

/* Moves sticking contacts to the front and returns their number. Only their forces can be redistributed. */
static int sort_sticking_first(RgInverseContact *w, double h)
{
    int sticking = 0;
    for (int c = 0; c < w->ncontacts; c++)
        if (rg_inverse_sticks(w, c, h))
            swap_contacts(w, c, sticking++);
    return sticking;
}

static RgStatus first_stage(RgInverseContact *w, double h, RgContactModel law)
{
    rg_arena_reset(&w->arena);
    return law == RG_LAW_NO_SLIP   ? rg_inverse_no_slip(w, h)
           : law == RG_LAW_COULOMB ? rg_inverse_coulomb(w, h)
                                   : rg_inverse_least_energy(w, h);
}

/* Stage 1. If Coulomb's law has no solution, uses least energy. The other laws may give impulses to a foot that
   separates: then the contact that separates fastest is removed and stage 1 repeated. */
static RgStatus find_impulses(RgInverseContact *w, double h, RgContactModel law)
{
    RgStatus status = w->ncontacts > 0 ? first_stage(w, h, law) : RG_OK;
    if (law == RG_LAW_COULOMB && status != RG_ERR_NOT_CONVERGED)
        return status;
    if (law == RG_LAW_COULOMB)
        status = first_stage(w, h, law = RG_LAW_LEAST_ENERGY);
    while (status == RG_OK && w->ncontacts > 0) {
        int leaving = rg_inverse_find_leaving(w, h);
        if (leaving < 0)
            break;
        remove_contact(w, leaving);
        status = w->ncontacts > 0 ? first_stage(w, h, law) : RG_OK;
    }
    return status;
}

/* Computes what does not depend on the desired rates: momentum and contacts. */
static RgStatus prepare_contacts(RgInverseContact *w, const RgController *c, const RgControlView *view)
{
    w->dofs = c->dofs;
    w->shared = false;
    memset(w->z, 0, RG_CONTACT_ROWS * (size_t)w->room * sizeof *w->z);
    RgStatus status = compute_momentum(w, view);
    return status == RG_OK ? find_contacts(w, c, view) : status;
}

/* Computes impulses and efforts for the desired rates with the present p. */
static RgStatus solve_once(RgInverseContact *w, const RgController *c, double h, RgContactModel law)
{
    RgStatus status = factor_others(w, c);
    if (status == RG_OK)
        status = find_impulses(w, h, law);
    if (status != RG_OK)
        return status;
    int sticking = sort_sticking_first(w, h);
    if (sticking > 0)
        w->shared = rg_inverse_least_efforts(w, sticking, law != RG_LAW_NO_SLIP);
    compute_efforts(w, h);
    return RG_OK;
}

/* Computes all efforts, including those of the contact impulses. */
static void all_efforts(RgInverseContact *w, const RgControlView *view)
{
    memcpy(w->all, view->tau, (size_t)w->nv * sizeof *w->all);
    for (int k = 0; k < w->nc; k++)
        w->all[w->dofs[k]] = w->tau[k];
    for (int j = 0; j < RG_CONTACT_ROWS * w->ncontacts; j++)
        for (int i = 0; i < w->nv; i++)
            w->all[i] += w->R[(size_t)j * (size_t)w->nv + (size_t)i] * w->z[j] / view->h;
}

/* Solves, and where the world's step does not follow M and p predicts the step, corrects p by the result, and solves
   again. */
static RgStatus solve_with_prediction(RgInverseContact *w, const RgController *c, const RgControlView *view,
                                      RgContactModel law)
{
    RgStatus status = solve_once(w, c, view->h, law);
    for (int i = 0; i < PREDICTIONS && status == RG_OK && rg_passive_hold_predicts(view); i++) {
        all_efforts(w, view);
        memcpy(w->J, w->passive.force, (size_t)w->nv * sizeof *w->J);
        if (rg_passive_hold_predict(view, &(RgPrediction){.tau = w->all}, &w->passive) != RG_OK)
            return RG_OK;
        for (int k = 0; k < w->nv; k++)
            w->p[k] += view->h * (w->passive.force[k] - w->J[k]);
        status = solve_once(w, c, view->h, law);
    }
    return status;
}

RgStatus rg_inverse_contact_solve(RgInverseContact *w, const RgController *c, const RgControlView *view,
                                  RgContactModel law)
{
    RgStatus status = prepare_contacts(w, c, view);
    return status == RG_OK ? solve_with_prediction(w, c, view, law) : status;
}

/* ------------------------------------------------------------------ impacts, rates */

/* Velocities (nv) after the impacts of the contacts without efforts; the present velocities if there are none. */
static const double *velocities_after_impact(RgInverseContact *w, const RgControlView *view)
{
    RgInverseContact *free = w->impact;
    const RgController none = {.njoints = 0};
    size_t columns = RG_CONTACT_ROWS * (size_t)w->ncontacts;
    free->ncontacts = w->ncontacts;
    memcpy(free->contact, w->contact, (size_t)w->ncontacts * sizeof *w->contact);
    memcpy(free->R, w->R, columns * (size_t)w->nv * sizeof *w->R);
    memcpy(free->M, w->M, (size_t)w->nv * (size_t)w->nv * sizeof *w->M);
    memset(w->J, 0, (size_t)w->nv * sizeof *w->J);
    rg_dense_times(w->M, w->nv, w->nv, view->v, w->J, free->p);
    if (w->ncontacts == 0 || factor_others(free, &none) != RG_OK || first_stage(free, view->h, RG_LAW_COULOMB) != RG_OK)
        return view->v;
    rg_inverse_efforts(free, NULL);
    for (size_t i = 0; i < columns; i++) {
        double v = 0.0;
        for (int k = 0; k < w->nv; k++)
            v += w->R[i * (size_t)w->nv + (size_t)k] * free->v1[k];
        if (i % RG_CONTACT_ROWS != 0 && fabs(v) > SLIDING_SPEED)
            w->contact[i / RG_CONTACT_ROWS].slides = true;
    }
    return free->v1;
}

/* Desired rates v_c+ = v + h (a* + kd (v* - v) + kp (q* - q)) with v after impacts; without gains v*(t + h). */
static void compute_rates(RgInverseContact *w, const RgController *c, const RgControlView *view)
{
    const double *after = velocities_after_impact(w, view);
    for (int k = 0; k < c->njoints; k++) {
        const RgReference *now = &view->wanted[k];
        double v = after[c->dofs[k]];
        double a = now->acceleration + c->joints[k].kd * (now->velocity - v) +
                   c->joints[k].kp * (now->position - view->position[k]);
        w->rates[k] = c->has_gains ? v + view->h * a : view->next[k].velocity;
    }
}

/* ------------------------------------------------------------------ functions of the controller kinds */

bool rg_inverse_prepare(RgController *c, const RgModel *model, RgArena *arena)
{
    c->work = rg_inverse_contact_alloc(c, model, arena);
    return c->work != NULL;
}

void rg_inverse_release(RgController *c)
{
    rg_inverse_contact_release(c->work);
}

RgStatus rg_inverse_command(RgController *c, const RgControlView *view, RgJointCommand *out)
{
    RgInverseContact *w = c->work;
    RgStatus status = prepare_contacts(w, c, view);
    if (status != RG_OK)
        return status;
    compute_rates(w, c, view);
    status = solve_with_prediction(w, c, view, (RgContactModel)c->kind->law);
    for (int k = 0; status == RG_OK && k < c->njoints; k++)
        out[k] = (RgJointCommand){.effort = w->tau[k]};
    return status;
}
