/*
 * name_map.c - hash table from names to numbers: open addressing with linear probing, at most half full.
 *
 * Old tables remain in the arena when the map grows; together they are smaller than the current one.
 */
#include "base/name_map.h"

#include "base/hash.h"

#include <string.h>

#define NAME_MAP_FIRST 16 /* slots of the first table; a power of two */

static const char *group_text(const char *group)
{
    return group != NULL ? group : "";
}

static bool slot_matches(const RgNameSlot *slot, const char *group, const char *name)
{
    return strcmp(slot->name, name) == 0 && strcmp(group_text(slot->group), group_text(group)) == 0;
}

/* The slot of the name, or the empty slot where it would be inserted. */
static RgNameSlot *find_slot(RgNameSlot *slots, int capacity, const char *group, const char *name)
{
    uint64_t mask = (uint64_t)capacity - 1;
    uint64_t hash = rg_hash(RG_HASH_START, group_text(group), strlen(group_text(group)));
    uint64_t at = rg_hash(hash, name, strlen(name)) & mask;
    while (slots[at].name != NULL && !slot_matches(&slots[at], group, name))
        at = (at + 1) & mask;
    return &slots[at];
}

int rg_name_map_find_in(const RgNameMap *map, const char *group, const char *name)
{
    if (map->capacity == 0)
        return -1;
    const RgNameSlot *slot = find_slot(map->slots, map->capacity, group, name);
    return slot->name != NULL ? slot->value : -1;
}

int rg_name_map_find(const RgNameMap *map, const char *name)
{
    return rg_name_map_find_in(map, NULL, name);
}

static bool grow(RgNameMap *map, RgArena *arena)
{
    int capacity = map->capacity == 0 ? NAME_MAP_FIRST : 2 * map->capacity;
    RgNameSlot *slots = RG_ARENA_ALLOC(arena, RgNameSlot, capacity);
    if (slots == NULL)
        return false;
    for (int i = 0; i < map->capacity; i++)
        if (map->slots[i].name != NULL)
            *find_slot(slots, capacity, map->slots[i].group, map->slots[i].name) = map->slots[i];
    map->slots = slots;
    map->capacity = capacity;
    return true;
}

bool rg_name_map_set_in(RgNameMap *map, RgArena *arena, const char *group, const char *name, int value)
{
    if (2 * (map->count + 1) > map->capacity && !grow(map, arena))
        return false;
    RgNameSlot *slot = find_slot(map->slots, map->capacity, group, name);
    map->count += slot->name == NULL;
    *slot = (RgNameSlot){group, name, value};
    return true;
}

bool rg_name_map_set(RgNameMap *map, RgArena *arena, const char *name, int value)
{
    return rg_name_map_set_in(map, arena, NULL, name, value);
}
