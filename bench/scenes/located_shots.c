/* located_shots.c - the shots and their evaluation: see located_shots.h. */
#include "located_shots.h"

#include <stdio.h>

#define SHEET 1e-3     /* m thick */
#define POST 0.5e-3    /* m radius */
#define STEEL 7800.0   /* kg/m^3 */
#define CLEAR 1e-4     /* m: what comes nearer than this without going as deep is neither a hit nor a pass */
#define LINKS 20       /* of the chain */
#define LENGTH 5.0     /* m of each */
#define CHAIN_TIME 7.0 /* s */
#define STANDS 5e-8    /* m above the ground */

const char *const shot_names[SHOT_KINDS] = {"fixed-sheet", "free-sheet", "gate", "swing", "chain"};

/* ------------------------------------------------------------------ bullets */

/* A bullet of the kind, and how far it reaches along x at that attitude. */
static RgShapeDef draw_bullet(Draw *d, const RgMat3 *R, double *reach)
{
    RgVec3 x = vec(fabs(R->m[0][0]), fabs(R->m[0][1]), fabs(R->m[0][2]));
    switch (draw_below(d, 3)) {
    case 0:
        *reach = 5e-3;
        return located_sphere(5e-3);
    case 1:
        *reach = 0.5 * (0.02 * x.x + 0.01 * x.y + 0.008 * x.z);
        return located_box(0.02, 0.01, 0.008);
    default:
        *reach = 4e-3 + 0.01 * x.z;
        return located_capsule(4e-3, 0.02);
    }
}

static Shot bullet(ShotKind kind, double speed, double h, Draw *d)
{
    Shot shot = {.kind = kind, .link = {1}, .v = {speed, 0.0, 0.0}};
    RgPose X = draw_pose(d, 0.0);
    double reach;
    RgShapeDef shape = draw_bullet(d, &X.R, &reach);

    /* It touches at any moment of the first or second step, but begins a few centimetres away. */
    shot.touch = fmax((0.3 + draw_between(d, 0.0, 1.0)) * h, 0.03 / speed);
    X.p = vec(-reach - speed * shot.touch, draw_between(d, -0.2, 0.2), draw_between(d, 0.4, 0.6));
    shot.end = shot.touch + 3.0 * h;

    RgBuilder *b = rg_builder_create(NULL, NULL);
    located_add_body(b, "bullet", &shape, STEEL, X);
    RgShapeDef sheet = located_box(SHEET, 1.0, 1.0);
    if (kind == SHOT_FREE) {
        shot.gravity = vec(0.0, 0.0, -9.81);
        shot.sheet = located_add_body(b, "sheet", &sheet, STEEL, place_at(0.5 * SHEET, 0.0, 0.5 + STANDS));
        located_add_plane(b, vec(0.0, 0.0, 0.0), vec(0.0, 0.0, 1.0), 0.5);
    } else {
        located_add_fixed(b, &sheet, place_at(0.5 * SHEET, 0.0, 0.5));
    }
    shot.model = located_finish(b);
    return shot;
}

/* ------------------------------------------------------------------ plates through a gate */

/* The plate from above: at x with its long side turned by angle. */
typedef struct Plate {
    double x0, angle0, v, w;
} Plate;

/* Signed distance, to what matters here, between the plate and the post at (0, y). */
static double plate_distance(const Plate *plate, double t, double y)
{
    double x = -(plate->x0 + plate->v * t), angle = plate->angle0 + plate->w * t, c = cos(angle), s = sin(angle);
    double u = fabs(c * x + s * y) - 0.2, v = fabs(-s * x + c * y) - 0.5 * SHEET;
    double outside = sqrt(fmax(u, 0.0) * fmax(u, 0.0) + fmax(v, 0.0) * fmax(v, 0.0));
    return outside + fmin(fmax(u, v), 0.0) - POST;
}

