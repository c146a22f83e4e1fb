/*
 * random_bodies.h - random systems of bodies in contact, as rows and as patches, and when their motion is unique.
 *
 * Bodies have a mass m and a moment of inertia I about every axis, so that s = (sqrt(m) v, sqrt(I) w). Body i touches
 * an earlier one or the ground, at one point or at several: a tree, in which all can move apart, so that a solution
 * exists.
 *
 * The velocities of solutions of w = W r + q, w + mu |w_t| e_n in K*, r in K are one and the same if
 *   - there is no friction (a convex program in the velocities), or
 *   - no normal impulse moves a tangent, W_nt = 0: normals are such a program, then tangents; equal mu where several
 *     points part a load; or
 *   - the smallest eigenvalue of D W D is above mu times its largest, D any factor for each contact: the law is then
 *     strongly monotone, since |mu |w_t| - mu |w'_t|| <= mu |W (r - r')|.
 */
#ifndef TEST_UNIT_RANDOM_BODIES_H
#define TEST_UNIT_RANDOM_BODIES_H

#include "check_near.h"
#include "draw.h"
#include "solver/quick/quick.h"
#include "solver/solver_table.h"

#include <stdlib.h>
#include <string.h>

enum { BODIES_MAX = 8, TOUCHES_MAX = 32, ROWS_MAX = 3 * TOUCHES_MAX, UNKNOWNS_MAX = 6 * BODIES_MAX };

typedef struct Touch {
    int a, b;       /* a: -1 is the ground */
    RgVec3 axis[3]; /* n from a to b, t1, t2 */
    RgVec3 arm[2];
    double mu, target;
} Touch;

/* COLUMN: all normals are parallel and arms along them. */
typedef enum Shape { WELL_POSED, DEFICIENT, MASS_RATIO, COLUMN, SHAPES } Shape;

typedef struct Bodies {
    int seed;
    Shape shape;
    bool planar; /* nothing moves along t2 */
    int nbodies, ntouches;
    double mass[BODIES_MAX], inertia[BODIES_MAX], V[BODIES_MAX][6];
    Touch touch[TOUCHES_MAX];

    /* As rows. */
    RgProblem p;
    int start[ROWS_MAX + 1], columns[12 * ROWS_MAX], normal[ROWS_MAX], block[BODIES_MAX];
    double values[12 * ROWS_MAX], target[ROWS_MAX], compliance[ROWS_MAX], low[ROWS_MAX], high[ROWS_MAX], z[ROWS_MAX];
    double s[UNKNOWNS_MAX], s_free[UNKNOWNS_MAX];
    uint8_t row_class[ROWS_MAX];
    bool cone[ROWS_MAX], damper[ROWS_MAX];
    int rows_of[TOUCHES_MAX]; /* first row */
} Bodies;

static inline double draw_power(Draw *d, double low, double high)
{
    return pow(10.0, draw_between(d, low, high));
}

static inline void draw_bodies(Bodies *b, Draw *d)
{
    for (int i = 0; i < b->nbodies; i++) {
        b->mass[i] =
            b->shape == MASS_RATIO || b->shape == COLUMN ? draw_power(d, -3.0, 3.0) : draw_between(d, 0.5, 2.0);
        b->inertia[i] = b->mass[i] * draw_between(d, 0.2, 0.6);
        for (int k = 0; k < 6; k++)
            b->V[i][k] = draw_between(d, -1.0, 1.0);
        if (b->planar) /* x is t1, y is t2, z the normal */
            b->V[i][1] = b->V[i][3] = b->V[i][5] = 0.0;
    }
}

