/*
 * contact_problem.c - makes the contact problem of a step from contacts and rows (contact_problem.h).
 *
 * A manifold is a patch. Its plane goes through the mean c of the points, each taken midway between the two surfaces;
 * the height of a point above the plane (less than the contact margin) is neglected. patch_points.c selects the points
 * that a patch uses. If friction is anisotropic, a patch of two points becomes two patches of one point each; if the
 * law demands single points, every point is a patch.
 *
 * The pressure acts within both bodies, so the lengths that bound torsion and rolling are at most the bodies' extent.
 */
#include "constraint/contact_problem.h"

#include "base/parallel_for.h"
#include "constraint/patch_points.h"
#include "math/unit.h"

#include <string.h>

/* Pairs or bodies per chunk of a parallel loop. */
#define CHUNK 64

int rg_contact_body(const RgModel *m, RgShapeId shape)
{
    int link = m->shapes[shape.i - 1].def.link.i;
    return link > 0 ? m->links[link - 1].body : -1;
}

/* ------------------------------------------------------------------ bounded rows */

bool rg_row_is_asleep(const RgContactSetup *setup, const RgRow *row)
{
    const RgModel *m = setup->form->model;
    bool rests = setup->asleep != NULL && row->nbodies + row->ndofs > 0;
    for (int i = 0; rests && i < row->nbodies; i++)
        rests = setup->asleep[row->body[i]];
    for (int i = 0; rests && i < row->ndofs; i++)
        rests = setup->asleep[m->dof_body[row->dof[i]]];
    return rests;
}

void rg_contact_rows_find(const RgContactSetup *setup, const RgBoundedAsk *ask, RgContactProblem *out)
{
    int total = rg_bounded_rows(setup->bounded, ask, out->rows), awake = 0;
    for (int i = 0; i < total; i++) {
        if (rg_row_is_asleep(setup, &out->rows[i].row))
            continue;
        if (i > awake) {
            RgBoundedRow row = out->rows[i];
            out->rows[i] = out->rows[awake];
            out->rows[awake] = row;
        }
        awake++;
    }
    out->nrows = awake;
    out->nasleep_rows = total - awake;
}

/* ------------------------------------------------------------------ one pair of shapes */

typedef struct Pair {
    const RgContactSetup *setup;
    const RgContactProblem *problem;
    RgPairLaw law;
    RgVec3 fdir1; /* first friction direction of the surfaces, world axes; zero: none given */
    int body[2];
} Pair;

static RgVec3 midpoint(const RgContactPoint *p)
{
    return v3_scale(0.5, v3_add(p->point_a, p->point_b));
}

/* Velocity at which the two sides approach each other at a point; u NULL: at the start of the step. */
static double approach_velocity(const Pair *pair, const RgContactPoint *p, RgVec3 n, const double *u)
{
    const RgForm *form = pair->setup->form;
    RgVec3 x = midpoint(p), v = v3_zero();
    for (int side = 0; side < 2; side++) {
        int body = pair->body[side];
        if (body < 0)
            continue;
        RgMotion V = form->kin->V[body];
        if (u != NULL)
            rg_form_twist(form, body, u, &V);
        V = mv_shift(V, v3_sub(x, form->kin->X_WB[body].p));
        v = v3_axpy(side == 0 ? 1.0 : -1.0, V.v, v);
    }
    return v3_dot(n, v);
}

/* Velocity at x of a body by which the joints between it and the world, if they are rows, correct their errors: the sum
   of T error over these joints, times -erp / h. Zero if the chain ends in a free joint. */
static RgVec3 joint_pull(const Pair *pair, int body, RgVec3 x)
{
    const RgForm *form = pair->setup->form;
    RgVec3 sum = v3_zero();
    for (; body >= 0; body = form->model->bodies[body].parent) {
        const RgJointState *J = &form->joints[body];
        if (J->nrows == 0)
            return v3_zero();
        RgVec3 arm = v3_sub(x, J->origin);
        for (int k = 0; k < J->nrows; k++)
            sum = v3_axpy(J->error[k], v3_add(J->T[k].f, v3_cross(J->T[k].n, arm)), sum);
    }
    return v3_scale(-pair->setup->law.erp / pair->problem->ask.h, sum);
}

/* Velocity at which joints pull the two sides together. */
static double pull_together(const Pair *pair, const RgContactPoint *p, RgVec3 n)
{
    RgVec3 x = midpoint(p), v = v3_zero();
    for (int side = 0; side < 2; side++)
        v = v3_axpy(side == 0 ? 1.0 : -1.0, joint_pull(pair, pair->body[side], x), v);
    return v3_dot(n, v);
}

/* Whether the solver has joints as rows that correct errors. */
static bool joints_pull(const Pair *pair)
{
    const RgContactSetup *setup = pair->setup;
    return setup->form->kind->joints_are_rows && setup->solver->solve_patches == NULL &&
           pair->problem->ask.joints == RG_JOINTS_CORRECT;
}

