/*
 * contact_scene.c - the collision shapes of a model in one space, and the filters that its links and joints imply.
 *
 * Owners in the space are links (the world is one more, after them), bodies are the model's moving bodies: so links
 * that are welded together never collide. For every joint between two bodies each link of the one is excluded against
 * each link of the other: the two sides of a hinge touch by design. The world as a whole is not excluded: a robot
 * bolted to the floor may fall onto the floor. There the excluded links are those of the parent's own group that are
 * welded to the world, its base.
 *
 * Cost: links^2 in the worst case for the exclusions, once. A search is broad phase, then a manifold per pair; nothing
 * is allocated once the buffers have grown to the scene's need.
 */
#include "contact/contact_scene.h"

#include "base/alloc.h"
#include "base/status.h"
#include "collision/space.h"
#include "geom/geometry.h"
#include "geom/polytope.h"

#include <string.h>

/* Shapes per chunk of a parallel loop. */
#define CHUNK 64

/* Number of preceding shapes that are searched for one with the same geometry; bounds the cost of the search. */
#define TWIN_SEARCH_LENGTH 8

/* ------------------------------------------------------------------ collision filters */

/* Owner number of a link; the world comes after all links. */
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

/* Excludes the links of the two sides of a joint from colliding. */
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

    /* The model's pairs come last and so have priority. */
    int npairs = rg_model_info(m).collision_pairs;
    for (int k = 0; k < npairs && status == RG_OK; k++) {
        RgCollisionPairDef pair = rg_model_collision_pair(m, k);
        int a = owner_of(m, pair.link_a), b = owner_of(m, pair.link_b);
        status = pair.collide ? rg_space_include(scene->space, a, b) : rg_space_exclude(scene->space, a, b);
    }
    return status;
}

RgStatus rg_contact_scene_join(RgContactScene *scene, const RgJointDef *joint)
{
    return exclude_neighbours(scene, joint);
}

RgStatus rg_contact_scene_unjoin(RgContactScene *scene, const RgJointDef *joint)
{
    const RgModel *m = scene->model;
    RgStatus status = RG_OK;
    for (int a = 0; a < m->nlinks && joint->parent.i > 0 && joint->child.i > 0; a++)
        for (int b = 0; b < m->nlinks && status == RG_OK && welded(m, a, joint->parent.i - 1); b++)
            if (welded(m, b, joint->child.i - 1))
                status = rg_space_forget(scene->space, a, b);
    return status == RG_OK ? fill_filter(scene) : status;
}

/* ------------------------------------------------------------------ creation */

/* Shape definition to use, by whether its link moves. */
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

/* An earlier shape that is the same primitive, so its geometry can be shared; -1: none among the last few. */
static int twin_of(const RgModel *m, int i)
{
    const RgShapeDef *def = &m->shapes[i].def;
    if (def->mesh.nvertices > 0 || def->heights != NULL)
        return -1;
    for (int j = i - 1; j >= 0 && j >= i - TWIN_SEARCH_LENGTH; j--) {
        const RgShapeDef *other = &m->shapes[j].def;
        if (has_geometry(other) && other->type == def->type && memcmp(other->size, def->size, sizeof def->size) == 0)
            return j;
    }
    return -1;
}

/* Measures the parts of a geometry: largest width, shortest edge, smallest thickness. */
static void measure_parts(const RgGeometry *geometry, double *extent, double *grain, double *thin)
{
    *extent = 0.0;
    *grain = *thin = INFINITY;
    for (int32_t i = 0; i < geometry->nparts; i++) {
        *thin = fmin(*thin, rg_shape_thickness(&geometry->parts[i]));
        RgVec3 width = v3_sub(geometry->part_bounds[i].high, geometry->part_bounds[i].low);
        double widest = fmax(width.x, fmax(width.y, width.z));
        *extent = isfinite(widest) ? fmax(*extent, widest) : *extent;
        const RgPolytope *core = geometry->parts[i].core;
        for (int32_t e = 0; core != NULL && e < core->ne; e++) {
            double length = v3_norm(v3_sub(core->vertex[core->edge[2 * e + 1]], core->vertex[core->edge[2 * e]]));
            *grain = length > 0.0 ? fmin(*grain, length) : *grain;
        }
    }
}

static RgStatus add_shape(RgContactScene *scene, int i, RgError *error)
{
    const RgModel *m = scene->model;
    const RgShapeDef *def = &m->shapes[i].def;
    int link = def->link.i - 1;
    RgShapeDef use = shape_to_use(m, def);
    RgError cause;
    int twin = twin_of(m, i);
    RgStatus status = RG_OK;
    if (twin >= 0)
        scene->geometry[i] = scene->geometry[twin];
    else
        status = rg_geometry_create(&use, &scene->allocator, &scene->geometry[i], &cause);
    if (status != RG_OK)
        return rg_fail(error, status, m->file, def->line, "%s%s%s, shape '%s': %s", link >= 0 ? "link '" : "",
                       link >= 0 ? m->links[link].def.name : "world", link >= 0 ? "'" : "",
                       def->name != NULL ? def->name : "", cause.text);
    RgGeometryInfo info = rg_geometry_info(scene->geometry[i]);
    scene->ball_centre[i] = isfinite(info.radius) ? info.centre : v3_zero();
    scene->ball_radius[i] = isfinite(info.radius) ? info.radius : 0.0;
    measure_parts(scene->geometry[i], &scene->extent[i], &scene->grain[i], &scene->thin[i]);
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
    if (status == RG_OK)
        scene->shape[scene->collider[i].i - 1] = i + 1;
    else
        rg_fail(error, status, m->file, def->line, "shape '%s' cannot be placed", def->name != NULL ? def->name : "");
    return status;
}

