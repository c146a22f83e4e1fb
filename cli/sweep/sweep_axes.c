/*
 * sweep_axes.c - the values of a run: combinations and draws.
 *
 * In the order of runs the first axis changes slowest, the seed fastest. A draw depends on the seed and the key only, so
 * all combinations of the other axes have the same draws, and any process can compute any run:
 *
 *   u = mix(seed, name of the key) / 2^53  in (0, 1)
 *   uniform a + u (b - a)      log-uniform a (b/a)^u      normal a + b Phi^-1(u)      choice floor(u n)
 *
 * mix: FNV-1a over the name, then the finaliser of SplitMix64 (Steele, Lea, Flood 2014). Phi^-1 is Wichura's AS 241
 * (1988), accurate to 1e-16.
 */
#include "sweep/sweep.h"

#include "io/data_folder.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ numbers drawn */

static uint64_t mix(uint64_t x)
{
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* A number in (0, 1), ends excluded. */
static double draw_unit(long long seed, const char *name)
{
    uint64_t hash = rg_mark_bytes(RG_MARK_START, name, strlen(name));
    uint64_t bits = mix(mix((uint64_t)seed + UINT64_C(0x9e3779b97f4a7c15)) ^ mix(hash));
    return ((double)(bits >> 12) + 0.5) * 0x1p-52;
}

/* Ratio of two polynomials of degree 7, coefficients from the highest. */
static double ratio(const double p[8], const double q[8], double r)
{
    double a = p[0], b = q[0];
    for (int i = 1; i < 8; i++) {
        a = a * r + p[i];
        b = b * r + q[i];
    }
    return a / b;
}

/* Phi^-1 of u in (0, 1). */
static double normal_quantile(double u)
{
    static const double a[8] = {2509.0809287301226727, 33430.575583588128105, 67265.770927008700853,
                                45921.953931549871457, 13731.693765509461125, 1971.5909503065514427,
                                133.14166789178437745, 3.387132872796366608};
    static const double b[8] = {
        5226.495278852545925,  28729.085735721942674, 39307.89580009271061,  21213.794301586595867,
        5394.1960214247511077, 687.1870074920579083,  42.313330701600911252, 1.0};
    static const double c[8] = {7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177,
                                1.27045825245236838258,   3.64784832476320460504,   5.7694972214606914055,
                                4.6303378461565452959,    1.42343711074968357734};
    static const double d[8] = {
        1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966, 0.14810397642748007459,
        0.68976733498510000455,    1.6763848301838038494,   2.05319162663775882187,   1.0};
    static const double e[8] = {2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386,
                                0.026532189526576123093,   0.29656057182850489123,    1.7848265399172913358,
                                5.4637849111641143699,     6.6579046435011037772};
    static const double f[8] = {
        2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4,
        0.0148753612908506148525,   0.13692988092273580531,   0.59983220655588793769,   1.0};
    double q = u - 0.5;
    if (fabs(q) <= 0.425)
        return q * ratio(a, b, 0.180625 - q * q);
    double r = sqrt(-log(q < 0.0 ? u : 1.0 - u));
    double x = r <= 5.0 ? ratio(c, d, r - 1.6) : ratio(e, f, r - 5.0);
    return q < 0.0 ? -x : x;
}

static double draw_number(const RgSweepAxis *axis, double u)
{
    if (axis->draw == RG_DRAW_NORMAL)
        return axis->a + axis->b * normal_quantile(u);
    if (axis->draw == RG_DRAW_LOG_UNIFORM)
        return fmin(fmax(axis->a * pow(axis->b / axis->a, u), axis->a), axis->b);
    return fmin(axis->a + u * (axis->b - axis->a), axis->b);
}

/* ------------------------------------------------------------------ combinations */

static bool is_crossed(const RgSweepAxis *axis)
{
    return axis->draw == RG_DRAW_NONE;
}

long long rg_sweep_count(const RgSweepPlan *s)
{
    double estimate = s->nseeds;
    long long count = s->nseeds;
    for (int i = 0; i < s->naxes; i++)
        if (is_crossed(&s->axes[i])) {
            estimate *= s->axes[i].nvalues;
            count = estimate < 1e15 ? count * s->axes[i].nvalues : -1;
        }
    return estimate < 1e15 ? count : -1;
}

long long rg_sweep_seed(const RgSweepPlan *s, long long run)
{
    return s->seeds ? s->seeds[run % s->nseeds] : 1;
}

/* Index of an axis' value in a run. */
static int index_of(const RgSweepPlan *s, long long run, int axis)
{
    const RgSweepAxis *a = &s->axes[axis];
    if (a->draw == RG_DRAW_CHOICE) {
        int i = (int)(draw_unit(rg_sweep_seed(s, run), a->keys[0]) * a->nvalues);
        return i < a->nvalues ? i : a->nvalues - 1;
    }
    long long rest = run / s->nseeds;
    for (int i = s->naxes - 1; i > axis; i--)
        rest /= is_crossed(&s->axes[i]) ? s->axes[i].nvalues : 1;
    return (int)(rest % a->nvalues);
}

RgSweepValue rg_sweep_value(const RgSweepPlan *s, long long run, int axis, int key)
{
    const RgSweepAxis *a = &s->axes[axis];
    if (a->nvalues > 0)
        return a->values[index_of(s, run, axis) * a->nkeys + key];
    return (RgSweepValue){.number = draw_number(a, draw_unit(rg_sweep_seed(s, run), a->keys[key]))};
}

/* ------------------------------------------------------------------ into the run file */

static bool set_path(RgSweepPlan *s, RgYaml *yaml, const RgSweepAxis *axis, const char *path, const RgYamlValue *value)
{
    RgYamlValue there = *value;
    there.line = axis->at.line;
    there.column = axis->at.column;
    if (rg_yaml_set(yaml, path, &there))
        return true;
    snprintf(yaml->error->file, sizeof yaml->error->file, "%s", axis->at.line > 0 ? s->path : "--set");
    yaml->error->line = axis->at.line;
    yaml->error->column = axis->at.column;
    return false;
}

/* Sets the values of a case, in order. */
static bool set_case(RgSweepPlan *s, RgYaml *yaml, const RgSweepAxis *axis, const yaml_node_t *map)
{
    bool good = true;
    for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top && good; p++) {
        const yaml_node_t *key = yaml_document_get_node(&s->yaml.document, p->key);
        RgYamlValue set = {.from = &s->yaml, .node = yaml_document_get_node(&s->yaml.document, p->value)};
        good = set_path(s, yaml, axis, (const char *)key->data.scalar.value, &set);
    }
    return good;
}

