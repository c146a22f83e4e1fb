/*
 * contact_memory.c - contacts of the last step that are recalled instead of computed again.
 *
 * Shapes at rest would get the same contact points in every step. So a pair stores its manifolds, each point on A in
 * the frame of A and on B in that of B, and the pose X_AB at which they were computed. While no point of B near the
 * contact has moved against A by more than STILL_FRACTION of the smaller shape's size,
 *
 *   |p - p0| + |R - R0| max(reach, size)  <=  STILL_FRACTION size           (Frobenius norm: at least the angle)
 *
 * with reach the largest distance of the points from the origin of B, the stored points move along with the shapes. The
 * rotation is multiplied by the size too, because it turns the normal even if the contact is at the origin of B. The
 * gaps n.(b - a) are exact to first order in that motion, and the points are off by no more than it. Contacts of shapes
 * that slide, roll or turn are computed anew.
 */
#include "contact/contact_memory.h"

#include "base/alloc.h"

/* Equals the relative tolerance of impulses of solver quick by default: points need no higher accuracy. */
#define STILL_FRACTION 1e-5

void rg_contact_memory_free(RgContactMemory *memory, const RgAllocator *allocator)
{
    rg_free(allocator, memory->pairs);
    rg_free(allocator, memory->manifolds);
    rg_free(allocator, memory->points);
    rg_free(allocator, memory->rows);
    rg_free(allocator, memory->told);
}

const RgRememberedPair *rg_contact_memory_seek(const RgContactMemory *memory, int32_t shape_a, int32_t shape_b,
                                               int32_t *at)
{
    const RgRememberedPair *p = memory->pairs;
    while (*at < memory->npairs &&
           (p[*at].shape_a < shape_a || (p[*at].shape_a == shape_a && p[*at].shape_b < shape_b)))
        (*at)++;
    bool found = *at < memory->npairs && p[*at].shape_a == shape_a && p[*at].shape_b == shape_b;
    return found ? &p[*at] : NULL;
}

int32_t rg_contact_memory_before(const RgContactMemory *memory, int32_t shape_a, int32_t shape_b)
{
    int32_t low = 0, high = memory->npairs;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        const RgRememberedPair *p = &memory->pairs[middle];
        if (p->shape_a < shape_a || (p->shape_a == shape_a && p->shape_b < shape_b))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Number of such a point; -1: not found. */
static int32_t find_point(const RgContactMemory *memory, int32_t shape_a, int32_t shape_b, uint64_t id)
{
    int32_t at = rg_contact_memory_before(memory, shape_a, shape_b);
    const RgRememberedPair *pair = rg_contact_memory_seek(memory, shape_a, shape_b, &at);
    for (int32_t i = 0; pair != NULL && i < pair->npoints; i++)
        if (memory->points[pair->first_point + i].id == id)
            return pair->first_point + i;
    return -1;
}

const RgRememberedPoint *rg_contact_memory_point(const RgContactMemory *memory, int32_t shape_a, int32_t shape_b,
                                                 uint64_t id)
{
    int32_t i = find_point(memory, shape_a, shape_b, id);
    return i >= 0 ? &memory->points[i] : NULL;
}

void rg_contact_memory_clear_impulse(RgContactMemory *memory, int32_t shape_a, int32_t shape_b, uint64_t id)
{
    int32_t i = find_point(memory, shape_a, shape_b, id);
    if (i >= 0)
        memory->points[i].impulse = v3_zero();
}

/* Tests whether a pair is at rest. The translation is tested first: it excludes most moving pairs. */
static bool is_still(const RgRememberedPair *pair, const RgPose *X_WA, const RgPose *X_WB, double size)
{
    RgVec3 p = m3_apply_t(X_WA->R, v3_sub(X_WB->p, X_WA->p));
    double way = v3_norm(v3_sub(p, pair->X_AB.p)), turn2 = 0.0;
    if (!(way <= STILL_FRACTION * size))
        return false;
    RgMat3 R = m3_mul_t(X_WA->R, X_WB->R);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double d = R.m[i][j] - pair->X_AB.R.m[i][j];
            turn2 += d * d;
        }
    return way + sqrt(turn2) * num_max(pair->reach, size) <= STILL_FRACTION * size;
}

bool rg_contact_memory_recall(const RgContactMemory *memory, const RgRememberedPair *pair, const RgPose *X_WA,
                              const RgPose *X_WB, double size, RgContactBuffer *out)
{
    if (!is_still(pair, X_WA, X_WB, size))
        return false;
    for (int32_t k = 0; k < pair->nmanifolds; k++) {
        const RgRememberedManifold *m = &memory->manifolds[pair->first_manifold + k];
        RgVec3 n = m3_apply(X_WA->R, m->normal_A);
        RgManifold *to = &out->manifolds[out->nmanifolds++];
        *to = (RgManifold){n, INFINITY, m->touch, m->part_a, m->part_b, out->npoints, m->count};
        for (int32_t i = 0; i < m->count; i++) {
            const RgRememberedPoint *p = &memory->points[m->first + i];
            RgVec3 a = pose_apply(*X_WA, p->point_A), b = pose_apply(*X_WB, p->point_B);
            double gap = v3_dot(n, v3_sub(b, a));
            to->distance = gap < to->distance ? gap : to->distance;
            out->points[out->npoints++] = (RgContactPoint){a, b, n, gap, p->id, p->feature_a, p->feature_b};
        }
    }
    return true;
}

