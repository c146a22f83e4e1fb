/*
 * world_attachments.c - joints attached and released at run time: attaching, causes, breaking.
 *
 * The world has a copy of its model with free slots behind the loop joints (model_attach.h). Attaching fills a slot,
 * recomputes everything that depends on the set of loops (constants of joints, mechanisms, axes, collision filters),
 * and ends in a plastic impact:
 *
 *   u <- u - M^-1 J' (J M^-1 J')^-1 J u        J: all hard rows, including the new ones
 *
 * which is the projection of stabilise.c: internal impulses only, so momentum is conserved, and the kinetic energy of
 * the relative motion is lost. A placed joint moves positions first (rg_project_jump); that changes the potential
 * energy, either way, but never adds kinetic energy. Releasing frees the slot; no velocity changes.
 *
 * Breaking compares the wrench through the joint at the end of the step with its bounds; forces of contacts, limits and
 * motors enter by their means over the step (reaction.c). Cost: one evaluation of the accelerations per step while a
 * joint that can break is attached. The input function is not called for it.
 *
 * Fails if the two links are one body, the frames of a placed joint are too far apart, or loops cannot be closed.
 */
#include "sim/world_attachments.h"

#include "base/nearest_name.h"
#include "base/status.h"
#include "model/model_builder.h"
#include "sim/world_internal.h"

#include <stdio.h>

/* s: tolerance for times that are sums of steps, which have round-off. */
#define TIME_ROUND 1e-9

/* Capacity of events between two steps, per slot; the oldest are dropped. */
#define EVENTS_A_SLOT 4

RgAttachmentDef rg_attachment_def_default(void)
{
    RgAttachWhen by_call = {.cause = RG_ATTACH_call, .distance = 0.01, .angle = 0.1};
    return (RgAttachmentDef){.cookie = RG_COOKIE,
                             .joint = rg_joint_def_default(),
                             .max_error = 0.01,
                             .break_force = INFINITY,
                             .break_torque = INFINITY,
                             .attach = by_call,
                             .detach = by_call};
}

RgStatus rg_attachment_def_between(RgAttachmentDef *def, const RgModel *model, const char *parent, const char *child,
                                   RgError *error)
{
    RgLinkId a, b;
    RgStatus status = rg_model_link_named(model, parent, &a, error);
    if (status == RG_OK)
        status = rg_model_link_named(model, child, &b, error);
    if (status != RG_OK)
        return status;
    def->joint.parent = a;
    def->joint.child = b;
    return RG_OK;
}

bool rg_attachments_alloc(RgArena *arena, const RgModel *model, int room, RgAttachments *out)
{
    *out = (RgAttachments){.room = room};
    if (room == 0)
        return true;
    out->event_room = EVENTS_A_SLOT * room;
    out->slot = RG_ARENA_ALLOC(arena, RgAttachment, room);
    out->events = RG_ARENA_ALLOC(arena, RgEvent, out->event_room);
    out->model = rg_model_with_slots(arena, model, room);
    return !arena->failed;
}

/* ------------------------------------------------------------------ definitions */

static const char *cause_error(const RgAttachWhen *when, bool is_release)
{
    bool of_release = when->cause == RG_ATTACH_above || when->cause == RG_ATTACH_below;
    if ((unsigned)when->cause >= RG_ATTACH_CAUSE_COUNT)
        return "no such cause";
    if (of_release && !is_release)
        return "a position of the joint can release it, not attach it";
    if (!isfinite(when->time) || !isfinite(when->position))
        return "time and position of a cause must be finite";
    if (!(when->distance > 0.0 && when->angle > 0.0))
        return "distance and angle of a cause must be above 0";
    return NULL;
}

static const char *definition_error(const RgWorld *w, const RgAttachmentDef *def)
{
    const RgJointDef *joint = &def->joint;
    if (joint->type == RG_JOINT_free)
        return "a free joint holds nothing";
    if (!(def->break_force > 0.0 && def->break_torque > 0.0))
        return "force and torque at which it breaks must be above 0";
    if (!(def->max_error > 0.0 && isfinite(def->max_error)))
        return "max_error must be finite and above 0";
    const RgJointKind *kind = rg_joint_kind(joint->type);
    bool position = def->detach.cause == RG_ATTACH_above || def->detach.cause == RG_ATTACH_below;
    if (position && (kind->nq != kind->nv || kind->nv == 0))
        return "it has no position that could release it";
    const RgLink *links = w->model->links;
    int a = joint->parent.i > 0 ? links[joint->parent.i - 1].body : -1,
        b = joint->child.i > 0 ? links[joint->child.i - 1].body : -1;
    if (a == b)
        return "its links are welded together";
    const char *wrong = cause_error(&def->attach, false);
    return wrong != NULL ? wrong : cause_error(&def->detach, true);
}

