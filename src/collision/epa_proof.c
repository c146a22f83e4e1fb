/*
 * epa_proof.c - the least depth of two overlapping shapes, proven over all normals by branch and bound.
 *
 * EPA fills the difference of two shapes with flat faces. If the difference is round about the origin (a peg in the
 * middle of a hole, one ball in another), so many normals are almost as good as the best that no number of faces is
 * enough. This file searches the normals instead. The depth along the unit normal n is
 *
 *   h(n) = |A n| + |B n| + max v.n          A, B: half axes of ellipsoids;  v: corners of a polytope
 *
 * (epa_parts.h), and the search proves h >= m for all n, with m slightly below the least h found. On a patch, a
 * triangle of normals n_i, let n = x / |x|, x = sum l_i n_i with l_i >= 0, sum 1. Since |x|^2 = 1 - P, each of the
 * norms is
 *
 *   |M n| = L - sum_{i<j} l_i l_j (q_ij - L^2 d_ij^2) / ((1 - P) (|M n| + L))
 *
 *   L = sum l_i m_i         m_i = |M n_i|      q_ij = |M n_i - M n_j|^2 - (m_i - m_j)^2
 *   P = sum_{i<j} l_i l_j d_ij^2               d_ij = |n_i - n_j|
 *
 * exactly: L minus a quadratic form, whose factors have narrow bounds on a small patch. The bound includes the
 * curvature, so a round difference needs few patches. v.n = v.x (1 + K P), K P = 1/|x| - 1. In total, for any v,
 *
 *   h - m  >=  sum l_i F_i - sum_{i<j} l_i l_j E_ij  =  sum l_i^2 F_i + sum_{i<j} l_i l_j (F_i + F_j - E_ij)
 *
 * which is >= 0 if the 3 x 3 matrix is copositive: a closed-form test (Hadeler 1983). A patch that fails is split in
 * two, at the edge with the largest loss: at its midpoint, or where two corners v are equally far. A normal that is
 * less deep than the result starts a descent, whose result replaces it and lowers m; proven patches remain proven.
 *
 * Cost: one support query per split; some hundred splits, up to some thousand if the best normals form a circle.
 * Failure: out of splits, or a shape whose parts are not defined. The result may have improved, its bound has not.
 */
#include "collision/epa.h"
#include "collision/epa_parts.h"

/* Cost bound. */
#define PROOF_MAX_SPLITS 10000
/* Patches on the stack: one per split on the path down to patches of 1e-10 rad. */
#define PROOF_STACK 128
/* Fraction of the tolerance within which two corners v are equally far. */
#define EQUAL_CORNERS 0.1
/* A triangle is flat if its height is less than FLAT_HEIGHT of its longest side and both other sides exceed FLAT_SIDE
   of it. */
#define FLAT_SIDE 0.25
#define FLAT_HEIGHT 0.1
/* Fraction of the tolerance by which a new result must be less deep. */
#define MIN_IMPROVEMENT 0.01

typedef struct Corner {
    RgVec3 n, v;
    RgEpaRound round;
} Corner;

typedef struct Patch {
    Corner corner[3];
} Patch;

typedef struct Proof {
    RgEpaParts parts;
    RgEpa *out;
    double tolerance, target; /* m */
    int32_t splits;
} Proof;

/* Lower bound of the ellipsoids on a patch: their part of h is at least sum l_i at_i - sum l_i l_j (dip_ij - K
   rise_ij), where K P = 1/|x| - 1. Edge i leads from corner i to the next. */
typedef struct LowerBound {
    double at[3], dip[3], rise[3];
    double side2[3], share; /* d_ij^2; upper bound of P */
    double most;            /* upper bound of K; the lower bound is 1/2 */
    /* The same for the edge alone; estimate of the other losses due to its length. */
    double own_dip[3], own_rise[3], excess[3];
    bool wide[2]; /* the patch is too wide for the bound of this ellipsoid, which is not in the sum */
} LowerBound;

/* ------------------------------------------------------------------ corners */

/* Sets m for the current result. */
static void set_target(Proof *s)
{
    s->target = s->out->upper + (s->parts.d->round_a + s->parts.d->round_b) - s->tolerance;
}

/* If a normal is less deep than the result, replaces the result by the best normal near it. */
static void update_result(Proof *s, RgVec3 n, double found)
{
    double depth = found - (s->parts.d->round_a + s->parts.d->round_b);
    if (!(depth < s->out->upper - MIN_IMPROVEMENT * s->tolerance))
        return;
    s->out->normal = n;
    s->out->upper = depth;
    rg_epa_descend(s->parts.d, s->out);
    set_target(s);
}

static Corner corner_at(Proof *s, RgVec3 n)
{
    RgEpaCorner found = rg_epa_corner(&s->parts, n);
    update_result(s, n, found.depth);
    return (Corner){n, found.v, rg_epa_round(&s->parts, n)};
}

