/*
 * test_bounded_rows.c - which bounded rows there are, and that their rates are those of what they bound, in
 * both forms.
 */
#include "constraint/bounded_table.h"
#include "scene_parts.h"
#include "unit/coords/form_fixture.h"
#include "worlds.h"

#include <string.h>

#define H 1e-3

/* A hinge and a slider in a chain, with limits, friction and a soft limit. */
static RgModel *make_arm(void)
{
    RgBuilder *b = scene_begin("arm");
    RgLinkId first = link_add(b, "first", inertia_box(1.0, vec(0.0, 0.0, -0.5), vec(0.1, 0.1, 1.0)));
    RgLinkId second = link_add(b, "second", inertia_box(0.5, vec(0.0, 0.0, -0.2), vec(0.1, 0.1, 0.4)));
    RgJointDef hinge = joint_at(RG_JOINT_revolute, "hinge", (RgLinkId){0}, first, vec(0, 0, 2), vec(0, 1, 0));
    hinge.dof[0].lower = -1.0;
    hinge.dof[0].upper = 0.5;
    hinge.dof[0].friction = 0.3;
    joint_add(b, &hinge);
    RgJointDef slide = joint_at(RG_JOINT_prismatic, "slide", first, second, vec(0, 0, -1), vec(0, 0, 1));
    slide.dof[0].lower = -0.2;
    slide.dof[0].limit_stiffness = 1e4;
    slide.dof[0].limit_damping = 20.0;
    joint_add(b, &slide);
    return scene_end(b);
}

typedef struct BoundedCase {
    FormCase f;
    RgBounded *b;
    RgBoundedRow rows[32];
    int n;
} BoundedCase;

static BoundedCase *look(const RgModel *model, const char *coords, const double *q, const double *v)
{
    BoundedCase *c = calloc(1, sizeof *c);
    c->f = form_case(model, coords);
    RgContactLaw law = rg_contact_law_default();
    c->b = rg_bounded_alloc(&c->f.arena, c->f.form, c->f.c, 4, &law);
    cr_assert(c->b != NULL && rg_bounded_room(c->b) <= 32);
    form_set(&c->f, q, v);
    form_look(&c->f, 0.0, NULL);
    c->n = rg_bounded_rows(c->b, &(RgBoundedAsk){.h = H}, c->rows);
    return c;
}

static void end(BoundedCase *c)
{
    form_case_end(&c->f);
    free(c);
}

/* Rows are made in memory that holds those of the step before: nothing of it is left in what their law says. */
Test(bounded_rows, nothing_is_left_of_rows_before)
{
    const double q[] = {0.6, -0.25}, v[] = {0.4, -0.3};
    RgModel *model = make_arm();
    BoundedCase *c = look(model, "minimal", q, v);
    static RgBoundedRow again[32];
    memset(again, 0x41, sizeof again);
    int n = rg_bounded_rows(c->b, &(RgBoundedAsk){.h = H}, again);
    cr_assert(n == c->n && n > 2, "%d rows", n);
    for (int i = 0; i < n; i++) {
        const RgBoundedRow *a = &c->rows[i], *b = &again[i];
        cr_expect(a->target == b->target && a->compliance == b->compliance && a->low == b->low && a->high == b->high &&
                      a->give == b->give && a->z == b->z && a->conflict == b->conflict && a->slot == b->slot &&
                      a->kind == b->kind && a->eliminated == b->eliminated,
                  "row %d", i);
        cr_expect(a->row.nbodies == b->row.nbodies && a->row.ndofs == b->row.ndofs &&
                      a->row.coefficient[0] == b->row.coefficient[0] && a->row.bias == b->row.bias &&
                      a->row.error == b->row.error && a->row.keeps == b->row.keeps,
                  "row %d", i);
    }
    end(c);
    rg_model_destroy(model);
}

static const RgBoundedRow *find(const BoundedCase *c, int kind, int axis, double sign)
{
    for (int i = 0; i < c->n; i++)
        if (c->rows[i].kind == kind && c->rows[i].axis == axis && c->rows[i].row.coefficient[0] * sign > 0.0)
            return &c->rows[i];
    return NULL;
}

