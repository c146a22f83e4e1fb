/*
 * contact_patches.c - contact points become patches: frame, arms, targets, friction.
 *
 * A manifold is a patch. Its plane goes through the mean c of the points, each taken halfway between the two
 * surfaces; what a point lies above it (less than the contact margin) is left out. Points on one line make a
 * patch of its two ends, t1 along it; points at one place a patch of one (patch_points.c).
 *
 * The least normal velocity at the end of the step, with gap g, step h, near gap s, and of a small length a
 * the part f(a) = b a^2 / (a + soft) made good in a step:
 *
 *   g >= 0     -(f(min(g, s)) + max(g - s, 0)) / h      what is farther than s may come up to s at once
 *   g < 0       min(f(-g - min_depth), max_vel h) / h
 *   bounce      e v, if the points approach with v above the threshold, and would not keep the least
 *               velocity; stage->smooth: e v - h a with a the acceleration towards each other
 *   g > s       -(g + d) / h, if they would bounce, and only another blow of the step can close the gap:
 *               d is a part of the thinner shape (rg_contact_passes_on)
 *
 * The last bit of a gap shall not rock a pile. A solver that leaves the part 1 - G of an error standing from
 * step to step, in its slowest mode, is shaken by any share b above G: s''' + G s'' + G s' + G b s = 0 (Routh).
 * Near zero the share goes to zero with a, so that what rests comes to rest, however few the sweeps.
 *
 * A surface with kp below RIGID is a spring and damper along the normal (004, eq. 12), b = h kp / (h kp + kd)
 * and C = 1 / (h (h kp + kd)); it acts where the gap is closed, so the least velocity of an open one is -g / h.
 * Slip is the velocity by friction force that a tangent gives way with, hence C = slip / h. Without
 * stiffness and damping there is no patch.
 */
#include "base/parallel_for.h"
#include "constraint/contact_stage.h"
#include "constraint/patch_points.h"
#include "math/unit.h"

#include <string.h>

/* Pairs that a thread takes at a time. */
#define CHUNK 64

/* One pair of shapes while its patches are made. */
typedef struct Pair {
    RgContactStage *stage;
    const RgContactView *contacts;
    const RgSurfaceDef *surface;
    RgVec3 fdir1; /* in the world; zero: none */
    int32_t mover[2];
    double h, per_h;
    double share, compliance; /* of the normal */
    bool rigid;
    double sink; /* m: rg_contact_sink */
} Pair;

static RgVec3 middle(const RgContactPoint *p)
{
    return v3_scale(0.5, v3_add(p->point_a, p->point_b));
}

/* Velocity with which the two sides approach each other at a point now. */
static double approach(const Pair *pair, const RgContactPoint *p, RgVec3 n)
{
    const RgKin *kin = pair->stage->form->kin;
    RgVec3 x = middle(p), v = v3_zero();
    for (int side = 0; side < 2; side++) {
        int body = pair->mover[side] - 1;
        if (body < 0)
            continue;
        RgMotion V = mv_shift(kin->V[body], v3_sub(x, kin->X_WB[body].p));
        v = v3_axpy(side == 0 ? 1.0 : -1.0, V.v, v);
    }
    return v3_dot(n, v);
}

/* The same at the end of the step, if they were not to touch. */
static double approach_free(const Pair *pair, const RgContactPoint *p, RgVec3 n)
{
    RgVec3 x = middle(p), v = v3_zero();
    for (int side = 0; side < 2; side++) {
        const double *V = pair->stage->problem.V + RG_MOVER_PLACES * pair->mover[side];
        RgVec3 arm = v3_sub(x, pair->stage->centre[pair->mover[side]]);
        RgVec3 at = v3_add(v3(V[0], V[1], V[2]), v3_cross(v3(V[3], V[4], V[5]), arm));
        v = v3_axpy(side == 0 ? 1.0 : -1.0, at, v);
    }
    return v3_dot(n, v);
}

