/*
 * least_norm.c - of all exact solutions with the same velocities, the one of least norm (least_norm.h).
 *
 * With velocities s and w = J s + C z - target given, the law allows each row or contact a face:
 *
 *   open             w_n > 0            z = 0
 *   sliding          w_t not 0          (z_n, z_t) = a (1, d), a >= 0, d the direction of friction
 *   sticking         w = 0              its cone or pyramid, torsion and rolling likewise
 *   bounded          w = 0              low <= z <= high;  w not 0: z is fixed
 *   bilateral        w = 0              any z
 *   soft (C > 0)                        z is fixed: w determines it
 *   missed target (attainable_targets.h) z is fixed: the velocity replaced the target
 *
 * Softness counts row by row. The friction of a soft normal, if hard, is in the disc of that known normal (sliding:
 * fixed). A hard normal whose sticking friction z_t is soft is at least |z_t| / mu; if that friction slides, C z_t may not
 * exceed |J_t s - target_t|, or it would stick: n <= |J_t s - target_t| / (C |d|).
 *
 * All z of these faces with J'z = J'z0 have the same velocities and are equally exact. Their set is convex, so
 *
 *   min 1/2 sum (weight_i z_i)^2        J'z = J'z0,   z within its faces
 *
 * has a unique solution. It depends on the motion alone, not on the order of rows, tangent bases, solver or initial
 * guess. In a symmetric scene the forces are symmetric.
 *
 * Weights. Normals and tangents 1: the norm is the root of the sum of |f|^2 over contacts (on an elliptic cone tangents
 * are scaled by its axes, with geometric mean 1). Torsion, rolling: sqrt(A_ii / A), A the mean response of the normals,
 * so that a moment counts as the force with the same effect. Joints, motors, limits: 0. They carry what contacts leave
 * to them, so that both coordinate forms have the same forces; among themselves they share by least norm too, weighted
 * by sqrt(A_ii).
 *
 * Method. The dual: z(y) = P(J y), P the projection onto the faces in the metric of the weights, and F(y) = J'z(y) -
 * J'z0 = 0, the gradient of a convex function of velocities y. Newton's method (P is semismooth; Qi, Sun 1993) with
 *
 *   (tau + sum of L'L / m) dy = -F        over active rows, m their squared weight (of a ray M)
 *
 * on the sparse matrix of solver `cone` (cone_rows.h), by exact line search if a full step does not lower |F|. It
 * starts with each face extended to its plane; if no cone or bound is active, this is the solution. Weight 0 is
 * replaced by the small weight ROW_WEIGHT, with z measured from its last value (method of multipliers, Hestenes 1969),
 * which converges by ROW_WEIGHT^2 per round.
 *
 * P of a contact: n (1, d) along sliding rows, and discs |x_k| <= r_k n of sticking ones; with M = |(1, d)|^2
 *
 *   M (n - a) = sum over |x_k| > r_k n of r_k (|x_k| - r_k n)       n by the largest |x_k| / r_k first
 *
 * Cost: one factorisation to decide whether forces are unique; if they are not, about four more. Failure: if only
 * curved boundaries of cones allow a solution, the dual has none. After MAX_STEPS steps, or if rows would miss the law
 * by more than what counts as w = 0, z0 is kept and the island is reported.
 */
#include "solver/cone/least_norm.h"

#include "math/flat_along.h"
#include "solver/cone/cone_islands.h"
#include "solver/cone/cone_rows.h"
#include "solver/cone_projection.h"

#include <string.h>

/* Weight of joints, motors and limits, whose exact weight is 0. */
#define ROW_WEIGHT 1e-2

/* Rounds of multipliers, at most; they end when a round changes no impulse with a weight by more than ROUND_CHANGE of
   the largest impulse. */
#define MAX_ROUNDS 6
#define ROUND_CHANGE 1e-11

/* tau relative to the least response of a row. */
#define TAU 1e-9

/* Part of the mean response below which a response is left out of tau. */
#define ZERO_RESPONSE 1e-9

/* Newton steps of a round, at most. */
#define MAX_STEPS 30

/* |F| relative to the velocities that the impulses cause: round-off, and the largest accepted value. */
#define ROUND_OFF 2e-15
#define ACCEPTED 1e-11

