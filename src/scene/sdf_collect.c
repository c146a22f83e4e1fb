/*
 * sdf_collect.c - collects the scopes and items of an SDF file.
 *
 * A model opens a scope. An <include> opens the scope of the model that it names; name, pose and static of the include
 * replace those of the model. <include merge="true"> adds the items of the model to the scope of the include instead; a
 * frame _merged__NAME__model__ then represents the model's frame.
 *
 * Names are unique among all items of a scope. Before SDF 1.7 a joint or frame may have the name of a link; references
 * to the name then mean the link.
 */
#include "base/status.h"
#include "math/pose.h"
#include "scene/collision_pairs.h"
#include "scene/sdf.h"

#include <string.h>

void rg_sdf_pose_read(RgReader *reader, const RgXml *element, RgPose *X, const char **relative_to)
{
    *X = pose_identity();
    *relative_to = "";
    const RgXml *pose = rg_xml_child(element, "pose");
    if (pose == NULL)
        return;

    /* Before 1.7 the attribute was called frame. */
    const char *frame = rg_xml_attribute(pose, "relative_to");
    if (frame == NULL)
        frame = rg_xml_attribute(pose, "frame");
    if (frame != NULL)
        *relative_to = frame;
    if (pose->text[0] == '\0')
        return;

    const char *format = rg_xml_attribute(pose, "rotation_format"), *degrees = rg_xml_attribute(pose, "degrees");
    double v[7];
    if (format != NULL && strcmp(format, "quat_xyzw") == 0) {
        if (!rg_reader_text(reader, pose, 7, v))
            return;
        X->R = q_matrix(q_normalise((RgQuat){v[6], v[3], v[4], v[5]}));
    } else {
        if (format != NULL && strcmp(format, "euler_rpy") != 0)
            rg_reader_fail(reader, RG_ERR_UNSUPPORTED, pose, "<pose>: unknown rotation_format '%s'", format);
        if (!rg_reader_text(reader, pose, 6, v))
            return;
        double k = degrees != NULL && rg_reader_flag(reader, pose, degrees) ? RG_PI / 180.0 : 1.0;
        X->R = m3_from_rpy(k * v[3], k * v[4], k * v[5]);
    }
    X->p = v3(v[0], v[1], v[2]);
}

/* ------------------------------------------------------------------ items */

static bool enter_name(RgSdf *sdf, RgSdfScope *scope, RgSdfItem *item, int place)
{
    int other = rg_name_map_find(&scope->names, item->name);
    const RgSdfItem *first = other >= 0 ? scope->items[other] : NULL;
    if (first != NULL && (first->kind == item->kind || item->version >= 107))
        return rg_reader_fail(sdf->reader, RG_ERR_MODEL, item->xml, "duplicate name '%s' (<%s> on line %d has it)",
                              item->name, first->xml->name, first->xml->line);

    /* Before 1.7 each kind has its own names; a name in a pose means the link. */
    if (first != NULL && item->kind != RG_SDF_LINK)
        return true;
    return rg_name_map_set(&scope->names, &sdf->reader->arena, item->name, place) || rg_reader_fail_memory(sdf->reader);
}

/* A new item with name and pose from its element; NULL on error. */
static RgSdfItem *add_item(RgSdf *sdf, RgSdfScope *scope, RgSdfKind kind, const RgXml *xml, const char *name,
                           int version)
{
    RgReader *reader = sdf->reader;
    RgSdfItem *item = RG_ARENA_ALLOC(&reader->arena, RgSdfItem, 1);
    if (scope->nitems == scope->room) {
        int room = 2 * scope->room + 16;
        RgSdfItem **grown = RG_ARENA_ALLOC(&reader->arena, RgSdfItem *, room);
        if (grown != NULL && scope->nitems > 0)
            memcpy(grown, scope->items, (size_t)scope->nitems * sizeof(RgSdfItem *));
        scope->items = grown != NULL ? grown : scope->items;
        scope->room = grown != NULL ? room : scope->room;
    }
    if (item == NULL || scope->nitems == scope->room) {
        rg_reader_fail_memory(reader);
        return NULL;
    }
    if (++sdf->items > RG_SDF_MAX_ITEMS) {
        rg_reader_fail(reader, RG_ERR_SYNTAX, xml, "more than %d links, joints, frames and models", RG_SDF_MAX_ITEMS);
        return NULL;
    }
    item->kind = kind;
    item->xml = xml;
    item->name = name;
    item->version = version;
    item->scope = scope;
    item->placement = item->attached_to = "";
    rg_sdf_pose_read(reader, xml, &item->X_raw, &item->relative_to);
    if (!enter_name(sdf, scope, item, scope->nitems))
        return NULL;
    scope->items[scope->nitems++] = item;
    return item;
}

static bool is_reserved(const char *name)
{
    size_t length = strlen(name);
    bool underlined = length > 4 && strncmp(name, "__", 2) == 0 && strcmp(name + length - 2, "__") == 0;
    return underlined || strcmp(name, "world") == 0;
}

/* The name of an item: that of the include if it gives one, else the attribute. NULL: missing or reserved (an
   error). */
