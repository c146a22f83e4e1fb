/*
 * engine_bullet.cpp - the scenes in Bullet: rigid bodies with sequential impulses, and its multibody.
 *
 * Settings: 50 iterations, split impulse, ERP, warm start and margins as the library's defaults; no
 * sleeping, no damping; friction sqrt(mu) on each shape, as the library multiplies them; one step of dt a
 * call. Boxes are btBoxShape with the library's box-box manifolds of four points; the floor is a large box
 * under boxes, because its plane gives one new point a step, and a plane under balls and feet. Broad phase: dynamic
 * trees. Groups and joined bodies do not touch. Hulls have a margin of 1 mm: the default of 40 mm lies outside of a hull.
 * Springs and dampers of joints are efforts from the start of the step, as drives are. The library has no inertia of rotors:
 * multibody adds it to the moments of the link.
 *
 *   si   btDiscreteDynamicsWorld, btSequentialImpulseConstraintSolver; joints as constraints
 *   mb   btMultiBodyDynamicsWorld; trees in joint coordinates (Featherstone), free bodies as trees of one
 *
 * Compiled twice: double, as other engines here, and float, as most users have it. The library's threads
 * need a build that Debian does not package.
 */
#include "engine.h"

#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyJointLimitConstraint.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <memory>
#include <vector>

#ifdef BT_USE_DOUBLE_PRECISION
#define PRECISION ""
#define TITLE ""
#else
#define PRECISION "-float"
#define TITLE " (float)"
#endif

namespace {

btVector3 to_bullet(RgVec3 v)
{
    return btVector3(btScalar(v.x), btScalar(v.y), btScalar(v.z));
}

btTransform to_bullet(const RgPose &X)
{
    btMatrix3x3 R;
    for (int i = 0; i < 3; i++)
        R[i] = btVector3(btScalar(X.R.m[i][0]), btScalar(X.R.m[i][1]), btScalar(X.R.m[i][2]));
    return btTransform(R, to_bullet(X.p));
}

RgVec3 from_bullet(const btVector3 &v)
{
    return RgVec3{double(v.x()), double(v.y()), double(v.z())};
}

void from_bullet(const btTransform &X, RgPose &out)
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out.R.m[i][k] = double(X.getBasis()[i][k]);
    out.p = from_bullet(X.getOrigin());
}

/* Filter groups and masks. */
const int FLOOR = 1, MOVING = 2, ANYTHING = -1;

/* Asks the scene which bodies may touch; the user index is the body's, the floor has none. */
struct SceneFilter : btOverlapFilterCallback {
    const SceneData *scene;

    explicit SceneFilter(const SceneData *s) : scene(s)
    {
    }

    bool needBroadphaseCollision(btBroadphaseProxy *a, btBroadphaseProxy *b) const override
    {
        if ((a->m_collisionFilterGroup & b->m_collisionFilterMask) == 0 ||
            (b->m_collisionFilterGroup & a->m_collisionFilterMask) == 0)
            return false;
        int i = static_cast<const btCollisionObject *>(a->m_clientObject)->getUserIndex();
        int k = static_cast<const btCollisionObject *>(b->m_clientObject)->getUserIndex();
        return i < 0 || k < 0 || scene_may_touch(scene, i, k);
    }
};

/* What both kinds of world share: collision shapes and the choice of who may touch. */
struct Parts {
    const SceneData *scene;
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    SceneFilter filter;

    explicit Parts(const SceneData *s) : scene(s), filter(s)
    {
        broadphase.getOverlappingPairCache()->setOverlapFilterCallback(&filter);
    }

    btCollisionShape *keep(btCollisionShape *shape)
    {
        shapes.emplace_back(shape);
        return shape;
    }

    btCollisionShape *make_hull(const SceneShape &s)
    {
        auto *hull = new btConvexHullShape;
        for (int i = 0; i < s.nvertices; i++) {
            const double *v = s.vertices + 3 * i;
            hull->addPoint(to_bullet(RgVec3{v[0], v[1], v[2]}), false);
        }
        hull->recalcLocalAabb();
        hull->setMargin(btScalar(1e-3)); /* m */
        return keep(hull);
    }