/* A full step is accepted if it brings |F| below FULL_STEP_DECREASE of its value; CHECK_INTERVAL steps must bring it
   below MIN_PROGRESS. */
#define FULL_STEP_DECREASE 0.999
#define MIN_PROGRESS 0.5
#define CHECK_INTERVAL 6

/* Scratch rows of a contact: along sliding rows, and across two discs. */
#define SCRATCH_ROWS 3

/* Velocities below this multiple of the residual count as 0. */
#define ZERO_VELOCITY 4.0

/* Part of the velocities that impulses cause: a residual below it is round-off, whatever the tolerance. */
#define LEAST_TOLERANCE 1e-12

/* Part of the largest impulse above which a normal is loaded: its friction impulse gives the sliding direction more
   accurately than w. */
#define LOADED_PART 1e-6

/* Part of a random vector of impulses that must cause no velocities for the forces to count as indeterminate. */
#define INDETERMINATE_PART 1e-5

/* Role of a row in its face. */
typedef enum Role {
    FIXED,    /* z as given */
    KNOWN,    /* the same, of a normal whose friction is not fixed */
    ALONG,    /* a part of the ray of a contact: its normal, and its sliding friction */
    DISC,     /* sticking friction, |z| bounded by the normal */
    INTERVAL, /* within bounds */
    FREE      /* any z */
} Role;

typedef struct LeastNorm {
    RgConeRows rows;
    uint8_t *role;
    double *weight, *along;            /* n; ALONG: z relative to the normal impulse; DISC: its largest value */
    double *least, *most;              /* n: smallest and largest impulse of a normal */
    double *z0, *centre;               /* n: z as given; INTERVAL, FREE: z is measured from centre, weighted */
    double *w, *u, *du;                /* 2 n, n, n: row velocities, then scratch; J y and its step */
    double *y, *dy, *F, *goal;         /* nu; goal: J'z0 of rows that are not fixed */
    double *scratch;                   /* SCRATCH_ROWS x widest */
    double tau, zero_velocity, most_z; /* regularisation tau; m/s: w below zero_velocity counts as 0; largest impulse */
    double allowed, impulse_velocity;  /* m/s: residual that is allowed; norm of the velocities that impulses cause */
} LeastNorm;

/* ------------------------------------------------------------------ faces */

/* Length of (x, y), by operations that round alike on every machine. */
static double length_of(double x, double y)
{
    return sqrt(x * x + y * y);
}

static bool is_contact(const LeastNorm *l, const RgConeGroup *g)
{
    return l->rows.p->row_class[g->first] == RG_ROW_NORMAL;
}

static bool is_given(const LeastNorm *l, int32_t i)
{
    return l->role[i] == FIXED || l->role[i] == KNOWN;
}

/* Whether some impulses of a contact are not given. */
static bool is_shared(const LeastNorm *l, const RgConeGroup *g)
{
    return is_contact(l, g) && l->role[g->first] != FIXED;
}

/* Whether a hard normal keeps its impulse because two friction rows that share a cone are not equally soft. */
static bool is_tied(const LeastNorm *l, const RgConeGroup *g)
{
    const RgProblem *p = l->rows.p;
    for (int32_t i = g->first + 1; i < g->first + g->rows && !(p->compliance[g->first] > 0.0); i++)
        if (p->cone[i] && p->compliance[i] != p->compliance[i + 1])
            return true;
    return false;
}

/* Bounds the normal of sliding friction of compliance C: move is |J_t s - target_t|, d the friction along with it. */
static void bound_sliding(LeastNorm *l, const RgConeGroup *g, double C, double move, double d)
{
    if (C > 0.0 && d > 0.0)
        l->most[g->first] = fmin(l->most[g->first], move / (C * d));
}

