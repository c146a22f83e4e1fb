/*
 * test_sleep.c - who hangs together: the set that wakes against a flood over the remembered contacts, body by body;
 * and what a body's mean speed is, against the kinetic energy.
 */
#include "check_near.h"
#include "draw.h"
#include "scene_parts.h"
#include "sim/world_internal.h"
#include "worlds.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { BODIES = 24 };

/* Cubes anywhere; every third hangs on the one before it. Shape i is body i's. */
static RgModel *crowd(void)
{
    static char names[2 * BODIES][16];
    RgBuilder *b = scene_begin("crowd");
    RgLinkId last = {0};
    for (int i = 0; i < BODIES; i++) {
        RgShapeDef box = rg_shape_def_default();
        snprintf(names[i], sizeof names[i], "c%d", i);
        snprintf(names[BODIES + i], sizeof names[i], "j%d", i);
        box.type = RG_SHAPE_box;
        box.size[0] = box.size[1] = box.size[2] = 0.2;
        box.link = link_add_at(b, names[i], inertia_box(1.0 + i, vec(0.01, 0, 0), vec(0.2, 0.3, 0.4)),
                               place_at(0.5 * i, 0.0, 0.0));
        rg_builder_add_shape(b, &box);
        if (i % 3 == 2) {
            RgJointDef joint =
                joint_at(RG_JOINT_revolute, names[BODIES + i], last, box.link, vec(0.5, 0, 0), vec(0, 1, 0));
            joint_add(b, &joint);
        }
        last = box.link;
    }
    return scene_end(b);
}

/* Body of shape i + 1. */
static int body_of(const RgModel *m, int shape)
{
    return m->links[m->shapes[shape].def.link.i - 1].body;
}

/* The slow way: spread over contacts and joints until nothing is added. */
static void flood(const RgModel *m, const RgContactMemory *memory, bool *in)
{
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < m->nbodies; i++)
            if (m->bodies[i].parent >= 0 && in[i] != in[m->bodies[i].parent])
                in[i] = in[m->bodies[i].parent] = more = true;
        for (int32_t k = 0; k < memory->npairs; k++) {
            int a = body_of(m, memory->pairs[k].shape_a - 1), b = body_of(m, memory->pairs[k].shape_b - 1);
            if (in[a] != in[b])
                in[a] = in[b] = more = true;
        }
    }
}

static RgWorld *sleeping_world(const RgModel *model, const char *coords)
{
    RgWorldDef def = world_def(model, coords, "semi-implicit");
    def.sleeping = true;
    return world_make(&def);
}

Test(sleep, the_set_that_wakes)
{
    RgModel *model = crowd();
    RgWorld *w = sleeping_world(model, "minimal");
    Draw d = draw_seed(11);
    for (int round = 0; round < 200; round++) {
        RgRememberedPair pairs[BODIES];
        RgContactMemory memory = {.pairs = pairs, .npairs = round % BODIES};
        for (int k = 0; k < memory.npairs; k++) {
            int a = draw_below(&d, BODIES - 1), b = a + 1 + draw_below(&d, BODIES - 1 - a);
            pairs[k] = (RgRememberedPair){.shape_a = a + 1, .shape_b = b + 1};
        }
        bool in[BODIES] = {false};
        int body = draw_below(&d, model->nbodies);
        in[body] = true;
        flood(model, &memory, in);
        for (int i = 0; i < model->nbodies; i++)
            w->state.rest.body[i] = (RgBodyRest){1.0, 1, 1};
        rg_sleep_begin(w->scope.sleep, &w->state.rest, &w->next.rest);
        rg_sleep_wake(w->scope.sleep, &w->next.rest, body, &memory);
        for (int i = 0; i < model->nbodies; i++)
            cr_assert(w->next.rest.body[i].asleep == !in[i] && w->scope.sleep->asleep[i] == !in[i], "round %d, body %d",
                      round, i);
    }
    world_end(w, model);
}

/* What is taken from all that fall asleep is their kinetic energy. */
Test(sleep, energy_that_is_taken)
{
    RgModel *model = crowd();
    for (int form = 0; form < 2; form++) {
        RgWorld *w = sleeping_world(model, both_forms[form]);
        Draw d = draw_seed(12);
        double v[6 * BODIES];
        for (int k = 0; k < model->nv; k++)
            v[k] = draw_between(&d, -1.0, 1.0);
        cr_assert(rg_world_set_state(w, NULL, v) == RG_OK);
        RgMomentum m;
        cr_assert(rg_world_momentum(w, &m) == RG_OK);
        w->scope.sleep->speed = 1e3;
        w->scope.sleep->time = 0.5;
        RgContactView none = {0};
        rg_sleep_begin(w->scope.sleep, &w->state.rest, &w->next.rest);
        rg_sleep_end_step(w->scope.sleep, &none, 0.25, w->state.u);
        cr_expect(w->scope.sleep->nasleep == 0 && w->scope.sleep->slept == 0.0, "not yet");
        rg_sleep_end_step(w->scope.sleep, &none, 0.25, w->state.u);
        cr_expect(w->scope.sleep->nasleep == model->nbodies);
        CHECK_REL(w->scope.sleep->slept, m.kinetic, 1e-12, "J");
        for (int k = 0; k < w->scope.form->nu; k++)
            cr_expect(w->state.u[k] == 0.0);
        rg_world_destroy(w);
    }
    rg_model_destroy(model);
}
