/*
 * simplex.c - the point nearest to the origin of a segment, a triangle or a tetrahedron, by signed volumes (Montanari,
 * Petrinic, Barbieri 2017).
 *
 *   segment   p0 + t e, e = p1 - p0:   t = -p0.e / e.e
 *   triangle  p0 + s e + t f, e = p1 - p0, f = p2 - p0, n = e x f, foot (p0.n / n.n) n, q = p0 - foot:
 *             s = n.(f x q) / n.n       t = n.(q x e) / n.n
 *   tetrahedron  a face counts where the origin and the fourth point are on different sides of it
 *
 * If a weight is not positive, the nearest point lies on the side opposite to that vertex: those sides are solved, and
 * the nearest of their points is used. The corner p0 is chosen so that one of e and f is the shorter of two sides,
 * which keeps the normal and the foot of thin triangles accurate. Triangles too flat for a normal are replaced by their
 * sides, tetrahedra too flat by their faces: every input has a result.
 *
 * Cost: 20 to 200 operations, one division per segment or triangle solved.
 */
#include "collision/simplex.h"

/* Smallest squared sine between two sides of a triangle at which its normal still has a correct digit. */
#define TRIANGLE_FLAT 1e-28
/* Height of a tetrahedron, as a fraction of its size, below which round-off decides the side of a point. */
#define TETRAHEDRON_THIN 1e-15

/* A triangle with a chosen corner `at`: e and f lead to the other two, n = e x f. */
typedef struct Triangle {
    int at, i, j;
    RgVec3 e, f, n;
    double nn; /* n.n; 0: flat */
} Triangle;

/* Makes a triangle from its sides e = p_j - p_i, f = p_k - p_i, g = p_k - p_j and the squares of f and g. */
static inline Triangle make_triangle(const int c[3], RgVec3 e, RgVec3 f, RgVec3 g, double ff, double gg)
{
    bool turn = gg < ff;
    Triangle t = {turn ? c[1] : c[0], turn ? c[2] : c[1], turn ? c[0] : c[2], e, f, v3_cross(e, turn ? g : f), 0.0};
    if (turn) {
        t.e = g;
        t.f = v3_neg(e);
    }
    double nn = v3_norm2(t.n);
    if (nn > TRIANGLE_FLAT * v3_norm2(e) * (turn ? gg : ff))
        t.nn = nn;
    return t;
}

/* Solves the segment i, j; stores its nearest point if it is nearer than best. */
static void solve_segment(const RgSimplex *s, int i, int j, RgNearest *best)
{
    RgVec3 p = s->point[i].w, q = s->point[j].w, e = v3_sub(q, p), x = q;
    double along_i = -v3_dot(p, e), along_j = v3_dot(q, e), ee = along_i + along_j;
    double share = 1.0; /* weight of j */
    if (along_i <= 0.0 && ee > 0.0) {
        x = p;
        share = 0.0;
    } else if (along_j > 0.0 && ee > 0.0) {
        /* From the nearer end, to avoid cancellation. */
        double per = 1.0 / ee;
        share = along_i * per;
        x = along_i < along_j ? v3_axpy(share, e, p) : v3_axpy(-along_j * per, e, q);
    }
    double norm2 = v3_norm2(x);
    if (!(norm2 < best->norm2))
        return;
    *best = (RgNearest){.norm2 = norm2, .x = x};
    best->weight[i] = 1.0 - share;
    best->weight[j] = share;
}

