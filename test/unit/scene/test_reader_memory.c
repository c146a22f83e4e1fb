/* Memory that runs out at any moment of a reading: a clear error, and every block given back. */
#include "scene_fixture.h"

#include <stdlib.h>

typedef struct Meter {
    long calls, allowed, live;
} Meter;

static void *meter_alloc(size_t bytes, void *context)
{
    Meter *meter = context;
    if (meter->calls++ >= meter->allowed)
        return NULL;
    meter->live++;
    return malloc(bytes);
}

static void meter_release(void *block, void *context)
{
    Meter *meter = context;
    meter->live -= block != NULL;
    free(block);
}

static RgStatus read_with(Meter *meter, const char *path, RgError *error)
{
    RgAllocator allocator = {meter_alloc, meter_release, meter};
    RgBuilder *builder = rg_builder_create(&allocator, NULL);
    if (builder == NULL)
        return RG_ERR_MEMORY;
    RgStatus status = rg_read_file(builder, path, NULL, error);
    rg_builder_destroy(builder);
    return status;
}

static void starve(const char *path)
{
    RgError error = {0};
    Meter all = {0, 1000000, 0};
    cr_assert_eq(read_with(&all, path, &error), RG_OK, "%s", error.text);
    cr_expect_eq(all.live, 0);
    for (long allowed = 0; allowed < all.calls; allowed++) {
        Meter meter = {0, allowed, 0};
        cr_expect_eq(read_with(&meter, path, &error), RG_ERR_MEMORY, "%ld of %ld allocations: %s", allowed, all.calls,
                     error.text);
        cr_expect_eq(meter.live, 0, "%ld blocks lost after %ld allocations", meter.live, allowed);
    }
}

Test(reader_memory, urdf_with_meshes)
{
    starve(DATA_DIR "/package/robot.urdf");
}

Test(reader_memory, sdf_with_filters)
{
    starve(DATA_DIR "/models/timid/model.sdf");
}

Test(reader_memory, sdf_with_includes)
{
    starve(DATA_DIR "/models/world.sdf");
}
