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
#include "solver/block_lu.h"
#include "solver/cone_local.h"
#include "solver/cone_method.h"
#include "solver/solver_table.h"

#include <math.h>
#include <string.h>

#define FAR 1e9
#define NODE 6 /* unknowns of a node */

/* What a group may slide in: L of the normal, and J and L of two pairs. */
#define SCRATCH 5

/* Rows of a group at most: normal, tangents, torsion, rolling. */
#define GROUP_ROWS 6

/* rho times the response of a row. a is not made smaller than this. */
#define RHO 0.03
#define A_LEAST 1e-11

/* Sweeps and steps at most, where nothing else is said. A pivot below this part of its block is singular. */
#define MOST 400
#define LOST 1e-15

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

/* Columns of a group that belong to one node. */
typedef struct Run {
    int32_t node, offset; /* first unknown within the node */
    int32_t first, count; /* among the group's columns */
} Run;

/* A contact, or a row alone. */
typedef struct Group {
    int32_t first, rows;
    int32_t columns; /* how many */
    const int *at;   /* which */
    const double *J; /* rows x columns */
    int32_t run, runs;
} Group;

typedef struct Rows {
    RgProblem *p;
    RgArena *arena;
    int32_t ngroups, nruns;
    Group *group;
    Run *run;
    int32_t nnodes;
    int32_t *node_of, *offset_of;               /* nu; -1: no row speaks of it */
    double *diagonal, *response;                /* n: A_ii; of two rows of a cone the larger eigenvalue */
    double *inverse;                            /* 9 a group: of a contact's block W; zero: it has none */
    double *block;                              /* 9 a group */
    double *s_free, *w, *centre, *known, *best; /* nu, n, n, n, n */
    double *from, *change;                      /* n: of the last step */
    bool *edge;                                 /* n: it stays at its bound */
    RowMind *mind;                              /* n */
    RgBlockLu lu;
    bool planned;
    double *step, *spare; /* nodes x 6 */
    double *scratch;      /* SCRATCH rows of columns of the widest group */
    double a, size;       /* size: m/s, what tolerances are parts of */
} Rows;

/* ------------------------------------------------------------------ groups */

static int32_t group_end(const RgProblem *p, int32_t i)
{
    int32_t end = i + 1;
    if (p->row_class[i] == RG_ROW_NORMAL)
        while (end < p->n && end - i < GROUP_ROWS && p->normal[end] == i)
            end++;
    return end;
}

/* Whether all rows of a group have the columns of the first. */
static bool same_columns(const RgProblem *p, int32_t first, int32_t end)
{
    int count = p->start[first + 1] - p->start[first];
    for (int32_t i = first + 1; i < end; i++)
        if (p->start[i + 1] - p->start[i] != count ||
            memcmp(p->columns + p->start[i], p->columns + p->start[first], (size_t)count * sizeof(int)) != 0)
            return false;
    return true;
}

/* Rows whose columns differ: all columns of any, ascending, and the rows over them. */
static bool spread(RgArena *arena, const RgProblem *p, Group *g)
{
    int32_t end = g->first + g->rows, count = 0, room = p->start[end] - p->start[g->first];
    int *at = RG_TAKE_RAW(arena, int, room);
    double *J = RG_TAKE(arena, double, (size_t)room *(size_t)g->rows);
    if (arena->failed)
        return false;
    for (int e = p->start[g->first]; e < p->start[end]; e++) {
        int32_t k = count;
        while (k > 0 && at[k - 1] > p->columns[e])
            k--;
        if (k > 0 && at[k - 1] == p->columns[e])
            continue;
        memmove(at + k + 1, at + k, (size_t)(count - k) * sizeof *at);
        at[k] = p->columns[e];
        count++;
    }
    for (int32_t i = g->first; i < end; i++)
        for (int e = p->start[i], k = 0; e < p->start[i + 1]; e++) {
            while (at[k] < p->columns[e])
                k++;
            J[(size_t)(i - g->first) * (size_t)count + (size_t)k] = p->values[e];
        }
    g->at = at;
    g->J = J;
    g->columns = count;
    return true;
}

