/*
 * sleep.c - bodies fall asleep and wake.
 *
 * A body is quiet if its root mean square speed over its mass
 *
 *   s^2 = |v_c|^2 + w . I w / m        (v_c of the centre of mass; without mass |v|^2)
 *
 * is below a threshold. A set of bodies connected by joints, loops, couplings and contacts (including open ones that
 * are listed) falls asleep when all its bodies have been quiet for a time. Its velocities become zero; from then on it
 * does not move, is not tested for collision with sleeping or fixed bodies, and is not part of the solve. The last
 * impulses of its contacts and bounded rows are kept, so that a set that wakes continues from the complete state in
 * which it fell asleep: positions, zero velocities and impulses.
 *
 * A set wakes if an awake body comes so near that a contact is found, if a joint effort or a wrench on any of its links
 * differs from that in the first step of its sleep, or by a call. It is awake in the same step: its contacts are found
 * and solved at once.
 *
 * Sets are found by union-find with the smaller number as root, so that they depend on the contacts only. Cost: a pass
 * over bodies and pairs per step.
 */
#include "stepper/sleep.h"
#include "base/union_find.h"

#include <string.h>

RgSleep *rg_sleep_alloc(RgArena *arena, const RgContactSetup *setup)
{
    int n = setup->form->model->nbodies;
    RgSleep *sleep = RG_ARENA_ALLOC(arena, RgSleep, 1);
    bool *asleep = RG_ARENA_ALLOC(arena, bool, n);
    int32_t *parent = RG_ARENA_ALLOC(arena, int32_t, n);
    double *span = RG_ARENA_ALLOC(arena, double, n), *speed2 = RG_ARENA_ALLOC(arena, double, n);
    if (arena->failed)
        return NULL;
    *sleep = (RgSleep){.setup = setup, .asleep = asleep, .parent = parent, .span = span, .speed2 = speed2};
    return sleep;
}

/* ------------------------------------------------------------------ state */

bool rg_rest_alloc(RgArena *arena, const RgModel *m, RgRest *rest)
{
    rest->body = RG_ARENA_ALLOC(arena, RgBodyRest, m->nbodies);
    rest->tau = RG_ARENA_ALLOC(arena, double, m->nv);
    rest->wrenches = RG_ARENA_ALLOC(arena, RgForce, m->nlinks);
    return !arena->failed;
}

void rg_rest_copy(const RgModel *m, const RgRest *from, RgRest *to)
{
    memcpy(to->body, from->body, (size_t)m->nbodies * sizeof *to->body);
    memcpy(to->tau, from->tau, (size_t)m->nv * sizeof *to->tau);
    memcpy(to->wrenches, from->wrenches, (size_t)m->nlinks * sizeof *to->wrenches);
}

void rg_rest_clear(const RgModel *m, RgRest *rest)
{
    memset(rest->body, 0, (size_t)m->nbodies * sizeof *rest->body);
    memset(rest->tau, 0, (size_t)m->nv * sizeof *rest->tau);
    memset(rest->wrenches, 0, (size_t)m->nlinks * sizeof *rest->wrenches);
}

/* ------------------------------------------------------------------ sets */

static void join_shapes(const RgSleep *sleep, int32_t shape_a, int32_t shape_b)
{
    const RgModel *m = sleep->setup->form->model;
    rg_set_union(sleep->parent, rg_contact_body(m, (RgShapeId){shape_a}), rg_contact_body(m, (RgShapeId){shape_b}));
}

void rg_sleep_wake(RgSleep *sleep, RgRest *rest, int body, const RgContactMemory *memory)
{
    int n = sleep->setup->form->model->nbodies;
    rg_contact_sets(sleep->setup->form->model, sleep->parent);
    for (int32_t k = 0; k < memory->npairs; k++)
        join_shapes(sleep, memory->pairs[k].shape_a, memory->pairs[k].shape_b);
    int root = rg_set_root(sleep->parent, body);
    for (int i = 0; i < n; i++)
        if (rg_set_root(sleep->parent, i) == root) {
            rest->body[i] = (RgBodyRest){0};
            sleep->nasleep -= sleep->asleep[i];
            sleep->asleep[i] = false;
        }
}

/* ------------------------------------------------------------------ a step */

