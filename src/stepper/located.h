/*
 * located.h - inner steps on which nothing overlaps and which end where something happens.
 *
 *   state --(half kick, contacts)--> U --(move, heights kept)--> x1 --(half kick, contacts, impacts)--> state
 *   bodies on curves between the two (path/), proven apart; else the step is repeated up to where they are
 */
#ifndef RIGOR_LOCATED_H
#define RIGOR_LOCATED_H

#include "constraint/gap_projection.h"
#include "contact/touch_set.h"
#include "path/scene_path.h"
#include "stepper/contact_events.h"
#include "stepper/springs.h"

/* What a try of an inner step came to. */
typedef struct RgTry {
    double proven; /* s: no two shapes met until then */
    RgSceneProof proof;
    bool flew;    /* by smooth motion: nothing touched, no row acted */
    bool turns;   /* some body turns too far for one path */
    bool lands;   /* something comes to touch at its end */
    bool changed; /* something else is another way at its end, before impacts, than at its start */
    RgCut change; /* of those: what */
    double when;  /* s: about when; NaN: not known */
    double
        size; /* how far it has gone at the end: m/s of slip, m/s^2 at which a contact is lifted; 0: not known */
    double limit; /* s: first time at which a joint reaches its limit; infinite: none does */
} RgTry;

/* A search for the length of an inner step. */
typedef struct RgSearch {
    double h;            /* present try */
    double low, high;    /* nothing has changed at low; something has at high (infinite: not known) */
    RgCut cut;           /* why the present try is as long as it is */
    bool final;          /* it ends where something meets; it is taken unless something has changed before */
    bool found;          /* it ends where something has changed; it is taken */
    double back;         /* times by which the next try falls short of what was proven, if that is little */
    double tried, ended; /* the last try that was too long, and where it ended; 0: none */
    double reach;        /* s: how far behind low the next try goes */
    int guesses;         /* tries that followed a guess of when */
    double size_at,
        size; /* the last try at which something had changed, and how far that had gone; 0: none */
    RgCut size_of;
} RgSearch;

/* Who touches whom where: a contact point's pair of shapes and features. */
typedef struct RgTouchKey {
    int32_t shape_a, shape_b;
    uint64_t id;
} RgTouchKey;

/* Beside the points of a set: rate of the velocity of B against A at constant u; and what that shall be after a kick. */
typedef struct RgBends {
    RgVec3 *bend, *wanted;
    RgParting *parting; /* scratch */
    int room;
} RgBends;

/* Forces over a short time, and contacts. */
typedef struct RgKick {
    const RgState *at; /* t, x, u: where forces are found; memory: impulses to begin with */
    const RgTouchSet *set;
    RgBends *bends;               /* contacts bend while they act; NULL: they do not */
    bool joints_bend;             /* and so do joints */
    double k;                     /* s */
    const double *from;           /* nu: velocities before */
    const RgHeldSprings *springs; /* what springs and dampers do; NULL: they are taken at the end of k */
} RgKick;

/* A contact that lasts through a step. */
typedef struct RgLasting {
    bool slips; /* at the start */
    bool left;  /* at the end it leaves, by its forces or its rate there */
    RgVec3
        swing; /* m/s^2: how the velocity of B against A changes, by forces and as it bends, in the first half */
    double lifted;      /* m/s^2: at the end, where that was asked for */
    double slip[2];     /* m/s: at the start, and after the first half kick */
    double pressure[2]; /* N: normal, of the first half and of the second */
} RgLasting;

typedef struct RgLocated {
    RgStepScope *scope;
    RgScenePath *proofs; /* NULL: nothing can touch */
    RgGapProjector *projector;
    bool stiff; /* there are springs or dampers, and they are implicit */
    RgSprings springs;
    double gap;             /* m: what is nearer at the start touches; grown where a step would not go on */
    RgTouchSet here, there; /* what touches at the start, those that leave apart; and at the end */
    RgTouchKey *known;      /* all that touched at the start */
    bool *keep;             /* beside them: scratch */
    bool *still; /* beside them: did not open at the start; what is not held of them ceases there */
    bool *hops;  /* beside those of here: opened, but to no height: held */
    int nknown, known_room;
    bool *keep_there; /* beside those of there: scratch */
    int there_room;
    RgBends bends[2];   /* of here, and of there */
    RgGapWish *wishes;  /* contacts that last */
    RgLasting *lasting; /* beside them */
    int nwishes, wish_room;
    const RgContactMemory *last; /* impulses that begin.u came from */
    RgState begin;               /* of the present inner step */
    RgState mid;                 /* u after the first half kick, and its memory */
    RgState end;                 /* where it leads */
    RgState asked;               /* u and memory of a solve that only asks */
    double *u_path[2];           /* nu: velocities of the path at both ends */
    double *u_free;              /* nu: of the last kick, before contacts */
    RgBodyEnd *ends[2];          /* nbodies */
    RgBodyPath *paths;           /* nbodies */
    double *axes;                /* memory of the next */
    double *q[2], *rate[2];      /* naxes: positions and rates of joint axes at both ends */
    /* Smooth motion of exactly h, x and u of end from those of begin; NULL: Runge-Kutta of order 4. */
    RgStatus (*smooth)(void *context, const RgState *begin, double h, RgState *end);
    void *smooth_context;
    bool
        struck; /* the present try ends in an impact, u_free is how it arrives there, contacts that last in it */
    bool unproven;     /* tries make no paths and prove nothing */
    double nominal;    /* s: the present outer step */
    int located;       /* changes of friction that the present outer step has located */
    RgSolverWork work; /* of the present try's solves, and those of the look before it */
} RgLocated;

