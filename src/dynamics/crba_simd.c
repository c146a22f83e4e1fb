/*
 * crba_simd.c - the loops of crba.c without recursion: two bodies, two velocities, two columns at once.
 *
 * The same operations in the same order as the plain versions. The last item of an odd number is paired with itself.
 */
#include "dynamics/tree_dynamics.h"
#include "math/pair_simd.h"

RG_KERNEL void world_solids(const RgKin *kin, const RgInertiaPair *solids, RgTreePart part, RgCentralInertia *own)
{
    int n = part.body_end;
    for (int i = part.body; i < n; i += 2) {
        int j = i + 1 < n ? i + 1 : i;
        const RgInertiaPair *s = &solids[i / 2];
        RgPairMat3 R = pm3_gather(&kin->X_WB[i].R, &kin->X_WB[j].R);
        RgPair3 c = pm3_apply(&R, p3_load(s->com));
        RgPairSym3 I_B = ps3_load(s->I), I = ps3_rotate(&I_B, &R);
        own[j] = (RgCentralInertia){p3_lane(c, 1), ps3_lane(I, 1)};
        own[i] = (RgCentralInertia){p3_lane(c, 0), ps3_lane(I, 0)};
    }
}

RG_AVX static void world_solids_avx(const RgKin *kin, const RgInertiaPair *solids, RgTreePart part,
                                    RgCentralInertia *own)
{
    world_solids(kin, solids, part, own);
}

void rg_world_inertias(const RgKin *kin, const RgInertiaPair *solids, RgTreePart part, RgCentralInertia *own)
{
    if (rg_has_avx())
        world_solids_avx(kin, solids, part, own);
    else
        world_solids(kin, solids, part, own);
}

RG_KERNEL void unit_forces(const RgKin *kin, RgTreePart part, RgTreeWork *work)
{
    const RgModel *m = kin->model;
    for (int k = part.dof; k < part.dof_end; k += 2) {
        int l = k + 1 < part.dof_end ? k + 1 : k;
        int i = m->dof_body[k], j = m->dof_body[l];
        const RgCentralInertia *A = &work->composite[i], *B = &work->composite[j];
        RgPair3 w = p3_gather(&kin->S[k].w, &kin->S[l].w), v = p3_gather(&kin->S[k].v, &kin->S[l].v);
        RgPair3 d = p3_gather(&work->from_root[i], &work->from_root[j]), c = p3_gather(&A->c, &B->c);
        RgPairSym3 I = ps3_gather(&A->I, &B->I);

        /* Axis at the root; force of a unit acceleration. */
        RgPair3 b = p3_add(v, p3_cross(d, w));
        RgPair3 f = p3_scale(pair(work->merge[i].total, work->merge[j].total), p3_add(v, p3_cross(w, c)));
        RgPair3 n = p3_add(ps3_apply(&I, w), p3_cross(p3_add(d, c), f));

        RgAxisPair *out = &work->axes[k / 2];
        p3_store(w, out->axis);
        p3_store(b, out->axis + 3);
        p3_store(n, out->force);
        p3_store(f, out->force + 3);
    }
}

RG_AVX static void unit_forces_avx(const RgKin *kin, RgTreePart part, RgTreeWork *work)
{
    unit_forces(kin, part, work);
}

void rg_unit_forces(const RgKin *kin, RgTreePart part, RgTreeWork *work)
{
    if (rg_has_avx())
        unit_forces_avx(kin, part, work);
    else
        unit_forces(kin, part, work);
}

/* M_kj of a pair of consecutive velocities j. */
static inline RgPair entries(const RgAxisPair *axes, const RgPair F[6])
{
    RgPair turn = pair_load(axes->axis[0]) * F[0] + pair_load(axes->axis[1]) * F[1] + pair_load(axes->axis[2]) * F[2];
    RgPair slide = pair_load(axes->axis[3]) * F[3] + pair_load(axes->axis[4]) * F[4] + pair_load(axes->axis[5]) * F[5];
    return turn + slide;
}

/* Destination of row k of the matrix, and of column k if both triangles are written. */
typedef struct RowTarget {
    double *row, *column;
    size_t n;
    bool both;
} RowTarget;

/* Store M_kj of velocity j; of velocities j and j + 1. */
RG_KERNEL void store_one(RowTarget to, size_t j, double entry)
{
    to.row[j] = entry;
    if (to.both)
        to.column[j * to.n] = entry;
}

RG_KERNEL void store_two(RowTarget to, size_t j, RgPair entry)
{
    pair_store(entry, to.row + j);
    if (to.both) {
        to.column[j * to.n] = entry[0];
        to.column[(j + 1) * to.n] = entry[1];
    }
}

/* Computes M_kj for j = first ... last. */
RG_KERNEL void run_entries(const RgAxisPair *axes, const RgPair F[6], size_t first, size_t last, RowTarget to)
{
    size_t j = first;
    axes += j / 2;
    if (j % 2 == 1)
        store_one(to, j++, entries(axes++, F)[1]);
    for (; j < last; j += 2)
        store_two(to, j, entries(axes++, F));
    if (j == last)
        store_one(to, j, entries(axes, F)[0]);
}

/* Rows of the lower triangle along the branches, or (both) of the full matrix with zeros between branches. */
RG_KERNEL void mass_rows(const RgModel *m, const RgAxisPair *axes, RgTreePart part, double *H, size_t stride, bool both)
{
    const int *run_start = m->run_start, *dof_parent = m->dof_parent;
    for (size_t k = (size_t)part.dof; k < (size_t)part.dof_end; k++) {
        RowTarget to = {H + k * stride, H + k, stride, both};
        RgPair F[6];
        for (int c = 0; c < 6; c++)
            F[c] = pair_both(axes[k / 2].force[c][k % 2]);
        for (int last = (int)k, first; last >= 0; last = dof_parent[first]) {
            first = run_start[last];
            run_entries(axes, F, (size_t)first, (size_t)last, to);
            for (int j = dof_parent[first] + 1; both && j < first; j++)
                store_one(to, (size_t)j, 0.0);
        }
    }
}

RG_AVX static void mass_rows_avx(const RgModel *m, const RgAxisPair *axes, RgTreePart part, double *H, size_t stride,
                                 bool both)
{
    if (both)
        mass_rows(m, axes, part, H, stride, true);
    else
        mass_rows(m, axes, part, H, stride, false);
}

void rg_mass_rows(const RgModel *m, const RgAxisPair *axes, RgTreePart part, double *H, size_t stride, bool both)
{
    if (rg_has_avx())
        mass_rows_avx(m, axes, part, H, stride, both);
    else if (both)
        mass_rows(m, axes, part, H, stride, true);
    else
        mass_rows(m, axes, part, H, stride, false);
}
