/*
 * quadruped_run.c - a run of experiment 002-B and what is measured in it: see quadruped.h.
 *
 *   slip    sum over steps and feet that carry more than LOADED of the weight: |velocity across the normal| h, of the
 *           contact as the step's problem has it; over feet and cycles; until a fall
 *   stood   the same over feet that stood at the beginning of the step. The rest is the way of feet that land in it: a foot
 *           with a gap arrives at the end of its step, so that it goes this way in the air
 *   error   mean of |q* - q| over joints and steps, at the end of each
 *   fell    tilt above 60 degrees, or the base touches the floor; blew: |v| > 1e3, or kinetic energy above 1e7 J
 *
 * The flawed order (002's outline: targets and normals first, friction afterwards with efforts and normal forces kept):
 * the second problem has 8 friction impulses and must keep 12 joint rates, P M^-1 F' f = 0, whose matrix has full rank
 * (quad_friction_freedom), so that f = 0. What remains is the first problem: targets on a floor without friction.
 */
#define _POSIX_C_SOURCE 200809L
#include "quadruped.h"

#include "vectors.h"

#include <string.h>
#include <time.h>

#define LOADED 1e-6 /* of the weight */
#define FALLEN 0.5  /* cosine of 60 degrees */
#define FASTEST 1e3 /* rad/s, m/s */
#define HOTTEST 1e7 /* J */
#define GRAVITY 9.81
#define KNOTS 256
#define TOUCHING 1e-5 /* m: a foot nearer than that stands at the beginning of a step */

typedef struct Run {
    const QuadSetup *setup;
    QuadResult *out;
    RgWorld *world;
    RgControl *control;
    RgTrajectory *trajectory;
    double slip, stood, error; /* sums */
    double wanted[QUAD_JOINTS], rates[QUAD_JOINTS];
} Run;

static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static RgVec3 vertical(Run *run)
{
    return mat_apply(mat_transpose(rg_world_link_pose(run->world, run->setup->robot->base).R), vec(0.0, 0.0, 1.0));
}

/* ------------------------------------------------------------------ controllers */

/* The motion as a trajectory of the joints: closed form, or a spline through KNOTS points of a cycle. */
static RgTrajectory *make_trajectory(QuadRobot *r, const QuadMotion *motion, RgError *error)
{
    static double times[KNOTS + 1], values[(KNOTS + 1) * QUAD_JOINTS];
    double amplitude[QUAD_JOINTS], frequency[QUAD_JOINTS], rates[QUAD_JOINTS];
    RgTrajectoryDef def = rg_trajectory_def_default();
    def.kind = "sinusoid";
    def.naxes = QUAD_JOINTS;
    def.position = r->start;
    def.amplitude = amplitude;
    def.frequency = frequency;
    for (int k = 0; k < QUAD_JOINTS; k++) {
        double a = motion->kind == QUAD_SINUSOID ? motion->amplitude * r->sine[k / 3] : 0.0;
        amplitude[k] = k % 3 == 0 ? 0.0 : k % 3 == 1 ? a : -a;
        frequency[k] = 2.0 * TEST_PI / quad_period(motion);
    }
    if (motion->kind == QUAD_CONSISTENT) {
        def.kind = "spline";
        def.periodic = true;
        def.nknots = KNOTS + 1;
        def.times = times;
        def.values = values;
        for (int i = 0; i <= KNOTS; i++) {
            times[i] = quad_period(motion) * i / KNOTS;
            quad_wanted(r, motion, i < KNOTS ? times[i] : 0.0, vec(0.0, 0.0, 1.0), values + i * QUAD_JOINTS, rates);
        }
    }
    return rg_trajectory_create(&def, error);
}

static RgControlJoint control_joint(const QuadSetup *s, int k)
{
    bool hard = strcmp(s->method.kind, "hard") == 0, feet = strcmp(s->method.kind, "foot-pd") == 0;
    RgControlJoint joint = rg_control_joint_default();
    joint.joint = s->robot->joint[k];
    joint.limits.max_effort = s->method.max_effort;
    joint.limits.max_velocity = (double)INFINITY;
    joint.kp = hard || feet ? (double)NAN : s->method.kp;
    joint.kd = hard || feet ? (double)NAN : s->method.kd;
    return joint;
}

