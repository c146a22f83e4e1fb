/*
 * fields.c - damping fields: bodies inside, and their damping forces.
 *
 *   F = -c m (v - v_f)       at the body's centre of mass,  M = -a I (w - w_f)
 *
 * Explicit: wrenches on the body's link and, opposite, on the field's link. Implicit, at the end of a step of length h:
 * soft rows of the mechanism (row_field.c), for both forms; a body that moves alone in a field of the world needs no
 * rows, since there
 *
 *   v1 = (v0 + h f/m) / (1 + h c),   w1 = w* / (1 + h a),   w* without the field
 *
 * is the solution. A body is inside a field if its centre of mass is; a body that enters a field within a step is
 * damped from the next step on.
 *
 * Work: impulse times the mean of the velocities before and after the step; summed over all forces it is the change of
 * the kinetic energy. Joints that are eliminated end a step with G u = -h bias / 2 (bilateral.c), against which a strong
 * field pushes with large impulses that the joints undo. The impulses and velocities used are therefore those of the
 * solution with G u = 0, in which joints do no work.
 *
 * Bodies inside a field on a moving link form one mechanism with that link's body, since the rows connect them.
 */
#include "constraint/fields.h"

#include "base/status.h"

#include <string.h>

/* ------------------------------------------------------------------ shapes */

static bool in_box(const double *size, RgVec3 p)
{
    return fabs(p.x) <= 0.5 * size[0] && fabs(p.y) <= 0.5 * size[1] && fabs(p.z) <= 0.5 * size[2];
}

static bool in_sphere(const double *size, RgVec3 p)
{
    return v3_norm2(p) <= size[0] * size[0];
}

static bool in_cylinder(const double *size, RgVec3 p)
{
    return p.x * p.x + p.y * p.y <= size[0] * size[0] && fabs(p.z) <= 0.5 * size[1];
}

static const struct {
    const char *name;
    int numbers;
    bool (*contains)(const double *size, RgVec3 p);
} shapes[] = {[RG_FIELD_box] = {"box", 3, in_box},
              [RG_FIELD_sphere] = {"sphere", 1, in_sphere},
              [RG_FIELD_cylinder] = {"cylinder", 2, in_cylinder}};

const char *rg_field_shape_name(RgFieldShape shape)
{
    return (unsigned)shape < RG_FIELD_COUNT ? shapes[shape].name : NULL;
}

int rg_field_shape_numbers(RgFieldShape shape)
{
    return (unsigned)shape < RG_FIELD_COUNT ? shapes[shape].numbers : 0;
}

RgFieldDef rg_field_def_default(void)
{
    return (RgFieldDef){.cookie = RG_COOKIE, .X_LF = pose_identity(), .size = {1.0, 1.0, 1.0}};
}

RgStatus rg_field_check(const RgModel *m, const RgFieldDef *def, RgError *error)
{
    const char *problem = NULL;
    if (def->cookie != RG_COOKIE)
        problem = "use rg_field_def_default";
    else if (def->link.i < 0 || def->link.i > m->nlinks)
        problem = "no such link";
    else if (!pose_finite(def->X_LF) || !rg_pose_rigid(def->X_LF))
        problem = "its frame is not a finite rigid pose";
    else if ((unsigned)def->shape >= RG_FIELD_COUNT)
        problem = "no such shape";
    else if (!(def->linear >= 0.0 && isfinite(def->linear) && def->angular >= 0.0 && isfinite(def->angular)))
        problem = "its coefficients must be finite and not negative";
    for (int i = 0; problem == NULL && i < shapes[def->shape].numbers; i++)
        if (!(def->size[i] > 0.0 && isfinite(def->size[i])))
            problem = "its sizes must be finite and above 0";
    return problem == NULL ? RG_OK : rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "damping field: %s", problem);
}

/* ------------------------------------------------------------------ memory */

/* A copy of a name; NULL: "". */
static const char *copy_name(RgArena *arena, const char *name)
{
    size_t size = name != NULL ? strlen(name) + 1 : 1;
    char *copy = RG_ARENA_ALLOC(arena, char, size);
    if (copy != NULL && name != NULL)
        memcpy(copy, name, size);
    return copy;
}

