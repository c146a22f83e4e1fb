/*
 * test_model_check.c - numbers that cannot be are refused with file, line and name; doubtful ones are
 * remarked on and let through.
 *
 * Each case spoils one number of a good def. The adder must give a null id, and the builder must keep the
 * words expected.
 */
#include "check_near.h"
#include "model/model_builder.h"
#include "scene_parts.h"

#include <stddef.h>
#include <string.h>

#define LINE 42
#define NAN_ ((double)NAN)
#define INF_ ((double)INFINITY)

/* The last remark, and how many there were. */
typedef struct Remarks {
    int count, line;
    char text[512];
} Remarks;

static void remember(const char *file, int line, const char *text, void *context)
{
    Remarks *r = context;
    (void)file;
    r->count++;
    r->line = line;
    snprintf(r->text, sizeof r->text, "%s", text);
}

/* A builder with two links, "one" and "two", and two hinges, "hinge" and "slider", and a ball. */
static RgBuilder *begin(Remarks *remarks)
{
    RgLog log = {remember, remarks};
    RgBuilder *b = rg_builder_create(NULL, &log);
    rg_builder_set_file(b, "robot.urdf");
    RgInertia box = inertia_box(1.0, vec(0.0, 0.0, 0.0), vec(0.1, 0.2, 0.3));
    RgLinkId one = link_add(b, "one", box), two = link_add(b, "two", box), three = link_add(b, "three", box);
    RgVec3 O = {0.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0};
    RgJointDef hinge = joint_at(RG_JOINT_revolute, "hinge", (RgLinkId){0}, one, O, y);
    RgJointDef slider = joint_at(RG_JOINT_prismatic, "slider", one, two, O, y);
    RgJointDef ball = joint_at(RG_JOINT_spherical, "ball", two, three, O, y);
    joint_add(b, &hinge);
    joint_add(b, &slider);
    joint_add(b, &ball);
    cr_assert(remarks->count == 0 && rg_builder_error(b)->status == RG_OK);
    return b;
}

/* The builder's error has these words at the line of the def, and finishing hands it on. */
static void expect_refused(RgBuilder *b, int id, RgStatus status, const char *text)
{
    const RgError *kept = rg_builder_error(b);
    cr_expect(id == 0, "taken, though: %s", text);
    cr_expect(kept->status == status && kept->line == LINE && strcmp(kept->file, "robot.urdf") == 0,
              "%s: status %d at %s:%d", text, (int)kept->status, kept->file, kept->line);
    cr_expect(strstr(kept->text, text) != NULL, "expected '%s', got '%s'", text, kept->text);
    RgError error = {0};
    cr_expect(rg_builder_finish(b, &error) == NULL && strcmp(error.text, kept->text) == 0);
    rg_builder_destroy(b);
}

static RgLinkDef good_link(void)
{
    RgLinkDef def = rg_link_def_default();
    def.name = "bad";
    def.line = LINE;
    def.inertia = inertia_box(1.0, vec(0.0, 0.0, 0.0), vec(0.1, 0.2, 0.3));
    return def;
}

static RgJointDef good_joint(RgJointType type)
{
    RgJointDef def = rg_joint_def_default();
    def.name = "bad";
    def.line = LINE;
    def.type = type;
    def.parent = (RgLinkId){1};
    def.child = (RgLinkId){2};
    def.pitch = 0.1;
    return def;
}

/* A number at a place in a def, and what the refusal must say. */
typedef struct Spoil {
    size_t place;
    double value;
    const char *text;
} Spoil;

static void spoil(void *def, const Spoil *s)
{
    memcpy((char *)def + s->place, &s->value, sizeof s->value);
}

