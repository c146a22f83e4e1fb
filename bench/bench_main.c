/*
 * bench_main.c - rigor-bench: speed with error, single thread.
 *
 *   rigor-bench [--csv FILE] [--quick] [kernels] [steps] [accuracy] [collision] [growth]
 *
 * Every row has a time, an error and a hash of the result, which shows speed gained by larger errors or other results.
 * Ratios over 1 are in our favour.
 */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

uint64_t bench_hash(const double *numbers, int count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < (size_t)count * sizeof *numbers; i++) {
        unsigned char byte;
        memcpy(&byte, (const char *)numbers + i, 1);
        hash = (hash ^ byte) * UINT64_C(0x100000001b3);
    }
    return hash;
}

void bench_fail(const char *what)
{
    fprintf(stderr, "rigor-bench: %s failed\n", what);
    exit(1);
}

void bench_title(BenchOut *out, const char *title, const char *note)
{
    (void)out;
    printf("\n%s\n%s\n", title, note);
    printf("%-16s %-22s %-8s %12s %-8s %26s %26s %10s %-6s %s\n", "scene", "what", "coords", "value", "unit",
           "reference", "reference", "error", "", "hash");
}

/* How many times better we are. */
static double ratio(const BenchRow *row, double peer)
{
    return row->more_is_better ? row->value / peer : peer / row->value;
}

static void print_peer(const BenchRow *row, const BenchPeer *peer)
{
    char text[64] = "";
    if (peer->value > 0.0)
        snprintf(text, sizeof text, "%s %.6g: %.2fx", peer->name, peer->value, ratio(row, peer->value));
    printf(" %26s", text);
}

void bench_row(BenchOut *out, const BenchRow *row)
{
    char error[32] = "";
    if (!isnan(row->error))
        snprintf(error, sizeof error, "%.2e", row->error);
    const char *error_unit = row->error_unit != NULL ? row->error_unit : "";
    char value[32] = "refused";
    if (!isnan(row->value))
        snprintf(value, sizeof value, "%.6g", row->value);
    printf("%-16s %-22s %-8s %12s %-8s", row->scene, row->what, row->coords, value, row->unit);
    print_peer(row, &row->peer[0]);
    print_peer(row, &row->peer[1]);
    char hash[24] = "";
    if (row->hash != 0)
        snprintf(hash, sizeof hash, "%016" PRIx64, row->hash);
    printf(" %10s %-6s %s\n", error, error_unit, hash);
    fflush(stdout);
    if (out->csv == NULL)
        return;
    fprintf(out->csv, "%s,\"%s\",%s,%s,%s", row->scene, row->what, row->coords, value, row->unit);
    for (int i = 0; i < 2; i++) {
        const BenchPeer *peer = &row->peer[i];
        if (peer->value > 0.0)
            fprintf(out->csv, ",%s,%.6g,%.3f", peer->name, peer->value, ratio(row, peer->value));
        else
            fprintf(out->csv, ",,,");
    }
    fprintf(out->csv, ",%s,%s,%s\n", error, error_unit, hash);
}

/* CPU model of this machine, for the head of the table. */
static void print_machine(void)
{
    char line[256] = "";
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL && strncmp(line, "model name", 10) != 0)
        line[0] = '\0';
    if (file != NULL)
        fclose(file);
    const char *colon = strchr(line, ':');
    printf("Rigor %s, one thread, %s", rg_version(), colon != NULL ? colon + 2 : "unknown processor\n");
}

static FILE *open_csv(const char *path)
{
    FILE *csv = fopen(path, "w");
    bench_expect(csv != NULL, path);
    fprintf(csv, "scene,what,coords,value,unit,peer1,peer1_value,peer1_ratio,peer2,peer2_value,peer2_ratio,"
                 "error,error_unit,hash\n");
    return csv;
}

/* The tables by name. */
static const struct {
    const char *name;
    void (*run)(BenchOut *out);
} tables[] = {{"kernels", bench_kernels},
              {"steps", bench_steps},
              {"accuracy", bench_accuracy},
              {"collision", bench_collision},
              {"growth", bench_growth}};
enum { TABLES = sizeof tables / sizeof tables[0] };

static bool choose_table(const char *name, bool chosen[TABLES])
{
    for (int i = 0; i < TABLES; i++) {
        if (strcmp(tables[i].name, name) == 0) {
            chosen[i] = true;
            return true;
        }
    }
    return false;
}

int main(int argc, char **argv)
{
    BenchOut out = {NULL, false};
    bool chosen[TABLES] = {false}, all = true;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--csv") == 0 && i + 1 < argc)
            out.csv = open_csv(argv[++i]);
        else if (strcmp(argv[i], "--quick") == 0)
            out.quick = true;
        else if (choose_table(argv[i], chosen))
            all = false;
        else {
            fprintf(stderr, "usage: rigor-bench [--csv FILE] [--quick] [kernels] [steps] [accuracy] [collision] "
                            "[growth]\n");
            return 2;
        }
    }
    print_machine();
    for (int i = 0; i < TABLES; i++)
        if (all || chosen[i])
            tables[i].run(&out);
    if (out.csv != NULL)
        bench_expect(fclose(out.csv) == 0, "writing the CSV file");
    return 0;
}
