/*
 * adaptive_split.c - where the error of paper 000's experiment C comes from.
 *
 * Explicit and semi-implicit steps from the same states, those of one run, each against two halves:
 *
 *   e = |E' - E''| / E''      E' after one step of h, E'' after two of h/2 (or eight of h/8: nearer to the truth)
 *
 * For smooth motion both are of order h^2, with a factor of each method. Where a foot lands within the step, e is what part of
 * the impact the one has taken and the other not yet: no matter of the method. So steps are told apart by what the feet do: by
 * the gait's plan, and by whether other feet carry load after the step than before it.
 *
 * Probes change one thing each: the run; nothing can touch; efforts are asked anew in each part, not held; all is measured
 * against eight parts; contacts are those of the plain steppers. But for the first two, parts look ahead for contacts by their
 * own length.
 */
#include "adaptive_robot.h"

#define STEP 1e-3
#define MOST 1500 /* samples: five periods of the gait */

/* One thing that is otherwise. */
typedef struct Probe {
    const char *name;
    int parts;
    bool far_run;   /* halves of the run look ahead by h */
    bool far_parts; /* those that are measured, too */
    bool no_contact, asked, plain;
} Probe;

static const Probe probes[] = {
    {"as forms has it", 2, true, true, false, false, false},
    {"its states, parts h/2", 2, true, false, false, false, false},
    {"run and parts h/2", 2, false, false, false, false, false},
    {"no contacts", 2, false, false, true, false, false},
    {"effort asked each half", 2, false, false, false, true, false},
    {"against eight parts", 8, false, false, false, false, false},
    {"plain steppers", 2, false, false, false, false, true},
};
#define NPROBES (int)(sizeof probes / sizeof probes[0])

enum { EXPLICIT, SEMI_IMPLICIT, NFORMS };

/* A step and its parts, in worlds of their own; all samples of it. */
typedef struct Pair {
    const Probe *probe;
    Walk one, many;
    double each[MOST];
    bool swings[MOST], changed[MOST];
    int count;
} Pair;

static bool pair_begin(LocatedOut *out, const AdaptiveOptions *o, int form, Pair *p)
{
    const Probe *probe = p->probe;
    WalkSetup setup = {.stepper = "advance",
                       .h_min = STEP,
                       .explicit_forces = form == EXPLICIT,
                       .no_contact = probe->no_contact};
    if (probe->plain) {
        setup.stepper = form == EXPLICIT ? "euler" : "semi-implicit-000";
        setup.explicit_forces = false;
    }
    p->count = 0;
    if (!walk_begin(out, o, &setup, &p->one))
        return false;
    if (!probe->far_parts)
        setup.h_min = STEP / probe->parts;
    if (walk_begin(out, o, &setup, &p->many))
        return true;
    walk_end(&p->one);
    return false;
}

static void pair_end(Pair *p)
{
    walk_end(&p->one);
    walk_end(&p->many);
}

/* Shapes that carry load after the last step, a bit each. */
static uint64_t loaded(RgWorld *world)
{
    const RgContactForce *forces;
    uint64_t set = 0;
    int count = rg_world_contact_forces(world, &forces);
    for (int i = 0; i < count; i++) {
        RgVec3 n = forces[i].normal, f = forces[i].force;
        if (n.x * f.x + n.y * f.y + n.z * f.z > 0.0)
            set |= UINT64_C(1) << (forces[i].shape_a.i % 64) | UINT64_C(1) << (forces[i].shape_b.i % 64);
    }
    return set;
}

/* As many equal steps as make up STEP, from a state. False: refused. */
static bool go(Walk *w, const Probe *probe, const Walk *from, int parts)
{
    if (rg_world_set_state(w->world, rg_world_q(from->world), rg_world_v(from->world)) != RG_OK)
        return false;
    rg_world_set_time(w->world, rg_world_time(from->world));
    if (!probe->asked)
        gait_hold(w->gait, w->world);
    for (int i = 0; i < parts; i++)
        if (rg_world_step(w->world, STEP / parts, NULL) != RG_OK)
            return false;
    return true;
}

