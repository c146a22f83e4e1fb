/*
 * located.h - inner steps without overlap that end at events.
 *
 *   begin --(half velocity update)--> U --(integrate positions, gaps kept)--> x1 --(half update, impacts)--> end
 *
 * Bodies move on curves between begin and end (path/). If these are not proven apart, the trial is repeated with the
 * length up to which they are.
 */
#ifndef RIGOR_LOCATED_H
#define RIGOR_LOCATED_H

#include "constraint/gap_projection.h"
#include "contact/touch_set.h"
#include "path/scene_path.h"
#include "stepper/contact_events.h"
#include "stepper/inner_state.h"
#include "stepper/springs.h"
#include "stepper/velocity_update.h"

/* Relative part of a step that counts as round-off of times. */
#define RG_LOCATED_ROUND_OFF 1e-12

/* m/s: normal speed below which a contact neither opens nor closes; tangential speed above which it slips. Both are
   above the round-off of solves (SOLVE_ROUND_OFF in located_release.c). */
#define RG_LOCATED_REST 1e-6
#define RG_LOCATED_SLIP 1e-6

/* s: length of the velocity update that solves an impact. Forces change velocities by 1e-7 m/s in it (gravity). */
#define RG_LOCATED_IMPACT 1e-8

/* ------------------------------------------------------------------ contacts */

/* Identifies a contact point by its pair of shapes and its pair of features. */
typedef struct RgGapKey {
    int32_t shape_a, shape_b;
    uint64_t id;
} RgGapKey;

/* All contact points of one configuration. The arrays have one entry per point. */
typedef struct RgContactSet {
    RgTouchSet touch;
    RgVec3 *drift;            /* m/s^2: rate of the velocity of B against A at constant u */
    RgVec3 *target;           /* m/s: target of that velocity in the velocity update, -h drift */
    RgSeparation *separation; /* for the events */
    bool *keep;               /* scratch: which points rg_contact_set_filter keeps */
    bool *micro_bounce;       /* opens at the start, but only to the height of a micro bounce: not released */
    int room;
} RgContactSet;

/* A contact at the start of an inner step, before opening contacts are released. */
typedef struct RgPreviousContact {
    RgGapKey key;
    bool opens; /* the gap opens at the start */
} RgPreviousContact;

typedef struct RgPreviousContacts {
    RgPreviousContact *list;
    int count, room;
} RgPreviousContacts;

/* A contact whose gap is kept through a trial. */
typedef struct RgPersistentContact {
    bool slips;          /* at the start */
    bool left;           /* separates at the end, by forces or by its rate there */
    RgVec3 acceleration; /* m/s^2: of B against A, by forces and drift, in the first half */
    double lifted;       /* m/s^2: opening acceleration at the end; 0: not evaluated */
    double slip[2];      /* m/s: at the start, and after the first half */
    double pressure[2];  /* N: normal force of the first half and of the second */
} RgPersistentContact;

typedef struct RgPersistentContacts {
    RgGapConstraint *gap_constraints; /* one per contact; entries beyond count are scratch */
    RgPersistentContact *list;
    int count, room;
} RgPersistentContacts;

/* ------------------------------------------------------------------ an inner step */

typedef struct RgLocatedStates {
    RgState begin, end;
    RgState mid;                 /* u after the first half, and its contact memory */
    RgState probe;               /* u and memory of a solve whose result is only evaluated */
    const RgContactMemory *last; /* impulses of the solve that produced begin.u */
    double *u_free;              /* nu: of the last velocity update, before contacts */
} RgLocatedStates;

/* Motion between the two ends of a trial. */
typedef struct RgLocatedPath {
    double *u[2];           /* nu: velocities at both ends, without impacts */
    RgBodyEnd *ends[2];     /* nbodies */
    RgBodyPath *bodies;     /* nbodies */
    double *axes;           /* memory block of q and rate */
    double *q[2], *rate[2]; /* naxes: positions and rates of joint axes at both ends */
    RgScenePath *proofs;    /* NULL: the world has no shapes that can touch */
} RgLocatedPath;

