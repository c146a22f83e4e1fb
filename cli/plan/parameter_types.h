/* parameter_types.h - a model parameter in the plan, and a line of the table of keys (parameters.h). */
#ifndef RIGOR_PARAMETER_TYPES_H
#define RIGOR_PARAMETER_TYPES_H

#include "plan/control_types.h"

#include <rigor/model.h>

enum { RG_PARAMETER_NUMBERS = 6 }; /* of one parameter: an inertia, the axes of a free joint */

typedef enum RgParameterKind {
    RG_PARAMETER_LINK,
    RG_PARAMETER_JOINT,
    RG_PARAMETER_SHAPE,
    RG_PARAMETER_COUPLING,
    RG_PARAMETER_KINDS
} RgParameterKind;

/* Type of a value. */
typedef enum RgParameterSort {
    RG_SORT_NUMBER, /* one double */
    RG_SORT_VECTOR, /* one double per part */
    RG_SORT_RPY,    /* roll, pitch, yaw: a rotation matrix */
    RG_SORT_AXIS,   /* a double of each RgAxisDef: one for all axes, or a list */
    RG_SORT_SIZE,   /* the sizes of a shape, by its kind */
    RG_SORT_FLAG,   /* a bool */
    RG_SORT_MESH,   /* an RgMeshUse */
    RG_SORT_BITS    /* a uint32_t */
} RgParameterSort;

/* Joints of kinds with an axis (rg_joint_type_has_axis). */
#define RG_USERS_WITH_AXIS (~0U)

typedef struct RgParameterSpec {
    RgParameterKind kind;
    const char *name; /* dots separate a key from the keys below it */
    RgParameterSort sort;
    size_t offset;     /* in the def of the kind; RG_SORT_AXIS: in RgAxisDef */
    const char *parts; /* names of the numbers of a vector, separated by spaces; NULL: none */
    bool scales;       /* NAME_scale: X multiplies it */
    unsigned users;    /* bits of the joint or shape types that have it, or RG_USERS_WITH_AXIS; 0: all */
    const char *help;
} RgParameterSpec;

/* Precedence, lowest first: the file in one of its models, the file, the command line. */
typedef enum RgParameterLevel { RG_LEVEL_MODEL, RG_LEVEL_FILE, RG_LEVEL_OPTION, RG_PARAMETER_LEVELS } RgParameterLevel;

typedef struct RgPlanParameter {
    const RgParameterSpec *spec;
    bool is_scale;                       /* the number multiplies */
    const char *name;                    /* of a link, joint, shape or coupling, or a pattern with '*' */
    double values[RG_PARAMETER_NUMBERS]; /* NaN: unchanged */
    int count;
    RgParameterLevel level;
    int model;              /* of the plan, for RG_LEVEL_MODEL */
    RgPlanPlace at, key_at; /* of the name and of the key in the run file */
    int dof;                /* of a joint named NAME[k]; -1: all. Set when the model exists */
    const char *text;       /* of the command line; NULL: from a run file */
} RgPlanParameter;

#endif
