/*
 * mujoco_forward.c - MuJoCo's forward dynamics and steps on the same robots, measured in the same way by the
 * same program.
 *
 * Each scene is written as MJCF from the finished model (links, inertias, hinges, floating bases), so that
 * both engines have the same
 * numbers; the accelerations of 64 random states must then agree, and the largest relative difference is
 * printed beside the times. No
 * geometry, no contact, no constraint: all stages of mj_forward that remain are those of smooth dynamics.
 * Needs libmujoco-dev; `make bench-peers` gets it, builds and
 * runs this.
 */
#define _POSIX_C_SOURCE 200809L
#include "draw.h"
#include "scenes.h"

#include <mujoco/mujoco.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define STATES 64
#define REPEATS 15

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void expect(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "mujoco_forward: %s failed\n", what);
    exit(1);
}

/* ------------------------------------------------------------------ the model as MJCF */

/* MuJoCo's reader takes at most 100 nested elements a file, so a deep tree goes on in another file that
   the first one includes. */
#define DEPTH 80

typedef struct Mjcf {
    const RgModel *model;
    char folder[64];
    int parts;
} Mjcf;

static FILE *open_part(Mjcf *x, int part)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%d.xml", x->folder, part);
    FILE *f = fopen(path, "w");
    expect(f != NULL, path);
    return f;
}

/* The link itself. Joint frames are parallel to the parent's and lie at the child's origin, as in the
   scenes. */
static void write_link(FILE *f, const RgModel *model, RgLinkInfo l)
{
    RgInertia in = l.inertia;
    RgVec3 p = {0.0, 0.0, 0.0};
    if (!l.floats)
        p = rg_model_joint(model, l.joint).X_PJ.p;
    fprintf(f, "<body name='%s' pos='%.17g %.17g %.17g'>\n", l.name, p.x, p.y, p.z);
    if (l.floats) {
        fprintf(f, "<freejoint name='%s'/>\n", l.name);
    } else {
        RgJointInfo j = rg_model_joint(model, l.joint);
        fprintf(f, "<joint name='%s' type='hinge' axis='%.17g %.17g %.17g'/>\n", j.name, j.axis.x, j.axis.y, j.axis.z);
    }
    fprintf(f, "<inertial mass='%.17g' pos='%.17g %.17g %.17g' ", in.mass, in.com.x, in.com.y, in.com.z);
    fprintf(f, "fullinertia='%.17g %.17g %.17g %.17g %.17g %.17g'/>\n", in.I.xx, in.I.yy, in.I.zz, in.I.xy, in.I.xz,
            in.I.yz);
}

/* All links that hang on one, each with all that hangs on it. */
static void write_children(Mjcf *x, FILE *f, int link, int depth)
{
    int links = rg_model_info(x->model).links;
    FILE *outer = f;
    if (depth % DEPTH == DEPTH - 1) {
        fprintf(f, "<include file='%d.xml'/>\n", ++x->parts);
        f = open_part(x, x->parts);
        fprintf(f, "<mujocoinclude>\n");
    }
    for (int child = 1; child <= links; child++) {
        RgLinkInfo l = rg_model_link(x->model, (RgLinkId){child});
        if (l.parent.i != link)
            continue;
        write_link(f, x->model, l);
        write_children(x, f, child, depth + 1);
        fprintf(f, "</body>\n");
    }
    if (f != outer) {
        fprintf(f, "</mujocoinclude>\n");
        fclose(f);
    }
}