/* Face of a single friction row i. scale: weight of its kind. */
static void set_face_of_row(LeastNorm *l, const RgConeGroup *g, int32_t i, double scale)
{
    const RgProblem *p = l->rows.p;
    double n = l->z0[g->first], mu = p->high[i];
    bool sticks = fabs(l->w[i]) <= l->zero_velocity;
    l->weight[i] = scale;
    if (p->row_class[i] == RG_ROW_BOX)
        l->role[i] = sticks && !(p->compliance[i] > 0.0) ? INTERVAL : FIXED;
    else if (p->compliance[i] > 0.0 && mu > 0.0 && sticks)
        l->least[g->first] = fmax(l->least[g->first], fabs(l->z0[i]) / mu);
    else if (mu > 0.0 && sticks) {
        l->role[i] = DISC;
        l->along[i] = mu;
    } else if (mu > 0.0 && l->role[g->first] != KNOWN) {
        l->role[i] = ALONG;
        l->along[i] = n > LOADED_PART * l->most_z ? l->z0[i] / n : l->w[i] > 0.0 ? -mu : mu;
        bound_sliding(l, g, p->compliance[i], fabs(l->w[i] - p->compliance[i] * l->z0[i]), fabs(l->along[i]));
    }
}

/* Face of friction rows i and i + 1, which share a cone and stick, if some are soft. */
static void set_face_of_soft_pair(LeastNorm *l, const RgConeGroup *g, int32_t i)
{
    const RgProblem *p = l->rows.p;
    double used[2] = {l->z0[i] / p->high[i], l->z0[i + 1] / p->high[i + 1]}, n = l->z0[g->first];
    l->least[g->first] = fmax(l->least[g->first], length_of(used[0], used[1]));
    for (int k = 0; k < 2; k++) {
        if (p->compliance[i + k] > 0.0)
            continue;
        l->role[i + k] = DISC;
        l->along[i + k] = n > 0.0 ? p->high[i + k] * sqrt(fmax(n * n - used[1 - k] * used[1 - k], 0.0)) / n : 0.0;
    }
}

/* Face of friction rows i and i + 1, which share a cone. */
static void set_face_of_pair(LeastNorm *l, const RgConeGroup *g, int32_t i, double scale)
{
    const RgProblem *p = l->rows.p;
    double a = p->high[i], b = p->high[i + 1], n = l->z0[g->first],
           slip = sqrt(l->w[i] * l->w[i] + l->w[i + 1] * l->w[i + 1]);
    if (!(a > 0.0 && b > 0.0)) {
        set_face_of_row(l, g, i, scale);
        set_face_of_row(l, g, i + 1, scale);
        return;
    }
    bool sticks = slip <= l->zero_velocity, soft = p->compliance[i] > 0.0 || p->compliance[i + 1] > 0.0;
    double mean = sqrt(a * b), turn, d[2] = {-l->w[i] / slip, -l->w[i + 1] / slip};
    for (int k = 0; k < 2; k++) {
        l->weight[i + k] = scale * mean / p->high[i + k];
        if (sticks && !soft) {
            l->role[i + k] = DISC;
            l->along[i + k] = p->high[i + k];
        } else if (!sticks && l->role[g->first] != KNOWN) {
            l->role[i + k] = ALONG;
            l->along[i + k] = n > LOADED_PART * l->most_z ? l->z0[i + k] / n : ellipse_radius(a, b, d, &turn) * d[k];
        }
    }
    if (sticks && soft)
        set_face_of_soft_pair(l, g, i);
    else if (l->role[i] == ALONG)
        bound_sliding(l, g, p->compliance[i],
                      length_of(l->w[i] - p->compliance[i] * l->z0[i], l->w[i + 1] - p->compliance[i] * l->z0[i + 1]),
                      length_of(l->along[i], l->along[i + 1]));
}

/* Face of a contact. mean: response of the normals. */
static void set_face_of_contact(LeastNorm *l, const RgConeGroup *g, double mean)
{
    const RgProblem *p = l->rows.p;
    int32_t end = g->first + g->rows;
    bool open = fabs(l->w[g->first]) > l->zero_velocity;
    if (open || is_tied(l, g) || (end < p->n && p->normal[end] == g->first))
        return;
    l->role[g->first] = p->compliance[g->first] > 0.0 ? KNOWN : ALONG;
    l->most[g->first] = INFINITY;
    l->along[g->first] = l->weight[g->first] = 1.0;
    for (int32_t i = g->first + 1; i < end; i++) {
        bool tangent = g->rows >= 3 && i <= g->first + 2;
        double scale = tangent ? 1.0 : sqrt(l->rows.response[i] / mean);
        if (p->cone[i])
            set_face_of_pair(l, g, i++, scale);
        else
            set_face_of_row(l, g, i, scale);
    }
}

