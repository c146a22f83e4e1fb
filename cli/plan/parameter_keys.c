/*
 * parameter_keys.c - the table of model parameters: key, member of the library's defs, type of the value.
 *
 * A path names a key (mass, origin.rpy), one number of a vector (com.z, origin.xyz.x), or a factor (mass_scale). A key
 * with keys below it and a list as value stands for the first of them: origin: [x, y, z] is origin.xyz. Numbers may be
 * inf and -inf; the builder checks them.
 */
#include "plan/parameters.h"

#include "io/options.h"
#include "plan/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

enum { PATH_MAX_LENGTH = 80 };
static const char scale_ending[] = "_scale";

/* ------------------------------------------------------------------ the table */

#define LINK(name, sort, field) RG_PARAMETER_LINK, name, RG_SORT_##sort, offsetof(RgLinkDef, field)
#define JOINT(name, sort, field) RG_PARAMETER_JOINT, name, RG_SORT_##sort, offsetof(RgJointDef, field)
#define AXIS(name, field) RG_PARAMETER_JOINT, name, RG_SORT_AXIS, offsetof(RgAxisDef, field)
#define SHAPE(name, sort, field) RG_PARAMETER_SHAPE, name, RG_SORT_##sort, offsetof(RgShapeDef, field)
#define SURFACE(field) RG_PARAMETER_SHAPE, #field, RG_SORT_NUMBER, offsetof(RgShapeDef, surface.field)
#define COUPLING(field) RG_PARAMETER_COUPLING, #field, RG_SORT_NUMBER, offsetof(RgCouplingDef, field)

#define JOINT_BIT(type) (1U << RG_JOINT_##type)
#define SHAPE_BIT(type) (1U << RG_SHAPE_##type)
#define LONG_ROUND (SHAPE_BIT(capsule) | SHAPE_BIT(cylinder))
#define XYZ "x y z"

