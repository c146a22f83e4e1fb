/*
 * atlas_robot.c - see atlas_robot.h.
 *
 *   p   = p* + A (c - c*) + B (c' - c*')         centre of pressure, within the soles: c'' = (g/z)(c - p) turns c back to c*
 *   f_i = m g s_i upwards at p_i, s_i by where p lies between the feet              forces of the feet
 *   tau = kp (q* - q) + kd (q*' - q') + RNEA(q, 0, 0) - sum J_i' f_i                torques, up to the motors' limits
 *
 * As in the challenge torques are explicit: computed from the state at the beginning of a step. This limits the gains:
 * 2 h kd + h^2 kp < 4 I for the least moment of inertia I at the joint. The pelvis (0.1 kg m^2) between both hips and
 * the back bounds kd there, the forearm (0.003 kg m^2) that of the wrist. Fails on floors that are not flat: there is no
 * search for footholds.
 */
#include "atlas_robot.h"

#include "atlas_leg.h"
#include "bodies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define G 9.81
#define GROUND_MU 100.0 /* large, so that the foot's coefficient counts, the smaller of the two */
#define HIP_HEIGHT 0.80 /* m, hips over ankles: knees bent by 0.6 rad */
#define FALLEN 0.6      /* m: height of the pelvis below which it has fallen */
#define BALANCE_A 1.5   /* m/m */
#define BALANCE_B 0.45  /* s */
#define SOLE_FRONT 0.15 /* m before the ankle, a margin within the box of the foot */
#define SOLE_BACK 0.06
#define SOLE_SIDE 0.045
#define JOINTS_MAX 64

typedef struct Driven {
    RgJointId joint;
    int q, v;
    double kp, kd, max_effort;
    double wanted, rate;
} Driven;

struct Atlas {
    RgModel *model;
    RgWorld *world;
    RgDynamics *dynamics;
    WalkPlan *plan;
    WalkSample wanted;
    RgLinkId pelvis, foot[WALK_FEET];
    int leg[WALK_FEET][ATLAS_LEG_JOINTS]; /* of driven */
    int ndriven;
    Driven driven[JOINTS_MAX];
    double *q, *zero, *tau; /* nq, nv, nv */
    RgForce *wrenches;      /* links */
    double mass;
    double seconds;
    bool begun;
};

/* ------------------------------------------------------------------ joints */

/* N m/rad, N m s/rad. Legs: the gains of the challenge's simulator, except for kd of mhx and lhy (10 there), with which
   the pelvis oscillates. The others are ours, of similar size. The first entry that a joint's name contains counts. */
static const struct {
    const char *part;
    double kp, kd;
} gains[] = {{"leg_uhz", 5000, 10}, {"leg_mhx", 50000, 20}, {"leg_lhy", 20000, 20}, {"leg_kny", 1000, 10},
             {"leg_uay", 1000, 10}, {"leg_lax", 500, 10},   {"back", 5000, 20},     {"arm_uwy", 100, 1},
             {"arm_mwx", 100, 2},   {"arm", 200, 10},       {"neck", 20, 1},        {"", 1.0, 0.04}};

/* Arms hang down, bent; other joints are at 0, legs follow the plan. */
static const struct {
    const char *joint;
    double position;
} posture[] = {{"l_arm_shx", -1.3}, {"r_arm_shx", 1.3}, {"l_arm_ely", 1.5},
               {"r_arm_ely", 1.5},  {"l_arm_elx", 0.5}, {"r_arm_elx", -0.5}};

static void add_driven(Atlas *a, RgJointId id)
{
    RgJointInfo info = rg_model_joint(a->model, id);
    if (info.nv != 1 || a->ndriven == JOINTS_MAX)
        return;
    Driven *d = &a->driven[a->ndriven++];
    *d = (Driven){.joint = id, .q = info.q_index, .v = info.v_index, .max_effort = info.dof[0].effort_limit};
    int k = 0;
    while (!strstr(info.name, gains[k].part))
        k++;
    d->kp = gains[k].kp;
    d->kd = gains[k].kd;
    for (size_t i = 0; i < sizeof posture / sizeof posture[0]; i++)
        if (strcmp(info.name, posture[i].joint) == 0)
            d->wanted = posture[i].position;
}

