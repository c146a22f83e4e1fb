/*
 * plan_parameters.c - applies the model parameters of a plan to the builder, after the readers filled it.
 *
 * Names. A link, joint or coupling is NAME or MODEL::NAME; a shape for contact LINK, LINK/SHAPE or LINK[k], the k-th of
 * its link from 0; an axis of a joint with several NAME[k]. A '*' in a name stands for any letters. An ambiguous name
 * without '*', and a name that nothing has, are errors.
 *
 * Order. Parameters of a model in the run file, then of the file, then of the command line, each in their order; of two
 * for one key the later counts. Values are set first, then factors multiply them:
 *
 *   mass m         I <- I m / m_old   unless an inertia is given, too (a link without mass keeps its inertia)
 *   mass_scale s   m <- s m, I <- s I unless an inertia is given
 *
 * A visual shape of the same kind, size and pose as a contact shape changes with it. The only transmission of an axis
 * gets the axis' gear ratio and rotor.
 *
 * Fails on: unknown names, numbers that do not fit the joint or shape, keys that no target has, factors of values that
 * are not given, and errors of the builder, which name the first parameter that causes them.
 */
#include "io/error.h"
#include "io/options.h"
#include "plan/parameters.h"
#include "plan/plan.h"

#include <math.h>
#include <string.h>

enum { NAMES_MAX = 6 };

/* Something that parameters may change. */
typedef struct Target {
    const char *names[NAMES_MAX]; /* the shortest first */
    int nnames;                   /* 0: it has no name and cannot be changed */
    int model;                    /* of the plan */
    int owner;                    /* itself, or the link of a shape; a name without '*' must mean one owner */
    unsigned type;                /* of a joint or shape */
} Target;

typedef struct Change {
    RgPlan *plan;
    RgBuilder *builder;
    RgError *error;
    Target *targets[RG_PARAMETER_KINDS];
    int ntargets[RG_PARAMETER_KINDS];
    int *seen;  /* by owner: number of the last name that meant it */
    int names;  /* number of names searched */
    int *taken; /* by parameter: number of targets changed */
} Change;

typedef union AnyDef {
    RgLinkDef link;
    RgJointDef joint;
    RgShapeDef shape;
    RgCouplingDef coupling;
} AnyDef;

static const char *const singular[RG_PARAMETER_KINDS] = {[RG_PARAMETER_LINK] = "link",
                                                         [RG_PARAMETER_JOINT] = "joint",
                                                         [RG_PARAMETER_SHAPE] = "shape for contact",
                                                         [RG_PARAMETER_COUPLING] = "coupling"};

static bool fail_parameter(Change *c, const RgPlanParameter *p, RgPlanPlace at, RgStatus status, const char *text)
{
    if (p->text) {
        rg_error_set(c->error, status, NULL, "--parameter %s: %s", p->text, text);
        return false;
    }
    rg_error_set(c->error, status, c->plan->path, "parameters: %s", text);
    c->error->line = at.line;
    c->error->column = at.column;
    return false;
}

/* ------------------------------------------------------------------ targets */

static int model_of(const RgPlan *plan, size_t count, int index)
{
    int m = 0;
    while (m + 1 < plan->nmodels && index >= *(const int *)((const char *)&plan->models[m].end + count))
        m++;
    return m;
}

static void add_name(Target *t, const char *name)
{
    if (name && name[0])
        t->names[t->nnames++] = name;
}

/* NAME and GROUP::NAME. */
static void add_names(Change *c, Target *t, const char *group, const char *name)
{
    add_name(t, name);
    if (name && name[0] && group && group[0])
        add_name(t, rg_pool_print(&c->plan->pool, "%s::%s", group, name));
}

static void list_links(Change *c, Target *targets, int count)
{
    for (int i = 0; i < count; i++) {
        const RgLinkDef *link = rg_builder_link(c->builder, (RgLinkId){i + 1});
        targets[i] = (Target){.owner = i, .model = model_of(c->plan, offsetof(RgBuilderInfo, links), i)};
        add_names(c, &targets[i], link->group, link->name);
    }
}

static void list_joints(Change *c, Target *targets, int count)
{
    for (int i = 0; i < count; i++) {
        const RgJointDef *joint = rg_builder_joint(c->builder, (RgJointId){i + 1});
        targets[i] =
            (Target){.owner = i, .model = model_of(c->plan, offsetof(RgBuilderInfo, joints), i), .type = joint->type};
        add_names(c, &targets[i], joint->group, joint->name);
    }
}

