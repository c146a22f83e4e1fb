/*
 * solver.h - the law of contacts and joints, the solvers, and their options.
 *
 * The problem of a step, whatever solves it: velocities u at the end of the step, impulses z,
 *
 *   u = u* + M^-1 J' z        w = J u + C z - target        z within its bounds, w against them
 *
 * The law (RgContactLaw) gives targets, bounds and C; a solver only finds z. Choosing a solver does not change the law.
 */
#ifndef RIGOR_SOLVER_H
#define RIGOR_SOLVER_H

#include <rigor/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What bounds the friction impulses (a, b) of a contact with the normal impulse n. */
typedef enum RgFriction {
    RG_FRICTION_NONE,
    RG_FRICTION_BOX,     /* |a| <= mu h, |b| <= mu2 h: mu is a force, N */
    RG_FRICTION_PYRAMID, /* |a| <= mu n, |b| <= mu2 n */
    RG_FRICTION_CONE     /* (a / mu)^2 + (b / mu2)^2 <= n^2 */
} RgFriction;

/* What restitution multiplies: the velocity of the approach (Newton), or the impulse that stops it (Poisson). */
typedef enum RgRestitution { RG_RESTITUTION_NEWTON, RG_RESTITUTION_POISSON } RgRestitution;

/*
 * How joints, limits and contacts are kept: the same for every solver and both coordinate forms. With step h, gap g
 * (overlap -g), e = contact_erp and f(a) = e a^2 / (a + soft_length), the least normal velocity at the end of a step is
 *
 *   g >= 0   -(f(min(g, near_gap)) + max(g - near_gap, 0)) / h
 *   g <  0   max(min(f(d) / h, rigid_max_vel), deep(d)), d = -g - min_depth, at most max_vel of the surfaces and
 *            max_correcting_velocity; a max_vel that is given takes the place of rigid_max_vel;
 *            deep(d) = min(deep_erp d r^2 / h, sqrt(|gravity| d / 3), 0.2 m/s), r = d / (d + 2 mm)
 *
 * or that of a bounce; of an overlap the part 1 - p / rigid_max_vel, at least 0, if joints that the solver keeps as
 * rows pull the bodies together with p, to correct their errors. Limits of joints: the same with their own gap, f(a) =
 * e a, and max_joint_correction. Joints, loops and couplings that are rows: -erp error / h, but for joints of the tree
 * at most max_joint_correction. Solver "quick" eliminates joints and loops exactly: of the law erp and inertia_ratio
 * are not for it; it has friction cones (or none) only, and always begins with all of the last step's impulses.
 */
typedef struct RgContactLaw {
    uint32_t cookie;

    /* Part of a position error that a step takes away: of joints and loops (default 0.2), of overlaps and limits
       (default 0.02; much keeps piles rocking). */
    double erp, contact_erp;
    /* The same of overlaps of 2 mm and more, while their own weight can stop them again; default 0.1. If it is no more
       than contact_erp, or contact_erp is 0: contact_erp at any depth. */
    double deep_erp;
    double max_correcting_velocity; /* m/s, of overlaps; default inf: that of the surfaces alone */
    /* rad/s and m/s: velocity by which limits, loops and couplings are corrected at most; default 1: what starts
       outside gets no more energy than by a fall of 5 cm, whatever the step, and is back by a radian or a metre in a
       second. 0: nothing is corrected; inf: no bound. */
    double max_joint_correction;
    /* m/s: max_vel of rigid surfaces that give none, and the pull of joints at which an overlap is corrected no more;
       default 0.1; inf: neither is bounded. */
    double rigid_max_vel;
    bool only_overlaps; /* contacts and limits act from an overlap on, not from a gap; default false */
    /* Each contact point by itself: its rows act where it is, not in the mean plane of its manifold, and its friction
       directions follow from the normal alone, by the rule of the engine of 003 and 004 (across the z axis, or across x
       where the normal is within 45 degrees of z), where the surface gives none; default false. */
    bool single_points;
    double near_gap;    /* m: narrower gaps close by contact_erp, wider ones at once down to it; default 1e-4 */
    double soft_length; /* m: a gap or overlap a counts as a^2 / (a + soft_length); default 1e-5 */
    /* m/s per N: softness of joints, limits and contacts (friction too) that have none of their own; default 0 */
    double cfm;
    RgFriction friction;       /* default RG_FRICTION_CONE */
    RgRestitution restitution; /* default RG_RESTITUTION_NEWTON */

    /* 004, 5.1: overlaps are corrected by motion alone, as fast as max_correcting_velocity, not max_vel of
       the surfaces, lets them; default false. */
    bool split_impulse;
    double split_velocity; /* m/s: correcting velocity that stays in the velocities; default 0 */
    double inertia_ratio;  /* 004, 5.2: largest ratio of moments across a hinge, maximal form; 0 (default): off */
    /* In its place, where it is above 0, the form that 004 prints: part of the difference of the two moments that
       moves, at most 1/2 (both alike); 0 (default): off. */
    double inertia_factor;

    /* Part of the last step's impulses to begin with: of contacts (default 0.99; with all of them high piles
       drift for ever), of joints and bounded rows (default 0.5; more may diverge: 004, 5.5). Contacts of bodies that
       joints hold by rows take the smaller of the two. */
    double warm_start, joint_warm_start;
} RgContactLaw;

