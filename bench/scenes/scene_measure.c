/*
 * scene_measure.c - the errors of a run, computed from body states only, so that the code is the same for all engines.
 *
 *   height    of the top bodies above or below where exact stacking puts them; of several the largest
 *   drift     sideways distance of the top bodies from their start; shift: of all bodies
 *   overlap   how deep two balls, or a ball and the floor, stand in each other
 *   energy    |E - E(0)|, part of what would be set free if all hung straight down; largest of all samples
 *   gap       distance of the two sides of a joint's anchor; largest of all samples
 *   sag       |z - z(0)| of the first body at the end; creep: its sideways distance from the start
 *   tilt      angle of a body's x axis to the world's; largest of all samples
 *
 * A state that is not finite makes its errors infinite.
 */
#include "scene_build.h"

#include <stddef.h>

SceneErrorNames scene_error_names(SceneError error)
{
    static const SceneErrorNames names[] = {
        [SCENE_ERROR_TOP] = {{"height", "drift", NULL}, {"mm", "mm", ""}},
        [SCENE_ERROR_WALL] = {{"height", "shift", NULL}, {"mm", "mm", ""}},
        [SCENE_ERROR_TOWER] = {{"height", "shift", NULL}, {"mm", "mm", ""}},
        [SCENE_ERROR_KICK] = {{"height", "speed", NULL}, {"mm", "m/s", ""}},
        [SCENE_ERROR_PILE] = {{"overlap", "worst", NULL}, {"mm", "mm", ""}},
        [SCENE_ERROR_CHAIN] = {{"energy", "gap", NULL}, {"", "mm", ""}},
        [SCENE_ERROR_STAND] = {{"sag", "creep", "gap"}, {"mm", "mm", "mm"}},
        [SCENE_ERROR_TILT] = {{"tilt", "gap", NULL}, {"rad", "mm", ""}},
    };
    return names[error];
}

SceneBodyState scene_body_start(const SceneBody *body)
{
    return (SceneBodyState){body->X_WB, body->v, body->w};
}

/* Takes the larger; NaN counts as the largest. */
static void keep_larger(double *worst, double value)
{
    if (!(value <= *worst))
        *worst = isfinite(value) ? value : (double)INFINITY;
}

static double body_energy(const SceneData *scene, const SceneBody *b, const SceneBodyState *x)
{
    RgVec3 w = mat_apply(mat_transpose(x->X_WB.R), x->w);
    double turning = b->moments.x * w.x * w.x + b->moments.y * w.y * w.y + b->moments.z * w.z * w.z;
    return 0.5 * (b->mass * vec_dot(x->v, x->v) + turning) - b->mass * vec_dot(scene->gravity, x->X_WB.p);
}

double scene_energy(const SceneData *scene, const SceneBodyState *states)
{
    double energy = 0.0;
    for (int i = 0; i < scene->nbodies; i++)
        energy += body_energy(scene, &scene->bodies[i], &states[i]);
    return energy;
}

/* The anchor where a body has carried it. */
static RgVec3 carried(const SceneData *scene, const SceneBodyState *states, int body, RgVec3 anchor)
{
    if (body == SCENE_WORLD)
        return anchor;
    return place_point(states[body].X_WB, place_point(place_inverse(scene->bodies[body].X_WB), anchor));
}

/* Engines without massless bodies fold them into others, and their poses are not known. */
static bool is_carrier(const SceneData *scene, int body)
{
    return body != SCENE_WORLD && scene_is_massless(&scene->bodies[body]);
}

double scene_joint_gap(const SceneData *scene, const SceneBodyState *states)
{
    double worst = 0.0;
    for (int i = 0; i < scene->njoints; i++) {
        const SceneJoint *j = &scene->joints[i];
        if (is_carrier(scene, j->parent) || is_carrier(scene, j->child))
            continue;
        RgVec3 a = carried(scene, states, j->parent, j->anchor);
        RgVec3 b = carried(scene, states, j->child, j->anchor);
        if (j->kind != SCENE_SLIDER)
            keep_larger(&worst, vec_distance(a, b));
    }
    return worst;
}

static RgVec3 moved(const SceneData *scene, const SceneBodyState *states, int body)
{
    return vec_sub(states[body].X_WB.p, scene->bodies[body].X_WB.p);
}

static double sideways(RgVec3 d)
{
    return sqrt(d.x * d.x + d.y * d.y);
}

/* Exact stacking of cubes puts the n-th level of 1 m at n + 1/2, whatever the gaps at the start. */
static double height_error(const SceneData *scene, const SceneBodyState *states)
{
    double worst = 0.0;
    for (int i = 0; i < scene->ntop; i++) {
        double start = scene->bodies[scene->top[i]].X_WB.p.z;
        keep_larger(&worst, fabs(states[scene->top[i]].X_WB.p.z - (floor(start) + 0.5)));
    }
    return worst;
}

