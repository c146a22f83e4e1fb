/*
 * arm_peers.c - the UR10 and its PD controller in other engines: the same bodies, step and law, in one run.
 *
 * The arm is made plain data (scenes/scene_data.h): six bodies, six hinges, the gripper welded to the last link,
 * nothing that touches. The drives of such scenes, kp (target - q) - kd dq/dt at the start of a step, become a
 * controller along a trajectory by target = q* + (kd / kp) v*, set anew before every step: every engine does the same
 * arithmetic. All start at rest. Each engine runs in a child process (peers/child.h).
 */
#include "arm_bench.h"
#include "child.h"
#include "scene_build.h"
#include "step_search/maxstep.h"
#include "ur10_arm.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIMIT_SECONDS = 120, REPEATS = 3, MODULES = 6 };
#define STEP 1e-3
#define SPEED_BOUND 1e3 /* rad/s: of bodies */
#define ERROR_BOUND 10.0
#define HALF_TURN 3.14159265358979323846

/* ------------------------------------------------------------------ the scene */

/* Inertia of a link and of all that hangs on it beyond the driven joints, at the neutral pose, in world axes about the
   origin. */
typedef struct Sum {
    double mass;
    RgVec3 first; /* mass times centre */
    double I[3][3];
} Sum;

static void add_body(Sum *sum, RgPose X, const RgInertia *in)
{
    const double I[3][3] = {
        {in->I.xx, in->I.xy, in->I.xz}, {in->I.xy, in->I.yy, in->I.yz}, {in->I.xz, in->I.yz, in->I.zz}};
    RgVec3 c = rg_pose_apply(&X, in->com);
    const double p[3] = {c.x, c.y, c.z}, square = c.x * c.x + c.y * c.y + c.z * c.z;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double turned = 0.0;
            for (int k = 0; k < 9; k++)
                turned += X.R.m[i][k / 3] * I[k / 3][k % 3] * X.R.m[j][k % 3];
            sum->I[i][j] += turned + in->mass * ((i == j ? square : 0.0) - p[i] * p[j]);
        }
    sum->mass += in->mass;
    sum->first = (RgVec3){sum->first.x + in->mass * c.x, sum->first.y + in->mass * c.y, sum->first.z + in->mass * c.z};
}

/* The sum as an inertia with its centre, in world axes. */
static RgInertia inertia_of(const Sum *sum)
{
    RgVec3 c = {sum->first.x / sum->mass, sum->first.y / sum->mass, sum->first.z / sum->mass};
    double m = sum->mass, square = c.x * c.x + c.y * c.y + c.z * c.z;
    return (RgInertia){.mass = m,
                       .com = c,
                       .I = {.xx = sum->I[0][0] - m * (square - c.x * c.x),
                             .yy = sum->I[1][1] - m * (square - c.y * c.y),
                             .zz = sum->I[2][2] - m * (square - c.z * c.z),
                             .xy = sum->I[0][1] + m * c.x * c.y,
                             .xz = sum->I[0][2] + m * c.x * c.z,
                             .yz = sum->I[1][2] + m * c.y * c.z}};
}

/* The driven joint whose child is, or carries by welds, a link; -1: none. */
static int carrier(const Ur10Arm *arm, RgLinkId link)
{
    while (link.i != 0) {
        RgLinkInfo info = rg_model_link(arm->model, link);
        for (int i = 0; i < UR10_JOINTS; i++)
            if (arm->joints[i].i == info.joint.i && info.joint.i != 0)
                return i;
        link = info.parent;
    }
    return -1;
}

