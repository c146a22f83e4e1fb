/*
 * engine_dart.cpp - the scenes in DART: joint coordinates and a boxed complementarity problem.
 *
 * Settings: the library's defaults (Dantzig's method with projected Gauss-Seidel as the way out,
 * semi-implicit Euler, error reduction 0.01); collision by the library's own detector, whose box-box
 * routine gives four points and more, because the default one turns boxes into meshes; the floor is a large
 * box, as that detector has no plane; mu on every shape; no sleeping exists. Free bodies are skeletons of
 * one; a skeleton does not touch itself.
 *
 * Its matrices are dense: S2 and S3 are out of reach. It has no threads.
 */
#include "engine.h"

/* Not dart/dart.hpp: it wants a header of another package. */
#include <dart/collision/dart/DARTCollisionDetector.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/BoxShape.hpp>
#include <dart/dynamics/CapsuleShape.hpp>
#include <dart/dynamics/CylinderShape.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/SphereShape.hpp>
#include <dart/dynamics/WeldJoint.hpp>
#include <dart/simulation/World.hpp>

#include <cmath>
#include <memory>
#include <vector>

namespace {

using dart::dynamics::BodyNode;
using dart::dynamics::Skeleton;
using dart::dynamics::SkeletonPtr;

/* S3 with its 210 boxes did not finish a step in a minute. */
const int MANY_SHAPES = 150;

struct DartWorld {
    const SceneData *scene;
    dart::simulation::WorldPtr world;
    std::vector<SkeletonPtr> skeletons;
    std::vector<BodyNode *> bodies;
    std::vector<dart::dynamics::Joint *> joints; /* of the scene's joints */
};

Eigen::Vector3d to_dart(RgVec3 v)
{
    return Eigen::Vector3d(v.x, v.y, v.z);
}

Eigen::Isometry3d to_dart(const RgPose &X)
{
    Eigen::Isometry3d out = Eigen::Isometry3d::Identity();
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out.linear()(i, k) = X.R.m[i][k];
    out.translation() = to_dart(X.p);
    return out;
}

RgVec3 from_dart(const Eigen::Vector3d &v)
{
    return RgVec3{v.x(), v.y(), v.z()};
}

/* ------------------------------------------------------------------ making */

dart::dynamics::ShapePtr make_shape(const SceneShape &s)
{
    switch (s.kind) {
    case SCENE_BOX:
        return std::make_shared<dart::dynamics::BoxShape>(Eigen::Vector3d(s.size[0], s.size[1], s.size[2]));
    case SCENE_SPHERE:
        return std::make_shared<dart::dynamics::SphereShape>(s.size[0]);
    case SCENE_CAPSULE:
        return std::make_shared<dart::dynamics::CapsuleShape>(s.size[0], s.size[1]);
    default:
        return std::make_shared<dart::dynamics::CylinderShape>(s.size[0], s.size[1]);
    }
}

void attach(const SceneData *scene, BodyNode *body, const dart::dynamics::ShapePtr &shape,
            const Eigen::Isometry3d &X)
{
    auto *node =
        body->createShapeNodeWith<dart::dynamics::CollisionAspect, dart::dynamics::DynamicsAspect>(shape);
    node->setRelativeTransform(X);
    node->getDynamicsAspect()->setFrictionCoeff(scene->mu);
    node->getDynamicsAspect()->setRestitutionCoeff(scene->restitution);
}

void finish_body(DartWorld &w, int i, BodyNode *body)
{
    const SceneBody &b = w.scene->bodies[i];
    body->setInertia(
        dart::dynamics::Inertia(b.mass, Eigen::Vector3d::Zero(), to_dart(b.moments).asDiagonal()));
    w.bodies[size_t(i)] = body;
    for (int k = 0; k < w.scene->nshapes; k++)
        if (w.scene->shapes[k].body == i)
            attach(w.scene, body, make_shape(w.scene->shapes[k]), to_dart(w.scene->shapes[k].X_BS));
}

void add_root(DartWorld &w, int i)
{
    const SceneBody &b = w.scene->bodies[i];
    SkeletonPtr skeleton = Skeleton::create(b.name);
    w.skeletons.push_back(skeleton);
    if (b.is_static) {
        auto pair = skeleton->createJointAndBodyNodePair<dart::dynamics::WeldJoint>();
        pair.first->setTransformFromParentBodyNode(to_dart(b.X_WB));
        finish_body(w, i, pair.second);
    } else {
        auto pair = skeleton->createJointAndBodyNodePair<dart::dynamics::FreeJoint>();
        finish_body(w, i, pair.second);
        pair.first->setTransform(to_dart(b.X_WB));
        pair.first->setLinearVelocity(to_dart(b.v));
        pair.first->setAngularVelocity(to_dart(b.w));
    }
}

/* Axes in the joint frame, which has the world's axes at the start. */
template <class Kind>
BodyNode *add_linked(DartWorld &w, const SkeletonPtr &skeleton, BodyNode *parent, int joint)
{
    const SceneJoint &j = w.scene->joints[joint];
    auto pair = skeleton->createJointAndBodyNodePair<Kind>(parent);
    RgPose X_WJ = rg_pose_identity();
    X_WJ.p = j.anchor;
    RgPose X_CW = rg_pose_inverse(&w.scene->bodies[j.child].X_WB), X_PW = rg_pose_identity();
    if (j.parent != SCENE_WORLD)
        X_PW = rg_pose_inverse(&w.scene->bodies[j.parent].X_WB);
    pair.first->setName(j.name);
    pair.first->setTransformFromParentBodyNode(to_dart(rg_pose_mul(&X_PW, &X_WJ)));
    pair.first->setTransformFromChildBodyNode(to_dart(rg_pose_mul(&X_CW, &X_WJ)));
    if (std::isfinite(j.lower) && std::isfinite(j.upper)) {
        pair.first->setPositionLowerLimit(0, j.lower);
        pair.first->setPositionUpperLimit(0, j.upper);
        pair.first->setLimitEnforcement(true);
    }
    w.joints[size_t(joint)] = pair.first;
    return pair.second;
}

void add_jointed(DartWorld &w, int i)
{
    const SceneJoint &j = w.scene->joints[i];
    BodyNode *parent = j.parent != SCENE_WORLD ? w.bodies[size_t(j.parent)] : nullptr;
    SkeletonPtr skeleton = parent != nullptr ? parent->getSkeleton() : Skeleton::create(j.name);
    if (parent == nullptr)
        w.skeletons.push_back(skeleton);
    BodyNode *body;
    if (j.kind == SCENE_HINGE) {
        body = add_linked<dart::dynamics::RevoluteJoint>(w, skeleton, parent, i);
        static_cast<dart::dynamics::RevoluteJoint *>(w.joints[size_t(i)])->setAxis(to_dart(j.axis));
    } else if (j.kind == SCENE_SLIDER) {
        body = add_linked<dart::dynamics::PrismaticJoint>(w, skeleton, parent, i);
        static_cast<dart::dynamics::PrismaticJoint *>(w.joints[size_t(i)])->setAxis(to_dart(j.axis));
    } else {
        body = add_linked<dart::dynamics::BallJoint>(w, skeleton, parent, i);
    }
    finish_body(w, j.child, body);
}

void add_floor(DartWorld &w)
{
    SkeletonPtr skeleton = Skeleton::create("floor");
    auto pair = skeleton->createJointAndBodyNodePair<dart::dynamics::WeldJoint>();
    Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
    X.translation() = Eigen::Vector3d(0.0, 0.0, -1.0);
    attach(w.scene, pair.second,
           std::make_shared<dart::dynamics::BoxShape>(Eigen::Vector3d(1000.0, 1000.0, 2.0)), X);
    w.world->addSkeleton(skeleton);
}

void *create(const SceneData *scene, const PeerOptions *)
{
    DartWorld *w = new DartWorld{scene, dart::simulation::World::create(), {}, {}, {}};
    w->bodies.resize(size_t(scene->nbodies));
    w->joints.resize(size_t(scene->njoints));
    w->world->getConstraintSolver()->setCollisionDetector(dart::collision::DARTCollisionDetector::create());
    w->world->setTimeStep(scene->dt);
    w->world->setGravity(to_dart(scene->gravity));
    std::vector<bool> jointed(size_t(scene->nbodies), false);
    for (int i = 0; i < scene->njoints; i++)
        jointed[size_t(scene->joints[i].child)] = true;
    for (int i = 0; i < scene->nbodies; i++)
        if (!jointed[size_t(i)])
            add_root(*w, i);
    for (int i = 0; i < scene->njoints; i++)
        add_jointed(*w, i);

    /* A skeleton enters the world when it is whole. */
    for (const SkeletonPtr &skeleton : w->skeletons)
        w->world->addSkeleton(skeleton);
    if (scene->has_floor)
        add_floor(*w);
    return w;
}

/* ------------------------------------------------------------------ stepping */

void step(void *world)
{
    DartWorld *w = static_cast<DartWorld *>(world);
    for (int i = 0; i < w->scene->njoints; i++) {
        const SceneJoint &j = w->scene->joints[i];
        dart::dynamics::Joint *joint = w->joints[size_t(i)];
        if (j.driven)
            joint->setForce(
                0, scene_drive(&j, w->world->getTime(), joint->getPosition(0), joint->getVelocity(0)));
    }
    w->world->step();
}

void read_body(void *world, int i, SceneBodyState *out)
{
    const BodyNode *body = static_cast<DartWorld *>(world)->bodies[size_t(i)];
    const Eigen::Isometry3d &X = body->getTransform();
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            out->X_WB.R.m[r][c] = X.linear()(r, c);
    out->X_WB.p = from_dart(X.translation());
    out->v = from_dart(body->getCOMLinearVelocity());
    out->w = from_dart(body->getAngularVelocity());
}

void destroy(void *world)
{
    delete static_cast<DartWorld *>(world);
}

/* ------------------------------------------------------------------ table entry */

const char *version()
{
    return PEER_VERSION;
}

const char *lacks(const SceneData *scene, const PeerOptions *options)
{
    if (scene->measure[0] != '\0')
        return "not set up for scenes in motion";
    for (int i = 0; i < scene->nshapes; i++)
        if (scene->shapes[i].kind == SCENE_CAPSULE || scene->shapes[i].kind == SCENE_CYLINDER)
            return "no capsules and cylinders in the detector used here";
    if (scene->nshapes > MANY_SHAPES)
        return "dense matrices: a minute and more a step";
    return options->threads > 1 ? "no threads" : nullptr;
}

const PeerEngine engine = {
    "dart",  "DART",    "Dantzig boxed LCP, own collision detector, all else by default",
    version, lacks,     create,
    step,    read_body, destroy,
    nullptr, false};

} // namespace

extern "C" const PeerEngine *const *peer_engines(void)
{
    static const PeerEngine *const engines[] = {&engine, nullptr};
    return engines;
}
