/*
 * read_sdf.c - SDF, the Simulation Description Format of Gazebo, 1.3 to 1.11: <sdf> with models, or with a <world> of
 * models.
 *
 *   1. collect   scopes and items, includes opened            sdf_collect.c, sdf_include.c
 *   2. poses     of every item in its scope                   sdf_frames.c
 *   3. connect   joints to links                              sdf_joint.c
 *   4. base      weld root links if the base option is fixed  sdf_base.c
 *   5. add       links with shapes, frames, joints, then the couplings of gearboxes and mimics
 *   6. pairs     of links that may or may not touch           collision_pairs.c
 *
 * A model is a group of the builder; the items of a model inside it are called inner::name. A static model is welded to
 * the world. Every joint may close a loop. After an error the builder still frees everything.
 */
#include "math/pose.h"
#include "scene/collision_pairs.h"
#include "scene/scene_table.h"
#include "scene/sdf.h"

#include <string.h>

/* ------------------------------------------------------------------ version */

int rg_sdf_version_parse(const char *text)
{
    int parts[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        if (*text < '0' || *text > '9')
            return -1;
        for (; *text >= '0' && *text <= '9' && parts[i] < 1000; text++)
            parts[i] = 10 * parts[i] + (*text - '0');
        if (*text != (i == 0 ? '.' : '\0'))
            return -1;
        text += i == 0;
    }
    return 100 * parts[0] + parts[1];
}

int rg_sdf_version(RgReader *reader, const RgXml *root)
{
    const char *text = rg_xml_attribute(root, "version");
    if (text == NULL) {
        rg_reader_warn(reader, root, "<sdf> without a version is read as 1.11");
        return 111;
    }
    int version = rg_sdf_version_parse(text);
    if (version < 0) {
        rg_reader_fail(reader, RG_ERR_SYNTAX, root, "<sdf version>: expected a version like 1.9, found '%.20s'", text);
        return 111;
    }
    if (version < 103 || version > 111)
        rg_reader_warn(reader, root, "SDF version %s is read like %s: known are 1.3 to 1.11", text,
                       version < 103 ? "1.3" : "1.11");
    return version;
}

/* ------------------------------------------------------------------ what all passes need */

void rg_sdf_file_set(RgSdf *sdf, const RgXml *element)
{
    if (sdf->file == element->file)
        return;
    sdf->file = element->file;
    rg_builder_set_file(sdf->reader->builder, element->file);
}

const char *rg_sdf_name(RgSdf *sdf, const RgSdfItem *item)
{
    if (item->scope->prefix[0] == '\0')
        return item->name;
    return rg_reader_format(sdf->reader, "%s%s", item->scope->prefix, item->name);
}

const char *rg_sdf_group(const RgSdfItem *item)
{
    return item->scope->top != NULL ? item->scope->top->group : NULL;
}

void rg_sdf_items_visit(RgSdf *sdf, RgSdfScope *scope, RgSdfKind kind, void (*visit)(RgSdf *, RgSdfItem *))
{
    for (int i = 0; i < scope->nitems && rg_reader_ok(sdf->reader); i++) {
        RgSdfItem *item = scope->items[i];
        if (item->kind == kind)
            visit(sdf, item);
        if (item->inner != NULL)
            rg_sdf_items_visit(sdf, item->inner, kind, visit);
    }
}

/* ------------------------------------------------------------------ add */

static void add_frame(RgSdf *sdf, RgSdfItem *item)
{
    RgReader *reader = sdf->reader;
    RgSdfItem *link = NULL;
    bool in_world = item->scope->depth == 0 && item->attached_to[0] == '\0';
    if (!in_world)
        link = rg_sdf_frame_link(sdf, item, item->name, item->xml);
    if (!rg_reader_ok(reader))
        return;
    rg_sdf_file_set(sdf, item->xml);
    RgFrameDef def = rg_frame_def_default();
    def.name = rg_sdf_name(sdf, item);
    def.group = rg_sdf_group(item);
    def.line = item->xml->line;
    def.X_LF = rg_sdf_pose_world(item);
    if (link != NULL) {
        def.link = link->id;
        def.X_LF = pose_relative(rg_sdf_pose_in(item->scope, link), item->X_S);
    }
    if (rg_reader_ok(reader) && rg_builder_add_frame(reader->builder, &def).i == 0)
        rg_reader_fail_builder(reader);
}

