/*
 * world_sleep.c - sleeping bodies of a world: queries, waking, and steps in which all bodies sleep.
 *
 * Contacts between sleeping bodies carry what they carried last, from the memory in the state: points on both shapes
 * and impulses. Torsional and rolling moments are not remembered and reported as zero.
 *
 * If all bodies sleep and the forces on them did not change, a step only advances the time; the input function is still
 * called, since its result may change.
 */
#include "base/status.h"
#include "sim/world_internal.h"

void rg_world_wake_body(RgWorld *w, int body)
{
    const RgRest *rest = &w->state.rest;
    if (rest->body != NULL && body >= 0 && rest->body[body].asleep)
        rg_sleep_wake(w->scope.sleep, &w->state.rest, body, &w->state.memory);
}

void rg_world_wake(RgWorld *w, RgLinkId link)
{
    if (w->state.rest.body == NULL || link.i < 0 || link.i > w->model->nlinks)
        return;
    if (link.i > 0)
        rg_world_wake_body(w, w->model->links[link.i - 1].body);
    else
        rg_rest_clear(w->model, &w->state.rest);
}

bool rg_world_is_asleep(const RgWorld *w, RgLinkId link)
{
    if (w->state.rest.body == NULL || link.i <= 0 || link.i > w->model->nlinks)
        return false;
    int body = w->model->links[link.i - 1].body;
    return body >= 0 && w->state.rest.body[body].asleep;
}

RgStatus rg_world_set_gravity(RgWorld *w, RgVec3 gravity)
{
    RgVec3 old = w->scope.gravity;
    if (!v3_finite(gravity))
        return RG_ERR_NOT_FINITE;
    w->scope.gravity = gravity;
    if (gravity.x != old.x || gravity.y != old.y || gravity.z != old.z)
        rg_world_wake(w, (RgLinkId){0});
    return RG_OK;
}

bool rg_world_all_asleep(RgWorld *w)
{
    RgStepScope *s = &w->scope;
    const RgRest *rest = &w->state.rest;
    for (int i = 0; i < w->model->nbodies; i++)
        if (!rest->body[i].asleep || !rest->body[i].seen)
            return false;
    if (s->input.fn == NULL)
        return true;
    rg_world_refresh(w);
    RgDynamicsAsk ask = {.h = s->implicit_damping ? s->call.h : 0.0};
    return rg_stage_forces(s, w->state.t, &ask) == RG_OK &&
           !rg_sleep_inputs_changed(s->sleep, rest, s->forces.tau, s->input.any_wrench ? s->forces.on_links : NULL);
}

/* ------------------------------------------------------------------ forces between sleeping bodies */

void rg_world_recall_sleeping_forces(RgWorld *w)
{
    const RgContactMemory *memory = &w->state.memory;
    if (w->scope.contact->result.h > 0.0 || !(memory->h > 0.0))
        return;
    for (int i = 0; i < w->model->nbodies; i++)
        w->scope.sleep->asleep[i] = true;
    rg_world_refresh(w);
    rg_constraints_observe(w->scope.constraints);
    RgBoundedAsk ask = rg_stage_rows_ask(&w->scope, w->state.t, memory->h);
    rg_contact_restore_rows(w->scope.contact, &ask, memory);
}

static RgPose shape_pose(const RgWorld *w, int32_t shape)
{
    const RgShapeDef *def = &w->model->shapes[shape - 1].def;
    return def->link.i > 0 ? pose_mul(rg_kin_link_pose(w->scope.form->kin, def->link.i - 1), def->X_LS) : def->X_LS;
}

/* Writes the points of a remembered pair. Returns their number. */
static int report_pair(const RgWorld *w, const RgRememberedPair *pair, RgContactForce *out)
{
    const RgContactMemory *memory = &w->state.memory;
    RgPose X_WA = shape_pose(w, pair->shape_a), X_WB = shape_pose(w, pair->shape_b);
    int n = 0;
    for (int32_t k = 0; k < pair->nmanifolds; k++) {
        const RgRememberedManifold *m = &memory->manifolds[pair->first_manifold + k];
        RgVec3 normal = m3_apply(X_WA.R, m->normal_A);
        for (int32_t i = m->first; i < m->first + m->count; i++) {
            const RgRememberedPoint *p = &memory->points[i];
            RgVec3 a = pose_apply(X_WA, p->point_A), b = pose_apply(X_WB, p->point_B);
            out[n++] = (RgContactForce){.shape_a = {pair->shape_a},
                                        .shape_b = {pair->shape_b},
                                        .id = p->id,
                                        .point = v3_scale(0.5, v3_add(a, b)),
                                        .normal = normal,
                                        .force = v3_scale(1.0 / memory->h, p->impulse),
                                        .gap = v3_dot(normal, v3_sub(b, a)),
                                        .state = v3_dot(normal, p->impulse) > 0.0 ? RG_CONTACT_STICK : RG_CONTACT_OPEN};
        }
    }
    return n;
}

/* Remembered pairs and the last step's points are both in the order of the shapes. */
int rg_world_sleeping_forces(RgWorld *w, const RgContactForce **out)
{
    const RgContactResult *result = &w->scope.contact->result;
    const RgContactMemory *memory = &w->state.memory;
    rg_arena_reset(&w->reports.memory);
    RgContactForce *all = RG_ARENA_ALLOC_RAW(&w->reports.memory, RgContactForce, result->nforces + memory->npoints);
    *out = all;
    if (all == NULL)
        return 0;
    rg_world_refresh(w);
    int n = 0, at = 0;
    for (int32_t k = 0; k < memory->npairs; k++) {
        const RgRememberedPair *pair = &memory->pairs[k];
        int first = at;
        while (at < result->nforces && result->forces[at].shape_a.i == pair->shape_a &&
               result->forces[at].shape_b.i == pair->shape_b)
            all[n++] = result->forces[at++];
        if (at == first)
            n += report_pair(w, pair, all + n);
    }
    return n;
}
