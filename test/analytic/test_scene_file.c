/*
 * test_scene_file.c - .scene files are read into the model, start and efforts that they state, and bad ones are refused
 * with file, line and what was expected.
 */
#define _POSIX_C_SOURCE 200809L
#include "check_near.h"
#include "scene_file.h"
#include "vectors.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file of that text, read and removed. */
static SceneFile *read_text(const char *text, RgError *error)
{
    char path[] = "/tmp/rigor_scene_XXXXXX";
    int handle = mkstemp(path);
    FILE *file = handle >= 0 ? fdopen(handle, "w") : NULL;
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
    SceneFile *scene = scene_file_read(path, error);
    unlink(path);
    return scene;
}

#define HEAD "# a comment\ndt 0.002\nsteps 7\ngravity 0 0 -9\nmu 0.25\nplane 1\nevery 3\nmeasure word\n"
#define UNIT "1 0 0 0"     /* quaternion */
#define REST "0 0 0 0 0 0" /* velocities */

Test(scene_file, a_file_becomes_the_model_it_states)
{
    RgError error = {0};
    SceneFile *s = read_text(HEAD "body 0 0 0 0  1 0 1 " UNIT " " REST " -1\n"
                                  "box 0.1 0.2 0.3 0 0 0 " UNIT " # a wall\n"
                                  "body 2 0.1 0.2 0.3  0 0 2 0.6 0.8 0 0  1 2 3 0 0 4 -1\n"
                                  "hull 4 0 0 0 1 0 0 0 1 0 0 0 1\n"
                                  "body 3 1 1 1  0 0 5 " UNIT " " REST " 6\n"
                                  "sphere 0.5 0.1 0.2 0.3\n"
                                  "capsule 0.1 0.4 0 0 1 " UNIT "\n",
                             &error);
    cr_assert_not_null(s, "%d: %s", error.line, error.text);
    RgModelInfo info = rg_model_info(s->model);
    cr_assert(s->steps == 7 && s->every == 3 && s->has_floor && strcmp(s->measure, "word") == 0);
    cr_assert(s->dt == 0.002 && s->gravity.z == -9.0);
    cr_assert(info.links == 3 && info.bodies == 2 && info.shapes == 5 && info.nv == 12);
    RgShapeInfo box = rg_model_shape(s->model, (RgShapeId){1}), capsule = rg_model_shape(s->model, (RgShapeId){4});
    cr_assert(box.type == RG_SHAPE_box && box.size[1] == 0.4 && box.surface.mu == 0.25);
    cr_assert(capsule.type == RG_SHAPE_capsule && capsule.size[0] == 0.1 && capsule.size[1] == 0.8);
    cr_assert_eq(rg_model_shape(s->model, (RgShapeId){2}).mesh.nvertices, 4);
    cr_assert_eq(rg_model_shape(s->model, (RgShapeId){5}).type, RG_SHAPE_halfspace);

    /* The world turns about z: in the body's axes, turned about x, about y and z. */
    RgWorldDef def = scene_file_world_def(s);
    RgWorld *world = rg_world_create(&def, &error);
    cr_assert_eq(scene_file_start(s, world), RG_OK);
    RgMotion V = rg_world_link_twist(world, (RgLinkId){2});
    CHECK_NEAR(vec_distance(V.w, vec(0.0, 0.0, 4.0)), 0.0, 1e-14, "rad/s");
    CHECK_NEAR(vec_distance(V.v, vec(1.0, 2.0, 3.0)), 0.0, 1e-14, "m/s");
    rg_world_destroy(world);
    scene_file_destroy(s);
}

