/*
 * bench_boxes.h - 10,000 boxes that fly and turn, for the broad phase: Rigor's own table and the one beside
 * Bullet.
 *
 * Boxes 0.5 to 1.5 m long in a cube of 60 m, velocities up to the given speed, rates up to as many rad/s, 100
 * frames a second, thrown back by the walls. About 6,000 pairs of bounding boxes overlap at any time.
 */
#ifndef BENCH_BENCH_BOXES_H
#define BENCH_BENCH_BOXES_H

#include <rigor/collision.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_BOXES_COUNT 10000

typedef struct BenchBox {
    RgVec3 full, velocity, axis;
    double rate;
    RgPose X_WB;
    RgVec3 low, high; /* its bounding box; bench_boxes_overlaps brings it up to date */
} BenchBox;

BenchBox *bench_boxes_create(double speed); /* BENCH_BOXES_COUNT of them, free() them; NULL: no memory */
void bench_boxes_move(BenchBox *boxes);     /* one frame */

/* Number of pairs whose bounding boxes overlap, by sorting along x and sweeping. */
int bench_boxes_overlaps(BenchBox *boxes);
bool bench_boxes_touch(const BenchBox *a, const BenchBox *b);

/* A space with all of them; geometries (BENCH_BOXES_COUNT) and colliders are filled. NULL: failed. */
RgSpace *bench_boxes_space(const BenchBox *boxes, RgGeometry **geometries, RgColliderId *colliders);

#ifdef __cplusplus
}
#endif
#endif
