/* trot.c - see trot.h. */
#include "trot.h"

#include <math.h>
#include <stdlib.h>

#define POWERS 400 /* power iterations; eigenvalues of two legs differ by a few % */

const double trot_steps[TROT_STEPS] = {1.0, 1.5, 1.75, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0};
const double trot_lambdas[TROT_LAMBDAS] = {0.0, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};

void trot_end(Trot *t)
{
    rg_world_destroy(t->world);
    gait_destroy(t->gait);
    rg_model_destroy(t->model);
    *t = (Trot){0};
}

static RgWorld *world_of(Lab *lab, const TrotSetup *setup, const Trot *t)
{
    RgAdaptOptions adapt = rg_adapt_options_default();
    adapt.gap = 1e-6;
    adapt.h_min = setup->h_min;
    adapt.explicit_forces = setup->explicit_forces;
    adapt.hold_input = true;
    if (setup->relative > 0.0)
        adapt.energy_relative = setup->relative;
    RgExactOptions exact = rg_exact_options_default();
    exact.sides = 4;

    RgWorldDef def = rg_world_def_default();
    def.model = t->model;
    def.stepper = setup->stepper;
    def.solver = setup->solver ? setup->solver : "dantzig";
    def.coords = setup->coords ? setup->coords : "minimal";
    def.input = setup->no_input ? NULL : gait_input;
    def.input_context = t->gait;
    def.dissipation = setup->dissipation;
    def.contact = !setup->no_contact;
    def.adapt = setup->h_min > 0.0 ? &adapt : NULL;
    def.exact = &exact; /* for qp: friction boxes, as in the paper's code */
    RgContactLaw law = rg_contact_law_for(def.solver);
    if (setup->contact_erp >= 0.0)
        law.contact_erp = setup->contact_erp;
    def.law = &law;
    return lab_world_create(lab, &def);
}

bool trot_begin(Lab *lab, const TrotSetup *setup, Trot *t)
{
    RgError error = {.text = ""};
    *t = (Trot){.model = gait_model_published(lab_model(lab, "links.sdf"), 0, 1.0, &error)};
    if (!t->model) {
        lab_fail(lab, "links.sdf: %s", error.text);
        return false;
    }
    t->gait = gait_create(t->model);
    if (t->gait) {
        t->gait->stands = setup->stands;
        t->world = world_of(lab, setup, t);
    }
    if (t->world && gait_start(t->world) == RG_OK)
        return true;
    if (!lab_failed(lab))
        lab_fail(lab, "links.sdf: it is not the quadruped");
    trot_end(t);
    return false;
}

double trot_kinetic(RgWorld *world)
{
    RgMomentum momentum;
    rg_world_momentum(world, &momentum);
    return momentum.kinetic;
}

bool trot_swings(const Gait *gait, double t)
{
    bool any = false;
    for (int foot = 0; foot < GAIT_FEET; foot++)
        any = any || gait_swings(gait, foot, t);
    return any;
}

TrotRun trot_until_failure(Trot *t, double h, int most, LabFilm *film)
{
    TrotRun run = {0};
    while (run.steps < most && !run.failed) {
        run.steps++;
        bool made = rg_world_step(t->world, h, NULL) == RG_OK;
        run.failed = !made || !(2.0 * trot_kinetic(t->world) <= TROT_FAILED);
        if (!run.failed)
            lab_film_step(film, t->world);
    }
    return run;
}

/* tau of the controller at the world's positions and these velocities. */
static void efforts(const Trot *t, const double *v, double *tau)
{
    RgInputState state = {rg_world_time(t->world), rg_world_q(t->world), v};
    for (int k = 0; k < t->gait->nv; k++)
        tau[k] = 0.0;
    gait_input(t->model, &state, &(RgInput){.tau = tau}, t->gait);
}

double trot_damper_rate(const Trot *t)
{
    int nv = t->gait->nv;
    double rate = (double)NAN, *room = calloc(3 * (size_t)nv, sizeof *room);
    double *x = room, *still = room + nv, *moving = room + 2 * nv;
    RgDynamics *dynamics = rg_dynamics_create(t->model, NULL);
    if (room && dynamics && rg_mass_factor(dynamics, rg_world_q(t->world)) == RG_OK) {
        efforts(t, x, still);
        for (int k = 0; k < nv; k++)
            x[k] = 1.0 / (k + 1.0);
        for (int i = 0; i < POWERS; i++) {
            efforts(t, x, moving);
            for (int k = 0; k < nv; k++)
                x[k] = still[k] - moving[k];
            rg_mass_solve(dynamics, x);
            rate = 0.0;
            for (int k = 0; k < nv; k++)
                rate = hypot(rate, x[k]);
            for (int k = 0; k < nv; k++)
                x[k] /= rate;
        }
    }
    rg_dynamics_destroy(dynamics);
    free(room);
    return rate;
}

double trot_rank_correlation(const double *x, const double *y, int count)
{
    double agree = 0.0, in_x = 0.0, in_y = 0.0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++) {
            double a = (x[i] > x[k]) - (x[i] < x[k]), b = (y[i] > y[k]) - (y[i] < y[k]);
            agree += a * b;
            in_x += a * a;
            in_y += b * b;
        }
    return in_x > 0.0 && in_y > 0.0 ? agree / sqrt(in_x * in_y) : (double)NAN;
}
