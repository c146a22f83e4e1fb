/* name_map.h - hash table in an arena, from names (or names within groups) to numbers. Names are not copied. */
#ifndef RIGOR_NAME_MAP_H
#define RIGOR_NAME_MAP_H

#include "base/arena.h"

typedef struct RgNameSlot {
    const char *group; /* NULL: none, the same as "" */
    const char *name;  /* NULL: empty */
    int value;
} RgNameSlot;

typedef struct RgNameMap {
    RgNameSlot *slots;
    int capacity; /* a power of two, or 0 */
    int count;
} RgNameMap;

/* Value of the name, or -1. */
int rg_name_map_find(const RgNameMap *map, const char *name);
int rg_name_map_find_in(const RgNameMap *map, const char *group, const char *name);

/* Sets the value of a name, replacing an earlier one. False: out of memory. */
bool rg_name_map_set(RgNameMap *map, RgArena *arena, const char *name, int value);
bool rg_name_map_set_in(RgNameMap *map, RgArena *arena, const char *group, const char *name, int value);

#endif
