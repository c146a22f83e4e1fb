/* row.c - adds terms to a row. */
#include "coords/row.h"

void rg_row_add_body(RgRow *row, int body, RgVec3 origin, RgForce J, RgVec3 p)
{
    if (body < 0)
        return;
    RgForce moved = fv_shift(J, v3_sub(origin, p));
    for (int i = 0; i < row->nbodies; i++)
        if (row->body[i] == body) {
            row->J[i] = fv_add(row->J[i], moved);
            return;
        }
    row->body[row->nbodies] = body;
    row->J[row->nbodies++] = moved;
}
