/*
 * contact_law.h - the law of a contact point, the same for every solver, stepper and coordinate form.
 *
 * Per point of a pair of surfaces, with gap g (negative: overlap), step h, normal velocity w at the end of the step
 * and normal impulse n:
 *
 *   0 <= n,   w + C n >= target,   one of them an equation
 *
 * Of a small gap or overlap of length a one step removes f(a) = b a^2 / (a + soft_length), b the share
 * RgContactLaw.contact_erp:
 *
 *   gap closing    g >= 0:  target = -(f(min(g, near_gap)) + max(g - near_gap, 0)) / h
 *   correction     g < 0:   target = max(min(f(d) / h, rigid_max_vel), deep(d)), d = -g - min_depth, at most max_vel of
 *                           the surfaces and max_correcting_velocity; a given max_vel replaces rigid_max_vel (default
 *                           0.1 m/s: the energy of a fall of 0.5 mm)
 *   only_overlaps  g > 0:   there is no contact
 *   deep overlaps           deep(d) = min(e d r^2 / h, sqrt(2 alpha G d), 0.2 m/s), r = d / (d + 2 mm), e = deep_erp,
 *                           G = |gravity|, alpha = 1/6; 0 unless 0 < contact_erp < deep_erp; less from d = t on, 0 from
 *                           2 t on, t the root mean square half thickness of the thinner shape (0.29 of a box's): there
 *                           the normals may point the wrong way, and opposed corrections act on thin bodies as couples
 *
 * Deep overlaps, which impacts leave, open faster than those of resting contacts, but the correction does no more work
 * than the weight did while the body sank in. A contact cannot pull: a body that is pushed out with v keeps v. Along
 * v = sqrt(2 alpha G d) the deceleration v dv/dd is alpha G; along v = e d r^2 / h, where that is smaller, it is
 * (v^2 / d) (3 - 2 r) < 6 alpha G. Gravity decelerates by G. So with alpha <= 1/6 a body that stands on the contact
 * stays on it, v vanishes with d, nothing is thrown upwards, and the work is m G d, the potential energy lost by
 * sinking in. A body that is pushed sideways is not decelerated by gravity and keeps at most alpha m G d. A stack of n
 * such overlaps moves its top body by n v and may throw it; the bound 0.2 m/s limits this, and the velocity of bodies
 * that start inside each other. Without gravity no overlap is deep. Below d = 1.6 mm (r^2 = contact_erp / deep_erp) the
 * ordinary correction by contact_erp is larger, so resting contacts are not affected. Other constants that were tried:
 * docs/contact.md.
 *
 *   held by joints          where joints that the solver has as rows make the points approach with p to correct their
 *                           own errors, the correction of a rigid overlap is multiplied by max(0, 1 - p /
 *                           rigid_max_vel)
 *
 * A joint that holds a body inside another contradicts the contact: no velocities satisfy both, and the sweeps end with
 * the velocities of the contact, whose rows come last. Without this rule the joint opens until the overlap is gone and
 * then throws the body back with erp error / h (1 cm in 1 ms: 2 m/s). With it contacts stop correcting once the joint
 * demands 0.1 m/s.
 *
 *   articulated bodies      the correction is target min(1, sqrt(m K)), m the mass of the lighter side with everything
 *                           that joints attach to it, K the response along the normal; 0 in a step in which the solver
 *                           cannot reach it (correction_bound.c)
 *
 *   Newton's restitution    target = e v, if the points approach with v above the threshold and would not reach the
 *                           target without contact. Methods for smooth motion subtract the flight within the step:
 *                           e v - h a, a the acceleration towards each other (RgContactAsk.smooth)
 *   Poisson's restitution   target = 0; the resulting normal impulse is applied once more, times e (contact_solve.c)
 *   transmitted impact      an open gap that does not close by itself and whose surfaces bounce: an impact elsewhere in
 *                           the same step may close it, but there is no approach velocity yet to bounce from. The
 *                           bodies may sink in by `sink`, a part of the thinner shape, and bounce in the next step:
 *                           target = -(g + sink) / h. Without this three balls in a line, the last one slightly apart,
 *                           lose energy
 *   softness                a surface with stiffness kp and damping kd (004, eq. 12) has f(a) = b a with
 *                           b = h kp / (h kp + kd), C = 1 / (h (h kp + kd)); an open gap has target -g / h.
 *                           Else C = cfm / h
 *   split impulse           (004, 5.1) velocities contain a correction of at most split_velocity, positions move with
 *                           the full correction: `position`
 *
 * Friction of a point: (a / mu1)^2 + (b / mu2)^2 <= n^2 against the sliding velocity; slip (m/s per N) is a compliance
 * C = slip / h of a tangent. Torsion and rolling of a patch with the normal impulse N: moments |m_n| <= torsional N and
 * |m_t| <= rolling N; both lengths are at most the extent of the bodies (contact_problem.c).
 */
#ifndef RIGOR_CONTACT_LAW_H
#define RIGOR_CONTACT_LAW_H

#include "constraint/surface_pairs.h"

#include <rigor/solver.h>

/* Values common to all points of a pair of shapes. */
typedef struct RgPairLaw {
    const RgContactLaw *law;
    const RgSurfaceDef *surface;
    double h;
    bool rigid;        /* no spring and damper */
    bool smooth;       /* the stepper integrates smooth motion exactly (Newton's restitution); default false */
    double gravity;    /* m/s^2, magnitude; default 0: no overlap is deep */
    double share;      /* share of an overlap or small gap that one step removes */
    double compliance; /* m/s per N s, along the normal */
    double sink;       /* m: depth to which a transmitted impact may sink in */
} RgPairLaw;

/* Motion of a point at the start of a step. The approach velocities are used only if the surfaces bounce. */
typedef struct RgPointMotion {
    double gap;           /* m */
    double approach;      /* m/s, at the start of the step */
    double approach_free; /* m/s, at the end of the step without contacts and bounded rows */
    /* m/s: approach demanded by joints that are rows, to correct their errors; used for overlaps */
    double pull;
} RgPointMotion;

typedef struct RgPointLaw {
    double target;      /* m/s: least normal velocity */
    double position;    /* m/s: the same for the motion of positions */
    double correction;  /* part of target that corrects an overlap, through velocities */
    double bounce;      /* part of target that is Newton's restitution */
    double restitution; /* Poisson's coefficient of a point that bounces; otherwise 0 */
    bool soft;          /* the surface is a spring and damper */
} RgPointLaw;

/* thin: m, half thickness of the thinner shape (rg_shape_thickness). Returns false for surfaces without stiffness and
   damping, which never push. */
bool rg_pair_law(const RgContactLaw *law, const RgSurfaceDef *surface, double h, double thin, RgPairLaw *out);

/* m: distance by which a gap of the pair, treated as rigid, may close in a step; negative: by which an overlap
   opens. */
double rg_gap_closing(const RgPairLaw *pair, double gap);

/* Whether the law of a point depends on its velocities; rg_point_asks_free: on approach_free. */
static inline bool rg_pair_bounces(const RgPairLaw *pair)
{
    return pair->surface->restitution > 0.0;
}
bool rg_point_asks_free(const RgPairLaw *pair, const RgPointMotion *motion);

/* wanted: normal velocity that the point must have at the end of the step, instead of the one by its gap; NULL: the gap
   decides. */
RgPointLaw rg_point_law(const RgPairLaw *pair, const RgPointMotion *motion, const double *wanted);

#endif
