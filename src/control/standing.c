/*
 * standing.c - a robot that stands on its feet or walks: desired joint positions, and forces of the feet.
 *
 *   plan     motion of feet, centre of mass c* and point of support p*: linear inverted pendulum (step_plan.c)
 *   posture  q*: trunk as upright as at the start, c and feet as planned: inverse kinematics of the limbs
 *   balance  p = p* + k ((c + c'/w) - (c* + c*'/w)),  w^2 = g/z; for k > 1 this moves the capture point back
 *   feet     upward forces f_i with sum f_i = m g and centre of pressure p: shares s_i >= 0 of the standing feet, and
 *            an offset within each sole (foot_pressure.c)
 *   drives   tau = kp (q* - q) + kd (q*' - q') at the end of the step, plus RNEA(q, 0, 0) - sum J_i' f_i, within the
 *            effort limits
 *
 * The capture point c + c'/w (Pratt and others 2006) is where the pendulum comes to rest: its error grows as e^(wt),
 * and with the law above decays as e^((1-k)wt) as long as p lies within the soles. Beyond that the robot falls: it
 * makes no recovery step. Slipped feet are not moved back: the plan is moved and rotated to the standing feet.
 *
 * At the first sample the robot must stand with flat soles and bent knees; its heading is the base's x axis. Posture,
 * heading, soles (bounding boxes of the lowest corners of the foot's shapes) and height are taken from this state.
 * Joints that are in no limb keep their positions. Fails (the last command is held) if gravity is not along -z of the
 * world, or no foot stands. The floor is assumed level; footholds are not adapted.
 */
#include "control/standing.h"

#include "control/foot_pressure.h"
#include "control/limb_reach.h"
#include "control/step_plan.h"

#include "base/status.h"
#include "dynamics/tree_dynamics.h"
#include "geom/shape.h"
#include "math/trig.h"
#include "model/model.h"
#include "sim/world_internal.h"

#include <math.h>
#include <string.h>

enum { POSTURE_ITERATIONS = 2 }; /* per sample: of the trunk's position and the limbs' joints */
#define SOLE_HEIGHT 1e-3         /* m: corners of the soles higher above the lowest one are ignored */

/* Saved state of a foot; all members are doubles. */
typedef struct FootMemory {
    double sole[3];    /* middle of the sole, link frame */
    double half[2];    /* m: half its length and width, along and across the heading */
    double upright[4]; /* orientation of the link relative to the heading, quaternion */
    double first[4];   /* initial position of the sole's middle in the world, and its heading */
} FootMemory;

/* Saved state; the posture (nq), its rates (nv) and the feet follow. */
typedef struct Memory {
    double begun, start; /* 1 if the state is initialised; s: time of the first sample */
    double heading, height, floor;
    double com[2];     /* m: initial position of the centre of mass */
    double upright[4]; /* orientation of the base relative to the heading */
    double time;       /* s: of the posture */
} Memory;
enum { MEMORY = sizeof(Memory) / sizeof(double), FOOT_MEMORY = sizeof(FootMemory) / sizeof(double) };

typedef struct StandingWork {
    const RgModel *model;
    RgStepPlan plan;
    RgLimb limb[RG_STEP_FEET];
    RgStepPlanDef def;
    RgForce *wrenches;        /* nlinks */
    double *zero, *tau, *old; /* nv, nv, nq */
} StandingWork;

/* Pointers into the controller's memory. */
typedef struct Stored {
    Memory *m;
    FootMemory *foot; /* nfeet */
    double *q, *rate; /* nq, nv */
} Stored;

static Stored stored_state(const RgController *c)
{
    const StandingWork *work = c->work;
    double *at = c->memory;
    Stored stored = {.m = (Memory *)(void *)at, .foot = (FootMemory *)(void *)(at + MEMORY)};
    stored.q = at + MEMORY + FOOT_MEMORY * c->nfeet;
    stored.rate = stored.q + work->model->nq;
    return stored;
}

int rg_standing_memory(const RgController *c)
{
    const StandingWork *work = c->work;
    return MEMORY + FOOT_MEMORY * c->nfeet + work->model->nq + work->model->nv;
}

bool rg_standing_prepare(RgController *c, const RgModel *model, RgArena *arena)
{
    StandingWork *work = RG_ARENA_ALLOC(arena, StandingWork, 1);
    c->work = work;
    if (work == NULL || !rg_step_plan_alloc(arena, &c->walk, &work->plan))
        return false;
    work->model = model;
    work->wrenches = RG_ARENA_ALLOC(arena, RgForce, model->nlinks);
    work->zero = RG_ARENA_ALLOC(arena, double, model->nv);
    work->tau = RG_ARENA_ALLOC(arena, double, model->nv);
    work->old = RG_ARENA_ALLOC(arena, double, model->nq);
    for (int i = 0; i < c->nfeet; i++)
        rg_limb_find(model, c->feet[i].base, c->feet[i].link, &work->limb[i]);
    return !arena->failed;
}

