/*
 * model_check.c - refuses invalid numbers with file, line and name before anything is built from them.
 *
 * Inertia. A rigid body's inertia about its centre of mass is positive semi-definite, and its principal moments satisfy
 * the triangle inequality I1 + I2 >= I3, as sums of moments of a mass distribution. Negative moments are refused: the
 * motion would be undefined. A violated triangle inequality is physically impossible too, but the equations of motion
 * stay well posed and real robot files contain it; here it is only logged, `rigor doctor` reports it as an error.
 */
#include "base/status.h"
#include "geom/shape.h"
#include "math/spatial.h"
#include "model/model.h"
#include "model/model_builder.h"

#include <float.h>

/* Relative to the largest principal moment: negative moments up to this are zeros rounded in a file. */
#define MOMENT_TOLERANCE 1e-9

/* Relative tolerance of the triangle inequality: numbers in files have three or four digits. */
#define TRIANGLE_TOLERANCE 1e-3

/* Whether R is a rotation within 1e-6, for rounding in files and in user code. */
bool rg_pose_rigid(RgPose X)
{
    RgMat3 E = m3_mul_t(X.R, X.R);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (!(fabs(E.m[i][j] - (i == j ? 1.0 : 0.0)) < 1e-6))
                return false;
    return m3_det(X.R) > 0.0;
}

static RgStatus check_name(const RgBuilder *b, const char *what, const char *name, int line, RgError *error)
{
    if (name == NULL || name[0] == '\0')
        return rg_fail(error, RG_ERR_MODEL, b->file, line, "%s without a name", what);
    return RG_OK;
}

static RgStatus check_inertia(const RgBuilder *b, const RgLinkDef *def, RgError *error)
{
    const RgInertia *in = &def->inertia;
    if (!isfinite(in->mass) || !v3_finite(in->com))
        return rg_fail(error, RG_ERR_MODEL, b->file, def->line, "link '%s': mass and centre of mass must be finite",
                       def->name);
    if (in->mass < 0.0)
        return rg_fail(error, RG_ERR_MODEL, b->file, def->line, "link '%s': mass %g kg is negative", def->name,
                       in->mass);
    RgSym3 I = in->I;
    if (!isfinite(I.xx + I.yy + I.zz + I.xy + I.xz + I.yz))
        return rg_fail(error, RG_ERR_MODEL, b->file, def->line, "link '%s': inertia must be finite", def->name);

    /* Principal moments. */
    double m[3];
    RgMat3 axes;
    rg_sym3_eigen(I, m, &axes);
    if (m[0] < -MOMENT_TOLERANCE * fabs(m[2]) || m[2] < 0.0)
        return rg_fail(error, RG_ERR_MODEL, b->file, def->line,
                       "link '%s': inertia is not positive: principal moments %g, %g, %g kg m^2", def->name, m[0], m[1],
                       m[2]);
    if (in->mass == 0.0 && m[2] > 0.0)
        rg_log(&b->log, b->file, def->line, "link '%s' has inertia but no mass", def->name);
    if (in->mass > 0.0 && m[0] <= 0.0)
        rg_log(&b->log, b->file, def->line, "link '%s' has mass but no inertia about some axis", def->name);
    if (m[0] + m[1] < m[2] * (1.0 - TRIANGLE_TOLERANCE))
        rg_log(&b->log, b->file, def->line,
               "link '%s': impossible inertia, the largest principal moment exceeds the sum of the others: "
               "%g, %g, %g kg m^2",
               def->name, m[0], m[1], m[2]);
    return RG_OK;
}

RgStatus rg_check_link(const RgBuilder *b, const RgLinkDef *def, RgError *error)
{
    RgStatus status = check_name(b, "link", def->name, def->line, error);
    if (status != RG_OK)
        return status;
    if (!pose_finite(def->X_WL) || !rg_pose_rigid(def->X_WL))
        return rg_fail(error, RG_ERR_MODEL, b->file, def->line, "link '%s': its pose is not a finite rigid pose",
                       def->name);
    return check_inertia(b, def, error);
}

