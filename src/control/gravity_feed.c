/*
 * gravity_feed.c - gravity compensation: efforts RNEA(q, 0, 0), with every base taken as fixed.
 *
 * Workspace, if requested: nv efforts, then nv zeros for velocities and accelerations.
 */
#include "control/controller.h"

#include "model/model.h"

#include <string.h>

bool rg_gravity_prepare(RgController *c, const RgModel *model, RgArena *arena)
{
    c->work = c->gravity ? RG_ARENA_ALLOC(arena, double, 2 * model->nv) : NULL;
    return !arena->failed;
}

RgStatus rg_gravity_feed(RgController *c, const RgControlView *view, const double **out)
{
    double *tau = c->work;
    *out = tau;
    if (tau == NULL)
        return RG_OK;
    double *zeros = tau + view->model->nv;
    memset(zeros, 0, (size_t)view->model->nv * sizeof *zeros);
    return rg_inverse_dynamics(view->dynamics, view->q, zeros, zeros, NULL, tau);
}
