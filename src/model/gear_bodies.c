/*
 * gear_bodies.c - gears as bodies of their own, connected to a joint by a coupling.
 *
 * If the gear is between the links and its hinge turns r times the joint angle s, the links turn by t = (1 + r) s.
 * Quantities given for t are converted to s with the same power and energy, k = 1 + r:
 *
 *   limits of t, rest          divided by k (exchanged if k < 0)
 *   velocity limit             divided by |k|
 *   effort limit, friction     times |k|
 *   damping, stiffness         times k^2 (also of limits)
 *   ratio of rotor and motor   times k
 *   couplings                  t = a x + b  becomes  s = (a x + b) / k;   x = a t + b  becomes  x = a k s + b
 *
 * The hinge of the gear has no limits: the coupling transmits those of the joint.
 */
#include "math/pose.h"
#include "model/joint.h"
#include "model/model_builder.h"

#include "base/status.h"

#include <math.h>
#include <string.h>

RgGearDef rg_gear_def_default(void)
{
    RgGearDef def = {.cookie = RG_COOKIE, .ratio = 1.0};
    def.inertia.mass = def.inertia.I.xx = def.inertia.I.yy = def.inertia.I.zz = 1.0;
    return def;
}

/* Checks a gear; returns an error text, NULL: valid. */
static const char *find_fault(const RgJointDef *joint, const RgGearDef *def)
{
    if (joint == NULL)
        return "there is no such joint";
    bool turns = joint->type == RG_JOINT_revolute || joint->type == RG_JOINT_continuous;
    bool slides = joint->type == RG_JOINT_prismatic || joint->type == RG_JOINT_screw;
    if (!turns && !slides)
        return "the joint must have one axis";
    if (!isfinite(def->ratio) || def->ratio == 0.0)
        return "its ratio must be finite and not 0";
    if (def->place == RG_GEAR_BETWEEN && !turns)
        return "between the links it needs a joint that turns";
    if (def->place == RG_GEAR_BETWEEN && !(fabs(1.0 + def->ratio) > 1e-9))
        return "with a ratio of -1 between them the links would not turn";
    return NULL;
}

/* ------------------------------------------------------------------ conversion of the joint's quantities */

static void convert_axis(RgAxisDef *dof, double k)
{
    double lower = dof->lower / k, upper = dof->upper / k;
    dof->lower = k > 0.0 ? lower : upper;
    dof->upper = k > 0.0 ? upper : lower;
    dof->rest /= k;
    dof->velocity_limit /= fabs(k);
    dof->effort_limit *= fabs(k);
    dof->friction *= fabs(k);
    dof->damping *= k * k;
    dof->stiffness *= k * k;
    dof->limit_stiffness *= k * k;
    dof->limit_damping *= k * k;
    dof->gear_ratio *= k;
}

static void convert_references(RgBuilder *b, int32_t joint, double k)
{
    for (int i = 0; i < b->ncouplings; i++) {
        RgCouplingDef *c = &b->couplings[i];
        if (c->joint.i == joint) {
            c->ratio /= k;
            c->offset /= k;
        }
        if (c->reference.i == joint)
            c->ratio *= k;
    }
    for (int i = 0; i < b->ntransmissions; i++)
        if (b->transmissions[i].joint.i == joint) {
            b->transmissions[i].ratio *= k;
            b->transmissions[i].offset /= k;
        }
}

/* ------------------------------------------------------------------ the gear */

/* JOINT_gear, in the builder's memory. */
static const char *gear_name(RgBuilder *b, const char *joint)
{
    static const char ending[] = "_gear";
    size_t length = strlen(joint);
    char *name = rg_arena_alloc(&b->arena, length + sizeof ending, 1);
    if (name == NULL) {
        if (b->error.status == RG_OK)
            rg_fail(&b->error, RG_ERR_MEMORY, b->file, 0, "out of memory");
        return NULL;
    }
    memcpy(name, joint, length);
    memcpy(name + length, ending, sizeof ending);
    return name;
}

static RgJointId add_hinge(RgBuilder *b, const RgGearDef *def, const char *name, RgLinkId gear)
{
    const RgJointDef *joint = &b->joints[def->joint.i - 1];
    RgJointDef hinge = rg_joint_def_default();
    hinge.name = name;
    hinge.group = joint->group;
    hinge.type = RG_JOINT_continuous;
    hinge.parent = joint->parent;
    hinge.child = gear;
    hinge.X_PJ = joint->X_PJ;
    hinge.axis = joint->axis;
    hinge.line = def->line;
    return rg_builder_add_joint(b, &hinge);
}

RgJointId rg_builder_add_gear(RgBuilder *b, const RgGearDef *def)
{
    const RgJointDef *joint = rg_builder_joint(b, def->joint);
    const char *fault = def->cookie != RG_COOKIE ? "use rg_gear_def_default" : find_fault(joint, def);
    if (fault != NULL) {
        if (b->error.status == RG_OK)
            rg_fail(&b->error, RG_ERR_MODEL, b->file, def->line, "gear of joint '%s': %s",
                    joint != NULL ? joint->name : "", fault);
        return (RgJointId){0};
    }

    const char *name = gear_name(b, joint->name);
    if (name == NULL)
        return (RgJointId){0};
    RgLinkDef link = rg_link_def_default();
    link.name = name;
    link.group = joint->group;
    link.inertia = def->inertia;
    link.line = def->line;
    RgLinkId gear = rg_builder_add_link(b, &link);
    RgJointId hinge = gear.i != 0 ? add_hinge(b, def, name, gear) : (RgJointId){0};
    if (hinge.i == 0)
        return hinge;

    if (def->place == RG_GEAR_BETWEEN) {
        RgJointDef *output = &b->joints[def->joint.i - 1];
        output->parent = gear;
        output->X_PJ = pose_identity();
        convert_axis(&output->dof[0], 1.0 + def->ratio);
        convert_references(b, def->joint.i, 1.0 + def->ratio);
    }
    RgCouplingDef coupling = rg_coupling_def_default();
    coupling.name = name;
    coupling.joint = hinge;
    coupling.reference = def->joint;
    coupling.ratio = def->ratio;
    coupling.line = def->line;
    return rg_builder_add_coupling(b, &coupling) ? hinge : (RgJointId){0};
}
