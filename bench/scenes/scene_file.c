/*
 * scene_file.c - reads .scene files (scene_file.h) in two passes: lines into plain arrays, then the arrays into a
 * model.
 *
 * The second pass is where everything is known: friction, whether groups touch, and which massless bodies are children
 * of hinges. A hinge stands at its anchor with the world's axes, X_PJ = X_WP^-1 X_WJ and X_CJ = X_WC^-1 X_WJ, so q = 0
 * there; its rate at the start is axis . (w_child - w_parent). Fails on the first bad line; memory running out ends the
 * program.
 */
#define _POSIX_C_SOURCE 200809L
#include "scene_file.h"
#include "vectors.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Reader {
    const char *path;
    int line;
    RgError *error;
    SceneFile *scene;
    double *numbers; /* of the line */
    int count;
} Reader;

static bool fail(const Reader *r, int line, const char *format, ...)
{
    va_list list;
    *r->error = (RgError){.status = RG_ERR_SYNTAX, .line = line};
    snprintf(r->error->file, sizeof r->error->file, "%s", r->path);
    va_start(list, format);
    vsnprintf(r->error->text, sizeof r->error->text, format, list);
    va_end(list);
    return false;
}

/* Room for one more in an array of count. */
static void *grow(void *array, int count, size_t size)
{
    if ((count & (count - 1)) != 0)
        return array;
    array = realloc(array, (size_t)(count > 0 ? 2 * count : 1) * size);
    if (array == NULL)
        abort();
    return array;
}

/* ------------------------------------------------------------------ records */

static bool whole_number(const Reader *r, int i, int least, const char *what, int *out)
{
    double x = r->numbers[i];
    if (!(x == floor(x) && x >= least && x <= 1e9))
        return fail(r, r->line, "%s must be a whole number of at least %d, but is %g", what, least, x);
    *out = (int)x;
    return true;
}

static RgVec3 vector_at(const Reader *r, int i)
{
    return vec(r->numbers[i], r->numbers[i + 1], r->numbers[i + 2]);
}

static bool pose_at(const Reader *r, int i, RgPose *out)
{
    const double *q = r->numbers + i + 3;
    double norm2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (!(fabs(norm2 - 1.0) < 1e-6))
        return fail(r, r->line, "the quaternion must have length 1, but has %g", sqrt(norm2));
    *out = rg_pose_from_quat(vector_at(r, i), (RgQuat){q[0], q[1], q[2], q[3]});
    return true;
}

static bool on_dt(Reader *r)
{
    r->scene->dt = r->numbers[0];
    return r->scene->dt > 0.0 || fail(r, r->line, "dt must be above 0, but is %g", r->numbers[0]);
}

static bool on_steps(Reader *r)
{
    return whole_number(r, 0, 1, "steps", &r->scene->steps);
}

static bool on_every(Reader *r)
{
    return whole_number(r, 0, 1, "every", &r->scene->every);
}

static bool on_gravity(Reader *r)
{
    r->scene->gravity = vector_at(r, 0);
    return true;
}

static bool on_mu(Reader *r)
{
    r->scene->mu = r->numbers[0];
    return r->scene->mu >= 0.0 || fail(r, r->line, "mu must not be negative, but is %g", r->numbers[0]);
}

static bool truth(const Reader *r, const char *what, bool *out)
{
    *out = r->numbers[0] == 1.0;
    return *out || r->numbers[0] == 0.0 || fail(r, r->line, "%s must be 0 or 1, but is %g", what, r->numbers[0]);
}

static bool on_plane(Reader *r)
{
    return truth(r, "plane", &r->scene->has_floor);
}

static bool on_self(Reader *r)
{
    return truth(r, "self", &r->scene->self);
}