void rg_sleep_begin(RgSleep *sleep, const RgRest *last, RgRest *next)
{
    const RgModel *m = sleep->setup->form->model;
    rg_rest_copy(m, last, next);
    sleep->rest = next;
    sleep->nasleep = 0;
    sleep->slept = 0.0;
    for (int i = 0; i < m->nbodies; i++) {
        sleep->asleep[i] = next->body[i].asleep != 0;
        sleep->nasleep += sleep->asleep[i];
    }
}

static RgForce wrench_on(const RgForce *wrenches, int link)
{
    return wrenches != NULL ? wrenches[link] : fv_zero();
}

static bool same_vec(RgVec3 a, RgVec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* A sleeping body whose inputs differ from the stored ones; -1: none. */
static int find_disturbed(const RgModel *m, const RgRest *rest, const double *tau, const RgForce *wrenches)
{
    for (int k = 0; k < m->nv; k++) {
        const RgBodyRest *body = &rest->body[m->dof_body[k]];
        if (body->asleep && body->seen && tau[k] != rest->tau[k])
            return m->dof_body[k];
    }
    for (int l = 0; l < m->nlinks; l++) {
        int body = m->links[l].body;
        RgForce now = wrench_on(wrenches, l), then = rest->wrenches[l];
        if (body >= 0 && rest->body[body].asleep && rest->body[body].seen &&
            !(same_vec(now.n, then.n) && same_vec(now.f, then.f)))
            return body;
    }
    return -1;
}

bool rg_sleep_inputs_changed(const RgSleep *sleep, const RgRest *rest, const double *tau, const RgForce *wrenches)
{
    const RgModel *m = sleep->setup->form->model;
    for (int i = 0; i < m->nbodies; i++)
        if (rest->body[i].asleep && !rest->body[i].seen)
            return true;
    return find_disturbed(m, rest, tau, wrenches) >= 0;
}

void rg_sleep_check_inputs(RgSleep *sleep, const double *tau, const RgForce *wrenches, const RgContactMemory *memory)
{
    const RgModel *m = sleep->setup->form->model;
    RgRest *rest = sleep->rest;
    if (sleep->nasleep == 0)
        return;
    for (int body; (body = find_disturbed(m, rest, tau, wrenches)) >= 0;)
        rg_sleep_wake(sleep, rest, body, memory);
    for (int k = 0; k < m->nv; k++) {
        const RgBodyRest *body = &rest->body[m->dof_body[k]];
        if (body->asleep && !body->seen)
            rest->tau[k] = tau[k];
    }
    for (int l = 0; l < m->nlinks; l++) {
        int body = m->links[l].body;
        if (body >= 0 && rest->body[body].asleep && !rest->body[body].seen)
            rest->wrenches[l] = wrench_on(wrenches, l);
    }
    for (int i = 0; i < m->nbodies; i++)
        rest->body[i].seen = rest->body[i].asleep;
}

bool rg_sleep_wake_touched(RgSleep *sleep, const RgContactView *contacts, const RgContactMemory *memory)
{
    const RgModel *m = sleep->setup->form->model;
    int before = sleep->nasleep;
    for (int32_t k = 0; k < contacts->npairs && sleep->nasleep > 0; k++) {
        int a = rg_contact_body(m, contacts->pairs[k].shape_a), b = rg_contact_body(m, contacts->pairs[k].shape_b);
        if (a >= 0 && sleep->asleep[a])
            rg_sleep_wake(sleep, sleep->rest, a, memory);
        if (b >= 0 && sleep->asleep[b])
            rg_sleep_wake(sleep, sleep->rest, b, memory);
    }
    return sleep->nasleep < before;
}

/* ------------------------------------------------------------------ velocities and positions of one body */

/* Ranges of a body in x and u. */
typedef struct Span {
    int x, nx, u, nu;
} Span;

static Span span_of(const RgForm *form, int i)
{
    const RgBody *B = &form->model->bodies[i];
    return form->kind->joints_are_rows ? (Span){7 * i, 7, 6 * i, 6} : (Span){B->q0, B->kind->nq, B->v0, B->nv};
}

static void stop_body(const RgForm *form, int i, double *u)
{
    Span s = span_of(form, i);
    memset(u + s.u, 0, (size_t)s.nu * sizeof *u);
    if (!form->kind->joints_are_rows)
        return;
    const RgBody *B = &form->model->bodies[i];
    for (int k = B->v0; k < B->v0 + B->nv; k++)
        if (form->dof_rotor[k] >= 0)
            u[6 * form->model->nbodies + form->dof_rotor[k]] = 0.0;
}

void rg_sleep_zero_velocities(const RgSleep *sleep, double *u)
{
    const RgForm *form = sleep->setup->form;
    for (int i = 0; i < form->model->nbodies && sleep->nasleep > 0; i++)
        if (sleep->asleep[i])
            stop_body(form, i, u);
}

void rg_sleep_freeze(const RgSleep *sleep, const double *x_before, double *x, double *u)
{
    const RgForm *form = sleep->setup->form;
    for (int i = 0; i < form->model->nbodies && sleep->nasleep > 0; i++) {
        if (!sleep->asleep[i])
            continue;
        Span s = span_of(form, i);
        memcpy(x + s.x, x_before + s.x, (size_t)s.nx * sizeof *x);
        if (form->kind->joints_are_rows) {
            /* The joint's own positions, which x of the maximal form also stores. */
            const RgBody *B = &form->model->bodies[i];
            int turns = 7 * form->model->nbodies + B->q0;
            memcpy(x + turns, x_before + turns, (size_t)B->kind->nq * sizeof *x);
        }
        stop_body(form, i, u);
    }
}

/* ------------------------------------------------------------------ falling asleep */

/* m^2/s^2: mean square speed of a body's mass. */
static double mean_square_speed(const RgForm *form, int i, const double *u)
{
    const RgInertia *in = &form->model->bodies[i].inertia;
    RgMat3 R = form->kin->X_WB[i].R;
    RgMotion V;
    rg_form_twist(form, i, u, &V);
    if (!(in->mass > 0.0))
        return v3_norm2(V.v);
    RgVec3 w = m3_apply_t(R, V.w);
    RgVec3 v = v3_add(V.v, v3_cross(V.w, m3_apply(R, in->com)));
    return v3_norm2(v) + v3_dot(w, s3_apply(in->I, w)) / in->mass;
}

/* Bodies whose drives have a target velocity are not quiet, however slow they are. */
static void keep_driven_awake(RgSleep *sleep)
{
    const RgBounded *b = sleep->setup->bounded;
    const RgModel *m = b->form->model;
    for (int axis = 0; axis < b->naxes && b->ndrives > 0; axis++) {
        const RgAxis *a = &b->axes[axis];
        int body = a->dof >= 0                     ? m->dof_body[a->dof]
                   : m->loops[a->loop].body_a >= 0 ? m->loops[a->loop].body_a
                                                   : m->loops[a->loop].body_b;
        if (b->drives[axis].max_effort > 0.0 && b->drives[axis].velocity != 0.0 && body >= 0 && !sleep->asleep[body])
            sleep->rest->body[body].quiet = 0.0;
    }
}

void rg_sleep_end_step(RgSleep *sleep, const RgContactView *contacts, double h, double *u)
{
    const RgForm *form = sleep->setup->form;
    const RgModel *m = form->model;
    RgBodyRest *body = sleep->rest->body;
    rg_contact_sets(sleep->setup->form->model, sleep->parent);
    for (int32_t k = 0; k < contacts->npairs; k++)
        join_shapes(sleep, contacts->pairs[k].shape_a.i, contacts->pairs[k].shape_b.i);

    /* Quiet time of each body, and the least of each set. */
    for (int i = 0; i < m->nbodies; i++) {
        sleep->span[i] = INFINITY;
        if (sleep->asleep[i])
            continue;
        sleep->speed2[i] = mean_square_speed(form, i, u);
        body[i].quiet = sleep->speed2[i] < sleep->speed * sleep->speed ? body[i].quiet + h : 0.0;
    }
    keep_driven_awake(sleep);
    for (int i = 0; i < m->nbodies; i++) {
        int root = rg_set_root(sleep->parent, i);
        sleep->span[root] = fmin(sleep->span[root], body[i].quiet);
    }

    for (int i = 0; i < m->nbodies; i++) {
        if (sleep->asleep[i] || !(sleep->span[rg_set_root(sleep->parent, i)] >= sleep->time))
            continue;
        sleep->slept += 0.5 * m->bodies[i].inertia.mass * sleep->speed2[i];
        stop_body(form, i, u);
        body[i].asleep = 1;
        body[i].seen = 0;
        sleep->asleep[i] = true;
        sleep->nasleep++;
    }
}
