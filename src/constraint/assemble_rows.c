/*
 * assemble_rows.c - all bilateral rows of a model in one form, in an order that keeps the factor sparse: the rows of
 * each tree joint, leaves first, then the rest. Memory is allocated once, for the maximum number of rows of each kind.
 */
#include "constraint/fields.h"
#include "constraint/row_table.h"
#include "constraint/tree_solve.h"
#include "model/model_attach.h"

#include <limits.h>

static const RgRowKind *const kinds[] = {
#define ROW_ENTRY(name) &rg_row_##name,
    ROW_TABLE(ROW_ENTRY)
#undef ROW_ENTRY
};

#define KIND_COUNT ((int)(sizeof kinds / sizeof kinds[0]))

static int count_rows(const RgForm *form)
{
    int n = 0;
    for (int i = 0; i < KIND_COUNT; i++)
        n += kinds[i]->count(form);
    return n;
}

/* Largest number of coefficients of a row. */
static int row_entries(const RgForm *form)
{
    bool short_rows = form->kind->joints_are_rows && form->nu > 6 * RG_ROW_BODIES + 1;
    return short_rows ? 6 * RG_ROW_BODIES + 1 : form->nu;
}

/* Room for any set of attached joints: a joint has at most six rows, including those of its springs and dampers. */
static int count_room(const RgForm *form, const RgFields *fields)
{
    const RgModel *m = form->model;
    int holds = m->slots > 0 && rg_row_hold.count(form) == 0 ? m->nv : 0;
    return count_rows(form) + 6 * m->slots + holds + rg_fields_room(fields);
}

bool rg_constraints_countable(const RgForm *form, const RgFields *fields)
{
    return (int64_t)count_room(form, fields) * row_entries(form) <= INT_MAX;
}

static void make_spec(RgConstraints *c, int l)
{
    const RgLoop *loop = &c->form->model->loops[l];
    c->specs[l] = rg_joint_spec(loop->kind, &loop->geometry);
    c->specs[l].along_world = c->along_world;
}

void rg_constraints_refresh(RgConstraints *c)
{
    const RgModel *m = c->form->model;
    for (int l = rg_model_slot_loop(m, 0); l < m->nloops; l++)
        make_spec(c, l);
    c->any_hard = rg_has_rows(c->form, 0.0);
    c->most = count_rows(c->form) - rg_row_hold.count(c->form) + rg_fields_room(c->fields);
    c->tree.alone = m->nloops == 0 && m->ncouplings == 0;
    /* the old rows are no longer valid, and may not be assembled again if there are none now */
    c->rows.n = c->tree_rows = 0;
}

RgConstraints *rg_constraints_alloc(RgArena *arena, RgForm *form, RgFields *fields)
{
    RgConstraints *c = RG_ARENA_ALLOC(arena, RgConstraints, 1);
    if (c == NULL)
        return NULL;
    int n = count_room(form, fields), nu = form->nu, nloops = rg_model_loop_room(form->model);
    int entries = n * row_entries(form);
    c->form = form;
    c->fields = fields;
    c->loops = RG_ARENA_ALLOC(arena, RgJointState, nloops);
    c->loop_rows = RG_ARENA_ALLOC(arena, int, nloops);
    c->specs = RG_ARENA_ALLOC(arena, RgJointSpec, nloops);
    for (int l = 0; l < form->model->nloops && !arena->failed; l++)
        make_spec(c, l);
    c->rows = (RgRows){RG_ARENA_ALLOC(arena, RgRow, n), 0, n};
    c->problem = (RgBilateral){.nu = nu, .diagonal_mass = form->kind->joints_are_rows};
    c->problem.start = RG_ARENA_ALLOC(arena, int, n + 1);
    c->problem.columns = RG_ARENA_ALLOC(arena, int, entries);
    c->problem.values = RG_ARENA_ALLOC(arena, double, entries);
    c->problem.Y = RG_ARENA_ALLOC(arena, double, entries);
    c->problem.compliance = RG_ARENA_ALLOC(arena, double, n);
    c->problem.alone = RG_ARENA_ALLOC(arena, double, n);
    c->problem.rhs = RG_ARENA_ALLOC(arena, double, n);
    c->problem.z = RG_ARENA_ALLOC(arena, double, n);
    c->direct = rg_direct_alloc(arena, n, entries, nu);
    c->projector = rg_direct_alloc(arena, n, entries, nu);
    rg_tree_solve_alloc(arena, form, &c->tree);
    rg_constraints_refresh(c);
    c->scratch = (RgRowScratch){.columns = RG_ARENA_ALLOC(arena, int, nu),
                                .values = RG_ARENA_ALLOC(arena, double, nu),
                                .velocity = RG_ARENA_ALLOC(arena, double, n),
                                .step = RG_ARENA_ALLOC(arena, double, nu),
                                .tau = RG_ARENA_ALLOC(arena, double, form->model->nv),
                                .best = RG_ARENA_ALLOC(arena, double, form->nx),
                                .momenta = RG_ARENA_ALLOC(arena, RgForce, form->model->nbodies)};
    return arena->failed ? NULL : c;
}

