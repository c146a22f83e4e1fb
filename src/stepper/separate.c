/*
 * separate.c - moves shapes that overlap at the start apart.
 *
 * Iteration: the manifolds of all pairs that overlap, or nearly overlap, give points with depths along the direction of
 * least depth. Each point becomes a constraint gap >= level, and a projection (constraint/gap_projection.c) moves the
 * bodies by the least mass-weighted amount, in either coordinate form. It ends when the exact distance of every pair is
 * at least level.
 *
 *      ________          The direction of least depth is found again in every round, so a corner that was hidden by a
 *     |   __|___         deeper one counts as soon as it is the deepest. Points of pairs that are apart by less than
 *     |__|__|   |        the deepest overlap are constrained too: no body is pushed into its neighbour.
 *        |______|
 *
 * Joints stay within their limits; joints beyond a limit are moved back. If the full correction is too large for
 * Newton's method (links that must swing round each other), a round makes a part of it: half of the part that failed,
 * then twice the part that succeeded. Coincident bodies have no unique direction; rg_distance chooses one.
 *
 * Failure: after ROUNDS, or if the deepest overlap has not decreased by a tenth for PATIENCE rounds (a box between
 * walls that do not move). Cost: a collision search and a projection per round, usually a few rounds. Memory is
 * allocated for the call.
 */
#include "stepper/separate.h"

#include "base/alloc.h"
#include "contact/touch_set.h"

#include <string.h>

#define ROUNDS 400   /* limit of rounds */
#define PATIENCE 40  /* limit of rounds without progress */
#define PROGRESS 0.9 /* factor of the deepest overlap that counts as progress */

/* Smallest part of the correction that a round makes. */
#define SHARE_LEAST (1.0 / 64.0)

/* Target above the level, as a part of it and at least in m, so that distances with round-off are not below it. Half of
   it is the tolerance of the projection. */
#define BEYOND 1e-3
#define BEYOND_LEAST 1e-11

/* m: least distance of the pairs of the scene that are nearer than level; level: there are none. */
static RgStatus find_nearest(RgStepScope *s, const RgState *state, double level, double *distance)
{
    const RgColliderPair *pairs;
    int32_t count = 0;
    RgContactScene *scene = s->scene;
    *distance = level;
    s->form->kind->kinematics(s->form, state->x, state->u);
    RgStatus status = rg_contact_scene_place(scene, s->form->kin);
    if (status == RG_OK)
        status = rg_space_pairs(scene->space, fmax(level, 0.0), &pairs, &count);
    for (int32_t k = 0; k < count && status == RG_OK; k++) {
        int32_t i = scene->shape[pairs[k].a.i - 1] - 1, j = scene->shape[pairs[k].b.i - 1] - 1;
        RgPlaced a = {scene->geometry[i], scene->X_WS[i]}, b = {scene->geometry[j], scene->X_WS[j]};
        RgDistance at;
        status = rg_distance(&a, &b, NULL, &at);
        if (status == RG_OK || status == RG_ERR_NOT_CONVERGED)
            *distance = fmin(*distance, at.distance);
        if (status == RG_ERR_NOT_CONVERGED || status == RG_ERR_UNSUPPORTED)
            status = RG_OK;
    }
    return status;
}

/* ------------------------------------------------------------------ moving apart */

/* Memory of a separation. */
typedef struct Separation {
    RgStepScope *scope;
    RgGapProjector *projector;
    RgTouchSet touch;
    RgGapConstraint *constraints;
    int32_t room;
    double *x; /* nx: initial positions */
} Separation;

static bool init_separation(Separation *p, const RgState *state)
{
    const RgAllocator *allocator = &p->scope->scene->allocator;
    size_t nx = (size_t)p->scope->form->nx;
    if (!rg_touch_set_init(&p->touch, allocator))
        return false;
    p->x = rg_alloc(allocator, nx, sizeof *p->x);
    if (p->x != NULL)
        memcpy(p->x, state->x, nx * sizeof *p->x);
    return p->x != NULL;
}

static void free_separation(Separation *p)
{
    rg_touch_set_free(&p->touch);
    rg_free(&p->scope->scene->allocator, p->constraints);
    rg_free(&p->scope->scene->allocator, p->x);
}

/* Constraints for all points within reach: a share of the way from the present gap to the wanted one, m. */
static RgStatus make_constraints(Separation *p, double reach, double wanted, double share)
{
    RgManifoldOptions options = rg_manifold_options_default();
    options.margin = reach;
    RgContactSearch search = {.options = &options};
    RgStatus status = rg_touch_set_search(&p->touch, p->scope->scene, &search);
    int32_t count = p->touch.view.npoints;
    if (status == RG_OK && count > p->room) {
        RgGapConstraint *more =
            rg_realloc(&p->scope->scene->allocator, p->constraints, (size_t)p->room, 2 * (size_t)count, sizeof *more);
        if (more == NULL)
            return RG_ERR_MEMORY;
        p->constraints = more;
        p->room = 2 * count;
    }
    for (int32_t i = 0; i < count && status == RG_OK; i++) {
        double way = wanted - p->touch.view.points[i].gap;
        p->constraints[i] = rg_gap_at_least(p->touch.gaps[i], wanted - (1.0 - share) * fmax(0.0, way));
    }
    return status;
}

/* Iterates until no distance is below the level, and joints and loops are closed. */
static RgStatus iterate(Separation *p, RgState *state, double level)
{
    RgStepScope *s = p->scope;
    double beyond = fmax(BEYOND_LEAST, BEYOND * fabs(level)), best = INFINITY, share = 1.0;
    int patience = PATIENCE;
    RgStatus projected = RG_OK;
    for (int round = 0; round < ROUNDS && patience > 0; round++, patience--) {
        double distance;
        RgStatus status = find_nearest(s, state, level, &distance);
        if (status != RG_OK || (!(distance < level) && projected == RG_OK))
            return status;
        double depth = level - distance;
        if (depth < PROGRESS * best) {
            best = depth;
            patience = PATIENCE;
        }
        status = make_constraints(p, level + depth, level + beyond, share);
        if (status != RG_OK)
            return status;
        RgGapProjection out;
        int count = p->touch.view.npoints;
        projected = rg_project_gaps(p->projector, p->constraints, count, 0.5 * beyond, state->x, &out);
        if (projected != RG_OK && projected != RG_ERR_NOT_CONVERGED)
            return projected;
        share = projected == RG_OK ? fmin(1.0, 2.0 * share) : fmax(SHARE_LEAST, 0.5 * share);
    }
    return RG_ERR_NOT_CONVERGED;
}

RgStatus rg_separate(RgStepScope *s, RgGapProjector *projector, RgState *state, double level)
{
    if (s->scene == NULL)
        return RG_OK;
    Separation p = {.scope = s, .projector = projector};
    rg_gap_projector_limits(projector, s->contact != NULL ? s->contact->setup.bounded : NULL);
    RgStatus status = init_separation(&p, state) ? iterate(&p, state, level) : RG_ERR_MEMORY;
    rg_gap_projector_limits(projector, NULL);
    if (status == RG_OK)
        s->form->kind->settle(s->form, state->x);
    else if (p.x != NULL)
        memcpy(state->x, p.x, (size_t)s->form->nx * sizeof *p.x);
    free_separation(&p);
    return status;
}