/* Checks the definition: the joint by the rules of a model, and the rest. */
static RgStatus check_def(const RgWorld *w, const RgAttachmentDef *def, RgError *error)
{
    const char *name = def->name != NULL ? def->name : "";
    if (def->cookie != RG_COOKIE || def->joint.cookie != RG_COOKIE)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "attachment '%s': use rg_attachment_def_default", name);
    RgBuilder links = {.nlinks = w->model->nlinks};
    RgJointDef joint = def->joint;
    joint.name = name[0] != '\0' ? name : "attachment";
    RgStatus status = rg_check_joint(&links, &joint, error);
    const char *wrong = status == RG_OK ? definition_error(w, def) : NULL;
    return wrong != NULL ? rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "attachment '%s': %s", name, wrong) : status;
}

static RgAttachment *find_attachment(const RgWorld *w, RgAttachmentId id)
{
    const RgAttachments *all = &w->attachments;
    return id.i > 0 && id.i <= all->room && all->slot[id.i - 1].used ? &all->slot[id.i - 1] : NULL;
}

RgAttachmentId rg_world_add_attachment(RgWorld *w, const RgAttachmentDef *def, RgError *error)
{
    RgAttachments *all = &w->attachments;
    int slot = 0;
    while (slot < all->room && all->slot[slot].used)
        slot++;
    if (check_def(w, def, error) != RG_OK)
        return (RgAttachmentId){0};
    if (slot == all->room) {
        rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "the world has room for %d attachments (RgWorldDef.max_attachments)",
                all->room);
        return (RgAttachmentId){0};
    }
    RgAttachment *a = &all->slot[slot];
    memset(a, 0, sizeof *a);
    a->used = true;
    a->def = *def;
    a->def.name = a->def.joint.name = a->def.joint.group = NULL;
    a->X_PJ = def->joint.X_PJ;
    a->since = w->state.t;
    snprintf(a->name, sizeof a->name, "%s", def->name != NULL ? def->name : "");

    /* Reset axes that the kind does not have, and velocity limits, which attachments do not enforce. */
    for (int k = 0; k < 6; k++) {
        if (k >= rg_joint_kind(def->joint.type)->nv)
            a->def.joint.dof[k] = rg_joint_def_default().dof[k];
        a->def.joint.dof[k].velocity_limit = INFINITY;
    }
    return (RgAttachmentId){slot + 1};
}

RgAttachmentId rg_world_find_attachment(const RgWorld *w, const char *name, RgError *error)
{
    const RgAttachments *all = &w->attachments;
    char hint[RG_NEAREST_ROOM];
    RgNearestName nearest = rg_nearest_name(name);
    for (int s = 0; s < all->room; s++) {
        if (!all->slot[s].used)
            continue;
        if (strncmp(all->slot[s].name, name, RG_ATTACHMENT_NAME - 1) == 0) /* slots have truncated names */
            return (RgAttachmentId){s + 1};
        rg_nearest_name_offer(&nearest, all->slot[s].name);
    }
    rg_fail(error, RG_ERR_NOT_FOUND, NULL, 0, "no attachment '%s'%s", name, rg_nearest_name_hint(&nearest, hint));
    return (RgAttachmentId){0};
}

RgStatus rg_world_remove_attachment(RgWorld *w, RgAttachmentId id)
{
    RgStatus status = rg_world_detach(w, id);
    if (status == RG_OK)
        memset(find_attachment(w, id), 0, sizeof(RgAttachment));
    return status;
}

int rg_world_attachment_room(const RgWorld *w)
{
    return w->attachments.room;
}

/* ------------------------------------------------------------------ set of loops */

/* Joint definition of a slot, with the frame at which it is attached. */
static RgJointDef joint_of(const RgAttachment *a)
{
    RgJointDef joint = a->def.joint;
    joint.X_PJ = a->X_PJ;
    return joint;
}

