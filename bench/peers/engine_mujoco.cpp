/*
 * engine_mujoco.cpp - the scenes in MuJoCo, written as MJCF and read from files in memory.
 *
 * Settings: the library's defaults: Newton solver to its tolerance (up to 100 iterations), Euler
 * integrator, contacts of condim 3 with solref (0.02, 1) and solimp as given by the library, warm start,
 * sparse or dense as it chooses; mu on every geom; no sleeping exists. For more than 100 bodies conjugate
 * gradients, as its manual advises for large systems. Room for contacts and rows is given by hand, as this
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

void print_joint(std::string &out, const SceneData *scene, const SceneJoint &j)
{
    static const char *const kinds[] = {"hinge", "ball", "slide"};
    RgPose X_BW = rg_pose_inverse(&scene->bodies[j.child].X_WB);
    RgVec3 p = rg_pose_apply(&X_BW, j.anchor);
    RgPose turn = X_BW;
    turn.p = RgVec3{0.0, 0.0, 0.0};
    RgVec3 a = rg_pose_apply(&turn, j.axis);
    print(out, "<joint name='%s' type='%s' pos='%.17g %.17g %.17g'", j.name, kinds[j.kind], p.x, p.y, p.z);
    if (j.kind != SCENE_BALL)
        print(out, " axis='%.17g %.17g %.17g'", a.x, a.y, a.z);
    if (std::isfinite(j.lower) && std::isfinite(j.upper))
        print(out, " limited='true' range='%.17g %.17g'", j.lower, j.upper);
    print(out, "/>\n");
}

/* Bodies of a group meet all but their like: what they are (bit 2) is not in what they meet (bit 1). */
void print_geom(std::string &out, const SceneData *scene, const SceneShape &s)
{
    static const char *const kinds[] = {"box", "sphere", "capsule", "cylinder"};
    const double *z = s.size;
    print(out, "<geom type='%s'", kinds[s.kind]);
    if (s.kind == SCENE_BOX)
        print(out, " size='%.17g %.17g %.17g'", 0.5 * z[0], 0.5 * z[1], 0.5 * z[2]);
    else if (s.kind == SCENE_SPHERE)
        print(out, " size='%.17g'", z[0]);
    else
        print(out, " size='%.17g %.17g'", z[0], 0.5 * z[1]);
    print_pose(out, s.X_BS);
    bool grouped = scene->bodies[s.body].group >= 0;
    print(out, " contype='%d' conaffinity='1'/>\n", grouped ? 2 : 1);
}

const SceneJoint *joint_of(const SceneData *scene, int body)
{
    for (int i = 0; i < scene->njoints; i++)
        if (scene->joints[i].child == body)
            return &scene->joints[i];
    return nullptr;
}

void print_body(Mjcf &x, size_t file, int body, int depth);

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
            print_body(x, file, x.scene->joints[i].child, depth + 1);
    if (deep)
        x.files[file] += "</mujocoinclude>\n";
}

void print_body(Mjcf &x, size_t file, int body, int depth)
{
    const SceneBody &b = x.scene->bodies[body];
    const SceneJoint *j = joint_of(x.scene, body);
    RgPose X = b.X_WB;
    if (j != nullptr && j->parent != SCENE_WORLD) {
        RgPose X_PW = rg_pose_inverse(&x.scene->bodies[j->parent].X_WB);
        X = rg_pose_mul(&X_PW, &b.X_WB);
    }
    std::string text;
    print(text, "<body name='%s'", b.name);
    print_pose(text, X);
    text += ">\n";
    print(text, "<inertial pos='0 0 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>\n", b.mass, b.moments.x,
          b.moments.y, b.moments.z);
    if (j != nullptr)
        print_joint(text, x.scene, *j);
    else if (!b.is_static)
        text += "<freejoint/>\n";
    for (int i = 0; i < x.scene->nshapes; i++)
        if (x.scene->shapes[i].body == body)
            print_geom(text, x.scene, x.scene->shapes[i]);
    x.files[file] += text;
    print_children(x, file, body, depth);
    x.files[file] += "</body>\n";
}

/* This version keeps room for a square of rows and counts bytes in an int: more do not fit. */
const int MAX_ROWS = 9000;

