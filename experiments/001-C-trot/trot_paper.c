/*
 * trot_paper.c - paper 001's algorithm 1 for a robot whose feet are hulls of many corners, over a half-space z <= 0.
 *
 *   h  = min(r(q, v), what is left of the outer step),   q1 = q + h v,   v1 = k(v + h a(q1, v))
 *
 *   foot apart   d >= eps: d / bound; bound of link i on a floating base, along the vertical (11-14):
 *                |v_0 . n| + |w_0| gamma_1 + sum over joints j of |q_j'| gamma_j,   gamma_j = lengths from joint j on to joint i + 2 r
 *   touching     corners with height < eps. If one leaves faster than 1.5e-8 m/s: (eps - height) / speed, at least h_min; else
 *                least over the other corners s of height / ((|w_0| + sum |q_j'|) |s - xi|), xi the touching corner
 *                farthest from s (15)
 *
 * k: no-slip impact (Drumwright 2015), all feet at once: tangents X v+ = 0 as equations, dependent ones left out,
 *
 *   0 <= z  perpendicular to  N v+ >= 0,   v+ = v + M^-1 (N' z + X' x)
 *
 * solved by principal pivoting: corners are added where v+ is most negative, and taken out where z is. Where that does
 * not end (dependent corners) by sweeps. The trunk is 13 cm up all the time; its bound is never the least and left out.
 */
#include "trot_paper.h"

#include "vectors.h"

#include <stdlib.h>
#include <string.h>

#define NV 18
#define NQ 19
#define LEAVES 1.5e-8 /* m/s */
#define MOST 64       /* touching corners at once */
#define SWEEPS 500

/* ------------------------------------------------------------------ the robot */

typedef struct Foot {
    RgLinkId link;
    int joint[GAIT_JOINTS];        /* velocity numbers, from the base on */
    double reach[GAIT_JOINTS + 1]; /* lengths: of base to first joint, joint to joint, then 2 r */
    const double *corners;         /* of the hull, xyz in the link's frame */
    int ncorners;
    int before; /* touching corners of the last step that had some */
    double *height;
    int touching[MOST], ntouching;
} Foot;

typedef struct Robot {
    const RgModel *model;
    RgDynamics *dynamics;
    Gait *gait;
    Foot foot[GAIT_FEET];
    RgForce *wrenches; /* zero, one a link */
    double q[NQ], v[NV], t;
} Robot;

/* The hull of a foot: its only shape that touches. */
static bool find_hull(const RgModel *model, Foot *foot)
{
    for (int i = 1; i <= rg_model_info(model).shapes; i++) {
        RgShapeInfo shape = rg_model_shape(model, (RgShapeId){i});
        if (shape.link.i != foot->link.i || shape.is_visual || shape.type != RG_SHAPE_polytope)
            continue;
        foot->corners = shape.mesh.vertices;
        foot->ncorners = shape.mesh.nvertices;
        foot->height = calloc((size_t)foot->ncorners, sizeof *foot->height);
        return foot->height != NULL && vec_norm(shape.X_LS.p) == 0.0;
    }
    return false;
}

/* Farthest corner from the link's centre of mass: r of the bound. */
static double radius_of(const RgModel *model, const Foot *foot)
{
    RgVec3 com = rg_model_link(model, foot->link).inertia.com;
    double r = 0.0;
    for (int i = 0; i < foot->ncorners; i++) {
        const double *p = foot->corners + 3 * (size_t)i;
        r = fmax(r, vec_distance(vec(p[0], p[1], p[2]), com));
    }
    return r;
}

/* Lengths of the leg: where its joints are when all angles are zero. */
static void measure_leg(Robot *robot, int number)
{
    Foot *foot = &robot->foot[number];
    RgVec3 last = {0.0, 0.0, 0.0};
    RgLinkId link = foot->link;
    RgVec3 joint[GAIT_JOINTS];
    for (int k = GAIT_JOINTS - 1; k >= 0; k--) {
        RgJointId id = rg_model_link(robot->model, link).joint;
        RgJointInfo info = rg_model_joint(robot->model, id);
        foot->joint[k] = info.v_index;
        joint[k] = place_point(rg_link_pose(robot->dynamics, info.parent), info.X_PJ.p);
        link = info.parent;
    }
    last = rg_link_pose(robot->dynamics, link).p;
    for (int k = 0; k < GAIT_JOINTS; k++) {
        foot->reach[k] = vec_distance(last, joint[k]);
        last = joint[k];
    }
    foot->reach[GAIT_JOINTS] = 2.0 * radius_of(robot->model, foot);
}

