/* sensors_parts.h - shared by the cases of published-sensors. */
#ifndef RIGOR_EXPERIMENT_SENSORS_PARTS_H
#define RIGOR_EXPERIMENT_SENSORS_PARTS_H

#include "bodies.h"
#include "published.h"

/* A world under Gazebo's gravity, 9.8 m/s^2. */
static inline RgWorld *sensors_world(Lab *lab, const RgModel *model, const char *coords, const char *stepper)
{
    PublishedWay way = {.coords = coords, .stepper = stepper};
    return published_world(lab, model, &way, (RgVec3){0.0, 0.0, -9.8});
}

/* The box that is pushed and stays: corner forces, and their ranges. */
void sensors_box(Lab *lab);

#endif
