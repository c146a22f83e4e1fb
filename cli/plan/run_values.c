/* run_values.c - values in several sections of a run file: places, poses, words. */
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

static bool pose_rpy(RgYaml *yaml, yaml_node_t *node, void *target)
{
    RgVec3 rpy = {0.0, 0.0, 0.0};
    if (!rg_yaml_key_vector(yaml, node, &(RgYamlKey){.name = "rpy"}, &rpy))
        return false;
    ((RgPose *)target)->R = rg_pose_from_rpy(rpy, rpy).R;
    return true;
}

bool rg_run_file_pose(RgYaml *yaml, yaml_node_t *node, const RgYamlKey *key, void *field)
{
    static const RgYamlKey keys[] = {{.name = "xyz", .typed = rg_yaml_key_vector, .offset = offsetof(RgPose, p)},
                                     {.name = "rpy", .read = pose_rpy}};
    if (node->type == YAML_MAPPING_NODE)
        return rg_yaml_map(yaml, node, key->name, keys, COUNT(keys), field);
    return rg_yaml_key_vector(yaml, node, key, &((RgPose *)field)->p);
}
