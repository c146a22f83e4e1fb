/*
 * test_link_motion.c - no point of a link moves farther than its bound: random chains and trees, every
 * joint kind.
 *
 * The twin is the motion itself: positions integrated at constant rates, forward kinematics before and
 * after.
 */
#include "contact/link_motion.h"

#include "check_near.h"
#include "scene_parts.h"
#include "tree_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHAIN_LINKS 20
#define CHAIN_TRIALS 100000

/* Round-off of the two places whose difference is taken, part of the model's size. */
#define PLACE_ERROR 1e-14

/* 20 boxes of 2 x 5 x 2 m on hinges about z, one below the other. */
static RgModel *chain(bool with_slides)
{
    RgBuilder *b = scene_begin("chain");
    RgLinkId parent = {0};
    for (int i = 1; i <= CHAIN_LINKS; i++) {
        char link[32], joint[32];
        snprintf(link, sizeof link, "link%d", i);
        snprintf(joint, sizeof joint, "joint%d", i);
        RgInertia inertia = inertia_box(200.0, vec(0.0, -2.5, 0.0), vec(2.0, 5.0, 2.0));
        RgLinkId child = link_add(b, link, inertia);
        bool slides = with_slides && (i == 8 || i == 12);
        RgVec3 axis = with_slides && i == 8 ? vec(1.0, 0.0, 0.0) : vec(0.0, 0.0, 1.0);
        RgJointDef def = joint_at(slides ? RG_JOINT_prismatic : RG_JOINT_revolute, joint, parent, child,
                                  vec(0.0, i == 1 ? 0.0 : -5.0, 0.0), axis);
        joint_add(b, &def);
        parent = child;
    }
    return scene_end(b);
}

/* A model with places now and later. */
typedef struct Mover {
    RgModel *model;
    RgDynamics *now, *later;
    int nq, nv, links;
    double *q, *v, *step, *q_later; /* one block, from q on */
} Mover;

static Mover mover(RgModel *model)
{
    RgModelInfo info = rg_model_info(model);
    size_t nq = (size_t)info.nq + 1, nv = (size_t)info.nv + 1;
    double *numbers = calloc(2 * nq + 2 * nv, sizeof *numbers);
    return (Mover){.model = model,
                   .now = rg_dynamics_create(model, NULL),
                   .later = rg_dynamics_create(model, NULL),
                   .nq = info.nq,
                   .nv = info.nv,
                   .links = info.links,
                   .q = numbers,
                   .q_later = numbers + nq,
                   .v = numbers + 2 * nq,
                   .step = numbers + 2 * nq + nv};
}

static void mover_end(Mover *m)
{
    rg_dynamics_destroy(m->now);
    rg_dynamics_destroy(m->later);
    rg_model_destroy(m->model);
    free(m->q);
}

/* A random step away from q = 0, and rates, all within [-1, 1]. */
static void mover_draw(Mover *m, Draw *d)
{
    rg_model_neutral(m->model, m->q);
    for (int i = 0; i < m->nv; i++)
        m->step[i] = draw_between(d, -1.0, 1.0);
    rg_integrate_positions(m->model, m->q, m->step, m->q);
    for (int i = 0; i < m->nv; i++)
        m->v[i] = draw_between(d, -1.0, 1.0);
}

static void mover_look(Mover *m, double t)
{
    for (int i = 0; i < m->nv; i++)
        m->step[i] = t * m->v[i];
    rg_integrate_positions(m->model, m->q, m->step, m->q_later);
    cr_assert_eq(rg_forward_kinematics(m->now, m->q, NULL), RG_OK);
    cr_assert_eq(rg_forward_kinematics(m->later, m->q_later, NULL), RG_OK);
}