/* ------------------------------------------------------------------ patches */

/* Adds ellipsoid k, with bounds of |M n| and L. If q < L^2 d^2, the term is a gain of at least K (L^2 d^2 - q) / L,
   since |M x| <= L. */
static void add_ellipsoid_bound(const Proof *s, const Patch *p, int k, LowerBound *sum)
{
    const Corner *c = p->corner;
    double low = d_min(c[0].round.length[k], d_min(c[1].round.length[k], c[2].round.length[k]));
    double high = d_max(c[0].round.length[k], d_max(c[1].round.length[k], c[2].round.length[k]));
    double form[3], own[3], change[3], most = 0.0;
    for (int i = 0; i < 3; i++) {
        const RgEpaRound *a = &c[i].round, *b = &c[(i + 1) % 3].round;
        double lower = d_min(a->length[k], b->length[k]);
        change[i] = fabs(a->length[k] - b->length[k]);
        double q = v3_norm2(v3_sub(a->part[k], b->part[k])) - change[i] * change[i];
        form[i] = q - low * low * sum->side2[i];
        own[i] = q - lower * lower * sum->side2[i];
        most = d_max(most, form[i]);
    }
    double left = 1.0 - sum->share, least2 = low * low - most / (3.0 * left); /* lower bound of |M n|^2 */
    if (!(least2 > 0.0)) {
        sum->wide[k] = true;
        for (int i = 0; i < 3; i++)
            sum->excess[i] += 0.5 * (sqrt(d_max(own[i], 0.0)) + change[i]);
        return;
    }
    double below = left * (low + d_max(sqrt(least2), s->parts.least[k]));
    for (int i = 0; i < 3; i++) {
        sum->at[i] += c[i].round.length[k];
        sum->dip[i] += d_max(form[i], 0.0) / below;
        sum->rise[i] += d_max(-form[i], 0.0) / high;
        sum->own_dip[i] += d_max(own[i], 0.0) / below;
        sum->own_rise[i] += d_max(-own[i], 0.0) / high;
        sum->excess[i] += 0.25 * sum->share * (3.0 * change[i] + d_max(own[i], 0.0) / below);
    }
}

static void bound_patch(const Proof *s, const Patch *p, LowerBound *out)
{
    *out = (LowerBound){.share = 0.0};
    for (int i = 0; i < 3; i++) {
        out->side2[i] = v3_norm2(v3_sub(p->corner[i].n, p->corner[(i + 1) % 3].n));
        out->share = d_max(out->share, out->side2[i] / 3.0);
    }
    double x = sqrt(1.0 - out->share);
    out->most = 1.0 / (x * (1.0 + x));
    add_ellipsoid_bound(s, p, 0, out);
    add_ellipsoid_bound(s, p, 1, out);
}

/* Returns true if sum_i l_i^2 f_i + sum_{i<j} l_i l_j g_ij >= 0 for all l >= 0; g[i] belongs to i and the next. */
static bool is_copositive(const double f[3], const double g[3])
{
    if (!(f[0] >= 0.0 && f[1] >= 0.0 && f[2] >= 0.0))
        return false;
    double root[3] = {sqrt(f[0]), sqrt(f[1]), sqrt(f[2])}, off[3];
    for (int i = 0; i < 3; i++) {
        off[i] = 0.5 * g[i] + root[i] * root[(i + 1) % 3];
        if (!(off[i] >= 0.0))
            return false;
    }
    double sum = root[0] * root[1] * root[2] + 0.5 * (g[0] * root[2] + g[1] * root[0] + g[2] * root[1]);
    return sum + sqrt(2.0 * off[0] * off[1] * off[2]) >= 0.0;
}

/* Returns true if h >= m on the whole patch, by the corner v of one normal. An ellipsoid for which the patch is too
   wide is bounded by its least half axis, or by the reach of its support point at another normal (touch, may be
   NULL). */
static bool is_proven(const Proof *s, const Patch *p, const LowerBound *u, RgVec3 v, const Corner *touch)
{
    double f[3], g[3], least = INFINITY;
    for (int i = 0; i < 3; i++) {
        double along = v3_dot(v, p->corner[i].n);
        f[i] = u->at[i] - s->target;
        for (int k = 0; k < 2; k++) {
            if (u->wide[k] && touch != NULL && touch->round.length[k] > 0.0)
                along += v3_dot(touch->round.part[k], p->corner[i].round.part[k]) / touch->round.length[k];
            else if (u->wide[k])
                f[i] += s->parts.least[k];
        }
        f[i] += along;
        least = d_min(least, along);
    }
    for (int i = 0; i < 3; i++) {
        double rise = u->rise[i] + least * u->side2[i]; /* v.n = v.x + K P v.x */
        g[i] = f[i] + f[(i + 1) % 3] - (u->dip[i] - rise * (rise > 0.0 ? 0.5 : u->most));
    }
    return is_copositive(f, g);
}

