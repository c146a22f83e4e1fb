/*
 * adaptive_rule.c - paper 000's experiment C with contacts and the way of going on as the paper has them.
 *
 *   q1 = q0 + h v0      v* = v0 + h a(q1, v0)  (semi-implicit)  or  v0 + h a(q0, v0)  (explicit)      v1 = k(v*)
 *
 * where k is the impact model at the points that touch or overlap at q1: nothing is looked at before it is reached, and overlaps
 * stay as they are. The first two are a world in which nothing touches, by `semi-implicit-000` and `euler`; k is a step of
 * 1e-9 s of a world with contacts and without correction of overlaps.
 *
 * The run goes on from Richardson's 2 x'' - x', as the paper's does, x' after one step and x'' after two halves; or from x''.
 * After the first landing the run depends on every digit, so it is repeated from starts that differ by 10 micrometres in height: a
 * difference of the forms that is smaller than that of the starts says nothing.
 */
#include "adaptive_robot.h"

#include <stdlib.h>
#include <string.h>

#define STEP 1e-3
#define MOMENT 1e-9 /* s */
#define RAISED 1e-5 /* m */
#define MOST 5000
#define ROOM 64  /* numbers of a state */
#define HEIGHT 6 /* of the base, among its positions: quaternion, x, y, z */

typedef struct State {
    double t, q[ROOM], v[ROOM];
} State;

typedef struct Machine {
    Walk smooth, impact;
    int nq, nv;
} Machine;

/* One run. */
typedef struct RuleSetup {
    bool explicit_forces;
    bool halves; /* goes on from x'' */
    bool asked;  /* efforts are not held, but asked in every evaluation */
    double raised;
} RuleSetup;

/* What came of it. */
typedef struct RuleResult {
    ErrorSummary relative;
    double error, kinetic; /* J, means */
    bool refused;
} RuleResult;

static void machine_end(Machine *m)
{
    walk_end(&m->smooth);
    walk_end(&m->impact);
}

static bool machine_begin(LocatedOut *out, const AdaptiveOptions *o, bool explicit_forces, Machine *m)
{
    WalkSetup smooth = {
        .stepper = explicit_forces ? "euler" : "semi-implicit-000", .h_min = STEP, .no_contact = true};
    WalkSetup impact = {.stepper = "euler", .h_min = STEP, .impacts = true};
    if (!walk_begin(out, o, &smooth, &m->smooth))
        return false;
    if (!walk_begin(out, o, &impact, &m->impact)) {
        walk_end(&m->smooth);
        return false;
    }
    RgModelInfo info = rg_model_info(m->smooth.model);
    m->nq = info.nq;
    m->nv = info.nv;
    if (m->nq <= ROOM && m->nv <= ROOM)
        return true;
    located_note(out, "skipped: %s: more than %d positions", o->robot, ROOM);
    machine_end(m);
    return false;
}

static void get(const Machine *m, State *s)
{
    RgWorld *world = m->smooth.world;
    s->t = rg_world_time(world);
    memcpy(s->q, rg_world_q(world), (size_t)m->nq * sizeof *s->q);
    memcpy(s->v, rg_world_v(world), (size_t)m->nv * sizeof *s->v);
}

static bool put(const Machine *m, const State *s)
{
    rg_world_set_time(m->smooth.world, s->t);
    return rg_world_set_state(m->smooth.world, s->q, s->v) == RG_OK;
}

/* Smooth step, then impact. */
static bool machine_step(Machine *m, double h, State *s)
{
    if (!put(m, s) || rg_world_step(m->smooth.world, h, NULL) != RG_OK)
        return false;
    get(m, s);
    if (rg_world_set_state(m->impact.world, s->q, s->v) != RG_OK ||
        rg_world_step(m->impact.world, MOMENT, NULL) != RG_OK)
        return false;
    memcpy(s->v, rg_world_v(m->impact.world), (size_t)m->nv * sizeof *s->v);
    return true;
}

static double kinetic_of(Machine *m, const State *s)
{
    bool good = rg_world_set_state(m->impact.world, s->q, s->v) == RG_OK;
    return good ? adaptive_kinetic(m->impact.world) : (double)NAN;
}

/* 2 x'' - x'; set_state makes quaternions units again. */
static void extrapolate(const Machine *m, const State *one, State *two)
{
    for (int i = 0; i < m->nq; i++)
        two->q[i] = 2.0 * two->q[i] - one->q[i];
    for (int i = 0; i < m->nv; i++)
        two->v[i] = 2.0 * two->v[i] - one->v[i];
}