/* ------------------------------------------------------------------ definition */

static const char *link_name(const RgModel *model, RgLinkId link)
{
    return model->links[link.i - 1].def.name;
}

static bool has_shape(const RgModel *m, int body)
{
    for (int i = 0; i < m->nshapes; i++) {
        const RgShapeDef *shape = &m->shapes[i].def;
        if (!shape->is_visual && shape->link.i > 0 && m->links[shape->link.i - 1].body == body)
            return true;
    }
    return false;
}

static bool is_controlled(const RgModel *m, const RgControllerDef *def, int dof)
{
    for (int k = 0; k < def->njoints; k++) {
        int body = m->joints[def->joints[k].joint.i - 1].body;
        if (body >= 0 && m->bodies[body].v0 + def->joints[k].dof == dof)
            return true;
    }
    return false;
}

/* Loop joints are refused: they have no position in q. */
static RgStatus check_joints(const RgModel *m, const RgControllerDef *def, RgError *error)
{
    for (int k = 0; k < def->njoints; k++) {
        const RgJoint *joint = &m->joints[def->joints[k].joint.i - 1];
        if (joint->body < 0)
            return rg_fail(error, RG_ERR_UNSUPPORTED, NULL, 0,
                           "controller '%.60s': joint '%.60s' closes a loop: kind '%s' has no posture for it",
                           def->name != NULL ? def->name : def->kind, joint->def.name, def->kind);
    }
    return RG_OK;
}

static RgStatus check_foot(const RgModel *m, const RgControllerDef *def, const RgFoot *foot, RgError *error)
{
    const char *label = def->name != NULL ? def->name : def->kind, *name = link_name(m, foot->link);
    RgLimb limb;
    const RgBody *base =
        foot->base.i > 0 && m->links[foot->base.i - 1].body >= 0 ? &m->bodies[m->links[foot->base.i - 1].body] : NULL;
    if (base == NULL || base->parent >= 0 || base->nv != 6)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "controller '%.60s': the base of foot '%.60s' must float",
                       label, name);
    RgStatus status = rg_limb_find(m, foot->base, foot->link, &limb);
    if (status != RG_OK)
        return rg_fail(error, status, NULL, 0,
                       "controller '%.60s': foot '%.60s' must hang on its base by 1 to %d joints of one axis", label,
                       name, RG_LIMB_JOINTS);
    for (int k = 0; k < limb.n; k++)
        if (!is_controlled(m, def, limb.dof[k]))
            return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0,
                           "controller '%.60s': joint '%.60s' carries foot '%.60s', and is none of its joints", label,
                           rg_model_dof_name(m, limb.dof[k]), name);
    if (foot->point.x != 0.0 || foot->point.y != 0.0 || foot->point.z != 0.0)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0,
                       "controller '%.60s': kind '%s' has no use for the point of foot '%.60s': it stands on its sole",
                       label, def->kind, name);
    if (!has_shape(m, m->links[foot->link.i - 1].body))
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0,
                       "controller '%.60s': foot '%.60s' has no collision shape to stand on", label, name);
    return RG_OK;
}

RgStatus rg_standing_check(const RgModel *m, const RgControllerDef *def, RgError *error)
{
    const char *label = def->name != NULL ? def->name : def->kind;
    if (def->nfeet < 2 || def->nfeet > RG_STEP_FEET)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "controller '%.60s': kind '%s' needs 2 to %d feet, not %d",
                       label, def->kind, RG_STEP_FEET, def->nfeet);
    RgStatus status = check_joints(m, def, error);
    for (int i = 0; i < def->nfeet && status == RG_OK; i++) {
        status = check_foot(m, def, &def->feet[i], error);
        for (int j = 0; j < i && status == RG_OK; j++)
            if (def->feet[j].link.i == def->feet[i].link.i)
                status = rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "controller '%.60s': foot '%.60s' is given twice",
                                 label, link_name(m, def->feet[i].link));
    }
    return status;
}

/* ------------------------------------------------------------------ the start */

static RgMat3 rotation_about_up(double angle)
{
    double s, c;
    rg_sincos(angle, &s, &c);
    return m3_rotate_z(m3_identity(), s, c);
}

