/* test_certificate.c - what is written down of a run: whole, exact, and nothing of what was refused. */
#define _POSIX_C_SOURCE 200809L
#include "certificate/certificate_out.h"
#include "check_near.h"
#include "record_files.h"
#include "scene_parts.h"
#include "worlds.h"

#include <rigor/certificate.h>
#include <rigor/verify.h>

#include <stdlib.h>

/* A box over the ground, tilted. */
static RgModel *box_over_ground(void)
{
    RgBuilder *b = rg_builder_create(NULL, NULL);
    RgLinkDef link = rg_link_def_default();
    link.name = "box";
    link.X_WL.p = (RgVec3){0.1, 0.2, 0.5};
    RgShapeDef box = rg_shape_def_default(), ground = rg_shape_def_default();
    box.type = RG_SHAPE_box;
    box.name = "six sides";
    box.size[0] = box.size[1] = 0.2;
    box.size[2] = 0.1;
    cr_assert_eq(rg_shape_inertia(&box, 100.0, &link.inertia), RG_OK);
    box.link = rg_builder_add_link(b, &link);
    ground.type = RG_SHAPE_halfspace;
    ground.name = "ground";
    rg_builder_add_shape(b, &box);
    rg_builder_add_shape(b, &ground);
    RgError error;
    RgModel *model = rg_builder_finish(b, &error);
    cr_assert_not_null(model, "%s", error.text);
    rg_builder_destroy(b);
    return model;
}

static RgWorld *make_world(const RgModel *model, const char *stepper)
{
    RgWorldDef def = rg_world_def_default();
    RgError error;
    def.model = model;
    def.stepper = stepper;
    def.solver = "cone";
    RgWorld *world = rg_world_create(&def, &error);
    cr_assert_not_null(world, "%s", error.text);
    double v[6] = {1.0, 2.0, 0.5, 0.3, 0.0, 0.0};
    if (rg_model_info(model).nv == 6)
        rg_world_set_state(world, NULL, v);
    return world;
}

/* The line with this beginning, the n-th from the end of the text. */
static const char *line_from_end(const char *text, size_t size, const char *begin, int n)
{
    for (const char *at = text + size - 1; at > text; at--)
        if (at[-1] == '\n' && strncmp(at, begin, strlen(begin)) == 0 && --n == 0)
            return at;
    return NULL;
}

Test(certificate, a_run_is_written_down_exactly)
{
    RgModel *model = box_over_ground();
    RgWorld *world = make_world(model, "rigid");
    RgError error;
    RgCertificate *c = rg_certificate_begin(world, NULL, &error);
    cr_assert_not_null(c, "%s", error.text);
    for (int i = 0; i < 60; i++)
        cr_assert_eq(rg_world_step(world, 0.01, NULL), RG_OK);
    RgPose X = rg_world_link_pose(world, (RgLinkId){1});
    RgStepStatistics s = rg_world_step_statistics(world);
    cr_assert_eq(rg_certificate_finish(c, &error), RG_OK);
    size_t size;
    const char *text = rg_certificate_text(c, &size);

    /* The last place in it is where the box is, bit by bit. */
    const char *line = line_from_end(text, size, "body 0", 1);
    cr_assert_not_null(line);
    double number[26];
    char *at = strchr(strchr(line, ' ') + 1, ' ');
    bool same = at[1] == '=';
    at += same ? 2 : 0;
    int n = same ? 19 : 26;
    for (int i = 0; i < n; i++)
        number[i] = strtod(at, &at);
    cr_expect(*at == '\n');
    const double *place = number + n - 13;
    cr_expect(place[0] == X.p.x && place[1] == X.p.y && place[2] == X.p.z);

    RgVerifyReport report;
    cr_assert_eq(rg_verify_text("run", text, size, NULL, &report, &error), RG_OK, "%s", error.text);
    cr_expect(report.ok, "%s", report.fault);
    cr_expect_eq(report.steps, s.steps);
    CHECK_NEAR(report.time, 0.6, 1e-12, "s");
    cr_expect_gt(report.events, 0);
    cr_expect_gt(report.min_distance, 0.0);
    cr_expect_str_eq(report.stepper, "rigid");
    cr_expect_str_eq(report.name_a, "six sides");
    rg_certificate_destroy(c);
    world_end(world, model);
}