/* Result of a trial. */
typedef struct RgTrial {
    double proven; /* s: no two shapes meet before this time */
    RgSceneProof proof;
    bool flew;    /* smooth motion: nothing touches, no row acts */
    bool turns;   /* some body turns too far for one path */
    bool lands;   /* a new contact closes at the end */
    bool changed; /* a contact mode at the end, before impacts, differs from that at the start */
    RgCut change; /* kind of that change */
    double when;  /* s: estimated time of that change; NaN: not known */
    double size;  /* at the end: slip, m/s, or opening acceleration, m/s^2; 0: not known */
    double limit; /* s: first time at which a joint reaches its limit; infinite: none does */
} RgTrial;

/* State of the search for the length of an inner step. */
typedef struct RgSearch {
    double h;            /* s: length of the present trial */
    double low, high;    /* s: no mode has changed at low; one has at high (infinite: not known) */
    RgCut cut;           /* reason for the length of the present trial */
    bool final;          /* it ends at a contact; it is accepted unless a mode changes before */
    bool found;          /* it ends at a located change; it is accepted */
    double back;         /* factor by which the next trial falls short of what was proven */
    double tried, ended; /* s: last trial that was too long, and the end of its proof; 0: none */
    double reach;        /* s: distance of the next trial from low */
    int guesses;         /* number of trials that followed an estimate */
    RgCut size_of;       /* change, length and size of the last trial with a change; 0: none */
    double size_at, size;
} RgSearch;

/* Integrator of smooth motion: x and u of end, exactly h after begin. go NULL: Runge-Kutta of order 4. */
typedef struct RgSmoothMotion {
    RgStatus (*go)(void *context, const RgState *begin, double h, RgState *end);
    void *context;
} RgSmoothMotion;

typedef struct RgLocated {
    RgStepScope *scope;
    RgGapProjector *projector;
    RgSprings springs;
    bool stiff; /* joints have springs or dampers, and these are implicit */
    RgSmoothMotion smooth;
    bool unproven; /* trials compute no paths and no proofs */
    RgLocatedStates states;
    RgLocatedPath path;
    RgContactSet contacts_begin; /* without the released contacts */
    RgContactSet contacts_end;
    RgPreviousContacts previous_contacts;
    RgPersistentContacts persistent;
    double gap;           /* m: shapes nearer than this at the start touch; enlarged if no step length is proven */
    bool impact;          /* the present trial ends in an impact; u_free is the velocity before it */
    double nominal;       /* s: length of the present outer step */
    int friction_changes; /* number of those located in the present outer step */
    RgSolverWork work;    /* of the solves of the present trial, and of those at the start of the inner step */
} RgLocated;

/* ------------------------------------------------------------------ located_contacts.c */

/* At the form's last kinematics, m/s: rate of a gap; velocity of B against A at a contact, and the contact normal;
   tangential speed. */
double rg_gap_opening(const RgForm *form, const RgGap *gap, const double *u);
RgVec3 rg_gap_velocity(const RgForm *form, const RgGap *gap, const double *u, RgVec3 *normal);
double rg_gap_slip(const RgForm *form, const RgGap *gap, const double *u);

RgGapKey rg_gap_key(const RgGap *gap);
int32_t rg_contact_set_find(const RgContactSet *set, RgGapKey key); /* -1: not found */
/* Stores all points of a set as the previous contacts. False: out of memory. */
bool rg_previous_contacts_note(RgPreviousContacts *previous, const RgTouchSet *touch, const RgAllocator *allocator);
bool rg_was_contact(const RgPreviousContacts *previous, RgGapKey key);
const RgPersistentContact *rg_persistent_contact(const RgPersistentContacts *set, RgGapKey key); /* NULL: none */

void rg_contact_set_free(RgContactSet *set, const RgAllocator *allocator);
/* Finds all contact points nearer than gap: in the scene as it is placed; at x, u of a state. */
RgStatus rg_contact_set_placed(RgStepScope *scope, double gap, RgContactSet *out);
RgStatus rg_contact_set_search(RgStepScope *scope, const RgState *at, double gap, RgContactSet *out);
/* Least measured gap; its point in *at. Infinite: no points. */
double rg_contact_set_lowest(const RgContactSet *set, int32_t *at);
/* Removes the points without `keep`. */
void rg_contact_set_filter(RgContactSet *set);

/* Computes the drift at the contacts of a set by a central difference over a part of h. The form is at x, u again
   afterwards. */
void rg_contact_set_drift(RgStepScope *scope, const RgState *at, double h, RgContactSet *set);
void rg_contact_set_no_drift(RgContactSet *set);

