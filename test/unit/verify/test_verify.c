/* test_verify.c - certificates made by hand: true ones pass, and what is wrong with the others is found. */
#include "certificates.h"
#include "check_near.h"
#include "draw.h"

static const End at_origin = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};

static End moved(RgVec3 c, RgVec3 v)
{
    return (End){c, {1.0, 0.0, 0.0, 0.0}, v, {0.0, 0.0, 0.0}};
}

/* ------------------------------------------------------------------ motion that is as it should be */

/* A cube of side 0.2 falls freely on to a plane, and stops 1e-3 above it. */
static void say_fall(Paper *p)
{
    say_head(p, 1, 2);
    say(p, "shape 0 -1 -1 0 0 0 1 0 0 0 1 ground\nhalfspace\n");
    say(p, "shape 1 0 0 0 0 0 1 0 0 0 1 cube\nbox 0.2 0.2 0.2\ntouch 0 1\nstart 0 0\n");
    End a = moved(v3(0.0, 0.0, 1.0), v3(0.0, 0.0, 0.0)), b = a;
    say_at(p, 0, &a);
    double t = 0.0;
    for (int i = 0; i < 10; i++) {
        double h = 0.04, s = t + h;
        b.c.z = 1.0 - 4.905 * s * s;
        b.v.z = -9.81 * s;
        say_step(p, t, h, 0, &a, &b);
        a = b;
        t = s;
    }
    say(p, "taken 10 0 0 0\n");
}

Test(verify, free_fall_is_measured_to_the_last_digits)
{
    Paper p = {NULL, 0, 0};
    say_fall(&p);
    RgVerifyReport r = verified(&p);
    cr_expect(r.ok, "%s", r.fault);
    cr_expect_eq(r.steps, 10);
    cr_expect_eq(r.pairs, 10);
    cr_expect_eq(r.unproven, 0);
    CHECK_NEAR(r.min_distance, 1.0 - 4.905 * 0.16 - 0.1, 1e-15, "m");
    cr_expect_leq(r.min_bound, r.min_distance);
    CHECK_NEAR(r.at, 0.4, 1e-12, "s");
    cr_expect_str_eq(r.name_b, "cube");
}

/* A cube that turns about its corner with constant angular velocity, the corner at rest at a height of 5e-8 m. */
static End pivot(RgVec3 w, double t, RgVec3 corner)
{
    RgQuat start = q_exp(v3(0.5, -0.7, 0.2));
    RgQuat q = q_normalise(q_mul(q_exp(v3_scale(t, w)), start));
    RgVec3 r = m3_apply(q_matrix(q), v3(0.1, 0.1, 0.1));
    return (End){v3_add(corner, r), q, v3_cross(w, r), w};
}

Test(verify, a_cube_on_one_corner_stays_above_the_plane)
{
    Draw d = draw_seed(9);
    for (int round = 0; round < 20; round++) {
        RgVec3 w = draw_vec(&d, 5.0), corner = v3(0.3, -0.2, 5e-8);
        Paper p = {NULL, 0, 0};
        say_head(&p, 1, 2);
        say(&p, "shape 0 -1 -1 0 0 0 1 0 0 0 1 ground\nhalfspace\n");
        say(&p, "shape 1 0 0 0 0 0 1 0 0 0 1 cube\nbox 0.2 0.2 0.2\ntouch 0 1\nstart 0 0\n");
        double h = 0.01;
        End a = pivot(w, 0.0, corner);
        say_at(&p, 0, &a);
        for (int i = 0; i < 3; i++) {
            End b = pivot(w, (i + 1) * h, corner);
            say_step(&p, i * h, h, 0, &a, &b);
            a = b;
        }
        say(&p, "taken 3 0 0 0\n");
        RgVerifyReport r = verified(&p);
        cr_expect(r.ok, "%s", r.fault);
        cr_expect_eq(r.unproven, 0);
        /* A cubic leaves the true curve by |f| h^4 / 384 at most; here |f| <= |w|^4 |r|. */
        double leaves = pow(vec_norm(w) * h, 4.0) * 0.1 * sqrt(3.0) / 384.0;
        cr_expect_geq(r.min_distance, 5e-8 - leaves - 1e-13);
        cr_expect_leq(r.min_distance, 5e-8 + 1e-15);
        cr_expect_gt(r.min_bound, 0.0);
        cr_expect_leq(r.min_bound, r.min_distance);
    }
}

