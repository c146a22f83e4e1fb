/*
 * test_located_bodies.c - located steps of articulated bodies and of loops, of joints and of contacts: nobody overlaps
 * anybody at any time, energy never grows, and what should come to rest does.
 *
 *   arm      four boxes on hinges fall from the horizontal and lie down on the floor
 *   bar      a four-bar falls until its coupler lies on a floor
 *   arch     two leaning blocks and a keystone: a loop of contacts that friction holds
 *   round    a cylinder and an egg roll, a coin rolls on its rim: in steps of the length asked for
 */
#include "geometries.h"
#include "located_watch.h"
#include "worlds.h"

#define GAP 1e-7

static RgWorld *located(const RgModel *model, const char *coords)
{
    RgWorldDef def = world_def(model, coords, "rigid");
    RgAdaptOptions adapt = rg_adapt_options_default();
    adapt.gap = GAP;
    def.adapt = &adapt;
    def.solver = "cone";
    return world_make(&def);
}

/* Runs and watches; energy may grow by no more than `more` (J) from its least so far. Returns the kinetic energy at the
   end. */
static double run_watched(RgWorld *world, int steps, double h, double more, const char *name)
{
    Watch w;
    double energy = world_energy(world), grown = 0.0;
    watch_begin(&w, world);
    for (int i = 0; i < steps; i++) {
        RgStepReport report = {0};
        RgStatus status = rg_world_step(world, h, &report);
        cr_assert(status == RG_OK, "%s, step %d at t = %g: %s (%s)", name, i, rg_world_time(world),
                  rg_status_text(status), report.offender);
        double now = world_energy(world);
        grown = fmax(grown, now - energy);
        energy = fmin(energy, now);
    }
    cr_expect(w.least >= 0.0, "%s: %.3g m", name, w.least);
    cr_expect(w.below <= 1e-12, "%s: %.3g m nearer than proven", name, w.below);
    cr_expect(grown <= more, "%s: energy grew by %.3g J", name, grown);
    RgMomentum m;
    cr_assert(rg_world_momentum(world, &m) == RG_OK);
    watch_end(&w);
    return m.kinetic;
}

/* ------------------------------------------------------------------ arm */

static RgModel *arm(int n)
{
    RgBuilder *b = scene_begin("arm");
    RgLinkId last = {0};
    ground_add(b, surface_mu(0.4));
    for (int i = 0; i < n; i++) {
        char name[2][24];
        snprintf(name[0], sizeof name[0], "link%d", i);
        snprintf(name[1], sizeof name[1], "hinge%d", i);
        RgLinkId link = link_add(b, name[0], inertia_box(1.0, vec(0.2, 0.0, 0.0), vec(0.36, 0.1, 0.08)));
        RgJointDef hinge = joint_at(RG_JOINT_revolute, name[1], last, link,
                                    i > 0 ? vec(0.4, 0.0, 0.0) : vec(0.0, 0.0, 0.3), vec(0.0, 1.0, 0.0));
        joint_add(b, &hinge);
        shape_add(b, link, RG_SHAPE_box, (double[3]){0.36, 0.1, 0.08}, place_at(0.2, 0.0, 0.0), surface_mu(0.4));
        last = link;
    }
    return scene_end(b);
}

Test(located_bodies, an_arm_lies_down_on_the_floor)
{
    for (int form = 0; form < 2; form++) {
        RgModel *model = arm(4);
        RgWorld *world = located(model, both_forms[form]);
        double T = run_watched(world, 200, 0.01, 1e-3, "arm");
        cr_expect(T < 1e-4, "%g J", T);
        world_end(world, model);
    }
}

/* ------------------------------------------------------------------ four-bar */

static RgModel *bar(void)
{
    RgBuilder *b = scene_begin("bar");
    RgLinkId coupler = four_bar_add(b);
    shape_add(b, coupler, RG_SHAPE_box, (double[3]){0.4, 0.1, 0.1}, place_at(0.6, 0.0, 0.15), surface_mu(0.2));
    RgShapeDef floor = rg_shape_def_default();
    floor.type = RG_SHAPE_halfspace;
    floor.X_LS = place_at(0.0, 0.0, 0.2);
    floor.surface = surface_mu(0.2);
    cr_assert(rg_builder_add_shape(b, &floor).i > 0);
    return scene_end(b);
}

Test(located_bodies, a_four_bar_lies_down_on_the_floor)
{
    for (int form = 0; form < 2; form++) {
        RgModel *model = bar();
        RgWorld *world = located(model, both_forms[form]);
        double T = run_watched(world, 200, 0.01, 1e-3, "bar");
        cr_expect(T < 1e-4, "%g J", T);
        world_end(world, model);
    }
}

/* ------------------------------------------------------------------ arch */

/* A wedge with its narrow side down: half width a at the bottom, b at the top, height 2 c, depth 2 d. */
static void add_wedge(RgBuilder *builder, const char *name, double a, double b, RgVec3 p)
{
    const double c = 0.2, d = 0.2;
    const double points[24] = {-a, -d, -c, a, -d, -c, -a, d, -c, a, d, -c, -b, -d, c, b, -d, c, -b, d, c, b, d, c};
    RgShapeDef def = shape_sized(RG_SHAPE_polytope, 1.0, 1.0, 1.0);
    def.mesh = (RgMeshData){.vertices = points, .nvertices = 8};
    def.surface = surface_mu(0.8);
    def.link =
        link_add_at(builder, name, inertia_box(2.0, vec(0.0, 0.0, 0.0), vec(a + b, 2.0 * d, 2.0 * c)), pose_at(p));
    cr_assert(rg_builder_add_shape(builder, &def).i > 0);
}

