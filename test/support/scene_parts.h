/* scene_parts.h - short ways to say bodies and joints, for the scenes in code and for single tests. */
#ifndef TEST_SUPPORT_SCENE_PARTS_H
#define TEST_SUPPORT_SCENE_PARTS_H

#include "vectors.h"

#include <rigor/rigor.h>

/* Uniform box of full lengths size, centred at com. */
RgInertia inertia_box(double mass, RgVec3 com, RgVec3 size);

/* Thin rod from a to b, with a radius of gyration about its own axis. */
RgInertia inertia_rod(double mass, RgVec3 a, RgVec3 b, double gyration);

/* Principal moments along the link axes. */
RgInertia inertia_diagonal(double mass, RgVec3 com, RgVec3 moments);

/* Link without shape whose frame stands at X_WL if it is a root. */
RgLinkId link_add(RgBuilder *builder, const char *name, RgInertia inertia);
RgLinkId link_add_at(RgBuilder *builder, const char *name, RgInertia inertia, RgPose X_WL);

/* Joint whose frame lies at p on the parent and at the child's origin, with the parent's axes. */
RgJointDef joint_at(RgJointType type, const char *name, RgLinkId parent, RgLinkId child, RgVec3 p, RgVec3 axis);

/* Adds it; stops the program with the builder's words where that fails. */
RgJointId joint_add(RgBuilder *builder, const RgJointDef *def);

/* Crank, coupler and rocker in the x-z plane, a closed loop without shapes. Returns the coupler, 1.3 m long. */
RgLinkId four_bar_add(RgBuilder *builder);

RgBuilder *scene_begin(const char *name);

/* Finishes and destroys the builder; stops the program with the reason where the model is impossible. */
RgModel *scene_end(RgBuilder *builder);

#endif
