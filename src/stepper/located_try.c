/*
 * located_try.c - one inner step, tried: where it leads, and for how long it is proven.
 *
 * In contact, with h the step and all that touches and does not leave held at its height phi:
 *
 *   U    = solve at x0 (u0 + h/2 a(x0, u0))           contacts and bounds act over h/2, towards -h/2 b
 *   x1   = x0 + h U, moved by the least mass-weighted d onto phi(x1) = phi(x0), loops and joints closed
 *   U   <- U + d / h
 *   u1   = solve at x1 (U + h/2 a(x1, 2 U - u0))      then impacts of what has come to touch, over no time
 *
 * This is RATTLE (Andersen 1983) with contacts, of second order while nobody begins or ceases to touch, stick or slip;
 * b is the rate at which the velocity of a contact's two sides against each other changes while u stays: a corner that
 * a body turns about is bent off its place by h^2 b / 2, and the contact pulls it back, presses less, or is left. So
 * d is of third order. 2 U - u0 foretells the velocity at the end for forces that depend on it; where bodies turn far in
 * the step, that is u1 itself, by iteration: explicit velocity products would feed energy to what spins. Heights are not changed
 * by it but for those that have come too low or too high, which are put right by a motion of its own that is no velocity.
 *
 * A solver's friction is against the velocity that it leads to. In the first half this, with b, is the one half way through
 * the step; in the second it would be that of the end, and the two together were of first order only. So contacts that slide
 * on are solved there towards the velocity that is half a step's change, as the first half found it, faster: what friction
 * sees is the middle of the step again. (Tangents: of solvers that take rows.)
 *
 * Springs and dampers of joints: half way through the step, in both halves (springs.c).
 *
 * In flight (nothing touches, no row acts, no spring or damper is stiff): Runge-Kutta of order 4.
 *
 * The bodies then go on curves between their two ends (path/body_path.h), velocities there without what is impact: at
 * both ends the rates of heights that last are zero.
 */
#include "stepper/located.h"

#include "constraint/bounded_table.h"

#include <string.h>

/* Parts of the gap: heights that are lower or higher than these are put to the third, which is above what apart means
   to proofs, half the gap. */
#define TOO_LOW 0.375
#define TOO_HIGH 0.95
#define HEIGHT 0.6
/* Below this part everything is lifted at once. */
#define SUNK 0.2

/* Contacts that slide faster than forces change that in so many half kicks do not come to rest in one. */
#define SLIDES 4.0

/* Turn, rad, from which velocity products at the end of a step are found anew from where they lead to, and how often. */
#define FAR_TURN 0.1
#define AGAIN 3

/* Part of a flight that a method with error control may divide it into for the sake of a spring. */
#define SMOOTH_PART 0.02

/* How near a height comes to what it should be, as a part of the gap. */
#define HEIGHT_ERROR 1e-5

/* ------------------------------------------------------------------ ends and paths */

static void find_ends(const RgLocated *l, const double *u, RgBodyEnd *ends)
{
    const RgForm *form = l->scope->form;
    for (int i = 0; i < l->scope->model->nbodies; i++) {
        RgMotion V;
        form->kind->twist(form, i, u, &V);
        RgBodyEnd *end = &ends[i];
        end->X_WB = form->kin->X_WB[i];
        RgVec3 arm = m3_apply(end->X_WB.R, l->scope->model->bodies[i].inertia.com);
        end->centre = v3_add(end->X_WB.p, arm);
        end->velocity = v3_add(V.v, v3_cross(V.w, arm));
        end->w = V.w;
    }
}

/* False: somebody turns too far. */
static bool make_paths(RgLocated *l, double h)
{
    for (int i = 0; i < l->scope->model->nbodies; i++)
        if (!rg_body_path_between(&l->ends[0][i], &l->ends[1][i], h, &l->paths[i]))
            return false;
    return true;
}

/* ------------------------------------------------------------------ solves */