static bool robot_create(Robot *robot, const RgModel *model)
{
    RgModelInfo info = rg_model_info(model);
    *robot = (Robot){.model = model, .dynamics = rg_dynamics_create(model, NULL), .gait = gait_create(model)};
    robot->wrenches = calloc((size_t)info.links + 1, sizeof *robot->wrenches);
    if (robot->dynamics == NULL || robot->gait == NULL || robot->wrenches == NULL || info.nv != NV || info.nq != NQ)
        return false;
    double neutral[NQ];
    rg_model_neutral(model, neutral);
    rg_forward_kinematics(robot->dynamics, neutral, NULL);
    for (int i = 0; i < GAIT_FEET; i++) {
        robot->foot[i].link = robot->gait->leg[i].foot;
        if (!find_hull(model, &robot->foot[i]))
            return false;
        measure_leg(robot, i);
    }
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    RgWorld *world = rg_world_create(&def, NULL);
    bool good = world != NULL && gait_start(world) == RG_OK;
    if (good)
        memcpy(robot->q, rg_world_q(world), sizeof robot->q);
    rg_world_destroy(world);
    return good;
}

static void robot_destroy(Robot *robot)
{
    for (int i = 0; i < GAIT_FEET; i++)
        free(robot->foot[i].height);
    gait_destroy(robot->gait);
    rg_dynamics_destroy(robot->dynamics);
    free(robot->wrenches);
}

/* ------------------------------------------------------------------ corners and the step rule */

static RgVec3 corner(const Foot *foot, int i)
{
    const double *p = foot->corners + 3 * (size_t)i;
    return vec(p[0], p[1], p[2]);
}

/* Updates heights of all corners and which touch; returns the least height. Requires present kinematics. */
static double update_foot(const Robot *robot, Foot *foot, double gap)
{
    RgPose X = rg_link_pose(robot->dynamics, foot->link);
    double least = (double)INFINITY;
    foot->ntouching = 0;
    for (int i = 0; i < foot->ncorners; i++) {
        const double *p = foot->corners + 3 * (size_t)i;
        double z = X.p.z + X.R.m[2][0] * p[0] + X.R.m[2][1] * p[1] + X.R.m[2][2] * p[2];
        foot->height[i] = z;
        least = fmin(least, z);
        if (z < gap && foot->ntouching < MOST / GAIT_FEET)
            foot->touching[foot->ntouching++] = i;
    }
    return least;
}

static double step_apart(const Robot *robot, const Foot *foot, double distance)
{
    const double *v = robot->v;
    double gamma = 0.0, bound = 0.0;
    for (int k = GAIT_JOINTS - 1; k >= 0; k--) {
        gamma += k == GAIT_JOINTS - 1 ? foot->reach[GAIT_JOINTS] : foot->reach[k + 1];
        bound += fabs(v[foot->joint[k]]) * gamma;
    }
    gamma += foot->reach[0];
    bound += fabs(v[5]) + vec_norm(vec(v[0], v[1], v[2])) * gamma;
    return distance / bound;
}

static double step_touching(const Robot *robot, const Foot *foot, const TrotRule *rule)
{
    RgPose X = rg_link_pose(robot->dynamics, foot->link);
    RgMotion twist = rg_link_twist(robot->dynamics, foot->link);
    double h = (double)INFINITY;
    for (int k = 0; k < foot->ntouching; k++) {
        RgVec3 arm = mat_apply(X.R, corner(foot, foot->touching[k]));
        double speed = twist.v.z + vec_cross(twist.w, arm).z;
        if (speed > LEAVES)
            h = fmin(h, fmax(rule->h_min, (rule->gap - foot->height[foot->touching[k]]) / speed));
    }
    if (isfinite(h))
        return h;
    double turning = vec_norm(vec(robot->v[0], robot->v[1], robot->v[2]));
    for (int k = 0; k < GAIT_JOINTS; k++)
        turning += fabs(robot->v[foot->joint[k]]);
    for (int i = 0; i < foot->ncorners; i++) {
        double far = 0.0;
        if (foot->height[i] < rule->gap)
            continue;
        for (int k = 0; k < foot->ntouching; k++)
            far = fmax(far, vec_distance(corner(foot, i), corner(foot, foot->touching[k])));
        h = fmin(h, foot->height[i] / (turning * far));
    }
    return h;
}

/* The step that all feet allow. */
static double step_length(Robot *robot, const TrotRule *rule)
{
    double h = (double)INFINITY;
    rg_forward_kinematics(robot->dynamics, robot->q, robot->v);
    for (int i = 0; i < GAIT_FEET; i++) {
        Foot *foot = &robot->foot[i];
        double distance = update_foot(robot, foot, rule->gap);
        h = fmin(h, foot->ntouching > 0 ? step_touching(robot, foot, rule) : step_apart(robot, foot, distance));
    }
    return h;
}

/* ------------------------------------------------------------------ impact */

