/* test_record_npz.c - recordings as NPZ, judged by numpy. */
#define _DEFAULT_SOURCE

#include "record_files.h"
#include "rows.h"

#include <signal.h>
#include <sys/resource.h>

/* Every array has its shape, type and numbers, to the bit; the number of rows is the second argument's. */
static const char read_rows[] =
    "import sys, numpy as np\n"
    "z = np.load(sys.argv[1])\n"
    "n = len(z['t'])\n"
    "all = np.array([[(37 * i + j) / 10 for j in range(25)] for i in range(n)]).reshape(n, 25)\n"
    "def same(name, shape, a, b):\n"
    "    assert z[name].shape == shape and z[name].dtype == np.float64, (name, z[name].shape)\n"
    "    assert np.array_equal(z[name], all[:, a:b].reshape(shape)), name\n"
    "same('t', (n,), 0, 1)\n"
    "same('q', (n, 2), 1, 3)\n"
    "same('v', (n, 3), 3, 6)\n"
    "same('link_position', (n, 2, 3), 6, 12)\n"
    "same('link_quaternion', (n, 2, 4), 12, 20)\n"
    "same('energy', (n, 2), 20, 22)\n"
    "same('contact', (n, 3), 22, 25)\n"
    "assert list(z['q_names']) == ['shoulder', 'a, \"b\"'], z['q_names']\n"
    "assert list(z['v_names']) == ['wrist[0]', 'wrist[1]', 'wrist[2]']\n"
    "assert list(z['link_names']) == ['base', 'f\\u00fc\\u00df \\U0001f9be \\ufffd'], z['link_names']\n"
    "assert z['format_version'].shape == () and z['format_version'] == 2\n"
    "assert len(z.files) == 11, z.files\n"
    "import zipfile\n"
    "assert zipfile.ZipFile(sys.argv[1]).testzip() is None\n";

Test(record_npz, numpy_loads_it)
{
    need_python("numpy");
    const int counts[] = {0, 1, 1000};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        Folder folder = folder_make();
        FilePath path = folder_file(&folder, "run.npz");
        cr_assert_eq(rows_write(&rg_record_npz, path.text, counts[i], NULL), RG_OK);
        cr_expect(python_run(read_rows, path.text), "%d rows", counts[i]);
        cr_expect_eq(folder_count(&folder), 1, "nothing else is left");
        folder_remove(&folder);
    }
}

/* No joints, no links: arrays of no columns. */
Test(record_npz, empty_model)
{
    need_python("numpy");
    Folder folder = folder_make();
    FilePath path = folder_file(&folder, "run.npz");
    RgArena arena;
    rg_arena_init(&arena, NULL);
    RgRecordLayout layout = rows_layout();
    layout.nq = layout.nv = layout.links = 0;
    for (int i = RG_RECORD_Q; i <= RG_RECORD_QUATERNION; i++)
        layout.arrays[i].items = 0;
    layout.width = 6;
    layout.arrays[RG_RECORD_ENERGY].start = 1;
    layout.arrays[RG_RECORD_CONTACT].start = 3;
    void *writer = rg_record_npz.open(&(RgRecordSource){.layout = &layout}, path.text, &arena, NULL);
    cr_assert_not_null(writer);
    cr_expect_eq(rg_record_npz.add(writer, (const double[]){0.5, 2.0, 3.0, 4.0, -1.0, 0.5}, NULL), RG_OK);
    cr_expect_eq(rg_record_npz.finish(writer, true, NULL), RG_OK);
    cr_expect(python_run("import sys, numpy as np\n"
                         "z = np.load(sys.argv[1])\n"
                         "assert z['q'].shape == (1, 0) and z['link_position'].shape == (1, 0, 3)\n"
                         "assert z['q_names'].shape == (0,) and z['energy'].tolist() == [[2.0, 3.0]]\n"
                         "assert z['contact'].tolist() == [[4.0, -1.0, 0.5]]\n",
                         path.text));
    rg_arena_free(&arena);
    folder_remove(&folder);
}

/* The same rows give the same bytes. */
Test(record_npz, bytes_depend_on_the_rows_alone)
{
    Folder folder = folder_make();
    static char bytes[2][65536];
    size_t sizes[2];
    for (int i = 0; i < 2; i++) {
        FilePath path = folder_file(&folder, i == 0 ? "a.npz" : "b.npz");
        cr_assert_eq(rows_write(&rg_record_npz, path.text, 100, NULL), RG_OK);
        sizes[i] = file_read(path.text, bytes[i], sizeof bytes[i]);
    }
    cr_expect_eq(sizes[0], sizes[1]);
    cr_expect_gt(sizes[0], 100u * ROWS_WIDTH * sizeof(double));
    cr_expect_eq(memcmp(bytes[0], bytes[1], sizes[0]), 0);
    folder_remove(&folder);
}

/* A disk that fills up, while rows come or while the archive is put together: said, and nothing is left, but
   an older file of that name. The rows take 176 kB, the archive a little more. */
Test(record_npz, full_disk_is_said)
{
    signal(SIGXFSZ, SIG_IGN);
    const rlim_t room[] = {100000, 177000};
    for (size_t i = 0; i < sizeof room / sizeof room[0]; i++) {
        Folder folder = folder_make();
        FilePath path = folder_file(&folder, "run.npz");
        cr_assert_eq(rows_write(&rg_record_npz, path.text, 10, NULL), RG_OK);
        struct rlimit limit;
        getrlimit(RLIMIT_FSIZE, &limit);
        limit.rlim_cur = room[i];
        cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
        RgError error = {0};
        cr_expect_eq(rows_write(&rg_record_npz, path.text, 1000, &error), RG_ERR_FILE);
        cr_expect_not_null(strstr(error.text, "too large"), "%s", error.text);
        cr_expect_str_eq(error.file, path.text);
        limit.rlim_cur = limit.rlim_max;
        cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
        cr_expect_eq(folder_count(&folder), 1);
        static char bytes[16384];
        cr_expect_lt(file_read(path.text, bytes, sizeof bytes), 8192u, "the old file is still there");
        folder_remove(&folder);
    }
}

Test(record_npz, bad_targets_are_refused)
{
    RgError error = {0};
    cr_expect_eq(rows_write(&rg_record_npz, "/no/such/folder/run.npz", 1, &error), RG_ERR_FILE);
    cr_expect_not_null(strstr(error.text, "No such file"), "%s", error.text);
    cr_expect_eq(rows_write(&rg_record_npz, "/dev/null", 1, &error), RG_ERR_FILE);
    cr_expect_not_null(strstr(error.text, "regular file"), "%s", error.text);
}
