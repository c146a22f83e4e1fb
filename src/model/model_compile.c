/*
 * model_compile.c - compiles the builder's lists into the immutable model.
 *
 *  1. Tree. In file order, each joint becomes the tree joint of its child link, unless the link has one already or the
 *     joint would close a cycle. A remaining joint whose parent link is still a root is reversed: it becomes the tree
 *     joint of its parent link (possible for welds and one-axis kinds, whose inverse motion is the motion about the
 *     opposite axis). All others close loops.
 *  2. Bodies. A welded link shares the body of its parent link; every other link starts a body. Numbering is depth
 *     first, in file order.
 *  3. Frames. F on the parent and B on the child are the joint frame rotated so that the axis is z.
 *  4. Inertias of welded links are summed; velocities get their parents and runs.
 *
 * Fails, with the line of the joint or link, on a cycle where the format does not allow loops, and if out of memory.
 */
#include "base/alloc.h"
#include "base/hash.h"
#include "base/status.h"
#include "model/model.h"
#include "model/model_builder.h"

#include <string.h>

/* State of one compilation. */
typedef struct Compile {
    const RgBuilder *b;
    RgModel *m;
    RgError *error;
    int *tree_joint;  /* tree joint of a link, -1: root */
    int *parent_link; /* parent link in the tree, -1: world */
    int *first_child, *next_sibling;
} Compile;

static RgStatus fail_memory(Compile *c)
{
    return rg_fail(c->error, RG_ERR_MEMORY, NULL, 0, "out of memory");
}

/* ------------------------------------------------------------------ tree */

/* Whether link a is link b or one of its ancestors. */
static bool is_ancestor(const Compile *c, int a, int b)
{
    for (; b >= 0; b = c->parent_link[b])
        if (b == a)
            return true;
    return false;
}

static bool is_reversible(RgJointType type)
{
    return type == RG_JOINT_fixed || rg_joint_kind(type)->helical;
}

static void set_tree_joint(Compile *c, int joint, int link, int parent_link, bool reversed)
{
    c->tree_joint[link] = joint;
    c->parent_link[link] = parent_link;
    c->m->joints[joint].loop = -1;
    c->m->joints[joint].reversed = reversed;
}

/* A joint that is not in the tree: a loop joint, or an error if loops are not allowed. */
static RgStatus accept_loop(Compile *c, int joint)
{
    const RgJointDef *def = &c->b->joints[joint];
    if (def->may_close_loop)
        return RG_OK;
    const char *child = def->child.i > 0 ? c->b->links[def->child.i - 1].name : "world";
    return rg_fail(c->error, RG_ERR_MODEL, c->b->joint_files[joint], def->line,
                   "joint '%s' closes a cycle: link '%s' has a parent joint already or is its own ancestor", def->name,
                   child);
}

static RgStatus span_tree(Compile *c)
{
    const RgBuilder *b = c->b;
    for (int i = 0; i < b->nlinks; i++)
        c->tree_joint[i] = c->parent_link[i] = -1;
    for (int j = 0; j < b->njoints; j++)
        c->m->joints[j].loop = -2; /* not assigned yet */

    /* Forward: every link gets the first joint that names it as child. */
    for (int j = 0; j < b->njoints; j++) {
        int parent = b->joints[j].parent.i - 1, child = b->joints[j].child.i - 1;
        if (child >= 0 && c->tree_joint[child] < 0 && !b->links[child].is_static &&
            !(parent >= 0 && is_ancestor(c, child, parent)))
            set_tree_joint(c, j, child, parent, false);
    }

    /* Backward: remaining joints whose parent link is a root are reversed. */
    for (int j = 0; j < b->njoints; j++) {
        int parent = b->joints[j].parent.i - 1, child = b->joints[j].child.i - 1;
        if (c->m->joints[j].loop != -2)
            continue;
        bool parent_is_root = parent >= 0 && c->tree_joint[parent] < 0 && !b->links[parent].is_static;
        if (parent_is_root && is_reversible(b->joints[j].type) && !(child >= 0 && is_ancestor(c, parent, child)))
            set_tree_joint(c, j, parent, child, true);
        else {
            RgStatus status = accept_loop(c, j);
            if (status != RG_OK)
                return status;
        }
    }
    return RG_OK;
}

