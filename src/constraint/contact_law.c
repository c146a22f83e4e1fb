/* contact_law.c - see contact_law.h, where the law is stated. */
#include "constraint/contact_law.h"

#include "math/unit.h"

#include <math.h>

/* Part of the thinner shape by which an impact that is passed on may sink in: faster bodies are caught there and bounce
   from the approach that is left, so nothing comes near the far side of a wall. */
#define SINK_PART 0.2

/* Deep overlaps: length over which the share rises to deep_erp; alpha, the largest for which nothing is thrown at any
   h; bound. With 1 mm and a share that rises as r carelessly set walls (S3j) drifted by mm, without the bound bodies at
   one place flew at 5 m/s. */
#define DEEP_LENGTH 2e-3 /* m */
#define DEEP_WEIGHT_PART (1.0 / 6.0)
#define DEEP_MAX_VEL 0.2 /* m/s */

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

/* Velocity of the correction of deep overlaps; 0: the pair has none. */
static double deep_velocity(const RgPairLaw *p, double depth)
{
    const RgContactLaw *law = p->law;
    if (!(law->contact_erp > 0.0 && law->deep_erp > law->contact_erp))
        return 0.0;
    double r = depth / (depth + DEEP_LENGTH), by_weight = sqrt(2.0 * DEEP_WEIGHT_PART * p->gravity * depth);
    double within = p->sink > 0.0 ? d_max(0.0, d_min(1.0, 2.0 - SINK_PART * depth / p->sink)) : 1.0;
    return within * d_min(law->deep_erp * depth * r * r / p->h, d_min(by_weight, DEEP_MAX_VEL));
}

/* How fast an overlap of rigid surfaces opens: by motion, and what of it velocities keep. */
typedef struct Correction {
    double whole, kept;
} Correction;

static Correction bounded_correction(const RgPairLaw *p, double share_velocity, double deep)
{
    const RgContactLaw *law = p->law;
    double whole = d_min(d_max(share_velocity, deep), law->max_correcting_velocity);
    double bound = p->surface->max_vel;
    if (bound == INFINITY && p->rigid)
        bound = d_max(law->rigid_max_vel, deep);
    return (Correction){whole, d_min(whole, law->split_impulse ? d_min(bound, law->split_velocity) : bound)};
}

static Correction rigid_correction(const RgPairLaw *p, double depth)
{
    const RgContactLaw *law = p->law;
    return bounded_correction(p, followed(law->contact_erp, law->soft_length, depth) / p->h, deep_velocity(p, depth));
}

double rg_gap_closing(const RgPairLaw *p, double g)
{
    const RgContactLaw *law = p->law;
    if (g < 0.0)
        return -p->h * rigid_correction(p, -g).kept;
    double small = d_min(g, law->near_gap);
    return followed(law->contact_erp, law->soft_length, small) + (g - small);
}

/* Part of the correction that joints leave, which ask for the approach `pull`: none once they close the overlap as fast
   as contacts open it. Joints of a robot that sweeps leave open by 0.01 mm take 2 % of the correction at steps of 1
   ms. */
static double part_not_held(const RgPairLaw *p, double pull)
{
    return pull > 0.0 ? d_max(1.0 - pull / p->law->rigid_max_vel, 0.0) : 1.0;
}

/* Gap closing and correction of overlaps. */
static RgPointLaw gap_law(const RgPairLaw *p, double g, double pull)
{
    if (g >= 0.0) {
        double target = -(p->rigid ? rg_gap_closing(p, g) : g) / p->h;
        return (RgPointLaw){.target = target, .position = target};
    }
    double depth = d_max(-g - p->surface->min_depth, 0.0);
    Correction c = p->rigid ? rigid_correction(p, depth) : bounded_correction(p, p->share * depth / p->h, 0.0);
    if (p->rigid) {
        c.whole *= part_not_held(p, pull);
        c.kept *= part_not_held(p, pull);
    }
    return (RgPointLaw){
        .target = c.kept, .position = p->law->split_impulse ? c.whole : c.kept, .correction = p->rigid ? c.kept : 0.0};
}

/* Whether an impact elsewhere may be passed on through gap g. Whatever crosses g within h is faster than g / h: above
   the threshold, so it does bounce. Gaps below near_gap, those of what rests, are kept. */
static bool passes_on(const RgPairLaw *p, double g)
{
    return p->rigid && rg_pair_bounces(p) && g > p->law->near_gap && g > p->surface->restitution_threshold * p->h;
}

bool rg_point_asks_free(const RgPairLaw *p, const RgPointMotion *m)
{
    return rg_pair_bounces(p) && (m->approach > p->surface->restitution_threshold || passes_on(p, m->gap));
}

RgPointLaw rg_point_law(const RgPairLaw *p, const RgPointMotion *m, const double *wanted)
{
    const RgSurfaceDef *s = p->surface;
    RgPointLaw out =
        wanted != NULL ? (RgPointLaw){.target = *wanted, .position = *wanted} : gap_law(p, m->gap, m->pull);
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
