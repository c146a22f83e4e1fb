/*
 * crba.c - mass matrix by the composite-rigid-body algorithm (Walker, Orin 1982; Featherstone 2008, 6.2).
 *
 *   I^c_i = I_i + sum over children, moved to O_i:   m' = m,  h' = h + m r,  I' = I + 2 (r.h) 1 - r h' - h r' + m (r.r 1 - r r')
 *   F_k = I^c_i S_k                                   force that the unit acceleration of k takes at O_i
 *   M_kj = S_j . shift(F_k, O_j - O_i)                for every velocity j on the way to the root
 *        = w_j . (n + (O_i - O_j) x f) + v_j . f
 *
 * The last line needs no recursion, so it runs as one vector loop over each run of neighbouring velocities, with axes and origins
 * stored a component an array. Cost: O(bodies + nv depth).
 */
#include "dynamics/tree_dynamics.h"

static inline RgWorldInertia world_inertia(const RgInertia *in, RgMat3 R)
{
    RgVec3 rc = m3_apply(R, in->com);
    return (RgWorldInertia){in->mass, v3_scale(in->mass, rc), s3_add(s3_rotate(in->I, R), s3_scale(in->mass, s3_point(rc)))};
}

/* The same inertia about a point r before the old one. */
static inline RgWorldInertia inertia_about(RgWorldInertia a, RgVec3 r)
{
    RgVec3 k = v3_axpy(a.m, r, v3_scale(2.0, a.h)); /* 2 h + m r: symmetrised below */
    RgVec3 g = v3_axpy(0.5 * a.m, r, a.h);
    double d = v3_dot(r, k);
    RgSym3 I = {a.I.xx + d - 2.0 * r.x * g.x,        a.I.yy + d - 2.0 * r.y * g.y,        a.I.zz + d - 2.0 * r.z * g.z,
                a.I.xy - (r.x * g.y + r.y * g.x), a.I.xz - (r.x * g.z + r.z * g.x), a.I.yz - (r.y * g.z + r.z * g.y)};
    return (RgWorldInertia){a.m, v3_axpy(a.m, r, a.h), I};
}

/* Composite inertias, children into parents. */
static void sum_composites(const RgKin *kin, RgWorldInertia *composite)
{
    const RgModel *m = kin->model;
    for (int i = 0; i < m->nbodies; i++)
        composite[i] = world_inertia(&m->bodies[i].inertia, kin->X_WB[i].R);
    for (int i = m->nbodies - 1; i >= 0; i--) {
        int parent = m->bodies[i].parent;
        if (parent < 0)
            continue;
        RgWorldInertia moved = inertia_about(composite[i], kin->r[i]);
        RgWorldInertia *p = &composite[parent];
        *p = (RgWorldInertia){p->m + moved.m, v3_add(p->h, moved.h), s3_add(p->I, moved.I)};
    }
}

/* Axes and origins, a component an array. */
static void spread_axes(const RgKin *kin, double *restrict soa)
{
    const RgModel *m = kin->model;
    int n = m->nv;
    for (int i = 0; i < m->nbodies; i++) {
        const RgBody *B = &m->bodies[i];
        RgVec3 p = kin->X_WB[i].p;
        for (int k = B->v0; k < B->v0 + B->nv; k++) {
            RgMotion S = kin->S[k];
            soa[k] = S.w.x;
            soa[n + k] = S.w.y;
            soa[2 * n + k] = S.w.z;
            soa[3 * n + k] = S.v.x;
            soa[4 * n + k] = S.v.y;
            soa[5 * n + k] = S.v.z;
            soa[6 * n + k] = p.x;
            soa[7 * n + k] = p.y;
            soa[8 * n + k] = p.z;
        }
    }
}

/* M_kj for j = first ... last from the force F at p. */
static inline void run_entries(int n, const double *restrict soa, RgForce F, RgVec3 p, int first, int last, double *restrict row)
{
    for (int j = first; j <= last; j++) {
        double rx = p.x - soa[6 * n + j], ry = p.y - soa[7 * n + j], rz = p.z - soa[8 * n + j];
        double nx = F.n.x + (ry * F.f.z - rz * F.f.y);
        double ny = F.n.y + (rz * F.f.x - rx * F.f.z);
        double nz = F.n.z + (rx * F.f.y - ry * F.f.x);
        row[j] = (soa[j] * nx + soa[n + j] * ny + soa[2 * n + j] * nz) +
                 (soa[3 * n + j] * F.f.x + soa[4 * n + j] * F.f.y + soa[5 * n + j] * F.f.z);
    }
}

void rg_crba(const RgKin *kin, const double *diagonal, RgTreeWork *work, double *H)
{
    const RgModel *m = kin->model;
    int n = m->nv;
    sum_composites(kin, work->composite);
    spread_axes(kin, work->soa);
    for (int i = 0; i < m->nbodies; i++) {
        const RgBody *B = &m->bodies[i];
        const RgWorldInertia *I = &work->composite[i];
        for (int k = B->v0; k < B->v0 + B->nv; k++) {
            RgMotion S = kin->S[k];
            RgForce F = {v3_add(s3_apply(I->I, S.w), v3_cross(I->h, S.v)), v3_sub(v3_scale(I->m, S.v), v3_cross(I->h, S.w))};
            double *row = H + (size_t)k * (size_t)n;
            for (int last = k; last >= 0; last = m->dof_parent[m->run_start[last]])
                run_entries(n, work->soa, F, kin->X_WB[i].p, m->run_start[last], last, row);
            row[k] += m->armature[k] + (diagonal != NULL ? diagonal[k] : 0.0);
        }
    }
}
