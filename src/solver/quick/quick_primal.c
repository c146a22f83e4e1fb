/*
 * quick_primal.c - Newton's method over the velocities of an island, articulations and free bodies, for solver `quick`.
 *
 * The unknowns x are velocities of unit mass: coordinates of articulations (quick_articulations.c), and six of each
 * free body, (v, w) = (sqrt(1 / mass), C) x with I^-1 = C C'. One call is a step of the proximal method (Rockafellar
 * 1976): with z^ the current impulses and y(x) = y_free + J x, the impulses follow from the velocities,
 *
 *   n(x) = max(0, n^ - s (v_n - target))   t(x) = P_mu n(x) (t^ - s v_t)   rows: P_[low, high] (z^ - s (w - target))
 *
 * P_r the projection onto the disc of radius r (with two friction coefficients, r is the radius of the ellipse along
 * t). The equation is
 *
 *   F(x) = x - x_free - J' z(x) = 0        F' = 1 + J' S J,   S = -dz/dy
 *
 * F is piecewise smooth and semismooth, so Newton's method converges quadratically near a root (Qi and Sun 1993; Alart
 * and Curnier 1991). S is s for active normals and sticking tangents; for a sliding tangent it is s r / |q| across the
 * sliding direction d, and mu s d by the normal, which makes F' unsymmetric. F' is factored as L U within its profile,
 * with articulations and bodies in Cuthill-McKee order (1969). A step is halved until |F| decreases. Compliance C: s
 * and z^ are divided by 1 + s C. Torsion and rolling keep the bounds of the normal impulses before the call.
 *
 * At the root v - target = (z^ - z) / s. So with s = stiffness kappa, kappa the inverse response of a point, |z - z^| /
 * stiffness is the change that a sweep would still make. Friction with fixed bounds (Tresca), which has a convex merit
 * function, was tried and does not work: the bounds and the normal impulses of two feet on the ground drive each other
 * away from the solution.
 *
 * Cost of a step: columns squared per active patch, and the factorisation. Failure, with nothing changed: no root after
 * MAX_STEPS, too little decrease by PROGRESS_STEP, a pivot that is round-off, more than MAX_UNKNOWNS, a factor of more
 * than MAX_WORK multiplications. The caller then sweeps, and calls again with a tenth of the stiffness: the closer z^,
 * the easier the root is found.
 */
#include "math/dense_factor.h"
#include "math/profile_lu.h"
#include "solver/cone_projection.h"
#include "solver/quick/quick_work.h"

#include <string.h>

/* Newton steps of a call; a robot takes 3 to 4, a heap of ragdolls 6. */
#define MAX_STEPS 20
/* Required decrease of |F|^2, as a part of it, times the step length; largest number of halvings. */
#define MIN_DECREASE 1e-3
#define MAX_HALVINGS 6
/* Termination: |F| as a part of |x - x_free| is below this part of the tolerance of the solver, but not below
   round-off. */
#define TOLERANCE_PART 0.1
#define ROUND_OFF 1e-13
/* After this number of steps |F|^2 must have fallen to the part PROGRESS2 of its first value; otherwise the call
   fails. */
#define PROGRESS_STEP 8
#define PROGRESS2 1e-2
/* Multiplications of a factorisation. */
#define MAX_WORK 5e7
/* Unknowns of an island; F' is stored as a full square, 13.5 MB at this size. */
#define MAX_UNKNOWNS 1300
/* Part of the diagonal: smaller pivots are round-off. */
#define PIVOT_LOST 1e-14

/* A patch, a row or the two rows of a disc. */
typedef struct Link {
    int32_t count;       /* number of columns */
    int32_t *at;         /* unknown of each column */
    double *J;           /* width entries per column */
    int width;           /* 6, 1, 2 */
    RgPatchLanes *lanes; /* of a patch; NULL: a row or disc */
    int lane;
    int32_t row;   /* row, or patch */
    double weight; /* s, before division by 1 + s C */
    double y[6], dy[6];
    double z[RG_PATCH_POINTS][3], reach, low, high;
} Link;

typedef struct Primal {
    const RgQuick *q;
    double stiffness;
    bool exact;
    int32_t n, nlinks;
    Link *links;
    RgProfileLu lu;                           /* F' */
    double *x, *gradient, *step;              /* n: x - x_free, F, dx */
    double *trial;                            /* n: F at the trial point of the line search */
    int32_t *first_of_group, *first_of_mover; /* first unknown of each articulation and free body */
} Primal;

/* ------------------------------------------------------------------ contact law */

/* Impulses of a patch at y, and -dz/dv of each point: normal; tangents 11 12 22; tangents by the normal. */
typedef struct PatchImpulses {
    double z[RG_PATCH_POINTS][3], n[RG_PATCH_POINTS], t[RG_PATCH_POINTS][3], tn[RG_PATCH_POINTS][2];
} PatchImpulses;

