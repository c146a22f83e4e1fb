/*
 * step_plan.c - motion of feet and centre of mass of a walk (step_plan.h).
 *
 * Foot k mod n swings in step k, to its place relative to a trunk that has made k + 1 strides (along an arc if the
 * strides turn); the last steps bring the other feet level with it. The support of a step is the middle of the standing
 * feet. Time is discretised in steps of TIME_STEP: with k = (z/g) / TIME_STEP^2 the centre of mass satisfies
 * -k c[i-1] + (1 + 2k) c[i] - k c[i+1] = p[i], c = p at both ends, solved by Thomas' algorithm; the matrix is
 * diagonally dominant, so it cannot fail. That is the bounded solution of the unstable pendulum, with a preview of
 * about sqrt(z/g) (Kajita and others, "Biped walking pattern generation by using preview control of zero-moment point",
 * 2003; there by a preview gain).
 */
#include "control/step_plan.h"

#include "math/trig.h"

#include <math.h>
#include <string.h>

#define TIME_STEP 0.005 /* s: grid of the plan */
#define REST_TIME 1.0   /* s: planned after the last step, to come to rest */

double rg_step_smooth(double s)
{
    return s <= 0.0 ? 0.0 : s >= 1.0 ? 1.0 : s * s * s * (10.0 + s * (6.0 * s - 15.0));
}

static double step_time(const RgWalk *w)
{
    return w->swing + w->both;
}

static int steps_of(const RgWalk *w)
{
    return (int)w->steps;
}

static double duration_of(const RgWalk *w)
{
    return w->settle + w->steps * step_time(w) + w->both + REST_TIME;
}

bool rg_step_plan_alloc(RgArena *arena, const RgWalk *walk, RgStepPlan *out)
{
    *out = (RgStepPlan){.room = (int)ceil(duration_of(walk) / TIME_STEP) + 3};
    out->p = RG_ARENA_ALLOC(arena, double, 2 * (size_t)out->room);
    out->c = RG_ARENA_ALLOC(arena, double, 2 * (size_t)out->room);
    out->w = RG_ARENA_ALLOC(arena, double, out->room);
    out->body = RG_ARENA_ALLOC(arena, RgFoothold, steps_of(walk) + 1);
    return !arena->failed;
}

/* ------------------------------------------------------------------ feet */

/* Index of the step at t: in progress, or the last one made; since: time since its weight shift began. -1: none yet. */
static int step_at(const RgWalk *w, double t, double *since)
{
    double k = floor((t - w->settle) / step_time(w));
    int steps = steps_of(w), step = k < 0.0 || steps == 0 ? -1 : k >= steps ? steps : (int)k;
    *since = t - w->settle - step * step_time(w);
    return step;
}

/* Number of strides of the trunk at which the foot was placed before step k; -1: it has not moved yet. */
static int strides_of(const RgStepPlan *plan, int foot, int k)
{
    int n = plan->def.nfeet, steps = steps_of(&plan->def.walk);
    int last = k - 1 - ((k - 1 - foot) % n + n) % n; /* its last swing before */
    int level = steps - n + 1;
    return last < 0 ? -1 : last + 1 > level ? (level > 0 ? level : 0) : last + 1;
}

/* Place of the foot before step k: its initial place, moved with the trunk. */
static RgFoothold foot_place(const RgStepPlan *plan, int foot, int k)
{
    const RgFoothold *first = &plan->def.first[foot];
    int strides = strides_of(plan, foot, k);
    if (strides < 0)
        return *first;
    const RgFoothold *from = &plan->body[0], *to = &plan->body[strides];
    double turn = to->yaw - from->yaw, c, s;
    rg_sincos(turn, &s, &c);
    double x = first->x - from->x, y = first->y - from->y;
    return (RgFoothold){to->x + c * x - s * y, to->y + s * x + c * y, first->yaw + turn};
}

/* Middle of the feet that stand in step k; k = -1: before the first step; k = steps: after the last. */
static RgFoothold support_centre(const RgStepPlan *plan, int k)
{
    int n = plan->def.nfeet, steps = steps_of(&plan->def.walk), stand = 0;
    int before = k < 0 ? 0 : k < steps ? k : steps, swinging = k < 0 || k >= steps ? -1 : k % n;
    RgFoothold sum = {0.0, 0.0, 0.0};
    for (int i = 0; i < n; i++) {
        if (i == swinging)
            continue;
        RgFoothold at = foot_place(plan, i, before);
        sum.x += at.x;
        sum.y += at.y;
        stand++;
    }
    return (RgFoothold){sum.x / stand, sum.y / stand, 0.0};
}

/* Adds the circle of the sway to p; its radius grows smoothly within one second. */
static RgFoothold add_sway(const RgWalk *w, RgFoothold p, double t)
{
    double r = w->sway_period > 0.0 ? w->sway * rg_step_smooth(t) : 0.0;
    double angle = r > 0.0 ? 2.0 * RG_PI * t / w->sway_period : 0.0;
    double c, s;
    rg_sincos(angle, &s, &c);
    return (RgFoothold){p.x + r * c, p.y + r * s, 0.0};
}

static RgFoothold support_at(const RgStepPlan *plan, double t)
{
    double since;
    int k = step_at(&plan->def.walk, t, &since);
    if (k < 0)
        return add_sway(&plan->def.walk, support_centre(plan, -1), t);
    double s = rg_step_smooth(since / plan->def.walk.both);
    RgFoothold from = support_centre(plan, k - 1), to = support_centre(plan, k);
    return (RgFoothold){from.x + s * (to.x - from.x), from.y + s * (to.y - from.y), 0.0};
}

