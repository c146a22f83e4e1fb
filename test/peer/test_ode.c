/*
 * Preset `ode` beside the Open Dynamics Engine itself: ten scenes and a robot, from the same state with the same
 * contact points.
 *
 * Law: rows, their order, shuffles, bounds, softness, corrections and friction directions are those of dWorldQuickStep,
 * so that all velocities after a step are the same but for round-off, whatever the number of sweeps. Moments of inertia
 * are made round: gyroscopic torques are not the solver's. Joints are closed at the state that is compared.
 */
#include "scene_build.h"
#include "scene_model.h"
#include "vectors.h"

#include <criterion/criterion.h>
#include <ode/ode.h>

#include <stdlib.h>
#include <string.h>

/* Velocities differ by no more than this part of the largest one, or of 1 m/s. */
#define SAME 1e-11

typedef struct Twin {
    SceneData *scene;
    RgModel *model;
    RgWorld *world;
    SceneBodyState *states; /* at the start of the step that is compared */
    double (*angles)[4];    /* of joints, likewise: a ball's are not used */
    dWorldID ode;
    dBodyID *bodies;
} Twin;

/* ------------------------------------------------------------------ ours */

static void make_round(SceneData *scene)
{
    for (int i = 0; i < scene->nbodies; i++) {
        RgVec3 I = scene->bodies[i].moments;
        double mean = (I.x + I.y + I.z) / 3.0;
        scene->bodies[i].moments = vec(mean, mean, mean);
    }
    for (int i = 0; i < scene->njoints; i++) {
        SceneJoint *j = &scene->joints[i];
        j->driven = false;
        j->armature = j->damping = j->stiffness = 0.0;
    }
}

static Twin begin(const char *name, int sweeps, int seed)
{
    Twin t = {.scene = scene_data_create(name)};
    cr_assert(t.scene != NULL, "%s", name);
    make_round(t.scene);
    t.model = scene_model_create(t.scene, NULL);
    RgContactLaw law;
    RgPgsOptions pgs;
    rg_pgs_preset("ode", &law, &pgs);
    pgs.iterations = sweeps;
    pgs.seed = seed;
    RgWorldDef def = rg_world_def_default();
    def.model = t.model;
    def.coords = "maximal";
    def.solver = "pgs";
    def.gravity = t.scene->gravity;
    def.law = &law;
    def.pgs = &pgs;
    def.implicit_damping = false;
    t.world = rg_world_create(&def, NULL);
    cr_assert(t.world != NULL);
    scene_model_start(t.scene, t.world);
    t.states = calloc((size_t)t.scene->nbodies, sizeof *t.states);
    t.angles = calloc((size_t)t.scene->njoints + 1, sizeof *t.angles);
    t.bodies = calloc((size_t)t.scene->nbodies, sizeof(dBodyID));
    return t;
}

static void end(Twin *t)
{
    rg_world_destroy(t->world);
    rg_model_destroy(t->model);
    scene_data_destroy(t->scene);
    free(t->states);
    free(t->angles);
    free(t->bodies);
}

/* Runs a while, closes joints, and takes the step that is compared. */
static RgStepReport advance(Twin *t, int steps)
{
    RgStepReport report;
    for (int i = 0; i < steps; i++)
        cr_assert(rg_world_step(t->world, t->scene->dt, NULL) == RG_OK);
    RgModelInfo info = rg_model_info(t->model);
    double *q = malloc((size_t)info.nq * sizeof *q), *v = malloc((size_t)info.nv * sizeof *v);
    memcpy(q, rg_world_q(t->world), (size_t)info.nq * sizeof *q);
    memcpy(v, rg_world_v(t->world), (size_t)info.nv * sizeof *v);
    cr_assert(rg_world_set_state(t->world, q, v) == RG_OK);
    free(q);
    free(v);
    for (int i = 0; i < t->scene->nbodies; i++)
        t->states[i] = scene_model_body(t->world, i);
    for (int i = 0; i < t->scene->njoints; i++)
        rg_world_joint_position(t->world, (RgJointId){i + 1}, t->angles[i]);
    cr_assert(rg_world_step(t->world, t->scene->dt, &report) == RG_OK);
    return report;
}

/* ------------------------------------------------------------------ ODE's */