/* How far the bodies at the top came down or up. */
static double largest_sink(const SceneData *scene, const SceneBodyState *states)
{
    double worst = 0.0;
    for (int i = 0; i < scene->ntop; i++)
        keep_larger(&worst, fabs(moved(scene, states, scene->top[i]).z));
    return worst;
}

static double overlap(const SceneData *scene, const SceneBodyState *states)
{
    double worst = 0.0, r = scene->shapes[0].size[0];
    for (int i = 0; i < scene->nbodies; i++) {
        keep_larger(&worst, r - states[i].X_WB.p.z);
        for (int k = 0; k < i; k++)
            keep_larger(&worst, 2.0 * r - vec_distance(states[i].X_WB.p, states[k].X_WB.p));
    }
    return worst;
}

static double largest_speed(const SceneData *scene, const SceneBodyState *states)
{
    double worst = 0.0;
    for (int i = 0; i < scene->nbodies; i++)
        keep_larger(&worst, vec_norm(states[i].v));
    return worst;
}

static double largest_shift(const SceneData *scene, const SceneBodyState *states, const int *bodies, int count)
{
    double worst = 0.0;
    for (int i = 0; i < count; i++)
        keep_larger(&worst, sideways(moved(scene, states, bodies != NULL ? bodies[i] : i)));
    return worst;
}

/* Sine: length of the axis' other components; cosine: its first one. */
static double largest_tilt(const SceneData *scene, const SceneBodyState *states)
{
    double worst = 0.0;
    for (int i = 0; i < scene->nbodies; i++) {
        const RgMat3 *R = &states[i].X_WB.R;
        double sine = sqrt(R->m[1][0] * R->m[1][0] + R->m[2][0] * R->m[2][0]);
        keep_larger(&worst, atan2(sine, R->m[0][0]));
    }
    return worst;
}

SceneMeasure scene_measure_begin(const SceneData *scene)
{
    SceneMeasure m = {.scene = scene, .scale = 1.0};
    if (scene->error != SCENE_ERROR_CHAIN)
        return m;

    /* What is set free between lying along x and hanging straight down from the origin; energy of the
       start. */
    m.scale = 0.0;
    for (int i = 0; i < scene->nbodies; i++) {
        const SceneBody *b = &scene->bodies[i];
        SceneBodyState start = scene_body_start(b);
        m.first_energy += body_energy(scene, b, &start);
        m.scale += b->mass * vec_norm(scene->gravity) * vec_norm(b->X_WB.p);
    }
    return m;
}

static bool is_finite(const SceneData *scene, const SceneBodyState *states)
{
    double sum = 0.0;
    for (int i = 0; i < scene->nbodies; i++)
        sum += vec_dot(states[i].X_WB.p, states[i].X_WB.p) + vec_dot(states[i].v, states[i].v);
    return isfinite(sum);
}

void scene_measure_sample(SceneMeasure *m, const SceneBodyState *states)
{
    const SceneData *s = m->scene;
    const double mm = 1e3;
    double *e = m->value;
    if (!is_finite(s, states)) {
        e[0] = e[1] = e[2] = (double)INFINITY;
        return;
    }
    switch (s->error) {
    case SCENE_ERROR_TOP:
        e[0] = mm * height_error(s, states);
        e[1] = mm * largest_shift(s, states, s->top, s->ntop);
        break;
    case SCENE_ERROR_WALL:
        e[0] = mm * height_error(s, states);
        e[1] = mm * largest_shift(s, states, NULL, s->nbodies);
        break;
    case SCENE_ERROR_TOWER:
        e[0] = mm * largest_sink(s, states);
        e[1] = mm * largest_shift(s, states, NULL, s->nbodies);
        break;
    case SCENE_ERROR_KICK:
        e[0] = mm * height_error(s, states);
        e[1] = largest_speed(s, states);
        break;
    case SCENE_ERROR_PILE:
        e[0] = mm * overlap(s, states);
        keep_larger(&e[1], e[0]);
        break;
    case SCENE_ERROR_CHAIN:
        keep_larger(&e[0], fabs(scene_energy(s, states) - m->first_energy) / m->scale);
        keep_larger(&e[1], mm * scene_joint_gap(s, states));
        break;
    case SCENE_ERROR_STAND:
        e[0] = mm * fabs(moved(s, states, 0).z);
        e[1] = mm * sideways(moved(s, states, 0));
        keep_larger(&e[2], mm * scene_joint_gap(s, states));
        break;
    case SCENE_ERROR_TILT:
        keep_larger(&e[0], largest_tilt(s, states));
        keep_larger(&e[1], mm * scene_joint_gap(s, states));
        break;
    }
}