/* Projects q onto the disc; S = -dq/dv. Returns whether it slides; then d is the direction. */
static bool project_tangents(double reach, double weight, double q[2], double S[3], double d[2])
{
    double size2 = q[0] * q[0] + q[1] * q[1];
    S[0] = S[2] = weight;
    S[1] = 0.0;
    if (size2 <= reach * reach)
        return false;
    double size = sqrt(size2), part = reach / size;
    d[0] = q[0] / size;
    d[1] = q[1] / size;
    q[0] *= part;
    q[1] *= part;
    S[0] = weight * part * d[1] * d[1];
    S[1] = -weight * part * d[0] * d[1];
    S[2] = weight * part * d[0] * d[0];
    return true;
}

static const RgPatch *patch_of(const RgQuick *q, const Link *l)
{
    return &q->problem->patches[l->row];
}

/* Friction coefficient along t; for two coefficients, that of the ellipse. */
static double friction_along(const RgPatch *patch, const double t[2])
{
    double size = sqrt(t[0] * t[0] + t[1] * t[1]), turn;
    double most = patch->mu[0] > patch->mu[1] ? patch->mu[0] : patch->mu[1];
    if (patch->mu[0] == patch->mu[1] || !(patch->mu[0] > 0.0 && patch->mu[1] > 0.0) || !(size > 0.0))
        return most;
    double d[2] = {t[0] / size, t[1] / size};
    return ellipse_radius(patch->mu[0], patch->mu[1], d, &turn);
}

static void patch_impulses(const RgQuick *q, const Link *l, const double y[6], PatchImpulses *a)
{
    const RgPatch *patch = patch_of(q, l);
    double scale[3];
    for (int c = 0; c < 3; c++)
        scale[c] = 1.0 / (1.0 + l->weight * patch->compliance[c]);
    for (int i = 0; i < patch->count; i++) {
        double s = patch->place[i][0], r = patch->place[i][1];
        double v[3] = {y[2] + r * y[3] - s * y[4], y[0] - r * y[5], y[1] + s * y[5]};
        double n = scale[0] * (l->z[i][0] - l->weight * (v[0] - patch->target[i]));
        a->z[i][0] = n > 0.0 ? n : 0.0;
        a->n[i] = n > 0.0 ? scale[0] * l->weight : 0.0;
        double t[2], d[2];
        for (int c = 0; c < 2; c++)
            t[c] = patch->mu[c] > 0.0 ? scale[1 + c] * (l->z[i][1 + c] - l->weight * v[1 + c]) : 0.0;
        double mu = friction_along(patch, t);
        bool is_sliding = project_tangents(mu * a->z[i][0], scale[1] * l->weight, t, a->t[i], d);
        for (int c = 0; c < 2; c++)
            a->tn[i][c] = is_sliding ? mu * a->n[i] * d[c] : 0.0;
        a->t[i][0] *= patch->mu[0] > 0.0 ? 1.0 : 0.0;
        a->t[i][1] *= patch->mu[0] > 0.0 && patch->mu[1] > 0.0 ? 1.0 : 0.0;
        a->t[i][2] *= patch->mu[1] > 0.0 ? 1.0 : 0.0;
        a->z[i][1] = t[0];
        a->z[i][2] = t[1];
    }
}

/* Wrench of impulses at the mean. */
static void wrench_of(const RgPatch *patch, double z[RG_PATCH_POINTS][3], double W[6])
{
    memset(W, 0, 6 * sizeof *W);
    for (int i = 0; i < patch->count; i++) {
        double s = patch->place[i][0], r = patch->place[i][1];
        W[0] += z[i][1];
        W[1] += z[i][2];
        W[2] += z[i][0];
        W[3] += r * z[i][0];
        W[4] -= s * z[i][0];
        W[5] += s * z[i][2] - r * z[i][1];
    }
}

static void stiffness_of(const RgPatch *patch, const PatchImpulses *a, double S[6][6])
{
    memset(S, 0, 36 * sizeof(double));
    for (int i = 0; i < patch->count; i++) {
        double s = patch->place[i][0], r = patch->place[i][1], n = a->n[i];
        double t11 = a->t[i][0], t12 = a->t[i][1], t22 = a->t[i][2];
        S[0][0] += t11;
        S[0][1] += t12;
        S[1][1] += t22;
        S[0][5] += s * t12 - r * t11;
        S[1][5] += s * t22 - r * t12;
        S[5][5] += r * r * t11 - 2.0 * r * s * t12 + s * s * t22;
        S[2][2] += n;
        S[2][3] += n * r;
        S[2][4] -= n * s;
        S[3][3] += n * r * r;
        S[3][4] -= n * r * s;
        S[4][4] += n * s * s;
    }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++)
            S[i][j] = S[j][i];
    for (int i = 0; i < patch->count; i++) {
        double s = patch->place[i][0], r = patch->place[i][1], c1 = a->tn[i][0], c2 = a->tn[i][1];
        const double by[3] = {1.0, r, -s};
        for (int j = 0; j < 3; j++) {
            S[0][2 + j] += c1 * by[j];
            S[1][2 + j] += c2 * by[j];
            S[5][2 + j] += (s * c2 - r * c1) * by[j];
        }
    }
}