/* Axes with n anywhere; planar: in the plane of x and z, t2 = y; column: z. */
static inline void draw_axes(const Bodies *b, Draw *d, RgVec3 axis[3])
{
    double angle = b->shape == COLUMN ? 0.0 : draw_between(d, -3.0, 3.0);
    axis[0] = vec(sin(angle), 0.0, cos(angle));
    axis[1] = vec(cos(angle), 0.0, -sin(angle));
    axis[2] = vec(0.0, 1.0, 0.0);
    if (b->planar || b->shape == COLUMN)
        return;
    RgMat3 R = draw_pose(d, 0.0).R;
    for (int i = 0; i < 3; i++)
        axis[i] = vec(R.m[i][0], R.m[i][1], R.m[i][2]);
}

static inline RgVec3 draw_arm(const Bodies *b, Draw *d, const RgVec3 axis[3])
{
    if (b->shape == COLUMN)
        return vec_scale(draw_between(d, -1.0, 1.0), axis[0]);
    RgVec3 arm = draw_vec(d, 0.5);
    return b->planar ? vec(arm.x, 0.0, arm.z) : arm;
}

static inline void draw_touches(Bodies *b, Draw *d, int friction)
{
    for (int i = 0; i < b->nbodies; i++) {
        int a = b->shape == WELL_POSED || b->shape == DEFICIENT ? draw_below(d, i + 1) - 1 : i - 1;
        int points = b->shape == DEFICIENT ? 2 + draw_below(d, 3) : b->shape == COLUMN ? 1 + draw_below(d, 2) : 1;
        RgVec3 axis[3], arm[2];
        draw_axes(b, d, axis);
        for (int side = 0; side < 2; side++)
            arm[side] = draw_arm(b, d, axis);
        double mu = friction == 0 ? 0.0 : friction == 1 ? draw_power(d, -3.0, -1.0) : draw_power(d, -2.0, 2.0);
        for (int k = 0; k < points; k++) {
            /* Points of one plane: the same normal, elsewhere along the tangents. */
            RgVec3 shift =
                b->shape == COLUMN ? vec(0.0, 0.0, 0.0) : vec_scale(k == 0 ? 0.0 : draw_between(d, -0.5, 0.5), axis[1]);
            b->touch[b->ntouches++] =
                (Touch){a,
                        i,
                        {axis[0], axis[1], axis[2]},
                        {vec_add(arm[0], shift), vec_add(arm[1], shift)},
                        mu,
                        b->shape == COLUMN && k > 0 ? b->touch[b->ntouches - 1].target : draw_between(d, -0.3, 0.3)};
        }
    }
}

/* ------------------------------------------------------------------ as rows */

static inline void add_side(Bodies *b, int body, RgVec3 along, RgVec3 arm, double sign)
{
    if (body < 0)
        return;
    RgVec3 turn = vec_cross(arm, along);
    double m = sign / sqrt(b->mass[body]), I = sign / sqrt(b->inertia[body]);
    double six[6] = {m * along.x, m * along.y, m * along.z, I * turn.x, I * turn.y, I * turn.z};
    int at = b->start[b->p.n + 1];
    for (int k = 0; k < 6; k++) {
        b->columns[at + k] = 6 * body + k;
        b->values[at + k] = six[k];
    }
    b->start[b->p.n + 1] += 6;
}

static inline void add_touch_row(Bodies *b, const Touch *t, int which)
{
    int i = b->p.n;
    b->start[i + 1] = b->start[i];
    add_side(b, t->a, t->axis[which], t->arm[0], -1.0); /* a < b: columns ascend */
    add_side(b, t->b, t->axis[which], t->arm[1], 1.0);
    bool is_normal = which == 0;
    b->row_class[i] = is_normal ? RG_ROW_NORMAL : RG_ROW_FRICTION;
    b->normal[i] = is_normal ? -1 : i - which;
    b->cone[i] = which == 1;
    b->low[i] = is_normal ? 0.0 : -t->mu;
    b->high[i] = is_normal ? INFINITY : t->mu;
    b->target[i] = is_normal ? t->target : 0.0;
    b->p.n++;
}

