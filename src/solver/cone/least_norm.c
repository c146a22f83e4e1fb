/*
 * least_norm.c - of all exact solutions with the same velocities, the one of least norm (least_norm.h).
 *
 * With velocities s and w = J s + C z - target given, each row or contact has a face of what the law allows,
 *
 *   open             w_n > 0            z = 0
 *   sliding          w_t not 0          (z_n, z_t) = a (1, d), a >= 0, d the direction of friction
 *   sticking         w = 0              its cone or pyramid, torsion and rolling likewise
 *   bounded          w = 0              low <= z <= high;  w not 0: z as it is
 *   bilateral        w = 0              any z
 *   soft (C > 0)                        z as it is: w tells it
 *
 * All z of these faces with J'z = J'z0 have the same velocities and are equally exact. Their set is convex, so
 *
 *   min 1/2 sum (weight_i z_i)^2        J'z = J'z0,   z within its faces
 *
 * has one solution, which depends on the motion alone: not on the order of rows, on tangent bases, on the solver, on
 * the first guess. Where a scene is symmetric, forces are.
 *
 * Weights. Normals and tangents 1: the norm is the root of the sum of |f|^2 over contacts (on an elliptic cone tangents
 * are measured by its axes, with the mean of both 1). Torsion, rolling: sqrt(A_ii / A), A the mean response of the
 * normals: a moment counts as the force that moves its point alike. Joints, motors, limits: 0. They carry what contacts
 * leave them, so that both coordinate forms have the same forces; among themselves they share by least norm, measured
 * by sqrt(A_ii), too.
 *
 * Method. The dual: z(y) = P(J y), P the projection onto the faces in the metric of the weights, and F(y) = J'z(y) -
 * J'z0 = 0, the slope of a convex function of velocities y. Newton's method (P is semismooth; Qi, Sun 1993) with
 *
 *   (tau + sum of L'L per) dy = -F
 *
 * on the sparse matrix of solver `cone` (cone_rows.h), by exact line search where a whole step does not lower |F|. It
 * begins with faces as their whole planes: where no cone or bound is touched that is all. Weight 0: a small one, LINE,
 * and z measured from its last value (method of multipliers, Hestenes 1969), which converges by LINE^2 a round.
 *
 * P of a contact: n (1, d) along what slides, and discs |x_k| <= r_k n of what sticks; with M = |(1, d)|^2
 *
 *   M (n - a) = sum over |x_k| > r_k n of r_k (|x_k| - r_k n)       n by the largest |x_k| / r_k first
 *
 * Cost: one factor of the matrix to see whether forces are unique; for those that are not about four more. Failure:
 * where only curved edges of cones allow a solution the dual has none; after MOST steps, or where rows would miss more
 * than the tolerance, z0 stays and the island is reported.
 */
#include "solver/cone/least_norm.h"

#include "math/flat_along.h"
#include "solver/cone/cone_islands.h"
#include "solver/cone/cone_rows.h"
#include "solver/cone_projection.h"

#include <string.h>

/* Weight of bilateral rows; rounds of multipliers, and the part of the largest impulse by which the last may change
   any. */
#define LINE 1e-2
#define ROUNDS 6
#define ROUND_ENDS 1e-11

/* tau over the least response of a row; a response below this part of the mean is none. */
#define TAU 1e-9
#define UNMOVED 1e-9

/* Steps of a round at most. F, over the velocities that impulses make: round-off; what is accepted. */
#define MOST 30
#define ROUND_OFF 2e-15
#define ENOUGH 1e-11

/* A whole step must bring |F| below this part; SPAN steps below FALL. */
#define WHOLE 0.999
#define FALL 0.5
#define SPAN 6

/* Rows that a contact's part of the matrix is made of: along what slides, across two discs. */
#define SCRATCH 3

/* Velocities below so many times the residual are 0. */
#define STILL 4.0

/* Part of the largest impulse above which a normal tells the direction of its friction better than w. */
#define LOADED 1e-6

/* Part of a random vector that must be left without velocities: then forces are open. */
#define OPEN_PART 1e-5

typedef enum Role { FIXED, ALONG, DISC, INTERVAL, FREE } Role;