/* z and S of a row, or of the two rows of a disc. */
static void row_impulses(const RgQuick *q, const Link *l, const double y[2], double z[2], double S[3])
{
    const RgPatchRow *row = &q->problem->rows[l->row];
    double scale = 1.0 / (1.0 + l->weight * row->compliance);
    z[0] = scale * (l->z[0][0] - l->weight * (y[0] - row->target));
    S[0] = scale * l->weight;
    S[1] = S[2] = 0.0;
    if (l->width == 2) {
        z[1] = l->z[0][1] - l->weight * y[1];
        double d[2];
        project_tangents(l->reach, l->weight, z, S, d);
    } else if (!(z[0] > l->low && z[0] < l->high)) {
        z[0] = interval_project(z[0], l->low, l->high);
        S[0] = 0.0;
    }
}

/* Impulses of a link at y, as a vector of its width. S: width x width; NULL: not requested. */
static void link_impulses(const RgQuick *q, const Link *l, const double *y, double *W, double S[6][6])
{
    if (l->lanes != NULL) {
        PatchImpulses a;
        patch_impulses(q, l, y, &a);
        wrench_of(patch_of(q, l), a.z, W);
        if (S != NULL)
            stiffness_of(patch_of(q, l), &a, S);
        return;
    }
    double slope[3];
    row_impulses(q, l, y, W, slope);
    if (S != NULL) {
        S[0][0] = slope[0];
        S[0][1] = S[1][0] = slope[1];
        S[1][1] = slope[2];
    }
}

/* ------------------------------------------------------------------ unknowns */

/* Graph of an island, for ordering the unknowns: nodes are articulations and free bodies, edges the patches between two
   of them. */
typedef struct NodeGraph {
    int32_t count;
    int32_t *of_group, *of_mover; /* -1: not in the island */
    int32_t *size;
    int32_t *order, *place; /* Cuthill-McKee order and its inverse */
    int32_t *pair, npairs;  /* the two nodes of each patch between two nodes */
} NodeGraph;

static int32_t node_of(const RgQuick *q, const NodeGraph *nodes, int32_t mover)
{
    if (mover == 0)
        return -1;
    int32_t group = q->problem->movers[mover].group;
    return group >= 0 ? nodes->of_group[group] : nodes->of_mover[mover];
}

/* Appends the neighbours of a node that are not yet in the order. */
static void append_neighbours(NodeGraph *nodes, int32_t node, int32_t *n)
{
    for (int32_t k = 0; k < nodes->npairs; k++) {
        const int32_t *pair = nodes->pair + 2 * k;
        int32_t other = pair[0] == node ? pair[1] : pair[1] == node ? pair[0] : -1;
        if (other < 0 || nodes->place[other] >= 0)
            continue;
        nodes->place[other] = *n;
        nodes->order[(*n)++] = other;
    }
}

/* Breadth-first search from the first node, then from the first one not reached. Cost: nodes times pairs. */
static void order_nodes(NodeGraph *nodes)
{
    int32_t n = 0;
    for (int32_t i = 0; i < nodes->count; i++)
        nodes->place[i] = -1;
    for (int32_t seed = 0; seed < nodes->count; seed++) {
        if (nodes->place[seed] >= 0)
            continue;
        nodes->place[seed] = n;
        nodes->order[n++] = seed;
        for (int32_t done = nodes->place[seed]; done < n; done++)
            append_neighbours(nodes, nodes->order[done], &n);
    }
}