static inline void make_rows(Bodies *b)
{
    b->p = (RgProblem){.nu = 6 * b->nbodies,
                       .nblocks = b->nbodies,
                       .block = b->block,
                       .start = b->start,
                       .columns = b->columns,
                       .values = b->values,
                       .target = b->target,
                       .compliance = b->compliance,
                       .low = b->low,
                       .high = b->high,
                       .normal = b->normal,
                       .row_class = b->row_class,
                       .cone = b->cone,
                       .damper = b->damper,
                       .z = b->z,
                       .s = b->s};
    for (int i = 0; i < b->nbodies; i++) {
        b->block[i] = 6 * i;
        for (int k = 0; k < 6; k++)
            b->s_free[6 * i + k] = sqrt(k < 3 ? b->mass[i] : b->inertia[i]) * b->V[i][k];
    }
    for (int k = 0; k < b->ntouches; k++) {
        b->rows_of[k] = b->p.n;
        for (int which = 0; which < (b->touch[k].mu > 0.0 ? 3 : 1); which++)
            add_touch_row(b, &b->touch[k], which);
    }
}

/* friction: 0 none, 1 mu from 0.001 to 0.1, 2 from 0.01 to 100. */
static inline Bodies *bodies_draw(uint64_t seed, Shape shape, int friction)
{
    Bodies *b = calloc(1, sizeof *b);
    Draw d = draw_seed(seed);
    b->seed = (int)seed;
    b->shape = shape;
    b->planar = draw_chance(&d, 0.5);
    b->nbodies = 1 + draw_below(&d, BODIES_MAX);
    draw_bodies(b, &d);
    draw_touches(b, &d, friction);
    make_rows(b);
    return b;
}

static inline void bodies_restart(Bodies *b)
{
    memset(b->z, 0, sizeof b->z);
    memcpy(b->s, b->s_free, sizeof b->s);
}

/* Largest velocity that rows miss without impulses. */
static inline double bodies_scale(const Bodies *b)
{
    double largest = 1e-3;
    for (int i = 0; i < b->p.n; i++)
        largest = fmax(largest, fabs(rg_problem_row_times(&b->p, i, b->s_free) - b->target[i]));
    return largest;
}

/* ------------------------------------------------------------------ when motion is unique */

/* Eigenvalues of a symmetric matrix by Jacobi's rotations: the smallest and the largest. */
static inline void extreme_eigenvalues(double *A, int n, double *low, double *high)
{
    for (int sweep = 0; sweep < 12; sweep++)
        for (int pair = 0; pair < n * n; pair++) {
            int p = pair / n, q = pair % n;
            if (q <= p || fabs(A[p * n + q]) < 1e-300)
                continue;
            double theta = (A[q * n + q] - A[p * n + p]) / (2.0 * A[p * n + q]);
            double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
            double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
            for (int k = 0; k < n; k++) {
                double x = A[k * n + p], y = A[k * n + q];
                A[k * n + p] = c * x - s * y;
                A[k * n + q] = s * x + c * y;
            }
            for (int k = 0; k < n; k++) {
                double x = A[p * n + k], y = A[q * n + k];
                A[p * n + k] = c * x - s * y;
                A[q * n + k] = s * x + c * y;
            }
        }
    *low = *high = n > 0 ? A[0] : 0.0;
    for (int i = 1; i < n; i++) {
        *low = fmin(*low, A[i * n + i]);
        *high = fmax(*high, A[i * n + i]);
    }
}

static inline double row_dot(const Bodies *b, int i, int j)
{
    double sum = 0.0;
    for (int e = b->start[i]; e < b->start[i + 1]; e++)
        for (int f = b->start[j]; f < b->start[j + 1]; f++)
            sum += b->columns[e] == b->columns[f] ? b->values[e] * b->values[f] : 0.0;
    return sum;
}