static const RgParameterSpec specs[] = {
    {LINK("mass", NUMBER, inertia.mass), NULL, true, 0, "kg; the inertia is scaled with it unless it is also given"},
    {LINK("com", VECTOR, inertia.com), XYZ, true, 0, "m: centre of mass in the link"},
    {LINK("inertia", VECTOR, inertia.I), "xx yy zz xy xz yz", true, 0,
     "kg m^2 about the centre of mass, along the link's axes"},
    {LINK("pose.xyz", VECTOR, X_WL.p), XYZ, false, 0, "m in the world; links that are no joint's child"},
    {LINK("pose.rpy", RPY, X_WL.R), NULL, false, 0, "rad"},
    {LINK("self_collide", FLAG, self_collide), NULL, false, 0, "may touch other links of its robot with this flag"},

    {AXIS("lower", lower), NULL, true, 0, "rad or m: limit of position; -inf: none"},
    {AXIS("upper", upper), NULL, true, 0, "rad or m; inf: none"},
    {AXIS("limit_stiffness", limit_stiffness), NULL, true, 0, "N m/rad or N/m beyond a limit; inf: rigid"},
    {AXIS("limit_damping", limit_damping), NULL, true, 0, "N m s/rad or N s/m beyond a limit"},
    {AXIS("velocity_limit", velocity_limit), NULL, true, 0, "rad/s or m/s; inf: none"},
    {AXIS("effort_limit", effort_limit), NULL, true, 0, "N m or N; inf: none"},
    {AXIS("damping", damping), NULL, true, 0, "N m s/rad or N s/m"},
    {AXIS("friction", friction), NULL, true, 0, "N m or N: dry friction"},
    {AXIS("stiffness", stiffness), NULL, true, 0, "N m/rad or N/m: spring"},
    {AXIS("rest", rest), NULL, true, 0, "rad or m: rest position of the spring"},
    {AXIS("rotor_inertia", rotor_inertia), NULL, true, 0, "kg m^2 (kg) of the rotor, before the gear"},
    {AXIS("gear_ratio", gear_ratio), NULL, true, 0, "turns of the rotor per turn of the joint"},
    {JOINT("axis", VECTOR, axis), XYZ, false, RG_USERS_WITH_AXIS, "in the joint's frame"},
    {JOINT("axis2", VECTOR, axis2), XYZ, false, JOINT_BIT(universal), "second axis of a universal joint"},
    {JOINT("pitch", NUMBER, pitch), NULL, true, JOINT_BIT(screw), "m/rad of a screw"},
    {JOINT("origin.xyz", VECTOR, X_PJ.p), XYZ, false, 0, "m: the joint's frame on its parent link"},
    {JOINT("origin.rpy", RPY, X_PJ.R), NULL, false, 0, "rad"},
    {JOINT("child_origin.xyz", VECTOR, X_CJ.p), XYZ, false, 0, "m: the joint's frame on its child link"},
    {JOINT("child_origin.rpy", RPY, X_CJ.R), NULL, false, 0, "rad"},

    {SURFACE(mu), NULL, true, 0, "coefficient of friction"},
    {SURFACE(mu2), NULL, true, 0, "the same across the first direction"},
    {SHAPE("fdir1", VECTOR, surface.fdir1), XYZ, false, 0, "first direction of friction; zero: none"},
    {SURFACE(slip1), NULL, true, 0, "m/s per N: slip along the first direction"},
    {SURFACE(slip2), NULL, true, 0, "the same across it"},
    {SURFACE(restitution), NULL, true, 0, "0 to 1"},
    {SURFACE(restitution_threshold), NULL, true, 0, "m/s: slower impacts do not bounce"},
    {SURFACE(kp), NULL, true, 0, "N/m: stiffness of the contact"},
    {SURFACE(kd), NULL, true, 0, "N s/m: damping of the contact"},
    {SURFACE(max_vel), NULL, true, 0, "m/s: fastest correction of overlap"},
    {SURFACE(min_depth), NULL, true, 0, "m: overlap that is not corrected"},
    {SURFACE(torsional), NULL, true, 0, "m: friction about the normal"},
    {SURFACE(rolling), NULL, true, 0, "m: friction of rolling"},
    {SURFACE(torsional_depth), NULL, true, 0, "root of m: adds to torsional by the root of the overlap"},
    {SURFACE(torsional_slip), NULL, true, 0, "rad/s per N m"},
    {SHAPE("size", SIZE, size), XYZ, true, ~SHAPE_BIT(halfspace), "m (meshes: factors), as the kind has"},
    {SHAPE("radius", NUMBER, size[0]), NULL, true, SHAPE_BIT(sphere) | LONG_ROUND, "m"},
    {SHAPE("length", NUMBER, size[1]), NULL, true, LONG_ROUND, "m, of capsules without the caps"},
    {SHAPE("pose.xyz", VECTOR, X_LS.p), XYZ, false, 0, "m in the link"},
    {SHAPE("pose.rpy", RPY, X_LS.R), NULL, false, 0, "rad"},
    {SHAPE("mesh_use", MESH, mesh_use), NULL, false, SHAPE_BIT(mesh), "auto, surface, hull or parts"},
    {SHAPE("category", BITS, category), NULL, false, 0, "bits"},
    {SHAPE("mask", BITS, mask), NULL, false, 0, "bits of the categories that it may touch"},

    {COUPLING(ratio), NULL, true, 0, "q = ratio q_reference + offset"},
    {COUPLING(offset), NULL, true, 0, "rad or m"},
};

static const char *const kind_names[RG_PARAMETER_KINDS] = {[RG_PARAMETER_LINK] = "links",
                                                           [RG_PARAMETER_JOINT] = "joints",
                                                           [RG_PARAMETER_SHAPE] = "shapes",
                                                           [RG_PARAMETER_COUPLING] = "couplings"};

const char *rg_parameter_kind_name(RgParameterKind kind)
{
    return kind_names[kind];
}

bool rg_parameter_find_kind(const char *name, RgParameterKind *out)
{
    for (int i = 0; i < RG_PARAMETER_KINDS; i++) {
        if (strcmp(kind_names[i], name) == 0) {
            *out = (RgParameterKind)i;
            return true;
        }
    }
    return false;
}

