/*
 * contact_report.c - what every contact point did in a step: force, gap, slip, state.
 *
 * Forces are impulses over h. The slip is the velocity of B less that of A at the point at the end of the
 * step, without its part along the normal. A point without normal impulse is open; one whose tangential
 * impulse is at the edge of its cone and that moves slips; any other sticks. The moment of torsion and rolling
 * friction stands beside a patch's first point.
 */
#include "constraint/contact_stage.h"

/* Part of friction's reach from which on a point is at its edge. */
#define EDGE (1.0 - 1e-9)

/* Velocity of B less that of A at place d from the mean. */
static RgVec3 velocity_between(const RgPatchProblem *problem, const RgPatch *patch, RgVec3 d)
{
    RgVec3 v = v3_zero();
    for (int side = 0; side < 2; side++) {
        const double *V = problem->V + RG_MOVER_PLACES * patch->mover[side];
        RgVec3 at = v3_cross(v3(V[3], V[4], V[5]), v3_add(patch->arm[side], d));
        v = v3_axpy(side == 1 ? 1.0 : -1.0, v3_add(v3(V[0], V[1], V[2]), at), v);
    }
    return v;
}

static RgContactState state_of(const RgPatch *patch, const double z[3], RgVec3 slip)
{
    double a = z[1] * patch->mu[1], b = z[2] * patch->mu[0], reach = z[0] * patch->mu[0] * patch->mu[1];
    if (!(z[0] > 0.0))
        return RG_CONTACT_OPEN;
    bool at_edge = a * a + b * b >= EDGE * EDGE * reach * reach;
    return at_edge && v3_norm2(slip) > 0.0 ? RG_CONTACT_SLIP : RG_CONTACT_STICK;
}

static void report_patch(RgContactStage *stage, int32_t k)
{
    const RgPatch *patch = &stage->problem.patches[k];
    RgVec3 n = patch->axis[2];
    for (int i = 0; i < patch->count; i++) {
        RgContactForce *out = &stage->forces[stage->point[k][i]];
        RgVec3 d = v3_axpy(patch->place[i][0], patch->axis[0], v3_scale(patch->place[i][1], patch->axis[1]));
        RgVec3 v = velocity_between(&stage->problem, patch, d);
        out->slip = v3_axpy(-v3_dot(v, n), n, v);
        out->state = state_of(patch, patch->z[i], out->slip);
        if (stage->surfaces.turns && i == 0)
            out->moment = v3_scale(1.0 / stage->h, stage->patch_moment[k]);
    }
}

void rg_contact_report_none(RgContactStage *stage)
{
    stage->nforces = 0;
    stage->nrows = stage->nresting = 0;
    stage->h = 0.0;
    stage->reported = true;
}

void rg_contact_report(RgContactStage *stage, const RgContactView *contacts)
{
    if (stage->reported)
        return;
    stage->reported = true;
    for (int32_t k = 0; k < contacts->npairs; k++) {
        const RgShapeContacts *pair = &contacts->pairs[k];
        for (int32_t i = 0; i < pair->nmanifolds; i++) {
            const RgManifold *m = &contacts->manifolds[pair->first_manifold + i];
            for (int32_t j = m->first; j < m->first + m->count; j++) {
                const RgContactPoint *p = &contacts->points[j];
                stage->forces[j] =
                    (RgContactForce){.shape_a = pair->shape_a,
                                     .shape_b = pair->shape_b,
                                     .id = p->id,
                                     .point = v3_scale(0.5, v3_add(p->point_a, p->point_b)),
                                     .normal = m->normal,
                                     .force = v3_scale(1.0 / stage->h, stage->point_impulses[j]),
                                     .gap = p->gap};
            }
        }
    }
    for (int32_t k = 0; k < stage->problem.npatches; k++)
        report_patch(stage, k);
}
