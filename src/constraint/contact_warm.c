/*
 * contact_warm.c - warm start: impulses of the last step as the first guess.
 *
 * A contact is identified by its two shapes and its id, otherwise by its place on the first shape; a pair has few
 * contacts, so they are compared one by one. Impulses are stored in world axes, since contact frames rotate; they are
 * scaled by the ratio of the step lengths. A guess outside its friction cone is projected onto it.
 */
#include "constraint/contact_result.h"

#include "base/parallel_for.h"
#include "solver/cone_projection.h"

#include <string.h>

/* Pairs or patches per chunk of a parallel loop. */
#define CHUNK 64

/* Impulse on B in the axes of a patch, projected onto its cone. */
static void guess_in_cone(const RgPatch *patch, RgVec3 impulse, double z[3])
{
    double n = v3_dot(patch->axis[2], impulse), a = v3_dot(patch->axis[0], impulse);
    double b = v3_dot(patch->axis[1], impulse);
    n = n > 0.0 ? n : 0.0;
    double reach = n * patch->mu[0] * patch->mu[1], x = a * patch->mu[1], y = b * patch->mu[0];
    double length2 = x * x + y * y, back = reach > 0.0 ? 1.0 : 0.0;
    if (length2 > reach * reach)
        back = reach / sqrt(length2);
    z[0] = n;
    z[1] = back * a;
    z[2] = back * b;
}

/* Maximum number of contacts of a pair that are matched by place (bits of a mask). */
#define MAX_MATCHED 64
/* Distance within which contacts of two steps are the same, as a part of the pair's reach. If it is too small, impulses
   are lost when ids change; if too large, a point gets the impulse of another. */
#define SAME_PLACE_FRACTION 0.05

/* A pair of shapes with newly computed contacts, and its old ones. */
typedef struct Match {
    const RgContactPoint *points;
    const RgRememberedPoint *known;
    int32_t npoints, nold;
    const RgPose *X_WA;
    double reach;
    RgVec3 *impulses;
} Match;

/* Matches contacts by id. Marks matched new and old points. */
static void match_ids(const Match *m, uint64_t *done, uint64_t *used)
{
    for (int32_t i = 0; i < m->npoints; i++)
        for (int32_t k = 0; k < m->nold; k++)
            if (m->known[k].id == m->points[i].id) {
                m->impulses[i] = m->known[k].impulse;
                *done |= i < MAX_MATCHED ? UINT64_C(1) << i : 0;
                *used |= k < MAX_MATCHED ? UINT64_C(1) << k : 0;
            }
}

/* Matches the remaining contacts by place: if two edges lie on each other, round-off decides which id a point gets. */
static void match_places(const Match *m, uint64_t done, uint64_t used)
{
    for (int32_t i = 0; i < m->npoints && i < MAX_MATCHED; i++) {
        if (done >> i & 1)
            continue;
        double best = SAME_PLACE_FRACTION * m->reach;
        int32_t nearest = -1;
        for (int32_t k = 0; k < m->nold && k < MAX_MATCHED; k++) {
            double far = v3_norm(v3_sub(pose_apply(*m->X_WA, m->known[k].point_A), m->points[i].point_a));
            if (!(used >> k & 1) && far < best) {
                best = far;
                nearest = k;
            }
        }
        if (nearest >= 0) {
            m->impulses[i] = m->known[nearest].impulse;
            used |= UINT64_C(1) << nearest;
        }
    }
}

/* Recalls the impulses of one pair's points: unchanged if the contacts were recalled, otherwise by id or place. */
static void recall_impulses(const RgContactScene *scene, const RgContactMemory *memory, const RgContactView *contacts,
                            int32_t k, RgVec3 *impulses)
{
    const RgContactOrigin *origin = &scene->found.origin[k];
    const RgShapeContacts *pair = &contacts->pairs[k];
    const RgManifold *last = &contacts->manifolds[pair->first_manifold + pair->nmanifolds - 1];
    int32_t first = contacts->manifolds[pair->first_manifold].first, end = last->first + last->count;
    for (int32_t i = first; i < end; i++)
        impulses[i] = v3_zero();
    if (origin->known < 0)
        return;
    const RgRememberedPair *old = &memory->pairs[origin->known];
    const RgRememberedPoint *known = memory->points + old->first_point;
    if (origin->recalled) {
        for (int32_t i = first; i < end; i++)
            impulses[i] = known[i - first].impulse;
        return;
    }
    Match match = {.points = contacts->points + first,
                   .known = known,
                   .npoints = end - first,
                   .nold = old->npoints,
                   .X_WA = &scene->X_WS[pair->shape_a.i - 1],
                   .reach = old->reach,
                   .impulses = impulses + first};
    uint64_t done = 0, used = 0;
    match_ids(&match, &done, &used);
    match_places(&match, done, used);
}

/* First patch of a pair, which stores the pair's moment; -1: none. Patches are in the order of the pairs; *at: start of
   the search, advanced behind the pair. */
static int32_t first_patch(const RgContactProblem *p, int32_t pair, int32_t *at)
{
    const RgContactView *contacts = p->ask.contacts;
    const RgShapeContacts *found = &contacts->pairs[pair];
    const RgManifold *last = &contacts->manifolds[found->first_manifold + found->nmanifolds - 1];
    int32_t first = *at, end = last->first + last->count;
    while (*at < p->npatches && p->parts[*at].point[0] < end)
        (*at)++;
    return *at > first ? first : -1;
}

