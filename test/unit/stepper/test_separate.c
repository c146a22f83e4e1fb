/*
 * test_separate.c - starts that overlap: everything is moved apart. Judged by exact
 * distances of all pairs, whatever the parting believed; and nothing that need not moves.
 */
#include "stepper/separate.h"

#include "touching.h"
#include "unit/contact/touch_fixture.h"
#include "worlds.h"

#define LEVEL 5e-8

typedef struct SeparateCase {
    TouchCase t;
    RgStepScope scope;
    RgState state;
    RgGapProjector *projector;
} SeparateCase;

static void separate_begin(SeparateCase *c, TouchCase t)
{
    *c = (SeparateCase){.t = t};
    c->scope = (RgStepScope){.model = t.model, .form = t.f.form, .constraints = t.f.c, .scene = t.scene};
    c->state = (RgState){.x = c->t.f.x, .u = c->t.f.u};
    c->projector = rg_gap_projector_alloc(&c->t.f.arena, t.f.form, t.f.c);
    cr_assert(c->projector != NULL);
}

static void separate_end(SeparateCase *c)
{
    rg_gap_projector_free(c->projector);
    touch_end(&c->t);
}

/* The least distance of any pair, and the error of joints and loops. */
static double least_distance(SeparateCase *c)
{
    RgShapeDistance near[256];
    int count;
    double least = INFINITY;
    touch_place(&c->t);
    cr_assert(rg_contact_scene_near(c->t.scene, 10.0, near, 256, &count) == RG_OK && count <= 256);
    for (int i = 0; i < count; i++)
        least = fmin(least, near[i].distance.distance);
    return least;
}

static void expect_parted(SeparateCase *c)
{
    RgStatus status = rg_separate(&c->scope, c->projector, &c->state, LEVEL);
    cr_expect(status == RG_OK, "%s", rg_status_text(status));
    double least = least_distance(c);
    cr_expect(least >= LEVEL, "%.3g m", least);
    rg_assemble_hard_rows(c->t.f.c);
    CHECK_NEAR(rg_rows_error(&c->t.f.c->rows), 0.0, 1e-10, "m or rad");
    for (int k = 0; k < c->t.f.form->nx; k++)
        cr_expect(isfinite(c->t.f.x[k]));
}

Test(separate, sunk_boxes_come_up_and_the_others_stay)
{
    for (int form = 0; form < 2; form++) {
        TouchShape shapes[4] = {touch_floor, touch_box(1.0, 1.0, 1.0, place_at(0.0, 0.0, 0.4)),
                                touch_box(1.0, 1.0, 1.0, (RgPose){mat_turn(v3(0.6, 0.0, 0.8), 0.5), {5.0, 0.0, 0.3}}),
                                touch_box(1.0, 1.0, 1.0, place_at(9.0, 0.0, 2.0))};
        SeparateCase c;
        separate_begin(&c, touch_case(shapes, 4, both_forms[form]));
        expect_parted(&c);
        CHECK_NEAR(v3_norm(v3_sub(touch_pose(&c.t, 2).p, v3(9.0, 0.0, 2.0))), 0.0, 1e-15, "m");
        separate_end(&c);
    }
}

/* Its centre of mass in its middle, a box comes straight up. */
Test(separate, a_sunk_box_moves_no_more_than_it_must)
{
    for (int form = 0; form < 2; form++) {
        SeparateCase c;
        RgBuilder *b = scene_begin("box");
        ground_add(b, surface_mu(0.5));
        box_add(b, "box", 2.0, vec(1.0, 1.0, 1.0), vec(0.3, -0.2, 0.1), surface_mu(0.5));
        separate_begin(&c, touch_case_of(scene_end(b), both_forms[form]));
        expect_parted(&c);
        CHECK_NEAR(v3_norm(v3_sub(touch_pose(&c.t, 0).p, v3(0.3, -0.2, 0.5 + LEVEL))), 0.0, 1e-9, "m");
        separate_end(&c);
    }
}

Test(separate, ten_random_boxes_in_a_heap)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        Draw d = draw_seed(seed);
        TouchShape shapes[11] = {touch_floor};
        for (int i = 1; i < 11; i++) {
            shapes[i] = touch_box(draw_between(&d, 0.2, 1.0), draw_between(&d, 0.2, 1.0), draw_between(&d, 0.2, 1.0),
                                  draw_pose(&d, 0.7));
            shapes[i].X_WS.p.z += 0.5;
            if (draw_chance(&d, 0.3))
                shapes[i].type = RG_SHAPE_sphere;
        }
        SeparateCase c;
        separate_begin(&c, touch_case(shapes, 11, both_forms[seed % 2]));
        cr_assert_lt(least_distance(&c), -1e-2);
        expect_parted(&c);
        separate_end(&c);
    }
}

