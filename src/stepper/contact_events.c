/*
 * contact_events.c - changes of contacts and limits from one inner step to the next.
 *
 * Contacts are classified per pair of shapes, from all points of the pair, after the solve at a configuration. With the
 * normal n from A to B, velocities u- on arrival and u+ after the solve:
 *
 *   presses     the normal impulse of a point is above 0
 *   closes at   c = -n . (v_B - v_A) at u-, the largest of all points that press
 *   leaves      n . (v_B - v_A) at u+ is above LEAVING + REBOUND c
 *   touches     some point that presses, or whose gap is at most RgContactEventsAsk.near, does not leave; or a point
 *               presses and there is no impact (then the correction of a gap opens it). Points that have separated
 *               (RG_SEPARATION_left) do not count, even if they are near or pressed within the step
 *   slips       every point that presses is at the edge of its friction cone and moves tangentially
 *   rolls       does not slip, and |w - n (n . w)| of B against A is not zero
 *
 *   touch       presses, or touches and closed, and did not touch     value c
 *   impact      presses, and c is at least impact_speed       value c, impulse: sum of the normal ones
 *   stick       of a pair that touches: slipped or rolled, now does neither; or slipped, and now rolls
 *   roll        stuck or slipped, and now rolls; a new touch counts as sticking before
 *   slip        did not slip, and slips                        value: speed of the point that presses most
 *   break       touched or pressed, and does not touch; a bounce breaks at the time of its touch and impact
 *   limit       a limit exerts a force that did not before     value: position, impulse: the limit's
 *   leave       a limit that exerted a force does not, and the joint moves away from it
 *
 * Slipping and rolling begin and end at different thresholds (hysteresis), so that round-off causes no events. Rolling
 * ends only if the pair does not turn at both ends of the inner step: a rocking body is also at rest for an instant.
 *
 * Times. Contacts close at the end of the inner step, since the step is proven free of contact before. So touch and
 * impact have the uncertainty of the request, and so have the other events of a pair with an impact. Other changes may
 * lie anywhere within the inner step, unless it ended for them: contact and manifold for break, friction for stick,
 * slip and roll, limit for limit and leave. A pair that is no longer among the contacts and was not kept to the end was
 * released at the start of the inner step: its break has that time, uncertain by the length of the step. The same holds
 * for a pair whose points all arrive with the speed of an impact: it was apart in between.
 *
 * Cost: one merge of the contacts with the list of reported pairs; both are sorted by their shapes.
 */
#include "stepper/contact_events.h"

#include "constraint/bounded_table.h"
#include "stepper/inner_state.h"
#include "stepper/shortfall.h"

#include <string.h>

#define LEAVING 1e-6    /* m/s, rad/s: slower opening is round-off of the solve */
#define REBOUND 1e-3    /* part of c that may remain by the solver's tolerance */
#define SLIP_BEGIN 1e-6 /* m/s: a pair begins to slip above this, as RG_LOCATED_SLIP */
#define SLIP_END 1e-7   /* m/s: and slips until it is below this */
#define ROLL_BEGIN 1e-3 /* rad/s: a pair begins to roll above this */
#define ROLL_END 1e-4   /* rad/s: and rolls until it is below this */

/* Relative motion of a pair that touches. Limits have STICK. */
typedef enum Motion { APART, STICK, ROLL, SLIP } Motion;

/* A pair in the present solve. */
typedef struct PairState {
    bool presses, touches, all_slip;
    bool held;      /* some point arrived slower than an impact: it touched before */
    double closing; /* m/s: largest closing speed of points that press or are near; below 0: none closed */
    double struck;  /* m/s: the same of points that press */
    double impulse; /* N s: sum of the normal impulses */
    double most, slip,
        turns;     /* N s: largest normal impulse; slip, m/s, and tangential angular velocity, rad/s, there */
    double turned; /* rad/s: the same at the start of the inner step; 0: not known */
    RgVec3 point, normal;
} PairState;

/* Arguments and results while events are found. */
typedef struct Events {
    RgStepScope *scope;
    const RgContactEventsAsk *ask;
    const double *u;         /* nu: after the solve */
    RgReportedContact *told; /* output */
    int32_t nreported;
    bool struck; /* the present pair has an impact */
} Events;

/* ------------------------------------------------------------------ reports */

/* s: uncertainty of the time of an event. */
static double uncertainty_of(const Events *l, RgEventKind kind)
{
    RgCut cut = l->ask->cut;
    bool sharp = kind == RG_EVENT_touch || kind == RG_EVENT_impact || l->struck;
    if (kind == RG_EVENT_break)
        sharp = sharp || cut == RG_CUT_contact || cut == RG_CUT_manifold;
    else if (kind == RG_EVENT_limit || kind == RG_EVENT_leave)
        sharp = cut == RG_CUT_limit;
    else
        sharp = sharp || cut == RG_CUT_friction;
    double since = l->ask->since + (kind == RG_EVENT_stick ? l->ask->before : 0.0);
    return sharp ? l->ask->uncertainty : fmax(l->ask->uncertainty, since);
}