/* Face of a row that belongs to no contact. */
static void set_face_of_single(LeastNorm *l, int32_t i, double mean)
{
    const RgProblem *p = l->rows.p;
    bool bilateral = p->row_class[i] == RG_ROW_BILATERAL, friction = p->row_class[i] == RG_ROW_FRICTION;
    if (friction || p->compliance[i] > 0.0 || fabs(l->w[i]) > l->zero_velocity || !(l->rows.diagonal[i] > 0.0))
        return;
    l->role[i] = bilateral ? FREE : INTERVAL;
    l->weight[i] = ROW_WEIGHT * sqrt(l->rows.diagonal[i] / mean);
}

/* Mean response of the normals in contact; of all rows if there are none. */
static double mean_response(const LeastNorm *l)
{
    const RgProblem *p = l->rows.p;
    double sum[2] = {0.0, 0.0};
    int count[2] = {0, 0};
    for (int32_t i = 0; i < p->n; i++) {
        bool normal = p->row_class[i] == RG_ROW_NORMAL && fabs(l->w[i]) <= l->zero_velocity;
        sum[normal] += l->rows.diagonal[i] - p->compliance[i];
        count[normal]++;
    }
    return count[1] > 0 ? sum[1] / count[1] : sum[0] / count[0];
}

/* Finds the faces of all rows, goal and tau. Returns the number of impulses that are not fixed. */
static int find_faces(LeastNorm *l)
{
    RgConeRows *rows = &l->rows;
    const RgProblem *p = rows->p;
    double mean = mean_response(l), least = INFINITY;
    int free_count = 0;
    memset(l->role, FIXED, (size_t)p->n * sizeof *l->role);
    for (int32_t k = 0; k < rows->ngroups; k++)
        if (is_contact(l, &rows->group[k]))
            set_face_of_contact(l, &rows->group[k], mean);
        else
            for (int32_t i = rows->group[k].first; i < rows->group[k].first + rows->group[k].rows; i++)
                set_face_of_single(l, i, mean);
    memset(l->goal, 0, (size_t)p->nu * sizeof *l->goal);
    for (int32_t k = 0; k < rows->ngroups; k++)
        for (int32_t i = rows->group[k].first; i < rows->group[k].first + rows->group[k].rows; i++) {
            if (is_given(l, i))
                continue;
            free_count += l->role[i] != ALONG || i == rows->group[k].first;
            if (rows->diagonal[i] > ZERO_RESPONSE * mean)
                least = fmin(least, rows->diagonal[i] / (l->weight[i] * l->weight[i]));
            cone_apply_impulse(&rows->group[k], i, l->z0[i], l->goal);
        }
    l->tau = TAU * least;
    return free_count;
}

/* ------------------------------------------------------------------ projection */

/* Sticking friction of one normal: one row, or two of a cone. */
typedef struct Disc {
    int32_t first, rows;
    double x[2], size, radius; /* weighted; radius relative to the normal impulse */
    bool edge;
} Disc;

/* Finds the discs of a contact, in the order in which they become active. Returns their number. */
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
        now.size = length_of(now.x[0], now.x[1]);
        now.radius = l->weight[i] * l->along[i];
        int at = count++;
        for (; at > 0 && disc[at - 1].size * now.radius < now.size * disc[at - 1].radius; at--)
            disc[at] = disc[at - 1];
        disc[at] = now;
        i += now.rows - 1;
    }
    return count;
}

/* Projection of a contact: normal impulse n, M (head comment), discs. moves: n is not at a bound. */
typedef struct ContactProjection {
    double n, M;
    bool moves;
    int discs;
    Disc disc[RG_CONE_ROWS];
} ContactProjection;

/* plane: faces are extended to their planes, bounds are ignored. */
static void project_contact(const LeastNorm *l, const RgConeGroup *g, const double *u, bool plane, ContactProjection *t)
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
    t->moves = l->role[g->first] == ALONG;
    t->n = t->moves ? sum / t->M : l->z0[g->first];
    for (int k = 0; k < t->discs && !plane && t->moves; k++) {
        Disc *disc = &t->disc[k];
        disc->edge = disc->size > disc->radius * t->n;
        if (!disc->edge)
            break;
        sum += disc->radius * disc->size;
        t->M += disc->radius * disc->radius;
        t->n = sum / t->M;
    }
    double least = l->least[g->first], most = l->most[g->first];
    if (plane || (t->moves && t->n > least && t->n < most))
        return;
    t->n = t->moves ? interval_project(t->n, least, most) : t->n;
    t->moves = false;
    for (int k = 0; k < t->discs; k++)
        t->disc[k].edge = t->disc[k].size > t->disc[k].radius * t->n;
}