/* A coupling without a name has that of its joint. */
static void list_couplings(Change *c, Target *targets, int count)
{
    for (int i = 0; i < count; i++) {
        const RgCouplingDef *coupling = rg_builder_coupling(c->builder, i);
        const RgJointDef *joint = rg_builder_joint(c->builder, coupling->joint);
        targets[i] = (Target){.owner = i, .model = model_of(c->plan, offsetof(RgBuilderInfo, couplings), i)};
        bool named = coupling->name && coupling->name[0];
        add_names(c, &targets[i], joint->group, named ? coupling->name : joint->name);
    }
}

/* Visual shapes get no name. */
static void list_shapes(Change *c, Target *targets, int count)
{
    RgPool *pool = &c->plan->pool;
    int links = rg_builder_info(c->builder).links;
    int *seen = rg_pool_take(pool, (size_t)links + 1, sizeof *seen);
    for (int i = 0; i < count; i++) {
        const RgShapeDef *shape = rg_builder_shape(c->builder, (RgShapeId){i + 1});
        const RgLinkDef *link = rg_builder_link(c->builder, shape->link);
        const char *name = link ? link->name : "world", *group = link ? link->group : NULL;
        Target *t = &targets[i];
        *t = (Target){.owner = shape->link.i,
                      .model = model_of(c->plan, offsetof(RgBuilderInfo, shapes), i),
                      .type = shape->type};
        if (shape->is_visual)
            continue;
        add_names(c, t, group, name);
        add_names(c, t, group, rg_pool_print(pool, "%s[%d]", name, seen[shape->link.i]++));
        if (shape->name && shape->name[0])
            add_names(c, t, group, rg_pool_print(pool, "%s/%s", name, shape->name));
    }
}

static void list_targets(Change *c)
{
    static void (*const list[RG_PARAMETER_KINDS])(Change *, Target *, int) = {[RG_PARAMETER_LINK] = list_links,
                                                                              [RG_PARAMETER_JOINT] = list_joints,
                                                                              [RG_PARAMETER_SHAPE] = list_shapes,
                                                                              [RG_PARAMETER_COUPLING] = list_couplings};
    RgBuilderInfo info = rg_builder_info(c->builder);
    const int counts[RG_PARAMETER_KINDS] = {[RG_PARAMETER_LINK] = info.links,
                                            [RG_PARAMETER_JOINT] = info.joints,
                                            [RG_PARAMETER_SHAPE] = info.shapes,
                                            [RG_PARAMETER_COUPLING] = info.couplings};
    int owners = info.links + info.joints + info.couplings + 1;
    c->seen = rg_pool_take(&c->plan->pool, (size_t)owners, sizeof *c->seen);
    for (int kind = 0; kind < RG_PARAMETER_KINDS; kind++) {
        c->ntargets[kind] = counts[kind];
        c->targets[kind] = rg_pool_take(&c->plan->pool, (size_t)counts[kind] + 1, sizeof(Target));
        list[kind](c, c->targets[kind], counts[kind]);
    }
}

/* ------------------------------------------------------------------ names */

/* Whether a text fits a pattern. After a mismatch the last star takes one more letter. */
static bool fits(const char *pattern, const char *text)
{
    const char *star = NULL, *from = NULL;
    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            from = text;
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++from;
        } else {
            return false;
        }
    }
    pattern += strspn(pattern, "*");
    return *pattern == '\0';
}

static bool means(const RgPlanParameter *p, const Target *t)
{
    if (p->level == RG_LEVEL_MODEL && p->model != t->model)
        return false;
    for (int i = 0; i < t->nnames; i++)
        if (fits(p->name, t->names[i]))
            return true;
    return false;
}

/* Number of owners that a name means. */
static int count_owners(Change *c, const RgPlanParameter *p)
{
    int owners = 0, name = ++c->names;
    for (int i = 0; i < c->ntargets[p->spec->kind]; i++) {
        const Target *t = &c->targets[p->spec->kind][i];
        if (c->seen[t->owner] == name || !means(p, t))
            continue;
        c->seen[t->owner] = name;
        owners++;
    }
    return owners;
}