/* Two long boxes, crossed, one edge up and one edge down, that slide and turn along each other at a small distance. */
Test(verify, edges_that_slide_along_each_other_stay_apart)
{
    Paper p = {NULL, 0, 0};
    double s = sqrt(0.5), top = 0.2 * s, h = 0.02;
    say_head(&p, 1, 2);
    say(&p, "shape 0 -1 -1 0 0 0 %.17g %.17g 0 0 1 beam\nbox 2 0.1 0.1\n", cos(RG_PI / 8), sin(RG_PI / 8));
    say(&p, "shape 1 0 0 0 0 0 %.17g 0 %.17g 0 1 bar\nbox 0.1 2 0.1\ntouch 0 1\nstart 0 0\n", cos(RG_PI / 8),
        sin(RG_PI / 8));
    RgVec3 w = v3(0.0, 0.0, 3.0);
    End a = {v3(0.0, 0.0, top + 5e-8), q_identity(), v3(0.7, 0.1, 0.0), w}, b = a;
    say_at(&p, 0, &a);
    for (int i = 0; i < 5; i++) {
        b.c = v3_axpy((i + 1) * h, a.v, v3(0.0, 0.0, top + 5e-8));
        b.q = q_exp(v3_scale((i + 1) * h, w));
        say_step(&p, i * h, h, 0, &a, &b);
    }
    say(&p, "taken 5 0 0 0\n");
    RgVerifyReport r = verified(&p);
    cr_expect(r.ok, "%s", r.fault);
    CHECK_NEAR(r.min_distance, 5e-8, 1e-10, "m");
}

/* A ball rolls over a ball, nearly touching. */
Test(verify, balls_that_roll_on_each_other_stay_apart)
{
    Paper p = {NULL, 0, 0};
    double h = 0.05, r = 0.3 + 5e-8;
    say_head(&p, 1, 2);
    say(&p, "shape 0 -1 -1 0 0 0 1 0 0 0 1 below\nsphere 0.2\n");
    say(&p, "shape 1 0 0 0 0 0 1 0 0 0 1 above\nsphere 0.1\ntouch 0 1\nstart 0 0\n");
    End a = {v3(0.0, 0.0, r), q_identity(), v3(r, 0.0, 0.0), v3(0.0, 3.0, 0.0)}, b;
    say_at(&p, 0, &a);
    for (int i = 0; i < 5; i++) {
        double t = (i + 1) * h;
        b = (End){v3(r * sin(t), 0.0, r * cos(t)), q_exp(v3(0.0, 3.0 * t, 0.0)), v3(r * cos(t), 0.0, -r * sin(t)),
                  v3(0.0, 3.0, 0.0)};
        say_step(&p, i * h, h, 0, &a, &b);
        a = b;
    }
    say(&p, "taken 5 0 0 0\n");
    RgVerifyReport report = verified(&p);
    cr_expect(report.ok, "%s", report.fault);
    cr_expect_lt(report.min_distance, 1e-7);
    cr_expect_gt(report.min_distance, 0.0);
}

/* A ball rolls round an edge of a box, and a capsule across it: no plane that stands still in either parts them for
   long. */
