/*
 * contact_stage.h - contacts become a problem of patches between movers, the solver's impulses become
 * velocities.
 *
 *   contacts (contact/)  ->  patches: frame, arms, targets, friction          contact_patches.c
 *   bodies (coords/)     ->  movers: free ones, and groups with their L       contact_movers.c
 *   bounded rows         ->  rows on movers and joint velocities            contact_rows.c
 *   last step's impulses ->  first guess, by shapes and id of the contact     contact_warm.c
 */
#ifndef RIGOR_CONTACT_STAGE_H
#define RIGOR_CONTACT_STAGE_H

#include "constraint/bounded_rows.h"
#include "constraint/surface_pairs.h"
#include "contact/contact_scene.h"
#include "solver/quick/quick.h"

/*
 * A gap that is open, would not close by itself and whose surfaces bounce: what another blow of the same step
 * sends into it has no approach to bounce from yet. Caught where it touches, it would lose its energy (three
 * balls in a line, the last one a little apart); so it is let through, and bounces in the next step, from its
 * own approach. Whatever crosses the gap g within h is faster than g / h: where that is above the threshold, it
 * does bounce. Gaps below `near_gap`, those of what rests, are kept.
 *
 * It sinks in by no more than RG_SINK_PART of the thinner shape (rg_shape_thin). What is faster is caught there,
 * and bounces from the approach that it has left: nothing comes nearer to the far side of a wall.
 */
#define RG_SINK_PART 0.2

static inline bool rg_contact_passes_on(const RgContactLaw *law, const RgSurfaceDef *s, double g, double h)
{
    return s->restitution > 0.0 && g > law->near_gap && g > s->restitution_threshold * h;
}

/* Constants of the bodies. */
typedef struct RgContactBody {
    bool free; /* moves alone: no neighbour, no loop, no coupling */
    int group; /* of those that do not: number of what hangs together with it; -1 for free ones */
    double inverse_mass;
    RgSym3 inverse_inertia; /* in body axes, about the centre of mass */
    double reach;           /* m: how far its mass is spread, twice the radius of gyration */
} RgContactBody;

/* Soft drives that are part of the mass matrix. */
typedef struct RgDrivesInMass {
    int count;    /* rows that are */
    bool begun;   /* in this solve, there were some */
    double *u;    /* nu: velocities without them */
    double *D;    /* nu: what is added to M */
    double *push; /* nu: what they give where nothing else acts */
} RgDrivesInMass;

typedef struct RgContactStage {
    RgForm *form;
    RgConstraints *constraints;
    RgContactBody *bodies; /* nbodies */
    RgSurfaces surfaces;
    int ngroups; /* of the model */
    RgArena problem_memory;
    RgQuickMemory solver_memory;
    RgPatchProblem problem;
    int32_t (*point)[RG_PATCH_POINTS]; /* npatches: numbers of its points in the view */
    double (
        *bounce)[RG_PATCH_POINTS]; /* npatches: velocity of a bounce that is the point's target; 0: none */
    double (*turn)[3];           /* npatches, where turns: m, bounds of moments about the normal, across it */
    RgVec3 *patch_moment;        /* npatches, where turns: on B, N m s; first guess, then the solution */
    double *impulses, *response; /* nu: J' z, and what velocities it makes */
    double *row_impulses;        /* bilateral rows: scratch of a solve */
    const bool *touched;         /* nbodies: by contacts or rows */
    double work;                 /* J, of all contacts in the step */
    /* The step is one of a method for smooth motion, whose flights are exact (stepper/strike.c): after a bounce
       the forces of the step have acted on the way up, too, as the energy asks for. Steps that always move by
       their last velocity need no such thing. */
    bool smooth;
    double h;               /* s, of the last solve; 0: there was none */
    RgVec3 *point_impulses; /* beside the view's points: on B, N s */
    RgContactForce *forces; /* the same: the report; points that no patch used are open */
    int32_t nforces;
    bool reported;      /* forces are filled */
    RgVec3 *centre;     /* nmovers: centres of mass, world axes */
    RgBounded *bounded; /* what rows are made from */
    RgBoundedRow *rows; /* of this step */
    int nrows, row_room;
    RgDrivesInMass in_mass;
    struct RgAsides *asides; /* those that are not in the problem (rows_aside.c); NULL: none */
    int nresting;            /* rows behind those that are of sleepers only: they keep what they carried */
    const bool *asleep;      /* nbodies; NULL: nobody */
    int32_t *single_of;      /* nv of the model: single of a joint velocity that a row speaks of, -1: none */
    int32_t *single_dof;     /* nsingles: the other way round */
    RgContactLaw law;
    const double *thin; /* nshapes (RgContactScene); NULL: not known, nothing sinks in */
    /* Beside the view's points: velocity of B against A that contacts shall have at the end, in place of what gaps say
       (tangents: solvers of rows only). NULL: gaps do. */
    const RgVec3 *wanted;
    bool
        bends; /* and joints that are rows shall have those that they bend by within the solve, in place of none */
    RgQuickOptions quick;
    RgQuickReport report;
} RgContactStage;

/* Memory; NULL: none. */
RgContactStage *rg_contact_stage_take(RgArena *arena, RgForm *form, RgConstraints *constraints, int user_rows,
                                      const RgContactLaw *law);
void rg_contact_stage_free(RgContactStage *stage);

/* A step while its contacts are solved. */
typedef struct RgContactStep {
    double t, h;
    const RgContactMemory *last; /* contacts of the last step */
    RgContactMemory *next;       /* those of this one */
    const double
        *diagonal; /* nv: what springs and dampers at the end of the step have added to M; NULL: nothing */
} RgContactStep;

