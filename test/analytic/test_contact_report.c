/*
 * test_contact_report.c - what rg_world_contact_forces says is what moved the bodies: Newton's and Euler's laws
 * for every body of a heap, step by step; and states, slip and gaps where they are known.
 *
 * For a body that moves alone, a step of semi-implicit Euler is, with the reported mean forces,
 *
 *   m (v1 - v0) / h = m g + sum f        I (w1 - w0) / h = sum ((p - c) x f + moment)       (a ball: I = 2/5 m r^2)
 */
#include "check_near.h"
#include "touching.h"
#include "worlds.h"

#define H 2e-3
#define BALLS 6
#define BOXES 3
#define BODIES (BALLS + BOXES)

typedef struct Heap {
    RgModel *model;
    RgLinkId link[BODIES];
    double mass[BODIES], inertia[BODIES]; /* inertia: of balls */
} Heap;

/* Balls and boxes above each other, with friction of every kind. */
static Heap heap_make(void)
{
    Heap heap = {0};
    RgSurfaceDef s = surface_mu(0.6);
    s.torsional = 0.004;
    s.rolling = 0.003;
    RgBuilder *b = scene_begin("heap");
    ground_add(b, s);
    for (int i = 0; i < BODIES; i++) {
        char name[16];
        snprintf(name, sizeof name, "body%d", i);
        double mass = 0.5 + 0.3 * i, r = 0.08 + 0.01 * (i % 3);
        RgVec3 p = vec(0.07 * (i % 2), 0.05 * (i % 3), 0.15 + 0.22 * i);
        heap.mass[i] = mass;
        heap.inertia[i] = 0.4 * mass * r * r;
        heap.link[i] =
            i % 3 == 2 ? box_add(b, name, mass, vec(0.3, 0.25, 0.1), p, s) : ball_add(b, name, mass, r, p, s);
    }
    heap.model = scene_end(b);
    return heap;
}

/* Sum of forces, and of their moments about the link's origin at p. */
static RgForce load_on(RgWorld *world, RgLinkId link, RgVec3 p)
{
    const RgContactForce *c = NULL;
    int count = rg_world_contact_forces(world, &c);
    RgForce sum = {0};
    for (int i = 0; i < count; i++) {
        RgLinkId of[2] = {rg_model_shape(rg_world_model(world), c[i].shape_a).link,
                          rg_model_shape(rg_world_model(world), c[i].shape_b).link};
        for (int side = 0; side < 2; side++) {
            if (of[side].i != link.i)
                continue;
            RgVec3 f = vec_scale(side == 1 ? 1.0 : -1.0, c[i].force);
            RgVec3 m = vec_scale(side == 1 ? 1.0 : -1.0, c[i].moment);
            sum.f = vec_add(sum.f, f);
            sum.n = vec_add(sum.n, vec_add(m, vec_cross(vec_sub(c[i].point, p), f)));
        }
    }
    return sum;
}

/* One step: how far Newton's and (for balls) Euler's laws are off. */
static void check_step(RgWorld *world, const Heap *heap, double *force, double *moment)
{
    RgPose X[BODIES];
    RgMotion V[BODIES];
    for (int i = 0; i < BODIES; i++) {
        X[i] = rg_world_link_pose(world, heap->link[i]);
        V[i] = rg_world_link_twist(world, heap->link[i]);
    }
    cr_assert(rg_world_step(world, H, NULL) == RG_OK);
    for (int i = 0; i < BODIES; i++) {
        RgMotion W = rg_world_link_twist(world, heap->link[i]);
        RgForce load = load_on(world, heap->link[i], X[i].p);
        RgVec3 need = vec_scale(heap->mass[i] / H, vec_sub(W.v, V[i].v));
        need.z += heap->mass[i] * TOUCH_G;
        RgVec3 off = vec_sub(load.f, need);
        *force = fmax(*force, sqrt(vec_dot(off, off)));
        off = vec_sub(load.n, vec_scale(heap->inertia[i] / H, vec_sub(W.w, V[i].w)));
        if (i % 3 != 2)
            *moment = fmax(*moment, sqrt(vec_dot(off, off)));
    }
}