static bool on_body(Reader *r)
{
    SceneFile *s = r->scene;
    s->bodies = grow(s->bodies, s->nbodies, sizeof *s->bodies);
    SceneFileBody *b = &s->bodies[s->nbodies++];
    *b = (SceneFileBody){.mass = r->numbers[0],
                         .moments = vector_at(r, 1),
                         .v = vector_at(r, 11),
                         .w = vector_at(r, 14),
                         .line = r->line,
                         .is_static = r->numbers[0] == 0.0};
    if (!(b->mass >= 0.0))
        return fail(r, r->line, "the mass of a body must not be negative, but is %g", b->mass);
    return pose_at(r, 4, &b->X_WB) && whole_number(r, 17, -2, "the group", &b->group);
}

static SceneFileShape *add_shape(Reader *r, RgShapeType type)
{
    SceneFile *s = r->scene;
    s->shapes = grow(s->shapes, s->nshapes, sizeof *s->shapes);
    SceneFileShape *shape = &s->shapes[s->nshapes++];
    *shape = (SceneFileShape){.type = type, .line = r->line, .body = r->scene->nbodies - 1};
    shape->X_BS = place_at(0.0, 0.0, 0.0);
    return shape;
}

static bool on_box(Reader *r)
{
    SceneFileShape *s = add_shape(r, RG_SHAPE_box);
    for (int i = 0; i < 3; i++)
        s->size[i] = 2.0 * r->numbers[i];
    return pose_at(r, 3, &s->X_BS);
}

static bool on_sphere(Reader *r)
{
    SceneFileShape *s = add_shape(r, RG_SHAPE_sphere);
    s->size[0] = r->numbers[0];
    s->X_BS.p = vector_at(r, 1);
    return true;
}

static bool on_capsule(Reader *r)
{
    SceneFileShape *s = add_shape(r, RG_SHAPE_capsule);
    s->size[0] = r->numbers[0];
    s->size[1] = 2.0 * r->numbers[1];
    return pose_at(r, 2, &s->X_BS);
}

static bool on_hull(Reader *r)
{
    SceneFileShape *s = add_shape(r, RG_SHAPE_polytope);
    if (!whole_number(r, 0, 4, "the number of a hull's points", &s->nvertices))
        return false;
    if (r->count != 1 + 3 * s->nvertices)
        return fail(r, r->line, "a hull of %d points needs %d numbers after them, but has %d", s->nvertices,
                    3 * s->nvertices, r->count - 1);
    size_t bytes = (size_t)(3 * s->nvertices) * sizeof *s->vertices;
    s->size[0] = s->size[1] = s->size[2] = 1.0;
    s->vertices = malloc(bytes);
    if (s->vertices == NULL)
        abort();
    memcpy(s->vertices, r->numbers + 1, bytes);
    return true;
}

static bool on_hinge(Reader *r)
{
    SceneFile *s = r->scene;
    const double *x = r->numbers;
    s->hinges = grow(s->hinges, s->nhinges, sizeof *s->hinges);
    SceneFileHinge *h = &s->hinges[s->nhinges++];
    *h = (SceneFileHinge){.anchor = vector_at(r, 2),
                          .axis = vector_at(r, 5),
                          .lower = x[8] < x[9] ? x[8] : -(double)INFINITY,
                          .upper = x[8] < x[9] ? x[9] : (double)INFINITY,
                          .kp = x[10],
                          .kd = x[11],
                          .target = x[12],
                          .amplitude = x[13],
                          .frequency = x[14],
                          .phase = x[15],
                          .armature = x[16],
                          .damping = x[17],
                          .stiffness = x[18],
                          .line = r->line};
    if (!(fabs(vec_norm(h->axis) - 1.0) < 1e-6))
        return fail(r, r->line, "the axis must have length 1, but has %g", vec_norm(h->axis));
    return whole_number(r, 0, -1, "the parent of a hinge", &h->parent) &&
           whole_number(r, 1, 0, "the child of a hinge", &h->child);
}

static bool on_nocollide(Reader *r)
{
    SceneFile *s = r->scene;
    s->pairs = grow(s->pairs, s->npairs, sizeof *s->pairs);
    SceneFilePair *p = &s->pairs[s->npairs++];
    p->line = r->line;
    return whole_number(r, 0, 0, "a body", &p->a) && whole_number(r, 1, 0, "a body", &p->b);
}

