/*
 * test_random_scenes.c - random mechanisms under random demands: two to four chains of one to six links, masses from
 * 1e-3 to 1e3 kg, loops, limits exceeded at the start, attachments made and released, damping fields of 1e-3 to 1e12
 * 1/s, ground, steps of 0.1 to 20 ms, both forms, quick and cone.
 *
 * No state is ever NaN or infinite, attaching never gains kinetic energy, at most one scene in a hundred is refused
 * (linkages that cannot be closed where they are stretched), and in a step that the solver finishes and in which no body turns far the energy rises by
 * no more than
 *
 *   what the report says: corrections and restitution as far as the solver's work, projection, split impulse
 *   T (2 h w)^2 and, in joint coordinates, 10 h w T; g h sqrt(2 m T) + 2 m (g h)^2     the semi-implicit step
 *
 * T the kinetic energy, w the largest angular velocity, m the mass. RIGOR_RANDOM_SCENES=N: the first N scenes;
 * RIGOR_RANDOM_FIRST=K: from scene K on.
 */
#include "check_near.h"
#include "draw.h"
#include "scene_parts.h"
#include "worlds.h"

#include <stdlib.h>
#include <string.h>

#define SCENES 150
#define STEPS 40
#define MOST_LINKS 24
#define MOST_GRIPS 4

/* rad: a step in which some body turns farther is not judged by its energy. */
#define MOST_TURN 0.1

typedef struct Scene {
    int number;
    RgModel *model;
    RgLinkId link[MOST_LINKS];
    RgPose at[MOST_LINKS];
    int nlinks;
    double mass, gravity, h;
    bool contact, loops, limits, planar; /* planar: stretched chains with parallel axes, dead points */
} Scene;

/* Log-uniform. */
static double draw_power(Draw *d, double low, double high)
{
    return low * pow(high / low, draw_between(d, 0.0, 1.0));
}

/* ------------------------------------------------------------------ model */

static void add_shape(RgBuilder *b, Draw *d, RgLinkId link, RgVec3 size)
{
    enum { POINTS = 12 };
    static const RgShapeType types[] = {RG_SHAPE_sphere, RG_SHAPE_box, RG_SHAPE_polytope};
    double points[3 * POINTS];
    RgShapeDef shape = rg_shape_def_default();
    shape.link = link;
    shape.type = types[draw_below(d, 3)];
    shape.surface.mu = draw_between(d, 0.0, 1.0);
    shape.size[0] = shape.type == RG_SHAPE_sphere ? 0.5 * size.z : shape.type == RG_SHAPE_box ? size.x : 1.0;
    shape.size[1] = shape.type == RG_SHAPE_box ? size.y : 1.0;
    shape.size[2] = shape.type == RG_SHAPE_box ? size.z : 1.0;
    for (int i = 0; i < POINTS; i++) {
        RgVec3 p = draw_direction(d);
        points[3 * i] = 0.5 * size.x * p.x;
        points[3 * i + 1] = 0.5 * size.y * p.y;
        points[3 * i + 2] = 0.5 * size.z * p.z;
    }
    if (shape.type == RG_SHAPE_polytope)
        shape.mesh = (RgMeshData){.vertices = points, .nvertices = POINTS};
    rg_builder_add_shape(b, &shape);
}

static RgJointDef draw_joint(const Scene *s, Draw *d)
{
    static const RgJointType types[] = {RG_JOINT_revolute,  RG_JOINT_revolute,  RG_JOINT_revolute,   RG_JOINT_prismatic,
                                        RG_JOINT_spherical, RG_JOINT_universal, RG_JOINT_cylindrical};
    RgJointDef def = rg_joint_def_default();
    def.type = types[draw_below(d, s->planar ? 3 : 7)];
    def.axis = s->planar ? vec(0, 1, 0) : draw_direction(d);
    do
        def.axis2 = draw_direction(d);
    while (vec_norm(vec_cross(def.axis, def.axis2)) < 0.4);
    bool limits = s->limits && draw_chance(d, 0.5);
    for (int k = 0; k < 2 && limits; k++) {
        double middle = draw_between(d, -0.3, 0.3), half = draw_power(d, 1e-3, 1.0);
        def.dof[k].lower = middle - half;
        def.dof[k].upper = middle + half;
    }
    return def;
}