typedef struct LeastNorm {
    RgConeRows rows;
    uint8_t *role;
    double *weight, *along;    /* n; ALONG: z over the normal's */
    double *z0, *centre;       /* n: as given; FREE: measured from there, weighted */
    double *w, *u, *du;        /* 2 n, n, n: rates, then room; J y and its step */
    double *y, *dy, *F, *goal; /* nu; goal: J'z0 of rows that are not fixed */
    double *scratch;           /* SCRATCH x widest */
    double tau, still, most_z; /* m/s: w below counts as 0; largest impulse */
    double allowed, round;     /* m/s: what rows may miss; norm of the velocities that impulses make */
} LeastNorm;

/* ------------------------------------------------------------------ faces */

static bool is_contact(const LeastNorm *l, const RgConeGroup *g)
{
    return l->rows.p->row_class[g->first] == RG_ROW_NORMAL;
}

static bool is_soft(const RgProblem *p, const RgConeGroup *g)
{
    for (int32_t i = g->first; i < g->first + g->rows; i++)
        if (p->compliance[i] > 0.0)
            return true;
    return false;
}

/* Friction row i alone. scale: weight of its kind. */
static void face_of_row(LeastNorm *l, const RgConeGroup *g, int32_t i, double scale)
{
    const RgProblem *p = l->rows.p;
    double n = l->z0[g->first], mu = p->high[i];
    l->weight[i] = scale;
    if (p->row_class[i] == RG_ROW_BOX)
        l->role[i] = fabs(l->w[i]) <= l->still ? INTERVAL : FIXED;
    else if (!(mu > 0.0))
        l->role[i] = FIXED;
    else if (fabs(l->w[i]) <= l->still)
        l->role[i] = DISC;
    else {
        l->role[i] = ALONG;
        l->along[i] = n > LOADED * l->most_z ? l->z0[i] / n : l->w[i] > 0.0 ? -mu : mu;
    }
}

/* Friction rows i and i + 1, which share a cone. */
static void face_of_pair(LeastNorm *l, const RgConeGroup *g, int32_t i, double scale)
{
    const RgProblem *p = l->rows.p;
    double a = p->high[i], b = p->high[i + 1], n = l->z0[g->first], slip = hypot(l->w[i], l->w[i + 1]);
    if (!(a > 0.0 && b > 0.0)) {
        face_of_row(l, g, i, scale);
        face_of_row(l, g, i + 1, scale);
        return;
    }
    double mean = sqrt(a * b), turn, d[2] = {-l->w[i] / slip, -l->w[i + 1] / slip};
    for (int k = 0; k < 2; k++) {
        l->role[i + k] = slip <= l->still ? DISC : ALONG;
        l->weight[i + k] = scale * mean / p->high[i + k];
        if (slip > l->still)
            l->along[i + k] = n > LOADED * l->most_z ? l->z0[i + k] / n : ellipse_radius(a, b, d, &turn) * d[k];
    }
}

/* mean: response of the normals. */
static void face_of_contact(LeastNorm *l, const RgConeGroup *g, double mean)
{
    const RgProblem *p = l->rows.p;
    int32_t end = g->first + g->rows;
    if (is_soft(p, g) || fabs(l->w[g->first]) > l->still || (end < p->n && p->normal[end] == g->first))
        return;
    l->role[g->first] = ALONG;
    l->along[g->first] = l->weight[g->first] = 1.0;
    for (int32_t i = g->first + 1; i < end; i++) {
        bool tangent = g->rows >= 3 && i <= g->first + 2;
        double scale = tangent ? 1.0 : sqrt(l->rows.response[i] / mean);
        if (p->cone[i])
            face_of_pair(l, g, i++, scale);
        else
            face_of_row(l, g, i, scale);
    }
}

static void face_of_single(LeastNorm *l, int32_t i, double mean)
{
    const RgProblem *p = l->rows.p;
    bool bilateral = p->row_class[i] == RG_ROW_BILATERAL, friction = p->row_class[i] == RG_ROW_FRICTION;
    if (friction || p->compliance[i] > 0.0 || fabs(l->w[i]) > l->still || !(l->rows.diagonal[i] > 0.0))
        return;
    l->role[i] = bilateral ? FREE : INTERVAL;
    l->weight[i] = LINE * sqrt(l->rows.diagonal[i] / mean);
}

