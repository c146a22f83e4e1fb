/*
 * located_release.c - separation of contacts: by their forces, or by their rates at the start of a step.
 *
 * Forces. While a contact is kept its gap phi has rate 0, and
 *
 *   phi'' = J a + b        b: drift (located_contacts.c)
 *
 * It separates when the force for phi'' = 0 would have to pull: phi'' >= 0, z >= 0, one of them 0. At (x, u) this is
 * decided by a solve over a short time k from u with target rates -k b: a contact that opens faster than its target by
 * LIFT_LIMIT k separates. The two halves of a step do the same over h/2. But the second half starts from the velocity
 * in the middle of the step, so its b is half a step old, and a contact pulled off by b (a ball that rolls down
 * another) would separate too late. So if a contact has less than SUSPECT_PART of its first-half force in the second
 * half, a solve at the end decides. At the start of the next step (over its first half) the threshold is lower, so that
 * a contact that separated at an end is not kept at the start.
 *
 * Rates. A contact whose gap opens at rate r, and which forces close with acceleration g, closes again after 2 r / g
 * and rises by r^2 / (2 g). It is released unless
 *
 *   2 r / g < event_time        events nearer to each other may be taken as one
 *   r^2 / (2 g) < MICRO_BOUNCE gap       a micro bounce, not distinguished from rest
 *
 * So an infinite sequence of bounces or rocking (Zeno) takes finite work. Both bounds depend on the state alone, so it
 * ends after the same event for every step length. g is found by a velocity update over half of event_time. For a
 * contact whose own force acts although it opens (friction without pressure in solver no-slip) g is also found without
 * contacts, and the larger value decides. A contact that no force closes is released, however slowly it opens.
 *
 * The rates of micro bounces are removed: velocities become the nearest ones, in the mass metric, at which no kept gap
 * opens or closes and sticking contacts stick (otherwise friction would open the gap again). If these constraints
 * contradict each other u is unchanged. The energy loss, below m g MICRO_BOUNCE gap per contact, is reported in the
 * work of contacts (rest).
 */
#include "stepper/located.h"

#include <string.h>

/* m/s^2: contacts that open slower at the end of a step are kept; at its start half of this. About 2e-6 of gravity. */
#define LIFT_LIMIT 2e-5
/* m/s: round-off of solves. */
#define SOLVE_ROUND_OFF 2e-10

/* s: longest time over which forces at the end are evaluated. */
#define END_SOLVE_TIME 1e-4

/* Part of the force of the first half below which a contact is suspected to separate. 0.5 is the value for forces
   linear in time that reach 0 at the end. */
#define SUSPECT_PART 0.6

/* Height of a micro bounce, as a multiple of the gap. Contacts rest at 0.4 to 0.95 of the gap, so a bounce of this
   height clearly leaves it. */
#define MICRO_BOUNCE 4.0

/* ------------------------------------------------------------------ by forces */

/* m/s: target of a contact along its normal. */
static double target_rate(const RgContactSet *set, int32_t point)
{
    return v3_dot(set->touch.view.points[point].normal, set->target[point]);
}

bool rg_located_opens(const RgLocated *l, int32_t point, const double *u)
{
    const RgContactSet *set = &l->contacts_begin;
    return rg_gap_opening(l->scope->form, &set->touch.gaps[point], u) - target_rate(set, point) > RG_LOCATED_REST;
}

/* Whether a contact opens faster than its target by `least` (m/s^2) after an update to u, with contacts and without
   them. */
static bool opens_faster_than(const RgLocated *l, const RgContactSet *set, const RgVelocityUpdate *update,
                              int32_t point, const double *u, double least)
{
    const RgForm *form = l->scope->form;
    const RgGap *gap = &set->touch.gaps[point];
    double most = fmax(rg_gap_opening(form, gap, update->from), 0.0) + target_rate(set, point) +
                  least * update->contact.h + SOLVE_ROUND_OFF;
    return rg_gap_opening(form, gap, u) > most && rg_gap_opening(form, gap, l->states.u_free) > most;
}