/* Rows in the mass metric: r, and M^-1 r. */
typedef struct Row {
    double r[NV], M[NV];
} Row;

static double dot(const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < NV; i++)
        sum += a[i] * b[i];
    return sum;
}

static void add(double *a, double s, const double *b)
{
    for (int i = 0; i < NV; i++)
        a[i] += s * b[i];
}

/* The velocity of a point of a link along a world axis, J: 6 x NV of the link at its origin. */
static void point_row(const Robot *robot, const double *J, RgVec3 arm, int axis, Row *row)
{
    RgVec3 along = vec(axis == 0, axis == 1, axis == 2), n = vec_cross(arm, along);
    for (int k = 0; k < NV; k++)
        row->r[k] = J[(3 + axis) * NV + k] + n.x * J[k] + n.y * J[NV + k] + n.z * J[2 * NV + k];
    memcpy(row->M, row->r, sizeof row->M);
    rg_mass_solve(robot->dynamics, row->M);
}

/* Takes out what lies along the tangents, which are orthonormal. */
static void project(Row *row, const Row *tangents, int n)
{
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < n; k++) {
            double part = dot(row->r, tangents[k].M);
            add(row->r, -part, tangents[k].r);
            add(row->M, -part, tangents[k].M);
        }
}

typedef struct Contacts {
    Row tangent[2 * MOST], normal[MOST];
    int ntangents, n;
    double A[MOST][MOST], b[MOST], z[MOST];
} Contacts;

/* A tangent is made orthonormal to those before; one that depends on them is left out. */
static void add_tangent(Contacts *c)
{
    Row *row = &c->tangent[c->ntangents];
    double before = dot(row->r, row->M);
    project(row, c->tangent, c->ntangents);
    double size = dot(row->r, row->M);
    if (size < 1.5e-8 * fmax(before, 1.0))
        return;
    double scale = 1.0 / sqrt(size);
    for (int m = 0; m < NV; m++) {
        row->r[m] *= scale;
        row->M[m] *= scale;
    }
    c->ntangents++;
}

static void gather_foot(Robot *robot, const Foot *foot, Contacts *c)
{
    double J[6 * NV];
    RgPose X = rg_link_pose(robot->dynamics, foot->link);
    rg_link_jacobian(robot->dynamics, robot->q, foot->link, J);
    for (int k = 0; k < foot->ntouching; k++) {
        RgVec3 arm = mat_apply(X.R, corner(foot, foot->touching[k]));
        point_row(robot, J, arm, 2, &c->normal[c->n++]);
        for (int axis = 0; axis < 2; axis++) {
            point_row(robot, J, arm, axis, &c->tangent[c->ntangents]);
            add_tangent(c);
        }
    }
}

static void gather(Robot *robot, Contacts *c)
{
    c->n = c->ntangents = 0;
    for (int i = 0; i < GAIT_FEET; i++)
        if (robot->foot[i].ntouching > 0)
            gather_foot(robot, &robot->foot[i], c);
}

/* z of the set (A_ss z_s = -b_s) by Gauss without pivots, with a small diagonal; others 0. */
static void solve_set(Contacts *c, const bool *in)
{
    static double M[MOST][MOST + 1];
    int index[MOST], m = 0;
    for (int i = 0; i < c->n; i++) {
        c->z[i] = 0.0;
        if (in[i])
            index[m++] = i;
    }
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++)
            M[i][j] = c->A[index[i]][index[j]];
        M[i][i] *= 1.0 + 1e-12;
        M[i][m] = -c->b[index[i]];
    }
    for (int k = 0; k < m; k++)
        for (int i = k + 1; i < m; i++) {
            double f = M[i][k] / M[k][k];
            for (int j = k; j <= m; j++)
                M[i][j] -= f * M[k][j];
        }
    for (int k = m - 1; k >= 0; k--) {
        double sum = M[k][m];
        for (int j = k + 1; j < m; j++)
            sum -= M[k][j] * c->z[index[j]];
        c->z[index[k]] = sum / M[k][k];
    }
}

/* The most negative of z in the set and of w = A z + b outside; -1: neither below -tolerance. */
static int worst_of(const Contacts *c, const bool *in)
{
    int worst = -1;
    double least = -1e-11;
    for (int i = 0; i < c->n; i++) {
        double x = c->z[i];
        if (!in[i]) {
            x = c->b[i];
            for (int j = 0; j < c->n; j++)
                x += c->A[i][j] * c->z[j];
        }
        if (x < least) {
            least = x;
            worst = i;
        }
    }
    return worst;
}

