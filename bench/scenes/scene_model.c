/* scene_model.c - links, shapes, joints and drives of a scene through Rigor's public interface. */
#include "scene_model.h"
#include "vectors.h"

#include <stdio.h>
#include <stdlib.h>

static RgSurfaceDef surface_of(const SceneData *scene)
{
    RgSurfaceDef surface = rg_shape_def_default().surface;
    surface.mu = surface.mu2 = scene->mu;
    surface.restitution = scene->restitution;
    return surface;
}

static RgLinkId add_link(RgBuilder *b, const SceneData *scene, const SceneBody *body)
{
    char group[16];
    RgLinkDef def = rg_link_def_default();
    def.name = body->name;
    if (body->group >= 0) {
        snprintf(group, sizeof group, "group%d", body->group);
        def.group = group;
    }
    def.inertia.mass = body->mass;
    def.inertia.I = (RgSym3){body->moments.x, body->moments.y, body->moments.z, 0.0, 0.0, 0.0};
    def.X_WL = body->X_WB;
    def.is_static = body->is_static;
    def.self_collide = scene->self;
    return rg_builder_add_link(b, &def);
}

static void add_shape(RgBuilder *b, const SceneData *scene, const SceneShape *s, RgLinkId link)
{
    static const RgShapeType types[] = {RG_SHAPE_box, RG_SHAPE_sphere, RG_SHAPE_capsule, RG_SHAPE_cylinder,
                                        RG_SHAPE_polytope};
    RgShapeDef def = rg_shape_def_default();
    def.type = types[s->kind];
    def.link = link;
    def.X_LS = s->X_BS;
    for (int i = 0; i < 3; i++)
        def.size[i] = s->kind == SCENE_HULL ? 1.0 : s->size[i];
    def.mesh.vertices = s->vertices;
    def.mesh.nvertices = s->nvertices;
    def.surface = surface_of(scene);
    rg_builder_add_shape(b, &def);
}

static void add_joint(RgBuilder *b, const SceneData *scene, const SceneJoint *j, const RgLinkId *links)
{
    static const RgJointType types[] = {RG_JOINT_revolute, RG_JOINT_spherical, RG_JOINT_prismatic};
    RgPose X_WJ = place_at(j->anchor.x, j->anchor.y, j->anchor.z);
    RgJointDef def = rg_joint_def_default();
    def.name = j->name;
    def.type = types[j->kind];
    def.child = links[j->child];
    def.X_CJ = place_mul(place_inverse(scene->bodies[j->child].X_WB), X_WJ);
    def.X_PJ = X_WJ;
    if (j->parent != SCENE_WORLD) {
        def.parent = links[j->parent];
        def.X_PJ = place_mul(place_inverse(scene->bodies[j->parent].X_WB), X_WJ);
    }
    if (j->kind != SCENE_BALL) {
        def.axis = j->axis;
        def.dof[0].lower = j->lower;
        def.dof[0].upper = j->upper;
        def.dof[0].damping = j->damping;
        def.dof[0].stiffness = j->stiffness;
        def.dof[0].rotor_inertia = j->armature;
        def.dof[0].gear_ratio = 1.0;
    }
    rg_builder_add_joint(b, &def);
}

static void keep_apart(RgBuilder *b, const ScenePair *pair)
{
    RgCollisionPairDef def = rg_collision_pair_def_default();
    def.link_a = (RgLinkId){pair->a + 1};
    def.link_b = (RgLinkId){pair->b + 1};
    rg_builder_add_collision_pair(b, &def);
}

RgModel *scene_model_create(const SceneData *scene, RgError *error)
{
    RgBuilder *b = rg_builder_create(NULL, NULL);
    RgLinkId *links = calloc((size_t)scene->nbodies, sizeof *links);
    if (b == NULL || links == NULL)
        abort();
    rg_builder_set_name(b, scene->name);
    for (int i = 0; i < scene->nbodies; i++)
        links[i] = add_link(b, scene, &scene->bodies[i]);
    for (int i = 0; i < scene->nshapes; i++)
        add_shape(b, scene, &scene->shapes[i], links[scene->shapes[i].body]);
    for (int i = 0; i < scene->njoints; i++)
        add_joint(b, scene, &scene->joints[i], links);
    for (int i = 0; i < scene->napart; i++)
        keep_apart(b, &scene->apart[i]);
    if (scene->has_floor) {
        RgShapeDef floor = rg_shape_def_default();
        floor.type = RG_SHAPE_halfspace;
        floor.surface = surface_of(scene);
        rg_builder_add_shape(b, &floor);
    }
    RgModel *model = rg_builder_finish(b, error);
    rg_builder_destroy(b);
    free(links);
    return model;
}

/* Rates of the hinges from what the bodies on both sides turn by. */
static void set_rates(const SceneData *scene, const RgModel *model, double *v)
{
    for (int i = 0; i < scene->njoints; i++) {
        if (scene->joints[i].kind == SCENE_HINGE)
            v[rg_model_joint(model, (RgJointId){i + 1}).v_index] = scene_hinge_rate(scene, i);
    }
}

RgStatus scene_model_start(const SceneData *scene, RgWorld *world)
{
    const RgModel *model = rg_world_model(world);
    double *v = calloc((size_t)rg_model_info(model).nv + 1, sizeof *v);
    if (v == NULL)
        return RG_ERR_MEMORY;
    for (int i = 0; i < scene->nbodies; i++) {
        const SceneBody *b = &scene->bodies[i];
        RgLinkInfo link = rg_model_link(model, (RgLinkId){i + 1});
        if (!link.floats)
            continue;

        /* The free joint turns in the link's axes and moves in the world's. */
        RgVec3 w = mat_apply(mat_transpose(b->X_WB.R), b->w);
        const double values[6] = {w.x, w.y, w.z, b->v.x, b->v.y, b->v.z};
        for (int k = 0; k < 6; k++)
            v[link.v_index + k] = values[k];
    }
    set_rates(scene, model, v);
    RgStatus status = rg_world_set_state(world, NULL, v);
    free(v);
    return status;
}

SceneDrives scene_drives_begin(const SceneData *scene, const RgModel *model)
{
    size_t count = (size_t)scene->njoints + 1;
    SceneDrives d = {scene, calloc(count, sizeof(int)), calloc(count, sizeof(int))};
    if (d.q == NULL || d.v == NULL)
        abort();
    for (int i = 0; i < scene->njoints; i++) {
        RgJointInfo info = rg_model_joint(model, (RgJointId){i + 1});
        d.q[i] = info.q_index;
        d.v[i] = info.v_index;
    }
    return d;
}

void scene_drives_end(SceneDrives *drives)
{
    free(drives->q);
    free(drives->v);
}

void scene_drive_input(const RgModel *model, const RgInputState *state, RgInput *input, void *drives)
{
    (void)model;
    const SceneDrives *d = drives;
    for (int i = 0; i < d->scene->njoints; i++) {
        const SceneJoint *j = &d->scene->joints[i];
        if (j->driven)
            input->tau[d->v[i]] += scene_drive(j, state->t, state->q[d->q[i]], state->v[d->v[i]]);
    }
}

SceneBodyState scene_model_body(RgWorld *world, int body)
{
    RgLinkId link = {body + 1};
    RgMotion twist = rg_world_link_twist(world, link);
    return (SceneBodyState){rg_world_link_pose(world, link), twist.v, twist.w};
}
