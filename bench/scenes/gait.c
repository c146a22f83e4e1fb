/*
 * gait.c - the trotting quadruped: see gait.h.
 *
 * Clamped spline through y0 ... y3 at equal times d apart, at rest at both ends: slopes m1, m2 at the inner points from
 *   4 m1 + m2 = 3 (y2 - y0) / d,   m1 + 4 m2 = 3 (y3 - y1) / d
 * and cubic Hermite pieces between them.
 */
#include "gait.h"
#include "vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PERIOD 0.3
#define DUTY 0.75
#define STEP_HEIGHT 0.03
#define STIFFNESS 1000.0
#define DAMPING 30.0
#define BASE_HEIGHT 0.185 /* m, at the start */
#define PUBLISHED_THIGH_IZZ 1.275e-3

static const char *const leg_names[GAIT_FEET] = {"LF", "RF", "LH", "RH"};
static const double touch_phase[GAIT_FEET] = {0.25, 0.75, 0.75, 0.25};
static const double start_angles[GAIT_FEET][GAIT_JOINTS] = {
    {0.1, 0.8, 1.2}, {-0.1, -0.8, -1.2}, {-0.1, -0.8, -1.2}, {0.1, 0.8, 1.2}};

/* ------------------------------------------------------------------ model */

/* Points of a Fibonacci lattice: equal steps along z, the golden angle about it. xyz of n points. */
static double *fibonacci(int n, double radius)
{
    const double c = -0.73736887807831963, s = 0.67549029426152362; /* of the golden angle */
    double *p = malloc(3 * (size_t)n * sizeof *p);
    if (p == NULL)
        abort();
    double x = 1.0, y = 0.0;
    for (int i = 0; i < n; i++) {
        double z = 1.0 - (2.0 * i + 1.0) / n, across = radius * sqrt(1.0 - z * z);
        p[3 * i] = across * x;
        p[3 * i + 1] = across * y;
        p[3 * i + 2] = radius * z;
        double next = c * x - s * y;
        y = s * x + c * y;
        x = next;
    }
    return p;
}

static bool is_thigh(const char *name)
{
    const char *end = strchr(name, '_');
    return end != NULL && strcmp(end, "_LEG_2") == 0;
}

/* thigh_izz 0: as it is. */
static void copy_links(RgBuilder *b, const RgModel *from, const RgDynamics *at, double thigh_izz)
{
    for (int i = 1; i <= rg_model_info(from).links; i++) {
        RgLinkInfo info = rg_model_link(from, (RgLinkId){i});
        RgLinkDef def = rg_link_def_default();
        def.name = info.name;
        def.group = info.group;
        def.inertia = info.inertia;
        if (thigh_izz > 0.0 && is_thigh(info.name))
            def.inertia.I.zz = thigh_izz;
        def.X_WL = rg_link_pose(at, (RgLinkId){i});
        def.is_static = info.body < 0;
        rg_builder_add_link(b, &def);
    }
}

static void copy_joints(RgBuilder *b, const RgModel *from)
{
    for (int i = 1; i <= rg_model_info(from).joints; i++) {
        RgJointInfo info = rg_model_joint(from, (RgJointId){i});
        RgJointDef def = rg_joint_def_default();
        def.name = info.name;
        def.group = info.group;
        def.type = info.type;
        def.parent = info.parent;
        def.child = info.child;
        def.X_PJ = info.X_PJ;
        def.X_CJ = info.X_CJ;
        def.axis = info.axis;
        def.axis2 = info.axis2;
        def.pitch = info.pitch;
        memcpy(def.dof, info.dof, (size_t)info.nv * sizeof *def.dof);
        rg_builder_add_joint(b, &def);
    }
}

static RgSurfaceDef surface_of(double mu)
{
    RgSurfaceDef surface = rg_shape_def_default().surface;
    surface.mu = surface.mu2 = mu;
    surface.restitution = 0.0;
    return surface;
}

