/*
 * engine_ode.c - the scenes in ODE (double), by its iterative and by its direct step.
 *
 * Settings: ERP 0.2 and CFM as the library's defaults; contacts with dContactApprox1 (friction limited by mu times the
 * normal force) and mu of the scene; at most four points a pair of shapes; surface layer 0; no sleeping; gyroscopic
 * torques on; rows in random order from a fixed seed, as the library does it. Broad phase: hash space. Bodies that a
 * joint connects do not touch. Springs and dampers of joints are efforts from the start of the step, as drives are. A
 * hull is the library's convex shape, its faces by Rigor's hull.
 *
 *   quick    dWorldQuickStep, over-relaxation 1.3 (default), no warm start (the library has none)
 *   direct   dWorldStep (Dantzig's method on a dense matrix). It fails where cubes stand exactly on each
 *   other
 *            ("LCP internal error"): S1 and S1h fall, while S1j stands exactly. No softness of the contacts
 *            from 1e-10 to 1e-2 saved S1, so it stays at the default.
 *
 * Threads: the library's own pool, where more than one is asked for.
 */
#include "engine.h"

#include <rigor/rigor.h>

#include <ode/ode.h>

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define POINTS 4

/* The library keeps pointers to what a convex shape is made of. */
typedef struct OdeHull {
    dReal *planes;      /* 4 a face: outward normal, offset */
    dReal *points;      /* 3 a corner */
    unsigned *polygons; /* a face: how many corners, and which, counter-clockwise */
} OdeHull;

typedef struct OdeWorld {
    const SceneData *scene;
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    dBodyID *bodies; /* NULL: static */
    dJointID *joints;
    dSurfaceParameters surface;
    OdeHull *hulls; /* nshapes */
    double t;
    dThreadingImplementationID threading;
    dThreadingThreadPoolID pool;
    int (*advance)(dWorldID world, dReal dt);
} OdeWorld;

/* ------------------------------------------------------------------ making */

static void to_rotation(const RgMat3 *R, dMatrix3 out)
{
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            out[4 * i + k] = R->m[i][k];
        out[4 * i + 3] = 0.0;
    }
}

static void add_body(OdeWorld *w, int i)
{
    const SceneBody *b = &w->scene->bodies[i];
    if (b->is_static)
        return;
    dBodyID body = w->bodies[i] = dBodyCreate(w->world);
    dMass mass;
    dMatrix3 R;
    dMassSetParameters(&mass, b->mass, 0.0, 0.0, 0.0, b->moments.x, b->moments.y, b->moments.z, 0.0, 0.0, 0.0);
    to_rotation(&b->X_WB.R, R);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, b->X_WB.p.x, b->X_WB.p.y, b->X_WB.p.z);
    dBodySetRotation(body, R);
    dBodySetLinearVel(body, b->v.x, b->v.y, b->v.z);
    dBodySetAngularVel(body, b->w.x, b->w.y, b->w.z);
}