static inline bool bodies_unique(const Bodies *b)
{
    static double A[ROWS_MAX * ROWS_MAX];
    double mu = 0.0, low, high;
    int n = b->p.n;
    for (int k = 0; k < b->ntouches; k++)
        mu = fmax(mu, b->touch[k].mu);
    if (mu == 0.0 || b->shape == COLUMN)
        return true;
    if (b->shape == DEFICIENT)
        return false;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int ni = b->normal[i] < 0 ? i : b->normal[i], nj = b->normal[j] < 0 ? j : b->normal[j];
            A[i * n + j] = row_dot(b, i, j) / sqrt(row_dot(b, ni, ni) * row_dot(b, nj, nj));
        }
    extreme_eigenvalues(A, n, &low, &high);
    return low > 1.01 * mu * high;
}

/* ------------------------------------------------------------------ solvers */

/* By name, from zero, to a relative residual; what the judge says of it, m/s over the scale. INFINITY: no memory. */
static inline double bodies_solve(Bodies *b, const RgSolver *solver, double tolerance, RgSolveReport *report)
{
    static RgArena arena;
    RgRowOptions options = {.pgs = rg_pgs_options_default(), .exact = rg_exact_options_default()};
    options.exact.tolerance = tolerance;
    options.pgs.iterations = 3000;
    options.pgs.tolerance = 1e-14;
    options.pgs.friction_sweeps = 0;
    options.quick = rg_quick_options_default();
    options.quick.max_sweeps = 1500;
    options.quick.tolerance = 1e-14;
    bodies_restart(b);
    *report = (RgSolveReport){.outcome = RG_SOLVE_ITERATIONS};
    if (solver->solve_rows(&arena, &b->p, &options, report) != RG_OK)
        return INFINITY;
    return rg_problem_residual(&b->p, NULL, NULL).velocity / bodies_scale(b);
}

/* The same by quick on patches between bodies; z and s are set. */
static inline double bodies_solve_patches(Bodies *b)
{
    static RgSolverBody movers[BODIES_MAX + 1];
    static RgPatch patches[TOUCHES_MAX];
    static double V[RG_BODY_PLACES * (BODIES_MAX + 1)];
    RgQuickMemory memory;
    RgQuickReport report;
    RgQuickOptions options = rg_quick_options_default();
    options.max_sweeps = 1500;
    options.tolerance = 1e-14;
    memset(V, 0, sizeof V);
    movers[0] = (RgSolverBody){.group = -1};
    for (int i = 0; i < b->nbodies; i++) {
        double I = 1.0 / b->inertia[i];
        movers[i + 1] = (RgSolverBody){1.0 / b->mass[i], {I, I, I, 0.0, 0.0, 0.0}, -1, 0};
        memcpy(V + RG_BODY_PLACES * (i + 1), b->V[i], sizeof b->V[i]);
    }
    for (int k = 0; k < b->ntouches; k++) {
        const Touch *t = &b->touch[k];
        patches[k] = (RgPatch){.mover = {t->a + 1, t->b + 1},
                               .count = 1,
                               .axis = {t->axis[1], t->axis[2], t->axis[0]},
                               .arm = {t->arm[0], t->arm[1]},
                               .target = {t->target},
                               .mu = {t->mu, t->mu}};
    }
    RgPatchProblem p = {
        .nmovers = b->nbodies + 1, .npatches = b->ntouches, .movers = movers, .patches = patches, .V = V};
    rg_quick_memory_init(&memory, NULL);
    RgStatus status = rg_quick_solve(&memory, &p, &options, &report);
    rg_quick_memory_free(&memory);
    if (status != RG_OK)
        return INFINITY;
    bodies_restart(b);
    for (int k = 0; k < b->ntouches; k++)
        for (int which = 0; which < (b->touch[k].mu > 0.0 ? 3 : 1); which++) {
            b->z[b->rows_of[k] + which] = patches[k].z[0][which];
            rg_problem_apply_impulse(&b->p, b->rows_of[k] + which, patches[k].z[0][which], b->s);
        }
    return rg_problem_residual(&b->p, NULL, NULL).velocity / bodies_scale(b);
}

#endif