/* First touch until `until`: advances by what the fastest point can not pass. NaN: none. grazes: too close to tell. */
static double plate_touch(const Plate *plate, double until, bool *grazes)
{
    double fastest = plate->v + fabs(plate->w) * 0.21, touch = (double)NAN, least = 1.0;
    for (double t = 0.0; t < until;) {
        double d = fmin(plate_distance(plate, t, -0.1), plate_distance(plate, t, 0.1));
        least = fmin(least, d);
        if (d < 1e-7 && isnan(touch))
            touch = t;
        if (d < -CLEAR)
            break;
        t += fmax(d, 1e-6) / fastest;
    }
    *grazes = fabs(least) < CLEAR && least > -CLEAR;
    return touch;
}

static Shot plate_at_gate(double h, Draw *d)
{
    Plate plate;
    Shot shot = {.kind = SHOT_GATE, .link = {1}};
    bool grazes = true;
    while (grazes) {
        double turns = draw_between(d, 0.1, 3.0); /* a step */
        plate.w = draw_chance(d, 0.5) ? 2.0 * TEST_PI * turns / h : -2.0 * TEST_PI * turns / h;
        plate.v = fabs(plate.w) * draw_between(d, 0.02, draw_chance(d, 0.3) ? 0.3 : 3.0);
        plate.angle0 = draw_between(d, 0.0, TEST_PI);
        plate.x0 = -0.25 - plate.v * h * draw_between(d, 0.0, 1.0);
        shot.touch = plate_touch(&plate, (0.25 - plate.x0) / plate.v, &grazes);
    }
    shot.end = (isnan(shot.touch) ? (0.25 - plate.x0) / plate.v : shot.touch) + 3.0 * h;
    shot.v = vec(plate.v, 0.0, 0.0);
    shot.w = vec(0.0, 0.0, plate.w);

    RgBuilder *b = rg_builder_create(NULL, NULL);
    RgShapeDef box = located_box(0.4, SHEET, 0.2), post = located_capsule(POST, 1.0);
    shot.start = (RgPose){mat_turn(vec(0.0, 0.0, 1.0), plate.angle0), {plate.x0, 0.0, 0.0}};
    shot.pivot = shot.start.p;
    located_add_body(b, "plate", &box, STEEL, shot.start);
    located_add_fixed(b, &post, place_at(0.0, -0.1, 0.0));
    located_add_fixed(b, &post, place_at(0.0, 0.1, 0.0));
    shot.model = located_finish(b);
    return shot;
}

/* ------------------------------------------------------------------ a rod past a post */

static Shot rod_past_post(double h, Draw *d)
{
    const double half = 1e-3, at = 0.8; /* m: of the rod's thickness; where the post stands */
    Shot shot = {.kind = SHOT_SWING, .link = {1}};
    double angle = draw_between(d, TEST_PI / 3.0, 2.0 * TEST_PI / 3.0);
    shot.rate = TEST_PI / h * draw_between(d, 0.7, 1.3);

    /* The rod's side meets the post when its middle line is this far before it. */
    shot.touch = (angle - asin((half + POST) / at)) / shot.rate;
    shot.start = place_at(0.5, 0.0, 0.0);
    shot.end = shot.touch + 3.0 * h;

    RgBuilder *b = rg_builder_create(NULL, NULL);
    RgShapeDef rod = located_box(1.0, 2.0 * half, 2.0 * half), post = located_capsule(POST, 1.0);
    RgJointDef hinge = rg_joint_def_default();
    hinge.name = "hinge";
    hinge.type = RG_JOINT_continuous;
    hinge.child = located_add_body(b, "rod", &rod, STEEL, shot.start);
    hinge.X_CJ = place_at(-0.5, 0.0, 0.0);
    hinge.axis = vec(0.0, 0.0, 1.0);
    rg_builder_add_joint(b, &hinge);
    located_add_fixed(b, &post, place_at(at * cos(angle), at * sin(angle), 0.0));
    shot.model = located_finish(b);
    return shot;
}

