/*
 * solver_cone.c - solver `cone`: a problem of rows to a residual, with Coulomb's law exactly. Sweeps and steps of Newton's
 * method in the order of cone_method.h.
 *
 * The law of a row, by Alart and Curnier (1991): with y = z - rho w and w = J s + C z - target,
 *
 *   bilateral    w = 0
 *   bounded      z = y brought back to its bounds
 *   normal       z = max(0, y)
 *   friction     z = y brought back to the interval or ellipse of half axes mu z_n, along the radius
 *
 * A contact is a normal and its friction rows: two tangents, torsion, two of rolling, each bounded by the same normal.
 *
 * Newton's method in velocities. W = J J' + C is never formed: with E = C + a D (cone_method.h) a row that holds has
 *
 *   dz = -(w + J ds) / E          and altogether        (1 + sum of L' J / E) ds = -sum of L' w / E + J' known
 *
 * summed over rows that hold; known is what other rows must change anyway (open: -z; at a bound: the way to it). L is J for
 * a row that stands alone; friction that slides along d at the edge follows its normal, z_d = mu z_n, which makes
 * L_n = J_n + mu J_d, and the matrix unsymmetric. Across it, with e at right angles to d,
 *
 *   dz_e = -(over z_e + J_e ds) / (E + k),   k = (|y| - b) / (rho b),  over = |y| / (rho b),   b the radius along d
 *
 * On an ellipse the radius changes with the direction: L_e = J_e + (b' / b) J_d. The unknowns are velocities: six for every
 * body that moves alone, others six by six; the matrix is sparse by who touches whom (block_lu.h). Rows may depend on
 * others as they like: the 1 in it keeps it regular.
 */
#include "solver/cone_convex.h"
#include "solver/cone_local.h"
#include "solver/cone_method.h"
#include "solver/cone_rows.h"
#include "solver/row_islands.h"
#include "solver/solver_table.h"

#include <math.h>
#include <string.h>

/* Times that, what slides is far outside of its cone. */
#define FAR 1e9

/* What a group may slide in: L of the normal, and J and L of two pairs. */
#define SCRATCH 5

/* rho times the response of a row. a is not made smaller than this. */
#define RHO 0.03
#define A_LEAST 1e-11

/* Sweeps and steps at most, where nothing else is said. */
#define MOST 1000
#define CONVEX_STEPS 50
#define MEMORY 6
#define DEPENDENT 1e-12

/* Of all numbers that a row's velocity is the sum of, so much is round-off. */
#define ROUND 4e-16

/* A sweep costs this many products of blocks for a group; a step its factor, and this many for a group. */
#define GROUP_SWEEP_COST 1.0
#define GROUP_STEP_COST 6.0

typedef enum Mind { FIXED, HOLDS, SLIDES } Mind;

/* What a row has in mind; of two that share a cone the first. */
typedef struct RowMind {
    Mind
        mind; /* FIXED: at a bound that does not move (open, too); HOLDS; SLIDES: at a bound that follows the normal */
    double to;   /* FIXED: the bound */
    double d[2]; /* SLIDES, of two: direction; of one: d[0] is the side */
    double mu;   /* SLIDES: radius over the normal's impulse, along d */
    double turn; /* SLIDES, of two: derivative of the radius by the direction, over it */
    double k, over;
} RowMind;

/* Shifts of the last convex problems. */
typedef struct Memory {
    double *x, *f, *g, *rest; /* a group each */
    double *df, *dg, *q;      /* MEMORY of these */
    int32_t count;
    bool began;
    double size;
} Memory;

typedef struct Cone {
    RgConeRows rows;
    double *inverse, *block;           /* 9 a group: of a contact's W; zero: it has none */
    double *w, *centre, *known, *best; /* n */
    double *from, *change;             /* n: of the last step */
    bool *edge;                        /* n: it stays at its bound */
    RowMind *mind;                     /* n */
    double *scratch;                   /* SCRATCH rows of columns of the widest group */
    RgConvex convex;
    Memory memory;
    double *spare_shift;
    double a, size; /* size: m/s, what tolerances are parts of */
} Cone;