/* How far a point of the link has moved along d. */
static double moved(const Mover *m, RgLinkId link, RgVec3 x, RgVec3 d)
{
    RgVec3 before = place_point(rg_link_pose(m->now, link), x);
    return fabs(vec_dot(d, vec_sub(place_point(rg_link_pose(m->later, link), x), before)));
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Eqs. 11-14 for the chain, with unit time: joints 5 m apart, a ball of radius r about each box. The slide
   of a joint is beside the 5 m of its link, and that of the link's own joint counts too. */
static double printed_bound(const Mover *m, int link, bool with_slides, double r)
{
    double sum = 0.0, gamma = 2.0 * r;
    for (int j = link; j >= 1; j--) {
        double rate = fabs(m->v[j - 1]);
        bool slides = with_slides && (j == 8 || j == 12);
        sum += rate * (slides ? 1.0 : gamma);
        gamma += 5.0 + (slides ? fabs(m->q[j - 1]) + rate : 0.0);
    }
    return sum;
}

/* 100,000 steps of 1 s. Returns the median of distance over bound. */
static double try_chain(bool with_slides, uint64_t seed)
{
    Mover m = mover(chain(with_slides));
    Draw draw = draw_seed(seed);
    double *ratio = calloc(CHAIN_TRIALS, sizeof *ratio), r = sqrt(1.0 + 6.25 + 1.0);
    int exceeded = 0, longer = 0;
    for (int i = 0; i < CHAIN_TRIALS; i++) {
        mover_draw(&m, &draw);
        mover_look(&m, 1.0);
        int link = 1 + draw_below(&draw, CHAIN_LINKS);
        RgVec3 d = draw_direction(&draw);
        RgLinkBall ball = {{link}, {0.0, -2.5, 0.0}, r};
        RgVec3 x = vec_add(ball.centre, vec_scale(r, draw_direction(&draw)));
        RgLinkTravel travel = rg_link_travel(m.model, m.q, m.v, &ball, d, 1.0);
        double distance = moved(&m, ball.link, x, d), room = 100.0 * PLACE_ERROR;
        exceeded += distance > travel.path + room || distance > travel.arc + room;
        longer += travel.path > printed_bound(&m, link, with_slides, r) + room;
        ratio[i] = distance / rg_link_motion_bound(m.model, m.q, m.v, &ball, d, 1.0);
    }
    cr_expect_eq(exceeded, 0, "%d of %d exceed the bound", exceeded, CHAIN_TRIALS);
    cr_expect_eq(longer, 0, "%d of %d bounds are longer than that of the equations", longer, CHAIN_TRIALS);
    qsort(ratio, CHAIN_TRIALS, sizeof *ratio, by_size);
    double median = ratio[CHAIN_TRIALS / 2];
    free(ratio);
    mover_end(&m);
    return median;
}

/* The medians are low because 20 joints turn to and fro; a bound that says nothing would have a lower one.
   */
Test(link_motion, chain_of_hinges)
{
    cr_expect_gt(try_chain(false, 1), 0.05);
}

Test(link_motion, chain_with_slides)
{
    cr_expect_gt(try_chain(true, 2), 0.05);
}

/* Every joint kind, branches, floating roots, any horizon, any time within it. */
Test(link_motion, random_trees)
{
    int tried = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        Mover m = mover(random_tree(&(RandomTree){.seed = seed, .links = seed % 2 ? 12 : 0}));
        Draw draw = draw_seed(seed);
        for (int i = 0; i < 250; i++, tried++) {
            mover_draw(&m, &draw);
            double horizon = pow(10.0, draw_between(&draw, -4.0, 0.5));
            double t = horizon * fmax(0.0, 1.0 - pow(draw_between(&draw, 0.0, 1.0), 3.0));
            mover_look(&m, t);
            double radius = draw_between(&draw, 0.0, 0.5);
            RgVec3 d = draw_direction(&draw);
            RgLinkBall ball = {{1 + draw_below(&draw, m.links)}, draw_vec(&draw, 0.5), radius};
            RgVec3 x = vec_add(ball.centre, vec_scale(radius, draw_direction(&draw)));
            RgLinkTravel travel = rg_link_travel(m.model, m.q, m.v, &ball, d, horizon);
            double distance = moved(&m, ball.link, x, d);
            cr_assert(distance <= fmin(travel.path, travel.arc) + 30.0 * PLACE_ERROR,
                      "tree %d, link %d: %.17g m, bounds %.17g and %.17g", (int)seed, ball.link.i, distance,
                      travel.path, travel.arc);
        }
        mover_end(&m);
    }
    cr_expect_eq(tried, 100000);
}

