/* scene_build.h - functions that add bodies, shapes and joints to a scene. */
#ifndef BENCH_SCENE_BUILD_H
#define BENCH_SCENE_BUILD_H

#include "scene_data.h"
#include "vectors.h"

/* Empty scene with room for so many; gravity 9.81 down, mu 0.5, no restitution. */
SceneData *scene_new(const char *name, const char *title, int bodies, int joints);

/* They return the index. Bodies move and rest, belong to no group and have no shape. */
int scene_add_body(SceneData *scene, double mass, RgVec3 moments, RgPose X_WB);
int scene_add_shape(SceneData *scene, int body, SceneShapeKind kind, const double size[3], RgVec3 p_BS);
int scene_add_hinge(SceneData *scene, int parent, int child, RgVec3 anchor, RgVec3 axis);

/* Gives a shape of kind SCENE_HULL its points; they are copied. */
void scene_set_hull(SceneData *scene, int shape, const double *points, int count);

/* Puts the pairs of bodies that never touch into the order that scene_may_touch needs. */
void scene_sort_apart(SceneData *scene);

/* Principal moments of a uniform box of full lengths. */
RgVec3 scene_box_moments(double mass, RgVec3 size);

/* A box or ball with its shape. */
int scene_add_box(SceneData *scene, double mass, RgVec3 size, RgPose X_WB);
int scene_add_ball(SceneData *scene, double mass, double radius, RgVec3 p);

/* The scenes by kind; NULL: the name is not one of theirs. */
SceneData *scene_of_cubes(const char *name);
SceneData *scene_of_growth(const char *name);
SceneData *scene_of_balls(const char *name);
SceneData *scene_of_links(const char *name);
SceneData *scene_of_towers(const char *name);
SceneData *scene_of_precision(const char *name);
SceneData *scene_of_motion(const char *name);

#endif
