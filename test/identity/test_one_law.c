/*
 * test_one_law.c - the contact law does not depend on the solver, nor on the form.
 *
 * One step of ten scenes whose velocities are unique (scene_law.h), by every solver of Coulomb's law with iterations
 * enough: the same velocities to 1e-6 of their size, the same work by cause to 1e-6 J; the same again in the maximal
 * form, and with every setting of the law. Where a step has a closed form, it is that. rigor-bench-law prints the
 * table.
 */
#include "check_near.h"
#include "scene_law.h"
#include "worlds.h"

#include <string.h>

/* Which number of a step is farthest off, for the message. */
static const char *worst_of(const LawStep *step, const LawApart *apart, double *by)
{
    const char *name = "velocity";
    *by = apart->velocity;
    if (step->status != RG_OK)
        return rg_status_text(step->status);
    if (step->solved_by != NULL)
        return "solved by another solver, velocity";
    if (apart->position > *by) {
        *by = apart->position;
        name = "position";
    }
    for (int k = 0; k < LAW_CAUSES; k++)
        if (apart->work[k] > *by) {
            *by = apart->work[k];
            name = law_causes[k];
        }
    return name;
}

static void check_same(const char *scene, const LawStep *step, const LawStep *from)
{
    double by;
    LawApart apart = law_apart(step, from);
    const char *worst = worst_of(step, &apart, &by);
    cr_expect(law_agrees(step, &apart), "%s, %s, %g ms, %s, %s against %s, %s: velocity off by %.2g, worst: %s by %.2g",
              scene, step->ask.variant->name, 1e3 * step->ask.h, step->ask.solver, step->ask.form, from->ask.solver,
              from->ask.form, apart.velocity, worst, by);
}

/* All solvers in one form against the first. */
static void check_solvers(const LawScene *scene, const RgModel *model, LawAsk ask)
{
    ask.solver = law_solvers[0];
    LawStep first = law_step(scene, model, ask);
    for (int k = 0; law_solvers[k] != NULL; k++) {
        ask.solver = law_solvers[k];
        LawStep step = law_step(scene, model, ask);
        check_same(scene->name, &step, &first);
    }
}

Test(one_law, is_the_same_for_every_solver)
{
    for (int i = 0; i < LAW_SCENES; i++) {
        RgModel *model = law_scenes[i].build();
        for (int k = 0; law_steps[k] > 0.0; k++)
            for (int form = 0; form < 2; form++)
                check_solvers(&law_scenes[i], model, (LawAsk){law_variants, both_forms[form], NULL, law_steps[k]});
        rg_model_destroy(model);
    }
}

Test(one_law, is_the_same_in_both_forms)
{
    for (int i = 0; i < LAW_SCENES; i++) {
        RgModel *model = law_scenes[i].build();
        for (int k = 0; law_steps[k] > 0.0; k++)
            for (int j = 0; law_solvers[j] != NULL; j++) {
                LawAsk ask = {law_variants, both_forms[0], law_solvers[j], law_steps[k]};
                LawStep minimal = law_step(&law_scenes[i], model, ask);
                ask.form = both_forms[1];
                LawStep maximal = law_step(&law_scenes[i], model, ask);
                check_same(law_scenes[i].name, &maximal, &minimal);
            }
        rg_model_destroy(model);
    }
}

/* Whether cfm makes joints soft there, which `quick` eliminates: rows of loops. */
static bool softens_joints(const LawScene *scene, const LawVariant *variant)
{
    return strcmp(variant->name, "cfm") == 0 && strcmp(scene->name, "loop") == 0;
}

/* In the minimal form, where the tree's joints are no rows. */
Test(one_law, follows_its_settings_with_every_solver)
{
    for (int i = 0; i < LAW_SCENES; i++) {
        RgModel *model = law_scenes[i].build();
        for (int j = 1; law_variants[j].name != NULL; j++)
            for (int k = 0; law_steps[k] > 0.0 && !softens_joints(&law_scenes[i], &law_variants[j]); k++)
                check_solvers(&law_scenes[i], model, (LawAsk){&law_variants[j], both_forms[0], NULL, law_steps[k]});
        rg_model_destroy(model);
    }
}