/* Limits may be infinite; all other numbers must be finite, and resistances not negative. */
static RgStatus check_axis(const RgBuilder *b, const RgJointDef *def, int i, RgError *error)
{
    const RgAxisDef *a = &def->dof[i];
    const char *wrong = NULL;
    if (isnan(a->lower) || isnan(a->upper) || a->lower > a->upper)
        wrong = "lower limit must not exceed upper limit";
    else if (!(a->limit_stiffness >= 0.0) || !(a->limit_damping >= 0.0 && isfinite(a->limit_damping)))
        wrong = "stiffness and damping of its limits must not be negative";
    else if (isnan(a->velocity_limit) || a->velocity_limit < 0.0)
        wrong = "velocity limit must not be negative";
    else if (isnan(a->effort_limit) || a->effort_limit < 0.0)
        wrong = "effort limit must not be negative";
    else if (!isfinite(a->damping) || a->damping < 0.0)
        wrong = "damping must be finite and not negative";
    else if (!isfinite(a->friction) || a->friction < 0.0)
        wrong = "friction must be finite and not negative";
    else if (!isfinite(a->stiffness) || a->stiffness < 0.0 || !isfinite(a->rest))
        wrong = "spring stiffness must be finite and not negative, its rest position finite";
    else if (!isfinite(a->rotor_inertia) || a->rotor_inertia < 0.0 || !isfinite(a->gear_ratio))
        wrong = "rotor inertia must be finite and not negative, the gear ratio finite";
    else if (!isfinite(a->gear_ratio * a->gear_ratio * a->rotor_inertia))
        wrong = "rotor inertia behind the gear must be finite";
    if (wrong == NULL)
        return RG_OK;
    return rg_fail(error, RG_ERR_MODEL, b->file, def->line, "joint '%s': %s", def->name, wrong);
}

/* A spring over three angles has a potential only if it is the same about every axis and its rest position is zero. */
static bool spring_possible(const RgJointDef *def)
{
    if (rg_joint_kind(def->type)->dexpinv == NULL)
        return true;
    double k = def->dof[0].stiffness;
    for (int i = 0; i < 3; i++)
        if (def->dof[i].stiffness != k || def->dof[i].rest != 0.0)
            return false;
    return true;
}

RgStatus rg_check_joint(const RgBuilder *b, const RgJointDef *def, RgError *error)
{
    RgStatus status = check_name(b, "joint", def->name, def->line, error);
    if (status != RG_OK)
        return status;
    if ((unsigned)def->type >= RG_JOINT_COUNT)
        return rg_fail(error, RG_ERR_ARGUMENT, b->file, def->line, "joint '%s': no such type", def->name);
    if (def->parent.i < 0 || def->parent.i > b->nlinks || def->child.i < 0 || def->child.i > b->nlinks)
        return rg_fail(error, RG_ERR_ARGUMENT, b->file, def->line, "joint '%s': no such link", def->name);
    if (def->parent.i == def->child.i)
        return rg_fail(error, RG_ERR_MODEL, b->file, def->line, "joint '%s' connects a link to itself", def->name);
    if (!pose_finite(def->X_PJ) || !pose_finite(def->X_CJ) || !rg_pose_rigid(def->X_PJ) || !rg_pose_rigid(def->X_CJ))
        return rg_fail(error, RG_ERR_MODEL, b->file, def->line, "joint '%s': its frame is not a finite rigid pose",
                       def->name);

    /* Universal joints: the two axes must not be parallel. */
    const RgJointKind *kind = rg_joint_kind(def->type);
    double n = v3_norm(def->axis), n2 = v3_norm(def->axis2);
    if (kind->has_axis && !(isfinite(n) && n > 1e-12))
        return rg_fail(error, RG_ERR_MODEL, b->file, def->line, "joint '%s': axis must be finite and not zero",
                       def->name);
    if (def->type == RG_JOINT_universal &&
        !(isfinite(n2) && n2 > 1e-12 && v3_norm(v3_cross(def->axis, def->axis2)) > 1e-6 * n * n2))
        return rg_fail(error, RG_ERR_MODEL, b->file, def->line, "joint '%s': its two axes must not be parallel or zero",
                       def->name);
    if (!isfinite(def->pitch))
        return rg_fail(error, RG_ERR_MODEL, b->file, def->line, "joint '%s': pitch must be finite", def->name);
    for (int i = 0; i < kind->nv; i++)
        if ((status = check_axis(b, def, i, error)) != RG_OK)
            return status;
    if (!spring_possible(def))
        return rg_fail(error, RG_ERR_MODEL, b->file, def->line,
                       "joint '%s': a spring over all angles must be the same about each axis, with rest 0", def->name);
    return RG_OK;
}

