/*
 * convex_oracle.c - the oracle's shapes, its exact distance by trying all directions, and its bounds; see
 * convex_oracle.h.
 */
#include "oracle_shape.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ making shapes */

static bool add_points(OracleShape *s, const double *xyz, int count, double scale_by[3])
{
    s->vertex = malloc((size_t)count * sizeof *s->vertex);
    if (s->vertex == NULL)
        return false;
    for (int i = 0; i < count; i++)
        s->vertex[i] = lv((long double)xyz[3 * i] * scale_by[0], (long double)xyz[3 * i + 1] * scale_by[1],
                          (long double)xyz[3 * i + 2] * scale_by[2]);
    s->nv = count;
    return true;
}

/* Longest side of the box round the vertices. */
static double span(const OracleShape *s)
{
    long double most = 0.0L;
    for (int i = 0; i < s->nv; i++)
        for (int j = 0; j < i; j++) {
            Lv e = lv_sub(s->vertex[i], s->vertex[j]);
            most = fmaxl(most, fmaxl(fabsl(e.x), fmaxl(fabsl(e.y), fabsl(e.z))));
        }
    return (double)most;
}

static bool make_box(OracleShape *s)
{
    double corner[24];
    for (int i = 0; i < 24; i++)
        corner[i] = (i / 3 >> i % 3 & 1) != 0 ? 0.5 : -0.5;
    double full[3] = {(double)s->size[0], (double)s->size[1], (double)s->size[2]};
    s->extent = fmax(full[0], fmax(full[1], full[2]));
    return add_points(s, corner, 8, full) && oracle_hull(s, NULL);
}

/* The axis, with both caps' normals. */
static bool make_axis(OracleShape *s)
{
    s->line = malloc(sizeof *s->line);
    s->normal = malloc(2 * sizeof *s->normal);
    if (s->line == NULL || s->normal == NULL)
        return false;
    s->line[0] = lv(0, 0, 1);
    s->normal[0] = lv(0, 0, 1);
    s->normal[1] = lv(0, 0, -1);
    s->ne = 1;
    s->nf = s->type == RG_SHAPE_cylinder ? 2 : 0;
    return true;
}

static bool make_capsule(OracleShape *s)
{
    double half = 0.5 * (double)s->size[1], ends[6] = {0.0, 0.0, -half, 0.0, 0.0, half}, one[3] = {1.0, 1.0, 1.0};
    s->ball = s->size[0];
    s->extent = 2.0 * (half + (double)s->ball);
    s->ends = malloc(sizeof *s->ends);
    if (s->ends == NULL || !add_points(s, ends, 2, one))
        return false;
    s->ends[0][0] = 0;
    s->ends[0][1] = 1;
    return make_axis(s);
}

static bool make_shape(OracleShape *s, const RgShapeDef *def, const RgPolytopeView *view)
{
    double one[3] = {1.0, 1.0, 1.0}, zero[3] = {0.0, 0.0, 0.0};
    double scale_by[3] = {def->size[0], def->size[1], def->size[2]};
    switch (s->type) {
    case RG_SHAPE_sphere:
        s->ball = s->size[0];
        s->extent = 2.0 * def->size[0];
        return add_points(s, zero, 1, one);
    case RG_SHAPE_box:
        return make_box(s);
    case RG_SHAPE_capsule:
        return make_capsule(s);
    case RG_SHAPE_cylinder:
        s->extent = fmax(2.0 * def->size[0], def->size[1]);
        return make_axis(s);
    case RG_SHAPE_ellipsoid:
        s->extent = 2.0 * fmax(def->size[0], fmax(def->size[1], def->size[2]));
        return true;
    case RG_SHAPE_halfspace:
        return true;
    case RG_SHAPE_polytope:
        if (!add_points(s, def->mesh.vertices, def->mesh.nvertices, scale_by))
            return false;
        s->extent = span(s);
        return oracle_hull(s, view);
    default:
        return false;
    }
}

