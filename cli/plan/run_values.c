/* run_values.c - values that several sections of a run file have: paths, vectors, poses, words. */
#include "plan/run_values.h"

#include <string.h>

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

RgPlanPlace rg_plan_place(const yaml_node_t *node)
{
    return (RgPlanPlace){.line = (int)node->start_mark.line + 1, .column = (int)node->start_mark.column + 1};
}

bool rg_run_file_base(const char *word, RgBase *out)
{
    static const char *const words[] = {
        [RG_BASE_AUTO] = "auto", [RG_BASE_FIXED] = "fixed", [RG_BASE_FLOATING] = "floating"};
    for (int i = 0; i < COUNT(words); i++) {
        if (strcmp(words[i], word) == 0) {
            *out = (RgBase)i;
            return true;
        }
    }
    return false;
}

/* "-" means a standard stream and stays. */
const char *rg_run_file_path(RgPlan *plan, const char *path)
{
    const char *slash = strrchr(plan->path, '/');
    if (path[0] == '/' || !slash || strcmp(path, "-") == 0)
        return rg_pool_print(&plan->pool, "%s", path);
    return rg_pool_print(&plan->pool, "%.*s/%s", (int)(slash - plan->path), plan->path, path);
}

bool rg_run_file_vector(RgYaml *yaml, yaml_node_t *node, const char *what, RgVec3 *out)
{
    double xyz[3];
    int count = rg_yaml_numbers(yaml, node, what, xyz, 3);
    if (count < 0)
        return false;
    if (count != 3)
        return rg_yaml_fail(yaml, node, "%s: expected three numbers, found %d", what, count);
    *out = (RgVec3){xyz[0], xyz[1], xyz[2]};
    return true;
}

static bool pose_xyz(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_run_file_vector(yaml, node, "xyz", &((RgPose *)target)->p);
}

static bool pose_rpy(RgYaml *yaml, yaml_node_t *node, void *target)
{
    RgVec3 rpy = {0.0, 0.0, 0.0};
    if (!rg_run_file_vector(yaml, node, "rpy", &rpy))
        return false;
    ((RgPose *)target)->R = rg_pose_from_rpy(rpy, rpy).R;
    return true;
}

bool rg_run_file_pose(RgYaml *yaml, yaml_node_t *node, const char *what, RgPose *out)
{
    static const RgYamlKey keys[] = {{"xyz", pose_xyz}, {"rpy", pose_rpy}};
    if (node->type == YAML_MAPPING_NODE)
        return rg_yaml_map(yaml, node, what, keys, COUNT(keys), out);
    return rg_run_file_vector(yaml, node, what, &out->p);
}