/* Splits "NAME[k]" of a joint into name and axis. */
static void cut_axis(Change *c, RgPlanParameter *p)
{
    size_t length = strlen(p->name);
    const char *end = p->name + length;
    if (p->spec->kind != RG_PARAMETER_JOINT || p->spec->sort != RG_SORT_AXIS || length < 4 || end[-1] != ']' ||
        end[-3] != '[' || end[-2] < '0' || end[-2] > '9')
        return;
    p->dof = end[-2] - '0';
    p->name = rg_pool_print(&c->plan->pool, "%.*s", (int)(length - 3), p->name);
}

static bool fail_name(Change *c, const RgPlanParameter *p)
{
    RgPool *pool = &c->plan->pool;
    RgParameterKind kind = p->spec->kind;
    RgNearest nearest = rg_nearest_begin(p->name);
    for (int i = 0; i < c->ntargets[kind]; i++) {
        const Target *t = &c->targets[kind][i];
        for (int k = 0; k < t->nnames && (p->level != RG_LEVEL_MODEL || p->model == t->model); k++)
            rg_nearest_offer(&nearest, t->names[k]);
    }
    const char *text =
        strchr(p->name, '*') ? rg_pool_print(pool, "no %s fits '%s'", singular[kind], p->name)
        : nearest.best ? rg_pool_print(pool, "no %s '%s'; did you mean '%s'?", singular[kind], p->name, nearest.best)
                       : rg_pool_print(pool, "no %s '%s'; `rigor info` lists the names", singular[kind], p->name);
    return fail_parameter(c, p, p->at, RG_ERR_NOT_FOUND, text);
}

static bool find_names(Change *c)
{
    for (int i = 0; i < c->plan->nparameters; i++) {
        RgPlanParameter *p = &c->plan->parameters[i];
        int owners = count_owners(c, p);
        p->dof = -1;
        if (owners == 0) {
            cut_axis(c, p);
            owners = count_owners(c, p);
        }
        if (owners == 0)
            return fail_name(c, p);
        if (owners > 1 && !strchr(p->name, '*'))
            return fail_parameter(c, p, p->at, RG_ERR_NOT_FOUND,
                                  rg_pool_print(&c->plan->pool,
                                                "%d %s are called '%s': say MODEL::%s, or *::%s for all", owners,
                                                rg_parameter_kind_name(p->spec->kind), p->name, p->name, p->name));
    }
    return true;
}

/* ------------------------------------------------------------------ checks */

static int axes_of(unsigned type)
{
    static const int axes[] = {
#define AXES(name, nq, nv) nv,
        RG_JOINT_LIST(AXES)
#undef AXES
    };
    return axes[type];
}

/* Count of numbers of a shape's size. */
static int sizes_of(unsigned type)
{
    static const int sizes[RG_SHAPE_COUNT] = {
        [RG_SHAPE_sphere] = 1,    [RG_SHAPE_box] = 3,       [RG_SHAPE_capsule] = 2,
        [RG_SHAPE_cylinder] = 2,  [RG_SHAPE_ellipsoid] = 3, [RG_SHAPE_polytope] = 3,
        [RG_SHAPE_halfspace] = 0, [RG_SHAPE_mesh] = 3,      [RG_SHAPE_heightfield] = 3};
    return sizes[type];
}

static const char *type_name(RgParameterKind kind, unsigned type)
{
    return kind == RG_PARAMETER_JOINT   ? rg_joint_type_name((RgJointType)type)
           : kind == RG_PARAMETER_SHAPE ? rg_shape_type_name((RgShapeType)type)
                                        : "";
}

/* Whether the target has the key: fixed joints have no damping, boxes no radius. */
static bool has_key(const Target *t, const RgPlanParameter *p)
{
    if (p->spec->sort == RG_SORT_AXIS && axes_of(t->type) == 0)
        return false;
    if (p->spec->users == RG_USERS_WITH_AXIS)
        return rg_joint_type_has_axis((RgJointType)t->type);
    return p->spec->users == 0 || (p->spec->users >> t->type & 1U) != 0;
}

/* Whether a link's pose is given by a joint: as its child, or as the parent of the world. */
static bool is_carried(const Change *c, int link)
{
    for (int i = 0; i < c->ntargets[RG_PARAMETER_JOINT]; i++) {
        const RgJointDef *joint = rg_builder_joint(c->builder, (RgJointId){i + 1});
        if (joint->child.i == link + 1 || (joint->child.i == 0 && joint->parent.i == link + 1))
            return true;
    }
    return false;
}

