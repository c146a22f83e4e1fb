/*
 * yaml_keys.c - typed reading of YAML nodes, with line and column in every error.
 *
 * libyaml composes the document with aliases as shared nodes, so they need no memory. Readers follow a fixed schema and
 * so end even if aliases form cycles; deep nesting is refused before the document is composed. Mappings and lists are
 * limited to ITEMS_MAX since the search for repeated keys is quadratic.
 *
 * Fails on: malformed YAML, nesting deeper than DEPTH_MAX, more than one document, wrong kind of node, unknown or
 * repeated key, text that is no finite number.
 */
#include "io/yaml_keys.h"

#include "io/options.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ITEMS_MAX = 4096, DEPTH_MAX = 64 };

static bool fail_at(RgYaml *yaml, yaml_mark_t mark, const char *format, va_list arguments)
{
    *yaml->error = (RgError){.status = RG_ERR_SYNTAX, .line = (int)mark.line + 1, .column = (int)mark.column + 1};
    snprintf(yaml->error->file, sizeof yaml->error->file, "%s", yaml->file);
    vsnprintf(yaml->error->text, sizeof yaml->error->text, format, arguments);
    return false;
}

bool rg_yaml_fail(RgYaml *yaml, const yaml_node_t *node, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail_at(yaml, node->start_mark, format, arguments);
    va_end(arguments);
    return false;
}

static bool fail_parse(RgYaml *yaml, yaml_mark_t mark, const char *format, ...) RG_PRINTF(3, 4);
static bool fail_parse(RgYaml *yaml, yaml_mark_t mark, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail_at(yaml, mark, format, arguments);
    va_end(arguments);
    return false;
}

/* The parser's message, with a hint. */
static bool fail_by_parser(RgYaml *yaml, const yaml_parser_t *parser)
{
    yaml_mark_t mark = parser->problem_mark;
    const char *problem = parser->problem ? parser->problem : "malformed YAML";

    /* For an invalid encoding the parser gives an offset in bytes, no mark. */
    if (parser->error == YAML_READER_ERROR)
        return fail_parse(yaml, parser->mark, "%s near byte %zu", problem, parser->problem_offset);
    bool is_open = strstr(problem, "did not find expected ',' or");
    const char *hint = strstr(problem, "cannot start any token") ? " (a tab? indent with spaces)"
                       : is_open                                 ? " (a text with brackets? put it into quotes)"
                                                                 : "";
    if (parser->context)
        return fail_parse(yaml, mark, "%s, %s%s", parser->context, problem, hint);
    return fail_parse(yaml, mark, "%s%s", problem, hint);
}

static bool load_document(RgYaml *yaml, yaml_parser_t *parser, yaml_document_t *document)
{
    return yaml_parser_load(parser, document) || fail_by_parser(yaml, parser);
}

/* Parses the events alone: composing a document takes time quadratic in its depth. */
static bool check_depth(RgYaml *yaml, const char *data, size_t size)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return fail_parse(yaml, (yaml_mark_t){0}, "out of memory");
    yaml_parser_set_input_string(&parser, (const unsigned char *)data, size);
    bool good = true, ended = false;
    for (int depth = 0; good && !ended;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            good = fail_by_parser(yaml, &parser);
            break;
        }
        depth += event.type == YAML_SEQUENCE_START_EVENT || event.type == YAML_MAPPING_START_EVENT;
        depth -= event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
        ended = event.type == YAML_STREAM_END_EVENT;
        if (depth > DEPTH_MAX)
            good = fail_parse(yaml, event.start_mark, "nested too deeply: more than %d levels", DEPTH_MAX);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return good;
}

bool rg_yaml_open(RgYaml *yaml, const char *file, const char *data, size_t size, RgError *error)
{
    *yaml = (RgYaml){.file = file, .error = error};
    if (!check_depth(yaml, data, size))
        return false;
    yaml_parser_t parser;
    yaml_mark_t start = {0};
    if (!yaml_parser_initialize(&parser))
        return fail_parse(yaml, start, "out of memory");
    yaml_parser_set_input_string(&parser, (const unsigned char *)data, size);
    bool good = load_document(yaml, &parser, &yaml->document);
    if (good && !yaml_document_get_root_node(&yaml->document)) {
        yaml_document_delete(&yaml->document);
        good = fail_parse(yaml, start, "empty: expected URDF, SDF or a YAML run file");
    }

    /* A second document would be ignored silently. */
    yaml_document_t second;
    if (good && !load_document(yaml, &parser, &second)) {
        yaml_document_delete(&yaml->document);
        good = false;
    } else if (good) {
        yaml_node_t *root = yaml_document_get_root_node(&second);
        if (root)
            good = rg_yaml_fail(yaml, root, "a second document: a run file has one");
        yaml_document_delete(&second);
        if (!good)
            yaml_document_delete(&yaml->document);
    }
    yaml_parser_delete(&parser);
    return good;
}