/* Yaw of a frame relative to its orientation `upright`. */
static double heading_of(RgMat3 R, const double *upright)
{
    RgMat3 rotated = m3_mul(R, m3_transpose(q_matrix(q_load(upright))));
    RgVec3 x = m3_column(rotated, 0);
    return atan2(x.y, x.x);
}

/* Corner k of the box that a shape rests on, in heading axes: its bounds without its rounding. X: pose of the shape. */
static RgVec3 corner(const RgShape *shape, RgPose X, int k)
{
    RgBounds b = rg_shape_kind(shape->type)->bounds(shape);
    double r = rg_shape_rounding(shape);
    RgVec3 low = v3_add(b.low, v3(r, r, r)), high = v3_sub(b.high, v3(r, r, r));
    return pose_apply(X, v3(k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z));
}

/* Finds the sole: the box of the lowest corners of all shapes of the foot's body, in heading axes. */
static void find_sole(const RgControlView *view, const RgFoot *foot, double heading, FootMemory *out)
{
    const RgModel *m = view->model;
    RgPose X_WL = rg_link_pose(view->dynamics, foot->link);
    RgPose X_HW = {.R = m3_transpose(rotation_about_up(heading))}, X_HL = pose_mul(X_HW, X_WL);
    int body = m->links[foot->link.i - 1].body;
    RgPose X_BL = m->links[foot->link.i - 1].X_BL;
    RgVec3 low = v3(INFINITY, INFINITY, INFINITY), high = v3_neg(low);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < 8 * m->nshapes; i++) {
            const RgShapeDef *def = &m->shapes[i / 8].def;
            if (def->is_visual || def->link.i <= 0 || m->links[def->link.i - 1].body != body)
                continue;
            RgShape shape = rg_shape_view(def);
            RgPose X_LS = pose_relative(X_BL, pose_mul(m->links[def->link.i - 1].X_BL, def->X_LS));
            RgVec3 at = corner(&shape, pose_mul(X_HL, X_LS), i % 8);
            double bottom = at.z - rg_shape_rounding(&shape);
            if (pass == 0)
                low.z = fmin(low.z, bottom);
            else if (bottom <= low.z + SOLE_HEIGHT) {
                low = v3(fmin(low.x, at.x), fmin(low.y, at.y), low.z);
                high = v3(fmax(high.x, at.x), fmax(high.y, at.y), low.z);
            }
        }
    RgVec3 middle = v3(0.5 * (low.x + high.x), 0.5 * (low.y + high.y), low.z);
    RgVec3 sole = pose_apply(pose_inverse(X_HL), middle), world = pose_apply(X_WL, sole);
    *out = (FootMemory){.sole = {sole.x, sole.y, sole.z},
                        .half = {0.5 * (high.x - low.x), 0.5 * (high.y - low.y)},
                        .first = {world.x, world.y, world.z, heading}};
    q_store(q_from_matrix(X_HL.R), out->upright);
}

static RgStatus init_memory(const RgController *c, const RgControlView *view, const Stored *stored)
{
    Memory *m = stored->m;
    RgMomentum now;
    RgStatus status = rg_momentum(view->dynamics, view->q, view->v, &now);
    if (status != RG_OK)
        return status;
    RgMat3 R = rg_link_pose(view->dynamics, c->feet[0].base).R;
    *m = (Memory){.begun = 1.0, .start = view->t, .heading = atan2(m3_column(R, 0).y, m3_column(R, 0).x)};
    q_store(q_from_matrix(m3_mul(m3_transpose(rotation_about_up(m->heading)), R)), m->upright);
    for (int i = 0; i < c->nfeet; i++) {
        find_sole(view, &c->feet[i], m->heading, &stored->foot[i]);
        m->floor += stored->foot[i].first[2] / c->nfeet;
    }
    m->com[0] = now.com.x;
    m->com[1] = now.com.y;
    m->height = now.com.z - m->floor;
    m->time = view->t;
    memcpy(stored->q, view->q, (size_t)view->model->nq * sizeof *stored->q);
    memset(stored->rate, 0, (size_t)view->model->nv * sizeof *stored->rate);
    return m->height > 0.0 ? RG_OK : RG_ERR_ARGUMENT;
}

/* Computes the plan from the initial state in memory, unless it is up to date. */
static void update_plan(const RgController *c, const Stored *stored, double gravity)
{
    StandingWork *work = c->work;
    RgStepPlanDef *def = &work->def;
    memset(def, 0, sizeof *def);
    def->walk = c->walk;
    def->nfeet = c->nfeet;
    def->height = stored->m->height;
    def->gravity = gravity;
    def->heading = stored->m->heading;
    for (int i = 0; i < c->nfeet; i++) {
        const double *first = stored->foot[i].first;
        def->first[i] = (RgFoothold){first[0], first[1], first[3]};
    }
    if (work->plan.n == 0 || memcmp(def, &work->plan.def, sizeof *def) != 0)
        rg_step_plan_compute(&work->plan, def);
}

