/* contact_law.c - implementation of the contact law in contact_law.h. */
#include "constraint/contact_law.h"

#include "math/unit.h"

#include <math.h>

/* Part of the thinner shape by which a transmitted impact may sink in. A body that gets deeper than that starts the
   next step with an overlap and bounces with its remaining approach velocity, well before the far side of a wall. */
#define SINK_FRACTION 0.2

/* Deep overlaps: DEEP_LENGTH: length over which the share rises to deep_erp; DEEP_WEIGHT_PART: alpha, the largest for
   which nothing is thrown at any h; DEEP_MAX_VEL: bound of the velocity. Tuned on S3j: with 1 mm and a share that rises
   as r imprecisely placed walls drifted by millimetres; without the bound bodies that start at the same place reached 5
   m/s. */
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
                       .sink = isfinite(thin) ? SINK_FRACTION * thin : 0.0};
    return stiff > 0.0;
}

/* Part of a small gap or depth a that a step removes, by the share b. */
static double removed_length(double b, double soft, double a)
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
    double within = p->sink > 0.0 ? d_max(0.0, d_min(1.0, 2.0 - SINK_FRACTION * depth / p->sink)) : 1.0;
    return within * d_min(law->deep_erp * depth * r * r / p->h, d_min(by_weight, DEEP_MAX_VEL));
}

/* Velocity at which an overlap of rigid surfaces opens: of the motion, and the part of it that stays in the
   velocities. */
typedef struct CorrectionVelocity {
    double motion, velocity;
} CorrectionVelocity;

static CorrectionVelocity bounded_correction(const RgPairLaw *p, double share_velocity, double deep)
{
    const RgContactLaw *law = p->law;
    double motion = d_min(d_max(share_velocity, deep), law->max_correcting_velocity);
    double bound = p->surface->max_vel;
    if (bound == INFINITY && p->rigid)
        bound = d_max(law->rigid_max_vel, deep);
    return (CorrectionVelocity){motion, d_min(motion, law->split_impulse ? d_min(bound, law->split_velocity) : bound)};
}

static CorrectionVelocity rigid_correction(const RgPairLaw *p, double depth)
{
    const RgContactLaw *law = p->law;
    return bounded_correction(p, removed_length(law->contact_erp, law->soft_length, depth) / p->h,
                              deep_velocity(p, depth));
}

double rg_gap_closing(const RgPairLaw *p, double g)
{
    const RgContactLaw *law = p->law;
    if (g < 0.0)
        return -p->h * rigid_correction(p, -g).velocity;
    double small = d_min(g, law->near_gap);
    return removed_length(law->contact_erp, law->soft_length, small) + (g - small);
}

/* Part of the correction that remains where joints demand the approach velocity `pull`: 0 once the joints close the
   overlap as fast as contacts open it. Robot joints with a remaining error of 0.01 mm reduce the correction by 2 % at
   steps of 1 ms. */
static double correction_factor(const RgPairLaw *p, double pull)
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
    CorrectionVelocity c = p->rigid ? rigid_correction(p, depth) : bounded_correction(p, p->share * depth / p->h, 0.0);
    if (p->rigid) {
        c.motion *= correction_factor(p, pull);
        c.velocity *= correction_factor(p, pull);
    }
    return (RgPointLaw){.target = c.velocity,
                        .position = p->law->split_impulse ? c.motion : c.velocity,
                        .correction = p->rigid ? c.velocity : 0.0};
}

/* Whether an impact elsewhere may be transmitted through gap g. A body that crosses g within h is faster than g / h,
   hence above the threshold: it bounces. Gaps below near_gap, those of resting contacts, never transmit. */
static bool transmits_impact(const RgPairLaw *p, double g)
{
    return p->rigid && rg_pair_bounces(p) && g > p->law->near_gap && g > p->surface->restitution_threshold * p->h;
}

bool rg_point_asks_free(const RgPairLaw *p, const RgPointMotion *m)
{
    return rg_pair_bounces(p) && (m->approach > p->surface->restitution_threshold || transmits_impact(p, m->gap));
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
    if (!closes && wanted == NULL && transmits_impact(p, m->gap))
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
