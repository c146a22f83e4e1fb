/* heavy_grasp.c - see heavy_grasp.h. */
#include "heavy_grasp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARM_KP 2e4                      /* N m/rad, of the arm's drives */
#define ARM_KD 1e3                      /* N m s/rad */
#define ARM_SWING 0.4                   /* rad */
#define ARM_RATE 3.14159265358979323846 /* rad/s: half a turn a second */
#define P 1.0                           /* N m/rad */
#define D 0.04                          /* N m s/rad */
#define CLOSE 2.0                       /* s in which the hand closes, and in which the grasp then comes to rest */
#define SETTLE 8.0

/* The joints, where they begin, and where they are sent: sideways so that the fingers go round the cylinder at right
   angles; the others beyond its surface. */
static const struct {
    const char *name;
    double start, target; /* rad */
} joints[GRASP_JOINTS] = {
    {"f0_j0", 0.4854, 0.4854}, {"f0_j1", 1.2, 2.0}, {"f0_j2", 0.8, 2.0},       {"f1_j0", 0.4854, 0.4854},
    {"f1_j1", 1.2, 2.0},       {"f1_j2", 0.8, 2.0}, {"f2_j0", 0.4854, 0.4854}, {"f2_j1", 1.2, 2.0},
    {"f2_j2", 0.8, 2.0},       {"f3_j0", 0.0, 0.0}, {"f3_j1", 0.2, 4.0},       {"f3_j2", 0.3, 3.0},
};

/* ------------------------------------------------------------------ model */

/* Text with every `what` made `with`, freed by the caller; NULL: no memory. */
static char *replaced(const char *text, const char *what, const char *with)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at += strlen(what))
        count++;
    char *out = malloc(strlen(text) + count * strlen(with) + 1), *to = out;
    if (out == NULL)
        return NULL;
    for (const char *at; (at = strstr(text, what)) != NULL; text = at + strlen(what)) {
        memcpy(to, text, (size_t)(at - text));
        to += at - text;
        memcpy(to, with, strlen(with));
        to += strlen(with);
    }
    memcpy(to, text, strlen(text) + 1);
    return out;
}

/* A whole file of at most a quarter of a megabyte, freed by the caller; NULL: it cannot be read. */
static char *file_text(const char *path)
{
    const size_t most = 1 << 18;
    FILE *file = fopen(path, "rb");
    char *text = file ? calloc(1, most) : NULL;
    bool read = text && fread(text, 1, most - 1, file) > 0;
    if (file)
        fclose(file);
    if (!read) {
        free(text);
        text = NULL;
    }
    return text;
}

/* The hand's file, with another damping in all joints. */
static RgStatus read_hand(RgBuilder *b, const char *path, const RgReadOptions *options, double damping, RgError *error)
{
    char element[64];
    snprintf(element, sizeof element, "<damping>%g</damping>", damping);
    char *text = file_text(path), *changed = text ? replaced(text, "<damping>1</damping>", element) : NULL;
    RgStatus status = RG_ERR_FILE;
    if (changed)
        status = rg_read_memory(b, path, changed, strlen(changed), options, error);
    else
        snprintf(error->text, sizeof error->text, "%s cannot be read", path);
    free(text);
    free(changed);
    return status;
}

/* The world's axes at the palm's origin, seen from it. */
static RgPose world_axes(RgPose X_WP)
{
    RgPose out = {.p = {0.0, 0.0, 0.0}};
    for (int k = 0; k < 9; k++)
        out.R.m[k / 3][k % 3] = X_WP.R.m[k % 3][k / 3];
    return out;
}

/* Three hinges about the world's x from a point 0.6 m behind the palm to it, straight at 0. R_WP: axes of the palm. */
static void add_arm(RgBuilder *b, RgPose X_WP)
{
    static const char *const names[ARM_JOINTS] = {"shoulder", "elbow", "wrist"};
    RgLinkId last = {0}, palm = rg_builder_find_link(b, "hand", "palm");
    RgPose place = {.R = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}}, .p = X_WP.p};
    place.p.y -= 0.6;
    for (int k = 0; k < ARM_JOINTS; k++) {
        RgJointDef joint = rg_joint_def_default();
        joint.name = names[k];
        joint.type = RG_JOINT_continuous;
        joint.axis = (RgVec3){1.0, 0.0, 0.0};
        joint.parent = last;
        joint.X_PJ = place;
        joint.child = palm;
        if (k < ARM_JOINTS - 1) {
            RgLinkDef link = rg_link_def_default();
            link.name = k == 0 ? "upper_arm" : "forearm";
            link.inertia =
                (RgInertia){.mass = 2.0, .com = {0.0, 0.15, 0.0}, .I = {.xx = 0.016, .yy = 0.002, .zz = 0.016}};
            joint.child = last = rg_builder_add_link(b, &link);
            place.p = (RgVec3){0.0, 0.3, 0.0};
        } else {
            joint.X_CJ = world_axes(X_WP);
        }
        rg_builder_add_joint(b, &joint);
    }
}

void grasp_move_arm(const Grasp *g, RgWorld *world, double t)
{
    static const double share[ARM_JOINTS] = {1.0, 0.0, -1.0};
    double phase = ARM_RATE * t;
    for (int k = 0; k < ARM_JOINTS && g->on_arm; k++) {
        RgDrive drive = rg_drive_default();
        drive.kp = ARM_KP;
        drive.kd = ARM_KD;
        drive.position = 0.5 * ARM_SWING * share[k] * (1.0 - cos(phase));
        drive.velocity = 0.5 * ARM_SWING * share[k] * ARM_RATE * sin(phase);
        drive.time = t;
        rg_world_set_joint_drive(world, g->arm[k], 0, &drive);
    }
}