/* ------------------------------------------------------------------ paths */

/* Index of a word in a list separated by single spaces; -1: not found. */
static int find_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (int at = 0; words; at++) {
        size_t n = strcspn(words, " ");
        if (n == length && strncmp(words, word, n) == 0)
            return at;
        words = words[n] ? words + n + 1 : NULL;
    }
    return -1;
}

static int count_words(const char *words)
{
    int count = 1;
    for (const char *at = words; (at = strchr(at, ' ')); at++)
        count++;
    return count;
}

int rg_parameter_parts(const RgParameterSpec *spec)
{
    return count_words(spec->parts);
}

/* Count of numbers of a key's value; 0: depends on the joint or shape. */
static int fixed_count(const RgPlanParameter *p)
{
    if (p->is_scale)
        return 1;
    switch (p->spec->sort) {
    case RG_SORT_VECTOR:
        return count_words(p->spec->parts);
    case RG_SORT_RPY:
        return 3;
    case RG_SORT_AXIS:
    case RG_SORT_SIZE:
        return 0;
    default:
        return 1;
    }
}

/* The key of that name, or the first below it. */
static const RgParameterSpec *find_spec(RgParameterKind kind, const char *path)
{
    size_t length = strlen(path);
    for (int i = 0; i < COUNT(specs); i++) {
        const char *name = specs[i].name;
        if (specs[i].kind == kind && strncmp(name, path, length) == 0 &&
            (name[length] == '\0' || strcmp(name + length, ".xyz") == 0))
            return &specs[i];
    }
    return NULL;
}

/* VECTOR.PART: the other numbers do not change. */
static bool resolve_part(RgParameterKind kind, const char *path, RgPlanParameter *out)
{
    const char *dot = strrchr(path, '.');
    char owner[PATH_MAX_LENGTH];
    if (!dot)
        return false;
    snprintf(owner, sizeof owner, "%.*s", (int)(dot - path), path);
    out->spec = find_spec(kind, owner);
    int part = out->spec && out->spec->parts ? find_word(out->spec->parts, dot + 1) : -1;
    if (part < 0)
        return false;
    out->count = count_words(out->spec->parts);
    for (int i = 0; i < out->count; i++)
        out->values[i] = i == part ? 0.0 : NAN;
    return true;
}

bool rg_parameter_resolve(RgParameterKind kind, const char *path, RgPlanParameter *out)
{
    size_t length = strlen(path), ending = sizeof scale_ending - 1;
    char base[PATH_MAX_LENGTH];
    *out = (RgPlanParameter){.spec = NULL};
    if (length >= sizeof base)
        return false;
    out->spec = find_spec(kind, path);
    if (out->spec)
        return true;
    if (length > ending && strcmp(path + length - ending, scale_ending) == 0) {
        snprintf(base, sizeof base, "%.*s", (int)(length - ending), path);
        out->spec = find_spec(kind, base);
        out->is_scale = true;
        return out->spec && out->spec->scales;
    }
    return resolve_part(kind, path, out);
}

bool rg_parameter_has_below(RgParameterKind kind, const char *path)
{
    size_t length = strlen(path);
    RgPlanParameter own = {.spec = NULL};
    for (int i = 0; i < COUNT(specs); i++)
        if (specs[i].kind == kind && strncmp(specs[i].name, path, length) == 0 && specs[i].name[length] == '.')
            return true;
    return rg_parameter_resolve(kind, path, &own) && !own.is_scale && own.count == 0 && own.spec->parts;
}

const char *rg_parameter_nearest(RgParameterKind kind, const char *path)
{
    RgNearest nearest = rg_nearest_begin(path);
    for (int i = 0; i < COUNT(specs); i++)
        if (specs[i].kind == kind)
            rg_nearest_offer(&nearest, specs[i].name);
    return nearest.best;
}