RgStatus rg_located_kick(RgLocated *l, const RgKick *kick, RgState *out)
{
    RgStepScope *s = l->scope;
    int n = s->form->nu;
    double k = kick->k;
    for (int32_t i = 0; kick->bends != NULL && i < kick->set->view.npoints; i++)
        kick->bends->wanted[i] = v3_scale(-k, kick->bends->bend[i]);
    double erp = 0.0;
    if (s->contact != NULL) {
        s->contact->wanted = kick->bends != NULL ? kick->bends->wanted : NULL;
        s->contact->bends = kick->joints_bend;

        /* Places are kept by projection: their errors over a short time would be speeds. */
        erp = s->contact->law.erp;
        s->contact->law.erp = 0.0;
    }
    s->given = &kick->set->view;
    s->constraints->held = kick->springs;
    s->h = k;
    RgStatus status = rg_stage_touching(s, kick->at, s->implicit_damping ? k : 0.0, s->a);
    for (int i = 0; i < n && status == RG_OK; i++)
        out->u[i] = kick->from[i] + k * s->a[i];
    if (status == RG_OK) {
        memcpy(l->u_free, out->u, (size_t)n * sizeof *out->u);
        status = rg_stage_contact(s, kick->at, k, out);
        rg_work_add(&l->work, &s->report->work);
    }

    /* Impulses of an impact are no guess for what acts over a time. */
    if (k <= RG_LOCATED_IMPACT)
        out->memory.h = 0.0;
    s->given = NULL;
    s->constraints->held = NULL;
    if (s->contact != NULL) {
        s->contact->law.erp = erp;
        s->contact->wanted = NULL;
        s->contact->bends = false;
    }
    return status;
}

RgKick rg_located_kick_here(RgLocated *l, const RgState *at, double k)
{
    return (RgKick){
        .at = at, .set = &l->here, .bends = &l->bends[0], .joints_bend = true, .k = k, .from = l->begin.u};
}

/* ------------------------------------------------------------------ contacts that last */

bool rg_located_wish_room(RgLocated *l, int needed)
{
    if (needed <= l->wish_room)
        return true;
    int had = l->nwishes;
    const RgAllocator *allocator = &l->scope->log->allocator;
    RgGapWish *wishes = rg_alloc(allocator, 2 * (size_t)needed, sizeof *wishes);
    RgLasting *lasting = rg_alloc(allocator, 2 * (size_t)needed, sizeof *lasting);
    if (wishes == NULL || lasting == NULL) {
        rg_free(allocator, wishes);
        rg_free(allocator, lasting);
        return false;
    }
    if (had > 0) {
        memcpy(wishes, l->wishes, (size_t)had * sizeof *wishes);
        memcpy(lasting, l->lasting, (size_t)had * sizeof *lasting);
    }
    rg_free(allocator, l->wishes);
    rg_free(allocator, l->lasting);
    l->wishes = wishes;
    l->lasting = lasting;
    l->wish_room = 2 * needed;
    return true;
}

static double height(const RgLocated *l, const RgGap *gap)
{
    const RgKin *kin = l->scope->form->kin;
    RgPose A = kin_pose(kin, gap->body_a), B = kin_pose(kin, gap->body_b);
    return rg_gap_at(gap, &A, &B).value;
}

