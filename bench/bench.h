/*
 * bench.h - one row a measurement: what was measured, beside whose number it stands, what error it had, and
 * the hash of the result.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <rigor/rigor.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A number of another engine, from bench_reference.h; value 0: none. */
typedef struct BenchPeer {
    const char *name;
    double value;
} BenchPeer;

typedef struct BenchRow {
    const char *scene, *what, *coords;
    double value; /* NaN: the library refused a step */
    const char *unit;
    bool more_is_better; /* steps/s; otherwise a time or an error */
    BenchPeer peer[2];
    double error; /* NaN: not measured */
    const char *error_unit;
    uint64_t hash; /* 0: none */
} BenchRow;

/* Outputs of rows. csv may be NULL. */
typedef struct BenchOut {
    FILE *csv;
    bool quick; /* fewer repeats, for a quick check */
} BenchOut;

void bench_title(BenchOut *out, const char *title, const char *note);
void bench_row(BenchOut *out, const BenchRow *row);

/* Seconds of processor time of this process: what others do on the machine does not count. */
double bench_now(void);

/* FNV-1a over the bytes. */
uint64_t bench_hash(const double *numbers, int count);

/* Ends the program with the name of what failed. */
_Noreturn void bench_fail(const char *what);

static inline void bench_expect(bool good, const char *what)
{
    if (!good)
        bench_fail(what);
}

/* Ends the program where it cannot be made. */
static inline RgWorld *bench_world(const RgModel *model, const char *coords, const char *stepper)
{
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    def.coords = coords;
    def.stepper = stepper;
    RgWorld *world = rg_world_create(&def, NULL);
    bench_expect(world != NULL, "rg_world_create");
    return world;
}

void bench_kernels(BenchOut *out);
void bench_steps(BenchOut *out);
void bench_accuracy(BenchOut *out);
void bench_collision(BenchOut *out);
void bench_growth(BenchOut *out);

#endif
