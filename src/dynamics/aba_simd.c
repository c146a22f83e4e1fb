/* aba_simd.c - rg_rigid_bodies_plain (aba.c), two bodies at once: the same operations in the same order. */
#include "dynamics/tree_dynamics.h"
#include "math/pair_simd.h"

/* The result of rigid_body of aba.c in two lanes. */
typedef struct PairBody {
    RgPair3 h, n, f;
    RgPairSym3 J;
} PairBody;

static inline PairBody pair_body(const RgInertiaPair *solid, const RgPairMat3 *R, RgPair3 w, RgPair3 v)
{
    RgPair mass = pair_load(solid->mass);
    RgPairSym3 I_B = ps3_load(solid->I), I = ps3_rotate(&I_B, R);
    RgPair3 rc = pm3_apply(R, p3_load(solid->com)), h = p3_scale(mass, rc);
    RgPair3 F = p3_cross(w, p3_scale(mass, p3_add(v, p3_cross(w, rc))));
    RgPair3 N = p3_cross(w, ps3_apply(&I, w));
    RgPair xx = h.x * rc.x, yy = h.y * rc.y, zz = h.z * rc.z;
    RgPairSym3 J = {I.xx + (yy + zz),  I.yy + (xx + zz),  I.zz + (xx + yy),
                    I.xy - h.x * rc.y, I.xz - h.x * rc.z, I.yz - h.y * rc.z};
    return (PairBody){h, p3_add(N, p3_cross(rc, F)), F, J};
}

static inline RgArticulated lane_of(PairBody two, double mass, int lane)
{
    RgVec3 h = p3_lane(two.h, lane);
    return (RgArticulated){.J = ps3_lane(two.J, lane),
                           .B = {{{0.0, -h.z, h.y}, {h.z, 0.0, -h.x}, {-h.y, h.x, 0.0}}},
                           .M = {mass, mass, mass, 0.0, 0.0, 0.0},
                           .p = {p3_lane(two.n, lane), p3_lane(two.f, lane)}};
}

RG_KERNEL void rigid_bodies(const RgKin *kin, const RgInertiaPair *solids, RgArticulated *out)
{
    int n = kin->model->nbodies;
    for (int i = 0; i < n; i += 2) {
        int j = i + 1 < n ? i + 1 : i;
        const RgInertiaPair *solid = &solids[i / 2];
        RgPairMat3 R = pm3_gather(&kin->X_WB[i].R, &kin->X_WB[j].R);
        PairBody two =
            pair_body(solid, &R, p3_gather(&kin->V[i].w, &kin->V[j].w), p3_gather(&kin->V[i].v, &kin->V[j].v));
        out[j] = lane_of(two, solid->mass[1], 1);
        out[i] = lane_of(two, solid->mass[0], 0);
    }
}

RG_AVX static void rigid_bodies_avx(const RgKin *kin, const RgInertiaPair *solids, RgArticulated *out)
{
    rigid_bodies(kin, solids, out);
}

void rg_rigid_bodies(const RgKin *kin, const RgInertiaPair *solids, RgArticulated *out)
{
    if (rg_has_avx())
        rigid_bodies_avx(kin, solids, out);
    else
        rigid_bodies(kin, solids, out);
}
