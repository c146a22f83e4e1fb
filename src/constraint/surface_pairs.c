/*
 * surface_pairs.c - surfaces of a model's shapes, and the combination of two surfaces.
 *
 * Combination: kp in series, kd in parallel, the smaller of all other numbers (experiments of paper 003); for torsion
 * and rolling the smaller of the given ones; fdir1 belongs to a body and is left to the caller.
 *
 * Most models have few different surfaces: then the combinations are precomputed.
 */
#include "constraint/surface_pairs.h"
#include "math/unit.h"

#include <math.h>
#include <string.h>

/* N/m: stiffness of a rigid surface (the default of SDF); a pair of them has half of it. */
#define RIGID_KP 1e12
#define RIGID_PAIR_KP (0.499 * RIGID_KP)
/* Maximum number of kinds of surfaces whose pairs are precomputed; bounds the table to 1,024 pairs. */
#define MAX_KINDS 32

/* Defaults of missing numbers. */
#define DEFAULT_MU 1.0
#define DEFAULT_KD 1.0         /* N s/m, of a surface that is a spring; a rigid one has no damping */
#define DEFAULT_THRESHOLD 0.01 /* m/s */

/* Upper bound of friction coefficients, so that their square times an impulse is finite. */
#define MAX_MU 1e12

static double value_or(double number, double otherwise)
{
    return number >= 0.0 ? number : otherwise;
}

RgSurfaceDef rg_surface_of(const RgModel *m, int shape)
{
    const RgShapeDef *def = &m->shapes[shape].def;
    const RgSurfaceDef *s = &def->surface;
    RgMat3 to_link = def->X_LS.R;
    RgMat3 to_body = def->link.i > 0 ? m3_mul(m->links[def->link.i - 1].X_BL.R, to_link) : to_link;
    double mu = fmin(value_or(s->mu, DEFAULT_MU), MAX_MU), max_vel = value_or(s->max_vel, INFINITY);
    double layer = m->hints.ode_surface_layer >= 0.0 ? m->hints.ode_surface_layer : 0.0;
    if (m->hints.ode_max_correcting_vel >= 0.0)
        max_vel = fmin(max_vel, m->hints.ode_max_correcting_vel);
    bool has_direction = v3_finite(s->fdir1);
    return (RgSurfaceDef){.mu = mu,
                          .mu2 = fmin(value_or(s->mu2, mu), MAX_MU),
                          .fdir1 = has_direction ? m3_apply(to_body, s->fdir1) : v3_zero(),
                          .slip1 = value_or(s->slip1, 0.0),
                          .slip2 = value_or(s->slip2, 0.0),
                          .restitution = value_or(s->restitution, 0.0),
                          .restitution_threshold = value_or(s->restitution_threshold, DEFAULT_THRESHOLD),
                          .kp = value_or(s->kp, RIGID_KP),
                          .kd = value_or(s->kd, s->kp >= 0.0 ? DEFAULT_KD : 0.0),
                          .max_vel = max_vel,
                          .min_depth = value_or(s->min_depth, layer),
                          .torsional = value_or(s->torsional, NAN),
                          .rolling = value_or(s->rolling, NAN),
                          .torsional_depth = value_or(s->torsional_depth, NAN),
                          .torsional_slip = value_or(s->torsional_slip, 0.0)};
}

/* The smaller of the given numbers; 0 if none is given. */
static double smaller_given(double a, double b)
{
    return isnan(a) ? value_or(b, 0.0) : isnan(b) ? a : d_min(a, b);
}

/* Combines two surfaces, without fdir1, which belongs to a body. */
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
                          .torsional = smaller_given(a.torsional, b.torsional),
                          .rolling = smaller_given(a.rolling, b.rolling),
                          .torsional_depth = smaller_given(a.torsional_depth, b.torsional_depth),
                          .torsional_slip = d_min(a.torsional_slip, b.torsional_slip)};
}

static bool is_anisotropic(const RgSurfaceDef *s)
{
    return s->mu != s->mu2 || s->slip1 != s->slip2;
}

static bool has_turning_friction(const RgSurfaceDef *s)
{
    return s->torsional > 0.0 || s->rolling > 0.0 || s->torsional_depth > 0.0;
}

/* Numbers the kinds of surfaces. Returns false if there are too many. */
static bool number_kinds(RgSurfaces *s, int nshapes, int first[MAX_KINDS])
{
    for (int i = 0; i < nshapes; i++) {
        int32_t kind = 0;
        while (kind < s->nkinds && memcmp(&s->of_shape[first[kind]], &s->of_shape[i], sizeof *s->of_shape) != 0)
            kind++;
        if (kind == MAX_KINDS)
            return false;
        if (kind == s->nkinds)
            first[s->nkinds++] = i;
        s->kind[i] = kind;
    }
    return true;
}

bool rg_surfaces_alloc(RgArena *arena, const RgModel *model, RgSurfaces *out)
{
    int first[MAX_KINDS] = {0};
    *out = (RgSurfaces){.of_shape = RG_ARENA_ALLOC(arena, RgSurfaceDef, model->nshapes),
                        .kind = RG_ARENA_ALLOC(arena, int32_t, model->nshapes)};
    if (arena->failed)
        return false;
    for (int i = 0; i < model->nshapes; i++) {
        out->of_shape[i] = rg_surface_of(model, i);
        out->splits = out->splits || is_anisotropic(&out->of_shape[i]);
        out->turns = out->turns || has_turning_friction(&out->of_shape[i]);
    }
    if (!number_kinds(out, model->nshapes, first))
        return true;
    out->pair = RG_ARENA_ALLOC(arena, RgSurfaceDef, (size_t)out->nkinds * (size_t)out->nkinds);
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
    return pair->kp >= RIGID_PAIR_KP;
}