/* u (nu): in, velocities at the end of a step without contacts and bounded rows; out, with them. The
   kinematics are those at the beginning of the step, where the contacts are. */
RgStatus rg_contact_solve(RgContactStage *stage, RgContactScene *scene, const RgContactView *contacts,
                          const RgContactStep *step, double *u);

/* Parts. */
/* Sets of bodies that joints, loops and couplings hold together (base/union_find.h). parent: nbodies. */
void rg_contact_sets(const RgModel *model, int32_t *parent);
/* Body of a shape, -1: the world. */
int rg_contact_body(const RgModel *model, RgShapeId shape);
bool rg_contact_movers(RgContactStage *stage, const RgContactView *contacts, const double *u);
/* Rows of the step before the movers are made; then as rows of the problem, those of torsion and rolling
   behind them; their impulses; these into J' z of groups. */
void rg_contact_rows_find(RgContactStage *stage, double t, double h);
bool rg_contact_rows(RgContactStage *stage);
void rg_contact_row_make(const RgContactStage *stage, const RgBoundedRow *from, RgPatchRow *to);
/* Whether a row is in the problem: it speaks of something that moves, and is not aside. */
bool rg_contact_row_in(const RgBoundedRow *row);

/* Soft drives that shall be part of M; then u (nu) with them (false: M has no inverse), diagonal as of the step; and after
   the solve their impulses. True: some are beyond their bounds, and are rows now: u is as before, all must be solved again. */
bool rg_drives_in_mass_take(RgArena *arena, int nu, RgDrivesInMass *out);
void rg_drives_in_mass_find(RgContactStage *stage);
bool rg_drives_in_mass_begin(RgContactStage *stage, const double *diagonal, double *u);
bool rg_drives_in_mass_end(RgContactStage *stage, double *u);

/* Drives that are equations leave the problem, before its rows are made; and come back with their impulses, after they
   are solved. False: no memory. again: some are beyond their bounds, and are rows now: it must be solved once more. */
typedef struct RgAsides RgAsides;
bool rg_rows_aside_begin(RgContactStage *stage);
bool rg_rows_aside_end(RgContactStage *stage, bool *again);
/* Impulse of a patch on one of its movers, about the mover's centre: force, moment. */
void rg_contact_patch_impulse(const RgPatch *patch, int side, double g[6]);
/* Whether a row is of sleepers only. */
bool rg_row_rests(const RgContactStage *stage, const RgRow *row);
void rg_contact_rows_end(RgContactStage *stage);
void rg_contact_rows_push(const RgContactStage *stage, double *g);

/* Groups that take part, and who belongs to them. by_joint: bodies of whose joint velocities rows speak. */
bool rg_contact_groups(RgContactStage *stage, const bool *touched, const bool *by_joint, RgMover *movers);
/* u = (M with its bilateral rows)^-1 g, in place. */
void rg_contact_solve_rows(const RgContactStage *stage, double *g);
/* Velocity of a body's centre and its turning velocity at u; a joint velocity at u. */
void rg_contact_look(const RgContactStage *stage, int body, const double *u, double V[6]);
double rg_contact_look_single(const RgContactStage *stage, int32_t single, const double *u);

/* Impulse on a body (force, moment about its centre of mass): adds J' g. */
void rg_contact_push(const RgContactStage *stage, int body, const double g[6], double *out);

/* What the last solve did to the kinetic energy, from the velocities (nu) before and after it. diagonal (nv): what springs
   and dampers taken at the end of the step add to M in joint coordinates; NULL: nothing. */
RgSolverWork rg_contact_work(const RgContactStage *stage, const double *before, const double *after,
                             const double *diagonal);

/* Adds the work of one solve to a sum; the other: a times it. */
void rg_work_add(RgSolverWork *sum, const RgSolverWork *work);
void rg_work_axpy(double a, const RgSolverWork *work, RgSolverWork *sum);

bool rg_contact_patches(RgContactStage *stage, const RgContactView *contacts, double h);

/* m: how far what is passed on may sink in between two shapes (rg_contact_passes_on). Of a half-space or a
   surface the other shape alone counts; two of them let nothing in. */
double rg_contact_sink(const RgContactStage *stage, RgShapeId a, RgShapeId b);

void rg_contact_apply(RgContactStage *stage, double *u);

/* First guess of the patches' impulses; and the impulses found, beside the view's points. */
void rg_warm_begin(RgContactStage *stage, const RgContactScene *scene, const RgContactView *contacts,
                   const RgContactStep *step);
void rg_warm_end(RgContactStage *stage, const RgContactView *contacts);

/* Moments of torsion and rolling, beside the pairs that are remembered. */
void rg_warm_moments_keep(const RgContactStage *stage, const RgContactView *contacts, RgContactMemory *next);

/* The same for bounded rows, by slot. keep: false: no memory. */
void rg_warm_rows_begin(RgContactStage *stage, const RgContactStep *step);
bool rg_warm_rows_keep(RgContactStage *stage, const RgContactStep *step);
/* What a slot of the last step carried, for a step of this length. */
double rg_warm_slot(const RgContactStep *step, int32_t slot);

/* Fills the report of the last solve, if that was not done. Before the view of that solve is lost. */
void rg_contact_report(RgContactStage *stage, const RgContactView *contacts);

/* There was no such solve. */
void rg_contact_report_none(RgContactStage *stage);

/* Shapes of the scene, as placed, are given the speeds that drives may add to theirs over a step of h from t on. */
void rg_drive_reach(const RgBounded *bounded, double t, double h, RgContactScene *scene);

#endif
