/*
 * model_builder.c - collects links, joints, shapes, frames, couplings and collision pairs in any order, and checks the
 * numbers of each one when it is added.
 *
 * Defs are copied with their strings and meshes. The builder stores the first error with its file and line; later calls
 * are still allowed, so that a reader need not check every call, and rg_builder_finish returns the error.
 */
#include "model/model_builder.h"

#include "base/alloc.h"
#include "base/status.h"
#include "math/pose.h"

#include <limits.h>
#include <string.h>

/* ------------------------------------------------------------------ defaults */

RgLinkDef rg_link_def_default(void)
{
    return (RgLinkDef){.cookie = RG_COOKIE, .X_WL = pose_identity()};
}

RgAxisDef rg_axis_def_default(void)
{
    return (RgAxisDef){
        .lower = -INFINITY, .upper = INFINITY, .velocity_limit = INFINITY, .effort_limit = INFINITY, .gear_ratio = 1.0};
}

RgJointDef rg_joint_def_default(void)
{
    RgJointDef def = {.cookie = RG_COOKIE,
                      .X_PJ = pose_identity(),
                      .X_CJ = pose_identity(),
                      .axis = {0.0, 0.0, 1.0},
                      .axis2 = {0.0, 1.0, 0.0}};
    for (int i = 0; i < 6; i++)
        def.dof[i] = rg_axis_def_default();
    return def;
}

RgCouplingDef rg_coupling_def_default(void)
{
    return (RgCouplingDef){.cookie = RG_COOKIE, .ratio = 1.0};
}

RgTransmissionDef rg_transmission_def_default(void)
{
    return (RgTransmissionDef){.cookie = RG_COOKIE, .ratio = 1.0, .effort_limit = INFINITY, .velocity_limit = INFINITY};
}

RgShapeDef rg_shape_def_default(void)
{
    RgSurfaceDef s = {.mu = NAN,
                      .mu2 = NAN,
                      .slip1 = NAN,
                      .slip2 = NAN,
                      .restitution = NAN,
                      .restitution_threshold = NAN,
                      .kp = NAN,
                      .kd = NAN,
                      .max_vel = NAN,
                      .min_depth = NAN,
                      .torsional = NAN,
                      .rolling = NAN,
                      .torsional_depth = NAN,
                      .torsional_slip = NAN};
    return (RgShapeDef){.cookie = RG_COOKIE,
                        .colour = {NAN, NAN, NAN, 1.0},
                        .X_LS = pose_identity(),
                        .size = {1.0, 1.0, 1.0},
                        .surface = s,
                        .category = UINT32_MAX,
                        .mask = UINT32_MAX};
}

RgFrameDef rg_frame_def_default(void)
{
    return (RgFrameDef){.cookie = RG_COOKIE, .X_LF = pose_identity()};
}

RgCollisionPairDef rg_collision_pair_def_default(void)
{
    return (RgCollisionPairDef){.cookie = RG_COOKIE};
}

static RgPhysicsHints hints_default(void)
{
    return (RgPhysicsHints){.gravity = {0.0, 0.0, -9.81},
                            .max_step = NAN,
                            .ode_sor = NAN,
                            .ode_erp = NAN,
                            .ode_cfm = NAN,
                            .ode_max_correcting_vel = NAN,
                            .ode_surface_layer = NAN,
                            .ode_iterations = -1,
                            .ode_preconditioning_iterations = -1};
}

/* ------------------------------------------------------------------ creation */

RgBuilder *rg_builder_create(const RgAllocator *allocator, const RgLog *log)
{
    RgBuilder *b = rg_alloc(allocator, 1, sizeof *b);
    if (b == NULL)
        return NULL;
    rg_arena_init(&b->arena, allocator);
    if (log != NULL)
        b->log = *log;
    b->hints = hints_default();
    b->name = "";
    return b;
}

void rg_builder_destroy(RgBuilder *b)
{
    if (b == NULL)
        return;
    RgAllocator allocator = b->arena.allocator;
    void *const arrays[] = {b->links,     b->joints,        b->shapes, b->frames,
                            b->couplings, b->transmissions, b->pairs,  (void *)b->joint_files};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        rg_free(&allocator, arrays[i]);
    rg_arena_free(&b->arena);
    rg_free(&allocator, b);
}