/* Of what touches: those that do not leave with U keep their heights. The contact stage is as the kick left it. */
static bool find_lasting(RgLocated *l, const RgKick *kick, const double *U)
{
    l->nwishes = 0;
    if (!rg_located_wish_room(l, l->here.view.npoints))
        return false;
    for (int32_t i = 0; i < l->here.view.npoints; i++) {
        const RgGap *gap = &l->here.gaps[i];
        if (!l->hops[i] && (rg_located_opens(l, i, U) || rg_located_lifts(l, kick, i, U)))
            continue;
        RgLasting *one = &l->lasting[l->nwishes];
        one->slip[0] = rg_located_slip(l, gap, l->begin.u);
        one->slip[1] = rg_located_slip(l, gap, U);
        one->slips = one->slip[0] > RG_LOCATED_SLIP;
        one->left = false;
        RgVec3 normal, before = rg_located_velocity(l, gap, l->begin.u, &normal);
        RgVec3 change = v3_sub(rg_located_velocity(l, gap, U, &normal), before);
        one->swing = v3_axpy(1.0 / kick->k, change, l->bends[0].bend[i]);
        one->pressure[0] =
            v3_dot(l->here.view.points[i].normal, l->scope->contact->point_impulses[i]) / kick->k;
        l->wishes[l->nwishes++] = (RgGapWish){.gap = *gap, .wanted = height(l, gap), .equal = true};
    }
    return true;
}

/* Heights that are too low or too high are wished where they should be; false: none is. The others may give way, no lower than
   that, since corners of one face cannot be moved each for itself: all at one height can always be met. */
static bool wish_levels(RgLocated *l)
{
    bool any = false;
    double low = TOO_LOW * l->scope->adapt.gap, high = TOO_HIGH * l->scope->adapt.gap;
    double level = HEIGHT * l->scope->adapt.gap;
    for (int i = 0; i < l->nwishes; i++)
        any = any || !(l->wishes[i].wanted >= low && l->wishes[i].wanted <= high);
    for (int i = 0; i < l->nwishes && any; i++) {
        RgGapWish *wish = &l->wishes[i];
        wish->equal = wish->wanted > high;
        wish->wanted = wish->wanted >= low ? fmin(wish->wanted, level) : level;
    }
    return any;
}

/* Their rates are kept at zero again. */
static void wish_equal(RgLocated *l)
{
    for (int i = 0; i < l->nwishes; i++)
        l->wishes[i].equal = true;
}

/* ------------------------------------------------------------------ the two halves */

/* x1 and the velocity that led there; U: l->mid.u. */
static RgStatus move(RgLocated *l, double h)
{
    RgStepScope *s = l->scope;
    const RgForm *form = s->form;
    double *U = l->mid.u, *step = s->memory[0], tolerance = HEIGHT_ERROR * s->adapt.gap;
    for (int i = 0; i < form->nu; i++)
        step[i] = h * U[i];
    form->kind->integrate(form, l->begin.x, step, l->end.x);
    if (l->nwishes == 0 && !s->has_rows)
        return RG_OK;
    RgGapProjection done;
    RgStatus status = rg_project_gaps(l->projector, l->wishes, l->nwishes, tolerance, l->end.x, &done);
    if (status != RG_OK && status != RG_ERR_NOT_CONVERGED)
        return status;
    for (int i = 0; i < form->nu; i++)
        U[i] += done.step[i] / h;
    if (wish_levels(l)) {
        status = rg_project_gaps(l->projector, l->wishes, l->nwishes, tolerance, l->end.x, &done);
        wish_equal(l);
    }
    return status == RG_ERR_NOT_CONVERGED ? RG_OK : status;
}

/* Heights that last do not change at u. Rates that contradict each other are left as they can be: the proof judges. */
static RgStatus still_heights(RgLocated *l, double *u)
{
    RgStatus status = rg_project_gap_rates(l->projector, l->wishes, l->nwishes, u);
    return status == RG_ERR_NOT_CONVERGED ? RG_OK : status;
}

static RgStatus first_half(RgLocated *l, double h)
{
    RgStepScope *s = l->scope;
    int n = s->form->nu;
    RgState at = {.t = l->begin.t, .x = l->begin.x, .u = l->begin.u, .memory = *l->last};
    RgKick kick = rg_located_kick_here(l, &at, 0.5 * h);
    RgStatus status = rg_located_kick(l, &kick, &l->mid);
    if (status != RG_OK)
        return status;
    if (!find_lasting(l, &kick, l->mid.u))
        return RG_ERR_MEMORY;
    memcpy(l->u_path[0], l->begin.u, (size_t)n * sizeof *l->begin.u);
    status = still_heights(l, l->u_path[0]);
    find_ends(l, l->u_path[0], l->ends[0]);
    return status;
}