OracleShape *oracle_create(const RgShapeDef *def, const RgPolytopeView *view)
{
    OracleShape *s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    s->type = def->type;
    for (int i = 0; i < 3; i++)
        s->size[i] = def->size[i];
    bool good = make_shape(s, def, view);
    s->vertex_W = malloc(((size_t)s->nv + 1) * sizeof(Lv));
    s->line_W = malloc(((size_t)s->ne + 1) * sizeof(Lv));
    s->normal_W = malloc(((size_t)s->nf + 1) * sizeof(Lv));
    if (!good || s->vertex_W == NULL || s->line_W == NULL || s->normal_W == NULL) {
        oracle_destroy(s);
        return NULL;
    }
    RgPose here = {mat_identity(), {0.0, 0.0, 0.0}};
    oracle_move(s, &here);
    return s;
}

void oracle_destroy(OracleShape *s)
{
    if (s == NULL)
        return;
    free(s->vertex);
    free(s->line);
    free(s->normal);
    free(s->ends);
    free(s->on_face);
    free(s->vertex_W);
    free(s->line_W);
    free(s->normal_W);
    free(s);
}

static Lv turn(const OracleShape *s, Lv x)
{
    return lv_add(lv_scale(x.x, s->axis[0]), lv_add(lv_scale(x.y, s->axis[1]), lv_scale(x.z, s->axis[2])));
}

void oracle_move(OracleShape *s, const RgPose *X)
{
    for (int k = 0; k < 3; k++)
        s->axis[k] = lv(X->R.m[0][k], X->R.m[1][k], X->R.m[2][k]);
    s->origin = lv_of(X->p);
    for (int i = 0; i < s->nv; i++)
        s->vertex_W[i] = lv_add(s->origin, turn(s, s->vertex[i]));
    for (int i = 0; i < s->ne; i++)
        s->line_W[i] = lv_unit(turn(s, s->line[i]));
    for (int i = 0; i < s->nf; i++)
        s->normal_W[i] = lv_unit(turn(s, s->normal[i]));
}

double oracle_extent(const OracleShape *s)
{
    return s->extent;
}

RgShapeType oracle_type(const OracleShape *s)
{
    return s->type;
}

/* ------------------------------------------------------------------ support */

/* The direction in the shape's frame. The columns of R are taken as they are given. */
static Lv seen_from(const OracleShape *s, Lv n)
{
    return lv(lv_dot(s->axis[0], n), lv_dot(s->axis[1], n), lv_dot(s->axis[2], n));
}

static long double support_vertex(const OracleShape *s, Lv n, Lv *point)
{
    int best = 0;
    long double most = lv_dot(n, s->vertex_W[0]);
    for (int i = 1; i < s->nv; i++) {
        long double value = lv_dot(n, s->vertex_W[i]);
        if (value > most) {
            most = value;
            best = i;
        }
    }
    if (point != NULL)
        *point = s->vertex_W[best];
    return most;
}

long double oracle_support(const OracleShape *s, Lv n, Lv *point)
{
    if (oracle_has_vertices(s))
        return support_vertex(s, n, point);
    Lv m = seen_from(s, n), x;
    if (s->type == RG_SHAPE_ellipsoid) {
        Lv stretched = lv(s->size[0] * m.x, s->size[1] * m.y, s->size[2] * m.z);
        Lv u = lv_unit(stretched);
        x = lv(s->size[0] * u.x, s->size[1] * u.y, s->size[2] * u.z);
    } else {
        Lv u = lv_unit(lv(m.x, m.y, 0));
        x = lv(s->size[0] * u.x, s->size[0] * u.y, copysignl(0.5L * s->size[1], m.z));
    }
    Lv there = lv_add(s->origin, turn(s, x));
    if (point != NULL)
        *point = there;
    return lv_dot(n, there);
}

long double oracle_bend(const OracleShape *s, Lv n, Lv t, Lv u)
{
    if (oracle_has_vertices(s))
        return 0.0L;
    Lv m = seen_from(s, n), p = seen_from(s, t), q = seen_from(s, u);
    long double factor = 1.0L;
    if (s->type == RG_SHAPE_ellipsoid) {
        m = lv(s->size[0] * m.x, s->size[1] * m.y, s->size[2] * m.z);
        p = lv(s->size[0] * p.x, s->size[1] * p.y, s->size[2] * p.z);
        q = lv(s->size[0] * q.x, s->size[1] * q.y, s->size[2] * q.z);
    } else {
        m.z = p.z = q.z = 0.0L;
        factor = s->size[0];
    }
    long double length = lv_norm(m);
    if (!(length > 0.0L))
        return 0.0L;
    m = lv_scale(1.0L / length, m);
    return factor * (lv_dot(p, q) - lv_dot(m, p) * lv_dot(m, q)) / length;
}