static mjModel *to_mujoco(const RgModel *model)
{
    Mjcf x = {model, "/tmp/rigor_peer_XXXXXX", 0};
    char path[128], error[500] = "";
    expect(mkdtemp(x.folder) != NULL, x.folder);
    FILE *f = open_part(&x, 0);
    fprintf(f, "<mujoco><compiler angle='radian'/><option timestep='0.001' gravity='0 0 -9.81'/><worldbody>\n");
    write_children(&x, f, 0, 0);
    fprintf(f, "</worldbody></mujoco>\n");
    fclose(f);
    snprintf(path, sizeof path, "%s/0.xml", x.folder);
    mjModel *m = mj_loadXML(path, NULL, error, sizeof error);
    expect(m != NULL, error);
    for (int i = 0; i <= x.parts; i++) {
        snprintf(path, sizeof path, "%s/%d.xml", x.folder, i);
        unlink(path);
    }
    rmdir(x.folder);
    return m;
}

/* ------------------------------------------------------------------ states */

/* Our vector in MuJoCo's order: hinges by name; a free joint has its linear part first. */
static void to_mujoco_velocity(const RgModel *model, const mjModel *m, const double *v, double *out)
{
    RgModelInfo info = rg_model_info(model);
    for (int i = 1; i <= info.links; i++) {
        RgLinkInfo l = rg_model_link(model, (RgLinkId){i});
        const char *name = l.floats ? l.name : rg_model_joint(model, l.joint).name;
        double *to = out + m->jnt_dofadr[mj_name2id(m, mjOBJ_JOINT, name)];
        const double *from = v + l.v_index;
        if (!l.floats) {
            to[0] = from[0];
            continue;
        }
        memcpy(to, from + 3, 3 * sizeof *to);
        memcpy(to + 3, from, 3 * sizeof *to);
    }
}

static void to_mujoco_position(const RgModel *model, const mjModel *m, const double *q, double *out)
{
    RgModelInfo info = rg_model_info(model);
    for (int i = 1; i <= info.links; i++) {
        RgLinkInfo l = rg_model_link(model, (RgLinkId){i});
        const char *name = l.floats ? l.name : rg_model_joint(model, l.joint).name;
        double *to = out + m->jnt_qposadr[mj_name2id(m, mjOBJ_JOINT, name)];
        const double *from = q + l.q_index;
        if (!l.floats) {
            to[0] = from[0];
            continue;
        }
        memcpy(to, from + 4, 3 * sizeof *to);
        memcpy(to + 3, from, 4 * sizeof *to);
    }
}

/* ------------------------------------------------------------------ measurements */

/* One state in both engines. */
typedef struct Pair {
    const RgModel *model;
    RgDynamics *dynamics;
    const mjModel *m;
    mjData *d;
    double q[256], v[256], tau[256], a[256];
} Pair;

static void call_mujoco(Pair *p)
{
    mj_forward(p->m, p->d);
}

static void call_rigor(Pair *p)
{
    rg_forward_dynamics_factor(p->dynamics, p->q, p->v, p->tau, NULL, p->a);
}

/* ns a call, best of the repeats. */
static double time_call(Pair *p, void (*call)(Pair *p))
{
    double best = 1e9;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        int calls = p->m->nv > 50 ? 2 : 10;
        double start = now();
        for (int i = 0; i < calls; i++)
            call(p);
        best = fmin(best, (now() - start) / (double)calls);
    }
    return 1e9 * best;
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void draw_state(Pair *p, Draw *draw)
{
    for (int i = 0; i < p->m->nv; i++) {
        p->a[i] = draw_between(draw, -1.5, 1.5);
        p->v[i] = draw_between(draw, -2.0, 2.0);
        p->tau[i] = draw_between(draw, -50.0, 50.0);
    }
    rg_model_neutral(p->model, p->q);
    rg_integrate_positions(p->model, p->q, p->a, p->q);
    to_mujoco_position(p->model, p->m, p->q, p->d->qpos);
    to_mujoco_velocity(p->model, p->m, p->v, p->d->qvel);
    to_mujoco_velocity(p->model, p->m, p->tau, p->d->qfrc_applied);
}