static void solve_triangle(const RgSimplex *s, const Triangle *t, RgNearest *best)
{
    double wi = 0.0, wj = 0.0, wat = 0.0;
    if (t->nn > 0.0) {
        RgVec3 p = s->point[t->at].w;
        double per = 1.0 / t->nn, height = v3_dot(p, t->n) * per;
        RgVec3 foot = v3_scale(height, t->n), q = v3_sub(p, foot);
        wi = v3_dot(t->n, v3_cross(t->f, q)) * per;
        wj = v3_dot(t->n, v3_cross(q, t->e)) * per;
        wat = 1.0 - wi - wj;
        if (wi > 0.0 && wj > 0.0 && wat > 0.0) {
            double norm2 = height * height * t->nn, ee = v3_norm2(t->e), ff = v3_norm2(t->f);
            if (!(norm2 < best->norm2))
                return;
            *best = (RgNearest){.norm2 = norm2, .x = foot, .normal = t->n};
            best->weight[t->at] = wat;
            best->weight[t->i] = wi;
            best->weight[t->j] = wj;
            /* A small triangle far away: the weighted sum of its corners has a more accurate direction than its
               normal. */
            if (norm2 > (ee > ff ? ee : ff))
                best->x = best->normal = v3_add(v3_axpy(wi, t->e, p), v3_scale(wj, t->f));
            return;
        }
    }
    if (!(wat > 0.0))
        solve_segment(s, t->i, t->j, best);
    if (!(wi > 0.0))
        solve_segment(s, t->at, t->j, best);
    if (!(wj > 0.0))
        solve_segment(s, t->at, t->i, best);
}

/* Solves the faces of the tetrahedron at the newest point that have the origin on their outer side. If there are none,
   the origin is inside, and best stays infinite. */
static void solve_tetrahedron(const RgSimplex *s, RgNearest *best)
{
    static const int corner[3][3] = {{3, 0, 1}, {3, 1, 2}, {3, 2, 0}};
    RgVec3 p = s->point[3].w, d[3];
    double dd[3];
    for (int k = 0; k < 3; k++) {
        d[k] = v3_sub(s->point[k].w, p);
        dd[k] = v3_norm2(d[k]);
    }
    for (int k = 0; k < 3; k++) {
        int i = k, j = corner[k][2], other = 3 - i - j;
        RgVec3 g = v3_sub(s->point[j].w, s->point[i].w);
        Triangle t = make_triangle(corner[k], d[i], d[j], g, dd[j], v3_norm2(g));
        double origin = -v3_dot(t.n, p), above = v3_dot(t.n, d[other]);
        bool thick = t.nn > 0.0 && above * above > TETRAHEDRON_THIN * TETRAHEDRON_THIN * t.nn * dd[other];
        if (!thick || (origin < 0.0) != (above < 0.0))
            solve_triangle(s, &t, best);
    }
}

static void solve_three_points(const RgSimplex *s, RgNearest *best)
{
    RgVec3 p = s->point[0].w, q = s->point[1].w, r = s->point[2].w;
    RgVec3 f = v3_sub(r, p), g = v3_sub(r, q);
    Triangle t = make_triangle((const int[]){0, 1, 2}, v3_sub(q, p), f, g, v3_norm2(f), v3_norm2(g));
    solve_triangle(s, &t, best);
}

void rg_simplex_solve(const RgSimplex *s, RgNearest *out)
{
    *out = (RgNearest){.norm2 = INFINITY};
    switch (s->count) {
    case 1:
        *out = (RgNearest){.norm2 = v3_norm2(s->point[0].w), .x = s->point[0].w, .weight = {1.0}};
        break;
    case 2:
        solve_segment(s, 0, 1, out);
        break;
    case 3:
        solve_three_points(s, out);
        break;
    default:
        solve_tetrahedron(s, out);
    }
}

void rg_simplex_keep(RgSimplex *s, const RgNearest *nearest)
{
    s->nearest = nearest->x;
    s->normal = nearest->normal;
    if (nearest->norm2 == INFINITY)
        return;
    int32_t kept = 0;
    for (int32_t i = 0; i < s->count; i++)
        if (nearest->weight[i] > 0.0) {
            s->weight[kept] = nearest->weight[i];
            if (kept != i)
                s->point[kept] = s->point[i];
            kept++;
        }
    s->count = kept;
}

RgVec3 rg_triangle_normal(RgVec3 p, RgVec3 q, RgVec3 r)
{
    RgVec3 e = v3_sub(q, p), f = v3_sub(r, p), g = v3_sub(r, q);
    Triangle t = make_triangle((const int[]){0, 1, 2}, e, f, g, v3_norm2(f), v3_norm2(g));
    return t.n;
}