void rg_yaml_close(RgYaml *yaml)
{
    yaml_document_delete(&yaml->document);
}

static const char *node_kind(const yaml_node_t *node)
{
    if (node->type == YAML_MAPPING_NODE)
        return "a mapping";
    if (node->type == YAML_SEQUENCE_NODE)
        return "a list";
    return node->data.scalar.length == 0 ? "nothing" : "a single value";
}

const char *rg_yaml_text(RgYaml *yaml, yaml_node_t *node, const char *what)
{
    if (node->type != YAML_SCALAR_NODE || node->data.scalar.length == 0) {
        rg_yaml_fail(yaml, node, "%s: expected a word, found %s", what, node_kind(node));
        return NULL;
    }
    const char *text = (const char *)node->data.scalar.value;
    if (strlen(text) != node->data.scalar.length) {
        rg_yaml_fail(yaml, node, "%s: a zero byte in the text", what);
        return NULL;
    }
    return text;
}

bool rg_yaml_number(RgYaml *yaml, yaml_node_t *node, const char *what, double *out)
{
    if (node->type != YAML_SCALAR_NODE || node->data.scalar.length == 0)
        return rg_yaml_fail(yaml, node, "%s: expected a number, found %s", what, node_kind(node));
    const char *text = (const char *)node->data.scalar.value;
    if (node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE || !rg_number_parse(text, out))
        return rg_yaml_fail(yaml, node, "%s: expected a finite number, found '%.60s'", what, text);
    return true;
}

bool rg_yaml_bool(RgYaml *yaml, yaml_node_t *node, const char *what, bool *out)
{
    const char *text = node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : "";
    *out = strcmp(text, "true") == 0;
    if (!*out && strcmp(text, "false") != 0)
        return rg_yaml_fail(yaml, node, "%s: expected true or false, found %s%.60s", what, *text ? "" : node_kind(node),
                            text);
    return true;
}

int rg_yaml_numbers(RgYaml *yaml, yaml_node_t *node, const char *what, double *out, int room)
{
    if (node->type != YAML_SEQUENCE_NODE)
        return rg_yaml_number(yaml, node, what, out) ? 1 : -1;
    int count = 0;
    for (yaml_node_item_t *item = node->data.sequence.items.start; item < node->data.sequence.items.top; item++) {
        yaml_node_t *number = yaml_document_get_node(&yaml->document, *item);
        if (count == room) {
            rg_yaml_fail(yaml, number, "%s: more than %d numbers", what, room);
            return -1;
        }
        if (!rg_yaml_number(yaml, number, what, &out[count++]))
            return -1;
    }
    if (count == 0) {
        rg_yaml_fail(yaml, node, "%s: expected numbers, found an empty list", what);
        return -1;
    }
    return count;
}

bool rg_yaml_range(RgYaml *yaml, yaml_node_t *node, const char *what, double low, double high, double *out)
{
    if (!rg_yaml_number(yaml, node, what, out))
        return false;
    if (*out < low || *out > high)
        return rg_yaml_fail(yaml, node, "%s: %g is not between %g and %g", what, *out, low, high);
    return true;
}

const char *rg_yaml_path(RgYaml *yaml, const char *path)
{
    const char *slash = strrchr(yaml->file, '/');
    bool stays = path[0] == '/' || !slash || strcmp(path, "-") == 0;
    return stays ? rg_pool_print(yaml->pool, "%s", path)
                 : rg_pool_print(yaml->pool, "%.*s/%s", (int)(slash - yaml->file), yaml->file, path);
}

/* ------------------------------------------------------------------ keys by type */

bool rg_yaml_key_number(RgYaml *yaml, yaml_node_t *node, const RgYamlKey *key, void *field)
{
    bool any = key->low == 0.0 && key->high == 0.0;
    return any ? rg_yaml_number(yaml, node, key->name, field)
               : rg_yaml_range(yaml, node, key->name, key->low, key->high, field);
}

bool rg_yaml_key_flag(RgYaml *yaml, yaml_node_t *node, const RgYamlKey *key, void *field)
{
    return rg_yaml_bool(yaml, node, key->name, field);
}

bool rg_yaml_key_text(RgYaml *yaml, yaml_node_t *node, const RgYamlKey *key, void *field)
{
    const char *text = rg_yaml_text(yaml, node, key->name);
    *(const char **)field = text ? rg_pool_print(yaml->pool, "%s", text) : NULL;
    return text != NULL;
}

bool rg_yaml_key_path(RgYaml *yaml, yaml_node_t *node, const RgYamlKey *key, void *field)
{
    const char *text = rg_yaml_text(yaml, node, key->name);
    *(const char **)field = text ? rg_yaml_path(yaml, text) : NULL;
    return text != NULL;
}

