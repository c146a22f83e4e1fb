/*
 * tree_halves.c - factor B of J M^-1 J' = B' B for the outputs of one tree, by the factor M = L' D L along its
 * branches.
 *
 *   B = D^-1/2 L'^-1 J',   J1 M^-1 J2' = B1' B2
 *
 * An output is the velocity of a point of a body, its angular velocity, or a joint velocity. Its column of B is nonzero
 * only for the velocities of its branch, so B has a row for each velocity of any output's branch, and no others.
 * Outputs in the order of the tree are adjacent where they share a branch: one pass over a row of L serves all of them.
 *
 * Both forms: M is the mass matrix of the joint velocities at the poses and axes of form->kin (minimal: its own;
 * maximal: constraint/tree_solve.c). Cost: the branch length squared, for each column.
 */
#include "coords/coords.h"

#include <string.h>

/* Last velocity of the branch that ends with a body; -1: the body is fixed. */
static int last_velocity(const RgModel *m, int body)
{
    while (body >= 0 && m->bodies[body].nv == 0)
        body = m->bodies[body].parent;
    return body >= 0 ? m->bodies[body].v0 + m->bodies[body].nv - 1 : -1;
}

int rg_tree_outputs_first(const RgModel *m, const RgTreeOutputs *o)
{
    int k = o->nbodies > 0 ? last_velocity(m, o->bodies[0]) : o->dofs[0];
    while (k >= 0 && m->dof_parent[k] >= 0)
        k = m->dof_parent[k];
    return k >= 0 ? k : 0;
}

/* Marks a branch in span, from velocity `last` to the root: columns low ... high - 1 are nonzero. */
static void mark_branch(const int *parent, int first, int last, int32_t low, int32_t high, RgHalfSpan *span)
{
    for (int k = last; k >= 0; k = parent[k]) {
        RgHalfSpan *s = &span[k - first];
        s->low = s->high > s->low && s->low < low ? s->low : low;
        s->high = s->high > high ? s->high : high;
    }
}

int32_t rg_tree_halves_number(const RgModel *m, const RgTreeOutputs *o, RgHalfBlock *out)
{
    int32_t rank = 0;
    memset(out->bodies, 0, (size_t)out->count * sizeof *out->bodies);
    memset(out->dofs, 0, (size_t)out->count * sizeof *out->dofs);
    for (int32_t i = 0; i < o->nbodies; i++)
        mark_branch(m->dof_parent, out->first, last_velocity(m, o->bodies[i]), 6 * i, 6 * i + 6, out->bodies);
    for (int32_t i = 0; i < o->ndofs; i++)
        mark_branch(m->dof_parent, out->first, o->dofs[i], 6 * o->nbodies + i, 6 * o->nbodies + i + 1, out->dofs);
    for (int32_t k = 0; k < out->count; k++) {
        bool used = out->bodies[k].high > 0 || out->dofs[k].high > 0;
        out->row[k] = used ? rank++ : -1;
    }
    return rank;
}

/* Writes J' of a body: the effect of each velocity of its branch on the point's velocity and the angular velocity. */
static void write_body_jacobian(const RgForm *form, int body, RgVec3 point, const RgHalfBlock *out, double *B)
{
    const RgModel *m = form->model;
    const RgKin *kin = form->kin;
    for (int i = body; i >= 0; i = m->bodies[i].parent) {
        RgVec3 arm = v3_sub(point, kin->X_WB[i].p);
        for (int k = m->bodies[i].v0; k < m->bodies[i].v0 + m->bodies[i].nv; k++) {
            RgVec3 turn = kin->S[k].w, v = v3_add(kin->S[k].v, v3_cross(turn, arm));
            double *to = B + (size_t)out->row[k - out->first] * out->stride;
            to[0] = v.x;
            to[1] = v.y;
            to[2] = v.z;
            to[3] = turn.x;
            to[4] = turn.y;
            to[5] = turn.z;
        }
    }
}

void rg_tree_halves(const RgForm *form, const RgTreeOutputs *o, RgHalfBlock *out, double *B)
{
    for (int32_t i = 0; i < o->nbodies; i++)
        write_body_jacobian(form, o->bodies[i], o->points[o->bodies[i]], out, B + 6 * i);
    for (int32_t i = 0; i < o->ndofs; i++)
        B[(size_t)out->row[o->dofs[i] - out->first] * out->stride + (size_t)(6 * o->nbodies + i)] = 1.0;
    rg_mass_factor_half_solve_block(&form->factor, out, out->bodies, B);
    if (o->ndofs > 0)
        rg_mass_factor_half_solve_block(&form->factor, out, out->dofs, B);
}