/* Updates the contact filters for attached slots. released: joint that was released; NULL: none. */
static RgStatus filter_contacts(RgWorld *w, const RgJointDef *released)
{
    const RgAttachments *all = &w->attachments;
    RgStatus status = RG_OK;
    if (w->contact == NULL)
        return status;
    if (released != NULL)
        status = rg_contact_scene_unjoin(w->contact, released);
    for (int s = 0; s < all->room && status == RG_OK; s++)
        if (all->slot[s].attached && !all->slot[s].def.collide)
            status = rg_contact_scene_join(w->contact, &all->slot[s].def.joint);
    return status;
}

/* Recomputes everything that depends on the set of attached joints. */
static void refresh_loops(RgWorld *w)
{
    rg_constraints_refresh(w->scope.constraints);
    if (w->scope.contact != NULL) {
        rg_contact_update_mechanisms(&w->scope.contact->setup);
        rg_bounded_refresh(w->scope.contact->setup.bounded);
    }
    w->state.h_next = 0.0;
    w->fresh = false;
}

static RgStatus fill_slot(RgWorld *w, int slot)
{
    RgAttachment *a = &w->attachments.slot[slot];
    RgJointDef joint = joint_of(a);
    a->attached = true;
    rg_model_attach(w->attachments.model, slot, &joint);
    refresh_loops(w);
    return filter_contacts(w, NULL);
}

static RgStatus free_slot(RgWorld *w, int slot)
{
    RgAttachment *a = &w->attachments.slot[slot];
    a->attached = false;
    rg_model_release(w->attachments.model, slot);
    refresh_loops(w);
    return a->def.collide ? RG_OK : filter_contacts(w, &a->def.joint);
}

/* ------------------------------------------------------------------ attach and release */

static double total_energy(RgWorld *w)
{
    RgMomentum momentum;
    return rg_world_momentum(w, &momentum) == RG_OK ? momentum.kinetic + momentum.potential : 0.0;
}

static void log_event(RgWorld *w, int slot, RgEvent event)
{
    RgAttachments *all = &w->attachments;
    const RgJointDef *joint = &all->slot[slot].def.joint;
    if (all->nevents == all->event_room)
        memmove(all->events, all->events + 1, (size_t)--all->nevents * sizeof *all->events);
    event.t = w->state.t;
    event.link_a = (uint32_t)(joint->parent.i - 1);
    event.link_b = (uint32_t)(joint->child.i - 1);
    event.joint = event.dof = -1;
    event.attachment = slot + 1;
    event.name = all->slot[slot].name;
    event.point = pose_mul(rg_world_link_pose(w, joint->child), joint->X_CJ).p;
    all->events[all->nevents++] = event;
}

static void wake_both_sides(RgWorld *w, int slot)
{
    const RgJointDef *joint = &w->attachments.slot[slot].def.joint;
    if (joint->parent.i > 0)
        rg_world_wake(w, joint->parent);
    if (joint->child.i > 0)
        rg_world_wake(w, joint->child);
}

/* Pose of the joint frame on the child, seen from the parent. */
static RgPose frame_on_parent(RgWorld *w, const RgJointDef *joint)
{
    RgPose X_WJ = pose_mul(rg_world_link_pose(w, joint->child), joint->X_CJ);
    return pose_relative(rg_world_link_pose(w, joint->parent), X_WJ);
}

/* Frame of the joint on the parent to attach with. A placed screw starts where the child is: its rotation about the
   given axis and its position along it are those of a cylindrical joint there. */
static RgPose frame_to_hold(RgWorld *w, const RgAttachmentDef *def)
{
    const RgJointDef *joint = &def->joint;
    RgPose X_PJ = frame_on_parent(w, joint);
    if (!def->placed)
        return X_PJ;
    if (joint->type != RG_JOINT_screw)
        return joint->X_PJ;
    const RgJointKind *cylinder = rg_joint_kind(RG_JOINT_cylindrical);
    RgJointGeometry geometry = {.turn = 1.0};
    RgPose along = {m3_align_z(rg_joint_axis_unit(joint->axis)), v3_zero()}, X;
    RgMotion S[6];
    double q[2], near_zero[2] = {0.0};
    cylinder->fit(&geometry, pose_mul(pose_inverse(along), pose_mul(pose_relative(joint->X_PJ, X_PJ), along)),
                  near_zero, q);
    cylinder->motion(&geometry, q, &X, S);
    return pose_mul(joint->X_PJ, pose_mul(along, pose_mul(X, pose_inverse(along))));
}