/* before: the feet that carry load in that state. */
static void sample(Pair *p, const Walk *from, uint64_t before)
{
    if (!go(&p->one, p->probe, from, 1) || !go(&p->many, p->probe, from, p->probe->parts))
        return;
    double one = adaptive_kinetic(p->one.world), many = adaptive_kinetic(p->many.world);
    int k = p->count++;
    p->each[k] = many > 0.0 ? fabs(one - many) / many : 0.0;
    p->swings[k] = walk_swings(from->gait, rg_world_time(from->world));
    p->changed[k] = loaded(p->one.world) != before || loaded(p->many.world) != before;
}

/* ------------------------------------------------------------------ table */

typedef enum Kind { ALL, SWING, STANCE, CHANGED, NKINDS } Kind;

static ErrorSummary summary(const Pair *p, Kind kind)
{
    static double chosen[MOST];
    int count = 0;
    for (int k = 0; k < p->count; k++) {
        const bool is[NKINDS] = {true, p->swings[k], !p->swings[k], p->changed[k]};
        if (is[kind])
            chosen[count++] = p->each[k];
    }
    return adaptive_summary(chosen, count);
}

static void rows(LocatedOut *out, const Pair pair[NFORMS])
{
    static const char *const kinds[NKINDS] = {NULL, "  feet swing", "  all stand", "  other feet loaded"};
    for (int kind = 0; kind < NKINDS; kind++) {
        ErrorSummary a = summary(&pair[EXPLICIT], (Kind)kind), b = summary(&pair[SEMI_IMPLICIT], (Kind)kind);
        if (a.count + b.count > 0 && !(kind == CHANGED && pair[0].probe->no_contact))
            located_row(out, (LocatedCell[]){cell_text(kind == ALL ? pair[0].probe->name : kinds[kind]),
                                             cell(a.count), cell(a.mean), cell(b.mean), cell(a.median),
                                             cell(b.median), cell(a.above), cell(b.above)});
    }
}

/* The run whose states are taken: semi-implicit, by halves. */
static bool run(LocatedOut *out, const AdaptiveOptions *o, int samples, Pair pair[NFORMS])
{
    Walk w;
    WalkSetup setup = {.stepper = "advance", .h_min = pair[0].probe->far_run ? STEP : 0.5 * STEP};
    if (!walk_begin(out, o, &setup, &w))
        return false;
    bool good = true;
    for (int k = 0; k < samples && good; k++) {
        uint64_t before = loaded(w.world);
        for (int form = 0; form < NFORMS; form++)
            sample(&pair[form], &w, before);
        gait_hold(w.gait, w.world);
        for (int i = 0; i < 2 && good; i++)
            good = rg_world_step(w.world, 0.5 * STEP, NULL) == RG_OK;
    }
    walk_end(&w);
    return good;
}

bool adaptive_split(LocatedOut *out, const AdaptiveOptions *o)
{
    static const LocatedColumn columns[] = {{"probe", "probe", false},
                                            {"steps", "steps", true},
                                            {"explicit_mean", "explicit, %", false},
                                            {"semi_mean", "semi-impl., %", false},
                                            {"explicit_median", "median", false},
                                            {"semi_median", "median", false},
                                            {"explicit_above", "above 1 %", true},
                                            {"semi_above", "above 1 %", true}};
    static Pair pair[NFORMS];
    located_table(out, "split", "Error in kinetic energy of 1 ms steps from the same states (000-C)", columns,
                  (int)(sizeof columns / sizeof columns[0]));
    for (int i = 0; i < NPROBES; i++) {
        pair[EXPLICIT].probe = pair[SEMI_IMPLICIT].probe = &probes[i];
        if (!pair_begin(out, o, EXPLICIT, &pair[EXPLICIT]))
            return true;
        if (!pair_begin(out, o, SEMI_IMPLICIT, &pair[SEMI_IMPLICIT])) {
            pair_end(&pair[EXPLICIT]);
            return true;
        }
        bool ran = run(out, o, o->quick ? 300 : MOST, pair);
        rows(out, pair);
        pair_end(&pair[EXPLICIT]);
        pair_end(&pair[SEMI_IMPLICIT]);
        if (!ran)
            return false;
    }
    return true;
}
