/*
 * test_islands.c - islands against a search by flooding; colours that share no mover; order from the top.
 */
#include "patch_fixture.h"
#include "solver/quick/islands.h"

#include <criterion/criterion.h>

/* Gives the island's number to all that touch it now; whether there were any. */
static bool grow(const RgPatchProblem *p, int *island, int number)
{
    bool grew = false;
    for (int32_t k = 0; k < p->npatches; k++) {
        int a = p->patches[k].mover[0], b = p->patches[k].mover[1];
        if (a > 0 && (island[a] == number) != (island[b] == number)) {
            island[a] = island[b] = number;
            grew = true;
        }
    }
    return grew;
}

/* Island of every mover by flooding, -1: touched by nothing. */
static int flood(const RgPatchProblem *p, int *island)
{
    int count = 0;
    for (int i = 0; i < p->nmovers; i++)
        island[i] = -1;
    for (int32_t start = 0; start < p->npatches; start++) {
        int seed = p->patches[start].mover[1];
        if (island[seed] >= 0)
            continue;
        island[seed] = count;
        while (grow(p, island, count))
            ;
        count++;
    }
    return count;
}

Test(islands, agree_with_flooding)
{
    RgArena memory;
    rg_arena_init(&memory, NULL);
    for (int trial = 0; trial < 200; trial++) {
        Made made = made_problem((uint64_t)trial, 3 + trial % 30, 2 + trial % 20);
        int island[40];
        int count = flood(&made.problem, island);
        RgIslands found;
        rg_arena_reset(&memory);
        cr_assert(rg_islands_find(&memory, &made.problem, &found));
        cr_assert_eq(found.count + found.joined, count, "trial %d: %d, %d more, and %d", trial, found.count,
                     found.joined, count);
        int patches = 0;
        for (int k = 0; k < found.count; k++) {
            const RgIsland *i = &found.island[k];
            patches += i->npatches;
            if (i->alone)
                continue;
            int first = island[made.problem.patches[found.patches[i->first_patch]].mover[1]];
            for (int j = 0; j < i->npatches; j++)
                cr_assert_eq(island[made.problem.patches[found.patches[i->first_patch + j]].mover[1]], first);
            for (int j = 0; j < i->nmovers; j++)
                cr_assert_eq(island[found.movers[i->first_mover + j]], first);
        }
        cr_assert_eq(patches, made.problem.npatches);
        made_release(&made);
    }
    rg_arena_free(&memory);
}

/* Two of one colour have no mover in common. */
static void check_pair(const RgPatchProblem *p, const RgIslands *found, int i, int j)
{
    const RgPatch *a = &p->patches[found->patches[i]], *b = &p->patches[found->patches[j]];
    bool share = false;
    for (int k = 0; k < 4; k++)
        share = share || (a->mover[k / 2] > 0 && a->mover[k / 2] == b->mover[k % 2]);
    cr_assert(!share || found->colour[i] != found->colour[j] || found->colour[i] == RG_COLOURS);
}

Test(islands, colours_share_no_mover)
{
    RgArena memory;
    rg_arena_init(&memory, NULL);
    for (int trial = 0; trial < 50; trial++) {
        Made made = made_problem((uint64_t)trial, 30, 200);
        RgIslands found;
        rg_arena_reset(&memory);
        cr_assert(rg_islands_find(&memory, &made.problem, &found));
        for (int i = 0; i < 200 * 200; i++)
            if (i / 200 < i % 200)
                check_pair(&made.problem, &found, i / 200, i % 200);
        made_release(&made);
    }
    rg_arena_free(&memory);
}

/* A tower: the topmost patch comes first. */
Test(islands, from_the_top)
{
    Made made = made_problem(1, 6, 5);
    for (int i = 0; i < 5; i++) {
        made.problem.patches[i].mover[0] = i;
        made.problem.patches[i].mover[1] = i + 1;
    }
    RgArena memory;
    rg_arena_init(&memory, NULL);
    RgIslands found;
    cr_assert(rg_islands_find(&memory, &made.problem, &found));
    cr_assert_eq(found.count, 1);
    const int expected[5] = {4, 2, 0, 3, 1}; /* two colours, each from the top */
    for (int i = 0; i < 5; i++)
        cr_assert_eq(found.patches[i], expected[i]);
    rg_arena_free(&memory);
    made_release(&made);
}
