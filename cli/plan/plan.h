/*
 * plan.h - the request of a command: models, state, settings and outputs, from a run file and options.
 *
 *   FILE -- rg_plan_open --> RgPlan -- rg_plan_apply_options --> RgPlan -- rg_plan_load --> RgModel
 *
 * A URDF or SDF file gives a plan of one model; a YAML run file may name several. A value that is not given is NaN,
 * NULL or 0; the model's own hints or the library's defaults replace it.
 */
#ifndef RIGOR_PLAN_H
#define RIGOR_PLAN_H

#include "io/error.h"
#include "io/pool.h"
#include "plan/parameter_types.h"

#include <rigor/rigor.h>

#include <jansson.h>

enum {
    RG_PLAN_VALUES_MAX = 7,        /* numbers of one joint: a free one has 7 positions */
    RG_PLAN_EVERY_MAX = 1000000000 /* steps per recorded row */
};

/* Ranges of options and run files: s, s, s, Hz, Hz. */
#define RG_PLAN_STEP_MIN 1e-9
#define RG_PLAN_STEP_MAX 1e3
#define RG_PLAN_DURATION_MAX 1e7
#define RG_PLAN_RATE_MIN 1e-6
#define RG_PLAN_RATE_MAX 1e9

/* A remark of a reader. */
typedef struct RgRemark {
    const char *file; /* may be NULL */
    int line;         /* 0: unknown */
    const char *text;
} RgRemark;

typedef struct RgPlanModel {
    const char *file;
    const char *name; /* NULL: as in the file */
    RgPose X_WM;
    RgBase base;
    RgSelfCollide self_collide;
    const void *data; /* the file's content if it was read before, else NULL */
    size_t size;
    int line, column;  /* in the run file, for messages; 0: not from a run file */
    RgBuilderInfo end; /* content of the builder after it was read, filled by rg_plan_load */
} RgPlanModel;

typedef enum RgQuantity {
    RG_QUANTITY_POSITION,
    RG_QUANTITY_RATE,
    RG_QUANTITY_EFFORT,
    RG_QUANTITY_MOTOR, /* velocity and largest effort of the joint's one axis */
    RG_QUANTITY_SERVO  /* position, largest effort; optional largest velocity and rate */
} RgQuantity;

/* Position, rate, effort, motor or servo of a joint, or position and rate of a floating link, at the start. */
typedef struct RgPlanValue {
    RgQuantity what;
    const char *model; /* name of the model it was given for; NULL: any */
    const char *name;
    double values[RG_PLAN_VALUES_MAX];
    int count;
    int line, column; /* in the run file; 0: from the command line */
    RgJointId joint;  /* one of the two, found in the model */
    RgLinkId link;
} RgPlanValue;

/* Two links that never touch, or that may touch although the files exclude it. */
typedef struct RgPlanPair {
    const char *model; /* name of the model it was given for; NULL: any */
    const char *links[2];
    bool collide;
    int line, column; /* in the run file */
} RgPlanPair;

/* The name of a link, in that model first (NULL: any). */
typedef struct RgPlanLinkName {
    const char *model, *name;
    RgPlanPlace place;
} RgPlanLinkName;

/* A joint made at run time, and a damping field; links by name, found when the model is there. */
typedef struct RgPlanAttachment {
    RgAttachmentDef def;
    RgPlanLinkName parent, child; /* "world": the world */
    bool at_start;                /* attached before the first step */
    bool placed_by_pose;          /* a frame on the parent was given */
    int line, column;             /* in the run file */
} RgPlanAttachment;

typedef struct RgPlanField {
    RgFieldDef def;
    RgPlanLinkName link;
} RgPlanField;

/* A setting as it was given: a key (plan_settings.h) and a text. */
typedef struct RgPlanSetting {
    const char *key, *text;
    const char *option; /* of the command line; NULL: from a run file */
    RgPlanPlace at;     /* in the run file */
} RgPlanSetting;

typedef struct RgPlan {
    RgPool pool;      /* memory of all below */
    const char *path; /* the file given to the command */
    bool from_stdin;  /* path is then used in messages only */
    const char *name; /* NULL: as in the file */

    RgPlanModel *models;
    int nmodels;
    const char **search;
    int nsearch;
    RgPlanParameter *parameters; /* of the models, before they are compiled */
    int nparameters;
    double gear_ratio, gear_inertia; /* a rotor (kg m^2) behind a gear beside every hinge; ratio 0: none */

    RgPlanSetting *settings; /* of the world and of the command; of two for one key the last counts */
    int nsettings;
    double step, duration; /* s; NaN: not given */
    RgPlanValue *values;
    int nvalues;
    RgPlanPair *pairs;
    int npairs;
    RgPlanAttachment *attachments;
    int nattachments;
    RgPlanField *fields;
    int nfields;
    RgPlanControl control; /* without controllers: none */

    const char *record, *csv, *json; /* output files; NULL: none */
    const char *report, *plots;      /* HTML file, folder; NULL: none */
    const char *events;              /* file of events, or "-"; NULL: none */
    const char *certificate;         /* file for rigor verify; NULL: none */
    const char *written;             /* copy of the run file that rigor tune writes; NULL: none */
    int dump_step;                   /* step whose problem is written, from 1; 0: none */
    const char *dump;                /* its file; NULL: step-N.problem */
    int every;                       /* steps per recorded row; 0: not given */
    double record_rate;              /* Hz: recorded rows per simulated time; NaN: not given */
    bool quiet;
    bool quiet_in_file; /* outputs.quiet of the run file, for `rigor run` */
    bool list_contacts; /* the report names every contact point and joint */

    RgRemark *remarks; /* of the readers, filled by rg_plan_load */
    int nremarks;
} RgPlan;

void rg_plan_free(RgPlan *plan);

/* Adds a remark to those of the readers. file may be NULL. */
void rg_plan_add_remark(RgPlan *plan, const char *file, int line, const char *text);

/* Puts a remark before all others, so that it is always shown. */
void rg_plan_put_remark(RgPlan *plan, const char *file, const char *text);

/* The link of a name; null id for "world"; an error at its place in the run file. */
RgStatus rg_plan_find_link(RgPlan *plan, const RgModel *model, const RgPlanLinkName *name, RgLinkId *out,
                           RgError *error);

/* Adds the plan's pairs of links to the builder; links are found by name in the model that was compiled from it. */
RgStatus rg_plan_add_pairs(RgPlan *plan, const RgModel *model, RgBuilder *builder, RgError *error);

/* The remarks of the readers as JSON: {file, line, text} each. */
json_t *rg_plan_json_remarks(const RgPlan *plan);

/* Prints the remarks of the readers to stderr, the first few of them. */
void rg_plan_print_remarks(const RgPlan *plan);

/* Unambiguous name of the joint or link: its own, or group::name. */
const char *rg_plan_joint_name(RgPlan *plan, const RgModel *model, RgJointId joint);
const char *rg_plan_link_name(RgPlan *plan, const RgModel *model, RgLinkId link);

/* "link/shape", with the shape's kind and number if it has no name. */
const char *rg_plan_shape_name(RgPlan *plan, const RgModel *model, RgShapeId shape);

#endif