static void add_link(SceneData *scene, const Ur10Arm *arm, RgDynamics *dynamics, int k)
{
    Sum sum = {0};
    double moments[3];
    RgPose X = rg_pose_identity();
    for (int32_t i = 1; i <= rg_model_info(arm->model).links; i++)
        if (carrier(arm, (RgLinkId){i}) == k) {
            RgInertia in = rg_model_link(arm->model, (RgLinkId){i}).inertia;
            add_body(&sum, rg_link_pose(dynamics, (RgLinkId){i}), &in);
        }
    RgInertia whole = inertia_of(&sum);
    rg_principal_moments(&whole, moments, &X.R);

    /* Right-handed axes. */
    double det = 0.0;
    for (int i = 0; i < 3; i++)
        det += X.R.m[i][0] *
               (X.R.m[(i + 1) % 3][1] * X.R.m[(i + 2) % 3][2] - X.R.m[(i + 2) % 3][1] * X.R.m[(i + 1) % 3][2]);
    for (int i = 0; i < 3 && det < 0.0; i++)
        X.R.m[i][2] = -X.R.m[i][2];
    X.p = whole.com;
    int body = scene_add_body(scene, whole.mass, (RgVec3){moments[0], moments[1], moments[2]}, X);
    RgJointInfo joint = rg_model_joint(arm->model, arm->joints[k]);
    RgPose X_WC = rg_link_pose(dynamics, joint.child), X_WJ = rg_pose_mul(&X_WC, &joint.X_CJ), turn = X_WJ;
    turn.p = (RgVec3){0.0, 0.0, 0.0};
    int at = scene_add_hinge(scene, k == 0 ? SCENE_WORLD : k - 1, body, X_WJ.p, rg_pose_apply(&turn, joint.axis));
    scene->joints[at].driven = true;
    scene->joints[at].kp = ur10_careful.kp[k];
    scene->joints[at].kd = ur10_careful.kd[k];
}

static SceneData *make_scene(const Ur10Arm *arm)
{
    SceneData *scene = scene_new("ur10", "UR10 along sinusoids", UR10_JOINTS, UR10_JOINTS);
    RgDynamics *dynamics = rg_dynamics_create(arm->model, NULL);
    double *q = calloc((size_t)rg_model_info(arm->model).nq, sizeof *q);
    if (dynamics == NULL || q == NULL)
        abort();
    rg_model_neutral(arm->model, q);
    rg_forward_kinematics(dynamics, q, NULL);
    for (int k = 0; k < UR10_JOINTS; k++)
        add_link(scene, arm, dynamics, k);
    free(q);
    rg_dynamics_destroy(dynamics);
    return scene;
}

/* ------------------------------------------------------------------ one run, in the child */

static double wanted(int k, double t)
{
    return ur10_amplitude[k] * sin(ur10_frequency[k] * t);
}

static void aim(SceneData *scene, double t)
{
    for (int k = 0; k < UR10_JOINTS; k++) {
        double v = ur10_amplitude[k] * ur10_frequency[k] * cos(ur10_frequency[k] * t);
        scene->joints[k].target = wanted(k, t) + ur10_careful.kd[k] / ur10_careful.kp[k] * v;
    }
}

/* Angle of a hinge by the poses of its two bodies, within half a turn. */
static double angle_of(const SceneData *scene, int k, const SceneBodyState *states)
{
    const SceneJoint *j = &scene->joints[k];
    const RgPose *start[2] = {j->parent < 0 ? NULL : &scene->bodies[j->parent].X_WB, &scene->bodies[j->child].X_WB};
    RgPose now[2];
    for (int i = 0; i < 2; i++) {
        RgPose back = i == 0 && start[0] == NULL ? rg_pose_identity() : rg_pose_inverse(start[i]);
        now[i] = i == 0 && start[0] == NULL ? back : rg_pose_mul(&states[i == 0 ? j->parent : j->child].X_WB, &back);
    }
    RgPose parent = rg_pose_inverse(&now[0]), turn = rg_pose_mul(&parent, &now[1]);
    RgQuat q = rg_pose_quat(&turn);
    return 2.0 * atan2(q.x * j->axis.x + q.y * j->axis.y + q.z * j->axis.z, q.w);
}

typedef struct Answer {
    bool made, stable;
    double error, cpu; /* mean, rad; s */
    double limit;      /* s: largest stable step */
    char title[48];
} Answer;

typedef struct Job {
    const PeerEngine *engine;
    SceneData *scene;
    double time;
    Answer *answer;
} Job;

static double error_now(const Job *job, void *world, double t, bool *sane)
{
    SceneBodyState states[UR10_JOINTS];
    double sum = 0.0;
    for (int k = 0; k < UR10_JOINTS; k++) {
        job->engine->read(world, k, &states[k]);
        RgVec3 w = states[k].w;
        *sane = *sane && sqrt(w.x * w.x + w.y * w.y + w.z * w.z) <= SPEED_BOUND;
    }
    for (int k = 0; k < UR10_JOINTS && *sane; k++)
        sum += fabs(remainder(angle_of(job->scene, k, states) - wanted(k, t), 2.0 * HALF_TURN)) / UR10_JOINTS;
    return sum;
}

