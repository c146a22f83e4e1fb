/*
 * attachment.h - joints that are made and released while a world runs: a peg screwed in, a hand that grabs a hose.
 *
 * A world has room for RgWorldDef.max_attachments attachments. A new attachment is released. It is attached and
 * released by call, or at the end of the step in which its condition (RgAttachWhen) becomes true, once each.
 *
 *   attach   The joint frame on the parent is set to the present place of the joint frame on the child (no jump). If
 *            `placed`, it is X_PJ instead, and loops are closed by the smallest mass-weighted motion, as in
 *            rg_world_assemble. Velocity differences are removed by an inelastic impact, the least change in the mass
 *            norm: momentum is conserved, kinetic energy is lost, never gained. Where `placed` moves positions (by
 *            max_error at the joint, at most) the potential energy changes, either way, and angular momentum with the
 *            places of the bodies. RgEnergySums.attached is the sum of both. Solver residuals in other
 *            joints are left for later steps. The thread of a screw joint starts at position 0 at the child's present
 *            rotation about the axis and place along it.
 *   release  Positions and velocities do not change.
 *   break    At the end of the step in which the load of the joint (rg_world_attachment_reaction) exceeds break_force
 *            or break_torque the joint is released; only a call attaches it again.
 *
 * While attached it is a loop joint like those of the model, in both coordinate forms, with every solver and stepper,
 * and part of the saved state. Attaching and releasing wake the bodies. Attaching does not check for overlaps.
 */
#ifndef RIGOR_ATTACHMENT_H
#define RIGOR_ATTACHMENT_H

#include <rigor/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Conditions. call: by call only; time: from that time on; contact: the two links press on each other; near: the joint
   frames on parent (X_PJ) and child are within distance and angle (joints with one axis: angle between the axes;
   spherical: any angle); above, below: the first joint position is above or below a value (release only; joints with as
   many positions as velocities). */
#define RG_ATTACH_CAUSE_LIST(X) X(call) X(time) X(contact) X(near) X(above) X(below)

typedef enum RgAttachCause {
#define RG_ATTACH_CAUSE_ENUM(name) RG_ATTACH_##name,
    RG_ATTACH_CAUSE_LIST(RG_ATTACH_CAUSE_ENUM)
#undef RG_ATTACH_CAUSE_ENUM
        RG_ATTACH_CAUSE_COUNT
} RgAttachCause;

typedef struct RgAttachWhen {
    RgAttachCause cause;    /* default: call */
    double time;            /* s */
    double distance, angle; /* near: m, rad; default 0.01, 0.1 */
    double position;        /* above, below: rad or m */
} RgAttachWhen;

typedef struct RgAttachmentDef {
    uint32_t cookie;
    const char *name; /* copied, truncated to RG_ATTACHMENT_NAME */
    /* Used of it: type (not free), parent, child, frames, axes, pitch; of dof the limits, springs, dampers and dry
       friction. */
    RgJointDef joint;
    bool placed;      /* attach at joint.X_PJ instead of the present place; default false */
    double max_error; /* placed: refused if the frames are farther apart, m and rad; default 0.01 */
    /* N; N m about the joint frame's origin; default inf */
    double break_force, break_torque;
    bool collide; /* the two links can make contact while attached; default false */
    RgAttachWhen attach, detach;
} RgAttachmentDef;
RG_API RgAttachmentDef rg_attachment_def_default(void);

/* Sets joint.parent and joint.child by the names of links ("world", rg_model_link_named). On failure the definition is
   unchanged. */
RG_API RgStatus rg_attachment_def_between(RgAttachmentDef *def, const RgModel *model, const char *parent,
                                          const char *child, RgError *error);

#define RG_ATTACHMENT_NAME 64

/* 0: null. Numbers of removed attachments are reused. */
typedef struct RgAttachmentId {
    int32_t i;
} RgAttachmentId;

/* Null id: failure; error has the reason. */
RG_API RgAttachmentId rg_world_add_attachment(RgWorld *world, const RgAttachmentDef *def, RgError *error);
RG_API RgStatus rg_world_remove_attachment(RgWorld *world, RgAttachmentId id);

/* The first one of that name. Null id: none; error has the nearest name. */
RG_API RgAttachmentId rg_world_find_attachment(const RgWorld *world, const char *name, RgError *error);

/* Attaches or releases now; no effect if it is already in that state. On failure nothing changes. */
RG_API RgStatus rg_world_attach(RgWorld *world, RgAttachmentId id, RgError *error);
RG_API RgStatus rg_world_detach(RgWorld *world, RgAttachmentId id);

typedef struct RgAttachmentReport {
    const char *name;
    bool attached, broken; /* broken: since it was last attached */
    double since;          /* s: time of the last change */
    int nq, nv;
    double q[7], v[6]; /* joint coordinates while attached */
    RgPose X_PJ;       /* joint frame on the parent */
} RgAttachmentReport;
RG_API RgStatus rg_world_attachment(RgWorld *world, RgAttachmentId id, RgAttachmentReport *out);
RG_API int rg_world_attachment_room(const RgWorld *world); /* capacity; ids are 1 ... capacity */

/* Wrench on the child through the joint now, as rg_world_joint_reaction. RG_ERR_NOT_FOUND: it is released. */
RG_API RgStatus rg_world_attachment_reaction(RgWorld *world, RgAttachmentId id, RgForce *out);

#ifdef __cplusplus
}
#endif
#endif