const RgError *rg_builder_error(const RgBuilder *b)
{
    return &b->error;
}

void rg_builder_note_error(RgBuilder *b, const RgError *error)
{
    if (b->error.status == RG_OK)
        b->error = *error;
}

static void note_memory(RgBuilder *b)
{
    RgError error;
    rg_fail(&error, RG_ERR_MEMORY, b->file, 0, "out of memory");
    rg_builder_note_error(b, &error);
}

static const char *copy_text(RgBuilder *b, const char *text)
{
    const char *copy = rg_arena_strdup(&b->arena, text);
    if (text != NULL && copy == NULL)
        note_memory(b);
    return copy;
}

void rg_builder_set_name(RgBuilder *b, const char *name)
{
    b->name = copy_text(b, name != NULL ? name : "");
}

void rg_builder_set_file(RgBuilder *b, const char *file)
{
    b->file = copy_text(b, file);
}

void rg_builder_set_hints(RgBuilder *b, const RgPhysicsHints *hints)
{
    b->hints = *hints;
}

const RgPhysicsHints *rg_builder_hints(const RgBuilder *b)
{
    return &b->hints;
}

/* ------------------------------------------------------------------ adding */

/* Makes room for one more item in an array of *room items. For two arrays with a common capacity, the first call
   uses a copy of it. */
static bool grow(RgBuilder *b, void **array, int count, int *room, size_t size)
{
    if (count < *room)
        return true;
    if (*room > INT_MAX / 4)
        return false;
    int new_room = *room > 0 ? 2 * *room : 16;
    void *grown = rg_realloc(&b->arena.allocator, *array, (size_t)*room, (size_t)new_room, size);
    if (grown == NULL) {
        note_memory(b);
        return false;
    }
    *array = grown;
    *room = new_room;
    return true;
}

static bool same_text(const char *a, const char *b)
{
    return strcmp(a != NULL ? a : "", b != NULL ? b : "") == 0;
}

/* Refuses a def that was not initialised by its default function. */
static bool has_cookie(RgBuilder *b, uint32_t cookie, const char *what)
{
    if (cookie == RG_COOKIE)
        return true;
    RgError error;
    rg_fail(&error, RG_ERR_ARGUMENT, b->file, 0, "a %s definition must start from rg_%s_def_default()", what, what);
    rg_builder_note_error(b, &error);
    return false;
}

RgLinkId rg_builder_find_link(const RgBuilder *b, const char *group, const char *name)
{
    return (RgLinkId){rg_name_map_find_in(&b->link_names, group, name) + 1};
}

RgJointId rg_builder_find_joint(const RgBuilder *b, const char *group, const char *name)
{
    return (RgJointId){rg_name_map_find_in(&b->joint_names, group, name) + 1};
}

static bool refuse_duplicate(RgBuilder *b, const char *what, const char *name, int line, int first_line)
{
    RgError error;
    if (first_line > 0)
        rg_fail(&error, RG_ERR_MODEL, b->file, line, "a second %s named '%s' (the first is at line %d)", what, name,
                first_line);
    else
        rg_fail(&error, RG_ERR_MODEL, b->file, line, "a second %s named '%s'", what, name);
    rg_builder_note_error(b, &error);
    return false;
}

static bool add_name(RgBuilder *b, RgNameMap *map, const char *group, const char *name, int value)
{
    if (rg_name_map_set_in(map, &b->arena, group, name, value))
        return true;
    note_memory(b);
    return false;
}

RgLinkId rg_builder_add_link(RgBuilder *b, const RgLinkDef *def)
{
    RgError error;
    if (!has_cookie(b, def->cookie, "link"))
        return (RgLinkId){0};
    if (rg_check_link(b, def, &error) != RG_OK) {
        rg_builder_note_error(b, &error);
        return (RgLinkId){0};
    }
    RgLinkId existing = rg_builder_find_link(b, def->group, def->name);
    if (existing.i != 0) {
        refuse_duplicate(b, "link", def->name, def->line, b->links[existing.i - 1].line);
        return (RgLinkId){0};
    }
    if (!grow(b, (void **)&b->links, b->nlinks, &b->link_room, sizeof *b->links))
        return (RgLinkId){0};
    RgLinkDef *copy = &b->links[b->nlinks];
    *copy = *def;
    copy->name = copy_text(b, def->name);
    copy->group = copy_text(b, def->group);
    if (b->arena.failed || !add_name(b, &b->link_names, copy->group, copy->name, b->nlinks))
        return (RgLinkId){0};
    return (RgLinkId){++b->nlinks};
}