static void report_pair(const Events *l, RgEventKind kind, const RgReportedContact *pair, double value, double impulse)
{
    const RgModel *m = l->scope->model;
    rg_step_log_event(l->scope->log, &(RgEvent){.kind = kind,
                                                .t = l->ask->t,
                                                .uncertainty = uncertainty_of(l, kind),
                                                .link_a = rg_shape_link(m, pair->shape_a - 1),
                                                .link_b = rg_shape_link(m, pair->shape_b - 1),
                                                .shape_a = {pair->shape_a},
                                                .shape_b = {pair->shape_b},
                                                .point = pair->point,
                                                .normal = pair->normal,
                                                .value = value,
                                                .impulse = impulse,
                                                .joint = -1,
                                                .dof = -1});
}

static void report_limit(const Events *l, RgEventKind kind, int32_t slot, double impulse, double late)
{
    const RgModel *m = l->scope->model;
    const RgBounded *b = l->scope->contact->setup.bounded;
    int number = (slot - rg_bounded_first_slot(b, RG_BOUNDED_limit)) / 2;
    const RgAxis *axis = &b->axes[number];
    int joint = axis->dof >= 0 ? m->bodies[m->dof_body[axis->dof]].joint : m->loops[axis->loop].joint;
    if (joint >= m->njoints) /* made at run time: it has no number in the model */
        return;
    rg_step_log_event(l->scope->log, &(RgEvent){.kind = kind,
                                                .t = l->ask->t,
                                                .uncertainty = fmax(uncertainty_of(l, kind), late),
                                                .link_a = UINT32_MAX,
                                                .link_b = UINT32_MAX,
                                                .value = kind == RG_EVENT_limit ? rg_axis_position(b, number) : 0.0,
                                                .impulse = impulse,
                                                .joint = joint,
                                                .dof = axis->own});
}

/* Reports the end of a contact or limit that was reported before and is no longer in the solve. It ended within the
   inner step, most likely at its start: a contact that is kept and opens later would have ended the step. */
static void report_ended(const Events *l, const RgReportedContact *old)
{
    if (old->shape_a == 0) {
        report_limit(l, RG_EVENT_leave, old->shape_b, 0.0, l->ask->since);
        return;
    }
    RgContactEventsAsk late = *l->ask;
    if (late.cut != RG_CUT_manifold && fabs(late.begin + late.since - late.t) <= 1e-9 * late.since)
        late.t = late.begin;
    late.cut = RG_CUT_whole;
    report_pair(&(Events){.scope = l->scope, .ask = &late}, RG_EVENT_break, old, 0.0, 0.0);
}

/* ------------------------------------------------------------------ previously reported entries */

static int compare_keys(const RgReportedContact *told, int32_t a, int32_t b)
{
    if (told->shape_a != a)
        return told->shape_a < a ? -1 : 1;
    return told->shape_b != b ? (told->shape_b < b ? -1 : 1) : 0;
}

/* Finds the reported entry of (a, b) from *at on, and moves *at behind it. Skipped entries have ended and are reported
   as such. NULL: not reported before. */
static const RgReportedContact *find_reported(const Events *l, int32_t a, int32_t b, int32_t *at)
{
    const RgContactMemory *last = l->ask->last;
    while (*at < last->nreported && compare_keys(&last->told[*at], a, b) < 0)
        report_ended(l, &last->told[(*at)++]);
    bool there = *at < last->nreported && compare_keys(&last->told[*at], a, b) == 0;
    return there ? &last->told[(*at)++] : NULL;
}

/* ------------------------------------------------------------------ contacts */

/* Twist of B against A at point x. */
static RgMotion relative_twist(const RgStepScope *s, const int body[2], const double *u, RgVec3 x)
{
    RgMotion sum = mv_zero();
    for (int side = 0; side < 2; side++) {
        RgMotion V;
        if (body[side] < 0)
            continue;
        rg_form_twist(s->form, body[side], u, &V);
        RgVec3 v = v3_add(V.v, v3_cross(V.w, v3_sub(x, s->form->kin->X_WB[body[side]].p)));
        double sign = side == 1 ? 1.0 : -1.0;
        sum = (RgMotion){v3_axpy(sign, V.w, sum.w), v3_axpy(sign, v, sum.v)};
    }
    return sum;
}