/* Velocity after a bounce in this step; 0: there is none. It comes where the contact would act at all: where
   the points approach faster than target lets them. */
static double bounce_of(const Pair *pair, const RgContactPoint *p, RgVec3 n, double target)
{
    const RgSurfaceDef *s = pair->surface;
    double speed = s->restitution > 0.0 ? approach(pair, p, n) : 0.0;
    if (!(speed > s->restitution_threshold))
        return 0.0;
    double free = approach_free(pair, p, n);
    double slowed = pair->stage->smooth ? free - speed : 0.0;
    return free > -target ? d_max(s->restitution * speed - slowed, 0.0) : 0.0;
}

/* What of a small gap or depth a step makes good. */
static double followed(const Pair *pair, double a)
{
    return pair->rigid ? pair->share * a * a / (a + pair->stage->rules.soft) : pair->share * a;
}

static double target_of(const Pair *pair, const RgContactPoint *p, RgVec3 n, double *bounce)
{
    const RgContactRules *rules = &pair->stage->rules;
    const RgSurfaceDef *s = pair->surface;
    double g = p->gap, target;
    if (g >= 0.0 && !pair->rigid)
        target = -g * pair->per_h;
    else if (g >= 0.0)
        target = -(followed(pair, d_min(g, rules->near)) + d_max(g - rules->near, 0.0)) * pair->per_h;
    else
        target = d_min(followed(pair, d_max(-g - s->min_depth, 0.0)) * pair->per_h, s->max_vel);
    if (pair->stage->wanted != NULL)
        target = v3_dot(n, pair->stage->wanted[p - pair->contacts->points]);
    *bounce = bounce_of(pair, p, n, target);
    *bounce = *bounce > target ? *bounce : 0.0;
    if (*bounce > 0.0)
        return *bounce;
    bool open = pair->rigid && pair->stage->wanted == NULL && rg_contact_passes_on(rules, s, g, pair->h);
    return open && approach_free(pair, p, n) <= -target ? -(g + pair->sink) * pair->per_h : target;
}

double rg_contact_sink(const RgContactStage *stage, RgShapeId a, RgShapeId b)
{
    double thin = stage->thin != NULL ? d_min(stage->thin[a.i - 1], stage->thin[b.i - 1]) : 0.0;
    return isfinite(thin) ? RG_SINK_PART * thin : 0.0;
}

/* First tangent: along two points, else the surface's own direction, else any. */
static RgVec3 tangent(const Pair *pair, const RgVec3 *x, const int *chosen, int count, RgVec3 n)
{
    RgVec3 along = count == 2 ? v3_sub(x[chosen[1]], x[chosen[0]]) : pair->fdir1;
    along = v3_axpy(-v3_dot(along, n), n, along);
    double length = v3_norm(along);
    return length > 0.0 ? v3_scale(1.0 / length, along) : v3_across(n);
}

/* The surfaces' own first direction of friction, in the world; zero: none. */
static RgVec3 first_direction(const Pair *pair, const RgSurfaceDef *a, const RgSurfaceDef *b)
{
    bool is_a = v3_norm2(a->fdir1) > 0.0, is_b = v3_norm2(b->fdir1) > 0.0,
         by_b = is_b && (!is_a || b->mu < a->mu);
    int body = pair->mover[by_b ? 1 : 0] - 1;
    RgVec3 d = by_b ? b->fdir1 : a->fdir1;
    return (is_a || is_b) && body >= 0 ? m3_apply(pair->stage->form->kin->X_WB[body].R, d) : d;
}

/* Pressure acts within both bodies, so no moment of it is longer than they reach. */
static double turn_reach(const Pair *pair, const RgPatch *patch)
{
    double reach = INFINITY;
    for (int side = 0; side < 2; side++)
        if (patch->mover[side] > 0)
            reach =
                d_min(reach, v3_norm(patch->arm[side]) + pair->stage->bodies[patch->mover[side] - 1].reach);
    return reach;
}

