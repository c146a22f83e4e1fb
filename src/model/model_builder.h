/* model_builder.h - the contents of a builder: the defs as given, with owned strings, and the first error. */
#ifndef RIGOR_MODEL_BUILDER_H
#define RIGOR_MODEL_BUILDER_H

#include "base/arena.h"
#include "base/name_map.h"

#include <rigor/model.h>

struct RgBuilder {
    RgArena arena; /* strings, meshes */
    RgLog log;
    RgError error;
    const char *name, *file;
    RgPhysicsHints hints;

    RgLinkDef *links;
    RgJointDef *joints;
    RgShapeDef *shapes;
    RgFrameDef *frames;
    RgCouplingDef *couplings;
    RgTransmissionDef *transmissions;
    RgCollisionPairDef *pairs;
    const char **joint_files; /* njoints: file of each joint */
    RgNameMap link_names, joint_names, frame_names;
    int nlinks, njoints, nshapes, nframes, ncouplings, npairs, ntransmissions;
    int link_room, joint_room, shape_room, frame_room, coupling_room, pair_room, transmission_room;
};

/* Stores an error if it is the first one. */
void rg_builder_note_error(RgBuilder *builder, const RgError *error);

/* Copies the strings, mesh and heights of def into the builder's memory, except arrays that def shares with old. def: a
   copy of the caller's. False: out of memory. */
bool rg_builder_copy_shape(RgBuilder *builder, RgShapeDef *def, const RgShapeDef *old);

/* Check the numbers of a def. On failure they fill error, with the def's line. */
RgStatus rg_check_link(const RgBuilder *builder, const RgLinkDef *def, RgError *error);
RgStatus rg_check_joint(const RgBuilder *builder, const RgJointDef *def, RgError *error);
RgStatus rg_check_shape(const RgBuilder *builder, const RgShapeDef *def, RgError *error);
RgStatus rg_check_frame(const RgBuilder *builder, const RgFrameDef *def, RgError *error);
RgStatus rg_check_coupling(const RgBuilder *builder, const RgCouplingDef *def, RgError *error);
RgStatus rg_check_transmission(const RgBuilder *builder, const RgTransmissionDef *def, RgError *error);
RgStatus rg_check_collision_pair(const RgBuilder *builder, const RgCollisionPairDef *def, RgError *error);

#endif