/* Recalls the moments of torsion and rolling friction. */
static void recall_moments(const RgContactScene *scene, RgContactProblem *p)
{
    const RgContactMemory *memory = p->ask.last;
    double scale = memory->h > 0.0 ? p->ask.h / memory->h : 0.0;
    int32_t at = 0;
    for (int32_t k = 0; k < p->ask.contacts->npairs; k++) {
        int32_t known = scene->found.origin[k].known, patch = first_patch(p, k, &at);
        if (known >= 0 && patch >= 0)
            p->turning[patch].moment = v3_scale(scale, memory->pairs[known].moment);
    }
}

/* Context of the parallel loops. */
typedef struct Task {
    const RgContactScene *scene;
    RgContactProblem *problem;
    RgVec3 *impulses;
    double scale;
} Task;

static void recall_pairs(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const Task *t = context;
    for (int32_t k = first; k < end; k++)
        recall_impulses(t->scene, t->problem->ask.last, t->problem->ask.contacts, k, t->impulses);
}

static void guess_patches(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const Task *t = context;
    for (int32_t k = first; k < end; k++) {
        RgPatch *patch = &t->problem->patches[k];
        for (int i = 0; i < patch->count; i++)
            guess_in_cone(patch, v3_scale(t->scale, t->impulses[t->problem->parts[k].point[i]]), patch->z[i]);
    }
}

double rg_warm_start_impulse(const RgContactAsk *ask, int32_t slot)
{
    const RgContactMemory *memory = ask->last;
    double scale = memory->h > 0.0 ? ask->h / memory->h : 0.0;
    return slot < memory->nrows ? scale * memory->rows[slot] : 0.0;
}

void rg_warm_start_set(const RgContactSetup *setup, const RgContactScene *scene, RgVec3 *impulses, RgContactProblem *p)
{
    RgThreadPool *thread_pool = setup->form->thread_pool;
    int slots = rg_bounded_room(setup->bounded);
    for (int i = 0; i < p->nrows; i++)
        p->rows[i].z =
            interval_project(rg_warm_start_impulse(&p->ask, p->rows[i].slot), p->rows[i].low, p->rows[i].high);
    for (int i = 0; i < setup->constraints->rows.room && setup->solver->solve_patches == NULL; i++)
        p->joint_impulses[i] = rg_warm_start_impulse(&p->ask, slots + i);
    if (scene == NULL || p->ask.contacts->npairs == 0)
        return;
    if (p->turning != NULL)
        recall_moments(scene, p);
    Task task = {scene, p, impulses, p->ask.last->h > 0.0 ? p->ask.h / p->ask.last->h : 0.0};
    rg_parallel_for(thread_pool, p->ask.contacts->npairs, CHUNK, recall_pairs, &task);
    rg_parallel_for(thread_pool, p->npatches, CHUNK, guess_patches, &task);
}

/* ------------------------------------------------------------------ memory for the next step */

/* Stores the moments of torsion and rolling friction with the pairs of the memory. */
static void store_moments(const RgContactProblem *p, RgContactMemory *next)
{
    int32_t at = 0, seek = 0;
    for (int32_t k = 0; k < p->ask.contacts->npairs && p->turning != NULL; k++) {
        const RgShapeContacts *pair = &p->ask.contacts->pairs[k];
        int32_t patch = first_patch(p, k, &at);
        RgVec3 sum = v3_zero();
        for (int32_t i = patch; patch >= 0 && i < at; i++)
            sum = v3_add(sum, p->turning[i].moment);
        if (rg_contact_memory_seek(next, pair->shape_a.i, pair->shape_b.i, &seek) != NULL)
            next->pairs[seek].moment = sum;
    }
}

/* Stores impulses of rows by slot: bounded rows, then bilateral ones if the solver has them as rows. Rows of sleeping
   bodies keep their old impulses. Returns false if out of memory. */
static bool store_rows(const RgContactSetup *setup, RgContactProblem *p, const RgAllocator *allocator,
                       RgContactMemory *next)
{
    const RgRows *joints = &setup->constraints->rows;
    bool joint_rows = setup->solver->solve_patches == NULL;
    int room = rg_bounded_room(setup->bounded), slots = room + (joint_rows ? joints->room : 0);
    next->h = p->ask.h;
    next->nrows = 0;
    next->nreported = 0;
    if (!joint_rows && p->nrows + p->nprescribed_rows + p->nasleep_rows == 0)
        return true;
    if (!rg_contact_memory_reserve(next, allocator, (RgContactCounts){.rows = slots}))
        return false;
    next->nrows = slots;
    for (int i = 0; i < slots; i++)
        next->rows[i] = 0.0;
    for (int i = 0; joint_rows && i < joints->n; i++)
        next->rows[room + i] =
            rg_row_is_asleep(setup, &joints->row[i]) ? rg_warm_start_impulse(&p->ask, room + i) : p->joint_impulses[i];
    int moving = p->nrows + p->nprescribed_rows;
    for (int k = moving; k < moving + p->nasleep_rows; k++)
        p->rows[k].z = rg_warm_start_impulse(&p->ask, p->rows[k].slot);
    for (int k = 0; k < moving + p->nasleep_rows; k++)
        next->rows[p->rows[k].slot] = p->rows[k].z;
    return true;
}

bool rg_warm_start_store(const RgContactSetup *setup, RgContactScene *scene, RgContactProblem *p,
                         const RgVec3 *impulses, const RgAllocator *allocator, RgContactMemory *next)
{
    if (!store_rows(setup, p, allocator, next))
        return false;
    if (scene != NULL && !rg_contact_scene_remember(scene, p->ask.contacts, p->ask.last, impulses, next))
        return false;
    store_moments(p, next);
    return true;
}
