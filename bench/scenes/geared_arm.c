/* geared_arm.c - see geared_arm.h. */
#include "geared_arm.h"

GearedArm geared_arm_default(void)
{
    return (GearedArm){
        .ratio = 1.5, .mass = 1.778, .first_mass = 2.778, .inertia = 1.0, .range = 0.1, .place = RG_GEAR_BETWEEN};
}

static bool turns_freely(const RgJointDef *joint, double range)
{
    bool turns = joint->type == RG_JOINT_revolute || joint->type == RG_JOINT_continuous;
    return turns && !(joint->dof[0].upper - joint->dof[0].lower < range);
}

int geared_arm_add(RgBuilder *builder, const GearedArm *arm)
{
    int count = 0, joints = 0;
    while (rg_builder_joint(builder, (RgJointId){joints + 1}))
        joints++;
    for (int32_t i = 1; i <= joints; i++) {
        if (!turns_freely(rg_builder_joint(builder, (RgJointId){i}), arm->range))
            continue;
        RgGearDef gear = rg_gear_def_default();
        gear.joint.i = i;
        gear.place = arm->place;
        gear.ratio = arm->ratio;
        gear.inertia.mass = count == 0 ? arm->first_mass : arm->mass;
        if (!(gear.inertia.mass > 0.0))
            gear.inertia.mass = 1e-6;
        gear.inertia.I = (RgSym3){.xx = arm->inertia, .yy = arm->inertia, .zz = arm->inertia};
        if (rg_builder_add_gear(builder, &gear).i == 0)
            return -1;
        count++;
    }
    return count;
}

RgModel *geared_arm_load(const char *path, const GearedArm *arm, RgError *error)
{
    RgBuilder *builder = rg_builder_create(NULL, NULL);
    RgReadOptions options = rg_read_options_default();
    options.base = RG_BASE_FIXED;
    RgModel *model = NULL;
    if (builder && rg_read_file(builder, path, &options, error) == RG_OK) {
        if (arm && geared_arm_add(builder, arm) < 0) {
            if (error)
                *error = *rg_builder_error(builder);
        } else {
            model = rg_builder_finish(builder, error);
        }
    }
    rg_builder_destroy(builder);
    return model;
}
