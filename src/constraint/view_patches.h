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

/* Soft drives that are added to the mass matrix. */
typedef struct RgDrivesInMass {
    int count;    /* number of such drives */
    bool begun;   /* in this solve there were some */
    double *u;    /* nu: velocities without these drives */
    double *D;    /* nv of the model: addition to the diagonal of M */
    double *push; /* nv of the model: their impulses if nothing else acts */
    /* nu, maximal form: velocities caused by push; part of u that violates the joints, by M alone */
    double *answer, *b;
    double *joints; /* impulses of bilateral rows caused by push */
} RgDrivesInMass;

typedef struct RgEliminatedDrives RgEliminatedDrives;
typedef struct RgHalves RgHalves;

typedef struct RgPatchView {
    const RgContactSetup *setup;
    const RgContactProblem *from;
    RgArena memory;
    RgQuickMemory quick_memory;
    RgPatchProblem problem;
    const bool *touched;         /* nbodies: contacts or rows act on the body */
    double *impulses, *response; /* nu: J' z, and the velocity change it causes */
    RgForce *wrenches;           /* nbodies: impulses on bodies, about their origins */
    int32_t *single_of;          /* nv of the model: single of a joint velocity that a row acts on; -1: none */
    int32_t *single_dof;         /* nsingles: joint velocity of a single */
    RgDrivesInMass in_mass;
    RgEliminatedDrives *eliminated; /* NULL: none */
    bool exact;                     /* responses of articulations need no refinement (view_articulations.c) */
    bool suspected;                 /* hard drives of unbounded effort may contradict contacts, loops or each other */
    RgHalves *halves;               /* articulations of the problem by B, L = B' B; NULL: by L */
    RgQuickReport report;
} RgPatchView;

/* Returns false if out of memory. */
bool rg_patch_view_alloc(RgArena *arena, const RgContactSetup *setup, RgPatchView *view);
void rg_patch_view_free(RgPatchView *view);

/* u (nu): in, velocities at the end of the step without contacts and bounded rows; out, with them. Impulses are written
   to the problem. Bilateral rows must have been factored at these velocities (rg_solve_bilateral). */
RgStatus rg_patch_view_solve(RgPatchView *view, const RgContactProblem *problem, double *u);

/* Restores M^-1 of the form without drives. Returns false if M is singular. */
bool rg_patch_view_restore_mass(RgPatchView *view);

/* ------------------------------------------------------------------ parts */

/* Makes the bodies and articulations of the problem. Returns false if out of memory. */
bool rg_view_bodies(RgPatchView *view, const double *u);
/* Makes the articulations. by_joint: bodies on whose joint velocities rows act. */
bool rg_view_articulations(RgPatchView *view, const bool *touched, const bool *by_joint, RgSolverBody *movers);
/* Limits the corrections of overlaps on articulations by their mass (correction_bound.c). */
void rg_bound_corrections(const RgPatchView *view);
/* g <- response of the velocities to the impulses g, bilateral rows included. */
void rg_view_respond(const RgPatchView *view, double *g);
/* held (nu): u without what violates hard bilateral rows: the nearest velocity in the mass norm. */
void rg_view_project_velocity(const RgPatchView *view, const double *u, double *held);
/* u = M^-1 J' z of all articulations, from the coordinates that the solver found. Returns false, with u unchanged, if
   it found none. */
bool rg_view_response(const RgPatchView *view, double *u);
/* Velocity of a body's centre and its angular velocity at u; a joint velocity at u. */
void rg_view_body_velocity(const RgPatchView *view, int body, const double *u, double V[6]);
double rg_view_joint_velocity(const RgPatchView *view, int32_t single, const double *u);

/* Bounded rows as rows of the patch problem, followed by those of torsion and rolling. make: all rows (false: out of
   memory) or one; end: impulses back to the contact problem; push: adds their J' z on articulations. */
bool rg_patch_rows_make(RgPatchView *view);
void rg_patch_row_make(const RgPatchView *view, const RgBoundedRow *from, RgPatchRow *to);
void rg_patch_rows_end(RgPatchView *view);
void rg_patch_rows_push(const RgPatchView *view, RgForce *f,
                        double *g); /* f: wrenches on bodies, about their origins */
/* Whether a row is in the patch problem: it acts on something that moves, and is not eliminated. */
bool rg_patch_row_in(const RgBoundedRow *row);

/* Soft drives in the mass matrix: find selects them; begin adds their response to u (nu) (false: M is singular); end
   computes their impulses after the solve. end returns true if some exceed their bounds and are rows now: u is
   restored, and the problem must be solved again. */
bool rg_drives_in_mass_alloc(RgArena *arena, const RgContactSetup *setup, RgDrivesInMass *out);
void rg_drives_in_mass_find(RgPatchView *view);
bool rg_drives_in_mass_begin(RgPatchView *view, double *u);
bool rg_drives_in_mass_end(RgPatchView *view, double *u);

/* Drives that are equations: eliminated before the rows are made, and recovered with their impulses after the solve.
   Return false if out of memory. again: some exceed their bounds and are rows now: the problem must be solved again. */
bool rg_drives_eliminate(RgPatchView *view);
bool rg_drives_recover(RgPatchView *view, bool *again);
/* After the solve: makes eliminated hard drives rows again, with the velocities reached as targets and the response of
   articulations without them. Returns false if out of memory. */
bool rg_drives_as_rows(RgPatchView *view);

#endif