/* Largest error of the slot's rows at the present poses. */
static double slot_error(RgWorld *w, int slot)
{
    rg_world_refresh(w);
    rg_constraints_observe(w->scope.constraints);
    const RgJointState *J = &w->scope.constraints->loops[rg_model_slot_loop(w->model, slot)];
    double most = 0.0;
    for (int k = 0; k < J->nrows; k++)
        most = fmax(most, fabs(J->error[k]));
    return most;
}

/* Plastic impact: projects the velocities; if placed, first the positions. Otherwise positions stay: errors that sweeps
   left in other joints are corrected by their own rows, and other poses at the same velocities may have more kinetic
   energy. */
static RgStatus apply_plastic_impact(RgWorld *w, bool placed)
{
    RgForm *form = w->scope.form;
    RgConstraints *c = w->scope.constraints;
    double error;
    bool changed;
    memcpy(w->next.x, w->state.x, (size_t)form->nx * sizeof *w->state.x);
    memcpy(w->next.u, w->state.u, (size_t)form->nu * sizeof *w->state.u);
    RgStatus status = placed ? rg_project_jump(c, w->next.x, w->next.u, &error, &changed)
                             : rg_project_velocities(c, w->next.x, w->next.u, &changed);
    if (status != RG_OK || !changed)
        return status;
    form->kind->settle(form, w->next.x);
    memcpy(w->state.x, w->next.x, (size_t)form->nx * sizeof *w->state.x);
    memcpy(w->state.u, w->next.u, (size_t)form->nu * sizeof *w->state.u);
    w->fresh = false;
    return RG_OK;
}

RgStatus rg_world_attach(RgWorld *w, RgAttachmentId id, RgError *error)
{
    RgAttachment *a = find_attachment(w, id);
    if (a == NULL)
        return rg_fail(error, RG_ERR_NOT_FOUND, NULL, 0, "no attachment of that number");
    if (a->attached)
        return RG_OK;
    int slot = id.i - 1;
    double before = total_energy(w), apart = 0.0;
    a->X_PJ = frame_to_hold(w, &a->def);
    RgStatus status = fill_slot(w, slot);
    if (status == RG_OK && a->def.placed)
        apart = slot_error(w, slot);
    if (apart > a->def.max_error)
        status = rg_fail(error, RG_ERR_ARGUMENT, NULL, 0,
                         "attachment '%s': its frames are %g (m or rad) apart, more than %g", a->name, apart,
                         a->def.max_error);
    else if (status == RG_OK && (status = apply_plastic_impact(w, a->def.placed)) != RG_OK)
        rg_fail(error, status, NULL, 0, "attachment '%s': the loop that it makes cannot be closed", a->name);
    if (status != RG_OK) {
        free_slot(w, slot);
        return status;
    }
    a->broken = false;
    a->attach_done = true;
    a->detach_done = a->detach_done && a->def.detach.cause == RG_ATTACH_time;
    a->since = w->state.t;
    double gained = total_energy(w) - before;
    w->reports.sums.attached += gained;
    wake_both_sides(w, slot);
    log_event(w, slot, (RgEvent){.kind = RG_EVENT_attach, .value = gained});
    return RG_OK;
}

/* Releases a slot. broke: the wrench at which it broke; NULL: released on purpose. */
static void release(RgWorld *w, int slot, const RgForce *broke)
{
    RgAttachment *a = &w->attachments.slot[slot];
    double before = total_energy(w);
    wake_both_sides(w, slot);
    free_slot(w, slot);
    a->broken = broke != NULL;
    a->detach_done = a->attach_done = true;
    a->since = w->state.t;
    double gained = total_energy(w) - before;
    w->reports.sums.attached += gained;
    if (broke != NULL)
        log_event(w, slot, (RgEvent){.kind = RG_EVENT_broke, .force = v3_norm(broke->f), .value = v3_norm(broke->n)});
    else
        log_event(w, slot, (RgEvent){.kind = RG_EVENT_detach, .value = gained});
}

RgStatus rg_world_detach(RgWorld *w, RgAttachmentId id)
{
    RgAttachment *a = find_attachment(w, id);
    if (a != NULL && a->attached)
        release(w, id.i - 1, NULL);
    return a != NULL ? RG_OK : RG_ERR_NOT_FOUND;
}