static const char *read_name(RgSdf *sdf, const RgXml *xml, const RgXml *include, int version)
{
    const RgXml *renamed = rg_xml_child(include, "name");
    if (renamed != NULL && renamed->text[0] != '\0' && strlen(renamed->text) <= RG_NAME_MAX)
        return renamed->text;
    const char *name = rg_reader_name(sdf->reader, xml, "name");
    if (name != NULL && version >= 107 && is_reserved(name)) {
        rg_reader_fail(sdf->reader, RG_ERR_MODEL, xml, "<%s>: the name '%s' is reserved", xml->name, name);
        return NULL;
    }
    return name;
}

/* ------------------------------------------------------------------ scopes */

static void collect_scope(RgSdf *sdf, RgSdfScope *scope, const RgXml *xml, int version, const char *own_model);

static RgSdfScope *open_scope(RgSdf *sdf, RgSdfScope *outer, RgSdfItem *self, const RgXml *xml)
{
    RgReader *reader = sdf->reader;
    RgSdfScope *scope = RG_ARENA_ALLOC(&reader->arena, RgSdfScope, 1);
    if (scope == NULL) {
        rg_reader_fail_memory(reader);
        return NULL;
    }
    scope->outer = outer;
    scope->self = self;
    scope->xml = xml;
    scope->prefix = "";
    scope->depth = outer != NULL ? outer->depth + 1 : 0;
    if (self == NULL)
        return scope;
    if (scope->depth > RG_SDF_MAX_NESTING) {
        rg_reader_fail(reader, RG_ERR_SYNTAX, xml, "models are nested deeper than %d (does a file include itself?)",
                       RG_SDF_MAX_NESTING);
        return NULL;
    }
    scope->self_collide = outer->self_collide;
    scope->top = outer->depth == 0 ? scope : outer->top;
    scope->group = self->name;
    if (outer->depth > 0)
        scope->prefix = rg_reader_format(reader, "%s%s::", outer->prefix, self->name);
    scope->canonical = rg_xml_attribute(xml, "canonical_link");
    return scope->prefix != NULL ? scope : NULL;
}

/* A <model>; include: the <include> that names it, or NULL. */
static void collect_model(RgSdf *sdf, RgSdfScope *outer, const RgXml *model, const RgXml *include, int version,
                          const char *own_model)
{
    RgReader *reader = sdf->reader;
    const RgXml *placed = rg_xml_child(include, "placement_frame");
    const char *name = read_name(sdf, model, include, version);
    if (name == NULL)
        return;
    RgSdfItem *item = add_item(sdf, outer, RG_SDF_MODEL, model, name, version);
    if (item == NULL)
        return;
    item->own_model = own_model;
    const char *placement = placed != NULL ? placed->text : rg_xml_attribute(model, "placement_frame");
    item->placement = placement != NULL ? placement : "";
    if (rg_xml_child(include, "pose") != NULL)
        rg_sdf_pose_read(reader, include, &item->X_raw, &item->relative_to);

    item->inner = open_scope(sdf, outer, item, model);
    if (item->inner == NULL)
        return;
    bool is_static = rg_reader_child_flag(reader, model, "static", false);
    if (rg_xml_child(include, "static") != NULL)
        is_static = rg_reader_child_flag(reader, include, "static", false);
    item->inner->is_static = is_static || outer->is_static;
    collect_scope(sdf, item->inner, model, version, NULL);
}

/* Adds the items of a model to the scope of its include, and a frame for the model's frame. */
static void merge_model(RgSdf *sdf, RgSdfScope *scope, const RgXml *model, const RgXml *include, int version,
                        const char *own_model)
{
    RgReader *reader = sdf->reader;
    const char *name = read_name(sdf, model, include, version);
    const char *frame = name != NULL ? rg_reader_format(reader, "_merged__%s__model__", name) : NULL;
    if (frame == NULL)
        return;
    if (rg_xml_child(include, "placement_frame") != NULL || rg_xml_attribute(model, "placement_frame") != NULL) {
        rg_reader_fail(reader, RG_ERR_UNSUPPORTED, include, "a placement_frame in a merged include is not supported");
        return;
    }
    RgSdfItem *item = add_item(sdf, scope, RG_SDF_FRAME, model, frame, version);
    if (item == NULL)
        return;
    item->own_model = own_model;
    if (rg_xml_child(include, "pose") != NULL)
        rg_sdf_pose_read(reader, include, &item->X_raw, &item->relative_to);

    /* The frame is attached to the model's canonical link. */
    const RgXml *first = rg_xml_child(model, "link");
    const char *canonical = rg_xml_attribute(model, "canonical_link");
    if (canonical == NULL || canonical[0] == '\0')
        canonical = first != NULL ? rg_xml_attribute(first, "name") : NULL;
    item->attached_to = canonical != NULL ? canonical : "";
    bool self_collide = scope->self_collide;
    collect_scope(sdf, scope, model, version, frame);
    scope->self_collide = self_collide;
}

