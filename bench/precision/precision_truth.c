/*
 * precision_truth.c - true poses of the bodies of a scene.
 *
 * Closed forms. A ball (radius R, moment 2/5 m R^2) in flight is on a parabola and keeps its spin. Landing at vn with
 * slip s = vx - R w it takes the impulses m (1 + e) vn and, against the slip, the lesser of mu m (1 + e) vn and 2/7 m
 * |s| (which ends it). Below 0.01 m/s it does not bounce (the default of restitution_threshold). On the floor it slides
 * with -mu g sign(s), w' = 5/2 mu g sign(s) / R, until the slip is gone after 2 |s| / (7 mu g), then rolls. A box on a
 * slope of sine S and cosine C slides with g (S - mu C) until it stops, if it does and mu >= S / C.
 *
 * The pendulum: stepper `reference`, tolerance 1e-13; its error is the difference to tolerance 1e-11.
 *
 * Ten balls: the finest run of auto, its error the difference to a coarser one; where it is not in the build, plain
 * steps, extrapolated from two lengths. A run of plain steps tells until when another method agrees with it.
 */
#include "precision.h"
#include "vectors.h"

#include <rigor/rigor.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const precision_scenes[] = {"double-pendulum", "ball",      "ball-bounce", "ten-balls",
                                        "sliding-sphere",  "box-slope", "box-stop",    NULL};

/* m/s: approach below which nothing bounces. */
#define THRESHOLD 0.01

/* ------------------------------------------------------------------ closed forms */

typedef struct Ball {
    double t, x, z, vx, vz, w, angle; /* z: height of its lowest point */
    double radius, mu, e, g;
} Ball;

static void fly(Ball *b, double h)
{
    b->x += h * b->vx;
    b->z += h * b->vz - 0.5 * b->g * h * h;
    b->vz -= b->g * h;
    b->angle += h * b->w;
    b->t += h;
}

static void land(Ball *b)
{
    double vn = -b->vz, normal = (1.0 + (vn > THRESHOLD ? b->e : 0.0)) * vn;
    double slip = b->vx - b->radius * b->w;
    double across = -copysign(fmin(b->mu * normal, 2.0 / 7.0 * fabs(slip)), slip);
    b->vx += across;
    b->w -= 2.5 * across / b->radius;
    b->vz += normal;
    b->z = 0.0;
    if (!(vn > THRESHOLD) || b->e == 0.0)
        b->vz = 0.0;
}

/* With the acceleration a across. */
static void slide(Ball *b, double h, double a)
{
    double turn = -2.5 * a / b->radius;
    b->x += h * b->vx + 0.5 * a * h * h;
    b->vx += a * h;
    b->angle += h * b->w + 0.5 * turn * h * h;
    b->w += turn * h;
    b->t += h;
}

static SceneBodyState ball_at(const SceneData *scene, double end)
{
    const SceneBody *body = &scene->bodies[0];
    double radius = scene->shapes[0].size[0];
    Ball b = {.x = body->X_WB.p.x,
              .z = body->X_WB.p.z - radius,
              .vx = body->v.x,
              .radius = radius,
              .mu = scene->mu,
              .e = scene->restitution,
              .g = -scene->gravity.z};
    while (b.t < end && (b.z > 0.0 || b.vz > 0.0)) {
        double lands = (b.vz + sqrt(b.vz * b.vz + 2.0 * b.g * b.z)) / b.g;
        fly(&b, fmin(lands, end - b.t));
        if (b.t < end)
            land(&b);
    }
    double slip = b.vx - b.radius * b.w;
    if (b.t < end)
        slide(&b, fmin(2.0 / 7.0 * fabs(slip) / (b.mu * b.g), end - b.t), -copysign(b.mu * b.g, slip));
    if (b.t < end)
        slide(&b, end - b.t, 0.0);
    double s = sin(b.angle), c = cos(b.angle);
    SceneBodyState out = {.X_WB = {{{{c, 0.0, s}, {0.0, 1.0, 0.0}, {-s, 0.0, c}}}, {b.x, 0.0, b.z + radius}}};
    return out;
}

static SceneBodyState box_at(const SceneData *scene, int body, double t)
{
    const SceneBody *b = &scene->bodies[body];
    SceneBodyState out = scene_body_start(b);
    double a = scene->gravity.x + scene->mu * scene->gravity.z, v = b->v.x;
    if (a < 0.0)
        t = fmin(t, -v / a);
    out.X_WB.p.x += v * t + 0.5 * a * t * t;
    return out;
}

/* ------------------------------------------------------------------ by runs */

static double size_of_motion(const SceneData *scene, const SceneBodyState *states)
{
    double size = 0.0;
    for (int i = 0; i < SAMPLES * scene->nbodies; i++) {
        const SceneBody *b = &scene->bodies[i % scene->nbodies];
        size = fmax(size, vec_distance(states[i].X_WB.p, b->X_WB.p));
    }
    return size;
}

