/*
 * solver_lemke.c - rows with friction pyramids of k sides, by Lemke's method (Stewart, Trinkle 1996; Anitescu, Potra
 * 1997).
 *
 * Two friction rows that share a cone become k impulses b_j >= 0 along d_j = (c_1 cos, c_2 sin)(2 pi j / k) and one
 * l >= 0, about the speed of slip; c = mu / largest mu of the two, mu the latter:
 *
 *   z_t = sum b_j d_j,    w_j = d_j . w_t + l,    w_l = mu z_n - sum b_j
 *
 * so that z_t lies in the polygon with corners on the ellipse. A friction row alone has two directions. All other
 * rows are themselves; equalities are free variables, eliminated in lemke.c. The matrix is D' W D with the columns of l
 * and the rows of w_l: not symmetric, copositive; a solution exists for rigid contacts (Stewart, Trinkle), and
 * Lemke's method finds it. The judge of the rows measures with the cone: what he finds is the polygon's distance to
 * it, the report's own is that of the problem solved here. Cost: n^2 for each pivot, n about (k + 2) contacts.
 */
#include "math/trig.h"
#include "solver/cone_projection.h"
#include "solver/pivot/lemke.h"
#include "solver/pivot/pivot_rows.h"

#include <math.h>
#include <string.h>

/* So many variables take a second for each rung of the ladder. */
#define MOST_PARTS 2000

/* A variable of the pyramid problem: an impulse along up to two rows, or l of a contact. */
typedef struct Part {
    int row[2];       /* of the island; -1: none */
    double weight[2]; /* of z of those rows */
    int slip;         /* variable l that belongs to it; -1: none */
    int normal;       /* l alone: row of the normal; -1: it is none */
    double mu;        /* l alone */
} Part;

typedef struct Pyramid {
    const RgProblem *p;
    const RgDenseLcp *rows; /* the island */
    const int *list;        /* its rows in the problem; NULL: all */
    int sides, nparts;
    Part *parts;
} Pyramid;

static void add_plain(Pyramid *g, int row, double weight, int slip)
{
    g->parts[g->nparts++] = (Part){{row, -1}, {weight, 0.0}, slip, -1, 0.0};
}

static void add_slip(Pyramid *g, int normal, double mu)
{
    g->parts[g->nparts++] = (Part){{-1, -1}, {0.0, 0.0}, -1, normal, mu};
}

/* Rows i and i + 1 of a cone. */
static void add_cone(Pyramid *g, int i)
{
    const RgDenseLcp *rows = g->rows;
    double mu = fmax(rows->high[i], rows->high[i + 1]);
    if (!(mu > 0.0))
        return;
    int slip = g->nparts + g->sides;
    for (int j = 0; j < g->sides; j++) {
        double sine, cosine;
        rg_sincos_small(2.0 * RG_PI * j / g->sides, &sine, &cosine);
        g->parts[g->nparts++] =
            (Part){{i, i + 1}, {cosine * rows->high[i] / mu, sine * rows->high[i + 1] / mu}, slip, -1, 0.0};
    }
    add_slip(g, rows->normal[i], mu);
}

static void make_parts(Pyramid *g)
{
    const RgDenseLcp *rows = g->rows;
    for (int i = 0; i < rows->n; i++) {
        int row = g->list == NULL ? i : g->list[i];
        if (rows->normal[i] < 0) {
            add_plain(g, i, 1.0, -1);
        } else if (g->p->cone[row]) {
            add_cone(g, i++);
        } else if (rows->high[i] > 0.0) {
            int slip = g->nparts + 2;
            add_plain(g, i, 1.0, slip);
            add_plain(g, i, -1.0, slip);
            add_slip(g, rows->normal[i], rows->high[i]);
        }
    }
}

/* Entry of D' W D. */
static double product(const RgDenseLcp *rows, const Part *a, const Part *b)
{
    double sum = 0.0;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            if (a->row[i] >= 0 && b->row[j] >= 0)
                sum += a->weight[i] * b->weight[j] *
                       rows->M[(size_t)a->row[i] * (size_t)rows->n + (size_t)b->row[j]];
    return sum;
}