/* ------------------------------------------------------------------ posture */

/* Sets q so that the base link has pose X_WL. */
static void place_base(const RgModel *m, RgLinkId base, RgPose X_WL, double *q)
{
    const RgBody *B = &m->bodies[m->links[base.i - 1].body];
    RgPose X_WB = pose_mul(X_WL, pose_inverse(m->links[base.i - 1].X_BL)), X = pose_relative(B->X_PF, X_WB);
    q_store(q_from_matrix(X.R), q + B->q0);
    q[B->q0 + 4] = X.p.x;
    q[B->q0 + 5] = X.p.y;
    q[B->q0 + 6] = X.p.z;
}

static RgPose foot_goal(const FootMemory *foot, const RgFoothold *at, double lift)
{
    RgMat3 R = m3_mul(rotation_about_up(at->yaw), q_matrix(q_load(foot->upright)));
    RgVec3 sole = v3(foot->sole[0], foot->sole[1], foot->sole[2]);
    return (RgPose){R, v3_sub(v3(at->x, at->y, foot->first[2] + lift), m3_apply(R, sole))};
}

/* Computes the posture at t (stored->q): trunk and limbs for the planned centre of mass and feet; rates from the last
   posture. */
static RgStatus compute_posture(const RgController *c, const RgControlView *view, const Stored *stored, double t)
{
    StandingWork *work = c->work;
    const Memory *m = stored->m;
    RgStepSample s;
    rg_step_plan_sample(&work->plan, t - m->start, &s);
    double begun = c->walk.settle > 0.0 ? rg_step_smooth((t - m->start) / c->walk.settle) : 1.0;
    RgStepSample first;
    rg_step_plan_sample(&work->plan, 0.0, &first);
    RgVec3 com = v3(s.cx + (1.0 - begun) * (m->com[0] - first.cx), s.cy + (1.0 - begun) * (m->com[1] - first.cy),
                    m->floor + m->height);
    memcpy(work->old, stored->q, (size_t)view->model->nq * sizeof *work->old);
    RgMat3 R = m3_mul(rotation_about_up(s.heading), q_matrix(q_load(m->upright)));
    rg_forward_kinematics(view->dynamics, stored->q, NULL);
    RgPose X_WL = {R, rg_link_pose(view->dynamics, c->feet[0].base).p};
    for (int k = 0; k < POSTURE_ITERATIONS; k++) {
        RgMomentum there;
        place_base(view->model, c->feet[0].base, X_WL, stored->q);
        RgStatus status = rg_momentum(view->dynamics, stored->q, work->zero, &there);
        if (status != RG_OK)
            return status;
        X_WL.p = v3_add(X_WL.p, v3_sub(com, there.com));
        place_base(view->model, c->feet[0].base, X_WL, stored->q);
        for (int i = 0; i < c->nfeet; i++) {
            RgPose X_BL = pose_relative(X_WL, foot_goal(&stored->foot[i], &s.foot[i], s.lift[i]));
            rg_limb_reach(view->dynamics, &work->limb[i], &X_BL, stored->q);
        }
    }
    rg_difference_positions(view->model, work->old, stored->q, stored->rate);
    for (int k = 0; k < view->model->nv; k++)
        stored->rate[k] = t > m->time ? stored->rate[k] / (t - m->time) : 0.0;
    stored->m->time = t;
    return RG_OK;
}

/* ------------------------------------------------------------------ balance */

/* Moves and rotates the plan to the standing feet. False: no foot stands. */
static bool follow_feet(int nfeet, const RgLoadedFoot *feet, RgStepSample *s)
{
    double planned[2] = {0.0, 0.0}, real[2] = {0.0, 0.0}, turn = 0.0;
    int n = 0;
    for (int i = 0; i < nfeet; i++) {
        if (!s->stands[i])
            continue;
        planned[0] += s->foot[i].x;
        planned[1] += s->foot[i].y;
        real[0] += feet[i].at.x;
        real[1] += feet[i].at.y;
        turn += remainder(feet[i].heading - s->foot[i].yaw, 2.0 * RG_PI);
        n++;
    }
    if (n == 0)
        return false;
    double co, si;
    rg_sincos(turn / n, &si, &co);
    double *points[3][2] = {{&s->cx, &s->cy}, {&s->px, &s->py}, {&s->vx, &s->vy}};
    for (int k = 0; k < 3; k++) {
        bool place = k < 2;
        double x = *points[k][0] - (place ? planned[0] / n : 0.0), y = *points[k][1] - (place ? planned[1] / n : 0.0);
        *points[k][0] = co * x - si * y + (place ? real[0] / n : 0.0);
        *points[k][1] = si * x + co * y + (place ? real[1] / n : 0.0);
    }
    return true;
}