/* Norm of the part of w perpendicular to the normal. */
static double tangential_norm(RgVec3 normal, RgVec3 w)
{
    return v3_norm(v3_axpy(-v3_dot(normal, w), normal, w));
}

static void add_pressing(PairState *state, const RgContactForce *point, const RgVec3 w[2], double impulse, Motion was)
{
    double slip = v3_norm(point->slip);
    bool slips = point->state == RG_CONTACT_SLIP && slip > (was == SLIP ? SLIP_END : SLIP_BEGIN);
    state->all_slip = slips && (state->all_slip || !state->presses);
    state->presses = true;
    state->impulse += impulse;
    if (!(impulse > state->most))
        return;
    state->most = impulse;
    state->slip = slip;
    state->turned = tangential_norm(point->normal, w[0]);
    state->turns = tangential_norm(point->normal, w[1]);
    state->point = point->point;
    state->normal = point->normal;
}

static void add_point(const Events *l, const RgContactForce *point, const int body[2], Motion was, PairState *state)
{
    RgStepScope *s = l->scope;
    RgSeparation separation =
        l->ask->separation != NULL ? l->ask->separation[point - s->contact->result.forces] : RG_SEPARATION_none;
    bool presses = point->state != RG_CONTACT_OPEN;
    if (separation == RG_SEPARATION_released && !presses)
        return;
    if (!presses && !(point->gap <= (l->ask->near > 0.0 ? l->ask->near : s->adapt.gap)))
        return;
    RgMotion before = relative_twist(s, body, l->ask->u, point->point);
    RgMotion after = relative_twist(s, body, l->u, point->point);
    double closing = -v3_dot(point->normal, before.v), opening = v3_dot(point->normal, after.v);
    if (v3_norm2(state->normal) == 0.0) {
        state->point = point->point;
        state->normal = point->normal;
    }
    if (separation == RG_SEPARATION_left) {
        state->held = true;
        return;
    }
    state->touches = state->touches || opening <= LEAVING + REBOUND * fmax(closing, 0.0);
    state->closing = fmax(state->closing, closing);
    state->held = state->held || closing < l->ask->impact_speed;
    if (!presses)
        return;
    state->struck = fmax(state->struck, closing);
    RgMotion began = l->ask->u_begin != NULL ? relative_twist(s, body, l->ask->u_begin, point->point) : mv_zero();
    add_pressing(state, point, (RgVec3[]){began.w, after.w}, s->contact->result.h * v3_dot(point->normal, point->force),
                 was);
}

static PairState state_of_pair(const Events *l, const RgShapeContacts *pair, Motion was)
{
    const RgStepScope *s = l->scope;
    int body[2] = {rg_contact_body(s->model, pair->shape_a), rg_contact_body(s->model, pair->shape_b)};
    PairState state = {.presses = false};
    for (int32_t k = 0; k < pair->nmanifolds; k++) {
        const RgManifold *m = &s->contacts.manifolds[pair->first_manifold + k];
        for (int32_t i = m->first; i < m->first + m->count; i++)
            add_point(l, &s->contact->result.forces[i], body, was, &state);
    }
    return state;
}

/* A pair that touches without pressing keeps its motion. */
static Motion motion_of(const PairState *state, Motion was)
{
    if (!state->presses)
        return was;
    if (state->all_slip)
        return SLIP;
    if (was != ROLL)
        return state->turns > ROLL_BEGIN ? ROLL : STICK;
    return state->turns > ROLL_END || state->turned > ROLL_END ? ROLL : STICK;
}

static void report_motion(const Events *l, const RgReportedContact *pair, Motion was, Motion now, double slip)
{
    if (now == was)
        return;
    if (now == SLIP)
        report_pair(l, RG_EVENT_slip, pair, slip, 0.0);
    if (now == STICK || was == SLIP)
        report_pair(l, RG_EVENT_stick, pair, 0.0, 0.0);
    if (now == ROLL)
        report_pair(l, RG_EVENT_roll, pair, 0.0, 0.0);
}

static void check_pair(Events *l, const RgShapeContacts *pair, const RgReportedContact *old)
{
    Motion was = old != NULL ? (Motion)old->motion : APART;
    PairState state = state_of_pair(l, pair, was);
    bool impact = l->struck = state.presses && state.struck >= l->ask->impact_speed;
    bool touches = state.touches || (state.presses && !impact);
    if (was == APART && !state.presses && !(state.closing > LEAVING))
        return;
    RgReportedContact now = {
        .shape_a = pair->shape_a.i, .shape_b = pair->shape_b.i, .point = state.point, .normal = state.normal};
    if (!state.presses && !touches) {
        if (was != APART && v3_norm2(state.normal) == 0.0)
            report_ended(l, old);
        else if (was != APART)
            report_pair(l, RG_EVENT_break, &now, 0.0, 0.0);
        return;
    }
    if (was != APART && impact && !state.held) {
        report_ended(l, old);
        was = APART;
    }
    if (was == APART)
        report_pair(l, RG_EVENT_touch, &now, fmax(state.closing, 0.0), 0.0);
    if (impact)
        report_pair(l, RG_EVENT_impact, &now, state.struck, state.impulse);
    if (!touches) {
        report_pair(l, RG_EVENT_break, &now, 0.0, 0.0);
        return;
    }
    was = was == APART ? STICK : was;
    now.motion = motion_of(&state, was);
    report_motion(l, &now, was, (Motion)now.motion, state.slip);
    l->told[l->nreported++] = now;
}

