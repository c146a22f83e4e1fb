/* nearest_name.h - suggests a name for a mistyped word. */
#ifndef RIGOR_NEAREST_NAME_H
#define RIGOR_NEAREST_NAME_H

/* Search state: call rg_nearest_name_offer for every candidate. Strings are not copied. */
typedef struct RgNearestName {
    const char *wanted;
    const char *best; /* nearest candidate so far; NULL: none is near */
    int distance;
} RgNearestName;
RgNearestName rg_nearest_name(const char *wanted);
void rg_nearest_name_offer(RgNearestName *nearest, const char *candidate);

/* Writes "; did you mean 'x'?", or an empty string if no candidate is near. Returns hint. */
#define RG_NEAREST_ROOM 96
const char *rg_nearest_name_hint(const RgNearestName *nearest, char hint[RG_NEAREST_ROOM]);

#endif
