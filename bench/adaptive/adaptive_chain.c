/*
 * adaptive_chain.c - paper 001, experiment B: a chain, let go from horizontal, whose end falls past the ground.
 *
 * Boxes of 10 kg/m^3 on hinges about z, gravity along -y, ground 0.1 mm below the chain's length. Nothing ever touches: all
 * steps shorter than the nominal one are the price of the bound. The paper says 100 links of 1 m, its archived file has 20 of
 * 5 m; both are run. "stored log" is what that archive holds of a run.
 */
#include "adaptive.h"

#include "scene_parts.h"

#include <string.h>

#define STEP 0.01
#define TIME 5.0
#define BIN_OF_STEP 40 /* of the histogram: begins at 0.01 s */

static const LocatedColumn columns[] = {{"chain", "chain", false},
                                        {"stepper", "stepper", false},
                                        {"steps", "steps", true},
                                        {"mean_step", "mean step", false},
                                        {"least_step", "least step", false},
                                        {"whole", "part at 0.01", false},
                                        {"contacts", "contacts", true},
                                        {"least_distance", "least proven", false},
                                        {"cpu", "CPU s", false}};
#define NCOLUMNS (int)(sizeof columns / sizeof columns[0])

static RgModel *chain_model(int links, double length, double width)
{
    RgBuilder *b = rg_builder_create(NULL, NULL);
    RgLinkId parent = {0};
    for (int i = 0; i < links; i++) {
        char name[32];
        snprintf(name, sizeof name, "link%d", i + 1);
        RgVec3 size = vec(width, length, width), middle = vec(0.0, -0.5 * length, 0.0);
        RgLinkDef link = rg_link_def_default();
        link.name = name;
        link.group = "chain";
        link.self_collide = false;
        link.inertia = inertia_box(10.0 * width * length * width, middle, size);
        RgJointDef joint = rg_joint_def_default();
        char hinge[32];
        snprintf(hinge, sizeof hinge, "joint%d", i + 1);
        joint.name = hinge;
        joint.type = RG_JOINT_continuous;
        joint.parent = parent;
        joint.child = rg_builder_add_link(b, &link);
        joint.X_PJ = place_at(0.0, i == 0 ? 0.0 : -length, 0.0);
        joint.axis = vec(0.0, 0.0, 1.0);
        rg_builder_add_joint(b, &joint);
        RgShapeDef box = rg_shape_def_default();
        box.link = joint.child;
        box.type = RG_SHAPE_box;
        box.size[0] = size.x;
        box.size[1] = size.y;
        box.size[2] = size.z;
        box.X_LS = place_at(middle.x, middle.y, middle.z);
        rg_builder_add_shape(b, &box);
        parent = joint.child;
    }
    RgShapeDef ground = rg_shape_def_default();
    ground.type = RG_SHAPE_halfspace;
    ground.X_LS = (RgPose){{{{1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, {0.0, -1.0, 0.0}}}, {0.0, -100.0001, 0.0}};
    rg_builder_add_shape(b, &ground);
    RgError error;
    RgModel *model = rg_builder_finish(b, &error);
    if (model == NULL)
        fprintf(stderr, "rigor-bench-adaptive: %s\n", error.text);
    rg_builder_destroy(b);
    return model;
}

static void row(LocatedOut *out, const char *chain, const char *stepper, const double numbers[NCOLUMNS - 2])
{
    LocatedCell cells[NCOLUMNS] = {cell_text(chain), cell_text(stepper)};
    for (int i = 2; i < NCOLUMNS; i++)
        cells[i] = cell(numbers[i - 2]);
    located_row(out, cells);
}

/* False: something touched, or the step was refused. */
static bool run(LocatedOut *out, const char *name, const RgModel *model, const char *stepper,
                LocatedRun *judged)
{
    LocatedSetup setup = located_setup(stepper, "quick");
    setup.gravity = vec(0.0, -9.81, 0.0);
    setup.gap = 1e-6;
    RgError error;
    RgWorld *world = located_world(model, &setup, &error);
    if (world == NULL) {
        located_note(out, "%s: %s", stepper, error.text);
        return false;
    }
    const double quarter = 1.57079632679489661923;
    rg_world_set_joint_position(world, (RgJointId){1}, &quarter);
    double start = located_now();
    RgStatus status = RG_OK;
    for (int k = 0; k < (int)(TIME / STEP + 0.5) && status == RG_OK; k++)
        status = rg_world_step(world, STEP, NULL);
    double cpu = located_now() - start;
    RgStepStatistics s = rg_world_step_statistics(world);
    double steps = (double)s.steps, mean = s.time / steps, whole = 0.0;
    for (int i = BIN_OF_STEP; i < RG_STEP_BINS; i++)
        whole += (double)s.bins[i] / steps;
    row(out, name, stepper,
        (double[]){steps, mean, s.least, whole, (double)s.events[RG_EVENT_touch], s.least_distance, cpu});
    rg_world_destroy(world);
    if (judged != NULL)
        judged->statistics = s;
    bool ranges = s.least >= 3e-4 && s.least <= 1e-3 && mean >= 0.0065 && mean <= 0.0083 && whole > 0.5;
    if (judged != NULL && !ranges)
        located_note(
            out,
            "%s: outside the accepted ranges: least 3e-4 to 1e-3, mean 0.0065 to 0.0083, over half whole",
            name);
    return status == RG_OK && s.events[RG_EVENT_touch] == 0 && s.least_distance > 0.0 &&
           (ranges || judged == NULL);
}

bool adaptive_chain(LocatedOut *out, const AdaptiveOptions *o)
{
    static const char *const steppers[] = {"rigid-001", "advance", "c2a"};
    located_table(out, "chain", "Chain past the ground (paper 001, experiment B); s, m", columns, NCOLUMNS);
    double none = (double)NAN;
    row(out, "published: 100 x 1 m", "-", (double[]){none, 0.0065, 6.17e-4, none, 0.0, none, none});
    row(out, "stored log: 20 x 5 m", "-",
        (double[]){656.0, 7.84e-3, 6.167e-4, 450.0 / 656.0, 0.0, 0.6856, none});
    bool good = true;
    LocatedRun kept[2] = {{.status = RG_OK}, {.status = RG_OK}};
    for (int links = 20; links <= 100; links += 80) {
        const char *name = links == 20 ? "20 x 5 m" : "100 x 1 m";
        RgModel *model = chain_model(links, 100.0 / links, 2.0);
        for (int i = 0; i < (o->quick ? 1 : 3) && model != NULL; i++)
            good = run(out, name, model, steppers[i], i == 0 ? &kept[links == 100] : NULL) && good;
        good = good && model != NULL;
        rg_model_destroy(model);
    }
    located_histogram(out, "chain20", "20 x 5 m, rigid-001", &kept[0]);
    located_histogram(out, "chain100", "100 x 1 m, rigid-001", &kept[1]);
    return good;
}
