/*
 * yaml_edit.c - sets values in a YAML document by path, before it is read.
 *
 * Paths are those of key_path.h. A name is a key of a mapping, or the value of `name` of a list's item; an index counts
 * items of a list from 0; * means all items or all values. In an empty mapping, and below `parameters`, * is a key of
 * its own. Missing keys are added. Many sections may be a single word, their name (`solver: pgs`): a path below such a
 * word replaces it by {name: pgs}, a path below `true` or `false` replaces that by an empty mapping, and a word set
 * where there is a mapping with a name replaces that name.
 *
 * A null (~) removes the key at the end of the path with everything below; no keys are added then, and a missing key is
 * no error.
 *
 * An alias is changed at the path only: mappings and lists along the path are copied first, their items shared. Nodes
 * are referred to by their numbers, since libyaml moves them as the document grows. A slot is a pointer to a node's
 * number in the array of its parent; it is valid until the parent gets a new item.
 *
 * Fails on: an index beyond a list, a name that no item of a list has, `*` in an empty list, adding to what is no
 * number, values of more than NODES_MAX nodes (nested aliases).
 */
#include "io/yaml_edit.h"

#include "io/key_path.h"
#include "io/options.h"

#include <stdio.h>
#include <string.h>

enum { NODES_MAX = 10000, NUMBER_TEXT = 32, REASON = 240 };

typedef struct Edit {
    RgYaml *yaml;
    const char *path;
    const RgYamlValue *value;
    int copied;         /* nodes */
    bool in_parameters; /* the path goes through `parameters` */
} Edit;

/* ------------------------------------------------------------------ nodes */

static bool fail(Edit *e, const char *format, const char *name)
{
    char text[REASON];
    *e->yaml->error = (RgError){.status = RG_ERR_ARGUMENT};
    snprintf(text, sizeof text, format, name);
    snprintf(e->yaml->error->text, sizeof e->yaml->error->text, "'%.200s': %s", e->path, text);
    return false;
}

static yaml_node_t *node_at(Edit *e, int id)
{
    return yaml_document_get_node(&e->yaml->document, id);
}

/* Gives a new node (0: out of memory) the line and column of the request. */
static int placed(Edit *e, int id)
{
    yaml_node_t *node = id > 0 ? node_at(e, id) : NULL;
    if (node) {
        node->start_mark.line = (size_t)(RG_YAML_EDITED + e->value->line - 1);
        node->start_mark.column = (size_t)(e->value->column > 0 ? e->value->column - 1 : 0);
    }
    return id;
}

void rg_yaml_place_back(RgError *error, const char *file, const char *option)
{
    if (error->line < RG_YAML_EDITED)
        return;
    error->line -= RG_YAML_EDITED;
    error->column = error->line > 0 ? error->column : 0;
    snprintf(error->file, sizeof error->file, "%s", error->line > 0 ? file : option);
}

/* A new scalar; 0: no memory. */
static int add_text(Edit *e, const char *text, yaml_scalar_style_t style)
{
    return placed(
        e, yaml_document_add_scalar(&e->yaml->document, NULL, (const yaml_char_t *)text, (int)strlen(text), style));
}

static const char *scalar_text(const yaml_node_t *node)
{
    return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : "";
}

/* The value of a key; NULL: none. */
static int *find_key(Edit *e, yaml_node_t *map, const char *name)
{
    for (yaml_node_pair_t *pair = map->data.mapping.pairs.start; pair < map->data.mapping.pairs.top; pair++)
        if (strcmp(scalar_text(node_at(e, pair->key)), name) == 0)
            return &pair->value;
    return NULL;
}

/* The same; a missing key is added with an empty value. */
static int *need_key(Edit *e, int map, const char *name)
{
    int *there = find_key(e, node_at(e, map), name);
    if (there)
        return there;
    int key = add_text(e, name, YAML_PLAIN_SCALAR_STYLE), value = add_text(e, "", YAML_PLAIN_SCALAR_STYLE);
    if (key == 0 || value == 0 || !yaml_document_append_mapping_pair(&e->yaml->document, map, key, value))
        return NULL;
    return find_key(e, node_at(e, map), name);
}

/* The item of a list that is a mapping with this name. */
static int *find_item(Edit *e, yaml_node_t *list, const char *name)
{
    for (yaml_node_item_t *item = list->data.sequence.items.start; item < list->data.sequence.items.top; item++) {
        yaml_node_t *node = node_at(e, *item);
        int *called = node->type == YAML_MAPPING_NODE ? find_key(e, node, "name") : NULL;
        if (called && strcmp(scalar_text(node_at(e, *called)), name) == 0)
            return item;
    }
    return NULL;
}

