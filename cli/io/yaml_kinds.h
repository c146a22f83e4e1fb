/* yaml_kinds.h - a mapping whose keys depend on its kind: a table of kinds, a table of keys. */
#ifndef RIGOR_YAML_KINDS_H
#define RIGOR_YAML_KINDS_H

#include "io/yaml_keys.h"

typedef struct RgYamlKind {
    const char *name;
    unsigned needs, may; /* bits (RgYamlKey.use) of required and of optional keys */
} RgYamlKind;

typedef struct RgYamlKindMap {
    const char *what; /* for messages */
    const RgYamlKind *kinds;
    int nkinds;
    const RgYamlKey *keys;
    int nkeys;
    const char *foreign; /* kind that only the C interface offers; NULL: none */
    void *target;
    const RgYamlKind *kind; /* result: the kind that was read */
    unsigned given;         /* result: bits of the keys that were read */
} RgYamlKindMap;

/* Reads all keys into the target. false: the error is filled. */
bool rg_yaml_kind_map(RgYaml *yaml, yaml_node_t *node, RgYamlKindMap *map);

/* NULL: unknown name. */
const RgYamlKind *rg_yaml_kind_find(const RgYamlKind *kinds, int nkinds, const char *name);

#endif
