/*
 * published-sensors: forces as sensors read them, three cases that users of other engines filed.
 *
 *   bullet3 #4451          bearing of a swinging pendulum, 6 kg with its centre at 0.9 m: m (g cos q + r w^2) = 174.12 N; sensed 289.44 N
 *   gz-physics #565        weld between an arm that PD control holds and a payload of 1 kg: (0, 0, 9.8) N; sensed (0, 0.34, 13.85) N
 *   gazebo-classic #3040   box of 1 kg and 1 m, pushed with 1 N, that stays: a corner showed 0.341 N across the push
 *
 * The corner forces of a box are not unique: three equations of forces and three of moments for twelve numbers. So the
 * last case has two answers: what the default solver tells, and the range of all forces that obey the law
 * (sensors_box.c).
 */
#include "sensors_parts.h"

#include "vectors.h"

#include <math.h>

#define G 9.8
#define H 1e-3

/* ------------------------------------------------------------------ pendulum */

#define ROD_MASS 6.0
#define ROD_CENTRE 0.9
#define ROD_MOMENT 0.096 /* kg m^2 about its centre: from 90 degrees it comes down at the 4.621 rad/s of the report */

static RgModel *pendulum(Lab *lab)
{
    RgBuilder *b = rg_builder_create(NULL, NULL);
    RgLinkDef link = rg_link_def_default();
    link.name = "rod";
    link.inertia =
        (RgInertia){.mass = ROD_MASS, .com = {0, 0, -ROD_CENTRE}, .I = {ROD_MOMENT, ROD_MOMENT, 0.01, 0, 0, 0}};
    RgShapeDef shape = rg_shape_def_default();
    shape.type = RG_SHAPE_sphere;
    shape.size[0] = 0.1;
    shape.link = rg_builder_add_link(b, &link);
    shape.X_LS = rg_pose_from_rpy(vec(0, 0, -ROD_CENTRE), vec(0, 0, 0));
    rg_builder_add_shape(b, &shape);
    RgJointDef joint = rg_joint_def_default();
    joint.name = "bearing";
    joint.type = RG_JOINT_revolute;
    joint.child = shape.link;
    joint.axis = vec(1, 0, 0);
    rg_builder_add_joint(b, &joint);
    return bodies_end(lab, b);
}

/* What the bearing carries along the rod, and the error of the whole force against the equation of the pendulum. */
static double load_of(RgWorld *world, double *error)
{
    RgJointId joint = rg_model_find_joint(rg_world_model(world), "bearing");
    double q = 0.0, w = 0.0, moment = ROD_MOMENT + ROD_MASS * ROD_CENTRE * ROD_CENTRE;
    RgForce f = {0};
    rg_world_joint_position(world, joint, &q);
    rg_world_joint_rate(world, joint, &w);
    rg_world_joint_reaction(world, joint, &f);
    double qdd = -ROD_MASS * G * ROD_CENTRE * sin(q) / moment;
    RgVec3 up = vec(0, -sin(q), cos(q)), across = vec(0, cos(q), sin(q));
    RgVec3 c = vec_add(vec_scale(ROD_CENTRE * qdd, across), vec_scale(ROD_CENTRE * w * w, up));
    RgVec3 law = vec_scale(ROD_MASS, vec_add(c, vec(0, 0, G)));
    *error = vec_distance(f.f, law);
    return vec_dot(f.f, up);
}