/* W of the first three rows of a contact, and its inverse. */
static void make_block(Cone *c, int32_t number)
{
    const RgConeGroup *g = &c->rows.group[number];
    double *W = c->block + 9 * (ptrdiff_t)number, *inverse = c->inverse + 9 * (ptrdiff_t)number;
    memset(inverse, 0, 9 * sizeof *inverse);
    if (!cone_is_round(c->rows.p, g))
        return;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const double *x = cone_row(g, g->first + i), *y = cone_row(g, g->first + j);
            double sum = i == j ? c->rows.p->compliance[g->first + i] : 0.0;
            for (int32_t k = 0; k < g->columns; k++)
                sum += x[k] * y[k];
            W[3 * i + j] = sum;
        }
    if (!cone_local_invert(W, inverse))
        memset(inverse, 0, 9 * sizeof *inverse);
}

/* Size of a problem: what rows miss without impulses, m/s; and what of it is round-off. s is what it is without them. */
static double find_size(RgProblem *p, double *z, double *round)
{
    *round = 0.0;
    for (int32_t i = 0; i < p->n; i++) {
        double sum = fabs(p->target[i]);
        for (int e = p->start[i]; e < p->start[i + 1]; e++)
            sum += fabs(p->values[e] * p->s[p->columns[e]]);
        *round = fmax(*round, ROUND * sum);
    }
    double *given = p->z;
    p->z = z;
    memset(z, 0, (size_t)p->n * sizeof *z);
    double size = rg_problem_residual(p, NULL, NULL).velocity;
    p->z = given;
    return size;
}

/* ------------------------------------------------------------------ sweeps */

/* One row to its law, others as they are; friction bounded by the present normal. */
static void sweep_row(Cone *c, const RgConeGroup *g, int32_t i)
{
    RgProblem *p = c->rows.p;
    double low = p->low[i], high = p->high[i];
    if (!(c->rows.diagonal[i] > 0.0))
        return;
    if (p->row_class[i] == RG_ROW_FRICTION) {
        high *= p->z[p->normal[i]];
        low = -high;
    }
    double w = cone_times(g, i, p->s) + p->compliance[i] * p->z[i] - p->target[i];
    double z = p->z[i] - w / c->rows.diagonal[i];
    z = z < low ? low : z > high ? high : z;
    cone_push(g, i, z - p->z[i], p->s);
    p->z[i] = z;
}

/* Two rows of a cone to theirs. */
static void sweep_pair(Cone *c, const RgConeGroup *g, int32_t i)
{
    RgProblem *p = c->rows.p;
    double n = p->z[p->normal[i]], z[2];
    if (!(c->rows.response[i] > 0.0))
        return;
    for (int k = 0; k < 2; k++) {
        double w = cone_times(g, i + k, p->s) + p->compliance[i + k] * p->z[i + k] - p->target[i + k];
        z[k] = p->z[i + k] - w / c->rows.response[i];
    }
    rg_cone_bring_back(p->high[i] * n, p->high[i + 1] * n, &z[0], &z[1]);
    for (int k = 0; k < 2; k++) {
        cone_push(g, i + k, z[k] - p->z[i + k], p->s);
        p->z[i + k] = z[k];
    }
}

/* Normal and tangents at once. */
static void sweep_round(Cone *c, int32_t number)
{
    RgProblem *p = c->rows.p;
    const RgConeGroup *g = &c->rows.group[number];
    const double *W = c->block + 9 * (ptrdiff_t)number, *inverse = c->inverse + 9 * (ptrdiff_t)number;
    double *z = p->z + g->first, last[3] = {z[0], z[1], z[2]}, q[3];
    for (int k = 0; k < 3; k++) {
        int32_t i = g->first + k;
        q[k] = cone_times(g, i, p->s) + p->compliance[i] * z[k] - p->target[i];
        q[k] -= W[3 * k] * z[0] + W[3 * k + 1] * z[1] + W[3 * k + 2] * z[2];
    }
    RgConeLocal local = {W, q, p->high[g->first + 1]};
    cone_local_solve(&local, inverse[0] != 0.0 ? inverse : NULL, z);
    for (int k = 0; k < 3; k++)
        cone_push(g, g->first + k, z[k] - last[k], p->s);
}

