/*
 * test_trajectory.c - trajectories: derivatives against differences, splines by what makes them splines and by their
 * ends (test_spline.py asks another library), tables in files, and what is refused.
 */
#include "check_near.h"
#include "controls.h"
#include "draw.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static RgReference one(const RgTrajectory *trajectory, double t)
{
    RgReference out[8];
    rg_trajectory_at(trajectory, t, out);
    return out[0];
}

/* Velocities and accelerations are the derivatives of positions and velocities, on every axis. */
static void check_derivatives(const RgTrajectory *trajectory, double t)
{
    const double d = 1e-5;
    RgReference before[8], at[8], after[8];
    rg_trajectory_at(trajectory, t - d, before);
    rg_trajectory_at(trajectory, t, at);
    rg_trajectory_at(trajectory, t + d, after);
    for (int k = 0; k < rg_trajectory_axes(trajectory); k++) {
        CHECK_NEAR(at[k].velocity, (after[k].position - before[k].position) / (2.0 * d), 1e-6, "1/s");
        CHECK_NEAR(at[k].acceleration, (after[k].velocity - before[k].velocity) / (2.0 * d), 1e-6, "1/s^2");
    }
}

Test(trajectory, sinusoid)
{
    const double position[] = {0.1, -2.0}, amplitude[] = {0.5, 1.5}, frequency[] = {2.0, 7.0}, phase[] = {0.3, 0.0};
    RgTrajectoryDef def = rg_trajectory_def_default();
    def.kind = "sinusoid";
    def.naxes = 2;
    def.position = position;
    def.amplitude = amplitude;
    def.frequency = frequency;
    def.phase = phase;
    RgTrajectory *trajectory = trajectory_make(&def);
    for (int i = 0; i < 50; i++) {
        RgReference out[2];
        double t = 0.173 * i - 2.0;
        rg_trajectory_at(trajectory, t, out);
        for (int k = 0; k < 2; k++)
            CHECK_NEAR(out[k].position, position[k] + amplitude[k] * sin(frequency[k] * t + phase[k]), 1e-14, "rad");
        check_derivatives(trajectory, t);
    }
    rg_trajectory_destroy(trajectory);
}

/* ------------------------------------------------------------------ splines */

#define KNOTS 9

typedef struct Drawn {
    double times[KNOTS], values[KNOTS * 2];
} Drawn;

static Drawn draw_knots(uint64_t seed)
{
    Draw draw = draw_seed(seed);
    Drawn d;
    double t = draw_between(&draw, -1.0, 1.0);
    for (int i = 0; i < KNOTS; i++) {
        d.times[i] = t;
        t += draw_between(&draw, 0.05, 0.8);
        d.values[2 * i] = draw_between(&draw, -2.0, 2.0);
        d.values[2 * i + 1] = draw_between(&draw, -2.0, 2.0);
    }
    return d;
}

static RgTrajectoryDef spline_def(const Drawn *d)
{
    RgTrajectoryDef def = rg_trajectory_def_default();
    def.kind = "spline";
    def.naxes = 2;
    def.nknots = KNOTS;
    def.times = d->times;
    def.values = d->values;
    return def;
}

/* Through the knots, with second derivatives that are the same from both sides. */
static void check_smooth(const RgTrajectory *trajectory, const Drawn *d)
{
    for (int i = 0; i < KNOTS; i++) {
        RgReference at[2], left[2], right[2];
        const double d_t = 1e-9;
        rg_trajectory_at(trajectory, d->times[i], at);
        CHECK_NEAR(at[0].position, d->values[2 * i], 1e-14, "rad");
        CHECK_NEAR(at[1].position, d->values[2 * i + 1], 1e-14, "rad");
        if (i == 0 || i == KNOTS - 1)
            continue;
        rg_trajectory_at(trajectory, d->times[i] - d_t, left);
        rg_trajectory_at(trajectory, d->times[i] + d_t, right);
        for (int k = 0; k < 2; k++) {
            CHECK_NEAR(left[k].velocity, right[k].velocity, 1e-5, "rad/s");
            CHECK_NEAR(left[k].acceleration, right[k].acceleration, 1e-3, "rad/s^2");
        }
        check_derivatives(trajectory, 0.6 * d->times[i] + 0.4 * d->times[i - 1]);
    }
}