static bool find_legs(Atlas *a)
{
    static const char *const names[ATLAS_LEG_JOINTS] = {"uhz", "mhx", "lhy", "kny", "uay", "lax"};
    int found = 0;
    for (int foot = 0; foot < WALK_FEET; foot++)
        for (int k = 0; k < ATLAS_LEG_JOINTS; k++)
            for (int i = 0; i < a->ndriven; i++) {
                const char *name = rg_model_joint(a->model, a->driven[i].joint).name;
                bool same =
                    name[0] == "lr"[foot] && strncmp(name + 1, "_leg_", 5) == 0 && strcmp(name + 6, names[k]) == 0;
                a->leg[foot][k] = same ? i : a->leg[foot][k];
                found += same;
            }
    a->pelvis = rg_model_find_link(a->model, "pelvis");
    a->foot[WALK_LEFT] = rg_model_find_link(a->model, "l_foot");
    a->foot[WALK_RIGHT] = rg_model_find_link(a->model, "r_foot");
    return found == 2 * ATLAS_LEG_JOINTS && a->pelvis.i && a->foot[0].i && a->foot[1].i;
}

/* ------------------------------------------------------------------ targets */

/* q with the wanted joint positions and the pelvis upright at p. */
static void write_posture(Atlas *a, RgVec3 p)
{
    for (int i = 0; i < a->ndriven; i++)
        a->q[a->driven[i].q] = a->driven[i].wanted;
    const double base[7] = {1.0, 0.0, 0.0, 0.0, p.x, p.y, p.z};
    memcpy(a->q + rg_model_link(a->model, a->pelvis).q_index, base, sizeof base);
}

/* Centre of mass relative to the pelvis in the wanted posture. */
static RgVec3 com_of_posture(Atlas *a)
{
    RgMomentum m = {0};
    write_posture(a, (RgVec3){0});
    rg_momentum(a->dynamics, a->q, a->zero, &m);
    a->mass = m.mass;
    return m.com;
}

/* Sets the legs so that the centre of mass and the feet are at their targets, with the trunk's position relative to the
   centre of mass of the last sample. Returns the position of the pelvis. */
static RgVec3 want_legs(Atlas *a, const WalkSample *s)
{
    RgVec3 com = com_of_posture(a);
    RgVec3 pelvis = {s->com.x - com.x, s->com.y - com.y, ATLAS_ANKLE_HEIGHT + HIP_HEIGHT};
    for (int foot = 0; foot < WALK_FEET; foot++) {
        double side = foot == WALK_LEFT ? ATLAS_HIP_SIDE : -ATLAS_HIP_SIDE, angles[ATLAS_LEG_JOINTS];
        atlas_leg_reach((RgVec3){s->foot[foot].x - pelvis.x, s->foot[foot].y - pelvis.y - side,
                                 s->foot[foot].z + ATLAS_ANKLE_HEIGHT - pelvis.z},
                        angles);
        for (int k = 0; k < ATLAS_LEG_JOINTS; k++) {
            Driven *d = &a->driven[a->leg[foot][k]];
            d->rate = a->begun ? (angles[k] - d->wanted) / ATLAS_H : 0.0;
            d->wanted = angles[k];
        }
    }
    a->begun = true;
    return pelvis;
}

/* Moves the plan to the positions of the standing feet, so that slipped feet are not pulled back. */
static void follow_feet(Atlas *a, WalkSample *s)
{
    double dx = 0.0, dy = 0.0;
    int n = 0;
    for (int foot = 0; foot < WALK_FEET; foot++) {
        if (!s->stands[foot])
            continue;
        RgVec3 p = rg_world_link_pose(a->world, a->foot[foot]).p;
        dx += p.x - s->foot[foot].x;
        dy += p.y - s->foot[foot].y;
        n++;
    }
    dx /= n;
    dy /= n;
    s->com.x += dx;
    s->com.y += dy;
    s->zmp.x += dx;
    s->zmp.y += dy;
}

/* ------------------------------------------------------------------ balance */

static double clamp(double x, double low, double high)
{
    return fmin(fmax(x, low), high);
}

