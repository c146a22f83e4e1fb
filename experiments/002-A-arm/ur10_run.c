/* ur10_run.c - see ur10_run.h. */
#include "ur10_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FINGER 100.0 /* N, closing */
#define SPEED_BOUND 1e3
#define ERROR_SHARE 0.5 /* of the amplitude of a joint's motion */

static RgTrajectory *trajectory_of(const Ur10Arm *arm, RgError *error)
{
    double amplitude[UR10_JOINTS];
    RgTrajectoryDef def = rg_trajectory_def_default();
    for (int i = 0; i < UR10_JOINTS; i++)
        amplitude[i] = ur10_amplitude[i] / arm->scale[i];
    def.kind = "sinusoid";
    def.naxes = UR10_JOINTS;
    def.amplitude = amplitude;
    def.frequency = ur10_frequency;
    return rg_trajectory_create(&def, error);
}

/* Gains of the links' angles become those of the joints; without gains they follow from the step (or there are
   none). */
static void set_gains(const Ur10Setup *s, RgControlJoint *joints)
{
    const Ur10Gains *gains = s->method->gains;
    double kd = 1.0 / s->step, kp = fmin(s->method->rate, kd) * kd;
    for (int i = 0; i < UR10_JOINTS; i++) {
        double square = s->arm->scale[i] * s->arm->scale[i];
        joints[i] = rg_control_joint_default();
        joints[i].joint = s->arm->joints[i];
        joints[i].limits.max_effort = joints[i].limits.max_velocity = (double)INFINITY;
        if (gains != NULL) {
            joints[i].kp = square * gains->kp[i];
            joints[i].kd = square * gains->kd[i];
        } else if (strcmp(s->method->kind, "computed-torque") == 0 && kp > 0.0) {
            joints[i].kp = kp;
            joints[i].kd = kd;
        }
    }
}

static RgControl *control_of(const Ur10Setup *s, RgWorld *world, const RgTrajectory *trajectory, RgError *error)
{
    RgControlJoint joints[UR10_JOINTS];
    RgControllerDef controller = rg_controller_def_default();
    RgControlDef def = rg_control_def_default();
    set_gains(s, joints);
    controller.kind = s->method->kind;
    controller.njoints = UR10_JOINTS;
    controller.joints = joints;
    controller.trajectory = trajectory;
    if (strcmp(s->method->kind, "hard") == 0)
        controller.rate = s->method->rate;
    def.world = world;
    def.ncontrollers = 1;
    def.controllers = &controller;
    return rg_control_create(&def, error);
}

/* On the trajectory at t = 0, gripper closing. */
static void start(const Ur10Arm *arm, RgWorld *world)
{
    const double closing[2] = {FINGER, -FINGER};
    bool *held = calloc((size_t)rg_model_info(arm->model).nv, sizeof *held);
    if (held == NULL)
        abort();
    for (int i = 0; i < UR10_JOINTS; i++) {
        double rate = ur10_amplitude[i] * ur10_frequency[i] / arm->scale[i];
        rg_world_set_joint_rate(world, arm->joints[i], &rate);
        held[rg_model_joint(arm->model, arm->joints[i]).v_index] = true;
    }
    rg_world_assemble_holding(world, held, held, NULL);
    free(held);
    for (int i = 0; i < 2; i++)
        rg_world_set_joint_effort(world, arm->fingers[i], &closing[i]);
}

static bool is_slow(RgWorld *world, int nv)
{
    const double *v = rg_world_v(world);
    for (int i = 0; i < nv; i++)
        if (!(fabs(v[i]) <= SPEED_BOUND))
            return false;
    return true;
}

/* control NULL: it falls. */
static void follow(const Ur10Setup *s, RgWorld *world, RgControl *control, Ur10Run *out)
{
    int nv = rg_model_info(s->arm->model).nv;
    long steps = lround(ceil(s->time / s->step - 1e-9));
    LabFilm *film = s->film != NULL ? lab_film(s->lab, s->film, s->title, world, 0.0) : NULL;
    double begin = lab_cpu();
    out->stable = true;
    for (long k = 1; k <= steps && out->stable; k++) {
        double h = k == steps ? fmin(s->step, s->time - rg_world_time(world)) : s->step;
        RgStatus status = control != NULL ? rg_control_step(control, h, NULL) : rg_world_step(world, h, NULL);
        out->stable = status == RG_OK && is_slow(world, nv);
        if (film != NULL)
            lab_film_step(film, world);
    }
    out->cpu = lab_cpu() - begin;
    lab_film_end(film);
    for (int i = 0; i < UR10_JOINTS && control != NULL; i++) {
        RgJointTracking joint = rg_control_joint(control, i);
        out->error[i] = fabs(s->arm->scale[i]) * joint.mean_error;
        out->mean_error += out->error[i] / UR10_JOINTS;
        out->stable = out->stable && out->error[i] <= ERROR_SHARE * ur10_amplitude[i];
    }
}

Ur10Run ur10_run(const Ur10Setup *s)
{
    Ur10Run out = {0};
    RgError error = {0};
    RgWorldDef def = rg_world_def_default();
    def.model = s->arm->model;
    def.contact = false;
    def.coords = s->coords;
    def.solver = s->solver;
    RgWorld *world = lab_world_create(s->lab, &def);
    RgTrajectory *trajectory = trajectory_of(s->arm, &error);
    if (world != NULL && trajectory != NULL) {
        start(s->arm, world);
        RgControl *control = s->method->kind != NULL ? control_of(s, world, trajectory, &error) : NULL;
        if (control != NULL || s->method->kind == NULL)
            follow(s, world, control, &out);
        else
            lab_fail(s->lab, "%s: %s", s->method->name, error.text);
        rg_control_destroy(control);
    }
    rg_trajectory_destroy(trajectory);
    rg_world_destroy(world);
    if (!out.stable)
        out.mean_error = (double)NAN;
    return out;
}

double ur10_drift(double step, double time)
{
    long steps = lround(time / step);
    double sum = 0.0;
    for (int i = 0; i < UR10_JOINTS; i++) {
        double w = ur10_frequency[i], A = ur10_amplitude[i], q = 0.0;
        for (long k = 1; k <= steps; k++) {
            double t = (double)k * step;
            q += step * A * w * cos(w * t);
            sum += fabs(q - A * sin(w * t));
        }
    }
    return sum / (double)(UR10_JOINTS * steps);
}