static void sweep(void *context)
{
    Cone *c = context;
    for (int32_t k = 0; k < c->rows.ngroups; k++) {
        const RgConeGroup *g = &c->rows.group[k];
        bool at_once = cone_is_round(c->rows.p, g) && c->rows.diagonal[g->first] > 0.0;
        if (at_once)
            sweep_round(c, k);
        for (int32_t i = g->first + (at_once ? 3 : 0); i < g->first + g->rows; i++)
            if (c->rows.p->cone[i])
                sweep_pair(c, g, i++);
            else
                sweep_row(c, g, i);
    }
}

/* ------------------------------------------------------------------ minds */

/* Bound along d of the ellipse of half axes a and b, and its derivative by the direction, over it. */
static double radius(double a, double b, const double d[2], double *turn)
{
    *turn = 0.0;
    if (a == b)
        return a;
    if (!(a > 0.0 && b > 0.0))
        return 0.0;
    double x = d[0] / a, y = d[1] / b, square = x * x + y * y;
    *turn = (x * d[1] / a - y * d[0] / b) / square;
    return 1.0 / sqrt(square);
}

/* Two rows of a cone whose normal is to have the impulse n; F: what the law is missed by. */
static RowMind pair_mind(const Cone *c, int32_t i, double n, double F[2])
{
    const RgProblem *p = c->rows.p;
    double rho = RHO / ((1.0 + c->a) * c->rows.response[i]);
    double y[2] = {p->z[i] - rho * c->w[i], p->z[i + 1] - rho * c->w[i + 1]};
    double size = sqrt(y[0] * y[0] + y[1] * y[1]);
    RowMind m = {.mind = HOLDS};
    double bound = 0.0;
    if (size > 0.0) {
        m.d[0] = y[0] / size;
        m.d[1] = y[1] / size;
        m.mu = radius(p->high[i], p->high[i + 1], m.d, &m.turn);
        bound = m.mu * n;
    }
    double part = size > bound ? bound / size : 1.0;
    if (size > bound)
        m.mind = FIXED;
    if (size > bound && bound > 0.0) {
        m.mind = SLIDES;
        m.over = size / (rho * bound);
        m.k = (size - bound) / (rho * bound);
    }
    F[0] = p->z[i] - part * y[0];
    F[1] = p->z[i + 1] - part * y[1];
    return m;
}

static RowMind row_mind(const Cone *c, int32_t i, double n, double *F)
{
    const RgProblem *p = c->rows.p;
    bool friction = p->row_class[i] == RG_ROW_FRICTION;
    double rho = RHO / ((1.0 + c->a) * c->rows.response[i]), y = p->z[i] - rho * c->w[i];
    double high = friction ? p->high[i] * n : p->high[i], low = friction ? -high : p->low[i];
    RowMind m = {.mind = HOLDS};
    if (y <= low || y >= high) {
        m.mind = friction && n > 0.0 ? SLIDES : FIXED;
        m.d[0] = y <= low ? -1.0 : 1.0;
        m.mu = p->high[i];
        m.to = y <= low ? low : high;
        y = m.to;
    }
    *F = p->z[i] - y;
    return m;
}

/* What a row's velocity is in the problem with a. */
static void look_at(Cone *c, const RgConeGroup *g, int32_t i)
{
    const RgProblem *p = c->rows.p;
    c->w[i] = cone_times(g, i, p->s) + p->compliance[i] * p->z[i] - p->target[i] +
              c->a * c->rows.response[i] * (p->z[i] - c->centre[i]);
}

static double look_at_group(Cone *c, const RgConeGroup *g)
{
    const RgProblem *p = c->rows.p;
    double n = 0.0, sum = 0.0;
    for (int32_t i = g->first; i < g->first + g->rows; i++) {
        double F[2] = {0.0, 0.0};
        bool pair = p->cone[i];
        look_at(c, g, i);
        if (pair)
            look_at(c, g, i + 1);
        if (!(c->rows.response[i] > 0.0))
            c->mind[i] = (RowMind){.mind = FIXED, .to = p->z[i]};
        else if (pair)
            c->mind[i] = pair_mind(c, i, n, F);
        else
            c->mind[i] = row_mind(c, i, n, F);
        if (p->row_class[i] == RG_ROW_NORMAL && c->mind[i].mind == HOLDS)
            n = p->z[i] - RHO / ((1.0 + c->a) * c->rows.response[i]) * c->w[i];
        double scale = c->rows.response[i] / RHO;
        sum += scale * scale * (F[0] * F[0] + F[1] * F[1]);
        i += pair;
    }
    return sum;
}