/* Mean response of the normals that touch; of all rows if none does. */
static double mean_response(const LeastNorm *l)
{
    const RgProblem *p = l->rows.p;
    double sum[2] = {0.0, 0.0};
    int count[2] = {0, 0};
    for (int32_t i = 0; i < p->n; i++) {
        bool normal = p->row_class[i] == RG_ROW_NORMAL && fabs(l->w[i]) <= l->still;
        sum[normal] += l->rows.diagonal[i];
        count[normal]++;
    }
    return count[1] > 0 ? sum[1] / count[1] : sum[0] / count[0];
}

/* Faces of all rows. Returns how many numbers are not fixed. */
static int find_faces(LeastNorm *l)
{
    RgConeRows *rows = &l->rows;
    const RgProblem *p = rows->p;
    double mean = mean_response(l), least = INFINITY;
    int open = 0;
    memset(l->role, FIXED, (size_t)p->n * sizeof *l->role);
    for (int32_t k = 0; k < rows->ngroups; k++)
        if (is_contact(l, &rows->group[k]))
            face_of_contact(l, &rows->group[k], mean);
        else
            for (int32_t i = rows->group[k].first; i < rows->group[k].first + rows->group[k].rows; i++)
                face_of_single(l, i, mean);
    memset(l->goal, 0, (size_t)p->nu * sizeof *l->goal);
    for (int32_t k = 0; k < rows->ngroups; k++)
        for (int32_t i = rows->group[k].first; i < rows->group[k].first + rows->group[k].rows; i++) {
            if (l->role[i] == FIXED)
                continue;
            open += l->role[i] != ALONG || i == rows->group[k].first;
            if (rows->diagonal[i] > UNMOVED * mean)
                least = fmin(least, rows->diagonal[i] / (l->weight[i] * l->weight[i]));
            cone_push(&rows->group[k], i, l->z0[i], l->goal);
        }
    l->tau = TAU * least;
    return open;
}

/* ------------------------------------------------------------------ projection */

/* What sticks under one normal: one row, or two of a cone. */
typedef struct Disc {
    int32_t first, rows;
    double x[2], size, radius; /* weighted; radius over the normal's impulse */
    bool edge;
} Disc;

/* A contact's discs, those that bind first in front. Returns how many. */
static int find_discs(const LeastNorm *l, const RgConeGroup *g, const double *u, Disc *disc)
{
    const RgProblem *p = l->rows.p;
    int count = 0;
    for (int32_t i = g->first + 1; i < g->first + g->rows; i++) {
        if (l->role[i] != DISC)
            continue;
        Disc now = {.first = i, .rows = p->cone[i] && l->role[i + 1] == DISC ? 2 : 1};
        for (int32_t k = 0; k < now.rows; k++)
            now.x[k] = u[i + k] / l->weight[i + k];
        now.size = hypot(now.x[0], now.x[1]);
        now.radius = l->weight[i] * p->high[i];
        int at = count++;
        for (; at > 0 && disc[at - 1].size * now.radius < now.size * disc[at - 1].radius; at--)
            disc[at] = disc[at - 1];
        disc[at] = now;
        i += now.rows - 1;
    }
    return count;
}

/* Projection of a contact. */
typedef struct Touch {
    double n, M;
    int discs;
    Disc disc[RG_CONE_ROWS];
} Touch;

/* plane: faces as their whole planes. */
static void project_contact(const LeastNorm *l, const RgConeGroup *g, const double *u, bool plane, Touch *t)
{
    double sum = 0.0;
    t->M = 0.0;
    for (int32_t i = g->first; i < g->first + g->rows; i++)
        if (l->role[i] == ALONG) {
            double d = l->weight[i] * l->along[i];
            sum += l->along[i] * u[i];
            t->M += d * d;
        }
    t->discs = find_discs(l, g, u, t->disc);
    t->n = sum / t->M;
    for (int k = 0; k < t->discs && !plane; k++) {
        Disc *disc = &t->disc[k];
        disc->edge = disc->size > disc->radius * t->n;
        if (!disc->edge)
            break;
        sum += disc->radius * disc->size;
        t->M += disc->radius * disc->radius;
        t->n = sum / t->M;
    }
    t->n = plane || t->n > 0.0 ? t->n : 0.0;
}