/* Mean error of a run with steps of h; NaN: unstable. Timed runs read no states. */
static double run(const Job *job, double h, bool timed, double *cpu)
{
    const PeerOptions options = {.threads = 1, .iterations = 50};
    long steps = lround(job->time / h);
    double sum = 0.0;
    bool sane = true;
    job->scene->dt = h;
    job->scene->steps = (int)steps;
    aim(job->scene, 0.0);
    void *world = job->engine->create(job->scene, &options);
    if (world == NULL)
        return NAN;
    job->answer->made = true;
    double start = child_cpu();
    for (long k = 0; k < steps && sane; k++) {
        aim(job->scene, (double)k * h);
        job->engine->step(world);
        if (!timed)
            sum += error_now(job, world, (double)(k + 1) * h, &sane) / (double)steps;
    }
    *cpu = child_cpu() - start;
    job->engine->destroy(world);
    return sane && sum <= ERROR_BOUND ? sum : NAN;
}

static bool works(double step, void *context)
{
    double cpu;
    return !isnan(run(context, step, false, &cpu));
}

static void do_job(Job *job)
{
    Answer *a = job->answer;
    double cpu = 0.0;
    snprintf(a->title, sizeof a->title, "%s %s", job->engine->title, job->engine->version());
    a->error = run(job, STEP, false, &cpu);
    a->stable = !isnan(a->error);
    a->cpu = INFINITY;
    for (int i = 0; i < REPEATS && a->stable; i++) {
        run(job, STEP, true, &cpu);
        a->cpu = fmin(a->cpu, cpu);
    }
    RgStepSearch search = {.first = STEP, .least = 1e-4, .most = 0.1, .width = 0.05, .works = works, .context = job};
    a->limit = rg_step_search(&search).step;
}

/* Loads engine number k of a module (NULL: Rigor). false: no such engine. */
static bool ask(const Ur10Arm *arm, const char *module, int k, double time, Answer *answer)
{
    int from, to;
    pid_t child = child_fork(&from, &to);
    if (child == 0) {
        const PeerEngine *const *engines =
            child_settle(LIMIT_SECONDS) ? module ? child_load(module) : rigor_engines() : NULL;
        Answer mine = {0};
        for (int i = 0; engines != NULL && engines[i] != NULL; i++)
            if (i == k && !engines[i]->by_accuracy) {
                Job job = {engines[i], make_scene(arm), time, &mine};
                do_job(&job);
            }
        child_hand_back(to, &mine, sizeof mine);
    }
    bool got = child > 0 && child_receive(from, answer, sizeof *answer);
    if (child > 0)
        child_end(child);
    close(from);
    return got && answer->made;
}

/* ------------------------------------------------------------------ the table */

static void add_rows(LocatedOut *out, const Ur10Arm *arm, const char *module, double time, double *ours)
{
    for (int k = 0; k < 8; k++) {
        Answer a;
        if (!ask(arm, module, k, time, &a))
            continue;
        if (module == NULL)
            *ours = fmin(*ours, a.cpu);
        located_row(out,
                    (LocatedCell[]){cell_text(a.title), cell(a.stable ? a.error : NAN), cell(a.stable ? a.cpu : NAN),
                                    cell(a.stable ? a.cpu / *ours : NAN), cell(a.limit)});
    }
}

bool arm_peers(LocatedOut *out, const ArmOptions *options)
{
    static const LocatedColumn columns[] = {{"engine", "engine", false},
                                            {"mae", "MAE, rad", false},
                                            {"cpu_s", "CPU, s", false},
                                            {"ours", "times ours", false},
                                            {"max_step", "max step, s", false}};
    static const char *const modules[MODULES] = {"mujoco", "ode", "bullet", "bullet_float", "dart", "simbody"};
    double ours = INFINITY, time = options->quick ? 1.0 : UR10_TIME;
    Ur10Arm arm = ur10_arm_load(options->arm, false);
    if (arm.model == NULL) {
        fprintf(stderr, "rigor-bench-arm: %s: %s\n", options->arm, arm.error.text);
        return false;
    }
    located_table(out, "arm_peers",
                  "The same arm and PD controller in other engines: 1 ms steps from rest, and the largest stable step",
                  columns, 5);
    add_rows(out, &arm, NULL, time, &ours);
    for (int i = 0; i < MODULES; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/peer_%s.so", options->modules, modules[i]);
        FILE *there = fopen(path, "rb");
        if (there == NULL) {
            located_note(out, "%s: not built (make bench-peers)", modules[i]);
            continue;
        }
        fclose(there);
        add_rows(out, &arm, path, time, &ours);
    }
    ur10_arm_free(&arm);
    return true;
}
