/*
 * contact_scene.c - the collision shapes of a model in one space, and the filters that its links and joints
 * imply.
 *
 * Owners in the space are links (the world is one more, after them), bodies are the model's moving bodies: so
 * what is welded together never meets. For every joint between two bodies each link of the one is excluded
 * against each link of the other: a hinge keeps its two sides in touch by design. The world is no neighbour
 * as a whole: a robot bolted to the floor may fall on the floor. There the neighbours are the links of the
 * parent's own group that are welded to the world, its base.
 *
 * Cost: links^2 in the worst case for the neighbours, once. A search is broad phase, then a manifold a pair;
 * nothing is allocated once the buffers have grown to what the scene needs.
 */
#include "contact/contact_scene.h"

#include "base/alloc.h"
#include "base/status.h"

#include <string.h>

#define FIRST_POINTS 256
#define FIRST_PAIRS 64
/* So many shapes back one of the same form is looked for. */
#define TWINS 8

/* ------------------------------------------------------------------ who may touch whom */

/* Links that carry collision shapes, gathered by body. */
static int owner_of(const RgModel *m, RgLinkId link)
{
    return link.i > 0 ? link.i - 1 : m->nlinks;
}

/* Number of a link's group: that of the first link with the same group name; -1: none. */
static int group_of(const RgModel *m, int link)
{
    const char *group = m->links[link].def.group;
    if (group == NULL)
        return -1;
    for (int i = 0; i < link; i++)
        if (m->links[i].def.group != NULL && strcmp(m->links[i].def.group, group) == 0)
            return i;
    return link;
}

static bool same_group(const RgModel *m, int a, int b)
{
    const char *x = m->links[a].def.group, *y = m->links[b].def.group;
    return x == y || (x != NULL && y != NULL && strcmp(x, y) == 0);
}

/* Whether a link is welded to another: of its body, and where that is the world, of its group too. */
static bool welded(const RgModel *m, int link, int to)
{
    if (link == to)
        return true;
    return m->links[link].body == m->links[to].body && (m->links[to].body >= 0 || same_group(m, link, to));
}

/* Neither side of a joint touches the other. */
static RgStatus exclude_neighbours(RgContactScene *scene, const RgJointDef *joint)
{
    const RgModel *m = scene->model;
    if (joint->parent.i <= 0 || joint->child.i <= 0)
        return RG_OK;
    int parent = joint->parent.i - 1, child = joint->child.i - 1;
    if (m->links[parent].body == m->links[child].body)
        return RG_OK;
    RgStatus status = RG_OK;
    for (int a = 0; a < m->nlinks && status == RG_OK; a++) {
        if (!welded(m, a, parent))
            continue;
        for (int b = 0; b < m->nlinks && status == RG_OK; b++)
            if (welded(m, b, child))
                status = rg_space_exclude(scene->space, a, b);
    }
    return status;
}

static RgStatus fill_filter(RgContactScene *scene)
{
    const RgModel *m = scene->model;
    RgStatus status = RG_OK;
    for (int j = 0; j < m->njoints && status == RG_OK; j++)
        status = exclude_neighbours(scene, &m->joints[j].def);

    /* What the model says of pairs comes last, and so counts. */
    int npairs = rg_model_info(m).collision_pairs;
    for (int k = 0; k < npairs && status == RG_OK; k++) {
        RgCollisionPairDef pair = rg_model_collision_pair(m, k);
        int a = owner_of(m, pair.link_a), b = owner_of(m, pair.link_b);
        status = pair.collide ? rg_space_include(scene->space, a, b) : rg_space_exclude(scene->space, a, b);
    }
    return status;
}

/* ------------------------------------------------------------------ life */

/* What stands for a shape, by whether its link moves. */
static RgShapeDef shape_to_use(const RgModel *m, const RgShapeDef *def)
{
    RgShapeDef use = *def;
    bool moves = def->link.i > 0 && m->links[def->link.i - 1].body >= 0;
    if (use.mesh_use == RG_MESH_AUTO)
        use.mesh_use = moves ? RG_MESH_PARTS : RG_MESH_SURFACE;
    return use;
}

static bool has_geometry(const RgShapeDef *def)
{
    bool from_file = def->uri != NULL && def->mesh.nvertices == 0;
    return !def->is_visual && !def->uri_missing && !from_file;
}

