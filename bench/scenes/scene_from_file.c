/* scene_from_file.c - converts SceneFile to SceneData, and writes SceneData as a .scene file. */
#include "scene_from_file.h"
#include "scene_build.h"
#include "scene_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ from a file */

static void name_scene(SceneData *s, const char *path)
{
    const char *slash = strrchr(path, '/');
    snprintf(s->name, sizeof s->name, "%s", slash != NULL ? slash + 1 : path);
    char *dot = strrchr(s->name, '.');
    if (dot != NULL)
        *dot = '\0';
}

static void take_body(SceneData *s, const SceneFileBody *b)
{
    int i = scene_add_body(s, b->mass, b->moments, b->X_WB);
    s->bodies[i].v = b->v;
    s->bodies[i].w = b->w;
    s->bodies[i].is_static = b->is_static;
    s->bodies[i].group = b->group >= 0 ? b->group : -1;
}

static SceneShapeKind kind_of(RgShapeType type)
{
    switch (type) {
    case RG_SHAPE_box:
        return SCENE_BOX;
    case RG_SHAPE_sphere:
        return SCENE_SPHERE;
    case RG_SHAPE_capsule:
        return SCENE_CAPSULE;
    default:
        return SCENE_HULL;
    }
}

static void take_shape(SceneData *s, const SceneFileShape *f)
{
    int i = scene_add_shape(s, f->body, kind_of(f->type), f->size, f->X_BS.p);
    s->shapes[i].X_BS = f->X_BS;
    if (f->nvertices > 0)
        scene_set_hull(s, i, f->vertices, f->nvertices);
}

static void take_hinge(SceneData *s, const SceneFileHinge *h)
{
    SceneJoint *j = &s->joints[scene_add_hinge(s, h->parent, h->child, h->anchor, h->axis)];
    j->lower = h->lower;
    j->upper = h->upper;
    j->driven = h->kp != 0.0 || h->kd != 0.0;
    j->target = h->target;
    j->kp = h->kp;
    j->kd = h->kd;
    j->amplitude = h->amplitude;
    j->frequency = h->frequency;
    j->phase = h->phase;
    j->armature = h->armature;
    j->damping = h->damping;
    j->stiffness = h->stiffness;
}

static SceneData *convert(const SceneFile *f, const char *path)
{
    SceneData *s = scene_new("", "scene in motion", f->nbodies, f->nhinges);
    free(s->shapes);
    s->shapes = calloc((size_t)f->nshapes + 1, sizeof *s->shapes);
    s->apart = calloc((size_t)f->npairs + 1, sizeof *s->apart);
    if (s->shapes == NULL || s->apart == NULL)
        abort();
    name_scene(s, path);
    snprintf(s->measure, sizeof s->measure, "%s", f->measure);
    s->dt = f->dt;
    s->mu = f->mu;
    s->steps = f->steps;
    s->every = f->every;
    s->has_floor = f->has_floor;
    s->self = f->self;
    s->gravity = f->gravity;
    for (int i = 0; i < f->nbodies; i++)
        take_body(s, &f->bodies[i]);
    for (int i = 0; i < f->nshapes; i++)
        take_shape(s, &f->shapes[i]);
    for (int i = 0; i < f->nhinges; i++)
        take_hinge(s, &f->hinges[i]);
    for (int i = 0; i < f->npairs; i++) {
        const SceneFilePair *p = &f->pairs[i];
        s->apart[s->napart++] = (ScenePair){p->a < p->b ? p->a : p->b, p->a < p->b ? p->b : p->a};
    }
    scene_sort_apart(s);
    return s;
}

SceneData *scene_data_read(const char *path, RgError *error)
{
    SceneFile *file = scene_file_read(path, error);
    if (file == NULL)
        return NULL;
    SceneData *scene = convert(file, path);
    scene_file_destroy(file);
    return scene;
}

/* ------------------------------------------------------------------ into a file */

static void write_numbers(FILE *file, const double *x, int count)
{
    for (int i = 0; i < count; i++)
        fprintf(file, " %.17g", x[i]);
}

