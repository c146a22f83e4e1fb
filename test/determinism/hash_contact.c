/*
 * hash_contact.c - hashes of runs with contact, both forms, all solvers, steppers that locate:
 * "contact CASE COORDS STEPPER SOLVER HASH", and with RIGOR_LONG_RUNS in the environment of 2,000 steps of S2 too.
 */
#include "hash_contact.h"

#include "scene_contacts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Of the exact solvers' cases, those that steppers which locate make in a second. */
#define LOCATED_CASES 3

static bool hash_case(const ContactCase *from, const char *coords, const char *stepper, const char *solver)
{
    RgWorldDef def = rg_world_def_default();
    def.coords = coords;
    def.stepper = stepper;
    def.solver = solver;
    ContactRun run;
    bool good = contact_run_begin(from, def, &run);
    RgWorld *world = good ? contact_run_world(&run) : NULL;
    good = world != NULL && contact_run_steps(world, from->h, from->steps);
    if (good)
        printf("contact %s %s %s %s %016" PRIx64 "\n", from->name, coords, stepper, solver, rg_world_hash(world));
    else
        fprintf(stderr, "contact %s %s %s %s failed\n", from->name, coords, stepper, solver);
    rg_world_destroy(world);
    contact_run_end(&run);
    return good;
}

bool hash_contact(void)
{
    static const char *const forms[2] = {"minimal", "maximal"}, *const solvers[2] = {"quick", "pgs"};
    bool good = true;
    for (const ContactCase *c = contact_cases; c->name != NULL; c++)
        for (int k = 0; k < 4; k++)
            good &= hash_case(c, forms[k % 2], "semi-implicit", solvers[k / 2]);
    for (const ContactCase *c = contact_cases_exact; c->name != NULL; c++)
        for (int k = 0; contact_solvers_exact[k] != NULL; k++)
            for (int form = 0; form < 2; form++)
                good &= hash_case(c, forms[form], "semi-implicit", contact_solvers_exact[k]);
    static const char *const located[] = {"advance", "c2a", "rigid", "auto"};
    for (int i = 0; i < LOCATED_CASES; i++)
        for (int k = 0; k < 8; k++)
            good &= hash_case(&contact_cases_exact[i], forms[k % 2], located[k / 2], "cone");
    if (getenv("RIGOR_LONG_RUNS") != NULL)
        good &= hash_case(&contact_case_long, "minimal", "semi-implicit", "quick");
    return good;
}