/* Deep copy of a node of another document; 0: too large or out of memory. */
static int copy_node(Edit *e, yaml_document_t *from, const yaml_node_t *node)
{
    yaml_document_t *to = &e->yaml->document;
    if (++e->copied > NODES_MAX)
        return 0;
    if (node->type == YAML_SCALAR_NODE)
        return placed(e, yaml_document_add_scalar(to, NULL, node->data.scalar.value, (int)node->data.scalar.length,
                                                  node->data.scalar.style));
    if (node->type == YAML_SEQUENCE_NODE) {
        int list = placed(e, yaml_document_add_sequence(to, NULL, YAML_FLOW_SEQUENCE_STYLE));
        for (yaml_node_item_t *i = node->data.sequence.items.start; i < node->data.sequence.items.top; i++) {
            int item = copy_node(e, from, yaml_document_get_node(from, *i));
            if (list == 0 || item == 0 || !yaml_document_append_sequence_item(to, list, item))
                return 0;
        }
        return list;
    }
    int map = placed(e, yaml_document_add_mapping(to, NULL, YAML_FLOW_MAPPING_STYLE));
    for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top; p++) {
        int key = copy_node(e, from, yaml_document_get_node(from, p->key));
        int value = copy_node(e, from, yaml_document_get_node(from, p->value));
        if (map == 0 || key == 0 || value == 0 || !yaml_document_append_mapping_pair(to, map, key, value))
            return 0;
    }
    return map;
}

/* ------------------------------------------------------------------ setting */

/* Combines the present number with the given one. */
static int combine(Edit *e, const yaml_node_t *old)
{
    double there, given;
    const char *text = e->value->from ? scalar_text(e->value->node) : e->value->text;
    if (!rg_number_parse(scalar_text(old), &there)) {
        fail(e, "the run file has no number there to be %s", e->value->how == RG_YAML_ADDS ? "added to" : "multiplied");
        return 0;
    }
    if (!rg_number_parse(text, &given)) {
        fail(e, "expected a number, found '%.60s'", text);
        return 0;
    }
    char out[NUMBER_TEXT];
    snprintf(out, sizeof out, "%.17g", e->value->how == RG_YAML_ADDS ? there + given : there * given);
    return add_text(e, out, YAML_PLAIN_SCALAR_STYLE);
}

/* Replaces the mapping or list at slot by a shallow copy, since aliases may share it; the root is never shared. */
static bool own(Edit *e, int *slot)
{
    yaml_document_t *d = &e->yaml->document;
    int old = *slot;
    if (old == 1)
        return true;
    bool is_list = node_at(e, old)->type == YAML_SEQUENCE_NODE, good = true;
    int new = is_list ? yaml_document_add_sequence(d, NULL, YAML_FLOW_SEQUENCE_STYLE)
                      : yaml_document_add_mapping(d, NULL, YAML_FLOW_MAPPING_STYLE);
    if (new == 0)
        return fail(e, "out of memory%s", "");
    const yaml_node_t *from = node_at(e, old);
    node_at(e, new)->start_mark = from->start_mark;
    for (yaml_node_item_t *i = is_list ? from->data.sequence.items.start : NULL;
         is_list && good && i < from->data.sequence.items.top; i++)
        good = yaml_document_append_sequence_item(d, new, *i);
    for (yaml_node_pair_t *p = is_list ? NULL : from->data.mapping.pairs.start;
         !is_list && good && p < from->data.mapping.pairs.top; p++)
        good = yaml_document_append_mapping_pair(d, new, p->key, p->value);
    *slot = new;
    return good || fail(e, "out of memory%s", "");
}

static bool put_value(Edit *e, int *slot)
{
    const RgYamlValue *v = e->value;
    yaml_node_t *old = node_at(e, *slot);
    bool is_word = !v->from || v->node->type == YAML_SCALAR_NODE;
    if (is_word && old->type == YAML_MAPPING_NODE && find_key(e, old, "name")) {
        if (!own(e, slot))
            return false;
        slot = find_key(e, node_at(e, *slot), "name");
    }
    *e->yaml->error = (RgError){.status = RG_OK};
    int node = v->how != RG_YAML_TAKES_PLACE ? combine(e, node_at(e, *slot))
               : v->from                     ? copy_node(e, &v->from->document, v->node)
                                             : add_text(e, v->text, YAML_PLAIN_SCALAR_STYLE);
    if (node == 0)
        return e->yaml->error->status != RG_OK ? false : fail(e, "the value is too large%s", "");
    *slot = node;
    return true;
}

/* ------------------------------------------------------------------ removing */

