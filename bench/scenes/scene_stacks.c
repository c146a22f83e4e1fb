/*
 * scene_stacks.c - S1 and S3 with their disturbed forms, S2, and the scenes that grow.
 *
 *   S1   z                          S3   row r of 20 - r cubes, r = 0 ... 19, pitch 1.1 m, so that
 *        |_|  6 cubes                     neighbours in a row are 0.1 m apart and each cube rests on two:
 *        |_|  at (+-1.5, +-1.5)            20 + 2 * 190 = 400 pairs that touch
 *        ...                              _|_|_
 *                                        |_| |_|
 *
 * Cubes of 1 m, 1 kg, mu 0.5. Set down carelessly means: each cube shifted by up to 5 mm along x and along
 * y, turned about z by up to 0.025 rad, and 1 mm above what is below it. S3k kicks the row of ten cubes
 * through the wall (along y): 45 cubes stand on it, so that friction of about 0.5 * 9.81 * (45 + 55) N
 * stops its 10 kg after 0.16 m and nothing falls.
 */
#include "draw.h"
#include "scene_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHIFT 5e-3  /* m */
#define YAW 0.025   /* rad */
#define GAP 1e-3    /* m */
#define SEED 20251u /* of all disturbances */
#define KICKED_ROW 10
#define KICK 4.0 /* m/s */

/* Turn about z by close to angle: half of it stands for the sine of its half, an error of angle^3 / 24. */
static RgMat3 small_yaw(double angle)
{
    double s = 0.5 * angle;
    double q[4] = {sqrt(1.0 - s * s), 0.0, 0.0, s};
    return mat_of_quat(q);
}

/* A cube of 1 m with its centre at p, level of the stack for the gaps. draw NULL: set down exactly. */
static int add_cube(SceneData *scene, Draw *draw, double mass, RgVec3 p, int level)
{
    RgPose X = place_at(p.x, p.y, p.z);
    if (draw != NULL) {
        X.p.x += draw_between(draw, -SHIFT, SHIFT);
        X.p.y += draw_between(draw, -SHIFT, SHIFT);
        X.p.z += GAP * (level + 1);
        X.R = small_yaw(draw_between(draw, -YAW, YAW));
    }
    return scene_add_box(scene, mass, vec(1.0, 1.0, 1.0), X);
}

static SceneData *stacks(const char *name, Draw *draw, double top_mass)
{
    SceneData *s = scene_new(name, "four stacks of six cubes", 24, 0);
    for (int stack = 0; stack < 4; stack++) {
        double x = stack % 2 == 0 ? -1.5 : 1.5, y = stack / 2 == 0 ? -1.5 : 1.5;
        for (int level = 0; level < 6; level++)
            s->top[stack] = add_cube(s, draw, level == 5 ? top_mass : 1.0, vec(x, y, level + 0.5), level);
    }
    s->ntop = 4;
    s->error = SCENE_ERROR_TOP;
    s->dt = 5e-3;
    s->steps = 1000;
    return s;
}

static SceneData *pyramid(const char *name, Draw *draw, bool kicked)
{
    const int rows = 20;
    SceneData *s = scene_new(name, "pyramid of 210 cubes", rows * (rows + 1) / 2, 0);
    for (int row = 0; row < rows; row++) {
        for (int i = 0; i < rows - row; i++) {
            double x = 1.1 * (i - 0.5 * (rows - row - 1));
            int cube = add_cube(s, draw, 1.0, vec(x, 0.0, row + 0.5), row);
            if (kicked && row == KICKED_ROW)
                s->bodies[cube].v.y = KICK;
        }
    }
    s->top[0] = s->nbodies - 1;
    s->ntop = 1;
    s->error = kicked ? SCENE_ERROR_KICK : SCENE_ERROR_WALL;
    s->dt = 10e-3;
    s->steps = 500;
    return s;
}