/* Checks the numbers of a surface; NaN: not given. Returns the violated rule, NULL: none. */
static const char *check_surface(const RgSurfaceDef *s)
{
    const struct {
        const char *text;
        double value, most;
    } rules[] = {{"mu must not be negative", s->mu, INFINITY},
                 {"mu2 must not be negative", s->mu2, INFINITY},
                 {"slip1 must be finite and not negative", s->slip1, DBL_MAX},
                 {"slip2 must be finite and not negative", s->slip2, DBL_MAX},
                 {"restitution must be between 0 and 1", s->restitution, 1.0},
                 {"the threshold of restitution must not be negative", s->restitution_threshold, INFINITY},
                 {"kp must not be negative", s->kp, INFINITY},
                 {"kd must not be negative", s->kd, INFINITY},
                 {"max_vel must not be negative", s->max_vel, INFINITY},
                 {"min_depth must be finite and not negative", s->min_depth, DBL_MAX},
                 {"torsional friction must be finite and not negative", s->torsional, DBL_MAX},
                 {"torsional friction by depth must be finite and not negative", s->torsional_depth, DBL_MAX},
                 {"torsional slip must be finite and not negative", s->torsional_slip, DBL_MAX},
                 {"rolling friction must be finite and not negative", s->rolling, DBL_MAX}};
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i].value < 0.0 || rules[i].value > rules[i].most)
            return rules[i].text;
    return NULL;
}

RgStatus rg_check_shape(const RgBuilder *b, const RgShapeDef *def, RgError *error)
{
    const char *name = def->name != NULL ? def->name : "";
    if ((unsigned)def->type >= RG_SHAPE_COUNT)
        return rg_fail(error, RG_ERR_ARGUMENT, b->file, def->line, "shape '%s': no such type", name);
    if (def->link.i < 0 || def->link.i > b->nlinks)
        return rg_fail(error, RG_ERR_ARGUMENT, b->file, def->line, "shape '%s': no such link", name);
    if (!pose_finite(def->X_LS) || !rg_pose_rigid(def->X_LS))
        return rg_fail(error, RG_ERR_MODEL, b->file, def->line, "shape '%s': its pose is not a finite rigid pose",
                       name);

    if ((unsigned)def->mesh_use > RG_MESH_PARTS)
        return rg_fail(error, RG_ERR_ARGUMENT, b->file, def->line, "shape '%s': no such use of a mesh", name);
    const char *wrong = check_surface(&def->surface);
    if (wrong != NULL)
        return rg_fail(error, RG_ERR_MODEL, b->file, def->line, "shape '%s': %s", name, wrong);

    /* A mesh file that was not found leaves a shape without geometry. */
    if (def->type == RG_SHAPE_mesh && def->mesh.nvertices == 0 && def->uri != NULL)
        return RG_OK;
    RgShape shape = rg_shape_view(def);
    wrong = rg_shape_kind(def->type)->check(&shape);
    if (wrong != NULL)
        return rg_fail(error, RG_ERR_MODEL, b->file, def->line, "shape '%s' (%s): %s", name,
                       rg_shape_type_name(def->type), wrong);
    return RG_OK;
}

