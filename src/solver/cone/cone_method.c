/* cone_method.c - sweeps, and the proximal method around Newton's (cone_method.h). */
#include "solver/cone/cone_method.h"

#include <math.h>
#include <string.h>

/* Steps of one try; a at first and at most; what a success and a failure make of it. */
#define TRY_STEPS 5
#define CAREFUL_STEPS 12
#define ENOUGH_OF_STEP 1e-4
#define HALVINGS 5
#define A_FIRST 1e-5
#define A_MOST 1.0
#define A_DOWN 0.1
#define A_UP 10.0

/* The safe way: what makes a smaller there, and by how much; pauses between tries of the other. */
#define EASY_STEPS 20
#define A_SAFE_DOWN 0.3
#define A_SAFE_LEAST 1e-5
#define A_SAFE_FIRST 1e-3
#define PAUSE_MOST 3

/* A try is well when the residual of its own problem has fallen to this part, and astray when it has risen so far
   and goes on rising. */
#define TRY_ENOUGH 1e-2
#define TRY_ASTRAY 1e3

/* No more is tried where the residual is small already and has not become better by that part for so long. */
#define SMALL 1e-9
#define BETTER 0.7
#define STALL 120

/* A first point with a residual above this is not near, whatever was thought. */
#define NEAR 0.1

/* Sweeps after a failure; steps that Newton's method is thought to take. */
#define SWEEPS_AGAIN 2
#define NEWTON_STEPS 5.0

/* Sweeps between looks at the residual, from few contacts on. */
#define LOOK_EARLY 1
#define LOOK_LATE 4
#define EARLY 4

/* How bold steps are. */
typedef struct Pace {
    double whole, safe; /* a of tries with whole steps, and of the safe way */
    double down;        /* what a success makes of the former */
    int pause;          /* turns on the safe way after a failure */
} Pace;

/* To the best point, or to z_k. */
static void go_back(RgConeMethod *m, const double *to)
{
    memcpy(m->z, to, (size_t)m->n * sizeof *m->z);
}

static double judge(RgConeMethod *m)
{
    double found = m->form->judge(m->context);
    if (found < BETTER * m->least || m->iterations == 0)
        m->better_at = m->iterations;
    if (found < m->least) {
        m->least = found;
        memcpy(m->best, m->z, (size_t)m->n * sizeof *m->z);
    }
    return found;
}

static bool wanting(const RgConeMethod *m)
{
    bool stalls = m->least < SMALL && m->iterations - m->better_at > STALL;
    return m->least > m->tolerance && m->iterations < m->most && !stalls;
}

/* Whether a residual that falls so from look to look comes to the tolerance within so many. */
static bool ends_within(const RgConeMethod *m, double now, double rate, double looks)
{
    int most = looks < (double)m->most ? (int)looks + 1 : m->most;
    if (!(rate < 1.0))
        return false;
    for (int k = 1; k < most && now > m->tolerance; k++)
        now *= rate;
    return now <= m->tolerance;
}

/* Sweeps until the residual is small or falls too slowly: more would cost more than Newton's method. Returns whether
   that can be done. */
static bool sweep_while_worth(RgConeMethod *m)
{
    double last = m->least, newton = -1.0;
    bool planned = false;
    while (wanting(m)) {
        int looks = m->iterations < EARLY ? LOOK_EARLY : LOOK_LATE;
        for (int k = 0; k < looks; k++)
            m->form->sweep(m->context);
        m->iterations += looks;
        double now = judge(m), rate = now / last;
        last = now;
        if (m->least <= m->tolerance || m->iterations < 2 * EARLY)
            continue;
        if (!planned) {
            newton = m->form->plan(m->context);
            planned = true;
        }
        if (newton >= 0.0 && !ends_within(m, now, rate, NEWTON_STEPS * newton / looks))
            return true;
    }
    return planned && newton >= 0.0;
}

/* A step is halved until the residual of its problem falls; returns that. */
static double shorten(RgConeMethod *m, double a, double last)
{
    double now = m->form->look(m->context, a), part = 1.0;
    for (int k = 0; k < HALVINGS && !(now < (1.0 - ENOUGH_OF_STEP * part) * last); k++) {
        part *= 0.5;
        m->form->shorten(m->context, part);
        judge(m);
        now = m->form->look(m->context, a);
    }
    return now;
}

