/*
 * events.c - events found by comparing successive steps of a world.
 *
 * Contact events are those of pairs of links. A pair presses in a step if one of its points carries force; it slips if
 * all points that carry force slip.
 *
 *   touch      a pair presses that did not press before; its motion is taken as sticking
 *   break      a pair has not pressed for HOLD_TIME; time: the last step in which it pressed
 *   slip       a pair has slipped for HOLD_TIME; time: the first such step
 *   roll       a pair has not slipped for HOLD_TIME, and its relative angular velocity across the normal was at least
 *              ROLL_RATE; time: the first such step
 *   stick      a pair has neither slipped nor rolled for HOLD_TIME; or it rolls after it slipped
 *   impact     a point presses whose closing speed before the step was at least IMPACT_SPEED, and no point of the pair
 *              did so in the step before; impulse: of the whole step
 *   limit      a joint is within LIMIT_REACHED of its limit, and was farther than LIMIT_LEFT from it before
 *   leave      the joint is farther than LIMIT_LEFT from the limit again
 *   saturate   the effort of a drive, servo or motor is at its bound
 *   recover    it has not been at its bound for HOLD_TIME; time: the last step in which it was
 *   unfinished the solver ended a step above its tolerance with a residual above RESIDUAL_SPEED: the first such step
 *              for HOLD_TIME, or one with at least twice the residual that was reported last
 *
 * Times are those of steps, with an uncertainty of one step. If the stepper of the world locates events, contact and
 * limit events come from the world; saturate, recover and unfinished are still found here.
 *
 * The closing speed is that of the two links' points at the contact point along the normal (from A to B):
 * s = n . (v_A - v_B).
 *
 * The pairs are in an open hash table with linear probing. Slots of parted pairs stay occupied until the table is
 * rebuilt, which is when two thirds of the slots are occupied.
 */
#include "record/events.h"

#include "base/alloc.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define HOLD_TIME 0.02      /* s: contacts that change from step to step do not fill the recording */
#define IMPACT_SPEED 0.05   /* m/s: slower contacts begin without an impact event */
#define ROLL_RATE 0.02      /* rad/s: slower rolling counts as sticking */
#define LIMIT_REACHED 1e-4  /* rad or m */
#define LIMIT_LEFT 1e-3     /* rad or m: hysteresis against LIMIT_REACHED */
#define RESIDUAL_SPEED 1e-6 /* m/s: below it nothing slips or sinks visibly (docs/events.md) */

enum { CAPACITY_MIN = 64 }; /* slots of the smallest table; a power of two */

/* ------------------------------------------------------------------ the table of pairs */

static uint32_t pair_slot(const RgEvents *e, uint32_t a, uint32_t b)
{
    uint64_t mixed = ((uint64_t)a << 32 | b) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t at = (uint32_t)(mixed >> 32) & (e->capacity - 1);
    while (e->pairs[at].used && (e->pairs[at].a != a || e->pairs[at].b != b))
        at = (at + 1) & (e->capacity - 1);
    return at;
}

/* Rebuilds the table without parted pairs, at most one third full. False: out of memory (the table is unchanged). */
static bool rebuild_table(RgEvents *e)
{
    uint32_t alive = 0, capacity = CAPACITY_MIN;
    for (uint32_t i = 0; i < e->capacity; i++)
        alive += e->pairs[i].used && !e->pairs[i].parted;
    while (capacity < 3 * (alive + 1))
        capacity *= 2;
    RgEvents old = *e;
    e->pairs = rg_alloc(NULL, capacity, sizeof *e->pairs);
    if (e->pairs == NULL) {
        *e = old;
        return false;
    }
    e->capacity = capacity;
    e->taken = alive;
    for (uint32_t i = 0; i < old.capacity; i++)
        if (old.pairs[i].used && !old.pairs[i].parted)
            e->pairs[pair_slot(e, old.pairs[i].a, old.pairs[i].b)] = old.pairs[i];
    rg_free(NULL, old.pairs);
    return true;
}

