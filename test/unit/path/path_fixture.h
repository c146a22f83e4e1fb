/*
 * path_fixture.h - shapes, drawn paths, and the least distance on a path by asking at very many times.
 */
#ifndef TEST_PATH_FIXTURE_H
#define TEST_PATH_FIXTURE_H

#include "check_near.h"
#include "draw.h"
#include "geometries.h"
#include "path/pair_path.h"

#include <stdlib.h>

typedef enum ShapeChoice {
    CHOICE_BOX,
    CHOICE_TETRAHEDRON,
    CHOICE_HULL_20,
    CHOICE_HULL_1000,
    CHOICE_SPHERE,
    CHOICE_CAPSULE,
    CHOICE_CYLINDER,
    CHOICE_ELLIPSOID,
    CHOICE_HALFSPACE,
    CHOICES
} ShapeChoice;

/* Hull of points on a ball of radius r. */
static inline RgGeometry *geometry_hull(Draw *d, int count, double r)
{
    double points[3 * 1000];
    for (int i = 0; i < count; i++) {
        RgVec3 x = vec_scale(r, draw_direction(d));
        points[3 * i] = x.x;
        points[3 * i + 1] = x.y;
        points[3 * i + 2] = x.z;
    }
    RgShapeDef def = rg_shape_def_default();
    def.type = RG_SHAPE_polytope;
    def.mesh.vertices = points;
    def.mesh.nvertices = count;
    return make_geometry(&def);
}

/* About one metre across. */
static inline RgGeometry *geometry_draw(Draw *d, ShapeChoice choice)
{
    double x = draw_between(d, 0.3, 1.0), y = draw_between(d, 0.3, 1.0), z = draw_between(d, 0.3, 1.0);
    switch (choice) {
    case CHOICE_BOX:
        return make_shape(RG_SHAPE_box, x, y, z);
    case CHOICE_TETRAHEDRON:
        return geometry_hull(d, 4, 0.6);
    case CHOICE_HULL_20:
        return geometry_hull(d, 20, 0.5);
    case CHOICE_HULL_1000:
        return geometry_hull(d, 1000, 0.5);
    case CHOICE_SPHERE:
        return make_shape(RG_SHAPE_sphere, 0.5 * x, 0.0, 0.0);
    case CHOICE_CAPSULE:
        return make_shape(RG_SHAPE_capsule, 0.3 * x, y, 0.0);
    case CHOICE_CYLINDER:
        return make_shape(RG_SHAPE_cylinder, 0.5 * x, y, 0.0);
    case CHOICE_ELLIPSOID:
        return make_shape(RG_SHAPE_ellipsoid, 0.5 * x, 0.5 * y, 0.5 * z);
    default:
        return make_shape(RG_SHAPE_halfspace, 0.0, 0.0, 0.0);
    }
}

/* A state whose centre of mass is at `com` of the body's frame. */
static inline RgBodyEnd end_at(RgPose X_WB, RgVec3 com, RgVec3 velocity, RgVec3 w)
{
    return (RgBodyEnd){X_WB, pose_apply(X_WB, com), velocity, w};
}

/* A body that goes on with about its velocity v and angular velocity w, but for changes of the part `unrest`. */
static inline RgBodyPath path_draw(Draw *d, RgPose X_WB, RgVec3 v, RgVec3 w, double h, double unrest)
{
    RgVec3 com = draw_vec(d, 0.1);
    double speed = v3_norm(v), spin = v3_norm(w);
    RgBodyEnd begin = end_at(X_WB, com, v, w), end = begin;
    RgVec3 mean = v3_add(w, draw_vec(d, unrest * spin));
    end.X_WB.R = m3_mul(q_matrix(q_exp(v3_scale(h, mean))), X_WB.R);
    end.centre = v3_add(begin.centre, v3_scale(h, v3_add(v, draw_vec(d, unrest * speed))));
    end.X_WB.p = v3_sub(end.centre, m3_apply(end.X_WB.R, com));
    end.velocity = v3_add(v, draw_vec(d, unrest * speed));
    end.w = v3_add(w, draw_vec(d, unrest * spin));
    RgBodyPath path;
    cr_assert(rg_body_path_between(&begin, &end, h, &path));
    return path;
}

static inline RgPlaced shape_at(const RgPathShape *shape, double s)
{
    RgPose X = shape->X_BS;
    if (shape->path != NULL)
        X = pose_mul(rg_body_path_pose(shape->path, s), X);
    return (RgPlaced){shape->geometry, X};
}

static inline double distance_at(const RgPathShape *a, const RgPathShape *b, double s)
{
    RgPlaced at_a = shape_at(a, s), at_b = shape_at(b, s);
    RgDistance out;
    RgStatus status = rg_distance(&at_a, &at_b, NULL, &out);
    cr_assert(status == RG_OK || status == RG_ERR_NOT_CONVERGED);
    return out.distance;
}

/* Least distance on [0, time], by count + 1 times. */
static inline double least_by_asking(const RgPathShape *a, const RgPathShape *b, double time, int count)
{
    double least = INFINITY;
    for (int i = 0; i <= count; i++)
        least = fmin(least, distance_at(a, b, time * i / count));
    return least;
}

#endif
