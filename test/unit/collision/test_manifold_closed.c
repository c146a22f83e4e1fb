/*
 * test_manifold_closed.c - closed meshes as surfaces against the solids they enclose.
 *
 * Apart, the surface and the solid have the same nearest point. Sunk in by little, the solid has one least
 * translation; the surface must find a contact, most often that one, and nothing far deeper.
 */
#include "surface_fixture.h"

static double least_gap(const Contacts *c)
{
    double least = INFINITY;
    for (int32_t i = 0; i < c->buffer.npoints; i++)
        least = fmin(least, c->point[i].gap);
    return least;
}

/* The manifold nearest to a normal and a distance: how far off. */
static double nearest_manifold(const Contacts *c, RgVec3 normal, double distance, double angle)
{
    double off = INFINITY;
    for (int32_t i = 0; i < c->buffer.nmanifolds; i++)
        if (vec_distance(c->manifold[i].normal, normal) <= angle)
            off = fmin(off, fabs(c->manifold[i].distance - distance));
    return off;
}

/* The faces of a polytope as triangles. */
static RgGeometry *mesh_of(const RgGeometry *solid)
{
    RgPolytopeView p = rg_geometry_polytope(solid, 0);
    Soup *s = soup_new();
    for (int32_t i = 0; i < p.nvertices; i++)
        soup_vertex(s, p.vertices[i].x, p.vertices[i].y, p.vertices[i].z);
    for (int32_t f = 0; f < p.nfaces; f++)
        for (int32_t k = p.face_start[f] + 1; k + 1 < p.face_start[f + 1]; k++)
            soup_face(s, p.face_vertices[p.face_start[f]], p.face_vertices[k], p.face_vertices[k + 1]);
    RgGeometry *mesh = soup_geometry(s);
    free(s);
    return mesh;
}

/* Cubes of few and many triangles, a prism, round and sharp stones. */
#define SOLIDS 6

static void make_solid(Draw *d, int kind, RgGeometry **solid, RgGeometry **mesh)
{
    double xyz[3 * 40];
    int n = kind == 4 ? 40 : 5;
    if (kind < 3) {
        Soup *s = soup_new();
        soup_box(s, vec(1, 1, 1), (int[]){1, 3, 12}[kind]);
        *solid = make_shape(RG_SHAPE_box, 1, 1, 1);
        *mesh = soup_geometry(s);
        free(s);
        return;
    }
    for (int i = 0; i < n && kind > 3; i++) {
        RgVec3 x = draw_direction(d);
        xyz[3 * i] = 0.6 * x.x;
        xyz[3 * i + 1] = 0.6 * x.y;
        xyz[3 * i + 2] = (kind == 4 ? 0.6 : 0.2) * x.z;
    }
    *solid = kind == 3 ? make_prism(24, 0.5, 1.0) : make_polytope(xyz, n);
    *mesh = mesh_of(*solid);
}

/* What came out, for one kind of solid. */
typedef struct Tally {
    int deep, found;
    double ratio; /* deepest contact over the least translation */
} Tally;

static void check_pair(Draw *d, const RgPlaced pair[3], bool apart, Contacts *c, Tally *t)
{
    RgPlaced a = pair[0], solid = pair[1], mesh = pair[2];
    RgManifoldOptions options = rg_manifold_options_default();
    options.slope = draw_chance(d, 0.5) ? 1e-6 : 0.02;
    RgDistance at;
    rg_distance(&a, &solid, NULL, &at);
    double gap = apart ? draw_between(d, 0.0, 9e-4) : draw_between(d, -5e-3, -1e-4);
    a.X_WG.p = vec_add(a.X_WG.p, vec_scale(at.distance - gap, at.normal));
    rg_distance(&a, &solid, NULL, &at);
    collide_with(&a, &mesh, &options, c);
    check_contacts(c);
    cr_assert_gt(c->buffer.npoints, 0, "nothing found at distance %g", at.distance);
    if (apart) { /* within the slope the face's own normal may stand for the nearest direction */
        CHECK_NEAR(least_gap(c), at.distance, options.slope > 0.01 ? 3e-7 : 1e-9, "m");
        return;
    }
    t->deep++;
    t->found += nearest_manifold(c, at.normal, at.distance, 0.02) < 1e-5;
    t->ratio = fmax(t->ratio, least_gap(c) / at.distance);
}

Test(manifold_closed, mesh_is_its_solid)
{
    Draw d = draw_seed(4);
    Contacts *c = malloc(sizeof *c);
    RgGeometry *shape[5] = {make_shape(RG_SHAPE_box, 0.7, 0.5, 0.4), make_shape(RG_SHAPE_capsule, 0.2, 0.5, 0),
                            make_shape(RG_SHAPE_sphere, 0.3, 0, 0), make_shape(RG_SHAPE_cylinder, 0.3, 0.5, 0),
                            make_prism(5, 0.3, 0.4)};
    for (int kind = 0; kind < SOLIDS; kind++) {
        Tally t = {0};
        for (int k = 0; k < 30; k++) {
            RgGeometry *solid, *mesh;
            make_solid(&d, kind, &solid, &mesh);
            for (int i = 0; i < 40; i++) {
                RgPlaced pair[3] = {placed(shape[i % 5], draw_pose(&d, 0.8)), placed_at(solid, 0, 0, 0),
                                    placed_at(mesh, 0, 0, 0)};
                check_pair(&d, pair, i % 2 == 0, c, &t);
            }
            rg_geometry_destroy(solid);
            rg_geometry_destroy(mesh);
        }
        cr_log_info("solid %d: least translation found in %d of %d, deepest %.2f times it", kind, t.found, t.deep,
                    t.ratio);
        cr_expect_geq(t.found, t.deep * 95 / 100, "solid %d: %d of %d", kind, t.found, t.deep);
        cr_expect_leq(t.ratio, 20.0, "solid %d", kind);
    }
    for (int k = 0; k < 5; k++)
        rg_geometry_destroy(shape[k]);
    free(c);
}

/* A box that overhangs a cliff by little, sunk in by more: pushed up or off, never into the land,
   never far. */
Test(manifold_closed, cliff_edge)
{
    Soup *s = soup_new();
    soup_box(s, vec(4, 4, 4), 6);
    RgGeometry *land = soup_geometry(s), *box = make_shape(RG_SHAPE_box, 1, 1, 1);
    Contacts *c = malloc(sizeof *c);
    for (int k = 0; k < 200; k++) {
        double over = (k - 100) * 1e-4, sunk = 1e-3;
        for (int side = 0; side < 2; side++) { /* over by a little; on by a little */
            double x = side == 0 ? 1.5 + over : 2.5 - fabs(over) - 1e-5;
            RgPlaced a = placed_at(box, x, 0.3, 2.5 - sunk), b = placed_at(land, 0, 0, 0);
            collide(&a, &b, c);
            cr_assert_geq(c->buffer.npoints, 2);
            for (int32_t i = 0; i < c->buffer.npoints; i++) {
                RgVec3 n = c->point[i].normal;
                cr_expect(n.z < -0.999 || (side == 1 && n.x < -0.7), "normal %g %g %g", n.x, n.y, n.z);
                cr_expect_geq(c->point[i].gap, -1.01e-2);
            }
        }
    }
    rg_geometry_destroy(land);
    rg_geometry_destroy(box);
    free(s);
    free(c);
}
