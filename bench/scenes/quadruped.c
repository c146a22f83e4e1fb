/*
 * quadruped.c - the robots and motions of experiment 002-B: see quadruped.h.
 */
#include "quadruped.h"

#include "gait.h"
#include "vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FREQUENCY 16.0 /* rad/s, of the sinusoids */
#define PERIOD 0.3     /* s, of the trot */
#define DUTY 0.75

static const double touchdown[QUAD_FEET] = {0.25, 0.75, 0.75, 0.25};

/* How a robot's file names its parts, and where its legs begin. */
typedef struct Names {
    const char *base, *foot, *joint[3]; /* with %s for the leg */
    const char *leg[QUAD_FEET];
    RgVec3 toe; /* in the foot's frame */
    double radius, lift;
    double start[QUAD_JOINTS];
    double sine[QUAD_FEET];
    RgVec3 neutral; /* of the left front foot, the others by symmetry; 0: where the start has them */
} Names;

static const Names known[] = {{.base = "BODY0",
                               .foot = "%s_FOOT",
                               .joint = {"%s_X_1", "%s_Y_2", "%s_Y_3"},
                               .leg = {"LF", "RF", "LH", "RH"},
                               .radius = 0.01,
                               .lift = 0.03,
                               .start = {0.1, 0.8, 1.2, -0.1, -0.8, -1.2, -0.1, -0.8, -1.2, 0.1, 0.8, 1.2},
                               .sine = {1.0, 1.0, 1.0, 1.0},
                               .neutral = {0.154963, 0.0672248, -0.161853}},
                              {.base = "body",
                               .foot = "%s_shank",
                               .joint = {"%s_roll", "%s_pitch", "%s_knee"},
                               .leg = {"front_left", "front_right", "hind_left", "hind_right"},
                               .toe = {0.0, 0.0, -0.25},
                               .radius = 0.025,
                               .lift = 0.03,
                               .start = {0.0, 0.7, -1.4, 0.0, 0.7, -1.4, 0.0, 0.7, -1.4, 0.0, 0.7, -1.4},
                               .sine = {1.0, -1.0, -1.0, 1.0}}};

static const char *leg_name(const char *format, const char *leg, char *to)
{
    const char *at = strstr(format, "%s");
    snprintf(to, 64, "%.*s%s%s", (int)(at - format), format, leg, at + 2);
    return to;
}

/* Finds the parts; false: the model has other names. */
static bool find_parts(QuadRobot *r, const Names *n)
{
    char name[64];
    r->base = rg_model_find_link(r->model, n->base);
    bool good = r->base.i != 0 && rg_model_link(r->model, r->base).floats;
    for (int leg = 0; good && leg < QUAD_FEET; leg++) {
        RgLinkId foot = rg_model_find_link(r->model, leg_name(n->foot, n->leg[leg], name));
        r->foot[leg] = (RgFoot){r->base, foot, n->toe};
        good = foot.i != 0;
        for (int k = 0; good && k < 3; k++) {
            RgJointId joint = rg_model_find_joint(r->model, leg_name(n->joint[k], n->leg[leg], name));
            good = joint.i != 0;
            if (!good)
                break;
            r->joint[3 * leg + k] = joint;
            r->q[3 * leg + k] = rg_model_joint(r->model, joint).q_index;
            r->v[3 * leg + k] = rg_model_joint(r->model, joint).v_index;
        }
    }
    return good;
}

/* Where the toes are, base frame, at the positions of full. */
static RgVec3 toe_at(QuadRobot *r, int leg)
{
    rg_forward_kinematics(r->dynamics, r->full, NULL);
    RgPose X_BW = place_inverse(rg_link_pose(r->dynamics, r->base));
    RgPose X_WF = rg_link_pose(r->dynamics, r->foot[leg].link);
    return place_point(X_BW, place_point(X_WF, r->foot[leg].point));
}

static void take_numbers(QuadRobot *r, const Names *n)
{
    r->radius = n->radius;
    r->lift = n->lift;
    memcpy(r->start, n->start, sizeof r->start);
    memcpy(r->sine, n->sine, sizeof r->sine);
    for (int k = 0; k < QUAD_JOINTS; k++)
        r->full[r->q[k]] = r->start[k];
    for (int leg = 0; leg < QUAD_FEET; leg++) {
        RgVec3 p = n->neutral;
        r->neutral[leg] =
            vec_norm(p) > 0.0 ? vec(leg < 2 ? p.x : -p.x, leg % 2 == 0 ? p.y : -p.y, p.z) : toe_at(r, leg);
    }
}

bool quad_robot_create(QuadRobot *robot, const char *path, double mu, RgError *error)
{
    memset(robot, 0, sizeof *robot);
    robot->model = gait_model_published(path, 0, mu, error);
    if (robot->model == NULL)
        return false;
    RgModelInfo info = rg_model_info(robot->model);
    robot->mass = info.mass;
    robot->dynamics = rg_dynamics_create(robot->model, NULL);
    robot->full = calloc((size_t)info.nq + 1, sizeof(double));
    robot->rates = calloc((size_t)info.nv + 1, sizeof(double));
    robot->jacobian = calloc(6 * (size_t)info.nv + 1, sizeof(double));
    if (robot->jacobian == NULL || robot->dynamics == NULL || robot->full == NULL || robot->rates == NULL)
        abort();
    rg_model_neutral(robot->model, robot->full);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (find_parts(robot, &known[i])) {
            take_numbers(robot, &known[i]);
            return true;
        }
    error->status = RG_ERR_NOT_FOUND;
    snprintf(error->text, sizeof error->text, "no quadruped with known names of its legs: %.400s", path);
    quad_robot_destroy(robot);
    return false;
}