/* Merges two runs of shapes sorted by their geometries: from[low, middle) and from[middle, high). */
static void merge_runs(const RgContactScene *scene, const int32_t *from, int32_t run[3], int32_t *to)
{
    int32_t i = run[0], j = run[1];
    for (int32_t k = run[0]; k < run[2]; k++) {
        bool first =
            i < run[1] && (j >= run[2] || rg_geometry_order(scene->geometry[from[i]], scene->geometry[from[j]]) <= 0);
        to[k] = first ? from[i++] : from[j++];
    }
}

/* Computes the forms of all shapes, ranked by their geometries. work: two arrays of nshapes. */
static void rank_forms(RgContactScene *scene, int32_t *work)
{
    int32_t n = 0, *from = work, *to = work + scene->model->nshapes;
    for (int32_t i = 0; i < scene->model->nshapes; i++)
        if (scene->geometry[i] != NULL)
            from[n++] = i;
    for (int32_t width = 1; width < n; width *= 2) {
        for (int32_t low = 0; low < n; low += 2 * width) {
            int32_t middle = low + width < n ? low + width : n, high = middle + width < n ? middle + width : n;
            merge_runs(scene, from, (int32_t[3]){low, middle, high}, to);
        }
        int32_t *sorted = to;
        to = from;
        from = sorted;
    }
    for (int32_t k = 0, rank = 0; k < n; k++) {
        const RgGeometry *geometry = scene->geometry[from[k]];
        rank += k > 0 && rg_geometry_order(scene->geometry[from[k - 1]], geometry) != 0;
        scene->form[from[k]] = rg_manifold_geometry(geometry);
        scene->form[from[k]].rank = rank;
    }
}

static RgStatus init_scene(RgContactScene *scene, RgError *error)
{
    const RgModel *m = scene->model;
    RgSpaceDef space = rg_space_def_default();
    space.allocator = scene->allocator;
    scene->space = rg_space_create(&space);
    scene->geometry = rg_alloc(&scene->allocator, (size_t)m->nshapes, sizeof *scene->geometry);
    scene->form = rg_alloc(&scene->allocator, (size_t)m->nshapes, sizeof *scene->form);
    scene->collider = rg_alloc(&scene->allocator, (size_t)m->nshapes, sizeof *scene->collider);
    scene->velocity = rg_alloc(&scene->allocator, (size_t)m->nshapes, sizeof *scene->velocity);
    scene->spin = rg_alloc(&scene->allocator, (size_t)m->nshapes, sizeof *scene->spin);
    scene->ball_centre = rg_alloc(&scene->allocator, (size_t)m->nshapes, sizeof *scene->ball_centre);
    scene->ball_radius = rg_alloc(&scene->allocator, (size_t)m->nshapes, sizeof *scene->ball_radius);
    scene->extent = rg_alloc(&scene->allocator, (size_t)m->nshapes, sizeof *scene->extent);
    scene->grain = rg_alloc(&scene->allocator, (size_t)m->nshapes, sizeof *scene->grain);
    scene->thin = rg_alloc(&scene->allocator, (size_t)m->nshapes, sizeof *scene->thin);
    scene->body = rg_alloc(&scene->allocator, (size_t)m->nshapes, sizeof *scene->body);
    scene->X_BS = rg_alloc(&scene->allocator, (size_t)m->nshapes, sizeof *scene->X_BS);
    scene->X_WS = rg_alloc(&scene->allocator, (size_t)m->nshapes, sizeof *scene->X_WS);
    scene->X_WB = rg_alloc(&scene->allocator, (size_t)m->nshapes, sizeof *scene->X_WB);
    scene->moves = rg_alloc(&scene->allocator, (size_t)m->nshapes, sizeof *scene->moves);
    scene->reach = rg_alloc(&scene->allocator, (size_t)m->nshapes, sizeof *scene->reach);
    scene->shape = rg_alloc(&scene->allocator, (size_t)m->nshapes, sizeof *scene->shape);
    if (scene->space == NULL || scene->body == NULL || scene->X_BS == NULL || scene->X_WS == NULL ||
        scene->X_WB == NULL || scene->moves == NULL || scene->shape == NULL || scene->geometry == NULL ||
        scene->form == NULL || scene->collider == NULL || scene->velocity == NULL || scene->spin == NULL ||
        scene->ball_centre == NULL || scene->ball_radius == NULL || scene->extent == NULL || scene->grain == NULL ||
        scene->thin == NULL || scene->reach == NULL)
        return rg_fail(error, RG_ERR_MEMORY, NULL, 0, "out of memory");
    for (int i = 0; i < m->nshapes; i++) {
        int link = m->shapes[i].def.link.i - 1;
        scene->body[i] = link >= 0 ? m->links[link].body : -1;
        scene->X_BS[i] = link >= 0 ? pose_mul(m->links[link].X_BL, m->shapes[i].def.X_LS) : m->shapes[i].def.X_LS;
        scene->X_WS[i] = scene->X_BS[i];
        scene->X_WB[i] = pose_identity();
        RgStatus status = has_geometry(&m->shapes[i].def) ? add_shape(scene, i, error) : RG_OK;
        if (status != RG_OK)
            return status;
    }
    int32_t *work = rg_alloc(&scene->allocator, 2 * (size_t)m->nshapes, sizeof *work);
    if (work == NULL)
        return rg_fail(error, RG_ERR_MEMORY, NULL, 0, "out of memory");
    rank_forms(scene, work);
    rg_free(&scene->allocator, work);
    RgStatus status = fill_filter(scene);
    return status == RG_OK ? RG_OK : rg_fail(error, status, NULL, 0, "collision filter: %s", rg_status_text(status));
}