static void *must(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

static dGeomID make_hull(dSpaceID space, const SceneShape *s, OdeHull *hull)
{
    RgShapeDef def = rg_shape_def_default();
    def.type = RG_SHAPE_polytope;
    def.size[0] = def.size[1] = def.size[2] = 1.0;
    def.mesh.vertices = s->vertices;
    def.mesh.nvertices = s->nvertices;
    RgGeometry *geometry = NULL;
    if (rg_geometry_create(&def, NULL, &geometry, NULL) != RG_OK)
        abort();
    RgPolytopeView view = rg_geometry_polytope(geometry, 0);
    int corners = view.face_start[view.nfaces], n = 0;
    hull->planes = must(calloc((size_t)view.nfaces, 4 * sizeof(dReal)));
    hull->points = must(calloc((size_t)view.nvertices, 3 * sizeof(dReal)));
    hull->polygons = must(calloc((size_t)(view.nfaces + corners), sizeof(unsigned)));
    for (int i = 0; i < view.nvertices; i++) {
        const RgVec3 v = view.vertices[i];
        const dReal point[3] = {v.x, v.y, v.z};
        memcpy(hull->points + 3 * i, point, sizeof point);
    }
    for (int i = 0; i < view.nfaces; i++) {
        const RgVec3 m = view.face_normals[i], v = view.vertices[view.face_vertices[view.face_start[i]]];
        const dReal plane[4] = {m.x, m.y, m.z, m.x * v.x + m.y * v.y + m.z * v.z};
        memcpy(hull->planes + 4 * i, plane, sizeof plane);
        hull->polygons[n++] = (unsigned)(view.face_start[i + 1] - view.face_start[i]);
        for (int k = view.face_start[i]; k < view.face_start[i + 1]; k++)
            hull->polygons[n++] = (unsigned)view.face_vertices[k];
    }
    dGeomID geom = dCreateConvex(space, hull->planes, (unsigned)view.nfaces, hull->points, (unsigned)view.nvertices,
                                 hull->polygons);
    rg_geometry_destroy(geometry);
    return geom;
}

static dGeomID make_geom(dSpaceID space, const SceneShape *s, OdeHull *hull)
{
    switch (s->kind) {
    case SCENE_BOX:
        return dCreateBox(space, s->size[0], s->size[1], s->size[2]);
    case SCENE_SPHERE:
        return dCreateSphere(space, s->size[0]);
    case SCENE_CAPSULE:
        return dCreateCapsule(space, s->size[0], s->size[1]);
    case SCENE_HULL:
        return make_hull(space, s, hull);
    default:
        return dCreateCylinder(space, s->size[0], s->size[1]);
    }
}

static void add_shape(OdeWorld *w, int i)
{
    const SceneShape *s = &w->scene->shapes[i];
    const SceneBody *b = &w->scene->bodies[s->body];
    dGeomID geom = make_geom(w->space, s, &w->hulls[i]);
    dMatrix3 R;
    RgPose X = b->is_static ? rg_pose_mul(&b->X_WB, &s->X_BS) : s->X_BS;
    to_rotation(&X.R, R);
    if (b->is_static) {
        dGeomSetPosition(geom, X.p.x, X.p.y, X.p.z);
        dGeomSetRotation(geom, R);
    } else {
        /* An offset costs time: only where there is one. */
        dGeomSetBody(geom, w->bodies[s->body]);
        if (X.p.x != 0.0 || X.p.y != 0.0 || X.p.z != 0.0)
            dGeomSetOffsetPosition(geom, X.p.x, X.p.y, X.p.z);
        if (X.R.m[0][0] + X.R.m[1][1] + X.R.m[2][2] != 3.0)
            dGeomSetOffsetRotation(geom, R);
    }
    dGeomSetData(geom, (void *)b);
}

static void add_joint(OdeWorld *w, int i)
{
    const SceneJoint *j = &w->scene->joints[i];
    dBodyID parent = j->parent == SCENE_WORLD ? NULL : w->bodies[j->parent], child = w->bodies[j->child];
    dJointID joint;
    if (j->kind == SCENE_BALL) {
        joint = dJointCreateBall(w->world, NULL);
        dJointAttach(joint, child, parent);
        dJointSetBallAnchor(joint, j->anchor.x, j->anchor.y, j->anchor.z);
    } else if (j->kind == SCENE_HINGE) {
        joint = dJointCreateHinge(w->world, NULL);
        dJointAttach(joint, child, parent);
        dJointSetHingeAnchor(joint, j->anchor.x, j->anchor.y, j->anchor.z);
        dJointSetHingeAxis(joint, j->axis.x, j->axis.y, j->axis.z);
        dJointSetHingeParam(joint, dParamLoStop, j->lower);
        dJointSetHingeParam(joint, dParamHiStop, j->upper);
    } else {
        joint = dJointCreateSlider(w->world, NULL);
        dJointAttach(joint, child, parent);
        dJointSetSliderAxis(joint, j->axis.x, j->axis.y, j->axis.z);
        dJointSetSliderParam(joint, dParamLoStop, j->lower);
        dJointSetSliderParam(joint, dParamHiStop, j->upper);
    }
    w->joints[i] = joint;
}

static void use_threads(OdeWorld *w, int threads)
{
    if (threads < 2)
        return;
    w->threading = dThreadingAllocateMultiThreadedImplementation();
    w->pool = dThreadingAllocateThreadPool((unsigned)threads, 0, dAllocateFlagBasicData, NULL);
    dThreadingThreadPoolServeMultiThreadedImplementation(w->pool, w->threading);
    dWorldSetStepThreadingImplementation(w->world, dThreadingImplementationGetFunctions(w->threading), w->threading);
}

/* The direct step reports dependent rows line by line; what comes of it shows in the errors. */
static void be_silent(int number, const char *text, va_list arguments)
{
    (void)number;
    (void)text;
    (void)arguments;
}

static OdeWorld *make(const SceneData *scene, const PeerOptions *options)
{
    dInitODE2(0);
    dAllocateODEDataForThread((unsigned)dAllocateMaskAll);
    dSetMessageHandler(be_silent);
    dRandSetSeed(1);
    OdeWorld *w = calloc(1, sizeof *w);
    w->scene = scene;
    w->world = dWorldCreate();
    w->space = dHashSpaceCreate(NULL);
    w->contacts = dJointGroupCreate(0);
    w->bodies = calloc((size_t)scene->nbodies, sizeof(dBodyID));
    w->joints = calloc((size_t)scene->njoints + 1, sizeof(dJointID));
    w->hulls = calloc((size_t)scene->nshapes + 1, sizeof *w->hulls);
    w->surface = (dSurfaceParameters){.mode = dContactApprox1, .mu = scene->mu};
    if (scene->restitution > 0.0) {
        w->surface.mode |= dContactBounce;
        w->surface.bounce = scene->restitution;
    }
    dWorldSetGravity(w->world, scene->gravity.x, scene->gravity.y, scene->gravity.z);
    dWorldSetERP(w->world, 0.2);
    dWorldSetQuickStepNumIterations(w->world, options->iterations);
    dWorldSetAutoDisableFlag(w->world, 0);
    use_threads(w, options->threads);
    if (scene->has_floor)
        dCreatePlane(w->space, 0.0, 0.0, 1.0, 0.0);
    for (int i = 0; i < scene->nbodies; i++)
        add_body(w, i);
    for (int i = 0; i < scene->nshapes; i++)
        add_shape(w, i);
    for (int i = 0; i < scene->njoints; i++)
        add_joint(w, i);
    return w;
}

static void *create_quick(const SceneData *scene, const PeerOptions *options)
{
    OdeWorld *w = make(scene, options);
    w->advance = dWorldQuickStep;
    return w;
}

static void *create_direct(const SceneData *scene, const PeerOptions *options)
{
    OdeWorld *w = make(scene, options);
    w->advance = dWorldStep;
    return w;
}

static void destroy(void *world)
{
    OdeWorld *w = world;
    if (w->threading != NULL) {
        dThreadingImplementationShutdownProcessing(w->threading);
        dThreadingFreeThreadPool(w->pool);
        dWorldSetStepThreadingImplementation(w->world, NULL, NULL);
        dThreadingFreeImplementation(w->threading);
    }
    dJointGroupDestroy(w->contacts);
    dSpaceDestroy(w->space);
    dWorldDestroy(w->world);
    dCloseODE();
    for (int i = 0; i < w->scene->nshapes; i++) {
        free(w->hulls[i].planes);
        free(w->hulls[i].points);
        free(w->hulls[i].polygons);
    }
    free(w->hulls);
    free(w->bodies);
    free(w->joints);
    free(w);
}

/* ------------------------------------------------------------------ stepping */

static void touch(void *data, dGeomID a, dGeomID b)
{
    OdeWorld *w = data;
    const SceneBody *body_a = dGeomGetData(a), *body_b = dGeomGetData(b);
    const SceneBody *bodies = w->scene->bodies;
    if (body_a != NULL && body_b != NULL && !scene_may_touch(w->scene, (int)(body_a - bodies), (int)(body_b - bodies)))
        return;
    dBodyID one = dGeomGetBody(a), two = dGeomGetBody(b);
    if (one != NULL && two != NULL && dAreConnectedExcluding(one, two, dJointTypeContact))
        return;
    dContact contacts[POINTS];
    int count = dCollide(a, b, POINTS, &contacts[0].geom, sizeof contacts[0]);
    for (int i = 0; i < count; i++) {
        contacts[i].surface = w->surface;
        dJointAttach(dJointCreateContact(w->world, w->contacts, &contacts[i]), one, two);
    }
}

static void read_joint(void *world, int i, double *q, double *rate)
{
    OdeWorld *w = world;
    bool hinge = w->scene->joints[i].kind == SCENE_HINGE;
    *q = hinge ? dJointGetHingeAngle(w->joints[i]) : dJointGetSliderPosition(w->joints[i]);
    *rate = hinge ? dJointGetHingeAngleRate(w->joints[i]) : dJointGetSliderPositionRate(w->joints[i]);
}

static void drive(OdeWorld *w)
{
    for (int i = 0; i < w->scene->njoints; i++) {
        const SceneJoint *j = &w->scene->joints[i];
        double q, rate;
        if (!j->driven && j->stiffness == 0.0 && j->damping == 0.0)
            continue;
        read_joint(w, i, &q, &rate);
        double effort = scene_passive(j, q, rate) + (j->driven ? scene_drive(j, w->t, q, rate) : 0.0);
        if (j->kind == SCENE_HINGE)
            dJointAddHingeTorque(w->joints[i], effort);
        else
            dJointAddSliderForce(w->joints[i], effort);
    }
    w->t += w->scene->dt;
}

static void step(void *world)
{
    OdeWorld *w = world;
    drive(w);
    dSpaceCollide(w->space, w, touch);
    w->advance(w->world, w->scene->dt);
    dJointGroupEmpty(w->contacts);
}

static void read_body(void *world, int i, SceneBodyState *out)
{
    OdeWorld *w = world;
    if (w->bodies[i] == NULL) {
        *out = scene_body_start(&w->scene->bodies[i]);
        return;
    }
    const dReal *p = dBodyGetPosition(w->bodies[i]), *R = dBodyGetRotation(w->bodies[i]);
    const dReal *v = dBodyGetLinearVel(w->bodies[i]), *omega = dBodyGetAngularVel(w->bodies[i]);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            out->X_WB.R.m[r][c] = R[4 * r + c];
    out->X_WB.p = (RgVec3){p[0], p[1], p[2]};
    out->v = (RgVec3){v[0], v[1], v[2]};
    out->w = (RgVec3){omega[0], omega[1], omega[2]};
}

/* ------------------------------------------------------------------ table entry */

static const char *version(void)
{
    return PEER_VERSION;
}

static const char *lacks(const SceneData *scene, const PeerOptions *options)
{
    (void)options;
    for (int i = 0; i < scene->njoints; i++)
        if (scene->joints[i].armature > 0.0)
            return "no inertia of rotors in joints";
    return scene_has_massless(scene) ? "no massless bodies" : NULL;
}

#define SHARED_FUNCTIONS                                                                                               \
    .version = version, .lacks = lacks, .step = step, .read = read_body, .joint = read_joint, .destroy = destroy

static const PeerEngine quick = {.id = "ode-quick",
                                 .title = "ODE quick",
                                 .setting = "dWorldQuickStep, SOR 1.3, ERP 0.2, dContactApprox1, hash space",
                                 .create = create_quick,
                                 SHARED_FUNCTIONS};

static const PeerEngine direct = {.id = "ode-direct",
                                  .title = "ODE direct",
                                  .setting = "dWorldStep (Dantzig), ERP 0.2, dContactApprox1, hash space",
                                  .create = create_direct,
                                  SHARED_FUNCTIONS};

const PeerEngine *const *peer_engines(void)
{
    static const PeerEngine *const engines[] = {&quick, &direct, NULL};
    return engines;
}
