/*
 * mesh_file.h - triangle meshes from files.
 *
 * A new format is one file with one RgMeshFormat at its foot and one line in RG_MESH_FORMAT_LIST.
 */
#ifndef RIGOR_MESH_FILE_H
#define RIGOR_MESH_FILE_H

#include "scene/reader.h"

/* Limits that keep a hostile file from exhausting memory. */
#define RG_MESH_MAX_BYTES ((size_t)256 << 20)
#define RG_MESH_MAX_VERTICES 4000000
#define RG_MESH_MAX_TRIANGLES 2000000

typedef struct RgMeshInput {
    const char *file; /* for messages */
    const unsigned char *data;
    size_t size;
} RgMeshInput;

typedef struct RgMeshFormat {
    const char *extension; /* lower case, with its point */
    /* Fills mesh with arrays in the arena: at least one triangle, finite vertices, indices in range; parts
       where the file has several objects with triangles. */
    RgStatus (*parse)(const RgMeshInput *input, RgArena *arena, RgMeshData *mesh, RgError *error);
} RgMeshFormat;

/* Parts while a file is read: an object begins with its first triangle, so that one without makes no part. */
typedef struct RgMeshParts {
    int32_t *start; /* of each part, and room for one more */
    int32_t count;
    bool is_new; /* the next triangle begins a part */
} RgMeshParts;

/* To be called before triangle `triangle` is added. */
static inline void rg_mesh_parts_enter(RgMeshParts *parts, int32_t triangle)
{
    if (parts->start != NULL && (parts->is_new || parts->count == 0))
        parts->start[parts->count++] = triangle;
    parts->is_new = false;
}

/* Gives the mesh its parts, if there are several. */
static inline void rg_mesh_parts_finish(const RgMeshParts *parts, RgMeshData *mesh)
{
    if (parts->start == NULL || parts->count < 2)
        return;
    parts->start[parts->count] = mesh->nfaces;
    mesh->part_start = parts->start;
    mesh->nparts = parts->count;
}

#define RG_MESH_FORMAT_LIST(X) X(obj) X(stl)

#define RG_MESH_FORMAT_DECLARE(name) extern const RgMeshFormat rg_mesh_format_##name;
RG_MESH_FORMAT_LIST(RG_MESH_FORMAT_DECLARE)
#undef RG_MESH_FORMAT_DECLARE

/* The format of a file name by its extension, or NULL. */
const RgMeshFormat *rg_mesh_format(const char *file);

/*
 * Gives a shape the geometry of the mesh file that uri names in the element at. A file that is not there, and
 * a format that is not read, are remarks and leave the shape without geometry; a file that is there but
 * malformed is an error.
 */
bool rg_mesh_load(RgReader *reader, const RgXml *at, const char *uri, RgShapeDef *shape);

#endif
