/*
 * published-grasp: the largest step at which an arm with a hand of five fingers still holds a capsule (after Erez,
 * Tassa and Todorov, 2015).
 *
 *   29 joints with soft drives, tau = kp (target - q) - kd dq/dt taken at the end of the step, and a free capsule: 35 degrees of freedom
 *   0 ... 1 s   the hand closes about the capsule, which is kept upright and at its height
 *   1 ... 6 s   it is let go; the shoulder swings by +-0.2 rad every 2 s
 *
 * Held: the capsule's centre has moved by less than 1 cm in the palm since it was let go, and no step was refused.
 * Steps are tried from large to small by factors of two; the largest counts that holds together with the next two.
 */
#include "experiment.h"

#include <math.h>
#include <stdio.h>

#define LET_GO 1.0 /* s */
#define END 6.0
#define HELD 0.01      /* m */
#define STEPS_TRIED 14 /* from 256 ms down to 1/32 ms */
static const double PI = 3.14159265358979323846;

/* Fingers and thumb are sent beyond the surface; the arm holds its pose. */
typedef struct Drive {
    const char *joint;
    double start, target, kp, kd; /* rad, N m/rad, N m s/rad */
} Drive;

static const Drive drives[] = {
    {"shoulder_yaw", 0, 0, 3000, 100}, {"shoulder_pitch", 0, 0, 3000, 100}, {"elbow_yaw", 0, 0, 3000, 100},
    {"elbow_pitch", 0, 0, 3000, 100},  {"forearm_roll", 0, 0, 300, 10},     {"wrist_yaw", 0, 0, 300, 10},
    {"wrist_pitch", 0, 0, 300, 10},    {"little_palm", 0, 0, 5, 0.07},      {"finger0_side", 0, 0, 5, 0.07},
    {"finger1_side", 0, 0, 5, 0.07},   {"finger2_side", 0, 0, 5, 0.07},     {"finger3_side", 0, 0, 5, 0.07},
    {"finger0_1", 0.9, 1.8, 1, 0.04},  {"finger1_1", 0.9, 1.8, 1, 0.04},    {"finger2_1", 0.9, 1.8, 1, 0.04},
    {"finger3_1", 0.9, 1.8, 1, 0.04},  {"finger0_2", 0.6, 1.6, 1, 0.04},    {"finger1_2", 0.6, 1.6, 1, 0.04},
    {"finger2_2", 0.6, 1.6, 1, 0.04},  {"finger3_2", 0.6, 1.6, 1, 0.04},    {"finger0_3", 0.3, 1.2, 1, 0.04},
    {"finger1_3", 0.3, 1.2, 1, 0.04},  {"finger2_3", 0.3, 1.2, 1, 0.04},    {"finger3_3", 0.3, 1.2, 1, 0.04},
    {"thumb_roll", 0, 0, 5, 0.07},     {"thumb_side", 0, 0, 5, 0.07},       {"thumb_1", 0, 1.2, 1, 0.04},
    {"thumb_2", 0, 1.6, 1, 0.04},      {"thumb_3", 0, 1.6, 1, 0.04},
};
#define NDRIVES ((int)(sizeof drives / sizeof drives[0]))

/* A solver in a form. */
typedef struct Way {
    const char *row, *coords, *solver, *preset; /* preset NULL: the solver's own options */
} Way;

typedef struct Scene {
    RgModel *model;
    RgLinkId capsule, palm;
    bool kept; /* upright and at its height */
} Scene;

/* ------------------------------------------------------------------ model and control */

static bool read_scene(Lab *lab, Scene *s)
{
    RgBuilder *b = rg_builder_create(NULL, NULL);
    RgError error;
    RgReadOptions capsule = rg_read_options_default();
    capsule.X_WM.p = (RgVec3){0.622, 0.037, 1.0};
    RgStatus status = rg_read_file(b, lab_model(lab, "arm_hand.sdf"), NULL, &error);
    if (status == RG_OK)
        status = rg_read_file(b, lab_model(lab, "held_capsule.sdf"), &capsule, &error);
    s->model = status == RG_OK ? rg_builder_finish(b, &error) : NULL;
    rg_builder_destroy(b);
    if (s->model == NULL) {
        lab_fail(lab, "the grasp cannot be read: %s", error.text);
        return false;
    }
    s->capsule = rg_model_find_link(s->model, "capsule");
    s->palm = rg_model_find_link(s->model, "palm");
    return true;
}