Test(trajectory, splines_and_their_ends)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        Drawn d = draw_knots(seed);
        double first = d.times[0], last = d.times[KNOTS - 1];
        RgTrajectoryDef def = spline_def(&d);

        /* Clamped: the velocities that were given, 0 else; at rest outside. */
        const double start[] = {0.7, -1.0}, end[] = {-0.4, 2.0};
        RgTrajectory *clamped = trajectory_make(&def);
        check_smooth(clamped, &d);
        CHECK_NEAR(one(clamped, first).velocity, 0.0, 1e-13, "rad/s");
        CHECK_NEAR(one(clamped, last).velocity, 0.0, 1e-12, "rad/s");
        cr_expect(one(clamped, first - 1.0).position == d.values[0] && one(clamped, first - 1.0).velocity == 0.0);
        cr_expect(one(clamped, last + 9.0).position == d.values[2 * KNOTS - 2]);
        def.start_velocity = start;
        def.end_velocity = end;
        RgTrajectory *moving = trajectory_make(&def);
        check_smooth(moving, &d);
        CHECK_NEAR(one(moving, first).velocity, start[0], 1e-12, "rad/s");
        CHECK_NEAR(one(moving, last).velocity, end[0], 1e-12, "rad/s");

        /* Natural: no acceleration at the ends. */
        def.start_velocity = def.end_velocity = NULL;
        def.natural = true;
        RgTrajectory *natural = trajectory_make(&def);
        check_smooth(natural, &d);
        CHECK_NEAR(one(natural, first).acceleration, 0.0, 1e-10, "rad/s^2");
        CHECK_NEAR(one(natural, last).acceleration, 0.0, 1e-10, "rad/s^2");
        rg_trajectory_destroy(clamped);
        rg_trajectory_destroy(moving);
        rg_trajectory_destroy(natural);
    }
}

/* What goes round has no seam. */
Test(trajectory, periodic_spline)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        Drawn d = draw_knots(seed);
        for (int k = 0; k < 2; k++)
            d.values[2 * KNOTS - 2 + k] = d.values[k];
        RgTrajectoryDef def = spline_def(&d);
        def.periodic = true;
        RgTrajectory *trajectory = trajectory_make(&def);
        check_smooth(trajectory, &d);
        double first = d.times[0], period = d.times[KNOTS - 1] - first;
        for (int i = -3; i < 3; i++) {
            RgReference inside = one(trajectory, first + 0.3 * period);
            RgReference outside = one(trajectory, first + (0.3 + i) * period);
            CHECK_NEAR(outside.position, inside.position, 1e-11, "rad");
            CHECK_NEAR(outside.acceleration, inside.acceleration, 1e-8, "rad/s^2");
            RgReference left = one(trajectory, first + i * period - 1e-9);
            RgReference right = one(trajectory, first + i * period + 1e-9);
            CHECK_NEAR(left.velocity, right.velocity, 1e-5, "rad/s");
            CHECK_NEAR(left.acceleration, right.acceleration, 1e-3, "rad/s^2");
        }
        rg_trajectory_destroy(trajectory);
    }
}

/* A cubic is its own spline. */
Test(trajectory, spline_of_a_cubic_is_the_cubic)
{
    double times[6], values[6];
    for (int i = 0; i < 6; i++) {
        times[i] = 0.3 * i * (1.0 + 0.1 * i) - 1.0;
        values[i] = 1.0 - 2.0 * times[i] + 0.5 * times[i] * times[i] * times[i];
    }
    const double start = -2.0 + 1.5 * times[0] * times[0], end = -2.0 + 1.5 * times[5] * times[5];
    RgTrajectoryDef def = rg_trajectory_def_default();
    def.kind = "spline";
    def.naxes = 1;
    def.nknots = 6;
    def.times = times;
    def.values = values;
    def.start_velocity = &start;
    def.end_velocity = &end;
    RgTrajectory *trajectory = trajectory_make(&def);
    for (int i = 0; i <= 40; i++) {
        double t = times[0] + i / 40.0 * (times[5] - times[0]);
        RgReference out = one(trajectory, t);
        CHECK_NEAR(out.position, 1.0 - 2.0 * t + 0.5 * t * t * t, 1e-13, "rad");
        CHECK_NEAR(out.velocity, -2.0 + 1.5 * t * t, 1e-12, "rad/s");
        CHECK_NEAR(out.acceleration, 3.0 * t, 1e-11, "rad/s^2");
    }
    rg_trajectory_destroy(trajectory);
}

/* ------------------------------------------------------------------ tables in files */

/* A file with this text; its path. */
static const char *file_with(const char *text)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/rigor_trajectory_%d.csv", (int)getpid());
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
    return path;
}

static const char *const arm_names[] = {"shoulder", "elbow"};

static RgTrajectoryDef csv_def(const char *text)
{
    RgTrajectoryDef def = rg_trajectory_def_default();
    def.kind = "csv";
    def.naxes = 2;
    def.names = arm_names;
    def.file = file_with(text);
    return def;
}

