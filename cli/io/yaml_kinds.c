/*
 * yaml_kinds.c - a mapping whose keys depend on its kind.
 *
 * The key `kind` is read first, wherever it is in the mapping, then the other keys. A key that the kind does not allow
 * is an error that lists the allowed ones; so is a missing required key.
 */
#include "io/yaml_kinds.h"

#include "io/options.h"

#include <stdio.h>
#include <string.h>

const RgYamlKind *rg_yaml_kind_find(const RgYamlKind *kinds, int nkinds, const char *name)
{
    for (int i = 0; i < nkinds; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

/* Appends a word to a list in a text. */
static void add_word(char *all, size_t room, const char *word)
{
    size_t used = strlen(all);
    snprintf(all + used, room - used, "%s%s", used ? ", " : "", word);
}

static bool fail_kind(RgYaml *yaml, const yaml_node_t *node, const RgYamlKindMap *map, const char *text)
{
    char all[256] = "";
    RgNearest nearest = rg_nearest_begin(text);
    for (int i = 0; i < map->nkinds; i++) {
        add_word(all, sizeof all, map->kinds[i].name);
        rg_nearest_offer(&nearest, map->kinds[i].name);
    }
    if (map->foreign && strcmp(text, map->foreign) == 0)
        return rg_yaml_fail(yaml, node, "%s: kind '%s' is for programs in C; expected one of %s", map->what, text, all);
    return nearest.best
               ? rg_yaml_fail(yaml, node, "%s: unknown kind '%.60s'; did you mean '%s'?", map->what, text, nearest.best)
               : rg_yaml_fail(yaml, node, "%s: unknown kind '%.60s'; expected one of %s", map->what, text, all);
}

/* Reads the key `kind`; ignores others. */
static bool read_kind(RgYaml *yaml, yaml_node_t *key, yaml_node_t *node, void *target)
{
    RgYamlKindMap *map = target;
    if (strcmp((const char *)key->data.scalar.value, "kind") != 0)
        return true;
    const char *text = rg_yaml_text(yaml, node, "kind");
    if (!text)
        return false;
    map->kind = rg_yaml_kind_find(map->kinds, map->nkinds, text);
    return map->kind || fail_kind(yaml, node, map, text);
}

/* Reports a key that is misspelt or belongs to other kinds. */
static bool fail_key(RgYaml *yaml, const yaml_node_t *key, const RgYamlKindMap *map, bool known)
{
    const char *name = (const char *)key->data.scalar.value;
    char all[256] = "kind";
    RgNearest nearest = rg_nearest_begin(name);
    for (int i = 0; i < map->nkeys; i++) {
        unsigned use = map->keys[i].use;
        if (use && !(use & (map->kind->needs | map->kind->may)))
            continue;
        add_word(all, sizeof all, map->keys[i].name);
        rg_nearest_offer(&nearest, map->keys[i].name);
    }
    if (known)
        return rg_yaml_fail(yaml, key, "%s: kind '%s' has no use for '%s'; it takes %s", map->what, map->kind->name,
                            name, all);
    return nearest.best
               ? rg_yaml_fail(yaml, key, "%s: unknown key '%.60s'; did you mean '%s'?", map->what, name, nearest.best)
               : rg_yaml_fail(yaml, key, "%s: unknown key '%.60s'; expected one of %s", map->what, name, all);
}

static bool read_kind_key(RgYaml *yaml, yaml_node_t *key, yaml_node_t *node, void *target)
{
    RgYamlKindMap *map = target;
    const char *name = (const char *)key->data.scalar.value;
    if (strcmp(name, "kind") == 0)
        return true;
    for (int i = 0; i < map->nkeys; i++) {
        const RgYamlKey *candidate = &map->keys[i];
        if (strcmp(candidate->name, name) != 0)
            continue;
        if (candidate->use && !(candidate->use & (map->kind->needs | map->kind->may)))
            return fail_key(yaml, key, map, true);
        map->given |= candidate->use;
        return rg_yaml_key_read(yaml, node, candidate, map->target);
    }
    return fail_key(yaml, key, map, false);
}

bool rg_yaml_kind_map(RgYaml *yaml, yaml_node_t *node, RgYamlKindMap *map)
{
    if (!rg_yaml_each(yaml, node, map->what, read_kind, map))
        return false;
    if (!map->kind) {
        char all[256] = "";
        for (int i = 0; i < map->nkinds; i++)
            add_word(all, sizeof all, map->kinds[i].name);
        return rg_yaml_fail(yaml, node, "%s: 'kind' is missing; expected one of %s", map->what, all);
    }
    if (!rg_yaml_each(yaml, node, map->what, read_kind_key, map))
        return false;
    for (int i = 0; i < map->nkeys; i++)
        if (map->keys[i].use & map->kind->needs & ~map->given)
            return rg_yaml_fail(yaml, node, "%s: kind '%s' needs '%s'", map->what, map->kind->name, map->keys[i].name);
    return true;
}