static void impulses_of_contact(const LeastNorm *l, const RgConeGroup *g, const Touch *t, double *z)
{
    for (int32_t i = g->first; i < g->first + g->rows; i++)
        if (l->role[i] == ALONG)
            z[i] = t->n * l->along[i];
    for (int k = 0; k < t->discs; k++) {
        const Disc *disc = &t->disc[k];
        double part = !disc->edge ? 1.0 : disc->size > 0.0 ? disc->radius * t->n / disc->size : 0.0;
        for (int32_t j = 0; j < disc->rows; j++)
            z[disc->first + j] = part * disc->x[j] / l->weight[disc->first + j];
    }
}

/* Impulse of a row of its own; true: it is between its bounds. */
static bool project_single(const LeastNorm *l, int32_t i, const double *u, bool plane, double *z)
{
    const RgProblem *p = l->rows.p;
    double x = (l->centre[i] + u[i] / l->weight[i]) / l->weight[i];
    bool inside = plane || l->role[i] == FREE || (x > p->low[i] && x < p->high[i]);
    *z = inside ? x : interval_project(x, p->low[i], p->high[i]);
    return inside;
}

static void project(const LeastNorm *l, const double *u, bool plane, double *z)
{
    for (int32_t k = 0; k < l->rows.ngroups; k++) {
        const RgConeGroup *g = &l->rows.group[k];
        bool touches = is_contact(l, g) && l->role[g->first] != FIXED;
        Touch t;
        if (touches) {
            project_contact(l, g, u, plane, &t);
            impulses_of_contact(l, g, &t, z);
        }
        for (int32_t i = g->first; i < g->first + g->rows; i++) {
            if (l->role[i] == INTERVAL || l->role[i] == FREE)
                project_single(l, i, u, plane, &z[i]);
            else if (l->role[i] == FIXED)
                z[i] = l->z0[i];
        }
    }
}

/* F of impulses. Returns its size. */
static double find_F(LeastNorm *l, const double *z)
{
    const RgConeRows *rows = &l->rows;
    double sum = 0.0;
    for (int32_t k = 0; k < rows->p->nu; k++)
        l->F[k] = -l->goal[k];
    for (int32_t k = 0; k < rows->ngroups; k++)
        for (int32_t i = rows->group[k].first; i < rows->group[k].first + rows->group[k].rows; i++)
            if (l->role[i] != FIXED && z[i] != 0.0)
                cone_push(&rows->group[k], i, z[i], l->F);
    for (int32_t k = 0; k < rows->p->nu; k++)
        sum += l->F[k] * l->F[k];
    return sqrt(sum);
}

/* ------------------------------------------------------------------ a step */

static void hold(RgConeAnswer *out, const double *J, double per)
{
    out->row[out->count++] = (RgConeHeld){J, J, per};
}

static void add_contact(LeastNorm *l, const RgConeGroup *g, bool plane, RgConeAnswer *out)
{
    Touch t;
    double *along = l->scratch, *across = along + g->columns;
    project_contact(l, g, l->u, plane, &t);
    if (!plane && !(t.n > 0.0))
        return;
    memset(along, 0, (size_t)g->columns * sizeof *along);
    for (int32_t i = g->first; i < g->first + g->rows; i++)
        if (l->role[i] == ALONG)
            cone_mix(g, i, l->along[i], along);
    for (int k = 0; k < t.discs; k++) {
        const Disc *disc = &t.disc[k];
        for (int32_t j = disc->first; j < disc->first + disc->rows; j++)
            if (disc->edge)
                cone_mix(g, j, disc->radius * disc->x[j - disc->first] / (disc->size * l->weight[j]), along);
            else
                hold(out, cone_row(g, j), 1.0 / (l->tau * l->weight[j] * l->weight[j]));
        if (disc->edge && disc->rows == 2) {
            memset(across, 0, (size_t)g->columns * sizeof *across);
            cone_mix(g, disc->first, -disc->x[1] / (disc->size * l->weight[disc->first]), across);
            cone_mix(g, disc->first + 1, disc->x[0] / (disc->size * l->weight[disc->first + 1]), across);
            hold(out, across, disc->radius * t.n / (disc->size * l->tau));
            across += g->columns;
        }
    }
    hold(out, along, 1.0 / (l->tau * t.M));
}

