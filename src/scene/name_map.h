/* name_map.h - from a name to a number: a hash table in an arena. Names are not copied. */
#ifndef RIGOR_NAME_MAP_H
#define RIGOR_NAME_MAP_H

#include "base/arena.h"

typedef struct RgNameSlot {
    const char *name; /* NULL: empty */
    int value;
} RgNameSlot;

typedef struct RgNameMap {
    RgNameSlot *slots;
    int capacity; /* a power of two, or 0 */
    int count;
} RgNameMap;

/* The name's value, or -1. */
int rg_name_map_find(const RgNameMap *map, const char *name);

/* Gives a name its value, a new one if it has one already. False: out of memory. */
bool rg_name_map_set(RgNameMap *map, RgArena *arena, const char *name, int value);

#endif
