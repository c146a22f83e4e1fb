/*
 * plan_pairs.c - pairs of links that a run file names, found in the model and given to its builder.
 *
 * A name is a link's own, MODEL::NAME where several models use it, or world. A name in a model of the run file is
 * searched in that model first. Links have the same number in the builder and in the model made of it.
 */
#include "io/error.h"
#include "io/options.h"
#include "plan/plan.h"

#include <string.h>

/* How many links have the name, and the nearest to it. */
static int count_twins(const RgModel *model, const char *name, RgNearest *nearest)
{
    int32_t links = rg_model_info(model).links;
    int twins = 0;
    *nearest = rg_nearest_begin(name);
    for (int32_t i = 1; i <= links; i++) {
        const char *other = rg_model_link(model, (RgLinkId){i}).name;
        twins += strcmp(other, name) == 0;
        rg_nearest_offer(nearest, other);
    }
    return twins;
}

RgStatus rg_plan_find_link(RgPlan *plan, const RgModel *model, const RgPlanLinkName *of, RgLinkId *out, RgError *error)
{
    const char *name = of->name;
    *out = (RgLinkId){0};
    if (of->model)
        *out = rg_model_find_link(model, rg_pool_print(&plan->pool, "%s::%s", of->model, name));
    if (out->i == 0)
        *out = rg_model_find_link(model, name);
    if (out->i != 0 || strcmp(name, "world") == 0)
        return RG_OK;
    RgNearest nearest;
    int twins = count_twins(model, name, &nearest);
    if (twins > 1)
        rg_error_set(error, RG_ERR_NOT_FOUND, plan->path, "%d links are called '%s': say MODEL::%s", twins, name, name);
    else if (nearest.best)
        rg_error_set(error, RG_ERR_NOT_FOUND, plan->path, "no link '%s'; did you mean '%s'?", name, nearest.best);
    else
        rg_error_set(error, RG_ERR_NOT_FOUND, plan->path, "no link '%s'; `rigor info` lists the names", name);
    error->line = of->place.line;
    error->column = of->place.column;
    return RG_ERR_NOT_FOUND;
}

static RgStatus find_link(RgPlan *plan, const RgModel *model, const RgPlanPair *pair, int end, RgError *error,
                          RgLinkId *out)
{
    RgPlanLinkName name = {pair->model, pair->links[end], {pair->line, pair->column}};
    return rg_plan_find_link(plan, model, &name, out, error);
}

RgStatus rg_plan_add_pairs(RgPlan *plan, const RgModel *model, RgBuilder *builder, RgError *error)
{
    rg_builder_set_file(builder, plan->path);
    for (int i = 0; i < plan->npairs; i++) {
        const RgPlanPair *pair = &plan->pairs[i];
        RgCollisionPairDef def = rg_collision_pair_def_default();
        RgStatus status = find_link(plan, model, pair, 0, error, &def.link_a);
        if (status == RG_OK)
            status = find_link(plan, model, pair, 1, error, &def.link_b);
        if (status != RG_OK)
            return status;
        def.collide = pair->collide;
        def.line = pair->line;
        if (!rg_builder_add_collision_pair(builder, &def)) {
            *error = *rg_builder_error(builder);
            error->column = pair->column;
            return error->status;
        }
    }
    return RG_OK;
}
