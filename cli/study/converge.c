/*
 * converge.c - distance between two motions, and the order of a sequence of differences.
 *
 *   distance of two poses of a link     |p - p'| + r angle,   angle = 2 asin(|R - R'| / sqrt 8)   (Frobenius norm)
 *   reach r of a link                   |c| + sqrt(5 tr I / 6 m): the ball with the same moments, about its centre
 *   order (Richardson)                  x_h = x + C h^p  gives  |x_h - x_h/2| / |x_h/2 - x_h/4| = 2^p
 *
 * The distance bounds the displacement of all points within r of the link's origin. Lists of events are compared by edit
 * distance (Wagner and Fischer, 1974) after their common prefix.
 */
#include "study/converge.h"

#include <math.h>
#include <string.h>

/* Cells of the edit table at most: about a second. */
#define EDIT_CELLS 4e8

/* Relative: smaller differences are round-off. */
#define ROUND_OFF 1e-13

static double length3(RgVec3 v)
{
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

double *rg_reaches(RgPool *pool, const RgModel *model)
{
    int links = rg_model_info(model).links;
    double *reach = rg_pool_take(pool, (size_t)links + 1, sizeof *reach);
    for (int i = 0; i < links; i++) {
        RgInertia in = rg_model_link(model, (RgLinkId){i + 1}).inertia;
        double trace = in.I.xx + in.I.yy + in.I.zz;
        reach[i] = in.mass > 0.0 ? length3(in.com) + sqrt(fmax(5.0 * trace / (6.0 * in.mass), 0.0)) : 0.0;
    }
    return reach;
}

double rg_pose_distance(const RgPose *a, const RgPose *b, const double *reach, int links)
{
    double most = 0.0;
    for (int i = 0; i < links; i++) {
        RgVec3 d = {a[i].p.x - b[i].p.x, a[i].p.y - b[i].p.y, a[i].p.z - b[i].p.z};
        double square = 0.0;
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) {
                double e = a[i].R.m[r][c] - b[i].R.m[r][c];
                square += e * e;
            }
        double angle = 2.0 * asin(fmin(sqrt(square / 8.0), 1.0));
        most = fmax(most, length3(d) + reach[i] * angle);
    }
    return most;
}

static const RgPose *sample(const RgTrack *track, int k)
{
    return track->poses + (size_t)k * (size_t)track->links;
}

double rg_track_motion(const RgTrack *track, const double *reach)
{
    double most = 0.0;
    for (int k = 1; k < track->samples; k++)
        most = fmax(most, rg_pose_distance(sample(track, 0), sample(track, k), reach, track->links));
    return most;
}

RgTrackDifference rg_track_compare(const RgTrack *a, const RgTrack *b, const double *reach, double motion)
{
    RgTrackDifference out = {.most = 0.0};
    bool parted[RG_DIGITS] = {false};
    for (int k = 0; k < a->samples; k++) {
        out.end = rg_pose_distance(sample(a, k), sample(b, k), reach, a->links);
        out.most = fmax(out.most, out.end);
        double bound = motion;
        for (int d = 0; d < RG_DIGITS; d++) {
            bound *= 0.1;
            parted[d] = parted[d] || out.end > bound;
            if (!parted[d])
                out.until[d] = k * a->spacing;
        }
    }
    for (int d = 0; d < RG_DIGITS; d++)
        out.throughout[d] = !parted[d];
    return out;
}

void rg_track_add_event(const RgEvent *event, void *context)
{
    RgTrack *track = context;
    track->events = rg_pool_grow(track->pool, track->events, track->nevents, sizeof *track->events);
    track->events[track->nevents++] = *event;
}

static bool same_event(const RgEvent *a, const RgEvent *b)
{
    return a->kind == b->kind && a->link_a == b->link_a && a->link_b == b->link_b && a->joint == b->joint &&
           a->dof == b->dof;
}

/* Edit distance of two lists, one row of the table at a time. */
static int edit_distance(RgPool *pool, const RgEvent *a, int na, const RgEvent *b, int nb)
{
    if ((double)na * nb > EDIT_CELLS)
        return -1;
    int *row = rg_pool_take(pool, (size_t)nb + 1, sizeof *row);
    for (int j = 0; j <= nb; j++)
        row[j] = j;
    for (int i = 1; i <= na; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= nb; j++) {
            int replace = diagonal + !same_event(&a[i - 1], &b[j - 1]);
            int other = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);
            diagonal = row[j];
            row[j] = replace < other ? replace : other;
        }
    }
    return row[nb];
}

RgEventDifference rg_events_compare(RgPool *pool, const RgTrack *a, const RgTrack *b)
{
    RgEventDifference out = {.edits = 0};
    int n = a->nevents < b->nevents ? a->nevents : b->nevents;
    while (out.common < n && same_event(&a->events[out.common], &b->events[out.common])) {
        out.time = fmax(out.time, fabs(a->events[out.common].t - b->events[out.common].t));
        out.common++;
    }
    out.edits = edit_distance(pool, a->events + out.common, a->nevents - out.common, b->events + out.common,
                              b->nevents - out.common);
    return out;
}

double rg_observed_order(double d1, double d2, double ratio)
{
    if (!(d1 > 0.0 && d2 > ROUND_OFF * d1 && ratio > 1.0))
        return NAN;
    return log(d1 / d2) / log(ratio);
}