/* The arc leads to the velocity itself: over a short time the worst point moves by 0.999 of its bound. */
Test(link_motion, short_horizon_is_tight)
{
    const double horizon = 1e-6;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        Mover m = mover(random_tree(&(RandomTree){.seed = seed}));
        Draw draw = draw_seed(seed);
        mover_draw(&m, &draw);
        mover_look(&m, horizon);
        RgVec3 d = draw_direction(&draw);
        RgLinkBall ball = {{1 + draw_below(&draw, m.links)}, draw_vec(&draw, 0.5), 0.0};
        double bound = rg_link_motion_bound(m.model, m.q, m.v, &ball, d, horizon);
        double distance = moved(&m, ball.link, ball.centre, d);
        if (bound > 1e-2 * horizon)
            cr_expect_gt(distance, 0.99 * bound, "tree %d: %g of %g m", (int)seed, distance, bound);
        mover_end(&m);
    }
}

/* Closed forms: a hinge on the world, a slide on the world, a floating ball, a link of the world. */
Test(link_motion, one_joint_in_closed_form)
{
    RgBuilder *b = scene_begin("three roots");
    RgInertia inertia = inertia_box(1.0, vec(0.0, 0.0, 0.0), vec(1.0, 1.0, 1.0));
    RgLinkId hinged = link_add(b, "hinged", inertia), slid = link_add(b, "slid", inertia);
    RgLinkId still = link_add(b, "still", inertia);
    RgVec3 z = vec(0.0, 0.0, 1.0), x = vec(1.0, 0.0, 0.0), y = vec(0.0, 1.0, 0.0);
    RgJointDef defs[3] = {joint_at(RG_JOINT_revolute, "hinge", (RgLinkId){0}, hinged, vec(0.0, 0.0, 0.0), z),
                          joint_at(RG_JOINT_prismatic, "slide", (RgLinkId){0}, slid, vec(0.0, 0.0, 0.0), x),
                          joint_at(RG_JOINT_fixed, "weld", (RgLinkId){0}, still, vec(0.0, 0.0, 0.0), z)};
    for (int i = 0; i < 3; i++)
        joint_add(b, &defs[i]);
    RgModel *model = scene_end(b);
    const double q[2] = {0.3, 0.7}, v[2] = {-2.0, 0.5};

    /* Half a turn and more: the path of the farthest point, 2 m from the hinge, is w r t. */
    RgLinkBall ball = {hinged, {1.5, 0.0, 0.0}, 0.5};
    CHECK_REL(rg_link_motion_bound(model, q, v, &ball, x, 2.0), 2.0 * 2.0 * 2.0, 2e-12, "m");
    cr_expect_eq(rg_link_travel(model, q, v, &ball, z, 2.0).path, 0.0, "along the axis nothing moves");

    ball.link = slid;
    CHECK_REL(rg_link_motion_bound(model, q, v, &ball, x, 2.0), 1.0, 2e-12, "m");
    cr_expect_eq(rg_link_motion_bound(model, q, v, &ball, y, 2.0), 0.0, "across the slide nothing moves");

    ball.link = still;
    cr_expect_eq(rg_link_motion_bound(model, q, v, &ball, x, 2.0), 0.0);
    ball.link = (RgLinkId){0};
    cr_expect_eq(rg_link_motion_bound(model, q, v, &ball, x, 2.0), 0.0);
    rg_model_destroy(model);
}

/* A slide far out lengthens the lever of the hinge below it, the more so with time: path = w (l t + u
   t^2/2) + u t. */
Test(link_motion, slides_lengthen_levers)
{
    RgBuilder *b = scene_begin("crane");
    RgInertia inertia = inertia_box(1.0, vec(0.0, 0.0, 0.0), vec(1.0, 1.0, 1.0));
    RgLinkId arm = link_add(b, "arm", inertia), head = link_add(b, "head", inertia);
    RgVec3 z = vec(0.0, 0.0, 1.0), x = vec(1.0, 0.0, 0.0), origin = vec(0.0, 0.0, 0.0);
    RgJointDef hinge = joint_at(RG_JOINT_revolute, "hinge", (RgLinkId){0}, arm, origin, z);
    RgJointDef slide = joint_at(RG_JOINT_prismatic, "slide", arm, head, vec(2.0, 0.0, 0.0), x);
    joint_add(b, &hinge);
    joint_add(b, &slide);
    RgModel *model = scene_end(b);
    const double q[2] = {0.0, 3.0}, v[2] = {0.5, 0.25}, t = 4.0;
    RgLinkBall ball = {head, {0.0, 0.0, 0.0}, 1.0};
    double path = rg_link_travel(model, q, v, &ball, x, t).path;
    CHECK_REL(path, 0.5 * (6.0 * t + 0.25 * 0.5 * t * t) + 0.25 * t, 2e-12, "m");
    rg_model_destroy(model);
}

