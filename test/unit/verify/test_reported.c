/* test_reported.c - events and claims of certificates made by hand: what is true passes, what is left out or false is
   found. */
#include "certificates.h"
#include "check_near.h"

#include <math.h>

static End moved(double z, double v)
{
    return (End){{0.0, 0.0, z}, {1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, v}, {0.0, 0.0, 0.0}};
}

/* A ball of radius 0.1 over the ground, and a second that may touch neither. */
static void say_ball(Paper *p, double z)
{
    End a = moved(z, 0.0), far = a;
    far.c.x = 5.0;
    say_head(p, 2, 3);
    say(p, "shape 0 -1 -1 0 0 0 1 0 0 0 1 ground\nhalfspace\n");
    say(p, "shape 1 0 0 0 0 0 1 0 0 0 1 ball\nsphere 0.1\n");
    say(p, "shape 2 1 1 0 0 0 1 0 0 0 1 other\nsphere 0.1\ntouch 0 1\nstart 0 0\n");
    say_at(p, 0, &a);
    say_at(p, 1, &far);
}

#define HEIGHT (0.1 + 4e-8)
#define TOUCH "event 0.1 touch 0 -1 0 0 1 0 0 0 0 0 1 1 0 -1 -1\n"
#define IMPACT "event 0.1 impact 0 -1 0 0 1 0 0 0 0 0 1 1 2.5 -1 -1\n"
#define BREAK "event 0.1 break 0 -1 0 0 1 0 0 0 0 0 1 0 0 -1 -1\n"

/* The ball comes down at a speed, and then goes up at another or stays: events of the first outer step. */
static RgVerifyReport meeting(double down, double up, const char *events, int touching)
{
    Paper p = {NULL, 0, 0};
    End a = moved(HEIGHT + 0.1 * down, -down), b = moved(HEIGHT, -down);
    say_ball(&p, a.c.z);
    say_step(&p, 0.0, 0.1, 0, &a, &b);
    int count = 0;
    for (const char *at = events; *at != '\0'; at++)
        count += *at == '\n';
    say(&p, "%staken 1 %d %d 0\n", events, count, touching);
    End c = moved(HEIGHT, up), d = moved(HEIGHT + 0.1 * up, up);
    say_step(&p, 0.1, 0.1, 0, &c, &d);
    say(&p, "taken 1 0 %d 0\n", touching);
    return verified(&p);
}

Test(reported, meetings_are_told_or_missed)
{
    RgVerifyReport rests = meeting(1.0, 0.0, TOUCH IMPACT, 1), bounces = meeting(1.0, 0.5, TOUCH IMPACT BREAK, 0);
    cr_expect(rests.ok, "%s", rests.fault);
    cr_expect(bounces.ok, "%s", bounces.fault);
    for (int up = 0; up < 2; up++) {
        RgVerifyReport silent = meeting(1.0, 0.5 * up, "", 0);
        cr_expect_not(silent.ok);
        cr_expect_eq(silent.untold, 1);
        cr_expect_eq(silent.missed, 1);
        RgVerifyReport no_impact = meeting(1.0, 0.5 * up, up ? TOUCH BREAK : TOUCH, !up);
        cr_expect_eq(no_impact.untold, 1);
        RgVerifyReport no_touch = meeting(1.0, 0.5 * up, up ? IMPACT BREAK : IMPACT, !up);
        cr_expect_not(no_touch.ok);
        cr_expect_geq(no_touch.false_events, 1);
        RgVerifyReport miscounted = meeting(1.0, 0.5 * up, up ? TOUCH IMPACT BREAK : TOUCH IMPACT, up);
        cr_expect_not(miscounted.ok);
    }
}

/* Slower than impacts: what goes on approaching, or opens, or comes gently to rest at next to no speed, needs no
   event. */
Test(reported, gentle_meetings)
{
    static const char gentle[] = "event 0.1 touch 0 -1 0 0 1 0 0 0 0 0 1 0.0015 0 -1 -1\n";
    RgVerifyReport told = meeting(1.5e-3, 0.0, gentle, 1);
    cr_expect(told.ok, "%s", told.fault);
    cr_expect_eq(meeting(1.5e-3, 0.0, "", 0).untold, 1);
    cr_expect(meeting(1e-7, 0.0, "", 0).ok);
    cr_expect(meeting(1e-7, -1e-7, "", 0).ok);
}