static void add_body(Twin *t, int i)
{
    const SceneBody *b = &t->scene->bodies[i];
    const SceneBodyState *s = &t->states[i];
    if (b->is_static)
        return;
    dBodyID body = t->bodies[i] = dBodyCreate(t->ode);
    dMass mass;
    dMatrix3 R;
    dMassSetParameters(&mass, b->mass, 0.0, 0.0, 0.0, b->moments.x, b->moments.y, b->moments.z, 0.0, 0.0, 0.0);
    for (int k = 0; k < 12; k++)
        R[k] = k % 4 < 3 ? s->X_WB.R.m[k / 4][k % 4] : 0.0;
    dBodySetMass(body, &mass);
    dBodySetPosition(body, s->X_WB.p.x, s->X_WB.p.y, s->X_WB.p.z);
    dBodySetRotation(body, R);
    dBodySetLinearVel(body, s->v.x, s->v.y, s->v.z);
    dBodySetAngularVel(body, s->w.x, s->w.y, s->w.z);
}

static void add_joint(Twin *t, int i)
{
    const SceneJoint *j = &t->scene->joints[i];
    const RgPose X0 = t->scene->bodies[j->child].X_WB, X = t->states[j->child].X_WB;
    RgMat3 turned = mat_mul(X.R, mat_transpose(X0.R));
    RgVec3 at = vec_add(X.p, mat_apply(turned, vec_sub(j->anchor, X0.p))), axis = mat_apply(turned, j->axis);
    dJointID joint = j->kind == SCENE_BALL ? dJointCreateBall(t->ode, NULL) : dJointCreateHinge(t->ode, NULL);
    dJointAttach(joint, t->bodies[j->child], j->parent == SCENE_WORLD ? NULL : t->bodies[j->parent]);
    if (j->kind == SCENE_BALL) {
        dJointSetBallAnchor(joint, at.x, at.y, at.z);
        return;
    }
    cr_assert(j->kind == SCENE_HINGE);
    dJointSetHingeAnchor(joint, at.x, at.y, at.z);
    dJointSetHingeAxis(joint, axis.x, axis.y, axis.z);
    dJointSetHingeParam(joint, dParamLoStop, j->lower - t->angles[i][0]);
    dJointSetHingeParam(joint, dParamHiStop, j->upper - t->angles[i][0]);
}

/* Bodies and joints in the order in which the model numbers them: what a joint carries comes after what carries it,
   branch after branch, so that the order is that of the first velocities. */
static void add_in_order(Twin *t)
{
    int nv = rg_model_info(t->model).nv;
    int *body = malloc(((size_t)nv + 1) * sizeof *body), *joint = malloc(((size_t)nv + 1) * sizeof *joint);
    for (int k = 0; k < nv; k++)
        body[k] = joint[k] = -1;
    for (int i = 0; i < t->scene->nbodies; i++)
        if (!t->scene->bodies[i].is_static)
            body[rg_model_link(t->model, (RgLinkId){i + 1}).v_index] = i;
    for (int i = 0; i < t->scene->njoints; i++)
        joint[rg_model_joint(t->model, (RgJointId){i + 1}).v_index] = i;
    for (int k = 0; k < nv; k++)
        if (body[k] >= 0)
            add_body(t, body[k]);
    for (int k = 0; k < nv; k++)
        if (joint[k] >= 0)
            add_joint(t, joint[k]);
    free(body);
    free(joint);
}

/* The contact points of our step that overlapped; returns how many. */
static int add_contacts(Twin *t, dJointGroupID group)
{
    const RgContactForce *c;
    int count = rg_world_contact_forces(t->world, &c), made = 0;
    for (int i = 0; i < count; i++) {
        if (c[i].gap > 0.0)
            continue;
        dContact contact = {.surface = {.mode = dContactApprox1, .mu = t->scene->mu},
                            .geom = {.pos = {c[i].point.x, c[i].point.y, c[i].point.z},
                                     .normal = {c[i].normal.x, c[i].normal.y, c[i].normal.z},
                                     .depth = -c[i].gap}};
        RgLinkId a = rg_model_shape(t->model, c[i].shape_a).link, b = rg_model_shape(t->model, c[i].shape_b).link;
        dJointAttach(dJointCreateContact(t->ode, group, &contact), b.i > 0 ? t->bodies[b.i - 1] : NULL,
                     a.i > 0 ? t->bodies[a.i - 1] : NULL);
        made++;
    }
    return made;
}

/* The same step by ODE; returns the number of contact points. */
static int step_ode(Twin *t, int sweeps, int seed)
{
    t->ode = dWorldCreate();
    dJointGroupID group = dJointGroupCreate(0);
    dWorldSetGravity(t->ode, t->scene->gravity.x, t->scene->gravity.y, t->scene->gravity.z);
    dWorldSetQuickStepNumIterations(t->ode, sweeps);
    add_in_order(t);
    int contacts = add_contacts(t, group);
    dRandSetSeed((unsigned long)seed);
    dWorldQuickStep(t->ode, t->scene->dt);
    dJointGroupDestroy(group);
    return contacts;
}