static RgPointLaw point_law(const Pair *pair, int32_t number, RgVec3 n)
{
    const RgContactAsk *ask = &pair->problem->ask;
    const RgContactPoint *p = &ask->contacts->points[number];
    RgPointMotion motion = {.gap = p->gap};
    double wanted = ask->velocities != NULL ? v3_dot(n, ask->velocities[number]) : 0.0;
    if (rg_pair_bounces(&pair->law))
        motion.approach = approach_velocity(pair, p, n, NULL);
    if (rg_point_asks_free(&pair->law, &motion))
        motion.approach_free = approach_velocity(pair, p, n, pair->problem->u_free);
    if (p->gap < 0.0 && joints_pull(pair))
        motion.pull = pull_together(pair, p, n);
    return rg_point_law(&pair->law, &motion, ask->velocities != NULL ? &wanted : NULL);
}

/* First tangent: along two points, otherwise the surface's own direction, otherwise any; for single points the
   surface's own direction, otherwise one that depends on the normal alone. */
static RgVec3 first_tangent(const Pair *pair, const RgVec3 *x, const int *chosen, int count, RgVec3 n)
{
    bool by_normal = pair->law.law->single_points;
    RgVec3 along = count == 2 && !by_normal ? v3_sub(x[chosen[1]], x[chosen[0]]) : pair->fdir1;
    along = v3_axpy(-v3_dot(along, n), n, along);
    double length = v3_norm(along);
    if (length > 0.0)
        return v3_scale(1.0 / length, along);
    return by_normal ? v3_plane_space(n) : v3_orthogonal(n);
}

static RgVec3 first_direction(const Pair *pair, const RgSurfaceDef *a, const RgSurfaceDef *b)
{
    bool is_a = v3_norm2(a->fdir1) > 0.0, is_b = v3_norm2(b->fdir1) > 0.0, by_b = is_b && (!is_a || b->mu < a->mu);
    int body = pair->body[by_b ? 1 : 0];
    RgVec3 d = by_b ? b->fdir1 : a->fdir1;
    return (is_a || is_b) && body >= 0 ? m3_apply(pair->setup->form->kin->X_WB[body].R, d) : d;
}

static double body_extent(const Pair *pair, const RgPatch *patch)
{
    double reach = INFINITY;
    for (int side = 0; side < 2; side++)
        if (pair->body[side] >= 0)
            reach = d_min(reach, v3_norm(patch->arm[side]) + pair->setup->bodies[pair->body[side]].reach);
    return reach;
}

static RgPatchTurning patch_turning(const Pair *pair, int32_t number)
{
    const RgSurfaceDef *s = pair->law.surface;
    const RgPatch *patch = &pair->problem->patches[number];
    double depth = 0.0, reach = body_extent(pair, patch);
    for (int i = 0; i < patch->count; i++)
        depth = d_max(depth, -pair->problem->ask.contacts->points[pair->problem->parts[number].point[i]].gap);
    return (RgPatchTurning){.torsion = d_min(s->torsional + s->torsional_depth * sqrt(depth), reach),
                            .rolling = d_min(s->rolling, reach),
                            .slip = s->torsional_slip};
}

static void set_friction(const Pair *pair, RgPatch *patch)
{
    const RgSurfaceDef *s = pair->law.surface;
    bool none = pair->law.law->friction == RG_FRICTION_NONE;
    patch->mu[0] = none ? 0.0 : s->mu;
    patch->mu[1] = none ? 0.0 : s->mu2;
    patch->compliance[0] = pair->law.compliance;
    patch->compliance[1] = (s->slip1 > 0.0 ? s->slip1 : pair->law.law->cfm) / pair->law.h;
    patch->compliance[2] = (s->slip2 > 0.0 ? s->slip2 : pair->law.law->cfm) / pair->law.h;
}

/* Makes patch `number` from the chosen points of a manifold. */
static void make_patch(const Pair *pair, int32_t number, const RgVec3 *x, int32_t first, const int *chosen, int count)
{
    const RgContactProblem *problem = pair->problem;
    RgPatch *patch = &problem->patches[number];
    RgPatchParts *parts = &problem->parts[number];
    RgVec3 n = problem->ask.contacts->points[first].normal;
    RgVec3 c = v3_zero(), t = first_tangent(pair, x, chosen, count, n);
    for (int i = 0; i < count; i++)
        c = v3_axpy(1.0 / count, x[chosen[i]], c);
    patch->count = count;
    patch->unattainable = false;
    parts->conflict = 0.0;
    patch->axis[0] = t;
    patch->axis[1] = v3_cross(n, t);
    patch->axis[2] = n;
    for (int side = 0; side < 2; side++) {
        patch->mover[side] = pair->body[side] + 1;
        patch->arm[side] = v3_sub(c, problem->centre[pair->body[side] + 1]);
    }
    for (int i = 0; i < count; i++) {
        RgVec3 d = v3_sub(x[chosen[i]], c);
        patch->place[i][0] = v3_dot(patch->axis[0], d);
        patch->place[i][1] = v3_dot(patch->axis[1], d);
        parts->point[i] = first + chosen[i];
        parts->law[i] = point_law(pair, first + chosen[i], n);
        patch->target[i] = parts->law[i].target;
        for (int k = 0; k < 3; k++)
            patch->z[i][k] = 0.0;
    }
    set_friction(pair, patch);
    if (problem->turning != NULL)
        problem->turning[number] = patch_turning(pair, number);
}

