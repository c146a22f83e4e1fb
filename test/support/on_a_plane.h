/* on_a_plane.h - one body over the half space z <= 0, for experiments with contact. */
#ifndef TEST_SUPPORT_ON_A_PLANE_H
#define TEST_SUPPORT_ON_A_PLANE_H

#include <rigor/rigor.h>

typedef struct PlaneBody {
    RgShapeType type;
    double size[3];
    double mass, height;  /* of its centre */
    RgSurfaceDef surface; /* of the body and of the plane */
} PlaneBody;

/* Friction mu, no bound on the correcting velocity. */
RgSurfaceDef plane_surface(double mu);

/* A cube of 1 m and 1 kg that touches the plane. */
PlaneBody plane_box(double mu);

/* The body is uniform; it is the only link, number 1. */
RgModel *plane_model(const PlaneBody *body);

/* law, options: NULL: as a world has them by itself. */
RgWorld *pgs_world(const RgModel *model, const char *coords, const char *solver, const RgContactLaw *law,
                   const RgPgsOptions *options);

/* Of link 1. */
double plane_height(RgWorld *world);
RgVec3 plane_velocity(RgWorld *world);

#endif
