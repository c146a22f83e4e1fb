/* model.c - queries of a compiled model. */
#include "model/model.h"

#include "base/alloc.h"
#include "base/nearest_name.h"
#include "base/status.h"

#include <string.h>

void rg_model_destroy(RgModel *m)
{
    if (m != NULL)
        rg_arena_free_with(&m->arena, m);
}

RgModelInfo rg_model_info(const RgModel *m)
{
    return (RgModelInfo){.name = m->name,
                         .links = m->nlinks,
                         .joints = m->njoints,
                         .loops = m->nloops,
                         .couplings = m->ncouplings,
                         .shapes = m->nshapes,
                         .frames = m->nframes,
                         .collision_pairs = m->npairs,
                         .bodies = m->nbodies,
                         .nq = m->nq,
                         .nv = m->nv,
                         .mass = m->mass,
                         .transmissions = m->ntransmissions};
}

const RgPhysicsHints *rg_model_hints(const RgModel *m)
{
    return &m->hints;
}

RgLinkInfo rg_model_link(const RgModel *m, RgLinkId link)
{
    const RgLink *l = &m->links[link.i - 1];
    bool moves = l->body >= 0 && m->bodies[l->body].link == link.i - 1;
    return (RgLinkInfo){.name = l->def.name,
                        .group = l->def.group,
                        .parent = {l->parent + 1},
                        .joint = {l->joint + 1},
                        .body = l->body,
                        .floats = l->floats,
                        .self_collide = l->def.self_collide,
                        .inertia = l->def.inertia,
                        .q_index = moves ? m->bodies[l->body].q0 : -1,
                        .v_index = moves ? m->bodies[l->body].v0 : -1,
                        .line = l->def.line};
}

RgJointInfo rg_model_joint(const RgModel *m, RgJointId joint)
{
    const RgJoint *j = &m->joints[joint.i - 1];
    RgJointInfo out = {.name = j->def.name,
                       .group = j->def.group,
                       .type = j->def.type,
                       .parent = j->def.parent,
                       .child = j->def.child,
                       .axis = j->def.axis,
                       .axis2 = j->def.axis2,
                       .pitch = j->def.pitch,
                       .X_PJ = j->def.X_PJ,
                       .X_CJ = j->def.X_CJ,
                       .nq = j->kind->nq,
                       .nv = j->kind->nv,
                       .q_index = j->body >= 0 ? m->bodies[j->body].q0 : -1,
                       .v_index = j->body >= 0 ? m->bodies[j->body].v0 : -1,
                       .is_loop = j->loop >= 0,
                       .dof = j->def.dof,
                       .line = j->def.line};
    memcpy(out.is_length, j->kind->is_length, sizeof out.is_length);
    return out;
}

RgShapeInfo rg_model_shape(const RgModel *m, RgShapeId shape)
{
    const RgShapeDef *s = &m->shapes[shape.i - 1].def;
    return (RgShapeInfo){.name = s->name,
                         .type = s->type,
                         .link = s->link,
                         .X_LS = s->X_LS,
                         .size = {s->size[0], s->size[1], s->size[2]},
                         .mesh = s->mesh,
                         .heights = s->heights,
                         .rows = s->rows,
                         .columns = s->columns,
                         .is_visual = s->is_visual,
                         .colour = {s->colour[0], s->colour[1], s->colour[2], s->colour[3]},
                         .uri_missing = s->uri_missing,
                         .uri = s->uri,
                         .surface = s->surface,
                         .mesh_use = s->mesh_use,
                         .category = s->category,
                         .mask = s->mask,
                         .line = s->line};
}

RgFrameInfo rg_model_frame(const RgModel *m, RgFrameId frame)
{
    const RgFrameDef *f = &m->frames[frame.i - 1].def;
    return (RgFrameInfo){f->name, f->group, f->link, f->X_LF};
}

RgCouplingDef rg_model_coupling(const RgModel *m, int index)
{
    return m->couplings[index].def;
}

RgTransmissionDef rg_model_transmission(const RgModel *m, int index)
{
    return m->transmissions[index];
}

RgCollisionPairDef rg_model_collision_pair(const RgModel *m, int index)
{
    return m->pairs[index];
}

