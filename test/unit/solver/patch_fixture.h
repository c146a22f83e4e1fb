/*
 * patch_fixture.h - random problems of patches between movers, and what their solutions must obey.
 */
#ifndef TEST_SOLVER_PATCH_FIXTURE_H
#define TEST_SOLVER_PATCH_FIXTURE_H

#include "draw.h"
#include "solver/quick/quick.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Made {
    RgArena arena;
    RgPatchProblem problem;
    RgSolverBody *movers;
} Made;

/* A symmetric matrix with eigenvalues between 0.5 and 5. */
static inline RgSym3 draw_inertia(Draw *d)
{
    RgMat3 R = draw_pose(d, 0.0).R;
    double e[3] = {draw_between(d, 0.5, 5.0), draw_between(d, 0.5, 5.0), draw_between(d, 0.5, 5.0)}, m[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m[i][j] = R.m[i][0] * e[0] * R.m[j][0] + R.m[i][1] * e[1] * R.m[j][1] + R.m[i][2] * e[2] * R.m[j][2];
    return (RgSym3){m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2]};
}

/* Places of 1 to 4 points about their mean; two lie along t1, more are not on one line. */
static inline void draw_places(Draw *d, RgPatch *patch)
{
    static const double corner[4][2] = {{-1.0, -1.0}, {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}};
    double mean[2] = {0.0, 0.0};
    for (int i = 0; i < patch->count; i++)
        for (int k = 0; k < 2; k++) {
            patch->place[i][k] = 0.3 * corner[i][k] + draw_between(d, -0.1, 0.1);
            patch->place[i][k] *= patch->count == 2 && k == 1 ? 0.0 : 1.0;
            mean[k] += patch->place[i][k] / patch->count;
        }
    for (int i = 0; i < patch->count; i++)
        for (int k = 0; k < 2; k++)
            patch->place[i][k] -= mean[k];
}

static inline RgPatch draw_patch(Draw *d, int32_t a, int32_t b)
{
    RgPatch patch = {.mover = {a, b}, .count = 1 + draw_below(d, 4)};
    RgMat3 R = draw_pose(d, 0.0).R;
    for (int i = 0; i < 3; i++)
        patch.axis[i] = vec(R.m[i][0], R.m[i][1], R.m[i][2]);
    for (int side = 0; side < 2; side++)
        patch.arm[side] = draw_vec(d, 0.5);
    draw_places(d, &patch);
    double mu = draw_chance(d, 0.1) ? 0.0 : draw_between(d, 0.1, 1.0);
    patch.mu[0] = patch.mu[1] = mu;
    for (int i = 0; i < patch.count; i++)
        patch.target[i] = draw_between(d, -0.1, 0.1);
    return patch;
}

/* nmovers movers (the ground among them), a patch from each to an earlier one, and some more. */
static inline Made made_problem(uint64_t seed, int nmovers, int npatches)
{
    Made made;
    Draw d = draw_seed(seed);
    rg_arena_init(&made.arena, NULL);
    made.movers = RG_ARENA_ALLOC(&made.arena, RgSolverBody, nmovers);
    made.problem = (RgPatchProblem){.nmovers = nmovers, .npatches = npatches, .movers = made.movers};
    made.problem.patches = RG_ARENA_ALLOC(&made.arena, RgPatch, npatches);
    made.problem.V = RG_ARENA_ALLOC(&made.arena, double, RG_BODY_PLACES *nmovers);
    made.movers[0].group = -1;
    for (int i = 1; i < nmovers; i++) {
        made.movers[i] = (RgSolverBody){draw_between(&d, 0.2, 5.0), draw_inertia(&d), -1, 0};
        for (int k = 0; k < 6; k++)
            made.problem.V[RG_BODY_PLACES * i + k] = draw_between(&d, -1.0, 1.0);
    }
    for (int i = 0; i < npatches; i++) {
        int32_t b = i < nmovers - 1 ? i + 1 : 1 + draw_below(&d, nmovers - 1), a = draw_below(&d, b);
        made.problem.patches[i] = draw_patch(&d, a, b);
    }
    return made;
}