long double oracle_gap(const OracleShape *a, const OracleShape *b, Lv n, Lv *w)
{
    Lv pa, pb;
    long double high_a = oracle_support(a, n, &pa);
    long double low_b = -oracle_support(b, lv_scale(-1.0L, n), &pb);
    if (w != NULL)
        *w = lv_sub(pb, pa);
    return low_b - high_a;
}

/* ------------------------------------------------------------------ all directions */

/* Best direction so far. The vertices that spoiled the last direction are asked first about the next one. */
typedef struct Search {
    const OracleShape *a, *b;
    long double best;
    int hint_a, hint_b;
} Search;

/* sep(n) if it is more than what is known; otherwise something that is not. */
static long double sep_vertices(Search *s, Lv n)
{
    const OracleShape *a = s->a, *b = s->b;
    long double high = lv_dot(n, a->vertex_W[s->hint_a]), low = lv_dot(n, b->vertex_W[s->hint_b]);
    for (int i = 0; i < a->nv && low - high > s->best; i++) {
        long double value = lv_dot(n, a->vertex_W[i]);
        if (value > high) {
            high = value;
            s->hint_a = i;
        }
    }
    for (int i = 0; i < b->nv && low - high > s->best; i++) {
        long double value = lv_dot(n, b->vertex_W[i]);
        if (value < low) {
            low = value;
            s->hint_b = i;
        }
    }
    return low - high;
}

static void try_direction(Search *s, Lv n)
{
    long double length = lv_norm(n);
    if (!(length > 0.0L))
        return;
    n = lv_scale(1.0L / length, n);
    s->best = fmaxl(s->best, sep_vertices(s, n));
    s->best = fmaxl(s->best, sep_vertices(s, lv_scale(-1.0L, n)));
}

/* The part of a at right angles to the unit vector line. What is left over along it is taken off again: a
   short result has lost its first digits. */
static Lv beside(Lv a, Lv line)
{
    Lv across = lv_unit(lv_sub(a, lv_scale(lv_dot(a, line), line)));
    return lv_sub(across, lv_scale(lv_dot(across, line), line));
}

/* Directions at right angles to the edges of a: to the vertices of b, and two more. */
static void try_beside_edges(Search *s, const OracleShape *a, const OracleShape *b)
{
    for (int e = 0; e < a->ne; e++) {
        Lv line = a->line_W[e], start = a->vertex_W[a->ends[e][0]];
        for (int i = 0; i < b->nv; i++)
            try_direction(s, beside(lv_sub(b->vertex_W[i], start), line));
        Lv across = lv_across(line);
        try_direction(s, across);
        try_direction(s, lv_cross(line, across));
    }
}

/* Largest separation of the vertices of a and b. */
static long double vertex_distance(const OracleShape *a, const OracleShape *b)
{
    Search s = {a, b, -INFINITY, 0, 0};
    try_direction(&s, lv_sub(b->origin, a->origin));
    for (int k = 0; k < 3; k++)
        try_direction(&s, lv(k == 0, k == 1, k == 2));
    for (int i = 0; i < a->nf; i++)
        try_direction(&s, a->normal_W[i]);
    for (int i = 0; i < b->nf; i++)
        try_direction(&s, b->normal_W[i]);
    for (int i = 0; i < a->ne; i++)
        for (int j = 0; j < b->ne; j++)
            try_direction(&s, lv_cross(a->line_W[i], b->line_W[j]));

    /* Lines between vertices and edges only matter where the cores are apart. */
    for (int i = 0; i < a->nv; i++)
        for (int j = 0; j < b->nv; j++)
            try_direction(&s, lv_sub(b->vertex_W[j], a->vertex_W[i]));
    try_beside_edges(&s, a, b);
    try_beside_edges(&s, b, a);
    return s.best;
}

static long double over_plane(const OracleShape *plane, const OracleShape *s)
{
    Lv n = lv_unit(plane->axis[2]);
    long double low = -oracle_support(s, lv_scale(-1.0L, n), NULL);
    return low - s->ball - lv_dot(n, plane->origin);
}