static RgStatus find_there(RgLocated *l, const double *u)
{
    RgStepScope *s = l->scope;
    s->form->kind->kinematics(s->form, l->end.x, u);
    RgStatus status = rg_contact_scene_place(s->scene, s->form->kin);
    return status == RG_OK ? rg_touch_set_find(&l->there, s->scene, s->adapt.gap) : status;
}

/* Whether something is so low that the next step could hardly be proven. A try that has gone too far is none of it. */
static bool any_sunk(const RgLocated *l)
{
    double least = INFINITY;
    for (int32_t i = 0; i < l->there.view.npoints; i++)
        least = fmin(least, l->there.view.points[i].gap);
    return least > 0.0 && least < SUNK * l->scope->adapt.gap;
}

/* All that touches there is moved up to its height: as a part of the path, not as a velocity. */
static RgStatus lift(RgLocated *l)
{
    RgStepScope *s = l->scope;
    int lasting = l->nwishes;
    RgGapProjection done;
    if (!rg_located_wish_room(l, lasting + l->there.view.npoints))
        return RG_ERR_MEMORY;
    for (int32_t i = 0; i < l->there.view.npoints; i++)
        l->wishes[lasting + i] = (RgGapWish){.gap = l->there.gaps[i], .wanted = HEIGHT * s->adapt.gap};
    RgStatus status = rg_project_gaps(l->projector, l->wishes + lasting, l->there.view.npoints,
                                      HEIGHT_ERROR * s->adapt.gap, l->end.x, &done);
    return status == RG_ERR_NOT_CONVERGED ? RG_OK : status;
}

/* What touches at the end of the step, gaps seen as closed. */
static RgStatus touch_there(RgLocated *l, const double *u)
{
    if (l->scope->scene == NULL)
        return RG_OK;
    RgStatus status = find_there(l, u);
    if (status == RG_OK && any_sunk(l)) {
        status = lift(l);
        status = status == RG_OK ? find_there(l, u) : status;
    }
    if (status == RG_OK)
        rg_touch_set_filter(&l->there, NULL, 0.0);
    return status;
}

/* What has come to touch strikes once all else has acted for its half step: impulses over no time, from l->end.u on. */
static RgStatus strike_there(RgLocated *l, double h)
{
    RgStepScope *s = l->scope;
    double *u = s->memory[1];
    size_t size = (size_t)s->form->nu * sizeof *u;
    memcpy(u, l->end.u, size);
    RgStatus status = touch_there(l, u);
    RgState at = {.t = l->begin.t + h, .x = l->end.x, .u = u, .memory = l->mid.memory};
    RgKick kick = {.at = &at, .set = &l->there, .k = RG_LOCATED_IMPACT, .from = u};
    if (status == RG_OK)
        status = rg_located_kick(l, &kick, &l->end);
    memcpy(l->u_free, u, size);
    return status;
}

/* Contacts that slide through the step: friction of the second half is against the velocity in the middle of it, as that
   of the first is. */
static bool slide_on(RgLocated *l, double k)
{
    RgBends *bends = &l->bends[1];
    if (!rg_located_straight(l, &l->there, bends))
        return false;
    for (int32_t i = 0; i < l->there.view.npoints; i++) {
        const RgLasting *one = rg_located_lasting(l, rg_touch_key(&l->there.gaps[i]));
        RgVec3 n = l->there.view.points[i].normal;
        if (one == NULL || !one->slips)
            continue;
        RgVec3 across = v3_axpy(-v3_dot(n, one->swing), n, one->swing);
        if (rg_located_slip(l, &l->there.gaps[i], l->mid.u) > SLIDES * k * v3_norm(across))
            bends->bend[i] = v3_scale(-1.0, across);
    }
    return true;
}