/* Above this conjugate gradients are faster: 40 against 2 steps/s on S3. */
const int MANY_BODIES = 100;

/* Four rows a point of pyramids, three of cones; boxes have up to eight points a pair. */
void print_model(Mjcf &x, const char *cone, const char *integrator)
{
    const SceneData *s = x.scene;
    bool boxes = s->nshapes > 0 && s->shapes[0].kind == SCENE_BOX;
    int contacts = 50 + (boxes ? 16 : 5) * s->nshapes, rows = std::min(4 * contacts + s->njoints, MAX_ROWS);
    bool newton = s->nbodies <= MANY_BODIES;
    long long nv = 6LL * s->nbodies, stack = 1000000 + (newton ? 2 * nv * nv : 0) + 2000LL * rows;
    x.files.emplace_back();
    std::string &out = x.files[0];
    out += "<mujoco><compiler angle='radian'/>\n";
    print(out,
          "<option timestep='%.17g' gravity='%.17g %.17g %.17g' cone='%s' solver='%s' integrator='%s'/>\n",
          s->dt, s->gravity.x, s->gravity.y, s->gravity.z, cone, newton ? "Newton" : "CG", integrator);
    print(out, "<size nconmax='%d' njmax='%d' nstack='%lld'/>\n", contacts, rows, stack);
    print(out, "<default><geom friction='%.17g 0 0' condim='3'/></default>\n<worldbody>\n", s->mu);
    if (s->has_floor)
        out += "<geom type='plane' size='0 0 1' contype='1' conaffinity='3'/>\n";
    for (int i = 0; i < s->nbodies; i++)
        if (joint_of(s, i) == nullptr)
            print_body(x, 0, i, 0);
    print_children(x, 0, SCENE_WORLD, 0);
    x.files[0] += "</worldbody></mujoco>\n";
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

/* Free bodies begin with their velocities: linear in the world's axes, angular in the body's. */
void start(MujocoWorld &w)
{
    const SceneData *s = w.scene;
    for (int i = 0; i < s->nbodies; i++) {
        const SceneBody &b = s->bodies[i];
        int body = mj_name2id(w.model, mjOBJ_BODY, b.name);
        w.bodies.push_back(body);
        if (w.model->body_dofnum[body] != 6)
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
    }
}

/* Warnings go to a file in the working folder otherwise; they are counted in the data anyway. */
void be_silent(const char *)
{
}

void *create(const SceneData *scene, const char *cone, const char *integrator)
{
    mju_user_warning = be_silent;
    Mjcf x{scene, {}};
    print_model(x, cone, integrator);
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
    return create(scene, "pyramidal", "Euler");
}

void *model_elliptic(const SceneData *scene)
{
    return create(scene, "elliptic", "Euler");
}

/* ------------------------------------------------------------------ single runs */

void *create_pyramidal(const SceneData *scene, const PeerOptions *)
{
    return create(scene, "pyramidal", "Euler");
}

void *create_elliptic(const SceneData *scene, const PeerOptions *)
{
    return create(scene, "elliptic", "Euler");
}

void *create_rk4(const SceneData *scene, const PeerOptions *)
{
    return create(scene, "pyramidal", "RK4");
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
                scene_drive(&j, w->data->qpos[w->q_index[size_t(i)]], w->data->qvel[k]);
    }
    mj_step(w->model, w->data);
    w->fresh = false;
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
    return scene->nbodies > 700 ? "no memory: this version keeps dense room for rows" : nullptr;
}

const PeerEngine pyramidal = {
    "mujoco", "MuJoCo",  "Newton (CG above 100 bodies), pyramidal cones, all by default",
    version,  lacks,     create_pyramidal,
    step,     read_body, destroy,
    false};

const PeerEngine elliptic = {"mujoco-elliptic",
                             "MuJoCo elliptic",
                             "Newton (CG above 100 bodies), elliptic cones",
                             version,
                             lacks,
                             create_elliptic,
                             step,
                             read_body,
                             destroy,
                             false};

const PeerEngine rk4 = {
    "mujoco-rk4", "MuJoCo RK4", "Newton (CG above 100 bodies), pyramidal cones, Runge-Kutta of order 4",
    version,      lacks,        create_rk4,
    step,         read_body,    destroy,
    false};

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