/* Two and three at one place: no way out is the least, all will do. */
Test(separate, coincident_bodies)
{
    const RgShapeType types[3] = {RG_SHAPE_box, RG_SHAPE_sphere, RG_SHAPE_capsule};
    for (int i = 0; i < 12; i++) {
        TouchShape shapes[3];
        for (int k = 0; k < 3; k++) {
            shapes[k] = touch_box(0.5, 0.5, 0.5, place_at(0.1, 0.2, 0.3));
            shapes[k].type = types[i % 3];
        }
        SeparateCase c;
        separate_begin(&c, touch_case(shapes, i < 6 ? 2 : 3, both_forms[i % 2]));
        expect_parted(&c);
        separate_end(&c);
    }
}

/* A trunk on four legs of two links, feet under the floor. */
static RgModel *robot(void)
{
    RgBuilder *b = scene_begin("robot");
    RgLinkId body =
        link_add_at(b, "body", inertia_box(10.0, vec(0.0, 0.0, 0.0), vec(0.6, 0.3, 0.1)), place_at(0.0, 0.0, 0.3));
    ground_add(b, surface_mu(0.8));
    shape_add(b, body, RG_SHAPE_box, (double[3]){0.6, 0.3, 0.1}, place_at(0.0, 0.0, 0.0), surface_mu(0.8));
    for (int leg = 0; leg < 4; leg++) {
        char name[4][16];
        for (int k = 0; k < 4; k++)
            snprintf(name[k], sizeof name[k], "%c%d", "habc"[k], leg);
        RgVec3 hip = v3(leg & 1 ? 0.25 : -0.25, leg & 2 ? 0.2 : -0.2, 0.0);
        RgLinkId upper = link_add(b, name[0], inertia_rod(0.8, vec(0.0, 0.0, 0.0), vec(0.12, 0.0, -0.2), 0.02));
        RgLinkId lower = link_add(b, name[1], inertia_rod(0.3, vec(0.0, 0.0, 0.0), vec(-0.1, 0.0, -0.24), 0.02));
        RgJointDef hinges[2] = {
            joint_at(RG_JOINT_revolute, name[2], body, upper, hip, v3(0.0, 1.0, 0.0)),
            joint_at(RG_JOINT_revolute, name[3], upper, lower, v3(0.12, 0.0, -0.2), v3(0.0, 1.0, 0.0))};
        joint_add(b, &hinges[0]);
        joint_add(b, &hinges[1]);
        shape_add(b, lower, leg < 2 ? RG_SHAPE_sphere : RG_SHAPE_box, (double[3]){0.03, 0.05, 0.04},
                  place_at(-0.1, 0.0, -0.24), surface_mu(0.8));
    }
    return scene_end(b);
}

Test(separate, a_robot_in_the_floor)
{
    for (int form = 0; form < 2; form++) {
        SeparateCase c;
        separate_begin(&c, touch_case_of(robot(), both_forms[form]));
        cr_assert_lt(least_distance(&c), -0.1);
        expect_parted(&c);
        separate_end(&c);
    }
}

/* No room between two planes: refused, and nothing has moved. */
Test(separate, what_is_wedged_in_is_refused)
{
    for (int form = 0; form < 2; form++) {
        TouchShape shapes[3] = {touch_floor, touch_floor, touch_box(1.0, 1.0, 1.0, place_at(0.0, 0.0, 0.4))};
        shapes[1].X_WS = (RgPose){mat_turn(v3(1.0, 0.0, 0.0), 3.141592653589793), {0.0, 0.0, 0.9}};
        SeparateCase c;
        separate_begin(&c, touch_case(shapes, 3, both_forms[form]));
        double *x = calloc((size_t)c.t.f.form->nx, sizeof *x);
        memcpy(x, c.t.f.x, (size_t)c.t.f.form->nx * sizeof *x);
        cr_expect(rg_separate(&c.scope, c.projector, &c.state, LEVEL) == RG_ERR_NOT_CONVERGED);
        cr_expect(memcmp(x, c.t.f.x, (size_t)c.t.f.form->nx * sizeof *x) == 0);
        free(x);
        separate_end(&c);
    }
}

Test(separate, bad_numbers_are_told)
{
    TouchShape shapes[2] = {touch_floor, touch_box(1.0, 1.0, 1.0, place_at(0.0, 0.0, 0.4))};
    SeparateCase c;
    separate_begin(&c, touch_case(shapes, 2, "minimal"));
    c.t.f.x[5] = NAN;
    cr_expect(rg_separate(&c.scope, c.projector, &c.state, LEVEL) != RG_OK);
    separate_end(&c);
}
