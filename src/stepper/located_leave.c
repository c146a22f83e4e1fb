/*
 * located_leave.c - contacts that are about to leave: forces of an instant.
 *
 * While a contact is held its gap phi keeps its height, phi' = 0, and
 *
 *   phi'' = J a + b        b: how the rate bends while u stays
 *
 * It leaves where the force that this takes becomes a pull: phi'' >= 0, z >= 0, one of them 0. At (x, u) a solve over a short
 * time k from u towards rates of -k b answers that: a contact that is faster than that by LIFT k has left. Half kicks of a
 * step ask the same over h/2; but that at its end begins from the velocity in the middle of the step, so its b is
 * that of half a step ago, and contacts that are pulled off by b (a ball that rolls down another) would leave too late by a
 * part of h. So where a contact carries less in the second half than SUSPECT of what it did in the first, by which its
 * force at the end may have reached zero, the question is asked at the end itself.
 *
 * The state alone decides: at the start of the next step it is asked again (over the first half kick), by a lower bound, so
 * that what has left at an end is not held at the start.
 */
#include "stepper/located.h"

/* Part of a step over which a difference is taken, to either side. */
#define BEND_STEP 1e-3

/* m/s^2: contacts that open slower are held; at the end of a step. At its start it is half of that. */
#define LIFT 2e-5
/* m/s: round-off of solves. */
#define NOISE 2e-10

/* s, at most: time over which forces at the end are asked for. */
#define INSTANT 1e-4

/* Part of the force of the first half. Half of it would do if forces were straight lines. */
#define SUSPECT 0.6

/* ------------------------------------------------------------------ how contacts bend */

static bool bends_room(const RgLocated *l, RgBends *bends, int needed)
{
    if (needed <= bends->room)
        return true;
    const RgAllocator *allocator = &l->scope->log->allocator;
    RgVec3 *bend = rg_alloc(allocator, 4 * (size_t)needed, sizeof *bend);
    RgParting *parting = rg_alloc(allocator, 2 * (size_t)needed, sizeof *parting);
    if (bend == NULL || parting == NULL) {
        rg_free(allocator, bend);
        rg_free(allocator, parting);
        return false;
    }
    rg_free(allocator, bends->bend);
    rg_free(allocator, bends->parting);
    *bends =
        (RgBends){.bend = bend, .wanted = bend + 2 * (size_t)needed, .parting = parting, .room = 2 * needed};
    return true;
}

/* Velocities at the contacts where x leads in e seconds, times sign, onto the bends; rates onto those along normals. */
static void add_moved(RgLocated *l, const RgTouchSet *set, const RgState *at, double e, RgBends *out)
{
    RgStepScope *s = l->scope;
    RgForm *form = s->form;
    double *move = s->scratch.memory[0], sign = e > 0.0 ? 1.0 : -1.0;
    for (int k = 0; k < form->nu; k++)
        move[k] = e * at->u[k];
    form->kind->integrate(form, at->x, move, s->scratch.x);
    form->kind->kinematics(form, s->scratch.x, at->u);
    for (int32_t i = 0; i < set->view.npoints; i++) {
        RgVec3 normal, v = rg_located_velocity(l, &set->gaps[i], at->u, &normal);
        out->bend[i] = v3_axpy(sign, v, out->bend[i]);
        out->wanted[i].x += sign * rg_located_rate(l, &set->gaps[i], at->u);
    }
}

bool rg_located_straight(const RgLocated *l, const RgTouchSet *set, RgBends *out)
{
    if (!bends_room(l, out, set->view.npoints))
        return false;
    for (int32_t i = 0; i < set->view.npoints; i++)
        out->bend[i] = out->wanted[i] = v3_zero();
    return true;
}

bool rg_located_bend(RgLocated *l, const RgTouchSet *set, const RgState *at, double h, RgBends *out)
{
    double e = BEND_STEP * h;
    if (!rg_located_straight(l, set, out))
        return false;
    add_moved(l, set, at, e, out);
    add_moved(l, set, at, -e, out);

    /* Along the normal it is how the rate of the gap changes: normals turn too. */
    for (int32_t i = 0; i < set->view.npoints; i++) {
        RgVec3 normal = set->view.points[i].normal, bend = v3_scale(0.5 / e, out->bend[i]);
        out->bend[i] = v3_axpy(0.5 / e * out->wanted[i].x - v3_dot(normal, bend), normal, bend);
    }
    l->scope->form->kind->kinematics(l->scope->form, at->x, at->u);
    return true;
}

/* ------------------------------------------------------------------ who leaves */

static bool lifts(const RgLocated *l, const RgKick *kick, int32_t point, const double *after, double least)
{
    const RgGap *gap = &kick->set->gaps[point];
    double wanted = v3_dot(kick->set->view.points[point].normal, kick->bends->wanted[point]);
    double most = fmax(rg_located_rate(l, gap, kick->from), 0.0) + wanted + least * kick->k + NOISE;
    return rg_located_rate(l, gap, after) > most && rg_located_rate(l, gap, l->u_free) > most;
}

bool rg_located_lifts(const RgLocated *l, const RgKick *kick, int32_t point, const double *after)
{
    return lifts(l, kick, point, after, 0.5 * LIFT);
}

/* Forces of the second half; whether some contact may have ceased to press by the end of it. */
static bool suspicious(RgLocated *l, double k)
{
    bool any = false;
    for (int i = 0; i < l->nwishes; i++) {
        RgLasting *one = &l->lasting[i];
        int32_t j = rg_located_where(l, rg_touch_key(&l->wishes[i].gap));
        one->left = false;
        one->lifted = 0.0;
        one->pressure[1] =
            j < 0 ? 0.0 : v3_dot(l->there.view.points[j].normal, l->scope->contact->result.point_impulses[j]) / k;
        any = any || (j >= 0 && one->pressure[1] < SUSPECT * one->pressure[0]);
    }
    return any;
}

RgStatus rg_located_leaving(RgLocated *l, double h, bool *asked)
{
    RgStepScope *s = l->scope;
    *asked = false;
    if (s->scene == NULL || l->there.view.npoints == 0 || l->nwishes == 0 || !suspicious(l, 0.5 * h))
        return RG_OK;
    double k = fmin(0.5 * h, INSTANT);
    RgSolverWork work = l->work;
    s->form->kind->kinematics(s->form, l->end.x, l->end.u);
    if (!rg_located_bend(l, &l->there, &l->end, h, &l->bends[1]))
        return RG_ERR_MEMORY;
    RgKick kick = {.at = &l->end,
                   .set = &l->there,
                   .bends = &l->bends[1],
                   .joints_bend = true,
                   .k = k,
                   .from = l->end.u};
    RgStatus status = rg_located_kick(l, &kick, &l->asked);
    *asked = true;
    l->work = work;
    for (int i = 0; i < l->nwishes && status == RG_OK; i++) {
        int32_t j = rg_located_where(l, rg_touch_key(&l->wishes[i].gap));
        l->lasting[i].left = j >= 0 && lifts(l, &kick, j, l->asked.u, LIFT);
        if (l->lasting[i].left)
            l->lasting[i].lifted = (rg_located_rate(l, &l->there.gaps[j], l->asked.u) -
                                    v3_dot(l->there.view.points[j].normal, l->bends[1].wanted[j])) /
                                   k;
    }
    return status;
}
