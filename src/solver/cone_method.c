/* cone_method.c - sweeps, and the proximal method around Newton's (cone_method.h). */
#include "solver/cone_method.h"

#include <math.h>

/* Steps of one try; a at first and at most; what a success and a failure make of it. */
#define TRY_STEPS 5
#define CAREFUL_STEPS 12
#define ENOUGH_OF_STEP 1e-4
#define LEAST_STEP 0.02
#define A_FIRST 1e-5
#define A_MOST 1.0
#define A_DOWN 0.1
#define A_UP 30.0

/* A try is well when the residual of its own problem has fallen to this part. */
#define TRY_ENOUGH 1e-2

/* Sweeps after a failure; steps that Newton's method is thought to take. */
#define SWEEPS_AGAIN 2
#define NEWTON_STEPS 5.0

/* Sweeps between looks at the residual, from few contacts on. */
#define LOOK_EARLY 1
#define LOOK_LATE 4
#define EARLY 4

static double judge(RgConeMethod *m)
{
    double found = m->form->judge(m->context);
    if (found < m->best) {
        m->best = found;
        m->form->keep(m->context);
    }
    return found;
}

static bool wanting(const RgConeMethod *m)
{
    return m->best > m->tolerance && m->iterations < m->most;
}

/* Sweeps until the residual is small or falls too slowly: more would cost more than Newton's method. Returns whether
   that can be done. */
static bool sweep_while_worth(RgConeMethod *m)
{
    double last = m->best, newton = -1.0;
    bool planned = false;
    while (wanting(m)) {
        int looks = m->iterations < EARLY ? LOOK_EARLY : LOOK_LATE;
        for (int k = 0; k < looks; k++)
            m->form->sweep(m->context);
        m->iterations += looks;
        double now = judge(m), rate = now / last;
        last = now;
        if (m->best <= m->tolerance || m->iterations < 2 * EARLY)
            continue;
        if (!planned) {
            newton = m->form->plan(m->context);
            planned = true;
        }
        double left = rate < 1.0 ? looks * log(m->tolerance / now) / log(rate) : INFINITY;
        if (newton >= 0.0 && !(left < NEWTON_STEPS * newton))
            return true;
    }
    return planned && newton >= 0.0;
}

/* A step is halved until the residual of its problem falls; returns that. */
static double shorten(RgConeMethod *m, double last)
{
    double now = m->form->look(m->context);
    for (double part = 0.5; !(now < (1.0 - ENOUGH_OF_STEP * part) * last) && part >= LEAST_STEP;
         part *= 0.5) {
        m->form->shorten(m->context, part);
        judge(m);
        now = m->form->look(m->context);
    }
    return now;
}

/* Solves the problem with a round the present point, with whole steps or careful ones. True: well enough; steps: how many
   it took. */
static bool solve_near(RgConeMethod *m, double a, bool careful, int *steps)
{
    int most = careful ? CAREFUL_STEPS : TRY_STEPS;
    m->form->centre(m->context, a);
    double first = m->form->look(m->context), now = first;
    for (*steps = 0; *steps < most && m->iterations < m->most; (*steps)++) {
        if (!m->form->step(m->context))
            return false;
        m->iterations++;
        if (judge(m) <= m->tolerance)
            return true;
        now = careful ? shorten(m, now) : m->form->look(m->context);
        if (now <= TRY_ENOUGH * first || m->best <= m->tolerance)
            return true;
    }
    return false;
}

/* As long as tries go well; false: one did not. */
static bool newton(RgConeMethod *m, double *a)
{
    while (wanting(m)) {
        int steps = 0;
        if (!solve_near(m, *a, false, &steps)) {
            m->form->recentre(m->context);
            if (!solve_near(m, *a, true, &steps)) {
                m->form->recentre(m->context);
                return false;
            }
        }
        if (steps < TRY_STEPS - 1)
            *a = fmax(m->a_least, A_DOWN * *a);
    }
    return true;
}

bool rg_cone_method_solve(RgConeMethod *m)
{
    double a = A_FIRST;
    m->iterations = 0;
    m->best = INFINITY;
    judge(m);
    bool planned = m->warm && wanting(m) && m->form->plan(m->context) >= 0.0;
    if (planned)
        newton(m, &a);
    planned = (wanting(m) && sweep_while_worth(m)) || planned;
    while (planned && wanting(m) && !newton(m, &a)) {
        a = fmin(A_MOST, A_UP * a);
        for (int k = 0; k < SWEEPS_AGAIN; k++)
            m->form->sweep(m->context);
        m->iterations += SWEEPS_AGAIN;
        judge(m);
    }
    m->form->back(m->context);
    return m->best <= m->tolerance;
}
