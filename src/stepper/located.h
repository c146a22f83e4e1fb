/*
 * located.h - inner steps on which nothing overlaps and which end at events.
 *
 *   begin --(half velocity update)--> U --(integrate positions, gaps kept)--> x1 --(half update, impacts)--> end
 *   bodies move on curves between the two (path/), proven apart; else the trial is repeated up to where they are
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

/* Part of a step that is left over by round-off. */
#define RG_LOCATED_ROUND_OFF 1e-12

/* Normal speed (m/s) below which contacts persist, and tangential speed above which they slip. */
#define RG_LOCATED_REST 1e-6
#define RG_LOCATED_SLIP 1e-6

/* s: duration of forces in an impact. */
#define RG_LOCATED_IMPACT 1e-8

/* ------------------------------------------------------------------ contacts */

/* Identifies a contact point: its pair of shapes and of features. */
typedef struct RgGapKey {
    int32_t shape_a, shape_b;
    uint64_t id;
} RgGapKey;

/* All contact points of one configuration; arrays beside the points. */
typedef struct RgContactSet {
    RgTouchSet touch;
    RgVec3 *drift;            /* m/s^2: rate of the velocity of B against A at constant u */
    RgVec3 *target;           /* m/s: that velocity after the velocity update, -h drift */
    RgSeparation *separation; /* for the events */
    bool *keep;               /* scratch */
    bool *micro_bounce;       /* at the start: opens, but to no height: kept */
    int room;
} RgContactSet;

/* All that touched at the start, before contacts were released. */
typedef struct RgPreviousContact {
    RgGapKey key;
    bool opens; /* it did at the start */
} RgPreviousContact;

typedef struct RgPreviousContacts {
    RgPreviousContact *list;
    int count, room;
} RgPreviousContacts;

/* A contact kept at its gap through a trial. */
typedef struct RgPersistentContact {
    bool slips;          /* at the start */
    bool left;           /* separates at the end, by forces or by its rate there */
    RgVec3 acceleration; /* m/s^2: of B against A, by forces and drift, in the first half */
    double lifted;       /* m/s^2: opening acceleration at the end, where it was evaluated */
    double slip[2];      /* m/s: at the start, and after the first half */
    double pressure[2];  /* N: normal force of the first half and of the second */
} RgPersistentContact;

typedef struct RgPersistentContacts {
    RgGapConstraint *gap_constraints; /* one a contact; beyond count: scratch */
    RgPersistentContact *list;
    int count, room;
} RgPersistentContacts;

/* ------------------------------------------------------------------ an inner step */

typedef struct RgLocatedStates {
    RgState begin, end;
    RgState mid;                 /* u after the first half, and its contact memory */
    RgState probe;               /* u and memory of a solve that leaves no trace */
    const RgContactMemory *last; /* impulses that begin.u came from */
    double *u_free;              /* nu: of the last velocity update, before contacts */
} RgLocatedStates;

/* The motion between the two ends of a trial. */
typedef struct RgLocatedPath {
    double *u[2];           /* nu: velocities at both ends, without impacts */
    RgBodyEnd *ends[2];     /* nbodies */
    RgBodyPath *bodies;     /* nbodies */
    double *axes;           /* memory of the next two */
    double *q[2], *rate[2]; /* naxes: positions and rates of joint axes at both ends */
    RgScenePath *proofs;    /* NULL: nothing can touch */
} RgLocatedPath;

/* What a trial came to. */
typedef struct RgTrial {
    double proven; /* s: no two shapes met until then */
    RgSceneProof proof;
    bool flew;    /* smooth motion: nothing touched, no row acted */
    bool turns;   /* some body turns too far for one path */
    bool lands;   /* a new contact at its end */
    bool changed; /* another contact mode at its end, before impacts, than at its start */
    RgCut change; /* of these: what */
    double when;  /* s: estimate; NaN: not known */
    double size;  /* at the end: slip, m/s, or opening acceleration, m/s^2; 0: not known */
    double limit; /* s: first time at which a joint reaches its limit; infinite: none does */
} RgTrial;

