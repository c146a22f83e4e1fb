/* yaml_edit.h - sets values in a YAML document by the path of their keys, for sweeps and --set. */
#ifndef RIGOR_YAML_EDIT_H
#define RIGOR_YAML_EDIT_H

#include "io/yaml_keys.h"

/* How the new value combines with the present one; the latter two: number by number. */
typedef enum RgYamlHow { RG_YAML_TAKES_PLACE, RG_YAML_ADDS, RG_YAML_MULTIPLIES } RgYamlHow;

/* The value to set: a node of another document (null: removes the key), or a text. */
typedef struct RgYamlValue {
    RgYaml *from;      /* NULL: text */
    yaml_node_t *node; /* of from; a scalar, a list or a mapping */
    const char *text;
    RgYamlHow how;
    int line, column; /* of the request; 0: on the command line */
} RgYamlValue;

/* Nodes that were set have line numbers from RG_YAML_EDITED on. This gives an error about such a node the line of the
   request and the file `file` or, for line 0, `option` in place of the file. Other errors are unchanged. */
enum { RG_YAML_EDITED = 100000000 };
void rg_yaml_place_back(RgError *error, const char *file, const char *option);

/* Whether a node is YAML's null: ~, null or nothing, not in quotes. */
bool rg_yaml_is_null(const yaml_node_t *node);

/* Sets the value at a path such as `solver.iterations`, `models.arm.pose.xyz[2]`, `control.controllers[0].kp`,
   `state.joints."left.knee"`. false: error is filled, without a place. */
bool rg_yaml_set(RgYaml *yaml, const char *path, const RgYamlValue *value);

#endif