/* dy and du from a right side -F. False: singular. */
static bool find_step(LeastNorm *l, bool plane)
{
    RgConeRows *rows = &l->rows;
    double *slope = l->dy;
    for (int32_t k = 0; k < rows->p->nu; k++)
        slope[k] = l->F[k] / l->tau;
    rg_cone_rows_begin(rows, slope);
    for (int32_t k = 0; k < rows->ngroups; k++) {
        const RgConeGroup *g = &rows->group[k];
        RgConeAnswer out = {.count = 0};
        if (is_contact(l, g) && l->role[g->first] != FIXED)
            add_contact(l, g, plane, &out);
        for (int32_t i = g->first; i < g->first + g->rows; i++) {
            double unused;
            if ((l->role[i] == INTERVAL || l->role[i] == FREE) && project_single(l, i, l->u, plane, &unused))
                hold(&out, cone_row(g, i), 1.0 / (l->tau * l->weight[i] * l->weight[i]));
        }
        if (out.count > 0)
            rg_cone_rows_add(rows, g, &out);
    }
    return rg_cone_rows_solve(rows, l->dy, l->du);
}

/* So far along the step. Returns |F| there. */
static double go(LeastNorm *l, double part)
{
    for (int32_t k = 0; k < l->rows.p->nu; k++)
        l->y[k] += part * l->dy[k];
    for (int32_t i = 0; i < l->rows.p->n; i++)
        l->u[i] += part * l->du[i];
    project(l, l->u, false, l->rows.p->z);
    return find_F(l, l->rows.p->z);
}

/* dy . F so far along the step; w is room. */
static double slope_along(const void *context, double part)
{
    const LeastNorm *l = context;
    const RgProblem *p = l->rows.p;
    double sum = 0.0, *u = l->w;
    for (int32_t i = 0; i < p->n; i++)
        u[i] = l->u[i] + part * l->du[i];
    project(l, u, false, p->z);
    for (int32_t i = 0; i < p->n; i++)
        sum += l->role[i] == FIXED ? 0.0 : l->du[i] * p->z[i];
    for (int32_t k = 0; k < p->nu; k++)
        sum -= l->dy[k] * l->goal[k];
    return sum;
}

/* ------------------------------------------------------------------ one island */

/* dy and du from F with the last factor. */
static void step_again(LeastNorm *l)
{
    RgConeRows *rows = &l->rows;
    memset(rows->step, 0, RG_CONE_NODE * (size_t)rows->nnodes * sizeof *rows->step);
    for (int32_t k = 0; k < rows->p->nu; k++)
        if (rows->node_of[k] >= 0)
            rows->step[RG_CONE_NODE * rows->node_of[k] + rows->offset_of[k]] = -l->F[k] / l->tau;
    rg_block_lu_solve(&rows->lu, rows->step, rows->spare);
    for (int32_t k = 0; k < rows->p->nu; k++)
        l->dy[k] = rows->node_of[k] >= 0 ? rows->step[RG_CONE_NODE * rows->node_of[k] + rows->offset_of[k]] : 0.0;
    for (int32_t k = 0; k < rows->ngroups; k++)
        for (int32_t i = rows->group[k].first; i < rows->group[k].first + rows->group[k].rows; i++)
            l->du[i] = cone_times(&rows->group[k], i, l->dy);
}

/* What is left of impulses v without the part that the planes' least norm makes of their velocities; v and z: room.
   Returns its square. */
static double take_away(LeastNorm *l, double *v)
{
    const RgProblem *p = l->rows.p;
    double sum = 0.0;
    project(l, l->du, true, p->z);
    for (int32_t i = 0; i < p->n; i++) {
        v[i] = l->role[i] == FIXED ? 0.0 : v[i] - p->z[i];
        sum += l->weight[i] * v[i] * l->weight[i] * v[i];
    }
    return sum;
}

