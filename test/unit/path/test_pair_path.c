/*
 * test_pair_path.c - what is proven holds at thousands of times; what comes down is stopped within half its floor of
 * it.
 */
#include "path_fixture.h"

#define GAP 1e-7

static const RgPathRule rule = {GAP, 0.5 * GAP};

static RgPathProof prove(const RgPathShape *a, const RgPathShape *b, double h)
{
    RgPathProof proof;
    cr_assert_eq(rg_pair_path_prove(a, b, h, &rule, NULL, &proof), RG_OK);
    return proof;
}

/* Two drawn shapes that begin apart and move towards each other, tumbling. */
typedef struct Meeting {
    RgGeometry *ga, *gb;
    RgBodyPath path_a, path_b;
    RgPathShape a, b;
    double h;
} Meeting;

static void meeting_draw(Draw *d, ShapeChoice ca, ShapeChoice cb, double spin, Meeting *m)
{
    m->h = pow(10.0, draw_between(d, -3.0, -1.0));
    double start = draw_between(d, 1.05, 2.5), speed = draw_between(d, 0.5, 2.0) * start / m->h;
    RgVec3 way = draw_direction(d);
    m->ga = geometry_draw(d, ca);
    m->gb = geometry_draw(d, cb);
    RgPose X_A = draw_pose(d, 0.0), X_B = draw_pose(d, 0.0);
    X_B.p = v3_scale(start, way);
    RgVec3 w_a = draw_vec(d, spin / m->h), w_b = draw_vec(d, spin / m->h);
    m->path_b = path_draw(d, X_B, v3_scale(-speed, v3_axpy(0.2, draw_vec(d, 1.0), way)), w_b, m->h, 0.2);
    m->b = (RgPathShape){m->gb, pose_identity(), &m->path_b};
    m->a = (RgPathShape){m->ga, X_A, NULL};
    if (ca == CHOICE_HALFSPACE) { /* plane half way */
        m->a.X_BS = (RgPose){m3_align_z(way), v3_zero()};
        return;
    }
    if (draw_chance(d, 0.7)) {
        m->path_a = path_draw(d, X_A, draw_vec(d, 0.3 * speed), w_a, m->h, 0.2);
        m->a = (RgPathShape){m->ga, pose_identity(), &m->path_a};
    }
}

static void meeting_end(Meeting *m)
{
    rg_geometry_destroy(m->ga);
    rg_geometry_destroy(m->gb);
}

/* A pair's proof against thousands of distances. */
static void check_meeting(Meeting *m, int count, const char *what, int *landed, int *tight)
{
    double start = distance_at(&m->a, &m->b, 0.0);
    if (!(start > 0.0))
        return;
    RgPathProof proof = prove(&m->a, &m->b, m->h);
    double least = least_by_asking(&m->a, &m->b, proof.time, count);
    cr_expect_geq(least, proof.least - 1e-12, "%s: distance %g, proven %g", what, least, proof.least);
    if (start > GAP)
        cr_expect_geq(proof.least, 0.5 * GAP, "%s", what);
    if (proof.time >= m->h) {
        /* What passes is told to be so near by a quarter, at the worst. */
        if (start > GAP && proof.pieces > 0)
            cr_expect_geq(proof.least, 0.24 * least, "%s: %g m proven, %g m met", what, proof.least, least);
        return;
    }
    double at = distance_at(&m->a, &m->b, proof.time);
    (*landed)++;
    *tight += at <= 1.5 * 0.5 * GAP;
    cr_expect_leq(at, 1.5 * 0.5 * GAP, "%s: stopped at %g of %g s, %g m apart after %d planes", what, proof.time, m->h,
                  at, proof.pieces);
}

static void check_choice(ShapeChoice a, ShapeChoice b, double spin, int runs, int count)
{
    int landed = 0, tight = 0;
    for (int n = 0; n < runs; n++) {
        Draw d = draw_seed((uint64_t)(1000 * (CHOICES * (int)a + (int)b) + n));
        Meeting m;
        char what[80];
        meeting_draw(&d, a, b, spin, &m);
        snprintf(what, sizeof what, "shapes %d, %d, case %d", (int)a, (int)b, n);
        check_meeting(&m, count, what, &landed, &tight);
        meeting_end(&m);
    }
    cr_expect_gt(landed, runs / 10, "shapes %d, %d: only %d of %d met", (int)a, (int)b, landed, runs);
}

Test(pair_path, half_space_meets_all)
{
    for (int b = CHOICE_BOX; b < CHOICE_HALFSPACE; b++)
        check_choice(CHOICE_HALFSPACE, (ShapeChoice)b, 0.3, 40, 2000);
}

Test(pair_path, polytopes_meet)
{
    for (int a = CHOICE_BOX; a <= CHOICE_HULL_20; a++)
        for (int b = a; b <= CHOICE_SPHERE; b++)
            check_choice((ShapeChoice)a, (ShapeChoice)b, 0.3, 20, 1000);
}

Test(pair_path, round_shapes_meet)
{
    for (int a = CHOICE_SPHERE; a <= CHOICE_ELLIPSOID; a++)
        for (int b = a; b <= CHOICE_ELLIPSOID; b++)
            check_choice((ShapeChoice)a, (ShapeChoice)b, 0.3, 20, 500);
    for (int b = CHOICE_CAPSULE; b <= CHOICE_ELLIPSOID; b++)
        for (int a = CHOICE_BOX; a <= CHOICE_HULL_20; a++)
            check_choice((ShapeChoice)a, (ShapeChoice)b, 0.3, 10, 500);
}

Test(pair_path, fast_spins)
{
    for (int a = CHOICE_BOX; a <= CHOICE_HULL_20; a++)
        check_choice((ShapeChoice)a, CHOICE_BOX, 1.2, 20, 1000);
    check_choice(CHOICE_HALFSPACE, CHOICE_BOX, 1.2, 20, 1000);
}

/* Other gaps, from a tenth of a millimetre to a thousand atoms. */
Test(pair_path, gaps_of_any_size)
{
    int landed = 0;
    for (int n = 0; n < 120; n++) {
        Draw d = draw_seed((uint64_t)(30000 + n));
        RgPathRule other = {.gap = pow(10.0, -4.0 - n % 7)};
        other.level = 0.5 * other.gap;
        Meeting m;
        meeting_draw(&d, n % 2 == 0 ? CHOICE_BOX : CHOICE_HALFSPACE, (ShapeChoice)(n % 5), 0.3, &m);
        RgPathProof proof;
        cr_assert_eq(rg_pair_path_prove(&m.a, &m.b, m.h, &other, NULL, &proof), RG_OK);
        if (distance_at(&m.a, &m.b, 0.0) > other.gap) {
            double least = least_by_asking(&m.a, &m.b, proof.time, 1000), at = distance_at(&m.a, &m.b, proof.time);
            cr_expect_geq(least, proof.least - 1e-13, "%d: %g, proven %g", n, least, proof.least);
            cr_expect(proof.time >= m.h || at <= 1.5 * other.level, "%d: %g m, level %g", n, at, other.level);
            landed += proof.time < m.h;
        }
        meeting_end(&m);
    }
    cr_expect_gt(landed, 30);
}