bool oracle_is_exact(const OracleShape *a, const OracleShape *b)
{
    return a->type == RG_SHAPE_halfspace || b->type == RG_SHAPE_halfspace ||
           (oracle_has_vertices(a) && oracle_has_vertices(b));
}

static long double exact_distance(const OracleShape *a, const OracleShape *b)
{
    if (a->type == RG_SHAPE_halfspace)
        return over_plane(a, b);
    if (b->type == RG_SHAPE_halfspace)
        return over_plane(b, a);
    return vertex_distance(a, b) - a->ball - b->ball;
}

double oracle_distance(const OracleShape *a, const OracleShape *b)
{
    return (double)exact_distance(a, b);
}

double oracle_separation(const OracleShape *a, const OracleShape *b, RgVec3 n)
{
    return (double)(oracle_gap(a, b, lv_unit(lv_of(n)), NULL) - a->ball - b->ball);
}

/* ------------------------------------------------------------------ bounds */

/* A way straight in along the gradient of f = |x / axes|^2 ends on the surface: no shorter than the
   distance, and close to it near the surface. */
static long double outside_ellipsoid(const OracleShape *s, Lv x)
{
    Lv q = lv(x.x / s->size[0], x.y / s->size[1], x.z / s->size[2]);
    long double c = lv_dot(q, q) - 1.0L;
    if (!(c > 0.0L))
        return 0.0L;
    Lv g = lv_unit(lv(q.x / s->size[0], q.y / s->size[1], q.z / s->size[2]));
    Lv m = lv(g.x / s->size[0], g.y / s->size[1], g.z / s->size[2]);

    /* |q - t m|^2 = 1, the smaller root; along a ray to the centre where there is none. */
    long double a = lv_dot(m, m), b = lv_dot(q, m), root = b * b - a * c;
    if (root < 0.0L)
        return lv_norm(x) * (1.0L - 1.0L / sqrtl(1.0L + c));
    return c / (b + sqrtl(root));
}

static long double outside(const OracleShape *s, Lv point)
{
    Lv x = seen_from(s, lv_sub(point, s->origin));
    if (s->type == RG_SHAPE_halfspace)
        return fmaxl(0.0L, x.z);
    if (s->type == RG_SHAPE_cylinder) {
        long double side = fmaxl(0.0L, hypotl(x.x, x.y) - s->size[0]);
        return hypotl(side, fmaxl(0.0L, fabsl(x.z) - 0.5L * s->size[1]));
    }
    if (s->type == RG_SHAPE_ellipsoid)
        return outside_ellipsoid(s, x);
    OracleShape spot = {.type = RG_SHAPE_sphere, .nv = 1, .vertex_W = &point, .origin = point};
    return fmaxl(0.0L, vertex_distance(s, &spot) - s->ball);
}

double oracle_outside(const OracleShape *s, RgVec3 point)
{
    return (double)outside(s, lv_of(point));
}

/* The balls are left out, and their radii taken off at the end. */
OracleBounds oracle_proof(const OracleShape *a, const OracleShape *b, const RgDistance *given)
{
    Lv n = lv_unit(lv_of(given->normal));
    long double balls = a->ball + b->ball;
    Lv pa = lv_sub(lv_of(given->point_a), lv_scale(a->ball, n));
    Lv pb = lv_add(lv_of(given->point_b), lv_scale(b->ball, n));
    OracleShape bare_a = *a, bare_b = *b;
    bare_a.ball = bare_b.ball = 0.0L;
    long double lower = oracle_gap(a, b, n, NULL) - balls;
    long double upper = lv_norm(lv_sub(pb, pa)) + outside(&bare_a, pa) + outside(&bare_b, pb) - balls;
    return (OracleBounds){(double)lower, (double)upper};
}

OracleBounds oracle_bounds(const OracleShape *a, const OracleShape *b, const RgDistance *given)
{
    if (oracle_is_exact(a, b)) {
        double exact = oracle_distance(a, b);
        return (OracleBounds){exact, exact};
    }
    long double balls = a->ball + b->ball;
    if (given->distance + balls > 0.0L)
        return oracle_proof(a, b, given);
    double found = (double)(oracle_search(a, b, lv_unit(lv_of(given->normal))) - balls);
    return (OracleBounds){found, found};
}

