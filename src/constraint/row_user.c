/*
 * row_user.c - rows that a user's function adds, on links and joint velocities.
 *
 * Links are converted to bodies; terms on the world are dropped. A row with a number that is not finite, an invalid
 * link or velocity, or low > high is ignored.
 */
#include "constraint/bounded_table.h"

#include <rigor/sim.h>

struct RgUserView {
    const RgForm *form;
};

RgPose rg_user_link_pose(const RgUserView *view, RgLinkId link)
{
    bool is = link.i > 0 && link.i <= view->form->model->nlinks;
    return is ? rg_kin_link_pose(view->form->kin, link.i - 1) : pose_identity();
}

RgMotion rg_user_link_twist(const RgUserView *view, RgLinkId link)
{
    bool is = link.i > 0 && link.i <= view->form->model->nlinks;
    return is ? rg_kin_link_twist(view->form->kin, link.i - 1) : mv_zero();
}

static int room(const RgBounded *b)
{
    return b->user.room;
}

static bool is_valid(const RgModel *m, const RgUserRow *u)
{
    if (u->nlinks < 0 || u->nlinks > RG_USER_LINKS || u->ndofs < 0 || u->ndofs > RG_USER_DOFS)
        return false;
    for (int i = 0; i < u->nlinks; i++)
        if (u->link[i].i < 0 || u->link[i].i > m->nlinks || !v3_finite(u->J[i].n) || !v3_finite(u->J[i].f))
            return false;
    for (int i = 0; i < u->ndofs; i++)
        if (u->dof[i] < 0 || u->dof[i] >= m->nv || !isfinite(u->coefficient[i]))
            return false;
    bool bounds = u->low <= u->high && u->low < INFINITY && u->high > -INFINITY;
    return bounds && isfinite(u->target) && u->compliance >= 0.0 && isfinite(u->compliance);
}

static void convert(const RgForm *form, const RgUserRow *u, double h, RgBoundedRow *out)
{
    *out = (RgBoundedRow){.row = {.rotor = -1}, .target = u->target, .compliance = u->compliance};
    out->low = h * u->low;
    out->high = h * u->high;
    for (int i = 0; i < u->nlinks; i++) {
        if (u->link[i].i == 0)
            continue;
        const RgLink *link = &form->model->links[u->link[i].i - 1];
        RgVec3 p = rg_kin_link_pose(form->kin, u->link[i].i - 1).p;
        if (link->body >= 0)
            rg_row_add_body(&out->row, link->body, form->kin->X_WB[link->body].p, u->J[i], p);
    }
    for (int i = 0; i < u->ndofs; i++) {
        out->row.dof[i] = u->dof[i];
        out->row.coefficient[i] = u->coefficient[i];
    }
    out->row.ndofs = u->ndofs;
}

static int add(const RgBounded *b, const RgBoundedAsk *ask, RgBoundedRow *out)
{
    if (b->user.fn == NULL || b->user.room == 0)
        return 0;
    RgUserView view = {b->form};
    RgInputState state = {ask->t, b->form->q, b->form->v};
    int given = b->user.fn(b->form->model, &state, &view, b->user.rows, b->user.room, b->user.context);
    int n = 0;
    for (int i = 0; i < given && i < b->user.room; i++) {
        if (!is_valid(b->form->model, &b->user.rows[i]))
            continue;
        convert(b->form, &b->user.rows[i], ask->h, &out[n]);
        out[n].axis = i;
        out[n++].slot = i;
    }
    return n;
}

const RgBoundedKind rg_bounded_user = {
    .name = "user", .account = offsetof(RgSolverWork, motors), .room = room, .add = add};
