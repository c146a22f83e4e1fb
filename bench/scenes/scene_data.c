/* scene_data.c - making and ending scenes, and the list of their names. */
#include "scene_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const scene_data_names[] = {"S1", "S1j", "S1h", "S2", "S3", "S3j", "S3k", "S4", "S5", "S6", NULL};

static void *zeroed(int count, size_t size)
{
    void *memory = calloc(count > 0 ? (size_t)count : 1, size);
    if (memory == NULL) {
        fprintf(stderr, "scene: out of memory\n");
        abort();
    }
    return memory;
}

SceneData *scene_new(const char *name, const char *title, int bodies, int joints)
{
    SceneData *s = zeroed(1, sizeof *s);
    snprintf(s->name, sizeof s->name, "%s", name);
    s->title = title;
    s->bodies = zeroed(bodies, sizeof *s->bodies);
    s->shapes = zeroed(bodies, sizeof *s->shapes);
    s->joints = zeroed(joints, sizeof *s->joints);
    s->mu = 0.5;
    s->gravity = vec(0.0, 0.0, -9.81);
    return s;
}

int scene_add_body(SceneData *scene, double mass, RgVec3 moments, RgPose X_WB)
{
    int i = scene->nbodies++;
    SceneBody *b = &scene->bodies[i];
    snprintf(b->name, sizeof b->name, "body%d", i);
    b->mass = mass;
    b->moments = moments;
    b->X_WB = X_WB;
    b->group = -1;
    return i;
}

int scene_add_shape(SceneData *scene, int body, SceneShapeKind kind, const double size[3], RgVec3 p_BS)
{
    int i = scene->nshapes++;
    SceneShape *s = &scene->shapes[i];
    s->kind = kind;
    s->body = body;
    memcpy(s->size, size, sizeof s->size);
    s->X_BS = place_at(p_BS.x, p_BS.y, p_BS.z);
    return i;
}

void scene_set_hull(SceneData *scene, int shape, const double *points, int count)
{
    SceneShape *s = &scene->shapes[shape];
    s->vertices = zeroed(3 * count, sizeof *s->vertices);
    s->nvertices = count;
    memcpy(s->vertices, points, (size_t)(3 * count) * sizeof *points);
}

int scene_add_hinge(SceneData *scene, int parent, int child, RgVec3 anchor, RgVec3 axis)
{
    int i = scene->njoints++;
    SceneJoint *j = &scene->joints[i];
    snprintf(j->name, sizeof j->name, "joint%d", i);
    j->kind = SCENE_HINGE;
    j->parent = parent;
    j->child = child;
    j->anchor = anchor;
    j->axis = axis;
    j->lower = -(double)INFINITY;
    j->upper = (double)INFINITY;
    return i;
}

double scene_drive(const SceneJoint *joint, double t, double q, double rate)
{
    double target = joint->target;
    if (joint->amplitude != 0.0)
        target += joint->amplitude * sin(2.0 * TEST_PI * joint->frequency * t + joint->phase);
    return joint->kp * (target - q) - joint->kd * rate;
}

double scene_hinge_rate(const SceneData *scene, int joint)
{
    const SceneJoint *j = &scene->joints[joint];
    RgVec3 w = scene->bodies[j->child].w;
    if (j->parent != SCENE_WORLD)
        w = vec_sub(w, scene->bodies[j->parent].w);
    return vec_dot(j->axis, w);
}

static int compare_pairs(const void *a, const void *b)
{
    const ScenePair *x = a, *y = b;
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

void scene_sort_apart(SceneData *scene)
{
    if (scene->napart > 0)
        qsort(scene->apart, (size_t)scene->napart, sizeof *scene->apart, compare_pairs);
}

bool scene_may_touch(const SceneData *scene, int a, int b)
{
    if (!scene->self && scene->bodies[a].group >= 0 && scene->bodies[a].group == scene->bodies[b].group)
        return false;
    const ScenePair pair = {a < b ? a : b, a < b ? b : a};
    return scene->napart == 0 ||
           bsearch(&pair, scene->apart, (size_t)scene->napart, sizeof pair, compare_pairs) == NULL;
}

bool scene_has_massless(const SceneData *scene)
{
    for (int i = 0; i < scene->nbodies; i++)
        if (scene_is_massless(&scene->bodies[i]))
            return true;
    return false;
}

bool scene_has_hulls(const SceneData *scene)
{
    for (int i = 0; i < scene->nshapes; i++)
        if (scene->shapes[i].kind == SCENE_HULL)
            return true;
    return false;
}

RgVec3 scene_box_moments(double mass, RgVec3 s)
{
    double xx = s.x * s.x, yy = s.y * s.y, zz = s.z * s.z;
    return vec_scale(mass / 12.0, vec(yy + zz, xx + zz, xx + yy));
}

int scene_add_box(SceneData *scene, double mass, RgVec3 size, RgPose X_WB)
{
    int body = scene_add_body(scene, mass, scene_box_moments(mass, size), X_WB);
    scene_add_shape(scene, body, SCENE_BOX, (const double[3]){size.x, size.y, size.z}, vec(0.0, 0.0, 0.0));
    return body;
}

int scene_add_ball(SceneData *scene, double mass, double radius, RgVec3 p)
{
    double moment = 0.4 * mass * radius * radius;
    int body = scene_add_body(scene, mass, vec(moment, moment, moment), place_at(p.x, p.y, p.z));
    scene_add_shape(scene, body, SCENE_SPHERE, (const double[3]){radius, 0.0, 0.0}, vec(0.0, 0.0, 0.0));
    return body;
}

SceneData *scene_data_create(const char *name)
{
    SceneData *(*const makers[])(const char *) = {scene_of_cubes,  scene_of_growth,    scene_of_balls, scene_of_links,
                                                  scene_of_towers, scene_of_precision, scene_of_motion};
    SceneData *scene = NULL;
    for (int i = 0; i < 7 && scene == NULL; i++)
        scene = makers[i](name);
    return scene;
}

void scene_data_destroy(SceneData *scene)
{
    if (scene == NULL)
        return;
    for (int i = 0; i < scene->nshapes; i++)
        free(scene->shapes[i].vertices);
    free(scene->bodies);
    free(scene->shapes);
    free(scene->apart);
    free(scene->joints);
    free(scene);
}
