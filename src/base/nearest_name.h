/* nearest_name.h - what a mistyped word may have meant. */
#ifndef RIGOR_NEAREST_NAME_H
#define RIGOR_NEAREST_NAME_H

/* Feed candidates one by one. Pointers are kept. */
typedef struct RgNearestName {
    const char *wanted;
    const char *best; /* NULL: none is near */
    int distance;
} RgNearestName;
RgNearestName rg_nearest_name(const char *wanted);
void rg_nearest_name_offer(RgNearestName *nearest, const char *candidate);

/* "; did you mean 'x'?", or nothing. Returns hint. */
#define RG_NEAREST_ROOM 96
const char *rg_nearest_name_hint(const RgNearestName *nearest, char hint[RG_NEAREST_ROOM]);

#endif