static double look(void *context)
{
    Cone *c = context;
    double sum = 0.0;
    for (int32_t k = 0; k < c->rows.ngroups; k++)
        sum += look_at_group(c, &c->rows.group[k]);
    return sqrt(sum);
}

/* ------------------------------------------------------------------ the system */

static double softness(const Cone *c, int32_t i)
{
    return c->rows.p->compliance[i] + c->a * c->rows.response[i];
}

/* Two rows of a cone that slide: across them one holds, along them they follow the normal, whose L is told. room: two rows
   of columns. */
static void add_sliding(const Cone *c, const RgConeGroup *g, int32_t i, double *normal_L, double *room,
                        RgConeAnswer *out)
{
    const RgProblem *p = c->rows.p;
    const RowMind *m = &c->mind[i];
    int32_t normal = p->normal[i];
    double z_d = p->z[i] * m->d[0] + p->z[i + 1] * m->d[1], z_e = p->z[i + 1] * m->d[0] - p->z[i] * m->d[1];
    double back = m->mu * p->z[normal] - z_d + m->turn * z_e;
    c->known[i] = back * m->d[0];
    c->known[i + 1] = back * m->d[1];
    cone_mix(g, i, m->mu * m->d[0], normal_L);
    cone_mix(g, i + 1, m->mu * m->d[1], normal_L);
    double *J = room, *L = room + g->columns;
    memset(room, 0, 2 * (size_t)g->columns * sizeof *room);
    cone_mix(g, i, -m->d[1], J);
    cone_mix(g, i + 1, m->d[0], J);
    memcpy(L, J, (size_t)g->columns * sizeof *L);
    if (m->turn != 0.0) {
        cone_mix(g, i, m->turn * m->d[0], L);
        cone_mix(g, i + 1, m->turn * m->d[1], L);
    }
    double E = m->d[1] * m->d[1] * softness(c, i) + m->d[0] * m->d[0] * softness(c, i + 1);
    out->row[out->count++] = (RgConeHeld){J, L, 1.0 / (E + m->k), m->over * z_e};
}

/* All of a group. room: SCRATCH rows of columns. */
static void answer(const Cone *c, const RgConeGroup *g, double *room, RgConeAnswer *out)
{
    const RgProblem *p = c->rows.p;
    double *normal_L = room;
    room += g->columns;
    out->count = 0;
    bool contact = p->row_class[g->first] == RG_ROW_NORMAL && c->mind[g->first].mind == HOLDS;
    if (contact)
        memcpy(normal_L, g->J, (size_t)g->columns * sizeof *normal_L);
    for (int32_t i = g->first; i < g->first + g->rows; i++) {
        const RowMind *m = &c->mind[i];
        bool pair = p->cone[i];
        c->known[i] = 0.0;
        if (pair)
            c->known[i + 1] = 0.0;
        if (m->mind == SLIDES && pair) {
            add_sliding(c, g, i, normal_L, room, out);
            room += 2 * g->columns;
        } else if (m->mind == SLIDES) {
            c->known[i] = m->d[0] * m->mu * p->z[p->normal[i]] - p->z[i];
            cone_mix(g, i, m->d[0] * m->mu, normal_L);
        } else if (m->mind == FIXED) {
            c->known[i] = m->to - p->z[i];
            if (pair)
                c->known[i + 1] = -p->z[i + 1];
        } else {
            const double *L = i == g->first && contact ? normal_L : cone_row(g, i);
            out->row[out->count++] = (RgConeHeld){cone_row(g, i), L, 1.0 / softness(c, i), c->w[i]};
            if (pair)
                out->row[out->count++] = (RgConeHeld){cone_row(g, i + 1), cone_row(g, i + 1),
                                                      1.0 / softness(c, i + 1), c->w[i + 1]};
        }
        i += pair;
    }
}

