/*
 * scene.c - reads a robot or world file: bytes, XML tree, the format that its root element names, builder.
 *
 * All memory of a reading besides the builder's is in one arena, which is freed at the end, after errors too.
 */
#include <rigor/scene.h>

#include "base/alloc.h"
#include "base/file_bytes.h"
#include "base/status.h"
#include "math/pose.h"
#include "model/model_builder.h"
#include "scene/scene_table.h"

#include <string.h>

RgReadOptions rg_read_options_default(void)
{
    return (RgReadOptions){.cookie = RG_COOKIE, .X_WM = pose_identity()};
}

static const RgSceneFormat *find_format(const char *root)
{
    static const RgSceneFormat *const formats[] = {
#define RG_SCENE_FORMAT_ENTRY(name) &rg_scene_format_##name,
        RG_SCENE_FORMAT_LIST(RG_SCENE_FORMAT_ENTRY)
#undef RG_SCENE_FORMAT_ENTRY
    };
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(formats[i]->root, root) == 0)
            return formats[i];
    return NULL;
}

static RgStatus read_bytes(RgReader *reader, const char *name, const void *data, size_t size)
{
    const RgXml *root = rg_xml_parse(&reader->arena, name, data, size, &reader->error);
    if (root == NULL)
        return reader->error.status;
    const RgSceneFormat *format = find_format(root->name);
    if (format == NULL)
        rg_reader_fail(reader, RG_ERR_UNSUPPORTED, root, "expected <robot> (URDF) or <sdf> as root element, found <%s>",
                       root->name);
    else
        format->read(reader, root);
    return reader->error.status;
}

/* RG_ERR_ARGUMENT: the caller gave no builder or name, or wrong options. */
static RgStatus check_arguments(const RgBuilder *builder, const char *name, const RgReadOptions *options,
                                RgError *error)
{
    if (builder == NULL || name == NULL)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "reading needs a builder and a name");
    if (options->cookie != RG_COOKIE)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "read options must start from rg_read_options_default()");
    if (options->nsearch < 0 || (options->nsearch > 0 && options->search == NULL))
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "%d search folders, but no list of them", options->nsearch);
    return RG_OK;
}

RgStatus rg_read_memory(RgBuilder *builder, const char *name, const void *data, size_t size,
                        const RgReadOptions *options, RgError *error)
{
    RgReadOptions defaults = rg_read_options_default();
    if (options == NULL)
        options = &defaults;
    RgStatus status = check_arguments(builder, name, options, error);
    if (status != RG_OK)
        return status;
    if (data == NULL && size > 0)
        return rg_fail(error, RG_ERR_ARGUMENT, name, 0, "no data");
    RgReader reader = {.builder = builder, .options = options};
    rg_arena_init(&reader.arena, &builder->arena.allocator);
    status = read_bytes(&reader, name, data, size);
    rg_arena_free(&reader.arena);
    if (error != NULL)
        *error = reader.error;
    return status;
}

RgStatus rg_read_file(RgBuilder *builder, const char *path, const RgReadOptions *options, RgError *error)
{
    RgReadOptions defaults = rg_read_options_default();
    RgStatus status = check_arguments(builder, path, options != NULL ? options : &defaults, error);
    if (status != RG_OK)
        return status;
    RgError file_error = {0};
    size_t size = 0;
    unsigned char *bytes = rg_file_read(&builder->arena.allocator, path, RG_XML_MAX_BYTES, &size, &file_error);
    if (bytes == NULL) {
        if (error != NULL)
            *error = file_error;
        return file_error.status;
    }
    status = rg_read_memory(builder, path, bytes, size, options, error);
    rg_free(&builder->arena.allocator, bytes);
    return status;
}

RgModel *rg_model_load(const char *path, const RgReadOptions *options, const RgLog *log, RgError *error)
{
    RgBuilder *builder = rg_builder_create(NULL, log);
    if (builder == NULL) {
        rg_fail(error, RG_ERR_MEMORY, path, 0, "%s", rg_status_text(RG_ERR_MEMORY));
        return NULL;
    }
    RgModel *model = NULL;
    if (rg_read_file(builder, path, options, error) == RG_OK)
        model = rg_builder_finish(builder, error);
    rg_builder_destroy(builder);
    return model;
}