/* The slot of a pair, a new one if it has none. NULL: out of memory. */
static RgPairState *find_pair(RgEvents *e, uint32_t a, uint32_t b)
{
    if (e->capacity == 0 && !rebuild_table(e))
        return NULL;
    RgPairState *pair = &e->pairs[pair_slot(e, a, b)];
    if (pair->used)
        return pair;
    if (3 * (e->taken + 1) > 2 * e->capacity) {
        if (!rebuild_table(e))
            return NULL;
        pair = &e->pairs[pair_slot(e, a, b)];
    }
    *pair = (RgPairState){.a = a, .b = b, .used = true, .parted = true};
    e->taken++;
    return pair;
}

/* ------------------------------------------------------------------ contacts */

/* Velocity before the step of the link's point at x. */
static RgVec3 point_velocity(const RgEvents *e, uint32_t link, RgVec3 x)
{
    if (link == UINT32_MAX)
        return v3_zero();
    return v3_add(e->twists[link].v, v3_cross(e->twists[link].w, v3_sub(x, e->origins[link])));
}

/* Adds a contact point with force to its pair. *last: the pair of the previous point, or NULL; mostly the points of a
   pair follow one another. */
static RgStatus add_point(RgEvents *e, const RgContactForce *point, RgPairState **last)
{
    uint32_t a = e->shape_link[point->shape_a.i - 1], b = e->shape_link[point->shape_b.i - 1];
    RgPairState *pair = *last && (*last)->a == a && (*last)->b == b ? *last : find_pair(e, a, b);
    *last = pair;
    if (pair == NULL)
        return RG_ERR_MEMORY;
    if (!pair->presses) {
        pair->presses = pair->all_slip = true;
        pair->closing = pair->speed = pair->force = pair->total = 0.0;
    }
    RgVec3 approach = v3_sub(point_velocity(e, a, point->point), point_velocity(e, b, point->point));
    double force = v3_dot(point->force, point->normal);
    pair->closing = fmax(pair->closing, v3_dot(point->normal, approach));
    pair->all_slip = pair->all_slip && point->state == RG_CONTACT_SLIP;
    pair->speed = fmax(pair->speed, pair->all_slip ? v3_norm(point->slip) : 0.0);
    pair->total += force;
    if (force >= pair->force) {
        pair->force = force;
        pair->point = point->point;
        pair->normal = point->normal;
        pair->shape_a = point->shape_a;
        pair->shape_b = point->shape_b;
    }
    return RG_OK;
}

typedef struct Reporter {
    RgEventFn *fn;
    void *context;
    RgWorld *world;
} Reporter;

/* Relative angular velocity of B and A across the normal, rad/s, at the end of the step. */
static double rolling_rate(const Reporter *reporter, const RgPairState *pair)
{
    uint32_t link[2] = {pair->a, pair->b};
    RgVec3 w = v3_zero();
    for (int side = 0; side < 2; side++)
        if (link[side] != UINT32_MAX)
            w = v3_axpy(side == 1 ? 1.0 : -1.0,
                        rg_world_link_twist(reporter->world, (RgLinkId){(int32_t)link[side] + 1}).w, w);
    return v3_norm(v3_axpy(-v3_dot(pair->normal, w), pair->normal, w));
}

static void report_pair(const RgEvents *e, const Reporter *reporter, const RgPairState *pair, RgEvent event)
{
    event.uncertainty = e->h;
    event.link_a = pair->a;
    event.link_b = pair->b;
    event.shape_a = pair->shape_a;
    event.shape_b = pair->shape_b;
    event.point = pair->point;
    event.normal = pair->normal;
    event.joint = event.dof = -1;
    reporter->fn(&event, reporter->context);
}