RG_API RgContactLaw rg_contact_law_default(void);

/* The default, but for what is numerics or what the solver cannot do: exact solvers and "quick" begin with all of the
   last step's impulses, since what sweeps leave undone is what forbids it to pgs; "dantzig" has friction pyramids. */
RG_API RgContactLaw rg_contact_law_for(const char *solver);

/* RG_ERR_ARGUMENT: a number is out of its range; what says which (may be NULL). */
RG_API RgStatus rg_contact_law_check(const RgContactLaw *law, const char **what);

/* Visits of patches in a second that a budget in seconds stands for (--budget 2ms): a fixed number, not measured when
   run, so that results do not depend on the machine. */
#define RG_QUICK_VISITS_PER_SECOND 5e6

/* Solver "quick": block Gauss-Seidel over contact patches and rows, accelerated, island by island. */
typedef struct RgQuickOptions {
    uint32_t cookie;

    /* Sweeps before an island goes to Newton's method (piles: four times as many); default 50. An island ends when a
       sweep changes the velocities at its contacts little enough (root of the sum of squares): by tolerance (default
       1e-5) times what they are, where Newton's method finishes it cheaply (robots, hands, a few bodies), and its
       impulses by tolerance times their size; elsewhere by motion_slack tolerance (default 1e4 1e-5 = 0.1) times what
       they are, once that is a third of the largest sweep's: each step begins where the last ended; after 50 sweeps by
       no more than they are. Contacts that do not move may change by tolerance times 1 m/s each. motion_slack 0: all
       islands must reach tolerance. With tolerance 0 max_sweeps are made, unless one changes nothing (to round-off): no
       step takes longer than that. Movers with a single patch are swept up to 16 together, until each of them rests by
       its own measure. At any end impulses keep their bounds and velocities are those that the impulses make. */
    int max_sweeps;
    double tolerance, motion_slack;

    /* Work of a solve at most, in visits of patches and rows; 0 (default): no bound. A sweep over a scene of c patches
       and rows is c visits. Counted, not timed: the same bits everywhere. RG_QUICK_VISITS_PER_SECOND turns a time into
       visits. At least one sweep is made. */
    double max_visits;

    bool least_norm; /* as RgExactOptions.least_norm, to what the sweeps have converged; default true */
    bool accelerate; /* momentum, levels and Newton's method between sweeps; default true */
    bool plain;      /* no vector instructions: the same bits, for comparison */
} RgQuickOptions;

RG_API RgQuickOptions rg_quick_options_default(void);

/* RG_ERR_ARGUMENT: a number is out of its range; what says which (may be NULL). */
RG_API RgStatus rg_quick_options_check(const RgQuickOptions *options, const char **what);

/* The order in which a sweep of "pgs" goes over rows. Each friction row is bounded by the present normal impulse. */
typedef enum RgPgsOrder {
    RG_PGS_BY_KIND,     /* joints, bounded rows, all normals, all friction (004, 5.4) */
    RG_PGS_BY_CONTACT,  /* joints, bounded rows, then point by point, each normal with its friction */
    RG_PGS_JOINTS_LAST, /* point by point, bounded rows, joints */
    /* As the quick step of the Open Dynamics Engine 0.16, row by row, island by island: bodies from the last to the
       first, of each its contacts from the last to the first, then its joints likewise; first the rows without friction
       in that order, then those of friction; before its sweeps 9, 17, 25 ... all rows of an island are shuffled. The
       generator goes on from step to step: where it is belongs to the state. */
    RG_PGS_AS_ODE
} RgPgsOrder;

/* What a visit with the smoothing e makes of the impulse z, which would become P = P(z + d), and of the velocities. */
typedef enum RgPgsSmoothing {
    RG_PGS_SMOOTH_CHANGE, /* z + (1 - e) (P - z); velocities follow z */
    /* (1 - e) P + e z_last, z_last that of the last time step; velocities follow z: as printed, 004 5.4 */
    RG_PGS_SMOOTH_LAST_STEP,
    /* z + (1 - e) (P - z), but velocities change by all of P - z: the code behind 004. Friction has its bounds from
       these z, which are by e less than the impulses that act; reported are those that act. */
    RG_PGS_SMOOTH_IMPULSE
} RgPgsSmoothing;