static void impulses_of_contact(const LeastNorm *l, const RgConeGroup *g, const ContactProjection *t, double *z)
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

/* Impulse of a single row. True: it is between its bounds. */
static bool project_single(const LeastNorm *l, int32_t i, const double *u, bool plane, double *z)
{
    const RgProblem *p = l->rows.p;
    double x = (l->centre[i] + u[i] / l->weight[i]) / l->weight[i];
    bool inside = plane || l->role[i] == FREE || (x > p->low[i] && x < p->high[i]);
    *z = inside ? x : interval_project(x, p->low[i], p->high[i]);
    return inside;
}

/* Impulses z = P(u) of all rows. */
static void project(const LeastNorm *l, const double *u, bool plane, double *z)
{
    for (int32_t k = 0; k < l->rows.ngroups; k++) {
        const RgConeGroup *g = &l->rows.group[k];
        ContactProjection t;
        if (is_shared(l, g)) {
            project_contact(l, g, u, plane, &t);
            impulses_of_contact(l, g, &t, z);
        }
        for (int32_t i = g->first; i < g->first + g->rows; i++) {
            if (l->role[i] == INTERVAL || l->role[i] == FREE)
                project_single(l, i, u, plane, &z[i]);
            else if (is_given(l, i))
                z[i] = l->z0[i];
        }
    }
}

/* F of the impulses z. Returns |F|. */
static double evaluate_F(LeastNorm *l, const double *z)
{
    const RgConeRows *rows = &l->rows;
    double sum = 0.0;
    for (int32_t k = 0; k < rows->p->nu; k++)
        l->F[k] = -l->goal[k];
    for (int32_t k = 0; k < rows->ngroups; k++)
        for (int32_t i = rows->group[k].first; i < rows->group[k].first + rows->group[k].rows; i++)
            if (!is_given(l, i) && z[i] != 0.0)
                cone_apply_impulse(&rows->group[k], i, z[i], l->F);
    for (int32_t k = 0; k < rows->p->nu; k++)
        sum += l->F[k] * l->F[k];
    return sqrt(sum);
}

/* ------------------------------------------------------------------ a step */

/* Appends an active row with L = J. */
static void append_active_row(RgConeActiveRows *out, const double *J, double per)
{
    out->row[out->count++] = (RgConeActiveRow){J, J, per};
}

/* Active rows of a contact. */
static void add_active_rows(LeastNorm *l, const RgConeGroup *g, bool plane, RgConeActiveRows *out)
{
    ContactProjection t;
    double *along = l->scratch, *across = along + g->columns;
    project_contact(l, g, l->u, plane, &t);
    if (!plane && !(t.n > 0.0))
        return;
    memset(along, 0, (size_t)g->columns * sizeof *along);
    for (int32_t i = g->first; i < g->first + g->rows; i++)
        if (l->role[i] == ALONG)
            cone_add_scaled_row(g, i, l->along[i], along);
    for (int k = 0; k < t.discs; k++) {
        const Disc *disc = &t.disc[k];
        for (int32_t j = disc->first; j < disc->first + disc->rows; j++)
            if (disc->edge && t.moves)
                cone_add_scaled_row(g, j, disc->radius * disc->x[j - disc->first] / (disc->size * l->weight[j]), along);
            else if (!disc->edge)
                append_active_row(out, cone_row(g, j), 1.0 / (l->tau * l->weight[j] * l->weight[j]));
        if (disc->edge && disc->rows == 2) {
            memset(across, 0, (size_t)g->columns * sizeof *across);
            cone_add_scaled_row(g, disc->first, -disc->x[1] / (disc->size * l->weight[disc->first]), across);
            cone_add_scaled_row(g, disc->first + 1, disc->x[0] / (disc->size * l->weight[disc->first + 1]), across);
            append_active_row(out, across, disc->radius * t.n / (disc->size * l->tau));
            across += g->columns;
        }
    }
    if (t.moves)
        append_active_row(out, along, 1.0 / (l->tau * t.M));
}