static bool make_groups(Rows *c)
{
    const RgProblem *p = c->p;
    c->group = RG_TAKE_RAW(c->arena, Group, p->n);
    if (c->group == NULL)
        return false;
    for (int32_t i = 0; i < p->n;) {
        Group *g = &c->group[c->ngroups++];
        int32_t end = group_end(p, i);
        *g = (Group){.first = i,
                     .rows = end - i,
                     .columns = p->start[i + 1] - p->start[i],
                     .at = p->columns + p->start[i],
                     .J = p->values + p->start[i]};
        if (!same_columns(p, i, end) && !spread(c->arena, p, g))
            return false;
        i = end;
    }
    return true;
}

static const double *row_of(const Group *g, int32_t row)
{
    return g->J + (ptrdiff_t)(row - g->first) * g->columns;
}

static double times(const Group *g, int32_t row, const double *s)
{
    const double *J = row_of(g, row);
    double sum = 0.0;
    for (int32_t k = 0; k < g->columns; k++)
        sum += J[k] * s[g->at[k]];
    return sum;
}

static void push(const Group *g, int32_t row, double z, double *s)
{
    const double *J = row_of(g, row);
    for (int32_t k = 0; k < g->columns; k++)
        s[g->at[k]] += J[k] * z;
}

/* Whether the group is a contact whose rows 1 and 2 share a circular cone. */
static bool is_round(const RgProblem *p, const Group *g)
{
    int32_t i = g->first;
    return p->row_class[i] == RG_ROW_NORMAL && g->rows >= 3 && p->cone[i + 1] &&
           p->high[i + 1] == p->high[i + 2];
}

/* W of the first three rows of a contact, and its inverse. */
static void make_block(Rows *c, int32_t number)
{
    const Group *g = &c->group[number];
    double *W = c->block + 9 * (ptrdiff_t)number, *inverse = c->inverse + 9 * (ptrdiff_t)number;
    memset(inverse, 0, 9 * sizeof *inverse);
    if (!is_round(c->p, g))
        return;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const double *x = row_of(g, g->first + i), *y = row_of(g, g->first + j);
            double sum = i == j ? c->p->compliance[g->first + i] : 0.0;
            for (int32_t k = 0; k < g->columns; k++)
                sum += x[k] * y[k];
            W[3 * i + j] = sum;
        }
    if (!cone_local_invert(W, inverse))
        memset(inverse, 0, 9 * sizeof *inverse);
}

/* ------------------------------------------------------------------ nodes */

/* Numbers the unknowns that rows speak of: blocks of the problem are nodes, others go six by six. */
static bool make_nodes(Rows *c)
{
    const RgProblem *p = c->p;
    c->node_of = RG_TAKE_RAW(c->arena, int32_t, p->nu);
    c->offset_of = RG_TAKE_RAW(c->arena, int32_t, p->nu);
    if (c->arena->failed)
        return false;
    for (int32_t k = 0; k < p->nu; k++)
        c->node_of[k] = -1;
    for (int e = 0; e < p->start[p->n]; e++)
        c->node_of[p->columns[e]] = 0;
    int32_t node = -1, used = NODE, block = 0;
    for (int32_t k = 0; k < p->nu; k++) {
        while (block < p->nblocks && p->block[block] + NODE <= k) {
            block++; /* the body before this has ended */
            used = NODE;
        }
        if (block < p->nblocks && p->block[block] == k)
            used = NODE; /* a body begins */
        if (c->node_of[k] < 0)
            continue;
        if (used == NODE) {
            node++;
            used = 0;
        }
        c->node_of[k] = node;
        c->offset_of[k] = used++;
    }
    c->nnodes = node + 1;
    return true;
}

