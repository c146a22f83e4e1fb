/*
 * plan.h - what is to be loaded and run: the sum of a run file and the command line.
 *
 *   FILE -- rg_plan_open --> RgPlan -- rg_plan_apply_options --> RgPlan -- rg_plan_load --> RgModel
 *
 * A URDF or SDF file makes a plan of one model; a YAML run file may name several. A value that is not given is NaN,
 * NULL or 0; the model's own hints or the library's defaults take its place.
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
    RG_PLAN_EVERY_MAX = 1000000000 /* steps a recorded row */
};

/* What is accepted on the command line and in run files: s, s, s, Hz, Hz. */
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
    const void *data; /* the file's content where it was read already, else NULL */
    size_t size;
    int line, column;  /* in the run file, for messages; 0: not from a run file */
    RgBuilderInfo end; /* what the builder held when it had been read, filled by rg_plan_load */
} RgPlanModel;

typedef enum RgQuantity {
    RG_QUANTITY_POSITION,
    RG_QUANTITY_RATE,
    RG_QUANTITY_EFFORT,
    RG_QUANTITY_MOTOR, /* velocity and largest effort of the joint's one axis */
    RG_QUANTITY_SERVO  /* position, largest effort, and largest velocity and rate where given */
} RgQuantity;

/* Position, rate, effort, motor or servo of a joint, or position and rate of a floating link, at the start. */
typedef struct RgPlanValue {
    RgQuantity what;
    const char *model; /* name of the model it was given for; NULL: any */
    const char *name;
    double values[RG_PLAN_VALUES_MAX];
    int count;
    int line, column; /* in the run file; 0: from the command line */
    RgJointId joint;  /* found when the model is there: one of the two */
    RgLinkId link;
} RgPlanValue;

/* Two links that never touch, or that may touch against the files. */
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
    const char *option; /* of the command line that gave it; NULL: a run file did */
    RgPlanPlace at;     /* in the run file */
} RgPlanSetting;

typedef struct RgPlan {
    RgPool pool;      /* everything below lives here */
    const char *path; /* the file given to the command */
    bool from_stdin;  /* path is then only for messages */
    const char *name; /* NULL: as in the file */

    RgPlanModel *models;
    int nmodels;
    const char **search;
    int nsearch;
    RgPlanParameter *parameters; /* of the models, before they are compiled */
    int nparameters;
    double gear_ratio, gear_inertia; /* a rotor (kg m^2) behind a gear beside every hinge; ratio 0: none */

    RgPlanSetting *settings; /* of the world and of the command, in the order in which they count */
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
    const char *written;             /* copy of the run file, by rigor tune; NULL: none */
    int dump_step;                   /* its problem is written, counted from 1; 0: none */
    const char *dump;                /* where; NULL: step-N.problem */
    int every;                       /* steps a recorded row; 0: not given */
    double record_rate;              /* Hz: recorded rows by simulated time; NaN: not given */
    bool quiet;
    bool quiet_in_file; /* the run file asks for it, of `rigor run` */
    bool list_contacts; /* the report names every contact point and joint */

    RgRemark *remarks; /* of the readers, filled by rg_plan_load */
    int nremarks;
} RgPlan;

void rg_plan_free(RgPlan *plan);

/* Adds a remark to those of the readers. file may be NULL. */
void rg_plan_add_remark(RgPlan *plan, const char *file, int line, const char *text);

/* Puts a remark before all others, where those that are not shown cannot hide it. */
void rg_plan_put_remark(RgPlan *plan, const char *file, const char *text);

/* The link of a name; null id for "world"; an error at its place in the run file. */
RgStatus rg_plan_find_link(RgPlan *plan, const RgModel *model, const RgPlanLinkName *name, RgLinkId *out,
                           RgError *error);

/* Gives the builder the plan's pairs of links, found by name in the model that was made of it. */
RgStatus rg_plan_add_pairs(RgPlan *plan, const RgModel *model, RgBuilder *builder, RgError *error);

/* The remarks of the readers as JSON: {file, line, text} each. */
json_t *rg_plan_json_remarks(const RgPlan *plan);

/* Prints the remarks of the readers to stderr, the first few of them. */
void rg_plan_print_remarks(const RgPlan *plan);

/* Name that finds the joint or link again: its own, or group::name where that is ambiguous. */
const char *rg_plan_joint_name(RgPlan *plan, const RgModel *model, RgJointId joint);
const char *rg_plan_link_name(RgPlan *plan, const RgModel *model, RgLinkId link);

/* "link/shape", with the shape's kind and number where it has no name. */
const char *rg_plan_shape_name(RgPlan *plan, const RgModel *model, RgShapeId shape);

#endif