/* Reports a motion that differs from the last reported one and has lasted for HOLD_TIME. */
static void report_motion(const RgEvents *e, const Reporter *reporter, RgPairState *pair)
{
    double t = pair->differs_since;
    if (pair->motion == RG_PAIR_SLIPS)
        report_pair(e, reporter, pair, (RgEvent){.kind = RG_EVENT_slip, .t = t, .value = pair->speed});
    if (pair->motion == RG_PAIR_STICKS || pair->reported_motion == RG_PAIR_SLIPS)
        report_pair(e, reporter, pair, (RgEvent){.kind = RG_EVENT_stick, .t = t});
    if (pair->motion == RG_PAIR_ROLLS)
        report_pair(e, reporter, pair, (RgEvent){.kind = RG_EVENT_roll, .t = t});
    pair->reported_motion = pair->motion;
    pair->differs_since = NAN;
}

/* Events of a pair that presses in this step. */
static void update_pressing_pair(const RgEvents *e, const Reporter *reporter, RgPairState *pair)
{
    double t = e->t;
    if (pair->parted) {
        report_pair(e, reporter, pair, (RgEvent){.kind = RG_EVENT_touch, .t = t, .value = pair->closing});
        pair->parted = pair->was_impact = false;
        pair->reported_motion = RG_PAIR_STICKS;
        pair->differs_since = NAN;
    }
    bool hits = pair->closing >= IMPACT_SPEED;
    if (hits && !pair->was_impact)
        report_pair(e, reporter, pair,
                    (RgEvent){.kind = RG_EVENT_impact, .t = t, .value = pair->closing, .impulse = pair->total * e->h});
    pair->was_impact = hits;
    pair->last_pressed = t;

    /* Sticking, rolling or slipping is reported when it lasts. */
    bool rolls = !pair->all_slip && rolling_rate(reporter, pair) >= ROLL_RATE;
    RgContactMotion motion = pair->all_slip ? RG_PAIR_SLIPS : rolls ? RG_PAIR_ROLLS : RG_PAIR_STICKS;
    bool other = isnan(pair->differs_since) || motion != pair->motion;
    pair->motion = motion;
    if (motion == pair->reported_motion)
        pair->differs_since = NAN;
    else if (other)
        pair->differs_since = t;
    else if (t - pair->differs_since >= HOLD_TIME)
        report_motion(e, reporter, pair);
}

static RgStatus update_contacts(RgEvents *e, RgWorld *world, const Reporter *reporter)
{
    const RgContactForce *forces;
    int n = rg_world_contact_forces(world, &forces);
    RgStatus status = RG_OK;
    RgPairState *last = NULL;
    for (int i = 0; i < n && status == RG_OK; i++)
        if (forces[i].state != RG_CONTACT_OPEN)
            status = add_point(e, &forces[i], &last);

    for (uint32_t i = 0; i < e->capacity; i++) {
        RgPairState *pair = &e->pairs[i];
        if (pair->presses) {
            update_pressing_pair(e, reporter, pair);
        } else if (pair->used && !pair->parted && e->t - pair->last_pressed >= HOLD_TIME) {
            report_pair(e, reporter, pair, (RgEvent){.kind = RG_EVENT_break, .t = pair->last_pressed});
            pair->parted = true;
        } else {
            pair->was_impact = false;
        }
        pair->presses = false;
    }
    return status;
}

/* Stores positions and velocities of the links, for the closing speeds of the next step. */
static void store_motion(RgEvents *e, RgWorld *world)
{
    int links = rg_model_info(e->model).links;
    for (int i = 0; i < links; i++) {
        e->twists[i] = rg_world_link_twist(world, (RgLinkId){i + 1});
        e->origins[i] = rg_world_link_pose(world, (RgLinkId){i + 1}).p;
    }
}

/* ------------------------------------------------------------------ limits */

/* -1, 1: within reach of the lower, upper limit; 0: of neither. */
static int limit_side(const RgLimitState *limit, double q, double reach)
{
    return q <= limit->lower + reach ? -1 : q >= limit->upper - reach ? 1 : 0;
}