static void fill(const Pyramid *g, RgDenseLcp *lcp)
{
    size_t m = (size_t)g->nparts;
    const RgDenseLcp *rows = g->rows;
    for (size_t a = 0; a < m; a++) {
        const Part *part = &g->parts[a];
        bool own = part->row[0] >= 0 && part->slip < 0;
        lcp->low[a] = own ? rows->low[part->row[0]] : 0.0;
        lcp->high[a] = own ? rows->high[part->row[0]] : INFINITY;
        lcp->q[a] = 0.0;
        for (int k = 0; k < 2; k++)
            lcp->q[a] += part->row[k] >= 0 ? part->weight[k] * rows->q[part->row[k]] : 0.0;
        for (size_t b = 0; b < m; b++) {
            const Part *other = &g->parts[b];
            double entry = product(rows, part, other);
            if (part->slip == (int)b)
                entry = 1.0;
            else if (other->slip == (int)a)
                entry = -1.0;
            else if (part->normal >= 0 && other->row[0] == part->normal && other->slip < 0)
                entry = part->mu;
            lcp->M[a * m + b] = entry;
        }
    }
}

/* z of the island's rows, within their bounds. */
static void read_back(const Pyramid *g, const RgDenseLcp *lcp, RgProblem *p)
{
    for (int i = 0; i < g->rows->n; i++)
        p->z[g->list == NULL ? i : g->list[i]] = 0.0;
    for (int a = 0; a < g->nparts; a++)
        for (int k = 0; k < 2; k++) {
            int i = g->parts[a].row[k];
            if (i >= 0)
                p->z[g->list == NULL ? i : g->list[i]] += g->parts[a].weight[k] * lcp->z[a];
        }
    for (int i = 0; i < g->rows->n; i++) {
        int row = g->list == NULL ? i : g->list[i];
        if (g->rows->normal[i] < 0)
            continue;
        if (p->cone[row]) {
            pair_project(p, row, row_normal(p, row), &p->z[row], &p->z[row + 1]);
            i++;
        } else {
            p->z[row] = row_project(p, row, row_normal(p, row), p->z[row]);
        }
    }
}

static RgStatus solve_island(RgArena *arena, RgProblem *p, const int *list, int n,
                             const RgExactOptions *options, RgIslandReport *report)
{
    RgDenseLcp rows, lcp;
    RgLemkeReport lemke;
    Pyramid g = {.p = p, .rows = &rows, .list = list, .sides = options->sides};
    g.parts = RG_TAKE_RAW(arena, Part, (size_t)n * ((size_t)g.sides + 1));
    if (arena->failed || !rg_dense_lcp_of_rows(arena, p, list, n, &rows))
        return RG_ERR_MEMORY;
    if (!rg_dense_lcp_valid(&rows)) {
        for (int i = 0; i < n; i++)
            p->z[list == NULL ? i : list[i]] = 0.0;
        report->outcome = RG_SOLVE_SINGULAR;
        return RG_OK;
    }
    make_parts(&g);
    if (g.nparts > MOST_PARTS) {
        rg_pivot_keep_guess(p, list, n);
        report->outcome = RG_SOLVE_ITERATIONS;
        return RG_OK;
    }
    if (!rg_dense_lcp_take(arena, g.nparts, false, &lcp))
        return RG_ERR_MEMORY;
    fill(&g, &lcp);
    memset(lcp.z, 0, (size_t)g.nparts * sizeof *lcp.z);
    RgStatus status = rg_lemke_solve(arena, &lcp, options, &lemke);
    if (status != RG_OK)
        return status;
    read_back(&g, &lcp, p);
    *report = (RgIslandReport){lemke.outcome, lemke.pivots, lemke.residual.natural};
    return RG_OK;
}

static RgStatus solve_rows(RgArena *arena, RgProblem *p, const RgRowOptions *options, RgSolveReport *report)
{
    return rg_pivot_islands(arena, p, options, solve_island, report);
}

static RgStatus solve_lcp(RgArena *arena, RgDenseLcp *lcp, const RgRowOptions *options, RgSolveReport *report)
{
    RgLemkeReport lemke;
    RgStatus status = rg_lemke_solve(arena, lcp, &options->exact, &lemke);
    *report = (RgSolveReport){.iterations = lemke.pivots,
                              .converged = lemke.outcome == RG_SOLVE_SOLVED,
                              .outcome = lemke.outcome,
                              .residual = {.impulse = lemke.residual.plain,
                                           .velocity = lemke.residual.natural,
                                           .worst = lemke.residual.worst},
                              .own = lemke.residual.natural};
    return status;
}

const RgSolver rg_solver_lemke = {
    .name = "lemke",
    .summary = "Lemke's method, exact; friction as pyramids of 4 to 16 sides (papers 000, 001, 002)",
    .solve_rows = solve_rows,
    .solve_lcp = solve_lcp,
    .exact = true};
