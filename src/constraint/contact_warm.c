/*
 * contact_warm.c - impulses of the last step as the first guess of this one.
 *
 * A contact is known by its two shapes and its id. Both lists are in the order of the shapes; within a pair of shapes,
 * which has few contacts, ids are compared one by one. Impulses are kept in world axes, since frames turn; a step of
 * another length takes them in proportion. A guess outside its cone is brought back into it.
 */
#include "constraint/contact_stage.h"

#include "base/alloc.h"

/* First entry of the pair of shapes, from position at on. */
static int32_t seek(const RgWarmStart *warm, int32_t at, int32_t a, int32_t b)
{
    while (at < warm->count &&
           (warm->contact[at].shape_a < a || (warm->contact[at].shape_a == a && warm->contact[at].shape_b < b)))
        at++;
    return at;
}

static const RgWarmContact *find(const RgWarmStart *warm, int32_t at, const RgShapeContacts *pair, uint64_t id)
{
    for (; at < warm->count && warm->contact[at].shape_a == pair->shape_a.i &&
           warm->contact[at].shape_b == pair->shape_b.i;
         at++)
        if (warm->contact[at].id == id)
            return &warm->contact[at];
    return NULL;
}

/* Pair of shapes that a point of the view belongs to: pairs are in the order of the points. */
static int32_t pair_of(const RgContactView *contacts, int32_t pair, int32_t point)
{
    for (;; pair++) {
        const RgShapeContacts *p = &contacts->pairs[pair];
        const RgManifold *last = &contacts->manifolds[p->first_manifold + p->nmanifolds - 1];
        if (point < last->first + last->count)
            return pair;
    }
}

/* Impulse on B in the axes of a patch, made to lie in its cone. */
static void guess(const RgPatch *patch, RgVec3 impulse, double z[3])
{
    double n = v3_dot(patch->axis[2], impulse), a = v3_dot(patch->axis[0], impulse);
    double b = v3_dot(patch->axis[1], impulse);
    n = n > 0.0 ? n : 0.0;
    double reach = n * patch->mu[0] * patch->mu[1], x = a * patch->mu[1], y = b * patch->mu[0];
    double length = sqrt(x * x + y * y), back = length > reach ? reach / length : 1.0;
    z[0] = n;
    z[1] = back * a;
    z[2] = back * b;
}

void rg_warm_begin(RgContactStage *stage, const RgContactView *contacts, double h, const RgWarmStart *warm)
{
    double scale = warm->h > 0.0 ? h / warm->h : 0.0;
    int32_t pair = 0, at = 0;
    for (int32_t k = 0; k < stage->problem.npatches; k++) {
        RgPatch *patch = &stage->problem.patches[k];
        pair = pair_of(contacts, pair, stage->point[k][0]);
        const RgShapeContacts *shapes = &contacts->pairs[pair];
        at = seek(warm, at, shapes->shape_a.i, shapes->shape_b.i);
        for (int i = 0; i < patch->count; i++) {
            const RgWarmContact *known = find(warm, at, shapes, contacts->points[stage->point[k][i]].id);
            if (known != NULL)
                guess(patch, v3_scale(scale, known->impulse), patch->z[i]);
        }
    }
}

bool rg_warm_keep(RgContactStage *stage, const RgContactView *contacts, double h, RgWarmStart *warm)
{
    int32_t needed = 0, pair = 0;
    for (int32_t k = 0; k < stage->problem.npatches; k++)
        needed += stage->problem.patches[k].count;
    if (needed > warm->capacity) {
        RgWarmContact *grown = rg_realloc(&stage->problem_memory.allocator, warm->contact, (size_t)warm->capacity,
                                          2 * (size_t)needed, sizeof *grown);
        if (grown == NULL)
            return false;
        warm->contact = grown;
        warm->capacity = 2 * needed;
    }
    warm->count = 0;
    warm->h = h;
    for (int32_t k = 0; k < stage->problem.npatches; k++) {
        const RgPatch *patch = &stage->problem.patches[k];
        pair = pair_of(contacts, pair, stage->point[k][0]);
        for (int i = 0; i < patch->count; i++) {
            const double *z = patch->z[i];
            RgVec3 impulse = v3_axpy(z[1], patch->axis[0], v3_scale(z[2], patch->axis[1]));
            warm->contact[warm->count++] =
                (RgWarmContact){contacts->pairs[pair].shape_a.i, contacts->pairs[pair].shape_b.i,
                                contacts->points[stage->point[k][i]].id, v3_axpy(z[0], patch->axis[2], impulse)};
        }
    }
    return true;
}
