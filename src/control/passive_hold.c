/*
 * passive_hold.c - joint springs and dampers over a hold, as the steps of the world integrate them.
 *
 * A law that computes efforts for an acceleration a over a hold h must know what springs K and dampers D do meanwhile.
 * That is not -K q - D v at the sample: the velocity becomes v + h a, and a step with dampers at its end uses D (v +
 * h a). For a light joint h D is many times the inertia, and without this term only 1 / (1 + h D / I) of a would
 * result. The mean force is
 *
 *   force - stiff a,   force = -K (q + place h v) - D v,   stiff = damper + spring h^2 K
 *
 * in n = h / step steps of the world. With positions q + k s v + ..., s = h/n, at which step k = 1 ... n evaluates the
 * springs,
 *
 *                                            place           spring                   kept velocity (x = h D / I)
 *   start   of the step                      (n - 1) / 2n    (n^2 - 1) / 6n^2         1 - x/n
 *   end     of the step                      (n + 1) / 2n    (n + 1)(n + 2) / 6n^2    1 / (1 + x/n)
 *   moved   end, from the new position q     (n + 3) / 2n    the same                 the same
 *   flow    continuously                     1/2             1/6                      e^(-x/n)
 *
 * For a flow with a damper later forces count most: place = damper / (h D), which goes from 1/2 to 1, and spring from
 * 1/6 to 1.
 *
 * With r the part of a velocity kept in a step, I + damper = h D / (1 - r^n), from v1 = r^n v + (1 - r^n) tau / D. For
 * n = 1 that is damper = 0 at the start, h D at the end, for any I.
 *
 * Exact for one step per sample by steppers of type start and end. Otherwise exact for a damper at one joint with
 * I = M_ii, and of first order in h for the coupling between joints, for springs within the hold, and where located
 * steppers cut steps at contacts. Steppers "rigid" and "auto" count as flow: so they integrate without contact, and
 * their steps with contact have the same limits for small and large x (stepper/springs.c), except for springs, which
 * "rigid" evaluates halfway: an error of first order. Springs and dampers of loop joints are ignored.
 *
 * Steps of the maximal form move bodies, not joints: they end at velocities v1 for which the equation holds with an
 * additional force,
 *
 *   r = (M + stiff) (v1 - v) / h + b - tau - force
 *
 * which is found by a trial step on a copy of the state (sim/predict.c), and one RNEA. r depends on tau with a relative
 * factor of h w, w being the joint rates, so that solving a law repeatedly with it converges by that factor. If
 * positions matter, v1 is the mean velocity of the position change; in joint coordinates both are the same. Not for
 * holds of several steps, nor with loops or couplings, which controllers ignore.
 */
#include "control/passive_hold.h"

#include "dynamics/tree_dynamics.h"
#include "model/model.h"
#include "sim/world_internal.h"

#include <math.h>
#include <string.h>

#define SERIES_LIMIT 0.0625 /* up to here the series of x / (1 - e^-x) is exact to the last bit */

/* Integration of springs and dampers over the hold: see the table above. */
typedef struct Hold {
    RgPassiveTime time;
    int n; /* steps of the world */
    double h, place, spring;
} Hold;

bool rg_passive_hold_alloc(RgArena *arena, const RgModel *model, RgPassiveHold *out)
{
    out->force = RG_ARENA_ALLOC(arena, double, model->nv);
    out->stiff = RG_ARENA_ALLOC(arena, double, model->nv);
    out->v1 = RG_ARENA_ALLOC(arena, double, model->nv);
    out->needed = RG_ARENA_ALLOC(arena, double, model->nv);
    return !arena->failed;
}

/* 1 - e^-x, x > 0: for x / 2^k by the series, then g(2 x) = g (2 - g). */
static double loss_in_flow(double x)
{
    int halves = 0;
    for (; x > SERIES_LIMIT && halves < 64; halves++)
        x *= 0.5;
    double x2 = x * x;
    double g = x / (1.0 + 0.5 * x + x2 * (1.0 / 12.0 - x2 * (1.0 / 720.0 - x2 / 30240.0)));
    for (; halves > 0; halves--)
        g *= 2.0 - g;
    return g;
}

/* 1 - r^n by repeated squaring: two intervals that lose g and l together lose g + l - g l. */
static double loss_in_steps(double once, int n)
{
    double lost = 0.0;
    for (; n > 0; n /= 2) {
        if (n % 2 != 0)
            lost += once * (1.0 - lost);
        once *= 2.0 - once;
    }
    return lost;
}

