/*
 * hybrid.c - forward dynamics with some joint accelerations prescribed (Featherstone 2008, 9.2).
 *
 *   known k, unknown u:    M_uu a_u = -r_u,   missing_k = r_k + M_ku a_u,   r = RNEA(q, v, (a_k, 0)) + D (a_k, 0) - tau
 *
 * D is what springs and dampers at the end of a step add to the diagonal of M. M_uu has the branches of the tree, with
 * known joints as if welded: their rows and columns are zero in M, and 1/d = 0, so that the factor can be used
 * like that of M and M^-1 b is zero for them. A part without unknowns needs neither M nor a factor. Fails if
 * M_uu is singular. Cost: RNEA, CRBA, and the factor of the unknowns.
 */
#include "dynamics/tree_dynamics.h"

#include <string.h>

bool rg_known_rates_alloc(RgArena *arena, const RgModel *model, RgKnownRates *out)
{
    *out = (RgKnownRates){.known = RG_ARENA_ALLOC(arena, bool, model->nv),
                          .moved = RG_ARENA_ALLOC(arena, bool, model->nbodies),
                          .a = RG_ARENA_ALLOC(arena, double, model->nv),
                          .missing = RG_ARENA_ALLOC(arena, double, model->nv),
                          .M = rg_mass_factor_alloc(arena, model)};
    return !arena->failed;
}

static int count_known(const RgKnownRates *known, RgTreePart part)
{
    int n = 0;
    for (int k = part.dof; k < part.dof_end; k++)
        n += known->known[k];
    return n;
}

/* Computes the rows of M that involve unknown velocities. */
static void compute_mass(const RgKin *kin, const double *diagonal, RgTreeWork *work, RgKnownRates *known,
                         RgTreePart part)
{
    int nmoved = 0;
    for (int i = part.body; i < part.body_end; i++) {
        const RgBody *B = &kin->model->bodies[i];
        known->moved[i] = B->parent >= 0 && known->moved[B->parent];
        for (int k = B->v0; k < B->v0 + B->nv; k++)
            known->moved[i] = known->moved[i] || !known->known[k];
        nmoved += known->moved[i];
    }
    if (2 * nmoved > part.body_end - part.body)
        rg_part_mass(kin, diagonal, work, part, &known->M);
    else
        rg_part_mass_moved(kin, diagonal, work, known->moved, part, &known->M);
}

/* Copies M with the rows and columns of known velocities replaced by those of the identity. Returns whether the result
   is diagonal. */
static bool mask_known(const RgKnownRates *known, RgTreePart part, RgMassFactor *to)
{
    const RgModel *m = to->model;
    bool diagonal = true;
    for (int k = part.dof; k < part.dof_end; k++) {
        double *row = to->L + (size_t)k * to->stride;
        const double *from = known->M.L + (size_t)k * to->stride;
        for (int j = m->dof_parent[k]; j >= 0; j = m->dof_parent[j]) {
            bool out = known->known[k] || known->known[j];
            row[j] = out ? 0.0 : from[j];
            diagonal = diagonal && out;
        }
        row[k] = known->known[k] ? 1.0 : from[k];
    }
    return diagonal;
}

/* Factors a diagonal matrix. */
static bool invert_diagonal(RgTreePart part, RgMassFactor *to, int *bad_dof)
{
    for (int k = part.dof_end - 1; k >= part.dof; k--) {
        double d = to->L[(size_t)k * (to->stride + 1)];
        *bad_dof = k;
        if (!(d > 0.0))
            return false;
        to->inverse_d[k] = 1.0 / d;
    }
    return true;
}

/* x = M_uu^-1 x; 0 for known velocities. */
static void solve_unknown(const RgKnownRates *known, const RgMassFactor *to, RgTreePart part, double *x)
{
    const RgModel *m = to->model;
    for (int k = part.dof_end - 1; k >= part.dof; k--)
        for (int j = m->dof_parent[k]; j >= 0 && !known->known[k]; j = m->dof_parent[j])
            x[j] -= to->L[(size_t)k * to->stride + (size_t)j] * x[k];
    for (int k = part.dof; k < part.dof_end; k++) {
        x[k] *= to->inverse_d[k];
        for (int j = m->dof_parent[k]; j >= 0 && !known->known[k]; j = m->dof_parent[j])
            x[k] -= to->L[(size_t)k * to->stride + (size_t)j] * x[j];
    }
}

static bool factor_general(RgTreePart part, RgMassFactor *to, int *bad_dof)
{
    return rg_mass_factor_compute_part(to, part, bad_dof);
}

bool rg_part_hybrid_factor(const RgKin *kin, const double *diagonal, RgTreeWork *work, const RgHybrid *hybrid,
                           RgTreePart part, int *bad_dof)
{
    const RgKnownRates *known = hybrid->known;
    RgMassFactor *to = hybrid->factor;
    int n = count_known(known, part);
    if (n == 0)
        return rg_part_factor(kin, diagonal, work, to, part, bad_dof);
    bool any_unknown = n < part.dof_end - part.dof;
    if (any_unknown)
        compute_mass(kin, diagonal, work, hybrid->known, part);
    bool is_diagonal = mask_known(known, part, to);
    if (!(is_diagonal ? invert_diagonal : factor_general)(part, to, bad_dof))
        return false;
    for (int k = part.dof; k < part.dof_end; k++)
        if (known->known[k])
            to->inverse_d[k] = 0.0;
    return true;
}

bool rg_part_hybrid(const RgKin *kin, const RgTreeForces *forces, RgTreeWork *work, const RgHybrid *hybrid,
                    RgTreePart part, int *bad_dof)
{
    const RgModel *m = kin->model;
    const RgKnownRates *known = hybrid->known;
    double *a = hybrid->a;
    if (!rg_part_hybrid_factor(kin, forces->diagonal, work, hybrid, part, bad_dof))
        return false;
    rg_part_accelerations(kin, known->a, part, work->A);
    rg_part_forces(kin, forces, work->A, work, part, a);
    for (int k = part.dof; k < part.dof_end; k++) {
        double inertia = m->armature[k] + (forces->diagonal != NULL ? forces->diagonal[k] : 0.0);
        a[k] = forces->tau[k] - a[k] - inertia * known->a[k];
        known->missing[k] = -a[k];
    }
    solve_unknown(known, hybrid->factor, part, a);
    for (int k = part.dof; k < part.dof_end; k++)
        a[k] = known->known[k] ? known->a[k] : a[k];
    return true;
}

void rg_known_impulses(const RgKnownRates *known, double h, const double *du, double *impulse)
{
    const RgModel *m = known->M.model;
    for (int k = 0; k < m->nv; k++)
        impulse[k] = h * known->missing[k];
    for (int k = 0; k < m->nv; k++) {
        const double *row = known->M.L + (size_t)k * known->M.stride;
        for (int j = m->dof_parent[k]; j >= 0; j = m->dof_parent[j]) {
            if (known->known[k] == known->known[j])
                continue;
            impulse[k] += known->known[k] ? row[j] * du[j] : 0.0;
            impulse[j] += known->known[j] ? row[j] * du[k] : 0.0;
        }
    }
}
