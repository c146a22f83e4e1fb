/*
 * control.c - creation of a control: copies of the definition, the joints that it acts on, all its memory.
 *
 * All memory is allocated here except the buffer for a saved world. A step in several parts allocates that when it is
 * first needed, and again if the world's state has grown.
 */
#include "control/control_internal.h"
#include "control/standing.h"

#include "base/alloc.h"
#include "base/status.h"
#include "model/model.h"
#include "sim/world_internal.h"

#include <math.h>
#include <string.h>

/* Largest number of shortfalls per joint: target and effort, of the last part of a step and of the earlier parts. */
#define SHORTFALLS_PER_JOINT 4

/* Limit: the given one, or the model's if it is NaN; 0: none. */
static double resolve_limit(double given, double of_model)
{
    double limit = isnan(given) ? of_model : given;
    return limit > 0.0 ? limit : INFINITY;
}

static double or_zero(double gain)
{
    return isnan(gain) ? 0.0 : gain;
}

static RgControlJoint resolved_joint(const RgModel *model, const RgControlJoint *def)
{
    const RgAxisDef *axis = &model->joints[def->joint.i - 1].def.dof[def->dof];
    RgControlJoint joint = *def;
    joint.kp = or_zero(def->kp);
    joint.ki = or_zero(def->ki);
    joint.kd = or_zero(def->kd);
    joint.limits.max_effort = resolve_limit(def->limits.max_effort, axis->effort_limit);
    joint.limits.max_velocity = resolve_limit(def->limits.max_velocity, axis->velocity_limit);
    return joint;
}

static RgGait *copy_gait(RgArena *arena, const RgGait *def)
{
    RgGait *gait = RG_ARENA_ALLOC(arena, RgGait, 1);
    RgVec3 *neutral = RG_ARENA_ALLOC(arena, RgVec3, def->nfeet);
    double *touchdown = RG_ARENA_ALLOC(arena, double, def->nfeet);
    RgVec3 *first = def->first != NULL ? RG_ARENA_ALLOC(arena, RgVec3, def->nfeet) : NULL;
    if (arena->failed)
        return NULL;
    *gait = *def;
    if (first != NULL)
        memcpy(first, def->first, (size_t)def->nfeet * sizeof *first);
    gait->first = first;
    memcpy(neutral, def->neutral, (size_t)def->nfeet * sizeof *neutral);
    memcpy(touchdown, def->touchdown, (size_t)def->nfeet * sizeof *touchdown);
    gait->neutral = neutral;
    gait->touchdown = touchdown;
    return gait;
}

/* Copies the joints of one controller into the list of all joints. */
static bool copy_joints(RgControl *c, RgController *to, const RgControllerDef *def, int number)
{
    RgControlJoint *joints = RG_ARENA_ALLOC(&c->arena, RgControlJoint, def->njoints);
    int *dofs = RG_ARENA_ALLOC(&c->arena, int, def->njoints);
    if (c->arena.failed)
        return false;
    to->njoints = def->njoints;
    to->joints = joints;
    to->dofs = dofs;
    to->rates = RG_ARENA_ALLOC(&c->arena, double, def->njoints);
    for (int k = 0; k < def->njoints; k++) {
        const RgJoint *J = &c->model->joints[def->joints[k].joint.i - 1];
        joints[k] = resolved_joint(c->model, &def->joints[k]);
        dofs[k] = J->body >= 0 ? c->model->bodies[J->body].v0 + joints[k].dof : -1;
        to->has_gains = to->has_gains || joints[k].kp > 0.0 || joints[k].ki > 0.0 || joints[k].kd > 0.0;
        c->joints[to->first + k] = &joints[k];
        c->owner[to->first + k] = number;
    }
    return true;
}

static bool copy_controller(RgControl *c, const RgControllerDef *def, int number, int first)
{
    RgController *to = &c->controllers[number];
    RgFoot *feet = RG_ARENA_ALLOC(&c->arena, RgFoot, def->nfeet);
    *to = (RgController){.kind = rg_controller_find(def->kind),
                         .name = rg_arena_strdup(&c->arena, rg_controller_label(def)),
                         .trajectory = def->trajectory,
                         .nfeet = def->nfeet,
                         .feet = feet,
                         .foot_kp = def->foot_kp,
                         .foot_kd = def->foot_kd,
                         .friction = def->friction,
                         .rate = def->rate,
                         .walk = rg_walk_resolved(&def->walk),
                         .gravity = def->gravity,
                         .callback = def->callback,
                         .callback_context = def->callback_context,
                         .first = first};
    if (c->arena.failed || !copy_joints(c, to, def, number))
        return false;
    if (def->nfeet > 0)
        memcpy(feet, def->feet, (size_t)def->nfeet * sizeof *feet);
    if (def->gait != NULL)
        to->gait = copy_gait(&c->arena, def->gait);
    return !c->arena.failed && (to->kind->prepare == NULL || to->kind->prepare(to, c->model, &c->arena));
}

