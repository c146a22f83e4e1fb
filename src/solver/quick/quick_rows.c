/* quick_rows.c - velocities of patches and rows from those of bodies and singles. */
#include "solver/quick/quick_work.h"

void rg_patch_velocity(const RgPatch *patch, const double *V, double y[6])
{
    RgVec3 u = v3_zero(), w = v3_zero();
    for (int side = 0; side < 2; side++) {
        const double *from = V + RG_BODY_PLACES * patch->mover[side];
        if (patch->mover[side] == 0)
            continue;
        double sign = side == 1 ? 1.0 : -1.0;
        RgVec3 turn = {from[3], from[4], from[5]};
        RgVec3 at = v3_add(v3(from[0], from[1], from[2]), v3_cross(turn, patch->arm[side]));
        u = v3_axpy(sign, at, u);
        w = v3_axpy(sign, turn, w);
    }
    for (int i = 0; i < 3; i++) {
        y[i] = v3_dot(patch->axis[i], u);
        y[3 + i] = v3_dot(patch->axis[i], w);
    }
}

double rg_patch_row_velocity(const RgPatchProblem *p, const RgPatchRow *row, const double *V)
{
    double sum = 0.0;
    for (int k = 0; k < row->nspans; k++) {
        const RgRowSpan *s = &row->span[k];
        const double *from = V + (s->mover > 0 ? RG_BODY_PLACES * s->mover : RG_BODY_PLACES * p->nmovers + s->single);
        for (int i = 0; i < (s->mover > 0 ? 6 : 1); i++)
            sum += s->J[i] * from[i];
    }
    return sum;
}
