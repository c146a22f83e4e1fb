/*
 * test_assemble_rows.c - which rows there are, in which order, in which form and for which purpose.
 *
 *   hard rows        tree joints (6 - nv a body, maximal), rotors (maximal), loop joints (6 - nv),
 *                    couplings
 *   compliant rows   springs and dampers of loop joints and (maximal) tree joints, only where they are
 *                    implicit
 *   holds            one a velocity that is to be kept while loops and couplings are put together
 */
#include "scenes.h"
#include "unit/coords/form_fixture.h"
#include "worlds.h"

/* What a model needs, counted from its description. */
typedef struct Counts {
    int tree, rotors, loops, couplings, soft_tree, soft_loop;
} Counts;

static Counts count(const RgModel *m)
{
    Counts c = {.couplings = m->ncouplings};
    for (int j = 0; j < m->njoints; j++) {
        const RgJoint *J = &m->joints[j];
        for (int k = 0; k < J->kind->nv; k++) {
            const RgAxisDef *dof = &J->def.dof[k];
            bool soft = dof->stiffness > 0.0 || dof->damping > 0.0;
            c.soft_tree += J->body >= 0 && soft;
            c.soft_loop += J->loop >= 0 && soft;
            c.rotors += J->body >= 0 && dof->rotor_inertia > 0.0 && dof->gear_ratio != 0.0;
        }
        c.tree += J->body >= 0 ? 6 - J->kind->nv : 0;
        c.loops += J->loop >= 0 ? 6 - J->kind->nv : 0;
    }
    return c;
}

static int rows_of(FormCase *f, double h)
{
    rg_assemble_rows(f->c, &(RgRowsAsk){.h = h});
    cr_expect(f->c->rows.n <= f->c->rows.room, "more rows than room");
    return f->c->rows.n;
}

static void check_counts(const RgModel *model)
{
    Counts c = count(model);
    for (int i = 0; i < 2; i++) {
        FormCase f = form_case(model, both_forms[i]);
        TestState s = random_state(model, 1);
        form_set(&f, s.q, s.v);
        form_look(&f, 0.0, NULL);
        int hard = c.loops + c.couplings + (i == 1 ? c.tree + c.rotors : 0);
        int soft = c.soft_loop + (i == 1 ? c.soft_tree : 0);
        int held = model->nloops + model->ncouplings > 0 ? model->nv : 0;
        cr_expect(f.c->rows.room == hard + soft + held, "%s: room for %d, not %d", both_forms[i], f.c->rows.room,
                  hard + soft + held);
        cr_expect(rows_of(&f, 0.0) == hard, "%s explicit", both_forms[i]);
        cr_expect(rows_of(&f, 1e-3) == hard + soft, "%s implicit", both_forms[i]);
        cr_expect(rg_has_rows(f.form, 0.0) == (hard > 0) && rg_has_rows(f.form, 1e-3) == (hard + soft > 0));
        form_case_end(&f);
        test_state_destroy(&s);
    }
}

Test(assemble_rows, as_many_as_the_model_needs)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        RandomTree options = {.seed = seed, .loops = (int)(seed % 3)};
        RgModel *model = random_tree(&options);
        check_counts(model);
        rg_model_destroy(model);
    }
    for (const Scene *scene = scene_table; scene->name != NULL; scene++) {
        RgModel *model = scene->build();
        check_counts(model);
        rg_model_destroy(model);
    }
}

/* A state made from joint coordinates keeps every joint and every rotor of the maximal form: no error, no
   rate. */
Test(assemble_rows, joint_coordinates_keep_the_rows_of_the_tree)
{
    int rotors = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        RandomTree options = {.seed = seed};
        RgModel *model = random_tree(&options);
        TestState s = random_state(model, seed);
        FormCase f = form_case(model, "maximal");
        double *bias = calloc((size_t)f.c->rows.room + 1, sizeof *bias);
        form_set(&f, s.q, s.v);
        form_look(&f, 0.0, NULL);
        rg_assemble_hard_rows(f.c);
        rg_project_rows(f.c, bias);
        for (int i = 0; i < f.c->rows.n; i++) {
            CHECK_NEAR(f.c->rows.row[i].error, 0.0, 1e-12, "m or rad");
            CHECK_NEAR(rg_row_times(&f.c->problem, i, f.u), 0.0, 1e-11, "m/s or rad/s");
        }
        rotors += model->nrotors;
        free(bias);
        form_case_end(&f);
        test_state_destroy(&s);
        rg_model_destroy(model);
    }
    cr_expect(rotors > 20, "only %d rotors", rotors);
}

/* Rows of the tree come leaves first: then their factor has no fill. */
Test(assemble_rows, tree_rows_run_from_the_leaves_to_the_root)
{
    RgModel *model = scene_chain(10);
    FormCase f = form_case(model, "maximal");
    const double q[10] = {0.0}, v[10] = {0.0};
    form_set(&f, q, v);
    form_look(&f, 0.0, NULL);
    rg_assemble_hard_rows(f.c);
    for (int i = 0; i < f.c->rows.n; i++)
        cr_expect(f.c->rows.row[i].body[0] == 9 - i / 5, "row %d is of body %d", i, f.c->rows.row[i].body[0]);
    form_case_end(&f);
    rg_model_destroy(model);
}

Test(assemble_rows, largest_error_of_either_sign)
{
    RgRow row[3] = {{.error = 0.1}, {.error = -0.4}, {.error = 0.3}};
    RgRows rows = {row, 3, 3}, none = {row, 0, 3};
    CHECK_NEAR(rg_rows_error(&rows), 0.4, 0.0, "");
    CHECK_NEAR(rg_rows_error(&none), 0.0, 0.0, "");
}
