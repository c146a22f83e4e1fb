/* quadruped_trial.c - see quadruped_trial.h. */
#include "quadruped_trial.h"

#include "step_search/maxstep.h"

#include <math.h>
#include <string.h>

#define FIRST 1e-3 /* s */
#define MOST 0.1
#define WIDTH 0.03
#define HIGHER 1e-6 /* m */
enum { PROBES = 3 };

/* ------------------------------------------------------------------ one run */

typedef struct Watch {
    Lab *lab;
    const QuadTrial *trial;
    LabFilm *film;
    bool begun;
} Watch;

static void watch(RgWorld *world, void *context)
{
    Watch *w = context;
    if (!w->begun)
        w->film = lab_film(w->lab, w->trial->film, w->trial->title, world, 0.0);
    else
        lab_film_step(w->film, world);
    w->begun = true;
}

QuadResult quad_trial(QuadLab *q, const QuadTrial *t)
{
    Watch film = {.lab = q->lab, .trial = t};
    QuadSetup setup = {.robot = t->method->flawed ? &q->smooth : &q->rough,
                       .motion = *t->motion,
                       .method = *t->method,
                       .solver = t->solver,
                       .coords = t->coords,
                       .h = t->h,
                       .time = t->time,
                       .gap = t->gap,
                       .mu = t->method->flawed ? 0.0 : 1.0,
                       .contact_erp = 0.2,
                       .watch = t->film != NULL ? watch : NULL,
                       .watch_context = &film};
    QuadResult result;
    RgError error;
    if (!quad_run(&setup, &result, &error)) {
        lab_fail(q->lab, "%s: %s", t->method->name, error.text);
        result = (QuadResult){.blew = 0.0, .fell = (double)NAN};
    }
    lab_film_end(film.film);
    if (isnan(result.blew)) {
        if (strncmp(t->solver, "cone", 4) == 0) /* pivoting solvers have pyramids */
            q->cone = fmax(q->cone, result.cone);
        q->beyond = fmax(q->beyond, result.beyond);
    }
    return result;
}

bool quad_upright(const QuadResult *result)
{
    return isnan(result->fell) && isnan(result->blew);
}

/* ------------------------------------------------------------------ largest step */

typedef struct Search {
    QuadLab *q;
    QuadTrial trial;
} Search;

double quad_usual_error(QuadLab *q, QuadTrial trial)
{
    double error[STARTS_MOST];
    int starts = trial.starts > 0 ? trial.starts : 1;
    for (int k = 0; k < starts; k++) {
        trial.gap = k * HIGHER;
        QuadResult result = quad_trial(q, &trial);
        error[k] = quad_upright(&result) ? result.error : INFINITY;
    }
    for (int k = 1; k < starts; k++)
        for (int i = k; i > 0 && error[i] < error[i - 1]; i--) {
            double other = error[i];
            error[i] = error[i - 1];
            error[i - 1] = other;
        }
    return isfinite(error[starts / 2]) ? error[starts / 2] : (double)NAN;
}

static bool works(double step, void *context)
{
    Search *s = context;
    s->trial.h = step;
    return !isnan(quad_usual_error(s->q, s->trial));
}

double quad_largest_step(QuadLab *q, QuadTrial trial)
{
    Search s = {q, trial};
    RgStepSearch def = {
        .first = FIRST, .least = FIRST, .most = MOST, .width = WIDTH, .probes = PROBES, .works = works, .context = &s};
    RgStepLimit limit = rg_step_search(&def);
    if (limit.holes > 0)
        lab_say(
            q->lab, "%s, %s, %s: largest step %.3g ms, and %d of %d steps tried below it fail, the smallest %.3g ms.",
            trial.method->name, trial.solver, trial.coords, 1e3 * limit.step, limit.holes, PROBES, 1e3 * limit.hole);
    return limit.found ? limit.step : 0.0;
}