/* What bounds a patch's moments, by its normal force: about the normal, across it. */
static void set_turning(const Pair *pair, const RgPatch *patch, int32_t number)
{
    const RgSurfaceDef *s = pair->surface;
    double depth = 0.0;
    for (int i = 0; i < patch->count; i++)
        depth = d_max(depth, -pair->contacts->points[pair->stage->point[number][i]].gap);
    double reach = turn_reach(pair, patch);
    pair->stage->turn[number][0] = d_min(s->torsional + s->torsional_depth * sqrt(depth), reach);
    pair->stage->turn[number][1] = d_min(s->rolling, reach);
    pair->stage->turn[number][2] = s->torsional_slip;
    pair->stage->patch_moment[number] = v3_zero();
}

static void set_friction(const Pair *pair, RgPatch *patch)
{
    patch->mu[0] = pair->surface->mu;
    patch->mu[1] = pair->surface->mu2;
    patch->compliance[0] = pair->compliance;
    patch->compliance[1] = pair->surface->slip1 * pair->per_h;
    patch->compliance[2] = pair->surface->slip2 * pair->per_h;
}

/* Patch number of the points chosen among those of a manifold. */
static void make_patch(const Pair *pair, int32_t number, const RgVec3 *x, int32_t first, const int *chosen,
                       int count)
{
    RgContactStage *stage = pair->stage;
    RgPatch *patch = &stage->problem.patches[number];
    RgVec3 n = pair->contacts->points[first].normal;
    RgVec3 c = v3_zero(), t = tangent(pair, x, chosen, count, n);
    for (int i = 0; i < count; i++)
        c = v3_axpy(1.0 / count, x[chosen[i]], c);
    patch->count = count;
    patch->axis[0] = t;
    patch->axis[1] = v3_cross(n, t);
    patch->axis[2] = n;
    for (int side = 0; side < 2; side++) {
        patch->mover[side] = pair->mover[side];
        patch->arm[side] = v3_sub(c, stage->centre[pair->mover[side]]);
    }
    for (int i = 0; i < count; i++) {
        int32_t point = first + chosen[i];
        RgVec3 d = v3_sub(x[chosen[i]], c);
        patch->place[i][0] = v3_dot(patch->axis[0], d);
        patch->place[i][1] = v3_dot(patch->axis[1], d);
        patch->target[i] = target_of(pair, &pair->contacts->points[point], n, &stage->bounce[number][i]);
        stage->point[number][i] = point;
        for (int k = 0; k < 3; k++)
            patch->z[i][k] = 0.0;
    }
    set_friction(pair, patch);
    if (stage->surfaces.turns)
        set_turning(pair, patch, number);
}

/* The patch of a manifold, at its place. Where friction is not the same along and across, two points are a
   patch each, one behind the other. */
static void add_manifold(const Pair *pair, const RgManifold *manifold, int32_t number)
{
    RgVec3 x[RG_PATCH_POINTS];
    double gap[RG_PATCH_POINTS];
    int chosen[RG_PATCH_POINTS],
        count = manifold->count < RG_PATCH_POINTS ? manifold->count : RG_PATCH_POINTS;
    for (int i = 0; i < count; i++) {
        x[i] = middle(&pair->contacts->points[manifold->first + i]);
        gap[i] = pair->contacts->points[manifold->first + i].gap;
    }
    count = rg_patch_points(x, gap, count, manifold->normal, chosen);
    bool split = count == 2 &&
                 (pair->surface->mu != pair->surface->mu2 || pair->surface->slip1 != pair->surface->slip2);
    make_patch(pair, number, x, manifold->first, chosen, split ? 1 : count);
    if (split)
        make_patch(pair, number + 1, x, manifold->first, chosen + 1, 1);
}

/* All patches of a step while they are made. */
typedef struct Task {
    RgContactStage *stage;
    const RgContactView *contacts;
    double h;
} Task;