/* numbers: how many, -1: any. A measure is a word. */
static const struct Record {
    const char *name;
    int numbers;
    bool is_shape;
    const char *form;
    bool (*take)(Reader *r);
} records[] = {
    {"dt", 1, false, "S", on_dt},
    {"steps", 1, false, "N", on_steps},
    {"every", 1, false, "N", on_every},
    {"gravity", 3, false, "x y z", on_gravity},
    {"mu", 1, false, "M", on_mu},
    {"plane", 1, false, "0 or 1", on_plane},
    {"self", 1, false, "0 or 1", on_self},
    {"body", 18, false, "mass Ix Iy Iz px py pz qw qx qy qz vx vy vz wx wy wz group", on_body},
    {"box", 10, true, "hx hy hz px py pz qw qx qy qz", on_box},
    {"sphere", 4, true, "r px py pz", on_sphere},
    {"capsule", 9, true, "r halflength px py pz qw qx qy qz", on_capsule},
    {"hull", -1, true, "n x1 y1 z1 ...", on_hull},
    {"hinge", 19, false, "a b ax ay az ux uy uz lo hi kp kd target amp freq phase armature damping stiffness",
     on_hinge},
    {"nocollide", 2, false, "a b", on_nocollide},
};

/* ------------------------------------------------------------------ lines */

static bool take_numbers(Reader *r, const struct Record *record, char **rest)
{
    r->count = 0;
    for (char *word; (word = strtok_r(NULL, " \t\r\n", rest)) != NULL;) {
        char *end;
        double x = strtod(word, &end);
        if (*end != '\0' || !isfinite(x))
            return fail(r, r->line, "'%.40s' is not a number; expected: %s %s", word, record->name, record->form);
        r->numbers = grow(r->numbers, r->count, sizeof *r->numbers);
        r->numbers[r->count++] = x;
    }
    if (r->count == 0 || (record->numbers >= 0 && r->count != record->numbers))
        return fail(r, r->line, "%d numbers after '%s'; expected: %s %s", r->count, record->name, record->name,
                    record->form);
    if (record->is_shape && r->scene->nbodies == 0)
        return fail(r, r->line, "'%s' stands before the first body", record->name);
    return record->take(r);
}

static bool take_line(Reader *r, char *text)
{
    char *rest, *comment = strchr(text, '#');
    if (comment != NULL)
        *comment = '\0';
    const char *name = strtok_r(text, " \t\r\n", &rest);
    if (name == NULL)
        return true;
    if (strcmp(name, "measure") == 0) {
        const char *word = strtok_r(NULL, " \t\r\n", &rest);
        if (word == NULL || strlen(word) >= sizeof r->scene->measure || strtok_r(NULL, " \t\r\n", &rest) != NULL)
            return fail(r, r->line, "expected: measure WORD");
        strcpy(r->scene->measure, word);
        return true;
    }
    for (size_t i = 0; i < sizeof records / sizeof records[0]; i++)
        if (strcmp(name, records[i].name) == 0)
            return take_numbers(r, &records[i], &rest);
    return fail(r, r->line,
                "unknown record '%.40s'; expected one of: dt steps gravity mu plane every measure body box "
                "sphere capsule hull hinge nocollide self",
                name);
}

static bool take_lines(Reader *r)
{
    FILE *file = fopen(r->path, "r");
    if (file == NULL)
        return fail(r, 0, "cannot be read");
    char *text = NULL;
    size_t room = 0;
    bool good = true;
    while (good && getline(&text, &room, file) >= 0) {
        r->line++;
        good = take_line(r, text);
    }
    free(text);
    fclose(file);
    if (good && !(r->scene->dt > 0.0))
        return fail(r, 0, "has no record 'dt'");
    if (good && r->scene->nbodies == 0)
        return fail(r, 0, "has no body");
    return good;
}

/* ------------------------------------------------------------------ model */

