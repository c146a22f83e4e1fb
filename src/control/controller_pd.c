/*
 * controller_pd.c - joint PD and PID, explicit: efforts from the state at the sample, held until the next.
 *
 *   tau = kp e + kd e' + I (+ gravity),    e = q* - q,  e' = v* - v
 *   I  <- I + ki e h + min(h / T, 1) (sat(tau) - tau)          pid: after the sample, for the next one
 *
 * The last term is anti-windup by back-calculation (Astrom, Hagglund, PID Controllers, 1995, section 3.5): an integral
 * that requests more than the motor gives decays with time constant T = sqrt(Ti Td) = sqrt(kd / ki); without derivative
 * Ti = kp / ki; without both at once. I has the unit of effort.
 *
 * Unstable like any explicit spring and damper if h^2 kp or h kd exceeds about the joint's inertia ("implicit-pd" is
 * stable). gravity adds the limb's gravity compensation (RNEA(q, 0, 0), base fixed).
 */
#include "control/controller.h"

#include <math.h>

static int pid_memory(const RgController *c)
{
    return c->njoints;
}

/* The integral after this sample, for the next one. excess: clipped minus requested effort. */
static double integrate(const RgControlJoint *joint, double h, double integral, double error, double excess)
{
    if (!(joint->ki > 0.0))
        return 0.0;
    double T = joint->kd > 0.0 ? sqrt(joint->kd / joint->ki) : joint->kp / joint->ki;
    double back = h < T ? h / T : 1.0;
    return integral + joint->ki * error * h + back * excess;
}

static RgStatus pd_command(RgController *c, const RgControlView *view, RgJointCommand *out)
{
    const double *gravity;
    RgStatus status = rg_gravity_feed(c, view, &gravity);
    if (status != RG_OK)
        return status;
    for (int k = 0; k < c->njoints; k++) {
        const RgControlJoint *joint = &c->joints[k];
        double error = view->wanted[k].position - view->position[k];
        double tau = joint->kp * error + joint->kd * (view->wanted[k].velocity - view->velocity[k]);
        if (gravity != NULL)
            tau += gravity[c->dofs[k]];
        if (c->memory != NULL)
            tau += c->memory[k];
        if (!isfinite(tau))
            return RG_ERR_NOT_FINITE;
        out[k] = (RgJointCommand){.effort = tau};
    }

    /* Update the integrals only if all commands are valid. */
    for (int k = 0; c->memory != NULL && k < c->njoints; k++) {
        double error = view->wanted[k].position - view->position[k];
        double excess = rg_motor_clip(&c->joints[k].limits, view->velocity[k], out[k].effort) - out[k].effort;
        c->memory[k] = integrate(&c->joints[k], view->h, c->memory[k], error, excess);
    }
    return RG_OK;
}

const RgControllerKind rg_controller_pd = {.name = "pd",
                                           .summary = "joint PD, explicit: tau = kp e + kd e'",
                                           .uses = RG_USES_KP | RG_USES_KD | RG_USES_REFERENCE | RG_USES_GRAVITY,
                                           .prepare = rg_gravity_prepare,
                                           .command = pd_command};

const RgControllerKind rg_controller_pid = {.name = "pid",
                                            .summary = "joint PID, explicit, with anti-windup by back calculation",
                                            .uses = RG_USES_KP | RG_USES_KI | RG_USES_KD | RG_USES_REFERENCE |
                                                    RG_USES_GRAVITY,
                                            .memory = pid_memory,
                                            .prepare = rg_gravity_prepare,
                                            .command = pd_command};
