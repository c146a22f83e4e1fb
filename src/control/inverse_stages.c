/*
 * inverse_stages.c - contact impulses for inverse dynamics in two stages (002; Zapolsky and Drumwright 2016), by
 * pivoting.
 *
 * With v- the velocities without contact, the joints at their wanted rates, contacts have R' v+ = H z + R' v-, where H
 * = R_u' M_uu^-1 R_u. Friction inside the pyramid: z_F = sum of beta_j d_j over its edges, beta >= 0, sum beta <= mu
 * z_N. Stage 1, one of
 *
 *   Coulomb     0 <= z_N  against  N v+ + gap/h >= 0
 *               0 <= beta against  d_j . F v+ + s >= 0        s >= 0 against mu z_N - sum beta >= 0
 *   energy      min 1/2 z'Hz + z' (R' v- + gap/h of normals)  under  N v+ >= -gap/h and friction, without complementarity
 *   no slip     F v+ = 0 of tangents that do not depend on others, of contacts that do not slide after impacts already, 0 <= z_N against N v+ + gap/h >= 0
 *
 * Coulomb's law (002, equations 2 to 7, with efforts and velocities eliminated; its matrix is copositive) and the
 * conditions of the program of least energy go to Lemke's method, no slip to principal pivoting.
 *
 * As printed, 002's program takes the energy of the whole robot, R_u' M_uu^-1 p_u in place of R' v-: contacts then slip
 * wherever a joint moves, though friction suffices, which no world with Coulomb's law does. Measured in a trot at 1 ms:
 * joints miss their accelerations by 50 rad/s^2 and the robot falls; by Coulomb's law they miss them by 0.004 (3e-6
 * rad/s a step). So Coulomb is what the controller asks for, and least energy, seen from the joints, where Lemke's
 * method finds nothing.
 *
 * Stage 2: of all z with the same effect R_u z on the others (the null space of H) the one with the least 1/2 |h
 * tau|^2, h tau = const - R_c z, over contacts that stick; complementarity once more, with R_u z = R_u z_1 as free
 * variables. Contacts that open or slip keep what they have. If it fails, z_1 stays.
 *
 * Units: impulses over s, velocities over s / m, so that numbers are near 1. Cost: n^2 a pivot, n = 6 a contact and the
 * others' velocities.
 */
#include "control/inverse_contact.h"

#include "math/grow_ldl.h"
#include "solver/pivot/dantzig.h"
#include "solver/pivot/lemke.h"

#include <math.h>
#include <string.h>

/* A program over x: normals and edges of pyramids (bounded), or normals and tangents. */
typedef struct Program {
    RgInverseContact *w;
    int edges;     /* variables of a contact beside its normal: RG_CONE_EDGES, or 2 that are free */
    int ncontacts; /* the first ones */
    int n;         /* variables */
    double scale;  /* N s */
} Program;

static double mass_scale(const RgInverseContact *w)
{
    double most = 0.0;
    for (int i = 0; i < w->nv; i++)
        most = fmax(most, w->M[i * w->nv + i]);
    return most > 0.0 ? most : 1.0;
}

/* Size of the impulses: what the bare momentum and the wanted rates could ask for. */
static double impulse_scale(const RgInverseContact *w)
{
    double most = 0.0;
    for (int i = 0; i < w->nu; i++)
        most = fmax(most, fabs(w->p[w->u[i]]));
    for (int i = 0; i < w->nu; i++)
        most = fmax(most, fabs(w->v0[i]) * mass_scale(w));
    return most > 0.0 ? most : 1.0;
}

/* z of variable i at 1: which axis of which contact, by how much. Pyramid edges: +-t1, +-t2. */
static void unit(const Program *p, int i, int *row, double *amount)
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

/* R_u' M_uu^-1 R_u between two columns. */
static double coupling(const RgInverseContact *w, int i, int j)
{
    double sum = 0.0;
    for (int k = 0; k < w->nu; k++)
        sum += w->R[(size_t)i * (size_t)w->nv + (size_t)w->u[k]] * w->B[(size_t)j * (size_t)w->nu + (size_t)k];
    return sum;
}