static bool grow(const RgAllocator *allocator, void **block, int32_t *room, int32_t larger, size_t size)
{
    if (larger <= *room)
        return true;
    void *moved = rg_realloc(allocator, *block, (size_t)*room, (size_t)larger, size);
    if (moved == NULL)
        return false;
    *block = moved;
    *room = larger;
    return true;
}

/* Grows all arrays to at least these capacities. */
static bool grow_all(RgContactMemory *memory, const RgAllocator *allocator, RgContactCounts rooms)
{
    void *p = memory->pairs, *m = memory->manifolds, *q = memory->points, *r = memory->rows, *t = memory->told;
    bool done = grow(allocator, &p, &memory->pair_room, rooms.pairs, sizeof *memory->pairs) &&
                grow(allocator, &m, &memory->manifold_room, rooms.manifolds, sizeof *memory->manifolds) &&
                grow(allocator, &q, &memory->point_room, rooms.points, sizeof *memory->points) &&
                grow(allocator, &r, &memory->row_room, rooms.rows, sizeof *memory->rows) &&
                grow(allocator, &t, &memory->reported_room, rooms.told, sizeof *memory->told);
    memory->pairs = p;
    memory->manifolds = m;
    memory->points = q;
    memory->rows = r;
    memory->told = t;
    return done;
}

/* New capacity: twice what is needed if the present one is too small. */
static int32_t new_capacity(int32_t needed, int32_t room)
{
    return needed > room ? 2 * needed : room;
}

bool rg_contact_memory_reserve(RgContactMemory *memory, const RgAllocator *allocator, RgContactCounts counts)
{
    return grow_all(memory, allocator,
                    (RgContactCounts){.pairs = new_capacity(counts.pairs, memory->pair_room),
                                      .manifolds = new_capacity(counts.manifolds, memory->manifold_room),
                                      .points = new_capacity(counts.points, memory->point_room),
                                      .rows = new_capacity(counts.rows, memory->row_room),
                                      .told = new_capacity(counts.told, memory->reported_room)});
}

bool rg_contact_memory_match(RgContactMemory *memory, const RgAllocator *allocator, const RgContactMemory *other)
{
    return grow_all(memory, allocator,
                    (RgContactCounts){.pairs = other->pair_room,
                                      .manifolds = other->manifold_room,
                                      .points = other->point_room,
                                      .rows = other->row_room,
                                      .told = other->reported_room});
}

void rg_contact_memory_clear(RgContactMemory *memory)
{
    memory->npairs = memory->nmanifolds = memory->npoints = memory->nrows = memory->nreported = 0;
    memory->stamp = 0;
    memory->h = 0.0;
    memory->draws = 0;
}

void rg_contact_memory_store(RgContactMemory *memory, RgContactCounts *at, const RgContactView *contacts,
                             const RgShapeContacts *pair, const RgPose X[2], const RgVec3 *impulses)
{
    RgRememberedPair *to = &memory->pairs[at->pairs++];
    *to = (RgRememberedPair){.shape_a = pair->shape_a.i,
                             .shape_b = pair->shape_b.i,
                             .first_manifold = at->manifolds,
                             .nmanifolds = pair->nmanifolds,
                             .first_point = at->points,
                             .X_AB = pose_relative(X[0], X[1])};
    double reach2 = 0.0;
    for (int32_t k = 0; k < pair->nmanifolds; k++) {
        const RgManifold *m = &contacts->manifolds[pair->first_manifold + k];
        memory->manifolds[at->manifolds++] =
            (RgRememberedManifold){m3_apply_t(X[0].R, m->normal), m->touch, m->part_a, m->part_b, at->points, m->count};
        for (int32_t i = m->first; i < m->first + m->count; i++) {
            const RgContactPoint *p = &contacts->points[i];
            RgVec3 a = m3_apply_t(X[0].R, v3_sub(p->point_a, X[0].p));
            RgVec3 b = m3_apply_t(X[1].R, v3_sub(p->point_b, X[1].p));
            reach2 = num_max(reach2, v3_norm2(b));
            memory->points[at->points++] = (RgRememberedPoint){a, b, p->id, p->feature_a, p->feature_b, impulses[i]};
        }
    }
    to->npoints = at->points - to->first_point;
    to->reach = sqrt(reach2);
}

void rg_contact_memory_copy(RgContactMemory *memory, RgContactCounts *at, const RgContactMemory *last,
                            const RgRememberedPair *old, const RgVec3 *impulses)
{
    RgRememberedPair *to = &memory->pairs[at->pairs++];
    *to = *old;
    to->first_manifold = at->manifolds;
    to->first_point = at->points;
    int32_t shift = to->first_point - old->first_point;
    double scale = last->h > 0.0 ? memory->h / last->h : 0.0;
    to->moment = v3_scale(scale, to->moment);
    for (int32_t k = 0; k < old->nmanifolds; k++) {
        RgRememberedManifold *m = &memory->manifolds[at->manifolds++];
        *m = last->manifolds[old->first_manifold + k];
        m->first += shift;
    }
    for (int32_t i = 0; i < old->npoints; i++) {
        RgRememberedPoint *p = &memory->points[at->points++];
        *p = last->points[old->first_point + i];
        p->impulse = impulses != NULL ? impulses[i] : v3_scale(scale, p->impulse);
    }
}