/* Keeps the chosen points that overlap or touch; returns their number. */
static int drop_gaps(const double *gap, int count, int *chosen)
{
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (gap[chosen[i]] <= 0.0)
            chosen[kept++] = chosen[i];
    return kept;
}

static void add_manifold(const Pair *pair, const RgManifold *manifold, int32_t number)
{
    const RgSurfaceDef *s = pair->law.surface;
    RgVec3 x[RG_PATCH_POINTS];
    double gap[RG_PATCH_POINTS];
    int chosen[RG_PATCH_POINTS], count = manifold->count < RG_PATCH_POINTS ? manifold->count : RG_PATCH_POINTS;
    for (int i = 0; i < count; i++) {
        const RgContactPoint *point = &pair->problem->ask.contacts->points[manifold->first + i];
        x[i] = midpoint(point);
        gap[i] = point->gap;
    }
    count = rg_patch_points(x, gap, count, manifold->normal, chosen);
    if (pair->law.law->only_overlaps && pair->problem->ask.velocities == NULL)
        count = drop_gaps(gap, count, chosen);
    if (count == 0)
        return;
    bool split = pair->law.law->single_points || (count == 2 && (s->mu != s->mu2 || s->slip1 != s->slip2));
    if (!split)
        make_patch(pair, number, x, manifold->first, chosen, count);
    for (int i = 0; i < count && split; i++)
        make_patch(pair, number + i, x, manifold->first, chosen + i, 1);
}

/* ------------------------------------------------------------------ all patches */

typedef struct Task {
    const RgContactSetup *setup;
    RgContactProblem *problem;
    RgVec3 *centre;
} Task;

static double thinner_shape(const RgContactSetup *setup, RgShapeId a, RgShapeId b)
{
    return setup->thin != NULL ? d_min(setup->thin[a.i - 1], setup->thin[b.i - 1]) : INFINITY;
}

/* Maximum number of patches per manifold. */
static int32_t patches_per_manifold(const RgContactSetup *setup)
{
    return setup->law.single_points ? RG_PATCH_POINTS : setup->surfaces.splits ? 2 : 1;
}

static void add_pair(const Task *t, int32_t k)
{
    const RgContactSetup *setup = t->setup;
    const RgContactAsk *ask = &t->problem->ask;
    const RgShapeContacts *found = &ask->contacts->pairs[k];
    RgSurfaceDef spare;
    Pair pair = {.setup = setup,
                 .problem = t->problem,
                 .body = {rg_contact_body(setup->form->model, found->shape_a),
                          rg_contact_body(setup->form->model, found->shape_b)}};
    bool pushes = rg_pair_law(&setup->law, rg_surface_pair(&setup->surfaces, found->shape_a, found->shape_b, &spare),
                              ask->h, thinner_shape(setup, found->shape_a, found->shape_b), &pair.law);
    pair.law.smooth = ask->smooth;
    pair.law.gravity = ask->gravity;
    pair.fdir1 = first_direction(&pair, rg_surface_at(&setup->surfaces, found->shape_a),
                                 rg_surface_at(&setup->surfaces, found->shape_b));
    for (int32_t i = found->first_manifold; i < found->first_manifold + found->nmanifolds; i++) {
        int32_t number = patches_per_manifold(setup) * i;
        for (int part = 0; part < patches_per_manifold(setup); part++)
            t->problem->patches[number + part].count = 0;
        if (pushes && ask->contacts->manifolds[i].count > 0)
            add_manifold(&pair, &ask->contacts->manifolds[i], number);
    }
}

static void add_pairs(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    for (int32_t k = first; k < end; k++)
        add_pair(context, k);
}

static void compute_centres(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const Task *t = context;
    const RgForm *form = t->setup->form;
    for (int32_t i = first; i < end; i++)
        t->centre[i + 1] = pose_apply(form->kin->X_WB[i], form->model->bodies[i].inertia.com);
}