/* Velocity along column i of R with the wanted rates and v_u = v0. */
static double velocity_of(const RgInverseContact *w, int i)
{
    const double *column = w->R + (size_t)i * (size_t)w->nv;
    double sum = 0.0;
    for (int k = 0; k < w->nu; k++)
        sum += column[w->u[k]] * w->v0[k];
    for (int k = 0; k < w->nc; k++)
        sum += column[w->dofs[k]] * w->rates[k];
    return sum;
}

#define LEAVES 1e-6    /* of the scales: a contact opens, or pushes */
#define DEPENDENT 1e-3 /* what is left of a tangent's diagonal below which it is a sum of others */
#define SOFT 1e-9      /* relative compliance: four feet of a stiff robot share their load in one way */
#define STEEPEST 1e4   /* beyond, friction is as good as boundless */

/* Velocity along row i without contact; of normals beyond what closes the gap. */
static double approach(const RgInverseContact *w, int i, double h)
{
    double v = velocity_of(w, i);
    return i % RG_CONTACT_ROWS == 0 ? v + w->contact[i / RG_CONTACT_ROWS].closes / h : v;
}

static Program begin(RgInverseContact *w, int edges)
{
    return (Program){
        .w = w, .edges = edges, .ncontacts = w->ncontacts, .n = w->ncontacts * (1 + edges), .scale = impulse_scale(w)};
}

static void give(const Program *p, const double *x)
{
    memset(p->w->z, 0, RG_CONTACT_ROWS * (size_t)p->ncontacts * sizeof *p->w->z);
    for (int i = 0; i < p->n; i++) {
        int row;
        double amount;
        unit(p, i, &row, &amount);
        p->w->z[row] += amount * p->scale * x[i];
    }
}

/* Bounds of the variables: pushing only, tangents of two free. */
static void set_bounds(const Program *p, RgDenseLcp *lcp)
{
    for (int i = 0; i < lcp->n; i++) {
        bool tangent = i < p->n && p->edges == 2 && i % 3 != 0;
        lcp->low[i] = tangent ? -(double)INFINITY : 0.0;
        lcp->high[i] = (double)INFINITY;
    }
}

/* Rows of friction from row `at` on: mu z_N - sum beta >= 0, and their multipliers. */
static void add_friction(const Program *p, int at, RgDenseLcp *lcp)
{
    int n = lcp->n, block = 1 + p->edges;
    for (int c = 0; c < p->ncontacts; c++)
        for (int k = 0; k < block; k++) {
            double a = k == 0 ? fmin(p->w->contact[c].mu, STEEPEST) : -1.0;
            lcp->M[(at + c) * n + block * c + k] = a;
            lcp->M[(block * c + k) * n + at + c] = -a;
        }
}

/* A problem of n rows, all zeros. */
static bool take(RgInverseContact *w, int n, RgDenseLcp *lcp)
{
    if (!rg_dense_lcp_take(&w->arena, n, false, lcp))
        return false;
    memset(lcp->M, 0, (size_t)n * (size_t)n * sizeof *lcp->M);
    memset(lcp->q, 0, (size_t)n * sizeof *lcp->q);
    memset(lcp->z, 0, (size_t)n * sizeof *lcp->z);
    return true;
}

static RgExactOptions precise(void)
{
    RgExactOptions options = rg_exact_options_default();
    options.tolerance = 1e-11;
    return options;
}

static bool solve(RgInverseContact *w, RgDenseLcp *lcp)
{
    RgExactOptions options = precise();
    RgLemkeReport report;
    return rg_lemke_solve(&w->arena, lcp, &options, &report) == RG_OK && report.outcome == RG_SOLVE_SOLVED;
}

/* Velocities along the variables of the program: H x + R' v- + gap/h of normals, into the first rows. */
static void fill_velocities(const Program *p, double h, RgDenseLcp *lcp)
{
    double m = mass_scale(p->w), speed = p->scale / m;
    for (int i = 0; i < p->n; i++) {
        int row, other;
        double amount, by;
        unit(p, i, &row, &amount);
        lcp->q[i] = amount * approach(p->w, row, h) / speed;
        for (int j = 0; j < p->n; j++) {
            unit(p, j, &other, &by);
            lcp->M[i * lcp->n + j] = amount * by * m * coupling(p->w, row, other);
        }
    }
}

