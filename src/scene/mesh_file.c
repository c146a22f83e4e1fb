/*
 * mesh_file.c - triangle meshes from files: finds the file and its format. Each file is parsed once per reading.
 */
#include "scene/mesh_file.h"

#include "base/alloc.h"
#include "base/file_bytes.h"
#include "base/status.h"
#include "scene/uri.h"

#include <string.h>

/* Whether the name ends in end (lower case), ignoring case. */
static bool ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    if (n < m)
        return false;
    for (size_t i = 0; i < m; i++) {
        char c = name[n - m + i];
        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if (c != end[i])
            return false;
    }
    return true;
}

const RgMeshFormat *rg_mesh_format(const char *file)
{
    static const RgMeshFormat *const formats[] = {
#define RG_MESH_FORMAT_ENTRY(name) &rg_mesh_format_##name,
        RG_MESH_FORMAT_LIST(RG_MESH_FORMAT_ENTRY)
#undef RG_MESH_FORMAT_ENTRY
    };
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (ends_in(file, formats[i]->extension))
            return formats[i];
    return NULL;
}

/* Remark: the shape has no geometry, as the file is missing or its format is not supported. */
static void warn_empty(RgReader *reader, const RgXml *at, const char *uri, bool missing)
{
    static const char *const known[][2] = {{".dae", "DAE"}, {".gltf", "glTF"}, {".glb", "glTF"}};
    const char *kind = NULL;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (ends_in(uri, known[i][0]))
            kind = known[i][1];
    const char *missed = missing ? " is not found" : " has no geometry";
    if (kind != NULL)
        rg_reader_warn(reader, at, "mesh '%s'%s; %s meshes are not read: convert to OBJ or STL", uri, missed, kind);
    else if (rg_mesh_format(uri) == NULL)
        rg_reader_warn(reader, at, "mesh '%s'%s; meshes are read from OBJ and STL files", uri, missed);
    else
        rg_reader_warn(reader, at, "mesh '%s'%s", uri, missed);
}

/* Parses a file and stores the mesh under its path. */
static bool parse_file(RgReader *reader, const RgMeshFormat *format, const char *path)
{
    /* Room for one more. */
    int count = reader->meshes.count;
    if (count == reader->mesh_room) {
        int room = 2 * count + 16;
        RgMeshData *grown = RG_ARENA_ALLOC(&reader->arena, RgMeshData, room);
        if (grown == NULL)
            return rg_reader_fail_memory(reader);
        if (count > 0)
            memcpy(grown, reader->mesh_data, (size_t)count * sizeof *grown);
        reader->mesh_data = grown;
        reader->mesh_room = room;
    }

    /* Read, parse, store. */
    const RgAllocator *allocator = &reader->arena.allocator;
    RgMeshInput input = {.file = path};
    unsigned char *bytes = rg_file_read(allocator, path, RG_MESH_MAX_BYTES, &input.size, &reader->error);
    if (bytes == NULL)
        return false;
    input.data = bytes;
    RgStatus status = format->parse(&input, &reader->arena, &reader->mesh_data[count], &reader->error);
    rg_free(allocator, bytes);
    if (status != RG_OK)
        return false;
    return rg_name_map_set(&reader->meshes, &reader->arena, path, count) || rg_reader_fail_memory(reader);
}

bool rg_mesh_load(RgReader *reader, const RgXml *at, const char *uri, RgShapeDef *shape)
{
    shape->uri = uri;
    if (reader->options->skip_meshes || !rg_reader_ok(reader))
        return rg_reader_ok(reader);
    const RgMeshFormat *format = rg_mesh_format(uri);
    const char *path = rg_uri_find(reader, at->file, uri);
    if (path == NULL || rg_path_kind(path) != RG_PATH_FILE) {
        shape->uri_missing = true;
        warn_empty(reader, at, uri, true);
        return rg_reader_ok(reader);
    }
    if (format == NULL) {
        warn_empty(reader, at, uri, false);
        return true;
    }
    if (rg_name_map_find(&reader->meshes, path) < 0 && !parse_file(reader, format, path))
        return false;
    shape->mesh = reader->mesh_data[rg_name_map_find(&reader->meshes, path)];
    return true;
}