Test(contact_report, forces_and_moments_are_what_moves_the_bodies)
{
    Heap heap = heap_make();
    for (int k = 0; k < 4; k++) {
        RgWorldDef def = world_def(heap.model, both_forms[k / 2], "semi-implicit");
        def.solver = k % 2 == 0 ? "quick" : "pgs";
        RgWorld *world = world_make(&def);
        double force = 0.0, moment = 0.0;
        for (int step = 0; step < 600; step++)
            check_step(world, &heap, &force, &moment);
        CHECK_NEAR(force, 0.0, 1e-7, "N");
        CHECK_NEAR(moment, 0.0, 1e-7, "N m");
        rg_world_destroy(world);
    }
    rg_model_destroy(heap.model);
}

/* A box that slides, one that stays, and a ball near the ground that it will not reach within the step. */
Test(contact_report, states_slip_and_gaps)
{
    const double mu = 0.3;
    RgBuilder *b = scene_begin("states");
    ground_add(b, surface_mu(mu));
    RgLinkId slides = box_add(b, "slides", 1.0, vec(0.2, 0.2, 0.1), vec(0, 0, 0.05), surface_mu(mu));
    RgLinkId stays = box_add(b, "stays", 1.0, vec(0.2, 0.2, 0.1), vec(0, 3.0, 0.05), surface_mu(mu));
    RgModel *model = scene_end(b);
    for (int k = 0; k < 4; k++) {
        RgWorldDef def = world_def(model, both_forms[k / 2], "semi-implicit");
        def.solver = k % 2 == 0 ? "quick" : "pgs";
        RgWorld *world = world_make(&def);
        link_launch(world, slides, vec(0, 0, 0), vec(1.2, -0.9, 0.0));
        world_run(world, 50, H);
        RgVec3 v = rg_world_link_twist(world, slides).v;
        const RgContactForce *c = NULL;
        int count = rg_world_contact_forces(world, &c), seen[2] = {0, 0};
        RgVec3 rub = vec(0, 0, 0);
        for (int i = 0; i < count; i++) {
            int of = rg_model_shape(model, c[i].shape_b).link.i;
            CHECK_NEAR(c[i].normal.z, 1.0, 1e-9, "1");
            CHECK_NEAR(c[i].gap, 0.0, 1e-5, "m");
            seen[of == slides.i ? 0 : 1]++;
            if (of == stays.i)
                cr_expect(c[i].state == RG_CONTACT_STICK && vec_dot(c[i].slip, c[i].slip) < 1e-12);
            if (of != slides.i)
                continue;
            cr_expect(c[i].state == RG_CONTACT_SLIP);
            CHECK_NEAR(c[i].slip.x, v.x, 1e-6, "m/s");
            CHECK_NEAR(c[i].slip.y, v.y, 1e-6, "m/s");
            CHECK_REL(hypot(c[i].force.x, c[i].force.y), mu * c[i].force.z, 1e-6, "N");
            rub = vec_add(rub, c[i].force);
        }
        cr_expect(seen[0] == 4 && seen[1] == 4, "%d and %d points", seen[0], seen[1]);
        CHECK_NEAR(rub.x, -0.8 * mu * TOUCH_G, 1e-5, "N");
        CHECK_NEAR(rub.y, 0.6 * mu * TOUCH_G, 1e-5, "N");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* A ball that comes near enough to be watched has an open contact without force; a state set from outside has
   no contacts to tell of. */
Test(contact_report, open_contacts_and_none)
{
    RgBuilder *b = scene_begin("open");
    ground_add(b, surface_mu(0.5));
    RgLinkId ball = ball_add(b, "ball", 1.0, 0.1, vec(0, 0, 0.1 + 1e-3), surface_mu(0.5));
    RgModel *model = scene_end(b);
    for (int k = 0; k < 4; k++) {
        RgWorldDef def = world_def(model, both_forms[k / 2], "semi-implicit");
        def.solver = k % 2 == 0 ? "quick" : "pgs";
        RgWorld *world = world_make(&def);
        link_launch(world, ball, vec(0, 0, 0), vec(0, 0, -0.3));
        cr_assert(rg_world_step(world, H, NULL) == RG_OK);
        const RgContactForce *c = NULL;
        int count = rg_world_contact_forces(world, &c);
        for (int i = 0; i < count; i++) {
            cr_expect(c[i].state == RG_CONTACT_OPEN && vec_dot(c[i].force, c[i].force) == 0.0);
            CHECK_NEAR(c[i].gap, 1e-3, 1e-12, "m");
        }
        world_run(world, 100, H);
        cr_expect(rg_world_contact_forces(world, &c) == 1);
        link_launch(world, ball, vec(0, 0, 0), vec(0, 0, 0));
        cr_expect(rg_world_contact_forces(world, &c) == 0);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}
