/*
 * tree_halves.c - half of M^-1 J' for a point of a body, or for joint velocities, by the factor M = L' D L along the branches of the tree.
 *
 *   y = L'^-1 J',   w = D^-1 y,   J1 M^-1 J2' = y1 . w2
 *
 * Both forms: M is the mass matrix of the joint velocities at the poses and axes of form->kin (minimal: its own; maximal:
 * constraint/tree_solve.c). Cost: the branch squared, for each column.
 */
#include "coords/coords_table.h"

#include <string.h>

void rg_tree_half_body(const RgForm *form, int body, RgVec3 point, int first, double (*y)[6], double (*w)[6])
{
    const RgModel *m = form->model;
    const RgKin *kin = form->kin;
    int last = m->bodies[body].v0 + m->bodies[body].nv - 1;
    for (int i = body; i >= 0; i = m->bodies[i].parent) {
        RgVec3 arm = v3_sub(point, kin->X_WB[i].p);
        for (int k = m->bodies[i].v0; k < m->bodies[i].v0 + m->bodies[i].nv; k++) {
            RgVec3 turn = kin->S[k].w, v = v3_add(kin->S[k].v, v3_cross(turn, arm));
            double six[6] = {v.x, v.y, v.z, turn.x, turn.y, turn.z};
            memcpy(y[k - first], six, sizeof six);
        }
    }
    rg_mass_factor_half_six(&form->factor, last, first, y);
    for (int k = last; k >= 0; k = m->dof_parent[k])
        for (int c = 0; c < 6; c++)
            w[k - first][c] = y[k - first][c] * form->factor.inverse_d[k];
}

void rg_tree_half_dofs(const RgForm *form, const int *dofs, int count, int first, double *yw)
{
    rg_mass_factor_half_units(&form->factor, dofs, count, first, yw);
}