/* A search for the length of an inner step. */
typedef struct RgSearch {
    double h;            /* present trial */
    double low, high;    /* nothing has changed at low; something has at high (infinite: not known) */
    RgCut cut;           /* why the present trial is as long as it is */
    bool final;          /* it ends at a contact; it is taken unless something has changed before */
    bool found;          /* it ends at a change; it is taken */
    double back;         /* factor by which the next trial falls short of what was proven */
    double tried, ended; /* the last trial that was too long, and where it ended; 0: none */
    double reach;        /* s: how far behind low the next trial goes */
    int guesses;         /* trials that followed an estimate */
    RgCut size_of;       /* change, length and size of the last trial with a change; 0: none */
    double size_at, size;
} RgSearch;

/* Smooth motion of exactly h: x and u of end from begin. go NULL: Runge-Kutta of order 4. */
typedef struct RgSmoothMotion {
    RgStatus (*go)(void *context, const RgState *begin, double h, RgState *end);
    void *context;
} RgSmoothMotion;

typedef struct RgLocated {
    RgStepScope *scope;
    RgGapProjector *projector;
    RgSprings springs;
    bool stiff; /* there are springs or dampers, and they are implicit */
    RgSmoothMotion smooth;
    bool unproven; /* trials make no paths and prove nothing */
    RgLocatedStates states;
    RgLocatedPath path;
    RgContactSet contacts_begin; /* without those that were released */
    RgContactSet contacts_end;
    RgPreviousContacts previous_contacts;
    RgPersistentContacts persistent;
    double gap;           /* m: what is nearer at the start touches; grown where no step is proven */
    bool impact;          /* the present trial ends in one; u_free is the velocity before it */
    double nominal;       /* s: the present outer step */
    int friction_changes; /* located in the present outer step */
    RgSolverWork work;    /* of the present trial's solves, and of those at the start before it */
} RgLocated;

/* ------------------------------------------------------------------ located_contacts.c */

/* m/s: rate of a gap; velocity of B against A at a contact, and its normal; its tangential speed. At the form's last
   kinematics. */
double rg_gap_opening(const RgForm *form, const RgGap *gap, const double *u);
RgVec3 rg_gap_velocity(const RgForm *form, const RgGap *gap, const double *u, RgVec3 *normal);
double rg_gap_slip(const RgForm *form, const RgGap *gap, const double *u);

RgGapKey rg_gap_key(const RgGap *gap);
int32_t rg_contact_set_find(const RgContactSet *set, RgGapKey key); /* -1: not there */
/* Notes all points of a set as the previous ones. False: no memory. */
bool rg_previous_contacts_note(RgPreviousContacts *previous, const RgTouchSet *touch, const RgAllocator *allocator);
bool rg_was_contact(const RgPreviousContacts *previous, RgGapKey key);
const RgPersistentContact *rg_persistent_contact(const RgPersistentContacts *set, RgGapKey key); /* NULL: none */

void rg_contact_set_free(RgContactSet *set, const RgAllocator *allocator);
/* Everything nearer than gap; of the scene as it is placed; at x, u. */
RgStatus rg_contact_set_placed(RgStepScope *scope, double gap, RgContactSet *out);
RgStatus rg_contact_set_search(RgStepScope *scope, const RgState *at, double gap, RgContactSet *out);
/* Least measured gap; its point in *at. Infinite: no points. */
double rg_contact_set_lowest(const RgContactSet *set, int32_t *at);
/* Only points with keep stay. */
void rg_contact_set_filter(RgContactSet *set);

/* Drift at the contacts of a set, by a central difference over a part of h; the form is at x, u again afterwards. */
void rg_contact_set_drift(RgStepScope *scope, const RgState *at, double h, RgContactSet *set);
void rg_contact_set_no_drift(RgContactSet *set);

