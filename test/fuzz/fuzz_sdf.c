/*
 * fuzz_sdf.c - any bytes as an SDF document: read without meshes, once as it is and once with every root
 * welded, then built.
 *
 * Documents with includes are left out: what they do depends on the disk.
 */
#include <rigor/scene.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool holds(const uint8_t *data, size_t size, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= size; i++)
        if (memcmp(data + i, word, length) == 0)
            return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (holds(data, size, "include"))
        return 0;
    static const RgBase bases[] = {RG_BASE_AUTO, RG_BASE_FIXED};
    for (int i = 0; i < 2; i++) {
        RgReadOptions options = rg_read_options_default();
        options.skip_meshes = true;
        options.base = bases[i];
        RgBuilder *builder = rg_builder_create(NULL, NULL);
        RgError error;
        if (rg_read_memory(builder, "fuzz.sdf", data, size, &options, &error) == RG_OK)
            rg_model_destroy(rg_builder_finish(builder, &error));
        rg_builder_destroy(builder);
    }
    return 0;
}