/* An earlier shape that is the same primitive, and so can share its geometry; -1: none of the last few. */
static int twin_of(const RgModel *m, int i)
{
    const RgShapeDef *def = &m->shapes[i].def;
    if (def->mesh.nvertices > 0 || def->heights != NULL)
        return -1;
    for (int j = i - 1; j >= 0 && j >= i - TWINS; j--) {
        const RgShapeDef *other = &m->shapes[j].def;
        if (has_geometry(other) && other->type == def->type && memcmp(other->size, def->size, sizeof def->size) == 0)
            return j;
    }
    return -1;
}

static RgStatus add_shape(RgContactScene *scene, int i, RgError *error)
{
    const RgModel *m = scene->model;
    const RgShapeDef *def = &m->shapes[i].def;
    int link = def->link.i - 1;
    RgShapeDef use = shape_to_use(m, def);
    RgError why;
    int twin = twin_of(m, i);
    RgStatus status = RG_OK;
    if (twin >= 0)
        scene->geometry[i] = scene->geometry[twin];
    else
        status = rg_geometry_create(&use, &scene->allocator, &scene->geometry[i], &why);
    if (status != RG_OK)
        return rg_fail(error, status, m->file, def->line, "%s%s%s, shape '%s': %s", link >= 0 ? "link '" : "",
                       link >= 0 ? m->links[link].def.name : "world", link >= 0 ? "'" : "",
                       def->name != NULL ? def->name : "", why.text);
    RgGeometryInfo info = rg_geometry_info(scene->geometry[i]);
    scene->ball_centre[i] = isfinite(info.radius) ? info.centre : v3_zero();
    scene->ball_radius[i] = isfinite(info.radius) ? info.radius : 0.0;
    RgColliderDef collider = rg_collider_def_default();
    collider.geometry = scene->geometry[i];
    collider.X_WG = scene->X_BS[i];
    collider.key = (uint64_t)i;
    collider.owner = owner_of(m, def->link);
    collider.category = def->category;
    collider.mask = def->mask;
    if (link >= 0) {
        collider.body = m->links[link].body;
        collider.group = group_of(m, link);
        collider.self_collide = m->links[link].def.self_collide;
    }
    status = rg_space_add(scene->space, &collider, &scene->collider[i]);
    if (status != RG_OK)
        rg_fail(error, status, m->file, def->line, "shape '%s' cannot be placed",
                def->name != NULL ? def->name : "");
    return status;
}

static RgStatus furnish(RgContactScene *scene, RgError *error)
{
    const RgModel *m = scene->model;
    RgSpaceDef space = rg_space_def_default();
    space.allocator = scene->allocator;
    scene->space = rg_space_create(&space);
    scene->geometry = rg_alloc(&scene->allocator, (size_t)m->nshapes, sizeof *scene->geometry);
    scene->collider = rg_alloc(&scene->allocator, (size_t)m->nshapes, sizeof *scene->collider);
    scene->velocity = rg_alloc(&scene->allocator, (size_t)m->nshapes, sizeof *scene->velocity);
    scene->spin = rg_alloc(&scene->allocator, (size_t)m->nshapes, sizeof *scene->spin);
    scene->ball_centre = rg_alloc(&scene->allocator, (size_t)m->nshapes, sizeof *scene->ball_centre);
    scene->ball_radius = rg_alloc(&scene->allocator, (size_t)m->nshapes, sizeof *scene->ball_radius);
    scene->body = rg_alloc(&scene->allocator, (size_t)m->nshapes, sizeof *scene->body);
    scene->X_BS = rg_alloc(&scene->allocator, (size_t)m->nshapes, sizeof *scene->X_BS);
    if (scene->space == NULL || scene->body == NULL || scene->X_BS == NULL || scene->geometry == NULL || scene->collider == NULL || scene->velocity == NULL ||
        scene->spin == NULL || scene->ball_centre == NULL || scene->ball_radius == NULL)
        return rg_fail(error, RG_ERR_MEMORY, NULL, 0, "out of memory");
    for (int i = 0; i < m->nshapes; i++) {
        int link = m->shapes[i].def.link.i - 1;
        scene->body[i] = link >= 0 ? m->links[link].body : -1;
        scene->X_BS[i] = link >= 0 ? pose_mul(m->links[link].X_BL, m->shapes[i].def.X_LS) : m->shapes[i].def.X_LS;
        RgStatus status = has_geometry(&m->shapes[i].def) ? add_shape(scene, i, error) : RG_OK;
        if (status != RG_OK)
            return status;
    }
    RgStatus status = fill_filter(scene);
    return status == RG_OK ? RG_OK
                           : rg_fail(error, status, NULL, 0, "collision filter: %s", rg_status_text(status));
}