/* Replaces contact spheres by hulls of foot_vertices points, if requested. */
static void copy_shapes(RgBuilder *b, const RgModel *from, int foot_vertices, double mu)
{
    for (int i = 1; i <= rg_model_info(from).shapes; i++) {
        RgShapeInfo info = rg_model_shape(from, (RgShapeId){i});
        RgShapeDef def = rg_shape_def_default();
        def.is_visual = info.is_visual;
        memcpy(def.colour, info.colour, sizeof def.colour);
        def.name = info.name;
        def.type = info.type;
        def.link = info.link;
        def.X_LS = info.X_LS;
        memcpy(def.size, info.size, sizeof def.size);
        def.mesh = info.mesh;
        def.surface = surface_of(mu);
        double *points = NULL;
        if (info.type == RG_SHAPE_sphere && !info.is_visual && foot_vertices > 0) {
            points = fibonacci(foot_vertices, info.size[0]);
            def.type = RG_SHAPE_polytope;
            def.size[0] = def.size[1] = def.size[2] = 1.0;
            def.mesh = (RgMeshData){.vertices = points, .nvertices = foot_vertices};
        }
        rg_builder_add_shape(b, &def);
        free(points);
    }
    RgShapeDef floor = rg_shape_def_default();
    floor.type = RG_SHAPE_halfspace;
    floor.surface = surface_of(mu);
    rg_builder_add_shape(b, &floor);
}

static RgModel *model_create(const char *path, int foot_vertices, double mu, double thigh_izz, RgError *error)
{
    RgModel *from = rg_model_load(path, NULL, NULL, error);
    if (from == NULL)
        return NULL;
    RgDynamics *at = rg_dynamics_create(from, NULL);
    double *q = calloc((size_t)rg_model_info(from).nq + 1, sizeof *q);
    RgBuilder *b = rg_builder_create(NULL, NULL);
    if (at == NULL || q == NULL || b == NULL)
        abort();
    rg_model_neutral(from, q);
    rg_forward_kinematics(at, q, NULL);
    rg_builder_set_name(b, rg_model_info(from).name);
    copy_links(b, from, at, thigh_izz);
    copy_joints(b, from);
    copy_shapes(b, from, foot_vertices, mu);
    RgModel *model = rg_builder_finish(b, error);
    rg_builder_destroy(b);
    rg_dynamics_destroy(at);
    rg_model_destroy(from);
    free(q);
    return model;
}

RgModel *gait_model_create(const char *path, int foot_vertices, double mu, RgError *error)
{
    return model_create(path, foot_vertices, mu, 0.0, error);
}

RgModel *gait_model_published(const char *path, int foot_vertices, double mu, RgError *error)
{
    return model_create(path, foot_vertices, mu, PUBLISHED_THIGH_IZZ, error);
}

/* ------------------------------------------------------------------ start */

static RgJointId leg_joint(const RgModel *model, int foot, int k)
{
    static const char *const kinds[GAIT_JOINTS] = {"X_1", "Y_2", "Y_3"};
    char name[16];
    snprintf(name, sizeof name, "%s_%s", leg_names[foot], kinds[k]);
    return rg_model_find_joint(model, name);
}

/* Positions of the start; false: joints are missing. */
static bool start_positions(const RgModel *model, double *q)
{
    RgLinkId base = rg_model_find_link(model, "BODY0");
    if (base.i == 0 || !rg_model_link(model, base).floats)
        return false;
    rg_model_neutral(model, q);
    const double pose[7] = {1.0, 0.0, 0.0, 0.0, 0.05, -0.05, BASE_HEIGHT};
    memcpy(q + rg_model_link(model, base).q_index, pose, sizeof pose);
    for (int foot = 0; foot < GAIT_FEET; foot++)
        for (int k = 0; k < GAIT_JOINTS; k++) {
            RgJointId joint = leg_joint(model, foot, k);
            if (joint.i == 0)
                return false;
            q[rg_model_joint(model, joint).q_index] = start_angles[foot][k];
        }
    return true;
}

RgStatus gait_start(RgWorld *world)
{
    const RgModel *model = rg_world_model(world);
    double *q = calloc((size_t)rg_model_info(model).nq + 1, sizeof *q);
    double *v = calloc((size_t)rg_model_info(model).nv + 1, sizeof *v);
    if (q == NULL || v == NULL)
        abort();
    RgStatus status = start_positions(model, q) ? rg_world_set_state(world, q, v) : RG_ERR_NOT_FOUND;
    free(q);
    free(v);
    return status;
}