/* ------------------------------------------------------------------ queries */

RgStatus rg_world_attachment(RgWorld *w, RgAttachmentId id, RgAttachmentReport *out)
{
    const RgAttachment *a = find_attachment(w, id);
    if (a == NULL)
        return RG_ERR_NOT_FOUND;
    *out = (RgAttachmentReport){
        .name = a->name, .attached = a->attached, .broken = a->broken, .since = a->since, .X_PJ = a->X_PJ};
    if (!a->attached)
        return RG_OK;
    rg_world_refresh(w);
    rg_constraints_observe(w->scope.constraints);
    const RgJointKind *kind = rg_joint_kind(a->def.joint.type);
    const RgJointState *J = &w->scope.constraints->loops[rg_model_slot_loop(w->model, id.i - 1)];
    out->nq = kind->nq;
    out->nv = kind->nv;
    memcpy(out->q, J->q, (size_t)kind->nq * sizeof *out->q);
    memcpy(out->v, J->v, (size_t)kind->nv * sizeof *out->v);
    return RG_OK;
}

RgStatus rg_world_attachment_reaction(RgWorld *w, RgAttachmentId id, RgForce *out)
{
    const RgAttachment *a = find_attachment(w, id);
    if (a == NULL || !a->attached)
        return RG_ERR_NOT_FOUND;
    return rg_world_loop_reaction(w, rg_model_slot_loop(w->model, id.i - 1), out);
}

/* ------------------------------------------------------------------ causes */

/* Whether the two links press on each other. */
static bool is_pressed(RgWorld *w, const RgJointDef *joint)
{
    const RgContactForce *forces;
    int n = rg_world_contact_forces(w, &forces);
    for (int i = 0; i < n; i++) {
        int a = w->model->shapes[forces[i].shape_a.i - 1].def.link.i,
            b = w->model->shapes[forces[i].shape_b.i - 1].def.link.i;
        bool is_this_pair =
            (a == joint->parent.i && b == joint->child.i) || (a == joint->child.i && b == joint->parent.i);
        if (is_this_pair && v3_dot(forces[i].force, forces[i].normal) > 0.0)
            return true;
    }
    return false;
}

/* Rotation error that a joint of that type cannot compensate by its own motion, rad. */
static double angle_off(const RgJointDef *joint, RgMat3 R)
{
    RgVec3 axis = rg_joint_axis_unit(joint->axis);
    if (joint->type == RG_JOINT_spherical)
        return 0.0;
    if (rg_joint_kind(joint->type)->has_axis && joint->type != RG_JOINT_prismatic) {
        RgVec3 turned = m3_apply(R, axis);
        return atan2(v3_norm(v3_cross(axis, turned)), v3_dot(axis, turned));
    }
    RgVec3 sine = v3_scale(0.5, v3(R.m[2][1] - R.m[1][2], R.m[0][2] - R.m[2][0], R.m[1][0] - R.m[0][1]));
    return atan2(v3_norm(sine), 0.5 * (R.m[0][0] + R.m[1][1] + R.m[2][2] - 1.0));
}

static bool is_near(RgWorld *w, const RgJointDef *joint, const RgAttachWhen *when)
{
    RgPose off = pose_relative(joint->X_PJ, frame_on_parent(w, joint));
    return v3_norm(off.p) <= when->distance && angle_off(joint, off.R) <= when->angle;
}

static bool is_due(RgWorld *w, int slot, const RgAttachWhen *when)
{
    const RgAttachment *a = &w->attachments.slot[slot];
    RgAttachmentReport now;
    switch (when->cause) {
    case RG_ATTACH_time:
        return w->state.t >= when->time - TIME_ROUND;
    case RG_ATTACH_contact:
        return is_pressed(w, &a->def.joint);
    case RG_ATTACH_near:
        return is_near(w, &a->def.joint, when);
    case RG_ATTACH_above:
        return rg_world_attachment(w, (RgAttachmentId){slot + 1}, &now) == RG_OK && now.q[0] > when->position;
    case RG_ATTACH_below:
        return rg_world_attachment(w, (RgAttachmentId){slot + 1}, &now) == RG_OK && now.q[0] < when->position;
    default:
        return false;
    }
}