/* Whether text names this item: "name" or "group::name". */
static bool matches_name(const char *text, const char *group, const char *name)
{
    if (strcmp(text, name) == 0)
        return true;
    size_t n = group != NULL ? strlen(group) : 0;
    return n > 0 && strncmp(text, group, n) == 0 && strncmp(text + n, "::", 2) == 0 && strcmp(text + n + 2, name) == 0;
}

/* Updates the result of a search with match i: index + 1 of the only match so far, -1 if there are several. */
static int only_match(int found, int i)
{
    return found == 0 ? i + 1 : -1;
}

RgLinkId rg_model_find_link(const RgModel *m, const char *name)
{
    int found = 0;
    for (int i = 0; i < m->nlinks; i++)
        if (matches_name(name, m->links[i].def.group, m->links[i].def.name))
            found = only_match(found, i);
    return (RgLinkId){found > 0 ? found : 0};
}

RgStatus rg_model_link_named(const RgModel *m, const char *name, RgLinkId *out, RgError *error)
{
    *out = rg_model_find_link(m, name);
    if (out->i != 0 || strcmp(name, "world") == 0)
        return RG_OK;
    char hint[RG_NEAREST_ROOM];
    RgNearestName nearest = rg_nearest_name(name);
    int twins = 0;
    for (int i = 0; i < m->nlinks; i++) {
        twins += strcmp(m->links[i].def.name, name) == 0;
        rg_nearest_name_offer(&nearest, m->links[i].def.name);
    }
    if (twins > 1)
        return rg_fail(error, RG_ERR_NOT_FOUND, NULL, 0, "%d links are called '%s': say MODEL::%s", twins, name, name);
    return rg_fail(error, RG_ERR_NOT_FOUND, NULL, 0, "no link '%s'%s", name, rg_nearest_name_hint(&nearest, hint));
}

RgJointId rg_model_find_joint(const RgModel *m, const char *name)
{
    int found = 0;
    for (int i = 0; i < m->njoints; i++)
        if (matches_name(name, m->joints[i].def.group, m->joints[i].def.name))
            found = only_match(found, i);
    return (RgJointId){found > 0 ? found : 0};
}

RgFrameId rg_model_find_frame(const RgModel *m, const char *name)
{
    int found = 0;
    for (int i = 0; i < m->nframes; i++)
        if (matches_name(name, m->frames[i].def.group, m->frames[i].def.name))
            found = only_match(found, i);
    return (RgFrameId){found > 0 ? found : 0};
}

const char *rg_joint_type_name(RgJointType type)
{
    return (unsigned)type < RG_JOINT_COUNT ? rg_joint_kind(type)->name : "unknown";
}

bool rg_joint_type_has_axis(RgJointType type)
{
    return (unsigned)type < RG_JOINT_COUNT && rg_joint_kind(type)->has_axis;
}

void rg_model_neutral(const RgModel *m, double *q)
{
    memcpy(q, m->q_neutral, (size_t)m->nq * sizeof *q);
}

const char *rg_model_dof_name(const RgModel *m, int v_index)
{
    const RgBody *B = &m->bodies[m->dof_body[v_index]];
    return B->joint >= 0 ? m->joints[B->joint].def.name : m->links[B->link].def.name;
}

void rg_find_isolated_bodies(const RgModel *m, bool *alone)
{
    for (int i = 0; i < m->nbodies; i++) {
        const RgBody *B = &m->bodies[i];
        alone[i] = B->parent < 0 && B->nv == 6 && B->inertia.mass > 0.0;
        for (int k = B->v0; k < B->v0 + B->nv; k++)
            alone[i] = alone[i] && !(m->armature[k] > 0.0 || m->damping[k] > 0.0 || m->stiffness[k] > 0.0);
    }
    for (int i = 0; i < m->nbodies; i++)
        if (m->bodies[i].parent >= 0)
            alone[m->bodies[i].parent] = false;
    for (int l = 0; l < m->nloops; l++) {
        if (m->loops[l].body_a >= 0)
            alone[m->loops[l].body_a] = false;
        if (m->loops[l].body_b >= 0)
            alone[m->loops[l].body_b] = false;
    }
    for (int c = 0; c < m->ncouplings; c++) {
        alone[m->dof_body[m->couplings[c].v_index]] = false;
        alone[m->dof_body[m->couplings[c].v_reference]] = false;
    }
}
