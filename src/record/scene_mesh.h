/*
 * scene_mesh.h - the triangles to draw for a shape that has corners of its own: meshes, polytopes, height fields.
 */
#ifndef RIGOR_SCENE_MESH_H
#define RIGOR_SCENE_MESH_H

#include "record/buffer.h"

#include <rigor/model.h>

/* vertices: float32 x y z; triangles: uint32, three corners each, counter-clockwise from outside. */
typedef struct RgSceneMesh {
    RgBuffer vertices, triangles;
} RgSceneMesh;

/* Fills the (cleared) mesh in the frame of the shape. False: the shape has none, or memory is out. */
bool rg_scene_mesh(const RgShapeInfo *shape, RgSceneMesh *out);
void rg_scene_mesh_free(RgSceneMesh *mesh);

#endif