/* Error text if the parameter does not fit the target, or NULL. */
static const char *find_misfit(Change *c, const Target *t, const RgPlanParameter *p)
{
    RgPool *pool = &c->plan->pool;
    int room = p->spec->sort == RG_SORT_AXIS   ? axes_of(t->type)
               : p->spec->sort == RG_SORT_SIZE ? sizes_of(t->type)
                                               : p->count;
    bool one_for_all = p->spec->sort == RG_SORT_AXIS || p->is_scale;
    if (p->dof >= room)
        return rg_pool_print(pool, "'%s' has no axis %d: it has %d", t->names[0], p->dof, room);
    if (p->count != (p->dof >= 0 ? 1 : room) && !(one_for_all && p->count == 1))
        return rg_pool_print(pool, "%s: '%s' is %s and takes %d number%s, not %d", p->spec->name, t->names[0],
                             type_name(p->spec->kind, t->type), p->dof >= 0 ? 1 : room,
                             room == 1 || p->dof >= 0 ? "" : "s", p->count);
    if (p->spec->kind == RG_PARAMETER_LINK && strncmp(p->spec->name, "pose.", 5) == 0 && is_carried(c, t->owner))
        return rg_pool_print(pool, "link '%s' is the child of a joint: change the joint's origin", t->names[0]);
    return NULL;
}

/* ------------------------------------------------------------------ values into a def */

/* Writes consecutive numbers, except NaN. false: a factor of a value that is not given. */
static bool write_numbers(const RgPlanParameter *p, void *field, int count)
{
    double numbers[RG_PARAMETER_NUMBERS];
    memcpy(numbers, field, (size_t)count * sizeof *numbers);
    for (int i = 0; i < count; i++) {
        if (p->is_scale && isnan(numbers[i]))
            return false;
        double value = p->values[p->count == 1 ? 0 : i];
        numbers[i] = p->is_scale ? numbers[i] * value : isnan(value) ? numbers[i] : value;
    }
    memcpy(field, numbers, (size_t)count * sizeof *numbers);
    return true;
}

/* Writes the numbers of a joint's axes. */
static bool write_axes(const RgPlanParameter *p, RgJointDef *joint, int axes)
{
    for (int k = 0; k < axes; k++) {
        if (p->dof >= 0 && p->dof != k)
            continue;
        double value = p->values[p->count == 1 ? 0 : k], *field = (double *)((char *)&joint->dof[k] + p->spec->offset);
        *field = p->is_scale ? *field * value : value;
    }
    return true;
}

static bool write_value(const RgPlanParameter *p, const Target *t, void *def)
{
    char *field = (char *)def + p->spec->offset;
    RgVec3 rpy = {p->values[0], p->values[1], p->values[2]};
    switch (p->spec->sort) {
    case RG_SORT_NUMBER:
        return write_numbers(p, field, 1);
    case RG_SORT_VECTOR:
        return write_numbers(p, field, rg_parameter_parts(p->spec));
    case RG_SORT_SIZE:
        return write_numbers(p, field, sizes_of(t->type));
    case RG_SORT_AXIS:
        return write_axes(p, def, axes_of(t->type));
    case RG_SORT_RPY:
        *(RgMat3 *)field = rg_pose_from_rpy(rpy, rpy).R;
        return true;
    case RG_SORT_FLAG:
        *(bool *)field = p->values[0] != 0.0;
        return true;
    case RG_SORT_MESH:
        *(RgMeshUse *)field = (RgMeshUse)p->values[0];
        return true;
    case RG_SORT_BITS:
        *(uint32_t *)field = (uint32_t)p->values[0];
        return true;
    }
    return false;
}

static void scale_inertia(RgLinkDef *link, double factor)
{
    RgSym3 *I = &link->inertia.I;
    *I = (RgSym3){I->xx * factor, I->yy * factor, I->zz * factor, I->xy * factor, I->xz * factor, I->yz * factor};
}

/* The parameters of one target. */
typedef struct Given {
    const RgPlanParameter **list;
    int count;
} Given;

static bool applies_to(const Given *g, const char *name)
{
    for (int i = 0; i < g->count; i++)
        if (!g->list[i]->is_scale && strcmp(g->list[i]->spec->name, name) == 0)
            return true;
    return false;
}

/* Whether a later factor is for the same number, and so counts instead. */
static bool is_overridden(const Given *g, int i)
{
    for (int k = i + 1; k < g->count; k++)
        if (g->list[k]->is_scale && g->list[k]->spec == g->list[i]->spec && g->list[k]->dof == g->list[i]->dof)
            return true;
    return false;
}