/* Room for this many gap constraints; existing ones are kept. False: out of memory. */
bool rg_persistent_reserve(RgPersistentContacts *set, const RgAllocator *allocator, int needed);

/* Finds the contacts at begin (previous_contacts), solves impacts there, and releases opening contacts
   (contacts_begin). h: length of the coming step, s. */
RgStatus rg_located_find_contacts(RgLocated *l, double h);

/* ------------------------------------------------------------------ located_release.c */

/* Whether a contact of contacts_begin opens faster than its target after an update to u. */
bool rg_located_opens(const RgLocated *l, int32_t point, const double *u);
/* Whether a contact of contacts_begin is lifted by the first half: at the velocities u with contacts, and at u_free
   without them. */
bool rg_located_lifts(const RgLocated *l, const RgVelocityUpdate *update, int32_t point, const double *u);
/* Finds the persistent contacts that separate at the end of a trial of length h. *solved: a solve was made, and the
   contact solver and u_free hold its result; otherwise they are unchanged. */
RgStatus rg_located_find_separating(RgLocated *l, double h, bool *solved);
/* Releases contacts that open at the start; the velocities of micro bounces are removed. */
RgStatus rg_located_release_opening(RgLocated *l, double h);
/* Releases the contacts that separated in the last trial; false: there are none. */
bool rg_located_release_left(RgLocated *l);

/* ------------------------------------------------------------------ located_modes.c */

/* Compares the contact modes at the two ends of a trial. Requires the form's kinematics at its end. */
void rg_located_compare(RgLocated *l, double h, RgTrial *out);
/* *lands: whether new contacts close at velocities u (nu). If so, contacts_end keeps only persistent ones. */
void rg_located_find_landing(RgLocated *l, const double *u, bool *lands);
/* Stores positions and rates of the joint axes at the start (at = 0) or end (1). */
void rg_located_axes(const RgStepScope *scope, RgLocatedPath *path, int at);
/* s: first time within h at which a joint reaches a limit; infinite: none does. */
double rg_located_limit(const RgLocated *l, double h);

/* ------------------------------------------------------------------ located_trial.c */

/* One trial step of length h from begin to end. */
RgStatus rg_located_trial(RgLocated *l, double h, RgTrial *out);
/* A velocity update; its work is added to l->work. */
RgStatus rg_located_solve(RgLocated *l, const RgVelocityUpdate *update, RgState *out);
/* Describes a velocity update over h with the contacts of a set, whose targets are -h drift. */
RgVelocityUpdate rg_located_update(RgContactSet *set, const RgState *at, const double *from, double h);
/* The same at the start: contacts_begin, from begin.u, joint rows with their drift. *at is written. */
RgVelocityUpdate rg_located_update_begin(RgLocated *l, double h, RgState *at);

/* ------------------------------------------------------------------ located_report.c */

/* Report an accepted inner step, and its events. Require states.end.t, and the contact solver as the inner step left
   it. */
void rg_located_report_step(RgLocated *l, const RgSearch *search, const RgTrial *trial);
RgStatus rg_located_report_events(RgLocated *l, const RgSearch *search);

/* ------------------------------------------------------------------ located_step.c */

bool rg_located_alloc(RgArena *arena, RgStepScope *scope, RgLocated *l);
/* Whether the solver solves joints and loops exactly enough; if not, error contains the reason. */
RgStatus rg_located_keeps_joints(const RgStepScope *scope, RgError *error);
/* Checks the world, and allocates memory outside the arena. Requires the world's shapes and constraints. */
RgStatus rg_located_check(RgLocated *l, RgError *error);
void rg_located_release(RgLocated *l);

/* Begins an outer step at s0. separate: shapes that overlap are moved apart; otherwise they are refused. */
RgStatus rg_located_start(RgLocated *l, const RgState *s0, bool separate);
/* One inner step of at most h from begin to end. begin.u becomes the velocity after impacts at begin. Reports rejected
   trials only. */
RgStatus rg_located_inner(RgLocated *l, double h, RgSearch *search, RgTrial *trial);
void rg_located_accept(RgLocated *l); /* the end becomes the next begin */
void rg_located_finish(RgLocated *l, const RgSolverWork *work, RgState *s1);
/* A whole outer step of length h. */
RgStatus rg_located_advance(RgLocated *l, const RgState *s0, double h, RgState *s1);

#endif
