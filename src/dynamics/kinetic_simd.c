/*
 * kinetic_simd.c - twists and kinetic energies (rg_twists_part, rg_part_kinetic) for four vectors of joint velocities
 * side by side: the same operations in the same order on vectors of four numbers. Poses and masses are read once for
 * all four. Needs AVX2; otherwise the vectors are processed one after the other.
 */
#include "dynamics/tree_dynamics.h"
#include "math/pair_simd.h"

typedef double Quad __attribute__((vector_size(32)));

typedef struct Quad3 {
    Quad x, y, z;
} Quad3;

/* Four twists of one body. */
typedef struct QuadMotion {
    Quad3 w, v;
} QuadMotion;

_Static_assert(sizeof(QuadMotion) == sizeof(RgFourTwists), "room for four twists");

RG_AVX2 RG_KERNEL Quad3 q3_add(Quad3 a, Quad3 b)
{
    return (Quad3){a.x + b.x, a.y + b.y, a.z + b.z};
}

/* a x b with the same b for all lanes. */
RG_AVX2 RG_KERNEL Quad3 q3_cross(Quad3 a, RgVec3 b)
{
    return (Quad3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

RG_AVX2 RG_KERNEL Quad q3_dot(Quad3 a, Quad3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

RG_AVX2 RG_KERNEL Quad3 q3_apply_t(const RgMat3 *a, Quad3 x)
{
    return (Quad3){a->m[0][0] * x.x + a->m[1][0] * x.y + a->m[2][0] * x.z,
                   a->m[0][1] * x.x + a->m[1][1] * x.y + a->m[2][1] * x.z,
                   a->m[0][2] * x.x + a->m[1][2] * x.y + a->m[2][2] * x.z};
}

RG_AVX2 RG_KERNEL Quad3 q3_apply(const RgMat3 *a, Quad3 x)
{
    return (Quad3){a->m[0][0] * x.x + a->m[0][1] * x.y + a->m[0][2] * x.z,
                   a->m[1][0] * x.x + a->m[1][1] * x.y + a->m[1][2] * x.z,
                   a->m[2][0] * x.x + a->m[2][1] * x.y + a->m[2][2] * x.z};
}

RG_AVX2 RG_KERNEL Quad3 q3_sym_apply(const RgSym3 *a, Quad3 x)
{
    return (Quad3){a->xx * x.x + a->xy * x.y + a->xz * x.z, a->xy * x.x + a->yy * x.y + a->yz * x.z,
                   a->xz * x.x + a->yz * x.y + a->zz * x.z};
}

/* Velocity k of each of the four vectors. */
RG_AVX2 RG_KERNEL Quad gather(const double *const u[4], int k)
{
    return (Quad){u[0][k], u[1][k], u[2][k], u[3][k]};
}

RG_AVX2 RG_KERNEL Quad3 gather3(const double *const u[4], int k)
{
    return (Quad3){gather(u, k), gather(u, k + 1), gather(u, k + 2)};
}

/* S v of a body whose joint is neither a hinge nor free. */
RG_AVX2 RG_KERNEL QuadMotion general_twist(const RgKin *kin, int i, const double *const u[4])
{
    RgMotion V[4];
    for (int l = 0; l < 4; l++)
        V[l] = rg_joint_twist(kin, i, u[l]);
    return (QuadMotion){{{V[0].w.x, V[1].w.x, V[2].w.x, V[3].w.x},
                         {V[0].w.y, V[1].w.y, V[2].w.y, V[3].w.y},
                         {V[0].w.z, V[1].w.z, V[2].w.z, V[3].w.z}},
                        {{V[0].v.x, V[1].v.x, V[2].v.x, V[3].v.x},
                         {V[0].v.y, V[1].v.y, V[2].v.y, V[3].v.y},
                         {V[0].v.z, V[1].v.z, V[2].v.z, V[3].v.z}}};
}

/* Twist of body i: the shifted twist of its parent plus that of its joint. */
RG_AVX2 RG_KERNEL QuadMotion body_twist(const RgKin *kin, int i, const double *const u[4], const QuadMotion *V)
{
    const RgHelix *h = &kin->helix[i];
    QuadMotion own = {.w = {{0.0}, {0.0}, {0.0}}};
    if (h->turn != 0.0 && h->slide == 0.0) {
        Quad rate = gather(u, h->v0);
        RgVec3 axis = kin->S[h->v0].w;
        own.w = (Quad3){rate * axis.x, rate * axis.y, rate * axis.z};
    } else if (h->is_free_body) {
        return (QuadMotion){q3_apply(&kin->X_WB[i].R, gather3(u, h->v0)),
                            q3_apply(&kin->model->bodies[i].X_PF.R, gather3(u, h->v0 + 3))};
    } else {
        own = general_twist(kin, i, u);
    }
    if (h->parent < 0)
        return own;
    const QuadMotion *P = &V[h->parent];
    return (QuadMotion){q3_add(P->w, own.w), q3_add(q3_add(P->v, q3_cross(P->w, kin->r[i])), own.v)};
}

/* Bodies without inertia occur where joints of several axes are modelled by hinges. */
static inline bool has_inertia(const RgInertia *in)
{
    return in->mass != 0.0 || in->I.xx != 0.0 || in->I.yy != 0.0 || in->I.zz != 0.0;
}

RG_AVX2 RG_KERNEL Quad body_kinetic(const RgInertia *in, const RgMat3 *R, const QuadMotion *V)
{
    Quad3 v = q3_add(V->v, q3_cross(V->w, m3_apply(*R, in->com))), w = q3_apply_t(R, V->w);
    return 0.5 * in->mass * q3_dot(v, v) + 0.5 * q3_dot(w, q3_sym_apply(&in->I, w));
}

RG_AVX2 RG_KERNEL RgMotion lane(const QuadMotion *V, int l)
{
    return (RgMotion){{V->w.x[l], V->w.y[l], V->w.z[l]}, {V->v.x[l], V->v.y[l], V->v.z[l]}};
}

RG_AVX2 RG_KERNEL void kinetics(const RgKin *kin, RgTreePart part, RgFourTwists *room, RgKinetics *k)
{
    const RgModel *m = kin->model;
    QuadMotion *V = (QuadMotion *)(void *)room;
    Quad sum = {0.0, 0.0, 0.0, 0.0};
    for (int i = part.body; i < part.body_end; i++) {
        V[i] = body_twist(kin, i, k->u, V);
        if (has_inertia(&m->bodies[i].inertia))
            sum += body_kinetic(&m->bodies[i].inertia, &kin->X_WB[i].R, &V[i]);
        for (int l = 0; l < RG_KINETICS_TWISTS; l++)
            if (k->V[l] != NULL)
                k->V[l][i] = lane(&V[i], l);
    }
    for (int j = part.dof; j < part.dof_end; j++) {
        Quad u = gather(k->u, j);
        sum += 0.5 * m->armature[j] * u * u;
    }
    memcpy(k->T, &sum, sizeof sum);
}

RG_AVX2 static void kinetics_avx2(const RgKin *kin, RgTreePart part, RgFourTwists *room, RgKinetics *k)
{
    kinetics(kin, part, room, k);
}

/* Without AVX2: one vector after the other. */
static void kinetics_plain(const RgKin *kin, RgTreePart part, RgMotion *room, RgKinetics *k)
{
    for (int l = 0; l < 4; l++) {
        RgMotion *V = l < RG_KINETICS_TWISTS && k->V[l] != NULL ? k->V[l] : room;
        rg_twists_part(kin, k->u[l], part, V);
        k->T[l] = rg_part_kinetic(kin, k->u[l], V, part);
    }
}

void rg_part_kinetics(const RgKin *kin, RgTreePart part, RgTreeWork *work, RgKinetics *k)
{
    if (rg_has_avx2())
        kinetics_avx2(kin, part, work->four, k);
    else
        kinetics_plain(kin, part, work->V, k);
}