/* Nodes of an island and the first unknown of each. False: no memory. */
static bool find_unknowns(Primal *p, RgArena *arena, int32_t k)
{
    const RgQuick *q = p->q;
    const RgIsland *island = &q->islands.island[k];
    int32_t ngroups = q->first_group[k + 1] - q->first_group[k], most = ngroups + island->nmovers;
    NodeGraph nodes = {.of_group = p->first_of_group,
                       .of_mover = p->first_of_mover,
                       .size = RG_ARENA_ALLOC_RAW(arena, int32_t, most),
                       .order = RG_ARENA_ALLOC_RAW(arena, int32_t, most),
                       .place = RG_ARENA_ALLOC_RAW(arena, int32_t, most),
                       .pair = RG_ARENA_ALLOC_RAW(arena, int32_t, 2 * island->npatches)};
    if (arena->failed)
        return false;
    for (int32_t i = 0; i < ngroups; i++) {
        int32_t group = q->island_group[q->first_group[k] + i];
        nodes.of_group[group] = nodes.count;
        nodes.size[nodes.count++] = q->coordinates[group].rank;
    }
    for (int32_t i = 0; i < island->nmovers; i++) {
        int32_t mover = q->islands.movers[island->first_mover + i];
        if (q->problem->movers[mover].group >= 0)
            continue;
        nodes.of_mover[mover] = nodes.count;
        nodes.size[nodes.count++] = 6;
    }
    for (int32_t i = 0; i < island->npatches; i++) {
        const RgPatch *patch = &q->problem->patches[q->islands.patches[island->first_patch + i]];
        int32_t a = node_of(q, &nodes, patch->mover[0]), b = node_of(q, &nodes, patch->mover[1]);
        if (a >= 0 && b >= 0 && a != b) {
            nodes.pair[2 * nodes.npairs] = a;
            nodes.pair[2 * nodes.npairs++ + 1] = b;
        }
    }
    order_nodes(&nodes);
    for (int32_t i = 0; i < nodes.count; i++) {
        int32_t size = nodes.size[nodes.order[i]];
        nodes.size[nodes.order[i]] = p->n;
        p->n += size;
    }
    for (int32_t i = 0; i < ngroups; i++) {
        int32_t *at = &nodes.of_group[q->island_group[q->first_group[k] + i]];
        *at = nodes.size[*at];
    }
    for (int32_t i = 0; i < island->nmovers; i++) {
        int32_t mover = q->islands.movers[island->first_mover + i];
        if (q->problem->movers[mover].group < 0)
            nodes.of_mover[mover] = nodes.size[nodes.of_mover[mover]];
    }
    return true;
}

/* ------------------------------------------------------------------ links */

/* Columns of a patch or row over articulations, as unknowns. */
static void append_columns(const Primal *p, const RgQuickColumns *from, int component, Link *l)
{
    const RgQuick *q = p->q;
    int32_t g = 0;
    for (int32_t c = 0; c < from->count; c++) {
        while (from->at[c] < q->coordinates[g].first || from->at[c] >= q->coordinates[g].first + q->coordinates[g].rank)
            g = g + 1 < q->problem->ngroups ? g + 1 : 0;
        l->at[l->count] = p->first_of_group[g] + from->at[c] - q->coordinates[g].first;
        double *to = l->J + (size_t)l->count++ * (size_t)l->width;
        if (l->width == 6)
            memcpy(to, from->J + 6 * (size_t)c, 6 * sizeof *to);
        else
            to[component] = from->J[c];
    }
}

/* Velocities of a free body for each of its unknowns: linear or angular. C by Cholesky; zero for immobile
   directions. */
static void unit_velocities(const RgSolverBody *m, double *linear, RgVec3 turning[3])
{
    RgSym3 w = m->inverse_inertia;
    double c00 = w.xx > 0.0 ? sqrt(w.xx) : 0.0, c10 = c00 > 0.0 ? w.xy / c00 : 0.0, c20 = c00 > 0.0 ? w.xz / c00 : 0.0;
    double d1 = w.yy - c10 * c10, c11 = d1 > 0.0 ? sqrt(d1) : 0.0, c21 = c11 > 0.0 ? (w.yz - c20 * c10) / c11 : 0.0;
    double d2 = w.zz - c20 * c20 - c21 * c21;
    *linear = m->inverse_mass > 0.0 ? sqrt(m->inverse_mass) : 0.0;
    turning[0] = v3(c00, c10, c20);
    turning[1] = v3(0.0, c11, c21);
    turning[2] = v3(0.0, 0.0, d2 > 0.0 ? sqrt(d2) : 0.0);
}

/* Columns of a side that is a free body: velocity at the mean in the axes of the patch. */
static void append_side(const Primal *p, const RgPatch *patch, int side, Link *l)
{
    if (patch->mover[side] == 0 || p->q->problem->movers[patch->mover[side]].group >= 0)
        return;
    double sign = side == 1 ? 1.0 : -1.0, linear;
    RgVec3 turning[3];
    unit_velocities(&p->q->problem->movers[patch->mover[side]], &linear, turning);
    for (int c = 0; c < 6; c++, l->count++) {
        RgVec3 turn = c < 3 ? v3_zero() : turning[c - 3];
        RgVec3 u = c < 3 ? v3(c == 0 ? linear : 0.0, c == 1 ? linear : 0.0, c == 2 ? linear : 0.0)
                         : v3_cross(turn, patch->arm[side]);
        double *J = l->J + 6 * (size_t)l->count;
        l->at[l->count] = p->first_of_mover[patch->mover[side]] + c;
        for (int i = 0; i < 3; i++) {
            J[i] = sign * v3_dot(patch->axis[i], u);
            J[3 + i] = sign * v3_dot(patch->axis[i], turn);
        }
    }
}

