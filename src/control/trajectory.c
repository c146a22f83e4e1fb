/*
 * trajectory.c - creation and evaluation of trajectories: t -> q*, v*, a* per axis.
 *
 * A trajectory is immutable and owns copies of its data, so that controls in several threads may share it. Numbers that
 * are not finite are refused at creation; a time that is not finite counts as 0.
 */
#include "control/trajectory_table.h"

#include "base/alloc.h"
#include "base/kind_names.h"
#include "base/nearest_name.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

#define TRAJECTORY_COOKIE 0x52475452u

#define TRAJECTORY_ENTRY(name) &rg_trajectory_##name##_kind,
static const RgTrajectoryKind *const kinds[] = {TRAJECTORY_TABLE(TRAJECTORY_ENTRY)};
#undef TRAJECTORY_ENTRY
#define NKINDS ((int)(sizeof kinds / sizeof kinds[0]))

RgTrajectoryDef rg_trajectory_def_default(void)
{
    return (RgTrajectoryDef){.cookie = TRAJECTORY_COOKIE, .kind = "constant"};
}

RG_KIND_NAMES(rg_trajectory, kinds, NKINDS)

static const RgTrajectoryKind *find_kind(const char *name, RgError *error)
{
    RgNearestName nearest = rg_nearest_name(name);
    for (int i = 0; i < NKINDS; i++) {
        if (strcmp(kinds[i]->name, name) == 0)
            return kinds[i];
        rg_nearest_name_offer(&nearest, kinds[i]->name);
    }
    char hint[RG_NEAREST_ROOM];
    rg_fail(error, RG_ERR_NOT_FOUND, NULL, 0, "no trajectory called '%.60s'%s", name,
            rg_nearest_name_hint(&nearest, hint));
    return NULL;
}

double *rg_trajectory_copy(RgTrajectory *trajectory, const double *from, int n, const char *what, RgError *error)
{
    for (int i = 0; from != NULL && i < n; i++)
        if (!isfinite(from[i])) {
            rg_fail(error, RG_ERR_NOT_FINITE, NULL, 0, "trajectory: %s %d is not a finite number", what, i + 1);
            return NULL;
        }
    double *to = RG_ARENA_ALLOC(&trajectory->arena, double, n);
    if (to == NULL)
        rg_fail(error, RG_ERR_MEMORY, NULL, 0, "out of memory");
    else if (from != NULL)
        memcpy(to, from, (size_t)n * sizeof *to);
    return to;
}

/* Copies the names of the axes. */
static bool copy_names(RgTrajectory *trajectory, const RgTrajectoryDef *def)
{
    if (def->names == NULL)
        return true;
    const char **names = RG_ARENA_ALLOC(&trajectory->arena, const char *, def->naxes);
    for (int i = 0; names != NULL && i < def->naxes; i++)
        names[i] = rg_arena_strdup(&trajectory->arena, def->names[i]);
    trajectory->names = names;
    return !trajectory->arena.failed;
}

RgTrajectory *rg_trajectory_create(const RgTrajectoryDef *def, RgError *error)
{
    if (def == NULL || def->cookie != TRAJECTORY_COOKIE || def->kind == NULL) {
        rg_fail(error, RG_ERR_ARGUMENT, NULL, 0,
                "a trajectory definition must start from rg_trajectory_def_default() and name a kind");
        return NULL;
    }
    const RgTrajectoryKind *kind = find_kind(def->kind, error);
    if (kind == NULL)
        return NULL;
    if (def->naxes < 1) {
        rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "a trajectory must have at least 1 axis, not %d", def->naxes);
        return NULL;
    }
    RgTrajectory *trajectory = rg_alloc_object(&def->allocator, sizeof *trajectory, NULL, error);
    if (trajectory == NULL)
        return NULL;
    rg_arena_init(&trajectory->arena, &def->allocator);
    trajectory->kind = kind;
    trajectory->naxes = def->naxes;
    RgStatus status = copy_names(trajectory, def) ? kind->fill(trajectory, def, error)
                                                  : rg_fail(error, RG_ERR_MEMORY, NULL, 0, "out of memory");
    if (status == RG_OK)
        return trajectory;
    rg_trajectory_destroy(trajectory);
    return NULL;
}

void rg_trajectory_destroy(RgTrajectory *trajectory)
{
    if (trajectory != NULL)
        rg_arena_free_with(&trajectory->arena, trajectory);
}

int rg_trajectory_axes(const RgTrajectory *trajectory)
{
    return trajectory->naxes;
}

void rg_trajectory_at(const RgTrajectory *trajectory, double t, RgReference *out)
{
    trajectory->kind->at(trajectory, isfinite(t) ? t : 0.0, out);
}