Test(certificate, refused_steps_leave_nothing)
{
    RgModel *model = box_over_ground();
    RgWorld *world = make_world(model, "rigid");
    RgError error;
    RgCertificate *c = rg_certificate_begin(world, NULL, &error);
    cr_assert_not_null(c, "%s", error.text);
    size_t before, after;
    rg_world_step(world, 0.01, NULL);
    rg_certificate_text(c, &before);
    cr_expect_neq(rg_world_step(world, (double)NAN, NULL), RG_OK);
    rg_certificate_text(c, &after);
    cr_expect_eq(before, after);
    rg_world_step(world, 0.01, NULL);
    cr_assert_eq(rg_certificate_finish(c, &error), RG_OK);
    cr_expect_neq(rg_certificate_finish(c, &error), RG_OK);
    /* What happens afterwards is not written down. */
    rg_world_step(world, 0.01, NULL);
    const char *text = rg_certificate_text(c, &after);
    RgVerifyReport report;
    cr_assert_eq(rg_verify_text("run", text, after, NULL, &report, &error), RG_OK, "%s", error.text);
    cr_expect(report.ok, "%s", report.fault);
    CHECK_NEAR(report.time, 0.02, 1e-12, "s");
    rg_certificate_destroy(c);
    world_end(world, model);
}

/* A body that is put somewhere else between steps has jumped. */
Test(certificate, states_that_are_set_show_as_jumps)
{
    RgModel *model = box_over_ground();
    RgWorld *world = make_world(model, "rigid");
    RgError error;
    RgCertificate *c = rg_certificate_begin(world, NULL, &error);
    double q[7];
    rg_world_step(world, 0.01, NULL);
    memcpy(q, rg_world_q(world), sizeof q);
    q[4] += 1e-9;
    rg_world_set_state(world, q, NULL);
    rg_world_step(world, 0.01, NULL);
    cr_assert_eq(rg_certificate_finish(c, &error), RG_OK);
    size_t size;
    const char *text = rg_certificate_text(c, &size);
    RgVerifyReport report;
    cr_assert_eq(rg_verify_text("run", text, size, NULL, &report, &error), RG_OK, "%s", error.text);
    cr_expect_not(report.ok);
    cr_expect_eq(report.jumps, 1);
    rg_certificate_destroy(c);
    world_end(world, model);
}

Test(certificate, a_file_appears_when_it_is_whole)
{
    Folder folder = folder_make();
    FilePath path = folder_file(&folder, "run.cert");
    RgModel *model = box_over_ground();
    RgWorld *world = make_world(model, "rigid");
    RgError error;
    RgCertificate *c = rg_certificate_begin(world, path.text, &error);
    cr_assert_not_null(c, "%s", error.text);
    cr_expect_null(rg_certificate_begin(world, NULL, &error), "one at a time");
    rg_world_step(world, 0.01, NULL);
    cr_expect_neq(access(path.text, F_OK), 0);
    cr_expect_eq(rg_certificate_finish(c, &error), RG_OK);
    rg_certificate_destroy(c);
    RgVerifyReport report;
    cr_expect_eq(rg_verify_file(path.text, NULL, &report, &error), RG_OK, "%s", error.text);
    cr_expect(report.ok);
    unlink(path.text);

    /* One that was not finished leaves nothing. */
    c = rg_certificate_begin(world, path.text, &error);
    cr_assert_not_null(c, "%s", error.text);
    rg_world_step(world, 0.01, NULL);
    rg_certificate_destroy(c);
    cr_expect_eq(folder_count(&folder), 0);
    cr_expect_null(rg_certificate_begin(world, "/nowhere/run.cert", &error));
    cr_expect_eq(error.status, RG_ERR_FILE);
    world_end(world, model);
    folder_remove(&folder);
}

Test(certificate, steppers_without_steps_of_their_own_are_refused)
{
    RgModel *model = box_over_ground();
    RgWorld *world = make_world(model, "semi-implicit");
    RgError error;
    cr_expect_null(rg_certificate_begin(world, NULL, &error));
    cr_expect_eq(error.status, RG_ERR_UNSUPPORTED);
    world_end(world, model);
}