Test(verify, round_shapes_go_round_an_edge)
{
    for (int capsule = 0; capsule < 2; capsule++) {
        Paper p = {NULL, 0, 0};
        double h = 0.05, r = 0.1 + 5e-8;
        say_head(&p, 1, 2);
        say(&p, "shape 0 -1 -1 -0.5 0 -0.5 1 0 0 0 1 box\nbox 1 1 1\n");
        RgQuat lie = q_exp(v3(-0.5 * RG_PI, 0.0, 0.0));
        say(&p, "shape 1 0 0 0 0 0 %.17g %.17g %.17g %.17g 1 round\n%s\ntouch 0 1\nstart 0 0\n", lie.w, lie.x, lie.y,
            lie.z, capsule ? "capsule 0.1 0.5" : "sphere 0.1");
        End a = at_origin, b;
        for (int i = -1; i < 5; i++) {
            double t = (i + 1) * h + 0.4;
            b = (End){v3(r * sin(t), 0.0, r * cos(t)), q_exp(v3(0.0, 1.0 * t, 0.0)), v3(r * cos(t), 0.0, -r * sin(t)),
                      v3(0.0, 1.0, 0.0)};
            if (i < 0)
                say_at(&p, 0, &b);
            else
                say_step(&p, i * h, h, 0, &a, &b);
            a = b;
        }
        say(&p, "taken 5 0 0 0\n");
        RgVerifyReport report = verified(&p);
        cr_expect(report.ok, "%d: %s", capsule, report.fault);
        cr_expect_lt(report.samples, 60, "few intervals do: %lld", (long long)report.samples);
        cr_expect_lt(report.min_distance, 6e-8);
        cr_expect_gt(report.min_bound, 4e-8);
    }
}

/* A projection that pushes a cube out of the way in no time: fine beside a post, not through it. */
Test(verify, pushes_are_checked_along_their_way)
{
    for (int through = 0; through < 2; through++) {
        Paper p = {NULL, 0, 0};
        say_head(&p, 1, 2);
        say(&p, "shape 0 -1 -1 0 %.17g 0 1 0 0 0 1 post\ncapsule 0.001 1\n", through ? 0.0 : 0.2);
        say(&p, "shape 1 0 0 0 0 0 1 0 0 0 1 cube\nbox 0.2 0.2 0.2\ntouch 0 1\nstart 0 0\n");
        RgVec3 none = v3_zero();
        End a = moved(v3(-0.3, 0.0, 0.0), none), b = moved(v3(0.4, 0.0, 0.0), none);
        say_at(&p, 0, &a);
        say_step(&p, 0.0, 1e-3, 0, &a, &a);
        a.v = b.v = v3_zero();
        say(&p, "push 0.001 1\nbody 0 =");
        say_twist(&p, &a);
        say_place(&p, &b);
        say_twist(&p, &b);
        say(&p, "\ntaken 2 0 0 0\n");
        RgVerifyReport r = verified(&p);
        cr_expect_eq(r.ok, through == 0, "%s", r.fault);
        cr_expect_eq(r.pushes, 1);
        CHECK_NEAR(r.largest_push, 0.7, 1e-15, "m");
        CHECK_NEAR(r.time, 1e-3, 0.0, "s");
    }
}

/* ------------------------------------------------------------------ overlaps between fine ends */

Test(verify, a_bullet_through_a_sheet_is_found)
{
    for (double speed = 10.0; speed < 2e4; speed *= 10.0) {
        Paper p = {NULL, 0, 0};
        double h = 0.02;
        say_head(&p, 1, 2);
        say(&p, "shape 0 -1 -1 0 0 0 1 0 0 0 1 sheet\nbox 0.001 1 1\n");
        say(&p, "shape 1 0 0 0 0 0 1 0 0 0 1 bullet\nsphere 0.005\ntouch 0 1\nstart 0 0\n");
        RgVec3 v = v3(speed, 0.0, 0.0);
        End a = moved(v3(-0.377 * speed * h, 0.0, 0.0), v), b = moved(v3(0.623 * speed * h, 0.0, 0.0), v);
        say_at(&p, 0, &a);
        say_step(&p, 0.0, h, 0, &a, &b);
        say(&p, "taken 1 0 0 0\n");
        RgVerifyReport r = verified(&p);
        cr_expect_not(r.ok);
        cr_expect_eq(r.missed, 1, "%g m/s: missed %lld, least %g", speed, (long long)r.missed, r.min_distance);
        cr_expect_lt(r.min_distance, 0.0);
        CHECK_NEAR(r.fault_time, 0.377 * h, 0.007 / speed, "s");
    }
}

