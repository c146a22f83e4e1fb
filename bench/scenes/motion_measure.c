/*
 * motion_measure.c - overlap, energy, lost bodies, fallen dominoes, drift of a tower.
 *
 *   overlap   A world of Rigor with the scene's bodies and shapes and without its joints is set to the poses that the
 *             engine reports, and asked for its contact points: depth max(0, -gap) of every point whose gap is at most
 *             1 mm, in every `every`-th step. Pairs that the scene keeps apart, joint neighbours among them, do not
 *             count. Mean and largest over the samples of the last quarter, largest over all.
 *   energy    E = sum 1/2 m v'v + 1/2 w'I w - m g'p + sum over joints 1/2 armature q'^2 + 1/2 stiffness q^2, and W, the
 *             work of the drives: h tau (q'_0 + q'_1) / 2 a step with tau from the start of the step. Contacts, limits
 *             and dampers can only lower E - W: what it rises above its smallest value so far was gained.
 *   drift     until the velocity of the body that flies at the start differs by more than 1 % from free flight
 *
 * A state that is not finite makes overlap and gain infinite.
 */
#include "motion_measure.h"
#include "scene_model.h"
#include "vectors.h"

#include <stdlib.h>
#include <string.h>

#define EVERY 1          /* steps between samples where the scene does not say */
#define FALLEN 0.8660254 /* cosine of 30 degrees */
#define FLIES 1.0        /* m/s: a body that is faster at the start is the projectile */
#define DEVIATION 0.01   /* of its velocity: has hit */

struct MotionMeasure {
    const SceneData *scene;
    MotionErrors errors;
    SceneData bare; /* bodies and shapes without joints */
    RgModel *model;
    RgWorld *world;
    double *state; /* nq of the world */
    SceneBodyState *last;
    double *q, *rates; /* of the joints, at the end of the last step */
    double work, least, depths, points;
    int steps, projectile;
    bool hit;
};

static void *zeroed(int count, size_t size)
{
    void *memory = calloc((size_t)count + 1, size);
    if (memory == NULL)
        abort();
    return memory;
}

static double larger(double a, double b)
{
    return b > a ? b : a;
}

/* ------------------------------------------------------------------ beginning */

/* The scene's bodies and shapes alone; carriers without mass get some, for they are free here. */
static void strip(MotionMeasure *m)
{
    const SceneData *s = m->scene;
    SceneData *b = &m->bare;
    *b = *s;
    b->bodies = zeroed(s->nbodies, sizeof *b->bodies);
    b->apart = zeroed(s->napart + s->njoints, sizeof *b->apart);
    memcpy(b->bodies, s->bodies, (size_t)s->nbodies * sizeof *b->bodies);
    for (int i = 0; i < s->nbodies; i++)
        if (scene_is_massless(&b->bodies[i])) {
            b->bodies[i].mass = 1.0;
            b->bodies[i].moments = vec(1.0, 1.0, 1.0);
        }
    if (s->napart > 0)
        memcpy(b->apart, s->apart, (size_t)s->napart * sizeof *b->apart);
    for (int i = 0; i < s->njoints; i++)
        if (s->joints[i].parent != SCENE_WORLD)
            b->apart[b->napart++] = (ScenePair){s->joints[i].parent, s->joints[i].child};
    b->njoints = 0;
}

static bool make_world(MotionMeasure *m)
{
    RgError error;
    m->model = scene_model_create(&m->bare, &error);
    if (m->model == NULL)
        return false;
    RgWorldDef def = rg_world_def_default();
    def.model = m->model;
    m->world = rg_world_create(&def, &error);
    m->state = zeroed(rg_model_info(m->model).nq, sizeof *m->state);
    rg_model_neutral(m->model, m->state);
    return m->world != NULL;
}

/* The body that is fast at the start while others are at rest; -1: none. */
static int find_projectile(const SceneData *s)
{
    int found = -1, count = 0;
    for (int i = 0; i < s->nbodies; i++)
        if (vec_norm(s->bodies[i].v) > FLIES) {
            found = i;
            count++;
        }
    return count == 1 ? found : -1;
}

