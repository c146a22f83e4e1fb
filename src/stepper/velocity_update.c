/*
 * velocity_update.c - one velocity update by the shared stages.
 *
 * The stages read what is special about a solve from fields of the scope, the contact stage, the constraints and the row
 * solver's options. This file is the only place of the event-locating steppers that sets them, and resets them afterwards.
 */
#include "stepper/velocity_update.h"

#include <string.h>

/* Sets the fields; returns the erp to reset to. */
static double begin(RgStepScope *s, const RgContactAsk *ask)
{
    double erp = s->rows != NULL ? s->rows->options.pgs.erp : 0.0;
    if (s->contact != NULL) {
        s->contact->wanted = ask->target_velocities;
        s->contact->bends = ask->joints_drift;
    }
    if (s->rows != NULL && !ask->correct)
        s->rows->options.pgs.erp = 0.0;
    s->given = ask->contacts;
    s->constraints->held = ask->springs;
    s->h = ask->h;
    return erp;
}

static void end(RgStepScope *s, double erp)
{
    s->given = NULL;
    s->constraints->held = NULL;
    if (s->rows != NULL)
        s->rows->options.pgs.erp = erp;
    if (s->contact != NULL) {
        s->contact->wanted = NULL;
        s->contact->bends = false;
    }
}

RgStatus rg_velocity_update(RgStepScope *s, const RgVelocityUpdate *update, double *u_free, RgState *out)
{
    double h = update->contact.h, erp = begin(s, &update->contact);
    double *a = update->acceleration != NULL ? update->acceleration : s->a;
    bool implicit = s->implicit_damping && !update->impact;
    RgStatus status = rg_stage_touching(s, update->at, implicit && a == s->a ? h : 0.0, s->a);
    if (status == RG_OK && update->midpoint)
        rg_stage_turning_centred(s, update->from, h, a);
    for (int i = 0; i < s->form->nu && status == RG_OK && !update->impact; i++)
        out->u[i] = update->from[i] + h * a[i];
    if (status == RG_OK && u_free != NULL)
        memcpy(u_free, out->u, (size_t)s->form->nu * sizeof *u_free);
    if (status == RG_OK)
        status = rg_stage_impulses(s, update->at, h, implicit, out);
    end(s, erp);
    return status;
}
