/*
 * converge.h - motions sampled at the same times, and the distance between them.
 */
#ifndef RIGOR_CONVERGE_H
#define RIGOR_CONVERGE_H

#include "io/pool.h"

#include <rigor/rigor.h>

enum { RG_DIGITS = 6 };

/* One run: poses of all links at every sample, and events. */
typedef struct RgTrack {
    int samples, links;
    double spacing; /* s between samples; the first is the start */
    RgPose *poses;  /* samples x links */
    RgEvent *events;
    int nevents;
    RgPool *pool; /* of the events */
} RgTrack;

/* Radius about the link's origin that contains the link, per link, m. */
double *rg_reaches(RgPool *pool, const RgModel *model);

/* Distance between two sets of poses: largest |p - p'| + reach angle over all links, m. */
double rg_pose_distance(const RgPose *a, const RgPose *b, const double *reach, int links);

/* Largest distance from the start, m. */
double rg_track_motion(const RgTrack *track, const double *reach);

typedef struct RgTrackDifference {
    double most, end;           /* m: over all samples, at the last one */
    double until[RG_DIGITS];    /* s: time until which they agree to within motion / 10^(i + 1) */
    bool throughout[RG_DIGITS]; /* to the end */
} RgTrackDifference;

RgTrackDifference rg_track_compare(const RgTrack *a, const RgTrack *b, const double *reach, double motion);

typedef struct RgEventDifference {
    int edits;   /* insertions, deletions and replacements that make one list the other; -1: too long to compute */
    int common;  /* length of the common prefix */
    double time; /* s: largest difference of times in it */
} RgEventDifference;

/* Events are the same if kind, links, joint and axis are. */
RgEventDifference rg_events_compare(RgPool *pool, const RgTrack *a, const RgTrack *b);

/* Adds an event to a track: an RgEventFn. */
void rg_track_add_event(const RgEvent *event, void *track);

/* From the differences of three runs, d1 of the first two, d2 of the last two, their steps decreasing by ratio: the
   order p with d1 / d2 = ratio^p. NaN: undetermined. */
double rg_observed_order(double d1, double d2, double ratio);

#endif
