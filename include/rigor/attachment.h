/*
 * attachment.h - joints that are made and released while a world runs: a peg screwed in, a hand that grabs a hose.
 *
 * A world has room for RgWorldDef.max_attachments of them. One that is added is released at first. It is attached, and
 * released again, by call, or at the end of the step in which its cause comes true, once each.
 *
 *   attach   The joint frame on the parent is where the one on the child is now (no jump), or, where `placed`, X_PJ: then loops
 *            are closed by the smallest mass-weighted motion, as rg_world_assemble does. Different velocities become
 *            one by an inelastic impact: the least change in the norm of the masses, so momentum stays and kinetic
 *            energy is lost (RgEnergySums.attached). Errors that sweeps left in other joints stay for the steps to
 *            correct. A screw's thread begins where the child is, at position 0: its turn about the axis, and its place
 *            along it, are kept.
 *   release  Positions and velocities stay as they are.
 *   break    At the end of the step in which the joint carries more than break_force or break_torque (rg_world_attachment_reaction),
 *            it is released for good: only a call attaches it again.
 *
 * While attached it is a loop joint like those of the model, in both forms and with every solver and stepper, and part
 * of the saved state. Bodies that sleep wake. Attaching does not ask whether bodies overlap.
 */
#ifndef RIGOR_ATTACHMENT_H
#define RIGOR_ATTACHMENT_H

#include <rigor/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

/* call: by call alone; time: from that time on; contact: the two links press on each other; near: the joint frames on
   parent (X_PJ) and child are within distance and angle (joints with one axis: angle between their axes; spherical:
   any); above, below: the first position of the joint is beyond that (of a release only; joints with as many positions
   as velocities). */
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
    const char *name; /* copied, as far as RG_ATTACHMENT_NAME goes */
    /* Its type (not free), parent, child, frames, axes, pitch and dof count; dof: limits, springs, dampers, dry
       friction. */
    RgJointDef joint;
    bool placed;                      /* onto joint.X_PJ; default false */
    double max_error;                 /* placed: refused where the frames are farther off, m and rad; default 0.01 */
    double break_force, break_torque; /* N, N m about the joint frame's origin; default inf */
    bool collide;                     /* the two links may touch while attached; default false */
    RgAttachWhen attach, detach;
} RgAttachmentDef;
RG_API RgAttachmentDef rg_attachment_def_default(void);

#define RG_ATTACHMENT_NAME 64

/* 0: none. Numbers of removed ones are used again. */
typedef struct RgAttachmentId {
    int32_t i;
} RgAttachmentId;

/* Null id: error says why. */
RG_API RgAttachmentId rg_world_add_attachment(RgWorld *world, const RgAttachmentDef *def, RgError *error);
RG_API RgStatus rg_world_remove_attachment(RgWorld *world, RgAttachmentId id);

/* Now. Attached (released) already: nothing happens. On failure nothing has changed. */
RG_API RgStatus rg_world_attach(RgWorld *world, RgAttachmentId id, RgError *error);
RG_API RgStatus rg_world_detach(RgWorld *world, RgAttachmentId id);

typedef struct RgAttachmentReport {
    const char *name;
    bool attached, broken; /* broken: since it was attached last */
    double since;          /* s: of the last change */
    int nq, nv;
    double q[7], v[6]; /* of the joint, while attached */
    RgPose X_PJ;       /* where its frame is on the parent */
} RgAttachmentReport;
RG_API RgStatus rg_world_attachment(RgWorld *world, RgAttachmentId id, RgAttachmentReport *out);
RG_API int rg_world_attachment_room(const RgWorld *world); /* ids are 1 ... that */

/* Wrench on the child through the joint now, as of rg_world_joint_reaction. RG_ERR_NOT_FOUND: it is released. */
RG_API RgStatus rg_world_attachment_reaction(RgWorld *world, RgAttachmentId id, RgForce *out);

#ifdef __cplusplus
}
#endif
#endif