static bool make_runs(Rows *c)
{
    int64_t room = 0;
    for (int32_t k = 0; k < c->ngroups; k++)
        room += c->group[k].columns;
    c->run = RG_TAKE_RAW(c->arena, Run, room);
    if (c->arena->failed)
        return false;
    for (int32_t k = 0; k < c->ngroups; k++) {
        Group *g = &c->group[k];
        g->run = c->nruns;
        for (int32_t e = 0; e < g->columns; e++) {
            int32_t node = c->node_of[g->at[e]], offset = c->offset_of[g->at[e]];
            Run *last = g->runs > 0 ? &c->run[c->nruns - 1] : NULL;
            if (last != NULL && last->node == node && last->offset + last->count == offset) {
                last->count++;
                continue;
            }
            c->run[c->nruns++] = (Run){node, offset, e, 1};
            g->runs++;
        }
    }
    return true;
}

/* Who touches whom, by nodes. */
static bool plan_matrix(Rows *c)
{
    int32_t n = c->nnodes, pairs = 0;
    for (int32_t k = 0; k < c->ngroups; k++)
        pairs += c->group[k].runs * c->group[k].runs;
    int32_t *start = RG_TAKE(c->arena, int32_t, n + 2), *column = RG_TAKE_RAW(c->arena, int32_t, pairs);
    if (c->arena->failed)
        return false;
    for (int32_t k = 0; k < c->ngroups; k++)
        for (int32_t a = 0; a < c->group[k].runs; a++)
            start[c->run[c->group[k].run + a].node + 2] += c->group[k].runs;
    for (int32_t i = 0; i < n; i++)
        start[i + 2] += start[i + 1];
    for (int32_t k = 0; k < c->ngroups; k++) {
        const Run *run = c->run + c->group[k].run;
        for (int32_t a = 0; a < c->group[k].runs; a++)
            for (int32_t b = 0; b < c->group[k].runs; b++)
                column[start[run[a].node + 1]++] = run[b].node;
    }
    c->lu.size = NODE;
    return rg_block_lu_plan(c->arena, &c->lu, n, start, column);
}

/* ------------------------------------------------------------------ velocities of rows */

/* Impulses have changed: s and w anew. */
static void refresh(Rows *c)
{
    RgProblem *p = c->p;
    memcpy(p->s, c->s_free, (size_t)p->nu * sizeof *p->s);
    for (int32_t k = 0; k < c->ngroups; k++)
        for (int32_t i = c->group[k].first; i < c->group[k].first + c->group[k].rows; i++)
            push(&c->group[k], i, p->z[i], p->s);
}

/* Size of the problem: what rows miss without impulses; and what of it is round-off. */
static double find_size(Rows *c, double *round)
{
    RgProblem *p = c->p;
    memset(p->z, 0, (size_t)p->n * sizeof *p->z);
    memcpy(p->s, c->s_free, (size_t)p->nu * sizeof *p->s);
    *round = 0.0;
    for (int32_t i = 0; i < p->n; i++) {
        double sum = fabs(p->target[i]);
        for (int e = p->start[i]; e < p->start[i + 1]; e++)
            sum += fabs(p->values[e] * p->s[p->columns[e]]);
        *round = fmax(*round, ROUND * sum);
    }
    return rg_problem_residual(p, c->response, NULL).velocity;
}

/* ------------------------------------------------------------------ sweeps */

/* One row to its law, others as they are; friction bounded by the present normal. */
static void sweep_row(Rows *c, const Group *g, int32_t i)
{
    RgProblem *p = c->p;
    double low = p->low[i], high = p->high[i];
    if (!(c->diagonal[i] > 0.0))
        return;
    if (p->row_class[i] == RG_ROW_FRICTION) {
        high *= p->z[p->normal[i]];
        low = -high;
    }
    double w = times(g, i, p->s) + p->compliance[i] * p->z[i] - p->target[i];
    double z = p->z[i] - w / c->diagonal[i];
    z = z < low ? low : z > high ? high : z;
    push(g, i, z - p->z[i], p->s);
    p->z[i] = z;
}

