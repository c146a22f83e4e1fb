/*
 * record.h - the rows of a recording, and the interface of a file format.
 *
 * A row is one array of doubles: t, q, v, positions, quaternions, energy, contact, control, in this order. The layout
 * has the place of each array in a row and the names of the columns.
 */
#ifndef RIGOR_RECORD_INTERNAL_H
#define RIGOR_RECORD_INTERNAL_H

#include "base/arena.h"

#include <rigor/message.h>
#include <rigor/record.h>

/* Version of the layout, stored in NPZ files as format_version. */
#define RG_RECORD_VERSION 2

/* Order of the arrays in a row. */
typedef enum RgRecordPart {
    RG_RECORD_T,
    RG_RECORD_Q,
    RG_RECORD_V,
    RG_RECORD_POSITION,
    RG_RECORD_QUATERNION,
    RG_RECORD_ENERGY,
    RG_RECORD_CONTACT,
    RG_RECORD_CONTROL, /* empty without a control */
    RG_RECORD_PARTS
} RgRecordPart;

/* One array: n, n x items, or n x items x depth. */
typedef struct RgRecordArray {
    const char *name;
    int dimensions;          /* 1, 2 or 3 */
    int items, depth;        /* 1: the dimension is missing */
    int start;               /* index of the first number in the row */
    const char *prefix;      /* of column names, for example "q:" */
    const char *const *item; /* items: their names */
    const char *const *axis; /* depth: suffixes of the column names */
} RgRecordArray;

typedef struct RgRecordLayout {
    RgRecordArray arrays[RG_RECORD_PARTS];
    int width; /* doubles a row */
    int nq, nv, links;
    const char *const *q_names, *const *v_names, *const *link_names;
    int controlled; /* number of controlled joints */
    const char *const *control_names;
} RgRecordLayout;

/* Names of the columns of a row, and their numbers. */
typedef struct RgRecordNames {
    const char *const *q, *const *v, *const *links, *const *control;
    int nq, nv, nlinks, ncontrol;
} RgRecordNames;

/* The layout of a row with these names, which must live as long as it. */
void rg_record_layout_of(const RgRecordNames *names, RgRecordLayout *out);

/* The layout for a model and the control of its joints (NULL: none), with names in the arena. False: out of memory. */
bool rg_record_layout(const RgModel *model, const struct RgControl *control, RgArena *arena, RgRecordLayout *out);

/* Names of all joints, loop joints too, by which rg_model_find_joint finds them. NULL: out of memory. */
const char *const *rg_record_joint_names(const RgModel *model, RgArena *arena);

/* Number of doubles of an array in a row. */
int rg_record_array_width(const RgRecordArray *array);

/* The source of a recording: rows of a layout, or the messages of a model. */
typedef struct RgRecordSource {
    const RgRecordLayout *layout;
    RgMessagesDef messages;
} RgRecordSource;

/* A file format, of rows (add) or of messages (add_world, add_step). open allocates from the arena. finish closes
   everything; keep false: the recording failed, and an incomplete NPZ or CSV is removed. */
typedef struct RgRecordFormat {
    const char *name; /* also the extension of paths */
    void *(*open)(const RgRecordSource *source, const char *path, RgArena *arena, RgError *error);
    RgStatus (*add)(void *writer, const double *row, RgError *error);
    RgStatus (*add_world)(void *writer, RgWorld *world, RgError *error);
    RgStatus (*add_step)(void *writer, RgWorld *world, RgError *error); /* after every step; NULL: not needed */
    RgStatus (*finish)(void *writer, bool keep, RgError *error);
} RgRecordFormat;

/* The format of that name; format NULL: by the extension of the path. NULL: unknown, error lists the formats. */
const RgRecordFormat *rg_record_format_of(const char *path, const char *format, RgError *error);

#endif
