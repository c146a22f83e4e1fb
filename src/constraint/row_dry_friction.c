/* row_dry_friction.c - dry friction of a joint: v = 0 with an effort of at most f either way, otherwise f against v. */
#include "constraint/bounded_table.h"

static int room(const RgBounded *b)
{
    return b->naxes;
}

static int add(const RgBounded *b, const RgBoundedAsk *ask, RgBoundedRow *out)
{
    int n = 0;
    for (int axis = 0; axis < b->naxes; axis++) {
        const RgAxisDef *def = b->axes[axis].def;
        if (!(def->friction > 0.0))
            continue;
        rg_axis_row(b, axis, 1.0, &out[n]);
        out[n].low = -ask->h * def->friction;
        out[n].high = ask->h * def->friction;
        out[n++].slot = axis;
    }
    return n;
}

const RgBoundedKind rg_bounded_dry_friction = {
    .name = "dry friction", .account = offsetof(RgSolverWork, friction), .room = room, .add = add};
