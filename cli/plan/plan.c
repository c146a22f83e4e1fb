/* plan.c - remarks of the readers, on stderr and as JSON; names of joints, links and shapes. */
#include "plan/plan.h"

#include "io/json_out.h"

#include <stdio.h>
#include <string.h>

enum { REMARKS_SHOWN = 12 };

void rg_plan_free(RgPlan *plan)
{
    rg_pool_free(&plan->pool);
}

void rg_plan_add_remark(RgPlan *plan, const char *file, int line, const char *text)
{
    plan->remarks = rg_pool_grow(&plan->pool, plan->remarks, plan->nremarks, sizeof *plan->remarks);
    plan->remarks[plan->nremarks++] = (RgRemark){.file = file ? rg_pool_print(&plan->pool, "%s", file) : NULL,
                                                 .line = line,
                                                 .text = rg_pool_print(&plan->pool, "%s", text)};
}

void rg_plan_put_remark(RgPlan *plan, const char *file, const char *text)
{
    rg_plan_add_remark(plan, file, 0, text);
    RgRemark last = plan->remarks[plan->nremarks - 1];
    memmove(plan->remarks + 1, plan->remarks, (size_t)(plan->nremarks - 1) * sizeof last);
    plan->remarks[0] = last;
}

json_t *rg_plan_json_remarks(const RgPlan *plan)
{
    json_t *array = json_array();
    for (int i = 0; i < plan->nremarks; i++) {
        const RgRemark *remark = &plan->remarks[i];
        json_t *item = json_object();
        json_object_set_new(item, "file", rg_json_text(remark->file));
        json_object_set_new(item, "line", remark->line > 0 ? json_integer(remark->line) : json_null());
        json_object_set_new(item, "text", rg_json_text(remark->text));
        json_array_append_new(array, item);
    }
    return array;
}

void rg_plan_print_remarks(const RgPlan *plan)
{
    for (int i = 0; i < plan->nremarks && i < REMARKS_SHOWN; i++) {
        const RgRemark *remark = &plan->remarks[i];
        if (remark->file && remark->line > 0)
            fprintf(stderr, "%s:%d: warning: %s\n", remark->file, remark->line, remark->text);
        else
            fprintf(stderr, "%s: warning: %s\n", remark->file ? remark->file : "rigor", remark->text);
    }
    if (plan->nremarks > REMARKS_SHOWN)
        fprintf(stderr, "... and %d more warnings (--json lists all, --quiet none)\n", plan->nremarks - REMARKS_SHOWN);
}

const char *rg_plan_joint_name(RgPlan *plan, const RgModel *model, RgJointId joint)
{
    RgJointInfo info = rg_model_joint(model, joint);
    if (!info.group || rg_model_find_joint(model, info.name).i == joint.i)
        return info.name;
    return rg_pool_print(&plan->pool, "%s::%s", info.group, info.name);
}

const char *rg_plan_link_name(RgPlan *plan, const RgModel *model, RgLinkId link)
{
    RgLinkInfo info = rg_model_link(model, link);
    if (!info.group || rg_model_find_link(model, info.name).i == link.i)
        return info.name;
    return rg_pool_print(&plan->pool, "%s::%s", info.group, info.name);
}

const char *rg_plan_shape_name(RgPlan *plan, const RgModel *model, RgShapeId id)
{
    RgShapeInfo shape = rg_model_shape(model, id);
    const char *link = shape.link.i ? rg_plan_link_name(plan, model, shape.link) : "world";
    return shape.name && shape.name[0]
               ? rg_pool_print(&plan->pool, "%s/%s", link, shape.name)
               : rg_pool_print(&plan->pool, "%s/%s %d", link, rg_shape_type_name(shape.type), id.i);
}
