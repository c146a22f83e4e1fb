/*
 * solver.h - the law of contacts and joints, the solvers, and their options.
 *
 * The problem of a step, the same for every solver: velocities u at the end of the step, impulses z,
 *
 *   u = u* + M^-1 J' z        w = J u + C z - target        z within its bounds, w complementary to them
 *
 * The law (RgContactLaw) defines targets, bounds and C; a solver only computes z. The choice of a solver does not
 * change the law.
 */
#ifndef RIGOR_SOLVER_H
#define RIGOR_SOLVER_H

#include <rigor/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bounds of the friction impulses (a, b) of a contact with the normal impulse n. */
typedef enum RgFriction {
    RG_FRICTION_NONE,
    RG_FRICTION_BOX,     /* |a| <= mu h, |b| <= mu2 h: mu is a force, N */
    RG_FRICTION_PYRAMID, /* |a| <= mu n, |b| <= mu2 n */
    RG_FRICTION_CONE     /* (a / mu)^2 + (b / mu2)^2 <= n^2 */
} RgFriction;

/* Restitution coefficient times: the approach velocity (Newton), or the impulse that stops the approach (Poisson). */
typedef enum RgRestitution { RG_RESTITUTION_NEWTON, RG_RESTITUTION_POISSON } RgRestitution;

/*
 * Constraint law of joints, limits and contacts, the same for every solver and both coordinate forms. With step h, gap
 * g (overlap -g), e = contact_erp and f(a) = e a^2 / (a + soft_length), the least normal velocity after a step is
 *
 *   g >= 0   -(f(min(g, near_gap)) + max(g - near_gap, 0)) / h
 *   g <  0   max(min(f(d) / h, rigid_max_vel), deep(d)),   d = -g - min_depth
 *            deep(d) = min(deep_erp d r^2 / h, sqrt(|gravity| d / 3), 0.2 m/s),   r = d / (d + 2 mm)
 *            bounded by max_correcting_velocity and by max_vel of the surfaces, which replaces rigid_max_vel if given
 *
 * or the velocity of a bounce. If the solver keeps joints as rows, and their error corrections pull the bodies of an
 * overlap together with the velocity p, the overlap's target is multiplied by max(1 - p / rigid_max_vel, 0). Joint
 * limits follow the same law with their own gap, f(a) = e a, and max_joint_correction. Joints, loops and couplings that
 * are rows have the target -erp error / h, bounded by max_joint_correction except for tree joints.
 *
 * Solver "quick" eliminates joints and loops exactly and ignores erp and inertia_ratio. It supports friction cones (or
 * none) only, and always starts from all of the last step's impulses.
 */
typedef struct RgContactLaw {
    uint32_t cookie;

    /* Part of a position error that one step corrects: of joints and loops (default 0.2); of overlaps and limits
       (default 0.02; large values keep piles rocking). */
    double erp, contact_erp;
    /* contact_erp of overlaps of 2 mm and more, as long as the bodies' weight can stop them within the overlap; default
       0.1. contact_erp at any depth if deep_erp <= contact_erp or contact_erp = 0. */
    double deep_erp;
    double max_correcting_velocity; /* m/s, of overlaps; default inf: only the bound of the surfaces */
    /* rad/s and m/s: largest correcting velocity of limits, loops and couplings; default 1: an initial error adds at
       most the energy of a fall of 5 cm for any step, and decays by 1 rad or 1 m per second. 0: no correction; inf: no
       bound. */
    double max_joint_correction;
    /* m/s: max_vel of rigid surfaces without their own, and the pull p of joints at which overlaps are not corrected
       any more; default 0.1; inf: neither has a bound. */
    double rigid_max_vel;
    bool only_overlaps; /* contacts and limits act on overlaps only, not on gaps; default false */
    /* Each contact point has its own rows at its own position instead of the mean plane of its manifold. Unless the
       surface gives friction directions, they follow from the normal alone by the rule of the engine of 003 and 004:
       normal to the z axis, or to x if the normal is within 45 degrees of z. Default false. */
    bool single_points;
    double near_gap;    /* m: gaps above it may close to it in one step, gaps below it by contact_erp; default 1e-4 */
    double soft_length; /* m: soft_length in f(a), for gaps and overlaps a; default 1e-5 */
    /* m/s per N: compliance of joints, limits and contacts (with friction) without one of their own; default 0 */
    double cfm;
    RgFriction friction;       /* default RG_FRICTION_CONE */
    RgRestitution restitution; /* default RG_RESTITUTION_NEWTON */

    /* 004, 5.1: overlaps are corrected by position only, bounded by max_correcting_velocity instead of the surfaces'
       max_vel; default false. */
    bool split_impulse;
    double split_velocity; /* m/s: correcting velocity that is kept in the velocities; default 0 */
    /* 004, 5.2: largest ratio of moments of inertia across a hinge, maximal form; 0 (default): off */
    double inertia_ratio;
    /* If above 0, replaces inertia_ratio by the form printed in 004: part of the difference of the two moments that is
       moved, at most 1/2 (equal moments); 0 (default): off. */
    double inertia_factor;

    /* Part of the last step's impulses used as initial guess: of contacts (default 0.99; at 1 high piles never stop
       drifting), of joints and bounded rows (default 0.5; larger values may diverge: 004, 5.5). Contacts of bodies
       whose joints are rows use the smaller of the two. */
    double warm_start, joint_warm_start;
} RgContactLaw;