/* ------------------------------------------------------------------ a chain onto a sheet */

static double lowest_of_chain(RgWorld *world)
{
    double lowest = 0.0;
    for (int i = 1; i <= LINKS; i++) {
        RgPose X = rg_world_link_pose(world, (RgLinkId){i});
        double reach = 0.5 * LENGTH * fabs(X.R.m[1][0]) + 0.05 * (fabs(X.R.m[1][1]) + fabs(X.R.m[1][2]));
        lowest = fmin(lowest, X.p.y - reach);
    }
    return lowest;
}

/* Time at which the chain without contact would be at that height. */
static double chain_touch(const RgModel *model, double height)
{
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    def.stepper = "rk4";
    def.contact = false;
    def.gravity = vec(0.0, -9.81, 0.0);
    RgWorld *world = rg_world_create(&def, NULL);
    double t = (double)NAN;
    while (world != NULL && isnan(t) && rg_world_time(world) < CHAIN_TIME && rg_world_step(world, 2e-3, NULL) == RG_OK)
        t = lowest_of_chain(world) < height ? rg_world_time(world) : (double)NAN;
    rg_world_destroy(world);
    return t;
}

static void add_link(RgBuilder *b, int i, RgLinkId *last)
{
    RgShapeDef bar = located_box(LENGTH, 0.1, 0.1);
    char name[16];
    snprintf(name, sizeof name, "link%d", i);
    RgLinkDef link = rg_link_def_default();
    link.name = name;
    link.group = "chain";
    link.X_WL = place_at((i + 0.5) * LENGTH, 0.0, 0.0);
    rg_shape_inertia(&bar, 1000.0, &link.inertia);
    bar.link = rg_builder_add_link(b, &link);
    rg_builder_add_shape(b, &bar);
    RgJointDef hinge = rg_joint_def_default();
    hinge.name = name;
    hinge.type = RG_JOINT_continuous;
    hinge.parent = *last;
    hinge.child = bar.link;
    hinge.X_PJ = i > 0 ? place_at(0.5 * LENGTH, 0.0, 0.0) : place_at(0.0, 0.0, 0.0);
    hinge.X_CJ = place_at(-0.5 * LENGTH, 0.0, 0.0);
    hinge.axis = vec(0.0, 0.0, 1.0);
    rg_builder_add_joint(b, &hinge);
    *last = bar.link;
}

static Shot chain_onto_sheet(double h, Draw *d)
{
    Shot shot = {.kind = SHOT_CHAIN, .link = {LINKS}, .gravity = {0.0, -9.81, 0.0}};
    RgBuilder *b = rg_builder_create(NULL, NULL);
    RgShapeDef sheet = located_box(260.0, SHEET, 10.0);
    RgLinkId last = {0};
    for (int i = 0; i < LINKS; i++)
        add_link(b, i, &last);
    double height = -draw_between(d, 60.0, 90.0);
    located_add_fixed(b, &sheet, place_at(0.0, height - 0.5 * SHEET, 0.0));
    shot.floor = height - SHEET;
    shot.model = located_finish(b);
    shot.touch = chain_touch(shot.model, height);
    shot.end = shot.touch + 0.5 + 3.0 * h;
    return shot;
}

/* ------------------------------------------------------------------ any shot */

Shot shot_create(ShotKind kind, double speed, double h, Draw *draw)
{
    switch (kind) {
    case SHOT_GATE:
        return plate_at_gate(h, draw);
    case SHOT_SWING:
        return rod_past_post(h, draw);
    case SHOT_CHAIN:
        return chain_onto_sheet(h, draw);
    default:
        return bullet(kind, speed, h, draw);
    }
}

void shot_destroy(Shot *shot)
{
    rg_model_destroy(shot->model);
}

void shot_start(const Shot *shot, RgWorld *world)
{
    if (shot->kind == SHOT_SWING)
        rg_world_set_joint_rate(world, (RgJointId){1}, &shot->rate);
    else if (shot->kind != SHOT_CHAIN)
        located_set_twist(world, shot->link, shot->w, shot->v);
}