    btCollisionShape *make_shape(const SceneShape &s)
    {
        btScalar a = btScalar(s.size[0]), b = btScalar(s.size[1]), c = btScalar(s.size[2]);
        switch (s.kind) {
        case SCENE_BOX:
            return keep(new btBoxShape(btVector3(a, b, c) * btScalar(0.5)));
        case SCENE_SPHERE:
            return keep(new btSphereShape(a));
        case SCENE_CAPSULE:
            return keep(new btCapsuleShapeZ(a, b));
        case SCENE_HULL:
            return make_hull(s);
        default:
            return keep(new btCylinderShapeZ(btVector3(a, a, b * btScalar(0.5))));
        }
    }

    /* One shape at the centre stands for itself; otherwise a compound. NULL: the body has none. */
    btCollisionShape *shape_of(int body)
    {
        std::vector<const SceneShape *> own;
        for (int i = 0; i < scene->nshapes; i++)
            if (scene->shapes[i].body == body)
                own.push_back(&scene->shapes[i]);
        if (own.empty())
            return nullptr;
        const RgVec3 p = own[0]->X_BS.p;
        const RgMat3 &R = own[0]->X_BS.R;
        bool turned = R.m[0][0] + R.m[1][1] + R.m[2][2] < 3.0 - 1e-12;
        if (own.size() == 1 && p.x == 0.0 && p.y == 0.0 && p.z == 0.0 && !turned)
            return make_shape(*own[0]);
        btCompoundShape *compound = new btCompoundShape;
        keep(compound);
        for (const SceneShape *s : own)
            compound->addChildShape(to_bullet(s->X_BS), make_shape(*s));
        return compound;
    }

    /* Boxes that may come to lie on the floor; those of the quadruped, which stands on balls, do not. */
    bool has_boxes() const
    {
        for (int i = 0; i < scene->nshapes; i++) {
            const SceneBody &b = scene->bodies[scene->shapes[i].body];
            if (scene->shapes[i].kind == SCENE_BOX && !b.is_static &&
                (b.group < 0 || scene->measure[0] != '\0'))
                return true;
        }
        return false;
    }

    /* body: -1 the floor. */
    void dress(btCollisionObject *object, int body) const
    {
        object->setUserIndex(body);
        object->setFriction(btScalar(std::sqrt(scene->mu)));
        object->setRestitution(btScalar(std::sqrt(scene->restitution)));
        object->setActivationState(DISABLE_DEACTIVATION);
    }
};

/* Static box with its top at 0, or the plane. */
btRigidBody *add_floor(Parts &parts, btDynamicsWorld *world)
{
    const btScalar half = btScalar(500), depth = btScalar(1);
    btCollisionShape *shape;
    btTransform X = btTransform::getIdentity();
    if (parts.has_boxes()) {
        shape = parts.keep(new btBoxShape(btVector3(half, half, depth)));
        X.setOrigin(btVector3(0, 0, -depth));
    } else {
        shape = parts.keep(new btStaticPlaneShape(btVector3(0, 0, 1), 0));
    }
    btRigidBody *floor = new btRigidBody(btRigidBody::btRigidBodyConstructionInfo(0, nullptr, shape));
    floor->setWorldTransform(X);
    parts.dress(floor, -1);
    world->addRigidBody(floor, FLOOR, ANYTHING);
    return floor;
}

/* ------------------------------------------------------------------ rigid bodies */

struct RigidWorld {
    Parts parts;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&parts.dispatcher, &parts.broadphase, &solver, &parts.configuration};
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    std::vector<std::unique_ptr<btTypedConstraint>> joints;
    std::unique_ptr<btRigidBody> floor;
    double t = 0.0;

    explicit RigidWorld(const SceneData *s) : parts(s)
    {
    }

    ~RigidWorld()
    {
        for (auto &joint : joints)
            world.removeConstraint(joint.get());
        for (auto &body : bodies)
            world.removeRigidBody(body.get());
        if (floor)
            world.removeRigidBody(floor.get());
    }
};

void add_rigid_body(RigidWorld &w, int i)
{
    const SceneBody &b = w.parts.scene->bodies[i];
    btCollisionShape *shape = w.parts.shape_of(i);
    bool solid = shape != nullptr;
    if (!solid)
        shape = w.parts.keep(new btEmptyShape);
    btScalar mass = b.is_static ? btScalar(0) : btScalar(b.mass);
    btVector3 moments = b.is_static ? btVector3(0, 0, 0) : to_bullet(b.moments);
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, moments);
    info.m_startWorldTransform = to_bullet(b.X_WB);
    btRigidBody *body = new btRigidBody(info);
    body->setLinearVelocity(to_bullet(b.v));
    body->setAngularVelocity(to_bullet(b.w));
    w.parts.dress(body, i);
    w.bodies.emplace_back(body);
    w.world.addRigidBody(body, solid ? MOVING : 0, solid ? ANYTHING : 0);
}

