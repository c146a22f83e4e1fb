/*
 * die_paper.c - paper 001's algorithm 1 as its archived program has it, for one cube over a half-space y <= ground.
 *
 *   h  = min(r(x0, u0), what is left of the outer step),   x1 = x0 + h u0,   u1 = k(u0 + h g)
 *
 *   apart       d >= eps:  d / (|n.v| + |w x n| r)                                                                     (4)
 *   touching    corners with height < eps touch; if one of them leaves faster than 1.5e-8 m/s: until the first such is at
 *               eps, (eps - height) / speed, at least h_min; else                                                      (6)
 *               least over the other corners s of height / (|w x n| |s - xi|), xi the touching corner farthest from s  (7)
 *
 * k: no-slip impact (Drumwright 2015): X v+ = 0 for the rows X of all tangents, as equations, dependent rows left out;
 *
 *   0 <= z  perpendicular to  N v+ >= 0,    v+ = v + M^-1 (N' z + X' x)
 *
 * At most four corners touch: the linear complementarity problem is solved by trying the sets of corners that push,
 * small ones first. Corners that none of the sets fits to 1e-9 m/s are left as they are (counted as none: it was never
 * met).
 *
 * Left out of the archived rule: |w| is not scaled down to 2 pi (unsound), and min and division in (6) are in the right
 * order.
 */
#include "die_paper.h"

#include "vectors.h"

#include <string.h>

#define LEAVES 1.5e-8 /* m/s */
#define REST_TIME 0.5 /* s */
#define NEAR_ZERO 1.5e-8
#define MOST 4 /* touching corners */

static const RgVec3 up = {0.0, 1.0, 0.0};

/* ------------------------------------------------------------------ corners */

typedef struct Corners {
    RgVec3 arm[DIE_CORNERS]; /* from the centre, world axes */
    double height[DIE_CORNERS];
    double least;
} Corners;

static Corners corners_of(const DieState *s, double ground)
{
    Corners c = {.least = (double)INFINITY};
    for (int i = 0; i < DIE_CORNERS; i++) {
        c.arm[i] = mat_apply(s->X.R, vec(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5));
        c.height[i] = s->X.p.y + c.arm[i].y - ground;
        c.least = fmin(c.least, c.height[i]);
    }
    return c;
}

static RgVec3 velocity_at(const DieState *s, RgVec3 arm)
{
    return vec_add(s->v, vec_cross(s->w, arm));
}

/* ------------------------------------------------------------------ the step rule */

static double step_apart(const DieState *s, const Corners *c)
{
    double speed = fabs(s->v.y) + vec_norm(vec_cross(s->w, up)) * sqrt(0.75);
    return c->least / speed;
}

/* Until the first corner that leaves is at the gap; infinite: none leaves. */
static double step_transient(const DieState *s, const Corners *c, const DieRule *rule)
{
    double h = (double)INFINITY;
    for (int i = 0; i < DIE_CORNERS; i++) {
        double speed = velocity_at(s, c->arm[i]).y;
        if (c->height[i] < rule->gap && speed > LEAVES)
            h = fmin(h, (rule->gap - c->height[i]) / speed);
    }
    return isfinite(h) ? fmax(h, rule->h_min) : h;
}

/* Until another corner can come to the plane. */
static double step_sustained(const DieState *s, const Corners *c, const DieRule *rule)
{
    double h = (double)INFINITY, turning = vec_norm(vec_cross(s->w, up));
    for (int i = 0; i < DIE_CORNERS; i++) {
        double far = 0.0;
        for (int k = 0; k < DIE_CORNERS; k++)
            if (c->height[k] < rule->gap)
                far = fmax(far, vec_distance(c->arm[i], c->arm[k]));
        if (c->height[i] >= rule->gap)
            h = fmin(h, c->height[i] / (turning * far));
    }
    return h;
}

static double step_length(const DieState *s, const Corners *c, const DieRule *rule)
{
    if (c->least >= rule->gap)
        return step_apart(s, c);
    double h = step_transient(s, c, rule);
    return isfinite(h) ? h : step_sustained(s, c, rule);
}

/* ------------------------------------------------------------------ impact */

/* A row: the velocity of a point along a direction, v.f + w.n; and M^-1 of it (1 kg, 1/6 kg m^2). */
typedef struct Row {
    RgVec3 n, f;
} Row;

static Row row_at(RgVec3 arm, RgVec3 along)
{
    return (Row){vec_cross(arm, along), along};
}

static double row_velocity(const Row *r, const DieState *s)
{
    return vec_dot(r->f, s->v) + vec_dot(r->n, s->w);
}

static double row_product(const Row *a, const Row *b)
{
    return vec_dot(a->f, b->f) + 6.0 * vec_dot(a->n, b->n);
}

static void push(DieState *s, const Row *r, double z)
{
    s->v = vec_add(s->v, vec_scale(z, r->f));
    s->w = vec_add(s->w, vec_scale(6.0 * z, r->n));
}

/* Tangents made orthonormal in the mass metric, dependent ones left out; then normals with their part along them taken
   out. */
