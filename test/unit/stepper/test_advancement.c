/*
 * test_advancement.c - velocities stay constant for no longer than nothing touches: random shapes, free and on trees,
 * apart and in touch, in both coordinate forms.
 *
 * The twin is the motion itself, looked at densely, with distances from the collision library.
 */
#include "stepper/papers/advancement.h"

#include "check_near.h"
#include "draw.h"
#include "scenes.h"
#include "sim/world_internal.h"
#include "touching.h"
#include "worlds.h"

#include <stdio.h>

#define LOOKS 40
#define MOST_NEAR 16

/* A world and the advancement of its scope. */
typedef struct Case {
    RgModel *model;
    RgWorld *world;
    RgArena arena;
    RgAdvancement advancement;
} Case;

static Case case_make(RgModel *model, const char *coords)
{
    RgWorldDef def = world_def(model, coords, "advance");
    Case c = {.model = model, .world = world_make(&def)};
    rg_arena_init(&c.arena, &c.world->arena.allocator);
    cr_assert(rg_advancement_alloc(&c.arena, &c.world->scope, &c.advancement));
    return c;
}

static void case_end(Case *c)
{
    rg_arena_free(&c->arena);
    world_end(c->world, c->model);
}

static RgAdvance find(Case *c, double horizon)
{
    RgAdvance out;
    RgAdvanceAsk ask = {.x = c->world->state.x, .u = c->world->state.u, .horizon = horizon};
    cr_assert(rg_advancement_find(&c->advancement, &ask, &out) == RG_OK);
    return out;
}

/* Least distance of all pairs after s at constant velocities. */
static double distance_after(Case *c, double s)
{
    RgStepScope *scope = &c->world->scope;
    RgForm *form = scope->form;
    double *move = scope->scratch.memory[4], *x = scope->scratch.x;
    for (int k = 0; k < form->nu; k++)
        move[k] = s * c->world->state.u[k];
    form->kind->integrate(form, c->world->state.x, move, x);
    form->kind->kinematics(form, x, c->world->state.u);
    RgShapeDistance near[MOST_NEAR];
    int count;
    cr_assert(rg_contact_scene_place(scope->scene, form->kin) == RG_OK);
    cr_assert(rg_contact_scene_near(scope->scene, 1e3, near, MOST_NEAR, &count) == RG_OK);
    double least = INFINITY;
    for (int i = 0; i < count && i < MOST_NEAR; i++)
        least = fmin(least, near[i].distance.distance);
    return least;
}

/* A shape of any convex kind, within a ball of 0.2 to 0.7 m. */
static RgShapeDef draw_shape(Draw *d, RgLinkId link)
{
    static const RgShapeType kinds[] = {RG_SHAPE_box, RG_SHAPE_sphere, RG_SHAPE_capsule, RG_SHAPE_cylinder,
                                        RG_SHAPE_ellipsoid};
    RgShapeDef def = rg_shape_def_default();
    def.link = link;
    def.type = kinds[draw_below(d, 5)];
    for (int i = 0; i < 3; i++)
        def.size[i] = draw_between(d, 0.1, 0.4);
    def.X_LS = (RgPose){mat_turn(draw_direction(d), draw_between(d, 0.0, 3.0)), draw_vec(d, 0.2)};
    return def;
}

static RgLinkId draw_link(RgBuilder *b, Draw *d, const char *name)
{
    RgLinkId link = link_add(b, name, inertia_box(1.0, draw_vec(d, 0.1), vec(0.3, 0.2, 0.4)));
    RgShapeDef def = draw_shape(d, link);
    rg_builder_add_shape(b, &def);
    return link;
}

