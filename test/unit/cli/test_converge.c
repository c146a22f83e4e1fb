/*
 * test_converge.c - how far two motions are apart, against closed forms; edit distances against the recursion they are
 * defined by; orders against rows of differences that have one.
 */
#include "study/converge.h"

#include "check_near.h"

#include <string.h>

static RgPose turned(double angle, RgVec3 p)
{
    double c = cos(angle), s = sin(angle);
    return (RgPose){.R = {{{c, -s, 0.0}, {s, c, 0.0}, {0.0, 0.0, 1.0}}}, .p = p};
}

/* |p - p'| + r angle of the link that is farthest off, at angles from round-off to half a turn. */
Test(converge, distance_of_poses)
{
    static const double angles[5] = {1e-12, 1e-6, 0.3, 2.0, 3.14159265358979};
    const double reach[2] = {0.5, 2.0};
    for (int i = 0; i < 5; i++) {
        RgPose a[2] = {turned(0.1, (RgVec3){1.0, 2.0, 3.0}), turned(0.0, (RgVec3){0.0, 0.0, 0.0})};
        RgPose b[2] = {turned(0.1, (RgVec3){1.0, 2.0, 3.0}), turned(angles[i], (RgVec3){0.3, 0.0, 0.4})};
        CHECK_NEAR(rg_pose_distance(a, b, reach, 2), 0.5 + 2.0 * angles[i], 1e-7, "m");
        CHECK_NEAR(rg_pose_distance(a, b, reach, 1), 0.0, 0.0, "m");
    }
}

/* Two motions that part as 10^t / 10^4 of a motion of 1 m: they agree to d digits until t = 4 - d. */
Test(converge, digits)
{
    enum { SAMPLES = 41 };
    static RgPose poses[2][SAMPLES];
    const double reach[1] = {0.0};
    for (int k = 0; k < SAMPLES; k++) {
        double t = 0.1 * k;
        poses[0][k] = turned(0.0, (RgVec3){fmin(t, 1.0), 0.0, 0.0});
        poses[1][k] = turned(0.0, (RgVec3){fmin(t, 1.0), 1e-4 * pow(10.0, t) * (1.0 - 1e-9), 0.0});
    }
    RgTrack a = {.samples = SAMPLES, .links = 1, .spacing = 0.1, .poses = poses[0]}, b = a;
    b.poses = poses[1];
    CHECK_NEAR(rg_track_motion(&a, reach), 1.0, 1e-12, "m");
    RgTrackDifference d = rg_track_compare(&a, &b, reach, 1.0);
    CHECK_NEAR(d.most, 1.0, 1e-8, "m");
    CHECK_NEAR(d.end, 1.0, 1e-8, "m");
    for (int k = 0; k < 4; k++) {
        CHECK_NEAR(d.until[k], 3.0 - k, 1e-9, "s");
        cr_expect_not(d.throughout[k]);
    }
    RgTrackDifference same = rg_track_compare(&a, &a, reach, 1.0);
    cr_expect(same.throughout[5] && same.most == 0.0);
    CHECK_NEAR(same.until[5], 4.0, 1e-12, "s");
    RgTrackDifference still = rg_track_compare(&a, &a, reach, 0.0);
    cr_expect(still.throughout[0], "nothing moves, nothing differs");
}

/* The definition: the cheapest of deleting, inserting and replacing the first. */
static int slow_distance(const RgEvent *a, int na, const RgEvent *b, int nb)
{
    if (na == 0 || nb == 0)
        return na + nb;
    int keep = slow_distance(a + 1, na - 1, b + 1, nb - 1) + (a->kind != b->kind);
    int drop = slow_distance(a + 1, na - 1, b, nb) + 1, add = slow_distance(a, na, b + 1, nb - 1) + 1;
    int best = drop < add ? drop : add;
    return keep < best ? keep : best;
}

Test(converge, edit_distance)
{
    RgPool pool = {0};
    unsigned seed = 7;
    for (int trial = 0; trial < 200; trial++) {
        RgTrack tracks[2] = {{.pool = &pool}, {.pool = &pool}};
        for (int i = 0; i < 2; i++) {
            int n = (int)((seed = seed * 1103515245u + 12345u) >> 16) % 7;
            for (int k = 0; k < n; k++) {
                seed = seed * 1103515245u + 12345u;
                RgEvent event = {.kind = (RgEventKind)((seed >> 16) % 3), .t = k + 0.25 * i};
                rg_track_add_event(&event, &tracks[i]);
            }
        }
        RgEventDifference d = rg_events_compare(&pool, &tracks[0], &tracks[1]);
        cr_expect_eq(d.edits, slow_distance(tracks[0].events, tracks[0].nevents, tracks[1].events, tracks[1].nevents));
        cr_expect(d.common <= tracks[0].nevents && d.common <= tracks[1].nevents);
        CHECK_NEAR(d.time, d.common > 0 ? 0.25 : 0.0, 1e-12, "s");
    }
    rg_pool_free(&pool);
}

/* Events differ by their links and joints too. */
Test(converge, who_takes_part_counts)
{
    RgPool pool = {0};
    RgTrack a = {.pool = &pool}, b = {.pool = &pool};
    rg_track_add_event(&(RgEvent){.kind = RG_EVENT_touch, .link_b = 1}, &a);
    rg_track_add_event(&(RgEvent){.kind = RG_EVENT_touch, .link_b = 2}, &b);
    RgEventDifference d = rg_events_compare(&pool, &a, &b);
    cr_expect(d.edits == 1 && d.common == 0);
    rg_pool_free(&pool);
}

Test(converge, order)
{
    CHECK_NEAR(rg_observed_order(0.8, 0.1, 2.0), 3.0, 1e-12, "");
    CHECK_NEAR(rg_observed_order(1e-3, 1e-5, 10.0), 2.0, 1e-12, "");
    CHECK_NEAR(rg_observed_order(0.1, 0.2, 2.0), -1.0, 1e-12, "");
    cr_expect(isnan(rg_observed_order(0.0, 0.1, 2.0)));
    cr_expect(isnan(rg_observed_order(0.1, 0.0, 2.0)), "no differences left");
    cr_expect(isnan(rg_observed_order(1.0, 1e-16, 2.0)), "round-off");
    cr_expect(isnan(rg_observed_order((double)NAN, 0.1, 2.0)));
}
