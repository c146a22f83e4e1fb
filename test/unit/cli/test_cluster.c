/*
 * test_cluster.c - which launcher the environment tells of, and what is said where its module is missing or is none.
 * What modules do is test/mpi/.
 */
#define _XOPEN_SOURCE 700
#include "sweep/cluster.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static RgPool pool;

/* An environment without any launcher, and no module in it. */
static void set_up(void)
{
    static const char *const variables[] = {"RIGOR_MPI", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK",
                                            "PMIX_RANK", "SLURM_STEP_NUM_TASKS"};
    for (int i = 0; i < 6; i++)
        unsetenv(variables[i]);
    setenv("RIGOR_MODULES", "/nonexistent", 1);
}

static void tear_down(void)
{
    rg_pool_free(&pool);
}

TestSuite(cluster, .init = set_up, .fini = tear_down);

/* What is said; NULL: nothing. There is never a module. */
static const char *said(void)
{
    const char *why = "not set";
    cr_assert_null(rg_cluster_open(&pool, &why));
    return why;
}

static void check_says(const char *first, const char *second)
{
    const char *why = said();
    cr_assert_not_null(why, "nothing said of %s", first);
    cr_assert(strstr(why, first) && strstr(why, second), "'%s' has not '%s' and '%s'", why, first, second);
}

Test(cluster, nothing_to_say_without_a_launcher)
{
    cr_assert_null(said());
    setenv("PMI_SIZE", "1", 1);
    cr_assert_null(said(), "one process alone");
    setenv("PMI_SIZE", "3", 1);
    setenv("OMPI_COMM_WORLD_SIZE", "1", 1);
    cr_assert_null(said(), "Open MPI's launcher, itself started by another");
    setenv("OMPI_COMM_WORLD_SIZE", "3", 1);
    setenv("RIGOR_MPI", "none", 1);
    cr_assert_null(said(), "not wished");
}

Test(cluster, missing_modules_are_named)
{
    setenv("PMI_SIZE", "3", 1);
    check_says("rigor_mpich.so", "libmpich-dev");
    setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
    check_says("rigor_openmpi.so", "libopenmpi-dev");
    unsetenv("OMPI_COMM_WORLD_SIZE");
    unsetenv("PMI_SIZE");
    setenv("PMIX_RANK", "0", 1);
    setenv("SLURM_STEP_NUM_TASKS", "1", 1);
    cr_assert_null(said(), "srun with one task");
    setenv("SLURM_STEP_NUM_TASKS", "8", 1);
    check_says("rigor_openmpi.so", "libopenmpi-dev");
}

/* Each of srun's tasks would do all the work. */
Test(cluster, tasks_that_cannot_find_each_other)
{
    setenv("SLURM_STEP_NUM_TASKS", "4", 1);
    check_says("--mpi=pmi2", "--mpi=pmix");
    setenv("SLURM_STEP_NUM_TASKS", "1", 1);
    cr_assert_null(said());
}

Test(cluster, wishes)
{
    setenv("RIGOR_MPI", "lam", 1);
    check_says("RIGOR_MPI=lam", "mpich, openmpi, mpi or none");
    setenv("RIGOR_MPI", "mpich", 1);
    check_says("rigor_mpich.so", "libmpich-dev");
    setenv("RIGOR_MPI", "", 1);
    cr_assert_null(said());
}

/* A file that is no module, under each name that a launcher of MPICH leads to. */
Test(cluster, files_that_are_no_modules)
{
    static const char *const names[] = {"rigor_mpich.so", "rigor_mpi.so"};
    char folder[] = "/tmp/rigor_cluster_XXXXXX", path[100];
    cr_assert_not_null(mkdtemp(folder));
    setenv("RIGOR_MODULES", folder, 1);
    setenv("PMI_SIZE", "2", 1);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        FILE *file = fopen(path, "w");
        cr_assert_not_null(file);
        fputs("no module\n", file);
        fclose(file);
        check_says(names[i], "cannot be loaded");
        unlink(path);
    }
    rmdir(folder);
}

/* --- rg_cluster_begin with a module of the test's own ------------------------------------------------------------ */

static bool begin_alone(int *rank, int *size, char *why, size_t room)
{
    (void)why;
    (void)room;
    *rank = 0;
    *size = 1;
    return true;
}

static bool begin_badly(int *rank, int *size, char *why, size_t room)
{
    (void)rank;
    (void)size;
    snprintf(why, room, "it rains");
    return false;
}

/* A module of another MPI starts every process as if it were alone. */
Test(cluster, as_many_as_were_started)
{
    RgClusterApi api = {.version = RG_CLUSTER_VERSION, .name = "Test MPI 1.0", .begin = begin_alone};
    RgClusterPlace place = {-1, -1};
    char why[300] = "";
    cr_assert(rg_cluster_begin(&api, &place, why, sizeof why));
    cr_assert(place.rank == 0 && place.size == 1);
    setenv("PMI_SIZE", "4", 1);
    cr_assert_not(rg_cluster_begin(&api, &place, why, sizeof why));
    cr_assert(strstr(why, "started 4 processes, but Test MPI 1.0 finds 1"), "%s", why);
    api.begin = begin_badly;
    cr_assert_not(rg_cluster_begin(&api, &place, why, sizeof why));
    cr_assert_str_eq(why, "it rains");
}