RgStatus rg_inverse_coulomb(RgInverseContact *w, double h)
{
    Program p = begin(w, RG_CONE_EDGES);
    int n = p.n + w->ncontacts, block = 1 + p.edges;
    RgDenseLcp lcp;
    if (!take(w, n, &lcp))
        return RG_ERR_MEMORY;
    fill_velocities(&p, h, &lcp);
    add_friction(&p, p.n, &lcp);
    for (int c = 0; c < w->ncontacts; c++)
        lcp.M[block * c * n + p.n + c] = 0.0; /* slip speeds act on friction alone */
    set_bounds(&p, &lcp);
    if (!solve(w, &lcp))
        return RG_ERR_NOT_CONVERGED;
    give(&p, lcp.z);
    return RG_OK;
}

RgStatus rg_inverse_least_energy(RgInverseContact *w, double h)
{
    Program p = begin(w, RG_CONE_EDGES);
    int nc = w->ncontacts, n = p.n + 2 * nc, block = 1 + p.edges;
    RgDenseLcp lcp;
    if (!take(w, n, &lcp))
        return RG_ERR_MEMORY;
    fill_velocities(&p, h, &lcp);

    /* N v+ >= -gap/h, friction. */
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
    if (!solve(w, &lcp))
        return RG_ERR_NOT_CONVERGED;
    give(&p, lcp.z);
    return RG_OK;
}

/* Rows that take part, in their order: normals, and tangents that are no sums of those before them. Their number. */
static int independent_rows(RgInverseContact *w, double m, int *rows)
{
    int columns = RG_CONTACT_ROWS * w->ncontacts, n = 0, kept = 0;
    double *memory = RG_TAKE(&w->arena, double, rg_grow_ldl_doubles(columns)),
           *row = RG_TAKE(&w->arena, double, columns);
    int *tangents = RG_TAKE(&w->arena, int, columns);
    if (memory == NULL || row == NULL || tangents == NULL)
        return -1;
    RgGrowLdl ldl;
    rg_grow_ldl_place(&ldl, columns, memory);
    for (int i = 0; i < columns; i++) {
        bool takes = i % RG_CONTACT_ROWS == 0;
        if (!takes && !w->contact[i / RG_CONTACT_ROWS].slides) {
            double diagonal = m * coupling(w, i, i);
            for (int k = 0; k < kept; k++)
                row[k] = m * coupling(w, i, tangents[k]);
            takes = rg_grow_ldl_add(&ldl, row, diagonal, DEPENDENT * diagonal);
            if (takes)
                tangents[kept++] = i;
        }
        if (takes)
            rows[n++] = i;
    }
    return n;
}

RgStatus rg_inverse_no_slip(RgInverseContact *w, double h)
{
    double m = mass_scale(w), scale = impulse_scale(w), speed = scale / m;
    int columns = RG_CONTACT_ROWS * w->ncontacts;
    int *rows = RG_TAKE(&w->arena, int, columns), n = rows != NULL ? independent_rows(w, m, rows) : -1;
    RgDenseLcp lcp;
    if (n < 0 || !take(w, n, &lcp))
        return RG_ERR_MEMORY;
    lcp.symmetric = true;
    for (int i = 0; i < n; i++) {
        bool normal = rows[i] % RG_CONTACT_ROWS == 0;
        for (int j = 0; j < n; j++)
            lcp.M[i * n + j] = 0.5 * m * (coupling(w, rows[i], rows[j]) + coupling(w, rows[j], rows[i]));
        lcp.M[i * n + i] *= 1.0 + SOFT;
        lcp.q[i] = approach(w, rows[i], h) / speed;
        lcp.low[i] = normal ? 0.0 : -(double)INFINITY;
        lcp.high[i] = (double)INFINITY;
    }
    RgExactOptions options = precise();
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
    double v = approach(w, row, h);
    for (int j = 0; j < RG_CONTACT_ROWS * w->ncontacts; j++)
        v += coupling(w, row, j) * w->z[j];
    return v;
}

