/*
 * world_fields.c - damping fields of a world: queries, changes, and the events of bodies that enter and leave.
 *
 * A body is in the first field that contains its centre of mass at the end of a step. If that differs from the field
 * reported last, it has left the one (exit) and entered the other (enter). What was reported last is part of the state;
 * a state that was set from outside has no past: what is inside is reported as entering by the first step. Steppers
 * that locate events know no fields, so the time is that of the end of the step, with an uncertainty of one step.
 */
#include "base/status.h"
#include "constraint/fields.h"
#include "sim/world_internal.h"

#include <string.h>

RgStatus rg_world_set_field(RgWorld *w, int field, const RgFieldDef *def, RgError *error)
{
    RgFields *fields = w->scope.constraints->fields;
    if (fields == NULL || field < 0 || field >= fields->count)
        return rg_fail(error, RG_ERR_NOT_FOUND, NULL, 0, "no damping field of that number");
    if (rg_field_check(w->model, def, error) != RG_OK)
        return RG_ERR_ARGUMENT;
    if (def->link.i != fields->def[field].link.i)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "damping field: it stays on its link");
    const char *name = fields->def[field].name;
    fields->def[field] = *def;
    fields->def[field].name = name;
    rg_world_wake(w, (RgLinkId){0});
    return RG_OK;
}

int rg_world_field_of(RgWorld *w, RgLinkId link)
{
    RgFields *fields = w->scope.constraints->fields;
    int body = link.i > 0 && link.i <= w->model->nlinks ? w->model->links[link.i - 1].body : -1;
    if (fields == NULL || body < 0)
        return -1;
    rg_world_refresh(w);
    return rg_fields_containing(fields, body);
}

/* ------------------------------------------------------------------ events */

static void log_event(RgWorld *w, RgEventKind kind, int body, int field)
{
    const RgForm *form = w->scope.form;
    const RgFieldDef *def = &w->scope.constraints->fields->def[field];
    int carrier = def->link.i > 0 ? w->model->links[def->link.i - 1].body : -1;
    RgVec3 centre = pose_apply(form->kin->X_WB[body], w->model->bodies[body].inertia.com);
    RgMotion V = mv_shift(kin_twist(form->kin, body), v3_sub(centre, kin_pose(form->kin, body).p)),
             V_f = mv_shift(kin_twist(form->kin, carrier), v3_sub(centre, kin_pose(form->kin, carrier).p));
    rg_step_log_event(&w->log, &(RgEvent){.kind = kind,
                                          .t = w->state.t,
                                          .uncertainty = w->scope.call.h,
                                          .link_a = (uint32_t)(def->link.i - 1),
                                          .link_b = (uint32_t)w->model->bodies[body].link,
                                          .point = centre,
                                          .value = v3_norm(v3_sub(V.v, V_f.v)),
                                          .joint = -1,
                                          .dof = -1,
                                          .field = field + 1,
                                          .name = def->name});
}

void rg_world_update_fields(RgWorld *w)
{
    const RgFields *fields = w->scope.constraints->fields;
    if (fields == NULL)
        return;
    rg_world_refresh(w);
    for (int i = 0; i < w->model->nbodies; i++) {
        int now = rg_fields_containing(fields, i), last = w->reports.in_field[i];
        if (now == last)
            continue;
        if (last >= 0)
            log_event(w, RG_EVENT_exit, i, last);
        if (now >= 0)
            log_event(w, RG_EVENT_enter, i, now);
        w->reports.in_field[i] = now;
    }
}

/* ------------------------------------------------------------------ saved states */

void rg_world_set_fields_reported(RgWorld *w, const void *saved, int count)
{
    size_t size = w->scope.constraints->fields != NULL ? (size_t)w->model->nbodies * sizeof *w->reports.in_field : 0;
    if (size > 0 && count > 0)
        memcpy(w->reports.in_field, saved, size);
    else if (size > 0)
        memset(w->reports.in_field, -1, size); /* none */
}

int rg_world_count_fields_reported(const RgWorld *w)
{
    for (int i = 0; i < w->model->nbodies && w->scope.constraints->fields != NULL; i++)
        if (w->reports.in_field[i] >= 0)
            return w->model->nbodies;
    return 0;
}

bool rg_world_fields_reported_good(const RgWorld *w, const void *saved, int count)
{
    const RgFields *fields = w->scope.constraints->fields;
    if (count != 0 && (fields == NULL || count != w->model->nbodies))
        return false;
    for (int i = 0; i < count; i++) {
        int32_t field;
        memcpy(&field, (const char *)saved + (size_t)i * sizeof field, sizeof field);
        if (field < -1 || field >= fields->count)
            return false;
    }
    return true;
}
