/* kind_names.h - how many kinds a table has, their names and summaries. */
#ifndef RIGOR_KIND_NAMES_H
#define RIGOR_KIND_NAMES_H

#include <stddef.h>
#include <string.h>

/* Defines PREFIX_count, PREFIX_name and PREFIX_summary for a table of so many pointers to kinds; outside: NULL. */
#define RG_KIND_NAMES(prefix, table, size)                                                                             \
    int prefix##_count(void)                                                                                           \
    {                                                                                                                  \
        return size;                                                                                                   \
    }                                                                                                                  \
                                                                                                                       \
    const char *prefix##_name(int index)                                                                               \
    {                                                                                                                  \
        return index >= 0 && index < (size) ? (table)[index]->name : NULL;                                             \
    }                                                                                                                  \
                                                                                                                       \
    const char *prefix##_summary(int index)                                                                            \
    {                                                                                                                  \
        return index >= 0 && index < (size) ? (table)[index]->summary : NULL;                                          \
    }

/* Defines PREFIX_find: the number of the kind of a name; -1: none. */
#define RG_KIND_FIND(prefix, table, size)                                                                              \
    int prefix##_find(const char *name)                                                                                \
    {                                                                                                                  \
        for (int i = 0; i < (size); i++)                                                                               \
            if (strcmp((table)[i]->name, name) == 0)                                                                   \
                return i;                                                                                              \
        return -1;                                                                                                     \
    }

#endif
