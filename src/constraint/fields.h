/* fields.h - damping fields (rigor/field.h) in a step: bodies inside, and their damping forces. */
#ifndef RIGOR_FIELDS_H
#define RIGOR_FIELDS_H

#include "constraint/constraints.h"

#include <rigor/field.h>

/* Field state of a body: principal axes in the body's frame, and moments about them. */
typedef struct RgFieldBody {
    RgMat3 axes;
    double moment[3];
    int field;  /* field that contains it, at the last rg_fields_find; -1: none */
    bool free;  /* it moves alone, without joints or carried fields (rg_contact_update_mechanisms) */
    bool alone; /* free, and not in a carried field: damped in closed form, without rows */
} RgFieldBody;

struct RgFields {
    const RgForm *form;
    int count, room; /* number of fields; maximum number of rows */
    RgFieldDef *def;
    RgFieldBody *bodies;  /* nbodies */
    bool any;             /* some body is inside a field, at the last rg_fields_find */
    bool any_carried;     /* some field is on a link that moves */
    bool ties;            /* some body is inside a field that another body carries, at the last rg_fields_find */
    bool regroup;         /* the bodies inside carried fields changed since the last grouping */
    int first_row, nrows; /* range in the assembled rows */
    double strongest;     /* largest h d of these rows, relative to the mass or moment of the lighter body */
};

RgStatus rg_field_check(const RgModel *model, const RgFieldDef *def, RgError *error);

/* Allocates count fields; NULL: out of memory. */
RgFields *rg_fields_alloc(RgArena *arena, const RgForm *form, const RgFieldDef *def, int count);

/* Maximum number of rows; 0 for NULL. */
int rg_fields_room(const RgFields *fields);

/* Call after kinematics: finds the field that contains each body. */
void rg_fields_find(RgFields *fields);

/* First field that contains a body's centre at the present kinematics, except fields that the body carries; -1: none. */
int rg_fields_containing(const RgFields *fields, int body);

/* Body that carries the field containing a body; -1: the world, or no field. */
int rg_fields_carrier(const RgFields *fields, int body);

/* Explicit: adds the present forces to wrenches on links (nlinks, about their origins). */
void rg_fields_add_forces(const RgFields *fields, RgForce *on_links);

/* Implicit, for bodies that move alone: damps the velocities u (nu) at the end of a step of length h that began with
   u0. Returns the work of the fields, J. */
double rg_fields_damp(const RgFields *fields, double h, const double *u0, double *u);

/* The same for the assembled rows after a solve: u1 velocities with them, z their impulses. */
double rg_fields_row_work(const RgConstraints *c, const double *u0, const double *u1, const double *z);

/* The same after rg_solve_bilateral over a step of length h, which ended with u1. */
double rg_fields_eliminated_work(RgConstraints *c, double h, const double *u0, const double *u1);

#endif