/* Whether the numbers of bodies in hinges and pairs are those of bodies. */
static bool check_numbers(const Reader *r)
{
    const SceneFile *s = r->scene;
    for (int i = 0; i < s->nhinges; i++) {
        SceneFileHinge *h = &s->hinges[i];
        int worst = h->parent > h->child ? h->parent : h->child;
        if (worst >= s->nbodies)
            return fail(r, h->line, "there is no body %d; they are numbered from 0 to %d", worst, s->nbodies - 1);
        s->bodies[h->child].is_static = false;
    }
    for (int i = 0; i < s->npairs; i++) {
        int worst = s->pairs[i].a > s->pairs[i].b ? s->pairs[i].a : s->pairs[i].b;
        if (worst >= s->nbodies)
            return fail(r, s->pairs[i].line, "there is no body %d; they are numbered from 0 to %d", worst,
                        s->nbodies - 1);
    }
    return true;
}

static void build_link(const Reader *r, RgBuilder *b, int i)
{
    const SceneFileBody *body = &r->scene->bodies[i];
    char name[24], group[24];
    RgLinkDef def = rg_link_def_default();
    snprintf(name, sizeof name, "body%d", i);
    snprintf(group, sizeof group, "group%d", body->group);
    def.name = name;
    def.group = body->group >= 0 ? group : NULL;
    def.inertia.mass = body->mass;
    def.inertia.I = (RgSym3){body->moments.x, body->moments.y, body->moments.z, 0.0, 0.0, 0.0};
    def.X_WL = body->X_WB;
    def.is_static = body->is_static;
    def.self_collide = r->scene->self;
    def.line = body->line;
    rg_builder_add_link(b, &def);
}

static void build_shape(const Reader *r, RgBuilder *b, const SceneFileShape *s)
{
    RgShapeDef def = rg_shape_def_default();
    def.type = s->type;
    def.link = (RgLinkId){s->body + 1};
    def.X_LS = s->X_BS;
    memcpy(def.size, s->size, sizeof def.size);
    def.mesh.vertices = s->vertices;
    def.mesh.nvertices = s->nvertices;
    def.surface.mu = def.surface.mu2 = r->scene->mu;
    def.surface.restitution = 0.0;
    def.line = s->line;
    rg_builder_add_shape(b, &def);
}

static void build_hinge(const SceneFile *s, RgBuilder *b, int i)
{
    const SceneFileHinge *h = &s->hinges[i];
    RgPose X_WJ = place_at(h->anchor.x, h->anchor.y, h->anchor.z);
    char name[24];
    RgJointDef def = rg_joint_def_default();
    snprintf(name, sizeof name, "hinge%d", i);
    def.name = name;
    def.type = RG_JOINT_revolute;
    def.parent = (RgLinkId){h->parent + 1};
    def.child = (RgLinkId){h->child + 1};
    def.X_PJ = h->parent >= 0 ? place_mul(place_inverse(s->bodies[h->parent].X_WB), X_WJ) : X_WJ;
    def.X_CJ = place_mul(place_inverse(s->bodies[h->child].X_WB), X_WJ);
    def.axis = h->axis;
    def.dof[0].lower = h->lower;
    def.dof[0].upper = h->upper;
    def.dof[0].damping = h->damping;
    def.dof[0].stiffness = h->stiffness;
    def.dof[0].rotor_inertia = h->armature;
    def.dof[0].gear_ratio = 1.0;
    def.line = h->line;
    rg_builder_add_joint(b, &def);
}

static bool build(const Reader *r)
{
    SceneFile *s = r->scene;
    RgBuilder *b = rg_builder_create(NULL, NULL);
    if (b == NULL)
        abort();
    rg_builder_set_name(b, s->measure[0] != '\0' ? s->measure : "scene");
    rg_builder_set_file(b, r->path);
    for (int i = 0; i < s->nbodies; i++)
        build_link(r, b, i);
    for (int i = 0; i < s->nshapes; i++)
        build_shape(r, b, &s->shapes[i]);
    for (int i = 0; i < s->nhinges; i++)
        build_hinge(s, b, i);
    for (int i = 0; i < s->npairs; i++) {
        RgCollisionPairDef pair = rg_collision_pair_def_default();
        pair.link_a = (RgLinkId){s->pairs[i].a + 1};
        pair.link_b = (RgLinkId){s->pairs[i].b + 1};
        pair.line = s->pairs[i].line;
        rg_builder_add_collision_pair(b, &pair);
    }
    if (s->has_floor) {
        SceneFileShape floor = {.type = RG_SHAPE_halfspace, .body = -1, .X_BS = place_at(0.0, 0.0, 0.0)};
        build_shape(r, b, &floor);
    }
    s->model = rg_builder_finish(b, r->error);
    rg_builder_destroy(b);
    return s->model != NULL;
}