double rg_inverse_speed(const RgInverseContact *w)
{
    return impulse_scale(w) / mass_scale(w);
}

int rg_inverse_leaving(const RgInverseContact *w, double h)
{
    double scale = impulse_scale(w), most = LEAVES * rg_inverse_speed(w);
    int leaving = -1;
    for (int c = 0; c < w->ncontacts; c++) {
        const double *z = w->z + RG_CONTACT_ROWS * c;
        double v = rg_inverse_velocity(w, RG_CONTACT_ROWS * c, h);
        bool pushes = fabs(z[0]) + fabs(z[1]) + fabs(z[2]) > LEAVES * scale;
        if (pushes && v > most) {
            most = v;
            leaving = c;
        }
    }
    return leaving;
}

bool rg_inverse_sticks(const RgInverseContact *w, int contact, double h)
{
    double still = LEAVES * rg_inverse_speed(w);
    for (int a = 0; a < RG_CONTACT_ROWS; a++)
        if (fabs(rg_inverse_velocity(w, RG_CONTACT_ROWS * contact + a, h)) > still)
            return false;
    return true;
}

/* ------------------------------------------------------------------ stage 2 */

/* R_c' R_c between variables i, j, and R_c' k. */
static double effort_product(const Program *p, int i, int j)
{
    const RgInverseContact *w = p->w;
    int row, other;
    double amount, by, sum = 0.0;
    unit(p, i, &row, &amount);
    unit(p, j, &other, &by);
    for (int k = 0; k < w->nc; k++)
        sum += w->R[(size_t)row * (size_t)w->nv + (size_t)w->dofs[k]] *
               w->R[(size_t)other * (size_t)w->nv + (size_t)w->dofs[k]];
    return amount * by * sum;
}

/* h tau without what the contacts of the program add (nc). */
static void bare_efforts(const Program *p, double *out)
{
    RgInverseContact *w = p->w;
    rg_inverse_efforts(w, out);
    for (int j = RG_CONTACT_ROWS * p->ncontacts; j < RG_CONTACT_ROWS * w->ncontacts; j++)
        for (int k = 0; k < w->nc; k++)
            out[k] -= w->R[(size_t)j * (size_t)w->nv + (size_t)w->dofs[k]] * w->z[j];
}

/* The same effect on the others: equations from row p->n on. */
static void add_equations(const Program *p, RgDenseLcp *lcp)
{
    const RgInverseContact *w = p->w;
    int n = lcp->n;
    for (int k = 0; k < w->nu; k++) {
        for (int i = 0; i < p->n; i++) {
            int row;
            double amount;
            unit(p, i, &row, &amount);
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
    Program p = begin(w, bounded ? RG_CONE_EDGES : 2);
    p.ncontacts = contacts;
    p.n = contacts * (1 + p.edges);
    int friction = bounded ? contacts : 0, n = p.n + w->nu + friction;
    RgDenseLcp lcp;
    double *bare = RG_TAKE(&w->arena, double, w->nc);
    if (bare == NULL || !take(w, n, &lcp))
        return false;
    bare_efforts(&p, bare);
    set_bounds(&p, &lcp);
    for (int i = 0; i < p.n; i++) {
        int row;
        double amount;
        unit(&p, i, &row, &amount);
        for (int j = 0; j < p.n; j++)
            lcp.M[i * n + j] = effort_product(&p, i, j);
        for (int k = 0; k < w->nc; k++)
            lcp.q[i] -= amount * w->R[(size_t)row * (size_t)w->nv + (size_t)w->dofs[k]] * bare[k] / p.scale;
    }
    add_equations(&p, &lcp);
    if (bounded)
        add_friction(&p, p.n + w->nu, &lcp);
    if (!solve(w, &lcp))
        return false;
    give(&p, lcp.z);
    return true;
}
