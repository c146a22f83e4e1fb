/* test_mass_properties.c - mass, centre and inertia of shapes against integration, meshes and laws. */
#include "check_near.h"
#include "solids.h"

/* Ten numbers of an inertia: mass, centre, moments. */
#define INERTIA_NUMBERS 10

static void inertia_numbers(RgInertia in, double out[INERTIA_NUMBERS])
{
    const double all[] = {in.mass, in.com.x, in.com.y, in.com.z, in.I.xx, in.I.yy, in.I.zz, in.I.xy, in.I.xz, in.I.yz};
    for (int i = 0; i < INERTIA_NUMBERS; i++)
        out[i] = all[i];
}

static void expect_same_inertia(RgInertia actual, RgInertia expected, double tolerance)
{
    double numbers[INERTIA_NUMBERS], wanted[INERTIA_NUMBERS];
    inertia_numbers(actual, numbers);
    inertia_numbers(expected, wanted);
    CHECK_NEAR_ALL(numbers, wanted, INERTIA_NUMBERS, tolerance, "kg, m or kg m^2");
}

static RgInertia weigh(RgShapeDef def, double density)
{
    RgInertia in = {0};
    cr_expect_eq(rg_shape_inertia(&def, density, &in), RG_OK, "%s", rg_shape_type_name(def.type));
    return in;
}

/* Volume, first and second moments of the points inside, each with the sample's own standard error: 200 000
   seeded points of the bounding box, agreement within 5 standard errors (a chance of 6e-7 a number). */
Test(mass_properties, closed_forms_match_monte_carlo)
{
    enum { SAMPLES = 200000 };
    RgRandom random = rg_random_seed(1);
    for (int k = 0; k < SOLID_COUNT; k++) {
        Solid s = solid(k);
        RgShape view = rg_shape_view(&s.def);
        RgBounds box = rg_shape_kind(s.def.type)->bounds(&view);
        RgVec3 l = v3_sub(box.high, box.low);
        double B = l.x * l.y * l.z, sum[INERTIA_NUMBERS] = {0.0}, squares[INERTIA_NUMBERS] = {0.0};
        for (int i = 0; i < SAMPLES; i++) {
            RgVec3 x = random_point(&random, box);
            if (!s.inside(s.def.size, x))
                continue;
            double f[INERTIA_NUMBERS];
            inertia_numbers((RgInertia){1.0, x, s3_point_inertia(x)}, f);
            for (int j = 0; j < INERTIA_NUMBERS; j++) {
                sum[j] += B * f[j];
                squares[j] += B * f[j] * B * f[j];
            }
        }
        double exact[INERTIA_NUMBERS];
        inertia_numbers(weigh(s.def, 1.0), exact);
        for (int j = 0; j < INERTIA_NUMBERS; j++) {
            double mean = sum[j] / SAMPLES, variance = squares[j] / SAMPLES - mean * mean;
            CHECK_NEAR(mean, exact[j], 5.0 * sqrt(variance / SAMPLES) + 1e-12, "of the shape's moments");
        }
    }
}

/* Squared half axes of a round solid's slice at height z, as a part of the largest. */
static double slice_part(const RgShapeDef *def, double z)
{
    if (def->type == RG_SHAPE_cylinder)
        return 1.0;
    if (def->type == RG_SHAPE_ellipsoid)
        return 1.0 - z * z / (def->size[2] * def->size[2]);
    double beyond = def->type == RG_SHAPE_capsule ? fmax(fabs(z) - def->size[1] / 2, 0.0) : z;
    return 1.0 - beyond * beyond / (def->size[0] * def->size[0]);
}

/* Elliptic slices of half axes a, b: dV = pi a b dz, dIxx = (b^2/4 + z^2) dV, dIzz = (a^2 + b^2)/4 dV. They
   are polynomials of z, also between the ends of the capsule's segment, which fall on slices 500 and 2300:
   Simpson's rule sums them to 1e-13. */
