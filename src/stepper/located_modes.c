/*
 * located_modes.c - changes of contact modes between the two ends of a trial; limits of joints.
 *
 * Changes besides new contacts: a contact point moves to another feature (a corner slides over an edge), a contact
 * separates, stick becomes slip or slip becomes stick, a joint leaves its limit. All are detected from the velocities
 * and the contact points at both ends.
 *
 * Limits of joints: the gap g = q - lower or upper - q of a position q on a cubic between the ends of the step.
 */
#include "stepper/located.h"

void rg_located_find_landing(RgLocated *l, const double *u, bool *lands)
{
    RgContactSet *set = &l->contacts_end;
    *lands = false;
    for (int32_t i = 0; l->scope->scene != NULL && i < set->touch.view.npoints; i++) {
        const RgGap *gap = &set->touch.gaps[i];
        set->keep[i] = rg_persistent_contact(&l->persistent, rg_gap_key(gap)) != NULL;
        if (!set->keep[i] && rg_gap_opening(l->scope->form, gap, u) < -RG_LOCATED_REST)
            *lands = true;
    }
    if (*lands)
        rg_contact_set_filter(set);
}

/* ------------------------------------------------------------------ changes */

/* Stores a change. Changes of features have priority over others; of changes of one kind the earliest time and the
   largest size are kept. */
static void store_change(RgTrial *out, RgCut change, double when, double size)
{
    if (out->changed && change != RG_CUT_manifold && change != out->change)
        return;
    bool again = out->changed && change == out->change;
    out->when = again ? fmin(out->when, when) : when;
    out->size = again ? fmax(out->size, size) : size;
    out->change = change;
    out->changed = true;
}

/* s: zero of a normal force linear in time; NaN: it does not decrease to one. The forces of the two halves count as
   those at the start and in the middle of the step: the force of the first half is that at a quarter of the step except
   for the drift, which is that at its ends, so the force at the end is lower by the same difference again. */
static double time_of_zero_force(const RgPersistentContact *one, double h)
{
    double fall = 2.0 * (one->pressure[0] - one->pressure[1]);
    return fall > 0.0 && one->pressure[1] > 0.0 ? h * one->pressure[0] / fall : NAN;
}

/* s: zero of a slip speed linear in time, by its values at the start and half way; NaN: none. */
static double time_of_zero_slip(const RgPersistentContact *one, double h)
{
    double fall = 2.0 * (one->slip[0] - one->slip[1]);
    return one->slips && one->slip[1] > RG_LOCATED_SLIP && fall > 0.0 ? h * one->slip[0] / fall : NAN;
}

/* Points that are new at the end: a closing point is a landing; any other is a change of features. */
static void compare_new_points(const RgLocated *l, RgTrial *out)
{
    bool fresh = false;
    const RgTouchSet *touch = &l->contacts_end.touch;
    for (int32_t i = 0; i < touch->view.npoints; i++) {
        RgGapKey key = rg_gap_key(&touch->gaps[i]);
        if (rg_persistent_contact(&l->persistent, key) != NULL)
            continue;
        if (rg_gap_opening(l->scope->form, &touch->gaps[i], l->states.u_free) < -RG_LOCATED_REST)
            out->lands = true;
        else
            fresh = fresh || !rg_was_contact(&l->previous_contacts, key);
    }
    if (fresh && !out->lands)
        store_change(out, RG_CUT_manifold, NAN, 0.0);
}

void rg_located_compare(RgLocated *l, double h, RgTrial *out)
{
    const RgForm *form = l->scope->form;
    const double *u_end = l->states.end.u, *u = l->impact ? l->states.u_free : u_end;
    compare_new_points(l, out);
    for (int i = 0; i < l->persistent.count; i++) {
        const RgGap *gap = &l->persistent.gap_constraints[i].gap;
        RgPersistentContact *one = &l->persistent.list[i];
        bool there = rg_contact_set_find(&l->contacts_end, rg_gap_key(gap)) >= 0;
        bool left = one->left || (there && rg_gap_opening(form, gap, u) > RG_LOCATED_REST);
        if (!there || left)
            store_change(out, RG_CUT_manifold, there ? time_of_zero_force(one, h) : NAN, there ? one->lifted : 0.0);
        else if ((rg_gap_slip(form, gap, u) > RG_LOCATED_SLIP) != one->slips)
            store_change(out, RG_CUT_friction, time_of_zero_slip(one, h), one->slips ? 0.0 : rg_gap_slip(form, gap, u));
        one->left = left || (there && rg_gap_opening(form, gap, u_end) > RG_LOCATED_REST);
    }
    if (l->scope->contact != NULL && !l->impact && rg_contact_events_limit_left(l->scope, l->states.last, u_end))
        store_change(out, RG_CUT_limit, NAN, 0.0);
}

/* ------------------------------------------------------------------ limits of joints */

void rg_located_axes(const RgStepScope *s, RgLocatedPath *path, int at)
{
    const RgContactSolver *contact = s->contact;
    if (contact == NULL)
        return;
    rg_constraints_observe(s->constraints);
    for (int i = 0; i < contact->setup.bounded->naxes; i++) {
        if (!contact->setup.bounded->axes[i].plain)
            continue;
        path->q[at][i] = rg_axis_position(contact->setup.bounded, i);
        path->rate[at][i] = rg_axis_rate(contact->setup.bounded, i);
    }
}

/* Hermite cubic through g[0], g[1] with rates r[0], r[1], at part s of the step h. */
static double hermite_value(const double g[2], const double r[2], double h, double s)
{
    double a = 1.0 - s, b = s;
    return g[0] * a * a * (1.0 + 2.0 * s) + g[1] * b * b * (3.0 - 2.0 * s) + h * s * a * (r[0] * a - r[1] * b);
}

/* First part of the step at which a gap falls below the floor, by bisection in the first of PARTS intervals that ends
   below it; infinite: none does. */
static double first_below(const double g[2], const double r[2], double h, double floor)
{
    enum { PARTS = 16, HALVINGS = 50 };
    for (int k = 1; k <= PARTS; k++) {
        double low = (k - 1) / (double)PARTS, high = k / (double)PARTS;
        if (hermite_value(g, r, h, high) >= floor)
            continue;
        for (int i = 0; i < HALVINGS; i++) {
            double middle = 0.5 * (low + high);
            if (hermite_value(g, r, h, middle) >= floor)
                low = middle;
            else
                high = middle;
        }
        return low;
    }
    return INFINITY;
}

/* s: first time at which one limit of an axis is reached; infinite: never. sign: 1 for lower, -1 for upper limits. */
static double time_of_limit(const RgLocated *l, int axis, double sign, double bound, double h)
{
    if (!isfinite(bound))
        return INFINITY;
    double g[2], r[2];
    for (int at = 0; at < 2; at++) {
        g[at] = sign * (l->path.q[at][axis] - bound);
        r[at] = sign * l->path.rate[at][axis];
    }
    if (g[0] <= l->gap)
        return INFINITY;
    return h * first_below(g, r, h, 0.5 * l->scope->adapt.gap);
}

double rg_located_limit(const RgLocated *l, double h)
{
    const RgContactSolver *contact = l->scope->contact;
    double first = INFINITY;
    for (int i = 0; contact != NULL && contact->setup.bounded->position_limits && i < contact->setup.bounded->naxes;
         i++) {
        const RgAxis *axis = &contact->setup.bounded->axes[i];
        if (!axis->plain)
            continue;
        first = fmin(first, time_of_limit(l, i, 1.0, axis->def->lower, h));
        first = fmin(first, time_of_limit(l, i, -1.0, axis->def->upper, h));
    }
    return first;
}