static bool make_control(Run *run, RgError *error)
{
    const QuadSetup *s = run->setup;
    bool plans = strcmp(s->method.kind, "inverse-dynamics") == 0 || strcmp(s->method.kind, "least-energy") == 0 ||
                 strcmp(s->method.kind, "no-slip") == 0;
    RgControlJoint joints[QUAD_JOINTS];
    RgGait gait = quad_gait(s->robot, &s->motion);
    RgControllerDef def = rg_controller_def_default();
    RgControlDef control = rg_control_def_default();
    for (int k = 0; k < QUAD_JOINTS; k++)
        joints[k] = control_joint(s, k);
    def.kind = s->method.kind;
    if (s->method.velocities)
        def.rate = 0.0;
    def.njoints = QUAD_JOINTS;
    def.joints = joints;
    if (s->motion.kind == QUAD_TROT)
        def.gait = &gait;
    else
        def.trajectory = run->trajectory = make_trajectory(s->robot, &s->motion, error);
    if (def.gait == NULL && def.trajectory == NULL)
        return false;
    if (def.gait != NULL || plans) {
        def.nfeet = QUAD_FEET;
        def.feet = s->robot->foot;
    }
    if (strcmp(s->method.kind, "foot-pd") == 0) {
        def.foot_kp = s->method.kp;
        def.foot_kd = s->method.kd;
    }
    control.world = run->world;
    control.ncontrollers = 1;
    control.controllers = &def;
    return (run->control = rg_control_create(&control, error)) != NULL;
}

/* ------------------------------------------------------------------ measures */

static bool is_base(const Run *run, RgShapeId shape)
{
    return rg_model_shape(run->setup->robot->model, shape).link.i == run->setup->robot->base.i;
}

/* Contacts of the last step; true: the base touches. */
static bool look_at_contacts(Run *run)
{
    const RgContactForce *contact;
    QuadResult *out = run->out;
    double weight = run->setup->robot->mass * GRAVITY;
    bool down = false;
    int n = rg_world_contact_forces(run->world, &contact);
    for (int i = 0; i < n; i++) {
        double normal = vec_dot(contact[i].force, contact[i].normal);
        RgVec3 across = vec_sub(contact[i].force, vec_scale(normal, contact[i].normal));
        out->cone = fmax(out->cone, (vec_norm(across) - run->setup->mu * normal) / weight);
        out->overlap = fmax(out->overlap, -contact[i].gap);
        if (normal <= LOADED * weight)
            continue;
        if (is_base(run, contact[i].shape_a) || is_base(run, contact[i].shape_b))
            down = true;
        else
            run->slip += vec_norm(contact[i].slip) * run->setup->h;
        if (contact[i].gap < TOUCHING)
            run->stood += vec_norm(contact[i].slip) * run->setup->h;
        out->slipped += contact[i].state == RG_CONTACT_SLIP;
    }
    return down;
}

static void look_at_joints(Run *run)
{
    const QuadRobot *r = run->setup->robot;
    QuadResult *out = run->out;
    const double *q = rg_world_q(run->world);
    for (int k = 0; k < QUAD_JOINTS; k++) {
        RgJointTracking joint = rg_control_joint(run->control, k);
        run->error += fabs(run->wanted[k] - q[r->q[k]]);
        out->peak = fmax(out->peak, fabs(joint.effort));
        out->beyond = fmax(out->beyond, fabs(joint.effort) - run->setup->method.max_effort);
        out->saturated += joint.saturated;
    }
}

static void look_at_rest(Run *run, const RgStepReport *report)
{
    QuadResult *out = run->out;
    const double *v = rg_world_v(run->world);
    RgMomentum momentum;
    rg_world_momentum(run->world, &momentum);
    double fastest = 0.0, upright = rg_world_link_pose(run->world, run->setup->robot->base).R.m[2][2];
    for (int k = 0; k < rg_model_info(run->setup->robot->model).nv; k++)
        fastest = fmax(fastest, fabs(v[k]));
    out->kinetic = fmax(out->kinetic, momentum.kinetic);
    out->residual = fmax(out->residual, report->residual_velocity);
    out->tilt = fmax(out->tilt, acos(fmin(1.0, fmax(-1.0, upright))) * 180.0 / TEST_PI);
    out->missed += report->missed_targets;
    if (isnan(out->blew) && (fastest > FASTEST || momentum.kinetic > HOTTEST))
        out->blew = rg_world_time(run->world);
    if (isnan(out->fell) && upright < FALLEN)
        out->fell = rg_world_time(run->world);
}

/* ------------------------------------------------------------------ run */

static void watch(Run *run)
{
    if (run->setup->watch != NULL)
        run->setup->watch(run->world, run->setup->watch_context);
}

