/*
 * contact_warm.c - impulses of the last step as the first guess of this one.
 *
 * A contact is known by its two shapes and its id, or else its place on the first shape; a pair has few
 * contacts, so they are compared one by one. Impulses are kept in world axes, since frames turn; a step of
 * another length takes them in proportion. A guess outside its cone is brought back into it.
 */
#include "base/parallel_for.h"
#include "constraint/contact_stage.h"

#include <string.h>

/* Pairs or patches that a thread takes at a time. */
#define CHUNK 64

/* Impulse on B in the axes of a patch, made to lie in its cone. */
static void guess(const RgPatch *patch, RgVec3 impulse, double z[3])
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

/* Most contacts of a pair that are told apart by place. */
#define PLACES 64
/* A contact is the one of the last step at the same place, to within this part of the pair's reach. */
#define SAME_PLACE 0.05

/* A pair of shapes whose contacts were made anew, and its old ones. */
typedef struct Match {
    const RgContactPoint *points;
    const RgRememberedPoint *known;
    int32_t npoints, nknown;
    const RgPose *X_WA;
    double reach;
    RgVec3 *impulses;
} Match;

/* Those of the same id. Marks the points and old ones that are matched. */
static void match_ids(const Match *m, uint64_t *done, uint64_t *used)
{
    for (int32_t i = 0; i < m->npoints; i++)
        for (int32_t k = 0; k < m->nknown; k++)
            if (m->known[k].id == m->points[i].id) {
                m->impulses[i] = m->known[k].impulse;
                *done |= i < PLACES ? UINT64_C(1) << i : 0;
                *used |= k < PLACES ? UINT64_C(1) << k : 0;
            }
}

