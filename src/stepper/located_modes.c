/*
 * located_modes.c - contact modes: what has changed between the two ends of a trial; and limits of joints.
 *
 * Within a step, besides new contacts: a contact point passes from feature to feature (a corner slides over an edge), a
 * contact separates, stick becomes slip or slip stick, a joint leaves its limit. Velocities and the set of points at
 * both ends show each of them.
 *
 * Limits of joints: position q, gap g = q - lower or upper - q, on a cubic between the ends of the step.
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

/* A change of features counts before one of friction, the first of its kind before others. */
static void note_change(RgTrial *out, RgCut change, double when, double size)
{
    if (out->changed && change != RG_CUT_manifold && change != out->change)
        return;
    bool again = out->changed && change == out->change;
    out->when = again ? fmin(out->when, when) : when;
    out->size = again ? fmax(out->size, size) : size;
    out->change = change;
    out->changed = true;
}

/* Zero of a force linear in time. That of the first half is of a quarter of the step but for its drift, which is of its
   ends; so at the end it is as much less again. */
static double zero_of_force(const RgPersistentContact *one, double h)
{
    double fall = 2.0 * (one->pressure[0] - one->pressure[1]);
    return fall > 0.0 && one->pressure[1] > 0.0 ? h * one->pressure[0] / fall : NAN;
}

/* Zero of a slip speed linear in time, by its value half way. */
static double zero_of_slip(const RgPersistentContact *one, double h)
{
    double fall = 2.0 * (one->slip[0] - one->slip[1]);
    return one->slips && one->slip[1] > RG_LOCATED_SLIP && fall > 0.0 ? h * one->slip[0] / fall : NAN;
}

/* New points: those that close land, others have passed from feature to feature. */
static void compare_new(const RgLocated *l, RgTrial *out)
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
        note_change(out, RG_CUT_manifold, NAN, 0.0);
}

void rg_located_compare(RgLocated *l, double h, RgTrial *out)
{
    const RgForm *form = l->scope->form;
    const double *u_end = l->states.end.u, *u = l->impact ? l->states.u_free : u_end;
    compare_new(l, out);
    for (int i = 0; i < l->persistent.count; i++) {
        const RgGap *gap = &l->persistent.gap_constraints[i].gap;
        RgPersistentContact *one = &l->persistent.list[i];
        bool there = rg_contact_set_find(&l->contacts_end, rg_gap_key(gap)) >= 0;
        bool left = one->left || (there && rg_gap_opening(form, gap, u) > RG_LOCATED_REST);
        if (!there || left)
            note_change(out, RG_CUT_manifold, there ? zero_of_force(one, h) : NAN, there ? one->lifted : 0.0);
        else if ((rg_gap_slip(form, gap, u) > RG_LOCATED_SLIP) != one->slips)
            note_change(out, RG_CUT_friction, zero_of_slip(one, h), one->slips ? 0.0 : rg_gap_slip(form, gap, u));
        one->left = left || (there && rg_gap_opening(form, gap, u_end) > RG_LOCATED_REST);
    }
    if (l->scope->contact != NULL && !l->impact && rg_contact_events_leaves(l->scope, l->states.last, u_end))
        note_change(out, RG_CUT_limit, NAN, 0.0);
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

/* The cubic through g0, g1 with rates r0, r1 at part s of the step h. */
static double cubic(const double g[2], const double r[2], double h, double s)
{
    double a = 1.0 - s, b = s;
    return g[0] * a * a * (1.0 + 2.0 * s) + g[1] * b * b * (3.0 - 2.0 * s) + h * s * a * (r[0] * a - r[1] * b);
}

/* First part of the step at which a gap falls to its floor, by bisection; infinite: it does not. */
static double first_below(const double g[2], const double r[2], double h, double floor)
{
    enum { PARTS = 16, HALVINGS = 50 };
    for (int k = 1; k <= PARTS; k++) {
        double low = (k - 1) / (double)PARTS, high = k / (double)PARTS;
        if (cubic(g, r, h, high) >= floor)
            continue;
        for (int i = 0; i < HALVINGS; i++) {
            double middle = 0.5 * (low + high);
            if (cubic(g, r, h, middle) >= floor)
                low = middle;
            else
                high = middle;
        }
        return low;
    }
    return INFINITY;
}

static double side_limit(const RgLocated *l, int axis, double sign, double bound, double h)
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
        first = fmin(first, side_limit(l, i, 1.0, axis->def->lower, h));
        first = fmin(first, side_limit(l, i, -1.0, axis->def->upper, h));
    }
    return first;
}
