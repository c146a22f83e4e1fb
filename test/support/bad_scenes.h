/*
 * bad_scenes.h - states that no solver can like, as a table: where bodies stand, how they begin, how long a step
 * is, and how fast anything may become:
 *
 *   fastest = speed at the start + gravity over the whole run + push
 *
 * push: what the removal of overlaps, a limit or a motor may add, said with each scene.
 */
#ifndef TEST_SUPPORT_BAD_SCENES_H
#define TEST_SUPPORT_BAD_SCENES_H

#include <rigor/rigor.h>

typedef struct BadScene {
    const char *name;
    RgModel *(*build)(void);
    void (*start)(RgWorld *world); /* may be NULL */
    RgVec3 gravity;
    double h;
    int steps;
    double start_speed, push; /* m/s */
} BadScene;

extern const BadScene bad_scenes[]; /* the last has no name */

/* m/s: what the speed of every link must stay below, and the kinetic energy below that of all mass at it. */
double bad_scene_fastest(const BadScene *scene);

#endif
