/* test_recorder.c - a world's motion recorded in both formats. */
#define _DEFAULT_SOURCE

#include <rigor/record.h>

#include "record_files.h"
#include "worlds.h"

#include <math.h>

/* A tumbling box that floats, and a pendulum on the world. */
static RgModel *box_and_pendulum(void)
{
    RgBuilder *builder = rg_builder_create(NULL, NULL);
    RgLinkDef box = rg_link_def_default();
    box.name = "box";
    box.inertia = (RgInertia){.mass = 2.0, .I = {.xx = 0.1, .yy = 0.2, .zz = 0.25}};
    rg_builder_add_link(builder, &box);
    RgLinkDef rod = rg_link_def_default();
    rod.name = "rod, long";
    rod.inertia = (RgInertia){.mass = 1.0, .com = {0.0, 0.0, -0.5}, .I = {.xx = 0.1, .yy = 0.1, .zz = 0.01}};
    RgJointDef hinge = rg_joint_def_default();
    hinge.name = "hinge";
    hinge.type = RG_JOINT_revolute;
    hinge.child = rg_builder_add_link(builder, &rod);
    hinge.axis = (RgVec3){0.0, 1.0, 0.0};
    rg_builder_add_joint(builder, &hinge);
    RgError error = {0};
    RgModel *model = rg_builder_finish(builder, &error);
    cr_assert_not_null(model, "%s", error.text);
    rg_builder_destroy(builder);
    return model;
}

/* All velocities 0.3, 0.4, ... */
static RgWorld *moving_world(const RgModel *model)
{
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    RgWorld *world = world_make(&def);
    double v[16];
    for (int i = 0; i < rg_model_info(model).nv; i++)
        v[i] = 0.3 + 0.1 * i;
    cr_assert_eq(rg_world_set_state(world, NULL, v), RG_OK);
    return world;
}

/* Reads the last line of a text file as numbers; their count. */
static int last_row(const char *path, double *values, int room)
{
    static char text[65536];
    size_t size = file_read(path, text, sizeof text);
    cr_assert_gt(size, 1u);
    text[size - 1] = '\0';
    char *at = strrchr(text, '\n') + 1;
    int count = 0;
    while (count < room && *at != '\0') {
        values[count++] = strtod(at, &at);
        at += *at == ',';
    }
    return count;
}

/* The same columns, names and bits in both files. */
static const char compare_files[] =
    "import sys, csv, numpy as np\n"
    "z = np.load(sys.argv[1] + '/run.npz')\n"
    "rows = list(csv.reader(open(sys.argv[1] + '/run.csv', newline='')))\n"
    "table = np.array([[float(x) for x in row] for row in rows[1:]])\n"
    "n = len(table)\n"
    "parts = ('t', 'q', 'v', 'link_position', 'link_quaternion', 'energy', 'contact')\n"
    "flat = [z[a].reshape(n, -1) for a in parts]\n"
    "assert np.array_equal(table, np.hstack(flat))\n"
    "names = ['t'] + ['q:' + x for x in z['q_names']] + ['v:' + x for x in z['v_names']]\n"
    "names += ['link:%s:%s' % (x, a) for x in z['link_names'] for a in 'xyz']\n"
    "names += ['link:%s:q%s' % (x, a) for x in z['link_names'] for a in 'wxyz']\n"
    "names += ['energy:kinetic', 'energy:potential', 'contact:points', 'contact:work', 'contact:residual']\n"
    "assert rows[0] == names, rows[0]\n"
    "assert list(z['link_names']) == ['box', 'rod, long'] and n == 21\n"
    "assert np.allclose(np.linalg.norm(z['link_quaternion'], axis=2), 1, atol=1e-14)\n"
    "assert z['t'][-1] > z['t'][0]\n";