static void append_spans(const Primal *p, const RgPatchRow *row, int component, Link *l)
{
    for (int k = 0; k < row->nspans; k++) {
        const RgRowSpan *s = &row->span[k];
        if (s->mover == 0 || p->q->problem->movers[s->mover].group >= 0)
            continue;
        double linear;
        RgVec3 turning[3];
        unit_velocities(&p->q->problem->movers[s->mover], &linear, turning);
        for (int c = 0; c < 6; c++, l->count++) {
            l->at[l->count] = p->first_of_mover[s->mover] + c;
            l->J[(size_t)l->count * (size_t)l->width + (size_t)component] =
                c < 3 ? linear * s->J[c] : v3_dot(turning[c - 3], v3(s->J[3], s->J[4], s->J[5]));
        }
    }
}

/* Current impulses and weight. */
static void init_patch_link(const Primal *p, Link *l)
{
    const RgPatch *patch = patch_of(p->q, l);
    const RgPatchLanes *lanes = l->lanes;
    double response = lanes->K[0][l->lane] + lanes->K[2][l->lane] + lanes->K[5][l->lane];
    l->weight = response > 0.0 ? p->stiffness * 3.0 / (response * patch->count) : 0.0;
    for (int i = 0; i < patch->count; i++) {
        for (int c = 0; c < 3; c++)
            l->z[i][c] = lanes->z[i][c][l->lane];
    }
}

static void init_row_link(const Primal *p, Link *l)
{
    const RgPatchRow *row = &p->q->problem->rows[l->row];
    double normal = 0.0;
    for (int i = 0; row->patch >= 0 && i < p->q->problem->patches[row->patch].count; i++)
        normal += p->q->problem->patches[row->patch].z[i][0];
    l->weight = p->stiffness * p->q->per_row[l->row];
    if (l->width == 2 && p->q->per_row[l->row + 1] < p->q->per_row[l->row])
        l->weight = p->stiffness * p->q->per_row[l->row + 1];
    l->z[0][0] = row[0].z;
    l->z[0][1] = l->width == 2 ? row[1].z : 0.0;
    l->reach = row->bound * normal;
    l->low = row->patch >= 0 ? -l->reach : row->low;
    l->high = row->patch >= 0 ? l->reach : row->high;
}

static bool alloc_link(RgArena *arena, int32_t room, int width, Link *l)
{
    *l = (Link){.width = width,
                .at = RG_ARENA_ALLOC_RAW(arena, int32_t, room),
                .J = RG_ARENA_ALLOC(arena, double, room *width)};
    return !arena->failed;
}

static bool make_patch_link(Primal *p, RgArena *arena, RgPatchLanes *lanes, int lane)
{
    const RgQuick *q = p->q;
    Link *l = &p->links[p->nlinks++];
    int32_t number = lanes->patch[lane];
    if (!alloc_link(arena, q->of_patch[number].count + 12, 6, l))
        return false;
    l->lanes = lanes;
    l->lane = lane;
    l->row = number;
    append_columns(p, &q->of_patch[number], 0, l);
    append_side(p, &q->problem->patches[number], 0, l);
    append_side(p, &q->problem->patches[number], 1, l);
    init_patch_link(p, l);
    rg_quick_patch_velocity(q, number, l->y);
    return true;
}

static bool make_links(Primal *p, RgArena *arena, int32_t k)
{
    const RgQuick *q = p->q;
    const RgIsland *island = &q->islands.island[k];
    p->links = RG_ARENA_ALLOC_RAW(arena, Link, island->npatches + island->nrows);
    if (arena->failed)
        return false;
    for (int32_t i = q->first_lanes[k]; i < q->first_lanes[k + 1]; i++)
        for (int lane = 0; lane < q->lanes[i].lanes; lane++)
            if (!make_patch_link(p, arena, &q->lanes[i], lane))
                return false;
    for (int32_t i = 0; i < island->nrows;) {
        int32_t row = q->islands.rows[island->first_row + i];
        int width = q->problem->rows[row].disc ? 2 : 1;
        Link *l = &p->links[p->nlinks++];
        int32_t room = 0;
        for (int c = 0; c < width; c++)
            room += q->of_row[row + c].count + 6 * RG_ROW_SPANS;
        if (!alloc_link(arena, room, width, l))
            return false;
        l->row = row;
        for (int c = 0; c < width; c++) {
            append_columns(p, &q->of_row[row + c], c, l);
            append_spans(p, &q->problem->rows[row + c], c, l);
            l->y[c] = rg_quick_row_velocity(q, row + c);
        }
        init_row_link(p, l);
        i += width;
    }
    return true;
}