/* RgLinkFind in a scope: a link by its name, or "world". */
static bool find_link(void *context, const char *name, RgLinkId *out)
{
    const RgSdfItem *link = rg_sdf_link_find(context, name);
    out->i = link != NULL ? link->id.i : 0;
    return link != NULL || strcmp(name, "world") == 0;
}

static void add_pairs(RgSdf *sdf)
{
    for (const RgSdfFilters *f = sdf->filters; f != NULL && rg_reader_ok(sdf->reader); f = f->next) {
        rg_sdf_file_set(sdf, f->xml);
        rg_collision_pairs_read(sdf->reader, f->xml, find_link, f->scope);
    }
}

/* Replaces the name of the model by the group option, if the file has only one model: several would become one
   group. */
static void rename_group(RgSdf *sdf)
{
    const char *group = sdf->reader->options->group;
    RgSdfScope *last = NULL;
    int models = 0;
    for (int i = 0; i < sdf->world->nitems; i++)
        if (sdf->world->items[i]->inner != NULL) {
            last = sdf->world->items[i]->inner;
            models++;
        }
    if (group != NULL && models == 1)
        last->group = group;
    else if (group != NULL && models > 1)
        rg_reader_warn(sdf->reader, sdf->world->xml, "%d models in the file keep their names: '%s' is not used", models,
                       group);
}

static const char *choose_name(const RgSdf *sdf, const RgXml *world)
{
    const char *name = world != NULL ? rg_xml_attribute(world, "name") : NULL;
    for (int i = 0; i < sdf->world->nitems && name == NULL; i++)
        if (sdf->world->items[i]->inner != NULL)
            name = sdf->world->items[i]->inner->group;
    return name != NULL ? name : "";
}

static void add_all(RgSdf *sdf)
{
    RgSdfScope *world = sdf->world;
    rg_sdf_poses_resolve(sdf);
    rg_sdf_items_visit(sdf, world, RG_SDF_JOINT, rg_sdf_joint_connect);
    rg_sdf_base_choose(sdf);
    rg_sdf_items_visit(sdf, world, RG_SDF_LINK, rg_sdf_link_add);
    rg_sdf_items_visit(sdf, world, RG_SDF_FRAME, add_frame);
    rg_sdf_items_visit(sdf, world, RG_SDF_JOINT, rg_sdf_joint_add);
    rg_sdf_items_visit(sdf, world, RG_SDF_JOINT, rg_sdf_coupling_add);
    add_pairs(sdf);
}

static void sdf_read(RgReader *reader, const RgXml *root)
{
    static const char *const known[] = {"world", "model", "include", NULL};
    static const char *const skipped[] = {"light", "actor", "plugin", NULL};
    RgSdf *sdf = RG_ARENA_ALLOC(&reader->arena, RgSdf, 1);
    if (sdf == NULL) {
        rg_reader_fail_memory(reader);
        return;
    }
    sdf->reader = reader;
    sdf->last_filters = &sdf->filters;
    int version = rg_sdf_version(reader, root);
    rg_reader_expect(reader, root, known, skipped);
    const RgXml *world = rg_xml_child(root, "world");
    if (world != NULL && rg_xml_next_same(world) != NULL)
        rg_reader_warn(reader, rg_xml_next_same(world), "several worlds: the first is read");
    if (world != NULL)
        rg_sdf_world_collect(sdf, world, version);
    else
        rg_sdf_models_collect(sdf, root, version);
    if (!rg_reader_ok(reader))
        return;
    if (world == NULL && sdf->world->nitems == 0) {
        rg_reader_fail(reader, RG_ERR_MODEL, root, "<sdf> holds neither a world nor a model");
        return;
    }
    if (world != NULL)
        rg_sdf_physics_read(reader, world);
    rename_group(sdf);
    add_all(sdf);
    rg_builder_set_name(reader->builder, choose_name(sdf, world));
}

const RgSceneFormat rg_scene_format_sdf = {"sdf", "sdf", sdf_read};
