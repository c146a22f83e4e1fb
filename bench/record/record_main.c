/*
 * record_main.c - rigor-bench-record: speed of writing and reading recordings and tables, one thread.
 *
 *   rigor-bench-record MODEL [FILE.npz]...
 *
 * Steps a model 4,000 times by 1 ms and records every step as MCAP (the time of the steps is not counted), reads the file
 * back, exports it as CSV, and reads the given NPZ files. Best processor time of three runs.
 */
#define _POSIX_C_SOURCE 200809L
#include <rigor/rigor.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FRAMES = 4000, RUNS = 3 };

static char path[] = "/tmp/rigor-bench-record-XXXXXX";

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void require(bool good, const RgError *error)
{
    if (good)
        return;
    fprintf(stderr, "rigor-bench-record: %s\n", error->text);
    exit(1);
}

static double file_size(const char *name)
{
    struct stat info;
    return stat(name, &info) == 0 ? (double)info.st_size : 0.0;
}

static double write_mcap(const RgModel *model)
{
    RgError error = {.text = "a frame cannot be recorded"};
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    RgWorld *world = rg_world_create(&def, &error);
    require(world != NULL, &error);
    double start = now();
    RgRecorder *recorder = rg_recorder_create(model, path, "mcap", &error);
    require(recorder != NULL, &error);
    double seconds = now() - start;
    for (int i = 0; i < FRAMES; i++) {
        require(rg_world_step(world, 1e-3, NULL) == RG_OK, &error);
        start = now();
        require(rg_recorder_add(recorder, world) == RG_OK, &error);
        seconds += now() - start;
    }
    start = now();
    require(rg_recorder_finish(recorder, &error) == RG_OK, &error);
    seconds += now() - start;
    rg_world_destroy(world);
    return seconds;
}

static double read_mcap(void)
{
    RgError error;
    double start = now();
    RgRecording *recording = rg_recording_open(path, &error);
    require(recording != NULL, &error);
    for (RgMessage message = {.data = ""}; message.data != NULL;)
        require(rg_recording_next(recording, &message, &error) == RG_OK, &error);
    rg_recording_close(recording);
    return now() - start;
}

static double export_mcap(void)
{
    RgError error;
    double start = now();
    require(rg_recording_export(path, "/dev/null", "csv", NULL, &error) == RG_OK, &error);
    return now() - start;
}

static double read_npz(const char *file, double *bytes)
{
    RgError error;
    double start = now();
    RgTable *table = rg_table_read(file, NULL, &error);
    require(table != NULL, &error);
    double seconds = now() - start;
    *bytes = 8.0 * (double)rg_table_rows(table) * rg_table_columns(table);
    rg_table_destroy(table);
    return seconds;
}

static void print_row(const char *what, double seconds, double bytes)
{
    printf("%-40s %9.4f s %9.2f MB %9.1f MB/s\n", what, seconds, 1e-6 * bytes, 1e-6 * bytes / seconds);
}

int main(int argc, char **argv)
{
    RgError error = {.text = "usage: rigor-bench-record MODEL [FILE.npz]..."};
    require(argc > 1, &error);
    RgModel *model = rg_model_load(argv[1], NULL, NULL, &error);
    require(model != NULL, &error);
    int file = mkstemp(path);
    if (file >= 0)
        close(file);

    double best[3] = {1e9, 1e9, 1e9};
    for (int i = 0; i < RUNS; i++) {
        const double seconds[3] = {write_mcap(model), read_mcap(), export_mcap()};
        for (int k = 0; k < 3; k++)
            best[k] = seconds[k] < best[k] ? seconds[k] : best[k];
    }
    print_row("write MCAP", best[0], file_size(path));
    print_row("read MCAP", best[1], file_size(path));
    print_row("export MCAP as CSV", best[2], file_size(path));
    for (int k = 2; k < argc; k++) {
        double least = 1e9, bytes = 0.0;
        for (int i = 0; i < RUNS; i++) {
            double seconds = read_npz(argv[k], &bytes);
            least = seconds < least ? seconds : least;
        }
        print_row(argv[k], least, bytes);
    }
    unlink(path);
    rg_model_destroy(model);
    return 0;
}
