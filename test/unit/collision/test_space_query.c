/* test_space_query.c - rays and overlaps of a space against every collider asked by itself. */
#include "math/pose.h"
#include "space_fixture.h"

#include <string.h>

#define CROWD 150

typedef struct Crowd {
    Fixture *fixture;
    RgSpace *space;
    RgColliderId id[CROWD];
    RgColliderDef def[CROWD];
} Crowd;

/* All kinds at random places, some moved afterwards, keys not in the order of insertion. */
static Crowd *crowd(uint64_t seed, double fattening)
{
    Crowd *c = calloc(1, sizeof *c);
    Draw d = draw_seed(seed);
    c->fixture = fixture_create();
    c->space = space_with(NULL, fattening);
    for (int i = 0; i < CROWD; i++) {
        int kind = i < 3 ? FIX_HALFSPACE : i % FIX_HALFSPACE;
        RgPose X = draw_pose(&d, 3.0);
        if (kind == FIX_HALFSPACE)
            X.p = v3_sub(X.p, v3_scale(6.0, m3_column(X.R, 2)));
        c->def[i] = collider_def(c->fixture->geometry[kind], X, (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15));
        c->def[i].category = 1u << draw_below(&d, 4);
        c->id[i] = space_put(c->space, &c->def[i]);
    }
    for (int i = 3; i < CROWD; i += 2) {
        c->def[i].X_WG = draw_pose(&d, 3.0);
        cr_assert_eq(rg_space_move(c->space, c->id[i], &c->def[i].X_WG), RG_OK);
    }
    return c;
}

static void crowd_end(Crowd *c)
{
    rg_space_destroy(c->space);
    fixture_destroy(c->fixture);
    free(c);
}

static RgPlaced placed_of(const Crowd *c, int i)
{
    return (RgPlaced){c->def[i].geometry, c->def[i].X_WG};
}

/* ------------------------------------------------------------------ rays */

/* The nearest of all hits; -1: none. */
static int first_hit(const Crowd *c, const RgRay *ray, uint32_t mask, RgRayHit *hit)
{
    int best = -1;
    for (int i = 0; i < CROWD; i++) {
        RgPlaced placed = placed_of(c, i);
        RgRayHit at;
        if ((c->def[i].category & mask) == 0 || !rg_ray_cast(&placed, ray, &at))
            continue;
        bool tie = best >= 0 && at.distance == hit->distance;
        if (best >= 0 && (at.distance > hit->distance || (tie && c->def[best].key < c->def[i].key)))
            continue;
        best = i;
        *hit = at;
    }
    return best;
}

Test(space_query, ray_finds_the_first_of_all)
{
    int hits = 0, starts_inside = 0;
    for (uint64_t seed = 0; seed < 4; seed++) {
        Crowd *c = crowd(seed, seed % 2 == 0 ? 0.02 : 0.0);
        Draw d = draw_seed(100 + seed);
        for (int i = 0; i < 2000; i++) {
            RgRay ray = {draw_vec(&d, i % 2 == 0 ? 4.0 : 3.0),
                         v3_scale(draw_between(&d, 0.1, 10.0), draw_direction(&d)),
                         i % 3 == 0 ? (double)INFINITY : draw_between(&d, 0.0, 5.0)};
            uint32_t mask = i % 5 == 0 ? 6u : ~0u;
            RgColliderId id;
            RgRayHit hit, expected = {.distance = -1.0};
            int best = first_hit(c, &ray, mask, &expected);
            bool any = rg_space_ray(c->space, &ray, mask, &id, &hit);
            cr_assert_eq(any, best >= 0, "seed %d ray %d", (int)seed, i);
            if (!any)
                continue;
            cr_assert_eq(id.i, c->id[best].i, "seed %d ray %d", (int)seed, i);
            cr_assert_eq(hit.distance, expected.distance);
            cr_assert_eq(memcmp(&hit.normal, &expected.normal, sizeof hit.normal), 0);
            hits++;
            starts_inside += hit.distance == 0.0;
        }
        crowd_end(c);
    }
    cr_expect_gt(hits, 3000);
    cr_expect_gt(starts_inside, 100);
}