Test(mass_properties, round_solids_match_their_slices)
{
    enum { SLICES = 2800 };
    for (int k = 0; k < SOLID_COUNT; k++) {
        RgShapeDef def = solid(k).def;
        if (def.type == RG_SHAPE_box)
            continue;
        RgShape view = rg_shape_view(&def);
        RgBounds box = rg_shape_kind(def.type)->bounds(&view);
        RgInertia sum = {.mass = 0.0};
        for (int i = 0; i <= SLICES; i++) {
            double z = box.high.z * (2.0 * i / SLICES - 1.0), part = fmax(slice_part(&def, z), 0.0);
            double weight = (i == 0 || i == SLICES ? 1.0 : i % 2 == 1 ? 4.0 : 2.0) / 3.0;
            double aa = part * box.high.x * box.high.x, bb = part * box.high.y * box.high.y;
            double dV = weight * RG_PI * sqrt(aa * bb) * 2.0 * box.high.z / SLICES;
            sum.mass += dV;
            sum.I = s3_add(sum.I, s3_scale(dV, (RgSym3){bb / 4 + z * z, aa / 4 + z * z, (aa + bb) / 4, 0, 0, 0}));
        }
        expect_same_inertia(weigh(def, 1.0), sum, 1e-13);
    }
}

/* The same box as 12 triangles, in its own frame and far from it. */
Test(mass_properties, box_mesh_equals_box)
{
    RgShapeDef box = {.type = RG_SHAPE_box, .size = {0.3, 1.1, 0.6}};
    Mesh mesh = {.nfaces = 0};
    mesh_add_box(&mesh, v3_zero(), v3(0.3, 1.1, 0.6));
    expect_same_inertia(weigh(mesh_def(&mesh), 2.0), weigh(box, 2.0), 1e-14);
}

/* Vertices of a mesh as a polytope. */
static RgShapeDef polytope_def(const Mesh *mesh)
{
    RgShapeDef def = mesh_def(mesh);
    def.type = RG_SHAPE_polytope;
    def.mesh.faces = NULL;
    def.mesh.nfaces = 0;
    return def;
}

/* The hull of eight corners is the box; of four the tetrahedron: V = abc/6, and about the corner Ixx = m (b^2
   + c^2)/10, Ixy = -m ab/20. */
Test(mass_properties, polytopes_of_closed_form)
{
    RgShapeDef box = {.type = RG_SHAPE_box, .size = {0.3, 1.1, 0.6}};
    Mesh mesh = {.nfaces = 0};
    mesh_add_box(&mesh, v3_zero(), v3(0.3, 1.1, 0.6));
    mesh_add_vertex(&mesh, v3(0.1, 0.2, 0.1));
    expect_same_inertia(weigh(polytope_def(&mesh), 2.0), weigh(box, 2.0), 1e-14);

    double a = 0.7, b = 1.3, c = 0.4, m = a * b * c / 6.0;
    mesh = (Mesh){.nfaces = 0};
    const RgVec3 corners[4] = {{0.0, 0.0, 0.0}, {a, 0.0, 0.0}, {0.0, b, 0.0}, {0.0, 0.0, c}};
    for (int i = 0; i < 4; i++)
        mesh_add_vertex(&mesh, corners[i]);
    RgVec3 com = v3(a / 4.0, b / 4.0, c / 4.0);
    RgSym3 corner = {m * (b * b + c * c) / 10.0, m * (a * a + c * c) / 10.0, m * (a * a + b * b) / 10.0,
                     -m * a * b / 20.0,          -m * a * c / 20.0,          -m * b * c / 20.0};
    RgInertia wanted = {m, com, s3_add(corner, s3_scale(-m, s3_point_inertia(com)))};
    expect_same_inertia(weigh(polytope_def(&mesh), 1.0), wanted, 1e-15);
}

/* A regular n-gon of radius r has the area n/2 r^2 sin(2 pi/n) and the polar moment m r^2/6 (2 + cos(2
   pi/n)). */
Test(mass_properties, prisms_of_closed_form)
{
    for (int n = 3; n < 40; n += 4) {
        double r = 0.8, h = 0.5, turn = 2.0 * RG_PI / n;
        Mesh mesh = {.nfaces = 0};
        for (int i = 0; i < 2 * n; i++)
            mesh_add_vertex(&mesh, v3(r * cos(turn * i), r * sin(turn * i), i < n ? 0.5 * h : -0.5 * h));
        double m = 0.5 * n * r * r * sin(turn) * h, polar = m * r * r * (2.0 + cos(turn)) / 6.0;
        RgInertia wanted = {.mass = m, .I = {.zz = polar}};
        wanted.I.xx = wanted.I.yy = 0.5 * polar + m * h * h / 12.0;
        expect_same_inertia(weigh(polytope_def(&mesh), 1.0), wanted, 1e-14);
    }
}