RgJointId rg_builder_add_joint(RgBuilder *b, const RgJointDef *def)
{
    RgError error;
    if (!has_cookie(b, def->cookie, "joint"))
        return (RgJointId){0};
    if (rg_check_joint(b, def, &error) != RG_OK) {
        rg_builder_note_error(b, &error);
        return (RgJointId){0};
    }
    RgJointId existing = rg_builder_find_joint(b, def->group, def->name);
    if (existing.i != 0) {
        refuse_duplicate(b, "joint", def->name, def->line, b->joints[existing.i - 1].line);
        return (RgJointId){0};
    }
    int room = b->joint_room;
    if (!grow(b, (void **)&b->joint_files, b->njoints, &room, sizeof *b->joint_files) ||
        !grow(b, (void **)&b->joints, b->njoints, &b->joint_room, sizeof *b->joints))
        return (RgJointId){0};
    RgJointDef *copy = &b->joints[b->njoints];
    *copy = *def;
    copy->name = copy_text(b, def->name);
    copy->group = copy_text(b, def->group);
    if (b->arena.failed || !add_name(b, &b->joint_names, copy->group, copy->name, b->njoints))
        return (RgJointId){0};
    b->joint_files[b->njoints] = b->file;
    return (RgJointId){++b->njoints};
}

/* A copy of n items in the builder's memory; NULL if n is 0. If from is the existing array it is reused. */
static const void *copy_or_reuse(RgBuilder *b, const void *from, const void *reusable, size_t n, size_t size)
{
    if (from == NULL || n == 0)
        return NULL;
    if (from == reusable)
        return reusable;
    void *copy = rg_arena_alloc(&b->arena, n, size);
    if (copy == NULL)
        note_memory(b);
    else
        memcpy(copy, from, n * size);
    return copy;
}

bool rg_builder_copy_shape(RgBuilder *b, RgShapeDef *def, const RgShapeDef *old)
{
    /* Old arrays are reused if the new def points to them and is not larger. */
    bool same_mesh = def->mesh.nvertices <= old->mesh.nvertices && def->mesh.nfaces <= old->mesh.nfaces;
    const RgMeshData none = {.vertices = NULL}, *reusable = same_mesh ? &old->mesh : &none;
    bool same_parts = same_mesh && def->mesh.nparts <= old->mesh.nparts;
    bool same_field = def->rows == old->rows && def->columns == old->columns;
    RgMeshData mesh = def->mesh;
    def->name = old->name != NULL ? old->name : copy_text(b, def->name);
    def->uri = def->uri == old->uri ? old->uri : copy_text(b, def->uri);
    def->mesh.vertices =
        copy_or_reuse(b, mesh.vertices, reusable->vertices, 3 * (size_t)mesh.nvertices, sizeof(double));
    def->mesh.faces = copy_or_reuse(b, mesh.faces, reusable->faces, 3 * (size_t)mesh.nfaces, sizeof(int32_t));
    bool has_parts = mesh.part_start != NULL && def->type == RG_SHAPE_mesh && mesh.nfaces > 0;
    def->mesh.nparts = has_parts ? mesh.nparts : 0;
    def->mesh.part_start = has_parts ? copy_or_reuse(b, mesh.part_start, same_parts ? reusable->part_start : NULL,
                                                     (size_t)mesh.nparts + 1, sizeof(int32_t))
                                     : NULL;
    def->heights = copy_or_reuse(b, def->heights, same_field ? old->heights : NULL,
                                 (size_t)def->rows * (size_t)def->columns, sizeof(double));
    return !b->arena.failed;
}