/* ------------------------------------------------------------------ controller */

/* A leg of the model at the positions that the gait's kinematics hold; false: parts of it are missing. */
static bool find_leg(Gait *gait, const RgModel *model, int foot)
{
    GaitLeg *leg = &gait->leg[foot];
    char name[16];
    snprintf(name, sizeof name, "%s_FOOT", leg_names[foot]);
    leg->foot = rg_model_find_link(model, name);
    if (leg->foot.i == 0)
        return false;
    for (int k = 0; k < GAIT_JOINTS; k++) {
        RgJointInfo joint = rg_model_joint(model, leg_joint(model, foot, k));
        leg->q[k] = joint.q_index;
        leg->v[k] = joint.v_index;
    }
    RgPose X_BW = place_inverse(rg_link_pose(gait->dynamics, gait->base));
    leg->first = place_point(X_BW, rg_link_pose(gait->dynamics, leg->foot).p);
    leg->neutral = vec(foot < 2 ? 0.154963 : -0.154963, foot % 2 == 0 ? 0.0672248 : -0.0672248, -0.161853);
    double lift = touch_phase[foot] + DUTY;
    leg->lift = lift - floor(lift);
    return true;
}

Gait *gait_create(const RgModel *model)
{
    RgModelInfo info = rg_model_info(model);
    Gait *gait = calloc(1, sizeof *gait);
    double *q = calloc((size_t)info.nq + 1, sizeof *q);
    if (gait == NULL || q == NULL)
        abort();
    gait->nv = info.nv;
    gait->dynamics = rg_dynamics_create(model, NULL);
    gait->J = calloc(6 * (size_t)info.nv + 1, sizeof *gait->J);
    gait->held = calloc((size_t)info.nv + 1, sizeof *gait->held);
    if (gait->dynamics == NULL || gait->J == NULL || gait->held == NULL)
        abort();
    bool good = start_positions(model, q);
    if (good) {
        gait->base = rg_model_find_link(model, "BODY0");
        good = rg_forward_kinematics(gait->dynamics, q, NULL) == RG_OK;
    }
    for (int foot = 0; good && foot < GAIT_FEET; foot++)
        good = find_leg(gait, model, foot);
    free(q);
    if (good)
        return gait;
    gait_destroy(gait);
    return NULL;
}

void gait_destroy(Gait *gait)
{
    if (gait == NULL)
        return;
    rg_dynamics_destroy(gait->dynamics);
    free(gait->J);
    free(gait->held);
    free(gait);
}

/* Swings that have begun, with the part of the present one that is over: below 0 before the first. */
static double swings_of(const Gait *gait, int foot, double t)
{
    return t / PERIOD - gait->leg[foot].lift;
}

bool gait_swings(const Gait *gait, int foot, double t)
{
    double swings = swings_of(gait, foot, t);
    return !gait->stands && swings >= 0.0 && swings - floor(swings) < 1.0 - DUTY;
}

/* The spline of one coordinate at s = 0 ... 3 points, d apart in time. */
static void spline_at(const double y[4], double d, double s, double *x, double *v)
{
    double a = 3.0 * (y[2] - y[0]) / d, b = 3.0 * (y[3] - y[1]) / d;
    const double m[4] = {0.0, (4.0 * a - b) / 15.0, (4.0 * b - a) / 15.0, 0.0};
    int k = s < 1.0 ? 0 : s < 2.0 ? 1 : 2;
    double r = s - k, r2 = r * r, r3 = r2 * r, rise = y[k + 1] - y[k];
    *x = y[k] + rise * (3.0 * r2 - 2.0 * r3) + d * (m[k] * (r3 - 2.0 * r2 + r) + m[k + 1] * (r3 - r2));
    *v = rise * 6.0 * (r - r2) / d + m[k] * (3.0 * r2 - 4.0 * r + 1.0) + m[k + 1] * (3.0 * r2 - 2.0 * r);
}

