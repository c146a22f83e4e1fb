/*
 * correction_bound.c - bounds the correction of overlaps of articulated bodies.
 *
 * A contact that opens at v along its normal n takes the energy v^2 / (2 K), K = n' J M^-1 J' n the response there,
 * bilateral rows included. For a body that moves alone K is at least 1 / m, so the energy is at most that of its own
 * mass at v. With joints K may be arbitrarily small: two links that overlap next to their axis, a stretched chain. Then
 * a correction of 0.1 m/s causes very large velocities elsewhere; links of a robot whose shapes overlapped at the start
 * reached 1e8 m/s. So the energy of a correction is bounded by that of the lighter side's whole mechanism at the target
 * velocity:
 *
 *   v^2 / (2 K) <= m target^2 / 2        v = target min(1, sqrt(m K))
 *
 * If the solver cannot reach even that, as for a body wedged between two walls, the contacts of that island get a
 * target of at most 0 in this step: no overlap is corrected, and nothing bounces. Exception: if drives are in the mass
 * matrix (drives_in_mass.c) the impulses are scaled back instead.
 *
 * Motors and soft contacts are not affected, nor are contacts between bodies that move alone, except in such islands.
 * In the maximal form solvers of rows never see a K below 1 / m: there joints are rows of their own.
 */
#include "constraint/view_patches.h"

#include <math.h>

/* Inverse mass of the lighter side's mechanism; 0: unknown for both. */
static double lighter_inverse_mass(const RgContactSetup *setup, const RgPatch *patch)
{
    double inverse = 0.0;
    for (int side = 0; side < 2; side++)
        if (patch->mover[side] > 0)
            inverse = fmax(inverse, setup->bodies[patch->mover[side] - 1].inverse_mechanism_mass);
    return inverse;
}

void rg_bound_correction(const RgContactSetup *setup, const RgContactProblem *problem, int32_t number, double response)
{
    RgPatch *patch = &problem->patches[number];
    double inverse = lighter_inverse_mass(setup, patch);
    if (!(response < inverse))
        return;
    double kept = sqrt(fmax(response, 0.0) / inverse);
    for (int i = 0; i < patch->count; i++) {
        const RgPointLaw *law = &problem->parts[number].law[i];
        patch->target[i] = law->target - (1.0 - kept) * law->correction;
    }
}

bool rg_drop_unreachable_corrections(const RgContactProblem *problem)
{
    bool any = false;
    for (int32_t k = 0; k < problem->npatches; k++)
        for (int i = 0; i < problem->patches[k].count && problem->patches[k].unattainable; i++)
            any = any || problem->patches[k].target[i] > 0.0;
    for (int32_t k = 0; k < problem->npatches && any; k++) {
        RgPatch *patch = &problem->patches[k];
        for (int i = 0; i < patch->count && patch->unattainable; i++) {
            RgPointLaw *law = &problem->parts[k].law[i];
            law->target = patch->target[i] = fmin(law->target, 0.0);
            law->position = fmin(law->position, 0.0);
            law->correction = law->bounce = 0.0;
            patch->z[i][0] = patch->z[i][1] = patch->z[i][2] = 0.0;
        }
        patch->unattainable = false;
    }
    return any;
}

bool rg_corrects(const RgContactProblem *problem, int32_t number)
{
    bool any = false;
    for (int i = 0; i < problem->patches[number].count; i++)
        any = any || problem->parts[number].law[i].correction > 0.0;
    return any;
}

/* ------------------------------------------------------------------ articulations */

/* Unit impulse along the normal, on the outputs of one articulation. */
typedef struct Push {
    int count;
    int32_t output[12];
    double g[12];
} Push;

static void add_side(const RgPatch *patch, int side, int32_t output, Push *push)
{
    double sign = side == 1 ? 1.0 : -1.0;
    RgVec3 f = v3_scale(sign, patch->axis[2]), m = v3_cross(patch->arm[side], f);
    const double g[6] = {f.x, f.y, f.z, m.x, m.y, m.z};
    for (int k = 0; k < 6; k++) {
        push->output[push->count] = output + k;
        push->g[push->count++] = g[k];
    }
}

/* g' L g, with L = B' B if only B is stored. */
static double response_of(const RgArticulation *group, const Push *push)
{
    size_t n = (size_t)group->noutputs;
    double sum = 0.0;
    for (int32_t k = 0; k < group->rank && group->L == NULL; k++) {
        double along = 0.0;
        for (int i = 0; i < push->count; i++)
            along += group->B[(size_t)k * n + (size_t)push->output[i]] * push->g[i];
        sum += along * along;
    }
    for (int i = 0; i < push->count && group->L != NULL; i++)
        for (int j = 0; j < push->count; j++)
            sum += push->g[i] * group->L[(size_t)push->output[i] * n + (size_t)push->output[j]] * push->g[j];
    return sum;
}

/* Response of a body that moves alone, along the normal. */
static double response_alone(const RgSolverBody *mover, const RgPatch *patch, int side)
{
    RgVec3 m = v3_cross(patch->arm[side], patch->axis[2]);
    return mover->inverse_mass + v3_dot(m, s3_apply(mover->inverse_inertia, m));
}

/* Response of a patch with an articulation, along its normal. */
static double patch_response(const RgPatchProblem *p, const RgPatch *patch)
{
    const RgSolverBody *mover[2] = {&p->movers[patch->mover[0]], &p->movers[patch->mover[1]]};
    bool one = mover[0]->group >= 0 && mover[0]->group == mover[1]->group;
    double sum = 0.0;
    Push push = {0};
    for (int side = 0; side < 2; side++) {
        if (patch->mover[side] == 0)
            continue;
        if (mover[side]->group < 0) {
            sum += response_alone(mover[side], patch, side);
            continue;
        }
        push.count = one ? push.count : 0;
        add_side(patch, side, mover[side]->output, &push);
        if (!one || side == 1)
            sum += response_of(&p->groups[mover[side]->group], &push);
    }
    return sum;
}

void rg_bound_corrections(const RgPatchView *view)
{
    const RgPatchProblem *p = &view->problem;
    for (int32_t k = 0; k < p->npatches; k++) {
        const RgPatch *patch = &p->patches[k];
        bool articulated = p->movers[patch->mover[0]].group >= 0 || p->movers[patch->mover[1]].group >= 0;
        if (articulated && rg_corrects(view->from, k))
            rg_bound_correction(view->setup, view->from, k, patch_response(p, patch));
    }
}