/* What a group's impulses change by when the velocities do by c->rows.step; and who stays at its edge. */
static void find_change(Cone *c, const RgConeGroup *g, const RgConeAnswer *rows)
{
    const RgProblem *p = c->rows.p;
    double held[RG_CONE_ROWS];
    for (int k = 0; k < rows->count; k++) {
        double sum = rows->row[k].w + cone_times_step(&c->rows, g, rows->row[k].J);
        held[k] = -rows->row[k].per * sum;
    }
    double dn = c->mind[g->first].mind == HOLDS ? held[0] : 0.0;
    int k = 0;
    for (int32_t i = g->first; i < g->first + g->rows; i++) {
        const RowMind *m = &c->mind[i];
        double *dz = c->change + i;
        bool pair = p->cone[i];
        c->edge[i] = m->mind == SLIDES;
        memcpy(dz, c->known + i, (pair ? 2 : 1) * sizeof *dz);
        if (m->mind == SLIDES && pair) {
            double along = m->mu * dn + m->turn * held[k];
            dz[0] += along * m->d[0] - held[k] * m->d[1];
            dz[1] += along * m->d[1] + held[k] * m->d[0];
            k++;
        } else if (m->mind == SLIDES) {
            dz[0] += m->d[0] * m->mu * dn;
        } else if (m->mind == HOLDS) {
            dz[0] += held[k++];
            if (pair)
                dz[1] += held[k++];
        }
        i += pair;
    }
}

/* Back into the bounds; two at an edge stay there. */
static void bring_back(RgProblem *p, const RgConeGroup *g, const bool *edge)
{
    for (int32_t i = g->first; i < g->first + g->rows; i++) {
        double n = p->normal[i] >= 0 ? p->z[p->normal[i]] : 0.0;
        if (p->cone[i]) {
            if (edge[i]) { /* from far outside */
                p->z[i] *= FAR;
                p->z[i + 1] *= FAR;
            }
            rg_cone_bring_back(p->high[i] * n, p->high[i + 1] * n, &p->z[i], &p->z[i + 1]);
            i++;
            continue;
        }
        double high = p->row_class[i] == RG_ROW_FRICTION ? p->high[i] * n : p->high[i];
        double low = p->row_class[i] == RG_ROW_FRICTION ? -high : p->low[i];
        p->z[i] = p->z[i] < low ? low : p->z[i] > high ? high : p->z[i];
    }
}

/* z from where the step began, so far along it. */
static void go(Cone *c, double part)
{
    for (int32_t i = 0; i < c->rows.p->n; i++)
        c->rows.p->z[i] = c->from[i] + part * c->change[i];
    for (int32_t k = 0; k < c->rows.ngroups; k++)
        bring_back(c->rows.p, &c->rows.group[k], c->edge);
}

/* ------------------------------------------------------------------ the form of the method */

static double judge(void *context)
{
    Cone *c = context;
    rg_cone_rows_refresh(&c->rows);
    return rg_problem_residual(c->rows.p, c->rows.response, NULL).velocity / c->size;
}

static void keep(void *context)
{
    Cone *c = context;
    memcpy(c->best, c->rows.p->z, (size_t)c->rows.p->n * sizeof *c->best);
}

static void back(void *context)
{
    Cone *c = context;
    memcpy(c->rows.p->z, c->best, (size_t)c->rows.p->n * sizeof *c->best);
    rg_cone_rows_refresh(&c->rows);
}

static void centre(void *context, double a)
{
    Cone *c = context;
    c->a = a;
    memcpy(c->centre, c->rows.p->z, (size_t)c->rows.p->n * sizeof *c->centre);
}

/* De Saxce: the normal of a contact that slides sees its velocity raised by mu |w_t|. Other friction keeps its radius. */
static void freeze(Cone *c)
{
    RgProblem *p = c->rows.p;
    for (int32_t k = 0; k < c->rows.ngroups; k++) {
        const RgConeGroup *g = &c->rows.group[k];
        bool round = cone_is_round(p, g);
        for (int32_t i = g->first; i < g->first + g->rows; i++) {
            c->convex.shift[i] = 0.0;
            double d[2] = {p->z[i], 0.0}, turn, n = p->normal[i] >= 0 ? p->z[p->normal[i]] : 0.0;
            c->convex.radius[i] = p->high[i] * n;
            if (!p->cone[i] || p->high[i] == p->high[i + 1])
                continue;
            d[1] = p->z[i + 1];
            double size = sqrt(d[0] * d[0] + d[1] * d[1]);
            d[0] = size > 0.0 ? d[0] / size : 1.0;
            d[1] = size > 0.0 ? d[1] / size : 0.0;
            c->convex.radius[i] = n * radius(p->high[i], p->high[i + 1], d, &turn);
        }
        if (!round)
            continue;
        double w[2];
        for (int j = 0; j < 2; j++) {
            int32_t i = g->first + 1 + j;
            w[j] = cone_times(g, i, p->s) + p->compliance[i] * p->z[i] - p->target[i];
        }
        c->convex.shift[g->first] = p->high[g->first + 1] * sqrt(w[0] * w[0] + w[1] * w[1]);
    }
}