Test(reported, events_that_are_not_so_are_found)
{
    static const char *const bad[] = {
        /* another time, pair, link, point, normal, speed, uncertainty */
        "event 0.09 touch 0 -1 0 0 1 0 0 0 0 0 1 1 0 -1 -1\n",
        "event 0.1 touch 0 -1 1 0 2 0 0 0 0 0 1 1 0 -1 -1\n",
        "event 0.1 touch 0 -1 1 0 1 0 0 0 0 0 1 1 0 -1 -1\n",
        "event 0.1 touch 0 -1 0 0 1 0.02 0 0 0 0 1 1 0 -1 -1\n",
        "event 0.1 touch 0 -1 0 0 1 0 0 0 0 0 1.1 1 0 -1 -1\n",
        "event 0.1 touch 0 -1 0 0 1 0 0 0 0 0 1 1.01 0 -1 -1\n",
        "event 0.1 touch 0 -1 0 0 1 0 0 0 0 0 1 0.9 0 -1 -1\n",
        "event 0.1 touch -1e-3 -1 0 0 1 0 0 0 0 0 1 1 0 -1 -1\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char both[300];
        snprintf(both, sizeof both, "%s%s", bad[i], IMPACT);
        RgVerifyReport r = meeting(1.0, 0.0, both, 1);
        cr_expect_not(r.ok, "%s", bad[i]);
        cr_expect_geq(r.false_events, 1, "%s: %s", bad[i], r.fault);
    }
    cr_expect_geq(meeting(1.0, 0.0, IMPACT TOUCH, 1).false_events, 1);
}

/* ------------------------------------------------------------------ shocks */

/* Two bodies on straight ways at speed v along z, from a height over where they are at the end, or to it. */
static void say_pair_step(Paper *p, double t, const End place[2], double v)
{
    say(p, "step %.17g 0.1 curve whole -1 -1 inf 0 2\n", t);
    for (int i = 0; i < 2; i++) {
        End a = place[i], b = place[i];
        a.v.z = b.v.z = v;
        b.c.z += 0.1 * v;
        say(p, "body %d =", i);
        say_twist(p, &a);
        say_place(p, &b);
        say_twist(p, &b);
        say(p, "\n");
    }
}

/* Ball 0 falls on the ground with ball 1 on it, which comes down on ball 2 beside them at the same time: both go up at
   a speed, or stay. linked: balls 0 and 1 are told to touch. */
static RgVerifyReport shock(double up, bool linked)
{
    Paper p = {NULL, 0, 0};
    double apart = 0.2 + 4e-8, rise = sqrt(apart * apart - 0.01);
    End still = moved(HEIGHT, 0.0), end[2] = {moved(HEIGHT, 0.0), moved(HEIGHT + rise, 0.0)};
    still.c.x = 0.2;
    end[1].c.x = 0.1;
    End begin[2] = {end[0], end[1]};
    begin[0].c.z += 0.1;
    begin[1].c.z += 0.1;
    say_head(&p, 3, 4);
    say(&p, "shape 0 -1 -1 0 0 0 1 0 0 0 1 ground\nhalfspace\n");
    for (int i = 0; i < 3; i++)
        say(&p, "shape %d %d %d 0 0 0 1 0 0 0 1 ball\nsphere 0.1\n", i + 1, i, i);
    say(&p, "touch 0 1\ntouch 1 2\ntouch 2 3\nstart 0 0\n");
    say_at(&p, 0, &begin[0]);
    say_at(&p, 1, &begin[1]);
    say_at(&p, 2, &still);
    say(&p, "%s", linked ? "told 1 2\n" : "");
    say_pair_step(&p, 0.0, begin, -1.0);
    bool stays = up == 0.0;
    say(&p, "%s%staken 1 %d %d 0\n", TOUCH IMPACT, stays ? "" : BREAK, stays ? 2 : 3, linked + stays);
    say_pair_step(&p, 0.1, end, up);
    say(&p, "taken 1 0 %d 0\n", linked + stays);
    return verified(&p);
}

/* What another impact has thrown apart has had none itself; but the shock must have had a way, and what stays was
   stopped. */