/* A massless carrier between two hinges, armature, limits, spring and a sine to follow. */
Test(scene_file, hinges_stand_at_their_anchors_and_their_efforts_follow_the_law)
{
    RgError error = {0};
    SceneFile *s = read_text("dt 0.01\nplane 0\nself 1\ngravity 0 0 0\n"
                             "body 1 1 1 1  0 0 0 " UNIT " " REST " 0\n"
                             "body 0 0 0 0  0 0 1 " UNIT " " REST " -2\n"
                             "body 1 1 1 1  0 0 2 0.6 0 0.8 0 0 0 0 3 0 0 0\n"
                             "sphere 0.1 0 0 0\n"
                             "hinge -1 0  0 0 0  0 0 1  0 0  0 0 0 0 0 0  0 0 0\n"
                             "hinge 0 1   0 0 1  0 1 0  -1 2  10 0 0.5 0 0 0  0.01 0.1 7\n"
                             "hinge 1 2   0 0 1  1 0 0  1 -1  20 2 0.1 0.3 0.25 1  0.02 0 0\n"
                             "nocollide 0 2\n",
                             &error);
    cr_assert_not_null(s, "%d: %s", error.line, error.text);
    RgJointInfo first = rg_model_joint(s->model, (RgJointId){1}), second = rg_model_joint(s->model, (RgJointId){2});
    cr_assert(isinf(first.dof[0].lower) && isinf(first.dof[0].upper));
    cr_assert(second.dof[0].lower == -1.0 && second.dof[0].upper == 2.0 && second.dof[0].rotor_inertia == 0.01);
    cr_assert(second.dof[0].damping == 0.1 && second.dof[0].stiffness == 7.0);
    cr_assert(rg_model_link(s->model, (RgLinkId){3}).self_collide);
    cr_assert_eq(rg_model_info(s->model).collision_pairs, 1);
    CHECK_NEAR(s->v[s->hinges[2].v_index], 3.0, 1e-15, "rad/s");

    double tau[3] = {0.0}, q[3] = {0.1, 0.2, 0.4}, v[3] = {0.0, 0.0, 5.0};
    RgWorldDef def = scene_file_world_def(s);
    RgInput input = {.tau = tau};
    def.input(s->model, &(RgInputState){2.0, q, v}, &input, def.input_context);
    CHECK_NEAR(tau[s->hinges[1].v_index], 10.0 * (0.5 - 0.2), 1e-14, "N m");
    CHECK_NEAR(tau[s->hinges[2].v_index], 20.0 * (0.1 + 0.3 * sin(TEST_PI + 1.0) - 0.4) - 2.0 * 5.0, 1e-13, "N m");

    /* Poses of the start are those of the file. */
    RgWorld *world = rg_world_create(&def, &error);
    cr_assert_not_null(world, "%s", error.text);
    cr_assert_eq(scene_file_start(s, world), RG_OK);
    RgPose X = rg_world_link_pose(world, (RgLinkId){3});
    CHECK_NEAR(vec_distance(X.p, vec(0.0, 0.0, 2.0)), 0.0, 1e-15, "m");
    CHECK_NEAR(mat_distance(X.R, s->bodies[2].X_WB.R), 0.0, 1e-15, "");
    cr_assert_eq(rg_world_step(world, s->dt, NULL), RG_OK);
    rg_world_destroy(world);
    scene_file_destroy(s);
}

Test(scene_file, bad_files_are_refused_by_line)
{
#define BODY "body 1 1 1 1 0 0 0 1 0 0 0 " REST " -1\n"
    static const struct {
        const char *text;
        int line;
        const char *says;
    } bad[] = {
        {"dt 0.01\nbode 1\n", 2, "unknown record 'bode'; expected one of: dt steps"},
        {"dt x\n", 1, "'x' is not a number; expected: dt S"},
        {"dt nan\n", 1, "'nan' is not a number"},
        {"\ndt\n", 2, "0 numbers after 'dt'; expected: dt S"},
        {"dt 0\n", 1, "dt must be above 0"},
        {"steps 1.5\n", 1, "steps must be a whole number"},
        {"plane 2\n", 1, "plane must be 0 or 1"},
        {"mu -1\n", 1, "mu must not be negative"},
        {"measure\n", 1, "expected: measure WORD"},
        {"dt 1\nsphere 1 0 0 0\n", 2, "'sphere' stands before the first body"},
        {"dt 1\nbody 1 1 1 1 0 0 0 1 0 0 0\n", 2, "11 numbers after 'body'; expected: body mass Ix"},
        {"dt 1\nbody 1 1 1 1 0 0 0 1 1 0 0 " REST " -1\n", 2, "quaternion must have length 1"},
        {"dt 1\n" BODY "hull 4 0 0 0 1 0 0 0 1 0\n", 3, "a hull of 4 points needs 12 numbers after them, but has 9"},
        {"dt 1\n" BODY "sphere -1 0 0 0\n", 3, ""},
        {"dt 1\n" BODY "hinge -1 3 0 0 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0\n", 3,
         "there is no body 3; they are numbered from 0 to 0"},
        {"dt 1\n" BODY "hinge -1 0 0 0 0 0 0 2 0 0 0 0 0 0 0 0 0 0 0\n", 3, "axis must have length 1"},
        {"dt 1\n" BODY "nocollide 0 1\n", 3, "there is no body 1"},
        {BODY, 0, "has no record 'dt'"},
        {"dt 1\n", 0, "has no body"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        RgError error = {0};
        cr_expect_null(read_text(bad[i].text, &error), "taken: %s", bad[i].text);
        cr_expect(error.line == bad[i].line && strstr(error.text, bad[i].says) != NULL && error.file[0] == '/',
                  "line %d of %d: %s", error.line, bad[i].line, error.text);
    }
    RgError error = {0};
    cr_assert_null(scene_file_read("/tmp/no such file.scene", &error));
    cr_assert_not_null(strstr(error.text, "cannot be read"));
}