static int keep(const RgModel *model, const RgInputState *state, const RgUserView *view, RgUserRow *rows, int capacity,
                void *context)
{
    (void)model;
    (void)state;
    (void)view;
    const Scene *s = context;
    const RgForce J[4] = {
        {.n = {1.0, 0.0, 0.0}}, {.n = {0.0, 1.0, 0.0}}, {.n = {0.0, 0.0, 1.0}}, {.f = {0.0, 0.0, 1.0}}};
    int count = s->kept && capacity >= 4 ? 4 : 0;
    for (int k = 0; k < count; k++)
        rows[k] = (RgUserRow){.nlinks = 1, .link = {s->capsule}, .J = {J[k]}, .low = -INFINITY, .high = INFINITY};
    return count;
}

static void set_drive(RgWorld *world, const Drive *d, double position, double velocity)
{
    RgDrive drive = rg_drive_default();
    drive.position = position;
    drive.velocity = velocity;
    drive.time = rg_world_time(world);
    drive.kp = d->kp;
    drive.kd = d->kd;
    rg_world_set_joint_drive(world, rg_model_find_joint(rg_world_model(world), d->joint), 0, &drive);
}

static RgWorld *start(Lab *lab, Scene *s, const Way *way)
{
    LabPgs options;
    RgWorldDef def = rg_world_def_default();
    def.model = s->model;
    def.coords = way->coords;
    def.solver = way->solver;
    if (way->preset) {
        options = lab_pgs(way->preset);
        lab_use_pgs(&def, &options);
    }
    def.user_rows = keep;
    def.user_rows_context = s;
    def.max_user_rows = 4;
    RgWorld *world = lab_world_create(lab, &def);
    s->kept = true;
    for (int k = 0; world && k < NDRIVES; k++) {
        rg_world_set_joint_position(world, rg_model_find_joint(s->model, drives[k].joint), &drives[k].start);
        set_drive(world, &drives[k], drives[k].target, 0.0);
    }
    return world;
}

/* The shoulder's target over the next step. */
static void swing(RgWorld *world)
{
    double t = rg_world_time(world) - LET_GO;
    set_drive(world, &drives[0], 0.2 * sin(PI * t), 0.2 * PI * cos(PI * t));
}

/* ------------------------------------------------------------------ a run */

/* The capsule's centre in the palm. */
static RgVec3 place(RgWorld *world, const Scene *s)
{
    RgPose palm = rg_world_link_pose(world, s->palm);
    RgVec3 p = rg_world_link_pose(world, s->capsule).p;
    double d[3] = {p.x - palm.p.x, p.y - palm.p.y, p.z - palm.p.z}, out[3] = {0.0};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out[k] += palm.R.m[i][k] * d[i];
    return (RgVec3){out[0], out[1], out[2]};
}

/* m that the capsule moved in the palm at most after it was let go; infinite: a step was refused. */
static double slip(Lab *lab, Scene *s, const Way *way, double h, const char *film_name)
{
    RgWorld *world = start(lab, s, way);
    if (world == NULL)
        return (double)NAN;
    LabFilm *film =
        film_name ? lab_film(lab, film_name, "an arm holds a capsule and swings, step 16 ms", world, 0.0) : NULL;
    double moved = 0.0;
    RgVec3 from = place(world, s);
    for (int i = 0; i < (int)(END / h); i++) {
        if (s->kept && rg_world_time(world) > LET_GO - h / 2) {
            s->kept = false;
            from = place(world, s);
        }
        if (!s->kept)
            swing(world);
        if (rg_world_step(world, h, NULL) != RG_OK) {
            moved = INFINITY;
            break;
        }
        lab_film_step(film, world);
        RgVec3 p = place(world, s);
        double distance =
            sqrt((p.x - from.x) * (p.x - from.x) + (p.y - from.y) * (p.y - from.y) + (p.z - from.z) * (p.z - from.z));
        moved = s->kept ? 0.0 : fmax(moved, distance);
        if (!(moved < 1.0))
            break;
    }
    lab_film_end(film);
    rg_world_destroy(world);
    return moved;
}

