/*
 * test_time_of_impact.c - random moving pairs of all convex kinds: the time of impact is never late, and
 * the exact one never more than 1e-9 s early.
 *
 * The twins: the pair is put where it is at many times before the answer, and rg_distance asked (dense
 * sampling, with the least distance between samples searched for); close to the answer an oracle of its own
 * judges (convex_oracle.h, for the kinds for which it needs no help). The two methods judge each other.
 *
 * `make test` tries a share; RIGOR_IMPACT_PAIRS sets the number of pairs (100000 is the full one) and
 * prints a summary, RIGOR_IMPACT_SEED the first of them.
 */
#include "check_near.h"
#include "pair_maker.h"

#include <stdlib.h>

#define SHARE 5000
#define EARLY 1e-9 /* s; the exact time, before the truth */

/* Distances in this test are right to this part of the lengths that take part: poses rounded, distances
   rounded. */
#define NOISE 1e-13

#define SAMPLES 150
#define GOLDEN 0.61803398874989485

typedef struct Case {
    MadeShape shape[2];
    RgSweep sweep[2];
    RgImpactOptions options;
    double size; /* of the larger shape */
    double far;  /* lengths that take part */
    bool exact_oracle;
} Case;

typedef struct Tally {
    int pairs, hits, starts, misses, unproven, unconverged;
    double widest;             /* latest - time, s */
    double earliest;           /* least step before the exact time at which the advancement ended, s */
    long iterations, advances; /* of the exact and of the conservative one */
    int most;
    int bad;
} Tally;

static RgVec3 draw_turn(Draw *d)
{
    double most = draw_chance(d, 0.2) ? 0.0 : draw_decades(d, -1.0, 1.2);
    return vec_scale(most, draw_direction(d));
}

/* A body at a place, with a centre within its size of it. */
static RgSweep draw_sweep(Draw *d, const MadeShape *shape, RgVec3 place, double size)
{
    RgSweep s = {.geometry = shape->geometry, .X_WG = draw_pose(d, 0.0)};
    s.X_WG.p = place;
    s.centre = draw_chance(d, 0.5) ? place : vec_add(place, draw_vec(d, 0.5 * size));
    s.V.w = draw_turn(d);
    return s;
}

