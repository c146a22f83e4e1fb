/*
 * scene_law_step.c - one step of a scene of scene_law.h, and how far two are apart.
 *
 * The law has its default options, whatever they are: a solver must not have others than the next one. What a solver
 * needs to reach a solution is set here: sweeps enough, a residual small enough.
 */
#include "scene_law.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define GRAVITY 9.81
#define SWEEPS 100000
#define TIGHT 1e-14 /* quick: part of the impulses; pgs: m/s */
#define EXACT 1e-12 /* part of the largest velocity that rows miss */

const double law_steps[] = {1e-3, 1e-2, 0.0};

const char *const law_solvers[] = {"cone", "dantzig", "lemke", "quick", "pgs", NULL};

const char *const law_causes[LAW_CAUSES] = {"erp",      "restitution", "springs", "motors",
                                            "friction", "impacts",     "rest",    "total"};

static const size_t cause_offsets[LAW_CAUSES] = {offsetof(RgSolverWork, erp),      offsetof(RgSolverWork, restitution),
                                                 offsetof(RgSolverWork, springs),  offsetof(RgSolverWork, motors),
                                                 offsetof(RgSolverWork, friction), offsetof(RgSolverWork, impacts),
                                                 offsetof(RgSolverWork, rest),     offsetof(RgSolverWork, total)};

static void set_nothing(RgContactLaw *law)
{
    (void)law;
}

static void set_split(RgContactLaw *law)
{
    law->split_impulse = true;
}

static void set_poisson(RgContactLaw *law)
{
    law->restitution = RG_RESTITUTION_POISSON;
}

static void set_cfm(RgContactLaw *law)
{
    law->cfm = 1e-4;
}

static void set_slow(RgContactLaw *law)
{
    law->contact_erp = 0.5;
    law->max_correcting_velocity = 0.03;
}

const LawVariant law_variants[] = {{"default", set_nothing}, {"split-impulse", set_split}, {"poisson", set_poisson},
                                   {"cfm", set_cfm},         {"correction", set_slow},     {NULL, NULL}};

static double largest(const double *x, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* The world with a solver that has work enough; NULL: it takes no such scene. */
static RgWorld *make_world(const RgModel *model, LawAsk ask)
{
    RgWorldDef def = rg_world_def_default();
    RgQuickOptions quick = rg_quick_options_default();
    RgContactLaw law = rg_contact_law_for(ask.solver);
    RgPgsOptions pgs = rg_pgs_options_default();
    RgExactOptions exact = rg_exact_options_default();
    quick.max_sweeps = SWEEPS;
    quick.tolerance = TIGHT;
    pgs.iterations = SWEEPS;
    pgs.tolerance = TIGHT;
    pgs.sor = 1.0;
    ask.variant->set(&law);
    exact.tolerance = EXACT;
    def.model = model;
    def.coords = ask.form;
    def.solver = ask.solver;
    def.stabilise = RG_STABILISE_NONE;
    def.quick = &quick;
    def.law = &law;
    def.pgs = &pgs;
    def.exact = &exact;
    return rg_world_create(&def, NULL);
}

LawStep law_step(const LawScene *scene, const RgModel *model, LawAsk ask)
{
    RgModelInfo info = rg_model_info(model);
    LawStep out = {.ask = ask, .status = RG_ERR_UNSUPPORTED, .nv = info.nv, .nq = info.nq};
    bool fits = info.nv <= LAW_MOST_NV && info.nq <= LAW_MOST_NQ;
    RgWorld *world = fits ? make_world(model, ask) : NULL;
    if (world == NULL)
        return out;
    double v0[LAW_MOST_NV] = {0.0};
    RgStepReport report = {0};
    scene->start(model, v0);
    out.status = rg_world_set_state(world, NULL, v0);
    if (scene->drive != NULL)
        scene->drive(world);
    if (out.status == RG_OK)
        out.status = rg_world_step(world, ask.h, &report);
    memcpy(out.v, rg_world_v(world), (size_t)out.nv * sizeof *out.v);
    memcpy(out.q, rg_world_q(world), (size_t)out.nq * sizeof *out.q);
    for (int k = 0; k < LAW_CAUSES; k++)
        memcpy(&out.work[k], (const char *)&report.work + cause_offsets[k], sizeof out.work[k]);
    out.size = fmax(GRAVITY * ask.h, fmax(largest(v0, out.nv), largest(out.v, out.nv)));
    out.contacts = report.contacts;
    out.iterations = report.sweeps;
    out.residual = report.residual;
    out.solved_by = report.solved_by;
    rg_world_destroy(world);
    return out;
}

static double largest_difference(const double *a, const double *b, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

LawApart law_apart(const LawStep *step, const LawStep *from)
{
    LawApart out = {.velocity = largest_difference(step->v, from->v, from->nv) / from->size};
    if (strcmp(step->ask.form, from->ask.form) == 0)
        out.position = largest_difference(step->q, from->q, from->nq) / (from->size * from->ask.h);
    for (int k = 0; k < LAW_CAUSES; k++)
        out.work[k] = fabs(step->work[k] - from->work[k]);
    return out;
}

bool law_agrees(const LawStep *step, const LawApart *apart)
{
    bool agrees = step->status == RG_OK && step->solved_by == NULL && apart->velocity <= LAW_TOLERANCE &&
                  apart->position <= LAW_TOLERANCE;
    for (int k = 0; k < LAW_CAUSES; k++)
        agrees = agrees && apart->work[k] <= LAW_TOLERANCE;
    return agrees;
}
