/*
 * inverse_stages.c - contact impulses for inverse dynamics in two stages (002; Zapolsky and Drumwright 2016), by
 * pivoting.
 *
 * With v- the velocities without contact and the joints at their desired rates, contact velocities are R' v+ = H z +
 * R' v-, where H = R_u' M_uu^-1 R_u. Friction is in a pyramid: z_F = sum of beta_j d_j over its edges, beta >= 0, sum
 * beta <= mu z_N. Stage 1 is one of
 *
 *   Coulomb     0 <= z_N  complementary to  N v+ + gap/h >= 0
 *               0 <= beta complementary to  d_j . F v+ + s >= 0        0 <= s complementary to mu z_N - sum beta >= 0
 *   energy      min 1/2 z'Hz + z' (R' v- + gap/h of normals)  subject to  N v+ >= -gap/h and friction, without
 *               complementarity
 *   no slip     F v+ = 0 for independent tangents of contacts that do not slide after impacts,
 *               0 <= z_N complementary to N v+ + gap/h >= 0
 *
 * Coulomb's law (002, equations 2 to 7, with efforts and velocities eliminated; its matrix is copositive) and the
 * optimality conditions of least energy are solved by Lemke's method, no slip by principal pivoting.
 *
 * As printed, 002's program minimises the energy of the whole robot, with R_u' M_uu^-1 p_u in place of R' v-. Its
 * contacts slip wherever a joint moves, even if friction suffices, which contradicts Coulomb's law. Measured in a trot
 * at 1 ms: the joint accelerations are wrong by 50 rad/s^2 and the robot falls; with Coulomb's law by 0.004 (3e-6 rad/s
 * per step). So the controller uses Coulomb's law, and least energy, relative to the desired joint rates, where Lemke's
 * method fails.
 *
 * Stage 2: among all z with the same effect R_u z on the others (differences in the null space of H) the one with the
 * least 1/2 |h tau|^2, h tau = const - R_c z, over sticking contacts; a complementarity problem with multipliers of
 * R_u z = R_u z_1 as free variables. Separating and slipping contacts keep their impulses. If stage 2 fails, z_1 stays.
 *
 * Units: impulses over s, velocities over s / m, so that numbers are near 1. Cost: n^2 per pivot, n = 6 per contact
 * plus the number of other velocities.
 */
#include "control/inverse_contact.h"

#include "math/grow_ldl.h"
#include "solver/pivot/dantzig.h"
#include "solver/pivot/lemke.h"

#include <math.h>
#include <string.h>

/* A problem in variables x: normals and pyramid edges, or normals and free tangents. */
typedef struct Program {
    RgInverseContact *w;
    int edges;     /* variables of a contact besides its normal: RG_CONE_EDGES, or 2 free tangents */
    int ncontacts; /* uses the first ncontacts contacts */
    int n;         /* number of variables */
    double scale;  /* N s: unit of x */
} Program;

static double mass_scale(const RgInverseContact *w)
{
    double most = 0.0;
    for (int i = 0; i < w->nv; i++)
        most = fmax(most, w->M[i * w->nv + i]);
    return most > 0.0 ? most : 1.0;
}

/* N s: size of the impulses, from the momentum and the velocities without contact. */
static double impulse_scale(const RgInverseContact *w)
{
    double most = 0.0;
    for (int i = 0; i < w->nu; i++)
        most = fmax(most, fabs(w->p[w->u[i]]));
    for (int i = 0; i < w->nu; i++)
        most = fmax(most, fabs(w->v0[i]) * mass_scale(w));
    return most > 0.0 ? most : 1.0;
}

/* Impulse of variable i = 1: row of R and factor. Pyramid edges: +-t1, +-t2. */
static void variable_axis(const Program *p, int i, int *row, double *amount)
{
    int contact = i / (1 + p->edges), k = i % (1 + p->edges);
    if (k == 0 || p->edges == 2) {
        *row = RG_CONTACT_ROWS * contact + k;
        *amount = 1.0;
        return;
    }
    *row = RG_CONTACT_ROWS * contact + 1 + (k - 1) / 2;
    *amount = (k - 1) % 2 == 0 ? 1.0 : -1.0;
}

/* Entry i, j of R_u' M_uu^-1 R_u. */
static double coupling(const RgInverseContact *w, int i, int j)
{
    double sum = 0.0;
    for (int k = 0; k < w->nu; k++)
        sum += w->R[(size_t)i * (size_t)w->nv + (size_t)w->u[k]] * w->B[(size_t)j * (size_t)w->nu + (size_t)k];
    return sum;
}

