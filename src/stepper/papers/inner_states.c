/*
 * inner_states.c - two states in turn, so that a step of any number of inner ones takes no memory.
 *
 * Contacts and whatever a state remembers are handed over by exchange, never by copy.
 */
#include "stepper/papers/inner_states.h"

#include <string.h>

bool rg_inner_states_take(RgArena *arena, RgStepScope *scope, RgInnerStates *out)
{
    const RgModel *m = scope->model;
    *out = (RgInnerStates){.scope = scope};
    out->own.x = RG_TAKE(arena, double, scope->form->nx);
    out->own.u = RG_TAKE(arena, double, scope->form->nu);
    out->begin = RG_TAKE(arena, RgBodyEnd, m->nbodies);
    out->end = RG_TAKE(arena, RgBodyEnd, m->nbodies);
    out->q = RG_TAKE(arena, double, m->nq);
    out->v = RG_TAKE(arena, double, m->nv);
    out->x_path = RG_TAKE(arena, double, scope->form->nx);
    out->u_path = RG_TAKE(arena, double, scope->form->nu);
    return !arena->failed;
}

void rg_inner_states_release(RgInnerStates *s)
{
    if (s->scope != NULL)
        rg_contact_memory_free(&s->own.memory, &s->scope->log->allocator);
}

void rg_inner_states_begin(RgInnerStates *s, const RgState *s0, RgState *s1)
{
    s->now = s0;
    s->next = s->out = s1;
}

void rg_inner_states_glide(RgInnerStates *s, const double *u, double h)
{
    const RgForm *form = s->scope->form;
    double *move = s->scope->scratch.memory[0];
    for (int k = 0; k < form->nu; k++)
        move[k] = h * u[k];
    form->kind->integrate(form, s->now->x, move, s->next->x);
}

/* Where all bodies are, and how they move, at x, u. */
static void look_at(RgInnerStates *s, const double *x, const double *u, RgBodyEnd *out)
{
    RgForm *form = s->scope->form;
    form->kind->kinematics(form, x, u);
    for (int i = 0; i < s->scope->model->nbodies; i++) {
        RgPose X = form->kin->X_WB[i];
        RgMotion V = form->kin->V[i];
        RgVec3 arm = m3_apply(X.R, s->scope->model->bodies[i].inertia.com);
        out[i] = (RgBodyEnd){X, v3_add(X.p, arm), v3_add(V.v, v3_cross(V.w, arm)), V.w};
    }
}

/* Constant velocities that lead from x0 to x1 in h. */
static void velocities_between(const RgInnerStates *s, const double *x0, const double *x1, double h,
                               double *u)
{
    const RgForm *form = s->scope->form;
    const RgModel *m = s->scope->model;
    for (int i = 0; i < m->nbodies; i++) {
        const RgBody *b = &m->bodies[i];
        bool maximal = form->kind->joints_are_rows;
        const RgJointKind *kind = maximal ? rg_joint_kind(RG_JOINT_free) : b->kind;
        int q0 = maximal ? 7 * i : b->q0, v0 = maximal ? 6 * i : b->v0, nv = maximal ? 6 : b->nv;
        kind->difference(x0 + q0, x1 + q0, u + v0);
        for (int k = v0; k < v0 + nv; k++)
            u[k] /= h;
    }
}

/* u, or where something was put right what the bodies have moved by. */
static const double *path_of(RgInnerStates *s, const double *u, double h)
{
    const RgForm *form = s->scope->form;
    int places = form->kind->joints_are_rows ? 7 * s->scope->model->nbodies : form->nx;
    for (int k = 0; k < form->nu; k++)
        s->u_path[k] = h * u[k];
    form->kind->integrate(form, s->now->x, s->u_path, s->x_path);
    if (memcmp(s->x_path, s->next->x, (size_t)places * sizeof *s->x_path) == 0)
        return u;
    memcpy(s->u_path, u, (size_t)form->nu * sizeof *u);
    velocities_between(s, s->now->x, s->next->x, h, s->u_path);
    return s->u_path;
}

void rg_inner_states_keep(RgInnerStates *s, const double *u, RgInnerStep *step)
{
    RgStepScope *c = s->scope;
    step->path = RG_PATH_RATES;
    step->t = s->now->t;
    if (c->log->step_fn != NULL) {
        u = path_of(s, u, step->h);
        look_at(s, s->now->x, u, s->begin);
        memcpy(s->q, c->form->q, (size_t)c->model->nq * sizeof *s->q);
        memcpy(s->v, c->form->v, (size_t)c->model->nv * sizeof *s->v);
        look_at(s, s->next->x, u, s->end);
        step->q = s->q;
        step->v = s->v;
        step->begin = s->begin;
        step->end = s->end;
    }
    rg_step_log_inner(c->log, step);
    c->report->substeps++;
    c->report->h = step->h;
    s->next->t = s->now->t + step->h;
    s->now = s->next;
    s->next = s->now == &s->own ? s->out : &s->own;
}

void rg_inner_states_end(RgInnerStates *s)
{
    const RgForm *form = s->scope->form;
    if (s->now != &s->own)
        return;
    RgContactMemory memory = s->out->memory;
    s->out->memory = s->own.memory;
    s->own.memory = memory;
    memcpy(s->out->x, s->own.x, (size_t)form->nx * sizeof *s->out->x);
    memcpy(s->out->u, s->own.u, (size_t)form->nu * sizeof *s->out->u);
}