bool rg_located_lifts(const RgLocated *l, const RgVelocityUpdate *update, int32_t point, const double *u)
{
    return opens_faster_than(l, &l->contacts_begin, update, point, u, 0.5 * LIFT_LIMIT);
}

/* Stores the forces of the second half, over k. Returns whether some contact may separate at the end. */
static bool compare_pressures(RgLocated *l, double k)
{
    bool any = false;
    for (int i = 0; i < l->persistent.count; i++) {
        RgPersistentContact *one = &l->persistent.list[i];
        int32_t j = rg_contact_set_find(&l->contacts_end, rg_gap_key(&l->persistent.gap_constraints[i].gap));
        one->left = false;
        one->lifted = 0.0;
        one->pressure[1] =
            j < 0
                ? 0.0
                : v3_dot(l->contacts_end.touch.view.points[j].normal, l->scope->contact->result.point_impulses[j]) / k;
        any = any || (j >= 0 && one->pressure[1] < SUSPECT_PART * one->pressure[0]);
    }
    return any;
}

RgStatus rg_located_find_separating(RgLocated *l, double h, bool *solved)
{
    RgStepScope *s = l->scope;
    RgContactSet *set = &l->contacts_end;
    const RgState *end = &l->states.end;
    *solved = false;
    if (s->scene == NULL || set->touch.view.npoints == 0 || l->persistent.count == 0 || !compare_pressures(l, 0.5 * h))
        return RG_OK;
    double k = fmin(0.5 * h, END_SOLVE_TIME);
    RgSolverWork work = l->work;
    s->form->kind->kinematics(s->form, end->x, end->u);
    rg_contact_set_drift(s, end, h, set);
    RgVelocityUpdate update = rg_located_update(set, end, end->u, k);
    update.contact.joints_drift = true;
    RgStatus status = rg_located_solve(l, &update, &l->states.probe);
    const double *u = l->states.probe.u;
    *solved = true;
    l->work = work;
    for (int i = 0; i < l->persistent.count && status == RG_OK; i++) {
        RgPersistentContact *one = &l->persistent.list[i];
        int32_t j = rg_contact_set_find(set, rg_gap_key(&l->persistent.gap_constraints[i].gap));
        one->left = j >= 0 && opens_faster_than(l, set, &update, j, u, LIFT_LIMIT);
        if (one->left)
            one->lifted = (rg_gap_opening(s->form, &set->touch.gaps[j], u) - target_rate(set, j)) / k;
    }
    return status;
}

bool rg_located_release_left(RgLocated *l)
{
    bool any = false;
    RgContactSet *set = &l->contacts_begin;
    for (int32_t i = 0; i < set->touch.view.npoints; i++) {
        const RgPersistentContact *one = rg_persistent_contact(&l->persistent, rg_gap_key(&set->touch.gaps[i]));
        set->keep[i] = one == NULL || !one->left;
        any = any || !set->keep[i];
    }
    if (any)
        rg_contact_set_filter(set);
    return any;
}

/* ------------------------------------------------------------------ by rates: micro bounces */

/* m/s^2: closing acceleration of a contact of the start by an update over k to u, without its drift. */
static double closing_acceleration(const RgLocated *l, int32_t point, double k, const double *u)
{
    const RgForm *form = l->scope->form;
    const RgContactSet *set = &l->contacts_begin;
    const RgGap *gap = &set->touch.gaps[point];
    return (rg_gap_opening(form, gap, l->states.begin.u) + target_rate(set, point) - rg_gap_opening(form, gap, u)) / k;
}

/* Whether a contact of the start does not open in an update over k to u, or opens only to the height of a micro
   bounce. */
static bool is_micro_bounce_or_rest(const RgLocated *l, int32_t point, double k, const double *u)
{
    double rate = rg_gap_opening(l->scope->form, &l->contacts_begin.touch.gaps[point], l->states.begin.u);
    return !rg_located_opens(l, point, u) ||
           rate * rate < 2.0 * closing_acceleration(l, point, k, u) * MICRO_BOUNCE * l->scope->adapt.gap;
}