btVector3 turned(const SceneBody &b, RgVec3 d)
{
    return to_bullet(b.X_WB).getBasis().transpose() * to_bullet(d);
}

/* A frame on a body (NULL: the world) at the anchor, whose x axis is the joint's. */
btTransform frame_along(const SceneBody *b, const SceneJoint &j)
{
    btVector3 x = to_bullet(j.axis).normalized(), y, z;
    btPlaneSpace1(x, y, z);
    btTransform X_WJ(btMatrix3x3(x.x(), y.x(), z.x(), x.y(), y.y(), z.y(), x.z(), y.z(), z.z()),
                     to_bullet(j.anchor));
    return b != nullptr ? to_bullet(b->X_WB).inverse() * X_WJ : X_WJ;
}

/* A slider goes along x of its frames, a hinge turns about z. */
btTypedConstraint *make_constraint(RigidWorld &w, const SceneJoint &j)
{
    const SceneBody &child = w.parts.scene->bodies[j.child];
    const SceneBody *parent = j.parent == SCENE_WORLD ? nullptr : &w.parts.scene->bodies[j.parent];
    btRigidBody &b = *w.bodies[size_t(j.child)];
    btRigidBody &a = parent != nullptr ? *w.bodies[size_t(j.parent)] : btTypedConstraint::getFixedBody();
    btTransform X_AJ = frame_along(parent, j), X_BJ = frame_along(&child, j);
    if (j.kind == SCENE_BALL)
        return new btPoint2PointConstraint(a, b, X_AJ.getOrigin(), X_BJ.getOrigin());
    if (j.kind == SCENE_SLIDER) {
        auto *slider = new btSliderConstraint(a, b, X_AJ, X_BJ, true);
        slider->setLowerLinLimit(btScalar(std::isfinite(j.lower) ? j.lower : 1.0));
        slider->setUpperLinLimit(btScalar(std::isfinite(j.upper) ? j.upper : -1.0));
        return slider;
    }
    btTransform z_along_x(btMatrix3x3(0, 0, 1, 1, 0, 0, 0, 1, 0));
    auto *hinge = new btHingeConstraint(a, b, X_AJ * z_along_x, X_BJ * z_along_x, true);
    if (std::isfinite(j.lower) && std::isfinite(j.upper))
        hinge->setLimit(btScalar(j.lower), btScalar(j.upper));
    return hinge;
}

void *create_rigid(const SceneData *scene, const PeerOptions *options)
{
    RigidWorld *w = new RigidWorld(scene);
    w->world.setGravity(to_bullet(scene->gravity));
    w->world.getSolverInfo().m_numIterations = options->iterations;
    if (scene->has_floor)
        w->floor.reset(add_floor(w->parts, &w->world));
    for (int i = 0; i < scene->nbodies; i++)
        add_rigid_body(*w, i);
    for (int i = 0; i < scene->njoints; i++) {
        w->joints.emplace_back(make_constraint(*w, scene->joints[i]));
        w->world.addConstraint(w->joints.back().get(), true);
    }
    return w;
}

/* Whether a joint has efforts of its own, and which. */
bool has_effort(const SceneJoint &j)
{
    return j.driven || j.stiffness != 0.0 || j.damping != 0.0;
}

double effort(const SceneJoint &j, double t, double q, double rate)
{
    return scene_passive(&j, q, rate) + (j.driven ? scene_drive(&j, t, q, rate) : 0.0);
}

btVector3 world_axis(const RigidWorld &w, const SceneJoint &j)
{
    const SceneBody &b = w.parts.scene->bodies[j.child];
    return w.bodies[size_t(j.child)]->getWorldTransform().getBasis() * turned(b, j.axis);
}