static void write_vector(FILE *file, RgVec3 v)
{
    write_numbers(file, (const double[3]){v.x, v.y, v.z}, 3);
}

static void write_pose(FILE *file, const RgPose *X)
{
    RgQuat q = rg_pose_quat(X);
    write_vector(file, X->p);
    write_numbers(file, (const double[4]){q.w, q.x, q.y, q.z}, 4);
}

static void write_body(FILE *file, const SceneBody *b)
{
    fprintf(file, "body %.17g", b->is_static ? 0.0 : b->mass);
    write_vector(file, b->moments);
    write_pose(file, &b->X_WB);
    write_vector(file, b->v);
    write_vector(file, b->w);
    fprintf(file, " %d\n", b->group);
}

/* False: a kind that the format has not, or a hull that is turned in its body. */
static bool write_shape(FILE *file, const SceneShape *s)
{
    RgMat3 unit = mat_identity();
    switch (s->kind) {
    case SCENE_BOX:
        fprintf(file, "box");
        write_numbers(file, (const double[3]){0.5 * s->size[0], 0.5 * s->size[1], 0.5 * s->size[2]}, 3);
        write_pose(file, &s->X_BS);
        break;
    case SCENE_SPHERE:
        fprintf(file, "sphere %.17g", s->size[0]);
        write_vector(file, s->X_BS.p);
        break;
    case SCENE_CAPSULE:
        fprintf(file, "capsule %.17g %.17g", s->size[0], 0.5 * s->size[1]);
        write_pose(file, &s->X_BS);
        break;
    case SCENE_HULL:
        if (memcmp(&s->X_BS.R, &unit, sizeof unit) != 0 || vec_norm(s->X_BS.p) != 0.0)
            return false;
        fprintf(file, "hull %d", s->nvertices);
        write_numbers(file, s->vertices, 3 * s->nvertices);
        break;
    default:
        return false;
    }
    fprintf(file, "\n");
    return true;
}

static bool write_joint(FILE *file, const SceneJoint *j)
{
    bool limited = isfinite(j->lower) && isfinite(j->upper);
    if (j->kind != SCENE_HINGE)
        return false;
    fprintf(file, "hinge %d %d", j->parent, j->child);
    write_vector(file, j->anchor);
    write_vector(file, j->axis);
    const double rest[11] = {limited ? j->lower : 0.0,
                             limited ? j->upper : 0.0,
                             j->driven ? j->kp : 0.0,
                             j->driven ? j->kd : 0.0,
                             j->target,
                             j->amplitude,
                             j->frequency,
                             j->phase,
                             j->armature,
                             j->damping,
                             j->stiffness};
    write_numbers(file, rest, 11);
    fprintf(file, "\n");
    return true;
}

/* Shapes follow their body; hinges stand last. */
static bool write_records(FILE *file, const SceneData *s)
{
    bool good = s->restitution == 0.0;
    fprintf(file, "# %s: %s\ndt %.17g\nsteps %d\ngravity", s->name, s->title, s->dt, s->steps);
    write_vector(file, s->gravity);
    fprintf(file, "\nmu %.17g\nplane %d\nevery %d\nself %d\n", s->mu, s->has_floor ? 1 : 0, s->every > 0 ? s->every : 1,
            s->self ? 1 : 0);
    if (s->measure[0] != '\0')
        fprintf(file, "measure %s\n", s->measure);
    for (int i = 0; i < s->nbodies; i++) {
        write_body(file, &s->bodies[i]);
        for (int k = 0; k < s->nshapes; k++)
            if (s->shapes[k].body == i)
                good = write_shape(file, &s->shapes[k]) && good;
    }
    for (int i = 0; i < s->njoints; i++)
        good = write_joint(file, &s->joints[i]) && good;
    for (int i = 0; i < s->napart; i++)
        fprintf(file, "nocollide %d %d\n", s->apart[i].a, s->apart[i].b);
    return good;
}

bool scene_data_write(const SceneData *scene, const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return false;
    bool good = write_records(file, scene);
    good = ferror(file) == 0 && good;
    return fclose(file) == 0 && good;
}