/* Of equal hits the lower key wins, in whichever order they came. */
Test(space_query, ray_ties_go_by_key)
{
    Fixture *f = fixture_create();
    RgRay ray = {v3(0.0, 0.0, 5.0), v3(0.0, 0.0, -1.0), 100.0};
    for (int order = 0; order < 2; order++) {
        RgSpace *space = space_with(NULL, 0.0);
        for (int i = 0; i < 20; i++) {
            RgColliderDef def =
                collider_def(f->geometry[FIX_BOX], pose_identity(), (uint64_t)(order == 0 ? i : 19 - i));
            space_put(space, &def);
        }
        RgColliderId id;
        RgRayHit hit;
        cr_assert(rg_space_ray(space, &ray, ~0u, &id, &hit));
        cr_expect_eq(key_at(space, id), 0);
        CHECK_NEAR(hit.distance, 4.75, 1e-14, "m");
        rg_space_destroy(space);
    }
    fixture_destroy(f);
}

Test(space_query, bad_rays_hit_nothing)
{
    Crowd *c = crowd(1, 0.02);
    const RgRay bad[] = {{v3(NAN, 0.0, 0.0), v3(1.0, 0.0, 0.0), 1.0}, {v3_zero(), v3_zero(), 1.0},
                         {v3_zero(), v3(0.0, INFINITY, 0.0), 1.0},    {v3_zero(), v3(0.0, NAN, 0.0), 1.0},
                         {v3_zero(), v3(1.0, 0.0, 0.0), -1.0},        {v3_zero(), v3(1.0, 0.0, 0.0), NAN}};
    RgColliderId id;
    RgRayHit hit;
    for (int i = 0; i < 6; i++)
        cr_expect_not(rg_space_ray(c->space, &bad[i], ~0u, &id, &hit), "%d", i);
    RgRay good = {v3(0.0, 0.0, 9.0), v3(0.0, 0.0, -1.0), INFINITY};
    cr_expect_not(rg_space_ray(NULL, &good, ~0u, &id, &hit));
    cr_expect_not(rg_space_ray(c->space, NULL, ~0u, &id, &hit));
    cr_expect_not(rg_space_ray(c->space, &good, 0u, &id, &hit));
    cr_expect(rg_space_ray(c->space, &good, ~0u, &id, &hit));
    crowd_end(c);
}

/* ------------------------------------------------------------------ overlaps */

/* Writes the ids of those for which in[i], in the order of keys. */
static int32_t in_order(const Crowd *c, const bool *in, RgColliderId *out)
{
    int32_t n = 0;
    for (int i = 0; i < CROWD; i++) {
        if (!in[i])
            continue;
        int32_t at = n++;
        for (; at > 0 && key_at(c->space, out[at - 1]) > c->def[i].key; at--)
            out[at] = out[at - 1];
        out[at] = c->id[i];
    }
    return n;
}

/* The same ids, also where there is room for fewer only. */
static void check_ids(const RgColliderId *out, int32_t found, int32_t capacity, const RgColliderId *all, int32_t count)
{
    cr_assert_eq(found, count);
    for (int32_t i = 0; i < count && i < capacity; i++)
        cr_assert_eq(out[i].i, all[i].i, "%d of %d", i, count);
}

/* Whether a collider is to be found. */
static bool is_within(const Crowd *c, int i, const RgPlaced *placed, double margin)
{
    RgPlaced other = placed_of(c, i);
    RgDistance between;
    return rg_distance(placed, &other, NULL, &between) != RG_ERR_UNSUPPORTED && between.distance <= margin;
}