static bool patch_proven(const Proof *s, const Patch *p, const LowerBound *u)
{
    int touches = u->wide[0] || u->wide[1] ? 3 : 0;
    for (int i = 0; i < 3; i++) {
        if (is_proven(s, p, u, p->corner[i].v, NULL))
            return true;
        for (int k = 0; k < touches; k++)
            if (is_proven(s, p, u, p->corner[i].v, &p->corner[k]))
                return true;
    }
    return false;
}

/* ------------------------------------------------------------------ cuts */

/* Returns true if a triangle is nearly a line with a corner in its middle. */
static bool is_flat(const Patch *p, const LowerBound *u, int longest)
{
    double span2 = u->side2[longest];
    double short2 = d_min(u->side2[(longest + 1) % 3], u->side2[(longest + 2) % 3]);
    double area = fabs(v3_dot(p->corner[0].n, v3_cross(p->corner[1].n, p->corner[2].n)));
    return short2 > FLAT_SIDE * FLAT_SIDE * span2 && area < FLAT_HEIGHT * span2;
}

/* Chooses the edge with the largest loss, and the split position along it. A flat triangle is split at its longest
   edge: any other split would make it flatter at every level. */
static int choose_split(const Proof *s, const Patch *p, const LowerBound *u, double *part)
{
    int edge = 0, longest = 0;
    double worst = -1.0;
    bool bent = false;
    for (int i = 0; i < 3; i++) {
        const Corner *a = &p->corner[i], *b = &p->corner[(i + 1) % 3];
        RgVec3 v = v3_sub(a->v, b->v);
        double from = d_max(v3_dot(v, a->n), 0.0), to = d_max(-v3_dot(v, b->n), 0.0);
        double at = from + to > 0.0 ? from / (from + to) : 0.0, kink = at * to;
        double rise = u->own_rise[i] + d_min(v3_dot(a->v, a->n), v3_dot(b->v, b->n)) * u->side2[i];
        double lost = d_max(u->own_dip[i] - 0.5 * rise, 0.0) + 0.5 * u->share * fabs(rise);
        double dip = 0.25 * lost + u->excess[i];
        if (kink + dip > worst) {
            worst = kink + dip;
            edge = i;
            bent = kink > dip && d_min(from, to) > EQUAL_CORNERS * s->tolerance;
            *part = bent ? at : 0.5;
        }
        longest = u->side2[i] > u->side2[longest] ? i : longest;
    }
    return !bent && is_flat(p, u, longest) ? longest : edge;
}

/* Proves h >= m on a patch, or finds a better result. Returns false if out of splits. */
static bool prove_patch(Proof *s, const Patch *whole)
{
    Patch stack[PROOF_STACK];
    int32_t count = 1;
    stack[0] = *whole;
    while (count > 0) {
        Patch *p = &stack[count - 1];
        LowerBound u;
        bound_patch(s, p, &u);
        if (patch_proven(s, p, &u)) {
            count--;
            continue;
        }
        if (count == PROOF_STACK || s->splits == PROOF_MAX_SPLITS)
            return false;
        double part = 0.5;
        int from = choose_split(s, p, &u, &part), to = (from + 1) % 3;
        RgVec3 n = v3_add(v3_scale(1.0 - part, p->corner[from].n), v3_scale(part, p->corner[to].n));
        v3_unit(n, p->corner[from].n, &n);
        Corner middle = corner_at(s, n);
        s->splits++;
        stack[count] = *p;
        stack[count].corner[from] = middle;
        p->corner[to] = middle;
        count++;
    }
    return true;
}

/* ------------------------------------------------------------------ all normals */

bool rg_epa_prove(RgDifference *d, double tolerance, RgEpa *out)
{
    Proof s = {.out = out, .tolerance = tolerance};
    if (!rg_epa_parts(d, &s.parts))
        return false;
    set_target(&s);

    /* The octants of A's axes: the ellipsoid's principal directions are then patch edges, and those of B too if they
       are aligned. */
    static const RgVec3 axis[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    Corner end[3][2];
    for (int i = 0; i < 3; i++) {
        end[i][0] = corner_at(&s, axis[i]);
        end[i][1] = corner_at(&s, v3_neg(axis[i]));
    }
    for (int k = 0; k < 8; k++) {
        Patch octant = {{end[0][k & 1], end[1][k >> 1 & 1], end[2][k >> 2]}};
        if (!prove_patch(&s, &octant))
            return false;
    }
    out->lower = d_max(out->lower, out->upper - tolerance);
    return true;
}