Test(reported, shocks_pass_on_through_what_touches)
{
    RgVerifyReport thrown = shock(0.5, true), no_way = shock(0.5, false), stopped = shock(0.0, true);
    cr_expect(thrown.ok, "%s", thrown.fault);
    cr_expect_eq(no_way.untold, 1, "%lld: %s", (long long)no_way.untold, no_way.fault);
    cr_expect_eq(stopped.untold, 1, "%lld: %s", (long long)stopped.untold, stopped.fault);
}

/* ------------------------------------------------------------------ plain steps, pushes, starts */

/* Events of a plain step are not looked at but for their order: (kind, fits) pairs. */
static RgVerifyReport plain_with(const char *const *kinds, int count, int touching)
{
    Paper p = {NULL, 0, 0};
    End a = moved(0.3, -1.0), b = moved(0.05, -1.0);
    say_ball(&p, a.c.z);
    say(&p, "plain 0 0.1 error 1\nbody 0 =");
    say_twist(&p, &a);
    say_place(&p, &b);
    say_twist(&p, &b);
    say(&p, "\n");
    for (int i = 0; i < count; i++)
        say(&p, "event %g %s 0 -1 0 0 1 0 0 0 0 0 1 1 0 -1 -1\n", 0.05 + 0.001 * i, kinds[i]);
    say(&p, "taken 1 %d %d 0\n", count, touching);
    return verified(&p);
}

Test(reported, plain_steps_claim_nothing)
{
    RgVerifyReport r = plain_with(NULL, 0, 0);
    cr_expect_not(r.ok);
    cr_expect(r.holds, "%s", r.fault);
    cr_expect_eq(r.plain, 1);
    CHECK_NEAR(r.plain_time, 0.1, 0.0, "s");
    CHECK_NEAR(r.plain_distance, -0.05, 1e-15, "m");
    cr_expect_eq(r.missed, 0);
    cr_expect_eq(r.pairs, 0);
}

Test(reported, events_follow_from_each_other)
{
    static const struct {
        const char *kinds[6];
        int count, touching, wrong;
    } of[] = {
        {{"touch", "impact", "slip", "stick", "roll", "break"}, 6, 0, 0},
        {{"touch", "break", "touch", "impact"}, 4, 1, 0},
        {{"touch", "roll", "slip", "stick", "impact", "impact"}, 6, 1, 0},
        {{"touch", "touch"}, 2, 1, 1},
        {{"impact", "touch"}, 2, 1, 1},
        {{"break"}, 1, 0, 1},
        {{"touch", "stick"}, 2, 1, 1},
        {{"touch", "slip", "slip"}, 3, 1, 1},
        {{"touch", "slip", "roll"}, 3, 1, 1},
        {{"slip", "touch"}, 2, 1, 1},
        {{"touch", "break", "impact"}, 3, 0, 1},
        {{"touch"}, 1, 0, 1},
    };
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        RgVerifyReport r = plain_with(of[i].kinds, of[i].count, of[i].touching);
        cr_expect_eq(r.false_events, of[i].wrong, "%zu: %lld, %s", i, (long long)r.false_events, r.fault);
    }
}

/* A push behind a plain step parts what overlapped; its end is measured, and what is not parted shows. */
Test(reported, pushes_behind_plain_steps)
{
    for (int parted = 0; parted < 2; parted++) {
        Paper p = {NULL, 0, 0};
        End a = moved(0.3, 0.0), b = moved(0.05, 0.0), c = moved(parted ? 0.1 + 1e-6 : 0.06, 0.0), d = c;
        say_ball(&p, a.c.z);
        say(&p, "plain 0 0.1 error 1\nbody 0 = 0 0 0 0 0 0");
        say_place(&p, &b);
        say(&p, " 0 0 0 0 0 0\npush 0.1 1\nbody 0 = 0 0 0 0 0 0");
        say_place(&p, &c);
        say(&p, " 0 0 0 0 0 0\n");
        d.c.x = 0.1;
        c.v.x = d.v.x = 1.0;
        say_step(&p, 0.1, 0.1, 0, &c, &d);
        say(&p, "taken 3 0 0 0\n");
        RgVerifyReport r = verified(&p);
        cr_expect_eq(r.holds, parted == 1, "%s", r.fault);
        cr_expect_not(r.ok);
        cr_expect_eq(r.pushes, 1);
        CHECK_NEAR(r.largest_push, c.c.z - 0.05, 1e-15, "m");
    }
}

