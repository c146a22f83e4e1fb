/*
 * crba.c - mass matrix by the composite-rigid-body algorithm (Walker, Orin 1982; Featherstone 2008, 6.2).
 *
 * A composite is a body with all its descendants taken as one rigid body: mass m, centre of mass c relative to O_i,
 * inertia I about it. Adding a child's composite, whose centre is displaced by d from that of the parent's so far:
 *   c += (m_child / m) d,   I += I_child + (m_parent m_child / m) (d.d 1 - d d'),   m = m_parent + m_child
 * The mass factors are constant and computed once. A unit acceleration of velocity k of body i needs
 *   f = m (v_k + w_k x c),   n = I w_k + (d_i + c) x f,   d_i = O_i - O_root
 * about the root of its tree, and there, with b_j = v_j + d_j x w_j the velocity of axis j at the root,
 *   M_kj = w_j . n + b_j . f                          for every velocity j on the path to the root.
 * Only the merging is recursive; the other loops process two items at a time (crba_simd.c). Cost: O(bodies + nv depth).
 * Relative error: round-off times size of the robot / size of the composite.
 */
#include "dynamics/tree_dynamics.h"

#include <string.h>

void rg_world_inertias_plain(const RgKin *kin, RgCentralInertia *own)
{
    const RgModel *m = kin->model;
    for (int i = 0; i < m->nbodies; i++) {
        const RgInertia *in = &m->bodies[i].inertia;
        RgMat3 R = kin->X_WB[i].R;
        own[i] = (RgCentralInertia){m3_apply(R, in->com), s3_rotate(in->I, R)};
    }
}

/* Merges composite i into its parent's. */
static inline void merge_composite(const RgKin *kin, const RgMerge *merge, int i, RgCentralInertia *composite)
{
    const RgCentralInertia *child = &composite[i];
    RgCentralInertia *sum = &composite[kin->model->bodies[i].parent];
    RgVec3 d = v3_sub(v3_add(child->c, kin->r[i]), sum->c), g = v3_scale(merge[i].reduced, d);
    double xx = g.x * d.x, yy = g.y * d.y, zz = g.z * d.z;
    RgSym3 point_inertia = {yy + zz, xx + zz, xx + yy, -g.x * d.y, -g.x * d.z, -g.y * d.z};
    sum->c = v3_axpy(merge[i].share, d, sum->c);
    sum->I = s3_add(sum->I, s3_add(child->I, point_inertia));
}

/* Merges all composites, children before parents. */
static void sum_composites(const RgKin *kin, const RgMerge *merge, RgTreePart part, RgCentralInertia *composite)
{
    for (int i = part.body_end - 1; i >= part.body; i--)
        if (kin->model->bodies[i].parent >= 0)
            merge_composite(kin, merge, i, composite);
}

/* Computes d_i, parents before children. */
static void compute_root_offsets(const RgKin *kin, RgTreePart part, RgVec3 *from_root)
{
    const RgModel *m = kin->model;
    for (int i = part.body; i < part.body_end; i++) {
        int parent = m->bodies[i].parent;
        from_root[i] = parent >= 0 ? v3_add(from_root[parent], kin->r[i]) : v3_zero();
    }
}

void rg_unit_forces_plain(const RgKin *kin, RgTreeWork *work)
{
    const RgModel *m = kin->model;
    for (int k = 0; k < m->nv; k++) {
        int i = m->dof_body[k];
        const RgCentralInertia *I = &work->composite[i];
        RgMotion S = kin->S[k];
        RgVec3 d = work->from_root[i];
        RgVec3 b = v3_add(S.v, v3_cross(d, S.w));
        RgVec3 f = v3_scale(work->merge[i].total, v3_add(S.v, v3_cross(S.w, I->c)));
        RgVec3 n = v3_add(s3_apply(I->I, S.w), v3_cross(v3_add(d, I->c), f));
        double axis[6] = {S.w.x, S.w.y, S.w.z, b.x, b.y, b.z}, force[6] = {n.x, n.y, n.z, f.x, f.y, f.z};
        for (int c = 0; c < 6; c++) {
            work->axes[k / 2].axis[c][k % 2] = axis[c];
            work->axes[k / 2].force[c][k % 2] = force[c];
        }
    }
}

void rg_mass_rows_plain(const RgModel *m, const RgAxisPair *axes, double *H, size_t stride, bool both)
{
    size_t n = (size_t)m->nv;
    if (both)
        memset(H, 0, n * n * sizeof *H);
    for (size_t k = 0; k < n; k++)
        for (int i = (int)k; i >= 0; i = m->dof_parent[i]) {
            size_t j = (size_t)i, x = k % 2, y = j % 2;
            const double(*F)[2] = axes[k / 2].force, (*S)[2] = axes[j / 2].axis;
            double entry = (S[0][y] * F[0][x] + S[1][y] * F[1][x] + S[2][y] * F[2][x]) +
                           (S[3][y] * F[3][x] + S[4][y] * F[4][x] + S[5][y] * F[5][x]);
            H[k * stride + j] = entry;
            if (both)
                H[j * stride + k] = entry;
        }
}

