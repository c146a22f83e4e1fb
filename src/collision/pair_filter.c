/*
 * pair_filter.c - which colliders may touch.
 *
 * Colliders of the same body, or both static, never touch. Otherwise the rule of the two owners decides, if there is
 * one; otherwise masks and groups do. The rules are in a hash table with linear probing, at most half full, with the
 * key (low + 1) 2^32 + (high + 1) of the two owners, which is never 0. Cost of a query: a few comparisons, and one
 * lookup if the table is not empty.
 */
#include "collision/pair_filter.h"

#include "base/alloc.h"

/* entries; a power of two */
#define FIRST_CAPACITY 16

void rg_pair_filter_init(RgPairFilter *filter, const RgAllocator *allocator)
{
    *filter = (RgPairFilter){.capacity = 0};
    if (allocator != NULL)
        filter->allocator = *allocator;
}

void rg_pair_filter_free(RgPairFilter *filter)
{
    rg_free(&filter->allocator, filter->words);
}

static uint64_t owners_of(int32_t a, int32_t b)
{
    uint64_t x = (uint64_t)((int64_t)a + 1), y = (uint64_t)((int64_t)b + 1);
    return x < y ? x << 32 | y : y << 32 | x;
}

/* The entry of the pair, or the empty one where it belongs. */
static RgPairRuleEntry *find_entry(RgPairRuleEntry *words, int32_t capacity, uint64_t owners)
{
    uint64_t hash = owners * UINT64_C(0x9e3779b97f4a7c15), mask = (uint64_t)capacity - 1;
    uint64_t at = (hash ^ hash >> 32) & mask;
    while (words[at].owners != 0 && words[at].owners != owners)
        at = (at + 1) & mask;
    return &words[at];
}

static bool grow(RgPairFilter *filter)
{
    if (filter->capacity > INT32_MAX / 2)
        return false;
    int32_t capacity = filter->capacity == 0 ? FIRST_CAPACITY : 2 * filter->capacity;
    RgPairRuleEntry *words = rg_alloc(&filter->allocator, (size_t)capacity, sizeof *words);
    if (words == NULL)
        return false;
    for (int32_t i = 0; i < filter->capacity; i++)
        if (filter->words[i].owners != 0)
            *find_entry(words, capacity, filter->words[i].owners) = filter->words[i];
    rg_free(&filter->allocator, filter->words);
    filter->words = words;
    filter->capacity = capacity;
    return true;
}

bool rg_pair_filter_set(RgPairFilter *filter, int32_t owner_a, int32_t owner_b, RgPairRule rule)
{
    if (filter->count >= filter->capacity / 2 && !grow(filter))
        return false;
    uint64_t owners = owners_of(owner_a, owner_b);
    RgPairRuleEntry *word = find_entry(filter->words, filter->capacity, owners);
    filter->count += word->owners == 0;
    *word = (RgPairRuleEntry){owners, rule};
    return true;
}

RgPairRule rg_pair_filter_rule(const RgPairFilter *filter, int32_t owner_a, int32_t owner_b)
{
    if (filter->count == 0)
        return RG_PAIR_NO_RULE;
    return find_entry(filter->words, filter->capacity, owners_of(owner_a, owner_b))->rule;
}

bool rg_pair_filter_allows(const RgPairFilter *filter, const RgFilterTag *a, const RgFilterTag *b)
{
    if (a->body == b->body || (a->body < 0 && b->body < 0))
        return false;
    bool owned = a->owner >= 0 && b->owner >= 0;
    RgPairRule rule = owned ? rg_pair_filter_rule(filter, a->owner, b->owner) : RG_PAIR_NO_RULE;
    if (rule != RG_PAIR_NO_RULE)
        return rule == RG_PAIR_INCLUDED;
    if ((a->category & b->mask) == 0 || (b->category & a->mask) == 0)
        return false;
    return a->group < 0 || a->group != b->group || (a->self_collide && b->self_collide);
}
