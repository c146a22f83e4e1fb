/* doctor.h - findings of `rigor doctor`, and its checks. */
#ifndef RIGOR_DOCTOR_H
#define RIGOR_DOCTOR_H

#include "plan/plan.h"

/* One thing that is impossible (error), doubtful (warning) or good to know (note). */
typedef struct RgFinding {
    bool is_error, is_note;
    const char *check;   /* short name of the check */
    const char *subject; /* link, joint or shape; may be NULL */
    const char *text;
    double value; /* the number in question; NaN: none */
    const char *file;
    int line;        /* 0: unknown */
    const char *uri; /* of a mesh; else NULL */
} RgFinding;

/* Largest ratio of moments of inertia across any joint. */
typedef struct RgInertiaRatio {
    double ratio;              /* 0: no joint connects two bodies with inertia */
    const char *heavy, *light; /* links on the two sides */
    const char *joint;
    RgVec3 direction; /* in the axes of the child link */
} RgInertiaRatio;

typedef struct RgDiagnosis {
    RgPlan *plan;
    const RgModel *model;
    RgFinding *findings;
    int nfindings, errors, notes;
    RgInertiaRatio worst;
} RgDiagnosis;

/* Adds the finding with a formatted text. */
void rg_diagnosis_add(RgDiagnosis *diagnosis, RgFinding finding, const char *format, ...) RG_PRINTF(3, 4);

/* Each checks all of the model and adds its findings. */
void rg_doctor_inertia(RgDiagnosis *diagnosis);       /* principal moments of links */
void rg_doctor_inertia_ratio(RgDiagnosis *diagnosis); /* across joints */
void rg_doctor_massless(RgDiagnosis *diagnosis);      /* bodies that move without mass */
/* efforts and velocities of 0, locked joints, starts outside of limits, gears without rotors */
void rg_doctor_limits(RgDiagnosis *diagnosis);
void rg_doctor_stiff(RgDiagnosis *diagnosis);  /* dampers and springs too fast for explicit steppers */
void rg_doctor_shapes(RgDiagnosis *diagnosis); /* missing meshes, centre of mass outside */
void rg_doctor_meshes(RgDiagnosis *diagnosis); /* collision meshes: holes, hulls */

#endif