RgContactScene *rg_contact_scene_create(const RgModel *model, const RgAllocator *allocator, RgError *error)
{
    RgContactScene *scene = rg_alloc(allocator, 1, sizeof *scene);
    if (scene == NULL) {
        rg_fail(error, RG_ERR_MEMORY, NULL, 0, "out of memory");
        return NULL;
    }
    scene->model = model;
    scene->allocator = *allocator;
    if (furnish(scene, error) != RG_OK) {
        rg_contact_scene_destroy(scene);
        return NULL;
    }
    return scene;
}

void rg_contact_scene_destroy(RgContactScene *scene)
{
    if (scene == NULL)
        return;
    RgAllocator allocator = scene->allocator;
    rg_space_destroy(scene->space);
    for (int i = 0; scene->geometry != NULL && i < scene->model->nshapes; i++)
        if (twin_of(scene->model, i) < 0)
            rg_geometry_destroy(scene->geometry[i]);
    rg_free(&allocator, scene->geometry);
    rg_free(&allocator, scene->collider);
    rg_free(&allocator, scene->velocity);
    rg_free(&allocator, scene->spin);
    rg_free(&allocator, scene->ball_centre);
    rg_free(&allocator, scene->ball_radius);
    rg_free(&allocator, scene->body);
    rg_free(&allocator, scene->X_BS);
    rg_free(&allocator, scene->buffer.points);
    rg_free(&allocator, scene->buffer.manifolds);
    rg_free(&allocator, scene->pairs);
    rg_free(&allocator, scene->origin);
    rg_free(&allocator, scene);
}

/* ------------------------------------------------------------------ questions */

/* How a shape moves: the centre of its ball, and its turning. */
static void set_velocity(RgContactScene *scene, int shape, const RgPose *X_WS, const RgPose *X_WB,
                         const RgMotion *V)
{
    RgVec3 centre = pose_apply(*X_WS, scene->ball_centre[shape]);
    scene->velocity[shape] = v3_add(V->v, v3_cross(V->w, v3_sub(centre, X_WB->p)));
    scene->spin[shape] = v3_norm(V->w) * scene->ball_radius[shape];
}

RgStatus rg_contact_scene_place(RgContactScene *scene, const RgKin *kin)
{
    RgStatus status = RG_OK;
    for (int i = 0; i < scene->model->nshapes && status == RG_OK; i++) {
        int body = scene->body[i];
        if (scene->collider[i].i == 0 || body < 0)
            continue;
        RgPose X_WS = pose_mul(kin->X_WB[body], scene->X_BS[i]);
        set_velocity(scene, i, &X_WS, &kin->X_WB[body], &kin->V[body]);
        status = rg_space_move(scene->space, scene->collider[i], &X_WS);
    }
    return status;
}

static int32_t shape_number(const RgContactScene *scene, RgColliderId collider)
{
    return (int32_t)rg_space_collider(scene->space, collider)->key + 1;
}

/* What a question about one pair means for all: two surfaces do not meet; an answer whose error is larger
   than promised still holds, and is counted. */
static RgStatus settle(RgStatus status, int32_t *unsure)
{
    if (status == RG_ERR_NOT_CONVERGED)
        (*unsure)++;
    return status == RG_ERR_NOT_CONVERGED || status == RG_ERR_UNSUPPORTED ? RG_OK : status;
}

/* Doubles a buffer, or begins one. */
static bool grow(const RgAllocator *allocator, void **block, int32_t *capacity, int32_t first, size_t size)
{
    int32_t larger = *capacity > 0 ? 2 * *capacity : first;
    void *moved = rg_realloc(allocator, *block, (size_t)*capacity, (size_t)larger, size);
    if (moved == NULL)
        return false;
    *block = moved;
    *capacity = larger;
    return true;
}

static bool grow_buffer(RgContactScene *scene)
{
    RgContactBuffer *buffer = &scene->buffer;
    void *points = buffer->points, *manifolds = buffer->manifolds;
    bool grown =
        grow(&scene->allocator, &points, &buffer->point_capacity, FIRST_POINTS, sizeof(RgContactPoint));
    buffer->points = points;
    grown = grown &&
            grow(&scene->allocator, &manifolds, &buffer->manifold_capacity, FIRST_PAIRS, sizeof(RgManifold));
    buffer->manifolds = manifolds;
    return grown;
}