SceneData *scene_of_cubes(const char *name)
{
    Draw draw = draw_seed(SEED);
    SceneData *s = NULL;
    if (strcmp(name, "S1") == 0)
        s = stacks(name, NULL, 1.0);
    else if (strcmp(name, "S1j") == 0)
        s = stacks(name, &draw, 1.0);
    else if (strcmp(name, "S1h") == 0)
        s = stacks(name, NULL, 100.0);
    else if (strcmp(name, "S3") == 0)
        s = pyramid(name, NULL, false);
    else if (strcmp(name, "S3j") == 0)
        s = pyramid(name, &draw, false);
    else if (strcmp(name, "S3k") == 0)
        s = pyramid(name, NULL, true);
    if (s != NULL)
        s->has_floor = true;
    return s;
}

/* Stacks of five on a square grid: 5 pairs and 20 points each. */
static SceneData *many_stacks(const char *name, int contacts)
{
    int n = contacts / 20, side = 1;
    while (side * side < n)
        side++;
    SceneData *s = scene_new(name, "separate stacks of five cubes", 5 * n, 0);
    for (int i = 0; i < n; i++) {
        int column = i % side, row = i / side;
        for (int level = 0; level < 5; level++)
            s->top[0] = add_cube(s, NULL, 1.0, vec(2.0 * column, 2.0 * row, level + 0.5), level);
    }
    s->error = SCENE_ERROR_TOP;
    return s;
}

/* Rows of m, m - 1, ... m - 4 cubes: m + 2 (4 m - 10) pairs, 36 m - 80 points. */
static SceneData *long_wall(const char *name, int contacts)
{
    int m = (contacts + 80) / 36;
    SceneData *s = scene_new(name, "wall of five rows, one island", 5 * m - 10, 0);
    for (int row = 0; row < 5; row++)
        for (int i = 0; i < m - row; i++)
            s->top[0] = add_cube(s, NULL, 1.0, vec(1.1 * (i - 0.5 * (m - row - 1)), 0.0, row + 0.5), row);
    s->error = SCENE_ERROR_WALL;
    return s;
}

/* The number behind a kind, as in growth-1000; 0: not of this kind, or no such number. */
static int contacts_of(const char *name, const char *kind)
{
    size_t length = strlen(kind);
    if (strncmp(name, kind, length) != 0)
        return 0;
    char *end;
    long contacts = strtol(name + length, &end, 10);
    return *end == '\0' && contacts >= 100 && contacts <= 10000000 ? (int)contacts : 0;
}

SceneData *scene_of_growth(const char *name)
{
    int stacked = contacts_of(name, "growth-"), walled = contacts_of(name, "wall-");
    SceneData *s = NULL;
    if (stacked > 0)
        s = many_stacks(name, stacked);
    else if (walled > 0)
        s = long_wall(name, walled);
    if (s == NULL)
        return NULL;
    s->has_floor = true;
    s->ntop = 1;
    s->dt = 5e-3;
    s->steps = 100;
    return s;
}

/* The lattice of a well-known test of pile-ups: pitch 0.21 m, each ball up to 1 mm off its place along each
   axis, lowest centres at 0.101 m and above. */
SceneData *scene_of_balls(const char *name)
{
    if (strcmp(name, "S2") != 0)
        return NULL;
    Draw draw = draw_seed(SEED);
    SceneData *s = scene_new(name, "666 balls dropped", 666, 0);
    for (int i = 0; i < 666; i++) {
        int column = i % 6, row = i / 6 % 6, layer = i / 36;
        RgVec3 p = vec(0.21 * (column - 2.5), 0.21 * (row - 2.5), 0.102 + 0.21 * layer);
        scene_add_ball(s, 1.0, 0.1, vec_add(p, draw_vec(&draw, 1e-3)));
    }
    s->has_floor = true;
    s->error = SCENE_ERROR_PILE;
    s->dt = 10e-3;
    s->steps = 1000;
    return s;
}
