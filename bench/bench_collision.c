/*
 * bench_collision.c - ns per distance query, single thread, and the broad phase of 10,000 moving boxes.
 *
 * Poses are those of bench_pairs.h. Cold: without cache. Warm: the cache of the pair's last
 * query, B having moved a little since. Hit: rg_within at margin 0. Time: best of several rounds through all
 * 2,048 queries. Error: largest difference from an oracle in long double (test/support/convex_oracle.h)
 * over a few queries; its bounds are proven where the shapes are apart. Broad phase (bench_boxes.h): median
 * time of a frame; the number of pairs must be that of a sweep.
 */
#include "bench.h"
#include "bench_boxes.h"
#include "bench_pairs.h"
#include "convex_oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define JUDGED 64      /* queries compared with the oracle */
#define JUDGED_LARGE 3 /* of polytopes of 1000 vertices that overlap: a second each */

static double checksum[BENCH_QUERIES];

/* One round through all queries; caches NULL: cold. Returns seconds. */
static double distance_round(const BenchPairs *p, RgPairCache *caches)
{
    RgPlaced A = {p->a, rg_pose_identity()}, B = {p->b, rg_pose_identity()};
    double start = bench_now();
    for (int i = 0; i < BENCH_QUERIES; i++) {
        RgDistance r;
        A.X_WG = p->X_WA[i];
        B.X_WG = p->X_WB[i];
        rg_distance(&A, &B, caches != NULL ? &caches[i % BENCH_PATHS] : NULL, &r);
        checksum[i] = r.distance;
    }
    return bench_now() - start;
}

static double distance_time(const BenchPairs *p, bool warm, int rounds)
{
    RgPairCache caches[BENCH_PATHS];
    double best = INFINITY;
    for (int k = 0; k < rounds; k++) {
        memset(caches, 0, sizeof caches);
        best = fmin(best, distance_round(p, warm ? caches : NULL));
    }
    return 1e9 * best / BENCH_QUERIES;
}

/* Hit or not: rg_within at margin 0. */
static double within_time(const BenchPairs *p, bool warm, int rounds)
{
    double best = INFINITY;
    for (int k = 0; k < rounds; k++) {
        RgPairCache caches[BENCH_PATHS];
        memset(caches, 0, sizeof caches);
        RgPlaced A = {p->a, rg_pose_identity()}, B = {p->b, rg_pose_identity()};
        double start = bench_now();
        for (int i = 0; i < BENCH_QUERIES; i++) {
            bool hit = false;
            A.X_WG = p->X_WA[i];
            B.X_WG = p->X_WB[i];
            rg_within(&A, &B, 0.0, warm ? &caches[i % BENCH_PATHS] : NULL, &hit);
            checksum[i] = hit;
        }
        best = fmin(best, bench_now() - start);
    }
    return 1e9 * best / BENCH_QUERIES;
}

/* Queries whose answer is not the one that the gap of the bench asks for. */
static int within_wrong(BenchGap gap)
{
    int wrong = 0;
    for (int i = 0; i < BENCH_QUERIES; i++)
        wrong += (checksum[i] != 0.0) != (gap == BENCH_TOUCH_IN);
    return wrong;
}

/* Largest distance from the oracle's bounds over some of the queries. */
static double distance_error(const BenchPairs *p, BenchShapes shapes, BenchGap gap, bool quick)
{
    RgPolytopeView view_a = rg_geometry_polytope(p->a, 0), view_b = rg_geometry_polytope(p->b, 0);
    bool large = shapes == BENCH_POLYTOPES_1000;
    OracleShape *a = oracle_create(&p->def_a, large ? &view_a : NULL);
    OracleShape *b = oracle_create(&p->def_b, large ? &view_b : NULL);
    bench_expect(a != NULL && b != NULL, "the oracle's hull");
    int count = !large || gap != BENCH_TOUCH_IN ? JUDGED : quick ? 1 : JUDGED_LARGE;
    double worst = 0.0;
    for (int k = 0; k < count; k++) {
        int i = k * (BENCH_QUERIES / count);
        RgPlaced A = {p->a, p->X_WA[i]}, B = {p->b, p->X_WB[i]};
        RgDistance r;
        bench_expect(rg_distance(&A, &B, NULL, &r) == RG_OK, "rg_distance");
        oracle_move(a, &A.X_WG);
        oracle_move(b, &B.X_WG);
        OracleBounds truth = r.distance > 0.0 ? oracle_proof(a, b, &r) : oracle_bounds(a, b, &r);
        worst = fmax(worst, fmax(fabs(r.distance - truth.lower), fabs(r.distance - truth.upper)));
    }
    oracle_destroy(a);
    oracle_destroy(b);
    return worst;
}