static void release(MotionMeasure *m)
{
    rg_world_destroy(m->world);
    rg_model_destroy(m->model);
    free(m->bare.bodies);
    free(m->bare.apart);
    free(m->state);
    free(m->last);
    free(m->q);
    free(m->rates);
    free(m);
}

MotionMeasure *motion_measure_begin(const SceneData *scene, int steps)
{
    MotionMeasure *m = zeroed(1, sizeof *m);
    m->scene = scene;
    m->steps = steps;
    m->errors = (MotionErrors){.fallen = -1, .drift = -1.0, .steps = -1};
    m->least = (double)INFINITY;
    m->last = zeroed(scene->nbodies, sizeof *m->last);
    m->q = zeroed(scene->njoints, sizeof *m->q);
    m->rates = zeroed(scene->njoints, sizeof *m->rates);
    m->projectile = strcmp(scene->measure, "tower") == 0 ? find_projectile(scene) : -1;
    strip(m);
    if (make_world(m))
        return m;
    release(m);
    return NULL;
}

/* ------------------------------------------------------------------ a step */

static bool is_finite(const SceneData *s, const SceneBodyState *states)
{
    double sum = 0.0;
    for (int i = 0; i < s->nbodies; i++)
        sum += vec_dot(states[i].X_WB.p, states[i].X_WB.p) + vec_dot(states[i].v, states[i].v) +
               vec_dot(states[i].w, states[i].w) + states[i].X_WB.R.m[0][0];
    return isfinite(sum);
}

/* The free joint's coordinates: quaternion, then position. */
static bool place_bodies(MotionMeasure *m, const SceneBodyState *states)
{
    for (int i = 0; i < m->scene->nbodies; i++) {
        RgLinkInfo link = rg_model_link(m->model, (RgLinkId){i + 1});
        if (!link.floats)
            continue;
        RgQuat r = rg_pose_quat(&states[i].X_WB);
        RgVec3 p = states[i].X_WB.p;
        const double values[7] = {r.w, r.x, r.y, r.z, p.x, p.y, p.z};
        memcpy(m->state + link.q_index, values, sizeof values);
    }
    return rg_world_set_state(m->world, m->state, NULL) == RG_OK;
}

static void sample_overlap(MotionMeasure *m, const SceneBodyState *states, bool late)
{
    RgContactView view;
    RgError error;
    MotionErrors *e = &m->errors;
    if (!place_bodies(m, states) || rg_world_contacts(m->world, NULL, &view, &error) != RG_OK) {
        e->late_max = e->worst = (double)INFINITY;
        return;
    }
    for (int i = 0; i < view.npoints; i++) {
        double depth = view.points[i].gap < 0.0 ? -1e3 * view.points[i].gap : 0.0;
        e->worst = larger(e->worst, depth);
        if (!late)
            continue;
        e->late_max = larger(e->late_max, depth);
        m->depths += depth;
        m->points += 1.0;
    }
}

static void sample_energy(MotionMeasure *m, const SceneBodyState *states, const double *q, const double *rates)
{
    const SceneData *s = m->scene;
    double energy = scene_energy(s, states), t = (m->errors.steps - 1) * s->dt;
    for (int i = 0; i < s->njoints && q != NULL; i++) {
        const SceneJoint *j = &s->joints[i];
        energy += 0.5 * (j->armature * rates[i] * rates[i] + j->stiffness * q[i] * q[i]);
        if (j->driven && m->errors.steps > 0)
            m->work += 0.5 * s->dt * scene_drive(j, t, m->q[i], m->rates[i]) * (m->rates[i] + rates[i]);
        m->q[i] = q[i];
        m->rates[i] = rates[i];
    }
    energy -= m->work;
    m->least = energy < m->least ? energy : m->least;
    m->errors.gain = larger(m->errors.gain, energy - m->least);
}

