/* test_pair_filter.c - which colliders may touch: the rules in all combinations, and the words on pairs of
   bodies. */
#include "check_near.h"
#include "collision/pair_filter.h"
#include "counting.h"
#include "draw.h"

#include <stdlib.h>

/* The rules of RgColliderDef, said once more in their own order. */
static bool may_touch(const RgFilterTag *a, const RgFilterTag *b, RgPairRule word)
{
    bool same_body = a->body == b->body;
    bool masked = !((a->category & b->mask) && (b->category & a->mask));
    bool grouped = a->group == b->group && a->group >= 0 && !(a->self_collide && b->self_collide);
    bool forbidden = masked || grouped || word == RG_PAIR_EXCLUDED;
    return !same_body && (word == RG_PAIR_INCLUDED || !forbidden);
}

/* Tag number i of 3 bodies, 3 groups, 2 flags, 3 categories, 3 masks. */
#define TAGS (3 * 3 * 2 * 3 * 3)
static RgFilterTag tag(int i)
{
    const uint32_t bits[3] = {0u, 1u, 6u};
    return (RgFilterTag){.body = i % 3 - 1,
                         .group = i / 3 % 3 - 1,
                         .self_collide = i / 9 % 2 == 1,
                         .category = bits[i / 18 % 3],
                         .mask = bits[i / 54 % 3] | 8u * (uint32_t)(i % 2)};
}

Test(pair_filter, truth_table)
{
    const RgPairRule words[] = {RG_PAIR_UNSAID, RG_PAIR_EXCLUDED, RG_PAIR_INCLUDED};
    int allowed = 0;
    for (int w = 0; w < 3; w++) {
        RgPairFilter filter;
        rg_pair_filter_init(&filter, NULL);
        for (int a = -1; a < 2 && w > 0; a++)
            for (int b = a + 1; b < 2; b++)
                cr_assert(rg_pair_filter_say(&filter, a, b, words[w]));
        for (int i = 0; i < TAGS; i++)
            for (int j = 0; j < TAGS; j++) {
                RgFilterTag a = tag(i), b = tag(j);
                bool answer = rg_pair_filter_allows(&filter, &a, &b);
                cr_assert_eq(answer, may_touch(&a, &b, words[w]), "word %d, tags %d %d", w, i, j);
                allowed += answer;
            }
        rg_pair_filter_free(&filter);
    }
    cr_expect_gt(allowed, TAGS * TAGS / 2);
}

/* Defaults touch, unless both belong to the world. */
Test(pair_filter, plain_rules)
{
    RgPairFilter filter;
    rg_pair_filter_init(&filter, NULL);
    RgFilterTag a = {.body = 0, .group = -1, .category = ~0u, .mask = ~0u, .self_collide = true}, b = a,
                w = a;
    b.body = 1;
    w.body = -1;
    cr_expect(rg_pair_filter_allows(&filter, &a, &b));
    cr_expect(rg_pair_filter_allows(&filter, &a, &w));
    cr_expect_not(rg_pair_filter_allows(&filter, &w, &w));
    cr_expect_not(rg_pair_filter_allows(&filter, &a, &a));
    b.category = 2u;
    a.mask = ~2u;
    cr_expect_not(rg_pair_filter_allows(&filter, &a, &b));
    cr_expect(rg_pair_filter_say(&filter, 1, 0, RG_PAIR_INCLUDED));
    cr_expect(rg_pair_filter_allows(&filter, &a, &b));
    rg_pair_filter_free(&filter);
}

#define BODIES 120

/* 20,000 words on random pairs, in either order, against a plain table: the last one counts. */
Test(pair_filter, last_word_counts)
{
    static RgPairRule said[BODIES][BODIES];
    RgPairFilter filter;
    rg_pair_filter_init(&filter, NULL);
    Draw d = draw_seed(1);
    for (int i = 0; i < 20000; i++) {
        int a = draw_below(&d, BODIES), b = draw_below(&d, BODIES);
        if (a == b)
            continue;
        RgPairRule rule = (RgPairRule)draw_below(&d, 3);
        said[a][b] = said[b][a] = rule;
        cr_assert(rg_pair_filter_say(&filter, a - 1, b - 1, rule));
        a = draw_below(&d, BODIES);
        b = draw_below(&d, BODIES);
        cr_assert(a == b || rg_pair_filter_rule(&filter, a - 1, b - 1) == said[a][b]);
    }
    for (int a = 0; a < BODIES; a++)
        for (int b = 0; b < BODIES; b++)
            cr_assert(a == b || rg_pair_filter_rule(&filter, a - 1, b - 1) == said[a][b]);
    rg_pair_filter_free(&filter);
}

/* Bodies at the ends of the range are told apart. */
Test(pair_filter, extreme_bodies)
{
    const int32_t bodies[] = {-1, 0, 1, INT32_MAX - 1, INT32_MAX};
    RgPairFilter filter;
    rg_pair_filter_init(&filter, NULL);
    int n = 0;
    for (int i = 0; i < 5; i++)
        for (int j = i + 1; j < 5; j++)
            cr_assert(rg_pair_filter_say(&filter, bodies[j], bodies[i], (RgPairRule)(n++ % 3)));
    n = 0;
    for (int i = 0; i < 5; i++)
        for (int j = i + 1; j < 5; j++)
            cr_expect_eq(rg_pair_filter_rule(&filter, bodies[i], bodies[j]), (RgPairRule)(n++ % 3));
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
    while (said < 1000 && rg_pair_filter_say(&filter, said, said + 1, RG_PAIR_EXCLUDED))
        said++;
    cr_expect(said > 0 && said < 1000);
    for (int i = 0; i < 1000; i++)
        cr_expect_eq(rg_pair_filter_rule(&filter, i, i + 1), i < said ? RG_PAIR_EXCLUDED : RG_PAIR_UNSAID);
    counting.fail_at = 0;
    cr_expect(rg_pair_filter_say(&filter, said, said + 1, RG_PAIR_EXCLUDED));
    rg_pair_filter_free(&filter);
    cr_expect_eq(counting.blocks, 0);
}