/* Velocity along column i of R at the desired rates and v_u = v0. */
static double free_velocity(const RgInverseContact *w, int i)
{
    const double *column = w->R + (size_t)i * (size_t)w->nv;
    double sum = 0.0;
    for (int k = 0; k < w->nu; k++)
        sum += column[w->u[k]] * w->v0[k];
    for (int k = 0; k < w->nc; k++)
        sum += column[w->dofs[k]] * w->rates[k];
    return sum;
}

#define SEPARATION_FRACTION 1e-6 /* of the scales: velocity of a separating contact, impulse of a loaded contact */
#define DEPENDENT_FRACTION 1e-3  /* of a tangent's diagonal: smaller pivots mean that it depends on other tangents */
#define COMPLIANCE 1e-9          /* relative; makes the load distribution of four feet of a stiff robot unique */
#define LARGEST_FRICTION 1e4     /* coefficients above are replaced by it: practically unlimited friction */

/* Velocity along row i without contact; of normals in excess of what closes the gap. */
static double excess_velocity(const RgInverseContact *w, int i, double h)
{
    double v = free_velocity(w, i);
    return i % RG_CONTACT_ROWS == 0 ? v + w->contact[i / RG_CONTACT_ROWS].closes / h : v;
}

static Program init_program(RgInverseContact *w, int edges)
{
    return (Program){
        .w = w, .edges = edges, .ncontacts = w->ncontacts, .n = w->ncontacts * (1 + edges), .scale = impulse_scale(w)};
}

static void store_impulses(const Program *p, const double *x)
{
    memset(p->w->z, 0, RG_CONTACT_ROWS * (size_t)p->ncontacts * sizeof *p->w->z);
    for (int i = 0; i < p->n; i++) {
        int row;
        double amount;
        variable_axis(p, i, &row, &amount);
        p->w->z[row] += amount * p->scale * x[i];
    }
}

/* Sets the bounds of the variables: normals and edges >= 0, tangents free. */
static void set_bounds(const Program *p, RgDenseLcp *lcp)
{
    for (int i = 0; i < lcp->n; i++) {
        bool tangent = i < p->n && p->edges == 2 && i % 3 != 0;
        lcp->low[i] = tangent ? -(double)INFINITY : 0.0;
        lcp->high[i] = (double)INFINITY;
    }
}

/* Adds the friction rows from row `at` on: mu z_N - sum beta >= 0, and their multipliers. */
static void add_friction(const Program *p, int at, RgDenseLcp *lcp)
{
    int n = lcp->n, block = 1 + p->edges;
    for (int c = 0; c < p->ncontacts; c++)
        for (int k = 0; k < block; k++) {
            double a = k == 0 ? fmin(p->w->contact[c].mu, LARGEST_FRICTION) : -1.0;
            lcp->M[(at + c) * n + block * c + k] = a;
            lcp->M[(block * c + k) * n + at + c] = -a;
        }
}

/* Allocates a problem of n rows, all zero. */
static bool alloc_lcp(RgInverseContact *w, int n, RgDenseLcp *lcp)
{
    if (!rg_dense_lcp_alloc(&w->arena, n, false, lcp))
        return false;
    memset(lcp->M, 0, (size_t)n * (size_t)n * sizeof *lcp->M);
    memset(lcp->q, 0, (size_t)n * sizeof *lcp->q);
    memset(lcp->z, 0, (size_t)n * sizeof *lcp->z);
    return true;
}

static RgExactOptions exact_options(void)
{
    RgExactOptions options = rg_exact_options_default();
    options.tolerance = 1e-11;
    return options;
}

static bool solve_lemke(RgInverseContact *w, RgDenseLcp *lcp)
{
    RgExactOptions options = exact_options();
    RgLemkeReport report;
    return rg_lemke_solve(&w->arena, lcp, &options, &report) == RG_OK && report.outcome == RG_SOLVE_SOLVED;
}

/* Fills the first rows with the velocities along the variables: H x + R' v- + gap/h of normals. */
static void fill_velocities(const Program *p, double h, RgDenseLcp *lcp)
{
    double m = mass_scale(p->w), speed = p->scale / m;
    for (int i = 0; i < p->n; i++) {
        int row, other;
        double amount, by;
        variable_axis(p, i, &row, &amount);
        lcp->q[i] = amount * excess_velocity(p->w, row, h) / speed;
        for (int j = 0; j < p->n; j++) {
            variable_axis(p, j, &other, &by);
            lcp->M[i * lcp->n + j] = amount * by * m * coupling(p->w, row, other);
        }
    }
}

