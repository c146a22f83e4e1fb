/*
 * record_layout.c - the numbers of a row of a recording, and their names.
 *
 *   t | q: nq | v: nv | positions: links x 3 | quaternions: links x 4 | energy: kinetic, potential
 *   | contact: points, work, residual of the last step
 *   | control: joints x (target position, target velocity, effort, saturated), with a control only
 *
 * A position or velocity has the name of its joint, followed by [k] if the joint has several; those of a floating base
 * have the name of its link. A name that several groups use is written as group::name, as rg_model_find_joint expects
 * it.
 */
#include "record/record.h"

#include <rigor/control.h>

#include <stdio.h>
#include <string.h>

/* Numbers of positions and velocities of a floating link. */
#define FREE_NQ 7
#define FREE_NV 6

/* "name" if it is unique, else "group::name". NULL: out of memory. */
static const char *full_name(RgArena *arena, const char *group, const char *name, bool is_unique)
{
    if (is_unique || group == NULL || group[0] == '\0')
        return rg_arena_strdup(arena, name);
    size_t room = strlen(group) + strlen(name) + 3;
    char *full = RG_ARENA_ALLOC(arena, char, room);
    if (full != NULL)
        snprintf(full, room, "%s::%s", group, name);
    return full;
}

/* Names of the count columns of one joint or link: its name, with an index if there are several. */
static void name_columns(RgArena *arena, const char *owner, const char **names, int count)
{
    if (owner == NULL)
        return;
    for (int i = 0; i < count; i++) {
        size_t room = strlen(owner) + 16;
        char *name = RG_ARENA_ALLOC(arena, char, room);
        if (name == NULL)
            return;
        if (count == 1)
            snprintf(name, room, "%s", owner);
        else
            snprintf(name, room, "%s[%d]", owner, i);
        names[i] = name;
    }
}

static const char *joint_name(const RgModel *model, RgArena *arena, int joint)
{
    RgJointInfo info = rg_model_joint(model, (RgJointId){joint});
    return full_name(arena, info.group, info.name, rg_model_find_joint(model, info.name).i == joint);
}

const char *const *rg_record_joint_names(const RgModel *model, RgArena *arena)
{
    int joints = rg_model_info(model).joints;
    const char **names = RG_ARENA_ALLOC(arena, const char *, joints);
    for (int i = 0; i < joints && names != NULL; i++)
        names[i] = joint_name(model, arena, i + 1);
    return arena->failed ? NULL : names;
}

static void name_joints(const RgModel *model, RgArena *arena, const char **q_names, const char **v_names)
{
    int joints = rg_model_info(model).joints;
    for (int i = 1; i <= joints; i++) {
        RgJointInfo joint = rg_model_joint(model, (RgJointId){i});
        if (joint.q_index < 0)
            continue;
        const char *name = joint_name(model, arena, i);
        name_columns(arena, name, q_names + joint.q_index, joint.nq);
        name_columns(arena, name, v_names + joint.v_index, joint.nv);
    }
}

static void name_links(const RgModel *model, RgArena *arena, const char **link_names, const char **q_names,
                       const char **v_names)
{
    int links = rg_model_info(model).links;
    for (int i = 1; i <= links; i++) {
        RgLinkInfo link = rg_model_link(model, (RgLinkId){i});
        const char *name = full_name(arena, link.group, link.name, rg_model_find_link(model, link.name).i == i);
        link_names[i - 1] = name;
        if (!link.floats)
            continue;
        name_columns(arena, name, q_names + link.q_index, FREE_NQ);
        name_columns(arena, name, v_names + link.v_index, FREE_NV);
    }
}

int rg_record_array_width(const RgRecordArray *array)
{
    return array->items * array->depth;
}

void rg_record_layout_of(const RgRecordNames *names, RgRecordLayout *out)
{
    static const char *const no_suffix[] = {""};
    static const char *const position[] = {":x", ":y", ":z"};
    static const char *const quaternion[] = {":qw", ":qx", ":qy", ":qz"};
    static const char *const energies[] = {"kinetic", "potential"};
    static const char *const contact[] = {"points", "work", "residual"};
    static const char *const control[] = {":wanted", ":wanted_rate", ":effort", ":saturated"};
    int links = names->nlinks;
    *out = (RgRecordLayout){
        .arrays = {[RG_RECORD_T] = {"t", 1, 1, 1, 0, "t", no_suffix, no_suffix},
                   [RG_RECORD_Q] = {"q", 2, names->nq, 1, 0, "q:", names->q, no_suffix},
                   [RG_RECORD_V] = {"v", 2, names->nv, 1, 0, "v:", names->v, no_suffix},
                   [RG_RECORD_POSITION] = {"link_position", 3, links, 3, 0, "link:", names->links, position},
                   [RG_RECORD_QUATERNION] = {"link_quaternion", 3, links, 4, 0, "link:", names->links, quaternion},
                   [RG_RECORD_ENERGY] = {"energy", 2, 2, 1, 0, "energy:", energies, no_suffix},
                   [RG_RECORD_CONTACT] = {"contact", 2, 3, 1, 0, "contact:", contact, no_suffix},
                   [RG_RECORD_CONTROL] = {"control", 3, names->ncontrol, 4, 0, "control:", names->control, control}},
        .nq = names->nq,
        .nv = names->nv,
        .links = links,
        .q_names = names->q,
        .v_names = names->v,
        .link_names = names->links,
        .controlled = names->ncontrol,
        .control_names = names->control};

    /* Place the arrays one after another. */
    for (int i = 0; i < RG_RECORD_PARTS; i++) {
        out->arrays[i].start = out->width;
        out->width += rg_record_array_width(&out->arrays[i]);
    }
}

/* Names of the controlled axes: those of their velocities. */
static const char **name_control(const RgModel *model, const RgControl *control, const char *const *v_names,
                                 RgArena *arena)
{
    int joints = rg_control_joints(control);
    const char **names = RG_ARENA_ALLOC(arena, const char *, joints);
    for (int i = 0; i < joints && names != NULL; i++) {
        RgJointTracking tracking = rg_control_joint(control, i);
        names[i] = v_names[rg_model_joint(model, tracking.joint).v_index + tracking.dof];
    }
    return names;
}

bool rg_record_layout(const RgModel *model, const RgControl *control, RgArena *arena, RgRecordLayout *out)
{
    RgModelInfo info = rg_model_info(model);
    const char **q_names = RG_ARENA_ALLOC(arena, const char *, info.nq);
    const char **v_names = RG_ARENA_ALLOC(arena, const char *, info.nv);
    const char **link_names = RG_ARENA_ALLOC(arena, const char *, info.links);
    if (arena->failed)
        return false;
    name_joints(model, arena, q_names, v_names);
    name_links(model, arena, link_names, q_names, v_names);
    int controlled = control != NULL ? rg_control_joints(control) : 0;
    const char **control_names = controlled > 0 ? name_control(model, control, v_names, arena) : NULL;
    rg_record_layout_of(&(RgRecordNames){.q = q_names,
                                         .v = v_names,
                                         .links = link_names,
                                         .control = control_names,
                                         .ncontrol = controlled,
                                         .nq = info.nq,
                                         .nv = info.nv,
                                         .nlinks = info.links},
                        out);
    return !arena->failed;
}
