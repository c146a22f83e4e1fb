/*
 * nearest_name.c - the name with the smallest edit distance (Levenshtein 1966: letters added, left out, replaced) from
 * the word that was found, if at most a third of that word is wrong.
 */
#include "base/nearest_name.h"

#include <stdio.h>
#include <string.h>

#define LONGEST 64 /* letters; longer words are near nothing */

/* Row by row through the table of distances between beginnings of a and b. */
static int edit_distance(const char *a, const char *b)
{
    size_t na = strlen(a), nb = strlen(b);
    if (na > LONGEST || nb > LONGEST)
        return LONGEST;
    int row[LONGEST + 1];
    for (size_t j = 0; j <= nb; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= na; i++) {
        int corner = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= nb; j++) {
            int least = corner + (a[i - 1] != b[j - 1]);
            corner = row[j];
            if (row[j] + 1 < least)
                least = row[j] + 1;
            if (row[j - 1] + 1 < least)
                least = row[j - 1] + 1;
            row[j] = least;
        }
    }
    return row[nb];
}

RgNearestName rg_nearest_name(const char *wanted)
{
    return (RgNearestName){.wanted = wanted, .distance = 2 + (int)(strlen(wanted) / 3)};
}

void rg_nearest_name_offer(RgNearestName *nearest, const char *candidate)
{
    int distance = edit_distance(nearest->wanted, candidate);
    if (distance < nearest->distance) {
        nearest->best = candidate;
        nearest->distance = distance;
    }
}

const char *rg_nearest_name_hint(const RgNearestName *nearest, char hint[RG_NEAREST_ROOM])
{
    hint[0] = '\0';
    if (nearest->best != NULL)
        snprintf(hint, RG_NEAREST_ROOM, "; did you mean '%s'?", nearest->best);
    return hint;
}