/* ------------------------------------------------------------------ limits */

/* rad or m: distance of a joint from the limit of a row. */
static double limit_gap(const RgBounded *b, const RgBoundedRow *row)
{
    const RgAxisDef *def = b->axes[row->axis].def;
    double q = rg_axis_position(b, row->axis);
    bool upper = (row->slot - rg_bounded_first_slot(b, RG_BOUNDED_limit)) % 2 != 0;
    return upper ? def->upper - q : q - def->lower;
}

static void check_limit(Events *l, const RgBoundedRow *row, const RgReportedContact *old)
{
    RgStepScope *s = l->scope;
    bool pushes = row->z > 0.0;
    if (!pushes && old == NULL)
        return;
    if (!pushes && rg_row_rate(s, &row->row, l->u) > LEAVING) {
        report_limit(l, RG_EVENT_leave, row->slot, 0.0, 0.0);
        return;
    }
    /* A row may act before the limit is reached, so that the joint reaches it at the end of the solve's step. */
    double late = limit_gap(s->contact->setup.bounded, row) > s->adapt.gap ? s->contact->result.h : 0.0;
    if (old == NULL)
        report_limit(l, RG_EVENT_limit, row->slot, row->z, late);
    l->told[l->nreported++] = (RgReportedContact){.shape_b = row->slot, .motion = STICK};
}

/* ------------------------------------------------------------------ public */

static bool reserve_reported(RgStepScope *s, RgState *after, int32_t count)
{
    const RgAllocator *allocator = &s->log->allocator;
    after->memory.nreported = 0;
    return rg_contact_memory_reserve(&after->memory, allocator, (RgContactCounts){.told = count});
}

RgStatus rg_contact_events_find(RgStepScope *s, const RgContactEventsAsk *ask, RgState *after)
{
    RgContactSolver *stage = s->contact;
    if (stage == NULL)
        return RG_OK;
    rg_contact_report_forces(stage);
    int32_t npairs = stage->result.nforces > 0 ? s->contacts.npairs : 0;
    int nrows = stage->problem.nrows + stage->problem.nprescribed_rows;
    if (!reserve_reported(s, after, npairs + nrows))
        return RG_ERR_MEMORY;
    Events l = {.scope = s, .ask = ask, .u = after->u, .told = after->memory.told};
    int32_t at = 0;
    for (int i = 0; i < nrows; i++)
        if (stage->problem.rows[i].kind == RG_BOUNDED_limit)
            check_limit(&l, &stage->problem.rows[i], find_reported(&l, 0, stage->problem.rows[i].slot, &at));
    for (int32_t k = 0; k < npairs; k++) {
        const RgShapeContacts *pair = &s->contacts.pairs[k];
        check_pair(&l, pair, find_reported(&l, pair->shape_a.i, pair->shape_b.i, &at));
    }
    while (at < ask->last->nreported)
        report_ended(&l, &ask->last->told[at++]);
    after->memory.nreported = l.nreported;
    rg_shortfall_rows(s, after->u);
    rg_shortfall_contacts(s);
    return RG_OK;
}

void rg_contact_events_end_all(RgStepScope *s, const RgContactEventsAsk *ask, RgState *after)
{
    Events l = {.scope = s, .ask = ask};
    for (int32_t i = 0; i < ask->last->nreported; i++)
        report_ended(&l, &ask->last->told[i]);
    after->memory.nreported = 0;
}

bool rg_contact_events_limit_left(const RgStepScope *s, const RgContactMemory *last, const double *u)
{
    const RgContactSolver *stage = s->contact;
    for (int32_t k = 0; k < last->nreported && last->told[k].shape_a == 0; k++)
        for (int i = 0; i < stage->problem.nrows; i++) {
            const RgBoundedRow *row = &stage->problem.rows[i];
            bool its = row->kind == RG_BOUNDED_limit && row->slot == last->told[k].shape_b;
            if (its && !(row->z > 0.0) && rg_row_rate(s, &row->row, u) > LEAVING)
                return true;
        }
    return false;
}
