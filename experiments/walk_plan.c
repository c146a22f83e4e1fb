/*
 * walk_plan.c - see walk_plan.h.
 *
 * Time is discretised by GRID: with k = (z/g) / GRID^2 the centre of mass obeys -k c[i-1] + (1 + 2k) c[i] - k c[i+1] =
 * p[i], c = p at both ends. The matrix is diagonally dominant, so Thomas' elimination is stable.
 */
#include "walk_plan.h"

#include <math.h>
#include <stdlib.h>

#define GRID 0.005 /* s */
#define REST 1.0   /* s: planned after the duration, to come to rest */
#define G 9.81
#define PI 3.14159265358979323846

struct WalkPlan {
    WalkDef def;
    int n;
    double *p, *c; /* n x 2 */
};

/* 0 to 1 with velocity and acceleration 0 at both ends. */
static double smooth(double s)
{
    return s <= 0.0 ? 0.0 : s >= 1.0 ? 1.0 : s * s * s * (10.0 + s * (6.0 * s - 15.0));
}

/* Number of steps that end within the duration, with time left to come to rest. */
static int steps_in(const WalkDef *def)
{
    double each = def->single + def->both;
    int fit = (int)floor((def->duration - def->settle - 2.0 * def->both) / each);
    return def->steps < fit ? def->steps : fit > 0 ? fit : 0;
}

/* The present or last step at t, and the time since its weight shift began; -1: none has begun. */
static int step_at(const WalkDef *def, double t, double *since)
{
    double each = def->single + def->both;
    int step = (int)floor((t - def->settle) / each);
    step = step < 0 || def->steps == 0 ? -1 : step >= def->steps ? def->steps : step;
    *since = t - def->settle - step * each;
    return step;
}

/* Foothold of a foot before step k; feet swing in turn, the left one first. */
static double foothold(const WalkDef *def, int foot, int k)
{
    int swings = foot == WALK_LEFT ? (k + 1) / 2 : k / 2;
    if (swings == 0)
        return 0.0;
    /* The first swing is one stride long, each later one two. */
    int last = foot == WALK_LEFT ? 2 * swings - 2 : 2 * swings - 1;
    return def->stride * (last + 1);
}

static RgVec3 standing(const WalkDef *def, int foot, int k)
{
    return (RgVec3){foothold(def, foot, k), foot == WALK_LEFT ? def->width : -def->width, 0.0};
}

/* Point of support in step k: under the standing foot; before the first and after the last step in the middle. */
static RgVec3 support(const WalkDef *def, int k)
{
    int before = k < 0 ? 0 : k < def->steps ? k : def->steps;
    RgVec3 left = standing(def, WALK_LEFT, before), right = standing(def, WALK_RIGHT, before);
    RgVec3 at = k < 0 || k >= def->steps ? (RgVec3){(left.x + right.x) / 2, 0.0, 0.0} : k % 2 == 0 ? right : left;
    at.x += def->ahead;
    return at;
}

/* A circle about p whose radius grows smoothly within a second. */
static RgVec3 swayed(const WalkDef *def, RgVec3 p, double t)
{
    double r = def->sway_period > 0.0 ? def->sway * smooth(t) : 0.0;
    double angle = r > 0.0 ? 2.0 * PI * t / def->sway_period : 0.0;
    return (RgVec3){p.x + r * cos(angle), p.y + r * sin(angle), 0.0};
}

static RgVec3 support_at(const WalkDef *def, double t)
{
    double since;
    int k = step_at(def, t, &since);
    if (k < 0)
        return swayed(def, support(def, -1), t);
    double s = smooth(since / def->both);
    RgVec3 from = support(def, k - 1), to = support(def, k);
    return (RgVec3){from.x + s * (to.x - from.x), from.y + s * (to.y - from.y), 0.0};
}

/* One column of the tridiagonal system; w: n, for the eliminated entries. */
static void solve_column(const WalkPlan *plan, int column, double k, double *w)
{
    const double *p = plan->p + column;
    double *c = plan->c + column;
    c[0] = p[0];
    w[0] = 0.0;
    for (int i = 1; i < plan->n - 1; i++) {
        double pivot = 1.0 + 2.0 * k - k * w[i - 1];
        w[i] = k / pivot;
        c[2 * i] = (p[2 * i] + k * c[2 * (i - 1)]) / pivot;
    }
    c[2 * (plan->n - 1)] = p[2 * (plan->n - 1)];
    for (int i = plan->n - 2; i > 0; i--)
        c[2 * i] += w[i] * c[2 * (i + 1)];
}

WalkPlan *walk_plan_create(const WalkDef *def)
{
    WalkPlan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return NULL;
    plan->def = *def;
    plan->def.steps = steps_in(def);
    plan->n = (int)ceil((def->duration + REST) / GRID) + 3;
    plan->p = calloc((size_t)plan->n * 2, sizeof *plan->p);
    plan->c = calloc((size_t)plan->n * 2, sizeof *plan->c);
    double *w = calloc((size_t)plan->n, sizeof *w);
    if (!plan->p || !plan->c || !w) {
        free(w);
        walk_plan_destroy(plan);
        return NULL;
    }
    for (int i = 0; i < plan->n; i++) {
        RgVec3 p = support_at(&plan->def, i * GRID);
        plan->p[2 * i] = p.x;
        plan->p[2 * i + 1] = p.y;
    }
    for (int column = 0; column < 2; column++)
        solve_column(plan, column, def->height / G / (GRID * GRID), w);
    free(w);
    return plan;
}

void walk_plan_destroy(WalkPlan *plan)
{
    if (!plan)
        return;
    free(plan->p);
    free(plan->c);
    free(plan);
}

double walk_plan_duration(const WalkPlan *plan)
{
    return plan->def.duration;
}

/* Position of a swinging foot. */
static RgVec3 swinging(const WalkDef *def, int foot, int k, double part)
{
    RgVec3 from = standing(def, foot, k), to = standing(def, foot, k + 1);
    double s = smooth(part), up = smooth(2.0 * (part < 0.5 ? part : 1.0 - part));
    return (RgVec3){from.x + s * (to.x - from.x), from.y, def->lift * up};
}

WalkSample walk_plan_at(const WalkPlan *plan, double t)
{
    const WalkDef *def = &plan->def;
    WalkSample out = {.stands = {true, true}};

    /* Interpolate linearly on the grid. */
    double x = fmin(fmax(t / GRID, 0.0), plan->n - 1.001);
    int i = (int)x;
    double s = x - i;
    const double *c0 = plan->c + 2 * i, *c1 = c0 + 2, *p0 = plan->p + 2 * i, *p1 = p0 + 2;
    out.com = (RgVec3){c0[0] + s * (c1[0] - c0[0]), c0[1] + s * (c1[1] - c0[1]), def->height};
    out.com_velocity = (RgVec3){(c1[0] - c0[0]) / GRID, (c1[1] - c0[1]) / GRID, 0.0};
    out.zmp = (RgVec3){p0[0] + s * (p1[0] - p0[0]), p0[1] + s * (p1[1] - p0[1]), 0.0};

    double since;
    int k = step_at(def, t, &since);
    for (int foot = 0; foot < WALK_FEET; foot++) {
        bool swings = k >= 0 && k < def->steps && since > def->both && foot == k % 2;
        out.stands[foot] = !swings;
        out.foot[foot] =
            swings ? swinging(def, foot, k, (since - def->both) / def->single) : standing(def, foot, k < 0 ? 0 : k);
    }
    return out;
}