/* Solver "pgs": projected Gauss-Seidel over single rows (papers 003, 004). */
typedef struct RgPgsOptions {
    uint32_t cookie;

    /* Sweeps at most; default 50. They end when one changes the rows' velocities by less than tolerance, m/s
       (root of the mean square over all rows: there are no islands); 0 (default): all are made. */
    int iterations;
    double tolerance;

    double sor;                    /* over-relaxation, below 2; default 1.3 */
    double friction_sor;           /* further factor on that of friction rows; default 1 */
    int friction_sweeps;           /* over friction rows alone, after the others; default 10 */
    double smoothing;              /* epsilon, of contacts and bounded rows (RgPgsSmoothing); default 0 */
    RgPgsOrder order;              /* default RG_PGS_BY_KIND */
    RgPgsSmoothing smoothing_kind; /* default RG_PGS_SMOOTH_CHANGE */
    int seed;                      /* of the shuffles of RG_PGS_AS_ODE: dRandSetSeed of the engine; default 0 */

    /* The rows between two bodies that hold without bounds (a joint with its dampers) are solved at once, maximal
       form; default true. False: row by row, as the papers have it, and the rows along the world's axes, forces
       before couples, on which the convergence then depends. */
    bool joint_blocks;

    /* Joint dampers as 003, section 4, has them, where that converges; default false: as rows (004, 5.3). */
    bool damping_in_sweeps;

    /* "pgs:jacobi": parts of the rows that are blind to each other's changes within a sweep, shared by the
       threads of the world; default 4. Those of a contact patch or a joint stay together. */
    int chunks;
    /* "pgs:jacobi": a body on which n chunks act has the n-th part of its mass in each of them (Tonge 2012), so that
       sweeps cannot diverge; default true. False: as paper 003 has it, which may. */
    bool mass_splitting;
    bool plain; /* no vector instructions: the same bits, for comparison */
} RgPgsOptions;

RG_API RgPgsOptions rg_pgs_options_default(void);

/* "default"; "ode": the quick step of the Open Dynamics Engine 0.16, in the maximal form the same velocities after a
   step from the same state with the same contacts; "gazebo-vrc": as the engine of paper 004. RG_ERR_NOT_FOUND: no such
   preset, law and options are as they were. */
RG_API RgStatus rg_pgs_preset(const char *name, RgContactLaw *law, RgPgsOptions *options);

/* RG_ERR_ARGUMENT: a number is out of its range; what says which (may be NULL). */
RG_API RgStatus rg_pgs_options_check(const RgPgsOptions *options, const char **what);

/* Solvers that work to a residual: "dantzig", "lemke", "cone" and their kin. */
typedef struct RgExactOptions {
    uint32_t cookie;

    /* A problem is solved when the natural-map residual, m/s, is below tolerance times the largest velocity
       that its rows miss without impulses; default 1e-10. */
    double tolerance;
    int max_iterations; /* default 0: what the solver thinks enough for the size of the problem */
    int sides;          /* of friction pyramids, 4 to 16: "lemke", "qp"; default 8 */
    double kappa;       /* "max-dissipation": sum of normal impulses at most kappa times that without friction; 1 */
    double kappa_slack; /* N s: plus this; 0 */
    double viscous;     /* "viscous": friction impulse over slip velocity, N s/m; default 0 */
    /* "cone", "dantzig", "lemke": of all forces that make the same motion, those of least norm (docs/solvers.md);
       false: as solved; default true. */
    bool least_norm;
    bool fallback; /* a solve that fails is tried again, regularised, then by "cone", then by sweeps; default true */
} RgExactOptions;

RG_API RgExactOptions rg_exact_options_default(void);

/* RG_ERR_ARGUMENT: a number is out of its range; what says which (may be NULL). */
RG_API RgStatus rg_exact_options_check(const RgExactOptions *options, const char **what);

/* How a solve ended. */
typedef enum RgSolveOutcome {
    RG_SOLVE_SOLVED,     /* to its tolerance */
    RG_SOLVE_ITERATIONS, /* it ran out of them */
    RG_SOLVE_RAY,        /* Lemke's method went off along a ray: no solution was found */
    RG_SOLVE_INFEASIBLE, /* proven to have none */
    RG_SOLVE_SINGULAR    /* a system of equations could not be solved */
} RgSolveOutcome;

RG_API const char *rg_solve_outcome_name(RgSolveOutcome outcome);

/* Names for menus. */
RG_API int rg_solver_count(void);
RG_API const char *rg_solver_name(int index);
RG_API const char *rg_solver_summary(int index);
RG_API bool rg_solver_is_exact(const char *name);      /* RgExactOptions are its options */
RG_API bool rg_solver_takes_patches(const char *name); /* RgQuickOptions are; friction cones, or none */
RG_API int rg_pgs_preset_count(void);
RG_API const char *rg_pgs_preset_name(int index);

#ifdef __cplusplus
}
#endif
#endif