/* Largest turn of a body in h, at the form's velocities. */
static double turn_in(const RgLocated *l, double h)
{
    double most = 0.0;
    for (int i = 0; i < l->scope->model->nbodies; i++)
        most = fmax(most, h * v3_norm(l->scope->form->kin->V[i].w));
    return most;
}

/* The second half kick; where bodies turn far, forces are those of the velocities that it leads to. */
static RgStatus kick_there(RgLocated *l, const RgKick *kick, double *foretold)
{
    size_t size = (size_t)l->scope->form->nu * sizeof *foretold;
    RgSolverWork work = l->work;
    RgStatus status = rg_located_kick(l, kick, &l->end);
    bool far = turn_in(l, 2.0 * kick->k) > FAR_TURN;
    for (int i = 0; far && i < AGAIN && status == RG_OK; i++) {
        memcpy(foretold, l->end.u, size);
        l->work = work;
        status = rg_located_kick(l, kick, &l->end);
    }
    return status;
}

/* Whether a limit of a joint pushes in the last solve: it may have stopped what arrived there. */
static bool limit_pushes(const RgLocated *l)
{
    const RgContactStage *contact = l->scope->contact;
    for (int i = 0; contact != NULL && i < contact->nrows; i++)
        if (contact->rows[i].kind == RG_BOUNDED_limit && contact->rows[i].z > 0.0)
            return true;
    return false;
}

static RgStatus second_half(RgLocated *l, double h)
{
    RgStepScope *s = l->scope;
    int n = s->form->nu;
    double *foretold = s->memory[1];
    bool lands = false;
    const RgHeldSprings *springs = l->stiff ? rg_springs_middle(&l->springs, l->begin.x, l->mid.u, h) : NULL;
    for (int i = 0; i < n; i++)
        foretold[i] = 2.0 * l->mid.u[i] - l->begin.u[i];
    RgStatus status = touch_there(l, foretold);
    if (status == RG_OK)
        status = rg_located_leave_new(l, foretold, &lands);
    RgState at = {.t = l->begin.t + h, .x = l->end.x, .u = foretold, .memory = l->mid.memory};
    if (status == RG_OK && !slide_on(l, 0.5 * h))
        status = RG_ERR_MEMORY;
    RgKick kick = {.at = &at,
                   .set = &l->there,
                   .bends = &l->bends[1],
                   .k = 0.5 * h,
                   .from = l->mid.u,
                   .springs = springs};
    if (status == RG_OK)
        status = kick_there(l, &kick, foretold);

    /* What is asked of the end leaves no trace. */
    bool asked = false;
    if (status == RG_OK && !l->unproven)
        status = rg_located_leaving(l, h, &asked);
    RgSolverWork work = l->work;
    if (status == RG_OK && asked)
        status = slide_on(l, 0.5 * h) ? rg_located_kick(l, &kick, &l->end) : RG_ERR_MEMORY;
    l->work = work;
    if (status != RG_OK)
        return status;

    /* How bodies arrive: by all forces, contacts too, but before what strikes or stops them there. */
    const double *arrive = !lands && limit_pushes(l) ? l->u_free : l->end.u;
    memcpy(l->u_path[1], arrive, (size_t)n * sizeof *arrive);
    status = still_heights(l, l->u_path[1]);
    find_ends(l, l->u_path[1], l->ends[1]);
    l->struck = lands;
    return status == RG_OK && lands ? strike_there(l, h) : status;
}

/* ------------------------------------------------------------------ flight */

static bool flies(RgLocated *l, double h)
{
    RgContactStage *contact = l->scope->contact;
    if (l->here.view.npoints > 0 || (contact != NULL && contact->bounded->user != NULL))
        return false;
    rg_constraints_observe(l->scope->constraints);
    if (l->stiff && !rg_springs_mild(&l->springs, l->smooth != NULL ? SMOOTH_PART * h : h))
        return false;
    if (contact == NULL)
        return true;
    rg_contact_rows_find(contact, l->begin.t, h);
    return contact->nrows == 0;
}

