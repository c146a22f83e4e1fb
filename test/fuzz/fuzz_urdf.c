/* fuzz_urdf.c - any bytes as a URDF document: read without meshes, then built. Nothing may crash, leak or run
   wild. */
#include <rigor/scene.h>

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    RgReadOptions options = rg_read_options_default();
    options.skip_meshes = true;
    RgBuilder *builder = rg_builder_create(NULL, NULL);
    RgError error;
    if (rg_read_memory(builder, "fuzz.urdf", data, size, &options, &error) == RG_OK)
        rg_model_destroy(rg_builder_finish(builder, &error));
    rg_builder_destroy(builder);
    return 0;
}