/* fresh -= sum of dg_j y_j, y least squares of df y = f by orthogonalisation; columns that depend on others are left out. */
static void mix_memory(Memory *m, int32_t n, double *fresh)
{
    int32_t count = m->count < MEMORY ? m->count : MEMORY;
    double *rest = m->rest, R[MEMORY][MEMORY] = {{0}}, y[MEMORY] = {0};
    memcpy(rest, m->f, (size_t)n * sizeof *rest);
    for (int32_t j = 0; j < count; j++) {
        double *q = m->q + (ptrdiff_t)j * n, first = 0.0, left = 0.0;
        memcpy(q, m->df + (ptrdiff_t)j * n, (size_t)n * sizeof *q);
        for (int32_t k = 0; k < n; k++)
            first += q[k] * q[k];
        for (int32_t i = 0; i < j; i++) {
            const double *p = m->q + (ptrdiff_t)i * n;
            double dot = 0.0;
            for (int32_t k = 0; k < n; k++)
                dot += p[k] * q[k];
            for (int32_t k = 0; k < n; k++)
                q[k] -= dot * p[k];
            R[i][j] = dot;
        }
        for (int32_t k = 0; k < n; k++)
            left += q[k] * q[k];
        double per = left > DEPENDENT * first ? 1.0 / sqrt(left) : 0.0, dot = 0.0;
        R[j][j] = sqrt(left);
        for (int32_t k = 0; k < n; k++) {
            q[k] *= per;
            dot += q[k] * rest[k];
        }
        for (int32_t k = 0; k < n; k++)
            rest[k] -= dot * q[k];
        y[j] = per > 0.0 ? dot : 0.0;
        if (per == 0.0)
            R[j][j] = 0.0;
    }
    for (int32_t j = count - 1; j >= 0; j--) {
        double sum = y[j];
        for (int32_t i = j + 1; i < count; i++)
            sum -= R[j][i] * y[i];
        y[j] = R[j][j] > 0.0 ? sum / R[j][j] : 0.0;
        for (int32_t k = 0; k < n; k++)
            fresh[k] -= y[j] * m->dg[(ptrdiff_t)j * n + k];
    }
}

/* Anderson's acceleration (1965): shifts x have become g(x). Of the last few, differences of f = g - x and of g; x anew is g
   less the sum of those differences of g whose f together are nearest to f. */
static void accelerate(Cone *c)
{
    Memory *m = &c->memory;
    int32_t n = c->rows.ngroups;
    double *f = m->f, *g = m->g, *fresh = c->spare_shift;
    for (int32_t k = 0; k < n; k++)
        fresh[k] = c->convex.shift[c->rows.group[k].first];
    double size = 0.0;
    for (int32_t k = 0; k < n; k++)
        size += (fresh[k] - m->x[k]) * (fresh[k] - m->x[k]);
    if (m->began && !(size < 4.0 * m->size))
        m->began = false; /* it has become worse: from here on anew */
    if (m->began) {
        int32_t at = m->count++ % MEMORY;
        for (int32_t k = 0; k < n; k++) {
            m->df[(ptrdiff_t)at * n + k] = fresh[k] - m->x[k] - f[k];
            m->dg[(ptrdiff_t)at * n + k] = fresh[k] - g[k];
        }
    } else {
        m->count = 0;
    }
    m->began = true;
    m->size = size;
    for (int32_t k = 0; k < n; k++) {
        f[k] = fresh[k] - m->x[k];
        g[k] = fresh[k];
    }
    mix_memory(m, n, fresh);
    for (int32_t k = 0; k < n; k++) {
        m->x[k] = fresh[k] > 0.0 ? fresh[k] : 0.0;
        c->convex.shift[c->rows.group[k].first] = m->x[k];
    }
}