/* Solves the problem with a round the present point, with whole steps or careful ones. True: well enough; steps: how
   many it took. */
static bool solve_near(RgConeMethod *m, double a, bool careful, int *steps)
{
    int most = careful ? CAREFUL_STEPS : TRY_STEPS;
    memcpy(m->centre, m->z, (size_t)m->n * sizeof *m->z);
    double first = m->form->look(m->context, a), now = first;
    for (*steps = 0; *steps < most && m->iterations < m->most; (*steps)++) {
        if (!m->form->step(m->context))
            return false;
        m->iterations++;
        if (judge(m) <= m->tolerance)
            return true;
        double last = now;
        now = careful ? shorten(m, a, now) : m->form->look(m->context, a);
        if (now <= TRY_ENOUGH * first || m->least <= m->tolerance)
            return true;
        if (!(now <= TRY_ASTRAY * first) && *steps > 0 && !(now < last))
            return false;
    }
    return false;
}

/* The same by the convex problem, or by careful steps where there is none. */
static bool solve_safely(RgConeMethod *m, double a, int *steps)
{
    if (m->form->convex == NULL || m->careful > 0) {
        m->careful--;
        return solve_near(m, a, true, steps);
    }
    memcpy(m->centre, m->z, (size_t)m->n * sizeof *m->z);
    bool well = m->form->convex(m->context, a, steps);
    m->iterations += *steps;
    judge(m);
    return well;
}

/* Tries with whole steps as long as they go well. Where one does not, a goes back to where it did and then down more
   slowly; where that fails at once, the safe way goes on. False: that was of no avail, and the present point is where
   it began. */
static bool newton(RgConeMethod *m, Pace *pace)
{
    int wait = 0, steps = 0;
    bool went = false; /* the last try did */
    while (wanting(m)) {
        m->iterations++; /* a try is work, even if it takes no step */
        if (wait > 0) {
            double a = m->careful > 0 ? pace->whole : pace->safe;
            if (!solve_safely(m, a, &steps)) {
                go_back(m, m->centre);
                return false;
            }
            pace->safe =
                fmax(fmin(pace->safe, A_SAFE_LEAST), steps < EASY_STEPS ? A_SAFE_DOWN * pace->safe : pace->safe);
            wait--;
        } else if (solve_near(m, pace->whole, false, &steps)) {
            went = true;
            pace->down = fmax(A_DOWN, pace->down * pace->down);
            if (steps < TRY_STEPS - 1)
                pace->whole = fmax(m->a_least, pace->down * pace->whole);
        } else {
            go_back(m, m->centre);
            pace->whole = fmin(A_MOST, went ? pace->whole / pace->down : A_UP * pace->whole);
            pace->down = went ? sqrt(sqrt(pace->down)) : A_DOWN;
            wait = went ? 0 : pace->pause;
            pace->pause = went ? 1 : pace->pause < PAUSE_MOST ? pace->pause + 1 : PAUSE_MOST;
            went = false;
        }
    }
    return true;
}

bool rg_cone_method_solve(RgConeMethod *m)
{
    Pace pace = {A_FIRST, A_SAFE_FIRST, A_DOWN, 1};
    m->iterations = 0;
    m->least = INFINITY;
    judge(m);
    if (!isfinite(m->least)) /* nothing to go on from */
        return false;
    bool at_once = m->warm && m->least < NEAR;
    bool planned = at_once && wanting(m) && m->form->plan(m->context) >= 0.0;
    if (planned)
        newton(m, &pace);
    planned = (wanting(m) && sweep_while_worth(m)) || planned;
    while (planned && wanting(m) && !newton(m, &pace)) {
        pace.safe = fmin(A_MOST, A_UP * pace.safe);
        for (int k = 0; k < SWEEPS_AGAIN; k++)
            m->form->sweep(m->context);
        m->iterations += SWEEPS_AGAIN;
        judge(m);
    }
    go_back(m, m->best);
    return m->least <= m->tolerance;
}