/* Lists of the children of each link, in file order. */
static void list_children(Compile *c, int *last_child)
{
    int n = c->b->nlinks;
    for (int i = 0; i < n; i++)
        c->first_child[i] = c->next_sibling[i] = last_child[i] = -1;
    for (int i = 0; i < n; i++) {
        int up = c->parent_link[i];
        if (up < 0)
            continue;
        if (last_child[up] < 0)
            c->first_child[up] = i;
        else
            c->next_sibling[last_child[up]] = i;
        last_child[up] = i;
    }
}

/* Depth-first order of all links, roots in file order, without recursion. */
static void order_links(Compile *c, int *stack)
{
    int count = 0;
    for (int root = 0; root < c->b->nlinks; root++) {
        if (c->parent_link[root] >= 0)
            continue;
        int depth = 0;
        stack[depth++] = root;
        while (depth > 0) {
            int link = stack[--depth];
            c->m->link_order[count++] = link;

            /* Push the children in reverse order, so that the first one is next. */
            int start = depth;
            for (int k = c->first_child[link]; k >= 0; k = c->next_sibling[k])
                stack[depth++] = k;
            for (int a = start, z = depth - 1; a < z; a++, z--) {
                int swap = stack[a];
                stack[a] = stack[z];
                stack[z] = swap;
            }
        }
    }
}

/* ------------------------------------------------------------------ frames of joints */

RgMat3 rg_joint_align(const RgJointDef *def, bool reversed)
{
    const RgJointKind *kind = rg_joint_kind(def->type);
    if (def->type == RG_JOINT_universal)
        return m3_align_z(def->axis2);
    if (kind->has_axis)
        return m3_align_z(reversed ? v3_neg(def->axis) : def->axis);
    return m3_identity();
}

RgJointGeometry rg_joint_geometry(const RgJointDef *def, RgMat3 R_JF)
{
    RgJointGeometry g = {.turn = 1.0, .slide = 0.0, .axis1 = m3_apply_t(R_JF, def->axis)};
    if (def->type == RG_JOINT_prismatic)
        g = (RgJointGeometry){.turn = 0.0, .slide = 1.0, .axis1 = g.axis1};
    if (def->type == RG_JOINT_screw)
        g.slide = def->pitch;
    return g;
}

static RgPose rotated(RgPose X, RgMat3 R)
{
    return (RgPose){m3_mul(X.R, R), X.p};
}

/* ------------------------------------------------------------------ bodies */

/* Starts a body at a link that is floating or moved by a joint. */
static void start_body(Compile *c, int link)
{
    RgModel *m = c->m;
    RgLink *l = &m->links[link];
    int joint = l->joint, body = m->nbodies++;
    RgBody *B = &m->bodies[body];
    *B = (RgBody){.link = link, .joint = joint, .parent = -1, .q0 = m->nq, .v0 = m->nv, .X_PF = pose_identity()};

    if (joint < 0) {
        /* Floating root: F is the world, B the link's own frame. */
        B->kind = rg_joint_kind(RG_JOINT_free);
        l->floats = true;
        l->X_BL = pose_identity();
    } else {
        RgJoint *J = &m->joints[joint];
        RgMat3 R = rg_joint_align(&J->def, J->reversed);
        RgPose X_up = J->reversed ? J->def.X_CJ : J->def.X_PJ, X_down = J->reversed ? J->def.X_PJ : J->def.X_CJ;
        RgPose X_BL_up = pose_identity();
        if (l->parent >= 0) {
            B->parent = m->links[l->parent].body;
            X_BL_up = m->links[l->parent].X_BL;
        }
        B->kind = J->kind;
        B->geometry = rg_joint_geometry(&J->def, R);
        B->X_PF = pose_mul(X_BL_up, rotated(X_up, R));
        l->X_BL = pose_inverse(rotated(X_down, R));
        J->body = body;
    }
    B->nv = B->kind->nv;
    m->nq += B->kind->nq;
    m->nv += B->kind->nv;
    l->body = body;
}