static bool convex(void *context, double a, int *steps)
{
    Cone *c = context;
    if (c->convex.rows == NULL) {
        c->convex.rows = &c->rows;
        size_t n = (size_t)c->rows.ngroups;
        c->memory = (Memory){.x = RG_TAKE(c->rows.arena, double, n),
                             .f = RG_TAKE(c->rows.arena, double, n),
                             .g = RG_TAKE(c->rows.arena, double, n),
                             .rest = RG_TAKE(c->rows.arena, double, n),
                             .df = RG_TAKE(c->rows.arena, double, MEMORY *n),
                             .dg = RG_TAKE(c->rows.arena, double, MEMORY *n),
                             .q = RG_TAKE(c->rows.arena, double, MEMORY *n)};
        c->spare_shift = RG_TAKE(c->rows.arena, double, n);
        if (!rg_convex_take(c->rows.arena, &c->convex) || c->rows.arena->failed)
            return false;
    }
    rg_cone_rows_refresh(&c->rows);
    freeze(c);
    accelerate(c);
    memcpy(c->convex.centre, c->rows.p->z, (size_t)c->rows.p->n * sizeof *c->centre);
    c->convex.a = a;
    bool well = rg_convex_solve(&c->convex, CONVEX_STEPS);
    *steps = c->convex.iterations;
    return well;
}

static void recentre(void *context)
{
    Cone *c = context;
    memcpy(c->rows.p->z, c->centre, (size_t)c->rows.p->n * sizeof *c->centre);
    rg_cone_rows_refresh(&c->rows);
}

static double plan(void *context)
{
    Cone *c = context;
    if (c->mind == NULL) {
        c->mind = RG_TAKE_RAW(c->rows.arena, RowMind, c->rows.p->n);
        c->scratch = RG_TAKE_RAW(c->rows.arena, double, SCRATCH *(size_t)c->rows.widest);
    }
    if (c->rows.arena->failed || !rg_cone_rows_plan(&c->rows))
        return -1.0;
    double cost = GROUP_STEP_COST * c->rows.ngroups + (double)c->rows.lu.work;
    return cost / (GROUP_SWEEP_COST * c->rows.ngroups);
}

static bool step(void *context)
{
    Cone *c = context;
    c->memory.began = false; /* shifts do not follow from the last ones any more */
    RgConeAnswer rows;
    rg_cone_rows_begin(&c->rows);
    for (int32_t k = 0; k < c->rows.ngroups; k++) {
        const RgConeGroup *g = &c->rows.group[k];
        answer(c, g, c->scratch, &rows);
        rg_cone_rows_add(&c->rows, g, &rows);
        for (int32_t i = g->first; i < g->first + g->rows; i++)
            if (c->known[i] != 0.0)
                cone_push_step(&c->rows, g, i, c->known[i]);
    }
    if (!rg_cone_rows_solve(&c->rows))
        return false;
    for (int32_t k = 0; k < c->rows.ngroups; k++) {
        answer(c, &c->rows.group[k], c->scratch, &rows);
        find_change(c, &c->rows.group[k], &rows);
    }
    memcpy(c->from, c->rows.p->z, (size_t)c->rows.p->n * sizeof *c->from);
    go(c, 1.0);
    return true;
}

static void shorten(void *context, double part)
{
    go(context, part);
}

static const RgConeForm form = {.judge = judge,
                                .keep = keep,
                                .back = back,
                                .sweep = sweep,
                                .plan = plan,
                                .centre = centre,
                                .recentre = recentre,
                                .look = look,
                                .step = step,
                                .shorten = shorten,
                                .convex = convex};

/* ------------------------------------------------------------------ solve */

