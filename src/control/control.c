/*
 * control.c - life of a control: copies of what its definition says, the joints it acts on, memory for all of it.
 *
 * All memory is taken here but the room for a saved world, which a step in several parts takes when it is first needed
 * and again where the world has more contacts than ever before.
 */
#include "control/control_internal.h"
#include "control/standing.h"

#include "base/alloc.h"
#include "base/status.h"
#include "model/model.h"
#include "sim/world_internal.h"

#include <math.h>
#include <string.h>

/* Entries a joint can have in the list of what gave way: target and effort, of a step's last part and those before. */
#define GIVE_WAY 4

/* A limit that is 0 is none; one that is not given is the model's. */
static double resolve(double given, double of_model)
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
    joint.limits.max_effort = resolve(def->limits.max_effort, axis->effort_limit);
    joint.limits.max_velocity = resolve(def->limits.max_velocity, axis->velocity_limit);
    return joint;
}

static RgGait *copy_gait(RgArena *arena, const RgGait *def)
{
    RgGait *gait = RG_TAKE(arena, RgGait, 1);
    RgVec3 *neutral = RG_TAKE(arena, RgVec3, def->nfeet);
    double *touchdown = RG_TAKE(arena, double, def->nfeet);
    RgVec3 *first = def->first != NULL ? RG_TAKE(arena, RgVec3, def->nfeet) : NULL;
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

/* The joints of one controller, and where they stand among those of all. */
static bool copy_joints(RgControl *c, RgController *to, const RgControllerDef *def, int number)
{
    RgControlJoint *joints = RG_TAKE(&c->arena, RgControlJoint, def->njoints);
    int *dofs = RG_TAKE(&c->arena, int, def->njoints);
    if (c->arena.failed)
        return false;
    to->njoints = def->njoints;
    to->joints = joints;
    to->dofs = dofs;
    to->rates = RG_TAKE(&c->arena, double, def->njoints);
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
    RgFoot *feet = RG_TAKE(&c->arena, RgFoot, def->nfeet);
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

/* Doubles that a controller keeps: of its kind, and the last positions that its gait asked for. */
static int kept_by_kind(const RgController *controller)
{
    return controller->kind->memory != NULL ? controller->kind->memory(controller) : 0;
}

static int kept_by_gait(const RgControl *c, const RgController *controller)
{
    return controller->gait != NULL && (controller->kind->uses & (RG_USES_REFERENCE | RG_USES_GAIT)) ? c->model->nq + 1
                                                                                                     : 0;
}

static void place_memory(RgControl *c)
{
    double *at = c->state.memory;
    for (int i = 0; i < c->ncontrollers; i++) {
        RgController *controller = &c->controllers[i];
        int kind = kept_by_kind(controller), gait = kept_by_gait(c, controller);
        controller->memory = kind > 0 ? at : NULL;
        controller->guess = gait > 0 ? at + kind : NULL;
        at += kind + gait;
    }
}

/* How many commands may be under way at once; the newest joins before those that are due leave. */
static int capacity_of(const RgControlDef *def)
{
    if (!(def->delay > 0.0))
        return 1;
    return def->rate > 0.0 ? (int)ceil(def->delay * def->rate) + 2 : RG_DELAYS_MAX + 1;
}

static bool furnish(RgControl *c, const RgControlDef *def)
{
    RgArena *arena = &c->arena;
    for (int i = 0; i < def->ncontrollers; i++)
        c->njoints += def->controllers[i].njoints;
    c->ncontrollers = def->ncontrollers;
    c->controllers = RG_TAKE(arena, RgController, def->ncontrollers);
    c->joints = RG_TAKE(arena, RgControlJoint *, c->njoints);
    c->owner = RG_TAKE(arena, int, c->njoints);
    c->position = RG_TAKE(arena, double, c->njoints);
    c->velocity = RG_TAKE(arena, double, c->njoints);
    c->wanted = RG_TAKE(arena, RgReference, c->njoints);
    c->next = RG_TAKE(arena, RgReference, c->njoints);
    c->answer = RG_TAKE(arena, RgJointCommand, c->njoints);
    c->tau = RG_TAKE(arena, double, c->model->nv);
    if (arena->failed)
        return false;
    int first = 0;
    for (int i = 0; i < def->ncontrollers; i++) {
        if (!copy_controller(c, &def->controllers[i], i, first))
            return false;
        first += def->controllers[i].njoints;
        c->nmemory += kept_by_kind(&c->controllers[i]) + kept_by_gait(c, &c->controllers[i]);
    }
    c->capacity = capacity_of(def);
    c->kept = RG_TAKE(arena, double, c->nmemory);
    if (arena->failed || !rg_control_state_take(c))
        return false;
    place_memory(c);
    return true;
}

RgControl *rg_control_create(const RgControlDef *def, RgError *error)
{
    if (rg_control_check(def, error) != RG_OK)
        return NULL;
    RgControl *c = rg_alloc(&def->allocator, 1, sizeof *c);
    if (c == NULL) {
        rg_fail(error, RG_ERR_MEMORY, NULL, 0, "out of memory");
        return NULL;
    }
    rg_arena_init(&c->arena, &def->allocator);
    c->world = def->world;
    c->model = rg_world_model(def->world);
    c->period = def->rate > 0.0 ? 1.0 / def->rate : 0.0;
    c->delay = def->delay;
    c->dynamics = rg_dynamics_create(c->model, &def->allocator);
    if (c->dynamics != NULL && furnish(c, def) && rg_step_log_reserve(&c->world->log, GIVE_WAY * c->njoints))
        return c;
    c->njoints = 0; /* nothing to let go of */
    rg_control_destroy(c);
    rg_fail(error, RG_ERR_MEMORY, NULL, 0, "out of memory");
    return NULL;
}

void rg_control_destroy(RgControl *c)
{
    if (c == NULL)
        return;
    if (c->njoints > 0 && c->state.head->started != 0)
        rg_control_let_go(c);
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
        rg_control_let_go(c);
    rg_control_state_clear(c);
}