/* Axes of the palm (x along the fingers, z out of it) stand so that a bar across the fingers is upright: the world's x
   is the palm's (1, 1, 0), its y the palm's z, its z the palm's (1, -1, 0). */
static RgModel *hand_and_cylinder(Lab *lab, double damping, bool on_arm)
{
    const double r = sqrt(0.5);
    RgBuilder *b = rg_builder_create(NULL, NULL);
    RgError error;
    RgReadOptions hand = rg_read_options_default(), cylinder = rg_read_options_default();
    hand.base = on_arm ? RG_BASE_FLOATING : RG_BASE_FIXED;
    hand.X_WM = (RgPose){.R = {{{r, r, 0.0}, {0.0, 0.0, 1.0}, {r, -r, 0.0}}}, .p = {0.0, 0.0, 0.9407}};
    cylinder.X_WM.p = (RgVec3){0.099, 0.052, 1.0};
    RgStatus status = read_hand(b, lab_model(lab, "hand.sdf"), &hand, damping, &error);
    if (status == RG_OK)
        status = rg_read_file(b, lab_model(lab, "heavy_cylinder.sdf"), &cylinder, &error);
    if (status == RG_OK && on_arm)
        add_arm(b, hand.X_WM);
    RgModel *model = status == RG_OK ? rg_builder_finish(b, &error) : NULL;
    if (model == NULL)
        lab_fail(lab, "the grasp cannot be read: %s", error.text);
    rg_builder_destroy(b);
    return model;
}

/* ------------------------------------------------------------------ control */

static void squeeze(const RgModel *model, const RgInputState *state, RgInput *input, void *context)
{
    (void)model;
    const Grasp *g = context;
    for (int k = 0; k < GRASP_JOINTS; k++)
        input->tau[g->v[k]] += P * (g->target[k] - state->q[g->q[k]]) - D * state->v[g->v[k]];
}

/* While it is held the object neither turns nor rises or sinks. */
static int hold(const RgModel *model, const RgInputState *state, const RgUserView *view, RgUserRow *rows, int capacity,
                void *context)
{
    (void)model;
    (void)state;
    (void)view;
    const Grasp *g = context;
    const RgForce J[4] = {
        {.n = {1.0, 0.0, 0.0}}, {.n = {0.0, 1.0, 0.0}}, {.n = {0.0, 0.0, 1.0}}, {.f = {0.0, 0.0, 1.0}}};
    int count = g->held && capacity >= 4 ? 4 : 0;
    for (int k = 0; k < count; k++)
        rows[k] = (RgUserRow){.nlinks = 1, .link = {g->object}, .J = {J[k]}, .low = -INFINITY, .high = INFINITY};
    return count;
}

static RgWorldDef grasp_def(Grasp *g)
{
    RgWorldDef def = rg_world_def_default();
    def.model = g->model;
    def.input = squeeze;
    def.input_context = g;
    return def;
}

/* ------------------------------------------------------------------ closing */

static bool advance(Lab *lab, RgWorld *world, double time)
{
    for (int i = 0; i < (int)(time / GRASP_H); i++)
        if (rg_world_step(world, GRASP_H, NULL) != RG_OK) {
            lab_fail(lab, "the hand cannot be closed: %s", rg_status_text(rg_world_last_report(world)->status));
            return false;
        }
    return true;
}

static bool close_hand(Lab *lab, Grasp *g)
{
    RgWorldDef def = grasp_def(g);
    RgContactLaw law = rg_contact_law_for("cone");
    law.contact_erp = 0.2;
    def.law = &law;
    def.solver = "cone";
    def.user_rows = hold;
    def.user_rows_context = g;
    def.max_user_rows = 4;
    RgWorld *world = lab_world_create(lab, &def);
    if (world == NULL)
        return false;
    for (int k = 0; k < GRASP_JOINTS; k++)
        rg_world_set_joint_position(world, rg_model_find_joint(g->model, joints[k].name), &joints[k].start);
    grasp_move_arm(g, world, 0.0);
    g->held = true;
    bool done = advance(lab, world, CLOSE);
    g->held = false;
    done = done && advance(lab, world, SETTLE);
    memcpy(g->closed, rg_world_q(world), (size_t)rg_model_info(g->model).nq * sizeof *g->closed);
    rg_world_destroy(world);
    return done;
}

bool grasp_begin(Lab *lab, Grasp *g, double damping, bool on_arm)
{
    static const char *const arm[ARM_JOINTS] = {"shoulder", "elbow", "wrist"};
    *g = (Grasp){.model = hand_and_cylinder(lab, damping, on_arm), .on_arm = on_arm};
    if (g->model == NULL)
        return false;
    g->palm = rg_model_find_link(g->model, "palm");
    for (int k = 0; k < ARM_JOINTS && on_arm; k++)
        g->arm[k] = rg_model_find_joint(g->model, arm[k]);
    g->object = rg_model_find_link(g->model, "cylinder");
    for (int k = 0; k < GRASP_JOINTS; k++) {
        RgJointInfo joint = rg_model_joint(g->model, rg_model_find_joint(g->model, joints[k].name));
        g->q[k] = joint.q_index;
        g->v[k] = joint.v_index;
        g->target[k] = joints[k].target;
    }
    return close_hand(lab, g);
}

void grasp_end(Grasp *g)
{
    rg_model_destroy(g->model);
    g->model = NULL;
}

RgWorld *grasp_world(Lab *lab, Grasp *g, const char *coords, const char *solver, const LabPgs *pgs)
{
    RgWorldDef def = grasp_def(g);
    def.coords = coords;
    def.solver = solver;
    lab_use_pgs(&def, pgs);
    RgWorld *world = lab_world_create(lab, &def);
    if (world)
        rg_world_set_state(world, g->closed, NULL);
    return world;
}
