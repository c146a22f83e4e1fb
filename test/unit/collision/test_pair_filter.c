/* test_pair_filter.c - which colliders may touch: the rules in all combinations, and the words on pairs of
   owners. */
#include "check_near.h"
#include "collision/pair_filter.h"
#include "counting.h"
#include "draw.h"

#include <stdlib.h>

/* The rules of RgColliderDef, said once more in their own order. */
static bool may_touch(const RgFilterTag *a, const RgFilterTag *b, RgPairRule word)
{
    bool same_body = a->body == b->body || (a->body < 0 && b->body < 0);
    if (a->owner < 0 || b->owner < 0 || a->owner == b->owner)
        word = RG_PAIR_NO_RULE;
    bool masked = !((a->category & b->mask) && (b->category & a->mask));
    bool grouped = a->group == b->group && a->group >= 0 && !(a->self_collide && b->self_collide);
    bool forbidden = masked || grouped || word == RG_PAIR_EXCLUDED;
    return !same_body && (word == RG_PAIR_INCLUDED || !forbidden);
}

/* Tag number i of 4 bodies, 3 owners, 3 groups, 2 flags, 3 categories, 3 masks. */
#define TAGS (4 * 3 * 3 * 2 * 3 * 3)
static RgFilterTag tag(int i)
{
    const uint32_t bits[3] = {0u, 1u, 6u};
    return (RgFilterTag){.body = i % 4 - 2,
                         .owner = i / 4 % 3 - 1,
                         .group = i / 12 % 3 - 1,
                         .self_collide = i / 36 % 2 == 1,
                         .category = bits[i / 72 % 3],
                         .mask = bits[i / 216 % 3] | 8u * (uint32_t)(i % 2)};
}

Test(pair_filter, truth_table)
{
    const RgPairRule words[] = {RG_PAIR_EXCLUDED, RG_PAIR_NO_RULE, RG_PAIR_INCLUDED};
    int allowed[3] = {0, 0, 0};
    for (int w = 0; w < 3; w++) {
        RgPairFilter filter;
        rg_pair_filter_init(&filter, NULL);
        cr_assert(rg_pair_filter_set(&filter, 0, 1, words[w]));
        for (int i = 0; i < TAGS; i++)
            for (int j = 0; j < TAGS; j++) {
                RgFilterTag a = tag(i), b = tag(j);
                bool answer = rg_pair_filter_allows(&filter, &a, &b);
                cr_assert_eq(answer, may_touch(&a, &b, words[w]), "word %d, tags %d %d", w, i, j);
                allowed[w] += answer;
            }
        rg_pair_filter_free(&filter);
    }
    cr_expect(0 < allowed[0] && allowed[0] < allowed[1] && allowed[1] < allowed[2] && allowed[2] < TAGS * TAGS);
}

/* Defaults touch, unless both belong to the world. */
Test(pair_filter, plain_rules)
{
    RgPairFilter filter;
    rg_pair_filter_init(&filter, NULL);
    RgFilterTag a = {.body = 0, .group = -1, .category = ~0u, .mask = ~0u, .self_collide = true}, b = a, w = a;
    b.body = b.owner = 1;
    w.body = -1;
    cr_expect(rg_pair_filter_allows(&filter, &a, &b));
    cr_expect(rg_pair_filter_allows(&filter, &a, &w));
    cr_expect_not(rg_pair_filter_allows(&filter, &w, &w));
    cr_expect_not(rg_pair_filter_allows(&filter, &a, &a));
    b.category = 2u;
    a.mask = ~2u;
    cr_expect_not(rg_pair_filter_allows(&filter, &a, &b));
    cr_expect(rg_pair_filter_set(&filter, 1, 0, RG_PAIR_INCLUDED));
    cr_expect(rg_pair_filter_allows(&filter, &a, &b));
    rg_pair_filter_free(&filter);
}

#define OWNERS 120

/* 20,000 words on random pairs, in either order, against a plain table: the last one counts. */
Test(pair_filter, last_word_counts)
{
    static RgPairRule said[OWNERS][OWNERS];
    RgPairFilter filter;
    rg_pair_filter_init(&filter, NULL);
    Draw d = draw_seed(1);
    for (int i = 0; i < 20000; i++) {
        int a = draw_below(&d, OWNERS), b = draw_below(&d, OWNERS);
        if (a == b)
            continue;
        RgPairRule rule = (RgPairRule)draw_below(&d, 3);
        said[a][b] = said[b][a] = rule;
        cr_assert(rg_pair_filter_set(&filter, a, b, rule));
        a = draw_below(&d, OWNERS);
        b = draw_below(&d, OWNERS);
        cr_assert(a == b || rg_pair_filter_rule(&filter, a, b) == said[a][b]);
    }
    for (int a = 0; a < OWNERS; a++)
        for (int b = 0; b < OWNERS; b++)
            cr_assert(a == b || rg_pair_filter_rule(&filter, a, b) == said[a][b]);
    rg_pair_filter_free(&filter);
}

/* Owners at the ends of the range are told apart. */
Test(pair_filter, extreme_owners)
{
    const int32_t owners[] = {0, 1, 2, INT32_MAX - 1, INT32_MAX};
    RgPairFilter filter;
    rg_pair_filter_init(&filter, NULL);
    int n = 0;
    for (int i = 0; i < 5; i++)
        for (int j = i + 1; j < 5; j++)
            cr_assert(rg_pair_filter_set(&filter, owners[j], owners[i], (RgPairRule)(n++ % 3)));
    n = 0;
    for (int i = 0; i < 5; i++)
        for (int j = i + 1; j < 5; j++)
            cr_expect_eq(rg_pair_filter_rule(&filter, owners[i], owners[j]), (RgPairRule)(n++ % 3));
    rg_pair_filter_free(&filter);
}

/* A word that finds no memory is not said, and all others stay. */
Test(pair_filter, out_of_memory_changes_nothing)
{
    Counting counting = {.fail_at = 3};
    RgAllocator allocator = counting_allocator(&counting);
    RgPairFilter filter;
    rg_pair_filter_init(&filter, &allocator);
    int said = 0;
    while (said < 1000 && rg_pair_filter_set(&filter, said, said + 1, RG_PAIR_EXCLUDED))
        said++;
    cr_expect(said > 0 && said < 1000);
    for (int i = 0; i < 1000; i++)
        cr_expect_eq(rg_pair_filter_rule(&filter, i, i + 1), i < said ? RG_PAIR_EXCLUDED : RG_PAIR_NO_RULE);
    counting.fail_at = 0;
    cr_expect(rg_pair_filter_set(&filter, said, said + 1, RG_PAIR_EXCLUDED));
    rg_pair_filter_free(&filter);
    cr_expect_eq(counting.blocks, 0);
}