/* A plate spins by 2.9 rad in a step beside a post at that place. */
static RgVerifyReport spin_beside_post(double place)
{
    Paper p = {NULL, 0, 0};
    double h = 0.01, w = 2.9 / h;
    say_head(&p, 1, 2);
    say(&p, "shape 0 -1 -1 0 %.17g 0 1 0 0 0 1 post\ncapsule 0.001 1\n", place);
    say(&p, "shape 1 0 0 0 0 0 1 0 0 0 1 plate\nbox 1 0.01 0.2\ntouch 0 1\nstart 0 0\n");
    End a = {v3_zero(), q_identity(), v3_zero(), v3(0.0, 0.0, w)}, b = a;
    b.q = q_exp(v3(0.0, 0.0, 2.9));
    say_at(&p, 0, &a);
    say_step(&p, 0.0, h, 0, &a, &b);
    say(&p, "taken 1 0 0 0\n");
    return verified(&p);
}

Test(verify, a_plate_that_spins_past_a_post_is_found)
{
    RgVerifyReport r = spin_beside_post(0.4);
    cr_expect_not(r.ok);
    cr_expect_eq(r.missed, 1);
}

/* The same plate beside a post that it does not reach. */
Test(verify, a_plate_that_spins_beside_a_post_passes)
{
    RgVerifyReport r = spin_beside_post(sqrt(0.25 + 0.005 * 0.005) + 0.001 + 1e-6);
    cr_expect(r.ok, "%s, %lld unproven", r.fault, (long long)r.unproven);
}

/* ------------------------------------------------------------------ joints */

/* A pendulum of constant rate, whose rod passes a post, or does not. */
static RgVerifyReport swing(double post)
{
    Paper p = {NULL, 0, 0};
    double h = 0.5, rate = 4.0, q0 = 0.3, q1 = q0 + h * rate;
    say(&p, "rigor-certificate 2\nmodel pendulum\nstepper none\ncoords minimal\ngap 1e-7\ncounts 1 1 1 2\n");
    say(&p, "body 0 -1 0.5 0 0 revolute 0 0 0 0 0 1 0 0 0 1 0 0 0 0 rod\n");
    say(&p, "shape 0 -1 -1 0 %.17g 0 1 0 0 0 1 post\ncapsule 0.001 1\n", post);
    say(&p, "shape 1 0 0 0.5 0 0 1 0 0 0 1 rod\nbox 1 0.02 0.02\ntouch 0 1\nstart 0 0\n");
    End a = {v3(0.5 * cos(q0), 0.5 * sin(q0), 0.0), q_exp(v3(0.0, 0.0, q0)), v3_zero(), v3(0.0, 0.0, rate)};
    End b = {v3(0.5 * cos(q1), 0.5 * sin(q1), 0.0), q_exp(v3(0.0, 0.0, q1)), v3_zero(), v3(0.0, 0.0, rate)};
    say_at(&p, 0, &a);
    say(&p, "step 0 %.17g rates whole -1 -1 inf 0 1\nq %.17g\nv %.17g\nbody 0 =", h, q0, rate);
    say_twist(&p, &a);
    say_place(&p, &b);
    say_twist(&p, &b);
    say(&p, "\ntaken 1 0 0 0\n");
    return verified(&p);
}

Test(verify, joints_at_constant_rates_follow_their_tree)
{
    RgVerifyReport near = swing(1.01), far = swing(1.1), through = swing(0.9);
    cr_expect(near.ok, "%s", near.fault);
    cr_expect(far.ok, "%s", far.fault);
    cr_expect_eq(near.jumps, 0);
    cr_expect_not(through.ok);
    cr_expect_eq(through.missed, 1);
    double least = 1.01 - sqrt(1.0 + 0.01 * 0.01) - 0.001;
    cr_expect_geq(near.min_distance, least);
    cr_expect_lt(near.min_distance, least + 0.02);
    cr_expect_leq(near.min_bound, least);
}

/* ------------------------------------------------------------------ jumps, events */