/* Computes the feed-forward efforts for the foot forces (work->tau). */
static RgStatus compute_feed(const RgController *c, const RgControlView *view, const Stored *stored)
{
    StandingWork *work = c->work;
    RgMomentum now;
    RgStepSample s;
    RgLoadedFoot feet[RG_STEP_FEET];
    RgStatus status = rg_momentum(view->dynamics, view->q, view->v, &now);
    if (status != RG_OK)
        return status;
    rg_step_plan_sample(&work->plan, view->t - stored->m->start, &s);
    for (int i = 0; i < c->nfeet; i++) {
        const FootMemory *foot = &stored->foot[i];
        RgPose X = rg_link_pose(view->dynamics, c->feet[i].link);
        feet[i] = (RgLoadedFoot){.at = pose_apply(X, v3(foot->sole[0], foot->sole[1], foot->sole[2])),
                                 .link = X.p,
                                 .heading = heading_of(X.R, foot->upright),
                                 .half = {foot->half[0], foot->half[1]},
                                 .stands = s.stands[i]};
    }
    if (!follow_feet(c->nfeet, feet, &s))
        return RG_ERR_NOT_FOUND;
    double gravity = work->plan.def.gravity, rate = sqrt(gravity / stored->m->height), k = c->walk.capture;
    double px = s.px + k * (now.com.x + now.com_velocity.x / rate - s.cx - s.vx / rate);
    double py = s.py + k * (now.com.y + now.com_velocity.y / rate - s.cy - s.vy / rate);
    rg_foot_pressures(feet, c->nfeet, px, py, now.mass * gravity);
    memset(work->wrenches, 0, (size_t)view->model->nlinks * sizeof *work->wrenches);
    for (int i = 0; i < c->nfeet; i++)
        work->wrenches[c->feet[i].link.i - 1] = feet[i].wrench;
    return rg_inverse_dynamics(view->dynamics, view->q, work->zero, work->zero, work->wrenches, work->tau);
}

/* ------------------------------------------------------------------ the controller */

static double posture_of(const StandingWork *work, const Stored *stored, int dof)
{
    const RgBody *B = &work->model->bodies[work->model->dof_body[dof]];
    return stored->q[B->q0 + dof - B->v0];
}

bool rg_standing_reference(const RgController *c, double t, RgReference *out)
{
    const StandingWork *work = c->work;
    Stored stored = stored_state(c);
    for (int k = 0; k < c->njoints && stored.m->begun > 0.0; k++) {
        double rate = c->dofs[k] >= 0 ? stored.rate[c->dofs[k]] : 0.0;
        double at = c->dofs[k] >= 0 ? posture_of(work, &stored, c->dofs[k]) : 0.0;
        out[k] = (RgReference){.position = at + rate * (t - stored.m->time), .velocity = rate};
    }
    return stored.m->begun > 0.0;
}

RgStatus rg_standing_command(RgController *c, const RgControlView *view, RgJointCommand *out)
{
    StandingWork *work = c->work;
    Stored stored = stored_state(c);
    RgVec3 g = rg_world_settings(view->world).gravity;
    if (!(g.z < 0.0) || g.x != 0.0 || g.y != 0.0)
        return RG_ERR_UNSUPPORTED;
    RgStatus status = stored.m->begun > 0.0 ? RG_OK : init_memory(c, view, &stored);
    if (status != RG_OK)
        return status;
    update_plan(c, &stored, -g.z);
    status = compute_feed(c, view, &stored);
    if (status == RG_OK)
        status = compute_posture(c, view, &stored, view->t + view->h);
    for (int k = 0; k < c->njoints && status == RG_OK; k++) {
        RgDrive drive = rg_drive_default();
        drive.kp = c->joints[k].kp;
        drive.kd = c->joints[k].kd;
        drive.time = view->t + view->h;
        drive.position = posture_of(work, &stored, c->dofs[k]);
        drive.velocity = stored.rate[c->dofs[k]];
        drive.feed = work->tau[c->dofs[k]];
        out[k] = (RgJointCommand){.drives = true, .drive = drive};
    }
    return status;
}