bool rg_located_take(RgArena *arena, RgStepScope *scope, RgLocated *l);
/* Whether the solver keeps joints and loops; error says why not. */
RgStatus rg_located_keeps_joints(const RgStepScope *scope, RgError *error);
/* Shapes and constraints are there: what is not the arena's. */
RgStatus rg_located_check(RgLocated *l, RgError *error);
void rg_located_release(RgLocated *l);

/* located_try.c: one inner step of length h from l->begin into l->end, and what it comes to. */
RgStatus rg_located_try(RgLocated *l, double h, RgTry *out);
/* Room for so many wishes, those that are there kept. */
bool rg_located_wish_room(RgLocated *l, int needed);

/* located_leave.c */
/* How velocities at the contacts of a set bend while u stays, by a difference over a part of h; the form is at x, u again
   afterwards. False: no memory. */
bool rg_located_bend(RgLocated *l, const RgTouchSet *set, const RgState *at, double h, RgBends *out);
/* The same where nothing bends. */
bool rg_located_straight(const RgLocated *l, const RgTouchSet *set, RgBends *out);
/* Whether a point of the kick's set has been lifted by it, with contacts and without them. */
bool rg_located_lifts(const RgLocated *l, const RgKick *kick, int32_t point, const double *after);
/* Which contacts that last leave at the end of a try of length h. *asked: there was a solve, which the contact stage and
   u_free are of; else they are as they were. */
RgStatus rg_located_leaving(RgLocated *l, double h, bool *asked);

/* located_hops.c: contacts of here that leave are let go; those whose flight is none come to rest. */
RgStatus rg_located_let_go(RgLocated *l, double h);

/* located_modes.c */
/* Of what is here, only what l->keep says stays. */
void rg_located_drop(RgLocated *l);
/* What touches at l->begin, and of that what stays: l->here. */
RgStatus rg_located_look(RgLocated *l, double h);
/* Contacts that have left in the last try are not held any more; false: there are none. */
bool rg_located_let_leaving_go(RgLocated *l);
/* Velocities at which the gap of a contact changes, and across its normal. */
double rg_located_rate(const RgLocated *l, const RgGap *gap, const double *u);
bool rg_located_opens(const RgLocated *l, int32_t point,
                      const double *u); /* of here, beyond what is wanted */
RgVec3 rg_located_velocity(const RgLocated *l, const RgGap *gap, const double *u,
                           RgVec3 *normal); /* B against A */
double rg_located_slip(const RgLocated *l, const RgGap *gap, const double *u);
/* What is another way at the end of a try; form: at its end. */
void rg_located_compare(RgLocated *l, double h, RgTry *out);
/* Whether a point touched at the start; touches at the end. */
RgTouchKey rg_touch_key(const RgGap *gap);
bool rg_located_knew(const RgLocated *l, RgTouchKey key);
/* A contact that was kept to its height through the try; NULL: it was not. */
const RgLasting *rg_located_lasting(const RgLocated *l, RgTouchKey key);
int32_t rg_located_where(const RgLocated *l, RgTouchKey key); /* -1: not */
/* Where something comes together at u that did not touch at the start, l->there keeps only what did. */
RgStatus rg_located_leave_new(RgLocated *l, const double *u, bool *lands);
/* Joint axes as the form has them, at the start (0) or end (1); and the first time at which one reaches a limit. */
void rg_located_axes(RgLocated *l, int at);
double rg_located_limit(const RgLocated *l, double h);

/* out->u = from + k a, a at at->x, at->u, then impulses of the contacts of the set: u_free is the velocity before them. */
RgStatus rg_located_kick(RgLocated *l, const RgKick *kick, RgState *out);
/* At the start, with what is here: from begin.u. */
RgKick rg_located_kick_here(RgLocated *l, const RgState *at, double k);

/* located_step.c: all inner steps of an outer one. */
RgStatus rg_located_start(RgLocated *l, const RgState *s0);
/* Goes from l->begin to l->end, h later at most; l->begin.u is then after impacts there. Nothing is told but tries that
   were thrown away. */
RgStatus rg_located_inner(RgLocated *l, double h, RgSearch *search, RgTry *try);
/* located_tell.c: tells of the inner step; l->end.t is set. Events: the contact stage is as the inner step left it. */
void rg_located_tell_step(RgLocated *l, const RgSearch *search, const RgTry *try);
RgStatus rg_located_tell_events(RgLocated *l, const RgSearch *search);
void rg_located_go_on(RgLocated *l); /* the end is the next begin */
void rg_located_finish(RgLocated *l, const RgSolverWork *work, RgState *s1);
RgStatus rg_located_advance(RgLocated *l, const RgState *s0, double h, RgState *s1);

/* Part of a step that is left over by round-off. */
#define RG_LOCATED_ROUND_OFF 1e-12

/* Normal speed (m/s) below which contacts last, and speed across the normal above which they slip. */
#define RG_LOCATED_REST 1e-6
#define RG_LOCATED_SLIP 1e-6

/* s: what forces act for in an impact: next to nothing. */
#define RG_LOCATED_IMPACT 1e-8

#endif