static bool take(Cone *c)
{
    RgConeRows *rows = &c->rows;
    size_t n = (size_t)rows->p->n;
    if (!rg_cone_rows_take(rows))
        return false;
    c->w = RG_TAKE_RAW(rows->arena, double, n);
    c->centre = RG_TAKE_RAW(rows->arena, double, n);
    c->known = RG_TAKE_RAW(rows->arena, double, n);
    c->best = RG_TAKE_RAW(rows->arena, double, n);
    c->from = RG_TAKE_RAW(rows->arena, double, n);
    c->change = RG_TAKE_RAW(rows->arena, double, n);
    c->edge = RG_TAKE(rows->arena, bool, n);
    c->block = RG_TAKE_RAW(rows->arena, double, 9 * (size_t)rows->ngroups);
    c->inverse = RG_TAKE_RAW(rows->arena, double, 9 * (size_t)rows->ngroups);
    if (rows->arena->failed)
        return false;
    for (int32_t k = 0; k < rows->ngroups; k++)
        make_block(c, k);
    return true;
}

static bool any(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (x[i] != 0.0)
            return true;
    return false;
}

static void solve(Cone *c, const RgExactOptions *o, RgSolveReport *report)
{
    RgProblem *p = c->rows.p;
    double round = 0.0;
    if (!(find_size(p, c->best, &round) > round)) { /* without impulses all is well */
        memset(p->z, 0, (size_t)p->n * sizeof *p->z);
        rg_cone_rows_refresh(&c->rows);
        report->converged = true;
        return;
    }
    for (int32_t k = 0; k < c->rows.ngroups; k++)
        bring_back(p, &c->rows.group[k], c->edge);
    RgConeMethod m = {.form = &form,
                      .context = c,
                      .tolerance = o->tolerance + round / c->size,
                      .a_least = A_LEAST,
                      .warm = any(p->z, p->n),
                      .most = o->max_iterations > 0 ? o->max_iterations : MOST};
    report->converged = rg_cone_method_solve(&m);
    report->iterations = m.iterations;
}

/* One problem whose rows all hang together. */
static bool solve_one(RgArena *arena, RgProblem *p, double size, const RgExactOptions *o,
                      RgSolveReport *report)
{
    Cone c = {.rows = {.p = p, .arena = arena}, .size = size};
    RgSolveReport own = {0};
    if (!take(&c))
        return false;
    solve(&c, o, &own);
    report->iterations = own.iterations > report->iterations ? own.iterations : report->iterations;
    report->converged = report->converged && own.converged;
    return !arena->failed;
}

/* Island by island: what is easy is not kept waiting. */
static bool solve_islands(RgArena *arena, RgProblem *p, double size, const RgExactOptions *o,
                          RgSolveReport *report)
{
    RgRowIslands islands;
    if (!rg_row_islands_find(arena, p, &islands))
        return false;
    if (islands.count == 1)
        return solve_one(arena, p, size, o, report);
    int *local = RG_TAKE_RAW(arena, int, p->nu);
    if (local == NULL)
        return false;
    for (int k = 0; k < p->nu; k++)
        local[k] = -1;
    for (int k = 0; k < islands.count; k++) {
        RgRowIsland island;
        if (!rg_row_island_pick(arena, p, &islands, k, local, &island) ||
            !solve_one(arena, &island.problem, size, o, report))
            return false;
        rg_row_island_put(&island, p);
    }
    return true;
}

static RgStatus solve_rows(RgArena *arena, RgProblem *p, const RgRowOptions *o, RgSolveReport *report)
{
    *report = (RgSolveReport){.residual = {.worst = -1}, .converged = true};
    rg_arena_reset(arena);
    if (p->n == 0)
        return RG_OK;
    double *z = RG_TAKE_RAW(arena, double, p->n), round = 0.0;
    if (z == NULL)
        return RG_ERR_MEMORY;
    double size = fmax(find_size(p, z, &round), round);
    bool done = solve_islands(arena, p, size, &o->exact, report);
    if (!done)
        return RG_ERR_MEMORY;
    report->outcome = report->converged ? RG_SOLVE_SOLVED : RG_SOLVE_ITERATIONS;
    if (!p->unjudged)
        report->residual = rg_problem_residual(p, NULL, p->rate);
    return RG_OK;
}

static RgStatus solve_cones(RgArena *arena, RgConeBlocks *p, const RgRowOptions *o, RgSolveReport *report)
{
    return rg_cone_blocks_solve(arena, p, &o->exact, report);
}

const RgSolver rg_solver_cone = {.name = "cone",
                                 .summary =
                                     "Coulomb's law to a residual: sweeps, then Newton's method (exact)",
                                 .solve_rows = solve_rows,
                                 .solve_cones = solve_cones,
                                 .exact = true};