static void add_chain(Scene *s, RgBuilder *b, Draw *d, int number)
{
    int n = 1 + draw_below(d, 6);
    bool floats = n == 1 || draw_chance(d, s->loops ? 0.8 : 0.5);
    double mass = draw_power(d, 0.01, 100.0);
    RgPose X = {s->planar ? mat_identity() : mat_turn(draw_direction(d), draw_between(d, -3.0, 3.0)),
                vec(1.2 * number - 1.0, draw_between(d, -0.1, 0.1), draw_between(d, 0.3, 0.8))};
    for (int i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "%d_%d", number, i);
        RgVec3 size = vec(draw_between(d, 0.05, 0.3), draw_between(d, 0.05, 0.2), draw_between(d, 0.05, 0.15));
        double own = mass * draw_power(d, 0.1, 10.0);
        RgLinkId link = link_add_at(b, name, inertia_box(own, draw_vec(d, 0.05), size), X);
        if (s->contact && draw_chance(d, 0.6))
            add_shape(b, d, link, size);
        if (i > 0 || !floats) {
            RgJointDef joint = draw_joint(s, d);
            joint.name = name;
            joint.child = link;
            joint.parent = i > 0 ? s->link[s->nlinks - 1] : (RgLinkId){0};
            joint.X_PJ = i > 0 ? place_mul(place_inverse(s->at[s->nlinks - 1]), X) : X;
            joint_add(b, &joint);
        }
        s->mass += own;
        s->link[s->nlinks] = link;
        s->at[s->nlinks++] = X;
        RgPose step = {s->planar ? mat_identity() : mat_turn(draw_direction(d), draw_between(d, -1.0, 1.0)),
                       vec(draw_between(d, 0.1, 0.3), 0, 0)};
        X = place_mul(X, step);
    }
}

/* Up to three joints between the links from `first` on, closed as they stand. */
static void add_loops(Scene *s, RgBuilder *b, Draw *d, int first)
{
    int n = s->nlinks - first, count = n > 2 ? draw_below(d, 4) : 0;
    for (int i = 0; i < count; i++) {
        int one = first + draw_below(d, n), two = first + draw_below(d, n);
        char name[32];
        snprintf(name, sizeof name, "loop%d_%d", first, i);
        RgJointDef joint = draw_joint(s, d);
        joint.type = draw_chance(d, 0.2) ? RG_JOINT_fixed : joint.type;
        joint.name = name;
        joint.parent = s->link[one];
        joint.child = s->link[two];
        joint.X_PJ = (RgPose){mat_turn(draw_direction(d), draw_between(d, -1.0, 1.0)), draw_vec(d, 0.1)};
        joint.X_CJ = place_mul(place_inverse(s->at[two]), place_mul(s->at[one], joint.X_PJ));
        joint.may_close_loop = true;
        if (one != two)
            joint_add(b, &joint);
    }
}

static void build(Scene *s, Draw *d)
{
    RgBuilder *b = scene_begin("random");
    int chains = 2 + draw_below(d, 3);
    for (int i = 0; i < chains; i++) {
        int first = s->nlinks;
        add_chain(s, b, d, i);
        if (s->loops)
            add_loops(s, b, d, first);
    }
    RgShapeDef floor = rg_shape_def_default();
    floor.type = RG_SHAPE_halfspace;
    floor.surface.mu = 0.5;
    if (s->contact)
        rg_builder_add_shape(b, &floor);
    s->model = scene_end(b);
}

/* ------------------------------------------------------------------ world */

static int draw_fields(const Scene *s, Draw *d, RgFieldDef *fields)
{
    int n = draw_chance(d, 0.3) ? 1 + draw_below(d, 2) : 0;
    for (int i = 0; i < n; i++) {
        fields[i] = rg_field_def_default();
        fields[i].linear = draw_chance(d, 0.8) ? draw_power(d, 1e-3, 1e12) : 0.0;
        fields[i].angular = draw_chance(d, 0.8) ? draw_power(d, 1e-3, 1e12) : 0.0;
        for (int k = 0; k < 3; k++)
            fields[i].size[k] = draw_between(d, 0.5, 4.0);
        if (draw_chance(d, 0.3))
            fields[i].link = s->link[draw_below(d, s->nlinks)];
    }
    return n;
}

static RgWorld *make(Scene *s, Draw *d)
{
    RgFieldDef fields[2];
    RgWorldDef def = world_def(s->model, both_forms[draw_below(d, 2)], "semi-implicit");
    def.solver = draw_chance(d, 0.7) ? "quick" : "cone";
    def.gravity = vec(0, 0, -s->gravity);
    def.fields = fields;
    def.nfields = draw_fields(s, d, fields);
    def.max_attachments = MOST_GRIPS;
    RgWorld *world = world_make(&def);
    double v[6 * MOST_LINKS];
    for (int i = 0; i < rg_model_info(s->model).nv; i++)
        v[i] = draw_between(d, -2.0, 2.0);
    rg_world_set_state(world, NULL, v);
    if (s->loops)
        rg_world_assemble(world, NULL);
    return world;
}

/* Attachments, and the steps in which they are made and released. */
typedef struct Grips {
    int n, made[MOST_GRIPS], released[MOST_GRIPS];
    RgAttachmentId id[MOST_GRIPS];
} Grips;