static void velocities_of(LeastNorm *l, const double *v)
{
    memset(l->F, 0, (size_t)l->rows.p->nu * sizeof *l->F);
    for (int32_t k = 0; k < l->rows.ngroups; k++)
        for (int32_t i = l->rows.group[k].first; i < l->rows.group[k].first + l->rows.group[k].rows; i++)
            if (l->role[i] != FIXED)
                cone_push(&l->rows.group[k], i, -v[i], l->F);
}

/* Whether rows share loads in more ways than one: whether something of random impulses makes no velocities. Twice,
   since the first time tau leaves a little of what does. The factor is that of whole planes. False in *regular:
   singular. */
static bool is_open(LeastNorm *l, bool *regular)
{
    const RgProblem *p = l->rows.p;
    uint32_t seed = 1;
    double *v = l->w, all = 0.0;
    for (int32_t i = 0; i < p->n; i++) {
        seed = seed * 1664525u + 1013904223u;
        l->u[i] = l->weight[i] * ((double)(seed >> 8) / 8388608.0 - 1.0);
    }
    project(l, l->u, true, v);
    for (int32_t i = 0; i < p->n; i++)
        all += l->role[i] == FIXED ? 0.0 : l->weight[i] * v[i] * l->weight[i] * v[i];
    velocities_of(l, v);
    *regular = find_step(l, true);
    if (!*regular)
        return false;
    take_away(l, v);
    velocities_of(l, v);
    step_again(l);
    return take_away(l, v) > OPEN_PART * OPEN_PART * all;
}

/* Newton's method from the present y and |F|. Returns |F|. */
static double descend(LeastNorm *l, double now)
{
    double mark = now;
    for (int steps = 1; steps <= MOST && now > ROUND_OFF * l->round; steps++) {
        double last = now;
        if (!find_step(l, false))
            return INFINITY;
        now = go(l, 1.0);
        if (!(now <= WHOLE * last)) {
            now = go(l, -1.0);
            if (last <= ENOUGH * l->round) /* round-off */
                return now;
            now = go(l, rg_flat_along(slope_along, l));
        }
        if (steps % SPAN == 0) {
            if (!(now <= FALL * mark))
                return now;
            mark = now;
        }
    }
    return now;
}

static bool weighs_nothing(const LeastNorm *l, int32_t i)
{
    return l->role[i] == FREE || (l->role[i] == INTERVAL && l->rows.p->row_class[i] == RG_ROW_BOUNDED);
}

/* Measures rows of weight 0 from their present impulses. False: there are none. */
static bool move_centre(LeastNorm *l)
{
    bool any = false;
    for (int32_t i = 0; i < l->rows.p->n; i++)
        if (weighs_nothing(l, i)) {
            l->centre[i] = l->weight[i] * l->rows.p->z[i];
            any = true;
        }
    return any;
}

/* Largest change of impulses with a weight since the last call; last: takes them. */
static double changed(const LeastNorm *l, double *last)
{
    double most = 0.0;
    for (int32_t i = 0; i < l->rows.p->n; i++) {
        double z = l->rows.p->z[i];
        if (!weighs_nothing(l, i))
            most = fmax(most, fabs(z - last[i]));
        last[i] = z;
    }
    return most;
}

/* z of least norm into p->z. False: it was not reached. */
static bool minimise(LeastNorm *l)
{
    const RgProblem *p = l->rows.p;
    double *last = l->w + p->n;
    for (int32_t k = 0; k < p->nu; k++)
        l->F[k] = -l->goal[k];
    step_again(l);
    memset(l->y, 0, (size_t)p->nu * sizeof *l->y);
    memset(l->u, 0, (size_t)p->n * sizeof *l->u);
    memcpy(last, l->z0, (size_t)p->n * sizeof *last);
    double now = go(l, 1.0);
    for (int round = 0;; round++) {
        now = descend(l, now);
        if (!(now <= ENOUGH * l->round))
            return false;
        if (changed(l, last) <= ROUND_ENDS * l->most_z || round == ROUNDS || !move_centre(l))
            return true;
        now = go(l, 0.0);
    }
}

