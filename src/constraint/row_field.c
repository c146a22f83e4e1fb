/*
 * row_field.c - implicit damping fields (fields.c), for bodies that joints hold or whose field another body carries.
 *
 *   force along e_k through the centre of mass   d = linear m          e_k the axes of the world
 *   couple about principal axis k                d = angular I_k
 *
 *   J a + C z = -C d v,   C = 1 / (h d)          z = -d (v + h J a)
 *
 * like a damper of a joint (row_spring_damper.c). v = J u = e_k . (v_B - v_F) at the centre of mass, all at the positions
 * at the start of the step: the velocity J u at its end is damped, as by the closed form for free bodies, so a strong
 * field brings it to zero and never beyond. If dampers are explicit, fields are forces and have no rows.
 *
 * A body in a chain has six such rows, more than the chain has velocities, so only C makes A = J M^-1 J' + C regular. So
 * h d is at most MAX_STEP_DAMPING times the mass (moment) of the lighter of the two bodies: a step then leaves 1e-4 of the
 * velocity, and A keeps its digits beside rows that are nearly dependent (1e-10, solver_direct.c).
 */
#include "constraint/fields.h"
#include "constraint/row_table.h"
#include "math/unit.h"

/* Largest h d, relative to the mass or moment. */
#define MAX_STEP_DAMPING 1e4

/* rg_fields_room counts these rows. */
static int count(const RgForm *form)
{
    (void)form;
    return 0;
}

/* Damping along one axis. */
typedef struct Damper {
    double rate, v;          /* 1/s; present velocity along it */
    double inertia, lighter; /* mass or moment of the body; of the lighter body */
} Damper;

static void add_row(RgConstraints *c, double h, int body, RgForce J, const Damper *damper, RgRows *rows)
{
    if (!(damper->rate * damper->inertia > 0.0))
        return;
    const RgKin *kin = c->form->kin;
    RgRow *row = rg_rows_add(rows);
    rg_row_between(c->form, row, rg_fields_carrier(c->fields, body), body, J,
                   pose_apply(kin->X_WB[body], c->form->model->bodies[body].inertia.com));
    double damping = d_min(h * damper->rate * damper->inertia, MAX_STEP_DAMPING * damper->lighter);
    c->fields->strongest = d_max(c->fields->strongest, damping / damper->lighter);
    row->compliance = 1.0 / damping;
    row->target = -damper->v / h;
    row->no_bias = true;
}

/* Smallest moment of inertia of a body; inf: none, or 0. */
static double smallest_moment(const RgFields *fields, int body)
{
    double least = INFINITY;
    for (int k = 0; body >= 0 && k < 3; k++)
        if (fields->bodies[body].moment[k] > 0.0)
            least = d_min(least, fields->bodies[body].moment[k]);
    return least;
}

static void add_body_rows(RgConstraints *c, double h, int body, RgRows *rows)
{
    const RgForm *form = c->form;
    const RgKin *kin = form->kin;
    const RgFieldBody *b = &c->fields->bodies[body];
    const RgFieldDef *def = &c->fields->def[b->field];
    const RgInertia *in = &form->model->bodies[body].inertia;
    int carrier = rg_fields_carrier(c->fields, body);
    double carrier_mass = carrier >= 0 ? form->model->bodies[carrier].inertia.mass : INFINITY;
    double lighter_mass = carrier_mass > 0.0 ? d_min(in->mass, carrier_mass) : in->mass;
    double carrier_moment = smallest_moment(c->fields, carrier);
    RgPose X = kin->X_WB[body];
    RgVec3 p = pose_apply(X, in->com);
    RgMotion V = mv_sub(mv_shift(kin_twist(kin, body), v3_sub(p, X.p)),
                        mv_shift(kin_twist(kin, carrier), v3_sub(p, kin_pose(kin, carrier).p)));
    for (int k = 0; k < 3; k++) {
        RgVec3 e = v3(k == 0, k == 1, k == 2);
        Damper damper = {def->linear, v3_dot(e, V.v), in->mass, lighter_mass};
        add_row(c, h, body, (RgForce){v3_zero(), e}, &damper, rows);
    }
    for (int k = 0; k < 3; k++) {
        RgVec3 e = m3_apply(X.R, m3_column(b->axes, k));
        Damper damper = {def->angular, v3_dot(e, V.w), b->moment[k], d_min(b->moment[k], carrier_moment)};
        add_row(c, h, body, (RgForce){e, v3_zero()}, &damper, rows);
    }
}

static void add_rest(RgConstraints *c, const RgRowsAsk *ask, RgRows *rows)
{
    RgFields *fields = c->fields;
    if (fields == NULL)
        return;
    fields->first_row = rows->n;
    fields->strongest = 0.0;
    for (int i = 0; i < c->form->model->nbodies && ask->h > 0.0 && fields->any; i++)
        if (fields->bodies[i].field >= 0 && !fields->bodies[i].alone)
            add_body_rows(c, ask->h, i, rows);
    fields->nrows = rows->n - fields->first_row;
}

const RgRowKind rg_row_field = {.name = "field", .count = count, .add_rest = add_rest};
