/* cluster.c - finds the launcher of this process, and the module for messages to the other processes (cluster.h).
 *
 * Launchers set environment variables:
 *
 *     variable                         set by                                          module
 *     OMPI_COMM_WORLD_SIZE             mpirun of Open MPI                              openmpi
 *     PMI_SIZE (PMI_RANK)              mpirun of MPICH, srun --mpi=pmi2                mpich
 *     PMIX_RANK                        srun --mpi=pmix, prterun                        openmpi
 *     SLURM_STEP_NUM_TASKS             srun, with --mpi=none alone                     none: refused, since every
 *                                                                                      task would do all the work
 *
 * A module is searched in $RIGOR_MODULES, beside the command, and in its installation folder. With a module of another
 * MPI than the launcher's every process is the only rank; rg_cluster_begin detects that by the launcher's number of
 * processes. */
#define _XOPEN_SOURCE 700
#include "sweep/cluster.h"

#include "io/data_folder.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A kind of MPI: word of RIGOR_MPI and of the module's file name, Debian packages to install. */
typedef struct Kind {
    const char *word;
    const char *name;
    const char *packages;
} Kind;

static const Kind kinds[] = {
    {"mpich", "MPICH", "mpich libmpich-dev"},
    {"openmpi", "Open MPI", "openmpi-bin libopenmpi-dev"},
    {"mpi", "MPI", "mpich libmpich-dev, or openmpi-bin libopenmpi-dev"},
};
enum { MPICH, OPENMPI, ANY_MPI, KINDS };

/* The number in a variable; 0: not set, or no number. */
static int number_of(const char *variable)
{
    const char *text = getenv(variable);
    long number = text ? strtol(text, NULL, 10) : 0;
    return number > 0 && number < 10000000 ? (int)number : 0;
}

/* Number of processes that the launcher started; 0: unknown. */
static int launched(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
    int size = 0;
    for (int i = 0; i < 3 && size == 0; i++)
        size = number_of(variables[i]);
    return size;
}

/* The MPI of the launcher; NULL with *why NULL: no launcher, or only one process. */
static const Kind *kind_of_launcher(const char **why)
{
    if (getenv("OMPI_COMM_WORLD_SIZE"))
        return number_of("OMPI_COMM_WORLD_SIZE") > 1 ? &kinds[OPENMPI] : NULL;
    if (getenv("PMI_SIZE"))
        return number_of("PMI_SIZE") > 1 ? &kinds[MPICH] : NULL;
    if (getenv("PMIX_RANK"))
        return launched() != 1 ? &kinds[OPENMPI] : NULL;
    if (number_of("SLURM_STEP_NUM_TASKS") > 1)
        *why = "srun has started several tasks without MPI: use --mpi=pmi2 for MPICH or "
               "--mpi=pmix for Open MPI (srun --mpi=list), or RIGOR_MPI=none in the environment to let each "
               "task "
               "work alone";
    return NULL;
}

/* The MPI of RIGOR_MPI, else that of the launcher. */
static const Kind *kind_wanted(RgPool *pool, const char **why)
{
    const char *word = getenv("RIGOR_MPI");
    if (!word || !word[0])
        return kind_of_launcher(why);
    for (int i = 0; i < KINDS; i++) {
        if (strcmp(word, kinds[i].word) == 0)
            return &kinds[i];
    }
    if (strcmp(word, "none") != 0)
        *why = rg_pool_print(pool, "RIGOR_MPI=%s: expected mpich, openmpi, mpi or none", word);
    return NULL;
}

/* The file of the module in the folder, if it exists. */
static const char *in_folder(RgPool *pool, const char *folder, const char *word)
{
    const char *path = rg_pool_print(pool, "%s/rigor_%s.so", folder, word);
    return access(path, R_OK) == 0 ? path : NULL;
}

static const char *find_module(RgPool *pool, const char *word)
{
    const char *folder = getenv("RIGOR_MODULES");
    if (folder && folder[0])
        return in_folder(pool, folder, word);
    const char *command = rg_command_path(pool), *slash = command ? strrchr(command, '/') : NULL;
    if (!slash)
        return NULL;
    folder = rg_pool_print(pool, "%.*s", (int)(slash - command), command);
    const char *path = in_folder(pool, folder, word);
    return path ? path : in_folder(pool, rg_pool_print(pool, "%s/" RIGOR_MODULES_FROM_BIN, folder), word);
}

/* Loads a module with global symbols, which plugins of MPI need. */
static const RgClusterApi *load(RgPool *pool, const char *path, const char **why)
{
    void *module = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    void *symbol = module ? dlsym(module, RG_CLUSTER_SYMBOL) : NULL;
    if (!symbol) {
        *why = rg_pool_print(pool, "%s cannot be loaded: %s", path, dlerror());
        return NULL;
    }
    RgClusterFn *function = NULL;
    memcpy(&function, &symbol, sizeof function);
    const RgClusterApi *api = function();
    if (api && api->version == RG_CLUSTER_VERSION)
        return api;
    *why = rg_pool_print(pool, "%s is of another version of rigor", path);
    return NULL;
}

const RgClusterApi *rg_cluster_open(RgPool *pool, const char **why)
{
    *why = NULL;
    const Kind *kind = kind_wanted(pool, why);
    if (!kind)
        return NULL;
    const char *path = find_module(pool, kind->word);
    if (!path)
        path = find_module(pool, kinds[ANY_MPI].word);
    if (path) {
        signal(SIGUSR1, SIG_IGN);
        return load(pool, path, why);
    }
    *why = rg_pool_print(pool,
                         "started by %s's launcher, but rigor_%s.so is neither beside the command nor in %s: install "
                         "%s (Debian) and build again, or set RIGOR_MPI=none to let each process work alone",
                         kind->name, kind->word, RIGOR_MODULES_FROM_BIN, kind->packages);
    return NULL;
}

bool rg_cluster_begin(const RgClusterApi *api, RgClusterPlace *place, char *why, size_t room)
{
    if (!api->begin(&place->rank, &place->size, why, room))
        return false;
    int expected = launched();
    if (expected <= 1 || place->size == expected)
        return true;
    snprintf(why, room,
             "the launcher has started %d processes, but %s finds %d: the launcher is of another MPI, or of "
             "another "
             "version; RIGOR_MPI=mpich or openmpi chooses",
             expected, api->name, place->size);
    return false;
}