void rg_contact_compact_patches(RgContactProblem *p, int32_t places)
{
    int32_t n = 0;
    for (int32_t i = 0; i < places; i++) {
        if (p->patches[i].count == 0)
            continue;
        if (n < i) {
            p->patches[n] = p->patches[i];
            p->parts[n] = p->parts[i];
            if (p->turning != NULL)
                p->turning[n] = p->turning[i];
        }
        n++;
    }
    p->npatches = n;
}

bool rg_contact_problem_make(const RgContactSetup *setup, RgArena *arena, const RgContactScene *scene,
                             const RgContactAsk *ask, const double *u_free, RgContactProblem *out)
{
    const RgForm *form = setup->form;
    int n = form->model->nbodies;
    int32_t places = patches_per_manifold(setup) * ask->contacts->nmanifolds;
    RgVec3 *centre = RG_ARENA_ALLOC_RAW(arena, RgVec3, n + 1);
    RgVec3 *impulses = RG_ARENA_ALLOC_RAW(arena, RgVec3, ask->contacts->npoints);
    RgContactProblem previous = *out;
    *out = (RgContactProblem){.ask = *ask,
                              .u_free = u_free,
                              .patches = RG_ARENA_ALLOC_RAW(arena, RgPatch, places),
                              .parts = RG_ARENA_ALLOC_RAW(arena, RgPatchParts, places),
                              .rows = previous.rows,
                              .nrows = previous.nrows,
                              .nprescribed_rows = previous.nprescribed_rows,
                              .nasleep_rows = previous.nasleep_rows,
                              .joint_impulses = RG_ARENA_ALLOC(arena, double, setup->constraints->rows.room),
                              .joint_correction = RG_ARENA_ALLOC(arena, double, setup->constraints->rows.room)};
    if (setup->surfaces.turns)
        out->turning = RG_ARENA_ALLOC_RAW(arena, RgPatchTurning, places);
    if (arena->failed)
        return false;
    if (ask->contacts->npoints == 0 && out->nrows == 0 && setup->constraints->most == 0)
        return true;
    Task task = {setup, out, centre};
    out->centre = centre;
    centre[0] = v3_zero();
    rg_parallel_for(form->thread_pool, n, CHUNK, compute_centres, &task);
    rg_parallel_for(form->thread_pool, ask->contacts->npairs, CHUNK, add_pairs, &task);
    rg_contact_compact_patches(out, places);
    rg_warm_start_set(setup, scene, impulses, out);
    return true;
}

/* ------------------------------------------------------------------ impulses on bodies */

void rg_contact_patch_impulse(const RgPatch *p, int side, double g[6])
{
    RgVec3 f = v3_zero(), m = v3_zero();
    for (int i = 0; i < p->count; i++) {
        RgVec3 z = v3_axpy(p->z[i][0], p->axis[2], v3_axpy(p->z[i][1], p->axis[0], v3_scale(p->z[i][2], p->axis[1])));
        RgVec3 at = v3_axpy(p->place[i][0], p->axis[0], v3_axpy(p->place[i][1], p->axis[1], p->arm[side]));
        f = v3_add(f, z);
        m = v3_add(m, v3_cross(at, z));
    }
    double sign = side == 1 ? 1.0 : -1.0;
    g[0] = sign * f.x;
    g[1] = sign * f.y;
    g[2] = sign * f.z;
    g[3] = sign * m.x;
    g[4] = sign * m.y;
    g[5] = sign * m.z;
}

void rg_contact_push(const RgContactSetup *setup, const RgVec3 *centre, int body, const double g[6], double *out)
{
    RgVec3 f = {g[0], g[1], g[2]}, m = {g[3], g[4], g[5]};
    RgVec3 from_origin = v3_sub(centre[body + 1], setup->form->kin->X_WB[body].p);
    rg_form_push(setup->form, body, (RgForce){v3_add(m, v3_cross(from_origin, f)), f}, out);
}

void rg_contact_velocities(const RgContactSetup *setup, const RgContactProblem *p, const double *u, double *V)
{
    enum { VISITED = RG_BODY_PLACES - 1 }; /* index of the unused last place */
    const RgForm *form = setup->form;
    memset(V, 0, RG_BODY_PLACES * ((size_t)form->model->nbodies + 1) * sizeof *V);
    for (int32_t k = 0; k < 2 * p->npatches; k++) {
        int body = p->patches[k / 2].mover[k % 2] - 1;
        double *at = V + RG_BODY_PLACES * (body + 1);
        if (body < 0 || at[VISITED] != 0.0)
            continue;
        RgMotion twist;
        rg_form_twist(form, body, u, &twist);
        twist = mv_shift(twist, v3_sub(p->centre[body + 1], form->kin->X_WB[body].p));
        double six[6] = {twist.v.x, twist.v.y, twist.v.z, twist.w.x, twist.w.y, twist.w.z};
        memcpy(at, six, sizeof six);
        at[VISITED] = 1.0;
    }
}
