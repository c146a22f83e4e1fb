/*
 * tune_write.c - writes a run file with other gains: only the text of the numbers is replaced.
 *
 * The file is parsed again. A controller's node is found by its place, in it the key, then the number: the node itself,
 * an item of a list or a value of a map. libyaml counts characters, so positions in UTF-8 are converted to bytes.
 * Numbers get as few digits as restore their bits. Comments, order and relative paths are unchanged, so the new file
 * belongs in the folder of the old one.
 *
 * Fails on a run file from the standard input, and on one that has changed since it was read.
 */
#include "study/tune.h"

#include "io/error.h"
#include "io/read_input.h"
#include "io/yaml_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_MAX = 40 };

/* A piece of the text that a number replaces. */
typedef struct Patch {
    size_t from, to; /* characters */
    char text[NUMBER_MAX];
} Patch;

static void shortest(double x, char *out)
{
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(out, NUMBER_MAX, "%.*g", digits, x);
        if (strtod(out, NULL) == x)
            return;
    }
}

/* The map of a controller by its place. */
static yaml_node_t *find_controller(RgYaml *yaml, RgPlanPlace at)
{
    yaml_node_t *first = yaml->document.nodes.start, *end = yaml->document.nodes.top;
    for (yaml_node_t *node = first; node < end; node++)
        if (node->type == YAML_MAPPING_NODE && (int)node->start_mark.line + 1 == at.line &&
            (int)node->start_mark.column + 1 == at.column)
            return node;
    return NULL;
}

static yaml_node_t *find_key(RgYaml *yaml, const yaml_node_t *map, const char *key)
{
    for (yaml_node_pair_t *pair = map->data.mapping.pairs.start; pair < map->data.mapping.pairs.top; pair++) {
        yaml_node_t *name = yaml_document_get_node(&yaml->document, pair->key);
        if (name->type == YAML_SCALAR_NODE && strcmp((const char *)name->data.scalar.value, key) == 0)
            return yaml_document_get_node(&yaml->document, pair->value);
    }
    return NULL;
}

/* Number k of a list or map; the number itself. */
static yaml_node_t *find_entry(RgYaml *yaml, yaml_node_t *node, int k)
{
    if (node->type == YAML_SEQUENCE_NODE) {
        yaml_node_item_t *item = node->data.sequence.items.start + k;
        return item < node->data.sequence.items.top ? yaml_document_get_node(&yaml->document, *item) : NULL;
    }
    if (node->type == YAML_MAPPING_NODE) {
        yaml_node_pair_t *pair = node->data.mapping.pairs.start + k;
        return pair < node->data.mapping.pairs.top ? yaml_document_get_node(&yaml->document, pair->value) : NULL;
    }
    return k == 0 ? node : NULL;
}

/* Place of a gain in the text. false: not found. */
static bool locate(RgYaml *yaml, const RgPlan *plan, const RgGain *gain, Patch *patch)
{
    yaml_node_t *node = find_controller(yaml, plan->control.controllers[gain->controller].at);
    node = node ? find_key(yaml, node, gain->key) : NULL;
    node = node ? find_entry(yaml, node, gain->entry) : NULL;
    if (!node || node->type != YAML_SCALAR_NODE || strtod((const char *)node->data.scalar.value, NULL) != gain->given)
        return false;
    patch->from = node->start_mark.index;
    patch->to = node->end_mark.index;
    shortest(gain->value, patch->text);
    return true;
}

static int by_place(const void *a, const void *b)
{
    size_t x = ((const Patch *)a)->from, y = ((const Patch *)b)->from;
    return (x > y) - (x < y);
}

/* Bytes of a character from its first one. */
static size_t width_of(unsigned char first)
{
    return first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

/* The text with its patches, which are sorted. Gains that share a place by an alias have the same number. */
static char *apply(RgPlan *plan, const char *text, size_t size, const Patch *patches, int n)
{
    char *out = rg_pool_take(&plan->pool, size + (size_t)n * NUMBER_MAX + 1, 1);
    size_t from = 0, to = 0, character = 0;
    int next = 0;
    while (from < size) {
        while (next > 0 && next < n && patches[next].from == patches[next - 1].from)
            next++;
        bool patched = next < n && character == patches[next].from;
        if (patched) {
            memcpy(out + to, patches[next].text, strlen(patches[next].text));
            to += strlen(patches[next].text);
        }
        size_t end = patched ? patches[next++].to : character + 1;
        for (; character < end && from < size; character++) {
            size_t width = width_of((unsigned char)text[from]);
            width = width < size - from ? width : size - from;
            if (!patched) {
                memcpy(out + to, text + from, width);
                to += width;
            }
            from += width;
        }
    }
    return out;
}

/* Reads the run file again, to be freed; NULL: error is filled. */
static char *read_again(const RgPlan *plan, size_t *size, RgError *error)
{
    FILE *file = plan->from_stdin ? NULL : fopen(plan->path, "rb");
    char *text = file ? rg_read_stream(file, size) : NULL;
    if (file)
        fclose(file);
    if (!text)
        rg_error_set(error, RG_ERR_FILE, plan->path, "the run file cannot be read again to write it with other gains");
    return text;
}

/* Places of all gains, in the order of the text. */
static RgStatus locate_all(RgPlan *plan, const RgTune *tune, RgYaml *yaml, Patch *patches, RgError *error)
{
    for (int i = 0; i < tune->ngains; i++)
        if (!locate(yaml, plan, &tune->gains[i], &patches[i]))
            return rg_error_set(error, RG_ERR_FILE, plan->path,
                                "%s is not that of the file: has the file changed, or --set changed it?",
                                tune->gains[i].key);
    qsort(patches, (size_t)tune->ngains, sizeof *patches, by_place);
    return RG_OK;
}

RgStatus rg_tune_text(RgPlan *plan, const RgTune *tune, char **text, RgError *error)
{
    size_t size = 0;
    RgYaml yaml;
    char *old = read_again(plan, &size, error);
    if (!old)
        return error->status;
    RgStatus status = rg_yaml_open(&yaml, plan->path, old, size, error) ? RG_OK : error->status;
    if (status == RG_OK) {
        Patch *patches = rg_pool_take(&plan->pool, (size_t)tune->ngains, sizeof *patches);
        status = locate_all(plan, tune, &yaml, patches, error);
        rg_yaml_close(&yaml);
        if (status == RG_OK)
            *text = apply(plan, old, size, patches, tune->ngains);
    }
    free(old);
    return status;
}
