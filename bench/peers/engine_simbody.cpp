/*
 * engine_simbody.cpp - the scenes in Simbody: joint coordinates, rigid contacts between declared features.
 *
 * Settings: SemiExplicitEulerTimeStepper with its rigid unilateral contacts and the library's defaults
 * (PLUS impulse solver, position projection), one step of dt a call, static and dynamic friction both mu;
 * no sleeping. Balls stand on the floor by SpherePlaneContact, boxes by their eight corners.
 *
 * simbody-merson, simbody-cpodes: steps chosen by an accuracy (explicit Runge-Kutta-Merson; implicit BDF of CPodes), and
 * the compliant contacts that the library means for them: Hertz for balls, penalty for the corners of boxes; stiffness 1e7
 * Pa, dissipation 10 s/m, friction mu with a transition velocity of 1 mm/s. Bodies sink in and creep a little: their error
 * against rigid contact has a floor. There is no coefficient of restitution.
 *
 * Joint limits are left out: no scene reaches them. The library knows no rigid contact of box and box, and
 * every pair must be declared beforehand: S1, S2 and S3 with their kin are left out. It has no threads.
 */
#include "engine.h"

#include <Simbody.h>

#include <cmath>
#include <memory>
#include <vector>

namespace {

using SimTK::MobilizedBody;
using SimTK::Transform;
using SimTK::Vec3;

/* Pa, s/m, m/s: of compliant contacts. */
const double STIFFNESS = 1e7, DISSIPATION = 10.0, TRANSITION = 1e-3;

struct SimbodyWorld {
    const SceneData *scene;
    SimTK::MultibodySystem system;
    SimTK::SimbodyMatterSubsystem matter{system};
    SimTK::GeneralForceSubsystem forces{system};
    SimTK::Force::Gravity gravity;
    SimTK::Force::DiscreteForces drives{forces, matter};
    std::vector<MobilizedBody> bodies;
    std::unique_ptr<SimTK::SemiExplicitEulerTimeStepper> stepper;
    /* Of those that choose their steps. */
    std::unique_ptr<SimTK::ContactTrackerSubsystem> tracker;
    std::unique_ptr<SimTK::CompliantContactSubsystem> compliant;
    std::unique_ptr<SimTK::Integrator> integrator;
    std::unique_ptr<SimTK::TimeStepper> stepper_by_error;
    int count = 0;       /* steps done */
    bool failed = false; /* a step could not be made */