static RgVec3 centre_of_pressure(Atlas *a, const WalkSample *s)
{
    RgMomentum m = {0};
    rg_world_momentum(a->world, &m);
    return (RgVec3){s->zmp.x + BALANCE_A * (m.com.x - s->com.x) + BALANCE_B * (m.com_velocity.x - s->com_velocity.x),
                    s->zmp.y + BALANCE_A * (m.com.y - s->com.y) + BALANCE_B * (m.com_velocity.y - s->com_velocity.y),
                    0.0};
}

/* Distributes the weight over the standing feet with the centre of pressure at p, or the nearest point of the soles. */
static void foot_forces(Atlas *a, const WalkSample *s, RgVec3 p)
{
    RgVec3 at[WALK_FEET];
    for (int foot = 0; foot < WALK_FEET; foot++)
        at[foot] = rg_world_link_pose(a->world, a->foot[foot]).p;
    double apart = at[WALK_LEFT].y - at[WALK_RIGHT].y;
    double left = clamp((p.y - at[WALK_RIGHT].y) / apart, 0.0, 1.0);
    left = !s->stands[WALK_RIGHT] ? 1.0 : !s->stands[WALK_LEFT] ? 0.0 : left;
    for (int foot = 0; foot < WALK_FEET; foot++) {
        double share = foot == WALK_LEFT ? left : 1.0 - left, weight = share * a->mass * G;
        /* Between the feet both press under their middles; beyond one foot only this one presses. */
        double sideways = share > 0.999 ? clamp(p.y - at[foot].y, -SOLE_SIDE, SOLE_SIDE) : 0.0;
        double ahead = clamp(p.x - at[foot].x, -SOLE_BACK, SOLE_FRONT);
        a->wrenches[a->foot[foot].i - 1] =
            (RgForce){.n = {sideways * weight, -ahead * weight, 0.0}, .f = {0.0, 0.0, weight}};
    }
}

/* Spring and damper about the wanted position, and the torques that carry the weight, up to the motors' limits. */
static void command(Atlas *a)
{
    const double *q = rg_world_q(a->world), *v = rg_world_v(a->world);
    for (int i = 0; i < a->ndriven; i++) {
        const Driven *d = &a->driven[i];
        double tau = d->kp * (d->wanted - q[d->q]) + d->kd * (d->rate - v[d->v]) + a->tau[d->v];
        tau = clamp(tau, -d->max_effort, d->max_effort);
        rg_world_set_joint_effort(a->world, d->joint, &tau);
    }
}

static void control(Atlas *a)
{
    WalkSample s = walk_plan_at(a->plan, rg_world_time(a->world));
    want_legs(a, &s);
    follow_feet(a, &s);
    foot_forces(a, &s, centre_of_pressure(a, &s));
    rg_inverse_dynamics(a->dynamics, rg_world_q(a->world), a->zero, a->zero, a->wrenches, a->tau);
    command(a);
    a->wanted = s;
}

bool atlas_step(Atlas *a, RgStepReport *report)
{
    control(a);
    double from = lab_cpu();
    RgStatus status = rg_world_step(a->world, ATLAS_H, report);
    a->seconds += lab_cpu() - from;
    return status == RG_OK && !atlas_fell(a);
}

/* ------------------------------------------------------------------ life */

static RgModel *load_on_floor(Lab *lab, const char *file)
{
    RgBuilder *b = rg_builder_create(NULL, NULL);
    RgSurfaceDef ground = rg_shape_def_default().surface;
    ground.mu = ground.mu2 = GROUND_MU;
    bodies_add_floor(b, &ground);
    RgError error;
    if (rg_read_file(b, lab_model(lab, file), NULL, &error) != RG_OK)
        lab_fail(lab, "%s: %s", file, error.text);
    return bodies_end(lab, b);
}

/* Iterates the posture at rest: trunk and legs depend on each other. */
static RgVec3 settle_posture(Atlas *a, const WalkSample *s)
{
    RgVec3 pelvis = {0};
    for (int i = 0; i < 20; i++)
        pelvis = want_legs(a, s);
    for (int i = 0; i < a->ndriven; i++)
        a->driven[i].rate = 0.0;
    return pelvis;
}