/* Adds a link that is welded to its parent link, or to the world. */
static void join_parent_body(Compile *c, int link)
{
    RgModel *m = c->m;
    RgLink *l = &m->links[link];
    if (l->joint < 0) {
        l->body = -1;
        l->X_BL = l->def.X_WL;
        return;
    }
    const RgJoint *J = &m->joints[l->joint];
    RgPose X_weld = J->reversed ? pose_mul(J->def.X_CJ, pose_inverse(J->def.X_PJ))
                                : pose_mul(J->def.X_PJ, pose_inverse(J->def.X_CJ));
    l->body = l->parent >= 0 ? m->links[l->parent].body : -1;
    l->X_BL = l->parent >= 0 ? pose_mul(m->links[l->parent].X_BL, X_weld) : X_weld;
}

static void build_bodies(Compile *c)
{
    RgModel *m = c->m;
    for (int i = 0; i < m->nlinks; i++) {
        int link = m->link_order[i];
        RgLink *l = &m->links[link];
        l->joint = c->tree_joint[link];
        l->parent = c->parent_link[link];
        bool welded = l->joint >= 0 ? m->joints[l->joint].def.type == RG_JOINT_fixed : l->def.is_static;
        if (welded)
            join_parent_body(c, link);
        else
            start_body(c, link);
        if (l->body >= 0) {
            RgBody *B = &m->bodies[l->body];
            B->inertia = inertia_add(B->inertia, inertia_transform(l->X_BL, l->def.inertia));
        }
    }
}

/* ------------------------------------------------------------------ loops, couplings, velocities */

RgLoop rg_model_loop(const RgModel *m, int joint)
{
    const RgJoint *J = &m->joints[joint];
    int a = J->def.parent.i - 1, b = J->def.child.i - 1;
    RgPose X_AL = a >= 0 ? m->links[a].X_BL : pose_identity(), X_BL = b >= 0 ? m->links[b].X_BL : pose_identity();
    RgMat3 R = rg_joint_align(&J->def, false);
    return (RgLoop){.joint = joint,
                    .kind = J->kind,
                    .geometry = rg_joint_geometry(&J->def, R),
                    .body_a = a >= 0 ? m->links[a].body : -1,
                    .body_b = b >= 0 ? m->links[b].body : -1,
                    .X_AF = pose_mul(X_AL, rotated(J->def.X_PJ, R)),
                    .X_BG = pose_mul(X_BL, rotated(J->def.X_CJ, R))};
}

static RgStatus build_loops(Compile *c)
{
    RgModel *m = c->m;
    for (int j = 0; j < m->njoints; j++) {
        RgJoint *J = &m->joints[j];
        if (J->loop != -2)
            continue;
        J->loop = -1;
        RgLoop loop = rg_model_loop(m, j);
        if (loop.body_a == loop.body_b) {
            rg_log(&c->b->log, c->b->joint_files[j], J->def.line,
                   "joint '%s' connects links that are welded together: it can not move and is left out", J->def.name);
            continue;
        }
        J->loop = m->nloops;
        m->loops[m->nloops++] = loop;
    }
    return RG_OK;
}