RgShapeId rg_builder_add_shape(RgBuilder *b, const RgShapeDef *def)
{
    RgError error;
    if (!has_cookie(b, def->cookie, "shape"))
        return (RgShapeId){0};
    if (rg_check_shape(b, def, &error) != RG_OK) {
        rg_builder_note_error(b, &error);
        return (RgShapeId){0};
    }
    if (!grow(b, (void **)&b->shapes, b->nshapes, &b->shape_room, sizeof *b->shapes))
        return (RgShapeId){0};
    static const RgShapeDef nothing = {.name = NULL};
    RgShapeDef *copy = &b->shapes[b->nshapes];
    *copy = *def;
    if (!rg_builder_copy_shape(b, copy, &nothing))
        return (RgShapeId){0};
    return (RgShapeId){++b->nshapes};
}

RgFrameId rg_builder_add_frame(RgBuilder *b, const RgFrameDef *def)
{
    if (!has_cookie(b, def->cookie, "frame"))
        return (RgFrameId){0};
    RgError error;
    if (rg_check_frame(b, def, &error) != RG_OK) {
        rg_builder_note_error(b, &error);
        return (RgFrameId){0};
    }
    int existing = rg_name_map_find_in(&b->frame_names, def->group, def->name);
    if (existing >= 0) {
        refuse_duplicate(b, "frame", def->name, def->line, b->frames[existing].line);
        return (RgFrameId){0};
    }
    if (!grow(b, (void **)&b->frames, b->nframes, &b->frame_room, sizeof *b->frames))
        return (RgFrameId){0};
    RgFrameDef *copy = &b->frames[b->nframes];
    *copy = *def;
    copy->name = copy_text(b, def->name);
    copy->group = copy_text(b, def->group);
    if (b->arena.failed || !add_name(b, &b->frame_names, copy->group, copy->name, b->nframes))
        return (RgFrameId){0};
    return (RgFrameId){++b->nframes};
}

bool rg_builder_add_coupling(RgBuilder *b, const RgCouplingDef *def)
{
    RgError error;
    if (!has_cookie(b, def->cookie, "coupling"))
        return false;
    if (rg_check_coupling(b, def, &error) != RG_OK) {
        rg_builder_note_error(b, &error);
        return false;
    }
    if (!grow(b, (void **)&b->couplings, b->ncouplings, &b->coupling_room, sizeof *b->couplings))
        return false;
    RgCouplingDef *copy = &b->couplings[b->ncouplings];
    *copy = *def;
    copy->name = copy_text(b, def->name);
    if (b->arena.failed)
        return false;
    b->ncouplings++;
    return true;
}

bool rg_builder_add_transmission(RgBuilder *b, const RgTransmissionDef *def)
{
    RgError error;
    if (!has_cookie(b, def->cookie, "transmission"))
        return false;
    if (rg_check_transmission(b, def, &error) != RG_OK) {
        rg_builder_note_error(b, &error);
        return false;
    }
    if (!grow(b, (void **)&b->transmissions, b->ntransmissions, &b->transmission_room, sizeof *b->transmissions))
        return false;
    RgTransmissionDef *copy = &b->transmissions[b->ntransmissions];
    *copy = *def;
    copy->name = copy_text(b, def->name);
    copy->actuator = copy_text(b, def->actuator);
    if (b->arena.failed)
        return false;
    b->ntransmissions++;
    return true;
}

bool rg_builder_add_collision_pair(RgBuilder *b, const RgCollisionPairDef *def)
{
    RgError error;
    if (!has_cookie(b, def->cookie, "collision_pair"))
        return false;
    if (rg_check_collision_pair(b, def, &error) != RG_OK) {
        rg_builder_note_error(b, &error);
        return false;
    }
    if (!grow(b, (void **)&b->pairs, b->npairs, &b->pair_room, sizeof *b->pairs))
        return false;
    b->pairs[b->npairs++] = *def;
    return true;
}

void rg_builder_place_group(RgBuilder *b, const char *group, RgPose X_WG)
{
    for (int i = 0; i < b->nlinks; i++)
        if (same_text(b->links[i].group, group))
            b->links[i].X_WL = pose_mul(X_WG, b->links[i].X_WL);

    /* Joints to the world move along: their world side is the parent or, rarely, the child. */
    for (int i = 0; i < b->njoints; i++) {
        RgJointDef *joint = &b->joints[i];
        if (!same_text(joint->group, group))
            continue;
        if (joint->parent.i == 0)
            joint->X_PJ = pose_mul(X_WG, joint->X_PJ);
        if (joint->child.i == 0)
            joint->X_CJ = pose_mul(X_WG, joint->X_CJ);
    }
}