/* A convex mesh and the hull of its vertices are one solid, mirrored or not. */
Test(mass_properties, hull_of_a_convex_mesh_is_the_mesh)
{
    static Mesh mesh;
    mesh.nvertices = mesh.nfaces = 0;
    const int32_t octahedron[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                      {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    for (int i = 0; i < 6; i++)
        mesh_add_vertex(&mesh, v3(i == 0   ? 1.0
                                  : i == 1 ? -1.0
                                           : 0.1,
                                  i == 2   ? 0.8
                                  : i == 3 ? -0.7
                                           : 0.2,
                                  i == 4   ? 1.2
                                  : i == 5 ? -0.9
                                           : 0.0));
    for (int i = 0; i < 8; i++)
        mesh_add_face(&mesh, octahedron[i][0], octahedron[i][1], octahedron[i][2]);
    RgShapeDef solid_mesh = mesh_def(&mesh), hull = polytope_def(&mesh);
    expect_same_inertia(weigh(hull, 3.0), weigh(solid_mesh, 3.0), 1e-14);
    solid_mesh.size[0] = hull.size[0] = -0.5;
    expect_same_inertia(weigh(hull, 3.0), weigh(solid_mesh, 3.0), 1e-14);
}

/* A polyhedron inscribed in a sphere misses its volume and inertia by O(edge^2): each halving quarters the
   error. */
Test(mass_properties, sphere_mesh_converges_by_square)
{
    RgInertia exact = weigh((RgShapeDef){.type = RG_SHAPE_sphere, .size = {0.5}}, 3.0);
    double last_mass = 0.0, last_moment = 0.0;
    for (int n = 16; n <= 64; n *= 2) {
        /* Rings of n vertices from pole to pole, n/2 bands. */
        static Mesh mesh;
        mesh.nvertices = mesh.nfaces = 0;
        int32_t south = mesh_add_vertex(&mesh, v3(0.0, 0.0, -0.5)), north = mesh_add_vertex(&mesh, v3(0.0, 0.0, 0.5));
        for (int i = 1; i < n / 2; i++)
            for (int j = 0; j < n; j++) {
                double up = RG_PI * (2.0 * i / n - 0.5), round = 2.0 * RG_PI * j / n;
                mesh_add_vertex(&mesh, v3_scale(0.5, v3(cos(up) * cos(round), cos(up) * sin(round), sin(up))));
            }
        for (int j = 0; j < n; j++) {
            int32_t here = 2 + j, next = 2 + (j + 1) % n;
            mesh_add_face(&mesh, south, next, here);
            for (int i = 1; i < n / 2 - 1; i++, here += n, next += n) {
                mesh_add_face(&mesh, here, next, next + n);
                mesh_add_face(&mesh, here, next + n, here + n);
            }
            mesh_add_face(&mesh, here, next, north);
        }
        RgInertia in = weigh(mesh_def(&mesh), 3.0);
        expect_same_inertia(weigh(polytope_def(&mesh), 3.0), in, 1e-14);
        double mass_error = exact.mass - in.mass, moment_error = exact.I.zz - in.I.zz;
        if (n > 16) {
            CHECK_NEAR(last_mass / mass_error, 4.0, 0.1, "");
            CHECK_NEAR(last_moment / moment_error, 4.0, 0.2, "");
        }
        last_mass = mass_error;
        last_moment = moment_error;
    }
}

/* A mesh carried by a rigid motion has the carried inertia, near (round-off of the size) and 1 km away (of
   the distance). */
Test(mass_properties, moved_mesh_obeys_the_parallel_axis_rule)
{
    RgRandom random = rg_random_seed(2);
    const double reach[] = {2.0, 1e3}, tolerance[] = {2e-15, 1e-12};
    for (int k = 0; k < 2; k++) {
        Mesh mesh = {.nfaces = 0};
        mesh_add_box(&mesh, v3(0.1, 0.2, 0.3), v3(0.3, 1.1, 0.6));
        RgInertia before = weigh(mesh_def(&mesh), 5.0);
        RgPose X = random_pose(&random, reach[k]);
        for (int32_t i = 0; i < mesh.nvertices; i++) {
            double *p = mesh.vertices + 3 * i;
            RgVec3 x = pose_apply(X, v3(p[0], p[1], p[2]));
            p[0] = x.x;
            p[1] = x.y;
            p[2] = x.z;
        }
        RgInertia after = weigh(mesh_def(&mesh), 5.0), expected = inertia_transform(X, before);
        CHECK_NEAR(v3_norm(v3_sub(after.com, expected.com)), 0.0, tolerance[k], "m");
        after.com = expected.com;
        expect_same_inertia(after, expected, tolerance[k]);
    }
}

/* Two boxes that share no face, and a box with a box-shaped hollow: sums and differences of boxes. */
Test(mass_properties, mesh_of_parts_is_the_sum_of_its_parts)
{
    RgInertia one = weigh((RgShapeDef){.type = RG_SHAPE_box, .size = {1.0, 1.0, 1.0}}, 1.0);
    RgInertia two = weigh((RgShapeDef){.type = RG_SHAPE_box, .size = {0.2, 0.4, 0.6}}, 1.0);
    two.com = v3(0.1, -0.2, 0.15);
    Mesh mesh = {.nfaces = 0};
    mesh_add_box(&mesh, two.com, v3(0.2, 0.4, 0.6));
    mesh_turn_inside_out(&mesh);
    mesh_add_box(&mesh, v3_zero(), v3(1.0, 1.0, 1.0));
    RgInertia hollow = weigh(mesh_def(&mesh), 1.0);
    expect_same_inertia(inertia_add(hollow, two), one, 1e-15);

    RgInertia away = one;
    away.com = v3(3.0, 1.0, 0.0);
    mesh = (Mesh){.nfaces = 0};
    mesh_add_box(&mesh, v3_zero(), v3(1.0, 1.0, 1.0));
    mesh_add_box(&mesh, away.com, v3(1.0, 1.0, 1.0));
    expect_same_inertia(weigh(mesh_def(&mesh), 1.0), inertia_add(one, away), 1e-14);
}

/* k times larger: k^3 the mass, k^5 the moments; k times denser: k times both. */
Test(mass_properties, scaling_laws)
{
    const double k = 1.7;
    Mesh mesh = {.nfaces = 0};
    mesh_add_box(&mesh, v3(0.1, 0.0, -0.2), v3(0.3, 0.5, 0.7));
    for (int i = 0; i <= SOLID_COUNT; i++) {
        RgShapeDef def = i < SOLID_COUNT ? solid(i).def : mesh_def(&mesh), larger = def;
        for (int j = 0; j < 3; j++)
            larger.size[j] *= k;
        RgInertia in = weigh(def, 2.0);
        RgInertia grown = {k * k * k * in.mass, v3_scale(k, in.com), s3_scale(pow(k, 5.0), in.I)};
        expect_same_inertia(weigh(larger, 2.0), grown, 2e-14);
        RgInertia denser = {k * in.mass, in.com, s3_scale(k, in.I)};
        expect_same_inertia(weigh(def, 2.0 * k), denser, 2e-15);
    }
}

/* Limits in which one shape is another. */
Test(mass_properties, shapes_that_are_others)
{
    RgShapeDef sphere = {.type = RG_SHAPE_sphere, .size = {0.3}};
    RgShapeDef ball = {.type = RG_SHAPE_ellipsoid, .size = {0.3, 0.3, 0.3}};
    RgShapeDef stub = {.type = RG_SHAPE_capsule, .size = {0.3, 0.0}};
    expect_same_inertia(weigh(ball, 1.0), weigh(sphere, 1.0), 1e-16);
    expect_same_inertia(weigh(stub, 1.0), weigh(sphere, 1.0), 1e-16);
}

/* Stretched and mirrored by its scale, and with every face owning its three vertices, a mesh is the same
   solid. */
Test(mass_properties, mesh_scale_mirror_and_repeated_vertices)
{
    Mesh mesh = {.nfaces = 0}, loose = {.nfaces = 0};
    mesh_add_box(&mesh, v3_zero(), v3(1.0, 1.0, 1.0));
    RgShapeDef def = mesh_def(&mesh), box = {.type = RG_SHAPE_box, .size = {0.3, 1.1, 0.6}};
    def.size[0] = 0.3;
    def.size[1] = -1.1;
    def.size[2] = 0.6;
    expect_same_inertia(weigh(def, 2.0), weigh(box, 2.0), 1e-15);

    for (int32_t i = 0; i < 3 * mesh.nfaces; i++) {
        const double *p = mesh.vertices + 3 * mesh.faces[i];
        mesh_add_vertex(&loose, v3(p[0], p[1], p[2]));
        if (i % 3 == 2)
            mesh_add_face(&loose, i - 2, i - 1, i);
    }
    expect_same_inertia(weigh(mesh_def(&loose), 1.0), weigh(mesh_def(&mesh), 1.0), 0.0);
}

static void expect_refused(RgShapeDef def, double density, RgStatus status, const char *what)
{
    RgInertia in = {.mass = 42.0};
    cr_expect_eq(rg_shape_inertia(&def, density, &in), status, "%s", what);
    cr_expect_eq(in.mass, 42.0, "%s: the output is left alone", what);
}

/* Shapes that enclose nothing have no mass. */
Test(mass_properties, shapes_without_volume_are_unsupported)
{
    const double heights[4] = {0.0, 1.0, 2.0, 3.0};
    expect_refused((RgShapeDef){.type = RG_SHAPE_halfspace}, 1.0, RG_ERR_UNSUPPORTED, "half-space");
    expect_refused(
        (RgShapeDef){.type = RG_SHAPE_heightfield, .size = {1, 1, 1}, .heights = heights, .rows = 2, .columns = 2}, 1.0,
        RG_ERR_UNSUPPORTED, "height field");
    expect_refused((RgShapeDef){.type = RG_SHAPE_box, .size = {1, 1, 0}}, 1.0, RG_ERR_UNSUPPORTED, "plate");
    expect_refused((RgShapeDef){.type = RG_SHAPE_mesh, .uri_missing = true}, 1.0, RG_ERR_UNSUPPORTED, "file not found");

    Mesh mesh = {.nfaces = 0};
    mesh_add_box(&mesh, v3_zero(), v3(1.0, 1.0, 1.0));
    mesh.nfaces--;
    expect_refused(mesh_def(&mesh), 1.0, RG_ERR_UNSUPPORTED, "a face missing");
    mesh.nfaces++;
    int32_t turned = mesh.faces[0];
    mesh.faces[0] = mesh.faces[1];
    mesh.faces[1] = turned;
    expect_refused(mesh_def(&mesh), 1.0, RG_ERR_UNSUPPORTED, "a face turned over");

    mesh = (Mesh){.nfaces = 0};
    mesh_add_box(&mesh, v3_zero(), v3(1.0, 1.0, 1.0));
    mesh_turn_inside_out(&mesh);
    expect_refused(mesh_def(&mesh), 1.0, RG_ERR_UNSUPPORTED, "inside out");
    mesh = (Mesh){.nfaces = 0};
    mesh_add_box(&mesh, v3(0.1, 0.2, 0.3), v3(1.0, 1.0, 0.0));
    expect_refused(mesh_def(&mesh), 1.0, RG_ERR_UNSUPPORTED, "closed but flat");
    expect_refused(polytope_def(&mesh), 1.0, RG_ERR_UNSUPPORTED, "vertices in a plane");
}

Test(mass_properties, bad_numbers_are_refused)
{
    RgShapeDef box = {.type = RG_SHAPE_box, .size = {1, 1, 1}};
    expect_refused(box, 0.0, RG_ERR_ARGUMENT, "density 0");
    expect_refused(box, -1.0, RG_ERR_ARGUMENT, "negative density");
    expect_refused(box, (double)NAN, RG_ERR_ARGUMENT, "density not a number");
    expect_refused((RgShapeDef){.type = RG_SHAPE_COUNT}, 1.0, RG_ERR_ARGUMENT, "no such kind");
    expect_refused((RgShapeDef){.type = RG_SHAPE_sphere, .size = {-1}}, 1.0, RG_ERR_ARGUMENT, "negative radius");
    expect_refused((RgShapeDef){.type = RG_SHAPE_sphere, .size = {1e150}}, 1.0, RG_ERR_NOT_FINITE, "overflow");
    expect_refused((RgShapeDef){.type = RG_SHAPE_polytope, .size = {1, 1, 1}}, 1.0, RG_ERR_ARGUMENT, "no vertices");
    RgInertia in;
    cr_expect_eq(rg_shape_inertia(NULL, 1.0, &in), RG_ERR_ARGUMENT);
    cr_expect_eq(rg_shape_inertia(&box, 1.0, NULL), RG_ERR_ARGUMENT);
}