static void distance_rows(BenchOut *out, BenchShapes shapes, BenchGap gap)
{
    BenchPairs p = bench_pairs_create(shapes, gap);
    bench_expect(p.a != NULL, bench_shapes_name[shapes]);
    double error = distance_error(&p, shapes, gap, out->quick);
    for (int warm = 0; warm < 2; warm++) {
        BenchRow row = {.scene = bench_shapes_name[shapes], .what = bench_gap_name[gap], .unit = "ns"};
        row.coords = warm ? "warm" : "cold";
        row.value = distance_time(&p, warm != 0, out->quick ? 3 : 30);
        row.error = error;
        row.error_unit = "m";
        row.hash = bench_hash(checksum, BENCH_QUERIES);
        bench_row(out, &row);
    }
    for (int warm = 0; warm < 2; warm++) {
        BenchRow row = {.scene = bench_shapes_name[shapes], .what = bench_gap_name[gap], .unit = "ns"};
        row.coords = warm ? "hit, warm" : "hit, cold";
        row.value = within_time(&p, warm != 0, out->quick ? 3 : 30);
        row.error = within_wrong(gap);
        row.error_unit = "wrong";
        row.hash = bench_hash(checksum, BENCH_QUERIES);
        bench_row(out, &row);
    }
    bench_pairs_destroy(&p);
}

/* ------------------------------------------------------------------ broad phase */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void space_row(BenchOut *out, double speed, const char *what)
{
    static RgGeometry *geometries[BENCH_BOXES_COUNT];
    static RgColliderId colliders[BENCH_BOXES_COUNT];
    double times[200];
    int frames = out->quick ? 40 : 200, wrong = 0;
    BenchBox *boxes = bench_boxes_create(speed);
    RgSpace *space = boxes != NULL ? bench_boxes_space(boxes, geometries, colliders) : NULL;
    bench_expect(space != NULL, "the space");
    const RgColliderPair *pairs = NULL;
    int32_t count = 0;
    for (int k = 0; k < frames; k++) {
        bench_boxes_move(boxes);
        double start = bench_now();
        for (int i = 0; i < BENCH_BOXES_COUNT; i++)
            rg_space_move(space, colliders[i], &boxes[i].X_WB);
        bench_expect(rg_space_pairs(space, 0.0, &pairs, &count) == RG_OK, "rg_space_pairs");
        times[k] = 1e6 * (bench_now() - start);
        if (k % 20 == 19)
            wrong += abs(count - bench_boxes_overlaps(boxes));
    }
    for (int i = 0; i < count && i < BENCH_QUERIES; i++)
        checksum[i] = (double)pairs[i].a.i * BENCH_BOXES_COUNT + pairs[i].b.i;
    qsort(times, (size_t)frames, sizeof *times, by_value);
    BenchRow row = {.scene = "10,000 boxes", .what = what, .coords = "", .value = times[frames / 2], .unit = "us"};
    row.error = wrong;
    row.error_unit = "pairs";
    row.hash = bench_hash(checksum, count < BENCH_QUERIES ? count : BENCH_QUERIES);
    bench_row(out, &row);
    rg_space_destroy(space);
    for (int i = 0; i < BENCH_BOXES_COUNT; i++)
        rg_geometry_destroy(geometries[i]);
    free(boxes);
}

void bench_collision(BenchOut *out)
{
    bench_title(out, "Distance of two convex shapes",
                "cold: nothing known; warm: cache of the last query. Error: against the oracle.");
    for (int shapes = 0; shapes < BENCH_SHAPES; shapes++)
        for (int gap = 0; gap < BENCH_GAPS; gap++)
            distance_rows(out, (BenchShapes)shapes, (BenchGap)gap);
    bench_title(out, "Broad phase", "update and pairs, one frame. Error: pairs missed or too many.");
    space_row(out, 1.0, "up to 1 m/s");
    space_row(out, 10.0, "up to 10 m/s");
}