static bool apply_factor(Change *c, const Target *t, const Given *g, int i, AnyDef *def)
{
    const RgPlanParameter *p = g->list[i];
    if (!p->is_scale || is_overridden(g, i))
        return true;
    if (!write_value(p, t, def))
        return fail_parameter(c, p, p->key_at, RG_ERR_ARGUMENT,
                              rg_pool_print(&c->plan->pool, "'%s' has no %s to scale", t->names[0], p->spec->name));
    if (strcmp(p->spec->name, "mass") == 0 && !applies_to(g, "inertia"))
        scale_inertia(&def->link, p->values[0]);
    return true;
}

/* Applies all parameters to def: values, then factors. false: error is filled. */
static bool apply_given(Change *c, const Target *t, const Given *g, AnyDef *def)
{
    bool heavier = applies_to(g, "mass") && !applies_to(g, "inertia");
    double mass = heavier ? def->link.inertia.mass : 0.0;
    for (int i = 0; i < g->count; i++)
        if (!g->list[i]->is_scale)
            write_value(g->list[i], t, def);
    if (heavier && mass > 0.0)
        scale_inertia(&def->link, def->link.inertia.mass / mass);
    for (int i = 0; i < g->count; i++)
        if (!apply_factor(c, t, g, i, def))
            return false;
    return true;
}

/* ------------------------------------------------------------------ into the builder */

static AnyDef get_def(const Change *c, RgParameterKind kind, int i)
{
    switch (kind) {
    case RG_PARAMETER_LINK:
        return (AnyDef){.link = *rg_builder_link(c->builder, (RgLinkId){i + 1})};
    case RG_PARAMETER_JOINT:
        return (AnyDef){.joint = *rg_builder_joint(c->builder, (RgJointId){i + 1})};
    case RG_PARAMETER_SHAPE:
        return (AnyDef){.shape = *rg_builder_shape(c->builder, (RgShapeId){i + 1})};
    default:
        return (AnyDef){.coupling = *rg_builder_coupling(c->builder, i)};
    }
}

static bool set_def(Change *c, RgParameterKind kind, int i, const AnyDef *def)
{
    switch (kind) {
    case RG_PARAMETER_LINK:
        return rg_builder_set_link(c->builder, (RgLinkId){i + 1}, &def->link);
    case RG_PARAMETER_JOINT:
        return rg_builder_set_joint(c->builder, (RgJointId){i + 1}, &def->joint);
    case RG_PARAMETER_SHAPE:
        return rg_builder_set_shape(c->builder, (RgShapeId){i + 1}, &def->shape);
    default:
        return rg_builder_set_coupling(c->builder, i, &def->coupling);
    }
}

/* Changes a visual shape that coincided with the changed shape. */
static void move_visuals(Change *c, const RgShapeDef *old, const RgShapeDef *shape)
{
    for (int i = 0; i < c->ntargets[RG_PARAMETER_SHAPE]; i++) {
        RgShapeDef drawn = *rg_builder_shape(c->builder, (RgShapeId){i + 1});
        if (!drawn.is_visual || drawn.link.i != old->link.i || drawn.type != old->type ||
            memcmp(drawn.size, old->size, sizeof drawn.size) != 0 ||
            memcmp(&drawn.X_LS, &old->X_LS, sizeof drawn.X_LS) != 0)
            continue;
        memcpy(drawn.size, shape->size, sizeof drawn.size);
        drawn.X_LS = shape->X_LS;
        rg_builder_set_shape(c->builder, (RgShapeId){i + 1}, &drawn);
    }
}

/* Changes the only transmission of an axis with its gear. A ratio of 0 means none. */
static void update_transmission(Change *c, int32_t joint, const RgAxisDef *old, const RgAxisDef *axis, int dof)
{
    int count = rg_builder_info(c->builder).transmissions, only = -1, found = 0;
    for (int i = 0; i < count; i++) {
        const RgTransmissionDef *t = rg_builder_transmission(c->builder, i);
        if (t->joint.i == joint && t->dof == dof) {
            only = i;
            found++;
        }
    }
    if (found != 1)
        return;
    RgTransmissionDef t = *rg_builder_transmission(c->builder, only);
    if (axis->gear_ratio != old->gear_ratio && axis->gear_ratio != 0.0)
        t.ratio = axis->gear_ratio;
    if (axis->rotor_inertia != old->rotor_inertia)
        t.rotor_inertia = axis->rotor_inertia;
    rg_builder_set_transmission(c->builder, only, &t);
}

