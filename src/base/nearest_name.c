/*
 * nearest_name.c - suggests the candidate with the smallest edit distance (Levenshtein 1966: insertions, deletions,
 * substitutions) from a mistyped word, if the distance is at most 1 + a third of the word's length.
 */
#include "base/nearest_name.h"

#include <stdio.h>
#include <string.h>

#define LONGEST_WORD 64 /* letters; longer words get no suggestion */

/* Levenshtein distance by dynamic programming over prefixes of a and b, one row of the table at a time. */
static int edit_distance(const char *a, const char *b)
{
    size_t na = strlen(a), nb = strlen(b);
    if (na > LONGEST_WORD || nb > LONGEST_WORD)
        return LONGEST_WORD;
    int row[LONGEST_WORD + 1];
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
