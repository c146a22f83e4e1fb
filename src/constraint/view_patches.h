/*
 * view_patches.h - a contact problem as patches and rows between bodies, joints eliminated: for solver `quick`.
 *
 *   bodies that move alone        their own inverse mass and inertia              view_patches.c
 *   mechanisms (robots, loops)    response L of their touched bodies and joints   view_articulations.c
 *   bounded rows, torsion         rows on bodies and joint velocities             view_patch_rows.c
 *   drives within their bounds    part of the mass matrix (drives_in_mass.c) or eliminated (eliminated_drives.c)
 */
#ifndef RIGOR_VIEW_PATCHES_H
#define RIGOR_VIEW_PATCHES_H

#include "constraint/contact_problem.h"
#include "solver/quick/quick.h"

/* Soft drives that are part of the mass matrix. */
typedef struct RgDrivesInMass {
    int count;          /* rows that are */
    bool begun;         /* in this solve, there were some */
    double *u;          /* nu: velocities without them */
    double *D;          /* nv of the model: what is added to M */
    double *push;       /* nv of the model: what they give where nothing else acts */
    double *answer, *b; /* nu, maximal form: velocities that push makes; what joints forbid of u, with M alone */
    double *joints;     /* impulses of bilateral rows that push takes */
} RgDrivesInMass;

typedef struct RgEliminatedDrives RgEliminatedDrives;
typedef struct RgHalves RgHalves;

typedef struct RgPatchView {
    const RgContactSetup *setup;
    const RgContactProblem *from;
    RgArena memory;
    RgQuickMemory quick_memory;
    RgPatchProblem problem;
    const bool *touched;         /* nbodies: by contacts or rows */
    double *impulses, *response; /* nu: J' z, and what velocities it makes */
    RgForce *wrenches;           /* nbodies: impulses on bodies, about their origins */
    int32_t *single_of;          /* nv of the model: single of a joint velocity that a row acts on, -1: none */
    int32_t *single_dof;         /* nsingles: the other way round */
    RgDrivesInMass in_mass;
    RgEliminatedDrives *eliminated; /* NULL: none */
    bool suspected;                 /* hard drives of any effort may contradict contacts, loops or each other */
    RgHalves *halves;               /* articulations of the problem by their B; NULL: by L */
    RgQuickReport report;
} RgPatchView;

/* False: no memory. */
bool rg_patch_view_take(RgArena *arena, const RgContactSetup *setup, RgPatchView *view);
void rg_patch_view_free(RgPatchView *view);

/* u (nu): in, velocities at the end of the step without contacts and bounded rows; out, with them. Impulses go to the
   problem. Bilateral rows must have been factored at these velocities (rg_solve_bilateral). */
RgStatus rg_patch_view_solve(RgPatchView *view, const RgContactProblem *problem, double *u);

/* M^-1 of the form is again that of the masses, without drives. False: M has no inverse. */
bool rg_patch_view_restore_mass(RgPatchView *view);

/* ------------------------------------------------------------------ parts */

/* Bodies and articulations that take part. False: no memory. */
bool rg_view_bodies(RgPatchView *view, const double *u);
/* by_joint: bodies on whose joint velocities rows act. */
bool rg_view_articulations(RgPatchView *view, const bool *touched, const bool *by_joint, RgMover *movers);
/* Corrections of overlaps on articulations, no faster than their mass allows (correction_bound.c). */
void rg_bound_corrections(const RgPatchView *view);
/* u = (M with its bilateral rows)^-1 g, in place. */
void rg_view_respond(const RgPatchView *view, double *g);
/* held (nu): u without what hard bilateral rows do not allow, the nearest by the mass matrix. */
void rg_view_hold(const RgPatchView *view, const double *u, double *held);
/* u = M^-1 J' z of all articulations, from the coordinates that the solver found. False: it did not, u is as it was. */
bool rg_view_response(const RgPatchView *view, double *u);
/* Velocity of a body's centre and its turning velocity at u; a joint velocity at u. */
void rg_view_body_velocity(const RgPatchView *view, int body, const double *u, double V[6]);
double rg_view_joint_velocity(const RgPatchView *view, int32_t single, const double *u);

/* Bounded rows as rows of the patch problem, those of torsion and rolling behind them; their impulses; these into J' z
   of articulations. */
bool rg_patch_rows_make(RgPatchView *view);
void rg_patch_row_make(const RgPatchView *view, const RgBoundedRow *from, RgPatchRow *to);
void rg_patch_rows_end(RgPatchView *view);
void rg_patch_rows_push(const RgPatchView *view, RgForce *f,
                        double *g); /* f: as wrenches on bodies, about their origins */
/* Whether a row is in the problem: it acts on something that moves, and is not eliminated. */
bool rg_patch_row_in(const RgBoundedRow *row);

/* Soft drives that shall be part of M; then u (nu) with them (false: M has no inverse); and after the solve their
   impulses. True: some are beyond their bounds, and are rows now: u is as before, all must be solved again. */
bool rg_drives_in_mass_take(RgArena *arena, const RgContactSetup *setup, RgDrivesInMass *out);
void rg_drives_in_mass_find(RgPatchView *view);
bool rg_drives_in_mass_begin(RgPatchView *view, double *u);
bool rg_drives_in_mass_end(RgPatchView *view, double *u);

/* Drives that are equations are eliminated before the rows are made; and recovered with their impulses after the solve.
   False: no memory. again: some are beyond their bounds, and are rows now: it must be solved once more. */
bool rg_drives_eliminate(RgPatchView *view);
bool rg_drives_recover(RgPatchView *view, bool *again);

#endif
