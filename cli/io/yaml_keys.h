/*
 * yaml_keys.h - typed reading of YAML nodes, with line and column in every error.
 *
 * A mapping is read by a table of its keys: unknown and repeated keys are errors. Readers return false once
 * something is wrong; the first fault is in the error.
 */
#ifndef RIGOR_YAML_KEYS_H
#define RIGOR_YAML_KEYS_H

#include "io/pool.h"

#include <rigor/math.h>

#include <yaml.h>

typedef struct RgYaml {
    yaml_document_t document;
    const char *file;
    RgError *error;
    RgPool *pool; /* of texts and paths that typed keys read */
} RgYaml;

typedef bool RgYamlRead(RgYaml *yaml, yaml_node_t *node, void *target);
typedef bool RgYamlEach(RgYaml *yaml, yaml_node_t *key, yaml_node_t *value, void *target);

/* A key with either its own reader, or a typed reader that fills one field of the target. */
typedef struct RgYamlKey RgYamlKey;
typedef bool RgYamlTyped(RgYaml *yaml, yaml_node_t *node, const RgYamlKey *key, void *field);
struct RgYamlKey {
    const char *name;
    RgYamlRead *read; /* NULL: typed */
    RgYamlTyped *typed;
    size_t offset;    /* of the field in the target */
    double low, high; /* of numbers; both 0: any */
    unsigned
        use; /* mappings with kinds (yaml_kinds.h): a bit, which several keys may share; 0: allowed for all kinds */
};

/* Typed readers: a double, a bool, a text or path in the pool (const char *; see rg_yaml_path), an RgVec3. */
RgYamlTyped rg_yaml_key_number, rg_yaml_key_flag, rg_yaml_key_text, rg_yaml_key_path, rg_yaml_key_vector;

/* Parses the one document of the text. false: error is filled and there is nothing to close. */
bool rg_yaml_open(RgYaml *yaml, const char *file, const char *data, size_t size, RgError *error);
void rg_yaml_close(RgYaml *yaml);

/* Fills the error with the node's place; returns false. */
bool rg_yaml_fail(RgYaml *yaml, const yaml_node_t *node, const char *format, ...) RG_PRINTF(3, 4);

/* Reads the value of a key that was found. */
bool rg_yaml_key_read(RgYaml *yaml, yaml_node_t *node, const RgYamlKey *key, void *target);

/* what: name of the section in messages. */
bool rg_yaml_map(RgYaml *yaml, yaml_node_t *node, const char *what, const RgYamlKey *keys, int nkeys, void *target);
bool rg_yaml_each(RgYaml *yaml, yaml_node_t *node, const char *what, RgYamlEach *read, void *target);
bool rg_yaml_list(RgYaml *yaml, yaml_node_t *node, const char *what, RgYamlRead *read, void *target);

/* Text of a scalar (lives as long as the document), or NULL and an error. */
const char *rg_yaml_text(RgYaml *yaml, yaml_node_t *node, const char *what);
bool rg_yaml_number(RgYaml *yaml, yaml_node_t *node, const char *what, double *out);
bool rg_yaml_bool(RgYaml *yaml, yaml_node_t *node, const char *what, bool *out);

bool rg_yaml_range(RgYaml *yaml, yaml_node_t *node, const char *what, double low, double high, double *out);

/* A path, relative to the folder of the file; "-" is unchanged. */
const char *rg_yaml_path(RgYaml *yaml, const char *path);

/* A number, or a list of at most room numbers; how many, or -1 and an error. */
int rg_yaml_numbers(RgYaml *yaml, yaml_node_t *node, const char *what, double *out, int room);

#endif