/* Resolves the couplings, which are between velocities of tree joints. */
static RgStatus resolve_couplings(Compile *c)
{
    RgModel *m = c->m;
    for (int i = 0; i < c->b->ncouplings; i++) {
        RgCoupling *k = &m->couplings[i];
        const RgJoint *A = &m->joints[k->def.joint.i - 1], *B = &m->joints[k->def.reference.i - 1];
        if (A->body < 0 || B->body < 0)
            return rg_fail(c->error, RG_ERR_MODEL, c->b->joint_files[k->def.joint.i - 1], k->def.line,
                           "coupling '%s': joint '%s' carries no link and cannot be coupled",
                           k->def.name != NULL ? k->def.name : "", A->body < 0 ? A->def.name : B->def.name);
        k->q_index = m->bodies[A->body].q0 + k->def.dof;
        k->v_index = m->bodies[A->body].v0 + k->def.dof;
        k->q_reference = m->bodies[B->body].q0 + k->def.reference_dof;
        k->v_reference = m->bodies[B->body].v0 + k->def.reference_dof;
    }
    return RG_OK;
}

/* Sets parents, runs and passive properties of the velocities. */
static void init_velocities(RgModel *m, int *depth)
{
    for (int i = 0; i < m->nbodies; i++) {
        const RgBody *B = &m->bodies[i];
        for (int k = 0; k < B->nv; k++) {
            int v = B->v0 + k;
            m->dof_body[v] = i;
            m->dof_parent[v] = k > 0            ? v - 1
                               : B->parent >= 0 ? m->bodies[B->parent].v0 + m->bodies[B->parent].nv - 1
                                                : -1;
            m->run_start[v] = m->dof_parent[v] == v - 1 && v > 0 ? m->run_start[v - 1] : v;
            depth[v] = 1 + (m->dof_parent[v] >= 0 ? depth[m->dof_parent[v]] : 0);
            m->depth = depth[v] > m->depth ? depth[v] : m->depth;
            if (B->joint < 0)
                continue;
            const RgAxisDef *dof = &m->joints[B->joint].def.dof[k];
            m->damping[v] = dof->damping;
            m->stiffness[v] = dof->stiffness;
            m->rest[v] = dof->rest;
            m->armature[v] = dof->gear_ratio * dof->gear_ratio * dof->rotor_inertia;
            m->any_damping |= dof->damping > 0.0;
            m->any_stiffness |= dof->stiffness > 0.0;
            m->nrotors += m->armature[v] > 0.0;
        }
    }
}

/* Sets the neutral positions: zero, and floating roots at their X_WL. */
static void init_neutral(RgModel *m)
{
    for (int i = 0; i < m->nbodies; i++) {
        const RgBody *B = &m->bodies[i];
        double *q = &m->q_neutral[B->q0];
        B->kind->neutral(q);
        if (B->joint < 0)
            B->kind->fit(&B->geometry, m->links[B->link].def.X_WL, q, q);
    }
}

/* Hash of everything that a saved state depends on. */
static uint64_t signature(const RgModel *m)
{
    uint64_t hash = rg_hash(RG_HASH_START, &m->nq, sizeof m->nq);
    for (int i = 0; i < m->nbodies; i++) {
        const RgBody *B = &m->bodies[i];
        hash = rg_hash(hash, B->kind->name, strlen(B->kind->name));
        hash = rg_hash(hash, &B->parent, sizeof B->parent);
        hash = rg_hash(hash, &B->inertia, sizeof B->inertia);
        hash = rg_hash(hash, &B->X_PF, sizeof B->X_PF);
        hash = rg_hash(hash, &B->geometry, sizeof B->geometry);
    }
    return hash;
}

/* ------------------------------------------------------------------ copies */

static void *copy_array(RgArena *arena, const void *from, size_t n, size_t size)
{
    void *copy = rg_arena_alloc(arena, n, size);
    if (copy != NULL && n > 0 && from != NULL)
        memcpy(copy, from, n * size);
    return copy;
}

