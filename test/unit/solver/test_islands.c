/*
 * test_islands.c - islands against a search by flooding; colours that share no mover; order from the top.
 */
#include "patch_fixture.h"
#include "solver/islands.h"

#include <criterion/criterion.h>

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
        for (bool grew = true; grew;) {
            grew = false;
            for (int32_t k = 0; k < p->npatches; k++) {
                int a = p->patches[k].mover[0], b = p->patches[k].mover[1];
                if (a > 0 && (island[a] == count) != (island[b] == count)) {
                    island[a] = island[b] = count;
                    grew = true;
                }
            }
        }
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
        cr_assert_eq(found.count, count, "trial %d: %d and %d", trial, found.count, count);
        int patches = 0;
        for (int k = 0; k < found.count; k++) {
            const RgIsland *i = &found.island[k];
            patches += i->npatches;
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

Test(islands, colours_share_no_mover)
{
    RgArena memory;
    rg_arena_init(&memory, NULL);
    for (int trial = 0; trial < 50; trial++) {
        Made made = made_problem((uint64_t)trial, 30, 200);
        RgIslands found;
        rg_arena_reset(&memory);
        cr_assert(rg_islands_find(&memory, &made.problem, &found));
        for (int i = 0; i < 200; i++)
            for (int j = i + 1; j < 200; j++) {
                const RgPatch *a = &made.problem.patches[found.patches[i]],
                              *b = &made.problem.patches[found.patches[j]];
                bool share = false;
                for (int x = 0; x < 2; x++)
                    for (int y = 0; y < 2; y++)
                        share = share || (a->mover[x] > 0 && a->mover[x] == b->mover[y]);
                cr_assert(!share || found.colour[i] != found.colour[j] || found.colour[i] == RG_COLOURS);
            }
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