/* dy and du from F. False: the system is singular. */
static bool find_step(LeastNorm *l, bool plane)
{
    RgConeRows *rows = &l->rows;
    double *slope = l->dy;
    for (int32_t k = 0; k < rows->p->nu; k++)
        slope[k] = l->F[k] / l->tau;
    rg_cone_rows_reset_system(rows, slope);
    for (int32_t k = 0; k < rows->ngroups; k++) {
        const RgConeGroup *g = &rows->group[k];
        RgConeActiveRows out = {.count = 0};
        if (is_shared(l, g))
            add_active_rows(l, g, plane, &out);
        for (int32_t i = g->first; i < g->first + g->rows; i++) {
            double unused;
            if ((l->role[i] == INTERVAL || l->role[i] == FREE) && project_single(l, i, l->u, plane, &unused))
                append_active_row(&out, cone_row(g, i), 1.0 / (l->tau * l->weight[i] * l->weight[i]));
        }
        if (out.count > 0)
            rg_cone_rows_add_active(rows, g, &out);
    }
    return rg_cone_rows_solve(rows, l->dy, l->du);
}

/* Moves y and u by `part` of the step. Returns |F| there. */
static double move_along_step(LeastNorm *l, double part)
{
    for (int32_t k = 0; k < l->rows.p->nu; k++)
        l->y[k] += part * l->dy[k];
    for (int32_t i = 0; i < l->rows.p->n; i++)
        l->u[i] += part * l->du[i];
    project(l, l->u, false, l->rows.p->z);
    return evaluate_F(l, l->rows.p->z);
}

/* dy . F at `part` of the step; w is scratch. */
static double slope_along(const void *context, double part)
{
    const LeastNorm *l = context;
    const RgProblem *p = l->rows.p;
    double sum = 0.0, *u = l->w;
    for (int32_t i = 0; i < p->n; i++)
        u[i] = l->u[i] + part * l->du[i];
    project(l, u, false, p->z);
    for (int32_t i = 0; i < p->n; i++)
        sum += is_given(l, i) ? 0.0 : l->du[i] * p->z[i];
    for (int32_t k = 0; k < p->nu; k++)
        sum -= l->dy[k] * l->goal[k];
    return sum;
}

/* ------------------------------------------------------------------ one island */

/* dy and du from F with the last factor. */
static void find_step_with_last_factor(LeastNorm *l)
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
            l->du[i] = cone_row_times(&rows->group[k], i, l->dy);
}

/* Subtracts from the impulses v the impulses of least norm (on planes) with the same velocities. Returns the squared
   norm of the rest. Overwrites p->z. */
static double subtract_least_norm(LeastNorm *l, double *v)
{
    const RgProblem *p = l->rows.p;
    double sum = 0.0;
    project(l, l->du, true, p->z);
    for (int32_t i = 0; i < p->n; i++) {
        v[i] = is_given(l, i) ? 0.0 : v[i] - p->z[i];
        sum += l->weight[i] * v[i] * l->weight[i] * v[i];
    }
    return sum;
}

/* F = -J'v over rows that are not fixed. */
static void set_F_from_impulses(LeastNorm *l, const double *v)
{
    memset(l->F, 0, (size_t)l->rows.p->nu * sizeof *l->F);
    for (int32_t k = 0; k < l->rows.ngroups; k++)
        for (int32_t i = l->rows.group[k].first; i < l->rows.group[k].first + l->rows.group[k].rows; i++)
            if (!is_given(l, i))
                cone_apply_impulse(&l->rows.group[k], i, -v[i], l->F);
}

/* Whether rows can share loads in more than one way, that is, whether a part of random impulses causes no velocities.
   The subtraction is done twice, since tau leaves a small error the first time. The factor is that of the planes.
   *regular false: the matrix is singular. */
static bool is_indeterminate(LeastNorm *l, bool *regular)
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
        all += is_given(l, i) ? 0.0 : l->weight[i] * v[i] * l->weight[i] * v[i];
    set_F_from_impulses(l, v);
    *regular = find_step(l, true);
    if (!*regular)
        return false;
    subtract_least_norm(l, v);
    set_F_from_impulses(l, v);
    find_step_with_last_factor(l);
    return subtract_least_norm(l, v) > INDETERMINATE_PART * INDETERMINATE_PART * all;
}