/* Starts the robot at rest in its posture, soles on the floor. */
static bool begin(Atlas *a, const WalkDef *walk)
{
    WalkDef def = *walk;
    RgVec3 com = com_of_posture(a);
    def.width = ATLAS_HIP_SIDE;
    def.ahead = 0.04;
    def.height = com.z + ATLAS_ANKLE_HEIGHT + HIP_HEIGHT;
    a->plan = walk_plan_create(&def);
    if (!a->plan)
        return false;
    WalkSample s = walk_plan_at(a->plan, 0.0);
    write_posture(a, settle_posture(a, &s));
    return rg_world_set_state(a->world, a->q, a->zero) == RG_OK;
}

Atlas *atlas_create(Lab *lab, const AtlasDef *def)
{
    Atlas *a = calloc(1, sizeof *a);
    RgModel *model = a ? load_on_floor(lab, def->file) : NULL;
    if (!model) {
        free(a);
        return NULL;
    }
    a->model = model;
    RgModelInfo info = rg_model_info(model);
    for (int i = 1; i <= info.joints; i++)
        add_driven(a, (RgJointId){i});
    RgWorldDef world = rg_world_def_default();
    world.model = model;
    world.coords = def->coords;
    world.solver = def->solver;
    lab_use_pgs(&world, def->pgs);
    world.quick = def->quick;
    a->world = lab_world_create(lab, &world);
    a->dynamics = rg_dynamics_create(model, NULL);
    a->q = calloc((size_t)info.nq, sizeof *a->q);
    a->zero = calloc((size_t)info.nv, sizeof *a->zero);
    a->tau = calloc((size_t)info.nv, sizeof *a->tau);
    a->wrenches = calloc((size_t)info.links, sizeof *a->wrenches);
    bool whole = a->world && a->dynamics && a->q && a->zero && a->tau && a->wrenches;
    if (whole && find_legs(a) && begin(a, def->walk))
        return a;
    lab_fail(lab, "%s: not a robot with Atlas' legs, or no memory", def->file);
    atlas_destroy(a);
    return NULL;
}

void atlas_destroy(Atlas *a)
{
    if (!a)
        return;
    rg_world_destroy(a->world);
    rg_dynamics_destroy(a->dynamics);
    rg_model_destroy(a->model);
    walk_plan_destroy(a->plan);
    free(a->q);
    free(a->zero);
    free(a->tau);
    free(a->wrenches);
    free(a);
}

/* ------------------------------------------------------------------ results */

RgWorld *atlas_world(Atlas *a)
{
    return a->world;
}

const RgModel *atlas_model(const Atlas *a)
{
    return a->model;
}

bool atlas_fell(Atlas *a)
{
    double z = rg_world_link_pose(a->world, a->pelvis).p.z;
    return !(z > FALLEN && z < 2.0);
}

RgVec3 atlas_foot_com(Atlas *a, int foot)
{
    RgPose X = rg_world_link_pose(a->world, a->foot[foot]);
    return rg_pose_apply(&X, rg_model_link(a->model, a->foot[foot]).inertia.com);
}

double atlas_step_seconds(const Atlas *a)
{
    return a->seconds;
}

WalkSample atlas_wanted(const Atlas *a)
{
    return a->wanted;
}

double atlas_reach_error(Atlas *a)
{
    double worst = 0.0;
    for (int i = 0; 0.05 * i < walk_plan_duration(a->plan); i++) {
        WalkSample s = walk_plan_at(a->plan, 0.05 * i);
        write_posture(a, want_legs(a, &s));
        rg_forward_kinematics(a->dynamics, a->q, NULL);
        for (int foot = 0; foot < WALK_FEET; foot++) {
            RgVec3 at = rg_link_pose(a->dynamics, a->foot[foot]).p, to = s.foot[foot];
            double z = at.z - to.z - ATLAS_ANKLE_HEIGHT;
            worst = fmax(worst, sqrt((at.x - to.x) * (at.x - to.x) + (at.y - to.y) * (at.y - to.y) + z * z));
        }
    }

    /* Restore the start. */
    WalkSample start = walk_plan_at(a->plan, 0.0);
    settle_posture(a, &start);
    return worst;
}