/* The hinge tells its angle; rate and efforts are along its axis as the child carries it. */
void joint_rigid(void *world, int i, double *q, double *rate)
{
    const RigidWorld &w = *static_cast<RigidWorld *>(world);
    const SceneJoint &j = w.parts.scene->joints[i];
    btVector3 omega = w.bodies[size_t(j.child)]->getAngularVelocity();
    if (j.parent != SCENE_WORLD)
        omega -= w.bodies[size_t(j.parent)]->getAngularVelocity();
    *q = double(static_cast<btHingeConstraint *>(w.joints[size_t(i)].get())->getHingeAngle());
    *rate = double(world_axis(w, j).dot(omega));
}

void drive_rigid(RigidWorld &w)
{
    const SceneData *s = w.parts.scene;
    for (int i = 0; i < s->njoints; i++) {
        const SceneJoint &j = s->joints[i];
        if (!has_effort(j))
            continue;
        btRigidBody &child = *w.bodies[size_t(j.child)];
        btRigidBody *parent = j.parent != SCENE_WORLD ? w.bodies[size_t(j.parent)].get() : nullptr;
        btVector3 axis = world_axis(w, j);
        double q, rate;
        joint_rigid(&w, i, &q, &rate);
        double tau = effort(j, w.t, q, rate);
        child.applyTorque(axis * btScalar(tau));
        if (parent != nullptr)
            parent->applyTorque(axis * btScalar(-tau));
    }
}

void step_rigid(void *world)
{
    RigidWorld *w = static_cast<RigidWorld *>(world);
    drive_rigid(*w);
    w->t += w->parts.scene->dt;
    w->world.stepSimulation(btScalar(w->parts.scene->dt), 0);
}

void read_rigid(void *world, int i, SceneBodyState *out)
{
    const btRigidBody &b = *static_cast<RigidWorld *>(world)->bodies[size_t(i)];
    from_bullet(b.getWorldTransform(), out->X_WB);
    out->v = from_bullet(b.getLinearVelocity());
    out->w = from_bullet(b.getAngularVelocity());
}

void destroy_rigid(void *world)
{
    delete static_cast<RigidWorld *>(world);
}

/* ------------------------------------------------------------------ multibody */

/* Where a body of the scene went: tree and link, -1 its base. */
struct Place {
    int tree, link;
};

struct TreeWorld {
    Parts parts;
    btMultiBodyConstraintSolver solver;
    btMultiBodyDynamicsWorld world{&parts.dispatcher, &parts.broadphase, &solver, &parts.configuration};
    std::vector<std::unique_ptr<btMultiBody>> trees;
    std::vector<std::unique_ptr<btMultiBodyConstraint>> limits;
    std::vector<std::unique_ptr<btMultiBodyLinkCollider>> colliders;
    std::vector<Place> places;
    std::unique_ptr<btRigidBody> floor;
    double t = 0.0;

    explicit TreeWorld(const SceneData *s) : parts(s)
    {
    }

    ~TreeWorld()
    {
        for (auto &limit : limits)
            world.removeMultiBodyConstraint(limit.get());
        for (auto &tree : trees)
            world.removeMultiBody(tree.get());
        for (auto &collider : colliders)
            world.removeCollisionObject(collider.get());
        if (floor)
            world.removeRigidBody(floor.get());
    }
};

/* Joint that carries a body; NULL: none. */
const SceneJoint *joint_of(const SceneData *scene, int body)
{
    for (int i = 0; i < scene->njoints; i++)
        if (scene->joints[i].child == body)
            return &scene->joints[i];
    return nullptr;
}

/* Bodies beyond a body, itself excluded; parents come before children. */
std::vector<int> beyond(const SceneData *scene, int root)
{
    std::vector<int> found{root};
    for (int i = 0; i < scene->njoints; i++)
        for (size_t k = 0; k < found.size(); k++)
            if (scene->joints[i].parent == found[k]) {
                found.push_back(scene->joints[i].child);
                break;
            }
    found.erase(found.begin());
    return found;
}

