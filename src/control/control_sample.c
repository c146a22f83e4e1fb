/*
 * control_sample.c - a sample: evaluates the controllers at the present state.
 *
 * They are evaluated in the order of the definition and read the same state. A controller that fails, or whose command
 * is not finite, holds its last command, and its memory is restored.
 */
#include "control/control_internal.h"

#include "model/model.h"
#include "sim/world_internal.h"

#include <math.h>
#include <string.h>

void rg_control_read_joint(const RgControl *c, int index, double *position, double *velocity)
{
    double q[7] = {0.0}, v[6] = {0.0}; /* largest nq and nv of a joint */
    const RgControlJoint *joint = c->joints[index];
    const RgJointKind *kind = c->model->joints[joint->joint.i - 1].kind;
    rg_world_joint_position(c->world, joint->joint, q);
    rg_world_joint_rate(c->world, joint->joint, v);
    *position = kind->nq == kind->nv ? q[joint->dof] : 0.0;
    *velocity = v[joint->dof];
}

void rg_control_read_joints(RgControl *c)
{
    for (int k = 0; k < c->njoints; k++)
        rg_control_read_joint(c, k, &c->position[k], &c->velocity[k]);
}

RgControlView rg_control_view(RgControl *c, const RgController *controller, double h)
{
    return (RgControlView){.world = c->world,
                           .model = c->model,
                           .dynamics = c->dynamics,
                           .t = rg_world_time(c->world),
                           .h = h,
                           .q = rg_world_q(c->world),
                           .v = rg_world_v(c->world),
                           .tau = c->tau,
                           .position = c->position + controller->first,
                           .velocity = c->velocity + controller->first,
                           .wanted = c->wanted + controller->first,
                           .next = c->next + controller->first};
}

static bool finite_command(const RgJointCommand *command)
{
    if (!command->drives)
        return isfinite(command->effort);
    const RgDrive *d = &command->drive;
    return isfinite(d->position) && isfinite(d->velocity) && isfinite(d->time) && isfinite(d->feed);
}

static bool finite_answer(const RgJointCommand *answer, int n)
{
    for (int k = 0; k < n; k++)
        if (!finite_command(&answer[k]))
            return false;
    return true;
}

/* Evaluates the references at the sample and at the end of the hold, then the commands. */
static RgStatus evaluate_controller(RgControl *c, RgController *controller, double h, double step,
                                    RgJointCommand *answer)
{
    RgControlView view = rg_control_view(c, controller, h);
    view.step = step;
    view.one_step = h <= step * (1.0 + RG_MARK_TOLERANCE);
    RgStatus status = rg_controller_reference(controller, &view, view.t, c->wanted + controller->first);
    if (status == RG_OK)
        status = rg_controller_reference(controller, &view, view.t + h, c->next + controller->first);
    return status == RG_OK ? controller->kind->command(controller, &view, answer) : status;
}

/* Copies the world's constant efforts, with 0 for the controlled velocities. */
static void read_other_efforts(RgControl *c)
{
    memcpy(c->tau, c->world->inputs.tau, (size_t)c->model->nv * sizeof *c->tau);
    for (int i = 0; i < c->ncontrollers; i++)
        for (int k = 0; k < c->controllers[i].njoints; k++)
            if (c->controllers[i].dofs[k] >= 0)
                c->tau[c->controllers[i].dofs[k]] = 0.0;
}

void rg_control_sample(RgControl *c, double h, double step)
{
    RgControlState *s = &c->state;
    rg_control_read_joints(c);
    read_other_efforts(c);
    rg_dynamics_set_gravity(c->dynamics, rg_world_settings(c->world).gravity);
    s->head->samples++;
    for (int i = 0; i < c->ncontrollers; i++) {
        RgController *controller = &c->controllers[i];
        RgJointCommand *answer = c->answer + controller->first;
        memcpy(c->kept, s->memory, (size_t)c->nmemory * sizeof *c->kept);
        RgStatus status = evaluate_controller(c, controller, h, step, answer);
        if (status == RG_OK && finite_answer(answer, controller->njoints)) {
            for (int k = 0; k < controller->njoints; k++)
                s->last[controller->first + k] = answer[k];
            continue;
        }
        memcpy(s->memory, c->kept, (size_t)c->nmemory * sizeof *c->kept);
        s->head->failed++;
    }
}