Test(verify, bodies_that_jump_are_found)
{
    Paper p = {NULL, 0, 0};
    say_head(&p, 1, 0);
    say(&p, "start 0 0\n");
    End a = moved(v3_zero(), v3(1.0, 0.0, 0.0)), b = moved(v3(0.1, 0.0, 0.0), v3(1.0, 0.0, 0.0));
    say_at(&p, 0, &a);
    say_step(&p, 0.0, 0.1, 0, &a, &b);
    /* Begins a nanometre beside where it was. */
    say(&p, "step 0.1 0.1 curve whole -1 -1 inf inf 1\nbody 0");
    End beside = b, c = moved(v3(0.2, 0.0, 0.0), v3(1.0, 0.0, 0.0));
    beside.c.y = 1e-9;
    say_place(&p, &beside);
    say_twist(&p, &beside);
    say_place(&p, &c);
    say_twist(&p, &c);
    say(&p, "\n");
    /* And a step that begins too late. */
    End d = moved(v3(0.3, 0.0, 0.0), v3(1.0, 0.0, 0.0));
    say_step(&p, 0.25, 0.1, 0, &c, &d);
    say(&p, "taken 3 0 0 0\n");
    RgVerifyReport r = verified(&p);
    cr_expect_not(r.ok);
    cr_expect_eq(r.jumps, 2);
    cr_expect(strstr(r.fault, "does not begin where") != NULL, "%s", r.fault);
}

Test(verify, pairs_that_may_not_touch_may_overlap)
{
    for (int may = 0; may < 2; may++) {
        Paper p = {NULL, 0, 0};
        say_head(&p, 2, 2);
        say(&p, "shape 0 0 0 0 0 0 1 0 0 0 1 a\nbox 1 1 1\nshape 1 1 1 0 0 0 1 0 0 0 1 b\nbox 1 1 1\n");
        say(&p, "%sstart 0 0\n", may ? "touch 0 1\n" : "");
        End a = moved(v3_zero(), v3(1.0, 0.0, 0.0)), b = moved(v3(0.1, 0.0, 0.0), v3(1.0, 0.0, 0.0));
        say_at(&p, 0, &a);
        say_at(&p, 1, &at_origin);
        say_step(&p, 0.0, 0.1, 0, &a, &b);
        say(&p, "taken 1 0 0 0\n");
        RgVerifyReport r = verified(&p);
        cr_expect_eq(r.ok, !may);
        cr_expect_eq(r.missed, may);
        if (may)
            CHECK_NEAR(r.min_distance, -1.0, 1e-12, "m");
    }
}

/* ------------------------------------------------------------------ files that are not whole */

static void expect_error(const char *text, size_t size, RgStatus status, const char *words)
{
    RgVerifyReport report;
    RgError error;
    cr_expect_eq(rg_verify_text("bad", text, size, NULL, &report, &error), status, "%s", error.text);
    cr_expect(strstr(error.text, words) != NULL, "'%s' in '%s'", words, error.text);
    cr_expect_not(report.ok);
}

Test(verify, cut_and_altered_files_are_refused)
{
    Paper p = {NULL, 0, 0};
    say_fall(&p);
    say_end(&p);
    for (size_t size = 0; size < p.size; size += 7) {
        RgVerifyReport report;
        RgError error;
        cr_expect_neq(rg_verify_text("cut", p.text, size, NULL, &report, &error), RG_OK, "at %zu", size);
    }
    Draw d = draw_seed(3);
    for (int i = 0; i < 300; i++) {
        size_t at = (size_t)draw_below(&d, (int)p.size);
        char was = p.text[at];
        p.text[at] = (char)(p.text[at] ^ (1 << draw_below(&d, 7)));
        RgVerifyReport report;
        RgError error;
        cr_expect_neq(rg_verify_text("altered", p.text, p.size, NULL, &report, &error), RG_OK, "at %zu", at);
        p.text[at] = was;
    }
    expect_error(p.text, p.size - 3, RG_ERR_SYNTAX, "cut short");
    expect_error("", 0, RG_ERR_SYNTAX, "cut short");
    char *digit = strstr(p.text, "0.04");
    digit[3] = '5';
    expect_error(p.text, p.size, RG_ERR_SYNTAX, "altered");
    free(p.text);
}