/* Addition of a damper to the inertia of its joint. */
static double damper_stiffness(const Hold *hold, double damping, double inertia)
{
    double hd = hold->h * damping, n = (double)hold->n;
    if (!(damping > 0.0))
        return 0.0;
    if (hold->time == RG_PASSIVE_START && hold->n == 1)
        return 0.0;
    if (hold->n == 1 && hold->time != RG_PASSIVE_FLOW)
        return hd;
    double x = hd / (n * inertia), lost = 0.0;
    if (hold->time == RG_PASSIVE_FLOW)
        lost = loss_in_flow(x * n);
    else if (hold->time != RG_PASSIVE_START)
        lost = loss_in_steps(x / (1.0 + x), hold->n);
    else if (x < 1.0)
        lost = loss_in_steps(x, hold->n);
    else
        return 0.0; /* explicit steps oscillate */
    return hd / lost - inertia;
}

static Hold init_hold(const RgControlView *view)
{
    const RgWorld *w = view->world;
    RgPassiveTime time = w->stepper->passive;
    bool moved = time == RG_PASSIVE_MOVED, ends = moved || time == RG_PASSIVE_END;
    if (moved && w->scope.adapt.explicit_forces && w->stepper->locates)
        moved = ends = false;
    bool implicit = ends && w->scope.implicit_damping;
    double steps = view->step > 0.0 ? view->h / view->step : 1.0;
    Hold hold = {.h = view->h, .n = steps < 1.5 ? 1 : steps < 1e9 ? (int)(steps + 0.5) : 1000000000};
    double n = (double)hold.n;
    hold.time = !ends      ? time == RG_PASSIVE_MOVED ? RG_PASSIVE_START : time
                : implicit ? RG_PASSIVE_END
                           : RG_PASSIVE_START;
    hold.place = (n + (implicit ? 1.0 : -1.0) + (moved ? 2.0 : 0.0)) / (2.0 * n);
    hold.spring = implicit ? (n + 1.0) * (n + 2.0) / (6.0 * n * n) : (n * n - 1.0) / (6.0 * n * n);
    return hold;
}

RgStatus rg_passive_hold_find(const RgControlView *view, RgPassiveHold *out)
{
    const RgModel *m = view->model;
    size_t size = (size_t)m->nv * sizeof *out->stiff;
    memset(out->force, 0, size);
    memset(out->stiff, 0, size);
    if (!m->any_damping && !m->any_stiffness)
        return RG_OK;
    Hold hold = init_hold(view);
    RgStatus status = m->any_damping ? rg_mass_diagonal(view->dynamics, view->q, out->stiff) : RG_OK;
    if (status != RG_OK)
        return status;
    rg_passive_forces(view->dynamics, view->q, view->v, out->force);
    for (int k = 0; k < m->nv; k++) {
        double damper = damper_stiffness(&hold, m->damping[k], out->stiff[k]);
        if (hold.time == RG_PASSIVE_FLOW && m->damping[k] > 0.0) {
            hold.place = damper / (hold.h * m->damping[k]);
            hold.spring = (5.0 * hold.place - 2.0) / 3.0;
        } else if (hold.time == RG_PASSIVE_FLOW) {
            hold.place = 0.5;
            hold.spring = 1.0 / 6.0;
        }
        out->force[k] -= hold.place * hold.h * m->stiffness[k] * view->v[k];
        out->stiff[k] = damper + hold.spring * hold.h * hold.h * m->stiffness[k];
    }
    return RG_OK;
}

bool rg_passive_hold_predicts(const RgControlView *view)
{
    return view->one_step && view->model->nloops == 0 && view->model->ncouplings == 0 && rg_world_predicts(view->world);
}

RgStatus rg_passive_hold_predict(const RgControlView *view, RgPrediction *ask, RgPassiveHold *hold)
{
    int nv = view->model->nv;
    double *a = hold->v1;
    RgPredictAsk step = {.h = view->h, .tau = ask->tau, .mean = ask->mean};
    RgStatus status = rg_world_predict(view->world, &step, hold->v1);
    for (int i = 0; i < nv && status == RG_OK; i++)
        a[i] = (hold->v1[i] - view->v[i]) / view->h;
    if (status == RG_OK)
        status = rg_inverse_dynamics(view->dynamics, view->q, view->v, a, NULL, hold->needed);
    if (status != RG_OK)
        return status;
    ask->residual = ask->scale = 0.0;
    for (int i = 0; i < nv; i++) {
        double r = hold->needed[i] + hold->stiff[i] * a[i] - ask->tau[i] - hold->force[i];
        hold->force[i] += r;
        ask->residual = fmax(ask->residual, fabs(r));
        ask->scale = fmax(ask->scale, fmax(fabs(ask->tau[i]), fabs(hold->needed[i])));
    }
    return isfinite(ask->scale) ? RG_OK : RG_ERR_NOT_FINITE;
}