/* Newton's method from the present y; now: its |F|. Returns |F|. */
static double solve_dual(LeastNorm *l, double now)
{
    double mark = now;
    for (int steps = 1; steps <= MAX_STEPS && now > ROUND_OFF * l->impulse_velocity; steps++) {
        double last = now;
        if (!find_step(l, false))
            return INFINITY;
        now = move_along_step(l, 1.0);
        if (!(now <= FULL_STEP_DECREASE * last)) {
            now = move_along_step(l, -1.0);
            if (last <= ACCEPTED * l->impulse_velocity) /* round-off */
                return now;
            now = move_along_step(l, rg_line_search(slope_along, l));
        }
        if (steps % CHECK_INTERVAL == 0) {
            if (!(now <= MIN_PROGRESS * mark))
                return now;
            mark = now;
        }
    }
    return now;
}

/* Rows whose exact weight is 0. */
static bool has_zero_weight(const LeastNorm *l, int32_t i)
{
    return l->role[i] == FREE || (l->role[i] == INTERVAL && l->rows.p->row_class[i] == RG_ROW_BOUNDED);
}

/* Sets the centre of rows of weight 0 to their present impulses. False: there are none. */
static bool update_centre(LeastNorm *l)
{
    bool any = false;
    for (int32_t i = 0; i < l->rows.p->n; i++)
        if (has_zero_weight(l, i)) {
            l->centre[i] = l->weight[i] * l->rows.p->z[i];
            any = true;
        }
    return any;
}

/* Largest change of impulses with a weight since `last`, which is then updated. */
static double largest_change(const LeastNorm *l, double *last)
{
    double most = 0.0;
    for (int32_t i = 0; i < l->rows.p->n; i++) {
        double z = l->rows.p->z[i];
        if (!has_zero_weight(l, i))
            most = fmax(most, fabs(z - last[i]));
        last[i] = z;
    }
    return most;
}

/* Impulses of least norm into p->z. False: not reached. */
static bool minimise(LeastNorm *l)
{
    const RgProblem *p = l->rows.p;
    double *last = l->w + p->n;
    for (int32_t k = 0; k < p->nu; k++)
        l->F[k] = -l->goal[k];
    find_step_with_last_factor(l);
    memset(l->y, 0, (size_t)p->nu * sizeof *l->y);
    memset(l->u, 0, (size_t)p->n * sizeof *l->u);
    memcpy(last, l->z0, (size_t)p->n * sizeof *last);
    double now = move_along_step(l, 1.0);
    for (int round = 0;; round++) {
        now = solve_dual(l, now);
        if (!(now <= ACCEPTED * l->impulse_velocity))
            return false;
        if (largest_change(l, last) <= ROUND_CHANGE * l->most_z || round == MAX_ROUNDS || !update_centre(l))
            return true;
        now = move_along_step(l, 0.0);
    }
}

static bool alloc_state(LeastNorm *l)
{
    RgArena *arena = l->rows.arena;
    if (!rg_cone_rows_alloc(&l->rows))
        return false;
    size_t n = (size_t)l->rows.p->n, nu = (size_t)l->rows.p->nu;
    l->role = RG_ARENA_ALLOC_RAW(arena, uint8_t, n);
    l->weight = RG_ARENA_ALLOC_RAW(arena, double, n);
    l->along = RG_ARENA_ALLOC(arena, double, n);
    l->least = RG_ARENA_ALLOC(arena, double, n);
    l->most = RG_ARENA_ALLOC(arena, double, n);
    l->z0 = RG_ARENA_ALLOC_RAW(arena, double, n);
    l->centre = RG_ARENA_ALLOC(arena, double, n);
    l->w = RG_ARENA_ALLOC_RAW(arena, double, 2 * n);
    l->u = RG_ARENA_ALLOC_RAW(arena, double, n);
    l->du = RG_ARENA_ALLOC_RAW(arena, double, n);
    l->y = RG_ARENA_ALLOC_RAW(arena, double, 4 * nu);
    l->scratch = RG_ARENA_ALLOC_RAW(arena, double, SCRATCH_ROWS *(size_t)l->rows.widest);
    if (arena->failed)
        return false;
    l->dy = l->y + nu;
    l->F = l->dy + nu;
    l->goal = l->F + nu;
    memcpy(l->z0, l->rows.p->z, n * sizeof *l->z0);
    return true;
}

