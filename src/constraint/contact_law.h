/*
 * contact_law.h - the law of a contact point, the same for every solver, stepper and coordinate form.
 *
 * Per point of a pair of surfaces, with gap g (negative: overlap), step h, normal velocity w at the end of the step
 * and normal impulse n:
 *
 *   0 <= n,   w + C n >= target,   one of them an equation
 *
 * Small gaps and overlaps are followed by the part f(a) = b a^2 / (a + soft_length) of a length a in a step, b the
 * share (RgContactLaw.contact_erp):
 *
 *   gap closing    g >= 0:  target = -(f(min(g, near_gap)) + max(g - near_gap, 0)) / h
 *   correction     g < 0:   target = max(min(f(d) / h, rigid_max_vel), deep(d)), d = -g - min_depth, at most max_vel of the
 *                           surfaces and max_correcting_velocity; a max_vel that is given takes the place of
 *                           rigid_max_vel, 0.1 m/s by default: the energy of a fall of 0.5 mm
 *   only_overlaps  g > 0:   there is no contact
 *   deep overlaps           deep(d) = min(e d r^2 / h, sqrt(2 alpha G d), 0.2 m/s), r = d / (d + 2 mm), e = deep_erp,
 *                           G = |gravity|, alpha = 1/6; 0 unless 0 < contact_erp < deep_erp; less from d = t on, 0 from
 *                           2 t on, t the root mean square half thickness of the thinner shape (0.29 of a box's): there
 *                           normals no longer say where out is, and opposed pushes lever thin bodies
 *
 * Deep overlaps, which impacts leave, open faster than those of what rests, and gain no more than sinking in had taken.
 * A contact cannot pull: a body pushed out with v flies on with v. Along v = sqrt(2 alpha G d) it slows by v dv/dd =
 * alpha G, along v = e d r^2 / h, where that is smaller, by (v^2 / d) (3 - 2 r) < 6 alpha G. Weight takes back G: with
 * alpha 1/6 or less what stands on the contact stays on it, v ends with d, nothing is thrown, and the work is m G d,
 * the height lost by sinking in. What is pushed aside, where weight does not slow it, keeps at most alpha m G d. A pile
 * of n such overlaps one on another moves its top by n v: it may be thrown; 0.2 m/s bounds that, and what bodies that
 * start within each other get. Without gravity nothing is deep. Below d = 1.6 mm (r^2 = contact_erp / deep_erp) the
 * part contact_erp is the larger: what rests is as soft as without. Other constants tried: docs/contact.md.
 *
 *   held by joints          where joints that a solver keeps as rows ask the points to approach with p, to correct their own
 *                           errors, the correction of a rigid overlap is (1 - p / rigid_max_vel) of that, or 0
 *
 * A joint that holds a body inside of something contradicts the contact: no velocities satisfy both, and sweeps end
 * with those of the contact, which were visited last. Without this the joint is opened until the overlap is gone, then
 * throws the body back with erp error / h (1 cm in 1 ms: 2 m/s). With it contacts stop correcting where the joint asks
 * for 0.1 m/s.
 *
 *   bodies that joints hold the correction is target min(1, sqrt(m K)), m the mass of the lighter side with all that
 *   joints hold to
 *                           it, K the response along the normal; 0 in a step in which that is out of reach
 *                           (correction_bound.c)
 *
 *   Newton's restitution    target = e v, if the points approach with v above the threshold and would not keep the
 *                           target without contact. Methods for smooth motion pay for the way up at once: e v - h a,
 *                           a the acceleration towards each other (RgContactAsk.smooth)
 *   Poisson's restitution   target = 0; the impulse that this takes is given once more, times e (contact_solve.c)
 *   impact passed on        a gap that is open, does not close by itself and whose surfaces bounce: an impact elsewhere
 *                           in the same step has no approach to bounce from yet. It may sink in by `sink`, a part of
 *                           the thinner shape, and bounces in the next step: target = -(g + sink) / h. Without this
 *                           three balls in a line, the last a little apart, lose energy
 *   softness                a surface with stiffness kp and damping kd (004, eq. 12) has f(a) = b a with
 *                           b = h kp / (h kp + kd), C = 1 / (h (h kp + kd)); an open gap has target -g / h.
 *                           Else C = cfm / h
 *   split impulse           (004, 5.1) velocities keep a correction of at most split_velocity, positions move with the
 *                           whole of it: `position`
 *
 * Friction of a point: (a / mu1)^2 + (b / mu2)^2 <= n^2 against the sliding velocity; slip (m/s per N) is a compliance
 * C = slip / h of a tangent. Torsion and rolling of a patch with the normal impulse N: moments |m_n| <= torsional N and
 * |m_t| <= rolling N, no longer than the bodies reach (contact_problem.c).
 */
#ifndef RIGOR_CONTACT_LAW_H
#define RIGOR_CONTACT_LAW_H

#include "constraint/surface_pairs.h"

#include <rigor/solver.h>

/* What is the same for all points of a pair of shapes. */
typedef struct RgPairLaw {
    const RgContactLaw *law;
    const RgSurfaceDef *surface;
    double h;
    bool rigid;        /* no spring and damper */
    bool smooth;       /* the step is one of a method for smooth motion; false unless set */
    double gravity;    /* m/s^2, of the world, its size; 0 unless set: no overlap is deep */
    double share;      /* of an overlap or a small gap that a step removes */
    double compliance; /* m/s per N s, along the normal */
    double sink;       /* m: depth to which an impact may be passed on */
} RgPairLaw;

/* A point at the start of a step. Velocities count only where the surfaces bounce. */
typedef struct RgPointMotion {
    double gap;           /* m */
    double approach;      /* m/s, at the start of the step */
    double approach_free; /* at its end, without contacts and bounded rows */
    double pull;          /* that joints kept as rows ask for, to correct their errors; counts for overlaps */
} RgPointMotion;

typedef struct RgPointLaw {
    double target;      /* m/s: least normal velocity */
    double position;    /* m/s: the same of the motion of positions */
    double correction;  /* part of target that corrects an overlap, through velocities */
    double bounce;      /* part of target that is Newton's restitution */
    double restitution; /* Poisson's coefficient of a point that bounces; else 0 */
    bool soft;          /* a spring and damper */
} RgPointLaw;

/* thin: m, of the thinner of the two shapes. False: surfaces without stiffness and damping, which never push. */
bool rg_pair_law(const RgContactLaw *law, const RgSurfaceDef *surface, double h, double thin, RgPairLaw *out);

/* m: by which a gap of the pair, taken for rigid, may close in a step; below 0: by which an overlap opens. */
double rg_gap_closing(const RgPairLaw *pair, double gap);

/* Whether the law of a point depends on its velocities; on approach_free. */
static inline bool rg_pair_bounces(const RgPairLaw *pair)
{
    return pair->surface->restitution > 0.0;
}
bool rg_point_asks_free(const RgPairLaw *pair, const RgPointMotion *motion);

/* wanted: normal velocity that the point shall have at the end of the step, in place of what its gap says; NULL: the
   gap decides. */
RgPointLaw rg_point_law(const RgPairLaw *pair, const RgPointMotion *motion, const double *wanted);

#endif
