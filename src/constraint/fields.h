/* fields.h - damping fields (rigor/field.h) in a step: which bodies are inside, and what slows them. */
#ifndef RIGOR_FIELDS_H
#define RIGOR_FIELDS_H

#include "constraint/constraints.h"

#include <rigor/field.h>

/* Principal axes in the body's frame, and moments about them. */
typedef struct RgFieldBody {
    RgMat3 axes;
    double moment[3];
    int field;  /* that it is inside of, as last found; -1: none */
    bool free;  /* it moves alone (rg_contact_regroup) */
    bool alone; /* the same, in a field of the world: slowed without rows */
} RgFieldBody;

struct RgFields {
    const RgForm *form;
    int count, room; /* fields; rows at most */
    RgFieldDef *def;
    RgFieldBody *bodies;  /* nbodies */
    bool any;             /* some body is inside, as last found */
    bool any_carried;     /* some field is on a link that moves */
    bool ties;            /* some body is inside a field that another body carries, as last found */
    bool regroup;         /* other bodies are inside of carried fields than when they were last grouped */
    int first_row, nrows; /* of the assembled rows */
};

RgStatus rg_field_check(const RgModel *model, const RgFieldDef *def, RgError *error);

/* Memory for as many fields; NULL: none. */
RgFields *rg_fields_take(RgArena *arena, const RgForm *form, const RgFieldDef *def, int count);

/* Rows at most; of NULL 0. */
int rg_fields_room(const RgFields *fields);

/* After kinematics: which bodies are inside. */
void rg_fields_find(RgFields *fields);

/* Body that carries the field that a body is inside of, -1: the world. */
int rg_fields_carrier(const RgFields *fields, int body);

/* Explicit: forces as they are now, added to wrenches on links (nlinks, about their origins). */
void rg_fields_push(const RgFields *fields, RgForce *on_links);

/* Implicit: velocities u (nu) at the end of a step of length h from u0, of bodies that move alone. Returns J that
   fields took. */
double rg_fields_slow(const RgFields *fields, double h, const double *u0, double *u);

/* The same of the assembled rows, once solved: u1 velocities with them, z their impulses. */
double rg_fields_row_work(const RgConstraints *c, const double *u0, const double *u1, const double *z);

#endif