/* Largest difference of velocities after the step, as a part of the largest velocity or of 1 m/s. */
static double apart(Twin *t)
{
    double most = 0.0, size = 1.0;
    for (int i = 0; i < t->scene->nbodies; i++) {
        if (t->bodies[i] == NULL)
            continue;
        SceneBodyState ours = scene_model_body(t->world, i);
        const dReal *v = dBodyGetLinearVel(t->bodies[i]), *w = dBodyGetAngularVel(t->bodies[i]);
        most = fmax(most, vec_norm(vec_sub(ours.v, vec(v[0], v[1], v[2]))));
        most = fmax(most, vec_norm(vec_sub(ours.w, vec(w[0], w[1], w[2]))));
        size = fmax(size, fmax(vec_norm(ours.v), vec_norm(ours.w)));
    }
    return most / size;
}

/* ------------------------------------------------------------------ tests */

static const struct {
    const char *name;
    int steps; /* before the step that is compared */
} scenes[] = {{"ball", 400},      {"box-slope", 60}, {"S1j", 40},         {"S1h", 40}, {"S3j", 20},
              {"growth-200", 20}, {"wall-200", 20},  {"ragdolls-1", 120}, {"S4", 200}, {"boxes-1", 120}};

Test(ode, velocities_after_a_step_are_those_of_the_engine)
{
    static const int sweeps[] = {1, 8, 9, 10, 20, 50};
    dInitODE2(0);
    for (size_t k = 0; k < sizeof scenes / sizeof scenes[0]; k++)
        for (size_t n = 0; n < sizeof sweeps / sizeof sweeps[0]; n++) {
            int seed = 17 * (int)k + (int)n;
            Twin t = begin(scenes[k].name, sweeps[n], seed);
            RgStepReport report = advance(&t, scenes[k].steps);
            int contacts = step_ode(&t, sweeps[n], seed);
            double difference = apart(&t);
            cr_expect(difference < SAME, "%s, %d sweeps, %d contacts of %d: %g", scenes[k].name, sweeps[n], contacts,
                      report.contacts, difference);
            dWorldDestroy(t.ode);
            end(&t);
        }
    dCloseODE();
}

/* ------------------------------------------------------------------ soft contacts that creep */

/* Bodies of models/pioneer.sdf in the order of its links, and what of them is not the model's. */
static const char *const parts[4] = {"chassis", "left_wheel", "right_wheel", "castor"};

static RgWorld *pioneer(RgModel **model, int sweeps)
{
    RgContactLaw law;
    RgPgsOptions pgs;
    RgBuilder *b = rg_builder_create(NULL, NULL);
    cr_assert(rg_read_file(b, RIGOR_SOURCE_DIR "/models/pioneer.sdf", NULL, NULL) == RG_OK);
    *model = rg_builder_finish(b, NULL);
    rg_builder_destroy(b);
    rg_pgs_preset("ode", &law, &pgs);
    pgs.iterations = sweeps;
    RgWorldDef def = rg_world_def_default();
    def.model = *model;
    def.coords = "maximal";
    def.solver = "pgs";
    def.gravity = vec(0.0, 0.0, -9.8);
    def.law = &law;
    def.pgs = &pgs;
    RgWorld *world = rg_world_create(&def, NULL);
    cr_assert(world != NULL);
    return world;
}

/* The same robot as a scene: bodies as they stand in the world, hinges and a ball. */
static SceneData *pioneer_scene(RgWorld *world, const RgModel *model)
{
    SceneData *scene = scene_new("pioneer", "pioneer", 4, 3);
    for (int i = 0; i < 4; i++) {
        RgLinkId link = rg_model_find_link(model, parts[i]);
        RgInertia in = rg_model_link(model, link).inertia;
        scene_add_body(scene, in.mass, vec(in.I.xx, in.I.yy, in.I.zz), rg_world_link_pose(world, link));
    }
    for (int i = 1; i < 4; i++)
        scene_add_hinge(scene, 0, i, scene->bodies[i].X_WB.p, mat_apply(scene->bodies[0].X_WB.R, vec(0.0, 1.0, 0.0)));
    scene->joints[2].kind = SCENE_BALL;
    scene->gravity = vec(0.0, 0.0, -9.8);
    scene->mu = 0.5;
    scene->dt = 1e-3;
    return scene;
}