RgContactScene *rg_contact_scene_create(const RgModel *model, const RgAllocator *allocator, RgError *error)
{
    RgContactScene *scene = rg_alloc_object(allocator, sizeof *scene, NULL, error);
    if (scene == NULL)
        return NULL;
    scene->model = model;
    scene->allocator = *allocator;
    if (init_scene(scene, error) != RG_OK) {
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
    rg_free(&allocator, scene->form);
    rg_free(&allocator, scene->collider);
    rg_free(&allocator, scene->velocity);
    rg_free(&allocator, scene->spin);
    rg_free(&allocator, scene->ball_centre);
    rg_free(&allocator, scene->ball_radius);
    rg_free(&allocator, scene->extent);
    rg_free(&allocator, scene->grain);
    rg_free(&allocator, scene->thin);
    rg_free(&allocator, scene->body);
    rg_free(&allocator, scene->X_BS);
    rg_free(&allocator, scene->X_WS);
    rg_free(&allocator, scene->X_WB);
    rg_free(&allocator, scene->moves);
    rg_free(&allocator, scene->reach);
    rg_free(&allocator, scene->shape);
    rg_contact_part_free(&scene->found, &allocator);
    for (int32_t i = 0; i < scene->nparts; i++)
        rg_contact_part_free(&scene->parts[i], &allocator);
    rg_free(&allocator, scene->parts);
    rg_free(&allocator, scene->near);
    rg_free(&allocator, scene->near_last);
    rg_free(&allocator, scene);
}

void rg_contact_scene_set_thread_pool(RgContactScene *scene, RgThreadPool *thread_pool)
{
    scene->thread_pool = scene->space->thread_pool = thread_pool;
}

/* ------------------------------------------------------------------ poses */

/* Sets the velocity of a shape: of the centre of its ball, and by rotation. */
static void set_velocity(RgContactScene *scene, int shape, const RgPose *X_WS, const RgPose *X_WB, const RgMotion *V)
{
    RgVec3 centre = pose_apply(*X_WS, scene->ball_centre[shape]);
    scene->velocity[shape] = v3_add(V->v, v3_cross(V->w, v3_sub(centre, X_WB->p)));
    scene->spin[shape] = v3_norm(V->w) * scene->ball_radius[shape];
}

typedef struct Placing {
    RgContactScene *scene;
    const RgKin *kin;
} Placing;

/* Computes poses and velocities of shapes, and marks those that moved. */
static void place_shapes(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const Placing *p = context;
    RgContactScene *scene = p->scene;
    for (int32_t i = first; i < end; i++) {
        int body = scene->body[i];
        bool has_moving_body = scene->collider[i].i != 0 && body >= 0;
        scene->moves[i] = has_moving_body && memcmp(&p->kin->X_WB[body], &scene->X_WB[i], sizeof scene->X_WB[i]) != 0;
        if (scene->moves[i])
            scene->X_WS[i] = pose_mul(p->kin->X_WB[body], scene->X_BS[i]);
        if (has_moving_body)
            set_velocity(scene, i, &scene->X_WS[i], &p->kin->X_WB[body], &p->kin->V[body]);
    }
}

/* Places the shapes whose bodies moved. If one cannot be placed, all moved shapes from it on are marked as unplaced. */
RgStatus rg_contact_scene_place(RgContactScene *scene, const RgKin *kin)
{
    static const RgPose unplaced = {.p = {0.0, 0.0, 0.0}}; /* a zero matrix, never a body's rotation */
    RgStatus status;
    int32_t n = scene->model->nshapes;
    rg_parallel_for(scene->thread_pool, n, CHUNK, place_shapes, &(Placing){scene, kin});
    int32_t done = rg_space_move_all(scene->space, scene->collider, scene->X_WS, scene->moves, n, &status);
    for (int32_t i = 0; i < n; i++)
        if (scene->moves[i])
            scene->X_WB[i] = i < done ? kin->X_WB[scene->body[i]] : unplaced;
    return status;
}
