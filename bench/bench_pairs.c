/* bench_pairs.c - see bench_pairs.h. */
#include "bench_pairs.h"

#include "draw.h"

#include <stdlib.h>

const char *const bench_shapes_name[BENCH_SHAPES] = {"box-box", "polytope 30", "polytope 1000", "capsule-box"};
const char *const bench_gap_name[BENCH_GAPS] = {"apart", "touching +1e-6", "touching -1e-6"};

/* Points spread over an ellipsoid of axes 1, 0.8, 0.6. */
static RgShapeDef polytope(Draw *d, int count)
{
    RgShapeDef def = rg_shape_def_default();
    double *points = malloc(3 * (size_t)count * sizeof *points);
    def.type = RG_SHAPE_polytope;
    def.size[0] = def.size[1] = def.size[2] = 1.0;
    for (int i = 0; i < count && points != NULL; i++) {
        RgVec3 p = draw_direction(d);
        points[3 * i] = 0.5 * p.x;
        points[3 * i + 1] = 0.4 * p.y;
        points[3 * i + 2] = 0.3 * p.z;
    }
    def.mesh.vertices = points;
    def.mesh.nvertices = points != NULL ? count : 0;
    return def;
}

static RgShapeDef primitive(RgShapeType type, double x, double y, double z)
{
    RgShapeDef def = rg_shape_def_default();
    def.type = type;
    def.size[0] = x;
    def.size[1] = y;
    def.size[2] = z;
    return def;
}

static RgPose small_motion(Draw *d)
{
    return (RgPose){mat_turn(draw_direction(d), draw_between(d, 0.0, 0.02)), draw_vec(d, 0.01)};
}

/* Moves B along u until its distance from A is the gap: the distance is a convex function of the way, so
   its greatest root lies between the place of A and far away. */
static void set_gap(BenchPairs *p, int i, RgVec3 u, double gap)
{
    RgPlaced A = {p->a, p->X_WA[i]}, B = {p->b, p->X_WB[i]};
    RgVec3 from = p->X_WA[i].p;
    double near = 0.0, far = 4.0 + gap;
    for (int k = 0; k < 80; k++) {
        double way = 0.5 * (near + far);
        RgDistance r;
        B.X_WG.p = vec_add(from, vec_scale(way, u));
        if (rg_distance(&A, &B, NULL, &r) != RG_OK)
            break;
        *(r.distance > gap ? &far : &near) = way;
    }
    p->X_WB[i].p = B.X_WG.p;
}

static void make_path(BenchPairs *p, int path, BenchGap gap, Draw *d)
{
    RgVec3 u = draw_direction(d);
    RgPose X_WA = draw_pose(d, 1.0), X_WB = draw_pose(d, 1.0);
    double wanted = gap == BENCH_APART ? pow(10.0, draw_between(d, -1.0, 0.0)) : gap == BENCH_TOUCH_OUT ? 1e-6 : -1e-6;
    for (int step = 0; step < BENCH_STEPS; step++) {
        int i = step * BENCH_PATHS + path;
        RgPose turn = small_motion(d);
        X_WB.R = mat_mul(turn.R, X_WB.R);
        u = vec_add(u, turn.p);
        u = vec_scale(1.0 / vec_norm(u), u);
        p->X_WA[i] = X_WA;
        p->X_WB[i] = X_WB;
        set_gap(p, i, u, wanted);
    }
}

BenchPairs bench_pairs_create(BenchShapes shapes, BenchGap gap)
{
    BenchPairs p = {.a = NULL};
    Draw d = draw_seed(100 + (uint64_t)shapes);
    p.def_a = p.def_b = primitive(RG_SHAPE_box, 1.0, 0.8, 0.6);
    if (shapes == BENCH_POLYTOPES_30 || shapes == BENCH_POLYTOPES_1000) {
        int count = shapes == BENCH_POLYTOPES_30 ? 30 : 1000;
        p.def_a = polytope(&d, count);
        p.def_b = polytope(&d, count);
    } else if (shapes == BENCH_CAPSULE_BOX) {
        p.def_a = primitive(RG_SHAPE_capsule, 0.2, 0.6, 0.0);
    }
    p.X_WA = malloc(BENCH_QUERIES * sizeof *p.X_WA);
    p.X_WB = malloc(BENCH_QUERIES * sizeof *p.X_WB);
    rg_geometry_create(&p.def_a, NULL, &p.a, NULL);
    rg_geometry_create(&p.def_b, NULL, &p.b, NULL);
    if (p.X_WA == NULL || p.X_WB == NULL || p.a == NULL || p.b == NULL) {
        bench_pairs_destroy(&p);
        return p;
    }
    for (int path = 0; path < BENCH_PATHS; path++)
        make_path(&p, path, gap, &d);
    return p;
}

void bench_pairs_destroy(BenchPairs *p)
{
    rg_geometry_destroy(p->a);
    rg_geometry_destroy(p->b);
    free((double *)p->def_a.mesh.vertices); /* NOLINT */
    free((double *)p->def_b.mesh.vertices); /* NOLINT */
    free(p->X_WA);
    free(p->X_WB);
    *p = (BenchPairs){.a = NULL};
}