    explicit SimbodyWorld(const SceneData *s)
        : scene(s), gravity(forces, matter, Vec3(s->gravity.x, s->gravity.y, s->gravity.z))
    {
    }
};

Vec3 to_simbody(RgVec3 v)
{
    return Vec3(v.x, v.y, v.z);
}

Transform to_simbody(const RgPose &X)
{
    SimTK::Mat33 R;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            R(i, k) = X.R.m[i][k];
    return Transform(SimTK::Rotation(R), to_simbody(X.p));
}

RgVec3 from_simbody(const Vec3 &v)
{
    return RgVec3{v[0], v[1], v[2]};
}

/* ------------------------------------------------------------------ making */

SimTK::ContactSurface surface_of(const SceneData *scene, const SimTK::ContactGeometry &geometry)
{
    return SimTK::ContactSurface(
        geometry, SimTK::ContactMaterial(STIFFNESS, DISSIPATION, scene->mu, scene->mu, 0.0), 1.0);
}

/* Compliant surfaces go with the body; those of one group do not meet. */
void add_surfaces(const SceneData *scene, int body, SimTK::Body::Rigid &rigid, SimTK::ContactCliqueId clique)
{
    for (int i = 0; i < scene->nshapes; i++) {
        const SceneShape &s = scene->shapes[i];
        if (s.body != body)
            continue;
        SimTK::ContactSurface surface =
            s.kind == SCENE_SPHERE
                ? surface_of(scene, SimTK::ContactGeometry::Sphere(s.size[0]))
                : surface_of(scene,
                             SimTK::ContactGeometry::Brick(0.5 * Vec3(s.size[0], s.size[1], s.size[2])));
        if (scene->bodies[body].group >= 0)
            surface.joinClique(clique);
        rigid.addContactSurface(to_simbody(s.X_BS), surface);
    }
}

SimTK::Body::Rigid body_of(const SceneBody &b)
{
    return SimTK::Body::Rigid(
        SimTK::MassProperties(b.mass, Vec3(0), SimTK::Inertia(b.moments.x, b.moments.y, b.moments.z)));
}

/* A frame at the anchor with an axis along the joint's: pins turn about z, sliders go along x. */
Transform joint_frame(const SceneJoint &j)
{
    if (j.kind == SCENE_BALL)
        return Transform(to_simbody(j.anchor));
    SimTK::CoordinateAxis axis = j.kind == SCENE_HINGE ? SimTK::CoordinateAxis(2) : SimTK::CoordinateAxis(0);
    return Transform(SimTK::Rotation(SimTK::UnitVec3(to_simbody(j.axis)), axis), to_simbody(j.anchor));
}

void add_jointed(SimbodyWorld &w, const SceneJoint &j)
{
    const SceneBody &b = w.scene->bodies[j.child];
    Transform X_WJ = joint_frame(j), X_BJ = ~to_simbody(b.X_WB) * X_WJ, X_PJ = X_WJ;
    if (j.parent != SCENE_WORLD)
        X_PJ = ~to_simbody(w.scene->bodies[j.parent].X_WB) * X_WJ;
    MobilizedBody &parent = j.parent != SCENE_WORLD ? w.bodies[size_t(j.parent)] : w.matter.updGround();
    if (j.kind == SCENE_HINGE)
        w.bodies[size_t(j.child)] = MobilizedBody::Pin(parent, X_PJ, body_of(b), X_BJ);
    else if (j.kind == SCENE_SLIDER)
        w.bodies[size_t(j.child)] = MobilizedBody::Slider(parent, X_PJ, body_of(b), X_BJ);
    else
        w.bodies[size_t(j.child)] = MobilizedBody::Ball(parent, X_PJ, body_of(b), X_BJ);
}

void add_point(SimbodyWorld &w, MobilizedBody &body, const Vec3 &p)
{
    double mu = w.scene->mu;
    w.matter.adoptUnilateralContact(new SimTK::PointPlaneContact(w.matter.updGround(),
                                                                 SimTK::UnitVec3(SimTK::ZAxis), 0.0, body, p,
                                                                 w.scene->restitution, mu, mu, 0.0));
}

void add_contacts(SimbodyWorld &w, const SceneShape &s)
{
    MobilizedBody &body = w.bodies[size_t(s.body)];
    double mu = w.scene->mu;
    if (s.kind == SCENE_SPHERE) {
        w.matter.adoptUnilateralContact(new SimTK::SpherePlaneContact(
            w.matter.updGround(), SimTK::UnitVec3(SimTK::ZAxis), 0.0, body, to_simbody(s.X_BS.p), s.size[0],
            w.scene->restitution, mu, mu, 0.0));
        return;
    }
    Transform X_BS = to_simbody(s.X_BS);
    for (int i = 0; i < 8; i++) {
        Vec3 corner((i & 1 ? 0.5 : -0.5) * s.size[0], (i & 2 ? 0.5 : -0.5) * s.size[1],
                    (i & 4 ? 0.5 : -0.5) * s.size[2]);
        add_point(w, body, X_BS * corner);
    }
}

/* Free bodies stand where the scene says, with its velocities; joints are at 0. */
SimTK::State start(SimbodyWorld &w)
{
    SimTK::State state = w.system.realizeTopology();
    w.system.realizeModel(state);
    std::vector<bool> jointed(size_t(w.scene->nbodies), false);
    for (int i = 0; i < w.scene->njoints; i++)
        jointed[size_t(w.scene->joints[i].child)] = true;
    for (int i = 0; i < w.scene->nbodies; i++) {
        const SceneBody &b = w.scene->bodies[i];
        if (jointed[size_t(i)] || b.is_static)
            continue;
        w.bodies[size_t(i)].setQToFitTransform(state, to_simbody(b.X_WB));
        w.bodies[size_t(i)].setUToFitVelocity(state, SimTK::SpatialVec(to_simbody(b.w), to_simbody(b.v)));
    }
    return state;
}

/* compliant: contacts that give way, as surfaces of the bodies. */
SimbodyWorld *make(const SceneData *scene, bool compliant)
{
    SimbodyWorld *w = new SimbodyWorld(scene);
    SimTK::ContactCliqueId clique = SimTK::ContactSurface::createNewContactClique();
    if (compliant && scene->nshapes > 0) {
        w->tracker.reset(new SimTK::ContactTrackerSubsystem(w->system));
        w->compliant.reset(new SimTK::CompliantContactSubsystem(w->system, *w->tracker));
        w->compliant->setTransitionVelocity(TRANSITION);
        /* The half-space is x > 0 of its frame: x down. */
        w->matter.Ground().updBody().addContactSurface(
            Transform(SimTK::Rotation(SimTK::Pi / 2, SimTK::YAxis), Vec3(0)),
            surface_of(scene, SimTK::ContactGeometry::HalfSpace()));
    }
    w->bodies.resize(size_t(scene->nbodies));
    std::vector<bool> jointed(size_t(scene->nbodies), false);
    for (int i = 0; i < scene->njoints; i++)
        jointed[size_t(scene->joints[i].child)] = true;
    for (int i = 0; i < scene->nbodies; i++) {
        const SceneBody &b = scene->bodies[i];
        if (!jointed[size_t(i)] && b.is_static)
            w->bodies[size_t(i)] =
                MobilizedBody::Weld(w->matter.updGround(), to_simbody(b.X_WB), body_of(b), Transform());
        else if (!jointed[size_t(i)]) {
            SimTK::Body::Rigid rigid = body_of(b);
            if (compliant)
                add_surfaces(scene, i, rigid, clique);
            w->bodies[size_t(i)] =
                MobilizedBody::Free(w->matter.updGround(), Transform(), rigid, Transform());
        }
    }
    for (int i = 0; i < scene->njoints; i++)
        add_jointed(*w, scene->joints[i]);
    for (int i = 0; !compliant && scene->has_floor && i < scene->nshapes; i++)
        add_contacts(*w, scene->shapes[i]);
    return w;
}

void *create(const SceneData *scene, const PeerOptions *)
{
    SimbodyWorld *w = make(scene, false);
    SimTK::State state = start(*w);
    w->stepper.reset(new SimTK::SemiExplicitEulerTimeStepper(w->system));
    w->stepper->initialize(state);
    return w;
}

void *create_by_error(const SceneData *scene, double accuracy, bool implicit)
{
    SimbodyWorld *w = make(scene, true);
    SimTK::State state = start(*w);
    if (implicit)
        w->integrator.reset(new SimTK::CPodesIntegrator(w->system, SimTK::CPodes::BDF));
    else
        w->integrator.reset(new SimTK::RungeKuttaMersonIntegrator(w->system));
    w->integrator->setAccuracy(accuracy);
    w->stepper_by_error.reset(new SimTK::TimeStepper(w->system, *w->integrator));
    w->stepper_by_error->initialize(state);
    return w;
}

void *create_merson(const SceneData *scene, const PeerOptions *options)
{
    return create_by_error(scene, options->accuracy, false);
}

void *create_cpodes(const SceneData *scene, const PeerOptions *options)
{
    return create_by_error(scene, options->accuracy, true);
}

/* ------------------------------------------------------------------ stepping */

void step(void *world)
{
    SimbodyWorld *w = static_cast<SimbodyWorld *>(world);
    SimTK::State &state = w->stepper->updState();
    for (int i = 0; i < w->scene->njoints; i++) {
        const SceneJoint &j = w->scene->joints[i];
        if (!j.driven)
            continue;
        const MobilizedBody &body = w->bodies[size_t(j.child)];
        double tau = scene_drive(&j, w->count * w->scene->dt, body.getOneQ(state, 0), body.getOneU(state, 0));
        w->drives.setOneMobilityForce(state, body, SimTK::MobilizerUIndex(0), tau);
    }
    w->count++;
    w->stepper->stepTo(w->count * w->scene->dt);
}

/* A step that the integrator cannot make ends the run: the state stays as it is. */
void step_by_error(void *world)
{
    SimbodyWorld *w = static_cast<SimbodyWorld *>(world);
    w->count++;
    try {
        if (!w->failed)
            w->stepper_by_error->stepTo(w->count * w->scene->dt);
    } catch (const std::exception &) {
        w->failed = true;
    }
}

void read_body(void *world, int i, SceneBodyState *out)
{
    SimbodyWorld *w = static_cast<SimbodyWorld *>(world);
    const SimTK::State &state = w->stepper ? w->stepper->getState() : w->stepper_by_error->getState();
    w->system.realize(state, SimTK::Stage::Velocity);
    const MobilizedBody &body = w->bodies[size_t(i)];
    const Transform &X = body.getBodyTransform(state);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            out->X_WB.R.m[r][c] = X.R()[r][c];
    out->X_WB.p = from_simbody(X.p());
    if (w->failed)
        out->X_WB.p = RgVec3{NAN, NAN, NAN};
    out->v = from_simbody(body.getBodyOriginVelocity(state));
    out->w = from_simbody(body.getBodyAngularVelocity(state));
}

void destroy(void *world)
{
    delete static_cast<SimbodyWorld *>(world);
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
    bool grouped = true;
    for (int i = 0; i < scene->nshapes; i++) {
        grouped = grouped && scene->bodies[scene->shapes[i].body].group >= 0;
        if (scene->shapes[i].kind == SCENE_CAPSULE || scene->shapes[i].kind == SCENE_CYLINDER)
            return "no rigid contact of capsules and cylinders";
    }
    if (!grouped)
        return scene->shapes[0].kind == SCENE_BOX ? "no rigid contact of box and box"
                                                  : "no broad phase: every pair must be declared";
    return options->threads > 1 ? "no threads" : nullptr;
}

const char *lacks_by_error(const SceneData *scene, const PeerOptions *options)
{
    if (options->accuracy <= 0.0)
        return "chooses its steps by an accuracy: rigor-bench-precision";
    for (int i = 0; i < scene->njoints; i++)
        if (scene->joints[i].driven)
            return "drives are given at fixed steps";
    for (int i = 0; i < scene->nshapes; i++)
        if (scene->shapes[i].kind != SCENE_SPHERE && scene->shapes[i].kind != SCENE_BOX)
            return "no compliant contact of capsules and cylinders";
        else if (scene->shapes[i].kind == SCENE_BOX && scene->bodies[scene->shapes[i].body].group < 0)
            return "no compliant contact of box and box";
    return scene->restitution > 0.0 ? "no restitution: contacts are compliant" : nullptr;
}

const PeerEngine engine = {
    "simbody", "Simbody", "semi-explicit Euler time stepper, rigid contacts, PLUS impulse solver",
    version,   lacks,     create,
    step,      read_body, destroy,
    nullptr,   false};

const PeerEngine merson = {"simbody-merson",
                           "Simbody Merson",
                           "RungeKuttaMersonIntegrator by accuracy, compliant contacts (Hertz, 1e7 Pa)",
                           version,
                           lacks_by_error,
                           create_merson,
                           step_by_error,
                           read_body,
                           destroy,
                           nullptr,
                           true};

const PeerEngine cpodes = {"simbody-cpodes",
                           "Simbody CPodes",
                           "CPodesIntegrator (BDF) by accuracy, compliant contacts (Hertz, 1e7 Pa)",
                           version,
                           lacks_by_error,
                           create_cpodes,
                           step_by_error,
                           read_body,
                           destroy,
                           nullptr,
                           true};

} // namespace

extern "C" const PeerEngine *const *peer_engines(void)
{
    static const PeerEngine *const engines[] = {&engine, &merson, &cpodes, nullptr};
    return engines;
}