static int body_of(const RgModel *m, RgLinkId link)
{
    return link.i > 0 ? m->links[link.i - 1].body : -1;
}

RgFields *rg_fields_alloc(RgArena *arena, const RgForm *form, const RgFieldDef *def, int count)
{
    const RgModel *m = form->model;
    RgFields *fields = RG_ARENA_ALLOC(arena, RgFields, 1);
    RgFieldDef *defs = RG_ARENA_ALLOC(arena, RgFieldDef, count);
    RgFieldBody *bodies = RG_ARENA_ALLOC(arena, RgFieldBody, m->nbodies);
    bool *alone = RG_ARENA_ALLOC(arena, bool, m->nbodies);
    if (arena->failed)
        return NULL;
    rg_find_isolated_bodies(m, alone);
    *fields = (RgFields){.form = form, .count = count, .def = defs, .bodies = bodies};
    for (int i = 0; i < count; i++) {
        defs[i] = def[i];
        defs[i].name = copy_name(arena, def[i].name);
        fields->any_carried = fields->any_carried || body_of(m, def[i].link) >= 0;
    }
    int held = 0;
    for (int i = 0; i < m->nbodies; i++) {
        rg_principal_moments(&m->bodies[i].inertia, bodies[i].moment, &bodies[i].axes);
        bodies[i].field = -1;
        held += !alone[i];
    }
    int most = held + 2 * m->slots;
    fields->room = 6 * (fields->any_carried || most > m->nbodies ? m->nbodies : most);
    return arena->failed ? NULL : fields;
}

int rg_fields_room(const RgFields *fields)
{
    return fields != NULL ? fields->room : 0;
}

/* ------------------------------------------------------------------ bodies inside */

static RgVec3 centre_of(const RgForm *form, int body)
{
    return pose_apply(form->kin->X_WB[body], form->model->bodies[body].inertia.com);
}

int rg_fields_containing(const RgFields *fields, int body)
{
    const RgForm *form = fields->form;
    RgVec3 centre = centre_of(form, body);
    for (int i = 0; i < fields->count; i++) {
        const RgFieldDef *def = &fields->def[i];
        if (body_of(form->model, def->link) == body || (def->linear == 0.0 && def->angular == 0.0))
            continue;
        RgPose X_WL = def->link.i > 0 ? rg_kin_link_pose(form->kin, def->link.i - 1) : pose_identity();
        if (shapes[def->shape].contains(def->size, pose_apply(pose_inverse(pose_mul(X_WL, def->X_LF)), centre)))
            return i;
    }
    return -1;
}

int rg_fields_carrier(const RgFields *fields, int body)
{
    int field = fields->bodies[body].field;
    return field >= 0 ? body_of(fields->form->model, fields->def[field].link) : -1;
}

void rg_fields_find(RgFields *fields)
{
    const RgModel *m = fields->form->model;
    fields->any = fields->ties = false;
    for (int i = 0; i < m->nbodies; i++) {
        int carrier = rg_fields_carrier(fields, i);
        RgFieldBody *b = &fields->bodies[i];
        b->field = rg_fields_containing(fields, i);
        b->alone = b->free && rg_fields_carrier(fields, i) < 0;
        fields->any = fields->any || b->field >= 0;
        fields->ties = fields->ties || rg_fields_carrier(fields, i) >= 0;
        fields->regroup = fields->regroup || rg_fields_carrier(fields, i) != carrier;
    }
}

/* ------------------------------------------------------------------ explicit */

static void add_on_link(const RgForm *form, int body, RgForce f, RgVec3 p, RgForce *on_links)
{
    if (body < 0)
        return;
    int link = form->model->bodies[body].link;
    RgVec3 origin = rg_kin_link_pose(form->kin, link).p;
    on_links[link] = fv_add(on_links[link], fv_shift(f, v3_sub(origin, p)));
}

