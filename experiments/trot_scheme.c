/* trot_scheme.c - see trot_scheme.h. */
#include "trot_scheme.h"

#include <math.h>
#include <string.h>

#define MOMENT 1e-9 /* s: step of the impact world, in which positions hardly change */
#define HEIGHT 6    /* index of the base's height among its positions: quaternion, x, y, z */

void scheme_end(Scheme *s)
{
    trot_end(&s->smooth);
    trot_end(&s->impact);
}

bool scheme_begin(Lab *lab, const SchemeSetup *setup, Scheme *s)
{
    *s = (Scheme){.setup = *setup};
    TrotSetup smooth = {.stepper = setup->explicit_forces ? "euler" : "semi-implicit-000",
                        .coords = setup->coords,
                        .stands = setup->stands,
                        .contact_erp = -1.0,
                        .no_contact = true};
    TrotSetup impact = {.stepper = "euler",
                        .coords = setup->coords,
                        .solver = setup->solver,
                        .contact_erp = setup->baumgarte * MOMENT,
                        .no_input = true};
    if (!trot_begin(lab, &smooth, &s->smooth))
        return false;
    RgModelInfo info = rg_model_info(s->smooth.model);
    s->nq = info.nq;
    s->nv = info.nv;
    bool fits = s->nq <= SCHEME_ROOM && s->nv <= SCHEME_ROOM;
    if (!fits)
        lab_fail(lab, "links.sdf: more than %d positions", SCHEME_ROOM);
    if (!fits || !trot_begin(lab, &impact, &s->impact)) {
        trot_end(&s->smooth);
        return false;
    }
    memcpy(s->now.q, rg_world_q(s->smooth.world), (size_t)s->nq * sizeof *s->now.q);
    RgLinkId base = rg_model_find_link(s->smooth.model, "BODY0");
    s->now.q[rg_model_link(s->smooth.model, base).q_index + HEIGHT] += setup->raised;
    return true;
}

/* ------------------------------------------------------------------ a step */

static bool put(RgWorld *world, const SchemeState *x)
{
    rg_world_set_time(world, x->t);
    return rg_world_set_state(world, x->q, x->v) == RG_OK;
}

static void get(const Scheme *s, RgWorld *world, SchemeState *x)
{
    x->t = rg_world_time(world);
    memcpy(x->q, rg_world_q(world), (size_t)s->nq * sizeof *x->q);
    memcpy(x->v, rg_world_v(world), (size_t)s->nv * sizeof *x->v);
}

/* Smooth motion, then impact. */
static bool euler_step(Scheme *s, double h, SchemeState *x)
{
    if (!put(s->smooth.world, x) || rg_world_step(s->smooth.world, h, NULL) != RG_OK)
        return false;
    get(s, s->smooth.world, x);
    if (!put(s->impact.world, x) || rg_world_step(s->impact.world, MOMENT, NULL) != RG_OK)
        return false;
    const double *v = rg_world_v(s->impact.world);
    for (int i = 0; i < s->nv; i++)
        x->v[i] = (1.0 - s->setup.lambda) * v[i];
    return true;
}

/* v.Mv, J. */
static double energy(Scheme *s, const SchemeState *x)
{
    return put(s->impact.world, x) ? 2.0 * trot_kinetic(s->impact.world) : (double)NAN;
}

static bool hold_efforts(Scheme *s)
{
    bool good = put(s->smooth.world, &s->now);
    if (good)
        gait_hold(s->smooth.gait, s->smooth.world);
    return good;
}

bool scheme_try(Scheme *s, double h, SchemeTrial *trial)
{
    trial->one = trial->two = s->now;
    if (!hold_efforts(s) || !euler_step(s, h, &trial->one) || !euler_step(s, 0.5 * h, &trial->two) ||
        !euler_step(s, 0.5 * h, &trial->two))
        return false;
    trial->energy_one = energy(s, &trial->one);
    trial->energy_two = energy(s, &trial->two);
    return true;
}

/* set_state normalises quaternions. */
void scheme_take(Scheme *s, const SchemeTrial *trial)
{
    s->now = trial->two;
    if (s->setup.halves)
        return;
    for (int i = 0; i < s->nq; i++)
        s->now.q[i] = 2.0 * trial->two.q[i] - trial->one.q[i];
    for (int i = 0; i < s->nv; i++)
        s->now.v[i] = 2.0 * trial->two.v[i] - trial->one.v[i];
}

bool scheme_take_one(Scheme *s, double h)
{
    SchemeState next = s->now;
    bool good = hold_efforts(s) && euler_step(s, h, &next);
    if (good)
        s->now = next;
    return good;
}

RgWorld *scheme_world(Scheme *s)
{
    put(s->impact.world, &s->now);
    return s->impact.world;
}

TrotRun scheme_until_failure(Scheme *s, double h, int most, LabFilm *film)
{
    TrotRun run = {0};
    while (run.steps < most && !run.failed) {
        SchemeTrial trial;
        run.steps++;
        run.failed = !scheme_try(s, h, &trial) || !(trial.energy_one <= TROT_FAILED && trial.energy_two <= TROT_FAILED);
        if (run.failed)
            break;
        scheme_take(s, &trial);
        if (film)
            lab_film_step(film, scheme_world(s));
    }
    return run;
}