/* Targets become the velocities reached, so that a target that contradicts other rows (attainable_targets.h) is no
   residual of the solution. Its own row has w not 0 beside the tolerances, and keeps its impulse. */
static bool take_reached_targets(LeastNorm *l)
{
    RgProblem *p = l->rows.p;
    if (p->asks == NULL)
        return true;
    double *target = RG_ARENA_ALLOC_RAW(l->rows.arena, double, p->n);
    if (target == NULL)
        return false;
    for (int32_t i = 0; i < p->n; i++)
        target[i] = p->target[i] + (p->asks[i] ? l->w[i] : 0.0);
    p->target = target;
    return true;
}

/* Row velocities and the scales of all tolerances. Returns the residual, m/s; NaN: no memory. */
static double compute_scales(LeastNorm *l)
{
    const RgConeRows *rows = &l->rows;
    const RgProblem *p = rows->p;
    double sum = 0.0;
    for (int32_t k = 0; k < rows->ngroups; k++)
        for (int32_t i = rows->group[k].first; i < rows->group[k].first + rows->group[k].rows; i++) {
            l->w[i] = cone_row_times(&rows->group[k], i, p->s) + p->compliance[i] * p->z[i] - p->target[i];
            l->weight[i] = 1.0;
            l->most_z = fmax(l->most_z, fabs(p->z[i]));
            sum += rows->diagonal[i] * p->z[i] * p->z[i];
        }
    if (!take_reached_targets(l))
        return NAN;
    double residual = rg_problem_residual(p, rows->response, NULL).velocity;
    l->impulse_velocity = sqrt(sum);
    l->allowed = fmax(l->allowed, LEAST_TOLERANCE * l->impulse_velocity);
    l->zero_velocity = fmax(ZERO_VELOCITY * residual, l->allowed);
    return residual;
}

/* One island of coupled rows. */
static bool solve_island(const void *context, RgArena *arena, RgProblem *p, RgSolveReport *report)
{
    RgProblem with_targets = *p;
    LeastNorm l = {.rows = {.p = &with_targets, .arena = arena}, .allowed = *(const double *)context};
    *report = (RgSolveReport){.converged = true};
    if (p->n < 2)
        return true;
    if (!alloc_state(&l))
        return false;
    double residual = compute_scales(&l);
    if (!(l.most_z > 0.0) || !isfinite(residual) || find_faces(&l) < 2)
        return true;
    if (!rg_cone_rows_plan(&l.rows))
        return false;
    bool regular, indeterminate = is_indeterminate(&l, &regular), reached = indeterminate && minimise(&l);
    if (reached)
        reached = rg_problem_residual(&with_targets, l.rows.response, NULL).velocity <= l.zero_velocity;
    if (!reached)
        memcpy(p->z, l.z0, (size_t)p->n * sizeof *p->z);
    report->indeterminate = indeterminate || !regular;
    report->as_solved = report->indeterminate && !reached;
    return true;
}

/* m/s: residual without impulses, to which tolerances are relative; NaN: no memory. */
static double residual_without_impulses(RgArena *arena, const RgProblem *p)
{
    RgProblem none = *p;
    none.s = RG_ARENA_ALLOC_RAW(arena, double, p->nu);
    none.z = RG_ARENA_ALLOC(arena, double, p->n);
    if (arena->failed)
        return NAN;
    memcpy(none.s, p->s, (size_t)p->nu * sizeof *none.s);
    for (int i = 0; i < p->n; i++)
        rg_problem_apply_impulse(p, i, -p->z[i], none.s);
    return rg_problem_residual(&none, NULL, NULL).velocity;
}

bool rg_least_norm(RgArena *arena, RgProblem *p, double tolerance, RgSolveReport *report)
{
    RgSolveReport found = {0};
    rg_arena_reset(arena);
    if (p->n < 2)
        return true;
    double allowed = tolerance * residual_without_impulses(arena, p);
    RgConeIslandSolve solve = {&allowed, solve_island};
    if (isnan(allowed))
        return false;
    if (!rg_cone_islands_solve(&solve, arena, p, &found))
        return false;
    report->indeterminate += found.indeterminate;
    report->as_solved += found.as_solved;
    return true;
}
