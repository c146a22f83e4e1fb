/*
 * plan_options.c - the options of everything that simulates, from the command line into the plan.
 *
 * They override what the run file says. Fails, with a message, on unknown names and on numbers out of range.
 */
#include "plan/plan_options.h"

#include "io/options.h"
#include "plan/control_file.h"
#include "plan/parameters.h"
#include "plan/plan_open.h"
#include "plan/run_file.h"
#include "plan/run_values.h"

#include <stdio.h>
#include <string.h>

const char rg_plan_simulation_notes[] =
    "--set JOINT.rate=V and --set JOINT.effort=E set rates and constant efforts, --set JOINT.motor=V,MAX a "
    "motor that\n"
    "drives the joint at velocity V with at most MAX N m or N, --set JOINT.servo=Q,MAX one that goes to "
    "position Q\n"
    "and holds it. A floating link stands for a joint:\n"
    "7 positions (quaternion w x y z, position), 6 rates (angular velocity in its own axes, velocity).\n"
    "Where two models use one name, say MODEL::NAME. A YAML run file may give all of this: see "
    "models/README.md.\n"
    "Of controllers in a run file: --set control.kp=KP[,KP...] for all joints or each, control.NAME.kp=KP "
    "for the\n"
    "controller called NAME; also ki, kd, foot_kp, foot_kd, friction; control.rate=HZ, control.delay=S.\n";

void rg_plan_print_lists(void)
{
    printf("\nSteppers:\n");
    for (int i = 0; i < rg_stepper_count(); i++)
        printf("  %-28s %s\n", rg_stepper_name(i), rg_stepper_summary(i));
    printf("\nCoordinates:\n");
    for (int i = 0; i < rg_coords_count(); i++)
        printf("  %-28s %s\n", rg_coords_name(i), rg_coords_summary(i));
    printf("\nSolvers:\n");
    for (int i = 0; i < rg_solver_count(); i++)
        printf("  %-28s %s\n", rg_solver_name(i), rg_solver_summary(i));
    printf("\nControllers (control: in run files, see docs/control.md):\n");
    for (int i = 0; i < rg_controller_count(); i++)
        if (rg_control_file_knows(rg_controller_name(i)))
            printf("  %-28s %s\n", rg_controller_name(i), rg_controller_summary(i));
    printf("\nTrajectories:\n");
    for (int i = 0; i < rg_trajectory_count(); i++)
        printf("  %-28s %s\n", rg_trajectory_name(i), rg_trajectory_summary(i));
    printf("  %-28s %s\n", "gait", "feet that stand and swing in turn, of robots with legs");
    rg_plan_print_stepper_settings();
    rg_plan_print_settings();
    rg_parameter_print_keys();
}

static bool take_name(const RgOptions *options, const char *option, int (*count)(void), const char *(*name)(int),
                      const char **out)
{
    const char *wanted = rg_options_value(options, option);
    char all[256] = "";
    if (!wanted)
        return true;
    for (int i = 0; i < count(); i++) {
        if (strcmp(name(i), wanted) == 0) {
            *out = name(i);
            return true;
        }
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", name(i));
    }
    return rg_options_complain(options, "--%s: unknown '%s'; expected one of %s", option, wanted, all);
}

static bool take_gravity(RgPlan *plan, const RgOptions *options)
{
    const char *text = rg_options_value(options, "gravity");
    double g[3];
    if (!text)
        return true;
    if (rg_number_list_parse(text, g, 3) != 3)
        return rg_options_complain(options, "--gravity: '%s': expected three numbers X,Y,Z", text);
    plan->gravity = (RgVec3){g[0], g[1], g[2]};
    return true;
}

bool rg_plan_apply_simulation(RgPlan *plan, const RgOptions *options)
{
    if (!rg_plan_apply_load_options(plan, options) || !take_gravity(plan, options))
        return false;
    plan->stepper_in_file = plan->stepper;
    plan->step_by_option = rg_options_has(options, "step");
    if (!take_name(options, "stepper", rg_stepper_count, rg_stepper_name, &plan->stepper) ||
        !take_name(options, "coords", rg_coords_count, rg_coords_name, &plan->coords) ||
        !rg_plan_apply_stepper(plan, options))
        return false;
    if (!rg_options_number(options, "step", RG_PLAN_STEP_MIN, RG_PLAN_STEP_MAX, &plan->step) ||
        !rg_options_number(options, "dissipation", 0, 1, &plan->dissipation) ||
        !rg_options_number(options, "tolerance", RG_PLAN_TOLERANCE_MIN, 1, &plan->tolerance))
        return false;
    const char *stabilise = rg_options_value(options, "stabilise");
    if (stabilise && !rg_run_file_stabilise(stabilise, &plan->stabilise))
        return rg_options_complain(options, "--stabilise: '%s' is not project or none", stabilise);
    if (rg_options_has(options, "no-implicit-damping"))
        plan->implicit_damping = 0;
    plan->quiet = rg_options_has(options, "quiet");
    return rg_plan_apply_solver(plan, options) && rg_plan_apply_set(plan, options);
}
