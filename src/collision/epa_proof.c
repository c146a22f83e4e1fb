/*
 * epa_proof.c - the least depth of two overlapping shapes, proven over all normals by branch and bound.
 *
 * EPA fills the difference of two shapes with flat faces. Where the difference is round about the origin - a
 * peg in the middle of a hole, one ball in another - so many normals are almost as good as the best that no
 * number of faces is enough. Here the normals are searched instead. The depth along the unit normal n is
 *
 *   h(n) = |A n| + |B n| + max v.n          A, B: half axes of ellipsoids;  v: corners of a polytope
 *
 * (epa_parts.h), and h >= m is to be shown for all n, m a little less than the least h found. On a patch, a
 * triangle of normals n_i, put n = x / |x|, x = sum l_i n_i with l_i >= 0, sum 1. Since |x|^2 = 1 - P, each
 * of the norms is
 *
 *   |M n| = L - sum_{i<j} l_i l_j (q_ij - L^2 d_ij^2) / ((1 - P) (|M n| + L))
 *
 *   L = sum l_i m_i         m_i = |M n_i|      q_ij = |M n_i - M n_j|^2 - (m_i - m_j)^2
 *   P = sum_{i<j} l_i l_j d_ij^2               d_ij = |n_i - n_j|
 *
 * exactly: L less a quadratic form, whose factors have narrow bounds on a small patch. It is as sharp as the
 * curvature, so a round difference needs few patches. v.n = v.x (1 + K P), K P = 1/|x| - 1. In all, with
 * any v,
 *
 *   h - m  >=  sum l_i F_i - sum_{i<j} l_i l_j E_ij  =  sum l_i^2 F_i + sum_{i<j} l_i l_j (F_i + F_j - E_ij)
 *
 * which is >= 0 if the 3 x 3 matrix is copositive: a closed test (Hadeler 1983). A patch that fails is cut in
 * two, at the edge that loses most: in its middle, or where two corners v are equally far. A normal that is
 * less deep than the answer becomes the answer, by descent from there, and m less; patches done stay done.
 *
 * Cost: one support a cut; some hundred cuts, where the best normals are a circle up to some thousand.
 * Failure: out of cuts, or a shape whose parts are not known. The answer may be better, its bound is not.
 */
#include "collision/epa.h"
#include "collision/epa_parts.h"

#define PROOF_CUTS 10000
/* Patches that wait, one for each cut on the way down to patches of 1e-10 rad. */
#define PROOF_DEPTH 128
/* Part of the tolerance within which two corners v are equally far. */
#define LEVEL 0.1
/* A triangle is flat whose height is less than the second part of its longest side, and no other side less
   than the first. */
#define FLAT_SIDE 0.25
#define FLAT_HEIGHT 0.1
/* Part of the tolerance by which a better answer is better. */
#define BETTER 0.01

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
    int32_t cuts;
} Proof;

/* The ellipsoids on a patch: their part of h is at least sum l_i at_i - sum l_i l_j (dip_ij - K rise_ij),
   where K P = 1/|x| - 1. Edge i leads from corner i to the next. */
typedef struct Under {
    double at[3], dip[3], rise[3];
    double side2[3], share; /* d_ij^2; the most that P is */
    double most;            /* that K is; it is 1/2 at least */
    /* Along the edge alone; what its length loses besides, about. */
    double own_dip[3], own_rise[3], excess[3];
    bool wide[2]; /* the patch is too wide for an ellipsoid: it is not in the sum */
} Under;

/* ------------------------------------------------------------------ corners */

/* m for the answer. */
static void set_target(Proof *s)
{
    s->target = s->out->upper + (s->parts.d->round_a + s->parts.d->round_b) - s->tolerance;
}

/* Takes a normal that is less deep, and the best near it. */
static void take_answer(Proof *s, RgVec3 n, double found)
{
    double depth = found - (s->parts.d->round_a + s->parts.d->round_b);
    if (!(depth < s->out->upper - BETTER * s->tolerance))
        return;
    s->out->normal = n;
    s->out->upper = depth;
    rg_epa_descend(s->parts.d, s->out);
    set_target(s);
}

