/*
 * model_change.c - reads and changes the defs of a builder before it is compiled.
 *
 * The caller takes a view of a def, changes a copy, and sets it as a whole. It is checked as when it was added; if it
 * is refused the old def stays and the builder stores the error. Names and groups cannot change, as lookups by name
 * would become invalid. Couplings and transmissions were checked against their joints, so they are checked again when a
 * joint changes. Also fails if there is no memory for a new mesh.
 */
#include "base/status.h"
#include "model/model_builder.h"

#include <string.h>

/* ------------------------------------------------------------------ views */

RgBuilderInfo rg_builder_info(const RgBuilder *b)
{
    return (RgBuilderInfo){.links = b->nlinks,
                           .joints = b->njoints,
                           .shapes = b->nshapes,
                           .frames = b->nframes,
                           .couplings = b->ncouplings,
                           .transmissions = b->ntransmissions,
                           .collision_pairs = b->npairs};
}

const RgLinkDef *rg_builder_link(const RgBuilder *b, RgLinkId link)
{
    return link.i > 0 && link.i <= b->nlinks ? &b->links[link.i - 1] : NULL;
}

const RgJointDef *rg_builder_joint(const RgBuilder *b, RgJointId joint)
{
    return joint.i > 0 && joint.i <= b->njoints ? &b->joints[joint.i - 1] : NULL;
}

const RgShapeDef *rg_builder_shape(const RgBuilder *b, RgShapeId shape)
{
    return shape.i > 0 && shape.i <= b->nshapes ? &b->shapes[shape.i - 1] : NULL;
}

const RgCouplingDef *rg_builder_coupling(const RgBuilder *b, int index)
{
    return index >= 0 && index < b->ncouplings ? &b->couplings[index] : NULL;
}

const RgTransmissionDef *rg_builder_transmission(const RgBuilder *b, int index)
{
    return index >= 0 && index < b->ntransmissions ? &b->transmissions[index] : NULL;
}

/* ------------------------------------------------------------------ changes */

static bool refuse(RgBuilder *b, const RgError *error)
{
    rg_builder_note_error(b, error);
    return false;
}

static bool same_text(const char *a, const char *b)
{
    return strcmp(a != NULL ? a : "", b != NULL ? b : "") == 0;
}

/* Checks that the old def exists, that the new one was initialised by its default function, and that the names agree.
   */
static bool check_change(RgBuilder *b, const char *what, const void *old, uint32_t cookie, bool same_name)
{
    RgError error;
    if (old == NULL)
        rg_fail(&error, RG_ERR_ARGUMENT, b->file, 0, "there is no such %s to change", what);
    else if (cookie != RG_COOKIE)
        rg_fail(&error, RG_ERR_ARGUMENT, b->file, 0, "a %s definition must start from rg_%s_def_default()", what, what);
    else if (!same_name)
        rg_fail(&error, RG_ERR_ARGUMENT, b->file, 0, "a %s keeps its name and its group", what);
    else
        return true;
    return refuse(b, &error);
}

bool rg_builder_set_link(RgBuilder *b, RgLinkId link, const RgLinkDef *def)
{
    const RgLinkDef *old = rg_builder_link(b, link);
    bool same = old != NULL && same_text(old->name, def->name) && same_text(old->group, def->group);
    RgError error;
    if (!check_change(b, "link", old, def->cookie, same))
        return false;
    if (rg_check_link(b, def, &error) != RG_OK)
        return refuse(b, &error);
    RgLinkDef next = *def;
    next.name = old->name;
    next.group = old->group;
    b->links[link.i - 1] = next;
    return true;
}

/* Repeats the checks of couplings and transmissions that refer to a joint. */
static RgStatus check_references(const RgBuilder *b, int32_t joint, RgError *error)
{
    RgStatus status = RG_OK;
    for (int i = 0; i < b->ncouplings && status == RG_OK; i++)
        if (b->couplings[i].joint.i == joint || b->couplings[i].reference.i == joint)
            status = rg_check_coupling(b, &b->couplings[i], error);
    for (int i = 0; i < b->ntransmissions && status == RG_OK; i++)
        if (b->transmissions[i].joint.i == joint)
            status = rg_check_transmission(b, &b->transmissions[i], error);
    return status;
}

bool rg_builder_set_joint(RgBuilder *b, RgJointId joint, const RgJointDef *def)
{
    const RgJointDef *old = rg_builder_joint(b, joint);
    bool same = old != NULL && same_text(old->name, def->name) && same_text(old->group, def->group);
    RgError error;
    if (!check_change(b, "joint", old, def->cookie, same))
        return false;
    if (rg_check_joint(b, def, &error) != RG_OK)
        return refuse(b, &error);
    RgJointDef previous = *old, next = *def;
    next.name = previous.name;
    next.group = previous.group;
    b->joints[joint.i - 1] = next;
    if (check_references(b, joint.i, &error) == RG_OK)
        return true;
    b->joints[joint.i - 1] = previous;
    return refuse(b, &error);
}

bool rg_builder_set_shape(RgBuilder *b, RgShapeId shape, const RgShapeDef *def)
{
    const RgShapeDef *old = rg_builder_shape(b, shape);
    bool same = old != NULL && same_text(old->name, def->name);
    RgError error;
    if (!check_change(b, "shape", old, def->cookie, same))
        return false;
    if (rg_check_shape(b, def, &error) != RG_OK)
        return refuse(b, &error);
    RgShapeDef next = *def;
    if (!rg_builder_copy_shape(b, &next, old))
        return false;
    b->shapes[shape.i - 1] = next;
    return true;
}

bool rg_builder_set_coupling(RgBuilder *b, int index, const RgCouplingDef *def)
{
    const RgCouplingDef *old = rg_builder_coupling(b, index);
    bool same = old != NULL && same_text(old->name, def->name);
    RgError error;
    if (!check_change(b, "coupling", old, def->cookie, same))
        return false;
    if (rg_check_coupling(b, def, &error) != RG_OK)
        return refuse(b, &error);
    RgCouplingDef next = *def;
    next.name = old->name;
    b->couplings[index] = next;
    return true;
}

bool rg_builder_set_transmission(RgBuilder *b, int index, const RgTransmissionDef *def)
{
    const RgTransmissionDef *old = rg_builder_transmission(b, index);
    bool same = old != NULL && same_text(old->name, def->name) && same_text(old->actuator, def->actuator);
    RgError error;
    if (!check_change(b, "transmission", old, def->cookie, same))
        return false;
    if (rg_check_transmission(b, def, &error) != RG_OK)
        return refuse(b, &error);
    RgTransmissionDef next = *def;
    next.name = old->name;
    next.actuator = old->actuator;
    b->transmissions[index] = next;
    return true;
}