/* The others by place: where edges lie on edges, which of them is named is round-off. */
static void match_places(const Match *m, uint64_t done, uint64_t used)
{
    for (int32_t i = 0; i < m->npoints && i < PLACES; i++) {
        if (done >> i & 1)
            continue;
        double best = SAME_PLACE * m->reach;
        int32_t nearest = -1;
        for (int32_t k = 0; k < m->nknown && k < PLACES; k++) {
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

/* Impulses of one pair's points: as remembered, or by id, or by place. */
static void recall(const RgContactScene *scene, const RgContactMemory *memory, const RgContactView *contacts,
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
                   .nknown = old->npoints,
                   .X_WA = &scene->X_WS[pair->shape_a.i - 1],
                   .reach = old->reach,
                   .impulses = impulses + first};
    uint64_t done = 0, used = 0;
    match_ids(&match, &done, &used);
    match_places(&match, done, used);
}

/* The first patch of each pair, which stands for it where moments are kept; -1: it has none. Patches come in
   the order of the pairs; *at: where to look. */
static int32_t first_patch(const RgContactStage *stage, const RgContactView *contacts, int32_t pair,
                           int32_t *at)
{
    const RgShapeContacts *found = &contacts->pairs[pair];
    const RgManifold *last = &contacts->manifolds[found->first_manifold + found->nmanifolds - 1];
    int32_t first = *at, end = last->first + last->count;
    while (*at < stage->problem.npatches && stage->point[*at][0] < end)
        (*at)++;
    return *at > first ? first : -1;
}

/* Moments of torsion and rolling of the last step. */
static void recall_moments(RgContactStage *stage, const RgContactScene *scene, const RgContactView *contacts,
                           const RgContactStep *step)
{
    const RgContactMemory *memory = step->last;
    double scale = memory->h > 0.0 ? step->h / memory->h : 0.0;
    int32_t at = 0;
    for (int32_t k = 0; k < contacts->npairs; k++) {
        int32_t known = scene->found.origin[k].known, patch = first_patch(stage, contacts, k, &at);
        if (known >= 0 && patch >= 0)
            stage->patch_moment[patch] = v3_scale(scale, memory->pairs[known].moment);
    }
}

void rg_warm_moments_keep(const RgContactStage *stage, const RgContactView *contacts, RgContactMemory *next)
{
    int32_t at = 0, seek = 0;
    for (int32_t k = 0; k < contacts->npairs && stage->surfaces.turns; k++) {
        const RgShapeContacts *pair = &contacts->pairs[k];
        int32_t patch = first_patch(stage, contacts, k, &at);
        RgVec3 sum = v3_zero();
        for (int32_t i = patch; patch >= 0 && i < at; i++)
            sum = v3_add(sum, stage->patch_moment[i]);
        if (rg_contact_memory_seek(next, pair->shape_a.i, pair->shape_b.i, &seek) != NULL)
            next->pairs[seek].moment = sum;
    }
}

/* First guesses while they are made. */
typedef struct Task {
    RgContactStage *stage;
    const RgContactScene *scene;
    const RgContactView *contacts;
    const RgContactMemory *memory;
    double scale;
} Task;

static void recall_pairs(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const Task *t = context;
    for (int32_t k = first; k < end; k++)
        recall(t->scene, t->memory, t->contacts, k, t->stage->point_impulses);
}

static void guess_patches(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const Task *t = context;
    for (int32_t k = first; k < end; k++) {
        RgPatch *patch = &t->stage->problem.patches[k];
        for (int i = 0; i < patch->count; i++)
            guess(patch, v3_scale(t->scale, t->stage->point_impulses[t->stage->point[k][i]]), patch->z[i]);
    }
}

void rg_warm_begin(RgContactStage *stage, const RgContactScene *scene, const RgContactView *contacts,
                   const RgContactStep *step)
{
    if (stage->surfaces.turns)
        recall_moments(stage, scene, contacts, step);
    const RgContactMemory *memory = step->last;
    Task task = {stage, scene, contacts, memory, memory->h > 0.0 ? step->h / memory->h : 0.0};
    rg_parallel_for(stage->form->crew, contacts->npairs, CHUNK, recall_pairs, &task);
    rg_parallel_for(stage->form->crew, stage->problem.npatches, CHUNK, guess_patches, &task);
}

/* Impulses of patches as vectors at their points. */
static void keep_patches(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    RgContactStage *stage = context;
    for (int32_t k = first; k < end; k++) {
        const RgPatch *patch = &stage->problem.patches[k];
        for (int i = 0; i < patch->count; i++) {
            const double *z = patch->z[i];
            RgVec3 along = v3_axpy(z[1], patch->axis[0], v3_scale(z[2], patch->axis[1]));
            stage->point_impulses[stage->point[k][i]] = v3_axpy(z[0], patch->axis[2], along);
        }
    }
}

void rg_warm_end(RgContactStage *stage, const RgContactView *contacts)
{
    memset(stage->point_impulses, 0, (size_t)contacts->npoints * sizeof *stage->point_impulses);
    rg_parallel_for(stage->form->crew, stage->problem.npatches, CHUNK, keep_patches, stage);
}

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

double rg_warm_slot(const RgContactStep *step, int32_t slot)
{
    const RgContactMemory *memory = step->last;
    double scale = memory->h > 0.0 ? step->h / memory->h : 0.0;
    return slot < memory->nrows ? scale * memory->rows[slot] : 0.0;
}

void rg_warm_rows_begin(RgContactStage *stage, const RgContactStep *step)
{
    for (int i = 0; i < stage->nrows; i++) {
        RgBoundedRow *row = &stage->rows[i];
        row->z = clamp(rg_warm_slot(step, row->slot), row->low, row->high);
    }
}

bool rg_warm_rows_keep(RgContactStage *stage, const RgContactStep *step)
{
    RgContactMemory *next = step->next;
    next->h = step->h;
    next->nrows = 0;
    next->ntold = 0;
    if (stage->nrows + stage->nresting == 0)
        return true;
    if (!rg_contact_memory_reserve(next, &stage->problem_memory.allocator,
                                   (RgContactCounts){.rows = stage->row_room}))
        return false;
    next->nrows = stage->row_room;
    for (int32_t i = 0; i < next->nrows; i++)
        next->rows[i] = 0.0;
    for (int i = 0; i < stage->nrows; i++)
        next->rows[stage->rows[i].slot] = stage->rows[i].z;
    for (int i = stage->nrows; i < stage->nrows + stage->nresting; i++)
        next->rows[stage->rows[i].slot] = stage->rows[i].z = rg_warm_slot(step, stage->rows[i].slot);
    return true;
}
