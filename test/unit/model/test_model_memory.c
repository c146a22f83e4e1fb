/*
 * test_model_memory.c - memory that runs out at any moment of building a model: an error, no crash,
 * nothing leaked.
 *
 * The k-th allocation fails, for every k: for good, as on a full machine, or only once, as when another
 * program gives memory back. The description goes on as a reader's would, without looking at every answer.
 */
#include "check_near.h"
#include "counting.h"
#include "scene_parts.h"

#include <stdlib.h>
#include <string.h>

/* More than the first room of every list, and texts longer than the first block of an arena. */
#define LINKS 40
#define TEXT 3000

/* An allocator of which one call fails. */
typedef struct FailOnce {
    long calls, blocks, fail_at;
} FailOnce;

static void *once_alloc(size_t bytes, void *context)
{
    FailOnce *f = context;
    if (++f->calls == f->fail_at)
        return NULL;
    void *block = malloc(bytes);
    f->blocks += block != NULL;
    return block;
}

static void once_release(void *block, void *context)
{
    FailOnce *f = context;
    f->blocks -= block != NULL;
    free(block);
}

static void add_shapes(RgBuilder *b, RgLinkId link, const char *text)
{
    static const double vertices[12] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    static const int32_t faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    static const int32_t parts[3] = {0, 2, 4};
    static const double heights[4] = {0.0, 0.1, 0.2, 0.3};
    RgShapeDef mesh = rg_shape_def_default(), field = rg_shape_def_default();
    mesh.type = RG_SHAPE_mesh;
    mesh.name = mesh.uri = text;
    mesh.link = field.link = link;
    mesh.mesh = (RgMeshData){vertices, faces, 4, 4, parts, 2};
    field.type = RG_SHAPE_heightfield;
    field.heights = heights;
    field.rows = field.columns = 2;
    rg_builder_add_shape(b, &mesh);
    rg_builder_add_shape(b, &field);
}

/* A chain of hinges with a frame and shapes on every link, coupled in pairs, closed by a loop joint. */
static void describe(RgBuilder *b)
{
    char name[TEXT + 1];
    memset(name, 'x', TEXT);
    name[TEXT] = '\0';
    RgLinkDef link = rg_link_def_default();
    RgJointDef joint = rg_joint_def_default();
    RgFrameDef frame = rg_frame_def_default();
    RgCouplingDef coupling = rg_coupling_def_default();
    link.inertia = inertia_box(1.0, vec(0.0, 0.0, 0.0), vec(0.1, 0.2, 0.3));
    link.name = joint.name = frame.name = coupling.name = name;
    link.group = joint.group = frame.group = "robot";
    joint.type = RG_JOINT_revolute;
    rg_builder_set_name(b, name);
    rg_builder_set_file(b, name);
    for (int i = 0; i < LINKS; i++) {
        name[0] = (char)('0' + i);
        rg_builder_add_link(b, &link);

        /* As a reader does: links are found again by name. */
        joint.parent = frame.link = joint.child;
        joint.child = rg_builder_find_link(b, "robot", name);
        rg_builder_add_joint(b, &joint);
        rg_builder_add_frame(b, &frame);
        add_shapes(b, joint.child, name);
        coupling.reference = coupling.joint;
        coupling.joint = rg_builder_find_joint(b, "robot", name);
        RgCollisionPairDef pair = rg_collision_pair_def_default();
        pair.link_a = joint.child;
        rg_builder_add_collision_pair(b, &pair);
        if (i % 2 == 1)
            rg_builder_add_coupling(b, &coupling);
        RgTransmissionDef transmission = rg_transmission_def_default();
        transmission.name = transmission.actuator = name;
        transmission.joint = coupling.joint;
        rg_builder_add_transmission(b, &transmission);
    }
    joint.parent.i = 0;
    joint.may_close_loop = true;
    joint.name = "loop";
    rg_builder_add_joint(b, &joint);
    RgGearDef gear = rg_gear_def_default();
    gear.joint.i = 1;
    gear.ratio = 2.0;
    rg_builder_add_gear(b, &gear);
}

/* Builds, finishes, destroys; the model's number of links, or -1 with an error. */
static int build(const RgAllocator *allocator, RgStatus *status)
{
    *status = RG_ERR_MEMORY;
    RgBuilder *b = rg_builder_create(allocator, NULL);
    if (b == NULL)
        return -1;
    describe(b);
    RgError error = {0};
    RgModel *model = rg_builder_finish(b, &error);
    rg_builder_destroy(b);
    int links = model != NULL ? rg_model_info(model).links : -1;
    *status = model != NULL ? RG_OK : error.status;
    rg_model_destroy(model);
    return links;
}

Test(model_memory, that_runs_out)
{
    Counting counting = {0};
    RgAllocator allocator = counting_allocator(&counting);
    RgStatus status;
    cr_assert(build(&allocator, &status) == LINKS + 1, "%s", rg_status_text(status));
    long needed = counting.calls;
    cr_assert(needed > 20 && counting.blocks == 0, "%ld calls, %ld blocks leaked", needed, counting.blocks);
    for (long k = 1; k <= needed; k++) {
        counting = (Counting){.fail_at = k};
        cr_expect(build(&allocator, &status) == -1 && status == RG_ERR_MEMORY, "allocation %ld of %ld: %s", k, needed,
                  rg_status_text(status));
        cr_expect(counting.blocks == 0, "allocation %ld: %ld blocks leaked", k, counting.blocks);
    }
}

/* What was lost is not made up for by what came later: the model would not be the one described. */
Test(model_memory, that_is_short_for_a_moment)
{
    FailOnce once = {0};
    RgAllocator allocator = {once_alloc, once_release, &once};
    RgStatus status;
    cr_assert(build(&allocator, &status) == LINKS + 1);
    long needed = once.calls;
    for (long k = 1; k <= needed; k++) {
        once = (FailOnce){.fail_at = k};
        cr_expect(build(&allocator, &status) == -1 && status == RG_ERR_MEMORY, "allocation %ld of %ld: %s", k, needed,
                  rg_status_text(status));
        cr_expect(once.blocks == 0, "allocation %ld: %ld blocks leaked", k, once.blocks);
    }
}