RG_API RgContactLaw rg_contact_law_default(void);

/* The default, adapted to the solver: "quick" and exact solvers start from all of the last step's impulses, as they
   leave no sweep residual that would accumulate; "dantzig" has friction pyramids. */
RG_API RgContactLaw rg_contact_law_for(const char *solver);

/* RG_ERR_ARGUMENT: a number is out of range; *what (what may be NULL) names it. */
RG_API RgStatus rg_contact_law_check(const RgContactLaw *law, const char **what);

/* Patch visits per second, to convert a time budget (--budget 2ms) into visits. A fixed number, not measured at run
   time, so that results do not depend on the machine. */
#define RG_QUICK_VISITS_PER_SECOND 5e6

/* Solver "quick": accelerated block Gauss-Seidel over contact patches and rows, island by island. */
typedef struct RgQuickOptions {
    uint32_t cookie;

    /* max_sweeps: sweeps before Newton's method takes over an island (piles: four times as many); default 50. With
       tolerance 0 exactly max_sweeps are made, fewer only if one changes nothing to round-off: a bound of the time.
       tolerance: default 1e-5; motion_slack: default 1e4.

       An island ends by the change of its contact velocities in one sweep (root of the sum of squares). Small islands,
       which Newton's method finishes cheaply (robots, hands, a few bodies): below tolerance times these velocities, and
       the change of impulses below tolerance times their size. Larger islands: below motion_slack tolerance (0.1) times
       these velocities and a third of the largest change so far, since each step starts from the last one's impulses;
       after 50 sweeps below the velocities themselves. Resting contacts are allowed a change of tolerance times 1 m/s
       each. motion_slack 0: all islands must reach tolerance.

       Up to 16 bodies with a single patch are swept together, each until it satisfies its own criterion. Impulses are
       always within their bounds, and velocities consistent with the impulses. */
    int max_sweeps;
    double tolerance, motion_slack;

    /* Largest work of a solve, in visits of patches and rows; 0 (default): unlimited. One sweep over c patches and rows
       is c visits. Work is counted, not timed: the same bits on every machine. RG_QUICK_VISITS_PER_SECOND converts a
       time into visits. At least one sweep is made. */
    double max_visits;

    bool least_norm; /* as RgExactOptions.least_norm, to the accuracy of the sweeps; default true */
    bool accelerate; /* momentum, levels and Newton's method between sweeps; default true */
    bool plain;      /* no vector instructions (the same bits), for comparison; default false */
} RgQuickOptions;

RG_API RgQuickOptions rg_quick_options_default(void);

/* RG_ERR_ARGUMENT: a number is out of its range; what: which one (may be NULL). */
RG_API RgStatus rg_quick_options_check(const RgQuickOptions *options, const char **what);

/* Order of the rows in a sweep of "pgs". Friction rows are bounded by the current normal impulse. */
typedef enum RgPgsOrder {
    RG_PGS_BY_KIND,     /* joints, bounded rows, all normals, all friction (004, 5.4) */
    RG_PGS_BY_CONTACT,  /* joints, bounded rows, then point by point, each normal with its friction */
    RG_PGS_JOINTS_LAST, /* point by point, bounded rows, joints */
    /* The order of the quick step of the Open Dynamics Engine 0.16, row by row, island by island: bodies from last to
       first, for each its contacts from last to first, then its joints likewise; all rows without friction in this
       order, then all friction rows. All rows of an island are shuffled before sweeps 9, 17, 25 ... The random
       generator continues from step to step and is part of the state. */
    RG_PGS_AS_ODE
} RgPgsOrder;

/* Update of the impulse z and of the velocities by one row visit with the smoothing e; P = P(z + d) is the projected
   impulse. */
typedef enum RgPgsSmoothing {
    RG_PGS_SMOOTH_CHANGE, /* z + (1 - e) (P - z); velocities follow z */
    /* (1 - e) P + e z_last, z_last from the last time step; velocities follow z: as printed in 004, 5.4 */
    RG_PGS_SMOOTH_LAST_STEP,
    /* z + (1 - e) (P - z), but velocities change by the full P - z, as in the code of 004. Friction bounds use this z,
       which is smaller by e than the acting impulses; the acting impulses are reported. */
    RG_PGS_SMOOTH_IMPULSE
} RgPgsSmoothing;