static void report_limit(const RgEvents *e, const Reporter *reporter, const RgLimitState *limit, RgEvent event)
{
    event.t = e->t;
    event.uncertainty = e->h;
    event.link_a = event.link_b = UINT32_MAX;
    event.joint = limit->joint;
    event.dof = limit->dof;
    if (e->begun)
        reporter->fn(&event, reporter->context);
}

static void update_limits(RgEvents *e, RgWorld *world, const Reporter *reporter)
{
    const double *q = e->nlimits > 0 ? rg_world_q(world) : NULL;
    for (int i = 0; i < e->nlimits; i++) {
        RgLimitState *limit = &e->limits[i];
        double at = q[limit->q_index];
        int side = limit_side(limit, at, LIMIT_REACHED), was = limit->side;
        if (side == 0 && limit_side(limit, at, LIMIT_LEFT) == was)
            continue;
        limit->side = side;
        if (was != 0 && side != was)
            report_limit(e, reporter, limit, (RgEvent){.kind = RG_EVENT_leave});
        if (side != 0 && side != was)
            report_limit(e, reporter, limit, (RgEvent){.kind = RG_EVENT_limit, .value = at});
    }
}

/* ------------------------------------------------------------------ efforts */

static void report_effort(const RgEvents *e, const Reporter *reporter, const RgEffortState *place, RgEvent event)
{
    event.uncertainty = e->h;
    event.link_a = event.link_b = UINT32_MAX;
    event.joint = place->joint;
    event.dof = place->dof;
    reporter->fn(&event, reporter->context);
}

/* Shortfalls and e->efforts are both in the order of joints. */
static void update_efforts(RgEvents *e, RgWorld *world, const Reporter *reporter)
{
    const RgShortfall *shortfalls;
    int n = rg_world_shortfalls(world, &shortfalls), at = 0;
    for (int i = 0; i < n; i++) {
        if (shortfalls[i].kind != RG_SHORTFALL_EFFORT)
            continue;
        while (e->efforts[at].joint != shortfalls[i].joint.i - 1 || e->efforts[at].dof != shortfalls[i].dof)
            at++;
        RgEffortState *place = &e->efforts[at];
        place->last = e->t;
        if (place->reported)
            continue;
        place->reported = true;
        e->nreported++;
        report_effort(e, reporter, place,
                      (RgEvent){.kind = RG_EVENT_saturate, .t = e->t, .value = shortfalls[i].amount});
    }
    for (int i = 0; i < e->nefforts && e->nreported > 0; i++) {
        RgEffortState *place = &e->efforts[i];
        if (!place->reported || e->t - place->last < HOLD_TIME)
            continue;
        place->reported = false;
        e->nreported--;
        report_effort(e, reporter, place, (RgEvent){.kind = RG_EVENT_recover, .t = place->last});
    }
}

/* ------------------------------------------------------------------ the solver */

static void update_solve(RgEvents *e, RgWorld *world, const Reporter *reporter)
{
    const RgStepReport *report = rg_world_last_report(world);
    bool is_above = report->unfinished > 0 && report->residual_velocity > RESIDUAL_SPEED;
    if (e->residual > 0.0 && e->t - e->unfinished >= HOLD_TIME)
        e->residual = 0.0;
    if (!is_above)
        return;
    e->unfinished = e->t;
    if (report->residual_velocity < 2.0 * e->residual)
        return;
    e->residual = report->residual_velocity;
    RgEvent event = {.kind = RG_EVENT_unfinished,
                     .t = e->t,
                     .uncertainty = e->h,
                     .link_a = UINT32_MAX,
                     .link_b = UINT32_MAX,
                     .value = report->residual_velocity,
                     .impulse = report->residual_impulse,
                     .joint = -1,
                     .dof = -1,
                     .force = report->residual_force,
                     .contacts = report->contacts};
    reporter->fn(&event, reporter->context);
}

