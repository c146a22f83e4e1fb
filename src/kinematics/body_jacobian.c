/* body_jacobian.c - columns shift(S_k, p - O_k) for the velocities on the path from the body to its root; other columns
   are zero. */
#include "kinematics/kinematics.h"

#include <string.h>

void rg_body_jacobian(const RgKin *kin, int body, RgVec3 p, double *J)
{
    const RgModel *m = kin->model;
    memset(J, 0, 6 * (size_t)m->nv * sizeof *J);
    for (int i = body; i >= 0; i = m->bodies[i].parent) {
        const RgBody *B = &m->bodies[i];
        for (int k = B->v0; k < B->v0 + B->nv; k++) {
            RgMotion S = mv_shift(kin->S[k], v3_sub(p, kin->X_WB[i].p));
            double column[6] = {S.w.x, S.w.y, S.w.z, S.v.x, S.v.y, S.v.z};
            for (int row = 0; row < 6; row++)
                J[row * m->nv + k] = column[row];
        }
    }
}