/* One free body with a shape of each kind, far from the next, over a surface of the world. */
static RgModel *one_of_each(const RgShapeType *kinds, int count)
{
    static const double corners[12] = {0.0, 0.0, 0.0, 0.2, 0.0, 0.0, 0.0, 0.2, 0.0, 0.0, 0.0, 0.2};
    static const int32_t faces[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    static const double heights[9] = {0.0, 0.1, 0.0, 0.1, 0.2, 0.1, 0.0, 0.1, 0.0};
    RgBuilder *b = rg_builder_create(NULL, NULL);
    for (int i = 0; i < count; i++) {
        RgLinkDef link = rg_link_def_default();
        RgShapeDef shape = rg_shape_def_default();
        char name[32];
        snprintf(name, sizeof name, "%s", rg_shape_type_name(kinds[i]));
        link.name = shape.name = name;
        link.X_WL.p = (RgVec3){(double)i, 0.0, 2.0};
        link.inertia = (RgInertia){.mass = 1.0, .I = {.xx = 0.1, .yy = 0.1, .zz = 0.1}};
        shape.type = kinds[i];
        bool has_corners = kinds[i] == RG_SHAPE_polytope || kinds[i] == RG_SHAPE_mesh;
        for (int k = 0; k < 3; k++)
            shape.size[k] = has_corners ? 1.0 : 0.2 + 0.1 * k;
        if (has_corners)
            shape.mesh = (RgMeshData){.vertices = corners, .faces = faces, .nvertices = 4, .nfaces = 4};
        shape.link = rg_builder_add_link(b, &link);
        rg_builder_add_shape(b, &shape);
    }
    RgShapeDef field = rg_shape_def_default(), rock = rg_shape_def_default();
    field.type = RG_SHAPE_heightfield;
    field.size[0] = field.size[1] = 20.0;
    field.size[2] = 1.0;
    field.heights = heights;
    field.rows = field.columns = 3;
    rock.type = RG_SHAPE_mesh;
    rock.size[0] = rock.size[1] = rock.size[2] = 1.0;
    rock.mesh = (RgMeshData){.vertices = corners, .faces = faces, .nvertices = 4, .nfaces = 4};
    rg_builder_add_shape(b, &field);
    rg_builder_add_shape(b, &rock);
    RgError error;
    RgModel *model = rg_builder_finish(b, &error);
    cr_assert_not_null(model, "%s", error.text);
    rg_builder_destroy(b);
    return model;
}

Test(certificate, every_kind_of_shape_can_be_read_again)
{
    static const RgShapeType kinds[] = {RG_SHAPE_sphere,    RG_SHAPE_box,      RG_SHAPE_capsule, RG_SHAPE_cylinder,
                                        RG_SHAPE_ellipsoid, RG_SHAPE_polytope, RG_SHAPE_mesh};
    for (int i = 0; i < 7; i++) {
        RgModel *model = one_of_each(&kinds[i], 1);
        RgWorldDef def = rg_world_def_default();
        def.model = model;
        def.stepper = "rigid";
        def.solver = "cone";
        RgError error;
        RgWorld *world = rg_world_create(&def, &error);
        if (world == NULL) {
            /* A kind that the stepper cannot take. */
            cr_expect_eq(error.status, RG_ERR_UNSUPPORTED, "%s", error.text);
            rg_model_destroy(model);
            continue;
        }
        RgCertificate *c = rg_certificate_begin(world, NULL, &error);
        cr_assert_not_null(c, "%s", error.text);
        RgStepReport step;
        for (int k = 0; k < 70; k++)
            cr_assert_eq(rg_world_step(world, 0.01, &step), RG_OK, "%s, step %d: %s %s", rg_shape_type_name(kinds[i]),
                         k, rg_status_text(step.status), step.offender);
        cr_assert_eq(rg_certificate_finish(c, &error), RG_OK);
        size_t size;
        const char *text = rg_certificate_text(c, &size);
        RgVerifyReport report;
        cr_assert_eq(rg_verify_text("kinds", text, size, NULL, &report, &error), RG_OK, "%d: %s", error.line,
                     error.text);
        cr_expect(report.ok, "%s: %s", rg_shape_type_name(kinds[i]), report.fault);
        cr_expect_gt(report.events, 0);
        rg_certificate_destroy(c);
        world_end(world, model);
    }
}

/* Numbers read back bit by bit. */
Test(certificate, numbers_are_exact)
{
    RgCertificateOut out = {.size = 0};
    const double values[] = {0.1, -1.0 / 3.0, 1e-308, 5e-324, 1.7976931348623157e308, -0.0, 123456789.123456789};
    for (int i = 0; i < 7; i++)
        rg_out_number(&out, values[i]);
    rg_out_line(&out);
    rg_out_bytes(&out, "", 1);
    cr_assert_not(out.failed);
    char *at = out.text;
    for (int i = 0; i < 7; i++) {
        double value = strtod(at, &at);
        cr_expect(memcmp(&value, &values[i], sizeof value) == 0, "%.17g is read as %.17g", values[i], value);
    }
    rg_free(&out.allocator, out.text);
}
