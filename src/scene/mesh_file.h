/*
 * mesh_file.h - triangle meshes from files.
 *
 * A new format is one file with one RgMeshFormat at its foot and one line in RG_MESH_FORMAT_LIST.
 */
#ifndef RIGOR_MESH_FILE_H
#define RIGOR_MESH_FILE_H

#include "scene/reader.h"

/* Limits that keep a hostile file from exhausting memory: 24 bytes a vertex, 12 a triangle. */
#define RG_MESH_MAX_BYTES ((size_t)256 << 20)
#define RG_MESH_MAX_VERTICES 4000000
#define RG_MESH_MAX_TRIANGLES 2000000

typedef struct RgMeshInput {
    const char *file; /* for messages */
    const unsigned char *data;
    size_t size;
} RgMeshInput;

typedef struct RgMeshFormat {
    const char *extension; /* lower case, with the dot */
    /* Fills mesh with arrays in the arena: at least one triangle, finite vertices, indices in range; parts where the
       file has several objects with triangles. */
    RgStatus (*parse)(const RgMeshInput *input, RgArena *arena, RgMeshData *mesh, RgError *error);
} RgMeshFormat;

/* Parts while a file is read. A part begins with the first triangle of an object: an object without triangles makes no
   part. */
typedef struct RgMeshParts {
    int32_t *start; /* first triangle of each part; one more entry for the end of the last */
    int32_t count;
    bool is_new; /* the next triangle begins a part */
} RgMeshParts;

/* Call before each triangle is added; triangle: its index. */
static inline void rg_mesh_parts_enter(RgMeshParts *parts, int32_t triangle)
{
    if (parts->start != NULL && (parts->is_new || parts->count == 0))
        parts->start[parts->count++] = triangle;
    parts->is_new = false;
}

/* Sets the parts of the mesh, if there are several. */
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
 * Sets the geometry of a shape to the mesh file that uri, given in the element at, names. A missing file and an unknown
 * format are remarks and leave the shape without geometry; a malformed file is an error. False: the error is set.
 */
bool rg_mesh_load(RgReader *reader, const RgXml *at, const char *uri, RgShapeDef *shape);

#endif
