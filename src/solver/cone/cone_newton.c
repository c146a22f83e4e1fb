/*
 * cone_newton.c - one step of the proximal method on Coulomb's law, by Newton's method in velocities.
 *
 * With z_k the last impulses, s_k = s* + J' z_k their velocities, w_k = J s_k + C z_k - target, A the responses and E =
 * C + a A, velocities s = s_k + x give u = w_k + J x, and impulses follow from them row by row:
 *
 *   normal, bounded   z = y brought back to its bounds, y = z_k - u / E
 *   friction          z = y brought back to the interval or ellipse of half axes mu z_n, along the radius
 *
 * A contact is a normal and its friction rows: two tangents, torsion, two of rolling, each bounded by the same normal.
 * Wanted is
 *
 *   F(x) = x - J' (z(u) - z_k) = 0
 *
 * at whose root z solves w(z) + a A (z - z_k) in place of w(z): Coulomb's law with a term that vanishes where z stops
 * moving.
 *
 * Newton's method: F is piecewise smooth and semismooth (Alart and Curnier 1991; Qi and Sun 1993),
 *
 *   F' = 1 + sum of L' J / E       over rows that hold
 *
 * L is J for a row that stands alone. Friction that slides along d follows its normal, z_d = mu z_n: L_n = J_n + mu
 * J_d, which makes F' unsymmetric. Across it, with e at right angles to d and b the radius, 1 / E becomes (b / |y|) /
 * E; on an ellipse the radius turns with the direction, L_e = J_e + (b' / b) J_d. The matrix has a block for each pair
 * of bodies in contact (block_lu.h); W = J J' + C is never formed. The 1 keeps it regular, however many rows depend on
 * each other.
 *
 * A step is taken whole where |F| falls. Else it ends where dx . F along it is zero: with friction of given radius F is
 * the slope of a convex function, and that is its least point; with radii that follow the normals it still is the
 * better rule (50 problems of a falling tower took 250 steps on average, 420 with steps halved until |F| falls).
 *
 * Convergence: quadratic near a root at which F' is regular. From afar there is no proof, Coulomb's law being no
 * gradient; for a A above (1 + mu) |J|^2 F is x less a contraction, and has one root. Failure: |F| has not fallen to
 * FALL in SPAN steps, or the matrix is singular. The caller takes a larger a.
 */
#include "solver/cone/cone_newton.h"

#include "math/flat_along.h"
#include "solver/cone_projection.h"

#include <string.h>

/* What a group may slide in: L of the normal, and J and L of two pairs. */
#define SCRATCH 5

/* Rows may miss this part of what they miss anyway, a A |z - z_k|; a whole step must bring |F| below this part. */
#define INNER_PART 0.03
#define WHOLE 0.999

/* The least |F| so far must fall to that part in so many steps. */
#define FALL 0.9
#define SPAN 4

bool rg_cone_newton_take(RgConeNewton *c)
{
    RgArena *arena = c->rows->arena;
    const RgProblem *p = c->rows->p;
    size_t n = (size_t)p->n, nu = (size_t)p->nu;
    c->centre = RG_TAKE_RAW(arena, double, n);
    c->u = RG_TAKE_RAW(arena, double, n);
    c->du = RG_TAKE_RAW(arena, double, n);
    c->soft = RG_TAKE_RAW(arena, double, n);
    c->per = RG_TAKE_RAW(arena, double, n);
    c->x = RG_TAKE_RAW(arena, double, nu);
    c->dx = RG_TAKE_RAW(arena, double, nu);
    c->F = RG_TAKE_RAW(arena, double, nu);
    c->scratch = RG_TAKE_RAW(arena, double, SCRATCH *(size_t)c->rows->widest);
    c->root_A = 0.0;
    for (int32_t i = 0; i < p->n; i++)
        c->root_A = fmax(c->root_A, sqrt(c->rows->response[i]));
    return !arena->failed && rg_cone_rows_plan(c->rows);
}

/* ------------------------------------------------------------------ the law */

typedef enum Place { AT_BOUND, HOLDS, FOLLOWS, SLIDES } Place;

/* Where a row is, or two rows of a cone. FOLLOWS: at a bound mu z_n of its own; SLIDES: two at the edge. */
typedef struct Law {
    Place place;
    double mu, turn, d[2]; /* radius over z_n; SLIDES: b' / b, direction */
    double part;           /* SLIDES: b / |y| */
} Law;

/* law: NULL: not requested, here and below. */
static inline void answer_row(const RgConeNewton *c, int32_t i, double u, double n, double *z, Law *law)
{
    const RgProblem *p = c->rows->p;
    bool friction = p->row_class[i] == RG_ROW_FRICTION;
    double high = friction ? p->high[i] * n : p->high[i], low = friction ? -high : p->low[i];
    double y = c->centre[i] - u * c->per[i];
    bool inside = y > low && y < high, down = y <= low;
    *z = inside ? y : down ? low : high;
    if (law == NULL)
        return;
    law->place = inside ? HOLDS : friction && n > 0.0 ? FOLLOWS : AT_BOUND;
    law->mu = down ? -p->high[i] : p->high[i];
}