/* One pair while it is searched. */
typedef struct Ask {
    RgManifoldOptions options;
    const RgContactMemory *memory; /* may be NULL */
    const RgRememberedPair *known; /* in it; may be NULL */
} Ask;

/* The manifolds of one pair behind those in the buffer, which grows until they fit: recalled or made. */
static RgStatus find_pair(RgContactScene *scene, RgColliderPair pair, const Ask *ask, bool *recalled)
{
    RgPlaced a = rg_space_placed(scene->space, pair.a), b = rg_space_placed(scene->space, pair.b);
    RgContactBuffer *buffer = &scene->buffer;
    int32_t npoints = buffer->npoints, nmanifolds = buffer->nmanifolds;
    const RgRememberedPair *known = ask->known;
    while (known != NULL && (npoints + known->npoints > buffer->point_capacity ||
                             nmanifolds + known->nmanifolds > buffer->manifold_capacity))
        if (!grow_buffer(scene))
            return RG_ERR_MEMORY;
    *recalled = ask->known != NULL && rg_contact_recall(ask->memory, ask->known, &a.X_WG, &b.X_WG, buffer);
    while (!*recalled) {
        RgStatus status = rg_manifold(&a, &b, &ask->options, NULL, buffer);
        if (!buffer->overflow || (status != RG_OK && status != RG_ERR_NOT_CONVERGED))
            return status;
        buffer->npoints = npoints;
        buffer->nmanifolds = nmanifolds;
        buffer->overflow = false;
        if (!grow_buffer(scene))
            return RG_ERR_MEMORY;
    }
    return RG_OK;
}

/* Greatest speed at which two shapes can approach each other, m/s. */
static double approach(const RgContactScene *scene, int32_t a, int32_t b)
{
    RgVec3 v = v3_sub(scene->velocity[a], scene->velocity[b]);
    return v3_norm(v) + scene->spin[a] + scene->spin[b];
}

/* The same for any two. */
static double greatest_approach(const RgContactScene *scene)
{
    double most = 0.0;
    for (int i = 0; i < scene->model->nshapes; i++) {
        double speed = v3_norm(scene->velocity[i]) + scene->spin[i];
        most = speed > most ? speed : most;
    }
    return 2.0 * most;
}

/* Notes that a pair has the manifolds from first on. */
static bool note_pair(RgContactScene *scene, RgShapeContacts found, RgContactOrigin origin)
{
    void *pairs = scene->pairs, *origins = scene->origin;
    if (scene->npairs == scene->pair_capacity &&
        !grow(&scene->allocator, &pairs, &scene->pair_capacity, FIRST_PAIRS, sizeof *scene->pairs))
        return false;
    scene->pairs = pairs;
    if (scene->npairs == scene->origin_capacity &&
        !grow(&scene->allocator, &origins, &scene->origin_capacity, FIRST_PAIRS, sizeof *scene->origin))
        return false;
    scene->origin = origins;
    scene->pairs[scene->npairs] = found;
    scene->origin[scene->npairs++] = origin;
    return true;
}

/* Whether neither of two shapes is of a body that is awake. */
static bool both_rest(const RgContactScene *scene, int32_t shape_a, int32_t shape_b)
{
    const RgModel *m = scene->model;
    int32_t shapes[2] = {shape_a, shape_b};
    if (scene->asleep == NULL)
        return false;
    for (int side = 0; side < 2; side++) {
        int link = m->shapes[shapes[side] - 1].def.link.i, body = link > 0 ? m->links[link - 1].body : -1;
        if (body >= 0 && !scene->asleep[body])
            return false;
    }
    return true;
}

