/* coords.c - the table of coordinate forms. */
#include "coords/coords_table.h"

#include "base/kind_names.h"

#include <rigor/sim.h>

#include <string.h>

#define COORDS_ENTRY(name) &rg_coords_##name,
static const RgCoordsKind *const kinds[] = {COORDS_TABLE(COORDS_ENTRY)};
#undef COORDS_ENTRY

#define KIND_COUNT ((int)(sizeof kinds / sizeof kinds[0]))

RG_KIND_NAMES(rg_coords, kinds, KIND_COUNT)

RG_KIND_FIND(rg_coords, kinds, KIND_COUNT)

const RgCoordsKind *rg_coords_kind(int index)
{
    return kinds[index];
}

RgForm *rg_form_alloc(RgArena *arena, const RgModel *model, const RgCoordsKind *kind)
{
    RgForm *form = RG_ARENA_ALLOC(arena, RgForm, 1);
    if (form == NULL)
        return NULL;
    form->kind = kind;
    form->model = model;
    form->kin = rg_kin_alloc(arena, model);
    form->work = rg_tree_work_alloc(arena, model);
    form->q = RG_ARENA_ALLOC(arena, double, model->nq);
    form->v = RG_ARENA_ALLOC(arena, double, model->nv);
    form->A0 = RG_ARENA_ALLOC(arena, RgMotion, model->nbodies);
    form->diagonal = RG_ARENA_ALLOC(arena, double, model->nv);
    return !arena->failed && kind->prepare(arena, form) ? form : NULL;
}

/* Maximal form: M is diagonal. */
static double kinetic_of_diagonal(const RgForm *form, const double *u)
{
    double sum = 0.0;
    for (int k = 0; k < form->nu; k++)
        sum += 0.5 * u[k] * u[k] / form->inverse_mass[k];
    return sum;
}

const RgMassFactor *rg_form_factor(RgForm *form)
{
    if (!form->kind->joints_are_rows && !form->factored)
        form->kind->refactor(form, NULL);
    return &form->factor;
}

double rg_form_joint_rate(const RgForm *form, int dof, const double *u, const RgMotion *V)
{
    if (!form->kind->joints_are_rows)
        return u[dof];
    int body = form->model->dof_body[dof], parent = form->model->bodies[body].parent;
    RgMotion own = parent >= 0 ? mv_sub(V[body], mv_shift(V[parent], form->kin->r[body])) : V[body];
    return mv_dot(own, form->joints[body].W[dof - form->model->bodies[body].v0]);
}

double rg_form_row_rate(const RgForm *form, const RgRow *row, const double *u, const RgMotion *V)
{
    double sum = 0.0;
    for (int i = 0; i < row->nbodies; i++)
        sum += mv_dot(V[row->body[i]], row->J[i]);
    for (int i = 0; i < row->ndofs; i++)
        sum += row->coefficient[i] * rg_form_joint_rate(form, row->dof[i], u, V);
    return row->rotor >= 0 ? sum - u[6 * form->model->nbodies + row->rotor] : sum;
}

/* Context of the parallel loops over parts of the trees. */
typedef struct Pass {
    const RgForm *form;
    const double *u;
    double *g;
    RgForce *f;
    RgMotion *V;
    const RgKinetics *kinetics;
} Pass;

static void push_parts(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const Pass *p = context;
    for (int32_t i = first; i < end; i++)
        rg_part_joint_forces(p->form->kin, p->form->work->parts[i], p->f, p->g);
}

void rg_form_push_all(const RgForm *form, RgForce *f, double *g)
{
    if (!form->kind->joints_are_rows) {
        Pass pass = {.form = form, .f = f, .g = g};
        rg_parallel_for(form->thread_pool, form->work->nparts, 1, push_parts, &pass);
        return;
    }
    for (int i = 0; i < form->model->nbodies; i++)
        form->kind->push(form, i, f[i], g);
}

static void twist_parts(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const Pass *p = context;
    for (int32_t i = first; i < end; i++)
        rg_twists_part(p->form->kin, p->u, p->form->work->parts[i], p->V);
}

void rg_form_twists(const RgForm *form, const double *u, RgMotion *V)
{
    if (!form->kind->joints_are_rows) {
        Pass pass = {.form = form, .u = u, .V = V};
        rg_parallel_for(form->thread_pool, form->work->nparts, 1, twist_parts, &pass);
        return;
    }
    for (int i = 0; i < form->model->nbodies; i++)
        form->kind->twist(form, i, u, &V[i]);
}

static void sum_kinetics_of_parts(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    const Pass *p = context;
    const RgTreeWork *work = p->form->work;
    for (int32_t i = first; i < end; i++) {
        RgKinetics own = *p->kinetics;
        rg_part_kinetics(p->form->kin, work->parts[i], p->form->work, &own);
        memcpy(work->energy[i], own.T, sizeof own.T);
    }
}

void rg_form_kinetics(const RgForm *form, RgKinetics *k)
{
    if (form->kind->joints_are_rows) {
        for (int l = 0; l < 4; l++)
            k->T[l] = kinetic_of_diagonal(form, k->u[l]);
        for (int l = 0; l < RG_KINETICS_TWISTS; l++)
            if (k->V[l] != NULL)
                rg_form_twists(form, k->u[l], k->V[l]);
        return;
    }

    /* Parts depend on the model only, and are summed in order: the result does not depend on the threads. */
    Pass pass = {.form = form, .kinetics = k};
    rg_parallel_for(form->thread_pool, form->work->nparts, 1, sum_kinetics_of_parts, &pass);
    for (int l = 0; l < 4; l++)
        k->T[l] = 0.0;
    for (int i = 0; i < form->work->nparts; i++)
        for (int l = 0; l < 4; l++)
            k->T[l] += form->work->energy[i][l];
}

double rg_form_kinetic(const RgForm *form, const double *u)
{
    if (form->kind->joints_are_rows)
        return kinetic_of_diagonal(form, u);
    rg_form_twists(form, u, form->work->V);
    return rg_part_kinetic(form->kin, u, form->work->V, rg_tree_whole(form->model));
}

void rg_form_drop_products(RgForm *form, int body)
{
    form->kin->V[body] = form->kin->c[body] = form->A0[body] = mv_zero();
    form->current = false;
    if (form->kind->joints_are_rows)
        form->joints[body].c = mv_zero();
}