Test(bounded_rows, limits_near_and_beyond)
{
    RgModel *model = make_arm();
    for (int form = 0; form < 2; form++) {
        /* Within reach of the upper limit, and far from the lower one. */
        BoundedCase *c = look(model, both_forms[form], (double[]){0.49, 0.0}, (double[]){0.0, 0.0});
        const RgBoundedRow *upper = find(c, RG_BOUNDED_limit, 0, -1.0);
        cr_assert(upper != NULL);
        cr_expect(find(c, RG_BOUNDED_limit, 0, 1.0) == NULL && find(c, RG_BOUNDED_limit, 1, 1.0) == NULL);
        CHECK_REL(upper->target, -(0.02 * 1e-4 + (0.01 - 1e-4)) / H, 1e-9, "rad/s");
        cr_expect(upper->low == 0.0 && upper->high == INFINITY && upper->compliance == 0.0);
        end(c);

        /* Beyond the soft one: spring and damper, w + C z = target is m-less implicit Euler of -kp x - kd
           v. */
        c = look(model, both_forms[form], (double[]){0.0, -0.21}, (double[]){0.0, -0.3});
        const RgBoundedRow *soft = find(c, RG_BOUNDED_limit, 1, 1.0);
        cr_assert(soft != NULL);
        double v = 0.123, z = (soft->target - v) / soft->compliance;
        CHECK_REL(z / H, 1e4 * (0.01 - H * v) - 20.0 * v, 1e-9, "N");
        end(c);
    }
    rg_model_destroy(model);
}

/* The step is an argument: located limits and the span of hard drives leave no trace in the next question. */
Test(bounded_rows, each_step_asks_for_itself)
{
    RgModel *model = make_arm();
    BoundedCase *c = look(model, "minimal", (double[]){0.49, 0.1}, (double[]){0.0, 0.0});
    c->b->drives[1] = (RgDrive){.hard = true, .rate = INFINITY, .position = 0.3, .max_effort = 7.0};
    c->b->ndrives = 1;
    for (int i = 0; i < 2; i++) {
        /* 10 mrad before the limit; the slider has 0.2 m to go within the span. */
        RgBoundedAsk located = {.h = H, .span = 10.0 * H, .located = 1e-3}, plain = {.h = H, .span = H};
        c->n = rg_bounded_rows(c->b, &located, c->rows);
        cr_expect(find(c, RG_BOUNDED_limit, 0, -1.0) == NULL);
        CHECK_REL(find(c, RG_BOUNDED_drive, 1, 1.0)->target, 0.2 / (10.0 * H), 1e-12, "m/s");
        located.located = 0.02;
        c->n = rg_bounded_rows(c->b, &located, c->rows);
        cr_expect(find(c, RG_BOUNDED_limit, 0, -1.0)->target == 0.0);
        c->n = rg_bounded_rows(c->b, &plain, c->rows);
        cr_expect(find(c, RG_BOUNDED_limit, 0, -1.0)->target < 0.0);
        CHECK_REL(find(c, RG_BOUNDED_drive, 1, 1.0)->target, 0.2 / H, 1e-12, "m/s");
    }
    end(c);
    rg_model_destroy(model);
}

Test(bounded_rows, friction_and_motors)
{
    RgModel *model = make_arm();
    BoundedCase *c = look(model, "minimal", (double[]){0.0, 0.0}, (double[]){0.0, 0.0});
    const RgBoundedRow *dry = find(c, RG_BOUNDED_dry_friction, 0, 1.0);
    cr_assert(c->n == 1 && dry != NULL);
    CHECK_REL(dry->high, 0.3 * H, 1e-15, "N m s");
    CHECK_REL(dry->low, -0.3 * H, 1e-15, "N m s");
    int axis = rg_axis_find(c->b, 1, 0);
    cr_assert(axis == 1 && rg_axis_find(c->b, 1, 1) == -1);
    c->b->motors[axis] = (RgMotor){.on = true, .velocity = 0.7, .max_effort = 5.0};
    c->n = rg_bounded_rows(c->b, &(RgBoundedAsk){.h = H}, c->rows);
    const RgBoundedRow *motor = find(c, RG_BOUNDED_motor, 1, 1.0);
    cr_assert(c->n == 2 && motor != NULL);
    cr_expect(motor->target == 0.7 && motor->slot != dry->slot);
    CHECK_REL(motor->high, 5.0 * H, 1e-15, "N s");
    end(c);
    rg_model_destroy(model);
}