void rg_constraints_free(RgConstraints *c)
{
    if (c == NULL)
        return;
    rg_direct_free(c->direct);
    rg_direct_free(c->projector);
}

void rg_constraints_along_world(RgConstraints *c)
{
    c->form->current = false;
    c->along_world = true;
    for (int l = 0; l < c->form->model->nloops; l++)
        c->specs[l].along_world = true;
    for (int i = 0; i < c->form->model->nbodies && c->form->kind->joints_are_rows; i++)
        c->form->bodies[i].joint.along_world = true;
}

bool rg_has_rows(const RgForm *form, double h)
{
    int n = count_rows(form) - rg_row_hold.count(form);
    return h > 0.0 ? n > 0 : n > rg_row_spring_damper.count(form);
}

void rg_constraints_observe(RgConstraints *c)
{
    static const double near_q[7] = {0.0};
    const RgKin *kin = c->form->kin;
    for (int l = 0; l < c->form->model->nloops; l++) {
        const RgLoop *loop = &c->form->model->loops[l];
        RgPose X_WA = kin_pose(kin, loop->body_a), X_WB = kin_pose(kin, loop->body_b);
        RgPose X_WF = pose_mul(X_WA, loop->X_AF), X_WG = pose_mul(X_WB, loop->X_BG);
        RgMotion V_FG[2] = {mv_shift(kin_twist(kin, loop->body_a), v3_sub(X_WG.p, X_WA.p)),
                            mv_shift(kin_twist(kin, loop->body_b), v3_sub(X_WG.p, X_WB.p))};
        rg_joint_state(&c->specs[l], X_WF, X_WG, V_FG, near_q, &c->loops[l]);
    }
}

void rg_constraints_drop_products(RgConstraints *c, int l)
{
    c->loops[l].c = mv_zero();
}

void rg_row_between(const RgForm *form, RgRow *row, int body_a, int body_b, RgForce J, RgVec3 p)
{
    if (body_b >= 0)
        rg_row_add_body(row, body_b, form->kin->X_WB[body_b].p, J, p);
    if (body_a >= 0)
        rg_row_add_body(row, body_a, form->kin->X_WB[body_a].p, fv_scale(-1.0, J), p);
}

void rg_assemble_rows(RgConstraints *c, const RgRowsAsk *ask)
{
    c->rows.n = c->tree_rows = 0;
    if (c->most == 0 && ask->hold == NULL)
        return;
    for (int body = c->form->model->nbodies - 1; body >= 0; body--)
        for (int i = 0; i < KIND_COUNT; i++)
            if (kinds[i]->add_body != NULL)
                kinds[i]->add_body(c, ask, body, &c->rows);
    c->tree_rows = c->rows.n;
    for (int i = 0; i < KIND_COUNT; i++)
        if (kinds[i]->add_rest != NULL)
            kinds[i]->add_rest(c, ask, &c->rows);
}

void rg_assemble_hard_rows(RgConstraints *c)
{
    rg_assemble_rows(c, &(RgRowsAsk){.h = 0.0});
}

double rg_rows_error(const RgRows *rows)
{
    double largest = 0.0;
    for (int i = 0; i < rows->n; i++)
        largest = fabs(rows->row[i].error) > largest ? fabs(rows->row[i].error) : largest;
    return largest;
}