/* Doubles of saved memory of a controller: those of its kind, and the last positions of its gait. */
static int kind_memory(const RgController *controller)
{
    return controller->kind->memory != NULL ? controller->kind->memory(controller) : 0;
}

static int gait_memory(const RgControl *c, const RgController *controller)
{
    return controller->gait != NULL && (controller->kind->uses & (RG_USES_REFERENCE | RG_USES_GAIT)) ? c->model->nq + 1
                                                                                                     : 0;
}

static void assign_memory(RgControl *c)
{
    double *at = c->state.memory;
    for (int i = 0; i < c->ncontrollers; i++) {
        RgController *controller = &c->controllers[i];
        int kind = kind_memory(controller), gait = gait_memory(c, controller);
        controller->memory = kind > 0 ? at : NULL;
        controller->guess = gait > 0 ? at + kind : NULL;
        at += kind + gait;
    }
}

/* Largest number of pending commands; a new one is added before those that are due are removed. */
static int capacity_of(const RgControlDef *def)
{
    if (!(def->delay > 0.0))
        return 1;
    return def->rate > 0.0 ? (int)ceil(def->delay * def->rate) + 2 : RG_DELAYS_MAX + 1;
}

static bool init_control(RgControl *c, const RgControlDef *def)
{
    RgArena *arena = &c->arena;
    for (int i = 0; i < def->ncontrollers; i++)
        c->njoints += def->controllers[i].njoints;
    c->ncontrollers = def->ncontrollers;
    c->controllers = RG_ARENA_ALLOC(arena, RgController, def->ncontrollers);
    c->joints = RG_ARENA_ALLOC(arena, RgControlJoint *, c->njoints);
    c->owner = RG_ARENA_ALLOC(arena, int, c->njoints);
    c->position = RG_ARENA_ALLOC(arena, double, c->njoints);
    c->velocity = RG_ARENA_ALLOC(arena, double, c->njoints);
    c->wanted = RG_ARENA_ALLOC(arena, RgReference, c->njoints);
    c->next = RG_ARENA_ALLOC(arena, RgReference, c->njoints);
    c->answer = RG_ARENA_ALLOC(arena, RgJointCommand, c->njoints);
    c->tau = RG_ARENA_ALLOC(arena, double, c->model->nv);
    if (arena->failed)
        return false;
    int first = 0;
    for (int i = 0; i < def->ncontrollers; i++) {
        if (!copy_controller(c, &def->controllers[i], i, first))
            return false;
        first += def->controllers[i].njoints;
        c->nmemory += kind_memory(&c->controllers[i]) + gait_memory(c, &c->controllers[i]);
    }
    c->capacity = capacity_of(def);
    c->kept = RG_ARENA_ALLOC(arena, double, c->nmemory);
    if (arena->failed || !rg_control_state_alloc(c))
        return false;
    assign_memory(c);
    return true;
}

RgControl *rg_control_create(const RgControlDef *def, RgError *error)
{
    if (rg_control_check(def, error) != RG_OK)
        return NULL;
    RgControl *c = rg_alloc_object(&def->allocator, sizeof *c, NULL, error);
    if (c == NULL)
        return NULL;
    rg_arena_init(&c->arena, &def->allocator);
    c->world = def->world;
    c->model = rg_world_model(def->world);
    c->period = def->rate > 0.0 ? 1.0 / def->rate : 0.0;
    c->delay = def->delay;
    c->dynamics = rg_dynamics_create(c->model, &def->allocator);
    if (c->dynamics != NULL && init_control(c, def) &&
        rg_step_log_reserve(&c->world->log, SHORTFALLS_PER_JOINT * c->njoints))
        return c;
    c->njoints = 0; /* no joints to release */
    rg_control_destroy(c);
    rg_fail(error, RG_ERR_MEMORY, NULL, 0, "out of memory");
    return NULL;
}

void rg_control_destroy(RgControl *c)
{
    if (c == NULL)
        return;
    if (c->njoints > 0 && c->state.head->started != 0)
        rg_control_release_joints(c);
    for (int i = 0; c->controllers != NULL && i < c->ncontrollers; i++)
        if (c->controllers[i].work != NULL && c->controllers[i].kind->release != NULL)
            c->controllers[i].kind->release(&c->controllers[i]);
    RgAllocator allocator = c->arena.allocator;
    rg_dynamics_destroy(c->dynamics);
    rg_free(&allocator, c->saved_world);
    rg_arena_free(&c->arena);
    rg_free(&allocator, c);
}

void rg_control_reset(RgControl *c)
{
    if (c->state.head->started != 0)
        rg_control_release_joints(c);
    rg_control_state_clear(c);
}