static bool set_value(RgSweepPlan *s, RgYaml *yaml, const RgSweepAxis *axis, int key, RgSweepValue value)
{
    if (axis->cases && value.node)
        return set_case(s, yaml, axis, value.node);
    char text[32];
    snprintf(text, sizeof text, "%.17g", value.number);
    RgYamlValue set = {.from = !value.node  ? NULL
                               : value.from ? value.from
                                            : &s->yaml,
                       .node = value.node,
                       .text = text,
                       .how = axis->how};
    return set_path(s, yaml, axis, axis->keys[key], &set);
}

/* Sets the value of an axis, unless another axis is tried alone. */
static bool set_axis(const RgSweepEdit *e, RgYaml *yaml, int axis)
{
    RgSweepPlan *s = e->sweep;
    const RgSweepAxis *a = &s->axes[axis];
    bool good = true;
    if (e->alone && e->alone != a)
        return true;
    for (int k = 0; k < a->nkeys && good; k++) {
        bool given = e->alone && a->nvalues > 0;
        RgSweepValue value = given ? a->values[e->value * a->nkeys + k] : rg_sweep_value(s, e->run, axis, k);
        good = set_value(s, yaml, a, k, value);
    }
    return good;
}

bool rg_sweep_edit(struct RgYaml *yaml, void *context)
{
    const RgSweepEdit *e = context;
    RgSweepPlan *s = e->sweep;
    bool good = true;
    for (int i = 0; i < s->nsets && good; i++)
        good = set_value(s, yaml, &s->sets[i], 0, s->sets[i].values[0]);
    for (int i = 0; e->run >= 0 && i < s->naxes && good; i++)
        good = set_axis(e, yaml, i);
    if (good && s->search.key && !isnan(e->found)) {
        RgSweepAxis axis = {.keys = &s->search.key, .nkeys = 1, .at = s->search.at};
        good = set_value(s, yaml, &axis, 0, (RgSweepValue){.number = e->found});
    }
    return good;
}
