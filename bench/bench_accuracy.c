/*
 * bench_accuracy.c - errors of motion: tip of the chain, energy of chain and double pendulum, the free box.
 *
 * The double pendulum (moments of inertia 1 : 6,000, from horizontal, 1 ms, 10 s) compares integrators at a large ratio
 * of masses: Euler's methods lose a quarter of its energy in either form of coordinates.
 */
#include "bench.h"
#include "bench_reference.h"
#include "scenes.h"

#include <math.h>

#define DT 1e-3

/* Potential energy of the stretched chain above that of the hanging one, J. */
#define CHAIN_ENERGY (100.0 * 9.81 * 50.0)

/* Results of a run. */
typedef struct Drift {
    double energy;  /* last minus first, J; NaN: a step was refused */
    double largest; /* largest change of energy, J */
    double scale;   /* largest kinetic energy, J */
    double angular; /* largest change of angular momentum, part of it */
    uint64_t hash;
} Drift;

static double vec_change(RgVec3 a, RgVec3 b)
{
    return vec_norm(vec_sub(a, b)) / fmax(vec_norm(b), 1e-300);
}

static RgWorld *start(const RgModel *model, const char *coords, const char *stepper, const double *v)
{
    RgWorld *world = bench_world(model, coords, stepper);
    bench_expect(v == NULL || rg_world_set_state(world, NULL, v) == RG_OK, "rg_world_set_state");
    return world;
}

static Drift run(RgWorld *world, double duration)
{
    RgMomentum first, m;
    bench_expect(rg_world_momentum(world, &first) == RG_OK, "rg_world_momentum");
    Drift d = {0};
    int steps = (int)lround(duration / DT);
    for (int i = 0; i < steps; i++) {
        bool good = rg_world_step(world, DT, NULL) == RG_OK;
        rg_world_momentum(world, &m);
        d.energy = m.kinetic + m.potential - first.kinetic - first.potential;
        d.largest = fmax(d.largest, fabs(d.energy));
        d.scale = fmax(d.scale, m.kinetic);
        d.angular = fmax(d.angular, vec_change(m.angular, first.angular));
        if (!good) {
            d.energy = NAN;
            break;
        }
    }
    d.hash = rg_world_hash(world);
    return d;
}

static void bench_tip(BenchOut *out)
{
    static const char *const runs[3][2] = {{"rk4", "minimal"}, {"rk4", "maximal"}, {"semi-implicit", "minimal"}};
    RgModel *model = scene_chain(100);
    for (int i = 0; i < 3; i++) {
        BenchRow row = {.scene = "chain (100)", .what = runs[i][0], .coords = runs[i][1], .unit = "m"};
        RgWorld *world = start(model, row.coords, row.what, NULL);
        Drift d = run(world, 2.0);
        RgVec3 tip = rg_world_frame_pose(world, rg_model_find_frame(model, "tip")).p;
        row.value = vec_distance(tip, vec(chain_tip[0], chain_tip[1], chain_tip[2]));
        row.error = fabs(d.energy) / CHAIN_ENERGY;
        row.error_unit = "energy";
        row.hash = d.hash;
        bench_row(out, &row);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* Every stepper in both forms, 10 s. fill gets value and error from the results. */
static void bench_all(BenchOut *out, BenchRow row, RgModel *model, const double *v,
                      void (*fill)(BenchRow *row, const Drift *d))
{
    for (int i = 0; i < rg_stepper_count() * rg_coords_count(); i++) {
        row.what = rg_stepper_name(i % rg_stepper_count());
        row.coords = rg_coords_name(i / rg_stepper_count());
        RgWorld *world = start(model, row.coords, row.what, v);
        Drift d = run(world, 10.0);
        fill(&row, &d);
        row.hash = d.hash;
        bench_row(out, &row);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

static void fill_pendulum(BenchRow *row, const Drift *d)
{
    row->value = d->energy;
    row->error = d->largest;
}

static void fill_box(BenchRow *row, const Drift *d)
{
    row->value = isnan(d->energy) ? NAN : d->largest / d->scale;
    row->error = d->angular;
}

void bench_accuracy(BenchOut *out)
{
    static const double spin[6] = {0.1, 5.0, 0.1, -2.0, 2.0, 8.0};
    bench_title(out, "Chain of 100 from horizontal, 2 s",
                "value: distance of the last rod's centre from the reference; error: change of energy at the "
                "end, part "
                "of 49,050 J");
    bench_tip(out);
    bench_title(out, "Double pendulum, inertia ratio 6,000, 10 s from horizontal (18.9 J)",
                "value: energy gained (other engines with Euler's method: -4.6 J); error: largest change on the way");
    BenchRow pendulum = {.scene = "double pendulum", .unit = "J", .error_unit = "J"};
    bench_all(out, pendulum, scene_double_pendulum(), NULL, fill_pendulum);
    bench_title(out, "Free box 0.1 x 0.4 x 0.9 m, 10 s of tumbling flight",
                "value: largest change of energy, part of the kinetic; error: change of angular momentum, relative");
    BenchRow box = {.scene = "box", .unit = "energy", .error_unit = "L"};
    bench_all(out, box, scene_box(), spin, fill_box);
}