bool rg_yaml_is_null(const yaml_node_t *node)
{
    if (node->type != YAML_SCALAR_NODE || node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
        return false;
    const char *text = (const char *)node->data.scalar.value;
    return *text == '\0' || strcmp(text, "~") == 0 || strcmp(text, "null") == 0;
}

static bool takes_away(const Edit *e)
{
    return e->value->from && e->value->how == RG_YAML_TAKES_PLACE && rg_yaml_is_null(e->value->node);
}

/* Removes the pair whose value is at slot from its mapping. */
static void drop_key(yaml_node_t *map, const int *slot)
{
    yaml_node_pair_t *pair = map->data.mapping.pairs.start;
    while (&pair->value != slot)
        pair++;
    map->data.mapping.pairs.top--;
    for (; pair < map->data.mapping.pairs.top; pair++)
        *pair = pair[1];
}

/* ------------------------------------------------------------------ following the path */

/* Replaces a single word, which the path continues below, by a mapping with that name. */
static bool open_word(Edit *e, int *slot)
{
    const char *text = scalar_text(node_at(e, *slot));
    bool is_name = text[0] != '\0' && strcmp(text, "true") != 0 && strcmp(text, "false") != 0;
    int old = *slot;
    int map = placed(e, yaml_document_add_mapping(&e->yaml->document, NULL, YAML_FLOW_MAPPING_STYLE));
    int key = is_name ? add_text(e, "name", YAML_PLAIN_SCALAR_STYLE) : 0;
    bool good =
        map != 0 && (!is_name || (key != 0 && yaml_document_append_mapping_pair(&e->yaml->document, map, key, old)));
    if (good)
        *slot = map;
    return good || fail(e, "out of memory%s", "");
}

static bool set_below(Edit *e, int *slot, const char *rest);

static bool set_all(Edit *e, int id, const char *rest)
{
    yaml_node_t *node = node_at(e, id);
    bool is_list = node->type == YAML_SEQUENCE_NODE, good = true;
    long count = is_list ? node->data.sequence.items.top - node->data.sequence.items.start
                         : node->data.mapping.pairs.top - node->data.mapping.pairs.start;
    for (long i = 0; i < count && good; i++) {
        node = node_at(e, id);
        good = set_below(e, is_list ? &node->data.sequence.items.start[i] : &node->data.mapping.pairs.start[i].value,
                         rest);
    }
    if (count > 0)
        return good;
    int *next = is_list ? NULL : need_key(e, id, "*");
    return next ? set_below(e, next, rest) : fail(e, "* matches nothing there%s", "");
}

/* Follows one step of the path from the node at slot; sets the value at its end. */
static bool set_below(Edit *e, int *slot, const char *rest)
{
    RgPathStep s = rg_path_step(rest, rest == e->path);
    if (s.kind == RG_PATH_WRONG)
        return fail(e, "%s", s.wrong);
    if (s.kind == RG_PATH_END)
        return put_value(e, slot);
    bool is_word = node_at(e, *slot)->type == YAML_SCALAR_NODE;
    if (is_word && takes_away(e))
        return true;
    if (is_word ? !open_word(e, slot) : !own(e, slot))
        return false;
    yaml_node_t *node = node_at(e, *slot);
    if (s.kind == RG_PATH_ALL && e->in_parameters && node->type == YAML_MAPPING_NODE)
        s.kind = RG_PATH_NAME;
    if (s.kind == RG_PATH_ALL)
        return set_all(e, *slot, s.rest);
    e->in_parameters = e->in_parameters || strcmp(s.name, "parameters") == 0;
    if (node->type == YAML_MAPPING_NODE && s.kind == RG_PATH_NAME && takes_away(e)) {
        int *there = find_key(e, node, s.name);
        if (there && *s.rest)
            return set_below(e, there, s.rest);
        if (there)
            drop_key(node, there);
        return true;
    }
    if (node->type == YAML_MAPPING_NODE) {
        int *next = s.kind == RG_PATH_NAME ? need_key(e, *slot, s.name) : NULL;
        return next ? set_below(e, next, s.rest) : fail(e, "an index, but no list there%s", "");
    }
    long count = node->data.sequence.items.top - node->data.sequence.items.start;
    if (s.kind == RG_PATH_INDEX)
        return s.index < count ? set_below(e, &node->data.sequence.items.start[s.index], s.rest)
                               : fail(e, "an index beyond the end of the list%s", "");
    int *item = find_item(e, node, s.name);
    return item ? set_below(e, item, s.rest)
                : fail(e, "no item of the list has the name '%.100s'; items also have numbers: [0] is the first",
                       s.name);
}

bool rg_yaml_set(RgYaml *yaml, const char *path, const RgYamlValue *value)
{
    Edit e = {.yaml = yaml, .path = path, .value = value};
    int root = 1;
    return set_below(&e, &root, path);
}
