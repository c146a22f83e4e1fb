/* Where the names in robot files lead to. */
#include "scene/uri.h"

#include "scene_fixture.h"

static const char *found(const char *from, const char *uri, const char *const *search, int nsearch)
{
    static char path[4096];
    RgReadOptions options = rg_read_options_default();
    options.search = search;
    options.nsearch = nsearch;
    RgReader reader = {.options = &options};
    rg_arena_init(&reader.arena, NULL);
    const char *result = rg_uri_find(&reader, from, uri);
    snprintf(path, sizeof path, "%s", result != NULL ? result : "");
    rg_arena_free(&reader.arena);
    return path;
}

static bool ends_in(const char *text, const char *end)
{
    return strlen(text) >= strlen(end) && strcmp(text + strlen(text) - strlen(end), end) == 0;
}

Test(uri, names_are_searched_from_the_file_upwards)
{
    static const char here[] = DATA_DIR "/package/meshes/some.urdf";
    cr_expect(ends_in(found(here, "tetra.obj", NULL, 0), "/package/meshes/tetra.obj"));
    cr_expect(ends_in(found(here, "file://tetra.obj", NULL, 0), "/package/meshes/tetra.obj"));
    cr_expect(ends_in(found(here, "package://meshes/tetra.obj", NULL, 0), "/package/meshes/tetra.obj"),
              "folder of that name");
    cr_expect(ends_in(found(here, "package://package/meshes/tetra.obj", NULL, 0), "/package/meshes/tetra.obj"));
    cr_expect(ends_in(found(here, "model://models/ball", NULL, 0), "/data/models/ball"), "a parent's child");
    cr_expect(ends_in(found(here, DATA_DIR "/package/meshes/tetra.stl", NULL, 0), "/tetra.stl"), "absolute");
    cr_expect(ends_in(found(here, "file://" DATA_DIR "/package/meshes/tetra.stl", NULL, 0), "/tetra.stl"));
}

Test(uri, search_folders_come_between_the_own_folder_and_its_parents)
{
    static const char *const search[] = {"/nowhere", DATA_DIR "/models/../package/meshes", DATA_DIR "/package/meshes"};
    static const char own[] = DATA_DIR "/package/meshes/some.urdf", deeper[] = DATA_DIR "/package/meshes/x/some.urdf";
    static const char plain[] = "/data/package/meshes/tetra.obj", by_search[] = "/models/../package/meshes/tetra.obj";
    cr_expect(ends_in(found(own, "tetra.obj", search, 3), plain), "own folder");
    cr_expect(ends_in(found(deeper, "tetra.obj", search, 3), by_search), "search folders in order");
    cr_expect(ends_in(found(deeper, "package://meshes/tetra.obj", search, 3), by_search));
    cr_expect(ends_in(found(deeper, "tetra.obj", search, 1), plain), "a parent at last");
}

Test(uri, search_folders)
{
    static const char *const search[] = {"/nowhere", DATA_DIR "/models"};
    static const char here[] = "/tmp/some.sdf";
    cr_expect_str_empty(found(here, "model://ball", search, 1));
    cr_expect(ends_in(found(here, "model://ball", search, 2), "/models/ball/"), "%s",
              found(here, "model://ball", search, 2));
    cr_expect(ends_in(found(here, "model://models/ball/ball.sdf", search, 2), "/models/ball/ball.sdf"));
    cr_expect(ends_in(found(here, "ball/ball.sdf", search, 2), "/models/ball/ball.sdf"));
}

Test(uri, what_is_never_found)
{
    static const char here[] = DATA_DIR "/package/robot.urdf";
    static const char *const names[] = {"",
                                        "http://x.org/tetra.obj",
                                        "package://",
                                        "model:///x",
                                        "package://package/none.obj",
                                        "/dev/null",
                                        "none",
                                        "file://"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        cr_expect_str_empty(found(here, names[i], NULL, 0), "%s", names[i]);
}