/* Random trees with loops: the row's rate is the change of the position it bounds, by differences in time. */
Test(bounded_rows, rates_by_differences)
{
    const double tiny = 1e-6;
    int checked = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        RandomTree options = {.seed = seed, .links = 5, .loops = (int)(seed % 2)};
        RgModel *model = random_tree(&options);
        FormCase f = form_case(model, both_forms[seed % 2]);
        TestState s = random_state(model, seed);
        RgContactLaw law = rg_contact_law_default();
        RgBounded *b = rg_bounded_alloc(&f.arena, f.form, f.c, 0, &law);
        double *bias = calloc(1, sizeof *bias), values[512];
        int columns[512];
        form_set(&f, s.q, s.v);
        for (int axis = 0; axis < b->naxes && f.form->nu < 512; axis++) {
            if (!b->axes[axis].plain)
                continue;
            form_look(&f, tiny, NULL);
            double after = rg_axis_position(b, axis);
            form_look(&f, -tiny, NULL);
            double before = rg_axis_position(b, axis);
            form_look(&f, 0.0, NULL);
            RgBoundedRow row;
            rg_axis_row(b, axis, 1.0, &row);
            int count = f.form->kind->project(f.form, &row.row, columns, values, bias);
            double rate = 0.0;
            for (int e = 0; e < count; e++)
                rate += values[e] * f.u[columns[e]];
            double scale = 1.0 + fabs(rate);
            CHECK_NEAR(rate, rg_axis_rate(b, axis), 1e-9 * scale, "rad/s");
            /* Loop joints that are not closed move across what their kind can do. */
            if (b->axes[axis].dof >= 0 && fabs(after - before) < 1.0) /* no whole turn between */
                CHECK_NEAR(rate, (after - before) / (2.0 * tiny), 2e-5 * scale * scale, "rad/s");
            checked++;
        }
        free(bias);
        form_case_end(&f);
        test_state_destroy(&s);
        rg_model_destroy(model);
    }
    cr_expect(checked > 80, "only %d axes", checked);
}

/* A row that a user adds: on a link and the world, on joints; bad ones are left out. */
static int two_rows(const RgModel *model, const RgInputState *state, const RgUserView *view, RgUserRow *rows,
                    int capacity, void *context)
{
    (void)state;
    (void)context;
    cr_assert(capacity == 4);
    RgLinkId second = rg_model_find_link(model, "second");
    RgPose X = rg_user_link_pose(view, second);
    rows[0] = (RgUserRow){.nlinks = 2, .link = {second, {0}}, .low = -INFINITY, .high = INFINITY, .target = 0.1};
    rows[0].J[0] = (RgForce){{0.0, 0.0, 0.0}, {X.R.m[0][0], X.R.m[1][0], X.R.m[2][0]}};
    rows[1] = (RgUserRow){.ndofs = 1, .dof = {99}, .coefficient = {1.0}, .high = 1.0};
    rows[2] = (RgUserRow){.ndofs = 2, .dof = {0, 1}, .coefficient = {1.0, -2.0}, .low = -3.0, .high = 4.0};
    return 3;
}

Test(bounded_rows, rows_of_the_user)
{
    RgModel *model = make_arm();
    for (int form = 0; form < 2; form++) {
        double q[2] = {0.3, 0.1}, v[2] = {0.7, -0.4};
        BoundedCase *c = look(model, both_forms[form], q, v);
        c->b->user.fn = two_rows;
        c->n = rg_bounded_rows(c->b, &(RgBoundedAsk){.h = H}, c->rows);
        cr_assert(c->n == 3); /* dry friction, and two */
        RgRow *row = &c->rows[1].row;
        double values[64], bias, rate = 0.0;
        int columns[64], count = c->f.form->kind->project(c->f.form, row, columns, values, &bias);
        for (int e = 0; e < count; e++)
            rate += values[e] * c->f.u[columns[e]];

        /* Along x of the second link: the hinge turns its origin, 0.9 m below, at 0.7 rad/s. */
        CHECK_NEAR(rate, 0.7 * (-1.0 + 0.1), 1e-12, "m/s");
        CHECK_REL(c->rows[2].low, -3.0 * H, 1e-15, "N m s");
        cr_expect(c->rows[2].axis == 2 && c->rows[1].target == 0.1 && c->rows[1].low == -INFINITY);
        end(c);
    }
    rg_model_destroy(model);
}