/* Solver "pgs": projected Gauss-Seidel over single rows (papers 003, 004). */
typedef struct RgPgsOptions {
    uint32_t cookie;

    /* Largest number of sweeps (default 50). They end earlier when a sweep changes the rows' velocities by less than
       tolerance, m/s (root mean square over all rows: there are no islands); 0 (default): all sweeps are made. */
    int iterations;
    double tolerance;

    double sor;                    /* over-relaxation, below 2; default 1.3 */
    double friction_sor;           /* additional factor for friction rows; default 1 */
    int friction_sweeps;           /* additional sweeps over friction rows alone, at the end; default 10 */
    double smoothing;              /* epsilon of RgPgsSmoothing, for contacts and bounded rows; default 0 */
    RgPgsOrder order;              /* default RG_PGS_BY_KIND */
    RgPgsSmoothing smoothing_kind; /* default RG_PGS_SMOOTH_CHANGE */
    int seed;                      /* of the shuffles of RG_PGS_AS_ODE (dRandSetSeed of the engine); default 0 */

    /* Solve the unbounded rows between two bodies (a joint with its dampers) as one block, maximal form; default true.
       False: row by row as in the papers, with rows along the world axes and forces before moments; the convergence
       depends on this order. */
    bool joint_blocks;

    /* Joint dampers inside the sweeps (003, section 4) where that converges; default false: as rows (004, 5.3). */
    bool damping_in_sweeps;

    /* "pgs:jacobi": number of parts of the rows. Within a sweep a part does not see the changes of the others; threads
       work on different parts; default 4. The rows of a contact patch or a joint stay together. */
    int chunks;
    /* "pgs:jacobi": a body in n chunks has 1/n of its mass in each of them (Tonge 2012), so that sweeps cannot diverge;
       default true. False: as in paper 003, which may diverge. */
    bool mass_splitting;
    bool plain; /* no vector instructions (the same bits), for comparison; default false */
} RgPgsOptions;

RG_API RgPgsOptions rg_pgs_options_default(void);

/* "default"; "ode": the quick step of the Open Dynamics Engine 0.16; in the maximal form the same velocities after a
   step from the same state with the same contacts; "gazebo-vrc": like the engine of paper 004. RG_ERR_NOT_FOUND: no
   such preset; law and options are unchanged. */
RG_API RgStatus rg_pgs_preset(const char *name, RgContactLaw *law, RgPgsOptions *options);

/* RG_ERR_ARGUMENT: a number is out of its range; what: which one (may be NULL). */
RG_API RgStatus rg_pgs_options_check(const RgPgsOptions *options, const char **what);

/* Solvers that iterate to a residual: "dantzig", "lemke", "cone" and related ones. */
typedef struct RgExactOptions {
    uint32_t cookie;

    /* A problem is solved when the natural-map residual, m/s, is below tolerance times the largest velocity error of
       its rows at zero impulses; default 1e-10. */
    double tolerance;
    int max_iterations; /* default 0: chosen by the solver from the problem's size */
    int sides;          /* "lemke", "qp": sides of friction pyramids, 4 to 16; default 8 */
    /* "max-dissipation": the sum of normal impulses is at most kappa (default 1) times that without friction, plus
       kappa_slack (N s, default 0) */
    double kappa;
    double kappa_slack;
    double viscous; /* "viscous": friction impulse over slip velocity, N s/m; default 0 */
    /* "cone", "dantzig", "lemke": among all forces with the same motion, return those of least norm (docs/solvers.md);
       false: as solved; default true. */
    bool least_norm;
    bool fallback; /* fallback chain after a failed solve: regularised, then "cone", then sweeps; default true */
} RgExactOptions;

RG_API RgExactOptions rg_exact_options_default(void);

/* RG_ERR_ARGUMENT: a number is out of its range; what: which one (may be NULL). */
RG_API RgStatus rg_exact_options_check(const RgExactOptions *options, const char **what);

/* Outcome of a solve. */
typedef enum RgSolveOutcome {
    RG_SOLVE_SOLVED,     /* within its tolerance */
    RG_SOLVE_ITERATIONS, /* iteration limit reached */
    RG_SOLVE_RAY,        /* Lemke's method ended on a ray: no solution found */
    RG_SOLVE_INFEASIBLE, /* proven to have no solution */
    RG_SOLVE_SINGULAR    /* a linear system is singular */
} RgSolveOutcome;

RG_API const char *rg_solve_outcome_name(RgSolveOutcome outcome);

/* Names and summaries, for menus. */
RG_API int rg_solver_count(void);
RG_API const char *rg_solver_name(int index);
RG_API const char *rg_solver_summary(int index);
RG_API bool rg_solver_is_exact(const char *name);      /* its options are RgExactOptions */
RG_API bool rg_solver_takes_patches(const char *name); /* its options are RgQuickOptions; friction cones, or none */
RG_API int rg_pgs_preset_count(void);
RG_API const char *rg_pgs_preset_name(int index);

#ifdef __cplusplus
}
#endif
#endif