static void copy_shape(RgArena *arena, RgShapeDef *to, const RgShapeDef *from)
{
    *to = *from;
    to->name = rg_arena_strdup(arena, from->name);
    to->uri = rg_arena_strdup(arena, from->uri);
    if (from->mesh.vertices != NULL)
        to->mesh.vertices = copy_array(arena, from->mesh.vertices, 3 * (size_t)from->mesh.nvertices, sizeof(double));
    if (from->mesh.faces != NULL)
        to->mesh.faces = copy_array(arena, from->mesh.faces, 3 * (size_t)from->mesh.nfaces, sizeof(int32_t));
    if (from->mesh.part_start != NULL)
        to->mesh.part_start = copy_array(arena, from->mesh.part_start, (size_t)from->mesh.nparts + 1, sizeof(int32_t));
    if (from->heights != NULL)
        to->heights = copy_array(arena, from->heights, (size_t)from->rows * (size_t)from->columns, sizeof(double));
}

RgVec3 rg_joint_axis_unit(RgVec3 a)
{
    double n = v3_norm(a);
    return n > 0.0 && isfinite(n) ? v3_scale(1.0 / n, a) : v3_zero();
}

/* Copies the defs with their strings. False: out of memory. */
static bool copy_defs(const RgBuilder *b, RgModel *m)
{
    RgArena *arena = &m->arena;
    for (int i = 0; i < b->nlinks; i++) {
        m->links[i] = (RgLink){.def = b->links[i], .body = -1, .parent = -1, .joint = -1, .X_BL = pose_identity()};
        m->links[i].def.name = rg_arena_strdup(arena, b->links[i].name);
        m->links[i].def.group = rg_arena_strdup(arena, b->links[i].group);
        m->mass += b->links[i].inertia.mass;
    }
    for (int i = 0; i < b->njoints; i++) {
        m->joints[i] = (RgJoint){.def = b->joints[i], .kind = rg_joint_kind(b->joints[i].type), .body = -1, .loop = -1};
        RgJointDef *def = &m->joints[i].def;
        def->name = rg_arena_strdup(arena, def->name);
        def->group = rg_arena_strdup(arena, def->group);
        def->axis = rg_joint_axis_unit(def->axis);
        def->axis2 = rg_joint_axis_unit(def->axis2);
    }
    for (int i = 0; i < b->nshapes; i++)
        copy_shape(arena, &m->shapes[i].def, &b->shapes[i]);
    for (int i = 0; i < b->nframes; i++) {
        m->frames[i].def = b->frames[i];
        m->frames[i].def.name = rg_arena_strdup(arena, b->frames[i].name);
        m->frames[i].def.group = rg_arena_strdup(arena, b->frames[i].group);
    }
    for (int i = 0; i < b->ncouplings; i++) {
        m->couplings[i].def = b->couplings[i];
        m->couplings[i].def.name = rg_arena_strdup(arena, b->couplings[i].name);
    }
    for (int i = 0; i < b->ntransmissions; i++) {
        m->transmissions[i] = b->transmissions[i];
        m->transmissions[i].name = rg_arena_strdup(arena, b->transmissions[i].name);
        m->transmissions[i].actuator = rg_arena_strdup(arena, b->transmissions[i].actuator);
    }
    for (int i = 0; i < b->npairs; i++)
        m->pairs[i] = b->pairs[i];
    m->name = rg_arena_strdup(arena, b->name);
    m->file = rg_arena_strdup(arena, b->file);
    m->hints = b->hints;
    return !arena->failed;
}

