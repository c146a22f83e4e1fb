/* contact_law.c - see contact_law.h, where the law is stated. */
#include "constraint/contact_law.h"

#include "math/unit.h"

#include <math.h>

/* Part of the thinner shape by which an impact that is passed on may sink in: faster bodies are caught there and bounce
   from the approach that is left, so nothing comes near the far side of a wall. */
#define SINK_PART 0.2

bool rg_pair_law(const RgContactLaw *law, const RgSurfaceDef *s, double h, double thin, RgPairLaw *out)
{
    double stiff = h * s->kp + s->kd;
    bool rigid = rg_surface_rigid(s);
    *out = (RgPairLaw){.law = law,
                       .surface = s,
                       .h = h,
                       .rigid = rigid,
                       .share = rigid ? law->contact_erp : h * s->kp / stiff,
                       .compliance = rigid ? law->cfm / h : 1.0 / (h * stiff),
                       .sink = isfinite(thin) ? SINK_PART * thin : 0.0};
    return stiff > 0.0;
}

/* What of a small gap or depth a a step removes, by the share b. */
static double followed(double b, double soft, double a)
{
    return soft > 0.0 ? b * a * a / (a + soft) : b * a;
}

double rg_gap_closing(const RgContactLaw *law, double g)
{
    if (g < 0.0)
        return -followed(law->contact_erp, law->soft_length, -g);
    double small = d_min(g, law->near_gap);
    return followed(law->contact_erp, law->soft_length, small) + (g - small);
}

/* Gap closing and correction of overlaps. */
static RgPointLaw gap_law(const RgPairLaw *p, double g)
{
    const RgContactLaw *law = p->law;
    if (g >= 0.0) {
        double target = -(p->rigid ? rg_gap_closing(law, g) : g) / p->h;
        return (RgPointLaw){.target = target, .position = target};
    }
    double depth = d_max(-g - p->surface->min_depth, 0.0), max_vel = p->surface->max_vel;
    double removed = followed(p->share, p->rigid ? law->soft_length : 0.0, depth);
    double whole = d_min(removed / p->h, law->max_correcting_velocity);
    double kept = d_min(whole, law->split_impulse ? d_min(max_vel, law->split_velocity) : max_vel);
    return (RgPointLaw){
        .target = kept, .position = law->split_impulse ? whole : kept, .correction = p->rigid ? kept : 0.0};
}

/* Whether an impact elsewhere may be passed on through gap g. Whatever crosses g within h is faster than g / h: above the
   threshold, so it does bounce. Gaps below near_gap, those of what rests, are kept. */
static bool passes_on(const RgPairLaw *p, double g)
{
    return p->rigid && rg_pair_bounces(p) && g > p->law->near_gap &&
           g > p->surface->restitution_threshold * p->h;
}

bool rg_point_asks_free(const RgPairLaw *p, const RgPointMotion *m)
{
    return rg_pair_bounces(p) && (m->approach > p->surface->restitution_threshold || passes_on(p, m->gap));
}

RgPointLaw rg_point_law(const RgPairLaw *p, const RgPointMotion *m, const double *wanted)
{
    const RgSurfaceDef *s = p->surface;
    RgPointLaw out =
        wanted != NULL ? (RgPointLaw){.target = *wanted, .position = *wanted} : gap_law(p, m->gap);
    out.soft = !p->rigid;
    if (!rg_pair_bounces(p))
        return out;
    bool closes = m->approach_free > -out.target;
    if (!closes && wanted == NULL && passes_on(p, m->gap))
        out.target = out.position = -(m->gap + p->sink) / p->h;
    if (!closes || !(m->approach > s->restitution_threshold))
        return out;
    if (p->law->restitution == RG_RESTITUTION_POISSON) {
        out.restitution = s->restitution;
        out.target = out.correction = 0.0;
        out.position = d_max(out.position, 0.0);
        return out;
    }
    double slowed = p->smooth ? m->approach_free - m->approach : 0.0;
    double bounce = s->restitution * m->approach - slowed;
    if (!(bounce > 0.0))
        return out;
    if (bounce > out.target) {
        out.bounce = out.target = bounce;
        out.correction = 0.0;
    }
    out.position = d_max(out.position, bounce);
    return out;
}