void quad_robot_destroy(QuadRobot *robot)
{
    rg_dynamics_destroy(robot->dynamics);
    rg_model_destroy(robot->model);
    free(robot->full);
    free(robot->rates);
    free(robot->jacobian);
    memset(robot, 0, sizeof *robot);
}

/* ------------------------------------------------------------------ motions */

double quad_period(const QuadMotion *motion)
{
    return motion->kind == QUAD_SINUSOID || motion->kind == QUAD_CONSISTENT ? 2.0 * TEST_PI / FREQUENCY : PERIOD;
}

RgGait quad_gait(const QuadRobot *robot, const QuadMotion *motion)
{
    return (RgGait){.period = PERIOD,
                    .duty = DUTY,
                    .lift = robot->lift,
                    .velocity = motion->velocity,
                    .yaw_rate = motion->yaw_rate,
                    .nfeet = QUAD_FEET,
                    .neutral = robot->neutral,
                    .touchdown = touchdown};
}

/* Goals of the feet, and their velocities. */
static void foot_goals(QuadRobot *r, const QuadMotion *motion, double t, RgVec3 up, RgVec3 *x, RgVec3 *v)
{
    if (motion->kind == QUAD_TROT) {
        RgGait gait = quad_gait(r, motion);
        rg_gait_at(&gait, t, up, x, v, NULL);
        return;
    }
    for (int leg = 0; leg < QUAD_FEET; leg++) {
        double side = leg == 0 || leg == 3 ? motion->amplitude : -motion->amplitude;
        x[leg] = vec_add(r->neutral[leg], vec(0.0, 0.0, side * sin(FREQUENCY * t)));
        v[leg] = vec(0.0, 0.0, side * FREQUENCY * cos(FREQUENCY * t));
    }
}

/* Rates of a leg that give its toe the velocity v against the base: three equations, by cross products. */
static void toe_rates(QuadRobot *r, int leg, RgVec3 v)
{
    int nv = rg_model_info(r->model).nv;
    RgVec3 column[3];
    rg_link_jacobian(r->dynamics, r->full, r->foot[leg].link, r->jacobian);
    RgPose X_WF = rg_link_pose(r->dynamics, r->foot[leg].link);
    RgMat3 R_BW = mat_transpose(rg_link_pose(r->dynamics, r->base).R);
    RgVec3 arm = mat_apply(X_WF.R, r->foot[leg].point);
    for (int k = 0; k < 3; k++) {
        const double *J = r->jacobian + r->v[3 * leg + k];
        RgVec3 turn = vec(J[0], J[nv], J[2 * nv]), slide = vec(J[3 * nv], J[4 * nv], J[5 * nv]);
        column[k] = mat_apply(R_BW, vec_add(slide, vec_cross(turn, arm)));
    }
    double det = vec_dot(column[0], vec_cross(column[1], column[2]));
    for (int k = 0; k < 3; k++) {
        RgVec3 across = vec_cross(column[(k + 1) % 3], column[(k + 2) % 3]);
        r->rates[r->v[3 * leg + k]] = fabs(det) > 1e-12 ? vec_dot(v, across) / det : 0.0;
    }
}

static void reach_goals(QuadRobot *r, const QuadMotion *motion, double t, RgVec3 up)
{
    RgVec3 x[QUAD_FEET], v[QUAD_FEET];
    foot_goals(r, motion, t, up, x, v);
    for (int leg = 0; leg < QUAD_FEET; leg++) {
        rg_foot_reach(r->dynamics, &r->foot[leg], x[leg], r->full);
        toe_rates(r, leg, v[leg]);
    }
}

void quad_wanted(QuadRobot *r, const QuadMotion *motion, double t, RgVec3 up, double *q, double *v)
{
    bool feet = motion->kind == QUAD_TROT || motion->kind == QUAD_CONSISTENT;
    if (feet)
        reach_goals(r, motion, t, up);
    double a = motion->kind == QUAD_SINUSOID ? motion->amplitude : 0.0;
    for (int k = 0; k < QUAD_JOINTS; k++) {
        double way = k % 3 == 0 ? 0.0 : k % 3 == 1 ? a * r->sine[k / 3] : -a * r->sine[k / 3];
        q[k] = feet ? r->full[r->q[k]] : r->start[k] + way * sin(FREQUENCY * t);
        v[k] = feet ? r->rates[r->v[k]] : way * FREQUENCY * cos(FREQUENCY * t);
    }
}

RgStatus quad_start(QuadRobot *r, const QuadMotion *motion, double gap, RgWorld *world)
{
    double wanted[QUAD_JOINTS], rates[QUAD_JOINTS];
    rg_model_neutral(r->model, r->full);
    for (int k = 0; k < QUAD_JOINTS; k++)
        r->full[r->q[k]] = r->start[k];
    quad_wanted(r, motion, 0.0, vec(0.0, 0.0, 1.0), wanted, rates);
    for (int k = 0; k < QUAD_JOINTS; k++)
        r->full[r->q[k]] = wanted[k];

    /* Upright, the lowest toe so far above the floor. */
    double lowest = 0.0;
    for (int leg = 0; leg < QUAD_FEET; leg++)
        lowest = fmin(lowest, toe_at(r, leg).z);
    const double pose[7] = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0, gap + r->radius - lowest};
    memcpy(r->full + rg_model_link(r->model, r->base).q_index, pose, sizeof pose);
    memset(r->rates, 0, (size_t)rg_model_info(r->model).nv * sizeof(double));
    return rg_world_set_state(world, r->full, r->rates);
}