/* A gap whose rate is the velocity of B against A along a tangent t (unit, world). */
static RgGap tangent_gap(const RgKin *kin, const RgGap *gap, RgVec3 point, RgVec3 t)
{
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

/* Constraints that keep all gaps of the start, and the tangential positions of sticking contacts. Returns their number.
   */
static int constrain_contacts(const RgForm *form, const RgContactSet *set, const double *u, RgGapConstraint *out)
{
    int count = 0;
    for (int32_t i = 0; i < set->touch.view.npoints; i++) {
        const RgGap *gap = &set->touch.gaps[i];
        const RgContactPoint *p = &set->touch.view.points[i];
        out[count++] = rg_gap_equals(*gap, 0.0);
        if (rg_gap_slip(form, gap, u) > RG_LOCATED_SLIP)
            continue;
        RgVec3 point = v3_scale(0.5, v3_add(p->point_a, p->point_b));
        RgVec3 t[2] = {v3_orthogonal(p->normal), v3_cross(p->normal, v3_orthogonal(p->normal))};
        for (int k = 0; k < 2; k++)
            out[count++] = rg_gap_equals(tangent_gap(form->kin, gap, point, t[k]), 0.0);
    }
    return count;
}

/* Removes the rates of micro bounces from begin.u. */
static RgStatus remove_bounce_rates(RgLocated *l)
{
    const RgForm *form = l->scope->form;
    double *u = l->states.mid.u, *begin = l->states.begin.u, before = rg_form_kinetic(form, begin);
    size_t size = (size_t)form->nu * sizeof *u;
    l->persistent.count = 0;
    if (!rg_persistent_reserve(&l->persistent, &l->scope->log->allocator, 3 * l->contacts_begin.touch.view.npoints))
        return RG_ERR_MEMORY;
    RgGapConstraint *constraints = l->persistent.gap_constraints;
    int count = constrain_contacts(form, &l->contacts_begin, begin, constraints);
    memcpy(u, begin, size);
    RgStatus status = rg_project_gap_rates(l->projector, constraints, count, u);
    if (status != RG_OK)
        return status == RG_ERR_NOT_CONVERGED ? RG_OK : status;
    memcpy(begin, u, size);
    double gain = rg_form_kinetic(form, u) - before;
    l->work.rest += gain;
    l->work.total += gain;
    return RG_OK;
}

RgStatus rg_located_release_opening(RgLocated *l, double h)
{
    RgStepScope *s = l->scope;
    RgContactSet *set = &l->contacts_begin;
    double k = 0.5 * fmin(h, s->adapt.event_time);
    RgState at;
    RgVelocityUpdate update = rg_located_update_begin(l, k, &at);
    RgSolverWork work = l->work;
    RgStatus status = rg_located_solve(l, &update, &l->states.mid);
    const double *u = l->states.mid.u;
    l->work = work;
    if (status != RG_OK)
        return status;
    bool any = false;
    for (int32_t i = 0; i < set->touch.view.npoints; i++) {
        bool acts = v3_norm2(s->contact->result.point_impulses[i]) > 0.0;
        bool opens = rg_gap_opening(s->form, &set->touch.gaps[i], l->states.begin.u) > RG_LOCATED_REST;
        set->keep[i] =
            is_micro_bounce_or_rest(l, i, k, u) || (acts && is_micro_bounce_or_rest(l, i, k, l->states.u_free));
        set->micro_bounce[i] = set->keep[i] && opens && closing_acceleration(l, i, k, u) > 0.0;
        any = any || set->micro_bounce[i];
    }
    rg_contact_set_filter(set);
    if (any)
        status = remove_bounce_rates(l);
    if (status == RG_OK && any)
        rg_contact_set_drift(s, &l->states.begin, h, set);
    return status;
}