static void sample_drift(MotionMeasure *m, const SceneBodyState *states)
{
    const SceneData *s = m->scene;
    const SceneBody *ball = &s->bodies[m->projectile];
    RgVec3 free_flight = vec_add(ball->v, vec_scale(m->errors.steps * s->dt, s->gravity));
    m->hit = m->hit || vec_distance(states[m->projectile].v, free_flight) > DEVIATION * vec_norm(ball->v);
    for (int i = 0; i < s->nbodies && !m->hit; i++) {
        RgVec3 d = vec_sub(states[i].X_WB.p, s->bodies[i].X_WB.p);
        if (i != m->projectile)
            m->errors.drift = larger(m->errors.drift, 1e3 * sqrt(d.x * d.x + d.y * d.y));
    }
}

void motion_measure_step(MotionMeasure *m, const SceneBodyState *states, const double *q, const double *rates)
{
    MotionErrors *e = &m->errors;
    int i = ++e->steps, every = m->scene->every > 0 ? m->scene->every : EVERY;
    memcpy(m->last, states, (size_t)m->scene->nbodies * sizeof *states);
    if (!is_finite(m->scene, states)) {
        e->late_mean = e->late_max = e->worst = e->gain = (double)INFINITY;
        return;
    }
    sample_energy(m, states, q, rates);
    if (m->projectile >= 0)
        sample_drift(m, states);
    if (i == 0 || (i % every != 0 && i < m->steps))
        return;
    e->joint_gap = larger(e->joint_gap, 1e3 * scene_joint_gap(m->scene, states));
    sample_overlap(m, states, 4 * i > 3 * m->steps);
}

/* ------------------------------------------------------------------ the end */

/* Walls: the centres of the static bodies; where there are none, bodies may go anywhere above the floor. */
static int count_lost(const MotionMeasure *m)
{
    const SceneData *s = m->scene;
    double low[2] = {-(double)INFINITY, -(double)INFINITY}, high[2] = {(double)INFINITY, (double)INFINITY};
    for (int i = 0, walls = 0; i < s->nbodies; i++) {
        const double p[2] = {s->bodies[i].X_WB.p.x, s->bodies[i].X_WB.p.y};
        for (int k = 0; k < 2 && s->bodies[i].is_static; k++) {
            low[k] = walls > 0 ? fmin(low[k], p[k]) : p[k];
            high[k] = walls > 0 ? fmax(high[k], p[k]) : p[k];
        }
        walls += s->bodies[i].is_static ? 1 : 0;
    }
    int lost = 0;
    for (int i = 0; i < s->nbodies; i++) {
        RgVec3 p = m->last[i].X_WB.p;
        bool inside = p.x >= low[0] && p.x <= high[0] && p.y >= low[1] && p.y <= high[1];
        lost += inside && isfinite(p.z) && (!s->has_floor || p.z >= 0.0) ? 0 : 1;
    }
    return lost;
}

static int count_fallen(const MotionMeasure *m)
{
    int fallen = 0;
    for (int i = 0; i < m->scene->nbodies; i++)
        fallen += m->last[i].X_WB.R.m[2][2] < FALLEN ? 1 : 0;
    return fallen;
}

static uint64_t hash_of(const MotionMeasure *m)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < m->scene->nbodies; i++) {
        unsigned char bytes[sizeof m->last[i].X_WB];
        memcpy(bytes, &m->last[i].X_WB, sizeof bytes);
        for (size_t k = 0; k < sizeof bytes; k++)
            hash = (hash ^ bytes[k]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

MotionErrors motion_measure_end(MotionMeasure *m)
{
    MotionErrors e = m->errors;
    if (m->points > 0.0 && isfinite(e.late_mean))
        e.late_mean = m->depths / m->points;
    if (4 * e.steps <= 3 * m->steps)
        e.late_mean = e.late_max = (double)NAN;
    e.lost = count_lost(m);
    if (strcmp(m->scene->measure, "domino") == 0)
        e.fallen = count_fallen(m);
    e.hash = hash_of(m);
    release(m);
    return e;
}