/* Whether the joint is loaded beyond its bounds. The input function was called in the step already. */
static bool is_overloaded(RgWorld *w, int slot, RgForce *carried)
{
    const RgAttachmentDef *def = &w->attachments.slot[slot].def;
    if (def->break_force == (double)INFINITY && def->break_torque == (double)INFINITY)
        return false;
    RgInputSource *input = &w->scope.input;
    bool sampled = input->sampled;
    input->sampled = input->fn != NULL;
    RgStatus status = rg_world_attachment_reaction(w, (RgAttachmentId){slot + 1}, carried);
    input->sampled = sampled;
    return status == RG_OK && (v3_norm(carried->f) > def->break_force || v3_norm(carried->n) > def->break_torque);
}

static void update_slot(RgWorld *w, int slot)
{
    RgAttachment *a = &w->attachments.slot[slot];
    RgForce carried;
    if (!a->used)
        return;
    if (a->attached && is_overloaded(w, slot, &carried))
        release(w, slot, &carried);
    else if (a->attached && !a->detach_done && is_due(w, slot, &a->def.detach))
        release(w, slot, NULL);
    else if (!a->attached && !a->attach_done && is_due(w, slot, &a->def.attach))
        rg_world_attach(w, (RgAttachmentId){slot + 1}, NULL);
}

void rg_world_update_attachments(RgWorld *w, RgStepReport *report)
{
    RgAttachments *all = &w->attachments;
    double before = w->reports.sums.attached;
    for (int s = 0; s < all->room; s++)
        update_slot(w, s);
    report->attached = w->reports.sums.attached - before;
    for (int i = 0; i < all->nevents; i++)
        rg_step_log_event(&w->log, &all->events[i]);
    all->nevents = 0;
}

/* ------------------------------------------------------------------ saved states */

int rg_world_count_attachments(const RgWorld *w)
{
    int n = w->attachments.room;
    while (n > 0 && !w->attachments.slot[n - 1].used)
        n--;
    return n;
}

static bool is_flag(const void *at)
{
    unsigned char byte;
    memcpy(&byte, at, 1);
    return byte <= 1;
}

/* Checks the flags before they are read: bytes other than 0 and 1 are not valid bool values. */
static bool flags_good(const RgAttachment *a)
{
    const void *flags[] = {&a->used,        &a->attached,   &a->broken,      &a->attach_done,
                           &a->detach_done, &a->def.placed, &a->def.collide, &a->def.joint.may_close_loop};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (!is_flag(flags[i]))
            return false;
    return true;
}

bool rg_world_attachments_good(const RgWorld *w, const RgAttachment *saved, int count)
{
    for (int s = 0; s < count; s++) {
        RgAttachment a;
        memcpy(&a, (const char *)saved + (size_t)s * sizeof a, sizeof a);
        if (!flags_good(&a) || (a.attached && !a.used) || memchr(a.name, 0, sizeof a.name) == NULL)
            return false;
        if (!a.used)
            continue;
        a.def.name = a.def.joint.name = a.def.joint.group = NULL;
        if (check_def(w, &a.def, NULL) != RG_OK || !pose_finite(a.X_PJ) || !rg_pose_rigid(a.X_PJ) || !isfinite(a.since))
            return false;
    }
    return count <= w->attachments.room;
}

void rg_world_restore_attachments(RgWorld *w, const RgAttachment *saved, int count)
{
    RgAttachments *all = &w->attachments;
    bool changed = false;
    for (int s = 0; s < all->room; s++) {
        RgAttachment next = {0}, *now = &all->slot[s];
        if (s < count)
            memcpy(&next, (const char *)saved + (size_t)s * sizeof next, sizeof next);
        next.def.name = next.def.joint.name = next.def.joint.group = NULL;
        bool same = now->attached == next.attached &&
                    (!now->attached || (memcmp(&now->def, &next.def, sizeof next.def) == 0 &&
                                        memcmp(&now->X_PJ, &next.X_PJ, sizeof next.X_PJ) == 0));
        if (!same && now->attached)
            free_slot(w, s);
        memcpy(now, &next, sizeof next);
        if (same || !next.attached)
            continue;
        RgJointDef joint = joint_of(now);
        rg_model_attach(all->model, s, &joint);
        changed = true;
    }
    all->nevents = 0;
    if (changed) {
        refresh_loops(w);
        filter_contacts(w, NULL);
    }
}