/* Largest step that holds with the two below it, ms; NaN: none. All steps down to least are tried where it is to be
   drawn. */
static double largest_step(Lab *lab, Scene *s, const Way *way, double least, LabFigure *figure)
{
    double found = (double)NAN;
    int holding = 0;
    lab_curve(figure, LAB_LINES_POINTS, "%s", way->row);
    for (int k = 0; k < STEPS_TRIED; k++) {
        double h = ldexp(0.256, -k);
        if (holding >= 3 && h < least * 0.999)
            break;
        double moved = slip(lab, s, way, h, NULL);
        lab_point(figure, 1e3 * h, isfinite(moved) ? 1e3 * fmin(moved, 1.0) : 1e3);
        holding = moved < HELD ? holding + 1 : 0;
        if (holding == 3 && isnan(found))
            found = 1e3 * 4.0 * h;
        found = holding == 0 ? (double)NAN : found;
    }
    return found;
}

/* ------------------------------------------------------------------ all of them */

static void draw_published(LabFigure *figure)
{
    static const struct {
        const char *engine;
        double h; /* ms */
    } published[] = {{"MuJoCo 2015", 16.0}, {"PhysX 2015", 2.0}, {"ODE 2015", 0.25}, {"Bullet 2015", 0.03}};
    for (int k = 0; k < 4; k++) {
        lab_curve(figure, LAB_DASHED, "%s: largest step", published[k].engine);
        lab_point(figure, published[k].h, 1e-3);
        lab_point(figure, published[k].h, 1e3);
    }
}

static void run(Lab *lab)
{
    static const Way ways[] = {
        {"quick, minimal", "minimal", "quick", NULL},     {"quick, maximal", "maximal", "quick", NULL},
        {"cone, minimal", "minimal", "cone", NULL},       {"cone, maximal", "maximal", "cone", NULL},
        {"pgs, minimal", "minimal", "pgs", NULL},         {"pgs, maximal", "maximal", "pgs", NULL},
        {"pgs as ODE, minimal", "minimal", "pgs", "ode"}, {"pgs as ODE, maximal", "maximal", "pgs", "ode"},
    };
    Scene scene = {.model = NULL};
    if (!read_scene(lab, &scene))
        return;
    LabFigure *figure =
        lab_figure(lab, &(LabFigureDef){"slip", "a capsule in a swinging hand: slip against step", "step (ms)",
                                        "moved in the palm (mm)", .log_x = true, .log_y = true});
    double least = lab_quick(lab) ? 1.0 : 2e-3;
    /* The last one needs steps far below a millisecond. */
    int count = (int)(sizeof ways / sizeof ways[0]) - (lab_quick(lab) ? 1 : 0);
    for (int k = 0; k < count; k++) {
        double step = largest_step(lab, &scene, &ways[k], least, figure);
        lab_measured(lab, ways[k].row, step);
        lab_progress(lab, (k + 1.0) / (count + 1));
    }
    draw_published(figure);
    lab_measured(lab, "degrees of freedom", rg_model_info(scene.model).nv);
    double fine = slip(lab, &scene, &ways[0], 1e-3, NULL), film = slip(lab, &scene, &ways[0], 16e-3, "held");
    lab_say(lab,
            "quick, minimal form: the capsule moves by %.3g mm in the palm at steps of 1 ms, by %.3g mm at "
            "16 ms.",
            1e3 * fine, 1e3 * film);
    rg_model_destroy(scene.model);
}

const Experiment experiment_published_grasp = {
    "published-grasp", "largest step at which a hand still holds a capsule, beside other engines (Erez et al. 2015)",
    45.0, 8.0, run};
