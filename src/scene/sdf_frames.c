/*
 * sdf_frames.c - the frames of an SDF file: relative poses, and the links to which frames are attached.
 *
 *   X_S(item) = X_S(relative_to) X_raw          in the frame of the item's scope S
 *
 * Default of relative_to: the model's frame for links and models; the child (or the world) for joints; attached_to for
 * frames, without it the model's frame. A model with a placement frame P is placed so that P is at the pose:
 * X_S = X_S(relative_to) X_raw X_P^-1. A name is that of a link, joint, frame or model of the scope, a::b for b inside
 * model a, __model__ for the scope itself, world for the world.
 *
 * Attachment: a link to itself, a joint to its child, a frame to attached_to (without it to the canonical link of its
 * model), a model to its canonical link. Errors: cycles of either kind, unknown names, chains longer than
 * RG_SDF_MAX_CHAIN.
 */
#include "math/pose.h"
#include "scene/sdf.h"

#include <string.h>

/* The meaning of a name: an item, or (item NULL) the frame of the scope itself. */
typedef struct SdfTarget {
    bool found;
    RgSdfItem *item;
} SdfTarget;

static bool fail_chain(RgSdf *sdf, const RgXml *at)
{
    return rg_reader_fail(sdf->reader, RG_ERR_MODEL, at, "frames refer to one another more than %d deep",
                          RG_SDF_MAX_CHAIN);
}

static SdfTarget find_in(const RgSdfScope *scope, const char *own_model, const char *name)
{
    /* The scope's frame; in a merged model the frame that replaces it. */
    if (strcmp(name, "__model__") == 0) {
        int merged = own_model != NULL ? rg_name_map_find(&scope->names, own_model) : -1;
        return (SdfTarget){scope->depth > 0, merged >= 0 ? scope->items[merged] : NULL};
    }
    if (strcmp(name, "world") == 0 && scope->depth == 0)
        return (SdfTarget){true, NULL};

    /* A plain name, or a path a::b. Old files have names that contain ::, so the whole name is tried first. */
    for (;;) {
        int place = rg_name_map_find(&scope->names, name);
        if (place >= 0)
            return (SdfTarget){true, scope->items[place]};
        const char *colons = strstr(name, "::");
        char first[RG_NAME_MAX + 1];
        if (colons == NULL || (size_t)(colons - name) >= sizeof first)
            return (SdfTarget){false, NULL};
        memcpy(first, name, (size_t)(colons - name));
        first[colons - name] = '\0';
        place = rg_name_map_find(&scope->names, first);
        if (place < 0 || scope->items[place]->inner == NULL)
            return (SdfTarget){false, NULL};
        scope = scope->items[place]->inner;
        name = colons + 2;
        if (strcmp(name, "__model__") == 0)
            return (SdfTarget){true, scope->self};
    }
}

const RgSdfItem *rg_sdf_link_find(const RgSdfScope *scope, const char *name)
{
    SdfTarget target = find_in(scope, NULL, name);
    return target.item != NULL && target.item->kind == RG_SDF_LINK ? target.item : NULL;
}

static SdfTarget find_target(RgSdf *sdf, const RgSdfItem *item, const char *name, const RgXml *at)
{
    SdfTarget target = find_in(item->scope, item->own_model, name);
    if (!target.found)
        rg_reader_fail(sdf->reader, RG_ERR_MODEL, at,
                       "<%s name='%s'>: there is no link, joint, frame or model '%s' here", item->xml->name, item->name,
                       name);
    return target;
}

/* ------------------------------------------------------------------ poses */

static void resolve(RgSdf *sdf, RgSdfItem *item);

/* Pose of an item, which may be inside other models of the scope, in the scope's frame. */
static RgPose pose_of(RgSdf *sdf, const RgSdfScope *scope, RgSdfItem *target)
{
    if (target == NULL)
        return pose_identity();
    for (RgSdfItem *item = target; item->scope != scope && item->scope->self != NULL; item = item->scope->self)
        resolve(sdf, item->scope->self);
    resolve(sdf, target);
    return rg_sdf_pose_in(scope, target);
}

RgPose rg_sdf_frame_pose(RgSdf *sdf, const RgSdfItem *item, const char *name, const RgXml *at)
{
    SdfTarget target = find_target(sdf, item, name, at);
    return target.found ? pose_of(sdf, item->scope, target.item) : pose_identity();
}

/* Whether an item is a joint whose child is the world. In a joint "world" is the world in every scope. */
static bool ends_in_world(const RgSdfItem *item)
{
    return item->kind == RG_SDF_JOINT && strcmp(item->attached_to, "world") == 0;
}

/* Pose of the world in the frame of a scope. */
static RgPose world_pose(RgSdf *sdf, const RgSdfScope *scope)
{
    RgPose X = pose_identity();
    for (const RgSdfScope *s = scope; s->self != NULL; s = s->outer) {
        resolve(sdf, s->self);
        X = pose_mul(X, pose_inverse(s->self->X_S));
    }
    return X;
}

static const char *default_frame(const RgSdfItem *item)
{
    if ((item->kind == RG_SDF_FRAME || item->kind == RG_SDF_JOINT) && item->attached_to[0] != '\0')
        return item->attached_to;
    return item->scope->depth > 0 ? "__model__" : "world";
}

/* Pose of the placement frame inside a model; identity without one. */
static RgPose placement_pose(RgSdf *sdf, const RgSdfItem *item)
{
    if (item->placement[0] == '\0')
        return pose_identity();
    SdfTarget target = find_in(item->inner, NULL, item->placement);
    if (!target.found) {
        rg_reader_fail(sdf->reader, RG_ERR_MODEL, item->xml, "model '%s': it has no placement frame '%s'", item->name,
                       item->placement);
        return pose_identity();
    }
    return pose_of(sdf, item->inner, target.item);
}

