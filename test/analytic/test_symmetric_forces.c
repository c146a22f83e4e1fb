/*
 * test_symmetric_forces.c - scenes that are mirror images of themselves have forces that are, to 1e-9 of the largest: a
 * table on four corners, things in two jaws, a quadruped on its feet, random tables and grips. By `cone`, `dantzig`, `lemke` and `quick`, in
 * both forms. Forces are those of least norm (docs/solvers.md); the motion does not depend on it.
 */
#include "check_near.h"
#include "draw.h"
#include "scene_grasp.h"
#include "scene_parts.h"
#include "touching.h"
#include "worlds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define H 2e-3
#define SYMMETRIC 1e-9
#define SLOWLY_SYMMETRIC 1e-8
#define PLACE 1e-6 /* m: contacts are each other's image */

static const char *const solvers[] = {"cone", "dantzig", "lemke", "quick"};

/* Forces are as symmetric as velocities: solver quick is asked to converge. */
static RgQuickOptions converged(void)
{
    RgQuickOptions o = rg_quick_options_default();
    o.tolerance = 1e-12;
    o.motion_slack = 0.0;
    return o;
}

static double part(RgVec3 v, int k)
{
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

/* Largest difference of a force from its image's in the plane across axis k, over the largest force. */
static double asymmetry(RgWorld *world, int axis)
{
    const RgContactForce *c;
    int n = rg_world_contact_forces(world, &c);
    double most = 0.0, worst = 0.0;
    cr_assert(n > 0);
    for (int i = 0; i < n; i++) {
        bool found = false;
        for (int j = 0; j < n && !found; j++) {
            double far = 0.0, differ = 0.0;
            for (int k = 0; k < 3; k++) {
                double sign = k == axis ? -1.0 : 1.0;
                far = fmax(far, fabs(part(c[i].point, k) - sign * part(c[j].point, k)));
                differ = fmax(differ, fabs(part(c[i].force, k) - sign * part(c[j].force, k)));
            }
            found = far < PLACE;
            worst = found ? fmax(worst, differ) : worst;
        }
        cr_expect(found, "contact %d has no image", i);
        for (int k = 0; k < 3; k++)
            most = fmax(most, fabs(part(c[i].force, k)));
    }
    return worst / most;
}

static RgModel *table(void)
{
    RgSurfaceDef s = surface_mu(0.6);
    RgBuilder *b = scene_begin("table");
    ground_add(b, s);
    box_add(b, "table", 4.0, vec(0.6, 0.4, 0.2), vec(0.0, 0.0, 0.1), s);
    return scene_end(b);
}

Test(symmetric_forces, a_table_on_four_corners)
{
    RgModel *model = table();
    RgQuickOptions quick = converged();
    for (int f = 0; f < 2; f++)
        for (int s = 0; s < 4; s++) {
            RgWorldDef def = world_def(model, both_forms[f], "semi-implicit");
            def.solver = solvers[s];
            def.quick = &quick;
            RgWorld *world = world_make(&def);
            world_run(world, 50, H);
            for (int axis = 0; axis < 2; axis++)
                cr_expect(asymmetry(world, axis) < SYMMETRIC, "%s, %s: %.3g", def.coords, def.solver,
                          asymmetry(world, axis));
            rg_world_destroy(world);
        }
    rg_model_destroy(model);
}

/* Things of 2 kg between jaws that press with 60 N. */
static void check_grip(const char *object, const char *coords, const char *solver)
{
    const char *const jaws[] = {"left", "right"};
    Grasp grasp = {.object = object, .hand = "jaws", .mass = 2.0, .force = 60.0};
    RgModel *model = grasp_model(&grasp);
    RgQuickOptions quick = converged();
    RgWorldDef def = world_def(model, coords, "semi-implicit");
    def.solver = solver;
    def.quick = &quick;
    RgWorld *world = world_make(&def);
    for (int i = 0; i < 2; i++)
        rg_world_set_joint_effort(world, rg_model_find_joint(model, jaws[i]), &grasp.force);
    world_run(world, 50, H);
    for (int axis = 0; axis < 2; axis++) {
        double worst = asymmetry(world, axis);
        cr_expect(worst < SYMMETRIC, "%s, %s, %s: axis %d, %.3g", object, coords, solver, axis, worst);
    }
    world_end(world, model);
}

Test(symmetric_forces, things_in_jaws)
{
    const char *const objects[] = {"box", "cylinder"};
    for (int i = 0; i < 2; i++)
        for (int f = 0; f < 2; f++)
            for (int s = 0; s < 4; s++)
                check_grip(objects[i], both_forms[f], solvers[s]);
}

/* ------------------------------------------------------------------ scenes of n legs or fingers */

#define MASS 2.0
#define LEG_MASS 0.1
#define RADIUS 0.04  /* m: of the object, and feet are as far from the centre as five of it */
#define HEIGHT 0.3   /* m: of the object over the ground, out of reach of it */
#define STIFF 2e4    /* N/m, with DAMPING: a soft surface */
#define DAMPING 50.0 /* N s/m */
#define SIDEWAYS 0.1 /* of gravity, along the plane of symmetry: load of a table */
#define TIME 0.06    /* s */

/* Mirror images in the plane y = 0, across which stand leg or finger i and n - i. driven: by hard drives stand the
   joints of the legs, or moves the palm of the fingers. */
typedef struct Scene {
    int n;
    bool grip, soft, driven;
    double mu, h, force;
    double side, slip, torsion, rolling; /* load of a table over its weight; of surfaces, m/s per N and m */
} Scene;

static RgMat3 facing(int i, int n)
{
    return mat_turn(vec(0.0, 0.0, 1.0), 2.0 * TEST_PI * (2 * i <= n ? i : i - n) / n);
}

static RgSurfaceDef surface_of(const Scene *s)
{
    RgSurfaceDef surface = surface_mu(s->mu);
    surface.slip1 = surface.slip2 = s->slip;
    surface.torsional = s->torsion;
    surface.rolling = s->rolling;
    if (s->soft) {
        surface.kp = STIFF;
        surface.kd = DAMPING;
    }
    return surface;
}

/* Feet on a top, or on legs of their own. Their centres of mass are in the plane of the contacts: a load from the side
   does not tilt it. Tilted by 1e-4 rad, friction would keep it from rolling by a lever as short, and what the motion
   leaves of 1e-13 of a soft normal force would be 1e-9 of friction. */
static RgModel *table_of(const Scene *s)
{
    RgSurfaceDef surface = surface_of(s);
    RgBuilder *b = scene_begin("table");
    ground_add(b, surface);
    double mass = MASS + (s->driven ? s->n * LEG_MASS : 0.0), deep = s->soft ? mass * 9.81 / (s->n * 0.5 * STIFF) : 0.0;
    RgInertia inertia = inertia_box(MASS, vec(0.0, 0.0, 0.0), vec(0.4, 0.4, 0.1));
    RgLinkId top = link_add_at(b, "top", inertia, place_at(0.0, 0.0, -0.5 * deep));
    for (int i = 0; i < s->n; i++) {
        RgMat3 R = facing(i, s->n);
        RgVec3 foot = mat_apply(R, vec(5.0 * RADIUS, 0.0, 0.0)), hip = vec_scale(0.5, foot);
        RgPose at = place_at(foot.x, foot.y, RADIUS - 0.5 * deep);
        RgLinkId link = top;
        char name[20];
        hip.z = RADIUS;
        snprintf(name, sizeof name, "leg%d", i);
        if (s->driven) {
            RgVec3 centre = vec_sub(vec_scale(0.5, foot), hip);
            link =
                link_add(b, name, inertia_diagonal(LEG_MASS, vec(centre.x, centre.y, -hip.z), vec(1e-3, 1e-3, 1e-3)));
            RgJointDef joint = joint_at(RG_JOINT_revolute, name, top, link, hip, mat_apply(R, vec(0.0, 1.0, 0.0)));
            joint_add(b, &joint);
            at.p = vec_sub(at.p, hip);
        }
        shape_add(b, link, RG_SHAPE_sphere, (double[]){RADIUS, RADIUS, RADIUS}, at, surface);
    }
    return scene_end(b);
}

static RgModel *grip_of(const Scene *s)
{
    RgSurfaceDef surface = surface_of(s);
    RgBuilder *b = scene_begin("grip");
    RgLinkId palm = {0};
    if (s->driven) {
        palm = link_add(b, "palm", inertia_box(1.0, vec(0.0, 0.0, 0.0), vec(0.1, 0.1, 0.1)));
        RgJointDef lift = joint_at(RG_JOINT_prismatic, "lift", (RgLinkId){0}, palm, vec(0, 0, 0), vec(0, 0, 1));
        joint_add(b, &lift);
    }
    for (int i = 0; i < s->n; i++) {
        RgMat3 R = facing(i, s->n);
        RgVec3 out = mat_apply(R, vec(RADIUS + 0.005, 0.0, HEIGHT));
        char name[20];
        snprintf(name, sizeof name, "finger%d", i);
        RgLinkId link = link_add(b, name, inertia_diagonal(0.05, vec(0, 0, 0), vec(1e-5, 1e-5, 1e-5)));
        RgJointDef joint = joint_at(RG_JOINT_prismatic, name, palm, link, out, mat_apply(R, vec(-1.0, 0.0, 0.0)));
        joint_add(b, &joint);
        shape_add(b, link, RG_SHAPE_box, (double[]){0.01, 0.02, 0.03}, (RgPose){R, vec(0, 0, 0)}, surface);
    }
    RgVec3 size = vec(2.0 * RADIUS, 2.0 * RADIUS, 2.0 * RADIUS);
    RgLinkId object = link_add_at(b, "object", inertia_box(MASS, vec(0, 0, 0), size), place_at(0, 0, HEIGHT));
    bool box = s->n == 2 || s->n == 4;
    shape_add(b, object, box ? RG_SHAPE_box : RG_SHAPE_cylinder, (double[]){box ? size.x : RADIUS, size.y, size.z},
              place_at(0, 0, 0), surface);
    return scene_end(b);
}

static RgWorld *world_of_scene(const Scene *s, const RgModel *model, const RgWorldDef *def)
{
    RgWorld *world = world_make(def);
    RgModelInfo info = rg_model_info(model);
    RgDrive drive = rg_drive_default();
    drive.hard = true;
    drive.rate = 50.0;
    drive.max_effort = 1e3;
    for (int j = 1; j <= info.joints; j++) {
        RgJointInfo joint = rg_model_joint(model, (RgJointId){j});
        if (joint.type == RG_JOINT_free)
            continue;
        if (s->grip && strcmp(joint.name, "lift") != 0)
            rg_world_set_joint_effort(world, (RgJointId){j}, &s->force);
        else
            cr_assert(rg_world_set_joint_drive(world, (RgJointId){j}, 0, &drive) == RG_OK);
    }
    return world;
}

/* What a solver left: steps that it did not finish, and islands whose forces are as solved. */
typedef struct Outcome {
    double asymmetry, change; /* change: of the wrench on the object, and of its motion, by the choice of forces */
    int unfinished, as_solved, slipping;
} Outcome;

/* Sum of the contact forces and of their moments about the origin that act on shapes of higher numbers. */
static void wrench(RgWorld *world, double f[6])
{
    const RgContactForce *c;
    int n = rg_world_contact_forces(world, &c);
    memset(f, 0, 6 * sizeof *f);
    for (int i = 0; i < n; i++) {
        RgVec3 m = vec_cross(c[i].point, c[i].force);
        for (int k = 0; k < 3; k++) {
            f[k] += part(c[i].force, k);
            f[3 + k] += part(m, k) + part(c[i].moment, k);
        }
    }
}

static Outcome run_scene(const Scene *s, const RgModel *model, const char *form, const char *solver)
{
    Outcome out = {0};
    RgQuickOptions quick[2] = {converged(), converged()};
    RgExactOptions exact[2] = {rg_exact_options_default(), rg_exact_options_default()};
    double f[2][6], size = 0.0;
    uint64_t hash[2];
    quick[1].least_norm = exact[1].least_norm = false;
    if (s->slip > 0.0) /* the motion tells friction: v / slip */
        exact[0].tolerance = exact[1].tolerance = 1e-12;
    for (int raw = 0; raw < 2; raw++) {
        RgWorldDef def = world_def(model, form, "semi-implicit");
        def.solver = solver;
        def.quick = &quick[raw];
        def.exact = &exact[raw];
        RgWorld *world = world_of_scene(s, model, &def);
        for (int i = 0; i < TIME / s->h; i++) {
            RgStepReport report;
            if (!s->grip && 2 * i >= TIME / s->h)
                rg_world_set_gravity(world, vec(9.81 * (s->side > 0.0 ? s->side : SIDEWAYS), 0.0, -9.81));
            cr_assert(rg_world_step(world, s->h, &report) == RG_OK);
            out.unfinished += raw == 0 && report.unfinished > 0;
            out.slipping += raw == 0 && report.slipping_pairs > 0;
        }
        wrench(world, f[raw]);
        out.asymmetry = raw == 0 ? asymmetry(world, 1) : out.asymmetry;
        out.as_solved += raw == 0 ? rg_world_open_forces(world).as_solved : 0;
        hash[raw] = rg_world_hash(world);
        rg_world_destroy(world);
    }
    for (int k = 0; k < 6; k++) {
        out.change = fmax(out.change, fabs(f[0][k] - f[1][k]));
        size = fmax(size, fabs(f[1][k]));
    }
    out.change = hash[0] == hash[1] ? out.change / size : INFINITY;
    return out;
}

/* Sweeps converge slowly where friction is soft: what quick does not finish is passed over. There the motion may not be
   unique either, since which foot slips is up to the share of the normals: so it is in 2 of scenes 201 to 800. */
static void check_scene(const Scene *s)
{
    RgModel *model = s->grip ? grip_of(s) : table_of(s);
    for (int k = 0; k < 8; k++) {
        const char *form = both_forms[k / 4], *solver = solvers[k % 4];
        Outcome out = run_scene(s, model, form, solver);
        bool slow = s->slip > 0.0 && strcmp(solver, "quick") == 0;
        if (slow && out.unfinished > 0)
            continue;
        cr_expect(
            out.asymmetry <= (slow ? SLOWLY_SYMMETRIC : SYMMETRIC) && out.change <= SYMMETRIC,
            "%s of %d%s%s, mu %.3g, h %.3g, %.3g N, side %.3g, slip %.3g, torsion %.3g, %s, %s: %.3g, wrench %.3g; %d unfinished, %d as solved, %d slip",
            s->grip ? "grip" : "table", s->n, s->soft ? ", soft" : "", s->driven ? ", driven" : "", s->mu, s->h,
            s->force, s->side, s->slip, s->torsion, form, solver, out.asymmetry, out.change, out.unfinished,
            out.as_solved, out.slipping);
    }
    rg_model_destroy(model);
}

Test(symmetric_forces, soft_pads)
{
    check_scene(&(Scene){.grip = true, .n = 2, .soft = true, .mu = 0.8, .h = 1e-3, .force = 60.0});
    check_scene(&(Scene){.grip = true, .n = 4, .soft = true, .mu = 0.5, .h = 1e-3, .force = 60.0});
}

Test(symmetric_forces, a_table_on_soft_legs)
{
    check_scene(&(Scene){.n = 4, .soft = true, .mu = 0.6, .h = 1e-3});
    check_scene(&(Scene){.n = 5, .soft = true, .mu = 0.6, .h = 5e-3});
}

Test(symmetric_forces, a_grip_moved_by_a_hard_drive)
{
    check_scene(&(Scene){.grip = true, .n = 2, .driven = true, .mu = 0.8, .h = 1e-3, .force = 60.0});
    check_scene(&(Scene){.grip = true, .n = 4, .driven = true, .mu = 0.5, .h = 1e-3, .force = 60.0});
}

Test(symmetric_forces, a_table_on_legs_with_hard_drives)
{
    check_scene(&(Scene){.n = 4, .driven = true, .mu = 0.6, .h = 1e-3});
}

Test(symmetric_forces, torsion_and_rolling)
{
    check_scene(&(Scene){.grip = true, .n = 3, .mu = 0.6, .h = 2e-3, .force = 40.0, .torsion = 5e-3, .rolling = 2e-3});
    check_scene(&(Scene){.n = 6, .driven = true, .mu = 0.6, .h = 2e-3, .side = 0.2, .torsion = 5e-3, .rolling = 2e-3});
}

/* Fingers press twice as hard as the object needs at least, to four times. */
static Scene draw_scene(uint64_t seed, bool surfaces)
{
    Draw d = draw_seed(seed);
    Scene s = {.grip = draw_chance(&d, 0.5), .soft = draw_chance(&d, 0.5), .driven = draw_chance(&d, 0.3)};
    s.n = s.grip ? 2 + draw_below(&d, 5) : 3 + draw_below(&d, 6);
    s.mu = draw_between(&d, 0.2, 2.0);
    s.h = draw_between(&d, 1e-3, 10e-3);
    s.force = MASS * 9.81 / (s.mu * s.n) * draw_between(&d, 2.0, 4.0);
    if (surfaces) {
        s.side = draw_between(&d, 0.0, 0.4);
        s.slip = draw_chance(&d, 0.5) ? draw_between(&d, 1e-5, 1e-3) : 0.0;
        s.torsion = draw_chance(&d, 0.5) ? draw_between(&d, 1e-4, 1e-2) : 0.0;
    }
    return s;
}

static void check_drawn(bool surfaces)
{
    const char *count = getenv("RIGOR_SYMMETRIC_SCENES");
    for (int i = 0; i < (count != NULL ? atoi(count) : 20); i++) {
        Scene s = draw_scene((uint64_t)i, surfaces);
        check_scene(&s);
    }
}

Test(symmetric_forces, random_scenes)
{
    check_drawn(false);
}

/* Soft friction, torsion, tables that slide. */
Test(symmetric_forces, random_surfaces)
{
    check_drawn(true);
}

/* ------------------------------------------------------------------ grasps, robots */

/* 60 N hold 2 kg at every step, and so does every other grip that friction allows twice over. */
Test(symmetric_forces, firm_grasps_are_held)
{
    const char *const objects[] = {"box", "cylinder"};
    for (int k = 0; k < 2 * 2 * 3; k++) {
        Grasp grasp = {.object = objects[k / 6], .hand = "jaws", .mass = 2.0, .force = 60.0};
        RgModel *model = grasp_model(&grasp);
        RgWorldDef def = world_def(model, both_forms[k / 3 % 2], "semi-implicit");
        def.solver = solvers[k % 3];
        for (const double *h = grasp_steps; *h > 0.0; h++) {
            GraspSlip run = grasp_run(&grasp, model, &def, *h, 0.3);
            cr_expect(run.status == RG_OK && run.slip < 1e-7, "%s, %s, %s, %g s: slips %.3g m", grasp.object,
                      def.coords, def.solver, *h, run.slip);
        }
        rg_model_destroy(model);
    }
}

/* A quadruped whose joints are held, its legs straight. drive: by it; NULL: by motors. */
static RgWorld *stand(const RgModel *model, const RgWorldDef *def, const RgDrive *drive)
{
    RgWorld *world = world_make(def);
    RgModelInfo info = rg_model_info(model);
    for (int j = 1; j <= info.joints; j++) {
        if (rg_model_joint(model, (RgJointId){j}).type != RG_JOINT_revolute)
            continue;
        if (drive == NULL)
            rg_world_set_joint_motor(world, (RgJointId){j}, 0, 0.0, 200.0);
        else
            cr_assert(rg_world_set_joint_drive(world, (RgJointId){j}, 0, drive) == RG_OK);
    }
    return world;
}

static double effort_of(RgWorld *world, const char *joint, bool driven)
{
    RgMotorReport motor = {0};
    RgDriveReport drive = {0};
    RgJointId id = rg_model_find_joint(rg_world_model(world), joint);
    cr_assert((driven ? rg_world_joint_drive(world, id, 0, &drive) : rg_world_joint_motor(world, id, 0, &motor)) ==
              RG_OK);
    return driven ? drive.effort : motor.effort;
}

/* The same forces by all solvers in both forms, left as right; and efforts of its motors or drives. */
static void check_standing(const RgDrive *drive)
{
    RgModel *model = model_on_floor("models/quadruped.sdf");
    RgQuickOptions quick = converged();
    double first[4] = {0.0}, effort[2] = {0.0};
    for (int k = 0; k < 8; k++) {
        RgWorldDef def = world_def(model, both_forms[k / 4], "semi-implicit");
        def.solver = solvers[k % 4];
        def.quick = &quick;
        RgWorld *world = stand(model, &def, drive);
        world_run(world, 1500, 1e-3);
        for (int side = 0; side < 2; side++)
            effort[side] = effort_of(world, side == 0 ? "front_left_knee" : "front_right_knee", drive != NULL);
        CHECK_NEAR(effort[0], effort[1], 1e-7, "N m");
        const RgContactForce *c;
        int n = rg_world_contact_forces(world, &c);
        cr_assert_eq(n, 4);
        cr_expect(asymmetry(world, 1) < SYMMETRIC, "%s, %s: %.3g", def.coords, def.solver, asymmetry(world, 1));
        for (int i = 0; i < 4; i++) {
            first[i] = k == 0 ? c[i].force.z : first[i];
            CHECK_NEAR(c[i].force.z, first[i], 2e-3, "N");
        }
        RgOpenForces open = rg_world_open_forces(world);
        cr_expect(open.islands == 1 && open.as_solved == 0, "%s, %s: %d, %d", def.coords, def.solver, open.islands,
                  open.as_solved);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

Test(symmetric_forces, a_standing_quadruped)
{
    check_standing(NULL);
}

/* Solver quick eliminates such drives from its problem. */
Test(symmetric_forces, a_quadruped_on_hard_drives)
{
    RgDrive drive = rg_drive_default();
    drive.hard = true;
    drive.rate = 50.0;
    check_standing(&drive);
}

/* Whether and when forces are asked for changes no motion; as solved they are others, with the same sum. */
Test(symmetric_forces, the_motion_is_the_same)
{
    RgModel *model = model_on_floor("models/quadruped.sdf");
    RgExactOptions raw = rg_exact_options_default();
    raw.least_norm = false;
    uint64_t hash[3];
    double up[3] = {0.0}, norm[3] = {0.0};
    for (int k = 0; k < 3; k++) {
        RgWorldDef def = world_def(model, "minimal", "semi-implicit");
        def.solver = "cone";
        def.exact = k == 2 ? &raw : NULL;
        def.threads = k == 1 ? 3 : 1;
        RgWorld *world = stand(model, &def, NULL);
        const RgContactForce *c;
        for (int i = 0; i < 600; i++) {
            world_run(world, 1, 1e-3);
            if (k == 1)
                rg_world_contact_forces(world, &c);
        }
        int n = rg_world_contact_forces(world, &c);
        for (int i = 0; i < n; i++) {
            up[k] += c[i].force.z;
            norm[k] += vec_dot(c[i].force, c[i].force);
        }
        hash[k] = rg_world_hash(world);
        rg_world_destroy(world);
    }
    cr_expect(hash[0] == hash[1] && hash[0] == hash[2]);
    cr_expect_eq(norm[0], norm[1]);
    cr_expect(norm[0] < norm[2] * (1.0 - 1e-6), "%.15g, as solved %.15g", norm[0], norm[2]);
    CHECK_NEAR(up[0], up[2], 1e-9, "N");
    rg_model_destroy(model);
}