static RuleResult measure(Machine *m, const RuleSetup *setup, int samples)
{
    static double each[MOST];
    RuleResult r = {.refused = false};
    State now = {0};
    get(m, &now);
    RgLinkId base = rg_model_find_link(m->smooth.model, "BODY0");
    now.q[rg_model_link(m->smooth.model, base).q_index + HEIGHT] += setup->raised;
    int k = 0;
    for (; k < samples && !r.refused; k++) {
        State one = now, two = now;
        r.refused = !put(m, &now);
        if (!setup->asked)
            gait_hold(m->smooth.gait, m->smooth.world);
        r.refused = r.refused || !machine_step(m, STEP, &one) || !machine_step(m, 0.5 * STEP, &two) ||
                    !machine_step(m, 0.5 * STEP, &two);
        double first = kinetic_of(m, &one), second = kinetic_of(m, &two);
        each[k] = second > 0.0 ? fabs(first - second) / second : 0.0;
        r.error += fabs(first - second) / samples;
        r.kinetic += second / samples;
        now = two;
        if (!setup->halves)
            extrapolate(m, &one, &now);
    }
    r.relative = adaptive_summary(each, k);
    return r;
}

/* A row; its mean relative error, NaN: skipped or refused. */
static double rule_row(LocatedOut *out, const AdaptiveOptions *o, const char *name, const RuleSetup *setup)
{
    Machine m;
    if (!machine_begin(out, o, setup->explicit_forces, &m))
        return (double)NAN;
    RuleResult r = measure(&m, setup, o->quick ? 600 : MOST);
    machine_end(&m);
    if (r.refused) {
        located_note(out, "%s: refused", name);
        return (double)NAN;
    }
    located_row(out, (LocatedCell[]){cell_text(name), cell(1e6 * setup->raised), cell(r.error),
                                     cell(r.kinetic), cell(r.relative.mean), cell(r.relative.median),
                                     cell(r.relative.above), cell(r.relative.share)});
    return r.relative.mean;
}

static void published(LocatedOut *out)
{
    double none = (double)NAN;
    located_row(out, (LocatedCell[]){cell_text("explicit, published"), cell(none), cell(1.2306e-4),
                                     cell(0.13494), cell(0.77389), cell(none), cell(none), cell(none)});
    located_row(out, (LocatedCell[]){cell_text("semi-implicit, publ."), cell(none), cell(1.5029e-4),
                                     cell(0.12875), cell(1.3904), cell(none), cell(none), cell(none)});
}

bool adaptive_rule(LocatedOut *out, const AdaptiveOptions *o)
{
    static const LocatedColumn columns[] = {{"form", "form", false},
                                            {"raised", "raised, um", false},
                                            {"error", "mean error, J", false},
                                            {"kinetic", "mean kinetic, J", false},
                                            {"relative", "mean relative, %", false},
                                            {"median", "median, %", false},
                                            {"above", "above 1 %", true},
                                            {"share", "their share, %", false}};
    located_table(out, "rule", "Error in kinetic energy of 1 ms steps, contacts as in paper 000 (000-C)",
                  columns, (int)(sizeof columns / sizeof columns[0]));
    published(out);
    int starts = o->starts > 0 ? o->starts : 4, lower = 0;
    double sum[2] = {0.0, 0.0};
    for (int i = 0; i < starts; i++) {
        double mean[2];
        for (int form = 0; form < 2; form++) {
            RuleSetup setup = {.explicit_forces = form == 0, .raised = RAISED * i};
            mean[form] = rule_row(out, o, form == 0 ? "explicit" : "semi-implicit", &setup);
            if (!isfinite(mean[form]))
                return true;
            sum[form] += mean[form] / starts;
        }
        lower += mean[0] < mean[1];
    }
    for (int form = 0; form < 2; form++)
        rule_row(out, o, form == 0 ? "explicit, from halves" : "semi-impl., from halves",
                 &(RuleSetup){.explicit_forces = form == 0, .halves = true});
    for (int form = 0; form < 2; form++)
        rule_row(out, o, form == 0 ? "explicit, not held" : "semi-implicit, not held",
                 &(RuleSetup){.explicit_forces = form == 0, .asked = true});
    located_note(out, "explicit below semi-implicit from %d of %d starts; means over starts %.3g %%, %.3g %%",
                 lower, starts, sum[0], sum[1]);
    return true;
}