const char *rg_parameter_list(RgPlan *plan, RgParameterKind kind)
{
    const char *all = "";
    for (int i = 0; i < COUNT(specs); i++)
        if (specs[i].kind == kind)
            all = rg_pool_print(&plan->pool, "%s%s%s", all, *all ? ", " : "", specs[i].name);
    return all;
}

/* ------------------------------------------------------------------ values */

static const char *const mesh_words[] = {
    [RG_MESH_AUTO] = "auto", [RG_MESH_SURFACE] = "surface", [RG_MESH_HULL] = "hull", [RG_MESH_PARTS] = "parts"};

/* A decimal number, or inf with a sign or YAML's dot. */
static bool parse_number(const char *text, double *out)
{
    const char *word = text + (text[0] == '-' || text[0] == '+');
    word += word[0] == '.' && word[1] == 'i';
    *out = text[0] == '-' ? -INFINITY : INFINITY;
    return strcmp(word, "inf") == 0 || rg_number_parse(text, out);
}

bool rg_parameter_number(const RgPlanParameter *p, const char *text, double *out)
{
    RgParameterSort sort = p->is_scale ? RG_SORT_NUMBER : p->spec->sort;
    switch (sort) {
    case RG_SORT_FLAG:
        *out = strcmp(text, "true") == 0;
        return *out != 0.0 || strcmp(text, "false") == 0;
    case RG_SORT_MESH:
        for (int i = 0; i < COUNT(mesh_words); i++) {
            *out = i;
            if (strcmp(mesh_words[i], text) == 0)
                return true;
        }
        return false;
    case RG_SORT_BITS:
        return rg_number_parse(text, out) && *out >= 0.0 && *out <= UINT32_MAX && *out == floor(*out);
    default:
        return p->is_scale ? rg_number_parse(text, out) : parse_number(text, out);
    }
}

const char *rg_parameter_expects(const RgPlanParameter *p)
{
    RgParameterSort sort = p->is_scale ? RG_SORT_NUMBER : p->spec->sort;
    return sort == RG_SORT_FLAG   ? "true or false"
           : sort == RG_SORT_MESH ? "auto, surface, hull or parts"
           : sort == RG_SORT_BITS ? "a whole number from 0 to 4294967295"
           : p->is_scale          ? "a number"
                                  : "a number or inf";
}

bool rg_parameter_fill(RgPlanParameter *p, const double *values, int count, const char **takes)
{
    static const char *const texts[] = {"1 to 6 numbers", "one value",    "two numbers", "three numbers",
                                        "four numbers",   "five numbers", "six numbers"};

    /* One number of a vector. */
    if (p->count > 0) {
        *takes = texts[1];
        for (int i = 0; i < p->count; i++)
            p->values[i] = isnan(p->values[i]) ? NAN : values[0];
        return count == 1;
    }
    int fixed = fixed_count(p);
    *takes = texts[fixed];
    if (count < 1 || count > RG_PARAMETER_NUMBERS || (fixed > 0 && count != fixed))
        return false;
    p->count = count;
    memcpy(p->values, values, (size_t)count * sizeof *values);
    return true;
}

void rg_parameter_add(RgPlan *plan, RgPlanParameter parameter)
{
    plan->parameters = rg_pool_grow(&plan->pool, plan->parameters, plan->nparameters, sizeof *plan->parameters);
    plan->parameters[plan->nparameters++] = parameter;
}

void rg_parameter_print_keys(void)
{
    printf("\nModel parameters (keys under `parameters:` in run files, --parameter KIND.NAME.KEY=VALUE; '*' in "
           "a name stands\nfor anything; * behind a key: KEY_scale multiplies what is there):\n");
    for (int i = 0; i < COUNT(specs); i++) {
        if (i == 0 || specs[i].kind != specs[i - 1].kind)
            printf("  %s\n", kind_names[specs[i].kind]);
        printf("    %s%-*s %s\n", specs[i].name, 22 - (int)strlen(specs[i].name), specs[i].scales ? " *" : "",
               specs[i].help);
    }
}
