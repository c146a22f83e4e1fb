/*
 * cone_newton.c - Newton's method of solver `cone`, in velocities.
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
#include "solver/cone/cone_state.h"
#include "solver/cone_projection.h"

#include <string.h>

/* Times that, what slides is far outside of its cone. */
#define FAR 1e9

/* What a group may slide in: L of the normal, and J and L of two pairs. */
#define SCRATCH 5

/* rho times the response of a row. */
#define RHO 0.03

/* ------------------------------------------------------------------ minds */

/* Two rows of a cone whose normal is to have the impulse n; F: what the law is missed by. */
static RgRowMind pair_mind(const RgCone *c, int32_t i, double n, double F[2])
{
    const RgProblem *p = c->rows.p;
    double rho = RHO / ((1.0 + c->a) * c->rows.response[i]);
    double y[2] = {p->z[i] - rho * c->w[i], p->z[i + 1] - rho * c->w[i + 1]};
    double size = sqrt(y[0] * y[0] + y[1] * y[1]);
    RgRowMind m = {.mind = RG_ROW_HOLDS};
    double bound = 0.0;
    if (size > 0.0) {
        m.d[0] = y[0] / size;
        m.d[1] = y[1] / size;
        m.mu = ellipse_radius(p->high[i], p->high[i + 1], m.d, &m.turn);
        bound = m.mu * n;
    }
    double part = size > bound ? bound / size : 1.0;
    if (size > bound)
        m.mind = RG_ROW_FIXED;
    double over = bound > 0.0 ? size / (rho * bound) : INFINITY;
    if (size > bound && isfinite(over)) { /* a bound too small for numbers is none */
        m.mind = RG_ROW_SLIDES;
        m.over = over;
        m.k = (size - bound) / (rho * bound);
    }
    F[0] = p->z[i] - part * y[0];
    F[1] = p->z[i + 1] - part * y[1];
    return m;
}

static RgRowMind row_mind(const RgCone *c, int32_t i, double n, double *F)
{
    const RgProblem *p = c->rows.p;
    bool friction = p->row_class[i] == RG_ROW_FRICTION;
    double rho = RHO / ((1.0 + c->a) * c->rows.response[i]), y = p->z[i] - rho * c->w[i];
    double high = friction ? p->high[i] * n : p->high[i], low = friction ? -high : p->low[i];
    RgRowMind m = {.mind = RG_ROW_HOLDS};
    if (y <= low || y >= high) {
        m.mind = friction && n > 0.0 ? RG_ROW_SLIDES : RG_ROW_FIXED;
        m.d[0] = y <= low ? -1.0 : 1.0;
        m.mu = p->high[i];
        m.to = y <= low ? low : high;
        y = m.to;
    }
    *F = p->z[i] - y;
    return m;
}

/* What a row's velocity is in the problem with a. */
static void look_at(RgCone *c, const RgConeGroup *g, int32_t i)
{
    const RgProblem *p = c->rows.p;
    c->w[i] = cone_times(g, i, p->s) + p->compliance[i] * p->z[i] - p->target[i] +
              c->a * c->rows.response[i] * (p->z[i] - c->centre[i]);
}

static double look_at_group(RgCone *c, const RgConeGroup *g)
{
    const RgProblem *p = c->rows.p;
    bool alone = p->row_class[g->first] == RG_ROW_FRICTION; /* its normal is in another group */
    double n = alone ? p->z[p->normal[g->first]] : 0.0, sum = 0.0;
    for (int32_t i = g->first; i < g->first + g->rows; i++) {
        double F[2] = {0.0, 0.0};
        bool pair = p->cone[i];
        look_at(c, g, i);
        if (pair)
            look_at(c, g, i + 1);
        if (!(c->rows.response[i] > 0.0))
            c->mind[i] = (RgRowMind){.mind = RG_ROW_FIXED, .to = p->z[i]};
        else if (pair)
            c->mind[i] = pair_mind(c, i, n, F);
        else
            c->mind[i] = row_mind(c, i, n, F);
        if (p->row_class[i] == RG_ROW_NORMAL && c->mind[i].mind == RG_ROW_HOLDS)
            n = p->z[i] - RHO / ((1.0 + c->a) * c->rows.response[i]) * c->w[i];
        double scale = c->rows.response[i] / RHO;
        sum += scale * scale * (F[0] * F[0] + F[1] * F[1]);
        i += pair;
    }
    return sum;
}

double rg_cone_newton_look(void *context, double a)
{
    RgCone *c = context;
    c->a = a;
    double sum = 0.0;
    for (int32_t k = 0; k < c->rows.ngroups; k++)
        sum += look_at_group(c, &c->rows.group[k]);
    return sqrt(sum);
}

/* ------------------------------------------------------------------ the system */

static double softness(const RgCone *c, int32_t i)
{
    return c->rows.p->compliance[i] + c->a * c->rows.response[i];
}

