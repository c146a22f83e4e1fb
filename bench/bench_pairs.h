/*
 * bench_pairs.h - moving pairs of shapes, the same for Rigor's table and for the comparison with other libraries.
 *
 * Each pair of shapes is taken along BENCH_PATHS random ways of BENCH_STEPS poses. Between two steps B
 * turns by about 0.01 rad and moves by about 0.01 of its size, then it is moved along the line of its way
 * until the distance is the wanted one. Queries go step by step through all ways, as a simulation does.
 */
#ifndef BENCH_BENCH_PAIRS_H
#define BENCH_BENCH_PAIRS_H

#include <rigor/collision.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_PATHS 64
#define BENCH_STEPS 32
#define BENCH_QUERIES (BENCH_PATHS * BENCH_STEPS)

/* Which shapes; which gap. All are about 1 m wide. */
typedef enum BenchShapes {
    BENCH_BOXES,
    BENCH_POLYTOPES_30,
    BENCH_POLYTOPES_1000,
    BENCH_CAPSULE_BOX,
    BENCH_SHAPES
} BenchShapes;
typedef enum BenchGap { BENCH_APART, BENCH_TOUCH_OUT, BENCH_TOUCH_IN, BENCH_GAPS } BenchGap;
extern const char *const bench_shapes_name[BENCH_SHAPES];
extern const char *const bench_gap_name[BENCH_GAPS]; /* 0.1 ... 1 m, +1e-6 m, -1e-6 m */

typedef struct BenchPairs {
    RgShapeDef def_a, def_b; /* points of polytopes are owned by this */
    RgGeometry *a, *b;
    RgPose *X_WA, *X_WB; /* BENCH_QUERIES each; query step * BENCH_PATHS + path */
} BenchPairs;

/* NULL geometries: out of memory or refused. */
BenchPairs bench_pairs_create(BenchShapes shapes, BenchGap gap);
void bench_pairs_destroy(BenchPairs *pairs);

#ifdef __cplusplus
}
#endif
#endif