void set_up_link(TreeWorld &w, btMultiBody *tree, int link, int body)
{
    const SceneData *s = w.parts.scene;
    const SceneBody &b = s->bodies[body];
    const SceneJoint &j = *joint_of(s, body);
    int parent = j.parent == SCENE_WORLD ? -1 : w.places[size_t(j.parent)].link;
    btTransform X_WP =
        j.parent == SCENE_WORLD ? btTransform::getIdentity() : to_bullet(s->bodies[j.parent].X_WB);
    btTransform X_WB = to_bullet(b.X_WB), X_PB = X_WP.inverse() * X_WB;
    btQuaternion rotation = X_PB.getRotation().inverse(); /* vectors of the parent into the link */
    btVector3 arm = X_WP.inverse() * to_bullet(j.anchor), com = -(X_WB.inverse() * to_bullet(j.anchor));
    btVector3 axis = turned(b, j.axis), rotor(1, 1, 1);
    rotor *= btScalar(j.armature);
    if (j.kind == SCENE_HINGE)
        tree->setupRevolute(link, btScalar(b.mass), to_bullet(b.moments) + rotor, parent, rotation, axis, arm,
                            com, true);
    else if (j.kind == SCENE_BALL)
        tree->setupSpherical(link, btScalar(b.mass), to_bullet(b.moments), parent, rotation, arm, com, true);
    else
        tree->setupPrismatic(link, btScalar(b.mass), to_bullet(b.moments), parent, rotation, axis, arm, com,
                             true);
    w.places[size_t(body)] = Place{int(w.trees.size()) - 1, link};
    if (std::isfinite(j.lower) && std::isfinite(j.upper))
        w.limits.emplace_back(
            new btMultiBodyJointLimitConstraint(tree, link, btScalar(j.lower), btScalar(j.upper)));
}

void add_collider(TreeWorld &w, btMultiBody *tree, int link, int body)
{
    btCollisionShape *shape = w.parts.shape_of(body);
    if (shape == nullptr)
        return;
    const SceneBody &b = w.parts.scene->bodies[body];
    auto *collider = new btMultiBodyLinkCollider(tree, link);
    collider->setCollisionShape(shape);
    collider->setWorldTransform(to_bullet(b.X_WB));
    w.parts.dress(collider, body);
    w.colliders.emplace_back(collider);
    w.world.addCollisionObject(collider, MOVING, ANYTHING);
    if (link < 0)
        tree->setBaseCollider(collider);
    else
        tree->getLink(link).m_collider = collider;
}

/* A tree with a body of its own as base (root >= 0), or hung up in the world. */
void add_tree(TreeWorld &w, int root)
{
    const SceneData *s = w.parts.scene;
    std::vector<int> links = beyond(s, root);
    bool hung = root == SCENE_WORLD || s->bodies[root].is_static;
    btScalar mass = hung ? btScalar(0) : btScalar(s->bodies[root].mass);
    btVector3 moments = hung ? btVector3(0, 0, 0) : to_bullet(s->bodies[root].moments);
    btMultiBody *tree = new btMultiBody(int(links.size()), mass, moments, hung, false);
    w.trees.emplace_back(tree);
    if (root != SCENE_WORLD) {
        w.places[size_t(root)] = Place{int(w.trees.size()) - 1, -1};
        tree->setBaseWorldTransform(to_bullet(s->bodies[root].X_WB));
    }
    for (size_t i = 0; i < links.size(); i++)
        set_up_link(w, tree, int(i), links[i]);
    tree->finalizeMultiDof();
    for (int i = 0; i < s->njoints; i++) {
        Place place = w.places[size_t(s->joints[i].child)];
        if (s->joints[i].kind == SCENE_HINGE && place.tree == int(w.trees.size()) - 1 && place.link >= 0)
            tree->setJointVel(place.link, btScalar(scene_hinge_rate(s, i)));
    }
    if (root != SCENE_WORLD) {
        tree->setBaseVel(to_bullet(s->bodies[root].v));
        tree->setBaseOmega(to_bullet(s->bodies[root].w));
    }
    tree->setLinearDamping(0);
    tree->setAngularDamping(0);
    tree->setCanSleep(false);
    tree->setHasSelfCollision(s->self);
    w.world.addMultiBody(tree);
    if (root != SCENE_WORLD)
        add_collider(w, tree, -1, root);
    for (size_t i = 0; i < links.size(); i++)
        add_collider(w, tree, int(i), links[i]);
}