static inline void answer_pair(const RgConeNewton *c, int32_t i, const double u[2], double n, double z[2], Law *law)
{
    const RgProblem *p = c->rows->p;
    double a = p->high[i], b = p->high[i + 1], x = c->centre[i] - u[0] * c->per[i];
    double y = c->centre[i + 1] - u[1] * c->per[i], square = x * x + y * y, least = (a < b ? a : b) * n;
    z[0] = x;
    z[1] = y;
    if (law != NULL)
        law->place = HOLDS;
    if (square <= least * least)
        return;
    double size = sqrt(square), d[2] = {x / size, y / size}, turn, mu = ellipse_radius(a, b, d, &turn);
    double bound = mu * n;
    if (size <= bound)
        return;
    z[0] = bound * d[0];
    z[1] = bound * d[1];
    if (law != NULL)
        *law = (Law){bound > 0.0 ? SLIDES : AT_BOUND, mu, turn, {d[0], d[1]}, bound / size};
}

/* Impulses of a group at its velocities u. Of a pair the first law counts. */
static inline void answer(const RgConeNewton *c, const RgConeGroup *g, const double *u, double *z, Law *law)
{
    const RgProblem *p = c->rows->p;
    bool alone = p->row_class[g->first] == RG_ROW_FRICTION; /* its normal is in a group before */
    double n = alone ? p->z[p->normal[g->first]] : 0.0;
    for (int32_t k = 0; k < g->rows; k++) {
        int32_t i = g->first + k;
        bool pair = p->cone[i];
        Law *own = law != NULL ? &law[k] : NULL;
        if (!(c->soft[i] > 0.0)) { /* nothing answers to it */
            memcpy(z + k, c->centre + i, (pair ? 2 : 1) * sizeof *z);
            if (own != NULL)
                own->place = AT_BOUND;
        } else if (pair) {
            answer_pair(c, i, u + k, n, z + k, own);
        } else {
            answer_row(c, i, u[k], n, z + k, own);
        }
        if (p->row_class[i] == RG_ROW_NORMAL)
            n = z[k];
        k += pair;
    }
}

/* z of the present u, and F. Returns its size. */
static double find_F(RgConeNewton *c)
{
    RgConeRows *rows = c->rows;
    RgProblem *p = rows->p;
    memcpy(c->F, c->x, (size_t)p->nu * sizeof *c->F);
    for (int32_t k = 0; k < rows->ngroups; k++) {
        const RgConeGroup *g = &rows->group[k];
        answer(c, g, c->u + g->first, p->z + g->first, NULL);
        for (int32_t i = g->first; i < g->first + g->rows; i++)
            if (p->z[i] != c->centre[i])
                cone_push(g, i, c->centre[i] - p->z[i], c->F);
    }
    double sum = 0.0;
    for (int32_t k = 0; k < p->nu; k++)
        sum += c->F[k] * c->F[k];
    return sqrt(sum);
}

/* ------------------------------------------------------------------ the step */

/* What a group adds to F'. */
typedef struct Sum {
    const RgConeGroup *g;
    double *normal_L; /* NULL: the normal does not hold */
    double *room;     /* rows of columns */
    RgConeAnswer out;
} Sum;

/* Two rows of a cone that slide: across them one holds, along them they follow the normal. */
static void add_sliding(const RgConeNewton *c, int32_t i, const Law *l, Sum *sum)
{
    const RgConeGroup *g = sum->g;
    double *J = sum->room, *L = J;
    memset(J, 0, (size_t)g->columns * sizeof *J);
    cone_mix(g, i, -l->d[1], J);
    cone_mix(g, i + 1, l->d[0], J);
    if (l->turn != 0.0) {
        L = J + g->columns;
        memcpy(L, J, (size_t)g->columns * sizeof *L);
        cone_mix(g, i, l->turn * l->d[0], L);
        cone_mix(g, i + 1, l->turn * l->d[1], L);
    }
    if (sum->normal_L != NULL) {
        cone_mix(g, i, l->mu * l->d[0], sum->normal_L);
        cone_mix(g, i + 1, l->mu * l->d[1], sum->normal_L);
    }
    sum->out.row[sum->out.count++] = (RgConeHeld){J, L, l->part * c->per[i]};
    sum->room += 2 * g->columns;
}