static bool take(LeastNorm *l)
{
    RgArena *arena = l->rows.arena;
    if (!rg_cone_rows_take(&l->rows))
        return false;
    size_t n = (size_t)l->rows.p->n, nu = (size_t)l->rows.p->nu;
    l->role = RG_TAKE_RAW(arena, uint8_t, n);
    l->weight = RG_TAKE_RAW(arena, double, n);
    l->along = RG_TAKE(arena, double, n);
    l->z0 = RG_TAKE_RAW(arena, double, n);
    l->centre = RG_TAKE(arena, double, n);
    l->w = RG_TAKE_RAW(arena, double, 2 * n);
    l->u = RG_TAKE_RAW(arena, double, n);
    l->du = RG_TAKE_RAW(arena, double, n);
    l->y = RG_TAKE_RAW(arena, double, 4 * nu);
    l->scratch = RG_TAKE_RAW(arena, double, SCRATCH *(size_t)l->rows.widest);
    if (arena->failed)
        return false;
    l->dy = l->y + nu;
    l->F = l->dy + nu;
    l->goal = l->F + nu;
    memcpy(l->z0, l->rows.p->z, n * sizeof *l->z0);
    return true;
}

/* Rates, and the sizes of all that is to be compared. Returns the residual, m/s. */
static double measure(LeastNorm *l)
{
    const RgConeRows *rows = &l->rows;
    const RgProblem *p = rows->p;
    double residual = rg_problem_residual(p, rows->response, NULL).velocity, sum = 0.0;
    for (int32_t k = 0; k < rows->ngroups; k++)
        for (int32_t i = rows->group[k].first; i < rows->group[k].first + rows->group[k].rows; i++) {
            l->w[i] = cone_times(&rows->group[k], i, p->s) + p->compliance[i] * p->z[i] - p->target[i];
            l->weight[i] = 1.0;
            l->most_z = fmax(l->most_z, fabs(p->z[i]));
            sum += rows->diagonal[i] * p->z[i] * p->z[i];
        }
    l->round = sqrt(sum);
    l->still = fmax(STILL * residual, l->allowed);
    return residual;
}

/* Rows that hang together. */
static bool solve_one(const void *context, RgArena *arena, RgProblem *p, RgSolveReport *report)
{
    LeastNorm l = {.rows = {.p = p, .arena = arena}, .allowed = *(const double *)context};
    *report = (RgSolveReport){.converged = true};
    if (p->n < 2)
        return true;
    if (!take(&l))
        return false;
    double residual = measure(&l);
    if (!(l.most_z > 0.0) || !isfinite(residual) || find_faces(&l) < 2)
        return true;
    if (!rg_cone_rows_plan(&l.rows))
        return false;
    bool regular, open = is_open(&l, &regular), reached = open && minimise(&l);
    if (reached)
        reached = rg_problem_residual(p, l.rows.response, NULL).velocity <= fmax(residual, l.allowed);
    if (!reached)
        memcpy(p->z, l.z0, (size_t)p->n * sizeof *p->z);
    report->indeterminate = open || !regular;
    report->as_solved = report->indeterminate && !reached;
    return true;
}

/* m/s: what rows miss without impulses, the size that tolerances are parts of; NaN: no memory. */
static double size_of(RgArena *arena, const RgProblem *p)
{
    RgProblem none = *p;
    none.s = RG_TAKE_RAW(arena, double, p->nu);
    none.z = RG_TAKE(arena, double, p->n);
    if (arena->failed)
        return NAN;
    memcpy(none.s, p->s, (size_t)p->nu * sizeof *none.s);
    for (int i = 0; i < p->n; i++)
        rg_problem_push(p, i, -p->z[i], none.s);
    return rg_problem_residual(&none, NULL, NULL).velocity;
}

bool rg_least_norm(RgArena *arena, RgProblem *p, double tolerance, RgSolveReport *report)
{
    RgSolveReport found = {0};
    rg_arena_reset(arena);
    if (p->n < 2)
        return true;
    double allowed = tolerance * size_of(arena, p);
    RgConeIslandSolve solve = {&allowed, solve_one};
    if (isnan(allowed))
        return false;
    if (!rg_cone_islands_solve(&solve, arena, p, &found))
        return false;
    report->indeterminate += found.indeterminate;
    report->as_solved += found.as_solved;
    return true;
}
