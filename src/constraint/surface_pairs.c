/*
 * surface_pairs.c - what a model says about the surfaces of its shapes, and two of them as one.
 *
 * Two surfaces: kp in series, kd in parallel, of all else the smaller (experiments of paper 003); of torsion
 * and rolling the smaller of those that are given; fdir1 belongs to a body and is left to the caller.
 *
 * Most models have few surfaces that differ: what two of them make is then worked out beforehand.
 */
#include "constraint/surface_pairs.h"
#include "math/unit.h"

#include <math.h>
#include <string.h>

/* N/m: of a rigid surface (the value that SDF gives where a file says nothing); two of them have half of it. */
#define RIGID 1e12
#define RIGID_PAIR (0.499 * RIGID)
/* Kinds of surfaces whose pairs are worked out beforehand. */
#define MOST_KINDS 32

/* Of numbers that a file did not give. */
#define DEFAULT_MU 1.0
#define DEFAULT_KD 1.0         /* N s/m, of a surface that is a spring; a rigid one adds nothing */
#define DEFAULT_THRESHOLD 0.01 /* m/s */

/* Friction is taken for no more than this, so that its square times an impulse is a number. */
#define MOST_MU 1e12

static double given(double number, double otherwise)
{
    return number >= 0.0 ? number : otherwise;
}

RgSurfaceDef rg_surface_of(const RgModel *m, int shape)
{
    const RgShapeDef *def = &m->shapes[shape].def;
    const RgSurfaceDef *s = &def->surface;
    RgMat3 to_link = def->X_LS.R;
    RgMat3 to_body = def->link.i > 0 ? m3_mul(m->links[def->link.i - 1].X_BL.R, to_link) : to_link;
    double mu = fmin(given(s->mu, DEFAULT_MU), MOST_MU), max_vel = given(s->max_vel, INFINITY);
    double layer = m->hints.ode_surface_layer >= 0.0 ? m->hints.ode_surface_layer : 0.0;
    if (m->hints.ode_max_correcting_vel >= 0.0)
        max_vel = fmin(max_vel, m->hints.ode_max_correcting_vel);
    bool aimed = v3_finite(s->fdir1);
    return (RgSurfaceDef){.mu = mu,
                          .mu2 = fmin(given(s->mu2, mu), MOST_MU),
                          .fdir1 = aimed ? m3_apply(to_body, s->fdir1) : v3_zero(),
                          .slip1 = given(s->slip1, 0.0),
                          .slip2 = given(s->slip2, 0.0),
                          .restitution = given(s->restitution, 0.0),
                          .restitution_threshold = given(s->restitution_threshold, DEFAULT_THRESHOLD),
                          .kp = given(s->kp, RIGID),
                          .kd = given(s->kd, s->kp >= 0.0 ? DEFAULT_KD : 0.0),
                          .max_vel = max_vel,
                          .min_depth = given(s->min_depth, layer),
                          .torsional = given(s->torsional, NAN),
                          .rolling = given(s->rolling, NAN),
                          .torsional_depth = given(s->torsional_depth, NAN),
                          .torsional_slip = given(s->torsional_slip, 0.0)};
}

/* The smaller of those that are given; none: 0. */
static double agreed(double a, double b)
{
    return isnan(a) ? given(b, 0.0) : isnan(b) ? a : d_min(a, b);
}

/* fdir1 apart, which belongs to a body. */
static RgSurfaceDef surface_pair(const RgSurfaceDef *x, const RgSurfaceDef *y)
{
    RgSurfaceDef a = *x, b = *y;
    double kp = 1.0 / (1.0 / a.kp + 1.0 / b.kp);
    return (RgSurfaceDef){.mu = d_min(a.mu, b.mu),
                          .mu2 = d_min(a.mu2, b.mu2),
                          .slip1 = d_min(a.slip1, b.slip1),
                          .slip2 = d_min(a.slip2, b.slip2),
                          .restitution = d_min(a.restitution, b.restitution),
                          .restitution_threshold = d_min(a.restitution_threshold, b.restitution_threshold),
                          .kp = kp,
                          .kd = a.kd + b.kd,
                          .max_vel = d_min(a.max_vel, b.max_vel),
                          .min_depth = d_min(a.min_depth, b.min_depth),
                          .torsional = agreed(a.torsional, b.torsional),
                          .rolling = agreed(a.rolling, b.rolling),
                          .torsional_depth = agreed(a.torsional_depth, b.torsional_depth),
                          .torsional_slip = d_min(a.torsional_slip, b.torsional_slip)};
}

static bool splits(const RgSurfaceDef *s)
{
    return s->mu != s->mu2 || s->slip1 != s->slip2;
}

static bool turns(const RgSurfaceDef *s)
{
    return s->torsional > 0.0 || s->rolling > 0.0 || s->torsional_depth > 0.0;
}

/* Numbers the kinds of surfaces. False: there are too many. */
static bool number_kinds(RgSurfaces *s, int nshapes, int first[MOST_KINDS])
{
    for (int i = 0; i < nshapes; i++) {
        int32_t kind = 0;
        while (kind < s->nkinds && memcmp(&s->of_shape[first[kind]], &s->of_shape[i], sizeof *s->of_shape) != 0)
            kind++;
        if (kind == MOST_KINDS)
            return false;
        if (kind == s->nkinds)
            first[s->nkinds++] = i;
        s->kind[i] = kind;
    }
    return true;
}

bool rg_surfaces_take(RgArena *arena, const RgModel *model, RgSurfaces *out)
{
    int first[MOST_KINDS] = {0};
    *out = (RgSurfaces){.of_shape = RG_TAKE(arena, RgSurfaceDef, model->nshapes),
                        .kind = RG_TAKE(arena, int32_t, model->nshapes)};
    if (arena->failed)
        return false;
    for (int i = 0; i < model->nshapes; i++) {
        out->of_shape[i] = rg_surface_of(model, i);
        out->splits = out->splits || splits(&out->of_shape[i]);
        out->turns = out->turns || turns(&out->of_shape[i]);
    }
    if (!number_kinds(out, model->nshapes, first))
        return true;
    out->pair = RG_TAKE(arena, RgSurfaceDef, (size_t)out->nkinds * (size_t)out->nkinds);
    for (int32_t a = 0; a < out->nkinds && !arena->failed; a++)
        for (int32_t b = 0; b < out->nkinds; b++)
            out->pair[a * out->nkinds + b] = surface_pair(&out->of_shape[first[a]], &out->of_shape[first[b]]);
    return !arena->failed;
}

const RgSurfaceDef *rg_surface_at(const RgSurfaces *surfaces, RgShapeId shape)
{
    return &surfaces->of_shape[shape.i - 1];
}

const RgSurfaceDef *rg_surface_pair(const RgSurfaces *s, RgShapeId a, RgShapeId b, RgSurfaceDef *spare)
{
    if (s->pair != NULL)
        return &s->pair[s->kind[a.i - 1] * s->nkinds + s->kind[b.i - 1]];
    *spare = surface_pair(&s->of_shape[a.i - 1], &s->of_shape[b.i - 1]);
    return spare;
}

bool rg_surface_rigid(const RgSurfaceDef *pair)
{
    return pair->kp >= RIGID_PAIR;
}
