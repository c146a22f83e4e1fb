/*
 * scene_towers.c - towers and walls that stand for long only with accurate contact forces.
 *
 *   K102   tower of 102 planks, 34 levels of three, each level across the one below; a plank lies flat, 120 x 24 x 8 mm,
 *          13.8 g (600 kg/m^3), the three 48 mm apart: 3 + 33 * 9 = 300 pairs that touch, 1,200 points
 *   K102j  the same with disturbances: each plank displaced by up to 0.5 mm along x and y, turned by up to 0.01 rad about
 *          z, 0.1 mm above the one below
 *   W20    wall of 20 cubes of 1 m in rows of 6, 5, 4, 3, 2, pitch 1.1 m as in S3; the mass of a cube grows from row to row
 *          by the same factor, 1 kg below, 1,000 kg on top
 *   C20    column of 20 cubes, 1 kg below, 1,000 kg on top
 */
#include "draw.h"
#include "scene_build.h"

#include <string.h>

#define LEVELS 34
#define ACROSS 3 /* planks of a level */
#define DENSITY 600.0
#define SHIFT 5e-4  /* m */
#define YAW 0.01    /* rad */
#define GAP 1e-4    /* m */
#define SEED 20252u /* of all disturbances */

/* Roots of 1,000: the 4th and the 19th. */
#define ROOT_4 5.623413251903491
#define ROOT_19 1.438449888287663

/* Half of the angle stands for the sine of its half. */
static void disturb(Draw *draw, int level, RgPose *X)
{
    X->p.x += draw_between(draw, -SHIFT, SHIFT);
    X->p.y += draw_between(draw, -SHIFT, SHIFT);
    X->p.z += GAP * (level + 1);
    double s = 0.5 * draw_between(draw, -YAW, YAW), q[4] = {sqrt(1.0 - s * s), 0.0, 0.0, s};
    X->R = mat_of_quat(q);
}

static SceneData *tower(const char *name, Draw *draw)
{
    const RgVec3 along_x = {0.120, 0.024, 0.008}, along_y = {0.024, 0.120, 0.008};
    const double pitch = 0.048, mass = DENSITY * along_x.x * along_x.y * along_x.z;
    SceneData *s = scene_new(name, "tower of 102 planks", LEVELS * ACROSS, 0);
    for (int level = 0; level < LEVELS; level++)
        for (int i = 0; i < ACROSS; i++) {
            double aside = pitch * (i - 1), z = along_x.z * (level + 0.5);
            bool even = level % 2 == 0;
            RgPose X = even ? place_at(0.0, aside, z) : place_at(aside, 0.0, z);
            if (draw != NULL)
                disturb(draw, level, &X);
            s->top[i] = scene_add_box(s, mass, even ? along_x : along_y, X);
        }
    s->ntop = ACROSS;
    s->error = SCENE_ERROR_TOWER;
    s->dt = 10e-3;
    s->steps = 60000;
    return s;
}

/* Rows of cubes, each of so many less and heavier by a factor than the one below. */
typedef struct Wall {
    int rows, bottom, less;
    double factor;
} Wall;

static SceneData *heavy_wall(const char *name, const char *title, Wall wall)
{
    SceneData *s = scene_new(name, title, 20, 0);
    double mass = 1.0;
    for (int row = 0; row < wall.rows; row++) {
        int cubes = wall.bottom - row * wall.less;
        for (int i = 0; i < cubes; i++)
            s->top[0] =
                scene_add_box(s, mass, vec(1.0, 1.0, 1.0), place_at(1.1 * (i - 0.5 * (cubes - 1)), 0.0, row + 0.5));
        mass *= wall.factor;
    }
    s->ntop = 1;
    s->error = SCENE_ERROR_WALL;
    s->dt = 10e-3;
    s->steps = 1000;
    return s;
}

SceneData *scene_of_towers(const char *name)
{
    Draw draw = draw_seed(SEED);
    SceneData *s = NULL;
    if (strcmp(name, "K102") == 0)
        s = tower(name, NULL);
    else if (strcmp(name, "K102j") == 0)
        s = tower(name, &draw);
    else if (strcmp(name, "W20") == 0)
        s = heavy_wall(name, "wall of 20 cubes, 1 kg below, 1,000 kg on top", (Wall){5, 6, 1, ROOT_4});
    else if (strcmp(name, "C20") == 0)
        s = heavy_wall(name, "column of 20 cubes, 1 kg below, 1,000 kg on top", (Wall){20, 1, 0, ROOT_19});
    if (s != NULL)
        s->has_floor = true;
    return s;
}