/* Two bodies in flight over the ground, or an arm of three joints of any turning or sliding kind over it. */
static RgModel *draw_model(Draw *d, bool tree)
{
    static const RgJointType kinds[] = {RG_JOINT_revolute,  RG_JOINT_prismatic, RG_JOINT_universal,
                                        RG_JOINT_spherical, RG_JOINT_screw,     RG_JOINT_cylindrical};
    RgBuilder *b = scene_begin("drawn");
    RgLinkId parent = {0};
    for (int i = 0; i < (tree ? 3 : 2); i++) {
        char name[24], joint[24];
        snprintf(name, sizeof name, "link%d", i);
        snprintf(joint, sizeof joint, "joint%d", i);
        RgLinkId link = draw_link(b, d, name);
        if (tree) {
            RgJointDef def = joint_at(kinds[draw_below(d, 6)], joint, parent, link,
                                      i == 0 ? vec(0.0, 0.0, 1.5) : draw_vec(d, 0.6), draw_direction(d));
            joint_add(b, &def);
        }
        parent = link;
    }
    ground_add(b, surface_mu(0.5));
    return scene_end(b);
}

static void draw_state(Case *c, Draw *d, bool tree)
{
    RgModelInfo info = rg_model_info(c->model);
    double q[32] = {0}, v[32] = {0};
    const double *neutral = rg_world_q(c->world);
    for (int i = 0; i < info.nq; i++)
        q[i] = neutral[i] + (tree ? draw_between(d, -0.3, 0.3) : 0.0);
    for (int i = 0; i < 2 && !tree; i++) {
        for (int k = 0; k < 4; k++)
            q[7 * i + k] = draw_between(d, -1.0, 1.0);
        for (int k = 0; k < 3; k++)
            q[7 * i + 4 + k] = draw_between(d, -0.8, 0.8) + (k == 2 ? 1.5 : 0.0);
    }
    for (int i = 0; i < info.nv; i++)
        v[i] = draw_between(d, -4.0, 4.0);
    rg_world_set_state(c->world, q, v);
}

/* Nothing that is apart comes nearer than half the gap before the time told; and what is met then is within the gap. */
static int check_apart(bool tree, const char *coords, int trials)
{
    int met = 0;
    for (int trial = 0; trial < trials; trial++) {
        Draw d = draw_seed(1000u + (uint64_t)trial);
        Case c = case_make(draw_model(&d, tree), coords);
        draw_state(&c, &d, tree);
        double gap = c.world->scope.adapt.gap;
        if (distance_after(&c, 0.0) > 2.0 * gap) {
            RgAdvance safe = find(&c, 0.5);
            double least = INFINITY;
            for (int k = 0; k <= LOOKS; k++)
                least = fmin(least, distance_after(&c, safe.time * k / LOOKS));
            cr_expect(least >= 0.4999 * gap, "trial %d: %g m after %g s", trial, least, safe.time);
            cr_expect(safe.least <= least + 1e-12, "trial %d: told %g, seen %g", trial, safe.least, least);
            met += safe.cut == RG_CUT_contact;
            if (safe.cut == RG_CUT_contact)
                cr_expect(distance_after(&c, safe.time) <= 1.0001 * gap, "trial %d: %g m", trial,
                          distance_after(&c, safe.time));
        }
        case_end(&c);
    }
    return met;
}

Test(advancement, never_too_long)
{
    for (int k = 0; k < 4; k++) {
        int met = check_apart(k / 2 == 1, both_forms[k % 2], 250);
        cr_expect(met > 20, "only %d of them met anything", met);
    }
}

/* At constant velocity the time is that of the closed form, to the width of the gap. */
Test(advancement, a_ball_meets_the_ground_in_time)
{
    for (int k = 0; k < 2; k++) {
        RgBuilder *b = scene_begin("ball");
        ground_add(b, surface_mu(0.5));
        RgLinkId ball = ball_add(b, "ball", 1.0, 0.1, vec(0.0, 0.0, 1.0), surface_mu(0.5));
        Case c = case_make(scene_end(b), both_forms[k]);
        link_launch(c.world, ball, vec(3.0, 2.0, 1.0), vec(5.0, 0.0, -2.0));
        double gap = c.world->scope.adapt.gap;
        RgAdvance safe = find(&c, 10.0);
        cr_expect(safe.cut == RG_CUT_contact && safe.shape_a >= 0 && safe.shape_b >= 0);
        cr_expect(safe.time >= (0.9 - gap) / 2.0 && safe.time <= (0.9 - 0.4999 * gap) / 2.0, "%.17g", safe.time);
        cr_expect(find(&c, 0.3).cut == RG_CUT_whole && find(&c, 0.3).time == 0.3);

        /* What parts never meets. */
        link_launch(c.world, ball, vec(3.0, 2.0, 1.0), vec(5.0, 0.0, 2.0));
        cr_expect(find(&c, 10.0).cut == RG_CUT_whole);
        case_end(&c);
    }
}