/* Velocities of free bodies and rates of hinges; where the hinges' coordinates stand. */
static void set_start(SceneFile *s)
{
    s->v = calloc((size_t)rg_model_info(s->model).nv + 1, sizeof *s->v);
    if (s->v == NULL)
        abort();
    for (int i = 0; i < s->nbodies; i++) {
        const SceneFileBody *b = &s->bodies[i];
        RgLinkInfo link = rg_model_link(s->model, (RgLinkId){i + 1});
        if (!link.floats)
            continue;

        /* The free joint turns in the link's axes and moves in the world's. */
        RgVec3 w = mat_apply(mat_transpose(b->X_WB.R), b->w);
        const double values[6] = {w.x, w.y, w.z, b->v.x, b->v.y, b->v.z};
        memcpy(s->v + link.v_index, values, sizeof values);
    }
    for (int i = 0; i < s->nhinges; i++) {
        SceneFileHinge *h = &s->hinges[i];
        RgJointInfo joint = rg_model_joint(s->model, (RgJointId){i + 1});
        RgVec3 w = s->bodies[h->child].w;
        if (h->parent >= 0)
            w = vec_sub(w, s->bodies[h->parent].w);
        h->q_index = joint.q_index;
        h->v_index = joint.v_index;
        s->v[h->v_index] = vec_dot(h->axis, w);
    }
}

SceneFile *scene_file_read(const char *path, RgError *error)
{
    Reader r = {.path = path, .error = error, .scene = calloc(1, sizeof *r.scene)};
    if (r.scene == NULL)
        abort();
    r.scene->gravity = vec(0.0, 0.0, -9.81);
    r.scene->steps = r.scene->every = 1;
    bool good = take_lines(&r) && check_numbers(&r) && build(&r);
    if (good)
        set_start(r.scene);
    free(r.numbers);
    if (good)
        return r.scene;
    scene_file_destroy(r.scene);
    return NULL;
}

void scene_file_destroy(SceneFile *scene)
{
    if (scene == NULL)
        return;
    rg_model_destroy(scene->model);
    for (int i = 0; i < scene->nshapes; i++)
        free(scene->shapes[i].vertices);
    free(scene->shapes);
    free(scene->pairs);
    free(scene->bodies);
    free(scene->hinges);
    free(scene->v);
    free(scene);
}

/* ------------------------------------------------------------------ in a world */

static void pd_efforts(const RgModel *model, const RgInputState *state, RgInput *input, void *context)
{
    (void)model;
    const SceneFile *s = context;
    for (int i = 0; i < s->nhinges; i++) {
        const SceneFileHinge *h = &s->hinges[i];
        double target = h->target;
        if (h->amplitude != 0.0)
            target += h->amplitude * sin(2.0 * TEST_PI * h->frequency * state->t + h->phase);
        input->tau[h->v_index] += h->kp * (target - state->q[h->q_index]) - h->kd * state->v[h->v_index];
    }
}

RgWorldDef scene_file_world_def(SceneFile *scene)
{
    RgWorldDef def = rg_world_def_default();
    def.model = scene->model;
    def.gravity = scene->gravity;
    if (scene->nhinges > 0) {
        def.input = pd_efforts;
        def.input_context = scene;
    }
    return def;
}

RgStatus scene_file_start(const SceneFile *scene, RgWorld *world)
{
    return rg_world_set_state(world, NULL, scene->v);
}