double error_at(const SceneData *scene, const Truth *truth, int sample, const SceneBodyState *states)
{
    double largest = 0.0;
    for (int i = 0; i < scene->nbodies; i++) {
        const SceneBody *b = &scene->bodies[i];
        const RgPose *is = &states[i].X_WB, *should = &truth->states[sample * scene->nbodies + i].X_WB;
        double out = sqrt((b->moments.x + b->moments.y + b->moments.z) / (2.0 * b->mass));
        RgVec3 shift = vec_sub(is->p, should->p);
        double worst = vec_norm(shift);
        for (int k = 0; k < 3; k++) {
            RgVec3 turn = {out * (is->R.m[0][k] - should->R.m[0][k]), out * (is->R.m[1][k] - should->R.m[1][k]),
                           out * (is->R.m[2][k] - should->R.m[2][k])};
            worst = fmax(worst, vec_norm(vec_add(shift, turn)));
        }
        largest = isfinite(worst) ? fmax(largest, worst) : worst;
        if (!isfinite(largest))
            break;
    }
    return largest / truth->size;
}

static double largest_error(const SceneData *scene, const Truth *truth, const SceneBodyState *states)
{
    double largest = 0.0;
    for (int i = 0; i < SAMPLES; i++)
        largest = fmax(largest, error_at(scene, truth, i, states + i * scene->nbodies));
    return largest;
}

static SceneBodyState *room(const SceneData *scene)
{
    SceneBodyState *states = calloc((size_t)SAMPLES * (size_t)scene->nbodies, sizeof *states);
    if (states == NULL)
        abort();
    return states;
}

static Method our_method(const char *stepper, const char *solver, Knob knob)
{
    Method m = {.knob = knob, .stepper = stepper, .solver = solver, .coords = "minimal", .order = 2};
    return m;
}

static void expect(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "rigor-bench-precision: %s was refused\n", what);
    exit(1);
}

static void truth_of_pendulum(const SceneData *scene, Truth *t)
{
    Method m = our_method("reference", "quick", KNOB_TOLERANCE);
    SceneBodyState *coarse = room(scene);
    expect(run_states(&m, scene->name, 1e-13, t->states), "reference");
    expect(run_states(&m, scene->name, 1e-11, coarse), "reference");
    t->size = size_of_motion(scene, t->states);
    t->error = largest_error(scene, t, coarse);
    snprintf(t->text, sizeof t->text, "stepper reference, tolerance 1e-13 (against 1e-11)");
    free(coarse);
}

static bool have_stepper(const char *name)
{
    for (int i = 0; i < rg_stepper_count(); i++)
        if (strcmp(rg_stepper_name(i), name) == 0)
            return true;
    return false;
}

/* Positions by plain steps of h and h/2, extrapolated to h = 0: 2 x(h/2) - x(h). Turns are those of h/2. */
static void extrapolate(const SceneData *scene, const SceneBodyState *coarse, SceneBodyState *fine)
{
    for (int i = 0; i < SAMPLES * scene->nbodies; i++) {
        RgVec3 *p = &fine[i].X_WB.p;
        *p = vec_sub(vec_scale(2.0, *p), coarse[i].X_WB.p);
    }
}

static void truth_of_balls(const SceneData *scene, Truth *t, bool quick)
{
    SceneBodyState *plain = room(scene), *coarse = room(scene);
    int steps = quick ? 20000 : 200000;
    Method m = our_method("semi-implicit", "cone", KNOB_STEPS);
    expect(run_states(&m, scene->name, steps, plain), "semi-implicit");
    bool located = have_stepper("auto");
    if (located) {
        Method fine = our_method("auto", "cone", KNOB_TOLERANCE);
        double accuracy = quick ? 1e-6 : 1e-7;
        expect(run_states(&fine, scene->name, accuracy, t->states), "auto");
        expect(run_states(&fine, scene->name, 10.0 * accuracy, coarse), "auto");
        snprintf(t->text, sizeof t->text, "auto, solver cone, accuracy %.0e (against ten times that)", accuracy);
    } else {
        expect(run_states(&m, scene->name, 0.5 * steps, coarse), "semi-implicit");
        memcpy(t->states, plain, (size_t)SAMPLES * (size_t)scene->nbodies * sizeof *plain);
        extrapolate(scene, coarse, t->states);
        memcpy(coarse, plain, (size_t)SAMPLES * (size_t)scene->nbodies * sizeof *plain);
        snprintf(t->text, sizeof t->text, "semi-implicit, %d steps, extrapolated (against not extrapolated)", steps);
    }
    t->size = size_of_motion(scene, t->states);
    t->error = largest_error(scene, t, coarse);
    t->agree = 0.0;
    for (int i = 0; i < SAMPLES && error_at(scene, t, i, plain + i * scene->nbodies) < 1e-2; i++)
        t->agree = (i + 1) * scene->dt * scene->steps / SAMPLES;
    free(plain);
    free(coarse);
}

/* ------------------------------------------------------------------ public */

Truth find_truth(const SceneData *scene, bool quick)
{
    double time = scene->dt * scene->steps;
    Truth t = {.nbodies = scene->nbodies, .states = room(scene), .agree = time, .text = "closed form"};
    if (scene->njoints > 0)
        truth_of_pendulum(scene, &t);
    else if (scene->nbodies > 2)
        truth_of_balls(scene, &t, quick);
    else
        for (int i = 0; i < SAMPLES * scene->nbodies; i++) {
            int sample = i / scene->nbodies;
            double at = time * (sample + 1) / SAMPLES;
            t.states[i] =
                scene->shapes[0].kind == SCENE_SPHERE ? ball_at(scene, at) : box_at(scene, i % scene->nbodies, at);
        }
    t.size = size_of_motion(scene, t.states);
    return t;
}

void free_truth(Truth *truth)
{
    free(truth->states);
    truth->states = NULL;
}
