/* rows_fixture.h - rows of one or a few bodies written by hand, and a law that is checked row by row. */
#ifndef TEST_UNIT_ROWS_FIXTURE_H
#define TEST_UNIT_ROWS_FIXTURE_H

#include "problem_fixture.h"
#include "solver/solver_table.h"

/* A direction at a point of body b, with mass and inertia (all axes) of m and I; its velocities are s / sqrt(m, I). */
typedef struct BodyRow {
    int body;
    double m, I, along[3], arm[3];
} BodyRow;

/* A row of what the direction's point moves; turn: of what the body turns about it. */
static inline int rows_add(ProblemCase *c, const BodyRow *row, bool turn, RgRowClass row_class)
{
    Draw d = draw_seed(1);
    int i = problem_row(c, &d, row->body, -1, row_class);
    const double *a = row->along, *p = row->arm, m = 1.0 / sqrt(row->m), I = 1.0 / sqrt(row->I);
    double cross[3] = {p[1] * a[2] - p[2] * a[1], p[2] * a[0] - p[0] * a[2], p[0] * a[1] - p[1] * a[0]};
    for (int k = 0; k < 3; k++) {
        c->values[c->start[i] + k] = turn ? 0.0 : m * a[k];
        c->values[c->start[i] + 3 + k] = I * (turn ? a[k] : cross[k]);
    }
    c->target[i] = 0.0;
    return i;
}

static inline int rows_friction(ProblemCase *c, const BodyRow *row, bool turn, int normal, double mu)
{
    int i = rows_add(c, row, turn, RG_ROW_FRICTION);
    c->normal[i] = normal;
    c->low[i] = -mu;
    c->high[i] = mu;
    return i;
}

/* A contact with the ground z = 0: normal up, tangents x and y. Returns its normal. */
static inline int rows_contact(ProblemCase *c, BodyRow at, double mu1, double mu2, bool cone)
{
    const double z[3] = {0.0, 0.0, 1.0}, x[3] = {1.0, 0.0, 0.0}, y[3] = {0.0, 1.0, 0.0};
    memcpy(at.along, z, sizeof z);
    int n = rows_add(c, &at, false, RG_ROW_NORMAL);
    memcpy(at.along, x, sizeof x);
    rows_friction(c, &at, false, n, mu1);
    memcpy(at.along, y, sizeof y);
    rows_friction(c, &at, false, n, mu2);
    c->cone[n + 1] = cone;
    return n;
}

/* Velocities (linear, angular) of body b before anything acts. */
static inline void rows_velocity(ProblemCase *c, int b, double m, double I, const double v[6])
{
    for (int k = 0; k < 6; k++)
        c->s_free[6 * b + k] = c->s[6 * b + k] = sqrt(k < 3 ? m : I) * v[k];
}

/* By a solver's name from where z is; the arena is one's own. */
static inline RgSolveReport rows_solve_on(ProblemCase *c, const char *name, const RgExactOptions *exact)
{
    RgArena arena;
    RgSolveReport report;
    const RgSolver *solver = rg_solver_find(name);
    cr_assert(solver != NULL);
    RgRowOptions o = {.pgs = rg_pgs_options_default(), .exact = exact != NULL ? *exact : rg_exact_options_default()};
    o.pgs.iterations = 20000;
    o.pgs.tolerance = 1e-14;
    o.pgs.sor = o.pgs.friction_sor = 1.0;
    rg_arena_init(&arena, NULL);
    memcpy(c->s, c->s_free, sizeof c->s);
    cr_assert(solver->solve_rows(&arena, &c->p, &o, &report) == RG_OK);
    rg_arena_free(&arena);
    return report;
}

static inline RgSolveReport rows_solve(ProblemCase *c, const char *name)
{
    problem_reset(c);
    return rows_solve_on(c, name, NULL);
}

/* Bounds, to round-off; normals never pull. */
static inline bool rows_in_bounds(const ProblemCase *c)
{
    const double more = 1.0 + 1e-12;
    for (int i = 0; i < c->p.n; i++) {
        double n = c->normal[i] >= 0 ? c->z[c->normal[i]] : 0.0;
        if (c->cone[i]) {
            double a = c->high[i] * n, b = c->high[i + 1] * n;
            double x = a > 0.0 ? c->z[i] / a : c->z[i] != 0.0 ? INFINITY : 0.0;
            double y = b > 0.0 ? c->z[i + 1] / b : c->z[i + 1] != 0.0 ? INFINITY : 0.0;
            if (!(x * x + y * y <= more))
                return false;
            i++;
        } else if (c->row_class[i] == RG_ROW_FRICTION) {
            if (!(fabs(c->z[i]) <= c->high[i] * n * more))
                return false;
        } else if (!(c->z[i] >= c->low[i] && c->z[i] <= c->high[i])) {
            return false;
        }
    }
    return true;
}

static inline double rows_miss(const ProblemCase *c, int i)
{
    return rg_problem_row_times(&c->p, i, c->s) + c->compliance[i] * c->z[i] - c->target[i];
}

/* What rows from i on that go together miss of Coulomb's law, m/s, by cases. */
static inline double rows_law_of(const ProblemCase *c, int i)
{
    double w = rows_miss(c, i), z = c->z[i], n = c->normal[i] >= 0 ? c->z[c->normal[i]] : 0.0;
    const double rim = 1.0 - 1e-7, response = rg_problem_diagonal(&c->p, i);
    if (!(response > 0.0))
        return 0.0;
    if (c->cone[i]) {
        double w2 = rows_miss(c, i + 1), z2 = c->z[i + 1], a = c->high[i] * n, b = c->high[i + 1] * n;
        if (!(a * b > 0.0))
            return 0.0; /* no force can act, or along one axis only */
        double place = z * z / (a * a) + z2 * z2 / (b * b), size = hypot(z, z2);
        if (place < rim)
            return hypot(w, w2);
        /* What of the slip is not against friction, or what of friction is not against the slip, times A. */
        double slip = hypot(w, w2), per = response * size < slip ? response / slip : 1.0 / size;
        return per * fmax(fabs(z * w2 - z2 * w), z * w + z2 * w2);
    }
    bool friction = c->row_class[i] == RG_ROW_FRICTION;
    double low = friction ? -c->high[i] * n : c->low[i], high = friction ? c->high[i] * n : c->high[i];
    if (high - low <= 0.0)
        return 0.0;
    double slack = 1e-7 * (isfinite(high - low) ? high - low : 1.0);
    if (z > low + slack && z < high - slack)
        return fabs(w);
    return z <= low + slack && z >= high - slack ? 0.0 : z <= low + slack ? fmax(-w, 0.0) : fmax(w, 0.0);
}

static inline double rows_law(const ProblemCase *c)
{
    double worst = 0.0;
    for (int i = 0; i < c->p.n; i++) {
        worst = fmax(worst, rows_law_of(c, i));
        i += c->cone[i];
    }
    return worst;
}

#endif