Test(recorder, both_formats_hold_the_motion)
{
    Folder folder = folder_make();
    FilePath npz = folder_file(&folder, "run.npz"), csv = folder_file(&folder, "run.csv");
    RgModel *model = box_and_pendulum();
    RgWorld *world = moving_world(model);
    RgRecorder *a = rg_recorder_create(model, npz.text, NULL, NULL),
               *b = rg_recorder_create(model, csv.text, "csv", NULL);
    cr_assert(a != NULL && b != NULL);
    for (int i = 0; i <= 20; i++) {
        cr_expect_eq(rg_recorder_add(a, world), RG_OK);
        cr_expect_eq(rg_recorder_add(b, world), RG_OK);
        if (i < 20)
            cr_assert_eq(rg_world_step(world, 0.01, NULL), RG_OK);
    }
    cr_expect_eq(rg_recorder_finish(a, NULL), RG_OK);
    cr_expect_eq(rg_recorder_finish(b, NULL), RG_OK);

    /* The last row of the text is the world as it is now, to the bit. */
    double row[64];
    cr_assert_eq(last_row(csv.text, row, 64), 1 + 8 + 7 + 2 * 7 + 2 + 3);
    cr_expect_eq(row[0], rg_world_time(world));
    for (int i = 0; i < 8; i++)
        cr_expect_eq(row[1 + i], rg_world_q(world)[i], "q[%d]", i);
    for (int i = 0; i < 7; i++)
        cr_expect_eq(row[9 + i], rg_world_v(world)[i], "v[%d]", i);
    RgPose X_WL = rg_world_link_pose(world, rg_model_find_link(model, "rod, long"));
    cr_expect(row[19] == X_WL.p.x && row[20] == X_WL.p.y && row[21] == X_WL.p.z);
    cr_expect_lt(fabs(2.0 * (row[26] * row[28] + row[27] * row[29]) - X_WL.R.m[0][2]), 1e-15, "turn about y");
    RgMomentum momentum;
    cr_expect_eq(rg_world_momentum(world, &momentum), RG_OK);
    cr_expect(row[30] == momentum.kinetic && row[31] == momentum.potential);

    bool judged = python_has("numpy");
    cr_expect(!judged || python_run(compare_files, folder.path));
    world_end(world, model);
    folder_remove(&folder);
    if (!judged)
        cr_skip_test("the archive was not opened: /usr/bin/python3 with numpy is not installed");
}

Test(recorder, unknown_formats_and_bad_paths_are_refused)
{
    RgModel *model = box_and_pendulum();
    RgError error = {0};
    cr_expect_null(rg_recorder_create(model, "/tmp/run.mat", NULL, &error));
    cr_expect_eq(error.status, RG_ERR_UNSUPPORTED);
    cr_expect_not_null(strstr(error.text, "'mat'; there are: npz csv"), "%s", error.text);
    cr_expect_null(rg_recorder_create(model, "/tmp/run.npz/run", NULL, &error));
    cr_expect_eq(error.status, RG_ERR_UNSUPPORTED, "a dot in a folder's name is no ending");
    cr_expect_null(rg_recorder_create(model, "/no/such/folder/run.csv", NULL, &error));
    cr_expect_eq(error.status, RG_ERR_FILE);
    cr_expect_null(rg_recorder_create(NULL, "/tmp/run.csv", NULL, &error));
    cr_expect_eq(error.status, RG_ERR_ARGUMENT);
    cr_expect_null(rg_recorder_create(model, NULL, "csv", NULL));
    cr_expect_eq(rg_recorder_finish(NULL, &error), RG_ERR_ARGUMENT);
    rg_model_destroy(model);
}

/* Rows of another model do not fit. */
Test(recorder, takes_only_worlds_of_its_model)
{
    RgModel *model = box_and_pendulum(), *other = box_and_pendulum();
    RgWorld *world = moving_world(other);
    RgRecorder *recorder = rg_recorder_create(model, "/dev/null", "csv", NULL);
    cr_assert_not_null(recorder);
    cr_expect_eq(rg_recorder_add(recorder, world), RG_ERR_ARGUMENT);
    cr_expect_eq(rg_recorder_add(recorder, NULL), RG_ERR_ARGUMENT);
    cr_expect_eq(rg_recorder_finish(recorder, NULL), RG_OK);
    world_end(world, model);
    rg_model_destroy(other);
}

/* A disk that fills up ends the recording; the end says so again, with the reason. */
Test(recorder, full_disk_ends_the_recording)
{
    if (access("/dev/full", W_OK) != 0)
        cr_skip_test("there is no /dev/full");
    RgModel *model = box_and_pendulum();
    RgWorld *world = moving_world(model);
    RgRecorder *recorder = rg_recorder_create(model, "/dev/full", "csv", NULL);
    cr_assert_not_null(recorder);
    int rows = 0;
    while (rows < 10000 && rg_recorder_add(recorder, world) == RG_OK)
        rows++;
    cr_expect_lt(rows, 10000);
    cr_expect_eq(rg_recorder_add(recorder, world), RG_ERR_FILE);
    RgError error = {0};
    cr_expect_eq(rg_recorder_finish(recorder, &error), RG_ERR_FILE);
    cr_expect_not_null(strstr(error.text, "No space"), "%s", error.text);
    world_end(world, model);
}
