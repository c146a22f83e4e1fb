/* ur10_arm.c - see ur10_arm.h. */
#include "ur10_arm.h"

#include <stdio.h>

const double ur10_amplitude[UR10_JOINTS] = {2.5, 0.25, 2.5, 2.5, 2.5, 2.5};
const double ur10_frequency[UR10_JOINTS] = {1.0, 2.0, 2.0 / 3.0, 1.0 / 7.0, 2.0 / 11.0, 3.0 / 13.0};
const Ur10Gains ur10_example = {{300.0, 300.0, 60.0, 15.0, 15.0, 15.0}, {120.0, 120.0, 24.0, 6.0, 6.0, 6.0}};

const Ur10Gains ur10_careful = {{9000.0, 9000.0, 1800.0, 450.0, 450.0, 450.0},
                                {3370.37, 345.379, 346.718, 2.51505, 13.7377, 0.2}};

static const char *const plain_names[UR10_JOINTS] = {"shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint",
                                                     "wrist_1_joint",      "wrist_2_joint",       "wrist_3_joint"};
/* The child's side of each gear body; the links turn by (1 + ratio) times its angle. */
static const char *const geared_names[UR10_JOINTS] = {"shoulder_gear_joint", "arm_gear_joint", "forearm_gear_joint",
                                                      "w1_gear_joint",       "w2_gear_joint",  "w3_gear_joint"};
static const double geared_scale[UR10_JOINTS] = {2.5, 2.5, 2.5, -0.5, 2.5, 2.5};

Ur10Arm ur10_arm_load(const char *path, bool geared)
{
    static const char *const fingers[2] = {"l_finger_actuator", "r_finger_actuator"};
    Ur10Arm arm = {0};
    RgReadOptions options = rg_read_options_default();
    options.base = RG_BASE_FIXED;
    arm.model = rg_model_load(path, &options, NULL, &arm.error);
    for (int i = 0; arm.model != NULL && i < UR10_JOINTS + 2; i++) {
        const char *name = i >= UR10_JOINTS ? fingers[i - UR10_JOINTS] : geared ? geared_names[i] : plain_names[i];
        RgJointId joint = rg_model_find_joint(arm.model, name);
        if (i < UR10_JOINTS) {
            arm.joints[i] = joint;
            arm.scale[i] = geared ? geared_scale[i] : 1.0;
        } else {
            arm.fingers[i - UR10_JOINTS] = joint;
        }
        if (joint.i == 0) {
            snprintf(arm.error.text, sizeof arm.error.text, "no joint '%s'", name);
            ur10_arm_free(&arm);
        }
    }
    return arm;
}

void ur10_arm_free(Ur10Arm *arm)
{
    rg_model_destroy(arm->model);
    arm->model = NULL;
}