/* ------------------------------------------------------------------ the matrix */

/* Profile of F'. False: no memory, or too much work. */
static bool make_profile(Primal *p, RgArena *arena)
{
    p->lu.n = p->n;
    p->lu.start = RG_ARENA_ALLOC_RAW(arena, int32_t, p->n);
    p->lu.end = RG_ARENA_ALLOC_RAW(arena, int32_t, p->n);
    p->x = RG_ARENA_ALLOC(arena, double, p->n);
    p->gradient = RG_ARENA_ALLOC_RAW(arena, double, p->n);
    p->step = RG_ARENA_ALLOC_RAW(arena, double, p->n);
    p->trial = RG_ARENA_ALLOC_RAW(arena, double, p->n);
    if (arena->failed)
        return false;
    for (int32_t i = 0; i < p->n; i++)
        p->lu.start[i] = i;
    for (int32_t k = 0; k < p->nlinks; k++) {
        const Link *l = &p->links[k];
        int32_t least = p->n;
        for (int32_t c = 0; c < l->count; c++)
            least = l->at[c] < least ? l->at[c] : least;
        for (int32_t c = 0; c < l->count; c++)
            p->lu.start[l->at[c]] = least < p->lu.start[l->at[c]] ? least : p->lu.start[l->at[c]];
    }
    if (rg_profile_lu_close(&p->lu) > MAX_WORK)
        return false;
    p->lu.a = RG_ARENA_ALLOC_RAW(arena, double, (size_t)p->n *(size_t)p->n);
    return !arena->failed;
}

/* x += sign J' W of a link. */
static void apply_transposed(const Link *l, const double *W, double sign, double *x)
{
    for (int32_t c = 0; c < l->count; c++) {
        const double *J = l->J + (size_t)c * (size_t)l->width;
        double sum = 0.0;
        for (int i = 0; i < l->width; i++)
            sum += J[i] * W[i];
        x[l->at[c]] += sign * sum;
    }
}

/* Adds J' S J of a link to F'. width: that of the link, a constant where it is inlined. */
static inline void add_link(const Primal *p, const Link *l, double S[6][6], int width)
{
    for (int32_t b = 0; b < l->count; b++) {
        const double *J = l->J + (size_t)b * (size_t)width;
        double SJ[6];
        for (int i = 0; i < width; i++) {
            SJ[i] = 0.0;
            for (int j = 0; j < width; j++)
                SJ[i] += S[i][j] * J[j];
        }
        int32_t column = l->at[b];
        for (int32_t a = 0; a < l->count; a++) {
            const double *J_a = l->J + (size_t)a * (size_t)width;
            double sum = 0.0;
            for (int i = 0; i < width; i++)
                sum += J_a[i] * SJ[i];
            p->lu.a[(size_t)l->at[a] * (size_t)p->n + (size_t)column] += sum;
        }
    }
}

/* F' at the current y. */
static void assemble(const Primal *p)
{
    for (int32_t i = 0; i < p->n; i++) {
        double *row = p->lu.a + (size_t)i * (size_t)p->n;
        memset(row + p->lu.start[i], 0, (size_t)(p->lu.end[i] - p->lu.start[i] + 1) * sizeof *row);
        row[i] = 1.0;
    }
    for (int32_t k = 0; k < p->nlinks; k++) {
        const Link *l = &p->links[k];
        double W[6], S[6][6] = {{0.0}};
        link_impulses(p->q, l, l->y, W, S);
        if (l->width == 6 && S[2][2] > 0.0)
            add_link(p, l, S, 6);
        else if (l->width == 2 || (l->width == 1 && S[0][0] > 0.0))
            add_link(p, l, S, l->width);
    }
}

/* ------------------------------------------------------------------ the step */

/* |F|^2 at x + t step; F is stored in out. */
static double evaluate_residual(const Primal *p, double t, double *out)
{
    for (int32_t i = 0; i < p->n; i++)
        out[i] = p->x[i] + t * p->step[i];
    for (int32_t k = 0; k < p->nlinks; k++) {
        const Link *l = &p->links[k];
        double y[6] = {0.0}, W[6];
        for (int i = 0; i < l->width; i++)
            y[i] = l->y[i] + t * l->dy[i];
        link_impulses(p->q, l, y, W, NULL);
        apply_transposed(l, W, -1.0, out);
    }
    return rg_dot(p->n, out, out);
}