static RgStatus step(Run *run)
{
    const QuadSetup *s = run->setup;
    RgStepReport report = {.status = RG_OK};
    quad_wanted(s->robot, &s->motion, rg_world_time(run->world) + s->h, vertical(run), run->wanted, run->rates);
    double before = processor_seconds();
    RgStatus status = rg_control_step(run->control, s->h, &report);
    run->out->cpu += processor_seconds() - before;
    if (status != RG_OK)
        return status;
    run->out->steps++;
    bool down = look_at_contacts(run);
    if (down && isnan(run->out->fell))
        run->out->fell = rg_world_time(run->world);
    look_at_joints(run);
    look_at_rest(run, &report);
    watch(run);
    return RG_OK;
}

static void go(Run *run)
{
    const QuadSetup *s = run->setup;
    QuadResult *out = run->out;
    double slip = 0.0, stood = 0.0, until = 0.0;
    int steps = (int)(s->time / s->h + 0.5);
    watch(run);
    for (int i = 0; i < steps && isnan(out->blew); i++) {
        if (step(run) != RG_OK) {
            out->blew = rg_world_time(run->world);
            break;
        }
        if (isnan(out->fell)) {
            slip = run->slip;
            stood = run->stood;
            until = rg_world_time(run->world);
        }
    }
    double cycles = QUAD_FEET * fmax(until, s->h) / quad_period(&s->motion);
    out->slip = 1e3 * slip / cycles;
    out->stood = 1e3 * stood / cycles;
    out->error = out->steps > 0 ? run->error / (QUAD_JOINTS * (double)out->steps) : (double)NAN;
    out->base = rg_world_link_pose(run->world, s->robot->base).p;
    out->failed = (int)rg_control_tracking(run->control).failed;
}

bool quad_run(const QuadSetup *setup, QuadResult *out, RgError *error)
{
    Run run = {.setup = setup, .out = out};
    *out = (QuadResult){.fell = (double)NAN, .blew = (double)NAN, .cone = -1.0, .beyond = -(double)INFINITY};
    RgWorldDef def = rg_world_def_default();
    def.model = setup->robot->model;
    def.solver = setup->solver;
    def.coords = setup->coords;
    RgContactLaw law = rg_contact_law_for(setup->solver);
    if (setup->contact_erp > 0.0)
        law.contact_erp = setup->contact_erp;
    def.law = &law;
    run.world = rg_world_create(&def, error);
    bool good = run.world != NULL && quad_start(setup->robot, &setup->motion, setup->gap, run.world) == RG_OK;
    good = good && make_control(&run, error);
    if (good)
        go(&run);
    rg_control_destroy(run.control);
    rg_trajectory_destroy(run.trajectory);
    rg_world_destroy(run.world);
    return good;
}

/* ------------------------------------------------------------------ flawed order */

/* Column of the linear Jacobian of a foot along x or y, and what joint rates a unit impulse there makes. */
static void friction_effect(QuadRobot *r, int foot, int axis, double *rates)
{
    int nv = rg_model_info(r->model).nv;
    double x[64];
    rg_link_jacobian(r->dynamics, r->full, r->foot[foot].link, r->jacobian);
    for (int k = 0; k < nv; k++)
        x[k] = r->jacobian[(3 + axis) * nv + k];
    rg_mass_solve(r->dynamics, x);
    for (int k = 0; k < QUAD_JOINTS; k++)
        rates[k] = x[r->v[k]];
}

int quad_friction_freedom(QuadRobot *r)
{
    double column[2 * QUAD_FEET][QUAD_JOINTS];
    int freedom = 0;
    rg_mass_factor(r->dynamics, r->full);
    for (int i = 0; i < 2 * QUAD_FEET; i++) {
        friction_effect(r, i / 2, i % 2, column[i]);
        double before = 0.0, after = 0.0;
        for (int k = 0; k < QUAD_JOINTS; k++)
            before += column[i][k] * column[i][k];

        /* What is left of it beside the earlier ones (Gram-Schmidt, twice). */
        for (int j = 0; j < 2 * i; j++) {
            double dot = 0.0;
            for (int k = 0; k < QUAD_JOINTS; k++)
                dot += column[i][k] * column[j % i][k];
            for (int k = 0; k < QUAD_JOINTS; k++)
                column[i][k] -= dot * column[j % i][k];
        }
        for (int k = 0; k < QUAD_JOINTS; k++)
            after += column[i][k] * column[i][k];
        freedom += after <= 1e-12 * before;
        for (int k = 0; k < QUAD_JOINTS && after > 0.0; k++)
            column[i][k] /= sqrt(after);
    }
    return freedom;
}