/* What rests, slides or turns about the normal is not cut at all; what rocks keeps what it must. */
Test(advancement, what_touches)
{
    const struct {
        RgVec3 w, v;
        bool cut;
    } cases[] = {{{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, false},
                 {{0.0, 0.0, 5.0}, {3.0, 1.0, 0.0}, false},
                 {{0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, false},
                 {{1.0, 0.0, 0.0}, {0.0, 0.0, 0.15}, false}, /* rolls over an edge, which rises */
                 {{1.0, 0.0, 5.0}, {0.0, 0.0, 0.15}, true},  /* and yaws: a corner dives to second order */
                 {{0.0, 0.0, 0.0}, {0.0, 0.0, -1.0}, true}};
    for (int i = 0; i < 12; i++) {
        RgBuilder *b = scene_begin("box");
        ground_add(b, surface_mu(0.5));
        RgLinkId box = box_add(b, "box", 1.0, vec(0.3, 0.3, 0.3), vec(0.0, 0.0, 0.15 + 5e-8), surface_mu(0.5));
        Case c = case_make(scene_end(b), both_forms[i % 2]);
        link_launch(c.world, box, cases[i / 2].w, cases[i / 2].v);
        RgAdvance safe = find(&c, 1.0);
        cr_expect((safe.time < 1.0) == cases[i / 2].cut, "case %d: %g s", i / 2, safe.time);
        for (int k = 0; k <= LOOKS; k++)
            cr_expect(distance_after(&c, safe.time * k / LOOKS) > 2e-8);
        case_end(&c);
    }
}

/* Errors of velocities only shorten. */
Test(advancement, errors_shorten)
{
    for (int trial = 0; trial < 200; trial++) {
        Draw d = draw_seed(5000u + (uint64_t)trial);
        Case c = case_make(draw_model(&d, trial % 2 == 1), "minimal");
        draw_state(&c, &d, trial % 2 == 1);
        double none[32] = {0}, error[32];
        for (int k = 0; k < 32; k++)
            error[k] = draw_between(&d, -0.5, 0.5);
        RgAdvance exact, wrong;
        RgAdvanceAsk ask = {
            .x = c.world->state.x, .u = c.world->state.u, .error = none, .horizon = 0.5, .once = true, .beyond = 1e-4};
        cr_assert(rg_advancement_find(&c.advancement, &ask, &exact) == RG_OK);
        ask.error = error;
        cr_assert(rg_advancement_find(&c.advancement, &ask, &wrong) == RG_OK);
        cr_expect(wrong.time <= exact.time * (1.0 + 1e-9), "trial %d: %g, without errors %g", trial, wrong.time,
                  exact.time);
        case_end(&c);
    }
}

/* A joint that nears its limit. */
Test(advancement, limits)
{
    RgAxisDef axis = rg_axis_def_default();
    axis.lower = -0.5;
    axis.upper = 0.25;
    for (int k = 0; k < 2; k++) {
        RgModel *model = scene_pendulum(inertia_diagonal(1.0, vec(0.0, 0.0, 0.0), vec(0.5, 0.5, 0.5)), &axis);
        Case c = case_make(model, both_forms[k]);
        const double q = 0.1, up = 3.0, down = -2.0;
        rg_world_set_state(c.world, &q, &up);
        cr_expect(find(&c, 1.0).cut == RG_CUT_limit);
        CHECK_NEAR(find(&c, 1.0).time, 0.05, 1e-7, "s");
        rg_world_set_state(c.world, &q, &down);
        CHECK_NEAR(find(&c, 1.0).time, 0.3, 1e-7, "s");
        case_end(&c);
    }
}
