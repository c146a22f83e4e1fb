/* OBJ and STL: one tetrahedron in three files is one mesh; and every file that is refused. */
#include "scene/mesh_file.h"

#include "scene_fixture.h"

#include <stdlib.h>

static RgArena arena;

static void start(void)
{
    rg_arena_init(&arena, NULL);
}

static void stop(void)
{
    rg_arena_free(&arena);
}

TestSuite(mesh_file, .init = start, .fini = stop);

static RgStatus parse(const char *file, const void *data, size_t size, RgMeshData *mesh, RgError *error)
{
    RgMeshInput input = {file, data, size};
    memset(error, 0, sizeof *error);
    return rg_mesh_format(file)->parse(&input, &arena, mesh, error);
}

/* Six times the volume, from the faces: says that faces, order and vertices are right. */
static double six_volumes(const RgMeshData *mesh)
{
    double sum = 0.0;
    for (int i = 0; i < mesh->nfaces; i++) {
        const double *a = mesh->vertices + 3 * mesh->faces[3 * i], *b = mesh->vertices + 3 * mesh->faces[3 * i + 1],
                     *c = mesh->vertices + 3 * mesh->faces[3 * i + 2];
        sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return sum;
}

Test(mesh_file, three_formats_give_the_same_tetrahedron)
{
    Doc *doc = doc_good(doc_read(DATA_DIR "/package/robot.urdf", NULL));
    for (int i = 0; i < 3; i++) {
        const RgShapeDef *shape = &doc->builder->shapes[i];
        cr_expect_eq(shape->mesh.nvertices, 4, "shape %d", i);
        cr_expect_eq(shape->mesh.nfaces, 4, "shape %d", i);
        CHECK_NEAR(six_volumes(&shape->mesh), 1.0, 1e-15, "m^3");
        cr_expect_not(shape->uri_missing);
    }
    CHECK_NEAR(doc->builder->shapes[0].size[1], 2.0, 0.0, "1");
    doc_free(doc);
}

Test(mesh_file, missing_files_and_other_formats_are_remarks)
{
    Doc *doc = doc_good(doc_read(DATA_DIR "/package/robot.urdf", NULL));
    const RgShapeDef *shapes = doc->builder->shapes;
    cr_expect_eq(doc->builder->nshapes, 7);
    cr_expect(!shapes[3].uri_missing && shapes[3].mesh.nvertices == 0, "a DAE file is there but not read");
    cr_expect(shapes[4].uri_missing && shapes[5].uri_missing);
    cr_expect_str_eq(shapes[4].uri, "package://nowhere/tetra.obj");
    cr_expect_eq(count_text(doc->log, "DAE meshes are not read: convert to OBJ or STL"), 2, "%s", doc->log);
    cr_expect_eq(count_text(doc->log, "is not found"), 2, "%s", doc->log);
    cr_expect_not_null(strstr(doc->log, "7: mesh 'package://nowhere/tetra.obj' is not found\n"), "%s", doc->log);
    doc_free(doc);
}

Test(mesh_file, skipped_meshes_are_not_looked_for)
{
    RgReadOptions options = rg_read_options_default();
    options.skip_meshes = true;
    Doc *doc = doc_good(doc_read_with(DATA_DIR "/package/robot.urdf", NULL, &options));
    for (int i = 0; i < 7; i++)
        cr_expect(doc->builder->shapes[i].mesh.nvertices == 0 && !doc->builder->shapes[i].uri_missing);
    cr_expect_str_empty(doc->log);
    doc_free(doc);
}

Test(mesh_file, a_malformed_mesh_is_an_error_with_its_own_file_and_line)
{
    Doc *doc =
        doc_read(DATA_DIR "/package/x.urdf", "<robot name='r'><link name='l'><visual><geometry>"
                                             "<mesh filename='meshes/broken.obj'/></geometry></visual></link></robot>");
    cr_expect_null(doc->model);
    cr_expect_eq(doc->error.line, 4);
    cr_expect_not_null(strstr(doc->error.file, "broken.obj"));
    cr_expect_not_null(strstr(doc->error.text, "found '9'"), "%s", doc->error.text);
    doc_free(doc);
}

static void expect_refused(const char *file, const char *text, int line, const char *word)
{
    RgMeshData mesh;
    RgError error;
    cr_expect_neq(parse(file, text, strlen(text), &mesh, &error), RG_OK, "accepted: %s", text);
    cr_expect_not_null(strstr(error.text, word), "'%s' has no '%s'", error.text, word);
    cr_expect_eq(error.line, line, "line %d: %s", error.line, error.text);
}

Test(mesh_file, bad_obj_files)
{
    expect_refused("m.obj", "", 0, "without faces");
    expect_refused("m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n", 0, "without faces");
    expect_refused("m.obj", "v 0 0\nf 1 1 1\n", 1, "three finite numbers");
    expect_refused("m.obj", "v 0 0 nan\nv 0 0 0\nv 0 0 0\nf 1 2 3", 1, "three finite numbers");
    expect_refused("m.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n", 3, "at least three corners");
    expect_refused("m.obj", "v 0 0 0\n\n\nf 1 1 -2\n", 4, "found '-2'");
    expect_refused("m.obj", "v 0 0 0\nf 1 0 1\n", 2, "found '0'");
    expect_refused("m.obj", "v 0 0 0\nf 1 1 99999999999999999999\n", 2, "found '9");
}

Test(mesh_file, bad_stl_files)
{
    expect_refused("m.stl", "solid\nendsolid\n", 0, "without triangles");
    expect_refused("m.stl", "solid\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\nendsolid", 5, "2 corners");
    expect_refused("m.stl", "solid\nvertex 0 0 0 vertex 1 0 0 vertex 0 1 0\nvertex 0 0 1 endloop", 3,
                   "more than three");
    expect_refused("m.stl", "solid\nvertex 0 0 x vertex 1 0 0 vertex 0 1 0 endloop", 2, "three finite numbers");
    expect_refused("m.stl", "solid\nvertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endloop\n", 3, "ends early");
    expect_refused("m.stl", "binary", 0, "ends early");
}

Test(mesh_file, binary_stl_files_are_measured)
{
    unsigned char bytes[84 + 50] = {0};
    RgMeshData mesh;
    RgError error;
    float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    bytes[80] = 1;
    memcpy(bytes + 96, corners, sizeof corners);
    cr_expect_eq(parse("m.stl", bytes, sizeof bytes, &mesh, &error), RG_OK);
    cr_expect_eq(mesh.nfaces, 1);

    /* One triangle promised, none there; two thousand million promised. */
    cr_expect_eq(parse("m.stl", bytes, 100, &mesh, &error), RG_ERR_SYNTAX);
    bytes[83] = 0x7f;
    cr_expect_eq(parse("m.stl", bytes, sizeof bytes, &mesh, &error), RG_ERR_SYNTAX);
    cr_expect_not_null(strstr(error.text, "ends early"));
    bytes[83] = 0;

    /* An infinite corner, then one that equals another. */
    corners[0] = INFINITY;
    memcpy(bytes + 96, corners, sizeof corners);
    cr_expect_eq(parse("m.stl", bytes, sizeof bytes, &mesh, &error), RG_ERR_NOT_FINITE);
    corners[0] = 1;
    memcpy(bytes + 96, corners, sizeof corners);
    cr_expect_eq(parse("m.stl", bytes, sizeof bytes, &mesh, &error), RG_ERR_SYNTAX, "only a flat triangle is left");
}

/* Two tetrahedra apart, the second one's faces written in two ways of naming objects. */
#define TETRA_VERTICES "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
#define TETRA_FACES "f -4 -2 -3\nf -4 -3 -1\nf -4 -1 -2\nf -3 -2 -1\n"

static void expect_parts(const char *file, const char *text, int nparts, const int32_t *starts)
{
    RgMeshData mesh;
    RgError error;
    cr_assert_eq(parse(file, text, strlen(text), &mesh, &error), RG_OK, "%s", error.text);
    cr_expect_eq(mesh.nparts, nparts, "%d parts, expected %d, in\n%s", mesh.nparts, nparts, text);
    cr_expect_eq(mesh.part_start == NULL, nparts == 0);
    for (int i = 0; mesh.nparts == nparts && nparts > 0 && i <= nparts; i++)
        cr_expect_eq(mesh.part_start[i], starts[i], "part %d begins at %d", i, mesh.part_start[i]);
}

Test(mesh_file, objects_of_an_obj_file_are_its_parts)
{
    expect_parts("m.obj", TETRA_VERTICES TETRA_FACES, 0, NULL);
    expect_parts("m.obj", "o a\n" TETRA_VERTICES TETRA_FACES, 0, NULL);
    expect_parts("m.obj", "o a\n" TETRA_VERTICES TETRA_FACES "o b\n" TETRA_VERTICES TETRA_FACES, 2,
                 (int32_t[]){0, 4, 8});
    expect_parts("m.obj", "g a\n" TETRA_VERTICES TETRA_FACES "g b\n" TETRA_FACES "g c\n" TETRA_FACES, 3,
                 (int32_t[]){0, 4, 8, 12});

    /* Faces before the first object; a polygon is cut into two triangles. */
    expect_parts("m.obj", TETRA_VERTICES "f 1 2 3 4\no b\n" TETRA_FACES, 2, (int32_t[]){0, 2, 6});

    /* Objects without faces make no part, at the start, between and at the end. */
    expect_parts("m.obj", "o none\no a\n" TETRA_VERTICES TETRA_FACES "o empty\no b\n" TETRA_FACES "o last\n", 2,
                 (int32_t[]){0, 4, 8});

    /* Where there are objects, groups in them are of no account; nor is a name that is said again. */
    expect_parts("m.obj", "o a\ng x\n" TETRA_VERTICES TETRA_FACES "g y\n" TETRA_FACES, 0, NULL);
    expect_parts("m.obj", "g y\n" TETRA_VERTICES TETRA_FACES "o a\n" TETRA_FACES "g x\n" TETRA_FACES, 2,
                 (int32_t[]){0, 4, 12});
    expect_parts("m.obj", "g a b \r\n" TETRA_VERTICES TETRA_FACES "usemtl red\ng a b\n" TETRA_FACES, 0, NULL);
    expect_parts("m.obj", "g a b\n" TETRA_VERTICES TETRA_FACES "g a c\n" TETRA_FACES "g\n" TETRA_FACES, 3,
                 (int32_t[]){0, 4, 8, 12});
}

#define FACET(x)                                                                                                       \
    "facet normal 0 0 1\nouter loop\nvertex 0 0 " x "\nvertex 1 0 " x "\nvertex 0 1 " x "\nendloop\nendfacet\n"

Test(mesh_file, solids_of_an_stl_file_are_its_parts)
{
    expect_parts("m.stl", "solid a\n" FACET("0") FACET("1") "endsolid a\n", 0, NULL);
    expect_parts("m.stl", "solid a\n" FACET("0") FACET("1") "endsolid a\nsolid b\n" FACET("2") "endsolid b\n", 2,
                 (int32_t[]){0, 2, 3});
    expect_parts("m.stl",
                 "solid\nendsolid\nsolid a\n" FACET("0") "endsolid\nsolid\nendsolid\nsolid\n" FACET(
                     "1") "endsolid\nsolid\nendsolid\n",
                 2, (int32_t[]){0, 1, 2});
}

/* The parts come through the reader and the builder into the model. */
Test(mesh_file, parts_reach_the_model)
{
    Doc *doc = doc_good(doc_read(DATA_DIR "/package/x.urdf",
                                 "<robot name='r'><link name='l'><collision><geometry>"
                                 "<mesh filename='meshes/two.obj'/></geometry></collision></link></robot>"));
    RgMeshData mesh = rg_model_shape(doc->model, (RgShapeId){1}).mesh;
    cr_assert_eq(mesh.nparts, 2);
    cr_expect(mesh.part_start[0] == 0 && mesh.part_start[1] == 4 && mesh.part_start[2] == 8);
    doc_free(doc);
}

Test(mesh_file, formats_go_by_the_ending)
{
    cr_expect_eq(rg_mesh_format("A.OBJ"), &rg_mesh_format_obj);
    cr_expect_eq(rg_mesh_format("x/y.Stl"), &rg_mesh_format_stl);
    cr_expect_null(rg_mesh_format("x.dae"));
    cr_expect_null(rg_mesh_format("obj"));
}