static void measure_pendulum(Lab *lab, const char *coords, const char *load_row, const char *swing_row,
                             LabFigure *figure)
{
    RgModel *model = pendulum(lab);
    RgWorld *world = sensors_world(lab, model, coords, "rk4");
    RgJointId joint = model ? rg_model_find_joint(model, "bearing") : (RgJointId){0};
    const double q = -0.0005009165033698082, w = -4.62124490737915, start = 0.5 * TEST_PI, rest = 0.0;
    double error = 0.0, worst = 0.0;
    if (world && rg_world_set_joint_position(world, joint, &q) == RG_OK &&
        rg_world_set_joint_rate(world, joint, &w) == RG_OK)
        lab_measured(lab, load_row, load_of(world, &error));
    if (world && rg_world_set_joint_position(world, joint, &start) == RG_OK)
        rg_world_set_joint_rate(world, joint, &rest);
    LabFilm *film = figure ? lab_film(lab, "pendulum", "a pendulum from 90 degrees", world, 60.0) : NULL;
    for (int i = 0; world && i < 3000 && rg_world_step(world, H, NULL) == RG_OK; i++) {
        double load = load_of(world, &error);
        worst = fmax(worst, error);
        lab_film_step(film, world);
        if (figure && i % 10 == 0)
            lab_point(figure, rg_world_time(world), load);
    }
    lab_measured(lab, swing_row, worst);
    lab_film_end(film);
    rg_world_destroy(world);
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ weld */

typedef struct Hold {
    int q, v;
    double angle;
} Hold;

static void hold(const RgModel *model, const RgInputState *state, RgInput *input, void *context)
{
    (void)model;
    const Hold *h = context;
    input->tau[h->v] = 200.0 * (h->angle - state->q[h->q]) - 20.0 * state->v[h->v];
}

static RgLinkId add_bar(RgBuilder *b, const char *name, double mass, RgVec3 com)
{
    RgLinkDef link = rg_link_def_default();
    link.name = name;
    link.inertia = (RgInertia){.mass = mass, .com = com, .I = {0.05, 0.05, 0.05, 0, 0, 0}};
    return rg_builder_add_link(b, &link);
}

static RgModel *arm(Lab *lab)
{
    RgBuilder *b = rg_builder_create(NULL, NULL);
    RgJointDef joint = rg_joint_def_default();
    joint.name = "shoulder";
    joint.type = RG_JOINT_revolute;
    joint.child = add_bar(b, "arm", 2.0, vec(0, 0.25, 0));
    joint.axis = vec(1, 0, 0);
    rg_builder_add_joint(b, &joint);
    RgJointDef weld = rg_joint_def_default();
    weld.name = "sensor";
    weld.type = RG_JOINT_fixed;
    weld.parent = joint.child;
    weld.child = add_bar(b, "payload", 1.0, vec(0, 0.1, 0));
    weld.X_PJ = rg_pose_from_rpy(vec(0, 0.5, 0), vec(0, 0, 0));
    rg_builder_add_joint(b, &weld);
    return bodies_end(lab, b);
}

/* |force through the weld - (0, 0, m g)| once the arm rests, world axes. */
static double weld_error(Lab *lab, const char *coords)
{
    RgModel *model = arm(lab);
    double error = (double)NAN;
    if (!model)
        return error;
    RgJointInfo shoulder = rg_model_joint(model, rg_model_find_joint(model, "shoulder"));
    Hold target = {.q = shoulder.q_index, .v = shoulder.v_index, .angle = 0.3};
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    def.coords = coords;
    def.gravity = vec(0, 0, -G);
    def.input = hold;
    def.input_context = &target;
    RgWorld *world = lab_world_create(lab, &def);
    bool good = world != NULL;
    for (int i = 0; good && i < 10000; i++)
        good = rg_world_step(world, H, NULL) == RG_OK;
    RgForce f;
    if (good && rg_world_joint_reaction(world, rg_model_find_joint(model, "sensor"), &f) == RG_OK)
        error = vec_distance(f.f, vec(0, 0, G));
    rg_world_destroy(world);
    rg_model_destroy(model);
    return error;
}

/* ------------------------------------------------------------------ all three */

static void run(Lab *lab)
{
    LabFigure *figure =
        lab_figure(lab, &(LabFigureDef){"bearing", "Bearing of a pendulum from 90 degrees (bullet3 #4451)", "t (s)",
                                        .y = "load along the rod (N)"});
    lab_curve(figure, LAB_LINES, "ours");
    measure_pendulum(lab, "minimal", "bearing load, minimal", "error of the bearing load over a swing, minimal",
                     figure);
    measure_pendulum(lab, "maximal", "bearing load, maximal", "error of the bearing load over a swing, maximal", NULL);
    lab_curve(figure, LAB_DASHED, "analytic at the bottom: 174.12");
    lab_point(figure, 0.0, 174.12);
    lab_point(figure, 3.0, 174.12);
    lab_curve(figure, LAB_DASHED, "Bullet at the bottom: 289.44");
    lab_point(figure, 0.0, 289.44);
    lab_point(figure, 3.0, 289.44);
    lab_measured(lab, "error of the force through the weld, minimal", weld_error(lab, "minimal"));
    lab_measured(lab, "error of the force through the weld, maximal", weld_error(lab, "maximal"));
    sensors_box(lab);
}

const Experiment experiment_published_sensors = {
    "published-sensors",
    "forces as sensors read them: pendulum, weld, pushed box (bullet3 #4451, gz-physics #565, gazebo-classic #3040)",
    0.3, 0.3, run};
