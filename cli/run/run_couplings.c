/*
 * run_couplings.c - efforts that mimics and gears transmit at the end of a run, on each of their two joints.
 */
#include "run/run.h"

#include "io/json_out.h"

/* In the text; the JSON has all. */
#define COUPLINGS_SHOWN 8

/* Efforts of all couplings; NULL: none, or they cannot be computed. */
static const RgCouplingEffort *efforts(RgRun *run, int *count)
{
    *count = rg_model_info(run->model).couplings;
    RgCouplingEffort *out = *count > 0 ? rg_pool_take(&run->plan.pool, (size_t)*count, sizeof *out) : NULL;
    return out && rg_world_coupling_efforts(run->world, out) == RG_OK ? out : NULL;
}

static const char *unit(const RgModel *model, RgJointId joint, int dof)
{
    return rg_model_joint(model, joint).is_length[dof] ? "N" : "N m";
}

void rg_run_print_couplings(RgRun *run, FILE *out)
{
    int count;
    const RgCouplingEffort *effort = efforts(run, &count);
    for (int i = 0; effort && i < count && i < COUPLINGS_SHOWN; i++) {
        RgCouplingDef c = rg_model_coupling(run->model, i);
        fprintf(out, "coupling       %.6g %s on %s, %.6g %s on %s\n", effort[i].joint, unit(run->model, c.joint, c.dof),
                rg_plan_joint_name(&run->plan, run->model, c.joint), effort[i].reference,
                unit(run->model, c.reference, c.reference_dof),
                rg_plan_joint_name(&run->plan, run->model, c.reference));
    }
    if (effort && count > COUPLINGS_SHOWN)
        fprintf(out, "coupling       ... and %d more (--json lists all)\n", count - COUPLINGS_SHOWN);
}

json_t *rg_run_json_couplings(RgRun *run)
{
    int count;
    const RgCouplingEffort *effort = efforts(run, &count);
    json_t *out = json_array();
    for (int i = 0; effort && i < count; i++) {
        RgCouplingDef c = rg_model_coupling(run->model, i);
        json_t *item =
            RG_JSON_OBJECT({"joint", rg_json_text(rg_plan_joint_name(&run->plan, run->model, c.joint))},
                           {"reference", rg_json_text(rg_plan_joint_name(&run->plan, run->model, c.reference))},
                           {"joint_effort", rg_json_number(effort[i].joint)},
                           {"reference_effort", rg_json_number(effort[i].reference)});
        json_array_append_new(out, item);
    }
    return out;
}
