/*
 * located_watch.h - looks into every inner step of a stepper that locates: the exact distances of all pairs that may
 * touch, at both ends and between, on the paths that it says its bodies took.
 */
#ifndef TEST_UNIT_LOCATED_WATCH_H
#define TEST_UNIT_LOCATED_WATCH_H

#include "check_near.h"
#include "sim/world_internal.h"
#include "touching.h"
#include "worlds.h"

#include <stdlib.h>
#include <string.h>

#define WATCH_TIMES 4 /* looks at an inner step */

typedef struct Watch {
    RgWorld *world;
    RgContactScene *scene; /* of its own */
    RgKin kin;
    double least; /* m: of all looks */
    double below; /* m: most by which a distance was less than the step said, of what is within its gap */
    long steps;
} Watch;

static inline double watch_distance(Watch *w)
{
    RgShapeDistance near[128];
    int count;
    double least = INFINITY;
    cr_assert(rg_contact_scene_place(w->scene, &w->kin) == RG_OK);
    cr_assert(rg_contact_scene_near(w->scene, 1e-3, near, 128, &count) == RG_OK && count <= 128);
    for (int i = 0; i < count; i++)
        least = fmin(least, near[i].distance.distance);
    return least;
}

static inline void watch_step(const RgInnerStep *step, void *context)
{
    Watch *w = context;
    if (step == NULL)
        return;
    w->steps++;
    for (int k = 0; k <= WATCH_TIMES; k++) {
        for (int i = 0; i < w->world->model->nbodies; i++) {
            RgBodyPath path;
            cr_assert(rg_body_path_between(&step->begin[i], &step->end[i], step->h, &path));
            w->kin.X_WB[i] = rg_body_path_pose(&path, step->h * k / WATCH_TIMES);
        }
        double distance = watch_distance(w);
        w->least = fmin(w->least, distance);
        double told = fmin(step->least_distance, w->world->scope.adapt.gap);
        w->below = fmax(w->below, told - distance);
    }
}

static inline void watch_begin(Watch *w, RgWorld *world)
{
    RgAllocator allocator = {0};
    RgError error = {0};
    int n = world->model->nbodies;
    *w = (Watch){.world = world, .least = INFINITY};
    w->scene = rg_contact_scene_create(world->model, &allocator, &error);
    cr_assert(w->scene != NULL, "%s", error.text);
    w->kin = (RgKin){
        .model = world->model, .X_WB = calloc((size_t)n, sizeof(RgPose)), .V = calloc((size_t)n, sizeof(RgMotion))};
    world->log.step_fn = watch_step;
    world->log.step_context = w;
}

static inline void watch_end(Watch *w)
{
    rg_contact_scene_destroy(w->scene);
    free(w->kin.X_WB);
    free(w->kin.V);
}

#endif
