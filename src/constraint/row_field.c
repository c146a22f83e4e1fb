/*
 * row_field.c - implicit damping fields (fields.c), for bodies that joints hold or whose field another body carries.
 *
 *   force along e_k through the centre of mass   d = linear m          e_k the axes of the world
 *   couple about principal axis k                d = angular I_k
 *
 *   v' + C z = -C d v,   C = 1 / (h d)           z = -d (v + h v')
 *
 * like a damper of a joint (row_spring_damper.c). v = e_k . (v_B - v_F), at the point that moves with the centre of
 * mass: v' = e_k . (shifted spatial accelerations + (w_B - w_F) x v_B). If dampers are explicit, fields are forces and
 * have no rows.
 */
#include "constraint/fields.h"
#include "constraint/row_table.h"

/* rg_fields_room counts these rows. */
static int count(const RgForm *form)
{
    (void)form;
    return 0;
}

/* h d of a row, and the present force d v. */
typedef struct Damper {
    double hd, force;
} Damper;

static void add_row(RgConstraints *c, int body, RgForce J, Damper damper, RgRows *rows)
{
    if (!(damper.hd > 0.0))
        return;
    const RgKin *kin = c->form->kin;
    int carrier = rg_fields_carrier(c->fields, body);
    RgVec3 p = pose_apply(kin->X_WB[body], c->form->model->bodies[body].inertia.com);
    RgRow *row = rg_rows_add(rows);
    rg_row_between(c->form, row, carrier, body, J, p);
    RgMotion V = mv_shift(kin_twist(kin, body), v3_sub(p, kin_pose(kin, body).p));
    RgVec3 turn = v3_sub(V.w, kin_twist(kin, carrier).w);
    row->bias = v3_dot(J.f, v3_cross(turn, V.v));
    row->compliance = 1.0 / damper.hd;
    row->target = -damper.force * row->compliance;
}

static void add_body_rows(RgConstraints *c, double h, int body, RgRows *rows)
{
    const RgForm *form = c->form;
    const RgKin *kin = form->kin;
    const RgFieldBody *b = &c->fields->bodies[body];
    const RgFieldDef *def = &c->fields->def[b->field];
    const RgInertia *in = &form->model->bodies[body].inertia;
    int carrier = rg_fields_carrier(c->fields, body);
    RgPose X = kin->X_WB[body];
    RgVec3 p = pose_apply(X, in->com);
    RgMotion V = mv_sub(mv_shift(kin_twist(kin, body), v3_sub(p, X.p)),
                        mv_shift(kin_twist(kin, carrier), v3_sub(p, kin_pose(kin, carrier).p)));
    for (int k = 0; k < 3; k++) {
        double d = def->linear * in->mass;
        RgVec3 e = v3(k == 0, k == 1, k == 2);
        add_row(c, body, (RgForce){v3_zero(), e}, (Damper){h * d, d * v3_dot(e, V.v)}, rows);
    }
    for (int k = 0; k < 3; k++) {
        double d = def->angular * b->moment[k];
        RgVec3 e = m3_apply(X.R, m3_column(b->axes, k));
        add_row(c, body, (RgForce){e, v3_zero()}, (Damper){h * d, d * v3_dot(e, V.w)}, rows);
    }
}

static void add_rest(RgConstraints *c, const RgRowsAsk *ask, RgRows *rows)
{
    RgFields *fields = c->fields;
    if (fields == NULL)
        return;
    fields->first_row = rows->n;
    for (int i = 0; i < c->form->model->nbodies && ask->h > 0.0 && fields->any; i++)
        if (fields->bodies[i].field >= 0 && !fields->bodies[i].alone)
            add_body_rows(c, ask->h, i, rows);
    fields->nrows = rows->n - fields->first_row;
}

const RgRowKind rg_row_field = {.name = "field", .count = count, .add_rest = add_rest};