Test(space_query, overlaps_are_all_within_the_margin)
{
    Crowd *c = crowd(3, 0.02);
    Draw d = draw_seed(3);
    int total = 0;
    for (int i = 0; i < 300; i++) {
        RgPlaced placed = {c->fixture->geometry[i % FIX_COUNT], draw_pose(&d, 3.0)};
        double margin = i % 4 == 0 ? 0.0 : draw_between(&d, -0.1, 0.5);
        uint32_t mask = i % 5 == 0 ? 3u : ~0u;
        bool in[CROWD];
        for (int k = 0; k < CROWD; k++)
            in[k] = (c->def[k].category & mask) != 0 && is_within(c, k, &placed, margin);
        RgColliderId all[CROWD], out[CROWD];
        int32_t count = in_order(c, in, all);
        check_ids(out, rg_space_overlap(c->space, &placed, margin, mask, out, CROWD), CROWD, all, count);
        check_ids(out, rg_space_overlap(c->space, &placed, margin, mask, out, 3), 3, all, count);
        cr_assert_eq(rg_space_overlap(c->space, &placed, margin, mask, NULL, 0), count);
        total += count;
    }
    cr_expect_gt(total, 500);
    crowd_end(c);
}

Test(space_query, box_overlaps_are_those_of_the_boxes)
{
    Crowd *c = crowd(4, 0.02);
    Draw d = draw_seed(4);
    int total = 0;
    for (int i = 0; i < 500; i++) {
        RgVec3 low = draw_vec(&d, 3.0),
               high = v3_add(low, v3(draw_between(&d, 0.0, 3.0), 0.5, draw_between(&d, 0.0, 2.0)));
        uint32_t mask = i % 5 == 0 ? 5u : ~0u;
        RgBounds box = {low, high};
        bool in[CROWD];
        for (int k = 0; k < CROWD; k++) {
            RgPlacedBounds p = rg_placed_bounds_prepare(c->def[k].geometry);
            RgHalfSpace half = rg_half_space(&c->def[k].X_WG);
            RgBounds own;
            bool near = p.way == RG_BOUNDS_NONE
                            ? rg_box_above(&box, &half) <= 0.0
                            : rg_placed_bounds(&p, &c->def[k].X_WG, &own) && rg_box_gap(&own, &box) <= 0.0;
            in[k] = near && (c->def[k].category & mask) != 0;
        }
        RgColliderId all[CROWD], out[CROWD];
        int32_t count = in_order(c, in, all);
        check_ids(out, rg_space_overlap_box(c->space, low, high, mask, out, CROWD), CROWD, all, count);
        check_ids(out, rg_space_overlap_box(c->space, low, high, mask, out, 5), 5, all, count);
        total += count;
    }
    cr_expect_gt(total, 1000, "%d", total);
    crowd_end(c);
}

Test(space_query, bad_overlap_questions_find_nothing)
{
    Crowd *c = crowd(5, 0.02);
    RgColliderId out[CROWD];
    RgPlaced nothing = {NULL, pose_identity()}, lost = placed_of(c, 5), lost_plane = placed_of(c, 0);
    RgPlaced good = placed_of(c, 5);
    lost.X_WG.p.x = lost_plane.X_WG.p.x = NAN;
    cr_expect_eq(rg_space_overlap(c->space, &nothing, 0.0, ~0u, out, CROWD), 0);
    cr_expect_eq(rg_space_overlap(c->space, &lost, 0.0, ~0u, out, CROWD), 0);
    cr_expect_eq(rg_space_overlap(c->space, &lost_plane, 0.0, ~0u, out, CROWD), 0);
    cr_expect_eq(rg_space_overlap(c->space, &good, NAN, ~0u, out, CROWD), 0);
    cr_expect_eq(rg_space_overlap(c->space, &good, 0.0, ~0u, NULL, 3), 0);
    cr_expect_eq(rg_space_overlap(c->space, &good, 0.0, ~0u, out, -1), 0);
    cr_expect_eq(rg_space_overlap(NULL, &good, 0.0, ~0u, out, CROWD), 0);
    cr_expect_eq(rg_space_overlap_box(c->space, v3(1.0, 0.0, 0.0), v3(-1.0, 1.0, 1.0), ~0u, out, CROWD), 0);
    cr_expect_eq(rg_space_overlap_box(c->space, v3(NAN, 0.0, 0.0), v3(1.0, 1.0, 1.0), ~0u, out, CROWD), 0);
    cr_expect_gt(rg_space_overlap(c->space, &good, 0.0, ~0u, out, CROWD), 0);
    crowd_end(c);
}