/* Two blocks whose inner sides lean outward, and the keystone between them, half the gap from each. */
static RgModel *arch(void)
{
    const double level = 0.5 * GAP, rise = 0.1, slope = 0.25;
    RgBuilder *b = scene_begin("arch");
    ground_add(b, surface_mu(0.8));
    add_wedge(b, "left", 0.35, 0.25, vec(-0.5, 0.0, 0.2 + level));
    add_wedge(b, "right", 0.35, 0.25, vec(0.5, 0.0, 0.2 + level));

    /* At height z over the floor the inner sides stand at +-(0.15 + slope (z - level)). */
    double half = 0.15 + slope * (rise + level) - level * sqrt(1.0 + slope * slope);
    add_wedge(b, "key", half, half + 0.4 * slope, vec(0.0, 0.0, 0.2 + rise + 2.0 * level));
    return scene_end(b);
}

Test(located_bodies, an_arch_stands)
{
    for (int form = 0; form < 2; form++) {
        RgModel *model = arch();
        RgWorld *world = located(model, both_forms[form]);
        double T = run_watched(world, 100, 0.01, 1e-6, "arch");
        cr_expect(T < 1e-8, "%g J", T);
        world_end(world, model);
    }
}

/* ------------------------------------------------------------------ round */

static RgModel *round_body(RgShapeType type, const double size[3], RgPose X_WL)
{
    RgBuilder *b = scene_begin("round");
    ground_add(b, surface_mu(0.8));
    RgLinkId link = link_add_at(b, "body", inertia_diagonal(2.0, vec(0.0, 0.0, 0.0), vec(0.03, 0.03, 0.02)), X_WL);
    shape_add(b, link, type, size, place_at(0.0, 0.0, 0.0), surface_mu(0.8));
    return scene_end(b);
}

/* A cylinder rolls without slip: it goes on as it is, and no step is shorter than it must be. */
Test(located_bodies, a_cylinder_rolls_on)
{
    for (int form = 0; form < 2; form++) {
        const double r = 0.15;
        RgPose X = {mat_turn(vec(1.0, 0.0, 0.0), 1.5707963267948966), {0.0, 0.0, r + 0.6 * GAP}};
        RgModel *model = round_body(RG_SHAPE_cylinder, (double[3]){r, 0.5, 0.0}, X);
        RgWorld *world = located(model, both_forms[form]);
        link_launch(world, (RgLinkId){1}, vec(0.0, 1.0 / r, 0.0), vec(1.0, 0.0, 0.0));
        double T = run_watched(world, 50, 0.01, 1e-9, "cylinder");
        cr_expect(world->log.statistics.steps == 50, "%ld steps", (long)world->log.statistics.steps);
        CHECK_NEAR(T, 0.5 * 2.0 + 0.5 * 0.02 / (r * r), 1e-9, "J");
        CHECK_NEAR(rg_world_link_pose(world, (RgLinkId){1}).p.x, 0.5, GAP, "m"); /* it rolls at r and half its height */
        world_end(world, model);
    }
}

/* A coin that rolls upright on its rim, a little aslant: it goes round, and nothing is lost. */
Test(located_bodies, a_coin_rolls_on_its_rim)
{
    for (int form = 0; form < 2; form++) {
        const double r = 0.2, d = 0.02, lean = 0.2;
        double high = r * cos(lean) + 0.5 * d * sin(lean) + 0.6 * GAP;
        RgPose X = {mat_turn(vec(1.0, 0.0, 0.0), 1.5707963267948966 + lean), {0.0, 0.0, high}};
        RgModel *model = round_body(RG_SHAPE_cylinder, (double[3]){r, d, 0.0}, X);
        RgWorld *world = located(model, both_forms[form]);
        link_launch(world, (RgLinkId){1}, vec(0.0, 2.0 / r, 0.0), vec(2.0, 0.0, 0.0));
        double before = world_energy(world);
        run_watched(world, 100, 0.005, 1e-3, "coin");
        CHECK_NEAR(world_energy(world), before, 0.02 * before, "J");
        world_end(world, model);
    }
}

Test(located_bodies, an_egg_rocks)
{
    for (int form = 0; form < 2; form++) {
        RgModel *model =
            round_body(RG_SHAPE_ellipsoid, (double[3]){0.2, 0.3, 0.15}, place_at(0.0, 0.0, 0.15 + 0.6 * GAP));
        RgWorld *world = located(model, both_forms[form]);
        link_launch(world, (RgLinkId){1}, vec(1.0, 2.0, 0.5), vec(0.15 * 2.0, -0.15, 0.0));
        double before = world_energy(world);
        run_watched(world, 100, 0.01, 1e-3, "egg");
        cr_expect(world_energy(world) > 0.9 * before);
        world_end(world, model);
    }
}