RgStatus rg_contact_scene_find(RgContactScene *scene, const RgContactSearch *search, RgContactView *out)
{
    Ask ask = {.options = search->options != NULL ? *search->options : rg_manifold_options_default(),
               .memory = search->memory};
    double margin = ask.options.margin, h = search->h;
    const RgColliderPair *pairs;
    int32_t count, unsure = 0, at = 0;
    double widest = h > 0.0 ? margin + h * greatest_approach(scene) : margin;
    RgStatus status = rg_space_pairs(scene->space, widest, &pairs, &count);
    RgContactBuffer *buffer = &scene->buffer;
    buffer->npoints = buffer->nmanifolds = scene->npairs = 0;
    buffer->overflow = buffer->reduced = false;
    scene->asleep = search->asleep;
    for (int32_t k = 0; k < count && status == RG_OK; k++) {
        int32_t first = buffer->nmanifolds;
        RgShapeId a = {shape_number(scene, pairs[k].a)}, b = {shape_number(scene, pairs[k].b)};
        if (both_rest(scene, a.i, b.i))
            continue;
        ask.known = ask.memory != NULL ? rg_contact_memory_seek(ask.memory, a.i, b.i, &at) : NULL;
        if (h > 0.0)
            ask.options.margin = margin + h * approach(scene, a.i - 1, b.i - 1);
        bool recalled;
        status = settle(find_pair(scene, pairs[k], &ask, &recalled), &unsure);
        if (status == RG_OK && buffer->nmanifolds > first &&
            !note_pair(scene, (RgShapeContacts){a, b, first, buffer->nmanifolds - first},
                       (RgContactOrigin){ask.known != NULL ? at : -1, recalled}))
            status = RG_ERR_MEMORY;
    }
    *out = (RgContactView){.pairs = scene->pairs,
                           .manifolds = buffer->manifolds,
                           .points = buffer->points,
                           .npairs = scene->npairs,
                           .nmanifolds = buffer->nmanifolds,
                           .npoints = buffer->npoints,
                           .unsure = unsure,
                           .reduced = buffer->reduced};
    return status;
}

/* Carries over the pairs that were passed over, from *at on, as long as they come before the shapes a, b. */
static void keep_resting(const RgContactScene *scene, const RgContactMemory *last, RgShapeId a, RgShapeId b,
                         int32_t *at, RgContactMemory *next)
{
    for (; *at < last->npairs; (*at)++) {
        const RgRememberedPair *old = &last->pairs[*at];
        if (old->shape_a > a.i || (old->shape_a == a.i && old->shape_b >= b.i))
            return;
        if (both_rest(scene, old->shape_a, old->shape_b))
            rg_contact_memorise_again(next, last, old, NULL);
    }
}

bool rg_contact_scene_remember(RgContactScene *scene, const RgContactView *contacts, const RgContactMemory *last,
                               const RgVec3 *impulses, RgContactMemory *next)
{
    next->npairs = next->nmanifolds = next->npoints = 0;
    RgContactCounts counts = {contacts->npairs, contacts->nmanifolds, contacts->npoints, next->nrows};
    bool resting = scene->asleep != NULL;
    if (resting) {
        counts.pairs += last->npairs;
        counts.manifolds += last->nmanifolds;
        counts.points += last->npoints;
    }
    if (!rg_contact_memory_reserve(next, &scene->allocator, counts))
        return false;
    int32_t at = 0;
    for (int32_t k = 0; k < contacts->npairs; k++) {
        const RgShapeContacts *pair = &contacts->pairs[k];
        if (resting)
            keep_resting(scene, last, pair->shape_a, pair->shape_b, &at, next);
        RgPlaced a = rg_space_placed(scene->space, scene->collider[pair->shape_a.i - 1]);
        RgPlaced b = rg_space_placed(scene->space, scene->collider[pair->shape_b.i - 1]);
        if (scene->origin[k].recalled)
            rg_contact_memorise_again(next, last, &last->pairs[scene->origin[k].known],
                                      impulses + contacts->manifolds[pair->first_manifold].first);
        else
            rg_contact_memorise(next, contacts, pair, &a.X_WG, &b.X_WG, impulses);
    }
    if (resting)
        keep_resting(scene, last, (RgShapeId){INT32_MAX}, (RgShapeId){0}, &at, next);
    return true;
}

RgStatus rg_contact_scene_near(RgContactScene *scene, double margin, RgShapeDistance *out, int capacity,
                               int *count)
{
    const RgColliderPair *pairs;
    int32_t npairs;
    *count = 0;
    RgStatus status = rg_space_pairs(scene->space, margin, &pairs, &npairs);
    for (int32_t k = 0; k < npairs && status == RG_OK; k++) {
        RgPlaced a = rg_space_placed(scene->space, pairs[k].a), b = rg_space_placed(scene->space, pairs[k].b);
        RgShapeDistance near = {.shape_a = {shape_number(scene, pairs[k].a)},
                                .shape_b = {shape_number(scene, pairs[k].b)}};
        RgStatus answered = rg_distance(&a, &b, NULL, &near.distance);
        int32_t unsure = 0;
        status = settle(answered, &unsure);
        if (status != RG_OK || answered == RG_ERR_UNSUPPORTED || near.distance.distance > margin)
            continue;
        if (*count < capacity)
            out[*count] = near;
        (*count)++;
    }
    return status;
}