RgStatus rg_check_frame(const RgBuilder *b, const RgFrameDef *def, RgError *error)
{
    RgStatus status = check_name(b, "frame", def->name, def->line, error);
    if (status != RG_OK)
        return status;
    if (def->link.i < 0 || def->link.i > b->nlinks)
        return rg_fail(error, RG_ERR_ARGUMENT, b->file, def->line, "frame '%s': no such link", def->name);
    if (!pose_finite(def->X_LF) || !rg_pose_rigid(def->X_LF))
        return rg_fail(error, RG_ERR_MODEL, b->file, def->line, "frame '%s': its pose is not a finite rigid pose",
                       def->name);
    return RG_OK;
}

RgStatus rg_check_coupling(const RgBuilder *b, const RgCouplingDef *def, RgError *error)
{
    const char *name = def->name != NULL ? def->name : "";
    if (def->joint.i <= 0 || def->joint.i > b->njoints || def->reference.i <= 0 || def->reference.i > b->njoints)
        return rg_fail(error, RG_ERR_MODEL, b->file, def->line, "coupling '%s': no such joint", name);
    const RgJointKind *kind = rg_joint_kind(b->joints[def->joint.i - 1].type);
    const RgJointKind *reference = rg_joint_kind(b->joints[def->reference.i - 1].type);
    if (def->dof < 0 || def->dof >= kind->nv || def->reference_dof < 0 || def->reference_dof >= reference->nv ||
        kind->dexpinv != NULL || reference->dexpinv != NULL)
        return rg_fail(error, RG_ERR_MODEL, b->file, def->line,
                       "coupling '%s': needs one axis of a moving joint on both sides, '%s' is %s and '%s' is %s", name,
                       b->joints[def->joint.i - 1].name, kind->name, b->joints[def->reference.i - 1].name,
                       reference->name);
    if (def->joint.i == def->reference.i && def->dof == def->reference_dof)
        return rg_fail(error, RG_ERR_MODEL, b->file, def->line, "coupling '%s' couples a joint to itself", name);
    if (!isfinite(def->ratio) || !isfinite(def->offset))
        return rg_fail(error, RG_ERR_MODEL, b->file, def->line, "coupling '%s': ratio and offset must be finite", name);
    return RG_OK;
}

RgStatus rg_check_transmission(const RgBuilder *b, const RgTransmissionDef *def, RgError *error)
{
    const char *name = def->name != NULL ? def->name : "", *wrong = NULL;
    if (def->joint.i <= 0 || def->joint.i > b->njoints || def->dof < 0 ||
        def->dof >= rg_joint_kind(b->joints[def->joint.i - 1].type)->nv)
        wrong = "it drives no axis of a joint";
    else if (!isfinite(def->ratio) || def->ratio == 0.0 || !isfinite(def->offset))
        wrong = "ratio and offset must be finite, and the ratio not 0";
    else if (!isfinite(def->rotor_inertia) || def->rotor_inertia < 0.0)
        wrong = "rotor inertia must be finite and not negative";
    else if (!(def->effort_limit >= 0.0) || !(def->velocity_limit >= 0.0))
        wrong = "limits must not be negative";
    if (wrong != NULL)
        return rg_fail(error, RG_ERR_MODEL, b->file, def->line, "transmission '%s': %s", name, wrong);
    return RG_OK;
}

RgStatus rg_check_collision_pair(const RgBuilder *b, const RgCollisionPairDef *def, RgError *error)
{
    if (def->link_a.i < 0 || def->link_a.i > b->nlinks || def->link_b.i < 0 || def->link_b.i > b->nlinks)
        return rg_fail(error, RG_ERR_ARGUMENT, b->file, def->line, "collision pair: no such link");
    if (def->link_a.i == def->link_b.i)
        return rg_fail(error, RG_ERR_MODEL, b->file, def->line, "collision pair of link '%s' with itself",
                       def->link_a.i > 0 ? b->links[def->link_a.i - 1].name : "world");
    return RG_OK;
}