/* Computes the axes and unit forces, from which the rows of H follow. */
static void compute_axes(const RgKin *kin, RgTreeWork *work, RgTreePart part)
{
    rg_world_inertias(kin, work->solids, part, work->composite);
    sum_composites(kin, work->merge, part, work->composite);
    compute_root_offsets(kin, part, work->from_root);
    rg_unit_forces(kin, part, work);
}

static void add_diagonal(const RgModel *m, const double *diagonal, RgTreePart part, double *H, size_t stride)
{
    for (int i = part.dof; i < part.dof_end; i++) {
        size_t k = (size_t)i;
        H[k * stride + k] += m->armature[k] + (diagonal != NULL ? diagonal[k] : 0.0);
    }
}

/* Computes H: entry k, j at k * stride + j. */
static void compute_matrix(const RgKin *kin, const double *diagonal, RgTreeWork *work, RgTreePart part,
                           const RgMassFactor *to)
{
    compute_axes(kin, work, part);
    rg_mass_rows(kin->model, work->axes, part, to->L, to->stride, false);
    add_diagonal(kin->model, diagonal, part, to->L, to->stride);
}

void rg_crba(const RgKin *kin, const double *diagonal, RgTreeWork *work, const RgMassFactor *to)
{
    compute_matrix(kin, diagonal, work, rg_tree_whole(kin->model), to);
}

/* Entries k, j of M for velocity k of a body with this composite; j: k and its ancestors. */
static void compute_row(const RgKin *kin, const RgCentralInertia *composite, double mass, int k, const RgMassFactor *to)
{
    const RgModel *m = kin->model;
    RgMotion S = kin->S[k];
    RgVec3 f = v3_scale(mass, v3_add(S.v, v3_cross(S.w, composite->c)));
    RgForce F = {v3_add(s3_apply(composite->I, S.w), v3_cross(composite->c, f)), f};
    double *row = to->L + (size_t)k * to->stride;
    for (int j = k, body = m->dof_body[k]; j >= 0; j = m->dof_parent[j]) {
        for (; body != m->dof_body[j]; body = m->bodies[body].parent)
            F = fv_shift(F, v3_neg(kin->r[body]));
        row[j] = mv_dot(kin->S[j], F);
    }
}

void rg_part_mass_moved(const RgKin *kin, const double *diagonal, RgTreeWork *work, const bool *moved, RgTreePart part,
                        const RgMassFactor *to)
{
    const RgModel *m = kin->model;
    for (int i = part.body; i < part.body_end; i++) {
        const RgInertia *in = &m->bodies[i].inertia;
        if (moved[i])
            work->composite[i] =
                (RgCentralInertia){m3_apply(kin->X_WB[i].R, in->com), s3_rotate(in->I, kin->X_WB[i].R)};
    }
    for (int i = part.body_end - 1; i >= part.body; i--) {
        const RgBody *B = &m->bodies[i];
        for (int k = B->v0; k < B->v0 + B->nv && moved[i]; k++) {
            compute_row(kin, &work->composite[i], work->merge[i].total, k, to);
            to->L[(size_t)k * (to->stride + 1)] += m->armature[k] + (diagonal != NULL ? diagonal[k] : 0.0);
        }
        if (moved[i] && B->parent >= 0 && moved[B->parent])
            merge_composite(kin, work->merge, i, work->composite);
    }
}

void rg_part_mass(const RgKin *kin, const double *diagonal, RgTreeWork *work, RgTreePart part, const RgMassFactor *to)
{
    compute_matrix(kin, diagonal, work, part, to);
}

bool rg_part_factor(const RgKin *kin, const double *diagonal, RgTreeWork *work, RgMassFactor *to, RgTreePart part,
                    int *bad_dof)
{
    compute_matrix(kin, diagonal, work, part, to);
    return rg_mass_factor_compute_part(to, part, bad_dof);
}

void rg_crba_whole(const RgKin *kin, const double *diagonal, RgTreeWork *work, double *H)
{
    RgTreePart whole = rg_tree_whole(kin->model);
    size_t n = (size_t)kin->model->nv;
    compute_axes(kin, work, whole);
    rg_mass_rows(kin->model, work->axes, whole, H, n, true);
    add_diagonal(kin->model, diagonal, whole, H, n);
}
