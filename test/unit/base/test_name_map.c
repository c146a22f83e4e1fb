/* Names to numbers, against a plain list. */
#include "base/name_map.h"

#include <criterion/criterion.h>
#include <stdio.h>

Test(name_map, a_thousand_names_are_found_again)
{
    RgArena arena;
    rg_arena_init(&arena, NULL);
    RgNameMap map = {0};
    static char names[1000][16];
    cr_expect_eq(rg_name_map_find(&map, "anything"), -1);
    for (int i = 0; i < 1000; i++) {
        snprintf(names[i], sizeof names[i], "n%d", i * 7);
        cr_assert(rg_name_map_set(&map, &arena, names[i], i));
    }
    for (int i = 0; i < 1000; i++)
        cr_expect_eq(rg_name_map_find(&map, names[i]), i);
    cr_expect_eq(rg_name_map_find(&map, "n1"), -1);
    cr_expect_eq(map.count, 1000);
    rg_arena_free(&arena);
}

Test(name_map, a_name_can_change_its_value)
{
    RgArena arena;
    rg_arena_init(&arena, NULL);
    RgNameMap map = {0};
    rg_name_map_set(&map, &arena, "a", 1);
    rg_name_map_set(&map, &arena, "a", 2);
    cr_expect_eq(rg_name_map_find(&map, "a"), 2);
    cr_expect_eq(map.count, 1);
    rg_arena_free(&arena);
}