static void add_pair(const Task *t, int32_t k)
{
    RgContactStage *stage = t->stage;
    const RgShapeContacts *found = &t->contacts->pairs[k];
    RgSurfaceDef spare;
    Pair pair = {.stage = stage, .contacts = t->contacts, .h = t->h, .per_h = 1.0 / t->h};
    pair.mover[0] = rg_contact_body(stage->form->model, found->shape_a) + 1;
    pair.mover[1] = rg_contact_body(stage->form->model, found->shape_b) + 1;
    pair.surface = rg_surface_pair(&stage->surfaces, found->shape_a, found->shape_b, &spare);
    pair.fdir1 = first_direction(&pair, rg_surface_at(&stage->surfaces, found->shape_a),
                                 rg_surface_at(&stage->surfaces, found->shape_b));
    double stiff = t->h * pair.surface->kp + pair.surface->kd;
    pair.rigid = rg_surface_rigid(pair.surface);
    pair.share = pair.rigid ? stage->rules.share : t->h * pair.surface->kp / stiff;
    pair.compliance = pair.rigid ? 0.0 : 1.0 / (t->h * stiff);
    pair.sink = rg_contact_sink(stage, found->shape_a, found->shape_b);
    for (int32_t i = found->first_manifold; i < found->first_manifold + found->nmanifolds; i++) {
        int32_t number = (stage->surfaces.splits ? 2 : 1) * i;
        stage->problem.patches[number].count = 0;
        if (stage->surfaces.splits)
            stage->problem.patches[number + 1].count = 0;

        /* Without spring and damper nothing resists. */
        if (stiff > 0.0 && t->contacts->manifolds[i].count > 0)
            add_manifold(&pair, &t->contacts->manifolds[i], number);
    }
}

static void add_pairs(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    for (int32_t k = first; k < end; k++)
        add_pair(context, k);
}

/* Closes the places that were left empty. */
static void close_ranks(RgContactStage *stage, int32_t places)
{
    int32_t n = 0;
    for (int32_t i = 0; i < places; i++) {
        if (stage->problem.patches[i].count == 0)
            continue;
        if (n < i) {
            stage->problem.patches[n] = stage->problem.patches[i];
            memcpy(stage->point[n], stage->point[i], sizeof stage->point[n]);
            memcpy(stage->bounce[n], stage->bounce[i], sizeof stage->bounce[n]);
            if (stage->surfaces.turns) {
                memcpy(stage->turn[n], stage->turn[i], sizeof stage->turn[n]);
                stage->patch_moment[n] = stage->patch_moment[i];
            }
        }
        n++;
    }
    stage->problem.npatches = n;
}

bool rg_contact_patches(RgContactStage *stage, const RgContactView *contacts, double h)
{
    RgArena *arena = &stage->problem_memory;
    int32_t places = (stage->surfaces.splits ? 2 : 1) * contacts->nmanifolds;
    stage->problem.patches = RG_TAKE_RAW(arena, RgPatch, places);
    stage->point = rg_arena_take_raw(arena, (size_t)places, sizeof *stage->point);
    stage->bounce = rg_arena_take_raw(arena, (size_t)places, sizeof *stage->bounce);
    stage->point_impulses = RG_TAKE_RAW(arena, RgVec3, contacts->npoints);
    stage->forces = RG_TAKE_RAW(arena, RgContactForce, contacts->npoints);
    if (stage->surfaces.turns) {
        stage->turn = rg_arena_take_raw(arena, (size_t)places, sizeof *stage->turn);
        stage->patch_moment = RG_TAKE_RAW(arena, RgVec3, places);
    }
    if (arena->failed)
        return false;
    Task task = {stage, contacts, h};
    rg_parallel_for(stage->form->crew, contacts->npairs, CHUNK, add_pairs, &task);
    close_ranks(stage, places);
    return true;
}