static RgPose sheet_pose(const Shot *shot, RgWorld *world)
{
    return shot->sheet.i > 0 ? rg_world_link_pose(world, shot->sheet) : place_at(0.5 * SHEET, 0.0, 0.5);
}

/* Bullet in the frame of the sheet. A sheet faces x until it is hit; one that has turned away by more than a right
   angle was hit, and its sides tell no more on which one the bullet was. */
static RgVec3 before_sheet(const Shot *shot, RgWorld *world)
{
    RgPose X = sheet_pose(shot, world);
    if (X.R.m[0][0] <= 0.0)
        return vec(-1.0, 0.0, 0.0);
    return place_point(place_inverse(X), rg_world_link_pose(world, shot->link).p);
}

/* From before the sheet to behind it within its borders, in the step that it touches in or the next. */
static bool passes(RgVec3 a, RgVec3 b)
{
    if (a.x >= 0.0 || b.x <= 0.0)
        return false;
    double part = -a.x / (b.x - a.x);
    RgVec3 p = vec_add(a, vec_scale(part, vec_sub(b, a)));
    return fabs(p.y) < 0.5 && fabs(p.z) < 0.5;
}

/* Whether the body is where it would be without contact: it turns about z through `pivot`, which moves along x. */
static bool is_where_free(const Shot *shot, RgWorld *world, double t)
{
    double w = shot->kind == SHOT_SWING ? shot->rate : shot->w.z;
    RgMat3 turn = mat_turn(vec(0.0, 0.0, 1.0), w * t);
    RgVec3 p =
        vec_add(mat_apply(turn, vec_sub(shot->start.p, shot->pivot)), vec_add(shot->pivot, vec_scale(t, shot->v)));
    RgPose X = rg_world_link_pose(world, shot->link);
    return vec_distance(p, X.p) < 1e-6 && mat_distance(mat_mul(turn, shot->start.R), X.R) < 1e-6;
}

void shot_look(RgWorld *world, void *context)
{
    ShotJudge *judge = context;
    const Shot *shot = judge->shot;
    double t = rg_world_time(world), h = t - judge->t;
    bool first = !isnan(judge->t) && judge->t <= shot->touch && t > shot->touch + 0.01 * h, through = false;
    if (shot->kind == SHOT_CHAIN)
        through = lowest_of_chain(world) < shot->floor;
    else if (shot->kind > SHOT_FREE)
        through = first && is_where_free(shot, world, t);
    else {
        RgVec3 now = before_sheet(shot, world);
        through = !isnan(judge->t) && t < shot->touch + 2.0 * h && passes(judge->before, now);
        judge->before = now;
    }
    judge->went_through = judge->went_through || through;
    judge->t = t;
}

/* Whether it moves as without contact, except for gravity. */
static bool goes_on(const Shot *shot, RgWorld *world)
{
    if (shot->kind == SHOT_SWING) {
        double rate = 0.0;
        rg_world_joint_rate(world, (RgJointId){1}, &rate);
        return fabs(rate - shot->rate) < 1e-6 * fabs(shot->rate);
    }
    RgMotion V = rg_world_link_twist(world, shot->link);
    if (shot->kind == SHOT_GATE && vec_distance(V.w, shot->w) > 1e-6 * vec_norm(shot->w))
        return false;
    return fabs(V.v.x - shot->v.x) < 1e-6 * vec_norm(shot->v);
}

bool shot_missed(const ShotJudge *judge, RgWorld *world)
{
    if (judge->went_through)
        return true;
    return judge->shot->kind != SHOT_CHAIN && !isnan(judge->shot->touch) && goes_on(judge->shot, world);
}

bool shot_stopped_by_nothing(const ShotJudge *judge, RgWorld *world)
{
    return isnan(judge->shot->touch) && !goes_on(judge->shot, world);
}