/* Computes the trunk after every stride: starts at the middle of the feet; a stride goes along the heading rotated by
   half of the turn. */
static void plan_trunk(RgStepPlan *plan)
{
    const RgStepPlanDef *def = &plan->def;
    RgFoothold at = {0.0, 0.0, def->heading};
    for (int i = 0; i < def->nfeet; i++) {
        at.x += def->first[i].x / def->nfeet;
        at.y += def->first[i].y / def->nfeet;
    }
    plan->body[0] = at;
    for (int k = 1; k <= steps_of(&def->walk); k++) {
        double c, s;
        rg_sincos(at.yaw + 0.5 * def->walk.turn, &s, &c);
        at.x += def->walk.stride * c;
        at.y += def->walk.stride * s;
        at.yaw += def->walk.turn;
        plan->body[k] = at;
    }
}

/* ------------------------------------------------------------------ centre of mass */

/* Solves one column (x or y) of the tridiagonal system. */
static void solve_column(const RgStepPlan *plan, int column, double k)
{
    const double *p = plan->p + column;
    double *c = plan->c + column, *w = plan->w; /* w: the eliminated entries */
    c[0] = p[0];
    w[0] = 0.0;
    for (int i = 1; i < plan->n - 1; i++) {
        double pivot = 1.0 + 2.0 * k - k * w[i - 1];
        w[i] = k / pivot;
        c[2 * i] = (p[2 * i] + k * c[2 * (i - 1)]) / pivot;
    }
    c[2 * (plan->n - 1)] = p[2 * (plan->n - 1)];
    for (int i = plan->n - 2; i > 0; i--)
        c[2 * i] += w[i] * c[2 * (i + 1)];
}

void rg_step_plan_compute(RgStepPlan *plan, const RgStepPlanDef *def)
{
    plan->def = *def;
    plan->n = plan->room;
    plan_trunk(plan);
    for (int i = 0; i < plan->n; i++) {
        RgFoothold p = support_at(plan, i * TIME_STEP);
        plan->p[2 * i] = p.x;
        plan->p[2 * i + 1] = p.y;
    }
    for (int column = 0; column < 2; column++)
        solve_column(plan, column, def->height / def->gravity / (TIME_STEP * TIME_STEP));
}

/* Sway without steps: closed-form solution, valid beyond the grid: c = middle + r / (1 + (z/g) w^2) (cos, sin). */
static bool sample_sway(const RgStepPlan *plan, double t, RgStepSample *out)
{
    const RgWalk *w = &plan->def.walk;
    if (!(w->sway_period > 0.0) || steps_of(w) > 0)
        return false;
    RgFoothold middle = support_centre(plan, -1);
    double rate = 2.0 * RG_PI / w->sway_period, r = w->sway * rg_step_smooth(t);
    double inner = r / (1.0 + plan->def.height / plan->def.gravity * rate * rate), x, y;
    rg_sincos(rate * t, &y, &x);
    out->px = middle.x + r * x;
    out->py = middle.y + r * y;
    out->cx = middle.x + inner * x;
    out->cy = middle.y + inner * y;
    out->vx = -inner * rate * y;
    out->vy = inner * rate * x;
    return true;
}

void rg_step_plan_sample(const RgStepPlan *plan, double t, RgStepSample *out)
{
    const RgWalk *w = &plan->def.walk;
    memset(out, 0, sizeof *out);

    /* Interpolate linearly on the grid; at rest beyond its end. */
    double x = fmax(t / TIME_STEP, 0.0);
    bool beyond = x >= plan->n - 1.001;
    int i = beyond ? plan->n - 2 : (int)x;
    double s = beyond ? 1.0 : x - i;
    const double *c0 = plan->c + (size_t)i * 2, *c1 = c0 + 2, *p0 = plan->p + (size_t)i * 2, *p1 = p0 + 2;
    if (!sample_sway(plan, t, out)) {
        out->cx = c0[0] + s * (c1[0] - c0[0]);
        out->cy = c0[1] + s * (c1[1] - c0[1]);
        out->vx = beyond ? 0.0 : (c1[0] - c0[0]) / TIME_STEP;
        out->vy = beyond ? 0.0 : (c1[1] - c0[1]) / TIME_STEP;
        out->px = p0[0] + s * (p1[0] - p0[0]);
        out->py = p0[1] + s * (p1[1] - p0[1]);
    }

    /* A swinging foot moves smoothly to its next place, and up and down. */
    double since;
    int n = plan->def.nfeet, steps = steps_of(w), k = step_at(w, t, &since);
    for (int foot = 0; foot < n; foot++) {
        bool swings = k >= 0 && k < steps && since > w->both && foot == k % n;
        out->stands[foot] = !swings;
        RgFoothold at = foot_place(plan, foot, k < 0 ? 0 : k);
        if (swings) {
            double part = (since - w->both) / w->swing, over = rg_step_smooth(part);
            RgFoothold to = foot_place(plan, foot, k + 1);
            at.x += over * (to.x - at.x);
            at.y += over * (to.y - at.y);
            at.yaw += over * (to.yaw - at.yaw);
            out->lift[foot] = w->lift * rg_step_smooth(2.0 * (part < 0.5 ? part : 1.0 - part));
        }
        out->foot[foot] = at;
        out->heading += (at.yaw - plan->def.first[foot].yaw) / n;
    }
    out->heading += plan->def.heading;
}
