/* test_law_options.c - the contact law: one for all solvers, but for what is numerics or what a solver cannot do. */
#include <rigor/solver.h>

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* Of every solver: the default, once warm start and friction are set aside. */
Test(law_options, solvers_do_not_change_the_law)
{
    const RgContactLaw all = rg_contact_law_default();
    for (int i = 0; i < rg_solver_count(); i++) {
        const char *name = rg_solver_name(i);
        RgContactLaw law = rg_contact_law_for(name);
        bool whole = rg_solver_is_exact(name) || strcmp(name, "quick") == 0;
        cr_expect(rg_contact_law_check(&law, NULL) == RG_OK, "%s", name);
        cr_expect(law.warm_start == (whole ? 1.0 : all.warm_start), "%s", name);
        cr_expect(law.joint_warm_start == (whole ? 1.0 : all.joint_warm_start), "%s", name);
        cr_expect(law.friction == (strcmp(name, "dantzig") == 0 ? RG_FRICTION_PYRAMID : all.friction), "%s", name);
        cr_expect(law.erp == all.erp && law.contact_erp == all.contact_erp && law.cfm == all.cfm, "%s", name);
        cr_expect(law.max_correcting_velocity == all.max_correcting_velocity, "%s", name);
        cr_expect(law.deep_erp == all.deep_erp, "%s", name);
        cr_expect(law.near_gap == all.near_gap && law.soft_length == all.soft_length, "%s", name);
        cr_expect(law.restitution == all.restitution && law.split_impulse == all.split_impulse, "%s", name);
        cr_expect(law.split_velocity == all.split_velocity && law.inertia_ratio == all.inertia_ratio, "%s", name);
    }
}

Test(law_options, numbers_out_of_range_are_refused)
{
    static const struct {
        size_t field;
        double value;
    } bad[] = {
        {offsetof(RgContactLaw, erp), 1.5},
        {offsetof(RgContactLaw, contact_erp), -0.1},
        {offsetof(RgContactLaw, deep_erp), 1.1},
        {offsetof(RgContactLaw, max_correcting_velocity), -1.0},
        {offsetof(RgContactLaw, near_gap), -1e-4},
        {offsetof(RgContactLaw, near_gap), (double)INFINITY},
        {offsetof(RgContactLaw, soft_length), -1e-5},
        {offsetof(RgContactLaw, soft_length), (double)NAN},
        {offsetof(RgContactLaw, cfm), (double)INFINITY},
        {offsetof(RgContactLaw, split_velocity), (double)NAN},
        {offsetof(RgContactLaw, inertia_ratio), 0.5},
        {offsetof(RgContactLaw, inertia_factor), 0.6},
        {offsetof(RgContactLaw, inertia_factor), -0.1},
        {offsetof(RgContactLaw, warm_start), 1.1},
        {offsetof(RgContactLaw, joint_warm_start), (double)NAN},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        RgContactLaw law = rg_contact_law_default();
        const char *what = NULL;
        memcpy((char *)&law + bad[i].field, &bad[i].value, sizeof bad[i].value);
        cr_expect(rg_contact_law_check(&law, &what) == RG_ERR_ARGUMENT && what != NULL, "%zu", i);
    }
    RgContactLaw law = rg_contact_law_default();
    law.restitution = (RgRestitution)7;
    cr_expect(rg_contact_law_check(&law, NULL) == RG_ERR_ARGUMENT);
    law = rg_contact_law_default();
    law.friction = (RgFriction)7;
    cr_expect(rg_contact_law_check(&law, NULL) == RG_ERR_ARGUMENT);
    cr_expect(rg_contact_law_check(&(RgContactLaw){.erp = 0.2}, NULL) == RG_ERR_ARGUMENT);
}