void rg_fields_add_forces(const RgFields *fields, RgForce *on_links)
{
    const RgForm *form = fields->form;
    for (int i = 0; i < form->model->nbodies && fields->any; i++) {
        if (fields->bodies[i].field < 0)
            continue;
        const RgFieldDef *def = &fields->def[fields->bodies[i].field];
        const RgInertia *in = &form->model->bodies[i].inertia;
        int carrier = rg_fields_carrier(fields, i);
        RgVec3 p = centre_of(form, i);
        RgMotion V = mv_shift(kin_twist(form->kin, i), v3_sub(p, kin_pose(form->kin, i).p));
        RgMotion V_f = mv_shift(kin_twist(form->kin, carrier), v3_sub(p, kin_pose(form->kin, carrier).p));
        RgMotion rate = mv_sub(V, V_f);
        RgMat3 R = form->kin->X_WB[i].R;
        RgVec3 momentum = m3_apply(R, s3_apply(in->I, m3_apply_t(R, rate.w)));
        RgForce f = {v3_scale(-def->angular, momentum), v3_scale(-def->linear * in->mass, rate.v)};
        add_on_link(form, i, f, p, on_links);
        add_on_link(form, carrier, fv_scale(-1.0, f), p, on_links);
    }
}

/* ------------------------------------------------------------------ implicit */

double rg_fields_damp(const RgFields *fields, double h, const double *u0, double *u)
{
    const RgForm *form = fields->form;
    double work = 0.0;
    for (int i = 0; i < form->model->nbodies && fields->any; i++) {
        const RgFieldBody *b = &fields->bodies[i];
        if (b->field < 0 || !b->alone)
            continue;
        const RgFieldDef *def = &fields->def[b->field];
        const RgInertia *in = &form->model->bodies[i].inertia;
        RgMat3 R = form->kin->X_WB[i].R;
        double before[6], V[6];
        form->kind->look(form, i, u0, before);
        form->kind->look(form, i, u, V);
        for (int k = 0; k < 6; k++)
            V[k] /= 1.0 + h * (k < 3 ? def->linear : def->angular);
        form->kind->write_body_velocity(form, i, V, u);

        RgVec3 v = v3(V[0], V[1], V[2]), w = v3(V[3], V[4], V[5]);
        RgVec3 mean_v = v3_scale(0.5, v3_add(v, v3(before[0], before[1], before[2])));
        RgVec3 mean_w = v3_scale(0.5, v3_add(w, v3(before[3], before[4], before[5])));
        RgVec3 momentum = m3_apply(R, s3_apply(in->I, m3_apply_t(R, w)));
        work -= h * (def->linear * in->mass * v3_dot(v, mean_v) + def->angular * v3_dot(momentum, mean_w));
    }
    return work;
}

double rg_fields_row_work(const RgConstraints *c, const double *u0, const double *u1, const double *z)
{
    double work = 0.0;
    for (int i = 0; i < c->fields->nrows; i++) {
        const RgRow *row = &c->rows.row[c->fields->first_row + i];
        double mean = 0.0;
        for (int k = 0; k < row->nbodies; k++) {
            RgMotion V0, V1;
            rg_form_twist(c->form, row->body[k], u0, &V0);
            rg_form_twist(c->form, row->body[k], u1, &V1);
            mean += 0.5 * mv_dot(mv_add(V0, V1), row->J[k]);
        }
        work += z[c->fields->first_row + i] * mean;
    }
    return work;
}

double rg_fields_eliminated_work(RgConstraints *c, double h, const double *u0, const double *u1)
{
    RgBilateral *p = &c->problem;
    double *held = c->scratch.step, *z = c->scratch.velocity;
    if (c->fields->nrows == 0)
        return 0.0;
    memcpy(held, u1, (size_t)c->form->nu * sizeof *held);
    for (int i = 0; i < p->n; i++)
        z[i] = c->rows.row[i].compliance > 0.0 ? 0.0 : -rg_row_times(p, i, u1);
    rg_direct_solve_again(c->direct, p, z);
    rg_add_response(p, z, held);
    for (int i = 0; i < p->n; i++)
        z[i] += h * p->z[i];
    return rg_fields_row_work(c, u0, held, z);
}