static void apply_step(const Primal *p, double t)
{
    for (int32_t i = 0; i < p->n; i++)
        p->x[i] += t * p->step[i];
    for (int32_t k = 0; k < p->nlinks; k++)
        for (int i = 0; i < p->links[k].width; i++)
            p->links[k].y[i] += t * p->links[k].dy[i];
}

/* J x of a link. */
static void multiply(const Link *l, const double *x, double y[6])
{
    memset(y, 0, 6 * sizeof *y);
    for (int32_t c = 0; c < l->count; c++)
        for (int i = 0; i < l->width; i++)
            y[i] += l->J[(size_t)c * (size_t)l->width + (size_t)i] * x[l->at[c]];
}

static void find_link_steps(const Primal *p)
{
    for (int32_t k = 0; k < p->nlinks; k++)
        multiply(&p->links[k], p->step, p->links[k].dy);
}

/* |y|^2 of a patch, (m/s)^2, with rotation times the distance of its points. */
static double speed2(const Link *l, const double y[6])
{
    double turning = y[3] * y[3] + y[4] * y[4] + y[5] * y[5];
    return y[0] * y[0] + y[1] * y[1] + y[2] * y[2] + l->lanes->reach2[l->lane] * turning;
}

/* |y|^2 of all patches. */
static double all_speeds2(const Primal *p)
{
    double sum = 0.0;
    for (int32_t k = 0; k < p->nlinks; k++)
        sum += p->links[k].lanes != NULL ? speed2(&p->links[k], p->links[k].y) : 0.0;
    return sum;
}

/* The velocities that result from the impulses are x - F. Checks whether they agree with x at the patches, to the given
   part of the velocities there. Only if the island must be exact. */
static bool velocities_agree(const Primal *p, double part)
{
    double sum = 0.0, y[6];
    for (int32_t k = 0; k < p->nlinks && p->exact; k++) {
        const Link *l = &p->links[k];
        if (l->lanes == NULL)
            continue;
        multiply(l, p->gradient, y);
        sum += speed2(l, y);
    }
    return sum <= part * part * (all_speeds2(p) + RG_QUICK_REST_SPEED * RG_QUICK_REST_SPEED);
}

/* Newton's method for F = 0. False: not converged, or NaN. */
static bool find_root(const Primal *p, int *steps)
{
    memset(p->step, 0, (size_t)p->n * sizeof *p->step);
    double now = evaluate_residual(p, 0.0, p->gradient), first = now, end = TOLERANCE_PART * p->q->options->tolerance;
    end = end > ROUND_OFF ? end : ROUND_OFF;
    for (*steps = 1; *steps <= MAX_STEPS; ++*steps) {
        assemble(p);
        if (!rg_profile_lu_factor(&p->lu, PIVOT_LOST))
            return false;
        for (int32_t i = 0; i < p->n; i++)
            p->step[i] = -p->gradient[i];
        rg_profile_lu_solve(&p->lu, p->step);
        find_link_steps(p);
        double t = 1.0, next = evaluate_residual(p, t, p->trial);
        for (int i = 0; i < MAX_HALVINGS && !(next <= (1.0 - MIN_DECREASE * t) * now); i++) {
            t *= 0.5;
            next = evaluate_residual(p, t, p->trial);
        }
        if (!isfinite(next))
            return false;
        apply_step(p, t);
        memcpy(p->gradient, p->trial, (size_t)p->n * sizeof *p->trial);
        now = next;
        if (now <= end * end * rg_dot(p->n, p->x, p->x) && velocities_agree(p, end))
            return true;
        if (*steps == PROGRESS_STEP && now > PROGRESS2 * first)
            return false;
    }
    return false;
}

/* Squared velocity change at a link by all impulses. */
static double changed2(const Primal *p, const Link *l)
{
    double d[6];
    if (l->lanes == NULL) {
        double v = p->q->problem->rows[l->row].z / p->q->per_row[l->row];
        return p->q->per_row[l->row] > 0.0 ? v * v : 0.0;
    }
    for (int i = 0; i < 6; i++)
        d[i] = l->y[i] - l->lanes->free[i][l->lane];
    return speed2(l, d);
}

/* Stores the impulses z(x) in lanes and rows. Returns |z - z^| / |z|. The contact law is violated by the velocities (z
   - z^) / s. */