static Corner corner_at(Proof *s, RgVec3 n)
{
    RgEpaCorner found = rg_epa_corner(&s->parts, n);
    take_answer(s, n, found.depth);
    return (Corner){n, found.v, rg_epa_round(&s->parts, n)};
}

/* ------------------------------------------------------------------ patches */

/* Adds ellipsoid k, with |M n| and L between bounds. Where q < L^2 d^2 the term is a gain, of at least
   K (L^2 d^2 - q) / L, since |M x| <= L. */
static void under_round(const Proof *s, const Patch *p, int k, Under *sum)
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
    double left = 1.0 - sum->share, least2 = low * low - most / (3.0 * left); /* of |M n|^2 */
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

static void under_patch(const Proof *s, const Patch *p, Under *out)
{
    *out = (Under){.share = 0.0};
    for (int i = 0; i < 3; i++) {
        out->side2[i] = v3_norm2(v3_sub(p->corner[i].n, p->corner[(i + 1) % 3].n));
        out->share = d_max(out->share, out->side2[i] / 3.0);
    }
    double x = sqrt(1.0 - out->share);
    out->most = 1.0 / (x * (1.0 + x));
    under_round(s, p, 0, out);
    under_round(s, p, 1, out);
}

/* Whether sum_i l_i^2 f_i + sum_{i<j} l_i l_j g_ij >= 0 for all l >= 0; g[i] between i and the next. */
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

/* Whether h >= m all over the patch, by the corner v of one normal. An ellipsoid for which the patch is too
   wide has its least half axis at least, or reaches as far as its point at another normal (touch, may be
   NULL). */
static bool is_proven(const Proof *s, const Patch *p, const Under *u, RgVec3 v, const Corner *touch)
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

static bool patch_proven(const Proof *s, const Patch *p, const Under *u)
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

/* Whether a triangle is nearly a line with a corner in its middle. */
static bool is_flat(const Patch *p, const Under *u, int longest)
{
    double span2 = u->side2[longest];
    double short2 = d_min(u->side2[(longest + 1) % 3], u->side2[(longest + 2) % 3]);
    double area = fabs(v3_dot(p->corner[0].n, v3_cross(p->corner[1].n, p->corner[2].n)));
    return short2 > FLAT_SIDE * FLAT_SIDE * span2 && area < FLAT_HEIGHT * span2;
}

/* Where to cut: the edge that loses most, and how far along it. A flat triangle is cut at its longest: any
   other cut would make it flatter without end. */
static int cut_of(const Proof *s, const Patch *p, const Under *u, double *part)
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
            bent = kink > dip && d_min(from, to) > LEVEL * s->tolerance;
            *part = bent ? at : 0.5;
        }
        longest = u->side2[i] > u->side2[longest] ? i : longest;
    }
    return !bent && is_flat(p, u, longest) ? longest : edge;
}

/* Shows that h >= m on a patch, or finds less. False: out of cuts. */
static bool prove_patch(Proof *s, const Patch *whole)
{
    Patch todo[PROOF_DEPTH];
    int32_t count = 1;
    todo[0] = *whole;
    while (count > 0) {
        Patch *p = &todo[count - 1];
        Under u;
        under_patch(s, p, &u);
        if (patch_proven(s, p, &u)) {
            count--;
            continue;
        }
        if (count == PROOF_DEPTH || s->cuts == PROOF_CUTS)
            return false;
        double part = 0.5;
        int from = cut_of(s, p, &u, &part), to = (from + 1) % 3;
        RgVec3 n = v3_add(v3_scale(1.0 - part, p->corner[from].n), v3_scale(part, p->corner[to].n));
        v3_unit(n, p->corner[from].n, &n);
        Corner middle = corner_at(s, n);
        s->cuts++;
        todo[count] = *p;
        todo[count].corner[from] = middle;
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

    /* The octants of A: its axes are edges, and so are B's where they stand along them. */
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