/* Two rows of a cone that slide: across them one holds, along them they follow the normal, whose L is told. room: two rows
   of columns. */
static void add_sliding(const RgCone *c, const RgConeGroup *g, int32_t i, double *normal_L, double *room,
                        RgConeAnswer *out)
{
    const RgProblem *p = c->rows.p;
    const RgRowMind *m = &c->mind[i];
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
static void answer(const RgCone *c, const RgConeGroup *g, double *room, RgConeAnswer *out)
{
    const RgProblem *p = c->rows.p;
    double *normal_L = room;
    room += g->columns;
    out->count = 0;
    bool contact = p->row_class[g->first] == RG_ROW_NORMAL && c->mind[g->first].mind == RG_ROW_HOLDS;
    if (contact)
        memcpy(normal_L, g->J, (size_t)g->columns * sizeof *normal_L);
    else
        memset(normal_L, 0, (size_t)g->columns * sizeof *normal_L);
    for (int32_t i = g->first; i < g->first + g->rows; i++) {
        const RgRowMind *m = &c->mind[i];
        bool pair = p->cone[i];
        c->known[i] = 0.0;
        if (pair)
            c->known[i + 1] = 0.0;
        if (m->mind == RG_ROW_SLIDES && pair) {
            add_sliding(c, g, i, normal_L, room, out);
            room += 2 * g->columns;
        } else if (m->mind == RG_ROW_SLIDES) {
            c->known[i] = m->d[0] * m->mu * p->z[p->normal[i]] - p->z[i];
            cone_mix(g, i, m->d[0] * m->mu, normal_L);
        } else if (m->mind == RG_ROW_FIXED) {
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
static void find_change(RgCone *c, const RgConeGroup *g, const RgConeAnswer *rows)
{
    const RgProblem *p = c->rows.p;
    double held[RG_CONE_ROWS] = {0.0};
    for (int k = 0; k < rows->count; k++) {
        double sum = rows->row[k].w + cone_times_step(&c->rows, g, rows->row[k].J);
        held[k] = -rows->row[k].per * sum;
    }
    double dn = c->mind[g->first].mind == RG_ROW_HOLDS ? held[0] : 0.0;
    int k = 0;
    for (int32_t i = g->first; i < g->first + g->rows; i++) {
        const RgRowMind *m = &c->mind[i];
        double *dz = c->change + i;
        bool pair = p->cone[i];
        c->edge[i] = m->mind == RG_ROW_SLIDES;
        memcpy(dz, c->known + i, (pair ? 2 : 1) * sizeof *dz);
        if (m->mind == RG_ROW_SLIDES && pair) {
            double along = m->mu * dn + m->turn * held[k];
            dz[0] += along * m->d[0] - held[k] * m->d[1];
            dz[1] += along * m->d[1] + held[k] * m->d[0];
            k++;
        } else if (m->mind == RG_ROW_SLIDES) {
            dz[0] += m->d[0] * m->mu * dn;
        } else if (m->mind == RG_ROW_HOLDS) {
            dz[0] += held[k++];
            if (pair)
                dz[1] += held[k++];
        }
        i += pair;
    }
}

/* Back into the bounds; two at an edge stay there. */
void rg_cone_bring_in(RgProblem *p, const RgConeGroup *g, const bool *edge)
{
    for (int32_t i = g->first; i < g->first + g->rows; i++) {
        double n = row_normal(p, i);
        if (p->cone[i]) {
            if (edge[i]) { /* from far outside */
                p->z[i] *= FAR;
                p->z[i + 1] *= FAR;
            }
            pair_project(p, i, n, &p->z[i], &p->z[i + 1]);
            i++;
            continue;
        }
        p->z[i] = row_project(p, i, n, p->z[i]);
    }
}

/* z from where the step began, so far along it. */
static void go(RgCone *c, double part)
{
    for (int32_t i = 0; i < c->rows.p->n; i++)
        c->rows.p->z[i] = c->from[i] + part * c->change[i];
    for (int32_t k = 0; k < c->rows.ngroups; k++)
        rg_cone_bring_in(c->rows.p, &c->rows.group[k], c->edge);
}

bool rg_cone_newton_step(void *context)
{
    RgCone *c = context;
    rg_anderson_forget(&c->chain); /* shifts do not follow from the last ones any more */
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

void rg_cone_newton_shorten(void *context, double part)
{
    go(context, part);
}

bool rg_cone_newton_take(RgCone *c)
{
    if (c->mind == NULL) {
        c->mind = RG_TAKE_RAW(c->rows.arena, RgRowMind, c->rows.p->n);
        c->scratch = RG_TAKE_RAW(c->rows.arena, double, SCRATCH *(size_t)c->rows.widest);
    }
    return !c->rows.arena->failed && rg_cone_rows_plan(&c->rows);
}
