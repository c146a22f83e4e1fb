/*
 * rnea_simd.c - rg_body_forces_plain (rnea.c), two bodies at once: the same operations in the same order.
 */
#include "dynamics/tree_dynamics.h"
#include "math/pair_simd.h"

typedef struct PairForce {
    RgPair3 n, f;
} PairForce;

static inline PairForce pair_force(const RgInertiaPair *solid, const RgPairMat3 *R, const RgMotion *V[2],
                                   const RgMotion *A[2])
{
    RgPairSym3 I = ps3_load(solid->I);
    RgPair3 w_W = p3_gather(&V[0]->w, &V[1]->w), alpha_W = p3_gather(&A[0]->w, &A[1]->w);

    /* Rotational part, in body axes. */
    RgPair3 w = pm3_apply_t(R, w_W), alpha = pm3_apply_t(R, alpha_W);
    RgPair3 N = pm3_apply(R, p3_add(ps3_apply(&I, alpha), p3_cross(w, ps3_apply(&I, w))));

    /* Motion of the centre of mass. */
    RgPair3 rc = pm3_apply(R, p3_load(solid->com));
    RgPair3 v_com = p3_add(p3_gather(&V[0]->v, &V[1]->v), p3_cross(w_W, rc));
    RgPair3 a_com = p3_add(p3_add(p3_gather(&A[0]->v, &A[1]->v), p3_cross(alpha_W, rc)), p3_cross(w_W, v_com));
    RgPair3 F = p3_scale(pair_load(solid->mass), a_com);
    return (PairForce){p3_add(N, p3_cross(rc, F)), F};
}

RG_KERNEL void body_forces(const RgKin *kin, const RgInertiaPair *solids, const RgMotion *A, RgTreePart part,
                           RgForce *f)
{
    int n = part.body_end;
    for (int i = part.body; i < n; i += 2) {
        /* The last body of an odd number is paired with itself; its lane has no mass. */
        int j = i + 1 < n ? i + 1 : i;
        RgPairMat3 R = pm3_gather(&kin->X_WB[i].R, &kin->X_WB[j].R);
        PairForce two = pair_force(&solids[i / 2], &R, (const RgMotion *[2]){&kin->V[i], &kin->V[j]},
                                   (const RgMotion *[2]){&A[i], &A[j]});
        if (j > i)
            f[j] = (RgForce){p3_lane(two.n, 1), p3_lane(two.f, 1)};
        f[i] = (RgForce){p3_lane(two.n, 0), p3_lane(two.f, 0)};
    }
}

RG_AVX static void body_forces_avx(const RgKin *kin, const RgInertiaPair *solids, const RgMotion *A, RgTreePart part,
                                   RgForce *f)
{
    body_forces(kin, solids, A, part, f);
}

void rg_body_forces(const RgKin *kin, const RgInertiaPair *solids, const RgMotion *A, RgTreePart part, RgForce *f)
{
    if (rg_has_avx())
        body_forces_avx(kin, solids, A, part, f);
    else
        body_forces(kin, solids, A, part, f);
}