static void without_slip(const Corners *c, const int *touching, int n, Row tangents[], int *ntangents, Row normals[])
{
    static const RgVec3 along[2] = {{1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}};
    *ntangents = 0;
    for (int i = 0; i < 3 * n; i++) {
        bool normal = i >= 2 * n;
        RgVec3 arm = c->arm[touching[normal ? i - 2 * n : i / 2]];
        Row r = row_at(arm, normal ? up : along[i % 2]);
        for (int pass = 0; pass < 2; pass++)
            for (int k = 0; k < *ntangents; k++) {
                double part = row_product(&r, &tangents[k]);
                r.f = vec_sub(r.f, vec_scale(part, tangents[k].f));
                r.n = vec_sub(r.n, vec_scale(part, tangents[k].n));
            }
        double size = sqrt(row_product(&r, &r));
        if (normal)
            normals[i - 2 * n] = r;
        else if (size > sqrt(NEAR_ZERO))
            tangents[(*ntangents)++] = (Row){vec_scale(1.0 / size, r.n), vec_scale(1.0 / size, r.f)};
    }
}

/* z of the corners in the set that stops them; false: dependent. Gauss with pivots on the diagonal. */
static bool stop_set(double A[MOST][MOST], const double *b, int n, unsigned set, double *z)
{
    double M[MOST][MOST + 1];
    int index[MOST], m = 0;
    for (int i = 0; i < n; i++)
        if (set >> i & 1)
            index[m++] = i;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++)
            M[i][j] = A[index[i]][index[j]];
        M[i][m] = -b[index[i]];
    }
    for (int k = 0; k < m; k++) {
        if (M[k][k] < 1e-10)
            return false;
        for (int i = 0; i < m; i++)
            for (int j = m; i != k && j >= k; j--)
                M[i][j] -= M[i][k] / M[k][k] * M[k][j];
    }
    memset(z, 0, MOST * sizeof *z);
    for (int k = 0; k < m; k++)
        z[index[k]] = M[k][m] / M[k][k];
    return true;
}

static int members_of(unsigned set)
{
    int members = 0;
    for (; set != 0; set >>= 1)
        members += (int)(set & 1);
    return members;
}

/* z >= 0 and A z + b >= 0. */
static bool is_solution(double A[MOST][MOST], const double *b, int n, const double *z)
{
    bool good = true;
    for (int i = 0; i < n; i++) {
        double w = b[i];
        for (int j = 0; j < n; j++)
            w += A[i][j] * z[j];
        good = good && w >= -1e-12 && z[i] >= -1e-12;
    }
    return good;
}

/* z >= 0, A z + b >= 0, perpendicular. */
static bool solve_normals(double A[MOST][MOST], const double *b, int n, double *z)
{
    for (int size = 0; size <= n; size++)
        for (unsigned set = 0; set < 1U << n; set++)
            if (members_of(set) == size && stop_set(A, b, n, set, z) && is_solution(A, b, n, z))
                return true;
    return false;
}

static void impact(DieState *s, const Corners *c, const int *touching, int n)
{
    Row tangents[2 * MOST], normals[MOST];
    int ntangents;
    double A[MOST][MOST], b[MOST], z[MOST];
    without_slip(c, touching, n, tangents, &ntangents, normals);
    for (int k = 0; k < ntangents; k++)
        push(s, &tangents[k], -row_velocity(&tangents[k], s));
    for (int i = 0; i < n; i++) {
        b[i] = row_velocity(&normals[i], s);
        for (int j = 0; j < n; j++)
            A[i][j] = row_product(&normals[i], &normals[j]);
    }
    if (!solve_normals(A, b, n, z))
        return;
    for (int i = 0; i < n; i++)
        push(s, &normals[i], z[i]);
}

/* ------------------------------------------------------------------ runs */

static void move(DieState *s, double h)
{
    s->X.p = vec_add(s->X.p, vec_scale(h, s->v));
    double turn = vec_norm(s->w) * h;
    if (turn > 0.0)
        s->X.R = mat_mul(mat_turn(vec_scale(h / turn, s->w), turn), s->X.R);
}

/* Corners that touch; the impact where one of them approaches. */
static int touch(DieState *s, const Corners *c, double gap)
{
    int touching[MOST], n = 0;
    bool approaches = false;
    for (int i = 0; i < DIE_CORNERS && n < MOST; i++)
        if (c->height[i] <= gap) {
            approaches = approaches || velocity_at(s, c->arm[i]).y < 0.0;
            touching[n++] = i;
        }
    if (approaches)
        impact(s, c, touching, n);
    return n;
}

DieRun die_by_paper(const DieState *start, double ground, const DieRule *rule, DieLookFn *look, void *context)
{
    DieRun run = {
        .rest = (double)NAN, .least_distance = (double)INFINITY, .changes = located_no_changes(), .state = *start};
    DieState *s = &run.state;
    double t = 0.0, calm = (double)NAN;
    int before = 0;
    for (int64_t outer = 1; (double)outer * rule->h_max <= rule->time * (1.0 + 1e-12) && isnan(run.rest);) {
        Corners c = corners_of(s, ground);
        double left = (double)outer * rule->h_max - t, h = fmin(step_length(s, &c, rule), left);
        outer += h >= left;
        move(s, h);
        t = h >= left ? (double)(outer - 1) * rule->h_max : t + h;
        s->v.y -= 9.81 * h;
        c = corners_of(s, ground);
        int n = touch(s, &c, rule->gap);
        if (n > 0 && n != before)
            located_change(&run.changes, t, rule->h_max);
        before = n > 0 ? n : before;
        run.least_distance = fmin(run.least_distance, c.least);
        if (look != NULL)
            look(t, h, c.least, s, context);
        double energy = 0.5 * vec_dot(s->v, s->v) + vec_dot(s->w, s->w) / 12.0;
        calm = energy >= rule->rest ? (double)NAN : isnan(calm) ? t : calm;
        run.steps++;
        run.end = t;
        if (t - calm >= REST_TIME)
            run.rest = calm;
    }
    return run;
}