Test(trajectory, table_in_a_file)
{
    RgTrajectoryDef def = csv_def("\xef\xbb\xbf# made by hand\r\n\r\nt, \"q:elbow\" ,other,shoulder\r\n"
                                  "0,1,x,10\r\n 0.5,2,,20\r\n\n# between\n1.5,0,9,5\n");
    RgTrajectory *trajectory = trajectory_make(&def);
    const double times[] = {0.0, 0.5, 1.5}, values[] = {10.0, 1.0, 20.0, 2.0, 5.0, 0.0};
    RgTrajectoryDef same = rg_trajectory_def_default();
    same.kind = "spline";
    same.naxes = 2;
    same.nknots = 3;
    same.times = times;
    same.values = values;
    RgTrajectory *twin = trajectory_make(&same);
    for (double t = -0.25; t < 2.0; t += 0.125) {
        RgReference a[2], b[2];
        rg_trajectory_at(trajectory, t, a);
        rg_trajectory_at(twin, t, b);
        cr_expect(memcmp(a, b, sizeof a) == 0);
    }
    rg_trajectory_destroy(twin);
    rg_trajectory_destroy(trajectory);
    remove(def.file);
}

/* Line and words of a refusal. */
static void check_refused(const RgTrajectoryDef *def, int line, const char *words)
{
    RgError error = {.status = RG_OK};
    cr_expect_null(rg_trajectory_create(def, &error));
    cr_expect(error.status != RG_OK);
    cr_expect_eq(error.line, line, "line %d: %s", error.line, error.text);
    cr_expect(strstr(error.text, words) != NULL, "'%s' is not in '%s'", words, error.text);
}

Test(trajectory, bad_tables)
{
    const struct {
        const char *text;
        int line;
        const char *words;
    } cases[] = {{"", 0, "names of columns"},
                 {"t,shoulder,elbow\n", 1, "no line of numbers"},
                 {"time,shoulder,elbow\n0,1,2\n", 1, "called 't', not 'time'"},
                 {"# a\nt,sholder,elbow\n0,1,2\n", 2, "no column for axis 'shoulder'; did you mean 'sholder'?"},
                 {"t,shoulder,elbow,q:elbow\n0,1,2,3\n", 1, "two columns for axis 'elbow'"},
                 {"t,shoulder,elbow\n0,1,2\n1,2\n", 3, "expected 3 numbers, found 2"},
                 {"t,shoulder,elbow\n0,1,2\n1,2,3,4\n", 3, "expected 3 numbers, found 4"},
                 {"t,shoulder,elbow\n0,1,2\n\n1,2,x3\n", 4, "column 'elbow': expected a finite number, found 'x3'"},
                 {"t,shoulder,elbow\n0,1,2\n1,nan,3\n", 3, "found 'nan'"},
                 {"t,shoulder,elbow\n0,1,2\n1,,3\n", 3, "column 'shoulder'"},
                 {"t,shoulder,elbow\n1,1,2\n1,2,3\n", 3, "times must rise"},
                 {"t,shoulder,elbow\n1,1,2\n0.5,2,3\n", 3, "0.5 s comes after 1 s"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        RgTrajectoryDef def = csv_def(cases[i].text);
        check_refused(&def, cases[i].line, cases[i].words);
        remove(def.file);
    }
    RgTrajectoryDef none = csv_def("");
    remove(none.file);
    check_refused(&none, 0, "");
    none.names = NULL;
    check_refused(&none, 0, "names of its axes");
}

Test(trajectory, bad_definitions)
{
    RgTrajectoryDef zero = {.naxes = 1};
    check_refused(&zero, 0, "rg_trajectory_def_default");
    RgTrajectoryDef def = rg_trajectory_def_default();
    check_refused(&def, 0, "at least 1 axis");
    def.naxes = 1;
    def.kind = "sinusiod";
    check_refused(&def, 0, "did you mean 'sinusoid'?");
    def.kind = "sinusoid";
    check_refused(&def, 0, "amplitude and frequency");
    const double bad[] = {NAN, INFINITY}, good[] = {0.0, 1.0}, back[] = {1.0, 0.5}, round[] = {0.0, 1.0, 0.5};
    def.amplitude = bad;
    def.frequency = good;
    check_refused(&def, 0, "amplitude 1 is not a finite number");
    def.kind = "spline";
    check_refused(&def, 0, "needs knots");
    def.nknots = 2;
    def.times = back;
    def.values = good;
    check_refused(&def, 0, "times must rise, but knot 2 is at 0.5 s");
    def.times = round;
    def.periodic = true;
    check_refused(&def, 0, "needs 3 knots");
    def.times = (const double[]){0.0, 1.0, 2.0};
    def.values = round;
    def.nknots = 3;
    check_refused(&def, 0, "ends at 0.5, not at 0");
    def.periodic = false;
    def.natural = true;
    def.end_velocity = good;
    check_refused(&def, 0, "natural spline takes no velocities");
    def.natural = false;
    def.end_velocity = bad;
    check_refused(&def, 0, "end velocity of axis 1");
}
