/*
 * The shared model files against a second, separate reading of them (expected_models.py, plain XML and 4x4
 * matrices): number of links, joints, couplings and velocities, mass, and for every joint its kind, links,
 * axis and place.
 */
#include "scene_fixture.h"

#include <stdlib.h>

#ifdef RIGOR_SHARED_MODELS

#define MAX_FIELDS 16

/* Splits a line at its commas, in place. */
static int split(char *line, char *fields[MAX_FIELDS])
{
    int count = 0;
    line[strcspn(line, "\n")] = '\0';
    for (char *at = line; at != NULL && count < MAX_FIELDS; count++) {
        fields[count] = at;
        at = strchr(at, ',');
        if (at != NULL)
            *at++ = '\0';
    }
    return count;
}

static const char *link_name(const RgModel *model, RgLinkId link)
{
    return link.i != 0 ? rg_model_link(model, link).name : "world";
}

static RgModel *load(const char *file)
{
    char path[1024];
    RgError error;
    snprintf(path, sizeof path, "%s/%s", RIGOR_SHARED_MODELS, file);
    RgModel *model = rg_model_load(path, NULL, NULL, &error);
    cr_assert_not_null(model, "%s:%d: %s", error.file, error.line, error.text);
    return model;
}

static void check_model(const RgModel *model, char *fields[])
{
    RgModelInfo info = rg_model_info(model);
    double actual[4] = {info.links, info.joints, info.couplings, info.nv}, expected[4];
    for (int i = 0; i < 4; i++)
        expected[i] = atof(fields[2 + i]);
    cr_log_info("%s", fields[1]);
    CHECK_NEAR_ALL(actual, expected, 4, 0.0, fields[1]);
    CHECK_REL(info.mass, atof(fields[6]), 1e-9, fields[1]);
}

static void check_joint(const RgModel *model, char *fields[])
{
    char name[256];
    snprintf(name, sizeof name, "%s::%s", fields[2], fields[3]);
    RgJointId id = rg_model_find_joint(model, name);
    if (id.i == 0)
        id = rg_model_find_joint(model, fields[3]);
    cr_assert_neq(id.i, 0, "%s: no joint %s", fields[1], name);
    RgJointInfo joint = rg_model_joint(model, id);
    cr_expect_str_eq(rg_joint_type_name(joint.type), fields[4], "%s", name);
    cr_expect_str_eq(link_name(model, joint.parent), fields[5], "%s", name);
    cr_expect_str_eq(link_name(model, joint.child), fields[6], "%s", name);
    RgVec3 p = joint.X_PJ.p;
    double actual[6] = {joint.axis.x, joint.axis.y, joint.axis.z, p.x, p.y, p.z}, expected[6];
    for (int i = 0; i < 6; i++)
        expected[i] = atof(fields[7 + i]);
    CHECK_NEAR_ALL(actual, expected, 6, 1e-9, name);
}

Test(shared_models, agree_with_a_second_reading)
{
    FILE *table = fopen(DATA_DIR "/expected_models.csv", "r");
    cr_assert_not_null(table);
    char line[1024], *fields[MAX_FIELDS];
    RgModel *model = NULL;
    int models = 0, joints = 0;
    while (fgets(line, sizeof line, table) != NULL) {
        int count = split(line, fields);
        if (count == 7 && strcmp(fields[0], "model") == 0) {
            rg_model_destroy(model);
            model = load(fields[1]);
            check_model(model, fields);
            models++;
        } else {
            cr_assert(count == 13 && model != NULL);
            check_joint(model, fields);
            joints++;
        }
    }
    rg_model_destroy(model);
    fclose(table);
    cr_expect(models == 21 && joints > 200, "%d models, %d joints", models, joints);
}

Test(shared_models, a_fragment_without_its_parent_link_is_refused)
{
    Doc *doc = doc_read(RIGOR_SHARED_MODELS "/atlas_drcsim/atlas.gazebo", NULL);
    cr_expect_null(doc->model);
    cr_expect_eq(doc->error.line, 33);
    cr_expect_not_null(strstr(doc->error.text, "parent link 'pelvis' is not defined"), "%s", doc->error.text);
    doc_free(doc);
}

Test(shared_models, meshes_are_found_and_read)
{
    Doc *doc = doc_good(doc_read(RIGOR_SHARED_MODELS "/ur10_rosindustrial/ur10_robot.urdf", NULL));
    int read = 0, missing = 0;
    for (int i = 0; i < doc->builder->nshapes; i++) {
        read += doc->builder->shapes[i].mesh.nfaces > 0;
        missing += doc->builder->shapes[i].uri_missing;
    }
    cr_expect(read == 7 && missing == 7, "%d read, %d missing", read, missing);
    doc_free(doc);
}

Test(shared_models, geared_arm_is_coupled_at_every_joint)
{
    Doc *doc = doc_good(doc_read(RIGOR_SHARED_MODELS "/ur10_schunk_moby/gearedur10.sdf", NULL));
    static const struct {
        const char *name, *in, *out;
        double ratio;
    } gears[] = {{"shoulder_pan_joint", "base_gear_joint", "shoulder_gear_joint", 1.5},
                 {"shoulder_lift_joint", "shoulder1_gear_joint", "arm_gear_joint", 1.5},
                 {"elbow_joint", "upperarm_gear_joint", "forearm_gear_joint", 1.5},
                 {"wrist_1_joint", "fore_gear_joint", "w1_gear_joint", -1.5},
                 {"wrist_2_joint", "wrist1_gear_joint", "w2_gear_joint", 1.5},
                 {"wrist_3_joint", "wrist2_gear_joint", "w3_gear_joint", 1.5}};
    for (int i = 0; i < 6; i++) {
        RgCouplingDef c = rg_model_coupling(doc->model, i);
        cr_expect_str_eq(c.name, gears[i].name);
        cr_expect_str_eq(rg_model_joint(doc->model, c.joint).name, gears[i].in);
        cr_expect_str_eq(rg_model_joint(doc->model, c.reference).name, gears[i].out);
        CHECK_NEAR(c.ratio, gears[i].ratio, 0.0, "1");
    }
    doc_free(doc);
}

#else

Test(shared_models, are_not_here)
{
    cr_skip_test("the folder of shared models is absent");
}

#endif