bool rg_yaml_key_vector(RgYaml *yaml, yaml_node_t *node, const RgYamlKey *key, void *field)
{
    double x[3];
    int count = rg_yaml_numbers(yaml, node, key->name, x, 3);
    if (count >= 0 && count != 3)
        return rg_yaml_fail(yaml, node, "%s: expected three numbers, found %d", key->name, count);
    if (count == 3)
        *(RgVec3 *)field = (RgVec3){x[0], x[1], x[2]};
    return count == 3;
}

bool rg_yaml_key_read(RgYaml *yaml, yaml_node_t *node, const RgYamlKey *key, void *target)
{
    return key->read ? key->read(yaml, node, target) : key->typed(yaml, node, key, (char *)target + key->offset);
}

/* ------------------------------------------------------------------ mappings and lists */

/* A key must be a word that is not repeated in the mapping. */
static bool check_key(RgYaml *yaml, const yaml_node_t *map, const yaml_node_pair_t *pair, const char *what)
{
    yaml_node_t *key = yaml_document_get_node(&yaml->document, pair->key);
    const char *name = rg_yaml_text(yaml, key, what);
    if (!name)
        return false;
    for (const yaml_node_pair_t *before = map->data.mapping.pairs.start; before < pair; before++) {
        const yaml_node_t *other = yaml_document_get_node(&yaml->document, before->key);
        if (strcmp((const char *)other->data.scalar.value, name) == 0)
            return rg_yaml_fail(yaml, key, "%s: '%s' is given twice, first in line %d", what, name,
                                (int)other->start_mark.line + 1);
    }
    return true;
}

bool rg_yaml_each(RgYaml *yaml, yaml_node_t *node, const char *what, RgYamlEach *read, void *target)
{
    if (node->type != YAML_MAPPING_NODE)
        return rg_yaml_fail(yaml, node, "%s: expected keys with values, found %s", what, node_kind(node));
    if (node->data.mapping.pairs.top - node->data.mapping.pairs.start > ITEMS_MAX)
        return rg_yaml_fail(yaml, node, "%s: more than %d keys", what, ITEMS_MAX);
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
        if (!check_key(yaml, node, pair, what))
            return false;
        yaml_node_t *key = yaml_document_get_node(&yaml->document, pair->key);
        if (!read(yaml, key, yaml_document_get_node(&yaml->document, pair->value), target))
            return false;
    }
    return true;
}

bool rg_yaml_list(RgYaml *yaml, yaml_node_t *node, const char *what, RgYamlRead *read, void *target)
{
    if (node->type != YAML_SEQUENCE_NODE)
        return rg_yaml_fail(yaml, node, "%s: expected a list, found %s", what, node_kind(node));
    if (node->data.sequence.items.top - node->data.sequence.items.start > ITEMS_MAX)
        return rg_yaml_fail(yaml, node, "%s: more than %d items", what, ITEMS_MAX);
    for (yaml_node_item_t *item = node->data.sequence.items.start; item < node->data.sequence.items.top; item++)
        if (!read(yaml, yaml_document_get_node(&yaml->document, *item), target))
            return false;
    return true;
}

/* What read_known_key needs besides the pair. */
typedef struct KeyTable {
    const char *what;
    const RgYamlKey *keys;
    int nkeys;
    void *target;
} KeyTable;

static bool read_known_key(RgYaml *yaml, yaml_node_t *key, yaml_node_t *value, void *context)
{
    const KeyTable *table = context;
    const char *name = (const char *)key->data.scalar.value;
    RgNearest nearest = rg_nearest_begin(name);
    for (int i = 0; i < table->nkeys; i++) {
        if (strcmp(table->keys[i].name, name) == 0)
            return rg_yaml_key_read(yaml, value, &table->keys[i], table->target);
        rg_nearest_offer(&nearest, table->keys[i].name);
    }

    /* Unknown: name the nearest, or all there are. */
    if (nearest.best)
        return rg_yaml_fail(yaml, key, "%s: unknown key '%.60s'; did you mean '%s'?", table->what, name, nearest.best);
    char all[256] = "";
    for (int i = 0; i < table->nkeys; i++) {
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", table->keys[i].name);
    }
    return rg_yaml_fail(yaml, key, "%s: unknown key '%.60s'; expected one of %s", table->what, name, all);
}

bool rg_yaml_map(RgYaml *yaml, yaml_node_t *node, const char *what, const RgYamlKey *keys, int nkeys, void *target)
{
    KeyTable table = {.what = what, .keys = keys, .nkeys = nkeys, .target = target};
    return rg_yaml_each(yaml, node, what, read_known_key, &table);
}
