/*
 * fuzz_trajectory.c - any bytes as a table of a trajectory: the first says which ends the spline has, the rest is the
 * file. A table that is taken gives finite numbers at every time; one that is refused says why.
 *
 * The public way to a table is a file, so the input is written to one under TMPDIR (or /tmp), removed at the end.
 */
#define _POSIX_C_SOURCE 200809L
#include <rigor/control.h>

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[512];

static void remove_file(void)
{
    unlink(path);
}

static int make_file(void)
{
    const char *place = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/rigor-fuzz-XXXXXX", place != NULL ? place : "/tmp");
    int file = mkstemp(path);
    return file >= 0 && close(file) == 0 && atexit(remove_file) == 0;
}

/* Before, at, between and after the knots. */
static void use(const RgTrajectory *trajectory)
{
    const double times[] = {-1e300, -1.0, 0.0, 1e-9, 0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 1e3, 1e300, (double)NAN};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        RgReference out[2];
        rg_trajectory_at(trajectory, times[i], out);
        for (int k = 0; k < 2; k++)
            if (!isfinite(out[k].position) || !isfinite(out[k].velocity) || !isfinite(out[k].acceleration))
                abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"a", "b"};
    if ((path[0] == '\0' && !make_file()) || size == 0)
        return 0;
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(data + 1, 1, size - 1, file) != size - 1 || fclose(file) != 0)
        abort();
    RgTrajectoryDef def = rg_trajectory_def_default();
    def.kind = "csv";
    def.naxes = 2;
    def.names = names;
    def.file = path;
    def.periodic = data[0] % 3 == 1;
    def.natural = data[0] % 3 == 2;
    RgError error = {.status = RG_OK};
    RgTrajectory *trajectory = rg_trajectory_create(&def, &error);
    if (trajectory != NULL)
        use(trajectory);
    else if (error.text[0] == '\0')
        abort();
    rg_trajectory_destroy(trajectory);
    return 0;
}