RgStatus rg_inverse_coulomb(RgInverseContact *w, double h)
{
    Program p = init_program(w, RG_CONE_EDGES);
    int n = p.n + w->ncontacts, block = 1 + p.edges;
    RgDenseLcp lcp;
    if (!alloc_lcp(w, n, &lcp))
        return RG_ERR_MEMORY;
    fill_velocities(&p, h, &lcp);
    add_friction(&p, p.n, &lcp);
    for (int c = 0; c < w->ncontacts; c++)
        lcp.M[block * c * n + p.n + c] = 0.0; /* slip speeds enter the rows of friction only */
    set_bounds(&p, &lcp);
    if (!solve_lemke(w, &lcp))
        return RG_ERR_NOT_CONVERGED;
    store_impulses(&p, lcp.z);
    return RG_OK;
}

RgStatus rg_inverse_least_energy(RgInverseContact *w, double h)
{
    Program p = init_program(w, RG_CONE_EDGES);
    int nc = w->ncontacts, n = p.n + 2 * nc, block = 1 + p.edges;
    RgDenseLcp lcp;
    if (!alloc_lcp(w, n, &lcp))
        return RG_ERR_MEMORY;
    fill_velocities(&p, h, &lcp);

    /* N v+ >= -gap/h, then friction. */
    for (int c = 0; c < nc; c++) {
        int at = p.n + c;
        for (int i = 0; i < p.n; i++) {
            lcp.M[at * n + i] = lcp.M[block * c * n + i];
            lcp.M[i * n + at] = -lcp.M[block * c * n + i];
        }
        lcp.q[at] = lcp.q[block * c];
    }
    add_friction(&p, p.n + nc, &lcp);
    set_bounds(&p, &lcp);
    if (!solve_lemke(w, &lcp))
        return RG_ERR_NOT_CONVERGED;
    store_impulses(&p, lcp.z);
    return RG_OK;
}

/* Lists the rows of the no-slip problem: normals, and tangents that are independent of earlier ones. Returns their
   number; -1: out of memory. */
static int independent_rows(RgInverseContact *w, double m, int *rows)
{
    int columns = RG_CONTACT_ROWS * w->ncontacts, n = 0, kept = 0;
    double *memory = RG_ARENA_ALLOC(&w->arena, double, rg_grow_ldl_doubles(columns)),
           *row = RG_ARENA_ALLOC(&w->arena, double, columns);
    int *tangents = RG_ARENA_ALLOC(&w->arena, int, columns);
    if (memory == NULL || row == NULL || tangents == NULL)
        return -1;
    RgGrowLdl ldl;
    rg_grow_ldl_place(&ldl, columns, memory);
    for (int i = 0; i < columns; i++) {
        bool is_independent = i % RG_CONTACT_ROWS == 0;
        if (!is_independent && !w->contact[i / RG_CONTACT_ROWS].slides) {
            double diagonal = m * coupling(w, i, i);
            for (int k = 0; k < kept; k++)
                row[k] = m * coupling(w, i, tangents[k]);
            is_independent = rg_grow_ldl_add(&ldl, row, diagonal, DEPENDENT_FRACTION * diagonal);
            if (is_independent)
                tangents[kept++] = i;
        }
        if (is_independent)
            rows[n++] = i;
    }
    return n;
}

RgStatus rg_inverse_no_slip(RgInverseContact *w, double h)
{
    double m = mass_scale(w), scale = impulse_scale(w), speed = scale / m;
    int columns = RG_CONTACT_ROWS * w->ncontacts;
    int *rows = RG_ARENA_ALLOC(&w->arena, int, columns), n = rows != NULL ? independent_rows(w, m, rows) : -1;
    RgDenseLcp lcp;
    if (n < 0 || !alloc_lcp(w, n, &lcp))
        return RG_ERR_MEMORY;
    lcp.symmetric = true;
    for (int i = 0; i < n; i++) {
        bool normal = rows[i] % RG_CONTACT_ROWS == 0;
        for (int j = 0; j < n; j++)
            lcp.M[i * n + j] = 0.5 * m * (coupling(w, rows[i], rows[j]) + coupling(w, rows[j], rows[i]));
        lcp.M[i * n + i] *= 1.0 + COMPLIANCE;
        lcp.q[i] = excess_velocity(w, rows[i], h) / speed;
        lcp.low[i] = normal ? 0.0 : -(double)INFINITY;
        lcp.high[i] = (double)INFINITY;
    }
    RgExactOptions options = exact_options();
    RgDantzigReport report;
    RgStatus status = rg_dantzig_solve(&w->arena, &lcp, &options, &report);
    if (status != RG_OK)
        return status;
    if (report.outcome != RG_SOLVE_SOLVED && report.outcome != RG_SOLVE_INFEASIBLE)
        return RG_ERR_NOT_CONVERGED;
    memset(w->z, 0, (size_t)columns * sizeof *w->z);
    for (int i = 0; i < n; i++)
        w->z[rows[i]] = scale * lcp.z[i];
    return RG_OK;
}