/* The contacts of our step with the file's stiffness, damping and creep; returns how many. */
static int add_soft_contacts(Twin *t, dJointGroupID group)
{
    const double kp = 1.0 / (1.0 / 1e8 + 1.0 / 1e9), kd = 2.0, h = t->scene->dt;
    const RgContactForce *c;
    int count = rg_world_contact_forces(t->world, &c), made = 0;
    for (int i = 0; i < count; i++) {
        RgLinkId b = rg_model_shape(t->model, c[i].shape_b).link;
        int body = 0;
        while (body < 4 && rg_model_find_link(t->model, parts[body]).i != b.i)
            body++;
        if (c[i].gap > 0.0 || body == 4)
            continue;
        dContact contact = {
            .surface = {.mode = dContactApprox1 | dContactSoftERP | dContactSoftCFM | dContactSlip1 | dContactSlip2,
                        .mu = t->scene->mu,
                        .soft_erp = h * kp / (h * kp + kd),
                        .soft_cfm = 1.0 / (h * kp + kd),
                        .slip1 = 0.01,
                        .slip2 = 0.01},
            .geom = {.pos = {c[i].point.x, c[i].point.y, c[i].point.z},
                     .normal = {c[i].normal.x, c[i].normal.y, c[i].normal.z},
                     .depth = -c[i].gap}};
        dJointAttach(dJointCreateContact(t->ode, group, &contact), t->bodies[body], NULL);
        made++;
    }
    return made;
}

/* Ours: settled, set still with its joints closed, and driven off by the axles' torque. */
static void drive_off(Twin *t, int settle, double tau)
{
    RgModelInfo info = rg_model_info(t->model);
    double q[16], still[16] = {0.0};
    cr_assert(info.nq <= 16);
    for (int i = 0; i < settle; i++)
        cr_assert(rg_world_step(t->world, 1e-3, NULL) == RG_OK);
    memcpy(q, rg_world_q(t->world), (size_t)info.nq * sizeof *q);
    rg_world_set_state(t->world, q, still);
    t->scene = pioneer_scene(t->world, t->model);
    for (int i = 0; i < 4; i++)
        t->states[i] = (SceneBodyState){.X_WB = t->scene->bodies[i].X_WB};
    rg_world_set_joint_effort(t->world, rg_model_find_joint(t->model, "left_axle"), &tau);
    rg_world_set_joint_effort(t->world, rg_model_find_joint(t->model, "right_axle"), &tau);
    cr_assert(rg_world_step(t->world, 1e-3, NULL) == RG_OK);
}

/* The same step by ODE; returns the number of contact points. */
static int drive_off_by_ode(Twin *t, int sweeps, double tau)
{
    t->ode = dWorldCreate();
    dJointGroupID group = dJointGroupCreate(0);
    dWorldSetGravity(t->ode, 0.0, 0.0, -9.8);
    dWorldSetQuickStepNumIterations(t->ode, sweeps);
    for (int i = 0; i < 4; i++)
        add_body(t, i);
    for (int i = 0; i < 3; i++)
        add_joint(t, i);
    RgVec3 axis = mat_apply(t->states[0].X_WB.R, vec(0.0, tau, 0.0));
    for (int i = 1; i < 3; i++) {
        dBodyAddTorque(t->bodies[i], axis.x, axis.y, axis.z);
        dBodyAddTorque(t->bodies[0], -axis.x, -axis.y, -axis.z);
    }
    int contacts = add_soft_contacts(t, group);
    dRandSetSeed(0);
    dWorldQuickStep(t->ode, 1e-3);
    dJointGroupDestroy(group);
    return contacts;
}

/* A Pioneer that has come to rest is driven off: springs, dampers and creep of contacts, hinges and a ball, torques. */
Test(ode, soft_contacts_of_a_pioneer)
{
    static const int sweeps[] = {1, 10, 20};
    int contacts = 0;
    dInitODE2(0);
    for (int n = 0; n < 18; n++) {
        SceneBodyState states[4];
        dBodyID bodies[4] = {NULL};
        double angles[4][4] = {{0.0}};
        Twin t = {.states = states, .bodies = bodies, .angles = angles};
        t.world = pioneer(&t.model, sweeps[n % 3]);
        drive_off(&t, 200 + n / 3, 0.1);
        contacts += drive_off_by_ode(&t, sweeps[n % 3], 0.1);
        for (int i = 0; i < 4; i++) {
            RgMotion V = rg_world_link_twist(t.world, rg_model_find_link(t.model, parts[i]));
            const dReal *v = dBodyGetLinearVel(bodies[i]), *w = dBodyGetAngularVel(bodies[i]);
            double off =
                fmax(vec_norm(vec_sub(V.v, vec(v[0], v[1], v[2]))), vec_norm(vec_sub(V.w, vec(w[0], w[1], w[2]))));
            cr_expect(off < SAME, "%s, %d sweeps: %g", parts[i], sweeps[n % 3], off);
        }
        dWorldDestroy(t.ode);
        scene_data_destroy(t.scene);
        rg_world_destroy(t.world);
        rg_model_destroy(t.model);
    }
    cr_expect(contacts > 20, "%d contact points in all", contacts);
    dCloseODE();
}