static void add_group(RgConeNewton *c, const RgConeGroup *g)
{
    const RgProblem *p = c->rows->p;
    Law law[RG_CONE_ROWS];
    double z[RG_CONE_ROWS];
    Sum sum;
    sum.g = g;
    sum.normal_L = NULL;
    sum.room = c->scratch + g->columns;
    sum.out.count = 0;
    law[0].place = AT_BOUND;
    answer(c, g, c->u + g->first, z, law);
    if (p->row_class[g->first] == RG_ROW_NORMAL && law[0].place == HOLDS) {
        sum.normal_L = c->scratch;
        memcpy(sum.normal_L, g->J, (size_t)g->columns * sizeof *g->J);
    }
    for (int32_t k = 0; k < g->rows; k++) {
        int32_t i = g->first + k, last = p->cone[i] ? i + 1 : i;
        if (law[k].place == FOLLOWS && sum.normal_L != NULL)
            cone_mix(g, i, law[k].mu, sum.normal_L);
        else if (law[k].place == SLIDES)
            add_sliding(c, i, &law[k], &sum);
        for (int32_t j = i; j <= last && law[k].place == HOLDS; j++) {
            const double *J = cone_row(g, j), *L = k == 0 && sum.normal_L != NULL ? sum.normal_L : J;
            sum.out.row[sum.out.count++] = (RgConeHeld){J, L, c->per[j]};
        }
        k += last - i;
    }
    if (sum.out.count > 0)
        rg_cone_rows_add(c->rows, g, &sum.out);
}

/* dx and du from F. False: singular. */
static bool find_step(RgConeNewton *c)
{
    RgConeRows *rows = c->rows;
    rg_cone_rows_begin(rows, c->F);
    for (int32_t k = 0; k < rows->ngroups; k++)
        add_group(c, &rows->group[k]);
    return rg_cone_rows_solve(rows, c->dx, c->du);
}

/* So far along the step. Returns |F| there. */
static double go(RgConeNewton *c, double part)
{
    for (int32_t k = 0; k < c->rows->p->nu; k++)
        c->x[k] += part * c->dx[k];
    for (int32_t i = 0; i < c->rows->p->n; i++)
        c->u[i] += part * c->du[i];
    return find_F(c);
}

/* dx . F so far along the step. */
static double slope_along(const void *context, double part)
{
    const RgConeNewton *c = context;
    const RgConeRows *rows = c->rows;
    double sum = 0.0;
    for (int32_t k = 0; k < rows->p->nu; k++)
        sum += c->dx[k] * (c->x[k] + part * c->dx[k]);
    for (int32_t k = 0; k < rows->ngroups; k++) {
        const RgConeGroup *g = &rows->group[k];
        double u[RG_CONE_ROWS], z[RG_CONE_ROWS];
        for (int32_t j = 0; j < g->rows; j++)
            u[j] = c->u[g->first + j] + part * c->du[g->first + j];
        answer(c, g, u, z, NULL);
        for (int32_t j = 0; j < g->rows; j++)
            sum -= (z[j] - c->centre[g->first + j]) * c->du[g->first + j];
    }
    return sum;
}

/* ------------------------------------------------------------------ solve */

/* z_k is the present z; x = 0. */
static void begin(RgConeNewton *c)
{
    RgConeRows *rows = c->rows;
    const RgProblem *p = rows->p;
    memset(c->x, 0, (size_t)p->nu * sizeof *c->x);
    memcpy(c->centre, p->z, (size_t)p->n * sizeof *c->centre);
    for (int32_t k = 0; k < rows->ngroups; k++) {
        const RgConeGroup *g = &rows->group[k];
        for (int32_t i = g->first; i < g->first + g->rows; i++) {
            c->u[i] = cone_times(g, i, p->s) + p->compliance[i] * c->centre[i] - p->target[i];
            c->soft[i] = p->compliance[i] + c->a * rows->response[i];
        }
        for (int32_t i = g->first; i < g->first + g->rows; i++)
            if (p->cone[i]) /* one softness for both */
                c->soft[i] = c->soft[i + 1] = 0.5 * (c->soft[i] + c->soft[i + 1]);
    }
    for (int32_t i = 0; i < p->n; i++)
        c->per[i] = 1.0 / c->soft[i];
}

/* Largest E |z - z_k|, m/s. */
static double moved(const RgConeNewton *c)
{
    double most = 0.0;
    for (int32_t i = 0; i < c->rows->p->n; i++) {
        double miss = c->soft[i] * fabs(c->rows->p->z[i] - c->centre[i]);
        most = miss > most ? miss : most;
    }
    return most;
}

bool rg_cone_newton_solve(RgConeNewton *c)
{
    begin(c);
    double now = find_F(c), least = now, mark = now;
    for (c->steps = 0; c->root_A * now > fmax(INNER_PART * moved(c), c->enough); c->steps++) {
        if (c->steps > 0 && c->steps % SPAN == 0) {
            if (!(least <= FALL * mark))
                return false;
            mark = least;
        }
        if (c->steps == c->most || !find_step(c))
            return false;
        double last = now;
        now = go(c, 1.0);
        if (!(now <= WHOLE * last)) {
            go(c, -1.0);
            now = go(c, rg_flat_along(slope_along, c));
        }
        least = now < least ? now : least;
    }
    return true;
}