static void collect_include(RgSdf *sdf, RgSdfScope *scope, const RgXml *include, const char *own_model)
{
    int version;
    const RgXml *model = rg_sdf_include_open(sdf, include, &version);
    if (model == NULL)
        return;
    const char *merge = rg_xml_attribute(include, "merge");
    if (merge != NULL && rg_reader_flag(sdf->reader, include, merge) && scope->depth > 0)
        merge_model(sdf, scope, model, include, version, own_model);
    else
        collect_model(sdf, scope, model, include, version, own_model);
}

/* Links, joints and frames. */
static void collect_simple(RgSdf *sdf, RgSdfScope *scope, RgSdfKind kind, const RgXml *xml, int version,
                           const char *own_model)
{
    const char *name = read_name(sdf, xml, NULL, version);
    RgSdfItem *item = name != NULL ? add_item(sdf, scope, kind, xml, name, version) : NULL;
    if (item == NULL)
        return;
    item->own_model = own_model;
    if (kind == RG_SDF_LINK) {
        item->self_collide = rg_reader_child_flag(sdf->reader, xml, "self_collide", scope->self_collide);
    } else if (kind == RG_SDF_FRAME) {
        const char *attached_to = rg_xml_attribute(xml, "attached_to");
        item->attached_to = attached_to != NULL ? attached_to : "";
    } else if (kind == RG_SDF_JOINT) {
        const RgXml *child = rg_xml_child(xml, "child");
        item->attached_to = child != NULL ? child->text : "";
    }
}

/* Stores an element with collision filters, which are read after all links are added. */
static void store_filters(RgSdf *sdf, RgSdfScope *scope, const RgXml *xml)
{
    if (!rg_collision_pairs_present(xml))
        return;
    RgSdfFilters *filters = RG_ARENA_ALLOC(&sdf->reader->arena, RgSdfFilters, 1);
    if (filters == NULL) {
        rg_reader_fail_memory(sdf->reader);
        return;
    }
    *filters = (RgSdfFilters){scope, xml, NULL};
    *sdf->last_filters = filters;
    sdf->last_filters = &filters->next;
}

static void collect_scope(RgSdf *sdf, RgSdfScope *scope, const RgXml *xml, int version, const char *own_model)
{
    store_filters(sdf, scope, xml);
    if (scope->depth > 0)
        scope->self_collide = rg_reader_child_flag(sdf->reader, xml, "self_collide", scope->self_collide);
    for (const RgXml *child = xml->first; child != NULL && rg_reader_ok(sdf->reader); child = child->next) {
        if (strcmp(child->name, "link") == 0 && scope->depth > 0)
            collect_simple(sdf, scope, RG_SDF_LINK, child, version, own_model);
        else if (strcmp(child->name, "joint") == 0)
            collect_simple(sdf, scope, RG_SDF_JOINT, child, version, own_model);
        else if (strcmp(child->name, "frame") == 0)
            collect_simple(sdf, scope, RG_SDF_FRAME, child, version, own_model);
        else if (strcmp(child->name, "model") == 0)
            collect_model(sdf, scope, child, NULL, version, own_model);
        else if (strcmp(child->name, "include") == 0)
            collect_include(sdf, scope, child, own_model);
    }
    if (scope->depth > 0) {
        static const char *const known[] = {"link",
                                            "joint",
                                            "frame",
                                            "model",
                                            "include",
                                            "pose",
                                            "static",
                                            "self_collide",
                                            "allow_auto_disable",
                                            "enable_wind",
                                            "drake:collision_filter_group",
                                            "disable_collisions",
                                            "enable_collisions",
                                            NULL};
        static const char *const skipped[] = {"plugin", "gripper", "sensor", "light", NULL};
        rg_reader_expect(sdf->reader, xml, known, skipped);
    }
}

void rg_sdf_world_collect(RgSdf *sdf, const RgXml *world, int version)
{
    static const char *const known[] = {"model",
                                        "include",
                                        "frame",
                                        "joint",
                                        "physics",
                                        "gravity",
                                        "drake:collision_filter_group",
                                        "disable_collisions",
                                        "enable_collisions",
                                        NULL};
    static const char *const skipped[] = {"plugin",
                                          "light",
                                          "gui",
                                          "scene",
                                          "audio",
                                          "wind",
                                          "magnetic_field",
                                          "atmosphere",
                                          "actor",
                                          "road",
                                          "spherical_coordinates",
                                          "state",
                                          "population",
                                          "link",
                                          NULL};
    rg_reader_expect(sdf->reader, world, known, skipped);
    sdf->world = open_scope(sdf, NULL, NULL, world);
    if (sdf->world != NULL)
        collect_scope(sdf, sdf->world, world, version, NULL);
}

void rg_sdf_models_collect(RgSdf *sdf, const RgXml *root, int version)
{
    sdf->world = open_scope(sdf, NULL, NULL, root);
    for (const RgXml *child = root->first; sdf->world != NULL && child != NULL && rg_reader_ok(sdf->reader);
         child = child->next)
        if (strcmp(child->name, "model") == 0)
            collect_model(sdf, sdf->world, child, NULL, version, NULL);
        else if (strcmp(child->name, "include") == 0)
            collect_include(sdf, sdf->world, child, NULL);
}