/* Lists all axes of joints (places NULL: none). Returns their number. */
static int list_axes(const RgModel *model, RgEffortState *list)
{
    int joints = rg_model_info(model).joints, n = 0;
    for (int i = 0; i < joints; i++)
        for (int k = 0; k < rg_model_joint(model, (RgJointId){i + 1}).nv; k++, n++)
            if (list != NULL)
                list[n] = (RgEffortState){.joint = i, .dof = k};
    return n;
}

/* Lists the axes with a finite limit (places NULL: none). Returns their number. */
static int list_limits(const RgModel *model, RgLimitState *list)
{
    int joints = rg_model_info(model).joints, n = 0;
    for (int i = 0; i < joints; i++) {
        RgJointInfo joint = rg_model_joint(model, (RgJointId){i + 1});
        for (int k = 0; k < joint.nv && joint.q_index >= 0 && joint.nq == joint.nv; k++) {
            if (!isfinite(joint.dof[k].lower) && !isfinite(joint.dof[k].upper))
                continue;
            if (list != NULL)
                list[n] = (RgLimitState){.joint = i,
                                         .dof = k,
                                         .q_index = joint.q_index + k,
                                         .lower = joint.dof[k].lower,
                                         .upper = joint.dof[k].upper};
            n++;
        }
    }
    return n;
}

/* ------------------------------------------------------------------ public functions */

bool rg_events_init(RgEvents *e, const RgModel *model, const uint32_t *shape_link, RgArena *arena)
{
    int links = rg_model_info(model).links;
    *e = (RgEvents){.model = model, .shape_link = shape_link};
    e->twists = RG_ARENA_ALLOC(arena, RgMotion, links);
    e->origins = RG_ARENA_ALLOC(arena, RgVec3, links);
    e->limits = RG_ARENA_ALLOC(arena, RgLimitState, list_limits(model, NULL));
    e->efforts = RG_ARENA_ALLOC(arena, RgEffortState, list_axes(model, NULL));
    if (arena->failed)
        return false;
    e->nlimits = list_limits(model, e->limits);
    e->nefforts = list_axes(model, e->efforts);
    return true;
}

void rg_events_free(RgEvents *e)
{
    rg_free(NULL, e->pairs);
    e->pairs = NULL;
    e->capacity = e->taken = 0;
}

void rg_events_reset(RgEvents *e)
{
    if (e->capacity > 0)
        memset(e->pairs, 0, e->capacity * sizeof *e->pairs);
    e->taken = 0;
    e->begun = false;
    for (int i = 0; i < e->nefforts; i++)
        e->efforts[i].reported = false;
    e->nreported = 0;
    e->residual = 0.0;
}

/* Reports the events that the stepper located in the last step. */
static void report_located(RgWorld *world, const Reporter *reporter)
{
    const RgEvent *events;
    int n = rg_world_events(world, &events);
    for (int i = 0; i < n; i++)
        reporter->fn(&events[i], reporter->context);
}

RgStatus rg_events_update(RgEvents *e, RgWorld *world, RgEventFn *fn, void *context)
{
    Reporter reporter = {fn, context, world};
    double t = rg_world_time(world);
    if (e->begun && t == e->t)
        return RG_OK;
    if (e->begun && t < e->t)
        rg_events_reset(e);
    e->t = t;
    e->h = rg_world_last_report(world)->h;
    RgStatus status = RG_OK;
    report_located(world, &reporter);
    if (!rg_world_locates(world)) {
        update_limits(e, world, &reporter);
        status = e->begun ? update_contacts(e, world, &reporter) : RG_OK;
        store_motion(e, world);
    }
    if (e->begun) {
        update_efforts(e, world, &reporter);
        update_solve(e, world, &reporter);
    }
    e->begun = true;
    return status;
}