/* Largest difference of the accelerations, part of the largest one. */
static double difference(const Pair *p)
{
    double ours[256] = {0.0}, error = 0.0, scale = 0.0;
    to_mujoco_velocity(p->model, p->m, p->a, ours);
    for (int i = 0; i < p->m->nv; i++) {
        error = fmax(error, fabs(p->d->qacc[i] - ours[i]));
        scale = fmax(scale, fabs(ours[i]));
    }
    return error / scale;
}

/* Medians over the states of both engines, and how well they agree. */
static void measure(const char *name, RgModel *model)
{
    static Pair p;
    mjModel *m = to_mujoco(model);
    p.model = model;
    p.dynamics = rg_dynamics_create(model, NULL);
    p.m = m;
    p.d = mj_makeData(m);
    expect(p.dynamics != NULL && p.d != NULL && m->nv == rg_model_info(model).nv && m->nq < 256, "the model");
    double theirs[STATES], ours[STATES], worst = 0.0;
    Draw draw = draw_seed(1);
    for (int s = 0; s < STATES; s++) {
        draw_state(&p, &draw);
        theirs[s] = time_call(&p, call_mujoco);
        ours[s] = time_call(&p, call_rigor);
        worst = fmax(worst, difference(&p));
    }
    qsort(theirs, STATES, sizeof theirs[0], by_value);
    qsort(ours, STATES, sizeof ours[0], by_value);
    printf("%-16s mj_forward %8.0f ns, forward by factor %8.0f ns: %.2fx   accelerations differ by %.1e\n", name,
           theirs[STATES / 2], ours[STATES / 2], theirs[STATES / 2] / ours[STATES / 2], worst);
    mj_deleteData(p.d);
    mj_deleteModel(m);
    rg_dynamics_destroy(p.dynamics);
    rg_model_destroy(model);
}

/* The same chain, by semi-implicit in minimal coordinates. */
static double rigor_steps(const RgModel *model)
{
    double best = 0.0;
    for (int repeat = 0; repeat < 3; repeat++) {
        RgWorldDef def = rg_world_def_default();
        def.model = model;
        RgWorld *world = rg_world_create(&def, NULL);
        expect(world != NULL, "rg_world_create");
        double start = now();
        for (int i = 0; i < 2000; i++)
            expect(rg_world_step(world, 1e-3, NULL) == RG_OK, "rg_world_step");
        best = fmax(best, 2000.0 / (now() - start));
        rg_world_destroy(world);
    }
    return best;
}

/* 2 s of the chain from horizontal: steps a second, where the last rod is, and what became of the energy. */
static void measure_chain(void)
{
    RgModel *model = scene_chain(100);
    mjModel *m = to_mujoco(model);
    m->opt.enableflags |= mjENBL_ENERGY;
    mjData *d = mj_makeData(m);
    mj_forward(m, d);
    double first = d->energy[0] + d->energy[1], best = 0.0;
    for (int repeat = 0; repeat < 3; repeat++) {
        mj_resetData(m, d);
        double start = now();
        for (int i = 0; i < 2000; i++)
            mj_step(m, d);
        best = fmax(best, 2000.0 / (now() - start));
    }
    mj_forward(m, d);
    const double *tip = d->xipos + 3 * (m->nbody - 1);
    double ours = rigor_steps(model);
    printf("%-16s mj_step %8.0f steps/s, rg_world_step %8.0f: %.2fx   last rod (%.4f, %.4f, %.4f), energy "
           "%+.2g J\n",
           "chain (100)", best, ours, ours / best, tip[0], tip[1], tip[2], d->energy[0] + d->energy[1] - first);
    mj_deleteData(d);
    mj_deleteModel(m);
    rg_model_destroy(model);
}

int main(void)
{
    printf("MuJoCo %s, one thread\n", mj_versionString());
    measure("arm (6)", scene_arm());
    measure("quadruped (18)", scene_quadruped());
    measure("humanoid (36)", scene_humanoid());
    measure("chain (100)", scene_chain(100));
    measure_chain();
    return 0;
}