static void change_along(Change *c, RgParameterKind kind, int i, const AnyDef *old, const AnyDef *def)
{
    if (kind == RG_PARAMETER_SHAPE)
        move_visuals(c, &old->shape, &def->shape);
    for (int k = 0; kind == RG_PARAMETER_JOINT && k < axes_of(def->joint.type); k++)
        update_transmission(c, i + 1, &old->joint.dof[k], &def->joint.dof[k], k);
}

/* Finds the first parameter with which the builder refuses the def. */
static bool find_refused(Change *c, RgParameterKind kind, int i, const AnyDef *old, const Given *all)
{
    RgError refusal = *rg_builder_error(c->builder);
    int n = 1;
    for (; n < all->count; n++) {
        AnyDef def = *old;
        Given some = {all->list, n};
        if (!apply_given(c, &c->targets[kind][i], &some, &def))
            return false;
        if (!set_def(c, kind, i, &def))
            break;
    }
    const RgPlanParameter *p = all->list[n - 1];
    return fail_parameter(c, p, p->key_at, refusal.status, refusal.text);
}

/* Gives remarks about a changed def the place of the parameter. */
static void move_remarks(Change *c, int said, const RgPlanParameter *p)
{
    for (int i = said; i < c->plan->nremarks; i++) {
        c->plan->remarks[i].file = p->text ? NULL : c->plan->path;
        c->plan->remarks[i].line = p->key_at.line;
    }
}

static bool change_one(Change *c, RgParameterKind kind, int i, const Given *given)
{
    const Target *t = &c->targets[kind][i];
    AnyDef old = get_def(c, kind, i), def = old;
    for (int k = 0; k < given->count; k++) {
        const char *misfit = find_misfit(c, t, given->list[k]);
        if (misfit)
            return fail_parameter(c, given->list[k], given->list[k]->key_at, RG_ERR_ARGUMENT, misfit);
    }
    int said = c->plan->nremarks;
    if (!apply_given(c, t, given, &def))
        return false;
    if (!set_def(c, kind, i, &def))
        return find_refused(c, kind, i, &old, given);
    change_along(c, kind, i, &old, &def);
    move_remarks(c, said, given->list[given->count - 1]);
    return true;
}

/* The parameters that mean the target and that it has, in order. */
static Given gather(Change *c, RgParameterKind kind, const Target *t, const RgPlanParameter **room)
{
    Given given = {.list = room};
    for (int level = 0; level < RG_PARAMETER_LEVELS; level++)
        for (int k = 0; k < c->plan->nparameters; k++) {
            const RgPlanParameter *p = &c->plan->parameters[k];
            if (p->spec->kind != kind || (int)p->level != level || !has_key(t, p) || !means(p, t))
                continue;
            given.list[given.count++] = p;
            c->taken[k]++;
        }
    return given;
}

static bool change_all(Change *c)
{
    size_t count = (size_t)c->plan->nparameters;
    const RgPlanParameter **room = rg_pool_take(&c->plan->pool, count, sizeof *room);
    c->taken = rg_pool_take(&c->plan->pool, count, sizeof *c->taken);
    for (int kind = 0; kind < RG_PARAMETER_KINDS; kind++)
        for (int i = 0; i < c->ntargets[kind]; i++) {
            Given given = gather(c, (RgParameterKind)kind, &c->targets[kind][i], room);
            if (given.count > 0 && !change_one(c, (RgParameterKind)kind, i, &given))
                return false;
        }
    return true;
}

/* A parameter that changed nothing is an error. */
static bool check_taken(Change *c)
{
    for (int k = 0; k < c->plan->nparameters; k++) {
        const RgPlanParameter *p = &c->plan->parameters[k];
        const Target *t = c->targets[p->spec->kind];
        if (c->taken[k] > 0)
            continue;
        while (!means(p, t))
            t++;
        return fail_parameter(c, p, p->key_at, RG_ERR_ARGUMENT,
                              rg_pool_print(&c->plan->pool, "'%s' is %s: it has no %s", t->names[0],
                                            type_name(p->spec->kind, t->type), p->spec->name));
    }
    return true;
}

RgStatus rg_plan_change_model(RgPlan *plan, RgBuilder *builder, RgError *error)
{
    Change c = {.plan = plan, .builder = builder, .error = error};
    if (plan->nparameters == 0)
        return RG_OK;
    list_targets(&c);
    return find_names(&c) && change_all(&c) && check_taken(&c) ? RG_OK : error->status;
}