/* ------------------------------------------------------------------ spots */

/* A point of a convex combination with random weights of the vertices in the set, or a normal of all faces
   that hold the set. */
static Lv mix_vertices(const OracleShape *s, uint64_t set, Draw *d)
{
    Lv sum = lv(0, 0, 0);
    long double total = 0.0L;
    for (int i = 0; i < s->nv; i++)
        if ((set >> i & 1) != 0) {
            long double weight = draw_between(d, 0.0, 1.0);
            sum = lv_add(sum, lv_scale(weight, s->vertex[i]));
            total += weight;
        }
    return lv_scale(1.0L / total, sum);
}

static Lv mix_normals(const OracleShape *s, uint64_t set, Draw *d)
{
    Lv sum = lv(0, 0, 0);
    for (int i = 0; i < s->nf; i++)
        if ((s->on_face[i] & set) == set)
            sum = lv_add(sum, lv_scale(draw_between(d, 0.1, 1.0), s->normal[i]));
    return lv_unit(sum);
}

static OracleSpot spot_of(Lv point, Lv normal, Lv tangent)
{
    return (OracleSpot){lv_to(point), lv_to(normal), lv_to(lv_unit(tangent))};
}

static OracleSpot polytope_spot(const OracleShape *s, int rank, Draw *d)
{
    int edge = draw_below(d, s->ne);
    uint64_t set = UINT64_C(1) << s->ends[edge][0];
    if (rank == 2) {
        int face = draw_below(d, s->nf);
        set = s->on_face[face];
        Lv n = s->normal[face];
        /* Along an edge of the face, where there is one. */
        Lv along = lv_across(n);
        for (int i = 0; i < s->ne; i++)
            if ((set >> s->ends[i][0] & set >> s->ends[i][1] & 1) != 0)
                along = s->line[i];
        return spot_of(mix_vertices(s, set, d), n, along);
    }
    if (rank == 1)
        set |= UINT64_C(1) << s->ends[edge][1];
    Lv n = mix_normals(s, set, d), line = s->line[edge];
    return spot_of(mix_vertices(s, set, d), n, lv_sub(line, lv_scale(lv_dot(line, n), n)));
}

static OracleSpot round_spot(const OracleShape *s, int rank, Draw *d)
{
    Lv n = lv_unit(lv_of(draw_direction(d)));
    if (s->type == RG_SHAPE_ellipsoid) {
        Lv u = lv_unit(lv(s->size[0] * n.x, s->size[1] * n.y, s->size[2] * n.z));
        return spot_of(lv(s->size[0] * u.x, s->size[1] * u.y, s->size[2] * u.z), n, lv_across(n));
    }
    if (s->type == RG_SHAPE_sphere)
        return spot_of(lv_scale(s->ball, n), n, lv_across(n));

    /* Capsule and cylinder: the end or rim, the side, the cap. */
    long double half = 0.5L * s->size[1], z = copysignl(half, n.z);
    Lv flat = lv_unit(lv(n.x, n.y, 0)), up = lv(0, 0, 1);
    if (rank == 1) {
        n = flat;
        z = half * draw_between(d, -1.0, 1.0);
    }
    if (s->type == RG_SHAPE_capsule)
        return spot_of(lv_add(lv(0, 0, z), lv_scale(s->ball, n)), n, lv_sub(up, lv_scale(n.z, n)));
    long double r = s->size[0];
    if (rank == 2) {
        n = lv(0, 0, copysignl(1.0L, n.z));
        r *= draw_between(d, 0.0, 1.0);
    }
    Lv along = lv_sub(up, lv_scale(n.z, n));
    return spot_of(lv_add(lv(0, 0, z), lv_scale(r, flat)), n, rank == 2 ? flat : along);
}

OracleSpot oracle_spot(const OracleShape *s, int rank, Draw *d)
{
    if (s->type == RG_SHAPE_halfspace)
        return spot_of(lv(0, 0, 0), lv(0, 0, 1), lv(1, 0, 0));
    if (s->on_face != NULL)
        return polytope_spot(s, rank, d);
    return round_spot(s, rank, d);
}
