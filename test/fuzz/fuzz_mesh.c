/*
 * fuzz_mesh.c - any bytes as a mesh, once as OBJ and once as STL: read through a robot of one link, built,
 * weighed, and made a surface that is asked for a ray.
 *
 * The public way to a mesh is a file, so the input is written to a folder of its own under TMPDIR (or /tmp),
 * removed at the end.
 */
#define _POSIX_C_SOURCE 200809L
#include <rigor/collision.h>
#include <rigor/scene.h>

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const endings[] = {"obj", "stl"};
static char folder[512];

static void mesh_path(int format, char *path, size_t size)
{
    snprintf(path, size, "%s/mesh.%s", folder, endings[format]);
}

static void remove_folder(void)
{
    char path[600];
    for (int i = 0; i < 2; i++) {
        mesh_path(i, path, sizeof path);
        unlink(path);
    }
    rmdir(folder);
}

static int make_folder(void)
{
    const char *place = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/rigor-fuzz-XXXXXX", place != NULL ? place : "/tmp");
    return mkdtemp(folder) != NULL && atexit(remove_folder) == 0;
}

/* A mesh that the reader let through is refused for a reason, or answers with finite numbers. */
static void use_surface(RgShapeDef *def)
{
    RgGeometry *geometry;
    RgError error;
    def->mesh_use = RG_MESH_SURFACE;
    RgStatus status = rg_geometry_create(def, NULL, &geometry, &error);
    if (status != RG_OK) {
        if (geometry != NULL || error.text[0] == '\0')
            abort();
        return;
    }
    RgPlaced placed = {geometry, {{{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}}, {0.0, 0.0, 0.0}}};
    RgVec3 to = rg_geometry_info(geometry).centre;
    RgRay ray = {{to.x, to.y, to.z + 1.0}, {0.1, 0.2, -1.0}, INFINITY};
    RgRayHit hit;
    if (rg_ray_cast(&placed, &ray, &hit) && !(isfinite(hit.distance) && isfinite(hit.normal.z)))
        abort();
    rg_geometry_destroy(geometry);
}

static void read_robot(const char *path)
{
    char robot[900];
    snprintf(robot, sizeof robot,
             "<robot name='r'><link name='l'><collision><geometry><mesh "
             "filename='%s'/></geometry></collision></link></robot>",
             path);
    RgBuilder *builder = rg_builder_create(NULL, NULL);
    RgError error;
    RgModel *model = NULL;
    if (rg_read_memory(builder, "fuzz.urdf", robot, strlen(robot), NULL, &error) == RG_OK)
        model = rg_builder_finish(builder, &error);

    /* What was read must be fit to be weighed. */
    if (model != NULL && rg_model_info(model).shapes == 1) {
        RgShapeInfo info = rg_model_shape(model, (RgShapeId){1});
        RgShapeDef def = rg_shape_def_default();
        RgInertia inertia;
        def.type = info.type;
        def.mesh = info.mesh;
        rg_shape_inertia(&def, 1000.0, &inertia);
        use_surface(&def);
    }
    rg_model_destroy(model);
    rg_builder_destroy(builder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (folder[0] == '\0' && !make_folder())
        abort();
    for (int i = 0; i < 2; i++) {
        char path[600];
        mesh_path(i, path, sizeof path);
        FILE *file = fopen(path, "wb");
        if (file == NULL || fwrite(data, 1, size, file) != size || fclose(file) != 0)
            abort();
        read_robot(path);
    }
    return 0;
}
