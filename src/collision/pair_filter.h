/*
 * pair_filter.h - which colliders may touch (the rules are those of RgColliderDef).
 */
#ifndef RIGOR_PAIR_FILTER_H
#define RIGOR_PAIR_FILTER_H

#include <rigor/collision.h>

/* The data of a collider that the rules use. */
typedef struct RgFilterTag {
    int32_t body, owner, group;
    uint32_t category, mask;
    bool self_collide;
} RgFilterTag;

typedef enum RgPairRule { RG_PAIR_NO_RULE, RG_PAIR_EXCLUDED, RG_PAIR_INCLUDED } RgPairRule;

/* The rule of a pair of owners that was set last. */
typedef struct RgPairRuleEntry {
    uint64_t owners; /* 0: empty slot */
    RgPairRule rule;
} RgPairRuleEntry;

typedef struct RgPairFilter {
    RgAllocator allocator;
    RgPairRuleEntry *words; /* hash table; capacity: a power of two, or 0 */
    int32_t capacity, count;
} RgPairFilter;

void rg_pair_filter_init(RgPairFilter *filter, const RgAllocator *allocator);
void rg_pair_filter_free(RgPairFilter *filter);

/* Sets the rule of two different owners >= 0, replacing an earlier one. Returns false if out of memory; nothing is then
   changed. */
bool rg_pair_filter_set(RgPairFilter *filter, int32_t owner_a, int32_t owner_b, RgPairRule rule);
RgPairRule rg_pair_filter_rule(const RgPairFilter *filter, int32_t owner_a, int32_t owner_b);

bool rg_pair_filter_allows(const RgPairFilter *filter, const RgFilterTag *a, const RgFilterTag *b);

#endif