/* Two rows of a cone to theirs. */
static void sweep_pair(Rows *c, const Group *g, int32_t i)
{
    RgProblem *p = c->p;
    double n = p->z[p->normal[i]], z[2];
    if (!(c->response[i] > 0.0))
        return;
    for (int k = 0; k < 2; k++) {
        double w = times(g, i + k, p->s) + p->compliance[i + k] * p->z[i + k] - p->target[i + k];
        z[k] = p->z[i + k] - w / c->response[i];
    }
    rg_cone_bring_back(p->high[i] * n, p->high[i + 1] * n, &z[0], &z[1]);
    for (int k = 0; k < 2; k++) {
        push(g, i + k, z[k] - p->z[i + k], p->s);
        p->z[i + k] = z[k];
    }
}

/* Normal and tangents at once. */
static void sweep_round(Rows *c, int32_t number)
{
    RgProblem *p = c->p;
    const Group *g = &c->group[number];
    const double *W = c->block + 9 * (ptrdiff_t)number, *inverse = c->inverse + 9 * (ptrdiff_t)number;
    double *z = p->z + g->first, last[3] = {z[0], z[1], z[2]}, q[3];
    for (int k = 0; k < 3; k++) {
        int32_t i = g->first + k;
        q[k] = times(g, i, p->s) + p->compliance[i] * z[k] - p->target[i];
        q[k] -= W[3 * k] * z[0] + W[3 * k + 1] * z[1] + W[3 * k + 2] * z[2];
    }
    RgConeLocal local = {W, q, p->high[g->first + 1]};
    cone_local_solve(&local, inverse[0] != 0.0 ? inverse : NULL, z);
    for (int k = 0; k < 3; k++)
        push(g, g->first + k, z[k] - last[k], p->s);
}

