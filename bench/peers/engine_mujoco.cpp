/*
 * engine_mujoco.cpp - the scenes in MuJoCo, written as MJCF and read from files in memory.
 *
 * Settings: the library's defaults: Newton solver to its tolerance (up to 100 iterations), Euler
 * integrator, contacts of condim 3 with solref (0.02, 1) and solimp as given by the library, warm start,
 * sparse or dense as it chooses; mu on every geom; no sleeping exists. For more than 100 bodies conjugate
 * gradients, as its manual advises for large systems, unless the options name a solver. Massless bodies between hinges
 * become several joints of the next body with mass; hulls become meshes. Room for contacts and rows is given by hand, as this
 * version needs it.
 *
 *   mujoco            pyramidal friction (default)
 *   mujoco-elliptic   elliptic friction cones
 *   mujoco-rk4        Runge-Kutta of order 4 in place of Euler, pyramidal cones
 *
 * A contact is soft by design: under a weight bodies sink in a little. Debian's version is years older than
 * the upstream one whose figures are printed as published. It has no threads for one model.
 */
#include "engine.h"

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace {

struct MujocoWorld {
    const SceneData *scene;
    mjModel *model;
    mjData *data;
    std::vector<int> bodies, q_index, v_index; /* of bodies; of driven joints */
    bool fresh;                                /* poses belong to the state */
};

/* ------------------------------------------------------------------ MJCF */

/* The reader takes no more than 100 nested elements a file; a deep tree goes on in the next one. */
const int DEPTH = 80;

struct Mjcf {
    const SceneData *scene;
    std::vector<std::string> files;
};

void print(std::string &out, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    out += text;
}

void print_pose(std::string &out, const RgPose &X)
{
    RgQuat q = rg_pose_quat(&X);
    print(out, " pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'", X.p.x, X.p.y, X.p.z, q.w, q.x, q.y,
          q.z);
}

/* In the frame of the body that carries it, which a massless child is not. */
void print_joint(std::string &out, const SceneData *scene, const SceneJoint &j, int carrier)
{
    static const char *const kinds[] = {"hinge", "ball", "slide"};
    RgPose X_BW = rg_pose_inverse(&scene->bodies[carrier].X_WB);
    RgVec3 p = rg_pose_apply(&X_BW, j.anchor);
    RgPose turn = X_BW;
    turn.p = RgVec3{0.0, 0.0, 0.0};
    RgVec3 a = rg_pose_apply(&turn, j.axis);
    print(out, "<joint name='%s' type='%s' pos='%.17g %.17g %.17g'", j.name, kinds[j.kind], p.x, p.y, p.z);
    if (j.kind != SCENE_BALL)
        print(out, " axis='%.17g %.17g %.17g'", a.x, a.y, a.z);
    if (std::isfinite(j.lower) && std::isfinite(j.upper))
        print(out, " limited='true' range='%.17g %.17g'", j.lower, j.upper);
    if (j.armature != 0.0 || j.damping != 0.0 || j.stiffness != 0.0)
        print(out, " armature='%.17g' damping='%.17g' stiffness='%.17g'", j.armature, j.damping, j.stiffness);
    print(out, "/>\n");
}

/* Bits of a 32-bit mask without sign that are free for groups. */
const int MAX_GROUPS = 30, ALL_BITS = 0x7fffffff;

/* Bodies of a group meet all but their like: what they are (a bit of the group's own) is not in what they meet. */
int group_bit(const SceneData *scene, int body)
{
    int group = scene->self ? -1 : scene->bodies[body].group;
    return group >= 0 ? 2 << group : 1;
}

void print_geom(std::string &out, const SceneData *scene, int shape)
{
    static const char *const kinds[] = {"box", "sphere", "capsule", "cylinder", "mesh"};
    const SceneShape &s = scene->shapes[shape];
    const double *z = s.size;
    print(out, "<geom type='%s'", kinds[s.kind]);
    if (s.kind == SCENE_BOX)
        print(out, " size='%.17g %.17g %.17g'", 0.5 * z[0], 0.5 * z[1], 0.5 * z[2]);
    else if (s.kind == SCENE_SPHERE)
        print(out, " size='%.17g'", z[0]);
    else if (s.kind == SCENE_HULL)
        print(out, " mesh='hull%d'", shape);
    else
        print(out, " size='%.17g %.17g'", z[0], 0.5 * z[1]);
    print_pose(out, s.X_BS);
    int bit = group_bit(scene, s.body);
    print(out, " contype='%d' conaffinity='%d'/>\n", bit, bit == 1 ? ALL_BITS : ALL_BITS & ~bit);
}

const SceneJoint *joint_of(const SceneData *scene, int body)
{
    for (int i = 0; i < scene->njoints; i++)
        if (scene->joints[i].child == body)
            return &scene->joints[i];
    return nullptr;
}

void print_body(Mjcf &x, size_t file, int body, int depth);
void print_children(Mjcf &x, size_t file, int parent, int depth);

/* A body, or what hangs on it where it has no mass. */
void print_beyond(Mjcf &x, size_t file, int body, int depth)
{
    if (scene_is_massless(&x.scene->bodies[body]))
        print_children(x, file, body, depth);
    else
        print_body(x, file, body, depth + 1);
}

/* Joints between a body and the next body with mass that carries it, in the order in which they act. */
std::vector<const SceneJoint *> joints_below(const SceneData *scene, int body)
{
    std::vector<const SceneJoint *> joints;
    const SceneJoint *j = joint_of(scene, body);
    while (j != nullptr) {
        joints.insert(joints.begin(), j);
        bool on = j->parent != SCENE_WORLD && scene_is_massless(&scene->bodies[j->parent]);
        j = on ? joint_of(scene, j->parent) : nullptr;
    }
    return joints;
}

/* All bodies that hang on one, each with what hangs on it. */
void print_children(Mjcf &x, size_t file, int parent, int depth)
{
    bool deep = depth % DEPTH == DEPTH - 1;
    if (deep) {
        print(x.files[file], "<include file='%d.xml'/>\n", int(x.files.size()));
        file = x.files.size();
        x.files.emplace_back("<mujocoinclude>\n");
    }
    for (int i = 0; i < x.scene->njoints; i++)
        if (x.scene->joints[i].parent == parent)
            print_beyond(x, file, x.scene->joints[i].child, depth);
    if (deep)
        x.files[file] += "</mujocoinclude>\n";
}

void print_body(Mjcf &x, size_t file, int body, int depth)
{
    const SceneBody &b = x.scene->bodies[body];
    std::vector<const SceneJoint *> joints = joints_below(x.scene, body);
    RgPose X = b.X_WB;
    if (!joints.empty() && joints[0]->parent != SCENE_WORLD) {
        RgPose X_PW = rg_pose_inverse(&x.scene->bodies[joints[0]->parent].X_WB);
        X = rg_pose_mul(&X_PW, &b.X_WB);
    }
    std::string text;
    print(text, "<body name='%s'", b.name);
    print_pose(text, X);
    text += ">\n";
    print(text, "<inertial pos='0 0 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>\n", b.mass, b.moments.x,
          b.moments.y, b.moments.z);
    for (const SceneJoint *j : joints)
        print_joint(text, x.scene, *j, body);
    if (joints.empty() && !b.is_static)
        text += "<freejoint/>\n";
    for (int i = 0; i < x.scene->nshapes; i++)
        if (x.scene->shapes[i].body == body)
            print_geom(text, x.scene, i);
    x.files[file] += text;
    print_children(x, file, body, depth);
    x.files[file] += "</body>\n";
}

void print_hulls(std::string &out, const SceneData *s)
{
    out += "<asset>\n";
    for (int i = 0; i < s->nshapes; i++) {
        if (s->shapes[i].kind != SCENE_HULL)
            continue;
        print(out, "<mesh name='hull%d' vertex='", i);
        for (int k = 0; k < 3 * s->shapes[i].nvertices; k++)
            print(out, "%.17g ", s->shapes[i].vertices[k]);
        out += "'/>\n";
    }
    out += "</asset>\n";
}

void print_apart(std::string &out, const SceneData *s)
{
    out += "<contact>\n";
    for (int i = 0; i < s->napart; i++)
        print(out, "<exclude body1='%s' body2='%s'/>\n", s->bodies[s->apart[i].a].name,
              s->bodies[s->apart[i].b].name);
    out += "</contact>\n";
}

/* This version keeps room for a square of rows and counts bytes in an int: more do not fit. */
const int MAX_ROWS = 9000;

/* Above this conjugate gradients are faster: 40 against 2 steps/s on S3. */
const int MANY_BODIES = 100;

/* Four rows a point of pyramids, three of cones; boxes have up to eight points a pair. */
void print_model(Mjcf &x, const char *cone, const char *integrator, const char *solver)
{
    const SceneData *s = x.scene;
    bool boxes = s->nshapes > 0 && s->shapes[0].kind == SCENE_BOX;
    int contacts = 50 + (boxes ? 16 : 5) * s->nshapes, rows = std::min(4 * contacts + s->njoints, MAX_ROWS);
    bool newton = solver != nullptr ? strcmp(solver, "Newton") == 0 : s->nbodies <= MANY_BODIES;
    long long nv = 6LL * s->nbodies, stack = 1000000 + (newton ? 2 * nv * nv : 0) + 2000LL * rows;
    x.files.emplace_back();
    std::string &out = x.files[0];
    out += "<mujoco><compiler angle='radian'/>\n";
    print(out,
          "<option timestep='%.17g' gravity='%.17g %.17g %.17g' cone='%s' solver='%s' integrator='%s'/>\n",
          s->dt, s->gravity.x, s->gravity.y, s->gravity.z, cone, newton ? "Newton" : "CG", integrator);
    print(out, "<size nconmax='%d' njmax='%d' nstack='%lld'/>\n", contacts, rows, stack);
    print(out, "<default><geom friction='%.17g 0 0' condim='3'/></default>\n", s->mu);
    print_hulls(out, s);
    out += "<worldbody>\n";
    if (s->has_floor)
        out += "<geom type='plane' size='0 0 1' contype='1' conaffinity='2147483647'/>\n";
    for (int i = 0; i < s->nbodies; i++)
        if (joint_of(s, i) == nullptr)
            print_body(x, 0, i, 0);
    print_children(x, 0, SCENE_WORLD, 0);
    x.files[0] += "</worldbody>\n";
    print_apart(x.files[0], s);
    x.files[0] += "</mujoco>\n";
}

mjModel *read_model(const Mjcf &x)
{
    std::unique_ptr<mjVFS> vfs(new mjVFS);
    char error[500] = "";
    mj_defaultVFS(vfs.get());
    for (size_t i = 0; i < x.files.size(); i++) {
        std::string name = std::to_string(i) + ".xml";
        const std::string &text = x.files[i];
        mj_makeEmptyFileVFS(vfs.get(), name.c_str(), int(text.size()));
        int slot = mj_findFileVFS(vfs.get(), name.c_str());
        memcpy(vfs->filedata[slot], text.data(), text.size());
    }
    mjModel *model = mj_loadXML("0.xml", vfs.get(), error, sizeof error);
    mj_deleteVFS(vfs.get());
    if (model == nullptr)
        fprintf(stderr, "mujoco: %s\n", error);
    return model;
}

/* ------------------------------------------------------------------ world */

/* The body that stands for one without mass: the next beyond it that has some. */
int with_mass(const SceneData *scene, int body)
{
    for (int i = 0; i < scene->njoints && scene_is_massless(&scene->bodies[body]); i++)
        if (scene->joints[i].parent == body) {
            body = scene->joints[i].child;
            i = -1;
        }
    return body;
}

/* Free bodies begin with their velocities: linear in the world's axes, angular in the body's. */
void start(MujocoWorld &w)
{
    const SceneData *s = w.scene;
    for (int i = 0; i < s->nbodies; i++) {
        const SceneBody &b = s->bodies[i];
        int body = mj_name2id(w.model, mjOBJ_BODY, s->bodies[with_mass(s, i)].name);
        w.bodies.push_back(body);
        if (scene_is_massless(&b) || w.model->body_dofnum[body] != 6)
            continue;
        RgPose turn = b.X_WB;
        turn.p = RgVec3{0.0, 0.0, 0.0};
        turn = rg_pose_inverse(&turn);
        RgVec3 omega = rg_pose_apply(&turn, b.w);
        const double values[6] = {b.v.x, b.v.y, b.v.z, omega.x, omega.y, omega.z};
        memcpy(w.data->qvel + w.model->body_dofadr[body], values, sizeof values);
    }
    for (int i = 0; i < s->njoints; i++) {
        int joint = mj_name2id(w.model, mjOBJ_JOINT, s->joints[i].name);
        w.q_index.push_back(w.model->jnt_qposadr[joint]);
        w.v_index.push_back(w.model->jnt_dofadr[joint]);
        if (s->joints[i].kind == SCENE_HINGE)
            w.data->qvel[w.v_index.back()] = scene_hinge_rate(s, i);
    }
}

/* Warnings go to a file in the working folder otherwise; they are counted in the data anyway. */
void be_silent(const char *)
{
}

void *create(const SceneData *scene, const char *cone, const char *integrator, const char *solver)
{
    mju_user_warning = be_silent;
    Mjcf x{scene, {}};
    print_model(x, cone, integrator, solver);
    mjModel *model = read_model(x);
    mjData *data = model != nullptr ? mj_makeData(model) : nullptr;
    if (data == nullptr)
        return nullptr;
    MujocoWorld *w = new MujocoWorld{scene, model, data, {}, {}, {}, false};
    start(*w);
    return w;
}

/* ------------------------------------------------------------------ many runs */

/* A thread's own data over the model of another world. */
void *own_data(void *model)
{
    const MujocoWorld *shared = static_cast<const MujocoWorld *>(model);
    MujocoWorld *w = new MujocoWorld(*shared);
    w->data = mj_makeData(shared->model);
    if (w->data != nullptr)
        return w;
    delete w;
    return nullptr;
}

void restart(void *data, RgVec3 v)
{
    MujocoWorld *w = static_cast<MujocoWorld *>(data);
    mj_resetData(w->model, w->data);
    const double values[3] = {v.x, v.y, v.z};
    memcpy(w->data->qvel + w->model->body_dofadr[w->bodies[0]], values, sizeof values);
    w->fresh = false;
}

void release(void *data)
{
    MujocoWorld *w = static_cast<MujocoWorld *>(data);
    mj_deleteData(w->data);
    delete w;
}

void *model_pyramidal(const SceneData *scene)
{
    return create(scene, "pyramidal", "Euler", nullptr);
}

void *model_elliptic(const SceneData *scene)
{
    return create(scene, "elliptic", "Euler", nullptr);
}

/* ------------------------------------------------------------------ single runs */

void *create_pyramidal(const SceneData *scene, const PeerOptions *options)
{
    return create(scene, "pyramidal", "Euler", options->solver);
}

void *create_elliptic(const SceneData *scene, const PeerOptions *options)
{
    return create(scene, "elliptic", "Euler", options->solver);
}

void *create_rk4(const SceneData *scene, const PeerOptions *options)
{
    return create(scene, "pyramidal", "RK4", options->solver);
}

void step(void *world)
{
    MujocoWorld *w = static_cast<MujocoWorld *>(world);
    const SceneData *s = w->scene;
    for (int i = 0; i < s->njoints; i++) {
        const SceneJoint &j = s->joints[i];
        int k = w->v_index[size_t(i)];
        if (j.driven)
            w->data->qfrc_applied[k] =
                scene_drive(&j, w->data->time, w->data->qpos[w->q_index[size_t(i)]], w->data->qvel[k]);
    }
    mj_step(w->model, w->data);
    w->fresh = false;
}

void read_joint(void *world, int i, double *q, double *rate)
{
    const MujocoWorld *w = static_cast<MujocoWorld *>(world);
    *q = w->data->qpos[w->q_index[size_t(i)]];
    *rate = w->data->qvel[w->v_index[size_t(i)]];
}

/* Contacts or rows that found no room were left out, or a state that went wild was reset: the run is lost. */
bool is_lost(const mjData *data)
{
    const mjtWarning grave[] = {mjWARN_CONTACTFULL, mjWARN_CNSTRFULL, mjWARN_BADQPOS, mjWARN_BADQVEL,
                                mjWARN_BADQACC};
    int count = 0;
    for (mjtWarning w : grave)
        count += data->warning[w].number;
    return count > 0;
}

/* After a step the poses still belong to its start. */
void read_body(void *world, int i, SceneBodyState *out)
{
    MujocoWorld *w = static_cast<MujocoWorld *>(world);
    if (!w->fresh) {
        mj_kinematics(w->model, w->data);
        mj_comPos(w->model, w->data);
        mj_comVel(w->model, w->data);
        w->fresh = true;
    }
    int body = w->bodies[size_t(i)];
    const double *p = w->data->xipos + 3 * body, *R = w->data->xmat + 9 * body;
    double velocity[6];
    mj_objectVelocity(w->model, w->data, mjOBJ_BODY, body, velocity, 0);
    for (int k = 0; k < 9; k++)
        out->X_WB.R.m[k / 3][k % 3] = R[k];
    out->X_WB.p = RgVec3{p[0], p[1], p[2]};
    out->w = RgVec3{velocity[0], velocity[1], velocity[2]};
    out->v = RgVec3{velocity[3], velocity[4], velocity[5]};
    if (is_lost(w->data))
        out->X_WB.p = RgVec3{NAN, NAN, NAN};
}

void destroy(void *world)
{
    MujocoWorld *w = static_cast<MujocoWorld *>(world);
    mj_deleteData(w->data);
    mj_deleteModel(w->model);
    delete w;
}

/* ------------------------------------------------------------------ table entries */

const char *version()
{
    return mj_versionString();
}

const char *lacks(const SceneData *scene, const PeerOptions *options)
{
    if (options->threads > 1)
        return "no threads for one model";
    if (scene->restitution > 0.0)
        return "no restitution: contacts are soft";
    for (int i = 0; i < scene->nbodies; i++)
        if (!scene->self && scene->bodies[i].group >= MAX_GROUPS)
            return "no filter for more than 30 groups";
    return scene->nbodies > 700 ? "no memory: this version keeps dense room for rows" : nullptr;
}

const PeerEngine pyramidal = {
    "mujoco",   "MuJoCo",  "Newton (CG above 100 bodies), pyramidal cones, all by default",
    version,    lacks,     create_pyramidal,
    step,       read_body, destroy,
    read_joint, false};

const PeerEngine elliptic = {"mujoco-elliptic",
                             "MuJoCo elliptic",
                             "Newton (CG above 100 bodies), elliptic cones",
                             version,
                             lacks,
                             create_elliptic,
                             step,
                             read_body,
                             destroy,
                             read_joint,
                             false};

const PeerEngine rk4 = {
    "mujoco-rk4", "MuJoCo RK4", "Newton (CG above 100 bodies), pyramidal cones, Runge-Kutta of order 4",
    version,      lacks,        create_rk4,
    step,         read_body,    destroy,
    read_joint,   false};

const PeerRollouts many_pyramidal = {
    "MuJoCo", "one mjModel, an mjData a thread; Newton, pyramidal cones, all by default",
    version,  model_pyramidal,
    own_data, restart,
    step,     read_body,
    release,  destroy};

const PeerRollouts many_elliptic = {"MuJoCo elliptic",
                                    "one mjModel, an mjData a thread; Newton, elliptic cones",
                                    version,
                                    model_elliptic,
                                    own_data,
                                    restart,
                                    step,
                                    read_body,
                                    release,
                                    destroy};

} // namespace

extern "C" const PeerRollouts *const *peer_rollouts(void)
{
    static const PeerRollouts *const rollouts[] = {&many_pyramidal, &many_elliptic, nullptr};
    return rollouts;
}

extern "C" const PeerEngine *const *peer_engines(void)
{
    static const PeerEngine *const engines[] = {&pyramidal, &elliptic, &rk4, nullptr};
    return engines;
}
