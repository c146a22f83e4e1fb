/*
 * control_tracking.c - statistics after every step: errors against the reference, efforts, saturation.
 *
 *   mean_error = sum over joints and steps of |q* - q| h / (njoints sum h),   errors at the ends of steps
 *
 * With equal steps this is the mean absolute error of paper 002. Joints without a reference are not counted.
 */
#include "control/control_internal.h"

#include "sim/world_internal.h"

#include <math.h>

static bool has_reference(const RgController *controller)
{
    return controller->trajectory != NULL || controller->guess != NULL || controller->kind->reference != NULL;
}

/* Number of joints with a reference. */
static int count_references(const RgControl *c)
{
    int n = 0;
    for (int i = 0; i < c->ncontrollers; i++)
        n += has_reference(&c->controllers[i]) ? c->controllers[i].njoints : 0;
    return n;
}

/* Reads the effort of a drive; of a saturated soft drive also the effort of its law without limits. */
static void read_drive(RgControl *c, int k)
{
    RgJointRecord *record = &c->state.records[k];
    RgJointId joint = c->joints[k]->joint;
    RgDriveReport report;
    if (rg_world_drive_effort(c->world, joint, c->joints[k]->dof, &report) != RG_OK)
        report = (RgDriveReport){.on = false};
    record->effort = record->asked = report.effort;
    record->saturated = report.saturated || c->state.current[k].slowed ? 1.0 : 0.0;
    if (!report.saturated || report.drive.hard)
        return;
    if (rg_world_joint_drive(c->world, joint, c->joints[k]->dof, &report) == RG_OK)
        record->asked =
            report.drive.kp * report.position_error + report.drive.kd * report.velocity_error + report.drive.feed;
}

static void track_joint(RgControl *c, int k, double h)
{
    RgControlHead *head = c->state.head;
    RgJointRecord *record = &c->state.records[k];
    if (c->state.current[k].drives)
        read_drive(c, k);
    else
        record->saturated = record->asked != record->effort ? 1.0 : 0.0;
    head->largest_effort = fmax(head->largest_effort, fabs(record->effort));
    record->largest_effort = fmax(record->largest_effort, fabs(record->effort));
    if (record->saturated > 0.0) {
        head->saturated++;
        head->saturated_time += h;
        record->saturated_time += h;
    }
    if (!has_reference(&c->controllers[c->owner[k]]))
        return;
    double error = fabs(record->wanted.position - c->position[k]);
    record->error_sum += error * h;
    record->square_sum += error * error * h;
    record->largest_error = fmax(record->largest_error, error);
    head->error_sum += error * h;
    head->square_sum += error * error * h;
    head->largest_error = fmax(head->largest_error, error);
}

void rg_control_track(RgControl *c, double h)
{
    rg_control_read_joints(c);
    double t = rg_world_time(c->world);
    for (int i = 0; i < c->ncontrollers; i++) {
        RgController *controller = &c->controllers[i];
        RgControlView view = rg_control_view(c, controller, h);
        RgReference *wanted = c->wanted + controller->first;
        if (rg_controller_reference(controller, &view, t, wanted) == RG_OK)
            for (int k = 0; k < controller->njoints; k++)
                c->state.records[controller->first + k].wanted = wanted[k];
    }
    c->state.head->time += h;
    for (int k = 0; k < c->njoints; k++)
        track_joint(c, k, h);
}

RgTracking rg_control_tracking(const RgControl *c)
{
    const RgControlHead *head = c->state.head;
    double weight = head->time * count_references(c);
    return (RgTracking){.samples = head->samples,
                        .mean_error = weight > 0.0 ? head->error_sum / weight : 0.0,
                        .root_mean_square = weight > 0.0 ? sqrt(head->square_sum / weight) : 0.0,
                        .largest_error = head->largest_error,
                        .largest_effort = head->largest_effort,
                        .saturated = head->saturated,
                        .saturated_time = head->saturated_time,
                        .failed = head->failed};
}

int rg_control_joints(const RgControl *c)
{
    return c->njoints;
}

/* The reference now: of a trajectory at the present time, of a gait at the end of the last step. NaN: none. */
static RgReference current_reference(const RgControl *c, int index)
{
    const RgController *controller = &c->controllers[c->owner[index]];
    if (!has_reference(controller) || (controller->trajectory == NULL && c->state.head->samples == 0))
        return (RgReference){NAN, NAN, NAN};
    if (controller->trajectory == NULL)
        return c->state.records[index].wanted;
    RgReference *all = c->wanted + controller->first;
    rg_trajectory_at(controller->trajectory, rg_world_time(c->world), all);
    return c->wanted[index];
}

RgJointTracking rg_control_joint(const RgControl *c, int index)
{
    if (index < 0 || index >= c->njoints)
        return (RgJointTracking){.dof = 0};
    const RgJointRecord *record = &c->state.records[index];
    double time = c->state.head->time, position, velocity;
    rg_control_read_joint(c, index, &position, &velocity);
    return (RgJointTracking){.joint = c->joints[index]->joint,
                             .dof = c->joints[index]->dof,
                             .wanted = current_reference(c, index),
                             .position = position,
                             .velocity = velocity,
                             .asked = record->asked,
                             .effort = record->effort,
                             .saturated = record->saturated > 0.0,
                             .mean_error = time > 0.0 ? record->error_sum / time : 0.0,
                             .root_mean_square = time > 0.0 ? sqrt(record->square_sum / time) : 0.0,
                             .largest_error = record->largest_error,
                             .largest_effort = record->largest_effort,
                             .saturated_time = record->saturated_time,
                             .max_effort = c->joints[index]->limits.max_effort};
}
