/*
 * scene_precision.c - scenes for work against precision: small, and each with a motion that is known.
 *
 *   double-pendulum   two rods of 1 m and 1 kg on hinges about y, from horizontal, at rest; 3 s
 *   ball              ball of 0.1 m thrown at 1 m/s from 0.5 m above the floor, mu 0.05: it lands, slides, rolls; 1 s
 *   ball-bounce       the same with restitution 0.5: it bounces until it rolls; 1.2 s
 *   ten-balls         five balls on the floor, five dropped among them, mu 0.3, no restitution; 0.8 s
 *   sliding-sphere    ball of 0.1 m on the floor, sent sliding at 2 m/s, mu 0.2: rolls from 2 v0 / (7 mu g) on; 1 s
 *   box-slope         box on a slope of 5 : 12, mu 0.2: slides from rest; 1 s
 *   box-stop          two boxes on that slope, mu 0.6: one is at rest, one starts at 2 m/s, slides and stops; 1.5 s
 *
 * The slope is the floor with gravity turned. Boxes and balls that never meet are of one group, so that engines that
 * want every pair declared can take part.
 */
#include "scene_build.h"

#include <string.h>

/* Bodies start at rest; steps of 1 ms. */
static SceneData *timed(SceneData *s, double time)
{
    s->dt = 1e-3;
    s->steps = (int)(time / s->dt + 0.5);
    s->has_floor = s->nshapes > 0;
    return s;
}

static SceneData *double_pendulum(const char *name)
{
    const RgVec3 axis_y = {0.0, 1.0, 0.0};
    SceneData *s = scene_new(name, "double pendulum from horizontal", 2, 2);
    for (int i = 0; i < 2; i++) {
        int rod = scene_add_body(s, 1.0, vec(0.0025, 1.0 / 12.0, 1.0 / 12.0), place_at(i + 0.5, 0.0, 0.0));
        s->bodies[rod].group = 0;
        scene_add_hinge(s, i - 1, rod, vec(i, 0.0, 0.0), axis_y);
    }
    return timed(s, 3.0);
}

static SceneData *thrown_ball(const char *name, double restitution)
{
    SceneData *s = scene_new(
        name, restitution > 0.0 ? "ball that bounces, slides, rolls" : "ball that lands, slides, rolls", 1, 0);
    int ball = scene_add_ball(s, 1.0, 0.1, vec(0.0, 0.0, 0.6));
    s->bodies[ball].v = vec(1.0, 0.0, 0.0);
    s->bodies[ball].group = 0;
    s->mu = 0.05;
    s->restitution = restitution;
    return timed(s, restitution > 0.0 ? 1.2 : 1.0);
}

static SceneData *sliding_sphere(const char *name)
{
    SceneData *s = scene_new(name, "sphere that slides, then rolls", 1, 0);
    int ball = scene_add_ball(s, 1.0, 0.1, vec(0.0, 0.0, 0.1));
    s->bodies[ball].v = vec(2.0, 0.0, 0.0);
    s->bodies[ball].group = 0;
    s->mu = 0.2;
    return timed(s, 1.0);
}

/* Those that fall hit those below off their centres, at times of their own: no two impacts fall together. */
static SceneData *ten_balls(const char *name)
{
    static const double place[10][3] = {
        {0.00, 0.00, 0.10},   {0.33, 0.04, 0.10},  {-0.03, 0.34, 0.10}, {-0.35, -0.06, 0.10}, {0.06, -0.33, 0.10},
        {-0.06, -0.05, 0.42}, {0.40, -0.01, 0.55}, {-0.09, 0.39, 0.63}, {-0.40, -0.13, 0.49}, {0.13, -0.36, 0.58}};
    SceneData *s = scene_new(name, "ten balls: five dropped among five", 10, 0);
    for (int i = 0; i < 10; i++)
        scene_add_ball(s, 1.0, 0.1, vec(place[i][0], place[i][1], place[i][2]));
    s->mu = 0.3;
    return timed(s, 0.8);
}

static SceneData *sloped(SceneData *s, double mu)
{
    s->gravity = vec(9.81 * 5.0 / 13.0, 0.0, -9.81 * 12.0 / 13.0);
    s->mu = mu;
    for (int i = 0; i < s->nbodies; i++)
        s->bodies[i].group = 0;
    return s;
}

static SceneData *box_slope(const char *name)
{
    SceneData *s = scene_new(name, "box that slides down a slope", 1, 0);
    scene_add_box(s, 1.0, vec(0.4, 0.3, 0.2), place_at(0.0, 0.0, 0.1));
    return timed(sloped(s, 0.2), 1.0);
}

static SceneData *box_stop(const char *name)
{
    SceneData *s = scene_new(name, "box that is held, and one that slides and stops", 2, 0);
    int pushed = scene_add_box(s, 1.0, vec(0.4, 0.3, 0.2), place_at(0.0, 0.0, 0.1));
    scene_add_box(s, 1.0, vec(0.4, 0.3, 0.2), place_at(0.0, 1.0, 0.1));
    s->bodies[pushed].v = vec(2.0, 0.0, 0.0);
    return timed(sloped(s, 0.6), 1.5);
}

SceneData *scene_of_precision(const char *name)
{
    if (strcmp(name, "double-pendulum") == 0)
        return double_pendulum(name);
    if (strcmp(name, "ball") == 0)
        return thrown_ball(name, 0.0);
    if (strcmp(name, "ball-bounce") == 0)
        return thrown_ball(name, 0.5);
    if (strcmp(name, "ten-balls") == 0)
        return ten_balls(name);
    if (strcmp(name, "sliding-sphere") == 0)
        return sliding_sphere(name);
    if (strcmp(name, "box-slope") == 0)
        return box_slope(name);
    if (strcmp(name, "box-stop") == 0)
        return box_stop(name);
    return NULL;
}