/* Lines that are wrong though the checksum is right. */
Test(verify, bad_lines_are_told_with_their_number)
{
    static const struct {
        const char *line, *words;
        RgStatus status;
    } bad[] = {
        {"step nan 0.1 curve whole -1 -1 inf inf 0\n", "not finite", RG_ERR_NOT_FINITE},
        {"push 0 0.5\n", "whole number", RG_ERR_SYNTAX},
        {"plain 0 0 whole 0\n", "not above 0", RG_ERR_SYNTAX},
        {"plain 0 0.1 whole 1\n", "body", RG_ERR_SYNTAX},
        {"taken 0 0 0\n", "end of the line", RG_ERR_SYNTAX},
        {"event 0 touch 0 0 0 0 0 0 0 0 0 0 1 0 0 -1 -1\n", "whole number", RG_ERR_SYNTAX},
        {"event 0 limit 0 -1 -1 -1 -1 0 0 0 0 0 1 0 0 -1 -1\n", "of a joint does not say", RG_ERR_SYNTAX},
        {"step 0 -0.1 curve whole -1 -1 inf inf 0\n", "not above 0", RG_ERR_SYNTAX},
        {"step 0 0.1 line whole -1 -1 inf inf 0\n", "curve or rates", RG_ERR_SYNTAX},
        {"step 0 0.1 curve whole -1 -1 inf inf 2\n", "whole number", RG_ERR_SYNTAX},
        {"step 0 0.1 curve whole -1 -1 inf inf 1\nbody 0 = 0 0 0\n", "end of the line", RG_ERR_SYNTAX},
        {"step 0 0.1 curve whole -1 -1 inf inf 0 5\n", "goes on", RG_ERR_SYNTAX},
        {"step 0 0.1 curve whole -1 -1 inf inf 1\nbody 0 = 0 0 0 0 0 0 0 0 0 2 0 0 0 0 0 0 0 0 0\n", "norm 1",
         RG_ERR_SYNTAX},
        {"stop\n", "expected step", RG_ERR_SYNTAX},
        {"event 0 bang 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n", "unknown 'bang'", RG_ERR_SYNTAX},
        {"taken 1 0 0 0\n", "other numbers", RG_ERR_SYNTAX},
        {"step 0 0.1 curve whole -1 -1 inf inf 0\n", "not followed", RG_ERR_SYNTAX},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        Paper p = {NULL, 0, 0};
        say_head(&p, 1, 0);
        say(&p, "start 0 0\n");
        say_at(&p, 0, &at_origin);
        say(&p, "%s", bad[i].line);
        say_end(&p);
        RgVerifyReport report;
        RgError error;
        cr_expect_eq(rg_verify_text("bad", p.text, p.size, NULL, &report, &error), bad[i].status, "%s: %s", bad[i].line,
                     error.text);
        cr_expect(strstr(error.text, bad[i].words) != NULL, "'%s' in '%s'", bad[i].words, error.text);
        cr_expect_geq(error.line, 10, "%d", error.line);
        free(p.text);
    }
}

Test(verify, polytopes_are_not_trusted)
{
    static const char *const bad[] = {
        /* a corner outside, a face that is missing, one turned over */
        ("polytope 5 4\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 2 2 2\nf 3 0 2 1\nf 3 0 1 3\nf 3 1 2 3\nf 3 2 "
         "0 "
         "3\n"),
        "polytope 4 4\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 3 0 2 1\nf 3 0 1 3\nf 3 1 2 3\nf 3 1 2 3\n",
        "polytope 4 4\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 3 0 1 2\nf 3 0 1 3\nf 3 1 2 3\nf 3 2 0 3\n",
    };
    for (int i = 0; i < 3; i++) {
        Paper p = {NULL, 0, 0};
        say_head(&p, 1, 1);
        say(&p, "shape 0 0 0 0 0 0 1 0 0 0 1 odd\n%sstart 0 0\n", bad[i]);
        say_at(&p, 0, &at_origin);
        say_end(&p);
        RgVerifyReport report;
        RgError error;
        cr_expect_eq(rg_verify_text("bad", p.text, p.size, NULL, &report, &error), RG_ERR_MODEL, "%d: %s", i,
                     error.text);
        free(p.text);
    }
}
