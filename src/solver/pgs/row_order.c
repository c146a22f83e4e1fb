/* row_order.c - orders of rows by kind (RgPgsOrder); all rows form one part. */
#include "solver/pgs/row_order.h"

enum { JOINTS, BOUNDED, NORMALS, FRICTION, KINDS };

static int kind_of(int row_class)
{
    return row_class == RG_ROW_BILATERAL ? JOINTS
           : row_class == RG_ROW_BOUNDED ? BOUNDED
           : row_class == RG_ROW_NORMAL  ? NORMALS
                                         : FRICTION;
}

/* Appends the rows of kinds first to last, in row order. */
static void append(const RgProblem *p, int first, int last, RgRowOrder *out)
{
    for (int i = 0; i < p->n; i++) {
        int kind = kind_of(p->row_class[i]);
        if (kind >= first && kind <= last)
            out->row[out->nrows++] = i;
    }
}

bool rg_row_order_make(RgArena *arena, const RgProblem *p, RgPgsOrder order, RgRowOrder *out)
{
    if (order == RG_PGS_AS_ODE)
        return rg_ode_order_make(arena, p, out);
    *out =
        (RgRowOrder){.row = RG_ARENA_ALLOC_RAW(arena, int32_t, p->n), .parts = RG_ARENA_ALLOC_RAW(arena, RgRowPart, 1)};
    if (arena->failed)
        return false;
    if (order == RG_PGS_JOINTS_LAST) {
        append(p, NORMALS, FRICTION, out);
        append(p, BOUNDED, BOUNDED, out);
        append(p, JOINTS, JOINTS, out);
    } else {
        append(p, JOINTS, JOINTS, out);
        append(p, BOUNDED, BOUNDED, out);
        append(p, NORMALS, order == RG_PGS_BY_CONTACT ? FRICTION : NORMALS, out);
        if (order == RG_PGS_BY_KIND)
            append(p, FRICTION, FRICTION, out);
    }
    out->parts[0] = (RgRowPart){0, out->nrows};
    out->nparts = 1;
    return true;
}