/* Joints are kept while impulses are given once more (Poisson), be they rows of the solver or eliminated before it. */
Test(one_law, keeps_joints_in_a_bounce)
{
    RgModel *model = law_hop.build();
    for (int j = 0; law_variants[j].name != NULL; j++)
        for (int form = 0; form < 2 && strcmp(law_variants[j].name, "cfm") != 0; form++)
            check_solvers(&law_hop, model, (LawAsk){&law_variants[j], both_forms[form], NULL, law_steps[0]});
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ closed forms */

#define G 9.81

/* Largest velocity that a scene's step is away from those expected, over all solvers and forms. */
static void check_values(const char *name, double h, const double *expected)
{
    const LawScene *scene = law_scenes;
    while (strcmp(scene->name, name) != 0)
        scene++;
    RgModel *model = scene->build();
    for (int form = 0; form < 2; form++)
        for (int k = 0; law_solvers[k] != NULL; k++) {
            LawStep step = law_step(scene, model, (LawAsk){law_variants, both_forms[form], law_solvers[k], h});
            cr_expect(step.status == RG_OK, "%s, %s", name, law_solvers[k]);
            CHECK_REL_ALL(step.v, expected, step.nv, 1e-9, "m/s or rad/s");
        }
    rg_model_destroy(model);
}

/* Newton: half of what it came with at the start of the step. */
Test(one_law, a_bounce_gives_its_part_back)
{
    const double after[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 1.0};
    for (int k = 0; law_steps[k] > 0.0; k++)
        check_values("bounce", law_steps[k], after);
}

/* Momentum: both motors push with the same force, so that (m1 v1 - m2 v2) / (m1 + m2 + m) is left. */
Test(one_law, a_grasp_keeps_the_momentum)
{
    const double v = (0.5 * 0.1 - 0.5 * 0.05) / (0.5 + 0.5 + 1.0);
    const double after[8] = {v, -v, 0.0, 0.0, 0.0, v, 0.0, 0.0};
    for (int k = 0; law_steps[k] > 0.0; k++)
        check_values("grasp", law_steps[k], after);
}

/* One arm is stopped, the other reaches its velocity where its effort allows: h tau = J w with J = m l^2 / 3. */
Test(one_law, a_motor_reaches_what_it_can)
{
    const double after[2] = {0.0, 2.0};
    for (int k = 0; law_steps[k] > 0.0; k++)
        check_values("motor", law_steps[k], after);
}

/* Four points, each a spring and damper at the end of the step: C = 1 / (h (h kp + kd)), target kp d / (h kp + kd). */
Test(one_law, a_soft_contact_is_a_spring_and_damper)
{
    const double m = 2.0, kp = 0.5 * 2e4, kd = 2.0 * 200.0, depth = 1e-3;
    for (int k = 0; law_steps[k] > 0.0; k++) {
        double h = law_steps[k], free = -0.1 - G * h, give = 1.0 / (h * (h * kp + kd));
        double target = kp * depth / (h * kp + kd), ratio = 4.0 / (m * give);
        const double after[6] = {0.0, 0.0, 0.0, 0.0, 0.0, (free + ratio * target) / (1.0 + ratio)};
        check_values("soft", h, after);
    }
}

/* Rolling on: m dv = -f, I dw = f r - c N, dv = r dw; I dwz = -c N; N = m g h, I = 0.4 m r^2, c = 0.01 m. */
Test(one_law, a_rolling_ball_is_slowed_by_its_moments)
{
    const double m = 1.0, r = 0.1, c = 0.01, moment = 0.4 * m * r * r;
    for (int k = 0; law_steps[k] > 0.0; k++) {
        double N = m * G * law_steps[k], f = c * N / (1.4 * r), v = 1.0 - f / m;
        const double after[6] = {0.0, v / r, 5.0 - c * N / moment, v, 0.0, 0.0};
        check_values("roll", law_steps[k], after);
    }
}
