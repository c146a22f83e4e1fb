/*
 * chain_trials.c - random trials of the bound of 001 eqs. 11-14 (the second test of the archived program), by the
 * library's forward kinematics.
 *
 *   q, q' in [-1, 1], a direction d, a link and a point x of its bounding sphere, all random:
 *   |d . (x(q + q') - x(q))| <= bound(q, q')
 *
 * Random rates have random signs, so trials on links far out come nowhere near the bound. The case made for it does: a
 * straight chain whose first joint alone turns, by 0.05 rad, the point the farthest of the last link, d across the
 * chain.
 */
#include "chain_fall.h"

#include "draw.h"

static RgVec3 place(RgDynamics *dynamics, const double *q, int link, RgVec3 at)
{
    rg_forward_kinematics(dynamics, q, NULL);
    RgPose X = rg_link_pose(dynamics, (RgLinkId){link + 1});
    return vec_add(X.p, mat_apply(X.R, at));
}

/* What one trial is about. */
typedef struct Trial {
    double q[CHAIN_MOST], v[CHAIN_MOST];
    int link;
    RgVec3 at; /* the point, in the link's frame */
    RgVec3 d;
} Trial;

/* Part of the bound that the point comes along d in unit time. */
static double part_reached(const ChainDef *def, RgDynamics *dynamics, const Trial *t, bool lengths)
{
    double after[CHAIN_MOST];
    for (int i = 0; i < def->links; i++)
        after[i] = t->q[i] + t->v[i];
    RgVec3 way = vec_sub(place(dynamics, after, t->link, t->at), place(dynamics, t->q, t->link, t->at));
    return fabs(vec_dot(way, t->d)) / chain_bound(def, t->link, t->q, t->v, lengths);
}

static RgVec3 on_sphere(const ChainDef *def, RgVec3 direction)
{
    return vec_add(vec(0.0, -0.5 * def->length, 0.0), vec_scale(chain_radius(def), direction));
}

ChainTrials chain_trials(const ChainDef *def, const RgModel *model, int count, bool lengths)
{
    ChainTrials out = {0, 0.0};
    RgDynamics *dynamics = rg_dynamics_create(model, NULL);
    Draw draw = draw_seed(1);
    for (int trial = 0; dynamics != NULL && trial < count; trial++) {
        Trial t;
        for (int i = 0; i < def->links; i++) {
            t.q[i] = draw_between(&draw, -1.0, 1.0);
            t.v[i] = draw_between(&draw, -1.0, 1.0);
        }
        t.link = draw_below(&draw, def->links);
        t.at = on_sphere(def, draw_direction(&draw));
        t.d = draw_direction(&draw);
        double part = part_reached(def, dynamics, &t, lengths);
        out.passed += part > 1.0;
        out.most = fmax(out.most, part);
    }
    rg_dynamics_destroy(dynamics);
    return out;
}

double chain_designed_case(const ChainDef *def, const RgModel *model, bool lengths)
{
    RgDynamics *dynamics = rg_dynamics_create(model, NULL);
    if (dynamics == NULL)
        return (double)NAN;
    Trial t = {.v = {0.05}, .link = def->links - 1, .at = on_sphere(def, vec(0.0, -1.0, 0.0)), .d = vec(1.0, 0.0, 0.0)};
    double part = part_reached(def, dynamics, &t, lengths);
    rg_dynamics_destroy(dynamics);
    return part;
}