static void resolve(RgSdf *sdf, RgSdfItem *item)
{
    if (item->resolved || !rg_reader_ok(sdf->reader))
        return;
    if (item->busy) {
        rg_reader_fail(sdf->reader, RG_ERR_MODEL, item->xml, "<%s name='%s'>: its pose depends on itself",
                       item->xml->name, item->name);
        return;
    }
    if (++sdf->chain > RG_SDF_MAX_CHAIN)
        fail_chain(sdf, item->xml);
    item->busy = true;

    /* The frame of a merged model is attached to a link that is placed in that frame: attached_to is no default
       here. */
    bool is_merged = item->kind == RG_SDF_FRAME && strcmp(item->xml->name, "model") == 0;
    const char *frame = item->relative_to;
    if (frame[0] == '\0')
        frame = is_merged ? "__model__" : default_frame(item);
    RgPose X_rel = item->relative_to[0] == '\0' && ends_in_world(item) ? world_pose(sdf, item->scope)
                                                                       : rg_sdf_frame_pose(sdf, item, frame, item->xml);
    RgPose X = pose_mul(X_rel, item->X_raw);
    if (item->kind == RG_SDF_MODEL && item->placement[0] != '\0')
        X = pose_mul(X, pose_inverse(placement_pose(sdf, item)));
    item->X_S = X;
    item->busy = false;
    item->resolved = true;
    sdf->chain--;
}

static void resolve_scope(RgSdf *sdf, RgSdfScope *scope)
{
    for (int i = 0; i < scope->nitems && rg_reader_ok(sdf->reader); i++) {
        RgSdfItem *item = scope->items[i];
        resolve(sdf, item);
        if (item->inner != NULL) {
            item->inner->X_WS = pose_mul(scope->X_WS, item->X_S);
            resolve_scope(sdf, item->inner);
        }
    }
}

void rg_sdf_poses_resolve(RgSdf *sdf)
{
    sdf->world->X_WS = sdf->reader->options->X_WM;
    resolve_scope(sdf, sdf->world);
}

RgPose rg_sdf_pose_in(const RgSdfScope *scope, const RgSdfItem *item)
{
    RgPose X = item->X_S;
    for (const RgSdfScope *s = item->scope; s != scope && s->self != NULL; s = s->outer)
        X = pose_mul(s->self->X_S, X);
    return X;
}

RgPose rg_sdf_pose_world(const RgSdfItem *item)
{
    return pose_mul(item->scope->X_WS, item->X_S);
}

/* ------------------------------------------------------------------ attachment */

static RgSdfItem *link_of(RgSdf *sdf, RgSdfItem *item);

/* The canonical link of a model: the one it names, else its first link, else that of the first model inside. */
static RgSdfItem *find_canonical(RgSdf *sdf, const RgSdfScope *scope)
{
    if (scope->canonical != NULL && scope->canonical[0] != '\0') {
        SdfTarget target = find_in(scope, NULL, scope->canonical);
        if (target.found && target.item != NULL && target.item->kind == RG_SDF_LINK)
            return target.item;
        rg_reader_fail(sdf->reader, RG_ERR_MODEL, scope->xml, "its canonical_link '%s' is not defined",
                       scope->canonical);
        return NULL;
    }
    for (int i = 0; i < scope->nitems; i++)
        if (scope->items[i]->kind == RG_SDF_LINK)
            return scope->items[i];
    for (int i = 0; i < scope->nitems; i++)
        if (scope->items[i]->inner != NULL)
            return find_canonical(sdf, scope->items[i]->inner);
    rg_reader_fail(sdf->reader, RG_ERR_MODEL, scope->xml, "model '%s' has no link to attach to",
                   scope->self != NULL ? scope->self->name : "");
    return NULL;
}

static RgSdfItem *canonical_link(RgSdf *sdf, RgSdfScope *scope)
{
    if (scope->canonical_link == NULL)
        scope->canonical_link = find_canonical(sdf, scope);
    return scope->canonical_link;
}

RgSdfItem *rg_sdf_frame_link(RgSdf *sdf, const RgSdfItem *item, const char *name, const RgXml *at)
{
    SdfTarget target = find_target(sdf, item, name, at);
    if (!target.found)
        return NULL;
    if (target.item != NULL)
        return link_of(sdf, target.item);
    return item->scope->depth > 0 ? canonical_link(sdf, item->scope) : NULL;
}

static RgSdfItem *link_of(RgSdf *sdf, RgSdfItem *item)
{
    if (item->kind == RG_SDF_LINK || !rg_reader_ok(sdf->reader))
        return item->kind == RG_SDF_LINK ? item : NULL;
    if (item->kind == RG_SDF_MODEL)
        return canonical_link(sdf, item->inner);
    if (ends_in_world(item))
        return NULL;
    if (item->following) {
        rg_reader_fail(sdf->reader, RG_ERR_MODEL, item->xml, "<%s name='%s'> is attached to itself", item->xml->name,
                       item->name);
        return NULL;
    }
    if (++sdf->chain > RG_SDF_MAX_CHAIN)
        fail_chain(sdf, item->xml);
    item->following = true;
    const char *frame = item->attached_to;
    if (frame[0] == '\0')
        frame = item->scope->depth > 0 ? "__model__" : "world";
    RgSdfItem *link = rg_sdf_frame_link(sdf, item, frame, item->xml);
    item->following = false;
    sdf->chain--;
    return link;
}
