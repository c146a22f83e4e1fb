/*
 * test_parallel_for.c - every item is done once, whatever the threads; members of a team see what the others wrote.
 */
#include "base/parallel_for.h"

#include <criterion/criterion.h>
#include <string.h>

#define ITEMS 1000

static void count_up(void *context, int32_t first, int32_t end, int thread)
{
    int *seen = context;
    cr_assert(thread >= 0 && thread < RG_MOST_THREADS);
    for (int32_t i = first; i < end; i++)
        seen[i] += 1 + i;
}

static void check_once(int threads, int chunk, int count)
{
    int seen[ITEMS] = {0};
    rg_parallel_for(threads, count, chunk, count_up, seen);
    for (int i = 0; i < ITEMS; i++)
        cr_assert_eq(seen[i], i < count ? 1 + i : 0, "%d threads, chunk %d, item %d", threads, chunk, i);
}

Test(parallel_for, every_item_once)
{
    for (int threads = 0; threads <= 8; threads++)
        for (int chunk = 0; chunk <= 600; chunk += 37)
            for (int count = 0; count <= ITEMS; count += 125)
                check_once(threads, chunk, count);
}

/* Prefix of a table in rounds: round k needs what all members wrote in round k - 1. */
#define ROUNDS 200
typedef struct Table {
    int64_t row[ROUNDS][ITEMS];
} Table;

static void fill_rounds(void *context, RgTeam *team, int member)
{
    Table *t = context;
    for (int k = 0; k < ROUNDS; k++) {
        int32_t first, end;
        rg_team_share(team, member, ITEMS, &first, &end);
        for (int32_t i = first; i < end; i++)
            t->row[k][i] =
                k == 0 ? i : (t->row[k - 1][(i + 1) % ITEMS] + t->row[k - 1][(i + 499) % ITEMS]) % 1000003;
        rg_team_wait(team);
    }
}

Test(parallel_for, teams_wait_for_each_other)
{
    static Table alone, together;
    fill_rounds(&alone, &(RgTeam){.size = 1}, 0);
    for (int threads = 1; threads <= 8; threads++) {
        memset(&together, 0, sizeof together);
        rg_parallel_team(threads, fill_rounds, &together);
        cr_assert_eq(memcmp(&alone, &together, sizeof alone), 0, "%d threads", threads);
    }
}

Test(parallel_for, count_of_threads)
{
    cr_assert_eq(rg_thread_count(0), 1);
    cr_assert_eq(rg_thread_count(-5), 1);
    cr_assert(rg_thread_count(1000000) <= RG_MOST_THREADS);
    cr_assert(rg_thread_count(4) == 4 || rg_thread_count(4) == 1);
}