static inline void made_release(Made *made)
{
    rg_arena_free(&made->arena);
}

/* Velocity of B less that of A at point i, along n, t1, t2. */
static inline void point_velocity(const RgPatchProblem *p, const RgPatch *patch, int i, double v[3])
{
    RgVec3 d = vec_add(vec_scale(patch->place[i][0], patch->axis[0]), vec_scale(patch->place[i][1], patch->axis[1]));
    RgVec3 sum = vec(0.0, 0.0, 0.0);
    for (int side = 0; side < 2; side++) {
        const double *V = p->V + RG_BODY_PLACES * patch->mover[side];
        RgVec3 turn = vec_cross(vec(V[3], V[4], V[5]), vec_add(patch->arm[side], d));
        sum = vec_add(sum, vec_scale(side == 1 ? 1.0 : -1.0, vec_add(vec(V[0], V[1], V[2]), turn)));
    }
    v[0] = vec_dot(patch->axis[2], sum);
    v[1] = vec_dot(patch->axis[0], sum);
    v[2] = vec_dot(patch->axis[1], sum);
}

/* How far impulses and velocities of a patch are from obeying contact and Coulomb: the natural map with unit step. */
static inline double patch_residual(const RgPatchProblem *p, const RgPatch *patch)
{
    double worst = 0.0;
    for (int i = 0; i < patch->count; i++) {
        double v[3];
        const double *z = patch->z[i];
        point_velocity(p, patch, i, v);
        double n = fmax(0.0, z[0] - (v[0] + patch->compliance[0] * z[0] - patch->target[i]));
        double a = z[1] - (v[1] + patch->compliance[1] * z[1]), b = z[2] - (v[2] + patch->compliance[1] * z[2]);
        double reach = patch->mu[0] * z[0], length = sqrt(a * a + b * b), back = length > reach ? reach / length : 1.0;
        worst = fmax(worst, fabs(n - z[0]));
        worst = fmax(worst, fmax(fabs(back * a - z[1]), fabs(back * b - z[2])));
    }
    return worst;
}

/* Adds what the impulse of one point does to one of its movers, by Newton and Euler. */
static inline void push_point(const RgPatchProblem *p, const RgPatch *patch, int point, int side, double *V)
{
    const double *z = patch->z[point], *at = patch->place[point];
    const RgSolverBody *m = &p->movers[patch->mover[side]];
    if (patch->mover[side] == 0)
        return;
    RgVec3 f = vec_add(vec_scale(z[0], patch->axis[2]),
                       vec_add(vec_scale(z[1], patch->axis[0]), vec_scale(z[2], patch->axis[1])));
    RgVec3 d = vec_add(vec_scale(at[0], patch->axis[0]), vec_scale(at[1], patch->axis[1]));
    RgVec3 g = vec_scale(side == 1 ? 1.0 : -1.0, f);
    RgVec3 w = sym_apply(m->inverse_inertia, vec_cross(vec_add(patch->arm[side], d), g));
    double dV[6] = {m->inverse_mass * g.x, m->inverse_mass * g.y, m->inverse_mass * g.z, w.x, w.y, w.z};
    for (int c = 0; c < 6; c++)
        V[RG_BODY_PLACES * patch->mover[side] + c] += dV[c];
}

/* V after the impulses z of all patches on free movers. */
static inline void momentum_velocities(const RgPatchProblem *p, const double *V0, double *V)
{
    memcpy(V, V0, (size_t)(RG_BODY_PLACES * p->nmovers) * sizeof *V);
    for (int32_t k = 0; k < p->npatches; k++)
        for (int i = 0; i < 2 * p->patches[k].count; i++)
            push_point(p, &p->patches[k], i / 2, i % 2, V);
}

#endif