/* B comes toward A from some sizes away, not always straight at it. */
static Case case_draw(uint64_t seed)
{
    Draw d = draw_seed(seed);
    Case c = {.options = rg_impact_options_default()};
    RgShapeType type_a = pair_kinds[draw_below(&d, PAIR_KINDS - 1)];
    RgShapeType type_b = pair_kinds[draw_below(&d, PAIR_KINDS)];
    c.shape[0] = made_shape_draw(&d, type_a);
    c.shape[1] = made_shape_draw(&d, type_b);
    made_shape_prepare(&c.shape[0]);
    made_shape_prepare(&c.shape[1]);
    double size_a = oracle_extent(c.shape[0].oracle), size_b = oracle_extent(c.shape[1].oracle);
    c.size = fmax(size_a, size_b);
    double apart = (0.5 * (size_a + size_b)) * draw_between(&d, 0.8, 3.0);
    RgVec3 to = draw_direction(&d), place = draw_vec(&d, draw_chance(&d, 0.5) ? 0.0 : c.size);
    c.sweep[0] = draw_sweep(&d, &c.shape[0], place, size_a);
    c.sweep[1] = draw_sweep(&d, &c.shape[1], vec_add(place, vec_scale(apart, to)), size_b);
    if (type_b == RG_SHAPE_halfspace) { /* its outside toward A */
        RgVec3 x = vec_cross(to, fabs(to.x) < 0.5 ? vec(1.0, 0.0, 0.0) : vec(0.0, 1.0, 0.0));
        x = vec_scale(1.0 / vec_norm(x), x);
        RgVec3 z = vec_scale(-1.0, to), y = vec_cross(z, x);
        c.sweep[1].X_WG.R = (RgMat3){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
    }
    RgVec3 miss = vec_scale(draw_between(&d, 0.0, 0.7) * (size_a + size_b), draw_direction(&d));
    RgVec3 way = vec_add(vec_scale(-apart, to), miss), v = draw_vec(&d, c.size);
    c.sweep[0].V.v = v;
    c.sweep[1].V.v = vec_add(v, vec_scale(draw_between(&d, 0.3, 3.0), way));
    c.options.gap = draw_chance(&d, 0.5) ? 0.0 : c.size * draw_decades(&d, -9.0, -1.0);
    c.exact_oracle = oracle_is_exact(c.shape[0].oracle, c.shape[1].oracle);
    c.far = c.size + apart + vec_norm(place) + vec_norm(v) + vec_norm(c.sweep[1].V.v);
    return c;
}

static void case_end(Case *c)
{
    made_shape_release(&c->shape[0]);
    made_shape_release(&c->shape[1]);
}

static double distance_at(const Case *c, double t)
{
    RgPlaced a = {c->sweep[0].geometry, rg_sweep_pose(&c->sweep[0], t)};
    RgPlaced b = {c->sweep[1].geometry, rg_sweep_pose(&c->sweep[1], t)};
    RgDistance d;
    RgStatus status = rg_distance(&a, &b, NULL, &d);
    cr_assert(status == RG_OK || status == RG_ERR_NOT_CONVERGED);
    return d.distance;
}

static double oracle_at(const Case *c, double t)
{
    if (!c->exact_oracle)
        return distance_at(c, t);
    for (int i = 0; i < 2; i++) {
        RgPose X = rg_sweep_pose(&c->sweep[i], t);
        oracle_move(c->shape[i].oracle, &X);
    }
    return oracle_distance(c->shape[0].oracle, c->shape[1].oracle);
}

/* Least distance near a sampled minimum: golden section. */
static double least_between(const Case *c, double low, double high)
{
    double x = high - GOLDEN * (high - low), y = low + GOLDEN * (high - low);
    double fx = distance_at(c, x), fy = distance_at(c, y);
    for (int i = 0; i < 25; i++) {
        if (fx < fy) {
            high = y;
            y = x;
            fy = fx;
            x = high - GOLDEN * (high - low);
            fx = distance_at(c, x);
        } else {
            low = x;
            x = y;
            fx = fy;
            y = low + GOLDEN * (high - low);
            fy = distance_at(c, y);
        }
    }
    return fmin(fx, fy);
}

/* Least distance that dense sampling finds from 0 to time. */
static double least_before(const Case *c, double time)
{
    double before[2] = {(double)INFINITY, (double)INFINITY}, least = (double)INFINITY;
    for (int i = 0; i <= SAMPLES; i++) {
        double d = distance_at(c, time * i / SAMPLES);
        least = fmin(least, d);
        bool dip = i >= 2 && before[1] <= before[0] && before[1] <= d;
        if (dip && before[1] < c->options.gap + 0.1 * c->size)
            least = fmin(least, least_between(c, time * (i - 2) / SAMPLES, time * i / SAMPLES));
        before[0] = before[1];
        before[1] = d;
    }
    return least;
}

static bool same_vec(RgVec3 a, RgVec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* The same bits for swapped arguments. */
static bool is_swapped(const RgImpact *x, const RgImpact *y)
{
    return x->hit == y->hit && x->time == y->time && x->latest == y->latest && x->iterations == y->iterations &&
           x->at.distance == y->at.distance && same_vec(x->at.point_a, y->at.point_b) &&
           same_vec(x->at.normal, vec_scale(-1.0, y->at.normal));
}

/* What is wrong with the exact answer; NULL: nothing. */
static const char *judge_exact(const Case *c, RgStatus status, const RgImpact *r)
{
    double noise = NOISE * c->far, gap = c->options.gap;
    if (status != RG_OK)
        return "status";
    if (!isfinite(r->time) || isnan(r->latest) || !isfinite(r->at.distance))
        return "not a number";
    if (r->hit && r->time == 0.0)
        return distance_at(c, 0.0) <= gap + noise ? NULL : "hit at the start";
    if (!r->hit && r->time != c->options.horizon)
        return "end of a miss";
    if (least_before(c, r->time) < gap - noise)
        return "late";
    if (!r->hit)
        return NULL;
    for (double before = 1e-3; before > 1e-14; before *= 0.1)
        if (before < r->time && oracle_at(c, r->time - before) < gap - noise)
            return "late by the oracle";
    if (oracle_at(c, r->time) < gap - noise)
        return "late at the time itself";
    if (isfinite(r->latest) && oracle_at(c, r->latest) > gap + noise)
        return "not there at the latest";
    return r->latest - r->time <= EARLY ? NULL : "early";
}

/* The advancement against the exact answer. */
static const char *judge_advance(const Case *c, RgStatus status, const RgImpact *r, const RgImpact *exact)
{
    double noise = NOISE * c->far, tolerance = c->options.tolerance;
    if (status != RG_OK && status != RG_ERR_NOT_CONVERGED)
        return "advancement: status";
    if (!isfinite(r->time) || isnan(r->latest) || !isfinite(r->at.distance))
        return "advancement: not a number";
    if (exact->hit && !(r->hit && r->time <= exact->latest))
        return "advancement: late";
    if (status == RG_OK && r->hit && r->at.distance > c->options.gap + tolerance + noise)
        return "advancement: not there";
    return NULL;
}

static const char *judge_case(Case *c, Tally *tally)
{
    RgImpact exact, turned, advance;
    RgStatus status = rg_time_of_impact(&c->sweep[0], &c->sweep[1], &c->options, &exact);
    tally->hits += exact.hit && exact.time > 0.0;
    tally->starts += exact.hit && exact.time == 0.0;
    tally->misses += !exact.hit;
    tally->unproven += exact.hit && exact.time > 0.0 && !isfinite(exact.latest);
    tally->iterations += exact.iterations;
    tally->most = exact.iterations > tally->most ? exact.iterations : tally->most;
    const char *wrong = judge_exact(c, status, &exact);
    if (wrong != NULL)
        return wrong;
    if (exact.hit && exact.time > 0.0)
        tally->widest = fmax(tally->widest, exact.latest - exact.time);
    rg_time_of_impact(&c->sweep[1], &c->sweep[0], &c->options, &turned);
    if (!is_swapped(&exact, &turned))
        return "swapped";

    c->options.method = RG_IMPACT_CONSERVATIVE;
    c->options.tolerance = 1e-6 * c->size;
    c->options.max_iterations = 200;
    status = rg_time_of_impact(&c->sweep[0], &c->sweep[1], &c->options, &advance);
    tally->advances += advance.iterations;
    tally->unconverged += status == RG_ERR_NOT_CONVERGED;
    return judge_advance(c, status, &advance, &exact);
}

Test(time_of_impact, random_pairs)
{
    const char *count = getenv("RIGOR_IMPACT_PAIRS"), *first = getenv("RIGOR_IMPACT_SEED");
    int pairs = count != NULL ? atoi(count) : SHARE;
    uint64_t seed = first != NULL ? (uint64_t)atoll(first) : 1;
    Tally tally = {.pairs = pairs};
    for (int i = 0; i < pairs; i++) {
        Case c = case_draw(seed + (uint64_t)i);
        const char *wrong = judge_case(&c, &tally);
        if (wrong != NULL && tally.bad++ < 20)
            cr_expect_fail("pair %llu, %s and %s: %s", (unsigned long long)(seed + (uint64_t)i),
                           rg_shape_type_name(c.shape[0].def.type), rg_shape_type_name(c.shape[1].def.type), wrong);
        case_end(&c);
    }
    cr_expect_eq(tally.bad, 0, "%d of %d pairs", tally.bad, pairs);
    cr_expect_gt(tally.hits, pairs / 10, "too few hits to say anything");
    cr_expect_gt(tally.misses, pairs / 10, "too few misses to say anything");
    if (count != NULL)
        printf("%d pairs: %d hits, %d at the start, %d misses; unproven %d; widest %.3g s; queries a pair "
               "%.2f, at most "
               "%d; advancement %.2f, out of 200 for %d\n",
               pairs, tally.hits, tally.starts, tally.misses, tally.unproven, tally.widest,
               (double)tally.iterations / pairs, tally.most, (double)tally.advances / pairs, tally.unconverged);
}
