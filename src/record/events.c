/*
 * events.c - what happens between the steps of a world.
 *
 * Contacts are watched by pairs of links. A pair presses in a step if one of its points carries force; it slips if
 * all of those do.
 *
 *   touch    a pair presses that did not; it counts as sticking then
 *   break    it has not pressed for HOLD; the time is that of the last pressing step
 *   slip     it slips, and has done so for HOLD; the time is that of the first such step
 *   roll     the same: it does not slip, and its links turn against each other across the normal at ROLL_RATE or more
 *   stick    the same: it does neither; or it rolls after it slipped
 *   impact   a point presses whose sides came together, by the velocities before the step, at IMPACT_SPEED or more,
 *            and none did in the step before; its impulse is that of the whole step
 *   limit    a joint has come within REACHED of its limit, and was farther than LEFT from it before
 *   leave    it is farther than LEFT again
 *   saturate a drive, servo or motor gives all it may
 *   recover  it has not for HOLD; the time is that of the last step in which it did
 *
 *   unfinished the solver ended a step above its tolerance with a residual above RESIDUAL_SPEED, the first such step
 *   for
 *            HOLD, or one with twice the residual that was reported last
 *
 * Times are those of steps, uncertain by one. A world whose stepper locates events is not watched but for efforts and
 * solves: it tells them.
 *
 * HOLD keeps contacts that flicker from step to step from filling the recording. Speeds are those of the two links'
 * points at the place of contact, along the normal (from A to B):  s = n . (v_A - v_B).
 *
 * The table of pairs is open, with linear probing. Places of parted pairs stay taken until it is made anew, at two
 * thirds: twice as large where most of them are in use.
 */
#include "record/events.h"

#include "base/alloc.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define HOLD 0.02           /* s */
#define IMPACT_SPEED 0.05   /* m/s */
#define ROLL_RATE 0.02      /* rad/s */
#define REACHED 1e-4        /* rad or m */
#define LEFT 1e-3           /* rad or m */
#define RESIDUAL_SPEED 1e-6 /* m/s: below it nothing slips or sinks visibly (docs/events.md) */

enum { CAPACITY_MIN = 64 };

/* ------------------------------------------------------------------ the table of pairs */

static uint32_t pair_place(const RgEvents *e, uint32_t a, uint32_t b)
{
    uint64_t mixed = ((uint64_t)a << 32 | b) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t at = (uint32_t)(mixed >> 32) & (e->capacity - 1);
    while (e->pairs[at].used && (e->pairs[at].a != a || e->pairs[at].b != b))
        at = (at + 1) & (e->capacity - 1);
    return at;
}

/* Makes the table anew, with room for as many again as are in use. */
static bool make_room(RgEvents *e)
{
    uint32_t alive = 0, capacity = CAPACITY_MIN;
    for (uint32_t i = 0; i < e->capacity; i++)
        alive += e->pairs[i].used && !e->pairs[i].gone;
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
        if (old.pairs[i].used && !old.pairs[i].gone)
            e->pairs[pair_place(e, old.pairs[i].a, old.pairs[i].b)] = old.pairs[i];
    rg_free(NULL, old.pairs);
    return true;
}

/* The pair's place, a new one if it has none; NULL: memory is out. */
static RgPairWatch *find_pair(RgEvents *e, uint32_t a, uint32_t b)
{
    if (e->capacity == 0 && !make_room(e))
        return NULL;
    RgPairWatch *pair = &e->pairs[pair_place(e, a, b)];
    if (pair->used)
        return pair;
    if (3 * (e->taken + 1) > 2 * e->capacity) {
        if (!make_room(e))
            return NULL;
        pair = &e->pairs[pair_place(e, a, b)];
    }
    *pair = (RgPairWatch){.a = a, .b = b, .used = true, .gone = true};
    e->taken++;
    return pair;
}

/* ------------------------------------------------------------------ contacts */