Test(reported, a_start_without_steps_is_measured)
{
    for (int overlaps = 0; overlaps < 2; overlaps++) {
        Paper p = {NULL, 0, 0};
        say_ball(&p, overlaps ? 0.07 : 0.2);
        RgVerifyReport r = verified(&p);
        cr_expect_not(r.ok);
        cr_expect_eq(r.steps, 0);
        cr_expect_eq(r.missed, overlaps);
        CHECK_NEAR(r.min_distance, overlaps ? -0.03 : 0.1, 1e-15, "m");
    }
}

/* What was told before the certificate begins stands behind its start. */
Test(reported, pairs_told_before_the_start)
{
    for (int told = 0; told < 2; told++) {
        Paper p = {NULL, 0, 0};
        End a = moved(HEIGHT, 1.0), b = moved(HEIGHT + 0.1, 1.0);
        say_ball(&p, a.c.z);
        say(&p, "%s", told ? "told 0 1\n" : "");
        say_step(&p, 0.0, 0.1, 0, &a, &b);
        say(&p, "event 0 break 0.1 -1 0 0 1 0 0 0 0 0 1 0 0 -1 -1\ntaken 1 1 0 0\n");
        RgVerifyReport r = verified(&p);
        cr_expect_eq(r.ok, told == 1, "%s", r.fault);
        cr_expect_eq(r.false_events, 1 - told);
    }
}

/* ------------------------------------------------------------------ claims */

static RgVerifyReport claiming(const char *path, const char *claim)
{
    Paper p = {NULL, 0, 0};
    End a = moved(0.2, -1.0), b = moved(0.15, -1.0);
    say(&p, "rigor-certificate 2\nmodel by hand\nstepper none\ncoords maximal\ngap 1e-7\ncounts 2 14 12 3\n");
    for (int i = 0; i < 2; i++)
        say(&p, "body %d -1 0 0 0 free %d %d 0 0 0 1 0 0 0 0 0 0 0 0 b\n", i, 7 * i, 6 * i);
    say(&p, "shape 0 -1 -1 0 0 0 1 0 0 0 1 ground\nhalfspace\n");
    say(&p, "shape 1 0 0 0 0 0 1 0 0 0 1 ball\nsphere 0.1\n");
    say(&p, "shape 2 1 1 0 0 0 1 0 0 0 1 other\nsphere 0.1\ntouch 0 1\nstart 0 0\n");
    say_at(&p, 0, &a);
    say_at(&p, 1, &(End){{5.0, 0.0, 1.0}, {1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}});
    say(&p, "step 0 0.05 %s %s 1\nbody 0 =", path, claim);
    say_twist(&p, &a);
    say_place(&p, &b);
    say_twist(&p, &b);
    say(&p, "\ntaken 1 0 0 0\n");
    return verified(&p);
}

Test(reported, claims_of_steps_are_compared)
{
    static const struct {
        const char *path, *claim;
        bool holds;
    } of[] = {
        {"curve", "contact 0 1 0.05 0.049", true},   {"curve", "contact 0 1 0.05 0.051", false},
        {"curve", "contact 0 1 0.04 0.049", false},  {"curve", "contact 0 1 0.06 0.049", false},
        {"curve", "contact 0 2 0.05 0.049", false},  {"curve", "contact 1 0 0.05 0.049", true},
        {"curve", "contact 0 -1 0.05 0.049", false}, {"curve", "whole -1 -1 0 inf", true},
        {"rates", "contact 0 1 0.05 0.049", true},   {"rates", "contact 0 1 0.09 0.049", true},
        {"rates", "contact 0 1 0.11 0.049", false},  {"rates", "contact 0 1 0.04 0.049", false},
        {"rates", "least 0 1 0.04 0.049", true},     {"rates", "contact 0 1 inf 0.049", true},
        {"rates", "contact 0 1 0.05 0.06", false},
    };
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        RgVerifyReport r = claiming(of[i].path, of[i].claim);
        cr_expect_eq(r.ok, of[i].holds, "%s %s: %s", of[i].path, of[i].claim, r.fault);
        cr_expect_eq(r.false_claims, !of[i].holds, "%s %s", of[i].path, of[i].claim);
    }
}