/* Whether a joint has come to its limit at the end of a flight. */
static bool stops_there(RgLocated *l, double h)
{
    RgStepScope *s = l->scope;
    if (s->contact == NULL)
        return false;
    s->form->kind->kinematics(s->form, l->end.x, l->end.u);
    rg_constraints_observe(s->constraints);
    rg_contact_rows_find(s->contact, l->begin.t + h, RG_LOCATED_IMPACT);
    return s->contact->nrows > 0;
}

/* Smooth motion; what it meets at its end acts there. */
static RgStatus fly(RgLocated *l, double h)
{
    RgStepScope *s = l->scope;
    int n = s->form->nu;
    l->nwishes = 0;
    find_ends(l, l->begin.u, l->ends[0]);
    memcpy(l->u_path[0], l->begin.u, (size_t)n * sizeof *l->begin.u);
    RgStatus status = l->smooth != NULL ? l->smooth(l->smooth_context, &l->begin, h, &l->end)
                                        : rg_stage_rk4(s, &l->begin, h, &l->end);
    s->rows_kept = false;
    if (status == RG_OK)
        status = rg_stage_stabilise(s, &l->end);
    if (status == RG_OK)
        status = touch_there(l, l->end.u);
    if (status != RG_OK)
        return status;
    memcpy(l->u_free, l->end.u, (size_t)n * sizeof *l->u_free);
    memcpy(l->u_path[1], l->end.u, (size_t)n * sizeof *l->u_free);
    find_ends(l, l->end.u, l->ends[1]);
    if (l->there.view.npoints == 0 && !stops_there(l, h)) {
        rg_contact_memory_clear(&l->end.memory);
        if (s->contact != NULL)
            rg_contact_report_none(s->contact);
        return RG_OK;
    }

    /* An impact: impulses over no time. */
    RgState at = {.t = l->begin.t + h, .x = l->end.x, .u = l->u_path[1], .memory = *l->last};
    RgKick kick = {.at = &at, .set = &l->there, .k = RG_LOCATED_IMPACT, .from = l->u_path[1]};
    if ((status = rg_located_kick(l, &kick, &l->end)) != RG_OK)
        return status;
    memcpy(l->u_free, l->u_path[1], (size_t)n * sizeof *l->u_free);
    return RG_OK;
}

/* ------------------------------------------------------------------ */

RgStatus rg_located_try(RgLocated *l, double h, RgTry *out)
{
    RgStepScope *s = l->scope;
    *out = (RgTry){.proven = h, .proof = {.time = h, .least = INFINITY, .shape_a = -1, .shape_b = -1}};
    s->form->kind->kinematics(s->form, l->begin.x, l->begin.u);
    rg_located_axes(l, 0);
    l->struck = false;
    RgStatus status = RG_OK;
    out->flew = flies(l, h);
    if (out->flew) {
        status = fly(l, h);
    } else {
        status = first_half(l, h);
        status = status == RG_OK ? move(l, h) : status;
        status = status == RG_OK ? second_half(l, h) : status;
    }
    if (status != RG_OK)
        return status;
    rg_located_axes(l, 1);
    out->limit = rg_located_limit(l, h);
    if (!l->unproven && !make_paths(l, h)) {
        out->turns = true;
        out->proven = 0.5 * h;
        return RG_OK;
    }
    if (l->proofs != NULL && !l->unproven) {
        RgPathRule rule = {.gap = s->adapt.gap, .level = 0.5 * s->adapt.gap};
        status = rg_scene_path_prove(l->proofs, l->paths, h, &rule, &out->proof);
        out->proven = out->proof.time;
    }
    if (status == RG_OK)
        rg_located_compare(l, h, out);
    return status;
}
