/*
 * located_shots.h - fast things against thin things, each with the time at which it truly touches.
 *
 *   fixed-sheet   a bullet (sphere, box, capsule) at 10 to 10,000 m/s against a fixed sheet of 1 x 1 m x 1 mm
 *   free-sheet    the same sheet stands on the ground, held by nothing
 *   gate          a plate of 0.4 x 0.2 m x 1 mm spins and flies towards two posts of 1 mm, 0.2 m apart
 *   swing         a rod of 1 m on a hinge turns by about half a turn a step, past a post of 1 mm
 *   chain         20 links of 5 m fall from horizontal onto a sheet of 1 mm, 60 to 90 m below
 *
 * Until they touch all but the chain move in closed form: straight, and at constant spin about a principal axis. So it
 * is known without any simulator whether and when they touch, and how they would go on if nothing was there. The
 * chain's way is that of rk4 without contact.
 */
#ifndef BENCH_LOCATED_SHOTS_H
#define BENCH_LOCATED_SHOTS_H

#include "draw.h"
#include "located_run.h"

typedef enum ShotKind { SHOT_FIXED, SHOT_FREE, SHOT_GATE, SHOT_SWING, SHOT_CHAIN, SHOT_KINDS } ShotKind;
extern const char *const shot_names[SHOT_KINDS];

typedef struct Shot {
    ShotKind kind;
    RgModel *model;
    RgVec3 gravity;
    double touch; /* s: first touch; NaN: it flies through */
    double end;   /* s: times of evaluation: the side at `touch`, the motion at `end` */

    RgLinkId link; /* that moves; its twist at the start: world axes */
    RgVec3 w, v;
    RgPose start;   /* gate, swing: where it begins */
    RgVec3 pivot;   /* and about what it turns */
    double rate;    /* swing: of the hinge in place of a twist */
    RgLinkId sheet; /* null: fixed */
    double floor;   /* chain: height of the sheet's lower side */
} Shot;

/* Of that speed (bullets; m/s), for steps of h, drawn. */
Shot shot_create(ShotKind kind, double speed, double h, Draw *draw);
void shot_destroy(Shot *shot);

void shot_start(const Shot *shot, RgWorld *world);

/* Evaluation of a run, step by step. */
typedef struct ShotJudge {
    const Shot *shot;
    double t;      /* of the last look; NaN: none */
    RgVec3 before; /* bullet in the sheet's frame then */
    bool went_through;
} ShotJudge;
void shot_look(RgWorld *world, void *judge); /* LocatedLookFn */

/* It was behind the sheet, or after the true touch where it would be if nothing was there; or at the end it goes on
   as if nothing had been. */
bool shot_missed(const ShotJudge *judge, RgWorld *world);
/* It never touches, and yet does not go on. */
bool shot_stopped_by_nothing(const ShotJudge *judge, RgWorld *world);

#endif