static RgModel *create_model(const RgBuilder *b)
{
    RgModel *m = rg_alloc(&b->arena.allocator, 1, sizeof *m);
    if (m == NULL)
        return NULL;
    rg_arena_init(&m->arena, &b->arena.allocator);
    m->nlinks = b->nlinks;
    m->njoints = b->njoints;
    m->nshapes = b->nshapes;
    m->nframes = b->nframes;
    m->ncouplings = b->ncouplings;
    m->npairs = b->npairs;
    m->ntransmissions = b->ntransmissions;
    m->bodies = RG_ARENA_ALLOC(&m->arena, RgBody, b->nlinks);
    m->links = RG_ARENA_ALLOC(&m->arena, RgLink, b->nlinks);
    m->joints = RG_ARENA_ALLOC(&m->arena, RgJoint, b->njoints);
    m->loops = RG_ARENA_ALLOC(&m->arena, RgLoop, b->njoints);
    m->couplings = RG_ARENA_ALLOC(&m->arena, RgCoupling, b->ncouplings);
    m->pairs = RG_ARENA_ALLOC(&m->arena, RgCollisionPairDef, b->npairs);
    m->transmissions = RG_ARENA_ALLOC(&m->arena, RgTransmissionDef, b->ntransmissions);
    m->shapes = RG_ARENA_ALLOC(&m->arena, RgModelShape, b->nshapes);
    m->frames = RG_ARENA_ALLOC(&m->arena, RgFrame, b->nframes);
    m->link_order = RG_ARENA_ALLOC(&m->arena, int, b->nlinks);
    if (m->arena.failed || !copy_defs(b, m)) {
        rg_model_destroy(m);
        return NULL;
    }
    return m;
}

static bool alloc_velocities(RgModel *m)
{
    m->dof_parent = RG_ARENA_ALLOC(&m->arena, int, m->nv);
    m->run_start = RG_ARENA_ALLOC(&m->arena, int, m->nv);
    m->dof_body = RG_ARENA_ALLOC(&m->arena, int, m->nv);
    m->damping = RG_ARENA_ALLOC(&m->arena, double, m->nv);
    m->stiffness = RG_ARENA_ALLOC(&m->arena, double, m->nv);
    m->rest = RG_ARENA_ALLOC(&m->arena, double, m->nv);
    m->armature = RG_ARENA_ALLOC(&m->arena, double, m->nv);
    m->q_neutral = RG_ARENA_ALLOC(&m->arena, double, m->nq);
    return !m->arena.failed;
}

static RgStatus compile(Compile *c, RgArena *work)
{
    int n = c->b->nlinks;
    int *last_child = RG_ARENA_ALLOC(work, int, n), *stack = RG_ARENA_ALLOC(work, int, n);
    c->tree_joint = RG_ARENA_ALLOC(work, int, n);
    c->parent_link = RG_ARENA_ALLOC(work, int, n);
    c->first_child = RG_ARENA_ALLOC(work, int, n);
    c->next_sibling = RG_ARENA_ALLOC(work, int, n);
    if (work->failed)
        return fail_memory(c);
    RgStatus status = span_tree(c);
    if (status != RG_OK)
        return status;
    list_children(c, last_child);
    order_links(c, stack);
    build_bodies(c);
    if ((status = build_loops(c)) != RG_OK || (status = resolve_couplings(c)) != RG_OK)
        return status;
    int *depth = RG_ARENA_ALLOC(work, int, c->m->nv);
    if (work->failed || !alloc_velocities(c->m))
        return fail_memory(c);
    init_velocities(c->m, depth);
    init_neutral(c->m);
    c->m->signature = signature(c->m);
    return RG_OK;
}

RgModel *rg_builder_finish(RgBuilder *b, RgError *error)
{
    RgError ignored;
    if (error == NULL)
        error = &ignored;
    if (b->error.status != RG_OK) {
        *error = b->error;
        return NULL;
    }
    Compile c = {.b = b, .m = create_model(b), .error = error};
    if (c.m == NULL) {
        fail_memory(&c);
        return NULL;
    }
    RgArena work;
    rg_arena_init(&work, &b->arena.allocator);
    RgStatus status = compile(&c, &work);
    rg_arena_free(&work);
    if (status == RG_OK)
        return c.m;
    rg_model_destroy(c.m);
    return NULL;
}