void *create_tree(const SceneData *scene, const PeerOptions *options)
{
    TreeWorld *w = new TreeWorld(scene);
    w->world.setGravity(to_bullet(scene->gravity));
    w->world.getSolverInfo().m_numIterations = options->iterations;
    w->places.resize(size_t(scene->nbodies), Place{-1, -1});
    if (scene->has_floor)
        w->floor.reset(add_floor(w->parts, &w->world));
    bool hung = false;
    for (int i = 0; i < scene->nbodies; i++) {
        const SceneJoint *j = joint_of(scene, i);
        if (j == nullptr)
            add_tree(*w, i);
        hung = hung || (j != nullptr && j->parent == SCENE_WORLD);
    }
    if (hung)
        add_tree(*w, SCENE_WORLD);
    for (auto &limit : w->limits)
        w->world.addMultiBodyConstraint(limit.get());
    return w;
}

void joint_tree(void *world, int i, double *q, double *rate)
{
    TreeWorld *w = static_cast<TreeWorld *>(world);
    Place place = w->places[size_t(w->parts.scene->joints[i].child)];
    btMultiBody &tree = *w->trees[size_t(place.tree)];
    *q = double(tree.getJointPos(place.link));
    *rate = double(tree.getJointVel(place.link));
}

void step_tree(void *world)
{
    TreeWorld *w = static_cast<TreeWorld *>(world);
    const SceneData *s = w->parts.scene;
    for (int i = 0; i < s->njoints; i++) {
        const SceneJoint &j = s->joints[i];
        if (!has_effort(j))
            continue;
        Place place = w->places[size_t(j.child)];
        double q, rate;
        joint_tree(w, i, &q, &rate);
        w->trees[size_t(place.tree)]->addJointTorque(place.link, btScalar(effort(j, w->t, q, rate)));
    }
    w->t += s->dt;
    w->world.stepSimulation(btScalar(s->dt), 0);
}

/* Pose from the tree's coordinates; velocities by the library's own recursion, in the link's axes. */
void read_tree(void *world, int i, SceneBodyState *out)
{
    TreeWorld *w = static_cast<TreeWorld *>(world);
    Place place = w->places[size_t(i)];
    btMultiBody &tree = *w->trees[size_t(place.tree)];
    if (place.link < 0) {
        from_bullet(tree.getBaseWorldTransform(), out->X_WB);
        out->v = from_bullet(tree.getBaseVel());
        out->w = from_bullet(tree.getBaseOmega());
        return;
    }
    std::vector<btVector3> omega(size_t(tree.getNumLinks()) + 1), v(size_t(tree.getNumLinks()) + 1);
    tree.compTreeLinkVelocities(omega.data(), v.data());
    btVector3 zero(0, 0, 0);
    btMatrix3x3 identity = btMatrix3x3::getIdentity();
    btMatrix3x3 R = tree.localFrameToWorld(place.link, identity);
    from_bullet(btTransform(R, tree.localPosToWorld(place.link, zero)), out->X_WB);
    out->v = from_bullet(R * v[size_t(place.link) + 1]);
    out->w = from_bullet(R * omega[size_t(place.link) + 1]);
}

void destroy_tree(void *world)
{
    delete static_cast<TreeWorld *>(world);
}

/* ------------------------------------------------------------------ table entries */

const char *version()
{
    return PEER_VERSION;
}

const char *lacks(const SceneData *scene, const PeerOptions *options)
{
    for (int i = 0; i < scene->njoints; i++)
        if (scene->joints[i].driven && scene->joints[i].kind != SCENE_HINGE)
            return "no drives of other joints than hinges";
    return options->threads > 1 ? "no threads in the packaged build" : nullptr;
}

const char *lacks_rigid(const SceneData *scene, const PeerOptions *options)
{
    return scene_has_massless(scene) ? "no massless bodies" : lacks(scene, options);
}

const PeerEngine rigid = {"bullet" PRECISION "-si",
                          "Bullet SI" TITLE,
                          "sequential impulses, split impulse, default ERP and margins",
                          version,
                          lacks_rigid,
                          create_rigid,
                          step_rigid,
                          read_rigid,
                          destroy_rigid,
                          joint_rigid,
                          false};

const PeerEngine tree = {"bullet" PRECISION "-mb",
                         "Bullet multibody" TITLE,
                         "joint coordinates, sequential impulses for contacts",
                         version,
                         lacks,
                         create_tree,
                         step_tree,
                         read_tree,
                         destroy_tree,
                         joint_tree,
                         false};

} // namespace

extern "C" const PeerEngine *const *peer_engines(void)
{
    static const PeerEngine *const engines[] = {&rigid, &tree, nullptr};
    return engines;
}