double rg_inverse_velocity(const RgInverseContact *w, int row, double h)
{
    double v = excess_velocity(w, row, h);
    for (int j = 0; j < RG_CONTACT_ROWS * w->ncontacts; j++)
        v += coupling(w, row, j) * w->z[j];
    return v;
}

double rg_inverse_speed(const RgInverseContact *w)
{
    return impulse_scale(w) / mass_scale(w);
}

int rg_inverse_find_leaving(const RgInverseContact *w, double h)
{
    double scale = impulse_scale(w), most = SEPARATION_FRACTION * rg_inverse_speed(w);
    int leaving = -1;
    for (int c = 0; c < w->ncontacts; c++) {
        const double *z = w->z + RG_CONTACT_ROWS * c;
        double v = rg_inverse_velocity(w, RG_CONTACT_ROWS * c, h);
        bool pushes = fabs(z[0]) + fabs(z[1]) + fabs(z[2]) > SEPARATION_FRACTION * scale;
        if (pushes && v > most) {
            most = v;
            leaving = c;
        }
    }
    return leaving;
}

bool rg_inverse_sticks(const RgInverseContact *w, int contact, double h)
{
    double tolerance = SEPARATION_FRACTION * rg_inverse_speed(w);
    for (int a = 0; a < RG_CONTACT_ROWS; a++)
        if (fabs(rg_inverse_velocity(w, RG_CONTACT_ROWS * contact + a, h)) > tolerance)
            return false;
    return true;
}

/* ------------------------------------------------------------------ stage 2 */

/* Product of the efforts (R_c' R_c) of variables i and j. */
static double effort_product(const Program *p, int i, int j)
{
    const RgInverseContact *w = p->w;
    int row, other;
    double amount, by, sum = 0.0;
    variable_axis(p, i, &row, &amount);
    variable_axis(p, j, &other, &by);
    for (int k = 0; k < w->nc; k++)
        sum += w->R[(size_t)row * (size_t)w->nv + (size_t)w->dofs[k]] *
               w->R[(size_t)other * (size_t)w->nv + (size_t)w->dofs[k]];
    return amount * by * sum;
}

/* h tau (nc) without the contributions of the program's contacts. */
static void bare_efforts(const Program *p, double *out)
{
    RgInverseContact *w = p->w;
    rg_inverse_efforts(w, out);
    for (int j = RG_CONTACT_ROWS * p->ncontacts; j < RG_CONTACT_ROWS * w->ncontacts; j++)
        for (int k = 0; k < w->nc; k++)
            out[k] -= w->R[(size_t)j * (size_t)w->nv + (size_t)w->dofs[k]] * w->z[j];
}

/* Adds the equations for the same effect on the others, from row p->n on. */
static void add_equations(const Program *p, RgDenseLcp *lcp)
{
    const RgInverseContact *w = p->w;
    int n = lcp->n;
    for (int k = 0; k < w->nu; k++) {
        for (int i = 0; i < p->n; i++) {
            int row;
            double amount;
            variable_axis(p, i, &row, &amount);
            double a = amount * w->R[(size_t)row * (size_t)w->nv + (size_t)w->u[k]];
            lcp->M[(p->n + k) * n + i] = a;
            lcp->M[i * n + p->n + k] = -a;
        }
        for (int j = 0; j < RG_CONTACT_ROWS * p->ncontacts; j++)
            lcp->q[p->n + k] -= w->R[(size_t)j * (size_t)w->nv + (size_t)w->u[k]] * w->z[j] / p->scale;
        lcp->low[p->n + k] = -(double)INFINITY;
    }
}

bool rg_inverse_least_efforts(RgInverseContact *w, int contacts, bool bounded)
{
    Program p = init_program(w, bounded ? RG_CONE_EDGES : 2);
    p.ncontacts = contacts;
    p.n = contacts * (1 + p.edges);
    int friction = bounded ? contacts : 0, n = p.n + w->nu + friction;
    RgDenseLcp lcp;
    double *bare = RG_ARENA_ALLOC(&w->arena, double, w->nc);
    if (bare == NULL || !alloc_lcp(w, n, &lcp))
        return false;
    bare_efforts(&p, bare);
    set_bounds(&p, &lcp);
    for (int i = 0; i < p.n; i++) {
        int row;
        double amount;
        variable_axis(&p, i, &row, &amount);
        for (int j = 0; j < p.n; j++)
            lcp.M[i * n + j] = effort_product(&p, i, j);
        for (int k = 0; k < w->nc; k++)
            lcp.q[i] -= amount * w->R[(size_t)row * (size_t)w->nv + (size_t)w->dofs[k]] * bare[k] / p.scale;
    }
    add_equations(&p, &lcp);
    if (bounded)
        add_friction(&p, p.n + w->nu, &lcp);
    if (!solve_lemke(w, &lcp))
        return false;
    store_impulses(&p, lcp.z);
    return true;
}
