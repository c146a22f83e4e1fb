/*
 * control_apply.c - sets the current commands, within the motors' limits at the present velocities, as constant efforts
 * and drives of the controlled joints. Other joints, and other velocities of the same joint, keep what the user has
 * set.
 */
#include "control/control_internal.h"

#include "model/model.h"
#include "sim/world_internal.h"

#include <math.h>
#include <string.h>

static RgStatus set_effort(RgControl *c, const RgControlJoint *joint, double effort)
{
    const RgBody *B = &c->model->bodies[c->model->joints[joint->joint.i - 1].body];
    double tau[6];
    memcpy(tau, c->world->inputs.tau + B->v0, (size_t)B->nv * sizeof *tau);
    tau[joint->dof] = effort;
    return rg_world_set_joint_effort(c->world, joint->joint, tau);
}

static RgStatus set_drive(RgControl *c, const RgControlJoint *joint, double velocity, const RgDrive *wanted)
{
    RgEffortRange range = rg_motor_range(&joint->limits, velocity);
    RgDrive drive = *wanted;
    drive.max_effort = joint->limits.max_effort;
    if (isfinite(drive.max_effort)) {
        drive.lost_forward = drive.max_effort - range.high;
        drive.lost_backward = drive.max_effort + range.low;
    }

    /* A constant target does not depend on time, so it is set with time 0: an unchanged drive wakes no bodies. */
    if (drive.velocity == 0.0)
        drive.time = 0.0;
    return rg_world_set_joint_drive(c->world, joint->joint, joint->dof, &drive);
}

static RgStatus release_joint(RgControl *c, int k)
{
    const RgControlJoint *joint = c->joints[k];
    if (!(c->controllers[c->owner[k]].kind->uses & RG_USES_DRIVES))
        return set_effort(c, joint, 0.0);
    RgDrive none = rg_drive_default();
    none.max_effort = 0.0;
    return rg_world_set_joint_drive(c->world, joint->joint, joint->dof, &none);
}

RgStatus rg_control_apply(RgControl *c)
{
    rg_control_read_joints(c);
    RgStatus status = RG_OK;
    for (int k = 0; k < c->njoints && status == RG_OK; k++) {
        const RgControlJoint *joint = c->joints[k];
        const RgJointCommand *command = &c->state.current[k];
        RgJointRecord *record = &c->state.records[k];
        bool drives = c->controllers[c->owner[k]].kind->uses & RG_USES_DRIVES;
        record->asked = command->effort;
        record->effort = rg_motor_clip(&joint->limits, c->velocity[k], command->effort);
        if (command->drives)
            status = set_drive(c, joint, c->velocity[k], &command->drive);
        else
            status = drives ? release_joint(c, k) : set_effort(c, joint, record->effort);
    }
    return status;
}

void rg_control_release_joints(RgControl *c)
{
    for (int k = 0; k < c->njoints; k++)
        release_joint(c, k);
}