GaitGoal gait_goal(const Gait *gait, int foot, double t, RgVec3 up)
{
    const GaitLeg *leg = &gait->leg[foot];
    double swings = swings_of(gait, foot, t);
    if (gait->stands || swings < 0.0)
        return (GaitGoal){leg->first, vec(0.0, 0.0, 0.0)};
    if (!gait_swings(gait, foot, t))
        return (GaitGoal){leg->neutral, vec(0.0, 0.0, 0.0)};

    RgVec3 from = swings < 1.0 ? leg->first : leg->neutral, rise = vec_scale(STEP_HEIGHT, up);
    const RgVec3 p[4] = {from, vec_add(from, rise), vec_add(leg->neutral, rise), leg->neutral};
    const double x[4] = {p[0].x, p[1].x, p[2].x, p[3].x}, y[4] = {p[0].y, p[1].y, p[2].y, p[3].y},
                 z[4] = {p[0].z, p[1].z, p[2].z, p[3].z};
    double d = PERIOD * (1.0 - DUTY) / 3.0, s = (swings - floor(swings)) * PERIOD / d;
    GaitGoal goal;
    spline_at(x, d, s, &goal.x.x, &goal.v.x);
    spline_at(y, d, s, &goal.x.y, &goal.v.y);
    spline_at(z, d, s, &goal.x.z, &goal.v.z);
    return goal;
}

/* Velocity of a toe as its leg moves it, world axes: the linear rows of J times the leg's rates. */
static RgVec3 toe_velocity(const Gait *gait, const GaitLeg *leg, const double *v)
{
    const double *J = gait->J + 3 * gait->nv;
    double sum[3] = {0.0, 0.0, 0.0};
    for (int row = 0; row < 3; row++)
        for (int k = 0; k < GAIT_JOINTS; k++)
            sum[row] += J[row * gait->nv + leg->v[k]] * v[leg->v[k]];
    return vec(sum[0], sum[1], sum[2]);
}

/* Efforts of one leg are added to tau. */
static void drive_leg(Gait *gait, int foot, const RgInputState *state, double *tau)
{
    const GaitLeg *leg = &gait->leg[foot];
    rg_link_jacobian(gait->dynamics, state->q, leg->foot, gait->J);
    RgPose X_WB = rg_link_pose(gait->dynamics, gait->base);
    RgMat3 R_BW = mat_transpose(X_WB.R);
    RgVec3 x = mat_apply(R_BW, vec_sub(rg_link_pose(gait->dynamics, leg->foot).p, X_WB.p));
    RgVec3 v = mat_apply(R_BW, toe_velocity(gait, leg, state->v));
    GaitGoal goal = gait_goal(gait, foot, state->t, mat_apply(R_BW, vec(0.0, 0.0, 1.0)));
    RgVec3 force_B = vec_add(vec_scale(STIFFNESS, vec_sub(goal.x, x)), vec_scale(DAMPING, vec_sub(goal.v, v)));
    RgVec3 force = mat_apply(X_WB.R, force_B);
    const double *J = gait->J + 3 * gait->nv;
    for (int k = 0; k < GAIT_JOINTS; k++) {
        int dof = leg->v[k];
        tau[dof] += J[dof] * force.x + J[gait->nv + dof] * force.y + J[2 * gait->nv + dof] * force.z;
    }
}

void gait_input(const RgModel *model, const RgInputState *state, RgInput *input, void *context)
{
    (void)model;
    Gait *gait = context;
    if (gait->holding) {
        for (int k = 0; k < gait->nv; k++)
            input->tau[k] += gait->held[k];
        return;
    }
    for (int foot = 0; foot < GAIT_FEET; foot++)
        drive_leg(gait, foot, state, input->tau);
}

void gait_hold(Gait *gait, RgWorld *world)
{
    RgInputState state = {rg_world_time(world), rg_world_q(world), rg_world_v(world)};
    memset(gait->held, 0, (size_t)gait->nv * sizeof *gait->held);
    for (int foot = 0; foot < GAIT_FEET; foot++)
        drive_leg(gait, foot, &state, gait->held);
    gait->holding = true;
}