static Grips draw_grips(const Scene *s, Draw *d, RgWorld *world)
{
    static const RgJointType types[] = {RG_JOINT_fixed,     RG_JOINT_fixed,     RG_JOINT_revolute,
                                        RG_JOINT_spherical, RG_JOINT_prismatic, RG_JOINT_cylindrical};
    Grips grips = {0};
    bool any = draw_chance(d, 0.6);
    for (int i = 0; i < MOST_GRIPS && any; i++) {
        RgAttachmentDef def = rg_attachment_def_default();
        def.joint.type = types[draw_below(d, 6)];
        def.joint.parent = draw_chance(d, 0.15) ? (RgLinkId){0} : s->link[draw_below(d, s->nlinks)];
        def.joint.child = s->link[draw_below(d, s->nlinks)];
        def.joint.axis = draw_direction(d);
        def.joint.X_CJ = draw_pose(d, 0.2);
        bool limits = draw_chance(d, 0.5);
        for (int k = 0; k < 2 && limits; k++) {
            def.joint.dof[k].lower = draw_between(d, -0.2, 0.02);
            def.joint.dof[k].upper = def.joint.dof[k].lower + draw_power(d, 1e-3, 1.0);
        }
        grips.made[grips.n] = draw_below(d, STEPS / 2);
        grips.released[grips.n] = draw_below(d, STEPS);
        grips.id[grips.n] = rg_world_add_attachment(world, &def, NULL);
        grips.n += grips.id[grips.n].i > 0; /* links that are welded together are refused */
    }
    return grips;
}

static void change_grips(const Scene *s, const Grips *grips, int step, RgWorld *world)
{
    RgMomentum before, after;
    rg_world_momentum(world, &before);
    for (int k = 0; k < grips->n; k++) {
        if (step == grips->made[k])
            rg_world_attach(world, grips->id[k], NULL);
        if (step == grips->released[k])
            rg_world_detach(world, grips->id[k]);
    }
    rg_world_momentum(world, &after);
    cr_expect(after.kinetic <= before.kinetic * (1.0 + 1e-9) + 1e-12, "scene %d: attaching in step %d: %g to %g J",
              s->number, step, before.kinetic, after.kinetic);
}

/* ------------------------------------------------------------------ steps */

static double fastest_turn(const Scene *s, RgWorld *world)
{
    double most = 0.0;
    for (int i = 0; i < s->nlinks; i++)
        most = fmax(most, vec_norm(rg_world_link_twist(world, s->link[i]).w));
    return most;
}

static void check_step(const Scene *s, RgWorld *world, const RgMomentum *before, double turn, const RgStepReport *r,
                       int step)
{
    RgMomentum after;
    rg_world_momentum(world, &after);
    double rise = after.kinetic + after.potential - before->kinetic - before->potential;
    cr_assert(isfinite(rise), "scene %d: step %d is not finite", s->number, step);
    turn = s->h * fmax(turn, fastest_turn(s, world));
    if (turn > MOST_TURN || r->unfinished > 0)
        return;
    bool joints = strcmp(rg_world_settings(world).coords, "minimal") == 0;
    double T = fmax(before->kinetic, after.kinetic), fall = s->gravity * s->h;
    double reported = fmax(0.0, fmin(r->work.total, r->work.erp + r->work.restitution)) + fmax(0.0, r->projected) +
                      fmax(0.0, r->work.split);
    double integrator = T * (4.0 * turn * turn + (joints ? 10.0 * turn : 0.0)) + fall * sqrt(2.0 * s->mass * T) +
                        2.0 * s->mass * fall * fall;
    cr_expect(rise <= reported + integrator + 1e-6 * T + 1e-9, "scene %d: step %d gains %g J of %g J (%g J, %g J)",
              s->number, step, rise, T, reported, integrator);
}

/* Returns whether a step was refused. */
static bool run(int number)
{
    Draw d = draw_seed((uint64_t)number);
    Scene s = {.number = number};
    s.gravity = draw_chance(&d, 0.5) ? 9.81 : 0.0;
    s.contact = draw_chance(&d, 0.6);
    s.loops = draw_chance(&d, 0.5);
    s.limits = draw_chance(&d, 0.5);
    s.planar = draw_chance(&d, 0.2);
    s.h = draw_power(&d, 1e-4, 2e-2);
    build(&s, &d);
    RgWorld *world = make(&s, &d);
    Grips grips = draw_grips(&s, &d, world);
    RgStatus status = RG_OK;
    for (int i = 0; i < STEPS && status == RG_OK; i++) {
        RgMomentum before;
        RgStepReport report;
        change_grips(&s, &grips, i, world);
        rg_world_momentum(world, &before);
        double turn = fastest_turn(&s, world);
        status = rg_world_step(world, s.h, &report);
        cr_expect(status == RG_OK || status == RG_ERR_NOT_CONVERGED, "scene %d: step %d: %s (%s)", number, i,
                  rg_status_text(status), report.offender);
        if (status == RG_OK)
            check_step(&s, world, &before, turn, &report, i);
    }
    world_end(world, s.model);
    return status != RG_OK;
}

Test(random_scenes, stay_finite_and_gain_no_energy)
{
    const char *first = getenv("RIGOR_RANDOM_FIRST"), *count = getenv("RIGOR_RANDOM_SCENES");
    int start = first != NULL ? atoi(first) : 0, n = count != NULL ? atoi(count) : SCENES, refused = 0;
    for (int i = start; i < start + n; i++)
        refused += run(i);
    cr_expect(refused <= 1 + n / 100, "%d of %d scenes refused", refused, n);
    cr_log_info("%d of %d scenes refused", refused, n);
}
