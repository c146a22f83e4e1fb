/*
 * located_hops.c - who leaves at the start of a step, and flights that are none.
 *
 * A contact whose gap opens at rate r, and which forces close with acceleration g, would be back after 2 r / g and rise by
 * r^2 / (2 g). It leaves where neither is small; else it is held:
 *
 *   2 r / g < event_time     events nearer to each other may be taken as one
 *   r^2 / (2 g) < HOP gap    a flight that low is a hop: not told from standing
 *
 * So a sequence of bounces or of rocking that never ends (Zeno) ends in finite work, and since both bounds ask for the
 * state alone, not for the step, it ends after the same event whatever the step is. g is found by a kick of half of
 * event_time; for a contact whose own force acts though it opens (friction that holds without pressure, as solver no-slip
 * has it, may lift what would fall back) without contacts too, and the larger decides. What forces do not close at all is
 * no hop: it leaves, however slowly.
 *
 * Held at its height a gap that opens must come to rest: r goes. The velocities become those nearest to them, in the metric
 * of masses, at which no gap that is held opens or closes and what sticks goes on sticking: their energy is less. (Were
 * friction left out, the next solve would open the gap again.) Where these contradict each other u stays as it was.
 *
 * The loss, below m g HOP gap of each contact, is in the work of contacts (rest).
 */
#include "stepper/located.h"

#include <string.h>

/* Parts of the gap: contacts rest at 0.4 to 0.95 of it, so that a flight of HOP leaves it well. */
#define HOP 4.0

/* m/s^2: how fast a kick of k seconds to u closes a contact of here, beside what it bends. */
static double falls(const RgLocated *l, int32_t point, double k, const double *u)
{
    const RgGap *gap = &l->here.gaps[point];
    double wanted = v3_dot(l->here.view.points[point].normal, l->bends[0].wanted[point]);
    return (rg_located_rate(l, gap, l->begin.u) + wanted - rg_located_rate(l, gap, u)) / k;
}

/* Whether a contact of here does not open in a kick of k seconds to u, or only to a height that is none. */
static bool stays(const RgLocated *l, int32_t point, double k, const double *u)
{
    double rate = rg_located_rate(l, &l->here.gaps[point], l->begin.u);
    return !rg_located_opens(l, point, u) ||
           rate * rate < 2.0 * falls(l, point, k, u) * HOP * l->scope->adapt.gap;
}

/* A gap across the normal: its rate is a velocity of B against A along a unit vector t of the world. */
static RgGap across(const RgLocated *l, const RgGap *gap, RgVec3 point, RgVec3 t)
{
    const RgKin *kin = l->scope->form->kin;
    RgPose A = kin_pose(kin, gap->body_a), B = kin_pose(kin, gap->body_b);
    return (RgGap){.kind = RG_GAP_PLANE_POINT,
                   .shape_a = gap->shape_a,
                   .shape_b = gap->shape_b,
                   .body_a = gap->body_a,
                   .body_b = gap->body_b,
                   .place_a = pose_apply(pose_inverse(A), point),
                   .place_b = pose_apply(pose_inverse(B), point),
                   .along_a = m3_apply_t(A.R, t)};
}

/* Everything here keeps its height, and its place if it sticks; the number of wishes, -1: no memory. */
static int wish_rest(RgLocated *l)
{
    int count = 0;
    l->nwishes = 0;
    if (!rg_located_wish_room(l, 3 * l->here.view.npoints))
        return -1;
    for (int32_t i = 0; i < l->here.view.npoints; i++) {
        const RgGap *gap = &l->here.gaps[i];
        const RgContactPoint *p = &l->here.view.points[i];
        l->wishes[count++] = (RgGapWish){.gap = *gap, .equal = true};
        if (rg_located_slip(l, gap, l->begin.u) > RG_LOCATED_SLIP)
            continue;
        RgVec3 point = v3_scale(0.5, v3_add(p->point_a, p->point_b));
        RgVec3 t[2] = {v3_across(p->normal), v3_cross(p->normal, v3_across(p->normal))};
        for (int k = 0; k < 2; k++)
            l->wishes[count++] = (RgGapWish){.gap = across(l, gap, point, t[k]), .equal = true};
    }
    return count;
}

/* l->begin.u without what opens hops. */
static RgStatus come_to_rest(RgLocated *l)
{
    const RgForm *form = l->scope->form;
    double *u = l->mid.u, before = rg_form_kinetic(form, l->begin.u);
    size_t size = (size_t)form->nu * sizeof *u;
    int count = wish_rest(l);
    if (count < 0)
        return RG_ERR_MEMORY;
    memcpy(u, l->begin.u, size);
    RgStatus status = rg_project_gap_rates(l->projector, l->wishes, count, u);
    if (status != RG_OK)
        return status == RG_ERR_NOT_CONVERGED ? RG_OK : status;
    memcpy(l->begin.u, u, size);
    double gain = rg_form_kinetic(form, u) - before;
    l->work.rest += gain;
    l->work.total += gain;
    return RG_OK;
}

RgStatus rg_located_let_go(RgLocated *l, double h)
{
    RgState at = {.t = l->begin.t, .x = l->begin.x, .u = l->begin.u, .memory = *l->last};
    RgKick kick = rg_located_kick_here(l, &at, 0.5 * fmin(h, l->scope->adapt.event_time));
    RgSolverWork work = l->work;
    RgStatus status = rg_located_kick(l, &kick, &l->mid);
    l->work = work;
    if (status != RG_OK)
        return status;
    bool any = false;
    for (int32_t i = 0; i < l->here.view.npoints; i++) {
        bool acts = v3_norm2(l->scope->contact->result.point_impulses[i]) > 0.0;
        bool opens = rg_located_rate(l, &l->here.gaps[i], l->begin.u) > RG_LOCATED_REST;
        l->keep[i] = stays(l, i, kick.k, l->mid.u) || (acts && stays(l, i, kick.k, l->u_free));
        l->hops[i] = l->keep[i] && opens && falls(l, i, kick.k, l->mid.u) > 0.0;
        any = any || l->hops[i];
    }
    rg_located_drop(l);
    if (any)
        status = come_to_rest(l);
    if (status == RG_OK && any && !rg_located_bend(l, &l->here, &l->begin, h, &l->bends[0]))
        status = RG_ERR_MEMORY;
    return status;
}
