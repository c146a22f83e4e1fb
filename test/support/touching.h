/* touching.h - bodies that touch: ground, balls and boxes with a surface, one line each. */
#ifndef TEST_SUPPORT_TOUCHING_H
#define TEST_SUPPORT_TOUCHING_H

#include "scene_parts.h"

#define TOUCH_G 9.81 /* m/s^2, of every world unless said otherwise */

/* Nothing given but mu. */
RgSurfaceDef surface_mu(double mu);

/* The half space z <= 0. */
RgShapeId ground_add(RgBuilder *builder, RgSurfaceDef surface);

/* Solid and uniform, centred at p, not turned; floats. */
RgLinkId ball_add(RgBuilder *builder, const char *name, double mass, double radius, RgVec3 p, RgSurfaceDef surface);
RgLinkId box_add(RgBuilder *builder, const char *name, double mass, RgVec3 size, RgVec3 p, RgSurfaceDef surface);

/* A shape for a link that is there already. */
RgShapeId shape_add(RgBuilder *builder, RgLinkId link, RgShapeType type, const double size[3], RgPose X_LS,
                    RgSurfaceDef surface);

/* Velocities of a floating link's origin, world axes. */
void link_launch(RgWorld *world, RgLinkId link, RgVec3 w, RgVec3 v);

/* Sum of the contact forces of the last step on a link, N. */
RgVec3 contact_force_on(RgWorld *world, RgLinkId link);

#endif