static void sweep(Contacts *c)
{
    memset(c->z, 0, sizeof c->z);
    for (int s = 0; s < SWEEPS; s++)
        for (int i = 0; i < c->n; i++) {
            double w = c->b[i];
            for (int j = 0; j < c->n; j++)
                w += c->A[i][j] * c->z[j];
            if (c->A[i][i] > 0.0)
                c->z[i] = fmax(0.0, c->z[i] - w / c->A[i][i]);
        }
}

/* False: the pivoting did not end. */
static bool solve_normals(Contacts *c)
{
    bool in[MOST] = {false};
    memset(c->z, 0, sizeof c->z);
    for (int round = 0; round < 4 * c->n + 8; round++) {
        int worst = worst_of(c, in);
        if (worst < 0)
            return true;
        in[worst] = !in[worst];
        solve_set(c, in);
    }
    sweep(c);
    return false;
}

static bool approaches(const Contacts *c, const double *v)
{
    for (int i = 0; i < c->n; i++)
        if (dot(c->normal[i].r, v) < 0.0)
            return true;
    return false;
}

/* The impact at the present place; false: see solve_normals. */
static bool impact(Robot *robot, Contacts *c)
{
    rg_mass_factor(robot->dynamics, robot->q);
    gather(robot, c);
    if (!approaches(c, robot->v))
        return true;
    for (int k = 0; k < c->ntangents; k++)
        add(robot->v, -dot(c->tangent[k].r, robot->v), c->tangent[k].M);
    for (int i = 0; i < c->n; i++)
        project(&c->normal[i], c->tangent, c->ntangents);
    for (int i = 0; i < c->n; i++) {
        c->b[i] = dot(c->normal[i].r, robot->v);
        for (int j = 0; j < c->n; j++)
            c->A[i][j] = dot(c->normal[i].r, c->normal[j].M);
    }
    bool solved = solve_normals(c);
    for (int i = 0; i < c->n; i++)
        add(robot->v, c->z[i], c->normal[i].M);
    return solved;
}

/* ------------------------------------------------------------------ runs */

/* q += h v; v += h a(q, v), the controller asked at the new place. */
static bool move(Robot *robot, double h)
{
    double way[NV], tau[NV] = {0.0}, a[NV];
    for (int i = 0; i < NV; i++)
        way[i] = h * robot->v[i];
    rg_integrate_positions(robot->model, robot->q, way, robot->q);
    RgInputState state = {.t = robot->t + h, .q = robot->q, .v = robot->v};
    RgInput input = {.tau = tau, .wrenches = robot->wrenches};
    gait_input(robot->model, &state, &input, robot->gait);
    if (rg_forward_dynamics(robot->dynamics, robot->q, robot->v, tau, NULL, a) != RG_OK)
        return false;
    add(robot->v, h, a);
    return isfinite(dot(robot->v, robot->v));
}

/* Updates which corners touch; returns the least distance of all feet. */
static double touch(Robot *robot, const TrotRule *rule, TrotRun *run, Contacts *c)
{
    double least = (double)INFINITY;
    bool changed = false;
    int all = 0;
    rg_forward_kinematics(robot->dynamics, robot->q, robot->v);
    for (int i = 0; i < GAIT_FEET; i++) {
        Foot *foot = &robot->foot[i];
        least = fmin(least, update_foot(robot, foot, rule->gap));
        all += foot->ntouching;
        changed = changed || foot->ntouching != foot->before;
    }
    if (all > 0)
        run->unsolved += !impact(robot, c);
    for (int i = 0; i < GAIT_FEET && all > 0; i++)
        robot->foot[i].before = robot->foot[i].ntouching;
    if (changed && all > 0)
        located_change(&run->changes, robot->t, rule->h_max);
    run->most = all > run->most ? all : run->most;
    return least;
}

TrotRun trot_by_paper(const RgModel *model, const TrotRule *rule, TrotLookFn *look, void *context)
{
    TrotRun run = {.least_distance = (double)INFINITY, .changes = located_no_changes()};
    Robot robot;
    Contacts *contacts = calloc(1, sizeof *contacts);
    bool good = robot_create(&robot, model) && contacts != NULL;
    for (int64_t outer = 1; good && (double)outer * rule->h_max <= rule->time * (1.0 + 1e-12);) {
        double left = (double)outer * rule->h_max - robot.t, h = fmin(step_length(&robot, rule), left);
        good = move(&robot, h);
        outer += h >= left;
        robot.t = h >= left ? (double)(outer - 1) * rule->h_max : robot.t + h;
        double distance = touch(&robot, rule, &run, contacts);
        run.least_distance = fmin(run.least_distance, distance);
        run.steps++;
        if (look != NULL)
            look(robot.t, h, distance, context);
    }
    run.end = robot.t;
    run.height = rg_link_pose(robot.dynamics, robot.gait->base).p.z;
    free(contacts);
    robot_destroy(&robot);
    return run;
}