/* Velocity of the link's point at x before the step. */
static RgVec3 point_velocity(const RgEvents *e, uint32_t link, RgVec3 x)
{
    if (link == UINT32_MAX)
        return v3_zero();
    return v3_add(e->twists[link].v, v3_cross(e->twists[link].w, v3_sub(x, e->origins[link])));
}

/* One pressing point into its pair. The points of a pair follow each other mostly: *last is the pair of the one
   before, or NULL. */
static RgStatus gather_point(RgEvents *e, const RgContactForce *point, RgPairWatch **last)
{
    uint32_t a = e->shape_link[point->shape_a.i - 1], b = e->shape_link[point->shape_b.i - 1];
    RgPairWatch *pair = *last && (*last)->a == a && (*last)->b == b ? *last : find_pair(e, a, b);
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

typedef struct Teller {
    RgEventFn *fn;
    void *context;
    RgWorld *world;
} Teller;

/* Turning of B against A across the normal, rad/s, at the end of the step. */
static double turning(const Teller *teller, const RgPairWatch *pair)
{
    uint32_t link[2] = {pair->a, pair->b};
    RgVec3 w = v3_zero();
    for (int side = 0; side < 2; side++)
        if (link[side] != UINT32_MAX)
            w = v3_axpy(side == 1 ? 1.0 : -1.0,
                        rg_world_link_twist(teller->world, (RgLinkId){(int32_t)link[side] + 1}).w, w);
    return v3_norm(v3_axpy(-v3_dot(pair->normal, w), pair->normal, w));
}

static void tell_pair(const RgEvents *e, const Teller *teller, const RgPairWatch *pair, RgEvent event)
{
    event.uncertainty = e->h;
    event.link_a = pair->a;
    event.link_b = pair->b;
    event.shape_a = pair->shape_a;
    event.shape_b = pair->shape_b;
    event.point = pair->point;
    event.normal = pair->normal;
    event.joint = event.dof = -1;
    teller->fn(&event, teller->context);
}

/* Another motion than the one last told has lasted. */
static void tell_motion(const RgEvents *e, const Teller *teller, RgPairWatch *pair)
{
    double t = pair->differs_since;
    if (pair->doing == RG_PAIR_SLIPS)
        tell_pair(e, teller, pair, (RgEvent){.kind = RG_EVENT_slip, .t = t, .value = pair->speed});
    if (pair->doing == RG_PAIR_STICKS || pair->motion == RG_PAIR_SLIPS)
        tell_pair(e, teller, pair, (RgEvent){.kind = RG_EVENT_stick, .t = t});
    if (pair->doing == RG_PAIR_ROLLS)
        tell_pair(e, teller, pair, (RgEvent){.kind = RG_EVENT_roll, .t = t});
    pair->motion = pair->doing;
    pair->differs_since = NAN;
}

/* A pair that presses in this step. */
static void judge_pressing(const RgEvents *e, const Teller *teller, RgPairWatch *pair)
{
    double t = e->t;
    if (pair->gone) {
        tell_pair(e, teller, pair, (RgEvent){.kind = RG_EVENT_touch, .t = t, .value = pair->closing});
        pair->gone = pair->hit = false;
        pair->motion = RG_PAIR_STICKS;
        pair->differs_since = NAN;
    }
    bool hits = pair->closing >= IMPACT_SPEED;
    if (hits && !pair->hit)
        tell_pair(e, teller, pair,
                  (RgEvent){.kind = RG_EVENT_impact, .t = t, .value = pair->closing, .impulse = pair->total * e->h});
    pair->hit = hits;
    pair->pressed = t;

    /* Sticking, rolling or slipping counts when it lasts. */
    bool rolls = !pair->all_slip && turning(teller, pair) >= ROLL_RATE;
    RgPairMotion doing = pair->all_slip ? RG_PAIR_SLIPS : rolls ? RG_PAIR_ROLLS : RG_PAIR_STICKS;
    bool other = isnan(pair->differs_since) || doing != pair->doing;
    pair->doing = doing;
    if (doing == pair->motion)
        pair->differs_since = NAN;
    else if (other)
        pair->differs_since = t;
    else if (t - pair->differs_since >= HOLD)
        tell_motion(e, teller, pair);
}

static RgStatus look_at_contacts(RgEvents *e, RgWorld *world, const Teller *teller)
{
    const RgContactForce *forces;
    int n = rg_world_contact_forces(world, &forces);
    RgStatus status = RG_OK;
    RgPairWatch *last = NULL;
    for (int i = 0; i < n && status == RG_OK; i++)
        if (forces[i].state != RG_CONTACT_OPEN)
            status = gather_point(e, &forces[i], &last);

    for (uint32_t i = 0; i < e->capacity; i++) {
        RgPairWatch *pair = &e->pairs[i];
        if (pair->presses) {
            judge_pressing(e, teller, pair);
        } else if (pair->used && !pair->gone && e->t - pair->pressed >= HOLD) {
            tell_pair(e, teller, pair, (RgEvent){.kind = RG_EVENT_break, .t = pair->pressed});
            pair->gone = true;
        } else {
            pair->hit = false;
        }
        pair->presses = false;
    }
    return status;
}

/* Where the links are and how they move, for the speeds of the next step. */
static void keep_motion(RgEvents *e, RgWorld *world)
{
    int links = rg_model_info(e->model).links;
    for (int i = 0; i < links; i++) {
        e->twists[i] = rg_world_link_twist(world, (RgLinkId){i + 1});
        e->origins[i] = rg_world_link_pose(world, (RgLinkId){i + 1}).p;
    }
}

/* ------------------------------------------------------------------ limits */

/* -1, 1: within reach of the lower, upper limit; 0: of none. */
static int side_of(const RgLimitPlace *limit, double q, double reach)
{
    return q <= limit->lower + reach ? -1 : q >= limit->upper - reach ? 1 : 0;
}

static void tell_limit(const RgEvents *e, const Teller *teller, const RgLimitPlace *limit, RgEvent event)
{
    event.t = e->t;
    event.uncertainty = e->h;
    event.link_a = event.link_b = UINT32_MAX;
    event.joint = limit->joint;
    event.dof = limit->dof;
    if (e->begun)
        teller->fn(&event, teller->context);
}

static void look_at_limits(RgEvents *e, RgWorld *world, const Teller *teller)
{
    const double *q = e->nlimits > 0 ? rg_world_q(world) : NULL;
    for (int i = 0; i < e->nlimits; i++) {
        RgLimitPlace *limit = &e->limits[i];
        double at = q[limit->q_index];
        int side = side_of(limit, at, REACHED), was = limit->side;
        if (side == 0 && side_of(limit, at, LEFT) == was)
            continue;
        limit->side = side;
        if (was != 0 && side != was)
            tell_limit(e, teller, limit, (RgEvent){.kind = RG_EVENT_leave});
        if (side != 0 && side != was)
            tell_limit(e, teller, limit, (RgEvent){.kind = RG_EVENT_limit, .value = at});
    }
}

/* ------------------------------------------------------------------ efforts */

static void tell_effort(const RgEvents *e, const Teller *teller, const RgEffortPlace *place, RgEvent event)
{
    event.uncertainty = e->h;
    event.link_a = event.link_b = UINT32_MAX;
    event.joint = place->joint;
    event.dof = place->dof;
    teller->fn(&event, teller->context);
}

/* What gave way is in the order of joints, as the places are. */
static void look_at_efforts(RgEvents *e, RgWorld *world, const Teller *teller)
{
    const RgGaveWay *gave;
    int n = rg_world_gave_way(world, &gave), at = 0;
    for (int i = 0; i < n; i++) {
        if (gave[i].kind != RG_GAVE_EFFORT)
            continue;
        while (e->efforts[at].joint != gave[i].joint.i - 1 || e->efforts[at].dof != gave[i].dof)
            at++;
        RgEffortPlace *place = &e->efforts[at];
        place->last = e->t;
        if (place->told)
            continue;
        place->told = true;
        e->ntold++;
        tell_effort(e, teller, place, (RgEvent){.kind = RG_EVENT_saturate, .t = e->t, .value = gave[i].amount});
    }
    for (int i = 0; i < e->nefforts && e->ntold > 0; i++) {
        RgEffortPlace *place = &e->efforts[i];
        if (!place->told || e->t - place->last < HOLD)
            continue;
        place->told = false;
        e->ntold--;
        tell_effort(e, teller, place, (RgEvent){.kind = RG_EVENT_recover, .t = place->last});
    }
}

/* ------------------------------------------------------------------ the solver */

static void check_solve(RgEvents *e, RgWorld *world, const Teller *teller)
{
    const RgStepReport *report = rg_world_last_report(world);
    bool is_above = report->unfinished > 0 && report->residual_velocity > RESIDUAL_SPEED;
    if (e->residual > 0.0 && e->t - e->unfinished >= HOLD)
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
    teller->fn(&event, teller->context);
}

/* All axes of joints; with places NULL only their number. */
static int find_axes(const RgModel *model, RgEffortPlace *places)
{
    int joints = rg_model_info(model).joints, n = 0;
    for (int i = 0; i < joints; i++)
        for (int k = 0; k < rg_model_joint(model, (RgJointId){i + 1}).nv; k++, n++)
            if (places != NULL)
                places[n] = (RgEffortPlace){.joint = i, .dof = k};
    return n;
}

/* Axes with a finite limit; with places NULL only their number. */
static int find_limits(const RgModel *model, RgLimitPlace *places)
{
    int joints = rg_model_info(model).joints, n = 0;
    for (int i = 0; i < joints; i++) {
        RgJointInfo joint = rg_model_joint(model, (RgJointId){i + 1});
        for (int k = 0; k < joint.nv && joint.q_index >= 0 && joint.nq == joint.nv; k++) {
            if (!isfinite(joint.dof[k].lower) && !isfinite(joint.dof[k].upper))
                continue;
            if (places != NULL)
                places[n] = (RgLimitPlace){.joint = i,
                                           .dof = k,
                                           .q_index = joint.q_index + k,
                                           .lower = joint.dof[k].lower,
                                           .upper = joint.dof[k].upper};
            n++;
        }
    }
    return n;
}

/* ------------------------------------------------------------------ all together */

bool rg_events_init(RgEvents *e, const RgModel *model, const uint32_t *shape_link, RgArena *arena)
{
    int links = rg_model_info(model).links;
    *e = (RgEvents){.model = model, .shape_link = shape_link};
    e->twists = RG_TAKE(arena, RgMotion, links);
    e->origins = RG_TAKE(arena, RgVec3, links);
    e->limits = RG_TAKE(arena, RgLimitPlace, find_limits(model, NULL));
    e->efforts = RG_TAKE(arena, RgEffortPlace, find_axes(model, NULL));
    if (arena->failed)
        return false;
    e->nlimits = find_limits(model, e->limits);
    e->nefforts = find_axes(model, e->efforts);
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
        e->efforts[i].told = false;
    e->ntold = 0;
    e->residual = 0.0;
}

/* What the world itself reports of its last step. */
static void pass_on(RgWorld *world, const Teller *teller)
{
    const RgEvent *events;
    int n = rg_world_events(world, &events);
    for (int i = 0; i < n; i++)
        teller->fn(&events[i], teller->context);
}

RgStatus rg_events_look(RgEvents *e, RgWorld *world, RgEventFn *fn, void *context)
{
    Teller teller = {fn, context, world};
    double t = rg_world_time(world);
    if (e->begun && t == e->t)
        return RG_OK;
    if (e->begun && t < e->t)
        rg_events_reset(e);
    e->t = t;
    e->h = rg_world_last_report(world)->h;
    RgStatus status = RG_OK;
    pass_on(world, &teller);
    if (!rg_world_locates(world)) {
        look_at_limits(e, world, &teller);
        status = e->begun ? look_at_contacts(e, world, &teller) : RG_OK;
        keep_motion(e, world);
    }
    if (e->begun) {
        look_at_efforts(e, world, &teller);
        check_solve(e, world, &teller);
    }
    e->begun = true;
    return status;
}
