/* test_view_hub.c - who is there and what was missed, also where there are more orders and events than room. */
#include "view/view_hub.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void no_news(void *context)
{
    (void)context;
}

static RgViewHub *make_hub(void)
{
    RgViewHub *hub = rg_hub_create(no_news, NULL);
    cr_assert_not_null(hub);
    return hub;
}

static bool give(RgViewHub *hub, RgViewOrderKind kind, uint32_t client)
{
    return rg_hub_order(hub, &(RgViewOrder){.kind = kind, .client = client});
}

Test(view_hub, who_leaves_is_gone_even_if_nobody_takes_orders)
{
    RgViewHub *hub = make_hub();
    cr_expect(give(hub, RG_ORDER_JOIN, 1) && give(hub, RG_ORDER_JOIN, 2));
    for (uint32_t i = 3; give(hub, RG_ORDER_JOIN, i); i++)
        give(hub, RG_ORDER_LEAVE, i);
    int before = rg_hub_viewers(hub);
    cr_expect(rg_hub_has_viewer(hub, 1) && rg_hub_has_viewer(hub, 2));
    cr_expect_not(give(hub, RG_ORDER_LEAVE, 1), "there is no room for the order");
    cr_expect_not(rg_hub_has_viewer(hub, 1));
    cr_expect(rg_hub_has_viewer(hub, 2));
    cr_expect_eq(rg_hub_viewers(hub), before - 1);
    give(hub, RG_ORDER_LEAVE, 1);
    cr_expect_eq(rg_hub_viewers(hub), before - 1, "it leaves once");
    cr_expect_not(rg_hub_has_viewer(hub, 0), "0 is nobody");
    rg_hub_destroy(hub);
}

Test(view_hub, commands_leave_room_for_those_who_come_and_go)
{
    RgViewHub *hub = make_hub();
    int taken = 0;
    while (give(hub, RG_ORDER_COMMAND, 1))
        taken++;
    cr_expect_eq(taken, RG_HUB_ORDERS / 2);
    cr_expect(give(hub, RG_ORDER_JOIN, 2));
    RgViewOrder order;
    for (int i = 0; i < taken; i++)
        cr_assert(rg_hub_take_order(hub, &order) && order.kind == RG_ORDER_COMMAND);
    cr_expect(rg_hub_take_order(hub, &order) && order.kind == RG_ORDER_JOIN && order.client == 2);
    cr_expect_not(rg_hub_take_order(hub, &order));
    rg_hub_destroy(hub);
}

/* Event number i holds i as its payload. */
static void add_events(RgViewHub *hub, uint64_t from, uint64_t count)
{
    for (uint64_t i = from; i < from + count; i++)
        rg_hub_add_event(hub, 3, 7, i, &i, sizeof i);
}

Test(view_hub, missed_events_are_counted)
{
    RgViewHub *hub = make_hub();
    uint8_t out[64];
    RgEventPlace place = {0}, late = {0};
    cr_expect_eq(rg_hub_copy_event(hub, &place, out, sizeof out), 0, "none has come");
    add_events(hub, 1, RG_HUB_EVENTS + 1000);
    cr_expect_eq(rg_hub_copy_event(hub, &late, out, sizeof out), 0);
    cr_expect_eq(late.missed, 0, "what was before it came does not count");
    uint64_t got = 0, number;
    for (size_t size; (size = rg_hub_copy_event(hub, &place, out, sizeof out)) > 0; got++) {
        cr_assert_eq(size, RG_VIEW_HEAD + sizeof number);
        memcpy(&number, out + RG_VIEW_HEAD, sizeof number);
        cr_assert_eq(number, 1001 + got);
    }
    cr_expect(got == RG_HUB_EVENTS && place.missed == 1000);

    /* One that is too large, between two that are not. */
    uint8_t *large = calloc(1, 100);
    add_events(hub, 9000, 1);
    rg_hub_add_event(hub, 3, 7, 1, large, 100);
    add_events(hub, 9001, 1);
    for (uint64_t i = 9000; i < 9002; i++) {
        cr_assert_gt(rg_hub_copy_event(hub, &place, out, sizeof out), 0);
        memcpy(&number, out + RG_VIEW_HEAD, sizeof number);
        cr_expect_eq(number, i);
    }
    cr_expect_eq(place.missed, 1001);
    free(large);
    rg_hub_destroy(hub);
}