Test(model_check, numbers_of_links)
{
    static const Spoil cases[] = {
        {offsetof(RgLinkDef, inertia.mass), -1.5, "link 'bad': mass -1.5 kg is negative"},
        {offsetof(RgLinkDef, inertia.mass), NAN_, "link 'bad': mass and centre of mass must be finite"},
        {offsetof(RgLinkDef, inertia.com.y), INF_, "link 'bad': mass and centre of mass must be finite"},
        {offsetof(RgLinkDef, inertia.I.xz), NAN_, "link 'bad': inertia must be finite"},
        {offsetof(RgLinkDef, inertia.I.yy), -0.1, "link 'bad': inertia is not positive: principal moments -0.1"},
        {offsetof(RgLinkDef, inertia.I.xy), 1.0, "link 'bad': inertia is not positive"},
        {offsetof(RgLinkDef, X_WL.p.z), NAN_, "link 'bad': its pose is not a finite rigid pose"},
        {offsetof(RgLinkDef, X_WL.R.m[1][2]), INF_, "link 'bad': its pose is not a finite rigid pose"},
        {offsetof(RgLinkDef, X_WL.R.m[1][1]), 1.1, "link 'bad': its pose is not a finite rigid pose"},
        {offsetof(RgLinkDef, X_WL.R.m[1][1]), -1.0, "link 'bad': its pose is not a finite rigid pose"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Remarks remarks = {0};
        RgBuilder *b = begin(&remarks);
        RgLinkDef def = good_link();
        spoil(&def, &cases[i]);
        expect_refused(b, rg_builder_add_link(b, &def).i, RG_ERR_MODEL, cases[i].text);
    }
}

Test(model_check, numbers_of_joints)
{
    static const char *const frame = "joint 'bad': its frame is not a finite rigid pose";
    static const char *const limits = "joint 'bad': lower limit must not exceed upper limit";
    static const char *const spring =
        "joint 'bad': spring stiffness must be finite and not negative, its rest position finite";
    static const char *const rotor =
        "joint 'bad': rotor inertia must be finite and not negative, the gear ratio finite";
    const Spoil cases[] = {
        {offsetof(RgJointDef, X_PJ.p.x), NAN_, frame},
        {offsetof(RgJointDef, X_CJ.R.m[0][0]), 0.5, frame},
        {offsetof(RgJointDef, axis.z), 0.0, "joint 'bad': axis must be finite and not zero"},
        {offsetof(RgJointDef, axis.x), NAN_, "joint 'bad': axis must be finite and not zero"},
        {offsetof(RgJointDef, pitch), INF_, "joint 'bad': pitch must be finite"},
        {offsetof(RgJointDef, dof[0].lower), NAN_, limits},
        {offsetof(RgJointDef, dof[0].upper), -INF_, NULL},
        {offsetof(RgJointDef, dof[0].velocity_limit), -1.0, "joint 'bad': velocity limit must not be negative"},
        {offsetof(RgJointDef, dof[0].velocity_limit), NAN_, "joint 'bad': velocity limit must not be negative"},
        {offsetof(RgJointDef, dof[0].effort_limit), -1.0, "joint 'bad': effort limit must not be negative"},
        {offsetof(RgJointDef, dof[0].damping), -1.0, "joint 'bad': damping must be finite and not negative"},
        {offsetof(RgJointDef, dof[0].damping), INF_, "joint 'bad': damping must be finite and not negative"},
        {offsetof(RgJointDef, dof[0].friction), NAN_, "joint 'bad': friction must be finite and not negative"},
        {offsetof(RgJointDef, dof[0].stiffness), -1.0, spring},
        {offsetof(RgJointDef, dof[0].rest), INF_, spring},
        {offsetof(RgJointDef, dof[0].rotor_inertia), -1.0, rotor},
        {offsetof(RgJointDef, dof[0].gear_ratio), NAN_, rotor},
        {offsetof(RgJointDef, dof[1].damping), -1.0, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Remarks remarks = {0};
        RgBuilder *b = begin(&remarks);
        RgJointDef def = good_joint(RG_JOINT_screw);
        spoil(&def, &cases[i]);
        RgJointId id = rg_builder_add_joint(b, &def);
        if (cases[i].text != NULL) {
            expect_refused(b, id.i, RG_ERR_MODEL, cases[i].text);
            continue;
        }

        /* A joint stuck at -inf is odd but not impossible, and a screw has no second axis. */
        cr_expect(id.i != 0, "case %zu: %s", i, rg_builder_error(b)->text);
        rg_builder_destroy(b);
    }
}

Test(model_check, limits_in_the_wrong_order)
{
    Remarks remarks = {0};
    RgBuilder *b = begin(&remarks);
    RgJointDef def = good_joint(RG_JOINT_revolute);
    def.dof[0].lower = 1.0;
    def.dof[0].upper = 0.5;
    expect_refused(b, rg_builder_add_joint(b, &def).i, RG_ERR_MODEL, "lower limit must not exceed upper limit");
}

Test(model_check, ends_and_kind_of_joints)
{
    static const struct {
        int type, parent, child;
        RgStatus status;
        const char *text;
    } cases[] = {
        {RG_JOINT_COUNT, 1, 2, RG_ERR_ARGUMENT, "joint 'bad': no such type"},
        {-1, 1, 2, RG_ERR_ARGUMENT, "joint 'bad': no such type"},
        {RG_JOINT_revolute, 4, 2, RG_ERR_ARGUMENT, "joint 'bad': no such link"},
        {RG_JOINT_revolute, 1, -1, RG_ERR_ARGUMENT, "joint 'bad': no such link"},
        {RG_JOINT_revolute, 2, 2, RG_ERR_MODEL, "joint 'bad' connects a link to itself"},
        {RG_JOINT_revolute, 0, 0, RG_ERR_MODEL, "joint 'bad' connects a link to itself"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Remarks remarks = {0};
        RgBuilder *b = begin(&remarks);
        RgJointDef def = good_joint((RgJointType)cases[i].type);
        def.parent.i = cases[i].parent;
        def.child.i = cases[i].child;
        expect_refused(b, rg_builder_add_joint(b, &def).i, cases[i].status, cases[i].text);
    }
}

Test(model_check, axes_that_a_kind_does_not_need)
{
    for (int type = 0; type < RG_JOINT_COUNT; type++) {
        Remarks remarks = {0};
        RgBuilder *b = begin(&remarks);
        RgJointDef def = good_joint((RgJointType)type);
        def.axis = vec(0.0, 0.0, 0.0);
        bool needs = type != RG_JOINT_fixed && type != RG_JOINT_spherical && type != RG_JOINT_free;
        cr_expect((rg_builder_add_joint(b, &def).i == 0) == needs, "%s without axis", rg_joint_type_name(def.type));
        rg_builder_destroy(b);
    }
}

Test(model_check, universal_axes)
{
    static const RgVec3 second[4] = {{0.0, 0.0, -3.0}, {0.0, 0.0, 0.0}, {1e-8, 0.0, 1.0}, {NAN, 0.0, 1.0}};
    for (int i = 0; i < 4; i++) {
        Remarks remarks = {0};
        RgBuilder *b = begin(&remarks);
        RgJointDef def = good_joint(RG_JOINT_universal);
        def.axis2 = second[i];
        expect_refused(b, rg_builder_add_joint(b, &def).i, RG_ERR_MODEL,
                       "joint 'bad': its two axes must not be parallel or zero");
    }
}

/* Three angles have no potential but that of one stiffness about all axes; the slides of a free joint are
   as they like. */
Test(model_check, springs_over_all_angles)
{
    static const RgJointType types[2] = {RG_JOINT_spherical, RG_JOINT_free};
    for (int i = 0; i < 6; i++) {
        Remarks remarks = {0};
        RgBuilder *b = begin(&remarks);
        RgJointDef def = good_joint(types[i % 2]);
        for (int k = 0; k < 6; k++)
            def.dof[k].stiffness = 2.0;
        def.dof[4].stiffness = 5.0;
        def.dof[5].rest = 0.3;
        if (i / 2 == 1)
            def.dof[2].stiffness = 1.0;
        if (i / 2 == 2)
            def.dof[1].rest = 0.1;
        int id = rg_builder_add_joint(b, &def).i;
        if (i / 2 > 0) {
            expect_refused(b, id, RG_ERR_MODEL,
                           "joint 'bad': a spring over all angles must be the same about each axis");
            continue;
        }
        cr_expect(id != 0, "%s", rg_builder_error(b)->text);
        rg_builder_destroy(b);
    }
}

Test(model_check, names_are_needed)
{
    static const char *const names[2] = {NULL, ""};
    for (int i = 0; i < 6; i++) {
        Remarks remarks = {0};
        RgBuilder *b = begin(&remarks);
        RgLinkDef link = good_link();
        RgJointDef joint = good_joint(RG_JOINT_fixed);
        RgFrameDef frame = rg_frame_def_default();
        link.name = joint.name = frame.name = names[i % 2];
        frame.line = LINE;
        if (i / 2 == 0)
            expect_refused(b, rg_builder_add_link(b, &link).i, RG_ERR_MODEL, "link without a name");
        else if (i / 2 == 1)
            expect_refused(b, rg_builder_add_joint(b, &joint).i, RG_ERR_MODEL, "joint without a name");
        else
            expect_refused(b, rg_builder_add_frame(b, &frame).i, RG_ERR_MODEL, "frame without a name");
    }
}

Test(model_check, shapes)
{
    static const struct {
        int type, link;
        Spoil spoil;
        RgStatus status;
    } cases[] = {
        {RG_SHAPE_COUNT, 1, {offsetof(RgShapeDef, size[0]), 1.0, "shape 'bad': no such type"}, RG_ERR_ARGUMENT},
        {RG_SHAPE_box, 9, {offsetof(RgShapeDef, size[0]), 1.0, "shape 'bad': no such link"}, RG_ERR_ARGUMENT},
        {RG_SHAPE_box, 1, {offsetof(RgShapeDef, X_LS.p.x), NAN_, "shape 'bad': its pose is not"}, RG_ERR_MODEL},
        {RG_SHAPE_box, 1, {offsetof(RgShapeDef, X_LS.R.m[2][2]), 2.0, "shape 'bad': its pose is not"}, RG_ERR_MODEL},
        {RG_SHAPE_box, 1, {offsetof(RgShapeDef, size[2]), -1.0, "shape 'bad' (box): "}, RG_ERR_MODEL},
        {RG_SHAPE_mesh, 1, {offsetof(RgShapeDef, size[2]), 1.0, "shape 'bad' (mesh): "}, RG_ERR_MODEL},
        {RG_SHAPE_polytope,
         1,
         {offsetof(RgShapeDef, size[2]), 1.0, "shape 'bad' (polytope): a polytope needs at least four vertices"},
         RG_ERR_MODEL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Remarks remarks = {0};
        RgBuilder *b = begin(&remarks);
        RgShapeDef def = rg_shape_def_default();
        def.name = "bad";
        def.line = LINE;
        def.type = (RgShapeType)cases[i].type;
        def.link.i = cases[i].link;
        spoil(&def, &cases[i].spoil);
        expect_refused(b, rg_builder_add_shape(b, &def).i, cases[i].status, cases[i].spoil.text);
    }
}

/* A mesh file that was not found is a shape without geometry, and shapes need no name. */
Test(model_check, shapes_that_are_let_through)
{
    Remarks remarks = {0};
    RgBuilder *b = begin(&remarks);
    RgShapeDef def = rg_shape_def_default();
    def.type = RG_SHAPE_mesh;
    def.uri = "package://arm/missing.dae";
    def.uri_missing = true;
    cr_expect(rg_builder_add_shape(b, &def).i == 1, "%s", rg_builder_error(b)->text);
    rg_builder_destroy(b);
}

Test(model_check, uses_of_a_mesh)
{
    Remarks remarks = {0};
    RgBuilder *b = begin(&remarks);
    RgShapeDef def = rg_shape_def_default();
    def.name = "bad";
    def.line = LINE;
    def.mesh_use = (RgMeshUse)4;
    expect_refused(b, rg_builder_add_shape(b, &def).i, RG_ERR_ARGUMENT, "shape 'bad': no such use of a mesh");
}

Test(model_check, collision_pairs)
{
    static const struct {
        int a, b;
        RgStatus status;
        const char *text;
    } cases[] = {
        {1, 9, RG_ERR_ARGUMENT, "collision pair: no such link"},
        {-1, 1, RG_ERR_ARGUMENT, "collision pair: no such link"},
        {1, 1, RG_ERR_MODEL, "collision pair of link '"},
        {0, 0, RG_ERR_MODEL, "collision pair of link 'world' with itself"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Remarks remarks = {0};
        RgBuilder *b = begin(&remarks);
        RgCollisionPairDef def = rg_collision_pair_def_default();
        def.line = LINE;
        def.link_a.i = cases[i].a;
        def.link_b.i = cases[i].b;
        expect_refused(b, rg_builder_add_collision_pair(b, &def), cases[i].status, cases[i].text);
    }
}

Test(model_check, frames)
{
    static const struct {
        Spoil spoil;
        int link;
    } cases[] = {
        {{offsetof(RgFrameDef, X_LF.p.x), 0.0, "frame 'bad': no such link"}, 4},
        {{offsetof(RgFrameDef, X_LF.p.x), 0.0, "frame 'bad': no such link"}, -1},
        {{offsetof(RgFrameDef, X_LF.p.x), NAN_, "frame 'bad': its pose is not a finite rigid pose"}, 1},
        {{offsetof(RgFrameDef, X_LF.R.m[0][0]), NAN_, "frame 'bad': its pose is not a finite rigid pose"}, 1},
        {{offsetof(RgFrameDef, X_LF.R.m[0][0]), 3.0, "frame 'bad': its pose is not a finite rigid pose"}, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Remarks remarks = {0};
        RgBuilder *b = begin(&remarks);
        RgFrameDef def = rg_frame_def_default();
        def.name = "bad";
        def.line = LINE;
        def.link.i = cases[i].link;
        spoil(&def, &cases[i].spoil);
        RgFrameId id = rg_builder_add_frame(b, &def);
        expect_refused(b, id.i, cases[i].link == 1 ? RG_ERR_MODEL : RG_ERR_ARGUMENT, cases[i].spoil.text);
    }
}

Test(model_check, couplings)
{
    static const struct {
        int joint, reference, dof, reference_dof;
        double ratio, offset;
        const char *text;
    } cases[] = {
        {0, 1, 0, 0, 1.0, 0.0, "coupling 'bad': no such joint"},
        {1, 9, 0, 0, 1.0, 0.0, "coupling 'bad': no such joint"},
        {1, 2, 1, 0, 1.0, 0.0, "'hinge' is revolute and 'slider' is prismatic"},
        {1, 2, 0, -1, 1.0, 0.0, "coupling 'bad': needs one axis of a moving joint on both sides"},
        {1, 3, 0, 0, 1.0, 0.0, "'hinge' is revolute and 'ball' is spherical"},
        {1, 1, 0, 0, 1.0, 0.0, "coupling 'bad' couples a joint to itself"},
        {1, 2, 0, 0, NAN_, 0.0, "coupling 'bad': ratio and offset must be finite"},
        {1, 2, 0, 0, 1.0, INF_, "coupling 'bad': ratio and offset must be finite"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Remarks remarks = {0};
        RgBuilder *b = begin(&remarks);
        RgCouplingDef def = rg_coupling_def_default();
        def.name = "bad";
        def.line = LINE;
        def.joint.i = cases[i].joint;
        def.reference.i = cases[i].reference;
        def.dof = cases[i].dof;
        def.reference_dof = cases[i].reference_dof;
        def.ratio = cases[i].ratio;
        def.offset = cases[i].offset;
        expect_refused(b, rg_builder_add_coupling(b, &def), RG_ERR_MODEL, cases[i].text);
    }
}

Test(model_check, transmissions)
{
    static const struct {
        int joint, dof;
        double ratio, offset, rotor, effort, velocity;
        const char *text;
    } cases[] = {
        {0, 0, 1.0, 0.0, 0.0, 1.0, 1.0, "transmission 'bad': it drives no axis of a joint"},
        {9, 0, 1.0, 0.0, 0.0, 1.0, 1.0, "transmission 'bad': it drives no axis of a joint"},
        {1, 1, 1.0, 0.0, 0.0, 1.0, 1.0, "transmission 'bad': it drives no axis of a joint"},
        {1, 0, 0.0, 0.0, 0.0, 1.0, 1.0, "ratio and offset must be finite, and the ratio not 0"},
        {1, 0, 1.0, NAN_, 0.0, 1.0, 1.0, "ratio and offset must be finite, and the ratio not 0"},
        {1, 0, 1.0, 0.0, -1.0, 1.0, 1.0, "rotor inertia must be finite and not negative"},
        {1, 0, 1.0, 0.0, 0.0, NAN_, 1.0, "limits must not be negative"},
        {1, 0, 1.0, 0.0, 0.0, 1.0, -1.0, "limits must not be negative"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Remarks remarks = {0};
        RgBuilder *b = begin(&remarks);
        RgTransmissionDef def = rg_transmission_def_default();
        def.name = "bad";
        def.line = LINE;
        def.joint.i = cases[i].joint;
        def.dof = cases[i].dof;
        def.ratio = cases[i].ratio;
        def.offset = cases[i].offset;
        def.rotor_inertia = cases[i].rotor;
        def.effort_limit = cases[i].effort;
        def.velocity_limit = cases[i].velocity;
        expect_refused(b, rg_builder_add_transmission(b, &def), RG_ERR_MODEL, cases[i].text);
    }
}

/* Real files contain these: they run, but somebody should hear of it. */
Test(model_check, doubtful_inertias_are_remarked_on)
{
    static const struct {
        double mass;
        RgVec3 moments;
        const char *text;
    } cases[] = {
        {0.0, {0.1, 0.1, 0.1}, "link 'bad' has inertia but no mass"},
        {1.0, {0.0, 0.1, 0.1}, "link 'bad' has mass but no inertia about some axis"},
        {1.0, {0.1, 0.1, 0.3}, "link 'bad': impossible inertia"},
        {1.0, {0.1, 0.1, 0.2}, NULL},
        {0.0, {0.0, 0.0, 0.0}, NULL},
        {1.0, {-1e-12, 0.1, 0.1}, "link 'bad' has mass but no inertia about some axis"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Remarks remarks = {0};
        RgBuilder *b = begin(&remarks);
        RgLinkDef def = good_link();
        def.inertia = inertia_diagonal(cases[i].mass, vec(0.0, 0.0, 0.0), cases[i].moments);
        cr_expect(rg_builder_add_link(b, &def).i != 0, "case %zu: %s", i, rg_builder_error(b)->text);
        cr_expect(remarks.count == (cases[i].text != NULL), "case %zu: %d remarks", i, remarks.count);
        if (cases[i].text != NULL)
            cr_expect(remarks.line == LINE && strncmp(remarks.text, cases[i].text, strlen(cases[i].text)) == 0,
                      "case %zu: '%s'", i, remarks.text);
        rg_builder_destroy(b);
    }
}