static void sweep(void *context)
{
    Rows *c = context;
    for (int32_t k = 0; k < c->ngroups; k++) {
        const Group *g = &c->group[k];
        bool at_once = is_round(c->p, g) && c->diagonal[g->first] > 0.0;
        if (at_once)
            sweep_round(c, k);
        for (int32_t i = g->first + (at_once ? 3 : 0); i < g->first + g->rows; i++)
            if (c->p->cone[i])
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
static RowMind pair_mind(const Rows *c, int32_t i, double n, double F[2])
{
    const RgProblem *p = c->p;
    double rho = RHO / ((1.0 + c->a) * c->response[i]);
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

static RowMind row_mind(const Rows *c, int32_t i, double n, double *F)
{
    const RgProblem *p = c->p;
    bool friction = p->row_class[i] == RG_ROW_FRICTION;
    double rho = RHO / ((1.0 + c->a) * c->response[i]), y = p->z[i] - rho * c->w[i];
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
static void look_at(Rows *c, const Group *g, int32_t i)
{
    const RgProblem *p = c->p;
    c->w[i] = times(g, i, p->s) + p->compliance[i] * p->z[i] - p->target[i] +
              c->a * c->response[i] * (p->z[i] - c->centre[i]);
}

static double look_at_group(Rows *c, const Group *g)
{
    const RgProblem *p = c->p;
    double n = 0.0, sum = 0.0;
    for (int32_t i = g->first; i < g->first + g->rows; i++) {
        double F[2] = {0.0, 0.0};
        bool pair = p->cone[i];
        look_at(c, g, i);
        if (pair)
            look_at(c, g, i + 1);
        if (!(c->response[i] > 0.0))
            c->mind[i] = (RowMind){.mind = FIXED, .to = p->z[i]};
        else if (pair)
            c->mind[i] = pair_mind(c, i, n, F);
        else
            c->mind[i] = row_mind(c, i, n, F);
        if (p->row_class[i] == RG_ROW_NORMAL && c->mind[i].mind == HOLDS)
            n = p->z[i] - RHO / ((1.0 + c->a) * c->response[i]) * c->w[i];
        double scale = c->response[i] / RHO;
        sum += scale * scale * (F[0] * F[0] + F[1] * F[1]);
        i += pair;
    }
    return sum;
}

static double look(void *context)
{
    Rows *c = context;
    double sum = 0.0;
    for (int32_t k = 0; k < c->ngroups; k++)
        sum += look_at_group(c, &c->group[k]);
    return sqrt(sum);
}

/* ------------------------------------------------------------------ the system */

/* Rows that hold, as (L, J, 1 / E, w) over a group's columns; known parts of the step. */
typedef struct Held {
    const double *J;
    const double *L; /* of the columns; may be J */
    double per, w;
} Held;

typedef struct Answer {
    int count;
    Held row[GROUP_ROWS];
} Answer;

static double softness(const Rows *c, int32_t i)
{
    return c->p->compliance[i] + c->a * c->response[i];
}

/* x += f J_row over the group's columns. */
static void mix(const Group *g, int32_t row, double f, double *x)
{
    const double *J = row_of(g, row);
    for (int32_t k = 0; k < g->columns; k++)
        x[k] += f * J[k];
}

/* Two rows of a cone that slide: across them one holds, along them they follow the normal, whose L is told. room: two rows
   of columns. */
static void add_sliding(const Rows *c, const Group *g, int32_t i, double *normal_L, double *room, Answer *out)
{
    const RgProblem *p = c->p;
    const RowMind *m = &c->mind[i];
    int32_t normal = p->normal[i];
    double z_d = p->z[i] * m->d[0] + p->z[i + 1] * m->d[1], z_e = p->z[i + 1] * m->d[0] - p->z[i] * m->d[1];
    double back = m->mu * p->z[normal] - z_d + m->turn * z_e;
    c->known[i] = back * m->d[0];
    c->known[i + 1] = back * m->d[1];
    mix(g, i, m->mu * m->d[0], normal_L);
    mix(g, i + 1, m->mu * m->d[1], normal_L);
    double *J = room, *L = room + g->columns;
    memset(room, 0, 2 * (size_t)g->columns * sizeof *room);
    mix(g, i, -m->d[1], J);
    mix(g, i + 1, m->d[0], J);
    memcpy(L, J, (size_t)g->columns * sizeof *L);
    if (m->turn != 0.0) {
        mix(g, i, m->turn * m->d[0], L);
        mix(g, i + 1, m->turn * m->d[1], L);
    }
    double E = m->d[1] * m->d[1] * softness(c, i) + m->d[0] * m->d[0] * softness(c, i + 1);
    out->row[out->count++] = (Held){J, L, 1.0 / (E + m->k), m->over * z_e};
}

/* All of a group. room: SCRATCH rows of columns. */
static void answer(const Rows *c, const Group *g, double *room, Answer *out)
{
    const RgProblem *p = c->p;
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
            mix(g, i, m->d[0] * m->mu, normal_L);
        } else if (m->mind == FIXED) {
            c->known[i] = m->to - p->z[i];
            if (pair)
                c->known[i + 1] = -p->z[i + 1];
        } else {
            const double *L = i == g->first && contact ? normal_L : row_of(g, i);
            out->row[out->count++] = (Held){row_of(g, i), L, 1.0 / softness(c, i), c->w[i]};
            if (pair)
                out->row[out->count++] =
                    (Held){row_of(g, i + 1), row_of(g, i + 1), 1.0 / softness(c, i + 1), c->w[i + 1]};
        }
        i += pair;
    }
}

static void add_matrix(Rows *c, const Group *g, const Answer *rows)
{
    const Run *run = c->run + g->run;
    for (int32_t a = 0; a < g->runs; a++)
        for (int32_t b = 0; b < g->runs; b++) {
            double *B = rg_block_lu_at(&c->lu, run[a].node, run[b].node) + (ptrdiff_t)NODE * run[a].offset +
                        run[b].offset;
            for (int k = 0; k < rows->count; k++) {
                const double *L = rows->row[k].L + run[a].first, *J = rows->row[k].J + run[b].first;
                for (int32_t i = 0; i < run[a].count; i++) {
                    double x = rows->row[k].per * L[i];
                    for (int32_t j = 0; j < run[b].count; j++)
                        B[NODE * i + j] += x * J[j];
                }
            }
        }
}

static void add_right(Rows *c, const Group *g, const Answer *rows)
{
    double sum[GROUP_ROWS];
    for (int k = 0; k < rows->count; k++)
        sum[k] = -rows->row[k].per * rows->row[k].w;
    for (int32_t e = 0; e < g->columns; e++) {
        double x = 0.0;
        for (int k = 0; k < rows->count; k++)
            x += sum[k] * rows->row[k].L[e];
        for (int32_t i = g->first; i < g->first + g->rows; i++)
            x += c->known[i] * row_of(g, i)[e];
        c->step[NODE * c->node_of[g->at[e]] + c->offset_of[g->at[e]]] += x;
    }
}

/* What a group's impulses change by when the velocities do by c->step; and who stays at its edge. */
static void find_change(Rows *c, const Group *g, const Answer *rows)
{
    const RgProblem *p = c->p;
    double held[GROUP_ROWS];
    for (int k = 0; k < rows->count; k++) {
        double sum = rows->row[k].w;
        for (int32_t e = 0; e < g->columns; e++)
            sum += rows->row[k].J[e] * c->step[NODE * c->node_of[g->at[e]] + c->offset_of[g->at[e]]];
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
static void bring_back(RgProblem *p, const Group *g, const bool *edge)
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
static void go(Rows *c, double part)
{
    for (int32_t i = 0; i < c->p->n; i++)
        c->p->z[i] = c->from[i] + part * c->change[i];
    for (int32_t k = 0; k < c->ngroups; k++)
        bring_back(c->p, &c->group[k], c->edge);
}

/* ------------------------------------------------------------------ the form of the method */

static double judge(void *context)
{
    Rows *c = context;
    refresh(c);
    return rg_problem_residual(c->p, c->response, NULL).velocity / c->size;
}

static void keep(void *context)
{
    Rows *c = context;
    memcpy(c->best, c->p->z, (size_t)c->p->n * sizeof *c->best);
}

static void back(void *context)
{
    Rows *c = context;
    memcpy(c->p->z, c->best, (size_t)c->p->n * sizeof *c->best);
    refresh(c);
}

static void recentre(void *context)
{
    Rows *c = context;
    memcpy(c->p->z, c->centre, (size_t)c->p->n * sizeof *c->centre);
    refresh(c);
}

static int32_t widest(const Rows *c)
{
    int32_t most = 0;
    for (int32_t k = 0; k < c->ngroups; k++)
        most = c->group[k].columns > most ? c->group[k].columns : most;
    return most;
}

static double plan(void *context)
{
    Rows *c = context;
    if (!c->planned) {
        size_t room = NODE * (size_t)c->nnodes;
        c->step = RG_TAKE_RAW(c->arena, double, room);
        c->spare = RG_TAKE_RAW(c->arena, double, room);
        c->mind = RG_TAKE_RAW(c->arena, RowMind, c->p->n);
        c->scratch = RG_TAKE_RAW(c->arena, double, SCRATCH *(size_t)widest(c));
        c->planned = !c->arena->failed && plan_matrix(c);
    }
    double cost = GROUP_STEP_COST * c->ngroups + (double)c->lu.work;
    return c->planned ? cost / (GROUP_SWEEP_COST * c->ngroups) : -1.0;
}

static void centre(void *context, double a)
{
    Rows *c = context;
    c->a = a;
    memcpy(c->centre, c->p->z, (size_t)c->p->n * sizeof *c->centre);
}

static bool step(void *context)
{
    Rows *c = context;
    RgBlockLu *lu = &c->lu;
    size_t room = NODE * (size_t)c->nnodes;
    Answer rows;
    rg_block_lu_clear(lu);
    for (int32_t k = 0; k < c->nnodes; k++)
        for (int i = 0; i < NODE; i++)
            lu->diagonal[(ptrdiff_t)NODE * NODE * k + (NODE + 1) * (ptrdiff_t)i] = 1.0;
    memset(c->step, 0, room * sizeof *c->step);
    for (int32_t k = 0; k < c->ngroups; k++) {
        answer(c, &c->group[k], c->scratch, &rows);
        add_matrix(c, &c->group[k], &rows);
        add_right(c, &c->group[k], &rows);
    }
    if (!rg_block_lu_factor(lu, LOST))
        return false;
    rg_block_lu_solve(lu, c->step, c->spare);
    for (size_t k = 0; k < room; k++)
        if (!isfinite(c->step[k]))
            return false;
    for (int32_t k = 0; k < c->ngroups; k++) {
        answer(c, &c->group[k], c->scratch, &rows);
        find_change(c, &c->group[k], &rows);
    }
    memcpy(c->from, c->p->z, (size_t)c->p->n * sizeof *c->from);
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
                                .shorten = shorten};

/* ------------------------------------------------------------------ solve */

static bool take(Rows *c)
{
    const RgProblem *p = c->p;
    if (!make_groups(c) || !make_nodes(c) || !make_runs(c))
        return false;
    c->diagonal = RG_TAKE_RAW(c->arena, double, p->n);
    c->response = RG_TAKE_RAW(c->arena, double, p->n);
    c->w = RG_TAKE_RAW(c->arena, double, p->n);
    c->centre = RG_TAKE_RAW(c->arena, double, p->n);
    c->known = RG_TAKE_RAW(c->arena, double, p->n);
    c->best = RG_TAKE_RAW(c->arena, double, p->n);
    c->from = RG_TAKE_RAW(c->arena, double, p->n);
    c->change = RG_TAKE_RAW(c->arena, double, p->n);
    c->edge = RG_TAKE(c->arena, bool, p->n);
    c->block = RG_TAKE_RAW(c->arena, double, 9 * (size_t)c->ngroups);
    c->inverse = RG_TAKE_RAW(c->arena, double, 9 * (size_t)c->ngroups);
    c->s_free = RG_TAKE_RAW(c->arena, double, p->nu);
    if (c->arena->failed)
        return false;
    memcpy(c->s_free, p->s, (size_t)p->nu * sizeof *p->s);
    rg_problem_responses(p, c->diagonal, c->response);
    for (int32_t k = 0; k < c->ngroups; k++)
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

static void solve(Rows *c, const RgExactOptions *o, RgSolveReport *report)
{
    RgProblem *p = c->p;
    double round;
    memcpy(c->best, p->z, (size_t)p->n * sizeof *p->z);
    c->size = find_size(c, &round);
    memcpy(p->z, c->best, (size_t)p->n * sizeof *p->z);
    if (!(c->size > round)) { /* without impulses all is well */
        memset(p->z, 0, (size_t)p->n * sizeof *p->z);
        refresh(c);
        report->converged = true;
        return;
    }
    for (int32_t k = 0; k < c->ngroups; k++)
        bring_back(p, &c->group[k], c->edge);
    RgConeMethod m = {.form = &form,
                      .context = c,
                      .tolerance = o->tolerance + round / c->size,
                      .a_least = A_LEAST,
                      .warm = any(p->z, p->n),
                      .most = o->max_iterations > 0 ? o->max_iterations : MOST};
    report->converged = rg_cone_method_solve(&m);
    report->iterations = m.iterations;
}

static RgStatus solve_rows(RgArena *arena, RgProblem *p, const RgRowOptions *o, RgSolveReport *report)
{
    *report = (RgSolveReport){.residual = {.worst = -1}, .converged = p->n == 0};
    rg_arena_reset(arena);
    if (p->n == 0)
        return RG_OK;
    Rows c = {.p = p, .arena = arena};
    if (!take(&c))
        return RG_ERR_MEMORY;
    solve(&c, &o->exact, report);
    if (arena->failed)
        return RG_ERR_MEMORY;
    report->outcome = report->converged ? RG_SOLVE_SOLVED : RG_SOLVE_ITERATIONS;
    if (!p->unjudged)
        report->residual = rg_problem_residual(p, c.response, p->rate);
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
