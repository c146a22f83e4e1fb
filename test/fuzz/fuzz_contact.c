/*
 * fuzz_contact.c - small scenes out of bytes: bodies, shapes, surfaces, joints, motors, any step length, both forms,
 * solvers quick and pgs (pgs:jacobi, there for comparison, may diverge), with sleep and threads; stepped 50 times.
 *
 * What must hold: a step is taken, with finite numbers and a finite report, or refused with the state as it was;
 * what neither bounces nor turns unevenly never becomes faster than gravity and the removal of overlaps make it; a
 * state saved in the middle goes on with the same bits in another world.
 */
#include "fuzz_bytes.h"

#include <rigor/rigor.h>

enum { MOST_BODIES = 6, STEPS = 50, HALF = 25 };

/* m/s that the removal of overlaps (0.1 m/s a contact, one after the other) may give the mass of all bodies. */
#define PUSH (0.1 * (MOST_BODIES + 1))

static const double tetrahedron[12] = {0.5, 0.0, -0.25, -0.25, 0.5, -0.25, -0.25, -0.5, -0.25, 0.0, 0.0, 0.5};
static const int32_t faces[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
static const double heights[9] = {0.25, 0.0, 0.25, 0.0, -0.125, 0.0, 0.25, 0.0, 0.375};

/* One scene while it is made. */
typedef struct Maker {
    Bytes *bytes;
    RgBuilder *builder;
    char names[4 * MOST_BODIES][8];
    int nnames;
    RgLinkId links[MOST_BODIES];
    int nlinks;
    bool tame; /* no bounce, no spring, no joint, every inertia a ball's: the bound on speed holds */
} Maker;

/* 10^(-tens ... tens), by steps of a tenth. */
static double take_scale(Bytes *b, int tens)
{
    return pow(10.0, (take(b) % (20 * tens + 1) - 10 * tens) / 10.0);
}

static const char *new_name(Maker *m)
{
    char *name = m->names[m->nnames];
    snprintf(name, sizeof m->names[0], "n%d", m->nnames++);
    return name;
}

static RgSurfaceDef take_surface(Maker *m)
{
    Bytes *b = m->bytes;
    RgSurfaceDef s = rg_shape_def_default().surface;
    int kinds = take(b);
    if (kinds & 1)
        s.mu = take(b) % 4 == 0 ? 0.0 : take_scale(b, 6);
    if (kinds & 2)
        s.mu2 = take_scale(b, 6);
    if (kinds & 4) {
        s.restitution = take(b) / 255.0;
        s.restitution_threshold = take_scale(b, 3);
        m->tame = m->tame && s.restitution == 0.0;
    }
    if (kinds & 8) {
        s.kp = take_scale(b, 12);
        s.kd = take_scale(b, 6);
        m->tame = false; /* a spring that begins under load gives back what it holds */
    }
    if (kinds & 16)
        s.slip1 = s.slip2 = take_scale(b, 6);
    if (kinds & 32)
        s.torsional = s.rolling = take_scale(b, 3);
    if (kinds & 64)
        s.min_depth = take_scale(b, 3);
    if (kinds & 128)
        s.fdir1 = take_vec(b, 1.0);
    return s;
}

static void add_shape(Maker *m, RgLinkId link, RgShapeType type)
{
    Bytes *b = m->bytes;
    RgShapeDef def = rg_shape_def_default();
    def.type = type;
    def.link = link;
    double all = take_scale(b, 2);
    bool odd = take(b) % 2 == 1;
    for (int i = 0; i < 3; i++)
        def.size[i] = odd ? take_scale(b, 2) : all;
    if (type == RG_SHAPE_polytope || type == RG_SHAPE_mesh)
        def.mesh = (RgMeshData){
            .vertices = tetrahedron, .nvertices = 4, .faces = faces, .nfaces = type == RG_SHAPE_mesh ? 4 : 0};
    if (type == RG_SHAPE_heightfield) {
        def.heights = heights;
        def.rows = def.columns = 3;
    }
    if (take(b) % 3 == 0) {
        def.X_LS.R = take_rotation(b);
        def.X_LS.p = take_vec(b, all);
    }
    def.surface = take_surface(m);
    rg_builder_add_shape(m->builder, &def);
}

static void add_body(Maker *m)
{
    Bytes *b = m->bytes;
    RgLinkDef def = rg_link_def_default();
    double mass = take_scale(b, 4), size = take_scale(b, 2), I = 0.1 * mass * size * size;
    def.name = new_name(m);
    def.inertia = (RgInertia){mass, {0.0, 0.0, 0.0}, {I, I, I, 0.0, 0.0, 0.0}};
    if (take(b) % 4 == 0) {
        def.inertia.I.zz = 0.2 * I;
        def.inertia.com = take_vec(b, size);
        m->tame = false;
    }
    def.X_WL.R = take_rotation(b);
    def.X_WL.p = take(b) % 4 == 0 ? (RgVec3){0.0, 0.0, 0.0} : take_vec(b, take_scale(b, 1));
    def.self_collide = true;
    RgLinkId link = rg_builder_add_link(m->builder, &def);
    if (link.i == 0)
        return;
    m->links[m->nlinks++] = link;
    add_shape(m, link, (RgShapeType)(take(b) % RG_SHAPE_halfspace));
    if (take(b) % 4 == 0)
        add_shape(m, link, (RgShapeType)(take(b) % RG_SHAPE_halfspace));
}

/* A joint between any two links, or to the world. */
static void add_joint(Maker *m)
{
    Bytes *b = m->bytes;
    RgJointDef def = rg_joint_def_default();
    int child = take(b) % m->nlinks, parent = take(b) % (m->nlinks + 1);
    def.name = new_name(m);
    def.type = (RgJointType)(take(b) % RG_JOINT_free);
    def.child = m->links[child];
    if (parent < m->nlinks)
        def.parent = m->links[parent];
    def.X_PJ.p = take_vec(b, take_scale(b, 1));
    def.X_CJ.p = take_vec(b, take_scale(b, 1));
    def.axis = (RgVec3){take_unit(b), take_unit(b), 1.0};
    def.axis2 = (RgVec3){1.0, take_unit(b), 0.0};
    def.may_close_loop = true;
    for (int i = 0; i < 3; i++) {
        int kinds = take(b);
        if (kinds & 1) {
            def.dof[i].lower = -fabs(take_unit(b));
            def.dof[i].upper = fabs(take_unit(b));
        }
        if (kinds & 2)
            def.dof[i].damping = take_scale(b, 6);
        if (kinds & 4)
            def.dof[i].friction = take_scale(b, 3);
    }
    m->tame = false;
    rg_builder_add_joint(m->builder, &def);
}

static RgModel *take_model(Bytes *b, bool *tame)
{
    static const RgShapeType grounds[4] = {RG_SHAPE_halfspace, RG_SHAPE_box, RG_SHAPE_heightfield, RG_SHAPE_mesh};
    Maker m = {.bytes = b, .builder = rg_builder_create(NULL, NULL), .tame = true};
    MUST(m.builder != NULL);
    add_shape(&m, (RgLinkId){0}, grounds[take(b) % 4]);
    int bodies = 1 + take(b) % MOST_BODIES, joints = take(b) % 4 - 1;
    for (int i = 0; i < bodies; i++)
        add_body(&m);
    for (int i = 0; i < joints && m.nlinks > 0; i++)
        add_joint(&m);
    *tame = m.tame;
    RgModel *model = rg_builder_finish(m.builder, NULL);
    rg_builder_destroy(m.builder);
    return model;
}

static RgWorldDef take_def(Bytes *b)
{
    RgWorldDef def = rg_world_def_default();
    def.coords = rg_coords_name(take(b) % rg_coords_count());
    def.solver = take(b) % 2 == 0 ? "quick" : "pgs";
    int kinds = take(b);
    def.threads = kinds & 1 ? 2 : 1;
    def.sleeping = (kinds & 6) == 6;
    def.sleep_time = 0.02;
    def.sleep_speed = 0.1;
    if (kinds & 8)
        def.gravity = take_vec(b, 10.0);
    return def;
}

static bool all_finite(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

static char *saved(const RgWorld *world, size_t *size)
{
    *size = rg_world_state_size(world);
    char *state = malloc(*size);
    MUST(state != NULL);
    rg_world_state_save(world, state);
    return state;
}

/* One step; whether it was taken. */
static bool step(RgWorld *world, double h)
{
    RgModelInfo info = rg_model_info(rg_world_model(world));
    RgStepReport r;
    size_t before, after;
    char *old = saved(world, &before);
    RgStatus status = rg_world_step(world, h, &r);
    if (status != RG_OK) {
        char *now = saved(world, &after);
        MUST(before == after && memcmp(old, now, before) == 0);
        free(now);
    } else {
        const RgContactForce *f;
        int count = rg_world_contact_forces(world, &f);
        MUST(isfinite(r.residual) && isfinite(r.contact_work) && isfinite(r.joint_error) && isfinite(r.projected));
        MUST(r.sweeps >= 0 && r.sweeps <= 200 && r.contacts >= 0);
        for (int i = 0; i < count; i++)
            MUST(vec_is_finite(f[i].force) && vec_is_finite(f[i].slip) && isfinite(f[i].gap));
    }
    MUST(all_finite(rg_world_q(world), info.nq) && all_finite(rg_world_v(world), info.nv));
    free(old);
    return status == RG_OK;
}

/* Root of the mean square speed of all mass. */
static double speed_of(RgWorld *world, double mass)
{
    RgMomentum m;
    MUST(rg_world_momentum(world, &m) == RG_OK);
    return sqrt(2.0 * m.kinetic / mass);
}

/* Runs both worlds from a state of the first. */
static void compare(RgWorld *world, const RgWorldDef *def, double h, int steps)
{
    RgWorld *twin = rg_world_create(def, NULL);
    MUST(twin != NULL);
    size_t size, size_twin;
    char *state = saved(world, &size);
    MUST(rg_world_state_load(twin, state, size) == RG_OK);
    free(state);
    for (int i = 0; i < steps; i++)
        MUST(step(world, h) == step(twin, h));
    state = saved(world, &size);
    char *other = saved(twin, &size_twin);
    MUST(size == size_twin && memcmp(state, other, size) == 0);
    free(state);
    free(other);
    rg_world_destroy(twin);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const double steps[5] = {1e-4, 1e-3, 1e-2, 0.1, 1.0};
    Bytes b = {data, size};
    bool tame;
    double h = steps[take(&b) % 5];
    RgWorldDef def = take_def(&b);
    RgModel *model = take_model(&b, &tame);
    if (model == NULL)
        return 0;
    def.model = model;
    RgWorld *world = rg_world_create(&def, NULL);
    if (world != NULL) {
        double mass = rg_model_info(model).mass, bound = PUSH;
        RgVec3 g = def.gravity;
        for (int i = 0; i < HALF; i++) {
            bool taken = step(world, h);
            bound += h * sqrt(g.x * g.x + g.y * g.y + g.z * g.z);
            MUST(!tame || (taken && speed_of(world, mass) <= bound * (1.0 + 1e-9)));
        }
        compare(world, &def, h, STEPS - HALF);
    }
    rg_world_destroy(world);
    rg_model_destroy(model);
    return 0;
}