/* Two hinges outstretched: the tip is drawn inward by w1^2 (l1 + l2) + 2 w1 w2 l2 + w2^2 l2, exactly the
   arc's bound. */
Test(link_motion, acceleration_of_two_hinges)
{
    RgBuilder *b = scene_begin("arm");
    RgInertia inertia = inertia_box(1.0, vec(0.0, 0.0, 0.0), vec(1.0, 1.0, 1.0));
    RgLinkId upper = link_add(b, "upper", inertia), lower = link_add(b, "lower", inertia);
    RgVec3 z = vec(0.0, 0.0, 1.0), x = vec(1.0, 0.0, 0.0), origin = vec(0.0, 0.0, 0.0);
    RgJointDef shoulder = joint_at(RG_JOINT_revolute, "shoulder", (RgLinkId){0}, upper, origin, z);
    RgJointDef elbow = joint_at(RG_JOINT_revolute, "elbow", upper, lower, vec(2.0, 0.0, 0.0), z);
    joint_add(b, &shoulder);
    joint_add(b, &elbow);
    RgModel *model = scene_end(b);
    const double q[2] = {0.0, 0.0}, v[2] = {0.5, 0.25}, h = 1e-3;
    RgLinkBall ball = {lower, {3.0, 0.0, 0.0}, 0.0};
    double inward = 0.25 * 5.0 + 2.0 * 0.125 * 3.0 + 0.0625 * 3.0, arc = rg_link_travel(model, q, v, &ball, x, h).arc;
    CHECK_REL(arc, 0.5 * h * h * inward, 2e-12, "m");

    Mover m = mover(model);
    memcpy(m.q, q, sizeof q);
    memcpy(m.v, v, sizeof v);
    mover_look(&m, h);
    double distance = moved(&m, lower, ball.centre, x);
    cr_expect(distance <= arc + PLACE_ERROR && distance > 0.999 * arc, "%g of %g m", distance, arc);
    mover_end(&m);
}

/* A universal joint's second axis is turned by the first: alpha = w1 w2 adds to w1^2 + w2^2. */
Test(link_motion, acceleration_of_a_universal_joint)
{
    RgBuilder *b = scene_begin("universal");
    RgInertia inertia = inertia_box(1.0, vec(0.0, 0.0, 0.0), vec(1.0, 1.0, 1.0));
    RgLinkId link = link_add(b, "link", inertia);
    RgVec3 x = vec(1.0, 0.0, 0.0), z = vec(0.0, 0.0, 1.0);
    RgJointDef def = joint_at(RG_JOINT_universal, "cross", (RgLinkId){0}, link, vec(0.0, 0.0, 0.0), x);
    def.axis2 = z;
    joint_add(b, &def);
    RgModel *model = scene_end(b);
    const double q[2] = {0.0, 0.0}, v[2] = {0.5, 0.75}, h = 1e-3;
    RgLinkBall ball = {link, {0.0, 0.0, 2.0}, 0.0};
    double most = (0.25 + 0.5625 + 0.375) * 2.0;
    CHECK_REL(rg_link_travel(model, q, v, &ball, z, h).arc, 0.5 * h * h * most, 2e-12, "m");
    rg_model_destroy(model);
}

Test(link_motion, never_a_nan)
{
    RgModel *model = chain(true);
    double q[CHAIN_LINKS], v[CHAIN_LINKS];
    for (int i = 0; i < CHAIN_LINKS; i++) {
        q[i] = 1e200;
        v[i] = i % 2 ? -1e200 : 0.0;
    }
    RgLinkBall ball = {{CHAIN_LINKS}, {0.0, -2.5, 0.0}, 3.0};
    cr_expect_eq(rg_link_motion_bound(model, q, v, &ball, vec(1.0, 0.0, 0.0), 1e200), (double)INFINITY);
    cr_expect_eq(rg_link_motion_bound(model, q, v, &ball, vec(1.0, 0.0, 0.0), (double)INFINITY), (double)INFINITY);
    rg_model_destroy(model);
}
