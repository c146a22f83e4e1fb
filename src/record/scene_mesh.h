/*
 * scene_mesh.h - triangles for display of shapes with vertices: meshes, polytopes, height fields.
 */
#ifndef RIGOR_SCENE_MESH_H
#define RIGOR_SCENE_MESH_H

#include "record/buffer.h"

#include <rigor/model.h>

/* vertices: float32 x y z; triangles: three uint32 indices each, counter-clockwise from outside. */
typedef struct RgSceneMesh {
    RgBuffer vertices, triangles;
} RgSceneMesh;

/* Replaces the mesh by that of a shape, in the shape's frame. False: the shape has none, or out of memory. */
bool rg_scene_mesh(const RgShapeInfo *shape, RgSceneMesh *out);
void rg_scene_mesh_free(RgSceneMesh *mesh);

#endif
