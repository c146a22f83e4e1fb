/* bench_boxes.c - see bench_boxes.h. */
#include "bench_boxes.h"

#include "draw.h"

#include <stdlib.h>

#define SIDE 60.0 /* m, of the cube */
#define STEP 0.01 /* s */

BenchBox *bench_boxes_create(double speed)
{
    BenchBox *boxes = calloc(BENCH_BOXES_COUNT, sizeof *boxes);
    Draw d = draw_seed(42);
    for (int i = 0; i < BENCH_BOXES_COUNT && boxes != NULL; i++) {
        BenchBox *b = &boxes[i];
        b->full = vec_add(vec(1.0, 1.0, 1.0), draw_vec(&d, 0.5));
        b->velocity = draw_vec(&d, speed);
        b->axis = draw_direction(&d);
        b->rate = draw_between(&d, 0.0, speed);
        b->X_WB = draw_pose(&d, 0.5 * SIDE);
    }
    return boxes;
}

static void reflect(double x, double *v)
{
    if (fabs(x) > 0.5 * SIDE && x * *v > 0.0)
        *v = -*v;
}

void bench_boxes_move(BenchBox *boxes)
{
    for (int i = 0; i < BENCH_BOXES_COUNT; i++) {
        BenchBox *b = &boxes[i];
        RgVec3 *p = &b->X_WB.p;
        b->X_WB.R = mat_mul(mat_turn(b->axis, b->rate * STEP), b->X_WB.R);
        *p = vec_add(*p, vec_scale(STEP, b->velocity));
        reflect(p->x, &b->velocity.x);
        reflect(p->y, &b->velocity.y);
        reflect(p->z, &b->velocity.z);
    }
}

static double reach(const double row[3], RgVec3 full)
{
    return 0.5 * (fabs(row[0]) * full.x + fabs(row[1]) * full.y + fabs(row[2]) * full.z);
}

bool bench_boxes_touch(const BenchBox *a, const BenchBox *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
           a->low.z <= b->high.z && b->low.z <= a->high.z;
}

static int by_low_x(const void *a, const void *b)
{
    double x = (*(const BenchBox *const *)a)->low.x, y = (*(const BenchBox *const *)b)->low.x;
    return (x > y) - (x < y);
}

int bench_boxes_overlaps(BenchBox *boxes)
{
    static const BenchBox *order[BENCH_BOXES_COUNT];
    for (int i = 0; i < BENCH_BOXES_COUNT; i++) {
        BenchBox *b = &boxes[i];
        double(*R)[3] = b->X_WB.R.m;
        RgVec3 half = vec(reach(R[0], b->full), reach(R[1], b->full), reach(R[2], b->full));
        b->low = vec_sub(b->X_WB.p, half);
        b->high = vec_add(b->X_WB.p, half);
        order[i] = b;
    }
    qsort(order, BENCH_BOXES_COUNT, sizeof *order, by_low_x);
    int count = 0;
    for (int i = 0; i < BENCH_BOXES_COUNT; i++)
        for (int j = i + 1; j < BENCH_BOXES_COUNT && order[j]->low.x <= order[i]->high.x; j++)
            count += bench_boxes_touch(order[i], order[j]);
    return count;
}

RgSpace *bench_boxes_space(const BenchBox *boxes, RgGeometry **geometries, RgColliderId *colliders)
{
    RgSpaceDef space_def = rg_space_def_default();
    RgSpace *space = rg_space_create(&space_def);
    bool good = space != NULL;
    for (int i = 0; i < BENCH_BOXES_COUNT && good; i++) {
        RgShapeDef shape = rg_shape_def_default();
        RgColliderDef def = rg_collider_def_default();
        shape.type = RG_SHAPE_box;
        shape.size[0] = boxes[i].full.x;
        shape.size[1] = boxes[i].full.y;
        shape.size[2] = boxes[i].full.z;
        good = rg_geometry_create(&shape, NULL, &geometries[i], NULL) == RG_OK;
        def.geometry = geometries[i];
        def.X_WG = boxes[i].X_WB;
        def.key = (uint64_t)i + 1;
        def.body = i;
        good = good && rg_space_add(space, &def, &colliders[i]) == RG_OK;
    }
    if (good)
        return space;
    rg_space_destroy(space);
    return NULL;
}