static double store_impulses(const Primal *p, RgQuickPrimal *out)
{
    double change2 = 0.0, size2 = 0.0;
    for (int32_t k = 0; k < p->nlinks; k++) {
        const Link *l = &p->links[k];
        PatchImpulses a = {.n = {0.0}};
        double S[3];
        int count = l->lanes != NULL ? patch_of(p->q, l)->count : 1, width = l->lanes != NULL ? 3 : l->width;
        if (l->lanes != NULL)
            patch_impulses(p->q, l, l->y, &a);
        else
            row_impulses(p->q, l, l->y, a.z[0], S);
        for (int i = 0; i < count; i++)
            for (int c = 0; c < width; c++) {
                double z = a.z[i][c], change = z - l->z[i][c];
                *(l->lanes != NULL ? &l->lanes->z[i][c][l->lane] : &p->q->problem->rows[l->row + c].z) = z;
                change2 += change * change;
                size2 += z * z;
                out->moved2 += l->weight > 0.0 ? change * change / (l->weight * l->weight * count) : 0.0;
            }
        out->total2 += changed2(p, l);
    }
    out->slides2 = all_speeds2(p);
    return size2 > 0.0 ? sqrt(change2 / size2) : 0.0;
}

/* Sets x - x_free to the effect of the current impulses. */
static void init_unknowns(const Primal *p)
{
    for (int32_t k = 0; k < p->nlinks; k++) {
        const Link *l = &p->links[k];
        double W[6];
        if (l->lanes != NULL)
            wrench_of(patch_of(p->q, l), (double(*)[3])l->z, W);
        else
            memcpy(W, l->z[0], sizeof l->z[0]);
        apply_transposed(l, W, 1.0, p->x);
    }
}

/* Bytes that an arena uses for n elements. */
static size_t bytes_of(size_t n, size_t size)
{
    return rg_arena_rounded(n * size);
}

/* Number of unknowns of an island. */
static int32_t count_unknowns(const RgQuick *q, int32_t k)
{
    const RgIsland *island = &q->islands.island[k];
    int32_t n = 0;
    for (int32_t i = q->first_group[k]; i < q->first_group[k + 1]; i++)
        n += q->coordinates[q->island_group[i]].rank;
    for (int32_t i = 0; i < island->nmovers; i++)
        n += q->problem->movers[q->islands.movers[island->first_mover + i]].group < 0 ? 6 : 0;
    return n;
}

size_t rg_quick_primal_room(const RgQuick *q, int32_t k)
{
    const RgIsland *island = &q->islands.island[k];
    int32_t n = island->nmovers <= MAX_UNKNOWNS && !island->alone ? count_unknowns(q, k) : 0;
    if (n == 0 || n > MAX_UNKNOWNS)
        return 0;
    size_t nodes = (size_t)q->first_group[k + 1] - (size_t)q->first_group[k] + (size_t)island->nmovers;
    size_t total = 3 * bytes_of(nodes, sizeof(int32_t)) + bytes_of(2 * (size_t)island->npatches, sizeof(int32_t));
    total += bytes_of((size_t)island->npatches + (size_t)island->nrows, sizeof(Link));
    for (int32_t i = 0; i < island->npatches; i++) {
        size_t columns = (size_t)q->of_patch[q->islands.patches[island->first_patch + i]].count + 12;
        total += bytes_of(columns, sizeof(int32_t)) + bytes_of(6 * columns, sizeof(double));
    }
    for (int32_t i = 0; i < island->nrows; i++) {
        size_t columns = (size_t)q->of_row[q->islands.rows[island->first_row + i]].count + 6 * RG_ROW_SPANS;
        total += bytes_of(columns, sizeof(int32_t)) + bytes_of(2 * columns, sizeof(double));
    }
    total += 2 * bytes_of((size_t)n, sizeof(int32_t)) + 4 * bytes_of((size_t)n, sizeof(double));
    return total + bytes_of((size_t)n * (size_t)n, sizeof(double));
}

/* Estimate: does not account for open patches, which cost nothing, or for the sparsity of free bodies. */
double rg_quick_primal_work(const RgQuick *q, int32_t k)
{
    const RgIsland *island = &q->islands.island[k];
    double n = count_unknowns(q, k), nodes = q->first_group[k + 1] - q->first_group[k], work = 0.0;
    for (int32_t i = 0; i < island->npatches; i++) {
        double columns = q->of_patch[q->islands.patches[island->first_patch + i]].count;
        work += 6.0 * columns * columns;
    }
    double width = nodes > 4.0 ? 4.0 * n / nodes : n;
    return work + n * width * width;
}

bool rg_quick_primal_step(const RgQuick *q, int32_t island, RgArena *arena, RgQuickPrimal *out)
{
    Primal p = {.q = q,
                .stiffness = out->stiffness,
                .exact = out->exact,
                .first_of_group = q->group_unknown,
                .first_of_mover = q->mover_unknown};
    *out = (RgQuickPrimal){.stiffness = p.stiffness, .exact = p.exact};
    if (!find_unknowns(&p, arena, island) || !make_links(&p, arena, island) || !make_profile(&p, arena))
        return false;
    init_unknowns(&p);
    if (!find_root(&p, &out->steps))
        return false;
    out->residual = store_impulses(&p, out) / p.stiffness;
    return true;
}