/* Room for so many gap constraints; those that are there are kept. */
bool rg_persistent_reserve(RgPersistentContacts *set, const RgAllocator *allocator, int needed);

/* What touches at begin, and of that what is not released: contacts_begin, previous_contacts. Impacts are solved. */
RgStatus rg_located_find_contacts(RgLocated *l, double h);

/* ------------------------------------------------------------------ located_release.c */

/* Whether a contact of the start opens after an update to u, beyond its target. */
bool rg_located_opens(const RgLocated *l, int32_t point, const double *u);
/* Whether a contact of the start is lifted by the first half, with contacts and without them. */
bool rg_located_lifts(const RgLocated *l, const RgVelocityUpdate *update, int32_t point, const double *u);
/* Which persistent contacts separate at the end of a trial of length h. *solved: there was a solve, which the contact
   stage and u_free are of; else they are as they were. */
RgStatus rg_located_find_separating(RgLocated *l, double h, bool *solved);
/* Contacts that open at the start are released; micro bounces come to rest. */
RgStatus rg_located_release_opening(RgLocated *l, double h);
/* Contacts that separated in the last trial are released; false: there are none. */
bool rg_located_release_left(RgLocated *l);

/* ------------------------------------------------------------------ located_modes.c */

/* What has changed at the end of a trial; form: at its end. */
void rg_located_compare(RgLocated *l, double h, RgTrial *out);
/* If new contacts close at u, contacts_end keeps only persistent ones. */
void rg_located_find_landing(RgLocated *l, const double *u, bool *lands);
/* Joint axes as the form has them, at the start (0) or end (1); the first time at which one reaches a limit. */
void rg_located_axes(const RgStepScope *scope, RgLocatedPath *path, int at);
double rg_located_limit(const RgLocated *l, double h);

/* ------------------------------------------------------------------ located_trial.c */

/* One inner step of length h from begin to end, and what it comes to. */
RgStatus rg_located_trial(RgLocated *l, double h, RgTrial *out);
/* A velocity update; its work is summed. */
RgStatus rg_located_solve(RgLocated *l, const RgVelocityUpdate *update, RgState *out);
/* That over h with the contacts of a set, towards their targets -h drift. */
RgVelocityUpdate rg_located_update(RgContactSet *set, const RgState *at, const double *from, double h);
/* The same at the start: contacts_begin, from begin.u, joint rows with their drift. *at is filled in. */
RgVelocityUpdate rg_located_update_begin(RgLocated *l, double h, RgState *at);

/* ------------------------------------------------------------------ located_report.c */

/* Reports the inner step; states.end.t is set. Events: the contact solver is as the inner step left it. */
void rg_located_report_step(RgLocated *l, const RgSearch *search, const RgTrial *trial);
RgStatus rg_located_report_events(RgLocated *l, const RgSearch *search);

/* ------------------------------------------------------------------ located_step.c */

bool rg_located_take(RgArena *arena, RgStepScope *scope, RgLocated *l);
/* Whether the solver keeps joints and loops; error says why not. */
RgStatus rg_located_keeps_joints(const RgStepScope *scope, RgError *error);
/* Once shapes and constraints are there: memory that is not the arena's. */
RgStatus rg_located_check(RgLocated *l, RgError *error);
void rg_located_release(RgLocated *l);

/* Begins an outer step at s0. separate: shapes that overlap are moved apart; else refused. */
RgStatus rg_located_start(RgLocated *l, const RgState *s0, bool separate);
/* One inner step of at most h from begin to end; begin.u is then after impacts there. Only rejected trials are
   reported. */
RgStatus rg_located_inner(RgLocated *l, double h, RgSearch *search, RgTrial *trial);
void rg_located_accept(RgLocated *l); /* the end is the next begin */
void rg_located_finish(RgLocated *l, const RgSolverWork *work, RgState *s1);
/* All inner steps of an outer one. */
RgStatus rg_located_advance(RgLocated *l, const RgState *s0, double h, RgState *s1);

#endif
